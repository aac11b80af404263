/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/elf_headers.h"

#include <stdlib.h>
#include <string.h>

#include "cuwheel/image.h"

#define SECTIONS_AT_ONCE ((size_t)512)

static bool is64(const struct elf_file *elf)
{
  return elf->elf_class == ELFCLASS64;
}

size_t elf_record_size(const struct elf_file *elf, Elf_Type type)
{
  return is64(elf) ? elf64_fsize(type, 1, EV_CURRENT) : elf32_fsize(type, 1, EV_CURRENT);
}

static void widen_ehdr(const Elf32_Ehdr *in, GElf_Ehdr *out)
{
  memset(out, 0, sizeof *out);
  memcpy(out->e_ident, in->e_ident, EI_NIDENT);
  out->e_type = in->e_type;
  out->e_machine = in->e_machine;
  out->e_version = in->e_version;
  out->e_entry = in->e_entry;
  out->e_phoff = in->e_phoff;
  out->e_shoff = in->e_shoff;
  out->e_flags = in->e_flags;
  out->e_ehsize = in->e_ehsize;
  out->e_phentsize = in->e_phentsize;
  out->e_phnum = in->e_phnum;
  out->e_shentsize = in->e_shentsize;
  out->e_shnum = in->e_shnum;
  out->e_shstrndx = in->e_shstrndx;
}

static void widen_phdr(const Elf32_Phdr *in, GElf_Phdr *out)
{
  *out = (GElf_Phdr){.p_type = in->p_type,
                     .p_flags = in->p_flags,
                     .p_offset = in->p_offset,
                     .p_vaddr = in->p_vaddr,
                     .p_paddr = in->p_paddr,
                     .p_filesz = in->p_filesz,
                     .p_memsz = in->p_memsz,
                     .p_align = in->p_align};
}

static void widen_shdr(const Elf32_Shdr *in, GElf_Shdr *out)
{
  *out = (GElf_Shdr){.sh_name = in->sh_name,
                     .sh_type = in->sh_type,
                     .sh_flags = in->sh_flags,
                     .sh_addr = in->sh_addr,
                     .sh_offset = in->sh_offset,
                     .sh_size = in->sh_size,
                     .sh_link = in->sh_link,
                     .sh_info = in->sh_info,
                     .sh_addralign = in->sh_addralign,
                     .sh_entsize = in->sh_entsize};
}

/* From the 32-bit memory form of one record to the 64-bit one. */
static void widen(Elf_Type type, const void *in, void *out)
{
  switch (type) {
  case ELF_T_EHDR:
    widen_ehdr(in, out);
    break;
  case ELF_T_PHDR:
    widen_phdr(in, out);
    break;
  case ELF_T_SHDR:
    widen_shdr(in, out);
    break;
  case ELF_T_DYN: {
    const Elf32_Dyn *d = in;
    *(GElf_Dyn *)out = (GElf_Dyn){.d_tag = d->d_tag, .d_un.d_val = d->d_un.d_val};
    break;
  }
  case ELF_T_RELA: {
    const Elf32_Rela *r = in;
    *(GElf_Rela *)out = (GElf_Rela){.r_offset = r->r_offset,
                                    .r_info = ELF64_R_INFO(ELF32_R_SYM(r->r_info), ELF32_R_TYPE(r->r_info)),
                                    .r_addend = r->r_addend};
    break;
  }
  default:
    break;
  }
}

static size_t wide_size(Elf_Type type)
{
  return elf64_fsize(type, 1, EV_CURRENT);
}

