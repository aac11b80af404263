/* SPDX-License-Identifier: Apache-2.0 */
#include "model/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct container {
  uint64_t offset;
  uint32_t id; /* provisional */
};

/* The record with what only its making needs. */
struct builder {
  struct cuw_library library; /* first: the record is the builder */
  struct container *containers;
  bool problems_full, images_full;
};

static struct builder *builder_of(struct cuw_library *l)
{
  return (struct builder *)(void *)l;
}

struct cuw_library *library_new(const char *path, enum cuw_format format, uint64_t size)
{
  struct arena *a = arena_new();
  if (a == NULL)
    return NULL;
  struct builder *b = arena_alloc(a, sizeof *b);
  char *name = arena_string(a, path);
  if (arena_failed(a)) {
    arena_free(a);
    return NULL;
  }
  b->library.arena = a;
  b->library.path = name;
  b->library.format = format;
  b->library.size = size;
  b->library.complete = true;
  return &b->library;
}

void cuw_library_free(struct cuw_library *library)
{
  if (library != NULL)
    arena_free(library->arena);
}

static void images_full(struct cuw_library *l, uint64_t offset)
{
  struct builder *b = builder_of(l);
  if (!b->images_full)
    library_problem(l, CUW_ERROR, "too-many-images", offset, NULL,
                    "more than %zu images or fatbins; the rest is left out", LIBRARY_IMAGES_MAX);
  b->images_full = true;
}

struct cuw_image *library_add_image(struct cuw_library *l)
{
  if (l->image_count >= LIBRARY_IMAGES_MAX) {
    images_full(l, CUW_NONE);
    return NULL;
  }
  struct cuw_image *images = arena_grow(library_arena(l), l->images, l->image_count, sizeof *images);
  if (images == NULL) {
    l->complete = false;
    return NULL;
  }
  l->images = images;
  struct cuw_image *image = &images[l->image_count++];
  *image = (struct cuw_image){.part_offset = CUW_NONE,
                              .payload_size = CUW_NONE,
                              .stored_size = CUW_NONE,
                              .size = CUW_NONE,
                              .fatbin = CUW_NO_FATBIN,
                              .debug = -1};
  return image;
}

uint32_t library_add_fatbin(struct cuw_library *l, uint64_t offset)
{
  struct builder *b = builder_of(l);
  if (l->fatbins >= LIBRARY_IMAGES_MAX) {
    images_full(l, offset);
    return CUW_NO_FATBIN;
  }
  struct container *containers = arena_grow(library_arena(l), b->containers, l->fatbins, sizeof *containers);
  if (containers == NULL) {
    l->complete = false;
    return CUW_NO_FATBIN;
  }
  b->containers = containers;
  containers[l->fatbins] = (struct container){offset, l->fatbins};
  return l->fatbins++;
}

uint64_t library_fatbin_offset(const struct cuw_library *l, uint32_t fatbin)
{
  const struct builder *b = (const struct builder *)(const void *)l;
  return fatbin < l->fatbins ? b->containers[fatbin].offset : CUW_NONE;
}

static struct cuw_problem *add_problem(struct cuw_library *l)
{
  struct cuw_problem *problems = arena_grow(library_arena(l), l->problems, l->problem_count, sizeof *problems);
  if (problems == NULL) {
    l->complete = false;
    return NULL;
  }
  l->problems = problems;
  return &problems[l->problem_count++];
}

/* Keeps the severity of the last place as high as the worst that was left out. */
static void drop_problem(struct cuw_library *l, enum cuw_severity severity)
{
  struct builder *b = builder_of(l);
  if (b->problems_full) {
    struct cuw_problem *last = &l->problems[l->problem_count - 1];
    if (severity > last->severity)
      last->severity = severity;
    return;
  }
  struct cuw_problem *p = add_problem(l);
  if (p == NULL)
    return;
  b->problems_full = true;
  *p = (struct cuw_problem){.severity = severity,
                            .code = "too-many-problems",
                            .offset = CUW_NONE,
                            .message = "more problems were found in this library than are listed"};
}

void library_problem(struct cuw_library *l, enum cuw_severity severity, const char *code, uint64_t offset,
                     const char *hint, const char *format, ...)
{
  if (severity == CUW_ERROR)
    l->complete = false;
  if (l->problem_count >= LIBRARY_PROBLEMS_MAX) {
    drop_problem(l, severity);
    return;
  }
  va_list args;
  va_start(args, format);
  char *message = arena_vprintf(library_arena(l), format, args);
  va_end(args);
  struct cuw_problem *p = message != NULL ? add_problem(l) : NULL;
  if (p == NULL) {
    l->complete = false;
    return;
  }
  *p = (struct cuw_problem){.severity = severity, .code = code, .offset = offset, .message = message, .hint = hint};
}

