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

/* Low places are lanes of 64 bytes: where each 32-bit element comes from, if it does. */
typedef struct permi_rook_lanes {
  uint32_t from[16], mask[16];
  int other_half; /* from = own place ^ 8 or more */
} permi_rook_lanes;

/* One source x of a pass: c x is added to y. */
typedef struct permi_rook_way {
  const char *x;
  const permi_rook_lanes *lanes; /* or NULL: as it is */
  int64_t c;
} permi_rook_way;

typedef struct permi_rook_pass {
  int words; /* of a value; 0: 32 bits */
  int times; /* some c is not 1 */
  size_t run, repeats, stride; /* in units of 64 bytes, or of long values */
  size_t pitch;                /* bytes of a plane */
} permi_rook_pass;

/* x, y: the last plane. Ors moduli into seen: 8 words by lanes, or a long value. */
typedef void (*permi_rook_kernel)(const permi_rook_pass *pass, const permi_rook_way *way, int ways, int planes, char *y,
                                  uint64_t *seen);

/* >>proof_kernels and >>rook_kernels for each instruction set. */
#define PERMI_FAMILY_TEXT PERM_MORE_HEADER_FILE
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#endif
#if PERMI_ARM
#define PERMI_FAMILY neon
#define PERMI_FAMILY_WIDTH 2
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT
/* SPDX-License-Identifier: MIT */
