/* SPDX-License-Identifier: Apache-2.0 */
/* What one deflated member is read with; shared by inflate.c and inflate_workspace.c alone. */
#ifndef INPUT_INFLATE_WORKSPACE_H
#define INPUT_INFLATE_WORKSPACE_H

#include <stdatomic.h>

#include "input/inflate.h"
#include "input/inflate_stream.h"

#define CHECKPOINTS_MAX 96u

/* The inflater's state at a place, to resume from. */
struct checkpoint {
  void *state;
  uint64_t in_offset, out_offset;
};

struct inflate_workspace {
  const struct inflate_backend *backend;
  struct inflate_stream forward;             /* from the start to the end, once */
  struct inflate_stream rewind;              /* from a checkpoint on, for what the forward pass has dropped */
  struct checkpoint points[CHECKPOINTS_MAX]; /* ascending; states behind `count` are kept for reuse */
  size_t count, most;
  uint64_t first_spacing, spacing;
  atomic_uint *spare; /* NULL: no member is decoded ahead */
  bool busy;
  atomic_uint_fast64_t position; /* bytes of output so far; another thread may look */
};

/* Ready for another member. false: out of memory. */
bool workspace_begin(struct inflate_workspace *w);

/* Notes the forward pass's place where the last checkpoint is far enough away. Without memory it leaves things as
 * they are: going back then costs more. */
void workspace_note(struct inflate_workspace *w);

/* Places the rewinder at or before `offset`, going on from where it is when that is nearest. false: out of memory. */
bool workspace_rewind(struct inflate_workspace *w, uint64_t offset);

#endif
