/* SPDX-License-Identifier: Apache-2.0 */
#include "live/visit.h"

#include <stdlib.h>
#include <string.h>

#include "model/builder.h"
#include "verdict/judge.h"

static struct cuw_observation *add_observation(struct visit *v, const struct group *g)
{
  struct findings *f = v->findings;
  struct cuw_observation *items = arena_grow(f->arena, f->items, f->count, sizeof *items);
  if (!items) {
    f->memory_out = true;
    return NULL;
  }
  f->items = items;
  const struct cuw_image *first = &v->library->images[g->images[0]];
  struct cuw_observation *o = &items[f->count++];
  *o = (struct cuw_observation){.device = CUW_NO_DEVICE,
                                .library = v->library->path,
                                .fatbin = first->fatbin,
                                .offset = first->offset,
                                .role = (uint8_t)g->role,
                                .load_time = CUW_NONE,
                                .jit_time = CUW_NONE,
                                .functions = CUW_NONE};
  if (first->fatbin != CUW_NO_FATBIN)
    o->offset = library_fatbin_offset(v->library, first->fatbin);
  return o;
}

static void add_not_applicable(struct visit *v, const struct group *g, size_t image, const char *reason)
{
  struct cuw_observation *o = add_observation(v, g);
  if (!o)
    return;
  o->finding = CUW_PROBE_NOT_APPLICABLE;
  o->reason = reason;
  if (image != NO_IMAGE) {
    o->method = CUW_PROBE_IMAGE;
    o->image = describe_image(&v->library->images[image]);
  }
}

static void put_head(const struct visit *v, size_t device, struct wire *request)
{
  wire_put_uint(request, WIRE_ORDINAL, v->probe->devices[device].ordinal);
  wire_put_uint(request, WIRE_SECONDS, session_timeout(v->probe));
  wire_put_uint(request, WIRE_LAUNCH, v->probe->options.launch);
}

static void ask_driver(struct trial *t, size_t device, size_t counts, struct cuw_observation *o)
{
  struct visit *v = t->visit;
  struct wire request = {0};
  struct probe_answer answer;
  char reason[CUW_PROBE_REASON_MAX];
  put_head(v, device, &request);
  if (counts != NO_IMAGE)
    o->declared = put_names(v, counts, &request);
  uint8_t *room = wire_extend(&request, t->bytes.size);
  if (room)
    memcpy(room, t->bytes.data, t->bytes.size);
  uint32_t kind = t->method == CUW_PROBE_LINK ? WIRE_LINK : WIRE_LOAD;
  enum ask_status status = session_ask(v->probe, device, kind, &request, &answer, reason);
  wire_free(&request);
  compare(t, status, &answer, reason, o);
  if (o->finding == CUW_PROBE_DISAGREES)
    o->evidence = make_evidence(t, counts);
}

static bool has_fitting_image(const struct visit *v, const struct group *g, size_t device)
{
  struct target target = visit_target(v, device);
  return choose_image(v->library->images, g->images, g->count, &target) != NO_IMAGE;
}

/* A row for each wanted device. `fault`: why it is not handed over; NULL: it is. */
static void run_trial(struct trial *t, const char *fault)
{
  struct visit *v = t->visit;
  for (size_t device = 0; device < v->probe->device_count; device++) {
    if (!v->probe->devices[device].wanted)
      continue;
    if (t->method == CUW_PROBE_LINK && has_fitting_image(v, t->group, device))
      continue; /* nothing is linked there */
    struct cuw_observation *o = add_observation(v, t->group);
    if (!o)
      return;
    o->device = device;
    o->method = t->method;
    if (t->method == CUW_PROBE_IMAGE)
      o->image = describe_image(&v->library->images[t->order[0]]);
    size_t counts = predict(t, device, o);
    if (!fault) {
      ask_driver(t, device, counts, o);
      continue;
    }
    o->finding = CUW_PROBE_UNTRIED;
    o->reason = fault;
  }
  wire_free(&t->bytes);
}

/* Damage keeps bytes from the driver, unless they are to be handed over all the same. */
static const char *fault_or_none(const struct visit *v, const char *fault)
{
  return v->probe->options.unsafe ? NULL : fault;
}

static void try_whole(struct visit *v, const struct group *g)
{
  struct trial t = {.visit = v, .group = g, .method = CUW_PROBE_WHOLE, .order = g->images, .count = g->count};
  uint32_t fatbin = v->library->images[g->images[0]].fatbin;
  const char *fault = fault_or_none(v, group_fault(v, g));
  if (!fault) {
    bool had = fatbin != CUW_NO_FATBIN ? put_container(v, fatbin, &t.bytes) : put_image(v, g->images[0], &t.bytes);
    fault = had ? NULL : "its bytes cannot be had, or are more than the limit";
  }
  run_trial(&t, fault);
}

