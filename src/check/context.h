/* SPDX-License-Identifier: Apache-2.0 */
/* What the whole of an input says about one of its distributions. */
#ifndef CHECK_CONTEXT_H
#define CHECK_CONTEXT_H

#include "cuwheel/check.h"

#define SELECTION_TEXT_MAX 160

/* What chooses among variants: what the user said, else the CUDA version of the torch beside them. `text` holds the
 * words for that. */
struct cuw_selection selection_for(const struct cuw_selection *given, const struct cuw_input *input,
                                   char text[SELECTION_TEXT_MAX]);

/* Says why there is nothing to judge in a distribution without a result. false: out of memory. */
bool explain_no_gpu_code(const struct cuw_distribution *distribution, struct cuw_distribution_verdict *verdict);

#endif
