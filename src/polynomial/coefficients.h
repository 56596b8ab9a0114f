/* ==================================================================================== >>coefficients
   Polynomials as values of >>arrays: K words a state, 0, then the coefficients of x^0, x^1, ..., then at least one 0. An
   entry c + l x adds c times a value, and l times the words one place lower. K grows with the degree that a step can
   reach. Coefficients are modulo 2^64, modulo primes below 2^50, or, of entries that are not negative, doubles: sums of
   positive terms, each with one rounding for each term of its step's sums at most. */
#pragma once
#include "../proof/polynomial.h"
#include "points.h"

#define PERMI_COEFFICIENT_WORDS 8 /* K is a multiple */

typedef struct permi_coefficients {
  permi_working working;
  permi_block block;
  permi_frontier *frontier;
  double seconds, bytes; /* seconds: of a pass */
  double roundings;      /* of a coefficient, at most */
  double ways;           /* terms of all values */
} permi_coefficients;

/* Sets the words of steps. */
static void permi_coefficients_lengths(const permi_pencil *pencil, permi_coefficients *plan, unsigned char *mark)
{
  permi_frontier *frontier = plan->frontier;
  int touched[2] = {0, 0}, p, s, side, words;
  for (p = 0; p <= frontier->steps; p++) {
    int most = touched[0] < touched[1] ? touched[0] : touched[1];
    most = most < pencil->degree ? most : pencil->degree;
    words = (most + 3 + PERMI_COEFFICIENT_WORDS - 1) / PERMI_COEFFICIENT_WORDS * PERMI_COEFFICIENT_WORDS;
    frontier->words[p] = words;
    plan->roundings++;
    for (s = frontier->stream_start[p]; p < frontier->steps && s < frontier->stream_start[p + 1]; s++) {
      permi_coefficient *c = &frontier->coefficient[s];
      const permi_pencil_entry *entry;
      plan->roundings += 2;
      plan->ways += 2 * frontier->states[p + 1];
      if (frontier->entry[s] < 0)
        continue;
      entry = &pencil->entry[plan->block.integer[frontier->entry[s]] - 1];
      c->integer[0] = entry->integer[0][0];
      c->integer[1] = entry->integer[1][0];
      c->real = entry->real[0][0];
      c->imaginary = entry->real[1][0];
      for (side = 0; side < 2 && c->imaginary != 0; side++) {
        const int v = side ? frontier->partner[s] : frontier->sequence[p];
        touched[v >= plan->block.n] += !mark[v];
        mark[v] = 1;
      }
    }
  }
  memset(&frontier->numbers, 0, sizeof frontier->numbers);
  frontier->numbers.algebra = PERMI_WORDS;
  frontier->numbers.parts = 1;
  frontier->numbers.words = words;
}

/* Plans the values of a square pencil of real entries. plan->seconds is INFINITY if there is no plan; plan->frontier NULL
   if the polynomial is 0. The caller releases the plan. */
