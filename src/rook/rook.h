/* =========================================================================================== >>rook
   Rook numbers of integer matrices, by two engines:
   - frontier (>>placements), for sparse matrices;
   - exact: for m <= n, per(A + x J) = sum over j of r_(m-j) x^j (n-m+j)! / (n-m)!, as j rows that take x choose among
     n-m+j columns. Exact permanents at x = 0 .. m are interpolated by Newton. */
#pragma once
#include "placements.h"
#include "../sparse/sparse.h"

typedef struct permi_rook {
  const perm_matrix *matrix;
  int m, n, transposed; /* m <= n: of the matrix, or its transpose */
  permi_block block;    /* lines with entries */
  int64_t *shifted;     /* m x n, or NULL */
} permi_rook;

/* Goes through entries that are not 0; begins with row 0, next 0. */
typedef struct permi_rook_entry {
  int row, column;
  int64_t value;
  size_t next;
} permi_rook_entry;

static int permi_rook_next(const perm_matrix *matrix, permi_rook_entry *entry)
{
  permi_cell cell;
  for (; entry->row < matrix->m; entry->row++)
    for (; entry->next < matrix->row_start[entry->row + 1];) {
      const size_t e = entry->next++;
      permi_matrix_entry(matrix, e, &cell);
      if (!cell.integer)
        continue;
      entry->column = matrix->column[e];
      entry->value = cell.integer;
      return 1;
    }
  return 0;
}

static int permi_rook_graph(permi_rook *rook, permi_pool *pool)
{
  const perm_matrix *matrix = rook->matrix;
  permi_block *block = &rook->block;
  const size_t lines = (size_t)matrix->m + (size_t)matrix->n;
  const size_t most = matrix->nnz < INT_MAX / 4 ? matrix->nnz : INT_MAX / 4;
  int *number = (int *)permi_pool_get(pool, lines + 1, sizeof(int)), k;
  permi_rook_entry entry;
  block->start = (int *)permi_pool_get(pool, lines + 2, sizeof(int));
  block->neighbour = (int *)permi_pool_get(pool, 4 * most + 1, sizeof(int));
  block->integer = (int64_t *)permi_pool_get(pool, most + 1, sizeof(int64_t));
  if (pool->failed || most < matrix->nnz)
    return 0;
  block->edge = block->neighbour + 2 * most;
  memset(number, 0, (lines + 1) * sizeof *number);
  memset(block->start, 0, (lines + 2) * sizeof *block->start);
  for (memset(&entry, 0, sizeof entry); permi_rook_next(matrix, &entry);) {
    number[entry.row]++;
    number[matrix->m + entry.column]++;
  }
  for (k = 0; k < matrix->m + matrix->n; k++) /* degrees become numbers of vertices */
    if (number[k]) {
      block->n += k < matrix->m;
      block->start[block->vertices + 2] = block->start[block->vertices + 1] + number[k];
      number[k] = block->vertices++;
    }
  for (memset(&entry, 0, sizeof entry); permi_rook_next(matrix, &entry); block->edges++) {
    const int end[2] = {number[entry.row], number[matrix->m + entry.column]};
    block->integer[block->edges] = entry.value;
    for (k = 0; k < 2; k++) {
      const int at = block->start[end[k] + 1]++;
      block->neighbour[at] = end[1 - k];
      block->edge[at] = block->edges;
    }
  }
  return 1;
}

/* Anneals an order for a share of its predicted seconds and plans with it; plan->seconds is INFINITY if there is none.
   Returns 0 without memory. */
