/* ========================================================================================= >>hybrid
   Signs outside, elimination inside. Glynn's sum over the signs d of the columns,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   runs term by term over outer columns; inner columns are eliminated [Dec99]: a row is a table over the signs of its
   inner columns, and the product of the tables with an inner column is folded, f = f[+] - f[-]. Outer signs enter only
   through the rows' bases, their sums of outer entries, so a straight program serves vectors of sign patterns.

     slots       a number for each lane's pattern: n bases, then tables; bit b of an index is its b-th column's sign
     constants   signed sums of a row's inner columns, indexed alike; row sum y = base + constant
     instructions  runs of statements; of two factors the one with fewer columns is held for a group
     columns     inner | low, unrolled in Gray order: only tables that a turned column touches are computed again |
                 high, a loop in Gray order | lanes | one fixed +
   Row sums are exact, on the grid of >>dense. No gain: dividing rows by an inner entry, f z +- f, whose quotients are
   not exact; slots of 16 or 64 doubles (within 10 %); 110 slots, for the first-level cache (1.4 times as long). */
#pragma once
#include "../graph/order.h"
#include "../graph/vectors.h"

/* Runs a chunk's blocks: values at total[k], their errors at total[DOUBLES + k], sums of |terms| at absolute. */
static void permi_hybrid_walk(const permi_hybrid *hybrid, uint64_t chunk, double *slot)
{
  const permi_hybrid_family *family = hybrid->family;
  const int n = hybrid->n, parts = hybrid->parts, lanes = hybrid->lanes;
  double *block = slot + PERMI_HYBRID_ROOM;
  double *total = block + PERMI_HYBRID_DOUBLES, *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2), gray = s ^ s >> 1;
  int i, j, k, p;
  for (i = 0; i < n; i++)
    for (p = 0; p < parts; p++) {
      double base = hybrid->start[i * parts + p];
      for (j = 0; j < hybrid->high; j++)
        if (gray >> j & 1)
          base -= hybrid->step[(j * n + i) * parts + p];
      for (k = 0; k < lanes; k++)
        slot[8 * permi_hybrid_line(i) + p * lanes + k] = base + hybrid->lane[(i * parts + p) * lanes + k];
    }
  memset(total, 0, 4 * PERMI_HYBRID_DOUBLES * sizeof *total);
  for (;;) {
    memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
    family->execute[hybrid->algebra](hybrid, slot, block);
    family->add(hybrid, block, total, (int)(s & 1));
    if (!hybrid->runs && !(permi_scatter(s) & hybrid->absolute_mask)) {
      memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
      family->absolute[hybrid->algebra](hybrid, slot, block);
      for (k = 0; k < lanes; k++)
        absolute[k] += block[k];
    }
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), slot);
  }
}

static void permi_hybrid_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const int lanes = hybrid->lanes;
  const double *total = (double *)workspace + PERMI_HYBRID_ROOM + PERMI_HYBRID_DOUBLES;
  const double *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double sampled = 0;
  int k, p;
  permi_hybrid_walk(hybrid, chunk, (double *)workspace);
  for (p = 0; p < (permi_hybrid_is_complex((int)hybrid->algebra) ? 2 : 1); p++)
    for (k = 0; k < lanes; k++)
      if (hybrid->sign[k] != 0) {
        perm_sum *sum = p ? &partial->imaginary : &partial->value;
        permi_sum_add_double(sum, hybrid->sign[k] * total[p * lanes + k]);
        permi_sum_add_double(sum, hybrid->sign[k] * total[PERMI_HYBRID_DOUBLES + p * lanes + k]);
      }
  for (k = 0; k < lanes; k++)
    sampled += absolute[k] * fabs(hybrid->sign[k]);
  permi_sum_add_double(&partial->absolute, sampled * (hybrid->absolute_mask + 1.0));
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->low + hybrid->lanes_log2);
}
/* SPDX-License-Identifier: MIT */
