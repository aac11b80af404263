/* SPDX-License-Identifier: Apache-2.0 */
#include "input/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *spool_folder(void)
{
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

static int spool_failed(struct input_error *error, int reason)
{
  char text[64];
  bool no_room = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  const char *why = strerror_r(reason, text, sizeof text);
  if (no_room)
    input_error_set(error, "spool-no-room", "There is no room for a copy of the input in %.80s (TMPDIR): %s.",
                    spool_folder(), why);
  else
    input_error_set(error, "spool-failed", "The input cannot be copied to %.80s (TMPDIR): %s.", spool_folder(), why);
  return -1;
}

static int spool_open(struct input_error *error)
{
  int fd = open(spool_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/cuwheel-XXXXXX", spool_folder());
  if (length < 0 || (size_t)length >= sizeof path)
    return spool_failed(error, ENAMETOOLONG);
  fd = mkostemp(path, O_CLOEXEC);
  if (fd < 0)
    return spool_failed(error, errno);
  unlink(path);
  return fd;
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

/* Waits for bytes also where the descriptor was left non-blocking by its owner. -1: failed, errno set. */
static ssize_t read_some(int fd, void *out, size_t size)
{
  for (;;) {
    ssize_t n = read(fd, out, size);
    if (n >= 0)
      return n;
    if (errno == EAGAIN) {
      struct pollfd p = {.fd = fd, .events = POLLIN};
      poll(&p, 1, -1);
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

static int copy_stream(int from, int to, uint8_t *buffer, uint64_t *size, struct input_error *error)
{
  for (*size = 0;;) {
    ssize_t n = read_some(from, buffer, SOURCE_WINDOW);
    if (n < 0) {
      char text[64];
      input_error_set(error, "read-failed", "Reading the input failed: %s.", strerror_r(errno, text, sizeof text));
      return -1;
    }
    if (n == 0)
      return 0;
    if (!write_all(to, buffer, (size_t)n))
      return spool_failed(error, errno);
    *size += (uint64_t)n;
  }
}

int spool_stream(int fd, uint64_t *size, struct input_error *error)
{
  int to = spool_open(error);
  if (to < 0)
    return -1;
  uint8_t *buffer = malloc(SOURCE_WINDOW);
  int result = buffer ? copy_stream(fd, to, buffer, size, error) : spool_failed(error, ENOMEM);
  free(buffer);
  if (result == 0)
    return to;
  close(to);
  return -1;
}

static int copy_source(struct source *s, int to, struct input_error *error)
{
  for (uint64_t at = 0; at < s->size;) {
    struct view v;
    enum source_status status = source_view(s, at, SOURCE_WINDOW, &v);
    if (status != SOURCE_OK) {
      input_error_set(error, s->error_code ? s->error_code : "read-failed", "%s", s->error_text ? s->error_text : "");
      return -1;
    }
    if (!write_all(to, v.data, v.size))
      return spool_failed(error, errno);
    at += v.size;
  }
  return 0;
}

int spool_source(struct source *s, struct input_error *error)
{
  int to = spool_open(error);
  if (to < 0)
    return -1;
  if (copy_source(s, to, error) == 0)
    return to;
  close(to);
  return -1;
}
