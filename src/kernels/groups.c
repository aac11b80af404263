/* SPDX-License-Identifier: Apache-2.0 */
/* Functions are sorted by name; borders between groups fall where neighbours have the least in common. */
#include "kernels/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "verdict/names.h"

/* The types of BLAS and LAPACK: real and complex, single and double, half. */
static const char type_letters[] = "sdczh";

#define NAME_SHOWN_MAX 200 /* bytes */

struct function {
  const char *name; /* without the first letter, where letters != 0 */
  unsigned letters; /* of type_letters, a bit each */
  size_t kernels, functions;
};

struct kernel_groups {
  struct arena *arena;
  struct function *functions;
  size_t count, room;
  struct kernel_group *groups;
};

struct kernel_groups *kernel_groups_new(void)
{
  struct kernel_groups *g = calloc(1, sizeof *g);
  if (g)
    g->arena = arena_new();
  if (!g || !g->arena) {
    free(g);
    return NULL;
  }
  return g;
}

void kernel_groups_free(struct kernel_groups *g)
{
  if (!g)
    return;
  arena_free(g->arena);
  free(g->functions);
  free(g->groups);
  free(g);
}

static void drop_all(char *name, const char *part)
{
  size_t length = strlen(part);
  for (char *at = strstr(name, part); at; at = strstr(at, part))
    memmove(at, at + length, strlen(at + length) + 1);
}

/* "_ZN7cutlass13device_kernelI..." that does not demangle becomes "cutlass::device_kernel": its plain names, up to what
 * is none. In place: five names never become longer than "_ZN" and their lengths. */
static void keep_plain_names(char *name)
{
  bool nested = name[2] == 'N';
  const char *from = name + (nested ? 3 : 2);
  char *to = name;
  for (int n = 0; n < (nested ? 5 : 1) && *from >= '1' && *from <= '9'; n++) {
    char *text;
    unsigned long length = strtoul(from, &text, 10);
    if (length > strlen(text))
      break;
    if (to > name) {
      memcpy(to, "::", 2);
      to += 2;
    }
    memmove(to, text, length);
    to += length;
    from = text + length;
  }
  if (to > name)
    *to = 0;
}

/* The function: no template arguments, no result, nothing that differs from file to file. In place. */
static void reduce(char *name)
{
  name_drop_target_lists(name);
  name_reduce_to_function(name);
  drop_all(name, "(anonymous namespace)::");
  for (char *at; (at = strstr(name, "::::"));) /* a namespace that was a list of targets */
    memmove(at, at + 2, strlen(at + 2) + 1);
  if (strncmp(name, "_Z", 2) == 0)
    keep_plain_names(name);
  if (strncmp(name, "void ", 5) == 0)
    memmove(name, name + 5, strlen(name + 5) + 1);
}

bool kernel_groups_add(struct kernel_groups *g, const char *demangled)
{
  char *copy = strdup(demangled);
  if (!copy)
    return false;
  reduce(copy);
  const char *function = *copy ? copy : "(unreadable)";
  const char *name = arena_intern(g->arena, function, strlen(function));
  free(copy);
  /* Kernels of one function mostly come one after the other. */
  if (name && g->count && g->functions[g->count - 1].name == name) {
    g->functions[g->count - 1].kernels++;
    return true;
  }
  if (g->count == g->room) {
    size_t room = g->room ? g->room * 2 : 64;
    struct function *grown = realloc(g->functions, room * sizeof *grown);
    if (!grown)
      return false;
    g->functions = grown;
    g->room = room;
  }
  if (name)
    g->functions[g->count++] = (struct function){name, 0, 1, 1};
  return name != NULL;
}

static int by_name(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  int order = (x->letters != 0) - (y->letters != 0);
  return order ? order : strcmp(x->name, y->name);
}

static void sort(struct kernel_groups *g)
{
  if (g->count)
    qsort(g->functions, g->count, sizeof *g->functions, by_name);
}

/* Puts equal functions together, which stand next to each other. */
static void merge_equal(struct kernel_groups *g)
{
  size_t n = 0;
  for (size_t i = 0; i < g->count; i++) {
    struct function *last = n ? &g->functions[n - 1] : NULL;
    if (last && by_name(last, &g->functions[i]) == 0) {
      last->kernels += g->functions[i].kernels;
      last->functions += last->letters ? g->functions[i].functions : 0;
      last->letters |= g->functions[i].letters;
    } else {
      g->functions[n++] = g->functions[i];
    }
  }
  g->count = n;
}

static unsigned letter_bit(const char *name)
{
  const char *at = name[0] && name[1] >= 'a' && name[1] <= 'z' ? strchr(type_letters, name[0]) : NULL;
  return at ? 1u << (at - type_letters) : 0;
}

