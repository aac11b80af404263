/* SPDX-License-Identifier: Apache-2.0 */
/* Answers frames until the other side closes. */
#ifndef PROBE_SERVE_H
#define PROBE_SERVE_H

/* Reads requests from `in` and writes answers to `out`. Returns an exit status: 0 when the other side closed, 1 when it
 * did not keep to the protocol or an answer could not be written. */
int serve(int in, int out);

#endif
