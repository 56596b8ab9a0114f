/* ======================================================================================== >>streams
   Makes a frontier's streams from an elimination order. */
#pragma once
#include "../graph/reduce.h"
#include "frontier.h"

/* Gives slots to lives (birth, death], -1 to vertices without. Low slots go to vertices that live through the most
   states, so that patterns and low words change least. life: 2 * vertices; busy: PERMI_MASK_WORDS for each of steps +
   1. Returns the number of slots; 0: too many, or stopped. */
static int permi_frontier_slots(const permi_frontier *frontier, int vertices, permi_ranked *life, uint64_t *busy,
                                permi_control *watch)
{
  const int *birth = frontier->birth, *death = frontier->death, words = PERMI_MASK_WORDS;
  int *slot = frontier->slot;
  int v, p, i, w, lives = 0, most = 1;
  double units = 0;
  for (v = 0; v < vertices; v++) {
    double weight = 0;
    slot[v] = -1;
    if (birth[v] < 0 || death[v] <= birth[v])
      continue;
    if (permi_watch_gather(watch, &units, 20.0 + death[v] - birth[v]))
      return 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      weight += frontier->states[p];
    memcpy(&life[lives].key, &weight, sizeof weight);
    life[lives].key = ~life[lives].key; /* greatest first: bits of doubles >= 0 have their order */
    life[lives++].vertex = v;
  }
  life = (permi_ranked *)permi_sort(life, life + vertices, (size_t)lives, sizeof *life, watch);
  if (!life)
    return 0;
  memset(busy, 0, ((size_t)frontier->steps + 1) * (size_t)words * sizeof *busy);
  for (i = 0; i < lives; i++) {
    v = life[i].vertex;
    if (permi_watch_gather(watch, &units, 20 + 4.0 * (death[v] - birth[v])))
      return 0;
    for (w = 0; w < words && slot[v] < 0; w++) {
      uint64_t taken = 0;
      for (p = birth[v] + 1; p <= death[v]; p++)
        taken |= busy[p * words + w];
      if (~taken)
        slot[v] = 64 * w + permi_trailing_zeros(~taken);
    }
    if (slot[v] < 0)
      return 0;
    most = slot[v] >= most ? slot[v] + 1 : most;
    for (p = birth[v] + 1; p <= death[v]; p++)
      busy[p * words + (slot[v] >> 6)] |= UINT64_C(1) << (slot[v] & 63);
  }
  return most;
}

static void permi_mask_set(uint64_t *mask, int slot)
{
  mask[slot >> 6] |= UINT64_C(1) << (slot & 63);
}

/* Lists the drop of a step's vertex if it has a slot, then its matches. */
static void permi_frontier_streams(permi_frontier *frontier, const permi_block *block, permi_control *watch)
{
  const size_t words = (size_t)frontier->mask_words, bytes = words * sizeof(uint64_t);
  const int *birth = frontier->birth, *death = frontier->death, *slot = frontier->slot;
  uint64_t *test = frontier->mask, gone[PERMI_MASK_WORDS], mine[PERMI_MASK_WORDS];
  double units = 0;
  int p, e, used = 0;
  for (p = 0; p < frontier->steps && !permi_watch_gather(watch, &units, 400); p++) {
    const int v = frontier->sequence[p], held = birth[v] >= 0 && birth[v] < p;
    frontier->stream_start[p] = used;
    memset(gone, 0, sizeof gone); /* bits that vanish, 1 in the source; mine: and v's */
    for (e = block->start[v]; e < block->start[v + 1]; e++)
      if (death[block->neighbour[e]] == p) /* in a block every vertex has two neighbours, hence a slot */
        permi_mask_set(gone, slot[block->neighbour[e]]);
    memcpy(mine, gone, sizeof mine);
    if (held)
      permi_mask_set(mine, slot[v]);
    for (e = block->start[v] - 1; e < block->start[v + 1]; e++) {
      const int drop = e < block->start[v], t = drop ? v : block->neighbour[e], word = slot[t] >> 6;
      const uint64_t bit = slot[t] < 0 ? 0 : UINT64_C(1) << (slot[t] & 63);
      uint64_t *want = test + words, *flip = want + words;
      if (drop ? !held : death[t] < p)
        continue;
      memcpy(test, mine, bytes);
      memcpy(want, drop ? mine : gone, bytes);
      memcpy(flip, want, bytes);
      frontier->partner[used] = drop ? -1 : t;
      frontier->coefficient[used++] =
          drop ? permi_coefficient_one() : permi_coefficient_of(block, block->edge[e], &frontier->numbers);
      if (!drop && bit && birth[t] >= 0 && birth[t] < p) {
        test[word] |= bit;
        want[word] &= ~bit;
        flip[word] = death[t] == p ? flip[word] & ~bit : flip[word] | bit;
      } else if (!drop && bit && death[t] > p) {
        flip[word] ^= bit;
      }
      test = flip + words;
    }
  }
  frontier->stream_start[p] = used;
}

