/* ====================================================================================== >>small_exact
   Integer matrices of order 2 to 16 without a plan, a job or an allocation.
     exact in doubles    No number of the kernels of >>small exceeds 2^(n-3) prod_i R_i, R_i = sum_j |re a_ij| +
                         |im a_ij|: nothing rounds below 2^53.
     modulo 2^64         n <= 11, Gaussian 10: f(S) = sum_{j in S} a_kj f(S - j), k = |S| - 1, over subsets S of
                         columns, in words that wrap: n 2^(n-1) products. They give a permanent below 2^63 in modulus
                         (required of the rounded bound: 2^62). A larger one is near the kernel's value in doubles,
                         within 2^61 if K u prod_i R_i <= 2^60, K = permi_small_roundings. */
#pragma once
#include "exact.h"
#include "../dense/small.h"

#define PERMI_SMALL_SUBSETS_N 11 /* Gaussian: 10; 16 KB of stack */
#define PERMI_SMALL_KNOWN 4611686018427387904.0 /* 2^62 */

/* Copies entries. Returns the product of the R_i, INFINITY if an entry needs over 53 bits. */
static double permi_small_integers(int n, int parts, const int64_t *a, ptrdiff_t ld, double *real)
{
  const double most = 9007199254740992.0; /* 2^53 */
  double product = 1, largest = 0;
  int i, j;
  for (i = 0; i < n; i++) {
    const int64_t *row = a + i * ld * parts;
    double sum = 0;
    for (j = 0; j < n * parts; j++) {
      const double x = (double)row[j], size = fabs(x);
      *real++ = x;
      sum += size;
      largest = size > largest ? size : largest;
    }
    product *= sum;
  }
  return largest <= most ? product : (double)INFINITY;
}

static PERMI_ALWAYS_INLINE void permi_small_add_wrapped(uint64_t *sum, const int64_t *x, const uint64_t *y, int parts)
{
  sum[0] += (uint64_t)x[0] * y[0];
  if (parts == 2) {
    sum[0] -= (uint64_t)x[1] * y[1];
    sum[1] += (uint64_t)x[0] * y[1] + (uint64_t)x[1] * y[0];
  }
}

/* f: by subset of the columns from 2 on, without columns 0 and 1, with 0, with 1, with both: four sums advance at a
   time. */
static PERMI_ALWAYS_INLINE void permi_small_wrapped(int n, const int64_t *a, ptrdiff_t ld, int parts, uint64_t *f,
                                                    uint64_t *value)
{
  const ptrdiff_t row = ld * parts;
  uint8_t size[1 << (PERMI_SMALL_SUBSETS_N - 2)];
  unsigned set, rest;
  for (set = 0; set < 1u << (n - 2); set++) {
    const int64_t *one, *two;
    uint64_t *to = f + 4 * parts * (int)set;
    size[set] = set ? (uint8_t)(size[set & (set - 1)] + 1) : 0;
    one = a + row * size[set]; /* of sets with one of the columns 0 and 1 */
    two = one + row;
    memset(to, 0, 4 * (size_t)parts * sizeof *to);
    to[0] = !set;
    for (rest = set; rest; rest &= rest - 1) {
      const int j = (2 + permi_trailing_zeros(rest)) * parts;
      const uint64_t *from = f + 4 * parts * (int)(set & ~(rest & (0 - rest)));
      permi_small_add_wrapped(to, one - row + j, from, parts);
      permi_small_add_wrapped(to + parts, one + j, from + parts, parts);
      permi_small_add_wrapped(to + 2 * parts, one + j, from + 2 * parts, parts);
      permi_small_add_wrapped(to + 3 * parts, two + j, from + 3 * parts, parts);
    }
    permi_small_add_wrapped(to + parts, one, to, parts);
    permi_small_add_wrapped(to + 2 * parts, one + parts, to, parts);
    permi_small_add_wrapped(to + 3 * parts, two, to + 2 * parts, parts);
    permi_small_add_wrapped(to + 3 * parts, two + parts, to + parts, parts);
  }
  memcpy(value, f + 4 * parts * ((1 << (n - 2)) - 1) + 3 * parts, (size_t)parts * sizeof *value);
}

/* Returns the integer within 2^62 of `rounded`, |rounded| < 2^115, that is `wrapped` modulo 2^64. */
static permi_wide permi_small_nearest(double rounded, uint64_t wrapped)
{
  const int e = rounded != 0 ? permi_exponent(rounded) : 0, shift = e > 53 ? e - 53 : 0;
  const int64_t bits = (int64_t)permi_shift(fabs(rounded), -shift);
  permi_wide about;
  about.high = shift ? (uint64_t)bits >> (64 - shift) : 0;
  about.low = (uint64_t)bits << shift;
  if (rounded < 0)
    about = permi_wide_negate(about);
  permi_wide_add(&about, permi_wide_of((int64_t)(wrapped - about.low)));
  return about;
}

/* Returns x as a double. */
static double permi_small_set(perm_integer *integer, permi_wide x)
{
  int e;
  double value;
  integer->negative = permi_words_magnitude(integer->word, &x.low, 2);
  integer->words = integer->word[1] ? 2 : integer->word[0] != 0;
  if (integer->words == 2) {
    value = permi_integer_double(integer, &e);
    return ldexp(value, e);
  }
  value = (double)integer->word[0];
  return integer->negative ? -value : integer->words ? value : 0; /* rounding down, clang converts 0 to -0 */
}

/* Fills in a result, 2 <= n <= 16, isa not AUTO. Returns 0 if the general path must. */
static int permi_small_exact(perm_isa isa, int n, int parts, const int64_t *a, ptrdiff_t ld, perm_result *result)
{
  double real[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4] = {0, 0, 0, 0}, product;
  const double sums = (double)(1 << (n < 4 ? 0 : n - 3));
  permi_wide value[2];
  int part, wrapped;
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  real[0] = 0; /* gcc does not see that n > 0 */
  product = permi_small_integers(n, parts, a, ld, real);
  wrapped = !(sums * product < 9007199254740992.0);
  if (wrapped && (n + parts - 1 > PERMI_SMALL_SUBSETS_N ||
                  !(permi_small_roundings(n) * PERMI_UNIT * product <= 1152921504606846976.0)))
    return 0;
  if (!wrapped || product >= PERMI_SMALL_KNOWN) {
    if (n < 5 && parts == 1)
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
  }
  if (n < 5 || (wrapped && product < PERMI_SMALL_KNOWN))
    isa = PERM_ISA_PLAIN;
  if (wrapped) {
    uint64_t word[2] = {0, 0}, f[1 << PERMI_SMALL_SUBSETS_N];
    if (parts == 2)
      permi_small_wrapped(n, a, ld, 2, f, word);
    else
      permi_small_wrapped(n, a, ld, 1, f, word);
    for (part = 0; part < parts; part++)
      value[part] = permi_small_nearest(out[part], word[part]);
  } else {
    value[0] = permi_wide_of((int64_t)out[0]);
    value[1] = permi_wide_of(parts == 2 ? (int64_t)out[1] : 0);
  }
  permi_result_clear(result);
  result->value = permi_small_set(&result->integer, value[0]);
  if (parts == 2)
    result->imaginary = permi_small_set(&result->imaginary_integer, value[1]);
  result->is_complex = parts == 2;
  result->exact = 1;
  result->method = PERM_METHOD_EXACT;
  result->precision = PERM_PRECISION_EXACT;
  result->isa = isa;
  result->threads = 1;
  result->terms = (double)(1 << (n - 1));
  return 1;
}
/* SPDX-License-Identifier: MIT */
