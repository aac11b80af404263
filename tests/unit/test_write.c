/* SPDX-License-Identifier: Apache-2.0 */
/* Each format over one hand-made record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cuwheel/write.h"
#include "model/builder.h"
#include "model/report.h"

static struct cuw_image *add(struct cuw_library *l, uint32_t fatbin, enum cuw_role role, enum cuw_kind kind,
                             const char *arch)
{
  struct cuw_image *i = library_add_image(l);
  assert_non_null(i);
  i->fatbin = fatbin;
  i->role = (uint8_t)role;
  i->kind = (uint8_t)kind;
  i->offset = l->image_count * 0x1000;
  i->section = role == CUW_ROLE_REGISTERED ? ".nv_fatbin" : ".rodata";
  i->compression = CUW_ZSTD;
  i->stored_size = 100;
  i->size = 1000;
  i->bits = 64;
  i->host = CUW_HOST_LINUX;
  i->debug = 0;
  i->flags = 0x8011;
  i->has_entry = true;
  i->has_arch = arch && cuw_arch_parse(arch, strlen(arch), &i->arch) > 0;
  if (kind == CUW_KIND_PTX) {
    i->isa_major = 8;
    i->isa_minor = 7;
  }
  return i;
}

static struct cuw_library *make_main_library(void)
{
  struct cuw_library *l = library_new("pkg/lib.so", CUW_ELF, 4096);
  assert_non_null(l);
  l->machine = "x86_64";
  l->cuda = "12.8";
  l->fatbins = 3;
  library_add_needed(l, "libcudart.so.12", 15);
  add(l, 0, CUW_ROLE_REGISTERED, CUW_KIND_CUBIN, "sm_120");
  add(l, 0, CUW_ROLE_REGISTERED, CUW_KIND_CUBIN, "sm_80")->flags = UINT64_MAX;
  add(l, 1, CUW_ROLE_REGISTERED, CUW_KIND_CUBIN, "sm_80")->identifier = "-x\033[31m,\xff";
  add(l, 1, CUW_ROLE_REGISTERED, CUW_KIND_PTX, "compute_90")->options = "--compile-only  ";
  add(l, 1, CUW_ROLE_REGISTERED, CUW_KIND_PTX, "compute_90")->isa_minor = 8;
  struct cuw_image *bare = add(l, CUW_NO_FATBIN, CUW_ROLE_SELF_LOADED, CUW_KIND_CUBIN, "sm_90a");
  bare->has_entry = false;
  bare->debug = -1;
  bare->host = CUW_HOST_NULL;
  bare->bits = 0;
  add(l, 2, CUW_ROLE_SELF_LOADED, CUW_KIND_OTHER, NULL)->type = 32;
  l->images[6].stored_size = CUW_NONE;
  return l;
}

static struct cuw_library *make_cubin(const char *path, const char *arch)
{
  struct cuw_library *l = library_new(path, CUW_CUBIN, 1000);
  assert_non_null(l);
  struct cuw_image *i = add(l, CUW_NO_FATBIN, CUW_ROLE_SELF_LOADED, CUW_KIND_CUBIN, arch);
  i->section = NULL;
  i->has_entry = false;
  i->suffix_unknown = true;
  i->arch_note = "sm_100f";
  return l;
}

static struct cuw_input *make_input(void)
{
  struct cuw_input *input = input_new("pkg-1.0.whl", CUW_INPUT_WHEEL);
  assert_non_null(input);
  struct arena *a = input_arena(input);
  struct cuw_distribution *d = arena_alloc(a, sizeof *d);
  struct cuw_evidence *evidence = arena_alloc(a, 2 * sizeof *evidence);
  struct cuw_library **libraries = arena_alloc(a, 4 * sizeof *libraries);
  struct cuw_problem *problem = arena_alloc(a, sizeof *problem);
  assert_false(arena_failed(a));
  libraries[0] = make_main_library();
  libraries[1] = library_new("pkg/none.so", CUW_ELF, 10);
  libraries[2] = make_cubin("pkg/x/a.cubin", "sm_100");
  libraries[3] = make_cubin("pkg/x/b.cubin", "sm_100");
  evidence[0] = (struct cuw_evidence){"needed", "12", "pkg/lib.so"};
  evidence[1] = (struct cuw_evidence){"local-version", "12.8", NULL};
  *d = (struct cuw_distribution){.name = "pkg",
                                 .version = "1.0",
                                 .cuda = "12.8",
                                 .evidence = evidence,
                                 .evidence_count = 2,
                                 .libraries = libraries};
  d->library_count = 4;
  *problem = (struct cuw_problem){CUW_ERROR, "container-truncated",       "pkg-1.0.whl",  "pkg/lib.so",
                                  4144,      "The container ends early.", "Get it again."};
  input->distributions = d;
  input->distribution_count = 1;
  input->problems = problem;
  input->problem_count = 1;
  return input;
}

/* What a format writes of `count` times the input; free it. */
static char *written(const char *format, unsigned width, bool verbose, size_t count)
{
  FILE *file = tmpfile();
  assert_non_null(file);
  struct cuw_out *out = cuw_out_fd(fileno(file));
  assert_non_null(out);
  struct cuw_write_options options = {width, false, verbose};
  struct cuw_writer *writer = cuw_writer_new(format, out, &options);
  assert_non_null(writer);
  struct cuw_input *input = make_input();
  for (size_t i = 0; i < count; i++)
    cuw_writer_input(writer, input);
  cuw_input_free(input);
  cuw_writer_end(writer);
  assert_int_equal(cuw_out_close(out, true), 0);

  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, size, file), size);
  fclose(file);
  return text;
}

