/* perm_generate.h: test matrices by name. Include after perm_sparse.h with its implementation; all static.

       perm_matrix matrix;
       perm_result result;
       if (perm_generate("er:40:0.2", 7, NULL, &matrix, &result) != PERM_OK) puts(result.message);

   generate_kinds below lists them, real unless said otherwise; also the benzenoids of generate_molecules by name (their
   permanents count Kekule structures) and circumcoronene. In matrices of `blocks`, one or two entries of every row
   stand in blocks further right, and no transversal uses them.

   The same specification and seed give the same matrix on every machine with IEEE doubles, bit for bit, except
   gauss, complex-gauss, unitary and dft: these call log, cos or sin, or add products that a compiler may contract,
   so their last bits may differ.

   Errors: PERM_ERROR_OPTION (one line that says what was expected), PERM_ERROR_MEMORY. */
#ifndef PERM_GENERATE_H_INCLUDED
#define PERM_GENERATE_H_INCLUDED

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perm_random.h"

/* -- what a generator works with --------------------------------------------------------------- */

/* Triplets; real, imaginary and integer as the kind needs. Zeroed at first. */
typedef struct generate_list {
  generate_random random;
  int n;
  perm_kind kind;
  size_t count, capacity;
  int *row, *column;
  double *real, *imaginary;
  int64_t *integer;
  perm_allocator allocator;
  const perm_options *options; /* or NULL */
  clock_t start;
  unsigned looks;
  perm_status stopped;
  perm_result *result;
} generate_list;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static perm_status generate_fail(perm_result *result, perm_status status, const char *format, ...)
{
  if (result) {
    va_list arguments;
    memset(result, 0, sizeof *result);
    result->value = NAN;
    result->error_bound = result->error_estimate = INFINITY;
    result->status = status;
    result->argument = status == PERM_ERROR_OPTION;
    va_start(arguments, format);
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

static void *generate_allocate(const perm_allocator *allocator, size_t count, size_t size)
{
  if (!count) count = 1;
  if (count > (size_t)-1 / size) return NULL;
  return allocator->allocate ? allocator->allocate(count * size, allocator->user_data) : malloc(count * size);
}

static void generate_release(const perm_allocator *allocator, void *pointer)
{
  if (!pointer) return;
  if (allocator->release) allocator->release(pointer, allocator->user_data);
  else free(pointer);
}

/* Cancelled, or out of time? Looks every 65536 calls, which are an entry or a chance of one each. */
static int generate_stop(generate_list *list)
{
  const perm_options *options = list->options;
  if (++list->looks & 0xffff || !options) return list->stopped != PERM_OK;
  if (options->cancel && *options->cancel) list->stopped = PERM_STOPPED_CANCELLED;
  if (options->max_seconds > 0 && (double)(clock() - list->start) > options->max_seconds * (double)CLOCKS_PER_SEC)
    list->stopped = PERM_STOPPED_TIME;
  return list->stopped != PERM_OK;
}

/* Room for `capacity` entries; keeps those there are. 0: no memory. */
static int generate_reserve(generate_list *list, size_t capacity)
{
  int with_real = list->kind >= PERM_KIND_REAL, with_imaginary = list->kind == PERM_KIND_COMPLEX;
  int with_integer = list->kind == PERM_KIND_INTEGER;
  generate_list old = *list;
  size_t bytes;
  int complete;
  if (capacity <= list->capacity) return 1;
  list->row = (int *)generate_allocate(&list->allocator, capacity, sizeof *list->row);
  list->column = (int *)generate_allocate(&list->allocator, capacity, sizeof *list->column);
  list->real = with_real ? (double *)generate_allocate(&list->allocator, capacity, sizeof *list->real) : NULL;
  list->imaginary = with_imaginary ?
                    (double *)generate_allocate(&list->allocator, capacity, sizeof *list->imaginary) : NULL;
  list->integer = with_integer ? (int64_t *)generate_allocate(&list->allocator, capacity, sizeof *list->integer) : NULL;
  list->capacity = capacity;
  complete = list->row && list->column && (!with_real || list->real) && (!with_imaginary || list->imaginary) &&
             (!with_integer || list->integer);
  if (complete && list->count) {
    bytes = list->count * sizeof *list->row;
    memcpy(list->row, old.row, bytes);
    memcpy(list->column, old.column, bytes);
    if (with_real) memcpy(list->real, old.real, list->count * sizeof *list->real);
    if (with_imaginary) memcpy(list->imaginary, old.imaginary, list->count * sizeof *list->imaginary);
    if (with_integer) memcpy(list->integer, old.integer, list->count * sizeof *list->integer);
  }
  generate_release(&list->allocator, old.row);
  generate_release(&list->allocator, old.column);
  generate_release(&list->allocator, old.real);
  generate_release(&list->allocator, old.imaginary);
  generate_release(&list->allocator, old.integer);
  return complete;
}

/* Adds an entry; what the kind does not hold is ignored. 0: no memory, or the limits say stop. */
static int generate_add(generate_list *list, int row, int column, double real, double imaginary)
{
  if (generate_stop(list)) return 0;
  if (list->count == list->capacity && !generate_reserve(list, list->capacity ? 2 * list->capacity : 64)) return 0;
  list->row[list->count] = row;
  list->column[list->count] = column;
  if (list->real) list->real[list->count] = real;
  if (list->imaginary) list->imaginary[list->count] = imaginary;
  if (list->integer) list->integer[list->count] = (int64_t)real;
  list->count++;
  return 1;
}

/* Generators: arguments as in the specification, already checked. 1: done, 0: no memory, or stopped. */
typedef int (*generate_function)(generate_list *list, int n, int k, double p);

/* -- entries drawn one by one ------------------------------------------------------------------ */

static int generate_ones(generate_list *list, int n, int k, double p)
{
  int i, j;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (!generate_add(list, i, j, 1, 0)) return 0;
  return 1;
}

static int generate_ones_between(generate_list *list, int row, int from, int to)
{
  for (; from < to; from++)
    if (!generate_add(list, row, from, 1, 0)) return 0;
  return 1;
}

/* Rows of ones from the first column on, or up to the last one: with the diagonal, so that the permanent is not 0. */
static int generate_nested(generate_list *list, int n, int k, double p)
{
  int i;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    if (!generate_ones_between(list, i, 0, i + 1 + generate_below(&list->random, n - i))) return 0;
  return 1;
}

static int generate_prefixes(generate_list *list, int n, int k, double p)
{
  int i;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++) {
    const int suffix = (int)(generate_bits(&list->random) >> 63);
    if (!generate_ones_between(list, i, suffix ? generate_below(&list->random, i + 1) : 0,
                               suffix ? n : i + 1 + generate_below(&list->random, n - i)))
      return 0;
  }
  return 1;
}

static int generate_derangements(generate_list *list, int n, int k, double p)
{
  int i;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    if (!generate_ones_between(list, i, 0, i) || !generate_ones_between(list, i, i + 1, n)) return 0;
  return 1;
}

static int generate_menage(generate_list *list, int n, int k, double p)
{
  int i;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    if (!generate_ones_between(list, i, i == n - 1, i) || !generate_ones_between(list, i, i + 2, n)) return 0;
  return 1;
}

/* Fills an n x n list entry by entry, row by row. */
static int generate_fill(generate_list *list, int n, void (*draw)(generate_random *random, double *x, double *y))
{
  double x = 0, y = 0;
  int i, j;
  list->n = n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      draw(&list->random, &x, &y);
      if (!generate_add(list, i, j, x, y)) return 0;
    }
  return 1;
}

