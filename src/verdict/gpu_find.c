/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what people type for a GPU, and what the kernel driver calls it. */
#include "cuwheel/gpu.h"

#include <ctype.h>
#include <string.h>

#define WORDS_MAX 16
#define WORD_SIZE 24
#define JOINED_SIZE (WORDS_MAX * WORD_SIZE)

struct words {
  char word[WORDS_MAX][WORD_SIZE];
  size_t count;
};

/* Words that tell no two rows of the table apart. */
static const char *const noise[] = {
    "nvidia", "corporation", "geforce",  "tesla", "jetson", "gpu",    "graphics", "card",   "generation", "edition",
    "laptop", "mobile",      "notebook", "max",   "q",      "design", "with",     "pcie",   "server",     "workstation",
    "nvl",    "superchip",   "agx",      "nvgpu", "mig",    "gb",     "embedded", "devkit",
};
/* Words that a person may leave out; where they stand they must hold. */
static const char *const optional_words[] = {"rtx", "gtx", "gt", "quadro", "pro", "sff"};

static bool in_list(const char *word, const char *const *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, list[i]) == 0)
      return true;
  }
  return false;
}

static bool all_digits(const char *word)
{
  return word[0] && word[strspn(word, "0123456789")] == '\0';
}

/* "80gb", "hbm3e", "sxm4", "1g": memory, socket and slice of a data centre card. */
static bool is_noise(const char *word)
{
  if (in_list(word, noise, sizeof noise / sizeof *noise))
    return true;
  if (strncmp(word, "hbm", 3) == 0 || strncmp(word, "sxm", 3) == 0)
    return true;
  size_t digits = strspn(word, "0123456789");
  return digits && (strcmp(word + digits, "gb") == 0 || strcmp(word + digits, "g") == 0);
}

static void add_word(struct words *w, const char *text, size_t length)
{
  if (w->count == WORDS_MAX || length == 0)
    return;
  if (length >= WORD_SIZE)
    length = WORD_SIZE - 1;
  memcpy(w->word[w->count], text, length);
  w->word[w->count++][length] = '\0';
}

/* "rtx5090" and "5070ti" are two words each. */
static void add_parts(struct words *w, const char *text, size_t length)
{
  size_t head = strncmp(text, "rtx", 3) == 0 || strncmp(text, "gtx", 3) == 0 ? 3 : 0;
  if (head && length > head && isdigit((unsigned char)text[head])) {
    add_word(w, text, head);
    text += head;
    length -= head;
  }
  size_t digits = strspn(text, "0123456789");
  size_t rest = digits < length ? length - digits : 0;
  bool suffix = (rest == 2 && strncmp(text + digits, "ti", 2) == 0) || (rest == 1 && text[digits] == 'd') ||
                (rest == 5 && strncmp(text + digits, "super", 5) == 0);
  if (digits >= 3 && suffix) {
    add_word(w, text, digits);
    add_word(w, text + digits, rest);
    return;
  }
  add_word(w, text, length);
}

static void split(const char *text, struct words *w)
{
  char lower[256];
  size_t n = 0;
  for (; text[n] && n < sizeof lower - 1; n++)
    lower[n] = (char)tolower((unsigned char)text[n]);
  lower[n] = '\0';
  w->count = 0;
  for (size_t i = 0; i < n;) {
    size_t length = 0;
    while (isalnum((unsigned char)lower[i + length]))
      length++;
    add_parts(w, lower + i, length);
    i += length + 1;
  }
  size_t kept = 0;
  for (size_t i = 0; i < w->count; i++) {
    bool size = all_digits(w->word[i]) && i + 1 < w->count && strcmp(w->word[i + 1], "gb") == 0;
    if (size || is_noise(w->word[i]))
      continue;
    if (kept != i)
      memcpy(w->word[kept], w->word[i], WORD_SIZE);
    kept++;
  }
  w->count = kept;
}

