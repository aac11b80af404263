/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once: the strings and arrays of one record. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct arena *arena_new(void);    /* NULL: out of memory */
void arena_free(struct arena *a); /* NULL is fine */

/* Zeroed, aligned for any type. NULL when memory is out; the arena then stays failed
 * (arena_failed), so that a caller may test once after several calls. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_text(struct arena *a, const char *text, size_t length); /* copies, adds a NUL */
char *arena_string(struct arena *a, const char *text);              /* NULL gives NULL */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* The one copy of an equal string in this arena (for names that repeat: sections, identifiers). */
const char *arena_intern(struct arena *a, const char *text, size_t length);
/* Little more will come: frees what only finding equal strings needs. */
void arena_settle(struct arena *a);
int arena_failed(const struct arena *a);

/* Makes room for one more element in a growing array of `count` elements that lives in the arena and that only
 * arena_grow has sized: capacity 4, then doubled where `count` is a full power of two. Returns the array, moved or not;
 * NULL when memory is out (the old array is still there). New room is zeroed. */
void *arena_grow(struct arena *a, void *items, size_t count, size_t item_size);

#endif
