/* =================================================================================== >>transversals
   Enumerates perfect matchings, for blocks that have few.
     per A = sum over perfect matchings M of prod over (i, j) in M of a_ij
   Depth first, at the free vertex with the fewest choices. Products are in double-double or long integers; terms are
   added exactly.

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps_run); the sum is exact
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
  int *vertex, *left, *at, *matched; /* of a level: ways left, the edge looked at, whether it is taken */
  char *product, *sum;
  double choices;
} permi_matching_walk;

static size_t permi_matching_bytes(const permi_transversals *all)
{
  const size_t levels = (size_t)all->n + 1;
  return (4 * levels + 4 * (size_t)all->n) * sizeof(int) + (levels + 1) * all->size + 16;
}

/* Vertex v leaves the graph (step -1) or comes back (1). */
static void permi_matching_move(permi_matching_walk *walk, int v, int step)
{
  const permi_transversals *all = walk->all;
  int e;
  walk->gone[v] = step < 0;
  for (e = all->start[v]; e < all->start[v + 1]; e++)
    walk->degree[all->neighbour[e]] += step;
}

static int permi_matching_next(const permi_matching_walk *walk, int e)
{
  for (e++; walk->gone[walk->all->neighbour[e]]; e++)
    ;
  return e;
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
    walk->at[k] = permi_matching_next(walk, walk->at[k]);
}

static void permi_matching_multiply(permi_matching_walk *walk, int k, const permi_coefficient *c)
{
  const permi_transversals *all = walk->all;
  char *from = walk->product + (size_t)k * all->size, *to = from + all->size;
  if (all->numbers.algebra == PERMI_COMPLEX_DD) {
    permi_dd *y = (permi_dd *)(void *)to;
    memcpy(to, from, all->size);
    permi_dd_multiply_complex(&y[0], &y[1], permi_dd_make(c->real), permi_dd_make(c->imaginary));
    y[2].hi *= c->absolute;
  } else {
    permi_value_add(all->numbers.algebra, &all->numbers, c, to, from, 1);
  }
}

/* A product whose moduli are below the safe power is at most that, computed or true, as entries are at most 1; it
   counts as lost. */
static void permi_matching_add(permi_matching_walk *walk, perm_partial *partial)
{
  const permi_transversals *all = walk->all;
  const permi_coefficient one = permi_coefficient_one();
  const char *product = walk->product + (size_t)all->n * all->size;
  const double safe = ldexp(1, PERMI_TRANSVERSALS_SAFE_EXP2);
  partial->terms++;
  if (permi_algebra_is_integer(all->numbers.algebra)) {
    permi_value_add(all->numbers.algebra, &all->numbers, &one, walk->sum, product, 0);
    return;
  }
  permi_value_sum(&all->numbers, product, partial);
  if (((const double *)(const void *)(product + all->size))[-1] < safe)
    partial->lost += 8 * safe;
}

static void permi_matching_run(const permi_transversals *all, permi_ways *ways, void *workspace,
                               perm_partial *partial, double *choices)
{
  const double seconds = PERMI_TRANSVERSALS_SECONDS + PERMI_TRANSVERSALS_VERTEX * all->n;
  const int n = all->n, levels = n + 1;
  permi_matching_walk walk;
  int v, k = 0;
  walk.all = all;
  walk.ways = ways;
  walk.choices = 0;
  walk.product = (char *)workspace;
  walk.sum = walk.product + (size_t)levels * all->size;
  walk.degree = (int *)(void *)(walk.sum + all->size);
  walk.gone = walk.degree + 2 * n;
  walk.vertex = walk.gone + 2 * n;
  walk.left = walk.vertex + levels;
  walk.at = walk.left + levels;
  walk.matched = walk.at + levels;
  memset(workspace, 0, permi_matching_bytes(all));
  permi_value_one(&all->numbers, walk.product);
  for (v = 0; v < 2 * n; v++)
    walk.degree[v] = all->start[v + 1] - all->start[v];
  permi_matching_level(&walk, 0);
  while (k >= 0 && !permi_ways_stop(ways, seconds)) {
    const int u = walk.vertex[k];
    if (walk.matched[k]) {
      permi_matching_move(&walk, all->neighbour[walk.at[k]], 1);
      permi_matching_move(&walk, u, 1);
    }
    if (walk.left[k]-- == 0) {
      k--;
      continue;
    }
    walk.at[k] = permi_matching_next(&walk, walk.at[k]);
    walk.matched[k] = 1;
    walk.choices += ways->weight;
    permi_matching_move(&walk, u, -1);
    permi_matching_move(&walk, all->neighbour[walk.at[k]], -1);
    permi_matching_multiply(&walk, k, &all->coefficient[all->edge[walk.at[k]]]);
    if (k + 1 < n)
      permi_matching_level(&walk, ++k);
    else if (permi_ways_mine(ways))
      permi_matching_add(&walk, partial);
  }
  if (permi_algebra_is_integer(all->numbers.algebra))
    permi_value_sum(&all->numbers, walk.sum, partial);
  *choices = walk.choices;
}

