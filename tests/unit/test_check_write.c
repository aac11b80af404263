/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts in each format, over hand-made ones. */
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
#include "report/check_words.h"
#include "report/out.h"

#define GPUS 6
#define LIBRARIES 3

/* One wheel of three libraries, for as many GPUs as wanted. */
struct sample {
  struct cuw_gpu gpus[GPUS];
  struct cuw_library library[LIBRARIES];
  struct cuw_library *pointers[LIBRARIES];
  struct cuw_distribution distribution;
  struct cuw_input input;
  struct cuw_library_verdict libraries[GPUS][LIBRARIES];
  struct cuw_bytes bytes[LIBRARIES];
  struct cuw_verdict verdicts[GPUS];
  struct cuw_checked checked;
  struct cuw_check_options options;
};

static void make_libraries(struct cuw_library_verdict v[LIBRARIES], const struct sample *s)
{
  v[0] = (struct cuw_library_verdict){.path = "pkg/a.so",
                                      .result = CUW_RESULT_JIT,
                                      .complete = true,
                                      .chosen = true,
                                      .cause = CUW_CAUSE_JIT,
                                      .counts = {.native = 1, .jit = 2, .specialised = 7, .gated = 1},
                                      .specialised_by = "a rule",
                                      .ptx_isa = "8.7",
                                      .min_driver = "570.26",
                                      .reason = "2 of 3 run only through PTX"};
  v[1] = v[0];
  v[1].path = "pkg/b.so";
  v[1].counts = (struct cuw_counts){.jit = 1};
  v[1].specialised_by = NULL;
  v[1].ptx_isa = "8.10"; /* newer than 8.7 */
  v[1].min_driver = "a driver for CUDA 12.99";
  v[2] = (struct cuw_library_verdict){
      .path = "pkg/c.so", .result = CUW_RESULT_NATIVE, .complete = true, .chosen = true, .counts = {.native = 1}};
  for (size_t i = 0; i < LIBRARIES; i++)
    v[i].library = &s->library[i];
}

static void make(struct sample *s, size_t gpus)
{
  static const uint16_t numbers[GPUS] = {75, 80, 86, 89, 90, 120};
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < LIBRARIES; i++) {
    s->library[i] = (struct cuw_library){.path = "pkg/x.so", .machine = "x86_64", .format = CUW_ELF, .complete = true};
    s->pointers[i] = &s->library[i];
  }
  s->distribution =
      (struct cuw_distribution){.name = "pkg", .version = "1.0", .libraries = s->pointers, .library_count = LIBRARIES};
  s->input = (struct cuw_input){
      .path = "pkg.whl", .kind = CUW_INPUT_WHEEL, .distributions = &s->distribution, .distribution_count = 1};
  for (size_t g = 0; g < gpus; g++) {
    s->gpus[g].number = numbers[g];
    make_libraries(s->libraries[g], s);
    s->verdicts[g] = (struct cuw_verdict){.gpu = &s->gpus[g],
                                          .distribution = &s->distribution,
                                          .whole = {.result = CUW_RESULT_JIT, .complete = true},
                                          .libraries = s->libraries[g],
                                          .library_count = LIBRARIES};
  }
  s->checked = (struct cuw_checked){&s->input, s->verdicts, gpus};
  s->options = (struct cuw_check_options){.gpus = s->gpus, .gpu_count = gpus};
}

