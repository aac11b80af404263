/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/crew.h"

#include <pthread.h>
#include <stdlib.h>

struct crew {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  struct crew_task *first, **last;
  unsigned waiting; /* tasks */
  bool over;
  unsigned helpers;
  pthread_t threads[];
};

static struct crew_task *take(struct crew *c)
{
  struct crew_task *task = c->first;
  if (!task)
    return NULL;
  c->first = task->next;
  if (!c->first)
    c->last = &c->first;
  c->waiting--;
  return task;
}

static void *help(void *data)
{
  struct crew *c = data;
  struct image_buffers b = {0};
  pthread_mutex_lock(&c->lock);
  for (;;) {
    struct crew_task *task = take(c);
    if (task) {
      pthread_mutex_unlock(&c->lock);
      task->run(task, &b);
      pthread_mutex_lock(&c->lock);
    } else if (c->over) {
      break;
    } else {
      pthread_cond_wait(&c->wake, &c->lock);
    }
  }
  pthread_mutex_unlock(&c->lock);
  image_buffers_free(&b);
  return NULL;
}

struct crew *crew_new(unsigned helpers)
{
  struct crew *c = calloc(1, sizeof *c + helpers * sizeof c->threads[0]);
  if (!c)
    return NULL;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->wake, NULL);
  c->last = &c->first;
  while (c->helpers < helpers && pthread_create(&c->threads[c->helpers], NULL, help, c) == 0)
    c->helpers++;
  return c;
}

void crew_free(struct crew *c)
{
  if (!c)
    return;
  pthread_mutex_lock(&c->lock);
  c->over = true;
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->lock);
  for (unsigned i = 0; i < c->helpers; i++)
    pthread_join(c->threads[i], NULL);
  pthread_cond_destroy(&c->wake);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

void crew_give(struct crew *c, struct crew_task *task, struct image_buffers *b)
{
  pthread_mutex_lock(&c->lock);
  bool taken = c->waiting < c->helpers;
  if (taken) {
    task->next = NULL;
    *c->last = task;
    c->last = &task->next;
    c->waiting++;
    pthread_cond_signal(&c->wake);
  }
  pthread_mutex_unlock(&c->lock);
  if (!taken)
    task->run(task, b);
}

bool crew_help(struct crew *c, struct image_buffers *b)
{
  pthread_mutex_lock(&c->lock);
  struct crew_task *task = take(c);
  pthread_mutex_unlock(&c->lock);
  if (task)
    task->run(task, b);
  return task != NULL;
}
