/* records_own.h: the second ways of records.c, which share nothing with perm: sums in residues modulo primes p of 62
   bits, and Chinese remainders. Each function returns a permanent modulo p. */
#ifndef RECORDS_OWN_H_INCLUDED
#define RECORDS_OWN_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_PRIMES = 64, OWN_LARGEST = 128 };
__extension__ typedef unsigned __int128 own_wide;

static uint64_t own_product(uint64_t a, uint64_t b, uint64_t p)
{
  return (uint64_t)((own_wide)a * b % p);
}

static uint64_t own_power(uint64_t a, uint64_t exponent, uint64_t p)
{
  uint64_t power = 1;
  for (; exponent; exponent >>= 1, a = own_product(a, a, p))
    if (exponent & 1)
      power = own_product(power, a, p);
  return power;
}

static uint64_t own_of(int64_t x, uint64_t p)
{
  return x < 0 ? p - (uint64_t)-x % p : (uint64_t)x % p;
}

/* Miller and Rabin's test; the first 12 primes as bases decide below 2^64 (J. Sorenson, J. Webster, 2017). */
static int own_is_prime(uint64_t p)
{
  static const uint64_t base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  int k, s, twos = __builtin_ctzll(p - 1);
  for (k = 0; k < 12; k++) {
    uint64_t power = own_power(base[k], (p - 1) >> twos, p);
    for (s = 1; s < twos && power != 1 && power != p - 1; s++)
      power = own_product(power, power, p);
    if (power != p - 1 && (s > 1 || power != 1))
      return 0;
  }
  return 1;
}

/* The largest prime below `below` that is 1 modulo n. */
static uint64_t own_prime(uint64_t below, int n)
{
  uint64_t p = (below - 2) / (uint64_t)(2 * n) * (uint64_t)(2 * n) + 1;
  while (!own_is_prime(p))
    p -= (uint64_t)(2 * n);
  return p;
}

static size_t own_state(int side, int rows, int columns, int waiting, int later)
{
  return (size_t)(((rows * side + columns) * side + waiting) * side + later);
}

/* Entries offset + i - j, and n more where i < j. A row takes one of three parts of its entry: (offset + i) times 1,
   which any column may take; 1 times -j, likewise; n, where the column comes later. A state counts rows and columns
   with the first part, rows with the third that wait, and those in all. */
static uint64_t own_cyclic(int n, int offset, uint64_t p)
{
  const int side = n + 1;
  const size_t states = (size_t)side * (size_t)side * (size_t)side * (size_t)side;
  uint64_t *from = (uint64_t *)calloc(states, sizeof *from), *to = (uint64_t *)malloc(states * sizeof *to), sum = 0;
  int k, half, rows, columns, waiting, later;
  if (!from || !to)
    exit(1);
  from[0] = 1;
  for (k = 0; k < n; k++)
    for (half = 0; half < 2; half++) { /* column k, row k */
      uint64_t *swap;
      const uint64_t first = half ? own_of(offset + k, p) : 1, second = half ? 1 : own_of(-k, p);
      memset(to, 0, states * sizeof *to);
      for (rows = 0; rows <= k; rows++)
        for (columns = 0; columns <= k + half; columns++)
          for (waiting = 0; waiting <= k; waiting++)
            for (later = waiting; later <= k; later++) {
              const uint64_t x = from[own_state(side, rows, columns, waiting, later)];
              uint64_t *at;
              if (!x)
                continue;
              at = &to[own_state(side, rows + half, columns + 1 - half, waiting, later)];
              *at = (*at + own_product(x, first, p)) % p;
              at = &to[own_state(side, rows, columns, waiting, later)];
              *at = (*at + own_product(x, second, p)) % p;
              if (!half && !waiting)
                continue;
              at = &to[own_state(side, rows, columns, half ? waiting + 1 : waiting - 1, later + half)];
              *at = (*at + own_product(x, (uint64_t)(half ? n : waiting), p)) % p;
            }
      swap = from, from = to, to = swap;
    }
  for (rows = 0; rows <= n; rows++)
    for (later = 0; rows + later <= n; later++) {
      uint64_t x = from[own_state(side, rows, rows, 0, later)];
      for (k = 2; k <= rows; k++)
        x = own_product(x, (uint64_t)k, p);
      for (k = 2; k <= n - rows - later; k++)
        x = own_product(x, (uint64_t)k, p);
      sum = (sum + x) % p;
    }
  free(from), free(to);
  return sum;
}

