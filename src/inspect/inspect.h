/* SPDX-License-Identifier: Apache-2.0 */
/* cuw_inspect for callers that look at each library while its bytes are at hand. */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include "cuwheel/inspect.h"
#include "inspect/job.h"

struct cuw_input *inspect_visited(const char *path, const struct cuw_inspect_options *options,
                                  const struct job_visitor *visitor);

/* Bytes that one opened image may have. `options` may be NULL. */
uint64_t inspect_image_limit(const struct cuw_inspect_options *options);

#endif
