/* ======================================================================================= >>integers
   Magnitudes of 64-bit words, perm_sum and perm_integer. */
#pragma once
#include "doubles.h"

/* a += b and a -= b, of n words, return the carry, the borrow. */
static uint64_t permi_words_add(uint64_t *a, const uint64_t *b, int n)
{
  uint64_t carry = 0;
  for (int i = 0; i < n; i++) {
    uint64_t t = b[i] + carry;
    carry = t < carry;
    a[i] += t;
    carry += a[i] < t;
  }
  return carry;
}

static uint64_t permi_words_subtract(uint64_t *a, const uint64_t *b, int n)
{
  uint64_t borrow = 0;
  for (int i = 0; i < n; i++) {
    uint64_t t = b[i] + borrow, before = a[i];
    borrow = (t < borrow) | (before < t);
    a[i] = before - t;
  }
  return borrow;
}

typedef struct permi_wide {
  uint64_t low, high;
} permi_wide;

static permi_wide permi_multiply_words(uint64_t a, uint64_t b)
{
  permi_wide r;
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 permi_uint128;
  permi_uint128 p = (permi_uint128)a * b;
  r.low = (uint64_t)p;
  r.high = (uint64_t)(p >> 64);
#else
  uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1 + (middle & 0xffffffffu);
  r.low = cross << 32 | (low & 0xffffffffu);
  r.high = a1 * b1 + (middle >> 32) + (cross >> 32);
#endif
  return r;
}

static permi_wide permi_wide_of(int64_t x)
{
  const permi_wide r = {(uint64_t)x, x < 0 ? UINT64_MAX : 0};
  return r;
}

static void permi_wide_add(permi_wide *sum, permi_wide x)
{
  sum->low += x.low;
  sum->high += x.high + (sum->low < x.low);
}

PERMI_UNUSED static permi_wide permi_wide_negate(permi_wide x)
{
  x.low = ~x.low + 1;
  x.high = ~x.high + (x.low == 0);
  return x;
}

/* y = c x, y += c x or y -= c x (sign 0, 1, -1); returns carry or borrow. */
static PERMI_ALWAYS_INLINE uint64_t permi_words_times(uint64_t *y, const uint64_t *x, int words, uint64_t c, int sign)
{
  uint64_t carry = 0;
  for (int i = 0; i < words; i++) {
    permi_wide p = permi_multiply_words(x[i], c);
    if (!sign) { /* 4 % of the exact kernel for long entries */
      y[i] = p.low + carry;
      carry = p.high + (y[i] < carry);
      continue;
    }
    p.low += carry;
    carry = p.high + (p.low < carry);
    if (sign > 0) {
      y[i] += p.low;
      carry += y[i] < p.low;
    } else {
      carry += y[i] < p.low;
      y[i] -= p.low;
    }
  }
  return carry;
}

/* Returns whether x is negative; magnitude may be x. */
static int permi_words_magnitude(uint64_t *magnitude, const uint64_t *x, int words)
{
  const int negative = (int)(x[words - 1] >> 63);
  uint64_t carry = (uint64_t)negative;
  for (int i = 0; i < words; i++) {
    magnitude[i] = (negative ? ~x[i] : x[i]) + carry;
    carry = carry && !magnitude[i];
  }
  return negative;
}

/* Returns the magnitude times 2^-*exp2, rounded to nearest (ties to even): from 2^63 to 2^64, or 0. */
static double permi_words_double(const uint64_t *word, int words, int *exp2)
{
  uint64_t top, below = 0;
  int w = words - 1, lead = 0, i;
  *exp2 = 0;
  while (w >= 0 && !word[w])
    w--;
  if (w < 0)
    return 0;
  top = word[w];
  for (; !(top >> 63); lead++)
    top <<= 1;
  if (w > 0) {
    top |= lead ? word[w - 1] >> (64 - lead) : 0;
    below = word[w - 1] << lead;
  }
  for (i = 0; i < w - 1; i++)
    below |= word[i];
  *exp2 = 64 * w - lead;
  return (double)(top | (below != 0)); /* 64 bits round as all would */
}