static int permi_rook_order(const permi_block *block, const perm_options *options, permi_pool *pool,
                            permi_control *watch, permi_placements *plan)
{
  const size_t vertices = (size_t)block->vertices;
  const double effort = options->plan_effort > 0 ? options->plan_effort : 1;
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS,
                                 PERMI_GREEDY_SHARE * fmax(effort, 1) / 2, permi_account_most(options)};
  int *order = (int *)permi_pool_get(pool, 4 * vertices + 1, sizeof(int)), v;
  permi_budget budget;
  double cost = 0;
  plan->most = (double *)permi_pool_get(pool, 2 * vertices + 2, sizeof(double));
  plan->step = (permi_rook_step *)permi_pool_get(pool, PERMI_ROOK_GROUP + 4, sizeof *plan->step);
  if (pool->failed)
    return 0;
  plan->seconds = (double)INFINITY;
  plan->block = block;
  plan->allocator = &options->allocator;
  plan->watch = watch;
  plan->order = order;
  plan->place = order + vertices;
  plan->open = plan->place + vertices;
  plan->sequence = plan->open + vertices;
  plan->done = plan->most + vertices + 1;
  plan->most[0] = 1;
  plan->threads = permi_threads(options);
  memset(&budget, 0, sizeof budget);
  budget.effort = effort;
  budget.most = budget.rival = (double)INFINITY;
  budget.each = budget.quick = PERMI_STATE_SECONDS;
  budget.quick_width = PERMI_ORDER_WIDTH;
  budget.account = &account;
  for (v = 0; v < block->vertices; v++) /* if none is found */
    order[v] = v;
  if (vertices && !permi_order(plan->allocator, block, NULL, &budget, order, &cost))
    return 0;
  if (watch->stopped == PERM_OK)
    permi_placements_plan(plan);
  return 1;
}

/* a /= d, which divides it; d below 2^63. */
static void permi_integer_divide(perm_integer *a, uint64_t d)
{
  uint64_t rest = 0;
  int i, bit;
  for (i = a->words - 1; i >= 0; i--) {
    uint64_t quotient = 0;
    for (bit = 63; bit >= 0; bit--) {
      rest = rest << 1 | (a->word[i] >> bit & 1);
      quotient = quotient << 1 | (rest >= d);
      rest -= rest >= d ? d : 0;
    }
    a->word[i] = quotient;
  }
  permi_integer_trim(a);
}

/* Turns values at x = 0 .. degree into r_k; returns 0 if a number on the way is too long. */
static int permi_rook_interpolate(perm_integer *f, int degree, int columns)
{
  perm_integer x, product;
  int i, k;
  for (k = 1; k <= degree; k++) /* divided differences, whole since the coefficients are */
    for (i = degree; i >= k; i--) {
      if (!permi_integer_add(&f[i], &f[i - 1], 1))
        return 0;
      permi_integer_divide(&f[i], (uint64_t)k);
    }
  for (k = degree - 1; k >= 0; k--)
    for (i = k; i < degree; i++) {
      x = permi_integer_of(k);
      if (!permi_integer_multiply(&f[i + 1], &x, &product) || !permi_integer_add(&f[i], &product, 1))
        return 0;
    }
  for (k = 0; k <= degree; k++)
    for (i = 1; i <= k; i++)
      permi_integer_divide(&f[k], (uint64_t)(columns - degree + i));
  for (k = 0; k < degree - k; k++) { /* the coefficient of x^j is r_(degree - j) */
    x = f[k];
    f[k] = f[degree - k];
    f[degree - k] = x;
  }
  return 1;
}

static void permi_rook_shift(const permi_rook *rook, int64_t x)
{
  const size_t n = (size_t)rook->n;
  permi_rook_entry entry;
  size_t k;
  for (k = 0; k < (size_t)rook->m * n; k++)
    rook->shifted[k] = x;
  for (memset(&entry, 0, sizeof entry); permi_rook_next(rook->matrix, &entry);)
    rook->shifted[rook->transposed ? (size_t)entry.column * n + (size_t)entry.row
                                   : (size_t)entry.row * n + (size_t)entry.column] += entry.value;
}

/* Returns predicted seconds of all evaluations; INFINITY: impossible. */
static double permi_rook_evaluation_seconds(const permi_rook *rook, const perm_options *options, perm_status *status)
{
  perm_options one = *options;
  perm_job *job = NULL;
  perm_result result;
  double seconds = (double)INFINITY;
  int e;
  for (e = 0; e < rook->block.edges; e++)
    if (rook->block.integer[e] > INT64_MAX / 2 || rook->block.integer[e] < -(INT64_MAX / 2))
      return seconds;
  permi_rook_shift(rook, rook->m);
  one.max_seconds = 0;
  one.progress = NULL;
  *status = perm_job_integer(rook->m, rook->n, rook->shifted, rook->n, &one, &job, &result);
  if (*status == PERM_OK)
    seconds = permi_job_seconds(job) * (rook->m + 1);
  perm_job_free(job);
  return seconds;
}

