/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by what their names have in common, and those that a GPU lacks. */
#include "records.h"

#include "kernels/groups.h"
#include "kernels/missing.h"
#include "kernels/table.h"

struct group_case {
  const char *names;
  size_t most;
  const char *groups; /* "name kernels functions, ..." */
};

static const struct group_case group_cases[] = {
    {"a", 4, "a 1 1"},
    {"a a b", 4, "a 2 1, b 1 1"},
    /* Template arguments, results, files and namespaces without a name tell nothing. */
    {"void:f<int> void:f<float> ns::(anonymous:namespace)::f<float>", 4, "f 2 1, ns::f 1 1"},
    {"_INTERNAL_01234567_4_a_cu_89abcdef::f _INTERNAL_01234568_4_b_cu_89abcdef::f", 4, "f 2 1"},
    /* What does not demangle begins with plain names, and a list of targets leaves nothing behind. */
    {"_ZN7cutlass13device_kernelIxyz _ZN7cutlass13device_kernelI_ _Z3fooI_ _ZN1a1b1c1d1e1f1gE", 4,
     "cutlass::device_kernel 2 1, a::b::c::d::e 1 1, foo 1 1"},
    {"_ZN9999999999x _Z _ZNK", 4, "_Z 1 1, _ZN9999999999x 1 1, _ZNK 1 1"},
    {"cub::CUB_200200_SM_800::detail::f", 4, "cub::detail::f 1 1"},
    /* Types of BLAS. */
    {"sgemm_k dgemm_k zgemm_k sgemm_k", 4, "[sdz]gemm_k 4 3"},
    {"sgemm_k gemm_k", 4, "gemm_k 1 1, sgemm_k 1 1"},
    {"slaset_a dlaset_a slaset_b dlaset_b slaset_c dlaset_c other", 2, "[sd]laset_* 6 6, other 1 1"},
    /* Too many functions: the least that neighbours have in common divides them. */
    {"n::fwd_a n::fwd_b n::bwd_a n::bwd_b", 4, "n::bwd_a 1 1, n::bwd_b 1 1, n::fwd_a 1 1, n::fwd_b 1 1"},
    {"n::fwd_a n::fwd_b n::bwd_a n::bwd_b", 2, "n::bwd_* 2 2, n::fwd_* 2 2"},
    {"n::fwd_a n::fwd_b n::bwd_a n::bwd_b", 1, "n::* 4 4"},
    {"one two six", 1, "one 1 1, six 1 1, two 1 1"},
    {"x_a x_ab x_abc", 1, "x_* 3 3"},
};

static void test_groups(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof group_cases / sizeof *group_cases; i++) {
    struct kernel_groups *g = kernel_groups_new();
    char *names = strdup(group_cases[i].names), *save = NULL, got[1024] = "";
    for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
      for (char *colon = name; strncmp(name, "void:f", 6) == 0 && (colon = strchr(colon, ':')); colon++)
        *colon = ' ';
      char *space = strstr(name, "anonymous:namespace");
      if (space)
        space[9] = ' ';
      assert_true(kernel_groups_add(g, name));
    }
    size_t count;
    const struct kernel_group *groups = kernel_groups_finish(g, group_cases[i].most, &count);
    for (size_t k = 0; k < count; k++)
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %zu %zu", k ? ", " : "", groups[k].name,
               groups[k].kernels, groups[k].functions);
    assert_string_equal(got, group_cases[i].groups);
    free(names);
    kernel_groups_free(g);
  }
}

static void test_no_groups(void **state)
{
  (void)state;
  struct kernel_groups *g = kernel_groups_new();
  size_t count = 7;
  assert_null(kernel_groups_finish(g, 4, &count));
  assert_int_equal(count, 0);
  kernel_groups_free(g);
}

static void add_all(const struct record *r, struct kernel_table *t)
{
  for (size_t i = 0; i < r->library.image_count; i++) {
    char *names = strdup(r->kernels[i]), *save = NULL;
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
      struct kernel k = {.name = {(const uint8_t *)name, strlen(name)}};
      if (strcmp(name, "-") != 0 && strcmp(name, "?") != 0)
        assert_true(kernel_table_add(t, i, &k));
    }
    free(names);
  }
}

