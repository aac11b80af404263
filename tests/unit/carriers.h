/* SPDX-License-Identifier: Apache-2.0 */
/* Carriers for the tests: read from memory or from a deflated member, made by hand, compared record by record. */
#ifndef UNIT_CARRIERS_H
#define UNIT_CARRIERS_H

#include <elf.h>
#include <zlib.h>

#include "image/fatbin.h"
#include "input/inflate.h"
#include "inspect/job.h"
#include "testdata.h"

/* A growing run of bytes. */
struct made {
  uint8_t *data;
  size_t size, capacity;
};

static inline struct view made_view(const struct made *m)
{
  return (struct view){m->data, m->size};
}

static inline void made_free(struct made *m)
{
  free(m->data);
  *m = (struct made){NULL, 0, 0};
}

/* Appends bytes (NULL: zeros); returns where they begin. */
static inline size_t made_add(struct made *m, const void *bytes, size_t size)
{
  size_t at = m->size;
  if (m->size + size > m->capacity) {
    m->capacity = 2 * (m->size + size);
    m->data = realloc(m->data, m->capacity);
    assert_non_null(m->data);
  }
  if (bytes != NULL && size > 0)
    memcpy(m->data + at, bytes, size);
  else
    memset(m->data + at, 0, size);
  m->size += size;
  return at;
}

static inline void made_align(struct made *m, size_t alignment)
{
  made_add(m, NULL, (alignment - m->size % alignment) % alignment);
}

static inline size_t made_file(struct made *m, const char *name)
{
  struct view v = testdata_load(name);
  size_t at = made_add(m, v.data, v.size);
  testdata_free(v);
  return at;
}

static inline void put_uint(uint8_t *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

/* The entry of a stored cubin for sm_90, its payload not included. */
static inline size_t made_entry(struct made *m, unsigned kind, uint64_t payload)
{
  uint8_t e[FATBIN_ENTRY_SIZE] = {0};
  put_uint(e, kind, 2);
  put_uint(e + 2, 0x101, 2);
  put_uint(e + 4, FATBIN_ENTRY_SIZE, 4);
  put_uint(e + 8, payload, 8);
  put_uint(e + 0x1c, 90, 4);
  put_uint(e + 0x28, 0x11, 8);
  return made_add(m, e, sizeof e);
}

static inline size_t made_container(struct made *m, uint64_t size)
{
  uint8_t c[FATBIN_HEADER_SIZE];
  put_uint(c, FATBIN_MAGIC, 4);
  put_uint(c + 4, 1, 2);
  put_uint(c + 6, FATBIN_HEADER_SIZE, 2);
  put_uint(c + 8, size, 8);
  return made_add(m, c, sizeof c);
}

/* A container of `count` cubins with payloads of zeros. */
static inline size_t made_cubins(struct made *m, unsigned count, uint64_t payload)
{
  size_t at = made_container(m, count * (FATBIN_ENTRY_SIZE + payload));
  for (unsigned i = 0; i < count; i++) {
    made_entry(m, 2, payload);
    made_add(m, NULL, payload);
  }
  return at;
}

/* A section of an ELF library made by made_elf. */
struct made_section {
  const char *name;
  uint64_t flags;
  size_t begin, end; /* in the buffer */
};

/* Starts an ELF64 library: room for its header and one program header. */
static inline void made_elf_begin(struct made *m)
{
  made_add(m, NULL, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
  made_align(m, 4096);
}

/* Ends it: a name table, a section table, a read-only segment that loads `loaded` bytes at address 0. */
static inline void made_elf_end(struct made *m, const struct made_section *sections, size_t count, size_t loaded)
{
  Elf64_Shdr headers[32] = {{0}};
  assert_true(count + 2 <= 32);
  size_t names = made_add(m, "", 1);
  for (size_t i = 0; i < count; i++) {
    size_t name = made_add(m, sections[i].name, strlen(sections[i].name) + 1);
    headers[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)(name - names),
                                  .sh_type = SHT_PROGBITS,
                                  .sh_flags = sections[i].flags,
                                  .sh_addr = sections[i].begin,
                                  .sh_offset = sections[i].begin,
                                  .sh_size = sections[i].end - sections[i].begin,
                                  .sh_addralign = 8};
  }
  headers[count + 1] =
      (Elf64_Shdr){.sh_name = 0, .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = m->size - names};
  made_align(m, 8);
  Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                  .e_type = ET_DYN,
                  .e_machine = EM_X86_64,
                  .e_version = EV_CURRENT,
                  .e_phoff = sizeof h,
                  .e_shoff = m->size,
                  .e_ehsize = sizeof h,
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_phnum = 1,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shnum = (Elf64_Half)(count + 2),
                  .e_shstrndx = (Elf64_Half)(count + 1)};
  Elf64_Phdr p = {.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = loaded, .p_memsz = loaded, .p_align = 4096};
  made_add(m, headers, (count + 2) * sizeof *headers);
  memcpy(m->data, &h, sizeof h);
  memcpy(m->data + sizeof h, &p, sizeof p);
}

