/* ==================================================================================== >>coefficients
   Polynomials in >>arrays: K words a state, 0, the coefficients of x^0, x^1, ..., at least one 0; an entry c + l x adds
   c times a value and l times the words one place lower. Coefficients are modulo 2^64, modulo primes below 2^50, or, of
   entries >= 0, doubles. */
#pragma once
#include "points.h"

#define PERMI_COEFFICIENT_WAYS 32  /* at once */
#define PERMI_COEFFICIENT_DENSE 10 /* order */

typedef struct permi_coefficients {
  permi_working working;
  permi_block block;
  permi_frontier *frontier;
  double seconds, roundings, ways; /* of a pass; of a coefficient; terms of all values */
} permi_coefficients;

typedef struct permi_coefficients_run {
  permi_arrays_run base;
  permi_rook_kernel kernel;
  double prime; /* 1: 2^64; 0: doubles */
} permi_coefficients_run;

/* whole: modulo 2^64, which needs lanes. */
static permi_rook_kernel permi_rook_kernel_of(perm_isa isa, int whole)
{
#if PERMI_X86
  if (permi_lanes(isa) >= 4)
    return !whole                 ? PERMI_OF_X86(permi_rook_values, isa)
           : permi_lanes(isa) == 4 ? permi_rook_modulo_64_avx2
                                   : permi_rook_modulo_64_avx512;
#endif
  (void)isa;
  return whole ? NULL : permi_rook_values_plain;
}

/* numbers: a run's. */
static void permi_coefficients_block(const permi_numbers *numbers, void *to, size_t count, const permi_origin *origin,
                                     int origins)
{
  const permi_coefficients_run *run =
      (const permi_coefficients_run *)(const void *)((const char *)numbers - offsetof(permi_arrays_run, numbers));
  const size_t words = (size_t)numbers->words;
  const double prime = run->prime, inverse = prime > 0 ? 1 / prime : 0;
  permi_rook_way way[PERMI_COEFFICIENT_WAYS];
  double *y = (double *)to;
  for (size_t k = 0; k < count; k++, y += words) {
    const permi_rook_way again = {y, NULL, 1, 1, 1, 0};
    double terms = 0; /* size of the sum, in units of p / 2 */
    int ways = 0;
    for (int s = 0; s < 2 * origins; s++) {
      const permi_origin *from = &origin[s / 2];
      const size_t place = from->place ? from->place[k] : k;
      const int side = s % 2;
      const double c = side ? from->c->imaginary : from->real;
      const int is_short = prime <= 1 || fabs(c) <= 4, full = prime > 1 && terms + fmin(fabs(c), 2 + 2 * is_short) > 7;
      const permi_rook_way next = {(const double *)from->x + place * words - side, NULL, c,
                                   (uint64_t)from->c->integer[side], is_short, full};
      if (c == 0 || (from->place && place == PERMI_ARRAY_NOWHERE))
        continue;
      if (ways == PERMI_COEFFICIENT_WAYS) {
        run->kernel(prime, inverse, way, ways, y, words);
        way[0] = again;
        ways = 1;
      }
      way[ways++] = next;
      terms = (full ? 1 : terms) + fmin(fabs(c), 2 + 2 * is_short);
    }
    run->kernel(prime, inverse, way, ways, y, words);
    y[0] = 0;
  }
}

/* mark: zeros; of vertices with an L. */
static void permi_coefficients_fill(const permi_pencil *pencil, permi_coefficients *plan, unsigned char *mark)
{
  permi_frontier *frontier = plan->frontier;
  int touched[2] = {0, 0}, p, s, k;
  frontier->numbers.algebra = PERMI_WORDS;
  frontier->numbers.parts = 1;
  for (p = 0; p <= frontier->steps; p++) {
    const int most = touched[0] < touched[1] ? touched[0] : touched[1];
    frontier->words[p] = frontier->numbers.words = ((most < pencil->degree ? most : pencil->degree) + 10) / 8 * 8;
    plan->roundings++;
    for (s = frontier->stream_start[p]; p < frontier->steps && s < frontier->stream_start[p + 1]; s++) {
      permi_coefficient *c = &frontier->coefficient[s];
      plan->roundings += 2;
      plan->ways += 2 * frontier->states[p + 1];
      if (frontier->entry[s] >= 0) {
        const permi_cell *cell = pencil->cell + 2 * (plan->block.integer[frontier->entry[s]] - 1);
        c->integer[0] = cell[0].integer;
        c->integer[1] = cell[1].integer;
        c->real = cell[0].real;
        c->imaginary = cell[1].real;
      }
      for (k = 0; k < 2 && c->imaginary != 0; k++) {
        const int v = k ? frontier->partner[s] : frontier->sequence[p];
        touched[v >= plan->block.n] += !mark[v];
        mark[v] = 1;
      }
    }
    if (p > 0)
      plan->seconds += (frontier->cost[p] - frontier->cost[p - 1]) * PERMI_ROOK_WAY_SECONDS * (frontier->words[p] + 30);
  }
}

