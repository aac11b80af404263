/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that files are written into, each whole or not at all. */
#ifndef EXTRACT_STORE_H
#define EXTRACT_STORE_H

#include "base/view.h"

struct store {
  int fd;
  bool force;
  bool was_empty;
};

/* Opens the folder, makes it where it does not exist. false with errno. */
bool store_open(struct store *s, const char *path, bool force);
void store_close(struct store *s);

bool store_has(const struct store *s, const char *name);

/* Writes one file. 0, or errno: EEXIST where it is there and is not to be replaced. */
int store_write(const struct store *s, const char *name, struct view bytes);

#endif
