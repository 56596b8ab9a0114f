/* ============================================================================================ >>gpu
   Dense sums on GPUs. The columns:
     pivot    1 (PERM_GPU_PIVOT only): rows divided by it multiply by x + 1 and x - 1, one operation each, x the other
              columns; rows with a zero or relatively small pivot c come last, (x + c), (x - c), one more
     fixed    1, always +
     block    unrolled in a thread, in Gray order, as constants
     walk     in Gray order, from a table in shared memory
     high     bits of the thread's number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk
   Rows are on grids as in >>dense; a chunk is a fixed sequence of operations. */
#pragma once
#include "device.h"

#ifndef PERMI_GPU_BLOCK /* unrolled columns from n = 37 on */
#define PERMI_GPU_BLOCK(n) ((n) < 52 ? 3 : 2)
#endif

static int permi_clamp(int x, int low, int high)
{
  return x < low ? low : x > high ? high : x;
}

static int permi_gpu_safe(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  double most = 0;
  int k;
  for (k = 0; k < plan->n; k++)
    most = fmax(most, permi_scaled_modulus(plan, view, i, k));
  return permi_scaled_modulus(plan, view, i, j) * 1024 >= most;
}

/* log2 of the product that divided row sums may reach. */
static int permi_gpu_growth(const permi_dense_plan *plan, const permi_view *view)
{
  int growth = 0, i;
  for (i = 0; i < plan->n && plan->form == PERMI_FORM_NORMALISED; i++)
    if (permi_gpu_safe(plan, view, i, plan->pivot))
      growth += 1 - permi_exponent(permi_scaled_modulus(plan, view, i, plan->pivot));
  return growth;
}

/* z /= pivot by double-double: each part is right to a few units. */
static void permi_gpu_divide(double *z, const double *pivot)
{
  permi_dd re, im, size;
  re = permi_dd_add(permi_dd_multiply(permi_dd_make(z[0]), permi_dd_make(pivot[0])),
                    permi_dd_multiply(permi_dd_make(z[1]), permi_dd_make(pivot[1])));
  im = permi_dd_add(permi_dd_multiply(permi_dd_make(z[1]), permi_dd_make(pivot[0])),
                    permi_dd_multiply(permi_dd_make(-z[0]), permi_dd_make(pivot[1])));
  size = permi_dd_add(permi_dd_multiply(permi_dd_make(pivot[0]), permi_dd_make(pivot[0])),
                      permi_dd_multiply(permi_dd_make(pivot[1]), permi_dd_make(pivot[1])));
  z[0] = re.hi / size.hi;
  z[1] = im.hi / size.hi;
}

/* Row i as word[part (1 + low words) + low][column], pivot first, high words on the grid. Returns 1 if exact; *lost
   grows by what low words do not hold. */
static int permi_gpu_row(const permi_dense_plan *plan, const permi_view *view, int i, int divide, int low,
                         double word[4][PERM_MAX_N], double *lost)
{
  double a[2][PERM_MAX_N], power[2] = {0, 0}, low_power;
  const int n = plan->n, parts = view->parts;
  int exact = !plan->lossy, j, part;
  permi_plan_row(plan, view, i, a);
  if (divide) {
    double pivot[2] = {a[0][0], parts == 2 ? a[1][0] : 0};
    for (j = 0; j < n; j++) {
      double z[2] = {a[0][j], parts == 2 ? a[1][j] : 0};
      if (parts == 2)
        permi_gpu_divide(z, pivot);
      else
        z[0] /= pivot[0];
      if (j == 0)
        z[0] = 1, z[1] = 0;
      exact = exact && parts == 1 && PERMI_REST(z[0], pivot[0], a[0][j]) == 0 && !(z[0] != 0 && fabs(z[0]) < DBL_MIN);
      a[0][j] = z[0];
      a[1][j] = z[1];
    }
  }
  for (part = 0; part < parts; part++)
    power[part] = permi_grid_power(a[part], n);
  if (plan->form == PERMI_FORM_SPLIT)
    power[0] = power[1] = fmax(power[0], power[1]);
  low_power = ldexp(power[0], -PERMI_GRID_LOW_BITS);
  for (part = 0; part < parts; part++)
    for (j = 0; j < n; j++) {
      const double high = permi_to_grid(a[part][j], power[part]), rest = a[part][j] - high;
      word[part * (1 + low)][j] = high;
      if (rest != 0)
        exact = 0;
      if (low) {
        const double below = permi_to_grid(rest, low_power);
        word[part * 2 + 1][j] = below;
        *lost += fabs(rest - below);
      }
    }
  return exact;
}

