/* ========================================================================================== >>dense
   Glynn's sum, its columns by how fast their signs vary:
     pivot    1 column: its two signs share the rest of a row sum (not in split form)
     lanes    3 (AVX-512), 2 (AVX2), 1 (NEON), 0: the elements of a vector
     block    K columns: 2^K vectors in registers
     fixed    1 column, always +
     outer    the rest, in Gray order; the first, `tabled`, have a table a setting and do not move the row sums
   Gray walks in doubles drift. Here each virtual row is rounded once, to a grid whose signed sums fit 53 bits: row
   sums are exact, entries off by at most 2^-53 of their row's sum of moduli; split form keeps 47 bits more
   (tests/proofs/dense.g). */
#pragma once
#include "plain.h"

struct permi_problem;
struct permi_counted;
struct permi_counts;
struct permi_choice;

/* An array; ld counts entries. */
typedef struct permi_view {
  const double *a;
  ptrdiff_t ld;
  int parts;
  const struct permi_reach *reach; /* NULL: only scaled */
} permi_view;

typedef struct permi_gpu_engines {
  /* Plans for GPUs where these are wanted and faster than one thread. */
  void (*plan)(permi_dense_plan *plan, const permi_view *view, const perm_options *options);
  double (*seconds)(double elements, int parts, int product);
  perm_status (*leaf)(const permi_dense_plan *plan, const permi_view *view, const perm_allocator *allocator,
                      permi_leaf *leaf);
} permi_gpu_engines;

/* What a call may use: perm_real links real kernels only. */
typedef struct permi_reach {
  int parts; /* 1 real, 2 complex */
  permi_kernel_table kernels;
  const permi_counts_kernels *counts[2]; /* plain C, AVX2 */
  void (*gray)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial); /* or NULL */
  const permi_gpu_engines *gpu;       /* NULL: no GPUs */
  const struct permi_engine *engines;
  int engine_count;
  perm_status (*run)(const perm_job *job, const perm_options *options, perm_result *result); /* or NULL */
  /* perm_sparse.h or NULL. Returns 0, or 1 with *result set. */
  int (*route)(const struct permi_problem *problem, const perm_options *options, int argument, perm_result *result);
} permi_reach;

static void permi_dense_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_dense *dense = (const permi_dense *)leaf->context;
  permi_chunk_sum sum;
  (void)workspace;
  dense->run(dense, chunk, &sum);
  permi_partial_add(partial, sum.value, sum.imaginary, sum.absolute * (dense->absolute_mask + 1.0), /* exact */
                    leaf->information.work / (double)dense->n / (double)leaf->information.chunks);
}

/* Returns x, |x| <= 2^top, rounded to multiples of 2^(top - 53). */
static double permi_to_grid(double x, double power_top)
{
  double with = copysign(0.5 * power_top, x), sum = x + with;
  return fabs(x) >= 0.5 * power_top ? x : sum - with;
}

/* Returns 2^top >= sum |a|. */
static double permi_grid_power(const double *a, int count)
{
  double sum = 0;
  for (int j = 0; j < count; j++)
    sum += fabs(a[j]);
  return sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
}

#define PERMI_GRID_LOW_BITS 47 /* 64 residues of half a unit stay below 2^(top - 47) */

typedef struct permi_row_maker {
  permi_dense *dense;
  double *table;
  int row, inner; /* inner: lanes and block */
} permi_row_maker;

static permi_dense *permi_dense_open(const permi_dense *shape, permi_row_maker *maker, const perm_allocator *allocator,
                                     int inner, size_t table, size_t constants)
{
  const size_t padded = (size_t)shape->padded, step = 2 * (size_t)shape->outer * padded;
  const size_t room = ((table << shape->tabled) + 7) / 8 * 8 + 32; /* kernels look ahead */
  const size_t all = (room + step + padded + constants + 16) * sizeof(double);
  permi_dense *dense = (permi_dense *)permi_allocate_zeros(allocator, 1, sizeof *dense + all);
  if (!dense)
    return NULL;
  *dense = *shape;
  dense->table = (double *)(((uintptr_t)(dense + 1) + 63) & ~(uintptr_t)63);
  dense->table_size = table;
  dense->step = dense->table + room;
  dense->start = dense->step + step;
  dense->constant = dense->start + padded;
  maker->dense = dense;
  maker->table = dense->table;
  maker->row = 0;
  maker->inner = inner;
  return dense;
}

/* sum[q] is start + sum of +-a[c], - where bit c of q is set; returns their number. */
static int permi_signed_sums(double start, const double *a, int columns, double *sum)
{
  int c, k, size = 1;
  sum[0] = start;
  for (c = 0; c < columns; c++)
    sum[0] += a[c];
  for (c = 0; c < columns; c++, size *= 2) {
    const double twice = 2 * a[c];
    for (k = 0; k < size; k++)
      sum[size + k] = sum[k] - twice;
  }
  return size;
}