/* The document of `count` times the sample; free it. */
static char *written(const char *format, const struct sample *s, unsigned width, bool verbose, size_t count)
{
  struct cuw_write_options style = {width, false, verbose};
  FILE *file = tmpfile();
  assert_non_null(file);
  struct cuw_out *out = cuw_out_fd(fileno(file));
  assert_non_null(out);
  struct cuw_check_writer *w = cuw_check_writer_new(format, out, &style, &s->options);
  assert_non_null(w);
  for (size_t i = 0; i < count; i++)
    cuw_check_writer_add(w, &s->checked);
  cuw_check_writer_end(w);
  assert_int_equal(cuw_out_close(out, true), 0);
  long size = ftell(file);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  char *text = calloc(1, (size_t)size + 1);
  rewind(file);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

static void has(const char *text, const char *wanted)
{
  if (!strstr(text, wanted))
    fail_msg("no \"%s\" in\n%s", wanted, text);
}

static void test_formats(void **state)
{
  (void)state;
  static const char *const names[] = {"table", "json", "jsonl", "csv", "markdown"};
  struct sample s;
  make(&s, 1);
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(cuw_check_format_name(i), names[i]);
  assert_null(cuw_check_format_name(5));
  struct cuw_out *out = cuw_out_fd(1);
  struct cuw_write_options style = {0};
  assert_null(cuw_check_writer_new("html", out, &style, &s.options));
  assert_int_equal(errno, EINVAL);
  cuw_out_close(out, false);
}

static void test_table(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  s.gpus[0].name = "T4";
  char *text = written("table", &s, 0, false, 1);
  assert_string_equal(
      text,
      "pkg 1.0 on T4 (7.5): jit: runs, once the driver has compiled PTX for this GPU (JIT; the first start is slow)\n"
      "  in       pkg.whl\n"
      "  jit      pkg/a.so: 2 of 3 run only through PTX; 7 specialised, 1 gated fatbins set aside\n"
      "  jit      pkg/b.so: 2 of 3 run only through PTX\n"
      "  native   c.so\n"
      "  needs    a driver for CUDA 12.99 or newer (PTX ISA 8.10)\n"
      "  aside    specialised: a rule. gated: kernels for certain chips alone, which are called on those only\n");
  free(text);
  s.distribution.runtime_compiler = true;
  s.distribution.runtime_compiler_sign = "carries Triton";
  s.distribution.interpreter = "/v/bin/python";
  text = written("table", &s, 0, true, 1);
  has(text, "\n  native   pkg/c.so\n");
  has(text, "\n  note     compiles GPU code when it runs as well: carries Triton\n");
  has(text, "\n  python   /v/bin/python owns it\n");
  free(text);
}

static void test_failure(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  s.verdicts[0].whole.result = CUW_RESULT_PARTIAL;
  s.verdicts[0].whole.complete = false;
  s.libraries[0][1].result = CUW_RESULT_NONE;
  s.libraries[0][1].cause = CUW_CAUSE_ARCHITECTURE;
  s.libraries[0][1].reason = "no image";
  s.libraries[0][1].requires = "sm_75 cubins";
  char *text = written("table", &s, 0, false, 1);
  has(text, "partial: runs in part: in 1 of 3 libraries functions fail that have no code for this GPU; not all of it "
            "could be read\n");
  has(text, "\n  none     pkg/b.so: no image\n  jit      pkg/a.so: ");
  has(text, "\n  needs    a build that works has sm_75 cubins\n");
  has(text, "\n  needs    driver 570.26 or newer (PTX ISA 8.7)\n");
  free(text);

  /* Different requirements stand below their libraries; a driver is none of the build. */
  s.libraries[0][0].result = CUW_RESULT_NONE;
  s.libraries[0][0].cause = CUW_CAUSE_PTX_ISA;
  s.libraries[0][0].requires = "driver 570.26 or newer";
  s.verdicts[0].whole = (struct cuw_distribution_verdict){.result = CUW_RESULT_NONE, .complete = true};
  text = written("table", &s, 0, false, 1);
  has(text, "none: does not run: its GPU code is not for this GPU\n");
  has(text, "\n           needs driver 570.26 or newer\n");
  has(text, "\n           a build that works has sm_75 cubins\n");
  free(text);
}

static void test_functions(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  char name[400];
  memset(name, 'f', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  s.libraries[0][0].functions[0] = name;
  for (size_t i = 1; i < 6; i++)
    s.libraries[0][0].functions[i] = "g";
  s.libraries[0][0].function_count = 6;
  char *text = written("table", &s, 0, false, 1);
  has(text, "fff..., g, g, g and more\n");
  free(text);
  text = written("table", &s, 0, true, 1);
  has(text, "fff, g, g, g, g, g\n");
  free(text);
}

static void test_machine_mismatch(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  for (size_t i = 0; i < LIBRARIES; i++)
    s.libraries[0][i].machine_mismatch = true;
  char *text = written("table", &s, 0, false, 1);
  has(text, "; but it is built for x86_64, and this GPU sits in ARM hosts only\n");
  free(text);
}

static void test_width(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  char *text = written("table", &s, 40, false, 1), *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
    if (strlen(line) > 40)
      fail_msg("%s", line);
  free(text);
}

static void test_matrix(void **state)
{
  (void)state;
  struct sample s;
  make(&s, GPUS);
  for (size_t g = 0; g < GPUS; g++)
    s.libraries[g][1].result = CUW_RESULT_NO_GPU_CODE;
  s.verdicts[0].whole.result = s.libraries[0][0].result = CUW_RESULT_NONE;
  s.verdicts[5].whole.result = s.libraries[5][0].result = CUW_RESULT_NONE;
  s.libraries[0][0].reason = s.libraries[5][0].reason = "why";
  s.libraries[5][2].machine_mismatch = true;
  char *text = written("table", &s, 0, false, 1);
  has(text, "pkg 1.0: jit on 8.0 to 9.0; none on 7.5, 12.0\n"
            "           7.5  8.0  8.6  8.9  9.0  12.0*\n"
            "  (whole)  no   jit  jit  jit  jit  no\n"
            "  pkg/a.so no   jit  jit  jit  jit  no\n"
            "  pkg/c.so yes  yes  yes  yes  yes  yes\n"
            "  none     pkg/a.so on 7.5, 12.0: why\n"
            "\nyes: native.");
  free(text);
  text = written("table", &s, 30, false, 1);
  has(text, "           7.5  8.0  8.6  8.9\n");
  has(text, "           9.0  12.0*\n");
  free(text);
}

static json_t *parsed(const char *text)
{
  json_error_t error;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!json)
    fail_msg("line %d: %s\n%s", error.line, error.text, text);
  return json;
}

static void test_json(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 2);
  s.options.driver = (struct cuw_driver){{570, 124, 6}, 3, 0};
  char *text = written("json", &s, 0, false, 2);
  json_t *json = parsed(text), *verdicts = json_object_get(json, "verdicts");
  assert_int_equal(json_array_size(json_object_get(json, "inputs")), 2);
  assert_int_equal(json_array_size(verdicts), 4);
  json_t *verdict = json_array_get(verdicts, 3), *driver = json_object_get(verdict, "driver");
  assert_string_equal(json_string_value(json_object_get(driver, "version")), "570.124.06");
  assert_string_equal(json_string_value(json_object_get(driver, "cuda")), "12.8");
  assert_string_equal(json_string_value(json_object_get(json_object_get(verdict, "gpu"), "cc")), "8.0");
  json_t *library = json_array_get(json_object_get(verdict, "libraries"), 0);
  assert_int_equal(json_integer_value(json_object_get(library, "specialised")), 7);
  assert_null(json_object_get(library, "bytes"));
  json_decref(json);
  free(text);

  s.options.driver = (struct cuw_driver){{0}, 0, 128};
  s.bytes[0].never = UINT64_MAX;
  s.verdicts[0].bytes = s.bytes;
  text = written("jsonl", &s, 0, false, 1);
  has(text, "\"driver\": {\"version\": null, \"cuda\": \"12.8\"}");
  has(text, "\"bytes\": {\"used\": 0, \"spare\": 0, \"never\": 18446744073709551615, \"other\": 0}");
  free(text);
}

