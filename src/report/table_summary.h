/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_TABLE_SUMMARY_H
#define REPORT_TABLE_SUMMARY_H

#include "report/writer.h"

/* "1 library", "12 libraries". */
struct text;
void text_count(struct text *t, size_t count, const char *one, const char *many);

/* The line of a distribution: its CUDA version, how many libraries have GPU code, what else
 * there is to know; below it the evidence where it conflicts. `label` is escaped, "" for none. */
void table_summary(struct cuw_writer *w, const char *label, const struct cuw_distribution *distribution);

#endif
