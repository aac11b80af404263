/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer over bytes that can be read at any offset: grows its reads while they run forward, so that
 * hopping from header to header costs little and a scan makes few system calls. */
#ifndef INPUT_WINDOW_H
#define INPUT_WINDOW_H

#include "input/error.h"
#include "input/source.h"

/* Positioned reads of raw bytes. */
struct reader {
  /* Reads up to `size` bytes at `offset`; fewer only where the bytes end. Sets *error with every
   * status but SOURCE_OK. */
  enum source_status (*read)(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                             struct input_error *error);
  void *data;
};

struct window {
  uint8_t *data;
  size_t capacity;
  uint64_t begin;
  size_t filled;
  size_t ahead; /* bytes of the next read that carries on */
};

/* Shows [offset, offset + want), want <= SOURCE_WINDOW, where the bytes are known to be `size` in all. The view is
 * shorter than `want` where the reader's bytes end early. */
enum source_status window_view(struct window *w, const struct reader *reader, uint64_t size, uint64_t offset,
                               size_t want, struct view *out, struct input_error *error);

void window_free(struct window *w);

#endif
