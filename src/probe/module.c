/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENUMERATED_MAX (1u << 20)
#define OPTIONS 3u

struct module {
  const struct cuda *cuda;
  CUmodule handle;
  CUlinkState link;
  void *link_values[OPTIONS]; /* the driver writes to them as long as `link` lives */
  struct probe_answer *answer;
};

static bool note(struct module *m, CUresult result, const char *call)
{
  if (result != CUDA_SUCCESS && m->answer->load.number == 0)
    driver_error(m->cuda, result, call, &m->answer->load);
  return result == CUDA_SUCCESS;
}

static uint64_t microseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* The options that make the driver tell what its compiler or linker said and how long that took. */
static void jit_options(struct probe_answer *a, int options[OPTIONS], void *values[OPTIONS])
{
  options[0] = CU_JIT_WALL_TIME;
  values[0] = NULL;
  options[1] = CU_JIT_ERROR_LOG_BUFFER;
  values[1] = a->log;
  options[2] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
  values[2] = (void *)(uintptr_t)(sizeof a->log - 1);
}

/* The value that comes back is a float in the first bytes of the slot. */
static void note_jit_time(struct probe_answer *a, void *const *value)
{
  float milliseconds;
  memcpy(&milliseconds, value, sizeof milliseconds);
  if (milliseconds >= 0 && milliseconds < 1e12f) {
    uint64_t time = (uint64_t)((double)milliseconds * 1000.0);
    a->jit_time = a->jit_time == PROBE_UNTOLD ? time : a->jit_time + time;
  }
}

static bool load(struct module *m, const void *image)
{
  int options[OPTIONS];
  void *values[OPTIONS];
  jit_options(m->answer, options, values);
  CUresult result = m->cuda->module_load(&m->handle, image, OPTIONS, options, values);
  if (result != CUDA_SUCCESS)
    m->handle = NULL;
  note_jit_time(m->answer, &values[0]);
  return note(m, result, "cuModuleLoadDataEx");
}

static bool link_and_load(struct module *m, const struct module_request *r)
{
  const struct cuda *cuda = m->cuda;
  int options[OPTIONS];
  void *cubin = NULL;
  size_t size = 0;
  if (!cuda->link_create || !cuda->link_add || !cuda->link_complete || !cuda->link_destroy)
    return note(m, CUDA_ERROR_NOT_SUPPORTED, "cuLinkCreate");
  jit_options(m->answer, options, m->link_values);
  CUresult created = cuda->link_create(OPTIONS, options, m->link_values, &m->link);
  if (created != CUDA_SUCCESS)
    m->link = NULL;
  if (!note(m, created, "cuLinkCreate"))
    return false;
  for (size_t i = 0; i < r->image_count; i++) {
    char name[32];
    snprintf(name, sizeof name, "fatbin-%zu", i);
    CUresult result =
        cuda->link_add(m->link, CU_JIT_INPUT_FATBINARY, (void *)r->images[i], r->sizes[i], name, 0, NULL, NULL);
    if (!note(m, result, "cuLinkAddData"))
      return false;
  }
  bool linked = note(m, cuda->link_complete(m->link, &cubin, &size), "cuLinkComplete");
  note_jit_time(m->answer, &m->link_values[0]);
  return linked && load(m, cubin);
}

static void note_version(unsigned value, unsigned *least, unsigned *most)
{
  if (*least == 0 || value < *least)
    *least = value;
  if (value > *most)
    *most = value;
}

/* Makes the driver load the function now, where it would wait for its first launch, and tell where it comes from. */
static void look_at(struct module *m, CUfunction function)
{
  int binary = 0, ptx = 0;
  if (m->cuda->function_load && !note(m, m->cuda->function_load(function), "cuFuncLoad"))
    return;
  CUresult result = m->cuda->function_attribute(&binary, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function);
  if (result == CUDA_SUCCESS)
    result = m->cuda->function_attribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
  if (!note(m, result, "cuFuncGetAttribute"))
    return;
  if (binary > 0)
    note_version((unsigned)binary, &m->answer->binary_least, &m->answer->binary_most);
  if (ptx > 0)
    note_version((unsigned)ptx, &m->answer->ptx_least, &m->answer->ptx_most);
}

