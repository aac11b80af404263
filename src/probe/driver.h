/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of this machine: opened with dlopen, never linked. */
#ifndef PROBE_DRIVER_H
#define PROBE_DRIVER_H

#include <stdbool.h>

#include "probe/answer.h"
#include "probe/cuda_api.h"

#define DRIVER_REASON_MAX 256

/* Opens libcuda.so.1, finds its functions and initialises it. false: `reason` is one sentence. */
bool driver_open(struct cuda *cuda, char reason[DRIVER_REASON_MAX]);
void driver_close(struct cuda *cuda);

/* Notes that `call` failed with `result`. */
void driver_error(const struct cuda *cuda, CUresult result, const char *call, struct probe_error *out);

struct driver_device {
  CUdevice handle;
  unsigned cc; /* 90 is 9.0 */
  char name[128];
};
/* Device `ordinal`. false: `error` says why. */
bool driver_device(const struct cuda *cuda, int ordinal, struct driver_device *out, struct probe_error *error);

/* Number of devices; 0 with `reason` where there is none. */
int driver_device_count(const struct cuda *cuda, char reason[DRIVER_REASON_MAX]);

/* The newest CUDA version that the driver supports, 128 is 12.8; 0 unknown. */
unsigned driver_cuda_version(const struct cuda *cuda);

/* The version of the kernel driver, "570.124.06", as /proc/driver/nvidia/version has it; "" unknown. */
void driver_kernel_version(char *out, size_t size);

#endif
