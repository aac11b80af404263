/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include <lz4.h>
#include <zstd.h>

#include "image/fatbin.h"
#include "image/payload.h"

struct payload {
  struct view file, stored;
  struct cuw_image image;
};

/* The payload of the entry at `offset` of a corpus file. */
static struct payload payload_at(const char *name, uint64_t offset)
{
  struct payload p = {.file = testdata_load(name)};
  struct fatbin_entry e;
  assert_true(fatbin_entry_decode(view_part(p.file, offset, p.file.size - offset), &e));
  fatbin_entry_to_image(&e, &p.image);
  uint64_t at = offset + e.header_size, size = p.image.stored_size;
  if (size > p.file.size - at)
    size = p.file.size - at;
  p.stored = testdata_copy(view_part(p.file, at, size));
  return p;
}

static void payload_free(struct payload *p)
{
  testdata_free(p->stored);
  testdata_free(p->file);
}

/* All entries of a sound file give what their header and their first bytes promise. */
static void check_file(const char *name)
{
  struct payload_buffer buffer = {0};
  json_t *images = testdata_images(name), *expected;
  size_t i;
  json_array_foreach(images, i, expected)
  {
    if (json_is_null(json_object_get(expected, "stored_size")))
      continue;
    struct payload p = payload_at(name, (uint64_t)json_integer_value(json_object_get(expected, "offset")));
    struct view out;
    assert_int_equal(payload_decompress(p.stored, p.image.compression, p.image.size, PAYLOAD_SIZE_MAX, &buffer, &out),
                     PAYLOAD_OK);
    assert_int_equal(out.size, json_integer_value(json_object_get(expected, "size")));
    if (p.image.kind == CUW_KIND_CUBIN)
      assert_memory_equal(out.data,
                          "\x7f"
                          "ELF",
                          4);
    if (p.image.kind == CUW_KIND_PTX)
      assert_non_null(memmem(out.data, out.size, ".version", 8));
    uint8_t head[100];
    size_t got = payload_head(p.stored, p.image.compression, head, sizeof head);
    assert_int_equal(got, out.size < sizeof head ? out.size : sizeof head);
    assert_memory_equal(head, out.data, got);
    payload_free(&p);
  }
  json_decref(images);
  payload_buffer_free(&buffer);
}

static void test_corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("f1", ".fatbin", check_file) >= 20);
  assert_true(testdata_each("n13", ".fatbin", check_file) >= 60);
}

/* m16 to m27: headers that lie about a payload, and broken payloads. */
static void test_lies(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint64_t entry;
    enum payload_status status;
    uint64_t shown;
  } cases[] = {
      {"m00_good.fatbin", 16, PAYLOAD_OK, 364},
      {"m16_csz_gt.fatbin", 16, PAYLOAD_DAMAGED, 0},
      {"m17_csz0.fatbin", 16, PAYLOAD_DAMAGED, 0},
      {"m18_usz0.fatbin", 16, PAYLOAD_SIZE, 0},
      {"m19_usz_small.fatbin", 16, PAYLOAD_SIZE, 10},
      {"m20_usz_big.fatbin", 16, PAYLOAD_SIZE, 364},
      {"m21_usz_lz4_small.fatbin", 336, PAYLOAD_SIZE, 100},
      {"m22_usz_lz4_big.fatbin", 336, PAYLOAD_SIZE, 5120},
      {"m23_bad_zstd.fatbin", 16, PAYLOAD_DAMAGED, 0},
      {"m24_bad_zstd_magic.fatbin", 16, PAYLOAD_DAMAGED, 0},
      {"m25_bad_lz4.fatbin", 336, PAYLOAD_DAMAGED, 0},
      {"m26_both_comp.fatbin", 16, PAYLOAD_DAMAGED, 0},
      {"m27_comp_unknown.fatbin", 16, PAYLOAD_UNKNOWN, 0},
  };
  struct payload_buffer buffer = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct payload p = payload_at(cases[i].name, cases[i].entry);
    struct view out;
    enum payload_status status =
        payload_decompress(p.stored, p.image.compression, p.image.size, PAYLOAD_SIZE_MAX, &buffer, &out);
    if (status != cases[i].status || out.size != cases[i].shown)
      fail_msg("%s: status %d, %zu bytes", cases[i].name, status, out.size);
    assert_true(buffer.capacity <= (size_t)2 << 20);
    payload_free(&p);
  }
  payload_buffer_free(&buffer);
}

