/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/job.h"

#include <stdlib.h>
#include <string.h>

#include "carrier/open.h"
#include "carrier/raw.h"
#include "carrier/sieve.h"
#include "carrier/walk.h"
#include "image/cubin.h"
#include "model/builder.h"
#include "model/cuda.h"

#define TOOLKIT_CUBIN_MAX ((uint64_t)64 << 20)
/* Of one archive: each is a record, and a header of 60 bytes makes a member. */
#define AR_LIBRARIES_MAX ((size_t)1 << 16)

static bool add_library(struct job_result *r, struct cuw_library *l)
{
  size_t n = r->library_count;
  if ((n & (n - 1)) == 0) {
    struct cuw_library **more = realloc(r->libraries, (n ? 2 * n : 1) * sizeof *more);
    if (!more) {
      cuw_library_free(l);
      return false;
    }
    r->libraries = more;
  }
  r->libraries[r->library_count++] = l;
  return true;
}

static struct cuw_library *faults(struct job_result *r, const char *path)
{
  if (!r->faults)
    r->faults = library_new(path, CUW_ELF, 0);
  return r->faults;
}

static void source_problem(struct cuw_library *l, const struct source *s)
{
  if (l && s->error_code)
    library_problem(l, CUW_ERROR, s->error_code, s->error_offset, NULL, "%s", s->error_text ? s->error_text : "");
}

/* The smaller of two cubins, those with the role that the library's own code has before any other. */
static bool is_better(const struct cuw_image *a, const struct cuw_image *b)
{
  bool self_a = a->role == CUW_ROLE_SELF_LOADED, self_b = b->role == CUW_ROLE_SELF_LOADED;
  return self_a != self_b ? self_b : a->size < b->size;
}

/* The smallest cubin tells which toolkit made the library's images: the cheapest to open. */
static void read_toolkit(struct source *s, struct cuw_library *l)
{
  struct cuw_image *smallest = NULL;
  for (size_t i = 0; i < l->image_count; i++) {
    struct cuw_image *image = &l->images[i];
    if (image->kind == CUW_KIND_CUBIN && (!smallest || is_better(image, smallest)))
      smallest = image;
  }
  if (!smallest || smallest->toolkit)
    return;
  struct image_buffers b = {0};
  struct view v;
  struct cubin_facts f;
  const char *damage = NULL;
  if (image_open(s, smallest, TOOLKIT_CUBIN_MAX, &b, &v) == IMAGE_OPEN_OK && cubin_facts_read(v, &f, &damage)) {
    smallest->relocatable = f.relocatable;
    if (f.toolkit[0])
      smallest->toolkit = arena_string(library_arena(l), f.toolkit);
  }
  image_buffers_free(&b);
}

static enum cuw_format format_of(enum carrier_type type)
{
  switch (type) {
  case CARRIER_PE:
  case CARRIER_COFF:
    return CUW_PE;
  case CARRIER_CUBIN:
    return CUW_CUBIN;
  case CARRIER_FATBIN:
    return CUW_FATBIN;
  case CARRIER_PTX:
    return CUW_PTX;
  default:
    return CUW_ELF;
  }
}

static void read_images(struct source *s, enum carrier_type type, struct cuw_library *l)
{
  struct carrier_map map = {0};
  switch (type) {
  case CARRIER_ELF:
    elf_map(s, l, &map);
    break;
  case CARRIER_PE:
    pe_map(s, l, &map);
    break;
  case CARRIER_COFF:
    coff_map(s, l, &map);
    break;
  case CARRIER_FATBIN:
    raw_fatbin_map(s, l, &map);
    break;
  case CARRIER_PTX:
    raw_ptx_map(s, l, &map);
    break;
  case CARRIER_CUBIN:
    raw_cubin_read(s, l);
    break;
  default:
    break;
  }
  walk_library(s, l, &map);
  carrier_map_free(&map);
}

