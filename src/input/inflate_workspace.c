/* SPDX-License-Identifier: Apache-2.0 */
#include "input/inflate_workspace.h"

#include <stdlib.h>

#define SPACING ((uint64_t)1 << 20)
/* Small enough to stay in a core's own cache. */
#define FORWARD_CAPACITY (2 * SOURCE_WINDOW)
#define REWIND_CAPACITY (2 * SOURCE_WINDOW)

struct inflate_workspace *inflate_workspace_new(const struct inflate_backend *backend)
{
  struct inflate_workspace *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->backend = backend ? backend : inflate_fastest();
  w->first_spacing = SPACING;
  w->most = CHECKPOINTS_MAX;
  inflate_stream_init(&w->forward, w->backend, FORWARD_CAPACITY);
  inflate_stream_init(&w->rewind, w->backend, REWIND_CAPACITY);
  return w;
}

void inflate_workspace_free(struct inflate_workspace *w)
{
  if (!w)
    return;
  inflate_stream_free(&w->forward);
  inflate_stream_free(&w->rewind);
  for (size_t i = 0; i < CHECKPOINTS_MAX; i++)
    if (w->points[i].state)
      w->backend->destroy(w->points[i].state);
  free(w);
}

void inflate_workspace_set_spacing(struct inflate_workspace *w, uint64_t spacing)
{
  w->first_spacing = spacing > 0 ? spacing : 1;
}

void inflate_workspace_set_checkpoints(struct inflate_workspace *w, size_t most)
{
  w->most = most < 2 ? 2 : most < CHECKPOINTS_MAX ? most : CHECKPOINTS_MAX;
}

uint64_t inflate_workspace_position(struct inflate_workspace *w)
{
  return atomic_load_explicit(&w->position, memory_order_relaxed);
}

void inflate_workspace_set_spare(struct inflate_workspace *w, atomic_uint *spare)
{
  w->spare = spare;
}

bool workspace_begin(struct inflate_workspace *w)
{
  w->count = 0;
  atomic_store_explicit(&w->position, 0, memory_order_relaxed);
  w->spacing = w->first_spacing;
  w->rewind.begin = w->rewind.filled = 0;
  return inflate_stream_start(&w->forward);
}

/* Keeps every second checkpoint, those at even multiples of the new spacing; the freed states go behind them. */
static void thin_out(struct inflate_workspace *w)
{
  size_t kept = 0;
  for (size_t i = 1; i < w->count; i += 2, kept++) {
    struct checkpoint p = w->points[kept];
    w->points[kept] = w->points[i];
    w->points[i] = p;
  }
  w->count = kept;
  w->spacing *= 2;
}

void workspace_note(struct inflate_workspace *w)
{
  uint64_t at = inflate_stream_end(&w->forward);
  atomic_store_explicit(&w->position, at, memory_order_relaxed);
  uint64_t last = w->count > 0 ? w->points[w->count - 1].out_offset : 0;
  if (at - last < w->spacing)
    return;
  if (w->count >= w->most) {
    thin_out(w);
    return workspace_note(w);
  }
  struct checkpoint *p = &w->points[w->count];
  if (!p->state && !(p->state = w->backend->create()))
    return;
  if (!w->backend->copy(p->state, w->forward.state)) {
    w->backend->destroy(p->state);
    p->state = NULL;
    return;
  }
  p->in_offset = inflate_stream_in_offset(&w->forward);
  p->out_offset = at;
  w->count++;
}

static const struct checkpoint *checkpoint_before(const struct inflate_workspace *w, uint64_t offset)
{
  size_t low = 0, high = w->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (w->points[middle].out_offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &w->points[low - 1] : NULL;
}

bool workspace_rewind(struct inflate_workspace *w, uint64_t offset)
{
  const struct checkpoint *p = checkpoint_before(w, offset);
  bool in_use = w->rewind.filled > 0 && offset >= w->rewind.begin;
  if (in_use && inflate_stream_end(&w->rewind) >= (p ? p->out_offset : 0))
    return true;
  if (!p)
    return inflate_stream_start(&w->rewind);
  return inflate_stream_resume(&w->rewind, p->state, p->in_offset, p->out_offset);
}
