/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"

struct cuw_out {
  int fd;
  bool owned;
  int error;
  char *path;      /* final name; NULL for a descriptor */
  char *temporary; /* NULL where the file is written directly */
  bool in_memory;
  struct text memory;
  size_t used;
  char buffer[65536];
};

struct cuw_out *cuw_out_fd(int fd)
{
  struct cuw_out *out = malloc(sizeof *out);
  if (!out)
    return NULL;
  out->fd = fd;
  out->owned = false;
  out->error = 0;
  out->path = NULL;
  out->temporary = NULL;
  out->in_memory = false;
  out->memory = (struct text){0};
  out->used = 0;
  return out;
}

struct cuw_out *out_memory(void)
{
  struct cuw_out *out = cuw_out_fd(-1);
  if (out)
    out->in_memory = true;
  return out;
}

void out_copy(struct cuw_out *to, struct cuw_out *memory)
{
  cuw_out_flush(memory);
  if (memory->error)
    out_fail(to, memory->error);
  else
    cuw_out_bytes(to, text_get(&memory->memory), memory->memory.length);
}

/* Opens a new file beside `path`; its name goes to `*temporary`. -1 with errno. */
static int open_beside(const char *path, mode_t mode, char **temporary)
{
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  for (unsigned i = 0; i < 1000; i++) {
    char *name;
    if (asprintf(&name, "%.*s.cuwheel-%ld-%u.tmp", folder, path, (long)getpid(), i) < 0) {
      errno = ENOMEM;
      return -1;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) {
      *temporary = name;
      return fd;
    }
    int error = errno;
    free(name);
    errno = error;
    if (error != EEXIST)
      return -1;
  }
  return -1;
}

struct cuw_out *cuw_out_file(const char *path)
{
  /* Through a link, so that the file it points to is replaced and not the link. */
  char *target = realpath(path, NULL);
  if (!target && errno != ENOENT)
    return NULL;
  if (!target)
    target = strdup(path);
  struct cuw_out *out = cuw_out_fd(-1);
  if (!out || !target) {
    free(target);
    free(out);
    errno = ENOMEM;
    return NULL;
  }
  out->owned = true;
  out->path = target;

  struct stat st;
  bool exists = stat(target, &st) == 0;
  if (exists && S_ISDIR(st.st_mode))
    errno = EISDIR;
  else if (exists && !S_ISREG(st.st_mode))
    out->fd = open(target, O_WRONLY | O_CLOEXEC);
  else if (exists && access(target, W_OK) != 0)
    out->fd = -1;
  else
    out->fd = open_beside(target, 0666, &out->temporary);
  if (out->fd >= 0) {
    if (exists && out->temporary && fchmod(out->fd, st.st_mode & 0777) != 0)
      out_fail(out, errno);
    return out;
  }
  int error = errno;
  free(target);
  free(out);
  errno = error;
  return NULL;
}

const char *cuw_out_temporary(const struct cuw_out *out)
{
  return out->temporary;
}

int cuw_out_error(const struct cuw_out *out)
{
  return out->error;
}

void out_fail(struct cuw_out *out, int error)
{
  if (!out->error)
    out->error = error;
}

static void write_all(struct cuw_out *out, const char *bytes, size_t length)
{
  if (out->in_memory) {
    text_bytes(&out->memory, bytes, length);
    if (out->memory.failed)
      out_fail(out, ENOMEM);
    return;
  }
  while (length && !out->error) {
    ssize_t n = write(out->fd, bytes, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      out_fail(out, errno);
    else {
      bytes += n;
      length -= (size_t)n;
    }
  }
}

void cuw_out_flush(struct cuw_out *out)
{
  write_all(out, out->buffer, out->used);
  out->used = 0;
}

void cuw_out_bytes(struct cuw_out *out, const char *bytes, size_t length)
{
  if (out->error)
    return;
  if (length > sizeof out->buffer - out->used)
    cuw_out_flush(out);
  if (length > sizeof out->buffer) {
    write_all(out, bytes, length);
    return;
  }
  memcpy(out->buffer + out->used, bytes, length);
  out->used += length;
}

void cuw_out_string(struct cuw_out *out, const char *text)
{
  cuw_out_bytes(out, text, strlen(text));
}

void out_char(struct cuw_out *out, char c)
{
  cuw_out_bytes(out, &c, 1);
}

void out_repeat(struct cuw_out *out, char c, size_t times)
{
  for (size_t i = 0; i < times; i++)
    out_char(out, c);
}

void cuw_out_printf(struct cuw_out *out, const char *format, ...)
{
  char *text;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  if (length < 0) {
    out_fail(out, ENOMEM);
    return;
  }
  cuw_out_bytes(out, text, (size_t)length);
  free(text);
}

void cuw_out_name(struct cuw_out *out, const char *name)
{
  struct text text = {0};
  text_escape(&text, name);
  if (text.failed)
    out_fail(out, ENOMEM);
  cuw_out_string(out, text_get(&text));
  text_free(&text);
}

/* A file system that reports a full disk late does so in fsync or close. */
static void finish_file(struct cuw_out *out, bool keep)
{
  if (keep && !out->error && out->temporary && fsync(out->fd) != 0)
    out_fail(out, errno);
  if (close(out->fd) != 0)
    out_fail(out, errno);
  if (!out->temporary)
    return;
  if (keep && !out->error && rename(out->temporary, out->path) != 0)
    out_fail(out, errno);
  if (!keep || out->error)
    unlink(out->temporary);
}

int cuw_out_close(struct cuw_out *out, bool keep)
{
  cuw_out_flush(out);
  if (out->owned)
    finish_file(out, keep);
  int error = out->error;
  free(out->path);
  free(out->temporary);
  text_free(&out->memory);
  free(out);
  return error;
}
