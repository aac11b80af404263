/* SPDX-License-Identifier: Apache-2.0 */
/* The report as one JSON document; docs/schema/report-1.json. An image a line. */
#include "report/json_records.h"
#include "report/writer.h"

static void json_begin(struct cuw_writer *w)
{
  struct emit e = {w->out, true, false};
  emit_document_head(&e, "cuwheel/report/1");
  emit_inputs_open(&e);
}

static void emit_distribution(struct emit *e, const struct cuw_distribution *distribution)
{
  emit_line(e, 4);
  emit_open(e, '{');
  emit_distribution_head(e, distribution);
  emit_line(e, 5);
  emit_key(e, "libraries");
  emit_open(e, '[');
  for (size_t i = 0; i < distribution->library_count; i++) {
    emit_line(e, 6);
    emit_open(e, '{');
    emit_library_members(e, distribution->libraries[i], 6);
    emit_close(e, '}');
  }
  emit_close_lines(e, ']', 5);
  emit_close(e, '}');
}

static void json_input(struct cuw_writer *w, const struct cuw_input *input)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_input_open(&e, input, "distributions");
  for (size_t i = 0; i < input->distribution_count; i++)
    emit_distribution(&e, &input->distributions[i]);
  emit_input_close(&e, input);
}

static void json_end(struct cuw_writer *w)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_document_end(&e);
}

const struct writer_format writer_json = {"json", json_begin, json_input, json_end};
