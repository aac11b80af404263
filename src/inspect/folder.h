/* SPDX-License-Identifier: Apache-2.0 */
/* A folder tree: files as jobs, distributions by their metadata, wheels in it. */
#ifndef INSPECT_FOLDER_H
#define INSPECT_FOLDER_H

#include "inspect/gather.h"

/* Reads all below `path`; an environment is told by the distributions installed in it. */
void folder_inspect(struct gather *g, const char *path);

#endif
