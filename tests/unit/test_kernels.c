/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include "image/kernels.h"

/* testdata/kernels/make says where the numbers come from. */
#define KERNELS "../kernels/"

static uint32_t number(const char *text)
{
  if (text[0] == '-' || strcmp(text, "UNKNOWN") == 0)
    return KERNEL_NOT_RECORDED;
  return (uint32_t)strtoul(text, NULL, 10);
}

struct wanted {
  const char *name;
  struct kernel found;
  int count;
};

static bool take(void *data, const struct kernel *k)
{
  struct wanted *w = data;
  size_t length = strlen(w->name);
  if (k->name.size == length && (length == 0 || memcmp(k->name.data, w->name, length) == 0)) {
    w->found = *k;
    w->count++;
  }
  return true;
}

/* One line: name, REG, STACK, SHARED, LOCAL, CONSTANT[0], launch bounds. */
static void check_line(struct view cubin, bool relocatable, char *line)
{
  char *field[7], *rest = NULL;
  for (int i = 0; i < 7; i++) {
    field[i] = strtok_r(i == 0 ? line : NULL, "\t\n", &rest);
    assert_non_null(field[i]);
  }
  struct wanted w = {.name = field[0]};
  const char *damage;
  assert_true(kernels_read(cubin, take, &w, &damage) > 0);
  assert_null(damage);
  assert_int_equal(w.count, 1);
  const struct kernel *k = &w.found;
  assert_int_equal(k->registers, number(field[1]));
  assert_int_equal(k->stack, relocatable ? KERNEL_NOT_RECORDED : number(field[2]));
  assert_int_equal(k->shared, number(field[3]));
  assert_int_equal(k->local_bytes, number(field[4]));
  assert_int_equal(k->constant, number(field[5]));
  assert_int_equal(k->max_threads, number(field[6]));
  bool is_static = strstr(field[0], "local_entry") != NULL;
  assert_int_equal(k->local, is_static);
}

/* The cubin and its records hold the same kernels, number for number. */
static void check_file(const char *stem)
{
  char name[64], path[4096], line[512];
  snprintf(name, sizeof name, KERNELS "%s.cubin", stem);
  struct view cubin = testdata_load(name);
  snprintf(name, sizeof name, KERNELS "%s.tsv", stem);
  testdata_path(name, path, sizeof path);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  long lines = 0;
  for (; fgets(line, sizeof line, f) != NULL; lines++)
    check_line(cubin, strstr(stem, "relocatable") != NULL, line);
  fclose(f);
  struct wanted none = {.name = ""};
  const char *damage;
  assert_int_equal(lines, 9);
  assert_int_equal(kernels_read(cubin, take, &none, &damage), lines);
  testdata_free(cubin);
}

static void test_against_cuobjdump(void **state)
{
  (void)state;
  static const char *const stems[] = {"sm_75", "sm_90", "sm_120", "sm_80_debug", "sm_90_relocatable"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
    check_file(stems[i]);
}

/* inc_kernel of every toolkit: .maxntid 256 and 512 bytes of shared memory. */
static void check_corpus(const char *name)
{
  struct view file = testdata_load(name);
  struct wanted w = {.name = "inc_kernel"};
  const char *damage;
  assert_int_equal(kernels_read(file, take, &w, &damage), 2);
  assert_null(damage);
  assert_int_equal(w.count, 1);
  assert_int_equal(w.found.max_threads, 256);
  bool reserved = w.found.shared == 512 + 1024;
  assert_true(reserved || w.found.shared == 512);
  assert_true(w.found.registers > 0 && w.found.registers < 64);
  testdata_free(file);
}

static void test_corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("p1", ".cubin", check_corpus) >= 35);
}

static bool stop(void *data, const struct kernel *k)
{
  (void)k;
  ++*(int *)data;
  return false;
}

static void test_stops(void **state)
{
  (void)state;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  const char *damage;
  int calls = 0;
  assert_int_equal(kernels_read(file, stop, &calls, &damage), 1);
  assert_int_equal(calls, 1);
  testdata_free(file);
}

static void test_damaged_tables(void **state)
{
  (void)state;
  static const char *const names[] = {"m45_shoff.cubin", "m46_shnum.cubin", "m00_good.fatbin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct view file = testdata_load(names[i]);
    const char *damage = NULL;
    int calls = 0;
    assert_int_equal(kernels_read(file, stop, &calls, &damage), -1);
    assert_non_null(damage);
    assert_int_equal(calls, 0);
    testdata_free(file);
  }
}

