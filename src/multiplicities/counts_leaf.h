/* ===================================================================================== >>counts_leaf
   The leaf of the chosen engine: entries are scaled by powers of two and put on grids, the loss is bounded. The sums
   of moduli of forms, if all are used, else of digits, become at most 1: no sum of products exceeds 1 except by
   binomials, and losses do not grow. */
#pragma once
#include "../dense/plan.h"
#include "sign_sums.h"

#define PERMI_SCALE_WIDE 400 /* entries further apart: scaled by a transversal of largest product */

/* Sets exp2 by >>scale, repeated lines written out: the largest products become about 1, where means of exponents leave
   2^-3000 and no bounds. Returns 0 if too large, not wide, or without transversal, -1 without memory. */
PERMI_COLD static int permi_counts_scale_wide(const permi_counts *counts, int *const exp2[2])
{
  int(*exponent)[PERM_MAX_N], line_exp2[2][PERM_MAX_N];
  const int n = counts->digit_total, parts = counts->parts;
  int scaled = 0, d, f, i, j, at, side, least = INT_MAX, most = INT_MIN;
  exponent = n <= PERM_MAX_N ? permi_scale_room(&counts->allocator, n) : NULL;
  if (!exponent)
    return n <= PERM_MAX_N ? -1 : 0;
  for (d = i = 0; d < counts->digits; i += counts->digit_count[d++])
    for (f = j = 0; f < counts->forms; j += counts->form_count[f++]) {
      const double x = permi_counts_entry(counts, d, 0, f), y = permi_counts_entry(counts, d, parts - 1, f);
      const double size = fmax(fabs(x), fabs(y));
      const int e = size != 0 ? permi_exponent(size) : PERMI_NO_EXPONENT;
      least = size != 0 && e < least ? e : least;
      most = size != 0 && e > most ? e : most;
      for (at = 0; at < counts->digit_count[d] * counts->form_count[f]; at++)
        exponent[i + at / counts->form_count[f]][j + at % counts->form_count[f]] = e;
    }
  if (most - (double)least > PERMI_SCALE_WIDE)
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

/* Sets exp2 of one side, given the other's: each line's mean exponent is about 0, or its largest entry or its sum of
   moduli, with counts, at most 1. */
PERMI_COLD static void permi_counts_scale_lines(const permi_counts *counts, int of_forms, permi_scale_rule rule,
                                                int *const exp2[2])
{
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *other = of_forms ? counts->digit_count : counts->form_count;
  for (int x = 0; x < lines; x++) {
    int most = INT_MIN, used = 0;
    long long sum = 0;
    double total = 0;
    for (int k = 0; k < others; k++) {
      const double size = permi_counts_modulus(counts, of_forms ? k : x, of_forms ? x : k);
      const int e = size == 0 ? 0 : (size <= DBL_MAX ? permi_exponent(size) : 1025) + exp2[!of_forms][k];
      sum += e;
      used += size != 0;
      most = size != 0 && e > most ? e : most;
    }
    if (!used)
      continue;
    exp2[of_forms][x] = rule == PERMI_SCALE_MEAN ? (int)-(sum / used) : -most;
    for (int k = 0; rule == PERMI_SCALE_SUM && k < others; k++) {
      const int d = of_forms ? k : x, f = of_forms ? x : k;
      double size = 0;
      for (int part = 0; part < counts->parts; part++)
        size += ldexp(fabs(permi_counts_entry(counts, d, part, f)), exp2[0][d] + exp2[1][f]);
      total += other[k] * size;
    }
    if (rule == PERMI_SCALE_SUM)
      exp2[of_forms][x] -= permi_log2_ceiling(total * (1 + 1e-12));
  }
}

/* Multiplies permanents by 2^-*scale_exp2. Returns 1 if exact, 0 if an entry is off by up to half the least double, -1
   without memory. exp2: zeros. */
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
    *scale_exp2 -= (long long)counts->digit_count[d] * exp2[0][d];
  for (f = 0; f < counts->forms; f++)
    *scale_exp2 -= (long long)counts->form_count[f] * exp2[1][f];
  return exact;
}

