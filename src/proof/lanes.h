/* ========================================================================================== >>lanes
   Inputs of the vector kernels of >>polynomial and >>amplitudes. */
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

/* Back through a program: >>derive_hybrid. */
typedef struct permi_back_family {
  void (*back[2])(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned, double minus);
  void (*sums)(const permi_hybrid *hybrid, int algebra, int i, int lines, double *values);
  void (*row)(double *bars, int slot, int end, double *each, double *sum, const unsigned char *column, uint64_t gray,
              double *entry);
} permi_back_family;

/* A block of amplitudes: those of (s_1 .. s_g) with one sum, next to each other. Sources add c from[state - below];
   within the block pairs of states have `width` sources in the block with a photon less, filled up with zeros. */
typedef struct permi_amplitude_source {
  ptrdiff_t below;
  int mode, photons;
  double c[2];
} permi_amplitude_source;
typedef struct permi_amplitude_block {
  int states, width;
  int32_t *at;            /* [pair][width][2] */
  double *c;              /* [pair][width][8]: Re c, Re c of both, Im c, Im c of both */
  const double *from;     /* the layer before */
  ptrdiff_t place, lower; /* of the block, and of the one with a photon less */
  const permi_amplitude_source *source;
  int sources;
  double *room, *to;      /* room: for the block and a vector; to: may be it, or `from` at the block */
} permi_amplitude_block;

#define PERMI_FAMILY_TEXT PERM_MORE_HEADER_FILE
#define PERMI_FAMILY
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT
/* SPDX-License-Identifier: MIT */
