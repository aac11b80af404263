/* SPDX-License-Identifier: Apache-2.0 */
/* Read an input and judge all that is in it, in one go. */
#ifndef CUWHEEL_CHECKED_H
#define CUWHEEL_CHECKED_H

#include "cuwheel/check.h"
#include "cuwheel/inspect.h"
#include "cuwheel/missing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuw_check_options {
  const struct cuw_gpu *gpus;
  size_t gpu_count;
  struct cuw_driver driver; /* all zero: any */
  struct cuw_selection selection;
  bool bytes;              /* count bytes too */
  bool kernels;            /* name the kernels that would fail: opens every cubin and PTX */
  uint64_t max_image_size; /* 0: CUW_IMAGE_SIZE_MAX */
};

/* One distribution, one GPU. */
struct cuw_verdict {
  const struct cuw_gpu *gpu; /* of the options */
  const struct cuw_distribution *distribution;
  struct cuw_distribution_verdict whole;
  struct cuw_library_verdict *libraries; /* in the order of the distribution; loose images last, as one */
  struct cuw_bytes *bytes;               /* of each; NULL unless asked for */
  struct cuw_missing *missing;           /* of each; NULL unless asked for; of loose images nothing */
  size_t library_count;
};

struct cuw_checked {
  struct cuw_input *input;
  struct cuw_verdict *verdicts; /* GPU by GPU as given, distribution by distribution */
  size_t verdict_count;
};

/* As cuw_inspect; the options must outlive the result. NULL: out of memory. Free with cuw_checked_free. */
struct cuw_checked *cuw_check(const char *path, const struct cuw_inspect_options *options,
                              const struct cuw_check_options *check);
void cuw_checked_free(struct cuw_checked *checked);

#ifdef __cplusplus
}
#endif
#endif
