/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as JSON (docs/schema/kernels-1.json), a kernel a line, and as JSON lines. */
#include <errno.h>

#include "report/json_records.h"
#include "report/kernel_writer.h"

static void begin(struct cuw_kernel_writer *w)
{
  struct emit e = {w->out, true, false};
  emit_document_head(&e, "cuwheel/kernels/1");
  emit_inputs_open(&e);
}

static void emit_code(struct emit *e, const struct cuw_kernel_code *code)
{
  char arch[CUW_ARCH_NAME_MAX];
  uint64_t numbers[KERNEL_NUMBERS];
  kernel_numbers(code, numbers);
  emit_open(e, '{');
  emit_key_string(e, "arch", code->image->has_arch ? cuw_arch_name(code->image->arch, arch) : NULL);
  emit_key_string(e, "kind", cuw_kind_name((enum cuw_kind)code->image->kind));
  emit_key_uint(e, "offset", code->image->offset);
  for (size_t i = 0; i < KERNEL_NUMBERS; i++)
    emit_key_maybe(e, kernel_number_names[i], numbers[i], CUW_NONE);
  emit_close(e, '}');
}

static void emit_kernel_members(struct emit *e, const struct cuw_kernel *kernel)
{
  bool named = kernel->name[0] != 0;
  emit_key_maybe(e, "fatbin", kernel->fatbin, CUW_NO_FATBIN);
  emit_key_string(e, "name", named ? kernel->name : NULL);
  emit_key_string(e, "demangled", named ? kernel->demangled : NULL);
  emit_key_bool(e, "static", kernel->local);
  emit_key(e, "images");
  emit_open(e, '[');
  for (size_t i = 0; i < kernel->code_count; i++)
    emit_code(e, &kernel->codes[i]);
  emit_close(e, ']');
}

static bool put_kernel(void *data, const struct cuw_kernel *kernel)
{
  struct emit *e = data;
  emit_line(e, 8);
  emit_open(e, '{');
  emit_kernel_members(e, kernel);
  emit_close(e, '}');
  return !cuw_out_error(e->out);
}

static void emit_library(struct emit *e, const struct cuw_kernels *kernels, const struct cuw_library *library)
{
  emit_line(e, 6);
  emit_open(e, '{');
  emit_key_string(e, "path", library->path);
  emit_key_string(e, "format", cuw_format_name(library->format));
  emit_key_bool(e, "complete", library->complete);
  emit_line(e, 7);
  emit_key(e, "kernels");
  emit_open(e, '[');
  if (cuw_kernels_each(kernels, library, put_kernel, e) < 0)
    out_fail(e->out, ENOMEM);
  emit_close_lines(e, ']', 7);
  emit_close(e, '}');
}

static void emit_distribution(struct emit *e, const struct cuw_kernels *kernels, const struct cuw_distribution *d)
{
  emit_line(e, 4);
  emit_open(e, '{');
  emit_key_string(e, "name", d->name);
  emit_key_string(e, "version", d->version);
  emit_line(e, 5);
  emit_key(e, "libraries");
  emit_open(e, '[');
  for (size_t i = 0; i < d->library_count; i++)
    if (d->libraries[i]->image_count)
      emit_library(e, kernels, d->libraries[i]);
  emit_close_lines(e, ']', 5);
  emit_close(e, '}');
}

static void input(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels)
{
  const struct cuw_input *in = cuw_kernels_input(kernels);
  struct emit e = {w->out, true, w->inputs > 0};
  emit_input_open(&e, in, "distributions");
  for (size_t i = 0; i < in->distribution_count; i++)
    emit_distribution(&e, kernels, &in->distributions[i]);
  emit_input_close(&e, in);
}

static void end(struct cuw_kernel_writer *w)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_document_end(&e);
}

const struct kernel_format kernels_json = {"json", begin, input, end};

struct lines {
  struct cuw_out *out;
  const struct cuw_input *input;
  const struct cuw_distribution *distribution;
  const struct cuw_library *library;
};

static struct emit begin_record(struct cuw_out *out, const char *record, const char *path)
{
  struct emit e = {out, false, false};
  emit_open(&e, '{');
  emit_key_string(&e, "record", record);
  emit_key_string(&e, "input", path);
  return e;
}

static void end_record(struct emit *e)
{
  emit_close(e, '}');
  out_char(e->out, '\n');
}

static bool put_line(void *data, const struct cuw_kernel *kernel)
{
  const struct lines *l = data;
  struct emit e = begin_record(l->out, "kernel", l->input->path);
  emit_key_string(&e, "distribution", l->distribution->name);
  emit_key_string(&e, "library", l->library->path);
  emit_kernel_members(&e, kernel);
  end_record(&e);
  return !cuw_out_error(l->out);
}

static void put_lines(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels)
{
  const struct cuw_input *in = cuw_kernels_input(kernels);
  for (size_t i = 0; i < in->distribution_count; i++) {
    const struct cuw_distribution *d = &in->distributions[i];
    for (size_t k = 0; k < d->library_count; k++) {
      struct lines lines = {w->out, in, d, d->libraries[k]};
      if (cuw_kernels_each(kernels, d->libraries[k], put_line, &lines) < 0)
        out_fail(w->out, ENOMEM);
    }
  }
  for (size_t i = 0; i < in->problem_count; i++) {
    struct emit e = begin_record(w->out, "problem", in->path);
    emit_problem_members(&e, &in->problems[i]);
    end_record(&e);
  }
}

const struct kernel_format kernels_jsonl = {"jsonl", NULL, put_lines, NULL};
