/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the images of a library and gathers their kernels. */
#ifndef KERNELS_COLLECT_H
#define KERNELS_COLLECT_H

#include "input/source.h"
#include "kernels/crew.h"
#include "kernels/table.h"

struct collect_options {
  struct crew *crew;
  uint64_t cap;                                        /* bytes of one image */
  bool (*wants)(void *data, const struct cuw_image *); /* NULL: every cubin and PTX */
  void *data;
};

/* Adds the kernels of every wanted image to `table`, and what is wrong with an image to the problems of `l`. Reads
 * forward. false: out of memory. */
bool collect_kernels(const struct collect_options *o, struct source *s, struct cuw_library *l,
                     struct kernel_table *table);

#endif
