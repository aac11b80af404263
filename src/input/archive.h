/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive (a wheel): its directory, and its members as sources. */
#ifndef INPUT_ARCHIVE_H
#define INPUT_ARCHIVE_H

#include "input/error.h"
#include "input/inflate.h"
#include "input/source.h"

struct archive;

/* Takes `s` over: it is closed with the archive, and at once on failure. NULL gives NULL, so that opening may be
 * chained. An inner wheel opens over the member that holds it. Code: "archive-damaged", or the source's. NULL on
 * failure. */
struct archive *archive_open(struct source *s, struct input_error *error);

/* Every member source must have been closed. NULL is fine. */
void archive_close(struct archive *a);

/* `name` is what the archive says, byte for byte up to a NUL, and lives as long as the archive. It may be absolute,
 * hold "..", or stand there twice: it is a name, never a path to open. */
struct archive_entry {
  const char *name;
  uint64_t size, compressed_size; /* as declared */
  uint32_t crc;
  uint16_t method;
  bool encrypted, directory;
};

uint64_t archive_count(struct archive *a);
bool archive_entry(struct archive *a, uint64_t index, struct archive_entry *out);

/* Codes: "member-encrypted", "member-method" (neither stored nor deflated), "member-unreadable" (its local header is),
 * "out-of-memory". One thread uses a member source, several threads may use several of one archive. */
struct source *archive_member(struct archive *a, uint64_t index, struct inflate_workspace *workspace,
                              struct input_error *error);

#endif
