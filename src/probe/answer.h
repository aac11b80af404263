/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver did with one image, as it goes over the wire. */
#ifndef PROBE_ANSWER_H
#define PROBE_ANSWER_H

#include "probe/wire.h"

#define PROBE_MISSING_MAX 8u
#define PROBE_NAME_MAX 512u
#define PROBE_UNTOLD UINT64_MAX

struct probe_error {
  uint32_t number; /* CUresult; 0: no error */
  char name[64];   /* CUDA_ERROR_NO_BINARY_FOR_GPU */
  char text[256];
  char call[48]; /* the function that gave it */
};

struct probe_answer {
  struct probe_error load; /* of whatever came up to the lookup of functions */
  struct probe_error kernel;
  struct probe_error launch; /* the first launch that failed for another reason than its shape */
  char log[512];
  uint64_t load_time, jit_time; /* microseconds; jit_time PROBE_UNTOLD where the driver does not say */
  uint64_t functions;           /* in the module; PROBE_UNTOLD */
  uint64_t found, missing;      /* of the names asked for */
  char missing_names[PROBE_MISSING_MAX][PROBE_NAME_MAX];
  size_t missing_name_count;
  unsigned binary_least, binary_most, ptx_least, ptx_most; /* over the functions found; 0 none */
  bool kernel_ran, kernel_wrong;
  uint64_t launched, not_launched; /* not_launched: they need another shape, or the driver tells no parameters */
  char launch_name[PROBE_NAME_MAX];
};

void probe_answer_init(struct probe_answer *a);
void probe_answer_encode(const struct probe_answer *a, struct wire *w);
/* false: the payload is damaged. Fields that are not known are skipped. */
bool probe_answer_decode(struct view payload, struct probe_answer *a);

#endif