static void check_table(unsigned width, const char *wanted)
{
  char *got = written("table", width, false, 1);
  assert_string_equal(got, wanted);
  free(got);
}

static void a_wide_table_has_a_line_a_role(void **state)
{
  (void)state;
  static const char wanted[] = "pkg-1.0.whl\n"
                               "LIBRARY                  FORMAT  CUDA  ROLE         FATBINS    IMAGES\n"
                               "pkg/lib.so               elf     12.8  registered   2          "
                               "sm_80 2  sm_120 1  compute_90 2 (PTX 8.7, 8.8)\n"
                               "                                       self-loaded  1 +1 bare  sm_90a 1  type-32 1\n"
                               "pkg/x/*.cubin (2 files)  cubin         self-loaded             sm_100[f] 2\n"
                               "pkg 1.0: CUDA 12.8; 1 library with GPU code, 1 without; 2 loose images; x86_64\n"
                               "[f]: the image does not record whether it is for the chip's whole family (sm_XXf)\n";
  check_table(0, wanted);
  check_table(120, wanted);
}

static void a_narrow_table_is_stacked_and_wrapped(void **state)
{
  (void)state;
  check_table(60, "pkg-1.0.whl\n"
                  "LIBRARY  FORMAT  CUDA\n"
                  "  ROLE         FATBINS    IMAGES\n"
                  "pkg/lib.so  elf  CUDA 12.8\n"
                  "  registered   2          sm_80 2  sm_120 1\n"
                  "                          compute_90 2 (PTX 8.7, 8.8)\n"
                  "  self-loaded  1 +1 bare  sm_90a 1  type-32 1\n"
                  "pkg/x/*.cubin (2 files)  cubin\n"
                  "  self-loaded             sm_100[f] 2\n"
                  "pkg 1.0: CUDA 12.8; 1 library with GPU code, 1 without;\n"
                  "  2 loose images; x86_64\n"
                  "[f]: the image does not record whether it is for the chip's whole family (sm_XXf)\n");
}

