/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include "model/builder.h"
#include "model/report.h"

static struct cuw_image *add(struct cuw_library *l, uint64_t offset, uint32_t fatbin)
{
  struct cuw_image *image = library_add_image(l);
  assert_non_null(image);
  image->offset = offset;
  image->fatbin = fatbin;
  return image;
}

static void test_new_record(void **state)
{
  (void)state;
  char path[] = "pkg/libx.so";
  struct cuw_library *l = library_new(path, CUW_ELF, 1234);
  path[0] = 'X';
  assert_string_equal(l->path, "pkg/libx.so");
  assert_int_equal(l->size, 1234);
  assert_true(l->complete);
  assert_int_equal(l->fatbins, 0);
  struct cuw_image *image = library_add_image(l);
  assert_int_equal(image->fatbin, CUW_NO_FATBIN);
  assert_true(image->stored_size == CUW_NONE && image->part_offset == CUW_NONE);
  assert_int_equal(image->debug, -1);
  library_finish(l);
  cuw_library_free(l);
  cuw_library_free(NULL);
}

/* Found last to first, and a container without images between. */
static void test_numbers_follow_offsets(void **state)
{
  (void)state;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  uint32_t high = library_add_fatbin(l, 9000), empty = library_add_fatbin(l, 5000), low = library_add_fatbin(l, 100);
  add(l, 9080, high);
  add(l, 9016, high);
  add(l, 7000, CUW_NO_FATBIN);
  add(l, 180, low);
  add(l, 116, low);
  assert_int_not_equal(empty, high);
  library_finish(l);
  static const uint64_t offsets[] = {116, 180, 7000, 9016, 9080};
  static const uint32_t fatbins[] = {0, 0, CUW_NO_FATBIN, 2, 2};
  assert_int_equal(l->image_count, 5);
  assert_int_equal(l->fatbins, 3);
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(l->images[i].offset, offsets[i]);
    assert_int_equal(l->images[i].fatbin, fatbins[i]);
  }
  cuw_library_free(l);
}

static void test_many_images(void **state)
{
  (void)state;
  const uint32_t count = 3000;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t at = (uint64_t)((i * 7919) % count) * 100;
    uint32_t fatbin = library_add_fatbin(l, at);
    add(l, at + 16, fatbin)->size = at;
  }
  library_finish(l);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(l->images[i].fatbin, i);
    assert_int_equal(l->images[i].offset, i * 100 + 16);
    assert_int_equal(l->images[i].size, i * 100);
  }
  assert_true(l->complete);
  cuw_library_free(l);
}

static void test_problems(void **state)
{
  (void)state;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  library_problem(l, CUW_WARNING, "odd", 16, "look", "%s at %d", "something", 7);
  assert_true(l->complete);
  assert_int_equal(l->problem_count, 1);
  assert_string_equal(l->problems[0].code, "odd");
  assert_string_equal(l->problems[0].message, "something at 7");
  assert_string_equal(l->problems[0].hint, "look");
  assert_int_equal(l->problems[0].offset, 16);
  assert_null(l->problems[0].member);
  library_problem(l, CUW_ERROR, "bad", CUW_NONE, NULL, "broken");
  assert_false(l->complete);
  cuw_library_free(l);
}

static void test_problems_end(void **state)
{
  (void)state;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  for (unsigned i = 0; i < LIBRARY_PROBLEMS_MAX; i++)
    library_problem(l, CUW_NOTE, "odd", i, NULL, "number %u", i);
  assert_int_equal(l->problem_count, LIBRARY_PROBLEMS_MAX);
  for (unsigned i = 0; i < 5000; i++)
    library_problem(l, CUW_WARNING, "odd", i, NULL, "number %u", i);
  assert_int_equal(l->problem_count, LIBRARY_PROBLEMS_MAX + 1);
  const struct cuw_problem *last = &l->problems[LIBRARY_PROBLEMS_MAX];
  assert_string_equal(last->code, "too-many-problems");
  assert_int_equal(last->severity, CUW_WARNING);
  assert_true(l->complete);
  library_problem(l, CUW_ERROR, "bad", 1, NULL, "an error among those left out still counts");
  assert_int_equal(last->severity, CUW_ERROR);
  assert_false(l->complete);
  cuw_library_free(l);
}

