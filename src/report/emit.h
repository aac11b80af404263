/* SPDX-License-Identifier: Apache-2.0 */
/* JSON written as it comes, so that no report is ever a tree in memory. Numbers are exact up
 * to 64 bits without sign; strings are encoded by jansson, in ASCII. */
#ifndef REPORT_EMIT_H
#define REPORT_EMIT_H

#include "report/out.h"

struct emit {
  struct cuw_out *out;
  bool lines;  /* elements of long arrays on lines of their own */
  bool follow; /* a comma comes before the next member or element */
};

void emit_open(struct emit *e, char bracket);
void emit_close(struct emit *e, char bracket);
/* The next member or element starts a line, indented; nothing where `lines` is off. */
void emit_line(struct emit *e, unsigned indent);
/* Closes an array whose elements are on lines of their own. */
void emit_close_lines(struct emit *e, char bracket, unsigned indent);
void emit_key(struct emit *e, const char *key);
void emit_string(struct emit *e, const char *value); /* NULL gives null */
void emit_uint(struct emit *e, uint64_t value);
void emit_bool(struct emit *e, bool value);
void emit_null(struct emit *e);

static inline void emit_key_string(struct emit *e, const char *key, const char *value)
{
  emit_key(e, key);
  emit_string(e, value);
}

static inline void emit_key_uint(struct emit *e, const char *key, uint64_t value)
{
  emit_key(e, key);
  emit_uint(e, value);
}

static inline void emit_key_bool(struct emit *e, const char *key, bool value)
{
  emit_key(e, key);
  emit_bool(e, value);
}

/* null where `value` is `none`. */
static inline void emit_key_maybe(struct emit *e, const char *key, uint64_t value, uint64_t none)
{
  emit_key(e, key);
  if (value == none)
    emit_null(e);
  else
    emit_uint(e, value);
}

#endif
