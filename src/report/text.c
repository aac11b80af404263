/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_bytes(struct text *t, const char *bytes, size_t length)
{
  if (t->failed)
    return;
  if (length >= t->room - t->length) {
    size_t room = (t->room + length + 32) * 2;
    char *data = realloc(t->data, room);
    if (!data) {
      t->failed = true;
      return;
    }
    t->data = data;
    t->room = room;
  }
  memcpy(t->data + t->length, bytes, length);
  t->length += length;
  t->data[t->length] = 0;
}

void text_string(struct text *t, const char *string)
{
  text_bytes(t, string, strlen(string));
}

void text_printf(struct text *t, const char *format, ...)
{
  char *string;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&string, format, args);
  va_end(args);
  if (length < 0) {
    t->failed = true;
    return;
  }
  text_bytes(t, string, (size_t)length);
  free(string);
}

void text_clear(struct text *t)
{
  t->length = 0;
  if (t->data)
    t->data[0] = 0;
}

void text_free(struct text *t)
{
  free(t->data);
  *t = (struct text){0};
}

const char *text_get(const struct text *t)
{
  return t->data ? t->data : "";
}

size_t utf8_decode(const char *s, uint32_t *code)
{
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x80) {
    *code = u[0];
    return 1;
  }
  size_t length = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
  if (u[0] < 0xc2 || u[0] > 0xf4)
    return 0;
  uint32_t c = u[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((u[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (u[i] & 0x3f);
  }
  if ((length == 3 && c < 0x800) || (length == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  *code = c;
  return length;
}

struct range {
  uint32_t first, last;
};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (code >= ranges[i].first && code <= ranges[i].last)
      return true;
  return false;
}

/* Controls, line separators, and the format characters of Unicode (category Cf) that reorder
 * or hide text. */
static bool is_unsafe(uint32_t code)
{
  static const struct range unsafe[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},   {0x200b, 0x200f},
      {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
  };
  return in_ranges(code, unsafe, sizeof unsafe / sizeof *unsafe);
}

static void escape(struct text *t, const char *s, bool keep_valid)
{
  const char *plain = s;
  while (*s) {
    uint32_t code;
    if (*s >= ' ' && *s <= '~') { /* most of all text */
      s++;
      continue;
    }
    size_t length = utf8_decode(s, &code);
    if (length && (keep_valid || !is_unsafe(code))) {
      s += length;
      continue;
    }
    text_bytes(t, plain, (size_t)(s - plain));
    for (size_t i = 0; i < (length ? length : 1); i++)
      text_printf(t, "\\x%02x", (unsigned char)*s++);
    plain = s;
  }
  text_bytes(t, plain, (size_t)(s - plain));
}

void text_escape(struct text *t, const char *s)
{
  escape(t, s, false);
}

void text_utf8(struct text *t, const char *s)
{
  escape(t, s, true);
}

void text_csv(struct text *t, const char *s)
{
  struct text safe = {0};
  text_escape(&safe, s);
  if (safe.failed)
    t->failed = true;
  s = text_get(&safe);
  bool formula = s[strspn(s, " ")] && strchr("=+-@", s[strspn(s, " ")]);
  bool quote = strpbrk(s, ",\"") != NULL;
  if (quote)
    text_bytes(t, "\"", 1);
  if (formula)
    text_bytes(t, "'", 1);
  for (const char *end; *s; s = end) { /* up to the next quote, which is doubled */
    end = strchrnul(s + 1, '"');
    if (*s == '"')
      text_bytes(t, "\"", 1);
    text_bytes(t, s, (size_t)(end - s));
  }
  if (quote)
    text_bytes(t, "\"", 1);
  text_free(&safe);
}

/* Characters that mean nothing to Markdown wherever they stand in a line. */
static bool is_plain_markdown(const char *s, const char *start)
{
  if (*s == '.') /* "www." begins a link */
    return !(s - start >= 3 && strncmp(s - 3, "www", 3) == 0);
  return isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 || strchr(" ,;()/%=", *s);
}

void text_markdown(struct text *t, const char *s)
{
  struct text safe = {0};
  text_escape(&safe, s);
  t->failed |= safe.failed;
  s = text_get(&safe);
  for (const char *at = s; *at; at++) {
    if (*at == '-' && at > s) /* no list, no rule */
      text_bytes(t, at, 1);
    else if (*at == '@' || (*at == '#' && at[1])) /* a comment parts it from the name or number that it would mention */
      text_printf(t, "%c<!-- -->", *at);
    else if (is_plain_markdown(at, s))
      text_bytes(t, at, 1);
    else
      text_printf(t, "&#%d;", *at);
  }
  text_free(&safe);
}

/* Widths after Unicode's EastAsianWidth (W, F) and its combining marks, to the precision that
 * file names need. */
static size_t code_width(uint32_t code)
{
  static const struct range wide[] = {
      {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f}, {0xac00, 0xd7a3},
      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
      {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
  };
  static const struct range combining[] = {
      {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
      {0x6d6, 0x6dc},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},   {0xe31, 0xe31},
      {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
      {0x302a, 0x302f}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
  };
  if (in_ranges(code, combining, sizeof combining / sizeof *combining))
    return 0;
  return in_ranges(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

size_t text_width(const char *s)
{
  size_t width = 0;
  while (*s) {
    uint32_t code;
    size_t length = utf8_decode(s, &code);
    width += length ? code_width(code) : 1;
    s += length ? length : 1;
  }
  return width;
}
