/* >>platform */
/* The clock without OpenMP, and with LLVM's, does not jump when somebody sets the time: here every call of
   gettimeofday is an hour later than the one before. */
#include <sys/time.h>
#define INSIDE_DENSE
#include "../unit/inside.h"

#if defined(__GLIBC__)
#define TIMEZONE void *__restrict
#else
#define TIMEZONE void *
#endif
#ifdef __cplusplus
extern "C"
#endif
int gettimeofday(struct timeval *now, TIMEZONE zone)
{
  static long hours;
  (void)zone;
  memset(now, 0, sizeof *now);
  now->tv_sec = 3600 * ++hours;
  return 0;
}

int main(void)
{
  struct timeval first, second;
  const double start = permi_seconds();
  const clock_t begin = clock();
  double passed;
  gettimeofday(&first, NULL);
  gettimeofday(&second, NULL);
  while (clock() - begin < CLOCKS_PER_SEC / 20)
    ;
  passed = permi_seconds() - start;
  if (second.tv_sec == first.tv_sec || !(passed > 0.04 && passed < 30)) {
    printf("%g s for 0.05 s of work\n", passed);
    return 1;
  }
  return 0;
}
/* SPDX-License-Identifier: MIT */
