/* SPDX-License-Identifier: Apache-2.0 */
#include "report/table_images.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "report/layout.h"
#include "report/out.h"
#include "report/text.h"

#define INDENT 4

static void fatbin_cell(struct text *t, const struct cuw_image *i)
{
  if (i->fatbin != CUW_NO_FATBIN)
    text_printf(t, "%u", i->fatbin);
  else
    text_string(t, "-");
}

static void role_cell(struct text *t, const struct cuw_image *i)
{
  text_string(t, cuw_role_name(i->role));
}

static void section_cell(struct text *t, const struct cuw_image *i)
{
  text_escape(t, i->section ? i->section : "-");
}

static void offset_cell(struct text *t, const struct cuw_image *i)
{
  text_printf(t, "0x%" PRIx64, i->offset);
}

static void kind_cell(struct text *t, const struct cuw_image *i)
{
  switch ((enum cuw_kind)i->kind) {
  case CUW_KIND_CUBIN:
    text_string(t, "cubin");
    break;
  case CUW_KIND_PTX:
    text_printf(t, "PTX %u.%u", i->isa_major, i->isa_minor);
    break;
  case CUW_KIND_LTOIR:
    text_string(t, "LTO-IR");
    break;
  case CUW_KIND_TILEIR:
    text_string(t, "Tile IR");
    break;
  case CUW_KIND_OTHER:
    text_printf(t, "type-%u", i->type);
    break;
  }
}

static void arch_cell(struct text *t, const struct cuw_image *i)
{
  char name[CUW_ARCH_NAME_MAX];
  text_string(t, i->has_arch ? cuw_arch_name(i->arch, name) : "-");
  if (i->suffix_unknown)
    text_string(t, "[f]");
}

static void compression_cell(struct text *t, const struct cuw_image *i)
{
  text_string(t, cuw_compression_name(i->compression));
}

static void size_text(struct text *t, uint64_t size)
{
  if (size == CUW_NONE)
    text_string(t, "-");
  else
    text_printf(t, "%" PRIu64, size);
}

static void stored_cell(struct text *t, const struct cuw_image *i)
{
  size_text(t, i->stored_size);
}

static void size_cell(struct text *t, const struct cuw_image *i)
{
  size_text(t, i->size);
}

static void add_detail(struct text *t, const char *word, const char *foreign)
{
  if (t->length)
    text_string(t, ", ");
  text_string(t, word);
  if (foreign)
    text_escape(t, foreign);
}

/* Options are stored with blanks around them; none at all is common. */
static void add_options(struct text *t, const char *options)
{
  options += strspn(options, " ");
  if (!*options)
    return;
  add_detail(t, "options ", options);
  while (t->length && t->data[t->length - 1] == ' ')
    t->data[--t->length] = 0;
}

static void details_cell(struct text *t, const struct cuw_image *i)
{
  if (i->toolkit)
    add_detail(t, "CUDA ", i->toolkit);
  if (i->debug > 0)
    add_detail(t, "debug", NULL);
  if (i->bits == 32)
    add_detail(t, "32-bit", NULL);
  if (i->host == CUW_HOST_UNKNOWN)
    add_detail(t, "unknown host", NULL);
  else if (i->host != CUW_HOST_NULL && i->host != CUW_HOST_LINUX)
    add_detail(t, cuw_host_name(i->host), NULL);
  if (i->identifier)
    add_detail(t, "from ", i->identifier);
  if (i->options)
    add_options(t, i->options);
  if (i->arch_note)
    add_detail(t, "its note says ", i->arch_note);
  if (i->cubin_specific)
    add_detail(t, "its cubin is for this chip alone", NULL);
}

static const struct {
  const char *title;
  void (*cell)(struct text *, const struct cuw_image *);
  bool right;
} columns[] = {
    {"FATBIN", fatbin_cell, true},
    {"ROLE", role_cell, false},
    {"SECTION", section_cell, false},
    {"OFFSET", offset_cell, true},
    {"KIND", kind_cell, false},
    {"ARCH", arch_cell, false},
    {"COMPRESSION", compression_cell, false},
    {"STORED", stored_cell, true},
    {"SIZE", size_cell, true},
    {"DETAILS", details_cell, false},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

/* The last column is not padded, so its width does not matter. */
static void measure(const struct cuw_library *library, struct text *cell, size_t widths[COLUMN_COUNT])
{
  for (size_t c = 0; c < COLUMN_COUNT; c++)
    widths[c] = strlen(columns[c].title);
  for (size_t i = 0; i < library->image_count; i++) {
    for (size_t c = 0; c + 1 < COLUMN_COUNT; c++) {
      text_clear(cell);
      columns[c].cell(cell, &library->images[i]);
      size_t width = text_width(text_get(cell));
      if (width > widths[c])
        widths[c] = width;
    }
  }
}

/* Returns the blanks that are due before the next cell. */
static size_t put_cell(struct cuw_writer *w, size_t c, size_t width, size_t due, enum style style, const char *cell)
{
  size_t taken = text_width(cell);
  size_t fill = width > taken ? width - taken : 0;
  if (!taken)
    return due + fill + 2;
  out_repeat(w->out, ' ', columns[c].right ? due + fill : due);
  put_styled(w, style, cell);
  return (columns[c].right ? 0 : fill) + 2;
}

static enum style cell_style(size_t c, const struct cuw_image *image)
{
  if (columns[c].cell != arch_cell && columns[c].cell != kind_cell)
    return STYLE_PLAIN;
  if (image->kind == CUW_KIND_PTX)
    return STYLE_PTX;
  return image->kind == CUW_KIND_CUBIN ? STYLE_PLAIN : STYLE_OTHER;
}

void table_images(struct cuw_writer *w, const struct cuw_library *library)
{
  struct text cell = {0};
  size_t widths[COLUMN_COUNT];
  measure(library, &cell, widths);
  size_t due = INDENT;
  for (size_t c = 0; c < COLUMN_COUNT; c++)
    due = put_cell(w, c, widths[c], due, STYLE_DIM, columns[c].title);
  out_char(w->out, '\n');
  for (size_t i = 0; i < library->image_count; i++) {
    due = INDENT;
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
      text_clear(&cell);
      columns[c].cell(&cell, &library->images[i]);
      due = put_cell(w, c, widths[c], due, cell_style(c, &library->images[i]), text_get(&cell));
    }
    out_char(w->out, '\n');
  }
  if (cell.failed)
    out_fail(w->out, ENOMEM);
  text_free(&cell);
}
