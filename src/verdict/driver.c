/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/driver.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct isa_row {
  uint16_t isa;          /* 87 is 8.7 */
  uint16_t cuda;         /* 128 is 12.8 */
  const char *driver[2]; /* by enum cuw_os: the toolkit's own; NULL where it is not established */
};

/* docs/format.md 8; below 6.5 and 9.3: "PTX Release History" in NVIDIA's PTX ISA manual. */
static const struct isa_row isa_rows[] = {
    {40, 60, {NULL, NULL}},
    {41, 65, {NULL, NULL}},
    {42, 70, {NULL, NULL}},
    {43, 75, {NULL, NULL}},
    {50, 80, {NULL, NULL}},
    {60, 90, {NULL, NULL}},
    {61, 91, {NULL, NULL}},
    {62, 92, {NULL, NULL}},
    {63, 100, {NULL, NULL}},
    {64, 101, {NULL, NULL}},
    {65, 102, {"440.33", "441.22"}},
    {70, 110, {"450.51.05", "451.48"}},
    {71, 111, {"455.23", "456.38"}},
    {72, 112, {"460.27.03", "460.82"}},
    {73, 113, {"465.19.01", "465.89"}},
    {74, 114, {"470.42.01", "471.11"}},
    {75, 115, {"495.29.05", "496.04"}},
    {76, 116, {"510.39.01", "511.23"}},
    {77, 117, {"515.43.04", "516.01"}},
    {78, 118, {"520.61.05", "520.06"}},
    {80, 120, {"525.60.13", "527.41"}},
    {81, 121, {"530.30.02", "531.14"}},
    {82, 122, {"535.54.03", "536.25"}},
    {83, 123, {"545.23.06", "545.84"}},
    {84, 124, {"550.54.14", "551.61"}},
    {85, 125, {"555.42.02", "555.85"}},
    {86, 127, {"565", "565"}},
    {87, 128, {"570.26", "570.65"}},
    {88, 129, {"575.51.03", "576.02"}},
    {90, 130, {"580.65.06", NULL}},
    {91, 131, {"590.44.01", NULL}},
    {92, 132, {NULL, NULL}},
    {93, 133, {NULL, NULL}},
    {94, 134, {NULL, NULL}},
    {95, 135, {NULL, NULL}},
};

struct branch_row {
  uint16_t cuda;
  const char *driver;
};

/* Driver branches by the CUDA that they support, where the table above has no number: "PTX Release History" names
 * r560 (12.6), r580, r590, r595 and r610. */
static const struct branch_row branches[] = {{126, "560"}, {130, "580"}, {131, "590"}, {132, "595"}, {133, "610"}};
#define LAST_BRANCH 610u

struct floor_row {
  unsigned major;
  const char *driver[2];
};

/* docs/format.md 8, minor-version compatibility. */
static const struct floor_row floors[] = {
    {11, {"450.80.02", "452.39"}},
    {12, {"525.60.13", "528.33"}},
    {13, {"580", "580"}},
};

static bool parse_parts(const char *text, struct cuw_driver *out)
{
  memset(out, 0, sizeof *out);
  for (;;) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || out->part_count == CUW_DRIVER_PARTS)
      return false;
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++)
      value = value * 10 + (unsigned)(text[i] - '0');
    out->part[out->part_count++] = value;
    text += digits;
    if (*text == '\0')
      return true;
    if (*text++ != '.')
      return false;
  }
}

bool cuw_driver_parse(const char *text, struct cuw_driver *out)
{
  /* A two-digit number is a CUDA version, not a driver's. */
  if (parse_parts(text, out) && out->part[0] >= 100)
    return true;
  memset(out, 0, sizeof *out);
  return false;
}

bool cuw_cuda_parse(const char *text, unsigned *cuda)
{
  struct cuw_driver parts;
  if (!parse_parts(text, &parts) || parts.part_count > 3)
    return false;
  if (parts.part[0] < 1 || parts.part[0] > 99 || parts.part[1] > 9)
    return false;
  *cuda = parts.part[0] * 10 + parts.part[1];
  return true;
}

