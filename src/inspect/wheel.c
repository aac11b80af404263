/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/wheel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carrier/carrier.h"
#include "input/archive.h"
#include "input/dist.h"
#include "input/file.h"
#include "input/spool.h"
#include "inspect/batch.h"
#include "inspect/evidence.h"

#define NESTED_PACKED_MAX ((uint64_t)64 << 20)

struct wheel {
  struct gather *gather;
  struct archive *archive;
  const struct wheel_place *place;
};

static struct source *open_member(void *data, const struct batch_item *item, unsigned worker, struct input_error *error)
{
  struct wheel *w = data;
  return archive_member(w->archive, item->index, w->gather->workspaces[worker], error);
}

/* What is wrong with a member beyond what shows in its head, which is looked at for its type and named there. */
static void note_fault(struct wheel *w, const struct archive_entry *entry, const struct source *s)
{
  struct gather *g = w->gather;
  gather_problem(g, CUW_ERROR, s->error_code, w->place->disk,
                 arena_printf(g->arena, "%s%s", w->place->member_prefix, entry->name), s->error_offset,
                 s->error_text ? s->error_text : "", NULL);
}

/* A small member whole; data NULL when it cannot be read. The caller frees it. */
static struct view read_whole(struct wheel *w, uint64_t index, size_t max)
{
  struct input_error error = {0};
  struct archive_entry entry;
  struct view v = {NULL, 0};
  if (!archive_entry(w->archive, index, &entry) || entry.size > max)
    return v;
  struct source *s = archive_member(w->archive, index, w->gather->workspaces[0], &error);
  uint8_t *bytes = s ? malloc((size_t)entry.size + 1) : NULL;
  bool read = bytes && source_read(s, 0, bytes, (size_t)entry.size) == SOURCE_OK;
  if (read)
    v = (struct view){bytes, (size_t)entry.size};
  else
    free(bytes);
  if (read ? entry.size > 0 && source_finish(s) != SOURCE_OK : s && s->error_code && s->error_offset >= CARRIER_HEAD)
    note_fault(w, &entry, s);
  source_close(s);
  return v;
}

static void add_distribution(struct wheel *w, uint64_t index, const char *name)
{
  struct gather *g = w->gather;
  struct dist_metadata m;
  struct dist_wheel_name file;
  size_t root, info;
  struct view text = read_whole(w, index, DIST_METADATA_MAX);
  bool known = text.data && dist_metadata_parse(g->arena, text, &m);
  free((void *)text.data);
  struct found_distribution *d = known && wheel_metadata_path(name, &root, &info) ? gather_distribution(g) : NULL;
  if (!d)
    return;
  d->name = m.name;
  d->version = m.version;
  d->requires = m.requires;
  d->requires_count = m.requires_count;
  d->root = arena_string(g->arena, w->place->prefix);
  d->whole_root = true;
  if (w->place->file_name && dist_wheel_name_parse(g->arena, path_base(w->place->file_name), &file))
    d->local_version = file.version;
}

/* Metadata stand in a folder at the top; a wheel that carries other packages inside keeps theirs deeper. */
static void read_metadata(struct wheel *w, struct batch *b)
{
  struct gather *g = w->gather;
  size_t before = g->distribution_count, root, info;
  for (size_t i = 0; i < b->count; i++)
    if (wheel_metadata_path(b->items[i].name, &root, &info) && root == 0 && g->distribution_count == before)
      add_distribution(w, b->items[i].index, b->items[i].name);
  if (g->distribution_count == before)
    return;
  for (size_t i = 0; i < b->count; i++) {
    struct found_distribution *d = &g->distributions[before];
    const char *name = b->items[i].name;
    if (!d->compiler_sign)
      d->compiler_sign = path_compiler_sign(name);
    if (!path_is_version_file(name))
      continue;
    struct view text = read_whole(w, b->items[i].index, EVIDENCE_FILE_MAX);
    if (text.data)
      evidence_add_version_file(g, d, text);
    free((void *)text.data);
  }
}

