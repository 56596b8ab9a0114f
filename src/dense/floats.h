/* ========================================================================================== >>floats
   Dense sums in pairs of floats (>>text_floats), for GPUs with little FP64. A row times a factor near 1 / (its sum of
   moduli) that puts its pivot on the grid of 2^-24, or times a power of two if that holds all entries: |row sum| <= 1,
   no pivot is treated apart but 0 < |pivot| < 2^-22. Columns as in >>gpu, plain; the walk has the entries' high words
   on that grid and low words, and the rest is summed in units of 2^-62 where a chunk starts. */
#pragma once
#include "dense_gpu.h"
#include "bounds.h"

#define PERMI_FLOATS_WISH 1e-6               /* chosen: relative error, where no tolerance is given */

typedef struct permi_float_row {
  int64_t entry[2][PERM_MAX_N]; /* in units of 2^-62 */
  double times, divisor[2];     /* the row was multiplied by times / (2^24 divisor) */
} permi_float_row;

typedef struct permi_floats {
  int walk, shift;         /* columns; low words are multiples of 2^(shift - 62) */
  double majorant, within; /* what the bound adds of sums of majorants, which are right to `within` */
} permi_floats;

/* Returns 1 if floats are faster, and as good as asked for: sum |terms| / |permanent| is about e^(0.36 n). */
static int permi_floats_pay(const permi_dense_plan *plan, const perm_options *options)
{
  const double n = plan->n, units = plan->certify ? 6 * (2 * n * n + 12 * n) : 16;
  const int parts = 1 + plan->is_complex;
  const double doubles = permi_gpu_seconds(plan->elements, parts, plan->certify ? PERM_GPU_ROUNDED : PERM_GPU_PIVOT);
  return plan->precision == PERM_PRECISION_DEFAULT && (parts == 1 || (!plan->certify && n <= 56)) &&
         PERMI_FLOATS_GAIN * permi_gpu_seconds(plan->elements, parts, PERM_GPU_FLOATS) < doubles &&
         units * PERMI_FLOAT_SQUARE * exp(0.36 * n) <=
             (options->tolerance > 0 ? options->tolerance : PERMI_FLOATS_WISH);
}

static double permi_size_of(double (*a)[PERM_MAX_N], int j, int parts)
{
  return parts == 1 ? fabs(a[0][j]) : sqrt(a[0][j] * a[0][j] + a[1][j] * a[1][j]);
}

static double permi_moduli(double (*a)[PERM_MAX_N], int n, int parts)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += permi_size_of(a, j, parts);
  return sum;
}

static int64_t permi_high_word(int64_t x) { return (x + ((int64_t)1 << 37)) >> 38; }

static int64_t permi_rest_of(int64_t x) { return x - permi_high_word(x) * ((int64_t)1 << 38); }

/* Returns a / d times at most 2^24, in units of 2^-62: off by half a unit and 2^-40 of it. */
static int64_t permi_float_entry(permi_dd a, permi_dd d, double times)
{
  const double quotient = a.hi / d.hi;
  const double rest = permi_dd_subtract(a, permi_dd_multiply(d, permi_dd_make(quotient))).hi / d.hi;
  double high = quotient * times;
  PERMI_KEEP_DOUBLE(high);
  const double low = ldexp(PERMI_REST(quotient, times, high) + rest * times, 38);
  const double whole = floor(ldexp(high, 38));
  return (int64_t)whole + (int64_t)floor(ldexp(high, 38) - whole + low + 0.5);
}

