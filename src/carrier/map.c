/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/carrier.h"

#include <stdlib.h>
#include <string.h>

/* Out of order inserts move what lies behind them; this bounds the cost of a hostile section table. */
#define OUT_OF_ORDER_MAX 16384u

/* Makes room for one more element; the capacity is the power of two at or above the count. */
static void *grow(void *items, size_t count, size_t item_size)
{
  if (count & (count - 1))
    return items;
  size_t capacity = count ? count * 2 : 1;
  if (capacity > SIZE_MAX / item_size)
    return NULL;
  return realloc(items, capacity * item_size);
}

static bool insert_at(struct region_list *list, size_t at, struct region r)
{
  if (at < list->count && list->count >= OUT_OF_ORDER_MAX)
    return false;
  struct region *items = grow(list->items, list->count, sizeof(*items));
  if (!items)
    return false;
  list->items = items;
  memmove(&items[at + 1], &items[at], (list->count - at) * sizeof(*items));
  items[at] = r;
  list->count++;
  return true;
}

/* The first region that ends behind `offset`. */
static size_t first_after(const struct region_list *list, uint64_t offset)
{
  size_t low = 0, high = list->count;
  if (high && list->items[high - 1].end <= offset)
    return high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list->items[middle].end > offset)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool region_add(struct region_list *list, struct region r)
{
  size_t at = first_after(list, r.begin);
  while (r.begin < r.end) {
    bool last = at == list->count;
    uint64_t taken = last ? r.end : list->items[at].begin;
    if (r.begin < taken) {
      struct region piece = r;
      piece.end = r.end < taken ? r.end : taken;
      if (!insert_at(list, at, piece))
        return false;
      at++;
    }
    if (last)
      break;
    r.begin = list->items[at].end;
    at++;
  }
  return true;
}

void region_list_free(struct region_list *list)
{
  free(list->items);
  *list = (struct region_list){NULL, 0};
}

bool wrapper_add(struct wrapper_list *list, struct wrapper w)
{
  struct wrapper *items = grow(list->items, list->count, sizeof(*items));
  if (!items)
    return false;
  list->items = items;
  items[list->count++] = w;
  return true;
}

void wrapper_list_free(struct wrapper_list *list)
{
  free(list->items);
  *list = (struct wrapper_list){NULL, 0};
}

void carrier_map_free(struct carrier_map *map)
{
  region_list_free(&map->regions);
  wrapper_list_free(&map->wrappers);
}
