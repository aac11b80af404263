/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a verdict: what is missing and why, and what a build that works would hold. */
#include "verdict/judging.h"

#include <stdio.h>
#include <string.h>

#define LIST_MAX 8
#define LINE_MAX 256

/* What the failing fatbins hold. */
struct held {
  struct cuw_arch newest, oldest_plain; /* PTX */
  bool ptx, plain_ptx, ir;
  struct cuw_arch cubins[LIST_MAX]; /* distinct, in order of number */
  size_t cubin_count;
  bool cubins_cut;
  size_t fatbins, with_ptx; /* both 0 where images are held one by one */
};

static void hold_cubin(struct held *h, struct cuw_arch arch)
{
  size_t at = 0;
  while (at < h->cubin_count && cuw_arch_compare(h->cubins[at], arch) < 0)
    at++;
  if (at < h->cubin_count && cuw_arch_compare(h->cubins[at], arch) == 0)
    return;
  if (h->cubin_count == LIST_MAX) {
    h->cubins_cut = true; /* the newest are the ones worth saying */
    if (at == 0)
      return;
    memmove(&h->cubins[0], &h->cubins[1], (at - 1) * sizeof *h->cubins);
    h->cubins[at - 1] = arch;
    return;
  }
  memmove(&h->cubins[at + 1], &h->cubins[at], (h->cubin_count - at) * sizeof *h->cubins);
  h->cubins[at] = arch;
  h->cubin_count++;
}

static void hold_image(struct held *h, const struct cuw_image *image)
{
  if (image->kind == CUW_KIND_LTOIR || image->kind == CUW_KIND_TILEIR)
    h->ir = true;
  if (!image->has_arch)
    return;
  if (image->kind == CUW_KIND_CUBIN)
    hold_cubin(h, image->arch);
  if (image->kind != CUW_KIND_PTX)
    return;
  if (!h->ptx || cuw_arch_compare(image->arch, h->newest) > 0)
    h->newest = image->arch;
  h->ptx = true;
  if (image->arch.suffix)
    return;
  if (!h->plain_ptx || image->arch.number < h->oldest_plain.number)
    h->oldest_plain = image->arch;
  h->plain_ptx = true;
}

static void hold_group(struct held *h, const struct cuw_library *library, const struct group *g)
{
  bool ptx = false;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &library->images[g->images[i]];
    hold_image(h, image);
    ptx = ptx || image->kind == CUW_KIND_PTX;
  }
  h->fatbins++;
  h->with_ptx += ptx;
}

static void list_cubins(const struct held *h, char out[LINE_MAX])
{
  char name[CUW_ARCH_NAME_MAX];
  size_t at = 0;
  out[0] = '\0';
  for (size_t i = 0; i < h->cubin_count && at < LINE_MAX - CUW_ARCH_NAME_MAX - 8; i++)
    at += (size_t)snprintf(out + at, LINE_MAX - at, "%s%s",
                           i               ? ", "
                           : h->cubins_cut ? "..., "
                                           : "",
                           cuw_arch_name(h->cubins[i], name));
}

/* "oldest PTX is compute_90, which compiles for 9.0 and newer only" */
static const char *say_ptx(const struct held *h, struct arena *arena)
{
  char name[CUW_ARCH_NAME_MAX], cc[CUW_CC_MAX];
  if (h->plain_ptx)
    return arena_printf(arena, "oldest PTX is %s, which compiles for %s and newer only",
                        cuw_arch_name(h->oldest_plain, name), cuw_cc_text(arch_chip(h->oldest_plain.number), cc));
  return arena_printf(arena, "newest PTX is %s, which compiles for %s%s only", cuw_arch_name(h->newest, name),
                      cuw_cc_text(arch_chip(h->newest.number), cc),
                      h->newest.suffix == 'a' ? "" : " and newer of its family");
}

