/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one judgement, shared by the files that make it up. */
#ifndef VERDICT_JUDGING_H
#define VERDICT_JUDGING_H

#include "base/arena.h"
#include "verdict/judge.h"

/* The relocatable fatbins, of which a JIT link needs every one. */
struct link_inputs {
  size_t count;
  bool all_fit, all_for_device;
  unsigned isa; /* newest PTX that the link compiles, 87 is 8.7; 0 none */
};

struct judging {
  const struct cuw_library *library;
  const struct facts *facts;
  const struct cuw_gpu *gpu;
  struct target target;
  struct group_list groups;
  struct fate *fates; /* one a group */
  struct link_inputs inputs;
  struct cuw_counts counts;
  bool driver_too_old;
  unsigned cuda_major; /* linked, or of the newest toolkit; 0 unknown */
  unsigned isa;        /* newest PTX ISA that has to be compiled; 0 none */
  bool isa_refused;    /* some fatbin fails for its ISA alone */
  bool chooses;        /* a library of NVIDIA's that chooses among its kernels */
  bool incomplete;     /* an image could not be read that might have mattered */
  struct want_list *wants;
};

static inline bool role_is_judged(enum cuw_role role)
{
  return role == CUW_ROLE_REGISTERED || role == CUW_ROLE_LINKED;
}

/* The host system of a library: driver versions differ between them. */
enum cuw_os library_os(const struct cuw_library *library);

/* The CUDA major that the library is linked with, else of the newest toolkit of its images; 0 unknown. `*exact`: the
 * whole version where the toolkit tells it for that major, else 0. */
unsigned library_cuda_major(const struct cuw_library *library, unsigned *exact);

/* Decides which of the fatbins that do not fit are gated or specialised. false: wants were added (or memory is out,
 * with no wants). */
bool judge_unfit(struct judging *j);

/* Names of functions for the verdict of a library that runs in part; may add wants. */
bool gather_functions(struct judging *j, struct cuw_library_verdict *out);

/* Counts self-loaded fatbins and bare images. */
void count_self_loaded(const struct cuw_library *library, const struct group_list *groups, const struct target *target,
                       struct cuw_counts *counts);

/* Fills cause, ptx_isa, min_driver, reason, requires. */
void explain(const struct judging *j, struct arena *arena, struct cuw_library_verdict *out);
/* The same for loose images together. */
void explain_loose(const struct cuw_library *const *libraries, size_t count, const struct target *target,
                   struct arena *arena, struct cuw_library_verdict *out);

#endif
