/* SPDX-License-Identifier: Apache-2.0 */
#include "input/dist.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The next line without its end, or data NULL. */
static struct view next_line(struct view text, size_t *at)
{
  if (*at >= text.size)
    return (struct view){NULL, 0};
  const uint8_t *begin = text.data + *at, *end = memchr(begin, '\n', text.size - *at);
  size_t length = end ? (size_t)(end - begin) : text.size - *at;
  *at += length + (end != NULL);
  if (length > 0 && begin[length - 1] == '\r')
    length--;
  return (struct view){begin, length};
}

static bool is_blank(uint8_t c)
{
  return c == ' ' || c == '\t';
}

static struct view trimmed(struct view v)
{
  while (v.size > 0 && is_blank(v.data[0]))
    v = (struct view){v.data + 1, v.size - 1};
  while (v.size > 0 && is_blank(v.data[v.size - 1]))
    v.size--;
  return v;
}

/* The value of a header line `field: value`, or data NULL. */
static struct view header_value(struct view line, const char *field)
{
  size_t length = strlen(field);
  if (line.size <= length || line.data[length] != ':' || strncasecmp((const char *)line.data, field, length) != 0)
    return (struct view){NULL, 0};
  return trimmed((struct view){line.data + length + 1, line.size - length - 1});
}

static const char *text_of(struct arena *a, struct view v)
{
  return arena_text(a, (const char *)v.data, v.size);
}

static void take_header(struct arena *a, struct view line, struct dist_metadata *m)
{
  struct view v;
  if (!m->name && (v = header_value(line, "Name")).data && v.size > 0)
    m->name = text_of(a, v);
  if (!m->version && (v = header_value(line, "Version")).data && v.size > 0)
    m->version = text_of(a, v);
  if (!(v = header_value(line, "Requires-Dist")).data || v.size == 0)
    return;
  const char **grown = arena_grow(a, m->requires, m->requires_count, sizeof *grown);
  if (!grown)
    return;
  m->requires = grown;
  m->requires[m->requires_count++] = text_of(a, v);
}

bool dist_metadata_parse(struct arena *a, struct view text, struct dist_metadata *out)
{
  *out = (struct dist_metadata){0};
  if (text.size > DIST_METADATA_MAX)
    text.size = DIST_METADATA_MAX;
  if (text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0)
    text = view_part(text, 3, text.size - 3);
  for (size_t at = 0;;) {
    struct view line = next_line(text, &at);
    if (!line.data || line.size == 0)
      break;
    take_header(a, line, out);
  }
  return out->name && !arena_failed(a);
}

static bool wheel_field(struct arena *a, const char **at, const char **out)
{
  size_t length = strcspn(*at, "-");
  *out = arena_text(a, *at, length);
  *at += length;
  if (length == 0 || **at != '-')
    return false;
  ++*at;
  return true;
}

bool dist_wheel_name_parse(struct arena *a, const char *file_name, struct dist_wheel_name *out)
{
  *out = (struct dist_wheel_name){0};
  size_t length = strlen(file_name);
  if (length < 4 || strcasecmp(file_name + length - 4, ".whl") != 0)
    return false;
  const char *at = arena_text(a, file_name, length - 4);
  if (!at)
    return false;
  unsigned dashes = 0;
  for (const char *p = at; *p; p++)
    dashes += *p == '-';
  const char *build;
  if (dashes < 4 || dashes > 5 || !wheel_field(a, &at, &out->name) || !wheel_field(a, &at, &out->version) ||
      (dashes == 5 && !wheel_field(a, &at, &build)) || !wheel_field(a, &at, &out->python) ||
      !wheel_field(a, &at, &out->abi) || !*at)
    return false;
  out->platform = at;
  return !arena_failed(a);
}

char *dist_normal_name(struct arena *a, const char *name)
{
  char *normal = arena_string(a, name);
  if (!normal)
    return NULL;
  char *end = normal;
  for (const char *p = name; *p; p++) {
    bool separator = strchr("-_.", *p) != NULL;
    if (separator && p > name && strchr("-_.", p[-1]))
      continue;
    *end++ = separator ? '-' : (char)tolower((unsigned char)*p);
  }
  *end = '\0';
  return normal;
}

/* Appends the parts of `path` to the `length` bytes in `out`. false: it leads above the root. */
static bool append_parts(char *out, size_t *length, const char *path, const char *separators)
{
  while (*path) {
    size_t part = strcspn(path, separators);
    if (part == 2 && path[0] == '.' && path[1] == '.') {
      if (*length == 0)
        return false;
      while (*length > 0 && out[*length - 1] != '/')
        --*length;
      *length -= *length > 0;
    } else if (part > 0 && !(part == 1 && path[0] == '.')) {
      if (*length > 0)
        out[(*length)++] = '/';
      memcpy(out + *length, path, part);
      *length += part;
    }
    path += part + (path[part] != '\0');
  }
  return true;
}

char *dist_path(struct arena *a, const char *base, const char *path)
{
  const char *separators = strchr(path, '/') ? "/" : "/\\";
  bool drive = isalpha((unsigned char)path[0]) && path[1] == ':' && strchr("/\\", path[2]);
  if (path[0] == '/' || path[0] == '\\' || drive)
    return NULL;
  char *out = arena_alloc(a, strlen(base) + strlen(path) + 3);
  size_t length = 0;
  if (!out || !append_parts(out, &length, base, "/") || !append_parts(out, &length, path, separators) || length == 0)
    return NULL;
  out[length] = '\0';
  return out;
}
