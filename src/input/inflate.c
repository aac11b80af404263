/* SPDX-License-Identifier: Apache-2.0 */
#include "input/inflate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "input/ahead.h"
#include "input/inflate_workspace.h"

/* Output of one step: small at first, for members of which only the head is wanted. */
#define PIECE_FIRST ((size_t)8 << 10)
#define PIECE_MAX ((size_t)256 << 10)
#define REWIND_PIECE ((size_t)64 << 10)

enum pass { PASS_RUNNING, PASS_ENDED, PASS_FAILED };

struct inflate_file {
  struct source base;
  struct stream_input input;
  struct inflate_workspace *work;
  atomic_uint *spare; /* NULL: it is not decoded ahead */
  struct ahead *ahead;
  bool own_work;
  void (*close_input)(void *data);
  uint32_t expected_crc, crc;
  size_t piece;
  enum pass pass;
  enum source_status failure;       /* of the forward pass */
  struct input_error error, failed; /* of the last call, of the forward pass */
  uint64_t failed_offset;
};

static enum source_status report(struct inflate_file *f, enum source_status status, uint64_t offset)
{
  f->base.error_code = f->error.code;
  f->base.error_text = f->error.text;
  f->base.error_offset = offset;
  return status;
}

/* Says what a stream's status means at `offset`; the reader's own error is kept. */
static enum source_status describe(struct inflate_file *f, enum stream_status status, uint64_t offset)
{
  switch (status) {
  case STREAM_BROKEN:
    input_error_set(&f->error, "stream-damaged", "The compressed data is damaged behind byte %" PRIu64 ".", offset);
    return SOURCE_DAMAGED;
  case STREAM_CUT:
    input_error_set(&f->error, "stream-damaged", "The compressed data ends early, behind byte %" PRIu64 ".", offset);
    return SOURCE_DAMAGED;
  case STREAM_ENDED:
    input_error_set(&f->error, "size-mismatch", "It holds %" PRIu64 " bytes, not %" PRIu64 " as declared.", offset,
                    f->base.size);
    return SOURCE_DAMAGED;
  case STREAM_MEMORY:
    input_error_set(&f->error, "out-of-memory", "There is no memory to inflate it.");
    return SOURCE_MEMORY;
  default:
    return SOURCE_IO;
  }
}

static enum source_status fail_at(struct inflate_file *f, enum source_status status, uint64_t offset)
{
  f->pass = PASS_FAILED;
  f->failure = status;
  f->failed = f->error;
  f->failed_offset = offset;
  return report(f, status, offset);
}

static enum source_status failed_before(struct inflate_file *f)
{
  f->error = f->failed;
  return report(f, f->failure, f->failed_offset);
}

static void end_ahead(struct inflate_file *f)
{
  ahead_free(f->ahead);
  f->ahead = NULL;
  f->work->forward.stop = UINT64_MAX;
}

/* A step of the forward pass, by itself or with a thread that decodes ahead of it. */
static enum stream_status forward_step(struct inflate_file *f, uint64_t keep, size_t want)
{
  struct inflate_stream *st = &f->work->forward;
  if (f->ahead && ahead_is_useless(f->ahead) && !ahead_is_giving(f->ahead)) {
    end_ahead(f);
    f->spare = NULL;
  }
  if (f->spare && !f->ahead && f->input.size - inflate_stream_in_offset(st) >= AHEAD_MEMBER_LEAST / 2)
    f->ahead = ahead_new(st->backend, &f->input, f->spare);
  return f->ahead ? ahead_step(f->ahead, st, keep, want, &f->error)
                  : inflate_stream_step(st, &f->input, keep, want, &f->error);
}

/* One more piece of the forward pass; bytes from `keep` on stay in the buffer. */
static void forward_piece(struct inflate_file *f, uint64_t keep, uint64_t target)
{
  struct inflate_stream *st = &f->work->forward;
  uint64_t at = inflate_stream_end(st), left = f->base.size - at, wanted = target - at;
  size_t piece = wanted > f->piece ? (wanted < PIECE_MAX ? (size_t)wanted : PIECE_MAX) : f->piece;
  if (piece > left)
    piece = (size_t)left;
  if (f->piece < PIECE_MAX)
    f->piece *= 2;
  enum stream_status status = forward_step(f, keep, piece);
  uint64_t end = inflate_stream_end(st);
  size_t made = (size_t)(end - at);
  f->crc = f->work->backend->crc32(f->crc, st->out + st->filled - made, made);
  bool giving = ahead_is_giving(f->ahead);
  if (status != STREAM_OK || (end == f->base.size && !giving))
    end_ahead(f);
  if (status == STREAM_OK) {
    if (!giving)
      workspace_note(f->work);
  } else if (status == STREAM_ENDED && end == f->base.size) {
    f->pass = PASS_ENDED;
  } else {
    fail_at(f, describe(f, status, end), end);
  }
}

/* Runs the forward pass until `target` bytes exist, those from `keep` on in the buffer. A fault that shows behind them
 * is kept for later. */
static enum source_status forward_to(struct inflate_file *f, uint64_t keep, uint64_t target)
{
  while (inflate_stream_end(&f->work->forward) < target) {
    if (f->pass == PASS_FAILED)
      return failed_before(f);
    forward_piece(f, keep, target);
  }
  return SOURCE_OK;
}

