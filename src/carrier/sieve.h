/* SPDX-License-Identifier: Apache-2.0 */
/* One forward pass over a source that is cheap to read forward only. docs/architecture.md, "Reading a member once". */
#ifndef CARRIER_SIEVE_H
#define CARRIER_SIEVE_H

#include "carrier/scan.h"
#include "input/source.h"

/* Reads `inner` once to its end, keeping what the readers of headers and regions will ask for: the places of needles,
 * the headers of containers and entries, ELF tables. The result is a source with the same bytes: what was kept costs
 * nothing, anything else goes back to `inner`. Nothing is decided here: a reader gets the same answers with and without
 * a sieve. Faults of the stream end the pass and show when their bytes are asked for. `inner` must outlive the sieve
 * and stays the caller's. NULL: out of memory. */
struct source *sieve_open(struct source *inner);

/* The first confirmed needle that starts in [from, to) of any source; *found says whether there is one. `to` is
 * clipped to the source's size. With a sieve the answer comes from its pass where that looked. */
enum source_status source_find(struct source *s, uint64_t from, uint64_t to, struct hit *hit, bool *found);

#endif
