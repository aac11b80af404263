/* SPDX-License-Identifier: Apache-2.0 */
/* A wheel (any zip): its members as jobs, the distribution it installs, the wheels inside it. */
#ifndef INSPECT_WHEEL_H
#define INSPECT_WHEEL_H

#include "inspect/gather.h"

/* Where an archive stands. */
struct wheel_place {
  const char *prefix;        /* before library paths: "", "sub/x.whl!" */
  const char *nested_prefix; /* the same for wheels inside it: "x.whl!" */
  const char *disk;          /* the file on disk */
  const char *member_prefix; /* in problems, before member names: "" or "inner.whl!" */
  const char *file_name;     /* the wheel's own name, for its version; NULL */
  unsigned level;            /* 0: wheels inside are opened too */
};

/* Reads the archive in `s`, which is taken over. */
void wheel_inspect(struct gather *g, struct source *s, const struct wheel_place *place);

/* Whether a zip is one that installs a distribution: a folder *.dist-info with METADATA stands in it. Takes `s` over.
 */
bool wheel_is_distribution(struct source *s);

/* "x.dist-info/METADATA" at the start or behind a '/': the length of what stands before "x", and the length up to and
 * with ".dist-info/" in *info. false: another path. */
bool wheel_metadata_path(const char *path, size_t *root, size_t *info);

/* The last part of a path. */
const char *path_base(const char *path);
bool path_has_suffix(const char *path, const char *suffix);

/* What a member's name alone says of its distribution: sources that are compiled at run time. NULL: nothing. */
const char *path_compiler_sign(const char *path);

/* Whether `path` may state a CUDA version: PACKAGE/version.py and its kin. */
bool path_is_version_file(const char *path);

#endif
