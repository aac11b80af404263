/* SPDX-License-Identifier: Apache-2.0 */
/* conda-meta/NAME.json: which files of a prefix a conda package owns. */
#include "input/dist.h"

#include <jansson.h>

static const char *member_text(struct arena *a, const json_t *object, const char *key)
{
  return arena_string(a, json_string_value(json_object_get(object, key)));
}

static void take_files(struct arena *a, const json_t *files, struct dist_conda *out)
{
  size_t count = json_array_size(files);
  out->files = arena_alloc(a, count * sizeof *out->files + 1);
  for (size_t i = 0; i < count && out->files; i++) {
    const char *path = json_string_value(json_array_get(files, i));
    if (path)
      out->files[out->file_count++] = arena_string(a, path);
  }
}

bool dist_conda_parse(struct arena *a, struct view text, struct dist_conda *out)
{
  *out = (struct dist_conda){0};
  if (text.size > DIST_RECORD_MAX)
    return false;
  json_t *root = json_loadb((const char *)text.data, text.size, 0, NULL);
  if (!root)
    return false;
  out->name = member_text(a, root, "name");
  out->version = member_text(a, root, "version");
  take_files(a, json_object_get(root, "files"), out);
  json_decref(root);
  return out->name && !arena_failed(a);
}
