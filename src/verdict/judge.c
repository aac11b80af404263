/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/judging.h"

#include <stdlib.h>
#include <string.h>

enum cuw_os library_os(const struct cuw_library *library)
{
  if (library->format == CUW_PE)
    return CUW_OS_WINDOWS;
  if (library_is_loose(library) && library->image_count && library->images[0].host == CUW_HOST_WINDOWS)
    return CUW_OS_WINDOWS;
  return CUW_OS_LINUX;
}

static unsigned newest_evidence(const struct cuw_library *library, const char *source)
{
  unsigned newest = 0, cuda;
  for (size_t i = 0; i < library->evidence_count; i++) {
    const struct cuw_evidence *e = &library->evidence[i];
    if (strcmp(e->source, source) == 0 && cuw_cuda_parse(e->value, &cuda) && cuda > newest)
      newest = cuda;
  }
  return newest;
}

static unsigned newest_toolkit(const struct cuw_library *library)
{
  unsigned newest = newest_evidence(library, "toolkit"), cuda;
  for (size_t i = 0; i < library->image_count; i++) {
    const char *toolkit = library->images[i].toolkit;
    if (toolkit && cuw_cuda_parse(toolkit, &cuda) && cuda > newest)
      newest = cuda;
  }
  return newest;
}

unsigned library_cuda_major(const struct cuw_library *library, unsigned *exact)
{
  unsigned linked = newest_evidence(library, "needed") / 10; /* a soname gives a major only */
  unsigned toolkit = newest_toolkit(library);
  unsigned major = linked ? linked : toolkit / 10;
  *exact = toolkit / 10 == major ? toolkit : 0;
  return major;
}

/* Asks for every fatbin whose emptiness is not known yet. */
static bool survey_kernels(struct judging *j)
{
  bool known = true;
  for (size_t i = 0; i < j->groups.count; i++) {
    const struct group *g = &j->groups.items[i];
    struct fate *fate = &j->fates[i];
    *fate = (struct fate){OUTCOME_UNJUDGED, NO_IMAGE, false, false};
    if (!role_is_judged(g->role))
      continue;
    size_t image;
    switch (group_kernels(j->library, j->facts, g, &image)) {
    case KERNELS_NO:
      fate->outcome = OUTCOME_EMPTY;
      j->counts.empty++;
      break;
    case KERNELS_PENDING:
      known = false;
      if (!want_add(j->wants, image, WANT_COUNT))
        return false;
      break;
    case KERNELS_UNREADABLE:
      j->incomplete = true;
      fate->outcome = OUTCOME_NONE;
      break;
    case KERNELS_YES:
      fate->outcome = OUTCOME_NONE;
      break;
    }
  }
  return known;
}

static unsigned image_isa(const struct cuw_image *image)
{
  return image->isa_major * 10u + image->isa_minor;
}

static void survey_link_inputs(struct judging *j)
{
  struct link_inputs *in = &j->inputs;
  *in = (struct link_inputs){0, true, true, 0};
  for (size_t i = 0; i < j->groups.count; i++) {
    const struct group *g = &j->groups.items[i];
    if (g->role != CUW_ROLE_RELOCATABLE)
      continue;
    in->count++;
    size_t chosen = choose_image(j->library->images, g->images, g->count, &j->target);
    in->all_fit = in->all_fit && chosen != NO_IMAGE;
    in->all_for_device = in->all_for_device && group_fits_device(j->library, g, j->target.number);
    if (chosen == NO_IMAGE || j->library->images[chosen].kind != CUW_KIND_PTX)
      continue;
    unsigned isa = image_isa(&j->library->images[chosen]);
    in->isa = isa > in->isa ? isa : in->isa;
  }
}

/* The oldest ISA among the PTX that is for this GPU: what a driver has to know at least. */
static unsigned least_isa(const struct judging *j, const struct group *g)
{
  unsigned least = 0;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &j->library->images[g->images[i]];
    if (image->kind != CUW_KIND_PTX || !image_fits_device(image, j->target.number))
      continue;
    if (least == 0 || image_isa(image) < least)
      least = image_isa(image);
  }
  return least;
}

static void need_isa(struct judging *j, unsigned isa)
{
  j->isa = isa > j->isa ? isa : j->isa;
}

