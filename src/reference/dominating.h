/* ===================================================================================== >>dominating
   Ryser's sum over the sets of columns that meet the neighbourhoods S_1, S_2, ... of rows sharing no column [LM,
   appendix B]; other sets leave a row empty. The non-empty subsets of each S, and each other column, are a digit of
   >>sparyser. Rows are chosen greedily by least degree from many random starts. */
#pragma once
#include "sparyser.h"

#define PERMI_DOMINATING_STARTS 64
#define PERMI_DOMINATING_COLUMNS 20 /* so that a digit is an int */

static permi_ryser_split permi_dominating_split(const permi_block *block, int side, int which)
{
  const int n = block->n, mine = side * n, other = n - mine;
  permi_ryser_split best, trial;
  uint64_t columns[PERM_MAX_N], seed = UINT64_C(88172645463325252);
  double least = (double)INFINITY;
  int start, i, e;
  (void)which;
  memset(&best, 0, sizeof best);
  best.without = -1;
  for (i = 0; i < n; i++) {
    columns[i] = 0;
    for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++)
      columns[i] |= UINT64_C(1) << (block->neighbour[e] - other);
  }
  for (start = 0; start < PERMI_DOMINATING_STARTS; start++) {
    uint64_t left = ~UINT64_C(0) >> (PERM_MAX_N - n);
    double bits = n;
    trial = best;
    trial.groups = 0;
    for (;;) {
      int row = -1, degree = PERMI_DOMINATING_COLUMNS + 1, ties = 0;
      for (i = 0; i < n; i++) {
        const int size = block->start[mine + i + 1] - block->start[mine + i];
        if (!(left >> i & 1) || size > degree || size > PERMI_DOMINATING_COLUMNS)
          continue;
        ties = size < degree ? 1 : ties + 1;
        degree = size;
        if (permi_order_below(&seed, ties) == 0)
          row = i;
      }
      if (row < 0)
        break;
      trial.group[trial.groups++] = columns[row];
      bits += log2(ldexp(1, degree) - 1) - degree;
      for (i = 0; i < n; i++)
        left &= ~((uint64_t)((columns[i] & columns[row]) != 0) << i);
    }
    if (bits < least) {
      least = bits;
      best = trial;
    }
  }
  return best;
}

static perm_status permi_dominating_offer(permi_maker *maker, const permi_block *block, double rival,
                                          permi_offer *offer)
{
  (void)rival;
  return permi_ryser_offer(maker, block, offer, permi_dominating_split, 1);
}
/* SPDX-License-Identifier: MIT */
