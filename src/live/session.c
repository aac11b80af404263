/* SPDX-License-Identifier: Apache-2.0 */
#include "live/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuwheel/version.h"
#include "live/program.h"

/* Starting a driver and making its first context takes seconds on a machine with many GPUs. */
#define START_SECONDS 30u
#define DEVICES_MAX 1024u

static unsigned start_timeout(const struct cuw_probe *p)
{
  return session_timeout(p) > START_SECONDS ? session_timeout(p) : START_SECONDS;
}

struct welcome {
  char program[64], reason[256], driver[64];
  uint64_t protocol;
  unsigned cuda;
  struct cuw_probe_device *devices;
  size_t device_count;
};

static void read_device(struct cuw_probe *p, struct view fields, struct welcome *w)
{
  struct cuw_probe_device *devices =
      w->device_count < DEVICES_MAX ? arena_grow(p->arena, w->devices, w->device_count, sizeof *devices) : NULL;
  if (!devices)
    return;
  w->devices = devices;
  struct cuw_probe_device *d = &devices[w->device_count];
  *d = (struct cuw_probe_device){.ordinal = (unsigned)w->device_count, .name = "", .wanted = true};
  w->device_count++;
  struct cursor c = cursor_at(fields, 0);
  struct wire_field f;
  while (wire_next(&c, &f)) {
    if (f.tag == WIRE_CC)
      d->cc = (unsigned)wire_uint(&f);
    else if (f.tag == WIRE_NAME)
      d->name = arena_text(p->arena, (const char *)f.bytes.data, f.bytes.size);
  }
}

static void read_welcome(struct cuw_probe *p, const struct wire *answer, struct welcome *w)
{
  struct cursor c = cursor_at((struct view){answer->data, answer->size}, 0);
  struct wire_field f;
  while (wire_next(&c, &f)) {
    if (f.tag == WIRE_PROGRAM)
      wire_text(&f, w->program, sizeof w->program);
    else if (f.tag == WIRE_NUMBER)
      w->protocol = wire_uint(&f);
    else if (f.tag == WIRE_REASON)
      wire_text(&f, w->reason, sizeof w->reason);
    else if (f.tag == WIRE_CUDA)
      w->cuda = (unsigned)wire_uint(&f);
    else if (f.tag == WIRE_DRIVER)
      wire_text(&f, w->driver, sizeof w->driver);
    else if (f.tag == WIRE_DEVICE)
      read_device(p, f.bytes, w);
  }
}

static bool judge_welcome(const struct cuw_probe *p, const struct welcome *w, char reason[CUW_PROBE_REASON_MAX])
{
  if (strcmp(w->program, cuw_version()) != 0 || w->protocol != WIRE_PROTOCOL)
    snprintf(reason, CUW_PROBE_REASON_MAX,
             "'%.200s' is of version %.60s, this program of version %s: install both anew", p->program,
             w->program[0] ? w->program : "?", cuw_version());
  else if (w->reason[0])
    snprintf(reason, CUW_PROBE_REASON_MAX, "%s", w->reason);
  else if (w->device_count == 0)
    snprintf(reason, CUW_PROBE_REASON_MAX, "the NVIDIA driver finds no GPU here");
  else
    return true;
  return false;
}

/* Starts a process and greets it. The first one also tells the devices. */
static bool start(struct cuw_probe *p, struct welcome *w, char reason[CUW_PROBE_REASON_MAX])
{
  struct wire request = {0}, answer = {0};
  uint32_t kind = 0;
  if (!child_start(&p->child, p->program, reason, CUW_PROBE_REASON_MAX))
    return false;
  wire_put_uint(&request, WIRE_SECONDS, start_timeout(p));
  enum child_status status =
      child_exchange(&p->child, WIRE_HELLO, &request, start_timeout(p), &kind, &answer, reason, CUW_PROBE_REASON_MAX);
  wire_free(&request);
  if (status != CHILD_ANSWERED)
    return false;
  *w = (struct welcome){0};
  read_welcome(p, &answer, w);
  wire_free(&answer);
  bool good = judge_welcome(p, w, reason);
  if (!good)
    child_end(&p->child);
  return good;
}

static bool restart(struct cuw_probe *p, char reason[CUW_PROBE_REASON_MAX])
{
  struct welcome w;
  if (p->child.pid > 0)
    return true;
  memset(p->ready, 0, p->device_count * sizeof *p->ready);
  if (!start(p, &w, reason))
    return false;
  if (w.device_count == p->device_count)
    return true;
  snprintf(reason, CUW_PROBE_REASON_MAX, "the driver had %zu devices and now has %zu", p->device_count, w.device_count);
  child_end(&p->child);
  return false;
}

static enum ask_status from_child(enum child_status status)
{
  switch (status) {
  case CHILD_ANSWERED:
    return ASK_ANSWERED;
  case CHILD_TIMED_OUT:
    return ASK_TIMED_OUT;
  case CHILD_DIED:
    return ASK_CRASHED;
  case CHILD_CLOSED:
  case CHILD_CONFUSED:
  case CHILD_MEMORY:
    break;
  }
  return ASK_LOST;
}

/* Of a refusal; "" where it says none. */
static void read_refusal(const struct wire *answer, char out[256])
{
  struct cursor c = cursor_at((struct view){answer->data, answer->size}, 0);
  struct wire_field f;
  out[0] = '\0';
  while (wire_next(&c, &f))
    if (f.tag == WIRE_REASON)
      wire_text(&f, out, 256);
}

