/* ================================================================================= >>minors_subsets
   Minors of non-negative matrices without cancellation: a dynamic program over the rows that are used, v_i = 0..r_i of
   the r_i copies of row i. Columns, one copy after the other, are places; place |v| = v_1 + v_2 + .. is the next.
       before[v]          permanent of v's rows and the first |v| places: sum_i v_i a_ip before[v - e_i], p = |v|
       after[v]           d per / d before[v]: after[v - e_i] is the sum of v_i a_ip after[v]
       d per / d a_ip     sum over |v| = p of v_i after[v] before[v - e_i]: r_i times the minor
   or the same of the transpose, whichever has fewer states. Both tables lie in memory.
   THE BOUND. 1. Rows' sums are at most 1, so before[v] <= 1, and after[v] <= prod C(r_i, v_i) <= 2^N, N places. 2. No
   sign is -. Each place rounds a number of a table rows + 1 times at most, the last product is rounded twice, a sum of
   PERMI_PLACING_APART states so many times, and those are added in double-double: a minor errs by less than (N (rows +
   2) + PERMI_PLACING_APART + 8) u of itself, to a thousandth. 3. The tables begin at 2^500 and 2^(500 - N). What falls
   below 2^-1022 loses less than that, times 256 2^500 in a derivative: less than 2^-498 states rows in all. */
#pragma once
#include "../job/control.h"
#include "minors_dense.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_PLACING_EXP2 1000
#define PERMI_PLACING_APART 256
#define PERMI_PLACING_BYTES 1e9 /* chosen: of both tables */

typedef struct permi_placing {
  int rows, places, count[PERM_MAX_N];
  double states;
  double *entry;        /* [place][row] */
  permi_dd *derivative; /* the same, in units of 2^(N - PERMI_PLACING_EXP2) */
} permi_placing;

static void permi_placing_gather(permi_placing *of, double *recent)
{
  int k;
  for (k = 0; k < of->rows * of->places; k++) {
    of->derivative[k] = permi_dd_add(of->derivative[k], permi_dd_make(recent[k]));
    recent[k] = 0;
  }
}

/* recent: one for each derivative, of the last states. */
static perm_status permi_placing_sum(permi_placing *of, double *before, double *after, double *recent, double seconds,
                                    permi_control *control)
{
  const int rows = of->rows, *count = of->count;
  const size_t states = (size_t)of->states;
  size_t stride[PERM_MAX_N], s;
  double v[PERM_MAX_N];
  uint64_t some = 0, left; /* rows of which v is not 0 */
  perm_status status = PERM_OK;
  int i, used = 0;
  for (i = 0; i < rows; i++) {
    stride[i] = i ? stride[i - 1] * (size_t)(count[i - 1] + 1) : 1;
    v[i] = 0;
  }
  before[0] = ldexp(1, PERMI_PLACING_EXP2 / 2);
  for (s = 1; s < states && status == PERM_OK; s++) {
    const double *a;
    double sum = 0;
    for (i = 0; v[i] == count[i]; i++) {
      used -= count[i];
      v[i] = 0;
    }
    v[i]++;
    some = (some >> i | 1) << i;
    a = of->entry + used++ * rows;
    for (left = some; left; left &= left - 1) {
      i = permi_trailing_zeros(left);
      sum += v[i] * a[i] * before[s - stride[i]];
    }
    before[s] = sum;
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (double)s / (3 * of->states), "subsets");
  }
  after[states - 1] = ldexp(1, PERMI_PLACING_EXP2 / 2 - of->places);
  for (s = states - 1; s > 0 && status == PERM_OK; s--) {
    const double *a = of->entry + --used * rows;
    double *sum = recent + used * rows;
    for (left = after[s] > 0 ? some : 0; left; left &= left - 1) {
      double weight;
      i = permi_trailing_zeros(left);
      weight = v[i] * after[s];
      sum[i] += weight * before[s - stride[i]];
      after[s - stride[i]] += weight * a[i];
    }
    for (i = 0; v[i] == 0; i++) {
      v[i] = count[i];
      used += count[i];
    }
    v[i]--;
    some = v[i] > 0 ? some | ((UINT64_C(1) << i) - 1) : some - 1;
    if (!(s % PERMI_PLACING_APART))
      permi_placing_gather(of, recent);
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (1 - (double)s / (1.5 * of->states)), "subsets");
  }
  permi_placing_gather(of, recent);
  return status;
}

