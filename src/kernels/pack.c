/* SPDX-License-Identifier: Apache-2.0 */
/* A zstd frame over records, each behind its length in four bytes. */
#include "kernels/pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 1
#define PIECE ((size_t)256 << 10)
#define LENGTH_BYTES 4u

/* Bytes that grow. */
struct bytes {
  uint8_t *data;
  size_t size, room;
};

static bool bytes_reserve(struct bytes *b, size_t more)
{
  if (more <= b->room - b->size)
    return true;
  size_t room = b->room * 2 > b->size + more ? b->room * 2 : b->size + more;
  uint8_t *data = realloc(b->data, room);
  if (!data)
    return false;
  b->data = data;
  b->room = room;
  return true;
}

static bool bytes_add(struct bytes *b, const void *data, size_t size)
{
  if (!bytes_reserve(b, size))
    return false;
  if (size)
    memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

void pack_free(struct pack *p)
{
  free(p->data);
  *p = (struct pack){0};
}

struct packer {
  ZSTD_CCtx *zstd;
  struct bytes plain, packed;
  bool failed;
};

struct packer *packer_new(void)
{
  struct packer *p = calloc(1, sizeof *p);
  if (p)
    p->zstd = ZSTD_createCCtx();
  if (!p || !p->zstd) {
    free(p);
    return NULL;
  }
  ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
  return p;
}

void packer_free(struct packer *p)
{
  if (!p)
    return;
  ZSTD_freeCCtx(p->zstd);
  free(p->plain.data);
  free(p->packed.data);
  free(p);
}

static void compress(struct packer *p, ZSTD_EndDirective end)
{
  ZSTD_inBuffer in = {p->plain.data, p->plain.size, 0};
  size_t left;
  do {
    if (!bytes_reserve(&p->packed, ZSTD_CStreamOutSize())) {
      p->failed = true;
      return;
    }
    ZSTD_outBuffer out = {p->packed.data, p->packed.room, p->packed.size};
    left = ZSTD_compressStream2(p->zstd, &out, &in, end);
    p->packed.size = out.pos;
    p->failed |= ZSTD_isError(left) != 0;
  } while (!p->failed && (in.pos < in.size || (end == ZSTD_e_end && left)));
  p->plain.size = 0;
}

void packer_add(struct packer *p, struct view record)
{
  uint8_t length[LENGTH_BYTES];
  if (p->failed || record.size > UINT32_MAX) {
    p->failed = true;
    return;
  }
  for (unsigned i = 0; i < LENGTH_BYTES; i++)
    length[i] = (uint8_t)(record.size >> (8 * i));
  p->failed = !bytes_add(&p->plain, length, sizeof length) || !bytes_add(&p->plain, record.data, record.size);
  if (!p->failed && p->plain.size >= PIECE)
    compress(p, ZSTD_e_continue);
}

bool packer_finish(struct packer *p, struct pack *out)
{
  *out = (struct pack){0};
  if (!p->failed)
    compress(p, ZSTD_e_end);
  if (p->failed)
    return false;
  uint8_t *exact = realloc(p->packed.data, p->packed.size);
  *out = (struct pack){exact ? exact : p->packed.data, p->packed.size};
  p->packed = (struct bytes){0};
  return true;
}

struct unpacker {
  ZSTD_DCtx *zstd;
  ZSTD_inBuffer in;
  struct bytes plain;
  size_t at; /* of the next record in `plain` */
};

struct unpacker *unpacker_new(const struct pack *p)
{
  struct unpacker *u = calloc(1, sizeof *u);
  if (u)
    u->zstd = ZSTD_createDCtx();
  if (!u || !u->zstd) {
    free(u);
    return NULL;
  }
  u->in = (ZSTD_inBuffer){p->data, p->size, 0};
  return u;
}

void unpacker_free(struct unpacker *u)
{
  if (!u)
    return;
  ZSTD_freeDCtx(u->zstd);
  free(u->plain.data);
  free(u);
}

/* Makes `size` bytes stand at `at`. false: fewer are left, or memory is out. */
static bool fill(struct unpacker *u, size_t size, bool *failed)
{
  if (u->plain.size - u->at < size && u->at > 0) {
    memmove(u->plain.data, u->plain.data + u->at, u->plain.size - u->at);
    u->plain.size -= u->at;
    u->at = 0;
  }
  while (u->plain.size < size) {
    size_t missing = size - u->plain.size;
    if (!bytes_reserve(&u->plain, missing > PIECE ? missing : PIECE)) {
      *failed = true;
      return false;
    }
    ZSTD_outBuffer out = {u->plain.data, u->plain.room, u->plain.size};
    size_t left = ZSTD_decompressStream(u->zstd, &out, &u->in);
    bool stuck = out.pos == u->plain.size && u->in.pos == u->in.size;
    u->plain.size = out.pos;
    if (ZSTD_isError(left)) {
      *failed = true;
      return false;
    }
    if (stuck)
      return false;
  }
  return true;
}

bool unpacker_next(struct unpacker *u, struct view *record, bool *failed)
{
  *failed = false;
  if (!fill(u, LENGTH_BYTES, failed))
    return false;
  size_t length = (size_t)view_uint((struct view){u->plain.data, u->plain.size}, u->at, LENGTH_BYTES);
  if (!fill(u, LENGTH_BYTES + length, failed))
    return false;
  *record = (struct view){u->plain.data + u->at + LENGTH_BYTES, length};
  u->at += LENGTH_BYTES + length;
  return true;
}
