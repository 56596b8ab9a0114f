/* ============================================================================================================ >>walk
   Blocks, and walks along elimination orders of their vertices. Eliminating a vertex touches its neighbours; one
   without neighbours goes by itself. The frontier is touched, not eliminated: a rows, b columns. With d more columns
   than rows eliminated it has at most sum_i C(a, i) C(b, i - d) = C(a + b, a - d) states, of i rows and i - d columns
   matched; where vertices may stay unmatched those for a range of d. A step costs (states after it) (1 + neighbours
   left / 2) + states before / 4, measured on real matrices. Of equal vertices greedy orders take the one with
   neighbours nearest to leaving, every other round any (docs/engines.md). */
#pragma once
#include "../base/prices.h"
#include "../dense/kernels.h"
#include "../matrix/matrix.h"

#define PERMI_ORDER_WIDTH 512
#define PERMI_ORDER_MOST 1e60

typedef struct permi_block {
  int n, edges, vertices;        /* n: rows, and columns but with free lines */
  int free_lines, alones, zeros; /* 1: vertices, `alones` rows, may stay unmatched (permi_block_alone); also by 0 */
  int additions;                 /* roundings that these values bring into a product, at most */
  int rounded;                   /* an entry is not a given one times a power of two */
  int *start, *neighbour, *edge; /* neighbours ascend */
  double *real, *absolute, *imaginary;  /* NULL unless used */
  int64_t *integer, *imaginary_integer;
  permi_pool pool; /* of these */
} permi_block;

/* Returns where the factor of an unmatched v, a row's or 1, stands behind the values of edges. */
static int permi_block_alone(const permi_block *block, int v)
{
  return block->edges + (v < block->n ? v : block->n);
}

static int permi_block_values(const permi_block *block)
{
  return block->edges + (block->free_lines ? block->n + 1 : 0);
}

static int permi_block_stays(const permi_block *block, int v)
{
  const int e = permi_block_alone(block, v);
  return block->free_lines &&
         (block->zeros ||
          (block->integer ? block->integer[e] || (block->imaginary_integer && block->imaginary_integer[e])
                          : block->absolute[e] != 0));
}

static double permi_order_random(uint64_t *seed)
{
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (double)((*seed * UINT64_C(2685821657736338717)) >> 11) * (1.0 / 9007199254740992.0);
}

static int permi_order_below(uint64_t *seed, int limit)
{
  return (int)(permi_order_random(seed) * limit);
}

/* Returns C(t, k) at t (t + 1) / 2 + k, for t up to 2 n. */
static double *permi_binomials(const perm_allocator *allocator, int n)
{
  const size_t most = n < PERMI_ORDER_WIDTH / 2 ? 2 * (size_t)n : PERMI_ORDER_WIDTH;
  double *c = (double *)permi_allocate(allocator, (most + 1) * (most + 2) / 2, sizeof *c);
  for (size_t t = 0; c && t <= most; t++)
    for (size_t k = 0; k <= t; k++) {
      const double *above = c + t * (t - 1) / 2;
      c[t * (t + 1) / 2 + k] = k == 0 || k == t ? 1 : fmin(above[k - 1] + above[k], PERMI_ORDER_MOST);
    }
  return c;
}

/* Sets the least and the most ones (>>arrays) of states that lead to the permanent. */
static void permi_order_ones(const permi_block *block, const int *width, const int *gone, int *least, int *most)
{
  const int ones = width[0] + gone[0] - gone[1], t = width[0] + width[1], alones = block->alones;
  const int rows = block->n - gone[0], later = block->vertices - 2 * block->n + (rows < alones ? rows : alones);
  *least = ones - (gone[0] < alones ? gone[0] : alones);
  *least = *least < 0 ? 0 : *least;
  *most = ones + (gone[1] < later ? gone[1] : later);
  *most = *most > t ? t : *most;
}

