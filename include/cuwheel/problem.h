/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, and where. */
#ifndef CUWHEEL_PROBLEM_H
#define CUWHEEL_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error means that something could not be read: exit status 3. A note does not
 * touch the exit status. */
enum cuw_severity { CUW_NOTE, CUW_WARNING, CUW_ERROR };

/* `code` is a stable word ("container-truncated"); docs/problems.md lists all. */
struct cuw_problem {
  enum cuw_severity severity;
  const char *code;
  const char *path;    /* the file on disk, as the user named it or met below what was named */
  const char *member;  /* inside that file; NULL where none */
  uint64_t offset;     /* bytes from the start of the member (of the file without one); CUW_NONE */
  const char *message; /* one sentence */
  const char *hint;    /* what to do; NULL where there is nothing to say */
};

const char *cuw_severity_name(enum cuw_severity severity);

#ifdef __cplusplus
}
#endif
#endif
