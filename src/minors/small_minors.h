/* =================================================================================== >>small_minors
   Minors of a row and gradients, n <= 16, with copies 12, at once: no plan, job, allocation or clock.
     n <= 4    expansion of the three rows or fewer
     5 .. 16   >>small_minors_kernels
   The bound. 1. Moduli |re| + |im| in place of all numbers, no number is larger than by the same operations on moduli,
   whose signs are then +: at most prod R_i over the rows of a minor, R_i = sum_j |a_ij|, as the mean over the signs;
   the expansions give permanents of |A|. 2. A product of n - 1 entries is rounded at most K times, K =
   permi_small_roundings, in the expansions 16. 3. So |error| is at most K u / (1 - K u) times that [Hig02, 3.1]. 4.
   Underflow as in >>small, for entries of the same size: fewer than 1e6 operations in every sum, each by less than
   2e-178: below 1e-170; n > 12, sum of the R_i up to 1e10, products of 15 below 1e133: 1e7 operations, each by less
   than 1e-188; n <= 4, entries up to 1e60: 1e-200 (tests/proofs/small.g).
   The estimate is that of >>small_result: 4 n u times the sum of |terms| and the product of the rows' norms. */
#pragma once
#include "minors.h"
#include "../dense/small_result.h"
#include "../job/options.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_SMALL_MINORS_LARGEST 1e13 /* sum of the R_i, n > 4: no product of squares overflows */
#define PERMI_FAR_MINORS_LARGEST 1e10   /* n > 12 */
#define PERMI_SMALL_MINORS_DOUBLES (PERMI_SMALL_N * (2 * PERMI_SMALL_N + 1)) /* as the kernels write */

/* row: -1 for the gradient. */
typedef struct permi_minors_call {
  int m, n, row;
  const permi_view *view;
  const int *row_counts, *column_counts;
  double *out;
  int *row_count, *column_count; /* PERM_MAX_N each, once checked */
  int total, entries;            /* lines with copies; doubles of out */
  int marginals, spare; /* of marginals: rows of ones, -: columns, so that the totals are equal */
} permi_minors_call;

/* a: rows x n entries, n - 1 rows or, for the gradient, n; factor: what minors will be multiplied by, at most. */
typedef struct permi_small_minors {
  perm_isa isa;
  int n, parts, rows;
  const double *a;
  double factor, bound, estimate;
} permi_small_minors;

