/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what the jobs of one input found. */
#ifndef INSPECT_GATHER_H
#define INSPECT_GATHER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "cuwheel/inspect.h"
#include "input/error.h"
#include "input/inflate.h"
#include "inspect/job.h"

/* A distribution met in the input, before its libraries are known. */
struct found_distribution {
  const char *name, *version;
  const char *normal_name;   /* of an installed one: equal for all spellings; NULL */
  const char *local_version; /* with "+cu128", where it stands in the name of the file or folder; NULL */
  const char *root;          /* folder (or "outer.whl!") that its files lie in, with '/' at its end where not empty */
  const char *info;          /* its .dist-info folder or conda-meta file, as a path in the input; NULL */
  const char *location, *interpreter; /* see struct cuw_distribution */
  const char **requires;
  size_t requires_count;
  const char **version_files; /* values of torch/version.py and its kin: "12.8" */
  size_t version_file_count;
  const char *compiler_sign; /* it compiles at run time: what shows it; NULL */
  bool whole_root;           /* a wheel: every file below root is its own */
};

/* A library and the distribution that owns it; SIZE_MAX: none. */
struct owned_library {
  struct cuw_library *library;
  size_t owner;
};

struct gather {
  struct cuw_input *input;
  struct arena *arena; /* the input's */
  const struct cuw_inspect_options *options;
  const struct job_visitor *visitor; /* NULL: none */
  unsigned threads;
  struct inflate_workspace **workspaces; /* one a thread */
  atomic_uint spare;                     /* threads of `threads` that have nothing to do while a batch runs */
  struct owned_library *libraries;
  size_t library_count;
  struct found_distribution *distributions;
  size_t distribution_count;
  struct cuw_problem *problems; /* of the input, not of a library */
  size_t problem_count;
};

/* Adds a problem of the input; strings are copied. member NULL: of the file itself. */
void gather_problem(struct gather *g, enum cuw_severity severity, const char *code, const char *path,
                    const char *member, uint64_t offset, const char *message, const char *hint);
void gather_input_error(struct gather *g, const struct input_error *error, const char *path, const char *member);

/* Notes a file that is recognised and not read (`what`: "7-Zip archive"). */
void gather_not_read(struct gather *g, const char *path, const char *member, const char *what);

/* Takes the result's libraries and problems over. `disk`: the file on disk; `member`: the name inside it, NULL for a
 * plain file. */
void gather_result(struct gather *g, struct job_result *result, const char *disk, const char *member);

/* Returns a zeroed entry in the list; NULL when memory is out. */
struct found_distribution *gather_distribution(struct gather *g);

/* Sorts the libraries found so far by path: before claims (inspect/ownership.h). */
void gather_sort(struct gather *g);

/* Decides and writes everything into the input record. */
void gather_finish(struct gather *g);

#endif
