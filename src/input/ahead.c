/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "input/ahead_part.h"
#include "input/ahead_twin.h"

/* The forward pass's own share between two parts: so much output, of so many compressed bytes. */
#define SHARE_OUTPUT ((uint64_t)5 << 20)
#define SHARE_LEAST ((uint64_t)128 << 10)
#define SHARE_MOST ((uint64_t)4 << 20)
/* Guesses in a row that came to nothing. */
#define FAILURES_MOST 16u

/* A thread makes one part while the forward pass gives the other out. */
struct ahead {
  const struct inflate_backend *backend;
  struct stream_input input;
  atomic_uint *spare;
  struct part_tools tools;
  struct ahead_part parts[2];
  struct ahead_part *making;       /* begun or done and not taken; NULL: none */
  struct ahead_part *giving;       /* its output goes to the stream; NULL: none */
  size_t given;                    /* bytes of it that have gone */
  uint8_t window[INFLATE_HISTORY]; /* the bytes before it */
  unsigned failures, taken;

  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct ahead_part *order; /* what the thread shall make; NULL: nothing */
  uint64_t order_from;
  bool quit;
};

static void *ahead_main(void *data)
{
  struct ahead *a = data;
  pthread_mutex_lock(&a->lock);
  while (!a->quit) {
    struct ahead_part *p = a->order;
    if (!p) {
      pthread_cond_wait(&a->changed, &a->lock);
      continue;
    }
    a->order = NULL;
    uint64_t from = a->order_from;
    pthread_mutex_unlock(&a->lock);
    enum part_phase phase = ahead_part_make(p, &a->tools, from);
    pthread_mutex_lock(&a->lock);
    atomic_store_explicit(&p->phase, phase, memory_order_release);
    pthread_cond_broadcast(&a->changed);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

static bool take_thread(atomic_uint *spare)
{
  unsigned n = atomic_load(spare);
  while (n > 0)
    if (atomic_compare_exchange_weak(spare, &n, n - 1))
      return true;
  return false;
}

static void free_memory(struct ahead *a)
{
  part_tools_free(&a->tools);
  for (unsigned i = 0; i < 2; i++)
    ahead_part_free(&a->parts[i], a->backend);
  pthread_cond_destroy(&a->changed);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

static struct ahead *ahead_start(const struct inflate_backend *backend, const struct stream_input *input)
{
  struct ahead *a = calloc(1, sizeof *a);
  if (!a)
    return NULL;
  a->backend = backend;
  a->input = *input;
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->changed, NULL);
  if (part_tools_init(&a->tools, backend, input) && ahead_part_init(&a->parts[0], backend) &&
      ahead_part_init(&a->parts[1], backend) && pthread_create(&a->thread, NULL, ahead_main, a) == 0)
    return a;
  free_memory(a);
  return NULL;
}

struct ahead *ahead_new(const struct inflate_backend *backend, const struct stream_input *input, atomic_uint *spare)
{
  if (!backend->begin || !take_thread(spare))
    return NULL;
  struct ahead *a = ahead_start(backend, input);
  if (a)
    a->spare = spare;
  else
    atomic_fetch_add(spare, 1);
  return a;
}

static enum part_phase phase_of(const struct ahead_part *p)
{
  return (enum part_phase)atomic_load_explicit(&p->phase, memory_order_acquire);
}

void ahead_free(struct ahead *a)
{
  if (!a)
    return;
  if (a->making)
    atomic_store(&a->making->wish, WISH_DROP);
  pthread_mutex_lock(&a->lock);
  a->quit = true;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  pthread_join(a->thread, NULL);
  atomic_fetch_add(a->spare, 1);
  free_memory(a);
}

/* Compressed bytes that the forward pass should inflate itself before it meets the next part. */
static uint64_t own_share(const struct ahead *a, const struct inflate_stream *st, uint64_t from)
{
  uint64_t in = inflate_stream_in_offset(st), out = inflate_stream_end(st) + 1, left = a->input.size - from;
  uint64_t share = in < UINT64_MAX / SHARE_OUTPUT ? SHARE_OUTPUT * in / out : SHARE_MOST;
  share = share < SHARE_LEAST ? SHARE_LEAST : share > SHARE_MOST ? SHARE_MOST : share;
  return share < left / 2 ? share : left / 2;
}

/* Lets the thread begin a part behind compressed byte `from`. */
static void begin_part(struct ahead *a, const struct inflate_stream *st, uint64_t from)
{
  struct ahead_part *p = a->giving == &a->parts[0] ? &a->parts[1] : &a->parts[0];
  uint64_t share = own_share(a, st, from);
  if (share < SHARE_LEAST)
    return;
  atomic_store(&p->phase, PART_SEARCHING);
  atomic_store(&p->wish, WISH_GO);
  a->making = p;
  pthread_mutex_lock(&a->lock);
  a->order = p;
  a->order_from = from + share;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
}

/* Where the part starts, as far as that is known; the stream stops there. */
static void look_ahead(struct ahead *a, struct inflate_stream *st)
{
  struct ahead_part *p = a->making;
  uint64_t at = inflate_stream_in_offset(st);
  st->stop = UINT64_MAX;
  if (!p) {
    begin_part(a, st, at);
    return;
  }
  enum part_phase phase = phase_of(p);
  bool dropped = atomic_load(&p->wish) == WISH_DROP;
  if (phase == PART_FAILED || (phase == PART_DONE && dropped)) {
    a->making = NULL;
    a->failures++;
    return;
  }
  if (phase == PART_SEARCHING || dropped)
    return;
  uint64_t stop = (p->start.bit + 7) / 8;
  if (stop < at)
    atomic_store(&p->wish, WISH_DROP);
  else
    st->stop = stop;
}

/* The stream has come to the end of the part's first byte: does it stand at the part's first bit? */
static bool is_met(const struct ahead *a, const struct inflate_stream *st)
{
  const struct block_start *start = &a->making->start;
  struct inflate_bits taken;
  if (st->filled < INFLATE_HISTORY || !a->backend->between(st->state, &taken))
    return false;
  uint64_t at = inflate_stream_in_offset(st) * 8 - taken.count;
  /* Three zero bits and up to seven of padding lead to a stored block's length. */
  return start->stored ? taken.count >= 3 && taken.count <= 10 && taken.value == 0 : at == start->bit;
}

static enum part_phase wait_for(struct ahead *a, struct ahead_part *p)
{
  atomic_store(&p->wish, WISH_STOP);
  pthread_mutex_lock(&a->lock);
  while (phase_of(p) < PART_DONE)
    pthread_cond_wait(&a->changed, &a->lock);
  pthread_mutex_unlock(&a->lock);
  return phase_of(p);
}

/* Gives the part's state its true history, where that reaches into the bytes before the part. */
static bool resolve_state(struct ahead *a, struct ahead_part *p)
{
  size_t size, twin_size;
  if (p->settled)
    return true;
  uint8_t *kept = a->backend->kept(p->state, &size);
  const uint8_t *twin = a->backend->kept(p->twin_state, &twin_size);
  if (size != twin_size)
    return false;
  twin_resolve(kept, kept, twin, size, a->window);
  return true;
}

static void meet(struct ahead *a, struct inflate_stream *st)
{
  struct ahead_part *p = a->making;
  st->stop = UINT64_MAX;
  if (!is_met(a, st)) {
    atomic_store(&p->wish, WISH_DROP);
    return;
  }
  enum part_phase phase = wait_for(a, p);
  a->making = NULL;
  memcpy(a->window, st->out + st->filled - INFLATE_HISTORY, INFLATE_HISTORY);
  if (phase != PART_DONE || !resolve_state(a, p)) {
    a->failures++;
    return;
  }
  a->failures = 0;
  a->taken++;
  a->giving = p;
  a->given = 0;
  begin_part(a, st, p->end);
}

static enum stream_status give(struct ahead *a, struct inflate_stream *st, uint64_t keep, size_t want)
{
  struct ahead_part *p = a->giving;
  uint8_t *out = inflate_stream_room(st, keep, &want);
  bool twins = a->given < p->twin_count;
  size_t left = (twins ? p->twin_count : p->count) - a->given, size = want < left ? want : left;
  if (twins)
    twin_resolve(out, p->bytes + a->given, p->twins + a->given, size, a->window);
  else
    memcpy(out, p->bytes + a->given, size);
  a->given += size;
  st->filled += size;
  if (a->given < p->count)
    return STREAM_OK;
  a->giving = NULL;
  return inflate_stream_take(st, p->state, p->end) ? STREAM_OK : STREAM_MEMORY;
}

enum stream_status ahead_step(struct ahead *a, struct inflate_stream *st, uint64_t keep, size_t want,
                              struct input_error *error)
{
  if (a->giving)
    return give(a, st, keep, want);
  look_ahead(a, st);
  enum stream_status status = inflate_stream_step(st, &a->input, keep, want, error);
  if (status != STREAM_STOPPED)
    return status;
  meet(a, st);
  return STREAM_OK;
}

bool ahead_is_giving(const struct ahead *a)
{
  return a && a->giving;
}

bool ahead_is_useless(const struct ahead *a)
{
  return a->failures >= FAILURES_MOST;
}

bool ahead_is_searching(const struct ahead *a)
{
  return a->making && phase_of(a->making) == PART_SEARCHING;
}

unsigned ahead_taken(const struct ahead *a)
{
  return a->taken;
}
