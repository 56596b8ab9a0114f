/* ======================================================================================== >>compute
   The public functions for one matrix. */
#pragma once
#include "counted.h"

/* a, or for an empty matrix, which may come without a pointer, one that still says that it is of integers. */
static const int64_t *permi_integers_of(int m, int n, const int64_t *a)
{
  static const int64_t nothing = 0;
  return !a && (m == 0 || n == 0) ? &nothing : a;
}

/* Are two rows or two columns equal, bit for bit? A microsecond at n = 20, since most pairs differ at once. */
static int permi_has_repeats(int n, const permi_problem *problem)
{
  const char *a = problem->integer ? (const char *)problem->integer : (const char *)problem->real;
  const ptrdiff_t column = 8 * problem->parts, row = problem->ld * column;
  int by_columns, i, j, k;
  for (by_columns = 0; by_columns < 2; by_columns++) {
    const ptrdiff_t line = by_columns ? column : row, along = by_columns ? row : column;
    for (i = 1; i < n; i++)
      for (j = 0; j < i; j++) {
        const char *x = a + i * line, *y = a + j * line;
        for (k = 0; k < n && !memcmp(x, y, 8) && (problem->parts == 1 || !memcmp(x + 8, y + 8, 8)); k++) {
          x += along;
          y += along;
        }
        if (k == n)
          return 1;
      }
  }
  return 0;
}

#define PERMI_REPEATS_LEAST 8 /* order from which repeats are looked for */

/* A square matrix of valid size, by method auto, before anything is planned: do equal rows or columns make it cheaper
   than `dense_seconds`, of the engine that sees none? Then the result is there, and 1 is returned. */
PERMI_COLD static int permi_compute_repeats(const permi_problem *problem, const perm_options *options, int argument,
                                            double dense_seconds, double start, perm_result *result)
{
  permi_counted counted;
  permi_choice choice;
  int cheaper;
  if (permi_check_options(options, argument, result) != PERM_OK || permi_counts_refusal(problem, options) ||
      permi_check_problem(problem, 0, result) != PERM_OK ||
      permi_counted_make(problem, &options->allocator, &counted) != PERM_OK)
    return 0; /* the general path says what is wrong */
  choice = permi_counts_choice(&counted, options);
  cheaper = counted.zero || choice.seconds < dense_seconds;
  if (cheaper)
    permi_counted_compute(&counted, options, argument, start, result);
  permi_counted_free(&options->allocator, &counted);
  return cheaper;
}

/* Is it worth looking for repeats? */
static int permi_may_repeat(const permi_problem *problem, const perm_options *options)
{
  return options->method == PERM_METHOD_AUTO && problem->m == problem->n && problem->n >= PERMI_REPEATS_LEAST &&
         problem->n <= PERM_MAX_N && (problem->real || problem->integer) && problem->ld >= problem->n &&
         permi_has_repeats(problem->n, problem);
}

/* A square matrix, or one without entries. One with many zeros goes to the engines of the route, one with equal lines
   to >>counts, all others to the dense engines. argument: position of the options. */
static perm_status permi_square_compute(const permi_problem *problem, int argument, const perm_options *options,
                                        double start, perm_result *result)
{
  const permi_reach *reach = problem->reach;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, reach);
  const int n = problem->n;
  permi_dense_attempt attempt;
  if (reach->route && reach->route(problem, options, argument, result))
    return result->status;
  if (permi_may_repeat(problem, options)) {
    const permi_kernel *kernel = permi_kernel_for(&reach->kernels, permi_isa(options), PERM_FORM_PAIR, PERMI_ROUNDED,
                                                  n); /* other forms are not that much slower */
    const double seconds = kernel ? n * ldexp(1, n - 1) / kernel->rate : (double)INFINITY;
    if (permi_compute_repeats(problem, options, argument, seconds, start, result))
      return result->status;
  }
  attempt.m = problem->m;
  attempt.n = n;
  attempt.view = &view;
  return permi_solve(&permi_dense_solver, &attempt, reach, options, start, result);
}

