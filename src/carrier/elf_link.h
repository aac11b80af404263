/* SPDX-License-Identifier: Apache-2.0 */
/* What an ELF file links: needed libraries and fatbin wrappers (docs/format.md 1.2, 8). */
#ifndef CARRIER_ELF_LINK_H
#define CARRIER_ELF_LINK_H

#include "carrier/carrier.h"
#include "carrier/elf_headers.h"

#define ELF_WRAPPER_SIZE_64 24u
#define ELF_WRAPPER_SIZE_32 16u
#define ELF_WRAPPERS_MAX 1000000u

/* Adds every DT_NEEDED to the library record; a name that cannot be read is a problem. */
void elf_read_needed(struct elf_file *elf, struct cuw_library *l);

/* Reads the wrappers at the file offsets `places` (ascending) and adds where they point: from the pointer in place,
 * else from the relocation that fills it. */
void elf_read_wrappers(struct elf_file *elf, const uint64_t *places, size_t count, struct wrapper_list *out);

/* The same for a library whose section table is gone and whose wrappers were found by their magic. */
void elf_wrappers_at(struct source *s, const uint64_t *places, size_t count, struct wrapper_list *out);

#endif