static void generate_draw_uniform(generate_random *random, double *x, double *y)
{
  *x = generate_uniform(random);
  *y = 0;
}
static void generate_draw_symmetric(generate_random *random, double *x, double *y)
{
  *x = 2 * generate_uniform(random) - 1; /* exact: the product is, and the difference is a multiple of 2^-52 */
  *y = 0;
}
static void generate_draw_sign(generate_random *random, double *x, double *y)
{
  *x = generate_bits(random) >> 63 ? 1 : -1;
  *y = 0;
}

static int generate_uniform_matrix(generate_list *list, int n, int k, double p)
{
  (void)k, (void)p;
  return generate_fill(list, n, generate_draw_uniform);
}
static int generate_symmetric_matrix(generate_list *list, int n, int k, double p)
{
  (void)k, (void)p;
  return generate_fill(list, n, generate_draw_symmetric);
}
static int generate_gauss(generate_list *list, int n, int k, double p)
{
  (void)k, (void)p;
  return generate_fill(list, n, generate_normals); /* real: the second normal is dropped */
}
static int generate_circular(generate_list *list, int n, int k, double p)
{
  (void)k, (void)p;
  return generate_fill(list, n, generate_circle);
}
static int generate_bernoulli(generate_list *list, int n, int k, double p)
{
  (void)k, (void)p;
  return generate_fill(list, n, generate_draw_sign);
}

static int generate_er(generate_list *list, int n, int k, double p)
{
  int *forced = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *forced);
  int i, j, complete = forced != NULL;
  (void)k;
  list->n = n;
  if (complete) generate_permutation(&list->random, n, forced);
  for (i = 0; i < n && complete; i++)
    for (j = 0; j < n && complete; j++) {
      int present = generate_uniform(&list->random) < p;
      if (generate_stop(list)) complete = 0;
      else if (present || forced[i] == j) complete = generate_add(list, i, j, generate_positive(&list->random), 0);
    }
  generate_release(&list->allocator, forced);
  return complete;
}

static int generate_binary(generate_list *list, int n, int k, double p)
{
  int i, j;
  (void)k;
  list->n = n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (generate_stop(list) || (generate_uniform(&list->random) < p && !generate_add(list, i, j, 1, 0))) return 0;
  return 1;
}

