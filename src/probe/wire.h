/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between cuwheel and cuwheel-probe; docs/probe-protocol.md. */
#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include "base/view.h"

#define WIRE_MAGIC 0x50575543u /* "CUWP" */
#define WIRE_PROTOCOL 1u       /* raised with every change that an older reader would misread */
#define WIRE_HEAD 16u
#define WIRE_REQUEST_MAX ((uint64_t)1 << 31)
#define WIRE_ANSWER_MAX ((uint64_t)1 << 20)

enum wire_kind {
  WIRE_HELLO = 1,
  WIRE_KERNEL = 2, /* run the probe kernel alone */
  WIRE_LOAD = 3,
  WIRE_LINK = 4,
  WIRE_WELCOME = 0x81,
  WIRE_RESULT = 0x82,
  WIRE_REFUSED = 0xff /* the frame before could not be understood, or there is no driver */
};

enum wire_tag {
  WIRE_PROGRAM = 1, /* text: version of the program */
  WIRE_NUMBER,      /* uint: WIRE_PROTOCOL */
  WIRE_REASON,      /* text */
  WIRE_CUDA,        /* uint: 128 is 12.8 */
  WIRE_DRIVER,      /* text: version of the kernel driver */
  WIRE_DEVICE,      /* fields: WIRE_CC, WIRE_NAME */
  WIRE_CC,          /* uint: 90 is 9.0 */
  WIRE_NAME,        /* text: of a device, of a function to look up */
  WIRE_ORDINAL,     /* uint: which device */
  WIRE_SECONDS,     /* uint: after which the work is given up */
  WIRE_LAUNCH,      /* uint: 1: launch kernels without parameters */
  WIRE_IMAGE,       /* bytes: what to load; of a link one for each input */

  WIRE_LOAD_ERROR = 32, /* fields of an error */
  WIRE_KERNEL_ERROR,
  WIRE_LAUNCH_ERROR,
  WIRE_ERROR_NUMBER,
  WIRE_ERROR_NAME,
  WIRE_ERROR_TEXT,
  WIRE_ERROR_CALL,
  WIRE_LOG,       /* text: what the compiler or linker said */
  WIRE_LOAD_TIME, /* uint: microseconds */
  WIRE_JIT_TIME,  /* uint: microseconds in compiler and linker; absent: not told */
  WIRE_FUNCTIONS, /* uint: absent: the driver does not count them */
  WIRE_FOUND,
  WIRE_MISSING,
  WIRE_MISSING_NAME,
  WIRE_BINARY_LEAST,
  WIRE_BINARY_MOST,
  WIRE_PTX_LEAST,
  WIRE_PTX_MOST,
  WIRE_KERNEL_RAN,   /* uint: 1: the probe kernel ran and its result was right */
  WIRE_KERNEL_WRONG, /* uint: 1: it ran and its result was wrong */
  WIRE_LAUNCHED,
  WIRE_NOT_LAUNCHED,
  WIRE_LAUNCH_NAME
};

/* A payload being written. Zero-initialise; after a failed allocation it stays failed. */
struct wire {
  uint8_t *data;
  size_t size, room;
  bool failed;
};
void wire_free(struct wire *w);
void wire_put(struct wire *w, uint32_t tag, const void *bytes, size_t size);
void wire_put_uint(struct wire *w, uint32_t tag, uint64_t value);
void wire_put_text(struct wire *w, uint32_t tag, const char *text);
/* Makes a field of `size` bytes and returns where they go; NULL when memory is out or the field too long. */
uint8_t *wire_put_space(struct wire *w, uint32_t tag, size_t size);
/* Room for `size` more bytes at the end of what was written; NULL likewise. */
uint8_t *wire_extend(struct wire *w, size_t size);
/* A field whose size is not known yet: what is put between the two is inside. */
size_t wire_open(struct wire *w, uint32_t tag);
void wire_close(struct wire *w, size_t opened);

struct wire_field {
  uint32_t tag;
  struct view bytes;
};
/* The next field; false at the end, and where a field does not fit (then c->failed). */
bool wire_next(struct cursor *c, struct wire_field *out);
uint64_t wire_uint(const struct wire_field *field);
/* Copies, cuts to size - 1 bytes and ends with a NUL. */
void wire_text(const struct wire_field *field, char *out, size_t size);

struct wire_head {
  uint32_t kind;
  uint64_t length;
};
void wire_head_encode(const struct wire_head *head, uint8_t out[WIRE_HEAD]);
bool wire_head_decode(const uint8_t bytes[WIRE_HEAD], struct wire_head *out); /* false: no frame starts here */

#endif
