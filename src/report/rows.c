/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows.h"

#include <string.h>

#include "report/tally.h"
#include "report/text.h"

bool library_has_gpu_code(const struct cuw_library *library)
{
  return library->image_count > 0 || library->fatbins > 0;
}

/* The libraries that one row stands for: neighbours in the report. */
struct span {
  struct cuw_library *const *libraries;
  size_t count;
};

static const char *keep(struct rows *rows, struct text *text)
{
  if (text->failed)
    rows->failed = true;
  const char *kept = arena_text(rows->arena, text_get(text), text->length);
  text_free(text);
  return kept;
}

static struct row *add_row(struct rows *rows)
{
  struct row *items = arena_grow(rows->arena, rows->items, rows->count, sizeof *items);
  if (!items) {
    rows->failed = true;
    return NULL;
  }
  rows->items = items;
  struct row *row = &items[rows->count++];
  memset(row, 0, sizeof *row);
  return row;
}

size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool folds(const struct cuw_library *a, const struct cuw_library *b)
{
  size_t folder = folder_length(a->path);
  return a->format == b->format && a->format >= CUW_CUBIN && a->complete && b->complete &&
         folder == folder_length(b->path) && memcmp(a->path, b->path, folder) == 0;
}

static const char *path_cell(struct rows *rows, struct span span)
{
  const struct cuw_library *first = span.libraries[0];
  struct text text = {0};
  text_escape(&text, rows->folder);
  if (span.count == 1) {
    text_escape(&text, first->path);
    return keep(rows, &text);
  }
  char *folder = arena_text(rows->arena, first->path, folder_length(first->path));
  text_escape(&text, folder ? folder : "");
  text_printf(&text, "*.%s (%zu files)", cuw_format_name(first->format), span.count);
  return keep(rows, &text);
}

static const char *format_cell(struct rows *rows, const struct cuw_library *library)
{
  struct text text = {0};
  text_string(&text, cuw_format_name(library->format));
  if (rows->mixed_machines && library->machine) {
    text_string(&text, " ");
    text_escape(&text, library->machine);
  }
  return keep(rows, &text);
}

static bool is_in_list(const char *list, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
    if ((at == list || at[-1] == ' ') && (at[length] == ',' || !at[length]))
      return true;
  return false;
}

/* The version, or each that the folded files have. */
static const char *cuda_cell(struct rows *rows, struct span span)
{
  struct text text = {0}, version = {0};
  bool conflict = false;
  for (size_t i = 0; i < span.count; i++) {
    const struct cuw_library *library = span.libraries[i];
    conflict |= library->cuda_conflict;
    text_clear(&version);
    text_escape(&version, library->cuda ? library->cuda : "");
    if (!version.length || is_in_list(text_get(&text), text_get(&version)))
      continue;
    text_printf(&text, text.length ? ", %s" : "%s", text_get(&version));
  }
  text_free(&version);
  if (conflict)
    text_string(&text, "?");
  return keep(rows, &text);
}

/* Roles of one row: what is registered and what was linked share it, since nvcc puts the stub of a
 * link beside the registered fatbins of nearly every library. */
static uint8_t row_role(uint8_t role)
{
  return role == CUW_ROLE_LINKED ? CUW_ROLE_REGISTERED : role;
}

struct role_counts {
  size_t fatbins, linked, bare;
};

static struct role_counts count_fatbins(struct span span, uint8_t role)
{
  struct role_counts counts = {0};
  for (size_t i = 0; i < span.count; i++) {
    const struct cuw_library *library = span.libraries[i];
    uint32_t last = CUW_NO_FATBIN;
    for (size_t j = 0; j < library->image_count; j++) {
      const struct cuw_image *image = &library->images[j];
      if (row_role(image->role) != role)
        continue;
      if (image->fatbin == CUW_NO_FATBIN)
        counts.bare++;
      else if (image->fatbin != last && image->role == CUW_ROLE_LINKED)
        counts.linked++;
      else if (image->fatbin != last)
        counts.fatbins++;
      last = image->fatbin;
    }
  }
  return counts;
}

static void set_role(struct rows *rows, struct row *row, struct span span, uint8_t role)
{
  struct role_counts counts = count_fatbins(span, role);
  size_t fatbins = counts.fatbins + counts.linked;
  struct text text = {0};
  row->role = cuw_role_name(counts.linked && !counts.fatbins ? CUW_ROLE_LINKED : role);
  if (fatbins)
    text_printf(&text, "%zu", fatbins);
  if (counts.bare && span.libraries[0]->format < CUW_CUBIN)
    text_printf(&text, fatbins ? " +%zu bare" : "%zu bare", counts.bare);
  row->fatbins = keep(rows, &text);
}

static const char *kind_prefix(uint8_t kind)
{
  switch (kind) {
  case CUW_KIND_LTOIR:
    return "LTO-IR ";
  case CUW_KIND_TILEIR:
    return "Tile IR ";
  default:
    return "";
  }
}