static void try_image(struct visit *v, const struct group *g, size_t image)
{
  struct trial t = {.visit = v, .group = g, .method = CUW_PROBE_IMAGE, .order = &image, .count = 1};
  const char *fault = fault_or_none(v, image_fault_text(v, image));
  if (!fault && !put_image(v, image, &t.bytes))
    fault = "its bytes cannot be had, or are more than the limit";
  run_trial(&t, fault);
}

static const char *not_loaded_alone(const struct visit *v, size_t image)
{
  switch ((enum cuw_kind)v->library->images[image].kind) {
  case CUW_KIND_CUBIN:
  case CUW_KIND_PTX:
    return image_is_relocatable(v, image) ? "relocatable code is loaded through a linker alone" : NULL;
  case CUW_KIND_LTOIR:
    return "LTO-IR is not loadable by itself";
  case CUW_KIND_TILEIR:
    return "Tile IR is not loadable by itself";
  case CUW_KIND_OTHER:
    break;
  }
  return "no code that a driver loads";
}

static void try_each_image(struct visit *v, const struct group *g)
{
  for (size_t i = 0; i < g->count; i++) {
    const char *reason = not_loaded_alone(v, g->images[i]);
    if (reason)
      add_not_applicable(v, g, g->images[i], reason);
    else
      try_image(v, g, g->images[i]);
  }
}

/* Whether the linked fatbin does not fit some device, and there is what to link again from. */
static bool needs_link(const struct visit *v, const struct group *g)
{
  bool inputs = false, unfit = false;
  for (size_t i = 0; i < v->groups.count; i++)
    inputs = inputs || v->groups.items[i].role == CUW_ROLE_RELOCATABLE;
  for (size_t device = 0; device < v->probe->device_count; device++)
    unfit = unfit || (v->probe->devices[device].wanted && !has_fitting_image(v, g, device));
  return inputs && unfit && g->role == CUW_ROLE_LINKED;
}

static void try_link(struct visit *v, const struct group *g)
{
  struct trial t = {.visit = v, .group = g, .method = CUW_PROBE_LINK};
  const char *fault = NULL;
  for (size_t i = 0; i < v->groups.count && !fault; i++) {
    const struct group *input = &v->groups.items[i];
    if (input->role != CUW_ROLE_RELOCATABLE)
      continue;
    examine_group(v, input);
    fault = fault_or_none(v, group_fault(v, input));
    if (!fault && !put_container(v, v->library->images[input->images[0]].fatbin, &t.bytes))
      fault = "the bytes of a relocatable fatbin cannot be had, or are more than the limit";
  }
  run_trial(&t, fault);
}

/* Why nothing of the fatbin is given to the driver; NULL: it is. */
static const char *not_loaded(const struct visit *v, const struct group *g)
{
  bool loadable = false;
  if (g->role == CUW_ROLE_LINK_TIME)
    return "for a linker to use";
  if (g->role == CUW_ROLE_RELOCATABLE)
    return "relocatable code is loaded through a linker alone";
  for (size_t i = 0; i < g->count; i++) {
    const struct cuw_image *image = &v->library->images[g->images[i]];
    if (image_is_relocatable(v, g->images[i]))
      return "relocatable code is loaded through a linker alone";
    loadable = loadable || image->kind == CUW_KIND_CUBIN || image->kind == CUW_KIND_PTX;
  }
  return loadable ? NULL : not_loaded_alone(v, g->images[0]);
}

static void try_group(struct visit *v, const struct group *g)
{
  bool linked_from = g->role == CUW_ROLE_LINK_TIME || g->role == CUW_ROLE_RELOCATABLE;
  if (!linked_from)
    examine_group(v, g);
  const char *reason = not_loaded(v, g);
  if (reason) {
    add_not_applicable(v, g, NO_IMAGE, reason);
    return;
  }
  try_whole(v, g);
  if (needs_link(v, g))
    try_link(v, g);
  if (v->probe->options.each_image && v->library->images[g->images[0]].fatbin != CUW_NO_FATBIN)
    try_each_image(v, g);
}

static void note_library(struct visit *v, size_t first)
{
  struct findings *f = v->findings;
  if (f->count == first)
    return;
  struct found_library *libraries = arena_grow(f->arena, f->libraries, f->library_count, sizeof *libraries);
  if (!libraries) {
    f->memory_out = true;
    return;
  }
  f->libraries = libraries;
  libraries[f->library_count++] = (struct found_library){v->library, first, f->count - first};
}

void live_visit(void *findings, struct source *s, struct cuw_library *l)
{
  struct findings *f = findings;
  struct visit v = {.findings = f, .probe = f->probe, .source = s, .library = l};
  size_t first = f->count;
  v.driver.cuda = f->probe->cuda;
  v.states = calloc(l->image_count + 1, sizeof *v.states);
  if (!v.states || !groups_build(l, &v.groups)) {
    f->memory_out = true;
    free(v.states);
    return;
  }
  for (size_t i = 0; i < v.groups.count; i++)
    try_group(&v, &v.groups.items[i]);
  note_library(&v, first);
  groups_free(&v.groups);
  image_buffers_free(&v.buffers);
  free(v.states);
}
