/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an image as JSON and CSV name them, in their order. */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include "cuwheel/image.h"

struct field_value {
  enum { VALUE_NULL, VALUE_STRING, VALUE_UINT, VALUE_BOOL } type;
  const char *string; /* of the record, or `small` */
  uint64_t number;
  char small[CUW_ARCH_NAME_MAX];
};

/* The name of field `index`; NULL behind the last. */
const char *image_field_name(size_t index);

/* Whether the field is left out of JSON where it is null: it says something only of a few images. */
bool image_field_is_extra(size_t index);

void image_field(const struct cuw_image *image, size_t index, struct field_value *value);

#endif
