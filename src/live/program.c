/* SPDX-License-Identifier: Apache-2.0 */
#include "live/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "cuwheel-probe"

static bool is_program(const char *path)
{
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool try_folder(const char *folder, size_t length, char *path, size_t size)
{
  int need = snprintf(path, size, "%.*s/%s", (int)length, folder, NAME);
  return length > 0 && need > 0 && (size_t)need < size && is_program(path);
}

static bool try_beside(char *path, size_t size)
{
  char own[4096];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length <= 0)
    return false;
  own[length] = '\0';
  char *slash = strrchr(own, '/');
  return slash && try_folder(own, (size_t)(slash - own), path, size);
}

static bool try_path(char *path, size_t size)
{
  const char *at = getenv("PATH");
  while (at && *at) {
    size_t length = strcspn(at, ":");
    if (try_folder(at, length, path, size))
      return true;
    at += length;
    at += *at == ':';
  }
  return false;
}

bool probe_program_find(char *path, size_t path_size, char *reason, size_t reason_size)
{
  const char *given = getenv("CUWHEEL_PROBE");
  if (given && *given) {
    bool fits = (size_t)snprintf(path, path_size, "%s", given) < path_size;
    if (fits && is_program(path))
      return true;
    snprintf(reason, reason_size, "$CUWHEEL_PROBE names '%s', which is no program: %s", given,
             access(given, F_OK) ? strerror(errno) : "it cannot be run");
    return false;
  }
  if (try_beside(path, path_size) || try_folder(CUWHEEL_LIBEXECDIR, strlen(CUWHEEL_LIBEXECDIR), path, path_size) ||
      try_path(path, path_size))
    return true;
  snprintf(reason, reason_size, "there is no " NAME " beside this program, in %s or in PATH", CUWHEEL_LIBEXECDIR);
  return false;
}
