/* SPDX-License-Identifier: Apache-2.0 */
/* What names a distribution and its files: METADATA, RECORD, conda-meta, wheel names. Pure parsing: callers read the
 * bytes, strings go to the caller's arena. */
#ifndef INPUT_DIST_H
#define INPUT_DIST_H

#include "base/arena.h"
#include "base/view.h"

/* How much of these files a caller reads, at most. */
#define DIST_METADATA_MAX ((size_t)1 << 20)
#define DIST_RECORD_MAX ((size_t)64 << 20)

struct dist_metadata {
  const char *name, *version; /* NULL: not said */
  const char **requires;      /* each Requires-Dist as written */
  size_t requires_count;
};

/* The headers of a METADATA file, up to its first blank line. false: no Name, or out of memory. */
bool dist_metadata_parse(struct arena *a, struct view text, struct dist_metadata *out);

/* Calls `each` with the file named by each row of a RECORD (quotes undone; valid during the call). false: `each` said
 * stop, a quoted field has no end, or memory is out. */
bool dist_record_rows(struct view text, bool (*each)(void *data, const char *path), void *data);

struct dist_conda {
  const char *name, *version;
  const char **files; /* relative to the prefix */
  size_t file_count;
};

/* A conda-meta/NAME.json. false: no such JSON, no name, or out of memory. */
bool dist_conda_parse(struct arena *a, struct view text, struct dist_conda *out);

struct dist_wheel_name {
  const char *name, *version, *python, *abi, *platform;
};

/* NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl, without its folder. false: no such name. */
bool dist_wheel_name_parse(struct arena *a, const char *file_name, struct dist_wheel_name *out);

/* The name that equals all its spellings: "Foo._Bar" gives "foo-bar" (PEP 503). */
char *dist_normal_name(struct arena *a, const char *name);

/* `path` seen from the folder `base` ("" the root), with "." and ".." worked out by their words alone. NULL when it is
 * absolute or leads above the root: it names nothing in the tree. A path written with '\\' alone is understood. */
char *dist_path(struct arena *a, const char *base, const char *path);

#endif
