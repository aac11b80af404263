/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one library for one GPU; docs/compatibility.md. Pure: facts.h says how images come in. */
#ifndef VERDICT_JUDGE_H
#define VERDICT_JUDGE_H

#include "verdict/facts.h"
#include "verdict/groups.h"

struct judge_request {
  const struct cuw_library *library;
  const struct facts *facts;
  const struct cuw_gpu *gpu;
  const struct cuw_driver *driver; /* all zero: none given */
};

enum judge_status { JUDGE_DONE, JUDGE_WANTS, JUDGE_NO_MEMORY };

/* JUDGE_DONE: `out` is filled, to be freed with cuw_library_verdict_free; `wants` is empty. JUDGE_WANTS: `wants`
 * (emptied first) names what has to be opened; `out` is not touched. */
enum judge_status judge_library(const struct judge_request *request, struct want_list *wants,
                                struct cuw_library_verdict *out);

enum outcome {
  OUTCOME_UNJUDGED, /* relocatable, self-loaded, link-time */
  OUTCOME_EMPTY,
  OUTCOME_NATIVE,
  OUTCOME_JIT,
  OUTCOME_GATED,
  OUTCOME_SPECIALISED,
  OUTCOME_NONE
};

/* What becomes of one fatbin. */
struct fate {
  enum outcome outcome;
  size_t chosen;   /* NO_IMAGE: none fits, or jit_link */
  bool jit_link;   /* linked again at load from the relocatable ones */
  bool for_device; /* an image is for this GPU, though the driver may refuse it */
};

/* What becomes of every fatbin of the library, by its number: `fates` has library->fatbins elements, those without an
 * image OUTCOME_UNJUDGED. Wants as judge_library. */
enum judge_status judge_fatbins(const struct judge_request *request, struct want_list *wants, struct fate *fates);

/* Loose images (.cubin, .fatbin, .ptx) of a distribution together, as one library "(loose images)". false: out of
 * memory. Nothing has to be opened. */
bool judge_loose(const struct cuw_library *const *libraries, size_t count, const struct cuw_gpu *gpu,
                 const struct cuw_driver *driver, struct cuw_library_verdict *out);

static inline bool library_is_loose(const struct cuw_library *library)
{
  return library->format == CUW_CUBIN || library->format == CUW_FATBIN || library->format == CUW_PTX;
}

/* Bytes of a library's images by what they are to the GPU. false: out of memory. */
bool judge_bytes(const struct judge_request *request, struct cuw_bytes *out);

#endif
