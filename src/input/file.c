/* SPDX-License-Identifier: Apache-2.0 */
#include "input/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/window.h"

struct file_source {
  struct source base;
  int fd;
  bool owned;
  uint64_t begin;
  struct window window;
  struct input_error error;
};

static enum source_status file_fetch(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                     struct input_error *error)
{
  const struct file_source *f = data;
  for (*got = 0; *got < size;) {
    ssize_t n = pread(f->fd, (uint8_t *)out + *got, size - *got, (off_t)(f->begin + offset + *got));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      char reason[64];
      input_error_set(error, "read-failed", "Reading failed: %s.", strerror_r(errno, reason, sizeof reason));
      return SOURCE_IO;
    }
    if (n == 0)
      break;
    *got += (size_t)n;
  }
  return SOURCE_OK;
}

static enum source_status file_failed(struct file_source *f, enum source_status status, uint64_t offset)
{
  f->base.error_code = f->error.code;
  f->base.error_text = f->error.text;
  f->base.error_offset = offset;
  return status;
}

static enum source_status file_shrank(struct file_source *f, uint64_t offset)
{
  input_error_set(&f->error, "read-failed", "The file became shorter while it was read.");
  return file_failed(f, SOURCE_IO, offset);
}

static enum source_status file_view(struct source *s, uint64_t offset, size_t want, struct view *out)
{
  struct file_source *f = (struct file_source *)s;
  struct reader reader = {file_fetch, f};
  enum source_status status = window_view(&f->window, &reader, s->size, offset, want, out, &f->error);
  if (status != SOURCE_OK)
    return file_failed(f, status, offset);
  if (out->size < want)
    return file_shrank(f, offset + out->size);
  return SOURCE_OK;
}

static enum source_status file_read(struct source *s, uint64_t offset, void *out, size_t size, size_t *got)
{
  struct file_source *f = (struct file_source *)s;
  enum source_status status = file_fetch(f, offset, out, size, got, &f->error);
  if (status != SOURCE_OK)
    return file_failed(f, status, offset);
  return *got < size ? file_shrank(f, offset + *got) : SOURCE_OK;
}

static enum source_status file_finish(struct source *s)
{
  (void)s;
  return SOURCE_OK;
}

static void file_close(struct source *s)
{
  struct file_source *f = (struct file_source *)s;
  if (f->owned)
    close(f->fd);
  window_free(&f->window);
  free(f);
}

static const struct source_ops file_ops = {
    .view = file_view, .finish = file_finish, .close = file_close, .read = file_read};

struct source *file_source_from_fd(int fd, bool owned, uint64_t offset, uint64_t size)
{
  struct file_source *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->base.ops = &file_ops;
  f->base.size = size;
  f->fd = fd;
  f->owned = owned;
  f->begin = offset;
  return &f->base;
}

static const char *mode_name(mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFIFO:
    return "a named pipe";
  case S_IFSOCK:
    return "a socket";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  default:
    return "something else";
  }
}

static void open_failed(struct input_error *error, int reason)
{
  char text[64];
  const char *code = reason == ENOENT || reason == ENOTDIR ? "not-found" : "unreadable";
  input_error_set(error, code, "The file cannot be opened: %s.", strerror_r(reason, text, sizeof text));
}

struct source *file_source_open(int folder, const char *path, struct input_error *error)
{
  /* O_NONBLOCK: a named pipe without a writer must not stop the run. */
  int fd = openat(folder, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    if (errno == ENXIO)
      input_error_set(error, "not-regular", "It is a socket or a device, not a file.");
    else
      open_failed(error, errno);
    return NULL;
  }
  struct stat st;
  struct source *s = NULL;
  if (fstat(fd, &st) != 0)
    open_failed(error, errno);
  else if (!S_ISREG(st.st_mode))
    input_error_set(error, "not-regular", "It is %s, not a file.", mode_name(st.st_mode));
  else if (!(s = file_source_from_fd(fd, true, 0, (uint64_t)st.st_size)))
    input_error_set(error, "out-of-memory", "There is no memory to open the file.");
  if (!s)
    close(fd);
  return s;
}
