/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "report/flow.h"
#include "report/text.h"

static const char *why_words(enum cuw_missing_why why)
{
  static const char *const words[CUW_MISSING_KINDS] = {
      [CUW_MISSING_NONE] = "with no image for this GPU",
      [CUW_MISSING_IN_IMAGE] = "not in the image for this GPU, but in another one of the same fatbin",
      [CUW_MISSING_GATED] = "for other chips alone (gated)",
      [CUW_MISSING_SPECIALISED] = "that this GPU should not need (specialised)"};
  return words[why];
}

static bool is_shown(const struct cuw_verdict *verdict, size_t index, bool all)
{
  return verdict->missing && verdict->missing[index].group_count && (all || verdict->libraries[index].chosen);
}

/* "685 kernels with no image for this GPU". */
static void say_total(struct text *t, const struct cuw_missing *m, enum cuw_missing_why why)
{
  text_printf(t, "%zu %s %s", m->kernels[why], m->kernels[why] == 1 ? "kernel" : "kernels", why_words(why));
}

/* How many digits the largest group needs. */
static size_t number_width(const struct cuw_missing *m)
{
  size_t width = 1;
  for (size_t i = 0; i < m->group_count; i++) {
    int length = snprintf(NULL, 0, "%zu", m->groups[i].kernels);
    width = (size_t)length > width ? (size_t)length : width;
  }
  return width;
}

static void put_line(struct cuw_writer *w, size_t margin, size_t indent, enum style style, struct text *text)
{
  struct flow flow = flow_begin(w, margin, indent);
  if (text->failed)
    out_fail(w->out, ENOMEM);
  flow_text(&flow, style, text_get(text));
  flow_end(&flow);
  text_clear(text);
}

static void put_group(struct cuw_writer *w, size_t margin, size_t width, const struct cuw_missing_group *group)
{
  size_t name_at = margin + width + 2;
  char number[32];
  int length = snprintf(number, sizeof number, "%zu", group->kernels);
  struct flow flow = flow_begin(w, margin + width - (size_t)length, name_at);
  flow_text(&flow, STYLE_PLAIN, number);
  flow_to(&flow, name_at);
  flow_text(&flow, STYLE_PLAIN, group->name);
  flow_end(&flow);
}

void missing_table(struct cuw_writer *w, const struct cuw_verdict *verdict, size_t margin)
{
  struct text text = {0};
  for (size_t i = 0; i < verdict->library_count; i++) {
    if (!is_shown(verdict, i, w->options.verbose))
      continue;
    const struct cuw_missing *m = &verdict->missing[i];
    size_t width = number_width(m);
    text_printf(&text, "kernels of %s:", verdict->libraries[i].path);
    put_line(w, margin, margin, STYLE_TITLE, &text);
    for (size_t k = 0; k < m->group_count; k++) {
      if (k == 0 || m->groups[k].why != m->groups[k - 1].why) {
        say_total(&text, m, m->groups[k].why);
        put_line(w, margin + 2, margin + 4, STYLE_PLAIN, &text);
      }
      put_group(w, margin + 4, width, &m->groups[k]);
    }
  }
  text_free(&text);
}

void missing_markdown(struct cuw_out *out, const struct cuw_verdict *verdict)
{
  struct text text = {0}, safe = {0};
  for (size_t i = 0; i < verdict->library_count; i++) {
    if (!is_shown(verdict, i, false))
      continue;
    const struct cuw_missing *m = &verdict->missing[i];
    for (size_t k = 0; k < m->group_count; k++) {
      if (k == 0 || m->groups[k].why != m->groups[k - 1].why) {
        text_clear(&text);
        text_printf(&text, "%s: ", verdict->libraries[i].path);
        say_total(&text, m, m->groups[k].why);
        text_clear(&safe);
        text_markdown(&safe, text_get(&text));
        cuw_out_printf(out, "* %s\n", text_get(&safe));
      }
      text_clear(&safe);
      text_markdown(&safe, m->groups[k].name);
      cuw_out_printf(out, "  * %zu %s\n", m->groups[k].kernels, text_get(&safe));
    }
  }
  if (text.failed || safe.failed)
    out_fail(out, ENOMEM);
  text_free(&text);
  text_free(&safe);
}

void emit_missing(struct emit *e, const struct cuw_verdict *verdict, size_t index)
{
  if (!verdict->missing)
    return;
  const struct cuw_missing *m = &verdict->missing[index];
  emit_key(e, "kernels");
  emit_open(e, '{');
  emit_key_uint(e, "none", m->kernels[CUW_MISSING_NONE]);
  emit_key_uint(e, "in_image", m->kernels[CUW_MISSING_IN_IMAGE]);
  emit_key_uint(e, "gated", m->kernels[CUW_MISSING_GATED]);
  emit_key_uint(e, "specialised", m->kernels[CUW_MISSING_SPECIALISED]);
  emit_key(e, "groups");
  emit_open(e, '[');
  for (size_t i = 0; i < m->group_count; i++) {
    emit_open(e, '{');
    emit_key_string(e, "why", cuw_missing_name(m->groups[i].why));
    emit_key_string(e, "name", m->groups[i].name);
    emit_key_uint(e, "kernels", m->groups[i].kernels);
    emit_key_uint(e, "functions", m->groups[i].functions);
    emit_close(e, '}');
  }
  emit_close(e, ']');
  emit_close(e, '}');
}
