/* SPDX-License-Identifier: Apache-2.0 */
#include "input/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
  char *name; /* a folder's ends in '/', which sorts it among the paths below it */
  uint64_t size;
};

struct listing {
  struct entry *items;
  size_t count;
};

struct walk {
  const struct walk_visitor *visitor;
  char *root; /* its real path; NULL: unknown */
  char path[PATH_MAX];
};

int walk_open(const char *path, struct input_error *error)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    return fd;
  char reason[64];
  const char *code = errno == ENOENT ? "not-found" : errno == ENOTDIR ? "not-a-folder" : "unreadable";
  input_error_set(error, code, "The folder cannot be opened: %s.", strerror_r(errno, reason, sizeof reason));
  return -1;
}

static void fault(const struct walk *w, const char *code, const char *what, int reason)
{
  char text[64], message[128];
  snprintf(message, sizeof message, "%s: %s.", what, strerror_r(reason, text, sizeof text));
  w->visitor->fault(w->visitor->data, w->path, code, message);
}

/* The real path of `name` in an open folder, from malloc; NULL: it cannot be told. */
static char *real_path(int folder, const char *name)
{
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "/proc/self/fd/%d/%s", folder, name);
  return length > 0 && (size_t)length < sizeof path ? realpath(path, NULL) : NULL;
}

static bool leads_inside(const struct walk *w, int folder, const char *name)
{
  if (!w->root)
    return false;
  char *target = real_path(folder, name);
  size_t length = strlen(w->root);
  bool inside =
      target && strncmp(target, w->root, length) == 0 && (!target[length] || target[length] == '/' || length == 1);
  free(target);
  return inside;
}

/* What a directory entry is to the walk: 'd' folder, 'f' file, 0 nothing. */
static char classify(const struct walk *w, int folder, const char *name, uint64_t *size)
{
  struct stat st;
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT)
      fault(w, "unreadable", "It cannot be read", errno);
    return 0;
  }
  if (S_ISDIR(st.st_mode))
    return 'd';
  /* A link that leads nowhere holds no bytes. */
  if (S_ISLNK(st.st_mode)) {
    if (fstatat(folder, name, &st, 0) != 0 || leads_inside(w, folder, name))
      return 0;
    if (S_ISDIR(st.st_mode))
      w->visitor->fault(w->visitor->data, w->path, "link-not-followed",
                        "A link to a folder outside of what was named; it is not entered.");
    if (!S_ISREG(st.st_mode))
      return 0;
  }
  *size = (uint64_t)st.st_size;
  return S_ISREG(st.st_mode) ? 'f' : 0;
}

static bool listing_add(struct listing *l, const char *name, bool folder, uint64_t size)
{
  if ((l->count & (l->count - 1)) == 0) {
    struct entry *grown = realloc(l->items, (l->count ? 2 * l->count : 1) * sizeof *grown);
    if (!grown)
      return false;
    l->items = grown;
  }
  struct entry *e = &l->items[l->count];
  size_t length = strlen(name);
  if (!(e->name = malloc(length + 2)))
    return false;
  memcpy(e->name, name, length + 1);
  if (folder)
    memcpy(e->name + length, "/", 2);
  e->size = size;
  l->count++;
  return true;
}

static void listing_free(struct listing *l)
{
  for (size_t i = 0; i < l->count; i++)
    free(l->items[i].name);
  free(l->items);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Puts `name` behind the first `length` bytes of the path, where it fits with `spare` bytes behind it. */
static bool path_append(struct walk *w, size_t length, const char *name, size_t spare)
{
  size_t size = strlen(name) + 1;
  if (size + spare > sizeof w->path - length)
    return false;
  memcpy(w->path + length, name, size);
  return true;
}

static bool list_folder(struct walk *w, DIR *dir, size_t length, struct listing *l)
{
  for (;;) {
    errno = 0;
    const struct dirent *d = readdir(dir);
    if (!d)
      break;
    if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
      continue;
    if (!path_append(w, length, d->d_name, 1)) {
      w->path[length] = '\0';
      fault(w, "unreadable", "A path below it is too long", ENAMETOOLONG);
      continue;
    }
    uint64_t size = 0;
    char class = classify(w, dirfd(dir), d->d_name, &size);
    if (class && !listing_add(l, d->d_name, class == 'd', size))
      return false;
  }
  w->path[length] = '\0';
  if (errno)
    fault(w, "unreadable", "The folder cannot be read to its end", errno);
  if (l->count > 0)
    qsort(l->items, l->count, sizeof *l->items, by_name);
  return true;
}

static bool walk_below(struct walk *w, int parent, const char *name, size_t length, unsigned depth);

static bool visit(struct walk *w, DIR *dir, const struct listing *l, size_t length, unsigned depth)
{
  for (size_t i = 0; i < l->count; i++) {
    char *name = l->items[i].name;
    size_t end = length + strlen(name);
    if (!path_append(w, length, name, 0))
      continue;
    bool folder = w->path[end - 1] == '/';
    if (folder)
      name[end - length - 1] = '\0'; /* with the '/', open would follow a link */
    bool go_on = folder ? walk_below(w, dirfd(dir), name, end, depth + 1)
                        : w->visitor->file(w->visitor->data, w->path, l->items[i].size);
    if (!go_on)
      return false;
  }
  return true;
}

/* `length`: of the path with the folder's own name and '/'. */
static bool walk_below(struct walk *w, int parent, const char *name, size_t length, unsigned depth)
{
  if (depth > WALK_DEPTH_MAX) {
    w->visitor->fault(w->visitor->data, w->path, "too-deep", "The folders nest too deeply.");
    return true;
  }
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  if (!dir) {
    fault(w, "unreadable", "The folder cannot be read", errno);
    if (fd >= 0)
      close(fd);
    return true;
  }
  struct listing l = {NULL, 0};
  bool go_on = list_folder(w, dir, length, &l) && visit(w, dir, &l, length, depth);
  listing_free(&l);
  closedir(dir);
  return go_on;
}

bool walk_folder(int root, const struct walk_visitor *visitor)
{
  struct walk *w = calloc(1, sizeof *w);
  if (!w)
    return false;
  w->visitor = visitor;
  w->root = real_path(root, ".");
  bool whole = walk_below(w, root, ".", 0, 0);
  free(w->root);
  free(w);
  return whole;
}
