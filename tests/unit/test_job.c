/* SPDX-License-Identifier: Apache-2.0 */
/* The work on one file: archives of objects, files that hold nothing, files that cannot be read. */
#include "carriers.h"
#include "model/builder.h"

static void add_member(struct made *m, const char *name, struct view bytes)
{
  char header[61];
  snprintf(header, sizeof header, "%-16s%-12u%-6u%-6u%-8u%-10zu`\n", name, 0u, 0u, 0u, 644u, bytes.size);
  made_add(m, header, 60);
  made_add(m, bytes.data, bytes.size);
  if (bytes.size % 2)
    made_add(m, "\n", 1);
}

static void objects(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_lib.a");
  struct job_result r;
  read_plain(v, "lib/libx.a", &r);
  assert_int_equal(r.type, CARRIER_AR);
  assert_true(r.library_count > 1);
  assert_null(r.faults);
  for (size_t i = 0; i < r.library_count; i++) {
    const struct cuw_library *l = r.libraries[i];
    assert_int_equal(strncmp(l->path, "lib/libx.a(", 11), 0);
    assert_int_equal(l->format, CUW_AR);
    assert_string_equal(l->machine, "x86_64");
    for (size_t k = 0; k < l->image_count; k++)
      assert_int_equal(l->images[k].role, CUW_ROLE_LINK_TIME);
  }
  job_result_free(&r);
  testdata_free(v);
}

/* Members of every sort: only carriers are libraries, each with offsets of its own. */
static void mixed_members(void **state)
{
  (void)state;
  static const char *const names[] = {"n130_c.o", "n130_mixed.fatbin", "p130_sm90.cubin", "text_a.ptx", "pe_min.dll"};
  struct made m = {0};
  made_add(&m, "!<arch>\n", 8);
  add_member(&m, "readme/", (struct view){(const uint8_t *)"plain words", 11});
  add_member(&m, "empty/", (struct view){NULL, 0});
  for (size_t i = 0; i < 5; i++) {
    char name[20];
    struct view v = testdata_load(names[i]);
    snprintf(name, sizeof name, "%.14s/", names[i]);
    add_member(&m, name, v);
    add_member(&m, name, v);
    testdata_free(v);
  }
  struct job_result r, deflated_one;
  read_plain(made_view(&m), "x.a", &r);
  assert_int_equal(r.library_count, 10);
  assert_string_equal(r.libraries[0]->path, "x.a(n130_c.o)");
  assert_string_equal(r.libraries[1]->path, "x.a(n130_c.o#2)");
  for (size_t i = 0; i < 5; i++) {
    struct view v = testdata_load(names[i]);
    struct job_result alone;
    read_plain(v, names[i], &alone);
    assert_int_equal(alone.libraries[0]->image_count, r.libraries[2 * i]->image_count);
    for (size_t k = 0; k < alone.libraries[0]->image_count; k++) {
      assert_same_image(&alone.libraries[0]->images[k], &r.libraries[2 * i]->images[k]);
      assert_same_image(&alone.libraries[0]->images[k], &r.libraries[2 * i + 1]->images[k]);
    }
    job_result_free(&alone);
    testdata_free(v);
  }
  struct view plain = made_view(&m), packed = deflated(plain, 6);
  struct source *s = packed_source(&packed, plain.size, crc_of(plain), NULL);
  job_read(s, "x.a", NULL, &deflated_one);
  source_close(s);
  assert_same_result(&r, &deflated_one);
  job_result_free(&r);
  job_result_free(&deflated_one);
  testdata_free(packed);
  made_free(&m);
}

static void thin(void **state)
{
  (void)state;
  struct view v = testdata_text("!<thin>\n/               0           0     0     0       4         `\n\0\0\0\0");
  struct job_result r;
  read_plain(v, "x.a", &r);
  assert_int_equal(r.library_count, 0);
  assert_non_null(r.faults);
  assert_string_equal(r.faults->problems[0].code, "archive-thin");
  job_result_free(&r);
  testdata_free(v);
}

