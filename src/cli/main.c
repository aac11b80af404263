/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cuwheel/probe.h"
#include "cuwheel/version.h"
#include "cuwheel/write.h"

static const struct command {
  const char *name;
  const char *arguments;
  const char *summary;
  const char *text;
  unsigned bit;
  int (*run)(const struct options *);
} commands[] = {
    {"inspect", "PATH...", "list the GPU code in wheels, environments, folders and files",
     "Lists every library with the GPU code in it: cubins and PTX by architecture,\n"
     "and the CUDA version that built them. PATH is a wheel, an installed environment,\n"
     "a folder, or a file (.so .dll .pyd .a .lib .o .cubin .fatbin .ptx ...);\n"
     "- reads a wheel from standard input. Nothing is unpacked, run or installed.\n",
     COMMAND_INSPECT, cmd_inspect},
    {"check", "PATH...", "judge whether it runs on a GPU, with a driver",
     "Judges each library fatbin by fatbin, as the driver would choose: native (runs as it\n"
     "is), jit (runs once the driver has compiled PTX), partial (some functions fail) or\n"
     "none. Each library that is not native is named, with what it lacks and what a build\n"
     "that works would hold. 'cuwheel gpus' lists the GPUs that --gpu knows. --live also\n"
     "asks the driver of this machine, as probe does.\n",
     COMMAND_CHECK, cmd_check},
    {"gpus", "[NAME...]", "list the GPUs: compute capability, CUDA versions, names",
     "Lists every compute capability with its architecture, the first and the last CUDA\n"
     "toolkit that compiles for it, and the names of products. NAME shows one row.\n",
     COMMAND_GPUS, cmd_gpus},
    {"kernels", "PATH...", "list the kernels of GPU code, and what each needs",
     "Opens the images and lists every kernel (entry function) of every fatbin: the\n"
     "architectures that have it, registers, static shared memory, stack, and the\n"
     "most threads a block that it was compiled for.\n",
     COMMAND_KERNELS, cmd_kernels},
    {"extract", "-o FOLDER PATH", "write images, decompressed, as files",
     "Writes cubins and PTX of one PATH, decompressed, into a folder, a file each, named\n"
     "by library, fatbin, place in it and architecture, and lists the files. --arch goes\n"
     "by number and suffix: sm_90 and compute_90 are the same; --kind tells them apart.\n"
     "Where a file is there already, nothing is written, unless --force is given.\n",
     COMMAND_EXTRACT, cmd_extract},
    {"probe", "PATH...", "load the GPU code on this machine's GPUs, against what is predicted",
     "Hands each fatbin to this machine's CUDA driver, runs a kernel of its own beside it,\n"
     "and holds what the driver did against what was predicted. PATH is as for inspect.\n"
     "A load that crashes or hangs costs that one image. Exit status 1: something did not\n"
     "go as predicted; 3 also: there is no driver, or something could not be tried.\n",
     COMMAND_PROBE, cmd_probe},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static const char exit_words[] = "Exit status: 0 all was read (check: and nothing fails), 1 a verdict of check fails,\n"
                                 "2 the command line is wrong, 3 an input could not be read whole or the report\n"
                                 "not be written.\n";

static void print_usage(FILE *file)
{
  fprintf(file, "Usage: cuwheel [COMMAND] [OPTION...] PATH...\n"
                "Tells which GPU code CUDA wheels and libraries hold, and where it runs.\n\nCommands:\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(file, "  %-10s %s%s\n", commands[i].name, commands[i].summary, i == 0 ? " (default)" : "");
  fprintf(file, "  %-10s print the help of a command\n", "help");
}

static int print_help(void)
{
  print_usage(stdout);
  printf("\nOptions:\n");
  options_print(stdout, COMMAND_EVERY);
  printf("\n%s", exit_words);
  return STATUS_OK;
}

static int print_command_help(const struct command *command)
{
  printf("Usage: cuwheel %s [OPTION...] %s\n\n%s\nOptions:\n", command->name, command->arguments, command->text);
  options_print(stdout, command->bit);
  printf("\n%s", exit_words);
  return STATUS_OK;
}

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

static int unknown_command(const char *word)
{
  const char *names[COMMAND_COUNT + 1];
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i].name;
  names[COMMAND_COUNT] = "help";
  const char *near = nearest_word(word, names, COMMAND_COUNT + 1);
  fprintf(stderr, "cuwheel: '%s' is neither a command nor a file", word);
  if (near)
    fprintf(stderr, "; did you mean '%s'?\n", near);
  else
    fprintf(stderr, "; see cuwheel --help\n");
  return STATUS_USAGE;
}

static int help_on(const struct options *options)
{
  if (options->word_count == 0)
    return print_help();
  const struct command *command = find_command(options->words[0]);
  return command ? print_command_help(command) : unknown_command(options->words[0]);
}

/* A path that is missing is an input that cannot be read; a bare word is more likely a command
 * that does not exist. */
static bool looks_like_command(const char *word)
{
  struct stat st;
  return strcmp(word, "-") != 0 && !strpbrk(word, "/.") && lstat(word, &st) != 0;
}

/* Puts a first word that is no command back among the paths. */
static void take_as_path(struct options *options)
{
  for (size_t i = options->word_count; i > 0; i--)
    options->words[i] = options->words[i - 1];
  options->words[0] = (char *)options->command;
  options->word_count++;
  options->command = NULL;
}

static bool format_fits(const struct options *options, unsigned command_bit)
{
  if (command_bit == COMMAND_CHECK)
    return options_format_fits(options, cuw_check_format_name);
  if (command_bit == COMMAND_GPUS)
    return options_format_fits(options, cuw_gpus_format_name);
  if (command_bit & COMMAND_PROBE)
    return options_format_fits(options, cuw_probe_format_name);
  return options_format_fits(options, cuw_writer_format_name);
}

static int dispatch(struct options *options)
{
  const struct command *command = options->command ? find_command(options->command) : NULL;
  if (options->version) {
    printf("cuwheel %s\n", cuw_version());
    return STATUS_OK;
  }
  if (options->help)
    return command ? print_command_help(command) : print_help();
  if (options->command && strcmp(options->command, "help") == 0)
    return help_on(options);
  if (options->command && !command) {
    if (looks_like_command(options->command))
      return unknown_command(options->command);
    take_as_path(options);
  }
  if (!command && options->word_count == 0) {
    print_usage(stderr);
    fprintf(stderr, "\ncuwheel --help says more.\n");
    return STATUS_USAGE;
  }
  if (!command)
    command = &commands[0];
  if (!options_fit(options, command->bit, command->name) || !format_fits(options, command->bit))
    return STATUS_USAGE;
  return command->run(options);
}

/* Buffers of opened images are large and few: each in pages of its own returns to the system when it is freed. What is
 * smaller comes and goes with every image and stays with the process. Measured on vllm 0.33.0: a fifth less memory. */
static void give_large_buffers_back(void)
{
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

/* Without it the next file or pipe that is opened would be taken for standard error. */
static void open_standard_descriptors(void)
{
  int fd;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
}

int main(int argc, char **argv)
{
  open_standard_descriptors();
  /* A reader that goes away shows as EPIPE and a size limit as EFBIG, so that temporary files are still cleaned up. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  give_large_buffers_back();
  /* Reading a zip directory turns the time of each member into a number; without TZ, the C library looks for the local
   * time zone's file each time. No time is ever shown. */
  setenv("TZ", "UTC0", 1);
  struct options options;
  int status = STATUS_USAGE;
  if (options_parse(&options, argc, argv))
    status = dispatch(&options);
  options_free(&options);
  return status;
}