/* The permanent of a problem of doubles. equal: the totals of the counts must be equal. */
PERMI_COLD static perm_status permi_counts_compute(const permi_problem *problem, int equal, int argument,
                                                   const perm_options *options_given, perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  const double start = permi_seconds();
  const char *refusal;
  permi_counted counted;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  status = permi_check_options(options, argument, result);
  if (status == PERM_OK)
    status = permi_check_problem(problem, equal, result);
  if (status != PERM_OK)
    return status;
  refusal = permi_counts_refusal(problem, options);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, argument, "options: %s", refusal);
  status = permi_counted_make(problem, &options->allocator, &counted);
  if (status != PERM_OK)
    return permi_fail_memory(result);
  if (options->method == PERM_METHOD_AUTO && counted.real && !counted.integer && !counted.zero &&
      counted.m == counted.rows && counted.n == counted.columns && counted.rows == counted.columns && counted.n >= 5 &&
      counted.n <= PERM_MAX_N) { /* square and nothing is repeated: dense? */
    const permi_choice choice = permi_counts_choice(&counted, options);
    const permi_view view = permi_view_of(counted.real, counted.n, counted.parts, counted.reach);
    const permi_problem square =
        permi_problem_make(counted.n, counted.n, counted.real, NULL, counted.n, counted.reach, NULL, NULL);
    perm_plan plan;
    int dense = 0;
    if (choice.precision == PERM_PRECISION_DEFAULT) {
      status = permi_plan(counted.n, &view, options, &plan, result);
      dense = status == PERM_OK && plan.seconds < choice.seconds;
    }
    if (dense)
      status = permi_square_compute(&square, argument, options, start, result);
    if (dense || status == PERM_ERROR_MEMORY) {
      permi_counted_free(&options->allocator, &counted);
      return status;
    }
  }
  status = permi_counted_compute(&counted, options, argument, start, result);
  permi_counted_free(&options->allocator, &counted);
  return status;
}

PERMI_COLD static perm_status permi_compute_counts(const permi_problem *problem, int equal, int argument,
                                                   const perm_options *options_given, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  perm_status status = permi_counts_compute(problem, equal, argument, options, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

static perm_status permi_compute(const permi_problem *problem, const perm_options *options_given, perm_result *result)
{
  const double start = permi_seconds();
  const perm_options *options = permi_options(options_given);
  permi_metered call;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  if ((problem->m > 0 && problem->n > 0 && problem->m != problem->n) || permi_is_counts_method(options->method))
    return permi_compute_counts(problem, 0, 5, options_given, result);
  options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  status = permi_square_compute(problem, 5, options, start, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

static perm_status permi_plan_public(int m, int n, const permi_view *view, const perm_options *options_given,
                                     perm_plan *plan, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_view_bytes(m, n, view));
  return permi_meter_end(&call, permi_plan_view(m, n, view, options, plan, result), result);
}

PERM_API perm_status perm_plan_real(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                    perm_plan *plan, perm_result *result)
{
  const permi_view view = permi_view_of(a, ld, 1, &permi_reach_real);
  return permi_plan_public(m, n, &view, options, plan, result);
}

PERM_API perm_status perm_plan_complex(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                       perm_plan *plan, perm_result *result)
{
  const permi_view view = permi_view_of(a, ld, 2, &permi_reach_complex);
  return permi_plan_public(m, n, &view, options, plan, result);
}

PERM_API perm_status perm_job_create_real(const perm_plan *plan, const double *a, ptrdiff_t ld,
                                          const perm_options *options, perm_job **job, perm_result *result)
{
  const permi_view view = permi_view_of(a, ld, 1, &permi_reach_real);
  return permi_job_create(plan, &view, options, job, result);
}

PERM_API perm_status perm_job_create_complex(const perm_plan *plan, const double *a, ptrdiff_t ld,
                                             const perm_options *options, perm_job **job, perm_result *result)
{
  const permi_view view = permi_view_of(a, ld, 2, &permi_reach_complex);
  return permi_job_create(plan, &view, options, job, result);
}

PERM_API perm_status perm_compute_real(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                       perm_result *result)
{
  const permi_problem problem = permi_problem_make(m, n, a, NULL, ld, &permi_reach_real, NULL, NULL);
  return permi_compute(&problem, options, result);
}

PERM_API perm_status perm_compute_complex(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                          perm_result *result)
{
  const permi_problem problem = permi_problem_make(m, n, a, NULL, ld, &permi_reach_complex, NULL, NULL);
  return permi_compute(&problem, options, result);
}

PERM_API perm_status perm_compute_repeated_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                                const int *column_counts, const perm_options *options,
                                                perm_result *result)
{
  const permi_problem problem = permi_problem_make(m, n, a, NULL, ld, &permi_reach_real, row_counts, column_counts);
  return permi_compute_counts(&problem, 1, 7, options, result);
}

PERM_API perm_status perm_compute_repeated_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                                   const int *column_counts, const perm_options *options,
                                                   perm_result *result)
{
  const permi_problem problem = permi_problem_make(m, n, a, NULL, ld, &permi_reach_complex, row_counts, column_counts);
  return permi_compute_counts(&problem, 1, 7, options, result);
}

PERM_API perm_status perm_compute_repeated_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const int *row_counts,
                                                   const int *column_counts, const perm_options *options,
                                                   perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_real, row_counts, column_counts);
  return permi_compute_integers(&problem, 1, 7, options, result);
}