static perm_status permi_coefficients_frontier(permi_pencil *pencil, permi_coefficients *plan, int *line,
                                               unsigned char *mark, const double *binomial)
{
  const perm_options *options = pencil->options;
  permi_control *watch = pencil->watch;
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE,
                                 permi_account_most(options)};
  const permi_exactness exactness = {0, 0, 3, 0};
  const int n = pencil->n, words = pencil->degree + 30;
  const perm_isa isa = permi_isa(options);
  permi_budget budget;
  double cost = 0;
  memset(&budget, 0, sizeof budget);
  budget.effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget.most = 0.05 * (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES) / words;
  budget.rival = (double)INFINITY;
  budget.each = budget.quick = PERMI_ROOK_WAY_SECONDS * words;
  budget.quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  budget.account = &account;
  if (!permi_block_create(&plan->working, line, line + n, n, n, &plan->block) ||
      !permi_order(&options->allocator, &plan->block, binomial, &budget, line, &cost))
    return PERM_ERROR_MEMORY;
  if (cost >= PERMI_ORDER_MOST)
    return PERM_OK;
  const perm_status status = permi_frontier_create(&options->allocator, &plan->block, line, binomial, &exactness, watch,
                                                   &plan->frontier);
  if (status != PERM_OK)
    return status == PERM_ERROR_LIMIT ? PERM_OK : status;
  permi_frontier *frontier = plan->frontier;
  frontier->words = (int *)permi_pool_get(&frontier->owned.pool, (size_t)frontier->steps + 1, sizeof(int));
  if (!frontier->words)
    return PERM_ERROR_MEMORY;
  plan->seconds = 0;
  permi_coefficients_fill(pencil, plan, mark);
  if (!permi_arrays_create(&plan->block, frontier, isa == PERM_ISA_CUDA ? perm_isa_best() : isa, watch) ||
      (frontier->arrays && !permi_places_measure(frontier, watch)))
    return PERM_ERROR_MEMORY;
  if (frontier->arrays)
    frontier->arrays->bytes += 64;
  else
    plan->seconds = (double)INFINITY;
  return PERM_OK;
}

/* Plans a square real pencil. plan->seconds: INFINITY: no plan; 0, without a frontier: P is 0. The caller releases the
   cleared plan. */
static perm_status permi_coefficients_plan(permi_pencil *pencil, permi_coefficients *plan)
{
  const perm_allocator *allocator = &pencil->options->allocator;
  const int n = pencil->n;
  int *line = (int *)permi_pool_get(&pencil->pool, 2 * (size_t)n, sizeof *line);
  unsigned char *mark = (unsigned char *)permi_pool_zeros(&pencil->pool, 2 * (size_t)n, 1);
  perm_status status = PERM_ERROR_MEMORY;
  plan->seconds = (double)INFINITY;
  if (pencil->m != n || !n || pencil->parts == 2 || pencil->options->method == PERM_METHOD_EXACT ||
      (pencil->options->method == PERM_METHOD_AUTO && n > PERMI_COEFFICIENT_DENSE && permi_pencil_is_dense(pencil)))
    return PERM_OK;
  pencil->matrix.kind = PERM_KIND_INTEGER;
  for (size_t e = 0; e < pencil->matrix.nnz; e++)
    pencil->matrix.integer[e] = (int64_t)e + 1;
  double *binomial = permi_binomials(allocator, n);
  if (!pencil->pool.failed && binomial && permi_working_create(&plan->working, allocator, n, pencil->matrix.nnz)) {
    plan->working.watch = pencil->watch;
    permi_sparse_fill(&pencil->matrix, 1, 0, &plan->working);
    for (int v = 0; v < 2 * n; v++)
      line[v] = v;
    status = PERM_OK;
    if (permi_split(&plan->working))
      status = permi_coefficients_frontier(pencil, plan, line, mark, binomial);
    else
      plan->seconds = 0;
  }
  permi_release(allocator, binomial);
  return pencil->watch->stopped != PERM_OK ? pencil->watch->stopped : status;
}

