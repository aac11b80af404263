/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels gathered from whole files, filtered, packed and told again. */
#include "testdata.h"

#include <unistd.h>

#include "cuwheel/kernels.h"
#include "kernels/table.h"

static struct cuw_kernels *read_file(const char *name, unsigned jobs, const struct cuw_kernels_options *options)
{
  char path[4096];
  testdata_path(name, path, sizeof path);
  struct cuw_inspect_options inspect = {.jobs = jobs};
  struct cuw_kernels *k = cuw_kernels_read(path, &inspect, options);
  assert_non_null(k);
  return k;
}

struct listing {
  char text[65536];
  size_t length;
  int left; /* kernels to take before stopping; negative: all */
};

static bool add(void *data, const struct cuw_kernel *k)
{
  struct listing *l = data;
  int n = snprintf(l->text + l->length, sizeof l->text - l->length, "%d %s|%s%s:", (int)k->fatbin, k->name,
                   k->demangled, k->local ? " static" : "");
  l->length += (size_t)n;
  for (size_t i = 0; i < k->code_count; i++) {
    char arch[CUW_ARCH_NAME_MAX];
    const struct cuw_kernel_code *c = &k->codes[i];
    n = snprintf(l->text + l->length, sizeof l->text - l->length, " %s/%d/%d", cuw_arch_name(c->image->arch, arch),
                 (int)c->registers, (int)c->shared);
    l->length += (size_t)n;
  }
  l->text[l->length++] = '\n';
  l->text[l->length] = 0;
  return --l->left != 0;
}

static void list(const char *name, unsigned jobs, const struct cuw_kernels_options *options, struct listing *out)
{
  struct cuw_kernels *k = read_file(name, jobs, options);
  const struct cuw_distribution *d = &cuw_kernels_input(k)->distributions[0];
  *out = (struct listing){.left = -1};
  for (size_t i = 0; i < d->library_count; i++)
    assert_true(cuw_kernels_each(k, d->libraries[i], add, out) >= 0);
  cuw_kernels_free(k);
}

/* The linked fatbin lies behind those that it was linked from. */
static void test_linked(void **state)
{
  (void)state;
  struct listing l;
  list("n130_linked.so", 1, NULL, &l);
  assert_string_equal(l.text, "0 _Z5firstPf|first: sm_80/24/0 sm_90/24/0 compute_90/-1/-1\n"
                              "1 _Z6secondPf|second: sm_80/8/0 sm_90/8/0 compute_90/-1/-1\n"
                              "2 _Z5firstPf|first: sm_80/24/0 sm_90/24/0\n"
                              "2 _Z6secondPf|second: sm_80/8/0 sm_90/8/0\n");
}

static void test_bare(void **state)
{
  (void)state;
  struct listing l;
  list("p130_sm90.cubin", 1, NULL, &l);
  assert_string_equal(l.text, "-1 inc_kernel|inc_kernel: sm_90/8/1536\n-1 nop_kernel|nop_kernel: sm_90/4/0\n");
}

static void check_jobs(const char *name)
{
  static struct listing one, four;
  list(name, 1, NULL, &one);
  list(name, 4, NULL, &four);
  assert_string_equal(one.text, four.text);
}

/* The order does not depend on which thread was first. */
static void test_jobs(void **state)
{
  (void)state;
  assert_true(testdata_each("f1", ".fatbin", check_jobs) + testdata_each("n13", ".so", check_jobs) > 20);
}

static void test_filters(void **state)
{
  (void)state;
  struct listing l;
  struct cuw_arch_choice choice;
  struct cuw_kernels_options by_arch = {.arch = &choice}, by_name = {.match = "^sec"};
  assert_true(cuw_arch_choice_parse("compute_90", &choice));
  list("n130_linked.so", 1, &by_arch, &l);
  assert_string_equal(l.text, "0 _Z5firstPf|first: compute_90/-1/-1\n1 _Z6secondPf|second: compute_90/-1/-1\n");
  assert_true(cuw_arch_choice_parse("8.0", &choice));
  list("n130_linked.so", 1, &by_arch, &l);
  assert_null(strstr(l.text, "_90"));
  assert_non_null(strstr(l.text, "2 _Z5firstPf|first: sm_80/24/0\n"));
  list("n130_linked.so", 1, &by_name, &l);
  assert_null(strstr(l.text, "first"));
  by_name.match = "_Z5firstPf$"; /* the name as stored */
  list("n130_linked.so", 1, &by_name, &l);
  assert_non_null(strstr(l.text, "first"));
  assert_null(strstr(l.text, "second"));
  const char *globs[] = {"*.dll"};
  struct cuw_kernels_options by_library = {.libraries = globs, .library_count = 1};
  list("n130_linked.so", 1, &by_library, &l);
  assert_string_equal(l.text, "");
  globs[0] = "n130_*";
  list("n130_linked.so", 1, &by_library, &l);
  assert_string_not_equal(l.text, "");
}

