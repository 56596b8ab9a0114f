/* ========================================================================================= >>bounds
   Estimate, bound and leaf of a plan. */
#pragma once
#include "plain.h"
#include "plan.h"

/* Grids, divided rows and products of pairs are off by about f = sqrt(n) u/2 times the row's sum of moduli: by f / |row
   sum| of the term, which no sum of |terms| shows. Around blocks (1 1; 1 -1) a row sum cancels in every term. */
typedef struct permi_rounded_rows {
  double share;   /* f / |row sum|: root sum of squares over rows, mean over terms by size */
  double usual;   /* the same if row sums were norms */
  double typical; /* permanent in the unit of terms: product of row norms and spreads */
  double largest; /* sampled term */
} permi_rounded_rows;

#define PERMI_SAMPLED_TERMS 8
#define PERMI_SAMPLED_FIRST 32
#define PERMI_SAMPLED_MOST 512 /* chosen, where terms vanish */
#define PERMI_NO_MEASURE 1e-3 /* above: terms are all rounding */

/* Returns 1 if grids and products of two rows round nothing (tests/proofs/dense.g). */
static int permi_few_digits(const double *row, int n, double moduli)
{
  const double scale = permi_shift(1, 24 - permi_log2_ceiling(moduli)), big = 6755399441055744.0; /* 1.5 * 2^52 */
  for (int j = 0; j < n; j++) {
    const double x = row[j] * scale;
    if (x + big - big != x)
      return 0;
  }
  return 1;
}

/* Sets size[] to |row sum| in the terms of sign[column][term]; returns f over sqrt(n) u/2. Multiplies *spread by the
   root of (k!)^(1/k) / k (Stirling's formula), k = moduli^2 / square: the mean square over signs is at most about the
   product of these and of the rows' squares [Bre73]. */
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
                 (view->parts == 2 ? plan->form != PERMI_FORM_NORMALISED && plan->form != PERMI_FORM_FLOATS
                                   : plan->form != PERMI_FORM_NORMALISED || fabs(frexp(row[0][0], &e)) == 0.5)
             ? 0
             : moduli;
}

/* Sets the signs of terms begin, ...: all up to order 6 (after PERMI_SAMPLED_FIRST 10), then by a hash. Term 0, often
   the largest, is all +. */
static void permi_sampled_signs(int n, int begin, double (*sign)[PERMI_SAMPLED_TERMS])
{
  const int first = n <= 6 ? begin : begin - PERMI_SAMPLED_FIRST, in_turn = n <= (first < 0 ? 6 : 10);
  for (int j = 0; j < n; j++) {
    const unsigned hash = permi_scatter((uint64_t)(j + 1 + 8 * begin));
    for (int k = 0; k < PERMI_SAMPLED_TERMS; k++)
      sign[j][k] = (in_turn ? (first + k) << 1 >> j : (int)(hash >> k)) & 1 ? -1 : 1;
    sign[j][0] = begin ? sign[j][0] : 1;
  }
}

/* Returns the product, at least `least`; adds its squared relative error, of a loss `off`, to *square. */
static double permi_rounded_product(double product, double off, double least, double *square)
{
  const double size = product > off ? product : off, quotient = size > 0 ? off / size : 0;
  *square += product > 0 || off == 0 ? quotient * quotient : 1e30;
  return product > least ? product : least;
}

/* Adds terms from `begin` on; returns the sum of weights. */
static double permi_sample_terms(const permi_dense_plan *plan, const permi_view *view, int begin,
                                 permi_rounded_rows *rounded)
{
  double weight[PERMI_SAMPLED_TERMS], squares[PERMI_SAMPLED_TERMS], size[2][PERMI_SAMPLED_TERMS];
  const double unit = PERMI_UNIT * (plan->form == PERMI_FORM_FLOATS ? 384 : 0.5 * sqrt((double)plan->n));
  double sign[PERM_MAX_N][PERMI_SAMPLED_TERMS], unit_term = 1, spread = 1, weights = 0, usual = 0;
  permi_sampled_signs(plan->n, begin, sign);
  for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weight[k] = 1;
    squares[k] = 0;
  }
  for (int i = 0; i < plan->n; i++) {
    const int paired = plan->form == PERMI_FORM_PAIR && i + 1 < plan->n;
    double norm, norm_of[2] = {0, 0}, lost[2] = {0, 0}, least, inverse;
    lost[0] = unit * permi_sampled_row(plan, view, i, sign, size[0], &norm_of[0], &spread);
    if (norm_of[0] == 0)
      continue; /* of minors */
    norm = norm_of[0];
    unit_term *= norm / (permi_row_divides(plan, view, i) ? permi_scaled_modulus(plan, view, i, plan->pivot) : 1);
    if (paired) {
      i++;
      lost[1] = unit * permi_sampled_row(plan, view, i, sign, size[1], &norm_of[1], &spread);
      norm *= norm_of[1];
      unit_term *= norm_of[1];
    }
    inverse = 1 / norm;
    least = plan->form == PERMI_FORM_SCALAR ? fmax(lost[0], norm / 1024) : lost[0];
    for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
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
  for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weights += weight[k];
    rounded->share += weight[k] * sqrt(squares[k]);
    rounded->largest = fmax(rounded->largest, weight[k] * unit_term);
  }
  rounded->usual = sqrt(usual);
  rounded->typical = unit_term * spread;
  return weights;
}

