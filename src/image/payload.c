/* SPDX-License-Identifier: Apache-2.0 */
/* zstd frames and raw LZ4 blocks: docs/format.md section 3. */
#include "image/payload.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Window sizes of shipped payloads were not measured (docs/format.md 12): 128 MiB is what the zstd tool takes. */
#define ZSTD_WINDOW_LOG 27

void payload_buffer_free(struct payload_buffer *b)
{
  free(b->data);
  ZSTD_freeDCtx(b->zstd);
  *b = (struct payload_buffer){0};
}

static uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* What a payload may be given at once; a larger claim must first show that its bytes are there. */
static uint64_t plausible_size(struct view stored)
{
  const uint64_t always = (uint64_t)1 << 20, ratio = 1024;
  return stored.size * ratio > always ? stored.size * ratio : always;
}

/* Keeps the first `used` bytes. */
static bool reserve(struct payload_buffer *b, uint64_t size, size_t used)
{
  if (size <= b->capacity && b->data != NULL)
    return true;
  if (size > SIZE_MAX)
    return false;
  if (used == 0) { /* nothing to carry over */
    if (b->capacity > 0 && size <= SIZE_MAX / 2)
      size += size / 4; /* images grow in small steps, and every step is fresh memory */
    free(b->data);
    *b = (struct payload_buffer){.zstd = b->zstd};
  }
  uint8_t *data = realloc(b->data, size > 0 ? (size_t)size : 1);
  if (data == NULL)
    return false;
  b->data = data;
  b->capacity = (size_t)size;
  return true;
}

/* zstd's own functions also take skippable frames, which hold no image. */
static bool zstd_frame_starts(struct view v)
{
  return v.size >= 4 && view_uint(v, 0, 4) == ZSTD_MAGICNUMBER;
}

static ZSTD_DCtx *zstd_start(struct payload_buffer *b)
{
  if (b->zstd == NULL)
    b->zstd = ZSTD_createDCtx();
  ZSTD_DCtx *d = b->zstd;
  if (d == NULL)
    return NULL;
  ZSTD_DCtx_reset(d, ZSTD_reset_session_only);
  ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
  return d;
}

static enum payload_status zstd_fault(size_t code)
{
  switch (ZSTD_getErrorCode(code)) {
  case ZSTD_error_memory_allocation:
    return PAYLOAD_MEMORY;
  case ZSTD_error_frameParameter_windowTooLarge:
    return PAYLOAD_TOO_BIG;
  default:
    return PAYLOAD_DAMAGED;
  }
}

/* A frame that fits the buffer as it claims needs no window beside it: half the memory of a stream. */
static enum payload_status zstd_at_once(ZSTD_DCtx *d, struct view stored, struct payload_buffer *b, size_t size,
                                        struct view *out)
{
  size_t done = ZSTD_decompressDCtx(d, b->data, size, stored.data, stored.size);
  if (ZSTD_isError(done))
    return zstd_fault(done);
  *out = (struct view){b->data, done};
  return done == size ? PAYLOAD_OK : PAYLOAD_SIZE;
}

static enum payload_status zstd_decompress(struct view stored, uint64_t declared, uint64_t cap,
                                           struct payload_buffer *b, struct view *out)
{
  uint64_t extent = zstd_frame_extent(stored);
  if (extent == 0)
    return PAYLOAD_DAMAGED;
  uint64_t limit = least(declared, cap);
  if (!reserve(b, least(limit, plausible_size(stored)), 0))
    return PAYLOAD_MEMORY;
  ZSTD_DCtx *d = zstd_start(b);
  if (d == NULL)
    return PAYLOAD_MEMORY;
  if (extent == stored.size && declared <= b->capacity && limit == declared && zstd_content_size(stored) == declared)
    return zstd_at_once(d, stored, b, (size_t)declared, out);

  ZSTD_inBuffer in = {stored.data, stored.size, 0};
  size_t done = 0, left = 1;
  while (left != 0) {
    size_t room = (size_t)least(limit, b->capacity), eaten = in.pos;
    ZSTD_outBuffer o = {b->data, room, done};
    left = ZSTD_decompressStream(d, &o, &in);
    if (ZSTD_isError(left))
      return zstd_fault(left);
    bool stuck = o.pos == done && in.pos == eaten;
    done = o.pos;
    if (left == 0 || (done < room && !stuck))
      continue;
    if (done < room)
      return PAYLOAD_DAMAGED;
    if (room == limit) {
      if (!stuck)
        continue; /* the end of the frame may still be due */
      *out = (struct view){b->data, limit == declared ? done : 0};
      return limit == declared ? PAYLOAD_SIZE : PAYLOAD_TOO_BIG;
    }
    if (!reserve(b, least(limit, 2 * (uint64_t)room), done))
      return PAYLOAD_MEMORY;
  }
  if (in.pos != in.size)
    return PAYLOAD_DAMAGED;
  *out = (struct view){b->data, done};
  return done == declared ? PAYLOAD_OK : PAYLOAD_SIZE;
}

/* A length that a token's four bits begin and further bytes continue. false: the block ends first. */
static bool lz4_length(struct cursor *c, uint64_t *length)
{
  if (*length < 15)
    return true;
  uint8_t more;
  do {
    more = cursor_u8(c);
    *length += more;
  } while (more == 255 && !c->failed);
  return !c->failed;
}

