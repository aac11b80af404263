/* SPDX-License-Identifier: Apache-2.0 */
/* What a format is to the rest: a row of a table in writer.c and one file. */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include "cuwheel/write.h"

struct writer_format;

struct cuw_writer {
  const struct writer_format *format;
  struct cuw_out *out;
  struct cuw_write_options options;
  size_t inputs; /* written so far */
  void *state;   /* of the format; freed at the end */
};

/* Any of them may be NULL: nothing to write then. */
struct writer_format {
  const char *name;
  void (*begin)(struct cuw_writer *w);
  void (*input)(struct cuw_writer *w, const struct cuw_input *input);
  void (*end)(struct cuw_writer *w);
};

extern const struct writer_format writer_table;
extern const struct writer_format writer_json;
extern const struct writer_format writer_jsonl;
extern const struct writer_format writer_csv;

#endif