/* Sets which lines' copies are counted, and which are places. */
static void permi_placing_shape(const permi_minors *minors, int transposed, permi_placing *of)
{
  int i;
  of->rows = transposed ? minors->columns : minors->rows;
  of->places = minors->total;
  memcpy(of->count, transposed ? minors->column_count : minors->row_count, sizeof of->count);
  for (of->states = 1, i = 0; i < of->rows; i++)
    of->states *= of->count[i] + 1;
}

/* Plans this if it is faster than what is planned. Returns 0 if not, or if an entry is negative. */
static int permi_minors_plan_subsets(permi_minors *minors, const perm_options *options)
{
  permi_placing by[2];
  double least = options->max_bytes > 0 ? fmin(PERMI_PLACING_BYTES, options->max_bytes / 2) : PERMI_PLACING_BYTES;
  double seconds;
  int i, j, transposed;
  for (i = 0; i < minors->rows; i++)
    for (j = 0; j < minors->columns; j++)
      if (minors->parts == 2 || minors->entry[i][j][0] < 0)
        return 0;
  permi_placing_shape(minors, 0, &by[0]);
  permi_placing_shape(minors, 1, &by[1]);
  transposed = by[1].states * by[1].rows < by[0].states * by[0].rows;
  seconds = PERMI_TERMS_SECONDS / 10 * by[transposed].states * by[transposed].rows;
  if (16 * by[transposed].states > least || seconds >= minors->seconds)
    return 0;
  minors->subsets = 1;
  minors->transposed = transposed;
  minors->terms = by[transposed].states;
  minors->seconds = seconds;
  minors->chunks = 1;
  minors->scale_exp2 = PERMI_PLACING_EXP2 - minors->total;
  minors->estimate_relative =
      1.001 * PERMI_UNIT * (minors->total * (by[transposed].rows + 2) + PERMI_PLACING_APART + 8);
  minors->lost = ldexp(minors->terms * by[transposed].rows, 2 - PERMI_PLACING_EXP2 / 2);
  return 1;
}

static perm_status permi_minors_subsets(const permi_minors *minors, const perm_options *options,
                                        permi_control *control, permi_minors_total *total)
{
  const int transposed = minors->transposed, lines = transposed ? minors->rows : minors->columns;
  const int *copies = transposed ? minors->row_count : minors->column_count;
  permi_pool pool = {&options->allocator, NULL, 0};
  perm_status status = PERM_ERROR_MEMORY;
  permi_placing of;
  double *recent, *table;
  size_t many;
  int line, copy, i, p;
  permi_placing_shape(minors, transposed, &of);
  many = (size_t)of.rows * (size_t)of.places;
  of.derivative = (permi_dd *)permi_pool_zeros(&pool, many, sizeof *of.derivative);
  recent = (double *)permi_pool_zeros(&pool, 2 * many, sizeof *recent);
  table = (double *)permi_pool_get(&pool, 2 * (size_t)of.states, sizeof *table);
  if (!pool.failed) {
    double *after = table + (size_t)of.states;
    of.entry = recent + many;
    for (line = p = 0; line < lines; line++)
      for (copy = 0; copy < copies[line]; copy++, p++)
        for (i = 0; i < of.rows; i++)
          of.entry[p * of.rows + i] =
              transposed ? permi_minors_scaled(minors, line, i, 0) : permi_minors_scaled(minors, i, line, 0);
    status = permi_copy(control, after, NULL, (size_t)of.states * sizeof *after)
                 ? permi_placing_sum(&of, table, after, recent, minors->seconds, control)
                 : control->stopped;
    memset(total->exp2, 0, (size_t)total->count * sizeof *total->exp2);
    memset(total->absolute, 0, (size_t)(minors->rows - minors->least) * sizeof *total->absolute);
    for (line = p = 0; line < lines; p += copies[line++])
      for (i = 0; i < of.rows; i++) {
        const int row = (transposed ? line : i) - minors->least, column = transposed ? i : line;
        const permi_dd minor = permi_dd_divide_double(of.derivative[p * of.rows + i], of.count[i]);
        if (row < 0)
          continue;
        total->value[row * minors->columns + column] = minor;
        total->absolute[row] = fmax(total->absolute[row], minor.hi);
      }
  }
  permi_pool_release(&pool);
  return status;
}
#endif
/* SPDX-License-Identifier: MIT */
