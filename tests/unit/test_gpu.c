/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a GPU by what people type and drivers print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cuwheel/gpu.h"

struct row {
  const char *text;
  unsigned number;
};

static void test_found(void **state)
{
  static const struct row rows[] = {
      {"sm_120", 120},
      {"SM120", 120},
      {"120", 120},
      {"12.0", 120},
      {"compute_75", 75},
      {"10.1", 110},
      {"sm_101", 110},
      {"101", 110},
      {"3.0", 30},
      {"8.8", 88},
      {"10.7", 107},
      {"RTX 5090", 120},
      {"rtx 5090", 120},
      {"rtx5090", 120},
      {"RTX5070Ti", 120},
      {"5070 ti", 120},
      {"4090", 89},
      {"4090D", 89},
      {"GeForce RTX 4090", 89},
      {"NVIDIA GeForce RTX 5090", 120},
      {"NVIDIA GeForce RTX 5090 Laptop GPU", 120},
      {"NVIDIA GeForce RTX 3070 Laptop GPU", 86},
      {"NVIDIA GeForce GTX 1650 with Max-Q Design", 75},
      {"NVIDIA GeForce GTX 1050 Ti", 61},
      {"GTX 1060 6GB", 61},
      {"1080 ti", 61},
      {"h200", 90},
      {"H100", 90},
      {"NVIDIA H100 80GB HBM3", 90},
      {"NVIDIA H100 PCIe", 90},
      {"NVIDIA H100 NVL", 90},
      {"NVIDIA GH200 480GB", 90},
      {"NVIDIA A100-SXM4-80GB", 80},
      {"NVIDIA A100 80GB PCIe", 80},
      {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80},
      {"A100-PCIE-40GB", 80},
      {"Tesla V100-SXM2-16GB", 70},
      {"Tesla T4", 75},
      {"t4", 75},
      {"Tesla P100-PCIE-16GB", 60},
      {"Tesla K80", 37},
      {"NVIDIA L40S", 89},
      {"NVIDIA A10G", 86},
      {"NVIDIA B200", 100},
      {"NVIDIA GB300", 103},
      {"gb10", 121},
      {"NVIDIA GB10", 121},
      {"DGX Spark", 121},
      {"GB10 (DGX Spark)", 121},
      {"Quadro RTX 5000", 75},
      {"Tesla V100S-PCIE-32GB", 70},
      {"NVIDIA RTX 3000 Ada Generation Laptop GPU", 89},
      {"RTX 5000 Ada", 89},
      {"NVIDIA RTX 5000 Ada Generation", 89},
      {"NVIDIA RTX 5000 Ada Generation Laptop GPU", 89},
      {"RTX PRO 5000", 120},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 120},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", 120},
      {"NVIDIA RTX PRO 4000 Blackwell SFF Edition", 120},
      {"RTX 4000 SFF Ada", 89},
      {"Quadro P620", 61},
      {"Quadro T1000", 75},
      {"NVIDIA RTX A6000", 86},
      {"NVIDIA TITAN X (Pascal)", 61},
      {"GeForce GTX TITAN X", 52},
      {"TITAN RTX", 75},
      {"NVIDIA TITAN V", 70},
      {"Jetson AGX Orin", 87},
      {"Orin (nvgpu)", 87},
      {"orin nano", 87},
      {"Jetson Nano", 53},
      {"Xavier NX", 72},
      {"NVIDIA Thor", 110},
      {"Jetson T5000", 110},
      {"750", 50},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_gpu_search s;
    cuw_gpu_find(rows[i].text, &s);
    if (s.match != CUW_GPU_FOUND || s.gpu.number != rows[i].number)
      fail_msg("%s: match %d, number %u", rows[i].text, (int)s.match, s.gpu.number);
  }
}

static void test_renamed_is_said(void **state)
{
  struct cuw_gpu_search s;
  (void)state;
  cuw_gpu_find("sm_101", &s);
  assert_true(s.gpu.renamed);
  cuw_gpu_find("11.0", &s);
  assert_false(s.gpu.renamed);
}

