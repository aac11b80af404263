/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: one table of options feeds the parser and --help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/options_check.h"
#include "cli/options_probe.h"
#include "cuwheel/kernels.h"

enum exit_status {
  STATUS_OK = 0,
  STATUS_VERDICT = 1, /* a verdict or policy fails, or nothing is what was asked for */
  STATUS_USAGE = 2,   /* the command line is wrong */
  STATUS_DAMAGED = 3, /* an input could not be read whole, or the report not be written whole */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
  const char *format;
  const char *output; /* NULL: standard output */
  enum color_when color;
  bool quiet;
  bool verbose;
  bool help;
  bool version;
  unsigned jobs; /* 0: one a core */

  bool verify;
  bool ahead;
  uint64_t max_image_size; /* bytes; 0: the default */
  const char *arch;        /* as given; NULL: any */
  struct cuw_arch_choice arch_choice;
  const char *match;   /* a regular expression; NULL: any name */
  const char *library; /* a glob; NULL: any */
  const char *kind;    /* "cubin" or "ptx"; NULL: not given */
  bool has_fatbin;
  unsigned fatbin;
  bool force;

  struct check_choice check;
  struct probe_choice probe;

  const char *command;     /* the first word of the line where it may be one; NULL: none */
  unsigned long long used; /* rows of the table that stood on the line, a bit each */
  char **words;            /* what is no option, `command` not among them */
  size_t word_count;
};

/* Commands that an option belongs to. */
enum command_bit {
  COMMAND_INSPECT = 1,
  COMMAND_CHECK = 1 << 1,
  COMMAND_GPUS = 1 << 2,
  COMMAND_KERNELS = 1 << 8,
  COMMAND_EXTRACT = 1 << 9,
  COMMANDS_THAT_READ = ~COMMAND_GPUS,
  COMMAND_PROBE = 1 << 16,
  COMMANDS_THAT_OPEN = COMMAND_INSPECT | COMMAND_CHECK | COMMAND_KERNELS | COMMAND_EXTRACT | COMMAND_PROBE,
  COMMAND_EVERY = ~0
};

/* Parses the line. False when it is wrong: a message was printed. Free with options_free. */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Whether every option on the line is one of the command's; else says which is not. */
bool options_fit(const struct options *options, unsigned command_bit, const char *command);

/* Whether the command writes the format that was asked for; else says which it writes. `name` gives each of them. */
bool options_format_fits(const struct options *options, const char *(*name)(size_t index));

/* The options of a command as --help lists them. */
void options_print(FILE *file, unsigned command_bit);

/* What was most likely meant by `word`: of few typing errors; NULL when nothing is near. */
const char *nearest_word(const char *word, const char *const *choices, size_t count);

/* Letters to insert, delete or replace to make one of the other; SIZE_MAX where they are too long to tell. */
size_t word_distance(const char *a, const char *b);

#endif
