/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cuwheel/kernels.h"

static int read_path(const char *path, const struct options *options, struct cuw_kernel_writer *writer,
                     struct cuw_out *out)
{
  struct progress progress;
  progress_begin(&progress, options, path);
  struct cuw_inspect_options how = {
      .jobs = options->jobs, .progress = progress_hook(&progress), .max_image_size = options->max_image_size};
  struct cuw_kernels_options what = {.arch = options->arch ? &options->arch_choice : NULL,
                                     .match = options->match,
                                     .libraries = &options->library,
                                     .library_count = options->library != NULL};
  struct cuw_kernels *kernels = cuw_kernels_read(path, &how, &what);
  progress_end(&progress);
  if (!kernels) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", path);
    return STATUS_DAMAGED;
  }
  cuw_kernel_writer_input(writer, kernels);
  cuw_out_flush(out); /* the listing comes before its problems where both go to a terminal */
  output_problems(cuw_kernels_input(kernels), options);
  int status = cuw_input_is_damaged(cuw_kernels_input(kernels)) ? STATUS_DAMAGED : STATUS_OK;
  cuw_kernels_free(kernels);
  return status;
}

static bool fits(const struct options *options)
{
  char message[256];
  if (options->word_count == 0) {
    fprintf(stderr, "cuwheel: kernels of what? Name a wheel, an environment, a folder or a file\n");
    return false;
  }
  if (!options->match || cuw_kernels_match_check(options->match, message, sizeof message))
    return true;
  fprintf(stderr, "cuwheel: --match takes an extended regular expression: %s in '%s'\n", message, options->match);
  return false;
}

int cmd_kernels(const struct options *options)
{
  if (!fits(options))
    return STATUS_USAGE;
  struct cuw_out *out = output_open(options);
  if (!out)
    return STATUS_USAGE;
  struct cuw_write_options style = output_style(options);
  struct cuw_kernel_writer *writer = cuw_kernel_writer_new(options->format, out, &style);
  if (!writer) {
    fprintf(stderr, "cuwheel: kernels are not written as %s\n", options->format);
    cuw_out_close(out, false);
    return STATUS_USAGE;
  }
  int status = STATUS_OK;
  for (size_t i = 0; i < options->word_count && !cuw_out_error(out); i++)
    if (read_path(options->words[i], options, writer, out) != STATUS_OK)
      status = STATUS_DAMAGED;
  cuw_kernel_writer_end(writer);
  return output_close(out, options, status);
}