/* An input without verdicts leaves no comma behind. */
static void test_json_without_verdicts(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  s.checked.verdict_count = 0;
  char *text = written("json", &s, 0, false, 2);
  json_t *json = parsed(text);
  assert_int_equal(json_array_size(json_object_get(json, "verdicts")), 0);
  json_decref(json);
  free(text);
  text = written("json", &s, 0, false, 0);
  json_decref(parsed(text));
  free(text);
}

static size_t count_commas(const char *line)
{
  size_t commas = 0;
  bool quoted = false;
  for (; *line && *line != '\n'; line++) {
    quoted ^= *line == '"';
    commas += *line == ',' && !quoted;
  }
  return commas;
}

static void test_csv(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  s.libraries[0][0].functions[0] = "f(int, int)";
  s.libraries[0][0].function_count = 1;
  s.libraries[0][0].reason = "=1+1, \"so\"";
  for (size_t libraries = 0; libraries <= LIBRARIES; libraries += LIBRARIES) {
    s.verdicts[0].library_count = libraries;
    char *text = written("csv", &s, 0, false, 1);
    size_t columns = count_commas(text), rows = 0;
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
      rows++;
      if (count_commas(line) != columns)
        fail_msg("%zu columns: %s", columns, text);
    }
    assert_int_equal(rows, libraries ? libraries : 1);
    if (libraries)
      has(text, "\"'=1+1, \"\"so\"\"\"");
    free(text);
  }
}

static void test_markdown(void **state)
{
  (void)state;
  struct sample s;
  make(&s, 1);
  s.distribution.name = "p|k_g@all";
  char *text = written("markdown", &s, 0, false, 2);
  has(text, "| p&#124;k&#95;g@<!-- -->all 1.0 | compute capability 7.5 | **jit** | ");
  has(text, "| <code>pkg/a.so</code> | jit | 1 | 2 | 0 | 1 | 7 | 2 of 3 run only through PTX |\n");
  has(text, "\n* Needs a driver for CUDA 12.99 or newer (PTX ISA 8.10)\n");
  assert_true(strstr(text, "<details>") > strstr(strstr(text, "| p&#124;") + 1, "| p&#124;"));
  free(text);
}

static void test_memory(void **state)
{
  (void)state;
  struct cuw_out *memory = out_memory();
  FILE *file = tmpfile();
  struct cuw_out *out = cuw_out_fd(fileno(file));
  for (size_t i = 0; i < 100000; i++)
    cuw_out_string(memory, "abc");
  out_copy(out, memory);
  assert_int_equal(cuw_out_close(memory, false), 0);
  assert_int_equal(cuw_out_close(out, true), 0);
  fseek(file, 0, SEEK_END);
  assert_int_equal(ftell(file), 300000);
  fclose(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formats),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_failure),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_machine_mismatch),
      cmocka_unit_test(test_width),
      cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_json_without_verdicts),
      cmocka_unit_test(test_csv),
      cmocka_unit_test(test_markdown),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