/* A member that is cheap to read forward only goes through a sieve; everything else is read where it stands. */
static void read_library(struct source *s, enum carrier_type type, enum cuw_format format, const char *path,
                         const struct job_visitor *visitor, struct job_result *r)
{
  struct cuw_library *l = library_new(path, format, s->size);
  if (!l)
    return;
  bool host = type == CARRIER_ELF || type == CARRIER_PE || type == CARRIER_COFF;
  struct source *sieve = host && s->forward_is_cheap ? sieve_open(s) : NULL;
  struct source *bytes = sieve ? sieve : s;
  read_images(bytes, type, l);
  read_toolkit(bytes, l);
  source_finish(s);
  source_problem(l, s);
  library_finish(l);
  library_decide_cuda(l);
  if (visitor)
    visitor->library(visitor->data, bytes, l);
  source_close(sieve);
  arena_settle(library_arena(l));
  add_library(r, l);
}

static bool holds_images(enum carrier_type type)
{
  switch (type) {
  case CARRIER_ELF:
  case CARRIER_PE:
  case CARRIER_COFF:
  case CARRIER_CUBIN:
  case CARRIER_FATBIN:
  case CARRIER_PTX:
    return true;
  default:
    return false;
  }
}

struct ar_job {
  struct source *source;
  const char *path;
  const struct job_visitor *visitor;
  struct job_result *result;
};

static char *member_path(const char *path, const char *name)
{
  size_t size = strlen(path) + strlen(name) + 3;
  char *text = malloc(size);
  if (!text)
    return NULL;
  strcpy(text, path);
  strcat(text, "(");
  strcat(text, name);
  strcat(text, ")");
  return text;
}

static void note_ar_fault(void *data, const char *code, uint64_t offset, const char *message)
{
  struct ar_job *job = data;
  struct cuw_library *l = faults(job->result, job->path);
  if (l)
    library_problem(l, CUW_ERROR, code, offset, NULL, "%s", message);
}

static bool read_ar_member(void *data, const char *name, uint64_t offset, uint64_t size)
{
  struct ar_job *job = data;
  if (job->result->library_count >= AR_LIBRARIES_MAX) {
    note_ar_fault(data, "too-many-members", offset, "the archive holds more objects than are listed");
    return false;
  }
  struct source *part = source_part(job->source, offset, size);
  char *path = member_path(job->path, name);
  struct view head;
  if (part && path && size > 0 && source_view(part, 0, CARRIER_HEAD, &head) == SOURCE_OK) {
    enum carrier_type type = carrier_identify(head);
    if (holds_images(type))
      read_library(part, type, CUW_AR, path, job->visitor, job->result);
  }
  free(path);
  source_close(part);
  return true;
}

static void read_archive(struct source *s, const char *path, const struct job_visitor *visitor, struct job_result *r)
{
  struct ar_job job = {s, path, visitor, r};
  struct ar_visitor members = {.each = read_ar_member, .fault = note_ar_fault, .data = &job};
  ar_walk(s, &members);
  source_finish(s);
  if (s->error_code)
    source_problem(faults(r, path), s);
}

void job_read(struct source *s, const char *path, const struct job_visitor *visitor, struct job_result *r)
{
  struct view head = {NULL, 0};
  *r = (struct job_result){0};
  enum source_status status = s->size > 0 ? source_view(s, 0, CARRIER_HEAD, &head) : source_finish(s);
  if (status != SOURCE_OK && status != SOURCE_END && head.size == 0) {
    source_problem(faults(r, path), s);
    return;
  }
  r->type = carrier_identify(head);
  if (holds_images(r->type)) {
    read_library(s, r->type, format_of(r->type), path, visitor, r);
  } else if (r->type == CARRIER_AR) {
    read_archive(s, path, visitor, r);
  } else if (r->type == CARRIER_AR_THIN) {
    struct cuw_library *l = faults(r, path);
    if (l)
      library_problem(l, CUW_ERROR, "archive-thin", 0, "inspect the object files that it names instead",
                      "a thin archive names its members and does not hold them");
  } else if (s->error_code) {
    source_problem(faults(r, path), s);
  }
}

void job_result_free(struct job_result *r)
{
  for (size_t i = 0; i < r->library_count; i++)
    cuw_library_free(r->libraries[i]);
  free(r->libraries);
  cuw_library_free(r->faults);
  *r = (struct job_result){0};
}
