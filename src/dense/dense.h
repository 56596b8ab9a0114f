/* ========================================================================================== >>dense
   Glynn's sum, its columns split by how fast their signs vary:
     pivot    1 column: its two signs share the rest of a row sum (not in split form)
     lanes    3 (AVX-512), 2 (AVX2), 1 (NEON), 0: the elements of a vector
     block    K columns: 2^K vectors in registers
     fixed    1 column, always +
     outer    the rest, in Gray order, 2^chunk_log2 states a chunk; the first, `tabled` of them, turn most often and
              have a table for each setting of their signs, so that only every 2^tabled-th state moves the row sums
   The drift of Gray walks in doubles is the main error from n = 22 on. Here each virtual row is rounded once, to
   multiples of a unit for which signed sums fit 53 bits: row sums are exact, and entries are off by at most 2^-53 of
   their row's sum of moduli. Split form keeps 47 more bits in a second virtual row. Proved by machine:
   tests/proofs/dense.g. */
#pragma once
#include "reach.h"
#include "plain.h"

static void permi_dense_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_dense *dense = (const permi_dense *)leaf->context;
  permi_chunk_sum sum;
  (void)workspace;
  dense->run(dense, chunk, &sum);
  permi_partial_add(partial, sum.value, sum.imaginary, sum.absolute * (dense->absolute_mask + 1.0), /* exact */
                    leaf->information.work / (double)dense->n / (double)leaf->information.chunks);
}

/* Rounds x, |x| <= 2^top, to multiples of 2^(top - 53): adding 2^(top - 1) drops lower bits; larger x have none. */
static double permi_to_grid(double x, double power_top)
{
  double with = copysign(0.5 * power_top, x), sum = x + with;
  return fabs(x) >= 0.5 * power_top ? x : sum - with;
}

/* Returns 2^top >= sum |a|. */
static double permi_grid_power(const double *a, int count)
{
  double sum = 0;
  int j;
  for (j = 0; j < count; j++)
    sum += fabs(a[j]);
  return sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
}

#define PERMI_GRID_LOW_BITS 47 /* 64 residues of half a unit stay below 2^(top - 47) */

typedef struct permi_row_maker {
  permi_dense *dense;
  double *table;
  int row, inner; /* inner: lane and block columns */
} permi_row_maker;

/* Allocates zeros, `table` doubles for the rows; dense has its numbers of rows and columns. */
static int permi_dense_open(permi_dense *dense, permi_row_maker *maker, const perm_allocator *allocator, int inner,
                            size_t table, size_t constants)
{
  const size_t padded = (size_t)dense->padded, step = 2 * (size_t)dense->outer * padded;
  const size_t room = ((table << dense->tabled) + 7) / 8 * 8 + 32; /* kernels look ahead */
  const size_t all = room + step + padded + constants + 16;
  dense->memory = (double *)permi_allocate_zeros(allocator, all, sizeof(double));
  if (!dense->memory)
    return 0;
  dense->table = dense->memory + (64 - ((uintptr_t)dense->memory & 63)) % 64 / sizeof(double);
  dense->table_size = table;
  dense->step = dense->table + room;
  dense->start = dense->step + step;
  dense->constant = dense->start + padded;
  maker->dense = dense;
  maker->table = dense->table;
  maker->row = 0;
  maker->inner = inner;
  return 1;
}

/* sum[q] = start + sum over c of +-a[c], - where bit c of q is set; returns how many. */
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

/* Appends a virtual row in the order lanes, block, fixed, outer. */
static void permi_dense_row(permi_row_maker *maker, const double *a)
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

static void permi_dense_row_rounded(permi_row_maker *maker, double *a, int count, double power)
{
  int j;
  for (j = 0; j < count; j++)
    a[j] = permi_to_grid(a[j], power);
  permi_dense_row(maker, a);
}

/* Appends a high and a low virtual row; returns at least what they lose. */
static double permi_dense_row_split(permi_row_maker *maker, const double *a, double power, int count)
{
  double high[PERM_MAX_N], low[PERM_MAX_N], lost = 0;
  double low_power = ldexp(power, -PERMI_GRID_LOW_BITS);
  int j;
  for (j = 0; j < count; j++) {
    double rest;
    high[j] = permi_to_grid(a[j], power);
    rest = a[j] - high[j]; /* exact */
    low[j] = permi_to_grid(rest, low_power);
    lost += fabs(rest - low[j]);
  }
  permi_dense_row(maker, high);
  permi_dense_row(maker, low);
  return lost * (1 + 1e-12);
}

static void permi_context_release(const perm_allocator *allocator, void *context)
{
  permi_release(allocator, context);
}

