/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA versions in names, versions and version files; docs/format.md 8. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/cuda.h"

#define MAJOR_FIRST 7 /* "80" is 8.0, "12" is 12: no CUDA of two digits is older than 7.0 */

bool cuda_version_put(unsigned major, int minor, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  if (major < 1 || major > 99 || minor > 99)
    return false;
  if (minor < 0)
    snprintf(out, CUDA_VERSION_MAX, "%hhu", (unsigned char)major);
  else
    snprintf(out, CUDA_VERSION_MAX, "%hhu.%hhu", (unsigned char)major, (unsigned char)minor);
  return true;
}

bool cuda_from_digits(const char *digits, size_t length, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  for (size_t i = 0; i < length; i++) {
    if (!isdigit((unsigned char)digits[i]))
      return false;
  }
  if (length != 2 && length != 3)
    return false;
  unsigned first = (unsigned)(digits[0] - '0'), second = (unsigned)(digits[1] - '0');
  if (length == 2 && first >= MAJOR_FIRST)
    return cuda_version_put(first, (int)second, out);
  if (first < 1 || first > 2) /* 10 to 29 */
    return false;
  return cuda_version_put(first * 10 + second, length == 3 ? digits[2] - '0' : -1, out);
}

/* "12.8", "12.8.1" or "12" at the start of `text`; *used is what it took. */
static bool from_dotted(const char *text, char out[CUDA_VERSION_MAX], size_t *used)
{
  size_t major = strspn(text, "0123456789"), minor = 0;
  out[0] = 0;
  if (major == 0 || major > 2)
    return false;
  if (text[major] == '.')
    minor = strspn(text + major + 1, "0123456789");
  if (minor > 2)
    return false;
  *used = minor ? major + 1 + minor : major;
  return cuda_version_put((unsigned)strtoul(text, NULL, 10), minor ? (int)strtoul(text + major + 1, NULL, 10) : -1,
                          out);
}

/* The version behind "cu" or "cuda" at `text`: "118", "12", "12.1". *used counts the word too. */
static bool from_word(const char *text, char out[CUDA_VERSION_MAX], size_t *used)
{
  if (strncasecmp(text, "cu", 2) != 0)
    return false;
  size_t word = strncasecmp(text, "cuda", 4) ? 2 : 4;
  size_t digits = strspn(text + word, "0123456789"), dotted;
  if (digits == 2 && from_dotted(text + word, out, &dotted) && dotted > digits) {
    *used = word + dotted;
    return true;
  }
  *used = word + digits;
  return cuda_from_digits(text + word, digits, out);
}

bool cuda_from_local_version(const char *version, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  const char *local = strchr(version, '+');
  size_t used;
  for (const char *p = local ? local + 1 : ""; *p; p++) {
    if (!isalpha((unsigned char)p[-1]) && from_word(p, out, &used))
      return true;
  }
  return false;
}

bool cuda_from_name(const char *name, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  size_t used;
  for (const char *p = name; *p; p++) {
    if ((p > name && isalnum((unsigned char)p[-1])) || !from_word(p, out, &used))
      continue;
    const char *end = p + used;
    if (*end == 'x' || *end == 'X')
      end++;
    if (!isalnum((unsigned char)*end))
      return true;
  }
  out[0] = 0;
  return false;
}

struct isa_row {
  uint8_t isa_major, isa_minor, cuda_major, cuda_minor;
};

/* NVIDIA's PTX release history. 8.5 is written by 12.5 and 12.6. */
static const struct isa_row isa_rows[] = {
    {6, 5, 10, 2}, {7, 0, 11, 0}, {7, 1, 11, 1}, {7, 2, 11, 2}, {7, 3, 11, 3}, {7, 4, 11, 4}, {7, 5, 11, 5},
    {7, 6, 11, 6}, {7, 7, 11, 7}, {7, 8, 11, 8}, {8, 0, 12, 0}, {8, 1, 12, 1}, {8, 2, 12, 2}, {8, 3, 12, 3},
    {8, 4, 12, 4}, {8, 5, 12, 5}, {8, 6, 12, 7}, {8, 7, 12, 8}, {8, 8, 12, 9}, {9, 0, 13, 0}, {9, 1, 13, 1},
    {9, 2, 13, 2}, {9, 3, 13, 3}, {9, 4, 13, 4}, {9, 5, 13, 5},
};

bool cuda_from_ptx_isa(unsigned major, unsigned minor, char out[CUDA_VERSION_MAX])
{
  out[0] = 0;
  for (size_t i = 0; i < sizeof(isa_rows) / sizeof(isa_rows[0]); i++) {
    const struct isa_row *row = &isa_rows[i];
    if (row->isa_major == major && row->isa_minor == minor)
      return cuda_version_put(row->cuda_major, row->cuda_minor, out);
  }
  return false;
}
