/* make bench, part `counts`: matrices with equal rows and columns, and rectangular ones. One thread, best of
   several. */
#ifndef PERM_BENCH_COUNTS_H_INCLUDED
#define PERM_BENCH_COUNTS_H_INCLUDED

static double bench_counts_best(double best, double start)
{
  const double seconds = bench_seconds() - start;
  return seconds < best ? seconds : best;
}

/* 62! 0.91^62 from the integers 62! 91^62, by the exact engine: relative error of perm_real on the doubles, seconds. */
static void bench_counts_equal(void)
{
  static double a[62 * 62];
  static int64_t whole[62 * 62];
  double best = INFINITY, value = 0, expected;
  perm_result exact;
  int k;
  for (k = 0; k < 62 * 62; k++) {
    a[k] = 0.91;
    whole[k] = 91;
  }
  for (k = 0; k < 25; k++) {
    const double start = bench_seconds();
    value = perm_real(62, a);
    best = bench_counts_best(best, start);
  }
  perm_compute_integer(62, 62, whole, 62, NULL, &exact);
  expected = ldexp(exact.value, (int)exact.exp2);
  for (k = 0; k < 62; k++)
    expected /= 100;
  printf("| 62 x 62, all 0.91 (perm_real) | %.3g | %.2g of 62! 0.91^62 |\n", 1e6 * best,
         fabs(value - expected) / expected);
}

/* Two complex rows, 20 times each, 40 distinct columns of entries with 20 bits: against Gaussian integers. */
static void bench_counts_bosons(int copies)
{
  enum { MOST = 40 };
  double a[2 * 2 * MOST], best = INFINITY;
  int64_t whole[2 * 2 * MOST];
  int counts[2], k, columns = 2 * copies;
  uint64_t state = 7;
  perm_result result, exact;
  perm_options options;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  counts[0] = counts[1] = copies;
  for (k = 0; k < 4 * columns; k++) {
    whole[k] = (int64_t)(1048576 * bench_random(&state));
    a[k] = ldexp((double)whole[k], -20);
  }
  for (k = 0; k < 25; k++) {
    const double start = bench_seconds();
    perm_compute_repeated_complex(2, columns, a, columns, counts, NULL, &options, &result);
    best = bench_counts_best(best, start);
  }
  perm_compute_repeated_gaussian(2, columns, whole, columns, counts, NULL, &options, &exact);
  {
    const int shift = (int)exact.exp2 - 20 * columns;
    const double re = ldexp(exact.value, shift), im = ldexp(exact.imaginary, shift);
    printf("| 2 complex rows, %d times each | %.3g | %.2g |\n", copies, 1e6 * best,
           hypot(ldexp(result.value, (int)result.exp2) - re, ldexp(result.imaginary, (int)result.exp2) - im) /
               hypot(re, im));
  }
}

static void bench_counts_rectangular(int m, int n)
{
  double *a = (double *)malloc((size_t)(m * n) * sizeof *a), best = INFINITY;
  uint64_t state = 3;
  perm_options options;
  perm_result result;
  int k;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  for (k = 0; k < m * n; k++)
    a[k] = bench_random(&state);
  for (k = 0; k < 9; k++) {
    const double start = bench_seconds();
    perm_compute_real(m, n, a, n, &options, &result);
    best = bench_counts_best(best, start);
  }
  printf("| %d x %d, U[-1,1], by %s | %.3g | (estimate) %.2g |\n", m, n, perm_name("method", result.method), 1e6 * best,
         fmin(result.error_bound, result.error_estimate) / fabs(result.value));
  free(a);
}

static void bench_counts(void)
{
  printf("\n## Equal rows and columns, rectangular matrices (best of several)\n\n"
         "| matrix | microseconds | relative error |\n|---|---|---|\n");
  bench_counts_equal();
  bench_counts_bosons(10);
  bench_counts_bosons(20);
  bench_counts_rectangular(5, 300);
  bench_counts_rectangular(10, 40);
  bench_counts_rectangular(15, 20);
  bench_counts_rectangular(18, 20);
}

#endif
/* SPDX-License-Identifier: MIT */
