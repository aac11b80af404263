/* SPDX-License-Identifier: Apache-2.0 */
/* One image given to the driver, and all that the driver tells of it. */
#ifndef PROBE_MODULE_H
#define PROBE_MODULE_H

#include "probe/test_kernel.h"

struct module_request {
  const void *const *images; /* one; of a link several. PTX ends with a NUL */
  const size_t *sizes;
  size_t image_count;
  const char *const *names; /* functions to look up */
  size_t name_count;
  bool link;
  bool launch;
};

/* Loads it in the current context, looks at its functions, runs the probe kernel beside it and unloads it. */
void module_try(const struct cuda *cuda, struct test_kernel *kernel, const struct module_request *request,
                struct probe_answer *a);

#endif
