/* ======================================================================================== >>compute */
#pragma once
#include "../dense/small.h"
#include "../exact/small_exact.h"
#include "judge.h"

/* `a` may be NULL. */
static permi_problem permi_integers(int m, int n, const int64_t *a, ptrdiff_t ld, const permi_reach *reach,
                                    const int *row_counts, const int *column_counts)
{
  static const int64_t nothing = 0;
  return permi_problem_make(m, n, NULL, !a && (m == 0 || n == 0) ? &nothing : a, ld, reach, row_counts, column_counts);
}

static permi_problem permi_doubles(int m, int n, const double *a, ptrdiff_t ld, const permi_reach *reach,
                                   const int *row_counts, const int *column_counts)
{
  return permi_problem_make(m, n, a, NULL, ld, reach, row_counts, column_counts);
}

static perm_status permi_array_reduce(permi_array *array, int equal, const perm_options *options, perm_result *result)
{
  const permi_problem *problem = array->problem;
  perm_options others = *options; /* >>counts knows no engines */
  perm_status status = permi_check_options(options, array->argument, result);
  if (status == PERM_OK)
    status = permi_check_problem(problem, equal, result);
  if (status != PERM_OK)
    return status;
  if (problem->integer && permi_array_square(problem) && options->method != PERM_METHOD_DENSE &&
      permi_array_engine(problem->reach, options->method))
    others.method = PERM_METHOD_AUTO;
  const char *refusal = permi_counts_refusal(problem, &others);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, array->argument, "options: %s", refusal);
  array->reduced = 1;
  if (problem->integer) /* counted when that engine is asked */
    return PERM_OK;
  array->counted_made = 1;
  return permi_counted_make(problem, &options->allocator, &array->counted) == PERM_OK ? PERM_OK
                                                                                       : permi_fail_memory(result);
}

static int permi_is_rectangular(const permi_problem *problem)
{
  return problem->m > 0 && problem->n > 0 && problem->m != problem->n;
}

static perm_status permi_problem_job(const permi_problem *problem, int argument, const perm_options *options,
                                     perm_job **job, perm_result *result)
{
  double start = permi_seconds(), seconds;
  permi_array array;
  permi_maker maker;
  *job = NULL;
  permi_array_begin(&maker, &array, problem, argument);
  perm_status status = problem->integer || permi_is_rectangular(problem) || permi_is_counts_method(options->method)
                           ? permi_array_reduce(&array, 0, options, result)
                           : PERM_OK;
  if (status == PERM_OK)
    status = permi_array_plan(&maker, options, &seconds, NULL, result);
  if (status == PERM_OK)
    status = permi_array_make(&maker, options, job, result);
  permi_array_free(&array, &options->allocator);
  if (status == PERM_OK)
    (*job)->plan_seconds = permi_seconds() - start;
  return status;
}

static perm_status permi_square_compute(const permi_problem *problem, int argument, const perm_options *options,
                                        double start, perm_result *result)
{
  const permi_reach *reach = problem->reach;
  permi_array array;
  permi_maker maker;
  if (reach->route && reach->route(problem, options, argument, result))
    return result->status;
  permi_array_begin(&maker, &array, problem, argument);
  const perm_status status = permi_solve(&permi_array_solver, &maker, &maker.doubles, reach, options, start, result);
  permi_array_free(&array, &options->allocator);
  return status;
}

PERMI_COLD static int permi_reduced_is_dense(const permi_array *array, const permi_problem *square,
                                             const perm_options *options, perm_status *status, perm_result *result)
{
  const permi_counted *counted = &array->counted;
  const permi_view view = permi_view_of(square->real, square->ld, square->parts, square->reach);
  permi_dense_plan plan;
  if (options->method != PERM_METHOD_AUTO || !counted->real || counted->integer || counted->zero ||
      counted->m != counted->rows || counted->n != counted->columns || counted->rows != counted->columns ||
      counted->n < 5 || counted->n > PERM_MAX_N)
    return 0;
  permi_choice choice = permi_counts_choice(counted, options);
  if (choice.precision != PERM_PRECISION_DEFAULT)
    return 0;
  *status = permi_plan(counted->n, &view, options, &plan, result);
  if (*status != PERM_OK && *status != PERM_ERROR_MEMORY)
    *status = PERM_OK;
  else if (*status == PERM_OK)
    return plan.seconds < choice.seconds;
  return 0;
}

