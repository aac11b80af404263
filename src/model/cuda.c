/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda.h"

#include <stdlib.h>
#include <string.h>

#include "model/builder.h"

/* In the order in which they decide. */
enum sign {
  SIGN_VERSION_FILE,
  SIGN_LOCAL_VERSION,
  SIGN_TOOLKIT,
  SIGN_REQUIRES,
  SIGN_NEEDED,
  SIGN_PTX,
  SIGN_NAME,
  SIGN_COUNT
};

static const char *const sign_sources[SIGN_COUNT] = {"version-file", "local-version", "toolkit", "requires",
                                                     "needed",       "ptx",           "name"};

#define EMBEDDED "embedded"

/* Versions and how often each was seen; what does not fit any more is dropped, real files show a few. */
#define TALLY_MAX 32u

struct tally {
  struct {
    unsigned major;
    int minor; /* -1: a major alone */
    size_t count;
  } items[TALLY_MAX];
  size_t used;
};

struct pool {
  struct tally signs[SIGN_COUNT];
};

static void tally_add(struct tally *t, const char *value, size_t count)
{
  char *end;
  unsigned major = (unsigned)strtoul(value, &end, 10);
  int minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : -1;
  for (size_t i = 0; i < t->used; i++) {
    if (t->items[i].major == major && t->items[i].minor == minor) {
      t->items[i].count += count;
      return;
    }
  }
  if (t->used == TALLY_MAX)
    return;
  t->items[t->used].major = major;
  t->items[t->used].minor = minor;
  t->items[t->used++].count = count;
}

/* The most frequent version, of equals the newest; only such with a minor when `exact`. TALLY_MAX: none. */
static size_t tally_best(const struct tally *t, bool exact)
{
  size_t best = TALLY_MAX;
  for (size_t i = 0; i < t->used; i++) {
    if (exact && t->items[i].minor < 0)
      continue;
    if (best < TALLY_MAX) {
      bool newer = t->items[i].major != t->items[best].major ? t->items[i].major > t->items[best].major
                                                             : t->items[i].minor > t->items[best].minor;
      size_t a = t->items[i].count, b = t->items[best].count;
      if (a < b || (a == b && !newer))
        continue;
    }
    best = i;
  }
  return best;
}

/* The majors named by all but the PTX ISA. */
struct majors {
  unsigned newest;
  bool several;
};

static struct majors pool_majors(const struct pool *p)
{
  struct majors m = {0, false};
  for (size_t s = 0; s < SIGN_COUNT; s++) {
    for (size_t i = 0; s != SIGN_PTX && i < p->signs[s].used; i++) {
      unsigned major = p->signs[s].items[i].major;
      m.several = m.several || (m.newest && m.newest != major);
      m.newest = m.newest > major ? m.newest : major;
    }
  }
  return m;
}

static bool names_major(const struct pool *p, unsigned major)
{
  for (size_t s = 0; s < SIGN_COUNT; s++) {
    for (size_t i = 0; s != SIGN_PTX && i < p->signs[s].used; i++) {
      if (p->signs[s].items[i].major == major)
        return true;
    }
  }
  return false;
}

static bool pool_conflict(const struct pool *p)
{
  struct majors m = pool_majors(p);
  size_t ptx = tally_best(&p->signs[SIGN_PTX], false);
  if (m.several)
    return true;
  for (size_t i = 0; m.newest && ptx < TALLY_MAX && i < p->signs[SIGN_PTX].used; i++) {
    if (p->signs[SIGN_PTX].items[i].major > m.newest)
      return true;
  }
  size_t file = tally_best(&p->signs[SIGN_VERSION_FILE], true), local = tally_best(&p->signs[SIGN_LOCAL_VERSION], true);
  return file < TALLY_MAX && local < TALLY_MAX &&
         p->signs[SIGN_VERSION_FILE].items[file].minor != p->signs[SIGN_LOCAL_VERSION].items[local].minor;
}

/* One cubin told the toolkit; PTX of a newer ISA shows that another one of the same major was at work, and is a bound.
 */
