/* SPDX-License-Identifier: Apache-2.0 */
/* Fatbins and images that a library finds and loads by itself, and loose files. */
#include "verdict/judging.h"

#include <string.h>

static void count_group(const struct cuw_library *library, const struct group *g, const struct target *target,
                        struct cuw_counts *counts)
{
  bool cubin = false, ptx = false;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &library->images[g->images[i]];
    if (!image_fits(image, target))
      continue;
    cubin = cubin || image->kind == CUW_KIND_CUBIN;
    ptx = ptx || image->kind == CUW_KIND_PTX;
  }
  counts->self_total++;
  counts->self_native += cubin;
  counts->self_jit += !cubin && ptx;
}

void count_self_loaded(const struct cuw_library *library, const struct group_list *groups, const struct target *target,
                       struct cuw_counts *counts)
{
  for (size_t i = 0; i < groups->count; i++) {
    if (groups->items[i].role == CUW_ROLE_SELF_LOADED)
      count_group(library, &groups->items[i], target, counts);
  }
}

static bool rests_on_rename(const struct cuw_library *library, const struct cuw_gpu *gpu, const struct target *target)
{
  for (size_t i = 0; gpu->number == 110 && i < library->image_count; i++) {
    const struct cuw_image *image = &library->images[i];
    if (image_fits(image, target) && image->arch.number == (gpu->renamed ? 110u : 101u))
      return true;
  }
  return false;
}

/* `too_old`: no image of this file runs on the driver. */
static bool add_file(const struct cuw_library *library, const struct cuw_gpu *gpu, const struct target *target,
                     bool too_old, struct cuw_library_verdict *v)
{
  struct group_list groups;
  if (!groups_build(library, &groups))
    return false;
  struct cuw_counts counts = {0};
  count_self_loaded(library, &groups, target, &counts);
  groups_free(&groups);
  v->counts.self_total += counts.self_total;
  v->counts.self_native += too_old ? 0 : counts.self_native;
  v->counts.self_jit += too_old ? 0 : counts.self_jit;
  v->complete = v->complete && library->complete;
  v->rests_on_rename = v->rests_on_rename || (!too_old && rests_on_rename(library, gpu, target));
  return true;
}

bool judge_loose(const struct cuw_library *const *libraries, size_t count, const struct cuw_gpu *gpu,
                 const struct cuw_driver *driver, struct cuw_library_verdict *out)
{
  struct arena *arena = arena_new();
  if (!arena)
    return false;
  struct cuw_library_verdict v = {.path = "(loose images)", .complete = true, .chosen = true, .arena = arena};
  struct target target = {gpu->number, CUW_OS_LINUX, driver};
  for (size_t i = 0; i < count; i++) {
    unsigned exact, major = library_cuda_major(libraries[i], &exact);
    target.os = library_os(libraries[i]);
    if (!add_file(libraries[i], gpu, &target, driver_is_too_old(driver, target.os, major, exact), &v)) {
      arena_free(arena);
      return false;
    }
  }
  const struct cuw_counts *c = &v.counts;
  v.readable = c->self_total == 0 ? CUW_RESULT_NO_GPU_CODE
               : c->self_native   ? CUW_RESULT_NATIVE
               : c->self_jit      ? CUW_RESULT_JIT
                                  : CUW_RESULT_NONE;
  v.result = v.complete || v.readable == CUW_RESULT_NONE ? v.readable : CUW_RESULT_UNKNOWN;
  explain_loose(libraries, count, &target, arena, &v);
  if (arena_failed(arena)) {
    arena_free(arena);
    return false;
  }
  *out = v;
  return true;
}
