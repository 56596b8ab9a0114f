/* ==================================================================================== >>counts_scale
   Scales entries by powers of two, puts them on grids, and bounds what an engine's result may lose. */
#pragma once
#include "../dense/plan.h"
#include "sign_sums.h"

#define PERMI_SCALE_WIDE 400 /* entries further apart than 2^400 are scaled by a transversal of largest product */

/* The larger part's exponent, as of frexp. */
PERMI_COLD static int permi_counts_exponent(const permi_counts *counts, int digit, int form)
{
  const double x = fabs(permi_counts_entry(counts, digit, 0, form));
  const double size = counts->parts == 2 ? fmax(x, fabs(permi_counts_entry(counts, digit, 1, form))) : x;
  return size != 0 ? permi_exponent(size) : PERMI_NO_EXPONENT;
}

PERMI_COLD static int permi_counts_wide(const permi_counts *counts)
{
  int least = INT_MAX, most = INT_MIN, d, f;
  for (d = 0; d < counts->digits; d++)
    for (f = 0; f < counts->forms; f++) {
      const int e = permi_counts_exponent(counts, d, f);
      least = e != PERMI_NO_EXPONENT && e < least ? e : least;
      most = e != PERMI_NO_EXPONENT && e > most ? e : most;
    }
  return most - (double)least > PERMI_SCALE_WIDE;
}

/* Sets exp2 by >>scale, repeated lines written out: the largest products are then about 1, where means of exponents
   leave 2^-3000 and no bounds. Returns 0 if too large, not wide, or without transversal; -1 if memory runs out. */
PERMI_COLD static int permi_counts_scale_wide(const permi_counts *counts, int *const exp2[2])
{
  int(*exponent)[PERM_MAX_N], line_exp2[2][PERM_MAX_N];
  const int n = counts->digit_total;
  int scaled, d, f, i, j, at, side;
  if (n > PERM_MAX_N || !permi_counts_wide(counts))
    return 0;
  exponent = permi_scale_room(&counts->allocator, n);
  if (!exponent)
    return -1;
  for (d = i = 0; d < counts->digits; i += counts->digit_count[d++])
    for (f = j = 0; f < counts->forms; j += counts->form_count[f++])
      for (at = 0; at < counts->digit_count[d] * counts->form_count[f]; at++)
        exponent[i + at / counts->form_count[f]][j + at % counts->form_count[f]] = permi_counts_exponent(counts, d, f);
  scaled = permi_scale_exponents(n, exponent, line_exp2[0], line_exp2[1]);
  permi_release(&counts->allocator, exponent);
  for (side = 0; scaled && side < 2; side++) {
    const int *count = side ? counts->form_count : counts->digit_count;
    for (d = i = 0; d < (side ? counts->forms : counts->digits); i += count[d++])
      exp2[side][d] = line_exp2[side][i];
  }
  return scaled;
}

typedef enum permi_scale_rule { PERMI_SCALE_MEAN, PERMI_SCALE_LARGEST, PERMI_SCALE_SUM } permi_scale_rule;

/* Sets exp2 of digits (0) or forms (1) so that, given the others' exponents, each line's mean exponent is about 0,
   or its largest entry or its sum of moduli, with counts, is at most 1. */
