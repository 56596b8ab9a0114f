/* ==================================================================================== >>coefficients
   Polynomials in >>arrays: K words a state, the coefficients of x^0, x^1, ..; a block has its states' coefficients of
   x^0, then of x^1, .. An entry c + l x adds c times a value and l times one of a power less. Coefficients are modulo
   primes or, of entries >= 0, doubles. With fewer rows than columns these are free (>>reduce). */
#pragma once
#include "../tree/tree_build.h"
#include "points.h"

#define PERMI_COEFFICIENT_DENSE 10       /* order */
#define PERMI_COEFFICIENT_WIDE 14        /* slots: below it tables take longer than values, with more bits than */
#define PERMI_COEFFICIENT_LOW 8
#define PERMI_COEFFICIENT_BYTES 1e6      /* several primes at once take no more */
#define PERMI_COEFFICIENT_SECONDS 1.2e-9 /* a block's coefficient; a block's way; a word of a way's table */
#define PERMI_COEFFICIENT_BLOCK_SECONDS 1.8e-8
#define PERMI_COEFFICIENT_TABLE_SECONDS 4.5e-9

typedef struct permi_coefficients {
  permi_working working;
  permi_block block;
  permi_frontier *frontier;
  const permi_cell *cell; /* two an edge's integer, of C and L; NULL: rook numbers (>>rook) */
  permi_cell *alone;      /* two a row, or NULL: 1 and x */
  int degree, shift[2];   /* entries become c 2^-shift[0], l 2^-shift[1] */
  int turned, bits;       /* turned: columns alone, not rows, weigh x; bits: of primes */
  double most;            /* log2 of a bound on integers; 0: doubles */
  double seconds, roundings, ways; /* of a pass; of a coefficient; terms of all values */
} permi_coefficients;

typedef struct permi_coefficients_run {
  permi_arrays_run base;
  permi_block_kernel kernel[2];   /* second: of moduli above `most` */
  const permi_odd_modulus *prime; /* of a pass, or NULL: doubles */
  int primes, room;               /* room: of a value, for so many primes */
  double most;
} permi_coefficients_run;

/* given: a run's. */
static void permi_coefficients_block(const permi_numbers *given, void *to, size_t count, const permi_origin *origin,
                                     int origins)
{
  const permi_coefficients_run *run =
      (const permi_coefficients_run *)(const void *)((const char *)given - offsetof(permi_arrays_run, numbers));
  permi_origin *way = run->base.origin + (origin - run->base.origin) + origins;
  const size_t room = (size_t)run->room, before = run->base.from / 8 / room, words = run->base.bytes / 8 / room;
  permi_numbers numbers = *given;
  for (int q = 0; q < run->primes; q++) {
    double *y = (double *)to + (size_t)q * words * count, weight = 0;
    const uint64_t p = run->prime ? run->prime[q].p : 0;
    int constants = 0, ways = 0, moves = 0;
    for (int side = 0; side < 2; side++) {
      constants = ways;
      for (int s = 0; s < origins; s++) {
        const int64_t x = origin[s].c->integer[side];
        const double real = !p                              ? (side ? origin[s].c->imaginary : origin[s].c->real)
                            : x < 1 << 30 && x > -(1 << 30) ? (double)x : permi_balanced(permi_residue_of(x, p), p);
        if (real == 0)
          continue;
        way[ways] = origin[s];
        way[ways].x = (const double *)origin[s].x + (size_t)q * before * origin[s].count;
        way[ways++].real = real;
        moves |= origin[s].place != NULL;
        weight += fabs(real);
      }
    }
    const permi_block_kernel kernel = run->kernel[weight > run->most];
    numbers.modulus = p;
    for (size_t k = 0, more; k < words; k += more) { /* without places coefficients follow each other */
      const int first = k < before ? 0 : constants, last = k ? ways : constants;
      more = k && k < before ? (before < words ? before : words) - k : 1;
      numbers.words = moves ? (int)more : 1;
      kernel(&numbers, y + k * count, moves ? count : more * count, way + first, last - first);
      for (int s = first; s < last; s++)
        way[s].x = (const double *)way[s].x + more * way[s].count;
    }
  }
}

