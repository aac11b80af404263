/* SPDX-License-Identifier: Apache-2.0 */
/* ELF hosts: what they need, where their wrappers point, tables in every form and every kind of damage. */
#include "carrier/elf_headers.h"
#include "carrier/elf_link.h"
#include "carriers.h"
#include "model/builder.h"

static struct job_result read_one(struct view v)
{
  struct job_result r;
  read_plain(v, "lib/x.so", &r);
  assert_int_equal(r.library_count, 1);
  return r;
}

static size_t count_role(const struct cuw_library *l, enum cuw_role role)
{
  size_t count = 0;
  for (size_t i = 0; i < l->image_count; i++)
    count += l->images[i].role == role;
  return count;
}

static bool has_problem(const struct cuw_library *l, const char *code)
{
  for (size_t i = 0; i < l->problem_count; i++)
    if (strcmp(l->problems[i].code, code) == 0)
      return true;
  return false;
}

static uint8_t *bytes_of(struct view v)
{
  return (uint8_t *)(uintptr_t)v.data;
}

static Elf64_Shdr *section_named(struct view v, const char *name)
{
  Elf64_Ehdr *h = (void *)bytes_of(v);
  Elf64_Shdr *s = (void *)(bytes_of(v) + h->e_shoff);
  for (size_t i = 0; i < h->e_shnum; i++)
    if (strcmp((const char *)v.data + s[h->e_shstrndx].sh_offset + s[i].sh_name, name) == 0)
      return &s[i];
  fail_msg("no section %s", name);
  return NULL;
}

static void needed(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_needed.so");
  struct job_result r = read_one(v);
  const struct cuw_library *l = r.libraries[0];
  assert_string_equal(l->machine, "x86_64");
  assert_true(l->has_sections && l->complete);
  assert_true(l->needed_count > 0);
  for (size_t i = 0; i < l->needed_count; i++)
    assert_non_null(strstr(l->needed[i], ".so"));
  job_result_free(&r);

  /* A name that leads outside the file costs that name. */
  Elf64_Shdr *d = section_named(v, ".dynamic");
  Elf64_Dyn *dyn = (void *)(bytes_of(v) + d->sh_offset);
  assert_int_equal(dyn[0].d_tag, DT_NEEDED);
  dyn[0].d_un.d_val = UINT64_MAX - 3;
  struct job_result damaged = read_one(v);
  assert_int_equal(damaged.libraries[0]->problem_count, 1);
  assert_true(has_problem(damaged.libraries[0], "needed-name"));
  assert_false(damaged.libraries[0]->complete);
  assert_true(damaged.libraries[0]->image_count > 0);
  job_result_free(&damaged);
  testdata_free(v);
}

/* Names stand in the order of the table, wherever their bytes are; equal ones once. */
static void needed_order(void **state)
{
  (void)state;
  static const char strings[] = "\0libb.so\0liba.so\0libcudart.so.12";
  struct made m = {0};
  made_elf_begin(&m);
  size_t text = made_add(&m, strings, sizeof strings);
  made_align(&m, 8);
  Elf64_Dyn dyn[] = {{DT_STRTAB, {text}}, {DT_STRSZ, {sizeof strings}},
                     {DT_NEEDED, {17}},   {DT_NEEDED, {1}},
                     {DT_NEEDED, {9}},    {DT_NEEDED, {1}},
                     {DT_NULL, {0}},      {DT_NEEDED, {18}}};
  size_t at = made_add(&m, dyn, sizeof dyn);
  Elf64_Phdr p[2] = {{.p_type = PT_LOAD, .p_filesz = m.size, .p_memsz = m.size},
                     {.p_type = PT_DYNAMIC, .p_offset = at, .p_vaddr = at, .p_filesz = sizeof dyn}};
  size_t table = made_add(&m, p, sizeof p);
  made_elf_end(&m, NULL, 0, m.size);
  Elf64_Ehdr *h = (void *)m.data;
  h->e_phoff = table;
  h->e_phnum = 2;
  struct job_result r = read_one(made_view(&m));
  const struct cuw_library *l = r.libraries[0];
  assert_int_equal(l->needed_count, 3);
  assert_string_equal(l->needed[0], "libcudart.so.12");
  assert_string_equal(l->needed[1], "libb.so");
  assert_string_equal(l->needed[2], "liba.so");
  assert_int_equal(l->problem_count, 0);
  job_result_free(&r);
  made_free(&m);
}

