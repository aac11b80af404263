/* SPDX-License-Identifier: Apache-2.0 */
/* Images counted by kind and architecture. */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "cuwheel/library.h"

struct tally_row {
  struct cuw_arch arch;
  uint32_t type; /* for kind other, else 0 */
  uint16_t isa_major, isa_minor;
  uint8_t kind;
  uint8_t role;
  bool has_arch;
  bool suffix_unknown;
  size_t count;
};

/* What tells two rows apart, besides kind and architecture. */
enum tally_by { TALLY_BY_ROLE = 1, TALLY_BY_ISA = 2, TALLY_BY_SUFFIX = 4 };

struct tally {
  unsigned by; /* of enum tally_by */
  struct tally_row *rows;
  size_t count;
  size_t room;
  bool failed; /* memory was out */
};

/* Counts the images of a library; several may be counted together. */
void tally_library(struct tally *t, const struct cuw_library *library);

/* Merges equal rows; in order of role, kind, architecture, ISA. */
void tally_finish(struct tally *t);

void tally_free(struct tally *t);

/* "sm_80", "compute_90"; for kind other without an architecture "type-32". */
#define TALLY_NAME_MAX 32
char *tally_name(const struct tally_row *row, char out[TALLY_NAME_MAX]);

#endif
