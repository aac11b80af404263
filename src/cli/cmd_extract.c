/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cuwheel/extract.h"

#define EXISTING_SHOWN 5

static bool fits(const struct options *options)
{
  if (options->word_count == 1 && options->output)
    return true;
  if (options->word_count != 1)
    fprintf(stderr, "cuwheel: extract takes one wheel, environment, folder or file\n");
  else
    fprintf(stderr, "cuwheel: extract where to? Name a folder with --output\n");
  return false;
}

static void print_names(const struct cuw_extracted *e)
{
  struct cuw_out *out = cuw_out_fd(STDOUT_FILENO);
  for (size_t i = 0; out && i < e->name_count; i++) {
    cuw_out_name(out, e->names[i]);
    cuw_out_string(out, "\n");
  }
  if (out)
    cuw_out_close(out, true);
}

static void print_existing(const struct cuw_extracted *e, const char *folder)
{
  for (size_t i = 0; i < e->existing_count && i < EXISTING_SHOWN; i++)
    fprintf(stderr, "cuwheel: '%s/%s' is there; --force replaces it\n", folder, e->existing[i]);
  if (e->existing_count > EXISTING_SHOWN)
    fprintf(stderr, "cuwheel: and %zu more files are there\n", e->existing_count - EXISTING_SHOWN);
}

static void print_error(const struct cuw_extracted *e, const char *folder)
{
  fprintf(stderr, "cuwheel: cannot write '%s%s%s': %s\n", folder, e->error_name ? "/" : "",
          e->error_name ? e->error_name : "", strerror(e->error));
}

static int finish(const struct cuw_extracted *e, const struct options *options)
{
  int status = STATUS_OK;
  print_names(e);
  fflush(stdout);
  if (e->input) {
    output_problems(e->input, options);
    status = cuw_input_is_damaged(e->input) ? STATUS_DAMAGED : STATUS_OK;
  }
  if (e->existing_count) {
    print_existing(e, options->output);
    status = STATUS_USAGE;
  }
  if (e->error) {
    print_error(e, options->output);
    status = e->input ? STATUS_DAMAGED : STATUS_USAGE;
  }
  if (status != STATUS_OK || e->name_count)
    return status;
  if (!options->quiet)
    fprintf(stderr, "cuwheel: no such image in '%s'\n", options->words[0]);
  return STATUS_VERDICT;
}

int cmd_extract(const struct options *options)
{
  if (!fits(options))
    return STATUS_USAGE;
  struct progress progress;
  progress_begin(&progress, options, options->words[0]);
  struct cuw_inspect_options how = {
      .jobs = options->jobs, .progress = progress_hook(&progress), .max_image_size = options->max_image_size};
  struct cuw_extract_options what = {.folder = options->output,
                                     .force = options->force,
                                     .cubin = !options->kind || strcmp(options->kind, "cubin") == 0,
                                     .ptx = !options->kind || strcmp(options->kind, "ptx") == 0,
                                     .arch = options->arch ? &options->arch_choice : NULL,
                                     .fatbin = options->has_fatbin ? options->fatbin : CUW_NO_FATBIN,
                                     .libraries = &options->library,
                                     .library_count = options->library != NULL};
  struct cuw_extracted *e = cuw_extract(options->words[0], &how, &what);
  progress_end(&progress);
  if (!e) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", options->words[0]);
    return STATUS_DAMAGED;
  }
  int status = finish(e, options);
  cuw_extracted_free(e);
  return status;
}