/* Returns a bound; `width` and `gone` count rows and columns touched, eliminated. */
static PERMI_ALWAYS_INLINE double permi_order_states(const permi_block *block, const double *binomial,
                                                     const int *width, const int *gone)
{
  int t = width[0] + width[1], k = width[0] - (gone[1] - gone[0]), most;
  double states = 0;
  if (t > PERMI_ORDER_WIDTH)
    return PERMI_ORDER_MOST * t;
  binomial += t * (t + 1) / 2;
  if (!block->free_lines)
    return k < 0 || k > t ? 1 : binomial[k];
  for (permi_order_ones(block, width, gone, &k, &most); k <= most; k++)
    states += binomial[k];
  return fmax(states, 1);
}

/* Returns a step's transitions. With free lines `gone` neighbours go in further steps. */
static PERMI_ALWAYS_INLINE double permi_order_work(const permi_block *block, double states, int left, int gone)
{
  return states * (block->free_lines ? ldexp(4.5 + 0.5 * left, gone) - 2.5 : 1 + 0.5 * left);
}

/* Planning may take PERMI_PLAN_SHARE of the predicted run, or PERMI_PLAN_SECONDS, in units of permi_watch. */
typedef struct permi_account {
  permi_control *watch;
  double begin, run;   /* run: of planned blocks */
  double least, floor; /* always granted; for all blocks */
  double share, most;  /* most: under a time limit */
} permi_account;

/* Returns the most that max_seconds allows, a power of 2: runs, ranks and escalations plan alike. Jobs in pieces keep a
   plan under other limits. */
static double permi_account_most(const perm_options *options)
{
  int log2_most;
  if (options->max_seconds == 0 || permi_in_pieces(options))
    return (double)INFINITY;
  (void)frexp(PERMI_PLAN_SHARE * options->max_seconds, &log2_most);
  return ldexp(0.5, log2_most);
}

static double permi_account_left(const permi_account *account, double seconds)
{
  return 1e9 * fmax(fmin(account->share * (account->run + seconds), account->most), account->least) -
         (account->watch->worked - account->begin);
}

/* Returns what an engine may use; PERMI_PLAN_REST is left for later ones. */
static double permi_account_free(const permi_account *account, double seconds)
{
  return permi_account_left(account, seconds) - 1e9 * PERMI_PLAN_REST * account->floor;
}

typedef struct permi_budget {
  double effort;
  double most; /* states in memory; more cost PERMI_ORDER_BEYOND times as much */
  double each, start;        /* predicted seconds: of a unit, fixed */
  double quick, quick_start; /* of arrays, */
  int quick_width;           /* up to this width */
  double rival;
  double reserve; /* units that a better rival needs */
  const int *first[2]; /* orders to begin with, or NULL */
  const permi_account *account;
} permi_budget;
#define PERMI_ORDER_BEYOND 16

static double permi_budget_seconds(const permi_budget *budget, double cost)
{
  return budget->start + fmin(cost * budget->each, cost * budget->quick + budget->quick_start);
}

static double permi_budget_left(const permi_budget *budget, double cost)
{
  const double seconds = permi_budget_seconds(budget, cost);
  return permi_account_free(budget->account, fmin(seconds, budget->rival)) -
         (seconds > budget->rival ? budget->reserve : 0);
}

static double permi_order_price(double states, double most)
{
  return states > most ? states + PERMI_ORDER_BEYOND * (states - most) : states;
}

typedef struct permi_walk {
  int *open;
  unsigned char *state; /* 0 untouched, 1 in the frontier, 2 gone */
  int *frontier, *place, width[2], eliminated[2], widest;
  double peak; /* states of the largest step */
} permi_walk;

static void permi_walk_start(const permi_block *block, permi_walk *walk)
{
  for (int v = 0; v < block->vertices; v++)
    walk->open[v] = block->start[v + 1] - block->start[v];
  memset(walk->state, 0, (size_t)block->vertices);
  walk->width[0] = walk->width[1] = walk->eliminated[0] = walk->eliminated[1] = walk->widest = 0;
}

