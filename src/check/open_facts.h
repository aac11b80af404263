/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the images that a verdict asks for and notes what they hold. */
#ifndef CHECK_OPEN_FACTS_H
#define CHECK_OPEN_FACTS_H

#include "base/gate.h"
#include "carrier/open.h"
#include "verdict/facts.h"

/* Opens what `wants` names, in the order of the file, and adds the facts. An image that cannot be read is one, and a
 * problem of `l` with its code and place. `cap`: bytes of one image, at most. `gate`: the memory that all threads have
 * for opened images. */
void open_facts(struct source *s, struct cuw_library *l, const struct want_list *wants, uint64_t cap, struct gate *gate,
                struct image_buffers *b, struct facts *facts);

#endif
