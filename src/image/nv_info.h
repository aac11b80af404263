/* SPDX-License-Identifier: Apache-2.0 */
/* The record format that `.nv.info` and `.nv.compat` share; docs/format.md 4.2. */
#ifndef IMAGE_NV_INFO_H
#define IMAGE_NV_INFO_H

#include "base/view.h"

struct nv_record {
  uint8_t attribute;
  uint32_t value;      /* of a record without bytes: its 16 bits (8 where its format is a byte) */
  struct view payload; /* of a record with bytes; {NULL, 0} without */
};

/* Reads the record at the cursor. false: no further record; `c->failed` tells a cut or unknown one from the end. */
bool nv_record_next(struct cursor *c, struct nv_record *out);

#endif
