/* ================================================================================ >>polynomial_calls
   perm_polynomial_*, perm_permanental_polynomial_* and perm_rook_numbers: check, choose, run. */
#pragma once
#include "rook.h"
#include "several.h"

static perm_status permi_pencil_check_side(const permi_pencil_call *call, int s, permi_control *watch,
                                           perm_result *result)
{
  const permi_side *side = &call->side[s];
  const perm_matrix *matrix = side->matrix;
  char message[PERM_MESSAGE_BYTES];
  perm_status status = PERM_OK;
  int row;
  size_t e;
  if (side->kind == PERMI_SIDE_ARRAY && call->m && call->n)
    status = permi_check_entries(call->m * (call->forms ? call->forms : 1), call->n, side->real,
                                 side->real || side->integer, side->ld, call->parts, result);
  else if (side->kind == PERMI_SIDE_MATRIX)
    status = permi_check_sparse(matrix, watch, result);
  if (status == PERM_OK && matrix && (matrix->m != call->m || matrix->n != call->n))
    status = permi_fail(result, PERM_ERROR_SIZE, 0, "the matrix is %d x %d, not %d x %d", matrix->m, matrix->n, call->m,
                        call->n);
  if (status == PERM_OK && matrix && matrix->m && call->integers && !permi_matrix_integers(matrix, &row, &e, watch))
    status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "row %d (counted from 1) has an entry that is no integer",
                        row + 1);
  if (status < 0) {
    memcpy(message, result->message, sizeof message);
    permi_fail(result, status, call->at[s] + (status == PERM_ERROR_STRIDE), "%c: %.200s",
               s ? 'L' : call->forms ? 'A' : 'C', message);
  }
  return watch->stopped != PERM_OK ? watch->stopped : status;
}

static int permi_pencil_is_rook(const permi_pencil_call *call)
{
  return call->side[1].kind == PERMI_SIDE_ONES;
}

static perm_status permi_pencil_check(const permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                      perm_result *result)
{
  const perm_method method = options->method;
  if (permi_pencil_is_rook(call))
    return permi_rook_check(call, options, watch, result);
  perm_status status = permi_check_whole(options, call->at[3], result);
  if (status == PERM_OK && ((method != PERM_METHOD_AUTO && (call->forms || method != PERM_METHOD_FRONTIER) &&
                             (call->forms || method != PERM_METHOD_EXACT || call->values)) ||
                            (options->precision != PERM_PRECISION_DEFAULT &&
                             (options->precision == PERM_PRECISION_EXACT) != !call->values) ||
                            (options->modulus && call->values)))
    return permi_fail(result, PERM_ERROR_OPTION, call->at[3],
                      "polynomials are computed by method auto or, in one variable, frontier, those of integers also "
                      "by method exact, always with precision exact, or with a modulus");
  if (status == PERM_OK)
    status = permi_check_order(call->m, call->n, result);
  if (status == PERM_OK && call->forms && (call->degree < 0 || call->m > 32767))
    return permi_fail(result, PERM_ERROR_SIZE, call->at[2],
                      "variables or cuts are negative, or would have too many coefficients");
  for (int s = 0; s < 2 && status == PERM_OK; s++)
    status = permi_pencil_check_side(call, s, watch, result);
  if (status == PERM_OK && call->degree < 0)
    status = permi_fail(result, PERM_ERROR_SIZE, call->at[2], "degree is negative (%d)", call->degree);
  if (status == PERM_OK && !call->integers && !call->values)
    status = permi_fail(result, PERM_ERROR_NULL, call->at[4], "coefficients is NULL");
  return status;
}

