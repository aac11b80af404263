/* SPDX-License-Identifier: Apache-2.0 */
#include "image/cubin_notes.h"

#include <stdio.h>
#include <string.h>

#include "image/ptx.h"

/* docs/format.md 4.1 */
enum { NOTE_TKINFO = 2000, NOTE_CUINFO = 1000, CUINFO_VERSION = 2 };

void cubin_toolkit_name(uint32_t times_ten, char out[8])
{
  out[0] = 0;
  if (times_ten >= 10 && times_ten < 1000)
    snprintf(out, 8, "%u.%u", times_ten / 10, times_ten % 10);
}

/* The string that a field of the note's fixed part leads to. */
static struct view note_string(struct view desc, unsigned field)
{
  const uint64_t fixed = 24;
  uint64_t offset = fixed + view_uint(desc, field * (uint64_t)4, 4);
  if (offset >= desc.size)
    return (struct view){NULL, 0};
  struct view rest = view_part(desc, offset, desc.size - offset);
  const uint8_t *nul = memchr(rest.data, 0, rest.size);
  if (nul != NULL)
    rest.size = (size_t)(nul - rest.data);
  return rest;
}

/* The architecture behind "-arch" in a tool's command line. */
static void read_arch(struct view args, struct cubin_facts *out)
{
  static const char option[] = "-arch";
  const size_t length = sizeof option - 1;
  struct view rest = args;
  while (rest.size > length) {
    const uint8_t *found = memmem(rest.data, rest.size, option, length);
    if (found == NULL)
      return;
    size_t at = (size_t)(found - rest.data);
    bool starts = at == 0 || rest.data[at - 1] == ' ' || rest.data[at - 1] == '-';
    rest = view_part(rest, at + length, rest.size - at - length);
    if (!starts || rest.size == 0 || (rest.data[0] != ' ' && rest.data[0] != '='))
      continue;
    struct view value = rest;
    while (value.size > 0 && (value.data[0] == ' ' || value.data[0] == '='))
      value = view_part(value, 1, value.size - 1);
    struct cuw_arch arch;
    if (cuw_arch_parse((const char *)value.data, value.size, &arch) > 0) {
      cuw_arch_name(arch, out->arch_note);
      return;
    }
  }
}

static void read_tkinfo(struct view desc, struct cubin_facts *out)
{
  enum { FIELD_TOOL_VERSION = 3, FIELD_ARGS = 5 };
  if (desc.size < 24)
    return;
  if (out->toolkit[0] == 0) {
    char toolkit[8];
    if (ptx_toolkit(note_string(desc, FIELD_TOOL_VERSION), toolkit))
      memcpy(out->toolkit, toolkit, sizeof toolkit);
  }
  if (out->arch_note[0] == 0)
    read_arch(note_string(desc, FIELD_ARGS), out);
}

static void read_cuinfo(struct view desc, struct cubin_facts *out)
{
  struct cursor c = cursor_at(desc, 0);
  uint16_t version = cursor_u16(&c);
  cursor_u16(&c);
  uint32_t toolkit = cursor_u32(&c);
  if (!c.failed && version == CUINFO_VERSION && out->toolkit[0] == 0)
    cubin_toolkit_name(toolkit, out->toolkit);
}

/* nvlink writes its own note before those of its inputs: the first that tells a fact is the image's own. */
void cubin_notes_read(struct view notes, struct cubin_facts *out)
{
  struct cursor c = cursor_at(notes, 0);
  while (c.at < notes.size) {
    uint64_t name_size = cursor_u32(&c);
    uint64_t desc_size = cursor_u32(&c);
    uint32_t type = cursor_u32(&c);
    uint64_t desc_at = c.at + ((name_size + 3) & ~(uint64_t)3);
    if (c.failed || !range_fits(desc_at, desc_size, notes.size))
      return;
    struct view desc = view_part(notes, desc_at, desc_size);
    if (type == NOTE_TKINFO)
      read_tkinfo(desc, out);
    else if (type == NOTE_CUINFO)
      read_cuinfo(desc, out);
    c = cursor_at(notes, desc_at + ((desc_size + 3) & ~(uint64_t)3));
  }
}
