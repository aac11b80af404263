/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/open.h"

#include <stdlib.h>

#define FIRST_PIECE ((size_t)64 << 10)

void image_buffers_free(struct image_buffers *b)
{
  payload_buffer_free(&b->stored);
  payload_buffer_free(&b->plain);
  *b = (struct image_buffers){0};
}

static bool reserve(struct payload_buffer *b, size_t size)
{
  if (size <= b->capacity)
    return true;
  uint8_t *more = realloc(b->data, size);
  if (!more)
    return false;
  b->data = more;
  b->capacity = size;
  return true;
}

/* Memory follows bytes that came: a size that a damaged stream cannot fill costs no more than twice what it holds. */
static enum image_open_status read_stored(struct source *s, uint64_t offset, uint64_t size, struct payload_buffer *b)
{
  if (!range_fits(offset, size, s->size))
    return IMAGE_OPEN_READ;
  size_t done = 0, step = FIRST_PIECE;
  while (done < size) {
    if (step > size - done)
      step = (size_t)size - done;
    if (!reserve(b, done + step))
      return IMAGE_OPEN_MEMORY;
    if (source_read(s, offset + done, b->data + done, step) != SOURCE_OK)
      return IMAGE_OPEN_READ;
    done += step;
    step = done;
  }
  return reserve(b, 1) ? IMAGE_OPEN_OK : IMAGE_OPEN_MEMORY;
}

static enum image_open_status from_payload(enum payload_status status)
{
  switch (status) {
  case PAYLOAD_OK:
    return IMAGE_OPEN_OK;
  case PAYLOAD_DAMAGED:
    return IMAGE_OPEN_DAMAGED;
  case PAYLOAD_SIZE:
    return IMAGE_OPEN_SIZE;
  case PAYLOAD_TOO_BIG:
    return IMAGE_OPEN_TOO_BIG;
  case PAYLOAD_UNKNOWN:
    return IMAGE_OPEN_UNKNOWN;
  case PAYLOAD_MEMORY:
    break;
  }
  return IMAGE_OPEN_MEMORY;
}

static enum image_open_status decompress(struct source *s, const struct cuw_image *image, uint64_t stored,
                                         uint64_t declared, uint64_t cap, struct image_buffers *b, struct view *out)
{
  if (stored > cap)
    return IMAGE_OPEN_TOO_BIG;
  enum image_open_status status = read_stored(s, image->data_offset, stored, &b->stored);
  if (status != IMAGE_OPEN_OK)
    return status;
  struct view bytes = {b->stored.data, (size_t)stored};
  b->whole_source = NULL;
  return from_payload(
      payload_decompress(bytes, (enum cuw_compression)image->compression, declared, cap, &b->plain, out));
}

/* Sub-entries of one concatenation come one after the other: it is decompressed once. */
static enum image_open_status open_part(struct source *s, const struct cuw_image *image, uint64_t cap,
                                        struct image_buffers *b, struct view *out)
{
  struct view whole = {b->plain.data, b->whole_size};
  if (b->whole_source != s || b->whole != image->data_offset || image->compression == CUW_STORED) {
    enum image_open_status status = decompress(s, image, image->parent_stored, image->parent_size, cap, b, &whole);
    if (status != IMAGE_OPEN_OK)
      return status;
    if (image->compression != CUW_STORED) {
      b->whole_source = s;
      b->whole = image->data_offset;
      b->whole_size = whole.size;
    }
  }
  *out = view_part(whole, image->part_offset, image->size);
  return out->data ? IMAGE_OPEN_OK : IMAGE_OPEN_SIZE;
}

enum image_open_status image_open(struct source *s, const struct cuw_image *image, uint64_t cap,
                                  struct image_buffers *b, struct view *out)
{
  *out = (struct view){NULL, 0};
  if (image->part_offset != CUW_NONE)
    return open_part(s, image, cap, b, out);
  if (image->stored_size > image->payload_size)
    return IMAGE_OPEN_DAMAGED;
  return decompress(s, image, image->stored_size, image->size, cap, b, out);
}
