/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a walk add to the library record. */
#include <stdlib.h>

#include "carrier/walk_internal.h"
#include "model/builder.h"

struct cuw_image *walk_add_image(struct walk *w, uint64_t at)
{
  struct cuw_image *image = library_add_image(w->library);
  if (!image) {
    if (!w->memory_reported && w->library->image_count < LIBRARY_IMAGES_MAX)
      library_problem(w->library, CUW_ERROR, "out-of-memory", at, NULL, "no memory for a further image");
    w->memory_reported = true;
    return NULL;
  }
  image->offset = at;
  image->part_offset = CUW_NONE;
  image->section = w->region->section;
  image->role = (uint8_t)w->region->role;
  image->debug = -1;
  return image;
}

uint32_t walk_add_container(struct walk *w, uint64_t at)
{
  uint32_t number = library_add_fatbin(w->library, at);
  size_t n = w->container_count;
  if (number != n)
    return number;
  if ((n & (n - 1)) == 0) {
    uint64_t *more = realloc(w->containers, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return number;
    w->containers = more;
  }
  w->containers[w->container_count++] = at;
  return number;
}
