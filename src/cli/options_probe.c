/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "cli/options.h"

#define TIMEOUT_MAX 86400ul
#define ORDINAL_MAX 1023ul

/* The digits at *at, which moves behind them. */
static bool read_number(const char **at, unsigned long most, unsigned *out)
{
  char *end;
  errno = 0;
  if (**at < '0' || **at > '9')
    return false;
  unsigned long number = strtoul(*at, &end, 10);
  *at = end;
  *out = (unsigned)number;
  return !errno && number <= most;
}

bool set_device(struct options *o, const char *value)
{
  struct probe_choice *p = &o->probe;
  const char *at = value;
  for (;; at++) {
    unsigned number;
    if (!read_number(&at, ORDINAL_MAX, &number) || (*at && *at != ',') || p->device_count == PROBE_DEVICES_MAX) {
      fprintf(stderr, "cuwheel: --device takes the number of a device, from 0, or several: 0,2; not '%s'\n", value);
      return false;
    }
    p->devices[p->device_count++] = number;
    if (!*at)
      return true;
  }
}

bool set_timeout(struct options *o, const char *value)
{
  const char *at = value;
  if (read_number(&at, TIMEOUT_MAX, &o->probe.timeout) && !*at && o->probe.timeout > 0)
    return true;
  fprintf(stderr, "cuwheel: --timeout takes a number of seconds from 1 to %lu, not '%s'\n", TIMEOUT_MAX, value);
  return false;
}

bool set_each_image(struct options *o, const char *value)
{
  (void)value;
  return o->probe.each_image = true;
}

bool set_launch(struct options *o, const char *value)
{
  (void)value;
  return o->probe.launch = true;
}

bool set_unsafe(struct options *o, const char *value)
{
  (void)value;
  return o->probe.unsafe = true;
}

bool set_live(struct options *o, const char *value)
{
  (void)value;
  return o->probe.live = true;
}
