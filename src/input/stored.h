/* SPDX-License-Identifier: Apache-2.0 */
/* A member that is stored as it is: any order of reading costs the same. */
#ifndef INPUT_STORED_H
#define INPUT_STORED_H

#include "input/inflate.h"

/* Like inflate_source, without a workspace. */
struct source *stored_source(const struct inflate_member *member);

#endif
