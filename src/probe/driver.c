/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"
#define VERSION_FILE "/proc/driver/nvidia/version"

static const struct symbol {
  const char *name;
  size_t slot;
  bool optional;
} symbols[] = {
    {"cuInit", offsetof(struct cuda, init), false},
    {"cuDriverGetVersion", offsetof(struct cuda, driver_version), false},
    {"cuGetErrorName", offsetof(struct cuda, error_name), true},
    {"cuGetErrorString", offsetof(struct cuda, error_text), true},
    {"cuDeviceGetCount", offsetof(struct cuda, device_count), false},
    {"cuDeviceGet", offsetof(struct cuda, device_get), false},
    {"cuDeviceGetName", offsetof(struct cuda, device_name), false},
    {"cuDeviceGetAttribute", offsetof(struct cuda, device_attribute), false},
    {"cuDevicePrimaryCtxRetain", offsetof(struct cuda, context_retain), false},
    {"cuCtxSetCurrent", offsetof(struct cuda, context_set), false},
    {"cuCtxSynchronize", offsetof(struct cuda, context_synchronize), false},
    {"cuModuleLoadDataEx", offsetof(struct cuda, module_load), false},
    {"cuModuleUnload", offsetof(struct cuda, module_unload), false},
    {"cuModuleGetFunction", offsetof(struct cuda, module_function), false},
    {"cuModuleGetFunctionCount", offsetof(struct cuda, module_function_count), true},
    {"cuModuleEnumerateFunctions", offsetof(struct cuda, module_functions), true},
    {"cuLinkCreate_v2", offsetof(struct cuda, link_create), true},
    {"cuLinkAddData_v2", offsetof(struct cuda, link_add), true},
    {"cuLinkComplete", offsetof(struct cuda, link_complete), true},
    {"cuLinkDestroy", offsetof(struct cuda, link_destroy), true},
    {"cuFuncGetAttribute", offsetof(struct cuda, function_attribute), false},
    {"cuFuncLoad", offsetof(struct cuda, function_load), true},
    {"cuFuncGetParamInfo", offsetof(struct cuda, function_parameter), true},
    {"cuLaunchKernel", offsetof(struct cuda, launch), false},
    {"cuMemAlloc_v2", offsetof(struct cuda, memory_allocate), false},
    {"cuMemFree_v2", offsetof(struct cuda, memory_free), false},
    {"cuMemcpyDtoH_v2", offsetof(struct cuda, memory_read), false},
};

static bool find_symbols(struct cuda *cuda, char reason[DRIVER_REASON_MAX])
{
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *address = dlsym(cuda->library, symbols[i].name);
    if (!address && !symbols[i].optional) {
      snprintf(reason, DRIVER_REASON_MAX, "the driver's %s has no %s: it is too old", LIBRARY, symbols[i].name);
      return false;
    }
    memcpy((char *)cuda + symbols[i].slot, &address, sizeof address);
  }
  return true;
}

void driver_error(const struct cuda *cuda, CUresult result, const char *call, struct probe_error *out)
{
  const char *name = NULL, *text = NULL;
  *out = (struct probe_error){.number = (uint32_t)result};
  if (cuda->error_name)
    cuda->error_name(result, &name);
  if (cuda->error_text)
    cuda->error_text(result, &text);
  snprintf(out->name, sizeof out->name, "%s", name ? name : "");
  snprintf(out->text, sizeof out->text, "%s", text ? text : "");
  snprintf(out->call, sizeof out->call, "%s", call);
}

bool driver_open(struct cuda *cuda, char reason[DRIVER_REASON_MAX])
{
  *cuda = (struct cuda){0};
  cuda->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!cuda->library) {
    snprintf(reason, DRIVER_REASON_MAX, "there is no NVIDIA driver here: %s", dlerror());
    return false;
  }
  if (!find_symbols(cuda, reason))
    return false;
  CUresult result = cuda->init(0);
  if (result == CUDA_SUCCESS)
    return true;
  struct probe_error error;
  driver_error(cuda, result, "cuInit", &error);
  if (result == CUDA_ERROR_NO_DEVICE)
    snprintf(reason, DRIVER_REASON_MAX, "the NVIDIA driver finds no GPU here");
  else
    snprintf(reason, DRIVER_REASON_MAX, "the NVIDIA driver does not start: cuInit gives %u %s (%.120s)", error.number,
             error.name, error.text);
  return false;
}

void driver_close(struct cuda *cuda)
{
  if (cuda->library)
    dlclose(cuda->library);
  cuda->library = NULL;
}

int driver_device_count(const struct cuda *cuda, char reason[DRIVER_REASON_MAX])
{
  int count = 0;
  CUresult result = cuda->device_count(&count);
  if (result == CUDA_SUCCESS && count > 0)
    return count;
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NO_DEVICE)
    snprintf(reason, DRIVER_REASON_MAX, "the NVIDIA driver finds no GPU here");
  else
    snprintf(reason, DRIVER_REASON_MAX, "the NVIDIA driver does not count its GPUs: cuDeviceGetCount gives %d", result);
  return 0;
}

bool driver_device(const struct cuda *cuda, int ordinal, struct driver_device *out, struct probe_error *error)
{
  int major = 0, minor = 0;
  const char *call = "cuDeviceGet";
  *out = (struct driver_device){0};
  CUresult result = cuda->device_get(&out->handle, ordinal);
  if (result == CUDA_SUCCESS) {
    call = "cuDeviceGetName";
    result = cuda->device_name(out->name, (int)sizeof out->name, out->handle);
  }
  if (result == CUDA_SUCCESS) {
    call = "cuDeviceGetAttribute";
    result = cuda->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, out->handle);
  }
  if (result == CUDA_SUCCESS)
    result = cuda->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, out->handle);
  out->name[sizeof out->name - 1] = '\0';
  out->cc = (unsigned)(major * 10 + minor);
  if (result != CUDA_SUCCESS)
    driver_error(cuda, result, call, error);
  return result == CUDA_SUCCESS;
}

unsigned driver_cuda_version(const struct cuda *cuda)
{
  int version = 0;
  if (cuda->driver_version(&version) != CUDA_SUCCESS || version <= 0)
    return 0;
  return (unsigned)version / 1000 * 10 + (unsigned)version % 1000 / 10;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  ...": the first word of digits and dots. */
void driver_kernel_version(char *out, size_t size)
{
  char line[256] = "";
  *out = '\0';
  FILE *file = fopen(VERSION_FILE, "r");
  if (!file)
    return;
  if (!fgets(line, sizeof line, file))
    line[0] = '\0';
  fclose(file);
  for (char *rest = NULL, *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
    if (strchr(word, '.') && word[strspn(word, "0123456789.")] == '\0') {
      snprintf(out, size, "%s", word);
      return;
    }
}
