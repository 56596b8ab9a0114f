/* ========================================================================================== >>plain
   The textbook engines, oracles of the tests. */
#pragma once
#include "../job/job.h"
#include "kernels.h"

typedef struct permi_plain {
  int n, parts, ryser, chunk_log2;
  perm_precision precision;
  double a[1]; /* scaled, by columns */
} permi_plain;

/* Sets x to the row sums of term s.
   Glynn [Gly10]: 2^-(n-1) sum over d in {+-1}^n, d_n = 1, of prod_k d_k prod_i sum_j d_j a_ij.
   Ryser [Rys63]: (-1)^n sum over S of (-1)^|S| prod_i sum_{j in S} a_ij; as in [NW78], Glynn's with halved factors. */
static void permi_gray_start(const permi_plain *plain, uint64_t s, int part, permi_dd *x)
{
  const int n = plain->n;
  const double *a = plain->a + part * n * n;
  const uint64_t gray = s ^ s >> 1;
  for (int i = 0; i < n; i++) {
    x[i] = permi_dd_make(0);
    for (int j = 0; j < n; j++) {
      double on = (double)(gray >> j & 1);
      x[i] = permi_dd_add_double(x[i], (plain->ryser ? on : 1 - 2 * on) * a[j * n + i]);
    }
  }
}

/* Adds a double; kahan corrects the sum [Hig02, 4.3]. */
static permi_dd permi_plain_add(perm_precision precision, permi_dd total, double term)
{
  if (precision != PERM_PRECISION_KAHAN)
    return permi_dd_add_double(total, term);
  term += total.lo;
  const double sum = total.hi + term;
  total.lo = term - (sum - total.hi);
  total.hi = sum;
  return total;
}

static double permi_plain_unit(const permi_plain *plain)
{
  return plain->precision == PERM_PRECISION_DD ? 4 * PERMI_UNIT * PERMI_UNIT : PERMI_UNIT;
}

/* Returns the relative error of a term and the sum. */
static double permi_plain_rounding(const permi_plain *plain)
{
  return permi_plain_unit(plain) * ((plain->n + 4) * plain->parts + 1);
}

/* Returns a term's size plus its rows' drift in units of permi_plain_rounding. Long chunks sample every eighth term,
   but not Ryser's, of which few may be all. */
static double permi_plain_absolute(const permi_plain *plain, uint64_t s, const double *size, const double *lost)
{
  const int thin = plain->chunk_log2 > 9 && !plain->ryser;
  double product = 1, off = 0;
  if (thin && permi_scatter(s) & 7)
    return 0;
  for (int i = 0; i < plain->n; i++) {
    off = off * (size[i] + lost[i]) + product * lost[i];
    product *= size[i] + lost[i];
  }
  return (product + off / permi_plain_rounding(plain)) * (thin ? 8 : 1);
}

static void permi_partial_add(perm_partial *partial, permi_dd value, permi_dd imaginary, double absolute, double terms)
{
  permi_sum_add_dd(&partial->value, value);
  permi_sum_add_dd(&partial->imaginary, imaginary);
  permi_sum_add_double(&partial->absolute, absolute);
  partial->terms += terms;
}

