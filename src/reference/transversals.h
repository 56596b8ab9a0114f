/* =================================================================================== >>transversals
   Enumerates perfect matchings M (the edges `at` of levels): per A = sum over M of the product of a_ij over (i, j) in
   M, depth first, at the free vertex with the fewest choices, in double-doubles or long integers.

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g).

   The frame of the engines of papers, which run by name only: a walk over a tree of choices, whose leaves add up. Ways
   out of a node are divided among the chunks that share it. Walks stop between chunks. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/values.h"

#define PERMI_WALK_CHUNKS 4096      /* at most, unless they take longer */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* at least, of a chunk */
#define PERMI_WALK_PROBES 48

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* that share the node; that walks */
  double weight;              /* paths that a probe stands for, or 1 */
  uint64_t seed;              /* of a probe, or 0 */
  double choices, work;       /* counted; predicted seconds */
} permi_ways;

/* A leaf without chunks is a probe's, whose walk has begun. */
static void permi_ways_begin(const permi_leaf *leaf, uint64_t chunk, permi_ways *ways)
{
  if (!leaf->information.chunks)
    return;
  memset(ways, 0, sizeof *ways);
  ways->end = leaf->information.chunks;
  ways->chunk = chunk;
  ways->weight = 1;
}

/* The chunk's ways [*first, *last) of `count`; a probe's, at random [Knu75]. */
static void permi_ways_take(permi_ways *ways, int count, int *first, int *last)
{
  const uint64_t chunks = ways->end - ways->begin, mine = ways->chunk - ways->begin, n = (uint64_t)count;
  if (ways->seed) {
    *first = (int)(permi_order_random(&ways->seed) * count);
    *last = *first + 1;
    ways->weight *= count;
  } else if (chunks <= n) {
    *first = (int)(mine * n / chunks);
    *last = (int)((mine + 1) * n / chunks);
    ways->begin = ways->chunk;
    ways->end = ways->chunk + 1;
  } else { /* the last way whose chunks begin at or before mine */
    *first = (int)(((mine + 1) * n - 1) / chunks);
    *last = *first + 1;
    ways->end = ways->begin + chunks * (uint64_t)*last / n;
    ways->begin += chunks * (uint64_t)*first / n;
  }
}

/* A node counts for the first chunk that walks it. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

static void permi_ways_count(permi_ways *ways, double seconds)
{
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
}

static uint64_t permi_walk_chunks(double pieces, double seconds, int ways)
{
  const double most = fmax(fmin(PERMI_WALK_CHUNKS, pieces), seconds / PERMI_WALK_CHUNK_SECONDS);
  uint64_t chunks = 1;
  while (2 * (double)chunks <= most && chunks < (UINT64_C(1) << 63) / (uint64_t)ways)
    chunks *= 2;
  return chunks;
}

typedef void (*permi_walk_chunk)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);

/* Estimates by random descents [Knu75]. workspace: bytes behind permi_ways. */
static perm_status permi_walk_offer(const permi_maker *maker, permi_walk_chunk run, size_t workspace, double look,
                                    double *choices, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_ways *ways = (permi_ways *)permi_allocate(&options->allocator, sizeof *ways + workspace, 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  perm_partial ignored;
  permi_leaf leaf;
  double seconds = 0;
  int probe;
  if (!ways)
    return permi_fail_memory(maker->result);
  memset(&ignored, 0, sizeof ignored);
  memset(&leaf, 0, sizeof leaf);
  leaf.context = offer->plan;
  for (probe = 0; probe < PERMI_WALK_PROBES && !permi_watch(maker->watch, look); probe++) {
    memset(ways, 0, sizeof *ways);
    ways->end = 1;
    ways->weight = 1;
    ways->seed = seed;
    run(&leaf, 0, ways, &ignored);
    seed = ways->seed;
    *choices += (ways->choices - *choices) / (probe + 1);
    seconds += (ways->work - seconds) / (probe + 1);
  }
  permi_release(&options->allocator, ways);
  offer->seconds = 1e-6 + seconds;
  offer->bytes += (double)workspace;
  if (!(seconds < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too many perfect matchings to enumerate");
  if (options->max_seconds > 0 && seconds > options->max_seconds && !permi_in_pieces(options))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is predicted to take %s, over max_seconds = %.3g",
                 permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

/* plan: a hash of what else decides the terms. */
static void permi_walk_leaf(const permi_block *block, uint64_t plan, uint64_t chunks, permi_leaf *leaf)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, plan);
  int i, e;
  for (i = 0; i < block->n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int edge = block->edge[e];
      hash = permi_hash(hash, (uint64_t)i << 32 | (uint64_t)block->neighbour[e]);
      if (block->integer)
        hash = permi_hash(permi_hash(hash, (uint64_t)block->integer[edge]),
                          block->imaginary_integer ? (uint64_t)block->imaginary_integer[edge] : 0);
      else
        hash = permi_hash_double(permi_hash_double(hash, block->real[edge]),
                                 block->imaginary ? block->imaginary[edge] : 0);
    }
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.chunks = chunks;
  leaf->information.fingerprint = hash;
  leaf->integer = block->integer != NULL;
}

static size_t permi_walk_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const perm_leaf *information = &leaf->information;
  return permi_say(buffer, size, "%s, order %d: about %.3g choices, terms in %s, predicted %.3g s, %.0f chunks\n",
                   perm_name("method", information->method), information->n, information->work,
                   leaf->integer ? "integers" : information->method == PERM_METHOD_DECOMPOSE ? "doubles with moduli"
                                                                                             : "double-doubles",
                   information->seconds, (double)information->chunks);
}

/* Makes a leaf, except for its relative bound. ways: of a node, at most. */
static perm_status permi_walk_make(const permi_maker *maker, const permi_block *block, const permi_offer *offer,
                                   uint64_t plan, int ways, permi_walk_chunk run, size_t workspace, permi_leaf *leaf)
{
  permi_walk_leaf(block, plan, permi_walk_chunks(offer->seconds / PERMI_WALK_PIECE_SECONDS, offer->seconds, ways),
                  leaf);
  leaf->run_chunk = run;
  leaf->explain = permi_walk_explain;
  leaf->workspace = sizeof(permi_ways) + workspace;
  leaf->threaded = 1;
  if (maker->working->lost_error > 0 && !leaf->integer)
    leaf->bound_absolute = leaf->estimate_absolute = 2 * (DBL_MIN + maker->working->lost_error);
  return PERM_OK;
}

#define PERMI_TRANSVERSALS_SAFE_EXP2 -896  /* above 2^this products have the counted error: 1e-270 */
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
  int *degree, *gone;                /* a vertex's free neighbours; if matched */
  int *vertex, *left, *at, *matched; /* ways left, edge, if taken */
  char *product, *sum;
} permi_matching_walk;

static size_t permi_matching_bytes(const permi_transversals *all)
{
  const size_t n = (size_t)all->n;
  return (8 * n + 4) * sizeof(int) + (n + 2) * all->size + 16;
}

/* Takes v out (step -1) or back (1). */
static void permi_matching_move(permi_matching_walk *walk, int v, int step)
{
  const permi_transversals *all = walk->all;
  int e;
  walk->gone[v] = step < 0;
  for (e = all->start[v]; e < all->start[v + 1]; e++)
    walk->degree[all->neighbour[e]] += step;
}

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
  walk.all = all;
  walk.ways = (permi_ways *)workspace;
  permi_ways_begin(leaf, chunk, walk.ways);
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
    permi_ways_count(walk.ways, seconds);
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
    /* true products are as small, as entries are at most 1: lost */
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
