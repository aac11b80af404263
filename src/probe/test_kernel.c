/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/test_kernel.h"

#include <string.h>

#define BLOCKS 4u
#define THREADS 64u
#define FACTOR 0x9E3779B1u

/* ISA 5.0 and sm_30 are the oldest that serve all GPUs since 2012: every driver that knows a GPU compiles them for it.
 * Each thread stores (its number * FACTOR) ^ seed. */
const char test_kernel_ptx[] = ".version 5.0\n"
                               ".target sm_30\n"
                               ".address_size 64\n"
                               ".visible .entry cuwheel_probe(.param .u64 result, .param .u32 seed)\n"
                               "{\n"
                               "\t.reg .b32 %r<7>;\n"
                               "\t.reg .b64 %rd<5>;\n"
                               "\tld.param.u64 %rd1, [result];\n"
                               "\tld.param.u32 %r1, [seed];\n"
                               "\tmov.u32 %r2, %ctaid.x;\n"
                               "\tmov.u32 %r3, %ntid.x;\n"
                               "\tmov.u32 %r4, %tid.x;\n"
                               "\tmad.lo.u32 %r5, %r2, %r3, %r4;\n"
                               "\tcvta.to.global.u64 %rd2, %rd1;\n"
                               "\tmul.wide.u32 %rd3, %r5, 4;\n"
                               "\tadd.u64 %rd4, %rd2, %rd3;\n"
                               "\tmul.lo.u32 %r6, %r5, 0x9E3779B1;\n"
                               "\txor.b32 %r6, %r6, %r1;\n"
                               "\tst.global.u32 [%rd4], %r6;\n"
                               "\tret;\n"
                               "}\n";

bool test_kernel_load(const struct cuda *cuda, struct test_kernel *k, struct probe_error *error)
{
  *k = (struct test_kernel){0};
  const char *call = "cuModuleLoadDataEx";
  CUresult result = cuda->module_load(&k->module, test_kernel_ptx, 0, NULL, NULL);
  if (result != CUDA_SUCCESS)
    k->module = NULL;
  if (result == CUDA_SUCCESS) {
    call = "cuModuleGetFunction";
    result = cuda->module_function(&k->function, k->module, "cuwheel_probe");
  }
  if (result == CUDA_SUCCESS) {
    call = "cuMemAlloc";
    result = cuda->memory_allocate(&k->result, BLOCKS * THREADS * sizeof(uint32_t));
  }
  if (result == CUDA_SUCCESS)
    return true;
  driver_error(cuda, result, call, error);
  test_kernel_free(cuda, k);
  return false;
}

void test_kernel_free(const struct cuda *cuda, struct test_kernel *k)
{
  if (k->result)
    cuda->memory_free(k->result);
  if (k->module)
    cuda->module_unload(k->module);
  *k = (struct test_kernel){0};
}

void test_kernel_run(const struct cuda *cuda, struct test_kernel *k, struct probe_answer *a)
{
  uint32_t seen[BLOCKS * THREADS];
  memset(seen, 0, sizeof seen);
  k->seed = k->seed * 1664525u + 1013904223u;
  a->kernel_ran = a->kernel_wrong = false;
  void *parameters[] = {&k->result, &k->seed};
  const char *call = "cuLaunchKernel";
  CUresult result = cuda->launch(k->function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL);
  if (result == CUDA_SUCCESS) {
    call = "cuCtxSynchronize";
    result = cuda->context_synchronize();
  }
  if (result == CUDA_SUCCESS) {
    call = "cuMemcpyDtoH";
    result = cuda->memory_read(seen, k->result, sizeof seen);
  }
  if (result != CUDA_SUCCESS) {
    driver_error(cuda, result, call, &a->kernel);
    return;
  }
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    a->kernel_wrong = a->kernel_wrong || seen[i] != ((i * FACTOR) ^ k->seed);
  a->kernel_ran = !a->kernel_wrong;
}