static perm_status permi_coefficients_plan(permi_pencil *pencil, permi_coefficients *plan)
{
  const perm_options *options = pencil->options;
  const perm_allocator *allocator = &options->allocator;
  permi_control *watch = pencil->watch;
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE,
                                 permi_account_most(options)};
  const permi_exactness exactness = {0, 0, 3, 0};
  const int n = pencil->n, words = (pencil->degree + 10) / 8 * 8;
  permi_pool pool = {allocator, NULL, 0};
  int *line = (int *)permi_pool_get(&pool, 4 * (size_t)n + 1, sizeof *line), *order = line + 2 * n, p;
  unsigned char *mark = (unsigned char *)permi_pool_zeros(&pool, 2 * (size_t)n + 1, 1);
  double *binomial = permi_binomials(allocator, n), cost = 0;
  permi_budget budget;
  size_t e;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&budget, 0, sizeof budget);
  plan->seconds = (double)INFINITY;
  pencil->matrix.kind = PERM_KIND_INTEGER;
  for (e = 0; e < pencil->matrix.nnz; e++) /* entries are numbers of entries */
    pencil->matrix.integer[e] = (int64_t)e + 1;
  if (pool.failed || !binomial || !permi_working_create(&plan->working, allocator, n, pencil->matrix.nnz))
    goto done;
  plan->working.watch = watch;
  permi_sparse_fill(&pencil->matrix, 1, 0, &plan->working);
  for (p = 0; p < 2 * n; p++)
    line[p] = p;
  status = watch->stopped;
  if (status != PERM_OK || !permi_split(&plan->working)) {
    plan->seconds = 0;
    goto done;
  }
  status = PERM_ERROR_MEMORY;
  if (!permi_block_create(&plan->working, line, line + n, n, n, &plan->block))
    goto done;
  budget.effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget.most = 0.49 * (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES) / (8.0 * words);
  budget.rival = (double)INFINITY;
  budget.each = budget.quick = PERMI_ROOK_WAY_SECONDS * (words + 30);
  budget.quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  budget.account = &account;
  if (!permi_order(allocator, &plan->block, binomial, &budget, order, &cost))
    goto done;
  status = cost < PERMI_ORDER_MOST ? permi_frontier_create(allocator, &plan->block, order, binomial, &exactness, watch,
                                                           &plan->frontier)
                                   : PERM_ERROR_LIMIT;
  if (status == PERM_OK && !plan->frontier->words)
    plan->frontier->words = (int *)permi_pool_get(&plan->frontier->owned.pool, (size_t)plan->frontier->steps + 1,
                                                  sizeof(int));
  if (status == PERM_OK && !plan->frontier->words)
    status = PERM_ERROR_MEMORY;
  if (status == PERM_OK) {
    permi_coefficients_lengths(pencil, plan, mark);
    status = permi_arrays_create(&plan->block, plan->frontier, permi_isa(options), watch) ? PERM_OK : PERM_ERROR_MEMORY;
  }
  if (status == PERM_OK && plan->frontier->arrays) {
    plan->frontier->arrays->isa = options->isa == PERM_ISA_CUDA ? PERM_ISA_PLAIN : permi_isa(options);
    if (!permi_places_measure(plan->frontier, watch))
      status = PERM_ERROR_MEMORY;
    plan->frontier->arrays->bytes += 64;
    plan->bytes = permi_arrays_bytes(plan->frontier->arrays);
    for (plan->seconds = p = 0; p < plan->frontier->steps; p++)
      plan->seconds += (plan->frontier->cost[p + 1] - plan->frontier->cost[p]) * PERMI_ROOK_WAY_SECONDS *
                       (plan->frontier->words[p + 1] + 30);
  }
done:
  permi_release(allocator, binomial);
  permi_pool_release(&pool);
  return watch->stopped != PERM_OK ? watch->stopped : status == PERM_ERROR_LIMIT ? PERM_OK : status;
}

static void permi_coefficients_release(permi_coefficients *plan)
{
  if (plan->frontier)
    permi_owned_release(&plan->working.allocator, plan->frontier);
  permi_pool_release(&plan->block.pool);
  permi_pool_release(&plan->working.pool);
}

/* The arithmetic of a pass: modulo p; 0: 2^64; 1: doubles. */
static perm_status permi_coefficients_pass(permi_coefficients *plan, permi_arrays_run *run, uint64_t p)
{
  permi_frontier *frontier = plan->frontier;
  uint64_t *x;
  double one = 1;
  int s;
  frontier->numbers.modulus = p;
  for (s = 0; s < frontier->stream_start[frontier->steps] && p > 1; s++) {
    permi_coefficient *c = &frontier->coefficient[s];
    c->real = permi_balanced(permi_residue_of(c->integer[0], p), p);
    c->imaginary = permi_balanced(permi_residue_of(c->integer[1], p), p);
  }
  memset(&run->base.sizes, 0, sizeof run->base.sizes);
  permi_layout_fill(run->arrays, &run->layout[0], 0, 0, 0);
  permi_places_start(run->places);
  permi_arrays_shorten(run, 0);
  x = (uint64_t *)(void *)permi_array_values(run, 0, 0);
  memset(x, 0, run->bytes);
  x[1] = 1;
  if (p)
    memcpy(x + 1, &one, sizeof one);
  return permi_runner_go(&run->base, 0, frontier->steps, permi_arrays_advance);
}

