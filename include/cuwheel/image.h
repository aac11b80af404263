/* SPDX-License-Identifier: Apache-2.0 */
/* One piece of GPU code as a plain record. */
#ifndef CUWHEEL_IMAGE_H
#define CUWHEEL_IMAGE_H

#include "cuwheel/arch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUW_NONE UINT64_MAX      /* "null" of a 64-bit size or offset */
#define CUW_NO_FATBIN UINT32_MAX /* an image outside a container */

enum cuw_kind { CUW_KIND_CUBIN, CUW_KIND_PTX, CUW_KIND_LTOIR, CUW_KIND_TILEIR, CUW_KIND_OTHER };
enum cuw_compression { CUW_STORED, CUW_LZ4, CUW_ZSTD, CUW_COMPRESSION_UNKNOWN };
/* What an image is for; docs/architecture.md, "Roles". */
enum cuw_role { CUW_ROLE_REGISTERED, CUW_ROLE_LINKED, CUW_ROLE_RELOCATABLE, CUW_ROLE_SELF_LOADED, CUW_ROLE_LINK_TIME };
enum cuw_host { CUW_HOST_NULL, CUW_HOST_LINUX, CUW_HOST_MAC, CUW_HOST_WINDOWS, CUW_HOST_UNKNOWN };

/* Strings belong to the library record that holds the image. */
struct cuw_image {
  uint64_t offset;        /* entry header or sub-header; the image itself where there is none; bytes in the library */
  uint64_t data_offset;   /* first payload byte in the library; of a sub-entry: its parent's payload */
  uint64_t part_offset;   /* sub-entry: offset in the decompressed concatenation; else CUW_NONE */
  uint64_t payload_size;  /* padded bytes behind data_offset (of the parent for a sub-entry) */
  uint64_t stored_size;   /* without padding where compressed; CUW_NONE for a sub-entry */
  uint64_t size;          /* decompressed bytes */
  uint64_t parent_size;   /* sub-entry: decompressed bytes of the whole concatenation; else 0 */
  uint64_t parent_stored; /* sub-entry: compressed bytes of the concatenation, without padding; else 0 */
  uint64_t flags;         /* of the entry, as stored; 0 without an entry (see has_entry) */
  const char *section;    /* NULL where no section covers it */
  const char *identifier; /* NULL where none is recorded */
  const char *options;    /* ptxas or nvvm options; NULL where no block is recorded */
  const char *toolkit;    /* "13.0"; NULL unless the image was opened */
  const char *arch_note;  /* a loose cubin's -arch in its note; NULL else */
  struct cuw_arch arch;
  uint32_t fatbin;               /* number of the container in the library, or CUW_NO_FATBIN */
  uint32_t type;                 /* the entry's kind field; 0 without an entry */
  uint16_t isa_major, isa_minor; /* PTX ISA, for CUW_KIND_PTX */
  uint8_t kind;                  /* enum cuw_kind */
  uint8_t role;                  /* enum cuw_role */
  uint8_t compression;           /* enum cuw_compression */
  uint8_t host;                  /* enum cuw_host */
  uint8_t bits;                  /* 32 or 64; 0: not recorded */
  int8_t debug;                  /* 1, 0; -1: not recorded */
  bool has_entry;                /* stands in a container, so flags and type are meant */
  bool has_arch;                 /* false for an index entry */
  bool cubin_specific;           /* its cubin is an `a` one, though the entry does not say so (docs/format.md 2.7) */
  bool suffix_unknown;           /* a loose cubin that may be an `f` one */
  bool relocatable;              /* opened and found to be ET_REL */
};

const char *cuw_kind_name(enum cuw_kind kind);
const char *cuw_compression_name(enum cuw_compression compression);
const char *cuw_role_name(enum cuw_role role);
const char *cuw_host_name(enum cuw_host host); /* NULL for CUW_HOST_NULL */

#ifdef __cplusplus
}
#endif
#endif
