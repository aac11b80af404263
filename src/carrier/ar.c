/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of objects: GNU, BSD and COFF. All share the 60-byte member header; they differ in where long names stand:
 * GNU and COFF in a member "//" (ended by "/\n" or by NUL), BSD behind the header ("#1/LENGTH"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carrier/carrier.h"

#define MAGIC_SIZE 8u
#define HEADER_SIZE 60u
#define NAME_SIZE 16u
#define NAME_MAX_BYTES 4096u             /* longer names are cut */
#define NAMES_KEPT_MAX ((size_t)4 << 20) /* of the name table; what lies behind is read when it is needed */

/* How often a name was seen. Names are told apart by their hash: a collision would only number a name. */
struct seen {
  uint64_t hash;
  uint32_t count; /* 0: free */
};

struct walk {
  struct source *source;
  const struct ar_visitor *visitor;
  uint64_t names, names_size; /* the member "//" */
  uint8_t *kept;              /* its first bytes */
  size_t kept_size;
  struct seen *seen;
  size_t seen_count, seen_room; /* room: a power of two */
  char name[NAME_MAX_BYTES + 16];
};

struct member {
  char field[NAME_SIZE + 1]; /* the name as stored, without the blanks behind it */
  uint64_t at;               /* of its header */
  uint64_t data, size;       /* as declared, a BSD name aside */
};

static void fault(struct walk *w, const char *code, uint64_t offset, const char *message)
{
  w->visitor->fault(w->visitor->data, code, offset, message);
}

static void read_fault(struct walk *w, enum source_status status, uint64_t offset)
{
  if (status == SOURCE_MEMORY)
    fault(w, "out-of-memory", offset, "Memory ran out while the archive was read.");
  else if ((status == SOURCE_IO || status == SOURCE_DAMAGED) && w->source->error_code)
    fault(w, w->source->error_code, w->source->error_offset, w->source->error_text);
  else
    fault(w, "archive-member-header", offset, "The archive ends inside the header of a member.");
}

/* A number in a field of a member header: digits, then blanks. */
static bool decimal(const uint8_t *field, size_t length, uint64_t *out)
{
  uint64_t value = 0;
  size_t i = 0;
  for (; i < length && field[i] >= '0' && field[i] <= '9'; i++)
    value = value * 10 + (uint64_t)(field[i] - '0');
  *out = value;
  if (i == 0)
    return false;
  for (; i < length; i++) {
    if (field[i] != ' ')
      return false;
  }
  return true;
}

static bool header_decode(struct view v, uint64_t at, struct member *m)
{
  if (v.data[58] != '`' || v.data[59] != '\n' || !decimal(v.data + 48, 10, &m->size))
    return false;
  memcpy(m->field, v.data, NAME_SIZE);
  size_t length = NAME_SIZE;
  while (length && (m->field[length - 1] == ' ' || m->field[length - 1] == 0))
    length--;
  m->field[length] = 0;
  m->at = at;
  m->data = at + HEADER_SIZE;
  return true;
}

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; name++)
    hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
  return hash;
}

static struct seen *seen_slot(struct seen *table, size_t room, uint64_t hash)
{
  size_t i = (size_t)hash & (room - 1);
  while (table[i].count && table[i].hash != hash)
    i = (i + 1) & (room - 1);
  return &table[i];
}

static bool seen_grow(struct walk *w)
{
  size_t room = w->seen_room ? w->seen_room * 2 : 256;
  struct seen *table = calloc(room, sizeof(*table));
  if (!table)
    return false;
  for (size_t i = 0; i < w->seen_room; i++) {
    if (w->seen[i].count)
      *seen_slot(table, room, w->seen[i].hash) = w->seen[i];
  }
  free(w->seen);
  w->seen = table;
  w->seen_room = room;
  return true;
}

/* Appends "#2" to a second member of the same name, "#3" to a third. */
static bool number_name(struct walk *w)
{
  if (w->seen_count * 2 >= w->seen_room && !seen_grow(w))
    return false;
  uint64_t hash = hash_of(w->name);
  struct seen *slot = seen_slot(w->seen, w->seen_room, hash);
  w->seen_count += slot->count == 0;
  slot->hash = hash;
  if (slot->count < UINT32_MAX)
    slot->count++;
  if (slot->count > 1) {
    size_t length = strlen(w->name);
    snprintf(w->name + length, sizeof(w->name) - length, "#%u", slot->count);
  }
  return true;
}

/* Keeps the start of the name table, so that a member's name costs no way back. */
static enum source_status names_read(struct walk *w, const struct member *m)
{
  w->names = m->data;
  w->names_size = m->size;
  free(w->kept);
  w->kept = NULL;
  w->kept_size = 0;
  uint64_t there = m->data < w->source->size ? w->source->size - m->data : 0;
  uint64_t size = m->size < there ? m->size : there;
  size_t want = size < NAMES_KEPT_MAX ? (size_t)size : NAMES_KEPT_MAX;
  w->kept = malloc(want ? want : 1);
  if (!w->kept)
    return SOURCE_MEMORY;
  enum source_status status = source_read(w->source, m->data, w->kept, want);
  if (status == SOURCE_OK)
    w->kept_size = want;
  return status;
}

static void name_set(struct walk *w, const char *text, size_t length)
{
  if (length > NAME_MAX_BYTES)
    length = NAME_MAX_BYTES;
  memcpy(w->name, text, length);
  w->name[length] = 0;
}

