/* ========================================================================================= >>values
   The ring of lists, arrays, trees, bands and matchings. Inlined functions get the algebra as a constant. */
#pragma once
#include "../base/numbers.h"
#include "../block/engines.h"

#define PERMI_SAFE_PRODUCT 1e-290

static int permi_count_ones(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Double-doubles take two doubles; complex numbers are real, then imaginary; a sum of moduli comes last. Integers are
   modulo 2^(64 words), as many words as the permanent can need. */
typedef enum permi_algebra {
  PERMI_MAGNITUDES, /* doubles that are their own moduli */
  PERMI_SIGNED,     /* with moduli, as complex numbers */
  PERMI_COMPLEX,
  PERMI_MAGNITUDES_DD, /* the same in double-double */
  PERMI_SIGNED_DD,
  PERMI_COMPLEX_DD,
  PERMI_WORD, /* integers from here */
  PERMI_WIDE,
  PERMI_WORDS,       /* any number; Gaussian: twice */
  PERMI_RESIDUES,    /* modulo `modulus`; also Gaussian */
  PERMI_PAIR_VALUES, /* complex without moduli, for >>arrays only */
  PERMI_PAIR_DD_VALUES
} permi_algebra;

/* DO(name, algebra) for all algebras but those of >>arrays only. */
#define PERMI_ALGEBRAS(DO)                                                                                             \
  DO(magnitudes, PERMI_MAGNITUDES) DO(signed, PERMI_SIGNED) DO(complex, PERMI_COMPLEX)                                 \
  DO(magnitudes_dd, PERMI_MAGNITUDES_DD) DO(signed_dd, PERMI_SIGNED_DD) DO(complex_dd, PERMI_COMPLEX_DD)               \
  DO(word, PERMI_WORD) DO(wide, PERMI_WIDE) DO(words, PERMI_WORDS) DO(residues, PERMI_RESIDUES)

typedef struct permi_numbers {
  permi_algebra algebra;
  int parts; /* 2: complex or Gaussian */
  int words; /* of a part of an integer */
  uint64_t modulus; /* of residues, at most 2^63 */
} permi_numbers;

/* A multiplier: an entry, or a value of one word or double a part. */
typedef struct permi_coefficient {
  double real, imaginary, absolute;
  double real_low, imaginary_low; /* of double-doubles */
  int64_t integer[2];             /* real, imaginary; residues: below the modulus */
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

/* 8-byte words of a value. */
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

static int64_t permi_residue_of(int64_t x, uint64_t p)
{
  perm_integer integer = permi_integer_of(x);
  permi_integer_reduce(&integer, p);
  return (int64_t)integer.word[0];
}

/* ab mod p for a, b < p <= 2^63. */
static uint64_t permi_residue_multiply(uint64_t a, uint64_t b, uint64_t p)
{
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 permi_uint128;
  return (uint64_t)((permi_uint128)a * b % p);
#else
  permi_wide product = permi_multiply_words(a, b);
  return permi_residue_wide(product.high, product.low, p);
#endif
}

/* The entry of an edge. */
static permi_coefficient permi_coefficient_of(const permi_block *block, int edge, const permi_numbers *numbers)
{
  permi_coefficient c;
  int part;
  memset(&c, 0, sizeof c);
  if (block->real) {
    c.real = block->real[edge];
    c.imaginary = block->imaginary ? block->imaginary[edge] : 0;
    c.absolute = block->absolute[edge];
  }
  if (block->integer)
    c.integer[0] = block->integer[edge];
  if (block->imaginary_integer)
    c.integer[1] = block->imaginary_integer[edge];
  for (part = 0; part < 2 && numbers->algebra == PERMI_RESIDUES; part++)
    c.integer[part] = permi_residue_of(c.integer[part], numbers->modulus);
  return c;
}

static int permi_coefficient_equal(const permi_coefficient *a, const permi_coefficient *b)
{
  return a->real == b->real && a->imaginary == b->imaginary && a->absolute == b->absolute &&
         a->integer[0] == b->integer[0] && a->integer[1] == b->integer[1];
}

static uint64_t permi_coefficient_hash(uint64_t hash, const permi_coefficient *c)
{
  hash = permi_hash_double(permi_hash_double(permi_hash_double(hash, c->real), c->imaginary), c->absolute);
  return permi_hash(permi_hash(hash, (uint64_t)c->integer[0]), (uint64_t)c->integer[1]);
}

static permi_coefficient permi_coefficient_one(void)
{
  permi_coefficient one;
  memset(&one, 0, sizeof one);
  one.real = one.absolute = 1;
  one.integer[0] = 1;
  return one;
}

/* Adds |c| to *weight; *least becomes at most any non-zero modulus of c and of its parts. */
static void permi_coefficient_weigh(const permi_coefficient *c, double *weight, double *least)
{
  const double real = fabs(c->real), imaginary = fabs(c->imaginary);
  *weight += c->absolute;
  *least = fmin(*least, c->absolute);
  *least = real > 0 && real < *least ? real : *least;
  *least = imaginary > 0 && imaginary < *least ? imaginary : *least;
}

/* An entry: compilers then know that it has no low parts. */
static PERMI_ALWAYS_INLINE permi_coefficient permi_coefficient_short(const permi_coefficient *entry)
{
  permi_coefficient c = *entry;
  c.real_low = c.imaginary_low = 0;
  return c;
}

/* A value as a coefficient, but for integers of several words. */
static PERMI_ALWAYS_INLINE permi_coefficient permi_coefficient_from(permi_algebra algebra, const permi_numbers *numbers,
                                                                    const void *value)
{
  const double *x = (const double *)value;
  const int apart = permi_algebra_is_dd(algebra) ? 2 : 1, size = (int)permi_value_words(algebra, numbers);
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (permi_algebra_is_integer(algebra)) {
    memcpy(c.integer, value, (size_t)size * sizeof(int64_t));
    return c;
  }
  c.real = x[0];
  c.imaginary = size > 2 * apart ? x[apart] : 0;
  c.absolute = x[size - 1];
  if (apart == 2) {
    c.real_low = x[1];
    c.imaginary_low = size > 4 ? x[3] : 0;
  }
  return c;
}

/* Product of double-doubles; `low` is often 0, where the error is 3 u^2: Theorem 3 of Joldes, Muller, Popescu, ACM
   Trans. Math. Softw. 44 (2017) 15res, for this order of operations. */
static PERMI_ALWAYS_INLINE permi_dd permi_dd_times(permi_dd x, double c, double low)
{
  double rest = x.lo * c;
  permi_dd p;
  if (low != 0)
    rest += x.hi * low;
  p.hi = x.hi * c;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = fma(x.hi, c, -p.hi);
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

/* y += c x modulo 2^128. */
static void permi_wide_add_product(permi_wide *y, const permi_wide *x, int64_t c)
{
  permi_wide p = permi_multiply_words(x->low, (uint64_t)c);
  p.high += x->high * (uint64_t)c - (c < 0 ? x->low : 0); /* (uint64_t)c = c + 2^64 for c < 0 */
  permi_wide_add(y, p);
}

/* y += c x of integers, or of two parts. */
static void permi_words_accumulate(int words, int parts, const int64_t *c, uint64_t *y, const uint64_t *x)
{
  permi_words_add_product(y, x, words, c[0]);
  if (parts == 2) {
    permi_words_add_product(y + words, x + words, words, c[0]);
    if (c[1]) {
      permi_words_add_product(y, x + words, words, -c[1]); /* c[1] was a double: not INT64_MIN */
      permi_words_add_product(y + words, x, words, c[1]);
    }
  }
}

/* The same of residues, c from 0 to p - 1. */
static void permi_residue_accumulate(uint64_t p, int parts, const int64_t *integer, uint64_t *y, const uint64_t *x)
{
  const uint64_t c = (uint64_t)integer[0], d = (uint64_t)integer[1];
  y[0] = (y[0] + permi_residue_multiply(x[0], c, p)) % p; /* p <= 2^63 */
  if (parts == 2) {
    y[0] = (y[0] + permi_residue_multiply(x[1], d ? p - d : 0, p)) % p;
    y[1] = (y[1] + permi_residue_multiply(x[1], c, p)) % p;
    y[1] = (y[1] + permi_residue_multiply(x[0], d, p)) % p;
  }
}

/* y += c x, or with `fresh` y = c x; no overlap. c = NULL: 1, of one or two words. */
static PERMI_ALWAYS_INLINE void permi_value_add(permi_algebra algebra, const permi_numbers *numbers,
                                                const permi_coefficient *c, void *to, const void *from, int fresh)
{
  const double *x = (const double *)from;
  double *y = (double *)to;
  if (fresh && permi_algebra_is_integer(algebra))
    memset(to, 0, 8 * permi_value_words(algebra, numbers));
  switch (algebra) {
  case PERMI_MAGNITUDES:
    permi_accumulate(y, c->real * x[0], fresh);
    break;
  case PERMI_SIGNED:
    permi_accumulate(y, c->real * x[0], fresh);
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
    permi_words_accumulate(numbers->words, numbers->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  case PERMI_RESIDUES:
    permi_residue_accumulate(numbers->modulus, numbers->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  }
}

/* y += a x of integers modulo 2^(64 words), skipping words that are 0. */
static void permi_integer_fuse(const permi_numbers *numbers, const uint64_t *a, uint64_t *y, const uint64_t *x)
{
  const int words = numbers->words;
  int i, j, p, q;
  for (p = 0; p < numbers->parts; p++)
    for (q = 0; q < numbers->parts; q++) {
      uint64_t *to = y + (p != q) * words;
      const uint64_t *from = x + q * words;
      for (i = 0; i < words; i++) {
        const uint64_t factor = a[p * words + i];
        uint64_t carry = 0;
        if (!factor)
          continue;
        for (j = 0; i + j < words; j++) {
          permi_wide product = permi_multiply_words(factor, from[j]);
          product.low += carry;
          carry = product.high + (product.low < carry);
          if (p + q == 2) {
            carry += to[i + j] < product.low;
            to[i + j] -= product.low;
          } else {
            to[i + j] += product.low;
            carry += to[i + j] < product.low;
          }
        }
      }
    }
}

/* y += a x for a value a. */
static PERMI_ALWAYS_INLINE void permi_value_fuse(permi_algebra algebra, const permi_numbers *numbers, const void *a,
                                                 void *y, const void *x)
{
  if (algebra == PERMI_WORDS) {
    permi_integer_fuse(numbers, (const uint64_t *)a, (uint64_t *)y, (const uint64_t *)x);
  } else {
    const permi_coefficient c = permi_coefficient_from(algebra, numbers, a);
    permi_value_add(algebra, numbers, &c, y, x, 0);
  }
}

/* y += c x, or y = c x, of `count` values. */
static PERMI_ALWAYS_INLINE void permi_values_add_of(permi_algebra algebra, const permi_numbers *numbers,
                                                    const permi_coefficient *c, void *y, const void *x, size_t count,
                                                    int fresh)
{
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  size_t k;
  for (k = 0; k < count; k++)
    permi_value_add(algebra, numbers, c, (char *)y + k * bytes, (const char *)x + k * bytes, fresh);
}

typedef void (*permi_values_adder)(const permi_numbers *numbers, const permi_coefficient *c, void *y, const void *x,
                                   size_t count);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_values_add_##name(const permi_numbers *numbers, const permi_coefficient *c, void *y,               \
                                      const void *x, size_t count)                                                     \
  { const permi_coefficient kept = *c; permi_values_add_of(algebra, numbers, &kept, y, x, count, 0); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

static PERMI_ALWAYS_INLINE void permi_values_add(const permi_numbers *numbers, const permi_coefficient *c, void *y,
                                                 const void *x, size_t count)
{
#define PERMI_NAMED(name, algebra) permi_values_add_##name,
  static const permi_values_adder adder[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED
  adder[numbers->algebra](numbers, c, y, x, count);
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

/* Adds an integer, two's complement unless a residue. */
static void permi_sum_add_words(perm_sum *sum, const uint64_t *x, const permi_numbers *numbers)
{
  const int negative = numbers->algebra != PERMI_RESIDUES && x[numbers->words - 1] >> 63;
  uint64_t word[PERM_INTEGER_WORDS];
  memset(word, 0, sizeof word);
  if (negative)
    permi_words_subtract(word, x, numbers->words);
  else
    memcpy(word, x, (size_t)numbers->words * sizeof *word);
  permi_sum_add_integer(sum, word, numbers->words, negative);
}

/* Adds a value to a partial, exactly. */
static void permi_value_sum(const permi_numbers *numbers, const void *value, perm_partial *partial)
{
  const permi_algebra algebra = numbers->algebra;
  const double *x = (const double *)value;
  const int apart = permi_algebra_is_dd(algebra) ? 2 : 1, size = (int)permi_numbers_words(numbers);
  int k;
  if (permi_algebra_is_integer(algebra)) {
    permi_sum_add_words(&partial->value, (const uint64_t *)value, numbers);
    if (numbers->parts == 2)
      permi_sum_add_words(&partial->imaginary, (const uint64_t *)value + numbers->words, numbers);
    return;
  }
  for (k = 0; k < apart * numbers->parts; k++) {
    permi_sum_add_double(k < apart ? &partial->value : &partial->imaginary, x[k]);
    if (!permi_algebra_has_moduli(algebra))
      permi_sum_add_double(&partial->absolute, x[k]);
  }
  if (permi_algebra_has_moduli(algebra))
    permi_sum_add_double(&partial->absolute, x[size - 1]);
}

/* -- sizes of values -- */

/* True values are 2^exp2 times those at hand; smallest and largest bound the non-zero moduli; `loss` bounds what
   underflow did to any one value. */
typedef struct permi_sizes {
  double smallest, largest, loss;
  long long exp2;
} permi_sizes;

static void permi_sizes_clear(permi_sizes *sizes)
{
  sizes->smallest = DBL_MAX;
  sizes->largest = 0;
}

static void permi_sizes_join(permi_sizes *sizes, const permi_sizes *other)
{
  sizes->smallest = other->smallest < sizes->smallest ? other->smallest : sizes->smallest;
  sizes->largest = other->largest > sizes->largest ? other->largest : sizes->largest;
}

/* Enters the extreme non-zero moduli of every stride-th double: what is 0 stays 0 and loses nothing. Four chains, as
   a minimum takes four cycles. */
static PERMI_ALWAYS_INLINE void permi_values_extremes(const double *x, size_t doubles, size_t stride,
                                                      permi_sizes *sizes)
{
  double low[4], high[4];
  size_t k;
  int j;
  for (j = 0; j < 4; j++) {
    low[j] = sizes->smallest;
    high[j] = sizes->largest;
  }
  for (k = 0; k + 3 * stride < doubles; k += 4 * stride)
    for (j = 0; j < 4; j++) {
      const double y = fabs(x[k + (size_t)j * stride]), z = y > 0 ? y : DBL_MAX;
      low[j] = z < low[j] ? z : low[j];
      high[j] = y > high[j] ? y : high[j];
    }
  for (; k < doubles; k += stride) {
    const double y = fabs(x[k]), z = y > 0 ? y : DBL_MAX;
    low[0] = z < low[0] ? z : low[0];
    high[0] = y > high[0] ? y : high[0];
  }
  for (j = 0; j < 4; j++) {
    sizes->smallest = low[j] < sizes->smallest ? low[j] : sizes->smallest;
    sizes->largest = high[j] > sizes->largest ? high[j] : sizes->largest;
  }
}

/* Adds a value to a partial, with what underflow took from it and the entries. */
static void permi_values_finish(const permi_numbers *numbers, const void *value, const permi_sizes *sizes,
                                double lost_error, perm_partial *partial)
{
  double loss = sizes->loss;
  permi_value_sum(numbers, value, partial);
  if (permi_algebra_is_integer(numbers->algebra))
    return;
  if (lost_error > 0)
    loss += DBL_MIN + ldexp(lost_error, permi_int_exponent(-sizes->exp2));
  partial->lost += 2 * loss; /* 2: its own roundings */
  partial->exp2 = sizes->exp2;
}

/* Returns the e by which values are to be scaled by 2^-e, so that the largest comes near 1, and notes it; 0 while
   that lies between 1 / beyond and beyond. Products below `safe` may lose low parts. */
static int permi_sizes_rescale(permi_sizes *sizes, double beyond, double safe)
{
  int e;
  if (sizes->largest == 0 || (sizes->largest > 1 / beyond && sizes->largest < beyond))
    return 0;
  frexp(sizes->largest, &e);
  sizes->loss = permi_loss_scaled(sizes->loss, 1, -e);
  sizes->smallest = ldexp(sizes->smallest, -e);
  sizes->largest = ldexp(sizes->largest, -e);
  if (e > 0 && sizes->smallest < safe) /* a low part may go before its high part */
    sizes->loss += 2 * DBL_MIN;
  sizes->exp2 += e;
  return e;
}

/* x 2^-e; 2^-e alone may not be a double. */
static void permi_values_scale(double *x, size_t doubles, int e)
{
  const double first = ldexp(1, -(e / 2)), second = ldexp(1, e / 2 - e);
  size_t k;
  for (k = 0; k < doubles; k++)
    x[k] = x[k] * first * second;
}

/* Enters the sizes of values: of parts and moduli, not of low parts. Integers have none. */
static PERMI_ALWAYS_INLINE void permi_values_track(permi_algebra algebra, const void *values, size_t count,
                                                   permi_sizes *sizes)
{
  const double *x = (const double *)values;
  const size_t size = permi_algebra_is_integer(algebra) ? 0 : permi_value_words(algebra, NULL);
  if (!permi_algebra_is_dd(algebra))
    permi_values_extremes(x, count * size, 1, sizes);
  else if (size == 2)
    permi_values_extremes(x, count * size, 2, sizes);
  else
    for (; count > 0; count--, x += size)
      permi_values_extremes(x, size, 2, sizes);
}

/* -- which numbers a block needs -- */

/* log2 of a bound on permanents of the block of integers, by rows or columns: products of sums of moduli, or for
   moduli 1 of r!^(1/r) [Bre73]. Rounded up. */
static double permi_block_bits(const permi_block *block)
{
  double bits[2] = {0, 0};
  int v, e;
  for (v = 0; v < 2 * block->n; v++) {
    const int degree = block->start[v + 1] - block->start[v];
    double sum = 0;
    int ones = 1;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      double x = fabs((double)block->integer[block->edge[e]]);
      if (block->imaginary_integer)
        x += fabs((double)block->imaginary_integer[block->edge[e]]);
      sum += x;
      ones &= x == 1;
    }
    bits[v >= block->n] += ones ? permi_log2_factorial(degree) / degree : log2(sum);
  }
  return (bits[0] < bits[1] ? bits[0] : bits[1]) * (1 + 1e-10) + 1e-6;
}

/* Chooses the numbers for the block. 0: the permanent may be too long for a perm_integer and there is no modulus. */
#define PERMI_RESIDUE_WORDS 8 /* a residue product costs a division, as much as so many words */
static int permi_numbers_choose(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  int e;
  memset(numbers, 0, sizeof *numbers);
  numbers->words = 1;
  numbers->parts = (block->integer ? block->imaginary_integer != NULL : block->imaginary != NULL) ? 2 : 1;
  if (block->integer) {
    const double bits = permi_block_bits(block) + 1; /* the sign */
    numbers->words = bits < 64 * PERM_INTEGER_WORDS ? (int)(bits / 64) + 1 : PERM_INTEGER_WORDS + 1;
    numbers->algebra = numbers->parts == 2 || numbers->words > 2 ? PERMI_WORDS
                       : numbers->words == 2                     ? PERMI_WIDE
                                                                 : PERMI_WORD;
    if (modulus && numbers->words > PERMI_RESIDUE_WORDS) {
      numbers->algebra = PERMI_RESIDUES;
      numbers->modulus = modulus;
      numbers->words = 1;
    }
    return numbers->words <= PERM_INTEGER_WORDS;
  }
  for (e = 0; e < block->edges && numbers->algebra == PERMI_MAGNITUDES; e++)
    if (block->real[e] != block->absolute[e])
      numbers->algebra = PERMI_SIGNED;
  if (block->imaginary)
    numbers->algebra = PERMI_COMPLEX;
  if (doubled)
    numbers->algebra = (permi_algebra)((int)numbers->algebra + PERMI_MAGNITUDES_DD);
  return 1;
}

/* The same where double-doubles always have moduli. */
static int permi_numbers_choose_moduli(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  const int fits = permi_numbers_choose(numbers, block, modulus, doubled);
  if (numbers->algebra == PERMI_MAGNITUDES_DD)
    numbers->algebra = PERMI_SIGNED_DD;
  return fits;
}
