/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library without GPU code is the common case, so a record starts small. */
/* A record of one image fits the first chunk: a wheel may hold sixteen thousand of them. */
#define CHUNK_FIRST ((size_t)1 << 9)
#define CHUNK_MOST ((size_t)1 << 16)
/* From this size on an allocation has a chunk of its own, which arena_grow can extend in place. */
#define LARGE ((size_t)1 << 14)

struct chunk {
  struct chunk *next, *previous;
  alignas(max_align_t) unsigned char bytes[];
};

struct interned {
  const char *text;
  size_t length;
};

struct arena {
  struct chunk *chunks;
  unsigned char *free_bytes; /* what is left of the newest shared chunk */
  size_t free_size;
  size_t chunk_size;
  struct interned *table; /* open addressing, a power of two */
  size_t table_size, table_count;
  bool failed;
};

struct arena *arena_new(void)
{
  struct arena *a = calloc(1, sizeof *a);
  if (a != NULL)
    a->chunk_size = CHUNK_FIRST;
  return a;
}

void arena_free(struct arena *a)
{
  if (a == NULL)
    return;
  for (struct chunk *c = a->chunks; c != NULL;) {
    struct chunk *next = c->next;
    free(c);
    c = next;
  }
  free(a->table);
  free(a);
}

int arena_failed(const struct arena *a)
{
  return a->failed;
}

static void *fail(struct arena *a)
{
  a->failed = true;
  return NULL;
}

static struct chunk *chunk_new(struct arena *a, size_t size)
{
  if (size > SIZE_MAX - sizeof(struct chunk))
    return fail(a);
  struct chunk *c = calloc(1, sizeof *c + size);
  if (c == NULL)
    return fail(a);
  c->next = a->chunks;
  if (c->next != NULL)
    c->next->previous = c;
  a->chunks = c;
  return c;
}

static void *alloc_aligned(struct arena *a, size_t size, size_t alignment)
{
  if (size >= LARGE) {
    struct chunk *c = chunk_new(a, size);
    return c != NULL ? c->bytes : NULL;
  }
  size_t padding = (size_t)(-(uintptr_t)a->free_bytes & (alignment - 1));
  if (a->free_size < padding || a->free_size - padding < size) {
    size_t room = a->chunk_size > size ? a->chunk_size : size;
    struct chunk *c = chunk_new(a, room);
    if (c == NULL)
      return NULL;
    a->free_bytes = c->bytes;
    a->free_size = room;
    padding = 0;
    if (a->chunk_size < CHUNK_MOST)
      a->chunk_size *= 2;
  }
  void *result = a->free_bytes + padding;
  a->free_bytes += padding + size;
  a->free_size -= padding + size;
  return result;
}

void *arena_alloc(struct arena *a, size_t size)
{
  return alloc_aligned(a, size > 0 ? size : 1, alignof(max_align_t));
}

char *arena_text(struct arena *a, const char *text, size_t length)
{
  if (length == SIZE_MAX)
    return fail(a);
  char *copy = alloc_aligned(a, length + 1, 1);
  if (copy != NULL && length > 0)
    memcpy(copy, text, length);
  return copy;
}

char *arena_string(struct arena *a, const char *text)
{
  return text != NULL ? arena_text(a, text, strlen(text)) : NULL;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0)
    return fail(a);
  char *text = alloc_aligned(a, (size_t)length + 1, 1);
  if (text != NULL)
    vsnprintf(text, (size_t)length + 1, format, args);
  return text;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = arena_vprintf(a, format, args);
  va_end(args);
  return text;
}

/* FNV-1a. */
static size_t hash(const char *text, size_t length)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
  return (size_t)h;
}

static struct interned *find_slot(const struct arena *a, const char *text, size_t length)
{
  for (size_t i = hash(text, length);; i++) {
    struct interned *slot = &a->table[i & (a->table_size - 1)];
    if (slot->text == NULL || (slot->length == length && memcmp(slot->text, text, length) == 0))
      return slot;
  }
}

static bool grow_table(struct arena *a)
{
  struct arena old = *a;
  size_t size = old.table_size > 0 ? old.table_size * 2 : 16;
  struct interned *table = calloc(size, sizeof *table);
  if (table == NULL)
    return fail(a) != NULL;
  a->table = table;
  a->table_size = size;
  for (size_t i = 0; i < old.table_size; i++)
    if (old.table[i].text != NULL)
      *find_slot(a, old.table[i].text, old.table[i].length) = old.table[i];
  free(old.table);
  return true;
}

const char *arena_intern(struct arena *a, const char *text, size_t length)
{
  if (text == NULL)
    text = "";
  if (a->table_count >= a->table_size / 2 && !grow_table(a))
    return NULL;
  struct interned *slot = find_slot(a, text, length);
  if (slot->text != NULL)
    return slot->text;
  const char *copy = arena_text(a, text, length);
  if (copy == NULL)
    return NULL;
  *slot = (struct interned){copy, length};
  a->table_count++;
  return copy;
}

void arena_settle(struct arena *a)
{
  free(a->table);
  a->table = NULL;
  a->table_size = a->table_count = 0;
}

/* Doubles an array that fills a chunk of its own. */
static void *extend_large(struct arena *a, void *items, size_t size)
{
  struct chunk *old = (struct chunk *)(void *)((unsigned char *)items - offsetof(struct chunk, bytes));
  struct chunk *c = realloc(old, sizeof *c + 2 * size);
  if (c == NULL)
    return fail(a);
  memset(c->bytes + size, 0, size);
  if (c->next != NULL)
    c->next->previous = c;
  if (c->previous != NULL)
    c->previous->next = c;
  else
    a->chunks = c;
  return c->bytes;
}

void *arena_grow(struct arena *a, void *items, size_t count, size_t item_size)
{
  const size_t first = 4;
  if (count == 0)
    return arena_alloc(a, first * item_size);
  if (count < first || (count & (count - 1)) != 0)
    return items;
  if (count > (SIZE_MAX - sizeof(struct chunk)) / 2 / item_size)
    return fail(a);
  size_t size = count * item_size;
  if (size >= LARGE)
    return extend_large(a, items, size);
  void *grown = arena_alloc(a, 2 * size);
  if (grown != NULL)
    memcpy(grown, items, size);
  return grown;
}
