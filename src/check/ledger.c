/* SPDX-License-Identifier: Apache-2.0 */
#include "check/ledger.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/open_facts.h"
#include "kernels/collect.h"
#include "kernels/missing.h"
#include "model/builder.h"
#include "verdict/judge.h"

/* Large images that threads may hold open at once, bytes; one that is larger has its turn alone. */
#define OPENED_BYTES ((uint64_t)16 << 20)

struct entry {
  const struct cuw_library *library;
  struct cuw_library_verdict *verdicts; /* one a GPU; path NULL: taken, or never made */
  struct cuw_bytes *bytes;
  struct cuw_missing *missing; /* one a GPU */
};

struct ledger {
  const struct cuw_check_options *options;
  struct crew *crew; /* opens images; NULL where no kernels are asked for */
  struct gate gate;  /* memory for opened images */
  pthread_mutex_t lock;
  struct entry *entries;
  size_t count;
};

struct ledger *ledger_new(const struct cuw_check_options *options, unsigned threads)
{
  struct ledger *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->options = options;
  if (options->kernels)
    g->crew = crew_new(threads - 1);
  gate_init(&g->gate, OPENED_BYTES);
  pthread_mutex_init(&g->lock, NULL);
  return g;
}

static void free_entry(struct entry *e, size_t gpus)
{
  for (size_t i = 0; e->verdicts && i < gpus; i++)
    if (e->verdicts[i].path)
      cuw_library_verdict_free(&e->verdicts[i]);
  for (size_t i = 0; e->missing && i < gpus; i++)
    cuw_missing_free(&e->missing[i]);
  free(e->verdicts);
  free(e->bytes);
  free(e->missing);
}

void ledger_free(struct ledger *g)
{
  if (!g)
    return;
  for (size_t i = 0; i < g->count; i++)
    free_entry(&g->entries[i], g->options->gpu_count);
  free(g->entries);
  crew_free(g->crew);
  gate_destroy(&g->gate);
  pthread_mutex_destroy(&g->lock);
  free(g);
}

/* Judges and opens in turn until nothing is wanted any more. */
static void judge_for(const struct judge_request *request, struct source *s, struct cuw_library *l, struct facts *facts,
                      uint64_t cap, struct gate *gate, struct cuw_library_verdict *out)
{
  struct want_list wants = {0};
  struct image_buffers buffers = {0};
  enum judge_status status;
  while ((status = judge_library(request, &wants, out)) == JUDGE_WANTS)
    open_facts(s, l, &wants, cap, gate, &buffers, facts);
  if (status == JUDGE_NO_MEMORY)
    *out = (struct cuw_library_verdict){0};
  image_buffers_free(&buffers);
  want_list_free(&wants);
}

static uint64_t image_limit(const struct ledger *g)
{
  return g->options->max_image_size ? g->options->max_image_size : CUW_IMAGE_SIZE_MAX;
}

/* All facts are in: the library was judged. */
static bool find_missing(const struct judge_request *request, const struct pack *kernels, struct cuw_missing *out)
{
  struct want_list wants = {0};
  struct fate *fates = calloc(request->library->fatbins + 1, sizeof *fates);
  bool done = fates && judge_fatbins(request, &wants, fates) == JUDGE_DONE &&
              missing_kernels(kernels, request->library, fates, out);
  want_list_free(&wants);
  free(fates);
  return done;
}

static void find_all_missing(const struct ledger *g, struct source *s, struct cuw_library *l, const struct facts *facts,
                             struct cuw_missing *out)
{
  struct collect_options collect = {.crew = g->crew, .cap = image_limit(g)};
  struct kernel_table *table = kernel_table_new();
  struct pack kernels = {0};
  bool done = table && collect_kernels(&collect, s, l, table) && kernel_table_pack(table, l, NULL, NULL, &kernels);
  kernel_table_free(table);
  for (size_t i = 0; done && i < g->options->gpu_count; i++) {
    struct judge_request request = {
        .library = l, .facts = facts, .gpu = &g->options->gpus[i], .driver = &g->options->driver};
    done = find_missing(&request, &kernels, &out[i]);
  }
  pack_free(&kernels);
  if (!done)
    library_problem(l, CUW_ERROR, "out-of-memory", CUW_NONE, NULL, "no memory for the kernels of the library");
}

