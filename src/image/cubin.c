/* SPDX-License-Identifier: Apache-2.0 */
/* Source of the header's fields and of the suffix rules: docs/format.md 4 and 2.7. */
#include "image/cubin.h"

#include <string.h>

#include "image/cubin_elf.h"
#include "image/cubin_notes.h"
#include "image/nv_info.h"

enum {
  EM_NVIDIA_GPU = 190,
  OSABI_SEVEN = 0x33,
  OSABI_EIGHT = 0x41,
  FLAG_SEVEN_ACCELERATORS = 0x800,
  FLAG_EIGHT_ACCELERATORS = 0x8,
  COMPAT_ACCELERATOR_TARGET = 9,
  FIRST_ACCELERATED = 90, /* below, 0x800 marks an erratum */
  FIRST_FAMILY = 100
};

static struct cuw_arch header_arch(uint8_t abi, uint32_t flags)
{
  struct cuw_arch arch = {0};
  if (abi == 7) {
    arch.number = flags & 0xff;
    if ((flags & FLAG_SEVEN_ACCELERATORS) != 0 && arch.number >= FIRST_ACCELERATED)
      arch.suffix = 'a';
  } else {
    arch.number = (flags >> 8) & 0xffff;
    if ((flags & FLAG_EIGHT_ACCELERATORS) != 0)
      arch.suffix = 'a';
  }
  return arch;
}

bool cubin_header_decode(struct view v, struct cubin_header *out)
{
  static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
  *out = (struct cubin_header){0};
  if (v.size < EI_NIDENT || memcmp(v.data, magic, sizeof magic) != 0)
    return false;
  uint8_t class = v.data[EI_CLASS], osabi = v.data[EI_OSABI];
  if ((class != ELFCLASS32 && class != ELFCLASS64) || v.data[EI_DATA] != ELFDATA2LSB)
    return false;
  if (osabi != OSABI_SEVEN && osabi != OSABI_EIGHT)
    return false;
  out->bits = class == ELFCLASS64 ? 64 : 32;
  out->abi = osabi == OSABI_SEVEN ? 7 : 8;

  unsigned word = out->bits / 8;
  struct cursor c = cursor_at(v, EI_NIDENT);
  out->relocatable = cursor_u16(&c) == ET_REL;
  uint16_t machine = cursor_u16(&c);
  uint32_t version = cursor_u32(&c);
  cursor_uint(&c, word); /* e_entry */
  out->program_offset = cursor_uint(&c, word);
  out->section_offset = cursor_uint(&c, word);
  out->arch = header_arch(out->abi, cursor_u32(&c));
  cursor_u16(&c); /* e_ehsize */
  out->program_size = cursor_u16(&c);
  out->program_count = cursor_u16(&c);
  out->section_size = cursor_u16(&c);
  out->section_count = cursor_u16(&c);
  out->section_names = cursor_u16(&c);
  if (out->abi == 7 && version <= UINT16_MAX)
    out->toolkit = (uint16_t)version;
  return !c.failed && machine == EM_NVIDIA_GPU;
}

/* The end of a table; 0 where it is absent, UINT64_MAX where the sum overflows. */
static uint64_t table_end(uint64_t offset, uint64_t count, uint64_t entry)
{
  if (offset == 0 || count == 0)
    return 0;
  uint64_t end;
  return __builtin_add_overflow(offset, count * entry, &end) ? UINT64_MAX : end;
}

uint64_t cubin_extent(const struct cubin_header *h)
{
  uint64_t sections =
      table_end(h->section_offset, h->section_count, h->bits == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
  uint64_t programs =
      table_end(h->program_offset, h->program_count, h->bits == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
  if (sections == UINT64_MAX || programs == UINT64_MAX)
    return 0;
  return sections > programs ? sections : programs;
}

int compat_accelerator(struct view compat)
{
  struct cursor c = cursor_at(compat, 0);
  struct nv_record r;
  while (nv_record_next(&c, &r))
    if (r.attribute == COMPAT_ACCELERATOR_TARGET)
      return r.payload.data == NULL && r.value == 1;
  return -1;
}

/* Reads the first section of each sort only: a hostile table could name the same bytes ten thousand times. */
static void read_sections(const struct cubin_elf *elf, struct cubin_facts *out, const char **damage)
{
  struct view compat = {NULL, 0}, tkinfo = {NULL, 0}, cuinfo = {NULL, 0};
  for (size_t i = 1; i < elf->section_count; i++) {
    struct cubin_section s;
    if (!cubin_section_at(elf, i, &s)) {
      *damage = "a section header cannot be read";
      continue;
    }
    if (s.outside)
      *damage = "a section lies outside the cubin";
    if (s.type == SHT_NV_COMPAT && compat.data == NULL)
      compat = s.bytes;
    else if (s.type == SHT_NOTE && tkinfo.data == NULL && cubin_section_is_named(elf, &s, ".note.nv.tkinfo"))
      tkinfo = s.bytes;
    else if (s.type == SHT_NOTE && cuinfo.data == NULL && cubin_section_is_named(elf, &s, ".note.nv.cuinfo"))
      cuinfo = s.bytes;
  }
  cubin_notes_read(tkinfo, out);
  cubin_notes_read(cuinfo, out);
  int accelerator = elf->header.abi == 8 ? compat_accelerator(compat) : -1;
  if (accelerator >= 0)
    out->arch.suffix = accelerator == 1 ? 'a' : 0;
}

bool cubin_facts_read(struct view image, struct cubin_facts *out, const char **damage)
{
  *out = (struct cubin_facts){0};
  struct cubin_elf elf;
  *damage = cubin_elf_open(&elf, image);
  if (elf.header.bits == 0)
    return false;
  out->arch = elf.header.arch;
  out->relocatable = elf.header.relocatable;
  cubin_toolkit_name(elf.header.toolkit, out->toolkit);
  if (*damage == NULL) {
    read_sections(&elf, out, damage);
    cubin_elf_close(&elf);
  }
  out->suffix_unknown = elf.header.abi == 8 && out->arch.number >= FIRST_FAMILY && out->arch.suffix == 0;
  return true;
}

static long each_kernel(const struct cubin_symbols *symbols, bool (*each)(void *data, struct view name), void *data)
{
  long seen = 0;
  for (size_t i = 0; i < symbols->count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(symbols->data, (int)i, &symbol) == NULL || !cubin_symbol_is_kernel(&symbol))
      continue;
    seen++;
    if (!each(data, string_at(symbols->strings, symbol.st_name)))
      break;
  }
  return seen;
}

long cubin_kernels(struct view image, bool (*each)(void *data, struct view name), void *data)
{
  struct cubin_elf elf;
  if (cubin_elf_open(&elf, image) != NULL)
    return -1;
  struct cubin_symbols symbols;
  long seen = -1;
  if (cubin_symbols_open(&elf, &symbols) == NULL)
    seen = each_kernel(&symbols, each, data);
  cubin_elf_close(&elf);
  return seen;
}
