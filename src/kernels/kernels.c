/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/kernels.h"

#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cuwheel/check.h"
#include "inspect/inspect.h"
#include "inspect/pool.h"
#include "kernels/collect.h"
#include "model/builder.h"

struct packed_library {
  const struct cuw_library *library;
  struct pack pack;
};

struct cuw_kernels {
  struct cuw_input *input;
  struct packed_library *libraries; /* by address, once all are in */
  size_t library_count;
};

struct work {
  struct cuw_kernels *kernels;
  const struct cuw_kernels_options *options;
  struct collect_options collect;
  regex_t expression;
  pthread_mutex_t lock;
};

static bool takes_image(void *data, const struct cuw_image *image)
{
  const struct work *w = data;
  return cuw_arch_choice_takes(w->options->arch, image);
}

/* glibc's matcher is shared between threads safely, and serialises them. */
static bool takes_name(void *data, const char *name, const char *demangled)
{
  const struct work *w = data;
  return regexec(&w->expression, name, 0, NULL, 0) == 0 ||
         (demangled != name && regexec(&w->expression, demangled, 0, NULL, 0) == 0);
}

static bool keep(struct work *w, const struct cuw_library *l, struct pack pack)
{
  struct cuw_kernels *k = w->kernels;
  pthread_mutex_lock(&w->lock);
  size_t n = k->library_count;
  struct packed_library *more = k->libraries;
  if ((n & (n - 1)) == 0)
    more = realloc(k->libraries, (n ? 2 * n : 1) * sizeof *more);
  if (more) {
    k->libraries = more;
    k->libraries[k->library_count++] = (struct packed_library){l, pack};
  }
  pthread_mutex_unlock(&w->lock);
  return more != NULL;
}

static void read_library(void *data, struct source *s, struct cuw_library *l)
{
  struct work *w = data;
  const struct cuw_kernels_options *o = w->options;
  if (l->image_count == 0 || (o->library_count && !cuw_library_matches(l->path, o->libraries, o->library_count)))
    return;
  struct kernel_table *table = kernel_table_new();
  struct pack pack = {0};
  bool done = table && collect_kernels(&w->collect, s, l, table) &&
              kernel_table_pack(table, l, o->match ? takes_name : NULL, w, &pack);
  kernel_table_free(table);
  if (done && keep(w, l, pack))
    return;
  pack_free(&pack);
  library_problem(l, CUW_ERROR, "out-of-memory", CUW_NONE, NULL, "no memory for the kernels of the library");
}

static int compare_library(const void *a, const void *b)
{
  const struct packed_library *x = a, *y = b;
  return x->library < y->library ? -1 : x->library > y->library;
}

static unsigned thread_count(const struct cuw_inspect_options *inspect)
{
  return inspect && inspect->jobs ? inspect->jobs : pool_cores();
}

static bool read_input(struct work *w, const char *path, const struct cuw_inspect_options *inspect)
{
  struct job_visitor visitor = {read_library, w};
  struct cuw_kernels *k = w->kernels;
  w->collect = (struct collect_options){.crew = crew_new(thread_count(inspect) - 1),
                                        .cap = inspect_image_limit(inspect),
                                        .wants = w->options->arch ? takes_image : NULL,
                                        .data = w};
  if (w->collect.crew)
    k->input = inspect_visited(path, inspect, &visitor);
  crew_free(w->collect.crew);
  if (k->library_count)
    qsort(k->libraries, k->library_count, sizeof *k->libraries, compare_library);
  return k->input != NULL;
}

struct cuw_kernels *cuw_kernels_read(const char *path, const struct cuw_inspect_options *inspect,
                                     const struct cuw_kernels_options *options)
{
  static const struct cuw_kernels_options all = {0};
  struct work w = {.options = options ? options : &all};
  if (w.options->match && regcomp(&w.expression, w.options->match, REG_EXTENDED | REG_NOSUB) != 0)
    return NULL;
  pthread_mutex_init(&w.lock, NULL);
  w.kernels = calloc(1, sizeof *w.kernels);
  bool done = w.kernels && read_input(&w, path, inspect);
  pthread_mutex_destroy(&w.lock);
  if (w.options->match)
    regfree(&w.expression);
  if (done)
    return w.kernels;
  cuw_kernels_free(w.kernels);
  return NULL;
}

void cuw_kernels_free(struct cuw_kernels *k)
{
  if (!k)
    return;
  for (size_t i = 0; i < k->library_count; i++)
    pack_free(&k->libraries[i].pack);
  free(k->libraries);
  cuw_input_free(k->input);
  free(k);
}

const struct cuw_input *cuw_kernels_input(const struct cuw_kernels *k)
{
  return k->input;
}

long cuw_kernels_each(const struct cuw_kernels *k, const struct cuw_library *l,
                      bool (*each)(void *data, const struct cuw_kernel *kernel), void *data)
{
  struct packed_library key = {.library = l};
  const struct packed_library *found =
      k->library_count ? bsearch(&key, k->libraries, k->library_count, sizeof key, compare_library) : NULL;
  return found ? kernel_pack_each(&found->pack, l, each, data) : 0;
}

bool cuw_kernels_match_check(const char *match, char *message, size_t size)
{
  regex_t expression;
  int error = regcomp(&expression, match, REG_EXTENDED | REG_NOSUB);
  if (error)
    regerror(error, &expression, message, size);
  else
    regfree(&expression);
  return error == 0;
}
