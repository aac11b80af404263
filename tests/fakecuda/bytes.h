/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in's own reading of what it is given: no code of cuwheel is in it, so that both can be wrong apart. */
#ifndef FAKECUDA_BYTES_H
#define FAKECUDA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code {
  bool is_ptx, relocatable, newer; /* newer: flag bit 24 of the entry */
  int number;                      /* 90 */
  char suffix;                     /* 0, 'a', 'f' */
  int isa;                         /* PTX: 87 */
  unsigned char *bytes;            /* decompressed, with a NUL behind */
  size_t size;
};

/* The images in a container, a cubin or a PTX text; the caller frees them with codes_free. Returns how many; -1: it is
 * none of these, or damaged. */
int codes_read(const void *data, struct code **out);
void codes_free(struct code *codes, int count);

/* "sm_90a" */
void code_name(const struct code *c, char out[24]);

/* Names of its kernels, each NUL-terminated, a list that ends with NULL; free the list and its first element. NULL:
 * they cannot be read. */
char **code_kernels(const struct code *c, int *count);

#endif
