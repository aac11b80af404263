/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/record.h"
#include "verdict/names.h"

#define SLOTS_FIRST 1024u /* a power of two */

/* More than ten times what any library known has; some kilobytes can inflate to millions. */
#define NAME_BYTES_MAX ((size_t)512 << 20)

struct name {
  const char *text;
  uint32_t length;
  uint32_t hash;
};

struct kernel_table {
  pthread_mutex_t lock;
  struct arena *arena; /* holds the names */
  struct name *names;
  size_t name_count, name_room, name_bytes;
  uint32_t *slots; /* of a hash table: index into names + 1, 0 is free */
  size_t slot_count;
  struct kernel_record *records;
  size_t record_count, record_room;
  bool full;
};

struct kernel_table *kernel_table_new(void)
{
  struct kernel_table *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->arena = arena_new();
  t->slots = calloc(SLOTS_FIRST, sizeof *t->slots);
  t->slot_count = SLOTS_FIRST;
  pthread_mutex_init(&t->lock, NULL);
  if (t->arena && t->slots)
    return t;
  kernel_table_free(t);
  return NULL;
}

void kernel_table_free(struct kernel_table *t)
{
  if (!t)
    return;
  arena_free(t->arena);
  free(t->names);
  free(t->slots);
  free(t->records);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

static uint32_t hash(struct view v)
{
  uint64_t h = v.size, word;
  size_t at = 0;
  for (; v.size - at >= sizeof word; at += sizeof word) {
    memcpy(&word, v.data + at, sizeof word);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  for (; at < v.size; at++)
    h = (h ^ v.data[at]) * 0x100000001b3u;
  return (uint32_t)(h ^ h >> 32);
}

static bool grow(void **items, size_t *room, size_t count, size_t size)
{
  if (count < *room)
    return true;
  size_t more = *room ? *room * 2 : 256;
  void *grown = realloc(*items, more * size);
  if (!grown)
    return false;
  *items = grown;
  *room = more;
  return true;
}

static size_t find_slot(const struct kernel_table *t, struct view name, uint32_t h)
{
  size_t at = h & (t->slot_count - 1);
  while (t->slots[at]) {
    const struct name *n = &t->names[t->slots[at] - 1];
    if (n->hash == h && n->length == name.size && memcmp(n->text, name.data, name.size) == 0)
      break;
    at = (at + 1) & (t->slot_count - 1);
  }
  return at;
}

static bool widen_slots(struct kernel_table *t)
{
  size_t count = t->slot_count * 2;
  uint32_t *slots = calloc(count, sizeof *slots);
  if (!slots)
    return false;
  for (size_t i = 0; i < t->name_count; i++) {
    size_t at = t->names[i].hash & (count - 1);
    while (slots[at])
      at = (at + 1) & (count - 1);
    slots[at] = (uint32_t)i + 1;
  }
  free(t->slots);
  t->slots = slots;
  t->slot_count = count;
  return true;
}

/* The number of the name; UINT32_MAX: out of memory. */
static uint32_t intern(struct kernel_table *t, struct view name, uint32_t h)
{
  size_t at = find_slot(t, name, h);
  if (t->slots[at])
    return t->slots[at] - 1;
  if (t->name_count >= UINT32_MAX - 1 || !grow((void **)&t->names, &t->name_room, t->name_count, sizeof *t->names))
    return UINT32_MAX;
  const char *text = arena_text(t->arena, (const char *)name.data, name.size);
  if (!text)
    return UINT32_MAX;
  t->name_bytes += name.size;
  t->names[t->name_count++] = (struct name){text, (uint32_t)name.size, h};
  t->slots[at] = (uint32_t)t->name_count;
  if (t->name_count * 2 > t->slot_count && !widen_slots(t))
    return UINT32_MAX;
  return (uint32_t)t->name_count - 1;
}

bool kernel_table_add(struct kernel_table *t, size_t image, const struct kernel *k)
{
  struct view name = k->name.data ? k->name : (struct view){(const uint8_t *)"", 0};
  uint32_t h = hash(name);
  pthread_mutex_lock(&t->lock);
  if (t->full) {
    pthread_mutex_unlock(&t->lock);
    return true;
  }
  uint32_t number = intern(t, name, h);
  bool fits = number != UINT32_MAX && image < UINT32_MAX &&
              grow((void **)&t->records, &t->record_room, t->record_count, sizeof *t->records);
  if (fits)
    t->records[t->record_count++] = (struct kernel_record){.name = number,
                                                           .image = (uint32_t)image,
                                                           .registers = k->registers,
                                                           .stack = k->stack,
                                                           .max_threads = k->max_threads,
                                                           .local = k->local,
                                                           .shared = k->shared,
                                                           .local_bytes = k->local_bytes,
                                                           .constant = k->constant};
  t->full = t->record_count > KERNEL_TABLE_MAX || t->name_bytes > NAME_BYTES_MAX;
  pthread_mutex_unlock(&t->lock);
  return fits;
}

bool kernel_table_is_full(const struct kernel_table *t)
{
  return t->full;
}

struct sorted_name {
  const struct name *name;
  uint32_t number;
};

static int compare_names(const void *a, const void *b)
{
  const struct sorted_name *x = a, *y = b;
  return strcmp(x->name->text, y->name->text);
}

/* The place of every name in the order of their bytes; `order` the reverse. */
static bool rank_names(const struct kernel_table *t, uint32_t **ranks, const struct name ***order)
{
  struct sorted_name *sorted = malloc((t->name_count + 1) * sizeof *sorted);
  *ranks = malloc((t->name_count + 1) * sizeof **ranks);
  *order = malloc((t->name_count + 1) * sizeof **order);
  if (sorted && *ranks && *order) {
    for (size_t i = 0; i < t->name_count; i++)
      sorted[i] = (struct sorted_name){&t->names[i], (uint32_t)i};
    if (t->name_count)
      qsort(sorted, t->name_count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < t->name_count; i++) {
      (*ranks)[sorted[i].number] = (uint32_t)i;
      (*order)[i] = sorted[i].name;
    }
  }
  bool done = sorted != NULL;
  free(sorted);
  return done && *ranks && *order;
}

/* Containers by number, then bare images by their place. */
static uint64_t group_of(const struct cuw_library *l, uint32_t image)
{
  uint32_t fatbin = l->images[image].fatbin;
  return fatbin != CUW_NO_FATBIN ? fatbin : (uint64_t)1 << 32 | image;
}

static int compare_number(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

/* Here `name` is its rank. Records of one image and name are told apart by what they say, so that the order does not
 * depend on which thread came first. */
static int compare_records(const void *a, const void *b)
{
  const struct kernel_record *x = a, *y = b;
  int order = compare_number(x->group, y->group);
  if (!order)
    order = compare_number(x->name, y->name);
  if (!order)
    order = compare_number(x->image, y->image);
  return order ? order : memcmp(x, y, sizeof *x);
}

static size_t row_length(const struct kernel_record *r, size_t left)
{
  size_t n = 1;
  while (n < left && r[n].group == r[0].group && r[n].name == r[0].name)
    n++;
  return n;
}

static bool pack_rows(const struct kernel_table *t, const struct cuw_library *l, const struct name *const *order,
                      kernel_name_filter takes, void *data, struct packer *packer)
{
  struct record_text text = {0};
  bool fine = true;
  for (size_t i = 0, n; fine && i < t->record_count; i += n) {
    const struct kernel_record *r = &t->records[i];
    const struct name *name = order[r->name];
    n = row_length(r, t->record_count - i);
    char *demangled = name_demangle(name->text, name->length);
    fine = demangled != NULL;
    if (fine && (!takes || takes(data, name->text, demangled))) {
      fine = record_write(&text, l->images[r->image].fatbin, name->text, demangled, r, n);
      packer_add(packer, (struct view){text.data, text.size});
    }
    free(demangled);
  }
  free(text.data);
  return fine;
}

bool kernel_table_pack(struct kernel_table *t, const struct cuw_library *l, kernel_name_filter takes, void *data,
                       struct pack *out)
{
  uint32_t *ranks = NULL;
  const struct name **order = NULL;
  if (t->full)
    t->record_count = 0; /* which ones came first depends on the threads */
  struct packer *packer = packer_new();
  bool done = packer && rank_names(t, &ranks, &order);
  for (size_t i = 0; done && i < t->record_count; i++) {
    t->records[i].name = ranks[t->records[i].name];
    t->records[i].group = group_of(l, t->records[i].image);
  }
  if (done && t->record_count)
    qsort(t->records, t->record_count, sizeof *t->records, compare_records);
  done = done && pack_rows(t, l, order, takes, data, packer) && packer_finish(packer, out);
  packer_free(packer);
  free(ranks);
  free(order);
  return done;
}

long kernel_pack_each(const struct pack *p, const struct cuw_library *l,
                      bool (*each)(void *data, const struct cuw_kernel *kernel), void *data)
{
  struct unpacker *u = unpacker_new(p);
  struct record_codes codes = {0};
  struct view record;
  bool failed = !u;
  long count = 0;
  while (u && unpacker_next(u, &record, &failed)) {
    struct cuw_kernel kernel;
    failed = !record_read(record, l, &codes, &kernel);
    if (failed)
      break;
    count++;
    if (!each(data, &kernel))
      break;
  }
  free(codes.items);
  unpacker_free(u);
  return failed ? -1 : count;
}
