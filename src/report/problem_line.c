/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out.h"

#include <inttypes.h>

static const char *severity_color(enum cuw_severity severity)
{
  switch (severity) {
  case CUW_ERROR:
    return "\033[31m";
  case CUW_WARNING:
    return "\033[33m";
  case CUW_NOTE:
    break;
  }
  return "\033[36m";
}

void cuw_write_problem(struct cuw_out *out, const struct cuw_problem *problem, bool color)
{
  cuw_out_string(out, "cuwheel: ");
  if (color)
    cuw_out_string(out, severity_color(problem->severity));
  cuw_out_string(out, cuw_severity_name(problem->severity));
  cuw_out_string(out, color ? ":\033[0m " : ": ");
  if (problem->path)
    cuw_out_name(out, problem->path);
  if (problem->member) {
    out_char(out, '(');
    cuw_out_name(out, problem->member);
    out_char(out, ')');
  }
  if (problem->offset != CUW_NONE)
    cuw_out_printf(out, "+0x%" PRIx64, problem->offset);
  if (problem->path || problem->member)
    cuw_out_string(out, ": ");
  cuw_out_name(out, problem->message);
  cuw_out_printf(out, " [%s]\n", problem->code);
  if (problem->hint) {
    cuw_out_string(out, "  hint: ");
    cuw_out_name(out, problem->hint);
    out_char(out, '\n');
  }
}
