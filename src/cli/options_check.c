/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

static bool add_word(struct words *words, const char *value)
{
  const char **grown = realloc(words->items, (words->count + 1) * sizeof *grown);
  if (!grown) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return false;
  }
  words->items = grown;
  words->items[words->count++] = value;
  return true;
}

bool set_gpu(struct options *o, const char *value)
{
  return add_word(&o->check.gpus, value);
}

bool set_required(struct options *o, const char *value)
{
  return add_word(&o->check.required, value);
}

bool set_ignored(struct options *o, const char *value)
{
  return add_word(&o->check.ignored, value);
}

static bool take_driver(struct options *o)
{
  if (o->check.has_driver) {
    fprintf(stderr, "cuwheel: a driver is given once, by --driver or by --driver-cuda\n");
    return false;
  }
  return o->check.has_driver = true;
}

bool set_driver(struct options *o, const char *value)
{
  if (cuw_driver_parse(value, &o->check.driver))
    return take_driver(o);
  fprintf(stderr,
          "cuwheel: --driver takes the version of a driver, such as 570.124.06 or 570, not '%s'; "
          "--driver-cuda takes a CUDA version\n",
          value);
  return false;
}

bool set_driver_cuda(struct options *o, const char *value)
{
  if (cuw_cuda_parse(value, &o->check.driver.cuda))
    return take_driver(o);
  fprintf(stderr, "cuwheel: --driver-cuda takes the CUDA version that the driver supports, such as 12.8, not '%s'\n",
          value);
  return false;
}

bool set_cuda(struct options *o, const char *value)
{
  o->check.cuda = value;
  if (cuw_cuda_parse(value, &o->check.cuda_number))
    return true;
  fprintf(stderr, "cuwheel: --cuda takes a CUDA version, such as 12.8, not '%s'\n", value);
  return false;
}

bool set_fail_on(struct options *o, const char *value)
{
  o->check.fail_on_none = strcmp(value, "none") == 0;
  if (o->check.fail_on_none || strcmp(value, "partial") == 0)
    return true;
  fprintf(stderr, "cuwheel: --fail-on takes partial (the default) or none, not '%s'\n", value);
  return false;
}

bool set_strict(struct options *o, const char *value)
{
  (void)value;
  return o->check.strict = true;
}

bool set_no_jit(struct options *o, const char *value)
{
  (void)value;
  return o->check.no_jit = true;
}

bool set_bytes(struct options *o, const char *value)
{
  (void)value;
  return o->check.bytes = true;
}

bool set_kernels(struct options *o, const char *value)
{
  (void)value;
  return o->check.kernels = true;
}

void check_choice_free(struct check_choice *choice)
{
  free(choice->gpus.items);
  free(choice->required.items);
  free(choice->ignored.items);
}
