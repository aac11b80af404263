/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/elf_link.h"

#include <stdlib.h>
#include <string.h>

#include "model/builder.h"

#define DYNAMIC_ENTRIES_MAX 65536u
#define NEEDED_MAX 4096u
#define NEEDED_NAME_MAX 1024u
#define WRAPPER_MAGIC 0x466243B1u

struct dynamic {
  GElf_Dyn *entries;
  size_t count;
};

static bool dynamic_range(const struct elf_file *elf, uint64_t *offset, uint64_t *size)
{
  for (size_t i = 0; i < elf->segment_count; i++)
    if (elf->segments[i].p_type == PT_DYNAMIC) {
      *offset = elf->segments[i].p_offset;
      *size = elf->segments[i].p_filesz;
      return true;
    }
  return false;
}

static struct dynamic read_dynamic(const struct elf_file *elf)
{
  struct dynamic d = {0};
  uint64_t offset, size;
  size_t record = elf_record_size(elf, ELF_T_DYN);
  if (!dynamic_range(elf, &offset, &size) || !range_fits(offset, size, elf->source->size))
    return d;
  size_t count = (size_t)(size / record < DYNAMIC_ENTRIES_MAX ? size / record : DYNAMIC_ENTRIES_MAX);
  char *raw = malloc(count * record + 1);
  d.entries = calloc(count + 1, sizeof *d.entries);
  if (raw && d.entries && source_read(elf->source, offset, raw, count * record) == SOURCE_OK &&
      elf_translate(elf, ELF_T_DYN, raw, count, d.entries))
    while (d.count < count && d.entries[d.count].d_tag != DT_NULL)
      d.count++;
  free(raw);
  return d;
}

static uint64_t dynamic_value(const struct dynamic *d, int64_t tag)
{
  for (size_t i = 0; i < d->count; i++)
    if (d->entries[i].d_tag == tag)
      return d->entries[i].d_un.d_val;
  return 0;
}

/* A DT_NEEDED entry. */
struct needed {
  uint64_t offset; /* of its name in the file */
  size_t order;
  char *name; /* NULL: it cannot be read */
};

