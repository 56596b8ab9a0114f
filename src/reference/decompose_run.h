/* ================================================================================== >>decompose_run
   Walks the branches of >>decompose, predicts them and offers. */
#pragma once
#include "decompose.h"

/* Seconds of a node alone: er:26:0.18 takes 2.9 us; others are within a factor of 2 at orders 16 to 40. */
static double permi_decompose_seconds(const permi_decompose *plan, int n)
{
  const int parts = plan->numbers.parts;
  const double cell = plan->words ? 1 + 0.6 * plan->words * plan->words * parts * parts : (double)parts;
  return n <= PERMI_DECOMPOSE_SMALL ? 1e-6 : (1.3 + 0.13 * n + 0.054 * n * cell) * 1e-6;
}

static double permi_decompose_subsets_seconds(const permi_decompose *plan, int n)
{
  const int length = plan->words * plan->numbers.parts;
  const double cell = plan->numbers.parts == 1 && plan->words <= 1 ? 1 : 8 + length * length;
  return ldexp(n * 2.2e-9 * cell, n);
}

static int permi_decompose_most(const permi_decompose *plan) /* fewer subsets of large cells */
{
  return plan->size <= 4 ? PERMI_DECOMPOSE_SUBSETS : PERMI_DECOMPOSE_SMALL;
}

typedef enum permi_outcome {
  PERMI_NODE_ZERO,
  PERMI_NODE_DONE,
  PERMI_NODE_SUBSETS,
  PERMI_NODE_BLOCKS,
  PERMI_NODE_BRANCH
} permi_outcome;

static permi_outcome permi_decompose_reduce(permi_decomposing *run, permi_piece *piece, uint64_t *result,
                                            int *additions)
{
  permi_decompose_level *level = run->level;
  for (;;) {
    const int degree = permi_piece_least(piece, &level->side, &level->line), side = level->side, line = level->line;
    const int order = permi_count_ones(piece->live[0]);
    int dead;
    if (order == 0)
      return PERMI_NODE_DONE;
    if (degree == 0)
      return PERMI_NODE_ZERO;
    if (degree == 1) {
      const int partner = permi_trailing_zeros(piece->mask[side][line]);
      if (result)
        permi_decompose_combine(run, result, result, permi_piece_at(run->plan, piece, side, line, partner), NULL, NULL);
      permi_piece_remove(piece, side, line);
      permi_piece_remove(piece, 1 - side, partner);
    } else if (degree == 2) {
      permi_piece_merge(run, piece, side, line);
      ++*additions;
    } else if (order <= PERMI_DECOMPOSE_SMALL || (degree > 4 && order <= permi_decompose_most(run->plan))) {
      return PERMI_NODE_SUBSETS;
    } else {
      level->count = permi_piece_split(piece, level->rows, level->columns, &dead);
      if (level->count != 1)
        return level->count ? PERMI_NODE_BLOCKS : PERMI_NODE_ZERO;
      if (!dead)
        return PERMI_NODE_BRANCH;
    }
  }
}

static uint64_t *permi_decompose_past(uint64_t *room, size_t words)
{
  return room ? room + words : NULL;
}

static int permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result,
                                uint64_t *room);

/* Permanent of a piece below a node: 0 for another thread's unit, the unit's stored result in the second pass. Returns
   the additions. */
static int permi_decompose_below(permi_decomposing *run, permi_piece *piece, int subsets, uint64_t *value,
                                 uint64_t *room)
{
  const permi_decompose *plan = run->plan;
  permi_branching *shared = run->shared;
  const permi_pass pass = run->pass;
  const int unit = pass != PERMI_PASS_WHOLE && run->ways >= shared->search.enough ? run->unit++ : -1;
  const double nodes = run->nodes, operations = run->operations;
  int additions, order;
  if (unit >= 0) {
    if (pass == PERMI_PASS_DRAW && unit != run->ticket) {
      permi_decompose_set(plan, value, 0);
      return 0;
    }
    if (pass == PERMI_PASS_TAKE && unit < shared->room) {
      memcpy(value, shared->cell + (size_t)unit * plan->size, plan->size * sizeof *value);
      run->nodes += shared->branch[unit].nodes;
      run->operations += shared->branch[unit].operations;
      return shared->branch[unit].additions;
    }
    run->pass = PERMI_PASS_WHOLE;
  }
  if (subsets) {
    order = permi_count_ones(piece->live[0]);
    run->work += run->weight * permi_decompose_subsets_seconds(plan, order);
    permi_piece_subsets(run, piece, value);
    additions = order * (order - 1) / 2;
  } else {
    run->level++;
    additions = permi_decompose_node(run, piece, value, room);
    run->level--;
  }
  run->pass = pass;
  if (unit >= 0 && pass == PERMI_PASS_DRAW) {
    const uint64_t ticket = permi_search_ticket(&shared->search);
    memcpy(shared->cell + (size_t)unit * plan->size, value, plan->size * sizeof *value);
    shared->branch[unit].additions = additions;
    shared->branch[unit].nodes = run->nodes - nodes;
    shared->branch[unit].operations = run->operations - operations;
    run->ticket = ticket < (uint64_t)shared->room ? (int)ticket : -1;
  }
  return additions;
}

