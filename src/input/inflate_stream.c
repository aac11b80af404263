/* SPDX-License-Identifier: Apache-2.0 */
#include "input/inflate_stream.h"

#include <stdlib.h>
#include <string.h>

#define IN_CAPACITY ((size_t)256 << 10)
/* The first read of a member: enough for its head, should no more be wanted. */
#define IN_FIRST ((size_t)16 << 10)

void inflate_stream_init(struct inflate_stream *st, const struct inflate_backend *backend, size_t out_capacity)
{
  *st = (struct inflate_stream){.backend = backend, .out_capacity = out_capacity};
}

void inflate_stream_free(struct inflate_stream *st)
{
  if (st->state)
    st->backend->destroy(st->state);
  free(st->in);
  free(st->out);
  inflate_stream_init(st, st->backend, st->out_capacity);
}

static bool make_buffers(struct inflate_stream *st)
{
  if (!st->in)
    st->in = malloc(IN_CAPACITY);
  if (!st->out)
    st->out = malloc(st->out_capacity);
  if (!st->state)
    st->state = st->backend->create();
  return st->in && st->out && st->state;
}

static void place(struct inflate_stream *st, uint64_t in_offset, uint64_t out_offset)
{
  st->in_at = st->in_end = 0;
  st->in_next = in_offset;
  st->stop = UINT64_MAX;
  st->in_piece = IN_FIRST;
  st->begin = out_offset;
  st->filled = 0;
}

bool inflate_stream_start(struct inflate_stream *st)
{
  if (!make_buffers(st))
    return false;
  st->backend->reset(st->state);
  place(st, 0, 0);
  return true;
}

bool inflate_stream_resume(struct inflate_stream *st, const void *state, uint64_t in_offset, uint64_t out_offset)
{
  if (!make_buffers(st))
    return false;
  if (!st->backend->copy(st->state, state)) {
    st->backend->destroy(st->state);
    st->state = NULL;
    return false;
  }
  place(st, in_offset, out_offset);
  return true;
}

/* Leaves in_at == in_end where the compressed bytes have ended. */
static enum stream_status refill(struct inflate_stream *st, const struct stream_input *input, struct input_error *error)
{
  uint64_t left = input->size - st->in_next;
  size_t size = left < st->in_piece ? (size_t)left : st->in_piece, got = 0;
  st->in_at = st->in_end = 0;
  if (size == 0)
    return STREAM_OK;
  if (input->reader.read(input->reader.data, st->in_next, st->in, size, &got, error) != SOURCE_OK)
    return STREAM_IO;
  st->in_end = got;
  st->in_next += got;
  if (st->in_piece < IN_CAPACITY)
    st->in_piece *= 4;
  return STREAM_OK;
}

/* How many of the bytes read come before `stop`. */
static size_t before_stop(const struct inflate_stream *st)
{
  uint64_t at = inflate_stream_in_offset(st);
  size_t have = st->in_end - st->in_at;
  if (st->stop <= at)
    return 0;
  return st->stop - at < have ? (size_t)(st->stop - at) : have;
}

static enum stream_status pump(struct inflate_stream *st, const struct stream_input *input, uint8_t *out, size_t want,
                               size_t *made, struct input_error *error)
{
  *made = 0;
  for (;;) {
    if (st->in_at == st->in_end && st->in_next < st->stop) {
      enum stream_status status = refill(st, input, error);
      if (status != STREAM_OK)
        return status;
    }
    size_t had_in = before_stop(st), had_out = want - *made;
    struct inflate_io io = {st->in + st->in_at, had_in, out + *made, had_out};
    enum inflate_result result = st->backend->step(st->state, &io);
    st->in_at += had_in - io.in_size;
    *made = want - io.out_size;
    if (result == INFLATE_END)
      return STREAM_ENDED;
    if (result == INFLATE_BAD)
      return STREAM_BROKEN;
    if (result == INFLATE_MEMORY)
      return STREAM_MEMORY;
    if (*made == want)
      return STREAM_OK;
    if (io.out_size == had_out && io.in_size == had_in && had_in == 0)
      return inflate_stream_in_offset(st) == st->stop ? STREAM_STOPPED : STREAM_CUT;
    if (io.out_size == had_out && io.in_size == had_in)
      return STREAM_BROKEN;
  }
}

/* A few bytes behind what is asked for are often asked for again. */
#define KEPT_BEHIND ((size_t)64 << 10)

/* Drops old bytes where the next `want` have no room, but none from offset `keep` on. */
static void make_room(struct inflate_stream *st, uint64_t keep, size_t want)
{
  if (st->out_capacity - st->filled >= want || st->filled <= KEPT_BEHIND)
    return;
  size_t drop = st->filled - KEPT_BEHIND;
  if (keep < st->begin + drop)
    drop = keep > st->begin ? (size_t)(keep - st->begin) : 0;
  memmove(st->out, st->out + drop, st->filled - drop);
  st->begin += drop;
  st->filled -= drop;
}

uint8_t *inflate_stream_room(struct inflate_stream *st, uint64_t keep, size_t *want)
{
  make_room(st, keep, *want);
  if (*want > st->out_capacity - st->filled)
    *want = st->out_capacity - st->filled;
  return st->out + st->filled;
}

enum stream_status inflate_stream_step(struct inflate_stream *st, const struct stream_input *input, uint64_t keep,
                                       size_t want, struct input_error *error)
{
  uint8_t *out = inflate_stream_room(st, keep, &want);
  size_t made;
  enum stream_status status = pump(st, input, out, want, &made, error);
  st->filled += made;
  return status;
}

bool inflate_stream_take(struct inflate_stream *st, const void *state, uint64_t in_offset)
{
  if (!st->backend->copy(st->state, state))
    return false;
  st->in_at = st->in_end = 0;
  st->in_next = in_offset;
  st->stop = UINT64_MAX;
  return true;
}

enum stream_status inflate_stream_probe(struct inflate_stream *st, const struct stream_input *input,
                                        struct input_error *error)
{
  uint8_t more;
  size_t made;
  enum stream_status status = pump(st, input, &more, 1, &made, error);
  return made > 0 ? STREAM_OK : status;
}
