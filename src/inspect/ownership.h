/* SPDX-License-Identifier: Apache-2.0 */
/* Which distribution owns which library. */
#ifndef INSPECT_OWNERSHIP_H
#define INSPECT_OWNERSHIP_H

#include "inspect/gather.h"

/* Distribution number `owner` says that the file at `path` is its own. Libraries must be sorted (gather_sort). The
 * first claim counts. */
void ownership_claim(struct gather *g, size_t owner, const char *path);

/* Gives every library to its owner and writes the distributions into the input record. */
void ownership_settle(struct gather *g);

#endif
