/* SPDX-License-Identifier: Apache-2.0 */
/* ELF headers of a host file, 32 and 64 bit, either byte order, read in small ranges. */
#ifndef CARRIER_ELF_HEADERS_H
#define CARRIER_ELF_HEADERS_H

#include <gelf.h>

#include "input/source.h"

/* Most rows kept of a table whose length a file declares. Linkers write about a dozen program headers. */
#define ELF_PROGRAM_HEADERS_MAX 256u
#define ELF_SECTIONS_MAX 262144u
/* Bytes kept of the section names; a section whose name lies behind them has none. */
#define ELF_NAMES_MAX ((size_t)16 << 20)

struct elf_file {
  struct source *source;
  GElf_Ehdr header;
  unsigned char elf_class; /* ELFCLASS32 or ELFCLASS64 */
  unsigned char encoding;  /* ELFDATA2LSB or ELFDATA2MSB */
  GElf_Phdr *segments;
  size_t segment_count;
  /* After elf_find_sections: where the table lies, with the counts that section 0 may hold. */
  uint64_t section_count;
  char *names; /* .shstrtab, so that names cost no way to and fro; NULL: unknown */
  size_t names_size;
  /* Section headers read last, from number `first` on. */
  GElf_Shdr *sections;
  uint64_t first;
  size_t sections_read;
};

/* Reads the file header and the program headers. false: no ELF, or cut inside the file header. A cut or
 * absurd program header table leaves segment_count at what could be read. Free with elf_file_close. */
bool elf_file_open(struct source *s, struct elf_file *elf);
void elf_file_close(struct elf_file *elf);

/* false: no section table, or none that lies inside the file (then *truncated is set). */
bool elf_find_sections(struct elf_file *elf, bool *truncated);

/* Section `index`; false when it cannot be read. */
bool elf_section(struct elf_file *elf, uint64_t index, GElf_Shdr *out);

/* Name of a section into `out` (cut at size - 1); empty when it cannot be read. */
void elf_section_name(const struct elf_file *elf, const GElf_Shdr *section, char *out, size_t size);

/* Translates `count` records of `type` (ELF_T_DYN, ELF_T_RELA ...) from file bytes; `out` has room for the
 * 64-bit form of each. Returns false when libelf refuses. */
bool elf_translate(const struct elf_file *elf, Elf_Type type, const void *raw, size_t count, void *out);

/* Bytes one record of `type` takes in this file. */
size_t elf_record_size(const struct elf_file *elf, Elf_Type type);

/* File offset of a virtual address by the loadable segments; CUW_NONE when no file byte is loaded there. */
uint64_t elf_address_offset(const struct elf_file *elf, uint64_t address);
/* The other way; CUW_NONE when the offset is not loaded. */
uint64_t elf_offset_address(const struct elf_file *elf, uint64_t offset);

/* "x86_64", "aarch64"; NULL for a machine without a usual name. */
const char *elf_machine_name(unsigned machine);

#endif