/* `wide`: in double-double. */
PERMI_INLINE void permi_gray_chunk(const permi_leaf *leaf, uint64_t chunk, perm_partial *partial, int parts, int wide)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int n = plain->n, minus = plain->ryser ? n & 1 : 0;
  const double on = plain->ryser ? 1 : -2; /* moves a row sum to Gray bit 1 */
  const uint64_t last = (chunk + 1) << plain->chunk_log2;
  double size[PERM_MAX_N], lost[PERM_MAX_N], absolute = 0;
  permi_dd total[2] = {{0, 0}, {0, 0}}, x[2][PERM_MAX_N];
  uint64_t s = chunk << plain->chunk_log2;
  int i, j, part;
  for (part = 0; part < parts; part++)
    permi_gray_start(plain, s, part, x[part]);
  for (i = 0; i < n; i++) { /* the expected drift: a move rounds by up to a unit of the row's moduli */
    lost[i] = 0;
    for (j = 0; j < parts * n; j++)
      lost[i] += fabs(plain->a[j * n + i]);
    lost[i] *= permi_plain_unit(plain) * (1 + ldexp(1, (plain->chunk_log2 + 1) / 2));
  }
  for (;;) {
    permi_dd re = permi_dd_make((int)(s & 1) ^ minus ? -1 : 1), im = {0, 0};
    double odd = 1, move;
    for (i = 0; i < n; i++) {
      const double y = x[0][i].hi, z = parts == 2 ? x[1][i].hi : 0, was = re.hi;
      size[i] = parts == 2 ? permi_modulus(y, z) : fabs(y);
      if (wide && parts == 2) {
        permi_dd_multiply_complex(&re, &im, x[0][i], x[1][i]);
      } else if (wide) {
        re = permi_dd_multiply(re, x[0][i]);
      } else if (parts == 2) {
        re.hi = was * y - im.hi * z;
        im.hi = was * z + im.hi * y;
      }
    }
    if (!wide && parts == 1) { /* two chains */
      for (i = 0; i + 1 < n; i += 2) {
        re.hi *= x[0][i].hi;
        odd *= x[0][i + 1].hi;
      }
      re.hi *= i < n ? x[0][i].hi * odd : odd;
    }
    total[0] = wide ? permi_dd_add(total[0], re) : permi_plain_add(plain->precision, total[0], re.hi);
    if (parts == 2)
      total[1] = wide ? permi_dd_add(total[1], im) : permi_plain_add(plain->precision, total[1], im.hi);
    absolute += permi_plain_absolute(plain, s, size, lost);
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    move = (s ^ s >> 1) >> j & 1 ? on : -on;
    for (part = 0; part < parts; part++)
      for (i = 0; i < n; i++) {
        const double step = move * plain->a[(part * n + j) * n + i];
        if (wide)
          x[part][i] = permi_dd_add_double(x[part][i], step);
        else
          x[part][i].hi += step;
      }
  }
  absolute = fmax(absolute, permi_modulus(total[0].hi, total[1].hi)); /* samples may miss the terms */
  permi_partial_add(partial, total[0], total[1], absolute, ldexp(1, plain->chunk_log2));
}

static void permi_gray(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int wide = plain->precision == PERM_PRECISION_DD;
  (void)workspace;
  if (plain->parts == 1 && !wide)
    permi_gray_chunk(leaf, chunk, partial, 1, 0);
  else
    permi_gray_chunk(leaf, chunk, partial, plain->parts, wide);
}

typedef struct permi_expansion {
  const permi_plain *plain;
  permi_control *control;
  uint32_t steps;
  perm_partial *partial;
} permi_expansion;

/* Adds the terms that continue `row` rows in the columns `used`. Prefix products, in double-double, err; their sum is
   exact. */
static perm_status permi_expand(permi_expansion *expansion, int row, uint64_t used, permi_dd re, permi_dd im)
{
  const permi_plain *plain = expansion->plain;
  const int n = plain->n;
  perm_status status = PERM_OK;
  if (row == n)
    permi_partial_add(expansion->partial, re, im, fabs(re.hi) + fabs(im.hi), 1);
  for (int j = 0; j < n && row < n && status == PERM_OK; j++) {
    const double a = plain->a[j * n + row], b = plain->parts == 2 ? plain->a[(n + j) * n + row] : 0;
    permi_dd x = re, y = im;
    if (used >> j & 1 || (a == 0 && b == 0))
      continue;
    permi_dd_multiply_complex(&x, &y, permi_dd_make(a), permi_dd_make(b));
    if (expansion->control && !(++expansion->steps & 0xffff))
      status = permi_control_poll(expansion->control, 0, "expanding");
    if (status == PERM_OK)
      status = permi_expand(expansion, row + 1, used | UINT64_C(1) << j, x, y);
  }
  return status;
}

static perm_status permi_expansion_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const perm_partial before = *partial;
  permi_expansion expansion = {(const permi_plain *)leaf->context, control, 0, partial};
  const perm_status status = permi_expand(&expansion, 0, 0, permi_dd_make(1), permi_dd_make(0));
  if (status != PERM_OK)
    *partial = before;
  return status;
}
/* SPDX-License-Identifier: MIT */