static perm_status permi_rook_evaluate(const permi_rook *rook, const perm_options *options, permi_control *watch,
                                       perm_integer *numbers, perm_result *result)
{
  perm_options one = *options;
  perm_status status;
  int x;
  one.progress = NULL;
  for (x = 0; x <= rook->m; x++) {
    permi_rook_shift(rook, x);
    if (options->max_seconds > 0)
      one.max_seconds = fmax(watch->deadline - permi_seconds(), 1e-9);
    status = perm_compute_integer(rook->m, rook->n, rook->shifted, rook->n, &one, result);
    if (status != PERM_OK)
      return status;
    numbers[x] = result->integer;
    watch->done = watch->work_total * (x + 1) / (rook->m + 1);
    if (permi_watch(watch, PERMI_WATCH_UNITS))
      return permi_fail_stopped(watch, result);
  }
  return permi_rook_interpolate(numbers, rook->m, rook->n)
             ? PERM_OK
             : permi_fail(result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need more than %d bits: scale the "
                                                          "entries down, or try method frontier",
                          64 * PERM_INTEGER_WORDS);
}

static perm_status permi_rook_solve(permi_rook *rook, permi_placements *plan, const perm_options *given_options,
                                    permi_control *watch, perm_integer *numbers, perm_result *result)
{
  perm_options options = *given_options;
  const double most = permi_max_bytes(&options), area = (double)rook->m * rook->n;
  const int fits = plan->bytes < (double)(SIZE_MAX / 4) && (!(most > 0) || plan->bytes <= most);
  const int evaluated = options.method == PERM_METHOD_EXACT && rook->m > 0;
  double first = fits && !evaluated ? plan->seconds : (double)INFINITY;
  double second = (double)INFINITY, planned;
  perm_status status, planning = PERM_OK;
  options.method = PERM_METHOD_AUTO;
  options.modulus = 0; /* the interpolation divides, so residues come after it */
  if (given_options->method != PERM_METHOD_FRONTIER && first > PERMI_FREE_SECONDS && rook->m > 0 &&
      rook->n <= PERM_MAX_LINES && area < 1e8) {
    if (!(rook->shifted = (int64_t *)permi_allocate(&options.allocator, (size_t)area + 1, sizeof *rook->shifted)))
      return permi_fail_memory(result);
    second = permi_rook_evaluation_seconds(rook, &options, &planning);
  }
  planned = permi_seconds() - watch->start;
  watch->work_total = fmin(first, second);
  watch->activity = "placing rooks";
  if (watch->work_total == (double)INFINITY && (planning > 0 || planning == PERM_ERROR_MEMORY))
    status = permi_fail(result, planning, 0, "%s", perm_status_text(planning));
  else if (watch->work_total == (double)INFINITY && evaluated)
    status = permi_fail(result, PERM_ERROR_LIMIT, 0,
                        "rook numbers: method exact takes entries below 2^62, up to %d rows and columns, and what "
                        "max_bytes = %s allows: try method frontier", PERM_MAX_LINES,
                        most > 0 ? permi_size_words(options.max_bytes).text : "0");
  else if (watch->work_total == (double)INFINITY && plan->seconds < (double)INFINITY)
    status = permi_fail(result, PERM_ERROR_LIMIT, 0,
                        "rook numbers: no engine, the frontier would have %s of states, over max_bytes = %s, and take "
                        "%s: try a sparser matrix", permi_size_words(plan->bytes).text,
                        permi_size_words(most > 0 ? options.max_bytes : (double)(SIZE_MAX / 4)).text,
                        permi_time_words(plan->seconds).text);
  else if (watch->work_total == (double)INFINITY)
    status = permi_fail(result, PERM_ERROR_LIMIT, 0,
                        "rook numbers: no engine, the frontier would have over %d vertices: try a sparser matrix",
                        PERMI_ROOK_PLACES);
  else if (options.max_seconds > 0 && watch->work_total > watch->deadline - permi_seconds())
    status = permi_fail(result, PERM_ERROR_LIMIT, 0, "rook numbers: %s predicted, more than max_seconds = %.3g",
                        permi_time_words(watch->work_total).text, options.max_seconds);
  else if (first <= second) {
    result->method = PERM_METHOD_FRONTIER;
    result->isa = permi_placements_isa(&options, &plan->lanes);
    result->threads = plan->threads;
    status = permi_placements_run(plan, numbers, rook->m + 1);
    if (status != PERM_OK)
      status = watch->stopped != PERM_OK ? permi_fail_stopped(watch, result) : permi_fail_memory(result);
  } else {
    status = permi_rook_evaluate(rook, &options, watch, numbers, result);
    result->method = PERM_METHOD_EXACT;
  }
  result->plan_seconds = planned;
  permi_release(&options.allocator, rook->shifted);
  return status;
}

