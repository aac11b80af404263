/* SPDX-License-Identifier: Apache-2.0 */
#include "report/kernel_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct kernel_format *const formats[] = {&kernels_table, &kernels_json, &kernels_jsonl, &kernels_csv};

const char *const kernel_number_names[KERNEL_NUMBERS] = {"registers", "shared",   "stack",
                                                         "local",     "constant", "max_threads"};

void kernel_numbers(const struct cuw_kernel_code *code, uint64_t out[KERNEL_NUMBERS])
{
  out[0] = code->registers;
  out[1] = code->shared;
  out[2] = code->stack;
  out[3] = code->local_bytes;
  out[4] = code->constant;
  out[5] = code->max_threads;
}

struct cuw_kernel_writer *cuw_kernel_writer_new(const char *format, struct cuw_out *out,
                                                const struct cuw_write_options *options)
{
  const struct kernel_format *found = NULL;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i]->name, format) == 0)
      found = formats[i];
  if (!found) {
    errno = EINVAL;
    return NULL;
  }
  struct cuw_kernel_writer *w = malloc(sizeof *w);
  if (!w)
    return NULL;
  *w = (struct cuw_kernel_writer){found, out, *options, 0};
  if (found->begin)
    found->begin(w);
  return w;
}

void cuw_kernel_writer_input(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels)
{
  if (w->format->input)
    w->format->input(w, kernels);
  w->inputs++;
}

void cuw_kernel_writer_end(struct cuw_kernel_writer *w)
{
  if (w->format->end)
    w->format->end(w);
  free(w);
}
