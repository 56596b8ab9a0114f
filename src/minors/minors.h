/* ========================================================================================= >>minors
   Permanents without one row and one column. In Glynn's sum F = 2^-N sum over d of (signs) prod_i y_i, y_i = sum_j d_j
   a_ij, the derivative by a_ij is the sum over d_j P_i, P_i = prod over k != i of y_k, from prefix and suffix products.
   As d_j is constant over nested stretches, sums of P_i suffice:
     lane and block columns   a sum for each vector element and setting, folded at the end of a chunk
     outer columns            a binary counter: of two blocks of 2^k states the difference goes to column k, the sum to
                              column k + 1
   With r_i copies of row i and c_j of column j, d_j = c_j - 2 v_j, v_j = 0..c_j, with binomial weights, and P_i
   contains y_i^(r_i - 1), over rows or columns, whichever has fewer terms. Few copies are written out. */
#pragma once
#include "../dense/plan.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_MINORS_TOTAL 256 /* with copies: products of binomials stay below 2^256 */

typedef struct permi_minors {
  int parts, rows, columns; /* distinct; a single wanted row is the last */
  int least;                /* first wanted row */
  int total;                /* of copies */
  int row_count[PERM_MAX_N], column_count[PERM_MAX_N], row_of[PERM_MAX_N], column_of[PERM_MAX_N];
  int row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N];
  int lossy, drops; /* drops: entries on no transversal do not count */
  double below; /* what the grid cuts: permi_rounded_rows */
  double lost;  /* by underflow, in units of 2^-scale_exp2 */

  const permi_minors_kernel *kernel; /* NULL: one term at a time, by subsets or on GPUs */
  int subsets, in_doubles;           /* in_doubles: not one term at a time */
  permi_dense dense;
  int transposed, terms_rows, terms_columns;
  int inner; /* columns before it vary within a chunk */
  double work_doubles;
  uint64_t chunks;
  double terms, seconds;
  double estimate_relative;   /* to the sum of moduli of terms */
  double without[PERM_MAX_N]; /* of permi_terms_norms */
  int scale_exp2;           /* sums are 2^scale_exp2 times scaled minors */
  double entry[PERM_MAX_N][PERM_MAX_N][2]; /* not scaled; last: not cleared */
} permi_minors;

/* [row - least][column][part], and each row's sum of |terms|. */
typedef struct permi_minors_sum {
  permi_dd *value;
  double *absolute;
} permi_minors_sum;

/* Returns the larger of `most` and entry (i, j)'s exponent. */
static int permi_minors_most(const permi_minors *minors, int i, int j, int most)
{
  int part;
  for (part = 0; part < minors->parts; part++)
    if (minors->entry[i][j][part] != 0) {
      const int e = permi_exponent(minors->entry[i][j][part]) + minors->row_exp2[i] + minors->column_exp2[j];
      most = e > most ? e : most;
    }
  return most;
}

/* Rows', then columns' largest entries to about 1: for too many copies to write out, and for entries on no transversal,
   which >>scale may drop but minors need. */
static void permi_minors_scale_flat(permi_minors *minors)
{
  const int counted = minors->rows - (minors->least == minors->rows - 1);
  int i, j, most;
  memset(minors->row_exp2, 0, sizeof minors->row_exp2);
  memset(minors->column_exp2, 0, sizeof minors->column_exp2);
  for (i = 0; i < minors->rows; i++) {
    for (j = 0, most = INT_MIN; j < minors->columns; j++)
      most = permi_minors_most(minors, i, j, most);
    minors->row_exp2[i] = most > INT_MIN ? -most : 0;
  }
  for (j = 0; j < minors->columns; j++) {
    for (i = 0, most = INT_MIN; i < counted; i++)
      most = permi_minors_most(minors, i, j, most);
    minors->column_exp2[j] = most > INT_MIN ? -most : 0;
  }
}

static double permi_minors_scaled(const permi_minors *minors, int i, int j, int part)
{
  return permi_shift(minors->entry[i][j][part], minors->row_exp2[i] + minors->column_exp2[j]);
}

