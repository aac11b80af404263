/* SPDX-License-Identifier: Apache-2.0 */
/* Windows images, PE32 and PE32+ of any machine. Layout: Microsoft, "PE Format"; CUDA's sections: docs/format.md 6. */
#include <stdlib.h>
#include <string.h>

#include "carrier/carrier.h"
#include "carrier/coff.h"
#include "carrier/pe_imports.h"
#include "model/builder.h"

#define DOS_HEADER_SIZE 64u
#define PE_OFFSET_AT 0x3cu
#define FILE_HEADER_SIZE 24u /* with the signature */
#define OPTIONAL_MAGIC_32 0x10Bu
#define OPTIONAL_MAGIC_64 0x20Bu
#define SYMBOL_SIZE 18u
#define WRAPPER_MAGIC 0x466243B1u
#define DIRECTORY_IMPORT 1u
#define DIRECTORY_DELAY_IMPORT 13u

struct pe_header {
  uint16_t machine;
  uint16_t section_count;
  uint64_t section_offset;
  uint64_t strings; /* 0: no symbol table, so no long names */
};

/* Fills `out` from the header at `at` and the directories of `image`. Returns what is wrong, NULL for nothing. */
static const char *headers_read(struct source *s, uint64_t at, struct pe_header *out, struct pe_image *image)
{
  struct view v;
  if (source_view(s, at, FILE_HEADER_SIZE, &v) != SOURCE_OK || v.size < FILE_HEADER_SIZE)
    return "The PE header is cut off.";
  struct cursor c = cursor_at(v, 0);
  if (cursor_u32(&c) != 0x4550)
    return "There is no PE signature where the DOS header points to.";
  out->machine = cursor_u16(&c);
  out->section_count = cursor_u16(&c);
  cursor_u32(&c); /* time */
  uint64_t symbols = cursor_u32(&c), symbol_count = cursor_u32(&c);
  uint16_t optional_size = cursor_u16(&c);
  out->strings = symbols ? symbols + symbol_count * SYMBOL_SIZE : 0;
  out->section_offset = at + FILE_HEADER_SIZE + optional_size;

  struct view optional;
  if (source_view(s, at + FILE_HEADER_SIZE, optional_size, &optional) != SOURCE_OK || optional.size < optional_size)
    return "The optional PE header is cut off.";
  uint64_t magic = view_uint(optional, 0, 2);
  if (magic != OPTIONAL_MAGIC_32 && magic != OPTIONAL_MAGIC_64)
    return "The optional PE header is of an unknown kind.";
  image->is_64 = magic == OPTIONAL_MAGIC_64;
  uint64_t directories = image->is_64 ? 112 : 96;
  if (optional_size < directories)
    return "The optional PE header is too short.";
  image->base = image->is_64 ? view_uint(optional, 24, 8) : view_uint(optional, 28, 4);
  image->headers_size = (uint32_t)view_uint(optional, 60, 4);
  uint64_t count = view_uint(optional, directories - 4, 4);
  if (count > DIRECTORY_IMPORT)
    image->imports = (uint32_t)view_uint(optional, directories + 8 * DIRECTORY_IMPORT, 4);
  if (count > DIRECTORY_DELAY_IMPORT)
    image->delay_imports = (uint32_t)view_uint(optional, directories + 8 * DIRECTORY_DELAY_IMPORT, 4);
  return NULL;
}

uint32_t pe_section_extent(const struct coff_section *section)
{
  bool padded = section->virtual_size && section->virtual_size < section->raw_size;
  return padded ? section->virtual_size : section->raw_size;
}

static int by_address(const void *a, const void *b)
{
  const struct coff_section *x = a, *y = b;
  if (x->virtual_address != y->virtual_address)
    return x->virtual_address < y->virtual_address ? -1 : 1;
  return x->raw_offset < y->raw_offset ? -1 : x->raw_offset > y->raw_offset;
}

const struct coff_section *pe_section_at(const struct pe_image *image, uint64_t rva)
{
  size_t low = 0, high = image->sections.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (image->sections.items[middle].virtual_address <= rva)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &image->sections.items[low - 1] : NULL;
}

uint64_t pe_offset(const struct pe_image *image, uint64_t rva)
{
  const struct coff_section *section = pe_section_at(image, rva);
  if (!section) /* in front of all sections: the headers are mapped as they are */
    return rva < image->headers_size ? rva : CUW_NONE;
  uint64_t into = rva - section->virtual_address;
  return section->raw_offset && into < pe_section_extent(section) ? section->raw_offset + into : CUW_NONE;
}

/* One wrapper (docs/format.md 1.2, 6): its pointer is an absolute address. */
static void wrapper_read(struct pe_image *image, struct cuw_library *l, struct carrier_map *map, struct view v,
                         uint64_t at)
{
  uint64_t address = view_uint(v, 8, image->is_64 ? 8 : 4);
  struct wrapper w = {CUW_NONE, (uint32_t)view_uint(v, 4, 4)};
  if (address >= image->base)
    w.container = pe_offset(image, address - image->base);
  if (w.container == CUW_NONE)
    library_problem(l, CUW_WARNING, "wrapper-unresolved", at, NULL,
                    "A fatbin wrapper points to address 0x%llx, which no section covers.", (unsigned long long)address);
  if (!wrapper_add(&map->wrappers, w))
    coff_read_problem(image->source, l, SOURCE_MEMORY, NULL, at, NULL);
}

