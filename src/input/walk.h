/* SPDX-License-Identifier: Apache-2.0 */
/* The regular files of a folder tree, in the byte order of their paths. */
#ifndef INPUT_WALK_H
#define INPUT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "input/error.h"

/* Deeper folders are a fault: no real tree goes there, and mounts could nest without end. */
#define WALK_DEPTH_MAX 100

struct walk_visitor {
  /* `path` is relative to the root and valid during the call. false ends the walk. */
  bool (*file)(void *data, const char *path, uint64_t size);
  /* Something below the root could not be read; the walk goes on. Codes: "unreadable", "too-deep",
   * "link-not-followed" (a folder behind a link that leads out of the tree: nothing is wrong with it). */
  void (*fault)(void *data, const char *path, const char *code, const char *message);
  void *data;
};

/* A descriptor of the folder, for walk_folder and file_source_open; -1: codes "not-found", "not-a-folder",
 * "unreadable". */
int walk_open(const char *path, struct input_error *error);

/* Folders behind symbolic links are not entered. A linked file counts where the link leads out of the tree; inside,
 * it is met under its own name. Pipes, sockets and devices are passed over, never opened. Returns false when `file`
 * ended the walk or memory is out. */
bool walk_folder(int root, const struct walk_visitor *visitor);

#endif
