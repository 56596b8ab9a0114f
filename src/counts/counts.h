/* ========================================================================================= >>counts
   Matrices in which equal rows and equal columns stand once, with a count: declared by the caller, or found. And the
   dynamic programme over counts.

   A problem is what the caller gives; permi_counted is what is left of it: at most as many rows as columns (else it is
   transposed), no line that stands 0 times, no two equal ones, no zero columns where columns are to spare. An engine
   takes the rows or the columns as digits, v_d = 0 .. count_d of them used, and the others as forms:
     subsets  one form after another takes up one more of the digits, or none where forms are to spare;
     repeats  (next room) forms are evaluated at signs, or numbers, of digits.
   Doubles and double-doubles are scaled by powers of two so that where every form must be used, a form's sum of moduli
   is at most 1, and otherwise every digit's is: then no sum of products exceeds 1 by more than binomials, and what an
   operation loses does not grow. */
#pragma once
#include "../base/memory.h"
#include "../dense/reach.h"

typedef struct permi_problem {
  int m, n, parts;        /* parts: 1, or 2 for complex entries */
  const double *real;     /* the entries, or NULL and */
  const int64_t *integer; /* these */
  ptrdiff_t ld;
  const int *row_count, *column_count; /* NULL: once each */
  const permi_reach *reach;
} permi_problem;

typedef struct permi_counted {
  int m, n, parts;   /* distinct rows and columns */
  int rows, columns; /* in all; rows <= columns */
  int zero;          /* 1: the permanent is */
  int *row_count, *column_count;
  double *real;     /* [m][n][parts], or NULL and */
  int64_t *integer; /* these, */
  int scaled, exp2; /* scaled: times 2^exp2: doubles as integers */
  const permi_reach *reach;
} permi_counted;

