/* ======================================================================================== >>counted
   Rectangular matrices and multiplicities. */
#pragma once
#include "judge.h"

PERMI_COLD static perm_status permi_check_counts(const int *count, int lines, int argument, const char *name,
                                                 int *total, perm_result *result)
{
  int k;
  *total = 0;
  for (k = 0; k < lines; k++) {
    const int times = count ? count[k] : 1;
    if (times < 0)
      return permi_fail(result, PERM_ERROR_COUNTS, argument, "%s_counts: number %d (counted from 1) is negative (%d)",
                        name, k + 1, times);
    if (times > PERM_MAX_LINES - *total)
      return permi_fail(result, PERM_ERROR_SIZE, count ? argument : argument - 4,
                        "more than %d %ss in all, the most that this version takes", PERM_MAX_LINES, name);
    *total += times;
  }
  return PERM_OK;
}

/* Checks a problem; equal: 1 if as many rows as columns must stand there in all. */
PERMI_COLD static perm_status permi_check_problem(const permi_problem *problem, int equal, perm_result *result)
{
  const int m = problem->m, n = problem->n;
  int rows, columns;
  perm_status status;
  if (m < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m is negative (%d rows)", m);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is negative (%d columns)", n);
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_LINES ? 1 : 2,
                      "the matrix is %d x %d; this version takes up to %d rows or columns", m, n, PERM_MAX_LINES);
  status = permi_check_counts(problem->row_count, m, 5, "row", &rows, result);
  if (status == PERM_OK)
    status = permi_check_counts(problem->column_count, n, 6, "column", &columns, result);
  if (status != PERM_OK)
    return status;
  if (equal && rows != columns)
    return permi_fail(result, PERM_ERROR_COUNTS, 6, "%d rows in all, but %d columns: with counts they must be as many",
                      rows, columns);
  if (m == 0 || n == 0)
    return PERM_OK;
  return permi_check_entries(m, n, problem->real, problem->real || problem->integer, problem->ld, problem->parts,
                               result);
}

/* The job of one leaf, which it takes over also when it fails; leaf NULL: with nothing in it yet. */
static perm_status permi_leaf_job(int parts, perm_precision precision, const perm_options *options, permi_leaf *leaf,
                                  perm_job **job, perm_result *result)
{
  *job = permi_job_new(&options->allocator, precision);
  if (!*job && leaf)
    leaf->release(&options->allocator, leaf->context);
  if (*job && leaf && !permi_job_push_leaf(*job, leaf)) {
    perm_job_free(*job);
    *job = NULL;
  }
  if (!*job)
    return permi_fail_memory(result);
  (*job)->is_complex = parts == 2;
  (*job)->modulus = options->modulus;
  return PERM_OK;
}

/* The job of a choice. choice NULL: the permanent is `constant`. */
PERMI_COLD static perm_status permi_counts_job(const permi_counted *counted, const permi_choice *choice, int constant,
                                               uint64_t fingerprint, const perm_options *options, perm_job **made,
                                               perm_result *result)
{
  permi_leaf leaf;
  permi_number number = permi_number_one();
  *made = NULL;
  if (choice &&
      permi_choice_leaf(counted, choice, options->certify, fingerprint, &options->allocator, &leaf) != PERM_OK)
    return permi_fail_memory(result);
  if (permi_leaf_job(counted->parts, choice ? choice->precision : options->precision, options, choice ? &leaf : NULL,
                     made, result) != PERM_OK)
    return PERM_ERROR_MEMORY;
  if (!constant)
    memset(&number, 0, sizeof number);
  number.exact = 1;
  if (choice || permi_job_push_number(*made, &number))
    return PERM_OK;
  perm_job_free(*made);
  *made = NULL;
  return permi_fail_memory(result);
}

PERMI_COLD static perm_status permi_choice_refuse(const permi_choice *choice, const perm_options *options, int argument,
                                                  perm_result *result)
{
  if (choice->seconds == (double)INFINITY)
    return permi_fail(result,
                      choice->why && choice->precision == PERM_PRECISION_EXACT ? PERM_ERROR_OVERFLOW : PERM_ERROR_LIMIT,
                      options->method == PERM_METHOD_AUTO ? 0 : argument, "%s: %s", perm_method_name(options->method),
                      choice->why ? choice->why : "more memory than max_bytes, or than 4 GB when that is not set");
  if (options->max_bytes > 0 && choice->bytes > permi_max_bytes(options))
    return permi_fail(result, PERM_ERROR_LIMIT, argument,
                      "predicted to need %.3g bytes beside the matrix, over max_bytes = %.3g", choice->bytes,
                      options->max_bytes);
  return PERM_OK;
}

/* A reduced problem, for permi_solve. */
typedef struct permi_counted_attempt {
  const permi_counted *counted;
  permi_counted whole; /* the doubles as integers, once that is wanted */
  permi_choice choice;
  int planned, argument; /* argument: of the options */
} permi_counted_attempt;

PERMI_COLD static perm_status permi_counted_attempt_plan(void *context, const perm_options *options, double *seconds,
                                                         perm_result *result)
{
  permi_counted_attempt *attempt = (permi_counted_attempt *)context;
  const permi_counted *counted = attempt->counted;
  *seconds = 0;
  if (counted->zero || !counted->rows)
    return PERM_OK;
  if (!attempt->planned) {
    attempt->choice = permi_counts_choice(counted, options);
  } else {
    if (options->precision == PERM_PRECISION_EXACT) {
      if (!permi_counted_whole(counted, &options->allocator, &attempt->whole))
        return PERM_ERROR_UNSUPPORTED;
      counted = &attempt->whole;
    }
    attempt->choice = permi_choose(counted, options, options->precision);
  }
  attempt->planned = 1;
  *seconds = attempt->choice.seconds;
  return permi_choice_refuse(&attempt->choice, options, attempt->argument, result);
}

