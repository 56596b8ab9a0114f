/* ========================================================================================================== >>greedy
   Greedy elimination orders. Their costs differ by factors of 2 to 1000, so many are made before one is annealed: for
   runs from 20 ms on, 50 orders gain more than as much annealing (15 graphs). Ties go to the vertex whose neighbours
   are nearest to leaving, which gains up to 7x on regular graphs and k-trees; in every other round to any vertex, which
   is better on power laws. */
#pragma once
#include "walk.h"

#define PERMI_GREEDY_LOOK 64     /* neighbours of a hub, listed at a time */
#define PERMI_GREEDY_HOPELESS 10 /* times the rival: no further order, which gained up to 10x over three */
#define PERMI_GREEDY_PART 0.5    /* of the units; the rest anneals */
#define PERMI_GREEDY_STARTS 100  /* chosen: rounds of three orders */
#define PERMI_GREEDY_FAR 32      /* times the best: the kind is left after one round, */
#define PERMI_GREEDY_TRIED 3     /* after these rounds */
#define PERMI_GREEDY_BEHIND 4    /* at this */

/* A walk whose candidates, the touched and their neighbours, know what eliminating them does. An order costs a step for
   each entry and a look at the candidates for each vertex. */
typedef struct permi_greedy {
  permi_walk walk;
  int kind;      /* candidates: rows (0), columns (1), both (2) */
  int by_chance; /* ties go to any */
  int *growth;   /* of the frontier, by eliminating a vertex */
  int *nearness; /* sum of 1 / (entries left) of its neighbours */
  int *next;     /* first neighbour of a touched vertex not listed yet */
  int *list, listed;
  unsigned char *mark; /* 1 listed, 2 in the order */
  double units;
} permi_greedy;

#define PERMI_GREEDY_NEAR 16 /* entries left; more count as these */
static const short permi_greedy_near[PERMI_GREEDY_NEAR] = {0,   5040, 2520, 1680, 1260, 1008, 840, 720,
                                                           630, 560,  504,  458,  420,  388,  360, 336};

static int permi_greedy_near_of(int open)
{
  return permi_greedy_near[open < PERMI_GREEDY_NEAR ? open - 1 : PERMI_GREEDY_NEAR - 1];
}

static int permi_greedy_create(permi_pool *pool, const permi_block *block, permi_greedy *greedy)
{
  const size_t vertices = (size_t)block->vertices;
  int *numbers = (int *)permi_pool_get(pool, 7 * vertices, sizeof(int));
  greedy->walk.state = (unsigned char *)permi_pool_get(pool, 2 * vertices, 1);
  if (pool->failed)
    return 0;
  greedy->mark = greedy->walk.state + vertices;
  greedy->walk.open = numbers;
  greedy->walk.frontier = numbers + vertices;
  greedy->walk.place = numbers + 2 * vertices;
  greedy->growth = numbers + 3 * vertices;
  greedy->nearness = numbers + 4 * vertices;
  greedy->next = numbers + 5 * vertices;
  greedy->list = numbers + 6 * vertices;
  return 1;
}

