/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_OUT_H
#define REPORT_OUT_H

#include "cuwheel/write.h"

/* Records a failure that is not one of writing (ENOMEM), unless there is one already. */
void out_fail(struct cuw_out *out, int error);

void out_char(struct cuw_out *out, char c);
void out_repeat(struct cuw_out *out, char c, size_t times);

#endif
