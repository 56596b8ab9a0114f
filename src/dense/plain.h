/* ========================================================================================== >>plain
   The textbook engines, the tests' oracles: they share only scaling and chunks with >>dense. */
#pragma once
#include "../job/job.h"
#include "kernels.h"

typedef struct permi_plain {
  int n, parts, ryser, chunk_log2;
  perm_precision precision;
  double a[1]; /* scaled, column by column */
} permi_plain;

typedef struct permi_gray_walk {
  uint64_t s, last;
  double turned_on; /* when the Gray bit becomes 1 */
} permi_gray_walk;

/* Starts a walk over 2^chunk_log2 terms; x: the first row sums.
   Glynn [Gly10]: 2^-(n-1) sum over d in {+-1}^n, d_n = 1, of prod_k d_k prod_i sum_j d_j a_ij.
   Ryser [Rys63]: (-1)^n sum over S of (-1)^|S| prod_i sum_{j in S} a_ij.
   Ryser's sum as in [NW78] is Glynn's with every factor halved. */
static permi_gray_walk permi_gray_start(const permi_plain *plain, uint64_t chunk, int part, permi_dd *x)
{
  const int n = plain->n;
  const double *a = plain->a + part * n * n;
  permi_gray_walk walk;
  uint64_t gray;
  int i, j;
  walk.s = chunk << plain->chunk_log2;
  walk.last = walk.s + (UINT64_C(1) << plain->chunk_log2);
  walk.turned_on = plain->ryser ? 1 : -2;
  gray = walk.s ^ walk.s >> 1;
  for (i = 0; i < n; i++) {
    x[i] = permi_dd_make(0);
    for (j = 0; j < n; j++) {
      double on = (double)(gray >> j & 1);
      x[i] = permi_dd_add_double(x[i], (plain->ryser ? on : 1 - 2 * on) * a[j * n + i]);
    }
  }
  return walk;
}

static double permi_gray_sign(const permi_plain *plain, const permi_gray_walk *walk)
{
  return (walk->s ^ (plain->ryser ? (uint64_t)plain->n : 0)) & 1 ? -1 : 1;
}

/* Returns the multiple of *column to add, 0 at the end. */
static double permi_gray_next(permi_gray_walk *walk, int *column)
{
  if (++walk->s == walk->last)
    return 0;
  *column = permi_trailing_zeros(walk->s);
  return (walk->s ^ walk->s >> 1) >> *column & 1 ? walk->turned_on : -walk->turned_on;
}

/* Adds a term: kahan with a correction [Hig02, 4.3], else in double-double. */
static void permi_plain_add(perm_precision precision, permi_dd *total, double term)
{
  if (precision == PERM_PRECISION_KAHAN) {
    const double with = term + total->lo, sum = total->hi + with;
    total->lo = with - (sum - total->hi);
    total->hi = sum;
  } else {
    *total = permi_dd_add_double(*total, term);
  }
}

static double permi_plain_unit(const permi_plain *plain)
{
  return plain->precision == PERM_PRECISION_DD ? 4 * PERMI_UNIT * PERMI_UNIT : PERMI_UNIT;
}

/* Relative, of a term's products and of their sum. */
static double permi_plain_rounding(const permi_plain *plain)
{
  return permi_plain_unit(plain) * ((plain->n + 4) * plain->parts + 1);
}

/* lost[i]: expected drift of row sum i; a move rounds by up to a unit of the row's sum of moduli. */
static void permi_plain_drift(const permi_plain *plain, double *lost)
{
  const double unit = permi_plain_unit(plain);
  const int n = plain->n;
  int i, j;
  for (i = 0; i < n; i++) {
    lost[i] = 0;
    for (j = 0; j < plain->parts * n; j++)
      lost[i] += fabs(plain->a[j * n + i]);
    lost[i] *= unit * (1 + ldexp(1, (plain->chunk_log2 + 1) / 2));
  }
}

/* Returns a term's size plus its rows' drift in units of permi_plain_rounding. Long chunks sample every eighth
   term, but not of Ryser's sum: there few terms may be all. */
static double permi_plain_absolute(const permi_plain *plain, uint64_t s, const double *size, const double *lost)
{
  const int thin = plain->chunk_log2 > 9 && !plain->ryser;
  double product = 1, off = 0;
  int i;
  if (thin && permi_scatter(s) & 7)
    return 0;
  for (i = 0; i < plain->n; i++) {
    off = off * (size[i] + lost[i]) + product * lost[i];
    product *= size[i] + lost[i];
  }
  return (product + off / permi_plain_rounding(plain)) * (thin ? 8 : 1);
}

static void permi_partial_add(perm_partial *partial, permi_dd value, permi_dd imaginary, double absolute,
                              double terms)
{
  permi_sum_add_double(&partial->value, value.hi);
  permi_sum_add_double(&partial->value, value.lo);
  permi_sum_add_double(&partial->imaginary, imaginary.hi);
  permi_sum_add_double(&partial->imaginary, imaginary.lo);
  permi_sum_add_double(&partial->absolute, absolute);
  partial->terms += terms;
}

