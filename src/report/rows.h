/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table for people: what stands in each cell, before any layout. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "base/arena.h"
#include "cuwheel/report.h"

/* Cells are escaped text; NULL is an empty cell. */
struct row {
  const char *path; /* NULL: a further row of the library above */
  const char *format;
  const char *cuda;
  const char *role;
  const char *fatbins;
  const char *images;                /* items two blanks apart */
  const struct cuw_library *library; /* NULL where files are folded */
  bool incomplete;
};

struct rows {
  struct arena *arena;
  struct row *items;
  size_t count;
  const char *folder; /* before every path */
  bool mixed_machines;
  bool unknown_suffix; /* a row holds an architecture such as "sm_100[f]" */
  bool failed;
};

/* Rows of the libraries with GPU code; with `all`, of each library, and no folding. The first `folder` bytes of
 * `path` stand before their paths. */
struct rows rows_of(const struct cuw_distribution *distribution, bool all, const char *path, size_t folder);

/* The bytes of a path up to its last slash, that included. */
size_t folder_length(const char *path);
void rows_free(struct rows *rows);

bool library_has_gpu_code(const struct cuw_library *library);

#endif
