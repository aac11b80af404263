/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/carrier.h"
#include "testdata.h"

/* An archive made here. */
struct archive {
  char *bytes;
  size_t size, room;
};

static void append(struct archive *a, const void *bytes, size_t size)
{
  if (a->size + size > a->room) {
    a->room = (a->size + size) * 2;
    a->bytes = realloc(a->bytes, a->room);
    assert_non_null(a->bytes);
  }
  memcpy(a->bytes + a->size, bytes, size);
  a->size += size;
}

static void archive_start(struct archive *a)
{
  a->size = 0;
  append(a, "!<arch>\n", 8);
}

static void header(struct archive *a, const char *name, size_t size)
{
  char text[80];
  snprintf(text, sizeof(text), "%-16s%-12u%-6u%-6u%-8o%-10zu`\n", name, 0u, 0u, 0u, 0100644u, size);
  append(a, text, 60);
}

static void member(struct archive *a, const char *name, const char *data, size_t size)
{
  header(a, name, size);
  append(a, data, size);
  if (size & 1)
    append(a, "\n", 1);
}

/* What a walk told, as one text: "name@offset+size " and "!code@offset ". */
struct record {
  char text[4096];
  size_t length;
  size_t members, stop_after, faults;
};

static bool each(void *data, const char *name, uint64_t offset, uint64_t size)
{
  struct record *r = data;
  r->members++;
  if (r->length < sizeof(r->text) - 100)
    r->length += (size_t)snprintf(r->text + r->length, 90, "%s@%llu+%llu ", name, (unsigned long long)offset,
                                  (unsigned long long)size);
  return r->members != r->stop_after;
}

static void fault(void *data, const char *code, uint64_t offset, const char *message)
{
  struct record *r = data;
  assert_non_null(message);
  r->faults++;
  if (r->length < sizeof(r->text) - 100)
    r->length += (size_t)snprintf(r->text + r->length, 90, "!%s@%llu ", code, (unsigned long long)offset);
}

static bool walk(struct view v, struct record *r)
{
  struct source *s = source_memory(v.data, v.size);
  assert_non_null(s);
  struct ar_visitor visitor = {each, fault, r};
  bool whole = ar_walk(s, &visitor);
  source_close(s);
  return whole;
}

static void expect(const struct archive *a, bool whole, const char *text)
{
  static struct record r;
  memset(&r, 0, sizeof(r));
  struct view v = testdata_copy((struct view){(const uint8_t *)a->bytes, a->size});
  assert_int_equal(walk(v, &r), whole);
  assert_string_equal(r.text, text);
  testdata_free(v);
}

static void real_archive(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_lib.a");
  static struct record r;
  assert_true(walk(v, &r));
  assert_int_equal(r.members, 3);
  assert_int_equal(r.faults, 0);
  assert_non_null(strstr(r.text, "k3.o@"));
  assert_non_null(strstr(r.text, " k4.o@"));
  assert_non_null(strstr(r.text, " k2pic.o@"));
  testdata_free(v);
}

static void gnu_names(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  member(&a, "/", "\0\0\0\0", 4);
  member(&a, "/SYM64/", "\0\0\0\0\0\0\0\0", 8);
  member(&a, "//", "a_rather_long_name.o/\ndir/another_long_name.o/\n", 48);
  member(&a, "short.o/", "xyz", 3);
  member(&a, "/0", "1", 1);
  member(&a, "/22", "12", 2);
  member(&a, "short.o/", "", 0);
  member(&a, "with blank.o/", "", 0);
  member(&a, "short.o/", "", 0);
  expect(&a, true,
         "short.o@308+3 a_rather_long_name.o@372+1 dir/another_long_name.o@434+2 short.o#2@496+0 "
         "with blank.o@556+0 short.o#3@616+0 ");
  free(a.bytes);
}

static void coff_names(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  member(&a, "/", "\0\0\0\0", 4);
  member(&a, "/", "\0\0\0\0\0\0\0\0", 8);
  member(&a, "//", "out\\release\\device.obj\0src/b.obj\0", 33);
  member(&a, "/<ECSYMBOLS>/", "\0\0\0\0", 4);
  member(&a, "/0", "1", 1);
  member(&a, "/23", "2", 1);
  member(&a, "cudart64_12.dll/", "", 0);
  expect(&a, true, "out\\release\\device.obj@358+1 src/b.obj@420+1 cudart64_12.dll@482+0 ");
  free(a.bytes);
}

