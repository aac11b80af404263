/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses where deflate blocks start in the middle of a stream (RFC 1951). */
#ifndef INPUT_AHEAD_FIND_H
#define INPUT_AHEAD_FIND_H

#include "base/view.h"

struct block_start {
  uint64_t
      bit; /* of a stored block, whose first bits may have padding behind them: the last place where it may start */
  bool stored;
};

/* What the search looks up, made once. */
struct block_finder {
  uint8_t shares[1u << 12]; /* of four code lengths of three bits: how much of a complete code they fill, of 128 */
};

void block_finder_init(struct block_finder *f);

/* The first place from bit `from` on, before byte `end`, that may start a block: a dynamic one whose code lengths make
 * complete codes, or a stored one whose length stands there twice; never the last block of a stream, nor one whose
 * header is not all in `v`. */
bool block_find(const struct block_finder *f, struct view v, uint64_t from, size_t end, struct block_start *out);

#endif