static permi_small_minors_run permi_small_minors_kernel(perm_isa isa, int n, int parts, int gradient)
{
#if defined(PERM_NO_COMPLEX)
#define PERMI_SMALL_MINORS_FAMILY(family)                                                                              \
  (gradient ? permi_small_gradient_real_##family : permi_small_minors_real_##family)
#else
#define PERMI_SMALL_MINORS_FAMILY(family)                                                                              \
  (parts == 2 ? gradient ? permi_small_gradient_complex_##family : permi_small_minors_complex_##family                 \
   : gradient ? permi_small_gradient_real_##family                                                                     \
              : permi_small_minors_real_##family)
#endif
  (void)isa;
  (void)n;
  (void)parts;
#if PERMI_X86
  if (isa == PERM_ISA_AVX512 && n > 5)
    return PERMI_SMALL_MINORS_FAMILY(avx512);
  if (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)
    return PERMI_SMALL_MINORS_FAMILY(avx2);
#endif
#if PERMI_ARM
  if (isa == PERM_ISA_NEON)
    return PERMI_SMALL_MINORS_FAMILY(neon);
#endif
  return PERMI_SMALL_MINORS_FAMILY(plain);
#undef PERMI_SMALL_MINORS_FAMILY
}

/* n <= 4: out as the kernels write it, with the largest permanent of moduli in place of the sum of |terms|. */
static void permi_small_minors_few(const permi_small_minors *of, double *out)
{
  const int n = of->n, parts = of->parts, width = n * parts, gradient = of->rows == n;
  double size[16], of_moduli[4];
  int i, j, k;
  for (k = 0; k < of->rows * n; k++)
    size[k] = parts == 2 ? fabs(of->a[2 * k]) + fabs(of->a[2 * k + 1]) : fabs(of->a[k]);
  for (i = 0; i < (gradient ? n : 1); i++, out += width + 1) {
    int row[3] = {0, 0, 0};
    for (j = k = 0; j < of->rows; j++)
      if (!gradient || j != i)
        row[k++] = j;
    permi_small_minors_few_real_plain(n, size + row[0] * n, size + row[1] * n, size + row[2] * n, of_moduli);
#if !defined(PERM_NO_COMPLEX)
    if (parts == 2)
      permi_small_minors_few_complex_plain(n, of->a + row[0] * width, of->a + row[1] * width, of->a + row[2] * width,
                                           out);
    else
#endif
      permi_small_minors_few_real_plain(n, of->a + row[0] * width, of->a + row[1] * width, of->a + row[2] * width, out);
    for (j = 0, out[width] = 0; j < n; j++)
      out[width] = of_moduli[j] > out[width] ? of_moduli[j] : out[width];
  }
}

/* out: for each wanted row n minors, then a number that is not one. Returns 0: take the general path. 2 <= n <= 16. */
static int permi_small_minors_compute(permi_small_minors *of, double *out)
{
  const int n = of->n, width = n * of->parts, gradient = of->rows == n;
  const permi_small_size size = permi_small_sizes(gradient ? PERM_ISA_PLAIN : of->isa, of->rows, width, of->a);
  const double moduli = gradient ? size.other_sums : size.sums; /* largest product of n - 1 rows' R_i */
  const double largest = n > PERMI_NEAR_N ? PERMI_FAR_MINORS_LARGEST
                         : n > 4          ? PERMI_SMALL_MINORS_LARGEST
                                          : PERMI_FOUR_LARGEST;
  double most = 0;
  int i;
  if (!(size.moduli <= largest))
    return 0;
  if (n > 4)
    permi_small_minors_kernel(of->isa, n, of->parts, gradient)(of->rows, n, of->a, out);
  else
    permi_small_minors_few(of, out);
  for (i = 0; i < (gradient ? n : 1); i++)
    most = out[i * (width + 1) + width] > most ? out[i * (width + 1) + width] : most;
  if (permi_small_rounds_nothing(n, of->rows * width, of->a, 4 * of->factor * moduli)) {
    of->bound = of->estimate = 0;
    return 1;
  }
  of->bound = n > 4 ? 1.001 * PERMI_UNIT * permi_small_roundings(n) * moduli + 1e-170
                    : 1.001 * PERMI_UNIT * 16 * most + 1e-200;
  of->estimate = n > 4 ? 4 * n * PERMI_UNIT * (most + sqrt(gradient ? size.other_squares : size.squares))
                       : 0.1 * of->bound;
  of->estimate = of->estimate < of->bound ? of->estimate : of->bound;
  return 1;
}

/* The matrix with its copies, without the wanted row. Returns 0 if that is not of small order. */
static int permi_small_minors_write_out(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = call->view;
  const int m = call->m, n = call->n, gradient = call->row < 0;
  int rows[PERM_MAX_N], most[2] = {1, 1}, i, j, finite = 1;
  const permi_copies copies = {m, n, view->a, view->ld, rows, call->column_counts};
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return 0;
  for (i = 0; i < m; i++) {
    rows[i] = call->row_counts ? call->row_counts[i] : 1;
    most[0] = rows[i] > most[0] ? rows[i] : most[0];
    for (j = 0; j < n * view->parts; j++) /* in lines without a copy, too */
      finite &= !permi_not_finite(view->a[i * view->ld * view->parts + j]);
  }
  for (j = 0; j < n && call->column_counts; j++)
    most[1] = call->column_counts[j] > most[1] ? call->column_counts[j] : most[1];
  if (!gradient && rows[call->row] <= 0)
    return 0;
  if (!gradient)
    rows[call->row]--;
  task->n = permi_small_write_out(&copies, view->parts, !gradient, full);
  task->factor = gradient ? (double)most[0] * most[1] : 1;
  return finite && task->n >= 2;
}

/* The rows whose products count, written out or where they stand. Returns 0 if the matrix is none of small order. */
static int permi_small_minors_rows(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = call->view;
  const int n = call->n, width = n * view->parts;
  double *to = full;
  int i;
  if (call->m < 1 || n < 1 || call->row >= call->m || !view->a || !call->out ||
      !permi_stride_fits(call->m, n, view->ld, 8 * view->parts))
    return 0;
  task->n = n;
  task->factor = 1;
  task->a = full;
  if (call->row_counts || call->column_counts) {
    if (!permi_small_minors_write_out(call, task, full))
      return 0;
  } else if (call->m != n || n < 2 || n > PERMI_SMALL_N) {
    return 0;
  } else if (view->ld == n && (call->row < 0 || call->row == n - 1)) {
    task->a = view->a;
  } else {
    for (i = 0; i < n; i++)
      if (i != call->row) {
        memcpy(to, view->a + i * view->ld * view->parts, (size_t)width * sizeof *to);
        to += width;
      }
  }
  task->rows = task->n - (call->row >= 0);
  return 1;
}

/* The permanent from the minors `from` of row i of the call; 0 where products may underflow or overflow. */
static int permi_small_minors_value(const permi_minors_call *call, int i, const double *from, double *value)
{
  const int parts = call->view->parts;
  const double *a = call->view->a + i * call->view->ld * parts;
  double size = 0, row = 0;
  int j;
  for (j = 0; j < call->n; j++, a += parts) {
    const int columns = call->column_counts ? call->column_counts[j] : 1;
    if (!columns)
      continue;
    row += fabs(a[0]);
    size += fabs(a[0] * from[0]);
    value[0] += columns * a[0] * from[0];
    if (parts == 2) {
      row += fabs(a[1]);
      size += fabs(a[1] * from[0]) + fabs(a[0] * from[1]) + fabs(a[1] * from[1]);
      value[0] -= columns * a[1] * from[1];
      value[1] += columns * (a[0] * from[1] + a[1] * from[0]);
    }
    from += columns * parts;
  }
  return row == 0 || (size >= 1e-250 && size <= 1e250);
}

/* Writes the minors of the matrix with its copies, times the copies; returns the largest. */
static double permi_small_minors_place(const permi_minors_call *call, int n, const double *raw)
{
  const int parts = call->view->parts, gradient = call->row < 0;
  double *out = call->out, largest = 0;
  int i, j, part;
  for (i = 0; i < (gradient ? call->m : 1); i++) {
    const int rows = gradient && call->row_counts ? call->row_counts[i] : 1;
    const double *from = raw;
    for (j = 0; j < call->n; j++, out += parts) {
      const int columns = call->column_counts ? call->column_counts[j] : 1, copies = rows * columns;
      const double factor = gradient ? copies : 1;
      for (part = 0; part < parts; part++) {
        const double x = copies ? factor * from[part] : 0, size = fabs(x);
        out[part] = x;
        largest = size > largest ? size : largest;
      }
      from += columns * parts;
    }
    raw += rows * (n * parts + 1);
  }
  return largest;
}

/* Fills in minors and result if their estimate is good enough; else returns 0. Not inlined: the general path needs its
   stack. */
PERMI_NEVER_INLINE static int permi_small_minors_result(const permi_minors_call *call, const perm_options *options,
                                                        perm_result *result)
{
  const int parts = call->view->parts;
  double full[2 * PERMI_SMALL_N * PERMI_SMALL_N], raw[PERMI_SMALL_MINORS_DOUBLES], value[2] = {0, 0};
  double largest;
  int row = call->row;
  permi_small_minors task;
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  if (!result || !permi_asks_no_more(options, 0, options ? permi_view_bytes(call->m, call->n, call->view) : 0) ||
      !permi_small_minors_rows(call, &task, full))
    return 0;
  task.isa = task.n > 4 ? permi_isa(permi_options(options)) : PERM_ISA_PLAIN;
  task.parts = parts;
  if (!permi_small_minors_compute(&task, raw))
    return 0;
  for (row = row < 0 ? 0 : row; call->row_counts && !call->row_counts[row]; row++)
    ;
  if (!permi_small_minors_value(call, row, raw, value))
    return 0;
  largest = permi_small_minors_place(call, task.n, raw);
  if (task.estimate > 0 &&
      (!(largest >= PERMI_SMALL_LEAST) ||
       !(task.factor * task.estimate <= permi_wanted_relative(permi_options(options)) * largest)))
    return 0;
  permi_result_clear_brief(result);
  result->value = value[0];
  result->imaginary = value[1];
  result->error_bound = task.factor * task.bound + (task.factor > 1 && task.bound > 0 ? PERMI_UNIT * largest : 0);
  result->error_estimate = task.factor * task.estimate;
  result->is_complex = parts == 2;
  result->method = task.n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION;
  result->precision = PERM_PRECISION_DEFAULT;
  result->isa = task.isa;
  result->threads = 1;
  result->terms = (double)(1 << (task.n - 1));
  return 1;
}
#endif
/* SPDX-License-Identifier: MIT */
