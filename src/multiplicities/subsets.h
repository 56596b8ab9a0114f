/* ======================================================================================== >>subsets
   The dynamic program over counts of used rows or columns, and the digits and forms of all engines for counts.
   A cell is a value of >>ring: double-doubles, integers or residues. state[v] is the sum of products over the ways in
   which the forms so far take up v_d copies of each digit d. The next form gives, in place, v descending, where the end
   can be reached,
     state'[v] = state[v] (if forms may stay unused) + sum_d (count_d - (v_d - 1)) a_fd state[v - e_d]. */
#pragma once
#include "../base/ring.h"
#include "../dense/kernels.h"
#include "../job/job.h"
#include "counts.h"

typedef struct permi_counts {
  perm_allocator allocator;
  permi_numbers numbers;
  size_t size;
  int plain;
  const permi_counts_kernels *kernels;
  perm_method method;
  int parts, digits, forms, digit_total, form_total, needed;
  int skips;          /* unused forms: sums over signs take e_M of all */
  int *digit_count, *form_count, *radix;
  double *high, *low; /* [digit][part][form], scaled; low: the rest for split sums */
  int64_t *integer;
  int whole;
  int lossy;          /* scaling rounded some tiny entry */
  int signs;          /* some entry is negative or complex: |terms| are summed apart */
  uint64_t terms, chunks;
  unsigned absolute_mask; /* one of mask + 1 values of e_M enters the sum of |terms| */
  int *weight_at;
  uint64_t *weight;
} permi_counts;

static size_t permi_counts_at(const permi_counts *counts, int digit, int part, int form)
{
  return ((size_t)digit * (size_t)counts->parts + (size_t)part) * (size_t)counts->forms + (size_t)form;
}

static double permi_counts_entry(const permi_counts *counts, int digit, int part, int form)
{
  const size_t at = permi_counts_at(counts, digit, part, form);
  return counts->integer ? (double)counts->integer[at] : counts->high[at];
}

PERMI_NEVER_INLINE static double permi_counts_modulus(const permi_counts *counts, int digit, int form)
{
  return fabs(permi_counts_entry(counts, digit, 0, form)) +
         (counts->parts == 2 ? fabs(permi_counts_entry(counts, digit, 1, form)) : 0);
}

typedef struct permi_factor {
  permi_coefficient c;
  uint64_t magnitude[2][2];
  int negative[2];
} permi_factor;

/* Sets a part of a factor, the real one first. */
static void permi_factor_set(const permi_counts *counts, int part, permi_dd x, permi_wide integer, permi_factor *factor)
{
  const uint64_t modulus = counts->numbers.modulus;
  if (counts->integer) {
    factor->negative[part] = permi_words_magnitude(factor->magnitude[part], &integer.low, 2);
    factor->c.integer[part] = modulus ? (int64_t)permi_wide_residue(integer, modulus) : 0;
  } else if (part) {
    factor->c.imaginary = x.hi;
    factor->c.imaginary_low = x.lo;
  } else {
    factor->c.real = x.hi;
    factor->c.real_low = x.lo;
    factor->c.imaginary = factor->c.imaginary_low = 0;
  }
}

static void permi_counts_factor(const permi_counts *counts, int digit, int form, int times, permi_factor *factor)
{
  permi_dd x = {0, 0};
  for (int part = 0; part < counts->parts; part++) {
    const size_t at = permi_counts_at(counts, digit, part, form);
    permi_wide integer = {0, 0};
    if (counts->integer) {
      const permi_wide entry = permi_wide_of(counts->integer[at]);
      permi_wide_add_product(&integer, &entry, times);
    } else {
      x = permi_dd_multiply(permi_dd_make(counts->high[at]), permi_dd_make(times));
    }
    permi_factor_set(counts, part, x, integer, factor);
  }
}

