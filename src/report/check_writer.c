/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/out.h"

static const struct check_format *const formats[] = {&check_table, &check_json, &check_jsonl, &check_csv,
                                                     &check_markdown};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const char *cuw_check_format_name(size_t index)
{
  return index < FORMAT_COUNT ? formats[index]->name : NULL;
}

struct cuw_check_writer *cuw_check_writer_new(const char *format, struct cuw_out *out,
                                              const struct cuw_write_options *options,
                                              const struct cuw_check_options *check)
{
  size_t i = 0;
  while (i < FORMAT_COUNT && strcmp(formats[i]->name, format) != 0)
    i++;
  if (i == FORMAT_COUNT) {
    errno = EINVAL;
    return NULL;
  }
  struct cuw_check_writer *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->format = formats[i];
  w->base.out = out;
  w->base.options = *options;
  w->check = check;
  if (w->format->begin)
    w->format->begin(w);
  return w;
}

void cuw_check_writer_add(struct cuw_check_writer *writer, const struct cuw_checked *checked)
{
  writer->format->add(writer, checked);
  writer->base.inputs++;
}

struct cuw_out *cuw_check_writer_live(struct cuw_check_writer *writer)
{
  if (!writer->live)
    writer->live = out_memory();
  return writer->live;
}

void cuw_check_writer_end(struct cuw_check_writer *writer)
{
  if (writer->format->end)
    writer->format->end(writer);
  if (writer->live && writer->format == &check_table) {
    cuw_out_string(writer->base.out, "\nasked the driver:\n");
    out_copy(writer->base.out, writer->live);
  }
  if (writer->live)
    cuw_out_close(writer->live, false);
  free(writer->base.state);
  free(writer);
}
