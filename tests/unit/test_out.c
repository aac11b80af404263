/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/out.h"

struct place {
  char folder[64];
  char file[96];
};

static int make_place(void **state)
{
  struct place *place = malloc(sizeof *place);
  assert_non_null(place);
  strcpy(place->folder, "/tmp/cuwheel-test-XXXXXX");
  assert_non_null(mkdtemp(place->folder));
  snprintf(place->file, sizeof place->file, "%s/report.json", place->folder);
  *state = place;
  return 0;
}

static int remove_place(void **state)
{
  struct place *place = *state;
  unlink(place->file);
  assert_int_equal(rmdir(place->folder), 0); /* fails where a temporary file is left */
  free(place);
  return 0;
}

static void check_content(const char *path, const char *wanted)
{
  char got[256] = {0};
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_in_range(fread(got, 1, sizeof got - 1, file), 0, sizeof got - 1);
  fclose(file);
  assert_string_equal(got, wanted);
}

static void a_file_appears_when_it_is_whole(void **state)
{
  const struct place *place = *state;
  struct cuw_out *out = cuw_out_file(place->file);
  assert_non_null(out);
  cuw_out_printf(out, "%s\n", "whole");
  cuw_out_flush(out);
  assert_int_not_equal(access(place->file, F_OK), 0);
  assert_int_equal(access(cuw_out_temporary(out), F_OK), 0);
  assert_int_equal(cuw_out_close(out, true), 0);
  check_content(place->file, "whole\n");
}

static void a_dropped_file_leaves_the_old_one(void **state)
{
  const struct place *place = *state;
  FILE *old = fopen(place->file, "w");
  assert_non_null(old);
  fputs("old", old);
  fclose(old);
  struct cuw_out *out = cuw_out_file(place->file);
  assert_non_null(out);
  cuw_out_string(out, "new");
  assert_int_equal(cuw_out_close(out, false), 0);
  check_content(place->file, "old");
}

static void a_replaced_file_keeps_its_mode(void **state)
{
  const struct place *place = *state;
  FILE *old = fopen(place->file, "w");
  assert_non_null(old);
  fclose(old);
  assert_int_equal(chmod(place->file, 0606), 0);
  struct cuw_out *out = cuw_out_file(place->file);
  assert_non_null(out);
  assert_int_equal(cuw_out_close(out, true), 0);
  struct stat st;
  assert_int_equal(stat(place->file, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0606);
}

static void a_full_disk_is_an_error(void **state)
{
  (void)state;
  struct cuw_out *out = cuw_out_file("/dev/full");
  assert_non_null(out);
  assert_null(cuw_out_temporary(out));
  cuw_out_string(out, "x");
  cuw_out_flush(out);
  assert_int_equal(cuw_out_error(out), ENOSPC);
  cuw_out_string(out, "more");
  assert_int_equal(cuw_out_close(out, true), ENOSPC);
}

static void a_wrong_path_is_refused(void **state)
{
  const struct place *place = *state;
  errno = 0;
  assert_null(cuw_out_file("/nonexistent/folder/report"));
  assert_int_equal(errno, ENOENT);
  assert_null(cuw_out_file(place->folder));
  assert_int_equal(errno, EISDIR);
}

static void a_reader_that_left_is_an_error(void **state)
{
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  struct cuw_out *out = cuw_out_fd(ends[1]);
  assert_non_null(out);
  cuw_out_string(out, "x");
  assert_int_equal(cuw_out_close(out, true), EPIPE);
  close(ends[1]);
}

static void long_output_is_whole(void **state)
{
  const struct place *place = *state;
  struct cuw_out *out = cuw_out_file(place->file);
  assert_non_null(out);
  char *large = malloc(100000);
  assert_non_null(large);
  memset(large, 'x', 100000);
  for (int i = 0; i < 10; i++) {
    cuw_out_string(out, "0123456789");
    cuw_out_bytes(out, large, 100000);
  }
  free(large);
  assert_int_equal(cuw_out_close(out, true), 0);
  struct stat st;
  assert_int_equal(stat(place->file, &st), 0);
  assert_int_equal(st.st_size, 10 * 100010);
}

#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
  const struct CMUnitTest tests[] = {
      WITH_PLACE(a_file_appears_when_it_is_whole),
      WITH_PLACE(a_dropped_file_leaves_the_old_one),
      WITH_PLACE(a_replaced_file_keeps_its_mode),
      WITH_PLACE(a_wrong_path_is_refused),
      WITH_PLACE(long_output_is_whole),
      cmocka_unit_test(a_full_disk_is_an_error),
      cmocka_unit_test(a_reader_that_left_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
