/* SPDX-License-Identifier: Apache-2.0 */
/* A member that is read once, forward, gives the records that its plain bytes give. */
#include "carriers.h"

#include <zstd.h>

#include "carrier/sieve.h"

static struct inflate_workspace *workspace;

static int start(void **state)
{
  (void)state;
  workspace = inflate_workspace_new(NULL);
  return workspace == NULL;
}

static int stop(void **state)
{
  (void)state;
  inflate_workspace_free(workspace);
  return 0;
}

/* The central promise. */
static void assert_same_deflated(struct view plain, int level)
{
  struct job_result a, b;
  struct view packed = deflated(plain, level);
  read_plain(plain, "x", &a);
  struct source *s = packed_source(&packed, plain.size, crc_of(plain), workspace);
  job_read(s, "x", NULL, &b);
  source_close(s);
  assert_same_result(&a, &b);
  job_result_free(&a);
  job_result_free(&b);
  testdata_free(packed);
}

static void each_file(const char *name)
{
  if (name[0] == '.' || strstr(name, ".expected.json") != NULL)
    return;
  struct view v = testdata_load(name);
  assert_same_deflated(v, 6);
  testdata_free(v);
}

static void corpus(void **state)
{
  (void)state;
  assert_true(testdata_each("", "", each_file) > 200);
}

static void add_noise(struct made *m, size_t size, uint64_t seed)
{
  size_t at = made_add(m, NULL, size);
  for (size_t i = 0; i < size; i++)
    m->data[at + i] = (uint8_t)(testdata_random(&seed) % 251);
}

/* Bytes that look like starts of GPU code and are none. */
static void add_bait(struct made *m, unsigned count)
{
  static const char *const baits[] = {".version 1 is newer", ".version 8.0 /* no target", "\x50\xED\x55\xBA rest",
                                      "\177ELF\2\1\1\x33", "\x28\xB5\x2F\xFD\x20"};
  for (unsigned i = 0; i < count; i++) {
    made_add(m, baits[i % 5], strlen(baits[i % 5]));
    made_add(m, NULL, i % 7);
  }
}

static void add_text(struct made *m, size_t blanks)
{
  static const char head[] =
      "// Cuda compilation tools, release 12.8, V12.8.61\n.version 8.7\n.target sm_100a, debug\n";
  made_add(m, head, sizeof head - 1);
  size_t at = made_add(m, NULL, blanks + 1);
  memset(m->data + at, ' ', blanks);
}

static void add_packed_cubin(struct made *m, const char *name)
{
  struct view v = testdata_load(name);
  size_t room = ZSTD_compressBound(v.size);
  uint8_t *packed = malloc(room);
  size_t size = ZSTD_compress(packed, room, v.data, v.size, 3);
  assert_false(ZSTD_isError(size));
  made_add(m, packed, size);
  free(packed);
  testdata_free(v);
}

static void add_containers(struct made *m, unsigned count, uint64_t seed)
{
  for (unsigned i = 0; i < count; i++) {
    made_cubins(m, testdata_random(&seed) % 5, testdata_random(&seed) % 3000 * 8);
    if (testdata_random(&seed) % 4 == 0)
      made_add(m, NULL, testdata_random(&seed) % 5 * 8);
    if (i % 100 == 7)
      made_add(m, NULL, (size_t)1 << 19);
  }
}

/* Containers that are wrong in every way, between sound ones. */
static void add_damaged(struct made *m)
{
  made_container(m, 64 + 800); /* a payload larger than the container */
  made_entry(m, 2, 4000);
  made_add(m, NULL, 800);
  made_cubins(m, 2, 160);
  made_add(m, "junk between", 12);
  made_align(m, 8);
  size_t huge = made_cubins(m, 3, 320);
  put_uint(m->data + huge + 8, UINT64_MAX - 7, 8);
  made_cubins(m, 1, 80);
  size_t head = made_cubins(m, 1, 80);
  put_uint(m->data + head + 6, 64, 2);
  made_cubins(m, 1, 80);
  size_t bad = made_cubins(m, 3, 80);
  put_uint(m->data + bad + 16 + 64 + 80 + 4, 8, 4); /* the second entry's header size */
  made_cubins(m, 1, 80);
  made_file(m, "m49_concat_count.fatbin");
  made_align(m, 8);
  made_file(m, "n135_concat_li.fatbin");
  made_align(m, 8);
}

