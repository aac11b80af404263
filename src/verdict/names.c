/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/names.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#define DEMANGLED_MAX ((size_t)1 << 20)

struct sink {
  char *text;
  size_t size, capacity;
  bool no_memory;
  jmp_buf too_long;
};

/* A name of 1 KiB can expand without end through substitutions, and the demangler cannot be told to stop: leave it.
 * It keeps nothing on the heap while it prints a C++ name. */
static void sink_add(const char *text, size_t length, void *data)
{
  struct sink *s = data;
  if (s->no_memory)
    return;
  if (length >= DEMANGLED_MAX - s->size)
    longjmp(s->too_long, 1);
  if (s->size + length + 1 > s->capacity) {
    size_t capacity = (s->size + length + 1) * 2;
    char *grown = realloc(s->text, capacity);
    if (!grown) {
      s->no_memory = true;
      return;
    }
    s->text = grown;
    s->capacity = capacity;
  }
  memcpy(s->text + s->size, text, length);
  s->size += length;
  s->text[s->size] = '\0';
}

/* In the order of libiberty's cplus_demangle with no style given. */
static bool demangle_into(struct sink *s, const char *symbol)
{
  const int options = DMGL_ANSI | DMGL_VERBOSE | DMGL_AUTO;
  if (setjmp(s->too_long))
    return false;
  if (rust_demangle_callback(symbol, options, sink_add, s))
    return true;
  s->size = 0;
  return cplus_demangle_v3_callback(symbol, options, sink_add, s) != 0;
}

char *name_demangle(const char *symbol, size_t length)
{
  char *copy = malloc(length + 1);
  if (!copy)
    return NULL;
  memcpy(copy, symbol, length);
  copy[length] = '\0';
  if (length < 2 || length > NAME_TRIED_MAX || copy[0] != '_')
    return copy;
  struct sink *s = calloc(1, sizeof *s);
  if (!s) {
    free(copy);
    return NULL;
  }
  bool done = demangle_into(s, copy);
  char *text = s->text;
  bool no_memory = s->no_memory;
  free(s);
  if (no_memory || (done && !text)) {
    free(text);
    free(copy);
    return NULL;
  }
  if (!done) {
    free(text);
    return copy;
  }
  free(copy);
  return text;
}

/* (CUB|THRUST)_[0-9]+_SM_[0-9_]+ at `at`: its length, else 0. */
static size_t target_list_length(const char *at)
{
  size_t n = strncmp(at, "CUB_", 4) == 0 ? 4 : strncmp(at, "THRUST_", 7) == 0 ? 7 : 0;
  if (n == 0)
    return 0;
  size_t digits = strspn(at + n, "0123456789");
  if (digits == 0 || strncmp(at + n + digits, "_SM_", 4) != 0)
    return 0;
  n += digits + 4;
  size_t rest = strspn(at + n, "0123456789_");
  return rest ? n + rest : 0;
}

void name_drop_target_lists(char *name)
{
  char *to = name;
  for (const char *from = name; *from;) {
    size_t skip = target_list_length(from);
    if (skip)
      from += skip;
    else
      *to++ = *from++;
  }
  *to = '\0';
}

static bool is_letter(char c)
{
  return isalpha((unsigned char)c) != 0;
}

/* Nothing that would make the match a part of a longer word. */
static bool ends_word(const char *at)
{
  return !isalnum((unsigned char)*at);
}

static bool starts_with_word(const char *at, const char *lower)
{
  for (; *lower; at++, lower++) {
    if (tolower((unsigned char)*at) != *lower)
      return false;
  }
  return true;
}

/* sm_?[0-9]{2,3}[af]? */
static bool is_sm_name(const char *at)
{
  if (!starts_with_word(at, "sm"))
    return false;
  at += at[2] == '_' ? 3 : 2;
  size_t digits = strspn(at, "0123456789");
  if (digits < 2 || digits > 3)
    return false;
  at += digits;
  char suffix = (char)tolower((unsigned char)*at);
  return ends_word(at) || ((suffix == 'a' || suffix == 'f') && ends_word(at + 1));
}

static bool is_cutlass_name(const char *at)
{
  if (!starts_with_word(at, "cutlass_"))
    return false;
  size_t digits = strspn(at + 8, "0123456789");
  return digits >= 2 && digits <= 3 && ends_word(at + 8 + digits);
}

static bool is_generation_name(const char *at)
{
  static const char *const names[] = {"kepler", "maxwell", "pascal", "volta",    "turing",
                                      "ampere", "ada",     "hopper", "blackwell"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (starts_with_word(at, names[i]) && ends_word(at + strlen(names[i])))
      return true;
  }
  return false;
}

bool name_carries_architecture(const char *name)
{
  for (const char *at = name; *at; at++) {
    if (at > name && is_letter(at[-1]))
      continue;
    if (is_sm_name(at) || is_cutlass_name(at) || is_generation_name(at))
      return true;
  }
  return false;
}

/* Removes the innermost <...> until none is left: each '>' takes back to the nearest '<' that is still there. */
static bool drop_angle_brackets(char *name)
{
  size_t length = strlen(name);
  size_t *open = malloc((length + 1) * sizeof *open);
  if (!open)
    return false;
  size_t depth = 0, to = 0;
  for (size_t from = 0; from < length; from++) {
    if (name[from] == '>' && depth) {
      to = open[--depth];
      continue;
    }
    if (name[from] == '<')
      open[depth++] = to;
    name[to++] = name[from];
  }
  name[to] = '\0';
  free(open);
  return true;
}

static size_t hex_digits(const char *at)
{
  size_t n = 0;
  while (n < 8 && isxdigit((unsigned char)at[n]))
    n++;
  return n;
}

/* _INTERNAL_, 8 hex digits, _, n, _, n characters, _, 8 hex digits, and a :: behind it: its length at `at`, else 0. */
static size_t internal_length(const char *at)
{
  static const char head[] = "_INTERNAL_";
  const char *start = at;
  if (strncmp(at, head, sizeof head - 1) != 0)
    return 0;
  at += sizeof head - 1;
  if (hex_digits(at) != 8 || at[8] != '_')
    return 0;
  at += 9;
  size_t digits = strspn(at, "0123456789");
  if (digits == 0 || digits > 5 || at[digits] != '_')
    return 0;
  size_t count = (size_t)strtoul(at, NULL, 10);
  at += digits + 1;
  if (strnlen(at, count + 1) <= count || at[count] != '_' || hex_digits(at + count + 1) != 8)
    return 0;
  at += count + 9;
  if (strncmp(at, "::", 2) == 0)
    at += 2;
  return (size_t)(at - start);
}

static void drop_internal(char *name)
{
  char *to = name;
  for (const char *from = name; *from;) {
    size_t skip = internal_length(from);
    if (skip)
      from += skip;
    else
      *to++ = *from++;
  }
  *to = '\0';
}

void name_reduce_to_function(char *name)
{
  drop_angle_brackets(name);
  drop_internal(name);
}

static uint64_t hash(const char *text)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  h ^= h >> 32;
  return h * 0x9e3779b97f4a7c15u;
}

bool kernel_name_read(const char *symbol, size_t length, struct kernel_name *out)
{
  char *name = name_demangle(symbol, length);
  if (!name)
    return false;
  name_drop_target_lists(name);
  out->carries_architecture = name_carries_architecture(name);
  name_reduce_to_function(name);
  out->function = hash(name);
  out->text = name;
  return true;
}
