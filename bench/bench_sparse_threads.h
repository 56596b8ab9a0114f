/* Part threads: whole calls of the frontier with one thread and with two, in turn, and the bytes they plan. */
#define BENCH_THREADS_RUNS 9

static int bench_threads_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double bench_threads_bytes(const perm_matrix *matrix, const perm_options *options)
{
  perm_job *job = NULL;
  perm_result result;
  double bytes = 0;
  int leaf;
  if (perm_sparse_job(matrix, options, &job, &result) == PERM_OK)
    for (leaf = 0; leaf < job->leaves; leaf++)
      bytes = fmax(bytes, job->leaf[leaf].information.bytes);
  perm_job_free(job);
  return bytes;
}

static void bench_threads(void)
{
  static const struct {
    const char *kind;
    perm_precision precision;
  } rows[] = {{"regular:100:3", PERM_PRECISION_EXACT}, {"regular:100:3", PERM_PRECISION_FAST},
              {"regular:80:3", PERM_PRECISION_EXACT},  {"er:34:0.2", PERM_PRECISION_FAST}};
  size_t row;
  printf("\n## One thread and two (in turn; median of %d, best)\n\n"
         "| matrix | precision | MB | planned, s | 1 thread, s | 2 threads, s | times as fast | best | |\n"
         "|---|---|---|---|---|---|---|---|---|\n", BENCH_THREADS_RUNS);
  for (row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    double seconds[2][BENCH_THREADS_RUNS];
    perm_matrix matrix;
    perm_options options;
    perm_result result[2];
    int run, k;
    memset(&options, 0, sizeof options);
    options.precision = rows[row].precision;
    if (perm_generate(rows[row].kind, 1, NULL, &matrix, &result[0]) != PERM_OK)
      continue;
    for (run = 0; run < BENCH_THREADS_RUNS; run++)
      for (k = 0; k < 2; k++) {
        options.threads = k + 1;
        if (perm_compute_sparse(&matrix, &options, &result[k]) != PERM_OK)
          exit(1);
        seconds[k][run] = result[k].seconds;
      }
    for (k = 0; k < 2; k++)
      qsort(seconds[k], BENCH_THREADS_RUNS, sizeof(double), bench_threads_compare);
    printf("| %s | %s | %.0f | %.3f | %.3f | %.3f | %.2f | %.2f | %s |\n", rows[row].kind,
           perm_name("precision", rows[row].precision), 1e-6 * bench_threads_bytes(&matrix, &options),
           result[0].plan_seconds, seconds[0][BENCH_THREADS_RUNS / 2], seconds[1][BENCH_THREADS_RUNS / 2],
           seconds[0][BENCH_THREADS_RUNS / 2] / seconds[1][BENCH_THREADS_RUNS / 2], seconds[0][0] / seconds[1][0],
           memcmp(&result[0].value, &result[1].value, sizeof(double)) ? "BITS DIFFER" : "same bits");
    fflush(stdout);
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
