/* SPDX-License-Identifier: Apache-2.0 */
/* Will it run on this GPU, with this driver? Records of the answer, and the policy that turns them into a status. */
#ifndef CUWHEEL_CHECK_H
#define CUWHEEL_CHECK_H

#include "cuwheel/gpu.h"
#include "cuwheel/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- The driver --- */

enum cuw_os { CUW_OS_LINUX, CUW_OS_WINDOWS };

#define CUW_DRIVER_PARTS 4

/* All zero: no driver is known, and any PTX ISA counts as supported. */
struct cuw_driver {
  unsigned part[CUW_DRIVER_PARTS]; /* 570, 124, 6 */
  unsigned part_count;             /* parts that were given */
  unsigned cuda;                   /* CUDA version given instead, 128 is 12.8 */
};

/* "570.124.06", "525.60", "528.33" into `out`; false: not a driver version. */
bool cuw_driver_parse(const char *text, struct cuw_driver *out);

/* "12.8", "12" or "12.8.1" into major * 10 + minor; false: not a CUDA version. */
bool cuw_cuda_parse(const char *text, unsigned *cuda);

/* The newest CUDA version that the driver supports; 0: older than any known. `*at_least`: the driver is newer than
 * every known one, and may support more. */
unsigned cuw_driver_cuda(const struct cuw_driver *driver, enum cuw_os os, bool *at_least);

/* --- One library, one GPU --- */

/* In the order that a distribution's result takes the worst of. */
enum cuw_result {
  CUW_RESULT_NO_GPU_CODE,
  CUW_RESULT_GATED,
  CUW_RESULT_NATIVE,
  CUW_RESULT_JIT,
  CUW_RESULT_UNKNOWN,
  CUW_RESULT_PARTIAL,
  CUW_RESULT_NONE
};

/* "no-gpu-code", "gated", "native" ... */
const char *cuw_result_name(enum cuw_result result);

/* Fatbins by how they fare; docs/compatibility.md. */
struct cuw_counts {
  size_t native, jit, none, gated, specialised, empty;
  size_t self_total, self_native, self_jit; /* self-loaded fatbins and bare images */
};

/* Why a library is not native; the reason line says it in words. */
enum cuw_cause {
  CUW_CAUSE_NOTHING,        /* native, or no GPU code */
  CUW_CAUSE_ARCHITECTURE,   /* no image for this GPU */
  CUW_CAUSE_DRIVER_TOO_OLD, /* below the floor of the linked CUDA */
  CUW_CAUSE_PTX_ISA,        /* PTX is there, in an ISA that the driver does not know */
  CUW_CAUSE_JIT,            /* runs through PTX */
  CUW_CAUSE_OTHER_CHIPS,    /* gated */
  CUW_CAUSE_UNREADABLE      /* unknown */
};

/* "architecture", "driver-too-old" ... ; NULL for CUW_CAUSE_NOTHING. */
const char *cuw_cause_name(enum cuw_cause cause);

#define CUW_FUNCTIONS_MAX 16

struct cuw_library_verdict {
  const struct cuw_library *library; /* NULL for loose images judged together */
  const char *path;                  /* of the library, or "(loose images)" */
  enum cuw_result result;
  enum cuw_result readable; /* what it would be if all had been read: differs where result is `unknown` */
  bool complete;
  struct cuw_counts counts;
  enum cuw_cause cause;
  bool machine_mismatch;                    /* the GPU sits in hosts of another machine type only */
  bool rests_on_rename;                     /* holds because sm_101 and sm_110 are one chip */
  const char *ptx_isa;                      /* newest that has to be compiled, "8.7"; NULL none */
  const char *min_driver;                   /* for that ISA, or the floor that was missed; NULL none */
  const char *reason;                       /* one line; NULL where there is nothing to say */
  const char *specialised_by;               /* the rule that sets its specialised fatbins aside; NULL where none is */
  const char *requires;                     /* what a build that works would hold; NULL */
  const char *functions[CUW_FUNCTIONS_MAX]; /* some of those without an image for this GPU */
  size_t function_count;
  bool functions_cut; /* there are more */

  const char *variant; /* what tells it from its siblings: "cuda128", "sm90"; NULL where it has none */
  bool chosen;         /* false: a sibling is what would be loaded */

  void *arena; /* owns the strings */
};

void cuw_library_verdict_free(struct cuw_library_verdict *verdict);

/* --- A distribution, one GPU --- */

/* What the user, or the environment, says about the variant that would be loaded. */
struct cuw_selection {
  unsigned cuda;          /* 128; 0 unknown */
  const char *cuda_given; /* where that comes from: "--cuda 12.8", "torch 2.9.0 is built for CUDA 12.8" */
};

/* Which of several libraries of one distribution would be loaded. */
struct cuw_variant_choice {
  const char *pattern; /* the path with '*' where the variants differ */
  size_t chosen;       /* index into the library verdicts */
  const char *reason;
};

struct cuw_distribution_verdict {
  enum cuw_result result;
  bool complete;
  const char *reason; /* names the library that decides; NULL where there is nothing to say */
  struct cuw_variant_choice *choices;
  size_t choice_count;
  void *arena;
};

/* The result of a distribution by its library verdicts; marks the variants in them. `name` is the distribution's, or
 * NULL. false: out of memory. Free with cuw_distribution_verdict_free. */
bool cuw_judge_distribution(const char *name, const struct cuw_gpu *gpu, const struct cuw_selection *selection,
                            struct cuw_library_verdict *libraries, size_t count, struct cuw_distribution_verdict *out);
void cuw_distribution_verdict_free(struct cuw_distribution_verdict *verdict);

/* --- Policy --- */

struct cuw_policy {
  bool fail_on_none_only;      /* --fail-on none: `partial` passes */
  bool no_jit;                 /* `jit` fails too */
  bool strict;                 /* any gated or specialised fatbin fails */
  bool all_gpus;               /* --gpu all: rows for another machine do not count */
  const char *const *required; /* globs of libraries that must not be partial or none, chosen or not */
  size_t required_count;
  const char *const *ignored; /* globs of libraries that do not count */
  size_t ignored_count;
};

/* Whether a glob names the library: by its path, or by its file name where the glob has no '/'. */
bool cuw_library_matches(const char *path, const char *const *globs, size_t count);

/* Whether a distribution passes for one GPU: exit status 0, else 1. The words of the verdicts do not change.
 * docs/compatibility.md, "Exit status". */
bool cuw_policy_passes(const struct cuw_policy *policy, const struct cuw_library_verdict *libraries, size_t count);

/* --- Bytes --- */

/* Stored bytes of a library's images by what they are to one GPU. */
struct cuw_bytes {
  uint64_t used;  /* images that the driver would take */
  uint64_t spare; /* would fit, but another image is taken */
  uint64_t never; /* cubins and PTX that this GPU cannot run */
  uint64_t other; /* LTO-IR, Tile IR, indexes, and all of a library that is only linked from */
};

#ifdef __cplusplus
}
#endif
#endif
