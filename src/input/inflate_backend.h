/* SPDX-License-Identifier: Apache-2.0 */
/* The inflaters that a member can be read with: ISA-L where it was built in, zlib always. */
#ifndef INPUT_INFLATE_BACKEND_H
#define INPUT_INFLATE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inflate_result { INFLATE_MORE, INFLATE_END, INFLATE_BAD, INFLATE_MEMORY };

/* Both runs shrink from the front by what was used. */
struct inflate_io {
  const uint8_t *in;
  size_t in_size;
  uint8_t *out;
  size_t out_size;
};

/* Bits that were taken in and not yet used, the next one lowest. */
struct inflate_bits {
  uint64_t value;
  unsigned count;
};

#define INFLATE_HISTORY ((size_t)1 << 15)

/* Raw deflate. A state holds all that a stream in progress needs, its last 32 KiB of output too. */
struct inflate_backend {
  const char *name;
  void *(*create)(void); /* at the start of a stream; NULL: out of memory */
  void (*destroy)(void *state);
  void (*reset)(void *state);
  bool (*copy)(void *to, const void *from); /* false: out of memory, `to` can only be destroyed */
  enum inflate_result (*step)(void *state, struct inflate_io *io);
  size_t (*unused)(const void *state); /* after INFLATE_END: bytes taken in but not part of the stream */
  /* The next three where it can begin in the middle of a stream, else NULL. `begin` stands at the start of a block
   * whose first bits are given, behind 32 KiB of output; `between` tells whether the next bit is the first of a block,
   * or of the rest of one's header, with all output given; `kept` is what a state holds of its output. */
  bool (*begin)(void *state, struct inflate_bits first, const uint8_t history[INFLATE_HISTORY]);
  bool (*between)(const void *state, struct inflate_bits *taken);
  uint8_t *(*kept)(void *state, size_t *size);
  uint32_t (*crc32)(uint32_t crc, const void *data, size_t size);
};

const struct inflate_backend *inflate_isal(void); /* NULL: not built in */
const struct inflate_backend *inflate_zlib(void);
const struct inflate_backend *inflate_fastest(void);

#endif
