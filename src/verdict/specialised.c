/* SPDX-License-Identifier: Apache-2.0 */
/* Fatbins without an image for the GPU that the GPU, as far as bytes can tell, does not need. */
#include "verdict/judging.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The hashes of the functions that the device has in this library. */
struct function_set {
  uint64_t *items;
  size_t count, capacity;
};

static bool set_add_all(struct function_set *set, const struct image_fact *fact)
{
  if (set->count + fact->kernel_count > set->capacity) {
    size_t capacity = (set->count + fact->kernel_count) * 2;
    uint64_t *grown = realloc(set->items, capacity * sizeof *grown);
    if (!grown)
      return false;
    set->items = grown;
    set->capacity = capacity;
  }
  for (size_t i = 0; i < fact->kernel_count; i++)
    set->items[set->count++] = fact->kernels[i] & ~(uint64_t)1;
  return true;
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static bool set_has(const struct function_set *set, uint64_t function)
{
  return set->count && bsearch(&function, set->items, set->count, sizeof *set->items, by_value) != NULL;
}

/* NVIDIA's own libraries choose among their kernels; bundled copies are renamed behind the first word
 * (libcublas-1f2e3d.so.12). */
static bool is_nvidia_library(const char *path)
{
  static const char *const words[] = {"cublas", "cudnn", "cufft",  "cusparse", "cusolver", "curand",
                                      "nccl",   "npp",   "nvjpeg", "cutensor", "nvinfer",  "nvblas"};
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *bang = strrchr(name, '!');
  name = bang ? bang + 1 : name;
  if (strncasecmp(name, "lib", 3) == 0)
    name += 3;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strncasecmp(name, words[i], strlen(words[i])) == 0)
      return true;
  }
  return false;
}

static bool runs(const struct fate *fate)
{
  return fate->outcome == OUTCOME_NATIVE || fate->outcome == OUTCOME_JIT;
}

static void mark_gated(struct judging *j)
{
  for (size_t i = 0; i < j->groups.count; i++) {
    struct fate *fate = &j->fates[i];
    const struct group *g = &j->groups.items[i];
    if (fate->outcome != OUTCOME_NONE || fate->for_device)
      continue;
    if (group_is_suffixed(j->library, g) && !group_is_ir_only(j->library, g))
      fate->outcome = OUTCOME_GATED;
  }
}

/* Not gated, not merely refused by the driver, and not intermediate code that no device loads. */
static bool is_candidate(const struct judging *j, size_t group)
{
  const struct fate *fate = &j->fates[group];
  return fate->outcome == OUTCOME_NONE && !fate->for_device && !group_is_ir_only(j->library, &j->groups.items[group]);
}

static size_t widest_that_runs(const struct judging *j)
{
  size_t widest = 0;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (!runs(&j->fates[i]))
      continue;
    size_t n = group_architectures(j->library, &j->groups.items[i]);
    widest = n > widest ? n : widest;
  }
  return widest;
}

static bool all_names_carry_architecture(const struct image_fact *fact)
{
  for (size_t i = 0; i < fact->kernel_count; i++) {
    if (!(fact->kernels[i] & 1))
      return false;
  }
  return true;
}

/* Asks for the names of the narrow fatbins' kernels. Returns whether all are known; `*variants`: some are without
 * an architecture, so that the functions of the device have to be known too. */
static bool survey_narrow(struct judging *j, const bool *narrow, bool *variants)
{
  bool known = true;
  *variants = false;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (!narrow[i])
      continue;
    bool pending;
    size_t image = group_kernel_image(j->library, j->facts, &j->groups.items[i], &pending);
    if (pending) {
      known = false;
      if (!want_add(j->wants, image, WANT_NAMES))
        return false;
    } else if (image != NO_IMAGE) {
      *variants = *variants || !all_names_carry_architecture(facts_of(j->facts, image));
    }
  }
  return known;
}

/* The image of a fatbin that runs whose kernels the device has; NO_IMAGE: none can be read. */
static size_t device_image(const struct judging *j, size_t group, bool *pending)
{
  const struct fate *fate = &j->fates[group];
  *pending = false;
  if (fate->jit_link)
    return group_kernel_image(j->library, j->facts, &j->groups.items[group], pending);
  const struct image_fact *fact = facts_of(j->facts, fate->chosen);
  *pending = fact->state == FACT_NONE || (fact->state == FACT_COUNTED && fact->has_kernels);
  return fate->chosen;
}

