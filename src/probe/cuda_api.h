/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the CUDA Driver API that the probe calls, declared here so that neither a toolkit nor the driver is
 * needed to build. Names, numbers and signatures are those of NVIDIA's "CUDA Driver API" reference manual
 * (docs.nvidia.com/cuda/cuda-driver-api), its modules named at each block. A function of which the ABI has changed is
 * exported under a name with a version, "cuMemAlloc_v2": that is the one to look up. */
#ifndef PROBE_CUDA_API_H
#define PROBE_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

/* "Data types used by CUDA driver". Enumerations are passed as int. */
typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr; /* unsigned long long where pointers have 64 bits */
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUlinkState_st *CUlinkState;

/* "Data types used by CUDA driver", enum CUresult */
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_MPS_LAST = 810, /* 802 to 810: the system, its driver or MPS is not ready */
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912
};

/* The same, enum CUdevice_attribute */
enum { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76 };

/* The same, enum CUfunction_attribute: major * 10 + minor of the virtual architecture that the function was compiled
 * from, and of the architecture that it was compiled for. */
enum { CU_FUNC_ATTRIBUTE_PTX_VERSION = 5, CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6 };

/* The same, enum CUjit_option. WALL_TIME: the option's value is overwritten with a float, milliseconds in the compiler
 * and linker. */
enum { CU_JIT_WALL_TIME = 2, CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

/* The same, enum CUjitInputType */
enum { CU_JIT_INPUT_FATBINARY = 2 };

/* A driver's functions; NULL where it does not export one. */
struct cuda {
  /* "Initialization", "Version Management", "Error Handling" */
  CUresult (*init)(unsigned flags);
  CUresult (*driver_version)(int *version); /* 1000 * major + 10 * minor of the newest CUDA it supports */
  CUresult (*error_name)(CUresult error, const char **text);
  CUresult (*error_text)(CUresult error, const char **text);

  /* "Device Management", "Primary Context Management", "Context Management" */
  CUresult (*device_count)(int *count);
  CUresult (*device_get)(CUdevice *device, int ordinal);
  CUresult (*device_name)(char *name, int length, CUdevice device);
  CUresult (*device_attribute)(int *value, int attribute, CUdevice device);
  CUresult (*context_retain)(CUcontext *context, CUdevice device);
  CUresult (*context_set)(CUcontext context);
  CUresult (*context_synchronize)(void);

  /* "Module Management" */
  CUresult (*module_load)(CUmodule *module, const void *image, unsigned count, int *options, void **values);
  CUresult (*module_unload)(CUmodule module);
  CUresult (*module_function)(CUfunction *function, CUmodule module, const char *name);
  CUresult (*module_function_count)(unsigned *count, CUmodule module);                  /* CUDA 12.4 */
  CUresult (*module_functions)(CUfunction *functions, unsigned count, CUmodule module); /* CUDA 12.4 */
  CUresult (*link_create)(unsigned count, int *options, void **values, CUlinkState *state);
  CUresult (*link_add)(CUlinkState state, int type, void *data, size_t size, const char *name, unsigned count,
                       int *options, void **values);
  CUresult (*link_complete)(CUlinkState state, void **cubin, size_t *size);
  CUresult (*link_destroy)(CUlinkState state);

  /* "Execution Control" */
  CUresult (*function_attribute)(int *value, int attribute, CUfunction function);
  CUresult (*function_load)(CUfunction function);                                                  /* CUDA 12.4 */
  CUresult (*function_parameter)(CUfunction function, size_t index, size_t *offset, size_t *size); /* CUDA 12.4 */
  CUresult (*launch)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                     unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
                     void **extra);

  /* "Memory Management" */
  CUresult (*memory_allocate)(CUdeviceptr *pointer, size_t size);
  CUresult (*memory_free)(CUdeviceptr pointer);
  CUresult (*memory_read)(void *to, CUdeviceptr from, size_t size);

  void *library;
};

#endif
