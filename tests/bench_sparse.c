/* make bench-sparse: the engines of perm_sparse.h. Usage: build/bench_sparse PART... with the parts
     hybrid merge planner
   or: build/bench_sparse process COMMAND... */
#include "inside.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../examples/perm_generate.h"

static double bench_seconds(void)
{
  return permi_seconds();
}

#include "bench_hybrid.h"
#include "bench_merge.h"
#include "bench_planner.h"
#include "bench_process.h"

int main(int argc, char **argv)
{
  int i;
  if (argc > 2 && !strcmp(argv[1], "process")) {
    bench_process(argv + 2);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "hybrid")) {
      bench_hybrid();
    } else if (!strcmp(argv[i], "merge")) {
      bench_merge();
    } else if (!strcmp(argv[i], "planner")) {
      bench_planner();
    } else {
      fprintf(stderr, "no such part: %s; parts are hybrid merge planner, or process COMMAND...\n", argv[i]);
      return 2;
    }
    fflush(stdout);
  }
  return 0;
}
