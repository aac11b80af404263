/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/gather.h"

#include <stdlib.h>
#include <string.h>

#include "cuwheel/image.h"
#include "inspect/ownership.h"

void gather_problem(struct gather *g, enum cuw_severity severity, const char *code, const char *path,
                    const char *member, uint64_t offset, const char *message, const char *hint)
{
  struct cuw_problem *items = arena_grow(g->arena, g->problems, g->problem_count, sizeof *items);
  if (!items)
    return;
  g->problems = items;
  g->problems[g->problem_count++] = (struct cuw_problem){.severity = severity,
                                                         .code = code,
                                                         .path = arena_string(g->arena, path),
                                                         .member = arena_string(g->arena, member),
                                                         .offset = offset,
                                                         .message = arena_string(g->arena, message),
                                                         .hint = hint};
}

void gather_input_error(struct gather *g, const struct input_error *error, const char *path, const char *member)
{
  gather_problem(g, CUW_ERROR, error->code, path, member, CUW_NONE, error->text, NULL);
}

void gather_not_read(struct gather *g, const char *path, const char *member, const char *what)
{
  char *message = arena_printf(g->arena, "%s: cuwheel does not read such files", what);
  gather_problem(g, CUW_NOTE, "not-read", path, member, CUW_NONE, message ? message : what,
                 "extract it and inspect the folder, or inspect the wheel instead");
}

/* Where a problem of a library stands: an archive's member adds its name to the place. */
static void place_problems(struct cuw_library *l, const char *disk, const char *member)
{
  struct arena *a = l->arena;
  const char *inner = NULL;
  if (l->format == CUW_AR) {
    const char *open = strrchr(l->path, '(');
    size_t length = open ? strlen(open) : 0;
    if (length > 2)
      inner = arena_text(a, open + 1, length - 2);
  }
  const char *path = arena_string(a, disk), *place = arena_string(a, member);
  if (inner)
    place = member ? arena_printf(a, "%s(%s)", member, inner) : inner;
  for (size_t i = 0; i < l->problem_count; i++) {
    l->problems[i].path = path;
    l->problems[i].member = place;
  }
}

static void add_library(struct gather *g, struct cuw_library *l)
{
  size_t n = g->library_count;
  if ((n & (n - 1)) == 0) {
    struct owned_library *more = realloc(g->libraries, (n ? 2 * n : 1) * sizeof *more);
    if (!more) {
      cuw_library_free(l);
      return;
    }
    g->libraries = more;
  }
  g->libraries[g->library_count++] = (struct owned_library){l, SIZE_MAX};
}

void gather_result(struct gather *g, struct job_result *r, const char *disk, const char *member)
{
  for (size_t i = 0; i < r->library_count; i++) {
    place_problems(r->libraries[i], disk, member);
    add_library(g, r->libraries[i]);
  }
  r->library_count = 0;
  if (!r->faults)
    return;
  for (size_t i = 0; i < r->faults->problem_count; i++) {
    const struct cuw_problem *p = &r->faults->problems[i];
    gather_problem(g, p->severity, p->code, disk, member, p->offset, p->message, p->hint);
  }
}

struct found_distribution *gather_distribution(struct gather *g)
{
  struct found_distribution *items = arena_grow(g->arena, g->distributions, g->distribution_count, sizeof *items);
  if (!items)
    return NULL;
  g->distributions = items;
  struct found_distribution *d = &items[g->distribution_count++];
  *d = (struct found_distribution){0};
  return d;
}

static int compare_paths(const void *a, const void *b)
{
  const struct owned_library *x = a, *y = b;
  return strcmp(x->library->path, y->library->path);
}

static int compare_text(const char *a, const char *b)
{
  if (!a || !b)
    return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

static int compare_problems(const void *a, const void *b)
{
  const struct cuw_problem *x = a, *y = b;
  int order = compare_text(x->path, y->path);
  if (order == 0)
    order = compare_text(x->member, y->member);
  if (order == 0 && x->offset != y->offset)
    order = x->offset < y->offset ? -1 : 1;
  return order ? order : strcmp(x->code, y->code);
}

static void finish_problems(struct gather *g)
{
  size_t count = g->problem_count;
  for (size_t i = 0; i < g->library_count; i++)
    count += g->libraries[i].library->problem_count;
  struct cuw_problem *all = arena_alloc(g->arena, (count + 1) * sizeof *all);
  if (!all)
    return;
  size_t n = 0;
  for (size_t i = 0; i < g->problem_count; i++)
    all[n++] = g->problems[i];
  for (size_t i = 0; i < g->library_count; i++) {
    const struct cuw_library *l = g->libraries[i].library;
    for (size_t k = 0; k < l->problem_count; k++)
      all[n++] = l->problems[k];
  }
  qsort(all, n, sizeof *all, compare_problems);
  g->input->problems = all;
  g->input->problem_count = n;
}

void gather_sort(struct gather *g)
{
  if (g->library_count)
    qsort(g->libraries, g->library_count, sizeof *g->libraries, compare_paths);
}

void gather_finish(struct gather *g)
{
  gather_sort(g);
  ownership_settle(g);
  finish_problems(g);
  free(g->libraries);
  g->libraries = NULL;
}