/* Permanent of the piece; returns the additions of THE BOUND. A probe follows one branch, which counts for all. */
static int permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result,
                                uint64_t *room)
{
  const permi_decompose *plan = run->plan;
  permi_decompose_level *level = run->level;
  permi_piece *child = &level->child;
  uint64_t *value = room, *sum = permi_decompose_past(room, plan->size);
  const double ways = run->ways;
  int additions = 0, deeper = 0, most = 0, below, k, first = 0, end;
  permi_outcome outcome;
  room = permi_decompose_past(room, 2 * plan->size);
  run->nodes += run->weight;
  run->work += run->weight * permi_decompose_seconds(plan, piece->n);
  permi_decompose_set(plan, result, 1);
  if (result && run->status == PERM_OK && ((uint64_t)run->nodes & 1023) == 0 && run->shared)
    run->status = permi_search_poll(&run->shared->search, run->thread, run->work * run->threads, "decompose");
  if (run->status != PERM_OK)
    return 0;
  outcome = permi_decompose_reduce(run, piece, result, &additions);
  switch (outcome) {
  case PERMI_NODE_ZERO: permi_decompose_set(plan, result, 0); return additions;
  case PERMI_NODE_DONE: return additions;
  case PERMI_NODE_SUBSETS:
    run->ways = (double)INFINITY;
    additions += permi_decompose_below(run, piece, 1, value, room);
    run->ways = ways;
    permi_decompose_combine(run, result, result, value, NULL, NULL);
    return additions;
  case PERMI_NODE_BLOCKS:
    for (k = 0; k < level->count; k++)
      most = permi_count_ones(level->rows[k]) > most ? permi_count_ones(level->rows[k]) : most;
    break;
  case PERMI_NODE_BRANCH:
    level->count = permi_piece_pairs(piece, level->side, level->line, level->rows);
    permi_decompose_set(plan, sum, 0);
    break;
  }
  end = level->count;
  if (!result) {
    first = (int)(permi_order_random(&run->seed) * level->count);
    end = first + 1;
    run->weight *= level->count;
  }
  for (k = first; k < end; k++) {
    if (outcome == PERMI_NODE_BLOCKS) {
      permi_piece_copy(plan, piece, level->rows[k], level->columns[k], child, room);
      run->ways = ldexp(ways, (most - child->n) / 4);
    } else {
      permi_piece_line(piece, level->side, level->line, level->rows[k]);
      permi_piece_copy(plan, piece, piece->live[0], piece->live[1], child, room);
      run->ways = ways * level->count;
    }
    below = permi_decompose_below(run, child, 0, value,
                                  permi_decompose_past(room, (size_t)child->n * (size_t)child->n * plan->size));
    if (outcome == PERMI_NODE_BLOCKS) {
      additions += below;
      permi_decompose_combine(run, result, result, value, NULL, NULL);
    } else {
      deeper = below > deeper ? below : deeper;
      if (sum)
        permi_values_add(&plan->numbers, &run->one, sum, value, 1);
    }
  }
  run->ways = ways;
  if (outcome == PERMI_NODE_BLOCKS)
    return additions;
  permi_decompose_combine(run, result, result, sum, NULL, NULL);
  return additions + deeper + level->count - 1;
}

static size_t permi_decompose_levels(const permi_decompose *plan)
{
  return (size_t)plan->n + 2;
}

/* A thread's words: the whole, a piece of each lesser order, two numbers each; 8 keep threads' lines of cache apart. */
static size_t permi_decompose_arena(const permi_decompose *plan)
{
  const size_t n = (size_t)plan->n, cells = n * (n + 1) * (2 * n + 1) / 6 + n * n + 3 * n + 8;
  return (cells + 2 + ((size_t)1 << permi_decompose_most(plan))) * plan->size +
         permi_decompose_levels(plan) * (sizeof(permi_decompose_level) / sizeof(uint64_t)) + 8;
}

static int permi_decompose_walk(permi_decomposing *run, uint64_t *arena)
{
  const permi_decompose *plan = run->plan;
  const size_t size = plan->size, cells = (size_t)plan->n * (size_t)plan->n;
  permi_piece piece = permi_piece_whole(plan);
  run->weight = run->ways = 1;
  run->one = permi_coefficient_one();
  run->level = (permi_decompose_level *)(void *)arena;
  run->spare = (uint64_t *)(void *)(run->level + permi_decompose_levels(plan));
  run->result = run->spare + size;
  run->subsets = run->result + size;
  piece.cell = run->subsets + (size << permi_decompose_most(plan));
  memcpy(piece.cell, plan->cell, cells * size * sizeof *arena);
  return permi_decompose_node(run, &piece, run->result, piece.cell + cells * size);
}