static bool collect_device_functions(struct judging *j, struct function_set *set)
{
  bool known = true;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (!runs(&j->fates[i]))
      continue;
    bool pending;
    size_t image = device_image(j, i, &pending);
    if (pending) {
      known = false;
      if (!want_add(j->wants, image, WANT_NAMES))
        return false;
    } else if (image != NO_IMAGE && !set_add_all(set, facts_of(j->facts, image))) {
      j->wants->count = 0;
      return false;
    }
  }
  if (set->count)
    qsort(set->items, set->count, sizeof *set->items, by_value);
  return known;
}

static bool is_explained(const struct image_fact *fact, const struct function_set *set)
{
  for (size_t i = 0; i < fact->kernel_count; i++) {
    if (!(fact->kernels[i] & 1) && !set_has(set, fact->kernels[i]))
      return false;
  }
  return fact->kernel_count != 0;
}

static bool judge_narrow(struct judging *j, const bool *narrow)
{
  bool variants;
  if (!survey_narrow(j, narrow, &variants))
    return false;
  struct function_set set = {NULL, 0, 0};
  if (variants && !collect_device_functions(j, &set)) {
    free(set.items);
    return false;
  }
  for (size_t i = 0; i < j->groups.count; i++) {
    bool pending;
    size_t image = narrow[i] ? group_kernel_image(j->library, j->facts, &j->groups.items[i], &pending) : NO_IMAGE;
    if (image != NO_IMAGE && is_explained(facts_of(j->facts, image), &set))
      j->fates[i].outcome = OUTCOME_SPECIALISED;
  }
  free(set.items);
  return true;
}

static bool any_native(const struct judging *j)
{
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome == OUTCOME_NATIVE)
      return true;
  }
  return false;
}

bool judge_unfit(struct judging *j)
{
  mark_gated(j);
  size_t widest = widest_that_runs(j);
  if (widest == 0) /* nothing of the library fits: nothing is special about what does not */
    return true;
  bool nvidia = is_nvidia_library(j->library->path) && any_native(j);
  j->chooses = nvidia;
  bool *narrow = calloc(j->groups.count + 1, sizeof *narrow);
  if (!narrow)
    return false;
  bool any = false;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (!is_candidate(j, i))
      continue;
    if (nvidia)
      j->fates[i].outcome = OUTCOME_SPECIALISED;
    else if (group_architectures(j->library, &j->groups.items[i]) * 2 < widest)
      any = narrow[i] = true;
  }
  bool done = !any || judge_narrow(j, narrow);
  free(narrow);
  return done;
}

static bool has_function(const struct cuw_library_verdict *out, const char *text)
{
  for (size_t i = 0; i < out->function_count; i++) {
    if (strcmp(out->functions[i], text) == 0)
      return true;
  }
  return false;
}

static void add_functions(const struct image_fact *fact, struct cuw_library_verdict *out)
{
  for (size_t i = 0; i < fact->shown_count; i++) {
    if (has_function(out, fact->shown[i]))
      continue;
    if (out->function_count == CUW_FUNCTIONS_MAX) {
      out->functions_cut = true;
      return;
    }
    const char *text = arena_string(out->arena, fact->shown[i]);
    if (text)
      out->functions[out->function_count++] = text;
  }
}

/* How many failing fatbins are opened for the sake of their names alone. */
#define SHOWN_FATBINS_MAX 16

bool gather_functions(struct judging *j, struct cuw_library_verdict *out)
{
  if (out->result != CUW_RESULT_PARTIAL)
    return true;
  bool known = true;
  size_t opened = 0;
  for (size_t i = 0; i < j->groups.count; i++) {
    if (j->fates[i].outcome != OUTCOME_NONE || group_is_ir_only(j->library, &j->groups.items[i]))
      continue;
    if (opened++ == SHOWN_FATBINS_MAX) {
      out->functions_cut = true;
      break;
    }
    bool pending;
    size_t image = group_kernel_image(j->library, j->facts, &j->groups.items[i], &pending);
    if (pending) {
      known = false;
      if (!want_add(j->wants, image, WANT_NAMES))
        return false;
    } else if (image != NO_IMAGE) {
      add_functions(facts_of(j->facts, image), out);
    }
  }
  return known;
}
