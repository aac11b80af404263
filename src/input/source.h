/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytes come from: a file, a wheel's member, a part of another source. */
#ifndef INPUT_SOURCE_H
#define INPUT_SOURCE_H

#include "base/view.h"

/* The most that one source_view call may ask for, in bytes. */
#define SOURCE_WINDOW ((size_t)1 << 18)

enum source_status {
  SOURCE_OK = 0,
  SOURCE_END,     /* the range lies past the end of the source */
  SOURCE_IO,      /* the system could not read */
  SOURCE_DAMAGED, /* the compressed stream, its size or its checksum is wrong */
  SOURCE_MEMORY
};

struct source;

struct source_ops {
  enum source_status (*view)(struct source *s, uint64_t offset, size_t want, struct view *out);
  enum source_status (*finish)(struct source *s);
  void (*close)(struct source *s);
  /* NULL: source_read copies from views. Else reads up to `size` bytes straight into `out`. */
  enum source_status (*read)(struct source *s, uint64_t offset, void *out, size_t size, size_t *got);
};

/* Base of every source; implementations embed it first. Not shared between threads. */
struct source {
  const struct source_ops *ops;
  uint64_t size;         /* bytes, as declared by its carrier */
  bool forward_is_cheap; /* true: going back costs (a deflated member); false: any order is the same */
  /* Set with every status but SOURCE_OK and SOURCE_END. Static or owned by the source. */
  const char *error_code; /* "crc-mismatch", "stream-damaged", "size-mismatch", "read-failed" ... */
  const char *error_text;
  uint64_t error_offset; /* byte in this source where it shows */
};

/* Shows [offset, offset + want), want <= SOURCE_WINDOW. Near the end the view is shorter, at or
 * past the end it is empty with SOURCE_END. The view lives until the next call on the source.
 * With SOURCE_DAMAGED it shows what lies before the damage, perhaps nothing; views that end
 * before the damage stay possible. */
enum source_status source_view(struct source *s, uint64_t offset, size_t want, struct view *out);

/* Copies exactly `length` bytes; any length. SOURCE_END when they do not all exist. */
enum source_status source_read(struct source *s, uint64_t offset, void *out, size_t length);

/* Reads what is left and checks size and checksum, where the source has one. */
enum source_status source_finish(struct source *s);

void source_close(struct source *s); /* NULL is fine */

/* [offset, offset + size) of `parent`, which must outlive it. NULL: out of memory, or no such range. */
struct source *source_part(struct source *parent, uint64_t offset, uint64_t size);

/* Over bytes in memory, which must outlive it (tests, small inner files). */
struct source *source_memory(const void *data, size_t size);

#endif
