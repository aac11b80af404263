/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/missing.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/groups.h"
#include "kernels/table.h"

const char *cuw_missing_name(enum cuw_missing_why why)
{
  static const char *const names[CUW_MISSING_KINDS] = {"none", "in_image", "gated", "specialised"};
  return names[why];
}

void cuw_missing_free(struct cuw_missing *missing)
{
  if (!missing)
    return;
  arena_free(missing->arena);
  memset(missing, 0, sizeof *missing);
}

struct sorting {
  const struct cuw_library *library;
  const struct fate *fates;
  struct kernel_groups *groups[CUW_MISSING_KINDS];
  struct cuw_missing *out;
  bool memory_out;
};

/* An image that could not be read, or not whole, has said nothing of the kernels that it lacks. */
static bool is_damaged(const struct cuw_library *l, const struct cuw_image *image)
{
  for (size_t i = 0; i < l->problem_count; i++)
    if (l->problems[i].offset == image->offset && l->problems[i].severity == CUW_ERROR)
      return true;
  return false;
}

static bool has_image(const struct cuw_kernel *kernel, const struct cuw_image *image)
{
  for (size_t i = 0; i < kernel->code_count; i++)
    if (kernel->codes[i].image == image)
      return true;
  return false;
}

/* CUW_MISSING_KINDS: it would run. */
static enum cuw_missing_why why_missing(const struct sorting *s, const struct cuw_kernel *kernel)
{
  if (kernel->fatbin >= s->library->fatbins)
    return CUW_MISSING_KINDS;
  const struct fate *fate = &s->fates[kernel->fatbin];
  switch (fate->outcome) {
  case OUTCOME_NONE:
    return CUW_MISSING_NONE;
  case OUTCOME_GATED:
    return CUW_MISSING_GATED;
  case OUTCOME_SPECIALISED:
    return CUW_MISSING_SPECIALISED;
  case OUTCOME_NATIVE:
  case OUTCOME_JIT:
    if (fate->chosen >= s->library->image_count) /* linked again at load */
      return CUW_MISSING_KINDS;
    if (has_image(kernel, &s->library->images[fate->chosen]))
      return CUW_MISSING_KINDS;
    return is_damaged(s->library, &s->library->images[fate->chosen]) ? CUW_MISSING_KINDS : CUW_MISSING_IN_IMAGE;
  case OUTCOME_UNJUDGED:
  case OUTCOME_EMPTY:
    break;
  }
  return CUW_MISSING_KINDS;
}

static bool take(void *data, const struct cuw_kernel *kernel)
{
  struct sorting *s = data;
  enum cuw_missing_why why = why_missing(s, kernel);
  if (why == CUW_MISSING_KINDS)
    return true;
  s->out->kernels[why]++;
  if (!s->groups[why])
    s->groups[why] = kernel_groups_new();
  s->memory_out = !s->groups[why] || !kernel_groups_add(s->groups[why], kernel->demangled);
  return !s->memory_out;
}

static bool add_groups(struct cuw_missing *out, enum cuw_missing_why why, struct kernel_groups *groups)
{
  size_t count;
  const struct kernel_group *found = kernel_groups_finish(groups, MISSING_GROUPS_MAX, &count);
  for (size_t i = 0; found && i < count; i++) {
    struct cuw_missing_group *grown = arena_grow(out->arena, out->groups, out->group_count, sizeof *grown);
    const char *name = arena_string(out->arena, found[i].name);
    if (!grown || !name)
      return false;
    out->groups = grown;
    out->groups[out->group_count++] = (struct cuw_missing_group){why, name, found[i].kernels, found[i].functions};
  }
  return found != NULL;
}

bool missing_kernels(const struct pack *kernels, const struct cuw_library *l, const struct fate *fates,
                     struct cuw_missing *out)
{
  struct sorting s = {.library = l, .fates = fates, .out = out};
  *out = (struct cuw_missing){.arena = arena_new()};
  bool done = out->arena && kernel_pack_each(kernels, l, take, &s) >= 0 && !s.memory_out;
  for (int why = 0; why < CUW_MISSING_KINDS; why++) {
    if (done && s.groups[why])
      done = add_groups(out, (enum cuw_missing_why)why, s.groups[why]);
    kernel_groups_free(s.groups[why]);
  }
  if (!done)
    cuw_missing_free(out);
  return done;
}
