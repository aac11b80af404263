/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a table for people: a line a library and role, then one a distribution. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/out.h"
#include "report/table_images.h"
#include "report/table_summary.h"
#include "report/text.h"

/* Files named one after another share a table, so that a hundred of them are a hundred lines. */
struct table {
  struct layout last;
  bool open;  /* a header stands above, and further rows may follow */
  bool apart; /* an empty line stands between it and them */
  bool line;  /* what stands above is about a single file */
  bool begun; /* something stands above */
};

static void table_begin(struct cuw_writer *w)
{
  w->state = calloc(1, sizeof(struct table));
  if (!w->state)
    out_fail(w->out, ENOMEM);
}

static void put_needed(struct cuw_writer *w, const struct cuw_library *library)
{
  if (!library->needed_count && !library->static_runtime)
    return;
  cuw_out_string(w->out, "  needs");
  for (size_t i = 0; i < library->needed_count; i++) {
    out_char(w->out, ' ');
    cuw_out_name(w->out, library->needed[i]);
  }
  cuw_out_string(w->out, library->static_runtime ? " (CUDA runtime linked in)\n" : "\n");
}

/* What -v adds below the last row of a library. */
static void put_verbose(struct cuw_writer *w, const struct cuw_library *library)
{
  put_needed(w, library);
  if (library->image_count)
    table_images(w, library);
}

static bool ends_library(const struct rows *rows, size_t index)
{
  return index + 1 == rows->count || rows->items[index + 1].path;
}

static bool same_columns(const struct layout *a, const struct layout *b)
{
  return a->path == b->path && a->format == b->format && a->cuda == b->cuda && a->role == b->role &&
         a->fatbins == b->fatbins;
}

static void put_rows(struct cuw_writer *w, const struct rows *rows)
{
  struct table *table = w->state;
  struct layout least = table->open ? table->last : (struct layout){0};
  struct layout layout = layout_of(rows, w->options.width, &least);
  if (w->options.verbose)
    layout_stack(&layout);
  bool moved = !layout.stacked && !same_columns(&layout, &table->last);
  if (!table->open || layout.stacked != table->last.stacked || (table->apart && moved))
    layout_header(w, &layout);
  table->apart = false;
  table->last = layout;
  table->open = true;
  const struct cuw_library *library = NULL;
  for (size_t i = 0; i < rows->count; i++) {
    if (rows->items[i].path)
      library = rows->items[i].library;
    layout_row(w, &layout, &rows->items[i]);
    if (!w->options.verbose || !library || !ends_library(rows, i))
      continue;
    put_verbose(w, library);
    if (library->image_count)
      out_char(w->out, '\n');
  }
}

static void put_label(struct text *label, const struct cuw_input *input, const struct cuw_distribution *distribution)
{
  if (distribution->name) {
    text_escape(label, distribution->name);
    if (distribution->version) {
      text_string(label, " ");
      text_escape(label, distribution->version);
    }
  } else if (input->distribution_count > 1)
    text_string(label, "in no distribution");
  else if (input->kind == CUW_INPUT_FILE && !distribution->library_count)
    text_escape(label, input->path);
}

static bool is_single_file(const struct cuw_input *input)
{
  return input->kind == CUW_INPUT_FILE && input->distribution_count == 1 && input->distributions[0].library_count <= 1;
}

/* Whether the rows say all there is to say: one file, without a contradiction. */
static bool needs_no_summary(const struct cuw_input *input)
{
  const struct cuw_distribution *d = input->distributions;
  return is_single_file(input) && d->library_count && !d->cuda_conflict && !d->libraries[0]->cuda_conflict &&
         !d->runtime_compiler;
}

/* Returns whether a row holds an architecture whose suffix is unknown. */
static bool put_distribution(struct cuw_writer *w, const struct cuw_input *input,
                             const struct cuw_distribution *distribution)
{
  /* The path of a file is its name alone: here it stands as it was given. */
  size_t folder = input->kind == CUW_INPUT_FILE ? folder_length(input->path) : 0;
  struct rows rows = rows_of(distribution, w->options.verbose || is_single_file(input), input->path, folder);
  struct text label = {0};
  put_label(&label, input, distribution);
  if (rows.failed || label.failed)
    out_fail(w->out, ENOMEM);
  else {
    if (rows.count)
      put_rows(w, &rows);
    if (w->options.verbose || !needs_no_summary(input))
      table_summary(w, text_get(&label), distribution);
  }
  bool unknown_suffix = rows.unknown_suffix;
  text_free(&label);
  rows_free(&rows);
  return unknown_suffix;
}

/* Worth a line of its own in an environment of hundreds. */
static bool is_of_interest(const struct cuw_distribution *distribution)
{
  if (distribution->cuda || distribution->runtime_compiler)
    return true;
  for (size_t i = 0; i < distribution->library_count; i++)
    if (library_has_gpu_code(distribution->libraries[i]) || !distribution->libraries[i]->complete)
      return true;
  return false;
}

static void put_others(struct cuw_writer *w, size_t distributions, size_t libraries)
{
  struct text line = {0};
  text_string(&line, "no GPU code in ");
  text_count(&line, distributions, "other distribution", "other distributions");
  text_string(&line, " (");
  text_count(&line, libraries, "library", "libraries");
  text_string(&line, ")\n");
  cuw_out_string(w->out, text_get(&line));
  text_free(&line);
}

static void put_distributions(struct cuw_writer *w, const struct cuw_input *input)
{
  struct table *table = w->state;
  size_t others = 0, other_libraries = 0, written = 0;
  bool unknown_suffix = false;
  for (size_t i = 0; i < input->distribution_count; i++) {
    const struct cuw_distribution *distribution = &input->distributions[i];
    if (input->distribution_count > 1 && !w->options.verbose && !is_of_interest(distribution)) {
      others++;
      other_libraries += distribution->library_count;
      continue;
    }
    if (written++) {
      out_char(w->out, '\n');
      table->apart = true;
    }
    unknown_suffix |= put_distribution(w, input, distribution);
  }
  if (!input->distribution_count)
    cuw_out_string(w->out, "no libraries\n");
  if (others)
    put_others(w, others, other_libraries);
  if (unknown_suffix)
    cuw_out_string(w->out, "[f]: the image does not record whether it is for the chip's whole family (sm_XXf)\n");
}

static void put_title(struct cuw_writer *w, const struct cuw_input *input)
{
  struct text title = {0};
  text_escape(&title, strcmp(input->path, "-") == 0 ? "standard input" : input->path);
  put_styled(w, STYLE_TITLE, text_get(&title));
  out_char(w->out, '\n');
  text_free(&title);
}

static bool holds_libraries(const struct cuw_input *input)
{
  for (size_t i = 0; i < input->distribution_count; i++)
    if (input->distributions[i].library_count)
      return true;
  return false;
}

static void table_input(struct cuw_writer *w, const struct cuw_input *input)
{
  struct table *table = w->state;
  if (!table || (!holds_libraries(input) && cuw_input_is_damaged(input)))
    return; /* its problems say all there is to say */
  bool line = is_single_file(input) && !w->options.verbose;
  if (!(table->line && line)) {
    if (table->begun)
      out_char(w->out, '\n');
    table->open = false;
  }
  if (input->kind != CUW_INPUT_FILE)
    put_title(w, input);
  put_distributions(w, input);
  table->line = line;
  table->begun = true;
}

const struct writer_format writer_table = {"table", table_begin, table_input, NULL};