/* The name at `offset` of the table: up to NUL (COFF), or to "/\n" or "\n" (GNU, whose names may hold '/'). */
static bool name_from_table(struct walk *w, uint64_t offset)
{
  if (offset >= w->names_size)
    return false;
  uint64_t room = w->names_size - offset;
  struct view v = {NULL, 0};
  if (offset < w->kept_size)
    v = (struct view){w->kept + offset, w->kept_size - (size_t)offset};
  if (!v.data || (v.size < NAME_MAX_BYTES && v.size < room)) {
    if (source_view(w->source, w->names + offset, NAME_MAX_BYTES, &v) != SOURCE_OK)
      return false;
  }
  size_t length = 0, limit = room < v.size ? (size_t)room : v.size;
  while (length < limit && v.data[length] && v.data[length] != '\n')
    length++;
  if (length && length < limit && v.data[length] == '\n' && v.data[length - 1] == '/')
    length--;
  name_set(w, (const char *)v.data, length);
  return length > 0;
}

/* BSD: the name stands in front of the data and is counted in its size. */
static bool name_in_front(struct walk *w, struct member *m, uint64_t length)
{
  struct view v;
  size_t want = length < NAME_MAX_BYTES ? (size_t)length : NAME_MAX_BYTES;
  if (length == 0 || length > m->size || source_view(w->source, m->data, want, &v) != SOURCE_OK || v.size < want)
    return false;
  name_set(w, (const char *)v.data, strnlen((const char *)v.data, want));
  m->data += length;
  m->size -= length;
  return w->name[0] != 0;
}

/* Symbol tables: "/" (GNU, and COFF's two linker members), "/SYM64/", "/<ECSYMBOLS>/" and its kin (COFF),
 * "__.SYMDEF" (BSD). */
static bool is_index(const char *name)
{
  return !strcmp(name, "/") || !strcmp(name, "/SYM64/") || !strncmp(name, "/<", 2) || !strncmp(name, "__.SYMDEF", 9);
}

/* Sets w->name. A name that cannot be found is a fault of that member alone: it is called by its place. */
static void member_name(struct walk *w, struct member *m)
{
  uint64_t number;
  size_t length = strlen(m->field);
  bool table = m->field[0] == '/', front = !strncmp(m->field, "#1/", 3);
  if (table || front) {
    const char *digits = m->field + (front ? 3 : 1);
    bool found = decimal((const uint8_t *)digits, strlen(digits), &number) &&
                 (front ? name_in_front(w, m, number) : name_from_table(w, number));
    if (found)
      return;
    fault(w, "archive-member-name", m->at, "The long name of a member does not lie in the archive.");
    snprintf(w->name, sizeof(w->name), "member@%llu", (unsigned long long)m->at);
    return;
  }
  if (length > 1 && m->field[length - 1] == '/')
    length--;
  name_set(w, m->field, length);
  if (length == 0)
    snprintf(w->name, sizeof(w->name), "member@%llu", (unsigned long long)m->at);
}

/* false: the archive goes no further, or the visitor has had enough (then *stopped is set). */
static bool visit(struct walk *w, struct member *m, bool *stopped)
{
  uint64_t end = m->data + m->size, size = w->source->size;
  if (end > size)
    fault(w, "archive-member-truncated", m->at, "A member is longer than the archive.");
  if (!strcmp(m->field, "//")) {
    enum source_status status = names_read(w, m);
    if (status != SOURCE_OK)
      read_fault(w, status, m->at);
    return status == SOURCE_OK && end <= size;
  }
  if (is_index(m->field))
    return end <= size;
  member_name(w, m);
  if (is_index(w->name))
    return end <= size;
  if (!number_name(w)) {
    read_fault(w, SOURCE_MEMORY, m->at);
    return false;
  }
  uint64_t there = m->data < size ? size - m->data : 0;
  if (!w->visitor->each(w->visitor->data, w->name, m->data < size ? m->data : size,
                        m->size < there ? m->size : there)) {
    *stopped = true;
    return false;
  }
  return end <= size;
}

/* The next header, or the end: members start on even offsets, and padding may follow the last. */
static bool next_header(struct walk *w, uint64_t at, struct member *m, bool *whole)
{
  struct view v;
  enum source_status status = source_view(w->source, at, HEADER_SIZE, &v);
  if (status == SOURCE_END) {
    *whole = true;
    return false;
  }
  if (status == SOURCE_OK && v.size == HEADER_SIZE) {
    if (header_decode(v, at, m))
      return true;
    fault(w, "archive-member-header", at, "No member header stands where one must be.");
    return false;
  }
  size_t padding = 0;
  while (status == SOURCE_OK && padding < v.size && (v.data[padding] == '\n' || v.data[padding] == 0))
    padding++;
  *whole = status == SOURCE_OK && padding == v.size;
  if (!*whole)
    read_fault(w, status, at);
  return false;
}

bool ar_walk(struct source *s, const struct ar_visitor *visitor)
{
  struct walk *w = calloc(1, sizeof(*w));
  bool whole = false, stopped = false;
  if (!w) {
    visitor->fault(visitor->data, "out-of-memory", 0, "Memory ran out while the archive was read.");
    return false;
  }
  w->source = s;
  w->visitor = visitor;
  struct member m;
  uint64_t at = MAGIC_SIZE;
  while (next_header(w, at, &m, &whole)) {
    at = m.data + m.size;
    at += at & 1;
    if (!visit(w, &m, &stopped))
      break;
  }
  free(w->kept);
  free(w->seen);
  free(w);
  return whole || stopped;
}
