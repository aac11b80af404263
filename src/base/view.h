/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded run of bytes, and a cursor over it that remembers failure. Little endian. */
#ifndef BASE_VIEW_H
#define BASE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
  const uint8_t *data;
  size_t size;
};

/* Whether [offset, offset + length) lies inside `size` bytes; never overflows. */
static inline bool range_fits(uint64_t offset, uint64_t length, uint64_t size)
{
  return offset <= size && length <= size - offset;
}

/* The part [offset, offset + length), or an empty view with data NULL when it does not fit. */
static inline struct view view_part(struct view v, uint64_t offset, uint64_t length)
{
  if (!range_fits(offset, length, v.size))
    return (struct view){NULL, 0};
  return (struct view){v.data + offset, (size_t)length};
}

/* Reads past the end give zeros and set `failed`, so that a whole header is read and tested once. */
struct cursor {
  struct view view;
  size_t at;
  bool failed;
};

static inline struct cursor cursor_at(struct view v, uint64_t offset)
{
  bool bad = offset > v.size;
  return (struct cursor){v, bad ? v.size : (size_t)offset, bad};
}

static inline uint64_t cursor_uint(struct cursor *c, unsigned bytes)
{
  if (c->view.size - c->at < bytes) {
    c->failed = true;
    c->at = c->view.size;
    return 0;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)c->view.data[c->at + i] << (8 * i);
  c->at += bytes;
  return value;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
  return (uint8_t)cursor_uint(c, 1);
}
static inline uint16_t cursor_u16(struct cursor *c)
{
  return (uint16_t)cursor_uint(c, 2);
}
static inline uint32_t cursor_u32(struct cursor *c)
{
  return (uint32_t)cursor_uint(c, 4);
}
static inline uint64_t cursor_u64(struct cursor *c)
{
  return cursor_uint(c, 8);
}

/* One field at `offset`; 0 past the end. For fields whose place was checked before. */
static inline uint64_t view_uint(struct view v, uint64_t offset, unsigned bytes)
{
  struct cursor c = cursor_at(v, offset);
  return cursor_uint(&c, bytes);
}

#endif
