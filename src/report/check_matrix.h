/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_CHECK_MATRIX_H
#define REPORT_CHECK_MATRIX_H

#include "report/check_writer.h"

/* One distribution over many GPUs: a row for the whole and one for each library, a column for each GPU; then the
 * reasons of what fails, each with the GPUs that it is true of. */
void check_matrix(struct cuw_check_writer *w, const struct cuw_checked *checked, size_t distribution);

void check_matrix_legend(struct cuw_check_writer *w);

#endif
