/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/carrier.h"
#include "testdata.h"

static enum carrier_type identify(const char *bytes, size_t size)
{
  struct view v = testdata_copy((struct view){(const uint8_t *)bytes, size});
  enum carrier_type type = carrier_identify(v);
  testdata_free(v);
  return type;
}

static enum carrier_type identify_file(const char *name)
{
  struct view v = testdata_load(name);
  if (v.size > CARRIER_HEAD)
    v.size = CARRIER_HEAD;
  enum carrier_type type = carrier_identify(v);
  testdata_free(v);
  return type;
}

static void is_cubin(const char *name)
{
  assert_int_equal(identify_file(name), CARRIER_CUBIN);
}

static void is_shared_object(const char *name)
{
  assert_int_equal(identify_file(name), CARRIER_ELF);
}

static void is_ptx(const char *name)
{
  assert_int_equal(identify_file(name), CARRIER_PTX);
}

static void is_fatbin(const char *name)
{
  enum carrier_type expected = strcmp(name, "m01_empty.fatbin") ? CARRIER_FATBIN : CARRIER_NONE;
  assert_int_equal(identify_file(name), expected);
}

static void corpus_is_told_by_content(void **state)
{
  (void)state;
  assert_true(testdata_each("", ".cubin", is_cubin) > 30);
  assert_true(testdata_each("", ".so", is_shared_object) > 10);
  assert_true(testdata_each("", ".ptx", is_ptx) > 5);
  assert_true(testdata_each("", ".fatbin", is_fatbin) > 100);
  assert_int_equal(identify_file("pe_min.dll"), CARRIER_PE);
  assert_int_equal(identify_file("n130_lib.a"), CARRIER_AR);
  assert_int_equal(identify_file("n130_optix.bin"), CARRIER_NVVM);
  assert_int_equal(identify_file("n130_c.o"), CARRIER_ELF);
}

struct row {
  enum carrier_type type;
  size_t size;
  const char *bytes;
};

static void magics(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {CARRIER_FATBIN, 4, "\x50\xED\x55\xBA"},
      {CARRIER_NONE, 3, "\x50\xED\x55"},
      {CARRIER_AR_THIN, 8, "!<thin>\n"},
      {CARRIER_AR, 8, "!<arch>\n"},
      {CARRIER_NONE, 7, "!<arch>"},
      {CARRIER_ZIP, 4, "PK\003\004"},
      {CARRIER_ZIP, 4, "PK\005\006"},
      {CARRIER_ZIP, 6, "PK\007\010PK"},
      {CARRIER_NONE, 6, "PK\007\010ab"},
      {CARRIER_GZIP, 4, "\x1F\x8B\x08\x00"},
      {CARRIER_NONE, 4, "\x1F\x8B\x07\x00"},
      {CARRIER_BZIP2, 10, "BZh91AY&SY"},
      {CARRIER_NONE, 10, "BZh9 plain"},
      {CARRIER_XZ, 6,
       "\xFD"
       "7zXZ\0"},
      {CARRIER_ZSTD, 4, "\x28\xB5\x2F\xFD"},
      {CARRIER_7Z, 6, "7z\xBC\xAF\x27\x1C"},
      {CARRIER_ELF, 4, "\177ELF"},
      {CARRIER_NONE, 4, "\177ELG"},
      {CARRIER_NONE, 0, ""},
      {CARRIER_NONE, 40, "MZ is how this text starts, nothing more"},
      {CARRIER_NONE, 80, "MZ text that is long enough to hold what a DOS header holds, were it a program !!"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (identify(rows[i].bytes, rows[i].size) != rows[i].type)
      fail_msg("row %zu: %d, expected %d", i, identify(rows[i].bytes, rows[i].size), rows[i].type);
  }
}

static void elf_machine_and_osabi_make_a_cubin(void **state)
{
  (void)state;
  char elf[64] = "\177ELF\2\1\1\x41\x08";
  elf[16] = 2;
  elf[18] = (char)190;
  assert_int_equal(identify(elf, sizeof(elf)), CARRIER_CUBIN);
  elf[7] = 0x33;
  assert_int_equal(identify(elf, sizeof(elf)), CARRIER_CUBIN);
  elf[7] = 0;
  assert_int_equal(identify(elf, sizeof(elf)), CARRIER_ELF);
  elf[7] = 0x41;
  elf[18] = 62;
  assert_int_equal(identify(elf, sizeof(elf)), CARRIER_ELF);
}

static void pe_by_its_dos_header(void **state)
{
  (void)state;
  char pe[256] = "MZ";
  pe[0x3c] = (char)0x80;
  memcpy(pe + 0x80, "PE\0\0", 4);
  assert_int_equal(identify(pe, sizeof(pe)), CARRIER_PE);
  memcpy(pe + 0x80, "NE\5\x3c", 4);
  assert_int_equal(identify(pe, sizeof(pe)), CARRIER_NONE);
  memcpy(pe + 0x80, "PF\0\0", 4); /* a damaged signature: pe_map has to say so */
  assert_int_equal(identify(pe, sizeof(pe)), CARRIER_PE);
  pe[0x3d] = 0x20; /* header behind the head, or cut off */
  assert_int_equal(identify(pe, sizeof(pe)), CARRIER_PE);
  pe[0x3f] = 0x20;
  assert_int_equal(identify(pe, sizeof(pe)), CARRIER_NONE);
}

