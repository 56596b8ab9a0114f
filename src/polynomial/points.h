/* ========================================================================================== >>points
   The polynomial P(x) = per(C + x L) of a pencil C + x L of integers, from permanents of integers:
   - [Kro82]: if all |coefficients| are below 2^(b-1), they are the balanced digits of P(2^b).
   - Values at 0, 1, -1, 2, ..., as they are or, if these are too long, modulo primes, are interpolated by Newton modulo
     primes below 2^62, to 2^bits.
   The coefficients' moduli add up to per(|C| + |L|) at most. */
#pragma once
#include "../api/more_calls.h"
#include "../sparse/sparse.h"

typedef enum permi_side_kind { PERMI_SIDE_MATRIX, PERMI_SIDE_ARRAY, PERMI_SIDE_ONES, PERMI_SIDE_IDENTITY } permi_side_kind;
typedef struct permi_side { /* C or L */
  permi_side_kind kind;
  const perm_matrix *matrix;
  const double *real;
  const int64_t *integer;
  ptrdiff_t ld;
  int parts;
} permi_side;

typedef struct permi_pencil_entry { /* of C, L: real, imaginary */
  int64_t integer[2][2];
  double real[2][2];
} permi_pencil_entry;

typedef struct permi_pencil {
  int m, n, parts, most; /* most: a bound on the degree */
  int degree;            /* asked for */
  int certify, negative; /* negative: an entry is, or is complex */
  int shift;             /* log2 of the size of C's entries over L's */
  double largest[2];     /* part of C, of L */
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_pool pool;
  permi_pencil_entry *entry;
  double *sum_of; /* of a column; work */
  perm_matrix matrix; /* entries at a point */
} permi_pencil;

/* Returns the column of a line's k-th entry, or n. */
static int permi_side_entry(const permi_side *side, int i, size_t k, int n, permi_cell *cell)
{
  const ptrdiff_t at = side->ld * i + (ptrdiff_t)k;
  const perm_matrix *matrix = side->matrix;
  if (side->kind == PERMI_SIDE_MATRIX) {
    if (k >= matrix->row_start[i + 1] - matrix->row_start[i])
      return n;
    permi_matrix_entry(matrix, matrix->row_start[i] + k, cell);
    return matrix->column[matrix->row_start[i] + k];
  }
  *cell = permi_cell_one();
  if (side->kind == PERMI_SIDE_IDENTITY)
    return k ? n : i;
  if (k >= (size_t)n || side->kind == PERMI_SIDE_ONES)
    return (int)k;
  if (side->integer) {
    cell->integer = side->integer[at * side->parts];
    cell->imaginary_integer = side->parts == 2 ? side->integer[at * 2 + 1] : 0;
    cell->real = (double)cell->integer;
    cell->imaginary = (double)cell->imaginary_integer;
  } else {
    cell->real = side->real[at * side->parts];
    cell->imaginary = side->parts == 2 ? side->real[at * 2 + 1] : 0;
  }
  return (int)k;
}

