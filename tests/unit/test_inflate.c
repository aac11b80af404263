/* SPDX-License-Identifier: Apache-2.0 */
/* Deflated and stored members, by every inflater that was built in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "input/inflate.h"
#include "input/inflate_backend.h"
#include "input/stored.h"

#define DATA_SIZE ((size_t)24 << 20)

/* Bytes and their deflate stream, made once. */
struct sample {
  uint8_t *data, *packed;
  size_t size, packed_size;
  uint32_t crc;
};

static uint32_t next_random(uint32_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

/* Runs of equal bytes, noise and far repeats, so that blocks of every type come out. */
static void fill(uint8_t *out, size_t size)
{
  uint32_t seed = 2463534242u;
  for (size_t at = 0; at < size;) {
    uint32_t r = next_random(&seed);
    size_t length = 16 + (r >> 8) % 6000;
    if (length > size - at)
      length = size - at;
    if (r % 4 == 0)
      memset(out + at, (int)(r >> 24), length);
    else if (r % 4 == 1 && at > 32000)
      for (size_t i = 0; i < length; i++)
        out[at + i] = out[at + i - 31000];
    else
      for (size_t i = 0; i < length; i++)
        out[at + i] = (uint8_t)(next_random(&seed) & (r % 4 == 2 ? 0xff : 0x0f));
    at += length;
  }
}

static struct sample sample_new(size_t size)
{
  struct sample s = {malloc(size + 1), malloc(compressBound(size) + 16), size, 0, 0};
  assert_non_null(s.data);
  assert_non_null(s.packed);
  fill(s.data, size);
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = s.data;
  z.avail_in = (unsigned)size;
  z.next_out = s.packed;
  z.avail_out = (unsigned)compressBound(size) + 16;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  s.packed_size = z.total_out;
  deflateEnd(&z);
  s.crc = (uint32_t)crc32_z(0, s.data, size);
  return s;
}

static void sample_free(struct sample *s)
{
  free(s->data);
  free(s->packed);
}

static int set_up(void **state)
{
  struct sample *s = malloc(sizeof *s);
  *s = sample_new(DATA_SIZE);
  *state = s;
  return 0;
}

static int tear_down(void **state)
{
  sample_free(*state);
  free(*state);
  return 0;
}

/* Compressed bytes in memory that count what is asked of them. */
struct memory {
  const uint8_t *data;
  size_t size;
  uint64_t given;
  bool fails;
  unsigned closed;
};

static enum source_status memory_read(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                      struct input_error *error)
{
  struct memory *m = data;
  *got = 0;
  if (m->fails) {
    input_error_set(error, "read-failed", "Reading failed.");
    return SOURCE_IO;
  }
  size_t left = offset < m->size ? m->size - (size_t)offset : 0;
  *got = size < left ? size : left;
  memcpy(out, m->data + (offset < m->size ? offset : 0), *got);
  m->given += *got;
  return SOURCE_OK;
}

static void memory_close(void *data)
{
  ((struct memory *)data)->closed++;
}

static struct inflate_member member_of(struct memory *m, uint64_t size, uint32_t crc)
{
  return (struct inflate_member){{memory_read, m}, m->size, size, crc, memory_close, false};
}

static void check_view(struct source *s, const struct sample *a, uint64_t offset, size_t want)
{
  struct view v;
  assert_int_equal(source_view(s, offset, want, &v), SOURCE_OK);
  assert_int_equal(v.size, want < a->size - offset ? want : a->size - offset);
  assert_memory_equal(v.data, a->data + offset, v.size);
}

typedef void (*backend_test)(const struct inflate_backend *backend, const struct sample *a);

static void with_each(void **state, backend_test test)
{
  test(inflate_zlib(), *state);
  if (inflate_isal())
    test(inflate_isal(), *state);
}

static void forward(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = inflate_source(&member, w);
  assert_true(s->forward_is_cheap);
  for (uint64_t at = 0; at < a->size; at += 50001)
    check_view(s, a, at, 60000);
  struct view v;
  assert_int_equal(source_view(s, a->size, 1, &v), SOURCE_END);
  assert_int_equal(source_finish(s), SOURCE_OK);
  assert_int_equal(source_finish(s), SOURCE_OK);
  assert_int_equal(m.given, a->packed_size);
  source_close(s);
  assert_int_equal(m.closed, 1);
  inflate_workspace_free(w);
}

static void test_forward(void **state)
{
  with_each(state, forward);
}

/* Random reads back and forth, with far more places than checkpoints, so that they are thinned out. */
static void back_and_forth(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  inflate_workspace_set_spacing(w, 16 << 10);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = inflate_source(&member, w);
  uint32_t seed = 88172645;
  uint64_t reached = 0;
  for (unsigned i = 0; i < 600; i++) {
    uint64_t limit = (uint64_t)a->size * (i + 1) / 600;
    uint64_t offset = next_random(&seed) % limit;
    size_t want = 1 + next_random(&seed) % (i % 8 == 0 ? SOURCE_WINDOW : 5000);
    check_view(s, a, offset, want);
    reached = offset > reached ? offset : reached;
  }
  for (uint64_t at = 3 << 20; at < 5 << 20; at += 4096)
    check_view(s, a, at, 4096);
  assert_int_equal(source_finish(s), SOURCE_OK);
  check_view(s, a, 0, SOURCE_WINDOW);
  check_view(s, a, a->size - 100, 100);
  check_view(s, a, 64, 64);
  source_close(s);
  inflate_workspace_free(w);
}

static void test_back_and_forth(void **state)
{
  with_each(state, back_and_forth);
}

/* Going on backwards reads near the place, not the whole stream again. */
static void back_is_cheap(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = inflate_source(&member, w);
  check_view(s, a, a->size - 10, 10);
  uint64_t before = m.given;
  check_view(s, a, 12 << 20, 4096);
  assert_true(m.given - before < ((uint64_t)3 << 20));
  before = m.given;
  for (unsigned i = 1; i < 64; i++)
    check_view(s, a, ((uint64_t)12 << 20) + i * 4096, 4096);
  assert_true(m.given - before < ((uint64_t)1 << 20));
  source_close(s);
  inflate_workspace_free(w);
}

static void test_back_is_cheap(void **state)
{
  with_each(state, back_is_cheap);
}

/* The head of a member costs a head, and one workspace serves the next member. */
static void head_only(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  for (unsigned i = 0; i < 3; i++) {
    struct memory m = {.data = a->packed, .size = a->packed_size};
    struct inflate_member member = member_of(&m, a->size, a->crc);
    struct source *s = inflate_source(&member, w);
    check_view(s, a, 0, 4096);
    assert_true(m.given <= 32 << 10);
    source_close(s);
  }
  inflate_workspace_free(w);
}

static void test_head_only(void **state)
{
  with_each(state, head_only);
}

static void two_at_once(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *first = inflate_source(&member, w), *second = inflate_source(&member, w);
  for (uint64_t at = 0; at < 3 << 20; at += 100000) {
    check_view(first, a, at, 1000);
    check_view(second, a, (3 << 20) - at, 1000);
  }
  source_close(first);
  source_close(second);
  inflate_workspace_free(w);
}

static void test_two_at_once(void **state)
{
  with_each(state, two_at_once);
}

static void expect_failure(struct source *s, enum source_status status, enum source_status wanted, const char *code)
{
  assert_int_equal(status, wanted);
  assert_string_equal(s->error_code, code);
  assert_true(strlen(s->error_text) > 10);
}

static void wrong_claims(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};

  struct inflate_member member = member_of(&m, a->size, a->crc ^ 1);
  struct source *s = inflate_source(&member, w);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "crc-mismatch");
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "crc-mismatch");
  check_view(s, a, 5 << 20, 1000);
  source_close(s);

  member = member_of(&m, a->size - 1, a->crc); /* yields more than declared */
  s = inflate_source(&member, w);
  check_view(s, a, a->size - 1001, 1000);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "size-mismatch");
  assert_int_equal(s->error_offset, a->size - 1);
  source_close(s);

  member = member_of(&m, UINT64_MAX, a->crc); /* yields less */
  s = inflate_source(&member, w);
  check_view(s, a, a->size - 1000, 1000);
  struct view v;
  expect_failure(s, source_view(s, a->size - 1000, 1001, &v), SOURCE_DAMAGED, "size-mismatch");
  assert_int_equal(v.size, 1000);
  assert_int_equal(s->error_offset, a->size);
  expect_failure(s, source_view(s, UINT64_MAX - 5, 3, &v), SOURCE_DAMAGED, "size-mismatch");
  assert_int_equal(v.size, 0);
  check_view(s, a, 7 << 20, 1000);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "size-mismatch");
  source_close(s);
  inflate_workspace_free(w);
}