/* The pointers of n130_linked.so stand in place; without them DT_RELA tells the same. */
static void wrappers(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_linked.so");
  struct job_result in_place = read_one(v);
  assert_true(count_role(in_place.libraries[0], CUW_ROLE_LINKED) > 0);
  assert_true(count_role(in_place.libraries[0], CUW_ROLE_RELOCATABLE) > 0);
  Elf64_Shdr *s = section_named(v, ".nvFatBinSegment");
  size_t count = s->sh_size / ELF_WRAPPER_SIZE_64;
  assert_true(count > 1);
  for (size_t i = 0; i < count; i++)
    memset(bytes_of(v) + s->sh_offset + i * ELF_WRAPPER_SIZE_64 + 8, 0, 8);
  struct job_result relocated = read_one(v);
  assert_same_result(&in_place, &relocated);
  job_result_free(&relocated);

  /* Neither: the containers stand in their section all the same, but nothing says which is linked. */
  Elf64_Shdr *rela = section_named(v, ".rela.dyn");
  memset(bytes_of(v) + rela->sh_offset, 0, rela->sh_size);
  struct job_result none = read_one(v);
  assert_int_equal(count_role(none.libraries[0], CUW_ROLE_LINKED), 0);
  assert_int_equal(none.libraries[0]->image_count, in_place.libraries[0]->image_count);
  job_result_free(&none);
  job_result_free(&in_place);
  testdata_free(v);
}

/* Without a section table what a wrapper points to is registered, in place or by relocation. */
static void wrappers_without_sections(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_linked.so");
  Elf64_Shdr s = *section_named(v, ".nvFatBinSegment");
  ((Elf64_Ehdr *)(void *)bytes_of(v))->e_shoff = 0;
  struct job_result a = read_one(v);
  const struct cuw_library *l = a.libraries[0];
  assert_false(l->has_sections);
  assert_true(count_role(l, CUW_ROLE_LINKED) > 0);
  assert_true(count_role(l, CUW_ROLE_REGISTERED) > 0);
  for (size_t i = 0; i < s.sh_size / ELF_WRAPPER_SIZE_64; i++)
    memset(bytes_of(v) + s.sh_offset + i * ELF_WRAPPER_SIZE_64 + 8, 0, 8);
  struct job_result b = read_one(v);
  assert_same_result(&a, &b);
  job_result_free(&a);
  job_result_free(&b);
  testdata_free(v);
}

/* e_shnum 0 and SHN_XINDEX: the numbers stand in section 0. */
static void extended_numbers(void **state)
{
  (void)state;
  static const char *const names[] = {"n130_linked.so", "x_lrodata.so", "n130_dc.o"};
  for (size_t i = 0; i < 3; i++) {
    struct view v = testdata_load(names[i]);
    struct job_result usual = read_one(v);
    Elf64_Ehdr *h = (void *)bytes_of(v);
    Elf64_Shdr *first = (void *)(bytes_of(v) + h->e_shoff);
    first->sh_size = h->e_shnum;
    first->sh_link = h->e_shstrndx;
    h->e_shnum = 0;
    h->e_shstrndx = SHN_XINDEX;
    struct job_result extended = read_one(v);
    assert_same_result(&usual, &extended);
    job_result_free(&extended);
    first->sh_size = UINT64_MAX / 8;
    struct job_result absurd = read_one(v);
    assert_true(has_problem(absurd.libraries[0], "section-table-truncated"));
    assert_false(absurd.libraries[0]->has_sections);
    assert_true(absurd.libraries[0]->image_count >= usual.libraries[0]->image_count);
    job_result_free(&absurd);
    job_result_free(&usual);
    testdata_free(v);
  }
}

/* A small library in every class and byte order; all fields by hand. */
struct field {
  struct made *m;
  bool wide, big;
};

