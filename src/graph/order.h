/* =========================================================================================================== >>order
   Elimination orders: greedy starts, then annealing, by fixed seeds and predicted work. */
#pragma once
#include "walk.h"

#define PERMI_ORDER_START 1e45
/* Times the rival: slower orders are not annealed, which gains 1.2 to 2x on the best greedy one. */
#define PERMI_ORDER_HOPELESS 1.5
#define PERMI_ORDER_ANNEAL 1024
#define PERMI_ANNEAL_SHORT 0.01 /* heat of milliseconds, */
#define PERMI_ANNEAL_WARM 0.03  /* of more: nothing is found above; */
#define PERMI_ANNEAL_HOT 0.07
#define PERMI_ANNEAL_COLD 0.001
#define PERMI_ANNEAL_ANYWHERE 4 /* one move in these */
#define PERMI_ANNEAL_MOST 8e8
#define PERMI_ANNEAL_FEW 3e4    /* units that gain nothing */
#define PERMI_ANNEAL_BRIEF 2.5e6
#define PERMI_ANNEAL_ROUNDS 1e7 /* fewer are spent at once (17 graphs) */
#define PERMI_ANNEAL_BEGIN 16   /* of the units */
#define PERMI_ANNEAL_PAYS 6     /* chosen: gain of a round over its time, for a longer one */
#define PERMI_ANNEAL_GAIN 3     /* seen up to 8 */
#define PERMI_ANNEAL_FALL 1.5

/* The walk before each position. A move walks those that its permutation changes, until it costs too much. */
typedef struct permi_positions {
  uint64_t *sets; /* gone rows, columns, touched rows, columns */
  int *counts;    /* touched rows, columns, gone rows, columns */
  double *states, *cost;
} permi_positions;

typedef struct permi_anneal {
  const permi_block *block;
  const double *binomial;
  const permi_budget *budget;
  uint64_t *adjacent;
  permi_positions now, trial;
  int words, *order, *candidate, *best;
  double units, told;
} permi_anneal;

/* Units of a position, and an open entry, measured on orders 34 to 446. */
#define PERMI_ANNEAL_UNITS(words) (11 + 1.5 * (words))
#define PERMI_ANNEAL_ENTRY_UNITS(words) (3 + 0.5 * (words))
#define PERMI_ANNEAL_MOVE_UNITS 110
#define PERMI_ANNEAL_TAKEN_UNITS 40
#define PERMI_ANNEAL_COPY_UNITS(words) (3.0 * (words))
#define PERMI_ANNEAL_SHIFT_UNITS 0.4

static PERMI_ALWAYS_INLINE void permi_anneal_step(permi_anneal *a, int p, int v)
{
  const int n = a->block->n, side = v >= n, other = 1 - side, i = v - side * n, words = a->words, size = 4 * words;
  const permi_positions *trial = &a->trial;
  const uint64_t *from = trial->sets + (size_t)p * (size_t)size, *own = a->adjacent + (size_t)v * (size_t)words;
  const uint64_t *others = a->adjacent + (size_t)(other * n) * (size_t)words;
  uint64_t *to = trial->sets + (size_t)(p + 1) * (size_t)size;
  uint64_t *gone = to + side * words, *gone_other = to + other * words, *touched = to + (2 + side) * words;
  uint64_t *touched_other = to + (2 + other) * words;
  const int *count = trial->counts + 4 * (size_t)p;
  int *next = trial->counts + 4 * (size_t)(p + 1);
  int w, j, left = 0, dead = 0, fresh = 0;
  a->units += PERMI_ANNEAL_UNITS(words);
  for (w = 0; w < size; w++)
    to[w] = from[w];
  for (w = 0; w < 4; w++)
    next[w] = count[w];
  trial->states[p + 1] = trial->states[p];
  trial->cost[p + 1] = trial->cost[p];
  if (gone[i >> 6] >> (i & 63) & 1)
    return;
  gone[i >> 6] |= UINT64_C(1) << (i & 63);
  next[side] -= (int)(touched[i >> 6] >> (i & 63) & 1);
  touched[i >> 6] &= ~(UINT64_C(1) << (i & 63));
  for (w = 0; w < words; w++) {
    const uint64_t here = own[w] & ~gone_other[w], was = touched_other[w];
    uint64_t bits, going = 0;
    for (bits = here; bits; bits &= bits - 1) { /* no branch: half would be guessed wrong */
      const int k = permi_trailing_zeros(bits);
      const uint64_t *adjacent = others + (size_t)(64 * w + k) * (size_t)words;
      uint64_t alive = 0;
      for (j = 0; j < words; j++)
        alive |= adjacent[j] & ~gone[j];
      left++;
      dead += alive == 0;
      fresh += (alive != 0) - (int)(was >> k & 1);
      going |= (uint64_t)(alive == 0) << k;
    }
    touched_other[w] = (was | here) & ~going;
    gone_other[w] |= going;
  }
  a->units += PERMI_ANNEAL_ENTRY_UNITS(words) * left;
  next[other] += fresh;
  next[2 + side]++;
  next[2 + other] += dead;
  trial->states[p + 1] = permi_order_price(permi_order_states(a->block, a->binomial, next, next + 2), a->budget->most);
  trial->cost[p + 1] += 0.25 * trial->states[p] + permi_order_work(a->block, trial->states[p + 1], left, dead);
}

