/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by what their functions' names have in common, so that a hundred of them are a line. */
#ifndef KERNELS_GROUPS_H
#define KERNELS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_groups;

struct kernel_group {
  /* "magma::trsm_*", or a whole function; "[sd]gemm_*" where functions differ in a first letter alone, as those of BLAS
   * do for their types. */
  const char *name;
  size_t kernels;
  size_t functions;
};

struct kernel_groups *kernel_groups_new(void); /* NULL: out of memory */
void kernel_groups_free(struct kernel_groups *g);

/* One kernel, by its demangled name. false: out of memory. */
bool kernel_groups_add(struct kernel_groups *g, const char *demangled);

/* All are in. As few groups as `most` where their names allow it, the largest first; they live as long as `g`. NULL:
 * out of memory, or none was added. */
const struct kernel_group *kernel_groups_finish(struct kernel_groups *g, size_t most, size_t *count);

#endif
