/* SPDX-License-Identifier: Apache-2.0 */
/* What opening every image finds: the damaged files of the corpus, and cubins damaged here. */
#include "testdata.h"

#include <unistd.h>

#include "cuwheel/inspect.h"
#include "input/source.h"
#include "inspect/examine.h"
#include "inspect/job.h"

static struct cuw_input *verify(const char *name, uint64_t limit)
{
  char path[4096];
  testdata_path(name, path, sizeof path);
  struct cuw_inspect_options options = {.jobs = 1, .verify = true, .max_image_size = limit};
  struct cuw_input *input = cuw_inspect(path, &options);
  assert_non_null(input);
  return input;
}

static const struct {
  const char *file, *code;
  uint64_t offset;
} damaged[] = {
    {"m16_csz_gt.fatbin", "payload-damaged", 16},
    {"m17_csz0.fatbin", "payload-damaged", 16},
    {"m18_usz0.fatbin", "payload-size", 16},
    {"m19_usz_small.fatbin", "payload-size", 16},
    {"m20_usz_big.fatbin", "payload-size", 16},
    {"m21_usz_lz4_small.fatbin", "payload-size", 336},
    {"m22_usz_lz4_big.fatbin", "payload-size", 336},
    {"m23_bad_zstd.fatbin", "payload-damaged", 16},
    {"m24_bad_zstd_magic.fatbin", "payload-damaged", 16},
    {"m25_bad_lz4.fatbin", "payload-damaged", 336},
    {"m26_both_comp.fatbin", "payload-damaged", 16},
    {"m27_comp_unknown.fatbin", "payload-compression", 16},
    {"m42_elf_trunc.fatbin", "cubin-damaged", 16},
    {"m43_elf_not.fatbin", "payload-content", 16},
    {"m44_arch_mismatch.fatbin", "payload-architecture", 16},
    {"m45_shoff.cubin", "cubin-damaged", 0},
    {"m46_shnum.cubin", "cubin-damaged", 0},
};

/* Each has its fault, and none that has nothing to do with it. */
static void test_damaged(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    struct cuw_input *input = verify(damaged[i].file, 0);
    int found = 0, others = 0;
    for (size_t k = 0; k < input->problem_count; k++) {
      const struct cuw_problem *p = &input->problems[k];
      bool is_it = strcmp(p->code, damaged[i].code) == 0 && p->offset == damaged[i].offset;
      bool structural = strcmp(p->code, "compressed-size") == 0 || strcmp(p->code, "compression-flags") == 0;
      found += is_it;
      others += !is_it && !structural;
      if (is_it)
        assert_int_equal(p->severity, CUW_ERROR);
    }
    if (found != 1 || others != 0)
      fail_msg("%s: %d of %s, %d others", damaged[i].file, found, damaged[i].code, others);
    assert_true(cuw_input_is_damaged(input));
    assert_false(input->distributions[0].libraries[0]->complete);
    cuw_input_free(input);
  }
}

static void check_good(const char *name)
{
  struct cuw_input *input = verify(name, 0);
  if (input->problem_count > 0)
    fail_msg("%s: %s at 0x%llx", name, input->problems[0].code, (unsigned long long)input->problems[0].offset);
  cuw_input_free(input);
}

/* Every toolkit and compression, relocatable and linked code, Tile IR, LTO-IR, hosts of every kind. */
static void test_good(void **state)
{
  (void)state;
  int count = testdata_each("f1", ".fatbin", check_good) + testdata_each("p1", ".cubin", check_good) +
              testdata_each("n13", ".fatbin", check_good) + testdata_each("n13", ".so", check_good) +
              testdata_each("n13", ".o", check_good) + testdata_each("x_", ".so", check_good);
  assert_true(count > 100);
  check_good("m00_good.fatbin");
}

static void test_limit(void **state)
{
  (void)state;
  struct cuw_input *input = verify("m00_good.fatbin", 4096);
  assert_int_equal(input->problem_count, 1);
  assert_string_equal(input->problems[0].code, "payload-too-big");
  assert_int_equal(input->problems[0].offset, 336);
  cuw_input_free(input);
}

/* --- Cubins damaged here --- */

static void poke(struct view file, uint64_t at, uint64_t value, unsigned bytes)
{
  assert_true(range_fits(at, bytes, file.size));
  for (unsigned i = 0; i < bytes; i++)
    ((uint8_t *)(uintptr_t)file.data)[at + i] = (uint8_t)(value >> (8 * i));
}

static uint64_t section_header(struct view file, uint32_t type)
{
  uint64_t table = view_uint(file, 40, 8), count = view_uint(file, 60, 2);
  for (uint64_t i = 0; i < count; i++)
    if (view_uint(file, table + i * 64 + 4, 4) == type)
      return table + i * 64;
  fail_msg("no section of type 0x%x", type);
  return 0;
}

/* The only problem of the cubin; NULL: none. */
static const char *only_problem(struct view file, enum cuw_severity *severity)
{
  struct examine_options options = {1 << 20};
  struct job_visitor visitor = {examine_library, &options};
  struct job_result r;
  struct source *s = source_memory(file.data, file.size);
  static char code[64];
  code[0] = 0;
  job_read(s, "made.cubin", &visitor, &r);
  assert_int_equal(r.library_count, 1);
  assert_int_equal(r.libraries[0]->image_count, 1);
  assert_true(r.libraries[0]->problem_count <= 1);
  if (r.libraries[0]->problem_count) {
    *severity = r.libraries[0]->problems[0].severity;
    snprintf(code, sizeof code, "%s", r.libraries[0]->problems[0].code);
  }
  job_result_free(&r);
  source_close(s);
  return code[0] ? code : NULL;
}

