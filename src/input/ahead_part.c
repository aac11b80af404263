/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ahead_part.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "input/ahead_twin.h"

/* Compressed bytes in which a start is sought; also of each read. */
#define IN_CAPACITY ((size_t)256 << 10)
/* Output of one step: little enough that a wish is soon met. */
#define STEP ((size_t)64 << 10)
/* Output without a fault that makes a place a start. */
#define PROOF ((size_t)128 << 10)

bool part_tools_init(struct part_tools *t, const struct inflate_backend *backend, const struct stream_input *input)
{
  t->backend = backend;
  t->input = *input;
  block_finder_init(&t->finder);
  twin_windows(t->windows[0], t->windows[1]);
  t->in = malloc(IN_CAPACITY);
  return t->in != NULL;
}

void part_tools_free(struct part_tools *t)
{
  free(t->in);
}

bool ahead_part_init(struct ahead_part *p, const struct inflate_backend *backend)
{
  /* Memory that is freed here goes back to the system: members come one after the other. */
  void *room = mmap(NULL, PART_BYTES + PART_TWINS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p->bytes = room == MAP_FAILED ? NULL : room;
  p->twins = p->bytes ? p->bytes + PART_BYTES : NULL;
  p->state = backend->create();
  p->twin_state = backend->create();
  return p->bytes && p->state && p->twin_state;
}

void ahead_part_free(struct ahead_part *p, const struct inflate_backend *backend)
{
  if (p->bytes)
    munmap(p->bytes, PART_BYTES + PART_TWINS);
  if (p->state)
    backend->destroy(p->state);
  if (p->twin_state)
    backend->destroy(p->twin_state);
}

static bool goes_on(const struct ahead_part *p)
{
  return atomic_load_explicit(&p->wish, memory_order_relaxed) == WISH_GO;
}

/* Compressed bytes in t->in: [at, end) of them are still to be taken in. */
struct in_run {
  size_t at, end;
};

static bool refill(const struct ahead_part *p, struct part_tools *t, struct in_run *in)
{
  struct input_error error = {0};
  uint64_t left = p->end < t->input.size ? t->input.size - p->end : 0;
  size_t size = left < IN_CAPACITY ? (size_t)left : IN_CAPACITY;
  *in = (struct in_run){0, 0};
  return t->input.reader.read(t->input.reader.data, p->end, t->in, size, &in->end, &error) == SOURCE_OK;
}

static bool begin(struct ahead_part *p, struct part_tools *t, uint64_t from, uint64_t bit, struct in_run *in)
{
  in->at = (size_t)((bit + 7) / 8);
  struct inflate_bits first = {0, (unsigned)(in->at * 8 - bit)};
  if (first.count > 0)
    first.value = t->in[in->at - 1] >> (8 - first.count);
  p->count = p->twin_count = 0;
  p->settled = false;
  p->end = from + in->at;
  return t->backend->begin(p->state, first, t->windows[0]) && t->backend->begin(p->twin_state, first, t->windows[1]);
}

/* One step of the state, and of its twin while that is needed: they differ in the bytes alone. */
static enum inflate_result step(struct ahead_part *p, struct part_tools *t, struct in_run *in)
{
  size_t most = p->settled ? PART_BYTES : PART_TWINS, room = most - p->count < STEP ? most - p->count : STEP;
  struct inflate_io io = {t->in + in->at, in->end - in->at, p->bytes + p->count, room}, twin = io;
  twin.out = p->twins + p->count;
  size_t had_in = io.in_size;
  enum inflate_result result = t->backend->step(p->state, &io);
  if (!p->settled &&
      (t->backend->step(p->twin_state, &twin) != result || twin.in_size != io.in_size || twin.out_size != io.out_size))
    return INFLATE_BAD;
  in->at += had_in - io.in_size;
  p->end += had_in - io.in_size;
  p->count += room - io.out_size;
  if (p->settled)
    return result;
  p->twin_count = p->count;
  p->settled = p->count >= INFLATE_HISTORY && memcmp(p->bytes + p->count - INFLATE_HISTORY,
                                                     p->twins + p->count - INFLATE_HISTORY, INFLATE_HISTORY) == 0;
  return result;
}

static bool is_full(const struct ahead_part *p)
{
  return p->count == (p->settled ? PART_BYTES : PART_TWINS);
}

/* Inflates from `start`, a bit of the bytes in t->in, and says when it has proven to be one. */
static enum part_phase inflate_from(struct ahead_part *p, struct part_tools *t, uint64_t from, struct block_start start,
                                    struct in_run *in)
{
  bool proven = false;
  if (!begin(p, t, from, start.bit, in))
    return PART_FAILED;
  while (goes_on(p) && !is_full(p)) {
    if (in->at == in->end && !refill(p, t, in))
      return PART_FAILED;
    size_t had_in = in->end - in->at, had_out = p->count;
    enum inflate_result result = step(p, t, in);
    bool stuck = in->end - in->at == had_in && p->count == had_out;
    if (result == INFLATE_BAD || result == INFLATE_MEMORY || (stuck && result != INFLATE_END))
      return PART_FAILED;
    if (!proven && (p->count >= PROOF || result == INFLATE_END)) {
      proven = true;
      p->start = (struct block_start){start.bit + from * 8, start.stored};
      atomic_store_explicit(&p->phase, PART_FOUND, memory_order_release);
    }
    if (result == INFLATE_END)
      break;
  }
  return proven ? PART_DONE : PART_FAILED;
}

enum part_phase ahead_part_make(struct ahead_part *p, struct part_tools *t, uint64_t from)
{
  struct in_run in;
  struct block_start start;
  for (uint64_t bit = 0; goes_on(p); bit = start.bit + 1) {
    p->end = from; /* a false start has gone on from there */
    if (!refill(p, t, &in) || !block_find(&t->finder, (struct view){t->in, in.end}, bit, in.end, &start))
      return PART_FAILED;
    enum part_phase phase = inflate_from(p, t, from, start, &in);
    if (phase == PART_DONE || atomic_load(&p->phase) == PART_FOUND)
      return phase;
  }
  return PART_FAILED;
}
