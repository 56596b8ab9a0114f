/* ======================================================================================= >>rounding
   What rounding before the products does to terms. */
#pragma once
#include "gpu.h"

/* Grids, divided rows and products of pairs are off by about f = sqrt(n) u/2 times the row's sum of moduli, relative to
   the term f / |row sum|, which no sum of |terms| shows. In some matrices, such as blocks (1 1; 1 -1) in any
   surroundings, a row sum cancels in every term: the sum is all rounding. */
typedef struct permi_rounded_rows {
  double share;   /* f / |row sum|, root sum of squares over rows, mean over terms by size */
  double usual;   /* the same if row sums were row norms */
  double typical; /* permanent, in the unit of terms: the product of row norms, each times its spread */
  double largest; /* sampled term, as the kernel has it */
  int seen;       /* 0: nearly nothing was in the sampled terms */
} permi_rounded_rows;

#define PERMI_SAMPLED_TERMS 8
#define PERMI_SAMPLED_FIRST 32
#define PERMI_SAMPLED_MOST 512 /* chosen: more, where those vanish, as rows of equal moduli make them */
#define PERMI_NO_MEASURE 1e-3 /* above: terms consist of rounding */

/* Whether grids and products of two rows round nothing (tests/proofs/dense.g). */
static int permi_few_digits(const double *row, int n, double moduli)
{
  const double scale = permi_shift(1, 24 - permi_log2_ceiling(moduli)), big = 6755399441055744.0; /* 1.5 * 2^52 */
  int j;
  for (j = 0; j < n; j++) {
    const double x = row[j] * scale;
    if (x + big - big != x)
      return 0;
  }
  return 1;
}

/* size[]: |row sum| in the sampled terms; returns f over sqrt(n) u/2. sign[column][term]. *spread: times the root of
   (k!)^(1/k) / k, k = moduli^2 / square, by Stirling's formula. A permanent's mean square over all signs is at most
   about the product of these and of the rows' squares, as of rows of k equal entries [Bre73]. */
static double permi_sampled_row(const permi_dense_plan *plan, const permi_view *view, int i,
                                double (*sign)[PERMI_SAMPLED_TERMS], double *size, double *norm, double *spread)
{
  double row[2][PERM_MAX_N], y[2][PERMI_SAMPLED_TERMS], moduli = 0, square = 0, number;
  const int n = plan->n;
  int e, j, k, part;
  permi_plan_row(plan, view, i, row);
  for (part = 0; part < view->parts; part++) {
    double sum[PERMI_SAMPLED_TERMS] = {0};
    for (j = 0; j < n; j++) {
      const double x = row[part][j];
      moduli += fabs(x);
      square += x * x;
      PERMI_EVERY(k, PERMI_SAMPLED_TERMS, sum[k] += sign[j][k] * x);
    }
    memcpy(y[part], sum, sizeof sum);
  }
  for (k = 0; k < PERMI_SAMPLED_TERMS; k++)
    size[k] = view->parts == 1 ? fabs(y[0][k]) : sqrt(y[0][k] * y[0][k] + y[1][k] * y[1][k]);
  *norm = sqrt(square);
  number = fmax(1, moduli * moduli / (square * view->parts));
  *spread *= 0.6065 * pow(3.1416 * (2 * number + 1.0 / 3), 0.25 / number);
  return permi_few_digits(row[0], n, moduli) && (view->parts == 1 || permi_few_digits(row[1], n, moduli)) &&
                 (plan->form != PERMI_FORM_NORMALISED || (view->parts == 1 && fabs(frexp(row[0][0], &e)) == 0.5))
             ? 0
             : moduli;
}

static double permi_divided_by(const permi_dense_plan *plan, const permi_view *view, int i)
{
  return plan->form != PERMI_FORM_NORMALISED ||
                 (plan->isa == PERM_ISA_CUDA && !view->reach->gpu->safe(plan, view, i, plan->pivot))
             ? 1
             : permi_scaled_modulus(plan, view, i, plan->pivot);
}

/* Terms begin, begin + 1, ...: all up to order 6, then by a hash; term 0, often the largest, is all +. Those after
   PERMI_SAMPLED_FIRST: all up to order 10. */
static void permi_sampled_signs(int n, int begin, double (*sign)[PERMI_SAMPLED_TERMS])
{
  const int first = n <= 6 ? begin : begin - PERMI_SAMPLED_FIRST, in_turn = n <= (first < 0 ? 6 : 10);
  int j, k;
  for (j = 0; j < n; j++) {
    const unsigned hash = permi_scatter((uint64_t)(j + 1 + 8 * begin));
    for (k = 0; k < PERMI_SAMPLED_TERMS; k++)
      sign[j][k] = (in_turn ? (first + k) << 1 >> j : (int)(hash >> k)) & 1 ? -1 : 1;
    sign[j][0] = begin ? sign[j][0] : 1;
  }
}

/* Returns the product, at least `least`; adds its squared relative error, for a loss of `off`, to *square. */
static double permi_rounded_product(double product, double off, double least, double *square)
{
  const double size = product > off ? product : off, quotient = size > 0 ? off / size : 0;
  *square += product > 0 || off == 0 ? quotient * quotient : 1e30;
  return product > least ? product : least;
}

