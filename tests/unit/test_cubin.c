/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include "image/cubin.h"

/* The corpus' names say what made a file and for what: p129_sm100f.cubin. */
static void check_cubin(const char *name)
{
  struct view file = testdata_load(name);
  struct cubin_header header;
  struct cubin_facts facts;
  const char *damage = "unset";
  assert_true(cubin_header_decode(file, &header));
  assert_true(cubin_facts_read(file, &facts, &damage));
  assert_null(damage);
  assert_int_equal(cubin_extent(&header), file.size);

  int toolkit;
  char target[16], arch[CUW_ARCH_NAME_MAX], note[sizeof target + 8];
  assert_int_equal(sscanf(name, "p%3d_sm%15[0-9af]", &toolkit, target), 2);
  json_t *images = testdata_images(name);
  assert_string_equal(cuw_arch_name(facts.arch, arch),
                      json_string_value(json_object_get(json_array_get(images, 0), "arch")));
  json_decref(images);

  char release[16];
  snprintf(release, sizeof release, "%d.%d", toolkit / 10, toolkit % 10);
  assert_string_equal(facts.toolkit, release);
  assert_int_equal(facts.relocatable, strstr(name, "_rel") != NULL);
  assert_int_equal(facts.suffix_unknown, facts.arch.number >= 100 && facts.arch.suffix == 0);
  assert_int_equal(header.abi, toolkit >= 130 || (toolkit >= 128 && facts.arch.number >= 100) ? 8 : 7);
  assert_int_equal(header.toolkit, header.abi == 7 ? toolkit : 0);
  assert_int_equal(header.bits, 64);

  snprintf(note, sizeof note, "sm_%s", target);
  assert_string_equal(facts.arch_note, header.abi == 8 ? note : "");
  testdata_free(file);
}

static void test_corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("p1", ".cubin", check_cubin) >= 35);
}

static void test_family_shows_in_the_note_alone(void **state)
{
  (void)state;
  struct view file = testdata_load("p130_sm120f.cubin");
  struct cubin_facts facts;
  const char *damage;
  assert_true(cubin_facts_read(file, &facts, &damage));
  assert_int_equal(facts.arch.suffix, 0);
  assert_true(facts.suffix_unknown);
  assert_string_equal(facts.arch_note, "sm_120f");
  testdata_free(file);
}

/* Below sm_90 the bit that means `a` above marks an erratum. */
static void test_erratum_is_no_suffix(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    char suffix;
  } cases[] = {{"p118_sm50.cubin", 0}, {"p118_sm80.cubin", 0}, {"p118_sm90.cubin", 'a'}};
  for (size_t i = 0; i < 3; i++) {
    struct view file = testdata_load(cases[i].name);
    ((uint8_t *)(uintptr_t)file.data)[49] |= 0x8;
    struct cubin_header header;
    assert_true(cubin_header_decode(file, &header));
    assert_int_equal(header.arch.suffix, cases[i].suffix);
    testdata_free(file);
  }
}