static int newer_ptx_minor(const struct pool *p, unsigned major, int minor)
{
  const struct tally *t = &p->signs[SIGN_PTX];
  for (size_t i = 0; i < t->used; i++)
    if (t->items[i].major == major && t->items[i].minor > minor)
      minor = t->items[i].minor;
  return minor;
}

static struct cuda_verdict pool_decide(const struct pool *p)
{
  struct cuda_verdict verdict = {"", pool_conflict(p)};
  bool only_ptx = pool_majors(p).newest == 0;
  for (int exact = 1; exact >= 0; exact--) {
    for (size_t s = 0; s < SIGN_COUNT; s++) {
      const struct tally *t = &p->signs[s];
      size_t best = tally_best(t, exact);
      if (best == TALLY_MAX || (s == SIGN_PTX && !only_ptx && !names_major(p, t->items[best].major)))
        continue;
      int minor = t->items[best].minor;
      if (s == SIGN_TOOLKIT)
        minor = newer_ptx_minor(p, t->items[best].major, minor);
      cuda_version_put(t->items[best].major, minor, verdict.version);
      return verdict;
    }
  }
  return verdict;
}

static void library_sign(struct cuw_library *l, struct pool *p, enum sign sign, const char *value)
{
  tally_add(&p->signs[sign], value, 1);
  library_add_evidence(l, sign_sources[sign], value);
}

/* The newest PTX ISA. One ISA may stand for several toolkits (8.5: 12.5, 12.6), then it tells the major alone. */
static void sign_of_ptx(struct cuw_library *l, struct pool *p)
{
  unsigned newest = 0;
  for (size_t i = 0; i < l->image_count; i++) {
    const struct cuw_image *image = &l->images[i];
    unsigned isa = ((unsigned)image->isa_major << 16) + image->isa_minor;
    if (image->kind == CUW_KIND_PTX && isa > newest)
      newest = isa;
  }
  char value[CUDA_VERSION_MAX];
  bool shared = newest == (8u << 16) + 5;
  if (!newest || !cuda_from_ptx_isa(newest >> 16, newest & 0xFFFF, value))
    return;
  if (shared)
    value[strcspn(value, ".")] = 0;
  library_sign(l, p, SIGN_PTX, value);
}

static bool is_version(const char *text)
{
  return text && strspn(text, "0123456789.") == strlen(text) && text[0] >= '1' && text[0] <= '9' &&
         strlen(text) < CUDA_VERSION_MAX;
}

/* The file name in a path; of an archive's member, the archive's. */
static const char *file_name(const char *path, char *out, size_t size)
{
  const char *member = strchr(path, '(');
  size_t end = member && path[strlen(path) - 1] == ')' ? (size_t)(member - path) : strlen(path);
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/' && path[begin - 1] != '!')
    begin--;
  size_t length = end - begin < size - 1 ? end - begin : size - 1;
  memcpy(out, path + begin, length);
  out[length] = 0;
  return out;
}

static bool name_of_library(const struct cuw_library *l, char out[CUDA_VERSION_MAX])
{
  char name[256];
  return l->path && l->path[0] && cuda_from_name(file_name(l->path, name, sizeof(name)), out);
}

static bool is_loose(const struct cuw_library *l)
{
  return l->format == CUW_CUBIN || l->format == CUW_FATBIN || l->format == CUW_PTX;
}

/* Images that a host library loads by itself were often made elsewhere, by other toolkits: they built nothing of it. */
static bool is_embedded(const struct cuw_library *l, const struct cuw_image *image)
{
  return !is_loose(l) && (image->role == CUW_ROLE_SELF_LOADED || image->fatbin == CUW_NO_FATBIN);
}

/* The newest version, with its minor; "" when there is none. */
static void tally_newest(const struct tally *t, char out[CUDA_VERSION_MAX])
{
  unsigned major = 0;
  int minor = -1;
  for (size_t i = 0; i < t->used; i++) {
    if (t->items[i].major > major || (t->items[i].major == major && t->items[i].minor > minor)) {
      major = t->items[i].major;
      minor = t->items[i].minor;
    }
  }
  if (!cuda_version_put(major, minor, out))
    out[0] = 0;
}

