/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of payloads into a buffer that is reused; docs/format.md section 3. */
#ifndef IMAGE_PAYLOAD_H
#define IMAGE_PAYLOAD_H

#include "base/view.h"
#include "cuwheel/image.h"

/* Default cap of one decompressed image, bytes. */
#define PAYLOAD_SIZE_MAX ((uint64_t)2 << 30)

enum payload_status {
  PAYLOAD_OK = 0,
  PAYLOAD_DAMAGED, /* the frame or block is broken */
  PAYLOAD_SIZE,    /* decompresses to another size than declared */
  PAYLOAD_TOO_BIG, /* larger than the cap */
  PAYLOAD_UNKNOWN, /* a compression that is not known */
  PAYLOAD_MEMORY
};

/* Owns the buffer; zero-initialise, free with payload_buffer_free. */
struct payload_buffer {
  uint8_t *data;
  size_t capacity;
  void *zstd; /* the decoder's state, kept from call to call */
};
void payload_buffer_free(struct payload_buffer *b);

/* Decompresses `stored` (exactly the compressed bytes) into b; *out shows them until the next call. `declared` is the
 * size from the header: hostile, so memory grows with what comes out, never with the claim alone (an LZ4 block cannot
 * exceed 255 times its input; a zstd frame is decoded as a stream). On PAYLOAD_SIZE, *out still shows what came out,
 * up to the declared size; on other failures it is empty. Stored payloads are returned as they are, at most the
 * declared size of them. */
enum payload_status payload_decompress(struct view stored, enum cuw_compression compression, uint64_t declared,
                                       uint64_t cap, struct payload_buffer *b, struct view *out);

/* The first bytes of a zstd frame or LZ4 block whose tail may be missing: decodes up to `want` bytes into out. Returns
 * how many came; 0 when nothing could be decoded. A zstd frame gives nothing before its first block is whole. */
size_t payload_head(struct view stored, enum cuw_compression compression, uint8_t *out, size_t want);

/* Bytes of the zstd frame that starts `stored` (its own block headers tell), 0 when it is none or is cut. */
uint64_t zstd_frame_extent(struct view stored);
/* Content size that a zstd frame header names; CUW_NONE when it names none or is no frame. */
uint64_t zstd_content_size(struct view stored);

#endif
