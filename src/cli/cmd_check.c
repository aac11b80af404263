/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/live.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cuwheel/checked.h"

/* A glob of the command line, and what came nearest to it. */
struct watched {
  const char *option;
  const char *glob;
  bool met;
  size_t distance;
  char nearest[128];
};

struct run {
  const struct options *options;
  struct gpu_list gpus;
  struct cuw_check_options check;
  struct cuw_policy policy;
  struct cuw_check_writer *writer;
  struct cuw_probe *probe; /* NULL: not --live */
  struct cuw_out *out;
  struct watched *watched;
  size_t watched_count;
  char cuda_given[64];
};

static void watch_path(struct watched *w, const char *path)
{
  if (cuw_library_matches(path, &w->glob, 1)) {
    w->met = true;
    return;
  }
  const char *slash = strrchr(path, '/');
  const char *name = slash && !strchr(w->glob, '/') ? slash + 1 : path;
  size_t distance = word_distance(w->glob, name);
  if (distance >= w->distance || strlen(name) >= sizeof w->nearest)
    return;
  w->distance = distance;
  memcpy(w->nearest, name, strlen(name) + 1);
}

static void watch_verdict(struct run *run, const struct cuw_verdict *verdict)
{
  for (size_t i = 0; i < verdict->library_count; i++)
    for (size_t k = 0; k < run->watched_count; k++)
      watch_path(&run->watched[k], verdict->libraries[i].path);
}

/* The words of a report do not change with the policy: what fails by a switch alone is said here. */
static void explain_failure(const struct run *run, const struct cuw_verdict *verdict)
{
  const struct cuw_policy *policy = &run->policy;
  struct cuw_policy other = *policy;
  char cc[CUW_CC_MAX];
  const char *option = "--require-library";
  const char *why = "such a library does not run whole";
  other.strict = false;
  if (policy->strict && cuw_policy_passes(&other, verdict->libraries, verdict->library_count)) {
    option = "--strict";
    why = "it has gated or specialised fatbins";
  }
  other = *policy;
  other.no_jit = false;
  if (policy->no_jit && cuw_policy_passes(&other, verdict->libraries, verdict->library_count)) {
    option = "--no-jit";
    why = "PTX has to be compiled for it";
  }
  struct cuw_out *out = cuw_out_fd(STDERR_FILENO);
  if (!out)
    return;
  cuw_out_string(out, "cuwheel: ");
  cuw_out_name(out, verdict->distribution->name ? verdict->distribution->name : "what is in no distribution");
  cuw_out_printf(out, " fails on %s by %s: %s\n", cuw_cc_text(verdict->gpu->number, cc), option, why);
  cuw_out_close(out, true);
}

static int judge(struct run *run, const struct cuw_checked *checked)
{
  int status = STATUS_OK;
  for (size_t i = 0; i < checked->verdict_count; i++) {
    const struct cuw_verdict *verdict = &checked->verdicts[i];
    watch_verdict(run, verdict);
    if (cuw_policy_passes(&run->policy, verdict->libraries, verdict->library_count))
      continue;
    status = STATUS_VERDICT;
    if (verdict->whole.result < CUW_RESULT_PARTIAL && !run->options->quiet)
      explain_failure(run, verdict);
  }
  for (size_t i = 0; i < checked->verdict_count; i++)
    if (!checked->verdicts[i].whole.complete)
      status = STATUS_DAMAGED;
  return cuw_input_is_damaged(checked->input) ? STATUS_DAMAGED : status;
}

static int check_path(struct run *run, const char *path)
{
  struct progress progress;
  progress_begin(&progress, run->options, path);
  struct cuw_inspect_options how = {
      .jobs = run->options->jobs, .progress = progress_hook(&progress), .max_image_size = run->options->max_image_size};
  struct cuw_checked *checked = cuw_check(path, &how, &run->check);
  progress_end(&progress);
  if (!checked) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", path);
    return STATUS_DAMAGED;
  }
  cuw_check_writer_add(run->writer, checked);
  cuw_out_flush(run->out);
  output_problems(checked->input, run->options);
  int status = judge(run, checked);
  cuw_checked_free(checked);
  return status;
}

static bool watch_globs(struct run *run)
{
  const struct options *o = run->options;
  run->watched = calloc(o->check.required.count + o->check.ignored.count + 1, sizeof *run->watched);
  if (!run->watched)
    return false;
  for (size_t i = 0; i < o->check.required.count; i++)
    run->watched[run->watched_count++] =
        (struct watched){.option = "--require-library", .glob = o->check.required.items[i], .distance = SIZE_MAX};
  for (size_t i = 0; i < o->check.ignored.count; i++)
    run->watched[run->watched_count++] =
        (struct watched){.option = "--ignore-library", .glob = o->check.ignored.items[i], .distance = SIZE_MAX};
  return true;
}

