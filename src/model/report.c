/* SPDX-License-Identifier: Apache-2.0 */
#include "model/report.h"

struct cuw_input *input_new(const char *path, enum cuw_input_kind kind)
{
  struct arena *a = arena_new();
  if (a == NULL)
    return NULL;
  struct cuw_input *input = arena_alloc(a, sizeof *input);
  char *name = arena_string(a, path);
  if (arena_failed(a)) {
    arena_free(a);
    return NULL;
  }
  input->arena = a;
  input->path = name;
  input->kind = kind;
  return input;
}

void cuw_input_free(struct cuw_input *input)
{
  if (input == NULL)
    return;
  for (size_t i = 0; i < input->distribution_count; i++)
    for (size_t k = 0; k < input->distributions[i].library_count; k++)
      cuw_library_free(input->distributions[i].libraries[k]);
  arena_free(input->arena);
}

bool cuw_input_is_damaged(const struct cuw_input *input)
{
  for (size_t i = 0; i < input->problem_count; i++)
    if (input->problems[i].severity == CUW_ERROR)
      return true;
  return false;
}

const char *cuw_input_kind_name(enum cuw_input_kind kind)
{
  switch (kind) {
  case CUW_INPUT_WHEEL:
    return "wheel";
  case CUW_INPUT_ENVIRONMENT:
    return "environment";
  case CUW_INPUT_FOLDER:
    return "folder";
  case CUW_INPUT_FILE:
    break;
  }
  return "file";
}
