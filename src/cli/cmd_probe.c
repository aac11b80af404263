/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/live.h"
#include "cli/output.h"

int cmd_probe(const struct options *options)
{
  int status;
  if (options->word_count == 0) {
    fprintf(stderr, "cuwheel: probe what? Name a wheel, an environment, a folder or a file\n");
    return STATUS_USAGE;
  }
  struct cuw_probe *probe = live_start(options, &status);
  if (!probe)
    return status;
  struct cuw_out *out = output_open(options);
  status = STATUS_USAGE;
  if (out)
    status = output_close(out, options, live_paths(probe, options, out, true));
  cuw_probe_end(probe);
  return status;
}
