/* SPDX-License-Identifier: Apache-2.0 */
/* The work on one file or wheel member: a byte source in, records out, nothing shared. */
#ifndef INSPECT_JOB_H
#define INSPECT_JOB_H

#include "carrier/carrier.h"

/* What one file turned out to be. */
struct job_result {
  enum carrier_type type;
  struct cuw_library **libraries; /* several for an archive of objects; the caller takes them */
  size_t library_count;
  /* Faults outside any library: path and member are not yet set. NULL where there are none. */
  struct cuw_library *faults; /* a record used only for its problems */
};

/* Called for each library when its record is whole and its bytes can still be read: images are opened here. From
 * several threads at once. */
struct job_visitor {
  void (*library)(void *data, struct source *s, struct cuw_library *l);
  void *data;
};

/* Reads `s` and tells what it is; for a carrier of GPU code also all that is in it. `path` names it in its input.
 * `visitor` may be NULL. */
void job_read(struct source *s, const char *path, const struct job_visitor *visitor, struct job_result *result);

void job_result_free(struct job_result *result);

#endif
