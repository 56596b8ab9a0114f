/* =========================================================================================== >>ways
   The frame of the engines of papers, asked by name only: a walk over a tree of choices, whose leaves add up. Chunks
   share the tree: a node's ways are divided among its chunks. Sums of chunks are exact. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/values.h"

#define PERMI_WALK_CHUNKS 4096      /* at most, unless chunks would take longer than PERMI_WALK_CHUNK_SECONDS */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* of a chunk, at least, where chunks are short */
#define PERMI_WALK_LOOK_SECONDS 2e-3  /* predicted work between two looks at the stop */
#define PERMI_WALK_WINDOW 64          /* chunks for each thread before they are merged */
#define PERMI_WALK_PROBES 48
#if !defined(PERMI_WALK_GRACE_SECONDS)
#define PERMI_WALK_GRACE_SECONDS 0.1 /* predicted: a shorter chunk is finished even after a stop */
#endif

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* the chunks that share the node, and the one that walks */
  double weight;              /* of a probe: paths that it stands for; else 1 */
  uint64_t seed;              /* of a probe; else 0 */
  struct permi_walking *walking; /* NULL: nothing stops the walk */
  double choices, work, look; /* counted; predicted seconds; when it looks at the stop again */
  int thread, stopped;
} permi_ways;

/* Gives the ways [*first, *last) of `count` to the chunk; a probe gets one at random [Knu75]. */
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

/* Nodes that several chunks walk are the first one's. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

typedef struct permi_walking {
  const permi_leaf *leaf;
  permi_asked asked;
  uint64_t begin, window; /* the first chunks of the range, of the slots */
  perm_partial *slot;
  void *memory;
} permi_walking;

/* Counts a choice of predicted seconds. Returns 1 if the chunk is given up: branches have any size. */
static int permi_ways_stop(permi_ways *ways, double seconds)
{
  permi_walking *walking = ways->walking;
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
  if (ways->work >= ways->look && walking && !ways->stopped) {
    const perm_leaf *information = &walking->leaf->information;
    const double before = (double)(ways->chunk - walking->begin) / (double)information->chunks * information->seconds;
    ways->look = ways->work + PERMI_WALK_LOOK_SECONDS;
    ways->stopped = permi_asked_poll(&walking->asked, ways->thread, before, "walking") != PERM_OK;
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
  ways->walking = walking;
  ways->look = PERMI_WALK_GRACE_SECONDS;
  ways->thread = thread;
  leaf->run_chunk(leaf, chunk, ways, partial);
  if (!ways->stopped) {
    partial->fingerprint = leaf->information.fingerprint;
    permi_partial_count(partial, chunk, chunk + 1);
  }
  return thread ? PERM_OK : ways->stopped ? (perm_status)walking->asked.stop
         : permi_asked_poll(&walking->asked, 0, (double)(chunk + 1 - walking->begin) /
                            (double)leaf->information.chunks * leaf->information.seconds, "walking");
}

/* run_range of leaves whose workspace begins with permi_ways. Chunks are merged in order until one is missing: what was
   done is a prefix. */
static perm_status permi_walk_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                    perm_partial *partial)
{
  const perm_allocator *allocator = &((const permi_owned *)leaf->context)->allocator;
  permi_leaf each = *leaf;
  permi_walking walking;
  perm_status status = PERM_OK;
  uint64_t room, k;
  int whole = 1;
  each.run_range = NULL; /* it has a workspace */
  walking.leaf = &each;
  walking.asked = permi_asked_begin(leaf, control);
  walking.begin = walking.window = begin;
  room = PERMI_WALK_WINDOW * (uint64_t)walking.asked.threads;
  room = end - begin < room ? end - begin : room;
  walking.slot = (perm_partial *)permi_allocate(allocator, (size_t)room, sizeof *walking.slot);
  if (!permi_workspace_make(allocator, &each, walking.asked.threads, &walking.memory) || !walking.slot)
    status = PERM_ERROR_MEMORY;
  for (; walking.window < end && status == PERM_OK && whole; walking.window += room) {
    const uint64_t count = end - walking.window < room ? end - walking.window : room;
    memset(walking.slot, 0, (size_t)count * sizeof *walking.slot);
    status = permi_share(walking.asked.threads, walking.window, walking.window + count, permi_walking_chunk, &walking,
                         NULL);
    for (k = 0; k < count && walking.slot[k].chunks; k++)
      perm_partial_merge(partial, &walking.slot[k]);
    whole = k == count;
    if (status == PERM_OK && control)
      status = permi_control_poll_range(control, (double)(walking.window + count - begin) /
                                        (double)leaf->information.chunks * leaf->information.seconds, "walking");
    if (whole && walking.window + count == end)
      status = PERM_OK;
  }
  permi_release(allocator, walking.memory);
  permi_release(allocator, walking.slot);
  return status;
}

/* ways: of a node, at most. */
static uint64_t permi_walk_chunks(double pieces, double seconds, int ways)
{
  const double most = fmax(fmin(PERMI_WALK_CHUNKS, pieces), seconds / PERMI_WALK_CHUNK_SECONDS);
  uint64_t chunks = 1;
  while (2 * (double)chunks <= most && chunks < (UINT64_C(1) << 63) / (uint64_t)ways)
    chunks *= 2;
  return chunks;
}

typedef void (*permi_walk_chunk)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);

/* Estimates choices and seconds by random descents [Knu75]. workspace: a thread's bytes, behind permi_ways. */
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

/* The leaf of an offer, but for its relative bound. ways: of a node, at most. */
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
/* SPDX-License-Identifier: MIT */