static int generate_band(generate_list *list, int n, int k, double p)
{
  int i, j;
  (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    for (j = i > k ? i - k : 0; j < n && j - i <= k; j++)
      if (!generate_add(list, i, j, generate_positive(&list->random), 0)) return 0;
  return 1;
}

/* -- like the instances of J. Harviainen and M. Koivisto, AAAI 2023: few entries a line --------- */

/* 1 + floor(log n to the base). */
static int generate_digits(int n, int base)
{
  int digits = 1;
  for (; n >= base; n /= base) digits++;
  return digits;
}

/* The entries of a, n x n, that are not 0; releases a. */
static int generate_from_array(generate_list *list, int n, double *a)
{
  int i, j, complete = a != NULL;
  list->n = n;
  for (i = 0; i < n && complete; i++)
    for (j = 0; j < n && complete; j++)
      if (a[(size_t)i * (size_t)n + (size_t)j] > 0)
        complete = generate_add(list, i, j, a[(size_t)i * (size_t)n + (size_t)j], 0);
  generate_release(&list->allocator, a);
  return complete;
}

static double *generate_array(generate_list *list, int n)
{
  double *a = (double *)generate_allocate(&list->allocator, (size_t)n * (size_t)n, sizeof *a);
  if (a) memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
  return a;
}

/* Rows and columns from `from` on: `each` draws a row of a column, U(1/2,1], and the diagonal, so that the permanent
   is not 0; what meets replaces. */
static void generate_scatter(generate_random *random, int n, int from, int each, double *a)
{
  int i, k;
  for (i = from; i < n; i++)
    for (k = 0; k <= each; k++)
      a[(size_t)i * (size_t)n + (size_t)(k < each ? from + generate_below(random, n - from) : i)] =
        0.5 + 0.5 * generate_positive(random);
}

/* The first `end` rows and columns: stripes along diagonals, a third as many as lines, from a random place over a
   random length, mirrored, U(0,1/4]; and the diagonal, U(1/2,1]. */
static void generate_stripes(generate_random *random, int n, int end, double *a)
{
  int stripe, i, k;
  for (stripe = 0; stripe < end / 3; stripe++) {
    int column = generate_below(random, end), first = generate_below(random, end), last = generate_below(random, end);
    for (i = first < last ? first : last; i <= (first < last ? last : first) && column < end; i++, column++)
      a[(size_t)i * (size_t)n + (size_t)column] = a[(size_t)column * (size_t)n + (size_t)i] =
        0.25 * generate_positive(random);
  }
  for (k = 0; k < end; k++) a[(size_t)k * (size_t)n + (size_t)k] = 0.5 + 0.5 * generate_positive(random);
}

static int generate_random_entries(generate_list *list, int n, int k, double p)
{
  double *a = generate_array(list, n);
  (void)k, (void)p;
  if (a) generate_scatter(&list->random, n, 0, generate_digits(n, 2), a);
  return generate_from_array(list, n, a);
}

static int generate_random_lines(generate_list *list, int n, int k, double p)
{
  double *a = generate_array(list, n);
  (void)k, (void)p;
  if (a) generate_stripes(&list->random, n, n, a);
  return generate_from_array(list, n, a);
}

static int generate_random_permutations(generate_list *list, int n, int k, double p)
{
  double *a = generate_array(list, n);
  int *permutation = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *permutation), i;
  (void)p;
  for (k = generate_digits(n, 2); a && permutation && k > 0; k--) {
    generate_permutation(&list->random, n, permutation);
    for (i = 0; i < n; i++)
      a[(size_t)i * (size_t)n + (size_t)permutation[i]] = generate_positive(&list->random);
  }
  k = permutation != NULL;
  generate_release(&list->allocator, permutation);
  return generate_from_array(list, n, a) && k;
}

static int generate_mixed(generate_list *list, int n, int k, double p)
{
  double *a = generate_array(list, n);
  (void)k, (void)p;
  if (a) generate_stripes(&list->random, n, n - n / 5, a);
  if (a) generate_scatter(&list->random, n, n - n / 5, generate_digits(n / 5, 5), a);
  return generate_from_array(list, n, a);
}

/* -- unitary and Fourier matrices -------------------------------------------------------------- */

static int generate_unitary(generate_list *list, int n, int k, double p)
{
  (void)p;
  if (!generate_fill(list, n, generate_normals)) return 0;
  for (k = 0; k < n; k++) {
    list->looks |= 0xffff; /* a column may be a million products: looks now */
    if (generate_stop(list)) return 0;
    generate_orthonormalise_column(n, n, k, list->real, list->imaginary, 1);
  }
  return 1;
}

/* cos and sin of 2 pi k / n, 0 <= k < n, reduced to an eighth of the circle by integers, so that the values
   0, 1 and -1 and all symmetries are exact. */
static void generate_root(int64_t k, int64_t n, double *x, double *y)
{
  int64_t eighths = 8 * k, turn = eighths / n, rest;
  double angle, c, s;
  turn = (turn + 1) / 2; /* nearest quarter turn */
  rest = 4 * k - turn * n; /* angle = (turn + rest / n) quarter turns, |rest| <= n / 2 */
  angle = 1.570796326794896619 * (double)rest / (double)n;
  c = cos(angle);
  s = sin(angle);
  switch (turn & 3) {
    case 0: *x = c, *y = s; break;
    case 1: *x = -s, *y = c; break;
    case 2: *x = -c, *y = -s; break;
    default: *x = s, *y = -c; break;
  }
}

static int generate_dft(generate_list *list, int n, int k, double p)
{
  int i, j;
  (void)k, (void)p;
  list->n = n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double x, y;
      generate_root((int64_t)i * j % n, n, &x, &y);
      if (!generate_add(list, i, j, x, -y)) return 0;
    }
  return 1;
}

/* -- graphs ------------------------------------------------------------------------------------ */

/* Squares with row + column even are black. In every row of the board colours alternate, so the k-th square of a
   colour, counted along the board, has number k. */