static void permi_walk_leave(const permi_block *block, permi_walk *walk, int v)
{
  int side = v >= block->n;
  if (walk->state[v] == 1) {
    int last = walk->frontier[walk->width[0] + walk->width[1] - 1];
    walk->frontier[walk->place[v]] = last;
    walk->place[last] = walk->place[v];
    walk->width[side]--;
  }
  walk->state[v] = 2;
  walk->eliminated[side]++;
}

static void permi_walk_touch(permi_walk *walk, int t, int side)
{
  walk->state[t] = 1;
  walk->place[t] = walk->width[0] + walk->width[1];
  walk->frontier[walk->place[t]] = t;
  walk->width[side]++;
}

static void permi_walk_step(const permi_block *block, permi_walk *walk, int v)
{
  int e, other = v < block->n;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    int t = block->neighbour[e];
    walk->open[t]--;
    if (walk->state[t] == 2)
      continue;
    if (walk->open[t] == 0)
      permi_walk_leave(block, walk, t);
    else if (walk->state[t] == 0)
      permi_walk_touch(walk, t, other);
  }
}

static int permi_walk_gone(const permi_walk *walk)
{
  return walk->eliminated[0] + walk->eliminated[1];
}

static double permi_order_cost(const permi_block *block, const double *binomial, permi_walk *walk,
                               const permi_budget *budget, const int *order)
{
  double cost = 0, states = 1;
  permi_walk_start(block, walk);
  walk->peak = 1;
  for (int p = 0; p < block->vertices && !permi_watch_step(budget->account->watch, (size_t)p, 100); p++) {
    const int v = order[p], open = walk->open[v], before = permi_walk_gone(walk);
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    cost += states / 4;
    states = permi_order_states(block, binomial, walk->width, walk->eliminated);
    walk->peak = fmax(walk->peak, states);
    states = permi_order_price(states, budget->most);
    cost += permi_order_work(block, states, open, permi_walk_gone(walk) - before - 1);
    if (walk->width[0] + walk->width[1] > walk->widest)
      walk->widest = walk->width[0] + walk->width[1];
  }
  return budget->account->watch->stopped == PERM_OK && walk->widest <= PERMI_ORDER_WIDTH ? cost : (double)INFINITY;
}

#define PERMI_GREEDY_LOOK 64     /* of a hub, listed at a time */
#define PERMI_GREEDY_HOPELESS 10 /* times the rival: further orders gained up to 10x over three */
#define PERMI_GREEDY_PART 0.5    /* of the units; the rest anneals */
#define PERMI_GREEDY_STARTS 100  /* chosen: rounds of three orders */
#define PERMI_GREEDY_FAR 32      /* times the best: a kind is left after one round, */
#define PERMI_GREEDY_TRIED 3     /* later */
#define PERMI_GREEDY_BEHIND 4

/* Candidates, the touched and their neighbours, know what eliminating them does. A step an entry, a look at
   candidates a vertex. */
typedef struct permi_greedy {
  permi_walk walk;
  int kind, by_chance; /* kind: rows (0), columns (1), both (2) */
  int *growth;   /* of the frontier, by elimination */
  int *nearness; /* sum of 1 / (entries left) of its neighbours */
  int *next;     /* neighbour of a touched vertex to list */
  int *list, listed;
  unsigned char *mark; /* 1 listed, 2 in the order */
  double units;
} permi_greedy;

#define PERMI_GREEDY_NEAR 16 /* entries left, at most */
static const short permi_greedy_near[PERMI_GREEDY_NEAR] = {0,   5040, 2520, 1680, 1260, 1008, 840, 720,
                                                           630, 560,  504,  458,  420,  388,  360, 336};

static int permi_greedy_near_of(int open)
{
  return permi_greedy_near[open < PERMI_GREEDY_NEAR ? open - (open > 0) : PERMI_GREEDY_NEAR - 1];
}