static void test_wrong_claims(void **state)
{
  with_each(state, wrong_claims);
}

static void cut(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  m.size = a->packed_size / 2; /* the archive ends, the directory does not know */
  struct source *s = inflate_source(&member, w);
  struct view v;
  expect_failure(s, source_view(s, a->size - 10, 10, &v), SOURCE_DAMAGED, "stream-damaged");
  uint64_t end = s->error_offset;
  assert_true(end > a->size / 3 && end < a->size * 2 / 3);
  check_view(s, a, end - 1000, 1000);
  check_view(s, a, 100, 1000);
  expect_failure(s, source_view(s, end - 10, 11, &v), SOURCE_DAMAGED, "stream-damaged");
  assert_int_equal(v.size, 10);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "stream-damaged");
  source_close(s);

  member.compressed_size = a->packed_size - 1; /* the last byte is missing */
  m.size = a->packed_size;
  s = inflate_source(&member, w);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "stream-damaged");
  source_close(s);
  inflate_workspace_free(w);
}

static void test_cut(void **state)
{
  with_each(state, cut);
}

static void more_behind(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  uint8_t *longer = calloc(1, a->packed_size + 5);
  memcpy(longer, a->packed, a->packed_size);
  struct memory m = {.data = longer, .size = a->packed_size + 5};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = inflate_source(&member, w);
  check_view(s, a, a->size - 50, 50);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "size-mismatch");
  assert_non_null(strstr(s->error_text, "5 bytes"));
  source_close(s);
  free(longer);
  inflate_workspace_free(w);
}

