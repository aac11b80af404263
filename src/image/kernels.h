/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a cubin with what each needs; docs/format.md 4.2. Pure decoding. */
#ifndef IMAGE_KERNELS_H
#define IMAGE_KERNELS_H

#include "base/view.h"
#include "cuwheel/image.h"

#define KERNEL_NOT_RECORDED UINT32_MAX

/* Sizes are in bytes; a number that the cubin does not record is KERNEL_NOT_RECORDED. */
struct kernel {
  struct view name;     /* as stored (mangled), in the image; {NULL, 0} where it cannot be read */
  bool local;           /* STB_LOCAL: a `static __global__` function */
  uint32_t registers;   /* a thread */
  uint32_t stack;       /* a thread, with what it calls; what cuobjdump prints as STACK */
  uint32_t frame;       /* of it, the function's own frame */
  uint32_t max_stack;   /* rarely recorded */
  uint64_t shared;      /* static shared memory a block; from sm_90 on with the 1024 bytes that the system reserves */
  uint64_t local_bytes; /* .nv.local; spills and arrays stand in `stack` */
  uint64_t constant;    /* its own constant banks: parameters, and bank 2 of old cubins */
  uint32_t max_threads; /* a block, by launch bounds or a required size */
};

/* Calls `each` with every kernel that `image`, a whole cubin, defines, in the order of its symbols; stops when `each`
 * returns false. Returns the number seen, -1 when the symbol table cannot be read or memory is out. `*damage` is NULL
 * or a static string that says what is wrong; the rest is still told. */
long kernels_read(struct view image, bool (*each)(void *data, const struct kernel *k), void *data, const char **damage);

#endif
