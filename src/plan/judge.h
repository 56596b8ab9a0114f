/* ========================================================================================== >>judge
   What public calls may reach (permi_reach). Escalation. */
#pragma once
#include "../multiplicities/counts.h"
#include "offers.h"
#include "run.h"

#ifdef PERMI_ROUTE
static int PERMI_ROUTE(const permi_problem *problem, const perm_options *options, int argument, perm_result *result);
#define PERMI_ROUTE_HERE PERMI_ROUTE
#else
#define PERMI_ROUTE_HERE NULL
#endif

static const permi_gpu_engines permi_gpus = {permi_plan_gpu, permi_gpu_seconds, permi_gpu_leaf};

#if defined(PERM_NO_COMPLEX)
#define PERMI_COMPLEX_TABLE {NULL, 0}
#else
#define PERMI_COMPLEX_TABLE PERMI_KERNEL_TABLE(permi_kernels_complex)
#endif

#if PERMI_X86
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, &permi_counts_kernels_##parts##_avx2}
#else
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, NULL}
#endif

static const permi_reach permi_bare_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), NULL, NULL,
    permi_double_engines, PERMI_DOUBLE_ENGINE_COUNT, NULL, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_complex = {
    2, PERMI_COMPLEX_TABLE, PERMI_COUNTS_TABLES(complex), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};

static const permi_reach *permi_reach_of(int parts)
{
  return parts == 2 ? &permi_reach_complex : &permi_reach_real;
}

PERMI_UNUSED static permi_view permi_view_make(const double *a, ptrdiff_t ld, int parts)
{
  return permi_view_of(a, ld, parts, permi_reach_of(parts));
}

static permi_problem permi_problem_make(int m, int n, const double *real, const int64_t *integer, ptrdiff_t ld,
                                        const permi_reach *reach, const int *row_counts, const int *column_counts)
{
  const permi_problem problem = {m, n, reach->parts, real, integer,
                                 m == 1 && ld > n ? n : ld, /* no second row: products may overflow */
                                 row_counts, column_counts, reach};
  return problem;
}

static double permi_problem_bytes(const permi_problem *problem)
{
  return 8.0 * fmax(problem->m, 0) * fmax(problem->n, 0) * problem->parts;
}

static int permi_wants_more(const perm_options *options, const perm_result *result)
{
  return permi_relative(options, result) > permi_wanted_relative(options);
}

/* Estimates and predictions decide, so load changes no bits. */
static int permi_escalates(const perm_options *options, const perm_result *result, double next_seconds)
{
  if (!permi_wants_more(options, result))
    return 0;
  if (options->tolerance > 0)
    return options->max_seconds == 0 || next_seconds <= options->max_seconds;
  return next_seconds < PERMI_ESCALATE_SECONDS;
}

/* Returns at least a millisecond: 0 would mean no limit. */
static double permi_seconds_left(const perm_options *options, double start)
{
  return options->max_seconds == 0
             ? 0
             : fmin(options->max_seconds, fmax(1e-3, options->max_seconds - (permi_seconds() - start)));
}

/* Returns 1 if the lower result stands. Bits of a job in pieces may depend on max_bytes, which plans heed, but not on
   stops and times. */
static int permi_stands(const perm_options *options, perm_status status)
{
  return status != PERM_OK && !(permi_in_pieces(options) && (status > 0 || status == PERM_ERROR_LIMIT));
}

static void permi_keep_better(const perm_options *options, const perm_result *lower, perm_result *result)
{
  const double error = permi_error(options, lower);
  if (!result->exact && error < (double)INFINITY &&
      permi_ldexp(error, lower->exp2 - result->exp2) < permi_error(options, result)) {
    const int escalated = result->escalated;
    *result = *lower;
    result->escalated = escalated;
  }
}

/* `plan` predicts *seconds and may make *job; else `make` does. `next` is PERM_PRECISION_COUNT at the top. */
typedef struct permi_solver {
  perm_status (*plan)(void *attempt, const perm_options *options, double *seconds, perm_job **job, perm_result *result);
  perm_status (*make)(void *attempt, const perm_options *options, perm_job **job, perm_result *result);
  perm_precision (*next)(const void *attempt, const perm_options *options, const perm_result *result);
} permi_solver;

/* Raises the precision while the result is worse than wanted; first *doubles after floats. */
static perm_status permi_solve(const permi_solver *solver, void *attempt, int *doubles, const permi_reach *reach,
                               const perm_options *options_given, double start, perm_result *result)
{
  perm_options options = *options_given, run;
  perm_result finished;
  double began = start, planned = 0, seconds;
  int escalated = 0;
  perm_job *job = NULL;
  perm_status status = solver->plan(attempt, &options, &seconds, &job, result), next;
  finished.error_bound = (double)INFINITY;
  while (status == PERM_OK) {
    if (!job)
      status = solver->make(attempt, &options, &job, result);
    if (status != PERM_OK)
      break;
    planned += permi_seconds() - began;
    options.max_seconds = permi_seconds_left(options_given, start);
    run = options;
    if (escalated) { /* no files: this job is short and not the checkpoint's */
      run.checkpoint.file = NULL;
      run.checkpoint.part = run.checkpoint.parts = 0;
      run.checkpoint.merge = NULL;
    }
    const int floats = job->floats && !*doubles;
    status = permi_run_job(job, &run, reach, result);
    job = NULL;
    result->plan_seconds = planned;
    result->escalated = escalated;
    if (status == PERM_OK && escalated)
      permi_keep_better(options_given, &finished, result);
    if (status != PERM_OK || !permi_wants_more(options_given, result))
      break;
    began = permi_seconds();
    if (floats)
      *doubles = 1;
    else
      options.precision = solver->next(attempt, &options, result);
    options.max_seconds = options_given->max_seconds; /* plans heed limits, no clock */
    if (options.precision == PERM_PRECISION_COUNT || (options.tolerance > 0 && permi_in_pieces(&options)))
      break; /* pieces planned it at once (permi_plans_higher) */
    finished = *result;
    next = solver->plan(attempt, &options, &seconds, &job, result);
    if (next > 0 && permi_in_pieces(options_given)) {
      status = next;
      break;
    }
    *result = finished;
    if (next != PERM_OK || !permi_escalates(options_given, result, seconds))
      break;
    escalated++;
  }
  perm_job_free(job);
  if (escalated && permi_stands(options_given, status))
    *result = finished;
  result->seconds = permi_seconds() - start;
  return permi_judge(options_given, result);
}

static const permi_solver permi_array_solver = {permi_array_plan, permi_array_make, permi_array_next};
/* SPDX-License-Identifier: MIT */
