/* =================================================================================== >>transversals
   For blocks with few perfect matchings M: per A = sum over M of the product of a_ij over (i, j) in M. Depth first, it
   takes the free vertex with the fewest choices. Products are double-doubles or long integers.

   Symbols    here
     M        the edges `at` of the levels
     a_ij     coefficient[edge[e]], e among the neighbours of a vertex

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g).

   The frame of the engines of papers: a walk over a tree of choices, whose leaves add up. Chunks share the tree: the
   ways out of a node are divided among its chunks, whose sums are exact. */
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

typedef struct permi_walking {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin, window; /* the first chunks of the range, of the slots */
  double each;            /* predicted seconds of a chunk */
  perm_partial *slot;
  void *memory;
  int stop; /* a perm_status that thread 0 writes */
} permi_walking;

/* Gives the chunk the ways [*first, *last) of `count`, a probe one at random [Knu75]. */
static void permi_ways_take(permi_ways *ways, int count, int *first, int *last)
{
  const uint64_t chunks = ways->end - ways->begin, mine = ways->chunk - ways->begin, n = (uint64_t)count;
  if (ways->seed) {
    *first = (int)(permi_order_random(&ways->seed) * count);
    *last = *first + 1;
    ways->weight *= count;
  } else {
    const uint64_t next = (mine + 1) * n / chunks;
    *first = (int)(mine * n / chunks);
    *last = next > (uint64_t)*first ? (int)next : *first + 1;
    ways->end = ways->begin + (chunks * (uint64_t)*last + n - 1) / n;
    ways->begin += (chunks * (uint64_t)*first + n - 1) / n;
  }
}

/* The first chunk of those that walk a node counts it. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

static int permi_walking_poll(permi_walking *walking, int thread, uint64_t chunk)
{
  int stop;
  if (!thread) {
    stop = (int)permi_control_poll_range(walking->control, (double)(chunk - walking->begin) * walking->each, "walking");
    PERMI_OMP(atomic write)
    walking->stop = stop;
  }
  PERMI_OMP(atomic read)
  stop = walking->stop;
  return stop;
}

/* Returns 1 if the chunk is given up, as branches have any size. */
static int permi_ways_stop(permi_ways *ways, double seconds)
{
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
  if (ways->work >= ways->look && ways->walking && !ways->stopped) {
    ways->look = ways->work + PERMI_WALK_LOOK_SECONDS;
    const int stop = permi_walking_poll(ways->walking, ways->thread, ways->chunk);
    ways->stopped = stop && stop != PERMI_CHECKPOINT_DUE;
  }
  return ways->stopped;
}

static perm_status permi_walking_chunk(void *context, uint64_t chunk, int thread)
{
  permi_walking *walking = (permi_walking *)context;
  const permi_leaf *leaf = walking->leaf;
  perm_partial *partial = &walking->slot[chunk - walking->window];
  permi_ways *ways = (permi_ways *)permi_workspace_of(leaf, walking->memory, thread);
  const permi_ways root = {0, leaf->information.chunks, chunk, 1, 0, walking->control ? walking : NULL, 0, 0,
                           PERMI_WALK_GRACE_SECONDS, thread, 0};
  *ways = root;
  leaf->run_chunk(leaf, chunk, ways, partial);
  if (!ways->stopped) {
    partial->fingerprint = leaf->information.fingerprint;
    permi_partial_count(partial, chunk, chunk + 1);
  }
  return thread || !walking->control ? PERM_OK
         : (perm_status)(ways->stopped ? walking->stop : permi_walking_poll(walking, 0, chunk + 1));
}

/* run_range of leaves whose workspace begins with permi_ways. Chunks are merged in order: what is done is a prefix. */
static perm_status permi_walk_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                    perm_partial *partial)
{
  permi_pool pool = {&((const permi_owned *)leaf->context)->allocator, NULL, 0};
  const int threads = control && leaf->threaded ? permi_threads(control->options) : 1;
  const uint64_t room = PERMI_WALK_WINDOW * (uint64_t)threads;
  permi_walking walking = {leaf, control, begin, begin, leaf->information.seconds / (double)leaf->information.chunks,
                           NULL, NULL, PERM_OK};
  walking.slot = (perm_partial *)permi_pool_get(&pool, (size_t)room, sizeof *walking.slot);
  walking.memory = permi_pool_get(&pool, (size_t)threads + 1, permi_workspace_each(leaf));
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  while (begin < end && status == PERM_OK) {
    const uint64_t last = end - begin < room ? end : begin + room;
    walking.window = begin;
    memset(walking.slot, 0, (size_t)room * sizeof *walking.slot);
    status = permi_share(threads, begin, last, permi_walking_chunk, &walking, NULL);
    for (; begin < last && walking.slot[begin - walking.window].chunks; begin++)
      perm_partial_merge(partial, &walking.slot[begin - walking.window]);
  }
  permi_pool_release(&pool);
  return begin == end ? PERM_OK : status;
}

