/* SPDX-License-Identifier: Apache-2.0 */
/* A whole cubin opened through libelf, for those who read its sections. */
#ifndef IMAGE_CUBIN_ELF_H
#define IMAGE_CUBIN_ELF_H

#include <gelf.h>

#include "image/cubin.h"

/* docs/format.md 4.2 */
enum {
  SHT_NV_INFO = 0x70000000,
  SHT_NV_GLOBAL = 0x70000007,
  SHT_NV_LOCAL = 0x70000009,
  SHT_NV_SHARED = 0x7000000a,
  SHT_NV_RESERVED_SHARED = 0x70000015,
  SHT_NV_COMPAT = 0x70000086,
};

struct cubin_elf {
  struct view image;
  struct cubin_header header;
  Elf *elf;
  size_t section_count;
  struct view names; /* the section name table, ends in a NUL or is empty */
};

/* Opens `image`, which must outlive it, without a copy. Checks the bounds of the section table first. Returns NULL, or
 * a static string that says what is wrong; then nothing is open, and header.bits is 0 if it is no cubin at all. */
const char *cubin_elf_open(struct cubin_elf *c, struct view image);
void cubin_elf_close(struct cubin_elf *c);

struct cubin_section {
  uint32_t index;
  uint32_t type;
  uint32_t link, info;
  uint64_t size;     /* as declared: of one without bytes, what it takes in memory */
  struct view bytes; /* {NULL, 0} for one without bytes, and where they do not all exist */
  bool outside;      /* the bytes do not all exist */
  uint32_t name;     /* offset in the name table */
};

/* false: no such section. */
bool cubin_section_at(const struct cubin_elf *c, size_t index, struct cubin_section *out);
/* The first of `type`. */
bool cubin_section_find(const struct cubin_elf *c, uint32_t type, struct cubin_section *out);
bool cubin_section_is_named(const struct cubin_elf *c, const struct cubin_section *s, const char *name);
bool cubin_section_starts(const struct cubin_elf *c, const struct cubin_section *s, const char *prefix);

/* A table of NUL-terminated strings, cut behind its last NUL, so that every name in it ends inside. */
struct view string_table(struct view bytes);
/* The string at `offset`, without NUL; {NULL, 0} where it is outside or longer than CUBIN_NAME_MAX. */
#define CUBIN_NAME_MAX ((size_t)1 << 16)
struct view string_at(struct view table, uint64_t offset);

/* Symbols of a cubin. */
struct cubin_symbols {
  Elf_Data *data;
  size_t count;
  struct view strings;
};
/* NULL, or what is wrong; a cubin without a symbol table has 0 symbols. */
const char *cubin_symbols_open(const struct cubin_elf *c, struct cubin_symbols *out);

/* FUNC with STO_CUDA_ENTRY in st_other (docs/format.md 4.2), of any binding, and defined here: a relocatable cubin
 * that launches a kernel of another file has an undefined symbol with the same marks. */
bool cubin_symbol_is_kernel(const GElf_Sym *symbol);

#endif
