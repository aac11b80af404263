/* SPDX-License-Identifier: Apache-2.0 */
/* Records as JSON members and objects, for json and jsonl alike. */
#ifndef REPORT_JSON_RECORDS_H
#define REPORT_JSON_RECORDS_H

#include "cuwheel/report.h"
#include "report/emit.h"

/* The members of a distribution before its libraries. */
void emit_distribution_head(struct emit *e, const struct cuw_distribution *distribution);

/* The members of a library, its images among them; `indent` is that of the library's line. */
void emit_library_members(struct emit *e, const struct cuw_library *library, unsigned indent);

void emit_problem_members(struct emit *e, const struct cuw_problem *problem);

#endif