static uint64_t permi_walk_chunks(double pieces, double seconds, int ways)
{
  const double most = fmax(fmin(PERMI_WALK_CHUNKS, pieces), seconds / PERMI_WALK_CHUNK_SECONDS);
  uint64_t chunks = 1;
  while (2 * (double)chunks <= most && chunks < (UINT64_C(1) << 63) / (uint64_t)ways)
    chunks *= 2;
  return chunks;
}

typedef struct permi_walk_plan {
  permi_owned owned;
  permi_numbers numbers;
  int n, ways;            /* at most, out of a node */
  size_t bytes, workspace; /* of a value; behind permi_ways */
  double choices, bound, estimate; /* relative */
  void (*run)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);
} permi_walk_plan;

/* Estimates choices and seconds by random descents [Knu75]. */
static perm_status permi_walk_offer(const permi_maker *maker, permi_walk_plan *plan, double look, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_ways *ways = (permi_ways *)permi_allocate(&options->allocator, sizeof *ways + plan->workspace, 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  perm_partial ignored;
  permi_leaf leaf;
  double seconds = 0;
  if (!ways)
    return permi_fail_memory(maker->result);
  memset(&ignored, 0, sizeof ignored);
  memset(&leaf, 0, sizeof leaf);
  leaf.context = plan;
  for (int probe = 0; probe < PERMI_WALK_PROBES && !permi_watch(maker->watch, look); probe++) {
    const permi_ways root = {0, 1, 0, 1, seed, NULL, 0, 0, 0, 0, 0};
    *ways = root;
    plan->run(&leaf, 0, ways, &ignored);
    seed = ways->seed;
    plan->choices += (ways->choices - plan->choices) / (probe + 1);
    seconds += (ways->work - seconds) / (probe + 1);
  }
  permi_release(&options->allocator, ways);
  offer->seconds = 1e-6 + seconds;
  offer->bytes += (double)plan->workspace;
  if (!(seconds < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too many perfect matchings to enumerate");
  if (options->max_seconds > 0 && seconds > options->max_seconds && !permi_in_pieces(options))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is predicted to take %s, over max_seconds = %.3g",
                 permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

/* `plan`: a hash of what else decides the terms. */
static uint64_t permi_walk_hash(const permi_block *block, uint64_t plan)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, plan);
  permi_numbers as_given;
  memset(&as_given, 0, sizeof as_given);
  for (int i = 0; i < block->n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], &as_given);
      hash = permi_coefficient_hash(permi_hash(hash, (uint64_t)i << 32 | (uint64_t)block->neighbour[e]), &c);
    }
  return hash;
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

static perm_status permi_walk_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_walk_plan *plan = (const permi_walk_plan *)offer->plan;
  const double pieces = offer->seconds / PERMI_WALK_PIECE_SECONDS;
  permi_leaf_ranges(leaf, PERM_ISA_PLAIN, permi_walk_chunks(pieces, offer->seconds, plan->ways), plan->choices,
                    permi_walk_hash(block, plan->numbers.modulus + (uint64_t)plan->numbers.words), plan->run,
                    sizeof(permi_ways) + plan->workspace, permi_walk_explain);
  leaf->integer = block->integer != NULL;
  leaf->modulus = plan->numbers.modulus;
  leaf->run_range = permi_walk_range;
  leaf->threaded = 1;
  if (leaf->integer)
    return PERM_OK;
  leaf->bound_relative = plan->bound;
  leaf->estimate_relative = plan->estimate;
  if (maker->working->lost_error > 0)
    leaf->bound_absolute = leaf->estimate_absolute = 2 * (DBL_MIN + maker->working->lost_error);
  return PERM_OK;
}

#define PERMI_TRANSVERSALS_SAFE_EXP2 -896  /* products above 2^this have the counted error: 1e-270 */
#define PERMI_TRANSVERSALS_SECONDS 1e-7    /* a choice */
#define PERMI_TRANSVERSALS_VERTEX 2e-9
#define PERMI_TRANSVERSALS_GONE (1 << 30)  /* added to the degree of a matched vertex */

typedef struct permi_transversals {
  permi_walk_plan plan;
  int *start, *neighbour, *edge;
  permi_coefficient *coefficient;
} permi_transversals;

/* way: the free neighbour at the edge; first, last: the chunk's. */
typedef struct permi_matching_level {
  int vertex, at, way, first, last;
} permi_matching_level;

/* Takes a vertex out of the graph (step -1) or back (1). */
static void permi_matching_move(const permi_transversals *all, int *degree, int v, int step)
{
  degree[v] -= step * PERMI_TRANSVERSALS_GONE;
  for (int e = all->start[v]; e < all->start[v + 1]; e++)
    degree[all->neighbour[e]] += step;
}