static void refuse_for_isa(struct judging *j, const struct group *g)
{
  j->isa_refused = true;
  need_isa(j, least_isa(j, g));
  if (g->role != CUW_ROLE_LINKED || group_fits_device(j->library, g, j->target.number))
    return;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->groups.items[i].role == CUW_ROLE_RELOCATABLE)
      need_isa(j, least_isa(j, &j->groups.items[i]));
  }
}

static void fit_group(struct judging *j, size_t index)
{
  const struct group *g = &j->groups.items[index];
  struct fate *fate = &j->fates[index];
  bool relinks = g->role == CUW_ROLE_LINKED && j->inputs.count;
  fate->for_device = group_fits_device(j->library, g, j->target.number) || (relinks && j->inputs.all_for_device);
  fate->chosen = choose_image(j->library->images, g->images, g->count, &j->target);
  if (fate->chosen != NO_IMAGE) {
    const struct cuw_image *image = &j->library->images[fate->chosen];
    fate->outcome = image->kind == CUW_KIND_CUBIN ? OUTCOME_NATIVE : OUTCOME_JIT;
    if (image->kind == CUW_KIND_PTX)
      need_isa(j, image_isa(image));
  } else if (relinks && j->inputs.all_fit) {
    fate->outcome = OUTCOME_JIT;
    fate->jit_link = true;
    need_isa(j, j->inputs.isa);
  } else if (fate->for_device) {
    refuse_for_isa(j, g);
  }
}

static void fit_groups(struct judging *j)
{
  survey_link_inputs(j);
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome == OUTCOME_NONE)
      fit_group(j, i);
  }
}

static void tally(struct judging *j)
{
  struct cuw_counts *c = &j->counts;
  for (size_t i = 0; i < j->groups.count; i++) {
    enum outcome outcome = j->fates[i].outcome;
    c->native += outcome == OUTCOME_NATIVE;
    c->jit += outcome == OUTCOME_JIT;
    c->gated += outcome == OUTCOME_GATED;
    c->specialised += outcome == OUTCOME_SPECIALISED;
    c->none += outcome == OUTCOME_NONE;
  }
}

static enum cuw_result result_of(const struct cuw_counts *c)
{
  if (c->none)
    return c->native + c->jit ? CUW_RESULT_PARTIAL : CUW_RESULT_NONE;
  if (c->jit)
    return CUW_RESULT_JIT;
  if (c->native)
    return CUW_RESULT_NATIVE;
  if (c->gated + c->specialised)
    return CUW_RESULT_GATED;
  if (c->self_total == 0)
    return CUW_RESULT_NO_GPU_CODE;
  if (c->self_native)
    return CUW_RESULT_NATIVE;
  return c->self_jit ? CUW_RESULT_JIT : CUW_RESULT_NONE;
}

static bool counts_as_known(enum cuw_result result)
{
  return result == CUW_RESULT_PARTIAL || result == CUW_RESULT_NONE;
}

static bool is_other_name_of_chip(const struct judging *j, const struct cuw_image *image)
{
  return arch_chip(image->arch.number) == 110 && image->arch.number != (j->gpu->renamed ? 101u : 110u);
}

/* 101 and 110 being one chip matters where the chosen image has the name that the GPU was not given by. */
static bool rests_on_rename(const struct judging *j)
{
  if (j->gpu->number != 110)
    return false;
  bool judged = j->counts.native + j->counts.jit + j->counts.none + j->counts.gated > 0;
  for (size_t i = 0; i < j->groups.count; i++) {
    const struct group *g = &j->groups.items[i];
    if (j->fates[i].chosen != NO_IMAGE && is_other_name_of_chip(j, &j->library->images[j->fates[i].chosen]))
      return true;
    for (size_t k = 0; !judged && g->role == CUW_ROLE_SELF_LOADED && k < g->count; k++) {
      const struct cuw_image *image = &j->library->images[g->images[k]];
      if (image_fits(image, &j->target) && is_other_name_of_chip(j, image))
        return true;
    }
  }
  return false;
}

/* Tegra chips sit in ARM hosts only: K1 in 32-bit ones. */
static bool is_machine_mismatch(const struct cuw_library *library, const struct cuw_gpu *gpu)
{
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(gpu->number);
  if (!arch || !arch->tegra || !library->machine)
    return false;
  if (gpu->number == 32 && strncmp(library->machine, "arm", 3) == 0)
    return false;
  return strcmp(library->machine, "aarch64") != 0 && strcmp(library->machine, "arm64") != 0;
}

