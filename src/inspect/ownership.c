/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/ownership.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/compiler.h"
#include "model/cuda.h"

static size_t first_not_below(const struct gather *g, const char *path)
{
  size_t low = 0, high = g->library_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(g->libraries[middle].library->path, path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void claim(struct owned_library *l, size_t owner)
{
  if (l->owner == SIZE_MAX)
    l->owner = owner;
}

/* The file itself, then the members of an archive; what else begins with the same bytes is not gone through, for a
 * RECORD may name "a" a million times. */
void ownership_claim(struct gather *g, size_t owner, const char *path)
{
  for (size_t i = first_not_below(g, path); i < g->library_count; i++) {
    if (strcmp(g->libraries[i].library->path, path) != 0)
      break;
    claim(&g->libraries[i], owner);
  }
  size_t length = strlen(path);
  char *members = malloc(length + 2);
  if (!members)
    return;
  memcpy(members, path, length);
  memcpy(members + length, "(", 2);
  for (size_t i = first_not_below(g, members); i < g->library_count; i++) {
    const struct cuw_library *l = g->libraries[i].library;
    if (strncmp(l->path, members, length + 1) != 0)
      break;
    if (l->format == CUW_AR)
      claim(&g->libraries[i], owner);
  }
  free(members);
}

/* A wheel owns all below its root; of nested ones the innermost. */
static void claim_roots(struct gather *g)
{
  for (size_t i = 0; i < g->library_count; i++) {
    size_t longest = 0;
    for (size_t d = 0; d < g->distribution_count; d++) {
      const struct found_distribution *f = &g->distributions[d];
      size_t length = f->whole_root ? strlen(f->root) : 0;
      if (!f->whole_root || strncmp(g->libraries[i].library->path, f->root, length) != 0)
        continue;
      if (g->libraries[i].owner == SIZE_MAX || length >= longest) {
        g->libraries[i].owner = d;
        longest = length;
      }
    }
  }
}

static void fill(struct gather *g, size_t owner, struct cuw_distribution *d)
{
  size_t count = 0;
  for (size_t i = 0; i < g->library_count; i++)
    count += g->libraries[i].owner == owner;
  d->libraries = arena_alloc(g->arena, (count + 1) * sizeof(struct cuw_library *));
  for (size_t i = 0; i < g->library_count && d->libraries; i++)
    if (g->libraries[i].owner == owner)
      d->libraries[d->library_count++] = g->libraries[i].library;
}

static void describe(struct gather *g, const struct found_distribution *f, struct cuw_distribution *d)
{
  d->name = f->name;
  d->version = f->version;
  d->location = f->location;
  d->interpreter = f->interpreter;
  d->runtime_compiler_sign = compiler_sign(g->arena, d, f);
  d->runtime_compiler = d->runtime_compiler_sign != NULL;
  distribution_evidence(g->arena, d, f->requires, f->requires_count, f->local_version, f->version_files,
                        f->version_file_count);
}

/* Wheels inside one another have no location. */
static const char *first_path(const struct cuw_distribution *d)
{
  return d->library_count > 0 ? d->libraries[0]->path : "";
}

static int compare_names(const void *a, const void *b)
{
  const struct cuw_distribution *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (order == 0)
    order = strcmp(x->version ? x->version : "", y->version ? y->version : "");
  if (order == 0)
    order = strcmp(x->location ? x->location : "", y->location ? y->location : "");
  return order ? order : strcmp(first_path(x), first_path(y));
}

static bool any_unowned(const struct gather *g)
{
  for (size_t i = 0; i < g->library_count; i++)
    if (g->libraries[i].owner == SIZE_MAX)
      return true;
  return false;
}

void ownership_settle(struct gather *g)
{
  claim_roots(g);
  size_t count = g->distribution_count;
  struct cuw_distribution *all = arena_alloc(g->arena, (count + 1) * sizeof *all);
  if (!all)
    return;
  for (size_t i = 0; i < count; i++) {
    fill(g, i, &all[i]);
    describe(g, &g->distributions[i], &all[i]);
  }
  qsort(all, count, sizeof *all, compare_names);
  if (any_unowned(g)) {
    fill(g, SIZE_MAX, &all[count]);
    struct found_distribution none = {0};
    describe(g, &none, &all[count]);
    count++;
  }
  g->input->distributions = all;
  g->input->distribution_count = count;
}
