/* SPDX-License-Identifier: Apache-2.0 */
/* Names of extracted files, and the folder that they go to. */
#include "testdata.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuwheel/extract.h"
#include "extract/store.h"

static void check_name(const char *path, size_t image, const char *wanted)
{
  struct cuw_image images[] = {
      {.kind = CUW_KIND_CUBIN, .fatbin = 3, .arch = {.number = 80}},
      {.kind = CUW_KIND_PTX, .fatbin = 3, .arch = {.number = 90, .suffix = 'a', .is_virtual = true}},
      {.kind = CUW_KIND_CUBIN, .fatbin = 4, .arch = {.number = 90}},
      {.kind = CUW_KIND_CUBIN, .fatbin = CUW_NO_FATBIN, .offset = 0x1f0, .arch = {.number = 100}},
  };
  struct cuw_library l = {.path = path, .images = images, .image_count = 4};
  char *name = cuw_extract_name(&l, image);
  assert_string_equal(name, wanted);
  free(name);
}

static void test_names(void **state)
{
  (void)state;
  check_name("torch/lib/libx.so", 0, "torch+lib+libx.so.f3.0.sm_80.cubin");
  check_name("torch/lib/libx.so", 1, "torch+lib+libx.so.f3.1.compute_90a.ptx");
  check_name("torch/lib/libx.so", 2, "torch+lib+libx.so.f4.0.sm_90.cubin");
  check_name("x.so", 3, "x.so.0x1f0.sm_100.cubin");
  check_name("../../etc/x", 0, "%2E.+..+etc+x.f3.0.sm_80.cubin");
  check_name("/etc/passwd", 0, "+etc+passwd.f3.0.sm_80.cubin");
  check_name("a+b%\n\x1b.so", 0, "a%2Bb%25%0A%1B.so.f3.0.sm_80.cubin");
  check_name("libx.a(m.o)", 0, "libx.a%28m.o%29.f3.0.sm_80.cubin");
}

static void test_long_name(void **state)
{
  (void)state;
  struct cuw_image image = {.kind = CUW_KIND_CUBIN, .arch = {.number = UINT32_MAX}, .fatbin = UINT32_MAX - 1};
  char one[2001], two[2001];
  memset(one, '/', 2000);
  one[2000] = 0;
  strcpy(two, one);
  two[0] = 'x'; /* the difference is cut away */
  struct cuw_library l = {.path = one, .images = &image, .image_count = 1}, m = l;
  m.path = two;
  char *a = cuw_extract_name(&l, 0), *b = cuw_extract_name(&m, 0);
  assert_true(strlen(a) <= NAME_MAX && strlen(b) <= NAME_MAX);
  assert_string_not_equal(a, b);
  free(a);
  free(b);
}

static void make_folder(char out[64])
{
  snprintf(out, 64, "%s/cuwheel-test-XXXXXX", "/tmp");
  assert_non_null(mkdtemp(out));
}

static void remove_folder(const char *path)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

static long size_of(const char *folder, const char *name)
{
  char path[4096];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

static void test_store(void **state)
{
  (void)state;
  char folder[64];
  struct store s;
  struct view small = {(const uint8_t *)"abc", 3}, large = {(const uint8_t *)"abcdef", 6};
  make_folder(folder);
  assert_true(store_open(&s, folder, false));
  assert_true(s.was_empty);
  assert_int_equal(store_write(&s, "a", small), 0);
  assert_int_equal(store_write(&s, "a", large), EEXIST);
  assert_int_equal(size_of(folder, "a"), 3);
  assert_true(store_has(&s, "a") && !store_has(&s, "b"));
  store_close(&s);
  assert_true(store_open(&s, folder, true));
  assert_false(s.was_empty);
  assert_int_equal(store_write(&s, "a", large), 0);
  assert_int_equal(size_of(folder, "a"), 6);
  /* A link is replaced; what it points to is not written to. */
  assert_int_equal(symlinkat("/dev/full", s.fd, "link"), 0);
  assert_int_equal(store_write(&s, "link", small), 0);
  assert_int_equal(size_of(folder, "link"), 3);
  store_close(&s);
  remove_folder(folder);
  assert_false(store_open(&s, "/nowhere/at/all", false));
  assert_int_equal(errno, ENOENT);
  assert_false(store_open(&s, "/dev/null", false));
}

static struct cuw_extracted *extract(const char *name, struct cuw_extract_options *options)
{
  char path[4096];
  testdata_path(name, path, sizeof path);
  struct cuw_inspect_options inspect = {.jobs = 2};
  struct cuw_extracted *e = cuw_extract(path, &inspect, options);
  assert_non_null(e);
  return e;
}

static void test_extract(void **state)
{
  (void)state;
  char folder[64];
  make_folder(folder);
  struct cuw_arch_choice choice;
  assert_true(cuw_arch_choice_parse("sm_90", &choice)); /* and PTX for 9.0 */
  struct cuw_extract_options o = {.folder = folder, .ptx = true, .arch = &choice, .fatbin = CUW_NO_FATBIN};
  struct cuw_extracted *e = extract("n130_linked.so", &o);
  assert_int_equal(e->name_count, 2);
  assert_string_equal(e->names[0], "n130_linked.so.f0.2.compute_90.ptx");
  assert_string_equal(e->names[1], "n130_linked.so.f1.2.compute_90.ptx");
  cuw_extracted_free(e);
  /* One is in the way: none is written. */
  o = (struct cuw_extract_options){.folder = folder, .cubin = true, .ptx = true, .fatbin = 1};
  e = extract("n130_linked.so", &o);
  assert_int_equal(e->name_count, 0);
  assert_int_equal(e->existing_count, 1);
  assert_int_equal(size_of(folder, "n130_linked.so.f1.0.sm_80.cubin"), -1);
  cuw_extracted_free(e);
  o.force = true;
  e = extract("n130_linked.so", &o);
  assert_int_equal(e->name_count, 3);
  assert_true(size_of(folder, "n130_linked.so.f1.0.sm_80.cubin") > 0);
  cuw_extracted_free(e);
  remove_folder(folder);
}

/* Members of a concatenation lose their pad, stored PTX its NUL and pad. */
static void test_pad(void **state)
{
  (void)state;
  char folder[64], path[4096];
  make_folder(folder);
  struct cuw_extract_options o = {.folder = folder, .cubin = true, .ptx = true, .fatbin = CUW_NO_FATBIN};
  struct cuw_extracted *e = extract("n135_concat.fatbin", &o);
  assert_true(e->name_count > 2);
  for (size_t i = 0; i < e->name_count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, e->names[i]);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, -1, SEEK_END);
    if (strstr(e->names[i], ".ptx"))
      assert_int_not_equal(fgetc(f), 0);
    fclose(f);
  }
  cuw_extracted_free(e);
  remove_folder(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),   cmocka_unit_test(test_long_name), cmocka_unit_test(test_store),
      cmocka_unit_test(test_extract), cmocka_unit_test(test_pad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
