/* SPDX-License-Identifier: Apache-2.0 */
/* The image that the driver takes from a container; docs/format.md section 14. */
#ifndef VERDICT_CHOOSE_H
#define VERDICT_CHOOSE_H

#include "verdict/compat.h"

#define NO_IMAGE SIZE_MAX

/* Among the images named by `order` (indices into `images`, in file order), the index of the one the driver takes;
 * NO_IMAGE when none fits. */
size_t choose_image(const struct cuw_image *images, const size_t *order, size_t count, const struct target *target);

#endif
