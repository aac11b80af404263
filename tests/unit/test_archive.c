/* SPDX-License-Identifier: Apache-2.0 */
/* Zip archives written byte by byte, sound and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "input/archive.h"

#define FLAG_ENCRYPTED 1u
#define FLAG_DESCRIPTOR 8u

/* One member as its headers tell it; `claim_*` 0 takes the true value. */
struct piece {
  const char *name;
  const void *data;
  size_t size;
  uint16_t method, flags;
  uint32_t claim_size, claim_crc, claim_offset;
  bool zip64;
};

struct bytes {
  uint8_t data[1 << 20];
  size_t size;
};

static void put(struct bytes *b, const void *data, size_t size)
{
  assert_true(size <= sizeof b->data - b->size);
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

static void put_uint(struct bytes *b, uint64_t value, unsigned width)
{
  for (unsigned i = 0; i < width; i++) {
    uint8_t byte = (uint8_t)(value >> (8 * i));
    put(b, &byte, 1);
  }
}

static void put_packed(struct bytes *b, const struct piece *p)
{
  if (p->method != 8) {
    put(b, p->data, p->size);
    return;
  }
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)p->data;
  z.avail_in = (unsigned)p->size;
  z.next_out = b->data + b->size;
  z.avail_out = (unsigned)(sizeof b->data - b->size);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  b->size += z.total_out;
  deflateEnd(&z);
}

static uint32_t crc_of(const struct piece *p)
{
  return p->claim_crc ? p->claim_crc : (uint32_t)crc32_z(0, p->data, p->size);
}

/* The fields that both headers share, from the flags to the name's length. */
static void put_fields(struct bytes *b, const struct piece *p, uint64_t packed, size_t extra)
{
  bool later = p->flags & FLAG_DESCRIPTOR && packed == 0;
  uint64_t size = p->claim_size ? p->claim_size : p->size;
  put_uint(b, p->zip64 ? 45 : 20, 2);
  put_uint(b, p->flags, 2);
  put_uint(b, p->method, 2);
  put_uint(b, 0x58210000, 4);
  put_uint(b, later ? 0 : crc_of(p), 4);
  put_uint(b, p->zip64 ? UINT32_MAX : packed, 4);
  put_uint(b, p->zip64 ? UINT32_MAX : later ? 0 : size, 4);
  put_uint(b, strlen(p->name), 2);
  put_uint(b, extra, 2);
}

static void put_zip64(struct bytes *b, const struct piece *p, uint64_t packed)
{
  put_uint(b, 1, 2);
  put_uint(b, 16, 2);
  put_uint(b, p->size, 8);
  put_uint(b, packed, 8);
}

static void put_local(struct bytes *b, const struct piece *p, uint64_t *packed)
{
  put_uint(b, 0x04034b50, 4);
  size_t at = b->size;
  put_fields(b, p, 0, p->zip64 ? 20 : 0);
  put(b, p->name, strlen(p->name));
  if (p->zip64)
    put_zip64(b, p, 0);
  size_t begin = b->size;
  put_packed(b, p);
  *packed = b->size - begin;
  if (p->flags & FLAG_DESCRIPTOR) {
    put_uint(b, 0x08074b50, 4);
    put_uint(b, crc_of(p), 4);
    put_uint(b, *packed, 4);
    put_uint(b, p->size, 4);
  } else if (!p->zip64) {
    memcpy(b->data + at + 14, &(uint32_t){(uint32_t)*packed}, 4);
  }
}

static void write_zip(struct bytes *b, const struct piece *pieces, size_t count)
{
  uint64_t offsets[16], packed[16];
  b->size = 0;
  for (size_t i = 0; i < count; i++) {
    offsets[i] = b->size;
    put_local(b, &pieces[i], &packed[i]);
  }
  size_t begin = b->size;
  for (size_t i = 0; i < count; i++) {
    const struct piece *p = &pieces[i];
    put_uint(b, 0x02014b50, 4);
    put_uint(b, 0x031e, 2);
    put_fields(b, p, packed[i], p->zip64 ? 20 : 0);
    put_uint(b, 0, 2 + 2 + 2);
    put_uint(b, 0x81a40000, 4);
    put_uint(b, p->claim_offset ? p->claim_offset : offsets[i], 4);
    put(b, p->name, strlen(p->name));
    if (p->zip64)
      put_zip64(b, p, packed[i]);
  }
  size_t size = b->size - begin;
  put_uint(b, 0x06054b50, 4);
  put_uint(b, 0, 4);
  put_uint(b, count, 2);
  put_uint(b, count, 2);
  put_uint(b, size, 4);
  put_uint(b, begin, 4);
  put_uint(b, 0, 2);
}

static int set_up(void **state)
{
  *state = malloc(sizeof(struct bytes));
  return *state ? 0 : -1;
}

