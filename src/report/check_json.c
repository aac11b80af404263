/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as JSON and JSON lines, behind what inspect writes of the same inputs; docs/schema/report-1.json. */
#include <errno.h>
#include <stdlib.h>

#include "report/check_missing.h"
#include "report/check_words.h"
#include "report/check_writer.h"
#include "report/json_records.h"

static void emit_gpu(struct emit *e, const struct cuw_gpu *gpu)
{
  char cc[CUW_CC_MAX];
  emit_key(e, "gpu");
  emit_open(e, '{');
  emit_key_string(e, "name", gpu->name);
  emit_key_string(e, "cc", cuw_cc_text(gpu->number, cc));
  emit_close(e, '}');
}

static void emit_driver(struct emit *e, const struct cuw_driver *driver, enum cuw_os os)
{
  char version[DRIVER_VERSION_MAX], text[CUW_CC_MAX];
  bool at_least;
  emit_key(e, "driver");
  if (!driver->part_count && !driver->cuda) {
    emit_null(e);
    return;
  }
  unsigned cuda = cuw_driver_cuda(driver, os, &at_least);
  emit_open(e, '{');
  emit_key_string(e, "version", driver->part_count ? driver_version(driver, version) : NULL);
  emit_key_string(e, "cuda", cuda ? cuw_cc_text(cuda, text) : NULL);
  emit_close(e, '}');
}

static void emit_bytes(struct emit *e, const struct cuw_bytes *bytes)
{
  emit_key(e, "bytes");
  emit_open(e, '{');
  emit_key_uint(e, "used", bytes->used);
  emit_key_uint(e, "spare", bytes->spare);
  emit_key_uint(e, "never", bytes->never);
  emit_key_uint(e, "other", bytes->other);
  emit_close(e, '}');
}

static void emit_counts(struct emit *e, const struct cuw_counts *counts)
{
  emit_key_uint(e, "native", counts->native);
  emit_key_uint(e, "jit", counts->jit);
  emit_key_uint(e, "none", counts->none);
  emit_key_uint(e, "gated", counts->gated);
  emit_key_uint(e, "specialised", counts->specialised);
  emit_key_uint(e, "empty", counts->empty);
  emit_key(e, "self_loaded");
  emit_open(e, '{');
  emit_key_uint(e, "total", counts->self_total);
  emit_key_uint(e, "native", counts->self_native);
  emit_key_uint(e, "jit", counts->self_jit);
  emit_close(e, '}');
}

static void emit_library(struct emit *e, const struct cuw_verdict *verdict, size_t index)
{
  const struct cuw_library_verdict *v = &verdict->libraries[index];
  emit_open(e, '{');
  emit_key_string(e, "path", v->path);
  emit_key_string(e, "result", cuw_result_name(v->result));
  emit_key_bool(e, "complete", v->complete);
  emit_counts(e, &v->counts);
  emit_key_string(e, "variant", v->variant);
  emit_key_bool(e, "chosen", v->chosen);
  emit_key_string(e, "cause", cuw_cause_name(v->cause));
  emit_key_bool(e, "machine_mismatch", v->machine_mismatch);
  emit_key_bool(e, "rests_on_rename", v->rests_on_rename);
  emit_key_string(e, "specialised_by", v->specialised_by);
  emit_key_string(e, "ptx_isa", v->ptx_isa);
  emit_key_string(e, "min_driver", v->min_driver);
  emit_key_string(e, "reason", v->reason);
  emit_key_string(e, "requires", v->requires);
  emit_key(e, "functions");
  emit_open(e, '[');
  for (size_t i = 0; i < v->function_count; i++)
    emit_string(e, v->functions[i]);
  emit_close(e, ']');
  emit_key_bool(e, "functions_cut", v->functions_cut);
  if (verdict->bytes)
    emit_bytes(e, &verdict->bytes[index]);
  emit_missing(e, verdict, index);
  emit_close(e, '}');
}

