/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_words.h"
#include "report/flow.h"
#include "report/out.h"

#define MARGIN 2
#define NAME_MAX_SHARE 2 /* of the width: a longer name has a line of its own */
#define REASON_AT 11

/* The verdicts of one distribution, by GPU. */
struct matrix {
  struct cuw_check_writer *w;
  const struct cuw_checked *checked;
  size_t distribution;
  size_t gpus;
  size_t libraries;
  size_t with_code; /* of those */
  bool *starred;    /* by GPU: it sits in hosts of another machine */
};

static const struct cuw_verdict *at(const struct matrix *m, size_t gpu)
{
  return &m->checked->verdicts[gpu * m->checked->input->distribution_count + m->distribution];
}

static const char *cell_word(enum cuw_result result)
{
  switch (result) {
  case CUW_RESULT_NATIVE:
    return "yes";
  case CUW_RESULT_JIT:
    return "jit";
  case CUW_RESULT_PARTIAL:
    return "part";
  case CUW_RESULT_NONE:
    return "no";
  case CUW_RESULT_GATED:
    return "gate";
  case CUW_RESULT_NO_GPU_CODE:
    return "-";
  case CUW_RESULT_UNKNOWN:
    break;
  }
  return "?";
}

void check_matrix_legend(struct cuw_check_writer *w)
{
  out_char(w->base.out, '\n');
  struct flow flow = flow_begin(&w->base, 0, 0);
  flow_text(&flow, STYLE_PLAIN,
            "yes: native. jit: runs once the driver has compiled PTX. part: some functions have no code and fail. "
            "no: does not run. gate: code for other chips only, no failure. ?: not all could be read. *: the GPU sits "
            "in hosts of another machine than the libraries are for; no failure.");
  flow_end(&flow);
}

/* A column: the compute capability, marked where needed. */
static void column_head(const struct matrix *m, size_t gpu, char out[CUW_CC_MAX + 1])
{
  cuw_cc_text(at(m, gpu)->gpu->number, out);
  if (m->starred[gpu])
    strcat(out, "*");
}

static size_t column_width(const struct matrix *m, size_t gpu)
{
  char head[CUW_CC_MAX + 1];
  column_head(m, gpu, head);
  return strlen(head) > 4 ? strlen(head) + 1 : 5;
}

/* Row 0 is the distribution; NULL: the library has no GPU code for anybody. */
static const char *row_name(const struct matrix *m, size_t row)
{
  if (row == 0)
    return "(whole)";
  for (size_t gpu = 0; gpu < m->gpus; gpu++)
    if (at(m, gpu)->libraries[row - 1].result != CUW_RESULT_NO_GPU_CODE)
      return at(m, gpu)->libraries[row - 1].path;
  return NULL;
}

static enum cuw_result row_result(const struct matrix *m, size_t row, size_t gpu)
{
  return row == 0 ? at(m, gpu)->whole.result : at(m, gpu)->libraries[row - 1].result;
}

static void put_padded(struct cuw_writer *w, enum style style, const char *text, size_t width)
{
  size_t taken = text_width(text);
  put_styled(w, style, text);
  out_repeat(w->out, ' ', width > taken ? width - taken : 0);
}

static void put_row(const struct matrix *m, size_t row, size_t name_width, size_t first, size_t end)
{
  struct cuw_writer *w = &m->w->base;
  struct text name = {0};
  text_escape(&name, row_name(m, row));
  bool alone = text_width(text_get(&name)) > name_width;
  out_repeat(w->out, ' ', MARGIN);
  put_padded(w, STYLE_PLAIN, text_get(&name), name_width);
  if (alone) {
    out_char(w->out, '\n');
    out_repeat(w->out, ' ', MARGIN + name_width);
  }
  for (size_t gpu = first; gpu < end; gpu++) {
    enum cuw_result result = row_result(m, row, gpu);
    out_char(w->out, ' ');
    put_padded(w, result_style(result), cell_word(result), gpu + 1 < end ? column_width(m, gpu) - 1 : 0);
  }
  out_char(w->out, '\n');
  text_free(&name);
}

static void put_header(const struct matrix *m, size_t name_width, size_t first, size_t end)
{
  struct cuw_writer *w = &m->w->base;
  out_repeat(w->out, ' ', MARGIN + name_width);
  for (size_t gpu = first; gpu < end; gpu++) {
    char head[CUW_CC_MAX + 1];
    column_head(m, gpu, head);
    out_char(w->out, ' ');
    put_padded(w, STYLE_DIM, head, gpu + 1 < end ? column_width(m, gpu) - 1 : 0);
  }
  out_char(w->out, '\n');
}

static size_t name_width_of(const struct matrix *m)
{
  size_t width = 0, room = m->w->base.options.width;
  for (size_t row = 0; row <= m->libraries; row++) {
    struct text name = {0};
    text_escape(&name, row_name(m, row) ? row_name(m, row) : "");
    size_t own = text_width(text_get(&name));
    if (own > width && (!room || own <= room / NAME_MAX_SHARE))
      width = own;
    text_free(&name);
  }
  return width;
}