static void permi_greedy_start(const permi_block *block, permi_greedy *greedy, permi_control *watch)
{
  const permi_walk *walk = &greedy->walk;
  int v, e;
  permi_walk_start(block, &greedy->walk);
  greedy->listed = 0;
  for (v = 0; v < block->vertices && !permi_watch_step(watch, (size_t)v, 10); v++) {
    int nearness = 0, growth = 0;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
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

/* Lists a touched vertex and its neighbours, only some of a hub. */
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

/* Eliminates v. */
static void permi_greedy_step(const permi_block *block, permi_greedy *greedy, int v)
{
  permi_walk *walk = &greedy->walk;
  const int growth = (walk->open[v] == 1) - (walk->state[v] == 0), nearness = permi_greedy_near_of(walk->open[v]);
  int e, k;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e], gone = walk->state[t] == 2, touched = walk->state[t] == 0;
    int open, less, nearer;
    greedy->growth[t] += growth;
    greedy->nearness[t] -= nearness;
    if (gone)
      continue;
    open = --walk->open[t]; /* an entry less */
    if (open == 0) {
      permi_walk_leave(block, walk, t);
      continue;
    }
    less = touched + (open == 1);
    nearer = permi_greedy_near_of(open) - permi_greedy_near_of(open + 1);
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

/* Returns the listed vertex that leaves the smallest frontier; ties as by_chance says. */
static int permi_greedy_scan(permi_greedy *greedy, uint64_t *seed)
{
  int best = -1, growth = INT_MAX, nearness = 0, ties = 0, kept = 0, i;
  for (i = 0; i < greedy->listed; i++) {
    const int v = greedy->list[i], grows = greedy->growth[v], comes = greedy->by_chance ? 0 : greedy->nearness[v];
    if (greedy->walk.state[v] == 2)
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
  return best;
}

/* Returns the candidate to eliminate. Neighbours of hubs are listed by and by. */
static int permi_greedy_best(const permi_block *block, permi_greedy *greedy, uint64_t *seed)
{
  const permi_walk *walk = &greedy->walk;
  int best, i;
  for (;;) {
    best = permi_greedy_scan(greedy, seed);
    if (best >= 0 && (walk->state[best] == 0 || greedy->next[best] == block->start[best + 1]))
      return best;
    if (best >= 0) /* before other neighbours of the hub */
      permi_greedy_list(block, greedy, best);
    for (i = 0; best < 0 && i < walk->width[0] + walk->width[1]; i++)
      permi_greedy_list(block, greedy, walk->frontier[i]);
  }
}

/* Returns where an order begins, or goes on after a component. */
static int permi_greedy_begin(const permi_block *block, permi_greedy *greedy, int length, uint64_t *seed)
{
  permi_walk *walk = &greedy->walk;
  const int n = block->n, kind = greedy->kind;
  int v;
  if (length == 0) {
    v = permi_order_below(seed, n);
    if (kind == 1 || (kind == 2 && permi_order_below(seed, 2)))
      v = n + (block->vertices == 2 * n ? v : v % (block->vertices - n));
    return v;
  }
  for (v = walk->unseen[kind == 1]; walk->state[v]; v++)
    ;
  walk->unseen[kind == 1] = v + 1;
  return v;
}

/* Writes an order, returns its cost. INFINITY: over `limit`, or stopped. */
static double permi_order_greedy(const permi_block *block, const double *binomial, permi_greedy *greedy, uint64_t *seed,
                                 const permi_budget *budget, double limit, int *order)
{
  permi_walk *walk = &greedy->walk;
  const int vertices = block->vertices;
  int length = 0, v;
  double cost = 0, states = 1, units;
  permi_greedy_start(block, greedy, budget->account->watch);
  while (walk->eliminated[0] + walk->eliminated[1] < vertices && cost <= limit) {
    const int width = walk->width[0] + walk->width[1];
    int open;
    units = greedy->units;
    greedy->units = 0;
    if (permi_watch(budget->account->watch, units))
      break;
    walk->widest = width > walk->widest ? width : walk->widest;
    if (width > PERMI_ORDER_WIDTH)
      return (double)INFINITY;
    v = width ? permi_greedy_best(block, greedy, seed) : permi_greedy_begin(block, greedy, length, seed);
    open = walk->open[v];
    permi_greedy_step(block, greedy, v);
    greedy->mark[v] = 2;
    order[length++] = v;
    cost += states / 4;
    states = permi_order_price(permi_walk_states(binomial, walk), budget->most);
    cost += states * (1 + 0.5 * open);
  }
  if (cost > limit || walk->eliminated[0] + walk->eliminated[1] < vertices)
    return (double)INFINITY;
  for (v = 0; v < vertices; v++)
    if (greedy->mark[v] != 2)
      order[length++] = v;
  return cost;
}

/* Says if another order is worth its time. First ones tell little: others are up to 1000 times as quick. */
static int permi_greedy_pays(const permi_budget *budget, double begin, double cost, int first)
{
  const double seconds = permi_budget_seconds(budget, cost), spent = budget->account->watch->worked - begin;
  const double share = seconds < budget->rival ? PERMI_GREEDY_SHARE : PERMI_GREEDY_BEHIND_SHARE;
  if (!(cost < 1e300))
    return spent < 1e9 * share * budget->rival;
  return (first || seconds < PERMI_GREEDY_HOPELESS * budget->rival) &&
         spent < 1e9 * (first ? fmax(share, 3 * PERMI_GREEDY_BEHIND_SHARE) : share) * fmin(seconds, budget->rival) &&
         ((first && budget->rival == (double)INFINITY) ||
          spent < PERMI_GREEDY_PART * (permi_budget_left(budget, cost) + spent));
}
/* SPDX-License-Identifier: MIT */
