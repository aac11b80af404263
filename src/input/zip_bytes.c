/* SPDX-License-Identifier: Apache-2.0 */
#include "input/zip_bytes.h"

#include <string.h>

#include <errno.h>
#include <stdlib.h>

static zip_int64_t bytes_failed(struct zip_bytes *b, int code)
{
  zip_error_set(&b->error, code, EIO);
  return -1;
}

/* libzip asks for the directory field by field; what is small comes from the source's own buffer. */
#define SMALL_READ ((size_t)1 << 12)

static bool read_bytes(struct zip_bytes *b, void *out, size_t size)
{
  struct view v;
  if (size > SMALL_READ)
    return source_read(b->source, b->at, out, size) == SOURCE_OK;
  if (source_view(b->source, b->at, size, &v) != SOURCE_OK || v.size < size)
    return false;
  memcpy(out, v.data, size);
  return true;
}

static zip_int64_t bytes_read(struct zip_bytes *b, void *out, zip_uint64_t size)
{
  uint64_t left = b->at < b->source->size ? b->source->size - b->at : 0;
  if (size > left)
    size = left;
  if (size == 0)
    return 0;
  if (!read_bytes(b, out, (size_t)size))
    return bytes_failed(b, ZIP_ER_READ);
  b->at += size;
  return (zip_int64_t)size;
}

static zip_int64_t bytes_seek(struct zip_bytes *b, void *args, zip_uint64_t length)
{
  zip_int64_t to = zip_source_seek_compute_offset(b->at, b->source->size, args, length, &b->error);
  if (to < 0)
    return -1;
  b->at = (uint64_t)to;
  return 0;
}

static zip_int64_t bytes_stat(struct zip_bytes *b, void *out, zip_uint64_t length)
{
  if (length < sizeof(zip_stat_t))
    return bytes_failed(b, ZIP_ER_INVAL);
  zip_stat_t *st = out;
  zip_stat_init(st);
  st->valid = ZIP_STAT_SIZE;
  st->size = b->source->size;
  return (zip_int64_t)sizeof *st;
}

static zip_int64_t bytes_command(void *state, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
  struct zip_bytes *b = state;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    b->at = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return bytes_read(b, data, length);
  case ZIP_SOURCE_SEEK:
    return bytes_seek(b, data, length);
  case ZIP_SOURCE_TELL:
    return (zip_int64_t)b->at;
  case ZIP_SOURCE_STAT:
    return bytes_stat(b, data, length);
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&b->error, data, length);
  case ZIP_SOURCE_CLOSE:
  case ZIP_SOURCE_FREE:
  case ZIP_SOURCE_ACCEPT_EMPTY:
    return 0;
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                          ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_ACCEPT_EMPTY, -1);
  default:
    return bytes_failed(b, ZIP_ER_OPNOTSUPP);
  }
}

zip_source_t *zip_bytes_source(struct zip_bytes *b, struct source *s)
{
  b->source = s;
  b->at = 0;
  zip_error_init(&b->error);
  return zip_source_function_create(bytes_command, b, NULL);
}
