/* SPDX-License-Identifier: Apache-2.0 */
/* Images without a container: cubins, zstd frames of cubins, PTX texts in data; docs/format.md section 7. */
#include <stdio.h>
#include <string.h>

#include "carrier/open.h"
#include "carrier/walk.h"
#include "carrier/walk_internal.h"
#include "image/cubin.h"
#include "image/ptx.h"
#include "model/builder.h"

#define BARE_CUBIN_MAX ((uint64_t)1 << 30)
#define PTX_COMMENT_MAX ((uint64_t)1024) /* what ptxas and NVRTC write before .version is some hundred bytes */

static void fill_bare(struct cuw_image *image, enum cuw_kind kind, uint64_t stored, uint64_t size)
{
  image->kind = (uint8_t)kind;
  image->compression = CUW_STORED;
  image->data_offset = image->offset;
  image->stored_size = image->payload_size = stored;
  image->size = size;
  image->has_arch = true;
  image->host = CUW_HOST_NULL;
}

static void set_toolkit(struct cuw_library *l, struct cuw_image *image, const char *toolkit)
{
  if (toolkit[0])
    image->toolkit = arena_intern(library_arena(l), toolkit, strlen(toolkit));
}

static void set_header(struct cuw_library *l, struct cuw_image *image, const struct cubin_header *h)
{
  image->arch = h->arch;
  image->bits = h->bits;
  image->relocatable = h->relocatable;
  if (h->toolkit) {
    char text[8];
    snprintf(text, sizeof text, "%u.%u", h->toolkit / 10u % 100u, h->toolkit % 10u);
    set_toolkit(l, image, text);
  }
}

static void open_bare(struct source *s, struct cuw_library *l, struct cuw_image *image, struct image_buffers *b)
{
  struct view v;
  struct cubin_facts f;
  const char *damage = NULL;
  if (image_open(s, image, BARE_CUBIN_MAX, b, &v) != IMAGE_OPEN_OK || !cubin_facts_read(v, &f, &damage))
    return;
  image->arch = f.arch;
  image->suffix_unknown = f.suffix_unknown;
  image->relocatable = f.relocatable;
  set_toolkit(l, image, f.toolkit);
  if (f.suffix_unknown && f.arch_note[0])
    image->arch_note = arena_intern(library_arena(l), f.arch_note, strlen(f.arch_note));
}

/* ABI 7 headers say all there is; an ABI 8 cubin records `a` and its toolkit further inside (docs/format.md 2.7). */
static void read_facts(struct source *s, struct cuw_library *l, struct cuw_image *image, const struct cubin_header *h,
                       struct image_buffers *b)
{
  set_header(l, image, h);
  if (h->abi == 8)
    open_bare(s, l, image, b);
}

void walk_cubin_facts(struct source *s, struct cuw_library *l, struct cuw_image *image, const struct cubin_header *h)
{
  struct image_buffers b = {0};
  read_facts(s, l, image, h, &b);
  image_buffers_free(&b);
}

uint64_t walk_bare_cubin(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  struct cubin_header h;
  if (source_view(w->source, at, CUBIN_HEADER_SIZE, &v) != SOURCE_OK || !cubin_header_decode(v, &h))
    return at + 4;
  uint64_t size = cubin_extent(&h);
  bool real = h.section_size == (h.bits == 64 ? 64 : 40) && size > CUBIN_HEADER_SIZE;
  if (!real)
    return at + 4;
  if (size > end - at) {
    library_problem(w->library, CUW_ERROR, "cubin-truncated", at, NULL, "the cubin runs past the end of what holds it");
    size = end - at;
  }
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  fill_bare(image, CUW_KIND_CUBIN, size, size);
  read_facts(w->source, w->library, image, &h, &w->buffers);
  return at + size;
}

/* Bytes of the frame header at the start of `v` (RFC 8878 3.1.1.1), 0 when it is cut. */
static unsigned zstd_header_size(struct view v)
{
  static const unsigned dictionary_bytes[] = {0, 1, 2, 4}, content_bytes[] = {0, 2, 4, 8};
  if (v.size < 5)
    return 0;
  unsigned descriptor = v.data[4];
  bool single = descriptor & 0x20;
  unsigned content = descriptor >> 6;
  return 5 + (single ? 0 : 1) + dictionary_bytes[descriptor & 3] + (content || !single ? content_bytes[content] : 1);
}

