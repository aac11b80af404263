/* SPDX-License-Identifier: Apache-2.0 */
#include "report/probe_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cuw_probe_format_name(size_t index)
{
  static const char *const names[] = {"table", "json"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

struct cuw_probe_writer *cuw_probe_writer_new(const char *format, struct cuw_out *out,
                                              const struct cuw_write_options *options, const struct cuw_probe *probe)
{
  bool json = strcmp(format, "json") == 0;
  if (!json && strcmp(format, "table") != 0) {
    errno = EINVAL;
    return NULL;
  }
  struct cuw_probe_writer *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  *w = (struct cuw_probe_writer){.out = out, .options = *options, .probe = probe, .json = json};
  if (json)
    probe_json_begin(w);
  else
    probe_table_begin(w);
  return w;
}

void cuw_probe_writer_input(struct cuw_probe_writer *w, const struct cuw_probed *probed)
{
  cuw_probe_count(probed, &w->counts);
  if (w->json)
    probe_json_input(w, probed);
  else
    probe_table_input(w, probed);
  w->inputs++;
}

void cuw_probe_writer_end(struct cuw_probe_writer *w)
{
  if (w->json)
    probe_json_end(w);
  else
    probe_table_end(w);
  free(w);
}
