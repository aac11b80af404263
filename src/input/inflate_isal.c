/* SPDX-License-Identifier: Apache-2.0 */
#include "input/inflate_backend.h"

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

/* total_out has 32 bits and serves only to refuse a distance beyond the start; kept below this it never wraps. */
#define TOTAL_OUT_MAX ((uint32_t)1 << 30)

struct isal_state {
  struct inflate_state stream; /* the first: the functions below take it by itself */
  bool bad;                    /* a fault is found, behind what the stream still keeps */
};

static void isal_reset(void *state)
{
  struct isal_state *own = state;
  own->bad = false;
  isal_inflate_init(&own->stream);
}

static void *isal_create(void)
{
  void *state = malloc(sizeof(struct isal_state));
  if (state)
    isal_reset(state);
  return state;
}

static void isal_destroy(void *state)
{
  free(state);
}

/* The state keeps its history inside, so that a plain copy resumes; the four stream pointers are set by each step. */
static bool isal_copy(void *to, const void *from)
{
  memcpy(to, from, sizeof(struct isal_state));
  return true;
}

static uint32_t capped(size_t size)
{
  return size > TOTAL_OUT_MAX ? TOTAL_OUT_MAX : (uint32_t)size;
}

/* A fault makes ISA-L withhold bytes from before it that had no room: how many, would depend on the steps' sizes. */
static enum inflate_result give_before_fault(struct inflate_state *s, struct inflate_io *io)
{
  size_t left = (size_t)(s->tmp_out_valid - s->tmp_out_processed), size = left < io->out_size ? left : io->out_size;
  memcpy(io->out, s->tmp_out_buffer + s->tmp_out_processed, size);
  s->tmp_out_processed += (int32_t)size;
  io->out += size;
  io->out_size -= size;
  return size < left ? INFLATE_MORE : INFLATE_BAD;
}

static enum inflate_result isal_step(void *state, struct inflate_io *io)
{
  struct isal_state *own = state;
  struct inflate_state *s = &own->stream;
  if (own->bad)
    return give_before_fault(s, io);
  uint32_t in_size = capped(io->in_size), out_size = capped(io->out_size);
  s->next_in = (uint8_t *)(uintptr_t)io->in;
  s->avail_in = in_size;
  s->next_out = io->out;
  s->avail_out = out_size;
  int result = isal_inflate(s);
  io->in += in_size - s->avail_in;
  io->in_size -= in_size - s->avail_in;
  io->out += out_size - s->avail_out;
  io->out_size -= out_size - s->avail_out;
  if (s->total_out > TOTAL_OUT_MAX)
    s->total_out = TOTAL_OUT_MAX;
  if (result != ISAL_DECOMP_OK) {
    own->bad = true;
    return give_before_fault(s, io);
  }
  return s->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_MORE;
}

static size_t isal_unused(const void *state)
{
  const struct inflate_state *s = state;
  return s->read_in_length > 0 ? (size_t)s->read_in_length / 8 : 0;
}

static bool isal_begin(void *state, struct inflate_bits first, const uint8_t history[INFLATE_HISTORY])
{
  struct inflate_state *s = state;
  isal_reset(s);
  s->read_in = first.value;
  s->read_in_length = (int32_t)first.count;
  return isal_inflate_set_dict(s, (uint8_t *)(uintptr_t)history, INFLATE_HISTORY) == ISAL_DECOMP_OK;
}

/* What there is of a header stands in tmp_in_buffer until the rest has come; the bits in read_in precede it. */
static bool isal_between(const void *state, struct inflate_bits *taken)
{
  const struct inflate_state *s = state;
  bool header = s->block_state == ISAL_BLOCK_NEW_HDR || s->block_state == ISAL_BLOCK_HDR;
  if (!header || s->tmp_out_processed != s->tmp_out_valid || s->read_in_length < 0 || s->tmp_in_size < 0)
    return false;
  unsigned count = (unsigned)s->read_in_length + 8 * (unsigned)s->tmp_in_size;
  if (count > 56)
    return false;
  uint64_t value = s->read_in & (((uint64_t)1 << s->read_in_length) - 1);
  for (int i = 0; i < s->tmp_in_size; i++)
    value |= (uint64_t)s->tmp_in_buffer[i] << (s->read_in_length + 8 * i);
  *taken = (struct inflate_bits){value, count};
  return true;
}

static uint8_t *isal_kept(void *state, size_t *size)
{
  struct inflate_state *s = state;
  *size = (size_t)s->tmp_out_valid;
  return s->tmp_out_buffer;
}

static uint32_t isal_crc32(uint32_t crc, const void *data, size_t size)
{
  return crc32_gzip_refl(crc, data, size);
}

static const struct inflate_backend isal_backend = {
    .name = "isa-l",
    .create = isal_create,
    .destroy = isal_destroy,
    .reset = isal_reset,
    .copy = isal_copy,
    .step = isal_step,
    .unused = isal_unused,
    .begin = isal_begin,
    .between = isal_between,
    .kept = isal_kept,
    .crc32 = isal_crc32,
};

const struct inflate_backend *inflate_isal(void)
{
  return &isal_backend;
}
#else
const struct inflate_backend *inflate_isal(void)
{
  return NULL;
}
#endif

const struct inflate_backend *inflate_fastest(void)
{
  const struct inflate_backend *isal = inflate_isal();
  return isal ? isal : inflate_zlib();
}
