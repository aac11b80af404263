/* SPDX-License-Identifier: Apache-2.0 */
/* Running text that goes on below, at an indent, where the terminal's width ends. */
#ifndef REPORT_FLOW_H
#define REPORT_FLOW_H

#include "report/layout.h"

struct flow {
  struct cuw_writer *w;
  size_t at;     /* column */
  size_t indent; /* of what goes on below */
  bool fresh;    /* nothing stands at `at` but blanks */
};

/* Starts a line, `margin` columns in. */
struct flow flow_begin(struct cuw_writer *w, size_t margin, size_t indent);

/* Words, a blank between them and before them, unless the line is fresh; broken at blanks alone. `text` is escaped
 * here. */
void flow_text(struct flow *flow, enum style style, const char *text);

/* Blanks up to a column. */
void flow_to(struct flow *flow, size_t column);

void flow_end(struct flow *flow);

#endif
