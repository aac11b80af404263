/* SPDX-License-Identifier: Apache-2.0 */
#include "input/source.h"

#include <stdlib.h>
#include <string.h>

enum source_status source_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  *out = (struct view){NULL, 0};
  if (offset >= s->size)
    return SOURCE_END;
  if (want > SOURCE_WINDOW)
    want = SOURCE_WINDOW;
  if (want > s->size - offset)
    want = (size_t)(s->size - offset);
  return s->ops->view(s, offset, want, out);
}

static enum source_status read_by_views(struct source *s, uint64_t offset, uint8_t *out, size_t length)
{
  while (length > 0) {
    struct view v;
    enum source_status status = source_view(s, offset, length < SOURCE_WINDOW ? length : SOURCE_WINDOW, &v);
    if (status != SOURCE_OK)
      return status;
    if (v.size == 0)
      return SOURCE_END;
    memcpy(out, v.data, v.size);
    out += v.size;
    offset += v.size;
    length -= v.size;
  }
  return SOURCE_OK;
}

enum source_status source_read(struct source *s, uint64_t offset, void *out, size_t length)
{
  if (!range_fits(offset, length, s->size))
    return SOURCE_END;
  if (!s->ops->read)
    return read_by_views(s, offset, out, length);
  size_t got = 0;
  enum source_status status = s->ops->read(s, offset, out, length, &got);
  if (status == SOURCE_OK && got < length)
    return SOURCE_END;
  return status;
}

enum source_status source_finish(struct source *s)
{
  return s->ops->finish(s);
}

void source_close(struct source *s)
{
  if (s)
    s->ops->close(s);
}

static enum source_status finish_nothing(struct source *s)
{
  (void)s;
  return SOURCE_OK;
}

static void close_plain(struct source *s)
{
  free(s);
}

struct part_source {
  struct source base;
  struct source *parent;
  uint64_t begin;
};

static enum source_status part_status(struct part_source *p, enum source_status status)
{
  if (status == SOURCE_OK || status == SOURCE_END)
    return status;
  p->base.error_code = p->parent->error_code;
  p->base.error_text = p->parent->error_text;
  uint64_t at = p->parent->error_offset;
  p->base.error_offset = at > p->begin ? at - p->begin : 0;
  return status;
}

static enum source_status part_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  struct part_source *p = (struct part_source *)s;
  return part_status(p, source_view(p->parent, p->begin + offset, want, out));
}

static enum source_status part_read(struct source *s, uint64_t offset, void *out, size_t size, size_t *got)
{
  struct part_source *p = (struct part_source *)s;
  enum source_status status = source_read(p->parent, p->begin + offset, out, size);
  *got = status == SOURCE_OK ? size : 0;
  return part_status(p, status);
}

static const struct source_ops part_ops = {
    .view = part_view, .finish = finish_nothing, .close = close_plain, .read = part_read};

struct source *source_part(struct source *parent, uint64_t offset, uint64_t size)
{
  if (!range_fits(offset, size, parent->size))
    return NULL;
  struct part_source *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->base.ops = &part_ops;
  p->base.size = size;
  p->base.forward_is_cheap = parent->forward_is_cheap;
  p->parent = parent;
  p->begin = offset;
  return &p->base;
}

struct memory_source {
  struct source base;
  const uint8_t *data;
};

static enum source_status memory_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  const struct memory_source *m = (struct memory_source *)s;
  *out = (struct view){m->data + offset, want};
  return SOURCE_OK;
}

static const struct source_ops memory_ops = {.view = memory_view, .finish = finish_nothing, .close = close_plain};

struct source *source_memory(const void *data, size_t size)
{
  struct memory_source *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  m->base.ops = &memory_ops;
  m->base.size = size;
  m->data = data;
  return &m->base;
}
