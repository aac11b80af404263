/* SPDX-License-Identifier: Apache-2.0 */
/* Write images, decompressed, as files of their own. */
#ifndef CUWHEEL_EXTRACT_H
#define CUWHEEL_EXTRACT_H

#include "cuwheel/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuw_extract_options {
  const char *folder; /* to write into; made where it does not exist and its parent does */
  bool force;         /* replace files that exist */
  bool cubin, ptx;    /* kinds to write */
  const struct cuw_arch_choice
      *arch;                    /* by number and suffix alone: "sm_90" and "compute_90" are the same here; NULL: all */
  uint32_t fatbin;              /* of each library; CUW_NO_FATBIN: all, and bare images */
  const char *const *libraries; /* globs, as for cuw_library_matches */
  size_t library_count;         /* 0: all */
};

struct cuw_extracted {
  struct cuw_input *input; /* with the problems of opened images */
  char **names;            /* files written, in the folder, sorted */
  size_t name_count;
  char **existing; /* files that were there and were left alone */
  size_t existing_count;
  int error;        /* errno of the first file (or folder) that could not be written; 0 */
  char *error_name; /* that file; NULL for the folder */
};

/* Writes the images of `path`. A file is there whole or not at all. Where one that would be written exists, nothing is
 * written (from standard input, which is read once, the others are). NULL: out of memory. Free with cuw_extracted_free.
 */
struct cuw_extracted *cuw_extract(const char *path, const struct cuw_inspect_options *inspect,
                                  const struct cuw_extract_options *options);
void cuw_extracted_free(struct cuw_extracted *extracted);

/* The name of an image's file: LIBRARY.fFATBIN.PLACE.ARCH.cubin or .ptx, PLACE counting the images of the fatbin from
 * 0; LIBRARY.OFFSET.ARCH.cubin for one outside a fatbin. '/' of the library's path is '+', other bytes than letters,
 * digits and "._-" are %XX. The caller frees it; NULL: out of memory. */
char *cuw_extract_name(const struct cuw_library *library, size_t image);

#ifdef __cplusplus
}
#endif
#endif
