/* SPDX-License-Identifier: Apache-2.0 */
/* Where `cuobjdump -res-usage` (13.5.37) takes its numbers from, found by changing one field at a time of a cubin of
 * nvcc 13.0 (sm_90) and reading what it prints:
 *   REG       REGCOUNT (0x2f) of the kernel's symbol in .nv.info; absent: bits 24 to 31 of sh_info of its .text section
 *             (hand-written kernels for sm_50 in cuBLAS 12.9).
 *   STACK     MIN_STACK_SIZE (0x12) likewise. FRAME_SIZE (0x11) and MAX_STACK_SIZE (0x23) change nothing. 0xffffffff
 *             (recursion) prints UNKNOWN; absent, as in every relocatable cubin, prints 0.
 *   SHARED    size of the section named .nv.shared.* whose sh_info is the kernel's .text section. What stands behind
 *             the dot and the section's type (NOBITS, 0x7000000a) do not count; of two the last does. From sm_90 on
 *             an executable cubin has 1024 bytes of the system in it, also where the kernel uses none.
 *   LOCAL     the same of .nv.local.*; nvcc 13.0 never writes one: spills and local arrays are in STACK.
 *   CONSTANT  the same of .nv.constant0.* (and 2), by name, not by type.
 * Launch bounds (MAX_THREADS 0x05, REQNTID 0x10 in .nv.info.NAME) are not printed by it. */
#include "image/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "image/cubin_elf.h"
#include "image/nv_info.h"

enum {
  RECORD_MAX_THREADS = 0x05,
  RECORD_REQUIRED_THREADS = 0x10,
  RECORD_FRAME_SIZE = 0x11,
  RECORD_MIN_STACK_SIZE = 0x12,
  RECORD_MAX_STACK_SIZE = 0x23,
  RECORD_REGISTERS = 0x2f
};

struct per_symbol {
  uint32_t registers, stack, frame, max_stack;
};

/* What the sections say that belong to a .text section. */
struct per_section {
  uint64_t shared, local, constant;
  uint32_t max_threads;
  uint32_t registers; /* in the header of .text itself; 0 not there */
};

struct reader {
  struct cubin_elf elf;
  struct cubin_symbols symbols;
  struct per_symbol *by_symbol;
  struct per_section *by_section;
  uint64_t record_bytes; /* still to be read: sound sections do not share their bytes */
  uint64_t name_bytes;   /* nor sound kernels their names, but for ends that linkers merge */
  const char *damage;
};

static void note_damage(struct reader *r, const char *damage)
{
  if (r->damage == NULL)
    r->damage = damage;
}

/* Takes the bytes of one section of records from what the whole image can hold. */
static bool spend(struct reader *r, const struct cubin_section *s)
{
  if (s->bytes.size > r->record_bytes) {
    note_damage(r, "the .nv.info sections overlap");
    return false;
  }
  r->record_bytes -= s->bytes.size;
  return true;
}

/* A record's symbol index and value, into the field that it is for. */
static void read_symbol_record(struct reader *r, const struct nv_record *record)
{
  uint64_t symbol = view_uint(record->payload, 0, 4);
  if (record->payload.size < 8 || symbol >= r->symbols.count)
    return;
  struct per_symbol *p = &r->by_symbol[symbol];
  uint32_t value = (uint32_t)view_uint(record->payload, 4, 4);
  switch (record->attribute) {
  case RECORD_REGISTERS:
    p->registers = value;
    break;
  case RECORD_MIN_STACK_SIZE:
    p->stack = value;
    break;
  case RECORD_FRAME_SIZE:
    p->frame = value;
    break;
  case RECORD_MAX_STACK_SIZE:
    p->max_stack = value;
    break;
  default:
    break;
  }
}

/* Three numbers of threads, multiplied. */
static void read_threads(struct per_section *p, struct view dimensions)
{
  if (dimensions.size < 12)
    return;
  uint64_t product = 1;
  for (unsigned i = 0; i < 3; i++) {
    product *= view_uint(dimensions, i * 4, 4);
    if (product == 0 || product >= KERNEL_NOT_RECORDED)
      return;
  }
  if (product < p->max_threads)
    p->max_threads = (uint32_t)product;
}

