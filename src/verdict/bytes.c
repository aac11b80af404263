/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a library's GPU code is of use to one GPU. */
#include "verdict/judging.h"

/* A part of a concatenation takes its share of the parent's stored bytes. */
static uint64_t stored_bytes(const struct cuw_image *image)
{
  if (image->stored_size != CUW_NONE)
    return image->stored_size;
  if (image->parent_size == 0 || image->size > image->parent_size)
    return image->size == CUW_NONE ? 0 : image->size;
  return (uint64_t)((double)image->payload_size * ((double)image->size / (double)image->parent_size));
}

struct weighing {
  const struct cuw_library *library;
  struct target target;
  bool relinks; /* a linked fatbin needs the relocatable ones */
};

static bool needs_link(const struct weighing *w, const struct group_list *groups)
{
  bool any = false;
  for (size_t i = 0; i < groups->count; i++) {
    const struct group *g = &groups->items[i];
    size_t chosen = choose_image(w->library->images, g->images, g->count, &w->target);
    if (g->role == CUW_ROLE_RELOCATABLE && chosen == NO_IMAGE)
      return false;
    any = any || (g->role == CUW_ROLE_LINKED && chosen == NO_IMAGE);
  }
  return any;
}

static void weigh_group(const struct weighing *w, const struct group *g, struct cuw_bytes *out)
{
  size_t chosen = choose_image(w->library->images, g->images, g->count, &w->target);
  bool all = g->role == CUW_ROLE_SELF_LOADED;
  bool taken = g->role != CUW_ROLE_RELOCATABLE || w->relinks;
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &w->library->images[g->images[i]];
    uint64_t bytes = stored_bytes(image);
    bool code = image->kind == CUW_KIND_CUBIN || image->kind == CUW_KIND_PTX;
    if (!code || g->role == CUW_ROLE_LINK_TIME)
      out->other += bytes;
    else if (!image_fits(image, &w->target))
      out->never += bytes;
    else if (taken && (all || g->images[i] == chosen))
      out->used += bytes;
    else
      out->spare += bytes;
  }
}

bool judge_bytes(const struct judge_request *r, struct cuw_bytes *out)
{
  struct group_list groups;
  *out = (struct cuw_bytes){0, 0, 0, 0};
  if (!groups_build(r->library, &groups))
    return false;
  struct weighing w = {r->library, {r->gpu->number, library_os(r->library), r->driver}, false};
  w.relinks = needs_link(&w, &groups);
  for (size_t i = 0; i < groups.count; i++)
    weigh_group(&w, &groups.items[i], out);
  groups_free(&groups);
  return true;
}
