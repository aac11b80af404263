/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a kernel tells: which function it is a variant of, and whether it names an architecture. */
#ifndef VERDICT_NAMES_H
#define VERDICT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_TRIED_MAX 16384u /* longer symbols are not demangled */

/* The name as `c++filt -p` writes it: no parameter list; what does not demangle stays as it is. NULL: out of memory.
 * The caller frees it. */
char *name_demangle(const char *symbol, size_t length);

/* Removes every "CUB_200200_SM_750_800_" and its THRUST twin: a list of compiled targets. In place. */
void name_drop_target_lists(char *name);

/* Whether the name carries an architecture: sm80_xmma, cutlass_80, Sm90, volta. */
bool name_carries_architecture(const char *name);

/* Leaves the function of which the kernel is a variant: no template arguments, none of nvcc's per-file component. In
 * place. */
void name_reduce_to_function(char *name);

/* Everything of the above that a verdict needs of one symbol. */
struct kernel_name {
  uint64_t function; /* hash of the function's name */
  bool carries_architecture;
  char *text; /* the function's name, to be freed by the caller */
};
/* false: out of memory. */
bool kernel_name_read(const char *symbol, size_t length, struct kernel_name *out);

#endif
