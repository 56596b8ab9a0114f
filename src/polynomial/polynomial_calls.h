/* ================================================================================ >>polynomial_calls
   perm_polynomial_* and perm_permanental_polynomial_*: check, choose, run. */
#pragma once
#include "circle.h"

typedef struct permi_pencil_call {
  permi_side side[2];
  int m, n, parts, degree;
  int alternates; /* 1: every other coefficient changes its sign, but the last */
  int at[5];      /* arguments: C, L, degree, options, coefficients */
  perm_integer *integers;
  double *values, *bounds;
} permi_pencil_call;

static perm_status permi_pencil_check_side(const permi_pencil_call *call, int s, permi_control *watch,
                                               perm_result *result)
{
  const permi_side *side = &call->side[s];
  const perm_matrix *matrix = side->matrix;
  char message[PERM_MESSAGE_BYTES];
  perm_status status = PERM_OK;
  int at = call->at[s], row;
  size_t e;
  if (side->kind == PERMI_SIDE_ARRAY && call->m && call->n)
    status = permi_check_entries(call->m, call->n, side->real, side->real || side->integer, side->ld, side->parts,
                                 result);
  else if (side->kind == PERMI_SIDE_MATRIX)
    status = permi_check_sparse(matrix, watch, result);
  if (status == PERM_OK && matrix && (matrix->m != call->m || matrix->n != call->n))
    status = permi_fail(result, PERM_ERROR_SIZE, at, "the matrix is %d x %d, not %d x %d", matrix->m, matrix->n,
                        call->m, call->n);
  if (status == PERM_OK && matrix && call->integers && matrix->m &&
      !permi_matrix_integers(matrix, &row, &e, watch))
    status = watch->stopped != PERM_OK
                 ? permi_fail_stopped(watch, result)
                 : permi_fail(result, PERM_ERROR_UNSUPPORTED, at, "row %d (counted from 1) has an entry that is no "
                                                                  "integer below 2^53", row + 1);
  if (status < 0) {
    memcpy(message, result->message, sizeof message);
    permi_fail(result, status, at + (status == PERM_ERROR_STRIDE), "%c: %.200s", s ? 'L' : 'C', message);
  }
  return status;
}

static perm_status permi_pencil_check(const permi_pencil_call *call, const perm_options *options,
                                          permi_control *watch, perm_result *result)
{
  perm_status status = permi_check_whole(options, call->at[3], result);
  int s;
  if (status != PERM_OK)
    return status;
  if ((options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_FRONTIER &&
       options->method != PERM_METHOD_EXACT) ||
      (options->precision != PERM_PRECISION_DEFAULT && (options->precision == PERM_PRECISION_EXACT) != !call->values))
    return permi_fail(result, PERM_ERROR_OPTION, call->at[3],
                      "polynomials are computed by method auto, frontier or exact, integers with precision exact");
  status = call->at[0] == 3 ? permi_check_order(call->m, call->n, result) : PERM_OK;
  for (s = 0; s < 2 && status == PERM_OK; s++)
    status = permi_pencil_check_side(call, s, watch, result);
  if (status == PERM_OK && call->degree < 0)
    status = permi_fail(result, PERM_ERROR_SIZE, call->at[2], "degree is negative (%d)", call->degree);
  if (status == PERM_OK && !call->integers && !call->values)
    status = permi_fail(result, PERM_ERROR_NULL, call->at[4], "coefficients is NULL");
  return status;
}

/* Sets *bits to log2 of per(|C| + |L|), if it can be computed. */
static perm_status permi_pencil_sharpen(permi_pencil *pencil, double *bits)
{
  perm_matrix *matrix = &pencil->matrix;
  perm_result result;
  perm_status status;
  size_t e;
  int k;
  if ((pencil->largest[0] + pencil->largest[1]) * pencil->parts >= ldexp(1, 62))
    return PERM_OK;
  matrix->kind = PERM_KIND_INTEGER;
  for (e = 0; e < matrix->nnz; e++) {
    const permi_pencil_entry *entry = &pencil->entry[e];
    matrix->integer[e] = 0;
    for (k = 0; k < 4; k++) {
      const int64_t x = entry->integer[k / 2][k % 2];
      matrix->integer[e] += x < 0 ? -x : x;
    }
    matrix->real[e] = (double)matrix->integer[e];
  }
  status = permi_pencil_permanent(pencil, 1, 0, &result);
  if (status == PERM_OK)
    *bits = fmin(*bits, result.value > 0 ? log2(result.value) + (double)result.exp2 + 1e-9 : 0);
  return status > 0 || status == PERM_ERROR_MEMORY ? permi_fail(pencil->result, status, 0, "%s", result.message)
                                                   : PERM_OK;
}

