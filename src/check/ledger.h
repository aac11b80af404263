/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on libraries, made by the jobs that read them and looked up afterwards. */
#ifndef CHECK_LEDGER_H
#define CHECK_LEDGER_H

#include "cuwheel/checked.h"
#include "input/source.h"

struct ledger;

/* `threads` is what the jobs may use. */
struct ledger *ledger_new(const struct cuw_check_options *options, unsigned threads);
void ledger_free(struct ledger *g);

/* A job_visitor: judges the library for every GPU, opening images where a verdict needs it. From several threads. */
void ledger_judge(void *ledger, struct source *s, struct cuw_library *l);

/* All libraries are in: makes ledger_take possible. */
void ledger_sort(struct ledger *g);

/* Moves the verdict of `l` for GPU number `gpu` into *out. false: there is none (memory was out, or a loose image). */
bool ledger_take(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_library_verdict *out);

/* Adds the bytes of `l` for that GPU, where bytes were asked for. */
void ledger_add_bytes(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_bytes *sum);

/* Moves the kernels of `l` that fail on GPU number `gpu` into *out, which stays as it is where there are none. */
void ledger_take_missing(struct ledger *g, const struct cuw_library *l, size_t gpu, struct cuw_missing *out);

#endif