/* Counts the entries that C or L has or, with pencil->entry, takes them. */
static size_t permi_pencil_merge(permi_pencil *pencil, const permi_side *side, unsigned char *mark)
{
  const int n = pencil->n;
  permi_cell cell[2];
  size_t used = 0, k[2];
  int i, s, part, column[2];
  for (i = 0; i < pencil->m && !permi_watch(pencil->watch, 50); i++) {
    int in_line = 0;
    if (pencil->entry)
      pencil->matrix.row_start[i] = used;
    for (k[0] = k[1] = 0;;) {
      permi_pencil_entry entry;
      int least, some = 0;
      memset(&entry, 0, sizeof entry);
      for (s = 0; s < 2; s++)
        column[s] = permi_side_entry(&side[s], i, k[s], n, &cell[s]);
      least = column[0] < column[1] ? column[0] : column[1];
      if (least >= n)
        break;
      for (s = 0; s < 2; s++) {
        if (column[s] != least)
          continue;
        k[s]++;
        entry.integer[s][0] = cell[s].integer;
        entry.integer[s][1] = cell[s].imaginary_integer;
        entry.real[s][0] = cell[s].real;
        entry.real[s][1] = cell[s].imaginary;
        some |= cell[s].real != 0 || cell[s].imaginary != 0;
        pencil->negative |= cell[s].real < 0 || cell[s].imaginary != 0;
        for (part = 0; part < 2; part++)
          pencil->largest[s] = fmax(pencil->largest[s], fabs(entry.real[s][part]));
      }
      if (!some)
        continue;
      if (pencil->entry) {
        const int has = entry.real[1][0] != 0 || entry.real[1][1] != 0;
        pencil->matrix.column[used] = least;
        pencil->entry[used] = entry;
        in_line |= has;
        mark[least] |= (unsigned char)has;
      }
      used++;
    }
    pencil->most += in_line;
  }
  return used;
}

static void permi_pencil_clear(permi_pencil *pencil, int m, int n, int parts, permi_control *watch, perm_result *result)
{
  memset(pencil, 0, sizeof *pencil);
  pencil->m = m;
  pencil->n = n;
  pencil->parts = parts;
  pencil->options = watch->options;
  pencil->watch = watch;
  pencil->result = result;
  pencil->degree = m < n ? m : n;
  pencil->pool.allocator = &watch->options->allocator;
}

/* Makes a cleared pencil of C = side[0] and L = side[1]. Returns 0 without memory. */
static int permi_pencil_open(permi_pencil *pencil, const permi_side *side)
{
  const size_t m = (size_t)pencil->m, n = (size_t)pencil->n;
  perm_matrix *matrix = &pencil->matrix;
  permi_pool *pool = &pencil->pool;
  unsigned char *mark;
  int j, columns = 0;
  matrix->m = pencil->m;
  matrix->n = pencil->n;
  matrix->nnz = permi_pencil_merge(pencil, side, NULL);
  matrix->row_start = (size_t *)permi_pool_zeros(pool, m + 1, sizeof(size_t));
  matrix->column = (int *)permi_pool_get(pool, matrix->nnz + 1, sizeof(int));
  matrix->integer = (int64_t *)permi_pool_get(pool, matrix->nnz + 1, 8);
  matrix->real = (double *)permi_pool_get(pool, matrix->nnz + 1, 8);
  matrix->imaginary = (double *)permi_pool_get(pool, matrix->nnz + 1, 8);
  pencil->entry = (permi_pencil_entry *)permi_pool_get(pool, matrix->nnz + 1, sizeof *pencil->entry);
  pencil->sum_of = (double *)permi_pool_get(pool, (m > n ? m : n) + 1, sizeof(double));
  mark = (unsigned char *)permi_pool_zeros(pool, n + 1, 1);
  if (pool->failed)
    return 0;
  pencil->most = 0;
  matrix->row_start[m] = permi_pencil_merge(pencil, side, mark);
  for (j = 0; j < pencil->n; j++)
    columns += mark[j];
  pencil->most = columns < pencil->most ? columns : pencil->most;
  pencil->degree = pencil->degree < pencil->most ? pencil->degree : pencil->most;
  return 1;
}

