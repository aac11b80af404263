/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuwheel/write.h"

#define FIRST_AFTER 1.0 /* seconds */
#define STEP 0.1

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The line is cut by the terminal, not wrapped, so that one erasure removes it. */
static void draw(void *data, uint64_t done, uint64_t total, const char *member)
{
  struct progress *p = data;
  double time = now();
  if (time < p->next)
    return;
  struct cuw_out *out = cuw_out_fd(STDERR_FILENO);
  if (!out)
    return;
  cuw_out_string(out, "\r\033[K\033[?7l");
  if (total)
    cuw_out_printf(out, "%3u%%  ", (unsigned)((double)done * 100 / (double)total));
  else if (done)
    cuw_out_printf(out, "%.0f MB  ", (double)done / 1e6);
  cuw_out_name(out, last_part(member ? member : p->path));
  cuw_out_string(out, "\033[?7h");
  cuw_out_close(out, true);
  p->drawn = true;
  p->next = time + STEP;
}

void progress_begin(struct progress *progress, const struct options *options, const char *path)
{
  bool wanted = !options->quiet && isatty(STDERR_FILENO);
  *progress = (struct progress){{wanted ? draw : NULL, progress}, path, now() + FIRST_AFTER, false};
}

const struct cuw_progress *progress_hook(const struct progress *progress)
{
  return progress->hook.call ? &progress->hook : NULL;
}

void progress_end(struct progress *progress)
{
  if (progress->drawn)
    fputs("\r\033[K", stderr);
  progress->drawn = false;
}