static void verbose_names_each_image(void **state)
{
  (void)state;
  char *got = written("table", 80, true, 1);
  assert_non_null(strstr(got, "pkg/none.so  elf  no GPU code\n"));
  assert_non_null(strstr(got, "pkg/x/b.cubin  cubin\n"));
  assert_non_null(strstr(got, "  needs libcudart.so.12\n"));
  assert_non_null(strstr(got,
                         "       1  registered   .nv_fatbin  0x3000  cubin    sm_80       zstd            100  1000"
                         "  from -x\\x1b[31m,\\xff\n"));
  assert_non_null(
      strstr(got, "       -  self-loaded  .rodata     0x6000  cubin    sm_90a      zstd            100  1000\n"));
  assert_non_null(
      strstr(got, "       2  self-loaded  .rodata     0x7000  type-32  -           zstd              -  1000\n"));
  assert_non_null(strstr(got, "options --compile-only\n"));
  assert_non_null(strstr(got, "its note says sm_100f\n"));
  assert_non_null(strstr(got, "  CUDA 12 (linked library): pkg/lib.so\n"));
  assert_non_null(strstr(got, "  CUDA 12.8 (version of the distribution)\n"));
  assert_null(strchr(got, '\033'));
  free(got);
}

/* jansson reads no more than 63 bits. */
static void shorten_flags(char *text)
{
  while ((text = strstr(text, "18446744073709551615")))
    memset(text, ' ', 19);
}

static json_t *element(json_t *array, size_t index)
{
  json_t *value = json_array_get(array, index);
  assert_non_null(value);
  return value;
}

static json_t *member(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  assert_non_null(value);
  return value;
}

static void check_string(json_t *object, const char *key, const char *wanted)
{
  assert_string_equal(json_string_value(member(object, key)), wanted);
}

static void json_has_every_field(void **state)
{
  (void)state;
  char *got = written("json", 0, false, 2);
  assert_non_null(strstr(got, "\"flags\": 18446744073709551615,"));
  shorten_flags(got);
  json_error_t error;
  json_t *report = json_loads(got, JSON_REJECT_DUPLICATES, &error);
  assert_non_null(report);
  check_string(report, "schema", "cuwheel/report/1");
  assert_int_equal(json_array_size(member(report, "inputs")), 2);
  json_t *input = element(member(report, "inputs"), 1);
  check_string(input, "kind", "wheel");
  json_t *distribution = element(member(input, "distributions"), 0);
  json_t *cuda = member(distribution, "cuda");
  check_string(cuda, "version", "12.8");
  assert_int_equal(json_array_size(member(cuda, "evidence")), 2);
  assert_true(json_is_null(member(element(member(cuda, "evidence"), 1), "library")));

  json_t *library = element(member(distribution, "libraries"), 0);
  check_string(library, "machine", "x86_64");
  assert_string_equal(json_string_value(element(member(library, "needed"), 0)), "libcudart.so.12");
  assert_int_equal(json_integer_value(member(library, "fatbins")), 3);
  assert_int_equal(json_array_size(member(library, "images")), 7);
  json_decref(report);
  free(got);
}

static void json_images_are_exact(void **state)
{
  (void)state;
  char *got = written("json", 0, false, 1);
  assert_non_null(strstr(got, "\"summary\": {\"cubin\": {\"sm_80\": 2, \"sm_90a\": 1, \"sm_120\": 1}, "
                              "\"ptx\": {\"compute_90\": 2}, \"ltoir\": {}, \"other\": {\"type-32\": 1}}"));
  assert_non_null(strstr(
      got, "        {\"fatbin\": 1, \"role\": \"registered\", \"section\": \".nv_fatbin\", \"offset\": 12288, "
           "\"kind\": \"cubin\", \"arch\": \"sm_80\", \"ptx_isa\": null, \"compression\": \"zstd\", "
           "\"stored_size\": 100, \"size\": 1000, \"bits\": 64, \"host\": \"linux\", \"debug\": false, "
           "\"flags\": 32785, \"identifier\": \"-x\\u001B[31m,\\\\xff\", \"options\": null, \"toolkit\": null},\n"));
  assert_non_null(strstr(got, "\"fatbin\": null, \"role\": \"self-loaded\", \"section\": \".rodata\", "));
  assert_non_null(strstr(got, "\"bits\": null, \"host\": null, \"debug\": null, \"flags\": null, "));
  assert_non_null(strstr(got, "\"kind\": \"other\", \"arch\": null, "));
  assert_non_null(strstr(got, "\"toolkit\": null, \"type\": 32}"));
  assert_non_null(strstr(got, "\"suffix\": \"unknown\", \"arch_note\": \"sm_100f\"}"));
  assert_non_null(strstr(got, "\"ptx_isa\": \"8.7\""));
  assert_non_null(strstr(got, "{\"severity\": \"error\", \"code\": \"container-truncated\", \"path\": \"pkg-1.0.whl\", "
                              "\"member\": \"pkg/lib.so\", \"offset\": 4144, "
                              "\"message\": \"The container ends early.\", \"hint\": \"Get it again.\"}"));
  free(got);
}