static void test_expression(void **state)
{
  (void)state;
  char message[128] = "";
  struct cuw_kernels_options options = {.match = "a(b"};
  assert_true(cuw_kernels_match_check("a(b|c)+$", message, sizeof message));
  assert_false(cuw_kernels_match_check("a(b", message, sizeof message));
  assert_string_not_equal(message, "");
  assert_null(cuw_kernels_read("nowhere", NULL, &options));
}

static void test_stops(void **state)
{
  (void)state;
  struct cuw_kernels *k = read_file("n130_linked.so", 1, NULL);
  struct listing l = {.left = 2};
  assert_int_equal(cuw_kernels_each(k, cuw_kernels_input(k)->distributions[0].libraries[0], add, &l), 2);
  cuw_kernels_free(k);
}

/* One image fails, the other is told. */
static void test_damaged(void **state)
{
  (void)state;
  struct cuw_kernels *k = read_file("m23_bad_zstd.fatbin", 2, NULL);
  const struct cuw_input *input = cuw_kernels_input(k);
  struct listing l = {.left = -1};
  assert_int_equal(cuw_kernels_each(k, input->distributions[0].libraries[0], add, &l), 2);
  assert_string_equal(l.text, "0 inc_kernel|inc_kernel: sm_90/8/1536\n0 nop_kernel|nop_kernel: sm_90/4/0\n");
  assert_int_equal(input->problem_count, 1);
  assert_string_equal(input->problems[0].code, "payload-damaged");
  assert_true(cuw_input_is_damaged(input));
  cuw_kernels_free(k);
}

static void test_arch_choice(void **state)
{
  (void)state;
  static const char *const good[] = {"sm_90", "sm_90a", "compute_100f", "9.0", "90", "12.1", "120"};
  static const char *const bad[] = {"",     "sm_", "sm_90x", "9",       "9.",    "9.00",
                                    "9.0a", "90a", "hopper", "1200000", "sm_90 "};
  struct cuw_arch_choice c;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    assert_true(cuw_arch_choice_parse(good[i], &c));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (cuw_arch_choice_parse(bad[i], &c))
      fail_msg("'%s' passes", bad[i]);
  struct cuw_image cubin = {.kind = CUW_KIND_CUBIN, .has_arch = true, .arch = {.number = 100, .suffix = 'f'}};
  struct cuw_image ptx = {.kind = CUW_KIND_PTX, .has_arch = true, .arch = {.number = 100, .is_virtual = true}};
  assert_true(cuw_arch_choice_parse("sm_100f", &c) && cuw_arch_choice_takes(&c, &cubin));
  assert_true(cuw_arch_choice_parse("sm_100", &c) && !cuw_arch_choice_takes(&c, &cubin));
  assert_true(cuw_arch_choice_parse("sm_100", &c) && !cuw_arch_choice_takes(&c, &ptx));
  assert_true(cuw_arch_choice_parse("compute_100", &c) && cuw_arch_choice_takes(&c, &ptx));
  assert_true(cuw_arch_choice_parse("10.0", &c) && cuw_arch_choice_takes(&c, &ptx) &&
              cuw_arch_choice_takes(&c, &cubin));
  cubin.arch.suffix = 0;
  cubin.suffix_unknown = true;
  assert_true(cuw_arch_choice_parse("sm_100f", &c) && cuw_arch_choice_takes(&c, &cubin));
  assert_true(cuw_arch_choice_parse("sm_100", &c) && cuw_arch_choice_takes(&c, &cubin));
}

#define MANY 3000

static bool count_long(void *data, const struct cuw_kernel *k)
{
  size_t *n = data;
  char start[32];
  snprintf(start, sizeof start, "k%05zu_", *n);
  assert_true(strncmp(k->name, start, strlen(start)) == 0);
  assert_int_equal(strlen(k->name), 1000);
  assert_int_equal(k->code_count, 1);
  assert_int_equal(k->codes[0].registers, *n);
  assert_true(k->codes[0].constant == CUW_NONE);
  ++*n;
  return true;
}

