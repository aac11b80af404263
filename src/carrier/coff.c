/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/coff.h"

#include <stdlib.h>
#include <string.h>

#include "carrier/carrier.h"
#include "model/builder.h"

#define HEADER_SIZE 20u
#define BIGOBJ_HEADER_SIZE 56u
#define SYMBOL_SIZE 18u
#define BIGOBJ_SYMBOL_SIZE 20u

/* Class id of the /bigobj header. */
static const uint8_t bigobj_class[16] = {0xC7, 0xA1, 0xBA, 0xD1, 0xEE, 0xBA, 0xA9, 0x4B,
                                         0xAF, 0x20, 0xFA, 0xF6, 0x6A, 0xA4, 0xDC, 0xB8};

struct coff_header {
  uint16_t machine;
  uint32_t section_count;
  uint32_t section_offset;
  uint32_t symbol_offset, symbol_count, symbol_size;
};

static bool header_decode(struct view head, struct coff_header *out)
{
  struct cursor c = cursor_at(head, 0);
  uint16_t first = cursor_u16(&c), second = cursor_u16(&c);
  bool big = first == 0 && second == 0xFFFF;
  if (big) {
    uint16_t version = cursor_u16(&c);
    out->machine = cursor_u16(&c);
    cursor_u32(&c); /* time */
    struct view class_id = view_part(head, c.at, sizeof(bigobj_class));
    if (version < 2 || !class_id.data || memcmp(class_id.data, bigobj_class, sizeof(bigobj_class)) != 0)
      return false;
    c = cursor_at(head, 44);
    out->section_count = cursor_u32(&c);
    out->symbol_offset = cursor_u32(&c);
    out->symbol_count = cursor_u32(&c);
    out->symbol_size = BIGOBJ_SYMBOL_SIZE;
    out->section_offset = BIGOBJ_HEADER_SIZE;
    return !c.failed;
  }
  out->machine = first;
  out->section_count = second;
  cursor_u32(&c); /* time */
  out->symbol_offset = cursor_u32(&c);
  out->symbol_count = cursor_u32(&c);
  out->symbol_size = SYMBOL_SIZE;
  out->section_offset = HEADER_SIZE + cursor_u16(&c);
  cursor_u16(&c); /* characteristics */
  return !c.failed;
}

struct machine_name {
  uint16_t machine;
  const char *name;
};

static const struct machine_name machines[] = {
    {0x8664, "x86_64"}, {0xAA64, "aarch64"}, {0x014C, "i386"}, {0x01C4, "arm"}, {0xA641, "arm64ec"}, {0xA64E, "arm64x"},
};

static const char *machine_name(uint16_t machine)
{
  for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
    if (machines[i].machine == machine)
      return machines[i].name;
  }
  return NULL;
}

const char *coff_machine(struct arena *a, uint16_t machine)
{
  const char *name = machine_name(machine);
  return name ? name : arena_printf(a, "machine-0x%04x", machine);
}

/* A section header of an object: a printable name and raw data behind the section table. */
static bool section_is_sane(struct view header, uint64_t table_end)
{
  size_t length = 0;
  while (length < 8 && header.data[length])
    length++;
  for (size_t i = 0; i < 8; i++) {
    uint8_t ch = header.data[i];
    if (i < length ? ch < 0x20 || ch > 0x7E : ch != 0)
      return false;
  }
  uint64_t raw_offset = view_uint(header, 20, 4);
  return length > 0 && (raw_offset == 0 || raw_offset >= table_end);
}

bool coff_is_object(struct view head)
{
  struct coff_header h;
  if (!header_decode(head, &h) || !machine_name(h.machine) || h.section_count == 0)
    return false;
  bool big = h.symbol_size == BIGOBJ_SYMBOL_SIZE;
  if (!big && (h.section_count >= 0xFF00 || h.section_offset != HEADER_SIZE))
    return false;
  uint64_t table_end = h.section_offset + (uint64_t)h.section_count * COFF_SECTION_SIZE;
  if (h.symbol_offset ? h.symbol_offset < table_end : h.symbol_count != 0)
    return false;
  for (uint32_t i = 0; i < h.section_count; i++) {
    struct view header = view_part(head, h.section_offset + (uint64_t)i * COFF_SECTION_SIZE, COFF_SECTION_SIZE);
    if (!header.data)
      return i > 0;
    if (!section_is_sane(header, table_end))
      return false;
  }
  return true;
}