/* Compared by the components that were given: 525.60 meets 525.60.13. */
static bool driver_meets(const struct cuw_driver *d, const char *least)
{
  struct cuw_driver other;
  if (!parse_parts(least, &other))
    return false;
  unsigned n = d->part_count < other.part_count ? d->part_count : other.part_count;
  for (unsigned i = 0; i < n; i++) {
    if (d->part[i] != other.part[i])
      return d->part[i] > other.part[i];
  }
  return true;
}

unsigned cuw_driver_cuda(const struct cuw_driver *d, enum cuw_os os, bool *at_least)
{
  *at_least = false;
  if (d->part_count == 0)
    return d->cuda;
  *at_least = d->part[0] > LAST_BRANCH;
  unsigned cuda = 0;
  for (size_t i = 0; i < sizeof isa_rows / sizeof *isa_rows; i++) {
    const char *own = isa_rows[i].driver[os];
    if (own && driver_meets(d, own))
      cuda = isa_rows[i].cuda;
  }
  for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
    bool exact = os == CUW_OS_LINUX && (branches[i].cuda == 130 || branches[i].cuda == 131);
    if (!exact && branches[i].cuda > cuda && driver_meets(d, branches[i].driver))
      cuda = branches[i].cuda;
  }
  return cuda;
}

static const struct isa_row *find_isa(unsigned major, unsigned minor)
{
  for (size_t i = 0; i < sizeof isa_rows / sizeof *isa_rows; i++) {
    if (minor < 10 && isa_rows[i].isa == major * 10 + minor)
      return &isa_rows[i];
  }
  return NULL;
}

unsigned isa_cuda(unsigned major, unsigned minor)
{
  const struct isa_row *row = find_isa(major, minor);
  return row ? row->cuda : 0;
}

bool driver_knows_isa(const struct cuw_driver *d, enum cuw_os os, unsigned major, unsigned minor)
{
  if (!driver_is_given(d))
    return true;
  bool at_least;
  unsigned cuda = cuw_driver_cuda(d, os, &at_least);
  if (at_least) /* no number says that it does not */
    return true;
  unsigned needed = isa_cuda(major, minor);
  if (needed)
    return needed <= cuda;
  /* An ISA that no table has: older than the first row is old enough, anything else is too new. */
  return major < 4;
}

const char *driver_for_isa(unsigned major, unsigned minor, enum cuw_os os, char out[DRIVER_TEXT_MAX])
{
  const struct isa_row *row = find_isa(major, minor);
  if (row && row->driver[os])
    snprintf(out, DRIVER_TEXT_MAX, "%s", row->driver[os]);
  else if (row)
    snprintf(out, DRIVER_TEXT_MAX, "a driver for CUDA %u.%u", row->cuda / 10u, row->cuda % 10u);
  else
    snprintf(out, DRIVER_TEXT_MAX, "a driver that knows PTX ISA %u.%u", major, minor);
  return out;
}

const char *driver_floor(unsigned cuda_major, enum cuw_os os)
{
  for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
    if (floors[i].major == cuda_major)
      return floors[i].driver[os];
  }
  return NULL;
}

bool driver_is_too_old(const struct cuw_driver *d, enum cuw_os os, unsigned cuda_major, unsigned cuda)
{
  if (!driver_is_given(d) || cuda_major == 0)
    return false;
  if (d->part_count == 0)
    return d->cuda / 10 < cuda_major;
  const char *floor = driver_floor(cuda_major, os);
  if (!floor || driver_meets(d, floor))
    return false;
  /* A toolkit's own driver runs it, also where it is older than the floor of its major: 11.0 on 450.51. */
  bool at_least;
  return cuda == 0 || cuw_driver_cuda(d, os, &at_least) < cuda;
}