/* Adds x 2^bit units of 2^-1074 to the accumulator [Kul13], or subtracts: s - x = ~(~s + x). */
static void permi_sum_add_bits(perm_sum *sum, uint64_t x, int bit, int subtract)
{
  const uint64_t flip = subtract ? UINT64_MAX : 0;
  const int shift = bit & 63;
  const uint64_t low = x << shift, high = shift ? x >> (64 - shift) : 0;
  uint64_t *word = sum->word + (bit >> 6), *end = sum->word + PERM_SUM_WORDS;
  uint64_t now = (*word ^ flip) + low, carry = high + (now < low);
  *word = now ^ flip;
  while (carry && ++word < end) {
    now = (*word ^ flip) + carry;
    *word = now ^ flip;
    carry = now < carry;
  }
}

static void permi_sum_add_double(perm_sum *sum, double x) /* x finite */
{
  const uint64_t bits = permi_bits(x);
  const int exponent = (int)(bits >> 52 & 2047);
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
  permi_sum_add_bits(sum, mantissa, exponent ? exponent - 1 : 0, (int)(bits >> 63));
}

static void permi_sum_add_dd(perm_sum *sum, permi_dd x)
{
  permi_sum_add_double(sum, x.hi);
  permi_sum_add_double(sum, x.lo);
}

static void permi_sum_add(perm_sum *sum, const perm_sum *other)
{
  permi_words_add(sum->word, other->word, PERM_SUM_WORDS);
}

PERMI_UNUSED
static void permi_sum_add_integer(perm_sum *sum, const uint64_t *magnitude, int words, int negative)
{
  for (int i = 0; i < words && i < PERM_SUM_WORDS - 17; i++)
    permi_sum_add_bits(sum, magnitude[i], 1074 + 64 * i, negative);
}

/* *sum = |*sum|; returns whether it was negative. */
static int permi_sum_drop_sign(perm_sum *sum)
{
  return sum->word[PERM_SUM_WORDS - 1] >> 63 && permi_words_magnitude(sum->word, sum->word, PERM_SUM_WORDS);
}

/* Returns the sum to about 106 bits as hi + lo times 2^*exp2, 1/2 <= |hi| <= 1 or 0. */
static permi_dd permi_sum_value(const perm_sum *sum, long long *exp2)
{
  permi_dd r = {0, 0};
  perm_sum rest = *sum;
  const int negative = permi_sum_drop_sign(&rest);
  int e, rest_e;
  *exp2 = 0;
  r.hi = permi_words_double(rest.word, PERM_SUM_WORDS, &e);
  if (r.hi == 0)
    return r;
  const uint64_t mantissa = (uint64_t)(r.hi / 2048); /* hi is a multiple of 2^11 */
  if (e + 11 < 0) /* the sum has fewer than 53 bits */
    permi_sum_add_bits(&rest, mantissa >> (-e - 11), 0, 1);
  else
    permi_sum_add_bits(&rest, mantissa, e + 11, 1);
  double low = permi_sum_drop_sign(&rest) ? -1 : 1;
  low *= permi_words_double(rest.word, PERM_SUM_WORDS, &rest_e);
  r.lo = ldexp(low, rest_e - e);
  *exp2 = (long long)e - 1074 + 64;
  return permi_dd_scale(negative ? permi_dd_negate(r) : r, -64);
}

static void permi_sum_add_signed(perm_sum *sum, const uint64_t *x, int words)
{
  uint64_t magnitude[PERM_INTEGER_WORDS + 4];
  const int negative = permi_words_magnitude(magnitude, x, words);
  permi_sum_add_integer(sum, magnitude, words, negative);
}

static void permi_integer_trim(perm_integer *a)
{
  for (a->words = PERM_INTEGER_WORDS; a->words && !a->word[a->words - 1];)
    a->words--;
  a->negative = a->words && a->negative;
}

