/* SPDX-License-Identifier: Apache-2.0 */
/* Write records as a table, JSON, JSON lines, CSV or Markdown. */
#ifndef CUWHEEL_WRITE_H
#define CUWHEEL_WRITE_H

#include "cuwheel/checked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where output goes. The first failure stays: later writes do nothing, so that it is tested
 * once, at the end. */
struct cuw_out;

/* A file that appears under `path` only when cuw_out_close keeps it: until then a temporary
 * file in the same folder. A device or FIFO is written directly. NULL with errno set. */
struct cuw_out *cuw_out_file(const char *path);

/* An open descriptor, which stays open (standard output, standard error). NULL: no memory. */
struct cuw_out *cuw_out_fd(int fd);

/* The temporary file to remove when the process is interrupted; NULL where there is none. */
const char *cuw_out_temporary(const struct cuw_out *out);

/* errno of the first failure, or 0. */
int cuw_out_error(const struct cuw_out *out);

void cuw_out_bytes(struct cuw_out *out, const char *bytes, size_t length);
void cuw_out_string(struct cuw_out *out, const char *text);
void cuw_out_printf(struct cuw_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name from a wheel, made safe for a terminal: control bytes, invalid UTF-8 and characters
 * that reorder or hide text become \xNN. */
void cuw_out_name(struct cuw_out *out, const char *name);

/* Hands what is buffered to the system. */
void cuw_out_flush(struct cuw_out *out);

/* Writes what is left and, where `keep` and nothing failed, gives a file its name; else removes
 * it. Frees `out`. Returns errno of the first failure, or 0. */
int cuw_out_close(struct cuw_out *out, bool keep);

struct cuw_write_options {
  unsigned width; /* columns of the terminal; 0: lines are never wrapped */
  bool color;
  bool verbose; /* table: every image, every library */
};

/* One document in one format; inputs are written one after another. */
struct cuw_writer;

/* The name of format 0, 1 ...: "table", "json"; NULL behind the last. */
const char *cuw_writer_format_name(size_t index);

/* Starts a document. NULL: no such format (errno EINVAL), or no memory. */
struct cuw_writer *cuw_writer_new(const char *format, struct cuw_out *out, const struct cuw_write_options *options);

void cuw_writer_input(struct cuw_writer *writer, const struct cuw_input *input);

/* Ends the document and frees the writer; failures are those of its cuw_out. */
void cuw_writer_end(struct cuw_writer *writer);

/* One document of verdicts; inputs are written one after another. */
struct cuw_check_writer;

/* The name of format 0, 1 ...; NULL behind the last. */
const char *cuw_check_format_name(size_t index);

/* Starts a document. `check` is what the inputs are judged by, and outlives the writer. NULL: no such format (errno
 * EINVAL), or no memory. */
struct cuw_check_writer *cuw_check_writer_new(const char *format, struct cuw_out *out,
                                              const struct cuw_write_options *options,
                                              const struct cuw_check_options *check);

void cuw_check_writer_add(struct cuw_check_writer *writer, const struct cuw_checked *checked);

/* Where a probe of the same inputs writes to, in the same format (table or json), to stand at the end of the document.
 * NULL: out of memory. */
struct cuw_out *cuw_check_writer_live(struct cuw_check_writer *writer);

/* Ends the document and frees the writer; failures are those of its cuw_out. */
void cuw_check_writer_end(struct cuw_check_writer *writer);

/* The GPU table, or the rows of these numbers (in ascending order) where `count` is not 0. false: no such format. */
const char *cuw_gpus_format_name(size_t index);
bool cuw_write_gpus(const char *format, struct cuw_out *out, const struct cuw_write_options *options,
                    const unsigned *numbers, size_t count);

/* A problem as a line for people, its hint on a second one:
 * cuwheel: error: PATH(member)+0xOFFSET: message [code] */
void cuw_write_problem(struct cuw_out *out, const struct cuw_problem *problem, bool color);

#ifdef __cplusplus
}
#endif
#endif