static int permi_greedy_create(permi_pool *pool, const permi_block *block, permi_greedy *greedy)
{
  const size_t vertices = (size_t)block->vertices;
  permi_walk *walk = &greedy->walk;
  walk->state = (unsigned char *)permi_pool_get(pool, 2 * vertices, 1);
  greedy->mark = walk->state ? walk->state + vertices : NULL;
  return permi_pool_ints(pool, &walk->open, vertices, &walk->frontier, vertices, &walk->place, vertices,
                         &greedy->growth, vertices, &greedy->nearness, vertices, &greedy->next, vertices,
                         &greedy->list, vertices, (int **)NULL);
}

static void permi_greedy_start(const permi_block *block, permi_greedy *greedy, permi_control *watch)
{
  const permi_walk *walk = &greedy->walk;
  permi_walk_start(block, &greedy->walk);
  greedy->listed = 0;
  for (int v = 0; v < block->vertices && !permi_watch_step(watch, (size_t)v, 10); v++) {
    int nearness = 0, growth = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int open = walk->open[block->neighbour[e]];
      growth += open > 1;
      nearness += permi_greedy_near_of(open);
    }
    greedy->growth[v] = growth;
    greedy->nearness[v] = nearness;
    greedy->next[v] = block->start[v] - 1;
    greedy->mark[v] = 0;
  }
  greedy->units = 2.0 * block->edges;
}

static void permi_greedy_list(const permi_block *block, permi_greedy *greedy, int u)
{
  const int end = block->start[u + 1], first = greedy->listed;
  int e;
  for (e = greedy->next[u]; e < end && greedy->listed - first <= PERMI_GREEDY_LOOK; e++) {
    const int v = e < block->start[u] ? u : block->neighbour[e];
    if (greedy->mark[v] || greedy->walk.state[v] == 2 || (greedy->kind < 2 && (v >= block->n) != greedy->kind))
      continue;
    greedy->mark[v] = 1;
    greedy->list[greedy->listed++] = v;
  }
  greedy->units += 2.0 * (e - greedy->next[u]);
  greedy->next[u] = e;
}

static void permi_greedy_step(const permi_block *block, permi_greedy *greedy, int v)
{
  permi_walk *walk = &greedy->walk;
  const int growth = (walk->open[v] == 1) - (walk->state[v] == 0), nearness = permi_greedy_near_of(walk->open[v]);
  int e, k;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e], gone = walk->state[t] == 2, touched = walk->state[t] == 0;
    greedy->growth[t] += growth;
    greedy->nearness[t] -= nearness;
    if (gone)
      continue;
    const int open = --walk->open[t];
    if (open == 0) {
      permi_walk_leave(block, walk, t);
      continue;
    }
    const int less = touched + (open == 1);
    const int nearer = permi_greedy_near_of(open) - permi_greedy_near_of(open + 1);
    if (less || nearer) {
      for (k = block->start[t]; k < block->start[t + 1]; k++) {
        greedy->growth[block->neighbour[k]] -= less;
        greedy->nearness[block->neighbour[k]] += nearer;
      }
      greedy->units += 1.5 * (k - block->start[t]);
    }
    if (touched) {
      greedy->growth[t]--;
      permi_walk_touch(walk, t, t >= block->n);
      permi_greedy_list(block, greedy, t);
    }
  }
  greedy->units += 60 + 8.0 * (e - block->start[v]);
}