/* A pass modulo p; 1: 2^64; 0: doubles. */
static perm_status permi_coefficients_pass(permi_coefficients *plan, permi_coefficients_run *run, uint64_t p)
{
  permi_frontier *frontier = plan->frontier;
  const double one = 1;
  run->prime = (double)p;
  for (int s = 0; s < frontier->stream_start[frontier->steps] && p > 1; s++) {
    permi_coefficient *c = &frontier->coefficient[s];
    c->real = permi_balanced(permi_residue_of(c->integer[0], p), p);
    c->imaginary = permi_balanced(permi_residue_of(c->integer[1], p), p);
  }
  permi_layout_fill(run->base.arrays, &run->base.layout[0], 0, 0, 0);
  permi_places_start(run->base.places);
  permi_arrays_shorten(&run->base, 0);
  double *x = (double *)(void *)permi_array_values(&run->base, 0, 0);
  memset(x, 0, run->base.bytes);
  memcpy(x + 1, p == 1 ? (const void *)&p : (const void *)&one, sizeof one);
  return permi_runner_go(&run->base.base, 0, frontier->steps, permi_arrays_advance);
}

/* 0: words modulo 2^64 will do. */
static int permi_coefficients_primes(const permi_coefficients *plan, double bits)
{
  const int words = plan->frontier && bits < 62.99 && permi_lanes(plan->frontier->arrays->isa) >= 4;
  return words ? 0 : permi_points_primes(bits);
}

/* Sets integers below 2^bits or, of entries >= 0, doubles. */
static perm_status permi_coefficients_compute(permi_pencil *pencil, permi_coefficients *plan, double bits,
                                              perm_integer *numbers, double *doubles)
{
  const int primes = doubles ? 0 : permi_coefficients_primes(plan, bits), passes = primes ? primes : 1;
  const perm_isa isa = plan->frontier->arrays->isa;
  const size_t words = (size_t)passes + 1, count = (size_t)pencil->degree + 1;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pencil->pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_get(&pencil->pool, words * (count + 2), sizeof *residue);
  permi_coefficients_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  run.base.own = permi_coefficients_block;
  run.kernel = permi_rook_kernel_of(isa, !primes && !doubles);
  if (!pencil->pool.failed && permi_arrays_open(&run.base, plan->frontier, pencil->watch, plan->seconds)) {
    run.base.memory += 64; /* the word before the first is read */
    permi_primes_choose(prime, (size_t)passes, 0, 50);
    status = PERM_OK;
  }
  for (int q = 0; q < passes && status == PERM_OK; q++) {
    const uint64_t p = primes ? prime[q].p : !doubles;
    run.base.again = q > 0;
    run.base.seconds_before = q * plan->seconds;
    status = permi_coefficients_pass(plan, &run, p);
    const double *x = (const double *)(void *)permi_array_values(&run.base, plan->frontier->steps, 0) + 1;
    for (size_t k = 0; k < count && status == PERM_OK; k++)
      if (p > 1)
        residue[k * (size_t)passes + (size_t)q] = permi_residue_of_double(x[k], p);
      else
        memcpy(doubles ? (void *)&doubles[k] : (void *)&residue[k], &x[k], sizeof *x);
  }
  for (size_t k = 0; k < count && status == PERM_OK && numbers; k++)
    if (primes)
      permi_chinese_integer(prime, residue + k * (size_t)passes, passes, residue + count * words, &numbers[k]);
    else
      numbers[k] = permi_integer_of((int64_t)residue[k]);
  pencil->result->terms = run.base.base.visited;
  pencil->result->threads = run.base.base.threads;
  pencil->result->isa = isa;
  permi_pool_release(&run.base.base.pool);
  return status;
}
/* SPDX-License-Identifier: MIT */
