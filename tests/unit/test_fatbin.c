/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include "image/fatbin.h"

/* Decodes everything that `header` (an entry or sub-entry) leads to. */
static void decode_all(struct view header)
{
  struct fatbin_entry e;
  struct fatbin_extras x;
  struct fatbin_concat concat;
  struct cuw_image image = {0};
  if (!fatbin_entry_decode(header, &e))
    return;
  fatbin_entry_is_sane(&e);
  fatbin_extras_decode(header, &e, &x);
  assert_true(x.extent >= FATBIN_ENTRY_SIZE && x.extent % 8 == 0);
  if (x.identifier.data != NULL)
    assert_true(range_fits((uint64_t)(x.identifier.data - header.data), x.identifier.size, header.size));
  if (x.options.data != NULL)
    assert_true(range_fits((uint64_t)(x.options.data - header.data), x.options.size, header.size));
  if (x.compat.data != NULL)
    assert_true(range_fits((uint64_t)(x.compat.data - header.data), x.compat.size, header.size));
  if (fatbin_concat_decode(header, &e, &concat))
    assert_true(concat.begin <= concat.end && concat.end <= header.size);
  fatbin_entry_to_image(&e, &image);
}

static void decode_container(struct view v)
{
  struct fatbin_header h;
  if (!fatbin_header_decode(v, &h))
    return;
  uint64_t at = FATBIN_HEADER_SIZE;
  while (at < v.size) {
    struct view rest = view_part(v, at, v.size - at);
    struct fatbin_entry e;
    if (!fatbin_entry_decode(rest, &e))
      return;
    decode_all(range_fits(0, e.header_size, rest.size) ? view_part(rest, 0, e.header_size) : rest);
    if (e.header_size < FATBIN_ENTRY_SIZE || e.payload_size > v.size)
      return;
    at += e.header_size + e.payload_size;
  }
}

/* The record at `expected` from the entry at its offset, inside `parent` where that is one. */
static void check_entry(struct view file, json_t *expected, const struct fatbin_entry *parent)
{
  uint64_t offset = (uint64_t)json_integer_value(json_object_get(expected, "offset"));
  struct view rest = view_part(file, offset, file.size - offset);
  struct fatbin_entry e;
  struct fatbin_extras x;
  struct cuw_image image = {0};
  assert_true(fatbin_entry_decode(rest, &e));
  if (parent != NULL) {
    fatbin_subentry_to_image(&e, parent, &image);
    assert_int_equal(image.part_offset, e.header_size);
    assert_int_equal(image.parent_size, parent->decompressed_size);
    assert_int_equal(image.payload_size, parent->payload_size);
  } else {
    fatbin_entry_to_image(&e, &image);
    rest = view_part(rest, 0, e.header_size);
    assert_true(image.part_offset == CUW_NONE);
  }
  testdata_assert_image(&image, expected);
  assert_true(image.has_entry);
  assert_int_equal(image.flags, e.flags);
  fatbin_extras_decode(rest, &e, &x);
  const char *want = json_string_value(json_object_get(expected, "identifier"));
  assert_int_equal(x.identifier.data != NULL, want != NULL);
  if (want != NULL)
    assert_memory_equal(x.identifier.data, want, strlen(want));
}

/* Every entry that the expected records name. */
static void check_file(const char *name)
{
  struct view file = testdata_load(name);
  json_t *images = testdata_images(name), *expected;
  size_t i;
  json_array_foreach(images, i, expected)
  {
    bool is_part = json_is_null(json_object_get(expected, "stored_size"));
    uint64_t offset = (uint64_t)json_integer_value(json_object_get(expected, "offset"));
    struct fatbin_entry parent = {0};
    for (uint64_t at = FATBIN_HEADER_SIZE; is_part && at < offset;) {
      assert_true(fatbin_entry_decode(view_part(file, at, file.size - at), &parent));
      at += parent.header_size + parent.payload_size;
    }
    check_entry(file, expected, is_part ? &parent : NULL);
  }
  json_decref(images);
  testdata_free(file);
}

static void test_corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("f1", ".fatbin", check_file) >= 20);
  assert_true(testdata_each("n13", ".fatbin", check_file) >= 60);
  assert_int_equal(testdata_each("h", ".fatbin", check_file), 3);
  assert_true(testdata_each("m", ".fatbin", check_file) >= 40);
}

static struct view entry_header(struct view file, uint64_t at, struct fatbin_entry *e)
{
  assert_true(fatbin_entry_decode(view_part(file, at, file.size - at), e));
  return view_part(file, at, e->header_size);
}

