/* ====================================================================================== >>small_exact
   Integer matrices of order 2 to 16 without a plan, a job or an allocation.
     exact in doubles    No number of the kernels of >>small exceeds 2^(n-3) prod_i R_i, R_i = sum_j |re a_ij| +
                         |im a_ij|: nothing rounds below 2^53.
     modulo 2^128        n <= 8, Gaussian 7: f(S) = sum_{j in S} a_kj f(S - j), k = |S| - 1, over subsets S of columns:
                         n 2^(n-1) products. Larger orders take as long as a job. */
#pragma once
#include "exact.h"
#include "../dense/small.h"

#define PERMI_SMALL_SUBSETS_N 8

/* Copies entries. Returns the product of the R_i, INFINITY if an entry needs over 53 bits. */
static double permi_small_integers(int n, int parts, const int64_t *a, ptrdiff_t ld, double *real)
{
  const double most = 9007199254740992.0; /* 2^53 */
  double product = 1, largest = 0;
  for (int i = 0; i < n; i++) {
    const int64_t *row = a + i * ld * parts;
    double sum = 0;
    for (int j = 0; j < n * parts; j++) {
      const double x = (double)row[j], size = fabs(x);
      *real++ = x;
      sum += size;
      largest = size > largest ? size : largest;
    }
    product *= sum;
  }
  return largest <= most ? product : (double)INFINITY;
}

/* Sets the value of a matrix whose R_i multiply to less than 2^127. */
static void permi_small_subsets(int n, int parts, const int64_t *a, ptrdiff_t ld, permi_wide *value)
{
  permi_wide f[1 << PERMI_SMALL_SUBSETS_N][2];
  uint8_t size[1 << PERMI_SMALL_SUBSETS_N];
  memset(f[0], 0, sizeof f[0]);
  f[0][0].low = 1;
  size[0] = 0;
  for (unsigned set = 1; set < 1u << n; set++) {
    const int64_t *row = a + size[set & (set - 1)] * ld * parts;
    size[set] = (uint8_t)(size[set & (set - 1)] + 1);
    memset(f[set], 0, sizeof f[set]);
    for (unsigned rest = set; rest; rest &= rest - 1) {
      const int64_t *x = row + permi_trailing_zeros(rest) * parts;
      const permi_wide *from = f[set & ~(rest & (0 - rest))];
      permi_wide_add_product(&f[set][0], &from[0], x[0]);
      if (parts == 2) {
        permi_wide_add_product(&f[set][0], &from[1], -x[1]);
        permi_wide_add_product(&f[set][1], &from[0], x[1]);
        permi_wide_add_product(&f[set][1], &from[1], x[0]);
      }
    }
  }
  memcpy(value, f[(1 << n) - 1], sizeof f[0]);
}

static double permi_small_set(perm_integer *integer, permi_wide x)
{
  int e;
  integer->negative = permi_words_magnitude(integer->word, &x.low, 2);
  integer->words = integer->word[1] ? 2 : integer->word[0] != 0;
  if (integer->words == 2) {
    const double value = permi_integer_double(integer, &e);
    return ldexp(value, e);
  }
  const double value = (double)integer->word[0];
  return integer->negative ? -value : integer->words ? value : 0; /* rounding down, clang converts 0 to -0 */
}

/* Fills in a result, 2 <= n <= 16, isa not AUTO. Returns 0 if the general path must. */
static int permi_small_exact(perm_isa isa, int n, int parts, const int64_t *a, ptrdiff_t ld, perm_result *result)
{
  double real[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4] = {0, 0, 0, 0}, product;
  const double sums = (double)(1 << (n < 4 ? 0 : n - 3));
  permi_wide value[2];
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  real[0] = 0; /* gcc does not see that n > 0 */
  product = permi_small_integers(n, parts, a, ld, real);
  const int large = !(sums * product < 9007199254740992.0);
  if (large && (n + parts - 1 > PERMI_SMALL_SUBSETS_N || !(product <= 8.5e37))) /* 2^126 */
    return 0;
  if (large)
    permi_small_subsets(n, parts, a, ld, value);
  else if (n < 5 && parts == 1)
    out[0] = permi_small(n, real);
#if !defined(PERM_NO_COMPLEX)
  else if (n < 5) {
    const permi_number_plain sum = permi_small_expand_complex(n, real);
    out[0] = sum.re;
    out[1] = sum.im;
  } else if (parts == 2)
    permi_small_kernel_complex(isa, n)(n, real, out);
#endif
  else
    permi_small_kernel_real(isa, n)(n, real, out);
  if (!large) {
    value[0] = permi_wide_of((int64_t)out[0]);
    value[1] = permi_wide_of(parts == 2 ? (int64_t)out[1] : 0);
  }
  permi_result_clear(result);
  result->value = permi_small_set(&result->integer, value[0]);
  if (parts == 2)
    result->imaginary = permi_small_set(&result->imaginary_integer, value[1]);
  result->exact = 1;
  permi_result_by(result, parts, PERM_METHOD_EXACT, PERM_PRECISION_EXACT, n < 5 || large ? PERM_ISA_PLAIN : isa,
                  (double)(1 << (n - 1)));
  return 1;
}
/* SPDX-License-Identifier: MIT */