/* Offset in the string table behind "/1234" (decimal) or "//AAAAAA" (base 64, for tables over 9,999,999 bytes). */
static bool long_name_offset(const char name[9], uint64_t *offset)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (name[0] != '/' || !name[1])
    return false;
  bool base64 = name[1] == '/';
  uint64_t value = 0;
  for (const char *p = name + (base64 ? 2 : 1); *p; p++) {
    const char *digit = strchr(digits, *p);
    if (!digit || (!base64 && (*p < '0' || *p > '9')))
      return false;
    value = base64 ? value * 64 + (uint64_t)(digit - digits) : value * 10 + (uint64_t)(*p - '0');
  }
  *offset = value;
  return value >= 4;
}

static const char *section_name(struct source *s, uint64_t strings, const char stored[9], struct arena *a)
{
  uint64_t offset;
  struct view v;
  if (strings && long_name_offset(stored, &offset) && source_view(s, strings, 4, &v) == SOURCE_OK && v.size == 4) {
    uint64_t table_size = view_uint(v, 0, 4);
    if (offset < table_size && source_view(s, strings + offset, COFF_NAME_MAX + 1, &v) == SOURCE_OK) {
      size_t room = table_size - offset < v.size ? (size_t)(table_size - offset) : v.size;
      size_t length = strnlen((const char *)v.data, room < COFF_NAME_MAX ? room : COFF_NAME_MAX);
      if (length)
        return arena_intern(a, (const char *)v.data, length);
    }
  }
  return arena_intern(a, stored, strlen(stored));
}

static void section_decode(struct view header, struct coff_section *out)
{
  struct cursor c = cursor_at(header, 0);
  for (size_t i = 0; i < 8; i++)
    out->stored_name[i] = (char)cursor_u8(&c);
  out->stored_name[8] = 0;
  out->virtual_size = cursor_u32(&c);
  out->virtual_address = cursor_u32(&c);
  out->raw_size = cursor_u32(&c);
  out->raw_offset = cursor_u32(&c);
  c = cursor_at(header, 36);
  out->flags = cursor_u32(&c);
}

enum source_status coff_sections_read(struct source *s, uint64_t at, uint32_t declared, uint64_t strings,
                                      struct arena *a, struct coff_sections *out)
{
  uint64_t room = at < s->size ? (s->size - at) / COFF_SECTION_SIZE : 0;
  size_t count = declared < room ? declared : (size_t)room;
  out->items = calloc(count ? count : 1, sizeof(*out->items));
  if (!out->items)
    return SOURCE_MEMORY;
  enum source_status status = count < declared ? SOURCE_END : SOURCE_OK;
  for (out->count = 0; out->count < count; out->count++) {
    struct view v;
    enum source_status read = source_view(s, at + out->count * COFF_SECTION_SIZE, COFF_SECTION_SIZE, &v);
    if (read != SOURCE_OK || v.size < COFF_SECTION_SIZE) {
      status = read == SOURCE_OK ? SOURCE_END : read;
      break;
    }
    section_decode(v, &out->items[out->count]);
  }
  /* The string table stands behind the sections: a second round spares the way back and forth. */
  for (size_t i = 0; i < out->count; i++) {
    out->items[i].name = section_name(s, strings, out->items[i].stored_name, a);
    if (!out->items[i].name)
      return SOURCE_MEMORY;
  }
  return status;
}

void coff_sections_free(struct coff_sections *sections)
{
  free(sections->items);
  *sections = (struct coff_sections){NULL, 0};
}

bool coff_is_fatbin_section(const char *name)
{
  return !strcmp(name, ".nv_fatb") || !strcmp(name, ".nv_fatbin");
}

bool coff_is_relocatable_section(const char *name)
{
  return !strcmp(name, "__nv_rel") || !strcmp(name, "__nv_relfatbin");
}

bool coff_is_wrapper_section(const char *name)
{
  return !strcmp(name, ".nvFatBi") || !strcmp(name, ".nvFatBinSegment");
}

