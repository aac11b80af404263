/* SPDX-License-Identifier: Apache-2.0 */
#include "input/archive.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "input/stored.h"
#include "input/zip_bytes.h"

/* libzip lets one thread at a time use an archive: `lock` is held around every call into it. */
struct archive {
  struct source *source;
  struct zip_bytes bytes;
  zip_t *zip;
  uint64_t count;
  pthread_mutex_t lock;
};

static void not_opened(struct archive *a, struct input_error *error, const zip_error_t *reason)
{
  if (a->source->error_code)
    input_error_set(error, a->source->error_code, "%s", a->source->error_text);
  else if (zip_error_code_zip(reason) == ZIP_ER_MEMORY)
    input_error_set(error, "out-of-memory", "There is no memory for the archive's directory.");
  else
    input_error_set(error, "archive-damaged", "The zip archive's directory cannot be read: %s.",
                    zip_error_strerror((zip_error_t *)(uintptr_t)reason));
}

static bool open_zip(struct archive *a, struct input_error *error)
{
  zip_source_t *bytes = zip_bytes_source(&a->bytes, a->source);
  zip_error_t reason;
  zip_error_init(&reason);
  if (!bytes)
    zip_error_set(&reason, ZIP_ER_MEMORY, 0);
  else if (!(a->zip = zip_open_from_source(bytes, ZIP_RDONLY, &reason)))
    zip_source_free(bytes);
  if (!a->zip)
    not_opened(a, error, &reason);
  else
    a->count = (uint64_t)zip_get_num_entries(a->zip, 0);
  zip_error_fini(&reason);
  return a->zip != NULL;
}

struct archive *archive_open(struct source *s, struct input_error *error)
{
  if (!s)
    return NULL;
  struct archive *a = calloc(1, sizeof *a);
  if (!a) {
    input_error_set(error, "out-of-memory", "There is no memory to open the archive.");
    source_close(s);
    return NULL;
  }
  a->source = s;
  pthread_mutex_init(&a->lock, NULL);
  if (open_zip(a, error))
    return a;
  archive_close(a);
  return NULL;
}

void archive_close(struct archive *a)
{
  if (!a)
    return;
  if (a->zip)
    zip_discard(a->zip);
  zip_error_fini(&a->bytes.error);
  pthread_mutex_destroy(&a->lock);
  source_close(a->source);
  free(a);
}

uint64_t archive_count(struct archive *a)
{
  return a->count;
}

bool archive_entry(struct archive *a, uint64_t index, struct archive_entry *out)
{
  zip_stat_t st;
  zip_stat_init(&st);
  pthread_mutex_lock(&a->lock);
  const char *name = zip_get_name(a->zip, index, ZIP_FL_ENC_RAW);
  bool known = name && zip_stat_index(a->zip, index, 0, &st) == 0;
  pthread_mutex_unlock(&a->lock);
  if (!known)
    return false;
  size_t length = strlen(name);
  *out = (struct archive_entry){
      .name = name,
      .size = st.valid & ZIP_STAT_SIZE ? st.size : 0,
      .compressed_size = st.valid & ZIP_STAT_COMP_SIZE ? st.comp_size : 0,
      .crc = st.valid & ZIP_STAT_CRC ? st.crc : 0,
      .method = st.comp_method,
      .encrypted = (st.valid & ZIP_STAT_ENCRYPTION_METHOD) && st.encryption_method != ZIP_EM_NONE,
      .directory = length > 0 && name[length - 1] == '/',
  };
  return true;
}

/* The raw bytes of one member. */
struct raw_member {
  struct archive *archive;
  zip_file_t *file;
  uint64_t at;
};

static enum source_status raw_failed(struct archive *a, zip_file_t *file, struct input_error *error)
{
  if (a->source->error_code)
    input_error_set(error, a->source->error_code, "%s", a->source->error_text);
  else
    input_error_set(error, "read-failed", "The archive cannot be read: %s.", zip_file_strerror(file));
  return SOURCE_IO;
}

static enum source_status raw_read_locked(struct raw_member *m, uint64_t offset, uint8_t *out, size_t size, size_t *got,
                                          struct input_error *error)
{
  if (offset != m->at && zip_fseek(m->file, (zip_int64_t)offset, SEEK_SET) != 0)
    return raw_failed(m->archive, m->file, error);
  m->at = offset;
  while (*got < size) {
    zip_int64_t n = zip_fread(m->file, out + *got, size - *got);
    if (n < 0 && zip_error_code_zip(zip_file_get_error(m->file)) != ZIP_ER_EOF)
      return raw_failed(m->archive, m->file, error);
    if (n <= 0)
      break; /* the archive ends inside the member: the inflater says what that means */
    *got += (size_t)n;
    m->at += (uint64_t)n;
  }
  return SOURCE_OK;
}

static enum source_status raw_read(void *data, uint64_t offset, void *out, size_t size, size_t *got,
                                   struct input_error *error)
{
  struct raw_member *m = data;
  *got = 0;
  pthread_mutex_lock(&m->archive->lock);
  enum source_status status = raw_read_locked(m, offset, out, size, got, error);
  pthread_mutex_unlock(&m->archive->lock);
  return status;
}

static void raw_close(void *data)
{
  struct raw_member *m = data;
  pthread_mutex_lock(&m->archive->lock);
  zip_fclose(m->file);
  pthread_mutex_unlock(&m->archive->lock);
  free(m);
}

static struct raw_member *raw_open(struct archive *a, uint64_t index, struct input_error *error)
{
  struct raw_member *m = calloc(1, sizeof *m);
  if (!m) {
    input_error_set(error, "out-of-memory", "There is no memory to open the member.");
    return NULL;
  }
  m->archive = a;
  pthread_mutex_lock(&a->lock);
  m->file = zip_fopen_index(a->zip, index, ZIP_FL_COMPRESSED);
  if (!m->file)
    input_error_set(error, "member-unreadable", "The member's header cannot be read: %s.", zip_strerror(a->zip));
  pthread_mutex_unlock(&a->lock);
  if (m->file)
    return m;
  free(m);
  return NULL;
}

static bool readable(const struct archive_entry *e, struct input_error *error)
{
  if (e->encrypted) {
    input_error_set(error, "member-encrypted", "The member is encrypted.");
    return false;
  }
  if (e->method != ZIP_CM_STORE && e->method != ZIP_CM_DEFLATE) {
    input_error_set(error, "member-method", "The member is compressed by method %u; stored and deflated ones are read.",
                    (unsigned)e->method);
    return false;
  }
  return true;
}

struct source *archive_member(struct archive *a, uint64_t index, struct inflate_workspace *workspace,
                              struct input_error *error)
{
  struct archive_entry e;
  if (!archive_entry(a, index, &e)) {
    input_error_set(error, "member-unreadable", "The archive has no such member.");
    return NULL;
  }
  if (!readable(&e, error))
    return NULL;
  struct raw_member *raw = raw_open(a, index, error);
  if (!raw)
    return NULL;
  struct inflate_member member = {{raw_read, raw}, e.compressed_size, e.size, e.crc, raw_close, true};
  struct source *s = e.method == ZIP_CM_STORE ? stored_source(&member) : inflate_source(&member, workspace);
  if (!s) {
    raw_close(raw);
    input_error_set(error, "out-of-memory", "There is no memory to read the member.");
  }
  return s;
}
