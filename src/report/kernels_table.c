/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for people: a line a kernel of a fatbin, below the name of the library. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "report/kernel_writer.h"
#include "report/out.h"
#include "report/text.h"

#define GAP 2
#define CELLS 6 /* before the name */

/* A hostile cubin may name one kernel ten thousand times: its cell stands out, the others are not padded to it. */
#define WIDTH_MAX 160u

static const char *const heads[CELLS] = {"FATBIN", "REGS", "SHARED", "STACK", "THREADS", "ARCHITECTURES"};

struct table {
  struct cuw_kernel_writer *w;
  struct text cells[CELLS];
  size_t widths[CELLS];
  bool headed;
};

/* "32", or "32-40" where the images differ; "-" where none records it. */
static void add_range(struct text *t, const struct cuw_kernel *kernel, size_t number)
{
  uint64_t least = CUW_NONE, most = 0;
  for (size_t i = 0; i < kernel->code_count; i++) {
    uint64_t numbers[KERNEL_NUMBERS];
    kernel_numbers(&kernel->codes[i], numbers);
    if (numbers[number] == CUW_NONE)
      continue;
    least = numbers[number] < least ? numbers[number] : least;
    most = numbers[number] > most ? numbers[number] : most;
  }
  if (least == CUW_NONE)
    text_string(t, "-");
  else if (least == most)
    text_printf(t, "%" PRIu64, least);
  else
    text_printf(t, "%" PRIu64 "-%" PRIu64, least, most);
}

static void add_architectures(struct text *t, const struct cuw_kernel *kernel)
{
  char name[CUW_ARCH_NAME_MAX];
  for (size_t i = 0; i < kernel->code_count; i++) {
    const struct cuw_image *image = kernel->codes[i].image;
    text_string(t, i ? " " : "");
    text_string(t, image->has_arch ? cuw_arch_name(image->arch, name) : "?");
  }
}

static void fill_cells(struct table *t, const struct cuw_kernel *kernel)
{
  static const size_t numbers[] = {0, 1, 2, 5}; /* registers, shared, stack, threads */
  for (size_t i = 0; i < CELLS; i++)
    text_clear(&t->cells[i]);
  if (kernel->fatbin == CUW_NO_FATBIN)
    text_string(&t->cells[0], "bare");
  else
    text_printf(&t->cells[0], "%" PRIu32, kernel->fatbin);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    add_range(&t->cells[i + 1], kernel, numbers[i]);
  add_architectures(&t->cells[CELLS - 1], kernel);
}

static bool measure(void *data, const struct cuw_kernel *kernel)
{
  struct table *t = data;
  fill_cells(t, kernel);
  for (size_t i = 0; i < CELLS; i++)
    if (t->cells[i].length > t->widths[i] && t->cells[i].length <= WIDTH_MAX)
      t->widths[i] = t->cells[i].length;
  return true;
}

/* Numbers stand to the right of their columns. */
static void put_cell(struct cuw_out *out, const char *cell, size_t width, bool right)
{
  size_t space = width > strlen(cell) ? width - strlen(cell) : 0;
  out_repeat(out, ' ', GAP + (right ? space : 0));
  cuw_out_string(out, cell);
  if (!right)
    out_repeat(out, ' ', space);
}

static void put_head(struct table *t)
{
  struct cuw_out *out = t->w->out;
  cuw_out_string(out, t->w->options.color ? "\033[2m" : "");
  for (size_t i = 0; i < CELLS; i++)
    put_cell(out, heads[i], t->widths[i], i < CELLS - 1);
  cuw_out_string(out, "  KERNEL");
  cuw_out_string(out, t->w->options.color ? "\033[0m\n" : "\n");
}

