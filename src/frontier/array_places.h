/* =================================================================================== >>array_places
   One memory for two steps of arrays: a step takes what the step before it gives back. */
#pragma once
#include "array_layout.h"

/* A step leaves some top bits as they are, and states that differ there do not meet. So it goes by turns, each for some
   settings of those bits: it places the target's values, first free fit, computes them, and frees the source's places.
   Sizes follow from counts of bits alone, so planning knows the memory. */

/* Turns of the greatest step, where bits allow. Order 100, 3 a line, 3.0e7 states, 487 MB for two steps: 2 turns 387
   MB, 4 344, 8 309, 16 294. Threads wait at the end of each turn, so none has fewer bytes than take a millisecond. */
#define PERMI_ARRAY_TURNS 8
#define PERMI_ARRAY_TURN_BYTES 4e6

typedef struct permi_gap {
  uint64_t begin, end;
} permi_gap;

struct permi_places {
  const permi_frontier *frontier;
  uint64_t *at[2]; /* of even and odd steps, for each word of top bits: where the values begin, in bytes */
  uint64_t bytes[2][PERMI_ARRAY_HIGH + 1]; /* by ones of top; 0: no such states */
  permi_gap *gap;                          /* free, ascending; the last has no end */
  int gaps;
  uint64_t used, most; /* most: bytes so far */
  uint64_t turn;       /* bytes of a turn */
  uint32_t fixed, rest[2], begin, next; /* of a step: bits left alone, others; settings of a turn */
  int done;
};

static size_t permi_places_tops(const permi_frontier *frontier)
{
  return (size_t)1 << frontier->arrays->top;
}

static int permi_places_open(permi_pool *pool, const permi_frontier *frontier, permi_places *places)
{
  const size_t tops = permi_places_tops(frontier);
  memset(places, 0, sizeof *places);
  places->frontier = frontier;
  places->at[0] = (uint64_t *)permi_pool_zeros(pool, 2 * tops, sizeof(uint64_t));
  places->gap = (permi_gap *)permi_pool_get(pool, 2 * tops + 2, sizeof(permi_gap));
  if (pool->failed)
    return 0;
  places->at[1] = places->at[0] + tops;
  return 1;
}

static uint64_t permi_places_find(permi_places *places, uint64_t bytes)
{
  permi_gap *gap = places->gap;
  uint64_t at;
  while (gap->end - gap->begin < bytes)
    gap++;
  at = gap->begin;
  gap->begin += bytes;
  places->most = gap->begin > places->most ? gap->begin : places->most;
  if (gap->begin == gap->end) {
    places->gaps--;
    memmove(gap, gap + 1, (size_t)(places->gap + places->gaps - gap) * sizeof *gap);
  }
  return at;
}

static void permi_places_free(permi_places *places, uint64_t at, uint64_t bytes)
{
  int low = 0, high = places->gaps - 1, before;
  permi_gap *gap;
  while (low < high) { /* the first gap behind */
    const int middle = (low + high) / 2;
    if (places->gap[middle].begin > at)
      high = middle;
    else
      low = middle + 1;
  }
  gap = places->gap + low;
  before = low > 0 && gap[-1].end == at;
  if (gap->begin == at + bytes) {
    gap->begin = at;
    if (before) {
      gap[-1].end = gap->end;
      places->gaps--;
      memmove(gap, gap + 1, (size_t)(places->gaps - low) * sizeof *gap);
    }
  } else if (before) {
    gap[-1].end = at + bytes;
  } else {
    memmove(gap + 1, gap, (size_t)(places->gaps - low) * sizeof *gap);
    places->gaps++;
    gap->begin = at;
    gap->end = at + bytes;
  }
}

