/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of files say. */
#include <string.h>

#include "inspect/wheel.h"

const char *path_base(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool path_has_suffix(const char *path, const char *suffix)
{
  size_t length = strlen(path), end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

bool wheel_metadata_path(const char *path, size_t *root, size_t *info)
{
  static const char tail[] = ".dist-info/METADATA";
  if (!path_has_suffix(path, tail))
    return false;
  size_t end = strlen(path) - strlen("METADATA");
  size_t begin = end - strlen(".dist-info/");
  while (begin > 0 && path[begin - 1] != '/')
    begin--;
  *root = begin;
  *info = end;
  return path[begin] != '.';
}

const char *path_compiler_sign(const char *path)
{
  return path_has_suffix(path, ".cu") ? "ships CUDA sources" : NULL;
}

bool path_is_version_file(const char *path)
{
  static const char *const names[] = {"version.py", "_version.py", "build_info.py", "cpp_lib.json"};
  const char *base = path_base(path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(base, names[i]) == 0)
      return true;
  return path_has_suffix(path, "/version/__init__.py");
}
