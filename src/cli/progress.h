/* SPDX-License-Identifier: Apache-2.0 */
/* A line on standard error that tells how far the work is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/options.h"
#include "cuwheel/inspect.h"

struct progress {
  struct cuw_progress hook; /* for cuw_inspect */
  const char *path;
  double next; /* seconds of the clock: not drawn before */
  bool drawn;
};

/* On a terminal, once the work takes over a second; else (and with --quiet) it draws nothing. */
void progress_begin(struct progress *progress, const struct options *options, const char *path);

/* The hook for the options of cuw_inspect; NULL where nothing is to be drawn. */
const struct cuw_progress *progress_hook(const struct progress *progress);

void progress_end(struct progress *progress); /* erases the line */

#endif
