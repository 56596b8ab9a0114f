/* How long a command goes on after it was told to stop, in seconds of the processor, so that a busy machine makes no
   difference. Usage: limits int|term|seconds S COMMAND...
     int, term  sends SIGINT or SIGTERM once the command has used S seconds of the processor; if it waits, S + 0.5
                seconds after its start
     seconds    sends nothing: the command was given --max-seconds S
   Prints the seconds of the processor after that and the exit status; "done 0" of one that ended before. A command that
   goes on for 3 seconds without using any is killed: "stuck 137". */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double limits_clock(clockid_t clock)
{
  struct timespec now;
  return clock_gettime(clock, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
  const struct timespec pause = {0, 500000};
  struct rusage usage;
  siginfo_t ended;
  clockid_t clock;
  double limit, start, used = 0, all, moved = 0, last = 0;
  int told = 0, stuck = 0, sends, status;
  pid_t child;
  if (argc < 4 || (strcmp(argv[1], "int") && strcmp(argv[1], "term") && strcmp(argv[1], "seconds"))) {
    fprintf(stderr, "usage: limits int|term|seconds S COMMAND...\n");
    return 2;
  }
  sends = !strcmp(argv[1], "int") ? SIGINT : !strcmp(argv[1], "term") ? SIGTERM : 0;
  limit = atof(argv[2]);
  start = limits_clock(CLOCK_MONOTONIC);
  child = fork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  if (child < 0 || clock_getcpuclockid(child, &clock)) {
    fprintf(stderr, "limits: no such process\n");
    return 2;
  }
  for (;;) {
    ended.si_pid = 0;
    if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid)
      break;
    {
      const double now = limits_clock(clock), passed = limits_clock(CLOCK_MONOTONIC) - start;
      if (!told) {
        used = now > 0 ? now : used;
        told = sends ? used >= limit || (used < 0.5 * limit && passed >= limit + 0.5) : passed >= limit;
        if (told && sends)
          kill(child, sends);
        moved = passed;
      } else if (now > last + 0.01) {
        last = now;
        moved = passed;
      } else if (passed > moved + 3 && !stuck) {
        stuck = !kill(child, SIGKILL);
      }
    }
    nanosleep(&pause, NULL);
  }
  if (wait4(child, &status, 0, &usage) != child)
    return 2;
  all = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (stuck)
    printf("stuck %d\n", status);
  else if (told)
    printf("%.3f %d\n", all > used ? all - used : 0, status);
  else
    printf("done %d\n", status);
  return 0;
}
/* SPDX-License-Identifier: MIT */
