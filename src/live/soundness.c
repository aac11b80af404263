/* SPDX-License-Identifier: Apache-2.0 */
/* What is handed to a driver is decoded and checked first. */
#include <string.h>

#include "image/cubin.h"
#include "image/kernels.h"
#include "inspect/examine.h"
#include "live/trial.h"
#include "model/builder.h"

#define TYPE_RELOCATABLE_PTX 0x40u

static bool pass_kernel(void *data, const struct kernel *k)
{
  (void)data;
  (void)k;
  return true;
}

static void note_fault(struct image_state *state, const char *code, const char *text)
{
  if (state->fault_code || !text)
    return;
  state->fault_code = code;
  state->fault = text;
}

/* nvcc -dc hands this option to ptxas, and fatbinary records it (docs/format.md 2.4). */
static bool is_relocatable_ptx(const struct cuw_image *image)
{
  return image->type == TYPE_RELOCATABLE_PTX || (image->options && strstr(image->options, "--compile-only"));
}

static void examine_cubin(struct view bytes, struct image_state *state)
{
  struct cubin_facts facts;
  const char *damage = NULL;
  if (cubin_facts_read(bytes, &facts, &damage)) {
    state->relocatable = facts.relocatable;
    state->accelerated = facts.arch.suffix == 'a';
  }
  note_fault(state, "cubin-damaged", damage);
  kernels_read(bytes, pass_kernel, NULL, &damage);
  note_fault(state, "cubin-damaged", damage);
}

static void examine_one(struct visit *v, size_t index)
{
  const struct cuw_image *image = &v->library->images[index];
  struct image_state *state = &v->states[index];
  struct view bytes;
  bool readable;
  if (state->opened || (image->kind != CUW_KIND_CUBIN && image->kind != CUW_KIND_PTX))
    return;
  state->opened = true;
  state->relocatable = image->kind == CUW_KIND_PTX && is_relocatable_ptx(image);
  enum image_open_status status = image_open(v->source, image, trial_image_max(v->probe), &v->buffers, &bytes);
  struct image_fault fault = image_open_fault(status);
  if (status == IMAGE_OPEN_OK)
    fault = image_content_fault(image, bytes, &readable);
  note_fault(state, fault.code, fault.message);
  if (status == IMAGE_OPEN_OK && image->kind == CUW_KIND_CUBIN)
    examine_cubin(bytes, state);
}

void examine_group(struct visit *v, const struct group *g)
{
  for (size_t i = 0; i < g->count; i++)
    examine_one(v, g->images[i]);
}

bool image_is_relocatable(const struct visit *v, size_t image)
{
  return v->states[image].relocatable;
}

const char *image_fault_text(struct visit *v, size_t image)
{
  const struct image_state *state = &v->states[image];
  if (!state->fault_code)
    return NULL;
  return arena_printf(v->findings->arena, "damaged at 0x%llx: %s [%s]",
                      (unsigned long long)v->library->images[image].offset, state->fault, state->fault_code);
}

/* What was wrong with the container itself when the library was read. */
static const char *container_fault(struct visit *v, uint32_t fatbin)
{
  uint64_t begin = library_fatbin_offset(v->library, fatbin);
  uint64_t end = library_fatbin_offset(v->library, fatbin + 1);
  for (size_t i = 0; i < v->library->problem_count; i++) {
    const struct cuw_problem *p = &v->library->problems[i];
    if (p->severity == CUW_ERROR && p->offset >= begin && p->offset < end && p->offset != CUW_NONE)
      return arena_printf(v->findings->arena, "damaged at 0x%llx: %s [%s]", (unsigned long long)p->offset, p->message,
                          p->code);
  }
  return NULL;
}

const char *group_fault(struct visit *v, const struct group *g)
{
  uint32_t fatbin = v->library->images[g->images[0]].fatbin;
  const char *fault = fatbin != CUW_NO_FATBIN ? container_fault(v, fatbin) : NULL;
  for (size_t i = 0; i < g->count && !fault; i++)
    fault = image_fault_text(v, g->images[i]);
  return fault;
}
