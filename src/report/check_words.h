/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts in words, for every format that people read. */
#ifndef REPORT_CHECK_WORDS_H
#define REPORT_CHECK_WORDS_H

#include "cuwheel/checked.h"
#include "report/layout.h"
#include "report/text.h"

/* The distribution, or where there is none what it was read from: "torch 2.15.0". Not escaped. */
void say_label(struct text *t, const struct cuw_input *input, const struct cuw_distribution *distribution);

/* "RTX 5090 (12.0)", "compute capability 12.0". */
void say_gpu(struct text *t, const struct cuw_gpu *gpu);

/* "525.60", "525.60 (CUDA 12.0)"; nothing where no driver was given. */
void say_driver(struct text *t, const struct cuw_driver *driver);

/* "525.60.13" of the parts given. */
#define DRIVER_VERSION_MAX 32
char *driver_version(const struct cuw_driver *driver, char out[DRIVER_VERSION_MAX]);

/* The system whose driver numbers count for a distribution: Windows where its libraries are DLLs. */
enum cuw_os distribution_os(const struct cuw_distribution *distribution);

/* What the result means to somebody who wants to run it: "does not run on this GPU". */
void say_result(struct text *t, const struct cuw_verdict *verdict);

/* "7 specialised, 23 gated fatbins set aside"; nothing where there are none. */
void say_aside(struct text *t, const struct cuw_counts *counts);

/* What those words mean here; nothing where nothing is set aside. */
void say_aside_rules(struct text *t, const struct cuw_verdict *verdict);

/* What a driver has to be to compile the PTX that the libraries need, the newest of them: "driver 570.26 or newer (PTX
 * ISA 8.7)". */
void say_jit_driver(struct text *t, const struct cuw_verdict *verdict);

/* "12.3 MB serve this GPU, ..."; nothing where bytes were not asked for. */
void say_bytes(struct text *t, const struct cuw_verdict *verdict);

enum style result_style(enum cuw_result result);

/* A library that belongs on a line of its own: not native, none of the variants that would not be loaded. */
bool is_to_name(const struct cuw_library_verdict *v);

#endif