/* Why none of what is held serves the device. */
static const char *say_missing(const struct held *h, unsigned number, struct arena *arena)
{
  char cubins[LINE_MAX];
  list_cubins(h, cubins);
  if (h->ptx && h->with_ptx == h->fatbins)
    return say_ptx(h, arena);
  if (h->ptx)
    return arena_printf(arena, "no PTX in %zu of them, and in the others the %s", h->fatbins - h->with_ptx,
                        say_ptx(h, arena));
  if (h->cubin_count == 0)
    return h->ir ? "LTO-IR or Tile IR only, which the driver does not load" : "no cubin and no PTX";
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(number);
  const char *tegra = arch && arch->tegra ? "; a Tegra chip loads cubins of its own number only" : "";
  return arena_printf(arena, "no PTX, and cubins for %s only%s", cubins, tegra);
}

static size_t judged_count(const struct cuw_counts *c)
{
  return c->native + c->jit + c->none + c->gated + c->specialised;
}

/* "168 of 168 judged fatbins (16 empty)" */
static const char *say_count(size_t some, const struct cuw_counts *c, struct arena *arena)
{
  if (c->empty)
    return arena_printf(arena, "%zu of %zu judged fatbins (%zu empty)", some, judged_count(c), c->empty);
  return arena_printf(arena, "%zu of %zu judged fatbin%s", some, judged_count(c), judged_count(c) == 1 ? "" : "s");
}

/* Cubins of these numbers load on the device, oldest first; "sm_80, sm_86 or sm_89". */
static unsigned list_numbers(unsigned number, char out[LINE_MAX])
{
  size_t count, at = 0, found = 0;
  const struct cuw_gpu_arch *rows = cuw_gpu_archs(&count);
  unsigned fitting[LIST_MAX], first = 0;
  for (size_t i = 0; i < count && found < LIST_MAX; i++) {
    struct cuw_image image = {.kind = CUW_KIND_CUBIN, .has_arch = true, .arch = {rows[i].number, 0, false}};
    if (!image_fits_device(&image, number))
      continue;
    first = first && first < rows[i].first_cuda ? first : rows[i].first_cuda;
    fitting[found++] = rows[i].number;
  }
  out[0] = '\0';
  for (size_t i = 0; i < found; i++)
    at += (size_t)snprintf(out + at, LINE_MAX - at, "%ssm_%u",
                           i == 0           ? ""
                           : i + 1 == found ? " or "
                                            : ", ",
                           fitting[i]);
  return first;
}

/* "sm_120 cubins, or PTX compute_120 or lower without suffix; CUDA 12.8 or newer makes them" */
static const char *say_build(unsigned number, struct arena *arena)
{
  char cubins[LINE_MAX];
  unsigned first = list_numbers(number, cubins);
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(number);
  if (!arch)
    return NULL;
  if (arch->last_cuda)
    return arena_printf(arena, "%s cubins, or PTX compute_%u or lower without suffix; CUDA %u.%u to %u.%u makes them",
                        cubins, number, first / 10, first % 10, arch->last_cuda / 10u, arch->last_cuda % 10u);
  const char *renamed = number == 110 ? ", or sm_101 cubins of CUDA 12.8 and 12.9" : "";
  return arena_printf(arena, "%s cubins, or PTX compute_%u or lower without suffix; CUDA %u.%u or newer makes them%s",
                      cubins, number, first / 10, first % 10, renamed);
}

static const char *say_driver(const struct target *target, struct arena *arena)
{
  const struct cuw_driver *d = target->driver;
  if (d->part_count == 0)
    return arena_printf(arena, "a driver for CUDA %u.%u", d->cuda / 10, d->cuda % 10);
  char text[LINE_MAX];
  size_t at = 0;
  for (unsigned i = 0; i < d->part_count; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, i == 0 ? "%u" : i == 2 ? ".%02u" : ".%u", d->part[i]);
  return arena_printf(arena, "driver %s", text);
}

/* "570.26 or newer", "a driver for CUDA 13.2 or newer" */
static const char *say_needed_driver(const char *driver, struct arena *arena)
{
  bool number = driver[0] >= '0' && driver[0] <= '9';
  return arena_printf(arena, "%s%s or newer", number ? "driver " : "", driver);
}

