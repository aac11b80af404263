/* SPDX-License-Identifier: Apache-2.0 */
#include "carrier/sieve.h"

#include <stdlib.h>
#include <string.h>

#include "carrier/sieve_plan.h"
#include "cuwheel/image.h"
#include "image/fatbin.h"

/* What one pass may remember. Beyond it the pass only inflates, and readers go back for the rest. */
#define KEPT_BYTES_MAX ((size_t)8 << 20)
#define HITS_MAX ((size_t)1 << 18)
#define RANGES_MAX ((size_t)1 << 18)
#define ENTRY_HEADER_KEPT_MAX ((uint64_t)64 << 10)
/* Behind a container: the zeros of a gap and the next header. */
#define BORDER_KEPT ((size_t)48)
#define FIRST_LOOK ((size_t)4 << 10)

/* One kept range; its bytes stand at `at` in the sieve's buffer. */
struct kept {
  uint64_t offset;
  size_t size, at;
};

struct sieve {
  struct source base;
  struct source *inner;
  struct sieve_plan plan;
  uint8_t *bytes;
  size_t used, capacity;
  struct kept *kept; /* ascending, disjoint, never touching */
  size_t kept_count;
  struct hit *hits; /* ascending; every needle that starts in a covered span */
  size_t hit_count;
  struct span *covered; /* ascending, disjoint */
  size_t covered_count;
  size_t next_table;
  uint64_t followed; /* how far a container was followed that could then not be stepped over */
  bool full;
};

/* Room for one more element: doubles where `count` is a full power of two. false: out of memory. */
static bool grow(void **items, size_t count, size_t size)
{
  if (count != 0 && (count & (count - 1)) != 0)
    return true;
  void *more = realloc(*items, (count ? count * 2 : 1) * size);
  if (!more)
    return false;
  *items = more;
  return true;
}

static bool append_bytes(struct sieve *s, const uint8_t *data, size_t size)
{
  if (s->used + size > KEPT_BYTES_MAX)
    return false;
  if (s->used + size > s->capacity) {
    size_t capacity = s->capacity ? s->capacity * 2 : (size_t)64 << 10;
    while (capacity < s->used + size)
      capacity *= 2;
    uint8_t *more = realloc(s->bytes, capacity);
    if (!more)
      return false;
    s->bytes = more;
    s->capacity = capacity;
  }
  memcpy(s->bytes + s->used, data, size);
  s->used += size;
  return true;
}

static void keep_bytes(struct sieve *s, uint64_t offset, const uint8_t *data, size_t size)
{
  struct kept *last = s->kept_count ? &s->kept[s->kept_count - 1] : NULL;
  uint64_t end = last ? last->offset + last->size : 0;
  if (s->full || (last && offset < last->offset) || (last && offset + size <= end))
    return;
  if (last && offset < end) {
    data += end - offset;
    size -= (size_t)(end - offset);
    offset = end;
  }
  bool joins = last && offset == end;
  size_t at = s->used;
  if (!joins && (s->kept_count >= RANGES_MAX || !grow((void **)&s->kept, s->kept_count, sizeof *s->kept))) {
    s->full = true;
    return;
  }
  if (!append_bytes(s, data, size)) {
    s->full = true;
    return;
  }
  if (joins)
    last->size += size;
  else
    s->kept[s->kept_count++] = (struct kept){offset, size, at};
}

/* Keeps [offset, offset + size), which lies at or shortly behind the pass. */
static bool keep(struct sieve *s, uint64_t offset, size_t size, struct view *out)
{
  struct view v;
  if (size > SOURCE_WINDOW || source_view(s->inner, offset, size, &v) != SOURCE_OK)
    return false;
  keep_bytes(s, offset, v.data, v.size);
  if (out)
    *out = v;
  return v.size == size;
}

static void cover(struct sieve *s, uint64_t begin, uint64_t end)
{
  struct span *last = s->covered_count ? &s->covered[s->covered_count - 1] : NULL;
  if (s->full || end <= begin)
    return;
  if (last && last->end == begin) {
    last->end = end;
    return;
  }
  if (s->covered_count >= RANGES_MAX || !grow((void **)&s->covered, s->covered_count, sizeof *s->covered)) {
    s->full = true;
    return;
  }
  s->covered[s->covered_count++] = (struct span){begin, end};
}

static void note_hit(struct sieve *s, struct hit hit)
{
  if (s->full)
    return;
  if (s->hit_count >= HITS_MAX || !grow((void **)&s->hits, s->hit_count, sizeof *s->hits)) {
    s->full = true;
    return;
  }
  s->hits[s->hit_count++] = hit;
}

