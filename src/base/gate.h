/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of memory that threads share: who needs much waits until others have given theirs back. */
#ifndef BASE_GATE_H
#define BASE_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
  pthread_mutex_t lock;
  pthread_cond_t freed;
  uint64_t total, taken; /* bytes */
  unsigned waiting;
};

void gate_init(struct gate *g, uint64_t total);
void gate_destroy(struct gate *g);

/* Takes `bytes` of the budget, waiting for them. More than the whole budget is granted to one at a time, with nobody
 * beside. Returns what to give back. A thread holds one grant at a time. */
uint64_t gate_enter(struct gate *g, uint64_t bytes);
void gate_leave(struct gate *g, uint64_t granted);

/* Whether somebody waits: then it is polite to leave between two pieces of work. */
bool gate_is_wanted(struct gate *g);

#endif
