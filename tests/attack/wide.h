/* Long integers of the oracles, and how far a double is from one. Nothing here shares code with the headers. */
#ifndef PERM_ATTACK_WIDE_H_INCLUDED
#define PERM_ATTACK_WIDE_H_INCLUDED

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { WIDE_MOST = 48, WIDE_LONG = 128 };

/* Two's complement, least word first; how many words count is the caller's. */
typedef struct wide { uint64_t word[WIDE_MOST]; } wide;

/* to += from * factor, times */
static void wide_add_product(uint64_t *to, const uint64_t *from, int words, int64_t factor, int times)
{
  const uint64_t size = factor < 0 ? -(uint64_t)factor : (uint64_t)factor;
  int k;
  for (; times > 0; times--) {
    uint128 product = 0, sum = 0;
    for (k = 0; k < words; k++) {
      product = (uint128)from[k] * size + (uint64_t)(product >> 64);
      if (factor < 0)
        sum = (uint128)to[k] - (uint64_t)product - ((uint64_t)(sum >> 64) & 1);
      else
        sum = (uint128)to[k] + (uint64_t)product + (uint64_t)(sum >> 64);
      to[k] = (uint64_t)sum;
    }
  }
}

static int wide_is_negative(const wide *x, int words) { return (int)(x->word[words - 1] >> 63); }

/* |x|, with words beyond set to 0; returns how many are in use */
static int wide_magnitude(const wide *x, int words, uint64_t *magnitude, int size)
{
  const int negative = wide_is_negative(x, words);
  uint128 carry = (uint128)negative;
  int k;
  memset(magnitude, 0, sizeof *magnitude * (size_t)size);
  for (k = 0; k < words; k++) {
    carry += negative ? ~x->word[k] : x->word[k];
    magnitude[k] = (uint64_t)carry;
    carry >>= 64;
  }
  while (words > 0 && !magnitude[words - 1])
    words--;
  return words;
}

/* x modulo m, from 0 to m - 1 */
static uint64_t wide_modulo(const wide *x, int words, uint64_t m)
{
  uint64_t magnitude[WIDE_MOST], rest = 0;
  int k = wide_magnitude(x, words, magnitude, WIDE_MOST);
  while (k--)
    rest = (uint64_t)(((uint128)rest << 64 | magnitude[k]) % m);
  return rest && wide_is_negative(x, words) ? m - rest : rest;
}

/* x / by, which divides it */
static void wide_divide(wide *x, int words, uint64_t by)
{
  const int negative = wide_is_negative(x, words);
  uint64_t magnitude[WIDE_MOST], rest = 0;
  int k = wide_magnitude(x, words, magnitude, WIDE_MOST);
  if (by == 1)
    return;
  memset(x, 0, sizeof *x);
  while (k--) {
    const uint128 here = (uint128)rest << 64 | magnitude[k];
    magnitude[k] = (uint64_t)(here / by);
    rest = (uint64_t)(here % by);
  }
  wide_add_product(x->word, magnitude, words, negative ? -1 : 1, 1);
}

/* m 2^exp2, m from 1 to 2, or 0; m is cut, never rounded up */
typedef struct scaled { long double m; long long exp2; } scaled;

static scaled scaled_of(long double x, long long exp2)
{
  scaled s;
  int e;
  s.m = 2 * frexpl(fabsl(x), &e);
  s.exp2 = s.m == 0 ? 0 : exp2 + e - 1;
  return s;
}

static int scaled_above(scaled a, scaled b)
{
  if (a.m == 0 || b.m == 0)
    return a.m > b.m;
  return a.exp2 != b.exp2 ? a.exp2 > b.exp2 : a.m > b.m;
}

/* a / b as far as a double goes */
static double scaled_ratio(scaled a, scaled b)
{
  const long long e = a.exp2 - b.exp2;
  if (a.m == 0)
    return 0;
  return b.m == 0 || e > 1000 ? INFINITY : e < -1000 ? 0 : (double)ldexpl(a.m / b.m, (int)e);
}

static scaled scaled_hypot(scaled a, scaled b)
{
  scaled low = scaled_above(a, b) ? b : a, high = scaled_above(a, b) ? a : b;
  const long long apart = high.exp2 - low.exp2;
  long double x = low.m == 0 || apart > 200 ? 0 : ldexpl(low.m, (int)-apart);
  return x == 0 ? high : scaled_of(sqrtl(high.m * high.m + x * x) * (1 - 0x1p-60L), high.exp2);
}

static int magnitude_bits(const uint64_t *magnitude, int words)
{
  while (words > 0 && !magnitude[words - 1])
    words--;
  return words ? 64 * words - __builtin_clzll(magnitude[words - 1]) : 0;
}

static scaled magnitude_scaled(const uint64_t *magnitude, int words, long long exp2)
{
  const int bits = magnitude_bits(magnitude, words), low = bits > 64 ? bits - 64 : 0, shift = low % 64;
  uint64_t top = bits ? magnitude[low / 64] >> shift : 0;
  if (shift)
    top |= magnitude[low / 64 + 1] << (64 - shift);
  return scaled_of((long double)top, exp2 + low);
}

static void magnitude_shift(uint64_t *magnitude, int words, long long by)
{
  const int whole = (int)(by / 64), shift = (int)(by % 64);
  int k;
  for (k = words - 1; k >= 0; k--) {
    const uint64_t here = k >= whole ? magnitude[k - whole] : 0, below = k > whole ? magnitude[k - whole - 1] : 0;
    magnitude[k] = shift ? here << shift | below >> (64 - shift) : here;
  }
}

/* |value 2^value_exp2 - x 2^exp2| */
static scaled wide_distance(double value, long long value_exp2, const wide *x, int words, long long exp2)
{
  uint64_t a[WIDE_LONG], b[WIDE_LONG] = {0};
  const int used = wide_magnitude(x, words, a, WIDE_LONG), negative = used && wide_is_negative(x, words);
  int e, k, apart;
  const double half = frexp(value, &e);
  const long long unit = value_exp2 + e - 53;
  scaled exact = magnitude_scaled(a, WIDE_LONG, exp2), given = scaled_of(half, value_exp2 + e);
  if (!used || value == 0)
    return used ? exact : given;
  if (llabs(exact.exp2 - given.exp2) > 200)
    return scaled_above(exact, given) ? scaled_of(exact.m * (1 - 0x1p-60L), exact.exp2) :
                                        scaled_of(given.m * (1 - 0x1p-60L), given.exp2);
  b[0] = (uint64_t)ldexp(fabs(half), 53);
  magnitude_shift(unit > exp2 ? b : a, WIDE_LONG, llabs(unit - exp2));
  apart = negative != (value < 0);
  if (!apart)
    for (k = WIDE_LONG - 1; k >= 0 && a[k] == b[k];)
      k--;
  if (!apart && k >= 0 && a[k] < b[k]) { /* the larger one first */
    uint64_t swap[WIDE_LONG];
    memcpy(swap, a, sizeof a);
    memcpy(a, b, sizeof a);
    memcpy(b, swap, sizeof a);
  }
  {
    uint128 carry = !apart;
    for (k = 0; k < WIDE_LONG; k++) {
      carry += (uint128)a[k] + (apart ? b[k] : ~b[k]);
      a[k] = (uint64_t)carry;
      carry >>= 64;
    }
  }
  return magnitude_scaled(a, WIDE_LONG, exp2 < unit ? exp2 : unit);
}

#endif
/* SPDX-License-Identifier: MIT */