/* Sets c and l of a stream. */
static void permi_coefficients_cells(const permi_coefficients *plan, int stream, permi_cell *cell)
{
  const int e = plan->frontier->entry[stream], v = -1 - e, stays = e < 0 && e != INT_MIN;
  const int is_row = stays && v < plan->block.n;
  const permi_cell *from = e >= 0 ? plan->cell : plan->alone;
  const int64_t entry = e >= 0 ? plan->block.integer[e] : v + 1;
  memset(cell, 0, 2 * sizeof *cell);
  if ((e >= 0 || is_row) && from)
    memcpy(cell, from + 2 * (entry - 1), 2 * sizeof *cell);
  else if (e >= 0)
    cell->real = (double)(cell->integer = entry);
  else
    cell[stays && !plan->cell && is_row != plan->turned] = permi_cell_one();
  for (int k = 0; k < 2 && e >= 0; k++)
    cell[k].real = ldexp(cell[k].real, -plan->shift[k]);
}

/* Sets words and coefficients, what a pass takes and loses. mark: of vertices with an L. */
static void permi_coefficients_fill(permi_coefficients *plan, unsigned char *mark)
{
  permi_frontier *frontier = plan->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const double each = permi_residue_seconds[permi_lanes_row(arrays->isa)][0];
  int touched[2] = {0, 0}, words = 1;
  memset(mark, 0, (size_t)plan->block.vertices);
  plan->seconds = plan->roundings = plan->ways = 0;
  for (int p = 0; p <= frontier->steps; p++) {
    const double *cost = frontier->cost + p, states = frontier->states[p];
    int grows = 0;
    frontier->words[p] = frontier->numbers.words = words;
    plan->roundings++;
    if (p > 0) {
      const double streams = frontier->stream_start[p] - frontier->stream_start[p - 1];
      const double blocks = fmin(states, states / 64 + arrays->low), bits = permi_count_ones(arrays->occupied[p]);
      plan->seconds += PERMI_STEP_SECONDS + streams * (blocks * PERMI_COEFFICIENT_BLOCK_SECONDS +
                                                       ldexp(PERMI_COEFFICIENT_TABLE_SECONDS,
                                                             (int)fmin(bits, arrays->low))) +
                       words * ((cost[0] - cost[-1]) * each + blocks * PERMI_COEFFICIENT_SECONDS +
                                (8 * states * words > PERMI_ARRAY_CACHE_BYTES ? 16 * states * PERMI_ARRAY_MISS_SECONDS
                                                                              : 0));
    }
    for (int s = frontier->stream_start[p]; p < frontier->steps && s < frontier->stream_start[p + 1]; s++) {
      permi_coefficient *c = &frontier->coefficient[s];
      permi_cell cell[2];
      const int end[2] = {frontier->sequence[p], frontier->partner[s]};
      permi_coefficients_cells(plan, s, cell);
      plan->roundings += 2;
      plan->ways += 2 * frontier->states[p + 1];
      c->integer[0] = cell[0].integer;
      c->integer[1] = cell[1].integer;
      c->real = cell[0].real;
      c->imaginary = cell[1].real;
      grows |= c->imaginary != 0;
      for (int k = 0; k < 2 && c->imaginary != 0; k++) {
        const int v = end[k], side = v < 0 ? *end < plan->block.n : v >= plan->block.n; /* -1: a line of its own */
        touched[side] += v < 0 || !mark[v];
        mark[v < 0 ? *end : v] = 1;
      }
    }
    words += grows;
    for (int k = 0; k < 2; k++)
      words = words > touched[k] + 1 ? touched[k] + 1 : words;
    words = words > plan->degree + 1 ? plan->degree + 1 : words;
  }
}

/* Sets an order by least degree, of a tree's vertices after those of its parts; returns 0 if there is none. */
static int permi_coefficients_first(const permi_block *block, const perm_allocator *allocator, permi_control *watch,
                                    int *order)
{
  permi_tree like, *tree = NULL;
  permi_tree_graph graph;
  memset(&like, 0, sizeof like);
  like.numbers.words = like.size = 1;
  like.numbers.algebra = PERMI_WORD;
  like.nodes = block->vertices;
  memset(&graph, 0, sizeof graph);
  graph.allocator = allocator;
  graph.watch = watch;
  graph.seed = UINT64_C(88172645463325252);
  if (permi_tree_order(&graph, block, 0, (double)INFINITY) == PERM_OK)
    tree = permi_tree_new(allocator, &like, block->free_lines);
  const int found = tree && permi_tree_build(block, &graph, 0, tree) && watch->stopped == PERM_OK;
  if (found)
    memcpy(order, tree->vertex, (size_t)block->vertices * sizeof *order);
  permi_owned_release(allocator, tree);
  permi_tree_graph_release(&graph);
  return found;
}

