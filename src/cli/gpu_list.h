/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that --gpu names. */
#ifndef CLI_GPU_LIST_H
#define CLI_GPU_LIST_H

#include "cli/options.h"
#include "cuwheel/gpu.h"

struct gpu_list {
  struct cuw_gpu *gpus; /* in the order given, none twice */
  size_t count;
  bool all;                 /* "all" was among them */
  bool has_machine_driver;  /* "this" was, and its driver is known: */
  struct cuw_driver driver; /* of this machine */
};

/* Every device of the options; without --gpu those of this machine. STATUS_OK, or another status after a message:
 * STATUS_USAGE for a name that is none, STATUS_DAMAGED where this machine's devices cannot be told. Free in any case.
 */
int gpu_list_make(const struct options *options, struct gpu_list *list);
void gpu_list_free(struct gpu_list *list);

/* Once each. false: out of memory, after a message. */
bool gpu_list_add(struct gpu_list *list, const struct cuw_gpu *gpu);

/* Finds one device by what somebody typed; else says what would be right, `where` being what was typed it into. */
bool gpu_list_find(const char *where, const char *text, struct cuw_gpu *gpu);

#endif
