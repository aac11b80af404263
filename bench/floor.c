/* SPDX-License-Identifier: Apache-2.0 */
/* floor [--all | --member NAME] WHEEL THREADS: the least that reading a wheel can cost. Inflates each member that
 * starts as ELF or PE in pieces, computes its CRC-32 and throws the bytes away; largest first, a member a thread.
 * Nothing of cuwheel is in here, so that the one is measured against the other. */
#include <errno.h>
#include <fcntl.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of 64 KiB to 4 MiB the fastest, by 2 of 100. */
#define IN_PIECE ((size_t)256 << 10)
#define OUT_PIECE ((size_t)512 << 10)
/* Compressed bytes that nearly always hold a member's first block header and its first four bytes. */
#define PEEK_PIECE ((size_t)512)

struct member {
  uint64_t offset, compressed, size; /* offset: of the local header */
  uint32_t crc;
  uint16_t method;
  bool wanted;
};

struct wheel {
  int fd;
  struct member *members;
  size_t count;
  atomic_size_t next;
  atomic_uint_fast64_t read_members, read_bytes;
  atomic_bool failed;
};

struct worker {
  struct wheel *wheel;
  struct inflate_state state;
  uint8_t *in, *out;
};

static _Noreturn void die(const char *what)
{
  fprintf(stderr, "floor: %s\n", what);
  exit(1);
}

static uint64_t little(const uint8_t *p, unsigned bytes)
{
  uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;)
    value = value << 8 | p[i];
  return value;
}

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;) {
    ssize_t got = pread(fd, (uint8_t *)to + done, size - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    done += (size_t)got;
  }
  return true;
}

/* Sizes and offset that do not fit 32 bits stand in the zip64 extra field, in this order, those alone. */
static void read_zip64(struct member *m, const uint8_t *extra, size_t size)
{
  uint64_t *fields[] = {&m->size, &m->compressed, &m->offset};
  while (size >= 4 && 4 + little(extra + 2, 2) <= size) {
    size_t length = (size_t)little(extra + 2, 2), at = 0;
    for (unsigned i = 0; little(extra, 2) == 1 && i < 3; i++) {
      if (*fields[i] != UINT32_MAX || at + 8 > length)
        continue;
      *fields[i] = little(extra + 4 + at, 8);
      at += 8;
    }
    extra += 4 + length;
    size -= 4 + length;
  }
}

static size_t read_entry(struct member *m, const uint8_t *p, size_t left, const char *only)
{
  if (left < 46 || little(p, 4) != 0x02014b50)
    die("damaged directory");
  size_t name = (size_t)little(p + 28, 2), extra = (size_t)little(p + 30, 2), comment = (size_t)little(p + 32, 2);
  if (46 + name + extra + comment > left)
    die("damaged directory");
  *m = (struct member){.method = (uint16_t)little(p + 10, 2),
                       .crc = (uint32_t)little(p + 16, 4),
                       .compressed = little(p + 20, 4),
                       .size = little(p + 24, 4),
                       .offset = little(p + 42, 4),
                       .wanted = !only || (strlen(only) == name && memcmp(only, p + 46, name) == 0)};
  read_zip64(m, p + 46 + name, extra);
  return 46 + name + extra + comment;
}

static void read_directory(struct wheel *w, const char *only)
{
  struct stat st;
  if (fstat(w->fd, &st) != 0 || st.st_size < 22)
    die("no zip archive");
  size_t tail_size = st.st_size < 65557 ? (size_t)st.st_size : 65557;
  uint8_t *tail = malloc(tail_size);
  if (!tail || !read_at(w->fd, tail, tail_size, (uint64_t)st.st_size - tail_size))
    die("cannot read the end");
  size_t at = tail_size - 22;
  while (at > 0 && little(tail + at, 4) != 0x06054b50)
    at--;
  uint64_t count = little(tail + at + 10, 2), size = little(tail + at + 12, 4), start = little(tail + at + 16, 4);
  uint8_t end64[56];
  if (at >= 20 && little(tail + at - 20, 4) == 0x07064b50 &&
      read_at(w->fd, end64, sizeof end64, little(tail + at - 12, 8))) {
    count = little(end64 + 32, 8);
    size = little(end64 + 40, 8);
    start = little(end64 + 48, 8);
  }
  free(tail);
  if (size > (uint64_t)st.st_size || count > size / 46)
    die("damaged directory");
  uint8_t *directory = malloc(size + 1);
  w->members = calloc(count + 1, sizeof *w->members);
  if (!directory || !w->members || !read_at(w->fd, directory, size, start))
    die("cannot read the directory");
  for (size_t used = 0; w->count < count; w->count++)
    used += read_entry(&w->members[w->count], directory + used, size - used, only);
  free(directory);
}

static bool data_offset(const struct wheel *w, const struct member *m, uint64_t *offset)
{
  uint8_t header[30];
  if (!read_at(w->fd, header, sizeof header, m->offset) || little(header, 4) != 0x04034b50)
    return false;
  *offset = m->offset + 30 + little(header + 26, 2) + little(header + 28, 2);
  return true;
}

struct pieces {
  uint64_t at, left;
  size_t piece;
};

/* The next piece of compressed bytes, unless the last is not used up or there is none. */
static bool refill(struct worker *k, struct pieces *p)
{
  if (k->state.avail_in > 0 || p->left == 0)
    return true;
  size_t size = p->left < p->piece ? (size_t)p->left : p->piece;
  if (!read_at(k->wheel->fd, k->in, size, p->at))
    return false;
  p->at += size;
  p->left -= size;
  k->state.next_in = k->in;
  k->state.avail_in = (uint32_t)size;
  return true;
}