static perm_status permi_rook_check(const perm_matrix *matrix, const perm_options *options, perm_integer *numbers,
                                    permi_control *watch, perm_result *result)
{
  const perm_method method = options->method;
  perm_options checked = *options;
  perm_status status;
  size_t at;
  int row;
  permi_result_clear(result);
  checked.method = PERM_METHOD_AUTO;
  status = permi_check_options(&checked, 2, result);
  if (status == PERM_OK)
    status = permi_check_sparse(matrix, watch, result);
  if (status != PERM_OK)
    return status;
  if (!numbers)
    return permi_fail(result, PERM_ERROR_NULL, 3, "numbers is NULL");
  if ((method != PERM_METHOD_AUTO && method != PERM_METHOD_FRONTIER && method != PERM_METHOD_EXACT) ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT) ||
      options->checkpoint.file)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "rook numbers are exact, by method auto, frontier or exact, and have no checkpoints");
  if (matrix->kind == PERM_KIND_COMPLEX || (matrix->m && !permi_matrix_integers(matrix, &row, &at, watch)))
    return watch->stopped != PERM_OK
               ? permi_fail_stopped(watch, result)
               : permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers, and the matrix has "
                                                               "others: try it times a common denominator "
                                                               "d, with which r_k is d^k times as large");
  return PERM_OK;
}

static perm_status permi_rook_numbers(const perm_matrix *matrix, const perm_options *options, perm_integer *numbers,
                                      permi_control *watch, perm_result *result)
{
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_rook rook;
  permi_placements plan;
  const permi_block *block = &rook.block;
  double bits[2] = {0, 0}, sum;
  int v, e;
  perm_status status = permi_rook_check(matrix, options, numbers, watch, result);
  if (status != PERM_OK)
    return status;
  memset(&rook, 0, sizeof rook);
  memset(&plan, 0, sizeof plan);
  rook.matrix = matrix;
  rook.transposed = matrix->m > matrix->n;
  rook.m = rook.transposed ? matrix->n : matrix->m;
  rook.n = rook.transposed ? matrix->m : matrix->n;
  if (!permi_rook_graph(&rook, &pool)) {
    status = permi_fail_memory(result);
  } else {
    for (v = 0; v < block->vertices; v++) {
      for (sum = 1, e = block->start[v]; e < block->start[v + 1]; e++)
        sum += fabs((double)block->integer[block->edge[e]]);
      bits[v >= block->n] += log2(sum) * (1 + 1e-12) + 1e-12;
    }
    /* log2 of a bound: the product over rows, or columns, of (1 + sum of |entries|), and a sign */
    plan.bits = 2 + fmin(bits[0], bits[1]);
    if (plan.bits > 64 * PERM_INTEGER_WORDS)
      status = permi_fail(result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need %.0f bits, more than %d: try a "
                                                          "smaller matrix or smaller entries",
                          plan.bits, 64 * PERM_INTEGER_WORDS);
    else if (!permi_rook_order(&rook.block, options, &pool, watch, &plan))
      status = permi_fail_memory(result);
    else
      status = watch->stopped != PERM_OK ? permi_fail_stopped(watch, result)
                                         : permi_rook_solve(&rook, &plan, options, watch, numbers, result);
  }
  permi_pool_release(&pool);
  return status;
}

PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options_given,
                                            perm_integer *numbers, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status;
  perm_result unused;
  permi_number last = permi_number_one();
  int k, count;
  if (!result)
    result = &unused;
  status = permi_rook_numbers(matrix, options, numbers, &watch, result);
  if (status != PERM_OK)
    return permi_kind(permi_meter_end(&call, status, result), 1, options_given, result);
  count = (matrix->m < matrix->n ? matrix->m : matrix->n) + 1;
  for (k = 0; k < count && options->modulus; k++)
    permi_integer_reduce(&numbers[k], options->modulus);
  last.integer = numbers[count - 1];
  permi_number_result(&last, result);
  result->modulus = options->modulus;
  result->precision = PERM_PRECISION_EXACT;
  result->error_bound = result->error_estimate = 0;
  result->seconds = permi_seconds() - watch.start;
  return result->status = permi_meter_end(&call, PERM_OK, result);
}
/* SPDX-License-Identifier: MIT */
