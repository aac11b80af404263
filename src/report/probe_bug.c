/* SPDX-License-Identifier: Apache-2.0 */
/* A disagreement as text to paste into a bug report: nothing in it but what the driver and the bytes said. */
#include "cuwheel/gpu.h"
#include "cuwheel/version.h"
#include "report/out.h"
#include "report/probe_writer.h"

static void put_image(struct cuw_out *out, const char *label, const struct cuw_probe_image *image)
{
  char name[CUW_ARCH_NAME_MAX];
  if (image->known)
    cuw_out_printf(out, "  %s: %s %s at 0x%llx\n", label, cuw_kind_name((enum cuw_kind)image->kind),
                   cuw_arch_name(image->arch, name), (unsigned long long)image->offset);
}

static void put_error(struct cuw_out *out, const struct cuw_probe_error *error)
{
  if (error->number == 0)
    return;
  cuw_out_string(out, "  error: ");
  cuw_out_name(out, error->call);
  cuw_out_printf(out, " gives %u ", error->number);
  cuw_out_name(out, error->name);
  cuw_out_string(out, ": ");
  cuw_out_name(out, error->text);
  out_char(out, '\n');
}

static void put_where(struct cuw_probe_writer *w, const struct cuw_probed *probed, const struct cuw_observation *o)
{
  char cc[CUW_CC_MAX], cuda[CUW_CC_MAX];
  size_t count;
  const struct cuw_probe_device *d = &cuw_probe_devices(w->probe, &count)[o->device];
  const char *driver = cuw_probe_driver(w->probe);
  cuw_out_printf(w->out, "  cuwheel %s, driver for CUDA %s (", cuw_version(),
                 cuw_cc_text(cuw_probe_cuda(w->probe), cuda));
  cuw_out_name(w->out, driver ? driver : "version unknown");
  cuw_out_string(w->out, "), device ");
  cuw_out_name(w->out, d->name);
  cuw_out_printf(w->out, " %s\n  input: ", cuw_cc_text(d->cc, cc));
  cuw_out_name(w->out, probed->input->path);
  cuw_out_string(w->out, "\n  library: ");
  cuw_out_name(w->out, o->library);
  cuw_out_printf(w->out, ", %s %s at 0x%llx, method %s\n", cuw_role_name((enum cuw_role)o->role),
                 o->fatbin == CUW_NO_FATBIN ? "image" : "fatbin", (unsigned long long)o->offset,
                 cuw_probe_method_name(o->method));
}

static void put_evidence(struct cuw_out *out, const struct cuw_probe_evidence *e)
{
  char name[CUW_ARCH_NAME_MAX];
  const struct cuw_image *image = e->image;
  cuw_out_printf(out, "  handed over: %llu bytes, SHA-256 %s\n", (unsigned long long)e->size, e->sha256);
  if (!image)
    return;
  cuw_out_printf(out, "  image: %s %s at 0x%llx", cuw_kind_name((enum cuw_kind)image->kind),
                 cuw_arch_name(image->arch, name), (unsigned long long)image->offset);
  if (e->image_sha256[0])
    cuw_out_printf(out, ", %llu bytes, SHA-256 %s", (unsigned long long)e->image_size, e->image_sha256);
  out_char(out, '\n');
  if (image->has_entry)
    cuw_out_printf(out, "  entry: type 0x%x, flags 0x%llx, %s, payload %llu, size %llu\n  header: %s\n", image->type,
                   (unsigned long long)image->flags, cuw_compression_name((enum cuw_compression)image->compression),
                   (unsigned long long)image->payload_size, (unsigned long long)image->size, e->header);
}

void probe_table_bug_report(struct cuw_probe_writer *w, const struct cuw_probed *probed,
                            const struct cuw_observation *o)
{
  struct cuw_out *out = w->out;
  cuw_out_string(out, "\nto report this:\n");
  put_where(w, probed, o);
  if (o->loads)
    cuw_out_string(out, "  predicted: loads\n");
  else
    cuw_out_printf(out, "  predicted: does not load: %s\n", o->why_not ? o->why_not : "");
  put_image(out, "predicted image", &o->predicted);
  cuw_out_printf(out, "  observed: %s; ", cuw_probe_outcome_name(o->outcome));
  cuw_out_name(out, o->reason ? o->reason : "");
  out_char(out, '\n');
  put_image(out, "observed image", &o->took);
  if (o->binary)
    cuw_out_printf(out, "  functions: binary version %u, PTX version %u\n", o->binary, o->ptx);
  put_error(out, &o->error);
  put_error(out, &o->launch_error);
  if (o->log) {
    cuw_out_string(out, "  log: ");
    cuw_out_name(out, o->log);
    out_char(out, '\n');
  }
  for (size_t i = 0; i < o->missing_name_count; i++) {
    cuw_out_string(out, "  not found: ");
    cuw_out_name(out, o->missing_names[i]);
    out_char(out, '\n');
  }
  if (o->evidence)
    put_evidence(out, o->evidence);
  out_char(out, '\n');
}
