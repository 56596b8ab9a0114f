/* make bench, part `batch`: ns a matrix of batches in both layouts and of selections beside single calls; minors of a
   row and gradients beside one permanent. One thread, best of several, so that a shared machine shows less. */
#ifndef PERM_BENCH_BATCH_H_INCLUDED
#define PERM_BENCH_BATCH_H_INCLUDED

/* Seconds of one of several calls on `count` matrices of order n (a: one after the other, soa: entry by entry). */
enum {
  BENCH_BATCH_SOA,
  BENCH_BATCH_AOS,
  BENCH_BATCH_SELECT,
  BENCH_BATCH_SINGLE,
  BENCH_BATCH_COMPLEX_SOA,
  BENCH_BATCH_COMPLEX,
  BENCH_BATCH_COMPLEX_SINGLE,
  BENCH_BATCH_WAYS
};

static double bench_batch_once(int way, int n, size_t count, const double *a, const double *soa, const int *columns,
                               double *out)
{
  const perm_options options = bench_options(PERM_ISA_AUTO, NULL);
  const size_t size = (size_t)(n * n);
  double start = bench_seconds();
  size_t k;
  switch (way) {
  case BENCH_BATCH_SOA: perm_batch_real_soa(n, count, soa, count, &options, out, NULL); break;
  case BENCH_BATCH_AOS: perm_batch_real(n, count, a, size, &options, out, NULL); break;
  case BENCH_BATCH_SELECT: perm_select_real(n, n, a, n, n, count, NULL, columns, &options, out, NULL); break;
  case BENCH_BATCH_COMPLEX_SOA: perm_batch_complex_soa(n, count, soa, count, &options, out, NULL); break;
  case BENCH_BATCH_COMPLEX_SINGLE:
    for (k = 0; k < count; k++)
      perm_complex(n, a + 2 * k * size, out + 2 * k);
    break;
  case BENCH_BATCH_COMPLEX: perm_batch_complex(n, count, a, size, &options, out, NULL); break;
  default:
    for (k = 0; k < count; k++)
      out[k] = perm_real(n, a + k * size);
  }
  return bench_seconds() - start;
}

static void bench_batch(void)
{
  int n, way, run;
  printf("\n## Batches, ns a matrix (best of 25; 1024 matrices, from n = 9 on 256)\n\n"
         "| n | entry by entry | one after the other | selections | perm_real | complex, entry by entry | one after "
         "the other | perm_complex |\n|---|---|---|---|---|---|---|---|\n");
  for (n = 2; n <= 12; n++) {
    const size_t count = n < 9 ? 1024 : 256, size = (size_t)(n * n);
    double *a = (double *)malloc(2 * count * size * sizeof *a), *soa = (double *)malloc(2 * count * size * sizeof *soa);
    double *out = (double *)malloc(2 * count * sizeof *out), best[BENCH_BATCH_WAYS];
    int *columns = (int *)malloc(count * (size_t)n * sizeof *columns);
    uint64_t state = 42;
    size_t k, e;
    for (k = 0; k < 2 * count * size; k++)
      a[k] = bench_random(&state);
    for (k = 0; k < count; k++)
      for (e = 0; e < size; e++)
        soa[e * count + k] = a[k * size + e];
    for (k = count * size; k < 2 * count * size; k++)
      soa[k] = bench_random(&state);
    for (k = 0; k < count * (size_t)n; k++)
      columns[k] = (int)((bench_random(&state) + 1) / 2 * n * 0.999);
    for (way = 0; way < BENCH_BATCH_WAYS; way++)
      best[way] = 1;
    for (run = 0; run < 25; run++)
      for (way = 0; way < BENCH_BATCH_WAYS; way++) {
        double seconds = bench_batch_once(way, n, count, a, soa, columns, out);
        best[way] = seconds < best[way] ? seconds : best[way];
        bench_sink += out[count / 2];
      }
    printf("| %d |", n);
    for (way = 0; way < BENCH_BATCH_WAYS; way++)
      printf(" %.1f |", best[way] / (double)count * 1e9);
    printf("\n");
    free(a);
    free(soa);
    free(out);
    free(columns);
  }
}

static void bench_minors(void)
{
  static const int orders[] = {12, 16, 20, 24};
  static double out[2 * 24 * 24];
  double a[BENCH_MATRIX];
  int k, parts, run;
  printf("\n## Minors of a row and gradients, in units of one permanent of the same matrix (best of 20)\n\n"
         "| n | permanent, ms | minors | gradient | complex: permanent, ms | minors | gradient |\n"
         "|---|---|---|---|---|---|---|\n");
  for (k = 0; k < BENCH_COUNT(orders); k++) {
    const int n = orders[k];
    printf("| %d |", n);
    for (parts = 1; parts <= 2; parts++) {
      const perm_options options = bench_options(PERM_ISA_AUTO, NULL);
      double best[3] = {1e9, 1e9, 1e9};
      perm_result result;
      int what;
      bench_matrix(n, parts, a);
      for (run = 0; run < (n > 20 ? 3 : 20); run++)
        for (what = 0; what < 3; what++) {
          double start = bench_seconds(), seconds;
          if (what == 0)
            bench_compute(n, parts, a, &options, &result);
          else if (what == 1)
            (parts == 2 ? perm_minors_complex : perm_minors_real)(n, n, a, n, NULL, NULL, 0, &options, out, &result);
          else
            (parts == 2 ? perm_gradient_complex : perm_gradient_real)(n, n, a, n, NULL, NULL, &options, out, &result);
          seconds = bench_seconds() - start;
          best[what] = seconds < best[what] ? seconds : best[what];
        }
      printf(" %.3f | %.2f | %.2f |", best[0] * 1e3, best[1] / best[0], best[2] / best[0]);
    }
    printf("\n");
  }
}

#endif
/* SPDX-License-Identifier: MIT */