/* Of the listed lines. The order has `room`; plan->seconds: INFINITY: none. */
static perm_status permi_coefficients_frontier(permi_coefficients *plan, const perm_options *options,
                                               permi_control *watch, const int *line, const int *counts, int *order)
{
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE,
                                 permi_account_most(options)};
  const permi_exactness exactness = {0, 0, 3, 0};
  const perm_isa isa = permi_isa(options);
  const double bytes = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  const double words = 1 + fmin(plan->degree, fmin(counts[0], counts[1]));
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_budget budget;
  double cost = 0;
  plan->seconds = (double)INFINITY;
  if (!permi_block_create(&plan->working, line, line + counts[0], counts[0], counts[1], &plan->block))
    return PERM_ERROR_MEMORY;
  double *binomial = permi_binomials(&options->allocator, plan->working.n);
  unsigned char *mark = (unsigned char *)permi_pool_get(&pool, (size_t)plan->block.vertices, 1);
  memset(&budget, 0, sizeof budget);
  budget.effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget.most = 0.05 * bytes / words;
  budget.rival = (double)INFINITY;
  budget.each = budget.quick = 0.5 * words * permi_residue_seconds[permi_lanes_row(isa)][0] * fmax(plan->most / 48, 1);
  budget.quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  budget.account = &account;
  int *first = (int *)permi_pool_get(&pool, (size_t)plan->block.vertices, sizeof *first);
  if (first && permi_coefficients_first(&plan->block, &options->allocator, watch, first))
    budget.first[0] = first;
  perm_status status = PERM_ERROR_MEMORY;
  if (!pool.failed && binomial && permi_order(&options->allocator, &plan->block, binomial, &budget, order, &cost))
    status = cost >= PERMI_ORDER_MOST ? PERM_ERROR_LIMIT
                                      : permi_frontier_create(&options->allocator, &plan->block, order, binomial,
                                                              &exactness, watch, &plan->frontier);
  permi_frontier *frontier = plan->frontier;
  if (status == PERM_OK) {
    frontier->words = (int *)permi_pool_get(&frontier->owned.pool, (size_t)frontier->steps + 1, sizeof(int));
    frontier->numbers.algebra = PERMI_WORDS;
    frontier->numbers.parts = 1;
    if (!frontier->words ||
        !permi_arrays_create(&plan->block, frontier, isa == PERM_ISA_CUDA ? perm_isa_best() : isa,
                             frontier->slot_count < PERMI_COEFFICIENT_WIDE ? PERMI_COEFFICIENT_LOW : PERMI_ARRAY_LOW,
                             watch))
      status = PERM_ERROR_MEMORY;
  }
  if (status == PERM_OK && frontier->arrays) {
    const double ways = 2 * permi_frontier_streams_most(frontier);
    for (; 1.25 * ways * (ldexp(1, plan->bits - 1) + 1) > PERMI_ARRAY_RESIDUE_ROOM; plan->bits--)
      ;
    permi_coefficients_fill(plan, mark);
    if (!plan->cell) {
      const double rows = plan->seconds;
      plan->turned = 1;
      permi_coefficients_fill(plan, mark);
      plan->turned = plan->seconds < rows;
      permi_coefficients_fill(plan, mark);
    }
    if (!permi_places_measure(frontier, watch))
      status = PERM_ERROR_MEMORY;
    else if ((options->max_bytes > 0 || options->method == PERM_METHOD_AUTO) &&
             permi_arrays_bytes(frontier->arrays) > bytes)
      plan->seconds = (double)INFINITY;
  }
  permi_release(&options->allocator, binomial);
  permi_pool_release(&pool);
  return watch->stopped != PERM_OK ? watch->stopped : status == PERM_ERROR_LIMIT ? PERM_OK : status;
}

/* Plans a real pencil. plan->seconds: INFINITY: no plan; 0, without a frontier: P is 0. The caller releases the cleared
   plan. */
