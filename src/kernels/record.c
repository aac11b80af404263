/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/record.h"

#include <stdlib.h>
#include <string.h>

#include "image/kernels.h"

static bool add(struct record_text *t, const void *data, size_t size)
{
  if (size > t->room - t->size) {
    size_t room = (t->room + size) * 2;
    uint8_t *grown = realloc(t->data, room);
    if (!grown)
      return false;
    t->data = grown;
    t->room = room;
  }
  if (size)
    memcpy(t->data + t->size, data, size);
  t->size += size;
  return true;
}

/* Seven bits a byte, the lowest first; most numbers are small. */
static bool add_number(struct record_text *t, uint64_t value)
{
  uint8_t bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value);
  return add(t, bytes, n);
}

/* A number that may be absent, which is written as 0. */
static bool add_maybe(struct record_text *t, uint64_t value)
{
  return add_number(t, value + 1); /* CUW_NONE + 1 is 0 */
}

static uint64_t widen(uint32_t value)
{
  return value == KERNEL_NOT_RECORDED ? CUW_NONE : value;
}

static bool add_code(struct record_text *t, const struct kernel_record *r)
{
  /* PTX records nothing at all. */
  return add_number(t, r->image) && add_maybe(t, widen(r->registers)) && add_maybe(t, widen(r->stack)) &&
         add_maybe(t, widen(r->max_threads)) && add_maybe(t, r->shared) && add_maybe(t, r->local_bytes) &&
         add_maybe(t, r->constant);
}

bool record_write(struct record_text *t, uint32_t fatbin, const char *name, const char *demangled,
                  const struct kernel_record *records, size_t count)
{
  bool same = strcmp(name, demangled) == 0;
  t->size = 0;
  bool done = add_number(t, (uint64_t)fatbin) && add_number(t, records[0].local) && add_number(t, count) &&
              add(t, name, strlen(name) + 1) && (same ? add(t, "", 1) : add(t, demangled, strlen(demangled) + 1));
  for (size_t i = 0; done && i < count; i++)
    done = add_code(t, &records[i]);
  return done;
}

static uint64_t take_number(struct cursor *c)
{
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = cursor_u8(c);
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80 && shift < 64);
  return value;
}

static uint64_t take_maybe(struct cursor *c)
{
  return take_number(c) - 1;
}

static const char *take_string(struct cursor *c)
{
  const char *text = (const char *)c->view.data + c->at;
  c->at += strlen(text) + 1;
  return text;
}

static bool make_room(struct record_codes *codes, size_t count)
{
  if (count <= codes->room)
    return true;
  struct cuw_kernel_code *grown = realloc(codes->items, count * sizeof *grown);
  if (!grown)
    return false;
  codes->items = grown;
  codes->room = count;
  return true;
}

bool record_read(struct view record, const struct cuw_library *l, struct record_codes *codes, struct cuw_kernel *out)
{
  struct cursor c = cursor_at(record, 0);
  uint32_t fatbin = (uint32_t)take_number(&c);
  bool local = take_number(&c) != 0;
  size_t count = (size_t)take_number(&c);
  const char *name = take_string(&c), *demangled = take_string(&c);
  if (!make_room(codes, count))
    return false;
  for (size_t i = 0; i < count; i++) {
    struct cuw_kernel_code *code = &codes->items[i];
    code->image = &l->images[take_number(&c)];
    code->registers = take_maybe(&c);
    code->stack = take_maybe(&c);
    code->max_threads = take_maybe(&c);
    code->shared = take_maybe(&c);
    code->local_bytes = take_maybe(&c);
    code->constant = take_maybe(&c);
  }
  *out = (struct cuw_kernel){name, *demangled ? demangled : name, local, fatbin, codes->items, count};
  return true;
}
