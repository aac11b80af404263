/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, escaping of names that others chose, and width on a terminal. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with text_free. After a failed allocation it stays as it was. */
struct text {
  char *data;
  size_t length;
  size_t room;
  bool failed;
};

void text_bytes(struct text *t, const char *bytes, size_t length);
void text_string(struct text *t, const char *string);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *t);
void text_free(struct text *t);
const char *text_get(const struct text *t); /* never NULL */

/* Appends `s` safe for a terminal: control characters, invalid UTF-8 and characters that
 * reorder or hide text become \xNN, a byte each. */
void text_escape(struct text *t, const char *s);

/* Appends `s` as valid UTF-8: only invalid bytes become \xNN. */
void text_utf8(struct text *t, const char *s);

/* Appends `s` as one CSV field (RFC 4180), escaped as for a terminal; a ' before what a
 * spreadsheet would take for a formula. */
void text_csv(struct text *t, const char *s);

/* Appends `s` for Markdown, as text that neither formats, links nor mentions anybody; it may stand in a cell of a
 * table. Escaped as for a terminal first. */
void text_markdown(struct text *t, const char *s);

/* Columns that escaped text takes, the same in every locale. */
size_t text_width(const char *s);

/* One character of UTF-8; returns its length in bytes, 0 when invalid. */
size_t utf8_decode(const char *s, uint32_t *code);

#endif
