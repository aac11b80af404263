/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/check.h"

const char *cuw_result_name(enum cuw_result result)
{
  switch (result) {
  case CUW_RESULT_NO_GPU_CODE:
    return "no-gpu-code";
  case CUW_RESULT_GATED:
    return "gated";
  case CUW_RESULT_NATIVE:
    return "native";
  case CUW_RESULT_JIT:
    return "jit";
  case CUW_RESULT_PARTIAL:
    return "partial";
  case CUW_RESULT_NONE:
    return "none";
  case CUW_RESULT_UNKNOWN:
    break;
  }
  return "unknown";
}

const char *cuw_cause_name(enum cuw_cause cause)
{
  switch (cause) {
  case CUW_CAUSE_NOTHING:
    break;
  case CUW_CAUSE_ARCHITECTURE:
    return "architecture";
  case CUW_CAUSE_DRIVER_TOO_OLD:
    return "driver-too-old";
  case CUW_CAUSE_PTX_ISA:
    return "ptx-isa";
  case CUW_CAUSE_JIT:
    return "jit";
  case CUW_CAUSE_OTHER_CHIPS:
    return "other-chips";
  case CUW_CAUSE_UNREADABLE:
    return "unreadable";
  }
  return NULL;
}
