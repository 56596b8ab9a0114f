/* Part threads: whole calls with one thread and with two, in turn. */
#ifndef BENCH_THREADS_H_INCLUDED
#define BENCH_THREADS_H_INCLUDED

/* What two cores give at best here: the roofline of both at once against one, without our scheduler. */
static double bench_machine_scaling(void)
{
  double alone = 0, together = 0;
#if defined(_OPENMP)
  const perm_isa isa = permi_isa_here(PERM_ISA_AVX512) ? PERM_ISA_AVX512 : PERM_ISA_AVX2;
  int run;
  for (run = 0; run < 5; run++) {
    double both = 0, start = bench_seconds(), one;
    int k;
    for (k = 0; k < 400; k++)
      bench_roofline(isa, ROOF_NORMALISED);
    one = 400 / (bench_seconds() - start);
    start = bench_seconds();
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 400; i++)
      bench_roofline(isa, ROOF_NORMALISED);
    both = 800 / (bench_seconds() - start);
    alone = fmax(alone, one);
    together = fmax(together, both);
  }
#endif
  return alone > 0 ? together / alone : 0;
}

/* 100,000 matrices of order 8, one after the other. */
static void bench_threads_batch(void)
{
  enum { N = 8, COUNT = 100000, RUNS = 15 };
  double *a = (double *)malloc(sizeof *a * COUNT * N * N), *out = (double *)malloc(2 * sizeof *out * COUNT);
  double seconds[2][RUNS];
  uint64_t state = 8;
  int run, k;
  for (k = 0; k < COUNT * N * N; k++)
    a[k] = bench_random(&state);
  for (run = 0; run < RUNS; run++)
    for (k = 0; k < 2; k++) {
      perm_options options = bench_options(PERM_ISA_AUTO, NULL);
      const double start = bench_seconds();
      options.threads = k + 1;
      if (perm_batch_real(N, COUNT, a, N * N, &options, out + k * COUNT, NULL) != PERM_OK)
        exit(1);
      seconds[k][run] = bench_seconds() - start;
    }
  {
    const double one = bench_median(seconds[0], RUNS), two = bench_median(seconds[1], RUNS);
    printf("| a batch of 100,000 | %d | %.2f | %.2f | %.2f | %.2f | %s |\n", N, 1e3 * one, 1e3 * two, one / two,
           seconds[0][0] / seconds[1][0],
           memcmp(out, out + COUNT, sizeof *out * COUNT) ? "BITS DIFFER" : "same bits");
  }
  free(a);
  free(out);
}

static void bench_threads(void)
{
  static const struct {
    const char *name;
    int n, integers, runs;
  } rows[] = {{"real", 30, 0, 5}, {"integers of [-100,100]", 24, 1, 31}, {"integers of [-100,100]", 26, 1, 15}};
  double a[BENCH_MATRIX], seconds[2][31];
  int64_t integer[BENCH_MAX_N * BENCH_MAX_N];
  int row, run, k;
  printf("\n## One thread and two (in turn; median, best)\n\n"
         "| matrix | n | 1 thread, ms | 2 threads, ms | times as fast | best | |\n|---|---|---|---|---|---|---|\n");
  for (row = 0; row < BENCH_COUNT(rows); row++) {
    const int n = rows[row].n, runs = rows[row].runs;
    double median[2];
    perm_result result[2];
    bench_matrix(n, 1, a);
    bench_exact_matrix(2, n, 0, integer);
    for (run = 0; run < runs; run++)
      for (k = 0; k < 2; k++) {
        perm_options options = bench_options(PERM_ISA_AUTO, NULL);
        options.threads = k + 1;
        if (!rows[row].integers)
          bench_compute(n, 1, a, &options, &result[k]);
        else if (perm_compute_integer(n, n, integer, n, &options, &result[k]) != PERM_OK)
          exit(1);
        seconds[k][run] = result[k].seconds;
      }
    for (k = 0; k < 2; k++)
      median[k] = bench_median(seconds[k], runs);
    printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %s |\n", rows[row].name, n, 1e3 * median[0], 1e3 * median[1],
           median[0] / median[1], seconds[0][0] / seconds[1][0],
           memcmp(&result[0].value, &result[1].value, sizeof(double)) ? "BITS DIFFER" : "same bits");
  }
  bench_threads_batch();
  printf("\nThe roofline loop itself on both cores at once gives %.2f times one.\n", bench_machine_scaling());
}

#endif
/* SPDX-License-Identifier: MIT */
