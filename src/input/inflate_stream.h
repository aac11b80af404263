/* SPDX-License-Identifier: Apache-2.0 */
/* One inflater at work: compressed bytes in by pieces, its newest output kept in a buffer. */
#ifndef INPUT_INFLATE_STREAM_H
#define INPUT_INFLATE_STREAM_H

#include "input/inflate_backend.h"
#include "input/window.h"

enum stream_status {
  STREAM_OK,      /* more may come */
  STREAM_STOPPED, /* at `stop`: nothing more comes of the bytes before it */
  STREAM_ENDED,   /* the deflate stream is complete */
  STREAM_BROKEN,  /* what comes next is no valid deflate data */
  STREAM_CUT,     /* the compressed bytes end before the stream does */
  STREAM_IO,      /* the reader failed and set the error */
  STREAM_MEMORY
};

/* Where the compressed bytes come from. */
struct stream_input {
  struct reader reader;
  uint64_t size;
};

struct inflate_stream {
  const struct inflate_backend *backend;
  void *state;
  uint8_t *in, *out; /* made when first needed, then kept */
  size_t out_capacity;
  size_t in_at, in_end;
  uint64_t in_next; /* offset of the first compressed byte behind those in `in` */
  size_t in_piece;  /* the next read */
  uint64_t stop;    /* offset of a compressed byte that is not taken in; UINT64_MAX: none */
  uint64_t begin;   /* offset of out[0] in the member */
  size_t filled;
};

void inflate_stream_init(struct inflate_stream *st, const struct inflate_backend *backend, size_t out_capacity);
void inflate_stream_free(struct inflate_stream *st);

/* Ready at the start of a member; or, with `state`, in the middle of it. false: out of memory. */
bool inflate_stream_start(struct inflate_stream *st);
bool inflate_stream_resume(struct inflate_stream *st, const void *state, uint64_t in_offset, uint64_t out_offset);

/* Appends up to `want` bytes of output, dropping old ones where there is no room: none from offset `keep` on, which is
 * at most SOURCE_WINDOW behind what will be asked for. */
enum stream_status inflate_stream_step(struct inflate_stream *st, const struct stream_input *input, uint64_t keep,
                                       size_t want, struct input_error *error);

/* Room for up to *want bytes behind the output, made as in a step; the caller adds to `filled`. */
uint8_t *inflate_stream_room(struct inflate_stream *st, uint64_t keep, size_t *want);

/* Goes on from a state that stands at the end of its output. */
bool inflate_stream_take(struct inflate_stream *st, const void *state, uint64_t in_offset);

/* Where all expected output has come: STREAM_ENDED, or STREAM_OK when there would be more. */
enum stream_status inflate_stream_probe(struct inflate_stream *st, const struct stream_input *input,
                                        struct input_error *error);

static inline uint64_t inflate_stream_end(const struct inflate_stream *st)
{
  return st->begin + st->filled;
}

/* Offset of the first compressed byte that the inflater has not taken in. */
static inline uint64_t inflate_stream_in_offset(const struct inflate_stream *st)
{
  return st->in_next - (st->in_end - st->in_at);
}

#endif
