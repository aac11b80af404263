/* SPDX-License-Identifier: Apache-2.0 */
/* One fatbin container; docs/format.md sections 2 and 11. */
#include <stdlib.h>
#include <string.h>

#include "carrier/walk_internal.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "model/builder.h"

/* A concatenation's table of some hundred thousand sub-entries stays below it. */
#define ENTRY_HEADER_MAX ((uint64_t)16 << 20)

static void problem(struct walk *w, const char *code, uint64_t at, const char *message)
{
  library_problem(w->library, CUW_ERROR, code, at, NULL, "%s", message);
}

static const char *keep_text(struct walk *w, struct view text)
{
  if (!text.data)
    return NULL;
  return arena_intern(library_arena(w->library), (const char *)text.data, text.size);
}

static void check_extras(struct walk *w, uint64_t at, enum fatbin_extras_fault fault)
{
  switch (fault) {
  case FATBIN_EXTRAS_OK:
    break;
  case FATBIN_EXTRAS_OUTSIDE:
    problem(w, "entry-extras", at, "the entry's block of extras does not lie inside its header");
    break;
  case FATBIN_OPTIONS_OUTSIDE:
    problem(w, "entry-options", at, "the entry's option string does not lie inside its header");
    break;
  case FATBIN_IDENTIFIER_OUTSIDE:
    problem(w, "entry-identifier", at, "the entry's identifier does not lie inside its header");
    break;
  }
}

static void add_entry(struct walk *w, uint64_t at, struct view header, const struct fatbin_entry *e, uint32_t fatbin)
{
  struct fatbin_extras extras;
  check_extras(w, at, fatbin_extras_decode(header, e, &extras));
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return;
  fatbin_entry_to_image(e, image);
  image->fatbin = fatbin;
  image->data_offset = at + e->header_size;
  image->payload_size = e->payload_size;
  image->identifier = keep_text(w, extras.identifier);
  image->options = keep_text(w, extras.options);
  image->cubin_specific = !(e->flags & FATBIN_FLAG_ARCH) && compat_accelerator(extras.compat) == 1;
  if (e->compressed_size > e->payload_size)
    problem(w, "compressed-size", at, "the compressed size exceeds the payload");
  if ((e->flags & FATBIN_FLAG_LZ4) && (e->flags & FATBIN_FLAG_ZSTD))
    problem(w, "compression-flags", at, "both the LZ4 and the zstd flag are set; LZ4 is assumed");
}

/* One sub-entry at `pos` of the table; returns its extent, 0 when the table is at fault there. */
static size_t add_subentry(struct walk *w, uint64_t at, struct view table, size_t pos,
                           const struct fatbin_entry *parent, uint32_t fatbin, uint64_t *room, bool *fault)
{
  struct view rest = view_part(table, pos, table.size - pos);
  struct fatbin_entry sub;
  struct fatbin_extras extras;
  if (!fatbin_entry_decode(rest, &sub))
    return 0;
  if (fatbin_extras_decode(rest, &sub, &extras) != FATBIN_EXTRAS_OK)
    *fault = true;
  if (!range_fits(sub.header_size, sub.payload_size, parent->decompressed_size))
    *fault = true;
  else if (sub.payload_size > *room)
    return 0;
  else
    *room -= sub.payload_size;
  struct cuw_image *image = walk_add_image(w, at + pos);
  if (!image)
    return 0;
  fatbin_subentry_to_image(&sub, parent, image);
  image->fatbin = fatbin;
  image->data_offset = at + parent->header_size;
  image->part_offset = sub.header_size;
  image->payload_size = parent->payload_size;
  image->parent_size = parent->decompressed_size;
  image->parent_stored = parent->flags & FATBIN_FLAG_COMPRESSED ? parent->compressed_size : parent->payload_size;
  image->identifier = keep_text(w, extras.identifier);
  image->options = keep_text(w, extras.options);
  return extras.extent < rest.size ? extras.extent : rest.size;
}

void walk_concatenation(struct walk *w, uint64_t at, struct view header, const struct fatbin_entry *e, uint32_t fatbin)
{
  struct fatbin_concat c;
  if (!fatbin_concat_decode(header, e, &c)) {
    problem(w, "concatenation-table", at, "the table of a concatenated entry does not lie inside its header");
    return;
  }
  struct view table = view_part(header, 0, c.end);
  bool fault = false;
  size_t pos = c.begin;
  uint32_t seen = 0;
  uint64_t room = e->decompressed_size; /* sound images do not share their bytes */
  while (seen < c.count && pos < c.end) {
    size_t extent = add_subentry(w, at, table, pos, e, fatbin, &room, &fault);
    if (extent == 0)
      break;
    pos += extent;
    seen++;
  }
  if (fault || seen != c.count || pos != c.end)
    problem(w, "concatenation-table", at, "the table of a concatenated entry contradicts itself");
  if (e->compressed_size > e->payload_size)
    problem(w, "compressed-size", at, "the compressed size exceeds the payload");
}

