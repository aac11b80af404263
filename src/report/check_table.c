/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts for people: the answer first, then each library that is not native, and what would work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_matrix.h"
#include "report/check_missing.h"
#include "report/check_words.h"
#include "report/flow.h"
#include "report/out.h"

#define MARGIN 2
#define NAMES_AT (MARGIN + 9) /* behind "partial" and two blanks */
#define FUNCTIONS_SHOWN 4
#define FUNCTION_SHOWN_MAX 120 /* bytes of a name */
#define NAMED_AT_MOST 4        /* native libraries and distributions */
#define GPUS_IN_FULL 4         /* more of them make a matrix */

static void put_text(struct flow *flow, enum style style, struct text *text)
{
  if (text->failed)
    out_fail(flow->w->out, ENOMEM);
  flow_text(flow, style, text_get(text));
  text_free(text);
}

/* A line that starts with a word in the first column of the list. */
static struct flow begin_entry(struct cuw_writer *w, enum style style, const char *word)
{
  struct flow flow = flow_begin(w, MARGIN, NAMES_AT);
  flow_text(&flow, style, word);
  flow_to(&flow, NAMES_AT);
  return flow;
}

static void put_entry(struct cuw_writer *w, enum style style, const char *word, struct text *text)
{
  struct flow flow = begin_entry(w, style, word);
  put_text(&flow, STYLE_PLAIN, text);
  flow_end(&flow);
}

/* "torch 2.15.0 on RTX 5090 (12.0), driver 525.60: none: does not run ..." */
static void put_answer(struct cuw_check_writer *w, const char *label, const struct cuw_verdict *verdict)
{
  struct flow flow = flow_begin(&w->base, 0, MARGIN);
  struct text text = {0};
  text_printf(&text, "%s on ", label);
  say_gpu(&text, verdict->gpu);
  if (w->check->driver.part_count || w->check->driver.cuda) {
    text_string(&text, ", ");
    say_driver(&text, &w->check->driver);
  }
  text_string(&text, ":");
  put_text(&flow, STYLE_TITLE, &text);
  text_printf(&text, "%s:", cuw_result_name(verdict->whole.result));
  put_text(&flow, result_style(verdict->whole.result), &text);
  say_result(&text, verdict);
  put_text(&flow, STYLE_PLAIN, &text);
  flow_end(&flow);
}

static void put_functions(struct cuw_check_writer *w, const struct cuw_library_verdict *v)
{
  size_t shown = v->function_count;
  if (!w->base.options.verbose && shown > FUNCTIONS_SHOWN)
    shown = FUNCTIONS_SHOWN;
  if (shown == 0)
    return;
  struct text text = {0};
  for (size_t i = 0; i < shown; i++) {
    const char *name = v->functions[i];
    bool cut = !w->base.options.verbose && strlen(name) > FUNCTION_SHOWN_MAX;
    text_string(&text, i ? ", " : "");
    text_bytes(&text, name, cut ? FUNCTION_SHOWN_MAX : strlen(name));
    text_string(&text, cut ? "..." : "");
  }
  if (shown < v->function_count || v->functions_cut)
    text_string(&text, " and more");
  struct flow flow = flow_begin(&w->base, NAMES_AT, NAMES_AT);
  flow_text(&flow, STYLE_DIM, "without code:");
  put_text(&flow, STYLE_PLAIN, &text);
  flow_end(&flow);
}

/* An older driver is not the fault of the build. */
static const char *needs_words(const struct cuw_library_verdict *v)
{
  return v->cause == CUW_CAUSE_ARCHITECTURE ? "a build that works has " : "needs ";
}