static int tear_down(void **state)
{
  free(*state);
  return 0;
}

static struct archive *open_bytes(const struct bytes *b)
{
  struct input_error error = {0};
  struct archive *a = archive_open(source_memory(b->data, b->size), &error);
  assert_null(error.code);
  assert_non_null(a);
  return a;
}

static void check_member(struct archive *a, uint64_t index, const void *data, size_t size)
{
  struct input_error error = {0};
  struct source *s = archive_member(a, index, NULL, &error);
  assert_non_null(s);
  assert_int_equal(s->size, size);
  uint8_t *copy = malloc(size + 1);
  assert_int_equal(source_read(s, 0, copy, size), SOURCE_OK);
  assert_memory_equal(copy, data, size);
  assert_int_equal(source_finish(s), SOURCE_OK);
  free(copy);
  source_close(s);
}

static const char text[] = "GPU code GPU code GPU code GPU code GPU code GPU code";

static void test_members(void **state)
{
  struct bytes *b = *state;
  const struct piece pieces[] = {
      {.name = "pkg/", .data = "", .size = 0},
      {.name = "pkg/stored.so", .data = text, .size = sizeof text},
      {.name = "pkg/deflated.so", .data = text, .size = sizeof text, .method = 8},
      {.name = "pkg/later.so", .data = text, .size = sizeof text, .method = 8, .flags = FLAG_DESCRIPTOR},
      {.name = "pkg/zip64.so", .data = text, .size = sizeof text, .method = 8, .zip64 = true},
      {.name = "pkg/stored.so", .data = text + 4, .size = 10, .method = 8},
      {.name = "/etc/absolute", .data = text, .size = 5},
      {.name = "../../up\xff", .data = text, .size = 6},
      {.name = "empty", .data = "", .size = 0, .method = 8},
  };
  write_zip(b, pieces, 9);
  struct archive *a = open_bytes(b);
  assert_int_equal(archive_count(a), 9);
  for (uint64_t i = 0; i < 9; i++) {
    struct archive_entry e;
    assert_true(archive_entry(a, i, &e));
    assert_string_equal(e.name, pieces[i].name);
    assert_int_equal(e.size, pieces[i].size);
    assert_int_equal(e.method, pieces[i].method);
    assert_int_equal(e.directory, i == 0);
    assert_false(e.encrypted);
    check_member(a, i, pieces[i].data, pieces[i].size);
  }
  struct archive_entry e;
  assert_false(archive_entry(a, 9, &e));
  assert_false(archive_entry(a, UINT64_MAX, &e));
  archive_close(a);
}

static void test_not_readable(void **state)
{
  struct bytes *b = *state;
  const struct piece pieces[] = {
      {.name = "secret", .data = text, .size = sizeof text, .flags = FLAG_ENCRYPTED},
      {.name = "bzip2", .data = text, .size = sizeof text, .method = 12},
      {.name = "nowhere", .data = text, .size = sizeof text, .claim_offset = 0x70000000},
      {.name = "fine", .data = text, .size = sizeof text},
  };
  static const char *const codes[] = {"member-encrypted", "member-method", "member-unreadable"};
  write_zip(b, pieces, 4);
  struct archive *a = open_bytes(b);
  for (uint64_t i = 0; i < 3; i++) {
    struct input_error error = {0};
    assert_null(archive_member(a, i, NULL, &error));
    assert_string_equal(error.code, codes[i]);
  }
  struct input_error error = {0};
  assert_null(archive_member(a, 1, NULL, &error));
  assert_non_null(strstr(error.text, "12"));
  check_member(a, 3, text, sizeof text);
  archive_close(a);
}

static void expect_damaged(struct archive *a, uint64_t index, const char *code)
{
  struct input_error error = {0};
  struct source *s = archive_member(a, index, NULL, &error);
  assert_non_null(s);
  assert_int_equal(source_finish(s), SOURCE_DAMAGED);
  assert_string_equal(s->error_code, code);
  source_close(s);
}

static void test_false_claims(void **state)
{
  struct bytes *b = *state;
  const struct piece pieces[] = {
      {.name = "crc", .data = text, .size = sizeof text, .method = 8, .claim_crc = 5},
      {.name = "crc-stored", .data = text, .size = sizeof text, .claim_crc = 5},
      {.name = "more", .data = text, .size = sizeof text, .method = 8, .claim_size = 10},
      {.name = "less", .data = text, .size = sizeof text, .method = 8, .claim_size = 0xfffffff0},
      {.name = "more-stored", .data = text, .size = sizeof text, .claim_size = 10},
      {.name = "fine", .data = text, .size = sizeof text, .method = 8},
  };
  write_zip(b, pieces, 6);
  struct archive *a = open_bytes(b);
  expect_damaged(a, 0, "crc-mismatch");
  expect_damaged(a, 1, "crc-mismatch");
  expect_damaged(a, 2, "size-mismatch");
  expect_damaged(a, 3, "size-mismatch");
  expect_damaged(a, 4, "size-mismatch");
  check_member(a, 5, text, sizeof text);
  archive_close(a);
}

