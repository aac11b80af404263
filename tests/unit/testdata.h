/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus and its expected records, and the ways a file is maltreated. */
#ifndef UNIT_TESTDATA_H
#define UNIT_TESTDATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/view.h"
#include "cuwheel/image.h"

static inline void testdata_path(const char *name, char *out, size_t size)
{
  const char *root = getenv("CUWHEEL_TESTDATA");
  snprintf(out, size, "%s/corpus/%s", root != NULL ? root : "testdata", name);
}

/* Bytes of a corpus file in memory of exactly its size; free with testdata_free. */
static inline struct view testdata_load(const char *name)
{
  char path[4096];
  testdata_path(name, path, sizeof path);
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    fail_msg("cannot open %s", path);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  long size = ftell(f);
  assert_true(size >= 0);
  rewind(f);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, (size_t)size, f), size);
  fclose(f);
  return (struct view){data, (size_t)size};
}

/* A copy in memory of exactly its size, so that a sanitizer sees each byte read too far. */
static inline struct view testdata_copy(struct view v)
{
  uint8_t *data = malloc(v.size > 0 ? v.size : 1);
  assert_non_null(data);
  if (v.size > 0)
    memcpy(data, v.data, v.size);
  return (struct view){data, v.size};
}

static inline struct view testdata_text(const char *text)
{
  return testdata_copy((struct view){(const uint8_t *)text, strlen(text)});
}

static inline void testdata_free(struct view v)
{
  free((void *)(uintptr_t)v.data);
}

/* The `images` of NAME.expected.json; json_decref it. */
static inline json_t *testdata_images(const char *name)
{
  char file[512], path[4096];
  snprintf(file, sizeof file, "%s.expected.json", name);
  testdata_path(file, path, sizeof path);
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  if (root == NULL)
    fail_msg("%s: %s", path, error.text);
  json_t *images = json_incref(json_object_get(root, "images"));
  json_decref(root);
  assert_true(json_is_array(images));
  return images;
}

/* Compares an image with its expected record, as far as an entry tells: kind, arch, ISA, compression, sizes, host. */
static inline void testdata_assert_image(const struct cuw_image *image, json_t *expected)
{
  char arch[CUW_ARCH_NAME_MAX] = "", isa[16] = "";
  if (image->has_arch)
    cuw_arch_name(image->arch, arch);
  if (image->kind == CUW_KIND_PTX)
    snprintf(isa, sizeof isa, "%u.%u", image->isa_major, image->isa_minor);
  const char *host = cuw_host_name(image->host);
  const char *want_arch = json_string_value(json_object_get(expected, "arch"));
  const char *want_isa = json_string_value(json_object_get(expected, "ptx_isa"));
  const char *want_host = json_string_value(json_object_get(expected, "host"));
  json_t *stored = json_object_get(expected, "stored_size"), *type = json_object_get(expected, "type");
  assert_string_equal(cuw_kind_name(image->kind), json_string_value(json_object_get(expected, "kind")));
  assert_string_equal(arch, want_arch != NULL ? want_arch : "");
  assert_string_equal(isa, want_isa != NULL ? want_isa : "");
  assert_string_equal(host != NULL ? host : "", want_host != NULL ? want_host : "");
  assert_string_equal(cuw_compression_name(image->compression),
                      json_string_value(json_object_get(expected, "compression")));
  assert_true(image->stored_size == (json_is_null(stored) ? CUW_NONE : (uint64_t)json_integer_value(stored)));
  assert_true(image->size == (uint64_t)json_integer_value(json_object_get(expected, "size")));
  assert_int_equal(image->debug, json_is_true(json_object_get(expected, "debug")));
  if (type != NULL)
    assert_int_equal(image->type, json_integer_value(type));
}

/* Calls `each` for the corpus files that start and end like this, in no order; returns how many. */
static inline int testdata_each(const char *prefix, const char *suffix, void (*each)(const char *name))
{
  char path[4096];
  testdata_path("", path, sizeof path);
  DIR *d = opendir(path);
  assert_non_null(d);
  int count = 0;
  for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
    size_t length = strlen(e->d_name), tail = strlen(suffix);
    if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 || length < tail)
      continue;
    if (strcmp(e->d_name + length - tail, suffix) != 0)
      continue;
    each(e->d_name);
    count++;
  }
  closedir(d);
  return count;
}

/* xorshift64*: the same numbers on every machine. */
static inline uint32_t testdata_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * 0x2545F4914F6CDD1Du) >> 32);
}

/* Feeds `each` prefixes of the file (all below `dense` bytes, then every `step`th), then copies with a few bytes
 * changed, half of them among the first `head` bytes. */
static inline void testdata_torture(const char *name, size_t dense, size_t step, size_t head, int rounds,
                                    void (*each)(struct view v))
{
  struct view whole = testdata_load(name);
  for (size_t size = 0; size <= whole.size; size += size < dense ? 1 : step) {
    struct view cut = testdata_copy((struct view){whole.data, size});
    each(cut);
    testdata_free(cut);
  }
  uint64_t seed = 0x9E3779B97F4A7C15u ^ whole.size;
  for (int i = 0; i < rounds; i++) {
    struct view v = testdata_copy(whole);
    uint8_t *bytes = (uint8_t *)(uintptr_t)v.data;
    for (uint32_t k = testdata_random(&seed) % 8 + 1; k > 0; k--) {
      size_t within = testdata_random(&seed) % 2 != 0 && head < v.size ? head : v.size;
      uint8_t value = (uint8_t)testdata_random(&seed);
      bytes[testdata_random(&seed) % within] = testdata_random(&seed) % 4 == 0 ? 0xff : value;
    }
    each(v);
    testdata_free(v);
  }
  testdata_free(whole);
}

#endif