static void look_up(struct module *m, const struct module_request *r)
{
  struct probe_answer *a = m->answer;
  for (size_t i = 0; i < r->name_count && a->load.number == 0; i++) {
    CUfunction function = NULL;
    CUresult result = m->cuda->module_function(&function, m->handle, r->names[i]);
    if (result == CUDA_ERROR_NOT_FOUND) {
      if (a->missing_name_count < PROBE_MISSING_MAX)
        snprintf(a->missing_names[a->missing_name_count++], PROBE_NAME_MAX, "%s", r->names[i]);
      a->missing++;
    } else if (note(m, result, "cuModuleGetFunction")) {
      a->found++;
      look_at(m, function);
    }
  }
}

/* All functions of the module; NULL where the driver does not tell or there are none. The caller frees it. */
static CUfunction *enumerate(struct module *m, unsigned *count)
{
  *count = 0;
  if (!m->cuda->module_function_count || !m->cuda->module_functions)
    return NULL;
  if (m->cuda->module_function_count(count, m->handle) != CUDA_SUCCESS)
    return NULL;
  m->answer->functions = *count;
  if (*count == 0 || *count > ENUMERATED_MAX)
    return NULL;
  CUfunction *functions = calloc(*count, sizeof *functions);
  if (functions && m->cuda->module_functions(functions, *count, m->handle) == CUDA_SUCCESS)
    return functions;
  free(functions);
  return NULL;
}

static bool needs_another_shape(CUresult result)
{
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         result == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

/* Asking for parameter 0 of a function that has none is an invalid value. */
static bool takes_parameters(const struct cuda *cuda, CUfunction function)
{
  size_t offset, size;
  return cuda->function_parameter(function, 0, &offset, &size) != CUDA_ERROR_INVALID_VALUE;
}

/* false: the context may be broken, and nothing more is launched. */
static bool launch(struct module *m, CUfunction function, const char *name)
{
  struct probe_answer *a = m->answer;
  const char *call = "cuLaunchKernel";
  CUresult result = m->cuda->launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
  if (needs_another_shape(result)) {
    a->not_launched++;
    return true;
  }
  if (result == CUDA_SUCCESS) {
    call = "cuCtxSynchronize";
    result = m->cuda->context_synchronize();
  }
  if (result == CUDA_SUCCESS) {
    a->launched++;
    return true;
  }
  driver_error(m->cuda, result, call, &a->launch);
  snprintf(a->launch_name, sizeof a->launch_name, "%s", name);
  return false;
}

static void launch_all(struct module *m, const struct module_request *r)
{
  bool going = true;
  for (size_t i = 0; i < r->name_count && going; i++) {
    CUfunction function = NULL;
    if (m->cuda->module_function(&function, m->handle, r->names[i]) != CUDA_SUCCESS)
      continue;
    if (!m->cuda->function_parameter)
      m->answer->not_launched++;
    else if (!takes_parameters(m->cuda, function))
      going = launch(m, function, r->names[i]);
  }
}

static void look_at_functions(struct module *m, const struct module_request *r)
{
  unsigned count;
  CUfunction *functions = enumerate(m, &count);
  look_up(m, r);
  for (unsigned i = 0; functions && i < count && m->answer->load.number == 0; i++)
    look_at(m, functions[i]);
  free(functions);
}

void module_try(const struct cuda *cuda, struct test_kernel *kernel, const struct module_request *r,
                struct probe_answer *a)
{
  struct module m = {.cuda = cuda, .answer = a};
  uint64_t begin = microseconds();
  bool loaded = r->link ? link_and_load(&m, r) : load(&m, r->images[0]);
  if (loaded)
    look_at_functions(&m, r);
  a->load_time = microseconds() - begin;
  test_kernel_run(cuda, kernel, a);
  if (loaded && r->launch && a->load.number == 0 && a->kernel_ran) {
    launch_all(&m, r);
    test_kernel_run(cuda, kernel, a);
  }
  if (m.handle)
    cuda->module_unload(m.handle);
  if (m.link)
    cuda->link_destroy(m.link);
}