static void test_more_behind(void **state)
{
  with_each(state, more_behind);
}

/* One flipped bit is found, at the latest by the checksum; those that pad a stored block's header mean nothing. */
static void flipped(const struct inflate_backend *backend, const struct sample *a)
{
  (void)a;
  struct sample small = sample_new(300000);
  struct inflate_workspace *w = inflate_workspace_new(backend);
  uint32_t seed = 77;
  unsigned broken = 0, harmless = 0;
  for (unsigned i = 0; i < 200; i++) {
    size_t at = next_random(&seed) % small.packed_size;
    uint8_t bit = (uint8_t)(1u << (i % 8));
    small.packed[at] ^= bit;
    struct memory m = {.data = small.packed, .size = small.packed_size};
    struct inflate_member member = member_of(&m, small.size, small.crc);
    struct source *s = inflate_source(&member, w);
    if (source_finish(s) == SOURCE_OK) {
      check_view(s, &small, small.size / 2, 1000);
      harmless++;
    } else {
      broken += strcmp(s->error_code, "stream-damaged") == 0;
      assert_true(s->error_offset <= small.size);
    }
    source_close(s);
    small.packed[at] ^= bit;
  }
  assert_true(broken > 0 && harmless < 4);
  inflate_workspace_free(w);
  sample_free(&small);
}

static void test_flipped(void **state)
{
  with_each(state, flipped);
}

/* The bytes that come before a fault, in steps of `room`; the stream's data is fine up to the fault. */
static size_t made_before_fault(const struct inflate_backend *backend, const struct sample *a, size_t room)
{
  uint8_t *out = malloc(a->size + room);
  void *stream = backend->create();
  struct inflate_io io = {.in = a->packed, .in_size = a->packed_size, .out = out};
  enum inflate_result result;
  assert_non_null(out);
  assert_non_null(stream);
  do {
    assert_true((size_t)(io.out - out) <= a->size);
    io.out_size = room;
    result = backend->step(stream, &io);
  } while (result == INFLATE_MORE);
  size_t made = (size_t)(io.out - out);
  assert_int_equal(result, INFLATE_BAD);
  assert_true(made <= a->size);
  assert_memory_equal(out, a->data, made);
  backend->destroy(stream);
  free(out);
  return made;
}

