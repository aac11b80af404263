/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 1024

/* Each setter returns false when the value is wrong, after it has said what is right. */

/* Which formats there are depends on the command: options_format_fits. */
static bool set_format(struct options *o, const char *value)
{
  o->format = value;
  return true;
}

static bool set_output(struct options *o, const char *value)
{
  if (!*value) {
    fprintf(stderr, "cuwheel: --output takes the name of a file, or - for standard output\n");
    return false;
  }
  o->output = strcmp(value, "-") == 0 ? NULL : value;
  return true;
}

static bool set_color(struct options *o, const char *value)
{
  static const char *const names[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], value) == 0) {
      o->color = (enum color_when)i;
      return true;
    }
  fprintf(stderr, "cuwheel: --color takes auto, always or never, not '%s'\n", value);
  return false;
}

static bool set_jobs(struct options *o, const char *value)
{
  char *end;
  errno = 0;
  unsigned long jobs = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || jobs < 1 || jobs > JOBS_MAX) {
    fprintf(stderr, "cuwheel: --jobs takes a number of threads from 1 to %d, not '%s'\n", JOBS_MAX, value);
    return false;
  }
  o->jobs = (unsigned)jobs;
  return true;
}

static bool set_quiet(struct options *o, const char *value)
{
  (void)value;
  return o->quiet = true;
}

static bool set_verbose(struct options *o, const char *value)
{
  (void)value;
  return o->verbose = true;
}

static bool set_help(struct options *o, const char *value)
{
  (void)value;
  return o->help = true;
}

static bool set_version(struct options *o, const char *value)
{
  (void)value;
  return o->version = true;
}

static bool set_verify(struct options *o, const char *value)
{
  (void)value;
  return o->verify = true;
}

static bool set_ahead(struct options *o, const char *value)
{
  (void)value;
  return o->ahead = true;
}

static bool set_force(struct options *o, const char *value)
{
  (void)value;
  return o->force = true;
}

/* "4096", "64K", "512M", "2G": bytes. */
static bool set_max_image_size(struct options *o, const char *value)
{
  static const char units[] = "KMG";
  char *end;
  errno = 0;
  unsigned long long size = strtoull(value, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
  end += unit != NULL;
  if (*value < '0' || *value > '9' || *end || errno || size == 0 || size > ULLONG_MAX >> shift) {
    fprintf(stderr, "cuwheel: --max-image-size takes a number of bytes, such as 4096, 512M or 2G, not '%s'\n", value);
    return false;
  }
  o->max_image_size = size << shift;
  return true;
}

static bool set_arch(struct options *o, const char *value)
{
  o->arch = value;
  if (cuw_arch_choice_parse(value, &o->arch_choice))
    return true;
  fprintf(stderr, "cuwheel: --arch takes an architecture such as sm_90, sm_90a, compute_90 or 9.0, not '%s'\n", value);
  return false;
}

static bool set_match(struct options *o, const char *value)
{
  o->match = value;
  return true;
}

static bool set_library(struct options *o, const char *value)
{
  o->library = value;
  return true;
}

static bool set_kind(struct options *o, const char *value)
{
  if (strcmp(value, "cubin") != 0 && strcmp(value, "ptx") != 0) {
    fprintf(stderr, "cuwheel: --kind takes cubin or ptx, not '%s'\n", value);
    return false;
  }
  o->kind = value;
  return true;
}

static bool set_fatbin(struct options *o, const char *value)
{
  char *end;
  errno = 0;
  unsigned long number = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || number >= CUW_NO_FATBIN) {
    fprintf(stderr, "cuwheel: --fatbin takes the number of a fatbin, from 0, not '%s'\n", value);
    return false;
  }
  o->fatbin = (unsigned)number;
  o->has_fatbin = true;
  return true;
}

