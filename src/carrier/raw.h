/* SPDX-License-Identifier: Apache-2.0 */
/* Loose images: a file that is a cubin, a fatbin or a PTX text itself. */
#ifndef CARRIER_RAW_H
#define CARRIER_RAW_H

#include "carrier/carrier.h"

/* Containers from the first byte to the last. */
void raw_fatbin_map(struct source *s, struct cuw_library *l, struct carrier_map *map);

/* One text or several, each with its own `.version`. */
void raw_ptx_map(struct source *s, struct cuw_library *l, struct carrier_map *map);

/* Adds the one image that the file is. */
void raw_cubin_read(struct source *s, struct cuw_library *l);

#endif
