/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs: compute capabilities, and the product names that people and drivers use. */
#ifndef CUWHEEL_GPU_H
#define CUWHEEL_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One compute capability: 120 is 12.0. CUDA versions are major * 10 + minor (128 is 12.8);
 * last_cuda 0: every toolkit known so far still compiles for it. */
struct cuw_gpu_arch {
  uint16_t number;
  const char *architecture;
  bool tegra;
  uint16_t first_cuda, last_cuda;
};

/* Product names of one compute capability are found by number. */
struct cuw_gpu_product {
  const char *name;
  uint16_t number;
};

/* The tables, in ascending order of number. 10.1 is not in them: it counts as 11.0. */
const struct cuw_gpu_arch *cuw_gpu_archs(size_t *count);
const struct cuw_gpu_product *cuw_gpu_products(size_t *count);
/* NULL when the number is in no row; 101 gives the row of 110. */
const struct cuw_gpu_arch *cuw_gpu_arch_find(unsigned number);

/* A device to judge for. */
struct cuw_gpu {
  const char *name; /* of the product; NULL where only a compute capability is known */
  uint16_t number;  /* 120; never 101 */
  bool renamed;     /* given as 10.1, the name of 11.0 before CUDA 13 */
};

/* "12.0" into out; returns out. */
#define CUW_CC_MAX 16
char *cuw_cc_text(unsigned number, char out[CUW_CC_MAX]);

enum cuw_gpu_match {
  CUW_GPU_FOUND,
  CUW_GPU_AMBIGUOUS, /* candidates: products of that name with different compute capabilities */
  CUW_GPU_SUFFIX,    /* "sm_90a": a device has no suffix; gpu is what was probably meant */
  CUW_GPU_UNKNOWN    /* candidates: the nearest names */
};

#define CUW_GPU_CANDIDATES 8

struct cuw_gpu_search {
  enum cuw_gpu_match match;
  struct cuw_gpu gpu;
  struct cuw_gpu_product candidates[CUW_GPU_CANDIDATES];
  size_t candidate_count;
};

/* Finds a device by "sm_120", "120", "12.0" or a product name in any case, also as the kernel driver writes it
 * ("NVIDIA A100-SXM4-80GB"). Names point into static tables. */
void cuw_gpu_find(const char *text, struct cuw_gpu_search *out);

#ifdef __cplusplus
}
#endif
#endif
