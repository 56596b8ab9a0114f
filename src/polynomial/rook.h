/* =========================================================================================== >>rook
   Rook numbers by two engines:
   - frontier (>>coefficients): lines stay unmatched, rows by x, columns by 1, or the other way round; of r rows
     r_k is the coefficient of x^(r - k), and states have as many as rows are eliminated;
   - exact: for m <= n, per(A + x J) = sum over j of r_(m-j) x^j (n-m+j)! / (n-m)!, as j rows that take x choose among
     n-m+j columns: by values of >>points. */
#pragma once
#include "coefficients.h"

#define PERMI_ROOK_TRIED 2e-4 /* seconds that no further engine improves */

/* a /= d, which divides it; d below 2^32. */
static void permi_integer_divide(perm_integer *a, uint64_t d)
{
  uint64_t rest = 0;
  for (int i = a->words - 1; i >= 0; i--) {
    const uint64_t high = rest << 32 | a->word[i] >> 32, low = high % d << 32 | (a->word[i] & UINT32_MAX);
    a->word[i] = high / d << 32 | low / d;
    rest = low % d;
  }
  permi_integer_trim(a);
}

static perm_status permi_rook_evaluate(permi_pencil *pencil, perm_integer *numbers)
{
  const int m = permi_matrix_shorter(&pencil->matrix), n = permi_matrix_longer(&pencil->matrix);
  const perm_status status = permi_points_run(pencil, permi_pencil_bits(pencil, 1), 0, numbers);
  for (int k = 1; k <= m && status == PERM_OK; k++)
    for (int i = 1; i <= k; i++)
      permi_integer_divide(&numbers[k], (uint64_t)(n - m + i));
  for (int k = 0; k < m - k && status == PERM_OK; k++) { /* the coefficient of x^j is r_(m - j) */
    const perm_integer x = numbers[k];
    numbers[k] = numbers[m - k];
    numbers[m - k] = x;
  }
  return status;
}

static perm_status permi_rook_place(permi_coefficients *plan, permi_pencil *pencil, perm_integer *numbers)
{
  const size_t degree = (size_t)plan->degree, rows = (size_t)plan->block.n;
  perm_integer *all = (perm_integer *)permi_pool_get(&pencil->pool, degree + 1, sizeof *all);
  perm_status status = all ? PERM_OK : PERM_ERROR_MEMORY;
  double bits = plan->most;
  if (status == PERM_OK && bits < 1000 && permi_coefficients_primes(plan, bits) > 1 &&
      permi_coefficients_primes(plan, bits) * plan->seconds > PERMI_FREE_SECONDS)
    status = permi_coefficients_lower(plan, pencil->watch, &bits, pencil->result);
  if (status == PERM_OK)
    status = permi_coefficients_compute(plan, pencil->watch, bits, all, NULL, pencil->result);
  for (size_t k = 0; k <= degree && k <= rows && status == PERM_OK; k++)
    numbers[k] = all[degree - k];
  return status;
}

static perm_status permi_rook_solve(permi_coefficients *plan, permi_pencil *pencil, const permi_side *side,
                                    perm_integer *numbers)
{
  const perm_options *options = pencil->options;
  perm_result *result = pencil->result;
  permi_control *watch = pencil->watch;
  const int empty = plan->block.n == 0, evaluated = options->method == PERM_METHOD_EXACT && pencil->m && pencil->n;
  const double first = evaluated ? (double)INFINITY : plan->seconds * permi_coefficients_primes(plan, plan->most);
  double second = (double)INFINITY;
  perm_status planning = PERM_ERROR_LIMIT;
  if (options->method != PERM_METHOD_FRONTIER && first > PERMI_ROOK_TRIED && pencil->m <= PERM_MAX_LINES &&
      pencil->n <= PERM_MAX_LINES) {
    if (!permi_pencil_open(pencil, side))
      return PERM_ERROR_MEMORY;
    if (permi_points_fit(pencil))
      second = permi_points_seconds(pencil, 0, 0, &planning);
  }
  const double planned = permi_seconds() - watch->start;
  watch->work_total = fmin(first, second);
  watch->activity = "placing rooks";
  if (permi_watch(watch, 0) || (watch->work_total == (double)INFINITY && planning == PERM_ERROR_MEMORY))
    return watch->stopped != PERM_OK ? watch->stopped : planning;
  if (watch->work_total == (double)INFINITY && evaluated)
    return permi_fail(result, PERM_ERROR_LIMIT, 0,
                      "rook numbers: method exact takes entries below 2^62, up to %d rows and columns, and what "
                      "max_bytes = %s allows: try method frontier", PERM_MAX_LINES,
                      options->max_bytes > 0 ? permi_size_words(options->max_bytes).text : "0");
  if (watch->work_total == (double)INFINITY)
    return permi_fail(result, PERM_ERROR_LIMIT, 0,
                      "rook numbers: no engine, the frontier would %s: try a sparser matrix",
                      plan->frontier && plan->frontier->arrays ? "need more than max_bytes" : "have too many vertices");
  if (options->max_seconds > 0 && watch->work_total > watch->deadline - permi_seconds())
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "rook numbers: %s predicted, more than max_seconds = %.3g",
                      permi_time_words(watch->work_total).text, options->max_seconds);
  perm_status status = PERM_OK;
  if (first > second)
    status = permi_rook_evaluate(pencil, numbers);
  else if (!empty)
    status = permi_rook_place(plan, pencil, numbers);
  result->method = first <= second ? PERM_METHOD_FRONTIER : PERM_METHOD_EXACT;
  result->plan_seconds = planned;
  return status;
}

