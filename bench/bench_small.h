/* make bench, part `small`: minors and gradients of small matrices; the k + 1 minors of a k x (k + 1) matrix, as
   samplers of bosons ask for, beside two permanents of order k and of order k + 1. Medians of interleaved runs. */
#ifndef PERM_BENCH_SMALL_H_INCLUDED
#define PERM_BENCH_SMALL_H_INCLUDED

enum { BENCH_MINORS_ROW, BENCH_MINORS_GRADIENT, BENCH_MINORS_LESS, BENCH_MINORS_SAME, BENCH_MINORS_WAYS };

static void bench_small_minors_call(int way, int n, int parts, const double *a, double *out)
{
  perm_result r;
  const int order = way == BENCH_MINORS_LESS ? n - 1 : n;
  if (way == BENCH_MINORS_ROW)
    (parts == 2 ? perm_minors_complex : perm_minors_real)(n, n, a, n, NULL, NULL, n - 1, NULL, out, &r);
  else if (way == BENCH_MINORS_GRADIENT)
    (parts == 2 ? perm_gradient_complex : perm_gradient_real)(n, n, a, n, NULL, NULL, NULL, out, &r);
  else
    (parts == 2 ? perm_compute_complex : perm_compute_real)(order, order, a, order, NULL, &r);
  bench_sink += r.value;
}

static void bench_small_minors(void)
{
  enum { RUNS = 15 };
  double a[BENCH_MATRIX], out[2 * 13 * 13], seconds[BENCH_MINORS_WAYS][RUNS];
  int parts, n, way, run, i, k;
  printf("\n## Minors of small matrices, ns a call (median of %d), and over two perm_compute_* of order n - 1, of "
         "order n\n\n| n | minors | n - 1 | n | gradient | complex minors | n - 1 | n | gradient |\n"
         "|---|---|---|---|---|---|---|---|---|\n", RUNS);
  for (n = 3; n <= 13; n++) {
    const int calls = n <= 6 ? 4000 : n <= 9 ? 1000 : 200;
    printf("| %d |", n);
    for (parts = 1; parts <= 2; parts++) {
      bench_matrix(n, parts, a);
      for (run = 0; run < RUNS; run++)
        for (way = 0; way < BENCH_MINORS_WAYS; way++) {
          const double start = bench_seconds();
          double now;
          for (i = 0; i < calls; i++)
            bench_small_minors_call(way, n, parts, a, out);
          now = (bench_seconds() - start) / calls;
          for (k = run; k > 0 && seconds[way][k - 1] > now; k--)
            seconds[way][k] = seconds[way][k - 1];
          seconds[way][k] = now;
        }
      printf(" %.0f | %.2f | %.2f | %.0f |", 1e9 * seconds[BENCH_MINORS_ROW][RUNS / 2],
             seconds[BENCH_MINORS_ROW][RUNS / 2] / (2 * seconds[BENCH_MINORS_LESS][RUNS / 2]),
             seconds[BENCH_MINORS_ROW][RUNS / 2] / (2 * seconds[BENCH_MINORS_SAME][RUNS / 2]),
             1e9 * seconds[BENCH_MINORS_GRADIENT][RUNS / 2]);
    }
    printf("\n");
  }
}

#endif
/* SPDX-License-Identifier: MIT */