static perm_status permi_coefficients_plan(permi_pencil *pencil, permi_coefficients *plan)
{
  const int m = permi_matrix_shorter(&pencil->matrix), n = permi_matrix_longer(&pencil->matrix);
  permi_working *working = &plan->working;
  int *line = (int *)permi_pool_get(&pencil->pool, 4 * (size_t)n + 1, sizeof *line), counts[2] = {0, 0}, zero = 0;
  perm_status status = PERM_OK;
  plan->seconds = (double)INFINITY;
  plan->degree = pencil->degree;
  plan->cell = pencil->cell;
  if (!m || pencil->parts == 2 || pencil->options->method == PERM_METHOD_EXACT ||
      (pencil->options->method == PERM_METHOD_AUTO && m > PERMI_COEFFICIENT_DENSE && permi_pencil_is_dense(pencil)))
    return PERM_OK;
  pencil->matrix.kind = PERM_KIND_INTEGER;
  for (size_t e = 0; e < pencil->matrix.nnz; e++)
    pencil->matrix.integer[e] = (int64_t)e + 1;
  if (pencil->pool.failed || !permi_working_create(working, &pencil->options->allocator, n, pencil->matrix.nnz))
    return PERM_ERROR_MEMORY;
  working->watch = pencil->watch;
  working->zeros = m < n;
  working->keep = fmax(pencil->largest[0], pencil->largest[1]) * n >= ldexp(1, 62);
  permi_sparse_fill(&pencil->matrix, 1, pencil->m > pencil->n, working);
  if (m < n)
    status = permi_prepare_free(working, m, 1, 1, &zero);
  else
    zero = !permi_split(working);
  if (zero || status != PERM_OK || pencil->watch->stopped != PERM_OK) {
    plan->seconds = 0;
    return pencil->watch->stopped != PERM_OK ? pencil->watch->stopped : status;
  }
  for (int v = 0; v < 2 * n; v++) {
    line[counts[0] + counts[1]] = v;
    counts[v >= n] += working->degree[v] >= 0;
  }
  if (m < n)
    plan->alone = (permi_cell *)permi_pool_zeros(&pencil->pool, 2 * (size_t)m, sizeof *plan->alone);
  if (pencil->pool.failed)
    return PERM_ERROR_MEMORY;
  for (int v = 0; v < m && m < n; v++) {
    const permi_cell *alone = &working->alone[line[v]];
    for (int i = alone->vertex[1] ? alone->next[0] : -1; i >= 0; i = working->cell[i].next[0])
      for (int k = 0; k < 2; k++) {
        const permi_cell *cell = &pencil->cell[2 * (working->cell[i].integer - 1) + k];
        plan->alone[2 * v + k].integer += cell->integer;
        plan->alone[2 * v + k].real += ldexp(cell->real, -plan->shift[k]);
      }
  }
  return permi_coefficients_frontier(plan, pencil->options, pencil->watch, line, counts, line + 2 * n + 1);
}

static int permi_coefficients_primes(const permi_coefficients *plan, double bits)
{
  return (int)((bits + 1) / (plan->bits - PERMI_ARRAY_RESIDUE_MARGIN)) + 1;
}

/* Modulo `primes` of as many as have room, or in doubles. */
static perm_status permi_coefficients_pass(permi_coefficients_run *run, const permi_odd_modulus *prime, int primes)
{
  const permi_frontier *frontier = run->base.frontier;
  const perm_isa isa = frontier->arrays->isa;
  run->prime = prime;
  run->primes = primes;
  run->most = prime ? PERMI_ARRAY_RESIDUE_ROOM / (0.5 * (double)prime->p + 1) * (1 - 1e-12) : (double)INFINITY;
  run->kernel[0] = prime ? PERMI_OF_X86(permi_block_short, isa) : PERMI_OF_X86(permi_block_double, isa);
  run->kernel[1] = PERMI_OF_X86(permi_block_long, isa);
  permi_layout_fill(run->base.arrays, &run->base.layout[0], 0, 0, 0);
  permi_places_start(run->base.places);
  permi_arrays_shorten(&run->base, 0);
  for (int q = 0; q < primes; q++)
    ((double *)(void *)permi_array_values(&run->base, 0, 0))[q] = 1;
  const perm_status status = permi_runner_go(&run->base.base, 0, frontier->steps, permi_arrays_advance);
  if (status > 0)
    run->base.base.control->stopped = status;
  return status;
}

