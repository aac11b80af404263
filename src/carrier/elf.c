/* SPDX-License-Identifier: Apache-2.0 */
/* ELF host files: which parts hold GPU code, what is registered, what is linked. */
#include <stdlib.h>
#include <string.h>

#include "carrier/carrier.h"
#include "carrier/elf_headers.h"
#include "carrier/elf_link.h"
#include "model/builder.h"

#define SECTION_NAME_MAX 256

/* Tables of the dynamic linker and the unwinder: allocated, yet never GPU code (docs/format.md 7). */
static bool is_unwind_table(const char *name)
{
  static const char *const names[] = {".eh_frame", ".eh_frame_hdr", ".gcc_except_table", ".ARM.exidx", ".ARM.extab"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return strncmp(name, ".gcc_except_table.", 18) == 0;
}

static bool is_linker_table(const GElf_Shdr *h)
{
  switch (h->sh_type) {
  case SHT_NULL:
  case SHT_NOBITS:
  case SHT_SYMTAB:
  case SHT_STRTAB:
  case SHT_RELA:
  case SHT_REL:
  case SHT_HASH:
  case SHT_DYNAMIC:
  case SHT_DYNSYM:
  case SHT_GROUP:
  case SHT_SYMTAB_SHNDX:
  case SHT_GNU_HASH:
  case SHT_GNU_verdef:
  case SHT_GNU_verneed:
  case SHT_GNU_versym:
    return true;
  default:
    return false;
  }
}

enum section_use { USE_NOTHING, USE_REGION, USE_WRAPPERS };

/* What a section is to us; for USE_REGION mode and role are set. */
static enum section_use section_use(const GElf_Shdr *h, const char *name, struct region *r)
{
  r->mode = REGION_CONTAINERS;
  if (h->sh_type == SHT_NOBITS)
    return USE_NOTHING;
  if (strcmp(name, ".nv_fatbin") == 0) {
    r->role = CUW_ROLE_REGISTERED;
    return USE_REGION;
  }
  if (strcmp(name, "__nv_relfatbin") == 0) {
    r->role = CUW_ROLE_RELOCATABLE;
    return USE_REGION;
  }
  if (strcmp(name, ".nvFatBinSegment") == 0)
    return USE_WRAPPERS;
  if (!(h->sh_flags & SHF_ALLOC) || (h->sh_flags & SHF_EXECINSTR) || is_linker_table(h) || is_unwind_table(name))
    return USE_NOTHING;
  r->mode = REGION_SCAN;
  r->role = CUW_ROLE_SELF_LOADED;
  return USE_REGION;
}

static void add_region(struct source *s, struct cuw_library *l, struct carrier_map *map, const GElf_Shdr *h,
                       const char *name, struct region r)
{
  if (h->sh_size == 0)
    return;
  r.begin = h->sh_offset;
  r.end = h->sh_offset + h->sh_size;
  if (!range_fits(h->sh_offset, h->sh_size, s->size)) {
    library_problem(l, CUW_ERROR, "section-truncated", h->sh_offset < s->size ? h->sh_offset : s->size, NULL,
                    "section %s runs past the end of the file", name);
    if (h->sh_offset >= s->size)
      return;
    r.end = s->size;
  }
  r.section = arena_intern(library_arena(l), name, strlen(name));
  if (!region_add(&map->regions, r))
    library_problem(l, CUW_ERROR, "out-of-memory", r.begin, NULL, "no memory to note section %s", name);
}

/* Containers before data, so that a hostile table in which they overlap does not hide a known section. */
static void map_sections(struct elf_file *elf, struct cuw_library *l, struct carrier_map *map, enum region_mode mode,
                         struct region *wrappers)
{
  for (uint64_t i = 1; i < elf->section_count; i++) {
    GElf_Shdr h;
    char name[SECTION_NAME_MAX];
    if (!elf_section(elf, i, &h)) {
      library_problem(l, CUW_ERROR, "section-table-unreadable", elf->header.e_shoff, NULL,
                      "section header %llu cannot be read", (unsigned long long)i);
      return;
    }
    if (h.sh_type == SHT_NULL || h.sh_type == SHT_NOBITS)
      continue;
    elf_section_name(elf, &h, name, sizeof name);
    struct region r = {0};
    enum section_use use = section_use(&h, name, &r);
    if (use == USE_REGION && r.mode == mode)
      add_region(elf->source, l, map, &h, name, r);
    else if (use == USE_WRAPPERS && mode == REGION_CONTAINERS && range_fits(h.sh_offset, h.sh_size, elf->source->size))
      *wrappers = (struct region){.begin = h.sh_offset, .end = h.sh_offset + h.sh_size};
  }
}

static void map_without_sections(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  map->has_sections = false;
  struct region whole = {.begin = 0, .end = s->size, .mode = REGION_SCAN, .role = CUW_ROLE_SELF_LOADED};
  if (s->size > 0 && !region_add(&map->regions, whole))
    library_problem(l, CUW_ERROR, "out-of-memory", 0, NULL, "no memory to note the file's range");
}

static void read_wrapper_section(struct elf_file *elf, struct carrier_map *map, struct region section)
{
  uint64_t record = elf->elf_class == ELFCLASS64 ? ELF_WRAPPER_SIZE_64 : ELF_WRAPPER_SIZE_32;
  uint64_t count = (section.end - section.begin) / record;
  if (count == 0 || count > ELF_WRAPPERS_MAX)
    return;
  uint64_t *places = calloc(count, sizeof *places);
  if (!places)
    return;
  for (uint64_t i = 0; i < count; i++)
    places[i] = section.begin + i * record;
  elf_read_wrappers(elf, places, count, &map->wrappers);
  free(places);
}

void elf_map(struct source *s, struct cuw_library *l, struct carrier_map *map)
{
  struct elf_file elf;
  bool truncated = false;
  if (!elf_file_open(s, &elf)) {
    library_problem(l, CUW_ERROR, "elf-header", 0, NULL, "the ELF header is cut or makes no sense");
    map_without_sections(s, l, map);
    return;
  }
  const char *machine = elf_machine_name(elf.header.e_machine);
  struct arena *a = library_arena(l);
  l->machine = machine ? machine : arena_printf(a, "machine-%u", (unsigned)elf.header.e_machine);
  map->link_time = elf.header.e_type == ET_REL;
  map->has_sections = elf_find_sections(&elf, &truncated);
  if (truncated)
    library_problem(
        l, CUW_ERROR, "section-table-truncated", elf.header.e_shoff < s->size ? elf.header.e_shoff : s->size,
        "the file may be cut; it was scanned from end to end", "the section header table does not lie inside the file");
  if (map->has_sections) {
    struct region wrappers = {0};
    map_sections(&elf, l, map, REGION_CONTAINERS, &wrappers);
    map_sections(&elf, l, map, REGION_SCAN, &wrappers);
    if (!map->link_time && wrappers.end)
      read_wrapper_section(&elf, map, wrappers);
  } else {
    map_without_sections(s, l, map);
  }
  l->has_sections = map->has_sections;
  elf_read_needed(&elf, l);
  elf_file_close(&elf);
}