PERMI_UNUSED static perm_integer permi_integer_of(int64_t x)
{
  perm_integer a;
  memset(&a, 0, sizeof a);
  a.negative = permi_words_magnitude(a.word, (const uint64_t *)&x, 1);
  a.words = x != 0;
  return a;
}

/* Returns 0 if the result is too long, as _multiply. */
static int permi_integer_add(perm_integer *a, const perm_integer *b, int subtract)
{
  int negative = b->negative ^ subtract;
  if (a->negative == negative) {
    if (permi_words_add(a->word, b->word, PERM_INTEGER_WORDS))
      return 0;
  } else if (permi_words_subtract(a->word, b->word, PERM_INTEGER_WORDS)) { /* b is larger */
    uint64_t negated[PERM_INTEGER_WORDS] = {0};
    permi_words_subtract(negated, a->word, PERM_INTEGER_WORDS);
    memcpy(a->word, negated, sizeof negated);
    a->negative = negative;
  }
  permi_integer_trim(a);
  return 1;
}

static int permi_integer_multiply(const perm_integer *a, const perm_integer *b, perm_integer *product)
{
  uint64_t word[2 * PERM_INTEGER_WORDS] = {0};
  for (int i = 0; i < a->words; i++)
    word[i + b->words] = permi_words_times(word + i, b->word, b->words, a->word[i], 1);
  for (int i = PERM_INTEGER_WORDS; i < 2 * PERM_INTEGER_WORDS; i++)
    if (word[i])
      return 0;
  product->negative = a->negative != b->negative;
  memcpy(product->word, word, sizeof product->word);
  permi_integer_trim(product);
  return 1;
}

/* a *= 2^-k; returns 0 unless that is an integer. */
static int permi_integer_halve(perm_integer *a, int k)
{
  int words = k / 64, bits = k % 64, i;
  for (i = 0; i < words && i < PERM_INTEGER_WORDS; i++)
    if (a->word[i])
      return 0;
  if (words < PERM_INTEGER_WORDS && bits && a->word[words] << (64 - bits))
    return 0;
  for (i = 0; i < PERM_INTEGER_WORDS; i++) {
    uint64_t low = i + words < PERM_INTEGER_WORDS ? a->word[i + words] : 0;
    uint64_t high = i + words + 1 < PERM_INTEGER_WORDS ? a->word[i + words + 1] : 0;
    a->word[i] = bits ? low >> bits | high << (64 - bits) : low;
  }
  permi_integer_trim(a);
  return 1;
}

/* Returns the two words modulo p, high < p <= 2^63. */
static uint64_t permi_residue_wide(uint64_t high, uint64_t low, uint64_t p)
{
#if defined(__SIZEOF_INT128__) && !defined(_MSC_VER) /* nothing to divide them */
  __extension__ typedef unsigned __int128 permi_uint128;
  return (uint64_t)(((permi_uint128)high << 64 | low) % p);
#else
  for (int i = 63; i >= 0; i--) {
    high = high << 1 | (low >> i & 1);
    high -= high >= p ? p : 0;
  }
  return high;
#endif
}

/* p <= 2^63 */
static uint64_t permi_words_residue(const uint64_t *word, int words, int negative, uint64_t p)
{
  uint64_t rest = 0;
  while (words-- > 0)
    rest = permi_residue_wide(rest, word[words], p);
  return negative && rest ? p - rest : rest;
}

static uint64_t permi_wide_residue(permi_wide x, uint64_t p)
{
  uint64_t word[2];
  const int negative = permi_words_magnitude(word, &x.low, 2);
  return permi_words_residue(word, 2, negative, p);
}

static void permi_integer_reduce(perm_integer *a, uint64_t p)
{
  const uint64_t rest = permi_words_residue(a->word, a->words, a->negative, p);
  memset(a, 0, sizeof *a);
  a->word[0] = rest;
  a->words = rest != 0;
}

