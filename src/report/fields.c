/* SPDX-License-Identifier: Apache-2.0 */
#include "report/fields.h"

#include <stdio.h>

static void set_string(struct field_value *v, const char *string)
{
  v->type = string ? VALUE_STRING : VALUE_NULL;
  v->string = string;
}

static void set_uint(struct field_value *v, uint64_t number, bool known)
{
  v->type = known ? VALUE_UINT : VALUE_NULL;
  v->number = number;
}

static void get_fatbin(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->fatbin, i->fatbin != CUW_NO_FATBIN);
}

static void get_role(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, cuw_role_name(i->role));
}

static void get_section(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->section);
}

static void get_offset(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->offset, true);
}

static void get_kind(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, cuw_kind_name(i->kind));
}

static void get_arch(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->has_arch ? cuw_arch_name(i->arch, v->small) : NULL);
}

static void get_ptx_isa(const struct cuw_image *i, struct field_value *v)
{
  snprintf(v->small, sizeof v->small, "%u.%u", i->isa_major, i->isa_minor);
  set_string(v, i->kind == CUW_KIND_PTX ? v->small : NULL);
}

static void get_compression(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, cuw_compression_name(i->compression));
}

static void get_stored_size(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->stored_size, i->stored_size != CUW_NONE);
}

static void get_size(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->size, i->size != CUW_NONE);
}

static void get_bits(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->bits, i->bits != 0);
}

static void get_host(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, cuw_host_name(i->host));
}

static void get_debug(const struct cuw_image *i, struct field_value *v)
{
  v->type = i->debug < 0 ? VALUE_NULL : VALUE_BOOL;
  v->number = i->debug > 0;
}

static void get_flags(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->flags, i->has_entry);
}

static void get_identifier(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->identifier);
}

static void get_options(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->options);
}

static void get_toolkit(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->toolkit);
}

static void get_type(const struct cuw_image *i, struct field_value *v)
{
  set_uint(v, i->type, i->kind == CUW_KIND_OTHER);
}

static void get_suffix(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->suffix_unknown ? "unknown" : NULL);
}

static void get_cubin_arch(const struct cuw_image *i, struct field_value *v)
{
  struct cuw_arch arch = i->arch;
  arch.suffix = 'a';
  set_string(v, i->cubin_specific ? cuw_arch_name(arch, v->small) : NULL);
}

static void get_arch_note(const struct cuw_image *i, struct field_value *v)
{
  set_string(v, i->arch_note);
}

static const struct {
  const char *name;
  void (*get)(const struct cuw_image *, struct field_value *);
  bool extra;
} fields[] = {
    {"fatbin", get_fatbin, false},
    {"role", get_role, false},
    {"section", get_section, false},
    {"offset", get_offset, false},
    {"kind", get_kind, false},
    {"arch", get_arch, false},
    {"ptx_isa", get_ptx_isa, false},
    {"compression", get_compression, false},
    {"stored_size", get_stored_size, false},
    {"size", get_size, false},
    {"bits", get_bits, false},
    {"host", get_host, false},
    {"debug", get_debug, false},
    {"flags", get_flags, false},
    {"identifier", get_identifier, false},
    {"options", get_options, false},
    {"toolkit", get_toolkit, false},
    {"type", get_type, true},
    {"suffix", get_suffix, true},
    {"arch_note", get_arch_note, true},
    {"cubin_arch", get_cubin_arch, true},
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

const char *image_field_name(size_t index)
{
  return index < FIELD_COUNT ? fields[index].name : NULL;
}

bool image_field_is_extra(size_t index)
{
  return fields[index].extra;
}

void image_field(const struct cuw_image *image, size_t index, struct field_value *value)
{
  fields[index].get(image, value);
}
