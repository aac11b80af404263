/* SPDX-License-Identifier: Apache-2.0 */
/* cuwheel-probe, started anew as often as an image takes it down. */
#ifndef LIVE_SESSION_H
#define LIVE_SESSION_H

#include "base/arena.h"
#include "cuwheel/probe.h"
#include "live/child.h"
#include "probe/answer.h"

/* A device that cannot be used, time after time, is not asked any more. */
#define FAILURES_MAX 2u
struct device_failures {
  unsigned count;
  char reason[CUW_PROBE_REASON_MAX];
};

struct cuw_probe {
  struct cuw_probe_options options;
  struct arena *arena;
  char program[4096];
  struct child child;
  unsigned cuda;
  const char *driver;
  struct cuw_probe_device *devices;
  bool *ready; /* of the running process: its probe kernel ran on the device */
  struct device_failures *failures;
  size_t device_count;
  bool chosen; /* some device was named */
};

enum ask_status {
  ASK_ANSWERED,
  ASK_CRASHED,
  ASK_TIMED_OUT,
  ASK_BROKEN, /* answered, and the probe kernel does not run any more: `answer` is filled */
  ASK_LOST    /* not asked: no process can be had, or nothing runs on the device */
};

/* Sends a request for the device. `reason` says what happened, but for ASK_ANSWERED. */
enum ask_status session_ask(struct cuw_probe *p, size_t device, uint32_t kind, const struct wire *request,
                            struct probe_answer *answer, char reason[CUW_PROBE_REASON_MAX]);

static inline unsigned session_timeout(const struct cuw_probe *p)
{
  return p->options.timeout ? p->options.timeout : CUW_PROBE_TIMEOUT;
}

#endif
