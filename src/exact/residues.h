/* ======================================================================================== >>residues */
#pragma once
#include "../base/ring.h"

/* Montgomery's products (Math. Comp. 44 (1985) 519-521) are a b 2^-64. */
typedef struct permi_odd_modulus {
  uint64_t p;       /* odd, below 2^63; a prime for permi_prime_ */
  uint64_t inverse; /* of p modulo 2^64 */
  uint64_t one;     /* 2^64 mod p */
  uint64_t square;  /* 2^128 mod p: permi_montgomery(a, square) is a 2^64 */
} permi_odd_modulus;

/* Returns a b 2^-64: with t = a b < 2^64 p and q = t / p modulo 2^64, t - q p is a multiple of 2^64. */
static PERMI_ALWAYS_INLINE uint64_t permi_montgomery(uint64_t a, uint64_t b, const permi_odd_modulus *modulus)
{
  const permi_wide t = permi_multiply_words(a, b);
  const uint64_t high = permi_multiply_words(t.low * modulus->inverse, modulus->p).high;
  return t.high - high + (t.high < high ? modulus->p : 0);
}

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
  prime.p = p;
  prime.inverse = p; /* modulo 8; each round doubles the bits */
  for (int k = 0; k < 5; k++)
    prime.inverse *= 2 - p * prime.inverse;
  prime.one = permi_residue_wide(1, 0, p);
  prime.square = permi_residue_multiply(prime.one, prime.one, p);
  return prime;
}
/* SPDX-License-Identifier: MIT */
