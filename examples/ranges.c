/* A job cut into ranges by the caller: the same bits as in one piece. Each perm_job_run could be another thread,
   process or machine, as long as its perm_partial comes back.
   Build:  cc -O2 -I.. ranges.c -o ranges -lm */
#include <stdio.h>
#include <string.h>
#define PERM_IMPLEMENTATION
#include "perm.h"

int main(void)
{
  enum { N = 20, WORKERS = 3 };
  double a[N * N];
  perm_plan plan;
  perm_job *job;
  perm_partial total, part;
  perm_result whole, merged;
  int i, w;
  for (i = 0; i < N * N; i++)
    a[i] = (double)((i * 7919) % 1000) / 1000 - 0.5;

  perm_compute_real(N, N, a, N, NULL, &whole);

  if (perm_plan_real(N, N, a, N, NULL, &plan, &merged) || perm_job_create_real(&plan, a, N, NULL, &job, &merged)) {
    fprintf(stderr, "%s\n", merged.message);
    return 1;
  }
  memset(&total, 0, sizeof total);
  for (w = WORKERS - 1; w >= 0; w--) { /* any order */
    uint64_t each = plan.chunks / WORKERS, begin = each * (uint64_t)w;
    memset(&part, 0, sizeof part);
    perm_job_run(job, 0, begin, w == WORKERS - 1 ? plan.chunks : begin + each, &part);
    perm_partial_merge(&total, &part);
  }
  perm_job_finish(job, &total, &merged);
  perm_job_free(job);
  printf("one piece    %.17g\n%d ranges     %.17g\n", whole.value, WORKERS, merged.value);
  return whole.value != merged.value;
}
