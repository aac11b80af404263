/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/answer.h"

void probe_answer_init(struct probe_answer *a)
{
  *a = (struct probe_answer){.jit_time = PROBE_UNTOLD, .functions = PROBE_UNTOLD};
}

static void encode_error(struct wire *w, uint32_t tag, const struct probe_error *error)
{
  if (error->number == 0)
    return;
  size_t opened = wire_open(w, tag);
  wire_put_uint(w, WIRE_ERROR_NUMBER, error->number);
  wire_put_text(w, WIRE_ERROR_NAME, error->name);
  wire_put_text(w, WIRE_ERROR_TEXT, error->text);
  wire_put_text(w, WIRE_ERROR_CALL, error->call);
  wire_close(w, opened);
}

void probe_answer_encode(const struct probe_answer *a, struct wire *w)
{
  encode_error(w, WIRE_LOAD_ERROR, &a->load);
  encode_error(w, WIRE_KERNEL_ERROR, &a->kernel);
  encode_error(w, WIRE_LAUNCH_ERROR, &a->launch);
  wire_put_text(w, WIRE_LOG, a->log);
  wire_put_uint(w, WIRE_LOAD_TIME, a->load_time);
  if (a->jit_time != PROBE_UNTOLD)
    wire_put_uint(w, WIRE_JIT_TIME, a->jit_time);
  if (a->functions != PROBE_UNTOLD)
    wire_put_uint(w, WIRE_FUNCTIONS, a->functions);
  wire_put_uint(w, WIRE_FOUND, a->found);
  wire_put_uint(w, WIRE_MISSING, a->missing);
  for (size_t i = 0; i < a->missing_name_count; i++)
    wire_put_text(w, WIRE_MISSING_NAME, a->missing_names[i]);
  wire_put_uint(w, WIRE_BINARY_LEAST, a->binary_least);
  wire_put_uint(w, WIRE_BINARY_MOST, a->binary_most);
  wire_put_uint(w, WIRE_PTX_LEAST, a->ptx_least);
  wire_put_uint(w, WIRE_PTX_MOST, a->ptx_most);
  wire_put_uint(w, WIRE_KERNEL_RAN, a->kernel_ran);
  wire_put_uint(w, WIRE_KERNEL_WRONG, a->kernel_wrong);
  wire_put_uint(w, WIRE_LAUNCHED, a->launched);
  wire_put_uint(w, WIRE_NOT_LAUNCHED, a->not_launched);
  wire_put_text(w, WIRE_LAUNCH_NAME, a->launch_name);
}

static bool decode_error(struct view fields, struct probe_error *error)
{
  struct cursor c = cursor_at(fields, 0);
  struct wire_field f;
  while (wire_next(&c, &f)) {
    if (f.tag == WIRE_ERROR_NUMBER)
      error->number = (uint32_t)wire_uint(&f);
    else if (f.tag == WIRE_ERROR_NAME)
      wire_text(&f, error->name, sizeof error->name);
    else if (f.tag == WIRE_ERROR_TEXT)
      wire_text(&f, error->text, sizeof error->text);
    else if (f.tag == WIRE_ERROR_CALL)
      wire_text(&f, error->call, sizeof error->call);
  }
  return !c.failed;
}

static void decode_number(const struct wire_field *f, struct probe_answer *a)
{
  uint64_t value = wire_uint(f);
  switch (f->tag) {
  case WIRE_LOAD_TIME:
    a->load_time = value;
    break;
  case WIRE_JIT_TIME:
    a->jit_time = value;
    break;
  case WIRE_FUNCTIONS:
    a->functions = value;
    break;
  case WIRE_FOUND:
    a->found = value;
    break;
  case WIRE_MISSING:
    a->missing = value;
    break;
  case WIRE_BINARY_LEAST:
    a->binary_least = (unsigned)value;
    break;
  case WIRE_BINARY_MOST:
    a->binary_most = (unsigned)value;
    break;
  case WIRE_PTX_LEAST:
    a->ptx_least = (unsigned)value;
    break;
  case WIRE_PTX_MOST:
    a->ptx_most = (unsigned)value;
    break;
  case WIRE_KERNEL_RAN:
    a->kernel_ran = value != 0;
    break;
  case WIRE_KERNEL_WRONG:
    a->kernel_wrong = value != 0;
    break;
  case WIRE_LAUNCHED:
    a->launched = value;
    break;
  case WIRE_NOT_LAUNCHED:
    a->not_launched = value;
    break;
  default:
    break;
  }
}

bool probe_answer_decode(struct view payload, struct probe_answer *a)
{
  probe_answer_init(a);
  struct cursor c = cursor_at(payload, 0);
  struct wire_field f;
  bool sound = true;
  while (wire_next(&c, &f)) {
    if (f.tag == WIRE_LOAD_ERROR)
      sound = decode_error(f.bytes, &a->load) && sound;
    else if (f.tag == WIRE_KERNEL_ERROR)
      sound = decode_error(f.bytes, &a->kernel) && sound;
    else if (f.tag == WIRE_LAUNCH_ERROR)
      sound = decode_error(f.bytes, &a->launch) && sound;
    else if (f.tag == WIRE_LOG)
      wire_text(&f, a->log, sizeof a->log);
    else if (f.tag == WIRE_LAUNCH_NAME)
      wire_text(&f, a->launch_name, sizeof a->launch_name);
    else if (f.tag == WIRE_MISSING_NAME && a->missing_name_count < PROBE_MISSING_MAX)
      wire_text(&f, a->missing_names[a->missing_name_count++], PROBE_NAME_MAX);
    else
      decode_number(&f, a);
  }
  return sound && !c.failed;
}
