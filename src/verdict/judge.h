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