/* permi_plan_moves for GPUs. */
static double permi_gpu_moves(const permi_dense_plan *plan, const permi_view *view, double limit)
{
  double word[4][PERM_MAX_N], a[2][PERM_MAX_N], lost = 0, sum = 0;
  int i, negative = 0;
  for (i = 0; i < plan->n && sum <= limit; i++) {
    const int divide = plan->form == PERMI_FORM_NORMALISED && permi_gpu_safe(plan, view, i, plan->pivot);
    if (!permi_gpu_row(plan, view, i, divide, 0, word, &lost) && view->parts == 2)
      return (double)INFINITY;
    permi_plan_row(plan, view, i, a);
    if (view->parts == 1)
      sum += permi_row_moves(a[0], word[0], divide ? a[0][0] : 1, plan->n, &negative);
  }
  return plan->lossy || (negative && sum > 0) ? (double)INFINITY : sum;
}

/* How much may move, where split rows take three times as long: for uniform entries that is below the second rounding a
   row of those, n u exp(n/3) of the permanent and more; most such matrices move by n u times 300 (n = 20) to 2,000. */
static double permi_moves_allowed(int n) { return n * PERMI_UNIT * exp(0.3 * n); }

/* exact_rows of a plan. */
static int permi_rows_kind(double moves, double allowed) { return moves == 0 ? 1 : moves <= allowed ? 2 : 0; }

static perm_gpu_product permi_gpu_product_of(const permi_dense_plan *plan)
{
  return plan->form != PERMI_FORM_SPLIT                  ? PERM_GPU_PIVOT
         : plan->precision == PERM_PRECISION_DD         ? PERM_GPU_DOUBLED
         : plan->precision == PERM_PRECISION_ACCURATE   ? PERM_GPU_COMPENSATED
                                                        : PERM_GPU_ROUNDED;
}

static double permi_gpu_seconds(int n, int parts, int product)
{
  static const double rate[4][2] = PERMI_GPU_DENSE_RATES;
  return n * ldexp(1, n - 1) / rate[product][parts - 1] + PERMI_GPU_DENSE_COMPILE;
}

static void permi_gpu_plan(permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n;
  int product, i, j;
  plan->isa = PERM_ISA_CUDA;
  plan->exact_rows = 0;
  plan->form = PERMI_FORM_SPLIT;
  if (plan->precision != PERM_PRECISION_ACCURATE && plan->precision != PERM_PRECISION_DD) {
    const double allowed = plan->certify ? permi_moves_allowed(n) : 0;
    int safe, best = -1;
    for (j = 0; j < n; j++) {
      for (i = 0, safe = 0; i < n; i++)
        safe += permi_gpu_safe(plan, view, i, j);
      if (safe > best) {
        best = safe;
        plan->pivot = j;
      }
    }
    plan->form = PERMI_FORM_NORMALISED;
    if (best == 0 || permi_gpu_growth(plan, view) >= 900)
      plan->form = PERMI_FORM_PLAIN;
    plan->exact_rows = permi_rows_kind(permi_gpu_moves(plan, view, allowed), allowed);
    if (plan->certify && !plan->exact_rows) {
      plan->form = PERMI_FORM_PLAIN;
      plan->exact_rows = permi_rows_kind(permi_gpu_moves(plan, view, 0), 0);
      plan->form = plan->exact_rows ? PERMI_FORM_PLAIN : PERMI_FORM_SPLIT;
    }
  }
  product = (int)permi_gpu_product_of(plan);
  if (product != PERM_GPU_PIVOT)
    plan->pivot = 0;
  plan->lane_columns = 0;
  /* H200: 3 columns are 4% faster than 1 at n = 40; 2 are 5% faster at 56 (4: 1 and 10% slower). They take seconds to
     compile; other products gain nothing. */
  plan->block_columns = product != PERM_GPU_PIVOT || view->parts == 2 ? 0 : n <= 36 ? 1 : PERMI_GPU_BLOCK(n);
  plan->outer_columns = n - 1 - (product == PERM_GPU_PIVOT) - plan->block_columns;
  i = plan->outer_columns - PERM_GPU_THREADS_LOG2;
  i = permi_clamp(i - 12, i < 3 ? i : 3, product == PERM_GPU_PIVOT ? 10 : 9); /* walk columns */
  plan->chunk_log2 = i + PERM_GPU_THREADS_LOG2;
  plan->seconds = permi_gpu_seconds(n, view->parts, product);
}

