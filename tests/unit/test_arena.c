/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata.h"

#include <stdalign.h>

#include "base/arena.h"

static void test_memory_is_zeroed_and_aligned(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  for (size_t size = 0; size < 40000; size = size * 2 + 1) {
    arena_text(a, "x", 1); /* leaves the next place unaligned */
    uint8_t *p = arena_alloc(a, size);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++)
      assert_int_equal(p[i], 0);
    memset(p, 0xff, size);
  }
  assert_false(arena_failed(a));
  arena_free(a);
}

static void test_texts(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  assert_null(arena_string(a, NULL));
  assert_string_equal(arena_string(a, "libcudart"), "libcudart");
  assert_string_equal(arena_text(a, "libcudart", 3), "lib");
  assert_string_equal(arena_text(a, NULL, 0), "");
  assert_string_equal(arena_printf(a, "%d of %s", 3, "four"), "3 of four");
  arena_free(a);
}

static void test_equal_texts_are_one(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  const char *first[500];
  char text[32];
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof text, "section.%d", i);
    first[i] = arena_intern(a, text, strlen(text));
  }
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof text, "section.%d", i);
    assert_string_equal(first[i], text);
    assert_ptr_equal(arena_intern(a, text, strlen(text)), first[i]);
  }
  assert_ptr_not_equal(arena_intern(a, "a\0b", 3), arena_intern(a, "a\0c", 3));
  arena_free(a);
}

/* Grown past the size from which an array has memory of its own, with others growing beside it. */
static void test_arrays_grow(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  uint64_t *one = NULL, *two = NULL;
  for (size_t i = 0; i < 20000; i++) {
    one = arena_grow(a, one, i, sizeof *one);
    two = arena_grow(a, two, i, sizeof *two);
    assert_int_equal(one[i], 0);
    assert_int_equal(two[i], 0);
    one[i] = i + 1;
    two[i] = i + 2;
  }
  for (size_t i = 0; i < 20000; i++) {
    assert_int_equal(one[i], i + 1);
    assert_int_equal(two[i], i + 2);
  }
  arena_free(a);
}

static void test_failure_stays(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  assert_null(arena_alloc(a, SIZE_MAX - 4));
  assert_true(arena_failed(a));
  assert_non_null(arena_alloc(a, 8));
  assert_true(arena_failed(a));
  assert_null(arena_grow(a, NULL, (size_t)1 << 62, 16));
  arena_free(a);
  arena_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_is_zeroed_and_aligned),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_equal_texts_are_one),
      cmocka_unit_test(test_arrays_grow),
      cmocka_unit_test(test_failure_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
