/* SPDX-License-Identifier: Apache-2.0 */
#include "report/emit.h"

#include <errno.h>
#include <stdlib.h>

#include <jansson.h>

#include "report/text.h"

static void separate(struct emit *e)
{
  if (e->follow)
    cuw_out_string(e->out, ", ");
  e->follow = true;
}

void emit_open(struct emit *e, char bracket)
{
  separate(e);
  out_char(e->out, bracket);
  e->follow = false;
}

void emit_close(struct emit *e, char bracket)
{
  out_char(e->out, bracket);
  e->follow = true;
}

static void new_line(struct emit *e, unsigned indent)
{
  out_char(e->out, '\n');
  out_repeat(e->out, ' ', indent);
}

void emit_line(struct emit *e, unsigned indent)
{
  if (!e->lines)
    return;
  if (e->follow)
    out_char(e->out, ',');
  new_line(e, indent);
  e->follow = false;
}

void emit_close_lines(struct emit *e, char bracket, unsigned indent)
{
  if (e->lines && e->follow)
    new_line(e, indent);
  emit_close(e, bracket);
}

void emit_key(struct emit *e, const char *key)
{
  separate(e);
  out_char(e->out, '"');
  cuw_out_string(e->out, key);
  cuw_out_bytes(e->out, "\": ", 3);
  e->follow = false;
}

/* Most strings are words of ours or plain names: nothing to encode. */
static bool is_plain(const char *s)
{
  while (*s >= ' ' && *s <= '~' && *s != '"' && *s != '\\')
    s++;
  return !*s;
}

static void encode(struct emit *e, const char *value)
{
  char small[512];
  json_t *string = json_string(value);
  size_t length = string ? json_dumpb(string, small, sizeof small, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : 0;
  if (length && length <= sizeof small)
    cuw_out_bytes(e->out, small, length);
  else {
    char *large = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    if (large)
      cuw_out_string(e->out, large);
    else
      out_fail(e->out, ENOMEM);
    free(large);
  }
  json_decref(string);
}

void emit_string(struct emit *e, const char *value)
{
  if (!value) {
    emit_null(e);
    return;
  }
  separate(e);
  if (is_plain(value)) {
    out_char(e->out, '"');
    cuw_out_string(e->out, value);
    out_char(e->out, '"');
    return;
  }
  struct text valid = {0};
  text_utf8(&valid, value);
  if (valid.failed)
    out_fail(e->out, ENOMEM);
  else
    encode(e, text_get(&valid));
  text_free(&valid);
}

void emit_uint(struct emit *e, uint64_t value)
{
  separate(e);
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  cuw_out_bytes(e->out, digits + at, sizeof digits - at);
}

void emit_bool(struct emit *e, bool value)
{
  separate(e);
  cuw_out_string(e->out, value ? "true" : "false");
}

void emit_null(struct emit *e)
{
  separate(e);
  cuw_out_string(e->out, "null");
}
