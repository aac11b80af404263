/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_TABLE_IMAGES_H
#define REPORT_TABLE_IMAGES_H

#include "report/writer.h"

/* Every image of a library, a line each, indented below it. */
void table_images(struct cuw_writer *w, const struct cuw_library *library);

#endif
