/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ENTRY = 64, LZ4 = 0x2000, ZSTD = 0x8000, FLAG_A = 0x100000, FLAG_F = 0x200000, FLAG_NEWER = 0x1000000 };
#define SIZE_LIMIT ((uint64_t)1 << 28)

static uint64_t get(const unsigned char *p, int bytes)
{
  uint64_t value = 0;
  memcpy(&value, p, (size_t)bytes); /* little endian, as the GPUs' hosts are */
  return value;
}

/* Attribute 9 of .nv.compat is 1: for this chip alone. -1: there is no such attribute. */
static int compat_accelerated(const unsigned char *b, size_t size)
{
  uint64_t at = get(b + 40, 8), count = get(b + 60, 2);
  for (uint64_t i = 0; i < count && at + (i + 1) * sizeof(Elf64_Shdr) <= size; i++) {
    const unsigned char *section = b + at + i * sizeof(Elf64_Shdr);
    uint64_t begin = get(section + 24, 8), length = get(section + 32, 8);
    if (get(section + 4, 4) != 0x70000086 || begin > size || length > size - begin)
      continue;
    for (uint64_t k = 0; k + 4 <= length; k += b[begin + k] == 4 ? 4 + get(b + begin + k + 2, 2) : 4)
      if (b[begin + k + 1] == 9)
        return get(b + begin + k + 2, 2) == 1;
  }
  return -1;
}

static bool cubin_number(const unsigned char *b, size_t size, struct code *c)
{
  if (size < sizeof(Elf64_Ehdr) || memcmp(b, ELFMAG, SELFMAG) != 0)
    return false;
  unsigned flags = (unsigned)get(b + 48, 4);
  bool new_layout = b[7] == 0x41;
  c->number = new_layout ? (int)(flags >> 8 & 0xffff) : (int)(flags & 0xff);
  c->relocatable = get(b + 16, 2) == ET_REL;
  int accelerated = new_layout ? compat_accelerated(b, size) : -1;
  if (accelerated < 0)
    accelerated = new_layout ? flags & 8 : flags & 0x800 && c->number >= 90;
  c->suffix = accelerated ? 'a' : 0;
  return true;
}

static bool ptx_head(struct code *c)
{
  const char *text = (const char *)c->bytes, *at = strstr(text, ".version");
  int major, minor, used = 0;
  if (!at || sscanf(at, ".version %d.%d", &major, &minor) != 2)
    return false;
  at = strstr(at, ".target");
  if (!at)
    return false;
  if (sscanf(at, ".target sm_%d%n", &c->number, &used) != 1 &&
      sscanf(at, ".target compute_%d%n", &c->number, &used) != 1)
    return false;
  c->isa = major * 10 + minor;
  c->suffix = at[used] == 'a' || at[used] == 'f' ? at[used] : 0;
  c->is_ptx = true;
  return true;
}

/* A copy of `size` bytes that come out of `stored`; NULL: they do not. */
static unsigned char *unpack(const unsigned char *stored, uint64_t stored_size, uint64_t size, uint64_t flags)
{
  if (size > SIZE_LIMIT || stored_size > SIZE_LIMIT)
    return NULL;
  unsigned char *out = calloc(size + 1, 1);
  bool good = out != NULL;
  if (good && flags & LZ4)
    good = LZ4_decompress_safe((const char *)stored, (char *)out, (int)stored_size, (int)size) == (int)size;
  else if (good && flags & ZSTD)
    good = ZSTD_decompress(out, size, stored, stored_size) == size;
  else if (good)
    memcpy(out, stored, size);
  if (good)
    return out;
  free(out);
  return NULL;
}

static bool add_code(struct code **codes, int *count, const unsigned char *entry, unsigned char *bytes, uint64_t size)
{
  uint64_t flags = get(entry + 0x28, 8);
  unsigned kind = (unsigned)get(entry, 2);
  struct code c = {.bytes = bytes, .size = size};
  bool ptx = kind == 1 || kind == 0x40, cubin = kind == 2 || kind == 0x10;
  bool good = bytes && (ptx ? ptx_head(&c) : cubin ? cubin_number(bytes, size, &c) : true);
  struct code *more = good && (ptx || cubin) ? realloc(*codes, (size_t)(*count + 1) * sizeof c) : NULL;
  if (!more) {
    free(bytes);
    return good;
  }
  c.number = (int)get(entry + 0x1c, 4);
  c.suffix = flags & FLAG_A ? 'a' : flags & FLAG_F ? 'f' : 0;
  c.newer = (flags & FLAG_NEWER) != 0;
  *codes = more;
  more[(*count)++] = c;
  return true;
}

static bool read_concatenation(const unsigned char *entry, const unsigned char *whole, uint64_t size,
                               struct code **codes, int *count)
{
  const unsigned char *table = entry + get(entry + 0x14, 4), *at = table + 8;
  unsigned sub_count = (unsigned)get(table, 4);
  for (unsigned i = 0; i < sub_count; i++) {
    uint64_t begin = get(at + 4, 4), length = get(at + 8, 8), extent = ENTRY;
    if (begin > size || length > size - begin)
      return false;
    unsigned char *copy = calloc(length + 1, 1);
    if (!copy)
      return false;
    memcpy(copy, whole + begin, length);
    if (!add_code(codes, count, at, copy, length))
      return false;
    uint64_t extras = get(at + 0x14, 4), name = get(at + 0x20, 4);
    if (name)
      extent = name + (get(at + 0x24, 4) / 8 + 1) * 8;
    if (extras)
      extent = (get(at + extras, 4) + 1 + get(at + extras + 4, 4) + 7) / 8 * 8;
    at += extent;
  }
  return true;
}