/* Returns 1 if nothing rounds: sums are below 2^53 units, a unit for each line all used. */
PERMI_COLD static int permi_counts_whole(const permi_counts *counts)
{
  const int of_forms = !counts->skips;
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *count = of_forms ? counts->form_count : counts->digit_count;
  const int *other = of_forms ? counts->digit_count : counts->form_count;
  double most = of_forms ? 1 : ldexp(1, counts->digit_total < 60 ? counts->digit_total : 60);
  for (int x = 0; x < lines; x++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (int k = 0; k < others; k++)
      for (int part = 0; part < counts->parts; part++) {
        const double y = permi_counts_entry(counts, of_forms ? k : x, part, of_forms ? x : k);
        sum += other[k] * fabs(y);
        if (y != 0 && fabs(y) < DBL_MIN)
          return 0;
        unit = fmin(unit, permi_unit_of(y));
      }
    for (int k = count[x]; k > 0 && most < 9e15; k--)
      most *= sum / unit * (1 + 1e-12);
    if (!(most < 9e15))
      return 0;
  }
  return 1;
}

/* Splits entries onto two grids of exact sums. Returns a bound of what forms lose, with counts. */
PERMI_COLD static double permi_counts_split(const permi_counts *counts)
{
  const int low_bits = 53 - permi_log2_ceiling(counts->digit_total);
  double lost = 0;
  for (int f = 0; f < counts->forms; f++) {
    double sum = 0, power, low_power;
    for (int d = 0; d < counts->digits; d++)
      sum += counts->digit_count[d] * permi_counts_modulus(counts, d, f);
    power = sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
    low_power = ldexp(power, -low_bits);
    for (int d = 0; d < counts->digits; d++)
      for (int part = 0; part < counts->parts; part++) {
        const size_t at = permi_counts_at(counts, d, part, f);
        const double x = counts->high[at], high = permi_to_grid(x, power), low = permi_to_grid(x - high, low_power);
        counts->high[at] = high;
        counts->low[at] = low;
        lost += counts->form_count[f] * (counts->digit_count[d] * fabs(x - high - low));
      }
  }
  return lost * (1 + 1e-12);
}

