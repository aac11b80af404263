/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live.h"

#include "cli/output.h"
#include "cli/progress.h"

/* The table's name for the device where there is one, so that it reads as if it had been typed. */
static struct cuw_gpu gpu_of(const struct cuw_probe_device *device)
{
  struct cuw_gpu_search search;
  bool renamed = device->cc == 101;
  unsigned number = renamed ? 110 : device->cc;
  cuw_gpu_find(device->name, &search);
  if (search.match == CUW_GPU_FOUND && search.gpu.number == number)
    return search.gpu;
  return (struct cuw_gpu){NULL, (uint16_t)number, renamed};
}

int live_gpus(struct gpu_list *list)
{
  char reason[CUW_PROBE_REASON_MAX];
  size_t count;
  int status = STATUS_OK;
  struct cuw_probe *probe = cuw_probe_start(&(struct cuw_probe_options){0}, reason);
  if (!probe)
    return STATUS_USAGE;
  const struct cuw_probe_device *devices = cuw_probe_devices(probe, &count);
  const char *version = cuw_probe_driver(probe);
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    if (devices[i].cc == 0) {
      fprintf(stderr, "cuwheel: the driver does not tell the compute capability of device %u\n", devices[i].ordinal);
      status = STATUS_DAMAGED;
      break;
    }
    struct cuw_gpu gpu = gpu_of(&devices[i]);
    status = gpu_list_add(list, &gpu) ? STATUS_OK : STATUS_DAMAGED;
  }
  if (!version || !cuw_driver_parse(version, &list->driver))
    list->driver = (struct cuw_driver){.cuda = cuw_probe_cuda(probe)};
  list->has_machine_driver = list->driver.part_count > 0 || list->driver.cuda > 0;
  cuw_probe_end(probe);
  return status;
}

static bool choose_devices(struct cuw_probe *probe, const struct probe_choice *choice)
{
  for (size_t i = 0; i < choice->device_count; i++) {
    size_t count;
    if (cuw_probe_choose(probe, choice->devices[i]))
      continue;
    cuw_probe_devices(probe, &count);
    fprintf(stderr, "cuwheel: there is no device %u: this machine has %zu, counted from 0\n", choice->devices[i],
            count);
    return false;
  }
  return true;
}

struct cuw_probe *live_start(const struct options *options, int *status)
{
  const struct probe_choice *choice = &options->probe;
  struct cuw_probe_options how = {.timeout = choice->timeout,
                                  .each_image = choice->each_image,
                                  .launch = choice->launch,
                                  .unsafe = choice->unsafe,
                                  .max_image_size = options->max_image_size};
  char reason[CUW_PROBE_REASON_MAX];
  struct cuw_probe *probe = cuw_probe_start(&how, reason);
  *status = STATUS_DAMAGED;
  if (!probe) {
    fprintf(stderr, "cuwheel: %s\n", reason);
    return NULL;
  }
  *status = choose_devices(probe, choice) ? STATUS_OK : STATUS_USAGE;
  if (*status == STATUS_OK)
    return probe;
  cuw_probe_end(probe);
  return NULL;
}

static int status_of(const struct cuw_probed *probed, const char *path)
{
  struct cuw_probe_counts counts = {0};
  cuw_probe_count(probed, &counts);
  if (probed->memory_out)
    fprintf(stderr, "cuwheel: out of memory: not everything in '%s' was tried\n", path);
  if (counts.untried || probed->memory_out || cuw_input_is_damaged(probed->input))
    return STATUS_DAMAGED;
  return counts.disagrees ? STATUS_VERDICT : STATUS_OK;
}

static int try_path(struct cuw_probe *probe, const char *path, const struct options *options,
                    struct cuw_probe_writer *writer, struct cuw_out *shown)
{
  struct progress progress;
  progress_begin(&progress, options, path);
  struct cuw_inspect_options how = {.progress = progress_hook(&progress)};
  struct cuw_probed *probed = cuw_probe_path(probe, path, &how);
  progress_end(&progress);
  if (!probed) {
    fprintf(stderr, "cuwheel: out of memory while reading '%s'\n", path);
    return STATUS_DAMAGED;
  }
  cuw_probe_writer_input(writer, probed);
  if (shown) {
    cuw_out_flush(shown); /* the rows come before the problems where both go to a terminal */
    output_problems(probed->input, options);
  }
  int status = status_of(probed, path);
  cuw_probed_free(probed);
  return status;
}

int live_paths(struct cuw_probe *probe, const struct options *options, struct cuw_out *out, bool problems)
{
  struct cuw_write_options style = output_style(options);
  struct cuw_probe_writer *writer = cuw_probe_writer_new(options->format, out, &style, probe);
  int status = STATUS_OK;
  if (!writer) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return STATUS_DAMAGED;
  }
  for (size_t i = 0; i < options->word_count && !cuw_out_error(out); i++) {
    int own = try_path(probe, options->words[i], options, writer, problems ? out : NULL);
    status = own > status ? own : status; /* 3 wins over 1 */
  }
  cuw_probe_writer_end(writer);
  return status;
}