/* Returns 0 without memory. */
static int permi_coefficients_open(permi_coefficients *plan, int room, permi_control *watch,
                                   permi_coefficients_run *run)
{
  memset(run, 0, sizeof *run);
  run->base.own = permi_coefficients_block;
  run->room = room;
  for (int p = 0; p <= plan->frontier->steps; p++)
    plan->frontier->words[p] *= room;
  return (room == 1 || permi_places_measure(plan->frontier, watch)) &&
         permi_arrays_open(&run->base, plan->frontier, watch, plan->seconds * room);
}

static void permi_coefficients_close(permi_coefficients_run *run, perm_result *result)
{
  result->terms = run->base.base.visited;
  result->threads = run->base.base.threads;
  permi_pool_release(&run->base.base.pool);
}

/* Lowers *bits, below 1000, to log2 of the sum of all coefficients' moduli, or more. */
static perm_status permi_coefficients_lower(permi_coefficients *plan, permi_control *watch, double *bits,
                                            perm_result *result)
{
  permi_frontier *frontier = plan->frontier;
  int *const words = frontier->words;
  permi_coefficients_run run;
  perm_status status = PERM_ERROR_MEMORY;
  frontier->words = (int *)permi_pool_get(&frontier->owned.pool, (size_t)frontier->steps + 1, sizeof(int));
  for (int p = 0; p <= frontier->steps && frontier->words; p++)
    frontier->words[p] = 1;
  for (int s = 0; s < frontier->stream_start[frontier->steps]; s++) {
    permi_coefficient *c = &frontier->coefficient[s];
    c->real = fabs((double)c->integer[0]) + fabs((double)c->integer[1]);
    c->imaginary = 0;
  }
  if (frontier->words && permi_coefficients_open(plan, 1, watch, &run))
    status = permi_coefficients_pass(&run, NULL, 1);
  if (status == PERM_OK) /* fewer than 1e9 roundings */
    *bits = fmax(0, fmin(*bits, log2(*(double *)(void *)permi_arrays_last(&run.base)) + 1e-6));
  if (frontier->words)
    permi_coefficients_close(&run, result);
  frontier->words = words;
  return status;
}

/* Sets integers below 2^bits or, of entries >= 0, doubles. */
static perm_status permi_coefficients_compute(permi_coefficients *plan, permi_control *watch, double bits,
                                              perm_integer *numbers, double *doubles, perm_result *result)
{
  const int primes = doubles ? 1 : permi_coefficients_primes(plan, bits), steps = plan->frontier->steps;
  const int most = (int)fmin(primes, fmax(1, PERMI_COEFFICIENT_BYTES / plan->frontier->arrays->bytes));
  const int passes = (primes + most - 1) / most, room = (primes + passes - 1) / passes;
  const int values = plan->frontier->words[steps];
  const size_t words = (size_t)primes + 1, count = (size_t)plan->degree + 1;
  permi_pool pool = {&watch->options->allocator, NULL, 0};
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_zeros(&pool, words * (count + 2), sizeof *residue);
  permi_coefficients_run run;
  perm_status status = PERM_ERROR_MEMORY;
  if (permi_coefficients_open(plan, room, watch, &run) && !pool.failed) {
    permi_primes_choose(prime, (size_t)primes, 0, plan->bits);
    status = PERM_OK;
  }
  for (int q = 0; q < primes && status == PERM_OK; q += room) {
    const int some = primes - q < room ? primes - q : room;
    run.base.again = q > 0;
    run.base.seconds_before = q * plan->seconds;
    status = permi_coefficients_pass(&run, doubles ? NULL : prime + q, some);
    const double *x = (const double *)(void *)permi_arrays_last(&run.base);
    for (int k = 0; k < some * values && status == PERM_OK; k++) {
      const int which = q + k / values;
      if (doubles)
        doubles[k] = x[k];
      else
        residue[(size_t)(k % values * primes + which)] = permi_residue_of_double(x[k], prime[which].p);
    }
  }
  for (size_t k = 0; k < count && status == PERM_OK && numbers; k++)
    permi_chinese_integer(prime, residue + k * (size_t)primes, primes, residue + count * words, &numbers[k]);
  permi_coefficients_close(&run, result);
  result->isa = plan->frontier->arrays->isa;
  permi_pool_release(&pool);
  return status;
}
/* SPDX-License-Identifier: MIT */
