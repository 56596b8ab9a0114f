/* The library's calls on a problem, in the modes of its levels, and what is asked of their results. */
#ifndef PERM_ATTACK_CALLS_H_INCLUDED
#define PERM_ATTACK_CALLS_H_INCLUDED

#include <inttypes.h>
#include <stdarg.h>
#include "matrices.h"
#include "modes.h"
#include "verify.h"
#include "second.h"

typedef enum outcome { ANSWERED, DECLINED, SKIPPED } outcome; /* skipped: the oracle has no answer */

static void failure(const problem *p, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static char scratch_file[3][300], refusal[400];
static struct { double worst_estimate; long above, results, exact, bounds; } tally;

enum { PLANNING = 1, EXECUTING, FINISHING };
static void enter(const problem *p, int stage)
{
  const int *level = p->level;
  if (level[STAGE] == 0 || level[STAGE] == stage)
    set_mode(level[ROUNDING], level[FLUSH]);
}
static void leave(void) { set_mode(0, 0); }

static perm_options options_of(const problem *p)
{
  static const int threads[] = {1, 2, 7};
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = (perm_method)p->level[ENGINE];
  options.precision = (perm_precision)p->level[PRECISION];
  options.isa = (perm_isa)p->level[FAMILY];
  options.threads = threads[p->level[THREADS]];
  options.certify = p->level[CERTIFY];
  options.modulus = p->modulus;
  if (p->level[ORDER] > 10) {
    options.max_seconds = 1;
    options.max_bytes = 1e8;
  }
  return options;
}

/* A refusal: a status that says what is not there, and no number. */
static int is_refusal(const problem *p, const perm_result *r, const char *call)
{
  switch ((int)r->status) {
  case PERM_OK: case PERM_TOLERANCE_NOT_MET: return 0;
  case PERM_STOPPED_TIME: case PERM_ERROR_OPTION: case PERM_ERROR_UNSUPPORTED: case PERM_ERROR_LIMIT:
  case PERM_ERROR_OVERFLOW: case PERM_ERROR_SIZE: case PERM_ERROR_DEVICE: case PERM_ERROR_RANK:
  case PERM_ERROR_ZERO: break;
  default: failure(p, "status", "%s: %s: %s", call, perm_name("status", r->status), r->message);
  }
  snprintf(refusal, sizeof refusal, "%s: %s: %s", call, perm_name("status", r->status), r->message);
  if (!isnan(r->value) || !isinf(r->error_bound) || !isinf(r->error_estimate) || r->exact)
    failure(p, "refused with a number", "%s: %s, value %g, bound %g, estimate %g, exact %d", call,
            perm_name("status", r->status), r->value, r->error_bound, r->error_estimate, r->exact);
  return 1;
}

static int same_integer(const perm_integer *x, const wide *exact, int words)
{
  uint64_t magnitude[WIDE_LONG];
  const int used = wide_magnitude(exact, words, magnitude, WIDE_LONG);
  return x->words == used && !memcmp(x->word, magnitude, sizeof *magnitude * (size_t)used) &&
         (!used || x->negative == wide_is_negative(exact, words));
}

/* How far value (and imaginary) 2^exp2 are from x 2^x_exp2 */
static scaled error_of(const double *value, long long exp2, const answer *exact, int at, long long exact_exp2)
{
  scaled re = wide_distance(value[0], exp2, &exact->value[at * exact->parts], exact->words, exact_exp2), im;
  if (exact->parts == 1)
    return re;
  im = wide_distance(value[1], exp2, &exact->value[at * 2 + 1], exact->words, exact_exp2);
  return scaled_hypot(re, im);
}

static scaled size_of(const answer *exact, int at, long long exp2)
{
  static const double none[2];
  return error_of(none, 0, exact, at, exp2);
}

static void judge_errors(const problem *p, const char *call, scaled error, double bound, double estimate,
                         long long exp2, int must_be_bounded)
{
  const double ratio = isinf(estimate) ? 0 : scaled_ratio(error, scaled_of(estimate, exp2));
  const int ordinary = !p->level[ROUNDING] && !p->level[FLUSH] && !p->level[WORKERS];
  tally.results++;
  tally.bounds += !isinf(bound);
  if (isnan(bound) || isnan(estimate) || bound < 0 || estimate < 0 ||
      (must_be_bounded && ordinary && isinf(bound)))
    failure(p, "no bound", "%s: bound %g, estimate %g", call, bound, estimate);
  else if (!isinf(bound) && scaled_above(error, scaled_of(bound, exp2)))
    failure(p, "bound broken", "%s: error %Lg * 2^%lld, bound %g * 2^%lld, estimate %g", call, error.m, error.exp2,
            bound, exp2, estimate);
  else if (ratio > 13) {
    tally.above++; /* reported, no failure */
    tally.worst_estimate = ratio > tally.worst_estimate ? ratio : tally.worst_estimate;
    failure(p, "estimate", "%s: error %Lg * 2^%lld is %.1f estimates", call, error.m, error.exp2, ratio);
  }
}

/* A result about the permanent. 0: a refusal. */
static int judge(const problem *p, const char *call, const perm_result *r, const answer *exact, long long exp2)
{
  const int whole = p->level[KIND] >= INTEGER && p->level[ENGINE] == PERM_METHOD_AUTO &&
                    (p->level[PRECISION] == PERM_PRECISION_DEFAULT || p->level[PRECISION] == PERM_PRECISION_EXACT);
  const double value[2] = {r->value, r->imaginary};
  const wide *x = exact->value;
  scaled error;
  if (is_refusal(p, r, call))
    return 0;
  if (isnan(r->value) || isinf(r->value) || isnan(r->imaginary) || isinf(r->imaginary)) {
    failure(p, "not finite", "%s: value %g %+gi", call, r->value, r->imaginary);
    return 1;
  }
  if (whole && !r->exact)
    failure(p, "not exact", "%s: a double for whole numbers, by %s", call, perm_name("method", r->method));
  if (r->exact && p->modulus) {
    int k;
    for (k = 0; k < exact->parts; k++) {
      const perm_integer *y = k ? &r->imaginary_integer : &r->integer;
      const uint64_t right = wide_modulo(x + k, exact->words, p->modulus), given = y->words ? y->word[0] : 0;
      if (y->words > 1 || y->negative || given != right || r->modulus != p->modulus) {
        failure(p, "residue", "%s: %" PRIu64 " modulo %" PRIu64 " (asked %" PRIu64 ") by %s, right: %" PRIu64, call,
                given, r->modulus, p->modulus, perm_name("method", r->method), right);
        break;
      }
    }
    tally.exact++;
    return 1;
  }
  if (p->modulus) {
    failure(p, "residue", "%s: a modulus, but no integer", call);
    return 1;
  }
  error = error_of(value, r->exp2, exact, 0, exp2);
  if (r->exact) {
    if (!exp2 && (!same_integer(&r->integer, x, exact->words) ||
                  (exact->parts == 2 && !same_integer(&r->imaginary_integer, x + 1, exact->words))))
      failure(p, "integer", "%s: value %.17g %+.17gi, error %Lg * 2^%lld, by %s", call, r->value, r->imaginary, error.m,
              error.exp2, perm_name("method", r->method));
    else if (scaled_ratio(error, size_of(exact, 0, exp2)) > 0x1p-52)
      failure(p, exp2 ? "bound broken" : "double of the integer", "%s: value %.17g %+.17gi, off by %Lg * 2^%lld",
              call, r->value, r->imaginary, error.m, error.exp2);
    tally.exact++;
    return 1;
  }
  judge_errors(p, call, error, r->error_bound, r->error_estimate, r->exp2,
               p->level[CERTIFY] && r->status == PERM_OK);
  return 1;
}

static long long exp2_of(const problem *p)
{
  long long sum = 0;
  int k;
  for (k = 0; k < p->m; k++)
    sum += (long long)p->row_count[k] * p->row_exp2[k];
  for (k = 0; k < p->n; k++)
    sum += (long long)p->column_count[k] * p->column_exp2[k];
  return sum;
}

static perm_status compute_array(const problem *p, const perm_options *options, perm_result *r)
{
  const int *rows = p->repeated ? p->row_count : NULL, *columns = p->repeated ? p->column_count : NULL;
  const int m = p->m, n = p->n;
  const int64_t *a = p->a;
  switch (p->level[KIND]) {
  case REAL:
    return rows ? perm_compute_repeated_real(m, n, p->real, n, rows, columns, options, r)
                : perm_compute_real(m, n, p->real, n, options, r);
  case COMPLEX:
    return rows ? perm_compute_repeated_complex(m, n, p->real, n, rows, columns, options, r)
                : perm_compute_complex(m, n, p->real, n, options, r);
  case INTEGER: case RESIDUE:
    return rows ? perm_compute_repeated_integer(m, n, a, n, rows, columns, options, r)
                : perm_compute_integer(m, n, a, n, options, r);
  default:
    return rows ? perm_compute_repeated_gaussian(m, n, a, n, rows, columns, options, r)
                : perm_compute_gaussian(m, n, a, n, options, r);
  }
}

/* Real ones from arrays, others from triplets. 0: it failed. */
static int sparse_matrix(const problem *p, perm_matrix *matrix, perm_result *r)
{
  static int row[LINES_MOST * LINES_MOST], column[LINES_MOST * LINES_MOST];
  static double real[LINES_MOST * LINES_MOST], imaginary[LINES_MOST * LINES_MOST];
  static int64_t integer[LINES_MOST * LINES_MOST];
  const int parts = p->parts, whole = p->level[KIND] >= INTEGER && parts == 1;
  int i, ones = 1;
  size_t used = 0;
  for (i = 0; i < p->m * p->n; i++) {
    const int64_t *entry = p->a + i * parts;
    if (!entry[0] && (parts == 1 || !entry[1]))
      continue;
    row[used] = i / p->n;
    column[used] = i % p->n;
    integer[used] = entry[0];
    ones &= entry[0] == 1;
    real[used] = p->real[i * parts];
    imaginary[used++] = parts == 2 ? p->real[i * parts + 1] : 0;
  }
  if (p->level[KIND] == REAL && p->level[DENSITY] % 2)
    perm_matrix_from_dense(p->m, p->n, p->real, p->n, NULL, matrix, r);
  else
    perm_matrix_from_triplets(p->m, p->n, used, row, column, real, imaginary, integer,
                              parts == 2         ? PERM_KIND_COMPLEX
                              : !whole           ? PERM_KIND_REAL
                              : ones && used % 2 ? PERM_KIND_PATTERN
                                                 : PERM_KIND_INTEGER,
                              NULL, matrix, r);
  if (r->status != PERM_OK)
    failure(p, "status", "matrix: %s: %s", perm_name("status", r->status), r->message);
  return r->status == PERM_OK;
}

/* Complex matrices hold Gaussian integers if asked for them. */
static perm_options sparse_options(const problem *p)
{
  perm_options options = options_of(p);
  if (p->level[KIND] == GAUSSIAN && options.precision == PERM_PRECISION_DEFAULT)
    options.precision = PERM_PRECISION_EXACT;
  return options;
}

static outcome call_compute(const problem *p, const answer *exact)
{
  const int c = p->level[CALL];
  perm_options options = c == SPARSE ? sparse_options(p) : options_of(p);
  perm_matrix matrix;
  perm_result r;
  int answered, proofs = c == PROOF;
  memset(&matrix, 0, sizeof matrix);
  remove(scratch_file[0]);
  enter(p, 0);
  if (c == SPARSE || (proofs && p->level[DENSITY] > 1)) {
    if (!sparse_matrix(p, &matrix, &r)) {
      leave();
      return SKIPPED;
    }
    if (proofs)
      perm_prove_sparse(&matrix, scratch_file[0], &options, &r);
    else
      perm_compute_sparse(&matrix, &options, &r);
  } else if (proofs)
    (p->parts == 2 ? perm_prove_gaussian : perm_prove_integer)(p->m, p->n, p->a, p->n, scratch_file[0], &options, &r);
  else
    compute_array(p, &options, &r);
  leave();
  perm_matrix_free(&matrix);
  answered = judge(p, c == SPARSE ? "perm_compute_sparse" : "perm_compute", &r, exact, exp2_of(p));
  if (proofs && answered) {
    const char *wrong = proof_is_wrong(p, scratch_file[0], scratch_file[1], exact);
    if (wrong)
      failure(p, "proof", "the verifier: %s", wrong);
  }
  remove(scratch_file[0]);
  return answered ? ANSWERED : DECLINED;
}

/* Some matrices whose permanents follow from the first: rows turned round, one of them times 2^k */
static outcome call_batch(const problem *p, const answer *exact)
{
  enum { COUNT = 3 };
  const perm_options options = options_of(p);
  const int n = p->n, parts = p->parts, soa = p->level[DENSITY] % 2, size = n * n * parts;
  static double a[COUNT * 2 * LINES_MOST * LINES_MOST];
  const int plain = !options.method && !options.precision && !options.certify;
  const size_t stride = soa ? COUNT : (size_t)(n * n);
  double value[2 * COUNT];
  perm_result r;
  int i, k, q;
  if (p->m != n)
    return SKIPPED;
  for (k = 0; k < COUNT; k++)
    for (i = 0; i < n * n; i++)
      for (q = 0; q < parts; q++) {
        const double x = p->real[((i / n + k) % n * n + i % n) * parts + q] * (i / n == 0 ? ldexp(1, k) : 1);
        a[soa ? (i * COUNT + k) * parts + q : k * size + i * parts + q] = x;
        if (isinf(x))
          return SKIPPED;
      }
  enter(p, 0);
  if (parts == 2)
    (soa ? perm_batch_complex_soa : perm_batch_complex)(n, COUNT, a, stride, &options, value, &r);
  else
    (soa ? perm_batch_real_soa : perm_batch_real)(n, COUNT, a, stride, &options, value, &r);
  leave();
  if (r.status != PERM_OK) { /* the first failure of several: the others may have values */
    r.value = NAN, r.error_bound = r.error_estimate = INFINITY, r.exact = 0;
    is_refusal(p, &r, "perm_batch");
    return DECLINED;
  }
  for (k = 0; k < COUNT; k++) {
    const scaled right = size_of(exact, 0, exp2_of(p) + k);
    scaled error;
    if (right.exp2 > 1022 || (right.m > 0 && right.exp2 < -1000)) /* HUGE_VAL, 0 or subnormal */
      continue;
    if (isinf(value[k * parts]) && !plain) /* what cancels is beyond doubles */
      continue;
    if (isnan(value[k * parts]) || isinf(value[k * parts])) {
      failure(p, "not finite", "perm_batch: value %g", value[k * parts]);
      continue;
    }
    error = error_of(value + k * parts, 0, exact, 0, exp2_of(p) + k);
    if (n > 4 && n <= 16 && plain && scaled_above(error, scaled_of(right.m * 1.0000001e-10L, right.exp2)))
      failure(p, "batch", "perm_batch: matrix %d: value %.17g, error %Lg * 2^%lld", k, value[k * parts], error.m,
              error.exp2);
  }
  return ANSWERED;
}

/* The whole permanent, which comes with them, errs by them times a row's sum of moduli. */
static void judge_whole(const problem *p, int row, const double *minor, const perm_result *r, const answer *whole)
{
  const int n = p->n, parts = p->parts, all = p->level[CALL] == GRADIENT;
  const double permanent[2] = {r->value, r->imaginary};
  const scaled error = error_of(permanent, r->exp2, whole, 0, exp2_of(p));
  long double sum = 0, terms = 0;
  int i, j;
  for (i = all ? 0 : row; i < (all ? p->m : row + 1); i++) { /* of a gradient's rows one, whichever */
    long double of_row = 0, of_terms = 0;
    for (j = 0; j < n && p->row_count[i]; j++) {
      const double *a = p->real + (i * n + j) * parts, *x = minor + ((all ? i * n : 0) + j) * parts;
      const int copies = all ? p->column_count[j] > 0 : p->column_count[j];
      const long double size = copies * (parts == 2 ? hypotl(a[0], a[1]) : fabsl(a[0]));
      of_row += size;
      of_terms += size * (parts == 2 ? hypotl(x[0], x[1]) : fabsl(x[0]));
    }
    sum = fmaxl(sum, of_row);
    terms = fmaxl(terms, of_terms);
  }
  if (p->m && !isinf(r->error_estimate)) {
    const long double estimate = sum * r->error_estimate + n * 0x1p-51L * terms;
    const long double bound = isinf(r->error_bound) ? INFINITY : sum * r->error_bound;
    if (isnan(r->value) || isinf(r->value) || scaled_above(error, scaled_of(13 * estimate + 0x1p-1070L, r->exp2)) ||
        (!isinf(bound) && scaled_above(error, scaled_of(bound + n * 0x1p-51L * terms + 0x1p-1070L, r->exp2))))
      failure(p, "permanent of minors", "value %.17g * 2^%lld, error %Lg * 2^%lld, of minors %Lg, bound %Lg", r->value,
              r->exp2, error.m, error.exp2, estimate, bound);
  }
}

static outcome call_minors(const problem *p, const answer *whole)
{
  static answer exact;
  static double value[2 * LINES_MOST * LINES_MOST];
  const perm_options options = options_of(p);
  const int m = p->m, n = p->n, parts = p->parts, all = p->level[CALL] == GRADIENT;
  const int *rows = p->repeated ? p->row_count : NULL, *columns = p->repeated ? p->column_count : NULL;
  int row = p->m ? random_below(p->m) : 0, i, j, rounds;
  perm_result r;
  if (p->m != n && !p->repeated)
    return SKIPPED;
  while (p->m && !p->row_count[row] && row)
    row--;
  if (!all && (!p->m || !p->row_count[row]))
    return SKIPPED;
  enter(p, 0);
  if (all)
    (parts == 2 ? perm_gradient_complex : perm_gradient_real)(m, n, p->real, n, rows, columns, &options, value, &r);
  else
    (parts == 2 ? perm_minors_complex : perm_minors_real)(m, n, p->real, n, rows, columns, row, &options, value, &r);
  leave();
  if (is_refusal(p, &r, all ? "perm_gradient" : "perm_minors"))
    return DECLINED;
  judge_whole(p, row, value, &r, whole);
  for (rounds = 0; rounds < (all ? 2 : 1) && p->m; rounds++, row = random_below(p->m)) {
    if (!p->row_count[row] || !exact_answer(p, MINORS, row, &exact))
      continue;
    for (j = 0; j < n; j++) {
      const int times = all ? p->row_count[row] * p->column_count[j] : 1;
      const long long exp2 = exp2_of(p) - p->row_exp2[row] - p->column_exp2[j];
      double *minor = value + ((all ? row * n : 0) + j) * parts;
      scaled error;
      if (!p->column_count[j])
        continue;
      for (i = 0; i < parts; i++) {
        wide copy = exact.value[j * parts + i];
        memset(&exact.value[j * parts + i], 0, sizeof(wide));
        wide_add_product(exact.value[j * parts + i].word, copy.word, exact.words, 1, times);
      }
      if (isnan(minor[0]) || isinf(minor[0])) {
        failure(p, "not finite", "minor %d, %d: %g", row, j, minor[0]);
        break;
      }
      error = error_of(minor, r.exp2, &exact, j, exp2);
      if (minor[0] == 0 && (parts == 1 || minor[1] == 0) && error.exp2 < r.exp2 - 1070)
        continue; /* they share an exponent */
      judge_errors(p, all ? "perm_gradient" : "perm_minors", error, r.error_bound, r.error_estimate, r.exp2, 0);
    }
  }
  return ANSWERED;
}

static outcome call_rook(const problem *p)
{
  static answer exact;
  static perm_integer numbers[LINES_MOST + 1];
  const perm_options options = options_of(p);
  const int least = p->m < p->n ? p->m : p->n;
  perm_matrix matrix;
  perm_result r;
  outcome is = DECLINED;
  int k;
  if (!exact_answer(p, ROOKS, -1, &exact))
    return SKIPPED;
  memset(&matrix, 0, sizeof matrix);
  enter(p, 0);
  if (sparse_matrix(p, &matrix, &r)) {
    perm_rook_numbers(&matrix, &options, numbers, &r);
    leave();
    if (r.status == PERM_OK)
      is = ANSWERED;
    else
      is_refusal(p, &r, "perm_rook_numbers");
  } else
    is = SKIPPED;
  leave();
  perm_matrix_free(&matrix);
  for (k = 0; k <= least && is == ANSWERED; k++) {
    const uint64_t right = p->modulus ? wide_modulo(&exact.value[k], exact.words, p->modulus) : 0;
    if (p->modulus ? numbers[k].words > 1 || (numbers[k].words ? numbers[k].word[0] : 0) != right || numbers[k].negative
                   : !same_integer(&numbers[k], &exact.value[k], exact.words)) {
      failure(p, p->modulus ? "residue" : "integer", "rook number %d of %d", k, least);
      break;
    }
  }
  return is;
}

/* Permutations without a zero entry, and in the last row with each column as often as its weight says */
static outcome call_sample(const problem *p, const answer *whole)
{
  enum { COUNT = 100 };
  static answer exact;
  static int columns[COUNT * LINES_MOST];
  const perm_options options = options_of(p);
  const int m = p->m, n = p->n, row = m - 1;
  int seen[LINES_MOST] = {0}, i, j, k, negative = 0;
  perm_matrix matrix;
  perm_result r;
  for (i = 0; i < m * n * p->parts; i++)
    negative |= p->a[i] < 0 || (i % p->parts && p->a[i]);
  memset(&matrix, 0, sizeof matrix);
  memset(&r, 0, sizeof r);
  enter(p, 0);
  if (sparse_matrix(p, &matrix, &r))
    perm_sample_sparse(&matrix, &options, random_bits(), 0, COUNT, columns, &r);
  leave();
  perm_matrix_free(&matrix);
  if (r.status != PERM_OK) {
    r.value = NAN, r.error_bound = r.error_estimate = INFINITY; /* no value is returned */
    is_refusal(p, &r, "perm_sample");
    return DECLINED;
  }
  if (negative || size_of(whole, 0, 0).m == 0) {
    failure(p, "sample", "of a matrix with %s", negative ? "a negative or complex entry" : "permanent 0");
    return ANSWERED;
  }
  for (k = 0; k < COUNT; k++) {
    uint64_t used = 0;
    for (i = 0; i < m; i++) {
      j = columns[k * m + i];
      if (j < 0 || j >= n || used >> j & 1 || !p->a[(i * n + j) * p->parts]) {
        failure(p, "sample", "sample %d: row %d has column %d", k, i, j);
        return ANSWERED;
      }
      used |= UINT64_C(1) << j;
    }
    if (m)
      seen[columns[k * m + row]]++;
  }
  if (m && m == n && exact_answer(p, MINORS, row, &exact))
    for (j = 0; j < n; j++) {
      const scaled share = size_of(&exact, j, 0), all = size_of(whole, 0, 0);
      const double chance = scaled_ratio(share, all) * (double)p->a[row * n + j];
      if (fabs(seen[j] - COUNT * chance) > 8 * sqrt(COUNT * chance * (1 - chance)) + 8) {
        failure(p, "sample", "row %d, column %d: %d of %d, chance %g", row, j, seen[j], COUNT, chance);
        break;
      }
    }
  return ANSWERED;
}

/* The job of a problem: of arrays where only they are that, else sparse. NULL: refused; *skipped: there is none. */
static perm_job *job_of(const problem *p, perm_options *options, perm_result *r, int *skipped)
{
  const int arrays = random_below(2), n = p->n, k = p->level[KIND];
  perm_job *job = NULL;
  perm_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  *options = options_of(p);
  if (arrays && k >= INTEGER && n <= (options->method == PERM_METHOD_EXACT ? 18 : 14))
    (p->parts == 2 ? perm_job_gaussian : perm_job_integer)(p->m, n, p->a, n, options, &job, r);
  else if (arrays && k < INTEGER && n <= 14 && p->m == n && options->method <= PERM_METHOD_RYSER)
    (p->parts == 2 ? perm_job_complex : perm_job_real)(n, n, p->real, n, options, &job, r);
  else {
    *options = sparse_options(p);
    if (sparse_matrix(p, &matrix, r))
      perm_sparse_job(&matrix, options, &job, r);
    else
      *skipped = 1;
  }
  perm_matrix_free(&matrix);
  return job;
}

static outcome call_job(const problem *p, const answer *exact)
{
  perm_options options;
  perm_state *state = NULL;
  perm_result r, again;
  perm_job *job;
  int answered, skipped = 0;
  enter(p, PLANNING);
  job = job_of(p, &options, &r, &skipped);
  leave();
  if (!job)
    return skipped || !is_refusal(p, &r, "the job") ? SKIPPED : DECLINED;
  if (perm_state_create(job, &state) != PERM_OK)
    failure(p, "status", "perm_state_create");
  enter(p, EXECUTING);
  perm_job_execute(job, state, &options, &r);
  leave();
  answered = judge(p, "perm_job_execute", &r, exact, exp2_of(p));
  if (r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET) {
    enter(p, FINISHING);
    perm_state_finish(job, state, &again);
    leave();
    answered |= judge(p, "perm_state_finish", &again, exact, exp2_of(p));
    if (r.value != again.value || r.error_bound != again.error_bound || r.status != again.status)
      failure(p, "bits", "perm_state_finish: %.17g, perm_job_execute: %.17g", again.value, r.value);
  }
  perm_state_free(state);
  perm_job_free(job);
  return answered ? ANSWERED : DECLINED;
}

/* Chunks in some ranges, by the library's threads or by the caller, merged and sent through bytes */
static outcome call_parts(const problem *p, const answer *exact)
{
  static unsigned char bytes[PERM_PARTIAL_BYTES];
  perm_options options;
  perm_partial *partial = NULL, piece;
  perm_leaf leaf;
  perm_result r;
  perm_job *job;
  int k, leaves, skipped = 0;
  enter(p, PLANNING);
  job = job_of(p, &options, &r, &skipped);
  leave();
  if (!job)
    return skipped || !is_refusal(p, &r, "the job") ? SKIPPED : DECLINED;
  leaves = perm_job_leaves(job);
  partial = (perm_partial *)calloc((size_t)leaves + 1, sizeof *partial);
  for (k = 0; k < leaves && partial; k++) {
    uint64_t begin = 0, end;
    if (perm_job_leaf(job, k, &leaf) != PERM_OK)
      failure(p, "status", "perm_job_leaf");
    for (; begin < leaf.chunks; begin = end) {
      perm_status status;
      end = begin + 1 + random_bits() % (leaf.chunks - begin);
      memset(&piece, 0, sizeof piece);
      enter(p, EXECUTING);
      if (random_below(2))
        status = perm_job_run(job, k, begin, end, &piece);
      else
        status = perm_job_range(job, k, begin, end, &options, &piece, &r);
      leave();
      if (status != PERM_OK) {
        r.status = status, r.value = NAN, r.error_bound = r.error_estimate = INFINITY, r.exact = 0;
        is_refusal(p, &r, "perm_job_range");
        free(partial);
        perm_job_free(job);
        return DECLINED;
      }
      if (perm_partial_encode(&piece, bytes, sizeof bytes) != sizeof bytes ||
          perm_partial_decode(bytes, sizeof bytes, &piece) != PERM_OK ||
          perm_partial_merge(&partial[k], &piece) != PERM_OK)
        failure(p, "status", "a partial as bytes, or merged");
    }
  }
  enter(p, FINISHING);
  perm_job_finish(job, partial, &r);
  leave();
  free(partial);
  perm_job_free(job);
  return judge(p, "perm_job_finish", &r, exact, exp2_of(p)) ? ANSWERED : DECLINED;
}

/* Two parts in files, and their merge: three calls, each of which plans */
static outcome call_checkpoint(const problem *p, const answer *exact)
{
  const char *files[3] = {scratch_file[1], scratch_file[2], NULL};
  perm_options options = sparse_options(p);
  const int arrays = random_below(2) && p->level[ORDER] <= 14;
  perm_matrix matrix;
  perm_result r;
  int k, answered = 0;
  memset(&matrix, 0, sizeof matrix);
  if (arrays)
    options.precision = (perm_precision)p->level[PRECISION];
  remove(files[0]);
  remove(files[1]);
  for (k = 0; k < 3; k++) {
    enter(p, k + 1);
    options.checkpoint.file = k < 2 ? files[k] : NULL;
    options.checkpoint.part = k < 2 ? k + 1 : 0;
    options.checkpoint.parts = k < 2 ? 2 : 0;
    options.checkpoint.merge = k < 2 ? NULL : files;
    if (arrays)
      compute_array(p, &options, &r);
    else if (sparse_matrix(p, &matrix, &r)) {
      perm_compute_sparse(&matrix, &options, &r);
      perm_matrix_free(&matrix);
    } else {
      leave();
      return SKIPPED;
    }
    leave();
    if (k < 2 && r.status == PERM_PART_DONE)
      continue;
    answered = judge(p, k < 2 ? "a part" : "merged", &r, exact, exp2_of(p));
    break;
  }
  remove(files[0]);
  remove(files[1]);
  return answered ? ANSWERED : DECLINED;
}

static outcome run_problem(const problem *p)
{
  static answer exact;
  const int c = p->level[CALL];
  if (c != ROOK && !exact_answer(p, PERMANENT, -1, &exact))
    return SKIPPED;
  if (c != ROOK && !second_oracle_agrees(p, &exact))
    failure(p, "oracle", "the second oracle, by GMP, has another permanent");
  set_workers(p->level[WORKERS]);
  switch (c) {
  case BATCH: return call_batch(p, &exact);
  case MINORS_CALL: case GRADIENT: return call_minors(p, &exact);
  case ROOK: return call_rook(p);
  case SAMPLE: return call_sample(p, &exact);
  case JOB: return call_job(p, &exact);
  case PARTS: return call_parts(p, &exact);
  case CHECKPOINT: return call_checkpoint(p, &exact);
  default: return call_compute(p, &exact);
  }
}

#endif
/* SPDX-License-Identifier: MIT */