static int generate_grid(generate_list *list, int rows, int columns, double p)
{
  static const int step[4][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
  int r, c, s;
  (void)p;
  list->n = rows * columns / 2;
  for (r = 0; r < rows; r++)
    for (c = r & 1; c < columns; c += 2) {
      /* squares of the colour of (r, c) before it: in row t they are the columns of the parity of r + t */
      int black = (r / 2) * columns + (r & 1) * ((columns + 1) / 2) + c / 2;
      for (s = 0; s < 4; s++) {
        int y = r + step[s][0], x = c + step[s][1], white;
        if (y < 0 || y >= rows || x < 0 || x >= columns) continue;
        white = (y / 2) * columns + (y & 1) * (columns / 2) + x / 2;
        if (!generate_add(list, black, white, 1, 0)) return 0;
      }
    }
  return 1;
}

static int generate_has(const int *of_row, int degree, int column)
{
  int k;
  for (k = 0; k < degree; k++)
    if (of_row[k] == column) return 1;
  return 0;
}

/* D random permutations one after another; where one meets an edge that is already there, two of its values are
   swapped. A good swap exists while the degree d so far is below n / 2: column p[i] is free in at least n - d rows j
   and row i is free for at least n - d columns p[j]; 2 (n - d) > n, so some j has both, and swapping i with it leaves
   i and j without a double edge. D > n / 2 is the complement of n - D. */
static int generate_regular(generate_list *list, int n, int degree, double p)
{
  int complement = degree > n / 2, target = complement ? n - degree : degree, complete, d, i, j, k, swap;
  int *permutation = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *permutation);
  int *of_row = (int *)generate_allocate(&list->allocator, (size_t)n * (size_t)target, sizeof *of_row);
  (void)p;
  list->n = n;
  complete = permutation && of_row;
  for (d = 0; complete && d < target; d++) {
    generate_permutation(&list->random, n, permutation);
    for (i = 0; i < n; i++) {
      const int *row_i = of_row + (size_t)i * (size_t)target;
      if (!generate_has(row_i, d, permutation[i])) continue;
      for (j = generate_below(&list->random, n);; j = j + 1 < n ? j + 1 : 0)
        if (!generate_has(row_i, d, permutation[j]) &&
            !generate_has(of_row + (size_t)j * (size_t)target, d, permutation[i]))
          break;
      swap = permutation[i];
      permutation[i] = permutation[j];
      permutation[j] = swap;
    }
    for (i = 0; i < n; i++) of_row[(size_t)i * (size_t)target + (size_t)d] = permutation[i];
  }
  for (i = 0; i < n && complete; i++) {
    const int *row_i = of_row + (size_t)i * (size_t)target;
    if (!complement) {
      for (k = 0; k < target && complete; k++) complete = generate_add(list, i, row_i[k], 1, 0);
    } else {
      for (j = 0; j < n; j++) permutation[j] = 1;
      for (k = 0; k < target; k++) permutation[row_i[k]] = 0;
      for (j = 0; j < n && complete; j++)
        if (permutation[j]) complete = generate_add(list, i, j, 1, 0);
    }
  }
  generate_release(&list->allocator, permutation);
  generate_release(&list->allocator, of_row);
  return complete;
}

/* Point i of the plane over the integers modulo q in homogeneous coordinates: 1 a b, then 0 1 a, then 0 0 1. */
static void generate_point(int i, int q, int *point)
{
  point[0] = i < q * q;
  point[1] = i < q * q ? i / q : i < q * q + q;
  point[2] = i < q * q + q ? i % q : 1;
}

static int generate_projective(generate_list *list, int q, int k, double p)
{
  int complete = 1, i, j, a[3], b[3];
  (void)k, (void)p;
  list->n = q * q + q + 1;
  for (i = 0; i < list->n; i++)
    for (j = 0; j < list->n && complete; j++) {
      generate_point(i, q, a);
      generate_point(j, q, b);
      if ((a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) % q == 0) complete = generate_add(list, i, j, 1, 0);
    }
  return complete;
}

/* Entries live in the blocks and COUNT ORDER in each of its couplings are dead: ORDER (COUNT - 1) to the next block,
   ORDER (COUNT - 2) to one after that. The cycle makes a block of order 2 or more fully indecomposable: without any of
   its entries there is still a transversal, through any of them one. */
static int generate_blocks(generate_list *list, int count, int order, double p)
{
  int n = count * order, complete, b, i, j;
  int *row = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *row);
  int *column = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *column);
  complete = row && column;
  list->n = n;
  if (complete) generate_permutation(&list->random, n, row);
  if (complete) generate_permutation(&list->random, n, column);
  for (b = 0; b < count; b++)
    for (i = 0; i < order && complete; i++) {
      const int at = row[b * order + i];
      for (j = 0; j < order && complete; j++)
        if (j == i || j == (i + 1) % order || generate_uniform(&list->random) < p)
          complete = generate_add(list, at, column[b * order + j], generate_positive(&list->random), 0);
      for (j = b + 1; j < b + 3 && j < count && complete; j++) {
        const int block = j == b + 1 ? j : j + generate_below(&list->random, count - j);
        complete = generate_add(list, at, column[block * order + generate_below(&list->random, order)],
                                generate_positive(&list->random), 0);
      }
    }
  generate_release(&list->allocator, row);
  generate_release(&list->allocator, column);
  return complete;
}

/* Pairs of a row and a column, each joined by an edge to the other side of an earlier pair: a tree has no second
   perfect matching. */
