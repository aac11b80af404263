/* SPDX-License-Identifier: Apache-2.0 */
/* What a forward pass may leave out and should keep, guessed from the headers at a file's front. A wrong guess costs
 * time, never an answer. */
#ifndef CARRIER_SIEVE_PLAN_H
#define CARRIER_SIEVE_PLAN_H

#include "input/source.h"

struct span {
  uint64_t begin, end;
};

struct sieve_plan {
  struct span *skips; /* not looked at; ascending, disjoint */
  size_t skip_count;
  struct span *tables; /* kept whole; ascending, each at most SOURCE_WINDOW bytes */
  size_t table_count;
};

void sieve_plan_make(struct source *s, struct sieve_plan *plan);
void sieve_plan_free(struct sieve_plan *plan);

/* The first of `count` ascending spans that ends behind `offset`; `count` when none does. */
size_t span_behind(const struct span *spans, size_t count, uint64_t offset);

#endif
