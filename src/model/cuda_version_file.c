/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA version that a distribution writes into a file of its own: torch/version.py (`cuda: Optional[str] =
 * '13.2'`), paddle/version/__init__.py (`cuda_version = '11.8'`), tensorflow's build_info.py (`('cuda_version',
 * '12.5.1')`, on Windows '64_112'), xformers' cpp_lib.json (`"cuda": 1206`), and `__version__ = '0.23.0+cu128'` of
 * many. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuda.h"

#define VALUE_MAX 64u

static char byte_at(struct view v, size_t at)
{
  return at < v.size ? (char)v.data[at] : 0;
}

static size_t skip_blanks(struct view v, size_t at)
{
  while (byte_at(v, at) == ' ' || byte_at(v, at) == '\t')
    at++;
  return at;
}

/* Behind the name of a variable: past an annotation and '='. 0: no assignment. */
static size_t behind_assignment(struct view v, size_t at)
{
  at = skip_blanks(v, at);
  if (byte_at(v, at) == ':') {
    while (at < v.size && v.data[at] != '=' && v.data[at] != '\n')
      at++;
  }
  return byte_at(v, at) == '=' && byte_at(v, at + 1) != '=' ? skip_blanks(v, at + 1) : 0;
}

/* Copies the quoted string at `at`; false when there is none, or a long one. */
static bool quoted_at(struct view v, size_t at, char out[VALUE_MAX])
{
  char quote = byte_at(v, at);
  if (quote != '\'' && quote != '"')
    return false;
  for (size_t i = 0; i < VALUE_MAX; i++) {
    char ch = byte_at(v, at + 1 + i);
    if (ch == 0 || ch == '\n')
      return false;
    out[i] = ch == quote ? 0 : ch;
    if (ch == quote)
      return true;
  }
  return false;
}

/* "13.2", "12.5.1", "12", or "64_112" as in the names of DLLs. */
static bool from_text(const char *value, char out[CUDA_VERSION_MAX])
{
  if (!strncmp(value, "64_", 3))
    return cuda_from_digits(value + 3, strlen(value + 3), out);
  char *end;
  if (!isdigit((unsigned char)value[0]))
    return false;
  unsigned long major = strtoul(value, &end, 10);
  if (*end == 0)
    return major <= 99 && cuda_version_put((unsigned)major, -1, out);
  if (*end != '.' || !isdigit((unsigned char)end[1]))
    return false;
  unsigned long minor = strtoul(end + 1, &end, 10);
  return (*end == 0 || *end == '.') && major <= 99 && minor <= 99 && cuda_version_put((unsigned)major, (int)minor, out);
}

/* 1206: major * 100 + minor. */
static bool from_number(struct view v, size_t at, char out[CUDA_VERSION_MAX])
{
  unsigned value = 0;
  for (size_t i = 0; i < 4; i++) {
    if (!isdigit((unsigned char)byte_at(v, at + i)))
      return false;
    value = value * 10 + (unsigned)(byte_at(v, at + i) - '0');
  }
  return !isalnum((unsigned char)byte_at(v, at + 4)) && value >= 1000 &&
         cuda_version_put(value / 100, (int)(value % 100), out);
}

/* `key` at `at` as a variable at the start of a line, or as the quoted key of a pair, with a version behind it. */
static bool from_key(struct view v, size_t at, size_t length, char out[CUDA_VERSION_MAX])
{
  char before = at ? byte_at(v, at - 1) : '\n', value[VALUE_MAX];
  size_t behind = 0;
  if (before == '\n') {
    behind = behind_assignment(v, at + length);
  } else if ((before == '\'' || before == '"') && byte_at(v, at + length) == before) {
    size_t sign = skip_blanks(v, at + length + 1);
    bool pair = byte_at(v, sign) == ',' || byte_at(v, sign) == ':';
    behind = pair ? skip_blanks(v, sign + 1) : 0;
    if (pair && from_number(v, behind, out))
      return true;
  }
  return behind && quoted_at(v, behind, value) && from_text(value, out);
}

static bool find_key(struct view v, const char *key, char out[CUDA_VERSION_MAX])
{
  size_t length = strlen(key);
  for (size_t at = 0; at < v.size;) {
    const uint8_t *hit = memmem(v.data + at, v.size - at, key, length);
    if (!hit)
      return false;
    at = (size_t)(hit - v.data);
    if (from_key(v, at, length, out))
      return true;
    at += length;
  }
  return false;
}

/* `__version__ = '0.23.0+cu128'`: the first string with a local part on a line that starts with the name. */
static bool find_local_version(struct view v, char out[CUDA_VERSION_MAX])
{
  char value[VALUE_MAX];
  for (size_t at = 0; at < v.size;) {
    const uint8_t *newline = memchr(v.data + at, '\n', v.size - at);
    size_t end = newline ? (size_t)(newline - v.data) : v.size;
    struct view line = {v.data + at, end - at};
    bool named = (line.size > 11 && !memcmp(line.data, "__version__", 11)) ||
                 (line.size > 7 && !memcmp(line.data, "version", 7));
    for (size_t i = 0; named && i < line.size; i++) {
      if (quoted_at(line, i, value) && cuda_from_local_version(value, out))
        return true;
    }
    at = end + 1;
  }
  return false;
}

bool cuda_from_version_file(struct view text, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  if (text.size == 0)
    return false;
  if (find_key(text, "cuda_version", out) || find_key(text, "cuda", out) || find_local_version(text, out))
    return true;
  out[0] = 0;
  return false;
}
