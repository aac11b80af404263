/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON lines: an object a library, then one a problem. */
#include "report/json_records.h"
#include "report/writer.h"

static struct emit begin_record(struct cuw_writer *w, const char *record, const char *input)
{
  struct emit e = {w->out, false, false};
  emit_open(&e, '{');
  emit_key_string(&e, "record", record);
  emit_key_string(&e, "input", input);
  return e;
}

static void end_record(struct emit *e)
{
  emit_close(e, '}');
  out_char(e->out, '\n');
}

static void jsonl_distribution(struct cuw_writer *w, const char *input, const struct cuw_distribution *distribution)
{
  for (size_t i = 0; i < distribution->library_count; i++) {
    struct emit e = begin_record(w, "library", input);
    emit_key_string(&e, "distribution", distribution->name);
    emit_key_string(&e, "version", distribution->version);
    emit_library_members(&e, distribution->libraries[i], 0);
    end_record(&e);
  }
}

static void jsonl_input(struct cuw_writer *w, const struct cuw_input *input)
{
  for (size_t i = 0; i < input->distribution_count; i++)
    jsonl_distribution(w, input->path, &input->distributions[i]);
  for (size_t i = 0; i < input->problem_count; i++) {
    struct emit e = begin_record(w, "problem", input->path);
    emit_problem_members(&e, &input->problems[i]);
    end_record(&e);
  }
}

const struct writer_format writer_jsonl = {"jsonl", NULL, jsonl_input, NULL};
