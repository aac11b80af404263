/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/pe_imports.h"

#include <string.h>

#include "model/builder.h"

#define DESCRIPTORS_MAX 4096u /* libraries in one table; real ones have some tens */
#define NAME_MAX_BYTES 260u   /* MAX_PATH of Windows */

/* One of the two tables: rows until a row without a name. */
struct import_table {
  uint32_t rva;
  uint32_t row_size;
  uint32_t name_at; /* of the name's address in a row */
  bool delayed;
};

/* Adds the name at `rva`; false when no text stands there. */
static bool name_add(struct pe_image *image, struct cuw_library *l, uint64_t rva)
{
  uint64_t at = pe_offset(image, rva);
  struct view v;
  if (at == CUW_NONE || source_view(image->source, at, NAME_MAX_BYTES, &v) != SOURCE_OK)
    return false;
  size_t length = strnlen((const char *)v.data, v.size);
  if (length == 0 || length == v.size)
    return false;
  library_add_needed(l, (const char *)v.data, length);
  return true;
}

/* Delay-load rows of old linkers hold absolute addresses; bit 0 of the attributes tells. */
static uint64_t name_address(const struct pe_image *image, const struct import_table *table, struct view row)
{
  uint64_t address = view_uint(row, table->name_at, 4);
  bool absolute = table->delayed && !(view_uint(row, 0, 4) & 1);
  if (!address || !absolute)
    return address;
  return address >= image->base ? address - image->base : CUW_NONE;
}

static void table_read(struct pe_image *image, struct cuw_library *l, const struct import_table *table)
{
  for (uint64_t i = 0; i < DESCRIPTORS_MAX; i++) {
    uint64_t rva = table->rva + i * table->row_size, at = pe_offset(image, rva);
    struct view row;
    enum source_status status = SOURCE_END;
    if (at != CUW_NONE && pe_offset(image, rva + table->row_size - 1) == at + table->row_size - 1)
      status = source_view(image->source, at, table->row_size, &row);
    if (status != SOURCE_OK || row.size < table->row_size) {
      uint64_t place = at == CUW_NONE || at > image->source->size ? CUW_NONE : at;
      coff_read_problem(image->source, l, status, "import-table-damaged", place,
                        "The table of imported libraries leaves the bytes of its section.");
      return;
    }
    uint64_t name = name_address(image, table, row);
    if (!name)
      return;
    if (!name_add(image, l, name)) {
      library_problem(l, CUW_ERROR, "import-table-damaged", at, NULL,
                      "The name of an imported library does not lie in the file.");
      return;
    }
  }
  library_problem(l, CUW_WARNING, "import-table-damaged", pe_offset(image, table->rva), NULL,
                  "Only the first %u imported libraries are listed.", DESCRIPTORS_MAX);
}

/* A file of debug information alone keeps the headers of sections without their bytes. */
static bool is_stored(const struct pe_image *image, uint32_t rva)
{
  const struct coff_section *section = pe_section_at(image, rva);
  return !section || section->raw_offset;
}

void pe_imports_read(struct pe_image *image, struct cuw_library *l)
{
  struct import_table imports = {image->imports, 20, 12, false};
  struct import_table delayed = {image->delay_imports, 32, 4, true};
  if (imports.rva && is_stored(image, imports.rva))
    table_read(image, l, &imports);
  if (delayed.rva && is_stored(image, delayed.rva))
    table_read(image, l, &delayed);
}
