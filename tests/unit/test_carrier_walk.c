/* SPDX-License-Identifier: Apache-2.0 */
/* From regions to images: the corpus record by record, roles, and how damage is left behind (docs/format.md 11). */
#include <zstd.h>

#include "carriers.h"
#include "model/builder.h"

static const char *member_of(const char *path, char *out, size_t size)
{
  const char *open = strchr(path, '(');
  snprintf(out, size, "%s", open != NULL ? open + 1 : "");
  out[strcspn(out, ")")] = 0;
  return out;
}

static const char *json_text(json_t *object, const char *key)
{
  return text_of(json_string_value(json_object_get(object, key)));
}

static void assert_expected(const struct cuw_library *l, const struct cuw_image *image, json_t *expected)
{
  char member[256], isa[16] = "", arch[CUW_ARCH_NAME_MAX] = "(null)";
  json_t *fatbin = json_object_get(expected, "fatbin"), *debug = json_object_get(expected, "debug");
  json_t *stored = json_object_get(expected, "stored_size"), *name = json_object_get(expected, "member");
  assert_string_equal(member_of(l->path, member, sizeof member), json_is_string(name) ? json_string_value(name) : "");
  assert_true(image->offset == (uint64_t)json_integer_value(json_object_get(expected, "offset")));
  assert_true(image->fatbin == (json_is_null(fatbin) ? CUW_NO_FATBIN : (uint32_t)json_integer_value(fatbin)));
  assert_string_equal(cuw_role_name(image->role), json_text(expected, "role"));
  assert_string_equal(text_of(image->section), json_text(expected, "section"));
  assert_string_equal(cuw_kind_name(image->kind), json_text(expected, "kind"));
  assert_string_equal(cuw_compression_name(image->compression), json_text(expected, "compression"));
  assert_string_equal(text_of(image->identifier), json_text(expected, "identifier"));
  assert_string_equal(text_of(cuw_host_name(image->host)), json_text(expected, "host"));
  if (image->has_arch)
    cuw_arch_name(image->arch, arch);
  assert_string_equal(arch, json_text(expected, "arch"));
  if (image->kind == CUW_KIND_PTX)
    snprintf(isa, sizeof isa, "%u.%u", image->isa_major, image->isa_minor);
  assert_string_equal(image->kind == CUW_KIND_PTX ? isa : "(null)", json_text(expected, "ptx_isa"));
  assert_true(image->stored_size == (json_is_null(stored) ? CUW_NONE : (uint64_t)json_integer_value(stored)));
  assert_true(image->size == (uint64_t)json_integer_value(json_object_get(expected, "size")));
  assert_int_equal(image->debug, json_is_null(debug) ? -1 : json_is_true(debug));
}

static void check_file(const char *name)
{
  if (name[0] == '.' || strstr(name, ".expected.json") != NULL || strcmp(name, "n130_optix.bin") == 0)
    return;
  struct view v = testdata_load(name);
  json_t *expected = testdata_images(name);
  struct job_result r;
  size_t seen = 0;
  read_plain(v, name, &r);
  for (size_t i = 0; i < r.library_count; i++)
    for (size_t k = 0; k < r.libraries[i]->image_count; k++, seen++)
      assert_expected(r.libraries[i], &r.libraries[i]->images[k], json_array_get(expected, seen));
  if (seen != json_array_size(expected))
    fail_msg("%s: %zu images, not %zu", name, seen, json_array_size(expected));
  job_result_free(&r);
  json_decref(expected);
  testdata_free(v);
}

static void corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("", "", check_file) > 200);
}

