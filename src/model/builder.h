/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a library record while its bytes are read. */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include "base/arena.h"
#include "cuwheel/library.h"

/* A new, empty, complete record; NULL when memory is out. Free with cuw_library_free. The functions below take only
 * records made here. */
struct cuw_library *library_new(const char *path, enum cuw_format format, uint64_t size);

static inline struct arena *library_arena(struct cuw_library *l)
{
  return (struct arena *)l->arena;
}

/* Appends a zeroed image (fatbin CUW_NO_FATBIN, sizes CUW_NONE); NULL when memory is out or when there are
 * LIBRARY_IMAGES_MAX, ten times as many as any library known; then a "too-many-images" problem says so. */
#define LIBRARY_IMAGES_MAX ((size_t)1 << 18)
struct cuw_image *library_add_image(struct cuw_library *l);

/* Appends a problem at `offset` of the library; message is formatted. An error also makes the
 * library incomplete. `code` and `hint` are static strings. At most LIBRARY_PROBLEMS_MAX are kept;
 * then one "too-many-problems" says so. path and member are filled in by whoever knows them. */
#define LIBRARY_PROBLEMS_MAX 1000
void library_problem(struct cuw_library *l, enum cuw_severity severity, const char *code, uint64_t offset,
                     const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Counts a container at `offset`, with images or not, and returns its provisional number for cuw_image.fatbin;
 * CUW_NO_FATBIN when memory is out or when there are LIBRARY_IMAGES_MAX of them. */
uint32_t library_add_fatbin(struct cuw_library *l, uint64_t offset);

/* Adds once per name, at most LIBRARY_NEEDED_MAX names; more are a "too-many-needed" problem. */
#define LIBRARY_NEEDED_MAX 4096
void library_add_needed(struct cuw_library *l, const char *name, size_t length);
/* Adds once per (source, value). `source` is a static string. */
void library_add_evidence(struct cuw_library *l, const char *source, const char *value);

/* Where the container of a number begins, once library_finish was called; CUW_NONE: no such container. */
uint64_t library_fatbin_offset(const struct cuw_library *l, uint32_t fatbin);

/* Sorts images by offset (sub-entries by sub-header) and numbers the fatbins 0.. in ascending offset of their
 * containers. Call it once, when all is added. Not called: numbers are those of discovery. */
void library_finish(struct cuw_library *l);

#endif
