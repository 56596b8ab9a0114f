/* =========================================================================================== >>rook
   Rook numbers by two engines:
   - frontier (>>placements), for sparse matrices;
   - exact: for m <= n, per(A + x J) = sum over j of r_(m-j) x^j (n-m+j)! / (n-m)!, as j rows that take x choose among
     n-m+j columns: by values of >>points. */
#pragma once
#include "placements.h"
#include "../sparse/sparse.h"

typedef struct permi_rook {
  int m, n; /* m <= n: of the matrix, or its transpose */
  permi_working working;
  permi_block block; /* lines with entries */
} permi_rook;

/* order: becomes a path's, of vertices whose last neighbour goes before; after: the next of all but leaves; work: 2 a
   vertex. */
static void permi_rook_chain(const permi_block *block, int *order, int *after, int *work)
{
  int *open = work, *sequence = work + block->vertices, length = 0, width = 0, last = -1;
  for (int k = 0; k < block->vertices; k++) {
    open[k] = block->start[k + 1] - block->start[k];
    after[k] = -1;
  }
  for (int k = 0; k < block->vertices; k++)
    for (int e = block->start[order[k]]; e <= block->start[order[k] + 1]; e++) {
      const int v = e < block->start[order[k] + 1] ? block->neighbour[e] : order[k];
      const int degree = block->start[v + 1] - block->start[v];
      if (open[v] < 0 || (v != order[k] && open[v] != 1))
        continue;
      if (open[v] < degree && last >= 0)
        after[last] = v;
      last = open[v] < degree ? v : last;
      width -= open[v] < degree;
      open[v] = -1;
      for (int i = block->start[v]; i < block->start[v + 1]; i++) {
        const int t = block->neighbour[i];
        width += open[t] == block->start[t + 1] - block->start[t];
        open[t] -= open[t] >= 0;
      }
      last = width ? last : -1; /* a component ends */
      sequence[length++] = v;
    }
  memcpy(order, sequence, (size_t)length * sizeof *order);
}

/* A tree by least degree or, if that takes long, an annealed path that takes less. plan->seconds: INFINITY: none. */
static perm_status permi_rook_order(const permi_block *block, const perm_options *options, permi_control *watch,
                                    permi_placements *plan)
{
  const double effort = options->plan_effort > 0 ? options->plan_effort : 1;
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS,
                                 PERMI_GREEDY_SHARE * fmax(effort, 1) / 2, permi_account_most(options)};
  permi_pool pool = {plan->allocator, NULL, 0};
  int *order = (int *)permi_pool_get(&pool, 4 * (size_t)block->vertices + 1, sizeof *order), start, v;
  permi_placements other = *plan;
  permi_tree like;
  permi_tree_graph graph;
  permi_budget budget;
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  double cost = 0;
  plan->seconds = (double)INFINITY;
  memset(&like, 0, sizeof like);
  like.numbers.words = like.size = 1;
  like.numbers.algebra = PERMI_WORD;
  like.nodes = block->vertices;
  memset(&graph, 0, sizeof graph);
  graph.allocator = plan->allocator;
  graph.watch = watch;
  graph.seed = UINT64_C(88172645463325252);
  memset(&budget, 0, sizeof budget);
  budget.effort = effort;
  budget.most = budget.rival = (double)INFINITY;
  budget.each = budget.quick = PERMI_STATE_SECONDS;
  budget.quick_width = PERMI_ORDER_WIDTH;
  budget.account = &account;
  for (start = 0; start < 2 && status == PERM_OK && watch->stopped == PERM_OK && plan->seconds > PERMI_ROOK_TRIED;
       start++) {
    for (v = 0; v < block->vertices; v++) /* if none is found */
      order[v] = v;
    if (start == 1 && !permi_order(plan->allocator, block, NULL, &budget, order, &cost))
      status = PERM_ERROR_MEMORY;
    if (start == 1 && status == PERM_OK) {
      permi_rook_chain(block, order, order + block->vertices, order + 2 * block->vertices);
      graph.given = order;
      graph.after = order + block->vertices;
    }
    if (status == PERM_OK)
      status = permi_tree_order(&graph, block, 0, (double)INFINITY);
    if (status == PERM_ERROR_LIMIT) {
      status = PERM_OK;
      continue;
    }
    other.tree = status == PERM_OK ? permi_tree_new(plan->allocator, &like, 0) : NULL;
    if (!other.tree || !permi_tree_build(block, &graph, 0, other.tree) || !permi_rook_price(&other)) {
      status = PERM_ERROR_MEMORY;
    } else if (watch->stopped == PERM_OK && other.seconds < plan->seconds) {
      permi_tree *swap = plan->tree;
      *plan = other;
      other.tree = swap;
    }
    permi_owned_release(plan->allocator, other.tree);
  }
  permi_tree_graph_release(&graph);
  permi_pool_release(&pool);
  return watch->stopped != PERM_OK ? watch->stopped : status;
}

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

