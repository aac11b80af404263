/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/file.h"
#include "input/spool.h"
#include "inspect/examine.h"
#include "inspect/folder.h"
#include "inspect/gather.h"
#include "inspect/pool.h"
#include "inspect/wheel.h"
#include "model/report.h"

#define THREADS_MAX 256u
/* Each thread takes about 3 MiB; most of a wheel is one library, so more of them gain little unasked. */
#define THREADS_DEFAULT_MAX 8u

/* Places to go back to in deflated members, shared by all threads: about 6 MiB. */
#define CHECKPOINTS ((size_t)64)
#define CHECKPOINTS_LEAST ((size_t)8)

static void inspect_wheel(struct gather *g, struct source *s, const char *path)
{
  g->input->kind = CUW_INPUT_WHEEL;
  const char *base = path_base(path);
  struct wheel_place place = {.prefix = "",
                              .nested_prefix = arena_printf(g->arena, "%s!", base),
                              .disk = path,
                              .member_prefix = "",
                              .file_name = base};
  wheel_inspect(g, s, &place);
}

static void refuse(struct gather *g, const char *path, uint64_t size, enum carrier_type type)
{
  const char *what = carrier_unread_reason(type, path);
  if (what) {
    char *message = arena_printf(g->arena, "%s: cuwheel does not read such files", what);
    gather_problem(g, CUW_ERROR, "not-read", path, NULL, CUW_NONE, message,
                   "extract it and inspect the folder, or inspect the wheel instead");
  } else if (size == 0) {
    gather_problem(g, CUW_ERROR, "empty-file", path, NULL, 0, "the file is empty", NULL);
  } else if (type == CARRIER_NVVM) {
    gather_problem(g, CUW_NOTE, "nvvm-ir", path, NULL, 0,
                   "an NVVM IR file: input for a compiler or linker, never loaded on a GPU by itself", NULL);
  } else {
    gather_problem(g, CUW_ERROR, "no-carrier", path, NULL, 0,
                   "neither a wheel nor a library nor GPU code, by its first bytes",
                   "name a .whl, a .so, .dll, .pyd, .a, .lib, .o, .cubin, .fatbin or .ptx file, or a folder");
  }
}

/* One file by its content: a wheel, a carrier, or nothing that is read. */
static void inspect_bytes(struct gather *g, struct source *s, const char *path)
{
  struct view head;
  enum carrier_type type = CARRIER_NONE;
  if (source_view(s, 0, CARRIER_HEAD, &head) == SOURCE_OK)
    type = carrier_identify(head);
  if (type == CARRIER_ZIP) {
    inspect_wheel(g, s, path);
    return;
  }
  struct job_result r;
  job_read(s, path_base(path), g->visitor, &r);
  g->input->member_count++;
  bool found = r.library_count > 0 || r.faults;
  gather_result(g, &r, path, NULL);
  if (!found && r.type != CARRIER_AR)
    refuse(g, path, s->size, r.type);
  job_result_free(&r);
  source_close(s);
}

static void inspect_stream(struct gather *g)
{
  struct input_error error = {0};
  uint64_t size = 0;
  int fd = spool_stream(STDIN_FILENO, &size, &error);
  struct source *s = fd >= 0 ? file_source_from_fd(fd, true, 0, size) : NULL;
  if (s) {
    inspect_bytes(g, s, "-");
    return;
  }
  if (fd >= 0) {
    close(fd);
    input_error_set(&error, "out-of-memory", "no memory to read the copy of standard input");
  }
  gather_input_error(g, &error, "-", NULL);
}

static void inspect_path(struct gather *g, const char *path)
{
  struct stat st;
  if (strcmp(path, "-") == 0) {
    inspect_stream(g);
    return;
  }
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    folder_inspect(g, path);
    return;
  }
  struct input_error error = {0};
  struct source *s = file_source_open(AT_FDCWD, path, &error);
  if (s)
    inspect_bytes(g, s, path);
  else
    gather_input_error(g, &error, path, NULL);
}

static bool gather_begin(struct gather *g, const char *path, const struct cuw_inspect_options *options)
{
  static const struct cuw_inspect_options defaults = {0};
  struct cuw_input *input = input_new(path, CUW_INPUT_FILE);
  if (!input)
    return false;
  *g = (struct gather){.input = input, .arena = input->arena, .options = options ? options : &defaults};
  g->threads = g->options->jobs ? g->options->jobs : pool_cores();
  if (!g->options->jobs && g->threads > THREADS_DEFAULT_MAX)
    g->threads = THREADS_DEFAULT_MAX;
  if (g->threads > THREADS_MAX)
    g->threads = THREADS_MAX;
  g->workspaces = arena_alloc(g->arena, g->threads * sizeof(struct inflate_workspace *));
  size_t share = CHECKPOINTS / g->threads;
  for (unsigned i = 0; g->workspaces && i < g->threads; i++) {
    g->workspaces[i] = inflate_workspace_new(NULL);
    if (!g->workspaces[i])
      continue;
    inflate_workspace_set_checkpoints(g->workspaces[i], share > CHECKPOINTS_LEAST ? share : CHECKPOINTS_LEAST);
    if (g->options->ahead)
      inflate_workspace_set_spare(g->workspaces[i], &g->spare);
  }
  if (!g->workspaces)
    cuw_input_free(input);
  return g->workspaces != NULL;
}

struct cuw_input *inspect_visited(const char *path, const struct cuw_inspect_options *options,
                                  const struct job_visitor *visitor)
{
  struct gather g;
  if (!gather_begin(&g, path, options))
    return NULL;
  g.visitor = visitor;
  inspect_path(&g, g.input->path);
  gather_finish(&g);
  for (unsigned i = 0; i < g.threads; i++)
    inflate_workspace_free(g.workspaces[i]);
  return g.input;
}

uint64_t inspect_image_limit(const struct cuw_inspect_options *options)
{
  return options && options->max_image_size ? options->max_image_size : CUW_IMAGE_SIZE_MAX;
}

bool cuw_can_decode_ahead(void)
{
  return inflate_fastest()->begin != NULL;
}

struct cuw_input *cuw_inspect(const char *path, const struct cuw_inspect_options *options)
{
  struct examine_options examine = {inspect_image_limit(options)};
  struct job_visitor visitor = {examine_library, &examine};
  return inspect_visited(path, options, options && options->verify ? &visitor : NULL);
}
