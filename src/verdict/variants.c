/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/variants.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One "cuda128", "cu12", "cuda_12.8", "sm_90a" in a path. */
struct token {
  size_t length;
  bool is_cuda;
  bool major_only;
  unsigned value;
};

static unsigned read_number(const char *at, size_t digits)
{
  unsigned value = 0;
  for (size_t i = 0; i < digits; i++)
    value = value * 10 + (unsigned)(at[i] - '0');
  return value;
}

/* "118" is 11.8, "12" is 12, "12.8" and "12_8" are 12.8. */
static size_t read_cuda(const char *at, struct token *t)
{
  size_t digits = strspn(at, "0123456789");
  if (digits < 2 || digits > 3)
    return 0;
  t->value = read_number(at, digits);
  if (digits == 3)
    return digits;
  if ((at[2] == '.' || at[2] == '_') && isdigit((unsigned char)at[3]) && !isdigit((unsigned char)at[4])) {
    t->value = t->value * 10 + (unsigned)(at[3] - '0');
    return 4;
  }
  t->value *= 10;
  t->major_only = true;
  return at[2] == 'x' ? 3 : 2;
}

static size_t read_arch(const char *at, struct token *t)
{
  size_t digits = strspn(at, "0123456789");
  if (digits < 2 || digits > 3)
    return 0;
  t->value = read_number(at, digits);
  return at[digits] == 'a' || at[digits] == 'f' ? digits + 1 : digits;
}

static bool read_token(const char *at, struct token *out)
{
  static const char *const words[] = {"cuda", "cu", "sm", "compute"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]);
    if (strncmp(at, words[i], n) != 0)
      continue;
    if (at[n] == '_' || at[n] == '-')
      n++;
    struct token t = {.is_cuda = words[i][0] == 'c' && words[i][1] == 'u'};
    size_t value = t.is_cuda ? read_cuda(at + n, &t) : read_arch(at + n, &t);
    if (value == 0 || isalnum((unsigned char)at[n + value]))
      continue;
    t.length = n + value;
    *out = t;
    return true;
  }
  return false;
}

bool path_variant_read(struct arena *arena, const char *path, struct path_variant *out)
{
  *out = (struct path_variant){0};
  size_t length = strlen(path);
  char *pattern = arena_alloc(arena, length + 1), *label = arena_alloc(arena, length + 1);
  if (!pattern || !label)
    return false;
  size_t to = 0, told = 0;
  for (size_t i = 0; i < length;) {
    struct token t;
    bool starts = i == 0 || !isalnum((unsigned char)path[i - 1]);
    if (!starts || !read_token(path + i, &t)) {
      pattern[to++] = path[i++];
      continue;
    }
    if (told)
      label[told++] = '/';
    memcpy(label + told, path + i, t.length);
    told += t.length;
    pattern[to++] = '*';
    i += t.length;
    if (t.is_cuda) {
      out->cuda = t.value;
      out->cuda_major_only = t.major_only;
    } else {
      out->arch = t.value;
    }
  }
  if (told) {
    out->pattern = pattern;
    out->label = label;
  }
  return true;
}

struct entry {
  size_t library;
  struct path_variant v;
};

static int by_pattern(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  int order = strcmp(x->v.pattern, y->v.pattern);
  if (order)
    return order;
  return x->library < y->library ? -1 : x->library > y->library;
}

/* native, jit, unknown, partial, gated, none */
static unsigned rank(enum cuw_result result)
{
  static const enum cuw_result order[] = {CUW_RESULT_NATIVE,  CUW_RESULT_JIT,   CUW_RESULT_UNKNOWN,
                                          CUW_RESULT_PARTIAL, CUW_RESULT_GATED, CUW_RESULT_NONE};
  unsigned i = 0;
  while (i < sizeof order / sizeof *order && order[i] != result)
    i++;
  return i;
}

/* Names of distributions are equal but for case and "-_.". */
static bool is_named(const char *name, const char *wanted)
{
  for (; name && *name && *wanted; name++, wanted++) {
    bool dash = *name == '-' || *name == '_' || *name == '.';
    if (dash ? *wanted != '-' : tolower((unsigned char)*name) != *wanted)
      return false;
  }
  return name && !*name && !*wanted;
}

struct family {
  const struct entry *entries;
  size_t count;
  const struct cuw_library_verdict *libraries;
};

static size_t choose_best(const struct family *f)
{
  size_t best = 0;
  for (size_t i = 1; i < f->count; i++) {
    unsigned old = rank(f->libraries[f->entries[best].library].result);
    unsigned new = rank(f->libraries[f->entries[i].library].result);
    const struct path_variant *a = &f->entries[best].v, *b = &f->entries[i].v;
    bool newer = b->cuda != a->cuda ? b->cuda > a->cuda : b->arch > a->arch;
    if (new < old || (new == old &&newer))
      best = i;
  }
  return best;
}

