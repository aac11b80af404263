/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD: CSV, the path is the first field of a row. */
#include "input/dist.h"

#include <stdlib.h>
#include <string.h>

/* One row's first field, unquoted, in memory that is used again. */
struct field {
  char *text;
  size_t length, capacity;
};

static bool field_put(struct field *f, uint8_t c)
{
  if (f->length + 1 >= f->capacity) {
    size_t capacity = f->capacity ? 2 * f->capacity : 256;
    char *grown = realloc(f->text, capacity);
    if (!grown)
      return false;
    f->text = grown;
    f->capacity = capacity;
  }
  f->text[f->length++] = (char)c;
  f->text[f->length] = '\0';
  return true;
}

/* Reads a field into `f` (NULL: passes over it) up to its ',' or line end, which is not taken. false: a quote without
 * end, or out of memory. */
static bool read_field(struct view text, size_t *at, struct field *f)
{
  bool quoted = *at < text.size && text.data[*at] == '"';
  *at += quoted;
  for (; *at < text.size; ++*at) {
    uint8_t c = text.data[*at];
    if (quoted && c == '"') {
      if (*at + 1 >= text.size || text.data[*at + 1] != '"') {
        quoted = false;
        continue;
      }
      ++*at;
    } else if (!quoted && (c == ',' || c == '\n' || c == '\r')) {
      return true;
    }
    if (f && !field_put(f, c))
      return false;
  }
  return !quoted;
}

/* Passes over the rest of a row and its end. */
static bool skip_row(struct view text, size_t *at)
{
  while (*at < text.size && text.data[*at] == ',') {
    ++*at;
    if (!read_field(text, at, NULL))
      return false;
  }
  while (*at < text.size && (text.data[*at] == '\r' || text.data[*at] == '\n'))
    ++*at;
  return true;
}

bool dist_record_rows(struct view text, bool (*each)(void *data, const char *path), void *data)
{
  if (text.size > DIST_RECORD_MAX)
    text.size = DIST_RECORD_MAX;
  struct field f = {NULL, 0, 0};
  bool good = true;
  for (size_t at = 0; good && at < text.size;) {
    f.length = 0;
    good = read_field(text, &at, &f) && skip_row(text, &at);
    if (good && f.length > 0)
      good = each(data, f.text);
  }
  free(f.text);
  return good;
}
