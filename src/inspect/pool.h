/* SPDX-License-Identifier: Apache-2.0 */
/* Many independent pieces of work on a few threads. */
#ifndef INSPECT_POOL_H
#define INSPECT_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool_work {
  size_t count;
  const size_t *order; /* the order in which indices are begun; NULL: ascending */
  /* Runs piece `index` on thread `worker` (from 0). Called once per index, from several threads. */
  void (*run)(void *data, size_t index, unsigned worker);
  /* Called from the caller's thread about ten times a second while pieces run; `begun` counts pieces. NULL: none. */
  void (*tick)(void *data, size_t begun);
  /* Called from a worker's thread, which ends then: nothing is left to begin. NULL: none. */
  void (*idle)(void *data);
  void *data;
};

/* Runs every piece on up to `threads` threads (at least 1) and returns when all are done and no thread is left. Fewer
 * threads are used where the system gives no more; with none at all the caller's own thread does the work. */
void pool_run(const struct pool_work *work, unsigned threads);

/* Cores this process may use, at least 1. */
unsigned pool_cores(void);

#endif