static void bsd_names(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  member(&a, "#1/12", "__.SYMDEF\0\0\0____", 16);
  member(&a, "#1/20", "a name with blanks\0\0DATA", 24);
  member(&a, "short.o", "x", 1);
  expect(&a, true, "a name with blanks@164+4 short.o@228+1 ");
  free(a.bytes);
}

static void damage(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  expect(&a, true, "");
  member(&a, "a.o/", "1234", 4);
  append(&a, "\n\n\0", 3);
  expect(&a, true, "a.o@68+4 "); /* padding */
  a.size -= 3;
  append(&a, "rest", 4);
  expect(&a, false, "a.o@68+4 !archive-member-header@72 ");
  a.size -= 4;
  header(&a, "b.o/", 1000);
  append(&a, "56", 2);
  expect(&a, false, "a.o@68+4 !archive-member-truncated@72 b.o@132+2 ");
  a.bytes[72 + 58] = '?';
  expect(&a, false, "a.o@68+4 !archive-member-header@72 ");
  a.bytes[72 + 58] = '`';
  a.bytes[72 + 50] = 'x'; /* in the size */
  expect(&a, false, "a.o@68+4 !archive-member-header@72 ");
  free(a.bytes);
}

static void names_that_lead_nowhere(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  member(&a, "/5", "1", 1); /* before any table */
  member(&a, "//", "name/\n", 6);
  member(&a, "/6", "2", 1);
  member(&a, "/99999999999999", "3", 1);
  member(&a, "#1/50", "4", 1);
  member(&a, "/0", "5", 1);
  member(&a, "", "6", 1);
  expect(&a, true,
         "!archive-member-name@8 member@8@68+1 !archive-member-name@136 member@136@196+1 "
         "!archive-member-name@198 member@198@258+1 !archive-member-name@260 member@260@320+1 "
         "name@382+1 member@384@444+1 ");
  free(a.bytes);
}

static void visitor_may_stop(void **state)
{
  (void)state;
  struct archive a = {0};
  archive_start(&a);
  for (int i = 0; i < 5; i++)
    member(&a, "a.o/", "", 0);
  static struct record r;
  memset(&r, 0, sizeof(r));
  r.stop_after = 2;
  assert_true(walk((struct view){(const uint8_t *)a.bytes, a.size}, &r));
  assert_int_equal(r.members, 2);
  free(a.bytes);
}

static void many_members(void **state)
{
  (void)state;
  struct archive a = {0};
  char name[32];
  archive_start(&a);
  for (int i = 0; i < 100000; i++) {
    snprintf(name, sizeof(name), "m%d.o/", i % 50000);
    member(&a, name, "", 0);
  }
  static struct record r;
  memset(&r, 0, sizeof(r));
  assert_true(walk((struct view){(const uint8_t *)a.bytes, a.size}, &r));
  assert_int_equal(r.members, 100000);
  assert_int_equal(r.faults, 0);
  free(a.bytes);
}

static void check_member(void *data, uint64_t offset, uint64_t size)
{
  assert_true(range_fits(offset, size, *(const size_t *)data));
}

static bool each_inside(void *data, const char *name, uint64_t offset, uint64_t size)
{
  assert_true(name[0] != 0);
  check_member(data, offset, size);
  return true;
}

static void fault_somewhere(void *data, const char *code, uint64_t offset, const char *message)
{
  (void)data;
  (void)offset;
  assert_true(code && message);
}

static void walk_any(struct view v)
{
  struct source *s = source_memory(v.data, v.size);
  assert_non_null(s);
  struct ar_visitor visitor = {each_inside, fault_somewhere, &v.size};
  ar_walk(s, &visitor);
  source_close(s);
}

static void any_bytes_are_survived(void **state)
{
  (void)state;
  testdata_torture("n130_lib.a", 600, 199, 1200, 1500, walk_any);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_archive),     cmocka_unit_test(gnu_names),    cmocka_unit_test(coff_names),
      cmocka_unit_test(bsd_names),        cmocka_unit_test(damage),       cmocka_unit_test(names_that_lead_nowhere),
      cmocka_unit_test(visitor_may_stop), cmocka_unit_test(many_members), cmocka_unit_test(any_bytes_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
