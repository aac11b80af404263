/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/extract.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

#define STEM_MAX 160u /* a file name may have 255 bytes, its end is ours */

static bool is_plain(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

static uint64_t hash(const char *text)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  return h;
}

/* Different paths give different stems; none is a path, or hidden. */
static void add_stem(struct text *t, const char *path)
{
  for (const char *at = path; *at; at++)
    if (*at == '/')
      text_string(t, "+");
    else if (is_plain(*at) && !(at == path && *at == '.'))
      text_bytes(t, at, 1);
    else
      text_printf(t, "%%%02X", (unsigned char)*at);
  if (t->failed || t->length <= STEM_MAX)
    return;
  struct text end = {0};
  text_string(&end, text_get(t) + t->length - STEM_MAX);
  text_clear(t);
  text_printf(t, "%016" PRIx64 "~%s", hash(path), text_get(&end));
  t->failed |= end.failed;
  text_free(&end);
}

/* The images of a fatbin stand together; there may be a hundred thousand. */
static size_t place_in_fatbin(const struct cuw_library *l, size_t image)
{
  size_t first = 0, end = image;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (l->images[middle].fatbin == l->images[image].fatbin)
      end = middle;
    else
      first = middle + 1;
  }
  return image - first;
}

char *cuw_extract_name(const struct cuw_library *l, size_t image)
{
  const struct cuw_image *at = &l->images[image];
  char arch[CUW_ARCH_NAME_MAX];
  struct text t = {0};
  add_stem(&t, l->path);
  if (at->fatbin == CUW_NO_FATBIN)
    text_printf(&t, ".0x%" PRIx64, at->offset);
  else
    text_printf(&t, ".f%" PRIu32 ".%zu", at->fatbin, place_in_fatbin(l, image));
  text_printf(&t, ".%s.%s", cuw_arch_name(at->arch, arch), at->kind == CUW_KIND_PTX ? "ptx" : "cubin");
  if (!t.failed)
    return t.data;
  text_free(&t);
  return NULL;
}
