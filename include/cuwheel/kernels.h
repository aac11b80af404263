/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of GPU code, and what each needs. Images are opened for it. */
#ifndef CUWHEEL_KERNELS_H
#define CUWHEEL_KERNELS_H

#include "cuwheel/inspect.h"
#include "cuwheel/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Which architectures --- */

/* "sm_90a" asks for cubins, "compute_90" for PTX, "9.0" or "90" for both, with any suffix. */
struct cuw_arch_choice {
  uint32_t number;
  char suffix; /* 0, 'a', 'f'; '*': any */
  bool cubin, ptx;
};

bool cuw_arch_choice_parse(const char *text, struct cuw_arch_choice *out);

/* The kind of the image counts, too. A cubin that may be an `f` one passes for both. */
bool cuw_arch_choice_takes(const struct cuw_arch_choice *choice, const struct cuw_image *image);

/* --- Kernels --- */

/* A kernel in one image. Bytes; CUW_NONE where the image records nothing, as PTX never does. docs/format.md 4.2 */
struct cuw_kernel_code {
  const struct cuw_image *image;
  uint64_t registers;   /* a thread */
  uint64_t shared;      /* static, a block; from sm_90 on with the 1024 bytes that the system reserves */
  uint64_t stack;       /* a thread, with what it calls */
  uint64_t local_bytes; /* a thread, apart from its stack */
  uint64_t constant;    /* its own banks: the parameters */
  uint64_t max_threads; /* a block, by launch bounds or a required size */
};

/* A kernel of one fatbin (of one bare image), with the images that have it, in file order. */
struct cuw_kernel {
  const char *name;      /* as stored; "" where it cannot be read. Bytes that others chose */
  const char *demangled; /* as `c++filt -p` writes it; the same as name where it does not demangle */
  bool local;            /* `static __global__` */
  uint32_t fatbin;       /* CUW_NO_FATBIN for a bare image */
  const struct cuw_kernel_code *codes;
  size_t code_count;
};

struct cuw_kernels_options {
  const struct cuw_arch_choice *arch; /* NULL: all */
  const char *match;                  /* POSIX extended expression, on the name and the demangled name; NULL: all */
  const char *const *libraries;       /* globs, as for cuw_library_matches */
  size_t library_count;               /* 0: all */
};

/* Whether `match` is an expression; if not, what is wrong goes to `message`. */
bool cuw_kernels_match_check(const char *match, char *message, size_t size);

/* What reading one input gave. Kernels are held packed, library by library. */
struct cuw_kernels;

/* As cuw_inspect, and opens images. NULL: out of memory, or `match` is no expression. Free with cuw_kernels_free. */
struct cuw_kernels *cuw_kernels_read(const char *path, const struct cuw_inspect_options *inspect,
                                     const struct cuw_kernels_options *options);
void cuw_kernels_free(struct cuw_kernels *kernels);

/* The input with its problems, those of opened images among them. */
const struct cuw_input *cuw_kernels_input(const struct cuw_kernels *kernels);

/* Calls `each` with the kernels of a library, by fatbin and name. The record lives until `each` returns; false from it
 * stops. Returns the number of kernels told; -1: out of memory. */
long cuw_kernels_each(const struct cuw_kernels *kernels, const struct cuw_library *library,
                      bool (*each)(void *data, const struct cuw_kernel *kernel), void *data);

/* --- Writing --- */

/* One document in one format ("table", "json", "jsonl", "csv"); inputs one after another. */
struct cuw_kernel_writer;

/* NULL: no such format (errno EINVAL), or no memory. */
struct cuw_kernel_writer *cuw_kernel_writer_new(const char *format, struct cuw_out *out,
                                                const struct cuw_write_options *options);
void cuw_kernel_writer_input(struct cuw_kernel_writer *writer, const struct cuw_kernels *kernels);
void cuw_kernel_writer_end(struct cuw_kernel_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
