/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/groups.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_INDEX 0x20u

uint64_t image_header_size(const struct cuw_image *image)
{
  return image->part_offset != CUW_NONE ? image->size : image->payload_size;
}

static int by_container(const void *a, const void *b)
{
  const struct sized_image *x = a, *y = b;
  if (x->size != y->size) /* here: the container's number */
    return x->size < y->size ? -1 : 1;
  return x->image < y->image ? -1 : x->image > y->image;
}

static int by_size(const void *a, const void *b)
{
  const struct sized_image *x = a, *y = b;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->image > y->image ? -1 : x->image < y->image;
}

static int by_first_image(const void *a, const void *b)
{
  const struct group *x = a, *y = b;
  return x->images[0] < y->images[0] ? -1 : x->images[0] > y->images[0];
}

/* Containers first, by number; behind them the bare images, each by itself. */
static uint64_t container_key(const struct cuw_image *image, size_t index)
{
  if (image->fatbin != CUW_NO_FATBIN)
    return image->fatbin;
  return ((uint64_t)1 << 32) + index;
}

bool groups_build(const struct cuw_library *library, struct group_list *out)
{
  size_t n = library->image_count;
  struct sized_image *keyed = calloc(n + 1, sizeof *keyed);
  size_t *order = calloc(n + 1, sizeof *order);
  struct group *items = calloc(n + 1, sizeof *items);
  *out = (struct group_list){items, 0, {keyed, order, items}};
  if (!keyed || !order || !items) {
    groups_free(out);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    keyed[i] = (struct sized_image){container_key(&library->images[i], i), i};
  qsort(keyed, n, sizeof *keyed, by_container);
  for (size_t i = 0; i < n;) {
    size_t end = i;
    while (end < n && keyed[end].size == keyed[i].size)
      end++;
    for (size_t k = i; k < end; k++)
      order[k] = keyed[k].image;
    items[out->count++] = (struct group){&order[i], &keyed[i], end - i, (enum cuw_role)library->images[order[i]].role};
    i = end;
  }
  for (size_t i = 0; i < n; i++)
    keyed[i].size = image_header_size(&library->images[keyed[i].image]);
  for (size_t i = 0; i < out->count; i++)
    qsort(&keyed[items[i].images - order], items[i].count, sizeof *keyed, by_size);
  qsort(items, out->count, sizeof *items, by_first_image);
  return true;
}

void groups_free(struct group_list *list)
{
  for (size_t i = 0; i < 3; i++)
    free(list->memory[i]);
  memset(list, 0, sizeof *list);
}

static bool is_index(const struct cuw_image *image)
{
  return image->kind == CUW_KIND_OTHER && image->type == TYPE_INDEX;
}

bool group_is_ir_only(const struct cuw_library *library, const struct group *g)
{
  bool any = false;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &library->images[g->images[i]];
    if (is_index(image))
      continue;
    if (image->kind != CUW_KIND_LTOIR && image->kind != CUW_KIND_TILEIR)
      return false;
    any = true;
  }
  return any;
}

bool group_is_suffixed(const struct cuw_library *library, const struct group *g)
{
  bool any = false;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &library->images[g->images[i]];
    if (is_index(image))
      continue;
    if (!image->arch.suffix)
      return false;
    any = true;
  }
  return any;
}

size_t group_architectures(const struct cuw_library *library, const struct group *g)
{
  uint64_t seen[16] = {0}; /* numbers up to 1023; larger ones are damage */
  size_t count = 0;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &library->images[g->images[i]];
    unsigned number = arch_chip(image->arch.number);
    if (!image->has_arch || number >= 1024)
      continue;
    uint64_t bit = (uint64_t)1 << (number % 64);
    if (!(seen[number / 64] & bit))
      count++;
    seen[number / 64] |= bit;
  }
  return count;
}

bool group_fits_device(const struct cuw_library *library, const struct group *g, unsigned number)
{
  for (size_t i = 0; i < g->count; i++) {
    if (image_fits_device(&library->images[g->images[i]], number))
      return true;
  }
  return false;
}

static bool can_hold_names(const struct cuw_image *image)
{
  return image->kind == CUW_KIND_CUBIN || image->kind == CUW_KIND_PTX;
}

static bool any_known_kernel(const struct facts *facts, const struct group *g)
{
  for (size_t i = 0; i < g->count; i++) {
    if (facts_of(facts, g->images[i])->has_kernels)
      return true;
  }
  return false;
}

enum group_kernels group_kernels(const struct cuw_library *library, const struct facts *facts, const struct group *g,
                                 size_t *image)
{
  if (group_is_ir_only(library, g) || any_known_kernel(facts, g))
    return KERNELS_YES;
  bool unreadable = false;
  for (size_t i = 0; i < g->count; i++) {
    size_t index = g->by_size[i].image;
    const struct cuw_image *at = &library->images[index];
    if (!can_hold_names(at)) {
      unreadable = unreadable || (at->kind == CUW_KIND_OTHER && !is_index(at));
      continue;
    }
    uint8_t state = facts_of(facts, index)->state;
    if (state == FACT_NONE) {
      *image = index;
      return KERNELS_PENDING;
    }
    unreadable = unreadable || state == FACT_UNREADABLE;
  }
  return unreadable ? KERNELS_UNREADABLE : KERNELS_NO;
}

size_t group_kernel_image(const struct cuw_library *library, const struct facts *facts, const struct group *g,
                          bool *pending)
{
  *pending = false;
  for (size_t i = g->count; i-- > 0;) {
    size_t index = g->by_size[i].image;
    const struct image_fact *fact = facts_of(facts, index);
    if (!can_hold_names(&library->images[index]) || fact->state == FACT_UNREADABLE)
      continue;
    if (fact->state == FACT_NONE || (fact->state == FACT_COUNTED && fact->has_kernels)) {
      *pending = true;
      return index;
    }
    if (fact->kernel_count)
      return index;
  }
  return NO_IMAGE;
}
