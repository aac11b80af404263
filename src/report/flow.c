/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flow.h"

#include <errno.h>
#include <string.h>

#include "report/out.h"
#include "report/text.h"

struct flow flow_begin(struct cuw_writer *w, size_t margin, size_t indent)
{
  out_repeat(w->out, ' ', margin);
  return (struct flow){w, margin, indent, true};
}

static void put_word(struct flow *flow, enum style style, const char *word)
{
  size_t width = text_width(word), room = flow->w->options.width;
  if (!flow->fresh && room && flow->at + 1 + width > room) {
    out_char(flow->w->out, '\n');
    out_repeat(flow->w->out, ' ', flow->indent);
    flow->at = flow->indent;
  } else if (!flow->fresh) {
    out_char(flow->w->out, ' ');
    flow->at++;
  }
  put_styled(flow->w, style, word);
  flow->at += width;
  flow->fresh = false;
}

void flow_text(struct flow *flow, enum style style, const char *text)
{
  struct text safe = {0};
  text_escape(&safe, text);
  if (safe.failed)
    out_fail(flow->w->out, ENOMEM);
  char *save = NULL;
  for (char *word = safe.data ? strtok_r(safe.data, " ", &save) : NULL; word; word = strtok_r(NULL, " ", &save))
    put_word(flow, style, word);
  text_free(&safe);
}

void flow_to(struct flow *flow, size_t column)
{
  if (flow->at < column) {
    out_repeat(flow->w->out, ' ', column - flow->at);
    flow->at = column;
    flow->fresh = true;
  }
}

void flow_end(struct flow *flow)
{
  out_char(flow->w->out, '\n');
}
