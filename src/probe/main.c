/* SPDX-License-Identifier: Apache-2.0 */
/* cuwheel-probe: the only program of cuwheel that touches the CUDA driver. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuwheel/version.h"
#include "probe/serve.h"
#include "probe/test_kernel.h"

enum { STATUS_OK = 0, STATUS_USAGE = 2, STATUS_NOTHING = 3 };

static void print_help(FILE *file)
{
  fprintf(file, "Usage: cuwheel-probe --devices | --kernel | --serve | --version\n"
                "Asks the CUDA driver of this machine for cuwheel.\n\n"
                "  --devices  a line for each GPU: number, compute capability, CUDA version of\n"
                "             the driver, version of the kernel driver (-: unknown), name;\n"
                "             tabs between them\n"
                "  --kernel   print the PTX of the kernel that is run after each load\n"
                "  --serve    answer frames on standard input and output\n"
                "             (docs/probe-protocol.md); cuwheel starts it so\n"
                "  --version  print the version\n"
                "  --help     print this help\n\n"
                "Exit status: 0 done, 1 the other side did not keep to the protocol,\n"
                "2 the command line is wrong, 3 there is no driver or no GPU, or it does not\n"
                "tell what one is.\n");
}

static int no_driver(struct cuda *cuda, const char *reason)
{
  fprintf(stderr, "cuwheel-probe: %s\n", reason);
  driver_close(cuda);
  return STATUS_NOTHING;
}

static int print_devices(void)
{
  struct cuda cuda;
  char reason[DRIVER_REASON_MAX], version[64];
  if (!driver_open(&cuda, reason))
    return no_driver(&cuda, reason);
  int count = driver_device_count(&cuda, reason);
  if (count == 0)
    return no_driver(&cuda, reason);
  unsigned newest = driver_cuda_version(&cuda);
  driver_kernel_version(version, sizeof version);
  int status = STATUS_OK;
  for (int i = 0; i < count; i++) {
    struct driver_device device;
    struct probe_error error;
    if (driver_device(&cuda, i, &device, &error)) {
      printf("%d\t%u.%u\t%u.%u\t%s\t%s\n", i, device.cc / 10, device.cc % 10, newest / 10, newest % 10,
             version[0] ? version : "-", device.name);
      continue;
    }
    fprintf(stderr, "cuwheel-probe: device %d: %s gives %u %s\n", i, error.call, error.number, error.name);
    status = STATUS_NOTHING;
  }
  driver_close(&cuda);
  return status;
}

/* Frames go to a descriptor of their own: what a driver prints must not stand between them. */
static int serve_standard(void)
{
  int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    perror("cuwheel-probe");
    return STATUS_NOTHING;
  }
  int status = serve(STDIN_FILENO, out);
  close(out);
  return status;
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN);
  const char *word = argc == 2 ? argv[1] : "";
  if (strcmp(word, "--serve") == 0)
    return serve_standard();
  if (strcmp(word, "--devices") == 0)
    return print_devices();
  if (strcmp(word, "--kernel") == 0)
    return fputs(test_kernel_ptx, stdout) < 0;
  if (strcmp(word, "--version") == 0)
    return printf("cuwheel-probe %s\n", cuw_version()) < 0;
  if (strcmp(word, "--help") == 0) {
    print_help(stdout);
    return STATUS_OK;
  }
  print_help(stderr);
  return STATUS_USAGE;
}
