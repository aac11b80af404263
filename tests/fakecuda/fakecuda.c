/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in libcuda.so.1 for the tests; README.md. Its types and numbers are of the CUDA Driver API reference manual.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>

#include "bytes.h"
#include "table.h"

#define API __attribute__((visibility("default")))
#define THREADS_MAX 65536u

enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200 };
enum { INVALID_CONTEXT = 201, NO_BINARY = 209, UNSUPPORTED_PTX = 222, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

struct module;

struct function {
  char *name;
  struct module *module;
};

struct module {
  struct function *functions;
  int count;
  int binary, ptx;
  int launch_error;
};

struct link {
  struct code *codes; /* the one taken of each input */
  int count;
  void *cubin;
  void **values, *log; /* of its options, which have to outlive it */
};

/* A driver is one for its process. */
static struct {
  bool ready, broken, spoil;
  struct table table;
  int device; /* of the current context, from 1; 0 none */
} state;

/* --- Behaving as told --- */

static void hang(void)
{
  for (;;)
    pause();
}

static void crash(void)
{
  signal(SIGABRT, SIG_DFL);
  abort();
}

/* What the table says of a call; 0: nothing. */
static int told(const char *call)
{
  for (int i = 0; i < state.table.call_count; i++) {
    const struct rule *r = &state.table.calls[i];
    if (strcmp(r->word, call) != 0)
      continue;
    if (r->action == ACT_HANG)
      hang();
    if (r->action == ACT_CRASH)
      crash();
    return r->number;
  }
  return 0;
}

static const struct rule *rule_for(const char *name)
{
  for (int i = 0; i < state.table.image_count; i++)
    if (strcmp(state.table.images[i].word, name) == 0)
      return &state.table.images[i];
  return NULL;
}

static bool is_listed(const char (*list)[TEXT_MAX], int count, const char *name)
{
  for (int i = 0; i < count; i++)
    if (strstr(name, list[i]))
      return true;
  return false;
}

#define OR_AS_TOLD(call)                                                                                               \
  do {                                                                                                                 \
    int result_ = state.ready ? told(call) : NOT_INITIALIZED;                                                          \
    if (result_)                                                                                                       \
      return result_;                                                                                                  \
  } while (0)

/* --- Choosing --- */

static int chip(int number)
{
  return number == 101 ? 110 : number;
}

static bool is_tegra(int number)
{
  static const int numbers[] = {32, 53, 62, 72, 87, 110};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i] == number)
      return true;
  return false;
}

static bool fits(const struct code *c, int cc)
{
  int number = chip(c->number);
  if (c->suffix == 'a' || (!c->is_ptx && (is_tegra(number) || is_tegra(cc))))
    return number == cc;
  if (!c->is_ptx || c->suffix == 'f')
    return number / 10 == cc / 10 && number <= cc;
  return number <= cc;
}

static long rank(const struct code *c, int place)
{
  long order = c->is_ptx ? place : 1000 - place;
  return (c->is_ptx ? 0 : 100000000L) + chip(c->number) * 10000L + (c->newer ? 5000 : 0) + order;
}

/* The image taken; NULL with an error. */
static const struct code *choose(const struct code *codes, int count, int *error)
{
  int cc = state.table.devices[state.device - 1].cc;
  const struct code *best = NULL;
  *error = NO_BINARY;
  for (int i = 0; i < count; i++) {
    if (!fits(&codes[i], cc))
      continue;
    if (codes[i].is_ptx && codes[i].isa > state.table.isa)
      *error = UNSUPPORTED_PTX;
    else if (!best || rank(&codes[i], i) > rank(best, (int)(best - codes)))
      best = &codes[i];
  }
  return best;
}

/* --- Modules --- */

static int make_module(const struct code *c, const struct rule *rule, struct module **out)
{
  struct module *m = calloc(1, sizeof *m);
  int cc = state.table.devices[state.device - 1].cc;
  char **names = code_kernels(c, &m->count);
  if (!names) {
    free(m);
    return INVALID_IMAGE;
  }
  m->functions = calloc((size_t)m->count + 1, sizeof *m->functions);
  for (int i = 0; i < m->count; i++)
    m->functions[i] = (struct function){names[i], m};
  free(names);
  m->binary = c->is_ptx ? cc : c->number;
  m->ptx = c->number;
  if (rule && rule->action == ACT_AS) {
    m->binary = rule->number;
    m->ptx = rule->second;
  }
  if (rule && rule->action == ACT_LAUNCH)
    m->launch_error = rule->number;
  *out = m;
  return 0;
}

