/* Order statistics of independent variables that are not identically distributed: when will the r-th of n machines have
   failed? P(r-th smallest <= x) is a sum of permanents of two repeated columns, F_i(x) and 1 - F_i(x); two of them
   together are one of three columns (R. B. Bapat, M. I. Beg, Sankhya A 51 (1989) 79-93).
   Build:  cc -O2 -I.. order_statistics.c -o order_statistics -lm
   Usage:  order_statistics [PICTURE.svg] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm.h"
#include "perm_plot.h"
#include "perm_random.h"

enum { N = 10, SAMPLES = 100000 };

/* Lifetimes: Weibull, each machine with its own scale and shape. */
static double scale(int i) { return 1 + 0.3 * i; }
static double shape(int i) { return 1 + 0.1 * (i % 4); }
static double distribution(int i, double x) { return x > 0 ? -expm1(-pow(x / scale(i), shape(i))) : 0; }

/* P(r-th smallest <= x and s-th smallest <= y), x <= y: sums over a >= r of the machines failed by x, and b more by y
   with a + b >= s. Each term is the permanent of a columns F(x), b columns F(y) - F(x), c columns 1 - F(y), over
   a! b! c!. r = 0 leaves the first condition out. */
static double joint(int r, double x, int s, double y)
{
  double columns[N][3], sum = 0;
  int i, a, b;
  for (i = 0; i < N; i++) {
    columns[i][0] = distribution(i, x);
    columns[i][1] = distribution(i, y) - columns[i][0];
    columns[i][2] = 1 - distribution(i, y);
  }
  for (a = r; a <= N; a++)
    for (b = s > a ? s - a : 0; a + b <= N; b++) {
      const int counts[3] = {a, b, N - a - b};
      perm_result result;
      if (perm_compute_repeated_real(N, 3, &columns[0][0], 3, NULL, counts, NULL, &result) != PERM_OK) {
        fprintf(stderr, "order_statistics: %s\n", result.message);
        exit(1);
      }
      sum += ldexp(result.value, (int)result.exp2) / (tgamma(a + 1) * tgamma(b + 1) * tgamma(N - a - b + 1));
    }
  return sum;
}

static int ascending(const void *a, const void *b)
{
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double lifetimes[SAMPLES][N]; /* simulated, in order */

/* The same by counting. */
static double simulated(int r, double x, int s, double y)
{
  int k, hits = 0;
  for (k = 0; k < SAMPLES; k++)
    hits += (r == 0 || lifetimes[k][r - 1] <= x) && lifetimes[k][s - 1] <= y;
  return (double)hits / SAMPLES;
}

static int picture(const char *path)
{
  enum { POINTS = 97, EVERY = 8, CURVES = 4 };
  plot_figure figure;
  plot_panel *panel;
  double x[POINTS], exact[POINTS], at[POINTS], counted[POINTS];
  char label[32];
  int curve, i, points = 0;
  plot_begin(&figure, 760, 480, "Ten machines with different lifetimes: when has the r-th failed?");
  panel = plot_add(&figure, 1, 1, 0, "time, in units of the first machine's mean", "probability that r have failed");
  for (curve = 0; curve < CURVES; curve++) {
    const int r = 1 + 3 * curve;
    for (i = 0; i < POINTS; i++) {
      x[i] = 0.1 * i;
      exact[i] = joint(0, 0, r, x[i]);
      if (i % EVERY == 2 * curve) {
        at[points] = x[i];
        counted[points++] = simulated(0, 0, r, x[i]);
      }
    }
    snprintf(label, sizeof label, "r = %d", r);
    plot_draw(panel, PLOT_LINE, POINTS, x, exact, NULL, label);
  }
  plot_draw(panel, PLOT_POINTS | PLOT_SMALL, points, at, counted, NULL, "simulated")->colour = "#000000";
  return plot_write(&figure, path);
}

int main(int argc, char **argv)
{
  generate_random random = {1989};
  int i, k, r;
  for (k = 0; k < SAMPLES; k++) {
    for (i = 0; i < N; i++)
      lifetimes[k][i] = scale(i) * pow(-log(generate_positive(&random)), 1 / shape(i));
    qsort(lifetimes[k], N, sizeof lifetimes[k][0], ascending);
  }
  printf("  r    x  P(r-th <= x)      simulated\n");
  for (r = 1; r <= N; r++)
    printf("%3d %4.1f  %.14f  %.4f\n", r, 0.6 * r, joint(0, 0, r, 0.6 * r), simulated(0, 0, r, 0.6 * r));
  printf("P(3rd <= 1 and 8th <= 3)  %.14f  %.4f\n", joint(3, 1, 8, 3), simulated(3, 1, 8, 3));
  return argc > 1 && picture(argv[1]);
}
/* SPDX-License-Identifier: MIT */