static perm_status permi_pencil_exact(permi_pencil *pencil, permi_coefficients *plan, perm_integer *numbers)
{
  const int frontier = pencil->options->method == PERM_METHOD_FRONTIER;
  double bits = permi_pencil_bits(pencil, 1), points = (double)INFINITY;
  perm_status status, planning = PERM_ERROR_LIMIT;
  int modular = 0;
  if (bits > 64 * PERM_INTEGER_WORDS - 2)
    return permi_pencil_overflows(pencil, bits);
  plan->most = bits;
  status = permi_coefficients_plan(pencil, plan);
  if (status == PERM_OK && !frontier) {
    modular = !permi_points_fit(pencil);
    points = permi_points_seconds(pencil, bits, modular, &planning);
  }
  if (status == PERM_OK && plan->frontier && plan->seconds < (double)INFINITY && bits > 48 && bits < 1000 &&
      fmin(points, plan->seconds) > PERMI_FREE_SECONDS) /* where fewer bits help */
    status = permi_coefficients_lower(plan, pencil->watch, &bits, pencil->result);
  if (status != PERM_OK)
    return status;
  const double vectors = plan->seconds * permi_coefficients_primes(plan, bits);
  status = permi_pencil_may(pencil, fmin(vectors, points), planning);
  if (status == PERM_OK && vectors > points)
    status = permi_points_run(pencil, bits, modular, numbers);
  else if (status == PERM_OK && plan->frontier)
    status = permi_coefficients_compute(plan, pencil->watch, bits, numbers, NULL, pencil->result);
  else if (status == PERM_OK)
    memset(numbers, 0, ((size_t)pencil->degree + 1) * sizeof *numbers);
  if (status == PERM_OK)
    pencil->result->method = vectors > points ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
  return status;
}

/* given: degree of what was computed. */
static perm_status permi_pencil_write(const permi_pencil_call *call, const perm_options *options, int given,
                                      perm_result *result)
{
  permi_number first = permi_number_one();
  const int parts = call->parts;
  double worst = 0;
  for (int k = 0; k < (call->degree + 1) * parts; k++) {
    if (call->values) {
      call->values[k] = k / parts > given ? 0 : call->values[k];
      worst = fmax(worst, k / parts > given ? 0 : call->bounds[k / parts]);
      if (permi_not_finite(call->values[k]))
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0,
                          "the coefficient of x^%d is beyond doubles: scale the entries", k / parts);
      continue;
    }
    if (k / parts > given)
      memset(&call->integers[k], 0, sizeof *call->integers);
    call->integers[k].negative ^= call->alternates && call->integers[k].words && (call->n - k / parts) & 1;
    if (options->modulus)
      permi_integer_reduce(&call->integers[k], options->modulus);
  }
  if (call->values) {
    result->value = call->values[0];
    result->imaginary = parts == 2 ? call->values[1] : 0;
    result->exp2 = 0;
    result->error_bound = result->error_estimate = worst;
  } else {
    first.integer = call->integers[permi_pencil_is_rook(call) ? call->degree : 0];
    first.imaginary_integer = parts == 2 ? call->integers[1] : permi_integer_of(0);
    permi_number_result(&first, result);
    result->modulus = options->modulus;
    result->precision = PERM_PRECISION_EXACT;
  }
  result->is_complex = parts == 2;
  return PERM_OK;
}