static void permi_gpu_scale_by(permi_leaf *leaf, double real, double imaginary)
{
  permi_dd re = leaf->scale, im = leaf->scale_imaginary;
  int e;
  permi_dd_multiply_complex(&re, &im, permi_dd_make(real), permi_dd_make(imaginary));
  frexp(fmax(fabs(re.hi), fabs(im.hi)), &e);
  leaf->scale = permi_dd_scale(re, -e);
  leaf->scale_imaginary = permi_dd_scale(im, -e);
  leaf->scale_exp2 += e;
}

static permi_gpu_lines permi_gpu_lines_of(const permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n, pivot = permi_gpu_product_of(plan) == PERM_GPU_PIVOT;
  const int normalised = plan->form == PERMI_FORM_NORMALISED;
  permi_gpu_lines lines;
  double word[4][PERM_MAX_N], none = 0;
  int i, k, safe;
  lines.plain = lines.low = 0;
  for (i = 0; i < n && !pivot; i++)
    lines.low |= !permi_gpu_row(plan, view, i, 0, 0, word, &none);
  for (k = 0, safe = 1; safe >= 0; safe--) {
    for (i = 0; i < n; i++)
      if ((normalised && permi_gpu_safe(plan, view, i, plan->pivot)) == safe)
        lines.order[k++] = i;
    if (safe)
      lines.plain = pivot ? n - k : 0;
  }
  if (lines.plain && !plan->exact_rows) { /* whole eights: fewer kernels to compile */
    lines.plain = (lines.plain + 7) / 8 * 8;
    lines.plain = lines.plain < n ? lines.plain : n;
  }
  return lines;
}

static int permi_gpu_divides(const permi_dense_plan *plan, const permi_gpu_lines *lines, int r)
{
  return permi_gpu_product_of(plan) == PERM_GPU_PIVOT && r < plan->n - lines->plain;
}

/* Completes the leaf of a plan: what its pivots, and entries that grids do not hold, make of the sum. */
static perm_status permi_gpu_leaf(const permi_dense_plan *plan, const permi_view *view, const perm_allocator *allocator,
                                  permi_leaf *leaf)
{
  const permi_gpu_lines lines = permi_gpu_lines_of(plan, view);
  double word[4][PERM_MAX_N], lost[PERM_MAX_N];
  int r;
  for (r = 0; r < plan->n; r++) {
    const int i = lines.order[r], divide = permi_gpu_divides(plan, &lines, r);
    lost[i] = 0;
    permi_gpu_row(plan, view, i, divide, lines.low, word, &lost[i]);
    if (divide)
      permi_gpu_scale_by(leaf, permi_scaled(plan, view, i, plan->pivot, 0),
                         view->parts == 2 ? permi_scaled(plan, view, i, plan->pivot, 1) : 0);
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->release = permi_context_release;
  leaf->run_range = permi_gpu_range;
  (void)allocator;
  return permi_gpu_tables(plan, view, &lines, allocator, leaf);
}
/* SPDX-License-Identifier: MIT */