PERM_API perm_status perm_compute_repeated_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const int *row_counts,
                                                    const int *column_counts, const perm_options *options,
                                                    perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_complex, row_counts, column_counts);
  return permi_compute_integers(&problem, 1, 7, options, result);
}

PERM_API perm_status perm_compute_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                          perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_real, NULL, NULL);
  return permi_compute_integers(&problem, 0, 5, options, result);
}

PERM_API perm_status perm_compute_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                           perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_complex, NULL, NULL);
  return permi_compute_integers(&problem, 0, 5, options, result);
}

static perm_status permi_integer_job(const permi_problem *problem, const perm_options *options_given, perm_job **job,
                                     perm_result *result)
{
  const perm_options *options;
  permi_metered call;
  permi_result_clear(result);
  if (!job)
    return permi_fail(result, PERM_ERROR_NULL, 6, "job is NULL");
  options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  return permi_meter_end(&call, permi_problem_job(problem, 0, 5, options, job, result), result);
}

PERM_API perm_status perm_job_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                      perm_job **job, perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_real, NULL, NULL);
  return permi_integer_job(&problem, options, job, result);
}

PERM_API perm_status perm_job_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                       perm_job **job, perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(m, n, NULL, permi_integers_of(m, n, a), ld, &permi_reach_complex, NULL, NULL);
  return permi_integer_job(&problem, options, job, result);
}

/* Not inlined into the short cut, because a perm_result is large. */
PERMI_NEVER_INLINE static double permi_real_general(int n, const double *a)
{
  const permi_problem problem = permi_problem_make(n, n, a, NULL, n, &permi_bare_real, NULL, NULL);
  perm_result result;
  permi_compute(&problem, NULL, &result);
  return ldexp(result.value, permi_int_exponent(result.exp2));
}

PERM_API double perm_real(int n, const double *a)
{
  double value;
  if (n >= 2 && n <= PERMI_SMALL_N && a && permi_small_real(n < 4 ? PERM_ISA_PLAIN : permi_isa_best(), n, a, &value))
    return value;
  return permi_real_general(n, a);
}

PERMI_NEVER_INLINE static perm_status permi_complex_general(int n, const double *a, double *value)
{
  perm_result result;
  perm_status status = perm_compute_complex(n, n, a, n, NULL, &result);
  value[0] = ldexp(result.value, permi_int_exponent(result.exp2));
  value[1] = ldexp(result.imaginary, permi_int_exponent(result.exp2));
  return status;
}

PERM_API perm_status perm_complex(int n, const double *a, double *value)
{
  if (!value)
    return PERM_ERROR_NULL;
  if (n >= 2 && n <= PERMI_SMALL_N && a && permi_small_complex(permi_isa_best(), n, a, value))
    return PERM_OK;
  return permi_complex_general(n, a, value);
}