static void sign_of_toolkits(struct cuw_library *l, struct pool *p, struct tally *embedded)
{
  for (size_t i = 0; i < l->image_count; i++) {
    const struct cuw_image *image = &l->images[i];
    if (!is_version(image->toolkit))
      continue;
    if (!is_embedded(l, image)) {
      library_sign(l, p, SIGN_TOOLKIT, image->toolkit);
      continue;
    }
    tally_add(embedded, image->toolkit, 1);
    library_add_evidence(l, EMBEDDED, image->toolkit);
  }
}

void library_decide_cuda(struct cuw_library *l)
{
  struct pool *p = calloc(1, sizeof(*p));
  struct tally embedded = {.used = 0};
  char value[CUDA_VERSION_MAX];
  if (!p)
    return;
  for (size_t i = 0; i < l->needed_count; i++) {
    if (cuda_from_needed(l->needed[i], value))
      library_sign(l, p, SIGN_NEEDED, value);
  }
  if (l->static_runtime)
    library_add_evidence(l, "static-runtime", "");
  sign_of_toolkits(l, p, &embedded);
  sign_of_ptx(l, p);
  if (name_of_library(l, value))
    library_sign(l, p, SIGN_NAME, value);
  struct cuda_verdict verdict = pool_decide(p);
  if (!verdict.version[0])
    tally_newest(&embedded, verdict.version);
  l->cuda = verdict.version[0] ? arena_string(library_arena(l), verdict.version) : NULL;
  l->cuda_conflict = verdict.conflict;
  free(p);
}

static enum sign sign_of(const char *source)
{
  size_t s = 0;
  while (s < SIGN_COUNT && strcmp(sign_sources[s], source) != 0)
    s++;
  return (enum sign)s;
}

/* The evidence of loose images and archive members is listed once a value: there may be thousands. */
static bool is_folded(const struct cuw_library *l)
{
  return l->format != CUW_ELF && l->format != CUW_PE;
}

struct gathering {
  struct arena *arena;
  struct cuw_distribution *distribution;
  struct pool own;
  struct pool variants; /* of libraries named for a CUDA version */
  struct pool loose;    /* of loose images, and of archives beside libraries: input for a linker, often older */
  struct tally embedded;
};

static void list_evidence(struct gathering *g, const char *source, const char *value, const struct cuw_library *l)
{
  struct cuw_distribution *d = g->distribution;
  for (size_t i = 0; (!l || is_folded(l)) && i < d->evidence_count; i++) {
    const struct cuw_evidence *e = &d->evidence[i];
    if (!l == !e->library && !strcmp(e->source, source) && !strcmp(e->value, value))
      return;
  }
  struct cuw_evidence *grown = arena_grow(g->arena, d->evidence, d->evidence_count, sizeof(*grown));
  const char *copy = arena_intern(g->arena, value, strlen(value));
  if (!grown || !copy)
    return;
  d->evidence = grown;
  grown[d->evidence_count++] = (struct cuw_evidence){source, copy, l ? l->path : NULL};
}

static void own_sign(struct gathering *g, enum sign sign, const char *value)
{
  tally_add(&g->own.signs[sign], value, 1);
  list_evidence(g, sign_sources[sign], value, NULL);
}

/* Requirements in extras count only where no other names a version, and only when they agree: `jax[cuda12]` and
 * `jax[cuda13]` stand side by side. */
static void sign_of_requires(struct gathering *g, const char **requires, size_t count)
{
  char value[CUDA_VERSION_MAX];
  bool optional;
  struct pool *extras = calloc(1, sizeof(*extras));
  if (!extras)
    return;
  for (size_t i = 0; i < count; i++) {
    if (!requires[i] || !cuda_from_requires(requires[i], value, &optional))
      continue;
    if (optional)
      tally_add(&extras->signs[SIGN_REQUIRES], value, 1);
    else
      own_sign(g, SIGN_REQUIRES, value);
  }
  const struct tally *t = &extras->signs[SIGN_REQUIRES];
  if (!g->own.signs[SIGN_REQUIRES].used && t->used && !pool_majors(extras).several) {
    for (size_t i = 0; i < t->used; i++) {
      if (cuda_version_put(t->items[i].major, t->items[i].minor, value))
        own_sign(g, SIGN_REQUIRES, value);
    }
  }
  free(extras);
}

