/* SPDX-License-Identifier: Apache-2.0 */
#include "live/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a process that closed its pipes may take to end, and one that was ended. */
#define LEAVE_MILLISECONDS 2000u
#define KILL_MILLISECONDS 10000u

extern char **environ;

/* What the environment must not say, because it changes which image a driver takes, and what it has to say. */
static const char *const removed[] = {"CUDA_FORCE_PTX_JIT=", "CUDA_DISABLE_PTX_JIT=", "CUDA_FORCE_JIT=",
                                      "CUDA_DISABLE_JIT=",   "CUDA_MODULE_LOADING=",  "CUDA_CACHE_DISABLE="};
static const char *const added[] = {"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1"};
#define REMOVED_COUNT (sizeof removed / sizeof *removed)
#define ADDED_COUNT (sizeof added / sizeof *added)

static bool is_removed(const char *variable)
{
  for (size_t i = 0; i < REMOVED_COUNT; i++)
    if (strncmp(variable, removed[i], strlen(removed[i])) == 0)
      return true;
  return false;
}

/* The strings stay those of the environment; the caller frees the array. */
static char **make_environment(void)
{
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **made = calloc(count + ADDED_COUNT + 1, sizeof *made);
  for (size_t i = 0; made && i < count; i++)
    if (!is_removed(environ[i]))
      made[kept++] = environ[i];
  for (size_t i = 0; made && i < ADDED_COUNT; i++)
    made[kept++] = (char *)added[i];
  return made;
}

static int spawn(pid_t *pid, const char *program, int in, int out)
{
  char *arguments[] = {(char *)program, (char *)"--serve", NULL};
  posix_spawn_file_actions_t actions;
  char **environment = make_environment();
  if (!environment)
    return ENOMEM;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0) {
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (error == 0)
      error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (error == 0)
      error = posix_spawn(pid, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
  }
  free(environment);
  return error;
}

bool child_start(struct child *c, const char *program, char *reason, size_t reason_size)
{
  int in[2], out[2] = {-1, -1};
  *c = (struct child){0, -1, -1};
  if (pipe2(in, O_CLOEXEC) != 0) {
    snprintf(reason, reason_size, "no pipe to '%s': %s", program, strerror(errno));
    return false;
  }
  int error = pipe2(out, O_CLOEXEC) != 0 ? errno : spawn(&c->pid, program, in[0], out[1]);
  close(in[0]);
  if (out[1] >= 0)
    close(out[1]);
  if (error) {
    close(in[1]);
    if (out[0] >= 0)
      close(out[0]);
    c->pid = 0;
    snprintf(reason, reason_size, "'%s' does not start: %s", program, strerror(error));
    return false;
  }
  c->to = in[1];
  c->from = out[0];
  fcntl(c->to, F_SETFL, O_NONBLOCK);
  fcntl(c->from, F_SETFL, O_NONBLOCK);
  return true;
}

static void close_pipes(struct child *c)
{
  if (c->to >= 0)
    close(c->to);
  if (c->from >= 0)
    close(c->from);
  c->to = c->from = -1;
}

static uint64_t milliseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* Whether the process ends in that time; *status: its wait status, -1 unknown. */
static bool ends_within(pid_t pid, uint64_t time, int *status)
{
  const struct timespec pause = {0, 2000000};
  for (uint64_t deadline = milliseconds() + time;;) {
    pid_t got = waitpid(pid, status, WNOHANG);
    if (got == pid)
      return true;
    *status = -1;
    if (got < 0 && errno != EINTR)
      return true;
    if (milliseconds() >= deadline)
      return false;
    nanosleep(&pause, NULL);
  }
}

/* Reaps the process, which is ended if it does not end by itself. Its wait status; -1 unknown, or it had to be ended.
 * One that a driver holds inside the kernel outlives even SIGKILL: it is not waited for any longer. */
static int reap(struct child *c, bool kill_it)
{
  int status = -1, ended;
  if (c->pid <= 0)
    return status;
  if (kill_it || !ends_within(c->pid, LEAVE_MILLISECONDS, &status)) {
    status = -1;
    kill(c->pid, SIGKILL);
    ends_within(c->pid, KILL_MILLISECONDS, &ended);
  }
  c->pid = 0;
  return status;
}

void child_end(struct child *c)
{
  close_pipes(c);
  reap(c, true);
}

