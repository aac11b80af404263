/* SPDX-License-Identifier: Apache-2.0 */
/* Open a path and read everything in it. */
#ifndef CUWHEEL_INSPECT_H
#define CUWHEEL_INSPECT_H

#include "cuwheel/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuw_progress {
  /* Called now and then from the thread that called cuw_inspect: bytes done of bytes in all
   * (0: unknown), and the member at hand. */
  void (*call)(void *data, uint64_t done, uint64_t total, const char *member);
  void *data;
};

struct cuw_inspect_options {
  unsigned jobs;                       /* threads; 0: one a core, at most 8 */
  const struct cuw_progress *progress; /* NULL: none */
  bool verify;                         /* open every image and hold it against its entry */
  uint64_t max_image_size;             /* bytes of one opened image; 0: CUW_IMAGE_SIZE_MAX */
  bool ahead;                          /* where a thread has nothing else to do, it decodes a large member ahead */
};

/* Default limit of one opened image, bytes. */
#define CUW_IMAGE_SIZE_MAX ((uint64_t)1 << 30)

/* Whether `ahead` has an effect: not where ISA-L was left out. */
bool cuw_can_decode_ahead(void);

/* Reads `path` (a wheel, an environment, a folder, a file, "-"). Always returns a record, also
 * where the path does not exist: its problems say so. NULL only when memory is out.
 * Free with cuw_input_free. */
struct cuw_input *cuw_inspect(const char *path, const struct cuw_inspect_options *options);

#ifdef __cplusplus
}
#endif
#endif