static void fill(struct judging *j, struct cuw_library_verdict *out)
{
  out->library = j->library;
  out->path = j->library->path;
  out->counts = j->counts;
  out->readable = result_of(&j->counts);
  if (j->driver_too_old && out->readable != CUW_RESULT_NO_GPU_CODE)
    out->readable = CUW_RESULT_NONE;
  out->complete = j->library->complete && !j->incomplete;
  out->result = out->complete || counts_as_known(out->readable) ? out->readable : CUW_RESULT_UNKNOWN;
  out->machine_mismatch = is_machine_mismatch(j->library, j->gpu);
  out->rests_on_rename = out->readable != CUW_RESULT_NONE && rests_on_rename(j);
  out->chosen = true;
}

/* A driver below the floor runs nothing: every judged fatbin fails alike. */
static void fail_all(struct judging *j)
{
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome > OUTCOME_EMPTY)
      j->fates[i] = (struct fate){OUTCOME_NONE, NO_IMAGE, false, false};
  }
  j->isa = 0;
  j->isa_refused = false;
}

/* false: wants were added, or memory is out. */
static bool decide(struct judging *j)
{
  if (!survey_kernels(j))
    return false;
  fit_groups(j);
  unsigned exact;
  j->cuda_major = library_cuda_major(j->library, &exact);
  j->driver_too_old = driver_is_too_old(j->target.driver, j->target.os, j->cuda_major, exact);
  if (j->driver_too_old)
    fail_all(j);
  else if (!judge_unfit(j))
    return false;
  tally(j);
  count_self_loaded(j->library, &j->groups, &j->target, &j->counts);
  if (j->driver_too_old)
    j->counts.self_native = j->counts.self_jit = 0;
  return true;
}

static enum judge_status finish(struct judging *j, struct cuw_library_verdict *out)
{
  if (!decide(j))
    return j->wants->count ? JUDGE_WANTS : JUDGE_NO_MEMORY;
  struct cuw_library_verdict verdict = {0};
  struct arena *arena = arena_new();
  if (!arena)
    return JUDGE_NO_MEMORY;
  verdict.arena = arena;
  fill(j, &verdict);
  if (!gather_functions(j, &verdict)) {
    arena_free(arena);
    return j->wants->count ? JUDGE_WANTS : JUDGE_NO_MEMORY;
  }
  explain(j, arena, &verdict);
  if (arena_failed(arena)) {
    arena_free(arena);
    return JUDGE_NO_MEMORY;
  }
  *out = verdict;
  return JUDGE_DONE;
}

static bool begin(struct judging *j, const struct judge_request *r, struct want_list *wants)
{
  *j = (struct judging){.library = r->library,
                        .facts = r->facts,
                        .gpu = r->gpu,
                        .target = {r->gpu->number, library_os(r->library), r->driver},
                        .wants = wants};
  wants->count = 0;
  if (groups_build(r->library, &j->groups))
    j->fates = calloc(j->groups.count + 1, sizeof *j->fates);
  return j->fates != NULL;
}

static void end(struct judging *j)
{
  free(j->fates);
  groups_free(&j->groups);
}

enum judge_status judge_library(const struct judge_request *r, struct want_list *wants, struct cuw_library_verdict *out)
{
  struct judging j;
  enum judge_status status = begin(&j, r, wants) ? finish(&j, out) : JUDGE_NO_MEMORY;
  end(&j);
  return status;
}

enum judge_status judge_fatbins(const struct judge_request *r, struct want_list *wants, struct fate *fates)
{
  struct judging j;
  enum judge_status status = JUDGE_NO_MEMORY;
  for (size_t i = 0; i < r->library->fatbins; i++)
    fates[i] = (struct fate){OUTCOME_UNJUDGED, NO_IMAGE, false, false};
  if (begin(&j, r, wants))
    status = decide(&j) ? JUDGE_DONE : wants->count ? JUDGE_WANTS : JUDGE_NO_MEMORY;
  for (size_t i = 0; status == JUDGE_DONE && i < j.groups.count; i++) {
    uint32_t fatbin = r->library->images[j.groups.items[i].images[0]].fatbin;
    if (fatbin < r->library->fatbins)
      fates[fatbin] = j.fates[i];
  }
  end(&j);
  return status;
}

void cuw_library_verdict_free(struct cuw_library_verdict *verdict)
{
  if (!verdict)
    return;
  arena_free(verdict->arena);
  memset(verdict, 0, sizeof *verdict);
}
