/* SPDX-License-Identifier: Apache-2.0 */
/* From libraries to a distribution, and from there to an exit status. */
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "verdict/variants.h"

/* What has been met among the libraries that count. */
struct met {
  size_t none, working, unknown, gated;
  enum cuw_result worst; /* of those that neither lack GPU code nor are gated */
};

static void meet(struct met *m, const struct cuw_library_verdict *v)
{
  enum cuw_result readable = v->readable;
  if (v->result == CUW_RESULT_NO_GPU_CODE)
    return;
  if (v->result == CUW_RESULT_GATED) {
    m->gated++;
    return;
  }
  m->none += v->result == CUW_RESULT_NONE;
  m->unknown += v->result == CUW_RESULT_UNKNOWN;
  m->working += readable == CUW_RESULT_NATIVE || readable == CUW_RESULT_JIT || readable == CUW_RESULT_PARTIAL;
  m->worst = v->result > m->worst ? v->result : m->worst;
}

/* The worst, except that `none` beside working ones is `partial`, and that code of which nothing runs is `none`. */
static enum cuw_result combine(const struct met *m)
{
  if (m->none)
    return m->working ? CUW_RESULT_PARTIAL : CUW_RESULT_NONE;
  if (m->worst == CUW_RESULT_NO_GPU_CODE)
    return m->gated ? CUW_RESULT_NONE : CUW_RESULT_NO_GPU_CODE;
  return m->worst;
}

static const char *say_distribution(const struct cuw_library_verdict *libraries, size_t count, const struct met *m,
                                    enum cuw_result result, struct arena *arena)
{
  enum cuw_result deciding = result == CUW_RESULT_PARTIAL && m->none ? CUW_RESULT_NONE : result;
  if (result == CUW_RESULT_NONE && m->none == 0)
    return "all of its GPU code is for other chips only";
  if (result == CUW_RESULT_NO_GPU_CODE || result == CUW_RESULT_NATIVE)
    return NULL;
  size_t alike = 0, first = count;
  for (size_t i = 0; i < count; i++) {
    if (!libraries[i].chosen || libraries[i].result != deciding)
      continue;
    first = first == count ? i : first;
    alike++;
  }
  if (first == count)
    return NULL;
  const struct cuw_library_verdict *v = &libraries[first];
  const char *reason = v->reason ? v->reason : cuw_result_name(v->result);
  if (alike == 1)
    return arena_printf(arena, "%s: %s", v->path, reason);
  return arena_printf(arena, "%s and %zu more: %s", v->path, alike - 1, reason);
}

bool cuw_judge_distribution(const char *name, const struct cuw_gpu *gpu, const struct cuw_selection *selection,
                            struct cuw_library_verdict *libraries, size_t count, struct cuw_distribution_verdict *out)
{
  static const struct cuw_selection none = {0, NULL};
  struct arena *arena = arena_new();
  *out = (struct cuw_distribution_verdict){.complete = true, .arena = arena};
  if (!arena)
    return false;
  if (!choose_variants(name, gpu, selection ? selection : &none, libraries, count, out)) {
    cuw_distribution_verdict_free(out);
    return false;
  }
  struct met met = {0};
  for (size_t i = 0; i < count; i++) {
    if (!libraries[i].chosen)
      continue;
    meet(&met, &libraries[i]);
    out->complete = out->complete && libraries[i].complete;
  }
  out->result = combine(&met);
  out->reason = say_distribution(libraries, count, &met, out->result, arena);
  if (arena_failed(arena)) {
    cuw_distribution_verdict_free(out);
    return false;
  }
  return true;
}

void cuw_distribution_verdict_free(struct cuw_distribution_verdict *verdict)
{
  if (!verdict)
    return;
  arena_free(verdict->arena);
  memset(verdict, 0, sizeof *verdict);
}

bool cuw_library_matches(const char *path, const char *const *globs, size_t count)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < count; i++) {
    const char *against = strchr(globs[i], '/') ? path : name;
    if (fnmatch(globs[i], against, 0) == 0)
      return true;
  }
  return false;
}

static bool fails(const struct cuw_policy *policy, enum cuw_result result)
{
  switch (result) {
  case CUW_RESULT_NONE:
    return true;
  case CUW_RESULT_PARTIAL:
    return !policy->fail_on_none_only;
  case CUW_RESULT_JIT:
    return policy->no_jit;
  case CUW_RESULT_NO_GPU_CODE:
  case CUW_RESULT_GATED:
  case CUW_RESULT_NATIVE:
  case CUW_RESULT_UNKNOWN:
    break;
  }
  return false;
}

bool cuw_policy_passes(const struct cuw_policy *policy, const struct cuw_library_verdict *libraries, size_t count)
{
  struct met met = {0};
  for (size_t i = 0; i < count; i++) {
    const struct cuw_library_verdict *v = &libraries[i];
    if (policy->all_gpus && v->machine_mismatch)
      continue;
    if (cuw_library_matches(v->path, policy->required, policy->required_count) && fails(policy, v->result))
      return false;
    if (!v->chosen || cuw_library_matches(v->path, policy->ignored, policy->ignored_count))
      continue;
    if (policy->strict && v->counts.gated + v->counts.specialised)
      return false;
    meet(&met, v);
  }
  return !fails(policy, combine(&met));
}