/* Offset of the header of the first section of `type`. */
static uint64_t section_header(struct view file, uint32_t type)
{
  uint64_t table = view_uint(file, 40, 8), count = view_uint(file, 60, 2);
  for (uint64_t i = 0; i < count; i++)
    if (view_uint(file, table + i * 64 + 4, 4) == type)
      return table + i * 64;
  fail_msg("no section of type 0x%x", type);
  return 0;
}

static void poke(struct view file, uint64_t at, uint64_t value, unsigned bytes)
{
  assert_true(range_fits(at, bytes, file.size));
  for (unsigned i = 0; i < bytes; i++)
    ((uint8_t *)(uintptr_t)file.data)[at + i] = (uint8_t)(value >> (8 * i));
}

/* A record that overruns its section, and a name outside the strings, cost themselves alone. */
static void test_damage_costs_its_part(void **state)
{
  (void)state;
  const char *damage;
  int before = 0, count = 0;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  struct wanted w = {.name = "_Z5plainPi"};
  uint64_t info = section_header(file, 0x70000000);
  uint64_t records = view_uint(file, info + 24, 8);
  poke(file, records + 2, 0xffff, 2);
  assert_int_equal(kernels_read(file, take, &w, &damage), 9);
  assert_non_null(damage);
  assert_int_equal(w.found.registers, KERNEL_NOT_RECORDED);
  assert_int_equal(w.found.shared, 1024);
  testdata_free(file);

  file = testdata_load(KERNELS "sm_90.cubin");
  uint64_t symbols = section_header(file, 2);
  uint64_t at = view_uint(file, symbols + 24, 8), size = view_uint(file, symbols + 32, 8);
  for (uint64_t i = 0; i < size; i += 24)
    before += (view_uint(file, at + i + 4, 1) & 15) == 2;
  for (uint64_t i = size - 24; count == 0; i -= 24)
    if ((view_uint(file, at + i + 4, 1) & 15) == 2 && view_uint(file, at + i + 5, 1) == 0x10) {
      poke(file, at + i, 0xfffffff0, 4);
      count++;
    }
  assert_true(before >= 9);
  struct wanted nameless = {.name = ""};
  assert_int_equal(kernels_read(file, take, &nameless, &damage), 9);
  assert_int_equal(nameless.count, 1);
  assert_null(nameless.found.name.data);
  assert_non_null(damage);
  testdata_free(file);
}

static bool add_length(void *data, const struct kernel *k)
{
  *(size_t *)data += k->name.size;
  return true;
}

/* Many sections that name the same records must not be read again and again. */
static void test_shared_records_end(void **state)
{
  (void)state;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  uint64_t table = view_uint(file, 40, 8), count = view_uint(file, 60, 2);
  struct wanted w = {.name = "_Z5plainPi"};
  const char *damage;
  for (uint64_t i = 4; i < count; i++) {
    poke(file, table + i * 64 + 4, 0x70000000, 4);
    poke(file, table + i * 64 + 24, 0, 8);
    poke(file, table + i * 64 + 32, file.size, 8);
  }
  assert_int_equal(kernels_read(file, take, &w, &damage), 9);
  assert_non_null(damage);
  testdata_free(file);
}

/* Symbols that name the same megabyte at every byte of it would claim terabytes of names. */
static void test_shared_names_end(void **state)
{
  (void)state;
  enum { SYMBOLS = 3000 };
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  uint64_t strings = (file.size + 7) & ~7u, symbols = strings + 8192, size = symbols + SYMBOLS * 24;
  uint8_t *data = calloc(1, size);
  struct view v = {data, size};
  memcpy(data, file.data, file.size);
  memset(data + strings, 'k', 8191);
  uint64_t table = section_header(file, 2), link = view_uint(file, table + 40, 4);
  poke(v, table + 24, symbols, 8);
  poke(v, table + 32, SYMBOLS * 24, 8);
  poke(v, view_uint(file, 40, 8) + link * 64 + 24, strings, 8);
  poke(v, view_uint(file, 40, 8) + link * 64 + 32, 8192, 8);
  for (uint64_t i = 0; i < SYMBOLS; i++)
    poke(v, symbols + i * 24, i | (uint64_t)0x1012 << 32 | (uint64_t)1 << 48, 8);
  size_t bytes = 0;
  const char *damage;
  assert_int_equal(kernels_read(v, add_length, &bytes, &damage), SYMBOLS);
  assert_true(bytes > 0 && bytes <= size);
  assert_non_null(damage);
  free(data);
  testdata_free(file);
}

