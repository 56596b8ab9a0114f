/* =================================================================================== >>transversals
   Enumerates perfect matchings M, for blocks that have few: per A = sum over M of the product of a_ij over (i, j) in M.
   Goes depth first, at the free vertex with the fewest choices. Products are double-doubles or long integers.

   Symbols    here
     M        the edges `at` of the levels
     a_ij     coefficient[edge[e]], e among the neighbours of a vertex

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g).

   The frame of the engines of papers, which run by name only: a walk over a tree of choices, whose leaves add up.
   Chunks share the tree: the ways out of a node are divided among its chunks, whose sums are exact. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/values.h"

#define PERMI_WALK_CHUNKS 4096      /* at most, unless they would take longer */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* at least, of a chunk */
#define PERMI_WALK_LOOK_SECONDS 2e-3  /* predicted, between looks at the stop */
#define PERMI_WALK_WINDOW 64 /* chunks of each thread before they are merged */
#define PERMI_WALK_PROBES 48
#if !defined(PERMI_WALK_GRACE_SECONDS)
#define PERMI_WALK_GRACE_SECONDS 0.1 /* predicted: a shorter chunk is finished even after a stop */
#endif

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* chunks that share the node, the one that walks */
  double weight;              /* paths that a probe stands for; else 1 */
  uint64_t seed;              /* of a probe; else 0 */
  struct permi_walking *walking; /* NULL: nothing stops the walk */
  double choices, work, look; /* counted; predicted seconds; at the next look */
  int thread, stopped;
} permi_ways;

/* A range of chunks that threads walk. */
typedef struct permi_walking {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin, window; /* the first chunks of the range, of the slots */
  double each;            /* predicted seconds of a chunk */
  perm_partial *slot;
  void *memory;
  int stop; /* a perm_status that thread 0 writes and the others see */
} permi_walking;

/* Gives the chunk the ways [*first, *last) of `count`, a probe one at random [Knu75]. */
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

/* Returns 1 if the node counts as this chunk's, the first of those that walk it. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

static perm_status permi_walking_poll(permi_walking *walking, int thread, uint64_t chunk)
{
  int stop = PERM_OK;
  if (thread) {
    PERMI_OMP(atomic read)
    stop = walking->stop;
  } else {
    stop = (int)permi_control_poll(walking->control, (double)(chunk - walking->begin) * walking->each, "walking");
    PERMI_OMP(atomic write)
    walking->stop = stop;
  }
  return (perm_status)stop;
}

/* Counts a choice of predicted seconds. Returns 1 if the chunk is given up, as branches have any size. */
static int permi_ways_stop(permi_ways *ways, double seconds)
{
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
  if (ways->work >= ways->look && ways->walking && !ways->stopped) {
    ways->look = ways->work + PERMI_WALK_LOOK_SECONDS;
    ways->stopped = permi_walking_poll(ways->walking, ways->thread, ways->chunk) != PERM_OK;
  }
  return ways->stopped;
}

static perm_status permi_walking_chunk(void *context, uint64_t chunk, int thread)
{
  permi_walking *walking = (permi_walking *)context;
  const permi_leaf *leaf = walking->leaf;
  perm_partial *partial = &walking->slot[chunk - walking->window];
  permi_ways *ways = (permi_ways *)permi_workspace_of(leaf, walking->memory, thread);
  memset(ways, 0, sizeof *ways);
  ways->end = leaf->information.chunks;
  ways->chunk = chunk;
  ways->weight = 1;
  ways->walking = walking->control ? walking : NULL;
  ways->look = PERMI_WALK_GRACE_SECONDS;
  ways->thread = thread;
  leaf->run_chunk(leaf, chunk, ways, partial);
  if (!ways->stopped) {
    partial->fingerprint = leaf->information.fingerprint;
    permi_partial_count(partial, chunk, chunk + 1);
  }
  return thread || !walking->control ? PERM_OK
         : ways->stopped             ? (perm_status)walking->stop
                                     : permi_walking_poll(walking, 0, chunk + 1);
}

/* run_range of leaves whose workspace begins with permi_ways. Chunks are merged in order until one is missing, so what
   was done is a prefix. */
static perm_status permi_walk_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                    perm_partial *partial)
{
  const perm_allocator *allocator = &((const permi_owned *)leaf->context)->allocator;
  const int threads = control && leaf->threaded ? permi_threads(control->options) : 1;
  const uint64_t most = PERMI_WALK_WINDOW * (uint64_t)threads, room = end - begin < most ? end - begin : most;
  permi_leaf each = *leaf;
  permi_walking walking = {&each, control, begin, begin, leaf->information.seconds / (double)leaf->information.chunks,
                           NULL, NULL, PERM_OK};
  perm_status status = PERM_OK;
  uint64_t k;
  int whole = 1;
  each.run_range = NULL; /* it has a workspace */
  walking.slot = (perm_partial *)permi_allocate(allocator, (size_t)room, sizeof *walking.slot);
  if (!permi_workspace_make(allocator, &each, threads, &walking.memory) || !walking.slot)
    status = PERM_ERROR_MEMORY;
  for (; walking.window < end && status == PERM_OK && whole; walking.window += room) {
    const uint64_t count = end - walking.window < room ? end - walking.window : room;
    memset(walking.slot, 0, (size_t)count * sizeof *walking.slot);
    status = permi_share(threads, walking.window, walking.window + count, permi_walking_chunk, &walking, NULL);
    for (k = 0; k < count && walking.slot[k].chunks; k++)
      perm_partial_merge(partial, &walking.slot[k]);
    whole = k == count;
    if (whole && walking.window + count == end)
      status = PERM_OK;
    else if (status == PERM_OK && control)
      status = permi_control_poll_range(control, (double)(walking.window + count - begin) * walking.each, "walking");
  }
  permi_release(allocator, walking.memory);
  permi_release(allocator, walking.slot);
  return status;
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

/* Estimates choices and seconds by random descents [Knu75]. workspace: bytes behind permi_ways. */
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

/* Fills in a leaf; `plan` is a hash of what else decides the terms. */
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

/* Makes the leaf of an offer, except for its relative bound. A node has at most `ways`. */
static perm_status permi_walk_make(const permi_maker *maker, const permi_block *block, const permi_offer *offer,
                                   uint64_t plan, int ways, permi_walk_chunk run, size_t workspace, permi_leaf *leaf)
{
  permi_walk_leaf(block, plan, permi_walk_chunks(offer->seconds / PERMI_WALK_PIECE_SECONDS, offer->seconds, ways),
                  leaf);
  leaf->run_chunk = run;
  leaf->run_range = permi_walk_range;
  leaf->explain = permi_walk_explain;
  leaf->workspace = sizeof(permi_ways) + workspace;
  leaf->threaded = 1;
  if (maker->working->lost_error > 0 && !leaf->integer)
    leaf->bound_absolute = leaf->estimate_absolute = 2 * (DBL_MIN + maker->working->lost_error);
  return PERM_OK;
}

#define PERMI_TRANSVERSALS_SAFE_EXP2 -896  /* products above 2^this have the counted error: 1e-270 */
#define PERMI_TRANSVERSALS_SECONDS 1e-7    /* a choice */
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
    /* a product below the safe power stays there, computed and true, as entries are at most 1: it counts as lost */
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
