/* make bench, part `merge`: does the time of a merged step follow its work, whatever the structure? Seconds against
   transitions over steps of many matrices, as one thread makes them, with the coefficient of correlation; then the
   largest step by one thread and by two. */
#ifndef PERM_BENCH_MERGE_H_INCLUDED
#define PERM_BENCH_MERGE_H_INCLUDED

#include "../examples/perm_generate.h"

/* Arrow of order n: hubs rows and columns full, a band of two. */
static perm_status bench_arrow(int n, int hubs, perm_matrix *matrix)
{
  int *row = (int *)malloc(sizeof(int) * (size_t)(n * n)), *column = (int *)malloc(sizeof(int) * (size_t)(n * n)), i, j;
  size_t nnz = 0;
  perm_status status;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (i < hubs || j < hubs || i == j || j == i + 1 || j == i + 5) {
        row[nnz] = i;
        column[nnz++] = j;
      }
  status = perm_matrix_from_triplets(n, n, nnz, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, matrix, NULL);
  free(row);
  free(column);
  return status;
}

/* State-stream pairs of a step that the lists are ready for. */
static double bench_transitions(const permi_run *run, const permi_list *source, int streams)
{
  double sum = 0;
  size_t g;
  int s, w;
  for (g = 0; g < source->groups; g++)
    for (s = 0; s < streams; s++) {
      const permi_cursor *cursor = &run->part[0].cursor[s];
      const uint64_t *bits = source->patterns.bits + (size_t)source->pattern[g] * PERMI_LOW_WORDS;
      if (!permi_cursor_takes(cursor, source->high + g * (size_t)source->words, source->words))
        continue;
      for (w = 0; w < PERMI_LOW_WORDS; w++) {
        uint64_t x = bits[w] & cursor->keep[w];
        for (; x; x &= x - 1)
          sum++;
      }
    }
  return sum;
}

/* Seconds that the threads have computed: of the calling one (both = 0), or of the busier of two since `since`. */
static double bench_computed(int both, const double *since, double *now)
{
  double most = 0;
  int k;
  (void)both;
  PERMI_OMP(parallel for num_threads(2) schedule(static, 1) if (both))
  for (k = 0; k < 2; k++) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    now[k] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  }
  for (k = 0; since && k < 2; k++)
    most = fmax(most, now[k] - since[k]);
  return most;
}

/* Best of `times`, by one thread or by all of the run's, by the clock; *computed: of the (busiest) thread's own clock,
   which other programs on the machine do not stop. */
static double bench_step(permi_run *run, int p, int together, int times, double *computed)
{
  double best = 1e9, then[2], now[2];
  for (; times > 0; times--) {
    permi_run before = *run;
    const int streams = permi_run_prepare(run, p);
    double start;
    bench_computed(together, NULL, then);
    start = bench_seconds();
    permi_run_rounds(run, p, streams, together);
    start = bench_seconds() - start;
    best = start < best ? start : best;
    *computed = fmin(*computed, bench_computed(together, then, now));
    if (times > 1) /* as if it had not been */
      run->base.sizes = before.base.sizes;
  }
  return best;
}

typedef struct bench_fit { double n, x, y, xx, yy, xy; } bench_fit;

static void bench_fit_add(bench_fit *fit, double x, double y)
{
  fit->n++;
  fit->x += x;
  fit->y += y;
  fit->xx += x * x;
  fit->yy += y * y;
  fit->xy += x * y;
}

static double bench_fit_correlation(const bench_fit *fit)
{
  const double xx = fit->xx - fit->x * fit->x / fit->n, yy = fit->yy - fit->y * fit->y / fit->n;
  return (fit->xy - fit->x * fit->y / fit->n) / sqrt(xx * yy);
}