static perm_status permi_reduced_compute(const permi_problem *problem, int equal, int argument,
                                         const perm_options *options, double start, perm_result *result)
{
  const permi_reach *reach = problem->reach;
  permi_problem square;
  permi_array array;
  permi_maker maker;
  if ((problem->integer || (permi_is_rectangular(problem) && !permi_counts_refusal(problem, options))) &&
      reach->route && reach->route(problem, options, argument, result))
    return result->status;
  permi_array_begin(&maker, &array, problem, argument);
  perm_status status = permi_array_reduce(&array, equal, options, result);
  square = permi_problem_make(array.counted.n, array.counted.n, array.counted.real, NULL, array.counted.n, reach, NULL,
                              NULL);
  if (status == PERM_OK && permi_reduced_is_dense(&array, &square, options, &status, result))
    status = permi_square_compute(&square, argument, options, start, result);
  else if (status == PERM_OK)
    status = permi_solve(&permi_array_solver, &maker, &maker.doubles, reach, options, start, result);
  permi_array_free(&array, &options->allocator);
  return status;
}

typedef enum permi_looking { PERMI_AS_IT_STANDS, PERMI_BY_LINES, PERMI_WITH_COUNTS } permi_looking;

static perm_status permi_compute(const permi_problem *problem, permi_looking looking, int argument,
                                 const perm_options *options_given, perm_result *result)
{
  const double start = permi_seconds();
  permi_metered call;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  status = looking != PERMI_AS_IT_STANDS || permi_is_rectangular(problem) || permi_is_counts_method(options->method)
               ? permi_reduced_compute(problem, looking == PERMI_WITH_COUNTS, argument, options, start, result)
               : permi_square_compute(problem, argument, options, start, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

static perm_status permi_compute_array(const permi_problem *problem, const perm_options *options, perm_result *result)
{
  const int n = problem->n, parts = problem->parts;
  permi_environment environment;
  permi_environment_begin(&environment);
  if (n >= 2 && n <= PERMI_SMALL_N && n == problem->m && (problem->real || problem->integer) && result &&
      permi_stride_fits(n, n, problem->ld, 8 * parts) &&
      permi_asks_no_more(options, problem->integer != NULL, permi_problem_bytes(problem))) {
    const perm_isa isa = permi_isa(permi_options(options));
    if (problem->integer ? permi_small_exact(isa, n, parts, problem->integer, problem->ld, result)
                         : permi_small_result(isa, n, parts, problem->real, problem->ld, result) &&
                               !(options && permi_wants_more(options, result)))
      return permi_environment_end(&environment, PERM_OK);
  }
  return permi_environment_end(&environment,
      permi_compute(problem, problem->integer ? PERMI_BY_LINES : PERMI_AS_IT_STANDS, 5, options, result));
}

/* Engines that count copies plan for longer. */
PERMI_NEVER_INLINE static int permi_copies_at_once(const permi_problem *problem, const perm_options *options,
                                                   perm_result *result)
{
  const int exact = problem->integer != NULL, parts = problem->parts;
  const perm_isa isa = permi_isa(permi_options(options));
  const permi_copies copies = {problem->m, problem->n, exact ? (const void *)problem->integer : problem->real,
                               problem->ld, problem->row_count, problem->column_count};
  union {
    double real[2 * PERMI_WRITTEN_OUT_N * PERMI_WRITTEN_OUT_N];
    int64_t integer[2 * PERMI_WRITTEN_OUT_N * PERMI_WRITTEN_OUT_N];
  } full;
  if (!copies.a || copies.m > PERM_MAX_LINES || copies.n > PERM_MAX_LINES ||
      !permi_stride_fits(copies.m, copies.n, copies.ld, 8 * parts))
    return 0;
  const int n = permi_small_write_out(&copies, parts, 0, &full);
  if (n < 2)
    return 0;
  if (exact)
    return permi_small_exact(isa, n, parts, full.integer, n, result);
  return permi_check_entries(copies.m, copies.n, problem->real, 1, copies.ld, parts, NULL) == PERM_OK &&
         permi_small_result(isa, n, parts, full.real, n, result) && !(options && permi_wants_more(options, result));
}

static perm_status permi_compute_copies(const permi_problem *problem, const perm_options *options, perm_result *result)
{
  permi_environment environment;
  permi_environment_begin(&environment);
  if (result && permi_asks_no_more(options, problem->integer != NULL, permi_problem_bytes(problem)) &&
      permi_copies_at_once(problem, options, result))
    return permi_environment_end(&environment, PERM_OK);
  return permi_environment_end(&environment, permi_compute(problem, PERMI_WITH_COUNTS, 7, options, result));
}

static perm_status permi_array_job(const permi_problem *problem, const perm_options *options_given, perm_job **job,
                                   perm_result *result)
{
  permi_metered call;
  permi_result_clear(result);
  if (!job)
    return permi_fail(result, PERM_ERROR_NULL, 6, "job is NULL");
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  return permi_meter_end(
      &call, permi_job_asked(permi_problem_job(problem, 5, options, job, result), options, job), result);
}

#define PERMI_PUBLIC(name, entry, problem_of, reach)                                                                   \
  PERM_API perm_status perm_compute_##name(int m, int n, const entry *a, ptrdiff_t ld, const perm_options *options,    \
                                           perm_result *result)                                                        \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, NULL, NULL);                                          \
    return permi_compute_array(&problem, options, result);                                                             \
  }                                                                                                                    \
  PERM_API perm_status perm_compute_repeated_##name(int m, int n, const entry *a, ptrdiff_t ld, const int *row_counts, \
                                                    const int *column_counts, const perm_options *options,             \
                                                    perm_result *result)                                               \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, row_counts, column_counts);                           \
    return permi_compute_copies(&problem, options, result);                                                            \
  }                                                                                                                    \
  PERM_API perm_status perm_job_##name(int m, int n, const entry *a, ptrdiff_t ld, const perm_options *options,        \
                                       perm_job **job, perm_result *result)                                            \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, NULL, NULL);                                          \
    return permi_array_job(&problem, options, job, result);                                                            \
  }
