/* SPDX-License-Identifier: Apache-2.0 */
/* From regions to images: the one walk that decides what a library holds, whatever source its bytes come from. */
#ifndef CARRIER_WALK_H
#define CARRIER_WALK_H

#include "carrier/carrier.h"

/* Adds every image of the map's regions to `l`, with roles as the wrappers tell (docs/architecture.md, "Roles"), and
 * a problem at each place that is wrong. Notes a linked CUDA runtime. Images are not opened. */
void walk_library(struct source *s, struct cuw_library *l, struct carrier_map *map);

/* Sets what a cubin without a fatbin entry says of itself: architecture with suffix, bits, toolkit. Its header `h` was
 * decoded; the image is opened where the header alone does not tell (docs/format.md 2.7). */
struct cubin_header;
void walk_cubin_facts(struct source *s, struct cuw_library *l, struct cuw_image *image, const struct cubin_header *h);

#endif
