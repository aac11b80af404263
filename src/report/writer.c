/* SPDX-License-Identifier: Apache-2.0 */
#include "report/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct writer_format *const formats[] = {&writer_table, &writer_json, &writer_jsonl, &writer_csv};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const char *cuw_writer_format_name(size_t index)
{
  return index < FORMAT_COUNT ? formats[index]->name : NULL;
}

static const struct writer_format *find_format(const char *name)
{
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(formats[i]->name, name) == 0)
      return formats[i];
  return NULL;
}

struct cuw_writer *cuw_writer_new(const char *format, struct cuw_out *out, const struct cuw_write_options *options)
{
  const struct writer_format *found = find_format(format);
  if (!found) {
    errno = EINVAL;
    return NULL;
  }
  struct cuw_writer *w = malloc(sizeof *w);
  if (!w)
    return NULL;
  *w = (struct cuw_writer){found, out, *options, 0, NULL};
  if (found->begin)
    found->begin(w);
  return w;
}

void cuw_writer_input(struct cuw_writer *writer, const struct cuw_input *input)
{
  if (writer->format->input)
    writer->format->input(writer, input);
  writer->inputs++;
}

void cuw_writer_end(struct cuw_writer *writer)
{
  if (writer->format->end)
    writer->format->end(writer);
  free(writer->state);
  free(writer);
}