static int generate_tree(generate_list *list, int n, int k, double p)
{
  int *row = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *row);
  int *column = (int *)generate_allocate(&list->allocator, (size_t)n, sizeof *column);
  int complete = row && column, i;
  (void)k, (void)p;
  list->n = n;
  if (complete) generate_permutation(&list->random, n, row);
  if (complete) generate_permutation(&list->random, n, column);
  for (i = 0; i < n && complete; i++) {
    const int to = i ? generate_below(&list->random, i) : 0, by_row = (int)(generate_bits(&list->random) >> 63);
    complete = generate_add(list, row[i], column[i], 1, 0) &&
               (!i || generate_add(list, row[by_row ? i : to], column[by_row ? to : i], 1, 0));
  }
  generate_release(&list->allocator, row);
  generate_release(&list->allocator, column);
  return complete;
}

static int generate_arrow(generate_list *list, int n, int hubs, double p)
{
  const int first = n - hubs;
  int i, j;
  (void)p;
  list->n = n;
  for (i = 0; i < n; i++) {
    if (i < first && !generate_add(list, i, i, generate_positive(&list->random), 0)) return 0;
    for (j = i < first ? first : 0; j < n; j++)
      if (!generate_add(list, i, j, generate_positive(&list->random), 0)) return 0;
  }
  return 1;
}

/* Step: vertices v of G, a copy u of each, and w. v_i v_j stays, u_i is joined to the neighbours of v_i, w to all u.
   Numbered v, u, w. */
static int generate_mycielskian(generate_list *list, int steps, int k, double p)
{
  int i;
  (void)k, (void)p;
  list->n = 2;
  if (!generate_add(list, 0, 1, 1, 0) || !generate_add(list, 1, 0, 1, 0)) return 0;
  for (; steps > 2; steps--) {
    size_t e, edges = list->count;
    int n = list->n, w = 2 * n;
    for (e = 0; e < edges; e++) {
      int a = list->row[e], b = list->column[e];
      if (!generate_add(list, a, b + n, 1, 0) || !generate_add(list, a + n, b, 1, 0)) return 0;
    }
    for (i = n; i < w; i++)
      if (!generate_add(list, i, w, 1, 0) || !generate_add(list, w, i, 1, 0)) return 0;
    list->n = w + 1;
  }
  return 1;
}

/* -- benzenoids -------------------------------------------------------------------------------- */

/* Hexagons in axial coordinates (q, r): neighbours at (1,0), (0,1), (-1,1) and their opposites. A carbon atom is where
   three hexagons of the plane meet: A(q,r) between (q,r), (q+1,r), (q,r+1), and B(q,r) between (q+1,r), (q,r+1),
   (q+1,r+1). Bonds join A to B only, so Kekule structures are perfect matchings of A against B. Around (q, r), in
   order:  A(q,r)  B(q,r-1)  A(q,r-1)  B(q-1,r-1)  A(q-1,r)  B(q-1,r). */
typedef struct generate_molecule {
  const char *name;
  int hexagons;
  signed char at[10][2];
} generate_molecule;

