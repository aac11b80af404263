/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `check`. */
#ifndef CLI_OPTIONS_CHECK_H
#define CLI_OPTIONS_CHECK_H

#include "cuwheel/check.h"

/* What an option that may stand several times was given. */
struct words {
  const char **items;
  size_t count;
};

struct check_choice {
  struct words gpus; /* each GPU[,GPU...] */
  struct cuw_driver driver;
  bool has_driver;  /* --driver or --driver-cuda */
  const char *cuda; /* as given; NULL: not known */
  unsigned cuda_number;
  bool strict;
  bool no_jit;
  bool fail_on_none;
  bool bytes;
  bool kernels;
  struct words required, ignored; /* globs */
};

void check_choice_free(struct check_choice *choice);

/* Setters of the option table; false after a message. */
struct options;
bool set_gpu(struct options *o, const char *value);
bool set_driver(struct options *o, const char *value);
bool set_driver_cuda(struct options *o, const char *value);
bool set_cuda(struct options *o, const char *value);
bool set_strict(struct options *o, const char *value);
bool set_no_jit(struct options *o, const char *value);
bool set_fail_on(struct options *o, const char *value);
bool set_required(struct options *o, const char *value);
bool set_ignored(struct options *o, const char *value);
bool set_bytes(struct options *o, const char *value);
bool set_kernels(struct options *o, const char *value);

#endif
