/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gate.h"

void gate_init(struct gate *g, uint64_t total)
{
  pthread_mutex_init(&g->lock, NULL);
  pthread_cond_init(&g->freed, NULL);
  g->total = total;
  g->taken = 0;
  g->waiting = 0;
}

void gate_destroy(struct gate *g)
{
  pthread_mutex_destroy(&g->lock);
  pthread_cond_destroy(&g->freed);
}

uint64_t gate_enter(struct gate *g, uint64_t bytes)
{
  uint64_t granted = bytes < g->total ? bytes : g->total;
  pthread_mutex_lock(&g->lock);
  g->waiting++;
  while (granted > g->total - g->taken)
    pthread_cond_wait(&g->freed, &g->lock);
  g->waiting--;
  g->taken += granted;
  pthread_mutex_unlock(&g->lock);
  return granted;
}

void gate_leave(struct gate *g, uint64_t granted)
{
  pthread_mutex_lock(&g->lock);
  g->taken -= granted;
  pthread_cond_broadcast(&g->freed);
  pthread_mutex_unlock(&g->lock);
}

bool gate_is_wanted(struct gate *g)
{
  pthread_mutex_lock(&g->lock);
  bool wanted = g->waiting > 0;
  pthread_mutex_unlock(&g->lock);
  return wanted;
}
