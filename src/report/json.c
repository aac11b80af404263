/* SPDX-License-Identifier: Apache-2.0 */
/* The report as one JSON document; docs/schema/report-1.json. An image a line. */
#include "cuwheel/version.h"
#include "report/json_records.h"
#include "report/writer.h"

static void json_begin(struct cuw_writer *w)
{
  struct emit e = {w->out, true, false};
  emit_open(&e, '{');
  emit_key_string(&e, "schema", "cuwheel/report/1");
  emit_line(&e, 1);
  emit_key(&e, "tool");
  emit_open(&e, '{');
  emit_key_string(&e, "name", "cuwheel");
  emit_key_string(&e, "version", cuw_version());
  emit_close(&e, '}');
  emit_line(&e, 1);
  emit_key(&e, "inputs");
  emit_open(&e, '[');
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
  emit_line(&e, 2);
  emit_open(&e, '{');
  emit_key_string(&e, "path", input->path);
  emit_key_string(&e, "kind", cuw_input_kind_name(input->kind));
  emit_line(&e, 3);
  emit_key(&e, "distributions");
  emit_open(&e, '[');
  for (size_t i = 0; i < input->distribution_count; i++)
    emit_distribution(&e, &input->distributions[i]);
  emit_close_lines(&e, ']', 3);
  emit_line(&e, 3);
  emit_key(&e, "problems");
  emit_open(&e, '[');
  for (size_t i = 0; i < input->problem_count; i++) {
    emit_line(&e, 4);
    emit_open(&e, '{');
    emit_problem_members(&e, &input->problems[i]);
    emit_close(&e, '}');
  }
  emit_close_lines(&e, ']', 3);
  emit_close(&e, '}');
}

static void json_end(struct cuw_writer *w)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_close_lines(&e, ']', 1);
  out_char(w->out, '\n');
  emit_close(&e, '}');
  out_char(w->out, '\n');
}

const struct writer_format writer_json = {"json", json_begin, json_input, json_end};
