/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tally.h"

#include <stdio.h>
#include <stdlib.h>

static struct tally_row row_of(const struct cuw_image *image, unsigned by)
{
  struct tally_row row = {.kind = image->kind, .count = 1, .has_arch = image->has_arch};
  if (image->has_arch)
    row.arch = image->arch;
  if (image->kind == CUW_KIND_OTHER)
    row.type = image->type;
  if (by & TALLY_BY_ROLE)
    row.role = image->role;
  if (by & TALLY_BY_SUFFIX)
    row.suffix_unknown = image->suffix_unknown;
  if (by & TALLY_BY_ISA && image->kind == CUW_KIND_PTX) {
    row.isa_major = image->isa_major;
    row.isa_minor = image->isa_minor;
  }
  return row;
}

static int by_number(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

static int compare_rows(const void *left, const void *right)
{
  const struct tally_row *a = left, *b = right;
  int order = by_number(a->role, b->role);
  if (!order)
    order = by_number(a->kind, b->kind);
  if (!order)
    order = by_number(b->has_arch, a->has_arch);
  if (!order)
    order = cuw_arch_compare(a->arch, b->arch);
  if (!order)
    order = by_number(a->suffix_unknown, b->suffix_unknown);
  if (!order)
    order = by_number((uint32_t)a->isa_major << 16 | a->isa_minor, (uint32_t)b->isa_major << 16 | b->isa_minor);
  if (!order)
    order = by_number(a->type, b->type);
  return order;
}

void tally_finish(struct tally *t)
{
  if (!t->count)
    return;
  qsort(t->rows, t->count, sizeof *t->rows, compare_rows);
  size_t last = 0;
  for (size_t i = 1; i < t->count; i++) {
    if (compare_rows(&t->rows[last], &t->rows[i]) == 0)
      t->rows[last].count += t->rows[i].count;
    else
      t->rows[++last] = t->rows[i];
  }
  t->count = last + 1;
}

static bool make_room(struct tally *t)
{
  if (t->count < t->room)
    return true;
  tally_finish(t);
  if (t->count < t->room / 2)
    return true;
  size_t room = t->room ? t->room * 2 : 64;
  struct tally_row *rows = realloc(t->rows, room * sizeof *rows);
  if (!rows) {
    t->failed = true;
    return false;
  }
  t->rows = rows;
  t->room = room;
  return true;
}

void tally_library(struct tally *t, const struct cuw_library *library)
{
  for (size_t i = 0; i < library->image_count; i++) {
    struct tally_row row = row_of(&library->images[i], t->by);
    if (t->count && compare_rows(&t->rows[t->count - 1], &row) == 0)
      t->rows[t->count - 1].count++;
    else if (make_room(t))
      t->rows[t->count++] = row;
  }
}

void tally_free(struct tally *t)
{
  free(t->rows);
  *t = (struct tally){.by = t->by};
}

char *tally_name(const struct tally_row *row, char out[TALLY_NAME_MAX])
{
  char name[CUW_ARCH_NAME_MAX];
  if (row->has_arch)
    snprintf(out, TALLY_NAME_MAX, "%s", cuw_arch_name(row->arch, name));
  else
    snprintf(out, TALLY_NAME_MAX, "type-%u", row->type);
  return out;
}