/* Measures the places of step p: of its values as target and as the next source. */
static void permi_places_size(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t tops = arrays->occupied[p] >> (arrays->low + arrays->middle);
  const int below = permi_count_ones(arrays->occupied[p]) - permi_count_ones(tops);
  const int next = p < frontier->steps ? p + 1 : p;
  const uint64_t each = permi_arrays_bytes_at(frontier, next);
  int c, k;
  for (c = 0; c <= arrays->top; c++) {
    const int ones = frontier->ones[p] - c;
    uint64_t states = ones >= 0 && ones <= below && c <= permi_count_ones(tops);
    for (k = 1; k <= ones && states; k++)
      states = states * (uint64_t)(below - k + 1) / (uint64_t)k;
    places->bytes[p & 1][c] = states ? (states * each + PERMI_ARRAY_PAD + 63) & ~UINT64_C(63) : 0;
  }
}

static void permi_places_start(permi_places *places)
{
  const permi_frontier *frontier = places->frontier;
  double turn = PERMI_ARRAY_TURN_BYTES;
  int p;
  for (p = 0; p < frontier->steps; p++)
    turn = fmax(turn, frontier->states[p] * (double)permi_arrays_bytes_at(frontier, p + 1) / PERMI_ARRAY_TURNS);
  places->turn = (uint64_t)turn;
  places->gap[0].begin = 0;
  places->gap[0].end = UINT64_MAX;
  places->gaps = 1;
  permi_places_size(places, 0);
  places->at[0][0] = permi_places_find(places, places->bytes[0][0]);
}

static void permi_places_step(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const int above = arrays->low + arrays->middle;
  uint64_t fixed = arrays->occupied[p] & arrays->occupied[p + 1] & ~arrays->born[p + 1];
  int s, k;
  for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, s);
    fixed &= pull.keep & ~pull.flip;
  }
  places->fixed = (uint32_t)(fixed >> above);
  for (k = 0; k < 2; k++)
    places->rest[(p + k) & 1] = (uint32_t)(arrays->occupied[p + k] >> above) & ~places->fixed;
  places->next = 0;
  places->done = 0;
  permi_places_size(places, p + 1);
}

/* Begins a turn to target `side`: places it and lists its words of top bits in `top`. Returns their number. */
static int permi_places_turn(permi_places *places, int side, uint16_t *top)
{
  uint64_t bytes = 0;
  int tops = 0;
  places->begin = places->next;
  do {
    uint32_t x = 0;
    do {
      const uint32_t word = places->next | x;
      const uint64_t size = places->bytes[side][permi_count_ones(word)];
      if (size) {
        places->at[side][word] = permi_places_find(places, size);
        bytes += size;
        top[tops++] = (uint16_t)word;
      }
      x = (x - places->rest[side]) & places->rest[side];
    } while (x);
    places->next = (places->next - places->fixed) & places->fixed;
    places->done = places->next == 0;
  } while (!places->done && bytes < places->turn);
  return tops;
}

/* Ends a turn: frees what its states came from. */
static void permi_places_turned(permi_places *places, int side)
{
  const uint32_t rest = places->rest[side ^ 1];
  uint32_t fixed = places->begin;
  do {
    uint32_t x = 0;
    do {
      const uint64_t size = places->bytes[side ^ 1][permi_count_ones(fixed | x)];
      if (size)
        permi_places_free(places, places->at[side ^ 1][fixed | x], size);
      x = (x - rest) & rest;
    } while (x);
    fixed = (fixed - places->fixed) & places->fixed;
  } while (fixed != places->next);
}

/* Measures arrays->bytes, of a whole run. 0: out of memory. */
static int permi_places_measure(const permi_frontier *frontier, permi_control *watch)
{
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  permi_places places;
  uint16_t *top = (uint16_t *)permi_pool_get(&pool, permi_places_tops(frontier), sizeof *top);
  double units = 0;
  int p, opened = permi_places_open(&pool, frontier, &places);
  if (opened)
    permi_places_start(&places);
  for (p = 0; p < frontier->steps && opened; p++) {
    if (permi_watch_gather(watch, &units, 100 + 20.0 * (double)permi_places_tops(frontier)))
      break;
    permi_places_step(&places, p);
    while (!places.done) {
      permi_places_turn(&places, (p + 1) & 1, top);
      permi_places_turned(&places, (p + 1) & 1);
    }
  }
  frontier->arrays->bytes = opened ? (double)places.most : 0;
  permi_pool_release(&pool);
  return opened;
}
/* SPDX-License-Identifier: MIT */
