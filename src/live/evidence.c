/* SPDX-License-Identifier: Apache-2.0 */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "image/fatbin.h"
#include "live/trial.h"

static void hex(const uint8_t *bytes, size_t size, char *out)
{
  for (size_t i = 0; i < size; i++)
    sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* Hashes the contents of all WIRE_IMAGE fields in a row. */
static void hash_fields(const struct wire *w, char out[65], uint64_t *size)
{
  uint8_t digest[EVP_MAX_MD_SIZE];
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  struct cursor c = cursor_at((struct view){w->data, w->size}, 0);
  struct wire_field f;
  *size = 0;
  bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);
  while (good && wire_next(&c, &f)) {
    good = EVP_DigestUpdate(context, f.bytes.data, f.bytes.size);
    *size += f.bytes.size;
  }
  if (good && EVP_DigestFinal_ex(context, digest, NULL))
    hex(digest, 32, out);
  EVP_MD_CTX_free(context);
}

static void hash_image(const struct trial *t, size_t image, struct cuw_probe_evidence *e)
{
  struct visit *v = t->visit;
  const struct cuw_image *record = &v->library->images[image];
  uint8_t digest[EVP_MAX_MD_SIZE];
  struct view bytes, header;
  if (image_open(v->source, record, trial_image_max(v->probe), &v->buffers, &bytes) == IMAGE_OPEN_OK &&
      EVP_Digest(bytes.data, bytes.size, digest, NULL, EVP_sha256(), NULL)) {
    hex(digest, 32, e->image_sha256);
    e->image_size = bytes.size;
  }
  if (record->has_entry && source_view(v->source, record->offset, FATBIN_ENTRY_SIZE, &header) == SOURCE_OK &&
      header.size == FATBIN_ENTRY_SIZE)
    hex(header.data, FATBIN_ENTRY_SIZE, e->header);
}

const struct cuw_probe_evidence *make_evidence(const struct trial *t, size_t image)
{
  struct cuw_probe_evidence *e = arena_alloc(t->visit->findings->arena, sizeof *e);
  if (!e)
    return NULL;
  hash_fields(&t->bytes, e->sha256, &e->size);
  if (image == NO_IMAGE && t->count > 0)
    image = t->order[0];
  if (image != NO_IMAGE) {
    e->image = &t->visit->library->images[image];
    hash_image(t, image, e);
  }
  return e;
}
