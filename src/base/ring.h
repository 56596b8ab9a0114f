/* =========================================================================================== >>ring
   The values of all engines. Inlined functions get the algebra as a constant. */
#pragma once
#include "integers.h"

/* A value: words or doubles, two for a double-double, real before imaginary, and last, if kept, the sum of all terms'
   moduli. Integers are modulo 2^(64 words). */
typedef enum permi_algebra {
  PERMI_MAGNITUDES, /* doubles >= 0: their own sum of moduli */
  PERMI_SIGNED,     /* with the sum of moduli, as complex numbers */
  PERMI_COMPLEX,
  PERMI_MAGNITUDES_DD,
  PERMI_SIGNED_DD,
  PERMI_COMPLEX_DD,
  PERMI_WORD,
  PERMI_WIDE,
  PERMI_WORDS,       /* of any number of words; also Gaussian */
  PERMI_RESIDUES,
  PERMI_PAIR_VALUES, /* without moduli */
  PERMI_PAIR_DD_VALUES
} permi_algebra;

typedef struct permi_numbers {
  permi_algebra algebra;
  int parts, words; /* parts 2: complex or Gaussian */
  uint64_t modulus; /* at most 2^63 */
} permi_numbers;

/* An entry, or a value of one word or double a part. */
typedef struct permi_coefficient {
  double real, imaginary, absolute, real_low, imaginary_low;
  int64_t integer[2]; /* real, imaginary; residues from 0 to modulus - 1 */
} permi_coefficient;

static PERMI_ALWAYS_INLINE int permi_algebra_is_dd(permi_algebra algebra)
{
  return (algebra >= PERMI_MAGNITUDES_DD && algebra <= PERMI_COMPLEX_DD) || algebra == PERMI_PAIR_DD_VALUES;
}

static PERMI_ALWAYS_INLINE int permi_algebra_has_moduli(permi_algebra algebra)
{
  return algebra <= PERMI_COMPLEX_DD && algebra % 3 != 0;
}

static PERMI_ALWAYS_INLINE int permi_algebra_is_integer(permi_algebra algebra)
{
  return algebra >= PERMI_WORD && algebra <= PERMI_RESIDUES;
}

static PERMI_ALWAYS_INLINE size_t permi_value_words(permi_algebra algebra, const permi_numbers *numbers)
{
  switch (algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_WORD: return 1;
  case PERMI_SIGNED:
  case PERMI_MAGNITUDES_DD:
  case PERMI_WIDE:
  case PERMI_PAIR_VALUES: return 2;
  case PERMI_COMPLEX:
  case PERMI_SIGNED_DD: return 3;
  case PERMI_PAIR_DD_VALUES: return 4;
  case PERMI_COMPLEX_DD: return 5;
  default: return (size_t)(numbers->words * numbers->parts);
  }
}

static size_t permi_numbers_words(const permi_numbers *numbers)
{
  return permi_value_words(numbers->algebra, numbers);
}

static uint64_t permi_residue_multiply(uint64_t a, uint64_t b, uint64_t p)
{
  const permi_wide product = permi_multiply_words(a, b);
  return permi_residue_wide(product.high, product.low, p);
}

/* Returns x (c + low). In this order of operations the relative error is 3 u^2 for low = 0 [Theorem 3 of Joldes,
   Muller, Popescu, ACM Trans. Math. Softw. 44 (2017) 15res], below 10 u^2 with `low` (tests/proofs/doubles.g). */
static PERMI_ALWAYS_INLINE permi_dd permi_dd_times(permi_dd x, double c, double low)
{
  double rest = x.lo * c;
  permi_dd p;
  if (low != 0)
    rest += x.hi * low;
  p.hi = x.hi * c;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = PERMI_REST(x.hi, c, p.hi);
  return permi_two_sum(p.hi, p.lo + rest);
}

static PERMI_ALWAYS_INLINE void permi_accumulate(double *y, double product, int fresh)
{
  *y = fresh ? product : *y + product;
}

static PERMI_ALWAYS_INLINE void permi_accumulate_dd(void *y, permi_dd product, int fresh)
{
  *(permi_dd *)y = fresh ? product : permi_dd_add(*(const permi_dd *)y, product);
}

static void permi_wide_add_product(permi_wide *y, const permi_wide *x, int64_t c)
{
  permi_wide p = permi_multiply_words(x->low, (uint64_t)c);
  p.high += x->high * (uint64_t)c - (c < 0 ? x->low : 0); /* (uint64_t)c = c + 2^64 for negative c */
  permi_wide_add(y, p);
}

/* y += c x, or y -= c x, modulo 2^(64 words), for a magnitude c of `length` words. */
static PERMI_ALWAYS_INLINE void permi_words_fuse(uint64_t *y, const uint64_t *x, int words, const uint64_t *c,
                                                 int length, int subtract)
{
  for (int k = 0; k < length && k < words; k++)
    if (c[k] && subtract)
      permi_words_times(y + k, x, words - k, c[k], -1);
    else if (c[k])
      permi_words_times(y + k, x, words - k, c[k], 1);
}

/* The same with c in two's complement, of one word if is_short, else of `words`; 2 parts: Gaussian. */
static PERMI_ALWAYS_INLINE void permi_words_accumulate_of(int words, int parts, const uint64_t *c, int is_short,
                                                          uint64_t *y, const uint64_t *x)
{
  for (int p = 0; p < parts; p++) {
    uint64_t magnitude;
    const int negative = is_short && permi_words_magnitude(&magnitude, c + p, 1);
    const uint64_t *factor = is_short ? &magnitude : c + p * words;
    for (int q = 0; q < parts; q++)
      permi_words_fuse(y + (p ^ q) * words, x + q * words, words, factor, is_short ? 1 : words, negative != (p & q));
  }
}