/* Whether the names of the libraries carry more than one CUDA version. */
static bool has_variants(const struct cuw_distribution *d)
{
  char first[CUDA_VERSION_MAX] = "", value[CUDA_VERSION_MAX];
  for (size_t i = 0; i < d->library_count; i++) {
    if (is_loose(d->libraries[i]) || !name_of_library(d->libraries[i], value))
      continue;
    if (first[0] && strcmp(first, value) != 0)
      return true;
    memcpy(first, value, sizeof(first));
  }
  return false;
}

/* Whether a host library is among them, which a process loads. */
static bool has_loaded(const struct cuw_distribution *d)
{
  for (size_t i = 0; i < d->library_count; i++)
    if (!is_folded(d->libraries[i]))
      return true;
  return false;
}

static struct pool *pool_of(struct gathering *g, const struct cuw_library *l, bool variants, bool loaded)
{
  char value[CUDA_VERSION_MAX];
  if (is_loose(l) || (loaded && l->format == CUW_AR))
    return &g->loose;
  return variants && name_of_library(l, value) ? &g->variants : &g->own;
}

/* What a library shows; the value that it was decided by counts double. */
static void sign_of_library(struct gathering *g, const struct cuw_library *l, struct pool *p)
{
  for (size_t i = 0; i < l->evidence_count; i++) {
    const struct cuw_evidence *e = &l->evidence[i];
    enum sign sign = sign_of(e->source);
    if (strcmp(e->source, EMBEDDED) == 0)
      tally_add(&g->embedded, e->value, 1);
    else if (sign < SIGN_COUNT)
      tally_add(&p->signs[sign], e->value, l->cuda && !strcmp(l->cuda, e->value) ? 2 : 1);
    list_evidence(g, e->source, e->value, l);
  }
}

static struct cuda_verdict gathering_decide(struct gathering *g)
{
  bool conflict = pool_conflict(&g->own);
  for (size_t s = 0; s < SIGN_COUNT; s++) {
    if (!g->own.signs[s].used)
      g->own.signs[s] = g->loose.signs[s];
  }
  struct cuda_verdict verdict = pool_decide(&g->own);
  verdict.conflict = conflict;
  struct majors m = pool_majors(&g->variants);
  if (!verdict.version[0] && m.newest && !m.several)
    cuda_version_put(m.newest, -1, verdict.version);
  if (!verdict.version[0])
    tally_newest(&g->embedded, verdict.version);
  return verdict;
}

void distribution_evidence(struct arena *a, struct cuw_distribution *d, const char **requires, size_t requires_count,
                           const char *local_version, const char **version_files, size_t version_file_count)
{
  struct gathering *g = calloc(1, sizeof(*g));
  char value[CUDA_VERSION_MAX];
  if (!g)
    return;
  g->arena = a;
  g->distribution = d;
  for (size_t i = 0; i < version_file_count; i++) {
    if (is_version(version_files[i]))
      own_sign(g, SIGN_VERSION_FILE, version_files[i]);
  }
  if ((local_version && cuda_from_local_version(local_version, value)) ||
      (d->version && cuda_from_local_version(d->version, value)))
    own_sign(g, SIGN_LOCAL_VERSION, value);
  sign_of_requires(g, requires, requires_count);
  if (d->name && cuda_from_name(d->name, value))
    own_sign(g, SIGN_NAME, value);
  bool variants = has_variants(d), loaded = has_loaded(d);
  for (size_t i = 0; i < d->library_count; i++)
    sign_of_library(g, d->libraries[i], pool_of(g, d->libraries[i], variants, loaded));
  struct cuda_verdict verdict = gathering_decide(g);
  d->cuda = verdict.version[0] ? arena_string(a, verdict.version) : NULL;
  d->cuda_conflict = verdict.conflict;
  free(g);
}