static void put_library(struct cuw_check_writer *w, const struct cuw_library_verdict *v, bool with_requires)
{
  struct text text = {0};
  text_string(&text, v->path);
  if (!v->chosen)
    text_string(&text, " (not the variant that is loaded)");
  if (v->reason)
    text_printf(&text, ": %s", v->reason);
  if (v->counts.specialised + v->counts.gated && v->result != CUW_RESULT_GATED) {
    text_string(&text, v->reason ? "; " : ": ");
    say_aside(&text, &v->counts);
  }
  if (v->result == CUW_RESULT_GATED)
    text_string(&text, "; no failure");
  put_entry(&w->base, result_style(v->result), cuw_result_name(v->result), &text);
  put_functions(w, v);
  if (with_requires && v->requires) {
    text_printf(&text, "%s%s", needs_words(v), v->requires);
    struct flow flow = flow_begin(&w->base, NAMES_AT, NAMES_AT);
    put_text(&flow, STYLE_PLAIN, &text);
    flow_end(&flow);
  }
}

/* A library that stands for all that fail: every one requires the same. NULL where they differ or nothing is known. */
static const struct cuw_library_verdict *common_requirement(const struct cuw_verdict *verdict)
{
  const struct cuw_library_verdict *common = NULL;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!is_to_name(v) || !v->requires)
      continue;
    if (common && strcmp(common->requires, v->requires) != 0)
      return NULL;
    common = v;
  }
  return common;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The native libraries in one line, and with -v each on its own. */
static void put_native(struct cuw_check_writer *w, const struct cuw_verdict *verdict)
{
  struct text text = {0};
  struct cuw_counts aside = {0};
  size_t count = 0;
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    if (!v->chosen || v->result != CUW_RESULT_NATIVE)
      continue;
    if (count++ < NAMED_AT_MOST)
      text_printf(&text, count > 1 ? ", %s" : "%s", base_name(v->path));
    aside.gated += v->counts.gated;
    aside.specialised += v->counts.specialised;
  }
  if (count > NAMED_AT_MOST)
    text_printf(&text, " and %zu more", count - NAMED_AT_MOST);
  if (aside.gated + aside.specialised) {
    text_string(&text, "; ");
    say_aside(&text, &aside);
  }
  if (count)
    put_entry(&w->base, result_style(CUW_RESULT_NATIVE), "native", &text);
  text_free(&text);
}

static void put_choices(struct cuw_check_writer *w, const struct cuw_verdict *verdict)
{
  for (size_t i = 0; i < verdict->whole.choice_count; i++) {
    const struct cuw_variant_choice *choice = &verdict->whole.choices[i];
    const struct cuw_library_verdict *chosen = &verdict->libraries[choice->chosen];
    struct text text = {0};
    text_printf(&text, "%s: %s is judged (%s)", choice->pattern, chosen->variant ? chosen->variant : chosen->path,
                choice->reason);
    put_entry(&w->base, STYLE_DIM, "variant", &text);
  }
}

static void put_every_library(struct cuw_check_writer *w, const struct cuw_verdict *verdict)
{
  for (size_t i = 0; i < verdict->library_count; i++) {
    const struct cuw_library_verdict *v = &verdict->libraries[i];
    struct text text = {0};
    if (v->result != CUW_RESULT_NO_GPU_CODE) {
      put_library(w, v, true);
      continue;
    }
    text_printf(&text, "%s: no GPU code", v->path);
    put_entry(&w->base, STYLE_DIM, "-", &text);
  }
}

static void put_named_libraries(struct cuw_check_writer *w, const struct cuw_verdict *verdict,
                                const struct cuw_library_verdict *common)
{
  /* The worst first: none, partial, unknown, jit; gated ones last. */
  static const enum cuw_result order[] = {CUW_RESULT_NONE, CUW_RESULT_PARTIAL, CUW_RESULT_UNKNOWN, CUW_RESULT_JIT,
                                          CUW_RESULT_GATED};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (size_t i = 0; i < verdict->library_count; i++)
      if (is_to_name(&verdict->libraries[i]) && verdict->libraries[i].result == order[k])
        put_library(w, &verdict->libraries[i], !common);
}

static void put_fact(struct cuw_check_writer *w, const char *word, struct text *text)
{
  if (text->length)
    put_entry(&w->base, STYLE_DIM, word, text);
  text_free(text);
}