/* Lanes, block, fixed, outer. */
PERMI_NEVER_INLINE static void permi_dense_row(permi_row_maker *maker, const double *a)
{
  permi_dense *dense = maker->dense;
  const int inner = maker->inner;
  double start = a[inner], tabled[1 << PERMI_MOST_TABLED];
  int k, r = maker->row++;
  const int tables = permi_signed_sums(0, a + inner + 1, dense->tabled, tabled);
  for (k = 0; k < tables; k++)
    permi_signed_sums(tabled[k], a, inner, maker->table + (size_t)k * dense->table_size);
  maker->table += 1 << inner;
  for (k = dense->tabled; k < dense->outer; k++) {
    double twice = 2 * a[inner + 1 + k];
    start += a[inner + 1 + k];
    dense->step[(size_t)(2 * k) * (size_t)dense->padded + (size_t)r] = twice;
    dense->step[(size_t)(2 * k + 1) * (size_t)dense->padded + (size_t)r] = -twice;
  }
  dense->start[r] = start;
}

static void permi_dense_row_rounded(permi_row_maker *maker, double *a, int count)
{
  const double power = permi_grid_power(a, count);
  for (int j = 0; j < count; j++)
    a[j] = permi_to_grid(a[j], power);
  permi_dense_row(maker, a);
}

static permi_view permi_view_of(const double *a, ptrdiff_t ld, int parts, const permi_reach *reach)
{
  const permi_view view = {a, ld, parts, reach};
  return view;
}

PERMI_UNUSED static double permi_view_bytes(int m, int n, const permi_view *view)
{
  return 8.0 * view->parts * fmax(m, 0) * fmax(n, 0);
}

static double permi_at(const permi_view *view, int i, int j, int part)
{
  return view->a[((ptrdiff_t)i * view->ld + j) * view->parts + part];
}

/* Returns the entry, exact unless the plan is lossy. */
static double permi_scaled(const permi_dense_plan *plan, const permi_view *view, int i, int j, int part)
{
  return permi_shift(permi_at(view, i, j, part), plan->row_exp2[i] + plan->column_exp2[j]);
}

static double permi_scaled_modulus(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  return permi_modulus(permi_scaled(plan, view, i, j, 0), view->parts == 2 ? permi_scaled(plan, view, i, j, 1) : 0);
}

/* Returns 0, all |terms| count, for bounds and below `least` outer columns. */
static unsigned permi_absolute_mask(const permi_dense_plan *plan, int least)
{
  return plan->outer_columns < least || plan->exact_rows || plan->form == PERMI_FORM_SPLIT ? 0 : 3;
}

/* Copies the columns: pivot, then the rest. */
static void permi_plan_row(const permi_dense_plan *plan, const permi_view *view, int i, double (*row)[PERM_MAX_N])
{
  for (int part = 0; part < view->parts; part++) {
    row[part][0] = permi_scaled(plan, view, i, plan->pivot, part);
    for (int j = 0, k = 1; j < plan->n; j++)
      if (j != plan->pivot)
        row[part][k++] = permi_scaled(plan, view, i, j, part);
  }
}

static int permi_pivot_is_safe(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  double most = 0;
  for (int k = 0; k < plan->n; k++)
    most = fmax(most, permi_scaled_modulus(plan, view, i, k));
  return permi_scaled_modulus(plan, view, i, j) * 1024 >= most;
}

/* On the CPU all rows or none are divided. */
static int permi_row_divides(const permi_dense_plan *plan, const permi_view *view, int i)
{
  return plan->form == PERMI_FORM_NORMALISED &&
         (plan->isa != PERM_ISA_CUDA || permi_pivot_is_safe(plan, view, i, plan->pivot));
}

/* log2 of the product that divided row sums may reach. */
static int permi_plan_growth(const permi_dense_plan *plan, const permi_view *view)
{
  int growth = 0, i;
  for (i = 0; i < plan->n; i++)
    if (permi_row_divides(plan, view, i))
      growth += 1 - permi_exponent(permi_scaled_modulus(plan, view, i, plan->pivot));
  return growth;
}

/* Sets word[part (1 + low)] to row a on its grid, divided by a[.][0] if `divide`, and with `low` the next words to 47
   bits more. *lost grows by what is dropped. */