/* As the engine does it: judged first, so that all facts are in. */
static void find_fates(struct record *r, unsigned number, struct fate *fates)
{
  static const struct cuw_driver any;
  struct cuw_gpu gpu = {NULL, (uint16_t)number, false};
  struct facts *facts = facts_new(&r->library);
  struct want_list wants = {0};
  struct judge_request request = {&r->library, facts, &gpu, &any};
  enum judge_status status;
  while ((status = judge_fatbins(&request, &wants, fates)) == JUDGE_WANTS)
    for (size_t i = 0; i < wants.count; i++)
      record_open(r, &wants.items[i], facts);
  assert_int_equal(status, JUDGE_DONE);
  want_list_free(&wants);
  facts_free(facts);
}

struct missing_case {
  const char *library;
  unsigned gpu;
  const char *missing; /* "why name kernels, ..." */
};

static const struct missing_case missing_cases[] = {
    {"R c80=a,b c90=a,b", 90, ""},
    {"R c80=a,b c90=a,b", 75, "none a 1, none b 1"},
    {"R c80=a,b c90=a", 90, "in_image b 1"},
    {"R c80=a,b c90=a", 80, ""},
    {"R c80=a p80=a,b", 80, "in_image b 1"},
    {"R c80=a p80=a,b", 90, ""},
    {"R c80=x c75=x | R c90a=fa_x,fa_y", 80, "gated fa_x 1, gated fa_y 1"},
    {"R c80=x c75=x | R c90=fn | R c90a=g", 80, "none fn 1, gated g 1"},
    /* None first, then what a chosen image lacks. */
    {"R c80=x,y c75=x | R c80=m", 75, "none m 1, in_image y 1"},
    /* Code that is not judged is no matter. */
    {"R c80=x | S c90=only", 80, ""},
    {"R c80=x | B c90=only", 80, ""},
};

static void test_missing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof missing_cases / sizeof *missing_cases; i++) {
    struct record r;
    struct fate fates[RECORD_IMAGES];
    struct cuw_missing m;
    struct pack pack;
    struct kernel_table *t = kernel_table_new();
    char got[1024] = "";
    record_make(&r, "x.so", missing_cases[i].library);
    add_all(&r, t);
    find_fates(&r, missing_cases[i].gpu, fates);
    assert_true(kernel_table_pack(t, &r.library, NULL, NULL, &pack));
    assert_true(missing_kernels(&pack, &r.library, fates, &m));
    size_t sum = 0, total = 0;
    for (size_t k = 0; k < m.group_count; k++) {
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %s %zu", k ? ", " : "",
               cuw_missing_name(m.groups[k].why), m.groups[k].name, m.groups[k].kernels);
      sum += m.groups[k].kernels;
    }
    for (size_t k = 0; k < CUW_MISSING_KINDS; k++)
      total += m.kernels[k];
    assert_string_equal(got, missing_cases[i].missing);
    assert_int_equal(sum, total);
    cuw_missing_free(&m);
    pack_free(&pack);
    kernel_table_free(t);
  }
}

/* An image that was not read whole has said nothing of what it lacks. */
static void test_unread(void **state)
{
  (void)state;
  struct record r;
  struct fate fates[RECORD_IMAGES];
  struct cuw_missing m;
  struct pack pack;
  struct kernel_table *t = kernel_table_new();
  record_make(&r, "x.so", "R c80=a,b c90=-");
  struct cuw_problem problem = {.severity = CUW_ERROR, .code = "payload-damaged", .offset = r.images[1].offset};
  add_all(&r, t);
  find_fates(&r, 90, fates);
  assert_true(kernel_table_pack(t, &r.library, NULL, NULL, &pack));
  assert_true(missing_kernels(&pack, &r.library, fates, &m));
  assert_int_equal(m.kernels[CUW_MISSING_IN_IMAGE], 2);
  cuw_missing_free(&m);
  r.library.problems = &problem;
  r.library.problem_count = 1;
  assert_true(missing_kernels(&pack, &r.library, fates, &m));
  assert_int_equal(m.group_count, 0);
  cuw_missing_free(&m);
  pack_free(&pack);
  kernel_table_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_no_groups),
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_unread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
