/* SPDX-License-Identifier: Apache-2.0 */
/* Search for the byte patterns that start GPU code. Pure: no I/O. */
#ifndef CARRIER_SCAN_H
#define CARRIER_SCAN_H

#include "base/view.h"

enum needle {
  NEEDLE_FATBIN,   /* container header with version 1 and header size 16 */
  NEEDLE_CUBIN,    /* ELF header of a cubin */
  NEEDLE_ZSTD,     /* zstd frame header */
  NEEDLE_PTX,      /* ".version " and a digit */
  NEEDLE_WRAPPER,  /* __fatBinC_Wrapper_t, version 1 or 2 */
  NEEDLE_RUNTIME,  /* a message of the CUDA runtime's own table */
  NEEDLE_COMPILER, /* the file name of NVRTC, to be opened by name */
  NEEDLE_COUNT
};

/* Bytes a needle needs to be confirmed, at most. Views of a longer run must overlap by SCAN_REACH - 1. */
#define SCAN_REACH 32u

struct hit {
  uint64_t offset;
  uint8_t needle; /* enum needle */
};

/* The first confirmed needle that starts in [from, to) of `v` (bytes up to v.size may be looked at to confirm it).
 * false: none. hit.offset counts from the view's start. */
bool scan_find(struct view v, size_t from, size_t to, struct hit *hit);

/* The next bytes 50 ED 55 BA at or after `from`, whatever follows; v.size when there is none. */
size_t scan_magic(struct view v, size_t from);

/* The first byte at or after `from` that is not zero; v.size when all are. */
size_t scan_nonzero(struct view v, size_t from);

#endif
