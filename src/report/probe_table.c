/* SPDX-License-Identifier: Apache-2.0 */
/* Observations for people: a line for each fatbin, or for all that went alike. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuwheel/gpu.h"
#include "report/out.h"
#include "report/probe_writer.h"
#include "report/text.h"

/* Lines that only differ in their fatbin become one. */
struct line {
  const struct cuw_observation *first;
  struct text text; /* prediction and observation in words */
  size_t count;
  uint64_t jit_time;
};

struct lines {
  struct line *items;
  size_t count;
};

static void put_color(struct cuw_probe_writer *w, const char *code)
{
  if (w->options.color)
    cuw_out_string(w->out, code);
}

void probe_table_begin(struct cuw_probe_writer *w)
{
  size_t count;
  char cc[CUW_CC_MAX], cuda[CUW_CC_MAX];
  const struct cuw_probe_device *devices = cuw_probe_devices(w->probe, &count);
  const char *driver = cuw_probe_driver(w->probe);
  for (size_t i = 0; i < count; i++) {
    if (!devices[i].wanted)
      continue;
    cuw_out_printf(w->out, "device %u: ", devices[i].ordinal);
    cuw_out_name(w->out, devices[i].name);
    cuw_out_printf(w->out, ", %s, driver for CUDA %s", cuw_cc_text(devices[i].cc, cc),
                   cuw_cc_text(cuw_probe_cuda(w->probe), cuda));
    if (driver) {
      cuw_out_string(w->out, " (");
      cuw_out_name(w->out, driver);
      out_char(w->out, ')');
    }
    out_char(w->out, '\n');
  }
}

static void text_image(struct text *t, const struct cuw_probe_image *image)
{
  char name[CUW_ARCH_NAME_MAX];
  text_printf(t, "%s %s", cuw_kind_name((enum cuw_kind)image->kind), cuw_arch_name(image->arch, name));
}

static void text_predicted(struct text *t, const struct cuw_observation *o)
{
  text_string(t, "predicted ");
  if (!o->loads)
    text_printf(t, "no (%s)", o->why_not ? o->why_not : "");
  else if (o->predicted.known)
    text_image(t, &o->predicted);
  else
    text_string(t, "links");
}

static void text_observed(struct text *t, const struct cuw_observation *o)
{
  if (o->outcome == CUW_PROBE_REFUSED) {
    text_string(t, "observed ");
    if (o->error.name[0])
      text_escape(t, o->error.name);
    else
      text_printf(t, "error %u", o->error.number); /* the driver has no name for it */
    text_string(t, " (");
    text_escape(t, o->error.text);
    text_string(t, ")");
  } else if (o->outcome != CUW_PROBE_LOADED) {
    text_printf(t, "observed %s", cuw_probe_outcome_name(o->outcome));
  } else if (o->took.known) {
    text_string(t, "observed ");
    text_image(t, &o->took);
  } else {
    text_string(t, "observed loaded");
  }
}

static void text_words(struct text *t, const struct cuw_observation *o)
{
  if (o->device != CUW_NO_DEVICE) {
    text_predicted(t, o);
    text_string(t, "  ");
  }
  if (o->outcome != CUW_PROBE_NOT_TRIED) {
    text_observed(t, o);
    text_string(t, "  ");
  }
  text_string(t, o->finding == CUW_PROBE_DISAGREES ? "DISAGREES" : cuw_probe_finding_name(o->finding));
  if (o->reason) {
    text_string(t, ": ");
    text_escape(t, o->reason);
  }
}

static bool alike(const struct line *line, const struct cuw_observation *o, const struct text *t)
{
  return line->first->device == o->device && line->first->role == o->role && line->first->method == o->method &&
         strcmp(text_get(&line->text), text_get(t)) == 0;
}

/* Only neighbours of the last few kinds are compared: lines stay in order, and the cost stays linear. */
#define KINDS_BACK 32u

static bool add_line(struct cuw_probe_writer *w, struct lines *lines, const struct cuw_observation *o)
{
  struct text t = {0};
  text_words(&t, o);
  uint64_t jit = o->jit_time == CUW_NONE ? 0 : o->jit_time;
  for (size_t back = 1; !w->options.verbose && back <= KINDS_BACK && back <= lines->count; back++) {
    struct line *line = &lines->items[lines->count - back];
    if (!alike(line, o, &t))
      continue;
    line->count++;
    line->jit_time += jit;
    text_free(&t);
    return true;
  }
  struct line *items = realloc(lines->items, (lines->count + 1) * sizeof *items);
  if (!items || t.failed) {
    lines->items = items ? items : lines->items;
    text_free(&t);
    return false;
  }
  lines->items = items;
  items[lines->count++] = (struct line){o, t, 1, jit};
  return true;
}

