/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text: its first directives and its entries; docs/format.md section 5. Pure decoding. */
#ifndef IMAGE_PTX_H
#define IMAGE_PTX_H

#include "base/view.h"
#include "cuwheel/image.h"

struct ptx_header {
  size_t offset; /* of ".version" in the text */
  uint16_t isa_major, isa_minor;
  struct cuw_arch arch; /* is_virtual set */
  bool debug;           /* `debug` among the targets */
  uint8_t bits;         /* .address_size 32 or 64; 0 when it is absent */
};

/* Bytes behind ".version" that ptx_header_decode looks at, at most. */
#define PTX_HEADER_MAX 4096u

/* Finds `.version M.m` with `.target` behind it (comments and blank lines between are fine) at or after the start
 * of `text`. false: none whole in this view. */
bool ptx_header_decode(struct view text, struct ptx_header *out);

/* The same where ".version" stands at the start of `text`; for a scan that found the word. */
bool ptx_header_at(struct view text, struct ptx_header *out);

/* Length of the text from ".version": up to the first NUL or the end of the view. */
size_t ptx_extent(struct view text);

/* "13.0" from a comment "Cuda compilation tools, release 13.0" in `text`, into out (at least 8 bytes); false: none. */
bool ptx_toolkit(struct view text, char out[8]);

/* Calls `each` with the name of every `.entry`; comments and strings are skipped. Stops when it returns false. */
long ptx_entries(struct view text, bool (*each)(void *data, struct view name), void *data);

#endif