PERMI_COLD static void permi_counts_scale_lines(const permi_counts *counts, int of_forms, permi_scale_rule rule,
                                                int *const exp2[2])
{
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *count = of_forms ? counts->digit_count : counts->form_count;
  int x, k, part;
  for (x = 0; x < lines; x++) {
    int most = INT_MIN, used = 0;
    long long sum = 0;
    double total = 0;
    for (k = 0; k < others; k++) {
      const double size = permi_counts_modulus(counts, of_forms ? k : x, of_forms ? x : k);
      const int e = size == 0 ? 0 : (size <= DBL_MAX ? permi_exponent(size) : 1025) + exp2[!of_forms][k];
      if (size == 0)
        continue;
      sum += e;
      used++;
      most = e > most ? e : most;
    }
    if (!used)
      continue;
    exp2[of_forms][x] = rule == PERMI_SCALE_MEAN ? (int)-(sum / used) : -most;
    for (k = 0; rule == PERMI_SCALE_SUM && k < others; k++) {
      const int d = of_forms ? k : x, f = of_forms ? x : k;
      double size = 0;
      for (part = 0; part < counts->parts; part++)
        size += ldexp(fabs(permi_counts_entry(counts, d, part, f)), exp2[0][d] + exp2[1][f]);
      total += count[k] * size;
    }
    if (rule == PERMI_SCALE_SUM)
      exp2[of_forms][x] -= permi_log2_ceiling(total * (1 + 1e-12));
  }
}

/* Multiplies permanents by 2^*scale_exp2. Returns 1 if exact, 0 if some entry is off by up to half the least double, -1
   if memory runs out. exp2: zeros. */
PERMI_COLD static int permi_counts_scale(const permi_counts *counts, int *const exp2[2], long long *scale_exp2)
{
  const int wide = counts->digit_total == counts->form_total ? permi_counts_scale_wide(counts, exp2) : 1;
  int d, f, exact = 1;
  if (wide < 0)
    return -1;
  if (!wide) {
    permi_counts_scale_lines(counts, 0, PERMI_SCALE_MEAN, exp2);
    permi_counts_scale_lines(counts, 1, PERMI_SCALE_MEAN, exp2);
    permi_counts_scale_lines(counts, 0, PERMI_SCALE_LARGEST, exp2);
  }
  permi_counts_scale_lines(counts, !counts->skips, PERMI_SCALE_SUM, exp2);
  for (d = 0; d < counts->digits * counts->parts; d++)
    for (f = 0; f < counts->forms; f++) {
      double *x = &counts->high[d * counts->forms + f];
      const int shift = exp2[0][d / counts->parts] + exp2[1][f];
      const double given = *x;
      *x = permi_shift(given, shift);
      exact = exact && ldexp(*x, -shift) == given;
    }
  for (d = 0; d < counts->digits; d++)
    *scale_exp2 += (long long)counts->digit_count[d] * exp2[0][d];
  for (f = 0; f < counts->forms; f++)
    *scale_exp2 += (long long)counts->form_count[f] * exp2[1][f];
  return exact;
}

/* Returns 1 if every sum is a whole number below 2^53 units, one for each line that is all used: nothing rounds. */
PERMI_COLD static int permi_counts_whole(const permi_counts *counts)
{
  const int of_forms = !counts->skips;
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *count = of_forms ? counts->form_count : counts->digit_count;
  const int *other = of_forms ? counts->digit_count : counts->form_count;
  double most = of_forms ? 1 : ldexp(1, counts->digit_total < 60 ? counts->digit_total : 60);
  int x, k, part;
  for (x = 0; x < lines; x++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (k = 0; k < others; k++)
      for (part = 0; part < counts->parts; part++) {
        const double y = permi_counts_entry(counts, of_forms ? k : x, part, of_forms ? x : k);
        sum += other[k] * fabs(y);
        if (y != 0 && fabs(y) < DBL_MIN)
          return 0;
        unit = fmin(unit, permi_unit_of(y));
      }
    for (k = count[x]; k > 0 && most < 9e15; k--)
      most *= sum / unit * (1 + 1e-12);
    if (!(most < 9e15))
      return 0;
  }
  return 1;
}

