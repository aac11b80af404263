/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 64

/* Letters to insert, delete or replace to make `b` of `a` (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
  size_t columns = strlen(b), row[WORD_MAX + 1];
  for (size_t j = 0; j <= columns; j++)
    row[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= columns; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best)
        best = row[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[columns];
}

size_t word_distance(const char *a, const char *b)
{
  return strlen(b) > WORD_MAX || strlen(a) > 4 * WORD_MAX ? SIZE_MAX : distance(a, b);
}

const char *nearest_word(const char *word, const char *const *choices, size_t count)
{
  const char *nearest = NULL;
  size_t best = 3;
  if (strlen(word) > WORD_MAX)
    return NULL;
  for (size_t i = 0; i < count; i++) {
    if (strlen(choices[i]) > WORD_MAX)
      continue;
    size_t d = strncmp(word, choices[i], strlen(word)) == 0 ? 1 : distance(word, choices[i]);
    if (d < best && d < strlen(choices[i])) {
      best = d;
      nearest = choices[i];
    }
  }
  return nearest;
}
