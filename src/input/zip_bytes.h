/* SPDX-License-Identifier: Apache-2.0 */
/* Gives libzip the bytes of a source. */
#ifndef INPUT_ZIP_BYTES_H
#define INPUT_ZIP_BYTES_H

#include <zip.h>

#include "input/source.h"

/* Where libzip stands in the source, and the last failure of it. */
struct zip_bytes {
  struct source *source;
  uint64_t at;
  zip_error_t error;
};

/* `b` must outlive the archive. NULL: out of memory. */
zip_source_t *zip_bytes_source(struct zip_bytes *b, struct source *s);

#endif
