/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a deflate stream, inflated from a guessed start on before the bytes in front of it are known. */
#ifndef INPUT_AHEAD_PART_H
#define INPUT_AHEAD_PART_H

#include <stdatomic.h>

#include "input/ahead_find.h"
#include "input/inflate_stream.h"

/* The most output of a part, and of it what may depend on the bytes before the part. */
#define PART_BYTES ((size_t)5 << 20)
#define PART_TWINS ((size_t)2 << 20)

enum part_phase {
  PART_SEARCHING,
  PART_FOUND, /* `start` stands */
  PART_DONE,
  PART_FAILED /* no start in reach, or nothing that could be inflated from it */
};

enum part_wish { WISH_GO, WISH_STOP, WISH_DROP };

/* Made by one thread, which alone uses it between `phase` PART_SEARCHING and PART_DONE or PART_FAILED. */
struct ahead_part {
  atomic_int phase; /* enum part_phase */
  atomic_int wish;  /* enum part_wish: what the other thread wants of it */
  struct block_start start;
  uint8_t *bytes, *twins; /* output: the first `twin_count` of `count` bytes twice (input/ahead_twin.h) */
  size_t count, twin_count;
  void *state, *twin_state; /* behind the output */
  bool settled; /* the newest 32 KiB depend on nothing before the part: `state` alone has gone on, and is true */
  uint64_t end; /* offset of the first compressed byte that was not taken in */
};

/* What parts are made with, by one thread. */
struct part_tools {
  const struct inflate_backend *backend;
  struct stream_input input;
  struct block_finder finder;
  uint8_t windows[2][INFLATE_HISTORY];
  uint8_t *in;
};

/* false: out of memory; they can then only be freed. */
bool part_tools_init(struct part_tools *t, const struct inflate_backend *backend, const struct stream_input *input);
void part_tools_free(struct part_tools *t);
bool ahead_part_init(struct ahead_part *p, const struct inflate_backend *backend);
void ahead_part_free(struct ahead_part *p, const struct inflate_backend *backend);

/* Seeks a start from compressed byte `from` on and inflates until the room is full, the stream ends, or `wish` is no
 * more WISH_GO. PART_DONE or PART_FAILED, for the caller to set. */
enum part_phase ahead_part_make(struct ahead_part *p, struct part_tools *t, uint64_t from);

#endif