static void permi_anneal_copy(const permi_anneal *a, permi_positions *to, const permi_positions *from, int first,
                              int last)
{
  const size_t size = 4 * (size_t)a->words, at = (size_t)first, count = (size_t)(last - first);
  memcpy(to->sets + at * size, from->sets + at * size, count * size * sizeof *to->sets);
  memcpy(to->counts + 4 * at, from->counts + 4 * at, 4 * count * sizeof *to->counts);
  memcpy(to->states + at, from->states + at, count * sizeof *to->states);
  memcpy(to->cost + at, from->cost + at, count * sizeof *to->cost);
}

static int permi_anneal_walk(permi_anneal *a, const int *order, int from, int to, double after, double limit)
{
  int p;
  for (p = from; p < to; p++) {
    permi_anneal_step(a, p, order[p]);
    if (a->trial.cost[p + 1] + after > limit)
      break;
  }
  return p;
}

static int permi_anneal_watch(permi_anneal *a)
{
  const double units = a->units - a->told;
  a->told = a->units;
  return permi_watch(a->budget->account->watch, units);
}

/* Returns the cost of a->best. A better order deserves less time. */
#define PERMI_ANNEAL_STEPS 2048
static double permi_anneal_run(permi_anneal *a, double hot, double units, uint64_t *seed)
{
  int length = a->block->vertices, p, words = a->words;
  double best, total, heat = hot, end = a->units + units, step = units / PERMI_ANNEAL_STEPS;
  const double cooling = pow(PERMI_ANNEAL_COLD / hot, 1.0 / PERMI_ANNEAL_STEPS);
  permi_positions *now = &a->now, *trial = &a->trial;
  double cooler = a->units + step;
  memset(trial->sets, 0, 4 * (size_t)words * sizeof *trial->sets);
  memset(trial->counts, 0, 4 * sizeof *trial->counts);
  trial->states[0] = 1;
  trial->cost[0] = 0;
  permi_anneal_walk(a, a->order, 0, length, 0, (double)INFINITY);
  permi_anneal_copy(a, now, trial, 0, length + 1);
  memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
  best = total = now->cost[length];
  while (a->units < end) {
    int span = 1 + permi_order_below(seed, permi_order_below(seed, 8) ? (length < 12 ? length - 1 : 11) : length - 1);
    int low = 0, high = length, most = length - span, first, last, kind, k, *candidate = a->candidate;
    const int *order = a->order;
    if (permi_order_below(seed, PERMI_ANNEAL_ANYWHERE) == 0) {
      first = permi_order_below(seed, most);
    } else { /* draws a position by its cost */
      const double at = permi_order_random(seed) * now->cost[length];
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(now->cost[middle] <= at ? &low : &high) = middle;
      }
      first = low - permi_order_below(seed, span + 1);
      first = first < 0 ? 0 : first < most ? first : most - 1;
    }
    last = first + span;
    kind = permi_order_below(seed, 4);
    const double chance = permi_order_random(seed);
    const double after = now->cost[length] - now->cost[last + 1];
    a->units += PERMI_ANNEAL_MOVE_UNITS;
    for (; a->units > cooler; cooler += step)
      heat *= cooling;
    if (a->units > a->told + PERMI_WATCH_UNITS && permi_anneal_watch(a))
      break;
    /* exp(-(new - old) / (heat old)) > chance; log2 is linear between powers, equal on every machine */
    const double mantissa = frexp(chance + 1e-9, &k);
    const double limit = total * (1 + heat * (2 - 2 * mantissa - k));
    for (k = first; k <= last; k++) /* reversed, turned, or its ends swapped */
      candidate[k] = order[kind == 1   ? first + last - k
                           : kind == 2 ? (k < last ? k + 1 : first)
                           : kind == 3 ? (k > first ? k - 1 : last)
                           : k == first ? last : k == last ? first : k];
    permi_anneal_copy(a, trial, now, first, first + 1);
    if (permi_anneal_walk(a, candidate, first, last + 1, after, limit) <= last)
      continue;
    total = trial->cost[last + 1] + after;
    const double shift = trial->cost[last + 1] - now->cost[last + 1];
    a->units += PERMI_ANNEAL_TAKEN_UNITS + PERMI_ANNEAL_COPY_UNITS(words) * (span + 1) +
                PERMI_ANNEAL_SHIFT_UNITS * (length - last);
    permi_anneal_copy(a, now, trial, first + 1, last + 2);
    memcpy(a->order + first, candidate + first, (size_t)(span + 1) * sizeof *candidate);
    for (p = last + 2; shift != 0 && p <= length; p++)
      now->cost[p] += shift;
    if (total < best * (1 - 1e-9)) {
      best = total;
      memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
      permi_anneal_watch(a);
      const double left = fmax(permi_budget_left(a->budget, best), 0);
      if (end - a->units > left) {
        step *= left / (end - a->units);
        end = a->units + left;
        cooler = fmin(cooler, a->units + step);
      }
    }
  }
  permi_anneal_watch(a);
  return best;
}