PERMI_COLD static perm_status permi_counted_attempt_make(void *context, const perm_options *options, perm_job **job,
                                                         perm_result *result)
{
  const permi_counted_attempt *attempt = (const permi_counted_attempt *)context;
  const permi_counted *counted = attempt->counted;
  const uint64_t fingerprint = permi_counted_fingerprint(counted);
  if (!attempt->planned)
    return permi_counts_job(counted, NULL, !counted->zero, fingerprint, options, job, result);
  if (attempt->choice.precision == PERM_PRECISION_EXACT && !counted->integer)
    counted = &attempt->whole;
  return permi_counts_job(counted, &attempt->choice, 0, fingerprint, options, job, result);
}

PERMI_COLD static perm_precision permi_counted_attempt_next(const void *context, const perm_options *options,
                                                            const perm_result *result)
{
  const permi_counted_attempt *attempt = (const permi_counted_attempt *)context;
  (void)result;
  if (!attempt->planned || attempt->choice.precision == PERM_PRECISION_EXACT || options->method == PERM_METHOD_PADDED)
    return PERM_PRECISION_COUNT;
  return attempt->choice.precision == PERM_PRECISION_DD ? PERM_PRECISION_EXACT : PERM_PRECISION_DD;
}

/* Solves a reduced problem by the engines of >>counts; argument: position of the options. */
PERMI_COLD static perm_status permi_counted_compute(const permi_counted *counted, const perm_options *options,
                                                    int argument, double start, perm_result *result)
{
  static const permi_solver solver = {permi_counted_attempt_plan, permi_counted_attempt_make,
                                      permi_counted_attempt_next};
  permi_counted_attempt attempt;
  perm_status status;
  memset(&attempt, 0, sizeof attempt);
  attempt.counted = counted;
  attempt.argument = argument;
  status = permi_solve(&solver, &attempt, counted->reach, options, start, result);
  permi_counted_free(&options->allocator, &attempt.whole);
  return status;
}

/* Is this a method that only >>counts has? */
static int permi_is_counts_method(perm_method method)
{
  return method == PERM_METHOD_SUBSETS || method == PERM_METHOD_REPEATS || method == PERM_METHOD_SHORT ||
         method == PERM_METHOD_PADDED;
}

/* Bytes of a given array. */
static double permi_problem_bytes(const permi_problem *problem)
{
  return 8.0 * fmax(problem->m, 0) * fmax(problem->n, 0) * problem->parts;
}

/* The job that a problem starts with, checks included. */
static perm_status permi_problem_job(const permi_problem *problem, int equal, int argument, const perm_options *options,
                                     perm_job **job, perm_result *result)
{
  const double start = permi_seconds();
  perm_options others = *options; /* for the engines of >>counts, which do not know method exact */
  permi_array array;
  const char *refusal;
  perm_status status;
  *job = NULL;
  memset(&array, 0, sizeof array);
  array.problem = problem;
  status = permi_check_options(options, argument, result);
  if (status == PERM_OK)
    status = permi_check_problem(problem, equal, result);
  if (status != PERM_OK)
    return status;
  if (problem->integer && permi_array_square(&array) && options->method == PERM_METHOD_EXACT)
    others.method = PERM_METHOD_AUTO;
  refusal = permi_counts_refusal(problem, &others);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, argument, "options: %s", refusal);
  if (permi_counted_make(problem, &options->allocator, &array.counted) != PERM_OK)
    return permi_fail_memory(result);
  if (array.counted.zero || !array.counted.rows) {
    status = permi_counts_job(&array.counted, NULL, !array.counted.zero, 0, options, job, result);
  } else {
    double seconds;
    const permi_array_engine *engine = permi_array_choose(&array, options, &seconds);
    permi_leaf leaf;
    perm_precision precision;
    if (engine->method != PERM_METHOD_EXACT)
      status = permi_choice_refuse(&array.choice, options, argument, result);
    if (status == PERM_OK)
      status = engine->make(&array, options, &leaf, &precision, result);
    if (status == PERM_OK)
      status = permi_leaf_job(problem->parts, precision, options, &leaf, job, result);
  }
  permi_counted_free(&options->allocator, &array.counted);
  if (status == PERM_OK)
    (*job)->plan_seconds = permi_seconds() - start;
  return status;
}

/* The permanent of a problem of integers. */
static perm_status permi_integers_compute(const permi_problem *problem, int equal, int argument,
                                          const perm_options *options_given, perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  const double start = permi_seconds();
  perm_job *job;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  if (problem->reach->route && problem->reach->route(problem, options, argument, result))
    return result->status;
  status = permi_problem_job(problem, equal, argument, options, &job, result);
  if (status != PERM_OK)
    return status;
  status = permi_run_job(job, options, problem->reach, result);
  result->seconds = permi_seconds() - start;
  return status;
}

static perm_status permi_compute_integers(const permi_problem *problem, int equal, int argument,
                                          const perm_options *options_given, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  perm_status status = permi_integers_compute(problem, equal, argument, options, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}
