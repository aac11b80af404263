/* SPDX-License-Identifier: Apache-2.0 */
#include "extract/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty(int folder)
{
  int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
  if (!d) {
    if (fd >= 0)
      close(fd);
    return false;
  }
  bool empty = true;
  for (struct dirent *e; empty && (e = readdir(d));)
    empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
  closedir(d);
  return empty;
}

bool store_open(struct store *s, const char *path, bool force)
{
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return false;
  *s = (struct store){.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .force = force};
  if (s->fd < 0)
    return false;
  s->was_empty = is_empty(s->fd);
  return true;
}

void store_close(struct store *s)
{
  close(s->fd);
}

bool store_has(const struct store *s, const char *name)
{
  struct stat st;
  return fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int write_all(int fd, struct view v)
{
  while (v.size) {
    ssize_t n = write(fd, v.data, v.size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    v.data += n;
    v.size -= (size_t)n;
  }
  return 0;
}

/* A file without a name, which gets one when it is whole: an interrupted program leaves nothing behind. ENOTSUP where
 * the file system has no such files. */
static int write_unnamed(const struct store *s, const char *name, struct view bytes)
{
  char link[64];
  int fd = openat(s->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0)
    return ENOTSUP;
  int error = write_all(fd, bytes);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (!error && linkat(AT_FDCWD, link, s->fd, name, AT_SYMLINK_FOLLOW) != 0)
    error = errno == ENOENT ? ENOTSUP : errno;
  close(fd);
  return error;
}

/* Through a file of another name beside it. */
static int write_beside(const struct store *s, const char *name, struct view bytes)
{
  char temporary[64];
  int fd = -1;
  for (unsigned i = 0; fd < 0 && i < 1000; i++) {
    snprintf(temporary, sizeof temporary, ".cuwheel-%ld-%u.tmp", (long)gettid(), i);
    fd = openat(s->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST)
      return errno;
  }
  if (fd < 0)
    return EEXIST;
  int error = write_all(fd, bytes);
  if (close(fd) != 0 && !error)
    error = errno;
  if (!error && s->force && renameat(s->fd, temporary, s->fd, name) == 0)
    return 0;
  if (!error && s->force)
    error = errno;
  if (!error && renameat2(s->fd, temporary, s->fd, name, RENAME_NOREPLACE) == 0)
    return 0;
  if (!error)
    error = errno;
  unlinkat(s->fd, temporary, 0);
  return error;
}

int store_write(const struct store *s, const char *name, struct view bytes)
{
  int error = write_unnamed(s, name, bytes);
  if (error == ENOTSUP || (error == EEXIST && s->force))
    error = write_beside(s, name, bytes);
  return error;
}
