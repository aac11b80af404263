/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/carrier.h"
#include "model/builder.h"
#include "testdata.h"

struct mapped {
  struct source *source;
  struct cuw_library *library;
  struct carrier_map map;
};

static struct mapped map_bytes(struct view v)
{
  struct mapped m = {
      source_memory(v.data, v.size), library_new("x.dll", CUW_PE, v.size), {{NULL, 0}, {NULL, 0}, false, false}};
  assert_non_null(m.source);
  assert_non_null(m.library);
  pe_map(m.source, m.library, &m.map);
  return m;
}

static void unmap(struct mapped *m)
{
  carrier_map_free(&m->map);
  cuw_library_free(m->library);
  source_close(m->source);
}

static bool has_problem(const struct mapped *m, const char *code)
{
  for (size_t i = 0; i < m->library->problem_count; i++) {
    if (!strcmp(m->library->problems[i].code, code))
      return true;
  }
  return false;
}

/* Regions lie in the file, one behind the other; problems of errors make the library incomplete. */
static void check_sound(struct view v)
{
  struct mapped m = map_bytes(v);
  uint64_t end = 0;
  for (size_t i = 0; i < m.map.regions.count; i++) {
    const struct region *r = &m.map.regions.items[i];
    assert_true(r->begin >= end && r->begin < r->end && r->end <= v.size);
    end = r->end;
  }
  for (size_t i = 0; i < m.library->problem_count; i++)
    assert_true(m.library->problems[i].offset == CUW_NONE || m.library->problems[i].offset <= UINT32_MAX);
  if (!m.map.has_sections && v.size)
    assert_int_equal(m.map.regions.count, 1);
  unmap(&m);
}

static void assert_region(const struct region *r, const char *section, uint64_t begin, uint64_t end,
                          enum region_mode mode, enum cuw_role role)
{
  assert_string_equal(r->section, section);
  assert_true(r->begin == begin && r->end == end);
  assert_int_equal(r->mode, mode);
  if (mode == REGION_CONTAINERS)
    assert_int_equal(r->role, role);
}

static void sections_and_wrappers(void **state)
{
  (void)state;
  struct view v = testdata_load("pe_min.dll");
  struct mapped m = map_bytes(v);
  assert_true(m.map.has_sections && !m.map.link_time);
  assert_string_equal(m.library->machine, "x86_64");
  assert_int_equal(m.library->problem_count, 0);
  assert_int_equal(m.map.regions.count, 3);
  assert_region(&m.map.regions.items[0], "__nv_mod", 0x600, 0x60f, REGION_SCAN, CUW_ROLE_SELF_LOADED);
  assert_region(&m.map.regions.items[1], "__nv_rel", 0x800, 0x12c8, REGION_CONTAINERS, CUW_ROLE_RELOCATABLE);
  assert_region(&m.map.regions.items[2], ".nv_fatb", 0x1600, 0x2970, REGION_CONTAINERS, CUW_ROLE_REGISTERED);
  assert_int_equal(m.map.wrappers.count, 2);
  assert_true(m.map.wrappers.items[0].container == 0x800 && m.map.wrappers.items[0].version == 1);
  assert_true(m.map.wrappers.items[1].container == 0x1600 && m.map.wrappers.items[1].version == 2);
  unmap(&m);
  testdata_free(v);
}

static void no_cuda_is_no_problem(void **state)
{
  (void)state;
  struct view v = testdata_load("pe_none.dll");
  struct mapped m = map_bytes(v);
  assert_true(m.map.has_sections);
  assert_int_equal(m.library->problem_count, 0);
  assert_int_equal(m.map.regions.count, 0);
  unmap(&m);
  testdata_free(v);
}

/* Every prefix is told to be cut, until only padding is missing. */
static void prefixes(void **state)
{
  (void)state;
  struct view v = testdata_load("pe_min.dll");
  for (size_t size = 0; size < v.size; size++) {
    struct view cut = testdata_copy((struct view){v.data, size});
    check_sound(cut);
    if (size % 7 == 0) {
      struct mapped m = map_bytes(cut);
      assert_int_equal(m.library->complete, size >= 0x2970);
      unmap(&m);
    }
    testdata_free(cut);
  }
  testdata_free(v);
}

static void flipped_bytes(void **state)
{
  (void)state;
  testdata_torture("pe_min.dll", 0, 1 << 20, 0x500, 4000, check_sound);
  testdata_torture("pe_none.dll", 2000, 1, 0x300, 2000, check_sound);
}