/* Entries a_i + b_i j, j = 0 .. n - 1: the rows that take b_i j, k of them, any k columns. */
static uint64_t own_lines(int n, const int64_t *a, const int64_t *b, uint64_t p)
{
  uint64_t rows[OWN_LARGEST + 1] = {1}, columns[OWN_LARGEST + 1] = {1}, sum = 0;
  int i, k;
  for (i = 0; i < n; i++)
    for (k = i + 1; k >= 0; k--) {
      const uint64_t before_row = k ? rows[k - 1] : 0, before_column = k ? columns[k - 1] : 0;
      rows[k] = (own_product(rows[k], own_of(a[i], p), p) + own_product(before_row, own_of(b[i], p), p)) % p;
      columns[k] = (columns[k] + own_product(before_column, (uint64_t)i, p)) % p;
    }
  for (k = 0; k <= n; k++) {
    uint64_t x = own_product(rows[k], columns[k], p);
    for (i = 2; i <= k; i++)
      x = own_product(x, (uint64_t)i, p);
    for (i = 2; i <= n - k; i++)
      x = own_product(x, (uint64_t)i, p);
    sum = (sum + x) % p;
  }
  return sum;
}

/* Schur's matrix, entries w^(i j) of a primitive n-th root w of 1, n odd. Glynn's sum has the term of signs s times
   the determinant of the circulant of s, which does not change when s is turned by places or multiplied by units
   modulo n, nor, with its sign, when s is negated. So the necklaces S of minus signs, at most half of them, suffice,
   and of a necklace and its multiples those that have the most pairs of distance 1. */
typedef struct own_schur {
  int n, pieces, units, unit[64];
  uint64_t p, minus_inverse, root[64], *table, by_ties[65], sum[65];
  unsigned char necklace[65];
} own_schur;

/* a b 2^-64 modulo p, for Montgomery's residues. */
static uint64_t own_reduced(const own_schur *of, uint64_t a, uint64_t b)
{
  const own_wide product = (own_wide)a * b;
  const uint64_t q = (uint64_t)product * of->minus_inverse;
  const uint64_t reduced = (uint64_t)((product + (own_wide)q * of->p) >> 64);
  return reduced >= of->p ? reduced - of->p : reduced;
}

/* A necklace of `ones` minus signs with so many turns of its own. */
static void own_necklace(own_schur *of, uint64_t set, int ones, int turns)
{
  const int n = of->n, most = __builtin_popcountll(set & (set >> 1 | set << (n - 1)));
  uint64_t product[4] = {1, 1, 1, 1};
  int ties = 1, k, i;
  for (k = 1; k < of->units; k++) {
    const int u = of->unit[k], pairs = __builtin_popcountll(set & (set >> u | set << (n - u)));
    if (pairs > most)
      return;
    ties += pairs == most;
  }
  product[0] = (uint64_t)turns;
  for (i = 1; i < n; i++) { /* the sums over S of w^(i j) */
    uint64_t x = of->table[(size_t)(set & 1023) * 64 + (size_t)i];
    for (k = 1; k < of->pieces; k++)
      x += of->table[((size_t)k * 1024 + (size_t)(set >> 10 * k & 1023)) * 64 + (size_t)i];
    product[i % 4] = own_reduced(of, product[i % 4], x);
  }
  product[0] = own_reduced(of, own_reduced(of, product[0], product[1]), own_reduced(of, product[2], product[3]));
  of->sum[ties] = (of->sum[ties] + own_product(product[0], own_of((ones & 1 ? -1 : 1) * (int64_t)(n - 2 * ones), of->p),
                                               of->p)) % of->p;
}

/* All necklaces (F. Ruskey, C. Savage, T. Wang, J. Algorithms 13 (1992) 414): place t, the period so far. */
static void own_necklaces(own_schur *of, int t, int period, uint64_t set, int ones)
{
  const int n = of->n;
  int bit;
  if (2 * ones > n)
    return;
  if (t > n) {
    if (n % period == 0 && ones)
      own_necklace(of, set, ones, period);
    return;
  }
  for (bit = of->necklace[t - period]; bit < 2; bit++) {
    of->necklace[t] = (unsigned char)bit;
    own_necklaces(of, t + 1, bit == of->necklace[t - period] ? period : t, set | (uint64_t)bit << (t - 1), ones + bit);
  }
}

