/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/answer.h"

static struct view view_of(const struct wire *w)
{
  return (struct view){w->data, w->size};
}

static void test_fields(void **state)
{
  (void)state;
  struct wire w = {0};
  wire_put_uint(&w, WIRE_CUDA, UINT64_MAX);
  wire_put_text(&w, WIRE_NAME, "");
  size_t opened = wire_open(&w, WIRE_DEVICE);
  wire_put_text(&w, WIRE_NAME, "some GPU");
  memcpy(wire_extend(&w, 3), "abc", 3);
  wire_close(&w, opened);
  assert_false(w.failed);

  struct cursor c = cursor_at(view_of(&w), 0);
  struct wire_field f;
  char text[5];
  assert_true(wire_next(&c, &f));
  assert_int_equal(f.tag, WIRE_CUDA);
  assert_true(wire_uint(&f) == UINT64_MAX);
  assert_true(wire_next(&c, &f));
  assert_int_equal(f.bytes.size, 0);
  wire_text(&f, text, sizeof text);
  assert_string_equal(text, "");
  assert_true(wire_next(&c, &f));
  assert_int_equal(f.tag, WIRE_DEVICE);
  assert_int_equal(f.bytes.size, 8 + 8 + 3);
  struct cursor inner = cursor_at(f.bytes, 0);
  assert_true(wire_next(&inner, &f));
  wire_text(&f, text, sizeof text);
  assert_string_equal(text, "some"); /* cut to what fits */
  assert_false(wire_next(&c, &f));
  assert_false(c.failed);
  assert_false(wire_next(&inner, &f)); /* three bytes are no field */
  assert_true(inner.failed);
  wire_free(&w);
}

static void test_too_long(void **state)
{
  (void)state;
  struct wire w = {0};
  assert_null(wire_put_space(&w, WIRE_IMAGE, (size_t)WIRE_REQUEST_MAX));
  assert_true(w.failed);
  wire_put_uint(&w, WIRE_CUDA, 1); /* stays failed, writes nothing */
  assert_int_equal(w.size, 0);
  wire_close(&w, 0);
  wire_free(&w);
}

static void test_head(void **state)
{
  (void)state;
  uint8_t bytes[WIRE_HEAD];
  struct wire_head in = {WIRE_LOAD, UINT64_MAX}, out;
  wire_head_encode(&in, bytes);
  assert_memory_equal(bytes, "CUWP", 4);
  assert_true(wire_head_decode(bytes, &out));
  assert_int_equal(out.kind, WIRE_LOAD);
  assert_true(out.length == UINT64_MAX);
  bytes[3] ^= 1;
  assert_false(wire_head_decode(bytes, &out));
}

static void fill(struct probe_answer *a)
{
  probe_answer_init(a);
  a->load = (struct probe_error){209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image", "cuModuleLoadDataEx"};
  a->launch = (struct probe_error){719, "CUDA_ERROR_LAUNCH_FAILED", "", "cuCtxSynchronize"};
  strcpy(a->log, "ptxas says");
  a->load_time = 7;
  a->jit_time = 0;
  a->found = 3;
  a->missing = 100;
  a->missing_name_count = PROBE_MISSING_MAX;
  for (size_t i = 0; i < PROBE_MISSING_MAX; i++)
    a->missing_names[i][0] = (char)('a' + i);
  a->binary_least = 80;
  a->binary_most = 90;
  a->ptx_least = a->ptx_most = 80;
  a->kernel_wrong = true;
  a->launched = 2;
  a->not_launched = 1;
  strcpy(a->launch_name, "kernel");
}

static void test_answer(void **state)
{
  (void)state;
  struct probe_answer *in = malloc(sizeof *in), *out = malloc(sizeof *out);
  struct wire w = {0};
  fill(in);
  probe_answer_encode(in, &w);
  assert_true(probe_answer_decode(view_of(&w), out));
  assert_int_equal(out->load.number, 209);
  assert_string_equal(out->load.name, in->load.name);
  assert_string_equal(out->load.text, in->load.text);
  assert_string_equal(out->load.call, in->load.call);
  assert_int_equal(out->kernel.number, 0);
  assert_int_equal(out->launch.number, 719);
  assert_string_equal(out->log, in->log);
  assert_true(out->jit_time == 0 && out->functions == PROBE_UNTOLD); /* told, and not told */
  assert_true(out->load_time == 7 && out->found == 3 && out->missing == 100);
  assert_int_equal(out->missing_name_count, PROBE_MISSING_MAX);
  assert_string_equal(out->missing_names[7], "h");
  assert_true(out->binary_least == 80 && out->binary_most == 90 && out->ptx_least == 80 && out->ptx_most == 80);
  assert_true(!out->kernel_ran && out->kernel_wrong && out->launched == 2 && out->not_launched == 1);
  assert_string_equal(out->launch_name, "kernel");

  /* More names than there is room for, and fields of another version. */
  wire_put_text(&w, WIRE_MISSING_NAME, "one more");
  wire_put_text(&w, 999, "unknown");
  assert_true(probe_answer_decode(view_of(&w), out));
  assert_int_equal(out->missing_name_count, PROBE_MISSING_MAX);
  wire_free(&w);
  free(in);
  free(out);
}

/* Cut at every place, and with each byte changed: never read outside, never out of bounds. */
static void test_damaged_answer(void **state)
{
  (void)state;
  struct probe_answer *in = malloc(sizeof *in), *out = malloc(sizeof *out);
  struct wire w = {0};
  size_t cut = 0;
  fill(in);
  probe_answer_encode(in, &w);
  for (size_t size = 0; size < w.size; size++) {
    uint8_t *copy = malloc(size + 1); /* of its own, so that reading too far shows */
    memcpy(copy, w.data, size);
    cut += !probe_answer_decode((struct view){copy, size}, out);
    free(copy);
  }
  assert_true(cut > w.size / 2); /* all but the ends of fields */
  for (size_t i = 0; i < w.size; i++) {
    w.data[i] ^= 0xff;
    probe_answer_decode(view_of(&w), out);
    assert_true(out->missing_name_count <= PROBE_MISSING_MAX);
    assert_non_null(memchr(out->load.name, 0, sizeof out->load.name));
    w.data[i] ^= 0xff;
  }
  wire_free(&w);
  free(in);
  free(out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields), cmocka_unit_test(test_too_long),       cmocka_unit_test(test_head),
      cmocka_unit_test(test_answer), cmocka_unit_test(test_damaged_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