PERMI_UNUSED PERMI_NEVER_INLINE static void permi_words_accumulate(int words, int parts, const uint64_t *c, uint64_t *y,
                                                                   const uint64_t *x)
{
  permi_words_accumulate_of(words, parts, c, 0, y, x);
}

static void permi_residue_accumulate(uint64_t p, int parts, const int64_t *c, uint64_t *y, const uint64_t *x)
{
  for (int i = 0; i < parts; i++)
    for (int j = 0; j < parts; j++) {
      const uint64_t factor = (uint64_t)c[i];
      uint64_t *to = y + (i ^ j);
      *to += permi_residue_multiply(x[j], i & j && factor ? p - factor : factor, p);
      *to -= *to >= p ? p : 0;
    }
}

/* *y += *c *x, or = if fresh; x and y do not overlap. c may be NULL, 1, for PERMI_WORD and PERMI_WIDE. */
static PERMI_ALWAYS_INLINE void permi_value_add(permi_algebra algebra, const permi_numbers *numbers,
                                                const permi_coefficient *c, void *to, const void *from, int fresh)
{
  const double *x = (const double *)from;
  double *y = (double *)to;
  if (fresh && permi_algebra_is_integer(algebra))
    memset(to, 0, 8 * permi_value_words(algebra, numbers));
  switch (algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_SIGNED:
    permi_accumulate(y, c->real * x[0], fresh);
    if (algebra == PERMI_SIGNED)
      permi_accumulate(y + 1, c->absolute * x[1], fresh);
    break;
  case PERMI_COMPLEX:
  case PERMI_PAIR_VALUES: {
    const double real = c->real * x[0] - c->imaginary * x[1], imaginary = c->real * x[1] + c->imaginary * x[0];
    const double absolute = algebra == PERMI_COMPLEX ? c->absolute * x[2] : 0;
    permi_accumulate(y, real, fresh);
    permi_accumulate(y + 1, imaginary, fresh);
    if (algebra == PERMI_COMPLEX)
      permi_accumulate(y + 2, absolute, fresh);
    break;
  }
  case PERMI_MAGNITUDES_DD:
  case PERMI_SIGNED_DD:
    permi_accumulate_dd(y, permi_dd_times(*(const permi_dd *)from, c->real, c->real_low), fresh);
    if (algebra == PERMI_SIGNED_DD)
      permi_accumulate(y + 2, c->absolute * x[2], fresh);
    break;
  case PERMI_COMPLEX_DD:
  case PERMI_PAIR_DD_VALUES: {
    const permi_dd *z = (const permi_dd *)from;
    permi_dd re = permi_dd_times(z[0], c->real, c->real_low), im = permi_dd_times(z[1], c->real, c->real_low);
    if (c->imaginary != 0) {
      re = permi_dd_add(re, permi_dd_times(z[1], -c->imaginary, -c->imaginary_low));
      im = permi_dd_add(im, permi_dd_times(z[0], c->imaginary, c->imaginary_low));
    }
    permi_accumulate_dd(y, re, fresh);
    permi_accumulate_dd(y + 2, im, fresh);
    if (algebra == PERMI_COMPLEX_DD)
      permi_accumulate(y + 4, c->absolute * x[4], fresh);
    break;
  }
  case PERMI_WORD:
    *(uint64_t *)to += (c ? (uint64_t)c->integer[0] : 1) * *(const uint64_t *)from;
    break;
  case PERMI_WIDE:
    if (c)
      permi_wide_add_product((permi_wide *)to, (const permi_wide *)from, c->integer[0]);
    else
      permi_wide_add((permi_wide *)to, *(const permi_wide *)from);
    break;
  case PERMI_WORDS:
    permi_words_accumulate_of(numbers->words, numbers->parts, (const uint64_t *)c->integer, 1, (uint64_t *)to,
                              (const uint64_t *)from);
    break;
  case PERMI_RESIDUES:
    permi_residue_accumulate(numbers->modulus, numbers->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  }
}

static void permi_value_one(const permi_numbers *numbers, void *value)
{
  const size_t words = permi_numbers_words(numbers);
  double *x = (double *)value;
  memset(value, 0, words * sizeof *x);
  if (permi_algebra_is_integer(numbers->algebra))
    *(uint64_t *)value = 1;
  else
    x[0] = 1;
  if (permi_algebra_has_moduli(numbers->algebra))
    x[words - 1] = 1;
}

static void permi_value_sum_parts(const permi_numbers *numbers, const void *value, perm_partial *partial)
{
  const uint64_t *word = (const uint64_t *)value;
  const double *x = (const double *)value;
  const int apart = permi_algebra_is_dd(numbers->algebra) ? 2 : 1;
  for (int part = 0; part < numbers->parts; part++) {
    perm_sum *sum = part ? &partial->imaginary : &partial->value;
    if (permi_algebra_is_integer(numbers->algebra)) /* residues have no sign */
      permi_sum_add_signed(sum, word + part * numbers->words, numbers->words);
    else
      for (int k = 0; k < apart; k++)
        permi_sum_add_double(sum, x[part * apart + k]);
  }
}
/* SPDX-License-Identifier: MIT */