/* Returns 0 for a fraction, or if too long. */
static int permi_sum_integer(const perm_sum *sum, perm_integer *integer)
{
  perm_sum r = *sum;
  integer->negative = permi_sum_drop_sign(&r);
  for (int i = 0; i < 16; i++)
    if (r.word[i])
      return 0;
  if (r.word[16] & ((UINT64_C(1) << 50) - 1) || r.word[PERM_SUM_WORDS - 1] >> 50)
    return 0;
  for (int i = 0; i < PERM_INTEGER_WORDS; i++)
    integer->word[i] = r.word[16 + i] >> 50 | r.word[17 + i] << 14;
  permi_integer_trim(integer);
  return 1;
}

/* A borrowed array; entry (i, j) has its parts at a[(i ld + j) parts]. */
typedef struct permi_integer_view {
  const int64_t *a;
  ptrdiff_t ld;
  int parts; /* 2: Gaussian */
} permi_integer_view;

/* ---- the numbers of a job */

typedef struct permi_number {
  permi_dd value, imaginary; /* (value + i imaginary) 2^exp2 */
  long long exp2;
  double error, estimate; /* in units of 2^exp2; error may be INFINITY */
  int exact;
  perm_integer integer, imaginary_integer;
} permi_number;

static permi_number permi_number_one(void)
{
  permi_number one;
  memset(&one, 0, sizeof one);
  one.value.hi = 1;
  one.exact = 1;
  one.integer.words = 1;
  one.integer.word[0] = 1;
  return one;
}

/* Returns 1 to 1.42 times the modulus of a + bi: never divide by it. */
static double permi_modulus(double a, double b)
{
  return (fabs(a) + fabs(b)) * (b != 0 ? 1 + 4 * PERMI_UNIT : 1);
}

/* Changes to units 2^d as large. */
static void permi_number_raise(permi_number *a, long long d)
{
  const int shift = -permi_int_exponent(d);
  a->value = permi_dd_scale(a->value, shift);
  a->imaginary = permi_dd_scale(a->imaginary, shift);
  a->error = ldexp(a->error, shift);
  a->estimate = ldexp(a->estimate, shift);
  a->exp2 += d;
}

/* Brings the larger of |value| and |imaginary|, or of 0 the error or estimate, exactly into [1/2, 1]: no overflow. */
static void permi_number_normalise(permi_number *a)
{
  double lead = fmax(fabs(a->value.hi), fabs(a->imaginary.hi));
  if (lead == 0 && a->error < (double)INFINITY)
    lead = a->error;
  if (lead == 0 && a->estimate < (double)INFINITY)
    lead = a->estimate;
  if (lead != 0)
    permi_number_raise(a, permi_exponent(lead));
}

/* Returns ab, rounded up if it underflows; 0 times infinity is 0. */
static double permi_times(double a, double b)
{
  return a == 0 || b == 0 ? 0 : fmax(a * b, DBL_MIN);
}

static void permi_dd_multiply_complex(permi_dd *a, permi_dd *b, permi_dd c, permi_dd d)
{
  const permi_dd bd = permi_dd_multiply(*b, d), ad = permi_dd_multiply(*a, d);
  *a = permi_dd_add(permi_dd_multiply(*a, c), permi_dd_negate(bd));
  *b = permi_dd_add(ad, permi_dd_multiply(*b, c));
}

typedef struct permi_dd_complex {
  permi_dd re, im;
} permi_dd_complex;

PERMI_UNUSED
static permi_dd_complex permi_dd_complex_times(permi_dd_complex a, permi_dd_complex b, int parts)
{
  if (parts == 1)
    a.re = permi_dd_multiply(a.re, b.re);
  else
    permi_dd_multiply_complex(&a.re, &a.im, b.re, b.im);
  return a;
}

static int permi_integers_multiply(permi_number *a, const permi_number *b)
{
  perm_integer real, imaginary, product;
  if (!permi_integer_multiply(&a->integer, &b->integer, &real))
    return 0;
  if (a->imaginary_integer.words || b->imaginary_integer.words) {
    if (!permi_integer_multiply(&a->imaginary_integer, &b->imaginary_integer, &product) ||
        !permi_integer_add(&real, &product, 1) ||
        !permi_integer_multiply(&a->integer, &b->imaginary_integer, &imaginary) ||
        !permi_integer_multiply(&a->imaginary_integer, &b->integer, &product) ||
        !permi_integer_add(&imaginary, &product, 0))
      return 0;
    a->imaginary_integer = imaginary;
  }
  a->integer = real;
  return 1;
}

