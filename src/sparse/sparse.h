/* ========================================================================================= >>sparse
   How a matrix travels: perm_matrix, permi_working (linked cells: >>split, >>reduce), permi_block or permi_array of a
   block, permi_offer (>>choose), permi_leaf, perm_partial (>>run), perm_result (>>job); >>judge repeats it. Bypass:
   permi_sparse_by_counts hands arrays to permi_compute. permi_route brings those of perm.h. */
#pragma once
#include "choose.h"

static perm_status permi_check_sparse(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  const char *missing = matrix ? permi_matrix_missing(matrix) : NULL;
  size_t i, e, previous;
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix is NULL");
  if (matrix->m < 0 || matrix->n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d is negative", matrix->m, matrix->n);
  if ((int)matrix->kind < 0 || (int)matrix->kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, 1, "matrix: kind %d is unknown", (int)matrix->kind);
  if (matrix->m == 0)
    return PERM_OK;
  if (matrix->m > INT_MAX / 16 || matrix->n > INT_MAX / 16 || matrix->nnz > INT_MAX / 4)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d with %.0f entries is too large", matrix->m,
                      matrix->n, (double)matrix->nnz);
  if (matrix->m != matrix->n && matrix->n > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1,
                      "matrix: %d x %d has more than %d columns; leave out those without entries", matrix->m, matrix->n,
                      PERM_MATRIX_MAX_ROWS);
  if (missing)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix: %s is NULL", missing);
  if (matrix->row_start[0] != 0 || matrix->row_start[matrix->m] != matrix->nnz)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start does not run from 0 to nnz");
  for (i = 0; i < (size_t)matrix->m && !permi_watch_step(watch, i, 8); i++) {
    if (matrix->row_start[i] > matrix->row_start[i + 1] || matrix->row_start[i + 1] > matrix->nnz)
      return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start decreases after row %d (counted from 1)",
                        (int)i + 1);
    for (e = previous = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(watch, e, 5);
         previous = e++) {
      if (matrix->column[e] < 0 || matrix->column[e] >= matrix->n)
        return permi_fail(result, PERM_ERROR_SIZE, 1,
                          "matrix: row %d (counted from 1) has column index %d of %d columns", (int)i + 1,
                          matrix->column[e], matrix->n);
      if (e > previous && matrix->column[e] <= matrix->column[previous])
        return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: the columns of row %d (counted from 1) do not ascend",
                          (int)i + 1);
      for (int part = 0; part < (matrix->kind == PERM_KIND_COMPLEX ? 2 : matrix->kind == PERM_KIND_REAL); part++) {
        const char *bad = permi_not_finite(part ? matrix->imaginary[e] : matrix->real[e]);
        if (bad)
          return permi_fail(result, PERM_ERROR_NOT_FINITE, 1, "matrix: %s in row %d, column %d (counted from 1)", bad,
                            (int)i + 1, matrix->column[e] + 1);
      }
    }
  }
  return watch->stopped == PERM_OK ? PERM_OK : permi_fail_stopped(watch, result);
}

static perm_status permi_check_input(const perm_matrix *matrix, const perm_options *options, permi_control *watch,
                                     perm_result *result)
{
  const perm_status status = permi_check_options(options, 2, result);
  return status == PERM_OK ? permi_check_sparse(matrix, watch, result) : status;
}

/* The caller releases working->pool. */
static perm_status permi_working_make(permi_working *working, const perm_matrix *matrix, int exact,
                                      permi_control *watch, int *zero, perm_result *result)
{
  const perm_options *options = watch->options;
  const int shorter = permi_matrix_shorter(matrix), square = matrix->m == matrix->n;
  int first = 1, changed = square;
  perm_status status = PERM_OK;
  if (!permi_working_create(working, &options->allocator, permi_matrix_longer(matrix), matrix->nnz))
    return permi_fail_memory(result);
  working->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  working->modulus = options->modulus;
  working->keep = !exact && (permi_sparse_doubled(options) || options->certify);
  working->watch = watch;
  watch->activity = "preparing";
  *zero = 0;
  permi_sparse_fill(matrix, exact, matrix->m > matrix->n, working);
  if (!square)
    status = permi_prepare_free(working, shorter, exact, 0, zero);
  while (changed && !*zero && status == PERM_OK && !permi_watch(watch, 0)) {
    *zero = !permi_split(working);
    if (*zero)
      break;
    if (first && !exact && !permi_scale(working))
      return permi_fail_memory(result);
    first = 0;
    if (working->lost) /* the bound needs entries as they are */
      break;
    status = permi_reduce(working, &changed, zero);
  }
  working->report.cancelled = *zero && working->report.structural_rank == shorter;
  return status == PERM_OK ? status : status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : permi_fail_long(result);
}