/* Whether every glob named a library; says which did not. */
static bool globs_met(const struct run *run)
{
  bool all = true;
  for (size_t i = 0; i < run->watched_count; i++) {
    const struct watched *w = &run->watched[i];
    if (w->met)
      continue;
    all = false;
    fprintf(stderr, "cuwheel: %s: no library matches '%s'", w->option, w->glob);
    struct cuw_out *out = w->nearest[0] ? cuw_out_fd(STDERR_FILENO) : NULL;
    if (out) {
      cuw_out_string(out, "; the nearest is ");
      cuw_out_name(out, w->nearest);
      cuw_out_close(out, true);
    }
    fprintf(stderr, "\n");
  }
  return all;
}

static void set_up(struct run *run)
{
  const struct options *o = run->options;
  run->check = (struct cuw_check_options){.gpus = run->gpus.gpus,
                                          .gpu_count = run->gpus.count,
                                          .driver = o->check.has_driver ? o->check.driver : run->gpus.driver,
                                          .bytes = o->check.bytes,
                                          .kernels = o->check.kernels,
                                          .max_image_size = o->max_image_size};
  if (o->check.cuda) {
    snprintf(run->cuda_given, sizeof run->cuda_given, "--cuda %.40s", o->check.cuda);
    run->check.selection = (struct cuw_selection){o->check.cuda_number, run->cuda_given};
  }
  run->policy = (struct cuw_policy){.fail_on_none_only = o->check.fail_on_none,
                                    .no_jit = o->check.no_jit,
                                    .strict = o->check.strict,
                                    .all_gpus = run->gpus.all,
                                    .required = o->check.required.items,
                                    .required_count = o->check.required.count,
                                    .ignored = o->check.ignored.items,
                                    .ignored_count = o->check.ignored.count};
}

static int check_paths(struct run *run)
{
  const struct options *o = run->options;
  int status = STATUS_OK;
  for (size_t i = 0; i < o->word_count && !cuw_out_error(run->out); i++) {
    int own = check_path(run, o->words[i]);
    status = own > status ? own : status; /* 3 wins over 1 */
  }
  if (run->probe && !cuw_out_error(run->out)) {
    struct cuw_out *live = cuw_check_writer_live(run->writer);
    int own = live ? live_paths(run->probe, o, live, false) : STATUS_DAMAGED;
    status = own > status ? own : status;
  }
  cuw_check_writer_end(run->writer);
  /* What a glob names may lie in what could not be read. */
  if (!globs_met(run) && status != STATUS_DAMAGED) {
    cuw_out_close(run->out, false);
    return STATUS_USAGE;
  }
  return output_close(run->out, o, status);
}

static int run_check(struct run *run)
{
  const struct options *o = run->options;
  set_up(run);
  if (!watch_globs(run)) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return STATUS_DAMAGED;
  }
  run->out = output_open(o);
  if (!run->out)
    return STATUS_USAGE;
  struct cuw_write_options style = output_style(o);
  run->writer = cuw_check_writer_new(o->format, run->out, &style, &run->check);
  if (run->writer)
    return check_paths(run);
  fprintf(stderr, "cuwheel: out of memory\n");
  cuw_out_close(run->out, false);
  return STATUS_DAMAGED;
}

static bool live_fits(const struct options *o)
{
  bool this = true;
  for (size_t i = 0; i < o->check.gpus.count; i++)
    this = this && strcasecmp(o->check.gpus.items[i], "this") == 0;
  if (!this) {
    fprintf(stderr, "cuwheel: --live asks the driver of this machine: --gpu=this --live\n");
    return false;
  }
  return options_format_fits(o, cuw_probe_format_name);
}

int cmd_check(const struct options *options)
{
  if (options->word_count == 0) {
    fprintf(stderr, "cuwheel: check what? Name a wheel, an environment, a folder or a file\n");
    return STATUS_USAGE;
  }
  struct run run = {.options = options};
  int status = STATUS_OK;
  if (options->probe.live && !live_fits(options))
    return STATUS_USAGE;
  if (options->probe.live)
    run.probe = live_start(options, &status);
  if (status == STATUS_OK)
    status = gpu_list_make(options, &run.gpus);
  if (status == STATUS_OK)
    status = run_check(&run);
  gpu_list_free(&run.gpus);
  cuw_probe_end(run.probe);
  free(run.watched);
  return status;
}
