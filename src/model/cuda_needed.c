/* SPDX-License-Identifier: Apache-2.0 */
/* What a linked CUDA component tells; docs/format.md 8. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/cuda.h"

#define NAME_SIZE 96u

/* One numbering of a component's sonames. cuda 0: the same as CUDA's. Left out are those that one soname serves under
 * several majors: cusolver 10 and 11, cusparse 12 (CUDA 12 and 13), curand 10 (all). cuDNN, NCCL, NVSHMEM, cuTENSOR
 * have majors of their own. */
struct component {
  const char *name;
  unsigned major; /* of the soname; 0: any */
  unsigned cuda;
};

static const struct component components[] = {
    {"cudart", 0, 0},    {"cublas", 0, 0},     {"cublaslt", 0, 0},       {"nvblas", 0, 0},       {"nvrtc", 0, 0},
    {"nvjitlink", 0, 0}, {"nvjpeg", 0, 0},     {"nvrtc-builtins", 0, 0}, {"nvfatbin", 0, 0},     {"cupti", 0, 0},
    {"cufft", 10, 11},   {"cufft", 11, 12},    {"cufft", 12, 13},        {"cufftw", 10, 11},     {"cufftw", 11, 12},
    {"cufftw", 12, 13},  {"cusparse", 11, 11}, {"cusolver", 12, 13},     {"cusolvermg", 12, 13},
};

/* NPP is a family of libraries (nppc, nppial, nppif ...), all numbered as CUDA is. */
static bool is_npp(const char *name)
{
  return !strncmp(name, "npp", 3) && strlen(name) <= 6;
}

unsigned cuda_component_major(const char *component, unsigned major)
{
  /* CUPTI's DLL counts years. */
  if (major == 0 || major > 99)
    return 0;
  if (is_npp(component))
    return major;
  for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++) {
    const struct component *c = &components[i];
    if (!strcmp(c->name, component) && (c->major == 0 || c->major == major))
      return c->cuda ? c->cuda : major;
  }
  return 0;
}

/* Cuts "-5a077122" off the name of a bundled copy (auditwheel, delvewheel), or ".8dd2b5e6" (torchvision). */
static bool cut_hash(char *name)
{
  char *dash = strrchr(name, '-');
  if (!dash)
    dash = strrchr(name, '.');
  if (!dash || strlen(dash + 1) < 8 || strspn(dash + 1, "0123456789abcdef") != strlen(dash + 1))
    return false;
  *dash = 0;
  return true;
}

/* libNAME.so.12.0.107 */
static bool from_soname(char *name, char *dot_so, char out[CUDA_VERSION_MAX])
{
  if (strncmp(name, "lib", 3) != 0 || dot_so[3] != '.' || !isdigit((unsigned char)dot_so[4]))
    return false;
  *dot_so = 0;
  bool bundled = cut_hash(name);
  char *end, *rest;
  unsigned long major = strtoul(dot_so + 4, &end, 10);
  unsigned cuda = major <= 99 ? cuda_component_major(name + 3, (unsigned)major) : 0;
  bool by_file = bundled && (!strcmp(name + 3, "cudart") || !strcmp(name + 3, "nvrtc"));
  if (cuda && by_file && *end == '.' && isdigit((unsigned char)end[1])) {
    unsigned long minor = strtoul(end + 1, &rest, 10);
    if (*rest == '.' && minor <= 99) /* "11.0" alone is the soname of every 11.x */
      return cuda_version_put(cuda, (int)minor, out);
  }
  return cuda && cuda_version_put(cuda, -1, out);
}

/* NAME64_12.dll, NAME64_110.dll, nvrtc64_120_0.dll, nvJitLink_120_0.dll: digits without a dot. */
static bool from_dll(char *name, char *dot_dll, char out[CUDA_VERSION_MAX])
{
  *dot_dll = 0;
  cut_hash(name);
  char *digits = strchr(name, '_');
  if (!digits)
    return false;
  *digits++ = 0;
  size_t length = strspn(digits, "0123456789"), stem = strlen(name);
  if (stem > 2 && !strcmp(name + stem - 2, "64"))
    name[stem - 2] = 0;
  char version[CUDA_VERSION_MAX];
  if ((digits[length] && digits[length] != '_') || !cuda_from_digits(digits, length, version))
    return false;
  unsigned cuda = cuda_component_major(name, (unsigned)strtoul(version, NULL, 10));
  return cuda && cuda_version_put(cuda, -1, out);
}

bool cuda_from_needed(const char *soname, char out[CUDA_VERSION_MAX])
{
  char name[NAME_SIZE];
  out[0] = 0;
  const char *slash = strrchr(soname, '/');
  const char *base = slash ? slash + 1 : soname;
  size_t length = strlen(base);
  if (length >= sizeof(name))
    return false;
  for (size_t i = 0; i <= length; i++)
    name[i] = (char)tolower((unsigned char)base[i]);
  char *dot_so = strstr(name, ".so");
  if (dot_so)
    return from_soname(name, dot_so, out);
  return length > 4 && !strcmp(name + length - 4, ".dll") && from_dll(name, name + length - 4, out);
}