static void test_needed(void **state)
{
  (void)state;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  library_add_needed(l, "libcudart.so.12XX", 15);
  library_add_needed(l, "libc.so.6", 9);
  library_add_needed(l, "libcudart.so.12", 15);
  assert_int_equal(l->needed_count, 2);
  assert_string_equal(l->needed[0], "libcudart.so.12");
  assert_string_equal(l->needed[1], "libc.so.6");
  char name[32];
  for (int i = 0; i < LIBRARY_NEEDED_MAX + 100; i++) {
    snprintf(name, sizeof name, "lib%d.so", i);
    library_add_needed(l, name, strlen(name));
  }
  assert_int_equal(l->needed_count, LIBRARY_NEEDED_MAX);
  assert_int_equal(l->problem_count, 1);
  assert_string_equal(l->problems[0].code, "too-many-needed");
  cuw_library_free(l);
}

static void test_evidence(void **state)
{
  (void)state;
  struct cuw_library *l = library_new("a", CUW_ELF, 1);
  char value[] = "12.8";
  library_add_evidence(l, "toolkit", value);
  library_add_evidence(l, "toolkit", "12.8");
  library_add_evidence(l, "needed", "12.8");
  value[3] = '9';
  library_add_evidence(l, "toolkit", value);
  assert_int_equal(l->evidence_count, 3);
  assert_string_equal(l->evidence[0].value, "12.8");
  assert_string_equal(l->evidence[0].library, "a");
  assert_string_equal(l->evidence[1].source, "needed");
  assert_string_equal(l->evidence[2].value, "12.9");
  cuw_library_free(l);
}

static void test_input(void **state)
{
  (void)state;
  struct cuw_input *input = input_new("x.whl", CUW_INPUT_WHEEL);
  struct arena *a = input_arena(input);
  assert_false(cuw_input_is_damaged(input));
  input->distributions = arena_grow(a, NULL, 0, sizeof *input->distributions);
  input->distribution_count = 1;
  struct cuw_distribution *d = &input->distributions[0];
  for (; d->library_count < 3; d->library_count++) {
    d->libraries = arena_grow(a, d->libraries, d->library_count, sizeof(struct cuw_library *));
    d->libraries[d->library_count] = library_new("l", CUW_PE, 5);
  }
  struct cuw_problem problems[2] = {{.severity = CUW_WARNING}, {.severity = CUW_ERROR}};
  input->problems = problems;
  input->problem_count = 1;
  assert_false(cuw_input_is_damaged(input));
  input->problem_count = 2;
  assert_true(cuw_input_is_damaged(input));
  assert_string_equal(cuw_input_kind_name(input->kind), "wheel");
  cuw_input_free(input); /* the libraries with it: a leak checker tells */
  cuw_input_free(NULL);
}

static void test_words(void **state)
{
  (void)state;
  assert_string_equal(cuw_format_name(CUW_PE), "pe");
  assert_string_equal(cuw_format_name(CUW_AR), "ar");
  assert_string_equal(cuw_format_name(CUW_PTX), "ptx");
  assert_string_equal(cuw_severity_name(CUW_NOTE), "note");
  assert_string_equal(cuw_severity_name(CUW_ERROR), "error");
  assert_string_equal(cuw_input_kind_name(CUW_INPUT_ENVIRONMENT), "environment");
  assert_string_equal(cuw_input_kind_name(CUW_INPUT_FILE), "file");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_new_record),   cmocka_unit_test(test_numbers_follow_offsets),
      cmocka_unit_test(test_many_images),  cmocka_unit_test(test_problems),
      cmocka_unit_test(test_problems_end), cmocka_unit_test(test_needed),
      cmocka_unit_test(test_evidence),     cmocka_unit_test(test_input),
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
