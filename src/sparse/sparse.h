/* ========================================================================================= >>sparse */
#pragma once
#include "sparse_job.h"

static void permi_job_replace(perm_job **job, perm_job *other)
{
  perm_job_free(*job);
  *job = other;
}

/* Jobs of PERM_ERROR_LIMIT are for explaining; this call has no use for one. */
static perm_status permi_job_or_none(perm_status status, perm_job **job)
{
  if (status != PERM_OK)
    permi_job_replace(job, NULL);
  return status;
}

/* Integers are exact up to PERMI_EXACT_FREE_SECONDS, or PERMI_EXACT_WORTH times the seconds of doubles; beyond
   max_seconds, where doubles are not quicker. Doubles say what it would take. */
static perm_status permi_make_rather(const permi_given *given, permi_control *watch, perm_status status,
                                     perm_job **job, perm_result *result)
{
  perm_job *doubles = NULL;
  const perm_options *options = watch->options;
  const double limit = options->max_seconds > 0 && !permi_in_pieces(options) ? options->max_seconds : (double)INFINITY;
  const double seconds = status == PERM_OK ? permi_job_seconds(*job) : (double)INFINITY;
  const double worth = seconds > limit ? seconds : seconds / PERMI_EXACT_WORTH;
  const int told = status == PERM_ERROR_LIMIT && (watch->work_total > limit || options->max_bytes == 0);
  const double whole = told ? watch->work_total : seconds;
  if (status != PERM_OK && status != PERM_ERROR_OVERFLOW && status != PERM_ERROR_LIMIT)
    return status;
  if (seconds <= fmin(PERMI_EXACT_FREE_SECONDS, limit))
    return status;
  permi_result_clear(result);
  status = permi_make_job(given, watch, 0, worth, &doubles, result);
  if (watch->stopped != PERM_OK) {
    permi_job_replace(job, NULL);
  } else if (seconds == (double)INFINITY || (status == PERM_OK && permi_job_seconds(doubles) < worth)) {
    permi_job_replace(job, doubles);
    if (status == PERM_OK && whole < (double)INFINITY)
      doubles->exact_seconds = whole;
  } else {
    perm_job_free(doubles);
    permi_result_clear(result);
    status = PERM_OK;
  }
  return status;
}

static double permi_matrix_cost(const perm_matrix *matrix)
{
  if (!matrix)
    return 0;
  return 8.0 * matrix->m + (4 + 8.0 * (!!matrix->real + !!matrix->imaginary + !!matrix->integer)) * (double)matrix->nnz;
}