static void cut_section_keeps_what_exists(void **state)
{
  (void)state;
  struct view v = testdata_load("pe_min.dll");
  struct mapped m = map_bytes((struct view){v.data, 0x2000});
  assert_true(m.map.has_sections && !m.library->complete);
  assert_true(has_problem(&m, "section-truncated"));
  const struct region *last = &m.map.regions.items[m.map.regions.count - 1];
  assert_region(last, ".nv_fatb", 0x1600, 0x2000, REGION_CONTAINERS, CUW_ROLE_REGISTERED);
  unmap(&m);
  testdata_free(v);
}

static void damaged_header_is_scanned_whole(void **state)
{
  (void)state;
  struct view whole = testdata_load("pe_min.dll");
  size_t pe = (size_t)view_uint(whole, 0x3c, 4);
  static const size_t places[] = {0, 24}; /* the signature; the kind of optional header */
  for (size_t i = 0; i < 2; i++) {
    struct view v = testdata_copy(whole);
    ((uint8_t *)(uintptr_t)v.data)[pe + places[i]] ^= 0x40;
    struct mapped m = map_bytes(v);
    assert_false(m.map.has_sections);
    assert_int_equal(m.library->problem_count, 1);
    assert_string_equal(m.library->problems[0].code, "pe-header-damaged");
    assert_true(m.library->problems[0].offset == pe);
    assert_int_equal(m.map.regions.count, 1);
    assert_true(m.map.regions.items[0].begin == 0 && m.map.regions.items[0].end == v.size);
    assert_int_equal(m.map.regions.items[0].mode, REGION_SCAN);
    assert_null(m.map.regions.items[0].section);
    unmap(&m);
    testdata_free(v);
  }
  testdata_free(whole);
}

/* A PE image made here: headers, one section .rdata at 0x200 (RVA 0x1000) with the import tables. */
struct image {
  uint8_t bytes[0x800];
  bool is_64;
};