/* Splits entries onto two grids on which all sums are exact. Returns a bound of what forms lose, with counts. */
PERMI_COLD static double permi_counts_split(const permi_counts *counts)
{
  const int low_bits = 53 - permi_log2_ceiling(counts->digit_total);
  double lost = 0;
  int d, f, part;
  for (f = 0; f < counts->forms; f++) {
    double sum = 0, power, low_power;
    for (d = 0; d < counts->digits; d++)
      sum += counts->digit_count[d] * permi_counts_modulus(counts, d, f);
    power = sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
    low_power = ldexp(power, -low_bits);
    for (d = 0; d < counts->digits; d++)
      for (part = 0; part < counts->parts; part++) {
        const size_t at = permi_counts_at(counts, d, part, f);
        const double x = counts->high[at], high = permi_to_grid(x, power), low = permi_to_grid(x - high, low_power);
        counts->high[at] = high;
        counts->low[at] = low;
        lost += counts->form_count[f] * (counts->digit_count[d] * fabs(x - high - low));
      }
  }
  return lost * (1 + 1e-12);
}

/* Sets error measures, u = 2^-53, for M of N forms in a product:
     subsets  a state gains a rounded product (complex parts: two) of a rounded weight, one of nz + 1 summands, nz
     digits not being 0: (nz + 4) u a form, of the sum of moduli (complex: of sums of parts);
     signs    M forms rounded once and M products (complex: 2.42 u each, see permi_plan_bounds), two roundings a digit
     for the weight;
     e_M      M products of rounded forms, N sums (complex parts: sums of two);
     dd       the same in PERMI_DD_UNIT, generous by 16, and the recursion for binomials.
   The factor 1.0001 pays for rounding the sums of |terms|. Underflow and grids cost absolute errors: products of
   sums are at most 1, e_M at most e^M, Ryser's weights at most binom(N, M).
   Units: tests/proofs/dense_orders.sh. */
PERMI_COLD static void permi_counts_bounds(const permi_counts *counts, double lost, double visits, permi_leaf *leaf)
{
  const double M = counts->needed, N = counts->form_total, unit = counts->plain ? PERMI_UNIT : PERMI_DD_UNIT;
  const int parts = counts->parts, symmetric = counts->symmetric;
  double steps = 0, most = 1;
  int d, f;
  if (counts->integer || (counts->method == PERM_METHOD_SUBSETS && counts->whole))
    return;
  leaf->estimate_relative = (M + 4) * unit * parts;
  if (counts->method == PERM_METHOD_SUBSETS) {
    for (f = 0; f < counts->forms; f++) {
      double size = 4;
      for (d = 0; d < counts->digits; d++)
        size += permi_counts_modulus(counts, d, f) != 0;
      steps += counts->form_count[f] * size;
    }
    leaf->bound_relative = steps * unit * (counts->plain ? 1 : parts * parts);
    leaf->bound_absolute = counts->lossy ? PERMI_LEAST * N * counts->digit_total : 0; /* the rest is the partial's */
  } else if (counts->method == PERM_METHOD_EXPANSION) {
    leaf->bound_relative = 2 * (M + 1) * unit * parts * parts;
    leaf->estimate_relative = leaf->bound_relative / 4;
    leaf->bound_absolute = fmin(visits, 1e300) * PERMI_LEAST * (M + 1);
  } else {
    steps = (symmetric ? N + (parts == 2 ? 4 : 2) * M : (parts == 2 ? 3.5 : 2) * M) + 2 * counts->digits + 8;
    if (!counts->plain)
      steps += 2 * counts->digit_total + (parts == 2 ? 4 : 1) * (M + N);
    leaf->bound_relative = counts->plain && symmetric && counts->absolute_mask ? (double)INFINITY : steps * unit;
    if (counts->ryser)
      for (f = 1; f <= counts->needed; f++)
        most *= (counts->digit_total - counts->needed + f) / (double)f;
    else if (symmetric)
      most = exp(M);
    leaf->bound_absolute = (lost + PERMI_LEAST * 8 * (M + 1) * (N + 1)) * most * 1.001;
  }
  leaf->estimate_absolute = leaf->bound_absolute; /* lines of very different sizes come close to it */
  leaf->bound_relative *= 1.0001;
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}
/* SPDX-License-Identifier: MIT */