/* The records come one at a time, so that the file's 32-bit form needs no buffer as long as the table. */
bool elf_translate(const struct elf_file *elf, Elf_Type type, const void *raw, size_t count, void *out)
{
  size_t record = elf_record_size(elf, type);
  union {
    Elf32_Ehdr ehdr;
    char bytes[sizeof(Elf64_Ehdr)];
  } narrow;
  if (record == 0 || record > sizeof narrow)
    return false;
  for (size_t i = 0; i < count; i++) {
    Elf_Data from = {.d_buf = (char *)raw + i * record, .d_type = type, .d_size = record, .d_version = EV_CURRENT};
    Elf_Data to = {.d_version = EV_CURRENT, .d_type = type};
    char *place = (char *)out + i * wide_size(type);
    to.d_buf = is64(elf) ? place : (char *)&narrow;
    to.d_size = is64(elf) ? wide_size(type) : sizeof narrow;
    Elf_Data *done = is64(elf) ? elf64_xlatetom(&to, &from, elf->encoding) : elf32_xlatetom(&to, &from, elf->encoding);
    if (!done)
      return false;
    if (!is64(elf))
      widen(type, &narrow, place);
  }
  return true;
}

static bool read_records(const struct elf_file *elf, Elf_Type type, uint64_t offset, size_t count, void *out)
{
  size_t record = elf_record_size(elf, type);
  for (size_t done = 0; done < count;) {
    size_t step = SOURCE_WINDOW / record;
    if (step > count - done)
      step = count - done;
    struct view v;
    if (source_view(elf->source, offset + done * record, step * record, &v) != SOURCE_OK || v.size < step * record)
      return false;
    if (!elf_translate(elf, type, v.data, step, (char *)out + done * wide_size(type)))
      return false;
    done += step;
  }
  return true;
}

static void read_segments(struct elf_file *elf)
{
  size_t count = elf->header.e_phnum, record = elf_record_size(elf, ELF_T_PHDR);
  if (count == 0 || elf->header.e_phoff == 0 || elf->header.e_phentsize != record)
    return;
  if (count > ELF_PROGRAM_HEADERS_MAX || !range_fits(elf->header.e_phoff, count * record, elf->source->size))
    return;
  elf->segments = calloc(count, sizeof *elf->segments);
  if (elf->segments && read_records(elf, ELF_T_PHDR, elf->header.e_phoff, count, elf->segments))
    elf->segment_count = count;
}

bool elf_file_open(struct source *s, struct elf_file *elf)
{
  memset(elf, 0, sizeof *elf);
  elf->source = s;
  elf_version(EV_CURRENT);
  struct view v;
  if (source_view(s, 0, sizeof(Elf64_Ehdr), &v) != SOURCE_OK || v.size < sizeof(Elf32_Ehdr))
    return false;
  if (memcmp(v.data, ELFMAG, SELFMAG) != 0)
    return false;
  elf->elf_class = v.data[EI_CLASS];
  elf->encoding = v.data[EI_DATA];
  bool known = (elf->elf_class == ELFCLASS32 || elf->elf_class == ELFCLASS64) &&
               (elf->encoding == ELFDATA2LSB || elf->encoding == ELFDATA2MSB);
  if (!known || v.size < elf_record_size(elf, ELF_T_EHDR))
    return false;
  if (!elf_translate(elf, ELF_T_EHDR, v.data, 1, &elf->header))
    return false;
  read_segments(elf);
  return true;
}

void elf_file_close(struct elf_file *elf)
{
  free(elf->segments);
  free(elf->sections);
  free(elf->names);
  memset(elf, 0, sizeof *elf);
}

bool elf_section(struct elf_file *elf, uint64_t index, GElf_Shdr *out)
{
  size_t record = elf_record_size(elf, ELF_T_SHDR);
  uint64_t left = elf->section_count - index;
  if (index >= elf->section_count)
    return false;
  if (elf->sections_read == 0 || index < elf->first || index - elf->first >= elf->sections_read) {
    size_t count = left < SECTIONS_AT_ONCE ? (size_t)left : SECTIONS_AT_ONCE;
    elf->sections_read = 0;
    if (!elf->sections && !(elf->sections = malloc(SECTIONS_AT_ONCE * sizeof *elf->sections)))
      return false;
    uint64_t at = elf->header.e_shoff + index * record;
    if (!read_records(elf, ELF_T_SHDR, at, count, elf->sections)) {
      count = 1; /* those behind it may be damaged, this one not */
      if (!read_records(elf, ELF_T_SHDR, at, count, elf->sections))
        return false;
    }
    elf->first = index;
    elf->sections_read = count;
  }
  *out = elf->sections[index - elf->first];
  return true;
}

