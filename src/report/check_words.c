/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void say_label(struct text *t, const struct cuw_input *input, const struct cuw_distribution *distribution)
{
  if (distribution->name) {
    text_string(t, distribution->name);
    if (distribution->version)
      text_printf(t, " %s", distribution->version);
  } else if (input->distribution_count > 1)
    text_string(t, "files of no distribution");
  else
    text_string(t, strcmp(input->path, "-") == 0 ? "standard input" : input->path);
}

void say_gpu(struct text *t, const struct cuw_gpu *gpu)
{
  char cc[CUW_CC_MAX];
  if (gpu->name)
    text_printf(t, "%s (%s)", gpu->name, cuw_cc_text(gpu->number, cc));
  else
    text_printf(t, "compute capability %s", cuw_cc_text(gpu->number, cc));
  if (gpu->renamed)
    text_string(t, " (10.1 before CUDA 13)");
}

char *driver_version(const struct cuw_driver *driver, char out[DRIVER_VERSION_MAX])
{
  size_t at = 0;
  out[0] = '\0';
  /* NVIDIA writes the third part with two digits: 525.60.13, 570.124.06. */
  for (unsigned i = 0; i < driver->part_count && at < DRIVER_VERSION_MAX; i++)
    at += (size_t)snprintf(out + at, DRIVER_VERSION_MAX - at,
                           i == 0   ? "%u"
                           : i == 2 ? ".%02u"
                                    : ".%u",
                           driver->part[i]);
  return out;
}

void say_driver(struct text *t, const struct cuw_driver *driver)
{
  char version[DRIVER_VERSION_MAX];
  if (driver->part_count)
    text_printf(t, "driver %s", driver_version(driver, version));
  else if (driver->cuda)
    text_printf(t, "a driver for CUDA %u.%u", driver->cuda / 10, driver->cuda % 10);
}

enum cuw_os distribution_os(const struct cuw_distribution *distribution)
{
  for (size_t i = 0; i < distribution->library_count; i++)
    if (distribution->libraries[i]->format == CUW_PE)
      return CUW_OS_WINDOWS;
  return CUW_OS_LINUX;
}

bool is_to_name(const struct cuw_library_verdict *v)
{
  return v->chosen && v->result != CUW_RESULT_NATIVE && v->result != CUW_RESULT_NO_GPU_CODE;
}

/* The causes met among the libraries that fail. */
static bool has_failure(const struct cuw_verdict *verdict, enum cuw_cause cause)
{
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (v->chosen && v->cause == cause && (v->result == CUW_RESULT_NONE || v->result == CUW_RESULT_PARTIAL))
      return true;
  }
  return false;
}

static const char *none_words(const struct cuw_verdict *verdict)
{
  if (has_failure(verdict, CUW_CAUSE_ARCHITECTURE))
    return "does not run: its GPU code is not for this GPU";
  if (has_failure(verdict, CUW_CAUSE_DRIVER_TOO_OLD))
    return "does not run: the driver is too old for it";
  if (has_failure(verdict, CUW_CAUSE_PTX_ISA))
    return "does not run: the driver is too old to compile its PTX";
  return "does not run: all of its GPU code is for other chips";
}

static void say_partial(struct text *t, const struct cuw_verdict *verdict)
{
  size_t failing = 0, with_code = 0;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!v->chosen || v->result == CUW_RESULT_NO_GPU_CODE)
      continue;
    with_code++;
    failing += v->result == CUW_RESULT_PARTIAL || v->result == CUW_RESULT_NONE;
  }
  text_string(t, "runs in part: ");
  if (with_code > 1)
    text_printf(t, "in %zu of %zu libraries ", failing, with_code);
  text_string(t, has_failure(verdict, CUW_CAUSE_ARCHITECTURE) ? "functions fail that have no code for this GPU"
                                                              : "functions fail that the driver is too old for");
}

/* The machine of the libraries, where this GPU never sits beside one. */
static const char *mismatched_machine(const struct cuw_verdict *verdict)
{
  const char *machine = NULL;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!v->chosen || v->result == CUW_RESULT_NO_GPU_CODE || !v->library)
      continue;
    if (!v->machine_mismatch)
      return NULL;
    machine = v->library->machine;
  }
  return machine;
}