/* Whether two rows of a tally differ in the PTX ISA alone, so that they make one item. */
static bool same_but_isa(const struct tally_row *a, const struct tally_row *b)
{
  return a->kind == CUW_KIND_PTX && b->kind == CUW_KIND_PTX && a->role == b->role && a->has_arch && b->has_arch &&
         cuw_arch_compare(a->arch, b->arch) == 0;
}

/* "sm_80 476", "compute_90 24 (PTX 8.7, 9.0)"; returns the rows of the tally that it covers. */
static size_t add_item(struct rows *rows, struct text *text, const struct tally_row *row, size_t count)
{
  size_t covered = 1, images = row->count;
  while (covered < count && same_but_isa(row, &row[covered]))
    images += row[covered++].count;
  char name[TALLY_NAME_MAX];
  text_string(text, kind_prefix(row->kind));
  if (row->kind == CUW_KIND_OTHER && row->has_arch)
    text_printf(text, "type-%u ", row->type);
  text_string(text, tally_name(row, name));
  if (row->suffix_unknown) {
    text_string(text, "[f]");
    rows->unknown_suffix = true;
  }
  text_printf(text, " %zu", images);
  for (size_t i = 0; i < covered && row->kind == CUW_KIND_PTX; i++)
    text_printf(text, i ? ", %u.%u" : " (PTX %u.%u", row[i].isa_major, row[i].isa_minor);
  if (row->kind == CUW_KIND_PTX)
    text_string(text, ")");
  return covered;
}

static const char *images_cell(struct rows *rows, const struct tally_row *tally, size_t count)
{
  struct text text = {0};
  for (size_t i = 0; i < count;) {
    if (i)
      text_string(&text, "  ");
    i += add_item(rows, &text, &tally[i], count - i);
  }
  return keep(rows, &text);
}

/* One row a role; the first carries what is true of the library as a whole. */
static void add_roles(struct rows *rows, struct row *row, struct span span, const struct tally *tally)
{
  for (size_t first = 0, end; first < tally->count; first = end) {
    uint8_t role = tally->rows[first].role;
    for (end = first; end < tally->count && tally->rows[end].role == role; end++)
      ;
    if (first)
      row = add_row(rows);
    if (!row)
      return;
    set_role(rows, row, span, role);
    row->images = images_cell(rows, &tally->rows[first], end - first);
  }
}

static void tally_span(struct tally *tally, struct span span)
{
  for (size_t i = 0; i < span.count; i++)
    tally_library(tally, span.libraries[i]);
  for (size_t i = 0; i < tally->count; i++)
    tally->rows[i].role = row_role(tally->rows[i].role);
  tally_finish(tally);
}

static void add_span(struct rows *rows, struct span span)
{
  struct row *row = add_row(rows);
  if (!row)
    return;
  const struct cuw_library *library = span.libraries[0];
  row->path = path_cell(rows, span);
  row->format = format_cell(rows, library);
  row->cuda = cuda_cell(rows, span);
  row->library = span.count == 1 ? library : NULL;
  row->incomplete = !library->complete;

  struct tally tally = {.by = TALLY_BY_ROLE | TALLY_BY_ISA | TALLY_BY_SUFFIX};
  tally_span(&tally, span);
  if (tally.failed)
    rows->failed = true;
  if (tally.count)
    add_roles(rows, row, span, &tally);
  else if (library->fatbins)
    row->images = "fatbins without images";
  else
    row->images = library->complete ? "no GPU code" : "no GPU code found";
  tally_free(&tally);
}

static bool machines_differ(const struct cuw_distribution *distribution)
{
  const char *machine = NULL;
  for (size_t i = 0; i < distribution->library_count; i++) {
    const char *other = distribution->libraries[i]->machine;
    if (other && machine && strcmp(other, machine) != 0)
      return true;
    machine = other ? other : machine;
  }
  return false;
}

struct rows rows_of(const struct cuw_distribution *distribution, bool all, const char *path, size_t folder)
{
  struct rows rows = {.arena = arena_new(), .mixed_machines = machines_differ(distribution)};
  rows.folder = rows.arena ? arena_text(rows.arena, path, folder) : NULL;
  rows.failed = !rows.folder;
  for (size_t i = 0, end; i < distribution->library_count && !rows.failed; i = end) {
    struct span span = {&distribution->libraries[i], 1};
    const struct cuw_library *library = span.libraries[0];
    end = i + 1;
    if (!all && !library_has_gpu_code(library) && library->complete)
      continue;
    while (!all && end < distribution->library_count && folds(library, distribution->libraries[end]))
      end++;
    span.count = end - i;
    add_span(&rows, span);
  }
  return rows;
}

void rows_free(struct rows *rows)
{
  arena_free(rows->arena);
}
