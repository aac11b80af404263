/* SPDX-License-Identifier: Apache-2.0 */
/* A library: a host file (or loose image) with the GPU code and linkage found in it. */
#ifndef CUWHEEL_LIBRARY_H
#define CUWHEEL_LIBRARY_H

#include "cuwheel/image.h"
#include "cuwheel/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cuw_format { CUW_ELF, CUW_PE, CUW_AR, CUW_CUBIN, CUW_FATBIN, CUW_PTX };

/* One sign of the CUDA version. source: "needed" (soname or import, a major), "static-runtime",
 * "toolkit" (what made the images), "embedded" (what made images that the library loads by itself), "ptx" (ISA),
 * "requires", "local-version", "version-file", "name". value: "12" or "12.8". */
struct cuw_evidence {
  const char *source;
  const char *value;
  const char *library; /* NULL where the distribution itself says it */
};

struct cuw_library {
  const char *path;    /* inside its input */
  const char *machine; /* "x86_64", "aarch64" ...; NULL for loose images */
  enum cuw_format format;
  uint64_t size; /* bytes of the file or member */
  bool complete; /* false: something in it could not be read */
  bool has_sections;
  uint32_t fatbins; /* containers */

  const char **needed; /* sonames or imported DLLs, in file order */
  size_t needed_count;
  bool static_runtime; /* libcudart is linked in */
  bool opens_nvrtc;    /* names the NVRTC library in its data, to open it when it runs */
  const char *cuda;    /* what it is linked with or built by; NULL unknown */
  struct cuw_evidence *evidence;
  size_t evidence_count;
  bool cuda_conflict;

  struct cuw_image *images; /* in ascending offset */
  size_t image_count;
  struct cuw_problem *problems;
  size_t problem_count;

  void *arena; /* owns every string and array above */
};

const char *cuw_format_name(enum cuw_format format);

/* Frees a library record and all it holds; NULL is fine. */
void cuw_library_free(struct cuw_library *library);

#ifdef __cplusplus
}
#endif
#endif
