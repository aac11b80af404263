/* SPDX-License-Identifier: Apache-2.0 */
/* Members that a second thread decodes ahead, against zlib and against the same members without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "cuwheel/inspect.h"
#include "input/ahead.h"
#include "input/ahead_find.h"
#include "input/ahead_twin.h"
#include "input/inflate.h"

enum kind {
  LETTERS, /* noise of 64 values: hardly any match */
  COPIES,  /* nearly all from about 30 KiB before, so that an unknown window is felt for long */
  MIXED,   /* runs, noise, repeats */
  NOISE,   /* cannot be compressed */
  ZEROS,   /* with a byte of noise now and then: a hundred bytes out of one */
  STREAMS  /* deflate streams of letters, one behind the other: starts of blocks that are none */
};

enum flush { FLUSH_NONE, FLUSH_FULL, FLUSH_SYNC, FLUSH_BLOCK };

struct recipe {
  enum kind kind;
  size_t size;
  int level, strategy, memory;
  enum flush flush;
};

struct sample {
  uint8_t *data, *packed;
  size_t size, packed_size;
};

static uint32_t next_random(uint32_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

static size_t pack(const uint8_t *data, size_t size, uint8_t *out, size_t room, const struct recipe *r)
{
  static const int how[] = {[FLUSH_FULL] = Z_FULL_FLUSH, [FLUSH_SYNC] = Z_SYNC_FLUSH, [FLUSH_BLOCK] = Z_BLOCK};
  z_stream z = {.next_out = out, .avail_out = (unsigned)room};
  assert_int_equal(deflateInit2(&z, r->level, Z_DEFLATED, -15, r->memory, r->strategy), Z_OK);
  uint32_t seed = 77;
  for (size_t at = 0; at < size;) {
    size_t piece = r->flush ? 1 + next_random(&seed) % 60000 : size;
    piece = piece < size - at ? piece : size - at;
    z.next_in = (uint8_t *)(uintptr_t)data + at;
    z.avail_in = (unsigned)piece;
    at += piece;
    assert_int_equal(deflate(&z, at == size ? Z_FINISH : how[r->flush]), at == size ? Z_STREAM_END : Z_OK);
  }
  size_t made = z.total_out;
  deflateEnd(&z);
  return made;
}

static void fill_letters(uint8_t *out, size_t size, uint32_t *seed)
{
  for (size_t i = 0; i < size; i++)
    out[i] = (uint8_t)(' ' + (next_random(seed) >> 7) % 64);
}

static void fill_mixed(uint8_t *out, size_t size, uint32_t *seed)
{
  for (size_t at = 0; at < size;) {
    uint32_t r = next_random(seed);
    size_t length = 16 + (r >> 8) % 6000;
    length = length < size - at ? length : size - at;
    for (size_t i = 0; i < length; i++)
      out[at + i] = r % 4 == 0                 ? (uint8_t)(r >> 24)
                    : r % 4 == 1 && at > 32000 ? out[at + i - 31000]
                                               : (uint8_t)(next_random(seed) & (r % 4 == 2 ? 0xff : 0x0f));
    at += length;
  }
}

static void fill_streams(uint8_t *out, size_t size, uint32_t *seed)
{
  enum { PIECE = 100000 };
  static const struct recipe inner = {.level = 6, .memory = 8};
  uint8_t *letters = malloc(PIECE), *packed = malloc(2 * PIECE);
  for (size_t at = 0; at < size;) {
    fill_letters(letters, PIECE, seed);
    size_t made = pack(letters, PIECE, packed, 2 * PIECE, &inner);
    made = made < size - at ? made : size - at;
    memcpy(out + at, packed, made);
    at += made;
  }
  free(letters);
  free(packed);
}

static void fill(uint8_t *out, size_t size, enum kind kind)
{
  uint32_t seed = 2463534242u;
  if (kind == LETTERS)
    fill_letters(out, size, &seed);
  else if (kind == MIXED)
    fill_mixed(out, size, &seed);
  else if (kind == STREAMS)
    fill_streams(out, size, &seed);
  else
    for (size_t i = 0; i < size; i++) {
      uint32_t r = next_random(&seed);
      bool copied = kind == COPIES && i > 32000 && i / 7 % 8 != 0;
      out[i] = kind == ZEROS ? (r >> 9) % 500 == 0 ? (uint8_t)r : 0
               : copied      ? out[i - 30001 - i / 5000 % 7]
                             : (uint8_t)(r >> 9);
    }
}

static struct sample sample_new(const struct recipe *r)
{
  size_t room = r->size + r->size / 4 + 4096;
  struct sample s = {malloc(r->size), malloc(room), r->size, 0};
  fill(s.data, s.size, r->kind);
  s.packed_size = pack(s.data, s.size, s.packed, room, r);
  return s;
}

static void sample_free(struct sample *s)
{
  free(s->data);
  free(s->packed);
}

static enum source_status memory_read(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                      struct input_error *error)
{
  const struct view *v = data;
  (void)error;
  size_t left = offset < v->size ? v->size - (size_t)offset : 0;
  *got = size < left ? size : left;
  memcpy(out, v->data + (offset < v->size ? offset : 0), *got);
  return SOURCE_OK;
}

/* What a stream gives: its last status and its output, up to `room` bytes. */
struct outcome {
  enum stream_status status;
  uint8_t *data;
  size_t size;
  unsigned taken;
};

/* So that what is found does not depend on which thread is the faster. */
static void let_it_search(const struct ahead *a)
{
  for (unsigned i = 0; ahead_is_searching(a) && i < 100000; i++)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static struct outcome run(struct view packed, size_t room, bool ahead)
{
  struct inflate_stream st;
  struct stream_input input = {{memory_read, &packed}, packed.size};
  struct input_error error = {0};
  atomic_uint spare = 1;
  struct outcome o = {.data = malloc(room + 1)};
  inflate_stream_init(&st, inflate_isal(), ((size_t)1 << 20) + SOURCE_WINDOW);
  assert_true(inflate_stream_start(&st));
  struct ahead *a = ahead ? ahead_new(inflate_isal(), &input, &spare) : NULL;
  assert_int_equal(a != NULL, ahead);
  while (o.status == STREAM_OK && o.size < room) {
    size_t want = room - o.size < 100000 ? room - o.size : 100000;
    o.status = a ? ahead_step(a, &st, o.size, want, &error) : inflate_stream_step(&st, &input, o.size, want, &error);
    size_t made = (size_t)(inflate_stream_end(&st) - o.size);
    memcpy(o.data + o.size, st.out + st.filled - made, made);
    o.size += made;
    if (a)
      let_it_search(a);
  }
  o.taken = a ? ahead_taken(a) : 0;
  ahead_free(a);
  assert_int_equal(spare, 1);
  inflate_stream_free(&st);
  return o;
}

static void check_sample(const struct recipe *r, bool gains)
{
  struct sample s = sample_new(r);
  struct outcome o = run((struct view){s.packed, s.packed_size}, s.size, true);
  assert_true(o.status == STREAM_OK || o.status == STREAM_ENDED);
  assert_int_equal(o.size, s.size);
  assert_memory_equal(o.data, s.data, s.size);
  if (gains)
    assert_true(o.taken > 0);
  free(o.data);
  sample_free(&s);
}

/* zlib cannot begin amid a stream: then the library has to say so, and there is no more to test. */
static bool decodes_ahead(void)
{
  assert_true(cuw_can_decode_ahead() == (inflate_isal() != NULL));
  return inflate_isal() != NULL;
}

static void levels(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  for (int level = 1; level <= 9; level++) {
    check_sample(&(struct recipe){LETTERS, 2 << 20, level, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, true);
    check_sample(&(struct recipe){MIXED, 4 << 20, level, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, true);
  }
}

static void long_lived_windows(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  for (int level = 1; level <= 9; level += 4)
    check_sample(&(struct recipe){COPIES, 6 << 20, level, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, true);
}

static void strategies(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  check_sample(&(struct recipe){MIXED, 4 << 20, 6, Z_RLE, 8, FLUSH_NONE}, true);
  check_sample(&(struct recipe){MIXED, 4 << 20, 6, Z_HUFFMAN_ONLY, 8, FLUSH_NONE}, true);
  check_sample(&(struct recipe){MIXED, 4 << 20, 6, Z_FILTERED, 8, FLUSH_NONE}, true);
  check_sample(&(struct recipe){LETTERS, 2 << 20, 6, Z_FIXED, 8, FLUSH_NONE}, false);
  check_sample(&(struct recipe){NOISE, 2 << 20, 6, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, true);
  check_sample(&(struct recipe){MIXED, 4 << 20, 0, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, true);
  check_sample(&(struct recipe){ZEROS, 48 << 20, 6, Z_DEFAULT_STRATEGY, 9, FLUSH_NONE}, true);
}

static void flushes_and_sizes(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  for (int memory = 1; memory <= 9; memory += 4)
    for (enum flush flush = FLUSH_NONE; flush <= FLUSH_BLOCK; flush++)
      check_sample(&(struct recipe){MIXED, 3 << 20, 5, Z_DEFAULT_STRATEGY, memory, flush}, true);
  check_sample(&(struct recipe){LETTERS, 2 << 20, 5, Z_FIXED, 1, FLUSH_FULL}, true);
}

/* Blocks within blocks: what looks like a start is none. */
static void false_starts(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  for (size_t size = 3000001; size < 3500000; size += 100003) {
    check_sample(&(struct recipe){STREAMS, size, 0, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, false);
    check_sample(&(struct recipe){STREAMS, size, 0, Z_DEFAULT_STRATEGY, 8, FLUSH_BLOCK}, false);
    check_sample(&(struct recipe){STREAMS, size, 6, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE}, false);
  }
}

/* It stops for the same reason with and without a thread ahead; what zlib gives before a fault, it gives too. (Behind
 * that place ISA-L may give some bytes of no meaning.) Parts that were taken over. */
static unsigned check_same(struct view packed, size_t room)
{
  uint8_t *right = malloc(room);
  z_stream z = {.next_in = (uint8_t *)(uintptr_t)packed.data, .next_out = right};
  z.avail_in = (unsigned)packed.size;
  z.avail_out = (unsigned)room;
  assert_int_equal(inflateInit2(&z, -15), Z_OK);
  inflate(&z, Z_FINISH);
  struct outcome plain = run(packed, room, false), ahead = run(packed, room, true);
  assert_int_equal(ahead.status == STREAM_OK, plain.status == STREAM_OK);
  if (plain.status != STREAM_OK)
    assert_int_equal(ahead.status, plain.status);
  assert_memory_equal(ahead.data, right, z.total_out < ahead.size ? z.total_out : ahead.size);
  unsigned taken = ahead.taken;
  inflateEnd(&z);
  free(right);
  free(plain.data);
  free(ahead.data);
  return taken;
}

static void damage(void **state)
{
  (void)state;
  if (!decodes_ahead())
    return;
  static const enum kind kinds[] = {LETTERS, COPIES, MIXED, NOISE};
  uint32_t seed = 4711;
  unsigned taken = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    struct sample s = sample_new(&(struct recipe){kinds[k], 1 << 20, 6, Z_DEFAULT_STRATEGY, 8, FLUSH_SYNC});
    for (unsigned i = 0; i < 40; i++) {
      size_t at = next_random(&seed) % s.packed_size;
      uint8_t was = s.packed[at];
      s.packed[at] ^= (uint8_t)(1u << next_random(&seed) % 8);
      taken += check_same((struct view){s.packed, s.packed_size}, s.size + 5000);
      s.packed[at] = was;
      taken += check_same((struct view){s.packed, at}, s.size);
    }
    sample_free(&s);
  }
  assert_true(taken > 20);
}

/* Where zlib says that blocks start, the search finds a start at that very bit. */
static void finds_blocks(void **state)
{
  (void)state;
  struct block_finder *f = malloc(sizeof *f);
  block_finder_init(f);
  for (int level = 0; level <= 9; level += 3) {
    struct sample s = sample_new(&(struct recipe){MIXED, 2 << 20, level, Z_DEFAULT_STRATEGY, 6, FLUSH_SYNC});
    uint8_t *out = malloc(s.size);
    z_stream z = {.next_in = s.packed, .avail_in = (unsigned)s.packed_size, .next_out = out};
    z.avail_out = (unsigned)s.size;
    unsigned dynamic = 0, stored = 0;
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    while (inflate(&z, Z_BLOCK) == Z_OK) {
      uint64_t bit = z.total_in * 8 - (z.data_type & 7);
      if (!(z.data_type & 128) || bit / 8 + 20 > s.packed_size)
        continue;
      unsigned head = (s.packed[bit / 8] | (unsigned)s.packed[bit / 8 + 1] << 8) >> bit % 8 & 7;
      struct block_start start = {0, false};
      bool found = block_find(f, (struct view){s.packed, s.packed_size}, bit, s.packed_size, &start);
      if (head == 4) {
        assert_true(found);
        assert_false(start.stored);
        assert_int_equal(start.bit, bit);
        dynamic++;
      } else if (head == 0) {
        uint64_t last = (bit + 3 + 7) / 8 * 8 - 3;
        assert_true(found);
        assert_true(start.bit == last || !start.stored);
        stored++;
      }
    }
    inflateEnd(&z);
    assert_true(stored > 10);
    assert_true(level == 0 || dynamic > 10);
    free(out);
    sample_free(&s);
  }
  free(f);
}

/* No byte before or behind the view is touched, whatever it holds. */
static void search_is_bounded(void **state)
{
  (void)state;
  struct block_finder *f = malloc(sizeof *f);
  block_finder_init(f);
  uint32_t seed = 99;
  for (size_t size = 0; size < 400; size++) {
    uint8_t *exact = malloc(size + 1);
    for (unsigned i = 0; i < 30; i++) {
      for (size_t k = 0; k < size; k++)
        exact[k] = i % 3 == 0 ? 0x24 : (uint8_t)next_random(&seed);
      uint8_t *copy = malloc(size ? size : 1);
      memcpy(copy, exact, size);
      struct block_start start;
      for (uint64_t bit = 0; block_find(f, (struct view){copy, size}, bit, SIZE_MAX, &start); bit = start.bit + 1)
        assert_true(start.bit >= bit && start.bit < size * 8);
      free(copy);
    }
    free(exact);
  }
  free(f);
}

static void twins_tell_every_byte(void **state)
{
  (void)state;
  uint8_t *first = malloc(INFLATE_HISTORY), *second = malloc(INFLATE_HISTORY), *window = malloc(INFLATE_HISTORY);
  uint32_t seed = 5;
  twin_windows(first, second);
  for (size_t i = 0; i < INFLATE_HISTORY; i++) {
    assert_int_not_equal(first[i], second[i]);
    window[i] = (uint8_t)next_random(&seed);
  }
  for (size_t i = 100; i < 200; i++)
    first[i] = second[i] = (uint8_t)i;
  uint8_t *out = malloc(INFLATE_HISTORY);
  twin_resolve(out, first, second, INFLATE_HISTORY - 3, window);
  for (size_t i = 0; i < INFLATE_HISTORY - 3; i++)
    assert_int_equal(out[i], i >= 100 && i < 200 ? i : window[i]);
  free(first);
  free(second);
  free(window);
  free(out);
}

/* A member of a size that is decoded ahead. */
struct large {
  struct sample sample;
  struct view packed;
  atomic_uint spare;
  uint64_t fails_at; /* UINT64_MAX: never */
  unsigned closed;
};

static enum source_status large_read(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                     struct input_error *error)
{
  struct large *l = data;
  *got = 0;
  if (offset + size > l->fails_at) {
    input_error_set(error, "read-failed", "Reading failed.");
    return SOURCE_IO;
  }
  return memory_read(&l->packed, offset, out, size, got, error);
}

static void large_close(void *data)
{
  ((struct large *)data)->closed++;
}

static int set_up(void **state)
{
  struct large *l = calloc(1, sizeof *l);
  l->sample = sample_new(&(struct recipe){MIXED, 24 << 20, 4, Z_DEFAULT_STRATEGY, 8, FLUSH_NONE});
  assert_true(l->sample.packed_size >= AHEAD_MEMBER_LEAST);
  *state = l;
  return 0;
}

static int tear_down(void **state)
{
  struct large *l = *state;
  sample_free(&l->sample);
  free(l);
  return 0;
}

static struct source *open_large(struct large *l, struct inflate_workspace *w, int64_t more, uint32_t crc_change)
{
  const struct sample *s = &l->sample;
  l->packed = (struct view){s->packed, s->packed_size};
  l->fails_at = UINT64_MAX;
  l->closed = 0;
  l->spare = 1;
  struct inflate_member m = {.reader = {large_read, l},
                             .compressed_size = s->packed_size,
                             .size = s->size + (uint64_t)more,
                             .crc = (uint32_t)crc32_z(0, s->data, s->size) ^ crc_change,
                             .close = large_close,
                             .is_shared = true};
  inflate_workspace_set_spare(w, &l->spare);
  return inflate_source(&m, w);
}

static void close_large(struct large *l, struct source *s)
{
  source_close(s);
  assert_int_equal(l->spare, 1);
  assert_int_equal(l->closed, 1);
}

static void check_view(struct source *s, const struct sample *a, uint64_t offset, size_t want)
{
  struct view v;
  assert_int_equal(source_view(s, offset, want, &v), SOURCE_OK);
  assert_int_equal(v.size, want < a->size - offset ? want : a->size - offset);
  assert_memory_equal(v.data, a->data + offset, v.size);
}

static void members(void **state)
{
  struct large *l = *state;
  struct inflate_workspace *w = inflate_workspace_new(NULL);
  for (unsigned round = 0; round < 2; round++) {
    struct source *s = open_large(l, w, 0, 0);
    for (uint64_t at = 0; at < l->sample.size; at += 300001)
      check_view(s, &l->sample, at, 60000);
    uint32_t seed = 12;
    for (unsigned i = 0; i < 40; i++)
      check_view(s, &l->sample, next_random(&seed) % l->sample.size, 5000);
    assert_int_equal(source_finish(s), SOURCE_OK);
    assert_int_equal(l->spare, 1);
    for (unsigned i = 0; i < 40; i++)
      check_view(s, &l->sample, next_random(&seed) % l->sample.size, 200000);
    close_large(l, s);
  }
  inflate_workspace_free(w);
}

/* Going back while the thread is at work, and closing then. */
static void back_and_forth(void **state)
{
  struct large *l = *state;
  struct inflate_workspace *w = inflate_workspace_new(NULL);
  inflate_workspace_set_spacing(w, 100000);
  for (size_t end = 1 << 20; end < l->sample.size; end += 3 << 20) {
    struct source *s = open_large(l, w, 0, 0);
    uint32_t seed = 3;
    for (size_t at = 0; at < end; at += 1 << 19) {
      check_view(s, &l->sample, at, 100000);
      check_view(s, &l->sample, next_random(&seed) % (at + 1), 30000);
    }
    close_large(l, s);
  }
  inflate_workspace_free(w);
}

static void wrong_declarations(void **state)
{
  static const struct {
    int64_t more;
    uint32_t crc_change;
    const char *code;
  } cases[] = {{0, 1, "crc-mismatch"},
               {100000, 0, "size-mismatch"},
               {-1, 0, "size-mismatch"},
               {-5000000, 0, "size-mismatch"},
               {-10000000, 0, "size-mismatch"}};
  struct large *l = *state;
  struct inflate_workspace *w = inflate_workspace_new(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct source *s = open_large(l, w, cases[i].more, cases[i].crc_change);
    assert_int_equal(source_finish(s), SOURCE_DAMAGED);
    assert_string_equal(s->error_code, cases[i].code);
    assert_int_equal(l->spare, 1);
    check_view(s, &l->sample, 1000000, 5000);
    close_large(l, s);
  }
  inflate_workspace_free(w);
}

static void failing_reader(void **state)
{
  struct large *l = *state;
  struct inflate_workspace *w = inflate_workspace_new(NULL);
  for (uint64_t at = 1 << 20; at < l->sample.packed_size; at += 2 << 20) {
    struct source *s = open_large(l, w, 0, 0);
    l->fails_at = at;
    assert_int_equal(source_finish(s), SOURCE_IO);
    assert_string_equal(s->error_code, "read-failed");
    assert_int_equal(l->spare, 1);
    close_large(l, s);
  }
  inflate_workspace_free(w);
}

static void needs_a_spare_thread(void **state)
{
  struct large *l = *state;
  struct stream_input input = {{memory_read, &l->packed}, l->packed.size};
  atomic_uint none = 0, one = 1;
  assert_null(ahead_new(inflate_zlib(), &input, &one));
  assert_int_equal(one, 1);
  if (!inflate_isal())
    return;
  assert_null(ahead_new(inflate_isal(), &input, &none));
  struct ahead *a = ahead_new(inflate_isal(), &input, &one);
  assert_non_null(a);
  assert_int_equal(one, 0);
  ahead_free(a);
  assert_int_equal(one, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels),
      cmocka_unit_test(long_lived_windows),
      cmocka_unit_test(strategies),
      cmocka_unit_test(flushes_and_sizes),
      cmocka_unit_test(false_starts),
      cmocka_unit_test(damage),
      cmocka_unit_test(finds_blocks),
      cmocka_unit_test(search_is_bounded),
      cmocka_unit_test(twins_tell_every_byte),
      cmocka_unit_test(members),
      cmocka_unit_test(back_and_forth),
      cmocka_unit_test(wrong_declarations),
      cmocka_unit_test(failing_reader),
      cmocka_unit_test(needs_a_spare_thread),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