/* The whole header of an entry: a view where it fits a window, else *owned, which the caller frees. */
static bool read_header(struct walk *w, uint64_t at, uint64_t size, struct view *out, uint8_t **owned)
{
  *owned = NULL;
  if (size <= SOURCE_WINDOW)
    return source_view(w->source, at, (size_t)size, out) == SOURCE_OK && out->size == size;
  *owned = malloc((size_t)size);
  if (!*owned || source_read(w->source, at, *owned, (size_t)size) != SOURCE_OK)
    return false;
  *out = (struct view){*owned, (size_t)size};
  return true;
}

/* One entry at `at`; returns the bytes it takes, 0 when the container cannot be followed any further. */
static uint64_t walk_entry(struct walk *w, uint64_t at, uint64_t limit, uint32_t fatbin)
{
  struct view v;
  struct fatbin_entry e;
  if (limit - at < FATBIN_ENTRY_SIZE) {
    problem(w, "entry-truncated", at, "the entry header is cut");
    return 0;
  }
  if (source_view(w->source, at, FATBIN_ENTRY_SIZE, &v) != SOURCE_OK || !fatbin_entry_decode(v, &e)) {
    w->library->complete = false;
    return 0;
  }
  if (e.header_size < FATBIN_ENTRY_SIZE || e.header_size > limit - at || e.header_size > ENTRY_HEADER_MAX) {
    problem(w, "entry-header-size", at, "the entry's header size makes no sense");
    return 0;
  }
  if (e.payload_size > limit - at - e.header_size) {
    problem(w, "payload-truncated", at, "the entry's payload runs past its container");
    return 0;
  }
  uint8_t *owned;
  if (!read_header(w, at, e.header_size, &v, &owned)) {
    w->library->complete = false;
    free(owned);
    return 0;
  }
  if (e.kind == FATBIN_KIND_CONCATENATION)
    walk_concatenation(w, at, v, &e, fatbin);
  else
    add_entry(w, at, v, &e, fatbin);
  free(owned);
  return e.header_size + e.payload_size;
}

static bool magic_at(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  return end - at >= 4 && source_view(w->source, at, 4, &v) == SOURCE_OK && view_uint(v, 0, 4) == FATBIN_MAGIC;
}

uint64_t walk_container(struct walk *w, uint64_t at, uint64_t end, bool *resync)
{
  struct view v;
  struct fatbin_header h;
  *resync = false;
  if (end - at < FATBIN_HEADER_SIZE) {
    problem(w, "container-header-truncated", at, "the container header is cut");
    return end;
  }
  if (source_view(w->source, at, FATBIN_HEADER_SIZE, &v) != SOURCE_OK || !fatbin_header_decode(v, &h)) {
    w->library->complete = false;
    return end;
  }
  if (h.header_size != FATBIN_HEADER_SIZE) {
    problem(w, "container-header-size", at, "the container's header size is not 16");
    *resync = true;
    return at + 4;
  }
  uint64_t pos = at + FATBIN_HEADER_SIZE, limit = end;
  bool truncated = h.size > end - pos;
  if (truncated)
    problem(w, "container-truncated", at, "the container runs past the end of what holds it");
  else
    limit = pos + h.size;
  uint32_t fatbin = walk_add_container(w, at);
  while (pos < limit) {
    /* A container that lies about its size ends where the next one begins (docs/format.md 11). */
    if (truncated && magic_at(w, pos, limit))
      return pos;
    uint64_t size = walk_entry(w, pos, limit, fatbin);
    if (size == 0) {
      *resync = truncated;
      return truncated ? pos + 1 : limit;
    }
    pos += size;
  }
  return limit;
}

bool walk_container_is_sane(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  struct fatbin_header h;
  struct fatbin_entry e;
  uint64_t both = FATBIN_HEADER_SIZE + FATBIN_ENTRY_SIZE;
  if (end - at < both || source_view(w->source, at, FATBIN_HEADER_SIZE, &v) != SOURCE_OK ||
      !fatbin_header_decode(v, &h) || h.size < FATBIN_ENTRY_SIZE)
    return false;
  return source_view(w->source, at + FATBIN_HEADER_SIZE, FATBIN_ENTRY_SIZE, &v) == SOURCE_OK &&
         fatbin_entry_decode(v, &e) && fatbin_entry_is_sane(&e);
}