/* Returns log2 of a bound on per(|C| + t |L|): products of the sums of lines. */
static double permi_pencil_bits(permi_pencil *pencil, double t)
{
  double bits[2] = {0, 0}, sum;
  size_t e;
  int i, part;
  memset(pencil->sum_of, 0, (size_t)pencil->n * sizeof(double));
  for (i = 0; i < pencil->m; i++) {
    for (sum = 0, e = pencil->matrix.row_start[i]; e < pencil->matrix.row_start[i + 1]; e++)
      for (part = 0; part < pencil->parts; part++) {
        const double x = fabs(pencil->entry[e].real[0][part]) + t * fabs(pencil->entry[e].real[1][part]);
        sum += x;
        pencil->sum_of[pencil->matrix.column[e]] += x;
      }
    bits[0] += log2(fmax(sum, 1));
  }
  for (i = 0; i < pencil->n; i++)
    bits[1] += log2(fmax(pencil->sum_of[i], 1));
  return (pencil->m < pencil->n   ? bits[0]
          : pencil->m > pencil->n ? bits[1]
                                  : fmin(bits[0], bits[1])) * (1 + 1e-12) + 1e-9;
}

/* The matrix becomes C + x L, modulo p unless 0. */
static void permi_pencil_at(permi_pencil *pencil, int64_t x, uint64_t p)
{
  perm_matrix *matrix = &pencil->matrix;
  size_t e;
  int part;
  matrix->kind = pencil->parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER;
  for (e = 0; e < matrix->nnz; e++)
    for (part = 0; part < pencil->parts; part++) {
      const int64_t c = pencil->entry[e].integer[0][part], l = pencil->entry[e].integer[1][part];
      double *real = part ? matrix->imaginary : matrix->real;
      int64_t y;
      if (p) {
        const uint64_t r = permi_residue_add(permi_residue_of(c, p), permi_residue_multiply(permi_residue_of(l, p),
                                             permi_residue_of(x, p), p), 0, p);
        y = r > p / 2 ? -(int64_t)(p - r) : (int64_t)r;
      } else {
        y = c + l * x;
      }
      real[e] = (double)y;
      if (!part)
        matrix->integer[e] = y;
    }
}

/* Exact, modulo `modulus` unless 0, or in doubles. */
static perm_options permi_pencil_options(const permi_pencil *pencil, int exact, uint64_t modulus)
{
  perm_options one = *pencil->options;
  one.method = PERM_METHOD_AUTO;
  one.precision = exact ? PERM_PRECISION_EXACT : one.precision;
  one.certify = !exact && pencil->certify;
  one.modulus = modulus;
  one.progress = NULL;
  if (one.max_seconds > 0)
    one.max_seconds = fmax(pencil->watch->deadline - permi_seconds(), 1e-9);
  return one;
}

static perm_status permi_pencil_permanent(const permi_pencil *pencil, int exact, uint64_t modulus, perm_result *result)
{
  const perm_options one = permi_pencil_options(pencil, exact, modulus);
  return perm_compute_sparse(&pencil->matrix, &one, result);
}

/* Returns the predicted seconds of such a permanent, or INFINITY, and why. */
static double permi_pencil_seconds(const permi_pencil *pencil, int exact, uint64_t modulus, perm_status *status)
{
  perm_options one = permi_pencil_options(pencil, exact, modulus);
  perm_job *job = NULL;
  perm_result result;
  double seconds = (double)INFINITY;
  one.max_seconds = 0;
  *status = perm_sparse_job(&pencil->matrix, &one, &job, &result);
  if (*status == PERM_OK)
    seconds = permi_job_seconds(job);
  perm_job_free(job);
  return seconds;
}

/* Says if what takes `seconds` may run; `planning`: why it may be INFINITY. */
static perm_status permi_pencil_may(const permi_pencil *pencil, double seconds, perm_status planning)
{
  const perm_options *options = pencil->options;
  if (seconds == (double)INFINITY)
    return permi_fail(pencil->result, planning < 0 ? planning : PERM_ERROR_LIMIT, 0, "polynomial: no engine, %s",
                      options->method == PERM_METHOD_FRONTIER
                          ? "the frontier takes square matrices of integers or numbers >= 0 with few states"
                          : perm_status_text(planning));
  if (options->max_seconds > 0 && seconds > pencil->watch->deadline - permi_seconds())
    return permi_fail(pencil->result, PERM_ERROR_LIMIT, 0, "polynomial: %s predicted, more than max_seconds = %.3g",
                      permi_time_words(seconds).text, options->max_seconds);
  pencil->watch->activity = "computing a polynomial";
  return PERM_OK;
}

