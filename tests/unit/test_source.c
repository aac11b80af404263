/* SPDX-License-Identifier: Apache-2.0 */
/* Files, parts, memory, spooled streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "input/file.h"
#include "input/source.h"
#include "input/spool.h"

#define DATA_SIZE ((size_t)3 << 20)

/* A folder of its own with one file, `data`. */
struct place {
  char folder[64], file[96];
  uint8_t *data;
};

static int set_up(void **state)
{
  struct place *p = calloc(1, sizeof *p);
  strcpy(p->folder, "/tmp/cuwheel-test-XXXXXX");
  assert_non_null(mkdtemp(p->folder));
  snprintf(p->file, sizeof p->file, "%s/data", p->folder);
  p->data = malloc(DATA_SIZE);
  for (size_t i = 0; i < DATA_SIZE; i++)
    p->data[i] = (uint8_t)(i * 2654435761u >> 24);
  FILE *f = fopen(p->file, "wb");
  assert_int_equal(fwrite(p->data, 1, DATA_SIZE, f), DATA_SIZE);
  fclose(f);
  *state = p;
  return 0;
}

static int tear_down(void **state)
{
  struct place *p = *state;
  unlink(p->file);
  rmdir(p->folder);
  free(p->data);
  free(p);
  return 0;
}

static void check_view(struct source *s, const uint8_t *data, uint64_t offset, size_t want)
{
  struct view v;
  assert_int_equal(source_view(s, offset, want, &v), SOURCE_OK);
  assert_int_equal(v.size, want < s->size - offset ? want : s->size - offset);
  assert_memory_equal(v.data, data + offset, v.size);
}

static void check_whole(struct source *s, const uint8_t *data)
{
  struct view v;
  for (uint64_t at = 0; at < s->size; at += 777)
    check_view(s, data, at, 1000);
  for (uint64_t at = s->size; at > 5000; at -= 4999)
    check_view(s, data, at - 4999, SOURCE_WINDOW);
  assert_int_equal(source_view(s, s->size, 1, &v), SOURCE_END);
  assert_int_equal(v.size, 0);
  assert_int_equal(source_view(s, UINT64_MAX, SOURCE_WINDOW, &v), SOURCE_END);
  uint8_t *copy = malloc(s->size);
  assert_int_equal(source_read(s, 1, copy, s->size - 1), SOURCE_OK);
  assert_memory_equal(copy, data + 1, s->size - 1);
  assert_int_equal(source_read(s, 2, copy, s->size - 1), SOURCE_END);
  assert_int_equal(source_read(s, UINT64_MAX, copy, 2), SOURCE_END);
  free(copy);
  assert_int_equal(source_finish(s), SOURCE_OK);
}

static void test_file(void **state)
{
  struct place *p = *state;
  struct input_error error;
  struct source *s = file_source_open(AT_FDCWD, p->file, &error);
  assert_non_null(s);
  assert_int_equal(s->size, DATA_SIZE);
  assert_false(s->forward_is_cheap);
  check_whole(s, p->data);
  source_close(s);
}

