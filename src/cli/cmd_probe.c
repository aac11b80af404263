/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cuwheel/probe.h"

static int worse(int a, int b)
{
  return a > b ? a : b;
}

static int probe_path(struct cuw_probe *probe, const char *path, const struct options *options,
                      struct cuw_probe_writer *writer, struct cuw_out *out)
{
  struct progress progress;
  progress_begin(&progress, options, path);
  struct cuw_inspect_options how = {.progress = progress_hook(&progress)};
  struct cuw_probed *probed = cuw_probe_path(probe, path, &how);
  progress_end(&progress);
  if (!probed) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", path);
    return STATUS_DAMAGED;
  }
  cuw_probe_writer_input(writer, probed);
  cuw_out_flush(out);
  output_problems(probed->input, options);
  struct cuw_probe_counts counts = {0};
  cuw_probe_count(probed, &counts);
  int status = counts.disagrees ? STATUS_VERDICT : STATUS_OK;
  if (counts.untried || probed->memory_out || cuw_input_is_damaged(probed->input))
    status = STATUS_DAMAGED;
  if (probed->memory_out)
    fprintf(stderr, "cuwheel: out of memory: not everything in '%s' was tried\n", path);
  cuw_probed_free(probed);
  return status;
}

static bool choose_devices(struct cuw_probe *probe, const struct probe_choice *choice)
{
  for (size_t i = 0; i < choice->device_count; i++) {
    size_t count;
    if (cuw_probe_choose(probe, choice->devices[i]))
      continue;
    cuw_probe_devices(probe, &count);
    fprintf(stderr, "cuwheel: there is no device %u: this machine has %zu, counted from 0\n", choice->devices[i],
            count);
    return false;
  }
  return true;
}

static int probe_all(struct cuw_probe *probe, const struct options *options)
{
  struct cuw_out *out = output_open(options);
  if (!out)
    return STATUS_USAGE;
  struct cuw_write_options style = output_style(options);
  struct cuw_probe_writer *writer = cuw_probe_writer_new(options->format, out, &style, probe);
  if (!writer) {
    fprintf(stderr, "cuwheel: out of memory\n");
    cuw_out_close(out, false);
    return STATUS_DAMAGED;
  }
  int status = STATUS_OK;
  for (size_t i = 0; i < options->word_count && !cuw_out_error(out); i++)
    status = worse(status, probe_path(probe, options->words[i], options, writer, out));
  cuw_probe_writer_end(writer);
  return output_close(out, options, status);
}

int cmd_probe(const struct options *options)
{
  const struct probe_choice *choice = &options->probe;
  struct cuw_probe_options how = {
      .timeout = choice->timeout, .each_image = choice->each_image, .launch = choice->launch, .unsafe = choice->unsafe,
                                  .max_image_size = options->max_image_size};
  char reason[CUW_PROBE_REASON_MAX];
  if (options->word_count == 0) {
    fprintf(stderr, "cuwheel: probe what? Name a wheel, an environment, a folder or a file\n");
    return STATUS_USAGE;
  }
  if (strcmp(options->format, "table") != 0 && strcmp(options->format, "json") != 0) {
    fprintf(stderr, "cuwheel: probe writes table or json, not %s\n", options->format);
    return STATUS_USAGE;
  }
  struct cuw_probe *probe = cuw_probe_start(&how, reason);
  if (!probe) {
    fprintf(stderr, "cuwheel: %s\n", reason);
    return STATUS_DAMAGED;
  }
  int status = choose_devices(probe, choice) ? probe_all(probe, options) : STATUS_USAGE;
  cuw_probe_end(probe);
  return status;
}