/* Every problem of each damaged sample: code and place. */
static const struct {
  const char *name, *problems;
} damaged[] = {
    {"m00_good.fatbin", ""},
    {"m02_magic_only.fatbin", " container-header-truncated@0"},
    {"m03_hdr_cut.fatbin", " container-header-truncated@0"},
    {"m04_cut_entry_hdr.fatbin", " container-truncated@0 entry-truncated@16"},
    {"m05_cut_payload.fatbin", " container-truncated@0 payload-truncated@336"},
    {"m06_size_huge.fatbin", " container-truncated@0"},
    {"m07_size_max.fatbin", " container-truncated@0"},
    {"m08_size_small.fatbin", " payload-truncated@16 container-expected@216"},
    {"m09_size_zero.fatbin", " container-expected@16"},
    {"m10_hs0.fatbin", " entry-header-size@16"},
    {"m11_hs63.fatbin", " entry-header-size@16"},
    {"m12_hs_huge.fatbin", " entry-header-size@16"},
    {"m13_esize0.fatbin", " compressed-size@16 entry-header-size@96"},
    {"m14_esize_huge.fatbin", " payload-truncated@16"},
    {"m15_esize_wrap.fatbin", " payload-truncated@16"},
    {"m16_csz_gt.fatbin", " compressed-size@16"},
    {"m17_csz0.fatbin", ""},
    {"m18_usz0.fatbin", ""},
    {"m23_bad_zstd.fatbin", ""},
    {"m26_both_comp.fatbin", " compression-flags@16"},
    {"m27_comp_unknown.fatbin", ""},
    {"m28_kind0.fatbin", ""},
    {"m29_kind99.fatbin", ""},
    {"m30_ver2.fatbin", ""},
    {"m31_chs8.fatbin", " container-header-size@0"},
    {"m32_chs64.fatbin", " container-header-size@0"},
    {"m33_opt_off.fatbin", " entry-extras@16"},
    {"m34_opt_str.fatbin", " entry-options@16"},
    {"m35_name_off.fatbin", " entry-identifier@16"},
    {"m36_name_len.fatbin", " entry-identifier@16"},
    {"m37_two_containers_gap.fatbin", ""},
    {"m38_two_containers_junk.fatbin", " container-expected@1744"},
    {"m39_overlap.fatbin", " payload-truncated@16"},
    {"m40_arch0.fatbin", ""},
    {"m41_arch_neg.fatbin", ""},
    {"m42_elf_trunc.fatbin", ""},
    {"m43_elf_not.fatbin", ""},
    {"m44_arch_mismatch.fatbin", ""},
    {"m45_shoff.cubin", ""},
    {"m46_shnum.cubin", ""},
    {"m47_so_size.so", " container-truncated@8232"},
    {"m48_so_nomagic.so", " container-expected@8232"},
    {"m49_concat_count.fatbin", " concatenation-table@16"},
    {"m50_concat_off.fatbin", " concatenation-table@16"},
    {"m51_concat_nest.fatbin", ""},
};

static void assert_problems(const char *name, const struct cuw_library *l, const char *expected)
{
  char text[512] = "";
  for (size_t i = 0; i < l->problem_count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), " %s@%llu", l->problems[i].code,
             (unsigned long long)l->problems[i].offset);
  if (strcmp(text, expected) != 0)
    fail_msg("%s:%s, not%s", name, text, expected);
  assert_int_equal(l->complete, expected[0] == 0);
}

static void problems(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    struct view v = testdata_load(damaged[i].name);
    struct job_result r;
    read_plain(v, damaged[i].name, &r);
    assert_int_equal(r.library_count, 1);
    assert_problems(damaged[i].name, r.libraries[0], damaged[i].problems);
    job_result_free(&r);
    testdata_free(v);
  }
}

/* Sub-entries that share the bytes of their images would make a small file large. */
static void overlapping_parts(void **state)
{
  (void)state;
  struct view v = testdata_load("n135_concat_li.fatbin");
  uint8_t *data = (uint8_t *)(uintptr_t)v.data, *sub = data + 16 + 72;
  struct job_result before, after;
  read_plain(v, "x", &before);
  put_uint(sub + 4, 0, 4);
  memcpy(sub + 8, data + 16 + 0x38, 8); /* the first one is all there is */
  read_plain(v, "x", &after);
  assert_problems("made", after.libraries[0], " concatenation-table@16");
  assert_int_equal(after.libraries[0]->image_count, before.libraries[0]->image_count - 1);
  job_result_free(&before);
  job_result_free(&after);
  testdata_free(v);
}

static void assert_walk(struct made *m, size_t images, unsigned fatbins, const char *expected)
{
  struct job_result r;
  struct view v = testdata_copy(made_view(m));
  read_plain(v, "x", &r);
  assert_int_equal(r.library_count, 1);
  assert_problems("made", r.libraries[0], expected);
  assert_int_equal(r.libraries[0]->image_count, images);
  assert_int_equal(r.libraries[0]->fatbins, fatbins);
  job_result_free(&r);
  testdata_free(v);
  made_free(m);
}

