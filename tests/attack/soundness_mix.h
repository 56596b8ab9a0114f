/* The matrices of soundness.c: many kinds, each with a way to go wrong of its own. */
#ifndef PERM_SOUNDNESS_MIX_H_INCLUDED
#define PERM_SOUNDNESS_MIX_H_INCLUDED

#include <float.h>
#include "../unit/test.h"
#include "../unit/oracle.h"

enum { MOST = 10, ENTRIES = 2 * MOST * MOST, TOTAL = 12 };

typedef struct problem {
  const char *kind;
  int m, n, parts, repeated;
  double a[ENTRIES];
  int row_counts[MOST], column_counts[MOST];
  oracle_exact exact;
  int bad;
} problem;

static double sign(void) { return test_below(2) ? 1 : -1; }
static double entry(void) { return sign() * (test_uniform() + ldexp(1, -53)); }

typedef enum shape {
  UNIFORM, POSITIVE, SIGNS, ZERO_ONE, INTEGERS, LARGE_INTEGERS, GRADED, GRADED_LINES, POWERS, CANCELLING, RANK_ONE,
  SPARSE, BAND, EQUAL_ROWS, EQUAL_COLUMNS, SUBNORMAL, HUGE_ENTRIES, EDGES, TERNARY, NEAR_SINGULAR,
  BOARD, NESTED, ALL_BUT_FEW, LOW_RANK, SHAPES
} shape;
static const char *const shape_name[SHAPES] = {
    "uniform", "positive", "signs", "0/1", "integers", "integers to 2^53", "graded", "graded lines", "powers of 2",
    "cancelling rows", "rank one", "sparse", "band", "equal rows", "equal columns", "subnormal", "huge",
    "extremes mixed",     "ternary", "2 x 2 blocks of permanent about 0", "board",
    "nested", "all but few", "rank 2 to 4"};

/* Black square i and white square j of a board of so many columns, an even number, are neighbours. */
static int are_neighbours(int i, int j, int columns)
{
  const int y = 2 * i / columns, z = 2 * j / columns;
  return abs(y - z) + abs(2 * (i % (columns / 2)) + y % 2 - 2 * (j % (columns / 2)) - (z + 1) % 2) == 1;
}

static void make(problem *p, shape kind)
{
  double u[MOST], v[MOST];
  int up[MOST], across[MOST], i, j, k;
  const int wide = kind == GRADED_LINES ? 400 : 30, n = p->n, few = test_below(3), columns = 4 + 2 * test_below(2);
  const int whole = test_below(2), rank = 2 + test_below(3);
  for (i = 0; i < MOST; i++) {
    u[i] = entry();
    v[i] = entry();
    up[i] = test_below(2 * wide) - wide;
    across[i] = test_below(2 * wide) - wide;
  }
  for (i = 0; i < p->m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < p->parts; k++) {
        double *at = &p->a[(i * n + j) * p->parts + k], x = entry();
        switch (kind) {
        case UNIFORM: *at = x; break;
        case POSITIVE: *at = fabs(x); break;
        case SIGNS: *at = sign(); break;
        case ZERO_ONE: *at = test_below(2); break;
        case INTEGERS: *at = test_below(199) - 99; break;
        case LARGE_INTEGERS: *at = sign() * (double)(test_random() >> 11); break;
        case GRADED: *at = ldexp(x, test_below(601) - 300); break;
        case GRADED_LINES: *at = ldexp(x, up[i] + across[j]); break;
        case POWERS: *at = sign() * ldexp(1, test_below(60) - 30); break;
        case CANCELLING: /* rows in pairs: (x, y, ..), (x, -y, ..), nearly */
          *at = i & 1 ? p->a[((i - 1) * n + j) * p->parts + k] * (j & 1 ? -1 : 1) * (1 + ldexp(test_below(5), -52)) : x;
          break;
        case RANK_ONE: *at = u[i] * v[j] + ldexp(x, -45); break;
        case SPARSE: *at = test_below(10) < 4 || i == j ? x : 0; break;
        case BAND: *at = abs(i - j) <= 2 ? x : 0; break;
        case EQUAL_ROWS: *at = i >= 2 && i % 2 ? p->a[((i - 2) * n + j) * p->parts + k] : x; break;
        case EQUAL_COLUMNS: *at = j >= 2 && j % 2 ? p->a[(i * n + j - 2) * p->parts + k] : x; break;
        case SUBNORMAL: *at = ldexp((double)(test_below(4001) - 2000), -1074); break;
        case HUGE_ENTRIES: *at = x * DBL_MAX; break;
        case EDGES: *at = test_below(3) ? x : ldexp(x, test_below(2) ? 1020 : -1040); break;
        case TERNARY: *at = test_below(3) - 1; break;
        case BOARD: /* planar */
          *at = are_neighbours(i, j, columns) ? (whole ? sign() * (1 + test_below(few + 1)) : x) : 0;
          break;
        case NESTED: /* classes: proportional where they are */
          *at = j < 1 + (i * 7 + few) % n ? (whole ? 1 + i % 3 : u[i] * ldexp(1, j % 3)) : 0;
          break;
        case ALL_BUT_FEW: *at = (i * (few + 1) - j) % n == 0 || test_below(12) == 0 ? x : whole ? 1 : u[i]; break;
        case LOW_RANK: /* whole numbers over powers of 2 */
          *at = (i + 1) * (whole ? 1 : 0.125) + (rank > 2 ? i * i * (j - 3) : j) + (rank > 3 ? (i % 3) * (j % 2) : 0);
          break;
        default: /* a d + b c about 0 in every diagonal block, little elsewhere */
          *at = i / 2 != j / 2 ? ldexp(x, -50) : i & 1 ? (j & 1 ? -1 : 1) * (j & 1 ? v[i / 2] : u[i / 2])
                                               : (j & 1 ? v[i / 2] : u[i / 2]) * (1 + ldexp(test_below(3), -52));
        }
      }
  p->kind = shape_name[kind];
}

#endif
/* SPDX-License-Identifier: MIT */
