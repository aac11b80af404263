/* SPDX-License-Identifier: Apache-2.0 */
/* A deflated member as a source of bounded memory: one forward pass that is checked against the declared size and
 * CRC-32, and checkpoints along it from which earlier bytes are inflated again. */
#ifndef INPUT_INFLATE_H
#define INPUT_INFLATE_H

#include <stdatomic.h>

#include "input/inflate_backend.h"
#include "input/window.h"

/* The buffers and checkpoints of one member at a time, for reuse by one thread: up to about 11 MiB with ISA-L, made
 * as they are needed. */
struct inflate_workspace;
/* NULL backend: the fastest. NULL: out of memory. */
struct inflate_workspace *inflate_workspace_new(const struct inflate_backend *backend);
void inflate_workspace_free(struct inflate_workspace *w); /* NULL is fine; no source may be using it */
/* Bytes of output between checkpoints at first (default 1 MiB); doubled whenever their number is full. */
void inflate_workspace_set_spacing(struct inflate_workspace *w, uint64_t spacing);
/* The most checkpoints it keeps (default 96, of 87 KiB each with ISA-L): fewer cost time when going back. */
void inflate_workspace_set_checkpoints(struct inflate_workspace *w, size_t most);

/* Bytes inflated so far of the member at hand, from any thread: for a progress line. */
uint64_t inflate_workspace_position(struct inflate_workspace *w);

/* Lets large members be decoded ahead by one of `spare` threads more, while one is spare (input/ahead.h). */
void inflate_workspace_set_spare(struct inflate_workspace *w, atomic_uint *spare);

/* What the carrier says of a member. All of it may be wrong. */
struct inflate_member {
  struct reader reader; /* raw deflate data */
  uint64_t compressed_size;
  uint64_t size;
  uint32_t crc;
  void (*close)(void *data); /* called with reader.data by source_close; NULL: nothing */
  bool is_shared;            /* the reader may be called from several threads at once */
};

/* workspace NULL, or one that another source is using: the source makes its own. Codes of its errors: "stream-damaged",
 * "size-mismatch", "crc-mismatch", "out-of-memory", and the reader's. Closing early inflates no more.
 * NULL: out of memory; the member is not closed then. */
struct source *inflate_source(const struct inflate_member *member, struct inflate_workspace *workspace);

#endif
