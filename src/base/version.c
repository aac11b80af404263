/* SPDX-License-Identifier: Apache-2.0 */
#include "cuwheel/version.h"

const char *cuw_version(void)
{
  return PACKAGE_VERSION;
}
