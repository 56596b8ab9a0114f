/* ========================================================================================== >>primes
   Primes below 2^62, and integers from their residues. */
#pragma once
#include "../exact/residues.h"
#include "../job/control.h"

/* Returns the words of signed integers below 2^bits; PERM_INTEGER_WORDS + 1: too many. */
static int permi_words_of_bits(double bits)
{
  return bits + 1 < 64 * PERM_INTEGER_WORDS ? (int)((bits + 1) / 64) + 1 : PERM_INTEGER_WORDS + 1;
}

/* Returns a^e, like a times 2^64. */
static uint64_t permi_prime_power(uint64_t a, uint64_t e, const permi_odd_modulus *prime)
{
  uint64_t power = prime->one;
  for (; e; e >>= 1) {
    power = e & 1 ? permi_montgomery(power, a, prime) : power;
    a = permi_montgomery(a, a, prime);
  }
  return power;
}

/* Returns 2^64 / a. */
static uint64_t permi_prime_inverse(uint64_t a, const permi_odd_modulus *prime)
{
  return permi_prime_power(permi_montgomery(a, prime->square, prime), prime->p - 2, prime);
}

/* Returns 1 if p < 2^63 is prime: Miller and Rabin's test to twelve primes suffices for 64 bits (J. Sorenson, J.
   Webster, Math. Comp. 86 (2017) 985-1003). */
static int permi_is_prime(uint64_t p)
{
  static const int base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const int bases = sizeof base / sizeof *base;
  uint64_t odd = p - 1;
  int twos = 0, k, s;
  if (p < 3 || !(p & 1))
    return p == 2;
  for (k = 0; k < bases; k++)
    if (p % (uint64_t)base[k] == 0)
      return p == (uint64_t)base[k];
  for (; !(odd & 1); odd >>= 1)
    twos++;
  permi_odd_modulus prime = permi_odd_modulus_of(p);
  for (k = 0; k < bases; k++) {
    uint64_t x = permi_prime_power(permi_montgomery((uint64_t)base[k], prime.square, &prime), odd, &prime);
    for (s = 1; s < twos && x != prime.one && x != p - prime.one; s++)
      x = permi_montgomery(x, x, &prime);
    if (x != p - prime.one && (s > 1 || x != prime.one))
      return 0;
  }
  return 1;
}

#define PERMI_PRIME_BITS 61.999 /* at most log2 of the first 2^40 primes below 2^62 */

/* with_root asks for one that is 1 modulo 4. */
static uint64_t permi_prime_below(uint64_t above, int with_root)
{
  do
    above = with_root ? ((above - 2) & ~UINT64_C(3)) + 1 : (above - 2) | 1;
  while (!permi_is_prime(above));
  return above;
}

static uint64_t permi_prime_root(const permi_odd_modulus *prime)
{
  for (uint64_t base = 2;; base++) {
    const uint64_t root = permi_prime_power(permi_montgomery(base, prime->square, prime), prime->p / 4, prime);
    if (permi_montgomery(root, root, prime) == prime->p - prime->one)
      return permi_montgomery(root, 1, prime);
  }
}

/* Sets word to the integer of least modulus with these residues. Returns 1 if negative. word, product: primes
   + 1 words. */
static int permi_chinese_remainder(const permi_odd_modulus *prime, const uint64_t *residue, int primes, uint64_t *word,
                                   uint64_t *product)
{
  const int words = primes + 1;
  int k, i, larger = 0;
  memset(word, 0, (size_t)words * sizeof *word);
  memset(product, 0, (size_t)words * sizeof *product);
  product[0] = 1;
  for (k = 0; k < primes; k++) { /* word is right modulo the product so far, and below it */
    const uint64_t p = prime[k].p, x = permi_words_residue(word, k + 1, 0, p);
    const uint64_t inverse = permi_prime_inverse(permi_words_residue(product, k + 1, 0, p), &prime[k]);
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

/* Sets Gaussian parts from residues r and s for i = root, -root: (r + s) / 2, (r - s) / (2 root). */
static void permi_residue_parts(const uint64_t *value, uint64_t root, const permi_odd_modulus *prime, uint64_t *real,
                                uint64_t *imaginary)
{
  const uint64_t p = prime->p, sum = permi_residue_add(value[0], value[1], 0, p);
  *real = sum & 1 ? sum / 2 + p / 2 + 1 : sum / 2;
  *imaginary = permi_montgomery(permi_residue_add(value[0], value[1], 1, p),
                                permi_prime_inverse(permi_residue_add(root, root, 0, p), prime), prime);
}

static uint64_t permi_residue_of(int64_t x, uint64_t p)
{
  const uint64_t modulus = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, rest = modulus < p ? modulus : modulus % p;
  return x < 0 && rest ? p - rest : rest;
}

PERMI_UNUSED static uint64_t permi_residue_of_double(double x, uint64_t p)
{
  x = fmod(x, (double)p);
  return (uint64_t)(x < 0 ? x + (double)p : x);
}

static int permi_primes_needed(double bits)
{
  return (int)((bits + 1) / PERMI_PRIME_BITS) + 1;
}

static void permi_primes_choose(permi_odd_modulus *prime, size_t count, int with_root, int bits)
{
  uint64_t above = UINT64_C(1) << bits;
  for (size_t k = 0; k < count; k++) {
    above = permi_prime_below(above, with_root);
    prime[k] = permi_odd_modulus_of(above);
  }
}

/* Adds to *sum, modulo `modulus` unless 0; without primes residue[0]. word: 2 (primes + 1). PERM_ERROR_OVERFLOW: too
   long. */
static perm_status permi_residues_sum(const permi_odd_modulus *prime, const uint64_t *residue, int primes,
                                      uint64_t modulus, uint64_t *word, perm_sum *sum)
{
  int words = primes + 1, negative;
  if (!primes) {
    permi_sum_add_integer(sum, residue, 1, 0);
    return PERM_OK;
  }
  negative = permi_chinese_remainder(prime, residue, primes, word, word + words);
  if (modulus) {
    word[0] = permi_words_residue(word, words, negative, modulus);
    words = 1;
    negative = 0;
  }
  while (words > 0 && !word[words - 1])
    words--;
  if (words > PERM_INTEGER_WORDS)
    return PERM_ERROR_OVERFLOW;
  permi_sum_add_integer(sum, word, words, negative);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