/* The bytes of an inner wheel for random access: where it is stored, in place; else from an unlinked copy. */
static struct source *open_nested(struct wheel *w, const struct batch_item *item, struct input_error *error)
{
  struct archive_entry entry;
  if (!archive_entry(w->archive, item->index, &entry))
    return NULL;
  struct source *s = archive_member(w->archive, item->index, w->gather->workspaces[0], error);
  if (!s || entry.method == 0)
    return s;
  int fd = spool_source(s, error);
  if (fd >= 0 && source_finish(s) != SOURCE_OK)
    note_fault(w, &entry, s);
  source_close(s);
  if (fd < 0)
    return NULL;
  struct source *copy = file_source_from_fd(fd, true, 0, entry.size);
  if (!copy) {
    close(fd);
    input_error_set(error, "out-of-memory", "no memory to open an inner wheel");
  }
  return copy;
}

static void inspect_nested(struct wheel *w, const struct batch_item *item)
{
  struct gather *g = w->gather;
  struct arena *a = g->arena;
  struct archive_entry entry;
  char *member = arena_printf(a, "%s%s", w->place->member_prefix, item->name);
  bool stored = archive_entry(w->archive, item->index, &entry) && entry.method == 0;
  if (w->place->level > 0 || (!stored && entry.size > NESTED_PACKED_MAX)) {
    gather_problem(g, CUW_NOTE, "nested-not-read", w->place->disk, member, CUW_NONE,
                   w->place->level > 0 ? "a wheel inside a wheel inside a wheel is not opened"
                                       : "a compressed inner wheel of more than 64 MiB is not opened",
                   "extract it and inspect it by itself");
    return;
  }
  struct input_error error = {0};
  struct source *s = open_nested(w, item, &error);
  if (!s) {
    gather_input_error(g, &error, w->place->disk, member);
    return;
  }
  struct wheel_place inner = {.prefix = arena_printf(a, "%s%s!", w->place->nested_prefix, item->name),
                              .disk = w->place->disk,
                              .member_prefix = arena_printf(a, "%s!", member),
                              .file_name = item->name,
                              .level = w->place->level + 1};
  inner.nested_prefix = inner.prefix;
  wheel_inspect(g, s, &inner);
}

static void other_member(void *data, const struct batch_item *item, enum carrier_type type)
{
  struct wheel *w = data;
  if (type == CARRIER_ZIP && path_has_suffix(item->name, ".whl")) {
    inspect_nested(w, item);
    return;
  }
  const char *what = carrier_unread_reason(type, item->name);
  if (what)
    gather_not_read(w->gather, w->place->disk,
                    arena_printf(w->gather->arena, "%s%s", w->place->member_prefix, item->name), what);
}

void wheel_inspect(struct gather *g, struct source *s, const struct wheel_place *place)
{
  struct input_error error = {0};
  struct wheel w = {.gather = g, .place = place};
  struct batch b = {.gather = g,
                    .prefix = place->prefix,
                    .disk = place->disk,
                    .member_prefix = place->member_prefix,
                    .open = open_member,
                    .data = &w};
  w.archive = archive_open(s, &error);
  if (!w.archive) {
    const char *member =
        place->member_prefix[0] ? arena_text(g->arena, place->member_prefix, strlen(place->member_prefix) - 1) : NULL;
    gather_input_error(g, &error, place->disk, member);
    return;
  }
  uint64_t count = archive_count(w.archive);
  for (uint64_t i = 0; i < count; i++) {
    struct archive_entry entry;
    if (archive_entry(w.archive, i, &entry) && !entry.directory && !batch_add(&b, entry.name, entry.size, i))
      break;
  }
  read_metadata(&w, &b);
  batch_run(&b, other_member);
  batch_free(&b);
  archive_close(w.archive);
}

bool wheel_is_distribution(struct source *s)
{
  struct input_error error = {0};
  struct archive *a = archive_open(s, &error);
  if (!a)
    return false;
  uint64_t count = archive_count(a);
  bool found = false;
  for (uint64_t i = 0; i < count && !found; i++) {
    struct archive_entry entry;
    size_t root, info;
    found = archive_entry(a, i, &entry) && wheel_metadata_path(entry.name, &root, &info) && root == 0;
  }
  archive_close(a);
  return found;
}
