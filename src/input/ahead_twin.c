/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ahead_twin.h"

#include <string.h>

void twin_windows(uint8_t first[INFLATE_HISTORY], uint8_t second[INFLATE_HISTORY])
{
  for (size_t i = 0; i < INFLATE_HISTORY; i++) {
    first[i] = (uint8_t)i;
    second[i] = (uint8_t)(i ^ (1 + (i >> 8)));
  }
}

static uint8_t resolve(uint8_t first, uint8_t second, const uint8_t *window)
{
  size_t high = (size_t)(first ^ second) - 1;
  return first == second ? first : window[(high << 8 | first) % INFLATE_HISTORY];
}

void twin_resolve(uint8_t *out, const uint8_t *first, const uint8_t *second, size_t size,
                  const uint8_t window[INFLATE_HISTORY])
{
  size_t i = 0;
  for (; size - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
    uint64_t a, b;
    memcpy(&a, first + i, sizeof a);
    memcpy(&b, second + i, sizeof b);
    if (a == b)
      memcpy(out + i, &a, sizeof a);
    else
      for (size_t k = i; k < i + sizeof a; k++)
        out[k] = resolve(first[k], second[k], window);
  }
  for (; i < size; i++)
    out[i] = resolve(first[i], second[i], window);
}