static void test_suffix_is_refused(void **state)
{
  static const struct row rows[] = {{"sm_90a", 90}, {"9.0a", 90}, {"100f", 100}, {"sm_120F", 120}, {"sm_101a", 110}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_gpu_search s;
    cuw_gpu_find(rows[i].text, &s);
    assert_int_equal(s.match, CUW_GPU_SUFFIX);
    assert_int_equal(s.gpu.number, rows[i].number);
  }
}

static bool lists(const struct cuw_gpu_search *s, const char *name)
{
  for (size_t i = 0; i < s->candidate_count; i++) {
    if (s->candidates[i].name && strcmp(s->candidates[i].name, name) == 0)
      return true;
  }
  return false;
}

static void test_shared_names_are_listed(void **state)
{
  struct cuw_gpu_search s;
  (void)state;
  cuw_gpu_find("RTX 5000", &s);
  assert_int_equal(s.match, CUW_GPU_AMBIGUOUS);
  assert_int_equal(s.candidate_count, 3);
  assert_true(lists(&s, "Quadro RTX 5000"));
  assert_true(lists(&s, "RTX 5000 Ada"));
  assert_true(lists(&s, "RTX PRO 5000 Blackwell"));
  cuw_gpu_find("NVIDIA RTX 6000", &s);
  assert_int_equal(s.match, CUW_GPU_AMBIGUOUS);
  cuw_gpu_find("GTX 860M", &s);
  assert_int_equal(s.match, CUW_GPU_AMBIGUOUS);
  cuw_gpu_find("titan x", &s);
  assert_int_equal(s.match, CUW_GPU_AMBIGUOUS);
  cuw_gpu_find("Quadro 4000", &s); /* 2.0, which is not in the table; not the Quadro RTX 4000 alone */
  assert_int_equal(s.match, CUW_GPU_AMBIGUOUS);
}

static void test_nearest_are_offered(void **state)
{
  struct cuw_gpu_search s;
  (void)state;
  cuw_gpu_find("RTX 5095", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  assert_true(lists(&s, "RTX 5090"));
  cuw_gpu_find("GTX 5090", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  assert_true(lists(&s, "RTX 5090"));
  cuw_gpu_find("sm_85", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  assert_int_equal(s.candidate_count, 2);
  cuw_gpu_find("99.0", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  cuw_gpu_find("quux the magnificent", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  assert_int_equal(s.candidate_count, 0);
  cuw_gpu_find("", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  cuw_gpu_find("NVIDIA", &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
}

static void test_long_text(void **state)
{
  char text[4096];
  struct cuw_gpu_search s;
  (void)state;
  memset(text, 'x', sizeof text);
  for (size_t i = 3; i < sizeof text; i += 4)
    text[i] = ' ';
  text[sizeof text - 1] = '\0';
  cuw_gpu_find(text, &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
  memset(text, '1', sizeof text - 1);
  cuw_gpu_find(text, &s);
  assert_int_equal(s.match, CUW_GPU_UNKNOWN);
}

/* Every product is in a row of the table and finds itself, or is listed. */
static void test_tables_agree(void **state)
{
  size_t count;
  const struct cuw_gpu_product *rows = cuw_gpu_products(&count);
  (void)state;
  for (size_t i = 0; i < count; i++) {
    struct cuw_gpu_search s;
    const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(rows[i].number);
    assert_non_null(arch);
    assert_int_equal(arch->number, rows[i].number);
    cuw_gpu_find(rows[i].name, &s);
    if (s.match == CUW_GPU_FOUND && s.gpu.number == rows[i].number)
      continue;
    if (s.match != CUW_GPU_AMBIGUOUS || !lists(&s, rows[i].name))
      fail_msg("%s does not find itself", rows[i].name);
  }
  const struct cuw_gpu_arch *archs = cuw_gpu_archs(&count);
  for (size_t i = 1; i < count; i++)
    assert_true(archs[i - 1].number < archs[i].number);
  assert_int_equal(cuw_gpu_arch_find(101)->number, 110);
  assert_null(cuw_gpu_arch_find(0));
  assert_null(cuw_gpu_arch_find(UINT32_MAX));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found),
      cmocka_unit_test(test_renamed_is_said),
      cmocka_unit_test(test_suffix_is_refused),
      cmocka_unit_test(test_shared_names_are_listed),
      cmocka_unit_test(test_nearest_are_offered),
      cmocka_unit_test(test_long_text),
      cmocka_unit_test(test_tables_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