/* ---- digits */

/* Returns 1 if C + 2^b L has entries of 63 bits (Gaussian: 53) and P(2^b) is no longer than a perm_integer. */
static int permi_kronecker_fits(const permi_pencil *pencil, int b)
{
  return b < 63 && (double)b * (pencil->most + 1) <= 64 * PERM_INTEGER_WORDS - 64 &&
         pencil->largest[0] + ldexp(pencil->largest[1], b) < ldexp(1, pencil->parts == 2 ? 53 : 62);
}

/* Sets numbers[k parts] to the balanced digits of `value` to base 2^b. */
static void permi_kronecker_digits(const perm_integer *value, int b, int count, int parts, perm_integer *numbers)
{
  uint64_t carry = 0;
  int k;
  for (k = 0; k < count; k++) {
    const int word = k * b / 64, shift = k * b % 64;
    uint64_t digit = word < PERM_INTEGER_WORDS ? value->word[word] >> shift : 0;
    if (shift + b > 64 && word + 1 < PERM_INTEGER_WORDS)
      digit |= value->word[word + 1] << (64 - shift);
    digit = (digit & ((UINT64_C(1) << b) - 1)) + carry;
    carry = digit >> (b - 1) != 0;
    numbers[(size_t)k * (size_t)parts] = permi_integer_of(value->negative ? -((int64_t)digit - ((int64_t)carry << b))
                                                                        : (int64_t)digit - ((int64_t)carry << b));
  }
}

static perm_status permi_kronecker_run(permi_pencil *pencil, int b, perm_integer *numbers)
{
  perm_status status;
  permi_pencil_at(pencil, (int64_t)1 << b, 0);
  status = permi_pencil_permanent(pencil, 1, 0, pencil->result);
  if (status == PERM_OK)
    permi_kronecker_digits(&pencil->result->integer, b, pencil->degree + 1, pencil->parts, numbers);
  if (status == PERM_OK && pencil->parts == 2)
    permi_kronecker_digits(&pencil->result->imaginary_integer, b, pencil->degree + 1, 2, numbers + 1);
  return status;
}

/* ---- values */

static int64_t permi_point(int j)
{
  return j & 1 ? j / 2 + 1 : -(j / 2);
}

/* Returns 1 if values at all points can be computed as they are. */
static int permi_points_fit(permi_pencil *pencil)
{
  const double far = (pencil->most + 1) / 2;
  return pencil->largest[0] + far * pencil->largest[1] < ldexp(1, pencil->parts == 2 ? 53 : 62) &&
         permi_pencil_bits(pencil, far) <= 64 * PERM_INTEGER_WORDS - 2;
}

/* Returns log2 of its primes. */
static int permi_points_bits(const permi_pencil *pencil, int modular)
{
  return modular && pencil->parts == 2 ? 50 : 62; /* doubles have the entries */
}

static int permi_points_primes(const permi_pencil *pencil, double bits, int modular)
{
  return (int)((bits + 1) / (permi_points_bits(pencil, modular) - 0.001)) + 1;
}

/* Returns the predicted seconds of coefficients below 2^bits, or INFINITY, and why; bits 0: values as they are. */
static double permi_points_seconds(permi_pencil *pencil, double bits, perm_status *status)
{
  const uint64_t modulus = bits > 0 ? UINT64_C(1) << permi_points_bits(pencil, 1) : 0;
  permi_pencil_at(pencil, (pencil->most + 1) / 2, modulus);
  return (pencil->most + 1) * permi_pencil_seconds(pencil, 1, modulus, status) *
         (modulus ? permi_points_primes(pencil, bits, 1) : 1);
}

