/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of this machine, by what the kernel driver publishes. */
#ifndef CUWHEEL_MACHINE_H
#define CUWHEEL_MACHINE_H

#include "cuwheel/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the kernel driver publishes its GPUs and its version. */
#define CUW_MACHINE_FOLDER "/proc/driver/nvidia"

struct cuw_machine {
  bool has_driver; /* the folder is there */
  char *
      *models; /* of its GPUs, as the driver writes them: "NVIDIA GeForce RTX 5090"; in order of their bus addresses */
  size_t model_count;
  struct cuw_driver driver; /* all zero where the version could not be read */
  char driver_text[32];     /* "570.124.06", or "" */
};

/* Reads a folder made as CUW_MACHINE_FOLDER is. false: out of memory. Free with cuw_machine_free. */
bool cuw_machine_read(const char *folder, struct cuw_machine *out);
void cuw_machine_free(struct cuw_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
