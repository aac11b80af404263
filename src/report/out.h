/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_OUT_H
#define REPORT_OUT_H

#include "cuwheel/write.h"

/* Records a failure that is not one of writing (ENOMEM), unless there is one already. */
void out_fail(struct cuw_out *out, int error);

void out_char(struct cuw_out *out, char c);
void out_repeat(struct cuw_out *out, char c, size_t times);

/* Output that is kept in memory until out_copy; close it with cuw_out_close. NULL: out of memory. */
struct cuw_out *out_memory(void);

/* Writes to `to` all that was written to `memory`. */
void out_copy(struct cuw_out *to, struct cuw_out *memory);

#endif
