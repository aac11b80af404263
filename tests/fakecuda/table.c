/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *line)
{
  fprintf(stderr, "fakecuda: what is this line? %s\n", line);
  exit(99);
}

static void copy(char *to, const char *from)
{
  snprintf(to, TEXT_MAX, "%.*s", (int)strcspn(from, "\n"), from);
}

static void read_action(struct rule *r, const char *word, int number, int second)
{
  static const char *const words[] = {
      [ACT_REFUSE] = "refuse", [ACT_ACCEPT] = "accept", [ACT_AS] = "as",       [ACT_HANG] = "hang",
      [ACT_CRASH] = "crash",   [ACT_BREAK] = "break",   [ACT_SPOIL] = "spoil", [ACT_LAUNCH] = "launch"};
  for (int i = ACT_REFUSE; i <= ACT_LAUNCH; i++)
    if (strcmp(words[i], word) == 0)
      r->action = (enum action)i;
  r->number = number;
  r->second = second;
}

static void read_line(struct table *t, const char *line)
{
  char first[TEXT_MAX] = "", second[TEXT_MAX] = "", third[TEXT_MAX] = "";
  int a = 0, b = 0, used = 0;
  if (sscanf(line, "%95s %95s %95s", first, second, third) < 1 || first[0] == '#')
    return;
  if (strcmp(first, "cuda") == 0) {
    t->cuda = atoi(second);
  } else if (strcmp(first, "isa") == 0 && sscanf(second, "%d.%d", &a, &b) == 2) {
    t->isa = a * 10 + b;
  } else if (strcmp(first, "device") == 0 && t->device_count < DEVICES_MAX &&
             sscanf(line, "device %d.%d %n", &a, &b, &used) == 2 && used) {
    t->devices[t->device_count].cc = a * 10 + b;
    copy(t->devices[t->device_count++].name, line + used);
  } else if (strcmp(first, "drop") == 0 && t->dropped_count < RULES_MAX) {
    copy(t->dropped[t->dropped_count++], second);
  } else if (strcmp(first, "plain") == 0 && t->plain_count < RULES_MAX) {
    copy(t->plain[t->plain_count++], second);
  } else if (strcmp(first, "spoil") == 0) {
    t->spoil = true;
  } else if (strcmp(first, "on") == 0 && t->image_count < RULES_MAX) {
    struct rule *r = &t->images[t->image_count++];
    copy(r->word, second);
    sscanf(line, "%*s %*s %*s %d %d", &a, &b);
    read_action(r, third, a, b);
    if (r->action == ACT_NONE)
      give_up(line);
  } else if (t->call_count < RULES_MAX) {
    struct rule *r = &t->calls[t->call_count++];
    copy(r->word, second);
    read_action(r, strcmp(first, "fail") == 0 ? "refuse" : first, atoi(third), 0);
    if (r->action != ACT_REFUSE && r->action != ACT_HANG && r->action != ACT_CRASH)
      give_up(line);
  }
}

void table_read(struct table *t)
{
  char line[512];
  const char *path = getenv("FAKECUDA_TABLE");
  memset(t, 0, sizeof *t);
  t->cuda = 12080;
  t->isa = 999;
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) {
    fprintf(stderr, "fakecuda: FAKECUDA_TABLE names no file\n");
    exit(99);
  }
  while (fgets(line, sizeof line, file))
    read_line(t, line);
  fclose(file);
}
