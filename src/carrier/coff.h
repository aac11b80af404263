/* SPDX-License-Identifier: Apache-2.0 */
/* What PE images and COFF objects share: section headers, long names, machine names.
 * Layouts: Microsoft, "PE Format". */
#ifndef CARRIER_COFF_H
#define CARRIER_COFF_H

#include "base/arena.h"
#include "base/view.h"
#include "carrier/carrier.h"
#include "input/source.h"

#define COFF_SECTION_SIZE 40u /* bytes of a section header */
#define COFF_NAME_MAX 255u    /* longer section names are cut */

#define COFF_CODE 0x20u
#define COFF_INITIALISED 0x40u
#define COFF_UNINITIALISED 0x80u
#define COFF_LINK_INFO 0x200u
#define COFF_LINK_REMOVE 0x800u
#define COFF_EXECUTE 0x20000000u

struct coff_section {
  char stored_name[9];
  const char *name; /* resolved through the string table, in the library's arena */
  uint32_t virtual_size, virtual_address;
  uint32_t raw_size, raw_offset;
  uint32_t flags;
};

/* Whether a head is a COFF object, plain or with the larger header of /bigobj. Strict: no magic guards the format. */
bool coff_is_object(struct view head);

/* "x86_64", "aarch64", "i386" ..., "machine-0x1234" for others; in the arena. */
const char *coff_machine(struct arena *a, uint16_t machine);

/* The headers that exist of `declared` ones at `at`, names resolved through the string table at `strings` (0: none);
 * a long name that does not resolve stays as stored. Zero-initialise, free with coff_sections_free. */
struct coff_sections {
  struct coff_section *items;
  size_t count; /* below the declared number: the table is cut */
};
enum source_status coff_sections_read(struct source *s, uint64_t at, uint32_t declared, uint64_t strings,
                                      struct arena *a, struct coff_sections *out);
void coff_sections_free(struct coff_sections *sections);

/* Section names of CUDA (docs/format.md 1.1, 6), whole or cut to eight bytes. */
bool coff_is_fatbin_section(const char *name);      /* registered containers */
bool coff_is_relocatable_section(const char *name); /* inputs of device linking */
bool coff_is_wrapper_section(const char *name);

/* Reports a section of which the file lacks bytes; returns where its bytes end. */
uint64_t coff_section_end(struct source *s, struct cuw_library *l, const struct coff_section *section, uint32_t extent);

/* Adds [raw_offset, raw_offset + extent) as far as it exists. */
void coff_region_add(struct source *s, struct cuw_library *l, struct carrier_map *map,
                     const struct coff_section *section, uint32_t extent, enum region_mode mode, enum cuw_role role);

/* No usable section table: everything is searched. */
void coff_scan_whole(struct source *s, struct cuw_library *l, struct carrier_map *map);

/* A read that failed: `code` and `what` where the file just ends, else what the source says. */
void coff_read_problem(struct source *s, struct cuw_library *l, enum source_status status, const char *code,
                       uint64_t offset, const char *what);

#endif
