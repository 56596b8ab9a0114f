/* Method hybrid against the dense engine: operations, statements, rates; whole runs where they are short,
   else a slice of the chunks, extrapolated. */
static double bench_hybrid_slice(const perm_job *job, double least_seconds, perm_partial *partial)
{
  perm_leaf leaf;
  uint64_t chunks = 1;
  double best = 1e300;
  int k;
  if (perm_job_leaf(job, 0, &leaf) != PERM_OK)
    return 0;
  for (;; chunks *= 2) {
    double start = bench_seconds();
    memset(partial, 0, sizeof *partial);
    perm_job_run(job, 0, 0, chunks, partial);
    if (bench_seconds() - start > least_seconds || chunks >= leaf.chunks)
      break;
  }
  for (k = 0; k < 3; k++) {
    double start = bench_seconds();
    memset(partial, 0, sizeof *partial);
    perm_job_run(job, 0, 0, chunks, partial);
    start = bench_seconds() - start;
    best = start < best ? start : best;
  }
  return best * (double)leaf.chunks / (double)chunks;
}

static void bench_hybrid(void)
{
  static const char *const kind[] = {"er:40:0.2", "er:40:0.3", "er:40:0.4", "er:40:0.5", "er:48:0.2", "er:48:0.3"};
  static const perm_method method[] = {PERM_METHOD_HYBRID, PERM_METHOD_DENSE};
  int i, m;
  printf("hybrid, one thread; seconds extrapolated from a slice\n");
  printf("%-10s %-7s %5s %5s %10s %10s %11s %9s %9s %10s %10s %8s\n", "matrix", "method", "plan", "inner",
         "statements", "operations", "dense/ours", "G rows/s", "G op/s", "predicted", "seconds", "dense/");
  for (i = 0; i < (int)(sizeof kind / sizeof kind[0]); i++) {
    double seconds[2], planned[2];
    char line[2][256];
    perm_matrix a;
    perm_result result;
    if (perm_generate(kind[i], 1, NULL, &a, &result) != PERM_OK) {
      printf("%s\n", result.message);
      return;
    }
    for (m = 0; m < 2; m++) {
      perm_options options;
      perm_job *job;
      perm_leaf leaf;
      perm_partial partial;
      memset(&options, 0, sizeof options);
      options.method = method[m];
      options.threads = 1;
      planned[m] = bench_seconds();
      if (perm_sparse_job(&a, &options, &job, &result) != PERM_OK || perm_job_leaves(job) != 1) {
        printf("%s %s: %s\n", kind[i], perm_name("method", method[m]), result.message);
        seconds[m] = 0;
        line[m][0] = 0;
        continue;
      }
      planned[m] = bench_seconds() - planned[m];
      memset(&leaf, 0, sizeof leaf);
      perm_job_leaf(job, 0, &leaf);
      seconds[m] = bench_hybrid_slice(job, 0.15, &partial);
      if (method[m] != PERM_METHOD_DENSE) {
        const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
        const double patterns = ldexp(1, hybrid->n - 1 - hybrid->inner);
        const double operations = hybrid->statements * patterns;
        snprintf(line[m], sizeof line[m], "%5d %10d %10.3g %11.1f %9.2f %9.2f %10.3g", hybrid->inner,
                 hybrid->statements, operations, 1.5 * hybrid->n * ldexp(1, hybrid->n - 1) / operations,
                 leaf.work / seconds[m] * 1e-9, operations / seconds[m] * 1e-9, leaf.seconds);
      } else {
        snprintf(line[m], sizeof line[m], "%5s %10s %10.3g %11s %9.2f %9.2f %10.3g", "", "",
                 1.5 * leaf.work, "1", leaf.work / seconds[m] * 1e-9, 1.5 * leaf.work / seconds[m] * 1e-9,
                  leaf.seconds);
      }
      perm_job_free(job);
    }
    for (m = 0; m < 2; m++)
      printf("%-10s %-7s %5.2f %s %10.4g %8.1f\n", m ? "" : kind[i], perm_name("method", method[m]), planned[m],
             line[m],
             seconds[m], seconds[1] / seconds[m]);
    fflush(stdout);
    perm_matrix_free(&a);
  }
}
/* SPDX-License-Identifier: MIT */
