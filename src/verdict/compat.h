/* SPDX-License-Identifier: Apache-2.0 */
/* Which image runs on which device; docs/format.md 9.1, docs/compatibility.md. */
#ifndef VERDICT_COMPAT_H
#define VERDICT_COMPAT_H

#include "verdict/driver.h"

/* What an image is judged for. */
struct target {
  unsigned number; /* compute capability, never 101 */
  enum cuw_os os;  /* of the library: driver versions differ */
  const struct cuw_driver *driver;
};

/* sm_101 is sm_110's name before CUDA 13; every other number is itself. */
unsigned arch_chip(unsigned number);

/* Whether the architecture of the image serves the device, whatever the driver. */
bool image_fits_device(const struct cuw_image *image, unsigned number);

/* The same, and the driver can compile it where it is PTX. */
bool image_fits(const struct cuw_image *image, const struct target *target);

#endif