static void test_faulty_extras(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    enum fatbin_extras_fault fault;
  } cases[] = {{"m00_good.fatbin", FATBIN_EXTRAS_OK},
               {"m33_opt_off.fatbin", FATBIN_EXTRAS_OUTSIDE},
               {"m34_opt_str.fatbin", FATBIN_OPTIONS_OUTSIDE},
               {"m35_name_off.fatbin", FATBIN_IDENTIFIER_OUTSIDE},
               {"m36_name_len.fatbin", FATBIN_IDENTIFIER_OUTSIDE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view file = testdata_load(cases[i].name);
    struct fatbin_entry e;
    struct fatbin_extras x;
    struct view header = entry_header(file, 16, &e);
    assert_int_equal(fatbin_extras_decode(header, &e, &x), cases[i].fault);
    if (cases[i].fault == FATBIN_IDENTIFIER_OUTSIDE)
      assert_non_null(x.options.data); /* the rest is still read */
    testdata_free(file);
  }
}

static void assert_view(struct view v, const char *text)
{
  assert_non_null(v.data);
  assert_int_equal(v.size, strlen(text));
  assert_memory_equal(v.data, text, v.size);
}

static void test_options(void **state)
{
  (void)state;
  struct view file = testdata_load("n130_lineinfo.fatbin");
  json_t *images = testdata_images("n130_lineinfo.fatbin"), *image;
  size_t i, with_options = 0;
  json_array_foreach(images, i, image)
  {
    struct fatbin_entry e;
    struct fatbin_extras x;
    struct view header = entry_header(file, (uint64_t)json_integer_value(json_object_get(image, "offset")), &e);
    assert_int_equal(fatbin_extras_decode(header, &e, &x), FATBIN_EXTRAS_OK);
    assert_int_equal(x.extent, e.header_size);
    if (e.kind == 1) {
      assert_view(x.options, " --generate-line-info ");
      with_options++;
    } else {
      assert_null(x.options.data);
    }
  }
  assert_true(with_options > 0);
  json_decref(images);
  testdata_free(file);

  file = testdata_load("n130_ptx80.fatbin");
  struct fatbin_entry e;
  struct fatbin_extras x;
  struct view header = entry_header(file, 16, &e);
  assert_int_equal(fatbin_extras_decode(header, &e, &x), FATBIN_EXTRAS_OK);
  assert_view(x.options, ""); /* the block is there, the string is empty */
  testdata_free(file);
}

/* A block of two zeros: an option string that is there and empty. */
static void test_options_without_string(void **state)
{
  (void)state;
  struct fatbin_entry e = {.kind = 1, .header_size = 72, .extras_offset = 64};
  struct fatbin_extras x;
  struct view header = testdata_copy((struct view){(const uint8_t[72]){0}, 72});
  assert_int_equal(fatbin_extras_decode(header, &e, &x), FATBIN_EXTRAS_OK);
  assert_view(x.options, "");
  assert_int_equal(x.extent, 72);
  testdata_free(header);
}

/* The copy of .nv.compat in the header is that of the cubin, which is stored as it is here. */
static void test_compat_copy(void **state)
{
  (void)state;
  struct view file = testdata_load("n130_sm100a.fatbin");
  struct fatbin_entry e;
  struct fatbin_extras x;
  struct view header = entry_header(file, 16, &e);
  assert_int_equal(e.kind, 2);
  assert_int_equal(e.flags & FATBIN_FLAG_COMPAT, FATBIN_FLAG_COMPAT);
  assert_int_equal(fatbin_extras_decode(header, &e, &x), FATBIN_EXTRAS_OK);
  assert_true(x.compat.size >= 16);
  assert_int_equal(x.extent, e.header_size);
  struct view cubin = view_part(file, 16 + (uint64_t)e.header_size, e.payload_size);
  assert_non_null(memmem(cubin.data, cubin.size, x.compat.data, x.compat.size));
  testdata_free(file);
}

