/* ===================================================================================== >>arithmetic
   Arithmetic of all kernels; exact rests: tests/proofs/exact_sums.v. */

/* Returns a + b rounded; *error is the exact rest. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_two_sum)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V sum = a + b, other = sum - a;
  *error = (b - other) + (a - (sum - other));
  return sum;
}

/* The same for |a| >= |b|, or for a multiple of b's last place a [BGM17]. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_fast_two_sum)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V sum = a + b;
  *error = b - (sum - a);
  return sum;
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(kept)(PERMI_V v)
{
  PERMI_KEEP(v);
  return v;
}

/* Returns ab rounded; *error is the exact rest. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_two_product)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V product = PERMI_NAME(kept)(a * b);
  *error = PERMI_FMS_EXACT(a, b, product);
  return product;
}

/* Residues modulo a prime below 2^50, of either sign. */
typedef struct PERMI_P {
  PERMI_V prime, inverse;
} PERMI_P;

PERMI_TARGET PERMI_INLINE PERMI_P PERMI_NAME(prime_of)(double prime, double inverse)
{
  PERMI_P p;
  p.prime = PERMI_SET(prime);
  p.inverse = PERMI_SET(inverse);
  return p;
}

/* Returns the integer next to x / p, at most 2^51. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_quotient)(PERMI_V x, PERMI_P p)
{
  const PERMI_V ones = PERMI_SET(6755399441055744.0);
  return PERMI_FMA(x, p.inverse, ones) - ones;
}

/* Returns a residue of x, |x| <= 2^52, of size p / 2 and hardly more. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_reduce)(PERMI_V x, PERMI_P p)
{
  return PERMI_FNMA(PERMI_NAME(prime_quotient)(x, p), p.prime, x);
}

/* Returns a residue of ab, |ab| <= p^2, of size 3/4 p at most.
   1. high is a multiple of its last place, at most 2^47; |low| is at most half of that.
   2. The quotient is ab / p up to a share of 2^-52, at most 1/4, and rounded: off by 3/4 at most.
   3. So high minus its multiple of p is below 2^53: the subtraction is exact, and so is the sum with low. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_product)(PERMI_V a, PERMI_V b, PERMI_P p)
{
  PERMI_V low;
  const PERMI_V high = PERMI_NAME(vector_two_product)(a, b, &low);
  return low - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(multiply_by)(PERMI_V *re, PERMI_V *im, PERMI_V ar, PERMI_V ai)
{
  const PERMI_V r = *re, i = *im;
  *im = PERMI_FMA(r, ai, i * ar); /* first: NEON, gcc -O3 spills 4, not 7 */
  *re = PERMI_FMS(r, ar, i * ai);
}

/* Numbers of 1 or 2 parts; in memory `apart` doubles apart. */
typedef struct PERMI_NAME(number) {
  PERMI_V re, im;
} PERMI_NAME(number);
#define PERMI_N PERMI_NAME(number)

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(get)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_LOAD(p);
  x.im = parts == 2 ? PERMI_LOAD(p + apart) : x.re;
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(put)(double *p, int apart, PERMI_N x, int parts)
{
  PERMI_STORE(p, x.re);
  if (parts == 2)
    PERMI_STORE(p + apart, x.im);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(spread)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_SET(p[0]);
  x.im = PERMI_SET(p[parts == 2 ? apart : 0]);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(times)(PERMI_N a, PERMI_N b, int parts)
{
  PERMI_N x;
  if (parts == 1) {
    x.re = x.im = a.re * b.re;
    return x;
  }
  x.re = PERMI_FMS(a.re, b.re, a.im * b.im);
  x.im = PERMI_FMA(a.re, b.im, a.im * b.re);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(plus)(PERMI_N a, PERMI_N b)
{
  a.re = a.re + b.re;
  a.im = a.im + b.im;
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(minus)(PERMI_N a, PERMI_N b)
{
  a.re = a.re - b.re;
  a.im = a.im - b.im;
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(plus_times)(PERMI_N x, PERMI_N a, PERMI_N b, int parts)
{
  if (parts == 1) {
    x.re = x.im = PERMI_FMA(a.re, b.re, x.re);
    return x;
  }
  x.re = PERMI_FMA(a.re, b.re, PERMI_FNMA(a.im, b.im, x.re));
  x.im = PERMI_FMA(a.re, b.im, PERMI_FMA(a.im, b.re, x.im));
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(move)(double *x, const double *step, int padded)
{
  for (int i = 0; i < padded; i += PERMI_WIDTH)
    PERMI_STORE(x + i, PERMI_LOAD(x + i) + PERMI_LOAD(step + i));
}

/* Sets x to the row sums of Gray state c, exactly; walk_to moves those of state c - 1. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(walk_from)(const permi_dense *dense, uint64_t c, double *x)
{
  for (int i = 0; i < dense->padded; i += PERMI_WIDTH)
    PERMI_STORE(x + i, PERMI_LOAD(dense->start + i));
  for (int k = dense->tabled; k < dense->outer; k++)
    if ((c ^ c >> 1) >> k & 1)
      PERMI_NAME(move)(x, dense->step + (size_t)(2 * k + 1) * (size_t)dense->padded, dense->padded);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(walk_to)(const permi_dense *dense, uint64_t c, double *x)
{
  const int k = permi_trailing_zeros(c), minus = (int)((c ^ c >> 1) >> k & 1);
  if (k >= dense->tabled)
    PERMI_NAME(move)(x, dense->step + (size_t)(2 * k + minus) * (size_t)dense->padded, dense->padded);
}
/* SPDX-License-Identifier: MIT */
