/* SPDX-License-Identifier: Apache-2.0 */
/* Source of every offset and flag below: docs/format.md section 2. */
#include "image/fatbin.h"

#include <string.h>

/* docs/format.md 2.3 */
enum {
  KIND_PTX = 1,
  KIND_ELF = 2,
  KIND_TEXT_CUBIN = 4,
  KIND_NVVM = 8,
  KIND_ELF_SECOND = 0x10,
  KIND_INDEX = 0x20,
  KIND_RELOCATABLE_PTX = 0x40,
  KIND_TILE_IR = 0x80
};

/* docs/format.md 2.5 */
enum { FLAG_HOST_LINUX = 0x10, FLAG_HOST_MAC = 0x20, FLAG_HOST_WINDOWS = 0x40 };

#define HEADER_SIZE_SANE ((uint32_t)1 << 20)

bool fatbin_header_decode(struct view v, struct fatbin_header *out)
{
  struct cursor c = cursor_at(v, 0);
  uint32_t magic = cursor_u32(&c);
  *out = (struct fatbin_header){0};
  out->version = cursor_u16(&c);
  out->header_size = cursor_u16(&c);
  out->size = cursor_u64(&c);
  return !c.failed && magic == FATBIN_MAGIC;
}

bool fatbin_entry_decode(struct view v, struct fatbin_entry *out)
{
  struct cursor c = cursor_at(v, 0);
  *out = (struct fatbin_entry){0};
  out->kind = cursor_u16(&c);
  out->header_version = cursor_u16(&c);
  out->header_size = cursor_u32(&c);
  out->payload_size = cursor_u64(&c);
  out->compressed_size = cursor_u32(&c);
  out->extras_offset = cursor_u32(&c);
  out->version_minor = cursor_u16(&c);
  out->version_major = cursor_u16(&c);
  out->arch = cursor_u32(&c);
  out->identifier_offset = cursor_u32(&c);
  out->identifier_length = cursor_u32(&c);
  out->flags = cursor_u64(&c);
  out->seed = cursor_u64(&c);
  out->decompressed_size = cursor_u64(&c);
  return !c.failed;
}

bool fatbin_entry_is_sane(const struct fatbin_entry *e)
{
  if (e->header_size < FATBIN_ENTRY_SIZE || e->header_size % 8 != 0 || e->header_size > HEADER_SIZE_SANE)
    return false;
  if (e->payload_size % 8 != 0)
    return false;
  switch (e->kind) {
  case KIND_PTX:
  case KIND_ELF:
  case KIND_TEXT_CUBIN:
  case KIND_NVVM:
  case KIND_ELF_SECOND:
  case KIND_INDEX:
  case KIND_RELOCATABLE_PTX:
  case KIND_TILE_IR:
  case FATBIN_KIND_CONCATENATION:
    return true;
  default:
    return false;
  }
}

/* A string that must lie behind the fixed bytes; cut at a NUL that its length covers. */
static bool header_string(struct view header, uint64_t offset, uint64_t length, struct view *out)
{
  if (offset < FATBIN_ENTRY_SIZE || !range_fits(offset, length, header.size))
    return false;
  *out = view_part(header, offset, length);
  const uint8_t *nul = length > 0 ? memchr(out->data, 0, out->size) : NULL;
  if (nul != NULL)
    out->size = (size_t)(nul - out->data);
  return true;
}

static bool has_option_string(uint16_t kind)
{
  return kind == KIND_PTX || kind == KIND_RELOCATABLE_PTX || kind == KIND_NVVM || kind == KIND_TILE_IR;
}

static void extend(struct fatbin_extras *x, uint64_t end)
{
  end = (end + 7) & ~(uint64_t)7;
  if (end > x->extent)
    x->extent = (size_t)end;
}

/* docs/format.md 2.4, second part: the string, or behind an empty one the copy of .nv.compat. */
static enum fatbin_extras_fault options_decode(struct view header, const struct fatbin_entry *e,
                                               struct fatbin_extras *out)
{
  if (e->extras_offset < FATBIN_ENTRY_SIZE || !range_fits(e->extras_offset, 8, header.size))
    return FATBIN_EXTRAS_OUTSIDE;
  extend(out, (uint64_t)e->extras_offset + 8);
  bool compat = (e->kind == KIND_ELF || e->kind == KIND_ELF_SECOND) && (e->flags & FATBIN_FLAG_COMPAT) != 0;
  if (!compat && !has_option_string(e->kind))
    return FATBIN_EXTRAS_OK;

  struct cursor c = cursor_at(header, e->extras_offset);
  uint64_t string = cursor_u32(&c);
  uint64_t length = cursor_u32(&c);
  if (string == 0 && length == 0) { /* PTX of CUDA 12.2 on Windows: 72-byte headers without a string */
    out->options = view_part(header, c.at, 0);
    return FATBIN_EXTRAS_OK;
  }
  if (compat) {
    if (string < FATBIN_ENTRY_SIZE || !range_fits(string + 1, length, header.size))
      return FATBIN_OPTIONS_OUTSIDE;
    out->compat = view_part(header, string + 1, length);
  } else if (!header_string(header, string, length, &out->options)) {
    return FATBIN_OPTIONS_OUTSIDE;
  }
  extend(out, string + 1 + length);
  return FATBIN_EXTRAS_OK;
}

