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

/* A frame of some kilobytes can claim any size; what stands in the file takes its bytes. */
#define BARE_CUBIN_MAX ((uint64_t)256 << 20)
#define PACKED_CUBIN_MAX ((uint64_t)64 << 20)
#define PTX_COMMENT_MAX ((uint64_t)1024) /* what ptxas and NVRTC write before .version is some hundred bytes */
/* Trials that come to nothing may take this often the file's size and some. */
#define TRIED_MORE ((uint64_t)8)
#define TRIED_FREE ((uint64_t)4 << 20)
#define ZSTD_HEADER_MAX ((size_t)18)
#define ZSTD_BLOCK_MAX ((uint64_t)128 << 10)
#define ZSTD_TRY_COST ((uint64_t)8 << 10) /* of the smallest block: a decoder is set up */

enum { BLOCK_RAW, BLOCK_REPEATED, BLOCK_COMPRESSED, BLOCK_RESERVED };

bool walk_may_try(struct walk *w, uint64_t at, uint64_t cost)
{
  if (w->gave_up)
    return false;
  w->tried += cost;
  if (w->tried / TRIED_MORE <= TRIED_FREE + w->source->size)
    return true;
  w->gave_up = true;
  library_problem(w->library, CUW_ERROR, "search-given-up", at, NULL,
                  "too much here looks like PTX or compressed code and is none; images behind it may be missing");
  return false;
}

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
  uint64_t cap = image->compression == CUW_STORED ? BARE_CUBIN_MAX : PACKED_CUBIN_MAX;
  enum image_open_status status = image_open(s, image, cap, b, &v);
  if (status == IMAGE_OPEN_TOO_BIG)
    library_problem(l, CUW_ERROR, "payload-too-big", image->offset, NULL,
                    "the cubin is too large to be opened for its suffix and toolkit");
  if (status != IMAGE_OPEN_OK || !cubin_facts_read(v, &f, &damage))
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
  bool truncated = size > end - at;
  if (truncated) {
    library_problem(w->library, CUW_ERROR, "cubin-truncated", at, NULL, "the cubin runs past the end of what holds it");
    size = end - at;
  }
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  fill_bare(image, CUW_KIND_CUBIN, size, size);
  /* What lies behind the header of a truncated one may be something else. */
  if (truncated) {
    set_header(w->library, image, &h);
    return at + CUBIN_HEADER_SIZE;
  }
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

/* Follows the blocks of the zstd frame at `at`, whose header takes `header` bytes (RFC 8878 3.1.1.2). Returns where it
 * ends; *whole is false when it breaks off, at the block that is returned. */
static uint64_t zstd_end(struct walk *w, uint64_t at, unsigned header, uint64_t end, bool checksum, bool *whole)
{
  uint64_t pos = at + header;
  *whole = false;
  for (bool last = false; !last;) {
    struct view v;
    if (!range_fits(pos, 3, end) || source_view(w->source, pos, 3, &v) != SOURCE_OK || v.size < 3)
      return pos;
    uint64_t block = view_uint(v, 0, 3), type = block >> 1 & 3;
    last = block & 1;
    uint64_t size = type == BLOCK_REPEATED ? 1 : block >> 3; /* which stores one byte */
    if (type == BLOCK_RESERVED || size > end - pos - 3)
      return pos;
    pos += 3 + size;
  }
  if (checksum && !range_fits(pos, 4, end))
    return pos;
  *whole = true;
  return pos + (checksum ? 4 : 0);
}

/* Whether the first block of the frame in `v` decompresses to the start of a cubin. */
static bool starts_cubin(struct walk *w, uint64_t at, unsigned header, uint64_t end, struct cubin_header *h)
{
  struct view v;
  uint8_t head[CUBIN_HEADER_SIZE];
  if (!range_fits(at, header + 3, end) || source_view(w->source, at, header + 3, &v) != SOURCE_OK)
    return false;
  uint64_t block = view_uint(v, header, 3), size = block >> 3, type = block >> 1 & 3;
  if (type == BLOCK_REPEATED || type == BLOCK_RESERVED || size > ZSTD_BLOCK_MAX || size > end - at - header - 3)
    return false;
  if (source_view(w->source, at, header + 3 + (size_t)size, &v) != SOURCE_OK)
    return false;
  if (type == BLOCK_RAW)
    return cubin_header_decode(view_part(v, header + 3, size), h);
  uint64_t cost = size < ZSTD_TRY_COST ? ZSTD_TRY_COST : size;
  if (!walk_may_try(w, at, cost) || payload_head(v, CUW_ZSTD, head, sizeof head) < sizeof head ||
      !cubin_header_decode((struct view){head, sizeof head}, h))
    return false;
  w->tried -= cost;
  return true;
}

uint64_t walk_zstd_cubin(struct walk *w, uint64_t at, uint64_t end)
{
  struct view v;
  struct cubin_header h;
  if (source_view(w->source, at, ZSTD_HEADER_MAX, &v) != SOURCE_OK)
    return at + 4;
  unsigned header = zstd_header_size(v);
  uint64_t declared = zstd_content_size(v);
  bool checksum = v.size > 4 && (v.data[4] & 4), whole;
  if (header == 0 || !starts_cubin(w, at, header, end, &h))
    return at + 4;
  uint64_t behind = zstd_end(w, at, header, end, checksum, &whole);
  if (!whole)
    library_problem(w->library, CUW_ERROR, "cubin-truncated", at, NULL,
                    "the compressed cubin breaks off or runs past the end of what holds it");
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  uint64_t size = (whole ? behind : end) - at;
  fill_bare(image, CUW_KIND_CUBIN, size, declared != CUW_NONE ? declared : cubin_extent(&h));
  image->compression = CUW_ZSTD;
  if (whole)
    read_facts(w->source, w->library, image, &h, &w->buffers);
  else
    set_header(w->library, image, &h);
  return behind;
}

/* Bytes of the text at `at`: up to the first NUL, or to `end`. */
static uint64_t text_extent(struct walk *w, uint64_t at, uint64_t end)
{
  size_t want = PTX_HEADER_MAX; /* texts may be short and many */
  for (uint64_t pos = at; pos < end; want = want < SOURCE_WINDOW / 4 ? want * 4 : SOURCE_WINDOW) {
    struct view v;
    if (want > end - pos)
      want = (size_t)(end - pos);
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
  if (!walk_may_try(w, at, v.size) || !ptx_header_at(v, &h))
    return at + 8;
  w->tried -= v.size;
  struct cuw_image *image = walk_add_image(w, at);
  if (!image)
    return end;
  text_toolkit(w, image);
  uint64_t size = text_extent(w, at, end);
  fill_bare(image, CUW_KIND_PTX, size, size);
  image->arch = h.arch;
  image->isa_major = h.isa_major;
  image->isa_minor = h.isa_minor;
  image->debug = h.debug;
  image->bits = h.bits;
  return at + size;
}