/* Returns the candidate that leaves the smallest frontier. */
static int permi_greedy_best(const permi_block *block, permi_greedy *greedy, uint64_t *seed)
{
  const permi_walk *walk = &greedy->walk;
  for (;;) {
    int best = -1, growth = INT_MAX, nearness = 0, ties = 0, kept = 0, i;
    for (i = 0; i < greedy->listed; i++) {
      const int v = greedy->list[i], grows = greedy->growth[v], comes = greedy->by_chance ? 0 : greedy->nearness[v];
      if (walk->state[v] == 2)
        continue;
      greedy->list[kept++] = v;
      if (grows > growth || (grows == growth && comes < nearness))
        continue;
      ties = grows == growth && comes == nearness ? ties + 1 : 1;
      growth = grows;
      nearness = comes;
      if (permi_order_below(seed, ties) == 0)
        best = v;
    }
    greedy->units += 3.0 * i;
    greedy->listed = kept;
    if (best >= 0 && (walk->state[best] == 0 || greedy->next[best] == block->start[best + 1]))
      return best;
    if (best >= 0) /* does not list more neighbours of the hub */
      permi_greedy_list(block, greedy, best);
    for (i = 0; best < 0 && i < walk->width[0] + walk->width[1]; i++)
      permi_greedy_list(block, greedy, walk->frontier[i]);
  }
}

static int permi_greedy_begin(const permi_block *block, permi_greedy *greedy, int length, uint64_t *seed)
{
  const int n = block->n, columns = block->vertices - n, kind = greedy->kind;
  int v = length ? kind == 1 && columns ? n : 0 : permi_order_below(seed, n);
  if (length == 0 && columns && (kind == 1 || (kind == 2 && permi_order_below(seed, 2))))
    v = n + v % columns;
  while (greedy->walk.state[v]) /* of a connected block length is 0 */
    v = v + 1 < block->vertices ? v + 1 : 0;
  return v;
}

/* The cost is INFINITY over `limit` or if stopped. */
static double permi_order_greedy(const permi_block *block, const double *binomial, permi_greedy *greedy, uint64_t *seed,
                                 const permi_budget *budget, double limit, int *order)
{
  permi_walk *walk = &greedy->walk;
  const int vertices = block->vertices;
  int length = 0, v;
  double cost = 0, states = 1, units;
  permi_greedy_start(block, greedy, budget->account->watch);
  while (permi_walk_gone(walk) < vertices && cost <= limit) {
    const int width = walk->width[0] + walk->width[1], before = permi_walk_gone(walk);
    units = greedy->units;
    greedy->units = 0;
    if (permi_watch(budget->account->watch, units))
      break;
    walk->widest = width > walk->widest ? width : walk->widest;
    if (width > PERMI_ORDER_WIDTH)
      return (double)INFINITY;
    v = width ? permi_greedy_best(block, greedy, seed) : permi_greedy_begin(block, greedy, length, seed);
    const int open = walk->open[v];
    permi_greedy_step(block, greedy, v);
    greedy->mark[v] = 2;
    order[length++] = v;
    cost += states / 4;
    states = permi_order_price(permi_order_states(block, binomial, walk->width, walk->eliminated), budget->most);
    cost += permi_order_work(block, states, open, permi_walk_gone(walk) - before - 1);
  }
  if (cost > limit || permi_walk_gone(walk) < vertices)
    return (double)INFINITY;
  for (v = 0; v < vertices; v++)
    if (greedy->mark[v] != 2)
      order[length++] = v;
  return cost;
}

/* Returns 1 if another order is worth its time (docs/engines.md). */
static int permi_greedy_pays(const permi_budget *budget, double begin, double cost, int first)
{
  const double seconds = permi_budget_seconds(budget, cost), spent = budget->account->watch->worked - begin;
  const double share = seconds < budget->rival ? PERMI_GREEDY_SHARE : PERMI_GREEDY_SHARE / 12;
  if (!(cost < 1e300))
    return spent < 1e9 * share * budget->rival;
  return (first || seconds < PERMI_GREEDY_HOPELESS * budget->rival) &&
         spent < 1e9 * (first ? fmax(share, 3 * PERMI_GREEDY_SHARE / 12) : share) * fmin(seconds, budget->rival) &&
         ((first && budget->rival == (double)INFINITY) ||
          spent < PERMI_GREEDY_PART * (permi_budget_left(budget, cost) + spent));
}
/* SPDX-License-Identifier: MIT */
