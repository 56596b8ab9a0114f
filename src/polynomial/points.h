/* ========================================================================================== >>points
   P(x) = per(C + x L) of integers: values at 0, 1, -1, 2, ..., as they are or modulo primes, interpolated by Newton
   modulo primes. The coefficients' moduli add up to per(|C| + |L|), at most the product of sums of lines. */
#pragma once
#include "../api/more_calls.h"
#include "../minors/minors.h"
#include "../plan/compute.h"
#include "../proof/polynomial.h"
#include "../sparse/sparse.h"

typedef enum permi_side_kind {
  PERMI_SIDE_MATRIX, PERMI_SIDE_ARRAY, PERMI_SIDE_ONES, PERMI_SIDE_IDENTITY
} permi_side_kind;
typedef struct permi_side { /* C or L */
  permi_side_kind kind;
  const perm_matrix *matrix;
  const double *real; /* of an array: this or the next */
  const int64_t *integer;
  ptrdiff_t ld;
} permi_side;

typedef struct permi_pencil_call {
  permi_side side[2];
  int m, n, parts, degree, alternates; /* alternates: per(x I - C) */
  int at[5];                           /* arguments: C, L, degree, options, coefficients */
  perm_integer *integers;
  double *values, *bounds;
  int forms; /* or 0; side[0]: C, L_1, .. one below the other; degree + 1 coefficients in all */
  const int *cuts;
} permi_pencil_call;

typedef struct permi_pencil {
  int m, n, parts, most, degree; /* most: P's degree, at most; degree: asked for */
  int certify, negative, shift;  /* negative: or complex entries; shift: log2 of C's size over L's */
  double largest[2];             /* modulus in C, in L */
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_pool pool;
  permi_cell *cell;   /* two an entry: of C, of L */
  double *line_sum;   /* of rows, columns */
  perm_matrix matrix; /* entries at a point */
} permi_pencil;

/* Returns the column of a row's k-th entry; n or more: none. */
static int permi_side_entry(const permi_side *side, int i, size_t k, int n, int parts, permi_cell *cell)
{
  const ptrdiff_t at = (side->ld * i + (ptrdiff_t)k) * parts;
  const perm_matrix *matrix = side->matrix;
  int column = side->kind == PERMI_SIDE_IDENTITY ? k ? n : i : (int)k;
  *cell = permi_cell_one();
  if (matrix) {
    if (k >= matrix->row_start[i + 1] - matrix->row_start[i])
      return n;
    permi_matrix_entry(matrix, matrix->row_start[i] + k, cell);
    column = matrix->column[matrix->row_start[i] + k];
  } else if (side->kind == PERMI_SIDE_ARRAY && column < n) {
    cell->integer = side->integer ? side->integer[at] : 0;
    cell->imaginary_integer = side->integer && parts == 2 ? side->integer[at + 1] : 0;
    cell->real = side->real ? side->real[at] : (double)cell->integer;
    cell->imaginary = side->real && parts == 2 ? side->real[at + 1] : (double)cell->imaginary_integer;
  }
  cell->absolute = hypot(cell->real, cell->imaginary);
  return column;
}

/* Counts entries or, with pencil->cell, takes them. mark: columns with an L. */
static size_t permi_pencil_merge(permi_pencil *pencil, const permi_side *side, unsigned char *mark)
{
  size_t used = 0, k[2];
  int some, in_row, column[2];
  for (int i = 0; i < pencil->m && !permi_watch(pencil->watch, 50); i++, pencil->most += in_row) {
    if (pencil->cell)
      pencil->matrix.row_start[i] = used;
    for (k[0] = k[1] = 0, in_row = 0;; used += some != 0) {
      permi_cell cell[2];
      for (int s = 0; s < 2; s++)
        column[s] = permi_side_entry(&side[s], i, k[s], pencil->n, pencil->parts, &cell[s]);
      const int least = column[0] < column[1] ? column[0] : column[1];
      if (least >= pencil->n)
        break;
      some = 0;
      for (int s = 0; s < 2; s++) {
        if (column[s] != least)
          memset(&cell[s], 0, sizeof cell[s]);
        k[s] += column[s] == least;
        some |= cell[s].absolute > 0 ? 1 << s : 0;
        pencil->largest[s] = fmax(pencil->largest[s], cell[s].absolute);
        pencil->negative |= cell[s].real < 0 || cell[s].imaginary != 0;
      }
      if (!pencil->cell || !some)
        continue;
      memcpy(pencil->cell + 2 * used, cell, sizeof cell);
      pencil->matrix.column[used] = least;
      in_row |= some >> 1;
      mark[least] |= (unsigned char)(some >> 1);
    }
  }
  return used;
}

