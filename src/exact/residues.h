/* ======================================================================================== >>residues
   Arithmetic modulo primes below 2^62, and integers from their residues. */
#pragma once
#include "../base/ring.h"

/* Products by Montgomery's reduction (Math. Comp. 44 (1985) 519-521): a b 2^-64 instead of a b. */
typedef struct permi_odd_modulus {
  uint64_t p;       /* odd, below 2^63; functions called permi_prime_ need a prime */
  uint64_t inverse; /* of p modulo 2^64 */
  uint64_t one;     /* 2^64 mod p */
  uint64_t square;  /* 2^128 mod p: permi_montgomery(a, square) is a 2^64 */
} permi_odd_modulus;

/* a b 2^-64 mod p, for a b < 2^64 p: a b - q p is a multiple of 2^64 for q = a b / p modulo 2^64. */
static PERMI_ALWAYS_INLINE uint64_t permi_montgomery(uint64_t a, uint64_t b, const permi_odd_modulus *modulus)
{
  const permi_wide t = permi_multiply_words(a, b);
  const uint64_t high = permi_multiply_words(t.low * modulus->inverse, modulus->p).high;
  return t.high - high + (t.high < high ? modulus->p : 0);
}

/* a + b, or a - b, modulo p. */
static PERMI_ALWAYS_INLINE uint64_t permi_residue_add(uint64_t a, uint64_t b, int minus, uint64_t p)
{
  if (minus)
    return a - b + (a < b ? p : 0);
  a += b;
  return a - (a >= p ? p : 0);
}

static permi_odd_modulus permi_odd_modulus_of(uint64_t p)
{
  permi_odd_modulus prime;
  int k;
  prime.p = p;
  prime.inverse = p; /* of p modulo 8; each round doubles the bits */
  for (k = 0; k < 5; k++)
    prime.inverse *= 2 - p * prime.inverse;
  prime.one = permi_residue_wide(1, 0, p);
  prime.square = permi_residue_multiply(prime.one, prime.one, p);
  return prime;
}

/* a^e, both a and the result times 2^64. */
static uint64_t permi_prime_power(uint64_t a, uint64_t e, const permi_odd_modulus *prime)
{
  uint64_t power = prime->one;
  for (; e; e >>= 1) {
    power = e & 1 ? permi_montgomery(power, a, prime) : power;
    a = permi_montgomery(a, a, prime);
  }
  return power;
}

/* 2^64 / a. */
static uint64_t permi_prime_inverse(uint64_t a, const permi_odd_modulus *prime)
{
  return permi_prime_power(permi_montgomery(a, prime->square, prime), prime->p - 2, prime);
}

/* Is p, odd and below 2^63, prime? By Miller and Rabin's test to the first twelve primes, enough for 64 bits
   (J. Sorenson, J. Webster, Math. Comp. 86 (2017) 985-1003). */
static int permi_is_prime(uint64_t p)
{
  static const int base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const int bases = sizeof base / sizeof *base;
  permi_odd_modulus prime;
  uint64_t odd = p - 1;
  int twos = 0, k, s;
  if (p < 3 || !(p & 1))
    return p == 2;
  for (k = 0; k < bases; k++)
    if (p % (uint64_t)base[k] == 0)
      return p == (uint64_t)base[k];
  for (; !(odd & 1); odd >>= 1)
    twos++;
  prime = permi_odd_modulus_of(p);
  for (k = 0; k < bases; k++) {
    uint64_t x = permi_prime_power(permi_montgomery((uint64_t)base[k], prime.square, &prime), odd, &prime);
    for (s = 1; s < twos && x != prime.one && x != p - prime.one; s++)
      x = permi_montgomery(x, x, &prime);
    if (x != p - prime.one && (s > 1 || x != prime.one))
      return 0;
  }
  return 1;
}

#define PERMI_PRIME_BITS 61.999 /* log2 of the first 2^40 primes below 2^62, and more */

/* The next prime below `above`; with_root: 1 modulo 4. */
static uint64_t permi_prime_below(uint64_t above, int with_root)
{
  do
    above = with_root ? ((above - 2) & ~UINT64_C(3)) + 1 : (above - 2) | 1;
  while (!permi_is_prime(above));
  return above;
}

/* A square root of -1, for a prime that is 1 modulo 4. */
static uint64_t permi_prime_root(const permi_odd_modulus *prime)
{
  uint64_t base, root;
  for (base = 2;; base++) {
    root = permi_prime_power(permi_montgomery(base, prime->square, prime), prime->p / 4, prime);
    if (permi_montgomery(root, root, prime) == prime->p - prime->one)
      return permi_montgomery(root, 1, prime);
  }
}

/* Residue of a magnitude; p up to 2^63. */
static uint64_t permi_words_residue(const uint64_t *word, int words, uint64_t p)
{
  uint64_t rest = 0;
  while (words-- > 0)
    rest = permi_residue_wide(rest, word[words], p);
  return rest;
}

/* The integer of least modulus with these residues, by the Chinese remainder theorem, in O(primes^2): its magnitude
   goes to word; returns 1 if it is negative. word and product: primes + 1 words each. */
static int permi_chinese_remainder(const permi_odd_modulus *prime, const uint64_t *residue, int primes, uint64_t *word,
                                   uint64_t *product)
{
  const int words = primes + 1;
  int k, i, larger = 0;
  memset(word, 0, (size_t)words * sizeof *word);
  memset(product, 0, (size_t)words * sizeof *product);
  product[0] = 1;
  for (k = 0; k < primes; k++) { /* invariant: word is right modulo the product of the primes before, and below it */
    const uint64_t p = prime[k].p, x = permi_words_residue(word, k + 1, p);
    const uint64_t inverse = permi_prime_inverse(permi_words_residue(product, k + 1, p), &prime[k]);
    const uint64_t digit = permi_montgomery(residue[k] >= x ? residue[k] - x : residue[k] + p - x, inverse, &prime[k]);
    word[k + 1] += permi_words_times(word, product, k + 1, digit, 1);
    product[k + 1] = permi_words_times(product, product, k + 1, p, 0);
  }
  for (i = words - 1; i >= 0 && !larger; i--) { /* word > product - word ? */
    const uint64_t twice = word[i] << 1 | (i ? word[i - 1] >> 63 : 0);
    larger = twice > product[i] ? 1 : twice < product[i] ? -1 : 0;
  }
  if (larger <= 0)
    return 0;
  permi_words_subtract(product, word, words);
  memcpy(word, product, (size_t)words * sizeof *word);
  return 1;
}
