/* SPDX-License-Identifier: Apache-2.0 */
#include "input/inflate_backend.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define RAW_WINDOW_BITS (-15)

static void *zlib_create(void)
{
  z_stream *z = calloc(1, sizeof *z);
  if (z && inflateInit2(z, RAW_WINDOW_BITS) != Z_OK) {
    free(z);
    return NULL;
  }
  return z;
}

static void zlib_destroy(void *state)
{
  inflateEnd(state);
  free(state);
}

static void zlib_reset(void *state)
{
  inflateReset2(state, RAW_WINDOW_BITS);
}

static bool zlib_copy(void *to, const void *from)
{
  inflateEnd(to);
  return inflateCopy(to, (z_stream *)(uintptr_t)from) == Z_OK;
}

static unsigned capped(size_t size)
{
  return size > UINT_MAX ? UINT_MAX : (unsigned)size;
}

static enum inflate_result zlib_step(void *state, struct inflate_io *io)
{
  z_stream *z = state;
  unsigned in_size = capped(io->in_size), out_size = capped(io->out_size);
  z->next_in = (Bytef *)(uintptr_t)io->in;
  z->avail_in = in_size;
  z->next_out = io->out;
  z->avail_out = out_size;
  int result = inflate(z, Z_NO_FLUSH);
  io->in += in_size - z->avail_in;
  io->in_size -= in_size - z->avail_in;
  io->out += out_size - z->avail_out;
  io->out_size -= out_size - z->avail_out;
  switch (result) {
  case Z_OK:
  case Z_BUF_ERROR:
    return INFLATE_MORE;
  case Z_STREAM_END:
    return INFLATE_END;
  case Z_MEM_ERROR:
    return INFLATE_MEMORY;
  default:
    return INFLATE_BAD;
  }
}

/* zlib gives whole bytes back by itself. */
static size_t zlib_unused(const void *state)
{
  (void)state;
  return 0;
}

static uint32_t zlib_crc32(uint32_t crc, const void *data, size_t size)
{
  return (uint32_t)crc32_z(crc, data, size);
}

static const struct inflate_backend zlib_backend = {
    .name = "zlib",
    .create = zlib_create,
    .destroy = zlib_destroy,
    .reset = zlib_reset,
    .copy = zlib_copy,
    .step = zlib_step,
    .unused = zlib_unused,
    .crc32 = zlib_crc32,
};

const struct inflate_backend *inflate_zlib(void)
{
  return &zlib_backend;
}
