/* ========================================================================================== >>lanes
   Inputs of the vector kernels of >>polynomial and >>placements. */
#pragma once
#include "../api/more_calls.h"
#include "../graph/vectors.h"

/* A polynomial modulo a prime below 2^50; residues have either sign and at most half of it. */
#define PERMI_PROOF_POINTS 24 /* evaluated at once: three AVX-512 vectors */
#define PERMI_PROOF_INNER 5   /* columns in the table */
typedef struct permi_polynomial {
  int n, signs;         /* columns whose signs are polynomials */
  int settings, outer;  /* settings of the table, a multiple of 4; columns beside it */
  double prime, inverse;
  const double *entry;  /* [row][signs] */
  const double *weight; /* [2^signs]: Lagrange's */
  const double *parity; /* [2^signs]: +-1 */
  const double *table;  /* [settings / 4][row][4]: sums over the table's columns */
  const double *sign;   /* [settings]: theirs, or 0 */
  const double *start;  /* [row]: the other columns, all + */
  const double *step;   /* [outer][row]: twice a column */
} permi_polynomial;
/* value[PERMI_PROOF_POINTS]: P at first, first + 1, ... */
typedef void (*permi_polynomial_run)(const permi_polynomial *polynomial, uint64_t first, double *workspace,
                                     double *value);

/* c x is added to y. */
typedef struct permi_rook_way {
  const double *x, *mask; /* mask: NULL, or for each c or 0; of words all bits or none */
  double c;
  uint64_t word;          /* c modulo 2^64 */
  int is_short, full; /* |c| <= 4; the sum is reduced before */
} permi_rook_way;

typedef void (*permi_rook_kernel)(double prime, double inverse, const permi_rook_way *way, int ways, double *y,
                                  size_t count);

/* This header's kernels for each instruction set. */
#define PERMI_FAMILY_TEXT PERM_MORE_HEADER_FILE
#define PERMI_FAMILY
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT
/* SPDX-License-Identifier: MIT */
