/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an image and holds it against what its entry says: sizes, content, architecture. */
#ifndef INSPECT_EXAMINE_H
#define INSPECT_EXAMINE_H

#include "carrier/open.h"

/* What is wrong with an opened image. Static strings; `code` NULL: nothing. */
struct image_fault {
  const char *code;
  const char *message;
  bool is_odd; /* a warning: all of it was read */
};

/* Control characters in the name of a kernel. */
bool kernel_name_is_odd(struct view name);
extern const struct image_fault odd_kernel_name;

/* The fault of an image that could not be opened. */
struct image_fault image_open_fault(enum image_open_status status);

/* Whether `v` is what `image` says of itself: a cubin, PTX, a Tile IR blob; its architecture, its PTX ISA. `*readable`:
 * it can be read as what it is, whatever the fault. */
struct image_fault image_content_fault(const struct cuw_image *image, struct view v, bool *readable);

/* Adds the fault to the library's problems, at the image's place; once, however often the image is opened. */
void image_problem(struct cuw_library *l, const struct cuw_image *image, struct image_fault fault);

/* Opens the image and adds what is wrong with it to the problems of `l`. false: it cannot be read. `cap` as for
 * image_open. */
bool examine_image(struct source *s, struct cuw_library *l, const struct cuw_image *image, uint64_t cap,
                   struct image_buffers *b, struct view *out);

/* A job_visitor: opens every image of the library, reads its kernels, and leaves problems. LTO-IR stays closed: what is
 * obfuscated does not decompress (docs/format.md 2.3). */
struct examine_options {
  uint64_t max_image_size; /* bytes */
};
void examine_library(void *options, struct source *s, struct cuw_library *l);

#endif
