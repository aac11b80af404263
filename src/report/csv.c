/* SPDX-License-Identifier: Apache-2.0 */
/* A row an image (RFC 4180), its fields as JSON names them. */
#include "report/writer.h"

#include <errno.h>
#include <inttypes.h>

#include "report/fields.h"
#include "report/out.h"
#include "report/text.h"

static void csv_begin(struct cuw_writer *w)
{
  cuw_out_string(w->out, "input,distribution,library");
  const char *name;
  for (size_t i = 0; (name = image_field_name(i)); i++)
    cuw_out_printf(w->out, ",%s", name);
  cuw_out_string(w->out, "\r\n");
}

static void add_value(struct text *row, const struct field_value *value)
{
  switch (value->type) {
  case VALUE_NULL:
    break;
  case VALUE_STRING:
    text_csv(row, value->string);
    break;
  case VALUE_UINT:
    text_printf(row, "%" PRIu64, value->number);
    break;
  case VALUE_BOOL:
    text_string(row, value->number ? "true" : "false");
    break;
  }
}

static void csv_image(struct cuw_writer *w, struct text *row, size_t head, const struct cuw_image *image)
{
  row->length = head;
  for (size_t i = 0; image_field_name(i); i++) {
    struct field_value value;
    image_field(image, i, &value);
    text_string(row, ",");
    add_value(row, &value);
  }
  text_string(row, "\r\n");
  cuw_out_string(w->out, text_get(row));
}

static void csv_library(struct cuw_writer *w, const char *input, const char *distribution,
                        const struct cuw_library *library)
{
  struct text row = {0};
  text_csv(&row, input);
  text_string(&row, ",");
  text_csv(&row, distribution ? distribution : "");
  text_string(&row, ",");
  text_csv(&row, library->path);
  size_t head = row.length;
  for (size_t i = 0; i < library->image_count && !row.failed; i++)
    csv_image(w, &row, head, &library->images[i]);
  if (row.failed)
    out_fail(w->out, ENOMEM);
  text_free(&row);
}

static void csv_input(struct cuw_writer *w, const struct cuw_input *input)
{
  for (size_t i = 0; i < input->distribution_count; i++) {
    const struct cuw_distribution *distribution = &input->distributions[i];
    for (size_t j = 0; j < distribution->library_count; j++)
      csv_library(w, input->path, distribution->name, distribution->libraries[j]);
  }
}

const struct writer_format writer_csv = {"csv", csv_begin, csv_input, NULL};