/* Waits until the descriptor is ready. false: the time is over. */
static bool wait_for(int fd, short events, uint64_t deadline)
{
  struct pollfd p = {.fd = fd, .events = events};
  for (;;) {
    uint64_t now = milliseconds();
    if (now >= deadline)
      return false;
    uint64_t left = deadline - now;
    int ready = poll(&p, 1, left > 60000 ? 60000 : (int)left);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true;
  }
}

static enum child_status send_bytes(struct child *c, const uint8_t *data, size_t size, uint64_t deadline)
{
  while (size > 0) {
    ssize_t put = write(c->to, data, size);
    if (put > 0) {
      data += put;
      size -= (size_t)put;
    } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
      return CHILD_CLOSED;
    } else if (!wait_for(c->to, POLLOUT, deadline)) {
      return CHILD_TIMED_OUT;
    }
  }
  return CHILD_ANSWERED;
}

static enum child_status receive_bytes(struct child *c, uint8_t *data, size_t size, uint64_t deadline)
{
  while (size > 0) {
    ssize_t got = read(c->from, data, size);
    if (got > 0) {
      data += got;
      size -= (size_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return CHILD_DIED;
    } else if (!wait_for(c->from, POLLIN, deadline)) {
      return CHILD_TIMED_OUT;
    }
  }
  return CHILD_ANSWERED;
}

static enum child_status receive(struct child *c, uint32_t *kind, struct wire *answer, uint64_t deadline, char *reason,
                                 size_t reason_size)
{
  uint8_t bytes[WIRE_HEAD];
  struct wire_head head;
  enum child_status status = receive_bytes(c, bytes, sizeof bytes, deadline);
  if (status != CHILD_ANSWERED)
    return status;
  if (!wire_head_decode(bytes, &head)) {
    snprintf(reason, reason_size, "the probe program does not speak this protocol");
    return CHILD_CONFUSED;
  }
  if (head.length > WIRE_ANSWER_MAX) {
    snprintf(reason, reason_size, "the probe program's answer is too long: %llu bytes",
             (unsigned long long)head.length);
    return CHILD_CONFUSED;
  }
  *kind = head.kind;
  answer->data = malloc((size_t)head.length + 1);
  if (!answer->data)
    return CHILD_MEMORY;
  answer->room = (size_t)head.length + 1;
  answer->size = (size_t)head.length;
  return receive_bytes(c, answer->data, answer->size, deadline);
}

static void say_how_it_died(int status, char *reason, size_t reason_size)
{
  if (status != -1 && WIFSIGNALED(status))
    snprintf(reason, reason_size, "the probe program was ended by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else if (status != -1 && WIFEXITED(status))
    snprintf(reason, reason_size, "the probe program ended with status %d", WEXITSTATUS(status));
  else
    snprintf(reason, reason_size, "the probe program closed its pipes");
}

enum child_status child_exchange(struct child *c, uint32_t kind, const struct wire *request, unsigned seconds,
                                 uint32_t *answer_kind, struct wire *answer, char *reason, size_t reason_size)
{
  uint8_t head[WIRE_HEAD];
  uint64_t deadline = milliseconds() + (uint64_t)seconds * 1000u;
  *answer = (struct wire){0};
  wire_head_encode(&(struct wire_head){kind, request->size}, head);
  enum child_status status = request->failed ? CHILD_MEMORY : send_bytes(c, head, sizeof head, deadline);
  if (status == CHILD_ANSWERED)
    status = send_bytes(c, request->data, request->size, deadline);
  if (status == CHILD_ANSWERED)
    status = receive(c, answer_kind, answer, deadline, reason, reason_size);
  if (status == CHILD_ANSWERED)
    return status;
  wire_free(answer);
  /* A pipe that closed belongs to a process that ends by itself: how it does is worth knowing. */
  close_pipes(c);
  bool closed = status == CHILD_DIED || status == CHILD_CLOSED;
  int died = reap(c, !closed);
  if (closed)
    say_how_it_died(died, reason, reason_size);
  else if (status == CHILD_TIMED_OUT)
    snprintf(reason, reason_size, "no answer within %u seconds", seconds);
  else if (status == CHILD_MEMORY)
    snprintf(reason, reason_size, "memory ran out");
  return status;
}
