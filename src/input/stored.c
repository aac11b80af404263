/* SPDX-License-Identifier: Apache-2.0 */
#include "input/stored.h"

#include <inttypes.h>
#include <stdlib.h>

struct stored_file {
  struct source base;
  struct reader reader;
  uint64_t stored_size;
  uint32_t expected_crc;
  void (*close_input)(void *data);
  struct window window;
  struct input_error error;
};

static enum source_status report(struct stored_file *f, enum source_status status, uint64_t offset)
{
  f->base.error_code = f->error.code;
  f->base.error_text = f->error.text;
  f->base.error_offset = offset;
  return status;
}

static enum source_status missing(struct stored_file *f, uint64_t end)
{
  input_error_set(&f->error, "size-mismatch", "It holds %" PRIu64 " bytes, not %" PRIu64 " as declared.", end,
                  f->base.size);
  return report(f, SOURCE_DAMAGED, end);
}

static enum source_status stored_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  struct stored_file *f = (struct stored_file *)s;
  uint64_t end = s->size < f->stored_size ? s->size : f->stored_size;
  if (offset >= end)
    return missing(f, end);
  size_t there = want > end - offset ? (size_t)(end - offset) : want;
  enum source_status status = window_view(&f->window, &f->reader, end, offset, there, out, &f->error);
  if (status != SOURCE_OK)
    return report(f, status, offset);
  return out->size < want ? missing(f, offset + out->size) : SOURCE_OK;
}

static enum source_status stored_read(struct source *s, uint64_t offset, void *out, size_t size, size_t *got)
{
  struct stored_file *f = (struct stored_file *)s;
  *got = 0;
  if (!range_fits(offset, size, f->stored_size))
    return missing(f, f->stored_size);
  enum source_status status = f->reader.read(f->reader.data, offset, out, size, got, &f->error);
  if (status != SOURCE_OK)
    return report(f, status, offset);
  return *got < size ? missing(f, offset + *got) : SOURCE_OK;
}

static enum source_status stored_finish(struct source *s)
{
  struct stored_file *f = (struct stored_file *)s;
  uint32_t crc = 0;
  for (uint64_t at = 0; at < s->size;) {
    struct view v;
    enum source_status status = source_view(s, at, SOURCE_WINDOW, &v);
    if (status != SOURCE_OK)
      return status;
    crc = inflate_fastest()->crc32(crc, v.data, v.size);
    at += v.size;
  }
  if (f->stored_size > s->size) {
    input_error_set(&f->error, "size-mismatch", "It holds %" PRIu64 " bytes, not %" PRIu64 " as declared.",
                    f->stored_size, s->size);
    return report(f, SOURCE_DAMAGED, s->size);
  }
  if (crc != f->expected_crc) {
    input_error_set(&f->error, "crc-mismatch", "The CRC-32 is %08" PRIx32 ", not %08" PRIx32 " as declared.", crc,
                    f->expected_crc);
    return report(f, SOURCE_DAMAGED, s->size);
  }
  return SOURCE_OK;
}

static void stored_close(struct source *s)
{
  struct stored_file *f = (struct stored_file *)s;
  if (f->close_input)
    f->close_input(f->reader.data);
  window_free(&f->window);
  free(f);
}

static const struct source_ops stored_ops = {
    .view = stored_view, .finish = stored_finish, .close = stored_close, .read = stored_read};

struct source *stored_source(const struct inflate_member *member)
{
  struct stored_file *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->base.ops = &stored_ops;
  f->base.size = member->size;
  f->reader = member->reader;
  f->stored_size = member->compressed_size;
  f->expected_crc = member->crc;
  f->close_input = member->close;
  return &f->base;
}
