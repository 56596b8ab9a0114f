/* Photons that are alike to a degree. n of them enter an n-port Fourier interferometer U; the wave packets of any two
   overlap by x: from 0, when they go like balls, to 1. How many leave through the first half of the outputs? Behind
   phase shifters there, by z, they would be as they were with amplitude per(A), a_ij = x V_ij (i = j: V_ij), V = U*
   diag(z, .., 1, ..) U. That is a polynomial, the sum of P(k) z^k; its coefficients come from n + 1 permanents at roots
   of unity (B. Seron, L. Novo, A. Arkhipov, N. J. Cerf, arXiv:2212.09643). n = 2 is Hong, Ou and Mandel's dip: P(1) =
   (1 - x^2)/2.
   Build:  cc -O2 -I.. overlap.c -o overlap -lm
   Usage:  overlap [PHOTONS]      2 to 20; else 2, 3 and 4 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm.h"

enum { MOST = 20, OVERLAPS = 5 };
static const double turn = 6.283185307179586477;

/* per(A) at z = exp(2 pi i point / (n + 1)). */
static void amplitude(int n, double overlap, int point, double value[2])
{
  double a[2 * MOST * MOST] = {0}, z = turn * point / (n + 1);
  perm_result r;
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++) { /* output k: conj(u_ki) u_kj, u_kj = exp(2 pi i k j / n) / sqrt(n) */
        const double angle = turn * (k * (j - i + n) % n) / n + (k < n / 2 ? z : 0);
        a[2 * (i * n + j)] += (i == j ? 1 : overlap) * cos(angle) / n;
        a[2 * (i * n + j) + 1] += (i == j ? 1 : overlap) * sin(angle) / n;
      }
  if (perm_compute_complex(n, n, a, n, NULL, &r) != PERM_OK) {
    fprintf(stderr, "overlap: %s\n", r.message);
    exit(1);
  }
  value[0] = ldexp(r.value, (int)r.exp2);
  value[1] = ldexp(r.imaginary, (int)r.exp2);
}

/* P(k), k = 0 .. n, in the first half of the outputs: the coefficients by the discrete Fourier transform. */
static void distribution(int n, double overlap, double *chance)
{
  double value[MOST + 1][2];
  int k, point;
  for (point = 0; point <= n; point++)
    amplitude(n, overlap, point, value[point]);
  for (k = 0; k <= n; k++)
    for (point = 0, chance[k] = 0; point <= n; point++) {
      const double angle = turn * (k * point % (n + 1)) / (n + 1);
      chance[k] += (value[point][0] * cos(angle) + value[point][1] * sin(angle)) / (n + 1);
    }
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