static void an_empty_report_is_json(void **state)
{
  (void)state;
  char *got = written("json", 0, false, 0);
  json_t *report = json_loads(got, 0, NULL);
  assert_non_null(report);
  assert_int_equal(json_array_size(member(report, "inputs")), 0);
  json_decref(report);
  free(got);
}

static void jsonl_has_a_line_a_record(void **state)
{
  (void)state;
  static const char *const records[] = {"library", "library", "library", "library", "problem"};
  char *got = written("jsonl", 0, false, 1), *rest = got;
  size_t count = 0;
  for (char *line; (line = strsep(&rest, "\n")) && *line; count++) {
    shorten_flags(line);
    json_t *record = json_loads(line, 0, NULL);
    assert_non_null(record);
    assert_in_range(count, 0, 4);
    check_string(record, "record", records[count]);
    check_string(record, "input", "pkg-1.0.whl");
    if (strcmp(records[count], "library") == 0)
      check_string(record, "distribution", "pkg");
    json_decref(record);
  }
  assert_int_equal(count, 5);
  free(got);
}

static void csv_has_a_row_an_image(void **state)
{
  (void)state;
  char *got = written("csv", 0, false, 1);
  static const char start[] =
      "input,distribution,library,fatbin,role,section,offset,kind,arch,ptx_isa,compression,stored_size,size,bits,"
      "host,debug,flags,identifier,options,toolkit,type,suffix,arch_note,cubin_arch\r\n"
      "pkg-1.0.whl,pkg,pkg/lib.so,0,registered,.nv_fatbin,4096,cubin,sm_120,,zstd,100,1000,64,linux,false,32785,"
      ",,,,,,\r\n";
  assert_memory_equal(got, start, sizeof start - 1);
  assert_non_null(strstr(got, ",false,32785,\"'-x\\x1b[31m,\\xff\",,,,,,\r\n"));
  assert_non_null(strstr(got, ",false,32785,,'--compile-only  ,,,,,\r\n"));
  assert_non_null(strstr(got, "pkg-1.0.whl,pkg,pkg/x/b.cubin,,self-loaded,,4096,cubin,sm_100,,zstd,100,1000,64,linux,"
                              "false,,,,,,unknown,sm_100f,\r\n"));
  size_t rows = 0;
  for (const char *at = got; (at = strstr(at, "\r\n")); at += 2)
    rows++;
  assert_int_equal(rows, 1 + 7 + 2);
  free(got);
}

static void an_unknown_format_is_refused(void **state)
{
  (void)state;
  struct cuw_out *out = cuw_out_fd(1);
  struct cuw_write_options options = {0};
  assert_null(cuw_writer_new("xml", out, &options));
  assert_int_equal(errno, EINVAL);
  cuw_out_close(out, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wide_table_has_a_line_a_role), cmocka_unit_test(a_narrow_table_is_stacked_and_wrapped),
      cmocka_unit_test(verbose_names_each_image),       cmocka_unit_test(json_has_every_field),
      cmocka_unit_test(json_images_are_exact),          cmocka_unit_test(an_empty_report_is_json),
      cmocka_unit_test(jsonl_has_a_line_a_record),      cmocka_unit_test(csv_has_a_row_an_image),
      cmocka_unit_test(an_unknown_format_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
