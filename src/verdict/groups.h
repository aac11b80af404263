/* SPDX-License-Identifier: Apache-2.0 */
/* The images of a library by container: what is judged is a fatbin, never the library as a whole. */
#ifndef VERDICT_GROUPS_H
#define VERDICT_GROUPS_H

#include "verdict/choose.h"
#include "verdict/facts.h"

struct sized_image {
  uint64_t size;
  size_t image;
};

/* A fatbin, or one bare image. */
struct group {
  const size_t *images; /* indices into the library's images, in file order */
  /* The same by size; among equals the one that stands later comes first, so that from the end it is largest first
   * and the first of equals. */
  const struct sized_image *by_size;
  size_t count;
  enum cuw_role role;
};

struct group_list {
  struct group *items; /* in file order */
  size_t count;
  void *memory[3];
};

/* false: out of memory. */
bool groups_build(const struct cuw_library *library, struct group_list *out);
void groups_free(struct group_list *list);

/* The payload-size field of the entry's header, for a sub-entry its image size. */
uint64_t image_header_size(const struct cuw_image *image);

/* Nothing but LTO-IR or Tile IR. */
bool group_is_ir_only(const struct cuw_library *library, const struct group *g);
/* Every image is for one chip or one family only. */
bool group_is_suffixed(const struct cuw_library *library, const struct group *g);
/* Distinct architecture numbers, suffix and kind aside; 101 and 110 are one. */
size_t group_architectures(const struct cuw_library *library, const struct group *g);
bool group_fits_device(const struct cuw_library *library, const struct group *g, unsigned number);

enum group_kernels { KERNELS_NO, KERNELS_YES, KERNELS_UNREADABLE, KERNELS_PENDING };

/* Whether any image of the fatbin holds a kernel. KERNELS_PENDING: `*image` has to be opened first. */
enum group_kernels group_kernels(const struct cuw_library *library, const struct facts *facts, const struct group *g,
                                 size_t *image);

/* The largest image that has kernels, by name. NO_IMAGE: none. *pending: that image's names are not known yet. */
size_t group_kernel_image(const struct cuw_library *library, const struct facts *facts, const struct group *g,
                          bool *pending);

#endif
