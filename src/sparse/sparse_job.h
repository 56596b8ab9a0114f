/* ===================================================================================== >>sparse_job
   A sparse matrix made into a job. */
#pragma once
#include "choose.h"

static void permi_working_options(permi_working *working, const permi_given *given, const perm_options *options,
                                  int exact)
{
  working->is_complex = given->kind == PERM_KIND_COMPLEX;
  working->modulus = options->modulus;
  working->keep = !exact && (permi_sparse_doubled(options) || options->certify);
}

/* The caller releases *entries. */
static perm_status permi_sparse_array(const permi_given *given, const perm_allocator *allocator, int exact,
                                      permi_problem *problem, void **entries, perm_result *result)
{
  const int m = given->m, n = given->n, parts = given->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = (size_t)m * (size_t)n * (size_t)parts;
  int64_t *integers;
  double *reals;
  permi_given_item entry;
  size_t e, end;
  int i, part, row;
  *entries = NULL;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "the matrix is %d x %d; rectangular ones go up to %d rows or columns",
                      m, n, PERM_MAX_LINES);
  if (exact && !permi_given_integers(given, &row, &entry, NULL))
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: precision exact needs integers below 2^53, but row %d, "
                      "column %d (counted from 1) has none", row + 1, entry.column + 1);
  *entries = permi_allocate_zeros(allocator, count, 8);
  if (!*entries)
    return permi_fail_memory(result);
  integers = (int64_t *)*entries;
  reals = (double *)*entries;
  for (i = 0; i < m; i++)
    for (e = permi_given_row(given, i, &end); e < end; e++) {
      permi_given_entry(given, i, e, &entry);
      for (part = 0; part < parts; part++) {
        const size_t at = ((size_t)i * (size_t)n + (size_t)entry.column) * (size_t)parts + (size_t)part;
        if (exact)
          integers[at] = entry.integer[part];
        else
          reals[at] = part ? entry.imaginary : entry.real;
      }
    }
  *problem = permi_problem_make(m, n, exact ? NULL : reals, exact ? integers : NULL, n,
                                permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

/* Returns 1 if an integer does not fit a double; unknown if watch stops. */
static int permi_sparse_rounds(const permi_given *given, permi_control *watch)
{
  size_t e;
  for (e = 0; given->kind == PERM_KIND_INTEGER && e < given->nnz && !permi_watch_step(watch, e, 5); e++)
    if (fabs((double)given->integer[e]) >= 9007199254740992.0)
      return 1;
  return 0;
}

/* The job's number times its leaves in turn. */
static perm_status permi_job_product(const perm_job *job, const perm_partial *partials, permi_number *value)
{
  permi_number factor;
  perm_status status = PERM_OK;
  int i;
  *value = job->numbered ? job->number : permi_number_one();
  permi_number_reduce(value, job->modulus);
  for (i = 0; i < job->leaves && status == PERM_OK; i++) {
    status = permi_leaf_number(&job->leaf[i], &partials[i], &factor);
    permi_number_reduce(&factor, job->modulus);
    if (status == PERM_OK)
      status = permi_number_multiply(value, &factor);
    permi_number_reduce(value, job->modulus);
  }
  return status;
}

/* The product of its leaves is not the permanent. */
static perm_status permi_refused(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                 permi_control *watch, perm_result *result)
{
  (void)job, (void)partials, (void)strike, (void)watch;
  return permi_fail(result, PERM_ERROR_LIMIT, 1, "the plan was refused: this job only explains");
}

/* Stopped searches return what they have, so the watch is asked at the end. PERM_ERROR_LIMIT comes with what was
   planned, for the caller to free. worth: see permi_maker. */
static perm_status permi_make_job(const permi_given *given, permi_control *watch, int exact, double worth,
                                  perm_job **job, perm_result *result)
{
  const perm_options *options = watch->options;
  const perm_allocator *allocator = &options->allocator;
  permi_working working;
  permi_maker maker;
  permi_account account;
  perm_status status = PERM_OK;
  int zero;
  const double start = permi_seconds();
  memset(&working, 0, sizeof working);
  memset(&maker, 0, sizeof maker);
  memset(&account, 0, sizeof account);
  account.floor = given->row_start ? PERMI_PLAN_SECONDS : PERMI_PLAN_SECONDS / 12;
  maker.account = &account;
  maker.hear = permi_hear;
  maker.options = options;
  maker.working = &working;
  maker.result = result;
  maker.worth = worth;
  maker.job = permi_job_new(allocator, exact ? PERM_PRECISION_EXACT : options->precision);
  if (!maker.job || !permi_working_create(&working, allocator, given->n, given->nnz)) {
    perm_job_free(maker.job);
    return permi_fail_memory(result);
  }
  permi_working_options(&working, given, options, exact);
  working.watch = maker.watch = watch;
  watch->activity = "preparing";
  maker.job->value = permi_job_product;
  maker.job->modulus = options->modulus;
  maker.job->is_complex = working.is_complex;
  status = permi_sparse_prepare(given, exact, &working, &zero, result);
  if (status == PERM_OK && watch->stopped == PERM_OK) {
    status = zero || permi_report_left(&working) ? permi_make_note(&maker) : permi_fail_memory(result);
    watch->activity = "planning";
  }
  if (status == PERM_OK && watch->stopped == PERM_OK && zero)
    permi_job_set_constant(maker.job, 0);
  else if (status == PERM_OK && watch->stopped == PERM_OK)
    status = permi_make_blocks(&maker);
  permi_working_free(&working);
  permi_release(allocator, maker.binomial);
  permi_release(allocator, maker.subsets);
  if (watch->stopped != PERM_OK)
    status = permi_fail_stopped(watch, result);
  maker.job->plan_seconds = permi_seconds() - start;
  if (status == PERM_ERROR_LIMIT)
    maker.job->inspect = permi_refused;
  else if (status != PERM_OK)
    perm_job_free(maker.job);
  if (status == PERM_OK || status == PERM_ERROR_LIMIT)
    *job = maker.job;
  return status;
}

/* Rectangular matrices, and methods by counts, are arrays. */
static int permi_sparse_by_counts(const permi_given *given, const perm_options *options)
{
  return (given->m != given->n && given->m > 0) || permi_is_counts_method(options->method);
}

static perm_status permi_given_make(const perm_matrix *matrix, const perm_options *options, permi_control *watch,
                                    permi_given *given, perm_result *result)
{
  perm_status status = permi_check_options(options, 2, result);
  if (status == PERM_OK)
    status = permi_check_sparse(matrix, watch, result);
  if (status == PERM_OK)
    *given = permi_given_rows(matrix);
  return status;
}

/* *exact: the arithmetic to begin with. */
static perm_status permi_sparse_check(const permi_given *given, const perm_options *options, permi_control *watch,
                                      int *exact, perm_result *result)
{
  permi_given_item bad;
  int row, whole, exactly;
  exactly = options->precision == PERM_PRECISION_EXACT || options->modulus || options->method == PERM_METHOD_EXACT;
  if (options->modulus && options->precision != PERM_PRECISION_EXACT && options->precision != PERM_PRECISION_DEFAULT)
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: modulus goes with precision exact, not %s",
                      perm_name("precision", options->precision));
  *exact = exactly || (options->precision == PERM_PRECISION_DEFAULT && given->kind <= PERM_KIND_INTEGER);
  if (permi_sparse_by_counts(given, options))
    return PERM_OK;
  whole = options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_EXACT &&
          !permi_method_is_sparse(options->method);
  if ((whole || options->method == PERM_METHOD_AUTO) && !exactly) {
    const char *refusal =
        permi_plan_refusal(options, options->method == PERM_METHOD_AUTO ? PERM_METHOD_DENSE : options->method);
    if (refusal)
      return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: %s", refusal);
  }
  if (options->precision == PERM_PRECISION_KAHAN && !whole)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: precision kahan is for methods glynn and ryser");
  if (exactly && whole)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "options: method %s does not compute with precision exact; auto, exact and the sparse methods do",
                      perm_name("method", options->method));
  if (exactly && !permi_given_integers(given, &row, &bad, watch))
    return watch->stopped != PERM_OK
           ? permi_fail_stopped(watch, result)
           : permi_fail(result, PERM_ERROR_OPTION, 2,
                      "options: precision exact needs integers below 2^53, and so does a modulus, but the entry in row "
                      "%d, column %d (counted from 1) is %.17g%s", row + 1, bad.column + 1, bad.real,
                      given->kind == PERM_KIND_COMPLEX ? " (real part)" : "");
  *exact = *exact && !whole;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
