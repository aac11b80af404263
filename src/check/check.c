/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check/context.h"
#include "check/ledger.h"
#include "inspect/inspect.h"
#include "inspect/pool.h"
#include "verdict/judge.h"

/* A library for which no verdict could be made says so, and never passes for one that is well. */
static struct cuw_library_verdict no_verdict(const struct cuw_library *l)
{
  return (struct cuw_library_verdict){.library = l,
                                      .path = l->path,
                                      .result = CUW_RESULT_UNKNOWN,
                                      .readable = CUW_RESULT_UNKNOWN,
                                      .cause = CUW_CAUSE_UNREADABLE,
                                      .chosen = true,
                                      .reason = "memory ran out"};
}

static size_t count_loose(const struct cuw_distribution *d)
{
  size_t n = 0;
  for (size_t i = 0; i < d->library_count; i++)
    n += library_is_loose(d->libraries[i]);
  return n;
}

/* The loose images of a distribution stand for one library, the last. */
static bool take_loose(const struct cuw_check_options *o, const struct cuw_distribution *d, size_t gpu, size_t loose,
                       struct ledger *g, struct cuw_verdict *v)
{
  const struct cuw_library **images = calloc(loose, sizeof(struct cuw_library *));
  size_t n = 0;
  if (!images)
    return false;
  for (size_t i = 0; i < d->library_count; i++)
    if (library_is_loose(d->libraries[i]))
      images[n++] = d->libraries[i];
  struct cuw_library_verdict *out = &v->libraries[v->library_count];
  bool judged = judge_loose(images, n, &o->gpus[gpu], &o->driver, out);
  for (size_t i = 0; judged && v->bytes && i < n; i++)
    ledger_add_bytes(g, images[i], gpu, &v->bytes[v->library_count]);
  free(images);
  v->library_count += judged;
  return judged;
}

static bool judge_one(const struct cuw_check_options *o, const struct cuw_selection *selection,
                      const struct cuw_distribution *d, size_t gpu, struct ledger *g, struct cuw_verdict *v)
{
  size_t loose = count_loose(d);
  v->gpu = &o->gpus[gpu];
  v->distribution = d;
  v->libraries = calloc(d->library_count + 1, sizeof *v->libraries);
  v->bytes = o->bytes ? calloc(d->library_count + 1, sizeof *v->bytes) : NULL;
  v->missing = o->kernels ? calloc(d->library_count + 1, sizeof *v->missing) : NULL;
  if (!v->libraries || (o->bytes && !v->bytes) || (o->kernels && !v->missing))
    return false;
  for (size_t i = 0; i < d->library_count; i++) {
    if (library_is_loose(d->libraries[i]))
      continue;
    size_t n = v->library_count++;
    if (!ledger_take(g, d->libraries[i], gpu, &v->libraries[n]))
      v->libraries[n] = no_verdict(d->libraries[i]);
    if (v->bytes)
      ledger_add_bytes(g, d->libraries[i], gpu, &v->bytes[n]);
    if (v->missing)
      ledger_take_missing(g, d->libraries[i], gpu, &v->missing[n]);
  }
  if (loose > 0 && !take_loose(o, d, gpu, loose, g, v))
    return false;
  return cuw_judge_distribution(d->name, v->gpu, selection, v->libraries, v->library_count, &v->whole) &&
         explain_no_gpu_code(d, &v->whole);
}

static bool judge_input(const struct cuw_check_options *o, struct ledger *g, struct cuw_checked *c)
{
  size_t distributions = c->input->distribution_count;
  char text[SELECTION_TEXT_MAX];
  struct cuw_selection selection = selection_for(&o->selection, c->input, text);
  c->verdicts = calloc(distributions * o->gpu_count + 1, sizeof *c->verdicts);
  if (!c->verdicts)
    return false;
  for (size_t gpu = 0; gpu < o->gpu_count; gpu++)
    for (size_t i = 0; i < distributions; i++)
      if (!judge_one(o, &selection, &c->input->distributions[i], gpu, g, &c->verdicts[c->verdict_count++]))
        return false;
  return true;
}

struct cuw_checked *cuw_check(const char *path, const struct cuw_inspect_options *options,
                              const struct cuw_check_options *check)
{
  struct cuw_checked *c = calloc(1, sizeof *c);
  struct ledger *g = ledger_new(check, options && options->jobs ? options->jobs : pool_cores());
  struct job_visitor visitor = {.library = ledger_judge, .data = g};
  bool done = false;
  if (c && g && (c->input = inspect_visited(path, options, &visitor))) {
    ledger_sort(g);
    done = judge_input(check, g, c);
  }
  ledger_free(g);
  if (done)
    return c;
  cuw_checked_free(c);
  return NULL;
}

void cuw_checked_free(struct cuw_checked *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < c->verdict_count; i++) {
    struct cuw_verdict *v = &c->verdicts[i];
    for (size_t k = 0; k < v->library_count; k++)
      cuw_library_verdict_free(&v->libraries[k]);
    free(v->libraries);
    for (size_t k = 0; v->missing && k < v->library_count; k++)
      cuw_missing_free(&v->missing[k]);
    free(v->bytes);
    free(v->missing);
    cuw_distribution_verdict_free(&v->whole);
  }
  free(c->verdicts);
  cuw_input_free(c->input);
  free(c);
}
