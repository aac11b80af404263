/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/carrier.h"
#include "model/builder.h"
#include "testdata.h"

/* An object made here: header, sections, raw data, symbols, strings. */
struct object {
  uint8_t bytes[2048];
  size_t size;
  bool big;
  unsigned sections;
};

static void put(struct object *o, size_t at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    o->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

#define STRINGS_AT 0x600u
#define SYMBOLS 2u

static void object_start(struct object *o, bool big)
{
  static const uint8_t class_id[16] = {0xC7, 0xA1, 0xBA, 0xD1, 0xEE, 0xBA, 0xA9, 0x4B,
                                       0xAF, 0x20, 0xFA, 0xF6, 0x6A, 0xA4, 0xDC, 0xB8};
  memset(o, 0, sizeof(*o));
  o->big = big;
  o->size = 0x700;
  unsigned symbols = STRINGS_AT - SYMBOLS * (big ? 20 : 18);
  if (big) {
    put(o, 2, 0xFFFF, 2);
    put(o, 4, 2, 2);
    put(o, 6, 0x8664, 2);
    memcpy(o->bytes + 12, class_id, 16);
    put(o, 48, symbols, 4);
    put(o, 52, SYMBOLS, 4);
  } else {
    put(o, 0, 0xAA64, 2);
    put(o, 8, symbols, 4);
    put(o, 12, SYMBOLS, 4);
  }
  static const char strings[] = ".nv_fatbin\0__nv_relfatbin\0.nvFatBinSegment";
  put(o, STRINGS_AT, 4 + sizeof(strings), 4);
  memcpy(o->bytes + STRINGS_AT + 4, strings, sizeof(strings));
}

static void object_section(struct object *o, const char *name, uint32_t raw, uint32_t size, uint32_t flags)
{
  size_t at = (o->big ? 56 : 20) + 40 * (size_t)o->sections++;
  memcpy(o->bytes + at, name, strnlen(name, 8));
  put(o, at + 16, size, 4);
  put(o, at + 20, raw, 4);
  put(o, at + 36, flags, 4);
  put(o, o->big ? 44 : 2, o->sections, o->big ? 4 : 2);
}

#define DATA 0x40000040u

struct mapped {
  struct source *source;
  struct cuw_library *library;
  struct carrier_map map;
};

static struct mapped map_bytes(struct view v)
{
  struct mapped m = {.source = source_memory(v.data, v.size), .library = library_new("x.obj", CUW_AR, v.size)};
  assert_non_null(m.source);
  assert_non_null(m.library);
  coff_map(m.source, m.library, &m.map);
  return m;
}

static void unmap(struct mapped *m)
{
  carrier_map_free(&m->map);
  cuw_library_free(m->library);
  source_close(m->source);
}

static void assert_region(const struct region *r, const char *section, uint64_t begin, uint64_t end,
                          enum region_mode mode)
{
  assert_string_equal(r->section, section);
  assert_true(r->begin == begin && r->end == end);
  assert_int_equal(r->mode, mode);
  assert_int_equal(r->role, CUW_ROLE_LINK_TIME);
}

static void fill_sections(struct object *o)
{
  object_section(o, ".text$mn", 0x300, 0x10, 0x60500020);
  object_section(o, ".rdata", 0x311, 0x1f, DATA);
  object_section(o, "/4", 0x330, 0x20, DATA);
  object_section(o, "//AAAAAP", 0x350, 0x20, DATA); /* 15 in base 64 */
  object_section(o, ".debug$S", 0x370, 0x20, 0x42100040);
  object_section(o, ".drectve", 0x390, 0x20, 0x00100A00);
  object_section(o, "/999", 0x3B0, 0x20, DATA);
  object_section(o, ".bss", 0, 0x20, 0xC0000080);
  object_section(o, ".nv_fatb", 0x3D0, 0x20, DATA);
  object_section(o, "/30", 0x3F0, 0x20, DATA);
}

static void sections_with_long_names(void **state)
{
  (void)state;
  for (int big = 0; big < 2; big++) {
    static struct object o;
    object_start(&o, big);
    fill_sections(&o);
    assert_int_equal(carrier_identify((struct view){o.bytes, o.size}), CARRIER_COFF);
    struct mapped m = map_bytes((struct view){o.bytes, o.size});
    assert_string_equal(m.library->machine, big ? "x86_64" : "aarch64");
    assert_int_equal(m.library->problem_count, 0);
    assert_true(m.map.link_time && m.map.has_sections);
    assert_int_equal(m.map.regions.count, 6);
    assert_region(&m.map.regions.items[0], ".rdata", 0x311, 0x330, REGION_SCAN);
    assert_region(&m.map.regions.items[1], ".nv_fatbin", 0x330, 0x350, REGION_CONTAINERS);
    assert_region(&m.map.regions.items[2], "__nv_relfatbin", 0x350, 0x370, REGION_CONTAINERS);
    assert_region(&m.map.regions.items[3], "/999", 0x3B0, 0x3D0, REGION_SCAN);
    assert_region(&m.map.regions.items[4], ".nv_fatb", 0x3D0, 0x3F0, REGION_CONTAINERS);
    assert_region(&m.map.regions.items[5], ".nvFatBinSegment", 0x3F0, 0x410, REGION_SCAN);
    unmap(&m);
  }
}

static void overlapping_sections_are_clipped(void **state)
{
  (void)state;
  static struct object o;
  object_start(&o, false);
  object_section(&o, ".data", 0x300, 0x40, DATA);
  object_section(&o, ".rdata", 0x2F0, 0x80, DATA);
  object_section(&o, ".data$1", 0x310, 0x20, DATA);
  struct mapped m = map_bytes((struct view){o.bytes, o.size});
  assert_int_equal(m.map.regions.count, 3);
  assert_region(&m.map.regions.items[0], ".rdata", 0x2F0, 0x300, REGION_SCAN);
  assert_region(&m.map.regions.items[1], ".data", 0x300, 0x340, REGION_SCAN);
  assert_region(&m.map.regions.items[2], ".rdata", 0x340, 0x370, REGION_SCAN);
  unmap(&m);
}

static void cut_objects(void **state)
{
  (void)state;
  static struct object o;
  object_start(&o, false);
  object_section(&o, ".nv_fatb", 0x300, 0x100, DATA);
  struct mapped m = map_bytes((struct view){o.bytes, 0x380});
  assert_int_equal(m.map.regions.count, 1);
  assert_region(&m.map.regions.items[0], ".nv_fatb", 0x300, 0x380, REGION_CONTAINERS);
  assert_int_equal(m.library->problem_count, 1);
  assert_string_equal(m.library->problems[0].code, "section-truncated");
  assert_true(m.library->problems[0].offset == 0x300);
  unmap(&m);

  m = map_bytes((struct view){o.bytes, 50}); /* inside the section table: search what is there */
  assert_false(m.map.has_sections);
  assert_string_equal(m.library->problems[0].code, "section-table-truncated");
  assert_int_equal(m.map.regions.count, 1);
  assert_int_equal(m.map.regions.items[0].role, CUW_ROLE_LINK_TIME);
  unmap(&m);

  m = map_bytes((struct view){o.bytes, 10});
  assert_string_equal(m.library->problems[0].code, "coff-header-truncated");
  unmap(&m);
}

static void check_sound(struct view v)
{
  struct mapped m = map_bytes(v);
  uint64_t end = 0;
  for (size_t i = 0; i < m.map.regions.count; i++) {
    const struct region *r = &m.map.regions.items[i];
    assert_true(r->begin >= end && r->begin < r->end && r->end <= v.size);
    end = r->end;
  }
  unmap(&m);
}

static void any_bytes_are_survived(void **state)
{
  (void)state;
  static struct object o;
  uint64_t seed = 7;
  for (int round = 0; round < 6000; round++) {
    object_start(&o, round & 1);
    fill_sections(&o);
    for (uint32_t k = testdata_random(&seed) % 12; k > 0; k--)
      o.bytes[testdata_random(&seed) % (k & 1 ? 500 : o.size)] = (uint8_t)testdata_random(&seed);
    size_t size = testdata_random(&seed) % 4 ? o.size : testdata_random(&seed) % (o.size + 1);
    struct view v = testdata_copy((struct view){o.bytes, size});
    carrier_identify(v);
    check_sound(v);
    testdata_free(v);
  }
}

static void strict_about_what_is_an_object(void **state)
{
  (void)state;
  static struct object o;
  static const struct {
    size_t at;
    uint64_t value;
    unsigned bytes;
  } breaks[] = {
      {0, 0x1234, 2}, /* machine */
      {2, 0, 2},      /* no sections */
      {16, 224, 2},   /* an optional header: an image */
      {8, 30, 4},     /* symbols inside the section table */
      {8, 0, 4},      /* symbols without a place */
      {20, 0, 1},     /* a section without a name */
      {22, 1, 1},     /* a control character in its name */
      {40, 5, 4},     /* raw data inside the headers */
  };
  for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
    object_start(&o, false);
    fill_sections(&o);
    put(&o, breaks[i].at, breaks[i].value, breaks[i].bytes);
    if (carrier_identify((struct view){o.bytes, o.size}) != CARRIER_NONE)
      fail_msg("break %zu still counts as an object", i);
  }
  object_start(&o, true);
  fill_sections(&o);
  put(&o, 4, 0, 2); /* version 0: an import object */
  assert_int_equal(carrier_identify((struct view){o.bytes, o.size}), CARRIER_NONE);
  put(&o, 4, 2, 2);
  o.bytes[20] ^= 1; /* another class of anonymous object */
  assert_int_equal(carrier_identify((struct view){o.bytes, o.size}), CARRIER_NONE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_with_long_names),
      cmocka_unit_test(overlapping_sections_are_clipped),
      cmocka_unit_test(cut_objects),
      cmocka_unit_test(any_bytes_are_survived),
      cmocka_unit_test(strict_about_what_is_an_object),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
