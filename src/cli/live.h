/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands ask of the driver of this machine. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "cli/gpu_list.h"
#include "cuwheel/probe.h"

/* Adds the devices of this machine as its driver tells them, and the driver. STATUS_USAGE: no driver answers, and
 * nothing was added. */
int live_gpus(struct gpu_list *list);

/* Starts cuwheel-probe for the options of the line. NULL after a message, with what to end with. */
struct cuw_probe *live_start(const struct options *options, int *status);

/* Tries all paths of the line; writes into `out`, in the format of the line, and returns a status. `problems`: print
 * those of the inputs too. */
int live_paths(struct cuw_probe *probe, const struct options *options, struct cuw_out *out, bool problems);

#endif