static bool read_entry(const unsigned char *entry, struct code **codes, int *count)
{
  uint64_t flags = get(entry + 0x28, 8), stored = get(entry + 0x10, 4), size = get(entry + 0x38, 8);
  const unsigned char *payload = entry + get(entry + 4, 4);
  if (!(flags & (LZ4 | ZSTD)))
    size = get(entry + 8, 8);
  if (get(entry, 2) != 0x100 && get(entry, 2) != 1 && get(entry, 2) != 2 && get(entry, 2) != 0x10 &&
      get(entry, 2) != 0x40)
    return true;
  unsigned char *bytes = unpack(payload, stored, size, flags);
  if (!bytes)
    return false;
  if (get(entry, 2) != 0x100)
    return add_code(codes, count, entry, bytes, size);
  bool good = read_concatenation(entry, bytes, size, codes, count);
  free(bytes);
  return good;
}

static bool read_container(const unsigned char *b, struct code **codes, int *count)
{
  uint64_t end = 16 + get(b + 8, 8), at = 16;
  while (at < end) {
    if (end - at < ENTRY || get(b + at + 4, 4) < ENTRY || get(b + at + 4, 4) + get(b + at + 8, 8) > end - at)
      return false;
    if (!read_entry(b + at, codes, count))
      return false;
    at += get(b + at + 4, 4) + get(b + at + 8, 8);
  }
  return true;
}

/* The extent of a cubin by its own tables: a driver is not told the size. */
static size_t cubin_size(const unsigned char *b)
{
  uint64_t sections = get(b + 40, 8) + get(b + 60, 2) * sizeof(Elf64_Shdr);
  uint64_t programs = get(b + 32, 8) + get(b + 56, 2) * sizeof(Elf64_Phdr);
  uint64_t size = sections > programs ? sections : programs;
  return size < SIZE_LIMIT ? (size_t)size : 0;
}

int codes_read(const void *data, struct code **out)
{
  const unsigned char *b = data;
  int count = 0;
  *out = NULL;
  if (get(b, 4) == 0xBA55ED50u) {
    if (read_container(b, out, &count))
      return count;
    codes_free(*out, count);
    return -1;
  }
  bool elf = memcmp(b, ELFMAG, SELFMAG) == 0;
  size_t size = elf ? cubin_size(b) : strlen((const char *)b);
  struct code c = {.bytes = unpack(b, size, size, 0), .size = size};
  bool good = c.bytes && (elf ? cubin_number(c.bytes, size, &c) : ptx_head(&c));
  *out = good ? malloc(sizeof c) : NULL;
  if (!*out) {
    free(c.bytes);
    return -1;
  }
  **out = c;
  return 1;
}

void codes_free(struct code *codes, int count)
{
  for (int i = 0; i < count; i++)
    free(codes[i].bytes);
  free(codes);
}

void code_name(const struct code *c, char out[24])
{
  char suffix[2] = {c->suffix, 0};
  snprintf(out, 24, "%s_%d%s", c->is_ptx ? "compute" : "sm", c->number, suffix);
}

/* Copies names into one block and lists them. */
struct name_list {
  char **items;
  int count;
};

static bool add_name(struct name_list *l, const char *name, size_t length)
{
  char **more = realloc(l->items, (size_t)(l->count + 2) * sizeof *more);
  if (!more)
    return false;
  l->items = more;
  more[l->count] = strndup(name, length);
  more[++l->count] = NULL;
  return true;
}

static void ptx_kernels(const struct code *c, struct name_list *l)
{
  for (const char *at = (const char *)c->bytes; (at = strstr(at, ".entry"));) {
    at += 6;
    at += strspn(at, " \t\n");
    add_name(l, at, strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%"));
  }
}

/* Nothing in a cubin has to be aligned. */
static bool cubin_kernels(const struct code *c, struct name_list *l)
{
  const unsigned char *b = c->bytes;
  uint64_t table = c->size < sizeof(Elf64_Ehdr) ? UINT64_MAX : get(b + 40, 8),
           count = table > c->size ? 0 : get(b + 60, 2);
  if (table > c->size || count * sizeof(Elf64_Shdr) > c->size - table)
    return false;
  for (uint64_t i = 0; i < count; i++) {
    const unsigned char *s = b + table + i * sizeof(Elf64_Shdr);
    uint64_t begin = get(s + 24, 8), size = get(s + 32, 8), link = get(s + 40, 4);
    if (get(s + 4, 4) != SHT_SYMTAB || link >= count || begin > c->size || size > c->size - begin)
      continue;
    const char *strings = (const char *)b + get(b + table + link * sizeof(Elf64_Shdr) + 24, 8);
    for (const unsigned char *k = b + begin; k < b + begin + size; k += sizeof(Elf64_Sym)) {
      const char *name = strings + get(k, 4);
      if (ELF64_ST_TYPE(k[4]) == STT_FUNC && k[5] & 0x10 && get(k + 6, 2))
        add_name(l, name, strlen(name));
    }
  }
  return true;
}

char **code_kernels(const struct code *c, int *count)
{
  struct name_list l = {calloc(1, sizeof(char *)), 0};
  if (c->is_ptx)
    ptx_kernels(c, &l);
  else if (!cubin_kernels(c, &l)) {
    free(l.items);
    return NULL;
  }
  *count = l.count;
  return l.items;
}