static void tar_by_its_magic(void **state)
{
  (void)state;
  char tar[512] = "package-1.0/PKG-INFO";
  assert_int_equal(identify(tar, sizeof(tar)), CARRIER_NONE);
  memcpy(tar + 257, "ustar\00000", 8);
  assert_int_equal(identify(tar, sizeof(tar)), CARRIER_TAR);
  assert_int_equal(identify(tar, 260), CARRIER_NONE);
}

/* A local header of a zip member with a name and stored data. */
static size_t local_header(char *out, const char *name, const char *data)
{
  memset(out, 0, 30);
  memcpy(out, "PK\003\004", 4);
  out[18] = (char)strlen(data);
  out[26] = (char)strlen(name);
  memcpy(out + 30, name, strlen(name));
  memcpy(out + 30 + strlen(name), data, strlen(data));
  return 30 + strlen(name) + strlen(data);
}

static void conda_package_by_its_members(void **state)
{
  (void)state;
  char zip[512];
  size_t size = local_header(zip, "metadata.json", "{\"conda_pkg_format_version\": 2}");
  assert_int_equal(identify(zip, size), CARRIER_CONDA);
  size = local_header(zip, "pkg-cudatoolkit-11.8.0-0.tar.zst", "");
  assert_int_equal(identify(zip, size), CARRIER_CONDA);
  size = local_header(zip, "metadata.json", "{}");
  assert_int_equal(identify(zip, size), CARRIER_ZIP);
  size += local_header(zip + size, "info-x-1-0.tar.zst", "");
  assert_int_equal(identify(zip, size), CARRIER_CONDA);
  size = local_header(zip, "torch/version.py", "x");
  assert_int_equal(identify(zip, size), CARRIER_ZIP);
}

static enum carrier_type identify_text(const char *text)
{
  size_t size = strlen(text);
  return identify(text, size < CARRIER_HEAD ? size : CARRIER_HEAD);
}

static void ptx_text(void **state)
{
  (void)state;
  assert_int_equal(identify_text("//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.7\n.target sm_90a\n"),
                   CARRIER_PTX);
  assert_int_equal(identify_text("/* a\n * b */ .version 7.0 /* c */\n.target sm_80, debug\n"), CARRIER_PTX);
  assert_int_equal(identify_text(".version 8.7\n\nint main;\n"), CARRIER_NONE);
  assert_int_equal(identify_text(".versioned 8.7\n.target sm_80\n"), CARRIER_NONE);
  assert_int_equal(identify_text("text .version 8.7\n.target sm_80\n"), CARRIER_NONE);
  assert_int_equal(identify_text("// only a comment\n"), CARRIER_NONE);
}

/* The head ends inside the comments, or between the directives. */
static void ptx_text_that_is_cut(void **state)
{
  (void)state;
  static char text[CARRIER_HEAD * 2];
  memset(text, '/', sizeof(text) - 1);
  memcpy(text, "// Generated by LLVM NVPTX Back-End ", 36);
  assert_int_equal(identify_text(text), CARRIER_PTX);
  memcpy(text, "// Licensed to everybody who wants ", 35);
  assert_int_equal(identify_text(text), CARRIER_NONE);
  memcpy(text, ".version 8.0\n", 13);
  assert_int_equal(identify_text(text), CARRIER_PTX);
  text[200] = 0;
  assert_int_equal(identify_text(text), CARRIER_NONE);
}

static void unread_files_have_a_reason(void **state)
{
  (void)state;
  assert_string_equal(carrier_unread_reason(CARRIER_GZIP, "a/torch-2.0.tar.gz"), "sdist or tar archive");
  assert_string_equal(carrier_unread_reason(CARRIER_GZIP, "table.csv.gz"), "gzip-compressed file");
  assert_string_equal(carrier_unread_reason(CARRIER_CONDA, NULL), ".conda package");
  assert_string_equal(carrier_unread_reason(CARRIER_7Z, "x"), "7-Zip archive");
  assert_string_equal(carrier_unread_reason(CARRIER_XZ, "x.TXZ"), "tar archive");
  static const enum carrier_type read[] = {CARRIER_NONE, CARRIER_ELF, CARRIER_PE,  CARRIER_COFF,
                                           CARRIER_AR,   CARRIER_PTX, CARRIER_ZIP, CARRIER_NVVM};
  for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++)
    assert_null(carrier_unread_reason(read[i], "name.tar.gz"));
}

static void noise_is_nothing(void **state)
{
  (void)state;
  uint64_t seed = 1;
  char bytes[512];
  for (int round = 0; round < 20000; round++) {
    for (size_t i = 0; i < sizeof(bytes); i += 4) {
      uint32_t word = testdata_random(&seed);
      memcpy(bytes + i, &word, 4);
    }
    bytes[0] = 'd', bytes[1] = (char)0x86; /* the most common COFF machine */
    assert_int_equal(identify(bytes, sizeof(bytes)), CARRIER_NONE);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corpus_is_told_by_content),
      cmocka_unit_test(magics),
      cmocka_unit_test(elf_machine_and_osabi_make_a_cubin),
      cmocka_unit_test(pe_by_its_dos_header),
      cmocka_unit_test(tar_by_its_magic),
      cmocka_unit_test(conda_package_by_its_members),
      cmocka_unit_test(ptx_text),
      cmocka_unit_test(ptx_text_that_is_cut),
      cmocka_unit_test(unread_files_have_a_reason),
      cmocka_unit_test(noise_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
