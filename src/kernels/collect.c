/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of the library reads stored bytes in the order of the file; the crew decompresses them and reads what is
 * inside. Memory: the stored bytes of as many images as there are threads, and the images that these have open. */
#include "kernels/collect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "image/ptx.h"
#include "inspect/examine.h"
#include "model/builder.h"

/* What was found wrong, kept until all is read: problems come in the order of the file. */
struct noted {
  size_t image;
  struct image_fault fault;
};

struct collection {
  const struct collect_options *options;
  const struct cuw_library *library;
  struct kernel_table *table;
  pthread_mutex_t lock;
  pthread_cond_t done;
  size_t pending;
  struct unit *idle;
  struct noted *faults;
  size_t fault_count;
  bool memory_out;
};

/* One image, or the sub-entries of one concatenation. */
struct unit {
  struct crew_task task; /* first */
  struct collection *collection;
  size_t first, end;
  struct payload_buffer stored;
  struct view bytes;
  struct unit *next; /* idle */
};

static bool is_wanted(const struct collection *c, size_t index)
{
  const struct cuw_image *image = &c->library->images[index];
  if (image->kind != CUW_KIND_CUBIN && image->kind != CUW_KIND_PTX)
    return false;
  return !c->options->wants || c->options->wants(c->options->data, image);
}

static void fail_memory(struct collection *c)
{
  pthread_mutex_lock(&c->lock);
  c->memory_out = true;
  pthread_mutex_unlock(&c->lock);
}

static void note(struct collection *c, size_t image, struct image_fault fault)
{
  if (!fault.code)
    return;
  pthread_mutex_lock(&c->lock);
  size_t n = c->fault_count;
  struct noted *more = c->faults;
  if ((n & (n - 1)) == 0)
    more = realloc(c->faults, (n ? 2 * n : 1) * sizeof *more);
  if (more) {
    c->faults = more;
    c->faults[c->fault_count++] = (struct noted){image, fault};
  } else {
    c->memory_out = true;
  }
  pthread_mutex_unlock(&c->lock);
}

struct reading {
  struct collection *collection;
  size_t image;
  bool odd_name, memory_out;
};

static bool take_kernel(void *data, const struct kernel *k)
{
  struct reading *r = data;
  r->odd_name |= kernel_name_is_odd(k->name);
  r->memory_out = !kernel_table_add(r->collection->table, r->image, k);
  return !r->memory_out;
}

static bool take_entry(void *data, struct view name)
{
  struct kernel k = {.name = name,
                     .registers = KERNEL_NOT_RECORDED,
                     .stack = KERNEL_NOT_RECORDED,
                     .max_threads = KERNEL_NOT_RECORDED,
                     .shared = CUW_NONE,
                     .local_bytes = CUW_NONE,
                     .constant = CUW_NONE};
  return take_kernel(data, &k);
}

static void read_image(struct collection *c, size_t index, struct view v)
{
  const struct cuw_image *image = &c->library->images[index];
  struct reading r = {.collection = c, .image = index};
  bool readable;
  note(c, index, image_content_fault(image, v, &readable));
  if (!readable)
    return;
  const char *damage = NULL;
  if (image->kind == CUW_KIND_PTX)
    ptx_entries(v, take_entry, &r);
  else
    kernels_read(v, take_kernel, &r, &damage);
  if (damage)
    note(c, index, (struct image_fault){"cubin-damaged", damage, false});
  if (r.odd_name)
    note(c, index, odd_kernel_name);
  if (r.memory_out)
    fail_memory(c);
}

static void finish_unit(struct unit *u)
{
  struct collection *c = u->collection;
  pthread_mutex_lock(&c->lock);
  u->next = c->idle;
  c->idle = u;
  if (--c->pending == 0)
    pthread_cond_signal(&c->done);
  pthread_mutex_unlock(&c->lock);
}