static enum ask_status ask(struct cuw_probe *p, uint32_t kind, const struct wire *request, unsigned seconds,
                           struct probe_answer *a, char reason[CUW_PROBE_REASON_MAX])
{
  struct wire answer;
  uint32_t answer_kind = 0;
  enum child_status status =
      child_exchange(&p->child, kind, request, seconds, &answer_kind, &answer, reason, CUW_PROBE_REASON_MAX);
  if (status != CHILD_ANSWERED)
    return from_child(status);
  bool sound = answer_kind == WIRE_RESULT && probe_answer_decode((struct view){answer.data, answer.size}, a);
  char refusal[256] = "";
  if (answer_kind == WIRE_REFUSED)
    read_refusal(&answer, refusal);
  wire_free(&answer);
  if (!sound) {
    if (answer_kind == WIRE_REFUSED)
      snprintf(reason, CUW_PROBE_REASON_MAX, "the probe program refused the request: %s",
               refusal[0] ? refusal : "it does not say why");
    else
      snprintf(reason, CUW_PROBE_REASON_MAX, "the probe program's answer is damaged");
    child_end(&p->child);
    return ASK_LOST;
  }
  if (a->kernel_ran)
    return ASK_ANSWERED;
  child_end(&p->child);
  if (a->kernel_wrong)
    snprintf(reason, CUW_PROBE_REASON_MAX, "the probe kernel gives wrong results");
  else
    snprintf(reason, CUW_PROBE_REASON_MAX, "the probe kernel does not run: %s gives %u %s", a->kernel.call,
             a->kernel.number, a->kernel.name);
  return ASK_BROKEN;
}

/* A device on which the probe kernel does not run by itself cannot tell anything about images. */
static bool make_ready(struct cuw_probe *p, size_t device, char reason[CUW_PROBE_REASON_MAX])
{
  if (p->ready[device])
    return true;
  struct wire request = {0};
  struct probe_answer a;
  wire_put_uint(&request, WIRE_ORDINAL, p->devices[device].ordinal);
  wire_put_uint(&request, WIRE_SECONDS, start_timeout(p));
  enum ask_status status = ask(p, WIRE_KERNEL, &request, start_timeout(p), &a, reason);
  wire_free(&request);
  p->ready[device] = status == ASK_ANSWERED;
  if (p->ready[device])
    return true;
  char what[CUW_PROBE_REASON_MAX];
  snprintf(what, sizeof what, "%s", reason);
  snprintf(reason, CUW_PROBE_REASON_MAX, "nothing runs on device %u: %.400s", p->devices[device].ordinal, what);
  return false;
}

enum ask_status session_ask(struct cuw_probe *p, size_t device, uint32_t kind, const struct wire *request,
                            struct probe_answer *answer, char reason[CUW_PROBE_REASON_MAX])
{
  reason[0] = '\0';
  probe_answer_init(answer);
  struct device_failures *failures = &p->failures[device];
  if (failures->count >= FAILURES_MAX) {
    memcpy(reason, failures->reason, sizeof failures->reason);
    return ASK_LOST;
  }
  if (!restart(p, reason) || !make_ready(p, device, reason)) {
    failures->count++;
    memcpy(failures->reason, reason, sizeof failures->reason);
    return ASK_LOST;
  }
  failures->count = 0;
  return ask(p, kind, request, session_timeout(p), answer, reason);
}

struct cuw_probe *cuw_probe_start(const struct cuw_probe_options *options, char reason[CUW_PROBE_REASON_MAX])
{
  struct cuw_probe *p = calloc(1, sizeof *p);
  struct welcome w;
  snprintf(reason, CUW_PROBE_REASON_MAX, "memory ran out");
  if (!p)
    return NULL;
  p->options = *options;
  p->arena = arena_new();
  bool good = p->arena != NULL;
  if (good && options->program)
    snprintf(p->program, sizeof p->program, "%s", options->program);
  else if (good)
    good = probe_program_find(p->program, sizeof p->program, reason, CUW_PROBE_REASON_MAX);
  if (good && start(p, &w, reason)) {
    p->cuda = w.cuda;
    p->driver = w.driver[0] ? arena_string(p->arena, w.driver) : NULL;
    p->devices = w.devices;
    p->device_count = w.device_count;
    p->ready = arena_alloc(p->arena, p->device_count * sizeof *p->ready);
    p->failures = arena_alloc(p->arena, p->device_count * sizeof *p->failures);
    if (!arena_failed(p->arena))
      return p;
    snprintf(reason, CUW_PROBE_REASON_MAX, "memory ran out");
  }
  cuw_probe_end(p);
  return NULL;
}

void cuw_probe_end(struct cuw_probe *p)
{
  if (!p)
    return;
  child_end(&p->child);
  arena_free(p->arena);
  free(p);
}

const struct cuw_probe_device *cuw_probe_devices(const struct cuw_probe *p, size_t *count)
{
  *count = p->device_count;
  return p->devices;
}

unsigned cuw_probe_cuda(const struct cuw_probe *p)
{
  return p->cuda;
}

const char *cuw_probe_driver(const struct cuw_probe *p)
{
  return p->driver;
}

bool cuw_probe_choose(struct cuw_probe *p, unsigned ordinal)
{
  if (ordinal >= p->device_count)
    return false;
  for (size_t i = 0; !p->chosen && i < p->device_count; i++)
    p->devices[i].wanted = false;
  p->chosen = true;
  p->devices[ordinal].wanted = true;
  return true;
}
