/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as Markdown for a comment: one table of the answers, and the details folded below it. */
#include <errno.h>
#include <string.h>

#include "report/check_missing.h"
#include "report/check_words.h"
#include "report/check_writer.h"
#include "report/out.h"

/* The details of all inputs wait in memory until the table is whole. */
static void markdown_begin(struct cuw_check_writer *w)
{
  w->base.state = out_memory();
  if (!w->base.state)
    out_fail(w->base.out, ENOMEM);
  cuw_out_string(w->base.out, "| distribution | GPU | result | |\n| --- | --- | --- | --- |\n");
}

static void put_cell(struct cuw_out *out, struct text *text)
{
  struct text safe = {0};
  text_markdown(&safe, text_get(text));
  cuw_out_string(out, text_get(&safe));
  if (safe.failed || text->failed)
    out_fail(out, ENOMEM);
  text_free(&safe);
  text_free(text);
}

/* A name from a wheel in a fixed font. */
static void put_code(struct cuw_out *out, const char *name)
{
  struct text text = {0};
  text_string(&text, name);
  cuw_out_string(out, "<code>");
  put_cell(out, &text);
  cuw_out_string(out, "</code>");
}

static void put_answer(struct cuw_check_writer *w, const struct cuw_input *input, const struct cuw_verdict *verdict)
{
  struct cuw_out *out = w->base.out;
  struct text text = {0};
  say_label(&text, input, verdict->distribution);
  cuw_out_string(out, "| ");
  put_cell(out, &text);
  cuw_out_string(out, " | ");
  say_gpu(&text, verdict->gpu);
  if (w->check->driver.part_count || w->check->driver.cuda) {
    text_string(&text, ", ");
    say_driver(&text, &w->check->driver);
  }
  put_cell(out, &text);
  cuw_out_printf(out, " | **%s** | ", cuw_result_name(verdict->whole.result));
  say_result(&text, verdict);
  put_cell(out, &text);
  cuw_out_string(out, " |\n");
}

static void put_library(struct cuw_out *out, const struct cuw_library_verdict *v)
{
  const struct cuw_counts *c = &v->counts;
  struct text text = {0};
  cuw_out_string(out, "| ");
  put_code(out, v->path);
  cuw_out_printf(out, " | %s | %zu | %zu | %zu | %zu | %zu | ", cuw_result_name(v->result), c->native, c->jit, c->none,
                 c->gated, c->specialised);
  if (!v->chosen)
    text_string(&text, "not the variant that is loaded");
  else if (v->reason)
    text_string(&text, v->reason);
  put_cell(out, &text);
  cuw_out_string(out, " |\n");
}

static void put_item(struct cuw_out *out, const char *word, struct text *text)
{
  if (!text->length)
    return;
  cuw_out_printf(out, "* %s", word);
  put_cell(out, text);
  out_char(out, '\n');
}

static void put_facts(struct cuw_out *out, const struct cuw_verdict *verdict)
{
  const char *last = NULL;
  struct text text = {0};
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!is_to_name(v) || !v->requires || (last && strcmp(last, v->requires) == 0))
      continue;
    last = v->requires;
    text_string(&text, last);
    put_item(out, v->cause == CUW_CAUSE_ARCHITECTURE ? "A build that works has " : "Needs ", &text);
  }
  if (verdict->whole.result != CUW_RESULT_NONE)
    say_jit_driver(&text, verdict);
  put_item(out, "Needs ", &text);
  for (size_t i = 0; i < verdict->whole.choice_count; i++) {
    const struct cuw_variant_choice *choice = &verdict->whole.choices[i];
    const char *variant = verdict->libraries[choice->chosen].variant;
    text_printf(&text, "%s: %s (%s)", choice->pattern, variant ? variant : "", choice->reason);
    put_item(out, "Variant judged of ", &text);
  }
  say_aside_rules(&text, verdict);
  put_item(out, "Set aside, ", &text);
  say_bytes(&text, verdict);
  put_item(out, "Bytes: ", &text);
  if (verdict->distribution->interpreter)
    text_string(&text, verdict->distribution->interpreter);
  put_item(out, "Installed for ", &text);
}

static void put_functions(struct cuw_out *out, const struct cuw_verdict *verdict)
{
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!is_to_name(v) || !v->function_count)
      continue;
    cuw_out_string(out, "* Without code in ");
    put_code(out, v->path);
    for (size_t k = 0; k < v->function_count; k++) {
      cuw_out_string(out, k ? ", " : ": ");
      put_code(out, v->functions[k]);
    }
    cuw_out_string(out, v->functions_cut ? " and more\n" : "\n");
  }
}

static void put_details(struct cuw_check_writer *w, struct cuw_out *out, const struct cuw_input *input,
                        const struct cuw_verdict *verdict)
{
  struct text text = {0};
  cuw_out_string(out, "\n<details><summary>");
  say_label(&text, input, verdict->distribution);
  text_string(&text, " on ");
  say_gpu(&text, verdict->gpu);
  put_cell(out, &text);
  cuw_out_printf(out, ": %s</summary>\n\n", cuw_result_name(verdict->whole.result));
  cuw_out_string(out, "| library | result | native | jit | none | gated | specialised | |\n"
                      "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (v->result != CUW_RESULT_NO_GPU_CODE && (v->chosen || w->base.options.verbose))
      put_library(out, v);
  }
  out_char(out, '\n');
  put_facts(out, verdict);
  if (verdict->missing)
    missing_markdown(out, verdict);
  else
    put_functions(out, verdict);
  cuw_out_string(out, "\n</details>\n");
}

static void markdown_add(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  for (size_t i = 0; i < checked->verdict_count; i++) {
    const struct cuw_verdict *verdict = &checked->verdicts[i];
    put_answer(w, checked->input, verdict);
    if (w->base.state && verdict->whole.result != CUW_RESULT_NO_GPU_CODE)
      put_details(w, w->base.state, checked->input, verdict);
  }
}

static void markdown_end(struct cuw_check_writer *w)
{
  struct cuw_out *details = w->base.state;
  w->base.state = NULL;
  if (!details)
    return;
  out_copy(w->base.out, details);
  cuw_out_close(details, false);
}

const struct check_format check_markdown = {"markdown", markdown_begin, markdown_add, markdown_end};