/* Steps over the container at `at`, keeping its headers. Returns its end; 0 when it is not sound enough to step over:
 * then the pass looks at every byte of it. Entries are followed once only: containers could share them. */
static uint64_t step_over(struct sieve *s, uint64_t at)
{
  struct view v;
  struct fatbin_header h;
  if (at < s->followed || !keep(s, at, FATBIN_HEADER_SIZE, &v) || !fatbin_header_decode(v, &h) || h.size == 0)
    return 0;
  uint64_t begin = at + FATBIN_HEADER_SIZE;
  if (!range_fits(begin, h.size, s->base.size))
    return 0;
  uint64_t end = begin + h.size;
  for (uint64_t pos = begin; pos < end;) {
    struct fatbin_entry e;
    s->followed = pos;
    if (end - pos < FATBIN_ENTRY_SIZE || source_view(s->inner, pos, FATBIN_ENTRY_SIZE, &v) != SOURCE_OK ||
        !fatbin_entry_decode(v, &e) || !fatbin_entry_is_sane(&e))
      return 0;
    if (!range_fits(e.header_size, e.payload_size, end - pos))
      return 0;
    uint64_t size = e.header_size < ENTRY_HEADER_KEPT_MAX ? e.header_size : FATBIN_ENTRY_SIZE;
    if (!keep(s, pos, (size_t)size, NULL))
      return 0;
    pos += e.header_size + e.payload_size;
  }
  keep(s, end, BORDER_KEPT, NULL);
  return end;
}

/* Keeps the tables of the plan that start at or before `pos` and are not yet behind it. */
static void keep_tables(struct sieve *s, uint64_t pos)
{
  while (s->next_table < s->plan.table_count && s->plan.tables[s->next_table].begin <= pos) {
    struct span t = s->plan.tables[s->next_table++];
    if (t.begin == pos)
      keep(s, t.begin, (size_t)(t.end - t.begin), NULL);
  }
}

static uint64_t next_stop(const struct sieve *s, uint64_t pos)
{
  uint64_t stop = s->base.size;
  if (s->next_table < s->plan.table_count && s->plan.tables[s->next_table].begin < stop)
    stop = s->plan.tables[s->next_table].begin;
  size_t skip = span_behind(s->plan.skips, s->plan.skip_count, pos);
  if (skip < s->plan.skip_count && s->plan.skips[skip].begin > pos && s->plan.skips[skip].begin < stop)
    stop = s->plan.skips[skip].begin;
  return stop;
}

/* Looks through [pos, end) until a container was stepped over or the window ends; returns where to go on, or 0 when the
 * source gives no more. */
static uint64_t look(struct sieve *s, uint64_t pos, uint64_t end)
{
  struct view v;
  struct hit hit;
  if (source_view(s->inner, pos, SOURCE_WINDOW, &v) != SOURCE_OK && v.size == 0)
    return 0;
  /* Needles near the window's end wait for the next one, which shows them whole. */
  bool last = pos + v.size >= s->base.size;
  size_t to = last || v.size <= SCAN_REACH ? v.size : v.size - SCAN_REACH;
  if (to > end - pos)
    to = (size_t)(end - pos);
  for (size_t from = 0; scan_find(v, from, to, &hit);) {
    from = (size_t)hit.offset + 1;
    hit.offset += pos;
    note_hit(s, hit);
    if (hit.needle == NEEDLE_WRAPPER || hit.needle == NEEDLE_CUBIN) {
      keep_bytes(s, hit.offset, v.data + from - 1, v.size - from + 1 < 64 ? v.size - from + 1 : 64);
    } else if (hit.needle == NEEDLE_FATBIN) {
      cover(s, pos, hit.offset + 1);
      uint64_t behind = step_over(s, hit.offset);
      return behind ? behind : hit.offset + 1;
    }
  }
  cover(s, pos, pos + to);
  return pos + to;
}

static void pass(struct sieve *s)
{
  for (uint64_t pos = 0; pos < s->base.size && !s->full;) {
    keep_tables(s, pos);
    size_t skip = span_behind(s->plan.skips, s->plan.skip_count, pos);
    uint64_t stop = next_stop(s, pos);
    if (skip < s->plan.skip_count && s->plan.skips[skip].begin <= pos) {
      uint64_t end = s->plan.skips[skip].end;
      pos = stop > pos && stop < end ? stop : end;
      continue;
    }
    uint64_t next = look(s, pos, stop > pos ? stop : s->base.size);
    if (next == 0)
      return;
    pos = next;
  }
}