/* Loads the image that the table does not speak against. */
static int load(const struct code *codes, int count, struct module **out, bool *compiled)
{
  char name[24] = "none";
  int error;
  const struct code *c = choose(codes, count, &error);
  if (c)
    code_name(c, name);
  const struct rule *rule = rule_for(name);
  if (rule && rule->action == ACT_REFUSE)
    return rule->number;
  if (rule && rule->action == ACT_HANG)
    hang();
  if (rule && rule->action == ACT_CRASH)
    crash();
  if (rule && rule->action == ACT_ACCEPT && !c && count > 0)
    c = &codes[0];
  if (!c)
    return error;
  if (c->relocatable)
    return INVALID_IMAGE;
  *compiled = c->is_ptx;
  error = make_module(c, rule, out);
  state.broken = state.broken || (rule && rule->action == ACT_BREAK);
  state.spoil = state.spoil || (rule && rule->action == ACT_SPOIL);
  return error;
}

API int cuModuleLoadDataEx(struct module **out, const void *image, unsigned count, int *options, void **values)
{
  struct code *codes;
  OR_AS_TOLD("cuModuleLoadDataEx");
  if (!state.device)
    return INVALID_CONTEXT;
  int found = codes_read(image, &codes);
  if (found < 0)
    return INVALID_IMAGE;
  bool compiled = false;
  int error = load(codes, found, out, &compiled);
  codes_free(codes, found);
  float milliseconds = compiled ? 1.5f : 0.0f;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 2)
      memcpy(&values[i], &milliseconds, sizeof milliseconds);
  return error;
}

API int cuModuleUnload(struct module *m)
{
  OR_AS_TOLD("cuModuleUnload");
  for (int i = 0; i < m->count; i++)
    free(m->functions[i].name);
  free(m->functions);
  free(m);
  return 0;
}

API int cuModuleGetFunction(struct function **out, struct module *m, const char *name)
{
  OR_AS_TOLD("cuModuleGetFunction");
  if (is_listed((const char(*)[TEXT_MAX])state.table.dropped, state.table.dropped_count, name))
    return NOT_FOUND;
  for (int i = 0; i < m->count; i++)
    if (strcmp(m->functions[i].name, name) == 0) {
      *out = &m->functions[i];
      return 0;
    }
  return NOT_FOUND;
}

API int cuFuncGetAttribute(int *value, int attribute, struct function *f)
{
  OR_AS_TOLD("cuFuncGetAttribute");
  *value = attribute == 6 ? f->module->binary : attribute == 5 ? f->module->ptx : 0;
  return 0;
}

#ifndef FAKECUDA_OLD
API int cuModuleGetFunctionCount(unsigned *count, struct module *m)
{
  OR_AS_TOLD("cuModuleGetFunctionCount");
  *count = (unsigned)m->count;
  return 0;
}

API int cuModuleEnumerateFunctions(struct function **functions, unsigned count, struct module *m)
{
  OR_AS_TOLD("cuModuleEnumerateFunctions");
  for (unsigned i = 0; i < count && i < (unsigned)m->count; i++)
    functions[i] = &m->functions[i];
  return 0;
}

API int cuFuncLoad(struct function *f)
{
  (void)f;
  OR_AS_TOLD("cuFuncLoad");
  return 0;
}

API int cuFuncGetParamInfo(struct function *f, size_t index, size_t *offset, size_t *size)
{
  OR_AS_TOLD("cuFuncGetParamInfo");
  if (index > 0 || is_listed((const char(*)[TEXT_MAX])state.table.plain, state.table.plain_count, f->name))
    return INVALID_VALUE;
  *offset = 0;
  *size = 8;
  return 0;
}
#endif

/* --- Linking: takes one image of each input, and gives the first cubin --- */

API int cuLinkCreate_v2(unsigned count, int *options, void **values, struct link **out)
{
  OR_AS_TOLD("cuLinkCreate");
  *out = calloc(1, sizeof **out);
  (*out)->values = values;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 5)
      (*out)->log = values[i];
  return 0;
}

API int cuLinkAddData_v2(struct link *l, int type, void *data, size_t size, const char *name, unsigned count,
                         int *options, void **values)
{
  struct code *codes;
  int error;
  (void)type, (void)size, (void)name, (void)count, (void)options, (void)values;
  OR_AS_TOLD("cuLinkAddData");
  int found = codes_read(data, &codes);
  if (found < 0)
    return INVALID_IMAGE;
  const struct code *c = choose(codes, found, &error);
  if (c) {
    l->codes = realloc(l->codes, (size_t)(l->count + 1) * sizeof *l->codes);
    l->codes[l->count] = *c;
    l->codes[l->count].bytes = malloc(c->size + 1);
    memcpy(l->codes[l->count++].bytes, c->bytes, c->size + 1);
  }
  codes_free(codes, found);
  return c ? 0 : error;
}

