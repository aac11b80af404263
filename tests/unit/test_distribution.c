/* SPDX-License-Identifier: Apache-2.0 */
/* From library verdicts to a distribution and an exit status; variants of one library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "verdict/variants.h"

#define VERDICTS_MAX 16

static struct cuw_library some_library;

static enum cuw_result result_by_name(const char *name)
{
  for (int i = CUW_RESULT_NO_GPU_CODE; i <= CUW_RESULT_NONE; i++) {
    if (strcmp(cuw_result_name((enum cuw_result)i), name) == 0)
      return (enum cuw_result)i;
  }
  fail_msg("no result %s", name);
  abort();
}

/* "native none gated unknown:jit": unknown is written with what it would be. Paths are a.so, b.so ... or those of
 * `paths`. */
static size_t make(const char *text, const char *const *paths, struct cuw_library_verdict *out)
{
  static const char *const letters[] = {"d/a.so", "d/b.so", "d/c.so", "d/d.so", "d/e.so"};
  char *copy = strdup(text), *save = NULL;
  size_t n = 0;
  for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
    char *colon = strchr(word, ':');
    if (colon)
      *colon++ = '\0';
    struct cuw_library_verdict v = {.library = &some_library, .complete = !colon, .chosen = true};
    v.result = result_by_name(word);
    v.readable = colon ? result_by_name(colon) : v.result;
    v.counts.gated = v.readable == CUW_RESULT_GATED;
    v.path = paths ? paths[n] : letters[n];
    out[n++] = v;
  }
  free(copy);
  return n;
}

struct worst_row {
  const char *libraries, *result;
};

static const struct cuw_gpu gpu90 = {NULL, 90, false}, gpu120 = {NULL, 120, false};

static void test_worst_of(void **state)
{
  static const struct worst_row rows[] = {
      {"", "no-gpu-code"},
      {"no-gpu-code", "no-gpu-code"},
      {"native", "native"},
      {"native no-gpu-code", "native"},
      {"native gated", "native"},
      {"jit gated", "jit"},
      {"native jit", "jit"},
      {"native unknown:native", "unknown"},
      {"jit unknown:jit", "unknown"},
      {"native partial", "partial"},
      {"unknown:native partial", "partial"},
      {"partial", "partial"},
      {"native none", "partial"},
      {"jit none", "partial"},
      {"partial none", "partial"},
      {"unknown:native none", "partial"},
      {"unknown:gated none", "none"},
      {"unknown:no-gpu-code none", "none"},
      {"none", "none"},
      {"none none", "none"},
      {"none gated", "none"},
      {"none no-gpu-code", "none"},
      {"gated", "none"},
      {"gated no-gpu-code", "none"},
      {"gated unknown:gated", "unknown"},
      {"unknown:no-gpu-code no-gpu-code", "unknown"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_library_verdict v[VERDICTS_MAX];
    struct cuw_distribution_verdict d;
    size_t n = make(rows[i].libraries, NULL, v);
    assert_true(cuw_judge_distribution("x", &gpu120, NULL, v, n, &d));
    if (strcmp(cuw_result_name(d.result), rows[i].result) != 0)
      fail_msg("%s: %s, not %s", rows[i].libraries, cuw_result_name(d.result), rows[i].result);
    assert_int_equal(d.complete, strstr(rows[i].libraries, ":") == NULL);
    bool silent = d.result == CUW_RESULT_NATIVE || d.result == CUW_RESULT_NO_GPU_CODE;
    assert_int_equal(d.reason == NULL, silent);
    cuw_distribution_verdict_free(&d);
  }
}

static void test_reason_names_the_library(void **state)
{
  struct cuw_library_verdict v[VERDICTS_MAX];
  struct cuw_distribution_verdict d;
  (void)state;
  size_t n = make("native none jit none", NULL, v);
  v[1].reason = "no PTX";
  assert_true(cuw_judge_distribution(NULL, &gpu120, NULL, v, n, &d));
  assert_string_equal(d.reason, "d/b.so and 1 more: no PTX");
  cuw_distribution_verdict_free(&d);
}

/* The status for each result under each policy: one letter for each of the results below, + passes. */
struct policy_row {
  struct cuw_policy policy;
  const char *passes;
};

static void test_every_status(void **state)
{
  static const char *const distributions[] = {
      "native", "jit", "no-gpu-code", "unknown:native", "native gated", "gated", "partial", "native none", "none"};
  static const struct policy_row rows[] = {
      /*  n j - u g G p m N */
      {{0}, "+++++...."},
      {{.fail_on_none_only = true}, "+++++.++."},
      {{.no_jit = true}, "+.+++...."},
      {{.strict = true}, "++++....."},
      {{.no_jit = true, .strict = true}, "+.++....."},
      {{.fail_on_none_only = true, .no_jit = true}, "+.+++.++."},
      {{.fail_on_none_only = true, .strict = true}, "++++..++."},
      {{.fail_on_none_only = true, .no_jit = true, .strict = true}, "+.++..++."},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t k = 0; k < sizeof distributions / sizeof *distributions; k++) {
      struct cuw_library_verdict v[VERDICTS_MAX];
      size_t n = make(distributions[k], NULL, v);
      if (cuw_policy_passes(&rows[i].policy, v, n) != (rows[i].passes[k] == '+'))
        fail_msg("policy %zu, %s", i, distributions[k]);
    }
  }
}

