/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/choose.h"

#include "image/fatbin.h"

#define TYPE_SECOND_ELF 0x10u

/* cubin > kind 0x10 > PTX */
static unsigned kind_rank(const struct cuw_image *image)
{
  if (image->kind != CUW_KIND_CUBIN)
    return 0;
  return image->type == TYPE_SECOND_ELF ? 1 : 2;
}

/* Whether `b`, which stands behind `a`, is taken before it. */
static bool is_better(const struct cuw_image *a, const struct cuw_image *b)
{
  unsigned rank_a = kind_rank(a), rank_b = kind_rank(b);
  if (rank_a != rank_b)
    return rank_b > rank_a;
  /* Both fit, so the larger number is the nearer one. */
  unsigned near_a = arch_chip(a->arch.number), near_b = arch_chip(b->arch.number);
  if (near_a != near_b)
    return near_b > near_a;
  bool flag_a = (a->flags & FATBIN_FLAG_COMPAT) != 0, flag_b = (b->flags & FATBIN_FLAG_COMPAT) != 0;
  if (flag_a != flag_b)
    return flag_b;
  return b->kind == CUW_KIND_PTX; /* the first cubin, the last PTX */
}

size_t choose_image(const struct cuw_image *images, const size_t *order, size_t count, const struct target *target)
{
  size_t best = NO_IMAGE;
  for (size_t i = 0; i < count; i++) {
    const struct cuw_image *image = &images[order[i]];
    if (!image_fits(image, target))
      continue;
    if (best == NO_IMAGE || is_better(&images[best], image))
      best = order[i];
  }
  return best;
}
