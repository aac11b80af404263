/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that would fail, below a verdict and in its JSON; nothing where they were not asked for. */
#ifndef REPORT_CHECK_MISSING_H
#define REPORT_CHECK_MISSING_H

#include "cuwheel/checked.h"
#include "report/emit.h"
#include "report/writer.h"

/* A paragraph a library, `margin` columns in. Variants that would not be loaded are left out unless verbose. */
void missing_table(struct cuw_writer *w, const struct cuw_verdict *verdict, size_t margin);

/* The same as a list in Markdown, into `out`. */
void missing_markdown(struct cuw_out *out, const struct cuw_verdict *verdict);

/* The member "kernels" of library number `index`. */
void emit_missing(struct emit *e, const struct cuw_verdict *verdict, size_t index);

#endif
