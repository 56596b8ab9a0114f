/* Electron pairs as geminals. In a product of P geminals G_p = sum over k of c(p,k) b_k', where b_k' creates the one
   pair that level k can hold, the coefficient of the determinant with P levels filled is the permanent of these columns
   of c; the sum of all coefficients is the permanent of the rectangular c (P. A. Limacher et al., J. Chem. Theory
   Comput. 9 (2013) 1394). With c(p,k) = 1/(2 e_k - E_p) and the E_p of Richardson's equations, it is an eigenstate of
   the pairing Hamiltonian sum of 2 e_k n_k - g sum of b_k' b_l; and c is a Cauchy matrix, for which Borchardt's
   identity turns permanents into determinants.
   Build:  cc -O2 -I.. geminals.c -o geminals -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"

enum { PAIRS = 5, LEVELS = 10, DETERMINANTS = 252 }; /* C(LEVELS, PAIRS) */
static const double g = 0.3;                         /* attraction */

static void need(perm_status status, const perm_result *result)
{
  if (status == PERM_OK)
    return;
  fprintf(stderr, "geminals: %s\n", result->message);
  exit(1);
}

/* Richardson's equations 1 = g sum over k of 1/(2 e_k - E_p) - 2 g sum over q of 1/(E_q - E_p), for weak attraction:
   each E_p stays below its level, and iteration gets there. Returns the change of the last step. */
static double richardson(const double *twice_level, double *pair_energy)
{
  double change = 0;
  int p, k, step;
  for (p = 0; p < PAIRS; p++)
    pair_energy[p] = twice_level[p] - g;
  for (step = 0; step < 500; step++)
    for (change = 0, p = 0; p < PAIRS; p++) {
      double rest = 1, next;
      for (k = 0; k < LEVELS; k++)
        rest -= k == p ? 0 : g / (twice_level[k] - pair_energy[p]);
      for (k = 0; k < PAIRS; k++)
        rest += k == p ? 0 : 2 * g / (pair_energy[k] - pair_energy[p]);
      next = twice_level[p] - g / rest;
      change = fmax(change, fabs(next - pair_energy[p]));
      pair_energy[p] = next;
    }
  return change;
}

int main(void)
{
  double twice_level[LEVELS], pair_energy[PAIRS], c[PAIRS][LEVELS], coefficient[DETERMINANTS], nodes[PAIRS];
  double sum = 0, energy = 0, norm = 0, residual = 0, borchardt = 0, occupation[LEVELS] = {0};
  int columns[DETERMINANTS][PAIRS], filled[DETERMINANTS], place[1 << LEVELS], d, p, k, l, set, number = 0;
  perm_result r;

  for (k = 0; k < LEVELS; k++)
    twice_level[k] = 2 * (k + 1);
  printf("Richardson's equations solved to %.0e\n", richardson(twice_level, pair_energy));
  for (p = 0; p < PAIRS; p++) {
    energy += pair_energy[p];
    for (k = 0; k < LEVELS; k++)
      c[p][k] = 1 / (twice_level[k] - pair_energy[p]);
  }

  for (set = 0; set < 1 << LEVELS; set++) { /* all sets of PAIRS levels */
    for (p = 0, k = 0; k < LEVELS; k++)
      p += set >> k & 1;
    if (p != PAIRS)
      continue;
    for (p = 0, k = 0; k < LEVELS; k++)
      if (set >> k & 1)
        columns[number][p++] = k;
    filled[number] = set;
    place[set] = number++;
  }
  need(perm_select_real(PAIRS, LEVELS, c[0], LEVELS, PAIRS, DETERMINANTS, NULL, columns[0], NULL, coefficient, &r), &r);

  for (d = 0; d < DETERMINANTS; d++) {
    double h = -energy * coefficient[d]; /* (H - E) applied to the state */
    for (p = 0; p < PAIRS; p++)
      nodes[p] = twice_level[columns[d][p]];
    need(perm_compute_cauchy_real(PAIRS, nodes, pair_energy, NULL, NULL, &r), &r);
    borchardt = fmax(borchardt, fabs(ldexp(r.value, (int)r.exp2) / coefficient[d] - 1));
    for (k = 0; k < LEVELS; k++)
      for (l = 0; l < LEVELS; l++) /* a pair goes from l to k */
        if (filled[d] >> k & 1 && (k == l || !(filled[d] >> l & 1)))
          h += (k == l ? twice_level[k] * coefficient[d] : 0) - g * coefficient[place[(filled[d] ^ 1 << k) | 1 << l]];
    residual = fmax(residual, fabs(h));
    sum += coefficient[d];
    norm += coefficient[d] * coefficient[d];
    for (p = 0; p < PAIRS; p++)
      occupation[columns[d][p]] += coefficient[d] * coefficient[d];
  }
  need(perm_compute_real(PAIRS, LEVELS, c[0], LEVELS, NULL, &r), &r);
  printf("sum of %d coefficients / rectangular permanent - 1: %.0e\n", number, sum / ldexp(r.value, (int)r.exp2) - 1);
  printf("Borchardt's identity, largest relative difference: %.0e\n", borchardt);
  printf("|(H - E) state| / |state|, largest component: %.0e; E = %.12f\n", residual / sqrt(norm), energy);
  printf("occupation:");
  for (k = 0; k < LEVELS; k++)
    printf(" %.6f", occupation[k] / norm);
  printf("\n");
  return 0;
}
/* SPDX-License-Identifier: MIT */