static const struct row {
  char letter; /* 0: none */
  const char *name;
  const char *argument; /* NULL: takes no value */
  const char *help;
  unsigned commands;
  bool (*set)(struct options *, const char *value);
} table[] = {
    {'f', "format", "FORMAT", "table (for people), json, jsonl, csv; check, gpus: markdown",
     COMMAND_EVERY & ~COMMAND_EXTRACT, set_format},
    {0, "gpu", "GPU[,GPU...]", "\"RTX 5090\", sm_120, 12.0; all; this (the default): this machine's", COMMAND_CHECK,
     set_gpu},
    {0, "driver", "VERSION", "version of the driver, such as 570.124", COMMAND_CHECK, set_driver},
    {0, "driver-cuda", "VERSION", "or the CUDA version that it supports, such as 12.8", COMMAND_CHECK, set_driver_cuda},
    {0, "cuda", "VERSION", "CUDA version that chooses among variants of a library", COMMAND_CHECK, set_cuda},
    {0, "strict", NULL, "fail also on gated and specialised fatbins", COMMAND_CHECK, set_strict},
    {0, "no-jit", NULL, "fail also where PTX has to be compiled", COMMAND_CHECK, set_no_jit},
    {0, "fail-on", "RESULT", "partial (the default) or none: the least that fails", COMMAND_CHECK, set_fail_on},
    {0, "require-library", "GLOB", "fail if such a library is partial or none, loaded or not", COMMAND_CHECK,
     set_required},
    {0, "ignore-library", "GLOB", "leave such libraries out of the exit status", COMMAND_CHECK, set_ignored},
    {0, "bytes", NULL, "count the bytes that serve the GPU and that never will", COMMAND_CHECK, set_bytes},
    {0, "kernels", NULL, "name the kernels that would fail, in groups; opens every image", COMMAND_CHECK, set_kernels},
    {'o', "output", "FILE", "write to FILE, which appears only when it is whole; extract: a folder", COMMAND_EVERY,
     set_output},
    {0, "verify", NULL, "open every image and check it against its entry", COMMAND_INSPECT, set_verify},
    {0, "ahead", NULL, "let a free thread decode a large member ahead, from a guessed place", COMMAND_INSPECT,
     set_ahead},
    {0, "arch", "ARCH", "only code for sm_90 (cubins), compute_90 (PTX) or 9.0 (both)",
     COMMAND_KERNELS | COMMAND_EXTRACT, set_arch},
    {0, "match", "REGEX", "only kernels whose name, demangled or not, matches", COMMAND_KERNELS, set_match},
    {0, "library", "GLOB", "only libraries whose name matches", COMMAND_KERNELS | COMMAND_EXTRACT, set_library},
    {0, "kind", "KIND", "cubin or ptx", COMMAND_EXTRACT, set_kind},
    {0, "fatbin", "N", "only of this fatbin of each library", COMMAND_EXTRACT, set_fatbin},
    {0, "force", NULL, "replace files that exist", COMMAND_EXTRACT, set_force},
    {0, "max-image-size", "SIZE", "open no image larger than SIZE bytes (K, M, G; default 1G)", COMMANDS_THAT_OPEN,
     set_max_image_size},
    {0, "live", NULL, "with --gpu=this: load it all on this machine's GPUs, too", COMMAND_CHECK, set_live},
    {0, "device", "N[,N...]", "only on these devices (default: all)", COMMAND_PROBE, set_device},
    {0, "each-image", NULL, "also each cubin and PTX of a fatbin alone", COMMAND_PROBE, set_each_image},
    {0, "launch", NULL, "also launch kernels that take no parameters", COMMAND_PROBE, set_launch},
    {0, "timeout", "SECONDS", "give an image up after this time (default 60)", COMMAND_PROBE, set_timeout},
    {0, "unsafe", NULL, "hand damaged images to the driver too", COMMAND_PROBE, set_unsafe},
    {'v', "verbose", NULL, "list every image and library, and where the CUDA version shows", COMMAND_EVERY,
     set_verbose},
    {'q', "quiet", NULL, "no notes, warnings or progress on standard error", COMMANDS_THAT_READ, set_quiet},
    {'j', "jobs", "N", "threads to use (default: one a core, at most 8)", COMMANDS_THAT_READ, set_jobs},
    {0, "color", "WHEN", "auto (on a terminal, unless NO_COLOR is set), always or never", COMMAND_EVERY, set_color},
    {'h', "help", NULL, "print this help", COMMAND_EVERY, set_help},
    {'V', "version", NULL, "print the version", COMMAND_EVERY, set_version},
};
#define ROW_COUNT (sizeof table / sizeof *table)
#define FIRST_VALUE 256 /* getopt_long returns this and the row's number */

static const struct row *row_by_letter(int letter)
{
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (letter && table[i].letter == letter)
      return &table[i];
  return NULL;
}

