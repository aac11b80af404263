/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/compiler.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "inspect/wheel.h"

static const char *linked_nvrtc(const struct cuw_library *l)
{
  for (size_t i = 0; i < l->needed_count; i++)
    if (strncmp(l->needed[i], "libnvrtc", 8) == 0 || strncasecmp(l->needed[i], "nvrtc64_", 8) == 0)
      return l->needed[i];
  return NULL;
}

static const char *links(struct arena *a, const struct cuw_distribution *d)
{
  for (size_t i = 0; i < d->library_count; i++) {
    const char *name = linked_nvrtc(d->libraries[i]);
    if (name)
      return arena_printf(a, "links %s", name);
  }
  return NULL;
}

static const char *opens(struct arena *a, const struct cuw_distribution *d)
{
  for (size_t i = 0; i < d->library_count; i++)
    if (d->libraries[i]->opens_nvrtc)
      return arena_printf(a, "%s opens NVRTC", path_base(d->libraries[i]->path));
  return NULL;
}

/* Whether `text` begins with the project name "triton" and not with a longer one; "pytorch-triton" is its other name.
 */
static bool is_triton(const char *text)
{
  if (strncmp(text, "pytorch-", 8) == 0)
    text += 8;
  return strncmp(text, "triton", 6) == 0 && !isalnum((unsigned char)text[6]) && text[6] != '-' && text[6] != '_';
}

static const char *triton(const struct cuw_distribution *d, const struct found_distribution *f)
{
  if (d->name && is_triton(d->name))
    return "is Triton";
  for (size_t i = 0; i < f->requires_count; i++)
    if (is_triton(f->requires[i]) && !strstr(f->requires[i], "extra =="))
      return "requires Triton";
  return NULL;
}

const char *compiler_sign(struct arena *a, const struct cuw_distribution *d, const struct found_distribution *f)
{
  const char *sign = links(a, d);
  if (!sign)
    sign = opens(a, d);
  if (!sign)
    sign = triton(d, f);
  return sign ? sign : f->compiler_sign;
}
