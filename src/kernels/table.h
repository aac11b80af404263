/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of one library while its images are opened, in any order and from several threads. */
#ifndef KERNELS_TABLE_H
#define KERNELS_TABLE_H

#include "base/view.h"
#include "cuwheel/kernels.h"
#include "image/kernels.h"
#include "kernels/pack.h"

struct kernel_table;

struct kernel_table *kernel_table_new(void); /* NULL: out of memory */
void kernel_table_free(struct kernel_table *t);

/* One kernel of image number `image`. false: out of memory. */
bool kernel_table_add(struct kernel_table *t, size_t image, const struct kernel *k);

/* Kernels that a table takes, one in several images counted for each. */
#define KERNEL_TABLE_MAX ((size_t)2 << 20)

/* Whether more was added than it takes; then it packs none. */
bool kernel_table_is_full(const struct kernel_table *t);

/* Sorts what was added and packs it, a record a (fatbin, name). `takes` says which names are wanted; NULL: all. false:
 * out of memory. */
typedef bool (*kernel_name_filter)(void *data, const char *name, const char *demangled);
bool kernel_table_pack(struct kernel_table *t, const struct cuw_library *l, kernel_name_filter takes, void *data,
                       struct pack *out);

/* Reads such a pack: each kernel in turn, until `each` returns false. The number told; -1: out of memory. */
long kernel_pack_each(const struct pack *p, const struct cuw_library *l,
                      bool (*each)(void *data, const struct cuw_kernel *kernel), void *data);

#endif
