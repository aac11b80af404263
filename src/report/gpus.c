/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU table, for `cuwheel gpus`; as JSON: docs/schema/gpus-1.json. */
#include <errno.h>
#include <string.h>

#include "report/emit.h"
#include "report/flow.h"
#include "report/text.h"

struct gpu_row {
  const struct cuw_gpu_arch *arch;
  char cc[CUW_CC_MAX], first[CUW_CC_MAX], last[CUW_CC_MAX]; /* last: "" where every toolkit still compiles for it */
};

static struct gpu_row row_of(const struct cuw_gpu_arch *arch)
{
  struct gpu_row row = {.arch = arch};
  cuw_cc_text(arch->number, row.cc);
  cuw_cc_text(arch->first_cuda, row.first);
  if (arch->last_cuda)
    cuw_cc_text(arch->last_cuda, row.last);
  return row;
}

static bool is_product_of(const struct cuw_gpu_product *product, const struct gpu_row *row)
{
  return product->number == row->arch->number;
}

static void add_products(struct text *t, const struct gpu_row *row, const char *separator)
{
  size_t count;
  const struct cuw_gpu_product *products = cuw_gpu_products(&count);
  size_t start = t->length;
  for (size_t i = 0; i < count; i++) {
    if (!is_product_of(&products[i], row))
      continue;
    text_string(t, t->length > start ? separator : "");
    text_string(t, products[i].name);
  }
}

static void put_table_head(struct cuw_writer *w)
{
  put_styled(w, STYLE_DIM, "CC    ARCHITECTURE  FIRST CUDA  LAST CUDA  PRODUCTS");
  cuw_out_string(w->out, "\n");
}

static void put_table_row(struct cuw_writer *w, const struct gpu_row *row)
{
  enum { ARCHITECTURE = 6, FIRST = 20, LAST = 32, PRODUCTS = 43 };
  struct text products = {0};
  if (row->arch->tegra)
    text_string(&products, "(Tegra) ");
  add_products(&products, row, ", ");
  struct flow flow = flow_begin(w, 0, PRODUCTS);
  flow_text(&flow, STYLE_TITLE, row->cc);
  flow_to(&flow, ARCHITECTURE);
  flow_text(&flow, STYLE_PLAIN, row->arch->architecture);
  flow_to(&flow, FIRST);
  flow_text(&flow, STYLE_PLAIN, row->first);
  if (row->last[0]) {
    flow_to(&flow, LAST);
    flow_text(&flow, STYLE_PLAIN, row->last);
  }
  if (products.length)
    flow_to(&flow, PRODUCTS);
  flow_text(&flow, STYLE_PLAIN, text_get(&products));
  flow_end(&flow);
  if (products.failed)
    out_fail(w->out, ENOMEM);
  text_free(&products);
}

static void put_json_head(struct cuw_writer *w)
{
  cuw_out_string(w->out, "{\"schema\": \"cuwheel/gpus/1\",\n \"gpus\": [");
}

static void put_json_row(struct cuw_writer *w, const struct gpu_row *row)
{
  struct emit e = {w->out, true, w->inputs > 0};
  size_t count;
  const struct cuw_gpu_product *products = cuw_gpu_products(&count);
  emit_line(&e, 2);
  emit_open(&e, '{');
  emit_key_string(&e, "cc", row->cc);
  emit_key_string(&e, "architecture", row->arch->architecture);
  emit_key_bool(&e, "tegra", row->arch->tegra);
  emit_key_string(&e, "first_cuda", row->first);
  emit_key_string(&e, "last_cuda", row->last[0] ? row->last : NULL);
  emit_key(&e, "products");
  emit_open(&e, '[');
  for (size_t i = 0; i < count; i++)
    if (is_product_of(&products[i], row))
      emit_string(&e, products[i].name);
  emit_close(&e, ']');
  emit_close(&e, '}');
}

static void put_json_end(struct cuw_writer *w)
{
  cuw_out_string(w->out, w->inputs ? "\n ]\n}\n" : "]\n}\n");
}

static void put_csv_head(struct cuw_writer *w)
{
  cuw_out_string(w->out, "cc,architecture,tegra,first_cuda,last_cuda,products\r\n");
}

static void put_csv_row(struct cuw_writer *w, const struct gpu_row *row)
{
  struct text products = {0}, cell = {0};
  add_products(&products, row, "; ");
  text_csv(&cell, text_get(&products));
  cuw_out_printf(w->out, "%s,%s,%s,%s,%s,%s\r\n", row->cc, row->arch->architecture, row->arch->tegra ? "true" : "false",
                 row->first, row->last, text_get(&cell));
  if (products.failed || cell.failed)
    out_fail(w->out, ENOMEM);
  text_free(&products);
  text_free(&cell);
}

static void put_markdown_head(struct cuw_writer *w)
{
  cuw_out_string(w->out,
                 "| CC | architecture | first CUDA | last CUDA | products |\n| --- | --- | --- | --- | --- |\n");
}

static void put_markdown_row(struct cuw_writer *w, const struct gpu_row *row)
{
  struct text products = {0};
  add_products(&products, row, ", ");
  cuw_out_printf(w->out, "| %s | %s%s | %s | %s | %s |\n", row->cc, row->arch->architecture,
                 row->arch->tegra ? " (Tegra)" : "", row->first, row->last, text_get(&products));
  if (products.failed)
    out_fail(w->out, ENOMEM);
  text_free(&products);
}

static const struct {
  const char *name;
  void (*head)(struct cuw_writer *w);
  void (*row)(struct cuw_writer *w, const struct gpu_row *row);
  void (*end)(struct cuw_writer *w); /* may be NULL */
} formats[] = {
    {"table", put_table_head, put_table_row, NULL},
    {"json", put_json_head, put_json_row, put_json_end},
    {"csv", put_csv_head, put_csv_row, NULL},
    {"markdown", put_markdown_head, put_markdown_row, NULL},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const char *cuw_gpus_format_name(size_t index)
{
  return index < FORMAT_COUNT ? formats[index].name : NULL;
}

static bool is_wanted(unsigned number, const unsigned *numbers, size_t count)
{
  bool wanted = count == 0;
  for (size_t i = 0; i < count; i++)
    wanted = wanted || numbers[i] == number;
  return wanted;
}

bool cuw_write_gpus(const char *format, struct cuw_out *out, const struct cuw_write_options *options,
                    const unsigned *numbers, size_t count)
{
  size_t f = 0, archs;
  while (f < FORMAT_COUNT && strcmp(formats[f].name, format) != 0)
    f++;
  if (f == FORMAT_COUNT)
    return false;
  struct cuw_writer w = {.out = out, .options = *options};
  const struct cuw_gpu_arch *table = cuw_gpu_archs(&archs);
  formats[f].head(&w);
  for (size_t i = 0; i < archs; i++) {
    if (!is_wanted(table[i].number, numbers, count))
      continue;
    struct gpu_row row = row_of(&table[i]);
    formats[f].row(&w, &row);
    w.inputs++;
  }
  if (formats[f].end)
    formats[f].end(&w);
  return true;
}
