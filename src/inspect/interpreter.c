/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/interpreter.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parent folder of `path`, cut in place; false at the root. */
static bool cut_last(char *path)
{
  char *slash = strrchr(path, '/');
  if (!slash || slash == path)
    return false;
  *slash = 0;
  return true;
}

static const char *existing(struct arena *a, const char *folder, const char *name)
{
  char *path = arena_printf(a, "%s/%s", folder, name);
  return path && access(path, F_OK) == 0 ? path : NULL;
}

/* PREFIX/lib/pythonX.Y/site-packages (or dist-packages): PREFIX/bin/pythonX.Y. */
static const char *unix_interpreter(struct arena *a, const char *site)
{
  char prefix[PATH_MAX], version[NAME_MAX + 1];
  strcpy(prefix, site);
  if (!cut_last(prefix))
    return NULL;
  const char *base = strrchr(prefix, '/');
  if (!base || strncmp(base + 1, "python", 6) != 0 || strlen(base + 1) > NAME_MAX - 4)
    return NULL;
  strcpy(version, "bin/");
  strcat(version, base + 1);
  if (!cut_last(prefix) || !cut_last(prefix))
    return NULL;
  const char *found = existing(a, prefix, version);
  return found ? found : existing(a, prefix, "bin/python3");
}

/* PREFIX/Lib/site-packages: PREFIX/python.exe (an installation, a portable folder), PREFIX/Scripts/python.exe (a
 * virtual environment). */
static const char *windows_interpreter(struct arena *a, const char *site)
{
  char prefix[PATH_MAX];
  strcpy(prefix, site);
  if (!cut_last(prefix) || !cut_last(prefix))
    return NULL;
  const char *found = existing(a, prefix, "python.exe");
  return found ? found : existing(a, prefix, "Scripts/python.exe");
}

const char *interpreter_of(struct arena *a, const char *site)
{
  char real[PATH_MAX];
  if (!realpath(site, real))
    return NULL;
  const char *found = unix_interpreter(a, real);
  return found ? found : windows_interpreter(a, real);
}