static perm_status permi_rook_evaluate(const permi_rook *rook, permi_pencil *pencil, perm_integer *numbers)
{
  const perm_status status = permi_points_run(pencil, permi_pencil_bits(pencil, 1), 0, numbers);
  for (int k = 1; k <= rook->m && status == PERM_OK; k++)
    for (int i = 1; i <= k; i++)
      permi_integer_divide(&numbers[k], (uint64_t)(rook->n - rook->m + i));
  for (int k = 0; k < rook->m - k && status == PERM_OK; k++) { /* the coefficient of x^j is r_(m - j) */
    const perm_integer x = numbers[k];
    numbers[k] = numbers[rook->m - k];
    numbers[rook->m - k] = x;
  }
  return status;
}

static perm_status permi_rook_solve(permi_rook *rook, permi_placements *plan, permi_pencil *pencil,
                                    const permi_side *side, perm_integer *numbers)
{
  const perm_options *given_options = pencil->options;
  perm_options options = *given_options;
  perm_result *result = pencil->result;
  permi_control *watch = pencil->watch;
  const double most = permi_max_bytes(&options), area = (double)rook->m * rook->n;
  const int fits = plan->bytes < (double)(SIZE_MAX / 4) && (!(most > 0) || plan->bytes <= most);
  const int evaluated = options.method == PERM_METHOD_EXACT && rook->m > 0;
  double first = fits && !evaluated ? plan->seconds : (double)INFINITY;
  double second = (double)INFINITY, planned;
  perm_status status, planning = PERM_OK;
  options.method = PERM_METHOD_AUTO;
  options.modulus = 0; /* the interpolation divides, so residues come after it */
  if (given_options->method != PERM_METHOD_FRONTIER && first > PERMI_ROOK_TRIED && rook->m > 0 &&
      rook->n <= PERM_MAX_LINES && area < 1e7) {
    pencil->options = &options;
    if (!permi_pencil_open(pencil, side))
      return PERM_ERROR_MEMORY;
    if (permi_points_fit(pencil))
      second = permi_points_seconds(pencil, 0, 0, &planning);
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
                        PERMI_TREE_WIDTH - 1);
  else if (options.max_seconds > 0 && watch->work_total > watch->deadline - permi_seconds())
    status = permi_fail(result, PERM_ERROR_LIMIT, 0, "rook numbers: %s predicted, more than max_seconds = %.3g",
                        permi_time_words(watch->work_total).text, options.max_seconds);
  else if (first <= second) {
    result->method = PERM_METHOD_FRONTIER;
    result->threads = plan->threads;
    status = permi_placements_run(plan, numbers, rook->m + 1);
  } else {
    status = permi_rook_evaluate(rook, pencil, numbers);
    result->method = PERM_METHOD_EXACT;
  }
  result->plan_seconds = planned;
  return status;
}

