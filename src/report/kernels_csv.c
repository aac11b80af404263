/* SPDX-License-Identifier: Apache-2.0 */
/* A row a kernel and image (RFC 4180), its fields as JSON names them. */
#include <errno.h>
#include <inttypes.h>

#include "report/kernel_writer.h"
#include "report/out.h"
#include "report/text.h"

static void begin(struct cuw_kernel_writer *w)
{
  cuw_out_string(w->out, "input,distribution,library,fatbin,name,demangled,static,arch,kind,offset");
  for (size_t i = 0; i < KERNEL_NUMBERS; i++)
    cuw_out_printf(w->out, ",%s", kernel_number_names[i]);
  cuw_out_string(w->out, "\r\n");
}

struct rows {
  struct cuw_out *out;
  struct text row;
  size_t head; /* bytes of the row that the library gives */
};

static void add_code(struct text *row, const struct cuw_kernel_code *code)
{
  char arch[CUW_ARCH_NAME_MAX];
  uint64_t numbers[KERNEL_NUMBERS];
  kernel_numbers(code, numbers);
  text_printf(row, ",%s,%s,%" PRIu64, code->image->has_arch ? cuw_arch_name(code->image->arch, arch) : "",
              cuw_kind_name((enum cuw_kind)code->image->kind), code->image->offset);
  for (size_t i = 0; i < KERNEL_NUMBERS; i++)
    if (numbers[i] == CUW_NONE)
      text_string(row, ",");
    else
      text_printf(row, ",%" PRIu64, numbers[i]);
  text_string(row, "\r\n");
}

static bool put_kernel(void *data, const struct cuw_kernel *kernel)
{
  struct rows *r = data;
  r->row.length = r->head;
  if (kernel->fatbin != CUW_NO_FATBIN)
    text_printf(&r->row, "%" PRIu32, kernel->fatbin);
  text_string(&r->row, ",");
  text_csv(&r->row, kernel->name);
  text_string(&r->row, ",");
  text_csv(&r->row, kernel->demangled);
  text_string(&r->row, kernel->local ? ",true" : ",false");
  size_t head = r->row.length;
  for (size_t i = 0; i < kernel->code_count && !r->row.failed; i++) {
    r->row.length = head;
    add_code(&r->row, &kernel->codes[i]);
    cuw_out_string(r->out, text_get(&r->row));
  }
  return !r->row.failed && !cuw_out_error(r->out);
}

static void input(struct cuw_kernel_writer *w, const struct cuw_kernels *kernels)
{
  const struct cuw_input *in = cuw_kernels_input(kernels);
  struct rows r = {.out = w->out};
  for (size_t i = 0; i < in->distribution_count; i++) {
    const struct cuw_distribution *d = &in->distributions[i];
    for (size_t k = 0; k < d->library_count; k++) {
      text_clear(&r.row);
      text_csv(&r.row, in->path);
      text_string(&r.row, ",");
      text_csv(&r.row, d->name ? d->name : "");
      text_string(&r.row, ",");
      text_csv(&r.row, d->libraries[k]->path);
      text_string(&r.row, ",");
      r.head = r.row.length;
      if (cuw_kernels_each(kernels, d->libraries[k], put_kernel, &r) < 0 || r.row.failed)
        out_fail(w->out, ENOMEM);
    }
  }
  text_free(&r.row);
}

const struct kernel_format kernels_csv = {"csv", begin, input, NULL};