/* a *= b. |ab - AB| <= |a| eb + |b| ea + ea eb + 4 * 2^-100 |a| |b|, the last for the double-double product; 1 + 1e-12
   pays for rounding this line (tests/proofs/doubles.g). PERM_ERROR_OVERFLOW: an exact product is too long. */
PERMI_UNUSED
static perm_status permi_number_multiply(permi_number *a, const permi_number *b_given)
{
  permi_number b = *b_given;
  permi_number_normalise(a);
  permi_number_normalise(&b);
  const double x = permi_modulus(a->value.hi, a->imaginary.hi), y = permi_modulus(b.value.hi, b.imaginary.hi);
  if (a->exact && b.exact && !permi_integers_multiply(a, &b))
    return PERM_ERROR_OVERFLOW;
  a->exact = a->exact && b.exact;
  permi_dd_multiply_complex(&a->value, &a->imaginary, b.value, b.imaginary);
  a->error = (permi_times(x, b.error) + permi_times(y, a->error) + permi_times(a->error, b.error) +
              PERMI_DD_UNIT * 4 * x * y) *
             (1 + 1e-12);
  a->estimate = permi_times(x, b.estimate) + permi_times(y, a->estimate) + permi_times(a->estimate, b.estimate) +
                PERMI_DD_UNIT * x * y;
  a->exp2 += b.exp2;
  if (a->exact)
    a->error = a->estimate = 0;
  return PERM_OK;
}

static double permi_integer_double(const perm_integer *integer, int *exp2)
{
  const double r = permi_words_double(integer->word, PERM_INTEGER_WORDS, exp2);
  return integer->negative ? -r : r;
}

static int permi_fits(double x, int e)
{
  return x == 0 || x == (double)INFINITY || (ldexp(x, e) >= DBL_MIN && ldexp(x, e) <= DBL_MAX);
}

/* Writes a result, with exponent 0 if value and errors are then normal doubles. */
static void permi_number_result(const permi_number *number, perm_result *result)
{
  permi_number a = *number;
  int e;
  if (a.exact) {
    int other;
    a.value = permi_dd_make(permi_integer_double(&a.integer, &e));
    a.imaginary = permi_dd_make(permi_integer_double(&a.imaginary_integer, &other));
    a.exp2 = a.value.hi == 0 || (a.imaginary.hi != 0 && other > e) ? other : e;
    a.value.hi = permi_ldexp(a.value.hi, e - a.exp2);
    a.imaginary.hi = permi_ldexp(a.imaginary.hi, other - a.exp2);
    result->exact = 1;
    result->integer = a.integer;
    result->imaginary_integer = a.imaginary_integer;
  } else {
    double rounded = permi_modulus(a.value.lo, a.imaginary.lo);
    a.error = (a.error + rounded) * (1 + 4 * PERMI_UNIT);
    a.estimate += rounded;
    a.value.lo = a.imaginary.lo = 0;
  }
  permi_number_normalise(&a);
  if (a.value.hi == 0 && a.imaginary.hi == 0 && a.error == 0)
    a.exp2 = 0;
  if (a.exp2 >= -1021 && a.exp2 <= 1024 && permi_fits(a.error, (int)a.exp2) && permi_fits(a.estimate, (int)a.exp2) &&
      permi_fits(fabs(a.value.hi), (int)a.exp2) && permi_fits(fabs(a.imaginary.hi), (int)a.exp2))
    permi_number_raise(&a, -a.exp2);
  result->value = a.value.hi + 0; /* no -0 */
  result->imaginary = a.imaginary.hi + 0;
  result->exp2 = a.exp2;
  result->error_bound = a.exact ? 0 : a.error;
  result->error_estimate = a.exact ? 0 : a.estimate;
}
/* SPDX-License-Identifier: MIT */
