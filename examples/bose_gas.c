/* A permanental point process: N ideal bosons at temperature T on a ring are found at x_1 .. x_N with a probability
   proportional to per [K(x_i - x_j)], K = exp(-H/T); fermions the same with the determinant. Gibbs sampling: one
   particle at a time is put anew, anywhere, by the permanents of all its places, one batch. Bosons bunch: two of them
   are found at the same place twice as often as far apart; fermions never are.
   Build:  cc -O2 -I.. bose_gas.c -o bose_gas -lm
   Usage:  bose_gas [PICTURE.svg] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm.h"
#include "perm_plot.h"
#include "perm_random.h"

enum { SITES = 32, N = 6, HALF = SITES / 2, BLOCKS = 20, SWEEPS = 500 };

static double kernel[N + 1][SITES]; /* K^k(x), translation invariant */

/* H = p^2: K^k(x) = mean over momenta p of exp(-k p^2 / T) cos(p x). */
static void make_kernels(double temperature)
{
  int k, x, p;
  for (k = 1; k <= N; k++)
    for (x = 0; x < SITES; x++)
      for (kernel[k][x] = 0, p = -HALF; p < HALF; p++) {
        double momentum = 6.283185307179586477 * p / SITES;
        kernel[k][x] += exp(-k * momentum * momentum / temperature) * cos(momentum * x) / SITES;
      }
}

/* Pair correlation without permanents, from the partition functions Z_n = 1/n sum over k of (+-1)^(k-1) tr(K^k) Z_(n-k)
   (P. Borrmann, G. Franke, J. Chem. Phys. 98 (1993) 2484): the direct term is the same everywhere and taken as 1, the
   exchange term, sign * sum of K^k(x) K^l(x), is added. */
static double correlation(int sign, int x)
{
  double z[N + 1] = {1}, direct = 0, exchange = 0;
  int n, k, l;
  for (n = 1; n <= N; n++)
    for (k = 1; k <= n; k++)
      z[n] += (sign < 0 && k % 2 == 0 ? -1 : 1) * SITES * kernel[k][0] * z[n - k] / n;
  for (k = 1; k < N; k++)
    for (l = 1; k + l <= N; l++) {
      double weight = (sign < 0 && (k + l) % 2 ? -1 : 1) * z[N - k - l];
      direct += weight * kernel[k][0] * kernel[l][0];
      exchange += weight * kernel[k][x] * kernel[l][x];
    }
  return 1 + sign * exchange / direct;
}

/* Determinant of an N x N matrix, which is destroyed: positive definite, so without pivots. */
static double determinant(double *a)
{
  double product = 1;
  int i, j, k;
  for (k = 0; k < N; product *= a[k * N + k], k++)
    for (i = k + 1; i < N; i++)
      for (j = N - 1; j >= k && a[k * N + k] > 0; j--)
        a[i * N + j] -= a[i * N + k] / a[k * N + k] * a[k * N + j];
  return product;
}

/* Puts particle i anew by the weights of all its places. */
static void place(int sign, int *position, int i, generate_random *random)
{
  static double matrix[SITES][N * N], weight[SITES];
  const perm_options options = {.threads = 1};
  perm_result result;
  double draw = 0;
  int s, j, k;
  for (s = 0; s < SITES; s++)
    for (position[i] = s, j = 0; j < N; j++)
      for (k = 0; k < N; k++)
        matrix[s][j * N + k] = kernel[1][abs(position[j] - position[k])];
  if (sign < 0)
    for (s = 0; s < SITES; s++)
      weight[s] = fmax(determinant(matrix[s]), 0);
  else if (perm_batch_real(N, SITES, matrix[0], N * N, &options, weight, &result) != PERM_OK) {
    fprintf(stderr, "bose_gas: %s\n", result.message);
    exit(1);
  }
  for (s = 0; s < SITES; s++)
    draw += weight[s];
  for (draw *= generate_uniform(random), s = 0; s < SITES - 1 && (draw -= weight[s]) >= 0; s++)
    ;
  position[i] = s;
}

/* The same by counting pairs, relative to distances over a quarter of the ring; mean and standard error over blocks. */
static void simulate(int sign, double *mean, double *error)
{
  generate_random random = {1993};
  int position[N], block, sweep, x, i, j;
  for (i = 0; i < N; i++)
    position[i] = i * SITES / N;
  for (block = -1; block < BLOCKS; block++) { /* the first is not counted */
    double count[HALF + 1] = {0}, far = 0;
    for (sweep = 0; sweep < SWEEPS; sweep++) {
      for (i = 0; i < N; i++)
        place(sign, position, i, &random);
      for (i = 0; i < N; i++)
        for (j = 0; j < i; j++) {
          x = abs(position[i] - position[j]);
          x = x < SITES - x ? x : SITES - x;
          count[x] += x % HALF ? 0.5 : 1; /* two sites are at distance x, but for 0 and HALF */
        }
    }
    for (x = HALF / 2 + 1; x <= HALF; x++)
      far += count[x] / (HALF - HALF / 2);
    for (x = 0; block >= 0 && x <= HALF; x++) {
      mean[x] += count[x] / far / BLOCKS;
      error[x] += count[x] / far * (count[x] / far); /* the sum of squares so far */
    }
  }
  for (x = 0; x <= HALF; x++)
    error[x] = sqrt(fmax(error[x] / BLOCKS - mean[x] * mean[x], 0) / (BLOCKS - 1));
}

int main(int argc, char **argv)
{
  static const char *const name[] = {"bosons", "fermions"};
  static const char *const label[2][2] = {{"bosons, exact", "bosons, sampled"},
                                          {"fermions, exact", "fermions, sampled"}};
  double distance[HALF + 1], exact[2][HALF + 1], mean[2][HALF + 1] = {{0}}, error[2][HALF + 1] = {{0}};
  plot_figure figure;
  plot_panel *panel;
  int kind, x;
  make_kernels(0.5);
  for (kind = 0; kind < 2; kind++) {
    double chi_square = 0;
    simulate(1 - 2 * kind, mean[kind], error[kind]);
    for (x = 0; x <= HALF; x++) {
      distance[x] = x;
      exact[kind][x] = correlation(1 - 2 * kind, x);
      if (error[kind][x] > 0)
        chi_square += pow((mean[kind][x] - exact[kind][x]) / error[kind][x], 2);
    }
    printf("%-8s  at the same place %.4f, sampled %.4f +- %.4f; all distances: chi-square %.1f of %d\n", name[kind],
           exact[kind][0], mean[kind][0], error[kind][0], chi_square, HALF);
  }
  if (argc < 2)
    return 0;
  plot_begin(&figure, 760, 480, "Pairs in an ideal gas: bosons bunch, fermions do not meet");
  panel = plot_add(&figure, 1, 1, 0, "distance in sites of the ring", "pairs, relative to far apart");
  for (kind = 0; kind < 2; kind++) {
    const char *colour = plot_colours[kind];
    plot_draw(panel, kind ? PLOT_LINE | PLOT_DASHED : PLOT_LINE, HALF + 1, distance, exact[kind], NULL, label[kind][0])
        ->colour = colour;
    plot_draw(panel, PLOT_POINTS, HALF + 1, distance, mean[kind], error[kind], label[kind][1])->colour = colour;
  }
  return plot_write(&figure, argv[1]);
}
/* SPDX-License-Identifier: MIT */
