/* SPDX-License-Identifier: Apache-2.0 */
/* The compute capabilities, one row each. A new GPU is one line here and its names in gpu_names.c.
 *
 * First toolkit: "PTX Release History" in NVIDIA's PTX ISA manual, the first public CUDA release with that target
 * (12.7, where sm_100 first stands, was never published). Last toolkit: docs/format.md 9.2 and, for 3.0 and 3.2, the
 * release notes of CUDA 11.0. Tegra: docs/format.md 9.1; 3.2 is Tegra K1 (NVIDIA's list of CUDA GPUs). 10.7: the
 * targets of ptxas 13.4. 11.0 stood as sm_101 in CUDA 12.8 and 12.9. Architecture names: the GPU feature list in
 * NVIDIA's nvcc manual. */
#include "cuwheel/gpu.h"

#include <stdio.h>

static const struct cuw_gpu_arch archs[] = {
    {30, "Kepler", false, 42, 102},    {32, "Kepler", true, 60, 102},     {35, "Kepler", false, 50, 118},
    {37, "Kepler", false, 65, 118},    {50, "Maxwell", false, 60, 129},   {52, "Maxwell", false, 65, 129},
    {53, "Maxwell", true, 70, 129},    {60, "Pascal", false, 80, 129},    {61, "Pascal", false, 80, 129},
    {62, "Pascal", true, 80, 129},     {70, "Volta", false, 90, 129},     {72, "Volta", true, 91, 129},
    {75, "Turing", false, 100, 0},     {80, "Ampere", false, 110, 0},     {86, "Ampere", false, 111, 0},
    {87, "Ampere", true, 114, 0},      {88, "Ampere", false, 130, 0},     {89, "Ada Lovelace", false, 118, 0},
    {90, "Hopper", false, 118, 0},     {100, "Blackwell", false, 128, 0}, {103, "Blackwell", false, 129, 0},
    {107, "Rubin", false, 134, 0},     {110, "Blackwell", true, 130, 0},  {120, "Blackwell", false, 128, 0},
    {121, "Blackwell", false, 129, 0},
};

const struct cuw_gpu_arch *cuw_gpu_archs(size_t *count)
{
  *count = sizeof archs / sizeof *archs;
  return archs;
}

const struct cuw_gpu_arch *cuw_gpu_arch_find(unsigned number)
{
  if (number == 101) /* docs/format.md 9.1: one chip, renamed by CUDA 13 */
    number = 110;
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
    if (archs[i].number == number)
      return &archs[i];
  }
  return NULL;
}

char *cuw_cc_text(unsigned number, char out[CUW_CC_MAX])
{
  snprintf(out, CUW_CC_MAX, "%u.%u", number / 10, number % 10);
  return out;
}
