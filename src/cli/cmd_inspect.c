/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cuwheel/inspect.h"

static int inspect_path(const char *path, const struct options *options, struct cuw_writer *writer, struct cuw_out *out)
{
  struct progress progress;
  progress_begin(&progress, options, path);
  struct cuw_inspect_options how = {.jobs = options->jobs,
                                    .progress = progress_hook(&progress),
                                    .verify = options->verify,
                                    .max_image_size = options->max_image_size,
                                    .ahead = options->ahead};
  struct cuw_input *input = cuw_inspect(path, &how);
  progress_end(&progress);
  if (!input) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", path);
    return STATUS_DAMAGED;
  }
  cuw_writer_input(writer, input);
  cuw_out_flush(out); /* the listing comes before its problems where both go to a terminal */
  output_problems(input, options);
  int status = cuw_input_is_damaged(input) ? STATUS_DAMAGED : STATUS_OK;
  cuw_input_free(input);
  return status;
}

int cmd_inspect(const struct options *options)
{
  if (options->word_count == 0) {
    fprintf(stderr, "cuwheel: inspect what? Name a wheel, an environment, a folder or a file\n");
    return STATUS_USAGE;
  }
  if (options->ahead && !cuw_can_decode_ahead() && !options->quiet)
    fprintf(stderr, "cuwheel: --ahead has no effect: this cuwheel was built without ISA-L\n");
  struct cuw_out *out = output_open(options);
  if (!out)
    return STATUS_USAGE;
  struct cuw_write_options style = output_style(options);
  struct cuw_writer *writer = cuw_writer_new(options->format, out, &style);
  if (!writer) {
    fprintf(stderr, "cuwheel: out of memory\n");
    cuw_out_close(out, false);
    return STATUS_DAMAGED;
  }
  int status = STATUS_OK;
  for (size_t i = 0; i < options->word_count && !cuw_out_error(out); i++)
    if (inspect_path(options->words[i], options, writer, out) != STATUS_OK)
      status = STATUS_DAMAGED;
  cuw_writer_end(writer);
  return output_close(out, options, status);
}
