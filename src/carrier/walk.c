/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/walk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "carrier/elf_link.h"
#include "carrier/scan.h"
#include "carrier/sieve.h"
#include "carrier/walk_internal.h"
#include "image/fatbin.h"
#include "model/builder.h"

#define BORDER_VIEW ((size_t)16)

static size_t clip(uint64_t room, size_t want)
{
  return room < want ? (size_t)room : want;
}

/* The first byte in [pos, end) that is not zero, else `end`. Looks at little first: gaps are short. */
static uint64_t skip_zeros(struct walk *w, uint64_t pos, uint64_t end)
{
  for (size_t want = BORDER_VIEW; pos < end; want = want < SOURCE_WINDOW / 2 ? want * 2 : SOURCE_WINDOW) {
    struct view v;
    if (source_view(w->source, pos, clip(end - pos, want), &v) != SOURCE_OK && v.size == 0) {
      w->library->complete = false;
      return end;
    }
    size_t nonzero = scan_nonzero(v, 0);
    pos += nonzero;
    if (nonzero < v.size)
      return pos;
  }
  return end;
}

static uint64_t next_magic(struct walk *w, uint64_t pos, uint64_t end)
{
  while (end - pos >= 4) {
    struct view v;
    if (source_view(w->source, pos, clip(end - pos, SOURCE_WINDOW), &v) != SOURCE_OK && v.size == 0) {
      w->library->complete = false;
      return end;
    }
    size_t at = scan_magic(v, 0);
    if (at < v.size)
      return pos + at;
    if (v.size <= 4)
      return end;
    pos += v.size - 3;
  }
  return end;
}

static bool is_magic(struct walk *w, uint64_t pos, uint64_t end)
{
  struct view v;
  return end - pos >= 4 && source_view(w->source, pos, 4, &v) == SOURCE_OK && view_uint(v, 0, 4) == FATBIN_MAGIC;
}

static void walk_containers(struct walk *w)
{
  uint64_t end = w->region->end;
  bool resync = false;
  for (uint64_t pos = skip_zeros(w, w->region->begin, end); pos < end; pos = skip_zeros(w, pos, end)) {
    if (is_magic(w, pos, end)) {
      pos = walk_container(w, pos, end, &resync);
      continue;
    }
    /* Containers start on a multiple of 8 (docs/format.md 1.3): zeros before `pos` belong to what stands there. */
    uint64_t place = pos - pos % 8;
    if (!resync)
      library_problem(w->library, CUW_ERROR, "container-expected", place < w->region->begin ? pos : place, NULL,
                      "no fatbin container stands where one is expected");
    resync = false;
    pos = next_magic(w, pos, end);
  }
}

static void note_wrapper(struct walk *w, uint64_t at)
{
  size_t n = w->wrapper_count;
  if (w->has_sections || n >= ELF_WRAPPERS_MAX)
    return;
  if ((n & (n - 1)) == 0) {
    uint64_t *more = realloc(w->wrappers, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return;
    w->wrappers = more;
  }
  w->wrappers[w->wrapper_count++] = at;
}

/* What starts at a hit; returns where the search goes on. */
static uint64_t walk_hit(struct walk *w, struct hit hit, uint64_t end)
{
  bool resync;
  switch ((enum needle)hit.needle) {
  case NEEDLE_FATBIN:
    return walk_container_is_sane(w, hit.offset, end) ? walk_container(w, hit.offset, end, &resync) : hit.offset + 4;
  case NEEDLE_CUBIN:
    return walk_bare_cubin(w, hit.offset, end);
  case NEEDLE_ZSTD:
    return walk_zstd_cubin(w, hit.offset, end);
  case NEEDLE_PTX:
    return walk_ptx_text(w, hit.offset, end);
  case NEEDLE_WRAPPER:
    note_wrapper(w, hit.offset);
    return hit.offset + 8;
  case NEEDLE_RUNTIME:
    w->runtime_seen = true;
    return hit.offset + 8;
  case NEEDLE_COMPILER:
    w->compiler_seen = true;
    return hit.offset + 8;
  case NEEDLE_COUNT:
    break;
  }
  return hit.offset + 1;
}

static void walk_scan(struct walk *w)
{
  struct hit hit;
  bool found;
  for (uint64_t pos = w->region->begin; pos < w->region->end;) {
    if (source_find(w->source, pos, w->region->end, &hit, &found) != SOURCE_OK)
      w->library->complete = false;
    if (!found)
      return;
    pos = walk_hit(w, hit, w->region->end);
  }
}

static int compare_wrapper(const void *a, const void *b)
{
  const struct wrapper *x = a, *y = b;
  return x->container < y->container ? -1 : x->container > y->container;
}

static const struct wrapper *wrapper_of(const struct wrapper_list *list, uint64_t container)
{
  struct wrapper key = {.container = container};
  return list->count ? bsearch(&key, list->items, list->count, sizeof key, compare_wrapper) : NULL;
}

static enum cuw_role role_of(const struct walk *w, const struct carrier_map *map, const struct cuw_image *image)
{
  enum cuw_role role = (enum cuw_role)image->role;
  if (map->link_time)
    return CUW_ROLE_LINK_TIME;
  if (image->fatbin == CUW_NO_FATBIN || image->fatbin >= w->container_count)
    return role;
  const struct wrapper *wrapper = wrapper_of(&map->wrappers, w->containers[image->fatbin]);
  if (!wrapper || (map->has_sections && role != CUW_ROLE_REGISTERED))
    return role;
  return wrapper->version == 2 ? CUW_ROLE_LINKED : CUW_ROLE_REGISTERED;
}

static void settle_roles(struct walk *w, struct carrier_map *map)
{
  struct cuw_library *l = w->library;
  if (!map->has_sections && l->format == CUW_ELF && w->wrapper_count)
    elf_wrappers_at(w->source, w->wrappers, w->wrapper_count, &map->wrappers);
  if (map->wrappers.count)
    qsort(map->wrappers.items, map->wrappers.count, sizeof *map->wrappers.items, compare_wrapper);
  for (size_t i = 0; i < l->image_count; i++)
    l->images[i].role = (uint8_t)role_of(w, map, &l->images[i]);
}

/* Whether the file is that component itself, which also holds what is looked for. */
static bool is_component(const char *path, const char *component)
{
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  if (strncasecmp(name, "lib", 3) == 0)
    name += 3;
  return strncasecmp(name, component, strlen(component)) == 0;
}

void walk_library(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  struct walk w = {.source = s, .library = l, .has_sections = map->has_sections};
  for (size_t i = 0; i < map->regions.count; i++) {
    w.region = &map->regions.items[i];
    if (w.region->mode == REGION_CONTAINERS)
      walk_containers(&w);
    else
      walk_scan(&w);
  }
  settle_roles(&w, map);
  l->static_runtime = w.runtime_seen && !is_component(l->path, "cudart");
  l->opens_nvrtc = w.compiler_seen && !is_component(l->path, "nvrtc");
  image_buffers_free(&w.buffers);
  free(w.containers);
  free(w.wrappers);
}
