/* Slow, independent answers. Nothing here shares code with the headers. */
#ifndef PERM_ORACLE_H_INCLUDED
#define PERM_ORACLE_H_INCLUDED

#include <limits.h>

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 oracle_wide; /* 113 bits */
#else
typedef long double oracle_wide;
#endif
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 oracle_int;
#else
typedef oracle_wide oracle_int; /* 32-bit machines: whole numbers below 2^113, without %, << and words in memory */
#endif

/* a b = *high 2^64 + the value returned */
static uint64_t oracle_product(uint64_t a, uint64_t b, uint64_t *high)
{
  const uint64_t half = 0xffffffffu, middle = (a >> 32) * (b & half) + ((a & half) * (b & half) >> 32);
  *high = (a >> 32) * (b >> 32) + (middle >> 32) + (((a & half) * (b >> 32) + (middle & half)) >> 32);
  return a * b;
}

/* a b modulo m, for a, b < m <= 2^63 */
static uint64_t oracle_multiply(uint64_t a, uint64_t b, uint64_t m)
{
#if defined(__SIZEOF_INT128__)
  return (uint64_t)((oracle_int)a * b % m);
#else
  uint64_t r = 0;
  for (; b; b >>= 1, a = 2 * a % m)
    r = (r + (b & 1) * a) % m;
  return r;
#endif
}

/* The long integer modulo m < 2^63, in 0..m-1 */
__attribute__((unused)) static uint64_t oracle_modulo(const perm_integer *integer, uint64_t m)
{
  uint64_t r = 0;
  int k;
  for (k = integer->words - 1; k >= 0; k--)
    r = (oracle_multiply(r, (UINT64_MAX % m + 1) % m, m) + integer->word[k] % m) % m;
  return integer->negative && r ? m - r : r;
}

__attribute__((unused)) static oracle_int oracle_integer_of(const perm_integer *integer)
{
  oracle_int x = 0;
  int k;
  for (k = integer->words - 1; k >= 0; k--)
    x = x * ((oracle_int)UINT64_MAX + 1) + integer->word[k];
  return integer->negative ? -x : x;
}

/* x modulo m <= 2^63, in 0..m-1 */
__attribute__((unused)) static uint64_t oracle_remainder(oracle_int x, uint64_t m)
{
  const oracle_int word = (oracle_int)UINT64_MAX + 1, size = x < 0 ? -x : x;
  const uint64_t high = (uint64_t)(size / word), low = (uint64_t)(size - high * word);
  const uint64_t r = (oracle_multiply(high % m, (UINT64_MAX % m + 1) % m, m) + low % m) % m;
  return x < 0 && r ? m - r : r;
}

/* Rows so that each adds the fewest columns to those before it. */
static void oracle_order(int n, const int64_t *a, int *order)
{
  uint64_t seen = 0;
  int done[63] = {0}, i, j, k;
  for (k = 0; k < n; k++) {
    int best = -1, least = n + 1;
    for (i = 0; i < n; i++) {
      int more = 0;
      for (j = 0; j < n; j++)
        more += a[i * n + j] && !(seen >> j & 1);
      if (!done[i] && more < least) {
        least = more;
        best = i;
      }
    }
    done[best] = 1;
    order[k] = best;
    for (j = 0; j < n; j++)
      seen |= (uint64_t)(a[best * n + j] != 0) << j;
  }
}

/* The permanent of integers modulo m < 2^63, row by row over the sets of columns used so far that can still become all
   columns. n <= 62. UINT64_MAX: a step has more than `most` places for them. */