/* The coefficients of a pencil of integers. */
static perm_status permi_pencil_exact(permi_pencil *pencil, permi_coefficients *plan, perm_integer *numbers)
{
  const perm_options *options = pencil->options;
  permi_control *watch = pencil->watch;
  double bits = permi_pencil_bits(pencil, 1), points = (double)INFINITY, digits = points, vectors = points, least;
  const int exact = options->method == PERM_METHOD_EXACT, frontier = options->method == PERM_METHOD_FRONTIER;
  perm_status status = PERM_OK, planning = PERM_ERROR_LIMIT;
  int modular = 0, b;
  watch->activity = "planning a polynomial";
  if (bits > 64 * PERM_INTEGER_WORDS - 2)
    return permi_fail(pencil->result, PERM_ERROR_OVERFLOW, 0, "the coefficients may need %.0f bits, more than %d",
                      bits + 2, 64 * PERM_INTEGER_WORDS);
  if (pencil->m == pencil->n && pencil->n > 0 && pencil->parts == 1 && !exact) {
    status = permi_coefficients_plan(pencil, plan);
    vectors = plan->seconds * permi_coefficients_passes(plan, bits);
  }
  if (status == PERM_OK && !frontier) {
    modular = !permi_points_fit(pencil);
    points = permi_points_seconds(pencil, modular ? bits : 0, &planning);
  }
  if (status == PERM_OK && fmin(points, vectors) > PERMI_FREE_SECONDS && bits > 62 && bits - 1.5 * pencil->m < 140) {
    status = permi_pencil_sharpen(pencil, &bits);
    if (vectors < (double)INFINITY)
      vectors = plan->seconds * permi_coefficients_passes(plan, bits);
  }
  b = bits < 60 ? (int)bits + 3 : 64;
  if (status == PERM_OK && !frontier && permi_kronecker_fits(pencil, b)) {
    permi_pencil_at(pencil, (int64_t)1 << b, 0);
    digits = permi_pencil_seconds(pencil, 1, 0, &planning);
  }
  if (status != PERM_OK)
    return status;
  least = watch->work_total = fmin(vectors, fmin(points, digits));
  status = permi_pencil_may(pencil, least, planning);
  if (status != PERM_OK)
    return status;
  if (vectors > least)
    status = digits == least ? permi_kronecker_run(pencil, b, numbers)
                             : permi_points_run(pencil, bits, modular, numbers);
  else if (plan->frontier)
    status = permi_coefficients_run(pencil, plan, bits, numbers, NULL);
  else
    memset(numbers, 0, ((size_t)pencil->degree + 1) * sizeof *numbers);
  pencil->result->method = vectors > least ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
  return status;
}

static void permi_pencil_write_integers(const permi_pencil_call *call, const perm_options *options, int given,
                                        perm_result *result)
{
  const int count = (call->degree + 1) * call->parts;
  permi_number first = permi_number_one();
  int k;
  for (k = 0; k < count; k++) {
    perm_integer *x = &call->integers[k];
    if (k >= (given + 1) * call->parts)
      *x = permi_integer_of(0);
    x->negative ^= call->alternates && x->words && (call->n - k) & 1;
    if (options->modulus)
      permi_integer_reduce(x, options->modulus);
  }
  first.integer = call->integers[0];
  first.imaginary_integer = call->parts == 2 ? call->integers[1] : permi_integer_of(0);
  permi_number_result(&first, result);
  result->modulus = options->modulus;
  result->precision = PERM_PRECISION_EXACT;
}

