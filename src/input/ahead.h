/* SPDX-License-Identifier: Apache-2.0 */
/* One member on two cores: a thread decodes ahead from a guessed block start, and the forward pass, when it comes to
 * exactly that place, takes its output and state over. A guess that proves wrong costs the thread's time alone. */
#ifndef INPUT_AHEAD_H
#define INPUT_AHEAD_H

#include <stdatomic.h>

#include "input/inflate_stream.h"

/* Compressed bytes from which on a member is worth a second thread. */
#define AHEAD_MEMBER_LEAST ((uint64_t)8 << 20)

struct ahead;

/* Takes one of the `spare` threads, which ahead_free gives back; up to 15 MiB. The input's reader is used by both
 * threads. NULL: none is spare, the backend cannot begin amid a stream, or the system gives no memory or thread. */
struct ahead *ahead_new(const struct inflate_backend *backend, const struct stream_input *input, atomic_uint *spare);
void ahead_free(struct ahead *a); /* NULL is fine; the thread has ended afterwards */

/* inflate_stream_step for the forward pass; STREAM_OK also without new bytes. */
enum stream_status ahead_step(struct ahead *a, struct inflate_stream *st, uint64_t keep, size_t want,
                              struct input_error *error);

/* The stream's output ends amid bytes that were decoded ahead: more of them are there, and its state is not theirs. */
bool ahead_is_giving(const struct ahead *a);

/* Too few guesses came true: it should be freed, as the thread is better used elsewhere. */
bool ahead_is_useless(const struct ahead *a);

/* For tests: whether the thread has yet to find a start, and how many parts were taken over. */
bool ahead_is_searching(const struct ahead *a);
unsigned ahead_taken(const struct ahead *a);

#endif
