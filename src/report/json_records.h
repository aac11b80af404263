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

/* What every document of ours starts with, up to the members of its own: schema and tool. */
void emit_document_head(struct emit *e, const char *schema);
/* Opens the array of inputs, and closes it and the document. */
void emit_inputs_open(struct emit *e);
void emit_document_end(struct emit *e);

/* Opens an input up to its array `key`; closes that array, writes its problems and closes the input. */
void emit_input_open(struct emit *e, const struct cuw_input *input, const char *key);
void emit_input_close(struct emit *e, const struct cuw_input *input);

#endif
