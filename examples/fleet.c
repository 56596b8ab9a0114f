/* Order statistics of many: 200 machines, each with its own lifetime, when has the r-th failed? With F_i(x) the chance
   that machine i has failed and f_i(x) its density (R. B. Bapat, M. I. Beg, Sankhya A 51 (1989) 79-93):
     P(r-th <= x)              sum over k >= r of per[F k times, 1 - F n - k times] / (k! (n - k)!)
     its density               per[F r - 1 times, f, 1 - F n - r times] / ((r - 1)! (n - r)!)
     joint density with the    per[F(x) r - 1 times, f(x), F(y) - F(x) s - r - 1 times, f(y), 1 - F(y) n - s times]
       s-th at y > x             / ((r - 1)! (s - r - 1)! (n - s)!)
   Of the 200 columns five are different, so that a sum over multiplicities is short; and nothing cancels.
   Build:  cc -O2 -I.. fleet.c -o fleet -lm
   Usage:  fleet */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm.h"

enum { N = 200, KINDS = 5 };

/* Lifetimes: Weibull, each machine with its own scale and shape. */
static double scale(int i) { return 1 + 0.02 * i; }
static double shape(int i) { return 1 + 0.1 * (i % 4); }
static double failed(int i, double x) { return x > 0 ? -expm1(-pow(x / scale(i), shape(i))) : 0; }
static double density(int i, double x)
{
  return shape(i) / x * pow(x / scale(i), shape(i)) * exp(-pow(x / scale(i), shape(i)));
}

/* The permanent of counts[k] columns of kind k, over the product of counts[k]!. The kinds: F(x), f(x), F(y) - F(x),
   f(y), 1 - F(y). */
static double term(double x, double y, const int *counts)
{
  double columns[N][KINDS], value;
  perm_result result;
  int i, k, exponent = 0;
  for (i = 0; i < N; i++) {
    columns[i][0] = failed(i, x);
    columns[i][1] = density(i, x);
    columns[i][2] = failed(i, y) - failed(i, x);
    columns[i][3] = density(i, y);
    columns[i][4] = 1 - failed(i, y);
  }
  if (perm_compute_repeated_real(N, KINDS, &columns[0][0], KINDS, NULL, counts, NULL, &result) != PERM_OK) {
    fprintf(stderr, "fleet: %s\n", result.message);
    exit(1);
  }
  for (value = result.value, k = 0; k < KINDS; k++) /* 200! is beyond double */
    for (i = 2; i <= counts[k]; i++) {
      int e;
      value = frexp(value / i, &e);
      exponent += e;
    }
  return ldexp(value, exponent + (int)result.exp2);
}

static double until(int r, double x) /* P(r-th <= x) */
{
  double sum = 0;
  int k;
  for (k = r; k <= N; k++) {
    const int counts[KINDS] = {k, 0, 0, 0, N - k};
    sum += term(x, x, counts);
  }
  return sum;
}

static double density_of(int r, double x)
{
  const int counts[KINDS] = {r - 1, 1, 0, 0, N - r};
  return term(x, x, counts);
}

static double joint_density(int r, double x, int s, double y)
{
  const int counts[KINDS] = {r - 1, 1, s - r - 1, 1, N - s};
  return term(x, y, counts);
}

int main(void)
{
  const int r[6] = {1, 2, 20, 100, 181, 200};
  const double x[6] = {0.02, 0.05, 0.34, 1.96, 6.1, 17.5};
  clock_t start = clock();
  int i;
  printf("  r      x  P(r-th <= x)      density\n");
  for (i = 0; i < 6; i++)
    printf("%3d  %5.2f  %.14f  %.14f\n", r[i], x[i], until(r[i], x[i]), density_of(r[i], x[i]));
  printf("density of the 20th at %.2f, the 181st at %.2f  %.14f\n", x[2], x[4], joint_density(20, x[2], 181, x[4]));
  printf("%.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
  return 0;
}
/* SPDX-License-Identifier: MIT */