/* Whose it is, so that the right one is upgraded; what it needs; what else there is to know. */
static void put_facts(struct cuw_check_writer *w, const struct cuw_verdict *verdict,
                      const struct cuw_library_verdict *common)
{
  const struct cuw_distribution *d = verdict->distribution;
  struct text text = {0};
  if (common)
    text_printf(&text, "%s%s", common->cause == CUW_CAUSE_ARCHITECTURE ? needs_words(common) : "", common->requires);
  put_fact(w, "needs", &text);
  if (verdict->whole.result != CUW_RESULT_NONE)
    say_jit_driver(&text, verdict);
  put_fact(w, "needs", &text);
  if (d->runtime_compiler && verdict->whole.result != CUW_RESULT_NO_GPU_CODE)
    text_printf(&text, "compiles GPU code when it runs as well%s%s", d->runtime_compiler_sign ? ": " : "",
                d->runtime_compiler_sign ? d->runtime_compiler_sign : "");
  put_fact(w, "note", &text);
  say_aside_rules(&text, verdict);
  put_fact(w, "aside", &text);
  say_bytes(&text, verdict);
  put_fact(w, "bytes", &text);
  if (d->interpreter)
    text_printf(&text, "%s owns it%s%s", d->interpreter, d->location ? ", in " : "", d->location ? d->location : "");
  else if (d->location)
    text_string(&text, d->location);
  put_fact(w, "python", &text);
}

static void put_verdict(struct cuw_check_writer *w, const struct cuw_input *input, const struct cuw_verdict *verdict)
{
  struct text label = {0};
  say_label(&label, input, verdict->distribution);
  put_answer(w, text_get(&label), verdict);
  if (verdict->distribution->name && input->kind != CUW_INPUT_ENVIRONMENT) {
    text_clear(&label);
    text_string(&label, strcmp(input->path, "-") == 0 ? "standard input" : input->path);
    put_entry(&w->base, STYLE_DIM, "in", &label);
  }
  text_free(&label);
  const struct cuw_library_verdict *common = w->base.options.verbose ? NULL : common_requirement(verdict);
  put_choices(w, verdict);
  if (w->base.options.verbose)
    put_every_library(w, verdict);
  else
    put_named_libraries(w, verdict, common);
  if (!w->base.options.verbose)
    put_native(w, verdict);
  put_facts(w, verdict, common);
  missing_table(&w->base, verdict, MARGIN);
}

/* The distributions with a result, in one line: a few by name, and all that compile GPU code when they run. */
static void put_distributions(struct cuw_check_writer *w, const struct cuw_checked *checked, size_t first, size_t count,
                              enum cuw_result result)
{
  struct text text = {0};
  size_t alike = 0, others = 0;
  bool without_code = result == CUW_RESULT_NO_GPU_CODE;
  for (size_t i = first; i < first + count; i++) {
    const struct cuw_verdict *verdict = &checked->verdicts[i];
    bool compiles = without_code && verdict->distribution->runtime_compiler;
    if (verdict->whole.result != result)
      continue;
    if (++alike > NAMED_AT_MOST && without_code && !compiles && !w->base.options.verbose) {
      others++;
      continue;
    }
    text_string(&text, text.length ? ", " : "");
    say_label(&text, checked->input, verdict->distribution);
    if (compiles)
      text_string(&text, " (compiles it when it runs)");
  }
  if (others)
    text_printf(&text, " and %zu more", others);
  if (alike)
    put_entry(&w->base, result_style(result), without_code ? "no code" : cuw_result_name(result), &text);
  text_free(&text);
}