/* Raw deflate data of a member, to be freed with testdata_free. */
static inline struct view deflated(struct view plain, int level)
{
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  size_t room = deflateBound(&z, plain.size);
  uint8_t *out = malloc(room);
  assert_non_null(out);
  z.next_in = (uint8_t *)(uintptr_t)plain.data;
  z.avail_in = (uInt)plain.size;
  z.next_out = out;
  z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  struct view v = {out, z.total_out};
  deflateEnd(&z);
  return v;
}

static inline enum source_status read_packed(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                             struct input_error *error)
{
  (void)error;
  const struct view *packed = data;
  *got = packed->size - (size_t)offset < size ? packed->size - (size_t)offset : size;
  memcpy(out, packed->data + offset, *got);
  return SOURCE_OK;
}

static inline uint32_t crc_of(struct view plain)
{
  return (uint32_t)crc32_z(0, plain.data, plain.size);
}

/* `packed` must outlive the source. */
static inline struct source *packed_source(const struct view *packed, uint64_t size, uint32_t crc,
                                           struct inflate_workspace *w)
{
  struct inflate_member m = {{read_packed, (void *)(uintptr_t)packed}, packed->size, size, crc, NULL, false};
  struct source *s = inflate_source(&m, w);
  assert_non_null(s);
  return s;
}

static inline void read_plain(struct view v, const char *path, struct job_result *r)
{
  struct source *s = source_memory(v.data, v.size);
  assert_non_null(s);
  job_read(s, path, NULL, r);
  source_close(s);
}

static inline const char *text_of(const char *text)
{
  return text != NULL ? text : "(null)";
}

static inline void assert_same_image(const struct cuw_image *a, const struct cuw_image *b)
{
  assert_true(a->offset == b->offset);
  assert_true(a->data_offset == b->data_offset);
  assert_true(a->part_offset == b->part_offset);
  assert_true(a->payload_size == b->payload_size);
  assert_true(a->stored_size == b->stored_size);
  assert_true(a->size == b->size);
  assert_true(a->parent_size == b->parent_size);
  assert_true(a->parent_stored == b->parent_stored);
  assert_true(a->flags == b->flags);
  assert_string_equal(text_of(a->section), text_of(b->section));
  assert_string_equal(text_of(a->identifier), text_of(b->identifier));
  assert_string_equal(text_of(a->options), text_of(b->options));
  assert_string_equal(text_of(a->toolkit), text_of(b->toolkit));
  assert_string_equal(text_of(a->arch_note), text_of(b->arch_note));
  assert_int_equal(a->arch.number, b->arch.number);
  assert_int_equal(a->arch.suffix, b->arch.suffix);
  assert_int_equal(a->arch.is_virtual, b->arch.is_virtual);
  assert_int_equal(a->fatbin, b->fatbin);
  assert_int_equal(a->type, b->type);
  assert_int_equal(a->isa_major, b->isa_major);
  assert_int_equal(a->isa_minor, b->isa_minor);
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->role, b->role);
  assert_int_equal(a->compression, b->compression);
  assert_int_equal(a->host, b->host);
  assert_int_equal(a->bits, b->bits);
  assert_int_equal(a->debug, b->debug);
  assert_int_equal(a->has_entry, b->has_entry);
  assert_int_equal(a->has_arch, b->has_arch);
  assert_int_equal(a->suffix_unknown, b->suffix_unknown);
  assert_int_equal(a->relocatable, b->relocatable);
}

static inline void assert_same_problem(const struct cuw_problem *a, const struct cuw_problem *b)
{
  assert_int_equal(a->severity, b->severity);
  assert_string_equal(a->code, b->code);
  assert_string_equal(text_of(a->path), text_of(b->path));
  assert_string_equal(text_of(a->member), text_of(b->member));
  assert_true(a->offset == b->offset);
  assert_string_equal(a->message, b->message);
}

static inline void assert_same_library(const struct cuw_library *a, const struct cuw_library *b)
{
  assert_string_equal(a->path, b->path);
  assert_string_equal(text_of(a->machine), text_of(b->machine));
  assert_int_equal(a->format, b->format);
  assert_true(a->size == b->size);
  assert_int_equal(a->complete, b->complete);
  assert_int_equal(a->has_sections, b->has_sections);
  assert_int_equal(a->fatbins, b->fatbins);
  assert_int_equal(a->static_runtime, b->static_runtime);
  assert_string_equal(text_of(a->cuda), text_of(b->cuda));
  assert_int_equal(a->needed_count, b->needed_count);
  for (size_t i = 0; i < a->needed_count; i++)
    assert_string_equal(a->needed[i], b->needed[i]);
  assert_int_equal(a->image_count, b->image_count);
  for (size_t i = 0; i < a->image_count; i++)
    assert_same_image(&a->images[i], &b->images[i]);
  assert_int_equal(a->problem_count, b->problem_count);
  for (size_t i = 0; i < a->problem_count; i++)
    assert_same_problem(&a->problems[i], &b->problems[i]);
}

static inline void assert_same_result(const struct job_result *a, const struct job_result *b)
{
  assert_int_equal(a->type, b->type);
  assert_int_equal(a->library_count, b->library_count);
  for (size_t i = 0; i < a->library_count; i++)
    assert_same_library(a->libraries[i], b->libraries[i]);
  assert_int_equal(a->faults != NULL, b->faults != NULL);
  if (a->faults != NULL)
    assert_same_library(a->faults, b->faults);
}

#endif