/* Samples `terms` terms, and more while all are below 2^-n / 8 of the norms' product (usual: exp(-n/2)). */
static permi_rounded_rows permi_plan_rounded_rows(const permi_dense_plan *plan, const permi_view *view, int terms)
{
  const int n = plan->n, most = PERMI_SAMPLED_FIRST + (n <= 10 ? 1 << (n - 1) : PERMI_SAMPLED_MOST);
  const double little = ldexp(0.125, -n);
  permi_rounded_rows rounded = {0, 0, 0, 0};
  double weights = 0;
  int k = 0;
  do {
    weights += permi_sample_terms(plan, view, k, &rounded);
    k += PERMI_SAMPLED_TERMS;
  } while (k < terms || (weights < little * k && k < most));
  rounded.share = weights > 0 ? rounded.share / weights : 0;
  return rounded;
}

/* Sets the estimate of a leaf without a bound (docs/proofs-rounding.md). Rounded rows multiply minors: that part
   of the share counts where row sums are usual, all of it where they cancel 100 times as much. */
static void permi_rounded_estimate(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const permi_rounded_rows rounded = permi_plan_rounded_rows(plan, view, PERMI_SAMPLED_TERMS);
  const double n = plan->n, above = rounded.share / (100 * rounded.usual + 1e-300);
  const double part = view->parts == 1 ? fmin(1, 1.8 * exp(-0.2 * n)) : fmin(1, 100 * exp(-0.5 * n));
  leaf->estimate_relative = PERMI_UNIT * (plan->form == PERMI_FORM_FLOATS ? 512
                                          : view->parts == 1              ? 0.3
                                                                          : 0.1 + 3 * exp2(-0.25 * n));
  leaf->estimate_relative += rounded.share * (part + (1 - part) * fmin(1, above * above));
  leaf->shared.relative = 0.5 * rounded.usual;
  leaf->shared.most = (double)INFINITY;
  leaf->estimate_absolute += ldexp(0.5 * rounded.usual * rounded.typical, plan->n - 1);
  leaf->estimate_squares = n * PERMI_UNIT * PERMI_UNIT * rounded.largest;
  if (rounded.share > PERMI_NO_MEASURE)
    leaf->estimate_relative = (double)INFINITY;
}

/* THE BOUND. Sets the error measures, relative to the sum of |terms| and absolute; u = 2^-53.
   1. Products of exact numbers: n u; split, with n row sums, 2 n u; exact pairs: (n + 1) / 2 u.
   2. A complex product is off by 2 u, without FMA 2.42 u.
   3. A double-double product is off by 14 u^2, complex 60 u^2.
   4. Rounded sums: K + 1 additions in a state, 8 in a group, and TwoSum's rests: K + 10 units.
   5. Double-double sums: (2^K + 2) 2 u A twice a term, A the chunk's sum of |terms|: 40 u^2 A.
   6. Second order and the rounding of sum |terms|: a factor 1.0001.
   7. Underflow and lost entries: n^2 2^(growth - 1070) for each of 2^(n-1) terms.
   8. Entries >= 0 that move by at most e_i of each in row i move the permanent by sum e_i of itself, and second order.
   Entries of both signs would need minors: they take split rows.
   Machines prove 1, 4, 6 (tests/proofs/chains.v), 2, 3 (tests/proofs/complex.v), 1, 3, 4 (tests/proofs/dense.g), 4 to 7
   (tests/proofs/dense_orders.sh) and search for counterexamples (tests/attack/climb.c). */