/* Damage that was met for one GPU, or on the way to kernels, makes the library incomplete for every GPU. */
static void judge_again(struct ledger *g, struct source *s, struct cuw_library *l, struct facts *facts, struct entry *e)
{
  for (size_t i = 0; i < g->options->gpu_count; i++) {
    struct judge_request request = {
        .library = l, .facts = facts, .gpu = &g->options->gpus[i], .driver = &g->options->driver};
    if (e->verdicts[i].path)
      cuw_library_verdict_free(&e->verdicts[i]);
    judge_for(&request, s, l, facts, image_limit(g), &g->gate, &e->verdicts[i]);
  }
}

static void judge_all(struct ledger *g, struct source *s, struct cuw_library *l, struct entry *e)
{
  uint64_t cap = image_limit(g);
  bool complete = l->complete;
  struct facts *facts = facts_new(l);
  for (size_t i = 0; facts && i < g->options->gpu_count; i++) {
    struct judge_request request = {
        .library = l, .facts = facts, .gpu = &g->options->gpus[i], .driver = &g->options->driver};
    if (e->verdicts)
      judge_for(&request, s, l, facts, cap, &g->gate, &e->verdicts[i]);
    if (e->bytes)
      judge_bytes(&request, &e->bytes[i]);
  }
  if (facts && e->missing && l->image_count)
    find_all_missing(g, s, l, facts, e->missing);
  if (facts && e->verdicts && complete && !l->complete)
    judge_again(g, s, l, facts, e);
  facts_free(facts);
}

void ledger_judge(void *ledger, struct source *s, struct cuw_library *l)
{
  struct ledger *g = ledger;
  struct entry e = {.library = l};
  bool loose = library_is_loose(l); /* judged together with the others, later */
  if (loose && !g->options->bytes)
    return;
  e.verdicts = loose ? NULL : calloc(g->options->gpu_count + 1, sizeof *e.verdicts);
  e.bytes = g->options->bytes ? calloc(g->options->gpu_count + 1, sizeof *e.bytes) : NULL;
  e.missing = g->crew && !loose ? calloc(g->options->gpu_count + 1, sizeof *e.missing) : NULL;
  judge_all(g, s, l, &e);
  pthread_mutex_lock(&g->lock);
  size_t n = g->count;
  struct entry *more = g->entries;
  if ((n & (n - 1)) == 0)
    more = realloc(g->entries, (n ? 2 * n : 1) * sizeof *more);
  if (more) {
    g->entries = more;
    g->entries[g->count++] = e;
  }
  pthread_mutex_unlock(&g->lock);
  if (!more)
    free_entry(&e, g->options->gpu_count);
}

static int compare_library(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  return x->library < y->library ? -1 : x->library > y->library;
}

void ledger_sort(struct ledger *g)
{
  if (g->count)
    qsort(g->entries, g->count, sizeof *g->entries, compare_library);
}

static struct entry *find(struct ledger *g, const struct cuw_library *l)
{
  struct entry key = {.library = l};
  return g->count ? bsearch(&key, g->entries, g->count, sizeof key, compare_library) : NULL;
}

bool ledger_take(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_library_verdict *out)
{
  struct entry *e = find(g, l);
  if (!e || !e->verdicts || !e->verdicts[gpu].path)
    return false;
  *out = e->verdicts[gpu];
  e->verdicts[gpu] = (struct cuw_library_verdict){0};
  return true;
}

void ledger_add_bytes(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_bytes *sum)
{
  const struct entry *e = find(g, l);
  if (!e || !e->bytes)
    return;
  sum->used += e->bytes[gpu].used;
  sum->spare += e->bytes[gpu].spare;
  sum->never += e->bytes[gpu].never;
  sum->other += e->bytes[gpu].other;
}

void ledger_take_missing(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_missing *out)
{
  struct entry *e = find(g, l);
  if (!e || !e->missing)
    return;
  *out = e->missing[gpu];
  e->missing[gpu] = (struct cuw_missing){0};
}