static int permi_frontier_walk(permi_frontier *frontier, const permi_block *block, const int *order,
                               const double *binomial, permi_walk *walk, permi_control *watch)
{
  const int vertices = 2 * block->n;
  int i, e, v, p = 0;
  frontier->additions = 0;
  for (v = 0; v < vertices; v++)
    frontier->birth[v] = frontier->death[v] = -1;
  permi_walk_start(block, walk);
  frontier->states[0] = frontier->room[0] = frontier->room[1] = 1;
  frontier->cost[0] = frontier->ones[0] = 0;
  for (i = 0; i < vertices; i++) {
    int left, width, held, meet = 0;
    v = order[i];
    if (permi_watch_step(watch, (size_t)i, 100))
      return 0;
    if (walk->state[v] == 2)
      continue;
    left = walk->open[v];
    held = walk->state[v] == 1;
    permi_walk_step(block, walk, v);
    frontier->sequence[p] = v;
    frontier->death[v] = p;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (walk->state[t] == 2 && frontier->death[t] < 0) {
        frontier->death[t] = p;
        meet++;
      }
      if (walk->state[t] == 1 && frontier->birth[t] < 0)
        frontier->birth[t] = p;
    }
    width = walk->width[0] + walk->width[1];
    frontier->width = width > frontier->width ? width : frontier->width;
    p++;
    frontier->ones[p] = walk->width[0] - (walk->eliminated[1] - walk->eliminated[0]);
    meet += v < block->n ? frontier->ones[p] : width - frontier->ones[p];
    frontier->additions += (meet < left ? meet : left) + held - 1;
    frontier->states[p] = permi_walk_states(binomial, walk);
    frontier->cost[p] = frontier->cost[p - 1] + frontier->states[p - 1] / 4 + frontier->states[p] * (1 + 0.5 * left);
    frontier->room[p & 1] = fmax(frontier->room[p & 1], frontier->states[p]);
  }
  frontier->steps = p;
  return 1;
}

/* A state's value is the permanent of some lines, all that were eliminated among them, without the entries between two
   that were not. So the bound by all lines, with the entries that took part so far, holds for it. 0: out of memory. */
static int permi_frontier_lengths(permi_frontier *frontier, const permi_block *block, permi_pool *room)
{
  permi_majorant *line = (permi_majorant *)permi_pool_zeros(room, 2 * (size_t)block->n, sizeof *line);
  const size_t steps = (size_t)frontier->steps + 1;
  const int residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double bits[2] = {0, 0};
  int p, e, end;
  frontier->bits = (double *)permi_pool_get(&frontier->owned.pool, steps, sizeof(double));
  frontier->words = residues ? NULL : (int *)permi_pool_get(&frontier->owned.pool, steps, sizeof(int));
  if (!line || frontier->owned.pool.failed)
    return 0;
  frontier->bits[0] = 0;
  for (p = 0; p < frontier->steps; p++) {
    const int v = frontier->sequence[p];
    for (e = block->start[v]; e < block->start[v + 1]; e++)
      for (end = 0; end < 2 && frontier->death[block->neighbour[e]] >= p; end++) {
        const int u = end ? block->neighbour[e] : v;
        bits[u >= block->n] -= permi_majorant_bits(&line[u]);
        permi_majorant_enter(block, block->edge[e], &line[u]);
        bits[u >= block->n] += permi_majorant_bits(&line[u]);
      }
    frontier->bits[p + 1] = fmax(frontier->bits[p], permi_majorants_bits(bits));
  }
  for (p = 0; p <= frontier->steps && !residues; p++) {
    const int words = permi_words_of_bits(frontier->bits[p]);
    frontier->words[p] = words < frontier->numbers.words && p < frontier->steps ? words : frontier->numbers.words;
  }
  return 1;
}

