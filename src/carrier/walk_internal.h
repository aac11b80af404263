/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the walk. */
#ifndef CARRIER_WALK_INTERNAL_H
#define CARRIER_WALK_INTERNAL_H

#include "carrier/carrier.h"
#include "carrier/open.h"

struct walk {
  struct source *source;
  struct cuw_library *library;
  const struct region *region;
  struct image_buffers buffers; /* bare images that are opened */
  uint64_t *containers;         /* offsets, by provisional fatbin number */
  size_t container_count;
  uint64_t *wrappers; /* places of wrappers found by their magic, where there is no section table */
  size_t wrapper_count;
  uint64_t tried; /* bytes of trials that came to nothing */
  bool gave_up;
  bool has_sections;
  bool runtime_seen;
  bool compiler_seen;
  bool memory_reported;
};

/* Decodes the container whose magic stands at `at`; its entries end at `end` at the latest. Returns where to go on,
 * always behind `at`. *resync: what follows is unknown; search for the next container without another problem. */
uint64_t walk_container(struct walk *w, uint64_t at, uint64_t end, bool *resync);

/* Counts a container at `at`; returns its provisional number. */
uint32_t walk_add_container(struct walk *w, uint64_t at);

/* Whether a container with a sound first entry stands at `at`: the test outside known sections. */
bool walk_container_is_sane(struct walk *w, uint64_t at, uint64_t end);

/* The entries of a concatenation; `header` is the whole header of the entry at `at`. */
struct fatbin_entry;
void walk_concatenation(struct walk *w, uint64_t at, struct view header, const struct fatbin_entry *e, uint32_t fatbin);

/* Bare images found by their start at `at`; each returns where to go on, behind `at`. */
uint64_t walk_bare_cubin(struct walk *w, uint64_t at, uint64_t end);
uint64_t walk_zstd_cubin(struct walk *w, uint64_t at, uint64_t end);
uint64_t walk_ptx_text(struct walk *w, uint64_t at, uint64_t end);

/* Counts a trial of `cost` bytes at `at`, to be taken back where it succeeds. false: so many were in vain that the
 * bytes are made to cost time; then a problem says that images may be missing. */
bool walk_may_try(struct walk *w, uint64_t at, uint64_t cost);

/* Adds an image in this region with role, section and offset set; NULL (and a problem) when memory is out. */
struct cuw_image *walk_add_image(struct walk *w, uint64_t at);

#endif