static void test_strict_counts_specialised(void **state)
{
  struct cuw_policy policy = {.strict = true};
  struct cuw_library_verdict v[VERDICTS_MAX];
  (void)state;
  size_t n = make("native", NULL, v);
  v[0].counts.specialised = 1;
  assert_false(cuw_policy_passes(&policy, v, n));
}

static void test_required_and_ignored(void **state)
{
  static const char *const b[] = {"b.so"}, *const deep[] = {"d/b*"}, *const other[] = {"z*", "e/b.so"};
  struct cuw_policy policy = {0};
  struct cuw_library_verdict v[VERDICTS_MAX];
  (void)state;
  assert_true(cuw_library_matches("d/b.so", b, 1));
  assert_true(cuw_library_matches("d/b.so", deep, 1));
  assert_false(cuw_library_matches("d/b.so", other, 2));
  assert_false(cuw_library_matches("d/b.so", NULL, 0));
  /* An ignored library does not count. */
  size_t n = make("native none", NULL, v);
  assert_false(cuw_policy_passes(&policy, v, n));
  policy = (struct cuw_policy){.ignored = b, .ignored_count = 1};
  assert_true(cuw_policy_passes(&policy, v, n));
  /* A required one counts even where its distribution passes: here as a variant that is not chosen. */
  v[1].chosen = false;
  policy = (struct cuw_policy){0};
  assert_true(cuw_policy_passes(&policy, v, n));
  policy = (struct cuw_policy){.required = deep, .required_count = 1};
  assert_false(cuw_policy_passes(&policy, v, n));
  v[1].result = v[1].readable = CUW_RESULT_PARTIAL;
  assert_false(cuw_policy_passes(&policy, v, n));
  policy.fail_on_none_only = true;
  assert_true(cuw_policy_passes(&policy, v, n));
  v[1].result = v[1].readable = CUW_RESULT_GATED;
  policy.fail_on_none_only = false;
  assert_true(cuw_policy_passes(&policy, v, n));
}

static void test_other_machines_under_all_gpus(void **state)
{
  struct cuw_policy policy = {0};
  struct cuw_library_verdict v[VERDICTS_MAX];
  (void)state;
  size_t n = make("none", NULL, v);
  v[0].machine_mismatch = true;
  assert_false(cuw_policy_passes(&policy, v, n));
  policy.all_gpus = true;
  assert_true(cuw_policy_passes(&policy, v, n));
}

struct path_row {
  const char *path, *pattern, *label;
  unsigned cuda, arch;
};

static void test_variants_in_paths(void **state)
{
  static const struct path_row rows[] = {
      {"b/libbitsandbytes_cuda118.so", "b/libbitsandbytes_*.so", "cuda118", 118, 0},
      {"b/libbitsandbytes_cuda128.dll", "b/libbitsandbytes_*.dll", "cuda128", 128, 0},
      {"sgl_kernel/sm90/common_ops.abi3.so", "sgl_kernel/*/common_ops.abi3.so", "sm90", 0, 90},
      {"k/sm_100a/x.so", "k/*/x.so", "sm_100a", 0, 100},
      {"k/compute_90.ptx", "k/*.ptx", "compute_90", 0, 90},
      {"x/cu12/sm80/y.so", "x/*/*/y.so", "cu12/sm80", 120, 80},
      {"x/cuda-12.8/y.so", "x/*/y.so", "cuda-12.8", 128, 0},
      {"x/cuda_12_8/y.so", "x/*/y.so", "cuda_12_8", 128, 0},
      {"x/cuda12x/y.so", "x/*/y.so", "cuda12x", 120, 0},
      {"nvidia/cublas/lib/libcublas.so.12", NULL, NULL, 0, 0},
      {"torch/lib/libtorch_cuda.so", NULL, NULL, 0, 0},
      {"x/libcudart.so.12", NULL, NULL, 0, 0},
      {"x/prism80.so", NULL, NULL, 0, 0},
      {"x/cu1234.so", NULL, NULL, 0, 0},
      {"x/sm1.so", NULL, NULL, 0, 0},
      {"", NULL, NULL, 0, 0},
  };
  struct arena *arena = arena_new();
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct path_variant v;
    assert_true(path_variant_read(arena, rows[i].path, &v));
    if (!rows[i].pattern) {
      assert_null(v.pattern);
      continue;
    }
    assert_non_null(v.pattern);
    assert_string_equal(v.pattern, rows[i].pattern);
    assert_string_equal(v.label, rows[i].label);
    assert_int_equal(v.cuda, rows[i].cuda);
    assert_int_equal(v.arch, rows[i].arch);
  }
  arena_free(arena);
}

