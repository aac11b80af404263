/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that decompress for those that read. */
#ifndef KERNELS_CREW_H
#define KERNELS_CREW_H

#include "carrier/open.h"

struct crew;

/* `helpers` may be 0: then whoever gives a task does it. NULL: out of memory. */
struct crew *crew_new(unsigned helpers);
void crew_free(struct crew *c); /* no task may be left */

struct crew_task {
  void (*run)(struct crew_task *task, struct image_buffers *b);
  struct crew_task *next; /* of the crew */
};

/* A helper runs the task soon; where all have enough to do, it is run here, with the caller's buffers. */
void crew_give(struct crew *c, struct crew_task *task, struct image_buffers *b);

/* Does one waiting task here. false: none waits. */
bool crew_help(struct crew *c, struct image_buffers *b);

#endif
