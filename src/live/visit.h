/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVE_VISIT_H
#define LIVE_VISIT_H

#include "live/trial.h"

/* A job_visitor: tries all of one library on every wanted device. One at a time. */
void live_visit(void *findings, struct source *s, struct cuw_library *l);

#endif
