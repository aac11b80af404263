/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/examine.h"

#include <string.h>

#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/kernels.h"
#include "image/ptx.h"
#include "model/builder.h"

static const struct image_fault fine = {0};
static const struct image_fault not_as_said = {.code = "payload-content",
                                               .message = "the image is not readable as what its entry says it is"};
static const struct image_fault other_architecture = {
    .code = "payload-architecture", .message = "the image is for another architecture than its entry says"};
static const struct image_fault other_suffix = {
    .code = "payload-architecture",
    .message = "the entry says that the image is for one chip alone (sm_XXa), the cubin in it does not"};
static const struct image_fault other_isa = {.code = "payload-isa",
                                             .message = "the PTX is of another version than its entry says"};

const struct image_fault odd_kernel_name = {"kernel-name", "the name of a kernel holds control characters", true};

static struct image_fault fault(const char *code, const char *message)
{
  return (struct image_fault){code, message, false};
}

struct image_fault image_open_fault(enum image_open_status status)
{
  switch (status) {
  case IMAGE_OPEN_OK:
    break;
  case IMAGE_OPEN_READ:
    return fault("payload-unreadable", "the image's bytes cannot be read");
  case IMAGE_OPEN_DAMAGED:
    return fault("payload-damaged", "the image does not decompress");
  case IMAGE_OPEN_SIZE:
    return fault("payload-size", "the image decompresses to another size than its entry says");
  case IMAGE_OPEN_TOO_BIG:
    return fault("payload-too-big", "the image is larger than the limit for one image");
  case IMAGE_OPEN_UNKNOWN:
    return fault("payload-compression", "the image is compressed in a way that is not known");
  case IMAGE_OPEN_MEMORY:
    return fault("out-of-memory", "no memory to open the image");
  }
  return fine;
}

/* The driver would refuse a cubin for another architecture than its entry promises. A cubin may be `a` where its entry
 * is plain, as a Tile kernel's is, and never records `f` (docs/format.md 2.7). */
static struct image_fault cubin_fault(const struct cuw_image *image, struct view v, bool *readable)
{
  struct cubin_header h;
  struct cubin_facts facts;
  const char *damage;
  *readable = cubin_header_decode(v, &h);
  if (!*readable)
    return not_as_said;
  if (!image->has_entry)
    return fine;
  if (h.arch.number != image->arch.number)
    return other_architecture;
  if (image->arch.suffix == 'a' && cubin_facts_read(v, &facts, &damage) && !damage && facts.arch.suffix != 'a')
    return other_suffix;
  return fine;
}

static struct image_fault ptx_fault(const struct cuw_image *image, struct view v, bool *readable)
{
  struct ptx_header h;
  *readable = ptx_header_decode(v, &h);
  if (!*readable)
    return not_as_said;
  if (!image->has_entry)
    return fine;
  if (h.arch.number != image->arch.number || h.arch.suffix != image->arch.suffix)
    return other_architecture;
  if (h.isa_major != image->isa_major || h.isa_minor != image->isa_minor)
    return other_isa;
  return fine;
}

struct image_fault image_content_fault(const struct cuw_image *image, struct view v, bool *readable)
{
  static const uint8_t tile_magic[8] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};
  *readable = true;
  switch ((enum cuw_kind)image->kind) {
  case CUW_KIND_CUBIN:
    return cubin_fault(image, v, readable);
  case CUW_KIND_PTX:
    return ptx_fault(image, v, readable);
  case CUW_KIND_TILEIR:
    *readable = v.size >= sizeof tile_magic && memcmp(v.data, tile_magic, sizeof tile_magic) == 0;
    break;
  case CUW_KIND_LTOIR:
  case CUW_KIND_OTHER:
    break;
  }
  return *readable ? fine : not_as_said;
}

void image_problem(struct cuw_library *l, const struct cuw_image *image, struct image_fault f)
{
  if (!f.code)
    return;
  for (size_t i = 0; i < l->problem_count; i++)
    if (l->problems[i].offset == image->offset && strcmp(l->problems[i].code, f.code) == 0)
      return;
  library_problem(l, f.is_odd ? CUW_WARNING : CUW_ERROR, f.code, image->offset, NULL, "%s", f.message);
}

bool kernel_name_is_odd(struct view name)
{
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] < 0x20 || name.data[i] == 0x7f)
      return true;
  return false;
}

bool examine_image(struct source *s, struct cuw_library *l, const struct cuw_image *image, uint64_t cap,
                   struct image_buffers *b, struct view *out)
{
  bool readable;
  enum image_open_status status = image_open(s, image, cap, b, out);
  if (status != IMAGE_OPEN_OK) {
    image_problem(l, image, image_open_fault(status));
    return false;
  }
  image_problem(l, image, image_content_fault(image, *out, &readable));
  return readable;
}

static bool look_at_name(void *odd, const struct kernel *k)
{
  *(bool *)odd |= kernel_name_is_odd(k->name);
  return true;
}

void examine_library(void *options, struct source *s, struct cuw_library *l)
{
  const struct examine_options *o = options;
  struct image_buffers b = {0};
  for (size_t i = 0; i < l->image_count; i++) {
    const struct cuw_image *image = &l->images[i];
    struct view v;
    const char *damage;
    if (image->flags & FATBIN_FLAG_OBFUSCATED)
      continue;
    if (!examine_image(s, l, image, o->max_image_size, &b, &v) || image->kind != CUW_KIND_CUBIN)
      continue;
    bool odd = false;
    kernels_read(v, look_at_name, &odd, &damage);
    if (damage)
      image_problem(l, image, fault("cubin-damaged", damage));
    if (odd)
      image_problem(l, image, odd_kernel_name);
  }
  image_buffers_free(&b);
}
