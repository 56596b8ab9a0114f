/* ========================================================================================= >>counts
   Matrices whose equal rows and columns stand once, with counts that the caller declares or that are found here.
   permi_counted is what is left of a problem: rows <= columns (else transposed), no count 0, no equal lines, no zero
   lines where some are to spare. An engine takes one side as digits, v_d = 0 .. count_d of them used, the other as
   forms:
     >>subsets    each form takes up one more digit, or none if forms are to spare;
     >>sign_sums  forms are evaluated at signs, or numbers, of digits.
   Powers of two scale the sums of moduli of forms, if all are used, else of digits, to at most 1: no sum of products
   exceeds 1 but by binomials, and what an operation loses does not grow. */
#pragma once
#include "../base/memory.h"
#include "../job/problem.h"
#include "../dense/reach.h"

typedef struct permi_counted {
  int m, n, parts;   /* distinct rows and columns */
  int rows, columns; /* with counts; rows <= columns */
  int zero;
  int *row_count, *column_count;
  double *real;     /* [m][n][parts]; NULL if integers */
  int64_t *integer;
  int scaled, exp2; /* scaled: doubles as integers, times 2^exp2 */
  const permi_reach *reach;
} permi_counted;

/* 0 for both zeros. */
PERMI_NEVER_INLINE static uint64_t permi_line_bits(const permi_problem *problem, int by_columns, int line, int other,
                                                   int part)
{
  const ptrdiff_t i = by_columns ? other : line, j = by_columns ? line : other;
  const ptrdiff_t at = (i * problem->ld + j) * problem->parts + part;
  uint64_t bits;
  double x;
  if (problem->integer)
    return (uint64_t)problem->integer[at];
  x = problem->real[at] + 0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Returns 1 only if no rows of a square matrix of integers are equal, no columns, and none is 0: their polynomials
   differ at one place modulo 2^64. O(n^2). */
static int permi_lines_differ(const permi_problem *problem)
{
  const int n = problem->n, parts = problem->parts;
  uint64_t weight[2 * PERM_MAX_N], sum[2][PERM_MAX_N];
  int i, j, k, side;
  weight[0] = 1;
  for (k = 1; k < n * parts; k++)
    weight[k] = weight[k - 1] * UINT64_C(0x9e3779b97f4a7c15);
  memset(sum, 0, sizeof sum);
  for (i = 0; i < n; i++) {
    const int64_t *row = problem->integer + i * problem->ld * parts;
    for (j = k = 0; k < n * parts; k++) {
      sum[0][i] += (uint64_t)row[k] * weight[k];
      sum[1][j] += (uint64_t)row[k] * weight[i * parts + (parts == 2 ? k & 1 : 0)];
      j += parts == 1 || k & 1;
    }
  }
  for (side = 0; side < 2; side++)
    for (i = 0; i < n; i++)
      for (j = 0; j <= i; j++)
        if (sum[side][i] == (j < i ? sum[side][j] : 0))
          return 0;
  return 1;
}

typedef struct permi_lines {
  int *line, *count, lines;
  int total; /* of the counts */
} permi_lines;

/* Line y is zero if y < 0. */
static int permi_lines_equal(const permi_problem *problem, int by_columns, int x, int y, const permi_lines *other)
{
  int k, part;
  for (k = 0; k < other->lines; k++)
    for (part = 0; part < problem->parts; part++)
      if (permi_line_bits(problem, by_columns, x, other->line[k], part) !=
          (y < 0 ? 0 : permi_line_bits(problem, by_columns, y, other->line[k], part)))
        return 0;
  return 1;
}

/* Lines that differ mostly do so in their first places (`first`: room for them). */
static void permi_lines_merge(const permi_problem *problem, int by_columns, const permi_lines *other,
                              permi_lines *lines, uint64_t *first)
{
  const int size = by_columns ? problem->n : problem->m;
  const int *given = by_columns ? problem->column_count : problem->row_count;
  int used = 0, x, k;
  for (x = 0; x < size && other->lines; x++) {
    const int times = given ? given[x] : 1;
    const uint64_t place = permi_line_bits(problem, by_columns, x, other->line[0], 0);
    if (!times)
      continue;
    for (k = 0; k < used; k++)
      if (first[k] == place && permi_lines_equal(problem, by_columns, lines->line[k], x, other))
        break;
    if (k == used) {
      first[used] = place;
      lines->line[used] = x;
      lines->count[used++] = 0;
    }
    lines->count[k] += times;
    lines->total += times;
  }
  lines->lines = used;
}

static void permi_lines_drop_zeros(const permi_problem *problem, int by_columns, const permi_lines *other,
                                   permi_lines *lines)
{
  int left = 0, k;
  for (k = 0; k < lines->lines; k++)
    if (permi_lines_equal(problem, by_columns, lines->line[k], -1, other)) {
      lines->total -= lines->count[k];
    } else {
      lines->line[left] = lines->line[k];
      lines->count[left++] = lines->count[k];
    }
  lines->lines = left;
}

static size_t permi_counted_entries(const permi_counted *counted)
{
  return (size_t)counted->m * (size_t)counted->n * (size_t)counted->parts;
}

/* Makes the one allocation, counted->real, for entries and counts. */
static int permi_counted_room(const perm_allocator *allocator, permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted), counts = (size_t)(counted->m + counted->n);
  counted->real = (double *)permi_allocate(allocator, 1, entries * sizeof(double) + counts * sizeof(int));
  if (!counted->real)
    return 0;
  counted->row_count = (int *)(counted->real + entries);
  counted->column_count = counted->row_count + counted->m;
  return 1;
}

