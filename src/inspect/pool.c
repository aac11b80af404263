/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define TICK_NANOSECONDS 100000000L
#define POOL_THREADS_MAX 256u

struct pool {
  const struct pool_work *work;
  atomic_size_t next;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  unsigned running;
};

struct worker {
  struct pool *pool;
  unsigned number;
  pthread_t thread;
};

static void work_off(struct pool *p, unsigned number)
{
  for (;;) {
    size_t i = atomic_fetch_add(&p->next, 1);
    if (i >= p->work->count)
      return;
    p->work->run(p->work->data, p->work->order ? p->work->order[i] : i, number);
  }
}

static void *worker_main(void *data)
{
  struct worker *w = data;
  work_off(w->pool, w->number);
  if (w->pool->work->idle)
    w->pool->work->idle(w->pool->work->data);
  pthread_mutex_lock(&w->pool->lock);
  w->pool->running--;
  pthread_cond_signal(&w->pool->ended);
  pthread_mutex_unlock(&w->pool->lock);
  return NULL;
}

/* Waits until every worker has ended, ticking meanwhile. */
static void wait_for_all(struct pool *p)
{
  pthread_mutex_lock(&p->lock);
  while (p->running > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_NANOSECONDS;
    if (until.tv_nsec >= 1000000000L) {
      until.tv_sec++;
      until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&p->ended, &p->lock, &until);
    if (p->work->tick && p->running > 0) {
      pthread_mutex_unlock(&p->lock);
      size_t begun = atomic_load(&p->next);
      p->work->tick(p->work->data, begun < p->work->count ? begun : p->work->count);
      pthread_mutex_lock(&p->lock);
    }
  }
  pthread_mutex_unlock(&p->lock);
}

void pool_run(const struct pool_work *work, unsigned threads)
{
  if (threads > POOL_THREADS_MAX)
    threads = POOL_THREADS_MAX;
  if (threads > work->count)
    threads = (unsigned)work->count;
  if (threads == 0)
    return;
  struct pool p = {.work = work, .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
  struct worker *workers = calloc(threads, sizeof *workers);
  unsigned started = 0;
  p.running = workers ? threads : 0;
  while (workers && started < threads) {
    workers[started] = (struct worker){.pool = &p, .number = started};
    if (pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]) != 0)
      break;
    started++;
  }
  if (workers) {
    pthread_mutex_lock(&p.lock);
    p.running -= threads - started;
    pthread_mutex_unlock(&p.lock);
  }
  if (started == 0)
    work_off(&p, 0);
  wait_for_all(&p);
  for (unsigned i = 0; i < started; i++)
    pthread_join(workers[i].thread, NULL);
  free(workers);
}

unsigned pool_cores(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  int n = CPU_COUNT(&set);
  return n > 0 ? (unsigned)n : 1;
}
