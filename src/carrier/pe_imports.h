/* SPDX-License-Identifier: Apache-2.0 */
/* A PE image as far as its headers tell, and the libraries that it imports. */
#ifndef CARRIER_PE_IMPORTS_H
#define CARRIER_PE_IMPORTS_H

#include "carrier/coff.h"

struct pe_image {
  struct source *source;
  struct coff_sections sections; /* by virtual address */
  uint64_t base;                 /* preferred load address */
  uint32_t headers_size;
  uint32_t imports, delay_imports; /* relative virtual addresses; 0: no such table */
  bool is_64;
};

/* Bytes of a section in the file: what is mapped, without the padding behind it (docs/format.md 6). */
uint32_t pe_section_extent(const struct coff_section *section);

/* The last section that starts at or before an address; NULL in front of all. */
const struct coff_section *pe_section_at(const struct pe_image *image, uint64_t rva);

/* File offset of a relative virtual address; CUW_NONE where no bytes of the file are mapped. */
uint64_t pe_offset(const struct pe_image *image, uint64_t rva);

/* Names of imported libraries, delay-loaded ones included (library_add_needed). */
void pe_imports_read(struct pe_image *image, struct cuw_library *l);

#endif