/* O(m n) where lines differ. */
PERMI_COLD static perm_status permi_counted_make(const permi_problem *problem, const perm_allocator *allocator,
                                                 permi_counted *counted)
{
  const int most = problem->m > problem->n ? problem->m : problem->n;
  permi_lines side[2];
  const permi_lines *rows, *columns;
  int needed, s, i, j, part;
  uint64_t *first = (uint64_t *)permi_allocate(allocator, (size_t)most, sizeof *first + 4 * sizeof(int));
  double *to;
  memset(counted, 0, sizeof *counted);
  if (!first)
    return PERM_ERROR_MEMORY;
  for (s = 0; s < 2; s++) {
    side[s].line = (int *)(first + most) + 2 * s * most;
    side[s].count = side[s].line + most;
    side[s].total = 0;
  }
  for (j = 0; j < problem->n; j++)
    side[1].line[j] = j;
  side[1].lines = problem->n;
  for (s = 0; s < 2; s++)
    permi_lines_merge(problem, s, &side[1 - s], &side[s], first);
  needed = side[0].total < side[1].total ? side[0].total : side[1].total;
  for (s = 0; s < 2; s++) { /* harmless where lines are to spare */
    permi_lines_drop_zeros(problem, s, &side[1 - s], &side[s]);
    counted->zero |= side[s].total < needed;
  }
  s = side[0].total > side[1].total;
  rows = &side[s];
  columns = &side[1 - s];
  counted->m = rows->lines;
  counted->n = columns->lines;
  counted->rows = rows->total;
  counted->columns = columns->total;
  counted->parts = problem->parts;
  counted->reach = problem->reach;
  if (!permi_counted_room(allocator, counted)) {
    permi_release(allocator, first);
    return PERM_ERROR_MEMORY;
  }
  to = counted->real;
  if (problem->integer)
    counted->integer = (int64_t *)(void *)to;
  for (i = 0; i < counted->m; i++)
    for (j = 0; j < counted->n; j++)
      for (part = 0; part < problem->parts; part++) {
        const uint64_t bits = permi_line_bits(problem, s, rows->line[i], columns->line[j], part);
        memcpy(to++, &bits, sizeof bits);
      }
  memcpy(counted->row_count, rows->count, (size_t)counted->m * sizeof(int));
  memcpy(counted->column_count, columns->count, (size_t)counted->n * sizeof(int));
  permi_release(allocator, first);
  return PERM_OK;
}

/* Doubles as multiples of their least bit. Returns 0 above 62 bits, or if memory runs out. */
PERMI_COLD static int permi_counted_whole(const permi_counted *counted, const perm_allocator *allocator,
                                          permi_counted *whole)
{
  const size_t entries = permi_counted_entries(counted);
  int least = INT_MAX, most = INT_MIN;
  size_t k;
  for (k = 0; k < entries; k++)
    if (counted->real[k] != 0) {
      const int e = permi_exponent(counted->real[k]);
      const int low = e - 53 + permi_trailing_zeros((uint64_t)ldexp(fabs(counted->real[k]), 53 - e));
      most = e > most ? e : most;
      least = low < least ? low : least;
    }
  if (most - least > 62)
    return 0;
  *whole = *counted;
  if (!permi_counted_room(allocator, whole))
    return 0;
  memcpy(whole->row_count, counted->row_count, (size_t)(counted->m + counted->n) * sizeof(int));
  whole->integer = (int64_t *)(void *)whole->real;
  whole->scaled = 1;
  whole->exp2 = least;
  for (k = 0; k < entries; k++) {
    const int64_t x = (int64_t)ldexp(counted->real[k], -least);
    memcpy(whole->real + k, &x, sizeof x);
  }
  return 1;
}

static void permi_counted_free(const perm_allocator *allocator, permi_counted *counted)
{
  permi_release(allocator, counted->real);
}

PERMI_COLD static uint64_t permi_counted_fingerprint(const permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted);
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)counted->m);
  size_t k;
  int x;
  for (x = 0; x < counted->m + counted->n; x++)
    hash = permi_hash(hash, (uint64_t)counted->row_count[x]);
  for (k = 0; k < entries; k++) {
    uint64_t bits;
    memcpy(&bits, counted->real + k, sizeof bits);
    hash = permi_hash(hash, bits);
  }
  return hash;
}
/* SPDX-License-Identifier: MIT */
