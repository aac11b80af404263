/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/dist.h"
#include "input/file.h"
#include "input/walk.h"
#include "inspect/batch.h"
#include "inspect/evidence.h"
#include "inspect/interpreter.h"
#include "inspect/ownership.h"
#include "inspect/wheel.h"

#define CONDA_META_MAX ((size_t)16 << 20)
#define RECORD_MAX ((size_t)16 << 20)
#define VERSION_FILES_MAX 64

struct folder {
  struct gather *gather;
  const char *path;
  int root;
  struct batch batch;
};

static struct source *open_file(void *data, const struct batch_item *item, unsigned worker, struct input_error *error)
{
  struct folder *f = data;
  (void)worker;
  return file_source_open(f->root, item->name, error);
}

static char *on_disk(struct folder *f, const char *name)
{
  size_t length = strlen(f->path);
  return arena_printf(f->gather->arena, "%s%s%s", f->path, length && f->path[length - 1] == '/' ? "" : "/", name);
}

static bool note_file(void *data, const char *path, uint64_t size)
{
  struct folder *f = data;
  char *name = arena_string(f->gather->arena, path);
  return name && batch_add(&f->batch, name, size, 0);
}

static void note_fault(void *data, const char *path, const char *code, const char *message)
{
  struct folder *f = data;
  bool passed_over = strcmp(code, "link-not-followed") == 0;
  gather_problem(f->gather, passed_over ? CUW_NOTE : CUW_ERROR, code, on_disk(f, path), NULL, CUW_NONE, message,
                 passed_over ? "inspect the folder that it leads to" : NULL);
}

/* A small file whole; data NULL when it cannot be read. The caller frees it. */
static struct view read_whole(struct folder *f, const char *path, size_t max)
{
  struct input_error error = {0};
  struct view v = {NULL, 0};
  struct source *s = file_source_open(f->root, path, &error);
  uint8_t *bytes = s && s->size <= max ? malloc((size_t)s->size + 1) : NULL;
  if (bytes && source_read(s, 0, bytes, (size_t)s->size) == SOURCE_OK)
    v = (struct view){bytes, (size_t)s->size};
  else
    free(bytes);
  source_close(s);
  return v;
}

static void inspect_wheel_file(struct folder *f, const char *name)
{
  struct arena *a = f->gather->arena;
  struct input_error error = {0};
  struct wheel_place place = {
      .prefix = arena_printf(a, "%s!", name), .disk = on_disk(f, name), .member_prefix = "", .file_name = name};
  place.nested_prefix = place.prefix;
  struct source *s = file_source_open(f->root, name, &error);
  if (s && !path_has_suffix(name, ".whl")) {
    bool is_distribution = wheel_is_distribution(s);
    s = is_distribution ? file_source_open(f->root, name, &error) : NULL;
    if (!s)
      return;
  }
  if (s)
    wheel_inspect(f->gather, s, &place);
  else
    gather_input_error(f->gather, &error, place.disk, NULL);
}

static void other_file(void *data, const struct batch_item *item, enum carrier_type type)
{
  struct folder *f = data;
  if (type == CARRIER_ZIP) {
    inspect_wheel_file(f, item->name);
    return;
  }
  const char *what = carrier_unread_reason(type, item->name);
  if (what)
    gather_not_read(f->gather, on_disk(f, item->name), NULL, what);
}

/* One distribution's list of files, as it is gone through. */
struct claims {
  struct folder *folder;
  size_t owner;
  const char *base; /* what listed paths are relative to */
  unsigned version_files;
};

static bool claim_file(void *data, const char *listed)
{
  struct claims *c = data;
  struct gather *g = c->folder->gather;
  struct found_distribution *d = &g->distributions[c->owner];
  bool version_file = path_is_version_file(listed) && c->version_files < VERSION_FILES_MAX;
  if (!d->compiler_sign)
    d->compiler_sign = path_compiler_sign(listed);
  /* Most rows are Python files: only what may be a library is worth a path. */
  if (!version_file && (path_has_suffix(listed, ".py") || path_has_suffix(listed, ".pyc")))
    return true;
  const char *path = dist_path(g->arena, c->base, listed);
  if (!path)
    return true;
  ownership_claim(g, c->owner, path);
  if (version_file) {
    struct view text = read_whole(c->folder, path, EVIDENCE_FILE_MAX);
    if (text.data)
      evidence_add_version_file(g, d, text);
    free((void *)text.data);
    c->version_files++;
  }
  return true;
}