static int permi_coefficients_passes(const permi_coefficients *plan, double bits)
{
  const int words = plan->frontier && bits < 62.99 && permi_lanes(plan->frontier->arrays->isa) >= 4;
  return words ? 1 : (int)((bits + 1) / 49.99) + 1;
}

/* Gives the entries of each row, x replaced by 2^shift x, a largest one from 1/2 to 1; returns the exponent of all. */
static long long permi_coefficients_scale(const permi_pencil *pencil, permi_coefficients *plan)
{
  permi_frontier *frontier = plan->frontier;
  const perm_matrix *matrix = &pencil->matrix;
  long long all = 0;
  int p, s, i;
  size_t e;
  for (i = 0; i < pencil->m; i++) {
    double largest = 0;
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
      largest = fmax(largest, fmax(pencil->entry[e].real[0][0], ldexp(pencil->entry[e].real[1][0], pencil->shift)));
    pencil->sum_of[i] = permi_exponent(largest);
    all += permi_exponent(largest);
  }
  for (p = 0; p < frontier->steps; p++)
    for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++)
      if (frontier->entry[s] >= 0) {
        const int v = frontier->sequence[p], row = v < pencil->n ? v : frontier->partner[s];
        permi_coefficient *c = &frontier->coefficient[s];
        c->real = ldexp(c->real, -(int)pencil->sum_of[row]);
        c->imaginary = ldexp(c->imaginary, pencil->shift - (int)pencil->sum_of[row]);
      }
  return all;
}

/* Integers below 2^bits or, in `doubles`, coefficients. */
static perm_status permi_coefficients_run(permi_pencil *pencil, permi_coefficients *plan, double bits,
                                          perm_integer *numbers, double *doubles)
{
  const int passes = doubles ? 1 : permi_coefficients_passes(plan, bits), degree = pencil->degree;
  const size_t words = (size_t)passes + 1;
  permi_pool pool = {&pencil->options->allocator, NULL, 0};
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_get(&pool, words * ((size_t)degree + 3), sizeof *residue);
  uint64_t *word = residue + words * ((size_t)degree + 1);
  const int whole = passes == 1 && bits < 62.99 && permi_lanes(plan->frontier->arrays->isa) >= 4;
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  int q, k;
  memset(&run, 0, sizeof run);
  run.own = PERMI_OF_X86(permi_block_coefficients, plan->frontier->arrays->isa);
  if (!pool.failed && permi_arrays_open(&run, plan->frontier, pencil->watch, plan->seconds)) {
    run.memory += 64; /* the word before the first value is read, and makes no difference */
    permi_primes_choose(prime, (size_t)passes, 0, 50);
    status = PERM_OK;
  }
  for (q = 0; q < passes && status == PERM_OK; q++) {
    const uint64_t p = doubles ? 1 : whole ? 0 : prime[q].p;
    run.again = q > 0;
    run.seconds_before = q * plan->seconds;
    status = permi_coefficients_pass(plan, &run, p);
    if (status == PERM_OK) {
      const uint64_t *x = (const uint64_t *)(void *)permi_array_values(&run, plan->frontier->steps, 0) + 1;
      for (k = 0; k <= degree; k++) {
        double y;
        memcpy(&y, x + k, sizeof y);
        if (doubles)
          doubles[k] = y;
        else
          residue[(size_t)k * (size_t)passes + (size_t)q] = p ? permi_residue_of_double(y, p) : x[k];
      }
    }
  }
  for (k = 0; k <= degree && status == PERM_OK && numbers; k++) {
    if (whole)
      numbers[k] = permi_integer_of((int64_t)residue[k]);
    else
      permi_chinese_integer(prime, residue + (size_t)k * (size_t)passes, passes, word, &numbers[k]);
  }
  pencil->result->terms = run.base.visited;
  pencil->result->threads = run.base.threads;
  pencil->result->isa = plan->frontier->arrays->isa;
  permi_pool_release(&run.base.pool);
  permi_pool_release(&pool);
  return status;
}
/* SPDX-License-Identifier: MIT */