static void add_data(struct made *m)
{
  add_bait(m, 50);
  add_text(m, 100);
  made_file(m, "p130_sm100a.cubin");
  add_noise(m, 300000, 5);
  add_text(m, 700000);
  made_file(m, "p118_sm90.cubin");
  add_packed_cubin(m, "p130_sm100f.cubin");
  add_noise(m, 3000, 9);
  add_packed_cubin(m, "p128_sm90a.cubin");
  made_align(m, 16);
  made_cubins(m, 2, 4000);
  add_bait(m, 5000);
  made_file(m, "n130_mixed.fatbin");
  made_add(m, "CUDA driver version is insufficient for CUDA runtime version", 61);
  add_noise(m, 1 << 20, 77);
}

static void add_wrappers(struct made *m, const size_t *containers, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint8_t w[24] = {0xB1, 0x43, 0x62, 0x46};
    w[4] = (uint8_t)(1 + i % 2);
    put_uint(w + 8, containers[i], 8);
    made_add(m, w, sizeof w);
  }
}

/* Several MB with everything that a walk knows. */
static void make_library(struct made *m, bool with_sections)
{
  struct made_section s[6];
  size_t wrapped[3];
  made_elf_begin(m);
  s[0] = (struct made_section){".rodata", SHF_ALLOC, m->size, 0};
  add_data(m);
  s[0].end = m->size;
  made_align(m, 8);
  s[1] = (struct made_section){".nv_fatbin", SHF_ALLOC, m->size, 0};
  wrapped[0] = m->size;
  add_containers(m, 150, 1);
  add_damaged(m);
  wrapped[1] = m->size;
  add_containers(m, 250, 2);
  s[1].end = m->size;
  s[2] = (struct made_section){"__nv_relfatbin", SHF_ALLOC, m->size, 0};
  wrapped[2] = m->size;
  add_containers(m, 3, 3);
  s[2].end = m->size;
  s[3] = (struct made_section){".data", SHF_ALLOC | SHF_WRITE, m->size, 0};
  add_damaged(m);
  add_data(m);
  s[3].end = m->size;
  made_align(m, 8);
  s[4] = (struct made_section){".nvFatBinSegment", SHF_ALLOC | SHF_WRITE, m->size, 0};
  add_wrappers(m, wrapped, 3);
  s[4].end = m->size;
  size_t loaded = m->size;
  s[5] = (struct made_section){".text", SHF_ALLOC | SHF_EXECINSTR, m->size, 0};
  made_file(m, "n130_mixed.fatbin");
  add_bait(m, 100000);
  s[5].end = m->size;
  made_elf_end(m, s, 6, loaded);
  if (!with_sections)
    memset(m->data + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
}

static void large_libraries(void **state)
{
  (void)state;
  for (int with_sections = 0; with_sections < 2; with_sections++) {
    struct made m = {0};
    make_library(&m, with_sections);
    assert_true(m.size > (size_t)6 << 20);
    struct job_result r;
    read_plain(made_view(&m), "x", &r);
    assert_int_equal(r.library_count, 1);
    assert_true(r.libraries[0]->image_count > 500);
    assert_true(r.libraries[0]->problem_count > 5);
    assert_true(r.libraries[0]->static_runtime);
    job_result_free(&r);
    assert_same_deflated(made_view(&m), 1);
    made_free(&m);
  }
}

/* Every container of a region damaged or not, by chance; sections that cut containers; a few bytes changed. */
static void chance(void **state)
{
  (void)state;
  for (uint64_t round = 1; round < 60; round++) {
    struct made m = {0};
    struct made_section s[4];
    uint64_t seed = round;
    made_elf_begin(&m);
    size_t begin = m.size;
    add_containers(&m, 30, round);
    add_bait(&m, 40);
    add_damaged(&m);
    add_text(&m, 400);
    made_file(&m, "p130_sm90.cubin");
    add_packed_cubin(&m, "p130_sm75.cubin");
    add_containers(&m, 10, round + 1000);
    size_t end = m.size;
    static const char *const names[] = {".rodata", ".nv_fatbin", "__nv_relfatbin", ".data"};
    for (unsigned i = 0; i < 4; i++) {
      size_t from = begin + testdata_random(&seed) % (end - begin);
      s[i] = (struct made_section){names[i], SHF_ALLOC, from, from + testdata_random(&seed) % (end - from)};
    }
    for (unsigned i = 0; i < 20; i++)
      m.data[begin + testdata_random(&seed) % (end - begin)] = (uint8_t)testdata_random(&seed);
    made_elf_end(&m, s, 4, end);
    if (round % 3 == 0)
      memset(m.data + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
    assert_same_deflated(made_view(&m), (int)(round % 9) + 1);
    made_free(&m);
  }
}

/* Changed bytes in real libraries: tables, wrappers, sections that lie. */
static void flipped(void **state)
{
  (void)state;
  static const char *const names[] = {"n130_linked.so", "n130_rdc.so", "x_zstdcubin.so", "x_barecubin.so",
                                      "x_ptxtext.so",   "pe_min.dll",  "n130_needed.so", "n130_dc.o"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    struct view whole = testdata_load(names[n]);
    uint64_t seed = 0x51EE + n;
    for (unsigned round = 0; round < 120; round++) {
      struct view v = testdata_copy(whole);
      uint8_t *bytes = (uint8_t *)(uintptr_t)v.data;
      for (unsigned k = testdata_random(&seed) % 6 + 1; k > 0; k--) {
        size_t within = testdata_random(&seed) % 2 ? 64 : v.size;
        bytes[within < v.size && testdata_random(&seed) % 2 ? v.size - 1 - testdata_random(&seed) % 2048
                                                            : testdata_random(&seed) % within] =
            (uint8_t)testdata_random(&seed);
      }
      assert_same_deflated(v, 6);
      testdata_free(v);
    }
    testdata_free(whole);
  }
}

/* Cut files: what the plain bytes say, a deflated member says. */
static void cut(void **state)
{
  (void)state;
  struct view whole = testdata_load("n130_multi.so");
  for (size_t size = 0; size < whole.size; size += size < 200 ? 1 : 97) {
    struct view v = testdata_copy((struct view){whole.data, size});
    assert_same_deflated(v, 6);
    testdata_free(v);
  }
  testdata_free(whole);
}

static bool is_stream_fault(const char *code)
{
  return strcmp(code, "stream-damaged") == 0 || strcmp(code, "size-mismatch") == 0 || strcmp(code, "crc-mismatch") == 0;
}

/* Before the damage a stream shows its images; the damage is said once. */
static void assert_damage(struct view plain, const struct view *packed, uint64_t good)
{
  struct job_result a, b;
  read_plain(plain, "x", &a);
  struct source *s = packed_source(packed, plain.size, crc_of(plain), workspace);
  job_read(s, "x", NULL, &b);
  source_close(s);
  assert_int_equal(b.library_count, 1);
  const struct cuw_library *l = b.libraries[0], *whole = a.libraries[0];
  assert_false(l->complete);
  size_t before = 0, said = 0;
  for (size_t i = 0; i < whole->image_count; i++)
    before += whole->images[i].offset + 128 < good;
  assert_true(before > 3);
  for (size_t i = 0; i < before; i++) {
    assert_true(l->images[i].offset == whole->images[i].offset);
    assert_true(l->images[i].size == whole->images[i].size);
    assert_int_equal(l->images[i].fatbin, whole->images[i].fatbin);
  }
  for (size_t i = 0; i < l->problem_count; i++)
    said += is_stream_fault(l->problems[i].code);
  assert_int_equal(said, 1);
  job_result_free(&a);
  job_result_free(&b);
}

static void make_region(struct made *m)
{
  made_elf_begin(m);
  struct made_section s = {".nv_fatbin", SHF_ALLOC, m->size, 0};
  uint64_t seed = 99;
  for (unsigned i = 0; i < 300; i++) {
    made_container(m, 64 + 8192);
    made_entry(m, 2, 8192);
    add_noise(m, 8192, testdata_random(&seed) + 1);
  }
  s.end = m->size;
  made_elf_end(m, &s, 1, m->size);
}

static void damaged_streams(void **state)
{
  (void)state;
  struct made m = {0};
  make_region(&m);
  /* Without the section table, which the damage takes away too, the containers are found by a search. */
  struct view plain = made_view(&m);
  memset(m.data + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
  struct view packed = deflated(plain, 1);
  for (size_t part = 1; part < 8; part++) {
    struct view less = {packed.data, packed.size * part / 8};
    assert_damage(plain, &less, plain.size * part / 8 * 9 / 10);
  }
  uint8_t *bytes = (uint8_t *)(uintptr_t)packed.data;
  memset(bytes + packed.size / 2, 0xff, 3000);
  assert_damage(plain, &packed, plain.size * 4 / 10);
  testdata_free(packed);
  made_free(&m);
}

static void wrong_checksum(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_multi.so"), packed = deflated(v, 6);
  struct job_result a, b;
  read_plain(v, "x", &a);
  struct source *s = packed_source(&packed, v.size, crc_of(v) ^ 1, workspace);
  job_read(s, "x", NULL, &b);
  source_close(s);
  assert_int_equal(b.libraries[0]->image_count, a.libraries[0]->image_count);
  assert_int_equal(b.libraries[0]->problem_count, 1);
  assert_string_equal(b.libraries[0]->problems[0].code, "crc-mismatch");
  assert_false(b.libraries[0]->complete);
  job_result_free(&a);
  job_result_free(&b);
  testdata_free(packed);
  testdata_free(v);
}

/* source_find on a sieve, on its bytes, and by hand. */
static void finds(void **state)
{
  (void)state;
  struct made m = {0};
  make_library(&m, false);
  struct view plain = made_view(&m), packed = deflated(plain, 1);
  struct source *inner = packed_source(&packed, plain.size, crc_of(plain), workspace);
  struct source *sieve = sieve_open(inner), *memory = source_memory(plain.data, plain.size);
  uint64_t seed = 4711, ranges = 0;
  for (unsigned i = 0; i < 3000; i++) {
    uint64_t from = testdata_random(&seed) % plain.size, to = from + testdata_random(&seed) % 40000;
    if (i % 50 == 0)
      to = UINT64_MAX;
    struct hit a = {0}, b = {0};
    bool in_sieve, in_memory;
    assert_int_equal(source_find(sieve, from, to, &a, &in_sieve), SOURCE_OK);
    assert_int_equal(source_find(memory, from, to, &b, &in_memory), SOURCE_OK);
    assert_int_equal(in_sieve, in_memory);
    assert_true(a.offset == b.offset);
    assert_int_equal(a.needle, b.needle);
    ranges += in_memory;
    struct view x, y;
    size_t want = testdata_random(&seed) % 200;
    assert_int_equal(source_view(sieve, from, want, &x), source_view(memory, from, want, &y));
    assert_int_equal(x.size, y.size);
    if (x.size > 0)
      assert_memory_equal(x.data, y.data, x.size);
  }
  assert_true(ranges > 100);
  source_close(sieve);
  source_close(inner);
  source_close(memory);
  testdata_free(packed);
  made_free(&m);
}

/* All hits that a source gives must be those of one look at the whole. */
static size_t assert_all_hits(struct source *s, struct view whole)
{
  size_t hits = 0;
  struct hit a, b;
  for (uint64_t from = 0;; from = a.offset + 1, hits++) {
    bool found;
    assert_int_equal(source_find(s, from, UINT64_MAX, &a, &found), SOURCE_OK);
    assert_int_equal(scan_find(whole, (size_t)from, whole.size, &b), found);
    if (!found)
      return hits;
    assert_true(a.offset == b.offset);
    assert_int_equal(a.needle, b.needle);
  }
}

/* Needles across the ends of the windows in which the bytes are looked at. */
static void window_ends(void **state)
{
  (void)state;
  static const char *const needles[] = {".version 8.0", "\xB1\x43\x62\x46\1\0\0", "\x28\xB5\x2F\xFD\x60",
                                        "fficient for CUDA runtime versio", "\177ELF\2\1\1\x33"};
  const size_t size = 3 * SOURCE_WINDOW;
  uint8_t *bytes = malloc(size);
  assert_non_null(bytes);
  for (size_t shift = 0; shift < 70; shift++)
    for (size_t n = 0; n < 5; n++) {
      memset(bytes, 0, size);
      const size_t ends[] = {
          4096, 4096 + 16384 - 32, SOURCE_WINDOW, SOURCE_WINDOW - 32, 2 * SOURCE_WINDOW - 64, 2 * SOURCE_WINDOW, size};
      for (size_t i = 0; i < 7; i++) {
        size_t room = size - (ends[i] - shift), length = strlen(needles[n]);
        memcpy(bytes + ends[i] - shift, needles[n], length < room ? length : room);
        if (n == 4 && room >= 20)
          bytes[ends[i] - shift + 18] = 190;
      }
      struct view v = {bytes, size};
      struct source *memory = source_memory(bytes, size), *sieve = sieve_open(memory);
      size_t hits = assert_all_hits(memory, v);
      assert_true(hits >= 4);
      assert_int_equal(assert_all_hits(sieve, v), hits);
      source_close(sieve);
      source_close(memory);
    }
  free(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corpus),
      cmocka_unit_test(large_libraries),
      cmocka_unit_test(chance),
      cmocka_unit_test(flipped),
      cmocka_unit_test(cut),
      cmocka_unit_test(damaged_streams),
      cmocka_unit_test(wrong_checksum),
      cmocka_unit_test(finds),
      cmocka_unit_test(window_ends),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