/* An environment: an answer for the whole, then one for each distribution that is not native. */
static void put_environment(struct cuw_check_writer *w, const struct cuw_checked *checked, size_t first, size_t count)
{
  size_t by_result[CUW_RESULT_NONE + 1] = {0}, with_code = 0;
  enum cuw_result worst = CUW_RESULT_NO_GPU_CODE;
  for (size_t i = first; i < first + count; i++) {
    enum cuw_result result = checked->verdicts[i].whole.result;
    by_result[result]++;
    with_code += result != CUW_RESULT_NO_GPU_CODE;
    worst = result > worst ? result : worst;
  }
  struct flow flow = flow_begin(&w->base, 0, MARGIN);
  struct text text = {0};
  text_printf(&text, "%s on ", checked->input->path);
  say_gpu(&text, checked->verdicts[first].gpu);
  if (w->check->driver.part_count || w->check->driver.cuda) {
    text_string(&text, ", ");
    say_driver(&text, &w->check->driver);
  }
  text_string(&text, ":");
  put_text(&flow, STYLE_TITLE, &text);
  text_printf(&text, "%s:", cuw_result_name(worst));
  put_text(&flow, result_style(worst), &text);
  text_printf(&text, "of %zu distributions with GPU code", with_code);
  for (int result = CUW_RESULT_NONE; result > CUW_RESULT_NO_GPU_CODE; result--)
    if (by_result[result])
      text_printf(&text, " %zu %s,", by_result[result], cuw_result_name((enum cuw_result)result));
  if (text.length && text.data[text.length - 1] == ',')
    text.data[--text.length] = 0;
  put_text(&flow, STYLE_PLAIN, &text);
  flow_end(&flow);
  put_distributions(w, checked, first, count, CUW_RESULT_NATIVE);
  put_distributions(w, checked, first, count, CUW_RESULT_NO_GPU_CODE);
  for (size_t i = first; i < first + count; i++) {
    enum cuw_result result = checked->verdicts[i].whole.result;
    bool plain = result == CUW_RESULT_NATIVE || result == CUW_RESULT_NO_GPU_CODE;
    if (plain && !w->base.options.verbose)
      continue;
    out_char(w->base.out, '\n');
    put_verdict(w, checked->input, &checked->verdicts[i]);
  }
}

struct table_state {
  bool begun, legend;
};

static void table_begin(struct cuw_check_writer *w)
{
  w->base.state = calloc(1, sizeof(struct table_state));
  if (!w->base.state)
    out_fail(w->base.out, ENOMEM);
}

static void part(struct cuw_check_writer *w)
{
  struct table_state *state = w->base.state;
  if (state->begun)
    out_char(w->base.out, '\n');
  state->begun = true;
}

static void put_matrices(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  struct table_state *state = w->base.state;
  size_t distributions = checked->input->distribution_count, without = 0;
  for (size_t i = 0; i < distributions; i++) {
    const struct cuw_verdict *verdict = &checked->verdicts[i];
    if (verdict->whole.result == CUW_RESULT_NO_GPU_CODE) {
      without++;
      continue;
    }
    part(w);
    check_matrix(w, checked, i);
    state->legend = true;
  }
  if (!without)
    return;
  part(w);
  if (distributions == 1)
    put_verdict(w, checked->input, &checked->verdicts[0]);
  else
    put_distributions(w, checked, 0, distributions, CUW_RESULT_NO_GPU_CODE);
}

static void table_add(struct cuw_check_writer *w, const struct cuw_checked *checked)
{
  struct table_state *state = w->base.state;
  size_t distributions = checked->input->distribution_count;
  if (!state || (distributions == 0 && cuw_input_is_damaged(checked->input)))
    return; /* its problems say all there is to say */
  if (distributions == 0) {
    part(w);
    cuw_out_name(w->base.out, checked->input->path);
    cuw_out_string(w->base.out, ": no libraries in it, nothing to judge\n");
    return;
  }
  if (w->check->gpu_count > GPUS_IN_FULL) {
    put_matrices(w, checked);
    return;
  }
  for (size_t i = 0; i < checked->verdict_count; i += distributions) {
    part(w);
    if (distributions > 1)
      put_environment(w, checked, i, distributions);
    else
      put_verdict(w, checked->input, &checked->verdicts[i]);
  }
}

static void table_end(struct cuw_check_writer *w)
{
  struct table_state *state = w->base.state;
  if (state && state->legend)
    check_matrix_legend(w);
}

const struct check_format check_table = {"table", table_begin, table_add, table_end};