static void test_compat(void **state)
{
  (void)state;
  static const struct {
    uint8_t bytes[12];
    size_t size;
    int accelerator;
  } cases[] = {
      {{2, 9, 1, 0}, 4, 1},
      {{2, 9, 0, 0}, 4, 0},
      {{2, 9, 2, 0}, 4, 0},
      {{3, 9, 1, 1}, 4, 0},
      {{3, 7, 1, 1, 2, 9, 1, 0}, 8, 1},
      {{4, 11, 4, 0, 2, 9, 1, 0}, 8, -1},
      {{4, 11, 4, 0, 0, 0, 0, 0, 2, 9, 1, 0}, 12, 1},
      {{4, 11, 200, 0, 2, 9, 1, 0}, 8, -1},
      {{9, 9, 1, 0}, 4, -1},
      {{2, 9, 1}, 3, -1},
      {{0}, 0, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view v = testdata_copy((struct view){cases[i].bytes, cases[i].size});
    assert_int_equal(compat_accelerator(v), cases[i].accelerator);
    testdata_free(v);
  }
}

/* The fields of m45 and m46 lie; what the header says is still told. */
static void test_damaged_tables(void **state)
{
  (void)state;
  static const char *const names[] = {"m45_shoff.cubin", "m46_shnum.cubin"};
  for (size_t i = 0; i < 2; i++) {
    struct view file = testdata_load(names[i]);
    struct cubin_facts facts;
    const char *damage = NULL;
    assert_true(cubin_facts_read(file, &facts, &damage));
    assert_non_null(damage);
    assert_int_equal(facts.arch.number, 90);
    assert_int_equal(cubin_kernels(file, NULL, NULL), -1);
    testdata_free(file);
  }
}

static void test_no_cubin(void **state)
{
  (void)state;
  static const char *const names[] = {"m00_good.fatbin", "pe_min.dll", "n130_c.o", "text_a.ptx"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct view file = testdata_load(names[i]);
    struct cubin_header header;
    struct cubin_facts facts;
    const char *damage;
    assert_false(cubin_header_decode(file, &header));
    assert_false(cubin_facts_read(file, &facts, &damage));
    testdata_free(file);
  }
}

static void test_extent(void **state)
{
  (void)state;
  struct cubin_header h = {.bits = 64};
  assert_int_equal(cubin_extent(&h), 0);
  h.section_offset = 1000, h.section_count = 3;
  assert_int_equal(cubin_extent(&h), 1192);
  h.program_offset = 1192, h.program_count = 2;
  assert_int_equal(cubin_extent(&h), 1304);
  h.section_offset = UINT64_MAX - 10;
  assert_int_equal(cubin_extent(&h), 0);
  h.bits = 32, h.section_offset = 1000, h.program_count = 0;
  assert_int_equal(cubin_extent(&h), 1120);
}

struct names {
  int count;
  bool inc, nop;
};

static bool note_name(void *data, struct view name)
{
  struct names *n = data;
  n->count++;
  n->inc = n->inc || (name.size == 10 && memcmp(name.data, "inc_kernel", 10) == 0);
  n->nop = n->nop || (name.size == 10 && memcmp(name.data, "nop_kernel", 10) == 0);
  return true;
}

static bool stop_at_once(void *data, struct view name)
{
  (void)name;
  ++*(int *)data;
  return false;
}

static void check_kernels(const char *name)
{
  struct view file = testdata_load(name);
  struct names names = {0};
  assert_int_equal(cubin_kernels(file, note_name, &names), 2);
  assert_int_equal(names.count, 2);
  assert_true(names.inc && names.nop);
  int calls = 0;
  assert_int_equal(cubin_kernels(file, stop_at_once, &calls), 1);
  assert_int_equal(calls, 1);
  testdata_free(file);
}

/* Among them those of ptxas 12.0, whose relocation sections link to the wrong table. */
static void test_kernels(void **state)
{
  (void)state;
  assert_true(testdata_each("p1", ".cubin", check_kernels) >= 35);
}

static bool touch_name(void *data, struct view name)
{
  for (size_t i = 0; i < name.size; i++)
    *(unsigned *)data += name.data[i];
  return true;
}

static void read_all(struct view v)
{
  struct cubin_header header;
  struct cubin_facts facts;
  const char *damage;
  unsigned sum = 0;
  if (cubin_header_decode(v, &header))
    cubin_extent(&header);
  cubin_facts_read(v, &facts, &damage);
  cubin_kernels(v, touch_name, &sum);
}

static void test_maltreated(void **state)
{
  (void)state;
  static const char *const names[] = {"p118_sm35.cubin", "p120_sm90a.cubin", "p128_sm100_rel.cubin",
                                      "p130_sm100f.cubin", "p130_sm90_rel.cubin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    testdata_torture(names[i], 100, 41, 64, 1000, read_all);
    /* the section table stands at the end: aim at it through a file that is nothing else */
    testdata_torture(names[i], 0, 509, SIZE_MAX, 3000, read_all);
  }
}

/* Four bytes put at `at` of every 64-byte section header. */
static void poke_sections(struct view file, size_t at, uint32_t value)
{
  uint8_t *bytes = (uint8_t *)(uintptr_t)file.data;
  uint64_t table = view_uint(file, 40, 8), count = view_uint(file, 60, 2);
  for (uint64_t i = 0; i < count; i++)
    memcpy(bytes + table + i * 64 + at, &value, sizeof value);
}

static void test_hostile_sections(void **state)
{
  (void)state;
  static const uint32_t values[] = {0, 1, 2, 3, 7, 63, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
  for (size_t at = 0; at < 64; at += 4)
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      struct view file = testdata_load("p130_sm100f.cubin");
      poke_sections(file, at, values[i]);
      read_all(file);
      testdata_free(file);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corpus),
      cmocka_unit_test(test_family_shows_in_the_note_alone),
      cmocka_unit_test(test_erratum_is_no_suffix),
      cmocka_unit_test(test_compat),
      cmocka_unit_test(test_damaged_tables),
      cmocka_unit_test(test_no_cubin),
      cmocka_unit_test(test_extent),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_maltreated),
      cmocka_unit_test(test_hostile_sections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