static void add_installed(struct folder *f, const char *metadata)
{
  struct gather *g = f->gather;
  struct dist_metadata m;
  size_t root, info;
  struct view text = read_whole(f, metadata, DIST_METADATA_MAX);
  bool known = text.data && dist_metadata_parse(g->arena, text, &m);
  free((void *)text.data);
  struct found_distribution *d = known && wheel_metadata_path(metadata, &root, &info) ? gather_distribution(g) : NULL;
  if (!d)
    return;
  d->name = m.name;
  d->normal_name = dist_normal_name(g->arena, m.name);
  d->version = m.version;
  d->requires = m.requires;
  d->requires_count = m.requires_count;
  d->root = arena_text(g->arena, metadata, root);
  d->info = arena_text(g->arena, metadata, info);
  d->location = on_disk(f, root ? arena_text(g->arena, metadata, root - 1) : ".");
  d->interpreter = interpreter_of(g->arena, d->location);
  struct view record = read_whole(f, arena_printf(g->arena, "%sRECORD", d->info), RECORD_MAX);
  struct claims c = {
      .folder = f, .owner = g->distribution_count - 1, .base = root ? arena_text(g->arena, metadata, root - 1) : ""};
  if (record.data)
    dist_record_rows(record, claim_file, &c);
  free((void *)record.data);
}

static bool is_conda_record(const char *path, size_t *root)
{
  const char *base = path_base(path);
  size_t before = (size_t)(base - path), folder = strlen("conda-meta/");
  if (!path_has_suffix(base, ".json") || before < folder || strncmp(base - folder, "conda-meta/", folder) != 0)
    return false;
  *root = before - folder;
  return *root == 0 || path[*root - 1] == '/';
}

/* Whether Python packages below `root` (with '/' at its end) are those of the conda prefix `prefix`. */
static bool is_in_prefix(const char *root, const char *prefix)
{
  size_t length = strlen(prefix);
  return strncmp(root, prefix, length) == 0 &&
         (strncmp(root + length, "lib/", 4) == 0 || strncmp(root + length, "Lib/", 4) == 0);
}

/* The distribution of that name whose dist-info stands in the prefix; SIZE_MAX: none. */
static size_t installed_in(struct gather *g, const char *name, const char *prefix)
{
  const char *normal = dist_normal_name(g->arena, name);
  for (size_t i = 0; normal && i < g->distribution_count; i++) {
    const struct found_distribution *d = &g->distributions[i];
    if (d->normal_name && strcmp(normal, d->normal_name) == 0 && is_in_prefix(d->root, prefix))
      return i;
  }
  return SIZE_MAX;
}

/* A conda package of Python files has dist-info of its own: then the conda record only adds files to it. */
static void add_conda(struct folder *f, const char *path, size_t root)
{
  struct gather *g = f->gather;
  struct dist_conda m;
  struct view text = read_whole(f, path, CONDA_META_MAX);
  bool known = text.data && dist_conda_parse(g->arena, text, &m);
  free((void *)text.data);
  const char *prefix = known ? arena_text(g->arena, path, root) : NULL;
  if (!prefix)
    return;
  size_t owner = installed_in(g, m.name, prefix);
  if (owner == SIZE_MAX) {
    struct found_distribution *d = gather_distribution(g);
    if (!d)
      return;
    d->name = m.name;
    d->version = m.version;
    d->root = prefix;
    d->location = on_disk(f, root ? arena_text(g->arena, path, root - 1) : ".");
    owner = g->distribution_count - 1;
  }
  struct claims c = {.folder = f, .owner = owner, .base = root ? arena_text(g->arena, path, root - 1) : ""};
  for (size_t i = 0; i < m.file_count; i++)
    claim_file(&c, m.files[i]);
}

static void add_distributions(struct folder *f)
{
  size_t root, info, before = f->gather->distribution_count;
  for (size_t i = 0; i < f->batch.count; i++)
    if (wheel_metadata_path(f->batch.items[i].name, &root, &info))
      add_installed(f, f->batch.items[i].name);
  for (size_t i = 0; i < f->batch.count; i++)
    if (is_conda_record(f->batch.items[i].name, &root))
      add_conda(f, f->batch.items[i].name, root);
  if (f->gather->distribution_count > before)
    f->gather->input->kind = CUW_INPUT_ENVIRONMENT;
}

void folder_inspect(struct gather *g, const char *path)
{
  struct input_error error = {0};
  struct folder f = {.gather = g, .path = path};
  g->input->kind = CUW_INPUT_FOLDER;
  f.root = walk_open(path, &error);
  if (f.root < 0) {
    gather_input_error(g, &error, path, NULL);
    return;
  }
  f.batch =
      (struct batch){.gather = g, .prefix = "", .folder = path, .member_prefix = "", .open = open_file, .data = &f};
  struct walk_visitor visitor = {.file = note_file, .fault = note_fault, .data = &f};
  if (!walk_folder(f.root, &visitor))
    gather_problem(g, CUW_ERROR, "out-of-memory", path, NULL, CUW_NONE, "no memory for the list of files", NULL);
  batch_run(&f.batch, other_file);
  gather_sort(g);
  add_distributions(&f);
  batch_free(&f.batch);
  close(f.root);
}