/* How exact values are to be, and entries were. */
typedef struct permi_exactness {
  double roundings, lost_error; /* of a term's entries, in units; below the normal doubles */
  uint64_t modulus;             /* 0: none */
  int doubled;                  /* double-doubles */
} permi_exactness;

/* PERM_ERROR_LIMIT: frontier too wide, or stopped. PERM_ERROR_OVERFLOW: permanent too long. */
static perm_status permi_frontier_create(const perm_allocator *allocator, const permi_block *block, const int *order,
                                         const double *binomial, const permi_exactness *exactness,
                                         permi_control *watch, permi_frontier **made)
{
  const size_t vertices = 2 * (size_t)block->n, streams = (size_t)block->edges + vertices;
  permi_walk walk;
  permi_frontier *frontier = (permi_frontier *)permi_owned_new(allocator, sizeof *frontier);
  permi_pool room = {allocator, NULL, 0}, *pool;
  permi_ranked *life = (permi_ranked *)permi_pool_get(&room, 2 * vertices, sizeof *life);
  uint64_t *busy = (uint64_t *)permi_pool_get(&room, vertices + 1, PERMI_MASK_WORDS * sizeof *busy);
  perm_status status = PERM_ERROR_MEMORY;
  *made = frontier;
  walk.state = (unsigned char *)permi_pool_get(&room, vertices, 1);
  if (!permi_pool_ints(&room, &walk.open, vertices, &walk.frontier, vertices, &walk.place, vertices, (int **)NULL) ||
      !frontier)
    goto done;
  pool = &frontier->owned.pool;
  frontier->lost_error = exactness->lost_error;
  if (!permi_numbers_choose(&frontier->numbers, block, exactness->modulus, exactness->doubled)) {
    status = PERM_ERROR_OVERFLOW;
    goto done;
  }
  frontier->coefficient = (permi_coefficient *)permi_pool_get(pool, streams, sizeof *frontier->coefficient);
  frontier->states = (double *)permi_pool_get(pool, 2 * vertices + 2, sizeof(double));
  if (!permi_pool_ints(pool, &frontier->stream_start, vertices + 1, &frontier->partner, streams, &frontier->sequence,
                       vertices, &frontier->birth, vertices, &frontier->death, vertices, &frontier->slot, vertices,
                       &frontier->ones, vertices + 1, (int **)NULL))
    goto done;
  frontier->cost = frontier->states + vertices + 1;
  status = PERM_ERROR_LIMIT;
  if (!permi_frontier_walk(frontier, block, order, binomial, &walk, watch))
    goto done;
  frontier->slot_count = permi_frontier_slots(frontier, (int)vertices, life, busy, watch);
  frontier->mask_words = (frontier->slot_count + 63) / 64;
  if (frontier->slot_count == 0)
    goto done;
  frontier->mask = (uint64_t *)permi_pool_get(pool, streams, 3 * (size_t)frontier->mask_words * sizeof(uint64_t));
  status = frontier->mask ? status : PERM_ERROR_MEMORY;
  if (!frontier->mask)
    goto done;
  permi_frontier_streams(frontier, block, watch);
  if (block->integer && !permi_frontier_lengths(frontier, block, &room)) {
    status = PERM_ERROR_MEMORY;
    goto done;
  }
  frontier->bound_relative = permi_terms_bound(
      &frontier->numbers, exactness->roundings, (block->imaginary ? 2.42 : 1.0) * (block->n - 1) + frontier->additions,
      block->n + frontier->additions); /* >>steps */
  status = permi_watch(watch, 0) ? PERM_ERROR_LIMIT : PERM_OK;
done:
  permi_pool_release(&room);
  if (status == PERM_ERROR_MEMORY) {
    permi_owned_release(allocator, frontier);
    *made = NULL;
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