static const struct kept *kept_with(const struct sieve *s, uint64_t offset)
{
  size_t low = 0, high = s->kept_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct kept *k = &s->kept[middle];
    if (offset < k->offset)
      high = middle;
    else if (offset - k->offset >= k->size)
      low = middle + 1;
    else
      return k;
  }
  return NULL;
}

static enum source_status sieve_view(struct source *base, uint64_t offset, size_t want, struct view *out)
{
  struct sieve *s = (struct sieve *)base;
  const struct kept *k = kept_with(s, offset);
  if (k && want <= k->size - (size_t)(offset - k->offset)) {
    *out = (struct view){s->bytes + k->at + (offset - k->offset), want};
    return SOURCE_OK;
  }
  enum source_status status = source_view(s->inner, offset, want, out);
  base->error_code = s->inner->error_code;
  base->error_text = s->inner->error_text;
  base->error_offset = s->inner->error_offset;
  return status;
}

static enum source_status sieve_finish(struct source *base)
{
  struct sieve *s = (struct sieve *)base;
  enum source_status status = source_finish(s->inner);
  base->error_code = s->inner->error_code;
  base->error_text = s->inner->error_text;
  base->error_offset = s->inner->error_offset;
  return status;
}

static void sieve_close(struct source *base)
{
  struct sieve *s = (struct sieve *)base;
  sieve_plan_free(&s->plan);
  free(s->bytes);
  free(s->kept);
  free(s->hits);
  free(s->covered);
  free(s);
}

static const struct source_ops sieve_ops = {.view = sieve_view, .finish = sieve_finish, .close = sieve_close};

struct source *sieve_open(struct source *inner)
{
  struct sieve *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->base = (struct source){.ops = &sieve_ops, .size = inner->size, .forward_is_cheap = true};
  s->inner = inner;
  sieve_plan_make(inner, &s->plan);
  pass(s);
  return &s->base;
}

/* The first hit of the pass in [from, to), which lies inside one covered span. */
static bool recorded_hit(const struct sieve *s, uint64_t from, uint64_t to, struct hit *hit)
{
  size_t low = 0, high = s->hit_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->hits[middle].offset < from)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == s->hit_count || s->hits[low].offset >= to)
    return false;
  *hit = s->hits[low];
  return true;
}

/* Looks at little first: where hits stand close together, each search would else ask for a whole window. */
static enum source_status find_in_bytes(struct source *s, uint64_t from, uint64_t to, struct hit *hit, bool *found)
{
  for (size_t want = FIRST_LOOK; from < to; want = want < SOURCE_WINDOW / 4 ? want * 4 : SOURCE_WINDOW) {
    struct view v;
    if (want > to - from + SCAN_REACH)
      want = (size_t)(to - from) + SCAN_REACH;
    enum source_status status = source_view(s, from, want, &v);
    if (v.size == 0)
      return status;
    /* Before damage the view is shorter: what it shows is looked at, then the damage is met. */
    bool last = status != SOURCE_OK || from + v.size >= s->size;
    size_t end = last || v.size <= SCAN_REACH ? v.size : v.size - SCAN_REACH;
    if (end > to - from)
      end = (size_t)(to - from);
    if (scan_find(v, 0, end, hit)) {
      hit->offset += from;
      *found = true;
      return SOURCE_OK;
    }
    from += end;
  }
  return SOURCE_OK;
}

enum source_status source_find(struct source *base, uint64_t from, uint64_t to, struct hit *hit, bool *found)
{
  *found = false;
  if (to > base->size)
    to = base->size;
  if (base->ops != &sieve_ops)
    return find_in_bytes(base, from, to, hit, found);
  struct sieve *s = (struct sieve *)base;
  while (from < to) {
    size_t i = span_behind(s->covered, s->covered_count, from);
    bool inside = i < s->covered_count && s->covered[i].begin <= from;
    uint64_t limit = to;
    if (inside && s->covered[i].end < to)
      limit = s->covered[i].end;
    else if (!inside && i < s->covered_count && s->covered[i].begin < to)
      limit = s->covered[i].begin;
    if (inside) {
      *found = recorded_hit(s, from, limit, hit);
    } else {
      enum source_status status = find_in_bytes(s->inner, from, limit, hit, found);
      if (status != SOURCE_OK)
        return status;
    }
    if (*found)
      return SOURCE_OK;
    from = limit;
  }
  return SOURCE_OK;
}