static double permi_order_seconds(const permi_block *block, double cost)
{
  return cost * PERMI_STATE_SECONDS + block->vertices * (block->free_lines ? 3 : 1) * PERMI_STEP_SECONDS;
}

/* Returns the units that an order is worth. Costs fall as units^-0.16 (17 graphs). */
static double permi_anneal_units(double cost, const permi_budget *budget)
{
  const double alone = permi_budget_seconds(budget, cost), rival = budget->rival, seconds = fmin(alone, rival);
  if (!(cost < 1e300) || alone > PERMI_ORDER_HOPELESS * rival || alone > PERMI_ORDER_FORGET_SECONDS)
    return 0;
  const double units =
      1e9 * fmin(1, PERMI_ANNEAL_GAIN * rival / alone) *
      fmax(PERMI_ANNEAL_SHARE * seconds,
           fmin(PERMI_ANNEAL_SHARE * fmin(alone - permi_budget_seconds(budget, 0), rival), PERMI_ANNEAL_LEAST));
  return fmin(units, PERMI_ANNEAL_MOST) * (budget->effort < 1 ? budget->effort : 1);
}

static int permi_positions_get(permi_pool *pool, size_t count, size_t words, permi_positions *positions)
{
  positions->sets = (uint64_t *)permi_pool_get(pool, count * 4 * words, sizeof(uint64_t));
  positions->counts = (int *)permi_pool_get(pool, count * 4, sizeof(int));
  positions->states = (double *)permi_pool_get(pool, count, sizeof(double));
  positions->cost = (double *)permi_pool_get(pool, count, sizeof(double));
  return !pool->failed;
}