static void permi_matching_open(const permi_transversals *all, permi_ways *ways, const int *degree,
                                permi_matching_level *level)
{
  memset(level, 0, sizeof *level);
  for (int v = 0; v < 2 * all->plan.n && degree[level->vertex] > 1; v++)
    if (degree[v] < degree[level->vertex])
      level->vertex = v;
  if (degree[level->vertex] > 0)
    permi_ways_take(ways, degree[level->vertex], &level->first, &level->last);
  level->at = all->start[level->vertex] - 1;
  level->way = -1;
}

static void permi_transversals_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  const permi_numbers *numbers = &all->plan.numbers;
  const int n = all->plan.n, integers = permi_algebra_is_integer(numbers->algebra);
  const double seconds = PERMI_TRANSVERSALS_SECONDS + PERMI_TRANSVERSALS_VERTEX * n;
  const double safe = ldexp(1, PERMI_TRANSVERSALS_SAFE_EXP2);
  permi_ways *ways = (permi_ways *)workspace;
  char *product = (char *)(ways + 1); /* of a level, and of the next */
  permi_matching_level *const root = (permi_matching_level *)(void *)(product + ((size_t)n + 1) * all->plan.bytes);
  permi_matching_level *level = root;
  int *degree = (int *)(void *)(root + n), v;
  (void)chunk;
  permi_value_one(numbers, product);
  for (v = 0; v < 2 * n; v++)
    degree[v] = all->start[v + 1] - all->start[v];
  permi_matching_open(all, ways, degree, level);
  for (;;) {
    const int taken = level->way >= level->first, way = taken ? level->way + 1 : level->first;
    char *next = product + all->plan.bytes;
    if (taken) {
      permi_matching_move(all, degree, all->neighbour[level->at], 1);
      permi_matching_move(all, degree, level->vertex, 1);
    }
    if (way >= level->last) {
      if (level-- == root)
        return;
      product -= all->plan.bytes;
      continue;
    }
    if (permi_ways_stop(ways, seconds))
      return;
    while (level->way < way)
      level->way += degree[all->neighbour[++level->at]] < PERMI_TRANSVERSALS_GONE / 2;
    permi_matching_move(all, degree, level->vertex, -1);
    permi_matching_move(all, degree, all->neighbour[level->at], -1);
    permi_values_adders[numbers->algebra](numbers, &all->coefficient[all->edge[level->at]], next, product, NULL, 1, 1);
    if (level + 1 < root + n) {
      permi_matching_open(all, ways, degree, ++level);
      product = next;
    } else if (permi_ways_mine(ways)) {
      partial->terms++;
      permi_value_sum(numbers, next, partial);
      /* a product below the safe power stays there, computed and true, as entries are at most 1: it counts as lost */
      if (!integers && ((const double *)(const void *)(next + all->plan.bytes))[-1] < safe)
        partial->lost += 8 * safe;
    }
  }
}

static perm_status permi_transversals_offer(permi_maker *maker, const permi_block *block, double rival,
                                            permi_offer *offer)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_transversals *all = (permi_transversals *)permi_owned_new(&maker->options->allocator, sizeof *all);
  (void)rival;
  offer->plan = all;
  if (!all)
    return permi_fail_memory(maker->result);
  permi_pool *pool = &all->plan.owned.pool;
  all->plan.n = all->plan.ways = block->n;
  all->plan.run = permi_transversals_chunk;
  if (!permi_numbers_choose_moduli(&all->plan.numbers, block, maker->working->modulus, 1))
    return permi_refuse_long(offer);
  all->plan.bytes = sizeof(double) * permi_numbers_words(&all->plan.numbers);
  all->plan.workspace = (n + 1) * all->plan.bytes + n * (sizeof(permi_matching_level) + 2 * sizeof(int));
  all->start = (int *)permi_pool_kept(pool, block->start, 2 * n + 1, sizeof(int));
  all->neighbour = (int *)permi_pool_kept(pool, block->neighbour, 2 * edges, sizeof(int));
  all->edge = (int *)permi_pool_kept(pool, block->edge, 2 * edges, sizeof(int));
  all->coefficient = (permi_coefficient *)permi_pool_get(pool, edges, sizeof *all->coefficient);
  if (pool->failed)
    return permi_fail_memory(maker->result);
  for (int k = 0; k < block->edges; k++)
    all->coefficient[k] = permi_coefficient_of(block, k, &all->plan.numbers);
  offer->bytes = 8.0 * (double)n + (16.0 + sizeof(permi_coefficient)) * (double)edges;
  const double roundings = block->rounded ? permi_entry_roundings(maker->working, maker->working->n) : 0;
  all->plan.bound = all->plan.estimate = (permi_gamma(roundings) + (double)n * PERMI_DD_UNIT) /
                                         (1 - permi_gamma((double)n + roundings)) * (1 + 8 * PERMI_UNIT);
  return permi_walk_offer(maker, &all->plan, 4.0 * (double)(n * n), offer);
}
/* SPDX-License-Identifier: MIT */