/* As many columns as fit side by side, then the others below. */
static void put_cells(const struct matrix *m)
{
  size_t name_width = name_width_of(m), room = m->w->base.options.width;
  for (size_t first = 0, end; first < m->gpus; first = end) {
    size_t taken = MARGIN + name_width;
    for (end = first; end < m->gpus; end++) {
      taken += column_width(m, end);
      if (room && end > first && taken > room)
        break;
    }
    put_header(m, name_width, first, end);
    for (size_t row = 0; row <= m->libraries; row++)
      if (row_name(m, row) && (row > 0 || m->with_code > 1))
        put_row(m, row, name_width, first, end);
  }
}

/* "7.5", "8.0 to 9.0, 12.0": the GPUs that are marked. */
static void say_gpus(struct text *t, const struct matrix *m, const bool *marked)
{
  size_t said = 0;
  for (size_t first = 0, end; first < m->gpus; first = end) {
    char a[CUW_CC_MAX], b[CUW_CC_MAX];
    for (end = first; end < m->gpus && marked[end] == marked[first]; end++)
      ;
    if (!marked[first])
      continue;
    text_string(t, said++ ? ", " : "");
    text_string(t, cuw_cc_text(at(m, first)->gpu->number, a));
    if (end - first > 1)
      text_printf(t, end - first == 2 ? ", %s" : " to %s", cuw_cc_text(at(m, end - 1)->gpu->number, b));
  }
}

/* "native on 8.0 to 9.0; jit on 12.0; none on 3.0 to 7.5" */
static void put_answer(const struct matrix *m, bool *marked)
{
  static const enum cuw_result order[] = {CUW_RESULT_NATIVE,  CUW_RESULT_JIT,  CUW_RESULT_UNKNOWN,
                                          CUW_RESULT_PARTIAL, CUW_RESULT_NONE, CUW_RESULT_NO_GPU_CODE};
  struct flow flow = flow_begin(&m->w->base, 0, MARGIN);
  struct text text = {0};
  say_label(&text, m->checked->input, at(m, 0)->distribution);
  text_string(&text, ":");
  flow_text(&flow, STYLE_TITLE, text_get(&text));
  size_t said = 0;
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    size_t alike = 0;
    for (size_t gpu = 0; gpu < m->gpus; gpu++)
      alike += marked[gpu] = at(m, gpu)->whole.result == order[k];
    if (alike == 0)
      continue;
    text_clear(&text);
    text_printf(&text, "%s on ", cuw_result_name(order[k]));
    say_gpus(&text, m, marked);
    if (said++) {
      out_char(m->w->base.out, ';');
      flow.at++;
    }
    flow_text(&flow, STYLE_PLAIN, text_get(&text));
  }
  flow_end(&flow);
  text_free(&text);
}

static bool same_text(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool fails(const struct cuw_library_verdict *v)
{
  return v->chosen &&
         (v->result == CUW_RESULT_NONE || v->result == CUW_RESULT_PARTIAL || v->result == CUW_RESULT_UNKNOWN);
}

/* Each reason once, with all GPUs that it is true of. */
static void put_reasons(const struct matrix *m, size_t library, bool *marked)
{
  for (size_t first = 0; first < m->gpus; first++) {
    const struct cuw_library_verdict *v = &at(m, first)->libraries[library];
    bool seen = false;
    for (size_t gpu = 0; gpu < m->gpus; gpu++) {
      const struct cuw_library_verdict *other = &at(m, gpu)->libraries[library];
      marked[gpu] = fails(other) && other->result == v->result && same_text(other->reason, v->reason);
      seen = seen || (marked[gpu] && gpu < first);
    }
    if (!fails(v) || seen)
      continue;
    struct text text = {0};
    text_printf(&text, "%s on ", v->path);
    say_gpus(&text, m, marked);
    if (v->reason)
      text_printf(&text, ": %s", v->reason);
    struct flow flow = flow_begin(&m->w->base, MARGIN, REASON_AT);
    flow_text(&flow, result_style(v->result), cuw_result_name(v->result));
    flow_to(&flow, REASON_AT);
    flow_text(&flow, STYLE_PLAIN, text_get(&text));
    flow_end(&flow);
    text_free(&text);
  }
}

void check_matrix(struct cuw_check_writer *w, const struct cuw_checked *checked, size_t distribution)
{
  struct matrix m = {w, checked, distribution, w->check->gpu_count, 0, 0, NULL};
  bool *marked = calloc(m.gpus, sizeof *marked);
  m.starred = calloc(m.gpus, sizeof *m.starred);
  m.libraries = at(&m, 0)->library_count;
  if (!marked || !m.starred)
    out_fail(w->base.out, ENOMEM);
  else {
    for (size_t gpu = 0; gpu < m.gpus; gpu++)
      for (size_t i = 0; i < m.libraries; i++)
        m.starred[gpu] = m.starred[gpu] || at(&m, gpu)->libraries[i].machine_mismatch;
    for (size_t row = 1; row <= m.libraries; row++)
      m.with_code += row_name(&m, row) != NULL;
    put_answer(&m, marked);
    put_cells(&m);
    for (size_t i = 0; i < m.libraries; i++)
      put_reasons(&m, i, marked);
  }
  free(marked);
  free(m.starred);
}