__attribute__((unused)) static uint64_t oracle_residue(int n, const int64_t *a, uint64_t m, size_t most)
{
  typedef struct place { uint64_t set, value; } place; /* set: with bit n, else the place is free */
  place *from = (place *)calloc(1, sizeof *from);
  size_t size = 1, sets = 1;
  uint64_t result;
  int order[63], i, j, k;
  oracle_order(n, a, order);
  from[0].set = UINT64_C(1) << n;
  from[0].value = 1 % m;
  for (k = 0; k < n && sets; k++) {
    const int64_t *row = a + order[k] * n;
    uint64_t open = UINT64_C(1) << n; /* columns that later rows have */
    size_t room = 2, s, degree = 0;
    place *to;
    for (j = 0; j < n; j++) {
      degree += row[j] != 0;
      for (i = k + 1; i < n; i++)
        open |= (uint64_t)(a[order[i] * n + j] != 0) << j;
    }
    while (room < 2 * sets * degree)
      room *= 2;
    if (room > most) {
      free(from);
      return UINT64_MAX;
    }
    to = (place *)calloc(room, sizeof *to);
    for (s = 0, sets = 0; s < size; s++)
      for (j = 0; j < n && from[s].set; j++) {
        const uint64_t set = from[s].set | UINT64_C(1) << j;
        const uint64_t entry = (row[j] < 0 ? m - (0 - (uint64_t)row[j]) % m : (uint64_t)row[j]) % m;
        size_t at = (size_t)(set * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
        if (!row[j] || set == from[s].set || (set | open) != (UINT64_C(2) << n) - 1)
          continue;
        while (to[at].set && to[at].set != set)
          at = (at + 1) & (room - 1);
        sets += !to[at].set;
        to[at].set = set;
        to[at].value = (to[at].value + oracle_multiply(from[s].value, entry, m)) % m;
      }
    free(from);
    from = to;
    size = room;
  }
  for (result = 0, i = 0; i < (int)size && sets; i++)
    result += from[i].value; /* of one set */
  free(from);
  return result;
}

/* Permanent by dynamic programming over subsets of columns, exact while it fits 127 bits. n <= 20. */
__attribute__((unused)) static oracle_int oracle_integer(int n, const double *a)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_int *value = (oracle_int *)calloc(subsets, sizeof *value), result;
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    if (row < n && value[s])
      for (j = 0; j < n; j++)
        if (!(s >> j & 1))
          value[s | (size_t)1 << j] += value[s] * (oracle_int)a[row * n + j];
  }
  result = value[subsets - 1];
  free(value);
  return result;
}

/* The same in quadruple precision: no cancellation beyond the permanent's own. */
__attribute__((unused)) static oracle_wide oracle_real(int n, const double *a)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_wide *value = (oracle_wide *)calloc(subsets, sizeof *value), result;
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    if (row < n && value[s] != 0)
      for (j = 0; j < n; j++)
        if (!(s >> j & 1))
          value[s | (size_t)1 << j] += value[s] * (oracle_wide)a[row * n + j];
  }
  result = value[subsets - 1];
  free(value);
  return result;
}

/* The permanent without any rounding, whatever the range of the entries: the same program over whole numbers of the
   least bit of each row, in long two's complement words. Real (parts = 1) and complex (parts = 2: pairs). n <= 16. */
typedef struct oracle_exact {
  int parts, words;
  long long exp2; /* the parts are whole numbers of 2^exp2 */
  uint64_t *part[2];
} oracle_exact;

typedef struct oracle_entry { uint64_t mantissa; int exp2, negative; } oracle_entry; /* +- mantissa 2^exp2; odd or 0 */

static oracle_entry oracle_whole(uint64_t mantissa, int exp2, int negative)
{
  oracle_entry entry;
  for (; mantissa && !(mantissa & 1); exp2++)
    mantissa >>= 1;
  entry.mantissa = mantissa;
  entry.exp2 = exp2;
  entry.negative = negative;
  return entry;
}

static oracle_entry oracle_double(double x)
{
  int exp2;
  const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &exp2), 53);
  return oracle_whole(mantissa, exp2 - 53, x < 0);
}

/* |x| = mantissa 2^*exp2, mantissa odd or 0 */
static uint64_t oracle_split(double x, int *exp2)
{
  const oracle_entry entry = oracle_double(x);
  *exp2 = entry.exp2;
  return entry.mantissa;
}

