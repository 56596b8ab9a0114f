/* make bench-sparse: the engines of perm_sparse.h. Usage: build/bench_sparse PART... with the parts
     hybrid planner planner=NAME prices threads tracking polynomial amplitudes
   or: build/bench_sparse process COMMAND... */
#include "../tests/unit/inside.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../examples/perm_generate.h"

static double bench_seconds(void)
{
  return permi_seconds();
}

#include "bench_hybrid.h"
#include "bench_planner.h"
#include "bench_polynomial.h"
#include "bench_prices.h"
#include "bench_process.h"
#include "bench_sparse_threads.h"
#include "bench_tracking.h"
#include "bench_amplitudes.h"

int main(int argc, char **argv)
{
  int i, slow = 0;
  if (argc > 2 && !strcmp(argv[1], "process")) {
    bench_process(argv + 2);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "hybrid")) {
      bench_hybrid();
    } else if (!strncmp(argv[i], "planner", 7) && (!argv[i][7] || argv[i][7] == '=')) {
      bench_planner(argv[i][7] ? argv[i] + 8 : NULL);
    } else if (!strcmp(argv[i], "polynomial")) {
      bench_polynomial();
    } else if (!strcmp(argv[i], "prices")) {
      slow += bench_prices();
    } else if (!strcmp(argv[i], "threads")) {
      bench_threads();
    } else if (!strcmp(argv[i], "tracking")) {
      bench_tracking();
    } else if (!strcmp(argv[i], "amplitudes")) {
      bench_amplitudes();
    } else {
      fprintf(stderr,
              "no such part: %s; parts are hybrid planner planner=NAME prices threads tracking polynomial "
              "amplitudes, or process "
              "COMMAND...\n",
              argv[i]);
      return 2;
    }
    fflush(stdout);
  }
  return slow > 0;
}
/* SPDX-License-Identifier: MIT */
