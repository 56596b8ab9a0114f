/* Seeded matrices of a case's levels: whole numbers, of doubles times powers of two of rows and columns, so that the
   oracle knows their permanent exactly. */
#ifndef PERM_ATTACK_MATRICES_H_INCLUDED
#define PERM_ATTACK_MATRICES_H_INCLUDED

#include "levels.h"
#include "subsets.h"

static uint64_t random_state;
static uint64_t random_bits(void)
{
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
static int random_below(int most) { return (int)((random_bits() >> 16) % (uint64_t)most); }

typedef struct problem {
  int level[FACTORS];
  int m, n, parts, repeated;
  int row_count[LINES_MOST], column_count[LINES_MOST], row_exp2[LINES_MOST], column_exp2[LINES_MOST];
  int64_t a[2 * LINES_MOST * LINES_MOST]; /* (i, j) at (i n + j) parts */
  double real[2 * LINES_MOST * LINES_MOST]; /* the same with exponents */
  uint64_t modulus;
  int few; /* values of entries; 0: any */
  int64_t value[3];
} problem;

static int64_t an_entry(const problem *p)
{
  static const int bits_of[] = {1, 3, 10, 20, 31, 53, 62};
  const int bits = bits_of[p->level[BITS]], doubles = p->level[KIND] != INTEGER && p->level[KIND] != RESIDUE;
  uint64_t x = 1 + random_bits() % ((UINT64_C(1) << bits) - 1);
  if (random_below(2))
    x >>= random_below(bits);
  if (doubles && x >> 53) /* a double has it */
    x &= ~UINT64_C(0x1ff);
  x += !x;
  return p->level[SIGNS] && random_below(2) ? -(int64_t)x : (int64_t)x;
}

static void put(problem *p, int i, int j)
{
  int k;
  for (k = 0; k < p->parts; k++)
    p->a[(i * p->n + j) * p->parts + k] = p->few ? p->value[random_below(p->few)] : an_entry(p);
  if (p->parts == 2 && !random_below(6))
    p->a[(i * p->n + j) * 2 + random_below(2)] = 0;
}

/* Squares of a board of so many columns, an even number: black i and white j are neighbours. */
static int are_neighbours(int i, int j, int columns)
{
  const int y = 2 * i / columns, z = 2 * j / columns;
  return abs(y - z) + abs(2 * (i % (columns / 2)) + y % 2 - 2 * (j % (columns / 2)) - (z + 1) % 2) == 1;
}

static void fill_rank(problem *p, int few)
{
  const int rank = 1 + random_below(few ? few : 4), longest = 1 << 20;
  int64_t u[4], v[LINES_MOST][4];
  int i, j, k, r;
  for (j = 0; j < p->n; j++)
    for (r = 0; r < rank; r++)
      v[j][r] = few ? (int64_t)(j % rank == r) : an_entry(p) % (p->level[BITS] >= 4 ? longest : 4);
  for (i = 0; i < p->m; i++)
    for (k = 0; k < p->parts; k++) {
      for (r = 0; r < rank; r++)
        u[r] = few ? an_entry(p) : an_entry(p) % (p->level[BITS] >= 4 ? longest : 4);
      for (j = 0; j < p->n; j++) {
        int64_t sum = 0;
        for (r = 0; r < rank; r++)
          sum += u[r] * v[j][r];
        p->a[(i * p->n + j) * p->parts + k] = sum;
      }
    }
}

static void fill(problem *p, int m, int n)
{
  const int density = p->level[DENSITY], longest = m > n ? m : n, crowded = p->level[ORDER] > 14;
  const int in_a_row = density == 0 ? longest : density == 1 ? (longest + 1) / 2 : density == 2 ? 5 : 6 - density;
  const structure s = (structure)p->level[STRUCTURE];
  int row[LINES_MOST], column[LINES_MOST], block[LINES_MOST], i, j, k;
  const int board = 4 + 2 * random_below(2), holes = 2 + random_below(4), dead = random_below(2);
  p->m = m;
  p->n = n;
  p->few = random_below(3) ? 0 : 1 + random_below(3);
  for (k = 0; k < 3; k++)
    p->value[k] = an_entry(p);
  memset(p->a, 0, sizeof p->a);
  for (i = 0; i < LINES_MOST; i++)
    row[i] = column[i] = i;
  for (i = longest - 1; i > 0 && s != RANK && random_below(3); i--) { /* hides order, at times in part */
    const int x = i < m ? random_below(i + 1) : i, y = i < n ? random_below(i + 1) : i, r = row[i], c = column[i];
    row[i] = row[x], row[x] = r;
    column[i] = column[y], column[y] = c;
  }
  for (i = 0, k = 0; i < longest; k++)
    for (j = 1 + random_below(crowded ? 6 : 8); j > 0 && i < longest; j--)
      block[i++] = k;
  if (s == RANK) {
    fill_rank(p, crowded ? 3 : 0);
    return;
  }
  for (i = 0; i < m; i++) {
    const int nested = crowded ? longest * (1 + i * 4 / longest) / 4 : i + 1 + random_below(2);
    for (j = 0; j < n; j++) {
      const int chosen = random_below(longest) < in_a_row, close = abs(i - j);
      int on = 0;
      switch (s) {
      case NONE: case SINGULAR: on = chosen || (i == j && random_below(8)); break;
      case BLOCKS:
        on = block[i] == block[j] ? i == j || random_below(6) < in_a_row
                                  : dead && block[j] > block[i] && !random_below(9);
        break;
      case BAND: on = close <= (in_a_row > 4 ? 3 : in_a_row > 2 ? 2 : 1) && (close == 0 || random_below(8)); break;
      case BOARD: on = i == j || (are_neighbours(i, j, board) && (density < 4 || random_below(4))); break;
      case NESTED: on = j < nested; break;
      case EQUAL: case HOLES: case RANK: on = 1; break;
      }
      if (on)
        put(p, row[i], column[j]);
    }
  }
  if (s == NESTED || s == EQUAL || s == HOLES) /* lines of a few kinds */
    for (i = 0; i < m; i++)
      for (j = 0; j < n; j++) {
        int64_t *to = p->a + (row[i] * n + column[j]) * p->parts;
        const int like = s == EQUAL ? i % (1 + holes / 2) : s == NESTED ? i : 0;
        const int64_t *from = p->a + (row[like] * n + column[s == EQUAL ? j : 0]) * p->parts;
        if (s == HOLES && j < holes && (i == j || random_below(longest) < 2))
          memset(to, 0, sizeof *to * (size_t)p->parts);
        else if (s != NESTED || to[0] || (p->parts == 2 && to[1]))
          memmove(to, from, sizeof *to * (size_t)p->parts);
      }
  if (s == SINGULAR && m && n) { /* k rows with entries in k - 1 columns */
    k = 1 + random_below(m < 3 ? m : 3);
    for (i = 0; i < k; i++)
      for (j = k - 1; j < n; j++)
        memset(p->a + (row[i] * n + column[j]) * p->parts, 0, sizeof *p->a * (size_t)p->parts);
  }
}

static int powers_fit(uint64_t base, int power, int bits)
{
  double log = power * log2((double)base);
  return log > bits - 1 && log < bits - 1e-9;
}

static int is_a_prime(uint64_t x)
{
  static const uint64_t witness[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  int k, r, twos = 0;
  uint64_t d = x - 1;
  for (k = 0; k < 12; k++)
    if (x % witness[k] == 0)
      return x == witness[k];
  for (; !(d & 1); twos++)
    d >>= 1;
  for (k = 0; k < 12 && x > 1; k++) {
    uint64_t power = 1, base = witness[k], e;
    for (e = d; e; e >>= 1, base = (uint64_t)((uint128)base * base % x))
      power = e & 1 ? (uint64_t)((uint128)power * base % x) : power;
    for (r = 0; r < twos && power != 1 && power != x - 1; r++) {
      power = (uint64_t)((uint128)power * power % x);
      if (power == x - 1)
        break;
    }
    if (power != 1 && power != x - 1)
      return 0;
  }
  return x > 1;
}

static uint64_t a_modulus(const int *level)
{
  static const int bits_of[] = {0, 2, 8, 14, 20, 31, 46, 47, 52, 61, 63};
  const int bits = bits_of[level[MODULUS]], form = level[FORM];
  int tries = 0;
  if (!bits)
    return 0;
  for (;; tries++) {
    uint64_t x = UINT64_C(1) << (bits - 1) | (random_bits() >> 2 & ((UINT64_C(1) << (bits - 1)) - 1));
    if (!random_below(4)) /* close to a power of two */
      x = (UINT64_C(1) << bits) - 1 - (uint64_t)random_below(bits < 8 ? 2 : 60);
    if (form == 1)
      return x | 1;
    if (form == 2)
      return x & ~UINT64_C(1);
    if (form == 3 && is_a_prime(x |= bits > 2))
      return x;
    if (form == 4) {
      static const uint64_t some[] = {2, 3, 5, 7, 11, 13, 17, 31, 97, 257, 1009, 65537};
      const uint64_t base = some[tries < 1000 ? random_below(12) : 0];
      const int power = 2 + random_below(62);
      if (powers_fit(base, power, bits)) {
        int k;
        for (x = 1, k = 0; k < power; k++)
          x *= base;
        return x;
      }
      if (base == 2)
        return UINT64_C(1) << (bits - 1);
    }
  }
}

/* Counts of `lines` lines that add up to `total`; the first is positive if total is */
static void some_counts(int lines, int total, int *count)
{
  int k;
  for (k = 0; k < lines; k++)
    count[k] = 0;
  for (k = 0; k < total; k++)
    count[k && random_below(5) ? random_below(lines) : 0]++;
}

static void make_problem(problem *p)
{
  const int *level = p->level, order = level[ORDER], c = level[CALL], shape = level[SHAPE];
  const int spread = level[SCALE] == 1 ? 20 : 480, long_side = order + 1 + random_below(2);
  int i, j, k;
  p->parts = level[KIND] == COMPLEX || level[KIND] == GAUSSIAN || level[KIND] == GAUSSIAN_RESIDUE ? 2 : 1;
  p->repeated = c == COUNTS || ((c == MINORS_CALL || c == GRADIENT) && (order > 12 || !random_below(3)));
  p->modulus = a_modulus(level);
  if (p->repeated) {
    const int most = order < 6 ? order : 6;
    fill(p, order ? 1 + random_below(most) : random_below(3),
         order ? 1 + random_below(most < 4 ? most : 4) : random_below(3));
    if ((p->m == 0) != (p->n == 0))
      p->m = p->n = 0;
    some_counts(p->m ? p->m : 1, p->m ? order : 0, p->row_count);
    some_counts(p->n ? p->n : 1, p->n ? order : 0, p->column_count);
  } else {
    fill(p, shape == 2 ? long_side : order, shape == 1 ? long_side : order);
    for (i = 0; i < LINES_MOST; i++)
      p->row_count[i] = p->column_count[i] = 1;
  }
  for (i = 0; i < LINES_MOST; i++) {
    const int rows = shape != 2, columns = shape != 1; /* lines of the longer side are not all in a product */
    p->row_exp2[i] = p->column_exp2[i] = 0;
    if (level[SCALE] == 1 || level[SCALE] == 2) {
      p->row_exp2[i] = rows ? random_below(2 * spread) - spread : 0;
      p->column_exp2[i] = columns ? random_below(2 * spread) - spread : 0;
    } else if (level[SCALE] == 3)
      *(rows ? &p->row_exp2[i] : &p->column_exp2[i]) = random_below(3) ? random_below(950) : -1074 + random_below(16);
  }
  for (i = 0; i < p->m; i++)
    for (j = 0; j < p->n; j++)
      for (k = 0; k < p->parts; k++) {
        const int at = (i * p->n + j) * p->parts + k;
        p->real[at] = ldexp((double)p->a[at], p->row_exp2[i] + p->column_exp2[j]);
      }
}

static int total_of(const int *count, int lines)
{
  int sum = 0;
  while (lines--)
    sum += count[lines];
  return sum;
}

/* The oracle's answer about the matrix with its lines as often as they count; of minors without row `last`. 0: it has
   too many states. Minors: value[j] of the j-th column of p. */
static int exact_answer(const problem *p, asked what, int last, answer *result)
{
  static int64_t a[2 * 64 * 64];
  const int rows = total_of(p->row_count, p->m), columns = total_of(p->column_count, p->n), line = p->n * p->parts;
  int i, j, k, r, s, y = 0, equal_rows = 0, equal_columns = 0, first[LINES_MOST], last_row = -1, turned;
  for (i = 0; i < p->m; i++)
    for (k = 0; k < i; k++)
      equal_rows += !memcmp(p->a + i * line, p->a + k * line, sizeof *p->a * (size_t)line);
  for (j = 0; j < p->n; j++)
    for (k = 0; k < j; k++) {
      for (i = 0; i < p->m && !memcmp(p->a + (i * p->n + j) * p->parts, p->a + (i * p->n + k) * p->parts,
                                      sizeof *p->a * (size_t)p->parts);)
        i++;
      equal_columns += i == p->m;
    }
  turned = what != MINORS && (rows > columns || (rows == columns && equal_rows > equal_columns));
  for (i = 0; i < p->m; i++)
    for (r = 0; r < p->row_count[i]; r++, y++) {
      int x = 0;
      if (i == last)
        last_row = y;
      for (j = 0; j < p->n; j++)
        for (first[j] = x, s = 0; s < p->column_count[j]; s++, x++)
          for (k = 0; k < p->parts; k++)
            a[(turned ? x * rows + y : y * columns + x) * p->parts + k] = p->a[(i * p->n + j) * p->parts + k];
    }
  if (!subsets_solve(what, turned ? columns : rows, turned ? rows : columns, p->parts, a, last_row, result))
    return 0;
  if (what == MINORS) {
    static answer copy;
    copy = *result;
    for (j = 0; j < p->n; j++)
      for (k = 0; k < p->parts; k++)
        if (p->column_count[j])
          result->value[j * p->parts + k] = copy.value[first[j] * p->parts + k];
        else
          memset(&result->value[j * p->parts + k], 0, sizeof(wide));
  }
  return 1;
}

#endif
/* SPDX-License-Identifier: MIT */
