/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of which one is loaded: their paths differ only in a CUDA version or an architecture. */
#ifndef VERDICT_VARIANTS_H
#define VERDICT_VARIANTS_H

#include "base/arena.h"
#include "cuwheel/check.h"

/* What a path says of itself. */
struct path_variant {
  const char *pattern; /* with '*' for each CUDA version and architecture; NULL: names none */
  const char *label;   /* "cuda128", "sm90", joined by '/' */
  unsigned cuda;       /* 128; 120 for "cuda12"; 0 none */
  bool cuda_major_only;
  unsigned arch; /* 90; 0 none */
};
bool path_variant_read(struct arena *arena, const char *path, struct path_variant *out);

/* Marks `variant` and `chosen` in the verdicts and lists the choices. false: out of memory. */
bool choose_variants(const char *name, const struct cuw_gpu *gpu, const struct cuw_selection *selection,
                     struct cuw_library_verdict *libraries, size_t count, struct cuw_distribution_verdict *out);

#endif