/* `size` zero bytes: the highest ratio both formats have. */
static struct view zeros_packed(enum cuw_compression compression, size_t size)
{
  char *zeros = calloc(1, size);
  size_t room = ZSTD_compressBound(size) + (size_t)LZ4_compressBound((int)size);
  char *packed = malloc(room);
  assert_non_null(zeros);
  assert_non_null(packed);
  size_t length = compression == CUW_ZSTD ? ZSTD_compress(packed, room, zeros, size, 1)
                                          : (size_t)LZ4_compress_default(zeros, packed, (int)size, (int)room);
  free(zeros);
  struct view v = testdata_copy((struct view){(uint8_t *)packed, length});
  free(packed);
  return v;
}

/* A true claim is met however high the ratio; a false one takes no memory. */
static void test_claims(void **state)
{
  (void)state;
  static const enum cuw_compression both[] = {CUW_LZ4, CUW_ZSTD};
  const size_t size = (size_t)20 << 20;
  for (size_t i = 0; i < 2; i++) {
    struct payload_buffer buffer = {0};
    struct view stored = zeros_packed(both[i], size), out;
    assert_int_equal(payload_decompress(stored, both[i], size, PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_OK);
    assert_int_equal(out.size, size);
    payload_buffer_free(&buffer);

    assert_int_equal(payload_decompress(stored, both[i], size, size - 1, &buffer, &out), PAYLOAD_TOO_BIG);
    assert_int_equal(out.size, 0);
    assert_int_equal(payload_decompress(stored, both[i], (uint64_t)1 << 40, size - 1, &buffer, &out), PAYLOAD_TOO_BIG);
    assert_true(buffer.capacity < size);

    static const uint64_t lies[] = {(uint64_t)1 << 33, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t k = 0; k < 3; k++) {
      assert_int_equal(payload_decompress(stored, both[i], lies[k], PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_SIZE);
      assert_int_equal(out.size, size);
      assert_true(buffer.capacity <= 2 * size);
    }
    assert_int_equal(payload_decompress(stored, both[i], size / 2, PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_SIZE);
    assert_int_equal(out.size, size / 2);

    struct view cut = testdata_copy((struct view){stored.data, stored.size / 2});
    assert_int_equal(payload_decompress(cut, both[i], size, PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_DAMAGED);
    testdata_free(cut);
    testdata_free(stored);
    payload_buffer_free(&buffer);
  }
}

/* A frame that names no size and one without end, as a stream leaves them. */
static void test_zstd_without_size(void **state)
{
  (void)state;
  char text[3000], packed[4096];
  memset(text, 'x', sizeof text);
  ZSTD_CCtx *c = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
  size_t length = ZSTD_compress2(c, packed, sizeof packed, text, sizeof text);
  ZSTD_freeCCtx(c);
  assert_false(ZSTD_isError(length));

  struct payload_buffer buffer = {0};
  struct view stored = testdata_copy((struct view){(uint8_t *)packed, length}), out;
  assert_true(zstd_content_size(stored) == CUW_NONE);
  assert_int_equal(zstd_frame_extent(stored), length);
  assert_int_equal(payload_decompress(stored, CUW_ZSTD, sizeof text, PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_OK);
  assert_int_equal(payload_decompress(stored, CUW_ZSTD, sizeof text - 1, PAYLOAD_SIZE_MAX, &buffer, &out),
                   PAYLOAD_SIZE);
  ((uint8_t *)(uintptr_t)stored.data)[length - 1] ^= 1; /* its checksum */
  assert_int_equal(payload_decompress(stored, CUW_ZSTD, sizeof text, PAYLOAD_SIZE_MAX, &buffer, &out), PAYLOAD_DAMAGED);
  testdata_free(stored);
  payload_buffer_free(&buffer);
}

static void test_frame_extent(void **state)
{
  (void)state;
  struct payload p = payload_at("m00_good.fatbin", 16);
  assert_int_equal(p.image.compression, CUW_ZSTD);
  assert_int_equal(zstd_frame_extent(p.stored), p.image.stored_size);
  assert_int_equal(zstd_content_size(p.stored), p.image.size);
  struct view tail = view_part(p.file, 16 + 80, p.file.size - 96);
  assert_int_equal(zstd_frame_extent(tail), p.image.stored_size);
  assert_int_equal(zstd_frame_extent(view_part(p.stored, 0, p.stored.size - 1)), 0);
  assert_int_equal(zstd_frame_extent(view_part(p.stored, 1, p.stored.size - 1)), 0);
  assert_int_equal(zstd_frame_extent((struct view){NULL, 0}), 0);
  assert_true(zstd_content_size(view_part(p.stored, 0, 4)) == CUW_NONE);
  static const uint8_t skippable[] = {0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0};
  assert_int_equal(zstd_frame_extent((struct view){skippable, sizeof skippable}), 0);
  payload_free(&p);
}

/* Heads come from what is there of a payload whose end is missing. */
static void test_heads(void **state)
{
  (void)state;
  uint8_t head[64];
  struct payload p = payload_at("m00_good.fatbin", 336);
  assert_int_equal(p.image.compression, CUW_LZ4);
  assert_int_equal(payload_head(view_part(p.stored, 0, 200), CUW_LZ4, head, sizeof head), sizeof head);
  assert_memory_equal(head,
                      "\x7f"
                      "ELF",
                      4);
  assert_int_equal(payload_head((struct view){NULL, 0}, CUW_LZ4, head, sizeof head), 0);
  assert_int_equal(payload_head(p.stored, CUW_COMPRESSION_UNKNOWN, head, sizeof head), 0);
  assert_int_equal(payload_head(p.stored, CUW_STORED, head, sizeof head), sizeof head);
  assert_int_equal(payload_head(view_part(p.stored, 0, 5), CUW_STORED, head, sizeof head), 5);
  payload_free(&p);

  struct view big = zeros_packed(CUW_ZSTD, (size_t)1 << 20);
  assert_int_equal(payload_head(view_part(big, 0, big.size - 8), CUW_ZSTD, head, sizeof head), sizeof head);
  assert_int_equal(payload_head(view_part(big, 0, 6), CUW_ZSTD, head, sizeof head), 0);
  testdata_free(big);
}

static void test_stored(void **state)
{
  (void)state;
  struct payload_buffer buffer = {0};
  struct view v = testdata_text("stored bytes"), out;
  assert_int_equal(payload_decompress(v, CUW_STORED, v.size, 0, &buffer, &out), PAYLOAD_OK);
  assert_ptr_equal(out.data, v.data);
  assert_int_equal(payload_decompress(v, CUW_STORED, v.size + 1, 0, &buffer, &out), PAYLOAD_SIZE);
  assert_int_equal(out.size, v.size);
  assert_int_equal(payload_decompress(v, CUW_STORED, 3, 0, &buffer, &out), PAYLOAD_SIZE);
  assert_int_equal(out.size, 3);
  assert_null(buffer.data);
  testdata_free(v);
}

static void decompress_both(struct view v)
{
  struct payload_buffer buffer = {0};
  struct view out;
  uint8_t head[300];
  unsigned sum = 0;
  static const uint64_t sizes[] = {0, 100, 364, 5120, (uint64_t)1 << 40};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int lz4 = 0; lz4 < 2; lz4++) {
      enum cuw_compression compression = lz4 ? CUW_LZ4 : CUW_ZSTD;
      enum payload_status status = payload_decompress(v, compression, sizes[i], (uint64_t)1 << 24, &buffer, &out);
      assert_true(status != PAYLOAD_MEMORY && out.size <= sizes[i]);
      for (size_t k = 0; k < out.size; k++)
        sum += out.data[k];
      for (size_t k = payload_head(v, compression, head, sizeof head); k > 0; k--)
        sum += head[k - 1];
    }
  (void)sum; /* read for the sanitizer's sake */
  zstd_frame_extent(v);
  zstd_content_size(v);
  payload_buffer_free(&buffer);
}

/* Payloads cut out of their container, so that every byte of them is hit. */
static void test_maltreated(void **state)
{
  (void)state;
  static const uint64_t offsets[] = {16, 336};
  uint64_t seed = 20240229;
  for (size_t i = 0; i < 2; i++) {
    struct payload p = payload_at("m00_good.fatbin", offsets[i]);
    for (size_t size = 0; size < p.stored.size; size += size < 100 ? 1 : 13) {
      struct view cut = testdata_copy((struct view){p.stored.data, size});
      decompress_both(cut);
      testdata_free(cut);
    }
    for (int round = 0; round < 400; round++) {
      struct view v = testdata_copy(p.stored);
      for (uint32_t k = testdata_random(&seed) % 4 + 1; k > 0; k--) {
        uint8_t value = (uint8_t)testdata_random(&seed);
        ((uint8_t *)(uintptr_t)v.data)[testdata_random(&seed) % v.size] = value;
      }
      decompress_both(v);
      testdata_free(v);
    }
    payload_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corpus),       cmocka_unit_test(test_lies),
      cmocka_unit_test(test_claims),       cmocka_unit_test(test_zstd_without_size),
      cmocka_unit_test(test_frame_extent), cmocka_unit_test(test_heads),
      cmocka_unit_test(test_stored),       cmocka_unit_test(test_maltreated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
