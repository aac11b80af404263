/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of our own, run after every load: it shows that the context still works. */
#ifndef PROBE_TEST_KERNEL_H
#define PROBE_TEST_KERNEL_H

#include "probe/driver.h"

/* PTX text, compiled by the driver. */
extern const char test_kernel_ptx[];

struct test_kernel {
  CUmodule module;
  CUfunction function;
  CUdeviceptr result;
  uint32_t seed; /* another one each run: old results do not pass for new */
};

/* Loads it into the current context. false: `error` says why. */
bool test_kernel_load(const struct cuda *cuda, struct test_kernel *k, struct probe_error *error);

/* Frees what it holds in the current context. */
void test_kernel_free(const struct cuda *cuda, struct test_kernel *k);

/* Runs it in the current context and checks what it stored. */
void test_kernel_run(const struct cuda *cuda, struct test_kernel *k, struct probe_answer *a);

#endif
