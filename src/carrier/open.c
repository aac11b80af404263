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

enum image_open_status image_read(struct source *s, const struct cuw_image *image, uint64_t cap,
                                  struct payload_buffer *stored, struct view *bytes)
{
  bool part = image->part_offset != CUW_NONE;
  uint64_t size = part ? image->parent_stored : image->stored_size;
  *bytes = (struct view){NULL, 0};
  if (!part && size > image->payload_size)
    return IMAGE_OPEN_DAMAGED;
  if (size > cap)
    return IMAGE_OPEN_TOO_BIG;
  enum image_open_status status = read_stored(s, image->data_offset, size, stored);
  if (status == IMAGE_OPEN_OK)
    *bytes = (struct view){stored->data, (size_t)size};
  return status;
}

void image_buffers_forget(struct image_buffers *b)
{
  b->whole_source = NULL;
}

/* Sub-entries of one concatenation come one after the other: it is decompressed once. `from` tells concatenations at
 * the same offset of different sources apart. */
static enum image_open_status decode(const struct cuw_image *image, const void *from, struct view bytes, uint64_t cap,
                                     struct image_buffers *b, struct view *out)
{
  bool part = image->part_offset != CUW_NONE;
  bool known = part && b->whole_source == from && b->whole == image->data_offset;
  struct view whole = {b->plain.data, b->whole_size};
  if (!known || image->compression == CUW_STORED) {
    b->whole_source = NULL;
    enum image_open_status status =
        from_payload(payload_decompress(bytes, (enum cuw_compression)image->compression,
                                        part ? image->parent_size : image->size, cap, &b->plain, &whole));
    if (!part || status != IMAGE_OPEN_OK) {
      *out = whole;
      return status;
    }
    if (image->compression != CUW_STORED) {
      b->whole_source = from;
      b->whole = image->data_offset;
      b->whole_size = whole.size;
    }
  }
  *out = view_part(whole, image->part_offset, image->size);
  return out->data ? IMAGE_OPEN_OK : IMAGE_OPEN_SIZE;
}

enum image_open_status image_decode(const struct cuw_image *image, struct view bytes, uint64_t cap,
                                    struct image_buffers *b, struct view *out)
{
  return decode(image, bytes.data, bytes, cap, b, out);
}

enum image_open_status image_open(struct source *s, const struct cuw_image *image, uint64_t cap,
                                  struct image_buffers *b, struct view *out)
{
  struct view bytes = {NULL, 0};
  *out = bytes;
  bool known = image->part_offset != CUW_NONE && image->compression != CUW_STORED && b->whole_source == s &&
               b->whole == image->data_offset;
  if (!known) {
    enum image_open_status status = image_read(s, image, cap, &b->stored, &bytes);
    if (status != IMAGE_OPEN_OK)
      return status;
  }
  return decode(image, s, bytes, cap, b, out);
}
