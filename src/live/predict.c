/* SPDX-License-Identifier: Apache-2.0 */
#include "live/trial.h"

static const char *why_none_fits(const struct trial *t, const size_t *order, size_t count, const struct target *target)
{
  const struct visit *v = t->visit;
  char cc[CUW_CC_MAX];
  for (size_t i = 0; i < count; i++) {
    const struct cuw_image *image = &v->library->images[order[i]];
    if (image->kind == CUW_KIND_PTX && image_fits_device(image, target->number))
      return arena_printf(v->findings->arena, "PTX %u.%u is newer than what a driver for CUDA %u.%u compiles",
                          image->isa_major, image->isa_minor, v->driver.cuda / 10, v->driver.cuda % 10);
  }
  return arena_printf(v->findings->arena, "no image is for %s", cuw_cc_text(target->number, cc));
}

static size_t largest_cubin(const struct trial *t)
{
  for (size_t i = t->group->count; i-- > 0;) {
    size_t image = t->group->by_size[i].image;
    if (t->visit->library->images[image].kind == CUW_KIND_CUBIN && !t->visit->states[image].fault_code)
      return image;
  }
  return NO_IMAGE;
}

/* The link holds where every relocatable fatbin has a fitting image; what comes out has the names of the linked one. */
static size_t predict_link(const struct trial *t, const struct target *target, struct cuw_observation *o)
{
  const struct visit *v = t->visit;
  o->loads = true;
  for (size_t i = 0; i < v->groups.count && o->loads; i++) {
    const struct group *g = &v->groups.items[i];
    if (g->role != CUW_ROLE_RELOCATABLE || choose_image(v->library->images, g->images, g->count, target) != NO_IMAGE)
      continue;
    o->loads = false;
    o->why_not =
        arena_printf(v->findings->arena, "relocatable fatbin %u: %s", (unsigned)v->library->images[g->images[0]].fatbin,
                     why_none_fits(t, g->images, g->count, target));
  }
  return o->loads ? largest_cubin(t) : NO_IMAGE;
}

/* Without its entry a cubin is what it says itself: a Tile kernel's entry says sm_100, its cubin sm_100a
 * (docs/format.md 2.7). */
static size_t choose_alone(const struct trial *t, const struct target *target)
{
  struct cuw_image image = t->visit->library->images[t->order[0]];
  if (t->visit->states[t->order[0]].accelerated)
    image.arch.suffix = 'a';
  return image_fits(&image, target) ? t->order[0] : NO_IMAGE;
}

size_t predict(const struct trial *t, size_t device, struct cuw_observation *o)
{
  const struct visit *v = t->visit;
  struct target target = visit_target(v, device);
  if (t->method == CUW_PROBE_LINK)
    return predict_link(t, &target, o);
  size_t chosen = t->method == CUW_PROBE_IMAGE ? choose_alone(t, &target)
                                               : choose_image(v->library->images, t->order, t->count, &target);
  o->loads = chosen != NO_IMAGE;
  if (o->loads)
    o->predicted = describe_image(&v->library->images[chosen]);
  else
    o->why_not = why_none_fits(t, t->order, t->count, &target);
  return chosen;
}
