/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/arch.h"

#include <stdio.h>
#include <string.h>

char *cuw_arch_name(struct cuw_arch arch, char out[CUW_ARCH_NAME_MAX])
{
  char suffix[2] = {arch.suffix, 0};
  snprintf(out, CUW_ARCH_NAME_MAX, "%s_%u%s", arch.is_virtual ? "compute" : "sm", arch.number, suffix);
  return out;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

size_t cuw_arch_parse(const char *text, size_t len, struct cuw_arch *arch)
{
  static const char real[] = "sm_", virtual[] = "compute_";
  size_t at;
  bool is_virtual;
  if (len >= sizeof real - 1 && memcmp(text, real, sizeof real - 1) == 0) {
    at = sizeof real - 1;
    is_virtual = false;
  } else if (len >= sizeof virtual - 1 && memcmp(text, virtual, sizeof virtual - 1) == 0) {
    at = sizeof virtual - 1;
    is_virtual = true;
  } else {
    return 0;
  }

  size_t digits = at;
  uint64_t number = 0;
  for (; at < len && is_digit(text[at]); at++) {
    number = number * 10 + (uint64_t)(text[at] - '0');
    if (number > UINT32_MAX)
      return 0;
  }
  if (at == digits)
    return 0;
  char suffix = 0;
  if (at < len && (text[at] == 'a' || text[at] == 'f'))
    suffix = text[at++];
  if (at < len && is_word(text[at]))
    return 0;
  *arch = (struct cuw_arch){(uint32_t)number, suffix, is_virtual};
  return at;
}

static int suffix_rank(char suffix)
{
  return suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0;
}

int cuw_arch_compare(struct cuw_arch a, struct cuw_arch b)
{
  if (a.number != b.number)
    return a.number < b.number ? -1 : 1;
  if (suffix_rank(a.suffix) != suffix_rank(b.suffix))
    return suffix_rank(a.suffix) - suffix_rank(b.suffix);
  return (int)a.is_virtual - (int)b.is_virtual;
}