/* Row a, the pivot first; 2^-18 of 1 is left for what high words round up. */
static void permi_float_row_make(double (*a)[PERM_MAX_N], int n, int parts, permi_float_row *row)
{
  const double moduli = permi_moduli(a, n, parts), pivot = permi_size_of(a, 0, parts);
  row->times = 16777216;
  row->divisor[0] = pivot != 0 ? a[0][0] : moduli * (1 + 1.0 / 131072);
  row->divisor[1] = parts == 2 && pivot != 0 ? a[1][0] : 0;
  if (parts == 1 && permi_few_digits(a[0], n, moduli))
    row->divisor[0] = permi_shift(1, permi_log2_ceiling(moduli));
  else if (pivot != 0)
    row->times = floor(pivot / moduli * (16777216 - 65));
  const permi_dd real = permi_dd_make(row->divisor[0]), minus = permi_dd_make(-row->divisor[1]);
  permi_dd size = real, none = permi_dd_make(row->divisor[1]);
  if (parts == 2)
    permi_dd_multiply_complex(&size, &none, real, minus);
  for (int j = 0; j < n; j++) {
    permi_dd re = permi_dd_make(a[0][j]), im = permi_dd_make(parts == 2 ? a[1][j] : 0);
    if (parts == 2)
      permi_dd_multiply_complex(&re, &im, real, minus);
    row->entry[0][j] = permi_float_entry(re, size, row->times);
    row->entry[1][j] = parts == 2 ? permi_float_entry(im, size, row->times) : 0;
  }
  if (parts == 2 && pivot != 0) {
    row->entry[0][0] = (int64_t)row->times << 38;
    row->entry[1][0] = 0;
  }
}

/* Takes floats unless every column has small pivots. */
static void permi_floats_plan(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const int n = plan->n;
  double least[PERM_MAX_N], row[2][PERM_MAX_N];
  permi_dense_plan floats = *plan;
  if (plan->lossy || !permi_floats_pay(plan, options))
    return;
  floats.pivot = 0;
  floats.exact_rows = view->parts == 1;
  for (int j = 0; j < n; j++)
    least[j] = 1;
  for (int i = 0; i < n; i++) {
    permi_plan_row(&floats, view, i, row); /* as it stands */
    const double moduli = permi_moduli(row, n, view->parts);
    if (view->parts == 1 && permi_few_digits(row[0], n, moduli))
      continue;
    floats.exact_rows = 0;
    for (int j = 0; j < n; j++) {
      const double size = permi_size_of(row, j, view->parts);
      least[j] = size != 0 ? fmin(least[j], size / moduli) : least[j];
    }
  }
  for (int j = 0; j < n; j++)
    floats.pivot = least[j] > least[floats.pivot] ? j : floats.pivot;
  if (least[floats.pivot] < 1.0 / (1 << 22))
    return;
  floats.form = PERMI_FORM_FLOATS;
  floats.group = plan->certify || floats.exact_rows || view->parts == 2 ? 1 : 4;
  floats.block_columns = floats.exact_rows;
  floats.outer_columns = n - 2 - floats.block_columns;
  const int most = floats.outer_columns - PERM_GPU_THREADS_LOG2;
  floats.chunk_log2 = permi_clamp(most - 12, most < 3 ? most : 3, 12) + PERM_GPU_THREADS_LOG2;
  floats.seconds = permi_gpu_seconds(plan->elements, view->parts, PERM_GPU_FLOATS);
  *plan = floats;
}

/* Returns the digits expected of an estimate that is `relative` to sum |terms|. */
static double permi_floats_digits(int n, double relative) { return -log10(relative) - 0.1563 * n; }

static size_t permi_floats_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const int n = leaf->information.n, product = leaf->bound_relative < 1 ? PERM_GPU_ROUNDED : PERM_GPU_PIVOT;
  const int parts = ((const permi_gpu *)leaf->context)->work.parts;
  const size_t length = permi_plan_explain(leaf, buffer, size);
  return length + permi_say(length < size ? buffer + length : NULL, length < size ? size - length : 0,
                            "in pairs of floats, some %.0f digits; in doubles: %.3g s, %.0f digits\n",
                            permi_floats_digits(n, leaf->estimate_relative),
                            permi_gpu_seconds(leaf->information.work, parts, product),
                            permi_floats_digits(n, 0.3 * PERMI_UNIT));
}