/* All bytes before a fault come, however small the steps. */
static void fault(const struct inflate_backend *backend, const struct sample *a)
{
  (void)a;
  static const size_t rooms[] = {1, 1000, 8192, 100000, 400000};
  struct sample small = sample_new(300000);
  z_stream z = {.next_in = small.data, .avail_in = (unsigned)small.size, .next_out = small.packed};
  z.avail_out = (unsigned)compressBound(small.size);
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_SYNC_FLUSH), Z_OK);
  small.packed_size = z.total_out;
  deflateEnd(&z);
  small.packed[small.packed_size++] = 6; /* a block of the type that does not exist */
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
    assert_int_equal(made_before_fault(backend, &small, rooms[i]), small.size);
  sample_free(&small);
}

static void test_fault(void **state)
{
  with_each(state, fault);
}

static void failing_reader(const struct inflate_backend *backend, const struct sample *a)
{
  struct inflate_workspace *w = inflate_workspace_new(backend);
  struct memory m = {.data = a->packed, .size = a->packed_size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = inflate_source(&member, w);
  check_view(s, a, 0, 4096);
  m.fails = true;
  struct view v;
  expect_failure(s, source_view(s, 9 << 20, 10, &v), SOURCE_IO, "read-failed");
  expect_failure(s, source_finish(s), SOURCE_IO, "read-failed");
  source_close(s);
  inflate_workspace_free(w);
}

static void test_failing_reader(void **state)
{
  with_each(state, failing_reader);
}

static void empty(const struct inflate_backend *backend, const struct sample *a)
{
  (void)a;
  struct inflate_workspace *w = inflate_workspace_new(backend);
  static const uint8_t block[] = {0x03, 0x00};
  for (size_t size = 0; size <= sizeof block; size += sizeof block) {
    struct memory m = {.data = block, .size = size};
    struct inflate_member member = member_of(&m, 0, 0);
    struct source *s = inflate_source(&member, w);
    struct view v;
    assert_int_equal(source_view(s, 0, 1, &v), SOURCE_END);
    assert_int_equal(source_finish(s), SOURCE_OK);
    source_close(s);
  }
  inflate_workspace_free(w);
}

static void test_empty(void **state)
{
  with_each(state, empty);
}

static void test_stored(void **state)
{
  const struct sample *a = *state;
  struct memory m = {.data = a->data, .size = a->size};
  struct inflate_member member = member_of(&m, a->size, a->crc);
  struct source *s = stored_source(&member);
  assert_false(s->forward_is_cheap);
  check_view(s, a, 20 << 20, SOURCE_WINDOW);
  check_view(s, a, 5, 100);
  assert_true(m.given < 300000);
  uint8_t *copy = malloc(1 << 20);
  assert_int_equal(source_read(s, 12345, copy, 1 << 20), SOURCE_OK);
  assert_memory_equal(copy, a->data + 12345, 1 << 20);
  free(copy);
  assert_int_equal(source_finish(s), SOURCE_OK);
  source_close(s);

  member.crc ^= 4;
  s = stored_source(&member);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "crc-mismatch");
  source_close(s);

  member.size = a->size + 10;
  s = stored_source(&member);
  struct view v;
  expect_failure(s, source_view(s, a->size - 5, 10, &v), SOURCE_DAMAGED, "size-mismatch");
  assert_int_equal(v.size, 5);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "size-mismatch");
  source_close(s);

  member.size = a->size - 10;
  s = stored_source(&member);
  expect_failure(s, source_finish(s), SOURCE_DAMAGED, "size-mismatch");
  source_close(s);

  member.size = a->size;
  m.size = 1000; /* the archive ends inside the member */
  s = stored_source(&member);
  check_view(s, a, 0, 1000);
  expect_failure(s, source_view(s, 990, 20, &v), SOURCE_DAMAGED, "size-mismatch");
  assert_int_equal(s->error_offset, 1000);
  source_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forward),       cmocka_unit_test(test_back_and_forth),
      cmocka_unit_test(test_back_is_cheap), cmocka_unit_test(test_head_only),
      cmocka_unit_test(test_two_at_once),   cmocka_unit_test(test_wrong_claims),
      cmocka_unit_test(test_cut),           cmocka_unit_test(test_more_behind),
      cmocka_unit_test(test_flipped),       cmocka_unit_test(test_failing_reader),
      cmocka_unit_test(test_empty),         cmocka_unit_test(test_stored),
      cmocka_unit_test(test_fault),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
