/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA, RECORD, conda-meta and the names of wheels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/dist.h"

static int set_up(void **state)
{
  *state = arena_new();
  return *state ? 0 : -1;
}

static int tear_down(void **state)
{
  arena_free(*state);
  return 0;
}

static struct view text_view(const char *text)
{
  return (struct view){(const uint8_t *)text, strlen(text)};
}

static void test_metadata(void **state)
{
  struct dist_metadata m;
  assert_true(dist_metadata_parse(*state,
                                  text_view("Metadata-Version: 2.4\r\nname:  torch \r\nVersion: 2.15.0\n"
                                            "Summary: x\n  Name: continued\nRequires-Dist: nvidia-cublas==13.*; x\n"
                                            "Requires-Distant: no\nRequires-Dist: filelock\nName: second\n"
                                            "Requires-Dist: c\nRequires-Dist: d\nRequires-Dist: e\n"
                                            "\nRequires-Dist: in the text\n"),
                                  &m));
  assert_string_equal(m.name, "torch");
  assert_string_equal(m.version, "2.15.0");
  assert_int_equal(m.requires_count, 5);
  assert_string_equal(m.requires[0], "nvidia-cublas==13.*; x");
  assert_string_equal(m.requires[1], "filelock");
  assert_string_equal(m.requires[4], "e");

  assert_true(dist_metadata_parse(*state, text_view("\xef\xbb\xbfName: a"), &m));
  assert_string_equal(m.name, "a");
  assert_null(m.version);
  assert_int_equal(m.requires_count, 0);
  assert_false(dist_metadata_parse(*state, text_view("Version: 1\n\nName: late\n"), &m));
  assert_false(dist_metadata_parse(*state, text_view(""), &m));
  assert_false(dist_metadata_parse(*state, text_view("Name\nName:\nNam: x\n:"), &m));
}

static void test_metadata_is_bounded(void **state)
{
  size_t size = DIST_METADATA_MAX + 100;
  char *text = malloc(size + 1);
  memset(text, 'x', size);
  memcpy(text, "Name: a\nX: ", 11);
  memcpy(text + DIST_METADATA_MAX, "\nVersion: 1\n", 12);
  text[size] = '\0';
  struct dist_metadata m;
  assert_true(dist_metadata_parse(*state, text_view(text), &m));
  assert_null(m.version);
  free(text);
}

struct rows {
  char text[512];
  unsigned left;
};

static bool take_row(void *data, const char *path)
{
  struct rows *r = data;
  strcat(strcat(r->text, path), "|");
  return --r->left > 0;
}

static bool rows_of(const char *record, struct rows *r, unsigned limit)
{
  *r = (struct rows){.left = limit};
  return dist_record_rows(text_view(record), take_row, r);
}

static void test_record(void **state)
{
  (void)state;
  struct rows r;
  assert_true(rows_of("torch/lib/libc10.so,sha256=abc,123\r\n\"a, \"\"b\"\".so\",sha256=x,1\n\n"
                      "../../../bin/torchrun,\"quoted,\n\",3\nlast,,",
                      &r, 100));
  assert_string_equal(r.text, "torch/lib/libc10.so|a, \"b\".so|../../../bin/torchrun|last|");
  assert_true(rows_of("only-path\n,empty\n\"\"\nb", &r, 100));
  assert_string_equal(r.text, "only-path|b|");
  assert_false(rows_of("a,,\n\"no end,,\nb,,\n", &r, 100));
  assert_string_equal(r.text, "a|");
  assert_false(rows_of("a\nb\nc\n", &r, 2));
  assert_string_equal(r.text, "a|b|");
  assert_true(rows_of("", &r, 100));
}

