/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of rows, fitted to the width of a terminal. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include "report/rows.h"
#include "report/writer.h"

struct layout {
  size_t path, format, cuda, role, fatbins; /* widths */
  size_t images;                            /* column where that cell starts */
  bool stacked;                             /* the library on a line of its own, its roles below */
};

/* Columns as wide as the cells need, and no narrower than those of `least`. */
struct layout layout_of(const struct rows *rows, unsigned width, const struct layout *least);

/* Makes the layout a stacked one. */
void layout_stack(struct layout *layout);

void layout_header(struct cuw_writer *w, const struct layout *layout);
void layout_row(struct cuw_writer *w, const struct layout *layout, const struct row *row);

/* Text in a style where colour is on: STYLE_PLAIN prints it as it is. */
enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_DIM, STYLE_PTX, STYLE_OTHER, STYLE_ALERT, STYLE_GOOD, STYLE_BAD };
void put_styled(struct cuw_writer *w, enum style style, const char *text);

#endif
