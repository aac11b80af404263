/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include "image/ptx.h"

static void check_file(const char *name)
{
  struct view file = testdata_load(name);
  json_t *images = testdata_images(name), *image = json_array_get(images, 0);
  struct ptx_header h;
  char text[32];
  assert_true(ptx_header_decode(file, &h));
  assert_int_equal(h.offset, json_integer_value(json_object_get(image, "offset")));
  assert_string_equal(cuw_arch_name(h.arch, text), json_string_value(json_object_get(image, "arch")));
  snprintf(text, sizeof text, "%u.%u", h.isa_major, h.isa_minor);
  assert_string_equal(text, json_string_value(json_object_get(image, "ptx_isa")));
  assert_int_equal(h.debug, json_is_true(json_object_get(image, "debug")));
  assert_int_equal(h.bits, 64);
  struct view rest = view_part(file, h.offset, file.size - h.offset);
  assert_int_equal(ptx_extent(rest), json_integer_value(json_object_get(image, "size")));
  struct ptx_header again;
  assert_true(ptx_header_at(rest, &again));
  assert_int_equal(again.offset, 0);
  json_decref(images);
  testdata_free(file);
}

static void test_corpus(void **state)
{
  (void)state;
  assert_int_equal(testdata_each("text_", ".ptx", check_file), 6);
}

struct form {
  const char *text;
  size_t offset;
  unsigned major, minor;
  struct cuw_arch arch;
  bool debug;
  uint8_t bits;
};

static void test_forms(void **state)
{
  (void)state;
  static const struct form forms[] = {
      {".version 9.0\n.target sm_90\n.address_size 64\n", 0, 9, 0, {90, 0, true}, false, 64},
      {"\n\n\n.version 9.0\r\n.target sm_90a\r\n.address_size 64\r\n", 3, 9, 0, {90, 'a', true}, false, 64},
      {".version 8.5 /* x */ .target sm_80 .address_size 64 ", 0, 8, 5, {80, 0, true}, false, 64},
      {"// .version 1.0\n/* .version 2.0\n.target sm_20 */.version\t3.2 .target compute_35\n",
       48,
       3,
       2,
       {35, 0, true},
       false,
       0},
      {".version 7.0\n// a\n/* b */\n.target sm_100f , texmode_independent\n\n.address_size 32\n",
       0,
       7,
       0,
       {100, 'f', true},
       false,
       32},
      {".version 7.0\n.target sm_100a, debug\n.address_size 64\n", 0, 7, 0, {100, 'a', true}, true, 64},
      {".version 7.0\n.target debug , /* , */ sm_61\n", 0, 7, 0, {61, 0, true}, true, 0},
      {".version 7.0\n.target sm_61, texmode_unified, debug\n", 0, 7, 0, {61, 0, true}, true, 0},
      {".version 1\n.version 6.5\n.target sm_61\n", 11, 6, 5, {61, 0, true}, false, 0},
      {"// \"\n.version 6.5\n.target sm_61\n", 5, 6, 5, {61, 0, true}, false, 0},
      {".version 65535.65535 .target sm_4294967295\n", 0, 65535, 65535, {UINT32_MAX, 0, true}, false, 0},
      {".version 6.5\n.target sm_61\n.address_size 16\n", 0, 6, 5, {61, 0, true}, false, 0},
      {".version 6.5\n.target sm_61\n.addr", 0, 6, 5, {61, 0, true}, false, 0},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const struct form *f = &forms[i];
    struct view v = testdata_text(f->text);
    struct ptx_header h;
    if (!ptx_header_decode(v, &h))
      fail_msg("not understood: %s", f->text);
    assert_int_equal(h.offset, f->offset);
    assert_int_equal(h.isa_major, f->major);
    assert_int_equal(h.isa_minor, f->minor);
    assert_int_equal(cuw_arch_compare(h.arch, f->arch), 0);
    assert_int_equal(h.debug, f->debug);
    assert_int_equal(h.bits, f->bits);
    testdata_free(v);
  }
}

static void test_no_forms(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "",
      ".",
      ".version",
      ".version ",
      ".version 9.0",
      ".version 9.0\n",
      ".version\n9.0\n.target sm_90\n",
      ".version 9\n.target sm_90\n",
      ".version 9.\n.target sm_90\n",
      ".version 9.0.1\n.target sm_90\n.x",
      ".version 65536.0\n.target sm_90\n",
      ".version 9.0\n.targets sm_90\n",
      ".version 9.0\n.target\n",
      ".version 9.0\n.target sm_90",      /* may be cut: sm_90a */
      ".version 9.0\n.target sm_90, deb", /* may be cut: debug */
      ".version 9.0\n.target debug\n",
      ".version 9.0\n.target sm_90, .address_size 64\n",
      ".version 9.0\n.target sm_99999999999\n",
      ".version 9.0 .reg .target sm_90\n",
      ".version 9.0 /* .target sm_90\n",
      "/* .version 9.0\n.target sm_90\n",
      "\".version 9.0\n.target sm_90\n",
      "x.version 9.0\n.target sm_90\n",
      ".versions 9.0\n.target sm_90\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct view v = testdata_text(texts[i]);
    struct ptx_header h;
    if (ptx_header_decode(v, &h))
      fail_msg("taken for PTX: %s", texts[i]);
    testdata_free(v);
  }
}

