/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a distribution compiles GPU code when it runs, so that its images are not all it can run. */
#ifndef INSPECT_COMPILER_H
#define INSPECT_COMPILER_H

#include "inspect/gather.h"

/* What shows it, in words ("links libnvrtc.so.13"); NULL when nothing does. The strongest sign is told: linking NVRTC,
 * opening it by name, Triton, CUDA sources. */
const char *compiler_sign(struct arena *a, const struct cuw_distribution *d, const struct found_distribution *f);

#endif
