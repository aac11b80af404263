/* SPDX-License-Identifier: Apache-2.0 */
/* The files are those of NVIDIA's Linux driver (its README, "The /proc Interface"): gpus/BUS-ADDRESS/information has a
 * line "Model: NAME", and version a line "NVRM version: ... 570.124.06 ...". */
#include "cuwheel/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX 4096
#define GPUS_MAX 1024

/* The start of a small file as a string; false where it cannot be read. */
static bool read_start(const char *path, char text[FILE_MAX])
{
  size_t length = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  ssize_t n;
  while (length < FILE_MAX - 1 && (n = read(fd, text + length, FILE_MAX - 1 - length)) > 0)
    length += (size_t)n;
  close(fd);
  text[length] = '\0';
  return length > 0;
}

/* What stands behind `key` at the start of a line, without blanks around it; cuts the text there. */
static char *value_of(char *text, const char *key)
{
  size_t length = strlen(key);
  for (char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) != 0)
      continue;
    char *value = line + length + strspn(line + length, " \t");
    value[strcspn(value, "\n")] = '\0';
    for (size_t end = strlen(value); end > 0 && strchr(" \t\r", value[end - 1]); end--)
      value[end - 1] = '\0';
    return value;
  }
  return NULL;
}

static void read_version(const char *folder, struct cuw_machine *m)
{
  char path[FILE_MAX], text[FILE_MAX], *save = NULL;
  snprintf(path, sizeof path, "%s/version", folder);
  char *line = read_start(path, text) ? value_of(text, "NVRM version:") : NULL;
  char *word = line ? strtok_r(line, " \t", &save) : NULL;
  for (; word && !m->driver_text[0]; word = strtok_r(NULL, " \t", &save)) {
    if (!strchr(word, '.') || strlen(word) >= sizeof m->driver_text || !cuw_driver_parse(word, &m->driver))
      continue;
    memcpy(m->driver_text, word, strlen(word) + 1);
  }
}

static bool add_model(struct cuw_machine *m, const char *model)
{
  char **grown = realloc(m->models, (m->model_count + 1) * sizeof *grown);
  if (!grown)
    return false;
  m->models = grown;
  m->models[m->model_count] = strdup(model);
  return m->models[m->model_count++] != NULL;
}

static int skip_dots(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static bool read_gpus(const char *folder, struct cuw_machine *m)
{
  char path[FILE_MAX], text[FILE_MAX];
  struct dirent **entries = NULL;
  snprintf(path, sizeof path, "%s/gpus", folder);
  int count = scandir(path, &entries, skip_dots, alphasort);
  bool good = true;
  for (int i = 0; i < count; i++) {
    int length = snprintf(path, sizeof path, "%s/gpus/%s/information", folder, entries[i]->d_name);
    char *model = length < (int)sizeof path && read_start(path, text) ? value_of(text, "Model:") : NULL;
    if (model && *model && good && m->model_count < GPUS_MAX)
      good = add_model(m, model);
    free(entries[i]);
  }
  free(entries);
  return good;
}

bool cuw_machine_read(const char *folder, struct cuw_machine *out)
{
  *out = (struct cuw_machine){.has_driver = access(folder, F_OK) == 0};
  if (!out->has_driver)
    return true;
  read_version(folder, out);
  if (read_gpus(folder, out))
    return true;
  cuw_machine_free(out);
  return false;
}

void cuw_machine_free(struct cuw_machine *machine)
{
  for (size_t i = 0; i < machine->model_count; i++)
    free(machine->models[i]);
  free(machine->models);
  *machine = (struct cuw_machine){0};
}
