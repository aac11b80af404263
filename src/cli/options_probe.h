/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `probe`. */
#ifndef CLI_OPTIONS_PROBE_H
#define CLI_OPTIONS_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#define PROBE_DEVICES_MAX 64u

struct probe_choice {
  unsigned devices[PROBE_DEVICES_MAX];
  size_t device_count; /* 0: all */
  unsigned timeout;    /* seconds; 0: the default */
  bool each_image;
  bool launch;
  bool unsafe;
  bool live; /* of `check` */
};

/* Setters of the option table; false after a message. */
struct options;
bool set_device(struct options *o, const char *value);
bool set_timeout(struct options *o, const char *value);
bool set_each_image(struct options *o, const char *value);
bool set_launch(struct options *o, const char *value);
bool set_unsafe(struct options *o, const char *value);
bool set_live(struct options *o, const char *value);

#endif