static int compare_needed_offset(const void *a, const void *b)
{
  const struct needed *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_needed_order(const void *a, const void *b)
{
  const struct needed *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

static char *read_name(const struct elf_file *elf, uint64_t offset)
{
  struct view v;
  if (offset >= elf->source->size || source_view(elf->source, offset, NEEDED_NAME_MAX, &v) != SOURCE_OK)
    return NULL;
  return strndup((const char *)v.data, v.size);
}

/* The names are read in the order of their places, which costs a deflated member less, and added in that of the
 * table. */
static void add_needed(const struct elf_file *elf, struct cuw_library *l, struct needed *items, size_t count)
{
  qsort(items, count, sizeof *items, compare_needed_offset);
  for (size_t i = 0; i < count; i++)
    items[i].name = read_name(elf, items[i].offset);
  qsort(items, count, sizeof *items, compare_needed_order);
  for (size_t i = 0; i < count; i++) {
    if (!items[i].name)
      library_problem(l, CUW_ERROR, "needed-name", items[i].offset, NULL,
                      "the name of a needed library lies outside the file");
    else if (items[i].name[0])
      library_add_needed(l, items[i].name, strlen(items[i].name));
    free(items[i].name);
  }
}

void elf_read_needed(struct elf_file *elf, struct cuw_library *l)
{
  struct dynamic d = read_dynamic(elf);
  uint64_t strings = elf_address_offset(elf, dynamic_value(&d, DT_STRTAB));
  uint64_t size = dynamic_value(&d, DT_STRSZ), end = elf->source->size;
  struct needed *items = calloc(NEEDED_MAX, sizeof *items);
  size_t count = 0;
  for (size_t i = 0; items && i < d.count && count < NEEDED_MAX; i++) {
    if (d.entries[i].d_tag != DT_NEEDED)
      continue;
    uint64_t at = d.entries[i].d_un.d_val;
    bool inside = strings != CUW_NONE && at < size && range_fits(strings, at, end);
    items[count] = (struct needed){.offset = inside ? strings + at : end, .order = count};
    count++;
  }
  if (count > 0)
    add_needed(elf, l, items, count);
  free(items);
  free(d.entries);
}

/* A wrapper as read, before its pointer is followed. */
struct place {
  uint64_t offset;  /* of the wrapper */
  uint64_t field;   /* virtual address of its pointer */
  uint64_t pointer; /* what stands there, or what a relocation puts there; 0 unknown */
  uint32_t version;
};

static bool read_place(const struct elf_file *elf, uint64_t offset, struct place *p)
{
  unsigned pointer_size = elf->elf_class == ELFCLASS64 ? 8 : 4;
  struct view v;
  if (source_view(elf->source, offset, 8 + pointer_size, &v) != SOURCE_OK || v.size < 8 + pointer_size)
    return false;
  if (view_uint(v, 0, 4) != WRAPPER_MAGIC)
    return false;
  p->offset = offset;
  p->version = (uint32_t)view_uint(v, 4, 4);
  p->pointer = view_uint(v, 8, pointer_size);
  p->field = elf_offset_address(elf, offset + 8);
  return p->field != CUW_NONE;
}

static int compare_field(const void *a, const void *b)
{
  const struct place *x = a, *y = b;
  return x->field < y->field ? -1 : x->field > y->field;
}

static void apply_relocation(struct place *places, size_t count, const GElf_Rela *r)
{
  struct place key = {.field = r->r_offset};
  struct place *p = bsearch(&key, places, count, sizeof *places, compare_field);
  if (p && p->pointer == 0)
    p->pointer = (uint64_t)r->r_addend;
}

/* Linkers need not leave the addend in place (docs/format.md 1.2): then it stands in DT_RELA. DT_RELR always
 * leaves it in place. */
static void apply_relocations(const struct elf_file *elf, struct place *places, size_t count)
{
  struct dynamic d = read_dynamic(elf);
  uint64_t table = elf_address_offset(elf, dynamic_value(&d, DT_RELA)), size = dynamic_value(&d, DT_RELASZ);
  size_t record = elf_record_size(elf, ELF_T_RELA);
  free(d.entries);
  if (table == CUW_NONE || !range_fits(table, size, elf->source->size))
    return;
  for (uint64_t at = 0; at + record <= size;) {
    struct view v;
    size_t want = SOURCE_WINDOW / record * record;
    if (want > size - at)
      want = (size_t)(size - at) / record * record;
    if (source_view(elf->source, table + at, want, &v) != SOURCE_OK || v.size < record)
      return;
    for (size_t i = 0; i + record <= v.size; i += record) {
      GElf_Rela r;
      if (elf_translate(elf, ELF_T_RELA, v.data + i, 1, &r))
        apply_relocation(places, count, &r);
    }
    at += v.size / record * record;
  }
}

void elf_read_wrappers(struct elf_file *elf, const uint64_t *offsets, size_t count, struct wrapper_list *out)
{
  struct place *places = calloc(count + 1, sizeof *places);
  size_t found = 0;
  bool missing = false;
  if (!places)
    return;
  for (size_t i = 0; i < count; i++)
    if (read_place(elf, offsets[i], &places[found]))
      missing |= places[found++].pointer == 0;
  if (missing) {
    qsort(places, found, sizeof *places, compare_field);
    apply_relocations(elf, places, found);
  }
  for (size_t i = 0; i < found; i++) {
    uint64_t container = places[i].pointer ? elf_address_offset(elf, places[i].pointer) : CUW_NONE;
    if (!wrapper_add(out, (struct wrapper){.container = container, .version = places[i].version}))
      break;
  }
  free(places);
}

void elf_wrappers_at(struct source *s, const uint64_t *places, size_t count, struct wrapper_list *out)
{
  struct elf_file elf;
  if (!elf_file_open(s, &elf))
    return;
  elf_read_wrappers(&elf, places, count, out);
  elf_file_close(&elf);
}