static const generate_molecule generate_molecules[] = {
  {"benzene", 1, {{0, 0}}},
  {"naphthalene", 2, {{0, 0}, {1, 0}}},
  {"anthracene", 3, {{0, 0}, {1, 0}, {2, 0}}},
  {"phenanthrene", 3, {{0, 0}, {1, 0}, {1, 1}}},
  {"tetracene", 4, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}},
  {"chrysene", 4, {{0, 0}, {1, 0}, {1, 1}, {2, 1}}},
  {"triphenylene", 4, {{0, 0}, {1, 0}, {-1, 1}, {0, -1}}},
  {"pyrene", 4, {{0, 0}, {1, 0}, {0, 1}, {1, -1}}},
  {"perylene", 5, {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}}},
  {"coronene", 7, {{0, 0}, {1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}},
  {"ovalene", 10, {{0, 0}, {1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {2, 0}, {1, 1}, {2, -1}}}};
#define GENERATE_MOLECULES (sizeof generate_molecules / sizeof *generate_molecules)

/* Atoms of a patch of the plane, coordinates from -size to size - 1 or a little less. */
typedef struct generate_patch {
  int size;
  int *atom[2];       /* numbers of the A and B atoms, -1: not there; [(q + size) * 2 * size + r + size] */
  int atoms[2];
  unsigned char *bond; /* of each A place: bits for its three B neighbours */
} generate_patch;

static size_t generate_place(const generate_patch *patch, int q, int r)
{
  return (size_t)(q + patch->size) * (size_t)(2 * patch->size) + (size_t)(r + patch->size);
}

static void generate_hexagon(generate_patch *patch, int q, int r)
{
  static const int corner[6][2] = {{0, 0}, {0, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 0}}; /* A B A B A B */
  int k;
  for (k = 0; k < 6; k++) {
    int *number = &patch->atom[k & 1][generate_place(patch, q + corner[k][0], r + corner[k][1])];
    if (*number < 0) *number = patch->atoms[k & 1]++;
  }
  /* bit 0: B(q,r), bit 1: B(q,r-1), bit 2: B(q-1,r), as seen from A(q,r) */
  patch->bond[generate_place(patch, q, r)] |= 2 | 4;
  patch->bond[generate_place(patch, q, r - 1)] |= 1 | 4;
  patch->bond[generate_place(patch, q - 1, r)] |= 1 | 2;
}

/* The molecule, or with NULL the hexagon of `side` rings a side. */
static int generate_benzenoid(generate_list *list, const generate_molecule *molecule, int side)
{
  static const int neighbour[3][2] = {{0, 0}, {0, -1}, {-1, 0}};
  generate_patch patch;
  size_t k, places;
  int q, r, bit, complete;
  patch.size = molecule ? 6 : side + 2;
  patch.atoms[0] = patch.atoms[1] = 0;
  places = 4 * (size_t)patch.size * (size_t)patch.size;
  patch.atom[0] = (int *)generate_allocate(&list->allocator, places, sizeof(int));
  patch.atom[1] = (int *)generate_allocate(&list->allocator, places, sizeof(int));
  patch.bond = (unsigned char *)generate_allocate(&list->allocator, places, 1);
  complete = patch.atom[0] && patch.atom[1] && patch.bond;
  if (complete) {
    memset(patch.bond, 0, places);
    for (k = 0; k < places; k++) patch.atom[0][k] = patch.atom[1][k] = -1;
    if (molecule)
      for (q = 0; q < molecule->hexagons; q++) generate_hexagon(&patch, molecule->at[q][0], molecule->at[q][1]);
    else
      for (q = 1 - side; q < side; q++)
        for (r = 1 - side; r < side; r++)
          if (q + r > -side && q + r < side) generate_hexagon(&patch, q, r);
    list->n = patch.atoms[0]; /* equal numbers of both in every molecule here */
    for (q = 1 - patch.size; q < patch.size && complete; q++)
      for (r = 1 - patch.size; r < patch.size && complete; r++)
        for (bit = 0; bit < 3 && complete; bit++)
          if (patch.bond[generate_place(&patch, q, r)] >> bit & 1)
            complete = generate_add(list, patch.atom[0][generate_place(&patch, q, r)],
                                    patch.atom[1][generate_place(&patch, q + neighbour[bit][0], r + neighbour[bit][1])],
                                    1, 0);
  }
  generate_release(&list->allocator, patch.atom[0]);
  generate_release(&list->allocator, patch.atom[1]);
  generate_release(&list->allocator, patch.bond);
  return complete;
}

static int generate_hexagonal(generate_list *list, int side, int k, double p)
{
  (void)k, (void)p;
  return generate_benzenoid(list, NULL, side);
}

/* -- specifications ---------------------------------------------------------------------------- */

typedef enum generate_second { GENERATE_NONE, GENERATE_PROBABILITY, GENERATE_INTEGER, GENERATE_BOTH } generate_second;

typedef struct generate_kind {
  const char *name, *form;
  generate_function function;
  perm_kind kind;
  int least, most;              /* of the first number */
  generate_second second;
  const char *text;             /* what it is */
} generate_kind;

/* The limits keep a matrix below a few gigabytes and a run below minutes. */
static const generate_kind generate_kinds[] = {
  {"ones", "ones:N", generate_ones, PERM_KIND_INTEGER, 0, 4096, GENERATE_NONE,
   "all ones: N!"},
  {"uniform", "uniform:N", generate_uniform_matrix, PERM_KIND_REAL, 0, 4096, GENERATE_NONE,
   "U[0,1)"},
  {"symmetric-uniform", "symmetric-uniform:N", generate_symmetric_matrix, PERM_KIND_REAL, 0, 4096, GENERATE_NONE,
   "U[-1,1)"},
  {"gauss", "gauss:N", generate_gauss, PERM_KIND_REAL, 0, 4096, GENERATE_NONE,
   "standard normal"},
  {"complex-gauss", "complex-gauss:N", generate_gauss, PERM_KIND_COMPLEX, 0, 4096, GENERATE_NONE,
   "complex, independent standard normal parts"},
  {"circular", "circular:N", generate_circular, PERM_KIND_COMPLEX, 0, 4096, GENERATE_NONE,
   "complex, uniform on the unit circle"},
  {"bernoulli", "bernoulli:N", generate_bernoulli, PERM_KIND_INTEGER, 0, 4096, GENERATE_NONE,
   "+1 or -1"},
  {"unitary", "unitary:N", generate_unitary, PERM_KIND_COMPLEX, 0, 1024, GENERATE_NONE,
   "complex, Haar-distributed unitary"},
  {"dft", "dft:N", generate_dft, PERM_KIND_COMPLEX, 0, 4096, GENERATE_NONE,
   "complex, exp(-2 pi i j k / N)"},
  {"er", "er:N:P", generate_er, PERM_KIND_REAL, 0, 20000, GENERATE_PROBABILITY,
   "non-zero with probability P, values U(0,1], a random transversal forced non-zero"},
  {"binary", "binary:N:P", generate_binary, PERM_KIND_INTEGER, 0, 20000, GENERATE_PROBABILITY,
   "1 with probability P, else 0"},
  {"band", "band:N:K", generate_band, PERM_KIND_REAL, 0, 1000000, GENERATE_INTEGER,
   "non-zero where |i - j| <= K, values U(0,1]"},
  {"grid", "grid:R:C", generate_grid, PERM_KIND_INTEGER, 0, 1000000, GENERATE_INTEGER,
   "domino tilings of the R x C board: black squares against white ones"},
  {"regular", "regular:N:D", generate_regular, PERM_KIND_INTEGER, 1, 20000, GENERATE_INTEGER,
   "random bipartite D-regular graph, no double edges"},
  {"projective", "projective:Q", generate_projective, PERM_KIND_INTEGER, 2, 61, GENERATE_NONE,
   "incidence matrix of the projective plane of prime order Q: Q^2 + Q + 1 points and lines"},
  {"mycielskian", "mycielskian:K", generate_mycielskian, PERM_KIND_INTEGER, 2, 16, GENERATE_NONE,
   "adjacency of the Mycielski graph, K = 2 is one edge"},
  {"blocks", "blocks:COUNT:ORDER:P", generate_blocks, PERM_KIND_REAL, 0, 1000000, GENERATE_BOTH,
   "block triangular, permuted: COUNT blocks of ORDER, each a cycle and more entries with probability P"},
  {"tree", "tree:N", generate_tree, PERM_KIND_INTEGER, 0, 1000000, GENERATE_NONE,
   "rows and columns of a random tree with a perfect matching: 1"},
  {"arrow", "arrow:N:HUBS", generate_arrow, PERM_KIND_REAL, 0, 1000000, GENERATE_INTEGER,
   "diagonal, last HUBS rows and columns, values U(0,1]"},
  {"hexagonal", "hexagonal:K", generate_hexagonal, PERM_KIND_INTEGER, 1, 500, GENERATE_NONE,
   "Kekule structures of the hexagon with K rings a side: benzene, coronene, ..."},
  {"nested", "nested:N", generate_nested, PERM_KIND_INTEGER, 0, 4096, GENERATE_NONE,
   "rows of ones in the first columns, random lengths: a Ferrers board"},
  {"prefixes", "prefixes:N", generate_prefixes, PERM_KIND_INTEGER, 0, 4096, GENERATE_NONE,
   "rows of ones in the first or the last columns, random lengths"},
  {"derangements", "derangements:N", generate_derangements, PERM_KIND_INTEGER, 0, 4096, GENERATE_NONE,
   "ones but for the diagonal"},
  {"menage", "menage:N", generate_menage, PERM_KIND_INTEGER, 2, 4096, GENERATE_NONE,
   "ones but for the diagonal and the entries to its right, cyclically"},
  {"random-entries", "random-entries:N", generate_random_entries, PERM_KIND_REAL, 0, 2048, GENERATE_NONE,
   "diagonal and 1 + log2 N entries of each row at random, values U(1/2,1]"},
  {"random-lines", "random-lines:N", generate_random_lines, PERM_KIND_REAL, 0, 2048, GENERATE_NONE,
   "symmetric pattern: diagonal U(1/2,1], and N/3 stripes along diagonals, values U(0,1/4]"},
  {"random-permutations", "random-permutations:N", generate_random_permutations, PERM_KIND_REAL, 0, 2048, GENERATE_NONE,
   "1 + log2 N random permutations, values U(0,1]"},
  {"mixed", "mixed:N", generate_mixed, PERM_KIND_REAL, 0, 2048, GENERATE_NONE,
   "random-lines:4N/5, and a block of N/5 rows with 2 or more random entries"}};
#define GENERATE_KINDS (sizeof generate_kinds / sizeof *generate_kinds)

/* The decimal number at *text without sign or exponent, up to 15 digits: mantissa / 10^decimals, one division of exact
   doubles and so correctly rounded and of no locale. *text moves behind it. -1: there is none. */
static double generate_number(const char **text, int *integer)
{
  const char *p = *text;
  double mantissa = 0, power = 1;
  int digits = 0, point = 0;
  for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = 1;
      continue;
    }
    mantissa = 10 * mantissa + (*p - '0');
    if (point) power *= 10;
    digits++;
  }
  *integer = !point;
  if (!digits || digits > 15) return -1;
  *text = p;
  return mantissa / power;
}

