/* study.h: what study.c (which samples) and study_report.h (which fits, prints and draws) share. */
#ifndef PERM_STUDY_H_INCLUDED
#define PERM_STUDY_H_INCLUDED

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  STUDY_MOST_N = 30,
  STUDY_POWERS = 8,        /* sums of X^1 .. X^8: moments to the fourth, and their standard errors */
  STUDY_PER_DECADE = 1024, /* bins of log10 X; */
  STUDY_PER_EDGE = 64,     /* every 64th edge is one of the paper's, 16 a decade */
  STUDY_DECADES = 6,       /* from 1e-4 to 100; below and beyond are the first and the last bin */
  STUDY_FIRST_DECADE = -4,
  STUDY_BINS = STUDY_DECADES * STUDY_PER_DECADE + 2,
  STUDY_BLOCK = 256 /* samples whose sums are added before they join the others: fixes the rounding */
};

typedef enum study_kind { STUDY_GAUSS, STUDY_CIRCULAR, STUDY_BERNOULLI, STUDY_HAAR, STUDY_HAAR_QR } study_kind;

typedef struct study_ensemble {
  const char *name;
  study_kind kind;
  double a;            /* Haar: minors of unitaries of order n^a, rounded */
  int first_n, last_n; /* as far as a run goes unless told otherwise */
  double share;        /* of the time, one order of this ensemble beside one of another */
} study_ensemble;

static const study_ensemble study_ensembles[] = {
    {"gauss", STUDY_GAUSS, 0, 1, 24, 1},           {"circular", STUDY_CIRCULAR, 0, 1, 24, 0.8},
    {"bernoulli", STUDY_BERNOULLI, 0, 1, 24, 0.8}, {"haar-2.00", STUDY_HAAR, 2, 2, 22, 0.4},
    {"haar-2.25", STUDY_HAAR, 2.25, 2, 22, 0.4},   {"haar-2.50", STUDY_HAAR, 2.5, 2, 22, 0.4},
    {"haar-2.75", STUDY_HAAR, 2.75, 2, 22, 0.4},   {"haar-3.00", STUDY_HAAR, 3, 2, 22, 0.4},
    {"haar-qr", STUDY_HAAR_QR, 2, 2, 22, 0.4}, /* the slow way to haar-2.00; only when asked for */
};
enum { STUDY_ENSEMBLES = sizeof study_ensembles / sizeof study_ensembles[0] };

/* One ensemble at one order: samples 0 .. count - 1 of it. */
typedef struct study_cell {
  uint64_t count;
  double seconds; /* spent on it */
  double sum[STUDY_POWERS];
  uint64_t bin[STUDY_BINS];
} study_cell;

typedef struct study {
  uint64_t seed;
  study_cell *cell[STUDY_ENSEMBLES][STUDY_MOST_N + 1]; /* NULL: no samples */
} study;

/* Order of the unitary whose minors are taken. */
static inline int study_modes(const study_ensemble *ensemble, int n)
{
  return (int)floor(pow(n, ensemble->a) + 0.5);
}

/* E X^2. Minors of Haar unitaries: E |per|^2 is one over the dimension of n bosons in m modes. */
static inline double study_second(const study_ensemble *ensemble, int n)
{
  double second = 1;
  int k, m;
  if (ensemble->a > 0)
    for (m = study_modes(ensemble, n), k = 0; k < n; k++)
      second *= (double)m / (m + k);
  return second;
}

/* E X^4 where entries are independent: the coefficient of z^n in e^((kappa - 2) z) / (1 - z)^2 for complex entries
   with E|a|^4 = kappa, in e^(-2 z) / (1 - z)^3 for signs. In each row the columns that two (four) permutations choose
   must be the same pairs: those rows where all agree are fixed points of a permutation, on each of its other cycles
   there are 2 choices (3 pairings). For kappa = 2, n + 1, as Aaronson and Arkhipov found. NAN: not known. */
static inline double study_fourth(const study_ensemble *ensemble, int n)
{
  double term = 1, sum = 0, step;
  int k;
  if (ensemble->a > 0)
    return (double)NAN;
  step = ensemble->kind == STUDY_GAUSS ? 0 : ensemble->kind == STUDY_CIRCULAR ? -1 : -2;
  for (k = 0; k <= n; k++, term *= step / k)
    sum += term * (ensemble->kind == STUDY_BERNOULLI ? (n - k + 2) * (n - k + 1) / 2.0 : n - k + 1);
  return sum;
}

static inline double study_moment(const study_cell *cell, int k)
{
  return cell->sum[k - 1] / (double)cell->count;
}

/* Standard error of the moment, k <= 4. */
static inline double study_moment_error(const study_cell *cell, int k)
{
  const double mean = study_moment(cell, k), square = study_moment(cell, 2 * k);
  return sqrt(fmax(square - mean * mean, 0) / (double)cell->count);
}

/* The least X of bin k >= 1. */
static inline double study_edge(int k)
{
  return pow(10, STUDY_FIRST_DECADE + (double)(k - 1) / STUDY_PER_DECADE);
}

static inline void study_die(const char *what, const char *which)
{
  fprintf(stderr, "study: %s%s%s\n", what, *which ? ": " : "", which);
  exit(1);
}

static inline study_cell *study_cell_at(study *all, int e, int n)
{
  if (!all->cell[e][n]) {
    all->cell[e][n] = (study_cell *)calloc(1, sizeof(study_cell));
    if (!all->cell[e][n])
      study_die("out of memory", "");
  }
  return all->cell[e][n];
}

#endif
/* SPDX-License-Identifier: MIT */
