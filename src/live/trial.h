/* SPDX-License-Identifier: Apache-2.0 */
/* The state of trying one library, shared by the files of this folder. */
#ifndef LIVE_TRIAL_H
#define LIVE_TRIAL_H

#include "carrier/open.h"
#include "live/session.h"
#include "verdict/groups.h"

/* What opening an image told. */
struct image_state {
  bool opened;
  bool relocatable;
  bool accelerated;       /* a cubin that says itself that it is for one chip alone, whatever its entry says */
  const char *fault_code; /* NULL: sound */
  const char *fault;
};

/* All that was found, of all libraries of an input. */
struct findings {
  struct cuw_probe *probe;
  struct arena *arena;
  struct cuw_observation *items;
  size_t count;
  struct found_library {
    const struct cuw_library *library;
    size_t first, count;
  } * libraries;
  size_t library_count;
  bool memory_out;
};

struct visit {
  struct findings *findings;
  struct cuw_probe *probe;
  struct source *source;
  struct cuw_library *library;
  struct group_list groups;
  struct image_state *states; /* one an image of the library */
  struct image_buffers buffers;
  struct cuw_driver driver; /* by its CUDA version */
};

/* One thing that is handed over: a container, an image, the inputs of a link. */
struct trial {
  struct visit *visit;
  const struct group *group;
  enum cuw_probe_method method;
  const size_t *order; /* images that the driver may choose from, in file order */
  size_t count;
  struct wire bytes; /* a WIRE_IMAGE field, or several */
};

static inline uint64_t trial_image_max(const struct cuw_probe *p)
{
  return p->options.max_image_size ? p->options.max_image_size : CUW_PROBE_IMAGE_MAX;
}

static inline struct target visit_target(const struct visit *v, size_t device)
{
  return (struct target){arch_chip(v->probe->devices[device].cc), CUW_OS_LINUX, &v->driver};
}

static inline struct cuw_probe_image describe_image(const struct cuw_image *image)
{
  return (struct cuw_probe_image){true, image->offset, image->kind, image->arch};
}

/* soundness.c: opens each cubin and PTX of the fatbin, once. */
void examine_group(struct visit *v, const struct group *g);
/* Why the fatbin must not be handed over; NULL: it is sound. In the arena of the findings. */
const char *group_fault(struct visit *v, const struct group *g);
const char *image_fault_text(struct visit *v, size_t image);
/* Relocatable code is loaded through a linker alone. */
bool image_is_relocatable(const struct visit *v, size_t image);

/* bytes.c: append a WIRE_IMAGE field. false: the bytes cannot be had. */
bool put_container(struct visit *v, uint32_t fatbin, struct wire *out);
bool put_image(struct visit *v, size_t image, struct wire *out);
/* Appends a WIRE_NAME field for each kernel that the image declares and a driver finds by name; returns how many. */
uint64_t put_names(struct visit *v, size_t image, struct wire *out);

/* predict.c: fills `loads`, `predicted`, `why_not`; returns the image whose names count, or NO_IMAGE. */
size_t predict(const struct trial *t, size_t device, struct cuw_observation *o);

/* compare.c: fills what was observed and decides what it says of the prediction. */
void compare(const struct trial *t, enum ask_status status, const struct probe_answer *a, const char *reason,
             struct cuw_observation *o);

/* evidence.c: NULL where memory is out. */
const struct cuw_probe_evidence *make_evidence(const struct trial *t, size_t image);

#endif