/* Turns values at the points into coefficients, modulo a prime. inverse: room for `most` + 1. */
static void permi_points_interpolate(uint64_t *f, int most, const permi_odd_modulus *prime, uint64_t *inverse)
{
  const uint64_t p = prime->p;
  int i, k;
  for (k = 1; k <= most; k++) /* 2^64 / k */
    inverse[k] = permi_prime_inverse((uint64_t)k, prime);
  for (k = 1; k <= most; k++)
    for (i = most; i >= k; i--) {
      const int64_t apart = permi_point(i) - permi_point(i - k);
      f[i] = permi_montgomery(permi_residue_add(f[i], f[i - 1], 1, p), inverse[apart < 0 ? -apart : apart], prime);
      f[i] = apart < 0 && f[i] ? p - f[i] : f[i];
    }
  for (k = most - 1; k >= 0; k--)
    for (i = k; i < most; i++)
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

/* Coefficients below 2^bits; `modular`: by values modulo primes. */
static perm_status permi_points_run(permi_pencil *pencil, double bits, int modular, perm_integer *numbers)
{
  const int most = pencil->most, parts = pencil->parts, primes = permi_points_primes(pencil, bits, modular);
  const int runs = modular ? primes : 1;
  const size_t points = (size_t)most + 1, words = (size_t)primes + 1, given = (size_t)pencil->degree + 1;
  permi_control *watch = pencil->watch;
  permi_pool pool = {&pencil->options->allocator, NULL, 0};
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_zeros(&pool, given * (size_t)(parts * primes), sizeof *residue);
  uint64_t *f = (uint64_t *)permi_pool_get(&pool, 4 * points + 2 * words, sizeof *f), *word = f + 4 * points;
  perm_integer *value = (perm_integer *)permi_pool_get(&pool, modular ? 1 : points * (size_t)parts, sizeof *value);
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  int q, part;
  size_t j;
  if (status == PERM_OK)
    permi_primes_choose(prime, (size_t)primes, 0, permi_points_bits(pencil, modular));
  for (q = 0; q < primes && status == PERM_OK; q++) {
    const uint64_t p = prime[q].p;
    for (j = 0; j < points && status == PERM_OK && q < runs; j++) {
      permi_pencil_at(pencil, permi_point((int)j), modular ? p : 0);
      status = permi_pencil_permanent(pencil, 1, modular ? p : 0, pencil->result);
      for (part = 0; part < parts && status == PERM_OK; part++) {
        const perm_integer *x = part ? &pencil->result->imaginary_integer : &pencil->result->integer;
        if (modular)
          f[(size_t)part * points + j] = x->word[0];
        else
          value[j * (size_t)parts + (size_t)part] = *x;
      }
      watch->done = watch->work_total * ((double)q * (double)points + (double)(j + 1)) / ((double)points * runs);
      if (status == PERM_OK && permi_watch(watch, PERMI_WATCH_UNITS))
        status = watch->stopped;
    }
    for (part = 0; part < parts && status == PERM_OK; part++) {
      uint64_t *own = f + (size_t)part * points;
      for (j = 0; j < points && !modular; j++) {
        const perm_integer *x = &value[j * (size_t)parts + (size_t)part];
        own[j] = permi_words_residue(x->word, x->words, x->negative, p);
      }
      permi_points_interpolate(own, most, &prime[q], f + 2 * points);
      for (j = 0; j < points && j < given; j++)
        residue[(j * (size_t)parts + (size_t)part) * (size_t)primes + (size_t)q] = own[j];
      if (permi_watch(watch, 10.0 * (double)points * (double)points))
        status = watch->stopped;
    }
  }
  for (j = 0; j < given * (size_t)parts && status == PERM_OK; j++)
    permi_chinese_integer(prime, residue + j * (size_t)primes, primes, word, &numbers[j]);
  permi_pool_release(&pool);
  return status;
}
/* SPDX-License-Identifier: MIT */
