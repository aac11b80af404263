/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/pool.h"
#include "inspect/wheel.h"

struct outcome {
  struct job_result job;
  struct input_error *error; /* the item could not be opened */
};

struct run {
  struct batch *batch;
  struct outcome *outcomes;
  atomic_uint_fast64_t done;
  atomic_size_t latest;
  uint64_t total;
};

bool batch_add(struct batch *b, const char *name, uint64_t size, uint64_t index)
{
  size_t n = b->count;
  if ((n & (n - 1)) == 0) {
    struct batch_item *more = realloc(b->items, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return false;
    b->items = more;
  }
  b->items[b->count++] = (struct batch_item){name, size, index};
  return true;
}

void batch_free(struct batch *b)
{
  free(b->items);
  b->items = NULL;
  b->count = 0;
}

static char *join(const char *first, const char *second)
{
  size_t length = strlen(first);
  char *text = malloc(length + strlen(second) + 1);
  if (!text)
    return NULL;
  memcpy(text, first, length);
  strcpy(text + length, second);
  return text;
}

static void run_item(void *data, size_t index, unsigned worker)
{
  struct run *run = data;
  struct batch *b = run->batch;
  const struct batch_item *item = &b->items[index];
  struct outcome *o = &run->outcomes[index];
  struct input_error error = {0};
  atomic_store(&run->latest, index);
  struct source *s = b->open(b->data, item, worker, &error);
  if (!s) {
    o->error = malloc(sizeof error);
    if (o->error)
      *o->error = error;
  } else {
    char *path = join(b->prefix, item->name);
    if (path)
      job_read(s, path, b->gather->visitor, &o->job);
    free(path);
    source_close(s);
  }
  atomic_fetch_add(&run->done, item->size);
}

/* Bytes of members that are being inflated: most of a wheel is one of them. */
static uint64_t at_work(const struct batch *b)
{
  uint64_t bytes = 0;
  for (unsigned i = 0; b->disk && i < b->gather->threads; i++)
    if (b->gather->workspaces[i])
      bytes += inflate_workspace_position(b->gather->workspaces[i]);
  return bytes;
}

/* The worker's thread may now decode ahead for others. */
static void idle(void *data)
{
  struct run *run = data;
  atomic_fetch_add(&run->batch->gather->spare, 1);
}

static void tick(void *data, size_t begun)
{
  struct run *run = data;
  const struct cuw_progress *progress = run->batch->gather->options->progress;
  (void)begun;
  uint64_t done = atomic_load(&run->done) + at_work(run->batch);
  if (progress)
    progress->call(progress->data, done < run->total ? done : run->total, run->total,
                   run->batch->items[atomic_load(&run->latest)].name);
}

struct sized {
  uint64_t size;
  size_t index;
};

static int compare_size(const void *a, const void *b)
{
  const struct sized *x = a, *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Largest first: a big one that begins last would keep one thread busy while the others wait. */
static size_t *largest_first(const struct batch *b)
{
  struct sized *sizes = calloc(b->count + 1, sizeof *sizes);
  size_t *order = calloc(b->count + 1, sizeof *order);
  if (sizes && order) {
    for (size_t i = 0; i < b->count; i++)
      sizes[i] = (struct sized){b->items[i].size, i};
    qsort(sizes, b->count, sizeof *sizes, compare_size);
    for (size_t i = 0; i < b->count; i++)
      order[i] = sizes[i].index;
  }
  free(sizes);
  return order;
}

/* The place of an item, behind what stands before its name on the disk or in the archive; from malloc. */
static char *item_place(const struct batch *b, const struct batch_item *item)
{
  bool is_file = b->disk == NULL;
  const char *slash = is_file && b->folder[0] && b->folder[strlen(b->folder) - 1] != '/' ? "/" : "";
  char *folder = join(is_file ? b->folder : b->member_prefix, slash);
  char *name = folder ? join(folder, item->name) : NULL;
  free(folder);
  return name;
}

static void gather_item(struct batch *b, const struct batch_item *item, struct outcome *o)
{
  struct gather *g = b->gather;
  char *name = item_place(b, item);
  if (name) {
    const char *disk = b->disk ? b->disk : name, *member = b->disk ? name : NULL;
    if (o->error)
      gather_input_error(g, o->error, disk, member);
    gather_result(g, &o->job, disk, member);
  }
  free(name);
  g->input->member_count++;
}

/* A download that failed leaves an empty file or an error page under a wheel's name: not one without GPU code. */
static void note_false_wheel(struct batch *b, const struct batch_item *item)
{
  char *name = path_has_suffix(item->name, ".whl") ? item_place(b, item) : NULL;
  if (name)
    gather_problem(b->gather, CUW_ERROR, item->size > 0 ? "no-carrier" : "empty-file", b->disk ? b->disk : name,
                   b->disk ? name : NULL, 0, "it is named as a wheel and does not begin as one", NULL);
  free(name);
}

void batch_run(struct batch *b, void (*other)(void *data, const struct batch_item *item, enum carrier_type type))
{
  struct run run = {.batch = b};
  run.outcomes = calloc(b->count + 1, sizeof *run.outcomes);
  size_t *order = largest_first(b);
  for (size_t i = 0; i < b->count; i++)
    run.total += b->items[i].size;
  if (run.outcomes && order) {
    struct pool_work work = {
        .count = b->count, .order = order, .run = run_item, .tick = tick, .idle = idle, .data = &run};
    unsigned threads = b->gather->threads;
    atomic_store(&b->gather->spare, threads > b->count ? threads - (unsigned)b->count : 0);
    pool_run(&work, threads);
    atomic_store(&b->gather->spare, 0);
    for (size_t i = 0; i < b->count; i++) {
      gather_item(b, &b->items[i], &run.outcomes[i]);
      if (run.outcomes[i].job.type != CARRIER_NONE)
        other(b->data, &b->items[i], run.outcomes[i].job.type);
      else if (!run.outcomes[i].error && !run.outcomes[i].job.faults)
        note_false_wheel(b, &b->items[i]);
      job_result_free(&run.outcomes[i].job);
      free(run.outcomes[i].error);
    }
  } else {
    gather_problem(b->gather, CUW_ERROR, "out-of-memory", b->disk ? b->disk : b->folder, NULL, CUW_NONE,
                   "no memory for the list of members", NULL);
  }
  free(order);
  free(run.outcomes);
}