/* Without the names of the sections no number can be told. */
static void test_nameless_sections(void **state)
{
  (void)state;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  struct wanted w = {.name = "_Z5plainPi"};
  const char *damage;
  poke(file, 62, 0xfff0, 2);
  assert_int_equal(kernels_read(file, take, &w, &damage), 9);
  assert_int_equal(w.count, 1);
  assert_non_null(damage);
  testdata_free(file);
}

/* libelf's memory follows the number of sections, and zeros compress to nothing. */
static void test_too_many_sections(void **state)
{
  (void)state;
  const uint64_t count = ((uint64_t)1 << 20) + 1;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  uint64_t table = (file.size + 7) & ~7u, size = table + count * 64;
  uint8_t *data = calloc(1, size);
  assert_non_null(data);
  memcpy(data, file.data, file.size);
  struct view v = {data, size};
  poke(v, 40, table, 8);
  poke(v, 60, 0, 2);
  poke(v, table + 32, count, 8);
  int calls = 0;
  const char *damage;
  assert_int_equal(kernels_read(v, stop, &calls, &damage), -1);
  assert_non_null(strstr(damage, "too many sections"));
  free(data);
  testdata_free(file);
}

/* Without a REGCOUNT record the header of the .text section tells. */
static void test_registers_in_section_header(void **state)
{
  (void)state;
  struct view file = testdata_load("p118_sm80.cubin");
  static const uint8_t record[] = {4, 0x2f, 8, 0};
  struct wanted before = {.name = "inc_kernel"}, after = before;
  const char *damage;
  kernels_read(file, take, &before, &damage);
  int count = 0;
  for (uint8_t *at; (at = memmem(file.data, file.size, record, sizeof record)); count++)
    at[1] = 1;
  assert_true(count >= 2);
  kernels_read(file, take, &after, &damage);
  assert_int_equal(after.found.registers, 8);
  assert_int_equal(after.found.registers, before.found.registers);
  testdata_free(file);
}

static void test_threads_are_bounded(void **state)
{
  (void)state;
  struct view file = testdata_load(KERNELS "sm_90.cubin");
  static const uint8_t bounds[] = {4, 5, 12, 0, 128, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const uint8_t *at = memmem(file.data, file.size, bounds, sizeof bounds);
  assert_non_null(at);
  struct wanted w = {.name = "_Z7boundedPi"};
  const char *damage;
  memset((void *)(uintptr_t)(at + 4), 0xff, 12);
  kernels_read(file, take, &w, &damage);
  assert_int_equal(w.found.max_threads, KERNEL_NOT_RECORDED);
  testdata_free(file);
}

static bool touch(void *data, const struct kernel *k)
{
  for (size_t i = 0; i < k->name.size; i++)
    *(unsigned *)data += k->name.data[i];
  return true;
}

static void read_all(struct view v)
{
  const char *damage;
  unsigned sum = 0;
  kernels_read(v, touch, &sum, &damage);
}

static void test_maltreated(void **state)
{
  (void)state;
  static const char *const names[] = {"p130_sm100f.cubin", "p124_sm90a.cubin", "p130_sm90_rel.cubin",
                                      KERNELS "sm_90.cubin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    testdata_torture(names[i], 80, 211, 64, 500, read_all);
    testdata_torture(names[i], 0, 1009, SIZE_MAX, 2000, read_all);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_cuobjdump),
      cmocka_unit_test(test_corpus),
      cmocka_unit_test(test_stops),
      cmocka_unit_test(test_damaged_tables),
      cmocka_unit_test(test_damage_costs_its_part),
      cmocka_unit_test(test_shared_records_end),
      cmocka_unit_test(test_shared_names_end),
      cmocka_unit_test(test_nameless_sections),
      cmocka_unit_test(test_too_many_sections),
      cmocka_unit_test(test_registers_in_section_header),
      cmocka_unit_test(test_threads_are_bounded),
      cmocka_unit_test(test_maltreated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
