/* SPDX-License-Identifier: Apache-2.0 */
/* Everything found in one input: distributions and their libraries. */
#ifndef CUWHEEL_REPORT_H
#define CUWHEEL_REPORT_H

#include "cuwheel/library.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cuw_input_kind { CUW_INPUT_WHEEL, CUW_INPUT_ENVIRONMENT, CUW_INPUT_FOLDER, CUW_INPUT_FILE };

struct cuw_distribution {
  const char *name; /* NULL: files that no distribution owns */
  const char *version;
  const char *location;    /* environment: the folder that holds its dist-info; NULL else */
  const char *interpreter; /* environment: path of the Python that owns it; NULL unknown */
  const char *cuda;        /* NULL unknown */
  bool cuda_conflict;
  struct cuw_evidence *evidence;
  size_t evidence_count;
  bool runtime_compiler;             /* ships .cu sources, Triton or NVRTC, or links NVRTC */
  const char *runtime_compiler_sign; /* what shows it, in words: "links libnvrtc.so.12"; NULL */
  struct cuw_library **libraries;    /* sorted by the bytes of their paths */
  size_t library_count;
};

struct cuw_input {
  const char *path; /* as named by the user; "-" for standard input */
  enum cuw_input_kind kind;
  struct cuw_distribution *distributions; /* by name, the unowned one last */
  size_t distribution_count;
  struct cuw_problem *problems; /* all of the input: its own, then those of its libraries */
  size_t problem_count;
  uint64_t member_count; /* files looked at */
  void *arena;
};

const char *cuw_input_kind_name(enum cuw_input_kind kind);

/* True when a problem of severity error is among them: exit status 3. */
bool cuw_input_is_damaged(const struct cuw_input *input);

/* Frees an input record, its libraries and all they hold; NULL is fine. */
void cuw_input_free(struct cuw_input *input);

#ifdef __cplusplus
}
#endif
#endif
