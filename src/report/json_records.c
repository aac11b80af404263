/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json_records.h"

#include "cuwheel/version.h"

#include <errno.h>

#include "report/fields.h"
#include "report/tally.h"

static void emit_evidence(struct emit *e, const struct cuw_evidence *evidence)
{
  emit_open(e, '{');
  emit_key_string(e, "source", evidence->source);
  emit_key_string(e, "value", evidence->value);
  emit_key_string(e, "library", evidence->library);
  emit_close(e, '}');
}

void emit_distribution_head(struct emit *e, const struct cuw_distribution *distribution)
{
  emit_key_string(e, "name", distribution->name);
  emit_key_string(e, "version", distribution->version);
  emit_key_string(e, "location", distribution->location);
  emit_key_string(e, "interpreter", distribution->interpreter);
  emit_key_bool(e, "runtime_compiler", distribution->runtime_compiler);
  emit_key_string(e, "runtime_compiler_sign", distribution->runtime_compiler_sign);
  emit_key(e, "cuda");
  emit_open(e, '{');
  emit_key_string(e, "version", distribution->cuda);
  emit_key_bool(e, "conflict", distribution->cuda_conflict);
  emit_key(e, "evidence");
  emit_open(e, '[');
  for (size_t i = 0; i < distribution->evidence_count; i++)
    emit_evidence(e, &distribution->evidence[i]);
  emit_close(e, ']');
  emit_close(e, '}');
}

static void emit_field(struct emit *e, const char *name, const struct field_value *value)
{
  emit_key(e, name);
  switch (value->type) {
  case VALUE_NULL:
    emit_null(e);
    break;
  case VALUE_STRING:
    emit_string(e, value->string);
    break;
  case VALUE_UINT:
    emit_uint(e, value->number);
    break;
  case VALUE_BOOL:
    emit_bool(e, value->number);
    break;
  }
}

static void emit_image(struct emit *e, const struct cuw_image *image)
{
  emit_open(e, '{');
  const char *name;
  for (size_t i = 0; (name = image_field_name(i)); i++) {
    struct field_value value;
    image_field(image, i, &value);
    if (value.type != VALUE_NULL || !image_field_is_extra(i))
      emit_field(e, name, &value);
  }
  emit_close(e, '}');
}

/* The counts of one kind, in order of architecture. */
static void emit_kind(struct emit *e, const struct tally *t, enum cuw_kind kind, bool always)
{
  size_t first = 0, end;
  while (first < t->count && t->rows[first].kind != kind)
    first++;
  for (end = first; end < t->count && t->rows[end].kind == kind; end++)
    ;
  if (first == end && !always)
    return;
  emit_key(e, cuw_kind_name(kind));
  emit_open(e, '{');
  for (size_t i = first; i < end; i++) {
    char name[TALLY_NAME_MAX];
    emit_key_uint(e, tally_name(&t->rows[i], name), t->rows[i].count);
  }
  emit_close(e, '}');
}

static void emit_summary(struct emit *e, const struct cuw_library *library)
{
  struct tally t = {0};
  tally_library(&t, library);
  tally_finish(&t);
  if (t.failed)
    out_fail(e->out, ENOMEM);
  emit_key(e, "summary");
  emit_open(e, '{');
  emit_kind(e, &t, CUW_KIND_CUBIN, true);
  emit_kind(e, &t, CUW_KIND_PTX, true);
  emit_kind(e, &t, CUW_KIND_LTOIR, true);
  emit_kind(e, &t, CUW_KIND_TILEIR, false);
  emit_kind(e, &t, CUW_KIND_OTHER, false);
  emit_close(e, '}');
  tally_free(&t);
}

void emit_library_members(struct emit *e, const struct cuw_library *library, unsigned indent)
{
  emit_key_string(e, "path", library->path);
  emit_key_string(e, "format", cuw_format_name(library->format));
  emit_key_string(e, "machine", library->machine);
  emit_key_uint(e, "size", library->size);
  emit_key_bool(e, "complete", library->complete);
  emit_key(e, "needed");
  emit_open(e, '[');
  for (size_t i = 0; i < library->needed_count; i++)
    emit_string(e, library->needed[i]);
  emit_close(e, ']');
  emit_key_bool(e, "static_runtime", library->static_runtime);
  emit_key_string(e, "cuda", library->cuda);
  emit_key_bool(e, "cuda_conflict", library->cuda_conflict);
  emit_key_uint(e, "fatbins", library->fatbins);
  emit_summary(e, library);
  emit_line(e, indent + 1);
  emit_key(e, "images");
  emit_open(e, '[');
  for (size_t i = 0; i < library->image_count; i++) {
    emit_line(e, indent + 2);
    emit_image(e, &library->images[i]);
  }
  emit_close_lines(e, ']', indent + 1);
}

void emit_problem_members(struct emit *e, const struct cuw_problem *problem)
{
  emit_key_string(e, "severity", cuw_severity_name(problem->severity));
  emit_key_string(e, "code", problem->code);
  emit_key_string(e, "path", problem->path);
  emit_key_string(e, "member", problem->member);
  emit_key_maybe(e, "offset", problem->offset, CUW_NONE);
  emit_key_string(e, "message", problem->message);
  emit_key_string(e, "hint", problem->hint);
}

void emit_document_head(struct emit *e, const char *schema)
{
  emit_open(e, '{');
  emit_key_string(e, "schema", schema);
  emit_line(e, 1);
  emit_key(e, "tool");
  emit_open(e, '{');
  emit_key_string(e, "name", "cuwheel");
  emit_key_string(e, "version", cuw_version());
  emit_close(e, '}');
  emit_line(e, 1);
}

void emit_inputs_open(struct emit *e)
{
  emit_key(e, "inputs");
  emit_open(e, '[');
}

void emit_document_end(struct emit *e)
{
  emit_close_lines(e, ']', 1);
  out_char(e->out, '\n');
  emit_close(e, '}');
  out_char(e->out, '\n');
}

void emit_input_open(struct emit *e, const struct cuw_input *input, const char *key)
{
  emit_line(e, 2);
  emit_open(e, '{');
  emit_key_string(e, "path", input->path);
  emit_key_string(e, "kind", cuw_input_kind_name(input->kind));
  emit_line(e, 3);
  emit_key(e, key);
  emit_open(e, '[');
}

void emit_input_close(struct emit *e, const struct cuw_input *input)
{
  emit_close_lines(e, ']', 3);
  emit_line(e, 3);
  emit_key(e, "problems");
  emit_open(e, '[');
  for (size_t i = 0; i < input->problem_count; i++) {
    emit_line(e, 4);
    emit_open(e, '{');
    emit_problem_members(e, &input->problems[i]);
    emit_close(e, '}');
  }
  emit_close_lines(e, ']', 3);
  emit_close(e, '}');
}