/* Brings row sums of moduli to at most 1; sets lossy. */
static void permi_minors_scale_rows(permi_minors *minors)
{
  int i, j, part;
  minors->lossy = 0;
  for (i = 0; i < minors->rows; i++) {
    int most = INT_MIN;
    double sum = 0;
    for (j = 0; j < minors->columns; j++)
      most = permi_minors_most(minors, i, j, most);
    if (most == INT_MIN)
      continue;
    minors->row_exp2[i] -= most;
    for (j = 0; j < minors->columns; j++)
      for (part = 0; part < minors->parts; part++)
        sum += minors->column_count[j] * fabs(permi_minors_scaled(minors, i, j, part));
    minors->row_exp2[i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (j = 0; j < minors->columns; j++)
      for (part = 0; part < minors->parts; part++)
        minors->lossy |= minors->entry[i][j][part] != 0 &&
                         permi_exponent(minors->entry[i][j][part]) + minors->row_exp2[i] + minors->column_exp2[j] <
                             DBL_MIN_EXP;
  }
}

static void permi_minors_write_out(const permi_minors *minors, int scaled, double *full)
{
  int i, j, copy, k, part;
  for (i = 0; i < minors->rows; i++)
    for (copy = 0; copy < minors->row_count[i]; copy++)
      for (j = 0; j < minors->columns; j++)
        for (k = 0; k < minors->column_count[j]; k++)
          for (part = 0; part < minors->parts; part++)
            *full++ = scaled ? permi_minors_scaled(minors, i, j, part) : minors->entry[i][j][part];
}

/* full: room for PERM_MAX_N rows, or NULL. Returns 0 if all that is wanted is 0. */
static int permi_minors_scale(permi_minors *minors, double *full)
{
  const int one_row = minors->least == minors->rows - 1, n = minors->total;
  permi_dense_plan plan;
  int i, j, copy, first;
  permi_minors_scale_flat(minors);
  if (full) {
    const permi_view view = permi_view_of(full, n, minors->parts, NULL);
    int useful;
    permi_minors_write_out(minors, 0, full);
    for (j = 0; one_row && j < n * minors->parts; j++)
      full[(size_t)(n - 1) * (size_t)(n * minors->parts) + (size_t)j] = 1;
    memset(&plan, 0, sizeof plan);
    plan.n = n;
    permi_plan_scale(&plan, &view, (int (*)[PERM_MAX_N])(void *)(full + n * n * view.parts));
    if (plan.zero && (one_row || minors->drops))
      return 0;
    useful = !plan.zero;
    for (i = 0; i < n && !one_row && !minors->drops && useful; i++) /* nothing may be dropped */
      for (j = 0; j < n; j++)
        for (copy = 0; copy < view.parts; copy++) {
          double x = permi_at(&view, i, j, copy);
          useful &= x == 0 || permi_exponent(x) + plan.row_exp2[i] + plan.column_exp2[j] >= DBL_MIN_EXP;
        }
    for (j = 0, first = 0; j < minors->columns && useful; first += minors->column_count[j++])
      for (copy = 1; copy < minors->column_count[j]; copy++) /* copies must be scaled alike */
        useful &= plan.column_exp2[first + copy] == plan.column_exp2[first];
    for (j = 0, first = 0; j < minors->columns && useful; first += minors->column_count[j++])
      minors->column_exp2[j] = plan.column_exp2[first];
  }
  permi_minors_scale_rows(minors);
  return 1;
}

static void permi_dd_complex_add(permi_dd_complex *a, permi_dd_complex b, int parts)
{
  a->re = permi_dd_add(a->re, b.re);
  if (parts == 2)
    a->im = permi_dd_add(a->im, b.im);
}

static permi_dd permi_dd_times_double(permi_dd a, double b)
{
  return permi_dd_multiply(a, permi_dd_make(b));
}

static permi_dd_complex permi_dd_complex_by(permi_dd_complex a, double b, int parts)
{
  a.re = permi_dd_times_double(a.re, b);
  if (parts == 2)
    a.im = permi_dd_times_double(a.im, b);
  return a;
}

static permi_dd permi_dd_divide_double(permi_dd a, double b)
{
  const double quotient = a.hi / b;
  const permi_dd rest = permi_dd_add(a, permi_dd_times_double(permi_dd_make(quotient), -b));
  return permi_two_sum(quotient, rest.hi / b);
}

typedef struct permi_terms {
  const int *row_count, *column_count;
  int rows, columns, least, parts;
  permi_dd_complex *twice;      /* [column][row]: 2 a */
  permi_dd_complex *row_sum;    /* [level + 1][row], level 0 for a single term */
  permi_dd_complex *sum;        /* [level + 1][row]: of P over the columns below level */
  permi_dd_complex *difference; /* [column][row]: of d_j P */
  permi_dd_complex *front;
  double *absolute; /* [row] */
} permi_terms;

static size_t permi_terms_doubles(int rows, int columns)
{
  return (size_t)(4 * columns + 3) * (size_t)rows * 4 + (size_t)(rows + 1) * 5 + 8;
}

static permi_dd_complex *permi_terms_take(double **memory, int count)
{
  double *here = *memory;
  *memory += (size_t)count * (sizeof(permi_dd_complex) / sizeof(double));
  return (permi_dd_complex *)(void *)here;
}

/* sum[0] = weight P_i. */
static void permi_terms_leaf(const permi_terms *terms, permi_dd weight)
{
  const int parts = terms->parts, rows = terms->rows;
  permi_dd_complex back;
  int i, k;
  memset(&back, 0, sizeof back);
  terms->front[0] = back;
  terms->front[0].re = weight;
  back.re = permi_dd_make(1);
  for (i = 0; i + 1 < rows; i++) {
    terms->front[i + 1] = terms->front[i];
    for (k = 0; k < terms->row_count[i]; k++)
      terms->front[i + 1] = permi_dd_complex_times(terms->front[i + 1], terms->row_sum[i], parts);
  }
  for (i = rows - 1; i >= terms->least; i--) {
    permi_dd_complex p = terms->front[i];
    for (k = 1; k < terms->row_count[i]; k++)
      back = permi_dd_complex_times(back, terms->row_sum[i], parts);
    terms->sum[i] = p = permi_dd_complex_times(p, back, parts);
    terms->absolute[i] += permi_modulus(p.re.hi, p.im.hi);
    back = permi_dd_complex_times(back, terms->row_sum[i], parts);
  }
}

/* Sets without[i] to the product of all norms, but one of row i's copies, in the unit of sums: single terms round row
   sums by units of norms, which no sum of |terms| shows where some row's sum cancels in every term. */
static void permi_terms_norms(permi_minors *minors)
{
  const int *const count[2] = {minors->row_count, minors->column_count}, turned = minors->transposed;
  int i, j, k, part;
  memset(minors->without, 0, sizeof minors->without);
  for (k = 0; k < minors->terms_rows && !minors->in_doubles; k++) {
    double square = 0, all, less;
    for (j = 0; j < minors->terms_columns; j++)
      for (part = 0; part < minors->parts; part++) {
        const double x = permi_minors_scaled(minors, turned ? j : k, turned ? k : j, part);
        square += count[!turned][j] * x * x;
      }
    all = pow(square, 0.5 * count[turned][k]);
    less = pow(square, 0.5 * (count[turned][k] - 1));
    for (i = 0; i < minors->terms_rows; i++)
      minors->without[i] = (k ? minors->without[i] : ldexp(1, minors->scale_exp2)) * (i == k ? less : all);
  }
}

/* weight: the binomials of the columns from `level` on. */
static void permi_terms_level(const permi_terms *terms, int level, permi_dd weight)
{
  const int rows = terms->rows, parts = terms->parts, least = terms->least, j = level - 1;
  const int count = level ? terms->column_count[j] : 0;
  permi_dd_complex *sum = terms->sum + level * rows, *row_sum = terms->row_sum + (level ? j : 0) * rows;
  permi_dd binomial = weight;
  int i, v;
  if (!level) {
    permi_terms_leaf(terms, weight);
    return;
  }
  memset(sum, 0, (size_t)rows * sizeof *sum);
  for (v = 0; v <= count; v++) {
    const permi_dd_complex *one = terms->sum + j * rows;
    permi_dd_complex *difference = terms->difference + j * rows;
    for (i = 0; i < rows; i++) {
      row_sum[i] = terms->row_sum[level * rows + i];
      permi_dd_complex_add(&row_sum[i], permi_dd_complex_by(terms->twice[j * rows + i], -v, parts), parts);
    }
    permi_terms_level(terms, j, binomial);
    for (i = least; i < rows; i++) {
      permi_dd_complex_add(&sum[i], one[i], parts);
      permi_dd_complex_add(&difference[i], permi_dd_complex_by(one[i], count - 2 * v, parts), parts);
    }
    /* C(c, v + 1) = C(c, v) (c - v) / (v + 1), negated */
    binomial = permi_dd_divide_double(permi_dd_times_double(binomial, -(double)(count - v)), v + 1);
  }
}

#define PERMI_TERMS_EXP2 900 /* from 2^900 terms may lose 2^1900 */

static void permi_terms_chunk(const permi_minors *minors, uint64_t chunk, double *work, permi_minors_sum *out)
{
  const int parts = minors->parts, transposed = minors->transposed, rows = minors->terms_rows;
  const int columns = minors->terms_columns, least = transposed ? 0 : minors->least, wanted = minors->columns;
  permi_terms terms;
  permi_dd weight = permi_dd_make(ldexp(1, PERMI_TERMS_EXP2 - minors->total));
  int digit[PERM_MAX_N], i, j, v, part;
  uint64_t rest = chunk;
  terms.row_count = transposed ? minors->column_count : minors->row_count;
  terms.column_count = transposed ? minors->row_count : minors->column_count;
  terms.rows = rows;
  terms.columns = columns;
  terms.least = least;
  terms.parts = parts;
  memset(work, 0, permi_terms_doubles(rows, columns) * sizeof *work);
  terms.twice = permi_terms_take(&work, columns * rows);
  terms.row_sum = permi_terms_take(&work, (columns + 1) * rows);
  terms.sum = permi_terms_take(&work, (columns + 1) * rows);
  terms.difference = permi_terms_take(&work, columns * rows);
  terms.front = permi_terms_take(&work, rows + 1);
  terms.absolute = work;
  for (j = columns - 1; j >= minors->inner; j--) { /* half the last column, by symmetry */
    const uint64_t range = (uint64_t)(j == columns - 1 ? terms.column_count[j] / 2 : terms.column_count[j]) + 1;
    digit[j] = (int)(rest % range);
    rest /= range;
    for (v = 0; v < digit[j]; v++) { /* exact up to 2^106 */
      weight = permi_dd_times_double(weight, -(double)(terms.column_count[j] - v));
      weight = permi_dd_divide_double(weight, v + 1);
    }
    if (j == columns - 1 && 2 * digit[j] < terms.column_count[j])
      weight = permi_dd_add(weight, weight);
  }
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++) {
      const int count = j < minors->inner ? terms.column_count[j] : terms.column_count[j] - 2 * digit[j];
      permi_dd_complex *to = &terms.row_sum[minors->inner * rows + i];
      for (part = 0; part < parts; part++) {
        const double x = transposed ? permi_minors_scaled(minors, j, i, part) : permi_minors_scaled(minors, i, j, part);
        permi_dd *sum = part ? &to->im : &to->re;
        *(part ? &terms.twice[j * rows + i].im : &terms.twice[j * rows + i].re) = permi_dd_make(2 * x);
        *sum = permi_dd_add(*sum, permi_dd_times_double(permi_dd_make(x), count));
      }
    }
  permi_terms_level(&terms, minors->inner, weight);
  for (j = minors->inner; j < columns; j++)
    for (i = least; i < rows; i++)
      terms.difference[j * rows + i] =
          permi_dd_complex_by(terms.sum[minors->inner * rows + i], terms.column_count[j] - 2 * digit[j], parts);
  for (i = least; i < rows; i++)
    for (j = 0; j < columns; j++) {
      const permi_dd_complex *d = &terms.difference[j * rows + i];
      if (transposed && j < minors->least)
        continue;
      for (part = 0; part < parts; part++)
        out->value[(transposed ? (j - minors->least) * wanted + i : (i - least) * wanted + j) * parts + part] =
            permi_dd_divide_double(part ? d->im : d->re, terms.column_count[j]);
      if (transposed)
        out->absolute[j - minors->least] = fmax(out->absolute[j - minors->least], terms.absolute[i]);
    }
  for (i = least; i < rows && !transposed; i++)
    out->absolute[i - least] = terms.absolute[i];
}

#endif
/* SPDX-License-Identifier: MIT */