static perm_status permi_sparse_array(const perm_matrix *matrix, const perm_allocator *allocator, int exact,
                                      permi_problem *problem, void **entries, perm_result *result)
{
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = (size_t)m * (size_t)n * (size_t)parts;
  permi_cell cell;
  *entries = NULL;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "the matrix is %d x %d; rectangular ones go up to %d rows or columns",
                      m, n, PERM_MAX_LINES);
  *entries = permi_allocate_zeros(allocator, count, 8);
  if (!*entries)
    return permi_fail_memory(result);
  for (int i = 0; i < m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      permi_matrix_entry(matrix, e, &cell);
      for (int part = 0; part < parts; part++) {
        const size_t at = ((size_t)i * (size_t)n + (size_t)matrix->column[e]) * (size_t)parts + (size_t)part;
        if (exact)
          ((int64_t *)*entries)[at] = part ? cell.imaginary_integer : cell.integer;
        else
          ((double *)*entries)[at] = part ? cell.imaginary : cell.real;
      }
    }
  *problem = permi_problem_make(m, n, exact ? NULL : (double *)*entries, exact ? (int64_t *)*entries : NULL, n,
                                permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

static int permi_sparse_rounds(const perm_matrix *matrix, permi_control *watch)
{
  for (size_t e = 0; matrix->kind == PERM_KIND_INTEGER && e < matrix->nnz && !permi_watch_step(watch, e, 5); e++)
    if (fabs((double)matrix->integer[e]) >= 9007199254740992.0)
      return 1;
  return 0;
}

static perm_status permi_job_product(const perm_job *job, const perm_partial *partials, permi_number *value)
{
  permi_number factor;
  perm_status status = PERM_OK;
  *value = job->numbered ? job->number : permi_number_one();
  permi_number_reduce(value, job->modulus);
  for (int i = 0; i < job->leaves && status == PERM_OK; i++) {
    status = permi_leaf_number(&job->leaf[i], &partials[i], &factor);
    permi_number_reduce(&factor, job->modulus);
    if (status == PERM_OK)
      status = permi_number_multiply(value, &factor);
    permi_number_reduce(value, job->modulus);
  }
  return status;
}

/* Inspects a job that only explains: its leaves do not give the permanent. */
static perm_status permi_refused(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                 permi_control *watch, perm_result *result)
{
  (void)job, (void)partials, (void)strike, (void)watch;
  return permi_fail(result, PERM_ERROR_LIMIT, 1, "the plan was refused: this job only explains");
}

/* A job without pairs of floats; of an array, so that plans take less time; that runs at once, unexplained. */
enum { PERMI_DOUBLES = 1, PERMI_FROM_ARRAY = 2, PERMI_UNSEEN = 4 };

/* Stopped searches return what they have, so the watch is asked at the end. */
static perm_status permi_make_job(const perm_matrix *matrix, int how, permi_control *watch, int exact, double worth,
                                  perm_job **job, perm_result *result)
{
  const perm_options *options = watch->options;
  const perm_allocator *allocator = &options->allocator;
  permi_working working;
  permi_maker maker;
  permi_account account;
  int zero = 0;
  const double start = permi_seconds();
  memset(&maker, 0, sizeof maker);
  memset(&account, 0, sizeof account);
  account.floor = how & PERMI_FROM_ARRAY ? PERMI_PLAN_SECONDS / 12 : PERMI_PLAN_SECONDS;
  maker.account = &account;
  maker.hear = permi_hear;
  maker.options = options;
  maker.working = &working;
  maker.result = result;
  maker.worth = worth;
  maker.doubles = how & PERMI_DOUBLES;
  maker.seen = !(how & PERMI_UNSEEN) || options->execute || permi_in_pieces(options);
  maker.job = permi_job_new(allocator, exact ? PERM_PRECISION_EXACT : options->precision);
  if (!maker.job)
    return permi_fail_memory(result);
  maker.watch = watch;
  maker.job->value = permi_job_product;
  maker.job->modulus = options->modulus;
  maker.job->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  perm_status status = permi_working_make(&working, matrix, exact, watch, &zero, result);
  if (status == PERM_OK && watch->stopped == PERM_OK) {
    if (!zero && (maker.seen || !working.alone) && !permi_report_left(&working))
      status = permi_fail_memory(result);
    else if (maker.seen)
      status = permi_make_note(&maker);
    watch->activity = "planning";
  }
  if (status == PERM_OK && watch->stopped == PERM_OK && zero)
    permi_job_set_constant(maker.job, 0);
  else if (status == PERM_OK && watch->stopped == PERM_OK)
    status = permi_make_blocks(&maker);
  permi_pool_release(&working.pool);
  permi_release(allocator, maker.binomial);
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

static int permi_asks_exact(const perm_options *options)
{
  return options->precision == PERM_PRECISION_EXACT || options->modulus || options->method == PERM_METHOD_EXACT;
}

/* Returns 1 if subsets of a rectangle take less time than a plan, or little more where a quarter is not 0. */
static int permi_rectangle_is_small(int shorter, int longer, double entries)
{
  const double places = (double)shorter * longer;
  return ldexp(places, shorter) <= permi_rectangle_least[4 * entries > places];
}

/* For methods over counts and small rectangles the matrix becomes an array. */
static int permi_sparse_by_counts(const perm_matrix *matrix, const perm_options *options)
{
  const int shorter = permi_matrix_shorter(matrix), longer = permi_matrix_longer(matrix);
  if (matrix->m == matrix->n || matrix->m == 0 || permi_is_counts_method(options->method))
    return permi_is_counts_method(options->method);
  return shorter == 0 || (options->method == PERM_METHOD_AUTO && longer <= PERM_MAX_LINES &&
                          permi_rectangle_is_small(shorter, longer, (double)matrix->nnz));
}

static perm_status permi_check_integers(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  size_t at;
  int row;
  if (permi_matrix_integers(matrix, &row, &at, watch))
    return PERM_OK;
  return watch->stopped != PERM_OK
             ? permi_fail_stopped(watch, result)
             : permi_fail(result, PERM_ERROR_OPTION, 2,
                          "options: precision exact needs integers below 2^53, and so does a modulus, but the entry in "
                          "row %d, column %d (counted from 1) is %.17g%s", row + 1, matrix->column[at] + 1,
                          matrix->real[at], matrix->kind == PERM_KIND_COMPLEX ? " (real part)" : "");
}

static perm_status permi_sparse_check(const perm_matrix *matrix, const perm_options *options, permi_control *watch,
                                      int *exact, perm_result *result)
{
  const int exactly = permi_asks_exact(options), named = options->method != PERM_METHOD_AUTO;
  const permi_engine *engine = permi_block_engine(options->method);
  const int whole = named && (!engine || options->method == PERM_METHOD_DENSE);
  const char *refusal = NULL;
  if (options->modulus && options->precision != PERM_PRECISION_EXACT && options->precision != PERM_PRECISION_DEFAULT)
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: modulus goes with precision exact, not %s",
                      perm_name("precision", options->precision));
  *exact = exactly || (options->precision == PERM_PRECISION_DEFAULT && matrix->kind <= PERM_KIND_INTEGER);
  if (permi_sparse_by_counts(matrix, options))
    return PERM_OK;
  if (matrix->m != matrix->n && named && !(engine && engine->flags & PERMI_FREE))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: method %s is for square matrices; auto, tree, frontier, lists, arrays, sorting, "
                      "subsets, short and multiplicities take others", perm_name("method", options->method));
  if ((whole || !named) && !exactly)
    refusal = permi_plan_refusal(options, named ? options->method : PERM_METHOD_DENSE);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: %s", refusal);
  if (options->precision == PERM_PRECISION_KAHAN && !whole)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: precision kahan is for methods glynn and ryser");
  if (exactly && whole)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "options: method %s does not compute with precision exact; auto, exact and the sparse methods do",
                      perm_name("method", options->method));
  *exact = *exact && !whole;
  return exactly ? permi_check_integers(matrix, watch, result) : PERM_OK;
}