static int permi_anneal_create(permi_pool *pool, const permi_block *block, const double *binomial,
                               const permi_budget *budget, permi_anneal *a)
{
  const size_t n = (size_t)block->n, vertices = (size_t)block->vertices;
  const size_t words = ((n > vertices - n ? n : vertices - n) + 63) / 64;
  memset(a, 0, sizeof *a);
  a->block = block;
  a->binomial = binomial;
  a->budget = budget;
  a->words = (int)words;
  a->adjacent = (uint64_t *)permi_pool_zeros(pool, vertices * words, sizeof(uint64_t));
  if (!permi_positions_get(pool, vertices + 1, words, &a->now) ||
      !permi_positions_get(pool, vertices + 1, words, &a->trial) ||
      !permi_pool_ints(pool, &a->order, vertices, &a->candidate, vertices, &a->best, vertices, (int **)NULL))
    return 0;
  for (int v = 0; v < block->vertices; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      int k = block->neighbour[e] - (v < block->n ? block->n : 0);
      a->adjacent[(size_t)v * words + (size_t)(k >> 6)] |= UINT64_C(1) << (k & 63);
    }
  return 1;
}

typedef struct permi_orders {
  const permi_block *block;
  const double *binomial;
  const permi_budget *given;
  permi_budget budget; /* with the price of arrays for narrow orders */
  permi_greedy greedy;
  uint64_t seed;
  int *order, *trial, *best[3];
  double cost, least[3];
} permi_orders;

static void permi_orders_take(permi_orders *search, const int *order, double cost)
{
  if (!(cost < search->cost))
    return;
  search->cost = cost;
  memcpy(search->order, order, (size_t)search->block->vertices * sizeof *order);
  search->budget.quick =
      search->greedy.walk.widest > search->given->quick_width ? search->given->each : search->given->quick;
}

static void permi_orders_anneal(permi_orders *search, permi_anneal *anneal, const int *from, double hot, double units)
{
  const size_t bytes = (size_t)search->block->vertices * sizeof *from;
  memcpy(anneal->order, from, bytes);
  const double annealed = permi_anneal_run(anneal, hot, units, &search->seed);
  if (annealed < search->cost) {
    search->cost = annealed;
    memcpy(search->order, anneal->best, bytes);
  }
}

/* Returns 1 if, with a rival, the best order has over `times` the states that fit. */
static int permi_orders_beyond(permi_orders *search, double times)
{
  const permi_budget *budget = &search->budget;
  if (budget->rival == (double)INFINITY)
    return 0;
  permi_order_cost(search->block, search->binomial, &search->greedy.walk, budget, search->order);
  return search->greedy.walk.peak > times * budget->most;
}

/* Anneals in rounds that double, as slower cooling helps, while they pay and orders fit. */
static void permi_orders_rounds(permi_orders *search, permi_anneal *anneal, double begin)
{
  const permi_budget *budget = &search->budget;
  const permi_control *watch = budget->account->watch;
  int pays = 0;
  permi_orders_anneal(search, anneal, search->order, PERMI_ANNEAL_HOT,
                      permi_anneal_units(search->cost, budget) / PERMI_ANNEAL_BEGIN);
  if (permi_orders_beyond(search, PERMI_ANNEAL_GAIN))
    return;
  for (double spent = 0, round; (spent < budget->effort || pays) && watch->stopped == PERM_OK; spent += round) {
    const double before = search->cost, worked = watch->worked;
    int ran = 0;
    round = spent > 1 ? spent : 1;
    if (!pays)
      round = fmin(round, budget->effort < 1 ? 1 : ceil(budget->effort - spent));
    for (int k = 0; k < 4 && watch->stopped == PERM_OK; k++) {
      const double left = permi_budget_left(budget, search->cost / (k < 3 ? PERMI_ANNEAL_FALL : PERMI_ANNEAL_GAIN));
      const double units = fmin(round * permi_anneal_units(search->cost, budget), left);
      if (units < 6 * PERMI_ANNEAL_FEW)
        continue;
      ran = 1;
      if (k == 3)
        permi_orders_anneal(search, anneal, search->order, PERMI_ANNEAL_WARM, units / 2);
      else if (search->least[k] < (double)INFINITY)
        permi_orders_anneal(search, anneal, search->best[k], PERMI_ANNEAL_HOT, units / 6);
    }
    if (permi_orders_beyond(search, PERMI_ANNEAL_FALL))
      return;
    pays = ran && budget->effort >= 1 &&
           (1e9 * (permi_budget_seconds(budget, before) - permi_budget_seconds(budget, search->cost)) >
                PERMI_ANNEAL_PAYS * (watch->worked - worked) ||
            permi_budget_left(budget, search->cost) > watch->worked - begin);
  }
}