/* Adds PERMI_SAMPLED_TERMS terms, share as weight times quotient; returns the weights. */
static double permi_sample_terms(const permi_dense_plan *plan, const permi_view *view, int begin,
                                 permi_rounded_rows *rounded)
{
  double weight[PERMI_SAMPLED_TERMS], squares[PERMI_SAMPLED_TERMS], size[2][PERMI_SAMPLED_TERMS];
  const double unit = 0.5 * PERMI_UNIT * sqrt((double)plan->n);
  double sign[PERM_MAX_N][PERMI_SAMPLED_TERMS], unit_term = 1, spread = 1, weights = 0, usual = 0;
  int i, k;
  permi_sampled_signs(plan->n, begin, sign);
  for (k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weight[k] = 1;
    squares[k] = 0;
  }
  for (i = 0; i < plan->n; i++) {
    const int paired = plan->form == PERMI_FORM_PAIR && i + 1 < plan->n;
    double norm, norm_of[2] = {0, 0}, lost[2] = {0, 0}, least, inverse;
    lost[0] = unit * permi_sampled_row(plan, view, i, sign, size[0], &norm_of[0], &spread);
    if (norm_of[0] == 0)
      continue; /* of minors */
    norm = norm_of[0];
    unit_term *= norm / permi_divided_by(plan, view, i);
    if (paired) {
      i++;
      lost[1] = unit * permi_sampled_row(plan, view, i, sign, size[1], &norm_of[1], &spread);
      norm *= norm_of[1];
      unit_term *= norm_of[1];
    }
    inverse = 1 / norm;
    /* each minor leaves out one row */
    least = plan->form == PERMI_FORM_SCALAR ? fmax(lost[0], norm / 1024) : lost[0];
    for (k = 0; k < PERMI_SAMPLED_TERMS; k++) {
      double with;
      if (paired) {
        const double off = lost[0] * (size[1][k] + norm_of[1]) + lost[1] * (size[0][k] + norm_of[0]);
        with = permi_rounded_product(size[0][k] * size[1][k], off, off, &squares[k]);
      } else {
        with = permi_rounded_product(size[0][k], lost[0], least, &squares[k]);
      }
      weight[k] *= with * inverse;
      weight[k] = with > 0 && weight[k] < 1e-280 ? 1e-280 : weight[k];
    }
    permi_rounded_product(norm, paired ? 2 * (lost[0] * norm_of[1] + lost[1] * norm_of[0]) : lost[0], 0, &usual);
  }
  for (k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weights += weight[k];
    rounded->share += weight[k] * sqrt(squares[k]);
    rounded->largest = fmax(rounded->largest, weight[k] * unit_term);
  }
  rounded->usual = sqrt(usual);
  rounded->typical = unit_term * spread;
  return weights;
}

/* Terms are about exp(-n/2) of the norms' product. More are sampled while they are below 2^-n / 8, which tells nothing
   of those that make the sum. */
static permi_rounded_rows permi_plan_rounded_rows(const permi_dense_plan *plan, const permi_view *view, int terms)
{
  const int n = plan->n, most = PERMI_SAMPLED_FIRST + (n <= 10 ? 1 << (n - 1) : PERMI_SAMPLED_MOST);
  const double little = ldexp(0.125, -n);
  permi_rounded_rows rounded = {0, 0, 0, 0, 0};
  double weights = 0;
  int k = 0;
  do {
    weights += permi_sample_terms(plan, view, k, &rounded);
    k += PERMI_SAMPLED_TERMS;
  } while (k < terms || (weights < little * k && k < most));
  rounded.share = weights > 0 ? rounded.share / weights : 0;
  rounded.seen = weights >= little * k;
  return rounded;
}

/* Sets the estimate of a leaf without a bound; S is the sum of |terms|.
   Rows: rounding multiplies minors. These are as large as the permanent over a norm, and that is as its value or its
   typical size, or, smaller than terms by exp(-n/5), falling faster for full real matrices, exp(-n/2) for complex ones.
   That part of the share counts for usual row sums, all of it where they cancel 100 times as much.
   Products and sums: n + 10 roundings a term: a few tenths of u S, as terms repeat, and, as if independent, sqrt(n) u
   root(S times the largest term), for when few terms dominate, as in positive matrices. */
static void permi_rounded_estimate(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const permi_rounded_rows rounded = permi_plan_rounded_rows(plan, view, PERMI_SAMPLED_TERMS);
  const double n = plan->n, above = rounded.share / (100 * rounded.usual + 1e-300);
  const double part = view->parts == 1 ? fmin(1, 1.8 * exp(-0.2 * n)) : fmin(1, 100 * exp(-0.5 * n));
  leaf->estimate_relative = (view->parts == 1 ? 0.3 : 0.1 + 3 * exp2(-0.25 * n)) * PERMI_UNIT;
  leaf->estimate_relative += rounded.share * (part + (1 - part) * fmin(1, above * above));
  leaf->shared.relative = 0.5 * rounded.usual;
  leaf->shared.most = (double)INFINITY;
  leaf->estimate_absolute += ldexp(0.5 * rounded.usual * rounded.typical, plan->n - 1);
  leaf->estimate_squares = n * PERMI_UNIT * PERMI_UNIT * rounded.largest;
  if (rounded.share > PERMI_NO_MEASURE)
    leaf->estimate_relative = (double)INFINITY;
}
/* SPDX-License-Identifier: MIT */
