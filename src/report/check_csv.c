/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as CSV (RFC 4180): a row a library and GPU; a distribution without libraries has a row too. */
#include <errno.h>
#include <inttypes.h>

#include "report/check_words.h"
#include "report/check_writer.h"
#include "report/out.h"

static const char header[] =
    "input,distribution,version,gpu,cc,driver,distribution_result,library,result,complete,native,"
    "jit,none,gated,specialised,empty,self_total,self_native,self_jit,variant,chosen,cause,"
    "machine_mismatch,ptx_isa,min_driver,reason,requires,functions,bytes_used,bytes_spare,"
    "bytes_never,bytes_other\r\n";

static void csv_begin(struct cuw_check_writer *w)
{
  cuw_out_string(w->base.out, header);
}

static void add_cell(struct text *row, const char *value)
{
  if (value)
    text_csv(row, value);
  text_string(row, ",");
}

static void add_bool(struct text *row, bool value)
{
  text_string(row, value ? "true," : "false,");
}

static void add_head(struct text *row, const struct cuw_check_writer *w, const struct cuw_input *input,
                     const struct cuw_verdict *verdict)
{
  char cc[CUW_CC_MAX];
  struct text driver = {0};
  say_driver(&driver, &w->check->driver);
  add_cell(row, input->path);
  add_cell(row, verdict->distribution->name);
  add_cell(row, verdict->distribution->version);
  add_cell(row, verdict->gpu->name);
  add_cell(row, cuw_cc_text(verdict->gpu->number, cc));
  add_cell(row, driver.length ? text_get(&driver) : NULL);
  add_cell(row, cuw_result_name(verdict->whole.result));
  row->failed |= driver.failed;
  text_free(&driver);
}

static void add_functions(struct text *row, const struct cuw_library_verdict *v)
{
  struct text names = {0};
  for (size_t i = 0; i < v->function_count; i++)
    text_printf(&names, i ? "; %s" : "%s", v->functions[i]);
  add_cell(row, text_get(&names));
  row->failed |= names.failed;
  text_free(&names);
}

static void add_library(struct text *row, const struct cuw_library_verdict *v, const struct cuw_bytes *bytes)
{
  const struct cuw_counts *c = &v->counts;
  add_cell(row, v->path);
  add_cell(row, cuw_result_name(v->result));
  add_bool(row, v->complete);
  text_printf(row, "%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,", c->native, c->jit, c->none, c->gated, c->specialised,
              c->empty, c->self_total, c->self_native, c->self_jit);
  add_cell(row, v->variant);
  add_bool(row, v->chosen);
  add_cell(row, cuw_cause_name(v->cause));
  add_bool(row, v->machine_mismatch);
  add_cell(row, v->ptx_isa);
  add_cell(row, v->min_driver);
  add_cell(row, v->reason);
  add_cell(row, v->requires);
  add_functions(row, v);
  if (bytes)
    text_printf(row, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", bytes->used, bytes->spare, bytes->never,
                bytes->other);
  else
    text_string(row, ",,,\r\n");
}

/* What is said of a distribution without libraries: its result, complete or not, and the reason. */
static void add_no_library(struct text *row, const struct cuw_verdict *verdict)
{
  enum { BEFORE_REASON = 15, BEHIND_REASON = 6 };
  add_cell(row, NULL);
  add_cell(row, cuw_result_name(verdict->whole.result));
  add_bool(row, verdict->whole.complete);
  for (size_t i = 0; i < BEFORE_REASON; i++)
    add_cell(row, NULL);
  add_cell(row, verdict->whole.reason);
  for (size_t i = 0; i < BEHIND_REASON - 1; i++)
    add_cell(row, NULL);
  text_string(row, "\r\n");
}

static void csv_add(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  struct text row = {0};
  for (size_t i = 0; i < checked->verdict_count; i++) {
    const struct cuw_verdict *verdict = &checked->verdicts[i];
    text_clear(&row);
    add_head(&row, w, checked->input, verdict);
    size_t head = row.length;
    if (verdict->library_count == 0)
      add_no_library(&row, verdict);
    for (size_t k = 0; k < verdict->library_count; k++) {
      row.length = head;
      add_library(&row, &verdict->libraries[k], verdict->bytes ? &verdict->bytes[k] : NULL);
      cuw_out_string(w->base.out, text_get(&row));
    }
    if (verdict->library_count == 0)
      cuw_out_string(w->base.out, text_get(&row));
  }
  if (row.failed)
    out_fail(w->base.out, ENOMEM);
  text_free(&row);
}

const struct check_format check_csv = {"csv", csv_begin, csv_add, NULL};