static void emit_choices(struct emit *e, const struct cuw_verdict *verdict)
{
  emit_key(e, "choices");
  emit_open(e, '[');
  for (size_t i = 0; i < verdict->whole.choice_count; i++) {
    const struct cuw_variant_choice *choice = &verdict->whole.choices[i];
    emit_open(e, '{');
    emit_key_string(e, "pattern", choice->pattern);
    emit_key_string(e, "chosen", verdict->libraries[choice->chosen].path);
    emit_key_string(e, "reason", choice->reason);
    emit_close(e, '}');
  }
  emit_close(e, ']');
}

/* The members of a verdict; `indent` is that of its line. */
static void emit_verdict(struct emit *e, const struct cuw_check_writer *w, const struct cuw_input *input,
                         const struct cuw_verdict *verdict, unsigned indent)
{
  const struct cuw_distribution *d = verdict->distribution;
  emit_gpu(e, verdict->gpu);
  emit_driver(e, &w->check->driver, distribution_os(d));
  emit_key_string(e, "input", input->path);
  emit_key_string(e, "distribution", d->name);
  emit_key_string(e, "version", d->version);
  emit_key_string(e, "location", d->location);
  emit_key_string(e, "interpreter", d->interpreter);
  emit_key_string(e, "result", cuw_result_name(verdict->whole.result));
  emit_key_bool(e, "complete", verdict->whole.complete);
  emit_key_string(e, "reason", verdict->whole.reason);
  emit_key_bool(e, "runtime_compiler", d->runtime_compiler);
  emit_key_string(e, "runtime_compiler_sign", d->runtime_compiler_sign);
  emit_choices(e, verdict);
  emit_line(e, indent + 1);
  emit_key(e, "libraries");
  emit_open(e, '[');
  for (size_t i = 0; i < verdict->library_count; i++) {
    emit_line(e, indent + 2);
    emit_library(e, verdict, i);
  }
  emit_close_lines(e, ']', indent + 1);
}

/* Verdicts stand behind all inputs: their text waits in memory until then. */
struct waiting {
  struct cuw_out *text;
  size_t verdicts;
};

static void json_begin(struct cuw_check_writer *w)
{
  struct waiting *waiting = calloc(1, sizeof *waiting);
  w->base.state = waiting;
  if (waiting)
    waiting->text = out_memory();
  if (!waiting || !waiting->text)
    out_fail(w->base.out, ENOMEM);
  writer_json.begin(&w->base);
}

static void json_add(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  struct waiting *waiting = w->base.state;
  writer_json.input(&w->base, checked->input);
  if (!waiting || !waiting->text)
    return;
  struct emit e = {waiting->text, true, waiting->verdicts > 0};
  for (size_t i = 0; i < checked->verdict_count; i++) {
    emit_line(&e, 2);
    emit_open(&e, '{');
    emit_verdict(&e, w, checked->input, &checked->verdicts[i], 2);
    emit_close(&e, '}');
  }
  waiting->verdicts += checked->verdict_count;
}

static void json_end(struct cuw_check_writer *w)
{
  struct waiting *waiting = w->base.state;
  struct cuw_out *out = w->base.out;
  struct emit e = {out, true, w->base.inputs > 0};
  emit_close_lines(&e, ']', 1);
  emit_line(&e, 1);
  emit_key(&e, "verdicts");
  emit_open(&e, '[');
  if (waiting && waiting->text) {
    out_copy(out, waiting->text);
    cuw_out_close(waiting->text, false);
    e.follow = waiting->verdicts > 0;
  }
  emit_close_lines(&e, ']', 1);
  if (w->live) {
    emit_line(&e, 1);
    emit_key(&e, "live");
    out_copy(out, w->live);
  }
  out_char(out, '\n');
  emit_close(&e, '}');
  out_char(out, '\n');
}

const struct check_format check_json = {"json", json_begin, json_add, json_end};

static void jsonl_add(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  writer_jsonl.input(&w->base, checked->input);
  for (size_t i = 0; i < checked->verdict_count; i++) {
    struct emit e = {w->base.out, false, false};
    emit_open(&e, '{');
    emit_key_string(&e, "record", "verdict");
    emit_verdict(&e, w, checked->input, &checked->verdicts[i], 0);
    emit_close(&e, '}');
    out_char(w->base.out, '\n');
  }
}

const struct check_format check_jsonl = {"jsonl", NULL, jsonl_add, NULL};