static void test_range(void **state)
{
  struct place *p = *state;
  int fd = open(p->file, O_RDONLY);
  struct source *s = file_source_from_fd(fd, false, 100001, 2000000);
  check_whole(s, p->data + 100001);
  source_close(s);
  s = file_source_from_fd(fd, true, 0, DATA_SIZE + 10); /* claims more than there is */
  struct view v;
  assert_int_equal(source_view(s, DATA_SIZE - 5, 10, &v), SOURCE_IO);
  assert_string_equal(s->error_code, "read-failed");
  assert_int_equal(s->error_offset, DATA_SIZE);
  source_close(s);
  assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_memory_and_part(void **state)
{
  struct place *p = *state;
  struct source *memory = source_memory(p->data, DATA_SIZE);
  check_whole(memory, p->data);
  struct source *part = source_part(memory, 4097, 1 << 20), *inner = source_part(part, 3, 500000);
  check_whole(part, p->data + 4097);
  check_whole(inner, p->data + 4100);
  assert_null(source_part(part, 10, 1 << 20));
  assert_null(source_part(part, UINT64_MAX, 2));
  assert_null(source_part(part, 2, UINT64_MAX));
  source_close(inner);
  source_close(part);
  source_close(memory);
  source_close(NULL);
}

static void test_part_error(void **state)
{
  struct place *p = *state;
  struct source *s = file_source_from_fd(open(p->file, O_RDONLY), true, 0, DATA_SIZE + 100);
  struct source *part = source_part(s, DATA_SIZE - 50, 100);
  struct view v;
  assert_int_equal(source_view(part, 40, 20, &v), SOURCE_IO);
  assert_string_equal(part->error_code, "read-failed");
  assert_int_equal(part->error_offset, 50);
  uint8_t out[60];
  assert_int_equal(source_read(part, 0, out, 60), SOURCE_IO);
  source_close(part);
  source_close(s);
}

static void expect_refused(const char *path, const char *code)
{
  struct input_error error = {0};
  assert_null(file_source_open(AT_FDCWD, path, &error));
  assert_string_equal(error.code, code);
}

/* A pipe nobody writes to must not stop the run. */
static void test_refused(void **state)
{
  struct place *p = *state;
  char path[128];
  expect_refused(p->folder, "not-regular");
  expect_refused("/dev/null", "not-regular");
  snprintf(path, sizeof path, "%s/absent", p->folder);
  expect_refused(path, "not-found");
  snprintf(path, sizeof path, "%s/data/below", p->folder);
  expect_refused(path, "not-found");
  snprintf(path, sizeof path, "%s/pipe", p->folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_refused(path, "not-regular");
  unlink(path);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", p->folder);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  expect_refused(address.sun_path, "not-regular");
  close(fd);
  unlink(address.sun_path);
}

static void check_spooled(int fd, uint64_t size, const uint8_t *data)
{
  struct stat st;
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(st.st_nlink, 0);
  assert_int_equal(st.st_size, size);
  struct source *s = file_source_from_fd(fd, true, 0, size);
  check_whole(s, data);
  source_close(s);
}

static void test_spool(void **state)
{
  struct place *p = *state;
  struct input_error error = {0};
  assert_int_equal(setenv("TMPDIR", p->folder, 1), 0);
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  if (fork() == 0) {
    for (size_t at = 0; at < DATA_SIZE;) {
      ssize_t n = write(pipes[1], p->data + at, DATA_SIZE - at < 3333 ? DATA_SIZE - at : 3333);
      at += n > 0 ? (size_t)n : 0;
    }
    _exit(0);
  }
  close(pipes[1]);
  uint64_t size = 0;
  int fd = spool_stream(pipes[0], &size, &error);
  assert_int_equal(size, DATA_SIZE);
  check_spooled(fd, size, p->data);
  close(pipes[0]);

  struct source *memory = source_memory(p->data, DATA_SIZE);
  check_spooled(spool_source(memory, &error), DATA_SIZE, p->data);

  assert_int_equal(setenv("TMPDIR", "/nonexistent/folder", 1), 0);
  assert_int_equal(spool_source(memory, &error), -1);
  assert_string_equal(error.code, "spool-failed");
  assert_non_null(strstr(error.text, "/nonexistent/folder"));
  source_close(memory);
  unsetenv("TMPDIR");
}

static void test_spool_without_room(void **state)
{
  struct place *p = *state;
  struct input_error error = {0};
  struct source *memory = source_memory(p->data, DATA_SIZE);
  struct rlimit before, low;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  low = (struct rlimit){1 << 20, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
  int fd = spool_source(memory, &error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(fd, -1);
  assert_string_equal(error.code, "spool-no-room");
  source_close(memory);
}

static void test_spool_of_a_failing_source(void **state)
{
  struct place *p = *state;
  struct input_error error = {0};
  struct source *s = file_source_from_fd(open(p->file, O_RDONLY), true, 0, DATA_SIZE + 1);
  assert_int_equal(spool_source(s, &error), -1);
  assert_string_equal(error.code, "read-failed");
  source_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_memory_and_part),
      cmocka_unit_test(test_part_error),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_spool),
      cmocka_unit_test(test_spool_without_room),
      cmocka_unit_test(test_spool_of_a_failing_source),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
