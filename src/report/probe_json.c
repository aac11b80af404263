/* SPDX-License-Identifier: Apache-2.0 */
/* Observations as one JSON document; docs/schema/probe-1.json. An observation a line. */
#include <stdio.h>

#include "cuwheel/gpu.h"
#include "report/emit.h"
#include "report/json_records.h"
#include "report/probe_writer.h"

/* "12.8"; null where the number is 0. */
static void emit_key_version(struct emit *e, const char *key, unsigned number)
{
  char text[CUW_CC_MAX];
  emit_key_string(e, key, number ? cuw_cc_text(number, text) : NULL);
}

static void emit_devices(struct emit *e, const struct cuw_probe *probe)
{
  size_t count;
  const struct cuw_probe_device *devices = cuw_probe_devices(probe, &count);
  emit_line(e, 1);
  emit_key(e, "devices");
  emit_open(e, '[');
  for (size_t i = 0; i < count; i++) {
    emit_open(e, '{');
    emit_key_uint(e, "device", devices[i].ordinal);
    emit_key_string(e, "name", devices[i].name);
    emit_key_version(e, "cc", devices[i].cc);
    emit_key_bool(e, "probed", devices[i].wanted);
    emit_close(e, '}');
  }
  emit_close(e, ']');
}

void probe_json_begin(struct cuw_probe_writer *w)
{
  struct emit e = {w->out, true, false};
  emit_document_head(&e, "cuwheel/probe/1");
  emit_key(&e, "driver");
  emit_open(&e, '{');
  emit_key_version(&e, "cuda", cuw_probe_cuda(w->probe));
  emit_key_string(&e, "version", cuw_probe_driver(w->probe));
  emit_close(&e, '}');
  emit_devices(&e, w->probe);
  emit_line(&e, 1);
  emit_inputs_open(&e);
}

static void emit_key_image(struct emit *e, const char *key, const struct cuw_probe_image *image)
{
  char name[CUW_ARCH_NAME_MAX];
  emit_key(e, key);
  if (!image->known) {
    emit_null(e);
    return;
  }
  emit_open(e, '{');
  emit_key_uint(e, "offset", image->offset);
  emit_key_string(e, "kind", cuw_kind_name((enum cuw_kind)image->kind));
  emit_key_string(e, "arch", cuw_arch_name(image->arch, name));
  emit_close(e, '}');
}

static void emit_key_error(struct emit *e, const char *key, const struct cuw_probe_error *error)
{
  emit_key(e, key);
  if (error->number == 0) {
    emit_null(e);
    return;
  }
  emit_open(e, '{');
  emit_key_uint(e, "number", error->number);
  emit_key_string(e, "name", error->name);
  emit_key_string(e, "text", error->text);
  emit_key_string(e, "call", error->call);
  emit_close(e, '}');
}

static void emit_predicted(struct emit *e, const struct cuw_observation *o)
{
  emit_key(e, "predicted");
  if (o->device == CUW_NO_DEVICE) {
    emit_null(e);
    return;
  }
  emit_open(e, '{');
  emit_key_bool(e, "loads", o->loads);
  emit_key_image(e, "image", &o->predicted);
  emit_key_string(e, "reason", o->why_not);
  emit_close(e, '}');
}

static void emit_key_time(struct emit *e, const char *key, uint64_t microseconds)
{
  emit_key_maybe(e, key, microseconds, CUW_NONE);
}

static void emit_functions(struct emit *e, const struct cuw_observation *o)
{
  emit_key_maybe(e, "functions", o->functions, CUW_NONE);
  emit_key_uint(e, "declared", o->declared);
  emit_key_uint(e, "missing", o->missing);
  emit_key(e, "missing_names");
  emit_open(e, '[');
  for (size_t i = 0; i < o->missing_name_count; i++)
    emit_string(e, o->missing_names[i]);
  emit_close(e, ']');
  emit_key_version(e, "binary_version", o->binary);
  emit_key_version(e, "ptx_version", o->ptx);
}

