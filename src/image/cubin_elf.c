/* SPDX-License-Identifier: Apache-2.0 */
#include "image/cubin_elf.h"

#include <string.h>

#define STO_CUDA_ENTRY 0x10

#define SECTIONS_MAX ((uint64_t)1 << 20) /* libelf takes a few hundred bytes for each */

/* libelf allocates by the number of sections: none is believed before its header is known to exist. */
static const char *check_section_table(const struct cubin_elf *c)
{
  const struct cubin_header *h = &c->header;
  uint16_t entry = h->bits == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (h->section_offset == 0)
    return "the cubin has no section table";
  if (h->section_size != entry)
    return "the section table has entries of another size";
  uint64_t count = h->section_count;
  if (!range_fits(h->section_offset, entry, c->image.size))
    return "the section table lies outside the cubin";
  if (count == 0) /* too many for the field: section 0 has the number */
    count = view_uint(c->image, h->section_offset + (h->bits == 64 ? 32 : 20), h->bits == 64 ? 8 : 4);
  if (count > (c->image.size - h->section_offset) / entry)
    return "the section table runs past the end of the cubin";
  if (count > SECTIONS_MAX)
    return "the cubin has too many sections";
  return NULL;
}

const char *cubin_elf_open(struct cubin_elf *c, struct view image)
{
  *c = (struct cubin_elf){.image = image};
  if (!cubin_header_decode(image, &c->header)) {
    c->header = (struct cubin_header){0};
    return "not a cubin";
  }
  const char *fault = check_section_table(c);
  if (fault != NULL)
    return fault;
  if (elf_version(EV_CURRENT) == EV_NONE)
    return "libelf does not know the ELF version";
  /* elf_memory opens for reading; its parameter lacks the const. */
  c->elf = elf_memory((char *)(uintptr_t)image.data, image.size);
  size_t names;
  if (c->elf == NULL || elf_kind(c->elf) != ELF_K_ELF || elf_getshdrnum(c->elf, &c->section_count) != 0) {
    cubin_elf_close(c);
    return "the ELF header of the cubin is damaged";
  }
  struct cubin_section s;
  if (elf_getshdrstrndx(c->elf, &names) == 0 && cubin_section_at(c, names, &s))
    c->names = string_table(s.bytes);
  return NULL;
}

void cubin_elf_close(struct cubin_elf *c)
{
  if (c->elf != NULL)
    elf_end(c->elf);
  c->elf = NULL;
}

/* Relocatable cubins give their memory sections types of their own in place of NOBITS (nvcc 13.0 -dc). */
static bool has_bytes(uint32_t type)
{
  switch (type) {
  case SHT_NULL:
  case SHT_NOBITS:
  case SHT_NV_GLOBAL:
  case SHT_NV_LOCAL:
  case SHT_NV_SHARED:
  case SHT_NV_RESERVED_SHARED:
    return false;
  default:
    return true;
  }
}

bool cubin_section_at(const struct cubin_elf *c, size_t index, struct cubin_section *out)
{
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(c->elf, index);
  *out = (struct cubin_section){0};
  if (section == NULL || gelf_getshdr(section, &header) == NULL)
    return false;
  out->index = (uint32_t)index;
  out->type = header.sh_type;
  out->link = header.sh_link;
  out->info = header.sh_info;
  out->size = header.sh_size;
  out->name = header.sh_name;
  if (!has_bytes(header.sh_type))
    return true;
  out->outside = !range_fits(header.sh_offset, header.sh_size, c->image.size);
  out->bytes = view_part(c->image, header.sh_offset, header.sh_size);
  return true;
}

static bool name_begins(const struct cubin_elf *c, uint32_t name, const char *text, size_t length)
{
  return range_fits(name, length, c->names.size) && memcmp(c->names.data + name, text, length) == 0;
}

bool cubin_section_is_named(const struct cubin_elf *c, const struct cubin_section *s, const char *name)
{
  return name_begins(c, s->name, name, strlen(name) + 1);
}

bool cubin_section_starts(const struct cubin_elf *c, const struct cubin_section *s, const char *prefix)
{
  return name_begins(c, s->name, prefix, strlen(prefix));
}

bool cubin_section_find(const struct cubin_elf *c, uint32_t type, struct cubin_section *out)
{
  for (size_t i = 1; i < c->section_count; i++)
    if (cubin_section_at(c, i, out) && out->type == type)
      return true;
  return false;
}

struct view string_table(struct view bytes)
{
  while (bytes.size > 0 && bytes.data[bytes.size - 1] != 0)
    bytes.size--;
  return bytes;
}

struct view string_at(struct view table, uint64_t offset)
{
  if (offset >= table.size)
    return (struct view){NULL, 0};
  const uint8_t *text = table.data + offset;
  size_t most = table.size - (size_t)offset;
  if (most > CUBIN_NAME_MAX)
    most = CUBIN_NAME_MAX;
  const uint8_t *end = memchr(text, 0, most);
  if (end == NULL)
    return (struct view){NULL, 0};
  return (struct view){text, (size_t)(end - text)};
}

const char *cubin_symbols_open(const struct cubin_elf *c, struct cubin_symbols *out)
{
  *out = (struct cubin_symbols){0};
  struct cubin_section table, strings;
  if (!cubin_section_find(c, SHT_SYMTAB, &table))
    return NULL;
  size_t entry = c->header.bits == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  if (table.outside || table.size % entry != 0)
    return "the symbol table does not lie inside the cubin";
  out->data = elf_getdata(elf_getscn(c->elf, table.index), NULL);
  if (out->data == NULL)
    return "the symbol table cannot be read";
  out->count = out->data->d_size / entry;
  if (out->count > INT32_MAX)
    return "the symbol table is too long";
  if (out->count <= 1) /* the first is always empty */
    return NULL;
  if (!cubin_section_at(c, table.link, &strings) || strings.bytes.size == 0)
    return "the symbol names cannot be read";
  out->strings = string_table(strings.bytes);
  return NULL;
}

bool cubin_symbol_is_kernel(const GElf_Sym *symbol)
{
  return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && (symbol->st_other & STO_CUDA_ENTRY) != 0 &&
         symbol->st_shndx != SHN_UNDEF;
}
