/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

/* Each returns an exit status. */
int cmd_check(const struct options *options);
int cmd_gpus(const struct options *options);
int cmd_inspect(const struct options *options);
int cmd_kernels(const struct options *options);
int cmd_extract(const struct options *options);
int cmd_probe(const struct options *options);

#endif
