/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "verdict/names.h"

#define SHOWN_LENGTH_MAX 512u

struct facts {
  struct arena *arena;
  size_t count;
  struct image_fact *images;
};

void want_list_free(struct want_list *list)
{
  free(list->items);
  memset(list, 0, sizeof *list);
}

bool want_add(struct want_list *list, size_t image, enum want_what what)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    struct want *grown = realloc(list->items, capacity * sizeof *grown);
    if (!grown)
      return false;
    list->items = grown;
    list->capacity = capacity;
  }
  list->items[list->count++] = (struct want){image, what};
  return true;
}

struct facts *facts_new(const struct cuw_library *library)
{
  struct arena *arena = arena_new();
  if (!arena)
    return NULL;
  struct facts *facts = arena_alloc(arena, sizeof *facts);
  if (facts) {
    facts->arena = arena;
    facts->count = library->image_count;
    facts->images = arena_alloc(arena, (library->image_count + 1) * sizeof *facts->images);
  }
  if (arena_failed(arena)) {
    arena_free(arena);
    return NULL;
  }
  return facts;
}

void facts_free(struct facts *facts)
{
  if (!facts)
    return;
  for (size_t i = 0; i < facts->count; i++)
    free(facts->images[i].kernels);
  arena_free(facts->arena);
}

void facts_unreadable(struct facts *facts, size_t image)
{
  if (image < facts->count)
    facts->images[image].state = FACT_UNREADABLE;
}

void facts_counted(struct facts *facts, size_t image, bool has_kernels)
{
  if (image >= facts->count || facts->images[image].state == FACT_NAMED)
    return;
  facts->images[image].state = FACT_COUNTED;
  facts->images[image].has_kernels = has_kernels;
}

static bool is_shown(const struct image_fact *fact, const char *text)
{
  for (size_t i = 0; i < fact->shown_count; i++) {
    if (strcmp(fact->shown[i], text) == 0)
      return true;
  }
  return false;
}

static void show(struct facts *facts, struct image_fact *fact, char *text)
{
  if (fact->shown_count == FACT_SHOWN_MAX)
    return;
  if (strlen(text) > SHOWN_LENGTH_MAX)
    text[SHOWN_LENGTH_MAX] = '\0';
  if (is_shown(fact, text))
    return;
  const char *kept = arena_string(facts->arena, text);
  if (kept)
    fact->shown[fact->shown_count++] = kept;
}

bool facts_add_kernel(struct facts *facts, size_t image, const char *symbol, size_t length)
{
  if (image >= facts->count || facts->images[image].state == FACT_NAMED)
    return true;
  struct image_fact *fact = &facts->images[image];
  struct kernel_name name;
  if (!kernel_name_read(symbol, length, &name))
    return false;
  fact->has_kernels = true;
  show(facts, fact, name.text);
  free(name.text);
  uint64_t kernel = (name.function & ~(uint64_t)1) | (name.carries_architecture ? 1 : 0);
  /* Instances of one template stand in a row. */
  if (fact->kernel_count && fact->kernels[fact->kernel_count - 1] == kernel)
    return true;
  if ((fact->kernel_count & (fact->kernel_count - 1)) == 0) {
    size_t capacity = fact->kernel_count ? fact->kernel_count * 2 : 1;
    uint64_t *grown = realloc(fact->kernels, capacity * sizeof *grown);
    if (!grown)
      return false;
    fact->kernels = grown;
  }
  fact->kernels[fact->kernel_count++] = kernel;
  return true;
}

void facts_named(struct facts *facts, size_t image)
{
  if (image < facts->count)
    facts->images[image].state = FACT_NAMED;
}

const struct image_fact *facts_of(const struct facts *facts, size_t image)
{
  return &facts->images[image];
}