PERMI_PUBLIC(real, double, permi_doubles, &permi_reach_real)
PERMI_PUBLIC(complex, double, permi_doubles, &permi_reach_complex)
PERMI_PUBLIC(integer, int64_t, permi_integers, &permi_reach_real)
PERMI_PUBLIC(gaussian, int64_t, permi_integers, &permi_reach_complex)

PERMI_NEVER_INLINE static double permi_real_general(int n, const double *a)
{
  const permi_problem problem = permi_doubles(n, n, a, n, &permi_bare_real, NULL, NULL);
  perm_result result;
  permi_compute(&problem, PERMI_AS_IT_STANDS, 5, NULL, &result);
  return permi_ldexp(result.value, result.exp2);
}

/* Up to this order perm_real and perm_complex save the look at the environment, 2 ns: what they promise holds in others
   (tests/proofs/small.g). */
#define PERMI_UNLOOKED_N 8

PERM_API double perm_real(int n, const double *a)
{
  double out[3];
  if (n >= 2 && n <= PERMI_SMALL_N && a && (n <= PERMI_UNLOOKED_N || permi_rounding_is_sound()) &&
      permi_small_real(n < 4 ? PERM_ISA_PLAIN : permi_isa_doubles(perm_isa_best()), n, a, out))
    return out[0];
  return permi_real_general(n, a);
}

PERMI_NEVER_INLINE static perm_status permi_complex_general(int n, const double *a, double *value)
{
  perm_result result;
  perm_status status = perm_compute_complex(n, n, a, n, NULL, &result);
  value[0] = permi_ldexp(result.value, result.exp2);
  value[1] = permi_ldexp(result.imaginary, result.exp2);
  return status;
}

PERM_API perm_status perm_complex(int n, const double *a, double *value)
{
  double out[4];
  if (!value)
    return PERM_ERROR_NULL;
  if (n >= 2 && n <= PERMI_SMALL_N && a && (n <= PERMI_UNLOOKED_N || permi_rounding_is_sound()) &&
      permi_small_complex(permi_isa_doubles(perm_isa_best()), n, a, out)) {
    value[0] = out[0];
    value[1] = out[1];
    return PERM_OK;
  }
  return permi_complex_general(n, a, value);
}
/* SPDX-License-Identifier: MIT */
