/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVE_PROGRAM_H
#define LIVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Where cuwheel-probe is: $CUWHEEL_PROBE; beside the running program; where it was installed; in PATH. false: `reason`
 * says where it was looked for. */
bool probe_program_find(char *path, size_t path_size, char *reason, size_t reason_size);

#endif