/* A container that lies about its size ends where the next begins; a bad entry costs the rest of its container. */
static void resync(void **state)
{
  (void)state;
  struct made m = {0};
  made_cubins(&m, 2, 80);
  put_uint(m.data + 8, 1 << 20, 8);
  made_cubins(&m, 3, 80);
  assert_walk(&m, 5, 2, " container-truncated@0");

  made_cubins(&m, 2, 80);
  put_uint(m.data + 16 + 4, 60, 4);
  made_cubins(&m, 3, 80);
  assert_walk(&m, 3, 2, " entry-header-size@16");

  /* Truncated and a bad entry: the next magic is looked for, without a second word. */
  made_cubins(&m, 2, 80);
  put_uint(m.data + 8, UINT64_MAX, 8);
  put_uint(m.data + 16 + 144 + 4, 3, 4);
  made_cubins(&m, 1, 80);
  assert_walk(&m, 2, 2, " container-truncated@0 entry-header-size@160");

  made_cubins(&m, 1, 80);
  made_add(&m, "not a magic at all", 18);
  made_align(&m, 8);
  made_cubins(&m, 1, 80);
  made_add(&m, NULL, 100000);
  made_cubins(&m, 1, 80);
  made_add(&m, NULL, 40);
  assert_walk(&m, 3, 3, " container-expected@160");

  made_cubins(&m, 0, 0);
  made_cubins(&m, 1, 0);
  assert_walk(&m, 1, 2, "");
}

static void begin_data(struct made *m, struct made_section *s)
{
  made_elf_begin(m);
  *s = (struct made_section){".rodata", SHF_ALLOC, m->size, 0};
}

static void end_data(struct made *m, struct made_section *s)
{
  s->end = m->size;
  made_elf_end(m, s, 1, m->size);
}

static void expect_at(char out[96], const char *code, uint64_t at)
{
  snprintf(out, 96, " %s@%llu", code, (unsigned long long)at);
}

/* A cubin whose tables run past its section hides nothing behind it; it is listed, cut. */
static void truncated_cubin(void **state)
{
  (void)state;
  struct made m = {0};
  struct made_section s;
  char expected[96];
  begin_data(&m, &s);
  size_t at = made_file(&m, "p130_sm100a.cubin");
  put_uint(m.data + at + 40, 1 << 28, 8);
  made_align(&m, 16);
  made_file(&m, "p130_sm90.cubin");
  made_add(&m, NULL, 16);
  made_cubins(&m, 2, 80);
  end_data(&m, &s);
  expect_at(expected, "cubin-truncated", at);
  assert_walk(&m, 4, 1, expected);
}

/* The same for a frame of which a block header is broken. */
static void broken_frame(void **state)
{
  (void)state;
  struct made m = {0};
  struct made_section s;
  char expected[96];
  struct view cubin = testdata_load("p130_sm90.cubin");
  size_t room = ZSTD_compressBound(cubin.size);
  uint8_t *packed = malloc(room);
  size_t size = ZSTD_compress(packed, room, cubin.data, cubin.size, 1);
  assert_false(ZSTD_isError(size));
  begin_data(&m, &s);
  size_t at = made_add(&m, packed, size);
  /* The block says that it is not the last: what follows is read as the header of another. */
  assert_int_equal(m.data[at + 4], 0x60); /* one segment, its size in two bytes: the header takes seven */
  assert_int_equal(m.data[at + 7] & 1, 1);
  m.data[at + 7] &= 0xfe;
  made_add(&m, "\xff\xff\xff\xff", 4);
  made_align(&m, 16);
  made_add(&m, packed, size);
  made_align(&m, 16);
  made_file(&m, "p118_sm90.cubin");
  end_data(&m, &s);
  expect_at(expected, "cubin-truncated", at);
  assert_walk(&m, 3, 0, expected);
  free(packed);
  testdata_free(cubin);
}

/* A small frame that claims a huge cubin is not inflated into memory. */
static void huge_frame(void **state)
{
  (void)state;
  struct made m = {0};
  struct made_section s;
  char expected[96];
  struct view cubin = testdata_load("p130_sm100a.cubin");
  size_t size = (size_t)80 << 20, room = ZSTD_compressBound(size);
  uint8_t *plain = calloc(1, size), *packed = malloc(room);
  assert_non_null(plain);
  assert_non_null(packed);
  memcpy(plain, cubin.data, cubin.size);
  size_t packed_size = ZSTD_compress(packed, room, plain, size, 1);
  assert_false(ZSTD_isError(packed_size));
  begin_data(&m, &s);
  size_t at = made_add(&m, packed, packed_size);
  made_align(&m, 16);
  made_file(&m, "p118_sm90.cubin");
  end_data(&m, &s);
  expect_at(expected, "payload-too-big", at);
  assert_walk(&m, 2, 0, expected);
  free(plain);
  free(packed);
  testdata_free(cubin);
}

