/* SPDX-License-Identifier: Apache-2.0 */
/* What the input around a distribution, and the machine, say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "check/context.h"
#include "cuwheel/machine.h"

static unsigned chosen(const char *name, const char *version, const char *cuda, bool conflict,
                       char text[SELECTION_TEXT_MAX])
{
  struct cuw_distribution distributions[] = {{.name = "bitsandbytes", .version = "1+cu118"},
                                             {.name = name, .version = version, .cuda = cuda}};
  struct cuw_input input = {.distributions = distributions, .distribution_count = 2};
  struct cuw_selection none = {0, NULL};
  distributions[1].cuda_conflict = conflict;
  return selection_for(&none, &input, text).cuda;
}

static void torch_chooses(void **state)
{
  (void)state;
  char text[SELECTION_TEXT_MAX];
  assert_int_equal(chosen("torch", "2.9.0+cu128", "13.0", true, text), 128);
  assert_string_equal(text, "torch 2.9.0+cu128 is built for CUDA 12.8");
  assert_int_equal(chosen("torch", "2.9.0", "12.6", false, text), 126);
  assert_string_equal(text, "torch 2.9.0 is built for CUDA 12.6");
  assert_int_equal(chosen("torch", NULL, "12.6", false, text), 126);
  assert_int_equal(chosen("torch", "2.9.0", "12.6", true, text), 0);
  assert_int_equal(chosen("torch", "2.9.0", "12", false, text), 0);
  assert_int_equal(chosen("torch", "2.9.0+cpu", NULL, false, text), 0);
  assert_int_equal(chosen("torch", "2.9.0+cu99999999999", NULL, false, text), 0);
  assert_int_equal(chosen("torchvision", "0.1+cu128", "12.8", false, text), 0);
}

static void what_is_given_goes_first(void **state)
{
  (void)state;
  char text[SELECTION_TEXT_MAX];
  struct cuw_distribution torch = {.name = "torch", .version = "2.9.0+cu128"};
  struct cuw_input input = {.distributions = &torch, .distribution_count = 1};
  struct cuw_selection given = {118, "--cuda 11.8"};
  assert_int_equal(selection_for(&given, &input, text).cuda, 118);
  assert_string_equal(selection_for(&given, &input, text).cuda_given, "--cuda 11.8");
}

static void explained(struct cuw_distribution *d, const char *wanted)
{
  struct cuw_distribution_verdict v = {.result = CUW_RESULT_NO_GPU_CODE, .arena = arena_new()};
  assert_true(explain_no_gpu_code(d, &v));
  assert_string_equal(v.reason, wanted);
  arena_free(v.arena);
}

static void nothing_to_judge(void **state)
{
  (void)state;
  struct cuw_image image = {.role = CUW_ROLE_LINK_TIME};
  struct cuw_library plain = {.path = "a.so"}, archive = {.path = "b.a(c.o)", .images = &image, .image_count = 1};
  struct cuw_library *libraries[] = {&plain, &archive};
  struct cuw_distribution d = {.libraries = libraries};
  explained(&d, "no GPU code: it has no libraries");
  d.library_count = 1;
  explained(&d, "no GPU code in its library");
  d.runtime_compiler = true;
  explained(&d, "no GPU code in its library; it compiles GPU code when it runs");
  d.runtime_compiler_sign = "links libnvrtc.so.12";
  explained(&d, "no GPU code in its library; it compiles GPU code when it runs: links libnvrtc.so.12");
  d.runtime_compiler = false;
  d.library_count = 2;
  explained(&d, "GPU code for a linker only, in 1 archive member or object: nothing to judge");
  libraries[1] = &plain;
  explained(&d, "no GPU code in its 2 libraries");

  struct cuw_distribution_verdict native = {.result = CUW_RESULT_NATIVE};
  assert_true(explain_no_gpu_code(&d, &native));
  assert_null(native.reason);
}

struct folder {
  char path[64];
  char file[160];
};

static void put_file(struct folder *f, const char *name, const char *text, size_t length)
{
  snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
  FILE *file = fopen(f->file, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

static void put_folder(struct folder *f, const char *name)
{
  snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
  assert_int_equal(mkdir(f->file, 0700), 0);
}

static void remove_folder(const struct folder *f)
{
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", f->path);
  assert_int_equal(system(command), 0);
}

static void version_is(const char *text, const char *wanted)
{
  struct folder f = {.path = "/tmp/cuwheel-machine-XXXXXX"};
  struct cuw_machine m;
  assert_non_null(mkdtemp(f.path));
  put_file(&f, "version", text, strlen(text));
  assert_true(cuw_machine_read(f.path, &m));
  assert_true(m.has_driver);
  assert_string_equal(m.driver_text, wanted);
  assert_int_equal(m.driver.part_count > 0, *wanted != '\0');
  assert_int_equal(m.model_count, 0);
  cuw_machine_free(&m);
  remove_folder(&f);
}

static void driver_versions(void **state)
{
  (void)state;
  version_is(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\nGCC version: 12.2.0\n",
      "535.54.03");
  version_is(
      "GCC version:  gcc version 12.3.0\nNVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.65.06  Release",
      "580.65.06");
  version_is("NVRM version: none of 2026 and 1.2\n", "");
  version_is("GCC version: 535.54.03\n", "");
  version_is("", "");
}

static void gpus_by_address(void **state)
{
  (void)state;
  struct folder f = {.path = "/tmp/cuwheel-machine-XXXXXX"};
  struct cuw_machine m;
  char large[10000];
  assert_non_null(mkdtemp(f.path));
  put_folder(&f, "gpus");
  put_folder(&f, "gpus/0000:20:00.0");
  put_folder(&f, "gpus/0000:10:00.0");
  put_folder(&f, "gpus/0000:30:00.0");
  put_folder(&f, "gpus/0000:40:00.0");
  put_file(&f, "gpus/0000:20:00.0/information", "Model: \t\t Tesla T4 \t\r\nIRQ: 1\n", 28);
  put_file(&f, "gpus/0000:10:00.0/information", "IRQ: 1\nModel:NVIDIA H200", 24);
  put_file(&f, "gpus/0000:30:00.0/information", "Modell: x\nModel:   \n", 20);
  memset(large, 'x', sizeof large);
  memcpy(large, "Model: ", 7);
  put_file(&f, "gpus/0000:40:00.0/information", large, sizeof large);
  assert_true(cuw_machine_read(f.path, &m));
  assert_int_equal(m.model_count, 3);
  assert_string_equal(m.models[0], "NVIDIA H200");
  assert_string_equal(m.models[1], "Tesla T4");
  assert_true(strlen(m.models[2]) < sizeof large);
  cuw_machine_free(&m);
  remove_folder(&f);
}

static void no_driver(void **state)
{
  (void)state;
  struct cuw_machine m;
  assert_true(cuw_machine_read("/nonexistent/nvidia", &m));
  assert_false(m.has_driver);
  assert_int_equal(m.model_count, 0);
  cuw_machine_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torch_chooses),   cmocka_unit_test(what_is_given_goes_first), cmocka_unit_test(nothing_to_judge),
      cmocka_unit_test(driver_versions), cmocka_unit_test(gpus_by_address),          cmocka_unit_test(no_driver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