static void permi_job_replace(perm_job **job, perm_job *other)
{
  perm_job_free(*job);
  *job = other;
}

static perm_status permi_job_or_none(perm_status status, perm_job **job)
{
  if (status != PERM_OK)
    permi_job_replace(job, NULL);
  return status;
}

/* Plans doubles instead of integers that have no plan, take over PERMI_EXACT_FREE_SECONDS and PERMI_EXACT_WORTH times
   as long, or exceed max_seconds where doubles are quicker. */
static perm_status permi_make_rather(const perm_matrix *matrix, int how, permi_control *watch, perm_status status,
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
  status = permi_make_job(matrix, how, watch, 0, worth, &doubles, result);
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

static perm_status permi_sparse_job(const perm_matrix *matrix, int how, const perm_options *options, perm_job **job,
                                    perm_result *result)
{
  const int scalar = options->method >= PERM_METHOD_GLYNN && options->method <= PERM_METHOD_EXPANSION;
  const int whole = scalar || permi_sparse_by_counts(matrix, options);
  permi_control watch = permi_control_begin(options);
  perm_options raised;
  int exact = 0, leaf;
  perm_status status = permi_sparse_check(matrix, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  if (scalar && matrix->n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d is too large for method %s, which takes at most %d", matrix->n,
                      perm_name("method", options->method), PERM_MAX_N);
  if (matrix->m > 0 && whole) {
    permi_problem problem;
    void *entries = NULL;
    if (exact)
      status = permi_check_integers(matrix, &watch, result);
    if (status == PERM_OK)
      status = permi_sparse_array(matrix, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_problem_job(&problem, 2, options, job, result);
    permi_release(&options->allocator, entries);
    for (leaf = 0; status == PERM_OK && !exact && leaf < (*job)->leaves && permi_sparse_rounds(matrix, &watch);
         leaf++) {
      (*job)->leaf[leaf].bound_relative = (double)INFINITY; /* a bound would be of rounded entries */
      (*job)->leaf[leaf].estimate_relative += PERMI_UNIT * permi_matrix_shorter(matrix);
    }
    if (watch.stopped == PERM_OK)
      return status;
    permi_job_replace(job, NULL);
    return permi_fail_stopped(&watch, result);
  }
  if (matrix->m == 0) {
    *job = permi_job_new(&options->allocator, options->precision);
    if (!*job)
      return permi_fail_memory(result);
    (*job)->is_complex = matrix->kind == PERM_KIND_COMPLEX;
    (*job)->modulus = options->modulus;
    permi_job_set_constant(*job, 1);
    return PERM_OK;
  }
  if (!exact && options->certify && permi_matrix_shorter(matrix) <= PERMI_NEAR_N &&
      options->method == PERM_METHOD_AUTO && options->precision == PERM_PRECISION_DEFAULT) {
    raised = *options; /* as permi_doubling_is_cheap */
    raised.precision = PERM_PRECISION_DD;
    watch.options = &raised;
  }
  status = permi_make_job(matrix, how, &watch, exact, (double)INFINITY, job, result);
  if (watch.stopped == PERM_OK && exact && !permi_asks_exact(options))
    status = permi_make_rather(matrix, how, &watch, status, job, result);
  return status;
}

/* Returns the precision to plan instead, or PERM_PRECISION_COUNT. Without subtractions elimination loses only its
   roundings. */
static perm_precision permi_sparse_higher(const perm_matrix *matrix, permi_control *watch, const perm_options *options,
                                          const perm_job *job)
{
  perm_precision next = PERM_PRECISION_COUNT;
  double sum = 0;
  permi_cell cell;
  int i, subtracts = matrix->kind == PERM_KIND_COMPLEX;
  for (size_t e = 0; matrix->m && e < matrix->nnz && !subtracts && !permi_watch_step(watch, e, 5); e++) {
    permi_matrix_entry(matrix, e, &cell);
    subtracts = cell.real < 0;
  }
  for (i = 0; i < job->leaves; i++) {
    const perm_leaf *leaf = &job->leaf[i].information;
    if (job->leaf[i].integer || job->leaf[i].measured)
      continue;
    sum += leaf->kind == PERM_LEAF_TASK && !subtracts ? job->leaf[i].estimate_relative
                                                      : permi_expected_relative(leaf->n, job->precision);
    if (next == PERM_PRECISION_COUNT && !permi_is_counts_method(leaf->method))
      next = permi_next_precision(permi_engines, PERMI_ENGINES, leaf->method, job->precision);
  }
  return watch->stopped == PERM_OK && permi_plans_higher(options, sum) ? next : PERM_PRECISION_COUNT;
}

/* Jobs in pieces begin in the precision that their tolerance needs. */
static perm_status permi_sparse_job_planned(const perm_matrix *matrix, int how, const perm_options *options_given,
                                            perm_job **job, perm_result *result)
{
  perm_options options = *options_given;
  permi_control watch = permi_control_begin(options_given);
  perm_job *higher = NULL;
  perm_precision next;
  char line[160];
  int raised = 0;
  permi_result_clear(result);
  *job = NULL;
  perm_status status = permi_sparse_job(matrix, how, &options, job, result);
  while (status == PERM_OK && (next = permi_sparse_higher(matrix, &watch, &options, *job)) != PERM_PRECISION_COUNT) {
    options.precision = next;
    status = permi_job_or_none(permi_sparse_job(matrix, how, &options, &higher, result), &higher);
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
  permi_result_clear(result);
  if (job)
    *job = NULL;
  perm_status status = job ? permi_check_input(matrix, options, &watch, result)
                           : permi_fail(result, PERM_ERROR_NULL, 3, "job is NULL");
  if (status == PERM_OK)
    status = permi_job_asked(permi_sparse_job_planned(matrix, 0, options, job, result), options, job);
  return permi_meter_end(&call, status, result);
}

static perm_status permi_sparse_report(const perm_matrix *matrix, const perm_options *options,
                                       perm_preparation *report, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  permi_working working;
  size_t at;
  int exact, row, zero = 0;
  permi_result_clear(result);
  if (!report)
    return permi_fail(result, PERM_ERROR_NULL, 3, "report is NULL");
  memset(report, 0, sizeof *report);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK)
    status = permi_sparse_check(matrix, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  exact = exact && permi_matrix_integers(matrix, &row, &at, &watch);
  report->n = matrix->n;
  if (matrix->m == 0)
    return PERM_OK;
  status = permi_working_make(&working, matrix, exact, &watch, &zero, result);
  if (status == PERM_OK && watch.stopped == PERM_OK && !zero && !permi_report_left(&working))
    status = permi_fail_memory(result);
  if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  if (status == PERM_OK)
    *report = working.report;
  permi_pool_release(&working.pool);
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
  const perm_matrix *matrix;
  int how, doubles;
  double seconds;
  perm_precision precision;
} permi_sparse_attempt;

static perm_status permi_sparse_attempt_plan(void *context, const perm_options *options, double *seconds,
                                             perm_job **job, perm_result *result)
{
  permi_sparse_attempt *attempt = (permi_sparse_attempt *)context;
  const perm_status status = permi_job_or_none(
      permi_sparse_job_planned(attempt->matrix, attempt->how | attempt->doubles, options, job, result), job);
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
  return permi_next_precision(permi_engines, PERMI_ENGINES, result->method, attempt->precision);
}

static perm_status permi_compute_matrix(const perm_matrix *matrix, int how, const perm_options *options,
                                        permi_control *watch, double start, perm_result *result)
{
  static const permi_solver solver = {permi_sparse_attempt_plan, NULL, permi_sparse_attempt_next};
  permi_sparse_attempt attempt = {matrix, how | PERMI_UNSEEN, 0, 0, PERM_PRECISION_DEFAULT};
  int exact;
  perm_status status = permi_sparse_check(matrix, options, watch, &exact, result);
  if (status == PERM_OK && matrix->m > 0 && watch->stopped == PERM_OK && !exact &&
      permi_sparse_by_counts(matrix, options) && !permi_sparse_rounds(matrix, watch) && watch->stopped == PERM_OK) {
    permi_problem problem;
    void *entries;
    status = permi_sparse_array(matrix, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_compute(&problem, PERMI_BY_LINES, 2, options, result);
    permi_release(&options->allocator, entries);
    return status;
  }
  if (status == PERM_OK && watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  return permi_solve(&solver, &attempt, &attempt.doubles, &permi_reach_real, options, start, result);
}

PERM_SPARSE_API perm_status perm_compute_sparse(const perm_matrix *matrix, const perm_options *options_given,
                                                perm_result *result)
{
  const double start = permi_seconds();
  const int parts = matrix && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  permi_metered call;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK)
    status = permi_compute_matrix(matrix, 0, options, &watch, start, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

#if defined(PERMI_ROUTE)
/* 2 x 2 minors without zeros: most vanish where twins has few classes of nearly full lines. */
#define PERMI_ROUTE_MINORS 64
static int permi_route_counts(const permi_problem *problem)
{
  const int n = problem->n;
  uint64_t seed = UINT64_C(88172645463325252);
  int trial, seen = 0, vanish = 0, k;
  for (trial = 0; trial < PERMI_ROUTE_MINORS; trial++) {
    const int i = permi_order_below(&seed, n), j = permi_order_below(&seed, n);
    const int row = (i + 1 + permi_order_below(&seed, n - 1)) % n;
    const int column = (j + 1 + permi_order_below(&seed, n - 1)) % n;
    double x[4], y[4];
    for (k = 0; k < 4; k++) {
      x[k] = permi_array_part(problem, k / 2 ? row : i, k % 2 ? column : j, 0);
      y[k] = permi_array_part(problem, k / 2 ? row : i, k % 2 ? column : j, 1);
      if (x[k] == 0 && y[k] == 0)
        break;
    }
    if (k < 4)
      continue;
    seen++;
    vanish += x[0] * x[3] - y[0] * y[3] == x[1] * x[2] - y[1] * y[2] &&
              x[0] * y[3] + y[0] * x[3] == x[1] * y[2] + y[1] * x[2];
  }
  return 4 * vanish > 3 * seen;
}

/* Takes arrays with many zeros or few classes, if dense sums take long. */
#define PERMI_ROUTE_ORDER 20    /* smaller integers take no longer than a plan */
#define PERMI_ROUTE_ZEROS 0.125 /* least share by which an engine gains */
#define PERMI_ROUTE_LOW 22      /* integers below it, of 0.25 to 2 ms, */
#define PERMI_ROUTE_LOW_ZEROS 0.6 /* need more zeros */
static int permi_route(const permi_problem *problem, const perm_options *options_given, int argument,
                       perm_result *result)
{
  const int m = problem->m, n = problem->n, shorter = m < n ? m : n, longer = m < n ? n : m, parts = problem->parts;
  perm_options options = *options_given;
  perm_matrix matrix;
  perm_status status;
  size_t nnz = 0;
  if (shorter < (m == n ? PERMI_ROUTE_ORDER : 2) || m > PERM_MAX_LINES || n > PERM_MAX_LINES || problem->row_count ||
      problem->column_count || (!problem->real && !problem->integer) ||
      !permi_stride_fits(m, n, problem->ld, 8 * parts) ||
      options.method != PERM_METHOD_AUTO ||
      options.precision == PERM_PRECISION_KAHAN || permi_check_options(&options, argument, result) != PERM_OK)
    return 0;
  if (m != n ? permi_rectangle_is_small(shorter, longer, 0)
             : problem->real && n <= PERM_MAX_N &&
                   n * ldexp(1, n - 1) < PERMI_FREE_SECONDS * permi_dense_rate(&options))
    return 0;
  const double start = permi_seconds(); /* small calls end sooner than a clock is read */
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const double real = permi_array_part(problem, i, j, 0), imaginary = permi_array_part(problem, i, j, 1);
      if (permi_not_finite(real) || permi_not_finite(imaginary)) {
        permi_check_problem(problem, 0, result);
        return result->status == PERM_ERROR_NOT_FINITE;
      }
      if (problem->integer && parts == 2 && !(fmax(fabs(real), fabs(imaginary)) <= 9007199254740991))
        return 0; /* complex entries are doubles here */
      nnz += real != 0 || imaginary != 0;
    }
  const double zeros = problem->integer && shorter < PERMI_ROUTE_LOW ? PERMI_ROUTE_LOW_ZEROS : PERMI_ROUTE_ZEROS;
  if (m != n ? (double)nnz > (1 - zeros) * m * n || permi_rectangle_is_small(shorter, longer, (double)nnz)
             : (double)nnz > (1 - zeros) * n * n && !permi_route_counts(problem))
    return 0;
  permi_result_clear(result);
  if (problem->integer)
    options.precision = PERM_PRECISION_EXACT;
  permi_control watch = permi_control_begin(&options);
  if (permi_matrix_of_array(problem, nnz, &options.allocator, &matrix)) {
    status = permi_compute_matrix(&matrix, PERMI_FROM_ARRAY, &options, &watch, start, result);
    perm_matrix_free(&matrix);
  } else {
    status = permi_fail_memory(result);
  }
  if (status < PERM_OK && result->argument) /* argument 1 is the matrix, 2 the options */
    result->argument = result->argument == 2 ? argument : 3;
  return 1;
}
#endif
/* SPDX-License-Identifier: MIT */
