/* SPDX-License-Identifier: Apache-2.0 */
/* What the stand-in was told to do; README.md. */
#ifndef FAKECUDA_TABLE_H
#define FAKECUDA_TABLE_H

#include <stdbool.h>

#define DEVICES_MAX 8
#define RULES_MAX 64
#define TEXT_MAX 96

enum action { ACT_NONE, ACT_REFUSE, ACT_ACCEPT, ACT_AS, ACT_HANG, ACT_CRASH, ACT_BREAK, ACT_SPOIL, ACT_LAUNCH };

struct rule {
  char word[TEXT_MAX]; /* a call, an architecture, or "none" */
  enum action action;
  int number, second; /* an error; two versions */
};

struct table {
  int cuda, isa;
  struct {
    int cc;
    char name[TEXT_MAX];
  } devices[DEVICES_MAX];
  int device_count;
  struct rule calls[RULES_MAX], images[RULES_MAX];
  int call_count, image_count;
  char dropped[RULES_MAX][TEXT_MAX], plain[RULES_MAX][TEXT_MAX];
  int dropped_count, plain_count;
  bool spoil;
};

/* Reads the file that FAKECUDA_TABLE names. A line that it does not know ends the process. */
void table_read(struct table *t);

#endif