static perm_status permi_pencil_compute(permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                        perm_result *result)
{
  double *const bounds = call->bounds;
  const int rook = permi_pencil_is_rook(call);
  permi_pencil pencil;
  permi_coefficients plan;
  perm_status status = permi_pencil_check(call, options, watch, result);
  if (status != PERM_OK)
    return status > 0 ? permi_fail_stopped(watch, result) : status;
  memset(&pencil, 0, sizeof pencil);
  memset(&plan, 0, sizeof plan);
  plan.bits = 50;
  pencil.m = pencil.matrix.m = call->m;
  pencil.n = pencil.matrix.n = call->n;
  pencil.parts = call->parts;
  pencil.options = options;
  pencil.watch = watch;
  pencil.result = result;
  pencil.pool.allocator = &options->allocator;
  watch->activity = rook ? NULL : "planning a polynomial";
  pencil.degree = call->degree;
  pencil.certify = options->certify || bounds;
  status = call->forms || rook || permi_pencil_open(&pencil, call->side) ? watch->stopped : PERM_ERROR_MEMORY;
  if (status == PERM_OK && call->values && !bounds)
    call->bounds = (double *)permi_pool_get(&pencil.pool, (size_t)pencil.degree + 1, sizeof *bounds);
  if (status == PERM_OK && pencil.pool.failed)
    status = PERM_ERROR_MEMORY;
  if (status == PERM_OK && call->forms) {
    status = permi_several_compute(&pencil, call);
  } else if (status == PERM_OK && call->values) {
    for (size_t k = 0; k <= (size_t)(bounds ? call->degree : pencil.degree); k++)
      call->values[k] = call->bounds[k] = 0;
    status = permi_circle_compute(&pencil, &plan, call->values, call->bounds);
  } else if (status == PERM_OK) {
    status = rook ? permi_rook_compute(&pencil, &plan, call) : permi_pencil_exact(&pencil, &plan, call->integers);
  }
  if (status == PERM_OK)
    status = permi_pencil_write(call, options, pencil.degree, result);
  permi_owned_release(&options->allocator, plan.frontier);
  permi_pool_release(&plan.block.pool);
  permi_pool_release(&plan.working.pool);
  permi_pool_release(&pencil.pool);
  if (watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : status;
}

static perm_status permi_pencil_run(permi_pencil_call *call, const perm_options *options_given, perm_result *result)
{
  const perm_matrix *c = call->side[0].matrix, *l = call->side[1].matrix;
  const double area = c ? 0 : fmax(call->m, 0) * fmax(call->n, 0), sides = call->forms ? call->forms : 2;
  permi_metered meter;
  const perm_options *options =
      permi_meter_begin(&meter, options_given, 8 * call->parts * sides * area + permi_matrix_cost(c) +
                                                   permi_matrix_cost(l));
  permi_control watch = permi_control_begin(options);
  perm_result unused;
  result = result ? result : &unused;
  permi_result_clear(result);
  const perm_status status = permi_meter_end(&meter, permi_pencil_compute(call, options, &watch, result), result);
  result->seconds = permi_seconds() - watch.start;
  for (int k = 0; k < (call->degree + 1) * call->parts && call->values && status != PERM_OK; k++)
    call->values[k] = (double)NAN;
  return result->status = permi_kind(status, call->parts, options_given, result);
}

static permi_pencil_call permi_sparse_call(const perm_matrix *c, permi_side_kind kind, const perm_matrix *l, int degree,
                                           perm_integer *integers, double *values, double *bounds)
{
  const int parts = (c && c->kind == PERM_KIND_COMPLEX) || (l && l->kind == PERM_KIND_COMPLEX) ? 2 : 1;
  const permi_pencil_call call = {{{PERMI_SIDE_MATRIX, c, NULL, NULL, 0}, {kind, l, NULL, NULL, 0}}, c ? c->m : 0,
                                  c ? c->n : 0, parts, degree, 0, {1, 2, 3, 4, 5}, integers, values, bounds, 0, NULL};
  return call;
}

static permi_pencil_call permi_several_call(int m, int n, int parts, const double *real, const int64_t *integer,
                                            ptrdiff_t ld, int variables, const int *cuts)
{
  permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, real, integer, ld}, {PERMI_SIDE_IDENTITY, NULL, NULL, NULL, 0}},
                            m, n, parts, -1, 0, {4, 4, 6, 7, 8}, NULL, NULL, NULL, variables + 1, cuts};
  double count = variables < 0 || (variables > 0 && !cuts) ? 0 : 1;
  for (int k = 0; k < variables && count > 0; k++)
    count = cuts[k] < 0 || count * (cuts[k] + 1.0) > 1e7 ? 0 : count * (cuts[k] + 1.0);
  call.degree += (int)count;
  return call;
}

#define PERMI_POLYNOMIAL_EXACT(name, parts)                                                                            \
  PERM_MORE_API perm_status name(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l, ptrdiff_t ldl,       \
                                 int degree, const perm_options *options, perm_integer *to, perm_result *result)       \
  { permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, NULL, c, ldc}, {PERMI_SIDE_ARRAY, NULL, NULL, l, ldl}}, m, n,  \
      parts, degree, 0, {3, 5, 7, 8, 9}, to, NULL, NULL, 0, NULL}; return permi_pencil_run(&call, options, result); }
