/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the record that cuw_input_free frees. */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "base/arena.h"
#include "cuwheel/report.h"

/* A new, empty record, which lives in its own arena like its arrays and strings; the libraries of its distributions
 * are records of their own (library_new) that it owns. NULL when memory is out. */
struct cuw_input *input_new(const char *path, enum cuw_input_kind kind);

static inline struct arena *input_arena(struct cuw_input *input)
{
  return (struct arena *)input->arena;
}

#endif
