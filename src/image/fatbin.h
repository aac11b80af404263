/* SPDX-License-Identifier: Apache-2.0 */
/* Container and entry headers of a fatbin; docs/format.md section 2. Pure decoding. */
#ifndef IMAGE_FATBIN_H
#define IMAGE_FATBIN_H

#include "base/view.h"
#include "cuwheel/image.h"

#define FATBIN_MAGIC 0xBA55ED50u
#define FATBIN_HEADER_SIZE 16u
#define FATBIN_ENTRY_SIZE 64u /* without extras */
#define FATBIN_KIND_CONCATENATION 0x100u

#define FATBIN_FLAG_64BIT 0x1u
#define FATBIN_FLAG_DEBUG 0x2u
#define FATBIN_FLAG_LZ4 0x2000u
#define FATBIN_FLAG_ZSTD 0x8000u
#define FATBIN_FLAG_COMPRESSED 0xF000u
#define FATBIN_FLAG_OBFUSCATED 0x10000u /* LTO-IR: its compressed bytes, too */
#define FATBIN_FLAG_ARCH 0x100000u      /* `a` */
#define FATBIN_FLAG_FAMILY 0x200000u    /* `f` */
#define FATBIN_FLAG_COMPAT 0x1000000u

struct fatbin_header {
  uint16_t version;
  uint16_t header_size;
  uint64_t size; /* bytes of all entries, header excluded */
};

/* false: fewer than 16 bytes, or no magic. Judges neither version nor size. */
bool fatbin_header_decode(struct view v, struct fatbin_header *out);

/* The 64 fixed bytes of an entry or sub-entry, as stored. */
struct fatbin_entry {
  uint16_t kind;
  uint16_t header_version;
  uint32_t header_size;
  uint64_t payload_size;
  uint32_t compressed_size;
  uint32_t extras_offset;
  uint16_t version_minor, version_major;
  uint32_t arch;
  uint32_t identifier_offset, identifier_length;
  uint64_t flags;
  uint64_t seed;
  uint64_t decompressed_size;
};

/* false: fewer than 64 bytes. */
bool fatbin_entry_decode(struct view v, struct fatbin_entry *out);

/* Whether the fixed bytes look like an entry at all (scan outside known sections):
 * header size >= 64, a multiple of 8 and at most 1 MiB; payload a multiple of 8; a known kind. */
bool fatbin_entry_is_sane(const struct fatbin_entry *e);

enum fatbin_extras_fault {
  FATBIN_EXTRAS_OK = 0,
  FATBIN_EXTRAS_OUTSIDE,    /* block does not fit the header (m33) */
  FATBIN_OPTIONS_OUTSIDE,   /* option string does not fit the header (m34) */
  FATBIN_IDENTIFIER_OUTSIDE /* m35, m36 */
};

/* What stands behind the 64 bytes; views into `header`, which holds the whole header
 * (header_size bytes; for a sub-entry, the bytes up to the table's end). A part that is absent or
 * faulty is {NULL, 0}; a present empty string has data != NULL. One fault is returned, the rest is still read. */
struct fatbin_extras {
  struct view identifier; /* without NUL */
  struct view options;    /* PTX, NVVM, Tile IR: without NUL */
  struct view compat;     /* ELF with FATBIN_FLAG_COMPAT: copy of .nv.compat */
  size_t extent;          /* bytes used from the header's start, rounded up to 8, at least 64 */
};
enum fatbin_extras_fault fatbin_extras_decode(struct view header, const struct fatbin_entry *e,
                                              struct fatbin_extras *out);

/* Concatenation (kind 0x100): where its sub-entries lie in the header. count as stored (hostile). false: the
 * block does not fit. docs/format.md 2.6. */
struct fatbin_concat {
  uint32_t count;
  size_t begin, end; /* of the sub-headers, from the start of the header */
};
bool fatbin_concat_decode(struct view header, const struct fatbin_entry *e, struct fatbin_concat *out);

/* Fills kind, type, arch, PTX ISA, compression, sizes, bits, host, debug, flags, has_entry, has_arch, payload_size
 * of `image` from an entry; offsets, strings and role are the caller's. Rules of docs/format.md 2.3, 2.5:
 * cubin for kinds 2 and 0x10, ptx 1 and 0x40, ltoir 8, tileir 0x80, else other; arch null for index (0x20).
 * stored_size: compressed_size where LZ4/zstd; else payload_size. */
void fatbin_entry_to_image(const struct fatbin_entry *e, struct cuw_image *image);
/* The same for a sub-entry, with part_offset, parent_size and parent_stored: compression and payload_size are the
 * parent's, stored_size CUW_NONE, size is its image size; kind 0x100 inside another becomes CUW_KIND_OTHER. */
void fatbin_subentry_to_image(const struct fatbin_entry *sub, const struct fatbin_entry *parent,
                              struct cuw_image *image);

#endif
