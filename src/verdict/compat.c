/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/compat.h"

/* Larger than any number that a toolkit could write, smaller than what damage leaves there. */
#define NUMBER_MAX 999u

unsigned arch_chip(unsigned number)
{
  return number == 101 ? 110 : number;
}

static bool is_tegra(unsigned number)
{
  const struct cuw_gpu_arch *arch = cuw_gpu_arch_find(number);
  return arch && arch->tegra;
}

/* Same major version, and not before it. Families are sets of one major version (docs/format.md 9.1), so this is
 * the rule of `f` too. */
static bool same_major_at_least(unsigned code, unsigned device)
{
  return device / 10 == code / 10 && device % 10 >= code % 10;
}

static bool cubin_fits(struct cuw_arch arch, unsigned device)
{
  unsigned code = arch_chip(arch.number);
  /* Tegra and desktop cubins do not mix: programming guide, binary compatibility; an sm_80 cubin on Orin gives "no
   * kernel image" (jax pull request 40492). */
  if (arch.suffix == 'a' || is_tegra(code) || is_tegra(device))
    return code == device;
  return same_major_at_least(code, device);
}

/* docs/format.md 9.1, what ptxas accepts. */
static bool ptx_fits(struct cuw_arch arch, unsigned device)
{
  unsigned code = arch_chip(arch.number);
  if (arch.suffix == 'a')
    return code == device;
  if (arch.suffix == 'f')
    return same_major_at_least(code, device);
  return device >= code;
}

bool image_fits_device(const struct cuw_image *image, unsigned number)
{
  if (!image->has_arch || image->arch.number < 10 || image->arch.number > NUMBER_MAX)
    return false;
  if (image->kind == CUW_KIND_CUBIN)
    return cubin_fits(image->arch, number);
  if (image->kind == CUW_KIND_PTX)
    return ptx_fits(image->arch, number);
  return false; /* LTO-IR and Tile IR are not loadable by themselves */
}

bool image_fits(const struct cuw_image *image, const struct target *target)
{
  if (!image_fits_device(image, target->number))
    return false;
  return image->kind != CUW_KIND_PTX ||
         driver_knows_isa(target->driver, target->os, image->isa_major, image->isa_minor);
}
