/* SPDX-License-Identifier: Apache-2.0 */
#include "input/error.h"

#include <stdarg.h>
#include <stdio.h>

void input_error_set(struct input_error *error, const char *code, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  error->code = code;
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
}