/* THE BOUND, in u = 2^-24, for rows one by one. z is a row sum y + l with |l| <= L, Y its rounding, P = |product of Y|,
   D the sum over rows of the product of the other |Y|; no underflow but 4.
   1. A row is off by u |p l| + 6 u^2 |p Y| + 2 u |c Y| (tests/proofs/floats.g), |c| by row k is up to 2 k u P + u L D:
      a term by (2 n^2 + 4 n) u^2 P + u L D (tests/proofs/floats.v); second order: a factor 1.0001. The pair of signs
      adds (4 n + 1) u^2 P, sums in doubles u^2 P.
   2. Rows where a chunk starts and entries of its walk are rounded to low units, all to 2^-62: z moves by at most M.
      prod(|Y| + x) is convex in x: (u L + M) D, and all that M does, <= (u L + M) (Q - P) / w, Q = prod(|Y| + w), w =
      2^-10. Sums of P and Q are right to (2 n + 17) u.
   3. Rows on the grid of 2^-24: l = 0, an fma's rest is exact: (n^2 / 2 + 5.5 n + 8) u^2 P.
   4. Terms begin at 2^120, and factors are at most 1: 4 n losses of 2^-150. */
static void permi_floats_bounds(const permi_dense_plan *plan, double low, permi_floats *floats, permi_leaf *leaf)
{
  const double n = plan->n, u = 1.0 / 16777216;
  const double moved = ldexp(floats->walk + 1, floats->shift - 63) + ldexp(n + 1, -62);
  leaf->bound_relative = leaf->bound_value = 0;
  leaf->bound_absolute = ldexp(4 * n, plan->n - 151);
  floats->within = (4 * n + 40) * u;
  floats->majorant = 0;
  if (plan->exact_rows) {
    leaf->bound_relative = (0.5 * n * n + 5.5 * n + 8) * PERMI_FLOAT_SQUARE * 1.0001;
    leaf->estimate_relative = 4 * PERMI_FLOAT_SQUARE;
  } else if (plan->certify) {
    leaf->bound_relative = (2 * n * n + 12 * n + 2) * PERMI_FLOAT_SQUARE * 1.0001;
    floats->majorant = 1024 * (u * ldexp(low, -62) + moved) / leaf->bound_relative * 1.0001;
  } else {
    leaf->bound_relative = (double)INFINITY;
  }
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

/* Column j's words, `times` as many, are added to the floats of a row of the walk. */
static void permi_float_step(const perm_gpu_work *work, int64_t entry, int times, float *to)
{
  const int shift = work->plain;
  const int64_t low = (permi_rest_of(entry) + ((int64_t)1 << (shift - 1))) >> shift;
  to[0] += (float)(times * permi_high_word(entry)) * (1.0f / 16777216); /* exact, as all that follows */
  if (work->low)
    to[1] += (float)(times * low) * (float)ldexp(1, shift - 62);
}

static perm_status permi_float_tables(const permi_dense_plan *plan, const permi_view *view, const permi_floats *floats,
                                      const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  const int parts = view->parts;
  double a[2][PERM_MAX_N];
  permi_float_row row;
  perm_gpu_work work;
  memset(&work, 0, sizeof work);
  work.low = !plan->exact_rows;
  work.plain = floats->shift;
  work.group = plan->group;
  work.majorant = floats->majorant > 0;
  work.absolute_mask = plan->certify || plan->exact_rows || plan->outer_columns < 14 ? 0 : 3;
  permi_gpu *gpu = permi_gpu_open(plan, &work, parts, (size_t)n + 1, allocator, leaf);
  if (!gpu)
    return PERM_ERROR_MEMORY;
  gpu->majorant = floats->majorant;
  gpu->within = floats->within;
  int64_t *start = (int64_t *)(void *)(gpu + 1);
  float *walk = (float *)(void *)(start + (size_t)work.stride * (size_t)(1 + work.high)), *at;
  float *constant = walk + 2 * (size_t)work.stride * (size_t)(2 * work.walk + 1);
  constant[n] = (float)ldexp(1, floats->shift - 62);
  for (int k = 0; k < n * parts; k++) {
    const int r = k / parts, part = k % parts;
    permi_plan_row(plan, view, r, a);
    permi_float_row_make(a, n, parts, &row);
    const int64_t *entry = row.entry[part], *column = entry + 2 + work.walk;
    const int64_t block = work.block ? column[work.high] : 0;
    if (!part)
      constant[r] = (float)ldexp((double)entry[0], -61);
    if (!part)
      constant[n + 1 + r] = (float)ldexp((double)block, -61);
    start[k] = entry[1];
    for (int j = 0; j < work.high; j++) {
      start[k] += column[j];
      start[work.stride * (1 + j) + k] = (int64_t)(2 * (uint64_t)column[j]);
    }
    at = walk + 4 * work.walk * work.stride + k * (1 + work.low); /* the first step: pivot, block and walk, all + */
    permi_float_step(&work, entry[0], 1, at);
    permi_float_step(&work, block, 1, at);
    for (int j = 0; j < work.walk; j++) {
      permi_float_step(&work, entry[2 + j], 1, at);
      for (int up = 0; up < 2; up++) { /* the block column back to + */
        float *to = walk + (4 * j + 2 * up) * work.stride + k * (1 + work.low);
        permi_float_step(&work, entry[2 + j], up ? 2 : -2, to);
        permi_float_step(&work, block, 2, to);
      }
    }
  }
  return PERM_OK;
}

static perm_status permi_floats_leaf(const permi_dense_plan *plan, const permi_view *view,
                                     const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  double a[2][PERM_MAX_N], low, unit = ldexp(1, 120);
  permi_floats floats = {plan->chunk_log2 - PERM_GPU_THREADS_LOG2, 13, 0, 0};
  permi_float_row row;
  do { /* low words, in units of 2^-62, of all rows fit 24 bits of 2^(shift - 62) */
    low = 0;
    floats.shift++;
    for (int i = 0; i < n; i++) {
      permi_plan_row(plan, view, i, a);
      permi_float_row_make(a, n, view->parts, &row);
      for (int part = 0; part < view->parts; part++) {
        double sum = ldexp(1, 37);
        for (int j = 2; j < 2 + floats.walk; j++)
          sum += fabs((double)permi_rest_of(row.entry[part][j])) + ldexp(1, floats.shift - 1);
        low = fmax(low, sum);
      }
    }
  } while (low > ldexp(1, floats.shift + 24));
  leaf->scale_exp2 -= 120;
  for (int i = 0; i < n; i++) {
    permi_plan_row(plan, view, i, a);
    permi_float_row_make(a, n, view->parts, &row);
    permi_dd inverse = permi_dd_make(1 / row.times);
    inverse.lo = -PERMI_REST(inverse.hi, row.times, 1) / row.times;
    leaf->scale = permi_dd_multiply(leaf->scale, inverse);
    leaf->scale_imaginary = permi_dd_multiply(leaf->scale_imaginary, inverse);
    leaf->scale_exp2 += 24;
    permi_leaf_scale_by(leaf, view->parts, row.divisor[0], row.divisor[1]);
    unit *= row.times / (16777216 * sqrt(row.divisor[0] * row.divisor[0] + row.divisor[1] * row.divisor[1]));
  }
  leaf->estimate_absolute *= unit;
  leaf->estimate_squares *= unit;
  permi_floats_bounds(plan, low, &floats, leaf);
  leaf->explain = permi_floats_explain;
  leaf->remark = "summed in pairs of floats";
  leaf->release = permi_release;
  leaf->run_range = permi_gpu_range;
  return permi_float_tables(plan, view, &floats, allocator, leaf);
}

/* SPDX-License-Identifier: MIT */
