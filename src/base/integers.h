/* ======================================================================================= >>integers
   Integers of any size: magnitudes of 64-bit words, perm_sum and perm_integer. */
#pragma once
#include "doubles.h"

/* a += b, and a -= b, of n words; they return the carry and the borrow. */
static uint64_t permi_words_add(uint64_t *a, const uint64_t *b, int n)
{
  uint64_t carry = 0;
  int i;
  for (i = 0; i < n; i++) {
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
  int i;
  for (i = 0; i < n; i++) {
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
  permi_wide r;
  r.low = (uint64_t)x;
  r.high = x < 0 ? UINT64_MAX : 0;
  return r;
}

static void permi_wide_add(permi_wide *sum, permi_wide x)
{
  sum->low += x.low;
  sum->high += x.high + (sum->low < x.low);
}

static permi_wide permi_wide_negate(permi_wide x)
{
  x.low = ~x.low + 1;
  x.high = ~x.high + (x.low == 0);
  return x;
}

/* y = c x, y += c x or y -= c x (sign 0, 1, -1) of `words` words; returns carry or borrow. */
static PERMI_ALWAYS_INLINE uint64_t permi_words_times(uint64_t *y, const uint64_t *x, int words, uint64_t c, int sign)
{
  uint64_t carry = 0;
  int i;
  for (i = 0; i < words; i++) {
    permi_wide p = permi_multiply_words(x[i], c);
    if (!sign) { /* one register fewer, 4 % of the exact kernel for long entries */
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

/* Returns whether x, in two's complement, is negative; magnitude = |x| may be x itself. */
static int permi_words_magnitude(uint64_t *magnitude, const uint64_t *x, int words)
{
  const int negative = (int)(x[words - 1] >> 63);
  uint64_t carry = (uint64_t)negative;
  int i;
  for (i = 0; i < words; i++) {
    magnitude[i] = (negative ? ~x[i] : x[i]) + carry;
    carry = carry && !magnitude[i];
  }
  return negative;
}

/* Returns the magnitude times 2^-*exp2 as the nearest double (ties to even), from 2^63 to 2^64, or 0. */
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

/* Adds x 2^bit units of 2^-1074 to the fixed-point accumulator [Kul13], or subtracts them: s - x = ~(~s + x). */
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

static void permi_sum_add(perm_sum *sum, const perm_sum *other)
{
  permi_words_add(sum->word, other->word, PERM_SUM_WORDS);
}

PERMI_UNUSED
static void permi_sum_add_integer(perm_sum *sum, const uint64_t *magnitude, int words, int negative)
{
  int i;
  for (i = 0; i < words && i < PERM_SUM_WORDS - 17; i++)
    permi_sum_add_bits(sum, magnitude[i], 1074 + 64 * i, negative);
}

/* *sum = |*sum|; returns whether it was negative. */
static int permi_sum_drop_sign(perm_sum *sum)
{
  return sum->word[PERM_SUM_WORDS - 1] >> 63 && permi_words_magnitude(sum->word, sum->word, PERM_SUM_WORDS);
}

/* Returns the sum to about 106 bits as hi + lo times 2^*exp2, 1/2 <= |hi| <= 1 (or 0 with exponent 0). */
static permi_dd permi_sum_value(const perm_sum *sum, long long *exp2)
{
  permi_dd r = {0, 0};
  perm_sum rest = *sum;
  const int negative = permi_sum_drop_sign(&rest);
  uint64_t mantissa;
  double low;
  int e, rest_e;
  *exp2 = 0;
  r.hi = permi_words_double(rest.word, PERM_SUM_WORDS, &e);
  if (r.hi == 0)
    return r;
  mantissa = (uint64_t)(r.hi / 2048); /* hi is a multiple of 2^11 */
  if (e + 11 < 0) /* the sum has fewer than 53 bits */
    permi_sum_add_bits(&rest, mantissa >> (-e - 11), 0, 1);
  else
    permi_sum_add_bits(&rest, mantissa, e + 11, 1);
  low = permi_sum_drop_sign(&rest) ? -1 : 1;
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

/* permi_integer_add and _multiply return 0 when the result is too long. */
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
  int i;
  for (i = 0; i < a->words; i++)
    word[i + b->words] = permi_words_times(word + i, b->word, b->words, a->word[i], 1);
  for (i = PERM_INTEGER_WORDS; i < 2 * PERM_INTEGER_WORDS; i++)
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

/* Returns (high 2^64 + low) mod p for high < p <= 2^63; bit by bit without 128-bit integers. */
static uint64_t permi_residue_wide(uint64_t high, uint64_t low, uint64_t p)
{
#if defined(__SIZEOF_INT128__) && !defined(_MSC_VER) /* nothing to divide them */
  __extension__ typedef unsigned __int128 permi_uint128;
  return (uint64_t)(((permi_uint128)high << 64 | low) % p);
#else
  int i;
  for (i = 63; i >= 0; i--) {
    high = high << 1 | (low >> i & 1);
    high -= high >= p ? p : 0;
  }
  return high;
#endif
}

static uint64_t permi_wide_residue(permi_wide x, uint64_t p)
{
  const int negative = (int)(x.high >> 63);
  uint64_t rest;
  if (negative)
    x = permi_wide_negate(x);
  rest = permi_residue_wide(x.high % p, x.low, p);
  return negative && rest ? p - rest : rest;
}

static void permi_integer_reduce(perm_integer *a, uint64_t p)
{
  uint64_t rest = 0;
  int i;
  for (i = a->words - 1; i >= 0; i--)
    rest = permi_residue_wide(rest, a->word[i], p);
  if (a->negative && rest)
    rest = p - rest;
  memset(a, 0, sizeof *a);
  a->word[0] = rest;
  a->words = rest != 0;
}

/* Returns 0 if there is a fraction or the integer is too long. */
static int permi_sum_integer(const perm_sum *sum, perm_integer *integer)
{
  perm_sum r = *sum;
  int i;
  integer->negative = permi_sum_drop_sign(&r);
  for (i = 0; i < 16; i++)
    if (r.word[i])
      return 0;
  if (r.word[16] & ((UINT64_C(1) << 50) - 1) || r.word[PERM_SUM_WORDS - 1] >> 50)
    return 0;
  for (i = 0; i < PERM_INTEGER_WORDS; i++)
    integer->word[i] = r.word[16 + i] >> 50 | r.word[17 + i] << 14;
  permi_integer_trim(integer);
  return 1;
}

/* A borrowed matrix: entry (i, j) has its parts at a[(i ld + j) parts]. */
typedef struct permi_integer_view {
  const int64_t *a;
  ptrdiff_t ld;
  int parts; /* 2: Gaussian */
} permi_integer_view;
/* SPDX-License-Identifier: MIT */
