/* SPDX-License-Identifier: Apache-2.0 */
/* What opening images told about a library, and what a verdict still wants to know.
 *
 * Judging is pure: it never opens an image. It answers, or it names the images that have to be opened first. The
 * caller opens them, adds what it saw, and asks again; facts stay, and serve every GPU that the library is judged for:
 *
 *   struct facts *facts = facts_new(library);
 *   struct want_list wants = {0};
 *   for (size_t i = 0; i < gpu_count; i++) {
 *     struct judge_request request = {library, facts, &gpus[i], &driver};
 *     while (judge_library(&request, &wants, &verdicts[i]) == JUDGE_WANTS) {
 *       for (size_t k = 0; k < wants.count; k++)
 *         open_image(library, wants.items[k].image, wants.items[k].what, facts);
 *     }
 *   }
 *   want_list_free(&wants);
 *   facts_free(facts);
 *
 * open_image ends with one of facts_unreadable, facts_counted and facts_named for that image, else the loop would not
 * end. More may be told than was asked: where a stream is read once, names for all images of a library do no harm. */
#ifndef VERDICT_FACTS_H
#define VERDICT_FACTS_H

#include "cuwheel/library.h"

enum want_what {
  WANT_COUNT, /* whether the image has a kernel: stop at the first one */
  WANT_NAMES  /* the names of all its kernels */
};

struct want {
  size_t image; /* index into the library's images */
  enum want_what what;
};

/* Zero-initialise; reused from call to call. */
struct want_list {
  struct want *items;
  size_t count, capacity;
};
void want_list_free(struct want_list *list);
bool want_add(struct want_list *list, size_t image, enum want_what what);

enum fact_state { FACT_NONE, FACT_COUNTED, FACT_NAMED, FACT_UNREADABLE };

#define FACT_SHOWN_MAX 8 /* function names kept for display, an image */

struct image_fact {
  uint8_t state; /* enum fact_state */
  bool has_kernels;
  uint8_t shown_count;
  size_t kernel_count;
  uint64_t *kernels; /* hash of the function's name; bit 0: the name carries an architecture */
  const char *shown[FACT_SHOWN_MAX];
};

struct facts;

struct facts *facts_new(const struct cuw_library *library); /* NULL: out of memory */
void facts_free(struct facts *facts);                       /* NULL is fine */

/* The image could not be read: damaged, of an unknown compression, larger than the limit. */
void facts_unreadable(struct facts *facts, size_t image);
/* The image was read up to its first kernel, or has none. */
void facts_counted(struct facts *facts, size_t image, bool has_kernels);
/* One kernel of an image, by its symbol or .entry name. Before facts_named. false: out of memory. */
bool facts_add_kernel(struct facts *facts, size_t image, const char *symbol, size_t length);
/* All kernels of the image were added. */
void facts_named(struct facts *facts, size_t image);

const struct image_fact *facts_of(const struct facts *facts, size_t image);

#endif
