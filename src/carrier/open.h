/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one image: read, and decompressed where they are. */
#ifndef CARRIER_OPEN_H
#define CARRIER_OPEN_H

#include "cuwheel/library.h"
#include "image/payload.h"
#include "input/source.h"

/* Buffers that are reused from image to image. Zero-initialise; free with image_buffers_free. */
struct image_buffers {
  struct payload_buffer stored;
  struct payload_buffer plain;
  uint64_t whole; /* payload of the concatenation in `plain`, by its offset in the library; CUW_NONE: not one */
  const void *whole_source;
  size_t whole_size;
};
void image_buffers_free(struct image_buffers *b);

enum image_open_status {
  IMAGE_OPEN_OK = 0,
  IMAGE_OPEN_READ,    /* its stored bytes cannot be read */
  IMAGE_OPEN_DAMAGED, /* the frame or block is broken */
  IMAGE_OPEN_SIZE,    /* decompresses to another size than declared; *out shows what came */
  IMAGE_OPEN_TOO_BIG, /* larger than `cap` */
  IMAGE_OPEN_UNKNOWN, /* a compression that is not known */
  IMAGE_OPEN_MEMORY
};

/* Shows the decompressed image until the next call with the same buffers. `cap`: bytes, at most, of what is read and of
 * what comes out. */
enum image_open_status image_open(struct source *s, const struct cuw_image *image, uint64_t cap,
                                  struct image_buffers *b, struct view *out);

/* The same in two steps, so that one thread reads and others decompress. image_read shows the stored bytes (of a
 * sub-entry: of its concatenation) until `stored` is used again. image_decode shows the image until the next call with
 * the same buffers; several sub-entries of one concatenation cost one decompression until image_buffers_forget, which
 * has to come before bytes of another one. */
enum image_open_status image_read(struct source *s, const struct cuw_image *image, uint64_t cap,
                                  struct payload_buffer *stored, struct view *bytes);
enum image_open_status image_decode(const struct cuw_image *image, struct view bytes, uint64_t cap,
                                    struct image_buffers *b, struct view *out);
void image_buffers_forget(struct image_buffers *b);

#endif