static perm_status permi_pencil_write_doubles(const permi_pencil_call *call, int given, const double *bounds,
                                              perm_result *result)
{
  double worst = 0;
  int k;
  for (k = 0; k <= call->degree; k++) {
    if (k > given)
      call->values[k * call->parts] = call->values[(k + 1) * call->parts - 1] = 0;
    if (call->bounds)
      call->bounds[k] = k > given ? 0 : bounds[k];
    worst = fmax(worst, k > given ? 0 : bounds[k]);
    if (permi_not_finite(call->values[k * call->parts]) || permi_not_finite(call->values[(k + 1) * call->parts - 1]))
      return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "the coefficient of x^%d is beyond doubles: scale the "
                                                           "entries", k);
  }
  result->value = call->values[0];
  result->imaginary = call->parts == 2 ? call->values[1] : 0;
  result->exp2 = 0;
  result->error_bound = worst;
  return PERM_OK;
}

static perm_status permi_pencil_coefficients(const permi_pencil_call *call, const perm_options *options,
                                             permi_control *watch, perm_result *result)
{
  permi_pencil pencil;
  permi_coefficients plan;
  double *bounds = NULL;
  perm_status status = permi_pencil_check(call, options, watch, result);
  if (status != PERM_OK)
    return status;
  permi_pencil_clear(&pencil, call->m, call->n, call->parts, watch, result);
  memset(&plan, 0, sizeof plan);
  pencil.degree = call->degree;
  pencil.certify = options->certify || call->bounds;
  status = permi_pencil_open(&pencil, call->side) ? watch->stopped : PERM_ERROR_MEMORY;
  if (call->values && status == PERM_OK) {
    bounds = (double *)permi_pool_zeros(&pencil.pool, (size_t)pencil.degree + 1, sizeof *bounds);
    status = bounds ? permi_pencil_doubles(&pencil, &plan, call->values, bounds) : PERM_ERROR_MEMORY;
    if (status == PERM_OK)
      status = permi_pencil_write_doubles(call, pencil.degree, bounds, result);
  } else if (status == PERM_OK) {
    status = permi_pencil_exact(&pencil, &plan, call->integers);
    if (status == PERM_OK)
      permi_pencil_write_integers(call, options, pencil.degree, result);
  }
  permi_coefficients_release(&plan);
  permi_pool_release(&pencil.pool);
  if (watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  result->is_complex = call->parts == 2;
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : status;
}

static perm_status permi_pencil_run(const permi_pencil_call *call, const perm_options *options_given,
                                    perm_result *result)
{
  const perm_matrix *c = call->side[0].matrix, *l = call->side[1].matrix;
  const double area = (double)(call->m > 0 ? call->m : 0) * (call->n > 0 ? call->n : 0);
  permi_metered meter;
  const perm_options *options =
      permi_meter_begin(&meter, options_given, c ? permi_matrix_cost(c) + permi_matrix_cost(l) : 16 * call->parts * area);
  permi_control watch = permi_control_begin(options);
  perm_result unused;
  perm_status status;
  size_t k;
  result = result ? result : &unused;
  permi_result_clear(result);
  status = permi_meter_end(&meter, permi_pencil_coefficients(call, options, &watch, result), result);
  for (k = 0; status != PERM_OK && call->values && call->degree >= 0 && k < (size_t)call->parts * ((size_t)call->degree + 1); k++)
    call->values[k] = (double)NAN;
  result->seconds = permi_seconds() - watch.start;
  return result->status = permi_kind(status, call->parts, options_given, result);
}

static permi_side permi_side_array(const double *real, const int64_t *integer, ptrdiff_t ld, int parts)
{
  permi_side side = {PERMI_SIDE_ARRAY, NULL, NULL, NULL, 0, 0};
  side.real = real;
  side.integer = integer;
  side.ld = ld;
  side.parts = parts;
  return side;
}

static permi_pencil_call permi_pencil_of(int m, int n, int parts, int degree)
{
  static const int at[5] = {3, 5, 7, 8, 9};
  permi_pencil_call call;
  memset(&call, 0, sizeof call);
  call.m = m;
  call.n = n;
  call.parts = parts;
  call.degree = degree;
  memcpy(call.at, at, sizeof at);
  return call;
}

PERM_MORE_API perm_status perm_polynomial_integer(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l,
                                                  ptrdiff_t ldl, int degree, const perm_options *options,
                                                  perm_integer *coefficients, perm_result *result)
{
  permi_pencil_call call = permi_pencil_of(m, n, 1, degree);
  call.side[0] = permi_side_array(NULL, c, ldc, 1);
  call.side[1] = permi_side_array(NULL, l, ldl, 1);
  call.integers = coefficients;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_gaussian(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l,
                                                   ptrdiff_t ldl, int degree, const perm_options *options,
                                                   perm_integer *coefficients, perm_result *result)
{
  permi_pencil_call call = permi_pencil_of(m, n, 2, degree);
  call.side[0] = permi_side_array(NULL, c, ldc, 2);
  call.side[1] = permi_side_array(NULL, l, ldl, 2);
  call.integers = coefficients;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_real(int m, int n, const double *c, ptrdiff_t ldc, const double *l,
                                               ptrdiff_t ldl, int degree, const perm_options *options,
                                               double *coefficients, double *bounds, perm_result *result)
{
  permi_pencil_call call = permi_pencil_of(m, n, 1, degree);
  call.side[0] = permi_side_array(c, NULL, ldc, 1);
  call.side[1] = permi_side_array(l, NULL, ldl, 1);
  call.values = coefficients;
  call.bounds = bounds;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_complex(int m, int n, const double *c, ptrdiff_t ldc, const double *l,
                                                  ptrdiff_t ldl, int degree, const perm_options *options,
                                                  double *coefficients, double *bounds, perm_result *result)
{
  permi_pencil_call call = permi_pencil_of(m, n, 2, degree);
  call.side[0] = permi_side_array(c, NULL, ldc, 2);
  call.side[1] = permi_side_array(l, NULL, ldl, 2);
  call.values = coefficients;
  call.bounds = bounds;
  return permi_pencil_run(&call, options, result);
}

static permi_pencil_call permi_pencil_sparse(const perm_matrix *c, const perm_matrix *l, int degree)
{
  static const int at[5] = {1, 2, 3, 4, 5};
  permi_pencil_call call = permi_pencil_of(c ? c->m : 0, c ? c->n : 0, 1, degree);
  call.parts += (c && c->kind == PERM_KIND_COMPLEX) || (l && l->kind == PERM_KIND_COMPLEX);
  memcpy(call.at, at, sizeof at);
  call.side[0].matrix = c;
  call.side[1].matrix = l;
  return call;
}

PERM_MORE_API perm_status perm_polynomial_sparse_integer(const perm_matrix *c, const perm_matrix *l, int degree,
                                                         const perm_options *options, perm_integer *coefficients,
                                                         perm_result *result)
{
  permi_pencil_call call = permi_pencil_sparse(c, l, degree);
  call.integers = coefficients;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_sparse(const perm_matrix *c, const perm_matrix *l, int degree,
                                                 const perm_options *options, double *coefficients, double *bounds,
                                                 perm_result *result)
{
  permi_pencil_call call = permi_pencil_sparse(c, l, degree);
  call.values = coefficients;
  call.bounds = bounds;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial(int n, const int64_t *a, ptrdiff_t lda,
                                                      const perm_options *options, perm_integer *coefficients,
                                                      perm_result *result)
{
  static const int at[5] = {2, 2, 1, 4, 5};
  permi_pencil_call call = permi_pencil_of(n, n, 1, n);
  memcpy(call.at, at, sizeof at);
  call.side[0] = permi_side_array(NULL, a, lda, 1);
  call.side[1].kind = PERMI_SIDE_IDENTITY;
  call.alternates = 1;
  call.integers = coefficients;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial_sparse(const perm_matrix *matrix, const perm_options *options,
                                                             perm_integer *coefficients, perm_result *result)
{
  static const int at[5] = {1, 1, 1, 2, 3};
  permi_pencil_call call = permi_pencil_sparse(matrix, NULL, matrix ? matrix->n : 0);
  memcpy(call.at, at, sizeof at);
  call.side[1].kind = PERMI_SIDE_IDENTITY;
  call.alternates = 1;
  call.integers = coefficients;
  return permi_pencil_run(&call, options, result);
}
/* SPDX-License-Identifier: MIT */
