/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/scan.h"

#include <string.h>

/* Sources: docs/format.md 2.1, 4, 3, 5, 1.2 and 8, in the order of enum needle. The last but one is the tail of
 * the runtime's message "CUDA driver version is insufficient for CUDA runtime version": its start is too common. */
static const uint8_t needle_start[NEEDLE_COUNT][4] = {
    {0x50, 0xED, 0x55, 0xBA}, {0x7F, 'E', 'L', 'F'}, {0x28, 0xB5, 0x2F, 0xFD}, {'.', 'v', 'e', 'r'},
    {0xB1, 0x43, 0x62, 0x46}, {'f', 'f', 'i', 'c'},  {'n', 'v', 'r', 't'},
};

static bool starts_with(struct view v, size_t at, const char *text, size_t length)
{
  return range_fits(at, length, v.size) && memcmp(v.data + at, text, length) == 0;
}

static bool confirm_fatbin(struct view v, size_t at)
{
  static const char version_and_size[] = {1, 0, 16, 0};
  return starts_with(v, at + 4, version_and_size, sizeof version_and_size);
}

static bool confirm_cubin(struct view v, size_t at)
{
  if (!range_fits(at, 20, v.size))
    return false;
  const uint8_t *p = v.data + at;
  bool elf_class = (p[4] == 1 || p[4] == 2) && p[5] == 1;
  bool osabi = p[7] == 0x33 || p[7] == 0x41;
  return elf_class && osabi && p[18] == 190 && p[19] == 0;
}

/* RFC 8878 3.1.1.1.1: bit 3 of the frame header descriptor is reserved and zero. */
static bool confirm_zstd(struct view v, size_t at)
{
  return range_fits(at, 5, v.size) && (v.data[at + 4] & 0x08) == 0;
}

static bool confirm_ptx(struct view v, size_t at)
{
  if (!starts_with(v, at, ".version", 8))
    return false;
  size_t i = at + 8;
  while (i < v.size && i < at + SCAN_REACH - 1 && (v.data[i] == ' ' || v.data[i] == '\t'))
    i++;
  return i > at + 8 && i < v.size && v.data[i] >= '0' && v.data[i] <= '9';
}

static bool confirm_wrapper(struct view v, size_t at)
{
  uint64_t version = view_uint(v, at + 4, 4);
  return version == 1 || version == 2;
}

static bool confirm_runtime(struct view v, size_t at)
{
  static const char tail[] = "fficient for CUDA runtime versio";
  return starts_with(v, at, tail, sizeof tail - 1);
}

/* libnvrtc.so.12, nvrtc64_120_0.dll. */
static bool confirm_compiler(struct view v, size_t at)
{
  return starts_with(v, at, "nvrtc.so", 8) || starts_with(v, at, "nvrtc64_", 8);
}

static bool confirm(struct view v, size_t at, enum needle n)
{
  switch (n) {
  case NEEDLE_FATBIN:
    return confirm_fatbin(v, at);
  case NEEDLE_CUBIN:
    return confirm_cubin(v, at);
  case NEEDLE_ZSTD:
    return confirm_zstd(v, at);
  case NEEDLE_PTX:
    return confirm_ptx(v, at);
  case NEEDLE_WRAPPER:
    return confirm_wrapper(v, at);
  case NEEDLE_RUNTIME:
    return confirm_runtime(v, at);
  case NEEDLE_COMPILER:
    return confirm_compiler(v, at);
  case NEEDLE_COUNT:
    break;
  }
  return false;
}

static bool hit_at(struct view v, size_t at, struct hit *hit)
{
  if (!range_fits(at, 4, v.size))
    return false;
  for (unsigned n = 0; n < NEEDLE_COUNT; n++)
    if (memcmp(v.data + at, needle_start[n], 4) == 0 && confirm(v, at, n)) {
      *hit = (struct hit){at, (uint8_t)n};
      return true;
    }
  return false;
}

/* Thirty-two places at a time: the first two bytes of every needle are compared as vectors, and only places that match
 * are looked at. The compiler makes of it what the target has: SSE2 or NEON, and on x86-64 AVX2 where the machine has
 * it. */
#define LANES 32
typedef uint8_t lanes __attribute__((vector_size(LANES)));

#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef WIDEST
#define WIDEST
#endif

/* The first block of LANES places in [i, to) in which a needle may start; its start, or `to` when none is whole. */
WIDEST static size_t next_candidates(const uint8_t *data, size_t i, size_t to)
{
  for (; i + LANES + 1 <= to; i += LANES) {
    lanes a, b, found = {0};
    memcpy(&a, data + i, LANES);
    memcpy(&b, data + i + 1, LANES);
#pragma GCC unroll 8
    for (unsigned n = 0; n < NEEDLE_COUNT; n++)
      found |= (lanes)(a == needle_start[n][0]) & (lanes)(b == needle_start[n][1]);
    uint64_t w[4];
    memcpy(w, &found, sizeof w);
    if (w[0] | w[1] | w[2] | w[3])
      return i;
  }
  return i;
}

bool scan_find(struct view v, size_t from, size_t to, struct hit *hit)
{
  if (to > v.size)
    to = v.size;
  for (size_t i = from; i < to;) {
    i = next_candidates(v.data, i, to);
    size_t end = to - i < LANES ? to : i + LANES;
    for (; i < end; i++)
      if (hit_at(v, i, hit))
        return true;
  }
  return false;
}

size_t scan_magic(struct view v, size_t from)
{
  while (from < v.size) {
    const uint8_t *p = memchr(v.data + from, 0x50, v.size - from);
    if (!p)
      break;
    from = (size_t)(p - v.data);
    if (range_fits(from, 4, v.size) && memcmp(p, needle_start[NEEDLE_FATBIN], 4) == 0)
      return from;
    from++;
  }
  return v.size;
}

size_t scan_nonzero(struct view v, size_t from)
{
  size_t i = from;
  for (uint64_t word; i + sizeof word <= v.size; i += sizeof word) {
    memcpy(&word, v.data + i, sizeof word);
    if (word)
      break;
  }
  while (i < v.size && v.data[i] == 0)
    i++;
  return i;
}