static int by_rest(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  unsigned p = letter_bit(x->name), q = letter_bit(y->name);
  if ((p != 0) != (q != 0))
    return (p != 0) - (q != 0);
  int order = strcmp(x->name + (p != 0), y->name + (q != 0));
  return order ? order : strcmp(x->name, y->name);
}

/* "sgemm", "dgemm" become "[sd]gemm"; a single one of them stays as it is. */
static void merge_types(struct kernel_groups *g)
{
  if (g->count == 0)
    return;
  qsort(g->functions, g->count, sizeof *g->functions, by_rest);
  for (size_t i = 0, n; i < g->count; i += n) {
    struct function *f = &g->functions[i];
    for (n = 1; letter_bit(f->name) && i + n < g->count && letter_bit(f[n].name); n++)
      if (strcmp(f->name + 1, f[n].name + 1) != 0)
        break;
    for (size_t k = 0; n > 1 && k < n; k++) {
      f[k].letters = letter_bit(f[k].name);
      f[k].name++;
    }
  }
  sort(g);
  merge_equal(g);
}

/* Bytes that two names share, up to the end of a part: "::" or '_' ends one. `*parts` counts these. */
static size_t shared(const char *a, const char *b, size_t *parts)
{
  size_t end = 0, at = 0;
  *parts = 0;
  for (; a[at] && a[at] == b[at]; at++)
    if (a[at] == '_' || (a[at] == ':' && at && a[at - 1] == ':')) {
      *parts += a[at] != '_' || at == 0 || a[at - 1] != '_';
      end = at + 1;
    }
  return end;
}

static size_t shared_parts(const struct function *a, const struct function *b)
{
  size_t parts = 0;
  if ((a->letters != 0) == (b->letters != 0))
    shared(a->name, b->name, &parts);
  return parts;
}

/* How many parts neighbours must share to stand in one group, so that there are no more than `most`; at least 1. */
static size_t find_threshold(const struct kernel_groups *g, size_t most)
{
  size_t threshold = SIZE_MAX;
  for (;;) {
    size_t groups = 1, next = 0;
    for (size_t i = 1; i < g->count; i++) {
      size_t parts = shared_parts(&g->functions[i - 1], &g->functions[i]);
      groups += parts < threshold;
      if (parts < threshold && parts > next)
        next = parts;
    }
    if (groups <= most || next == 0)
      return threshold;
    threshold = next;
  }
}

static char *group_name(struct arena *a, const struct function *f, size_t count, unsigned letters)
{
  char types[sizeof type_letters + 2] = "";
  size_t length = strlen(f->name), parts, n = 0;
  for (size_t i = 1; i < count; i++) {
    size_t common = shared(f->name, f[i].name, &parts);
    length = common < length ? common : length;
  }
  if (letters) {
    types[n++] = '[';
    for (size_t i = 0; type_letters[i]; i++)
      if (letters & 1u << i)
        types[n++] = type_letters[i];
    types[n++] = ']';
    types[n] = 0;
  }
  if (length > NAME_SHOWN_MAX)
    return arena_printf(a, "%s%.*s...", types, NAME_SHOWN_MAX, f->name);
  return arena_printf(a, "%s%.*s%s", types, (int)length, f->name, count > 1 ? "*" : "");
}

static int largest_first(const void *a, const void *b)
{
  const struct kernel_group *x = a, *y = b;
  if (x->kernels != y->kernels)
    return x->kernels > y->kernels ? -1 : 1;
  return strcmp(x->name, y->name);
}

const struct kernel_group *kernel_groups_finish(struct kernel_groups *g, size_t most, size_t *count)
{
  *count = 0;
  sort(g);
  merge_equal(g);
  merge_types(g);
  g->groups = calloc(g->count + 1, sizeof *g->groups);
  if (!g->groups || g->count == 0)
    return NULL;
  size_t threshold = find_threshold(g, most);
  for (size_t i = 0, n; i < g->count; i += n) {
    const struct function *f = &g->functions[i];
    struct kernel_group *out = &g->groups[(*count)++];
    unsigned letters = 0;
    for (n = 0; n == 0 || (i + n < g->count && shared_parts(&f[n - 1], &f[n]) >= threshold); n++) {
      out->kernels += f[n].kernels;
      out->functions += f[n].functions;
      letters |= f[n].letters;
    }
    out->name = group_name(g->arena, f, n, letters);
    if (!out->name)
      return NULL;
  }
  qsort(g->groups, *count, sizeof *g->groups, largest_first);
  return g->groups;
}
