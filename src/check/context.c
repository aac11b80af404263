/* SPDX-License-Identifier: Apache-2.0 */
#include "check/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Packages that carry a library for each CUDA version ask torch which one to load. */
static const struct cuw_distribution *find_torch(const struct cuw_input *input)
{
  for (size_t i = 0; i < input->distribution_count; i++) {
    const struct cuw_distribution *d = &input->distributions[i];
    if (d->name && strcmp(d->name, "torch") == 0)
      return d;
  }
  return NULL;
}

/* The CUDA version that torch was built for: "2.9.0+cu128" says it, else what its libraries show; 0 unknown. */
static unsigned torch_cuda(const struct cuw_distribution *torch)
{
  const char *tag = torch->version ? strstr(torch->version, "+cu") : NULL;
  unsigned cuda = tag ? (unsigned)strtoul(tag + 3, NULL, 10) : 0;
  if (cuda >= 100 && cuda <= 999)
    return cuda;
  /* A major version alone chooses nothing. */
  if (torch->cuda && !torch->cuda_conflict && strchr(torch->cuda, '.') && cuw_cuda_parse(torch->cuda, &cuda))
    return cuda;
  return 0;
}

struct cuw_selection selection_for(const struct cuw_selection *given, const struct cuw_input *input,
                                   char text[SELECTION_TEXT_MAX])
{
  const struct cuw_distribution *torch = given->cuda ? NULL : find_torch(input);
  unsigned cuda = torch ? torch_cuda(torch) : 0;
  if (!cuda)
    return *given;
  snprintf(text, SELECTION_TEXT_MAX, "torch%s%.60s is built for CUDA %u.%u", torch->version ? " " : "",
           torch->version ? torch->version : "", cuda / 10, cuda % 10);
  return (struct cuw_selection){cuda, text};
}

struct contents {
  size_t libraries, for_linker;
};

static bool has_images_for_linker(const struct cuw_library *l)
{
  for (size_t i = 0; i < l->image_count; i++)
    if (l->images[i].role == CUW_ROLE_LINK_TIME)
      return true;
  return false;
}

static struct contents contents_of(const struct cuw_distribution *d)
{
  struct contents c = {d->library_count, 0};
  for (size_t i = 0; i < d->library_count; i++)
    c.for_linker += has_images_for_linker(d->libraries[i]);
  return c;
}

static const char *say_contents(const struct contents *c, struct arena *arena)
{
  if (c->libraries == 0)
    return "no GPU code: it has no libraries";
  if (c->for_linker)
    return arena_printf(arena, "GPU code for a linker only, in %zu archive member%s or object%s: nothing to judge",
                        c->for_linker, c->for_linker == 1 ? "" : "s", c->for_linker == 1 ? "" : "s");
  if (c->libraries == 1)
    return "no GPU code in its library";
  return arena_printf(arena, "no GPU code in its %zu libraries", c->libraries);
}

bool explain_no_gpu_code(const struct cuw_distribution *distribution, struct cuw_distribution_verdict *verdict)
{
  if (verdict->result != CUW_RESULT_NO_GPU_CODE || verdict->reason)
    return true;
  struct contents c = contents_of(distribution);
  const char *contents = say_contents(&c, verdict->arena);
  if (!distribution->runtime_compiler)
    verdict->reason = contents;
  else if (distribution->runtime_compiler_sign)
    verdict->reason = arena_printf(verdict->arena, "%s; it compiles GPU code when it runs: %s", contents,
                                   distribution->runtime_compiler_sign);
  else
    verdict->reason = arena_printf(verdict->arena, "%s; it compiles GPU code when it runs", contents);
  return !arena_failed(verdict->arena);
}