static const struct row *row_of(int value)
{
  return value >= FIRST_VALUE ? &table[value - FIRST_VALUE] : row_by_letter(value);
}

static void print_unknown(const char *word)
{
  const char *names[ROW_COUNT];
  for (size_t i = 0; i < ROW_COUNT; i++)
    names[i] = table[i].name;
  const char *near = strncmp(word, "--", 2) == 0 ? nearest_word(word + 2, names, ROW_COUNT) : NULL;
  fprintf(stderr, "cuwheel: there is no option '%s'", word);
  if (near)
    fprintf(stderr, "; did you mean --%s?\n", near);
  else
    fprintf(stderr, "; cuwheel --help lists them\n");
}

/* What getopt_long complains of, in words that name the right form. */
static void print_mistake(int value, const char *word)
{
  const struct row *row = row_of(optopt);
  char letters[] = {'-', (char)optopt, 0};
  if (row && value == ':')
    fprintf(stderr, "cuwheel: --%s takes a value: --%s=%s\n", row->name, row->name, row->argument);
  else if (row)
    fprintf(stderr, "cuwheel: --%s takes no value\n", row->name);
  else
    print_unknown(optopt && strncmp(word, "--", 2) != 0 ? letters : word);
}

static void make_getopt(struct option longs[ROW_COUNT + 1], char letters[2 * ROW_COUNT + 3])
{
  char *at = letters;
  *at++ = '-'; /* words come in their order, as value 1 */
  *at++ = ':';
  for (size_t i = 0; i < ROW_COUNT; i++) {
    int has_value = table[i].argument ? required_argument : no_argument;
    longs[i] = (struct option){table[i].name, has_value, NULL, FIRST_VALUE + (int)i};
    if (!table[i].letter)
      continue;
    *at++ = table[i].letter;
    if (table[i].argument)
      *at++ = ':';
  }
  *at = 0;
  longs[ROW_COUNT] = (struct option){0};
}

bool options_parse(struct options *options, int argc, char **argv)
{
  *options = (struct options){.format = "table"};
  options->words = calloc((size_t)argc + 1, sizeof *options->words);
  if (!options->words) {
    fprintf(stderr, "cuwheel: out of memory\n");
    return false;
  }
  struct option longs[ROW_COUNT + 1];
  char letters[2 * ROW_COUNT + 3];
  make_getopt(longs, letters);
  opterr = 0;
  int value;
  while ((value = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
    if (value == 1 && !options->command && !options->word_count) {
      options->command = optarg;
      continue;
    }
    if (value == 1) {
      options->words[options->word_count++] = optarg;
      continue;
    }
    if (value == '?' || value == ':') {
      print_mistake(value, argv[optind - 1]);
      return false;
    }
    const struct row *row = row_of(value);
    options->used |= 1ull << (row - table);
    if (!row->set(options, optarg))
      return false;
  }
  while (optind < argc)
    options->words[options->word_count++] = argv[optind++];
  return true;
}

void options_free(struct options *options)
{
  free(options->words);
  check_choice_free(&options->check);
}

bool options_fit(const struct options *options, unsigned command_bit, const char *command)
{
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (options->used & 1ull << i && !(table[i].commands & command_bit)) {
      fprintf(stderr, "cuwheel: '%s' takes no --%s; see cuwheel help %s\n", command, table[i].name, command);
      return false;
    }
  return true;
}

bool options_format_fits(const struct options *options, const char *(*format_name)(size_t index))
{
  const char *name;
  for (size_t i = 0; (name = format_name(i)); i++)
    if (strcmp(name, options->format) == 0)
      return true;
  fprintf(stderr, "cuwheel: --format takes ");
  for (size_t i = 0; (name = format_name(i)); i++)
    fprintf(stderr, "%s%s", i == 0 ? "" : format_name(i + 1) ? ", " : " or ", name);
  fprintf(stderr, ", not '%s'\n", options->format);
  return false;
}

void options_print(FILE *file, unsigned command_bit)
{
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const struct row *row = &table[i];
    if (!(row->commands & command_bit))
      continue;
    char form[40], letter[8] = "    ";
    if (row->letter)
      snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(form, sizeof form, "%s--%s%s%s", letter, row->name, row->argument ? "=" : "",
             row->argument ? row->argument : "");
    fprintf(file, "  %-22s %s\n", form, row->help);
  }
}
