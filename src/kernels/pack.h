/* SPDX-License-Identifier: Apache-2.0 */
/* Records kept compressed until they are written: names of kernels are long, and much alike. */
#ifndef KERNELS_PACK_H
#define KERNELS_PACK_H

#include "base/view.h"

/* Zero is empty. */
struct pack {
  uint8_t *data;
  size_t size;
};
void pack_free(struct pack *p);

struct packer;
struct packer *packer_new(void); /* NULL: out of memory */
void packer_free(struct packer *p);
void packer_add(struct packer *p, struct view record);
/* Moves what was added into `out`. false: memory was out at some point. */
bool packer_finish(struct packer *p, struct pack *out);

struct unpacker;
struct unpacker *unpacker_new(const struct pack *p); /* NULL: out of memory */
void unpacker_free(struct unpacker *u);
/* The next record, which lives until the next call. false: none is left, or memory is out (`*failed`). */
bool unpacker_next(struct unpacker *u, struct view *record, bool *failed);

#endif
