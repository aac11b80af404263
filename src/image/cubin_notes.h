/* SPDX-License-Identifier: Apache-2.0 */
/* What the producer's notes of a cubin tell; docs/format.md 4.1. */
#ifndef IMAGE_CUBIN_NOTES_H
#define IMAGE_CUBIN_NOTES_H

#include "image/cubin.h"

/* Fills toolkit and arch_note where they are still empty, from the bytes of a `.note.nv.tkinfo` or `.note.nv.cuinfo`
 * section. A damaged note ends the reading. */
void cubin_notes_read(struct view notes, struct cubin_facts *out);

/* "12.9" from toolkit * 10; empty for a number that cannot be one. */
void cubin_toolkit_name(uint32_t times_ten, char out[8]);

#endif