static void field(const struct field *f, uint64_t value, unsigned bytes)
{
  uint8_t b[8];
  for (unsigned i = 0; i < bytes; i++)
    b[f->big ? bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
  made_add(f->m, b, bytes);
}

static void word(const struct field *f, uint64_t value)
{
  field(f, value, f->wide ? 8 : 4);
}

static void section_header(const struct field *f, uint32_t name, uint32_t type, uint64_t flags, uint64_t at,
                           uint64_t size)
{
  field(f, name, 4);
  field(f, type, 4);
  word(f, flags);
  word(f, at);
  word(f, at);
  word(f, size);
  field(f, 0, 4);
  field(f, 0, 4);
  word(f, 8);
  word(f, 0);
}

static void file_header(const struct field *f, unsigned machine, uint64_t programs, uint64_t sections)
{
  const uint8_t ident[EI_NIDENT] = {0x7f, 'E', 'L', 'F', f->wide ? 2 : 1, f->big ? 2 : 1, 1};
  made_add(f->m, ident, sizeof ident);
  field(f, ET_DYN, 2);
  field(f, machine, 2);
  field(f, 1, 4);
  word(f, 0);
  word(f, programs);
  word(f, sections);
  field(f, 0, 4);
  field(f, f->wide ? 64 : 52, 2);
  field(f, f->wide ? 56 : 32, 2);
  field(f, 1, 2);
  field(f, f->wide ? 64 : 40, 2);
  field(f, 4, 2);
  field(f, 3, 2);
}

static void load_header(const struct field *f, uint64_t size)
{
  field(f, PT_LOAD, 4);
  if (f->wide)
    field(f, PF_R, 4);
  word(f, 0);
  word(f, 0x10000);
  word(f, 0x10000);
  word(f, size);
  word(f, size);
  if (!f->wide)
    field(f, PF_R, 4);
  word(f, 4096);
}

/* GPU code is little endian; a wrapper of a big-endian host is not known to exist and none is read. */
static void make_any(struct made *m, bool wide, bool big, unsigned machine)
{
  static const char names[] = "\0.nv_fatbin\0.nvFatBinSegment";
  struct field f = {m, wide, big};
  file_header(&f, machine, 0, 0);
  size_t programs = m->size;
  load_header(&f, 0);
  made_align(m, 8);
  size_t fatbin = m->size;
  made_cubins(m, 2, 64);
  size_t end = m->size;
  uint8_t wrapper[24] = {0xB1, 0x43, 0x62, 0x46, 2};
  put_uint(wrapper + 8, 0x10000 + fatbin, wide ? 8 : 4);
  size_t wrappers_at = made_add(m, wrapper, wide ? 24 : 16);
  size_t loaded = m->size;
  size_t strings = made_add(m, names, sizeof names);
  made_align(m, 8);
  size_t sections = m->size;
  section_header(&f, 0, SHT_NULL, 0, 0, 0);
  section_header(&f, 1, SHT_PROGBITS, SHF_ALLOC, fatbin, end - fatbin);
  section_header(&f, 12, SHT_PROGBITS, SHF_ALLOC, wrappers_at, wide ? 24 : 16);
  section_header(&f, 0, SHT_STRTAB, 0, strings, sizeof names);
  struct made head = {0};
  struct field h = {&head, wide, big};
  file_header(&h, machine, programs, sections);
  load_header(&h, loaded);
  memcpy(m->data, head.data, head.size);
  made_free(&head);
}

static void classes_and_orders(void **state)
{
  (void)state;
  static const struct {
    unsigned machine;
    const char *name;
  } machines[] = {{EM_386, "i386"}, {EM_AARCH64, "aarch64"}, {EM_S390, "s390"}, {0x4321, "machine-17185"}};
  for (unsigned i = 0; i < 4; i++) {
    struct made m = {0};
    make_any(&m, i % 2 != 0, i >= 2, machines[i].machine);
    struct view v = testdata_copy(made_view(&m));
    struct job_result r = read_one(v);
    const struct cuw_library *l = r.libraries[0];
    assert_string_equal(l->machine, machines[i].name);
    assert_int_equal(l->problem_count, 0);
    assert_int_equal(l->image_count, 2);
    assert_string_equal(l->images[0].section, ".nv_fatbin");
    assert_int_equal(l->images[0].role, CUW_ROLE_LINKED);
    job_result_free(&r);
    for (size_t size = 0; size < v.size; size++) {
      struct view cut = testdata_copy((struct view){v.data, size});
      struct job_result c;
      read_plain(cut, "x", &c);
      if (c.library_count > 0)
        assert_true(size < 20 || !c.libraries[0]->complete);
      job_result_free(&c);
      testdata_free(cut);
    }
    testdata_free(v);
    made_free(&m);
  }
}

/* Cut anywhere, a library is incomplete and lists what is whole. */
static void cuts(void **state)
{
  (void)state;
  struct view whole = testdata_load("n130_linked.so");
  const Elf64_Ehdr *h = (const void *)whole.data;
  struct job_result all = read_one(whole);
  for (size_t size = 64; size < whole.size; size += size < 4096 || size + 8192 > whole.size ? 7 : 501) {
    struct view v = testdata_copy((struct view){whole.data, size});
    struct job_result r = read_one(v);
    assert_false(r.libraries[0]->complete);
    assert_true(has_problem(r.libraries[0], "section-table-truncated"));
    size_t there = 0, listed = 0;
    for (size_t i = 0; i < all.libraries[0]->image_count; i++)
      there += all.libraries[0]->images[i].data_offset + all.libraries[0]->images[i].payload_size <= size;
    for (size_t i = 0; i < r.libraries[0]->image_count; i++)
      listed += r.libraries[0]->images[i].has_entry;
    assert_true(listed >= there);
    job_result_free(&r);
    testdata_free(v);
  }
  assert_true(h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize <= whole.size);
  job_result_free(&all);
  testdata_free(whole);
}

static void torture(struct view v)
{
  struct job_result r;
  read_plain(v, "x", &r);
  for (size_t i = 0; i < r.library_count; i++) {
    const struct cuw_library *l = r.libraries[i];
    for (size_t k = 0; k < l->image_count; k++) {
      assert_true(l->images[k].offset < v.size);
      assert_true(range_fits(l->images[k].data_offset, l->images[k].payload_size, v.size));
    }
    for (size_t k = 0; k < l->problem_count; k++)
      assert_true(l->problems[k].offset == CUW_NONE || l->problems[k].offset <= v.size);
  }
  job_result_free(&r);
}

static void tortured(void **state)
{
  (void)state;
  static const char *const names[] = {"n130_linked.so", "n130_needed.so", "n130_dlink.o", "x_cask.so",
                                      "x_barecubin.so"};
  for (size_t i = 0; i < 5; i++)
    testdata_torture(names[i], 200, 1013, 64, 400, torture);
}

/* Bytes of the section table alone: every one in turn. */
static void table_bytes(void **state)
{
  (void)state;
  struct view whole = testdata_load("n130_multi.so");
  const Elf64_Ehdr *h = (const void *)whole.data;
  size_t begin = h->e_shoff, end = begin + (size_t)h->e_shnum * h->e_shentsize;
  static const uint8_t values[] = {0, 0x7f, 0xff};
  for (size_t at = begin; at < end; at++)
    for (size_t k = 0; k < 3; k++) {
      struct view v = testdata_copy(whole);
      bytes_of(v)[at] = values[k];
      torture(v);
      testdata_free(v);
    }
  testdata_free(whole);
}

/* Addresses and offsets, and a search that stays inside the file. */
static void addresses(void **state)
{
  (void)state;
  struct view v = testdata_load("n130_linked.so");
  struct source *s = source_memory(v.data, v.size);
  struct elf_file elf;
  assert_true(elf_file_open(s, &elf));
  size_t loads = 0;
  for (size_t i = 0; i < elf.segment_count; i++) {
    const GElf_Phdr *p = &elf.segments[i];
    if (p->p_type != PT_LOAD)
      continue;
    loads++;
    assert_true(elf_address_offset(&elf, p->p_vaddr) == p->p_offset);
    assert_true(elf_offset_address(&elf, p->p_offset + p->p_filesz - 1) == p->p_vaddr + p->p_filesz - 1);
  }
  assert_true(loads > 1);
  assert_true(elf_address_offset(&elf, UINT64_MAX) == CUW_NONE);
  assert_true(elf_offset_address(&elf, UINT64_MAX) == CUW_NONE);
  elf_file_close(&elf);
  source_close(s);
  testdata_free(v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(needed),
      cmocka_unit_test(needed_order),
      cmocka_unit_test(wrappers),
      cmocka_unit_test(wrappers_without_sections),
      cmocka_unit_test(extended_numbers),
      cmocka_unit_test(classes_and_orders),
      cmocka_unit_test(cuts),
      cmocka_unit_test(tortured),
      cmocka_unit_test(table_bytes),
      cmocka_unit_test(addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
