/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one folder, or the members of one archive, each a job. */
#ifndef INSPECT_BATCH_H
#define INSPECT_BATCH_H

#include "inspect/gather.h"

struct batch_item {
  const char *name; /* path below the folder, or name in the archive */
  uint64_t size;    /* as declared; the largest begin first */
  uint64_t index;   /* of an archive's entry */
};

struct batch {
  struct gather *gather;
  const char *prefix;        /* before every library path: "", "inner.whl!" */
  const char *disk;          /* file on disk that holds the items; NULL: the items are files themselves */
  const char *folder;        /* of items that are files: what their names are relative to */
  const char *member_prefix; /* before an item's name in problems; "" */
  struct batch_item *items;
  size_t count;
  struct source *(*open)(void *data, const struct batch_item *item, unsigned worker, struct input_error *error);
  void *data;
};

bool batch_add(struct batch *b, const char *name, uint64_t size, uint64_t index);

/* Runs a job for every item and gathers what they found, in the order of the items. Then calls `other` for each item
 * that is something else than a carrier of GPU code (CARRIER_ZIP, CARRIER_CONDA ...). */
void batch_run(struct batch *b, void (*other)(void *data, const struct batch_item *item, enum carrier_type type));

void batch_free(struct batch *b);

#endif