void library_add_needed(struct cuw_library *l, const char *name, size_t length)
{
  const char *text = arena_intern(library_arena(l), name, length);
  if (text == NULL) {
    l->complete = false;
    return;
  }
  for (size_t i = 0; i < l->needed_count; i++)
    if (l->needed[i] == text)
      return;
  if (l->needed_count >= LIBRARY_NEEDED_MAX) {
    for (size_t i = 0; i < l->problem_count; i++)
      if (strcmp(l->problems[i].code, "too-many-needed") == 0)
        return;
    library_problem(l, CUW_WARNING, "too-many-needed", CUW_NONE, NULL,
                    "more than %d needed libraries; the rest is left out", LIBRARY_NEEDED_MAX);
    return;
  }
  const char **needed = arena_grow(library_arena(l), l->needed, l->needed_count, sizeof *needed);
  if (needed == NULL) {
    l->complete = false;
    return;
  }
  l->needed = needed;
  needed[l->needed_count++] = text;
}

void library_add_evidence(struct cuw_library *l, const char *source, const char *value)
{
  for (size_t i = 0; i < l->evidence_count; i++)
    if (strcmp(l->evidence[i].source, source) == 0 && strcmp(l->evidence[i].value, value) == 0)
      return;
  const char *text = arena_intern(library_arena(l), value, strlen(value));
  struct cuw_evidence *evidence = arena_grow(library_arena(l), l->evidence, l->evidence_count, sizeof *evidence);
  if (text == NULL || evidence == NULL) {
    l->complete = false;
    return;
  }
  l->evidence = evidence;
  evidence[l->evidence_count++] = (struct cuw_evidence){source, text, l->path};
}

static int compare_u64(uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

static int by_container_offset(const void *left, const void *right)
{
  const struct container *a = left, *b = right;
  int order = compare_u64(a->offset, b->offset);
  return order != 0 ? order : compare_u64(a->id, b->id);
}

/* qsort is not stable: what stands at one offset is told apart by its fields. */
static int by_image_offset(const void *left, const void *right)
{
  const struct cuw_image *a = left, *b = right;
  int order = compare_u64(a->offset, b->offset);
  if (order == 0)
    order = compare_u64(a->fatbin, b->fatbin);
  if (order == 0)
    order = compare_u64(a->part_offset, b->part_offset);
  if (order == 0)
    order = compare_u64(a->kind, b->kind);
  return order != 0 ? order : compare_u64(a->size, b->size);
}

static bool images_sorted(const struct cuw_library *l)
{
  for (size_t i = 1; i < l->image_count; i++)
    if (by_image_offset(&l->images[i - 1], &l->images[i]) > 0)
      return false;
  return true;
}

static bool number_fatbins(struct cuw_library *l)
{
  struct builder *b = builder_of(l);
  uint32_t *rank = calloc((size_t)l->fatbins + 1, sizeof *rank);
  if (rank == NULL)
    return false;
  if (l->fatbins > 1)
    qsort(b->containers, l->fatbins, sizeof *b->containers, by_container_offset);
  for (uint32_t i = 0; i < l->fatbins; i++) {
    rank[b->containers[i].id] = i;
    b->containers[i].id = i;
  }
  for (size_t i = 0; i < l->image_count; i++)
    if (l->images[i].fatbin < l->fatbins)
      l->images[i].fatbin = rank[l->images[i].fatbin];
  free(rank);
  return true;
}

void library_finish(struct cuw_library *l)
{
  if (!number_fatbins(l))
    l->complete = false;
  if (!images_sorted(l))
    qsort(l->images, l->image_count, sizeof *l->images, by_image_offset);
}

const char *cuw_format_name(enum cuw_format format)
{
  switch (format) {
  case CUW_ELF:
    return "elf";
  case CUW_PE:
    return "pe";
  case CUW_AR:
    return "ar";
  case CUW_CUBIN:
    return "cubin";
  case CUW_FATBIN:
    return "fatbin";
  case CUW_PTX:
    break;
  }
  return "ptx";
}

const char *cuw_severity_name(enum cuw_severity severity)
{
  switch (severity) {
  case CUW_NOTE:
    return "note";
  case CUW_WARNING:
    return "warning";
  case CUW_ERROR:
    break;
  }
  return "error";
}