#define BENCH_MERGE_LEAST 10000 /* transitions of a step that counts */
static void bench_merge(void)
{
  static const char *const names[] = {"regular:60:3", "regular:70:3", "regular:40:4", "er:30:0.15", "er:36:0.1",
                                      "grid:18:18",   "grid:16:40",   "band:200:7",   "band:60:8",  "mycielskian:6",
                                      "arrow:4",      "arrow:5",      "regular:80:3", "regular:100:3"};
  bench_fit linear = {0, 0, 0, 0, 0, 0}, logarithmic = {0, 0, 0, 0, 0, 0};
  double largest = 0, alone = 0, together = 0, states = 0, busy[2] = {0, 0};
  size_t k;
  printf("\n## Merged lists: seconds against transitions, steps of %d transitions and more\n(best of 5, one thread, "
         "its own clock)\n\n"
         "| structure | steps | transitions | ns a transition, least | mean | most |\n|---|---|---|---|---|---|\n",
         BENCH_MERGE_LEAST);
  for (k = 0; k < sizeof names / sizeof names[0]; k++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    double steps = 0, work = 0, seconds = 0, least = 1e9, most = 0;
    int leaf;
    perm_status status = strncmp(names[k], "arrow", 5)
                             ? perm_generate(names[k], 1, NULL, &matrix, &result)
                             : bench_arrow(40, atoi(names[k] + 6), &matrix);
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_LISTS;
    options.threads = 2;
    if (status != PERM_OK || perm_sparse_job(&matrix, &options, &job, &result) != PERM_OK) {
      printf("| %s: %s |\n", names[k], result.message);
      perm_matrix_free(&matrix);
      continue;
    }
    for (leaf = 0; leaf < perm_job_leaves(job); leaf++) {
      const permi_frontier *frontier = (const permi_frontier *)job->leaf[leaf].context;
      permi_control control;
      permi_run run;
      int p;
      memset(&control, 0, sizeof control);
      memset(&run, 0, sizeof run);
      control.options = &options;
      control.deadline = (double)INFINITY;
      if (job->leaf[leaf].run_task != permi_frontier_run)
        continue;
      status = permi_run_open(frontier, &control, 0, &run);
      for (p = 0; p < frontier->steps && status == PERM_OK; p++) {
        const permi_list *source = &run.list[p & 1];
        const int streams = frontier->stream_start[p + 1] - frontier->stream_start[p];
        double transitions, time = 1e9;
        bench_step(&run, p, 0, 1, &time);
        transitions = bench_transitions(&run, source, streams);
        if (transitions < BENCH_MERGE_LEAST)
          continue;
        bench_step(&run, p, 0, 4, &time);
        steps++;
        work += transitions;
        seconds += time;
        least = fmin(least, time / transitions);
        most = fmax(most, time / transitions);
        bench_fit_add(&linear, transitions, time);
        bench_fit_add(&logarithmic, log(transitions), log(time));
        if (transitions > largest && source->states >= 1000000 && run.base.threads == 2) {
          largest = transitions;
          busy[0] = busy[1] = 1e9;
          alone = bench_step(&run, p, 0, 9, &busy[0]);
          together = bench_step(&run, p, 1, 20, &busy[1]);
          alone = fmin(alone, bench_step(&run, p, 0, 9, &busy[0]));
          states = (double)source->states;
        }
      }
      permi_run_release(&run);
    }
    if (steps > 0)
      printf("| %s | %.0f | %.3g | %.2f | %.2f | %.2f |\n", names[k], steps, work, least * 1e9, seconds / work * 1e9,
             most * 1e9);
    else
      printf("| %s | 0 | | | | |\n", names[k]);
    fflush(stdout);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  printf("\nCorrelation of seconds with transitions over %.0f steps: %.4f, of their logarithms %.4f\n", linear.n,
         bench_fit_correlation(&linear), bench_fit_correlation(&logarithmic));
  if (largest > 0)
    printf("A step on %.3g states, %.3g transitions: %.2f ms by one thread, %.2f ms by two, ratio %.2f;\n"
           "by the threads' own clocks %.2f and %.2f ms (the busier; waiting counts unless OMP_WAIT_POLICY=passive), "
           "ratio %.2f\n",
           states, largest, alone * 1e3, together * 1e3, alone / together, busy[0] * 1e3, busy[1] * 1e3,
           busy[0] / busy[1]);
}

#endif
/* SPDX-License-Identifier: MIT */
