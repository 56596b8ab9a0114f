/* ========================================================================================== >>scale
   Powers of two that make the largest product of a transversal the largest entries everywhere: duals of an assignment
   problem with exponents as weights [DK01], by shortest augmenting paths [JV87]. Rounding an entry to its row's grid
   then moves the permanent by that times permanents of entries <= 1; per |a| >= 2^-n. The rule for free duals ignores
   the first ones. O(n^3); a greedy matching of tight entries settles most rows. */
#pragma once
#include "../base/memory.h"
#include "kernels.h"

#define PERMI_NO_EXPONENT (-(1 << 28)) /* no path reaches half of it */
#define PERMI_SCALE_APART 4096         /* scales to exactly 0 */

/* Augments by a path of least slack, or returns 0. The duals keep entries <= 0 and matched ones 0. */
static int permi_scale_augment(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2, int free_row,
                               int *row_of, int *column_of)
{
  int distance[PERM_MAX_N], parent[PERM_MAX_N], i = free_row, nearest = 0, best = 0, j;
  uint64_t todo = ~UINT64_C(0) >> (PERM_MAX_N - n), done = 0;
  for (j = 0; j < n; j++)
    distance[j] = -(PERMI_NO_EXPONENT / 2);
  for (;;) {
    const int start = best - row_exp2[i];
    best = -(PERMI_NO_EXPONENT / 2);
    for (uint64_t left = todo; left; left &= left - 1) {
      j = permi_trailing_zeros(left);
      const int d = start - exponent[i][j] - column_exp2[j];
      if (d < distance[j]) {
        distance[j] = d;
        parent[j] = i;
      }
      if (distance[j] < best) {
        best = distance[j];
        nearest = j;
      }
    }
    if (best == -(PERMI_NO_EXPONENT / 2))
      return 0;
    if (row_of[nearest] < 0)
      break;
    todo &= ~(UINT64_C(1) << nearest);
    done |= UINT64_C(1) << nearest;
    i = row_of[nearest];
  }
  row_exp2[free_row] += best;
  for (; done; done &= done - 1) {
    j = permi_trailing_zeros(done);
    row_exp2[row_of[j]] += best - distance[j];
    column_exp2[j] -= best - distance[j];
  }
  for (j = nearest; j >= 0; j = i) {
    const int row = parent[j];
    i = column_of[row];
    row_of[j] = row;
    column_of[row] = j;
  }
  return 1;
}

/* Centres the duals. Bit b of reach[a], which is destroyed: a tight entry in row a and the column of row b.
   1. Optimal duals differ by shifts (row +p, column -p) of pairs; a class, pairs on common cycles of tight entries,
   shifts together.
   2. Let path[a][b] <= 0 be the longest path from class a to b. b |-> path[a][b] and b |-> -path[b][a] are feasible
   shifts, so their mean, rounded down too, is one; it gives a cycle's entries equal exponents, and relative to one
   class the given duals drop out.
   3. Blocks without a cycle through both share no transversal: entries between them are scaled away. */
