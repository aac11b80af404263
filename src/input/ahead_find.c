/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ahead_find.h"

#include <string.h>

#include "input/ahead_bits.h"

#define HEADER_BITS 17u
#define PRECODE 19u
#define PRECODE_BITS 7u
#define WHOLE_PRECODE (1u << PRECODE_BITS)
#define LENGTH_SYMBOLS 286u
#define DISTANCE_SYMBOLS 30u
#define CODE_BITS 15u
#define WHOLE_CODE (1u << CODE_BITS)
#define END_OF_BLOCK 256u
/* Bytes that the first look at a place may load: of a place's 7th bit, its 17 bits and the 8 bytes they end in. */
#define REACH ((size_t)16)

void block_finder_init(struct block_finder *f)
{
  for (unsigned v = 0; v < 1u << 12; v++) {
    unsigned share = 0;
    for (unsigned i = 0; i < 12; i += 3)
      if (v >> i & 7)
        share += WHOLE_PRECODE >> (v >> i & 7);
    /* Four codes of one bit fill 256: never complete, whatever stands beside them. */
    f->shares[v] = (uint8_t)(share > UINT8_MAX ? UINT8_MAX : share);
  }
}

/* Whether the code of the code lengths is complete: one of several hundred places passes. */
static bool precode_is_whole(const struct block_finder *f, struct view v, uint64_t bit)
{
  unsigned head = (unsigned)(bits_load(v.data + bit / 8) >> bit % 8);
  unsigned literals = head >> 3 & 31, distances = head >> 8 & 31, given = 3 * ((head >> 13 & 15) + 4);
  if (literals > LENGTH_SYMBOLS - 257 || distances > DISTANCE_SYMBOLS - 1)
    return false;
  bit += HEADER_BITS;
  uint64_t lengths = (bits_load(v.data + bit / 8) >> bit % 8) & (((uint64_t)1 << given) - 1);
  unsigned sum = 0;
  for (; lengths; lengths >>= 12)
    sum += f->shares[lengths & 0xfff];
  return sum == WHOLE_PRECODE;
}

static unsigned reversed(unsigned code, unsigned length)
{
  unsigned r = 0;
  for (; length > 0; length--, code >>= 1)
    r = r << 1 | (code & 1);
  return r;
}

/* The complete code of the code lengths, looked up with seven bits: symbol << 3 | length (section 3.2.2). */
static void read_precode(struct bits *b, unsigned given, uint8_t table[WHOLE_PRECODE])
{
  static const uint8_t order[PRECODE] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[PRECODE] = {0};
  for (unsigned i = 0; i < given; i++) {
    bits_fill(b);
    lengths[order[i]] = (uint8_t)bits_take(b, 3);
  }
  unsigned code = 0;
  for (unsigned n = 1; n <= PRECODE_BITS; n++, code <<= 1)
    for (unsigned i = 0; i < PRECODE; i++) {
      if (lengths[i] != n)
        continue;
      for (unsigned at = reversed(code, n); at < WHOLE_PRECODE; at += 1u << n)
        table[at] = (uint8_t)(i << 3 | n);
      code++;
    }
}

/* One code length or a run of them; false: a run without a first or over the end. */
static bool read_lengths(struct bits *b, unsigned symbol, uint8_t *lengths, size_t *count, size_t total)
{
  if (symbol < 16) {
    lengths[(*count)++] = (uint8_t)symbol;
    return true;
  }
  if (symbol == 16 && *count == 0)
    return false;
  uint8_t value = symbol == 16 ? lengths[*count - 1] : 0;
  size_t repeat = symbol == 16 ? 3 + bits_take(b, 2) : symbol == 17 ? 3 + bits_take(b, 3) : 11 + bits_take(b, 7);
  if (repeat > total - *count)
    return false;
  memset(lengths + *count, value, repeat);
  *count += repeat;
  return true;
}

/* How much of a complete code the lengths fill, of WHOLE_CODE. */
static unsigned filled(const uint8_t *lengths, size_t count)
{
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++)
    if (lengths[i])
      sum += WHOLE_CODE >> lengths[i];
  return sum;
}

/* Distances may have one code of one bit or none: half of a code is never filled by more here. */
static bool distances_are_right(const uint8_t *lengths, size_t count)
{
  unsigned sum = filled(lengths, count);
  return sum == WHOLE_CODE || sum == 0 || (sum == WHOLE_CODE / 2 && memchr(lengths, 1, count));
}

static bool is_dynamic(const struct block_finder *f, struct view v, uint64_t bit)
{
  if (!precode_is_whole(f, v, bit))
    return false;
  uint8_t table[WHOLE_PRECODE], lengths[LENGTH_SYMBOLS + DISTANCE_SYMBOLS];
  struct bits b = bits_at(v, bit);
  bits_drop(&b, 3);
  size_t literals = 257 + bits_take(&b, 5), distances = 1 + bits_take(&b, 5);
  read_precode(&b, 4 + bits_take(&b, 4), table);
  for (size_t count = 0; count < literals + distances;) {
    bits_fill(&b);
    unsigned entry = table[b.hold & (WHOLE_PRECODE - 1)];
    bits_drop(&b, entry & 7);
    if (!read_lengths(&b, entry >> 3, lengths, &count, literals + distances))
      return false;
  }
  return !bits_over(&b) && lengths[END_OF_BLOCK] > 0 && filled(lengths, literals) == WHOLE_CODE &&
         distances_are_right(lengths + literals, distances);
}

/* The length of a stored block at byte `at`, its three zero bits right before. */
static bool is_stored(const uint8_t *at)
{
  return at[-1] < 0x20 && (at[0] ^ at[2]) == 0xff && (at[1] ^ at[3]) == 0xff;
}

bool block_find(const struct block_finder *f, struct view v, uint64_t from, size_t end, struct block_start *out)
{
  for (size_t i = (size_t)(from / 8); i < end && i < v.size && v.size - i >= REACH; i++) {
    /* Not the last, dynamic: bits 0, 0, 1 (section 3.2.3). */
    unsigned w = v.data[i] | (unsigned)v.data[i + 1] << 8;
    unsigned places = ~w & ~(w >> 1) & w >> 2 & 0xff;
    if (i == from / 8)
      places &= 0xffu << from % 8;
    for (; places; places &= places - 1) {
      uint64_t bit = (uint64_t)i * 8 + (unsigned)__builtin_ctz(places);
      if (is_dynamic(f, v, bit)) {
        *out = (struct block_start){bit, false};
        return true;
      }
    }
    uint64_t bit = (uint64_t)i * 8 + 5;
    if (bit >= from && is_stored(v.data + i + 1)) {
      *out = (struct block_start){bit, true};
      return true;
    }
  }
  return false;
}
