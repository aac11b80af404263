/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that would fail on a GPU. */
#ifndef CUWHEEL_MISSING_H
#define CUWHEEL_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order in which they are told. */
enum cuw_missing_why {
  CUW_MISSING_NONE,        /* of a fatbin without an image for this GPU */
  CUW_MISSING_IN_IMAGE,    /* not in the image for this GPU, though the same fatbin has it for another */
  CUW_MISSING_GATED,       /* of a fatbin for other chips alone */
  CUW_MISSING_SPECIALISED, /* as far as bytes tell, this GPU does not need it */
  CUW_MISSING_KINDS
};

/* "none", "in_image", "gated", "specialised". */
const char *cuw_missing_name(enum cuw_missing_why why);

/* Kernels whose functions have the beginning of their names in common. */
struct cuw_missing_group {
  enum cuw_missing_why why;
  const char *name; /* "pytorch_flash::flash_bwd_*", or one function; bytes that others chose */
  size_t kernels;
  size_t functions;
};

/* Of one library and one GPU. */
struct cuw_missing {
  struct cuw_missing_group *groups; /* by why, the largest first */
  size_t group_count;
  size_t kernels[CUW_MISSING_KINDS];
  void *arena;
};

void cuw_missing_free(struct cuw_missing *missing);

#ifdef __cplusplus
}
#endif
#endif
