/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel names: demangled, freed of target lists, matched, reduced to functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "verdict/names.h"

static const char *const symbols[] = {
    "_Z3addPfS_i",
    "_Z4gemmIfLi128EEvPKT_S2_PS0_",
    "_ZN6marlin6MarlinI13__nv_bfloat16Li256EEEvPK4int4",
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
    "_ZN49_GLOBAL__N__88e1bc7d_15_RegisterCublas_cu_2d25bf4f6kernelEv",
    "_ZN12_GLOBAL__N_16kernelEv",
    "_ZN7cutlass13device_kernelIN4gemm6kernel13GemmUniversalINS_4arch4Sm90EEEEEvT_",
    "_RNvC7mycrate6kernel",
    "_ZN4core3fmt5write17h0123456789abcdefE",
    "sm80_xmma_gemm_f16f16_f32_nn_n",
    "not mangled at all",
    "_Z",
    "_Zx",
    "_",
    "",
};

static void test_demangle_is_that_of_the_library(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    char *expected = cplus_demangle(symbols[i], DMGL_ANSI | DMGL_VERBOSE);
    char *name = name_demangle(symbols[i], strlen(symbols[i]));
    assert_non_null(name);
    assert_string_equal(name, expected ? expected : symbols[i]);
    free(name);
    free(expected);
  }
}

static void test_no_parameter_list(void **state)
{
  (void)state;
  char *name = name_demangle("_Z3addPfS_i", 11);
  assert_string_equal(name, "add");
  free(name);
  name = name_demangle("_Z4gemmIfLi128EEvPKT_S2_PS0_ and more", 28);
  assert_string_equal(name, "gemm<float, 128>");
  free(name);
}

/* pair<pair<...>, pair<...>> doubles with every level: 2^60 names in 600 bytes. */
static void test_endless_expansion_is_left(void **state)
{
  char symbol[2048] = "_Z1fISt4pairIiiE";
  static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  (void)state;
  for (size_t i = 1; i <= 60; i++) {
    char id[4] = {digits[i % 36], 0, 0, 0}, part[32];
    if (i >= 36) {
      id[0] = digits[i / 36];
      id[1] = digits[i % 36];
    }
    snprintf(part, sizeof part, "S0_IS%s_S%s_E", id, id);
    strcat(symbol, part);
  }
  strcat(symbol, "EvT_");
  char *name = name_demangle(symbol, strlen(symbol));
  assert_string_equal(name, symbol);
  free(name);
}

static void test_deep_and_long_symbols_are_left(void **state)
{
  (void)state;
  size_t length = NAME_TRIED_MAX + 10;
  char *symbol = malloc(length + 1);
  memset(symbol, 'P', length);
  memcpy(symbol, "_Z1f", 4);
  symbol[length - 1] = 'i';
  symbol[length] = '\0';
  char *name = name_demangle(symbol, length);
  assert_string_equal(name, symbol);
  free(name);
  name = name_demangle(symbol, NAME_TRIED_MAX - 1);
  assert_int_equal(strlen(name), NAME_TRIED_MAX - 1);
  free(name);
  free(symbol);
}

struct pair {
  const char *from, *to;
};