/* A real term is a product of two chains. */
PERMI_INLINE void permi_gray_double(const permi_leaf *leaf, uint64_t chunk, perm_partial *partial, int parts)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int n = plain->n;
  const double *a = plain->a, *b = a + n * n;
  double x[PERM_MAX_N], y[PERM_MAX_N], size[PERM_MAX_N], lost[PERM_MAX_N], absolute = 0, move;
  permi_dd total = {0, 0}, imaginary = {0, 0}, start[2][PERM_MAX_N];
  permi_gray_walk walk = permi_gray_start(plain, chunk, 0, start[0]);
  int i, j;
  if (parts == 2)
    permi_gray_start(plain, chunk, 1, start[1]);
  permi_plain_drift(plain, lost);
  for (i = 0; i < n; i++) {
    x[i] = start[0][i].hi;
    y[i] = parts == 2 ? start[1][i].hi : 0;
    size[i] = parts == 2 ? permi_modulus(x[i], y[i]) : fabs(x[i]);
  }
  do {
    double re = permi_gray_sign(plain, &walk), im = 0, odd = 1;
    for (i = 0; parts == 2 && i < n; i++) {
      double was = re;
      re = re * x[i] - im * y[i];
      im = was * y[i] + im * x[i];
    }
    for (i = 0; parts == 1 && i + 1 < n; i += 2) {
      re *= x[i];
      odd *= x[i + 1];
    }
    if (parts == 1)
      re *= i < n ? x[i] * odd : odd;
    permi_plain_add(plain->precision, &total, re);
    if (parts == 2)
      permi_plain_add(plain->precision, &imaginary, im);
    absolute += permi_plain_absolute(plain, walk.s, size, lost);
    move = permi_gray_next(&walk, &j);
    for (i = 0; i < n && move != 0; i++) {
      x[i] += move * a[j * n + i];
      if (parts == 2)
        y[i] += move * b[j * n + i];
      size[i] = parts == 2 ? permi_modulus(x[i], y[i]) : fabs(x[i]);
    }
  } while (move != 0);
  absolute = fmax(absolute, permi_modulus(total.hi, imaginary.hi)); /* where samples missed the terms */
  permi_partial_add(partial, total, imaginary, absolute, ldexp(1, plain->chunk_log2));
}

static void permi_gray_real(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  (void)workspace;
  permi_gray_double(leaf, chunk, partial, 1);
}

static void permi_gray_complex(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  (void)workspace;
  permi_gray_double(leaf, chunk, partial, 2);
}

static void permi_gray_dd(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int n = plain->n;
  double size[PERM_MAX_N], lost[PERM_MAX_N], absolute = 0, move;
  permi_dd total = {0, 0}, imaginary = {0, 0}, x[2][PERM_MAX_N];
  permi_gray_walk walk = permi_gray_start(plain, chunk, 0, x[0]);
  int i, j, part;
  (void)workspace;
  permi_plain_drift(plain, lost);
  memset(x[1], 0, sizeof x[1]);
  if (plain->parts == 2)
    permi_gray_start(plain, chunk, 1, x[1]);
  do {
    permi_dd re = permi_dd_make(permi_gray_sign(plain, &walk)), im = {0, 0};
    for (i = 0; i < n; i++)
      if (plain->parts == 2)
        permi_dd_multiply_complex(&re, &im, x[0][i], x[1][i]);
      else
        re = permi_dd_multiply(re, x[0][i]);
    total = permi_dd_add(total, re);
    imaginary = permi_dd_add(imaginary, im);
    for (i = 0; i < n; i++)
      size[i] = permi_modulus(x[0][i].hi, x[1][i].hi);
    absolute += permi_plain_absolute(plain, walk.s, size, lost);
    move = permi_gray_next(&walk, &j);
    for (part = 0; part < plain->parts; part++)
      for (i = 0; i < n && move != 0; i++)
        x[part][i] = permi_dd_add_double(x[part][i], move * plain->a[(part * n + j) * n + i]);
  } while (move != 0);
  absolute = fmax(absolute, permi_modulus(total.hi, imaginary.hi));
  permi_partial_add(partial, total, imaginary, absolute, ldexp(1, plain->chunk_log2));
}

/* Prefix products are double-double, their sum exact: n - 1 products a term err, and underflow. */
static perm_status permi_expansion_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int n = plain->n;
  perm_partial mine;
  permi_dd product[2][PERM_MAX_N + 1];
  int column[PERM_MAX_N + 1], row = 0, j;
  uint64_t used = 0;
  uint32_t steps = 0;
  memset(&mine, 0, sizeof mine);
  memset(product, 0, sizeof product);
  product[0][0] = permi_dd_make(1);
  column[0] = -1;
  while (row >= 0) {
    const double *a = plain->a, *b = plain->parts == 2 ? plain->a + n * n : NULL;
    if (row == n) {
      permi_partial_add(&mine, product[0][n], product[1][n], fabs(product[0][n].hi) + fabs(product[1][n].hi), 1);
      row--;
      continue;
    }
    j = column[row];
    if (j >= 0)
      used &= ~(UINT64_C(1) << j);
    for (j++; j < n && ((used >> j & 1) || (a[j * n + row] == 0 && (!b || b[j * n + row] == 0))); j++)
      ;
    column[row] = j;
    if (j == n) {
      row--;
      continue;
    }
    used |= UINT64_C(1) << j;
    product[0][row + 1] = product[0][row];
    product[1][row + 1] = product[1][row];
    permi_dd_multiply_complex(&product[0][row + 1], &product[1][row + 1], permi_dd_make(a[j * n + row]),
                              permi_dd_make(b ? b[j * n + row] : 0));
    column[++row] = -1;
    if (control && !(++steps & 0xffff)) {
      perm_status status = permi_control_poll(control, 0, "expanding");
      if (status != PERM_OK)
        return status;
    }
  }
  permi_sum_add(&partial->value, &mine.value);
  permi_sum_add(&partial->imaginary, &mine.imaginary);
  permi_sum_add(&partial->absolute, &mine.absolute);
  partial->terms += mine.terms;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