static int generate_is_name(const char *text, size_t length, const char *name)
{
  return strlen(name) == length && !memcmp(text, name, length);
}

/* The word of a specification for a message: printable, short. */
static const char *generate_quoted(const char *text, char buffer[32])
{
  size_t k;
  for (k = 0; text[k] && k < 24; k++) buffer[k] = text[k] >= 32 && text[k] <= 126 ? text[k] : '?';
  if (text[k]) memcpy(buffer + k - 3, "...", 3);
  buffer[k] = 0;
  return buffer;
}

static perm_status generate_unknown(const char *specification, perm_result *result)
{
  char quote[32];
  return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected a kind with numbers such as ones:5, "
                       "grid:8:8 or binary:30:0.5, or a benzenoid such as pyrene; perm --list generators has them all",
                       generate_quoted(specification, quote));
}

/* Numbers behind KIND, checked against what the kind wants. */
static perm_status generate_parameters(const generate_kind *kind, const char *specification, const char *text, int *n,
                                       int *k, double *p, perm_result *result)
{
  char quote[32];
  double first = -1, second = -1, third = -1;
  int i;
  int first_integer = 0, second_integer = 1, third_integer, well_formed = 0;
  generate_quoted(specification, quote);
  if (*text == ':') {
    text++;
    first = generate_number(&text, &first_integer);
    well_formed = first >= 0 && first_integer;
    if (well_formed && kind->second != GENERATE_NONE) {
      well_formed = *text == ':';
      text += well_formed;
      if (well_formed) second = generate_number(&text, &second_integer);
      well_formed = second >= 0 && (second_integer || kind->second == GENERATE_PROBABILITY);
    }
    if (well_formed && kind->second == GENERATE_BOTH) {
      well_formed = *text == ':';
      text += well_formed;
      if (well_formed) third = generate_number(&text, &third_integer);
      well_formed = third >= 0;
    }
    well_formed = well_formed && !*text;
  }
  if (!well_formed) return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected %s with %s", quote,
                                         kind->form, kind->second == GENERATE_PROBABILITY ?
                                         "an integer and a decimal probability" : kind->second == GENERATE_BOTH ?
                                         "two integers and a decimal probability" : "integers");
  if (first < kind->least || first > kind->most)
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected %s with the first number in %d..%d",
                         quote, kind->form, kind->least, kind->most);
  *n = (int)first;
  *p = kind->second == GENERATE_BOTH ? third : second;
  *k = second >= 0 && second <= INT_MAX ? (int)second : INT_MAX;
  if (kind->second != GENERATE_INTEGER && *p > 1)
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected a probability in 0..1", quote);
  if (kind->function == generate_blocks && (*k < 1 || (double)*n * *k > 1e6 || (double)*n * *k * (*k * *p + 4) > 1e8))
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected blocks of order 1 or more, at most "
                         "1e6 rows and 1e8 entries", quote);
  if (kind->function == generate_arrow && (*k > *n || (double)*n * 2.0 * *k > 1e8))
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected at most N hubs and 1e8 entries",
                         quote);
  if (kind->function == generate_regular && (*k < 1 || *k > *n))
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected a degree in 1..%d", quote, *n);
  for (i = 2; kind->function == generate_projective && i < *n; i++)
    if (*n % i == 0)
      return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected a prime order", quote);
  if (kind->function == generate_grid && (double)*n * *k > 4e6)
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected at most 4e6 squares", quote);
  if (kind->function == generate_grid && *n % 2 && *k % 2)
    return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected an even number of squares", quote);
  if (kind->function == generate_band) {
    if (*k >= *n) *k = *n ? *n - 1 : 0; /* wider than the matrix is full */
    if ((double)*n * (2.0 * *k + 1) > 1e8)
      return generate_fail(result, PERM_ERROR_OPTION, "cannot generate '%s', expected at most 1e8 entries", quote);
  }
  return PERM_OK;
}

