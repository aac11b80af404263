/* SPDX-License-Identifier: Apache-2.0 */
/* What holds GPU code: the host formats, told by content, and the regions they yield. */
#ifndef CARRIER_CARRIER_H
#define CARRIER_CARRIER_H

#include "base/view.h"
#include "cuwheel/library.h"
#include "input/source.h"

enum carrier_type {
  CARRIER_NONE,
  CARRIER_ELF,
  CARRIER_PE,
  CARRIER_COFF, /* an object of a COFF archive or a lone .obj */
  CARRIER_AR,
  CARRIER_AR_THIN,
  CARRIER_CUBIN,
  CARRIER_FATBIN,
  CARRIER_PTX,
  CARRIER_ZIP,  /* a wheel, perhaps */
  CARRIER_NVVM, /* NVVM IR container: no image that is loaded alone */
  CARRIER_GZIP,
  CARRIER_BZIP2,
  CARRIER_XZ,
  CARRIER_ZSTD,
  CARRIER_TAR,
  CARRIER_7Z,
  CARRIER_CONDA
};

/* Bytes that carrier_identify wants, at most; fewer do where the file is shorter. */
#define CARRIER_HEAD 4096u

/* What the first bytes of a file say it is; the name is not asked. */
enum carrier_type carrier_identify(struct view head);

/* What a file is that is recognised but not read ("7-Zip archive"); NULL for all others. `name` only tells a packed
 * tar archive from another packed file; NULL is fine. */
const char *carrier_unread_reason(enum carrier_type type, const char *name);

/* A part of a library that may hold images. */
enum region_mode {
  REGION_CONTAINERS, /* nothing but fatbins, back to back: .nv_fatbin, __nv_relfatbin, a loose .fatbin */
  REGION_SCAN        /* anything: search for fatbins, cubins, zstd cubins, PTX */
};

struct region {
  uint64_t begin, end; /* bytes in the library */
  const char *section; /* NULL: no section covers it; lives as long as the library record */
  enum region_mode mode;
  enum cuw_role role; /* of the containers in it, before wrappers are read */
};

struct region_list {
  struct region *items; /* ascending, disjoint */
  size_t count;
};
bool region_add(struct region_list *list, struct region r);
void region_list_free(struct region_list *list);

/* Where fatbin wrappers (docs/format.md 1.2) point: container offsets in the library. */
struct wrapper {
  uint64_t container; /* offset of the container, CUW_NONE when it cannot be resolved */
  uint32_t version;   /* 1 plain, 2 device-linked */
};
struct wrapper_list {
  struct wrapper *items;
  size_t count;
};
bool wrapper_add(struct wrapper_list *list, struct wrapper w);
void wrapper_list_free(struct wrapper_list *list);

/* Everything a host format tells besides images. */
struct carrier_map {
  struct region_list regions;
  struct wrapper_list wrappers;
  bool link_time;    /* an object file: every image is CUW_ROLE_LINK_TIME */
  bool has_sections; /* false: scanned whole; only wrapped containers are registered */
};
void carrier_map_free(struct carrier_map *map);

/* Read the headers of a host file: regions, wrappers, machine, needed libraries (library_add_needed). Faults
 * become problems of `l`; what can be told is told. One a format, each in a file of its own. */
void elf_map(struct source *s, struct cuw_library *l, struct carrier_map *map);
void pe_map(struct source *s, struct cuw_library *l, struct carrier_map *map);
void coff_map(struct source *s, struct cuw_library *l, struct carrier_map *map);

/* Members of an `ar` archive (GNU and COFF), in file order. Symbol tables and name tables are not members.
 * name: inside the archive, without trailing '/', with "#2" for a second of equal name; valid during the call.
 * Stops when `each` returns false. Faults go to `fault` with a code and offset. Returns false when the archive could
 * not be read to its end. */
struct ar_visitor {
  bool (*each)(void *data, const char *name, uint64_t offset, uint64_t size);
  void (*fault)(void *data, const char *code, uint64_t offset, const char *message);
  void *data;
};
bool ar_walk(struct source *s, const struct ar_visitor *visitor);

#endif