static bool is_architecture(const char *word)
{
  static const char *const names[] = {"kepler", "maxwell", "pascal", "volta",     "turing",
                                      "ampere", "ada",     "hopper", "blackwell", "rubin"};
  return in_list(word, names, sizeof names / sizeof *names);
}

static bool is_optional(const char *word)
{
  return in_list(word, optional_words, sizeof optional_words / sizeof *optional_words) || is_architecture(word);
}

static bool has_word(const struct words *w, const char *word)
{
  for (size_t i = 0; i < w->count; i++) {
    if (strcmp(w->word[i], word) == 0)
      return true;
  }
  return false;
}

static bool same_core(const struct words *a, const struct words *b)
{
  size_t i = 0, j = 0;
  for (;;) {
    while (i < a->count && is_optional(a->word[i]))
      i++;
    while (j < b->count && is_optional(b->word[j]))
      j++;
    if (i == a->count || j == b->count)
      return i == a->count && j == b->count;
    if (strcmp(a->word[i++], b->word[j++]) != 0)
      return false;
  }
}

static bool architecture_is(unsigned number, const char *word)
{
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(number);
  size_t length = strlen(word);
  if (!arch)
    return false;
  for (size_t i = 0; i < length; i++) {
    if (tolower((unsigned char)arch->architecture[i]) != word[i])
      return false;
  }
  return arch->architecture[length] == '\0' || arch->architecture[length] == ' ';
}

static bool row_matches(const struct words *typed, const struct cuw_gpu_product *row, bool heed_quadro)
{
  struct words words;
  split(row->name, &words);
  if (!same_core(typed, &words))
    return false;
  /* "Quadro 4000" is an older card than "Quadro RTX 4000" (7.5). */
  if (heed_quadro && has_word(typed, "quadro") && !has_word(typed, "rtx") && has_word(&words, "rtx"))
    return false;
  for (size_t i = 0; i < typed->count; i++) {
    const char *word = typed->word[i];
    if (is_architecture(word)) {
      if (!architecture_is(row->number, word))
        return false;
    } else if (is_optional(word) && !has_word(&words, word) && (heed_quadro || strcmp(word, "quadro") != 0)) {
      return false;
    }
  }
  return true;
}

static void add_candidate(struct cuw_gpu_search *out, struct cuw_gpu_product product)
{
  if (out->candidate_count < CUW_GPU_CANDIDATES)
    out->candidates[out->candidate_count++] = product;
}

static bool find_product(const struct words *typed, bool heed_quadro, struct cuw_gpu_search *out)
{
  size_t count;
  const struct cuw_gpu_product *rows = cuw_gpu_products(&count);
  const struct cuw_gpu_product *best = NULL;
  bool ambiguous = false;
  out->candidate_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (!row_matches(typed, &rows[i], heed_quadro))
      continue;
    add_candidate(out, rows[i]);
    ambiguous = ambiguous || (best && best->number != rows[i].number);
    if (!best || strlen(rows[i].name) < strlen(best->name))
      best = &rows[i];
  }
  if (!best)
    return false;
  if (ambiguous) {
    out->match = CUW_GPU_AMBIGUOUS;
    return true;
  }
  out->candidate_count = 0;
  out->match = CUW_GPU_FOUND;
  out->gpu = (struct cuw_gpu){best->name, best->number, false};
  return true;
}

static void join(const struct words *w, char out[JOINED_SIZE])
{
  size_t at = 0;
  for (size_t i = 0; i < w->count; i++) {
    size_t length = strlen(w->word[i]);
    if (i)
      out[at++] = ' ';
    memcpy(out + at, w->word[i], length);
    at += length;
  }
  out[at] = '\0';
}

static unsigned edit_distance(const char *a, const char *b)
{
  enum { LIMIT = 64 };
  size_t n = strnlen(a, LIMIT), m = strnlen(b, LIMIT);
  unsigned row[LIMIT + 1];
  for (size_t j = 0; j <= m; j++)
    row[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
      unsigned add = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replace < add ? replace : add;
    }
  }
  return row[m];
}

