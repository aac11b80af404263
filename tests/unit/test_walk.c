/* SPDX-License-Identifier: Apache-2.0 */
/* Folder trees with links, pipes, sockets, devices and folders that may not be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/file.h"
#include "input/walk.h"

/* Everything that a walk said, a line each. */
struct seen {
  char files[8192], faults[1024];
  unsigned left; /* files until the walk is ended */
};

static bool see_file(void *data, const char *path, uint64_t size)
{
  struct seen *s = data;
  size_t used = strlen(s->files);
  snprintf(s->files + used, sizeof s->files - used, "%s %u\n", path, (unsigned)size);
  return --s->left > 0;
}

static void see_fault(void *data, const char *path, const char *code, const char *message)
{
  struct seen *s = data;
  size_t used = strlen(s->faults);
  snprintf(s->faults + used, sizeof s->faults - used, "%s %s\n", path, code);
  assert_true(strlen(message) > 5);
}

static bool walk(const char *root, struct seen *s, unsigned limit)
{
  struct input_error error;
  *s = (struct seen){.left = limit};
  struct walk_visitor visitor = {see_file, see_fault, s};
  int fd = walk_open(root, &error);
  assert_true(fd >= 0);
  bool whole = walk_folder(fd, &visitor);
  close(fd);
  return whole;
}

static void put_file(const char *path, size_t size)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  for (size_t i = 0; i < size; i++)
    fputc('x', f);
  fclose(f);
}

static int set_up(void **state)
{
  char *folder = strdup("/tmp/cuwheel-walk-XXXXXX");
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  *state = folder;
  return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

static int tear_down(void **state)
{
  assert_int_equal(chdir("/"), 0);
  nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  free(*state);
  return 0;
}

static void test_order(void **state)
{
  (void)state;
  struct seen s;
  static const char *const folders[] = {"a", "a/b", "a-", "z", "z/empty"};
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(mkdir(folders[i], 0700), 0);
  put_file("a/2", 2);
  put_file("a/b/1", 1);
  put_file("a-/3", 3);
  put_file("a.so", 4);
  put_file("a0", 5);
  put_file("B", 0);
  put_file("\xff", 6);
  put_file("z/last", 7);
  assert_true(walk(".", &s, 100));
  assert_string_equal(s.files, "B 0\na-/3 3\na.so 4\na/2 2\na/b/1 1\na0 5\nz/last 7\n\xff 6\n");
  assert_string_equal(s.faults, "");
  assert_false(walk(".", &s, 2));
  assert_string_equal(s.files, "B 0\na-/3 3\n");
}

static void test_links_and_others(void **state)
{
  (void)state;
  struct seen s;
  assert_int_equal(mkdir("tree", 0700), 0);
  assert_int_equal(mkdir("tree/in", 0700), 0);
  assert_int_equal(mkdir("tree-beside", 0700), 0);
  put_file("tree/in/real.so.1", 10);
  put_file("tree-beside/outer.so", 20);
  assert_int_equal(symlink("real.so.1", "tree/in/real.so"), 0);
  assert_int_equal(symlink("../tree-beside/outer.so", "tree/outer.so"), 0);
  assert_int_equal(symlink("../tree-beside", "tree/folder"), 0);
  assert_int_equal(symlink(".", "tree/loop"), 0);
  assert_int_equal(symlink("loop2", "tree/loop2"), 0);
  assert_int_equal(symlink("absent", "tree/dangling"), 0);
  assert_int_equal(symlink("/dev/zero", "tree/device"), 0);
  assert_int_equal(mkfifo("tree/pipe", 0600), 0);
  assert_true(walk("tree", &s, 100));
  assert_string_equal(s.files, "in/real.so.1 10\nouter.so 20\n");
  assert_string_equal(s.faults, "folder link-not-followed\n");

  assert_int_equal(symlink("tree", "link-to-tree"), 0);
  assert_true(walk("link-to-tree", &s, 100));
  assert_string_equal(s.files, "in/real.so.1 10\nouter.so 20\n");

  struct input_error error;
  int root = walk_open("tree", &error);
  struct source *file = file_source_open(root, "in/real.so.1", &error);
  assert_int_equal(file->size, 10);
  source_close(file);
  close(root);
}

static void test_unreadable(void **state)
{
  (void)state;
  struct seen s;
  if (geteuid() == 0 && seteuid(65534) != 0)
    skip();
  char folder[] = "/tmp/cuwheel-walk-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(mkdir("closed", 0), 0);
  put_file("open", 1);
  assert_true(walk(".", &s, 100));
  assert_string_equal(s.files, "open 1\n");
  assert_string_equal(s.faults, "closed/ unreadable\n");
  struct input_error error;
  assert_int_equal(walk_open("closed", &error), -1);
  assert_string_equal(error.code, "unreadable");
  assert_int_equal(walk_open("absent", &error), -1);
  assert_string_equal(error.code, "not-found");
  assert_int_equal(walk_open("open", &error), -1);
  assert_string_equal(error.code, "not-a-folder");
  unlink("open");
  rmdir("closed");
  assert_int_equal(chdir("/"), 0);
  rmdir(folder);
  if (getuid() == 0)
    assert_int_equal(seteuid(0), 0);
}

static void test_deep(void **state)
{
  struct seen s;
  for (unsigned i = 0; i < WALK_DEPTH_MAX + 20; i++) {
    put_file("f", 1);
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(chdir("d"), 0);
  }
  assert_int_equal(chdir(*state), 0);
  assert_true(walk(".", &s, 10000));
  unsigned lines = 0;
  for (const char *p = s.faults; *p; p++)
    lines += *p == '\n';
  assert_int_equal(lines, 1);
  assert_non_null(strstr(s.faults, "/d/ too-deep\n"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_links_and_others, set_up, tear_down),
      cmocka_unit_test(test_unreadable),
      cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
