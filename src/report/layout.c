/* SPDX-License-Identifier: Apache-2.0 */
#include "report/layout.h"

#include <string.h>

#include "report/out.h"
#include "report/text.h"

#define GAP 2
#define IMAGES_MIN 48 /* columns: below, a listing of a dozen architectures is a tower */

static const char *const styles[] = {
    [STYLE_TITLE] = "\033[1m",  [STYLE_DIM] = "\033[2m",   [STYLE_PTX] = "\033[36m", [STYLE_OTHER] = "\033[35m",
    [STYLE_ALERT] = "\033[33m", [STYLE_GOOD] = "\033[32m", [STYLE_BAD] = "\033[31m",
};

static void begin_style(struct cuw_writer *w, enum style style)
{
  if (w->options.color && style != STYLE_PLAIN)
    cuw_out_string(w->out, styles[style]);
}

static void end_style(struct cuw_writer *w, enum style style)
{
  if (w->options.color && style != STYLE_PLAIN)
    cuw_out_string(w->out, "\033[0m");
}

void put_styled(struct cuw_writer *w, enum style style, const char *text)
{
  begin_style(w, style);
  cuw_out_string(w->out, text);
  end_style(w, style);
}

static void widen(size_t *width, const char *cell)
{
  size_t needed = cell ? text_width(cell) : 0;
  if (needed > *width)
    *width = needed;
}

struct layout layout_of(const struct rows *rows, unsigned width, const struct layout *least)
{
  struct layout l = *least;
  size_t images = 0;
  l.stacked = false;
  widen(&l.path, "LIBRARY");
  widen(&l.format, "FORMAT");
  widen(&l.cuda, "CUDA");
  widen(&l.role, "ROLE");
  widen(&l.fatbins, "FATBINS");
  for (size_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->items[i];
    widen(&l.path, row->path);
    widen(&l.format, row->format);
    widen(&l.cuda, row->cuda);
    widen(&l.role, row->role);
    widen(&l.fatbins, row->fatbins);
    widen(&images, row->images);
  }
  l.images = l.path + l.format + l.cuda + l.role + l.fatbins + 5 * GAP;
  size_t room = images < IMAGES_MIN ? images : IMAGES_MIN;
  if (width && l.images + room > width)
    layout_stack(&l);
  return l;
}

void layout_stack(struct layout *layout)
{
  layout->stacked = true;
  layout->images = GAP + layout->role + layout->fatbins + 2 * GAP;
}

static void put_cell(struct cuw_writer *w, const char *cell, size_t width, enum style style)
{
  size_t taken = 0;
  if (cell) {
    put_styled(w, style, cell);
    taken = text_width(cell);
  }
  out_repeat(w->out, ' ', (width > taken ? width - taken : 0) + GAP);
}

void layout_header(struct cuw_writer *w, const struct layout *layout)
{
  put_cell(w, "LIBRARY", layout->stacked ? 0 : layout->path, STYLE_DIM);
  put_cell(w, "FORMAT", layout->stacked ? 0 : layout->format, STYLE_DIM);
  put_styled(w, STYLE_DIM, "CUDA");
  if (layout->stacked)
    cuw_out_string(w->out, "\n  ");
  else
    out_repeat(w->out, ' ', layout->cuda - strlen("CUDA") + GAP);
  put_cell(w, "ROLE", layout->role, STYLE_DIM);
  put_cell(w, "FATBINS", layout->fatbins, STYLE_DIM);
  put_styled(w, STYLE_DIM, "IMAGES");
  out_char(w->out, '\n');
}

static enum style item_style(const char *item)
{
  if (strncmp(item, "compute_", 8) == 0)
    return STYLE_PTX;
  return strncmp(item, "sm_", 3) == 0 ? STYLE_PLAIN : STYLE_OTHER;
}

/* Prints items that share a column; where the terminal's width ends, the next goes below the
 * first. Returns the column behind the item. */
static size_t put_item(struct cuw_writer *w, const char *item, size_t length, size_t column, size_t at,
                       enum style style)
{
  if (at > column && w->options.width && at + GAP + length > w->options.width) {
    out_char(w->out, '\n');
    out_repeat(w->out, ' ', column);
    at = column;
  } else if (at > column) {
    out_repeat(w->out, ' ', GAP);
    at += GAP;
  }
  begin_style(w, style);
  cuw_out_bytes(w->out, item, length);
  end_style(w, style);
  return at + length;
}

static void put_images(struct cuw_writer *w, const struct row *row, size_t column)
{
  const char *items = row->images;
  size_t at = column;
  while (*items) {
    const char *gap = strstr(items, "  ");
    size_t length = gap ? (size_t)(gap - items) : strlen(items);
    at = put_item(w, items, length, column, at, row->role ? item_style(items) : STYLE_DIM);
    items += length + (gap ? GAP : 0);
  }
  if (row->incomplete)
    put_item(w, "(incomplete)", strlen("(incomplete)"), column, at, STYLE_ALERT);
  out_char(w->out, '\n');
}

static void stacked_row(struct cuw_writer *w, const struct layout *layout, const struct row *row)
{
  if (row->path) {
    put_styled(w, STYLE_TITLE, row->path);
    cuw_out_printf(w->out, "  %s", row->format);
    if (row->cuda && *row->cuda)
      cuw_out_printf(w->out, "  CUDA %s", row->cuda);
    cuw_out_string(w->out, row->role ? "\n" : "  ");
  }
  if (row->role) {
    out_repeat(w->out, ' ', GAP);
    put_cell(w, row->role, layout->role, STYLE_PLAIN);
    put_cell(w, row->fatbins, layout->fatbins, STYLE_PLAIN);
  }
  put_images(w, row, layout->images);
}

void layout_row(struct cuw_writer *w, const struct layout *layout, const struct row *row)
{
  if (layout->stacked) {
    stacked_row(w, layout, row);
    return;
  }
  put_cell(w, row->path, layout->path, STYLE_TITLE);
  put_cell(w, row->format, layout->format, STYLE_PLAIN);
  put_cell(w, row->cuda, layout->cuda, STYLE_PLAIN);
  put_cell(w, row->role, layout->role, STYLE_PLAIN);
  put_cell(w, row->fatbins, layout->fatbins, STYLE_PLAIN);
  put_images(w, row, layout->images);
}