static perm_status permi_rook_check(const perm_matrix *matrix, const perm_options *options, perm_integer *numbers,
                                    permi_control *watch, perm_result *result)
{
  const perm_method method = options->method;
  perm_options checked = *options;
  size_t at;
  int row;
  permi_result_clear(result);
  checked.method = PERM_METHOD_AUTO;
  const perm_status status = permi_check_input(matrix, &checked, watch, result);
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

/* log2 of the product over rows, or columns, of 1 + sum of |entries|. */
static double permi_rook_bits(const permi_block *block)
{
  double bits[2] = {0, 0};
  for (int v = 0; v < block->vertices; v++) {
    double sum = 1;
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      sum += fabs((double)block->integer[block->edge[e]]);
    bits[v >= block->n] += log2(sum) * (1 + 1e-12) + 1e-12;
  }
  return fmin(bits[0], bits[1]);
}

PERMI_NEVER_INLINE static perm_status permi_rook_numbers(const perm_matrix *matrix, const perm_options *options,
                                                         perm_integer *numbers, permi_control *watch,
                                                         perm_result *result)
{
  permi_rook rook;
  permi_placements plan;
  perm_status status = permi_rook_check(matrix, options, numbers, watch, result);
  const permi_side side[2] = {{PERMI_SIDE_MATRIX, matrix, NULL, NULL, 0}, {PERMI_SIDE_ONES, NULL, NULL, NULL, 0}};
  permi_pencil pencil;
  int *line, count[2] = {0, 0}, v;
  if (status != PERM_OK)
    return status;
  memset(&rook, 0, sizeof rook);
  memset(&plan, 0, sizeof plan);
  permi_pencil_clear(&pencil, matrix->m, matrix->n, 1, watch, result);
  rook.m = permi_matrix_shorter(matrix);
  rook.n = permi_matrix_longer(matrix);
  if (!permi_working_create(&rook.working, &options->allocator, rook.n, matrix->nnz))
    return permi_fail_memory(result);
  rook.working.watch = plan.watch = watch;
  plan.block = &rook.block;
  plan.allocator = &options->allocator;
  plan.threads = permi_threads(options);
  result->isa = permi_placements_isa(&plan, options);
  permi_sparse_fill(matrix, 1, matrix->m > matrix->n, &rook.working);
  line = rook.working.queue;
  for (v = 0; v < 2 * rook.n; v++)
    if (rook.working.degree[v])
      line[(v < rook.n ? 0 : rook.n) + count[v >= rook.n]++] = v;
  if (!permi_block_create(&rook.working, line, line + rook.n, count[0], count[1], &rook.block))
    status = PERM_ERROR_MEMORY;
  else if (watch->stopped != PERM_OK) /* the graph is not whole */
    status = watch->stopped;
  else if ((plan.bits = permi_rook_bits(&rook.block)) > 64 * PERM_INTEGER_WORDS - 2)
    status = permi_fail(result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need %.0f bits, more than %d: try a "
                                                        "smaller matrix or smaller entries",
                        plan.bits + 2, 64 * PERM_INTEGER_WORDS);
  else
    status = permi_rook_order(&rook.block, options, watch, &plan);
  if (status == PERM_OK && watch->stopped == PERM_OK)
    status = permi_rook_solve(&rook, &plan, &pencil, side, numbers);
  permi_pool_release(&pencil.pool);
  if (watch->stopped != PERM_OK)
    status = permi_fail_stopped(watch, result);
  else if (status == PERM_ERROR_MEMORY)
    status = permi_fail_memory(result);
  permi_owned_release(&options->allocator, plan.tree);
  permi_pool_release(&rook.block.pool);
  permi_pool_release(&rook.working.pool);
  return status;
}

PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options_given,
                                            perm_integer *numbers, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_result unused;
  permi_number last = permi_number_one();
  if (!result)
    result = &unused;
  const perm_status status = permi_rook_numbers(matrix, options, numbers, &watch, result);
  if (status != PERM_OK)
    return permi_kind(permi_meter_end(&call, status, result), 1, options_given, result);
  const int count = permi_matrix_shorter(matrix) + 1;
  for (int k = 0; k < count && options->modulus; k++)
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
