/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA version of a library and of a distribution, from what its records say. Pure functions; the facts are those
 * of docs/format.md 8.
 *
 * How `version` is decided, for a library and for a distribution alike:
 *  1. The most exact evidence decides: one that names a minor (12.8) goes before one that names a major (12).
 *  2. Among equally exact ones the first of: version-file, local-version (the distribution says it of itself);
 *     toolkit (what compiled the images); requires; needed; ptx; name.
 *  3. Of several values from one source, the one that most images (library) or libraries (distribution) show; of
 *     equals the newest.
 *  4. A PTX ISA is a lower bound, since hand-written PTX may name an old one: it decides only where the other evidence
 *     names the same major, or where there is none. "ptx" is the newest ISA of a library; one newer
 *     than the toolkit, within its major, goes before it.
 *
 *  5. "embedded", the toolkit of an image that a host library loads by itself, decides only where nothing else is there
 *     (the newest), and contradicts nothing: such images are often older than the library that carries them.
 *
 * `conflict`: the evidence names more than one major, or the newest PTX ISA is of a newer major than all else, or the
 * version file and the local version name different minors. Minors within a major do not contradict each other: images
 * by a newer toolkit than the linked runtime run (minor-version compatibility). A loose image links nothing, so its
 * toolkit contradicts nothing.
 *
 * Libraries whose file names carry different CUDA versions (libbitsandbytes_cuda118.so, _cuda121.so) are variants, one
 * of which is loaded: each speaks for itself and none for the distribution. Where a distribution shows nothing else,
 * it gets the major that they share, or none. */
#ifndef MODEL_CUDA_H
#define MODEL_CUDA_H

#include "base/arena.h"
#include "base/view.h"
#include "cuwheel/report.h"

#define CUDA_VERSION_MAX 8 /* "12.8", "13" and a NUL */

/* Each reads one sign and writes "12" or "12.8"; false, and out "", where it says nothing about CUDA. */

/* A soname or DLL name: a major, by the component's own numbering. auditwheel names a bundled runtime after its file
 * (libcudart-HASH.so.12.0.107), which tells the minor too. */
bool cuda_from_needed(const char *soname, char out[CUDA_VERSION_MAX]);

/* The major of a CUDA version in which `component` ("cudart", "cufft") has `major`; 0 where it does not tell. */
unsigned cuda_component_major(const char *component, unsigned major);

/* A Requires-Dist as written; *optional is set when it belongs to an extra. */
bool cuda_from_requires(const char *requirement, char out[CUDA_VERSION_MAX], bool *optional);

/* The local part of a version: "2.15.0+cu128". */
bool cuda_from_local_version(const char *version, char out[CUDA_VERSION_MAX]);

/* A project or file name: "cupy-cuda12x", "spconv-cu120", "libbitsandbytes_cuda121.so". */
bool cuda_from_name(const char *name, char out[CUDA_VERSION_MAX]);

/* The text of torch/version.py, paddle/version/__init__.py, tensorflow's build_info.py, xformers' cpp_lib.json. */
bool cuda_from_version_file(struct view text, char out[CUDA_VERSION_MAX]);

/* The first CUDA toolkit that writes this PTX ISA. */
bool cuda_from_ptx_isa(unsigned major, unsigned minor, char out[CUDA_VERSION_MAX]);

/* Writes "12.8", or "12" where minor is negative; false outside 1..99. */
bool cuda_version_put(unsigned major, int minor, char out[CUDA_VERSION_MAX]);

/* "118" is 11.8, "12" is 12, "92" is 9.2: `length` digits without a dot. */
bool cuda_from_digits(const char *digits, size_t length, char out[CUDA_VERSION_MAX]);

struct cuda_verdict {
  char version[CUDA_VERSION_MAX]; /* "" unknown */
  bool conflict;
};

/* Fill evidence, cuda and cuda_conflict of a record, from needed, static_runtime, images and path. The value of
 * "static-runtime" is "": it shows no version. Call once. */
void library_decide_cuda(struct cuw_library *l);

/* The same for a distribution, whose libraries are decided: first what it says of itself, then its libraries' evidence
 * (that of loose images and of archive members once a value). local_version: a version with a local part from
 * elsewhere, NULL for none; version_files: values of cuda_from_version_file. */
void distribution_evidence(struct arena *a, struct cuw_distribution *d, const char **requires, size_t requires_count,
                           const char *local_version, const char **version_files, size_t version_file_count);

#endif