static void put_place(struct cuw_probe_writer *w, const struct line *line)
{
  const struct cuw_observation *o = line->first;
  size_t count;
  const struct cuw_probe_device *devices = cuw_probe_devices(w->probe, &count);
  if (o->device == CUW_NO_DEVICE)
    cuw_out_string(w->out, "  -         ");
  else
    cuw_out_printf(w->out, "  device %-3u", devices[o->device].ordinal);
  const char *what = o->method == CUW_PROBE_IMAGE ? "image" : o->fatbin == CUW_NO_FATBIN ? "bare image" : "fatbin";
  char name[CUW_ARCH_NAME_MAX], text[64];
  if (line->count > 1)
    snprintf(text, sizeof text, "%zu %ss", line->count, what);
  else if (o->fatbin != CUW_NO_FATBIN && o->method == CUW_PROBE_IMAGE)
    snprintf(text, sizeof text, "fatbin %u %s", o->fatbin, cuw_arch_name(o->image.arch, name));
  else if (o->fatbin != CUW_NO_FATBIN)
    snprintf(text, sizeof text, "fatbin %u%s", o->fatbin, o->method == CUW_PROBE_LINK ? " by link" : "");
  else
    snprintf(text, sizeof text, "at 0x%llx", (unsigned long long)o->offset);
  cuw_out_printf(w->out, "  %-12s  %-11s  ", cuw_role_name((enum cuw_role)o->role), text);
}

static void put_line(struct cuw_probe_writer *w, const struct line *line)
{
  bool alert = line->first->finding == CUW_PROBE_DISAGREES || line->first->finding == CUW_PROBE_UNTRIED;
  put_place(w, line);
  put_color(w, alert ? "\033[33m" : line->first->finding == CUW_PROBE_NOT_APPLICABLE ? "\033[2m" : "");
  cuw_out_string(w->out, text_get(&line->text));
  put_color(w, "\033[0m");
  if (line->jit_time)
    cuw_out_printf(w->out, "  (JIT %.1f ms)", (double)line->jit_time / 1000.0);
  out_char(w->out, '\n');
}

static void put_lines(struct cuw_probe_writer *w, struct lines *lines)
{
  for (size_t i = 0; i < lines->count; i++) {
    put_line(w, &lines->items[i]);
    text_free(&lines->items[i].text);
  }
  free(lines->items);
  *lines = (struct lines){0};
}

static void put_library_name(struct cuw_probe_writer *w, const struct cuw_probed *probed, const char *library)
{
  put_color(w, "\033[1m");
  if (probed->input->kind == CUW_INPUT_FILE) {
    cuw_out_name(w->out, probed->input->path);
    if (strchr(library, '('))
      cuw_out_name(w->out, strchr(library, '('));
  } else {
    cuw_out_name(w->out, library);
  }
  put_color(w, "\033[0m");
  out_char(w->out, '\n');
}

void probe_table_input(struct cuw_probe_writer *w, const struct cuw_probed *probed)
{
  struct lines lines = {0};
  if (probed->input->kind != CUW_INPUT_FILE) {
    cuw_out_name(w->out, probed->input->path);
    out_char(w->out, '\n');
  }
  for (size_t i = 0; i < probed->count; i++) {
    const struct cuw_observation *o = &probed->observations[i];
    if (i == 0 || strcmp(o->library, probed->observations[i - 1].library) != 0) {
      put_lines(w, &lines);
      put_library_name(w, probed, o->library);
    }
    if (!add_line(w, &lines, o))
      out_fail(w->out, ENOMEM);
  }
  put_lines(w, &lines);
  for (size_t i = 0; i < probed->count; i++)
    if (probed->observations[i].finding == CUW_PROBE_DISAGREES)
      probe_table_bug_report(w, probed, &probed->observations[i]);
}

void probe_table_end(struct cuw_probe_writer *w)
{
  const struct cuw_probe_counts *c = &w->counts;
  cuw_out_printf(w->out, "%zu tried: %zu as predicted, %zu not as predicted; %zu not tried, %zu not applicable\n",
                 c->agrees + c->disagrees, c->agrees, c->disagrees, c->untried, c->not_applicable);
}