/* The matrix of a specification (see the top). options may be NULL (allocator, cancel and max_seconds are used; this
   takes its seconds of the processor), result may be NULL; its `seconds` are what it took.
   *matrix is overwritten, on an error with zeros; free it with perm_matrix_free. Thread-safe, deterministic. */
static perm_status perm_generate(const char *specification, uint64_t seed, const perm_options *options,
                                 perm_matrix *matrix, perm_result *result)
{
  perm_options rest;
  generate_list list;
  const generate_kind *kind = NULL;
  const generate_molecule *molecule = NULL;
  perm_status status;
  size_t length, i;
  int n = 0, k = 0, complete;
  double p = 0;
  if (!matrix) return generate_fail(result, PERM_ERROR_NULL, "matrix is NULL");
  memset(matrix, 0, sizeof *matrix);
  if (!specification) return generate_fail(result, PERM_ERROR_NULL, "specification is NULL");
  length = strcspn(specification, ":");
  for (i = 0; i < GENERATE_KINDS; i++)
    if (generate_is_name(specification, length, generate_kinds[i].name)) kind = &generate_kinds[i];
  for (i = 0; i < GENERATE_MOLECULES; i++)
    if (!strcmp(specification, generate_molecules[i].name)) molecule = &generate_molecules[i];
  memset(&list, 0, sizeof list);
  list.random.counter = seed;
  list.kind = kind ? kind->kind : PERM_KIND_INTEGER;
  if (options) list.allocator = options->allocator;
  list.options = options;
  list.start = clock();
  if (molecule) {
    complete = generate_benzenoid(&list, molecule, 0);
  } else if (generate_is_name(specification, strlen(specification), "circumcoronene")) {
    complete = generate_benzenoid(&list, NULL, 3);
  } else {
    if (!kind) return generate_unknown(specification, result);
    status = generate_parameters(kind, specification, specification + length, &n, &k, &p, result);
    if (status != PERM_OK) return status;
    complete = kind->function(&list, n, k, p);
  }
  memset(&rest, 0, sizeof rest);
  if (options) rest = *options; /* less what generating took */
  if (rest.max_seconds > 0)
    rest.max_seconds = fmax(1e-9, rest.max_seconds - (double)(clock() - list.start) / (double)CLOCKS_PER_SEC);
  status = complete ? perm_matrix_from_triplets(list.n, list.n, list.count, list.row, list.column, list.real,
                                                list.imaginary, list.integer, list.kind, &rest, matrix, result)
           : list.stopped != PERM_OK
             ? generate_fail(result, list.stopped, "%s: %s while generating", specification,
                             perm_status_text(list.stopped))
             : generate_fail(result, PERM_ERROR_MEMORY, "out of memory for a matrix of order %d", list.n);
  generate_release(&list.allocator, list.row);
  generate_release(&list.allocator, list.column);
  generate_release(&list.allocator, list.real);
  generate_release(&list.allocator, list.imaginary);
  generate_release(&list.allocator, list.integer);
  if (result) result->seconds = (double)(clock() - list.start) / (double)CLOCKS_PER_SEC;
  return status;
}

#endif /* PERM_GENERATE_H_INCLUDED */
/* SPDX-License-Identifier: MIT */
