/* Photons that are alike to a degree. n of them enter an n-port Fourier interferometer U; the wave packets of any two
   overlap by x: from 0, when they go like balls, to 1. How many leave through the first half of the outputs? Behind
   phase shifters there, by z, they would be as they were with amplitude per(A), a_ij = x V_ij (i = j: V_ij), V = U*
   diag(z, .., 1, ..) U. That is a polynomial, the sum of P(k) z^k (B. Seron, L. Novo, A. Arkhipov, N. J. Cerf,
   arXiv:2212.09643). n = 2 is Hong, Ou and Mandel's dip: P(1) = (1 - x^2)/2.
   Build:  cc -O2 -I.. overlap.c -o overlap -lm
   Usage:  overlap [PHOTONS]      2 to 20; else 2, 3 and 4 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"

enum { MOST = 20, OVERLAPS = 5 };
static const double turn = 6.283185307179586477;

/* P(k), k = 0 .. n, in the first half of the outputs. */
static void distribution(int n, double overlap, double *chance)
{
  double a[2][2 * MOST * MOST] = {{0}}, coefficients[2 * MOST + 2]; /* without z, and what z is a factor of */
  perm_result r;
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++) { /* output k: conj(u_ki) u_kj, u_kj = exp(2 pi i k j / n) / sqrt(n) */
        const double angle = turn * (k * (j - i + n) % n) / n;
        a[k < n / 2][2 * (i * n + j)] += (i == j ? 1 : overlap) * cos(angle) / n;
        a[k < n / 2][2 * (i * n + j) + 1] += (i == j ? 1 : overlap) * sin(angle) / n;
      }
  if (perm_polynomial_complex(n, n, a[0], n, a[1], n, n, NULL, coefficients, NULL, &r) != PERM_OK) {
    fprintf(stderr, "overlap: %s\n", r.message);
    exit(1);
  }
  for (k = 0; k <= n; k++)
    chance[k] = coefficients[2 * k];
}

static void print(int n)
{
  double chance[OVERLAPS][MOST + 1];
  int i, k;
  for (i = 0; i < OVERLAPS; i++)
    distribution(n, (double)i / (OVERLAPS - 1), chance[i]);
  for (k = 0; k <= n; k++) {
    printf("%7d %14d ", n, k);
    for (i = 0; i < OVERLAPS; i++)
      printf(" %.12f", fmax(chance[i][k], 0)); /* not -0, by rounding */
    printf("\n");
  }
}

int main(int argc, char **argv)
{
  const int photons = argc > 1 ? atoi(argv[1]) : 0;
  int i, n;
  if (argc > 1 && (photons < 2 || photons > MOST)) {
    fprintf(stderr, "usage: overlap [PHOTONS, 2 to %d]\n", MOST);
    return 2;
  }
  printf("photons  in half of the outputs, when the overlap is\n%22s", "");
  for (i = 0; i < OVERLAPS; i++)
    printf("  %13.2f", (double)i / (OVERLAPS - 1));
  printf("\n");
  for (n = argc > 1 ? photons : 2; n <= (argc > 1 ? photons : 4); n++)
    print(n);
  return 0;
}
/* SPDX-License-Identifier: MIT */