/* Decompressed bytes of a whole LZ4 block by its sequences alone; CUW_NONE where it is broken. */
static uint64_t lz4_block_size(struct view block)
{
  const uint64_t shortest_match = 4;
  uint64_t size = 0;
  struct cursor c = cursor_at(block, 0);
  while (!c.failed && c.at < block.size) {
    uint8_t token = cursor_u8(&c);
    uint64_t literals = token >> 4, match = token & 15;
    if (!lz4_length(&c, &literals) || literals > block.size - c.at)
      return CUW_NONE;
    c.at += (size_t)literals;
    size += literals;
    if (c.at == block.size)
      return size; /* the last sequence is literals alone */
    uint16_t distance = cursor_u16(&c);
    if (c.failed || distance == 0 || distance > size || !lz4_length(&c, &match))
      return CUW_NONE;
    size += match + shortest_match;
  }
  return CUW_NONE;
}

static enum payload_status lz4_decompress(struct view stored, uint64_t declared, uint64_t cap, struct payload_buffer *b,
                                          struct view *out)
{
  if (stored.size == 0 || stored.size > INT_MAX)
    return stored.size == 0 ? PAYLOAD_DAMAGED : PAYLOAD_TOO_BIG;
  uint64_t room = least(least(declared, cap), INT_MAX), size = CUW_NONE;
  if (room > plausible_size(stored)) {
    size = lz4_block_size(stored);
    if (size == CUW_NONE)
      return PAYLOAD_DAMAGED;
    room = least(room, size);
  }
  if (!reserve(b, room, 0))
    return PAYLOAD_MEMORY;
  const char *from = (const char *)stored.data;
  char *to = (char *)b->data;
  int done = LZ4_decompress_safe(from, to, (int)stored.size, (int)room);
  if (done >= 0) {
    *out = (struct view){b->data, (size_t)done};
    return (uint64_t)done == declared ? PAYLOAD_OK : PAYLOAD_SIZE;
  }

  if (size == CUW_NONE)
    size = lz4_block_size(stored);
  if (size == CUW_NONE || size <= room)
    return PAYLOAD_DAMAGED;
  if (declared > cap || room < declared)
    return PAYLOAD_TOO_BIG;
  done = LZ4_decompress_safe_partial(from, to, (int)stored.size, (int)room, (int)room);
  if (done < 0)
    return PAYLOAD_DAMAGED;
  *out = (struct view){b->data, (size_t)done};
  return PAYLOAD_SIZE;
}

enum payload_status payload_decompress(struct view stored, enum cuw_compression compression, uint64_t declared,
                                       uint64_t cap, struct payload_buffer *b, struct view *out)
{
  *out = (struct view){NULL, 0};
  switch (compression) {
  case CUW_STORED:
    *out = (struct view){stored.data, (size_t)least(stored.size, declared)};
    return stored.size == declared ? PAYLOAD_OK : PAYLOAD_SIZE;
  case CUW_ZSTD:
    return zstd_decompress(stored, declared, cap, b, out);
  case CUW_LZ4:
    return lz4_decompress(stored, declared, cap, b, out);
  case CUW_COMPRESSION_UNKNOWN:
    break;
  }
  return PAYLOAD_UNKNOWN;
}

static size_t zstd_head(struct view stored, uint8_t *out, size_t want)
{
  struct payload_buffer b = {0};
  ZSTD_DCtx *d = zstd_frame_starts(stored) ? zstd_start(&b) : NULL;
  ZSTD_inBuffer in = {stored.data, stored.size, 0};
  ZSTD_outBuffer o = {out, want, 0};
  while (d != NULL && o.pos < want) {
    size_t eaten = in.pos, done = o.pos;
    size_t left = ZSTD_decompressStream(d, &o, &in);
    if (left == 0 || ZSTD_isError(left) || (in.pos == eaten && o.pos == done))
      break;
  }
  payload_buffer_free(&b);
  return o.pos;
}

static size_t lz4_head(struct view stored, uint8_t *out, size_t want)
{
  if (stored.size > INT_MAX)
    stored.size = INT_MAX;
  if (want > INT_MAX)
    want = INT_MAX;
  if (stored.size == 0)
    return 0;
  int done =
      LZ4_decompress_safe_partial((const char *)stored.data, (char *)out, (int)stored.size, (int)want, (int)want);
  return done > 0 ? (size_t)done : 0;
}

size_t payload_head(struct view stored, enum cuw_compression compression, uint8_t *out, size_t want)
{
  if (want == 0 || stored.size == 0)
    return 0;
  switch (compression) {
  case CUW_STORED:
    if (want > stored.size)
      want = stored.size;
    memcpy(out, stored.data, want);
    return want;
  case CUW_ZSTD:
    return zstd_head(stored, out, want);
  case CUW_LZ4:
    return lz4_head(stored, out, want);
  case CUW_COMPRESSION_UNKNOWN:
    break;
  }
  return 0;
}

uint64_t zstd_frame_extent(struct view stored)
{
  if (!zstd_frame_starts(stored))
    return 0;
  size_t extent = ZSTD_findFrameCompressedSize(stored.data, stored.size);
  return ZSTD_isError(extent) ? 0 : extent;
}

uint64_t zstd_content_size(struct view stored)
{
  if (!zstd_frame_starts(stored))
    return CUW_NONE;
  unsigned long long size = ZSTD_getFrameContentSize(stored.data, stored.size);
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? CUW_NONE : size;
}