static perm_status permi_decompose_draw(void *context, uint64_t me, int thread)
{
  permi_branching *shared = (permi_branching *)context;
  const uint64_t ticket = permi_search_ticket(&shared->search);
  permi_decomposing run;
  memset(&run, 0, sizeof run);
  run.plan = shared->plan;
  run.shared = shared;
  run.thread = thread;
  run.pass = PERMI_PASS_DRAW;
  run.ticket = ticket < (uint64_t)shared->room ? (int)ticket : -1;
  run.threads = shared->search.threads;
  permi_decompose_walk(&run, shared->arena + (size_t)me * permi_decompose_arena(shared->plan));
  if (thread == 0)
    shared->work = run.work * run.threads;
  return run.status;
}

static void permi_decompose_fit(const permi_leaf *leaf, permi_branching *shared)
{
  const permi_decompose *plan = shared->plan;
  const perm_options *options = shared->search.control->options;
  const double bytes = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DECOMPOSE_BYTES;
  const double left = fmax(0, bytes - leaf->information.bytes), arena_bytes = 8.0 * (double)permi_decompose_arena(plan);
  const double unit_bytes = 8.0 * (double)plan->size + (double)sizeof *shared->branch;
  const int threads = (int)fmin(shared->search.threads, 1 + left / (arena_bytes + PERMI_SEARCH_UNITS * unit_bytes));
  const double units = floor((left - (threads - 1) * arena_bytes) / unit_bytes);
  permi_search_share(&shared->search, leaf, threads);
  shared->search.enough = fmin(fmin(shared->search.enough, PERMI_DECOMPOSE_UNITS), units);
  shared->room = (int)fmin(PERMI_DECOMPOSE_ROOM * shared->search.enough, units);
}

static perm_status permi_decompose_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  permi_pool pool = {&plan->owned.allocator, NULL, 0};
  permi_decomposing run;
  permi_branching shared;
  size_t threads;
  int additions = 0;
  memset(&shared, 0, sizeof shared);
  shared.plan = plan;
  shared.search = permi_search_begin(leaf, control);
  if (shared.search.threads > 1)
    permi_decompose_fit(leaf, &shared);
  threads = (size_t)shared.search.threads;
  memset(&run, 0, sizeof run);
  run.plan = plan;
  run.shared = &shared;
  run.threads = 1;
  shared.arena = (uint64_t *)permi_pool_get(&pool, threads, permi_decompose_arena(plan) * sizeof *shared.arena);
  if (threads > 1) {
    shared.branch = (permi_branch *)permi_pool_get(&pool, (size_t)shared.room, sizeof *shared.branch);
    shared.cell = (uint64_t *)permi_pool_get(&pool, (size_t)shared.room, plan->size * sizeof *shared.cell);
  }
  run.status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (run.status == PERM_OK && threads > 1) {
    run.status = permi_share((int)threads, 0, threads, permi_decompose_draw, &shared, NULL);
    run.work = shared.work;
    run.pass = PERMI_PASS_TAKE;
  }
  if (run.status == PERM_OK)
    additions = permi_decompose_walk(&run, shared.arena);
  if (run.status == PERM_OK) {
    permi_value_sum(&plan->numbers, run.result, partial);
    partial->terms += run.nodes;
  }
  if (run.status == PERM_OK && !plan->words) {
    const double absolute = ((const double *)(const void *)run.result)[plan->size - 1];
    const int excess = additions - PERMI_DECOMPOSE_ADDITIONS * plan->n;
    partial->lost += 2 * (8 * (run.operations + run.nodes) * DBL_MIN * plan->growth + plan->lost_error);
    if (excess > 0) /* more than the plan's bound covers; g (1 + g) < 2 g */
      partial->lost += 2 * permi_gamma(excess) * absolute;
  }
  permi_pool_release(&pool);
  return run.status;
}

static size_t permi_decompose_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  return permi_say(buffer, size,
                   "decompose, order %d: about %.3g branches of %s, predicted %.3g s, %.3g bytes\n", plan->n,
                   plan->nodes, plan->words ? "integers" : "doubles with moduli",
                   leaf->information.seconds, leaf->information.bytes);
}

#define PERMI_DECOMPOSE_LEAST 8 /* probes */
static double permi_decompose_probe_units(int n)
{
  return 0.5 * n * n * n;
}