PERMI_NEVER_INLINE static uint64_t permi_problem_bits(const permi_problem *problem, int i, int j, int part)
{
  const ptrdiff_t at = ((ptrdiff_t)i * problem->ld + j) * problem->parts + part;
  uint64_t bits;
  double x;
  if (problem->integer)
    return (uint64_t)problem->integer[at];
  x = problem->real[at] + 0; /* -0 and 0 are the same entry */
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Are the lines (rows, or columns) x and y equal where the other lines, `others` of them, stand? */
static int permi_lines_equal(const permi_problem *problem, int by_columns, int x, int y, const int *other, int others)
{
  int k, part;
  for (k = 0; k < others; k++)
    for (part = 0; part < problem->parts; part++)
      if (by_columns ? permi_problem_bits(problem, other[k], x, part) != permi_problem_bits(problem, other[k], y, part)
                     : permi_problem_bits(problem, x, other[k], part) != permi_problem_bits(problem, y, other[k], part))
        return 0;
  return 1;
}

/* line[0..] := the first of each set of equal lines, count[0..] := how often they stand in all. Returns their number.
   Lines that differ usually do so in their first places, so they are compared, without hashing. */
static int permi_lines_merge(const permi_problem *problem, int by_columns, const int *other, int others, int *line,
                             int *count, uint64_t *first)
{
  const int size = by_columns ? problem->n : problem->m;
  const int *given = by_columns ? problem->column_count : problem->row_count;
  int used = 0, x, k;
  for (x = 0; x < size && others; x++) {
    const int times = given ? given[x] : 1;
    const uint64_t place =
        by_columns ? permi_problem_bits(problem, other[0], x, 0) : permi_problem_bits(problem, x, other[0], 0);
    if (!times)
      continue;
    for (k = 0; k < used; k++)
      if (first[k] == place && permi_lines_equal(problem, by_columns, line[k], x, other, others))
        break;
    if (k == used) {
      first[used] = place;
      line[used] = x;
      count[used++] = 0;
    }
    count[k] += times;
  }
  return used;
}

static int permi_counts_total(const int *count, int size)
{
  int total = 0, k;
  for (k = 0; k < size; k++)
    total += count[k];
  return total;
}

static int permi_line_is_zero(const permi_problem *problem, int by_columns, int x, const int *other, int others)
{
  int k, part;
  for (k = 0; k < others; k++)
    for (part = 0; part < problem->parts; part++)
      if (by_columns ? permi_problem_bits(problem, other[k], x, part) : permi_problem_bits(problem, x, other[k], part))
        return 0;
  return 1;
}

/* Drops the lines that are zero; returns how many are left. */
static int permi_lines_drop(const permi_problem *problem, int by_columns, const int *other, int others, int *line,
                            int *count, int lines)
{
  int left = 0, k;
  for (k = 0; k < lines; k++)
    if (!permi_line_is_zero(problem, by_columns, line[k], other, others)) {
      line[left] = line[k];
      count[left++] = count[k];
    }
  return left;
}

/* Arguments have been checked. Everything is in the one allocation counted->row_count. O(m n) where lines differ. */
PERMI_COLD static perm_status permi_counted_make(const permi_problem *problem, const perm_allocator *allocator,
                                                 permi_counted *counted)
{
  const int most = problem->m > problem->n ? problem->m : problem->n;
  int *line[2], *count[2], lines[2], total[2], all, side, i, j, part; /* 0: rows, 1: columns */
  uint64_t *lists = (uint64_t *)permi_allocate(allocator, (size_t)most, sizeof *lists + 4 * sizeof(int));
  size_t entries;
  memset(counted, 0, sizeof *counted);
  if (!lists)
    return PERM_ERROR_MEMORY;
  line[0] = (int *)(lists + most);
  line[1] = line[0] + most;
  count[0] = line[1] + most;
  count[1] = count[0] + most;
  for (all = 0; all < problem->n; all++)
    line[1][all] = all;
  lines[0] = permi_lines_merge(problem, 0, line[1], all, line[0], count[0], lists);
  lines[1] = permi_lines_merge(problem, 1, line[0], lines[0], line[1], count[1], lists);
  for (side = 0; side < 2; side++)
    total[side] = permi_counts_total(count[side], lines[side]);
  for (side = 0; side < 2; side++) { /* zero lines: no harm where lines are to spare */
    const int left =
        permi_lines_drop(problem, side, line[1 - side], lines[1 - side], line[side], count[side], lines[side]);
    if (left < lines[side] && total[side] <= total[1 - side])
      counted->zero = 1;
    lines[side] = left;
  }
  i = permi_counts_total(count[0], lines[0]);
  j = permi_counts_total(count[1], lines[1]);
  if (total[0] <= total[1] ? j < total[0] : i < total[1])
    counted->zero = 1;
  side = i > j; /* the side that becomes the rows */
  counted->m = lines[side];
  counted->n = lines[1 - side];
  counted->rows = side ? j : i;
  counted->columns = side ? i : j;
  counted->parts = problem->parts;
  counted->reach = problem->reach;
  entries = (size_t)counted->m * (size_t)counted->n * (size_t)problem->parts;
  counted->real = (double *)permi_allocate(allocator, entries + (size_t)(counted->m + counted->n), sizeof(double));
  if (!counted->real) {
    permi_release(allocator, lists);
    return PERM_ERROR_MEMORY;
  }
  counted->row_count = (int *)(counted->real + entries);
  counted->column_count = counted->row_count + counted->m;
  memcpy(counted->row_count, count[side], (size_t)counted->m * sizeof(int));
  memcpy(counted->column_count, count[1 - side], (size_t)counted->n * sizeof(int));
  if (problem->integer)
    counted->integer = (int64_t *)(void *)counted->real;
  for (i = 0; i < counted->m; i++)
    for (j = 0; j < counted->n; j++)
      for (part = 0; part < problem->parts; part++) {
        const uint64_t bits = side ? permi_problem_bits(problem, line[0][j], line[1][i], part)
                                   : permi_problem_bits(problem, line[0][i], line[1][j], part);
        memcpy(counted->real + ((size_t)i * (size_t)counted->n + (size_t)j) * (size_t)problem->parts + part, &bits,
               sizeof bits);
      }
  permi_release(allocator, lists);
  return PERM_OK;
}

/* Doubles as whole numbers of their least bit, when they fit 62 bits: the last rung of the ladder of precisions. In a
   copy, *whole. 0 when they do not fit, or memory runs out. */
PERMI_COLD static int permi_counted_whole(const permi_counted *counted, const perm_allocator *allocator,
                                          permi_counted *whole)
{
  const size_t entries = (size_t)counted->m * (size_t)counted->n * (size_t)counted->parts;
  const size_t bytes = entries * sizeof(double) + (size_t)(counted->m + counted->n) * sizeof(int);
  int least = INT_MAX, most = INT_MIN;
  size_t k;
  for (k = 0; k < entries; k++)
    if (counted->real[k] != 0) {
      int e = permi_exponent(counted->real[k]), low;
      most = e > most ? e : most;
      low = e - 53 + permi_trailing_zeros((uint64_t)ldexp(fabs(counted->real[k]), 53 - e));
      least = low < least ? low : least;
    }
  if (most - least > 62)
    return 0;
  *whole = *counted;
  whole->real = (double *)permi_allocate(allocator, 1, bytes);
  if (!whole->real)
    return 0;
  memcpy(whole->real, counted->real, bytes);
  whole->row_count = (int *)(whole->real + entries);
  whole->column_count = whole->row_count + counted->m;
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
