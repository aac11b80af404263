/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/sieve_plan.h"

#include <stdlib.h>

#include "carrier/elf_headers.h"

#define NAMES_KEPT ((uint64_t)8 << 10) /* .shstrtab usually stands right before the section table */

size_t span_behind(const struct span *spans, size_t count, uint64_t offset)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (spans[middle].end > offset)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static int compare_spans(const void *a, const void *b)
{
  const struct span *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool is_loaded_data(const GElf_Phdr *p)
{
  /* An executable segment that also holds the file header is one of the old layout, in which read-only data share it
   * (ld without -z separate-code). */
  return p->p_type == PT_LOAD && p->p_filesz > 0 && (!(p->p_flags & PF_X) || p->p_offset == 0);
}

static bool is_read_only(const GElf_Phdr *p)
{
  return (p->p_flags & (PF_R | PF_W | PF_X)) == PF_R;
}

/* The file's first segment where it holds nothing but the dynamic linker's tables: ld -z separate-code puts read-only
 * data into a second read-only segment, behind the code; lld and mold put all of it into the first. NULL: it may hold
 * data. */
static const GElf_Phdr *linker_tables(const struct elf_file *elf)
{
  const GElf_Phdr *loads[3];
  size_t count = 0;
  for (size_t i = 0; i < elf->segment_count && count < 3; i++)
    if (elf->segments[i].p_type == PT_LOAD)
      loads[count++] = &elf->segments[i];
  bool separate = count == 3 && is_read_only(loads[0]) && (loads[1]->p_flags & PF_X) && is_read_only(loads[2]);
  return separate && loads[0]->p_offset == 0 ? loads[0] : NULL;
}

/* Everything that no data segment loads: code, symbols, strings, debug information. */
static void plan_skips(const struct elf_file *elf, struct sieve_plan *plan)
{
  struct span *loaded = calloc(elf->segment_count + 1, sizeof *loaded);
  plan->skips = calloc(elf->segment_count + 1, sizeof *plan->skips);
  size_t count = 0;
  if (loaded && plan->skips) {
    for (size_t i = 0; i < elf->segment_count; i++) {
      const GElf_Phdr *p = &elf->segments[i];
      if (is_loaded_data(p) && p != linker_tables(elf) && range_fits(p->p_offset, p->p_filesz, elf->source->size))
        loaded[count++] = (struct span){p->p_offset, p->p_offset + p->p_filesz};
    }
    qsort(loaded, count, sizeof *loaded, compare_spans);
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
      if (loaded[i].begin > at)
        plan->skips[plan->skip_count++] = (struct span){at, loaded[i].begin};
      if (loaded[i].end > at)
        at = loaded[i].end;
    }
    if (count > 0 && at < elf->source->size)
      plan->skips[plan->skip_count++] = (struct span){at, elf->source->size};
  }
  free(loaded);
}

static void plan_table(struct sieve_plan *plan, uint64_t begin, uint64_t end, uint64_t size)
{
  if (end > size)
    end = size;
  if (begin < end && end - begin <= SOURCE_WINDOW)
    plan->tables[plan->table_count++] = (struct span){begin, end};
}

static void plan_tables(const struct elf_file *elf, struct sieve_plan *plan)
{
  const GElf_Ehdr *h = &elf->header;
  uint64_t size = elf->source->size, table = (uint64_t)h->e_shnum * h->e_shentsize;
  plan->tables = calloc(elf->segment_count + 1, sizeof *plan->tables);
  if (!plan->tables)
    return;
  for (size_t i = 0; i < elf->segment_count; i++) {
    const GElf_Phdr *p = &elf->segments[i];
    if (p->p_type == PT_DYNAMIC && range_fits(p->p_offset, p->p_filesz, size))
      plan_table(plan, p->p_offset, p->p_offset + p->p_filesz, size);
  }
  if (range_fits(h->e_shoff, table, size)) {
    uint64_t front = h->e_shoff < NAMES_KEPT ? h->e_shoff : NAMES_KEPT;
    plan_table(plan, h->e_shoff - front, h->e_shoff + table, size);
  }
  qsort(plan->tables, plan->table_count, sizeof *plan->tables, compare_spans);
}

void sieve_plan_make(struct source *s, struct sieve_plan *plan)
{
  struct elf_file elf;
  *plan = (struct sieve_plan){0};
  if (!elf_file_open(s, &elf))
    return;
  /* Without a section table every byte will be asked for. */
  if (elf.header.e_shoff != 0) {
    plan_skips(&elf, plan);
    plan_tables(&elf, plan);
  }
  elf_file_close(&elf);
}

void sieve_plan_free(struct sieve_plan *plan)
{
  free(plan->skips);
  free(plan->tables);
  *plan = (struct sieve_plan){0};
}
