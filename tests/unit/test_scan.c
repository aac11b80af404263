/* SPDX-License-Identifier: Apache-2.0 */
/* The search for starts of GPU code, held against the plainest one that does the same. */
#include "carrier/scan.h"

#include "testdata.h"

static const struct {
  enum needle needle;
  size_t size;
  const char *bytes;
} needles[] = {
    {NEEDLE_FATBIN, 8, "\x50\xED\x55\xBA\1\0\x10\0"},
    {NEEDLE_CUBIN, 20, "\177ELF\2\1\1\x33\7\0\0\0\0\0\0\0\2\0\xBE\0"},
    {NEEDLE_CUBIN, 20, "\177ELF\1\1\1\x41\10\0\0\0\0\0\0\0\1\0\xBE\0"},
    {NEEDLE_ZSTD, 5, "\x28\xB5\x2F\xFD\x60"},
    {NEEDLE_PTX, 10, ".version 8"},
    {NEEDLE_PTX, 12, ".version \t 9"},
    {NEEDLE_WRAPPER, 8, "\xB1\x43\x62\x46\1\0\0\0"},
    {NEEDLE_WRAPPER, 8, "\xB1\x43\x62\x46\2\0\0\0"},
    {NEEDLE_RUNTIME, 32, "fficient for CUDA runtime versio"},
};
#define NEEDLES (sizeof needles / sizeof *needles)

/* Nearly needles: one byte or length off. */
static const struct {
  size_t size;
  const char *bytes;
} others[] = {
    {8, "\x50\xED\x55\xBA\2\0\x10\0"},
    {8, "\x50\xED\x55\xBA\1\0\x40\0"},
    {8, "\x50\xED\x55\xBB\1\0\x10\0"},
    {20, "\177ELF\2\1\1\0\7\0\0\0\0\0\0\0\2\0\xBE\0"},
    {20, "\177ELF\2\2\1\x33\7\0\0\0\0\0\0\0\2\0\xBE\0"},
    {20, "\177ELF\3\1\1\x33\7\0\0\0\0\0\0\0\2\0\xBE\0"},
    {20, "\177ELF\2\1\1\x33\7\0\0\0\0\0\0\0\2\0\x3E\0"},
    {5, "\x28\xB5\x2F\xFD\x08"},
    {5, "\x28\xB5\x2F\xFC\x20"},
    {10, ".version8."},
    {10, ".version x"},
    {10, ".versio  8"},
    {12, ".version\n8.0"},
    {8, "\xB1\x43\x62\x46\0\0\0\0"},
    {8, "\xB1\x43\x62\x46\3\0\0\0"},
    {32, "fficient for CUDA runtime Versio"},
};

/* In memory of exactly its size, so that a sanitizer sees a byte read too far. */
static bool find_in(const uint8_t *bytes, size_t size, size_t from, size_t to, struct hit *hit)
{
  struct view v = testdata_copy((struct view){bytes, size});
  bool found = scan_find(v, from, to, hit);
  testdata_free(v);
  return found;
}

static void every_place(void **state)
{
  (void)state;
  for (size_t n = 0; n < NEEDLES; n++)
    for (size_t at = 0; at < 70; at++)
      for (size_t behind = 0; behind < 40; behind++) {
        uint8_t bytes[160] = {0};
        struct hit hit;
        memcpy(bytes + at, needles[n].bytes, needles[n].size);
        size_t size = at + needles[n].size + behind;
        assert_true(find_in(bytes, size, 0, size, &hit));
        assert_true(hit.offset == at);
        assert_int_equal(hit.needle, needles[n].needle);
        assert_true(find_in(bytes, size, at, at + 1, &hit));
        assert_false(find_in(bytes, size, 0, at, &hit));
        assert_false(find_in(bytes, size, at + 1, size, &hit));
      }
}

static void cut_needles(void **state)
{
  (void)state;
  for (size_t n = 0; n < NEEDLES; n++)
    for (size_t size = 0; size < needles[n].size; size++) {
      struct hit hit;
      assert_false(find_in((const uint8_t *)needles[n].bytes, size, 0, size, &hit));
    }
}

static void near_needles(void **state)
{
  (void)state;
  for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
    uint8_t bytes[96] = {0};
    struct hit hit;
    memcpy(bytes + 40, others[n].bytes, others[n].size);
    if (find_in(bytes, sizeof bytes, 0, sizeof bytes, &hit))
      fail_msg("row %zu is no needle", n);
  }
}

/* SCAN_REACH bytes from its start confirm any needle; PTX with more blanks is none. */
static void reach(void **state)
{
  (void)state;
  for (size_t blanks = 1; blanks < 60; blanks++) {
    char text[128];
    struct hit hit;
    int size = snprintf(text, sizeof text, ".version%*s8.0", (int)blanks, "");
    bool found = find_in((const uint8_t *)text, (size_t)size, 0, (size_t)size, &hit);
    assert_int_equal(found, 8 + blanks < SCAN_REACH);
    if (found)
      assert_true(find_in((const uint8_t *)text, SCAN_REACH, 0, 1, &hit));
  }
}