/* Returns 0 without memory. */
static int permi_pencil_open(permi_pencil *pencil, const permi_side *side)
{
  const size_t m = (size_t)pencil->m, n = (size_t)pencil->n, nnz = permi_pencil_merge(pencil, side, NULL);
  perm_matrix *matrix = &pencil->matrix;
  permi_pool *pool = &pencil->pool;
  unsigned char *mark = (unsigned char *)permi_pool_zeros(pool, n + 1, 1);
  int columns = 0;
  matrix->row_start = (size_t *)permi_pool_zeros(pool, m + 1, sizeof(size_t));
  matrix->column = (int *)permi_pool_get(pool, nnz + 1, sizeof(int));
  matrix->integer = (int64_t *)permi_pool_get(pool, nnz + 1, 8);
  matrix->real = (double *)permi_pool_get(pool, 2 * nnz + 1, 8);
  pencil->line_sum = (double *)permi_pool_get(pool, m + n + 1, sizeof(double));
  pencil->cell = (permi_cell *)permi_pool_get(pool, nnz + 1, 2 * sizeof(permi_cell));
  if (pool->failed)
    return 0;
  matrix->imaginary = matrix->real + nnz;
  pencil->most = 0;
  matrix->nnz = matrix->row_start[m] = permi_pencil_merge(pencil, side, mark);
  for (int j = 0; j < pencil->n; j++)
    columns += mark[j];
  pencil->most = columns < pencil->most ? columns : pencil->most;
  pencil->degree = pencil->degree < pencil->most ? pencil->degree : pencil->most;
  return 1;
}

/* Returns log2 of a bound on per(|C| + t |L|). */
static double permi_pencil_bits(permi_pencil *pencil, double t)
{
  const perm_matrix *matrix = &pencil->matrix;
  double bits[2] = {0, 0};
  memset(pencil->line_sum, 0, (size_t)(pencil->m + pencil->n) * sizeof(double));
  for (int i = 0; i < pencil->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      const double x = pencil->cell[2 * e].absolute + t * pencil->cell[2 * e + 1].absolute;
      pencil->line_sum[i] += x;
      pencil->line_sum[pencil->m + matrix->column[e]] += x;
    }
  for (int i = 0; i < pencil->m + pencil->n; i++)
    bits[i >= pencil->m] += log2(fmax(pencil->line_sum[i], 1));
  if (pencil->m != pencil->n)
    bits[0] = bits[1] = bits[pencil->m > pencil->n];
  return fmin(bits[0], bits[1]) * (1 + 1e-12) + 1e-9;
}

/* The matrix becomes C + x L, modulo p unless 0. */
static void permi_pencil_at(permi_pencil *pencil, int64_t x, uint64_t p)
{
  perm_matrix *matrix = &pencil->matrix;
  matrix->kind = pencil->parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER;
  for (size_t e = 0; e < matrix->nnz; e++)
    for (int part = 0; part < pencil->parts; part++) {
      const permi_cell *cell = pencil->cell + 2 * e;
      const int64_t c = part ? cell[0].imaginary_integer : cell[0].integer;
      const int64_t l = part ? cell[1].imaginary_integer : cell[1].integer;
      const uint64_t lx = p ? permi_residue_multiply(permi_residue_of(l, p), permi_residue_of(x, p), p) : 0;
      const int64_t y = p ? (int64_t)permi_balanced(permi_residue_add(permi_residue_of(c, p), lx, 0, p), p) : c + l * x;
      (part ? matrix->imaginary : matrix->real)[e] = (double)y;
      matrix->integer[e] = part ? 0 : y;
    }
}

/* Sparse plans would take longer than its permanent. */
static int permi_pencil_is_dense(const permi_pencil *pencil)
{
  return 2.0 * (double)pencil->matrix.nnz > (double)pencil->m * pencil->n && pencil->m <= PERM_MAX_LINES &&
         pencil->n <= PERM_MAX_LINES;
}

