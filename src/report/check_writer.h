/* SPDX-License-Identifier: Apache-2.0 */
/* What a format of verdicts is to the rest: a row of a table in check_writer.c and one file. */
#ifndef REPORT_CHECK_WRITER_H
#define REPORT_CHECK_WRITER_H

#include "report/writer.h"

struct check_format;

struct cuw_check_writer {
  const struct check_format *format;
  struct cuw_writer base; /* for what inspect writes too; its state is of the format, freed at the end */
  const struct cuw_check_options *check;
  struct cuw_out *live; /* what a probe says of the same inputs, kept for the end; NULL: nothing */
};

/* Any of them but `add` may be NULL. */
struct check_format {
  const char *name;
  void (*begin)(struct cuw_check_writer *w);
  void (*add)(struct cuw_check_writer *w, const struct cuw_checked *checked);
  void (*end)(struct cuw_check_writer *w);
};

extern const struct check_format check_table;
extern const struct check_format check_json;
extern const struct check_format check_jsonl;
extern const struct check_format check_csv;
extern const struct check_format check_markdown;

#endif