static bool read_stored(struct worker *k, struct pieces *p, uint64_t limit, uint32_t *crc)
{
  uint64_t made = 0;
  for (; made < limit && refill(k, p) && k->state.avail_in > 0; k->state.avail_in = 0) {
    if (made == 0)
      memcpy(k->out, k->in, 4);
    *crc = crc32_gzip_refl(*crc, k->in, k->state.avail_in);
    made += k->state.avail_in;
  }
  return made >= limit;
}

static bool inflate(struct worker *k, struct pieces *p, uint64_t limit, uint32_t *crc)
{
  struct inflate_state *s = &k->state;
  for (uint64_t made = 0; made < limit;) {
    if (!refill(k, p))
      return false;
    uint32_t had_in = s->avail_in, room = limit < OUT_PIECE ? (uint32_t)limit : (uint32_t)OUT_PIECE;
    s->next_out = k->out;
    s->avail_out = room;
    if (isal_inflate(s) != ISAL_DECOMP_OK)
      return false;
    uint32_t got = room - s->avail_out;
    *crc = crc32_gzip_refl(*crc, k->out, got);
    made += got;
    /* total_out has 32 bits and is only compared with distances. */
    if (s->total_out > (uint32_t)1 << 30)
      s->total_out = (uint32_t)1 << 30;
    if (made < limit && (s->block_state == ISAL_BLOCK_FINISH || (got == 0 && s->avail_in == had_in && p->left == 0)))
      return false;
  }
  return true;
}

/* Reads the first `limit` bytes of a member. */
static bool read_member(struct worker *k, const struct member *m, uint64_t limit, size_t piece, uint32_t *crc)
{
  struct pieces p = {.left = m->compressed, .piece = piece};
  if (!data_offset(k->wheel, m, &p.at))
    return false;
  isal_inflate_init(&k->state);
  k->state.avail_in = 0;
  *crc = 0;
  return m->method == 0 ? read_stored(k, &p, limit, crc) : inflate(k, &p, limit, crc);
}

static void *peek(void *data)
{
  struct worker *k = data;
  size_t i;
  while ((i = atomic_fetch_add(&k->wheel->next, 1)) < k->wheel->count) {
    struct member *m = &k->wheel->members[i];
    uint32_t crc;
    if (!m->wanted || m->size < 4 || !read_member(k, m, 4, PEEK_PIECE, &crc))
      m->wanted = false;
    else
      m->wanted = memcmp(k->out, "\177ELF", 4) == 0 || memcmp(k->out, "MZ", 2) == 0;
  }
  return NULL;
}

static void *read_whole(void *data)
{
  struct worker *k = data;
  size_t i;
  while ((i = atomic_fetch_add(&k->wheel->next, 1)) < k->wheel->count) {
    const struct member *m = &k->wheel->members[i];
    uint32_t crc;
    if (!m->wanted)
      continue;
    if (!read_member(k, m, m->size, IN_PIECE, &crc) || crc != m->crc)
      atomic_store(&k->wheel->failed, true);
    atomic_fetch_add(&k->wheel->read_members, 1);
    atomic_fetch_add(&k->wheel->read_bytes, m->size);
  }
  return NULL;
}

static void on_threads(struct worker *workers, size_t count, void *(*work)(void *))
{
  pthread_t threads[64];
  atomic_store(&workers->wheel->next, 0);
  for (size_t i = 1; i < count; i++)
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
      die("cannot start a thread");
  work(&workers[0]);
  for (size_t i = 1; i < count; i++)
    pthread_join(threads[i], NULL);
}

static int largest_first(const void *a, const void *b)
{
  const struct member *l = a, *r = b;
  return (l->size < r->size) - (l->size > r->size);
}

int main(int argc, char **argv)
{
  bool all = argc == 4 && strcmp(argv[1], "--all") == 0;
  const char *only = argc == 5 && strcmp(argv[1], "--member") == 0 ? argv[2] : NULL;
  if (argc != 3 && !all && !only) {
    fprintf(stderr, "usage: floor [--all | --member NAME] WHEEL THREADS\n");
    return 2;
  }
  int threads = atoi(argv[argc - 1]);
  if (threads < 1 || threads > 64)
    die("from 1 to 64 threads");
  struct wheel wheel = {.fd = open(argv[argc - 2], O_RDONLY | O_CLOEXEC)};
  if (wheel.fd < 0)
    die("cannot open the wheel");
  read_directory(&wheel, only);
  struct worker *workers = calloc((size_t)threads, sizeof *workers);
  if (!workers)
    die("no memory");
  for (int i = 0; i < threads; i++) {
    workers[i].wheel = &wheel;
    /* The kernel copies to a page's start two to three times as fast as to malloc's 16 bytes behind one. */
    workers[i].in = aligned_alloc(4096, IN_PIECE);
    workers[i].out = aligned_alloc(4096, OUT_PIECE);
    if (!workers[i].in || !workers[i].out)
      die("no memory");
  }
  if (!all && !only)
    on_threads(workers, (size_t)threads, peek);
  qsort(wheel.members, wheel.count, sizeof *wheel.members, largest_first);
  on_threads(workers, (size_t)threads, read_whole);
  printf("%llu of %zu members, %llu bytes%s\n", (unsigned long long)wheel.read_members, wheel.count,
         (unsigned long long)wheel.read_bytes, wheel.failed ? ", some damaged" : "");
  return wheel.failed;
}
