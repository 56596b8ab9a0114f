/* =========================================================================================== >>ways
   The frame of the engines of papers, asked by name only: a walk over a tree of choices, whose leaves add up. Chunks
   share the tree: a node's ways are divided among its chunks. Sums of chunks are exact. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/values.h"

#define PERMI_WALK_CHUNKS 4096      /* at most, unless chunks would take longer than PERMI_WALK_CHUNK_SECONDS */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* of a chunk, at least, where chunks are short */
#define PERMI_WALK_PROBES 48

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* the chunks that share the node, and the one that walks */
  double weight;              /* of a probe: paths that it stands for; or 0 */
  uint64_t seed;
} permi_ways;

/* Gives the ways [*first, *last) of `count` to the chunk; a probe gets one at random [Knu75]. */
static void permi_ways_take(permi_ways *ways, int count, int *first, int *last)
{
  const uint64_t chunks = ways->end - ways->begin, mine = ways->chunk - ways->begin, n = (uint64_t)count;
  if (ways->weight > 0) {
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

/* Nodes and leaves that several chunks walk are the first one's. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

static permi_ways permi_ways_chunk(const permi_leaf *leaf, uint64_t chunk)
{
  permi_ways ways;
  memset(&ways, 0, sizeof ways);
  ways.end = leaf->information.chunks;
  ways.chunk = chunk;
  return ways;
}

static permi_ways permi_ways_probe(uint64_t seed)
{
  permi_ways ways;
  memset(&ways, 0, sizeof ways);
  ways.end = 1;
  ways.weight = 1;
  ways.seed = seed;
  return ways;
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

/* Refuses what takes over max_seconds. */
static perm_status permi_walk_offer(const permi_maker *maker, double seconds, double bytes, permi_offer *offer)
{
  const perm_options *options = maker->options;
  offer->seconds = seconds;
  offer->bytes = bytes;
  if (options->max_seconds > 0 && seconds > options->max_seconds && !permi_in_pieces(options))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is predicted to take %s, over max_seconds = %.3g",
                 permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

/* plan: a hash of what else decides the terms. */
static void permi_walk_leaf(const permi_block *block, uint64_t plan, uint64_t chunks, size_t workspace,
                            permi_leaf *leaf)
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
  leaf->workspace = workspace;
  leaf->integer = block->integer != NULL;
}

static void permi_walk_lost(const permi_maker *maker, permi_leaf *leaf)
{
  if (maker->working->lost_error > 0) {
    leaf->bound_absolute = 2 * (DBL_MIN + maker->working->lost_error);
    leaf->estimate_absolute = leaf->bound_absolute;
  }
}
/* SPDX-License-Identifier: MIT */