static void emit_observed(struct emit *e, const struct cuw_observation *o)
{
  emit_key(e, "observed");
  if (o->device == CUW_NO_DEVICE) {
    emit_null(e);
    return;
  }
  emit_open(e, '{');
  emit_key_string(e, "outcome", cuw_probe_outcome_name(o->outcome));
  emit_key_error(e, "error", &o->error);
  emit_key_string(e, "log", o->log);
  emit_key_time(e, "load_us", o->load_time);
  emit_key_time(e, "jit_us", o->jit_time);
  emit_functions(e, o);
  emit_key_image(e, "image", &o->took);
  emit_key_string(e, "kernel", cuw_probe_kernel_name(o->kernel));
  emit_key_uint(e, "launched", o->launched);
  emit_key_uint(e, "not_launched", o->not_launched);
  emit_key_error(e, "launch_error", &o->launch_error);
  emit_key_string(e, "launch_name", o->launch_name);
  emit_close(e, '}');
}

static void emit_evidence(struct emit *e, const struct cuw_probe_evidence *v)
{
  emit_key(e, "evidence");
  if (!v) {
    emit_null(e);
    return;
  }
  emit_open(e, '{');
  emit_key_string(e, "sha256", v->sha256);
  emit_key_uint(e, "size", v->size);
  emit_key_string(e, "image_sha256", v->image_sha256[0] ? v->image_sha256 : NULL);
  emit_key_maybe(e, "image_size", v->image_size, 0);
  emit_key_string(e, "entry_header", v->header[0] ? v->header : NULL);
  emit_close(e, '}');
}

static void emit_observation(struct emit *e, const struct cuw_probe *probe, const struct cuw_observation *o)
{
  size_t count;
  const struct cuw_probe_device *devices = cuw_probe_devices(probe, &count);
  emit_open(e, '{');
  emit_key_maybe(e, "device", o->device == CUW_NO_DEVICE ? CUW_NONE : devices[o->device].ordinal, CUW_NONE);
  emit_key_string(e, "distribution", o->distribution);
  emit_key_string(e, "library", o->library);
  emit_key_maybe(e, "fatbin", o->fatbin, CUW_NO_FATBIN);
  emit_key_uint(e, "offset", o->offset);
  emit_key_string(e, "role", cuw_role_name((enum cuw_role)o->role));
  emit_key_string(e, "method", cuw_probe_method_name(o->method));
  emit_key_image(e, "image", &o->image);
  emit_key_string(e, "finding", cuw_probe_finding_name(o->finding));
  emit_key_string(e, "reason", o->reason);
  emit_predicted(e, o);
  emit_observed(e, o);
  emit_evidence(e, o->evidence);
  emit_close(e, '}');
}

void probe_json_input(struct cuw_probe_writer *w, const struct cuw_probed *probed)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_input_open(&e, probed->input, "observations");
  for (size_t i = 0; i < probed->count; i++) {
    emit_line(&e, 4);
    emit_observation(&e, w->probe, &probed->observations[i]);
  }
  emit_input_close(&e, probed->input);
}

void probe_json_end(struct cuw_probe_writer *w)
{
  struct emit e = {w->out, true, w->inputs > 0};
  emit_close_lines(&e, ']', 1);
  emit_line(&e, 1);
  emit_key(&e, "summary");
  emit_open(&e, '{');
  emit_key_uint(&e, "agrees", w->counts.agrees);
  emit_key_uint(&e, "disagrees", w->counts.disagrees);
  emit_key_uint(&e, "not_tried", w->counts.untried);
  emit_key_uint(&e, "not_applicable", w->counts.not_applicable);
  emit_close(&e, '}');
  out_char(w->out, '\n');
  emit_close(&e, '}');
  out_char(w->out, '\n');
}