/* Adds from * factor; fresh: sets it. */
PERMI_NEVER_INLINE static void permi_cell_fuse(const permi_counts *counts, void *to, const void *from,
                                               const permi_factor *factor, int fresh)
{
  const permi_numbers *numbers = &counts->numbers;
  if (numbers->algebra == PERMI_MAGNITUDES_DD) {
    permi_value_add(PERMI_MAGNITUDES_DD, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_PAIR_DD_VALUES) {
    permi_value_add(PERMI_PAIR_DD_VALUES, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_RESIDUES) {
    permi_value_add(PERMI_RESIDUES, numbers, &factor->c, to, from, fresh);
  } else {
    if (fresh)
      memset(to, 0, counts->size * sizeof(uint64_t));
    for (int p = 0; p < numbers->parts; p++)
      for (int q = 0; q < numbers->parts; q++)
        permi_words_fuse((uint64_t *)to + (p ^ q) * numbers->words, (const uint64_t *)from + q * numbers->words,
                         numbers->words, factor->magnitude[p], 2, factor->negative[p] != (p & q));
  }
}

/* Returns about the modulus of a cell of double-doubles, 0 for integers. */
static double permi_cell_modulus(const permi_counts *counts, const void *cell)
{
  const permi_dd *x = (const permi_dd *)cell;
  return counts->integer ? 0 : fabs(x[0].hi) + (counts->parts == 2 ? fabs(x[1].hi) : 0);
}

#define PERMI_SWEEP_ROW 64

typedef struct permi_subsets {
  const permi_counts *counts;
  size_t stride[PERMI_MOST_DIGITS], states;
  int v[PERMI_MOST_DIGITS];
  double *plane[3];          /* states: real, imaginary, absolute; or NULL */
  uint64_t *cell;            /* instead of the first two planes */
  int at[PERMI_MOST_DIGITS]; /* where digit d's weights, by v_d, begin */
  double *weight[3];         /* real, imaginary, absolute */
  permi_factor *factor;      /* instead of the first two weights */
  double *sum[3];
  int block, row;            /* digits 0 .. block - 1 span a row of so many states */
  double *inner[4];          /* [digit][row]: weights, and -imaginary; 0 where v_d is */
  int inner_total;           /* the largest total of a row's digits */
  permi_control *control;
  double least_state, least_weight; /* not 0: tell where products cannot underflow */
  /* digits to take back from the row: offsets and weights */
  int active;
  size_t offset[PERMI_MOST_DIGITS];
  int which[PERMI_MOST_DIGITS];
} permi_subsets;

/* Moves the states base + x0 .. base + x1. Returns the largest modulus. */
static double permi_subsets_states(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_counts *counts = dp->counts;
  double most = 0;
  for (int x = x1; x >= x0; x--) {
    const size_t at = base + (size_t)x;
    uint64_t *to = dp->cell ? dp->cell + at * counts->size : NULL;
    double sum[3] = {0, 0, 0};
    if (to && !counts->skips)
      memset(to, 0, counts->size * sizeof *to);
    else if (dp->plane[2] && counts->skips)
      sum[2] = dp->plane[2][at];
    for (int k = x ? -1 : 0; k < dp->active; k++) {
      const size_t from = at - (k < 0 ? 1 : dp->offset[k]);
      const int which = k < 0 ? x : dp->which[k];
      if (to) {
        permi_cell_fuse(counts, to, dp->cell + from * counts->size, &dp->factor[which], 0);
      } else {
        const double re = dp->plane[0][from], w = dp->weight[0][which];
        sum[0] += w * re;
        if (dp->plane[1]) {
          const double im = dp->plane[1][from], z = dp->weight[1][which];
          sum[0] -= z * im;
          sum[1] += w * im + z * re;
        }
      }
      if (dp->plane[2])
        sum[2] += dp->weight[2][which] * dp->plane[2][from];
    }
    for (int k = 0; to && k < counts->parts && !counts->integer; k++)
      permi_size_seen(fabs(((const permi_dd *)(const void *)to)[k].hi), &most, &dp->least_state);
    for (int plane = 0; plane < 3; plane++)
      if (dp->plane[plane]) {
        dp->plane[plane][at] = sum[plane];
        permi_size_seen(fabs(sum[plane]), &most, &dp->least_state);
      }
  }
  return most;
}

/* The same by vectors, in doubles where forms may stay unused. */
static double permi_subsets_row(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_counts_kernels *kernels = dp->counts->kernels;
  const double *from[2 * PERMI_MOST_DIGITS];
  double weight[2 * PERMI_MOST_DIGITS], most = 0;
  const int states = x1 - x0 + 1;
  int plane, k, terms;
  for (plane = 0; plane < 3; plane++) {
    const double *state = dp->plane[plane] ? dp->plane[plane] + base : NULL;
    const double *other = plane < 2 && dp->plane[1] ? dp->plane[1 - plane] + base : NULL;
    double *sum = dp->sum[plane];
    const int which = plane == 2 ? 2 : 0, turned = plane ? 1 : 3;
    if (!state)
      continue;
    memcpy(sum + x0, state + x0, (size_t)states * sizeof *sum);
    for (k = 0; k < dp->block; k++) {
      const int stride = (int)dp->stride[k], x = x0 > stride ? x0 : stride, at = k * dp->row + x;
      kernels->add_weighted(sum + x, state + x - stride, dp->inner[which] + at, x1 - x + 1);
      if (other)
        kernels->add_weighted(sum + x, other + x - stride, dp->inner[turned] + at, x1 - x + 1);
    }
    for (k = terms = 0; k < dp->active; k++) {
      from[terms] = state + x0 - dp->offset[k];
      weight[terms++] = dp->weight[which][dp->which[k]];
      if (other) {
        from[terms] = other + x0 - dp->offset[k];
        weight[terms++] = (plane ? 1 : -1) * dp->weight[1][dp->which[k]];
      }
    }
    kernels->add_scaled(sum + x0, from, weight, terms, states);
  }
  for (plane = 0; plane < 3; plane++)
    if (dp->plane[plane])
      kernels->store_states(dp->plane[plane] + base + x0, dp->sum[plane] + x0, states, &most, &dp->least_state);
  return most;
}

/* Lets one form take up its digit; totals become least .. most. */
PERMI_NEVER_INLINE static double permi_subsets_step(permi_subsets *dp, int least, int most)
{
  const permi_counts *counts = dp->counts;
  const int words = counts->numbers.words, products = counts->parts * counts->parts;
  const double each = dp->cell ? (10.0 + 5 * words) * products : 1;
  size_t base = dp->states;
  double largest = 0;
  int total = 0, d;
  for (d = dp->block; d < counts->digits; d++)
    total += dp->v[d] = counts->radix[d] - 1;
  for (;;) {
    double units = 2;
    base -= (size_t)dp->row;
    if (total <= most && total + dp->inner_total >= least) {
      /* several digits: all totals; other states are right or never read */
      const int x0 = dp->block == 1 && least > total ? least - total : 0;
      const int x1 = dp->block == 1 && most - total < dp->row - 1 ? most - total : dp->row - 1;
      double size;
      dp->active = 0;
      for (d = dp->block; d < counts->digits; d++)
        if (dp->v[d] && dp->weight[2][dp->at[d] + dp->v[d]] != 0) {
          dp->offset[dp->active] = dp->stride[d];
          dp->which[dp->active++] = dp->at[d] + dp->v[d];
        }
      size = counts->skips && !dp->cell ? permi_subsets_row(dp, base, x0, x1) : permi_subsets_states(dp, base, x0, x1);
      largest = size > largest ? size : largest;
      units += (double)(x1 - x0 + 1) * (1 + dp->block + dp->active) * each;
    }
    if (permi_watch(dp->control, units))
      return largest;
    for (d = dp->block; d < counts->digits && dp->v[d] == 0; d++)
      total += dp->v[d] = counts->radix[d] - 1;
    if (d == counts->digits)
      return largest;
    dp->v[d]--;
    total--;
  }
}

/* Makes weights by digit and v_d: the entry times the copies that v_d - 1 used ones leave. */
static void permi_subsets_weights(permi_subsets *dp, int form)
{
  const permi_counts *counts = dp->counts;
  double unused = 0;
  dp->least_weight = 1;
  for (int d = 0; d < counts->digits; d++) {
    for (int part = 0; part < counts->parts; part++)
      permi_size_seen(fabs(permi_counts_entry(counts, d, part, form)), &unused, &dp->least_weight);
    for (int v = 1; v < counts->radix[d]; v++) {
      const int left = counts->digit_count[d] - (v - 1), at = dp->at[d] + v;
      dp->weight[2][at] = left * permi_counts_modulus(counts, d, form);
      if (dp->factor)
        permi_counts_factor(counts, d, form, left, &dp->factor[at]);
      for (int part = 0; part < counts->parts && !dp->factor; part++)
        dp->weight[part][at] = left * permi_counts_entry(counts, d, part, form);
    }
  }
  for (int d = 0; d < dp->block && counts->skips && !dp->factor; d++) {
    const int stride = (int)dp->stride[d];
    for (int plane = 0; plane < 4; plane++) {
      const double *weight = dp->weight[plane == 3 ? 1 : plane] + dp->at[d], sign = plane == 3 ? -1 : 1;
      double *inner = dp->inner[plane] + d * dp->row;
      if (plane == 2 ? !dp->plane[2] : plane && !dp->plane[1])
        continue;
      for (int x = 0, v = 0; x < dp->row; x += stride, v = v + 1 < counts->radix[d] ? v + 1 : 0)
        for (int k = x; k < x + stride; k++)
          inner[k] = v ? sign * weight[v] : 0;
    }
  }
}

PERMI_COLD static void permi_subsets_finish(permi_subsets *dp, perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  int d, total = 0;
  memset(dp->v, 0, sizeof dp->v);
  for (size_t s = 0; s < dp->states; s++) {
    if (total == counts->needed) {
      const uint64_t *cell = dp->cell ? dp->cell + s * counts->size : NULL;
      if (cell)
        permi_value_sum_parts(&counts->numbers, cell, partial);
      else
        permi_sum_add_double(&partial->value, dp->plane[0][s]);
      if (dp->plane[1])
        permi_sum_add_double(&partial->imaginary, dp->plane[1][s]);
      permi_sum_add_double(&partial->absolute, dp->plane[2] ? dp->plane[2][s]
                                               : cell       ? permi_cell_modulus(counts, cell)
                                                            : dp->plane[0][s]);
    }
    for (d = 0; d < counts->digits && dp->v[d] == counts->radix[d] - 1; d++) {
      total -= dp->v[d];
      dp->v[d] = 0;
    }
    if (d < counts->digits) {
      dp->v[d]++;
      total++;
    }
  }
}

/* Several least doubles, more than underflow costs an operation on double-doubles. */
#define PERMI_LEAST 4e-323

PERMI_COLD static perm_status permi_subsets_run(permi_subsets *dp, double seconds, perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  permi_control *control = dp->control;
  permi_dd *cell = (permi_dd *)(void *)dp->cell;
  double lost = 0;
  int form, copy, plane, step = 0;
  if (control)
    control->done = 0;
  dp->least_state = 1;
  for (form = 0; form < counts->forms; form++) {
    permi_subsets_weights(dp, form);
    for (copy = 0; copy < counts->form_count[form]; copy++) {
      const int reach = ++step < counts->needed ? step : counts->needed, left = counts->form_total - step;
      const int safe = dp->least_state * dp->least_weight > 1e-250; /* leaves room for low parts */
      dp->least_state = (double)INFINITY;
      const double most = permi_subsets_step(dp, counts->needed > left ? counts->needed - left : 0, reach);
      if (control && control->stopped != PERM_OK)
        return control->stopped;
      if (control)
        control->done = seconds * step / counts->form_total;
      if (counts->integer || counts->whole)
        continue;
      lost += safe ? 0 : PERMI_LEAST * (counts->digits + 2.0) * (double)dp->states;
      if (most > 0 && (most < 1e120 || most > 1e200)) { /* to about 2^600, far above underflow */
        const int e = permi_exponent(most) - 600;
        for (plane = 0; plane < 3; plane++)
          for (size_t s = 0; dp->plane[plane] && s < dp->states; s++)
            dp->plane[plane][s] = ldexp(dp->plane[plane][s], -e);
        for (size_t s = 0; cell && s < dp->states * (size_t)counts->parts; s++)
          cell[s] = permi_dd_scale(cell[s], -e);
        partial->exp2 += e;
        lost = ldexp(lost, -e) + (dp->least_state > 1e-190 ? 0 : PERMI_LEAST * (double)dp->states);
        dp->least_state = ldexp(dp->least_state, -e);
      }
    }
  }
  permi_subsets_finish(dp, partial);
  partial->lost += lost;
  partial->terms += (double)dp->states * counts->form_total;
  return PERM_OK;
}

PERMI_COLD static perm_status permi_subsets_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  const int absolute = counts->signs && !counts->integer;
  permi_pool pool = {&counts->allocator, NULL, 0};
  permi_subsets dp;
  perm_partial mine = *partial;
  perm_status status = PERM_ERROR_MEMORY;
  const size_t size = (counts->plain ? (size_t)counts->parts : counts->size) + (size_t)absolute;
  double *next, states = 1;
  size_t weights = 0;
  memset(&dp, 0, sizeof dp);
  dp.counts = counts;
  dp.control = control;
  for (int d = 0; d < counts->digits; d++) {
    dp.at[d] = (int)weights;
    weights += (size_t)counts->radix[d];
    dp.stride[d] = d ? dp.stride[d - 1] * (size_t)counts->radix[d - 1] : 1;
    states *= counts->radix[d];
  }
  if (states >= fmin(1e18, (double)(SIZE_MAX / 32 / size)))
    return PERM_ERROR_MEMORY;
  dp.states = (size_t)states;
  dp.block = 1;
  dp.row = counts->radix[0];
  while (counts->skips && counts->plain && dp.block < counts->digits &&
         dp.row * counts->radix[dp.block] <= PERMI_SWEEP_ROW)
    dp.row *= counts->radix[dp.block++];
  for (int d = 0; d < dp.block; d++)
    dp.inner_total += counts->radix[d] - 1;
  next = (double *)permi_pool_get(&pool, dp.states * size + (3 + 4 * (size_t)dp.block) * (size_t)dp.row + 3 * weights,
                                  sizeof *next);
  if (!counts->plain)
    dp.factor = (permi_factor *)permi_pool_get(&pool, weights, sizeof *dp.factor);
  if (!pool.failed) {
    for (int plane = 0; plane < 3; plane++, next += weights + (size_t)dp.row) {
      dp.weight[plane] = next;
      dp.sum[plane] = next + weights;
    }
    memset(dp.weight[1], 0, weights * sizeof(double));
    for (int plane = 0; plane < 4; plane++, next += dp.block * dp.row)
      dp.inner[plane] = next;
    if (control)
      control->activity = "subsets";
    if (!permi_copy(control, next, NULL, dp.states * size * sizeof(double))) {
      status = control->stopped;
    } else {
      for (int plane = 0; plane < 3; plane++)
        if (plane == 2 ? absolute : counts->plain && plane < counts->parts) {
          dp.plane[plane] = next;
          next += dp.states;
          dp.plane[plane][0] = plane == 1 ? 0 : 1;
        }
      if (!counts->plain) {
        dp.cell = (uint64_t *)(void *)next;
        permi_value_one(&counts->numbers, dp.cell);
      }
      status = permi_subsets_run(&dp, leaf->information.seconds, &mine);
    }
  }
  permi_pool_release(&pool);
  if (status == PERM_OK)
    *partial = mine;
  return status;
}
/* SPDX-License-Identifier: MIT */