/* What only looks like code costs a bounded time, and that it did is said. */
static void bait(void **state)
{
  (void)state;
  static const struct {
    size_t size;
    const char *bytes, *code;
  } rows[] = {
      {14, ".version 1.0/*", "search-given-up"},
      {10, "\x28\xB5\x2F\xFD\x60\xff\xff\x84\xff\x0f", "search-given-up"},
      {9, "\x28\xB5\x2F\xFD\x00\x88\0\0\x10", NULL},
      {5, "\x28\xB5\x2F\xFD\x00", NULL},
      {16, "\x50\xED\x55\xBA\1\0\x10\0\0\0\0\0\0\1\0\0", NULL},
      {8, "\xB1\x43\x62\x46\1\0\0\0", NULL},
      {4, "\177ELF", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int deflate_it = 0; deflate_it < 2; deflate_it++) {
      struct made m = {0};
      struct made_section s;
      struct job_result r;
      begin_data(&m, &s);
      while (m.size < (size_t)12 << 20)
        made_add(&m, rows[i].bytes, rows[i].size);
      end_data(&m, &s);
      struct view plain = made_view(&m), packed = deflated(plain, 1);
      struct source *source =
          deflate_it ? packed_source(&packed, plain.size, crc_of(plain), NULL) : source_memory(plain.data, plain.size);
      job_read(source, "x", NULL, &r);
      assert_int_equal(r.libraries[0]->image_count, 0);
      assert_int_equal(r.libraries[0]->problem_count, rows[i].code != NULL);
      if (rows[i].code != NULL)
        assert_string_equal(r.libraries[0]->problems[0].code, rows[i].code);
      job_result_free(&r);
      source_close(source);
      testdata_free(packed);
      made_free(&m);
    }
}

/* Containers that all share one chain of entries, which breaks off at its end. */
static void shared_chain(void **state)
{
  (void)state;
  struct made m = {0};
  struct made_section s;
  size_t total = (size_t)8 << 20;
  begin_data(&m, &s);
  while (m.size + 80 < total) {
    made_container(&m, (total + 4096 - m.size - 16) / 8 * 8);
    made_entry(&m, 2, 16);
  }
  made_add(&m, NULL, 8192);
  end_data(&m, &s);
  struct view plain = made_view(&m), packed = deflated(plain, 1);
  struct source *source = packed_source(&packed, plain.size, crc_of(plain), NULL);
  struct job_result a, b;
  job_read(source, "x", NULL, &a);
  source_close(source);
  read_plain(plain, "x", &b);
  assert_same_result(&a, &b);
  assert_true(a.libraries[0]->image_count > 100000);
  job_result_free(&a);
  job_result_free(&b);
  testdata_free(packed);
  made_free(&m);
}

static void too_many_images(void **state)
{
  (void)state;
  struct made m = {0};
  made_container(&m, (LIBRARY_IMAGES_MAX + 10) * FATBIN_ENTRY_SIZE);
  for (size_t i = 0; i < LIBRARY_IMAGES_MAX + 10; i++)
    made_entry(&m, 2, 0);
  struct job_result r;
  read_plain(made_view(&m), "x", &r);
  assert_int_equal(r.libraries[0]->image_count, LIBRARY_IMAGES_MAX);
  assert_int_equal(r.libraries[0]->problem_count, 1);
  assert_string_equal(r.libraries[0]->problems[0].code, "too-many-images");
  job_result_free(&r);
  made_free(&m);
}

/* Many small regions, in a file: a region of eight bytes must not cost a window. */
static void small_regions(void **state)
{
  (void)state;
  struct made m = {0};
  struct made_section s[30];
  made_elf_begin(&m);
  for (size_t i = 0; i < 30; i++) {
    s[i] = (struct made_section){".data", SHF_ALLOC, m.size, m.size + 8};
    made_add(&m, i == 29 ? ".version" : "\x50\xED\x55\xBA\1\0\x10\0", 8);
  }
  made_add(&m, " 8.0\n.target sm_80 \0", 21);
  made_elf_end(&m, s, 30, m.size);
  /* The text starts in a region and leaves it: its header does not lie inside. */
  assert_walk(&m, 0, 0, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corpus),          cmocka_unit_test(overlapping_parts),
      cmocka_unit_test(problems),        cmocka_unit_test(resync),
      cmocka_unit_test(truncated_cubin), cmocka_unit_test(broken_frame),
      cmocka_unit_test(huge_frame),      cmocka_unit_test(bait),
      cmocka_unit_test(shared_chain),    cmocka_unit_test(too_many_images),
      cmocka_unit_test(small_regions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