/* What it "links" is PTX that declares the kernels of all inputs. */
API int cuLinkComplete(struct link *l, void **cubin, size_t *size)
{
  OR_AS_TOLD("cuLinkComplete");
  FILE *file = open_memstream((char **)&l->cubin, size);
  fprintf(file, ".version 5.0\n.target sm_30\n");
  for (int i = 0; i < l->count; i++) {
    int count = 0;
    char **names = code_kernels(&l->codes[i], &count);
    for (int k = 0; k < count; k++) {
      fprintf(file, ".entry %s()\n", names[k]);
      free(names[k]);
    }
    free(names);
  }
  fclose(file);
  *cubin = l->cubin;
  return 0;
}

API int cuLinkDestroy(struct link *l)
{
  OR_AS_TOLD("cuLinkDestroy");
  bool kept = !l->log;
  for (int i = 0; !kept && i < 3; i++)
    kept = l->values[i] == l->log;
  if (!kept)
    crash();
  codes_free(l->codes, l->count);
  free(l->cubin);
  free(l);
  return 0;
}

/* --- Launching: the probe kernel's arithmetic is done here --- */

API int cuLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **parameters, void **extra)
{
  (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
  OR_AS_TOLD("cuLaunchKernel");
  if (f->module->launch_error)
    state.broken = true;
  if (state.broken)
    return f->module->launch_error ? f->module->launch_error : LAUNCH_FAILED;
  if (strcmp(f->name, "cuwheel_probe") != 0)
    return 0;
  uint32_t *out = (uint32_t *)(uintptr_t)(*(uint64_t *)parameters[0]), seed = *(uint32_t *)parameters[1];
  for (uint32_t i = 0; i < gx * bx && i < THREADS_MAX; i++)
    out[i] = (i * 0x9E3779B1u) ^ seed ^ (state.table.spoil || state.spoil);
  return 0;
}

API int cuCtxSynchronize(void)
{
  OR_AS_TOLD("cuCtxSynchronize");
  return state.broken ? LAUNCH_FAILED : 0;
}

API int cuMemAlloc_v2(uint64_t *pointer, size_t size)
{
  OR_AS_TOLD("cuMemAlloc");
  *pointer = (uint64_t)(uintptr_t)calloc(1, size);
  return 0;
}

API int cuMemFree_v2(uint64_t pointer)
{
  OR_AS_TOLD("cuMemFree");
  free((void *)(uintptr_t)pointer);
  return 0;
}

API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
  OR_AS_TOLD("cuMemcpyDtoH");
  memcpy(to, (void *)(uintptr_t)from, size);
  return state.broken ? LAUNCH_FAILED : 0;
}

/* --- Devices and contexts --- */

API int cuInit(unsigned flags)
{
  (void)flags;
  table_read(&state.table);
  int error = told("cuInit");
  state.ready = error == 0;
  return error ? error : state.table.device_count ? 0 : NO_DEVICE;
}

API int cuDriverGetVersion(int *version)
{
  *version = state.table.cuda;
  return told("cuDriverGetVersion");
}

API int cuDeviceGetCount(int *count)
{
  OR_AS_TOLD("cuDeviceGetCount");
  *count = state.table.device_count;
  return 0;
}

API int cuDeviceGet(int *device, int ordinal)
{
  OR_AS_TOLD("cuDeviceGet");
  if (ordinal < 0 || ordinal >= state.table.device_count)
    return INVALID_DEVICE;
  *device = ordinal + 1;
  return 0;
}

API int cuDeviceGetName(char *name, int length, int device)
{
  OR_AS_TOLD("cuDeviceGetName");
  snprintf(name, (size_t)length, "%s", state.table.devices[device - 1].name);
  return 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
  OR_AS_TOLD("cuDeviceGetAttribute");
  int cc = state.table.devices[device - 1].cc;
  *value = attribute == 75 ? cc / 10 : attribute == 76 ? cc % 10 : 0;
  return 0;
}

API int cuDevicePrimaryCtxRetain(void **context, int device)
{
  OR_AS_TOLD("cuDevicePrimaryCtxRetain");
  *context = (void *)(uintptr_t)device;
  return 0;
}

API int cuCtxSetCurrent(void *context)
{
  OR_AS_TOLD("cuCtxSetCurrent");
  state.device = (int)(uintptr_t)context;
  return 0;
}

/* --- Errors --- */

static const struct {
  int number;
  const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

API int cuGetErrorName(int error, const char **out)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == error) {
      *out = errors[i].name;
      return 0;
    }
  return INVALID_VALUE;
}

API int cuGetErrorString(int error, const char **out)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == error) {
      *out = errors[i].text;
      return 0;
    }
  return INVALID_VALUE;
}
