/* make bench-sparse, part `polynomial`: all coefficients of the permanental polynomials of fullerenes, and of dense
   pencils of order 20, integers from -9 to 9, beside one permanent; and of 12 photons [x^s], to total degree s = 3, of
   which three are apart, in one to three variables. Seconds of the processor, the least of some. */
#ifndef PERM_BENCH_POLYNOMIAL_H_INCLUDED
#define PERM_BENCH_POLYNOMIAL_H_INCLUDED

#include <time.h>

#include "../tests/unit/fullerene.h"

static double bench_cpu(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static void bench_polynomial(void)
{
  static const int order[3] = {60, 70, 80};
  static perm_integer numbers[81];
  static int64_t a[2][400];
  double least[3] = {1e9, 1e9, 1e9};
  generate_random random = {7};
  perm_options options;
  perm_result result;
  int g, k, run;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  for (g = 0; g < 3; g++) {
    perm_matrix matrix = fullerene_make(order[g]);
    double seconds, first = 0, best = 1e9;
    for (run = 0; run < 5; run++) {
      seconds = bench_cpu();
      if (perm_permanental_polynomial_sparse(&matrix, &options, numbers, &result) != PERM_OK)
        printf("C%d: %s\n", order[g], result.message);
      seconds = bench_cpu() - seconds;
      first = run ? first : seconds;
      best = seconds < best ? seconds : best;
    }
    printf("C%d: %d coefficients in %.3f s, at first %.3f s; method %s, %.3g states\n", order[g], order[g] + 1, best,
           first, perm_name("method", result.method), result.terms);
    perm_matrix_free(&matrix);
  }
  for (k = 0; k < 800; k++)
    a[k / 400][k % 400] = (int64_t)(19 * generate_uniform(&random)) - 9;
  for (run = 0; run < 60; run++) {
    const double begin = bench_cpu();
    double seconds;
    if (run % 3 == 0)
      perm_compute_integer(20, 20, a[0], 20, &options, &result);
    else if (run % 3 == 1)
      perm_permanental_polynomial(20, a[0], 20, &options, numbers, &result);
    else
      perm_polynomial_integer(20, 20, a[0], 20, a[1], 20, 20, &options, numbers, &result);
    seconds = bench_cpu() - begin;
    least[run % 3] = seconds < least[run % 3] ? seconds : least[run % 3];
  }
  static const int cuts[3][3] = {{3}, {2, 1}, {1, 1, 1}};
  static double u[4 * 288], value[16], bound[8];
  for (k = 0; k < 4 * 288; k++)
    u[k] = (generate_uniform(&random) - 0.5) / 3;
  for (g = 0; g < 3; g++) {
    double best = 1e9;
    for (run = 0; run < 20; run++) {
      const double begin = bench_cpu();
      perm_polynomial_several_complex(12, 12, g + 1, u, 12, cuts[g], &options, value, bound, &result);
      best = fmin(best, bench_cpu() - begin);
    }
    printf("12 photons, %d variable%s, %d coefficients: %.5f s\n", g + 1, g ? "s" : "", 4 + 2 * g, best);
  }
  printf("20 x 20, -9 .. 9: permanent %.5f s; per(xI - A) %.1f, per(C + x L) %.1f times that\n", least[0],
         least[1] / least[0], least[2] / least[0]);
}

#endif
/* SPDX-License-Identifier: MIT */
