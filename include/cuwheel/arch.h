/* SPDX-License-Identifier: Apache-2.0 */
/* Names of GPU architectures: sm_90a, compute_100f. */
#ifndef CUWHEEL_ARCH_H
#define CUWHEEL_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The architecture an image is for. `number` is as stored (75, 90, 120; any 32-bit
 * value may stand in a damaged file). `suffix` is 0, 'a' (this chip only) or 'f'
 * (family). docs/format.md 2.7. */
struct cuw_arch {
  uint32_t number;
  char suffix;
  bool is_virtual; /* compute_XX: PTX */
};

#define CUW_ARCH_NAME_MAX 24

/* Writes "sm_90a" or "compute_120" into `out`; returns `out`. */
char *cuw_arch_name(struct cuw_arch arch, char out[CUW_ARCH_NAME_MAX]);

/* Reads "sm_90a", "compute_100f" at the start of `text` (`len` bytes, no NUL needed).
 * Returns the bytes used, 0 when there is no such name. */
size_t cuw_arch_parse(const char *text, size_t len, struct cuw_arch *arch);

/* Order for listings: number, then no suffix < 'f' < 'a', then sm before compute. */
int cuw_arch_compare(struct cuw_arch a, struct cuw_arch b);

#ifdef __cplusplus
}
#endif
#endif