/* Many repetitions of `unit`; of 1 MiB, so that anything but linear work would not end. */
static struct view repeat(const char *start, const char *unit, const char *end)
{
  const size_t size = (size_t)1 << 20;
  size_t length = strlen(unit), at = strlen(start);
  uint8_t *data = malloc(size);
  assert_non_null(data);
  memcpy(data, start, at);
  for (; at + length + strlen(end) <= size; at += length)
    memcpy(data + at, unit, length);
  memcpy(data + at, end, strlen(end));
  struct view v = {data, at + strlen(end)};
  return v;
}

static bool count_name(void *data, struct view name)
{
  assert_true(name.size > 0);
  ++*(long *)data;
  return true;
}

static void test_long_texts(void **state)
{
  (void)state;
  static const char header[] = ".version 9.0\n.target sm_90\n";
  static const struct {
    const char *start, *unit, *end;
    bool found;
  } cases[] = {
      {"", "// a comment\n", header, true},
      {"", "/* a comment */", header, true},
      {"/*", "/* ", header, false},
      {"", "/ ", header, true},
      {"", "/", header, false} /* all one comment, up to the line of .target */,
      {"", "\"\"", header, true},
      {"", ".version 9.0 ", "", false},
      {"", ".version 9.0/*.*/", "", false},
      {"", ".version 9.0 .target sm_90,", "", false},
      {"", ".version 9.0 .target ,", "", false},
      {".version 9.0 .target ", "x,", "", false},
      {".version 9.0", "\n", ".target sm_90\n", false}, /* further than PTX_HEADER_MAX */
      {"", ".entry ", "", false},
      {"", "Cuda compilation tools, release ", "", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view v = repeat(cases[i].start, cases[i].unit, cases[i].end);
    struct ptx_header h;
    char toolkit[8];
    long names = 0;
    assert_int_equal(ptx_header_decode(v, &h), cases[i].found);
    assert_false(ptx_toolkit(v, toolkit));
    long seen = ptx_entries(v, count_name, &names);
    assert_int_equal(seen, names);
    testdata_free(v);
  }
}

static void test_extent(void **state)
{
  (void)state;
  assert_int_equal(ptx_extent((struct view){(const uint8_t *)"abc\0def", 7}), 3);
  assert_int_equal(ptx_extent((struct view){(const uint8_t *)"abc", 3}), 3);
  assert_int_equal(ptx_extent((struct view){NULL, 0}), 0);
}

static void test_toolkit(void **state)
{
  (void)state;
  static const struct {
    const char *text, *release;
  } cases[] = {
      {"//\n// Cuda compilation tools, release 13.0, V13.0.88\n", "13.0"},
      {"Cuda compilation tools, release x Cuda compilation tools, release 12.9", "12.9"},
      {"Cuda compilation tools, release 9.1", "9.1"},
      {"Cuda compilation tools, release 13", ""},
      {"Cuda compilation tools, release 13.", ""},
      {"Cuda compilation tools, release 12345.0", ""},
      {"Cuda compilation tools, release", ""},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view v = testdata_text(cases[i].text);
    char out[8];
    assert_int_equal(ptx_toolkit(v, out), cases[i].release[0] != 0);
    assert_string_equal(out, cases[i].release);
    testdata_free(v);
  }
}

struct joined {
  char text[256];
  int left;
};

static bool join(void *data, struct view name)
{
  struct joined *j = data;
  size_t at = strlen(j->text);
  snprintf(j->text + at, sizeof j->text - at, "%.*s ", (int)name.size, (const char *)name.data);
  return --j->left > 0;
}

static void test_entries(void **state)
{
  (void)state;
  static const struct {
    const char *text, *names;
    int most;
  } cases[] = {
      {".visible .entry a(.param .u64 p) { ret; }\n.entry\n /* x */ _Z1bv (", "a _Z1bv ", 9},
      {"// .entry no\n/* .entry no */ .entry $yes%1(", "$yes%1 ", 9},
      {".file 1 \".entry no \\\" .entry no\" .weak .entry w;", "w ", 9},
      {".entry a ( ) .entry b ( ) .entry c ( )", "a b ", 2},
      {".entry (a) .entries b .func (.entryx c) x.entry d", "", 9},
      {".entry", "", 9},
      {"", "", 9},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct view v = testdata_text(cases[i].text);
    struct joined j = {.left = cases[i].most};
    int count = 0;
    for (const char *c = cases[i].names; *c != 0; c++)
      count += *c == ' ';
    assert_int_equal(ptx_entries(v, join, &j), count);
    assert_string_equal(j.text, cases[i].names);
    testdata_free(v);
  }
  struct view file = testdata_load("text_plain.ptx");
  struct joined j = {.left = 9};
  ptx_entries(file, join, &j);
  assert_non_null(strstr(j.text, "inc_kernel "));
  testdata_free(file);
}

static void read_all(struct view v)
{
  struct ptx_header h;
  char toolkit[8];
  long names = 0;
  if (ptx_header_decode(v, &h))
    assert_true(h.offset < v.size);
  ptx_header_at(v, &h);
  ptx_toolkit(v, toolkit);
  long seen = ptx_entries(v, count_name, &names);
  assert_int_equal(seen, names);
}

static void test_maltreated(void **state)
{
  (void)state;
  static const char *const names[] = {"text_dbg.ptx", "text_tex.ptx", "n130_cm_none.fatbin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    testdata_torture(names[i], 400, 31, 100, 2000, read_all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corpus),     cmocka_unit_test(test_forms),      cmocka_unit_test(test_no_forms),
      cmocka_unit_test(test_extent),     cmocka_unit_test(test_toolkit),    cmocka_unit_test(test_entries),
      cmocka_unit_test(test_long_texts), cmocka_unit_test(test_maltreated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