static void permi_dense_release(const perm_allocator *allocator, void *context)
{
  permi_release(allocator, ((permi_dense *)context)->memory);
  permi_release(allocator, context);
}

/* parts: 1 real, 2 complex; ld in entries. */
typedef struct permi_view {
  const double *a;
  ptrdiff_t ld;
  int parts;
  const permi_reach *reach; /* NULL: the matrix is only scaled */
} permi_view;

static permi_view permi_view_of(const double *a, ptrdiff_t ld, int parts, const permi_reach *reach)
{
  permi_view view;
  view.a = a;
  view.ld = ld;
  view.parts = parts;
  view.reach = reach;
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

/* Exact unless the plan is lossy. */
static double permi_scaled(const permi_dense_plan *plan, const permi_view *view, int i, int j, int part)
{
  return permi_shift(permi_at(view, i, j, part), plan->row_exp2[i] + plan->column_exp2[j]);
}

static double permi_scaled_modulus(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  return permi_modulus(permi_scaled(plan, view, i, j, 0), view->parts == 2 ? permi_scaled(plan, view, i, j, 1) : 0);
}

/* 0 for bounds and below `least` outer columns. */
static unsigned permi_absolute_mask(const permi_dense_plan *plan, int least)
{
  return plan->outer_columns < least || plan->exact_rows || plan->form == PERMI_FORM_SPLIT ? 0
         : plan->precision == PERM_PRECISION_FAST                                          ? 7
                                                                                            : 3;
}

/* Copies the columns in the order pivot, lanes, block, fixed, outer. */
static void permi_plan_row(const permi_dense_plan *plan, const permi_view *view, int i, double (*row)[PERM_MAX_N])
{
  int j, k, part;
  for (part = 0; part < view->parts; part++) {
    row[part][0] = permi_scaled(plan, view, i, plan->pivot, part);
    for (j = 0, k = 1; j < plan->n; j++)
      if (j != plan->pivot)
        row[part][k++] = permi_scaled(plan, view, i, j, part);
  }
}

/* The largest share of an entry by which a row moves where entries a_j become divisor z_j; *negative: a z_j is. */
static double permi_row_moves(const double *a, const double *z, double divisor, int n, int *negative)
{
  double most = 0;
  int j;
  for (j = 0; j < n; j++) {
    if (a[j] != 0)
      most = fmax(most, fabs(PERMI_REST(z[j], divisor, a[j]) / a[j]));
    *negative |= z[j] < 0;
  }
  return most * (1 + 1e-12);
}

/* Rows y = z + l (>>dense_kernels): virtual rows z_i, z_j and, by setting q, z_i l_j(q) + z_j l_i(q); constants l_i(q)
   l_j(q). A last single row: z, l(q). */
static double *permi_dense_pair(const permi_dense_plan *plan, permi_row_maker *maker, double (*row)[2][PERM_MAX_N],
                                int rows,
                                int parts, double *constant)
{
  double l[2][2][8], z[2][2][PERM_MAX_N], o[PERM_MAX_N];
  const int settings = 1 << plan->block_columns, count = plan->n - 1 - plan->block_columns;
  int r, part, j, q;
  memset(z, 0, sizeof z);
  for (r = 0; r < rows; r++)
    for (part = 0; part < parts; part++) {
      const double *a = row[r][part];
      permi_signed_sums(a[0], a + plan->lane_columns + 1, plan->block_columns, l[r][part]);
      for (j = 0; j < count; j++)
        z[r][part][j] = a[1 + j + (j < plan->lane_columns ? 0 : plan->block_columns)];
      memcpy(o, z[r][part], sizeof o);
      permi_dense_row_rounded(maker, o, count, permi_grid_power(o, count));
    }
  for (q = 0; q < settings; q++)
    for (part = 0; part < parts; part++) {
      const double sign = part ? 1 : -1;
      const int other = 1 - part;
      if (rows == 1) {
        *constant++ = l[0][part][q];
        continue;
      }
      *constant = l[0][0][q] * l[1][part][q];
      if (parts == 2)
        *constant += sign * l[0][1][q] * l[1][other][q];
      if (parts == 2 && q)
        *constant -= constant[-2 * q];
      constant++;
      for (j = 0; j < count; j++) {
        o[j] = z[0][0][j] * l[1][part][q] + z[1][0][j] * l[0][part][q];
        if (parts == 2)
          o[j] += sign * (z[0][1][j] * l[1][other][q] + z[1][1][j] * l[0][other][q]);
      }
      permi_dense_row_rounded(maker, o, count, permi_grid_power(o, count));
    }
  return constant;
}

/* Adds the effect of a matrix E of lost parts of entries, lost[i] = e_i the moduli of its row i. With sums of moduli
   R_i <= 1 and norms r_i of the scaled rows,
     |per(A + E) - per(A)| <= prod(R_i + e_i) - prod R_i <= 1.01 sum e_i,
     |per(A + E) - per(A)| <= n! n^(-n/2) (prod(r_i + e_i) - prod r_i), by [CLL06] for every set of rows of E;
   times 2^(n-1) in the unit of the sum. */
static void permi_lost_entries(const permi_dense_plan *plan, const permi_view *view, const double *lost,
                               permi_leaf *leaf)
{
  const int n = plan->n;
  double sum = 0, share = 0, product = 1, bound;
  int i, j, part;
  for (i = 0; i < n; i++)
    sum += lost[i];
  if (sum == 0)
    return;
  for (i = 0; i < n; i++) {
    double square = 0, norm;
    for (part = 0; part < view->parts; part++)
      for (j = 0; j < n; j++)
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

/* Moving row sums took a fifth of complex states with AVX2, 3 % or less with AVX-512. Tables leave a quarter of a
   first-level cache of 32 KiB to the rest: with 32 KiB of tables split kernels took 1.17 times as long. Few states do
   not repay the filling of tables. */
static int permi_dense_tabled(const permi_dense_plan *plan, size_t table)
{
  int tabled = 0;
  if (plan->lane_columns == 3)
    return 0;
  while (tabled < PERMI_MOST_TABLED && tabled + 4 < plan->outer_columns &&
         table << (tabled + 1) <= 24576 / sizeof(double))
    tabled++;
  return tabled;
}

/* Pivots go to leaf->scale, what split rows lose (entries below 2^-47 of their row) to the bound. */
static perm_status permi_dense_tables(const permi_dense_plan *plan, const permi_view *view, const permi_kernel *kernel,
                                      const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, settings = 1 << plan->block_columns, lanes = 1 << plan->lane_columns;
  const int per_pair = parts * (2 + settings), pairs = plan->form == PERMI_FORM_PAIR;
  size_t table;
  permi_dense *dense = (permi_dense *)permi_allocate_zeros(allocator, 1, sizeof *dense);
  permi_row_maker maker;
  double row[2][2][PERM_MAX_N], *constant, lost[PERM_MAX_N] = {0};
  int i, j;
  if (!dense)
    return PERM_ERROR_MEMORY;
  dense->n = n;
  dense->rows = plan->form == PERMI_FORM_NORMALISED ? n
                : plan->form == PERMI_FORM_SPLIT    ? 2 * parts * n
                                                   : n / 2 * per_pair + n % 2 * parts;
  dense->padded = (dense->rows + (pairs ? 11 : 7)) / 8 * 8; /* pairs look 4 rows ahead */
  dense->outer = plan->outer_columns;
  dense->chunk_log2 = plan->chunk_log2;
  dense->absolute_mask = permi_absolute_mask(plan, 12);
  dense->run = kernel->run;
  table = (size_t)dense->rows * (size_t)(pairs ? lanes : lanes * settings);
  dense->tabled = permi_dense_tabled(plan, table);
  if (!permi_dense_open(dense, &maker, allocator, plan->lane_columns + (pairs ? 0 : plan->block_columns),
                        table,
                        (size_t)((n + 1) / 2 * settings * parts))) {
    permi_release(allocator, dense);
    return PERM_ERROR_MEMORY;
  }
  constant = dense->constant;
  for (i = 0; i < n; i++) {
    double(*a)[PERM_MAX_N] = row[i & 1];
    permi_plan_row(plan, view, i, a);
    if (plan->form == PERMI_FORM_NORMALISED) {
      double p = a[0][0];
      int e;
      leaf->scale = permi_dd_multiply(leaf->scale, permi_dd_make(p));
      frexp(leaf->scale.hi, &e);
      leaf->scale = permi_dd_scale(leaf->scale, -e);
      leaf->scale_exp2 += e;
      for (j = 0; j < n; j++)
        a[0][j] /= p;
      permi_dense_row_rounded(&maker, a[0] + 1, n - 1, permi_grid_power(a[0], n)); /* y + 1 is exact too */
    } else if (plan->form == PERMI_FORM_SPLIT) {
      double power = permi_grid_power(a[0], n);
      if (parts == 2)
        power = fmax(power, permi_grid_power(a[1], n));
      for (j = 0; j < parts; j++)
        lost[i] += permi_dense_row_split(&maker, a[j], power, n);
    } else if (i & 1 || i == n - 1) {
      constant = permi_dense_pair(plan, &maker, row, 1 + (i & 1), parts, constant);
    }
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->context = dense;
  leaf->release = permi_dense_release;
  leaf->run_chunk = permi_dense_chunk;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
