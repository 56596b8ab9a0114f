/* =========================================================================================== >>ways
   The frame of the engines of papers, which run by name only: a walk over a tree of choices, whose leaves add up.
   Chunks share the tree: the ways out of a node are divided among its chunks, whose sums are exact. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/values.h"

#define PERMI_WALK_CHUNKS 4096      /* at most, unless they would take longer */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* at least, of a chunk */
#define PERMI_WALK_LOOK_SECONDS 2e-3  /* predicted, between looks at the stop */
#define PERMI_WALK_PROBES 48
#if !defined(PERMI_WALK_GRACE_SECONDS)
#define PERMI_WALK_GRACE_SECONDS 0.1 /* predicted: a shorter chunk is finished even after a stop */
#endif

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* chunks that share the node, the one that walks */
  double weight;              /* paths that a probe stands for; else 1 */
  uint64_t seed;              /* of a probe; else 0 */
  permi_control *control;     /* NULL: nothing stops the walk */
  double choices, work, look; /* counted; predicted seconds; at the next look */
  double before;              /* predicted seconds of chunks done */
  perm_status stopped;
} permi_ways;

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

/* Says if the node counts as this chunk's: the first of those that walk it. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

/* Counts a choice of predicted seconds. Returns 1 if the chunk is given up, as branches have any size. */
static int permi_ways_stop(permi_ways *ways, double seconds)
{
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
  if (ways->work >= ways->look && ways->control && ways->stopped == PERM_OK) {
    ways->look = ways->work + PERMI_WALK_LOOK_SECONDS;
    ways->stopped = permi_control_poll(ways->control, ways->before, "walking");
  }
  return ways->stopped != PERM_OK;
}

/* run_range of leaves whose workspace begins with permi_ways. A stopped chunk does not count. */
static perm_status permi_walk_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                    perm_partial *partial)
{
  const perm_allocator *allocator = &((const permi_owned *)leaf->context)->allocator;
  const double each = leaf->information.seconds / (double)leaf->information.chunks;
  permi_ways *ways = (permi_ways *)permi_allocate(allocator, leaf->workspace, 1);
  perm_status status = ways ? PERM_OK : PERM_ERROR_MEMORY;
  perm_partial part;
  uint64_t chunk;
  for (chunk = begin; chunk < end && status == PERM_OK; chunk++) {
    memset(&part, 0, sizeof part);
    memset(ways, 0, sizeof *ways);
    ways->end = leaf->information.chunks;
    ways->chunk = chunk;
    ways->weight = 1;
    ways->control = control;
    ways->before = each * (double)(chunk - begin);
    ways->look = PERMI_WALK_GRACE_SECONDS;
    leaf->run_chunk(leaf, chunk, ways, &part);
    status = ways->stopped;
    if (status != PERM_OK)
      break;
    part.fingerprint = leaf->information.fingerprint;
    permi_partial_count(&part, chunk, chunk + 1);
    perm_partial_merge(partial, &part);
    if (control && chunk + 1 < end)
      status = permi_control_poll_range(control, ways->before + each, "walking");
  }
  permi_release(allocator, ways);
  return status;
}

/* Returns a number of chunks; a node has at most `ways`. */
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
  if (maker->working->lost_error > 0 && !leaf->integer)
    leaf->bound_absolute = leaf->estimate_absolute = 2 * (DBL_MIN + maker->working->lost_error);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