static void say_isa(unsigned isa, enum cuw_os os, struct arena *arena, struct cuw_library_verdict *out)
{
  if (isa == 0)
    return;
  char driver[DRIVER_TEXT_MAX];
  out->ptx_isa = arena_printf(arena, "%u.%u", isa / 10, isa % 10);
  out->min_driver = arena_string(arena, driver_for_isa(isa / 10, isa % 10, os, driver));
}

/* Whether a newer driver alone would not help: no fatbin has an image for the GPU, and not for lack of its very chip.
 */
static bool holds_nothing_for_device(const struct judging *j, struct held *held)
{
  bool judged = judged_count(&j->counts) != 0, plain = false;
  for (size_t i = 0; i < j->groups.count; i++) {
    const struct group *g = &j->groups.items[i];
    if (judged ? j->fates[i].outcome != OUTCOME_NONE : g->role != CUW_ROLE_SELF_LOADED)
      continue;
    bool relinks = g->role == CUW_ROLE_LINKED && j->inputs.count && j->inputs.all_for_device;
    if (relinks || group_fits_device(j->library, g, j->target.number))
      return false;
    plain = plain || !group_is_suffixed(j->library, g);
    hold_group(held, j->library, g);
  }
  return plain;
}

static void explain_too_old(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  const char *floor = driver_floor(j->cuda_major, j->target.os);
  char text[DRIVER_TEXT_MAX];
  if (!floor) {
    snprintf(text, sizeof text, "a driver for CUDA %u", j->cuda_major);
    floor = text;
  }
  out->cause = CUW_CAUSE_DRIVER_TOO_OLD;
  out->min_driver = arena_string(arena, floor);
  out->requires = say_needed_driver(floor, arena);
  out->reason = arena_printf(arena, "%s is older than %s, the first that runs CUDA %u", say_driver(&j->target, arena),
                             floor, j->cuda_major);
  struct held held = {0};
  if (!holds_nothing_for_device(j, &held))
    return;
  out->reason = arena_printf(arena, "%s; nor is anything in it for this GPU: %s", out->reason,
                             say_missing(&held, j->target.number, arena));
  out->requires = say_build(j->target.number, arena);
}

/* Beside fatbins that the driver refuses there are some that have nothing for the GPU: the driver is not all. */
static void explain_isa_and_none(const struct judging *j, size_t refused, struct arena *arena,
                                 struct cuw_library_verdict *out)
{
  struct held held = {0};
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome == OUTCOME_NONE && !j->fates[i].for_device)
      hold_group(&held, j->library, &j->groups.items[i]);
  }
  out->cause = CUW_CAUSE_ARCHITECTURE;
  out->reason = arena_printf(arena, "%s: %s; %s", say_count(j->counts.none - refused, &j->counts, arena),
                             say_missing(&held, j->target.number, arena), out->reason);
  out->requires = arena_printf(arena, "%s; and %s", say_build(j->target.number, arena), out->requires);
}

static void explain_isa(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  bool at_least;
  unsigned cuda = cuw_driver_cuda(j->target.driver, j->target.os, &at_least);
  out->cause = CUW_CAUSE_PTX_ISA;
  say_isa(j->isa, j->target.os, arena, out);
  if (out->min_driver)
  out->requires = say_needed_driver(out->min_driver, arena);
  size_t refused = 0;
  for (size_t i = 0; i < j->groups.count; i++)
    refused += j->fates[i].outcome == OUTCOME_NONE && j->fates[i].for_device;
  const char *count = say_count(refused, &j->counts, arena);
  if (cuda)
    out->reason = arena_printf(arena, "%s: PTX ISA %s is newer than CUDA %u.%u, the newest of %s", count, out->ptx_isa,
                               cuda / 10, cuda % 10, say_driver(&j->target, arena));
  else
    out->reason = arena_printf(arena, "%s: PTX ISA %s is newer than what %s compiles", count, out->ptx_isa,
                               say_driver(&j->target, arena));
  if (refused < j->counts.none)
    explain_isa_and_none(j, refused, arena, out);
}

static void explain_none(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  struct held held = {0};
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome == OUTCOME_NONE)
      hold_group(&held, j->library, &j->groups.items[i]);
  }
  out->cause = CUW_CAUSE_ARCHITECTURE;
  out->reason = arena_printf(arena, "%s: %s", say_count(j->counts.none, &j->counts, arena),
                             say_missing(&held, j->target.number, arena));
  out->requires = say_build(j->target.number, arena);
}

