/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one fatbin as bytes, in memory of this program alone. */
#ifndef KERNELS_RECORD_H
#define KERNELS_RECORD_H

#include "base/view.h"
#include "cuwheel/kernels.h"

/* A kernel in one image. No padding: records are compared as bytes. */
struct kernel_record {
  uint64_t group; /* of the image, for sorting */
  uint64_t shared, local_bytes, constant;
  uint32_t name, image;
  uint32_t registers, stack, max_threads; /* KERNEL_NOT_RECORDED */
  uint32_t local;
};

struct record_text {
  uint8_t *data;
  size_t size, room;
};

/* Writes `count` records of one fatbin and name, in place of what is in `text`. false: out of memory. */
bool record_write(struct record_text *text, uint32_t fatbin, const char *name, const char *demangled,
                  const struct kernel_record *records, size_t count);

struct record_codes {
  struct cuw_kernel_code *items;
  size_t room;
};

/* Reads it back; the strings of `out` lie in `record`, its codes in `codes`. false: out of memory. */
bool record_read(struct view record, const struct cuw_library *l, struct record_codes *codes, struct cuw_kernel *out);

#endif
