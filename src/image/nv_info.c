/* SPDX-License-Identifier: Apache-2.0 */
#include "image/nv_info.h"

/* docs/format.md 4.2 */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };

bool nv_record_next(struct cursor *c, struct nv_record *out)
{
  *out = (struct nv_record){0};
  if (c->failed || c->at == c->view.size)
    return false;
  uint8_t format = cursor_u8(c);
  out->attribute = cursor_u8(c);
  uint16_t half = cursor_u16(c);
  if (c->failed)
    return false;
  switch (format) {
  case FORMAT_NONE:
  case FORMAT_HALF:
    out->value = half;
    return true;
  case FORMAT_BYTE:
    out->value = half & 0xff;
    return true;
  case FORMAT_SIZED:
    if (half > c->view.size - c->at)
      break;
    out->payload = (struct view){c->view.data + c->at, half};
    c->at += half;
    return true;
  default:
    break;
  }
  c->failed = true;
  return false;
}