/* Exactly, modulo `modulus` unless 0, or in doubles; job: only plans, unless NULL. */
static perm_status permi_pencil_permanent(const permi_pencil *pencil, int exact, uint64_t modulus, perm_job **job)
{
  permi_control *watch = pencil->watch;
  permi_inner inner = {watch, watch->done, watch->work_total / (pencil->most + 1)};
  perm_options one = *pencil->options;
  perm_result *result = pencil->result;
  permi_problem problem;
  void *entries = NULL;
  perm_status status = PERM_OK;
  one.method = PERM_METHOD_AUTO;
  one.precision = exact ? PERM_PRECISION_EXACT : one.precision;
  one.certify = !exact && pencil->certify;
  one.modulus = modulus;
  one.progress = one.progress ? permi_inner_progress : NULL;
  one.user_data = &inner;
  if (one.max_seconds > 0)
    one.max_seconds = fmax(watch->deadline - permi_seconds(), 1e-9);
  if (permi_pencil_is_dense(pencil)) {
    status = permi_sparse_array(&pencil->matrix, &one.allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = job ? permi_problem_job(&problem, 2, &one, job, result) : permi_compute_array(&problem, &one, result);
    permi_release(&one.allocator, entries);
  } else {
    status = job ? perm_sparse_job(&pencil->matrix, &one, job, result)
                 : perm_compute_sparse(&pencil->matrix, &one, result);
  }
  if (status > 0 && status != PERM_TOLERANCE_NOT_MET && watch->stopped == PERM_OK)
    watch->stopped = status;
  return status == PERM_TOLERANCE_NOT_MET ? PERM_OK : status;
}

static double permi_pencil_seconds(const permi_pencil *pencil, int exact, uint64_t modulus, perm_status *status)
{
  perm_job *job = NULL;
  double seconds = (double)INFINITY;
  *status = permi_pencil_permanent(pencil, exact, modulus, &job);
  if (*status == PERM_OK)
    seconds = permi_job_seconds(job);
  perm_job_free(job);
  return seconds;
}

/* Lowers *bits to a proved log2 of per(|C| + r |L|). */
static perm_status permi_pencil_moduli(permi_pencil *pencil, double r, double *bits)
{
  const int certify = pencil->certify;
  const perm_result *result = pencil->result;
  pencil->matrix.kind = PERM_KIND_REAL;
  for (size_t e = 0; e < pencil->matrix.nnz; e++)
    pencil->matrix.real[e] = pencil->cell[2 * e].absolute + r * pencil->cell[2 * e + 1].absolute;
  pencil->certify = 1;
  const perm_status status = permi_pencil_permanent(pencil, 0, 0, NULL);
  pencil->certify = certify;
  if (status == PERM_OK) /* sums are rounded */
    *bits = fmin(*bits, log2(result->value + result->error_bound) + (double)result->exp2 + 1e-9);
  return status;
}

static perm_status permi_pencil_overflows(const permi_pencil *pencil, double bits)
{
  return permi_fail(pencil->result, PERM_ERROR_OVERFLOW, 0, "the coefficients may need %.0f bits, more than %d",
                    bits + 2, 64 * PERM_INTEGER_WORDS);
}

/* planning: why seconds may be INFINITY. */
static perm_status permi_pencil_may(const permi_pencil *pencil, double seconds, perm_status planning)
{
  const perm_options *options = pencil->options;
  pencil->watch->work_total = seconds;
  pencil->watch->activity = "computing a polynomial";
  if (pencil->watch->stopped != PERM_OK)
    return pencil->watch->stopped;
  if (seconds == (double)INFINITY)
    return permi_fail(pencil->result, planning < 0 ? planning : PERM_ERROR_LIMIT, 0, "polynomial: no engine, %s",
                      options->method == PERM_METHOD_FRONTIER
                          ? "the frontier takes real integers, or numbers >= 0, with few states"
                          : perm_status_text(planning));
  if (options->max_seconds > 0 && seconds > pencil->watch->deadline - permi_seconds())
    return permi_fail(pencil->result, PERM_ERROR_LIMIT, 0, "polynomial: %s predicted, more than max_seconds = %.3g",
                      permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

static int64_t permi_point(int j)
{
  return j & 1 ? j / 2 + 1 : -(j / 2);
}

/* Values as they are. */
static int permi_points_fit(permi_pencil *pencil)
{
  const double last = (pencil->most + 1) / 2;
  return pencil->largest[0] + last * pencil->largest[1] < ldexp(1, pencil->parts == 2 ? 53 : 62) &&
         permi_pencil_bits(pencil, last) <= 64 * PERM_INTEGER_WORDS - 2;
}

/* Below 2^50: doubles have Gaussian entries modulo these. */
static int permi_points_primes(double bits)
{
  return (int)((bits + 1) / 49.99) + 1;
}

static double permi_points_seconds(permi_pencil *pencil, double bits, int modular, perm_status *status)
{
  const uint64_t modulus = modular ? UINT64_C(1) << 50 : 0;
  permi_pencil_at(pencil, (pencil->most + 1) / 2, modulus);
  return (pencil->most + 1) * permi_pencil_seconds(pencil, 1, modulus, status) *
         (modular ? permi_points_primes(bits) : 1);
}

/* Values become coefficients. inverse: room for `most` + 1. */
static void permi_points_interpolate(uint64_t *f, int most, const permi_odd_modulus *prime, uint64_t *inverse)
{
  const uint64_t p = prime->p;
  for (int k = 1; k <= most; k++) /* 2^64 / k */
    inverse[k] = permi_prime_inverse((uint64_t)k, prime);
  for (int k = 1; k <= most; k++)
    for (int i = most; i >= k; i--) {
      const int64_t apart = permi_point(i) - permi_point(i - k);
      const uint64_t rise = permi_residue_add(f[i - (apart < 0)], f[i - (apart > 0)], 1, p);
      f[i] = permi_montgomery(rise, inverse[apart < 0 ? -apart : apart], prime);
    }
  for (int k = most - 1; k >= 0; k--)
    for (int i = k; i < most; i++)
      f[i] = permi_residue_add(f[i], permi_residue_multiply(f[i + 1], permi_residue_of(permi_point(k), p), p), 1, p);
}

/* word: 2 (primes + 1). */
static void permi_chinese_integer(const permi_odd_modulus *prime, const uint64_t *residue, int primes, uint64_t *word,
                                  perm_integer *number)
{
  const size_t words = (size_t)primes + 1;
  memset(number, 0, sizeof *number);
  number->negative = permi_chinese_remainder(prime, residue, primes, word, word + words);
  memcpy(number->word, word, 8 * (words < PERM_INTEGER_WORDS ? words : PERM_INTEGER_WORDS));
  permi_integer_trim(number);
}

/* Sets coefficients below 2^bits. */
static perm_status permi_points_run(permi_pencil *pencil, double bits, int modular, perm_integer *numbers)
{
  const int parts = pencil->parts, primes = permi_points_primes(bits), runs = modular ? primes : 1;
  const size_t points = (size_t)pencil->most + 1, words = (size_t)primes + 1, count = (size_t)(pencil->degree + 1);
  permi_control *watch = pencil->watch;
  permi_pool *pool = &pencil->pool;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_zeros(pool, 2 * count * words, sizeof *residue);
  uint64_t *f = (uint64_t *)permi_pool_get(pool, 3 * points + 2 * words, sizeof *f);
  perm_integer *value = (perm_integer *)permi_pool_get(pool, 2 * points, sizeof *value);
  perm_status status = pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK)
    permi_primes_choose(prime, (size_t)primes, 0, 50);
  for (int q = 0; q < primes && status == PERM_OK; q++) {
    for (size_t j = 0; j < points && status == PERM_OK && q < runs; j++) {
      permi_pencil_at(pencil, permi_point((int)j), modular ? prime[q].p : 0);
      status = permi_pencil_permanent(pencil, 1, modular ? prime[q].p : 0, NULL);
      value[j] = pencil->result->integer;
      value[points + j] = pencil->result->imaginary_integer;
      watch->done = watch->work_total * ((double)q * (double)points + (double)(j + 1)) / ((double)points * runs);
      if (status == PERM_OK && permi_watch(watch, PERMI_WATCH_UNITS))
        status = watch->stopped;
    }
    for (int part = 0; part < parts && status == PERM_OK; part++) {
      const perm_integer *x = value + (size_t)part * points;
      for (size_t j = 0; j < points; j++)
        f[j] = permi_words_residue(x[j].word, x[j].words, x[j].negative, prime[q].p);
      permi_points_interpolate(f, pencil->most, &prime[q], f + points);
      for (size_t j = 0; j < count; j++)
        residue[(j * (size_t)parts + (size_t)part) * (size_t)primes + (size_t)q] = f[j];
      if (permi_watch(watch, 10.0 * (double)points * (double)points))
        status = watch->stopped;
    }
  }
  for (size_t j = 0; j < count * (size_t)parts && status == PERM_OK; j++)
    permi_chinese_integer(prime, residue + j * (size_t)primes, primes, f + 3 * points, &numbers[j]);
  return status;
}
/* SPDX-License-Identifier: MIT */