static void read_info(struct reader *r, const struct cubin_section *s)
{
  bool global = cubin_section_is_named(&r->elf, s, ".nv.info");
  if (!global && s->info >= r->elf.section_count)
    return;
  if (!spend(r, s))
    return;
  struct cursor c = cursor_at(s->bytes, 0);
  struct nv_record record;
  while (nv_record_next(&c, &record))
    if (global)
      read_symbol_record(r, &record);
    else if (record.attribute == RECORD_MAX_THREADS || record.attribute == RECORD_REQUIRED_THREADS)
      read_threads(&r->by_section[s->info], record.payload);
  if (c.failed)
    note_damage(r, "a record of .nv.info runs past its section");
}

static void read_section(struct reader *r, size_t index)
{
  struct cubin_section s;
  if (!cubin_section_at(&r->elf, index, &s)) {
    note_damage(r, "a section header cannot be read");
    return;
  }
  if (s.outside)
    note_damage(r, "a section lies outside the cubin");
  if (s.type == SHT_NV_INFO) {
    read_info(r, &s);
    return;
  }
  if (cubin_section_starts(&r->elf, &s, ".text."))
    r->by_section[index].registers = s.info >> 24;
  if (s.info == 0 || s.info >= r->elf.section_count)
    return;
  struct per_section *p = &r->by_section[s.info];
  if (cubin_section_starts(&r->elf, &s, ".nv.shared."))
    p->shared = s.size;
  else if (cubin_section_starts(&r->elf, &s, ".nv.local."))
    p->local = s.size;
  else if (cubin_section_starts(&r->elf, &s, ".nv.constant") && s.size <= UINT32_MAX)
    p->constant += s.size;
}

static bool read_tables(struct reader *r)
{
  r->by_symbol = calloc(r->symbols.count + 1, sizeof *r->by_symbol);
  r->by_section = calloc(r->elf.section_count + 1, sizeof *r->by_section);
  if (r->by_symbol == NULL || r->by_section == NULL)
    return false;
  memset(r->by_symbol, 0xff, r->symbols.count * sizeof *r->by_symbol); /* KERNEL_NOT_RECORDED */
  for (size_t i = 0; i < r->elf.section_count; i++)
    r->by_section[i].max_threads = KERNEL_NOT_RECORDED;
  r->record_bytes = r->name_bytes = r->elf.image.size;
  if (r->elf.names.size == 0)
    note_damage(r, "the names of the sections cannot be read");
  for (size_t i = 1; i < r->elf.section_count; i++)
    read_section(r, i);
  return true;
}

static struct kernel kernel_of(struct reader *r, size_t index, const GElf_Sym *symbol)
{
  const struct per_symbol *own = &r->by_symbol[index];
  struct kernel k = {.name = string_at(r->symbols.strings, symbol->st_name),
                     .local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL,
                     .registers = own->registers,
                     .stack = own->stack,
                     .frame = own->frame,
                     .max_stack = own->max_stack,
                     .max_threads = KERNEL_NOT_RECORDED};
  if (k.name.data == NULL)
    note_damage(r, "the name of a kernel lies outside the string table");
  if (k.name.size > r->name_bytes) {
    note_damage(r, "the names of the kernels overlap");
    k.name = (struct view){NULL, 0};
  }
  r->name_bytes -= k.name.size;
  if (symbol->st_shndx < r->elf.section_count) {
    const struct per_section *text = &r->by_section[symbol->st_shndx];
    k.shared = text->shared;
    k.local_bytes = text->local;
    k.constant = text->constant;
    k.max_threads = text->max_threads;
    if (k.registers == KERNEL_NOT_RECORDED && text->registers)
      k.registers = text->registers;
  }
  return k;
}

static long each_kernel(struct reader *r, bool (*each)(void *data, const struct kernel *k), void *data)
{
  long seen = 0;
  for (size_t i = 0; i < r->symbols.count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(r->symbols.data, (int)i, &symbol) == NULL || !cubin_symbol_is_kernel(&symbol))
      continue;
    struct kernel k = kernel_of(r, i, &symbol);
    seen++;
    if (!each(data, &k))
      break;
  }
  return seen;
}

long kernels_read(struct view image, bool (*each)(void *data, const struct kernel *k), void *data, const char **damage)
{
  struct reader r = {0};
  long seen = -1;
  *damage = cubin_elf_open(&r.elf, image);
  if (*damage != NULL)
    return -1;
  *damage = cubin_symbols_open(&r.elf, &r.symbols);
  if (*damage == NULL) {
    if (read_tables(&r))
      seen = each_kernel(&r, each, data);
    *damage = seen < 0 ? "out of memory" : r.damage;
  }
  free(r.by_symbol);
  free(r.by_section);
  cubin_elf_close(&r.elf);
  return seen;
}