/* Starts of needles, in their order. */
static bool naive(struct view v, size_t from, size_t to, struct hit *hit)
{
  for (size_t i = from; i < to && i < v.size; i++)
    for (size_t n = 0; n < NEEDLES; n++) {
      struct view rest = {v.data + i, v.size - i};
      bool found = rest.size >= needles[n].size;
      switch (needles[n].needle) {
      case NEEDLE_CUBIN: /* what stands between the bytes that count is free */
        found = found && memcmp(rest.data, "\177ELF", 4) == 0 && (rest.data[4] == 1 || rest.data[4] == 2) &&
                rest.data[5] == 1 && (rest.data[7] == 0x33 || rest.data[7] == 0x41) &&
                memcmp(rest.data + 18, "\xBE", 2) == 0;
        break;
      case NEEDLE_ZSTD:
        found = found && memcmp(rest.data, needles[n].bytes, 4) == 0 && !(rest.data[4] & 8);
        break;
      case NEEDLE_PTX: {
        size_t k = 8;
        found = rest.size > 9 && memcmp(rest.data, ".version", 8) == 0;
        while (found && k < rest.size && (rest.data[k] == ' ' || rest.data[k] == '\t'))
          k++;
        found = found && k > 8 && k < rest.size && k < SCAN_REACH && rest.data[k] >= '0' && rest.data[k] <= '9';
        break;
      }
      default:
        found = found && memcmp(rest.data, needles[n].bytes, needles[n].size) == 0;
      }
      if (found) {
        *hit = (struct hit){i, (uint8_t)needles[n].needle};
        return true;
      }
    }
  return false;
}

static void against_naive(void **state)
{
  (void)state;
  static const uint8_t letters[] = {0x50, 0xED, 0x55, 0xBA, 1,   0,   16,   0x7F, 'E',  'L',  'F', 0x33, 0x28, 0xB5,
                                    0x2F, 0xFD, '.',  'v',  'e', 'r', 0xB1, 0x43, 0x62, 0x46, 'f', 'i',  'c'};
  uint64_t seed = 2024;
  size_t hits = 0;
  for (unsigned round = 0; round < 3000; round++) {
    uint8_t bytes[700];
    size_t size = testdata_random(&seed) % sizeof bytes;
    for (size_t i = 0; i < size; i++)
      bytes[i] = letters[testdata_random(&seed) % sizeof letters];
    for (unsigned k = testdata_random(&seed) % 12; k > 0; k--) {
      size_t n = testdata_random(&seed) % NEEDLES, at = testdata_random(&seed) % sizeof bytes;
      if (at + needles[n].size <= size)
        memcpy(bytes + at, needles[n].bytes, needles[n].size);
    }
    struct view v = testdata_copy((struct view){bytes, size});
    size_t from = size ? testdata_random(&seed) % size : 0, to = from + testdata_random(&seed) % 800;
    for (;;) {
      struct hit a = {0}, b = {0};
      bool found = scan_find(v, from, to, &a);
      assert_int_equal(found, naive(v, from, to, &b));
      if (!found)
        break;
      assert_true(a.offset == b.offset);
      assert_int_equal(a.needle, b.needle);
      from = (size_t)a.offset + 1;
      hits++;
    }
    testdata_free(v);
  }
  assert_true(hits > 1000);
}

static void magic(void **state)
{
  (void)state;
  for (unsigned at = 0; at < 40; at++) {
    uint8_t bytes[64];
    memset(bytes, 0x50, sizeof bytes);
    memcpy(bytes + at, "\x50\xED\x55\xBA", 4);
    struct view v = testdata_copy((struct view){bytes, at + 4}), cut = testdata_copy((struct view){bytes, at + 3});
    assert_int_equal(scan_magic(v, 0), at);
    assert_int_equal(scan_magic(v, at), at);
    assert_int_equal(scan_magic(v, at + 1), at + 4);
    assert_int_equal(scan_magic(cut, 0), at + 3);
    testdata_free(v);
    testdata_free(cut);
  }
}

static void nonzero(void **state)
{
  (void)state;
  for (size_t size = 0; size < 70; size++)
    for (size_t at = 0; at <= size; at++) {
      uint8_t bytes[70] = {0};
      if (at < size)
        bytes[at] = 1;
      struct view v = testdata_copy((struct view){bytes, size});
      for (size_t from = 0; from <= size; from++)
        assert_int_equal(scan_nonzero(v, from), from <= at ? at : size);
      testdata_free(v);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_place), cmocka_unit_test(cut_needles),   cmocka_unit_test(near_needles),
      cmocka_unit_test(reach),       cmocka_unit_test(against_naive), cmocka_unit_test(magic),
      cmocka_unit_test(nonzero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
