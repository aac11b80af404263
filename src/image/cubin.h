/* SPDX-License-Identifier: Apache-2.0 */
/* Cubins: architecture, extent, producer, kernels; docs/format.md section 4. Pure decoding. */
#ifndef IMAGE_CUBIN_H
#define IMAGE_CUBIN_H

#include "base/view.h"
#include "cuwheel/image.h"

#define CUBIN_HEADER_SIZE 64u /* enough for cubin_header_decode, ELF64 (ELF32: 52) */

struct cubin_header {
  struct cuw_arch arch; /* suffix from e_flags only: `a` may also stand in .nv.compat (ABI 8) */
  uint8_t abi;          /* 7 or 8 by OSABI 0x33 / 0x41 */
  uint8_t bits;         /* 32 or 64 */
  bool relocatable;     /* ET_REL */
  uint16_t toolkit;     /* toolkit * 10, ABI 7 only; else 0 */
  uint64_t section_offset;
  uint16_t section_count, section_size, section_names;
  uint64_t program_offset;
  uint16_t program_count, program_size;
};

/* false: no ELF for e_machine 190 with OSABI 0x33 or 0x41 in the first 64 bytes. */
bool cubin_header_decode(struct view v, struct cubin_header *out);

/* Bytes of the whole cubin by its header (docs/format.md 4: max of both tables' ends); 0 when that overflows
 * or the tables are absent. */
uint64_t cubin_extent(const struct cubin_header *h);

/* `.nv.compat` attribute 9: 1 when `a`, 0 when plain, -1 when the attribute is absent (docs/format.md 2.7). */
int compat_accelerator(struct view compat);

/* What a whole cubin says of itself. Reads through libelf. */
struct cubin_facts {
  struct cuw_arch arch; /* with the suffix where it is recorded */
  bool suffix_unknown;  /* sm >= 100 and not `a`: may be `f` */
  bool relocatable;
  char toolkit[8];    /* "13.0", "" unknown */
  char arch_note[24]; /* "sm_100f" from the -arch of the producer's note, "" none */
};
/* false: not a readable cubin (damaged tables cost only what they hold: arch is still given when the header is
 * sound, then the result is true and *damage names what is wrong, else NULL). `*damage` is a static string. */
bool cubin_facts_read(struct view image, struct cubin_facts *out, const char **damage);

/* Calls `each` with every kernel (FUNC symbol with STO_CUDA_ENTRY); name is not NUL-terminated safe memory of the
 * image. Stops when `each` returns false. Returns the number seen, -1 when the symbol table cannot be read. */
long cubin_kernels(struct view image, bool (*each)(void *data, struct view name), void *data);

#endif