static void run_unit(struct crew_task *task, struct image_buffers *b)
{
  struct unit *u = (struct unit *)task;
  struct collection *c = u->collection;
  image_buffers_forget(b);
  for (size_t i = u->first; i < u->end; i++) {
    struct view v;
    if (!is_wanted(c, i))
      continue;
    enum image_open_status status = image_decode(&c->library->images[i], u->bytes, c->options->cap, b, &v);
    if (status == IMAGE_OPEN_OK)
      read_image(c, i, v);
    else
      note(c, i, image_open_fault(status));
  }
  finish_unit(u);
}

static struct unit *idle_unit(struct collection *c)
{
  pthread_mutex_lock(&c->lock);
  struct unit *u = c->idle;
  if (u)
    c->idle = u->next;
  c->pending++;
  pthread_mutex_unlock(&c->lock);
  if (!u)
    u = calloc(1, sizeof *u);
  if (!u) {
    pthread_mutex_lock(&c->lock);
    c->pending--;
    c->memory_out = true;
    pthread_mutex_unlock(&c->lock);
  }
  return u;
}

/* Behind the sub-entries that share the concatenation of image `first`. */
static size_t run_end(const struct cuw_library *l, size_t first)
{
  size_t end = first + 1;
  if (l->images[first].part_offset == CUW_NONE)
    return end;
  while (end < l->image_count && l->images[end].part_offset != CUW_NONE &&
         l->images[end].data_offset == l->images[first].data_offset)
    end++;
  return end;
}

/* Returns the index behind what was dealt with. */
static size_t open_run(struct collection *c, struct source *s, size_t first, struct image_buffers *b)
{
  size_t end = run_end(c->library, first), wanted = first;
  while (wanted < end && !is_wanted(c, wanted))
    wanted++;
  struct unit *u = wanted < end ? idle_unit(c) : NULL;
  if (!u)
    return end;
  u->task.run = run_unit;
  u->collection = c;
  u->first = wanted;
  u->end = end;
  enum image_open_status status = image_read(s, &c->library->images[wanted], c->options->cap, &u->stored, &u->bytes);
  if (status == IMAGE_OPEN_OK) {
    crew_give(c->options->crew, &u->task, b);
    return end;
  }
  for (size_t i = wanted; i < end; i++)
    if (is_wanted(c, i))
      note(c, i, image_open_fault(status));
  finish_unit(u);
  return end;
}

static void wait_for_all(struct collection *c, struct image_buffers *b)
{
  while (crew_help(c->options->crew, b))
    ;
  pthread_mutex_lock(&c->lock);
  while (c->pending)
    pthread_cond_wait(&c->done, &c->lock);
  pthread_mutex_unlock(&c->lock);
}

static int compare_faults(const void *a, const void *b)
{
  const struct noted *x = a, *y = b;
  if (x->image != y->image)
    return x->image < y->image ? -1 : 1;
  return strcmp(x->fault.code, y->fault.code);
}

static void tell_faults(const struct collection *c, struct cuw_library *l)
{
  if (c->fault_count)
    qsort(c->faults, c->fault_count, sizeof *c->faults, compare_faults);
  for (size_t i = 0; i < c->fault_count; i++)
    image_problem(l, &l->images[c->faults[i].image], c->faults[i].fault);
}

bool collect_kernels(const struct collect_options *o, struct source *s, struct cuw_library *l,
                     struct kernel_table *table)
{
  struct collection c = {.options = o, .library = l, .table = table};
  struct image_buffers b = {0};
  pthread_mutex_init(&c.lock, NULL);
  pthread_cond_init(&c.done, NULL);
  for (size_t i = 0; i < l->image_count;)
    i = open_run(&c, s, i, &b);
  wait_for_all(&c, &b);
  tell_faults(&c, l);
  if (kernel_table_is_full(table))
    library_problem(l, CUW_ERROR, "too-many-kernels", CUW_NONE, NULL,
                    "more kernels than any library has; none is listed");
  while (c.idle) {
    struct unit *u = c.idle;
    c.idle = u->next;
    payload_buffer_free(&u->stored);
    free(u);
  }
  free(c.faults);
  image_buffers_free(&b);
  pthread_cond_destroy(&c.done);
  pthread_mutex_destroy(&c.lock);
  return !c.memory_out;
}
