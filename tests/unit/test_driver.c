/* SPDX-License-Identifier: Apache-2.0 */
/* Driver versions, and what they can run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "verdict/driver.h"

static struct cuw_driver driver_of(const char *text)
{
  struct cuw_driver d;
  assert_true(cuw_driver_parse(text, &d));
  return d;
}

static void test_parse(void **state)
{
  static const char *const bad[] = {"",      "570.",        ".570", "570..1",  "12.8",
                                    "570.x", "570.1.2.3.4", "v570", "5700000", "-570"};
  unsigned cuda = 0;
  (void)state;
  struct cuw_driver d = driver_of("570.124.06");
  assert_int_equal(d.part_count, 3);
  assert_int_equal(d.part[2], 6);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(cuw_driver_parse(bad[i], &d));
  assert_true(cuw_cuda_parse("12.8", &cuda));
  assert_int_equal(cuda, 128);
  assert_true(cuw_cuda_parse("13", &cuda));
  assert_int_equal(cuda, 130);
  assert_true(cuw_cuda_parse("12.6.3", &cuda));
  assert_int_equal(cuda, 126);
  assert_false(cuw_cuda_parse("12.10", &cuda));
  assert_false(cuw_cuda_parse("570.26", &cuda));
  assert_false(cuw_cuda_parse("cu128", &cuda));
  assert_false(cuw_cuda_parse("", &cuda));
}

struct cuda_row {
  const char *driver;
  enum cuw_os os;
  unsigned cuda;
  bool at_least;
};

static void test_cuda_of_driver(void **state)
{
  static const struct cuda_row rows[] = {
      {"390.157", CUW_OS_LINUX, 0, false},      {"440.33.01", CUW_OS_LINUX, 102, false},
      {"450", CUW_OS_LINUX, 110, false},        {"450.36.06", CUW_OS_LINUX, 102, false},
      {"450.80.02", CUW_OS_LINUX, 110, false},  {"470.256.02", CUW_OS_LINUX, 114, false},
      {"515.105.01", CUW_OS_LINUX, 117, false}, {"525.60", CUW_OS_LINUX, 120, false},
      {"525.60.11", CUW_OS_LINUX, 118, false},  {"525.147.05", CUW_OS_LINUX, 120, false},
      {"535.183.01", CUW_OS_LINUX, 122, false}, {"550.54", CUW_OS_LINUX, 124, false},
      {"550.163.01", CUW_OS_LINUX, 124, false}, {"555.42.02", CUW_OS_LINUX, 125, false},
      {"560.35.03", CUW_OS_LINUX, 126, false},  {"565.57.01", CUW_OS_LINUX, 127, false},
      {"570", CUW_OS_LINUX, 128, false},        {"570.124", CUW_OS_LINUX, 128, false},
      {"570.124.06", CUW_OS_LINUX, 128, false}, {"570.20", CUW_OS_LINUX, 127, false},
      {"575.57.08", CUW_OS_LINUX, 129, false},  {"580.65.06", CUW_OS_LINUX, 130, false},
      {"580.40", CUW_OS_LINUX, 129, false},     {"590.44.01", CUW_OS_LINUX, 131, false},
      {"595.71.05", CUW_OS_LINUX, 132, false},  {"610.43.02", CUW_OS_LINUX, 133, false},
      {"615.71.09", CUW_OS_LINUX, 133, true},   {"527.41", CUW_OS_WINDOWS, 120, false},
      {"528.33", CUW_OS_WINDOWS, 120, false},   {"526.98", CUW_OS_WINDOWS, 118, false},
      {"551.61", CUW_OS_WINDOWS, 124, false},   {"566.36", CUW_OS_WINDOWS, 127, false},
      {"572.16", CUW_OS_WINDOWS, 128, false},   {"576.80", CUW_OS_WINDOWS, 129, false},
      {"581.29", CUW_OS_WINDOWS, 130, false},   {"591.59", CUW_OS_WINDOWS, 131, false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_driver d = driver_of(rows[i].driver);
    bool at_least;
    unsigned cuda = cuw_driver_cuda(&d, rows[i].os, &at_least);
    if (cuda != rows[i].cuda || at_least != rows[i].at_least)
      fail_msg("%s: CUDA %u", rows[i].driver, cuda);
  }
}

struct isa_row {
  unsigned major, minor;
  enum cuw_os os;
  const char *driver;
};

static void test_first_driver_of_isa(void **state)
{
  static const struct isa_row rows[] = {
      {6, 4, CUW_OS_LINUX, "a driver for CUDA 10.1"},
      {6, 5, CUW_OS_LINUX, "440.33"},
      {7, 8, CUW_OS_WINDOWS, "520.06"},
      {8, 0, CUW_OS_LINUX, "525.60.13"},
      {8, 5, CUW_OS_LINUX, "555.42.02"},
      {8, 6, CUW_OS_LINUX, "565"},
      {8, 7, CUW_OS_LINUX, "570.26"},
      {8, 7, CUW_OS_WINDOWS, "570.65"},
      {9, 0, CUW_OS_LINUX, "580.65.06"},
      {9, 0, CUW_OS_WINDOWS, "a driver for CUDA 13.0"},
      {9, 1, CUW_OS_LINUX, "590.44.01"},
      {9, 2, CUW_OS_LINUX, "a driver for CUDA 13.2"},
      {9, 5, CUW_OS_LINUX, "a driver for CUDA 13.5"},
      {9, 9, CUW_OS_LINUX, "a driver that knows PTX ISA 9.9"},
      {65535, 65535, CUW_OS_LINUX, "a driver that knows PTX ISA 65535.65535"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[DRIVER_TEXT_MAX];
    assert_string_equal(driver_for_isa(rows[i].major, rows[i].minor, rows[i].os, out), rows[i].driver);
  }
}

struct know_row {
  const char *driver; /* a version, or "=128" for a CUDA version */
  unsigned major, minor;
  bool knows;
};

