/* SPDX-License-Identifier: Apache-2.0 */
/* Which Python owns a site-packages folder. */
#ifndef INSPECT_INTERPRETER_H
#define INSPECT_INTERPRETER_H

#include "base/arena.h"

/* The interpreter that uses the folder `site` (a path on disk), as a path; NULL when none is found where venv, conda
 * and the Windows layouts (docs/architecture.md) keep theirs. Only looks, runs nothing. */
const char *interpreter_of(struct arena *a, const char *site);

#endif
