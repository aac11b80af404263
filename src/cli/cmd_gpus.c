/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <stdlib.h>

#include "cli/gpu_list.h"
#include "cli/output.h"

int cmd_gpus(const struct options *options)
{
  unsigned *numbers = calloc(options->word_count + 1, sizeof *numbers);
  if (!numbers) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return STATUS_DAMAGED;
  }
  int status = STATUS_OK;
  for (size_t i = 0; i < options->word_count && status == STATUS_OK; i++) {
    struct cuw_gpu gpu = {0};
    if (!gpu_list_find("gpus", options->words[i], &gpu))
      status = STATUS_USAGE;
    numbers[i] = gpu.number;
  }
  struct cuw_out *out = status == STATUS_OK ? output_open(options) : NULL;
  if (out) {
    struct cuw_write_options style = output_style(options);
    cuw_write_gpus(options->format, out, &style, numbers, options->word_count);
    status = output_close(out, options, STATUS_OK);
  } else
    status = STATUS_USAGE;
  free(numbers);
  return status;
}
