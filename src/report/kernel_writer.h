/* SPDX-License-Identifier: Apache-2.0 */
/* What a format of kernels is: a row of a table in kernel_writer.c and a part of one file. */
#ifndef REPORT_KERNEL_WRITER_H
#define REPORT_KERNEL_WRITER_H

#include "cuwheel/kernels.h"

struct kernel_format;

struct cuw_kernel_writer {
  const struct kernel_format *format;
  struct cuw_out *out;
  struct cuw_write_options options;
  size_t inputs; /* written so far */
};

/* Any of them may be NULL: nothing to write then. */
struct kernel_format {
  const char *name;
  void (*begin)(struct cuw_kernel_writer *w);
  void (*input)(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels);
  void (*end)(struct cuw_kernel_writer *w);
};

extern const struct kernel_format kernels_table;
extern const struct kernel_format kernels_json;
extern const struct kernel_format kernels_jsonl;
extern const struct kernel_format kernels_csv;

/* The numbers of a kernel in one image, by the names that JSON and CSV give them. */
#define KERNEL_NUMBERS 6
extern const char *const kernel_number_names[KERNEL_NUMBERS];
void kernel_numbers(const struct cuw_kernel_code *code, uint64_t out[KERNEL_NUMBERS]);

#endif