static void permi_plan_bounds(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const double n = plan->n, parts = view->parts, square = PERMI_UNIT * PERMI_UNIT;
  const double product = parts == 1 ? 1 : plan->isa == PERM_ISA_PLAIN ? 2.42 : 2; /* in u */
  const int gpu = plan->isa == PERM_ISA_CUDA;
  const int block = gpu ? 12 : plan->block_columns; /* GPUs: at most 18 additions before a sum is exact */
  const int terms_log2 = plan->chunk_log2 + plan->block_columns + (gpu ? 1 - PERM_GPU_THREADS_LOG2 : 0);
  leaf->bound_relative = (double)INFINITY;
  if (plan->method == PERM_METHOD_EXPANSION) {
    /* n - 1 double-double products a term (complex: 4 each); underflow loses 2^-1070 in each of n! products */
    leaf->bound_relative = (n + 1) * PERMI_DD_UNIT * parts * parts;
    leaf->bound_absolute = ldexp(n * n, permi_clamp((int)(n * log2(n + 1.0)) - 1070, -1070, 0));
    leaf->estimate_relative = n * PERMI_DD_UNIT * parts;
  }
  if (plan->method != PERM_METHOD_DENSE)
    return;
  leaf->bound_absolute += ldexp(n * n, plan->n - 1 - 1070 + permi_plan_growth(plan, view));
  if (plan->precision == PERM_PRECISION_DD) {
    leaf->bound_relative = ((parts == 2 ? 60 : 14) * n + ldexp(40, terms_log2)) * square * 1.0001;
    leaf->estimate_relative = (8 * n * parts + ldexp(8, terms_log2 / 2)) * square;
  } else if (plan->form == PERMI_FORM_SPLIT || plan->exact_rows) {
    const double products = plan->form == PERMI_FORM_SPLIT  ? (1 + product) * n
                            : plan->form == PERMI_FORM_PAIR ? product * (n + 1) / 2
                                                           : product * n;
    leaf->bound_relative = (products + block + 10) * PERMI_UNIT * 1.0001;
    if (plan->exact_rows == 2)
      leaf->bound_value = 1.0001 * permi_plan_moves(plan, view, (double)INFINITY);
    leaf->bound_relative *= 1 + leaf->bound_value;
    leaf->bound_absolute *= 1 + leaf->bound_value;
    leaf->estimate_relative = leaf->bound_relative / 10;
  } else {
    permi_rounded_estimate(plan, view, leaf);
  }
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

static perm_status permi_plan_leaf(const permi_dense_plan *plan, const permi_view *view,
                                   const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  const perm_leaf information = {plan->method == PERM_METHOD_EXPANSION ? PERM_LEAF_TASK : PERM_LEAF_RANGE, plan->method,
                                 plan->isa, n, plan->chunks, plan->elements, plan->seconds, plan->bytes,
                                 plan->fingerprint};
  const permi_plain made = {n, view->parts, plan->method == PERM_METHOD_RYSER, plan->chunk_log2, plan->precision, {0}};
  permi_plain *plain;
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  leaf->explain = permi_plan_explain;
  leaf->scale = permi_dd_make(1);
  for (int i = 0; i < n; i++)
    leaf->scale_exp2 -= plan->row_exp2[i] + plan->column_exp2[i];
  permi_plan_bounds(plan, view, leaf);
  if (plan->method == PERM_METHOD_DENSE) {
    const int product = plan->precision == PERM_PRECISION_DD ? PERMI_DOUBLED : PERMI_ROUNDED;
    leaf->scale_exp2 -= n - 1;
    if (plan->isa == PERM_ISA_CUDA)
      return view->reach->gpu->leaf(plan, view, allocator, leaf);
    return permi_dense_tables(plan, view, permi_kernel_for(&view->reach->kernels, plan->isa, plan->form, product, n),
                              allocator, leaf);
  }
  plain = (permi_plain *)permi_allocate(allocator, 1, sizeof *plain + (size_t)(view->parts * n * n) * sizeof(double));
  if (!plain)
    return PERM_ERROR_MEMORY;
  *plain = made;
  for (int part = 0; part < view->parts; part++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        plain->a[(part * n + j) * n + i] = permi_scaled(plan, view, i, j, part);
  leaf->context = plain;
  leaf->release = permi_release;
  if (plan->method == PERM_METHOD_EXPANSION) {
    leaf->run_task = permi_expansion_task;
    return PERM_OK;
  }
  leaf->estimate_relative = permi_plain_rounding(plain);
  leaf->run_chunk = view->reach->gray;
  leaf->scale_exp2 -= plan->method == PERM_METHOD_GLYNN ? n - 1 : 0;
  return PERM_OK;
}

PERMI_UNUSED
static double permi_dense_rate(const perm_options *options)
{
  static const permi_kernel_table real = PERMI_KERNEL_TABLE(permi_kernels_real);
  return permi_kernel_for(&real, permi_isa(options), PERMI_FORM_NORMALISED, PERMI_ROUNDED, PERM_MAX_N)->rate;
}
/* SPDX-License-Identifier: MIT */