enum damage { NO_DAMAGE, SYMBOLS_OUTSIDE, SYMBOLS_UNEVEN, NAME_OUTSIDE, RECORD_OVERRUNS, NAME_ODD };

static void apply(struct view file, enum damage damage)
{
  uint64_t symbols = section_header(file, 2), table = view_uint(file, symbols + 24, 8);
  uint64_t info = view_uint(file, section_header(file, 0x70000000) + 24, 8);
  uint8_t *name = memmem(file.data, file.size, "\0inc_kernel", 12);
  switch (damage) {
  case NO_DAMAGE:
    break;
  case SYMBOLS_OUTSIDE:
    poke(file, symbols + 24, file.size, 8);
    break;
  case SYMBOLS_UNEVEN:
    poke(file, symbols + 32, view_uint(file, symbols + 32, 8) - 1, 8);
    break;
  case NAME_OUTSIDE:
    for (uint64_t at = table; at < table + view_uint(file, symbols + 32, 8); at += 24)
      if (view_uint(file, at + 4, 1) == 0x12)
        poke(file, at, 0xfffffff0, 4);
    break;
  case RECORD_OVERRUNS:
    poke(file, info + 2, 0xffff, 2);
    break;
  case NAME_ODD:
    for (; name; name = memmem(name + 1, (size_t)(file.data + file.size - name - 1), "inc_kernel", 11))
      name[4] = 0x1b;
    break;
  }
}

static void test_cubins(void **state)
{
  (void)state;
  static const struct {
    enum damage damage;
    const char *code;
    enum cuw_severity severity;
  } cases[] = {
      {NO_DAMAGE, NULL, CUW_NOTE},
      {SYMBOLS_OUTSIDE, "cubin-damaged", CUW_ERROR},
      {SYMBOLS_UNEVEN, "cubin-damaged", CUW_ERROR},
      {NAME_OUTSIDE, "cubin-damaged", CUW_ERROR},
      {RECORD_OVERRUNS, "cubin-damaged", CUW_ERROR},
      {NAME_ODD, "kernel-name", CUW_WARNING},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view file = testdata_load("p130_sm90.cubin");
    enum cuw_severity severity = CUW_NOTE;
    apply(file, cases[i].damage);
    const char *code = only_problem(file, &severity);
    if (cases[i].code)
      assert_string_equal(code ? code : "none", cases[i].code);
    else
      assert_null(code);
    assert_int_equal(severity, cases[i].severity);
    testdata_free(file);
  }
}

/* What an entry promises, against what is in it. */
static void test_content(void **state)
{
  (void)state;
  static const char text[] = ".version 9.0\n.target sm_100f\n.address_size 64\n";
  struct view v = {(const uint8_t *)text, sizeof text - 1};
  struct cuw_image image = {.kind = CUW_KIND_PTX,
                            .has_entry = true,
                            .has_arch = true,
                            .isa_major = 9,
                            .arch = {.number = 100, .suffix = 'f', .is_virtual = true}};
  bool readable;
  assert_null(image_content_fault(&image, v, &readable).code);
  image.arch.suffix = 'a';
  assert_string_equal(image_content_fault(&image, v, &readable).code, "payload-architecture");
  assert_true(readable);
  image.arch.suffix = 'f';
  image.isa_minor = 1;
  assert_string_equal(image_content_fault(&image, v, &readable).code, "payload-isa");
  image.has_entry = false;
  assert_null(image_content_fault(&image, v, &readable).code);
  image.kind = CUW_KIND_CUBIN;
  assert_string_equal(image_content_fault(&image, v, &readable).code, "payload-content");
  assert_false(readable);
  image.kind = CUW_KIND_TILEIR;
  assert_string_equal(image_content_fault(&image, v, &readable).code, "payload-content");
}

/* The entry of a Tile kernel says sm_100, its cubin sm_100a: no fault. The other way round it is one. */
static void test_suffix(void **state)
{
  (void)state;
  struct view accelerated = testdata_load("p130_sm100a.cubin"), plain = testdata_load("p130_sm100.cubin");
  struct cuw_image image = {.kind = CUW_KIND_CUBIN, .has_entry = true, .has_arch = true, .arch = {.number = 100}};
  bool readable;
  assert_null(image_content_fault(&image, accelerated, &readable).code);
  assert_null(image_content_fault(&image, plain, &readable).code);
  image.arch.suffix = 'f';
  assert_null(image_content_fault(&image, plain, &readable).code);
  image.arch.suffix = 'a';
  assert_null(image_content_fault(&image, accelerated, &readable).code);
  assert_string_equal(image_content_fault(&image, plain, &readable).code, "payload-architecture");
  testdata_free(accelerated);
  testdata_free(plain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_damaged), cmocka_unit_test(test_good),    cmocka_unit_test(test_limit),
      cmocka_unit_test(test_cubins),  cmocka_unit_test(test_content), cmocka_unit_test(test_suffix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
