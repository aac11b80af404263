/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/wire.h"

#include <stdlib.h>
#include <string.h>

#define FIELD_HEAD 8u

static void store(uint8_t *out, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

void wire_free(struct wire *w)
{
  free(w->data);
  *w = (struct wire){0};
}

uint8_t *wire_extend(struct wire *w, size_t size)
{
  if (w->failed || !range_fits(w->size, size, WIRE_REQUEST_MAX)) {
    w->failed = true;
    return NULL;
  }
  if (size > w->room - w->size) {
    size_t room = w->size + size + w->size / 2 + 64;
    uint8_t *more = realloc(w->data, room);
    if (!more) {
      w->failed = true;
      return NULL;
    }
    w->data = more;
    w->room = room;
  }
  uint8_t *at = w->data + w->size;
  w->size += size;
  return at;
}

uint8_t *wire_put_space(struct wire *w, uint32_t tag, size_t size)
{
  if (size > WIRE_REQUEST_MAX - FIELD_HEAD) {
    w->failed = true;
    return NULL;
  }
  uint8_t *at = wire_extend(w, FIELD_HEAD + size);
  if (!at)
    return NULL;
  store(at, tag, 4);
  store(at + 4, size, 4);
  return at + FIELD_HEAD;
}

void wire_put(struct wire *w, uint32_t tag, const void *bytes, size_t size)
{
  uint8_t *at = wire_put_space(w, tag, size);
  if (at && size)
    memcpy(at, bytes, size);
}

void wire_put_uint(struct wire *w, uint32_t tag, uint64_t value)
{
  uint8_t *at = wire_put_space(w, tag, 8);
  if (at)
    store(at, value, 8);
}

void wire_put_text(struct wire *w, uint32_t tag, const char *text)
{
  wire_put(w, tag, text, strlen(text));
}

size_t wire_open(struct wire *w, uint32_t tag)
{
  wire_put_space(w, tag, 0);
  return w->size;
}

void wire_close(struct wire *w, size_t opened)
{
  if (!w->failed)
    store(w->data + opened - 4, w->size - opened, 4);
}

bool wire_next(struct cursor *c, struct wire_field *out)
{
  if (c->failed || c->at == c->view.size)
    return false;
  out->tag = cursor_u32(c);
  uint32_t length = cursor_u32(c);
  if (c->failed || !range_fits(c->at, length, c->view.size)) {
    c->failed = true;
    return false;
  }
  out->bytes = view_part(c->view, c->at, length);
  c->at += length;
  return true;
}

uint64_t wire_uint(const struct wire_field *field)
{
  return view_uint(field->bytes, 0, 8);
}

void wire_text(const struct wire_field *field, char *out, size_t size)
{
  size_t length = field->bytes.size < size - 1 ? field->bytes.size : size - 1;
  if (length)
    memcpy(out, field->bytes.data, length);
  out[length] = '\0';
}

void wire_head_encode(const struct wire_head *head, uint8_t out[WIRE_HEAD])
{
  store(out, WIRE_MAGIC, 4);
  store(out + 4, head->kind, 4);
  store(out + 8, head->length, 8);
}

bool wire_head_decode(const uint8_t bytes[WIRE_HEAD], struct wire_head *out)
{
  struct view v = {bytes, WIRE_HEAD};
  out->kind = (uint32_t)view_uint(v, 4, 4);
  out->length = view_uint(v, 8, 8);
  return view_uint(v, 0, 4) == WIRE_MAGIC;
}