static void explain_self_loaded_none(const struct cuw_library *library, const struct cuw_counts *counts,
                                     const struct target *target, struct arena *arena, struct cuw_library_verdict *out)
{
  struct held held = {0};
  bool refused = false;
  unsigned isa = 0;
  for (size_t i = 0; i < library->image_count; i++) {
    const struct cuw_image *image = &library->images[i];
    if (image->role != CUW_ROLE_SELF_LOADED)
      continue;
    hold_image(&held, image);
    if (image->kind != CUW_KIND_PTX || !image_fits_device(image, target->number))
      continue;
    unsigned own = image->isa_major * 10u + image->isa_minor;
    isa = !refused || own < isa ? own : isa;
    refused = true;
  }
  if (refused) {
    out->cause = CUW_CAUSE_PTX_ISA;
    say_isa(isa, target->os, arena, out);
    out->requires = out->min_driver ? say_needed_driver(out->min_driver, arena) : NULL;
    out->reason = arena_printf(arena, "%zu self-loaded images: PTX ISA %u.%u is newer than what %s compiles",
                               counts->self_total, isa / 10, isa % 10, say_driver(target, arena));
    return;
  }
  out->cause = CUW_CAUSE_ARCHITECTURE;
  out->reason = arena_printf(arena, "none of %zu self-loaded images fits: %s", counts->self_total,
                             say_missing(&held, target->number, arena));
  out->requires = say_build(target->number, arena);
}

/* Newest ISA among the self-loaded PTX that fits. */
static unsigned self_loaded_isa(const struct cuw_library *library, const struct target *target)
{
  unsigned newest = 0;
  for (size_t i = 0; i < library->image_count; i++) {
    const struct cuw_image *image = &library->images[i];
    unsigned isa = image->isa_major * 10u + image->isa_minor;
    if (image->role == CUW_ROLE_SELF_LOADED && image->kind == CUW_KIND_PTX && image_fits(image, target) && isa > newest)
      newest = isa;
  }
  return newest;
}

static void explain_jit(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  out->cause = CUW_CAUSE_JIT;
  if (j->counts.jit == 0) {
    say_isa(self_loaded_isa(j->library, &j->target), j->target.os, arena, out);
    out->reason = arena_printf(arena, "%zu of %zu self-loaded images %s, through PTX only", j->counts.self_jit,
                               j->counts.self_total, j->counts.self_jit == 1 ? "runs" : "run");
    return;
  }
  size_t links = 0;
  for (size_t i = 0; i < j->groups.count; i++)
    links += j->fates[i].jit_link;
  const char *run = j->counts.jit == 1 ? "runs" : "run";
  const char *how = links == j->counts.jit ? "only by a JIT link of the relocatable ones"
                    : links                ? "only through PTX or a JIT link of the relocatable ones"
                                           : "only through PTX";
  say_isa(j->isa, j->target.os, arena, out);
  if (out->ptx_isa)
    out->reason =
        arena_printf(arena, "%s %s %s (ISA %s)", say_count(j->counts.jit, &j->counts, arena), run, how, out->ptx_isa);
  else
    out->reason = arena_printf(arena, "%s %s %s", say_count(j->counts.jit, &j->counts, arena), run, how);
}

static void explain_gated(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  struct held held = {0};
  char cubins[LINE_MAX], name[CUW_ARCH_NAME_MAX];
  for (size_t i = 0; i < j->groups.count; i++) {
    for (size_t k = 0; j->fates[i].outcome == OUTCOME_GATED && k < j->groups.items[i].count; k++)
      hold_image(&held, &j->library->images[j->groups.items[i].images[k]]);
  }
  if (held.cubin_count)
    list_cubins(&held, cubins);
  else
    snprintf(cubins, sizeof cubins, "%s", held.ptx ? cuw_arch_name(held.newest, name) : "other chips");
  out->cause = CUW_CAUSE_OTHER_CHIPS;
  out->reason = arena_printf(arena, "%s %s for other chips only (%s)", say_count(j->counts.gated, &j->counts, arena),
                             j->counts.gated == 1 ? "is" : "are", cubins);
}