/* An archive that is cut keeps its whole members, and the cut one as far as it goes. */
static void cut_archive(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_lib.a");
  struct job_result whole;
  read_plain(v, "x.a", &whole);
  for (size_t size = 8; size < v.size; size += 61) {
    struct view part = testdata_copy((struct view){v.data, size});
    struct job_result r;
    read_plain(part, "x.a", &r);
    assert_true(r.library_count <= whole.library_count);
    assert_true(r.faults != NULL || r.library_count == 0 || size > 60);
    for (size_t i = 0; i + 1 < r.library_count; i++)
      assert_int_equal(r.libraries[i]->image_count, whole.libraries[i]->image_count);
    job_result_free(&r);
    testdata_free(part);
  }
  job_result_free(&whole);
  testdata_free(v);
}

static void too_many_members(void **state)
{
  (void)state;
  struct made m = {0};
  Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_REL};
  made_add(&m, "!<arch>\n", 8);
  for (unsigned i = 0; i < (1u << 16) + 5; i++)
    add_member(&m, "a.o/", (struct view){(const uint8_t *)&h, sizeof h});
  struct job_result r;
  read_plain(made_view(&m), "x.a", &r);
  assert_int_equal(r.library_count, 1u << 16);
  assert_non_null(r.faults);
  assert_string_equal(r.faults->problems[0].code, "too-many-members");
  job_result_free(&r);
  made_free(&m);
}

static void nothing(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "",       "a",  "ELF",  "import torch\n", "#!/bin/sh\necho .version 8.0 .target sm_90\n",
      "\177EL", "MZ", "BZh9", "!<arch>"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct view v = testdata_text(texts[i]);
    struct job_result r;
    read_plain(v, "x", &r);
    assert_int_equal(r.library_count, 0);
    assert_null(r.faults);
    job_result_free(&r);
    testdata_free(v);
  }
}

static void unread_kinds(void **state)
{
  (void)state;
  static const struct {
    enum carrier_type type;
    const char *bytes;
    size_t size;
  } rows[] = {
      {CARRIER_ZIP, "PK\3\4", 30},
      {CARRIER_GZIP, "\x1F\x8B\x08", 20},
      {CARRIER_XZ,
       "\xFD"
       "7zXZ",
       20},
      {CARRIER_7Z, "7z\xBC\xAF\x27\x1C", 32},
      {CARRIER_ZSTD, "\x28\xB5\x2F\xFD", 20},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t bytes[64] = {0};
    struct job_result r;
    memcpy(bytes, rows[i].bytes, strlen(rows[i].bytes));
    struct view v = testdata_copy((struct view){bytes, rows[i].size});
    read_plain(v, "x", &r);
    assert_int_equal(r.type, rows[i].type);
    assert_int_equal(r.library_count, 0);
    assert_null(r.faults);
    job_result_free(&r);
    testdata_free(v);
  }
}

/* A stream that gives nothing is a fault of the member, whatever it may hold. */
static void unreadable_member(void **state)
{
  (void)state;
  static const uint8_t garbage[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  struct view packed = {garbage, sizeof garbage};
  struct job_result r;
  struct source *s = packed_source(&packed, 100000, 0, NULL);
  job_read(s, "x.so", NULL, &r);
  source_close(s);
  assert_int_equal(r.library_count, 0);
  assert_non_null(r.faults);
  assert_int_equal(r.faults->problem_count, 1);
  assert_string_equal(r.faults->problems[0].code, "stream-damaged");
  job_result_free(&r);
}

/* An object is input for a linker: nothing in it is registered. */
static void object_file(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_dc.o");
  struct job_result r;
  read_plain(v, "k.o", &r);
  assert_int_equal(r.libraries[0]->format, CUW_ELF);
  assert_true(r.libraries[0]->image_count > 0);
  for (size_t i = 0; i < r.libraries[0]->image_count; i++)
    assert_int_equal(r.libraries[0]->images[i].role, CUW_ROLE_LINK_TIME);
  job_result_free(&r);
  testdata_free(v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects),      cmocka_unit_test(mixed_members),     cmocka_unit_test(thin),
      cmocka_unit_test(cut_archive),  cmocka_unit_test(too_many_members),  cmocka_unit_test(nothing),
      cmocka_unit_test(unread_kinds), cmocka_unit_test(unreadable_member), cmocka_unit_test(object_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