/* to +-= from mantissa 2^shift, all of `words` words */
static void oracle_add_product(uint64_t *to, const uint64_t *from, int words, uint64_t mantissa, int shift,
                               int subtract)
{
  const int offset = shift / 64, bits = shift % 64;
  const uint64_t factor[2] = {mantissa << bits, bits ? mantissa >> (64 - bits) : 0};
  int k, i;
  for (k = 0; k < 2; k++) {
    uint64_t carry = 0, borrow = 0;
    for (i = 0; factor[k] && i + offset + k < words; i++) {
      uint64_t high, low = oracle_product(from[i], factor[k], &high), *at = &to[i + offset + k], old = *at;
      low += carry;
      carry = high + (low < carry);
      *at = subtract ? old - low - borrow : old + low + borrow;
      borrow = borrow ? (subtract ? *at >= old : *at <= old) : (subtract ? *at > old : *at < old);
    }
  }
}

/* Of m x n entries, m <= n, with the work it takes, about, in words multiplied: rows beyond a limit of it give words 0.
   m < n: the sum over injections of rows into columns. */
static oracle_exact oracle_exact_entries(int parts, int m, int n, const oracle_entry *a, double limit)
{
  oracle_exact exact;
  size_t subsets = (size_t)1 << n, s, size;
  int i, j, k, least[16], bits = n + 8;
  uint64_t *value;
  memset(&exact, 0, sizeof exact);
  exact.parts = parts;
  for (i = 0; i < m; i++) {
    int most = INT_MIN;
    least[i] = INT_MAX;
    for (j = 0; j < n * parts; j++) {
      const oracle_entry *entry = &a[i * n * parts + j];
      int length = 0;
      while (length < 64 && entry->mantissa >> length)
        length++;
      if (length && entry->exp2 < least[i])
        least[i] = entry->exp2;
      if (length && entry->exp2 + length > most)
        most = entry->exp2 + length;
    }
    if (most == INT_MIN)
      least[i] = most = 0;
    exact.exp2 += least[i];
    for (k = 0; n >> k; k++)
      ;
    bits += most - least[i] + 1 + k;
  }
  exact.words = bits / 64 + 1;
  if ((double)subsets * n * parts * parts * exact.words > limit) {
    exact.words = 0;
    return exact;
  }
  size = (size_t)(exact.words * parts);
  value = (uint64_t *)calloc(subsets * size, sizeof *value);
  exact.part[0] = (uint64_t *)calloc(2 * (size_t)exact.words, sizeof *value);
  exact.part[1] = exact.part[0] + exact.words;
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    const uint64_t *from = value + s * size;
    for (i = 0, j = 0; j < n; j++)
      i += (int)(s >> j & 1);
    for (k = 0; k < parts && i == m; k++)
      oracle_add_product(exact.part[k], from + k * exact.words, exact.words, 1, 0, 0);
    for (j = 0; j < n && i < m; j++)
      if (!(s >> j & 1)) {
        uint64_t *to = value + (s | (size_t)1 << j) * size;
        for (k = 0; k < parts; k++) {
          const oracle_entry x = a[(i * n + j) * parts + k];
          if (!x.mantissa)
            continue;
          oracle_add_product(to + k * exact.words, from, exact.words, x.mantissa, x.exp2 - least[i], x.negative);
          if (parts == 2) /* i times i is -1 */
            oracle_add_product(to + (1 - k) * exact.words, from + exact.words, exact.words, x.mantissa,
                               x.exp2 - least[i], x.negative != (k == 1));
        }
      }
  }
  free(value);
  return exact;
}

__attribute__((unused)) static oracle_exact oracle_exact_make(int parts, int n, const double *a)
{
  oracle_entry entry[16 * 16 * 2];
  int k;
  for (k = 0; k < n * n * parts; k++)
    entry[k] = oracle_double(a[k]);
  return oracle_exact_entries(parts, n, n, entry, HUGE_VAL);
}