/* A root of 1 of order n, p a prime that is 1 modulo n. */
static uint64_t own_root(int n, uint64_t p)
{
  uint64_t base, root;
  int i;
  for (base = 2;; base++) {
    root = own_power(base, (p - 1) / (uint64_t)n, p);
    for (i = 1; i < n && own_power(root, (uint64_t)i, p) != 1; i++)
      ;
    if (i == n)
      return root;
  }
}

static int own_common(int a, int b)
{
  return b ? own_common(b, a % b) : a;
}

static uint64_t own_schur_matrix(int n, uint64_t p)
{
  own_schur of;
  uint64_t root, sum = 0, inverse = p;
  int k, i, set;
  if (n == 1)
    return 1;
  memset(&of, 0, sizeof of);
  of.n = n;
  of.p = p;
  of.pieces = (n + 9) / 10;
  for (k = 0; k < 5; k++)
    inverse *= 2 - p * inverse;
  of.minus_inverse = 0 - inverse;
  root = own_root(n, p);
  of.table = (uint64_t *)calloc((size_t)of.pieces * 1024 * 64, sizeof *of.table);
  if (!of.table)
    exit(1);
  for (k = 0; k < of.pieces; k++) /* Montgomery's residues: times 2^64; four of them stay below 2^64 */
    for (set = 1; set < 1024; set++)
      for (i = 0; i < n; i++) {
        const int j = 10 * k + __builtin_ctz((unsigned)set);
        const uint64_t power = own_power(root, (uint64_t)(i * j % n), p);
        of.table[((size_t)k * 1024 + (size_t)set) * 64 + (size_t)i] =
            (of.table[((size_t)k * 1024 + (size_t)(set & (set - 1))) * 64 + (size_t)i] +
             (uint64_t)(((own_wide)power << 64) % p)) % p;
      }
  for (k = 1; 2 * k < n; k++)
    if (own_common(k, n) == 1)
      of.unit[of.units++] = k;
  own_necklaces(&of, 1, 1, 0, 0);
  for (k = 1; k <= of.units; k++)
    sum = (sum + own_product(of.sum[k], own_power((uint64_t)k, p - 2, p), p)) % p;
  /* Three products of own_necklace were divided by 2^64. 2 for the negated and the factors -2 of n - 1 rows make up for
     the 2^-n of Glynn's sum over all signs. */
  sum = own_product(own_product(sum, (uint64_t)of.units, p), own_power(2, 192, p), p);
  free(of.table);
  return sum;
}

/* The integer between -M/2 and M/2, M the product of the primes, in decimal: by mixed radix digits. */
static void own_text(int primes, const uint64_t *prime, const uint64_t *residue, char *text)
{
  uint64_t digit[OWN_PRIMES];
  uint32_t limb[7 * OWN_PRIMES] = {0};
  int k, i, j, negative = 0, used = 1;
  char *to = text;
  do
    for (k = 0; k < primes; k++) {
      const uint64_t p = prime[k];
      uint64_t x = negative && residue[k] ? p - residue[k] : residue[k];
      for (i = 0; i < k; i++)
        x = own_product((x + p - digit[i] % p) % p, own_power(prime[i] % p, p - 2, p), p);
      digit[k] = x;
    }
  while (digit[primes - 1] >= prime[primes - 1] / 2 && !negative++);
  for (k = primes - 1; k >= 0; k--) { /* limbs of 9 digits: times the prime, plus the digit */
    own_wide carry = digit[k];
    for (j = 0; j < used || carry; j++) {
      carry += (own_wide)limb[j] * prime[k];
      limb[j] = (uint32_t)(carry % 1000000000);
      carry /= 1000000000;
      used = j + 1 > used ? j + 1 : used;
    }
  }
  while (used > 1 && !limb[used - 1])
    used--;
  to += sprintf(to, "%s%u", negative ? "-" : "", limb[used - 1]);
  for (j = used - 2; j >= 0; j--)
    to += sprintf(to, "%09u", limb[j]);
}
#endif
/* SPDX-License-Identifier: MIT */
