/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that can be read only once, copied to a file without a name. */
#ifndef INPUT_SPOOL_H
#define INPUT_SPOOL_H

#include "input/error.h"
#include "input/source.h"

/* Copies all that `fd` gives (standard input, a pipe) to an unlinked file in $TMPDIR (else /tmp). Returns the open
 * file's descriptor and its size, or -1. Codes: "spool-no-room", "spool-failed", "read-failed". */
int spool_stream(int fd, uint64_t *size, struct input_error *error);

/* The same for a whole source; also the source's own codes. */
int spool_source(struct source *s, struct input_error *error);

#endif
