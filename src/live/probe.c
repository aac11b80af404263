/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cuwheel/probe.h"
#include "inspect/inspect.h"
#include "live/visit.h"

static const struct found_library *find_library(const struct findings *f, const struct cuw_library *l)
{
  for (size_t i = 0; i < f->library_count; i++)
    if (f->libraries[i].library == l)
      return &f->libraries[i];
  return NULL;
}

/* In the order of the report, with the names of distributions, which are known only when all was read. */
static void arrange(const struct findings *f, struct cuw_probed *out)
{
  out->observations = arena_alloc(f->arena, (f->count + 1) * sizeof *out->observations);
  for (size_t i = 0; out->observations && i < out->input->distribution_count; i++) {
    const struct cuw_distribution *d = &out->input->distributions[i];
    for (size_t k = 0; k < d->library_count; k++) {
      const struct found_library *found = find_library(f, d->libraries[k]);
      for (size_t n = 0; found && n < found->count; n++) {
        struct cuw_observation *o = &out->observations[out->count++];
        *o = f->items[found->first + n];
        o->distribution = d->name;
        o->library = d->libraries[k]->path;
      }
    }
  }
}

struct cuw_probed *cuw_probe_path(struct cuw_probe *probe, const char *path, const struct cuw_inspect_options *options)
{
  struct cuw_inspect_options how = options ? *options : (struct cuw_inspect_options){0};
  how.jobs = 1; /* one driver, one process: one library after the other */
  struct cuw_probed *out = calloc(1, sizeof *out);
  struct findings f = {.probe = probe, .arena = arena_new()};
  struct job_visitor visitor = {.library = live_visit, .data = &f};
  if (out && f.arena)
    out->input = inspect_visited(path, &how, &visitor);
  if (!out || !out->input) {
    arena_free(f.arena);
    free(out);
    return NULL;
  }
  out->arena = f.arena;
  arrange(&f, out);
  out->memory_out = f.memory_out || arena_failed(f.arena);
  return out;
}

void cuw_probed_free(struct cuw_probed *probed)
{
  if (!probed)
    return;
  cuw_input_free(probed->input);
  arena_free(probed->arena);
  free(probed);
}

void cuw_probe_count(const struct cuw_probed *probed, struct cuw_probe_counts *sum)
{
  for (size_t i = 0; i < probed->count; i++) {
    enum cuw_probe_finding finding = probed->observations[i].finding;
    sum->agrees += finding == CUW_PROBE_AGREES;
    sum->disagrees += finding == CUW_PROBE_DISAGREES;
    sum->untried += finding == CUW_PROBE_UNTRIED;
    sum->not_applicable += finding == CUW_PROBE_NOT_APPLICABLE;
  }
}

const char *cuw_probe_method_name(enum cuw_probe_method method)
{
  static const char *const names[] = {"whole", "image", "link"};
  return names[method];
}

const char *cuw_probe_outcome_name(enum cuw_probe_outcome outcome)
{
  static const char *const names[] = {"not-tried", "loaded", "refused", "crashed", "timed-out", "broken-context"};
  return names[outcome];
}

const char *cuw_probe_finding_name(enum cuw_probe_finding finding)
{
  static const char *const names[] = {"agrees", "disagrees", "not-tried", "not-applicable"};
  return names[finding];
}

const char *cuw_probe_kernel_name(enum cuw_probe_kernel kernel)
{
  static const char *const names[] = {"not-run", "right", "wrong", "failed"};
  return names[kernel];
}
