/* SPDX-License-Identifier: Apache-2.0 */
/* Where a command writes to, and what becomes of it when the program is interrupted. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/options.h"
#include "cuwheel/write.h"

/* Standard output, or the file of --output, which a signal removes while it is not whole. NULL
 * after a message: the file cannot be made. */
struct cuw_out *output_open(const struct options *options);

/* Gives the file its name. Returns `status`, or STATUS_DAMAGED after a message where the report
 * could not be written whole. A reader of standard output that went away is no failure. */
int output_close(struct cuw_out *out, const struct options *options, int status);

/* How the report is to look there. */
struct cuw_write_options output_style(const struct options *options);

/* Prints the problems of an input on standard error; with --quiet only its errors. */
void output_problems(const struct cuw_input *input, const struct options *options);

#endif
