/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver can run: CUDA versions, PTX ISA versions, floors; docs/format.md section 8. */
#ifndef VERDICT_DRIVER_H
#define VERDICT_DRIVER_H

#include "cuwheel/check.h"

static inline bool driver_is_given(const struct cuw_driver *d)
{
  return d->part_count != 0 || d->cuda != 0;
}

/* Whether the driver compiles PTX of this ISA. Without a known driver: yes. */
bool driver_knows_isa(const struct cuw_driver *d, enum cuw_os os, unsigned major, unsigned minor);

#define DRIVER_TEXT_MAX 48

/* The first driver for a PTX ISA: "570.26", or "a driver for CUDA 13.2" where no number is established. */
const char *driver_for_isa(unsigned major, unsigned minor, enum cuw_os os, char out[DRIVER_TEXT_MAX]);

/* The CUDA version that brought a PTX ISA, 128 is 12.8; 0: not known. */
unsigned isa_cuda(unsigned major, unsigned minor);

/* The oldest driver that runs anything of a CUDA major version; NULL where none is established. */
const char *driver_floor(unsigned cuda_major, enum cuw_os os);

/* Whether the driver is below the floor of `cuda_major`. `cuda`: the exact version where it is known, else 0. */
bool driver_is_too_old(const struct cuw_driver *d, enum cuw_os os, unsigned cuda_major, unsigned cuda);

#endif
