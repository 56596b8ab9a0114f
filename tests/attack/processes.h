/* A study in several processes: each does its share by a seed of its own and sends what it found through a pipe, to be
   added up. Only pointers to static text survive: all processes are copies of one. */
#ifndef PERM_PROCESSES_H_INCLUDED
#define PERM_PROCESSES_H_INCLUDED

#include <stdio.h>
#include <stdlib.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MOST = 256 };

/* share(process, count, to) writes; add(from) reads, 0: not all. Returns how many shares are missing. */
static int processes_run(int count, void (*share)(int process, int count, FILE *to), int (*add)(FILE *from))
{
  int ends[PROCESSES_MOST][2], p, missing = 0;
  if (count < 1 || count > PROCESSES_MOST)
    return 1;
  for (p = 0; p < count; p++) {
    if (pipe(ends[p]))
      return count - p;
    fflush(stdout);
    if (fork() == 0) {
      FILE *to = fdopen(ends[p][1], "wb");
      close(ends[p][0]);
      if (!to)
        _exit(1);
      share(p, count, to);
      _exit(fclose(to) != 0 || fflush(stdout) != 0);
    }
    close(ends[p][1]);
  }
  for (p = 0; p < count; p++) {
    FILE *from = fdopen(ends[p][0], "rb");
    if (!from || !add(from)) {
      printf("FAIL process %d ended early\n", p);
      missing++;
    }
    if (from)
      fclose(from);
  }
  while (wait(NULL) > 0)
    ;
  return missing;
}

/* Of this process and those that ended. */
static double processes_seconds(void)
{
  struct tms used;
  times(&used);
  return (double)(used.tms_utime + used.tms_stime + used.tms_cutime + used.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
}

#endif
/* SPDX-License-Identifier: MIT */
