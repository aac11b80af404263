/* SPDX-License-Identifier: Apache-2.0 */
/* Output behind an unknown window: it is inflated twice, with two made up windows that differ at every byte. Where both
 * outputs are the same, so is the true one; elsewhere the two bytes tell which byte of the window stands there. */
#ifndef INPUT_AHEAD_TWIN_H
#define INPUT_AHEAD_TWIN_H

#include "input/inflate_backend.h"

/* The two windows. */
void twin_windows(uint8_t first[INFLATE_HISTORY], uint8_t second[INFLATE_HISTORY]);

/* The true bytes of `first` and `second`, with the window that was before them; `out` may be `first`. */
void twin_resolve(uint8_t *out, const uint8_t *first, const uint8_t *second, size_t size,
                  const uint8_t window[INFLATE_HISTORY]);

#endif