static void test_concatenation(void **state)
{
  (void)state;
  struct view file = testdata_load("n135_concat_li.fatbin");
  struct fatbin_entry parent, sub;
  struct fatbin_concat concat;
  struct fatbin_extras x;
  struct view header = entry_header(file, 16, &parent);
  assert_int_equal(parent.kind, FATBIN_KIND_CONCATENATION);
  assert_true(fatbin_concat_decode(header, &parent, &concat));
  assert_int_equal(concat.count, 2);
  assert_int_equal(concat.begin, 72);
  size_t at = concat.begin;
  for (uint32_t i = 0; i < concat.count; i++) {
    struct view rest = view_part(header, at, concat.end - at);
    assert_true(fatbin_entry_decode(rest, &sub));
    assert_int_equal(fatbin_extras_decode(rest, &sub, &x), FATBIN_EXTRAS_OK);
    assert_view(x.identifier, "k2.cu");
    assert_view(x.options, " --generate-line-info ");
    at += x.extent;
  }
  assert_int_equal(at, concat.end);

  parent.extras_offset = parent.header_size - 4;
  assert_false(fatbin_concat_decode(header, &parent, &concat));
  parent.extras_offset = UINT32_MAX;
  assert_false(fatbin_concat_decode(header, &parent, &concat));
  parent.extras_offset = 0;
  assert_false(fatbin_concat_decode(header, &parent, &concat));
  testdata_free(file);
}

static void test_flags(void **state)
{
  (void)state;
  struct cuw_image image;
  struct fatbin_entry e = {.kind = 2, .arch = 100, .payload_size = 64, .compressed_size = 60, .decompressed_size = 200};
  static const struct {
    uint64_t flags;
    char suffix;
    enum cuw_compression compression;
    enum cuw_host host;
    int bits, debug;
  } cases[] = {
      {0, 0, CUW_STORED, CUW_HOST_UNKNOWN, 32, 0},
      {0x11, 0, CUW_STORED, CUW_HOST_LINUX, 64, 0},
      {0x43, 0, CUW_STORED, CUW_HOST_WINDOWS, 64, 1},
      {0x71, 0, CUW_STORED, CUW_HOST_LINUX, 64, 0},
      {0x61, 0, CUW_STORED, CUW_HOST_MAC, 64, 0},
      {0x1202011, 'f', CUW_LZ4, CUW_HOST_LINUX, 64, 0},
      {0x1108011, 'a', CUW_ZSTD, CUW_HOST_LINUX, 64, 0},
      {0x30a011, 'a', CUW_LZ4, CUW_HOST_LINUX, 64, 0},
      {0x1011, 0, CUW_COMPRESSION_UNKNOWN, CUW_HOST_LINUX, 64, 0},
      {0x4011, 0, CUW_COMPRESSION_UNKNOWN, CUW_HOST_LINUX, 64, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    e.flags = cases[i].flags;
    memset(&image, 0xff, sizeof image);
    fatbin_entry_to_image(&e, &image);
    bool stored = cases[i].compression == CUW_STORED;
    assert_int_equal(image.arch.suffix, cases[i].suffix);
    assert_int_equal(image.compression, cases[i].compression);
    assert_int_equal(image.host, cases[i].host);
    assert_int_equal(image.bits, cases[i].bits);
    assert_int_equal(image.debug, cases[i].debug);
    assert_int_equal(image.stored_size, stored ? 64 : 60);
    assert_int_equal(image.size, stored ? 64 : 200);
    assert_false(image.arch.is_virtual);
  }
}

static void test_sanity(void **state)
{
  (void)state;
  struct fatbin_entry good = {.kind = 2, .header_size = 64, .payload_size = 8}, e;
  assert_true(fatbin_entry_is_sane(&good));
  e = good, e.header_size = 56;
  assert_false(fatbin_entry_is_sane(&e));
  e = good, e.header_size = 68;
  assert_false(fatbin_entry_is_sane(&e));
  e = good, e.header_size = (1u << 20) + 8;
  assert_false(fatbin_entry_is_sane(&e));
  e = good, e.payload_size = 9;
  assert_false(fatbin_entry_is_sane(&e));
  e = good, e.kind = 3;
  assert_false(fatbin_entry_is_sane(&e));
  e = good, e.kind = FATBIN_KIND_CONCATENATION;
  assert_true(fatbin_entry_is_sane(&e));
}

static void test_maltreated(void **state)
{
  (void)state;
  static const char *const names[] = {"n135_concat_li.fatbin", "n130_lineinfo.fatbin", "n130_sm100a.fatbin",
                                      "m49_concat_count.fatbin", "m36_name_len.fatbin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    testdata_torture(names[i], 400, 97, 400, 2000, decode_container);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corpus),      cmocka_unit_test(test_faulty_extras),
      cmocka_unit_test(test_options),     cmocka_unit_test(test_options_without_string),
      cmocka_unit_test(test_compat_copy), cmocka_unit_test(test_concatenation),
      cmocka_unit_test(test_flags),       cmocka_unit_test(test_sanity),
      cmocka_unit_test(test_maltreated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