void say_result(struct text *t, const struct cuw_verdict *verdict)
{
  switch (verdict->whole.result) {
  case CUW_RESULT_NATIVE:
    text_string(t, "runs on this GPU as it is");
    break;
  case CUW_RESULT_JIT:
    text_string(t, "runs, once the driver has compiled PTX for this GPU (JIT; the first start is slow)");
    break;
  case CUW_RESULT_PARTIAL:
    say_partial(t, verdict);
    break;
  case CUW_RESULT_NONE:
    text_string(t, none_words(verdict));
    break;
  case CUW_RESULT_UNKNOWN:
    text_string(t, "cannot be told, since not all of it could be read");
    break;
  case CUW_RESULT_GATED:
  case CUW_RESULT_NO_GPU_CODE:
    text_string(t, verdict->whole.reason ? verdict->whole.reason : cuw_result_name(verdict->whole.result));
    break;
  }
  if (!verdict->whole.complete && verdict->whole.result != CUW_RESULT_UNKNOWN)
    text_string(t, "; not all of it could be read");
  const char *machine = mismatched_machine(verdict);
  if (machine)
    text_printf(t, "; but it is built for %s, and this GPU sits in ARM hosts only", machine);
}

void say_aside_rules(struct text *t, const struct cuw_verdict *verdict)
{
  const char *rules[2] = {NULL, NULL};
  bool gated = false;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!v->chosen)
      continue;
    gated = gated || v->counts.gated;
    if (v->specialised_by && rules[0] && strcmp(v->specialised_by, rules[0]) != 0)
      rules[1] = v->specialised_by;
    else if (v->specialised_by)
      rules[0] = v->specialised_by;
  }
  for (size_t i = 0; i < 2 && rules[i]; i++)
    text_printf(t, i ? "; or %s" : "specialised: %s", rules[i]);
  if (gated)
    text_printf(t, "%sgated: kernels for certain chips alone, which are called on those only", rules[0] ? ". " : "");
}

void say_aside(struct text *t, const struct cuw_counts *counts)
{
  if (counts->specialised)
    text_printf(t, "%zu specialised", counts->specialised);
  if (counts->gated)
    text_printf(t, counts->specialised ? ", %zu gated" : "%zu gated", counts->gated);
  if (counts->specialised || counts->gated)
    text_string(t, counts->specialised + counts->gated == 1 ? " fatbin set aside" : " fatbins set aside");
}

static unsigned isa_number(const char *isa)
{
  char *end;
  unsigned long major = strtoul(isa, &end, 10);
  return (unsigned)(major * 100 + (*end == '.' ? strtoul(end + 1, NULL, 10) : 0));
}

void say_jit_driver(struct text *t, const struct cuw_verdict *verdict)
{
  const struct cuw_library_verdict *newest = NULL;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (v->chosen && v->cause == CUW_CAUSE_JIT && v->ptx_isa && v->min_driver &&
        (!newest || isa_number(v->ptx_isa) > isa_number(newest->ptx_isa)))
      newest = v;
  }
  if (!newest)
    return;
  bool number = newest->min_driver[0] >= '0' && newest->min_driver[0] <= '9';
  text_printf(t, "%s%s or newer (PTX ISA %s)", number ? "driver " : "", newest->min_driver, newest->ptx_isa);
}

static void say_size(struct text *t, uint64_t bytes)
{
  if (bytes >= 1000000000)
    text_printf(t, "%.2f GB", (double)bytes / 1e9);
  else
    text_printf(t, "%.1f MB", (double)bytes / 1e6);
}

void say_bytes(struct text *t, const struct cuw_verdict *verdict)
{
  struct cuw_bytes sum = {0};
  for (size_t i = 0; verdict->bytes && i < verdict->library_count; i++) {
    if (!verdict->libraries[i].chosen)
      continue;
    sum.used += verdict->bytes[i].used;
    sum.spare += verdict->bytes[i].spare;
    sum.never += verdict->bytes[i].never;
    sum.other += verdict->bytes[i].other;
  }
  if (!verdict->bytes)
    return;
  say_size(t, sum.used);
  text_string(t, " serve this GPU, ");
  say_size(t, sum.spare);
  text_string(t, " would but for better ones, ");
  say_size(t, sum.never);
  text_string(t, " never will");
  if (sum.other) {
    text_string(t, ", ");
    say_size(t, sum.other);
    text_string(t, " are LTO-IR, Tile IR or for linkers");
  }
}

enum style result_style(enum cuw_result result)
{
  switch (result) {
  case CUW_RESULT_NATIVE:
  case CUW_RESULT_JIT:
    return STYLE_GOOD;
  case CUW_RESULT_PARTIAL:
  case CUW_RESULT_UNKNOWN:
    return STYLE_ALERT;
  case CUW_RESULT_NONE:
    return STYLE_BAD;
  case CUW_RESULT_GATED:
  case CUW_RESULT_NO_GPU_CODE:
    break;
  }
  return STYLE_DIM;
}