enum fatbin_extras_fault fatbin_extras_decode(struct view header, const struct fatbin_entry *e,
                                              struct fatbin_extras *out)
{
  *out = (struct fatbin_extras){.extent = FATBIN_ENTRY_SIZE};
  enum fatbin_extras_fault fault = FATBIN_EXTRAS_OK;
  if (e->identifier_offset != 0) {
    if (header_string(header, e->identifier_offset, e->identifier_length, &out->identifier))
      extend(out, (uint64_t)e->identifier_offset + e->identifier_length + 1);
    else
      fault = FATBIN_IDENTIFIER_OUTSIDE;
  }
  if (e->extras_offset != 0 && e->kind != FATBIN_KIND_CONCATENATION) {
    enum fatbin_extras_fault second = options_decode(header, e, out);
    if (fault == FATBIN_EXTRAS_OK)
      fault = second;
  }
  return fault;
}

bool fatbin_concat_decode(struct view header, const struct fatbin_entry *e, struct fatbin_concat *out)
{
  *out = (struct fatbin_concat){0};
  if (e->extras_offset < FATBIN_ENTRY_SIZE)
    return false;
  struct cursor c = cursor_at(header, e->extras_offset);
  uint32_t count = cursor_u32(&c);
  uint32_t bytes = cursor_u32(&c);
  if (c.failed || bytes < 8 || !range_fits(e->extras_offset, bytes, header.size))
    return false;
  *out = (struct fatbin_concat){count, (size_t)e->extras_offset + 8, (size_t)e->extras_offset + bytes};
  return true;
}

static enum cuw_kind image_kind(uint16_t kind)
{
  switch (kind) {
  case KIND_ELF:
  case KIND_ELF_SECOND:
    return CUW_KIND_CUBIN;
  case KIND_PTX:
  case KIND_RELOCATABLE_PTX:
    return CUW_KIND_PTX;
  case KIND_NVVM:
    return CUW_KIND_LTOIR;
  case KIND_TILE_IR:
    return CUW_KIND_TILEIR;
  default:
    return CUW_KIND_OTHER;
  }
}

/* With both flags set cuobjdump decodes LZ4. */
static enum cuw_compression image_compression(uint64_t flags)
{
  if ((flags & FATBIN_FLAG_LZ4) != 0)
    return CUW_LZ4;
  if ((flags & FATBIN_FLAG_ZSTD) != 0)
    return CUW_ZSTD;
  return (flags & FATBIN_FLAG_COMPRESSED) != 0 ? CUW_COMPRESSION_UNKNOWN : CUW_STORED;
}

static enum cuw_host image_host(uint64_t flags)
{
  if ((flags & FLAG_HOST_LINUX) != 0)
    return CUW_HOST_LINUX;
  if ((flags & FLAG_HOST_MAC) != 0)
    return CUW_HOST_MAC;
  return (flags & FLAG_HOST_WINDOWS) != 0 ? CUW_HOST_WINDOWS : CUW_HOST_UNKNOWN;
}

/* docs/format.md 2.7: where neither tool nor file has both suffix flags, `a` is tested first. */
static char image_suffix(uint64_t flags)
{
  if ((flags & FATBIN_FLAG_ARCH) != 0)
    return 'a';
  return (flags & FATBIN_FLAG_FAMILY) != 0 ? 'f' : 0;
}

/* What an entry and a sub-entry have in common. */
static void fill_common(const struct fatbin_entry *e, struct cuw_image *image)
{
  image->has_entry = true;
  image->type = e->kind;
  image->kind = (uint8_t)image_kind(e->kind);
  image->flags = e->flags;
  image->bits = (e->flags & FATBIN_FLAG_64BIT) != 0 ? 64 : 32;
  image->debug = (e->flags & FATBIN_FLAG_DEBUG) != 0;
  image->host = (uint8_t)image_host(e->flags);
  image->has_arch = e->kind != KIND_INDEX;
  image->arch = (struct cuw_arch){0};
  if (image->has_arch)
    image->arch = (struct cuw_arch){e->arch, image_suffix(e->flags), image->kind == CUW_KIND_PTX};
  image->isa_major = image->kind == CUW_KIND_PTX ? e->version_major : 0;
  image->isa_minor = image->kind == CUW_KIND_PTX ? e->version_minor : 0;
}

void fatbin_entry_to_image(const struct fatbin_entry *e, struct cuw_image *image)
{
  fill_common(e, image);
  enum cuw_compression compression = image_compression(e->flags);
  image->compression = (uint8_t)compression;
  image->payload_size = e->payload_size;
  image->part_offset = CUW_NONE;
  image->parent_size = 0;
  image->parent_stored = 0;
  switch (compression) {
  case CUW_LZ4:
  case CUW_ZSTD:
    image->stored_size = e->compressed_size;
    image->size = e->decompressed_size;
    break;
  case CUW_COMPRESSION_UNKNOWN:
    image->stored_size = e->compressed_size != 0 ? e->compressed_size : e->payload_size;
    image->size = e->decompressed_size != 0 ? e->decompressed_size : e->payload_size;
    break;
  case CUW_STORED:
    image->stored_size = e->payload_size;
    image->size = e->payload_size;
    break;
  }
}

void fatbin_subentry_to_image(const struct fatbin_entry *sub, const struct fatbin_entry *parent,
                              struct cuw_image *image)
{
  fatbin_entry_to_image(parent, image);
  image->parent_size = image->size;
  image->parent_stored = image->stored_size;
  fill_common(sub, image);
  image->part_offset = sub->header_size;
  image->stored_size = CUW_NONE;
  image->size = sub->payload_size;
}