/* The variant for this CUDA version: the very one, else the newest of its major that is not newer. */
static bool choose_by_cuda(const struct family *f, unsigned cuda, size_t *chosen, bool *exact)
{
  bool found = false;
  *exact = false;
  for (size_t i = 0; i < f->count && !*exact; i++) {
    const struct path_variant *v = &f->entries[i].v;
    if (v->cuda == 0 || v->cuda / 10 != cuda / 10)
      continue;
    *exact = v->cuda == cuda || v->cuda_major_only;
    bool better = v->cuda <= cuda && (!found || v->cuda > f->entries[*chosen].v.cuda);
    if (*exact || better) {
      *chosen = i;
      found = true;
    }
  }
  return found;
}

static bool choose_by_arch(const struct family *f, unsigned arch, size_t *chosen)
{
  for (size_t i = 0; i < f->count; i++) {
    if (f->entries[i].v.arch == arch) {
      *chosen = i;
      return true;
    }
  }
  return false;
}

static bool differs_in_cuda(const struct family *f)
{
  for (size_t i = 1; i < f->count; i++) {
    if (f->entries[i].v.cuda != f->entries[0].v.cuda)
      return true;
  }
  return false;
}

static size_t choose_in_family(const char *name, const struct cuw_gpu *gpu, const struct cuw_selection *selection,
                               const struct family *f, struct arena *arena, const char **reason)
{
  size_t chosen = 0;
  bool exact, by_cuda = differs_in_cuda(f);
  bool sgl = is_named(name, "sgl-kernel") || is_named(name, "sglang-kernel");
  if (by_cuda && selection->cuda && choose_by_cuda(f, selection->cuda, &chosen, &exact)) {
    *reason = arena_printf(arena, exact ? "%s" : "%s; the nearest that is there", selection->cuda_given);
    return chosen;
  }
  /* sgl_kernel/load_utils.py: sm90 on 9.0, sm100 on everything else. */
  if (sgl && choose_by_arch(f, gpu->number == 90 ? 90 : 100, &chosen)) {
    *reason = "sgl-kernel loads sm90 on 9.0 and sm100 everywhere else";
    return chosen;
  }
  chosen = choose_best(f);
  if (by_cuda && selection->cuda)
    *reason = arena_printf(arena, "%s, for which there is none; the best of %zu", selection->cuda_given, f->count);
  else if (by_cuda && is_named(name, "bitsandbytes"))
    *reason = arena_printf(arena,
                           "bitsandbytes loads by the CUDA version of torch, not known here; the best of %zu, "
                           "--cuda chooses",
                           f->count);
  else
    *reason = arena_printf(arena, by_cuda ? "the best of %zu, --cuda chooses" : "the best of %zu", f->count);
  return chosen;
}

static bool add_choice(const struct family *f, size_t chosen, const char *reason, struct cuw_library_verdict *libraries,
                       struct cuw_distribution_verdict *out)
{
  struct cuw_variant_choice *grown = arena_grow(out->arena, out->choices, out->choice_count, sizeof *out->choices);
  if (!grown || !reason)
    return false;
  out->choices = grown;
  out->choices[out->choice_count++] =
      (struct cuw_variant_choice){f->entries[0].v.pattern, f->entries[chosen].library, reason};
  for (size_t i = 0; i < f->count; i++) {
    libraries[f->entries[i].library].variant = f->entries[i].v.label;
    libraries[f->entries[i].library].chosen = i == chosen;
  }
  return true;
}

bool choose_variants(const char *name, const struct cuw_gpu *gpu, const struct cuw_selection *selection,
                     struct cuw_library_verdict *libraries, size_t count, struct cuw_distribution_verdict *out)
{
  struct entry *entries = arena_alloc(out->arena, (count + 1) * sizeof *entries);
  size_t n = 0;
  for (size_t i = 0; entries && i < count; i++) {
    libraries[i].variant = NULL;
    libraries[i].chosen = true;
    if (libraries[i].result == CUW_RESULT_NO_GPU_CODE || !libraries[i].library)
      continue;
    struct entry e = {i, {0}};
    if (!path_variant_read(out->arena, libraries[i].path, &e.v))
      return false;
    if (e.v.pattern)
      entries[n++] = e;
  }
  if (!entries)
    return false;
  qsort(entries, n, sizeof *entries, by_pattern);
  for (size_t i = 0; i < n;) {
    struct family f = {&entries[i], 1, libraries};
    while (i + f.count < n && strcmp(entries[i + f.count].v.pattern, entries[i].v.pattern) == 0)
      f.count++;
    i += f.count;
    if (f.count == 1)
      continue;
    const char *reason = NULL;
    size_t chosen = choose_in_family(name, gpu, selection, &f, out->arena, &reason);
    if (!add_choice(&f, chosen, reason, libraries, out))
      return false;
  }
  return true;
}