#define NEAREST_MAX 3

static void find_nearest(const struct words *typed, struct cuw_gpu_search *out)
{
  char text[JOINED_SIZE], name[JOINED_SIZE];
  size_t count;
  const struct cuw_gpu_product *rows = cuw_gpu_products(&count);
  join(typed, text);
  unsigned limit = (unsigned)(strlen(text) / 3 > 2 ? strlen(text) / 3 : 2);
  for (unsigned distance = 0; distance <= limit; distance++) {
    for (size_t i = 0; i < count && out->candidate_count < NEAREST_MAX; i++) {
      struct words words;
      split(rows[i].name, &words);
      join(&words, name);
      if (edit_distance(text, name) == distance)
        add_candidate(out, rows[i]);
    }
  }
}

static unsigned apart(unsigned a, unsigned b)
{
  return a > b ? a - b : b - a;
}

static void find_nearest_number(unsigned number, struct cuw_gpu_search *out)
{
  size_t count;
  const struct cuw_gpu_arch *rows = cuw_gpu_archs(&count);
  size_t first = 0;
  for (size_t i = 0; i + 1 < count; i++) {
    if (apart(rows[i].number, number) + apart(rows[i + 1].number, number) <
        apart(rows[first].number, number) + apart(rows[first + 1].number, number))
      first = i;
  }
  add_candidate(out, (struct cuw_gpu_product){NULL, rows[first].number});
  add_candidate(out, (struct cuw_gpu_product){NULL, rows[first + 1].number});
}

struct number_text {
  unsigned number;
  char suffix;
  bool bare; /* digits alone: may be a product */
};

/* "sm_120", "compute_90a", "120", "12.0". */
static bool parse_number(const char *text, struct number_text *out)
{
  static const char *const prefixes[] = {"sm_", "sm", "compute_", "cc"};
  const char *at = text;
  bool prefixed = false;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !prefixed; i++) {
    size_t length = strlen(prefixes[i]);
    size_t same = 0;
    while (same < length && tolower((unsigned char)text[same]) == prefixes[i][same])
      same++;
    prefixed = same == length;
    at = prefixed ? text + length : text;
  }
  at += strspn(at, " ");
  size_t digits = strspn(at, "0123456789");
  if (digits == 0 || digits > 4)
    return false;
  unsigned number = 0;
  for (size_t i = 0; i < digits; i++)
    number = number * 10 + (unsigned)(at[i] - '0');
  at += digits;
  bool dotted = at[0] == '.' && isdigit((unsigned char)at[1]);
  if (dotted) {
    number = number * 10 + (unsigned)(at[1] - '0');
    at += 2;
  }
  char last = (char)tolower((unsigned char)at[0]);
  bool suffix = (last == 'a' || last == 'f') && at[1] == '\0';
  if (!suffix && at[0] != '\0')
    return false;
  *out = (struct number_text){number, suffix ? last : '\0', !prefixed && !dotted};
  return true;
}

static bool find_number(const struct number_text *n, struct cuw_gpu_search *out)
{
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(n->number);
  if (!arch && n->bare)
    return false;
  if (!arch) {
    find_nearest_number(n->number, out);
    return true;
  }
  out->gpu = (struct cuw_gpu){NULL, arch->number, n->number == 101};
  out->match = n->suffix ? CUW_GPU_SUFFIX : CUW_GPU_FOUND;
  return true;
}

void cuw_gpu_find(const char *text, struct cuw_gpu_search *out)
{
  memset(out, 0, sizeof *out);
  out->match = CUW_GPU_UNKNOWN;
  text += strspn(text, " \t");
  struct number_text number;
  if (parse_number(text, &number) && find_number(&number, out))
    return;
  struct words typed;
  split(text, &typed);
  if (typed.count == 0)
    return;
  if (find_product(&typed, true, out) || find_product(&typed, false, out))
    return;
  find_nearest(&typed, out);
}
