/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/extract.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cuwheel/check.h"
#include "extract/store.h"
#include "image/cubin.h"
#include "image/ptx.h"
#include "inspect/examine.h"
#include "inspect/inspect.h"

#define PAD 8u /* images are padded to so many bytes */

struct work {
  const struct cuw_extract_options *options;
  uint64_t cap;
  struct store store;
  struct cuw_extracted *out;
  pthread_mutex_t lock;
  void *names; /* a tree of what was written in this run */
  size_t name_room, existing_room;
};

static bool takes_library(const struct cuw_extract_options *o, const struct cuw_library *l)
{
  return o->library_count == 0 || cuw_library_matches(l->path, o->libraries, o->library_count);
}

static bool takes_image(const struct cuw_extract_options *o, const struct cuw_image *image)
{
  if (!(image->kind == CUW_KIND_CUBIN && o->cubin) && !(image->kind == CUW_KIND_PTX && o->ptx))
    return false;
  if (o->fatbin != CUW_NO_FATBIN && image->fatbin != o->fatbin)
    return false;
  if (!o->arch)
    return true;
  struct cuw_arch_choice both = *o->arch;
  both.cubin = both.ptx = true;
  return cuw_arch_choice_takes(&both, image);
}

/* As cuobjdump writes them: PTX ends before its NUL, a cubin before the pad of its entry (docs/format.md 3). */
static struct view without_pad(const struct cuw_image *image, struct view v)
{
  struct cubin_header h;
  if (image->kind == CUW_KIND_PTX)
    return (struct view){v.data, ptx_extent(v)};
  uint64_t extent = cubin_header_decode(v, &h) ? cubin_extent(&h) : 0;
  if (extent == 0 || extent > v.size || v.size - extent >= PAD)
    return v;
  for (size_t i = (size_t)extent; i < v.size; i++)
    if (v.data[i])
      return v;
  return (struct view){v.data, (size_t)extent};
}

static int compare(const void *a, const void *b)
{
  return strcmp(a, b);
}

/* Takes `name` over. */
static void append(struct work *w, char ***list, size_t *count, size_t *room, char *name)
{
  if (*count == *room) {
    size_t more = *room ? *room * 2 : 64;
    char **grown = realloc(*list, more * sizeof *grown);
    if (!grown) {
      w->out->error = w->out->error ? w->out->error : ENOMEM;
      free(name);
      return;
    }
    *list = grown;
    *room = more;
  }
  (*list)[(*count)++] = name;
}

/* Whether this run has not written such a file yet: members of an archive may share a path. */
static bool claim(struct work *w, const char *name)
{
  pthread_mutex_lock(&w->lock);
  char *copy = tfind(name, &w->names, compare) ? NULL : strdup(name);
  bool fresh = copy && tsearch(copy, &w->names, compare);
  pthread_mutex_unlock(&w->lock);
  if (!fresh)
    free(copy);
  return fresh;
}

/* Takes `name` over. */
static void tell(struct work *w, char *name, int error)
{
  struct cuw_extracted *out = w->out;
  pthread_mutex_lock(&w->lock);
  if (error == 0) {
    append(w, &out->names, &out->name_count, &w->name_room, name);
  } else if (error == EEXIST) {
    append(w, &out->existing, &out->existing_count, &w->existing_room, name);
  } else if (!out->error) {
    out->error = error;
    out->error_name = name;
  } else {
    free(name);
  }
  pthread_mutex_unlock(&w->lock);
}

static bool has_failed(struct work *w)
{
  pthread_mutex_lock(&w->lock);
  bool failed = w->out->error != 0;
  pthread_mutex_unlock(&w->lock);
  return failed;
}

static void extract_library(void *data, struct source *s, struct cuw_library *l)
{
  struct work *w = data;
  struct image_buffers b = {0};
  if (!takes_library(w->options, l))
    return;
  for (size_t i = 0; i < l->image_count && !has_failed(w); i++) {
    struct view v;
    if (!takes_image(w->options, &l->images[i]) || !examine_image(s, l, &l->images[i], w->cap, &b, &v))
      continue;
    char *name = cuw_extract_name(l, i);
    int error = !name ? ENOMEM : claim(w, name) ? store_write(&w->store, name, without_pad(&l->images[i], v)) : EEXIST;
    tell(w, name, error);
  }
  image_buffers_free(&b);
}

/* Looks for files that are in the way, without opening an image. */
static void look_ahead(struct work *w, const struct cuw_input *input)
{
  for (size_t i = 0; i < input->distribution_count; i++)
    for (size_t k = 0; k < input->distributions[i].library_count; k++) {
      const struct cuw_library *l = input->distributions[i].libraries[k];
      for (size_t n = 0; takes_library(w->options, l) && n < l->image_count; n++) {
        char *name = takes_image(w->options, &l->images[n]) ? cuw_extract_name(l, n) : NULL;
        if (name && store_has(&w->store, name))
          tell(w, name, EEXIST);
        else
          free(name);
      }
    }
}

static int compare_strings(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void extract(struct work *w, const char *path, const struct cuw_inspect_options *inspect)
{
  struct job_visitor visitor = {extract_library, w};
  struct cuw_extracted *out = w->out;
  if (!w->store.was_empty && !w->options->force && strcmp(path, "-") != 0) {
    out->input = inspect_visited(path, inspect, NULL);
    if (out->input)
      look_ahead(w, out->input);
    if (!out->input || out->existing_count)
      return;
    cuw_input_free(out->input);
  }
  out->input = inspect_visited(path, inspect, &visitor);
}

struct cuw_extracted *cuw_extract(const char *path, const struct cuw_inspect_options *inspect,
                                  const struct cuw_extract_options *options)
{
  struct cuw_extracted *out = calloc(1, sizeof *out);
  if (!out)
    return NULL;
  struct work w = {.options = options, .cap = inspect_image_limit(inspect), .out = out};
  if (!store_open(&w.store, options->folder, options->force)) {
    out->error = errno;
    return out;
  }
  pthread_mutex_init(&w.lock, NULL);
  extract(&w, path, inspect);
  pthread_mutex_destroy(&w.lock);
  store_close(&w.store);
  tdestroy(w.names, free);
  if (out->name_count)
    qsort(out->names, out->name_count, sizeof *out->names, compare_strings);
  if (out->existing_count)
    qsort(out->existing, out->existing_count, sizeof *out->existing, compare_strings);
  if (out->input)
    return out;
  cuw_extracted_free(out);
  return NULL;
}

void cuw_extracted_free(struct cuw_extracted *e)
{
  if (!e)
    return;
  for (size_t i = 0; i < e->name_count; i++)
    free(e->names[i]);
  for (size_t i = 0; i < e->existing_count; i++)
    free(e->existing[i]);
  free(e->names);
  free(e->existing);
  free(e->error_name);
  cuw_input_free(e->input);
  free(e);
}
