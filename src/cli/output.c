/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROBLEMS_SHOWN 20 /* of one input, unless --verbose */

/* A handler has no other way to know. */
static const char *volatile unfinished;

static void on_signal(int number)
{
  if (unfinished)
    unlink(unfinished);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch(int number)
{
  struct sigaction old;
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
    return; /* as nohup wants it */
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static sigset_t block_signals(void)
{
  sigset_t stops, before;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGHUP);
  sigprocmask(SIG_BLOCK, &stops, &before);
  return before;
}

static struct cuw_out *open_file(const char *path)
{
  watch(SIGINT);
  watch(SIGTERM);
  watch(SIGHUP);
  sigset_t before = block_signals();
  struct cuw_out *out = cuw_out_file(path);
  int error = errno;
  if (out)
    unfinished = cuw_out_temporary(out);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!out)
    fprintf(stderr, "cuwheel: cannot write '%s': %s\n", path, strerror(error));
  return out;
}

struct cuw_out *output_open(const struct options *options)
{
  if (options->output)
    return open_file(options->output);
  struct cuw_out *out = cuw_out_fd(STDOUT_FILENO);
  if (!out)
    fprintf(stderr, "cuwheel: out of memory\n");
  return out;
}

int output_close(struct cuw_out *out, const struct options *options, int status)
{
  sigset_t before = block_signals();
  int error = cuw_out_close(out, true);
  unfinished = NULL;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!error || (error == EPIPE && !options->output))
    return status;
  fprintf(stderr, "cuwheel: cannot write %s%s%s: %s\n", options->output ? "'" : "",
          options->output ? options->output : "standard output", options->output ? "'" : "", strerror(error));
  return STATUS_DAMAGED;
}

static bool wants_color(const struct options *options, int fd)
{
  if (options->color != COLOR_AUTO)
    return options->color == COLOR_ALWAYS;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fd) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

/* Of the terminal; where there is none, what COLUMNS says: lines of a pipe or file are whole, so
 * that each can be searched for, unless somebody wants it otherwise. */
static unsigned line_width(const struct options *options)
{
  struct winsize size;
  if (options->output)
    return 0;
  const char *columns = getenv("COLUMNS");
  unsigned long number = columns ? strtoul(columns, NULL, 10) : 0;
  if (number >= 20 && number <= 10000)
    return (unsigned)number;
  if (!isatty(STDOUT_FILENO))
    return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 80;
}

struct cuw_write_options output_style(const struct options *options)
{
  bool color = options->output ? options->color == COLOR_ALWAYS : wants_color(options, STDOUT_FILENO);
  return (struct cuw_write_options){line_width(options), color, options->verbose};
}

void output_problems(const struct cuw_input *input, const struct options *options)
{
  struct cuw_out *out = cuw_out_fd(STDERR_FILENO);
  if (!out)
    return;
  bool color = wants_color(options, STDERR_FILENO);
  size_t shown = 0, hidden = 0;
  for (size_t i = 0; i < input->problem_count; i++) {
    if (options->quiet && input->problems[i].severity != CUW_ERROR)
      continue;
    if (shown == PROBLEMS_SHOWN && !options->verbose) {
      hidden++;
      continue;
    }
    cuw_write_problem(out, &input->problems[i], color);
    shown++;
  }
  if (hidden)
    cuw_out_printf(out, "cuwheel: %zu more problems in this input; --verbose or --format json shows all\n", hidden);
  cuw_out_close(out, true);
}
