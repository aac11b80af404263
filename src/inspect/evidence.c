/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/evidence.h"

#include "model/cuda.h"

void evidence_add_version_file(struct gather *g, struct found_distribution *d, struct view text)
{
  char version[CUDA_VERSION_MAX];
  if (!cuda_from_version_file(text, version))
    return;
  const char **items = arena_grow(g->arena, d->version_files, d->version_file_count, sizeof *items);
  if (!items)
    return;
  d->version_files = items;
  d->version_files[d->version_file_count++] = arena_string(g->arena, version);
}