static void test_target_lists(void **state)
{
  static const struct pair rows[] = {
      {"cub::CUB_200200_SM_750_800_900::DeviceScan", "cub::::DeviceScan"},
      {"thrust::THRUST_200302_SM_900_NS::cuda_cub::core", "thrust::NS::cuda_cub::core"},
      {"CUB_1_SM_2CUB_3_SM_4", ""},
      {"CUB_SM_750", "CUB_SM_750"},
      {"CUB_200200_SM_", "CUB_200200_SM_"},
      {"CUB_200200_SM", "CUB_200200_SM"},
      {"cub_200200_SM_750", "cub_200200_SM_750"},
      {"THRUST_", "THRUST_"},
      {"", ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = strdup(rows[i].from);
    name_drop_target_lists(text);
    assert_string_equal(text, rows[i].to);
    free(text);
  }
}

struct match {
  const char *name;
  bool carries;
};

static void test_architecture_in_name(void **state)
{
  static const struct match rows[] = {
      {"sm80_xmma_gemm_f16", true},
      {"cutlass_80_tensorop_s1688gemm", true},
      {"cutlass::arch::Sm90", true},
      {"kernel<cutlass::arch::Sm100, 1>", true},
      {"volta_sgemm_128x64", true},
      {"turing_fp16_s1688", true},
      {"ampere_h16816gemm", true},
      {"foo_SM_90a_bar", true},
      {"foo_sm100f", true},
      {"x1sm80", true},
      {"hopper::kernel", true},
      {"flash_Blackwell", true},
      {"ada", true},
      {"ADA_kernel", true},
      {"kepler2", false},
      {"canada_kernel", false},
      {"adam_update", false},
      {"adamw_ada", true},
      {"kSm90", false},
      {"prism80", false},
      {"sm8", false},
      {"sm1000", false},
      {"sm80x", false},
      {"sm90b", false},
      {"sm90af", false},
      {"sm__90", false},
      {"sm_", false},
      {"cutlass_8_gemm", false},
      {"cutlass_8000_gemm", false},
      {"cutlass80", false},
      {"mycutlass_80_x", false},
      {"cutlass_80a", false},
      {"voltage", false},
      {"revolta", false},
      {"add", false},
      {"", false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (name_carries_architecture(rows[i].name) != rows[i].carries)
      fail_msg("%s", rows[i].name);
  }
}

static void test_reduced_to_function(void **state)
{
  static const struct pair rows[] = {
      {"marlin::Marlin<__nv_bfloat16, 256, 1, true>", "marlin::Marlin"},
      {"a<b<c>, d<e> >::f<g>", "a::f"},
      {"x<<y>z>w", "xw"},
      {"operator<", "operator<"},
      {"a>b", "a>b"},
      {"a->b<c>", "a->b"},
      {"<a", "<a"},
      {"_INTERNAL_3c1a2b4d_6_foo_cu_9f8e7d6c::kernel", "kernel"},
      {"ns::_INTERNAL_3c1a2b4d_6_foo_cu_9f8e7d6c::kernel<int>", "ns::kernel"},
      {"_INTERNAL_3c1a2b4d_6_foo_cu_9f8e7d6c", ""},
      {"_INTERNAL_3c1a2b4d_7_foo_cu_9f8e7d6c::k", "_INTERNAL_3c1a2b4d_7_foo_cu_9f8e7d6c::k"},
      {"_INTERNAL_3c1a2b4d_60000_foo", "_INTERNAL_3c1a2b4d_60000_foo"},
      {"_INTERNAL_3c1a2b4d_999999999999999999999_x", "_INTERNAL_3c1a2b4d_999999999999999999999_x"},
      {"_INTERNAL_xyz", "_INTERNAL_xyz"},
      {"_INTERNAL_", "_INTERNAL_"},
      {"(anonymous namespace)::k<1>", "(anonymous namespace)::k"},
      {"", ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = strdup(rows[i].from);
    name_reduce_to_function(text);
    assert_string_equal(text, rows[i].to);
    free(text);
  }
}

static void test_variants_are_one_function(void **state)
{
  static const char a[] = "_ZN6marlin6MarlinI13__nv_bfloat16Li256EEEvPK4int4";
  static const char b[] = "_ZN6marlin6MarlinI6__halfLi128EEEvPK4int4";
  static const char c[] = "_ZN6marlin7Marlin2I6__halfLi128EEEvPK4int4";
  struct kernel_name x, y, z;
  (void)state;
  assert_true(kernel_name_read(a, sizeof a - 1, &x));
  assert_true(kernel_name_read(b, sizeof b - 1, &y));
  assert_true(kernel_name_read(c, sizeof c - 1, &z));
  assert_true(x.function == y.function);
  assert_false(x.function == z.function);
  assert_string_equal(x.text, "marlin::Marlin");
  assert_false(x.carries_architecture);
  free(x.text);
  free(y.text);
  free(z.text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_demangle_is_that_of_the_library),
      cmocka_unit_test(test_no_parameter_list),
      cmocka_unit_test(test_endless_expansion_is_left),
      cmocka_unit_test(test_deep_and_long_symbols_are_left),
      cmocka_unit_test(test_target_lists),
      cmocka_unit_test(test_architecture_in_name),
      cmocka_unit_test(test_reduced_to_function),
      cmocka_unit_test(test_variants_are_one_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
