/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction and observation side by side; docs/live.md, "What the answers mean". */
#include <string.h>

#include "live/trial.h"
#include "probe/cuda_api.h"

#define FIRST_FINALIZED 100u

/* Errors that speak of the machine, not of the image. */
static bool is_of_machine(const struct cuw_probe_error *e)
{
  switch (e->number) {
  case CUDA_ERROR_OUT_OF_MEMORY:
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    return true;
  case CUDA_ERROR_NOT_SUPPORTED:
    return strcmp(e->call, "cuLinkCreate") == 0;
  default:
    return e->number >= CUDA_ERROR_SYSTEM_NOT_READY && e->number <= CUDA_ERROR_MPS_LAST;
  }
}

/* Errors by which a driver says that it will not have an image. */
static bool is_refusal(uint32_t number)
{
  switch (number) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NOT_SUPPORTED:
    return true;
  default:
    return false;
  }
}

/* A cubin keeps its number; one of the newer kind may be finalized for the device (docs/format.md 4.2). PTX is compiled
 * for the device and keeps the number it was written for. */
static bool could_be(const struct cuw_image *image, unsigned binary, unsigned ptx, unsigned cc)
{
  unsigned own = arch_chip(image->arch.number);
  if (image->kind == CUW_KIND_CUBIN)
    return arch_chip(binary) == own || (own >= FIRST_FINALIZED && arch_chip(binary) == cc);
  if (image->kind == CUW_KIND_PTX)
    return arch_chip(binary) == cc && (ptx == 0 || arch_chip(ptx) == own);
  return false;
}

static void note_versions(const struct trial *t, const struct probe_answer *a, struct cuw_observation *o)
{
  const struct visit *v = t->visit;
  unsigned cc = arch_chip(v->probe->devices[o->device].cc);
  o->binary = a->binary_least;
  o->ptx = a->ptx_least;
  if (t->method == CUW_PROBE_LINK || a->binary_least == 0 || a->binary_least != a->binary_most)
    return;
  for (size_t i = 0; i < t->count; i++) {
    const struct cuw_image *image = &v->library->images[t->order[i]];
    if (!could_be(image, o->binary, o->ptx, cc))
      continue;
    if (!o->took.known || (o->predicted.known && image->offset == o->predicted.offset))
      o->took = describe_image(image);
  }
}

static struct cuw_probe_error keep_error(struct arena *arena, const struct probe_error *e)
{
  if (e->number == 0)
    return (struct cuw_probe_error){0};
  return (struct cuw_probe_error){e->number, arena_string(arena, e->name), arena_string(arena, e->text),
                                  arena_string(arena, e->call)};
}

static void keep_answer(const struct trial *t, const struct probe_answer *a, struct cuw_observation *o)
{
  struct arena *arena = t->visit->findings->arena;
  o->error = keep_error(arena, &a->load);
  o->launch_error = keep_error(arena, &a->launch);
  o->log = a->log[0] ? arena_string(arena, a->log) : NULL;
  o->load_time = a->load_time;
  o->jit_time = a->jit_time;
  o->functions = a->functions;
  o->missing = a->missing;
  o->launched = a->launched;
  o->not_launched = a->not_launched;
  if (a->launch.number)
    o->launch_name = arena_string(arena, a->launch_name);
  const char **names = arena_alloc(arena, PROBE_MISSING_MAX * sizeof *names);
  for (size_t i = 0; names && i < a->missing_name_count; i++)
    names[o->missing_name_count++] = arena_string(arena, a->missing_names[i]);
  o->missing_names = names;
  if (a->kernel_ran)
    o->kernel = CUW_PROBE_KERNEL_RIGHT;
  else
    o->kernel = a->kernel_wrong ? CUW_PROBE_KERNEL_WRONG : CUW_PROBE_KERNEL_FAILED;
  note_versions(t, a, o);
}

static void decide(struct cuw_observation *o, enum cuw_probe_finding finding, const char *reason)
{
  o->finding = finding;
  o->reason = reason;
}

static void decide_refused(struct arena *arena, struct cuw_observation *o)
{
  o->outcome = CUW_PROBE_REFUSED;
  if (is_of_machine(&o->error)) {
    o->outcome = CUW_PROBE_NOT_TRIED;
    decide(o, CUW_PROBE_UNTRIED, arena_printf(arena, "%s gives %u %s", o->error.call, o->error.number, o->error.name));
  } else if (o->loads) {
    decide(o, CUW_PROBE_DISAGREES, "predicted to load, and the driver refuses it");
  } else if (!is_refusal(o->error.number)) {
    decide(o, CUW_PROBE_DISAGREES, "it does not load, but for another reason than predicted");
  }
}

static void decide_loaded(const struct trial *t, const struct probe_answer *a, struct cuw_observation *o)
{
  struct arena *arena = t->visit->findings->arena;
  o->outcome = CUW_PROBE_LOADED;
  if (!o->loads)
    decide(o, CUW_PROBE_DISAGREES, "predicted not to load, and the driver takes it");
  else if (o->missing)
    decide(o, CUW_PROBE_DISAGREES,
           arena_printf(arena, "%llu of %llu functions are not found", (unsigned long long)o->missing,
                        (unsigned long long)o->declared));
  else if (a->binary_least != a->binary_most)
    decide(
        o, CUW_PROBE_DISAGREES,
        arena_printf(arena, "its functions are of several architectures, %u to %u", a->binary_least, a->binary_most));
  else if (o->binary && o->predicted.known && (!o->took.known || o->took.offset != o->predicted.offset))
    decide(o, CUW_PROBE_DISAGREES,
           arena_printf(arena, "the driver took another image: its functions are compiled for %u, from PTX for %u",
                        o->binary, o->ptx));
  else if (o->launch_error.number)
    decide(o, CUW_PROBE_DISAGREES,
           arena_printf(arena, "launching %s: %s gives %u %s", o->launch_name, o->launch_error.call,
                        o->launch_error.number, o->launch_error.name));
}

void compare(const struct trial *t, enum ask_status status, const struct probe_answer *a, const char *reason,
             struct cuw_observation *o)
{
  struct arena *arena = t->visit->findings->arena;
  o->finding = CUW_PROBE_AGREES;
  if (status == ASK_ANSWERED || status == ASK_BROKEN)
    keep_answer(t, a, o);
  switch (status) {
  case ASK_LOST:
    decide(o, CUW_PROBE_UNTRIED, arena_string(arena, reason));
    break;
  case ASK_CRASHED:
    o->outcome = CUW_PROBE_CRASHED;
    decide(o, CUW_PROBE_DISAGREES, arena_string(arena, reason));
    break;
  case ASK_TIMED_OUT:
    o->outcome = CUW_PROBE_TIMED_OUT;
    decide(o, CUW_PROBE_DISAGREES, arena_string(arena, reason));
    break;
  case ASK_BROKEN:
    o->outcome = CUW_PROBE_BROKEN;
    decide(o, CUW_PROBE_DISAGREES,
           o->launch_name ? arena_printf(arena, "after launching %s: %s", o->launch_name, reason)
                          : arena_printf(arena, "after the load: %s", reason));
    break;
  case ASK_ANSWERED:
    if (o->error.number)
      decide_refused(arena, o);
    else
      decide_loaded(t, a, o);
    break;
  }
}
