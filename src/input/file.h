/* SPDX-License-Identifier: Apache-2.0 */
/* A plain file as a source, read by pread. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include "input/error.h"
#include "input/source.h"

/* Opens `path` below the folder `folder` (AT_FDCWD: the current one) and never waits: what is no regular file is
 * refused. Codes: "not-found", "not-regular", "unreadable", "out-of-memory". NULL on failure. */
struct source *file_source_open(int folder, const char *path, struct input_error *error);

/* The bytes [offset, offset + size) of an open file. `owned`: source_close closes fd. NULL: out of memory (fd stays
 * open then). */
struct source *file_source_from_fd(int fd, bool owned, uint64_t offset, uint64_t size);

#endif