static void test_conda(void **state)
{
  struct dist_conda c;
  assert_true(dist_conda_parse(*state,
                               text_view("{\"name\": \"libcublas\", \"version\": \"12.9\", \"extra\": [1],"
                                         " \"files\": [\"lib/libcublas.so.12\", 5, \"lib/b\"]}"),
                               &c));
  assert_string_equal(c.name, "libcublas");
  assert_string_equal(c.version, "12.9");
  assert_int_equal(c.file_count, 2);
  assert_string_equal(c.files[0], "lib/libcublas.so.12");
  assert_string_equal(c.files[1], "lib/b");
  assert_true(dist_conda_parse(*state, text_view("{\"name\": \"a\", \"files\": \"none\"}"), &c));
  assert_int_equal(c.file_count, 0);
  assert_false(dist_conda_parse(*state, text_view("{\"files\": []}"), &c));
  assert_false(dist_conda_parse(*state, text_view("[]"), &c));
  assert_false(dist_conda_parse(*state, text_view("{\"name\": \"a\""), &c));
  assert_false(dist_conda_parse(*state, text_view(""), &c));
}

static void test_conda_nesting(void **state)
{
  size_t depth = 200000;
  char *text = malloc(depth + 1);
  memset(text, '[', depth);
  text[depth] = '\0';
  struct dist_conda c;
  assert_false(dist_conda_parse(*state, text_view(text), &c));
  free(text);
}

static void test_wheel_names(void **state)
{
  struct dist_wheel_name n;
  assert_true(dist_wheel_name_parse(*state, "torch-2.15.0+cu130-cp311-cp311-manylinux_2_28_x86_64.whl", &n));
  assert_string_equal(n.name, "torch");
  assert_string_equal(n.version, "2.15.0+cu130");
  assert_string_equal(n.python, "cp311");
  assert_string_equal(n.abi, "cp311");
  assert_string_equal(n.platform, "manylinux_2_28_x86_64");
  assert_true(dist_wheel_name_parse(*state, "a_b-1-2build-py3-none-any.WHL", &n));
  assert_string_equal(n.version, "1");
  assert_string_equal(n.python, "py3");
  static const char *const wrong[] = {"",
                                      ".whl",
                                      "torch.whl",
                                      "a-1-py3-none.whl",
                                      "a-1-py3.zip",
                                      "-1-p-n-a.whl",
                                      "a-1-2-3-p-n-any.whl",
                                      "a-1-p-n-.whl"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(dist_wheel_name_parse(*state, wrong[i], &n));
}

static void test_normal_names(void **state)
{
  assert_string_equal(dist_normal_name(*state, "Foo._-Bar"), "foo-bar");
  assert_string_equal(dist_normal_name(*state, "nvidia_cublas_cu12"), "nvidia-cublas-cu12");
  assert_string_equal(dist_normal_name(*state, ""), "");
}

static void check_path(struct arena *a, const char *base, const char *path, const char *wanted)
{
  const char *got = dist_path(a, base, path);
  if (wanted)
    assert_string_equal(got, wanted);
  else
    assert_null(got);
}

static void test_paths(void **state)
{
  check_path(*state, "", "torch/lib/a.so", "torch/lib/a.so");
  check_path(*state, "lib/python3.11/site-packages", "../../../bin/torchrun", "bin/torchrun");
  check_path(*state, "lib/site-packages/", "./a//b/../c.so", "lib/site-packages/a/c.so");
  check_path(*state, "Lib/site-packages", "..\\..\\Scripts\\x.exe", "Scripts/x.exe");
  check_path(*state, "", "odd\\name/x", "odd\\name/x");
  check_path(*state, "", "...", "...");
  check_path(*state, "lib", "../../up", NULL);
  check_path(*state, "", "..", NULL);
  check_path(*state, "lib", "..", NULL);
  check_path(*state, "", "/etc/passwd", NULL);
  check_path(*state, "", "C:\\x", NULL);
  check_path(*state, "", "", NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metadata),      cmocka_unit_test(test_metadata_is_bounded),
      cmocka_unit_test(test_record),        cmocka_unit_test(test_conda),
      cmocka_unit_test(test_conda_nesting), cmocka_unit_test(test_wheel_names),
      cmocka_unit_test(test_normal_names),  cmocka_unit_test(test_paths),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