static perm_status permi_rook_check(const permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                    perm_result *result)
{
  const perm_matrix *matrix = call->side[0].matrix;
  const perm_method method = options->method;
  perm_options checked = *options;
  size_t at;
  int row;
  checked.method = PERM_METHOD_AUTO;
  const perm_status status = permi_check_input(matrix, &checked, watch, result);
  if (status != PERM_OK)
    return status;
  if (!call->integers)
    return permi_fail(result, PERM_ERROR_NULL, 3, "numbers is NULL");
  if ((method != PERM_METHOD_AUTO && method != PERM_METHOD_FRONTIER && method != PERM_METHOD_EXACT) ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT) ||
      options->checkpoint.file)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "rook numbers are exact, by method auto, frontier or exact, and have no checkpoints");
  if (matrix->kind == PERM_KIND_COMPLEX || (matrix->m && !permi_matrix_integers(matrix, &row, &at, watch)))
    return watch->stopped != PERM_OK
               ? watch->stopped
               : permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers, and the matrix has "
                                                               "others: try it times a common denominator "
                                                               "d, with which r_k is d^k times as large");
  return PERM_OK;
}

/* log2 of the product over rows, or columns, of 1 + sum of |entries|. */
static double permi_rook_bits(const permi_working *working)
{
  double bits[2] = {0, 0};
  for (int v = 0; v < 2 * working->n; v++) {
    const int side = v >= working->n;
    double sum = 1;
    for (int i = working->head[v]; i >= 0; i = working->cell[i].next[side])
      sum += fabs((double)working->cell[i].integer);
    bits[side] += log2(sum) * (1 + 1e-12) + 1e-12;
  }
  return fmin(bits[0], bits[1]);
}

static perm_status permi_rook_compute(permi_pencil *pencil, permi_coefficients *plan, const permi_pencil_call *call)
{
  const perm_matrix *matrix = call->side[0].matrix;
  const perm_options *options = pencil->options;
  permi_control *watch = pencil->watch;
  permi_working *working = &plan->working;
  const int m = permi_matrix_shorter(matrix), n = permi_matrix_longer(matrix);
  int *line = (int *)permi_pool_get(&pencil->pool, 4 * (size_t)n + 2, sizeof *line), counts[2] = {0, 0};
  if (!line || !permi_working_create(working, &options->allocator, n, matrix->nnz))
    return PERM_ERROR_MEMORY;
  working->watch = watch;
  permi_sparse_fill(matrix, 1, matrix->m > matrix->n, working);
  working->alone = (permi_cell *)permi_pool_get(&working->pool, (size_t)m, sizeof *working->alone);
  if (working->pool.failed || watch->stopped != PERM_OK) /* the graph may not be whole */
    return working->pool.failed ? PERM_ERROR_MEMORY : watch->stopped;
  for (int v = 0; v < 2 * n; v++) {
    if (v < m)
      working->alone[v] = permi_cell_one();
    line[counts[0] + counts[1]] = v;
    counts[v >= n] += working->degree[v] > 0;
  }
  memset(call->integers, 0, ((size_t)m + 1) * sizeof *call->integers);
  call->integers[0] = permi_integer_of(1);
  plan->degree = counts[0] > counts[1] ? counts[0] : counts[1];
  if ((plan->most = permi_rook_bits(working)) > 64 * PERM_INTEGER_WORDS - 2)
    return permi_fail(pencil->result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need %.0f bits, more than %d: try "
                                                              "a smaller matrix or smaller entries",
                      plan->most + 2, 64 * PERM_INTEGER_WORDS);
  const perm_status status =
      plan->degree ? permi_coefficients_frontier(plan, options, watch, line, counts, line + 2 * n + 1) : PERM_OK;
  plan->degree = counts[plan->turned];
  return status == PERM_OK ? permi_rook_solve(plan, pencil, call->side, call->integers) : status;
}
/* SPDX-License-Identifier: MIT */
