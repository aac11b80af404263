/* SPDX-License-Identifier: Apache-2.0 */
#include "check/open_facts.h"

#include <stdlib.h>

#include "image/cubin.h"
#include "image/ptx.h"
#include "model/builder.h"

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

static void image_problem(struct cuw_library *l, const struct cuw_image *image, const char *code, const char *message)
{
  library_problem(l, CUW_ERROR, code, image->offset, NULL, "%s", message);
}

static void open_problem(struct cuw_library *l, const struct cuw_image *image, enum image_open_status status)
{
  switch (status) {
  case IMAGE_OPEN_OK:
    break;
  case IMAGE_OPEN_READ:
    image_problem(l, image, "payload-unreadable", "the image's bytes cannot be read");
    break;
  case IMAGE_OPEN_DAMAGED:
    image_problem(l, image, "payload-damaged", "the image does not decompress");
    break;
  case IMAGE_OPEN_SIZE:
    image_problem(l, image, "payload-size", "the image decompresses to another size than its entry says");
    break;
  case IMAGE_OPEN_TOO_BIG:
    image_problem(l, image, "payload-too-big", "the image is larger than the limit for one image");
    break;
  case IMAGE_OPEN_UNKNOWN:
    image_problem(l, image, "payload-compression", "the image is compressed in a way that is not known");
    break;
  case IMAGE_OPEN_MEMORY:
    image_problem(l, image, "out-of-memory", "no memory to open the image");
    break;
  }
}

/* The driver would refuse a cubin for another architecture than its entry promises. Suffixes may differ: a Tile
 * kernel's entry says sm_100, its cubin sm_100a (docs/format.md 2.7). */
static void check_architecture(struct cuw_library *l, const struct cuw_image *image, struct view v)
{
  struct cubin_header h;
  if (image->kind == CUW_KIND_CUBIN && image->has_entry && cubin_header_decode(v, &h) &&
      h.arch.number != image->arch.number)
    library_problem(l, CUW_ERROR, "payload-architecture", image->offset, NULL,
                    "the entry says sm_%u, the cubin in it sm_%u", (unsigned)image->arch.number,
                    (unsigned)h.arch.number);
}

/* Kernels of an opened image: a number, or -1 where it is not what its entry says. */
static long kernels(const struct cuw_image *image, struct view v, bool (*each)(void *, struct view), void *data)
{
  struct ptx_header h;
  if (image->kind == CUW_KIND_PTX)
    return ptx_header_decode(v, &h) ? ptx_entries(v, each, data) : -1;
  return cubin_kernels(v, each, data);
}

static void open_one(struct source *s, struct cuw_library *l, const struct want *want, uint64_t cap,
                     struct image_buffers *b, struct facts *facts)
{
  const struct cuw_image *image = &l->images[want->image];
  struct view v;
  enum image_open_status status = image_open(s, image, cap, b, &v);
  if (status != IMAGE_OPEN_OK) {
    open_problem(l, image, status);
    facts_unreadable(facts, want->image);
    return;
  }
  check_architecture(l, image, v);
  struct reading r = {.facts = facts, .image = want->image};
  bool names = want->what == WANT_NAMES;
  long seen = kernels(image, v, names ? take_name : stop_at_first, &r);
  if (seen < 0 || r.memory_out) {
    image_problem(l, image, r.memory_out ? "out-of-memory" : "payload-content",
                  r.memory_out ? "no memory for the names of its kernels"
                               : "the image is not readable as what its entry says it is");
    facts_unreadable(facts, want->image);
  } else if (names) {
    facts_named(facts, want->image);
  } else {
    facts_counted(facts, want->image, seen > 0);
  }
}

static int compare_image(const void *a, const void *b)
{
  const struct want *x = a, *y = b;
  return x->image < y->image ? -1 : x->image > y->image;
}

void open_facts(struct source *s, struct cuw_library *l, const struct want_list *wants, uint64_t cap,
                struct image_buffers *b, struct facts *facts)
{
  if (wants->count == 0)
    return;
  /* Forward through the file: going back costs where the bytes are inflated. */
  qsort(wants->items, wants->count, sizeof *wants->items, compare_image);
  for (size_t i = 0; i < wants->count; i++)
    open_one(s, l, &wants->items[i], cap, b, facts);
}
