/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/live.h"
#include "cuwheel/machine.h"
#include "cuwheel/write.h"

#define GPU_TEXT_MAX 128

static void print_candidates(const struct cuw_gpu_search *search)
{
  for (size_t i = 0; i < search->candidate_count; i++) {
    char cc[CUW_CC_MAX];
    const struct cuw_gpu_product *p = &search->candidates[i];
    fprintf(stderr, "%s%s%s",
            i == 0                            ? ""
            : i + 1 < search->candidate_count ? ", "
                                              : " or ",
            p->name ? p->name : "", p->name ? " (" : "");
    fprintf(stderr, "%s%s", cuw_cc_text(p->number, cc), p->name ? ")" : "");
  }
}

bool gpu_list_find(const char *where, const char *text, struct cuw_gpu *gpu)
{
  struct cuw_gpu_search search;
  char cc[CUW_CC_MAX];
  cuw_gpu_find(text, &search);
  *gpu = search.gpu;
  switch (search.match) {
  case CUW_GPU_FOUND:
    return true;
  case CUW_GPU_AMBIGUOUS:
    fprintf(stderr, "cuwheel: %s: '%s' names several GPUs: ", where, text);
    print_candidates(&search);
    fprintf(stderr, "; say which, or give its compute capability\n");
    return false;
  case CUW_GPU_SUFFIX:
    fprintf(stderr, "cuwheel: %s: '%s' is code for one chip or family; a device has no suffix: give %s\n", where, text,
            cuw_cc_text(search.gpu.number, cc));
    return false;
  case CUW_GPU_UNKNOWN:
    break;
  }
  fprintf(stderr, "cuwheel: %s: no GPU is called '%s'; ", where, text);
  if (search.candidate_count) {
    fprintf(stderr, "did you mean ");
    print_candidates(&search);
    fprintf(stderr, "? ");
  } else
    fprintf(stderr, "give a name such as \"RTX 5090\", or 12.0 or sm_120; ");
  fprintf(stderr, "'cuwheel gpus' lists all\n");
  return false;
}

bool gpu_list_add(struct gpu_list *list, const struct cuw_gpu *gpu)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->gpus[i].number == gpu->number && list->gpus[i].name == gpu->name)
      return true;
  struct cuw_gpu *grown = realloc(list->gpus, (list->count + 1) * sizeof *grown);
  if (!grown) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return false;
  }
  list->gpus = grown;
  list->gpus[list->count++] = *gpu;
  return true;
}

static int add_all(struct gpu_list *list)
{
  size_t count;
  const struct cuw_gpu_arch *archs = cuw_gpu_archs(&count);
  list->all = true;
  for (size_t i = 0; i < count; i++)
    if (!gpu_list_add(list, &(struct cuw_gpu){NULL, archs[i].number, false}))
      return STATUS_DAMAGED;
  return STATUS_OK;
}

static void print_unknown_model(const char *model)
{
  struct cuw_out *out = cuw_out_fd(STDERR_FILENO);
  if (!out)
    return;
  cuw_out_string(out, "cuwheel: this machine has '");
  cuw_out_name(out, model);
  cuw_out_string(out, "', which the GPU table does not know; give its compute capability, as in --gpu=8.9 "
                      "(nvidia-smi --query-gpu=compute_cap --format=csv shows it)\n");
  cuw_out_close(out, true);
}

static int add_models(struct gpu_list *list, const struct cuw_machine *machine, const char *folder)
{
  if (!machine->has_driver) {
    fprintf(stderr,
            "cuwheel: there is no NVIDIA driver on this machine (no %s); name the GPU to judge for, "
            "as in --gpu=\"RTX 4090\" or --gpu=8.9\n",
            folder);
    return STATUS_DAMAGED;
  }
  if (!machine->model_count) {
    fprintf(stderr,
            "cuwheel: the NVIDIA driver of this machine names no GPU in %s; name the GPU to judge for, "
            "as in --gpu=\"RTX 4090\" or --gpu=8.9\n",
            folder);
    return STATUS_DAMAGED;
  }
  for (size_t i = 0; i < machine->model_count; i++) {
    struct cuw_gpu_search search;
    cuw_gpu_find(machine->models[i], &search);
    if (search.match != CUW_GPU_FOUND) {
      print_unknown_model(machine->models[i]);
      return STATUS_DAMAGED;
    }
    if (!gpu_list_add(list, &search.gpu))
      return STATUS_DAMAGED;
  }
  list->driver = machine->driver;
  list->has_machine_driver = machine->driver.part_count > 0;
  return STATUS_OK;
}

/* The driver library is asked first, then what the kernel driver publishes. Where its folder is mounted in another
 * place, as in some containers, a variable names it, and it alone is asked. */
static int add_this(struct gpu_list *list)
{
  const char *named = getenv("CUWHEEL_PROC_NVIDIA");
  const char *folder = named && *named ? named : CUW_MACHINE_FOLDER;
  int asked = folder == named ? STATUS_USAGE : live_gpus(list);
  if (asked != STATUS_USAGE)
    return asked;
  struct cuw_machine machine;
  if (!cuw_machine_read(folder, &machine)) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return STATUS_DAMAGED;
  }
  int status = add_models(list, &machine, folder);
  cuw_machine_free(&machine);
  return status;
}

static int add_one(struct gpu_list *list, const char *text, size_t length)
{
  char name[GPU_TEXT_MAX];
  struct cuw_gpu gpu;
  while (length && strchr(" \t", *text)) {
    text++;
    length--;
  }
  while (length && strchr(" \t", text[length - 1]))
    length--;
  if (length >= sizeof name)
    length = sizeof name - 1;
  memcpy(name, text, length);
  name[length] = '\0';
  if (strcasecmp(name, "all") == 0)
    return add_all(list);
  if (strcasecmp(name, "this") == 0)
    return add_this(list);
  if (!gpu_list_find("--gpu", name, &gpu))
    return STATUS_USAGE;
  return gpu_list_add(list, &gpu) ? STATUS_OK : STATUS_DAMAGED;
}

int gpu_list_make(const struct options *options, struct gpu_list *list)
{
  *list = (struct gpu_list){0};
  if (options->check.gpus.count == 0)
    return add_this(list);
  for (size_t i = 0; i < options->check.gpus.count; i++) {
    const char *at = options->check.gpus.items[i];
    for (bool more = true; more;) {
      size_t length = strcspn(at, ",");
      int status = add_one(list, at, length);
      if (status != STATUS_OK)
        return status;
      more = at[length] == ',';
      at += length + more;
    }
  }
  return STATUS_OK;
}

void gpu_list_free(struct gpu_list *list)
{
  free(list->gpus);
  *list = (struct gpu_list){0};
}