/* Wrappers lie back to back, but for what a linker may put between them. */
static void wrappers_read(struct pe_image *image, struct cuw_library *l, struct carrier_map *map,
                          const struct coff_section *section)
{
  uint64_t at = section->raw_offset, end = coff_section_end(image->source, l, section, pe_section_extent(section));
  size_t size = image->is_64 ? 24 : 16, step = image->is_64 ? 8 : 4;
  while (at < end && end - at >= size) {
    uint64_t rest = end - at;
    struct view v;
    enum source_status status = source_view(image->source, at, rest < SOURCE_WINDOW ? (size_t)rest : SOURCE_WINDOW, &v);
    if (status != SOURCE_OK || v.size < size) {
      coff_read_problem(image->source, l, status, "section-truncated", at, "The wrapper section is cut off.");
      return;
    }
    size_t i = 0;
    while (v.size - i >= size) {
      bool is_wrapper = view_uint(v, i, 4) == WRAPPER_MAGIC;
      if (is_wrapper)
        wrapper_read(image, l, map, view_part(v, i, size), at + i);
      i += is_wrapper ? size : step;
    }
    at += i;
  }
}

/* Initialised data that code can read. Left out: what is executable; unwind tables (.pdata, .xdata) and relocations,
 * whose bytes only the system reads; debug information, which is never used at run time. */
static bool holds_data(const struct coff_section *section)
{
  static const char *const skipped[] = {".pdata", ".xdata", ".reloc", ".debug", ".zdebug", ".eh_fram", ".stab", NULL};
  if (section->flags & (COFF_CODE | COFF_EXECUTE))
    return false;
  for (size_t i = 0; skipped[i]; i++) {
    if (!strncmp(section->name, skipped[i], strlen(skipped[i])))
      return false;
  }
  return true;
}

static void map_section(struct pe_image *image, struct cuw_library *l, struct carrier_map *map,
                        const struct coff_section *section)
{
  uint32_t extent = pe_section_extent(section);
  bool bss = (section->flags & (COFF_INITIALISED | COFF_UNINITIALISED | COFF_CODE)) == COFF_UNINITIALISED;
  if (!section->raw_offset || !extent || bss)
    return;
  if (coff_is_fatbin_section(section->name))
    coff_region_add(image->source, l, map, section, extent, REGION_CONTAINERS, CUW_ROLE_REGISTERED);
  else if (coff_is_relocatable_section(section->name))
    coff_region_add(image->source, l, map, section, extent, REGION_CONTAINERS, CUW_ROLE_RELOCATABLE);
  else if (coff_is_wrapper_section(section->name))
    wrappers_read(image, l, map, section);
  else if (holds_data(section))
    coff_region_add(image->source, l, map, section, extent, REGION_SCAN, CUW_ROLE_SELF_LOADED);
  else
    coff_section_end(image->source, l, section, extent);
}

/* Where the PE header starts; CUW_NONE when the file ends before it says so. */
static uint64_t header_offset(struct source *s)
{
  struct view v;
  if (source_view(s, 0, DOS_HEADER_SIZE, &v) != SOURCE_OK || v.size < DOS_HEADER_SIZE)
    return CUW_NONE;
  return view_uint(v, PE_OFFSET_AT, 4);
}

/* Fills image->sections; false where there is no usable section table. */
static bool sections_read(struct source *s, struct cuw_library *l, struct pe_image *image)
{
  struct pe_header h = {0};
  uint64_t at = header_offset(s);
  const char *fault = at == CUW_NONE ? "The DOS header is cut off." : headers_read(s, at, &h, image);
  if (fault) {
    coff_read_problem(s, l, SOURCE_END, "pe-header-damaged", at == CUW_NONE || at > s->size ? PE_OFFSET_AT : at, fault);
    return false;
  }
  l->machine = coff_machine(library_arena(l), h.machine);
  enum source_status status =
      coff_sections_read(s, h.section_offset, h.section_count, h.strings, library_arena(l), &image->sections);
  if (status != SOURCE_OK) {
    coff_read_problem(s, l, status, "section-table-truncated", h.section_offset, "The section table is cut off.");
    return false;
  }
  qsort(image->sections.items, image->sections.count, sizeof(*image->sections.items), by_address);
  return image->sections.count > 0;
}

void pe_map(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  struct pe_image image = {.source = s};
  map->has_sections = sections_read(s, l, &image);
  if (!map->has_sections) {
    coff_scan_whole(s, l, map);
  } else {
    for (size_t i = 0; i < image.sections.count; i++)
      map_section(&image, l, map, &image.sections.items[i]);
    pe_imports_read(&image, l);
  }
  coff_sections_free(&image.sections);
}