/* Bytes of the zstd frame at `at`, hopping from block to block; 0 when it does not end before `end`. */
static uint64_t zstd_extent(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  if (source_view(w->source, at, 18, &v) != SOURCE_OK)
    return 0;
  bool checksum = v.size > 4 && (v.data[4] & 4);
  unsigned header = zstd_header_size(v);
  uint64_t pos = at + header;
  for (bool last = false; !last;) {
    if (header == 0 || !range_fits(pos, 3, end) || source_view(w->source, pos, 3, &v) != SOURCE_OK || v.size < 3)
      return 0;
    uint64_t block = view_uint(v, 0, 3), type = block >> 1 & 3;
    last = block & 1;
    uint64_t size = type == 1 ? 1 : block >> 3; /* an RLE block stores one byte */
    if (type == 3 || size > end - pos - 3)
      return 0;
    pos += 3 + size;
  }
  if (checksum && !range_fits(pos, 4, end))
    return 0;
  return pos + (checksum ? 4 : 0) - at;
}

uint64_t walk_zstd_cubin(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  uint8_t head[CUBIN_HEADER_SIZE];
  struct cubin_header h;
  size_t want = end - at < SOURCE_WINDOW ? (size_t)(end - at) : SOURCE_WINDOW;
  if (source_view(w->source, at, want, &v) != SOURCE_OK)
    return at + 4;
  size_t got = payload_head(v, CUW_ZSTD, head, sizeof head);
  if (got < sizeof head || !cubin_header_decode((struct view){head, got}, &h))
    return at + 4;
  uint64_t declared = zstd_content_size(v), size = zstd_extent(w, at, end);
  if (size == 0) {
    library_problem(w->library, CUW_ERROR, "cubin-truncated", at, NULL,
                    "the compressed cubin runs past the end of what holds it");
    size = end - at;
  }
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  fill_bare(image, CUW_KIND_CUBIN, size, declared != CUW_NONE ? declared : cubin_extent(&h));
  image->compression = CUW_ZSTD;
  read_facts(w->source, w->library, image, &h, &w->buffers);
  return at + size;
}

/* Bytes of the text at `at`: up to the first NUL, or to `end`. */
static uint64_t text_extent(struct walk *w, uint64_t at, uint64_t end)
{
  for (uint64_t pos = at; pos < end;) {
    struct view v;
    size_t want = end - pos < SOURCE_WINDOW ? (size_t)(end - pos) : SOURCE_WINDOW;
    if (source_view(w->source, pos, want, &v) != SOURCE_OK && v.size == 0)
      return pos - at;
    const uint8_t *nul = memchr(v.data, 0, v.size);
    if (nul)
      return pos - at + (uint64_t)(nul - v.data);
    pos += v.size;
  }
  return end - at;
}

/* The producer names itself in a comment that stands before .version. */
static void text_toolkit(struct walk *w, struct cuw_image *image)
{
  uint64_t at = image->offset, begin = w->region->begin;
  if (at - begin > PTX_COMMENT_MAX)
    begin = at - PTX_COMMENT_MAX;
  struct view v;
  char toolkit[8];
  if (at == begin || source_view(w->source, begin, (size_t)(at - begin), &v) != SOURCE_OK)
    return;
  const uint8_t *nul = memrchr(v.data, 0, v.size);
  size_t skip = nul ? (size_t)(nul - v.data) + 1 : 0;
  if (ptx_toolkit(view_part(v, skip, v.size - skip), toolkit))
    set_toolkit(w->library, image, toolkit);
}

uint64_t walk_ptx_text(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  struct ptx_header h;
  size_t want = end - at < PTX_HEADER_MAX ? (size_t)(end - at) : PTX_HEADER_MAX;
  if (source_view(w->source, at, want, &v) != SOURCE_OK && v.size == 0)
    return at + 8;
  if (!ptx_header_at(v, &h))
    return at + 8;
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  uint64_t size = text_extent(w, at, end);
  fill_bare(image, CUW_KIND_PTX, size, size);
  image->arch = h.arch;
  image->isa_major = h.isa_major;
  image->isa_minor = h.isa_minor;
  image->debug = h.debug;
  image->bits = h.bits;
  text_toolkit(w, image);
  return at + size;
}