struct choice_row {
  const char *name;
  const struct cuw_gpu *gpu;
  unsigned cuda;
  const char *results;
  size_t chosen;
  const char *result, *reason;
};

static void check_choice(const struct choice_row *row, const char *const *paths)
{
  struct cuw_library_verdict v[VERDICTS_MAX];
  struct cuw_distribution_verdict d;
  struct cuw_selection selection = {row->cuda, row->cuda ? "--cuda given" : NULL};
  size_t n = make(row->results, paths, v);
  assert_true(cuw_judge_distribution(row->name, row->gpu, &selection, v, n, &d));
  assert_int_equal(d.choice_count, 1);
  if (d.choices[0].chosen != row->chosen)
    fail_msg("%s, CUDA %u: %zu", row->results, row->cuda, d.choices[0].chosen);
  assert_string_equal(cuw_result_name(d.result), row->result);
  assert_string_equal(d.choices[0].reason, row->reason);
  for (size_t i = 0; i < n; i++) {
    if (v[i].variant)
      assert_int_equal(v[i].chosen, i == row->chosen);
    else
      assert_true(v[i].chosen);
  }
  cuw_distribution_verdict_free(&d);
}

static void test_bitsandbytes_by_cuda(void **state)
{
  static const char *const paths[] = {"b/libbitsandbytes_cuda118.so", "b/libbitsandbytes_cuda124.so",
                                      "b/libbitsandbytes_cuda128.so", "b/libbitsandbytes_cpu.so"};
  static const struct choice_row rows[] = {
      {"bitsandbytes", &gpu120, 128, "jit jit native no-gpu-code", 2, "native", "--cuda given"},
      {"bitsandbytes", &gpu120, 118, "none jit native no-gpu-code", 0, "none", "--cuda given"},
      {"bitsandbytes", &gpu120, 126, "none jit native no-gpu-code", 1, "jit",
       "--cuda given; the nearest that is there"},
      {"bitsandbytes", &gpu120, 130, "none jit native no-gpu-code", 2, "native",
       "--cuda given, for which there is none; the best of 3"},
      {"bitsandbytes", &gpu120, 0, "none jit native no-gpu-code", 2, "native",
       "bitsandbytes loads by the CUDA version of torch, not known here; the best of 3, --cuda chooses"},
      {"other", &gpu120, 0, "native native none no-gpu-code", 1, "native", "the best of 3, --cuda chooses"},
      {"other", &gpu120, 0, "partial gated none no-gpu-code", 0, "partial", "the best of 3, --cuda chooses"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_choice(&rows[i], paths);
}

static void test_sgl_kernel_by_capability(void **state)
{
  static const char *const paths[] = {"sgl_kernel/sm100/common_ops.so", "sgl_kernel/sm90/common_ops.so",
                                      "sgl_kernel/flash_ops.so"};
  static const char reason[] = "sgl-kernel loads sm90 on 9.0 and sm100 everywhere else";
  static const struct choice_row rows[] = {
      {"sgl-kernel", &gpu90, 0, "native native native", 1, "native", reason},
      {"sgl_kernel", &gpu120, 0, "none native native", 0, "partial", reason},
      {"SGL.Kernel", &gpu120, 128, "native none native", 0, "native", reason},
      {"other", &gpu90, 0, "none native native", 1, "native", "the best of 2"},
      {"other", &gpu90, 0, "native native native", 0, "native", "the best of 2"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_choice(&rows[i], paths);
}

static void test_what_is_no_family(void **state)
{
  static const char *const paths[] = {"d/x_cuda118.so", "d/y_cuda128.so", "d/x_cuda128.so"};
  struct cuw_library_verdict v[VERDICTS_MAX];
  struct cuw_distribution_verdict d;
  (void)state;
  /* The only one with GPU code is loaded. */
  size_t n = make("no-gpu-code native native", paths, v);
  assert_true(cuw_judge_distribution("x", &gpu90, NULL, v, n, &d));
  assert_int_equal(d.choice_count, 0);
  assert_true(v[0].chosen && v[1].chosen && v[2].chosen);
  assert_null(v[1].variant);
  cuw_distribution_verdict_free(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worst_of),
      cmocka_unit_test(test_reason_names_the_library),
      cmocka_unit_test(test_every_status),
      cmocka_unit_test(test_strict_counts_specialised),
      cmocka_unit_test(test_required_and_ignored),
      cmocka_unit_test(test_other_machines_under_all_gpus),
      cmocka_unit_test(test_variants_in_paths),
      cmocka_unit_test(test_bitsandbytes_by_cuda),
      cmocka_unit_test(test_sgl_kernel_by_capability),
      cmocka_unit_test(test_what_is_no_family),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
