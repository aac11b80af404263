/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/kernels.h"

#include <stdlib.h>
#include <string.h>

/* "9.0", "90", "12.0": a compute capability, for code of any suffix. */
static bool parse_number(const char *text, struct cuw_arch_choice *out)
{
  size_t digits = strspn(text, "0123456789"), minor = 0;
  if (digits == 0 || digits > 3)
    return false;
  unsigned long number = strtoul(text, NULL, 10);
  if (text[digits] == '.') {
    minor = strspn(text + digits + 1, "0123456789");
    if (minor != 1)
      return false;
    number = number * 10 + (unsigned long)(text[digits + 1] - '0');
    minor++;
  }
  if (text[digits + minor] != 0 || number < 10)
    return false;
  *out = (struct cuw_arch_choice){(uint32_t)number, '*', true, true};
  return true;
}

bool cuw_arch_choice_parse(const char *text, struct cuw_arch_choice *out)
{
  struct cuw_arch arch;
  size_t length = strlen(text);
  if (cuw_arch_parse(text, length, &arch) == length && length > 0) {
    *out = (struct cuw_arch_choice){arch.number, arch.suffix, !arch.is_virtual, arch.is_virtual};
    return true;
  }
  return parse_number(text, out);
}

bool cuw_arch_choice_takes(const struct cuw_arch_choice *choice, const struct cuw_image *image)
{
  if (!(image->kind == CUW_KIND_CUBIN && choice->cubin) && !(image->kind == CUW_KIND_PTX && choice->ptx))
    return false;
  if (!image->has_arch || image->arch.number != choice->number)
    return false;
  return choice->suffix == '*' || image->arch.suffix == choice->suffix ||
         (image->suffix_unknown && choice->suffix == 'f');
}