static void put(struct image *p, size_t at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    p->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_text(struct image *p, size_t at, const char *text)
{
  memcpy(p->bytes + at, text, strlen(text) + 1);
}

#define OPTIONAL_AT 0x58u
#define TABLE_AT 0x148u /* section table */

static void section_header(struct image *p, size_t index, const char *name, uint32_t address, uint32_t raw,
                           uint32_t size, uint32_t flags)
{
  size_t at = TABLE_AT + 40 * index;
  memcpy(p->bytes + at, name, strnlen(name, 8));
  put(p, at + 8, size, 4);
  put(p, at + 12, address, 4);
  put(p, at + 16, size, 4);
  put(p, at + 20, raw, 4);
  put(p, at + 36, flags, 4);
  put(p, 0x46, index + 1, 2);
}

static void image_start(struct image *p, bool is_64, uint16_t machine)
{
  memset(p, 0, sizeof(*p));
  p->is_64 = is_64;
  put_text(p, 0, "MZ");
  put(p, 0x3c, 0x40, 4);
  put_text(p, 0x40, "PE");
  put(p, 0x44, machine, 2);
  put(p, 0x54, TABLE_AT - OPTIONAL_AT, 2);
  put(p, OPTIONAL_AT, is_64 ? 0x20b : 0x10b, 2);
  put(p, OPTIONAL_AT + (is_64 ? 24 : 28), 0x400000, is_64 ? 8 : 4);
  put(p, OPTIONAL_AT + 60, 0x200, 4);
  put(p, OPTIONAL_AT + (is_64 ? 108 : 92), 16, 4);
  section_header(p, 0, ".rdata", 0x1000, 0x200, 0x400, 0x40000040);
}

static void directory(struct image *p, unsigned index, uint32_t address)
{
  put(p, OPTIONAL_AT + (p->is_64 ? 112 : 96) + 8 * index, address, 4);
}

static void imports_and_delay_imports(void **state)
{
  (void)state;
  for (int is_64 = 0; is_64 < 2; is_64++) {
    static struct image p;
    image_start(&p, is_64, is_64 ? 0xAA64 : 0x14C);
    directory(&p, 1, 0x1000);
    put(&p, 0x200 + 12, 0x1100, 4);
    put(&p, 0x200 + 20 + 12, 0x1120, 4);
    put_text(&p, 0x300, "cudart64_12.dll");
    put_text(&p, 0x320, "KERNEL32.dll");
    directory(&p, 13, 0x1080);
    put(&p, 0x280, 1, 4); /* addresses relative to the image */
    put(&p, 0x284, 0x1140, 4);
    put(&p, 0x280 + 32 + 4, 0x401160, 4); /* an absolute one */
    put_text(&p, 0x340, "nvrtc64_120_0.dll");
    put_text(&p, 0x360, "cublas64_12.dll");
    struct mapped m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
    assert_string_equal(m.library->machine, is_64 ? "aarch64" : "i386");
    assert_int_equal(m.library->problem_count, 0);
    assert_int_equal(m.library->needed_count, 4);
    assert_string_equal(m.library->needed[0], "cudart64_12.dll");
    assert_string_equal(m.library->needed[1], "KERNEL32.dll");
    assert_string_equal(m.library->needed[2], "nvrtc64_120_0.dll");
    assert_string_equal(m.library->needed[3], "cublas64_12.dll");
    unmap(&m);
  }
}

static void imports_outside_the_file(void **state)
{
  (void)state;
  static struct image p;
  image_start(&p, true, 0x1234);
  directory(&p, 1, 0x1000);
  put(&p, 0x200 + 12, 0x1100, 4);
  put_text(&p, 0x300, "a.dll");
  put(&p, 0x200 + 20 + 12, 0x9999, 4);
  struct mapped m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
  assert_string_equal(m.library->machine, "machine-0x1234");
  assert_int_equal(m.library->needed_count, 1);
  assert_true(has_problem(&m, "import-table-damaged"));
  unmap(&m);

  directory(&p, 1, 0x13f8); /* the table runs out of its section */
  put(&p, 0x200 + 0x3f8 + 4, 1, 4);
  m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
  assert_int_equal(m.library->needed_count, 0);
  assert_true(has_problem(&m, "import-table-damaged"));
  unmap(&m);
}

static void wrappers_of_32_bits(void **state)
{
  (void)state;
  static struct image p;
  image_start(&p, false, 0x14C);
  section_header(&p, 1, ".nvFatBi", 0x2000, 0x600, 0x34, 0x40000040);
  section_header(&p, 2, ".nv_fatb", 0x3000, 0x700, 0x80, 0x40000040);
  put(&p, 0x600, 0x466243B1, 4);
  put(&p, 0x604, 1, 4);
  put(&p, 0x608, 0x403040, 4);
  put(&p, 0x614, 0x466243B1, 4); /* behind four bytes that a linker left */
  put(&p, 0x618, 2, 4);
  put(&p, 0x61c, 0x500000, 4);
  struct mapped m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
  assert_int_equal(m.map.wrappers.count, 2);
  assert_true(m.map.wrappers.items[0].container == 0x740 && m.map.wrappers.items[0].version == 1);
  assert_true(m.map.wrappers.items[1].container == CUW_NONE && m.map.wrappers.items[1].version == 2);
  assert_true(has_problem(&m, "wrapper-unresolved"));
  unmap(&m);
}

static void long_names_and_what_is_left_out(void **state)
{
  (void)state;
  static struct image p;
  image_start(&p, true, 0x8664);
  section_header(&p, 1, "/4", 0x2000, 0x600, 0x20, 0x40000040);
  section_header(&p, 2, ".text", 0x3000, 0x620, 0x20, 0x60000020);
  section_header(&p, 3, ".pdata", 0x4000, 0x640, 0x20, 0x40000040);
  section_header(&p, 4, "/99999", 0x5000, 0x660, 0x20, 0x40000040);
  section_header(&p, 5, ".bss", 0x6000, 0x680, 0x20, 0xC0000080);
  put(&p, 0x4c, 0x700, 4); /* symbol table: empty, the string table directly behind */
  put(&p, 0x700, 20, 4);
  put_text(&p, 0x704, ".nv_fatbin");
  struct mapped m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
  assert_int_equal(m.map.regions.count, 3);
  assert_string_equal(m.map.regions.items[0].section, ".rdata");
  assert_region(&m.map.regions.items[1], ".nv_fatbin", 0x600, 0x620, REGION_CONTAINERS, CUW_ROLE_REGISTERED);
  assert_string_equal(m.map.regions.items[2].section, "/99999");
  assert_int_equal(m.library->problem_count, 0);
  unmap(&m);
}

static void cut_section_table(void **state)
{
  (void)state;
  static struct image p;
  image_start(&p, true, 0x8664);
  put(&p, 0x46, 0xffff, 2);
  struct mapped m = map_bytes((struct view){p.bytes, sizeof(p.bytes)});
  assert_false(m.map.has_sections);
  assert_true(has_problem(&m, "section-table-truncated"));
  assert_int_equal(m.map.regions.count, 1);
  unmap(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_and_wrappers),
      cmocka_unit_test(no_cuda_is_no_problem),
      cmocka_unit_test(prefixes),
      cmocka_unit_test(flipped_bytes),
      cmocka_unit_test(cut_section_keeps_what_exists),
      cmocka_unit_test(damaged_header_is_scanned_whole),
      cmocka_unit_test(imports_and_delay_imports),
      cmocka_unit_test(imports_outside_the_file),
      cmocka_unit_test(wrappers_of_32_bits),
      cmocka_unit_test(long_names_and_what_is_left_out),
      cmocka_unit_test(cut_section_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