static void permi_row_words(const permi_dense_plan *plan, int parts, int divide, int low, double (*a)[PERM_MAX_N],
                            double (*word)[PERM_MAX_N], double *lost)
{
  const int n = plan->n;
  double power[2] = {0, 0}, low_power;
  for (int part = 0; part < parts; part++) {
    double *high = word[part * (1 + low)];
    memcpy(high, a[part], (size_t)n * sizeof *high);
    for (int j = 0; j < n && divide && parts == 1; j++)
      high[j] /= a[0][0];
    for (int j = 0; j < n && divide && parts == 2; j++) { /* right to a few units a part */
      permi_dd re = permi_dd_make(a[0][j]), im = permi_dd_make(a[1][j]);
      permi_dd size = permi_dd_make(a[0][0]), none = permi_dd_make(a[1][0]);
      const permi_dd real = size, imaginary = permi_dd_make(-a[1][0]);
      permi_dd_multiply_complex(&re, &im, real, imaginary);
      permi_dd_multiply_complex(&size, &none, real, imaginary);
      high[j] = j ? (part ? im.hi : re.hi) / size.hi : 1 - part;
    }
    power[part] = permi_grid_power(high, n);
  }
  if (plan->form == PERMI_FORM_SPLIT)
    power[0] = power[1] = fmax(power[0], power[1]);
  low_power = ldexp(power[0], -PERMI_GRID_LOW_BITS);
  for (int part = 0; part < parts; part++) {
    double *high = word[part * (1 + low)], gone = 0;
    for (int j = 0; j < n; j++) {
      const double x = high[j];
      high[j] = permi_to_grid(x, power[part]);
      if (low) {
        const double rest = x - high[j]; /* exact */
        word[2 * part + 1][j] = permi_to_grid(rest, low_power);
        gone += fabs(rest - word[2 * part + 1][j]);
      }
    }
    *lost += gone * (1 + 1e-12);
  }
}

/* Returns the largest share by which division and grid move an entry, summed over rows; INFINITY if some move and
   entries are complex or of both signs. Stops above `limit`. */
static double permi_plan_moves(const permi_dense_plan *plan, const permi_view *view, double limit)
{
  double sum = 0, lost = 0;
  int i, j, part, negative = view->parts == 2;
  for (i = 0; i < plan->n && sum <= limit; i++) {
    const int divide = permi_row_divides(plan, view, i);
    double row[2][PERM_MAX_N], word[2][PERM_MAX_N];
    if (divide && view->parts == 2)
      return (double)INFINITY;
    permi_plan_row(plan, view, i, row);
    permi_row_words(plan, view->parts, divide, 0, row, word, &lost);
    for (part = 0; part < view->parts; part++) {
      const double divisor = divide ? row[0][0] : 1;
      double most = 0;
      for (j = 0; j < plan->n; j++) {
        if (row[part][j] != 0)
          most = fmax(most, fabs(PERMI_REST(word[part][j], divisor, row[part][j]) / row[part][j]));
        negative |= word[part][j] < 0;
      }
      sum += most * (1 + 1e-12);
    }
  }
  return plan->lossy || (negative && sum > 0) ? (double)INFINITY : sum;
}

static void permi_leaf_scale_by(permi_leaf *leaf, int parts, double real, double imaginary)
{
  permi_dd re = leaf->scale, im = leaf->scale_imaginary;
  if (parts == 2)
    permi_dd_multiply_complex(&re, &im, permi_dd_make(real), permi_dd_make(imaginary));
  else
    re = permi_dd_multiply(re, permi_dd_make(real));
  const int e = permi_exponent(fmax(fabs(re.hi), fabs(im.hi)));
  leaf->scale = permi_dd_scale(re, -e);
  leaf->scale_imaginary = permi_dd_scale(im, -e);
  leaf->scale_exp2 += e;
}

/* Appends 1 or 2 rows y = z + l (>>dense_kernels): virtual rows z_i, z_j and, by setting q, z_i l_j(q) + z_j l_i(q),
   with constants l_i(q) l_j(q); for a single row z, l(q). Returns the constants' end. */
static double *permi_dense_pair(const permi_dense_plan *plan, permi_row_maker *maker, double (*row)[2][PERM_MAX_N],
                                int rows, int parts, double *constant)
{
  double l[2][2][8], z[2][2][PERM_MAX_N], o[PERM_MAX_N];
  const int settings = 1 << plan->block_columns, count = plan->n - 1 - plan->block_columns;
  memset(z, 0, sizeof z);
  for (int r = 0; r < rows; r++)
    for (int part = 0; part < parts; part++) {
      const double *a = row[r][part];
      permi_signed_sums(a[0], a + plan->lane_columns + 1, plan->block_columns, l[r][part]);
      for (int j = 0; j < count; j++)
        z[r][part][j] = a[1 + j + (j < plan->lane_columns ? 0 : plan->block_columns)];
      memcpy(o, z[r][part], sizeof o);
      permi_dense_row_rounded(maker, o, count);
    }
  for (int q = 0; q < settings; q++)
    for (int part = 0; part < parts; part++, constant++) {
      const double sign = part ? 1 : -1;
      const int other = 1 - part;
      *constant = rows == 1 ? l[0][part][q] : l[0][0][q] * l[1][part][q];
      if (rows == 1)
        continue;
      if (parts == 2)
        *constant += sign * l[0][1][q] * l[1][other][q];
      if (parts == 2 && q)
        *constant -= constant[-2 * q];
      for (int j = 0; j < count; j++) {
        o[j] = z[0][0][j] * l[1][part][q] + z[1][0][j] * l[0][part][q];
        if (parts == 2)
          o[j] += sign * (z[0][1][j] * l[1][other][q] + z[1][1][j] * l[0][other][q]);
      }
      permi_dense_row_rounded(maker, o, count);
    }
  return constant;
}

