/* SPDX-License-Identifier: Apache-2.0 */
/* From the kernels of a library and what becomes of its fatbins on a GPU: the kernels that would fail. Pure. */
#ifndef KERNELS_MISSING_H
#define KERNELS_MISSING_H

#include "cuwheel/missing.h"
#include "kernels/pack.h"
#include "verdict/judge.h"

#define MISSING_GROUPS_MAX 12u /* of one library and reason, as far as names allow */

/* `kernels` are all of `l`, unfiltered; `fates` as of judge_fatbins. false: out of memory. Free with
 * cuw_missing_free. */
bool missing_kernels(const struct pack *kernels, const struct cuw_library *l, const struct fate *fates,
                     struct cuw_missing *out);

#endif
