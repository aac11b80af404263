/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

static void test_names(void **state)
{
  (void)state;
  char out[CUW_ARCH_NAME_MAX];
  assert_string_equal(cuw_arch_name((struct cuw_arch){90, 'a', false}, out), "sm_90a");
  assert_string_equal(cuw_arch_name((struct cuw_arch){100, 'f', true}, out), "compute_100f");
  assert_string_equal(cuw_arch_name((struct cuw_arch){0, 0, false}, out), "sm_0");
  assert_string_equal(cuw_arch_name((struct cuw_arch){UINT32_MAX, 'a', true}, out), "compute_4294967295a");
}

static size_t parse(const char *text, struct cuw_arch *arch)
{
  struct view v = testdata_text(text);
  size_t used = cuw_arch_parse((const char *)v.data, v.size, arch);
  testdata_free(v);
  return used;
}

static void test_parse(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t used;
    struct cuw_arch arch;
  } cases[] = {
      {"sm_90a", 6, {90, 'a', false}},
      {"sm_75", 5, {75, 0, false}},
      {"compute_100f", 12, {100, 'f', true}},
      {"sm_120f, debug", 7, {120, 'f', false}},
      {"sm_80;", 5, {80, 0, false}},
      {"sm_4294967295", 13, {UINT32_MAX, 0, false}},
      {"sm_4294967296", 0, {0}},
      {"sm_", 0, {0}},
      {"sm_a", 0, {0}},
      {"sm_90b", 0, {0}},
      {"sm_90aa", 0, {0}},
      {"sm_90_x", 0, {0}},
      {"SM_90", 0, {0}},
      {"compute_", 0, {0}},
      {"lto_90", 0, {0}},
      {" sm_90", 0, {0}},
      {"s", 0, {0}},
      {"", 0, {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cuw_arch arch = {0};
    if (parse(cases[i].text, &arch) != cases[i].used)
      fail_msg("'%s' is read wrongly", cases[i].text);
    assert_int_equal(arch.number, cases[i].arch.number);
    assert_int_equal(arch.suffix, cases[i].arch.suffix);
    assert_int_equal(arch.is_virtual, cases[i].arch.is_virtual);
  }
}

static void test_name_is_read_back(void **state)
{
  (void)state;
  static const char suffixes[] = {0, 'a', 'f'};
  for (uint32_t number = 0; number < 200; number++)
    for (size_t i = 0; i < 6; i++) {
      struct cuw_arch before = {number, suffixes[i / 2], i % 2 != 0}, after = {0};
      char name[CUW_ARCH_NAME_MAX];
      cuw_arch_name(before, name);
      assert_int_equal(parse(name, &after), strlen(name));
      assert_int_equal(cuw_arch_compare(before, after), 0);
    }
}

static void test_order(void **state)
{
  (void)state;
  static const struct cuw_arch ascending[] = {{75, 0, false},   {75, 0, true},     {90, 0, false},  {90, 0, true},
                                              {90, 'a', false}, {100, 0, false},   {100, 0, true},  {100, 'f', false},
                                              {100, 'f', true}, {100, 'a', false}, {100, 'a', true}};
  const size_t count = sizeof ascending / sizeof *ascending;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++) {
      int order = cuw_arch_compare(ascending[i], ascending[k]);
      assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
    }
}

static void test_words(void **state)
{
  (void)state;
  assert_string_equal(cuw_kind_name(CUW_KIND_TILEIR), "tileir");
  assert_string_equal(cuw_kind_name(CUW_KIND_LTOIR), "ltoir");
  assert_string_equal(cuw_compression_name(CUW_STORED), "none");
  assert_string_equal(cuw_role_name(CUW_ROLE_SELF_LOADED), "self-loaded");
  assert_string_equal(cuw_role_name(CUW_ROLE_LINK_TIME), "link-time");
  assert_null(cuw_host_name(CUW_HOST_NULL));
  assert_string_equal(cuw_host_name(CUW_HOST_UNKNOWN), "unknown");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names), cmocka_unit_test(test_parse), cmocka_unit_test(test_name_is_read_back),
      cmocka_unit_test(test_order), cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
