/* SPDX-License-Identifier: Apache-2.0 */
/* Why an input could not be opened or read. */
#ifndef INPUT_ERROR_H
#define INPUT_ERROR_H

struct input_error {
  const char *code; /* a stable word, static; NULL: no error */
  char text[200];   /* one sentence */
};

void input_error_set(struct input_error *error, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
