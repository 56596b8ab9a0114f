/* How likely are data under a model that one can only draw from? A trial at a level succeeds if its threshold, drawn by
   the model, is not above. Thresholds are exchangeable: of n that were drawn, the share of ways to give one to each
   trial so that all data fit is per(A)/n!, a_ij = 1 if threshold j fits trial i; the mean of that is the marginal
   likelihood (D. Christensen, Bayesian Anal. 19 (2024) 293-318). Rows of A are nested, so that even n = 120 is exact.
   Two models: thresholds are logistic, around 0 or around a place that is normal itself (spread 1).
   Build:  cc -O2 -I.. binary_response.c -o binary_response -lm
   Usage:  binary_response [TRIALS [SAMPLES]]      trials at each of six levels, 10; samples, 300 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
#include "perm_random.h"

enum { LEVELS = 6, MOST = 20 * LEVELS };
static const double level[LEVELS] = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}, rate[LEVELS] = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9};

/* The permanent over n!: the share of ways to give thresholds x to the trials that fit the data. */
static double share(int trials, const double *x)
{
  static double a[MOST * MOST];
  const int n = trials * LEVELS;
  perm_matrix matrix;
  perm_result r;
  int i, j;
  for (i = 0; i < n; i++) {
    const int at = i / trials, success = i % trials < (int)(trials * rate[at] + 0.5);
    for (j = 0; j < n; j++)
      a[i * n + j] = (x[j] <= level[at]) == success;
  }
  if (perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &r) != PERM_OK ||
      perm_compute_sparse(&matrix, NULL, &r) != PERM_OK) {
    fprintf(stderr, "binary_response: %s\n", r.message);
    exit(1);
  }
  perm_matrix_free(&matrix);
  return r.value > 0 ? exp(log(r.value) + (double)r.exp2 * log(2) - lgamma(n + 1)) : 0;
}

static void show(int trials, const double *x, double fits)
{
  int i, j, below;
  printf("sample: ");
  for (i = 0; i < LEVELS; i++) {
    for (j = below = 0; j < trials * LEVELS; j++)
      below += x[j] <= level[i];
    printf("%4d", below);
  }
  printf(" thresholds below the levels, fit by %.15g\n", fits);
}

/* Draws thresholds: logistic, around a normal location whose standard deviation is `spread`. */
static void draw(generate_random *random, double spread, int n, double *x)
{
  double location, other;
  int j;
  generate_normals(random, &location, &other);
  for (j = 0; j < n; j++) {
    const double u = generate_positive(random);
    x[j] = spread * location + log(u / (1 - u + ldexp(1, -54)));
  }
}

int main(int argc, char **argv)
{
  const int trials = argc > 1 ? atoi(argv[1]) : 10, samples = argc > 2 ? atoi(argv[2]) : 300;
  generate_random random = {2024};
  double x[MOST];
  int spread, k;
  if (trials < 1 || trials > MOST / LEVELS || samples < 2) {
    fprintf(stderr, "usage: binary_response [TRIALS, 1 to %d [SAMPLES]]\n", MOST / LEVELS);
    return 2;
  }
  for (spread = 0; spread < 2; spread++) {
    double sum = 0, squares = 0;
    clock_t start = clock();
    for (k = 0; k < samples; k++) {
      double fits;
      draw(&random, spread, trials * LEVELS, x);
      fits = share(trials, x);
      if (k < 3)
        show(trials, x, fits);
      sum += fits;
      squares += fits * fits;
    }
    printf("spread %d, %d samples: log marginal likelihood %.4f +- %.4f, %.1f ms a sample\n", spread, samples,
           log(sum / samples), sqrt(fmax(squares - sum * sum / samples, 0)) / sum,
           1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / samples);
  }
  return 0;
}
/* SPDX-License-Identifier: MIT */