static void read_names(struct elf_file *elf, uint64_t index)
{
  GElf_Shdr table;
  if (index == 0 || !elf_section(elf, index, &table) || table.sh_type == SHT_NOBITS || table.sh_size == 0 ||
      !range_fits(table.sh_offset, table.sh_size, elf->source->size))
    return;
  size_t size = table.sh_size < ELF_NAMES_MAX ? (size_t)table.sh_size : ELF_NAMES_MAX;
  elf->names = malloc(size);
  if (elf->names && source_read(elf->source, table.sh_offset, elf->names, size) == SOURCE_OK)
    elf->names_size = size;
}

/* e_shnum 0 and e_shstrndx SHN_XINDEX: the true values stand in section 0 (System V ABI, section header table). */
bool elf_find_sections(struct elf_file *elf, bool *truncated)
{
  *truncated = false;
  size_t record = elf_record_size(elf, ELF_T_SHDR);
  const GElf_Ehdr *h = &elf->header;
  if (h->e_shoff == 0)
    return false;
  if (h->e_shentsize != record) {
    *truncated = h->e_shnum != 0;
    return false;
  }
  GElf_Shdr first;
  if (!range_fits(h->e_shoff, record, elf->source->size) || !read_records(elf, ELF_T_SHDR, h->e_shoff, 1, &first)) {
    *truncated = true;
    return false;
  }
  uint64_t count = h->e_shnum ? h->e_shnum : first.sh_size;
  uint64_t names = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
  if (count == 0)
    return false;
  if (count > ELF_SECTIONS_MAX || !range_fits(h->e_shoff, count * record, elf->source->size)) {
    *truncated = true;
    return false;
  }
  elf->section_count = count;
  read_names(elf, names);
  return true;
}

void elf_section_name(const struct elf_file *elf, const GElf_Shdr *section, char *out, size_t size)
{
  out[0] = 0;
  if (section->sh_name >= elf->names_size)
    return;
  const char *name = elf->names + section->sh_name;
  size_t left = elf->names_size - section->sh_name;
  size_t length = strnlen(name, left < size - 1 ? left : size - 1);
  memcpy(out, name, length);
  out[length] = 0;
}

uint64_t elf_address_offset(const struct elf_file *elf, uint64_t address)
{
  for (size_t i = 0; i < elf->segment_count; i++) {
    const GElf_Phdr *p = &elf->segments[i];
    if (p->p_type == PT_LOAD && address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz)
      return p->p_offset + (address - p->p_vaddr);
  }
  return CUW_NONE;
}

uint64_t elf_offset_address(const struct elf_file *elf, uint64_t offset)
{
  for (size_t i = 0; i < elf->segment_count; i++) {
    const GElf_Phdr *p = &elf->segments[i];
    if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
      return p->p_vaddr + (offset - p->p_offset);
  }
  return CUW_NONE;
}

const char *elf_machine_name(unsigned machine)
{
  static const struct {
    unsigned machine;
    const char *name;
  } names[] = {
      {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_386, "i386"},        {EM_ARM, "arm"},
      {EM_PPC64, "ppc64"},   {EM_RISCV, "riscv"},     {EM_S390, "s390"},       {EM_PPC, "ppc"},
      {EM_MIPS, "mips"},     {EM_IA_64, "ia64"},      {EM_SPARCV9, "sparc64"}, {258, "loongarch"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].machine == machine)
      return names[i].name;
  return NULL;
}