/* More than the packer takes at once; added in reverse, told in order. */
static void test_pack(void **state)
{
  (void)state;
  struct cuw_image image = {.fatbin = 0};
  struct cuw_library l = {.images = &image, .image_count = 1, .fatbins = 1};
  struct kernel_table *t = kernel_table_new();
  struct pack pack;
  char name[1001];
  size_t n = 0;
  for (uint32_t i = MANY; i-- > 0;) {
    memset(name, 'x', 1000);
    name[1000] = 0;
    name[snprintf(name, sizeof name, "k%05u_", i)] = 'x';
    struct kernel k = {.name = {(const uint8_t *)name, 1000},
                       .registers = i,
                       .stack = KERNEL_NOT_RECORDED,
                       .max_threads = KERNEL_NOT_RECORDED,
                       .constant = CUW_NONE};
    assert_true(kernel_table_add(t, 0, &k));
  }
  assert_true(kernel_table_pack(t, &l, NULL, NULL, &pack));
  kernel_table_free(t);
  assert_true(pack.size < 200000);
  assert_int_equal(kernel_pack_each(&pack, &l, count_long, &n), MANY);
  pack_free(&pack);
}

static void put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

/* A cubin whose symbol table has one name 2000 times and 500 names once. */
static void write_repeated(const char *path)
{
  enum { AGAIN = 2000, COUNT = 2500 };
  struct view file = testdata_load("../kernels/sm_90.cubin");
  size_t strings = (file.size + 7) & ~(size_t)7, symbols = strings + COUNT * 8, size = symbols + COUNT * 24;
  uint8_t *data = calloc(1, size);
  assert_non_null(data);
  memcpy(data, file.data, file.size);
  for (size_t i = 1; i < COUNT; i++) {
    uint8_t *symbol = data + symbols + i * 24;
    snprintf((char *)data + strings + i * 8, 8, "k%05zu", i);
    put_number(symbol, (i < AGAIN ? 1 : i) * 8, 4);
    memcpy(symbol + 4, "\x12\x10\x01", 4);
  }
  uint8_t *table = data + view_uint(file, 40, 8), *header = table;
  while (view_uint((struct view){header, 64}, 4, 4) != 2)
    header += 64;
  put_number(header + 24, symbols, 8);
  put_number(header + 32, COUNT * 24, 8);
  header = table + view_uint((struct view){header, 64}, 40, 4) * 64;
  put_number(header + 24, strings, 8);
  put_number(header + 32, COUNT * 8, 8);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
  free(data);
  testdata_free(file);
}

/* The row of a kernel that an image names again and again does not widen all others. */
static void test_table_width(void **state)
{
  (void)state;
  char path[] = "/tmp/cuwheel-test-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  write_repeated(path);
  struct cuw_kernels *k = cuw_kernels_read(path, NULL, NULL);
  struct cuw_write_options style = {0};
  struct cuw_out *out = cuw_out_fd(fd);
  assert_int_equal(ftruncate(fd, 0), 0);
  struct cuw_kernel_writer *w = cuw_kernel_writer_new("table", out, &style);
  cuw_kernel_writer_input(w, k);
  cuw_kernel_writer_end(w);
  cuw_out_flush(out);
  off_t size = lseek(fd, 0, SEEK_END);
  assert_true(size > 501 * 20 && size < 100000);
  cuw_out_close(out, true);
  cuw_kernels_free(k);
  unlink(path);
}

static bool take_none(void *data, const struct cuw_kernel *k)
{
  (void)data;
  (void)k;
  return false;
}

/* Some kilobytes inflate to millions of kernels: a library that has more than any known lists none. */
static void test_too_many(void **state)
{
  (void)state;
  struct cuw_image image = {.kind = CUW_KIND_CUBIN};
  struct cuw_library l = {.path = "x", .images = &image, .image_count = 1};
  const struct kernel k = {.name = {(const uint8_t *)"k", 1}};
  struct kernel_table *t = kernel_table_new();
  struct pack pack;
  for (size_t i = 0; i < KERNEL_TABLE_MAX; i++)
    kernel_table_add(t, 0, &k);
  assert_false(kernel_table_is_full(t));
  for (int i = 0; i < 2; i++)
    assert_true(kernel_table_add(t, 0, &k));
  assert_true(kernel_table_is_full(t));
  assert_true(kernel_table_pack(t, &l, NULL, NULL, &pack));
  assert_int_equal(kernel_pack_each(&pack, &l, take_none, NULL), 0);
  pack_free(&pack);
  kernel_table_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linked),   cmocka_unit_test(test_bare),        cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_filters),  cmocka_unit_test(test_expression),  cmocka_unit_test(test_stops),
      cmocka_unit_test(test_damaged),  cmocka_unit_test(test_arch_choice), cmocka_unit_test(test_pack),
      cmocka_unit_test(test_too_many), cmocka_unit_test(test_table_width),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
