/* SPDX-License-Identifier: Apache-2.0 */
#include "input/window.h"

#include <stdlib.h>

#define AHEAD_MIN ((size_t)4096)

/* How much to read for a view that the buffer does not hold. */
static size_t read_length(struct window *w, uint64_t size, uint64_t offset, size_t want)
{
  bool carries_on = w->filled > 0 && offset >= w->begin && offset - w->begin <= w->filled;
  if (!carries_on)
    w->ahead = AHEAD_MIN;
  else if (w->ahead < SOURCE_WINDOW)
    w->ahead *= 2;
  size_t length = want > w->ahead ? want : w->ahead;
  return length > size - offset ? (size_t)(size - offset) : length;
}

/* Most files of an environment are looked at once, at their start: little is enough for them. */
static bool has_room(struct window *w, size_t length)
{
  if (length <= w->capacity)
    return true;
  size_t capacity = length <= AHEAD_MIN ? AHEAD_MIN : SOURCE_WINDOW;
  free(w->data);
  w->data = malloc(capacity);
  w->capacity = w->data ? capacity : 0;
  return w->data != NULL;
}

enum source_status window_view(struct window *w, const struct reader *reader, uint64_t size, uint64_t offset,
                               size_t want, struct view *out, struct input_error *error)
{
  if (offset >= w->begin && range_fits(offset - w->begin, want, w->filled)) {
    *out = (struct view){w->data + (offset - w->begin), want};
    return SOURCE_OK;
  }
  size_t length = read_length(w, size, offset, want), got = 0;
  w->filled = 0;
  if (!has_room(w, length)) {
    input_error_set(error, "out-of-memory", "There is no memory for a read buffer.");
    return SOURCE_MEMORY;
  }
  enum source_status status = reader->read(reader->data, offset, w->data, length, &got, error);
  if (status != SOURCE_OK)
    return status;
  w->begin = offset;
  w->filled = got;
  *out = (struct view){w->data, got < want ? got : want};
  return SOURCE_OK;
}

void window_free(struct window *w)
{
  free(w->data);
  *w = (struct window){0};
}