/* Knuth's estimate of the tree, by random descents [Knu75]. 0: out of memory. */
static int permi_decompose_predict(const perm_allocator *allocator, permi_decompose *plan, double rival,
                                   permi_control *watch)
{
  const int least = PERMI_DECOMPOSE_LEAST, probes = rival < 0.1 ? least : PERMI_DECOMPOSE_PROBES;
  permi_decomposing run;
  int probe;
  memset(&run, 0, sizeof run);
  run.plan = plan;
  run.level = (permi_decompose_level *)permi_allocate(allocator, permi_decompose_levels(plan), sizeof *run.level);
  run.seed = UINT64_C(0x9e3779b97f4a7c15);
  if (!run.level)
    return 0;
  for (probe = 0; probe < probes && !permi_watch(watch, permi_decompose_probe_units(plan->n)); probe++) {
    permi_piece piece = permi_piece_whole(plan);
    if (run.work > (probe < least ? 1000 : 2) * rival * probes)
      break;
    run.weight = 1;
    permi_decompose_node(&run, &piece, NULL, NULL);
  }
  plan->nodes = run.nodes / fmax(probe, 1);
  plan->seconds = run.work / fmax(probe, 1);
  permi_release(allocator, run.level);
  return 1;
}

static perm_status permi_decompose_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_precision precision = maker->options->precision;
  const permi_working *working = maker->working;
  const int n = block->n;
  const size_t cells = (size_t)n * (size_t)n;
  permi_decompose *plan;
  uint64_t *one;
  int i, e;
  if (n > PERMI_DECOMPOSE_ORDER)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method decompose, which takes orders up to %d",
                        PERMI_DECOMPOSE_ORDER);
  if (!block->integer && precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is asked for in more than double precision");
  if (rival < 20e-9 * PERMI_DECOMPOSE_LEAST * permi_decompose_probe_units(n))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is done before branches are counted");
  plan = (permi_decompose *)permi_owned_new(allocator, sizeof *plan);
  offer->plan = plan;
  if (!plan)
    return permi_fail_memory(maker->result);
  plan->n = n;
  if (!permi_numbers_choose(&plan->numbers, block, 0, 0))
    return permi_refuse_long(offer);
  if (plan->numbers.algebra == PERMI_MAGNITUDES)
    plan->numbers.algebra = PERMI_SIGNED;
  if (plan->numbers.algebra == PERMI_WIDE)
    plan->numbers.algebra = PERMI_WORDS; /* factors have two words */
  plan->words = block->integer ? plan->numbers.words : 0;
  plan->size = permi_numbers_words(&plan->numbers);
  plan->cell = (uint64_t *)permi_pool_zeros(&plan->owned.pool, cells + 1, plan->size * sizeof *plan->cell);
  if (!plan->cell)
    return permi_fail_memory(maker->result);
  one = plan->cell + cells * plan->size;
  permi_value_one(&plan->numbers, one);
  plan->growth = 1;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      plan->row[i] |= UINT64_C(1) << j;
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], &plan->numbers);
      permi_values_add(&plan->numbers, &c, plan->cell + (size_t)(i * n + j) * plan->size, one, 1);
      sum += block->integer ? 0 : block->absolute[block->edge[e]];
    }
    plan->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
  }
  plan->entry_roundings = permi_entry_roundings(working, working->n);
  plan->lost_error = working->lost_error;
  if (!permi_decompose_predict(allocator, plan, rival, maker->watch))
    return permi_fail_memory(maker->result);
  offer->seconds = plan->seconds;
  offer->bytes = 8.0 * (double)(cells * plan->size + permi_decompose_arena(plan));
  return PERM_OK;
}

static perm_status permi_decompose_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                        permi_leaf *leaf)
{
  permi_decompose *plan = (permi_decompose *)offer->plan;
  const double n = plan->n, products = plan->numbers.parts == 2 ? 3 : 1;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)plan->n), (uint64_t)plan->words);
  uint64_t word;
  size_t k;
  (void)maker;
  (void)block;
  for (k = 0; k < (size_t)plan->n * (size_t)plan->n * plan->size; k++) {
    memcpy(&word, &plan->cell[k], sizeof word);
    hash = permi_hash(hash, word);
  }
  leaf->information.work = plan->nodes;
  leaf->information.fingerprint = hash;
  leaf->run_task = permi_decompose_run;
  leaf->explain = permi_decompose_explain;
  leaf->threaded = offer->seconds >= PERMI_DECOMPOSE_THREADED;
  leaf->integer = plan->words != 0;
  if (!leaf->integer) {
    leaf->bound_relative = permi_entry_bound(plan->entry_roundings + (products + PERMI_DECOMPOSE_ADDITIONS) * n);
    leaf->estimate_relative = 4 * PERMI_UNIT * sqrt(plan->entry_roundings + (products + 1) * n);
  }
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
