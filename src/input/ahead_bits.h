/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of a deflate stream, least significant first, over bytes in memory (RFC 1951 section 3.1.1). */
#ifndef INPUT_AHEAD_BITS_H
#define INPUT_AHEAD_BITS_H

#include "base/view.h"

/* Behind the end come zeros; bits_over tells. */
struct bits {
  const uint8_t *data;
  size_t size, at;
  uint64_t hold;
  unsigned count;
  uint64_t zeros; /* bits that were added behind the end */
};

static inline uint64_t bits_load(const uint8_t *p)
{
  uint64_t v = 0;
  for (unsigned i = 0; i < 8; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

/* Afterwards at least 56 bits are held. */
static inline void bits_fill(struct bits *b)
{
  if (b->size - b->at >= 8) {
    b->hold |= bits_load(b->data + b->at) << b->count;
    b->at += (63 - b->count) >> 3;
    b->count |= 56;
    return;
  }
  for (; b->count <= 56; b->count += 8) {
    if (b->at < b->size)
      b->hold |= (uint64_t)b->data[b->at++] << b->count;
    else
      b->zeros += 8;
  }
}

static inline void bits_drop(struct bits *b, unsigned n)
{
  b->hold >>= n;
  b->count -= n;
}

/* n <= 32, of the bits held. */
static inline uint32_t bits_take(struct bits *b, unsigned n)
{
  uint32_t v = (uint32_t)(b->hold & (((uint64_t)1 << n) - 1));
  bits_drop(b, n);
  return v;
}

static inline bool bits_over(const struct bits *b)
{
  return b->zeros > b->count;
}

/* position <= 8 * v.size */
static inline struct bits bits_at(struct view v, uint64_t position)
{
  struct bits b = {.data = v.data, .size = v.size, .at = (size_t)(position / 8)};
  bits_fill(&b);
  bits_drop(&b, (unsigned)(position % 8));
  return b;
}

#endif
