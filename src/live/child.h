/* SPDX-License-Identifier: Apache-2.0 */
/* A running cuwheel-probe: frames out and in, with a time limit. */
#ifndef LIVE_CHILD_H
#define LIVE_CHILD_H

#include <sys/types.h>

#include "probe/wire.h"

struct child {
  pid_t pid; /* 0: none runs */
  int to, from;
};

/* false: `reason` says why it does not start. */
bool child_start(struct child *c, const char *program, char *reason, size_t reason_size);

enum child_status {
  CHILD_ANSWERED,
  CHILD_TIMED_OUT,
  CHILD_DIED,     /* `reason` says how */
  CHILD_CLOSED,   /* the same, before it had the whole request: nothing was done with it */
  CHILD_CONFUSED, /* what came is no answer: too long, no frame */
  CHILD_MEMORY
};

/* Sends a request and waits for the answer, `seconds` for both. With any other status than CHILD_ANSWERED the process
 * is ended and reaped. `answer` holds the payload, to be freed with wire_free. */
enum child_status child_exchange(struct child *c, uint32_t kind, const struct wire *request, unsigned seconds,
                                 uint32_t *answer_kind, struct wire *answer, char *reason, size_t reason_size);

/* Ends the process where one runs. */
void child_end(struct child *c);

#endif
