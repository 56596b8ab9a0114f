/* The planner's choice against every engine that can finish: one thread, whole calls (plan and run), best of 3 (once
   where it takes over a second). Engines predicted to take over BENCH_PLANNER_FACTOR times the choice are not run. */
#define BENCH_PLANNER_FACTOR 12
#define BENCH_PLANNER_SECONDS 40

static double bench_planner_time(const perm_matrix *matrix, perm_method method, double limit, perm_result *result)
{
  double best = (double)INFINITY;
  int run;
  for (run = 0; run < 3; run++) {
    perm_options options;
    double start;
    memset(&options, 0, sizeof options);
    options.method = method;
    options.threads = 1;
    options.max_seconds = limit;
    options.tolerance = 1; /* no escalation */
    start = bench_seconds();
    if (perm_compute_sparse(matrix, &options, result) != PERM_OK)
      return (double)INFINITY;
    start = bench_seconds() - start;
    best = start < best ? start : best;
    if (best > 1)
      break;
  }
  return best;
}

static double bench_planner_predicted(const perm_matrix *matrix, perm_method method)
{
  perm_options options;
  perm_job *job;
  double seconds = (double)INFINITY;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.tolerance = 1;
  if (perm_sparse_job(matrix, &options, &job, NULL) == PERM_OK) {
    seconds = permi_job_seconds(job);
    perm_job_free(job);
  }
  return seconds;
}

static void bench_planner(void)
{
  static const char *const matrices[] = {"regular:60:3", "er:34:0.3",  "er:28:0.6",     "grid:14:16",
                                         "band:2000:5",  "tree:30000", "arrow:400:3",   "er:26:0.9",
                                         "mycielskian:6", "blocks:20:18:0.4", "er:36:0.2", "uniform:25"};
  static const perm_method methods[] = {PERM_METHOD_FRONTIER, PERM_METHOD_TREE,      PERM_METHOD_BAND,
                                        PERM_METHOD_HYBRID,   PERM_METHOD_CACHED,    PERM_METHOD_DOMINATING,
                                        PERM_METHOD_SPARYSER, PERM_METHOD_DECOMPOSE, PERM_METHOD_TRANSVERSALS,
                                        PERM_METHOD_DENSE,    PERM_METHOD_EXACT};
  size_t k, m;
  int within = 0, near = 0, counted = 0;
  printf("\n## The planner's choice, seconds of whole calls, one thread\n\n"
         "| matrix | auto | its engine | best by name | engine | auto / best |\n|---|---|---|---|---|---|\n");
  for (k = 0; k < sizeof matrices / sizeof matrices[0]; k++) {
    perm_matrix matrix;
    perm_result result, other;
    double chosen, best = (double)INFINITY;
    perm_method engine = PERM_METHOD_AUTO;
    if (perm_generate(matrices[k], 1, NULL, &matrix, &result) != PERM_OK) {
      printf("| %s | %s |||||\n", matrices[k], result.message);
      continue;
    }
    chosen = bench_planner_time(&matrix, PERM_METHOD_AUTO, 0, &result);
    for (m = 0; m < sizeof methods / sizeof methods[0]; m++) {
      const double predicted = bench_planner_predicted(&matrix, methods[m]);
      double seconds;
      if (!(predicted <= BENCH_PLANNER_FACTOR * (chosen + 1e-3)) || predicted > BENCH_PLANNER_SECONDS)
        continue;
      seconds = bench_planner_time(&matrix, methods[m], BENCH_PLANNER_SECONDS, &other);
      if (seconds < best) {
        best = seconds;
        engine = methods[m];
      }
    }
    printf("| %s | %.4g | %s | %.4g | %s | %.2f |\n", matrices[k], chosen, perm_method_name(result.method), best,
           perm_method_name(engine), chosen / best);
    fflush(stdout);
    counted++;
    within += chosen <= 1.5 * best;
    near += chosen <= 1.5 * best + 1e-3;
    perm_matrix_free(&matrix);
  }
  printf("\nWithin 1.5 of the best: %d of %d; within that and a millisecond: %d.\n", within, counted, near);
}