/* cost: INFINITY if hopeless. Returns 0 without memory. */
static int permi_order(const perm_allocator *allocator, const permi_block *block, const double *binomial,
                       const permi_budget *given, int *order, double *cost)
{
  const double begin = given->account->watch->worked;
  const size_t vertices = (size_t)block->vertices;
  const int rounds = block->n > 2000 || given->effort == 0 ? 1 : block->n < 8 ? 2 : PERMI_GREEDY_STARTS;
  permi_pool room = {allocator, NULL, 0};
  int *numbers = (int *)permi_pool_get(&room, 4 * vertices, sizeof(int)), kind, round, pays = 1, ok;
  double most = PERMI_ORDER_START, units, made;
  permi_orders search;
  permi_anneal anneal;
  search.block = block;
  search.binomial = binomial;
  search.given = given;
  search.budget = *given;
  search.seed = UINT64_C(88172645463325252);
  search.order = order;
  search.cost = *cost = (double)INFINITY;
  if (!permi_greedy_create(&room, block, &search.greedy)) {
    permi_pool_release(&room);
    return 0;
  }
  for (kind = 0; kind < 3; kind++) {
    search.best[kind] = numbers + (size_t)kind * vertices;
    search.least[kind] = (double)INFINITY;
  }
  search.trial = numbers + 3 * vertices;
  if (block->n > PERM_MAX_N) /* small ones may be priced too hopefully */
    most = fmin(most, 7 * PERMI_ORDER_HOPELESS * given->rival / given->quick);
  for (round = 0; round < 2; round++)
    if (given->first[round])
      permi_orders_take(&search, given->first[round],
                        permi_order_cost(block, binomial, &search.greedy.walk, &search.budget, given->first[round]));
  for (round = given->first[1] != NULL; round < rounds; round++)
    for (kind = 0; kind < 3 && pays; kind++) {
      const int early = round < PERMI_GREEDY_TRIED;
      const double limit = fmin(early ? search.least[kind] : search.cost, most);
      if (search.least[kind] < (double)INFINITY &&
          search.least[kind] > (early ? PERMI_GREEDY_FAR : PERMI_GREEDY_BEHIND) *
                                   fmin(search.least[0], fmin(search.least[1], search.least[2])))
        continue;
      search.greedy.kind = kind;
      search.greedy.by_chance = round % 2;
      made = permi_order_greedy(block, binomial, &search.greedy, &search.seed, &search.budget, limit, search.trial);
      if (made < search.least[kind]) {
        search.least[kind] = made;
        memcpy(search.best[kind], search.trial, vertices * sizeof *order);
      }
      permi_orders_take(&search, search.trial, made);
      pays = permi_greedy_pays(&search.budget, begin, search.cost, round < 2) || (round == 0 && block->free_lines);
    }
  units = fmin(permi_anneal_units(search.cost, &search.budget), permi_budget_left(&search.budget, search.cost));
  ok = !(units >= PERMI_ANNEAL_FEW) || block->n > PERMI_ORDER_ANNEAL || block->n < 3;
  if (!ok) {
    ok = permi_anneal_create(&room, block, binomial, &search.budget, &anneal);
    if (ok && units < PERMI_ANNEAL_ROUNDS)
      permi_orders_anneal(&search, &anneal, order, units < PERMI_ANNEAL_BRIEF ? PERMI_ANNEAL_SHORT : PERMI_ANNEAL_WARM,
                          units);
    else if (ok)
      permi_orders_rounds(&search, &anneal, begin);
  }
  *cost = search.cost;
  permi_pool_release(&room);
  return ok;
}
/* SPDX-License-Identifier: MIT */