static void test_known_isa(void **state)
{
  static const struct know_row rows[] = {
      {"570.26", 8, 7, true},    {"570.26", 8, 8, false},    {"565.57.01", 8, 6, true}, {"565.57.01", 8, 7, false},
      {"560.35.03", 8, 5, true}, {"560.35.03", 8, 6, false}, {"580.65.06", 9, 0, true}, {"580.65.06", 9, 1, false},
      {"595.71", 9, 2, true},    {"595.71", 9, 3, false},    {"610.43", 9, 3, true},    {"610.43", 9, 4, false},
      {"700.1", 9, 4, true},     {"525.60", 8, 0, true},     {"390.157", 3, 2, true},   {"390.157", 6, 5, false},
      {"390.157", 7, 0, false},  {"=128", 8, 7, true},       {"=127", 8, 7, false},     {"=126", 8, 5, true},
      {"=135", 9, 5, true},      {"=134", 9, 5, false},      {"=135", 9, 9, false},     {"=120", 7, 0, true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_driver d = {{0}, 0, 0};
    if (rows[i].driver[0] == '=')
      d.cuda = (rows[i].driver[1] - '0') * 100u + (rows[i].driver[2] - '0') * 10u + (rows[i].driver[3] - '0');
    else
      d = driver_of(rows[i].driver);
    if (driver_knows_isa(&d, CUW_OS_LINUX, rows[i].major, rows[i].minor) != rows[i].knows)
      fail_msg("%s and ISA %u.%u", rows[i].driver, rows[i].major, rows[i].minor);
  }
  struct cuw_driver none = {{0}, 0, 0};
  assert_true(driver_knows_isa(&none, CUW_OS_LINUX, 9, 9));
}

struct floor_row {
  const char *driver;
  enum cuw_os os;
  unsigned major, exact;
  bool too_old;
};

static void test_floors(void **state)
{
  static const struct floor_row rows[] = {
      {"450.80.02", CUW_OS_LINUX, 11, 118, false}, {"450.51.05", CUW_OS_LINUX, 11, 118, true},
      {"450.51.05", CUW_OS_LINUX, 11, 110, false}, {"450.51.05", CUW_OS_LINUX, 11, 0, true},
      {"450", CUW_OS_LINUX, 11, 0, false},         {"440.33", CUW_OS_LINUX, 11, 0, true},
      {"525.60", CUW_OS_LINUX, 12, 0, false},      {"525.60.13", CUW_OS_LINUX, 12, 0, false},
      {"525.53", CUW_OS_LINUX, 12, 0, true},       {"520.61.05", CUW_OS_LINUX, 12, 128, true},
      {"535.54.03", CUW_OS_LINUX, 12, 128, false}, {"575.51.03", CUW_OS_LINUX, 13, 0, true},
      {"580.65.06", CUW_OS_LINUX, 13, 0, false},   {"580", CUW_OS_LINUX, 13, 0, false},
      {"528.33", CUW_OS_WINDOWS, 12, 0, false},    {"527.41", CUW_OS_WINDOWS, 12, 0, true},
      {"527.41", CUW_OS_WINDOWS, 12, 120, false},  {"452.39", CUW_OS_WINDOWS, 11, 0, false},
      {"452.06", CUW_OS_WINDOWS, 11, 0, true},     {"390.157", CUW_OS_LINUX, 10, 102, false},
      {"580.65.06", CUW_OS_LINUX, 11, 0, false},   {"390.157", CUW_OS_LINUX, 0, 0, false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_driver d = driver_of(rows[i].driver);
    if (driver_is_too_old(&d, rows[i].os, rows[i].major, rows[i].exact) != rows[i].too_old)
      fail_msg("%s and CUDA %u", rows[i].driver, rows[i].major);
  }
  struct cuw_driver cuda = {{0}, 0, 128}, none = {{0}, 0, 0};
  assert_true(driver_is_too_old(&cuda, CUW_OS_LINUX, 13, 0));
  assert_false(driver_is_too_old(&cuda, CUW_OS_LINUX, 12, 129));
  assert_false(driver_is_too_old(&none, CUW_OS_LINUX, 13, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parse),
      cmocka_unit_test(test_cuda_of_driver),
      cmocka_unit_test(test_first_driver_of_isa),
      cmocka_unit_test(test_known_isa),
      cmocka_unit_test(test_floors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