/* What -v adds: the numbers of each image. */
static void put_codes(struct cuw_out *out, const struct cuw_kernel *kernel)
{
  for (size_t i = 0; i < kernel->code_count; i++) {
    char arch[CUW_ARCH_NAME_MAX];
    const struct cuw_kernel_code *code = &kernel->codes[i];
    uint64_t numbers[KERNEL_NUMBERS];
    kernel_numbers(code, numbers);
    cuw_out_printf(out, "      %s at 0x%" PRIx64, code->image->has_arch ? cuw_arch_name(code->image->arch, arch) : "?",
                   code->image->offset);
    for (size_t k = 0; k < KERNEL_NUMBERS; k++)
      if (numbers[k] != CUW_NONE)
        cuw_out_printf(out, " %s %" PRIu64, kernel_number_names[k], numbers[k]);
    out_char(out, '\n');
  }
}

static bool put_kernel(void *data, const struct cuw_kernel *kernel)
{
  struct table *t = data;
  struct cuw_out *out = t->w->out;
  if (!t->headed)
    put_head(t);
  t->headed = true;
  fill_cells(t, kernel);
  for (size_t i = 0; i < CELLS; i++)
    put_cell(out, text_get(&t->cells[i]), t->widths[i], i < CELLS - 1);
  out_repeat(out, ' ', GAP);
  if (kernel->name[0])
    cuw_out_name(out, kernel->demangled);
  else
    cuw_out_string(out, "(its name cannot be read)");
  out_char(out, '\n');
  if (t->w->options.verbose) {
    cuw_out_string(out, "      ");
    cuw_out_name(out, kernel->name);
    cuw_out_string(out, kernel->local ? " (static)\n" : "\n");
    put_codes(out, kernel);
  }
  return !cuw_out_error(out);
}

static void put_path(struct cuw_kernel_writer *w, const struct cuw_input *in, const struct cuw_library *library)
{
  cuw_out_string(w->out, w->options.color ? "\033[1m" : "");
  cuw_out_name(w->out, in->kind == CUW_INPUT_FILE ? in->path : library->path);
  if (in->kind == CUW_INPUT_FILE && library->format == CUW_AR) {
    const char *member = strrchr(library->path, '(');
    cuw_out_name(w->out, member ? member : "");
  }
  cuw_out_string(w->out, w->options.color ? "\033[0m\n" : "\n");
}

static long put_library(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels,
                        const struct cuw_library *library)
{
  struct table t = {.w = w};
  for (size_t i = 0; i < CELLS; i++)
    t.widths[i] = strlen(heads[i]);
  long count = cuw_kernels_each(kernels, library, measure, &t);
  if (count > 0) {
    put_path(w, cuw_kernels_input(kernels), library);
    count = cuw_kernels_each(kernels, library, put_kernel, &t);
    out_char(w->out, '\n');
  }
  bool failed = count < 0;
  for (size_t i = 0; i < CELLS; i++) {
    failed |= t.cells[i].failed;
    text_free(&t.cells[i]);
  }
  if (failed)
    out_fail(w->out, ENOMEM);
  return count;
}

static void put_total(struct cuw_kernel_writer *w, const struct cuw_distribution *d, long kernels, size_t libraries)
{
  if (d->name) {
    cuw_out_name(w->out, d->name);
    if (d->version) {
      out_char(w->out, ' ');
      cuw_out_name(w->out, d->version);
    }
    cuw_out_string(w->out, ": ");
  }
  cuw_out_printf(w->out, "%ld %s in %zu %s\n", kernels, kernels == 1 ? "kernel" : "kernels", libraries,
                 libraries == 1 ? "library" : "libraries");
}

static void input(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels)
{
  const struct cuw_input *in = cuw_kernels_input(kernels);
  for (size_t i = 0; i < in->distribution_count; i++) {
    const struct cuw_distribution *d = &in->distributions[i];
    long total = 0;
    size_t libraries = 0;
    for (size_t k = 0; k < d->library_count; k++) {
      long count = put_library(w, kernels, d->libraries[k]);
      total += count > 0 ? count : 0;
      libraries += count > 0;
    }
    if (total > 0 || in->distribution_count == 1)
      put_total(w, d, total, libraries);
  }
}

const struct kernel_format kernels_table = {"table", NULL, input, NULL};
