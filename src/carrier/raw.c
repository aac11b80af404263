/* SPDX-License-Identifier: Apache-2.0 */
/* Loose images: a file that is a cubin, a fatbin or a PTX text itself. */
#include "carrier/raw.h"

#include "carrier/walk.h"
#include "image/cubin.h"
#include "image/ptx.h"
#include "model/builder.h"

static void map_whole(struct source *s, struct cuw_library *l, struct carrier_map *map, enum region_mode mode)
{
  struct region whole = {.begin = 0, .end = s->size, .mode = mode, .role = CUW_ROLE_SELF_LOADED};
  map->has_sections = true; /* nothing registers a loose image, so no wrapper is looked for */
  if (!region_add(&map->regions, whole))
    library_problem(l, CUW_ERROR, "out-of-memory", 0, NULL, "no memory to note the file's range");
}

void raw_fatbin_map(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  map_whole(s, l, map, REGION_CONTAINERS);
}

void raw_ptx_map(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  map_whole(s, l, map, REGION_SCAN);
}

void raw_cubin_read(struct source *s, struct cuw_library *l)
{
  struct view v;
  struct cubin_header h;
  if (source_view(s, 0, CUBIN_HEADER_SIZE, &v) != SOURCE_OK || !cubin_header_decode(v, &h)) {
    library_problem(l, CUW_ERROR, "cubin-header", 0, NULL, "the cubin's header is cut or makes no sense");
    return;
  }
  struct cuw_image *image = library_add_image(l);
  if (!image) {
    library_problem(l, CUW_ERROR, "out-of-memory", 0, NULL, "no memory for the image");
    return;
  }
  image->kind = CUW_KIND_CUBIN;
  image->role = CUW_ROLE_SELF_LOADED;
  image->offset = image->data_offset = 0;
  image->part_offset = CUW_NONE;
  image->stored_size = image->payload_size = image->size = s->size;
  image->debug = -1;
  image->has_arch = true;
  walk_cubin_facts(s, l, image, &h);
}
