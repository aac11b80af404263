/* SPDX-License-Identifier: Apache-2.0 */
/* Ask the CUDA driver of this machine: load images, and hold what it does against what was predicted. The driver is
 * touched by cuwheel-probe alone, a program that is started for it. */
#ifndef CUWHEEL_PROBE_H
#define CUWHEEL_PROBE_H

#include "cuwheel/inspect.h"
#include "cuwheel/write.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuw_probe_options {
  const char *program;     /* NULL: $CUWHEEL_PROBE, beside the running program, where it was installed, or in PATH */
  unsigned timeout;        /* seconds an image, 0: CUW_PROBE_TIMEOUT */
  bool each_image;         /* each cubin and PTX alone too */
  bool launch;             /* launch kernels without parameters */
  bool unsafe;             /* hand damaged images over too */
  uint64_t max_image_size; /* bytes of a container or image; 0: CUW_PROBE_IMAGE_MAX */
};

#define CUW_PROBE_TIMEOUT 60u
#define CUW_PROBE_IMAGE_MAX ((uint64_t)1 << 30)

struct cuw_probe_device {
  unsigned ordinal; /* as the driver counts */
  unsigned cc;      /* 90 is 9.0 */
  const char *name;
  bool wanted; /* images are tried on it */
};

struct cuw_probe;

/* Starts cuwheel-probe. NULL: `reason` is one sentence, also where there is no driver or no device. */
#define CUW_PROBE_REASON_MAX 512
struct cuw_probe *cuw_probe_start(const struct cuw_probe_options *options, char reason[CUW_PROBE_REASON_MAX]);
void cuw_probe_end(struct cuw_probe *probe);

const struct cuw_probe_device *cuw_probe_devices(const struct cuw_probe *probe, size_t *count);
unsigned cuw_probe_cuda(const struct cuw_probe *probe);      /* newest CUDA of the driver, 128 is 12.8; 0 unknown */
const char *cuw_probe_driver(const struct cuw_probe *probe); /* "570.124.06"; NULL unknown */
/* Tries images on this device alone, and on others that were chosen so before. At first all are wanted. false: there
 * is none of that number. */
bool cuw_probe_choose(struct cuw_probe *probe, unsigned ordinal);

enum cuw_probe_method {
  CUW_PROBE_WHOLE, /* a fatbin as it is, or a bare image: the driver chooses */
  CUW_PROBE_IMAGE, /* one image of a fatbin alone */
  CUW_PROBE_LINK   /* the relocatable fatbins through the driver's linker, in place of a linked one that does not fit */
};

enum cuw_probe_outcome {
  CUW_PROBE_NOT_TRIED,
  CUW_PROBE_LOADED,
  CUW_PROBE_REFUSED, /* with an error of the driver */
  CUW_PROBE_CRASHED, /* the process that loaded it died */
  CUW_PROBE_TIMED_OUT,
  CUW_PROBE_BROKEN /* nothing ran any more afterwards, or ran wrong */
};

enum cuw_probe_finding {
  CUW_PROBE_AGREES,
  CUW_PROBE_DISAGREES,
  CUW_PROBE_UNTRIED,       /* could not be tried: exit status 3 */
  CUW_PROBE_NOT_APPLICABLE /* nothing that a driver loads */
};

enum cuw_probe_kernel {
  CUW_PROBE_KERNEL_NOT_RUN,
  CUW_PROBE_KERNEL_RIGHT,
  CUW_PROBE_KERNEL_WRONG,
  CUW_PROBE_KERNEL_FAILED
};

struct cuw_probe_image {
  bool known;
  uint64_t offset; /* in the library */
  uint8_t kind;    /* enum cuw_kind */
  struct cuw_arch arch;
};

struct cuw_probe_error {
  uint32_t number; /* CUresult; 0: none */
  const char *name, *text, *call;
};

/* What a report of a disagreement needs. */
struct cuw_probe_evidence {
  char sha256[65]; /* of the bytes handed over (of a link: of all inputs in a row) */
  uint64_t size;
  char image_sha256[65]; /* of the image that counts, decompressed; "" none */
  uint64_t image_size;
  char header[129]; /* the 64 bytes of its entry, hexadecimal; "" none */
  const struct cuw_image *image;
};

/* One load on one device. Strings belong to the record that holds it. */
struct cuw_observation {
  size_t device;            /* index into cuw_probe_devices; CUW_NO_DEVICE: of no device */
  const char *distribution; /* NULL where none owns the library */
  const char *library;
  uint32_t fatbin; /* CUW_NO_FATBIN: a bare image */
  uint64_t offset; /* of the container, or the image */
  uint8_t role;
  enum cuw_probe_method method;
  struct cuw_probe_image image; /* CUW_PROBE_IMAGE */

  enum cuw_probe_finding finding;
  const char *reason; /* NULL where it agrees */

  bool loads;                       /* predicted */
  struct cuw_probe_image predicted; /* the image that the driver takes */
  const char *why_not;              /* where it is predicted not to load */

  enum cuw_probe_outcome outcome;
  struct cuw_probe_error error;
  const char *log;              /* of the driver's compiler or linker; NULL */
  uint64_t load_time, jit_time; /* microseconds; CUW_NONE not told */
  uint64_t functions;           /* as the driver counts; CUW_NONE */
  uint64_t declared;            /* names looked up */
  uint64_t missing;             /* of these */
  const char *const *missing_names;
  size_t missing_name_count;
  unsigned binary, ptx;        /* versions of the functions, 90 is 9.0; 0 not told */
  struct cuw_probe_image took; /* by these */
  enum cuw_probe_kernel kernel;
  uint64_t launched, not_launched;
  struct cuw_probe_error launch_error;
  const char *launch_name;
  const struct cuw_probe_evidence *evidence; /* of a disagreement; NULL else */
};
#define CUW_NO_DEVICE SIZE_MAX

struct cuw_probed {
  struct cuw_input *input;
  struct cuw_observation *observations; /* libraries by path, fatbins by offset, then devices */
  size_t count;
  bool memory_out; /* some are missing */
  void *arena;
};

/* Reads `path` and tries all in it. NULL: out of memory. Free with cuw_probed_free. */
struct cuw_probed *cuw_probe_path(struct cuw_probe *probe, const char *path, const struct cuw_inspect_options *options);
void cuw_probed_free(struct cuw_probed *probed);

struct cuw_probe_counts {
  size_t agrees, disagrees, untried, not_applicable;
};
void cuw_probe_count(const struct cuw_probed *probed, struct cuw_probe_counts *sum);

const char *cuw_probe_method_name(enum cuw_probe_method method);
const char *cuw_probe_outcome_name(enum cuw_probe_outcome outcome);
const char *cuw_probe_finding_name(enum cuw_probe_finding finding);
const char *cuw_probe_kernel_name(enum cuw_probe_kernel kernel);

/* Writes "table" or "json" (docs/schema/probe-1.json). NULL: another format (errno EINVAL), or no memory. */
struct cuw_probe_writer;
const char *cuw_probe_format_name(size_t index); /* of format 0, 1 ...; NULL behind the last */
struct cuw_probe_writer *cuw_probe_writer_new(const char *format, struct cuw_out *out,
                                              const struct cuw_write_options *options, const struct cuw_probe *probe);
void cuw_probe_writer_input(struct cuw_probe_writer *writer, const struct cuw_probed *probed);
void cuw_probe_writer_end(struct cuw_probe_writer *writer); /* the summary; frees the writer */

#ifdef __cplusplus
}
#endif
#endif
