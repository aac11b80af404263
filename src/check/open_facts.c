/* SPDX-License-Identifier: Apache-2.0 */
#include "check/open_facts.h"

#include <stdlib.h>

#include "image/cubin.h"
#include "image/ptx.h"
#include "inspect/examine.h"

#define SMALL_IMAGE ((uint64_t)2 << 20)

struct reading {
  struct facts *facts;
  size_t image;
  bool memory_out;
};

static bool take_name(void *data, struct view name)
{
  struct reading *r = data;
  r->memory_out = !facts_add_kernel(r->facts, r->image, (const char *)name.data, name.size);
  return !r->memory_out;
}

static bool stop_at_first(void *data, struct view name)
{
  (void)data;
  (void)name;
  return false;
}

/* Kernels of an opened image: a number, or -1 where they cannot be read. */
static long kernels(const struct cuw_image *image, struct view v, bool (*each)(void *, struct view), void *data)
{
  return image->kind == CUW_KIND_PTX ? ptx_entries(v, each, data) : cubin_kernels(v, each, data);
}

static const struct image_fault no_memory = {"out-of-memory", "no memory for the names of its kernels", false};
static const struct image_fault no_symbols = {"cubin-damaged", "the symbol table of the cubin cannot be read", false};

static void open_one(struct source *s, struct cuw_library *l, const struct want *want, uint64_t cap,
                     struct image_buffers *b, struct facts *facts)
{
  const struct cuw_image *image = &l->images[want->image];
  struct view v;
  if (!examine_image(s, l, image, cap, b, &v)) {
    facts_unreadable(facts, want->image);
    return;
  }
  struct reading r = {.facts = facts, .image = want->image};
  bool names = want->what == WANT_NAMES;
  long seen = kernels(image, v, names ? take_name : stop_at_first, &r);
  if (seen < 0 || r.memory_out) {
    image_problem(l, image, r.memory_out ? no_memory : no_symbols);
    facts_unreadable(facts, want->image);
  } else if (names) {
    facts_named(facts, want->image);
  } else {
    facts_counted(facts, want->image, seen > 0);
  }
}

/* What opening the image takes, by its entry's word. */
static uint64_t image_bytes(const struct cuw_image *image)
{
  uint64_t plain = image->parent_size > image->size ? image->parent_size : image->size;
  uint64_t stored = image->payload_size == CUW_NONE ? 0 : image->payload_size;
  return plain > UINT64_MAX - stored ? UINT64_MAX : plain + stored;
}

/* What this thread holds of the gate. */
struct turn {
  struct gate *gate;
  uint64_t granted;
};

static void end_turn(struct turn *t, struct image_buffers *b)
{
  if (t->granted == 0)
    return;
  image_buffers_free(b);
  gate_leave(t->gate, t->granted);
  t->granted = 0;
}

/* Small images use buffers that stay. A large one takes its turn, which lasts while nobody else wants one: memory that
 * was just given back costs the kernel as much as decompressing into it. */
static void take_turn(struct turn *t, uint64_t bytes, struct image_buffers *b)
{
  uint64_t most = bytes < t->gate->total ? bytes : t->gate->total;
  if (bytes <= SMALL_IMAGE || most <= t->granted)
    return;
  end_turn(t, b);
  t->granted = gate_enter(t->gate, bytes);
}

static int compare_image(const void *a, const void *b)
{
  const struct want *x = a, *y = b;
  return x->image < y->image ? -1 : x->image > y->image;
}

void open_facts(struct source *s, struct cuw_library *l, const struct want_list *wants, uint64_t cap, struct gate *gate,
                struct image_buffers *b, struct facts *facts)
{
  if (wants->count == 0)
    return;
  /* Forward through the file: going back costs where the bytes are inflated. */
  qsort(wants->items, wants->count, sizeof *wants->items, compare_image);
  struct turn turn = {.gate = gate};
  for (size_t i = 0; i < wants->count; i++) {
    take_turn(&turn, image_bytes(&l->images[wants->items[i].image]), b);
    open_one(s, l, &wants->items[i], cap, b, facts);
    if (turn.granted && gate_is_wanted(gate))
      end_turn(&turn, b);
  }
  end_turn(&turn, b);
}