/* What of [offset, offset + want) the stream's buffer holds. */
static struct view buffered(const struct inflate_stream *st, uint64_t offset, size_t want)
{
  uint64_t end = inflate_stream_end(st);
  if (offset < st->begin || offset >= end)
    return (struct view){NULL, 0};
  size_t have = (size_t)(end - offset);
  return (struct view){st->out + (offset - st->begin), have < want ? have : want};
}

static enum source_status rewind_view(struct inflate_file *f, uint64_t offset, size_t want, struct view *out)
{
  struct inflate_stream *st = &f->work->rewind;
  if (!workspace_rewind(f->work, offset))
    return report(f, describe(f, STREAM_MEMORY, offset), offset);
  for (;;) {
    uint64_t at = inflate_stream_end(st), target = offset + want;
    if (at >= target)
      break;
    size_t piece = target - at > REWIND_PIECE ? SOURCE_WINDOW : REWIND_PIECE;
    if (piece > f->base.size - at)
      piece = (size_t)(f->base.size - at);
    enum stream_status status = inflate_stream_step(st, &f->input, offset, piece, &f->error);
    if (status == STREAM_OK || inflate_stream_end(st) >= target)
      continue;
    uint64_t end = inflate_stream_end(st);
    *out = buffered(st, offset, want);
    enum source_status result = report(f, describe(f, status, end), end);
    st->filled = 0;
    return result;
  }
  *out = buffered(st, offset, want);
  return SOURCE_OK;
}

static enum source_status inflate_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  struct inflate_file *f = (struct inflate_file *)s;
  struct inflate_stream *st = &f->work->forward;
  if (offset < st->begin)
    return rewind_view(f, offset, want, out);
  enum source_status status = forward_to(f, offset, offset + want);
  *out = buffered(st, offset, want);
  return status;
}

/* All declared bytes have come: the stream must end here, with nothing behind it. */
static enum source_status check_end(struct inflate_file *f)
{
  if (f->pass == PASS_FAILED)
    return failed_before(f);
  if (f->input.size == 0 && f->base.size == 0)
    f->pass = PASS_ENDED; /* an empty file without even an empty block: written by some tools */
  if (f->pass == PASS_RUNNING) {
    bool more = ahead_is_giving(f->ahead);
    end_ahead(f);
    enum stream_status status = more ? STREAM_OK : inflate_stream_probe(&f->work->forward, &f->input, &f->error);
    if (status == STREAM_OK) {
      input_error_set(&f->error, "size-mismatch", "It holds more than the %" PRIu64 " bytes declared.", f->base.size);
      return fail_at(f, SOURCE_DAMAGED, f->base.size);
    }
    if (status != STREAM_ENDED)
      return fail_at(f, describe(f, status, f->base.size), f->base.size);
    f->pass = PASS_ENDED;
  }
  const struct inflate_stream *st = &f->work->forward;
  uint64_t behind = f->input.size - inflate_stream_in_offset(st) + f->work->backend->unused(st->state);
  if (behind > 0) {
    input_error_set(&f->error, "size-mismatch", "%" PRIu64 " bytes follow the end of the compressed data.", behind);
    return fail_at(f, SOURCE_DAMAGED, f->base.size);
  }
  if (f->crc != f->expected_crc) {
    input_error_set(&f->error, "crc-mismatch", "The CRC-32 is %08" PRIx32 ", not %08" PRIx32 " as declared.", f->crc,
                    f->expected_crc);
    return fail_at(f, SOURCE_DAMAGED, f->base.size);
  }
  return SOURCE_OK;
}

static enum source_status inflate_finish(struct source *s)
{
  struct inflate_file *f = (struct inflate_file *)s;
  enum source_status status = forward_to(f, s->size, s->size);
  return status == SOURCE_OK ? check_end(f) : status;
}

static void inflate_close(struct source *s)
{
  struct inflate_file *f = (struct inflate_file *)s;
  end_ahead(f);
  if (f->close_input)
    f->close_input(f->input.reader.data);
  f->work->busy = false;
  atomic_store_explicit(&f->work->position, 0, memory_order_relaxed);
  if (f->own_work)
    inflate_workspace_free(f->work);
  free(f);
}

static const struct source_ops inflate_ops = {.view = inflate_view, .finish = inflate_finish, .close = inflate_close};

struct source *inflate_source(const struct inflate_member *member, struct inflate_workspace *workspace)
{
  struct inflate_file *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->own_work = !workspace || workspace->busy;
  f->work = f->own_work ? inflate_workspace_new(workspace ? workspace->backend : NULL) : workspace;
  if (!f->work || !workspace_begin(f->work)) {
    if (f->own_work)
      inflate_workspace_free(f->work);
    free(f);
    return NULL;
  }
  f->work->busy = true;
  f->base.ops = &inflate_ops;
  f->base.size = member->size;
  f->base.forward_is_cheap = true;
  f->input = (struct stream_input){member->reader, member->compressed_size};
  if (workspace && member->is_shared && member->compressed_size >= AHEAD_MEMBER_LEAST)
    f->spare = workspace->spare;
  f->close_input = member->close;
  f->expected_crc = member->crc;
  f->piece = PIECE_FIRST;
  return &f->base;
}