/* Cut anywhere, an archive without its directory is one error; nothing else happens. */
static void test_cut(void **state)
{
  struct bytes *b = *state;
  const struct piece pieces[] = {
      {.name = "a", .data = text, .size = sizeof text, .method = 8},
      {.name = "b", .data = text, .size = sizeof text},
  };
  write_zip(b, pieces, 2);
  for (size_t size = 0; size < b->size; size++) {
    struct input_error error = {0};
    assert_null(archive_open(source_memory(b->data, size), &error));
    assert_string_equal(error.code, "archive-damaged");
  }
}

/* Any byte of the headers may be wrong: members are read, refused or damaged, never more. */
static void test_flipped_headers(void **state)
{
  struct bytes *b = *state;
  const struct piece pieces[] = {
      {.name = "a", .data = text, .size = sizeof text, .method = 8, .flags = FLAG_DESCRIPTOR},
      {.name = "b", .data = text, .size = sizeof text, .zip64 = true},
  };
  write_zip(b, pieces, 2);
  for (size_t at = 0; at < b->size * 8; at++) {
    b->data[at / 8] ^= (uint8_t)(1u << (at % 8));
    struct input_error error = {0};
    struct archive *a = archive_open(source_memory(b->data, b->size), &error);
    for (uint64_t i = 0; a && i < archive_count(a); i++) {
      struct source *s = archive_member(a, i, NULL, &error);
      if (s)
        source_finish(s);
      source_close(s);
    }
    assert_true(a || error.code);
    archive_close(a);
    b->data[at / 8] ^= (uint8_t)(1u << (at % 8));
  }
}

static void test_inner_archive(void **state)
{
  struct bytes *b = *state;
  const struct piece inner_piece = {.name = "lib.so", .data = text, .size = sizeof text, .method = 8};
  struct bytes *inner = malloc(sizeof *inner);
  write_zip(inner, &inner_piece, 1);
  const struct piece pieces[] = {
      {.name = "pad", .data = text, .size = sizeof text},
      {.name = "inner.whl", .data = inner->data, .size = inner->size},
      {.name = "packed.whl", .data = inner->data, .size = inner->size, .method = 8},
  };
  write_zip(b, pieces, 3);
  struct archive *a = open_bytes(b);
  for (uint64_t i = 1; i < 3; i++) {
    struct input_error error = {0};
    struct archive *in = archive_open(archive_member(a, i, NULL, &error), &error);
    assert_non_null(in);
    check_member(in, 0, text, sizeof text);
    archive_close(in);
  }
  archive_close(a);
  free(inner);
}

/* Each thread reads its member many times while the others do the same. */
struct reading {
  struct archive *archive;
  uint64_t index;
  const uint8_t *data;
  size_t size;
  bool right;
};

static void *read_often(void *data)
{
  struct reading *r = data;
  struct inflate_workspace *w = inflate_workspace_new(NULL);
  uint8_t *copy = malloc(r->size);
  r->right = w && copy;
  for (unsigned i = 0; i < 30 && r->right; i++) {
    struct input_error error;
    struct source *s = archive_member(r->archive, r->index, w, &error);
    r->right = s && source_read(s, 0, copy, r->size) == SOURCE_OK && source_finish(s) == SOURCE_OK &&
               memcmp(copy, r->data, r->size) == 0;
    source_close(s);
  }
  free(copy);
  inflate_workspace_free(w);
  return NULL;
}

static void test_threads(void **state)
{
  struct bytes *b = *state;
  static uint8_t data[4][150000];
  struct piece pieces[4];
  for (unsigned i = 0; i < 4; i++) {
    for (size_t k = 0; k < sizeof data[i]; k++)
      data[i][k] = (uint8_t)((k * (i + 7) * 2654435761u) >> 25);
    pieces[i] = (struct piece){.name = "same", .data = data[i], .size = sizeof data[i], .method = i % 2 ? 8 : 0};
  }
  write_zip(b, pieces, 4);
  struct archive *a = open_bytes(b);
  pthread_t threads[4];
  struct reading readings[4];
  for (unsigned i = 0; i < 4; i++) {
    readings[i] = (struct reading){a, i, data[i], sizeof data[i], false};
    assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readings[i]), 0);
  }
  for (unsigned i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_true(readings[i].right);
  }
  archive_close(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_members), cmocka_unit_test(test_not_readable),    cmocka_unit_test(test_false_claims),
      cmocka_unit_test(test_cut),     cmocka_unit_test(test_flipped_headers), cmocka_unit_test(test_inner_archive),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
