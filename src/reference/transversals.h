/* =================================================================================== >>transversals
   Enumerates perfect matchings M, for blocks that have few: per A = sum over M of the product of a_ij over (i, j) in M.
   Goes depth first, at the free vertex with the fewest choices. Products are double-doubles or long integers.

   Symbols    here
     M        the edges `at` of the levels
     a_ij     coefficient[edge[e]], e among the neighbours of a vertex

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g). */
#pragma once
#include "ways.h"

#define PERMI_TRANSVERSALS_SAFE_EXP2 -896  /* products above 2^this have the counted error: 1e-270 */
#define PERMI_TRANSVERSALS_SECONDS 1e-7    /* a choice, and */
#define PERMI_TRANSVERSALS_VERTEX 2e-9     /* a vertex looked at */

typedef struct permi_transversals {
  permi_owned owned;
  permi_numbers numbers;
  size_t size;
  int n;
  int *start, *neighbour, *edge;
  permi_coefficient *coefficient;
  double choices;
} permi_transversals;

typedef struct permi_matching_walk {
  const permi_transversals *all;
  permi_ways *ways;
  int *degree, *gone;                /* free neighbours of a vertex; whether it is matched */
  int *vertex, *left, *at, *matched; /* of a level: ways left, the edge, whether it is taken */
  char *product, *sum;
} permi_matching_walk;

static size_t permi_matching_bytes(const permi_transversals *all)
{
  const size_t n = (size_t)all->n;
  return (8 * n + 4) * sizeof(int) + (n + 2) * all->size + 16;
}

/* Takes vertex v out of the graph (step -1) or back (1). */
static void permi_matching_move(permi_matching_walk *walk, int v, int step)
{
  const permi_transversals *all = walk->all;
  int e;
  walk->gone[v] = step < 0;
  for (e = all->start[v]; e < all->start[v + 1]; e++)
    walk->degree[all->neighbour[e]] += step;
}

/* Moves level k on to its next edge with a free neighbour. */
static void permi_matching_next(permi_matching_walk *walk, int k)
{
  do
    walk->at[k]++;
  while (walk->gone[walk->all->neighbour[walk->at[k]]]);
}

static void permi_matching_level(permi_matching_walk *walk, int k)
{
  const permi_transversals *all = walk->all;
  int best = -1, first = 0, last = 0, v;
  for (v = 0; v < 2 * all->n && (best < 0 || walk->degree[best] > 1); v++)
    if (!walk->gone[v] && (best < 0 || walk->degree[v] < walk->degree[best]))
      best = v;
  if (walk->degree[best] > 0)
    permi_ways_take(walk->ways, walk->degree[best], &first, &last);
  walk->vertex[k] = best;
  walk->left[k] = last - first;
  walk->matched[k] = 0;
  walk->at[k] = all->start[best] - 1;
  for (; first > 0; first--)
    permi_matching_next(walk, k);
}