/* Is the part the integer of so many words, least first? modulus <= 2^63, not 0: modulo that. */
__attribute__((unused)) static int oracle_exact_is(const oracle_exact *exact, int part, int negative, int words,
                                                   const uint64_t *word, uint64_t modulus)
{
  const uint64_t *from = exact->part[part];
  const int below = from[exact->words - 1] >> 63 != 0;
  uint64_t carry = (uint64_t)below, residue = 0;
  long long bit, from_bit, bits = 64LL * exact->words, i;
  uint64_t *d = (uint64_t *)malloc((size_t)exact->words * sizeof *d);
  int same = 1;
  for (i = 0; i < exact->words; i++) { /* the modulus of the number */
    d[i] = (below ? ~from[i] : from[i]) + carry;
    carry = carry && !d[i];
  }
  if (modulus) {
    for (bit = bits; bit-- > 0;)
      residue = (residue * 2 + (d[bit / 64] >> bit % 64 & 1)) % modulus;
    for (i = 0; i < exact->exp2; i++)
      residue = residue * 2 % modulus;
    residue = below && residue ? modulus - residue : residue;
    same = exact->exp2 >= 0 && !negative && words <= 1 && residue == (words ? word[0] : 0);
  } else {
    int any = 0;
    for (bit = 0; bit < bits || bit + exact->exp2 < 64LL * words; bit++) {
      from_bit = bit + exact->exp2; /* where this bit of d stands in the integer */
      const int is = bit < bits && (d[bit / 64] >> bit % 64 & 1);
      const int wanted = from_bit >= 0 && from_bit < 64LL * words && (word[from_bit / 64] >> from_bit % 64 & 1);
      any |= is;
      same &= is == wanted;
    }
    for (bit = 0; bit < exact->exp2 && bit < 64LL * words; bit++)
      same &= !(word[bit / 64] >> bit % 64 & 1);
    same &= !any || negative == below;
    same &= words == 0 || word[words - 1] != 0;
    same &= words > 0 || !negative;
  }
  free(d);
  return same;
}

__attribute__((unused)) static void oracle_exact_free(oracle_exact *exact)
{
  free(exact->part[0]);
}

/* |part - (high + low) 2^exp2| in units of 2^exp2, to a relative 1e-15 or so */
static double oracle_exact_part(const oracle_exact *exact, int part, double high, double low, long long exp2)
{
  const double x[2] = {high, low};
  uint64_t mantissa[2], *d, *one;
  int e, words = exact->words + 1, i, k;
  long long unit = exact->exp2, at[2];
  double distance;
  for (k = 0; k < 2; k++) {
    mantissa[k] = oracle_split(x[k], &e);
    at[k] = mantissa[k] ? e + exp2 : unit;
    unit = at[k] < unit ? at[k] : unit;
  }
  words += (int)((exact->exp2 - unit) / 64) + 2;
  for (k = 0; k < 2; k++)
    words = (at[k] - unit) / 64 + 4 > words ? (int)((at[k] - unit) / 64) + 4 : words;
  d = (uint64_t *)calloc(3 * (size_t)words, sizeof *d);
  one = d + 2 * (size_t)words;
  one[0] = 1;
  for (i = 0; i < words; i++)
    d[words + i] = i < exact->words ? exact->part[part][i] : exact->part[part][exact->words - 1] >> 63 ? UINT64_MAX : 0;
  oracle_add_product(d, d + words, words, 1, (int)(exact->exp2 - unit), 0);
  for (k = 0; k < 2; k++)
    oracle_add_product(d, one, words, mantissa[k], (int)(at[k] - unit), x[k] > 0);
  if (d[words - 1] >> 63) {
    uint64_t carry = 1;
    for (i = 0; i < words; i++) {
      d[i] = ~d[i] + carry;
      carry = carry && !d[i];
    }
  }
  for (i = words - 1; i > 0 && !d[i]; i--)
    ;
  distance = ldexp((double)d[i] + (i ? ldexp((double)d[i - 1], -64) : 0), 64 * i + (int)(unit - exp2));
  if (distance == 0 && d[i])
    distance = 5e-324;
  free(d);
  return distance;
}

/* |exact - (real + i imaginary) 2^exp2| in units of 2^exp2 */
__attribute__((unused)) static double oracle_exact_distance(const oracle_exact *exact, double real, double imaginary,
                                                            long long exp2)
{
  double x = oracle_exact_part(exact, 0, real, 0, exp2), y = oracle_exact_part(exact, 1, imaginary, 0, exp2);
  return exact->parts == 1 ? x : hypot(x, y);
}

#endif
/* SPDX-License-Identifier: MIT */