void coff_read_problem(struct source *s, struct cuw_library *l, enum source_status status, const char *code,
                       uint64_t offset, const char *what)
{
  if (status == SOURCE_MEMORY)
    library_problem(l, CUW_ERROR, "out-of-memory", offset, NULL, "Memory ran out while the headers were read.");
  else if ((status == SOURCE_IO || status == SOURCE_DAMAGED) && s->error_code)
    library_problem(l, CUW_ERROR, s->error_code, s->error_offset, NULL, "%s", s->error_text ? s->error_text : what);
  else
    library_problem(l, CUW_ERROR, code, offset, NULL, "%s", what);
}

uint64_t coff_section_end(struct source *s, struct cuw_library *l, const struct coff_section *section, uint32_t extent)
{
  uint64_t begin = section->raw_offset, end = begin + extent;
  if (end <= s->size)
    return end;
  uint64_t there = begin < s->size ? s->size - begin : 0;
  library_problem(l, CUW_ERROR, "section-truncated", begin < s->size ? begin : s->size, NULL,
                  "Section %s has %lu bytes, the file holds %lu of them.", section->name, (unsigned long)extent,
                  (unsigned long)there);
  return s->size;
}

void coff_region_add(struct source *s, struct cuw_library *l, struct carrier_map *map,
                     const struct coff_section *section, uint32_t extent, enum region_mode mode, enum cuw_role role)
{
  uint64_t end = coff_section_end(s, l, section, extent);
  struct region r = {section->raw_offset, end, section->name, mode, role};
  if (!region_add(&map->regions, r))
    library_problem(l, CUW_ERROR, "too-many-sections", r.begin, NULL,
                    "Section %s is left out: there are too many sections out of order.", section->name);
}

void coff_scan_whole(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  map->has_sections = false;
  struct region r = {0, s->size, NULL, REGION_SCAN, map->link_time ? CUW_ROLE_LINK_TIME : CUW_ROLE_SELF_LOADED};
  if (!region_add(&map->regions, r))
    coff_read_problem(s, l, SOURCE_MEMORY, NULL, 0, NULL);
}

/* Initialised data of an object, but for debug information, unwind tables and notes to the linker. */
static bool holds_data(const struct coff_section *section)
{
  if (!(section->flags & COFF_INITIALISED) ||
      section->flags & (COFF_CODE | COFF_EXECUTE | COFF_LINK_INFO | COFF_LINK_REMOVE))
    return false;
  return strncmp(section->name, ".debug", 6) != 0 && strncmp(section->name, ".pdata", 6) != 0 &&
         strncmp(section->name, ".xdata", 6) != 0;
}

static void map_section(struct source *s, struct cuw_library *l, struct carrier_map *map,
                        const struct coff_section *section)
{
  bool stored = section->raw_offset && section->raw_size && !(section->flags & COFF_UNINITIALISED);
  if (!stored)
    return;
  bool containers = coff_is_fatbin_section(section->name) || coff_is_relocatable_section(section->name);
  if (containers || holds_data(section))
    coff_region_add(s, l, map, section, section->raw_size, containers ? REGION_CONTAINERS : REGION_SCAN,
                    CUW_ROLE_LINK_TIME);
  else
    coff_section_end(s, l, section, section->raw_size);
}

void coff_map(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  struct view head;
  struct coff_header h;
  map->link_time = true;
  enum source_status status = source_view(s, 0, BIGOBJ_HEADER_SIZE, &head);
  if (status != SOURCE_OK || !header_decode(head, &h)) {
    coff_read_problem(s, l, status, "coff-header-truncated", 0, "The header of this COFF object is cut off.");
    coff_scan_whole(s, l, map);
    return;
  }
  l->machine = coff_machine(library_arena(l), h.machine);
  uint64_t strings = h.symbol_offset ? h.symbol_offset + (uint64_t)h.symbol_count * h.symbol_size : 0;
  struct coff_sections sections = {NULL, 0};
  status = coff_sections_read(s, h.section_offset, h.section_count, strings, library_arena(l), &sections);
  if (status != SOURCE_OK) {
    coff_read_problem(s, l, status, "section-table-truncated", h.section_offset, "The section table is cut off.");
    coff_scan_whole(s, l, map);
  } else {
    map->has_sections = true;
    for (size_t i = 0; i < sections.count; i++)
      map_section(s, l, map, &sections.items[i]);
  }
  coff_sections_free(&sections);
}