static void permi_transversals_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  const permi_numbers *numbers = &all->numbers;
  const permi_coefficient one = permi_coefficient_one(), *c;
  const int n = all->n, levels = n + 1, integers = permi_algebra_is_integer(numbers->algebra);
  const double seconds = PERMI_TRANSVERSALS_SECONDS + PERMI_TRANSVERSALS_VERTEX * n;
  const double safe = ldexp(1, PERMI_TRANSVERSALS_SAFE_EXP2);
  permi_matching_walk walk;
  char *product;
  int v, k = 0;
  (void)chunk;
  walk.all = all;
  walk.ways = (permi_ways *)workspace;
  walk.product = (char *)(walk.ways + 1);
  walk.sum = walk.product + (size_t)levels * all->size;
  walk.degree = (int *)(void *)(walk.sum + all->size);
  walk.gone = walk.degree + 2 * n;
  walk.vertex = walk.gone + 2 * n;
  walk.left = walk.vertex + levels;
  walk.at = walk.left + levels;
  walk.matched = walk.at + levels;
  memset(walk.product, 0, permi_matching_bytes(all));
  permi_value_one(numbers, walk.product);
  for (v = 0; v < 2 * n; v++)
    walk.degree[v] = all->start[v + 1] - all->start[v];
  permi_matching_level(&walk, 0);
  while (k >= 0) {
    const int u = walk.vertex[k];
    if (walk.matched[k]) {
      permi_matching_move(&walk, all->neighbour[walk.at[k]], 1);
      permi_matching_move(&walk, u, 1);
    }
    if (walk.left[k]-- == 0) {
      k--;
      continue;
    }
    if (permi_ways_stop(walk.ways, seconds))
      return;
    permi_matching_next(&walk, k);
    walk.matched[k] = 1;
    permi_matching_move(&walk, u, -1);
    permi_matching_move(&walk, all->neighbour[walk.at[k]], -1);
    c = &all->coefficient[all->edge[walk.at[k]]];
    product = walk.product + (size_t)(k + 1) * all->size;
    if (numbers->algebra == PERMI_COMPLEX_DD) {
      permi_dd *y = (permi_dd *)(void *)product;
      memcpy(product, product - all->size, all->size);
      permi_dd_multiply_complex(&y[0], &y[1], permi_dd_make(c->real), permi_dd_make(c->imaginary));
      y[2].hi *= c->absolute;
    } else {
      permi_value_add(numbers->algebra, numbers, c, product, product - all->size, 1);
    }
    if (k + 1 < n) {
      permi_matching_level(&walk, ++k);
      continue;
    }
    if (!permi_ways_mine(walk.ways))
      continue;
    partial->terms++;
    if (integers)
      permi_value_add(numbers->algebra, numbers, &one, walk.sum, product, 0);
    else
      permi_value_sum(numbers, product, partial);
    /* below the safe power, computed and true, as entries are at most 1: it counts as lost */
    if (!integers && ((const double *)(const void *)(product + all->size))[-1] < safe)
      partial->lost += 8 * safe;
  }
  if (integers)
    permi_value_sum(numbers, walk.sum, partial);
}

static perm_status permi_transversals_offer(permi_maker *maker, const permi_block *block, double rival,
                                            permi_offer *offer)
{
  const int n = block->n;
  const size_t vertices = 2 * (size_t)n, edges = (size_t)block->edges;
  permi_transversals *all = (permi_transversals *)permi_owned_new(&maker->options->allocator, sizeof *all);
  int k;
  (void)rival;
  offer->plan = all;
  if (!all)
    return permi_fail_memory(maker->result);
  all->n = n;
  if (!permi_numbers_choose_moduli(&all->numbers, block, maker->working->modulus, 1))
    return permi_refuse_long(offer);
  all->size = sizeof(double) * permi_numbers_words(&all->numbers);
  all->start = (int *)permi_pool_kept(&all->owned.pool, block->start, vertices + 1, sizeof(int));
  all->neighbour = (int *)permi_pool_kept(&all->owned.pool, block->neighbour, 2 * edges, sizeof(int));
  all->edge = (int *)permi_pool_kept(&all->owned.pool, block->edge, 2 * edges, sizeof(int));
  all->coefficient = (permi_coefficient *)permi_pool_get(&all->owned.pool, edges, sizeof *all->coefficient);
  if (all->owned.pool.failed)
    return permi_fail_memory(maker->result);
  for (k = 0; k < block->edges; k++)
    all->coefficient[k] = permi_coefficient_of(block, k, &all->numbers);
  offer->bytes = 8.0 * n + (16.0 + sizeof(permi_coefficient)) * block->edges;
  return permi_walk_offer(maker, permi_transversals_chunk, permi_matching_bytes(all), 4.0 * n * n, &all->choices,
                          offer);
}

static perm_status permi_transversals_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                           permi_leaf *leaf)
{
  const permi_transversals *all = (const permi_transversals *)offer->plan;
  const double n = all->n, roundings = block->rounded ? permi_entry_roundings(maker->working, maker->working->n) : 0;
  leaf->information.work = all->choices;
  leaf->modulus = all->numbers.modulus;
  if (!block->integer)
    leaf->bound_relative = leaf->estimate_relative = (permi_gamma(roundings) + n * PERMI_DD_UNIT) /
                                                     (1 - permi_gamma(n + roundings)) * (1 + 8 * PERMI_UNIT);
  return permi_walk_make(maker, block, offer, all->numbers.modulus, block->n, permi_transversals_chunk,
                         permi_matching_bytes(all), leaf);
}
/* SPDX-License-Identifier: MIT */
