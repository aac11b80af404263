/* SPDX-License-Identifier: Apache-2.0 */
/* Which image serves which device: the whole matrix, drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "verdict/compat.h"

static const unsigned devices[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72, 75,
                                   80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121};

struct row {
  const char *image;
  const char *fits; /* one letter a device of the line above: + or . */
};

/* Columns under their devices. */
/* clang-format off */
static const struct row rows[] = {
    /*              33335 55666 77788 88891 11111
                    02570 23012 02506 78900 00122
                                          0 37001 */
    {"sm_30",      "+.++. ..... ..... ..... ....."},
    {"sm_32",      ".+... ..... ..... ..... ....."},
    {"sm_35",      "..++. ..... ..... ..... ....."},
    {"sm_50",      "....+ +.... ..... ..... ....."},
    {"sm_52",      "..... +.... ..... ..... ....."},
    {"sm_53",      "..... .+... ..... ..... ....."},
    {"sm_60",      "..... ..++. ..... ..... ....."},
    {"sm_61",      "..... ...+. ..... ..... ....."},
    {"sm_62",      "..... ....+ ..... ..... ....."},
    {"sm_70",      "..... ..... +.+.. ..... ....."},
    {"sm_72",      "..... ..... .+... ..... ....."},
    {"sm_75",      "..... ..... ..+.. ..... ....."},
    {"sm_80",      "..... ..... ...++ .++.. ....."},
    {"sm_86",      "..... ..... ....+ .++.. ....."},
    {"sm_87",      "..... ..... ..... +.... ....."},
    {"sm_88",      "..... ..... ..... .++.. ....."},
    {"sm_89",      "..... ..... ..... ..+.. ....."},
    {"sm_90",      "..... ..... ..... ...+. ....."},
    {"sm_90a",     "..... ..... ..... ...+. ....."},
    {"sm_100",     "..... ..... ..... ....+ ++..."},
    {"sm_100a",    "..... ..... ..... ....+ ....."},
    {"sm_100f",    "..... ..... ..... ....+ ++..."},
    {"sm_101",     "..... ..... ..... ..... ..+.."},
    {"sm_101a",    "..... ..... ..... ..... ..+.."},
    {"sm_101f",    "..... ..... ..... ..... ..+.."},
    {"sm_103",     "..... ..... ..... ..... ++..."},
    {"sm_103a",    "..... ..... ..... ..... +...."},
    {"sm_103f",    "..... ..... ..... ..... ++..."},
    {"sm_107f",    "..... ..... ..... ..... .+..."},
    {"sm_110",     "..... ..... ..... ..... ..+.."},
    {"sm_110f",    "..... ..... ..... ..... ..+.."},
    {"sm_120",     "..... ..... ..... ..... ...++"},
    {"sm_120a",    "..... ..... ..... ..... ...+."},
    {"sm_120f",    "..... ..... ..... ..... ...++"},
    {"sm_121",     "..... ..... ..... ..... ....+"},
    {"sm_121f",    "..... ..... ..... ..... ....+"},
    {"sm_0",       "..... ..... ..... ..... ....."},
    {"sm_4294967295", "..... ..... ..... ..... ....."},
    {"compute_30", "+++++ +++++ +++++ +++++ +++++"},
    {"compute_53", "..... .++++ +++++ +++++ +++++"},
    {"compute_75", "..... ..... ..+++ +++++ +++++"},
    {"compute_80", "..... ..... ...++ +++++ +++++"},
    {"compute_87", "..... ..... ..... +++++ +++++"},
    {"compute_90", "..... ..... ..... ...++ +++++"},
    {"compute_90a", "..... ..... ..... ...+. ....."},
    {"compute_100", "..... ..... ..... ....+ +++++"},
    {"compute_100a", "..... ..... ..... ....+ ....."},
    {"compute_100f", "..... ..... ..... ....+ ++..."},
    {"compute_101", "..... ..... ..... ..... ..+++"},
    {"compute_101a", "..... ..... ..... ..... ..+.."},
    {"compute_103", "..... ..... ..... ..... +++++"},
    {"compute_103f", "..... ..... ..... ..... ++..."},
    {"compute_110f", "..... ..... ..... ..... ..+.."},
    {"compute_120", "..... ..... ..... ..... ...++"},
    {"compute_120a", "..... ..... ..... ..... ...+."},
    {"compute_120f", "..... ..... ..... ..... ...++"},
    {"compute_121", "..... ..... ..... ..... ....+"},
    {"compute_0", "..... ..... ..... ..... ....."},
};
/* clang-format on */

static bool expects(const char *fits, size_t device)
{
  for (;; fits++) {
    if (*fits == ' ')
      continue;
    if (device-- == 0)
      return *fits == '+';
  }
}

static void test_matrix(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuw_image image = {.has_arch = true};
    assert_int_equal(cuw_arch_parse(rows[i].image, strlen(rows[i].image), &image.arch), strlen(rows[i].image));
    image.kind = image.arch.is_virtual ? CUW_KIND_PTX : CUW_KIND_CUBIN;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
      if (image_fits_device(&image, devices[d]) != expects(rows[i].fits, d))
        fail_msg("%s on %u", rows[i].image, devices[d]);
    }
  }
}

static void test_what_is_never_loaded_alone(void **state)
{
  static const uint8_t kinds[] = {CUW_KIND_LTOIR, CUW_KIND_TILEIR, CUW_KIND_OTHER};
  (void)state;
  for (size_t i = 0; i < sizeof kinds; i++) {
    struct cuw_image image = {.has_arch = true, .kind = kinds[i], .arch = {90, 0, false}};
    assert_false(image_fits_device(&image, 90));
  }
  struct cuw_image index = {.kind = CUW_KIND_CUBIN, .arch = {90, 0, false}};
  assert_false(image_fits_device(&index, 90));
}

static void test_driver_compiles_ptx_only(void **state)
{
  struct cuw_driver driver = {{550, 54, 14, 0}, 3, 0};
  struct target target = {120, CUW_OS_LINUX, &driver};
  struct cuw_image ptx = {
      .has_arch = true, .kind = CUW_KIND_PTX, .arch = {90, 0, true}, .isa_major = 8, .isa_minor = 7};
  (void)state;
  assert_false(image_fits(&ptx, &target));
  ptx.isa_minor = 4;
  assert_true(image_fits(&ptx, &target));
  struct cuw_image cubin = {.has_arch = true, .kind = CUW_KIND_CUBIN, .arch = {120, 0, false}};
  assert_true(image_fits(&cubin, &target));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_what_is_never_loaded_alone),
      cmocka_unit_test(test_driver_compiles_ptx_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
