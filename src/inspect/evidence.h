/* SPDX-License-Identifier: Apache-2.0 */
/* What the files beside the libraries say about CUDA. */
#ifndef INSPECT_EVIDENCE_H
#define INSPECT_EVIDENCE_H

#include "base/view.h"
#include "inspect/gather.h"

/* A version file is a page of Python. */
#define EVIDENCE_FILE_MAX ((size_t)64 << 10)

/* Notes the CUDA version that a file like torch/version.py states, where it states one. */
void evidence_add_version_file(struct gather *g, struct found_distribution *d, struct view text);

#endif
