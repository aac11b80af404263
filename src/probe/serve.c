/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuwheel/version.h"
#include "probe/module.h"

#define FIRST_PIECE ((size_t)64 << 10)
#define ALIGNMENT 64u
#define INPUTS_MAX 65536u
#define NAMES_MAX 65536u
#define GRACE_SECONDS 10u
#define SECONDS_MAX 86400u

struct device_state {
  bool ready;
  CUcontext context;
  struct test_kernel kernel;
};

struct server {
  int in, out;
  bool driver_tried, driver_open;
  char reason[DRIVER_REASON_MAX]; /* why there is no driver or device */
  struct cuda cuda;
  struct device_state *devices;
  int device_count;
};

/* --- Frames --- */

/* Bytes read: less than asked at the end of the stream, -1 on failure. */
static ssize_t read_all(int fd, uint8_t *to, size_t size)
{
  size_t done = 0;
  while (done < size) {
    ssize_t got = read(fd, to + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

static bool write_all(int fd, const uint8_t *from, size_t size)
{
  while (size > 0) {
    ssize_t put = write(fd, from, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    from += put;
    size -= (size_t)put;
  }
  return true;
}

static bool send_frame(struct server *s, uint32_t kind, struct wire *w)
{
  uint8_t head[WIRE_HEAD];
  wire_head_encode(&(struct wire_head){kind, w->size}, head);
  bool sent = !w->failed && write_all(s->out, head, sizeof head) && write_all(s->out, w->data, w->size);
  wire_free(w);
  return sent;
}

static bool send_refusal(struct server *s, const char *reason)
{
  struct wire w = {0};
  wire_put_text(&w, WIRE_REASON, reason);
  return send_frame(s, WIRE_REFUSED, &w);
}

/* Memory follows the bytes that come. NULL: the stream ends early or memory is out. */
static uint8_t *read_payload(int fd, uint64_t length)
{
  uint8_t *data = malloc(FIRST_PIECE);
  size_t done = 0, room = FIRST_PIECE;
  while (data && done < length) {
    if (done == room) {
      uint8_t *more = realloc(data, room *= 2);
      if (!more)
        break;
      data = more;
    }
    size_t piece = length - done < room - done ? (size_t)(length - done) : room - done;
    if (read_all(fd, data + done, piece) != (ssize_t)piece)
      break;
    done += piece;
  }
  if (data && done == length)
    return data;
  free(data);
  return NULL;
}

/* --- The driver --- */

static bool open_driver(struct server *s)
{
  if (s->driver_tried)
    return s->driver_open;
  s->driver_tried = true;
  if (!driver_open(&s->cuda, s->reason))
    return false;
  s->device_count = driver_device_count(&s->cuda, s->reason);
  if (s->device_count > 0)
    s->devices = calloc((size_t)s->device_count, sizeof *s->devices);
  s->driver_open = s->devices != NULL;
  return s->driver_open;
}

/* Makes the device's context current, with the probe kernel loaded in it. */
static bool enter_device(struct server *s, uint64_t ordinal, struct device_state **out, struct probe_error *error)
{
  struct driver_device device;
  if (ordinal >= (uint64_t)s->device_count) {
    driver_error(&s->cuda, CUDA_ERROR_INVALID_DEVICE, "cuDeviceGet", error);
    return false;
  }
  struct device_state *d = *out = &s->devices[ordinal];
  const char *call = "cuCtxSetCurrent";
  CUresult result = CUDA_SUCCESS;
  if (!d->context) {
    if (!driver_device(&s->cuda, (int)ordinal, &device, error))
      return false;
    call = "cuDevicePrimaryCtxRetain";
    result = s->cuda.context_retain(&d->context, device.handle);
  }
  if (result == CUDA_SUCCESS) {
    call = "cuCtxSetCurrent";
    result = s->cuda.context_set(d->context);
  }
  if (result != CUDA_SUCCESS) {
    driver_error(&s->cuda, result, call, error);
    return false;
  }
  if (!d->ready)
    d->ready = test_kernel_load(&s->cuda, &d->kernel, error);
  return d->ready;
}

/* --- Requests --- */

static bool answer_hello(struct server *s)
{
  char version[64];
  struct wire w = {0};
  wire_put_text(&w, WIRE_PROGRAM, cuw_version());
  wire_put_uint(&w, WIRE_NUMBER, WIRE_PROTOCOL);
  if (!open_driver(s)) {
    wire_put_text(&w, WIRE_REASON, s->reason);
    return send_frame(s, WIRE_WELCOME, &w);
  }
  wire_put_uint(&w, WIRE_CUDA, driver_cuda_version(&s->cuda));
  driver_kernel_version(version, sizeof version);
  wire_put_text(&w, WIRE_DRIVER, version);
  for (int i = 0; i < s->device_count; i++) {
    struct driver_device device;
    struct probe_error error;
    size_t opened = wire_open(&w, WIRE_DEVICE);
    if (driver_device(&s->cuda, i, &device, &error)) {
      wire_put_uint(&w, WIRE_CC, device.cc);
      wire_put_text(&w, WIRE_NAME, device.name);
    }
    wire_close(&w, opened);
  }
  return send_frame(s, WIRE_WELCOME, &w);
}

/* A request taken apart. Images are copies: aligned, and with a NUL behind them. */
struct request {
  uint64_t ordinal;
  bool launch, damaged;
  void **images;
  size_t *sizes;
  size_t image_count;
  char **names;
  size_t name_count;
};

static void request_free(struct request *r)
{
  for (size_t i = 0; i < r->image_count; i++)
    free(r->images[i]);
  for (size_t i = 0; i < r->name_count; i++)
    free(r->names[i]);
  free(r->images);
  free(r->sizes);
  free(r->names);
}

static void add_image(struct request *r, struct view bytes)
{
  size_t room = (bytes.size / ALIGNMENT + 1) * ALIGNMENT; /* at least one byte more */
  uint8_t *copy = r->image_count < INPUTS_MAX ? aligned_alloc(ALIGNMENT, room) : NULL;
  void **images = copy ? realloc(r->images, (r->image_count + 1) * sizeof *images) : NULL;
  r->images = images ? images : r->images;
  size_t *sizes = images ? realloc(r->sizes, (r->image_count + 1) * sizeof *sizes) : NULL;
  r->sizes = sizes ? sizes : r->sizes;
  if (!sizes) {
    free(copy);
    r->damaged = true;
    return;
  }
  memcpy(copy, bytes.data, bytes.size);
  memset(copy + bytes.size, 0, room - bytes.size);
  images[r->image_count] = copy;
  sizes[r->image_count++] = bytes.size;
}

static void add_name(struct request *r, struct view bytes)
{
  char *name = r->name_count < NAMES_MAX ? malloc(bytes.size + 1) : NULL;
  char **names = name ? realloc(r->names, (r->name_count + 1) * sizeof *names) : NULL;
  if (!names) {
    free(name);
    r->damaged = true;
    return;
  }
  r->names = names;
  memcpy(name, bytes.data, bytes.size);
  name[bytes.size] = '\0';
  names[r->name_count++] = name;
}

static void request_read(struct view payload, struct request *r)
{
  struct cursor c = cursor_at(payload, 0);
  struct wire_field f;
  while (!r->damaged && wire_next(&c, &f)) {
    if (f.tag == WIRE_ORDINAL)
      r->ordinal = wire_uint(&f);
    else if (f.tag == WIRE_LAUNCH)
      r->launch = wire_uint(&f) != 0;
    else if (f.tag == WIRE_NAME)
      add_name(r, f.bytes);
    else if (f.tag == WIRE_IMAGE)
      add_image(r, f.bytes);
  }
  r->damaged = r->damaged || c.failed;
}

static void work(struct server *s, uint32_t kind, const struct request *r, struct probe_answer *a)
{
  struct device_state *device;
  if (!enter_device(s, r->ordinal, &device, &a->kernel))
    return;
  if (kind == WIRE_KERNEL) {
    test_kernel_run(&s->cuda, &device->kernel, a);
    return;
  }
  struct module_request m = {.images = (const void *const *)r->images,
                             .sizes = r->sizes,
                             .image_count = r->image_count,
                             .names = (const char *const *)r->names,
                             .name_count = r->name_count,
                             .link = kind == WIRE_LINK,
                             .launch = r->launch};
  module_try(&s->cuda, &device->kernel, &m, a);
}

static bool answer_work(struct server *s, uint32_t kind, struct view payload)
{
  struct request r = {0};
  if (!open_driver(s))
    return send_refusal(s, s->reason);
  request_read(payload, &r);
  bool whole = kind == WIRE_KERNEL || (kind == WIRE_LOAD ? r.image_count == 1 : r.image_count > 0);
  if (r.damaged || !whole) {
    request_free(&r);
    return send_refusal(s, "the request is damaged, or memory is out");
  }
  struct probe_answer a;
  struct wire w = {0};
  probe_answer_init(&a);
  work(s, kind, &r, &a);
  request_free(&r);
  probe_answer_encode(&a, &w);
  return send_frame(s, WIRE_RESULT, &w);
}

/* Whoever asked gives up after that time, and may be gone: a hang ends here too. */
static void set_alarm(struct view payload)
{
  struct cursor c = cursor_at(payload, 0);
  struct wire_field f;
  uint64_t seconds = 0;
  while (wire_next(&c, &f))
    if (f.tag == WIRE_SECONDS)
      seconds = wire_uint(&f);
  if (seconds)
    alarm((unsigned)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) + GRACE_SECONDS);
}

static bool answer(struct server *s, const struct wire_head *head, struct view payload)
{
  switch (head->kind) {
  case WIRE_HELLO:
    return answer_hello(s);
  case WIRE_KERNEL:
  case WIRE_LOAD:
  case WIRE_LINK:
    return answer_work(s, head->kind, payload);
  default:
    return send_refusal(s, "no such request");
  }
}

/* false: nothing more can be read. *status: what the program ends with then. */
static bool serve_one(struct server *s, int *status)
{
  uint8_t bytes[WIRE_HEAD];
  struct wire_head head;
  ssize_t got = read_all(s->in, bytes, sizeof bytes);
  *status = got != 0;
  if (got != (ssize_t)sizeof bytes)
    return false;
  if (!wire_head_decode(bytes, &head)) {
    send_refusal(s, "this is no frame of cuwheel");
    return false;
  }
  if (head.length > WIRE_REQUEST_MAX) {
    send_refusal(s, "the frame is too long");
    return false;
  }
  uint8_t *payload = read_payload(s->in, head.length);
  if (!payload) {
    send_refusal(s, "the frame ends early, or memory is out");
    return false;
  }
  struct view request = {payload, (size_t)head.length};
  set_alarm(request);
  bool sent = answer(s, &head, request);
  alarm(0);
  free(payload);
  return sent;
}

static void leave_devices(struct server *s)
{
  for (int i = 0; s->devices && i < s->device_count; i++) {
    struct device_state *d = &s->devices[i];
    if (d->ready && s->cuda.context_set(d->context) == CUDA_SUCCESS)
      test_kernel_free(&s->cuda, &d->kernel);
  }
  free(s->devices);
}

int serve(int in, int out)
{
  struct server s = {.in = in, .out = out};
  int status;
  while (serve_one(&s, &status))
    ;
  leave_devices(&s);
  driver_close(&s.cuda);
  return status;
}
