/* SPDX-License-Identifier: Apache-2.0 */
#include "report/table_summary.h"

#include <errno.h>
#include <string.h>

#include "report/layout.h"
#include "report/out.h"
#include "report/text.h"

void text_count(struct text *t, size_t count, const char *one, const char *many)
{
  text_printf(t, "%zu %s", count, count == 1 ? one : many);
}

/* The source of a piece of evidence, in words. */
static const char *source_words(const char *source)
{
  static const struct {
    const char *source, *words;
  } table[] = {
      {"needed", "linked library"},
      {"static-runtime", "static CUDA runtime"},
      {"toolkit", "compiler of the images"},
      {"embedded", "compiler of images the library loads itself"},
      {"ptx", "ISA of the PTX"},
      {"requires", "Requires-Dist"},
      {"local-version", "version of the distribution"},
      {"version-file", "version file"},
      {"name", "name"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].source, source) == 0)
      return table[i].words;
  return source;
}

static bool seen_before(const struct cuw_evidence *evidence, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (strcmp(evidence[i].source, evidence[index].source) == 0 &&
        strcmp(evidence[i].value, evidence[index].value) == 0)
      return true;
  return false;
}

static size_t count_like(const struct cuw_evidence *evidence, size_t first, size_t count)
{
  size_t like = 1;
  for (size_t i = first + 1; i < count; i++)
    like += strcmp(evidence[i].source, evidence[first].source) == 0 &&
            strcmp(evidence[i].value, evidence[first].value) == 0;
  return like;
}

/* A line for each (version, source), with the first library that shows it. */
static void put_evidence(struct cuw_writer *w, const struct cuw_evidence *evidence, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (seen_before(evidence, i))
      continue;
    cuw_out_string(w->out, "  CUDA ");
    cuw_out_name(w->out, evidence[i].value[0] ? evidence[i].value : "of unknown version");
    cuw_out_printf(w->out, " (%s)", source_words(evidence[i].source));
    size_t like = count_like(evidence, i, count);
    if (evidence[i].library) {
      cuw_out_string(w->out, ": ");
      cuw_out_name(w->out, evidence[i].library);
      if (like > 1)
        cuw_out_printf(w->out, " and %zu more", like - 1);
    }
    out_char(w->out, '\n');
  }
}

struct counts {
  size_t with, without, loose;
  bool incomplete;
};

static struct counts count_libraries(const struct cuw_distribution *distribution)
{
  struct counts counts = {0};
  for (size_t i = 0; i < distribution->library_count; i++) {
    const struct cuw_library *library = distribution->libraries[i];
    if (library->format >= CUW_CUBIN)
      counts.loose++;
    else if (library_has_gpu_code(library))
      counts.with++;
    else
      counts.without++;
    if (!library->complete)
      counts.incomplete = true;
  }
  return counts;
}

static void add_machines(struct text *t, const struct cuw_distribution *distribution)
{
  const char *names[8];
  size_t count = 0;
  for (size_t i = 0; i < distribution->library_count; i++) {
    const char *machine = distribution->libraries[i]->machine;
    bool known = !machine;
    for (size_t j = 0; j < count && !known; j++)
      known = strcmp(names[j], machine) == 0;
    if (!known && count < sizeof names / sizeof *names)
      names[count++] = machine;
  }
  for (size_t i = 0; i < count; i++) {
    text_string(t, i ? ", " : "");
    text_escape(t, names[i]);
  }
}

static void add_library_counts(struct text *t, struct counts counts)
{
  if (!counts.with) {
    text_string(t, counts.incomplete ? "no GPU code found in " : "no GPU code in ");
    text_count(t, counts.without, "library", "libraries");
    return;
  }
  text_count(t, counts.with, "library", "libraries");
  text_string(t, " with GPU code");
  if (counts.without)
    text_printf(t, ", %zu without", counts.without);
}

static void add_runtime_compiler(struct text *t, const struct cuw_distribution *distribution)
{
  text_string(t, "compiles GPU code when it runs");
  if (!distribution->runtime_compiler_sign)
    return;
  text_string(t, ": ");
  text_escape(t, distribution->runtime_compiler_sign);
}

/* Clauses, each but the first after a "; "; a clause that does not fit goes to the next line. */
struct line {
  struct cuw_writer *w;
  struct text clause;
  size_t at;    /* column */
  bool follows; /* a clause stands before */
  bool failed;
};

static void end_clause(struct line *line, enum style style)
{
  size_t width = text_width(text_get(&line->clause));
  unsigned room = line->w->options.width;
  if (line->follows && room && line->at + 3 + width > room) {
    cuw_out_string(line->w->out, ";\n  ");
    line->at = 2;
  } else if (line->follows) {
    cuw_out_string(line->w->out, "; ");
    line->at += 2;
  }
  put_styled(line->w, style, text_get(&line->clause));
  line->at += width;
  line->follows = true;
  line->failed |= line->clause.failed;
  text_clear(&line->clause);
}

static void put_line(struct line *line, const struct cuw_distribution *distribution)
{
  struct counts counts = count_libraries(distribution);
  if (distribution->cuda) {
    text_string(&line->clause, "CUDA ");
    text_escape(&line->clause, distribution->cuda);
    end_clause(line, STYLE_PLAIN);
  }
  if (counts.with || counts.without) {
    add_library_counts(&line->clause, counts);
    end_clause(line, STYLE_PLAIN);
  }
  if (counts.loose) {
    text_count(&line->clause, counts.loose, "loose image", "loose images");
    end_clause(line, STYLE_PLAIN);
  }
  if (!distribution->library_count) {
    text_string(&line->clause, "no libraries");
    end_clause(line, STYLE_PLAIN);
  }
  add_machines(&line->clause, distribution);
  if (line->clause.length)
    end_clause(line, STYLE_PLAIN);
  if (distribution->runtime_compiler) {
    add_runtime_compiler(&line->clause, distribution);
    end_clause(line, STYLE_PLAIN);
  }
  if (counts.incomplete) {
    text_string(&line->clause, "not everything could be read");
    end_clause(line, STYLE_ALERT);
  }
}

static bool evidence_conflicts(const struct cuw_distribution *distribution)
{
  for (size_t i = 0; i < distribution->library_count; i++)
    if (distribution->libraries[i]->cuda_conflict)
      return true;
  return distribution->cuda_conflict;
}

void table_summary(struct cuw_writer *w, const char *label, const struct cuw_distribution *distribution)
{
  struct line line = {.w = w};
  if (*label) {
    put_styled(w, STYLE_TITLE, label);
    cuw_out_string(w->out, ": ");
    line.at = text_width(label) + 2;
  }
  put_line(&line, distribution);
  out_char(w->out, '\n');
  if (line.failed)
    out_fail(w->out, ENOMEM);
  text_free(&line.clause);

  bool conflict = evidence_conflicts(distribution);
  if (conflict) {
    put_styled(w, STYLE_ALERT, "  the signs of the CUDA version contradict each other:");
    out_char(w->out, '\n');
  }
  if (conflict || w->options.verbose)
    put_evidence(w, distribution->evidence, distribution->evidence_count);
}
