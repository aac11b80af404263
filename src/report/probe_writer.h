/* SPDX-License-Identifier: Apache-2.0 */
/* What cuw_probe_writer is to its two formats. */
#ifndef REPORT_PROBE_WRITER_H
#define REPORT_PROBE_WRITER_H

#include "cuwheel/probe.h"

struct cuw_probe_writer {
  struct cuw_out *out;
  struct cuw_write_options options;
  const struct cuw_probe *probe;
  struct cuw_probe_counts counts;
  size_t inputs;
  bool json;
};

void probe_json_begin(struct cuw_probe_writer *w);
void probe_json_input(struct cuw_probe_writer *w, const struct cuw_probed *probed);
void probe_json_end(struct cuw_probe_writer *w);

void probe_table_begin(struct cuw_probe_writer *w);
void probe_table_input(struct cuw_probe_writer *w, const struct cuw_probed *probed);
void probe_table_end(struct cuw_probe_writer *w);

/* A disagreement with all that a report of it needs. */
void probe_table_bug_report(struct cuw_probe_writer *w, const struct cuw_probed *probed,
                            const struct cuw_observation *o);

#endif