static void permi_scale_centre(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2, uint64_t *reach,
                               const int *column_of)
{
  int (*path)[PERM_MAX_N] = exponent + n;
  int class_of[PERM_MAX_N], block_of[PERM_MAX_N], sum[PERM_MAX_N], size[PERM_MAX_N];
  int shift[PERM_MAX_N], classes = 0, apart = PERMI_SCALE_APART, i, j, a, b, c;
  for (j = 0; j < n; j++) /* Warshall */
    for (i = 0; i < n; i++)
      reach[i] |= reach[j] & (0 - (reach[i] >> j & 1));
  memset(class_of, 0, sizeof class_of); /* for gcc -O3 */
  for (i = 0; i < n; i++) {
    for (j = 0; !(reach[i] >> j & 1) || !(reach[j] >> i & 1); j++)
      ;
    class_of[i] = j == i ? classes++ : class_of[j];
  }
  if (classes == 1)
    return;
  for (a = 0; a < classes; a++)
    for (b = 0; b < (classes + 7) / 8 * 8; b++)
      path[a][b] = a == b ? 0 : PERMI_NO_EXPONENT;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int e = exponent[i][j] + row_exp2[i] + column_exp2[j];
      a = class_of[column_of[i]];
      b = class_of[j];
      path[a][b] = e > path[a][b] ? e : path[a][b];
    }
  for (c = 0; c < classes; c++) { /* Floyd; groups of 8 and a copy vectorise in gcc -O2 */
    int onward[PERM_MAX_N];
    memcpy(onward, path[c], sizeof onward);
    for (a = 0; a < classes; a++) {
      const int first = path[a][c];
      if (first <= PERMI_NO_EXPONENT / 2)
        continue;
      for (b = 0; b < classes; b += 8)
        for (i = b; i < b + 8; i++) {
          int e = first + onward[i];
          path[a][i] = e > path[a][i] ? e : path[a][i];
        }
    }
  }
  for (a = 0; a < classes; a++) {
    sum[a] = size[a] = 0;
    block_of[a] = -1;
    for (b = 0; b < classes; b++)
      if (path[a][b] > PERMI_NO_EXPONENT / 2 && path[b][a] > PERMI_NO_EXPONENT / 2) {
        block_of[a] = block_of[a] < 0 ? b : block_of[a];
        sum[a] += path[b][a] - path[a][b];
        size[a]++;
      }
  }
  for (a = 0; a < classes; a++) {
    int difference = sum[a] - sum[block_of[a]], twice = 2 * size[a];
    shift[a] = difference / twice - (difference % twice < 0);
    if (2 * abs(shift[a]) + PERMI_SCALE_APART > apart)
      apart = 2 * abs(shift[a]) + PERMI_SCALE_APART;
  }
  for (a = 0; a < classes; a++)
    for (b = 0; b < classes; b++) /* equal within a block, larger behind it */
      shift[a] += path[b][a] > PERMI_NO_EXPONENT / 2 ? apart : 0;
  for (i = 0; i < n; i++) {
    a = class_of[column_of[i]];
    row_exp2[i] += shift[a];
    column_exp2[column_of[i]] -= shift[a];
    for (j = 0; j < n; j++)
      if (block_of[a] != block_of[class_of[j]])
        exponent[i][j] = PERMI_NO_EXPONENT;
  }
}

/* Returns 2n rows, NULL without memory. */
static int (*permi_scale_room(const perm_allocator *allocator, int n))[PERM_MAX_N]
{
  return (int (*)[PERM_MAX_N])permi_allocate(allocator, 2 * (size_t)n, PERM_MAX_N * sizeof(int));
}

/* exponent[i][j] is that of |a_ij| as by frexp, PERMI_NO_EXPONENT for zero; n rows of room follow. Adds row_exp2[i] +
   column_exp2[j]: all are then <= 0, on a transversal 0; PERMI_NO_EXPONENT where none passes: those entries underflow
   to 0. Returns 0, unscaled, without a transversal. */
static int permi_scale_exponents(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2)
{
  uint64_t reach[PERM_MAX_N];
  int row_of[PERM_MAX_N], column_of[PERM_MAX_N], i, j, k;
  for (j = 0; j < n; j++) {
    column_exp2[j] = PERMI_NO_EXPONENT;
    row_of[j] = column_of[j] = -1;
  }
  for (i = 0; i < n; i++) { /* rows' largest entries to 0, then columns' */
    int most = PERMI_NO_EXPONENT;
    for (j = 0; j < n; j++)
      most = exponent[i][j] > most ? exponent[i][j] : most;
    row_exp2[i] = most > PERMI_NO_EXPONENT ? -most : 0;
    for (j = 0; j < n; j++) {
      const int e = exponent[i][j] + row_exp2[i];
      column_exp2[j] = e > column_exp2[j] ? e : column_exp2[j];
    }
  }
  for (j = 0; j < n; j++)
    column_exp2[j] = column_exp2[j] > PERMI_NO_EXPONENT / 2 ? -column_exp2[j] : 0;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n && (row_of[j] >= 0 || exponent[i][j] + row_exp2[i] + column_exp2[j] != 0); j++)
      ;
    if (j < n) {
      row_of[j] = i;
      column_of[i] = j;
    } else if (!permi_scale_augment(n, exponent, row_exp2, column_exp2, i, row_of, column_of)) {
      memset(row_exp2, 0, (size_t)n * sizeof *row_exp2);
      memset(column_exp2, 0, (size_t)n * sizeof *column_exp2);
      return 0;
    }
  }
  for (j = 0; j < n; j++) {
    i = row_of[j];
    for (k = 0, reach[j] = 0; k < n; k++)
      reach[j] |= (uint64_t)(exponent[i][k] + row_exp2[i] + column_exp2[k] == 0) << k;
  }
  permi_scale_centre(n, exponent, row_exp2, column_exp2, reach, column_of);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      exponent[i][j] += exponent[i][j] > PERMI_NO_EXPONENT ? row_exp2[i] + column_exp2[j] : 0;
  return 1;
}
/* SPDX-License-Identifier: MIT */
