/* ========================================================================================= >>hybrid
   Signs outside, elimination inside. Glynn's sum over the signs d of the columns,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   runs term by term over outer columns. Inner columns are eliminated [Dec99]: a row is a table over the signs of its
   inner columns, and the product of the tables with an inner column is folded, f = f[+] - f[-]. Outer signs only shift
   the rows' bases, so one straight program serves vectors of patterns.

     slots       a number for each lane: n bases, then tables; bit b of an index is the sign of the b-th column
     constants   signed sums of a row's inner entries; row sum y = base + constant
     instructions  runs of statements; the factor with fewer columns is held for a group
     columns     inner | low, unrolled in Gray order | high, a loop in Gray order | lanes | one fixed +
   Row sums are exact, on the grid of >>dense. Tried without gain: rows divided by an inner entry (inexact quotients);
   slots of 16 or 64 doubles; 110 slots, for the first-level cache (1.4 times as long). */
#pragma once
#include "../graph/order.h"
#include "../graph/vectors.h"

/* Runs a chunk's blocks: totals, then low parts, at total; sums of |terms| at absolute. */
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

/* SPDX-License-Identifier: MIT */