/* THE BOUND. Sets bounds and estimates for M of N forms in a product (tests/proofs/dense_orders.sh). */
PERMI_COLD static void permi_counts_bounds(const permi_counts *counts, double lost, permi_leaf *leaf)
{
  const double M = counts->needed, N = counts->form_total, unit = counts->plain ? PERMI_UNIT : PERMI_DD_UNIT;
  const int parts = counts->parts, skips = counts->skips;
  double steps = 0;
  if (counts->integer || (counts->method == PERM_METHOD_SUBSETS && counts->whole))
    return;
  leaf->estimate_relative = (M + 4) * unit * parts;
  if (counts->method == PERM_METHOD_SUBSETS) {
    for (int f = 0; f < counts->forms; f++) {
      double size = 4;
      for (int d = 0; d < counts->digits; d++)
        size += permi_counts_modulus(counts, d, f) != 0;
      steps += counts->form_count[f] * size;
    }
    leaf->bound_relative = steps * unit * (counts->plain ? 1 : parts * parts);
    leaf->bound_absolute = counts->lossy ? PERMI_LEAST * N * counts->digit_total : 0; /* the rest is the partial's */
  } else {
    steps = (skips ? N + (parts == 2 ? 4 : 2) * M : (parts == 2 ? 3.5 : 2) * M) + 2 * counts->digits + 8;
    if (!counts->plain)
      steps += 2 * counts->digit_total + (parts == 2 ? 4 : 1) * (M + N);
    leaf->bound_relative = counts->plain && skips && counts->absolute_mask ? (double)INFINITY : steps * unit;
    leaf->bound_absolute = (lost + PERMI_LEAST * 8 * (M + 1) * (N + 1)) * (skips ? exp(M) : 1) * 1.001;
  }
  leaf->estimate_absolute = leaf->bound_absolute; /* lines of very different sizes come close to it */
  leaf->bound_relative *= 1.0001;
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

/* Makes counts with exp2, zeros, in their memory. */
PERMI_COLD static permi_counts *permi_counts_new(const permi_counted *counted, const permi_choice *choice,
                                                 const perm_allocator *allocator, int *exp2[2])
{
  const permi_shape *shape = &choice->shape;
  const int parts = counted->parts, digits = shape->digits, forms = shape->forms, needed = shape->needed;
  const int plain = choice->precision == PERM_PRECISION_DEFAULT;
  const size_t entries = (size_t)digits * (size_t)forms * (size_t)parts, integers = (size_t)(5 * digits + 2 * forms);
  const permi_numbers numbers = {choice->modulus ? PERMI_RESIDUES
                                 : choice->words ? PERMI_WORDS
                                 : parts == 2    ? PERMI_PAIR_DD_VALUES
                                                 : PERMI_MAGNITUDES_DD, parts, choice->words, choice->modulus};
  const size_t size = plain ? 1 : permi_numbers_words(&numbers);
  size_t weights = 0;
  if (choice->method != PERM_METHOD_SUBSETS)
    weights = (size_t)(shape->digit_total + digits) * size;
  permi_counts *counts = (permi_counts *)permi_allocate_zeros(
      allocator, 1, sizeof *counts + (2 * entries + weights) * sizeof(double) + integers * sizeof(int));
  if (!counts)
    return NULL;
  counts->allocator = *allocator;
  counts->numbers = numbers;
  counts->size = size;
  counts->plain = plain;
  counts->method = choice->method;
  counts->kernels = counted->reach->counts[choice->isa != PERM_ISA_PLAIN];
  counts->parts = parts;
  counts->digits = digits;
  counts->forms = forms;
  counts->digit_total = shape->digit_total;
  counts->form_total = shape->form_total;
  counts->needed = needed;
  counts->skips = shape->skips;
  counts->high = (double *)(counts + 1);
  counts->low = counts->high + entries;
  counts->weight = (uint64_t *)(void *)(counts->low + entries);
  counts->digit_count = (int *)(counts->weight + weights);
  counts->radix = counts->digit_count + digits;
  counts->weight_at = counts->radix + digits;
  counts->form_count = counts->weight_at + digits;
  exp2[0] = counts->form_count + forms;
  exp2[1] = exp2[0] + digits;
  int *order = exp2[1] + forms;
  for (int d = 0; d < digits; d++) { /* stably by falling count */
    int k = d;
    for (; k > 0 && shape->digit_count[order[k - 1]] < shape->digit_count[d]; k--)
      order[k] = order[k - 1];
    order[k] = d;
  }
  if (choice->method != PERM_METHOD_SUBSETS) { /* the last odd one, else the first, counts half at the end */
    int at = digits - 1;
    while (at > 0 && !(shape->digit_count[order[at]] & 1))
      at--;
    const int half = order[at];
    memmove(order + at, order + at + 1, (size_t)(digits - 1 - at) * sizeof *order);
    order[digits - 1] = half;
  }
  memcpy(counts->form_count, shape->form_count, (size_t)forms * sizeof *counts->form_count);
  for (int d = 0; d < digits; d++) {
    const int count = counts->digit_count[d] = shape->digit_count[order[d]];
    counts->radix[d] = (count < needed ? count : needed) + 1;
    for (int f = 0; f < forms; f++)
      for (int part = 0; part < parts; part++) {
        double *to = counts->high + permi_counts_at(counts, d, part, f);
        memcpy(to, counted->real + permi_counted_at(counted, choice->by_columns, order[d], f, part), sizeof *to);
        counts->signs |= parts == 2 || (!counted->integer && *to < 0);
      }
  }
  if (counted->integer) {
    counts->integer = (int64_t *)(void *)counts->high;
    counts->low = NULL;
    counts->signs = 0;
  }
  return counts;
}

/* Completes the leaf; returns a bound of what its forms lose. */
PERMI_COLD static double permi_signs_leaf(permi_counts *counts, int certify, permi_leaf *leaf)
{
  const size_t size = counts->size;
  const double seconds = leaf->information.seconds;
  int chunks_log2 = 0, at = 0, d;
  counts->terms = 1;
  for (d = 0; d < counts->digits; d++) {
    const int half = d == counts->digits - 1;
    if (half)
      counts->radix[d] = counts->digit_count[d] / 2 + 1;
    counts->weight_at[d] = at;
    permi_digit_weights(counts, counts->digit_count[d], counts->radix[d] - 1, half,
                        counts->weight + (size_t)at * size);
    at += counts->radix[d];
    counts->terms *= (uint64_t)counts->radix[d];
  }
  while (ldexp(seconds, -chunks_log2) > (chunks_log2 < 30 ? 4e-4 : 0.1) && counts->terms >> chunks_log2 > 32)
    chunks_log2++;
  counts->chunks = UINT64_C(1) << chunks_log2;
  counts->absolute_mask = certify || counts->terms < 2048 ? 0 : 15;
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.chunks = counts->chunks;
  leaf->run_chunk = permi_nary_chunk;
  leaf->workspace = sizeof(permi_nary_work);
  if (counts->integer)
    leaf->scale_exp2 = -counts->digit_total;
  return counts->integer ? 0 : permi_counts_split(counts);
}

PERMI_COLD static perm_status permi_choice_leaf(const permi_counted *counted, const permi_choice *choice, int certify,
                                                uint64_t fingerprint, const perm_allocator *allocator, permi_leaf *leaf)
{
  int *exp2[2];
  permi_counts *counts = permi_counts_new(counted, choice, allocator, exp2);
  perm_leaf information = {PERM_LEAF_TASK, choice->method,  choice->isa,   0, 1,
                           choice->work,   choice->seconds, choice->bytes, 0};
  memset(leaf, 0, sizeof *leaf);
  if (!counts)
    return PERM_ERROR_MEMORY;
  if (!counts->integer) {
    const int exact = permi_counts_scale(counts, exp2, &leaf->scale_exp2);
    if (exact < 0) {
      permi_release(allocator, counts);
      return PERM_ERROR_MEMORY;
    }
    counts->lossy = !exact;
    counts->whole = exact && permi_counts_whole(counts);
  }
  leaf->scale = permi_dd_make(1);
  leaf->context = counts;
  leaf->release = permi_release;
  leaf->explain = permi_plan_explain;
  information.n = counts->needed;
  leaf->information = information;
  leaf->integer = counts->integer != NULL;
  leaf->run_task = permi_subsets_task;
  permi_counts_bounds(counts, choice->method == PERM_METHOD_SUBSETS ? 0 : permi_signs_leaf(counts, certify, leaf),
                      leaf);
  const int fields[] = {(int)choice->method, (int)choice->isa, choice->by_columns, (int)choice->precision,
                        counts->parts, leaf->integer, (int)counts->absolute_mask};
  for (int k = 0; k < 7; k++)
    fingerprint = permi_hash(fingerprint, (uint64_t)fields[k]);
  if (choice->modulus)
    fingerprint = permi_hash(fingerprint, choice->modulus);
  fingerprint = permi_hash(fingerprint, leaf->information.chunks);
  leaf->information.fingerprint = fingerprint;
  if (counted->scaled) { /* not an integer: rounded to double-double */
    leaf->integer = 0;
    leaf->scale_exp2 += (long long)counted->exp2 * counted->rows;
    leaf->bound_relative = leaf->estimate_relative = PERMI_DD_UNIT;
  }
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
