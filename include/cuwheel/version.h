/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUWHEEL_VERSION_H
#define CUWHEEL_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, "0.1.0". */
const char *cuw_version(void);

#ifdef __cplusplus
}
#endif
#endif