static void add_notes(struct arena *arena, struct cuw_library_verdict *out)
{
  if (out->result == CUW_RESULT_UNKNOWN) {
    out->cause = CUW_CAUSE_UNREADABLE;
    out->reason = arena_printf(arena, "not everything could be read; what could be is %s%s%s",
                               cuw_result_name(out->readable), out->reason ? ": " : "", out->reason ? out->reason : "");
  }
  if (out->rests_on_rename)
    out->reason = arena_printf(arena, "%s%ssm_101 counts as sm_110: one chip, renamed by CUDA 13",
                               out->reason ? out->reason : "", out->reason ? "; " : "");
  if (out->machine_mismatch)
    out->reason = arena_printf(arena, "%s%sbuilt for %s, while this GPU sits in ARM hosts only",
                               out->reason ? out->reason : "", out->reason ? "; " : "", out->library->machine);
}

void explain(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out)
{
  bool judged = judged_count(&j->counts) != 0;
  if (j->counts.specialised)
    out->specialised_by = j->chooses ? "a library of NVIDIA's that chooses among its kernels"
                                     : "for few architectures, and its kernels are variants of functions that this GPU "
                                       "has, or named for other chips";
  switch (out->readable) {
  case CUW_RESULT_NONE:
  case CUW_RESULT_PARTIAL:
    if (j->driver_too_old)
      explain_too_old(j, arena, out);
    else if (!judged)
      explain_self_loaded_none(j->library, &j->counts, &j->target, arena, out);
    else if (j->isa_refused)
      explain_isa(j, arena, out);
    else
      explain_none(j, arena, out);
    break;
  case CUW_RESULT_JIT:
    explain_jit(j, arena, out);
    break;
  case CUW_RESULT_GATED:
    explain_gated(j, arena, out);
    break;
  case CUW_RESULT_NO_GPU_CODE:
  case CUW_RESULT_NATIVE:
  case CUW_RESULT_UNKNOWN:
    break;
  }
  add_notes(arena, out);
}

static bool is_refused(const struct cuw_library *library, const struct target *target)
{
  unsigned exact, major = library_cuda_major(library, &exact);
  return driver_is_too_old(target->driver, target->os, major, exact);
}

void explain_loose(const struct cuw_library *const *libraries, size_t count, const struct target *target,
                   struct arena *arena, struct cuw_library_verdict *out)
{
  const struct cuw_counts *c = &out->counts;
  struct held held = {0};
  bool refused = false, too_old = false;
  unsigned isa = 0;
  for (size_t i = 0; i < count; i++) {
    too_old = too_old || is_refused(libraries[i], target);
    unsigned own = self_loaded_isa(libraries[i], target);
    isa = own > isa ? own : isa;
    for (size_t k = 0; k < libraries[i]->image_count; k++) {
      const struct cuw_image *image = &libraries[i]->images[k];
      hold_image(&held, image);
      refused = refused || image_fits_device(image, target->number);
    }
  }
  if (out->readable == CUW_RESULT_JIT) {
    out->cause = CUW_CAUSE_JIT;
    say_isa(isa, target->os, arena, out);
    out->reason = arena_printf(arena, "%zu of %zu loose images run, through PTX only", c->self_jit, c->self_total);
  } else if (out->readable == CUW_RESULT_NONE && refused) {
    out->cause = too_old ? CUW_CAUSE_DRIVER_TOO_OLD : CUW_CAUSE_PTX_ISA;
    out->reason = arena_printf(arena, "none of %zu loose images runs: %s is too old for those that fit", c->self_total,
                               say_driver(target, arena));
  } else if (out->readable == CUW_RESULT_NONE) {
    out->cause = CUW_CAUSE_ARCHITECTURE;
    out->reason = arena_printf(arena, "none of %zu loose images fits: %s", c->self_total,
                               say_missing(&held, target->number, arena));
    out->requires = say_build(target->number, arena);
  }
  add_notes(arena, out);
}
