/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin.h"
#include "image/kernels.h"
#include "image/ptx.h"
#include "live/trial.h"
#include "model/builder.h"

#define PIECE ((size_t)1 << 20)
#define NAMES_MAX 4096u
#define NAME_BYTES_MAX ((size_t)1 << 20)

/* Memory follows bytes that come. */
static bool put_range(struct source *s, uint64_t offset, uint64_t size, struct wire *out)
{
  size_t opened = wire_open(out, WIRE_IMAGE);
  while (size > 0) {
    size_t piece = size < PIECE ? (size_t)size : PIECE;
    uint8_t *at = wire_extend(out, piece);
    if (!at || source_read(s, offset, at, piece) != SOURCE_OK)
      return false;
    offset += piece;
    size -= piece;
  }
  wire_close(out, opened);
  return !out->failed;
}

bool put_container(struct visit *v, uint32_t fatbin, struct wire *out)
{
  uint64_t offset = library_fatbin_offset(v->library, fatbin);
  struct view head;
  struct fatbin_header h;
  if (offset == CUW_NONE || source_view(v->source, offset, FATBIN_HEADER_SIZE, &head) != SOURCE_OK ||
      !fatbin_header_decode(head, &h))
    return false;
  if (h.size > trial_image_max(v->probe) || !range_fits(offset, FATBIN_HEADER_SIZE + h.size, v->source->size))
    return false;
  return put_range(v->source, offset, FATBIN_HEADER_SIZE + h.size, out);
}

bool put_image(struct visit *v, size_t image, struct wire *out)
{
  struct view bytes;
  if (image_open(v->source, &v->library->images[image], trial_image_max(v->probe), &v->buffers, &bytes) !=
      IMAGE_OPEN_OK)
    return false;
  wire_put(out, WIRE_IMAGE, bytes.data, bytes.size);
  return !out->failed;
}

struct names {
  struct wire *out;
  uint64_t count;
  size_t bytes;
};

static bool take_name(void *data, struct view name)
{
  struct names *n = data;
  if (!name.data || name.size > NAME_BYTES_MAX - n->bytes)
    return true;
  wire_put(n->out, WIRE_NAME, name.data, name.size);
  n->bytes += name.size;
  return ++n->count < NAMES_MAX;
}

/* A local symbol is not for others to find, though a driver may let them. */
static bool take_kernel(void *data, const struct kernel *k)
{
  return k->local || take_name(data, k->name);
}

uint64_t put_names(struct visit *v, size_t image, struct wire *out)
{
  const struct cuw_image *record = &v->library->images[image];
  struct names n = {.out = out};
  struct view bytes;
  const char *damage;
  if (image_open(v->source, record, trial_image_max(v->probe), &v->buffers, &bytes) != IMAGE_OPEN_OK)
    return 0;
  if (record->kind == CUW_KIND_CUBIN)
    kernels_read(bytes, take_kernel, &n, &damage);
  else if (record->kind == CUW_KIND_PTX)
    ptx_entries(bytes, take_name, &n);
  return n.count;
}