/* Adds the effect of a matrix E of lost parts, lost[i] = e_i the sum of moduli of its row i. With sums of moduli R_i <=
   1 and norms r_i of the scaled rows |per(A + E) - per(A)| is at most
     prod(R_i + e_i) - prod R_i <= 1.01 sum e_i,
     n! n^(-n/2) (prod(r_i + e_i) - prod r_i), by [CLL06] for every set of rows of E. */
static void permi_lost_entries(const permi_dense_plan *plan, const permi_view *view, const double *lost,
                               permi_leaf *leaf)
{
  const int n = plan->n;
  double sum = 0, share = 0, product = 1, bound;
  for (int i = 0; i < n; i++)
    sum += lost[i];
  if (sum == 0)
    return;
  for (int i = 0; i < n; i++) {
    double square = 0, norm;
    for (int part = 0; part < view->parts; part++)
      for (int j = 0; j < n; j++)
        square += permi_scaled(plan, view, i, j, part) * permi_scaled(plan, view, i, j, part);
    norm = sqrt(square) * (1 + 1e-12);
    share += lost[i] / norm;
    product *= norm * (i + 1) / sqrt((double)n);
  }
  bound = 1.01 * sum;
  if (share <= 0.01)
    bound = fmin(bound, 1.02 * share * product);
  leaf->bound_absolute += ldexp(bound, n - 1);
  leaf->estimate_absolute += ldexp(bound, n - 1);
}

/* Pivots go to the leaf's scale, losses of split rows to its bound. */
static perm_status permi_dense_tables(const permi_dense_plan *plan, const permi_view *view, const permi_kernel *kernel,
                                      const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, settings = 1 << plan->block_columns, lanes = 1 << plan->lane_columns;
  const int pairs = plan->form == PERMI_FORM_PAIR, divide = plan->form == PERMI_FORM_NORMALISED;
  const int words = divide ? 1 : 2 * parts;
  permi_dense shape;
  permi_row_maker maker;
  double row[2][2][PERM_MAX_N], word[4][PERM_MAX_N], lost[PERM_MAX_N] = {0};
  memset(&shape, 0, sizeof shape);
  shape.n = n;
  shape.rows = pairs ? n / 2 * parts * (2 + settings) + n % 2 * parts : n * words;
  shape.padded = (shape.rows + (pairs ? 11 : 7)) / 8 * 8; /* they look 4 rows ahead */
  shape.outer = plan->outer_columns;
  shape.chunk_log2 = plan->chunk_log2;
  shape.absolute_mask = permi_absolute_mask(plan, 12);
  shape.run = kernel->run;
  const size_t table = (size_t)shape.rows * (size_t)(pairs ? lanes : lanes * settings);
  /* tables leave a quarter of a first-level cache of 32 KiB (docs/engines.md) */
  while (plan->lane_columns != 3 && shape.tabled < PERMI_MOST_TABLED && shape.tabled + 4 < plan->outer_columns &&
         table << (shape.tabled + 1) <= 24576 / sizeof(double))
    shape.tabled++;
  permi_dense *dense =
      permi_dense_open(&shape, &maker, allocator, plan->lane_columns + (pairs ? 0 : plan->block_columns), table,
                       (size_t)((n + 1) / 2 * settings * parts));
  if (!dense)
    return PERM_ERROR_MEMORY;
  double *constant = dense->constant;
  for (int i = 0; i < n; i++) {
    double(*a)[PERM_MAX_N] = row[pairs & i];
    permi_plan_row(plan, view, i, a);
    if (!pairs) {
      permi_row_words(plan, parts, divide, !divide, a, word, &lost[i]);
      for (int j = 0; j < words; j++)
        permi_dense_row(&maker, word[j] + divide); /* y + 1 is exact too */
      if (divide)
        permi_leaf_scale_by(leaf, 1, a[0][0], 0);
    } else if (i & 1 || i == n - 1) {
      constant = permi_dense_pair(plan, &maker, row, 1 + (i & 1), parts, constant);
    }
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->context = dense;
  leaf->release = permi_release;
  leaf->run_chunk = permi_dense_chunk;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