#define PERMI_POLYNOMIAL(name, parts)                                                                                  \
  PERM_MORE_API perm_status name(int m, int n, const double *c, ptrdiff_t ldc, const double *l, ptrdiff_t ldl,         \
                                 int degree, const perm_options *o, double *to, double *sure, perm_result *result)     \
  { permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, c, NULL, ldc}, {PERMI_SIDE_ARRAY, NULL, l, NULL, ldl}}, m, n,  \
      parts, degree, 0, {3, 5, 7, 8, 9}, NULL, to, sure, 0, NULL}; return permi_pencil_run(&call, o, result); }
PERMI_POLYNOMIAL_EXACT(perm_polynomial_integer, 1)
PERMI_POLYNOMIAL_EXACT(perm_polynomial_gaussian, 2)
PERMI_POLYNOMIAL(perm_polynomial_real, 1)
PERMI_POLYNOMIAL(perm_polynomial_complex, 2)

PERM_MORE_API perm_status perm_polynomial_sparse_integer(const perm_matrix *c, const perm_matrix *l, int degree,
                                                         const perm_options *options, perm_integer *coefficients,
                                                         perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(c, PERMI_SIDE_MATRIX, l, degree, coefficients, NULL, NULL);
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_sparse(const perm_matrix *c, const perm_matrix *l, int degree,
                                                 const perm_options *options, double *coefficients, double *bounds,
                                                 perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(c, PERMI_SIDE_MATRIX, l, degree, NULL, coefficients, bounds);
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial(int n, const int64_t *a, ptrdiff_t lda,
                                                      const perm_options *options, perm_integer *coefficients,
                                                      perm_result *result)
{
  permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, NULL, a, lda}, {PERMI_SIDE_IDENTITY, NULL, NULL, NULL, 0}},
                            n, n, 1, n, 1, {2, 2, 1, 4, 5}, coefficients, NULL, NULL, 0, NULL};
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial_sparse(const perm_matrix *matrix, const perm_options *options,
                                                             perm_integer *coefficients, perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(matrix, PERMI_SIDE_IDENTITY, NULL, matrix ? matrix->n : 0, coefficients,
                                             NULL, NULL);
  call.alternates = 1;
  const int at[5] = {1, 1, 1, 2, 3};
  memcpy(call.at, at, sizeof at);
  call.m = call.n;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options,
                                            perm_integer *numbers, perm_result *result)
{
  const int degree = matrix ? permi_matrix_shorter(matrix) : 0;
  permi_pencil_call call = permi_sparse_call(matrix, PERMI_SIDE_ONES, NULL, degree, numbers, NULL, NULL);
  return permi_pencil_run(&call, options, result);
}

#define PERMI_SEVERAL_EXACT(name, parts)                                                                               \
  PERM_MORE_API perm_status name(int m, int n, int variables, const int64_t *a, ptrdiff_t lda, const int *cuts,        \
                                 const perm_options *options, perm_integer *to, perm_result *result)                   \
  { permi_pencil_call call = permi_several_call(m, n, parts, NULL, a, lda, variables, cuts); call.integers = to;       \
    return permi_pencil_run(&call, options, result); }
#define PERMI_SEVERAL(name, parts)                                                                                     \
  PERM_MORE_API perm_status name(int m, int n, int variables, const double *a, ptrdiff_t lda, const int *cuts,         \
                                 const perm_options *options, double *to, double *sure, perm_result *result)           \
  { permi_pencil_call call = permi_several_call(m, n, parts, a, NULL, lda, variables, cuts); call.values = to;         \
    call.bounds = sure; return permi_pencil_run(&call, options, result); }
PERMI_SEVERAL_EXACT(perm_polynomial_several_integer, 1)
PERMI_SEVERAL_EXACT(perm_polynomial_several_gaussian, 2)
PERMI_SEVERAL(perm_polynomial_several_real, 1)
PERMI_SEVERAL(perm_polynomial_several_complex, 2)
/* SPDX-License-Identifier: MIT */