static perm_status permi_sparse_job(const permi_given *given, const perm_options *options, perm_job **job,
                                    perm_result *result)
{
  const int scalar = options->method >= PERM_METHOD_GLYNN && options->method <= PERM_METHOD_EXPANSION;
  permi_control watch = permi_control_begin(options);
  perm_options raised;
  perm_status status;
  int exact = 0, leaf;
  status = permi_sparse_check(given, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  if (scalar && given->m == given->n && given->n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d is too large for method %s, which takes at most %d", given->n,
                      perm_name("method", options->method), PERM_MAX_N);
  if (given->m > 0 && (permi_sparse_by_counts(given, options) || scalar)) {
    permi_problem problem;
    void *entries;
    status = permi_sparse_array(given, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_problem_job(&problem, 2, options, job, result);
    permi_release(&options->allocator, entries);
    for (leaf = 0; status == PERM_OK && !exact && leaf < (*job)->leaves && permi_sparse_rounds(given, &watch);
         leaf++) {
      (*job)->leaf[leaf].bound_relative = (double)INFINITY; /* of entries as they are */
      (*job)->leaf[leaf].estimate_relative += PERMI_UNIT * (given->m < given->n ? given->m : given->n);
    }
    if (watch.stopped == PERM_OK)
      return status;
    permi_job_replace(job, NULL);
    return permi_fail_stopped(&watch, result);
  }
  if (given->m == 0) {
    *job = permi_job_new(&options->allocator, options->precision);
    if (!*job)
      return permi_fail_memory(result);
    (*job)->is_complex = given->kind == PERM_KIND_COMPLEX;
    (*job)->modulus = options->modulus;
    permi_job_set_constant(*job, 1);
    return PERM_OK;
  }
  if (!exact && options->certify && given->n <= PERMI_NEAR_N && options->method == PERM_METHOD_AUTO &&
      options->precision == PERM_PRECISION_DEFAULT) { /* as permi_doubling_is_cheap */
    raised = *options;
    raised.precision = PERM_PRECISION_DD;
    watch.options = &raised;
  }
  status = permi_make_job(given, &watch, exact, (double)INFINITY, job, result);
  if (watch.stopped == PERM_OK && exact && options->precision != PERM_PRECISION_EXACT && !options->modulus &&
      options->method != PERM_METHOD_EXACT)
    status = permi_make_rather(given, &watch, status, job, result);
  return status;
}

/* The precision to plan at once instead, or PERM_PRECISION_COUNT. Without subtractions elimination loses only its own
   roundings. */
static perm_precision permi_sparse_higher(const permi_given *given, permi_control *watch, const perm_options *options,
                                          const perm_job *job)
{
  perm_precision next = PERM_PRECISION_COUNT;
  double sum = 0;
  permi_given_item entry;
  size_t e, end;
  int i, subtracts = given->kind == PERM_KIND_COMPLEX;
  for (i = 0; i < given->m && !subtracts; i++)
    for (e = permi_given_row(given, i, &end); e < end && !subtracts && !permi_watch_step(watch, e, 5); e++) {
      permi_given_entry(given, i, e, &entry);
      subtracts = entry.real < 0;
    }
  for (i = 0; i < job->leaves; i++) {
    const perm_leaf *leaf = &job->leaf[i].information;
    if (job->leaf[i].integer || job->leaf[i].measured) /* of no other precision */
      continue;
    sum += leaf->kind == PERM_LEAF_TASK && !subtracts ? job->leaf[i].estimate_relative
                                                      : permi_expected_relative(leaf->n, job->precision);
    if (next == PERM_PRECISION_COUNT && !permi_is_counts_method(leaf->method))
      next = permi_next_precision(leaf->method, job->precision);
  }
  return watch->stopped == PERM_OK && permi_plans_higher(options, sum) ? next : PERM_PRECISION_COUNT;
}

/* A job in pieces begins in the precision that its tolerance needs. */
static perm_status permi_sparse_job_planned(const permi_given *given, const perm_options *options_given,
                                            perm_job **job, perm_result *result)
{
  perm_options options = *options_given;
  permi_control watch = permi_control_begin(options_given);
  perm_job *higher = NULL;
  perm_precision next;
  perm_status status;
  char line[160];
  int raised = 0, steps;
  permi_result_clear(result);
  *job = NULL;
  status = permi_sparse_job(given, &options, job, result);
  for (steps = 0; status == PERM_OK && steps < PERM_PRECISION_COUNT &&
                  (next = permi_sparse_higher(given, &watch, &options, *job)) != PERM_PRECISION_COUNT; steps++) {
    options.precision = next;
    status = permi_job_or_none(permi_sparse_job(given, &options, &higher, result), &higher);
    if (status > 0 || status == PERM_ERROR_MEMORY) { /* plans must not depend on time or luck */
      permi_job_replace(job, NULL);
      return status;
    }
    permi_result_clear(result);
    if (status != PERM_OK) {
      status = PERM_OK;
      break;
    }
    permi_job_replace(job, higher);
    higher = NULL;
    raised = 1;
  }
  if (status == PERM_OK && watch.stopped != PERM_OK) {
    permi_job_replace(job, NULL);
    return permi_fail_stopped(&watch, result);
  }
  if (!raised)
    return status;
  snprintf(line, sizeof line,
           "precision %s at once for the tolerance: with a checkpoint or parts it is not raised later\n",
           perm_name("precision", (*job)->precision));
  if (permi_job_note(*job, 0, line))
    return PERM_OK;
  permi_job_replace(job, NULL);
  return permi_fail_memory(result);
}

PERM_SPARSE_API perm_status perm_sparse_job(const perm_matrix *matrix, const perm_options *options_given,
                                            perm_job **job, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  permi_given given;
  perm_status status;
  memset(&given, 0, sizeof given);
  permi_result_clear(result);
  if (job)
    *job = NULL;
  status = job ? permi_given_make(matrix, options, &watch, &given, result)
               : permi_fail(result, PERM_ERROR_NULL, 3, "job is NULL");
  if (status == PERM_OK)
    status = permi_job_asked(permi_sparse_job_planned(&given, options, job, result), options, job);
  return permi_meter_end(&call, status, result);
}

static perm_status permi_sparse_report(const perm_matrix *matrix, const perm_options *options,
                                       perm_preparation *report, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  permi_working working;
  permi_given given;
  perm_status status;
  permi_given_item bad;
  int exact, row, zero = 0;
  permi_result_clear(result);
  if (!report)
    return permi_fail(result, PERM_ERROR_NULL, 3, "report is NULL");
  memset(report, 0, sizeof *report);
  status = permi_given_make(matrix, options, &watch, &given, result);
  if (status == PERM_OK)
    status = permi_sparse_check(&given, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  exact = exact && permi_given_integers(&given, &row, &bad, &watch);
  report->n = matrix->n;
  if (matrix->m == 0)
    return PERM_OK;
  memset(&working, 0, sizeof working);
  if (!permi_working_create(&working, &options->allocator, matrix->m > matrix->n ? matrix->m : matrix->n, matrix->nnz))
    return permi_fail_memory(result);
  working.watch = &watch;
  watch.activity = "preparing";
  if (matrix->m != matrix->n) {
    permi_sparse_fill(&given, exact, matrix->m > matrix->n, &working);
    if (!permi_split(&working) && working.report.structural_rank == (matrix->m < matrix->n ? matrix->m : matrix->n))
      working.report.hall_lines = working.report.hall_others = 0; /* only the padding has no partner */
    working.report.rounds = 0;
  } else {
    permi_working_options(&working, &given, options, exact);
    status = permi_sparse_prepare(&given, exact, &working, &zero, result);
    if (status == PERM_OK && watch.stopped == PERM_OK && !zero && !permi_report_left(&working))
      status = permi_fail_memory(result);
  }
  if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  if (status == PERM_OK)
    *report = working.report;
  permi_working_free(&working);
  return status;
}

PERM_SPARSE_API perm_status perm_sparse_report(const perm_matrix *matrix, const perm_options *options_given,
                                               perm_preparation *report, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  return permi_meter_end(&call, permi_sparse_report(matrix, options, report, result), result);
}

typedef struct permi_sparse_attempt {
  const permi_given *given;
  double seconds;
  perm_precision precision;
} permi_sparse_attempt;

static perm_status permi_sparse_attempt_plan(void *context, const perm_options *options, double *seconds,
                                             perm_job **job, perm_result *result)
{
  permi_sparse_attempt *attempt = (permi_sparse_attempt *)context;
  const perm_status status = permi_job_or_none(permi_sparse_job_planned(attempt->given, options, job, result), job);
  if (status != PERM_OK)
    return status;
  *seconds = attempt->seconds = permi_job_seconds(*job);
  attempt->precision = (*job)->precision;
  return PERM_OK;
}

static perm_precision permi_sparse_attempt_next(const void *context, const perm_options *options,
                                                const perm_result *result)
{
  const permi_sparse_attempt *attempt = (const permi_sparse_attempt *)context;
  if ((options->tolerance == 0 && attempt->seconds >= PERMI_ESCALATE_SECONDS) || permi_is_counts_method(result->method))
    return PERM_PRECISION_COUNT;
  return permi_next_precision(result->method, attempt->precision);
}

static perm_status permi_compute_given(const permi_given *given, const perm_options *options, permi_control *watch,
                                       double start, perm_result *result)
{
  static const permi_solver solver = {permi_sparse_attempt_plan, NULL, permi_sparse_attempt_next};
  permi_sparse_attempt attempt = {given, 0, PERM_PRECISION_DEFAULT};
  int exact;
  perm_status status = permi_sparse_check(given, options, watch, &exact, result);
  if (status == PERM_OK && given->m > 0 && watch->stopped == PERM_OK && !exact &&
      permi_sparse_by_counts(given, options) && !permi_sparse_rounds(given, watch) && watch->stopped == PERM_OK) {
    permi_problem problem;
    void *entries;
    status = permi_sparse_array(given, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_compute(&problem, PERMI_BY_LINES, 2, options, result);
    permi_release(&options->allocator, entries);
    return status;
  }
  if (status == PERM_OK && watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  if (status == PERM_OK)
    permi_gpu_prepare(options, given->m);
  return permi_solve(&solver, &attempt, &permi_reach_real, options, start, result);
}

PERM_SPARSE_API perm_status perm_compute_sparse(const perm_matrix *matrix, const perm_options *options_given,
                                                perm_result *result)
{
  const double start = permi_seconds();
  const int parts = matrix && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  permi_metered call;
  const perm_options *options;
  permi_control watch;
  permi_given given;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  watch = permi_control_begin(options);
  status = permi_given_make(matrix, options, &watch, &given, result);
  if (status == PERM_OK)
    status = permi_compute_given(&given, options, &watch, start, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

#if defined(PERMI_ROUTE)
/* Looks at 2 x 2 minors without zeros: nearly all vanish where method twins has few classes of nearly full lines, as
   in J minus a sparse matrix, and next to none of others. */
#define PERMI_ROUTE_MINORS 64
static int permi_route_counts(const permi_given *given)
{
  uint64_t seed = UINT64_C(88172645463325252);
  int trial, seen = 0, vanish = 0, k;
  for (trial = 0; trial < PERMI_ROUTE_MINORS; trial++) {
    const int i = permi_order_below(&seed, given->n), j = permi_order_below(&seed, given->n);
    const int row[2] = {i, (i + 1 + permi_order_below(&seed, given->n - 1)) % given->n};
    const int column[2] = {j, (j + 1 + permi_order_below(&seed, given->n - 1)) % given->n};
    permi_given_item item[4];
    double real, imaginary;
    for (k = 0; k < 4; k++) {
      size_t end;
      permi_given_entry(given, row[k / 2], permi_given_row(given, row[k / 2], &end) + (size_t)column[k % 2], &item[k]);
      if (item[k].real == 0 && item[k].imaginary == 0)
        break;
    }
    if (k < 4)
      continue;
    real = item[0].real * item[3].real - item[0].imaginary * item[3].imaginary;
    imaginary = item[0].real * item[3].imaginary + item[0].imaginary * item[3].real;
    seen++;
    vanish += real == item[1].real * item[2].real - item[1].imaginary * item[2].imaginary &&
              imaginary == item[1].real * item[2].imaginary + item[1].imaginary * item[2].real;
  }
  return 4 * vanish > 3 * seen;
}

/* Takes arrays with many zeros or few classes where dense sums are worth a look or too large. */
#define PERMI_ROUTE_ORDER 20    /* below this order integers take no longer than a plan */
#define PERMI_ROUTE_ZEROS 0.125 /* the least share of zeros by which some engine gains */
#define PERMI_ROUTE_LOW 22      /* integers below this order, in a quarter of a millisecond or two, */
#define PERMI_ROUTE_LOW_ZEROS 0.6 /* need more zeros */
static int permi_route(const permi_problem *problem, const perm_options *options_given, int argument,
                       perm_result *result)
{
  const int n = problem->n, parts = problem->parts;
  perm_options options = *options_given;
  permi_control watch;
  permi_given given;
  permi_given_item entry;
  perm_status status;
  double start, zeros;
  size_t e, end;
  int i;
  if (problem->m != n || n < PERMI_ROUTE_ORDER || n > PERM_MAX_LINES || problem->row_count || problem->column_count ||
      (!problem->real && !problem->integer) || !permi_stride_fits(n, n, problem->ld, 8 * parts) ||
      options.method != PERM_METHOD_AUTO ||
      options.precision == PERM_PRECISION_KAHAN || permi_check_options(&options, argument, result) != PERM_OK)
    return 0;
  if (problem->real && n <= PERM_MAX_N && n * ldexp(1, n - 1) < PERMI_FREE_SECONDS * permi_dense_rate(&options))
    return 0;
  start = permi_seconds(); /* not before: small calls are over sooner than a clock is read */
  memset(&given, 0, sizeof given);
  given.kind = parts == 2 ? PERM_KIND_COMPLEX : problem->integer ? PERM_KIND_INTEGER : PERM_KIND_REAL;
  given.m = given.n = n;
  given.real = problem->real;
  given.integer = problem->integer;
  given.imaginary = parts == 2 && problem->real ? problem->real + 1 : NULL;
  given.imaginary_integer = parts == 2 && problem->integer ? problem->integer + 1 : NULL;
  given.ld = (size_t)problem->ld;
  given.step = (size_t)parts;
  for (i = 0; i < n; i++)
    for (e = permi_given_row(&given, i, &end); e < end; e++) {
      permi_given_entry(&given, i, e, &entry);
      if (permi_not_finite(entry.real) || permi_not_finite(entry.imaginary)) {
        permi_check_problem(problem, 0, result);
        return result->status == PERM_ERROR_NOT_FINITE;
      }
      if (problem->integer && parts == 2 && !(fmax(fabs(entry.real), fabs(entry.imaginary)) <= 9007199254740991))
        return 0; /* complex entries are doubles here */
      given.nnz += entry.real != 0 || entry.imaginary != 0;
    }
  zeros = problem->integer && n < PERMI_ROUTE_LOW ? PERMI_ROUTE_LOW_ZEROS : PERMI_ROUTE_ZEROS;
  if ((double)given.nnz > (1 - zeros) * n * n && !permi_route_counts(&given))
    return 0;
  permi_result_clear(result);
  if (problem->integer)
    options.precision = PERM_PRECISION_EXACT;
  watch = permi_control_begin(&options);
  status = permi_compute_given(&given, &options, &watch, start, result);
  if (status < PERM_OK && result->argument) /* argument 1 is the matrix, 2 the options */
    result->argument = result->argument == 2 ? argument : 3;
  return 1;
}
#endif
/* SPDX-License-Identifier: MIT */