static void permi_transversals_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  permi_ways *ways = (permi_ways *)workspace;
  double choices;
  (void)chunk;
  permi_matching_run((const permi_transversals *)leaf->context, ways, ways + 1, partial, &choices);
}

static size_t permi_transversals_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  return permi_say(buffer, size,
                   "transversals, order %d: about %.3g choices, terms in %s, predicted %.3g s, %.0f chunks\n",
                   leaf->information.n, all->choices, leaf->integer ? "integers" : "double-doubles",
                   leaf->information.seconds, (double)leaf->information.chunks);
}

/* The choices on the way, by Knuth's probes [Knu75]. Returns 0 without memory. */
static int permi_transversals_predict(permi_maker *maker, permi_transversals *all)
{
  void *workspace = permi_allocate(&maker->options->allocator, permi_matching_bytes(all), 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  perm_partial ignored;
  double choices;
  int probe, probes = workspace ? PERMI_WALK_PROBES : 0;
  memset(&ignored, 0, sizeof ignored);
  for (probe = 0; probe < probes && !permi_watch(maker->watch, 4.0 * all->n * all->n); probe++) {
    permi_ways ways = permi_ways_probe(seed += (uint64_t)probe * UINT64_C(0xbf58476d1ce4e5b9));
    permi_matching_run(all, &ways, workspace, &ignored, &choices);
    all->choices += (choices - all->choices) / (probe + 1);
  }
  permi_release(&maker->options->allocator, workspace);
  return workspace != NULL;
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
  if (!permi_transversals_predict(maker, all))
    return permi_fail_memory(maker->result);
  if (!(all->choices < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too many perfect matchings to enumerate");
  return permi_walk_offer(maker, 1e-6 + all->choices * (PERMI_TRANSVERSALS_SECONDS + PERMI_TRANSVERSALS_VERTEX * n),
                          (double)permi_matching_bytes(all) + 8.0 * n +
                              (16.0 + sizeof(permi_coefficient)) * block->edges, offer);
}

static perm_status permi_transversals_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                           permi_leaf *leaf)
{
  const permi_transversals *all = (const permi_transversals *)offer->plan;
  const permi_working *working = maker->working;
  const double n = all->n, roundings = block->rounded ? permi_entry_roundings(working, working->n) : 0;
  permi_walk_leaf(block, all->numbers.modulus,
                  permi_walk_chunks(offer->seconds / PERMI_WALK_PIECE_SECONDS, offer->seconds, block->n),
                  permi_matching_bytes(all), leaf);
  leaf->information.work = all->choices;
  permi_walk_run(permi_transversals_chunk, leaf);
  leaf->explain = permi_transversals_explain;
  leaf->modulus = all->numbers.modulus;
  if (leaf->integer)
    return PERM_OK;
  leaf->bound_relative = (permi_gamma(roundings) + n * PERMI_DD_UNIT) / (1 - permi_gamma(n + roundings)) *
                         (1 + 8 * PERMI_UNIT);
  leaf->estimate_relative = leaf->bound_relative;
  permi_walk_lost(maker, leaf);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
