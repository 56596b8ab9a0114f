/* ======================================================================================== >>streams
   From an elimination order to the streams of every step: who sits in which slot, who dies when. */
#pragma once
#include "../block/reduce.h"
#include "frontier.h"

typedef struct permi_life {
  double weight;
  int vertex;
} permi_life;

static int permi_life_compare(const void *left, const void *right)
{
  const permi_life *a = (const permi_life *)left, *b = (const permi_life *)right;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return a->vertex - b->vertex;
}

static void permi_frontier_release(const perm_allocator *allocator, void *context)
{
  permi_frontier *frontier = (permi_frontier *)context;
  if (!frontier)
    return;
  permi_release(allocator, frontier->stream_start);
  permi_release(allocator, frontier->stream);
  permi_release(allocator, frontier->more);
  permi_release(allocator, frontier->states);
  permi_release(allocator, frontier->cost);
  permi_arrays_release(allocator, frontier->arrays);
  permi_release(allocator, frontier);
}

/* Slots for the vertices' lives (birth, death]: a slot is free again for what enters in the step of its death.
   The low slots go to those that live through the most states: their patterns then change least from group to
   group, and tests and flips fall on the high bits, once for a group. busy: PERMI_MASK_WORDS for each of steps + 1.
   Returns how many slots there are, 0: more than PERMI_FRONTIER_WIDTH at once, or watch says stop. */
static int permi_frontier_slots(const permi_frontier *frontier, int vertices, const int *birth, const int *death,
                                permi_life *life, uint64_t *busy, int *slot, permi_control *watch)
{
  int v, p, i, lives = 0, most = 1;
  double units = 0;
  for (v = 0; v < vertices; v++) {
    slot[v] = -1;
    if (birth[v] < 0 || death[v] <= birth[v])
      continue;
    if (permi_watch_gather(watch, &units, 20.0 + death[v] - birth[v]))
      return 0;
    life[lives].vertex = v;
    life[lives].weight = 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      life[lives].weight += frontier->states[p];
    lives++;
  }
  if (!permi_sort(life, (size_t)lives, sizeof *life, permi_life_compare, watch))
    return 0;
  memset(busy, 0, ((size_t)frontier->steps + 1) * PERMI_MASK_WORDS * sizeof *busy);
  for (i = 0; i < lives; i++) {
    int w;
    v = life[i].vertex;
    if (permi_watch_gather(watch, &units, 20 + 4.0 * (death[v] - birth[v])))
      return 0;
    for (w = 0; w < PERMI_MASK_WORDS; w++) {
      uint64_t taken = 0;
      for (p = birth[v] + 1; p <= death[v]; p++)
        taken |= busy[(size_t)p * PERMI_MASK_WORDS + (size_t)w];
      if (~taken) {
        slot[v] = 64 * w + permi_trailing_zeros(~taken);
        break;
      }
    }
    if (w == PERMI_MASK_WORDS)
      return 0;
    most = slot[v] >= most ? slot[v] + 1 : most;
    for (p = birth[v] + 1; p <= death[v]; p++)
      busy[(size_t)p * PERMI_MASK_WORDS + (size_t)w] |= UINT64_C(1) << (slot[v] & 63);
  }
  return most;
}

static int64_t permi_residue_of(int64_t x, uint64_t p)
{
  perm_integer integer = permi_integer_of(x);
  permi_integer_reduce(&integer, p);
  return (int64_t)integer.word[0];
}

/* A slot's bit of a mask of PERMI_MASK_WORDS words. */
static void permi_mask_set(uint64_t *mask, int slot)
{
  mask[slot >> 6] |= UINT64_C(1) << (slot & 63);
}

static void permi_mask_store(permi_frontier *frontier, int stream, const uint64_t *test, const uint64_t *want,
                             const uint64_t *flip)
{
  const size_t others = (size_t)frontier->mask_words - 1;
  frontier->stream[stream].test = test[0];
  frontier->stream[stream].want = want[0];
  frontier->stream[stream].flip = flip[0];
  if (others) {
    uint64_t *more = frontier->more + (size_t)stream * 3 * others;
    memcpy(more, test + 1, others * sizeof *more);
    memcpy(more + others, want + 1, others * sizeof *more);
    memcpy(more + 2 * others, flip + 1, others * sizeof *more);
  }
}

/* The streams of every step. */
static void permi_frontier_streams(permi_frontier *frontier, const permi_block *block, const int *sequence,
                                   const int *birth, const int *death, const int *slot, permi_control *watch)
{
  const size_t bytes = PERMI_MASK_WORDS * sizeof(uint64_t);
  double units = 0;
  int p, e, used = 0;
  for (p = 0; p < frontier->steps && !permi_watch_gather(watch, &units, 400); p++) {
    int v = sequence[p], held = birth[v] >= 0 && birth[v] < p;
    uint64_t gone[PERMI_MASK_WORDS], mine[PERMI_MASK_WORDS]; /* what vanishes: tested 1, flipped to 0; with v's bit */
    frontier->stream_start[p] = used;
    memset(gone, 0, bytes);
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      int t = block->neighbour[e];
      if (death[t] == p) /* it had a slot: in a block of order 2 or more every vertex has two neighbours */
        permi_mask_set(gone, slot[t]);
    }
    memcpy(mine, gone, bytes);
    if (held) {
      permi_stream *stream = &frontier->stream[used];
      permi_mask_set(mine, slot[v]);
      permi_mask_store(frontier, used++, mine, mine, mine);
      stream->real = stream->absolute = 1;
      stream->imaginary = 0;
      stream->integer[0] = 1;
      stream->integer[1] = 0;
    }
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      int t = block->neighbour[e];
      permi_stream *stream = &frontier->stream[used];
      uint64_t test[PERMI_MASK_WORDS], want[PERMI_MASK_WORDS], flip[PERMI_MASK_WORDS];
      if (death[t] < p)
        continue;
      memcpy(test, mine, bytes);
      memcpy(want, gone, bytes);
      memcpy(flip, gone, bytes);
      if (slot[t] >= 0) {
        const int word = slot[t] >> 6;
        const uint64_t bit = UINT64_C(1) << (slot[t] & 63);
        if (birth[t] >= 0 && birth[t] < p) {
          test[word] |= bit;
          want[word] &= ~bit;
          flip[word] = death[t] == p ? flip[word] & ~bit : flip[word] | bit;
        } else if (death[t] > p) {
          flip[word] ^= bit; /* the slot may be one that vanishes in this very step */
        }
      }
      permi_mask_store(frontier, used, test, want, flip);
      stream->real = block->real ? block->real[block->edge[e]] : 0;
      stream->imaginary = block->imaginary ? block->imaginary[block->edge[e]] : 0;
      stream->absolute = block->real ? block->absolute[block->edge[e]] : 0;
      stream->integer[0] = block->integer ? block->integer[block->edge[e]] : 0;
      stream->integer[1] = block->imaginary_integer ? block->imaginary_integer[block->edge[e]] : 0;
      if (frontier->algebra == PERMI_RESIDUES) {
        stream->integer[0] = permi_residue_of(stream->integer[0], frontier->modulus);
        stream->integer[1] = permi_residue_of(stream->integer[1], frontier->modulus);
      }
      used++;
    }
  }
  frontier->stream_start[p] = used;
}

/* log2 of a bound on the permanents of the block of integers: for rows as for columns the product of the sums of
   moduli, or where all moduli are 1 Minc and Bregman's product of r!^(1/r) [Bre73]. Rounded up by far. */
static double permi_block_bits(const permi_block *block)
{
  double bits[2] = {0, 0};
  int v, e;
  for (v = 0; v < 2 * block->n; v++) {
    const int degree = block->start[v + 1] - block->start[v];
    double sum = 0;
    int ones = 1;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      double x = fabs((double)block->integer[block->edge[e]]);
      if (block->imaginary_integer)
        x += fabs((double)block->imaginary_integer[block->edge[e]]);
      sum += x;
      ones &= x == 1;
    }
    bits[v >= block->n] += ones ? permi_log2_factorial(degree) / degree : log2(sum);
  }
  return (bits[0] < bits[1] ? bits[0] : bits[1]) * (1 + 1e-10) + 1e-6;
}

/* How integers are kept. 0: the permanent may be too long for a perm_integer, and no modulus makes it shorter. */
#define PERMI_RESIDUE_WORDS 8 /* a residue product costs a division: as much as so many words */
static int permi_frontier_integers(permi_frontier *frontier, const permi_block *block, uint64_t modulus)
{
  const double bits = permi_block_bits(block) + 1; /* the sign */
  frontier->parts = block->imaginary_integer ? 2 : 1;
  frontier->words = bits < 64 * PERM_INTEGER_WORDS ? (int)(bits / 64) + 1 : PERM_INTEGER_WORDS + 1;
  frontier->algebra = frontier->parts == 2 || frontier->words > 2 ? PERMI_WORDS
                      : frontier->words == 2                      ? PERMI_WIDE
                                                                  : PERMI_WORD;
  if (modulus && frontier->words > PERMI_RESIDUE_WORDS) {
    frontier->algebra = PERMI_RESIDUES;
    frontier->modulus = modulus;
    frontier->words = 1;
  }
  return frontier->words <= PERM_INTEGER_WORDS;
}

/* PERM_ERROR_LIMIT: the frontier has more than PERMI_FRONTIER_WIDTH vertices. PERM_ERROR_OVERFLOW: the permanent may be
   too long for a perm_integer. roundings: of an entry's terms. modulus: for integers, or 0. doubled: 1 for
   double-double. watch: says stop by PERM_ERROR_LIMIT; may be NULL. */
static perm_status permi_frontier_create(const perm_allocator *allocator, const permi_block *block, const int *order,
                                         const double *binomial, double roundings, double lost_error,
                                         uint64_t modulus, int doubled, permi_control *watch,
                                         permi_frontier **made)
{
  int n = block->n, i, e, v, p = 0;
  size_t vertices = 2 * (size_t)n;
  permi_walk walk;
  permi_frontier *frontier = (permi_frontier *)permi_allocate(allocator, 1, sizeof *frontier);
  int *numbers = (int *)permi_allocate(allocator, 7 * vertices, sizeof(int));
  permi_life *life = (permi_life *)permi_allocate(allocator, vertices, sizeof *life);
  uint64_t *busy = (uint64_t *)permi_allocate(allocator, vertices + 1, PERMI_MASK_WORDS * sizeof *busy);
  perm_status status = PERM_ERROR_MEMORY;
  int *sequence, *birth, *death, *slot;
  *made = frontier;
  walk.state = (unsigned char *)permi_allocate(allocator, vertices, 1);
  if (frontier)
    memset(frontier, 0, sizeof *frontier);
  if (!frontier || !numbers || !life || !busy || !walk.state)
    goto done;
  walk.open = numbers;
  walk.frontier = numbers + vertices;
  walk.place = numbers + 2 * vertices;
  sequence = numbers + 3 * vertices;
  birth = numbers + 4 * vertices;
  death = numbers + 5 * vertices;
  slot = numbers + 6 * vertices;
  frontier->allocator = *allocator;
  frontier->algebra = PERMI_MAGNITUDES;
  frontier->words = frontier->parts = 1;
  if (block->integer && !permi_frontier_integers(frontier, block, modulus)) {
    status = PERM_ERROR_OVERFLOW;
    goto done;
  }
  for (i = 0; i < block->edges && !block->integer; i++)
    if (block->real[i] != block->absolute[i])
      frontier->algebra = PERMI_SIGNED;
  if (block->imaginary)
    frontier->algebra = PERMI_COMPLEX;
  if (doubled && !block->integer)
    frontier->algebra = (permi_algebra)((int)frontier->algebra + PERMI_MAGNITUDES_DD);
  frontier->stream_start = (int *)permi_allocate(allocator, vertices + 1, sizeof(int));
  frontier->stream = (permi_stream *)permi_allocate(allocator, (size_t)block->edges + vertices, sizeof(permi_stream));
  frontier->states = (double *)permi_allocate(allocator, vertices + 1, sizeof(double));
  frontier->cost = (double *)permi_allocate(allocator, vertices + 1, sizeof(double));
  if (!frontier->stream_start || !frontier->stream || !frontier->states || !frontier->cost)
    goto done;
  for (v = 0; v < 2 * n; v++)
    birth[v] = death[v] = -1;
  permi_walk_start(block, &walk);
  frontier->states[0] = frontier->room[0] = frontier->room[1] = 1;
  frontier->cost[0] = 0;
  for (i = 0; i < 2 * n; i++) {
    int left;
    v = order[i];
    if (permi_watch_step(watch, (size_t)i, 100)) {
      status = PERM_ERROR_LIMIT;
      goto done;
    }
    if (walk.state[v] == 2)
      continue;
    left = walk.open[v];
    permi_walk_step(block, &walk, v);
    sequence[p] = v;
    death[v] = p;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      int t = block->neighbour[e];
      if (walk.state[t] == 2 && death[t] < 0)
        death[t] = p;
      if (walk.state[t] == 1 && birth[t] < 0)
        birth[t] = p;
    }
    if (walk.width[0] + walk.width[1] > frontier->width)
      frontier->width = walk.width[0] + walk.width[1];
    p++;
    frontier->states[p] = permi_walk_states(binomial, &walk);
    frontier->cost[p] = frontier->cost[p - 1] + frontier->states[p - 1] / 4 + frontier->states[p] * (1 + 0.5 * left);
    if (frontier->states[p] > frontier->room[p & 1])
      frontier->room[p & 1] = frontier->states[p];
  }
  frontier->steps = p;
  i = permi_frontier_slots(frontier, 2 * n, birth, death, life, busy, slot, watch);
  frontier->slots = i;
  frontier->mask_words = (i + 63) / 64;
  if (frontier->mask_words > 1) {
    frontier->more = (uint64_t *)permi_allocate(allocator, (size_t)block->edges + vertices,
                                                3 * ((size_t)frontier->mask_words - 1) * sizeof *frontier->more);
    if (!frontier->more)
      goto done;
  }
  status = PERM_ERROR_LIMIT;
  if (i == 0)
    goto done;
  permi_frontier_streams(frontier, block, sequence, birth, death, slot, watch);
  if (permi_watch(watch, 0))
    goto done;
  {
    const double sums = frontier->stream_start[p] - frontier->steps;
    const double operations = (block->imaginary ? 3.0 : 1.0) * n + sums;
    double gamma = permi_gamma(roundings + operations), doubtful = permi_gamma(roundings + n + sums);
    if (doubled)
      gamma = permi_gamma(roundings) * (1 + 1e-12) + operations * PERMI_DD_UNIT / (1 - operations * PERMI_DD_UNIT);
    frontier->bound_relative = gamma / (1 - doubtful) * (1 + 8 * PERMI_UNIT);
    frontier->lost_error = lost_error;
  }
  status = PERM_OK;
done:
  permi_release(allocator, numbers);
  permi_release(allocator, life);
  permi_release(allocator, busy);
  permi_release(allocator, walk.state);
  if (status == PERM_ERROR_MEMORY) {
    permi_frontier_release(allocator, frontier);
    *made = NULL;
  }
  return status;
}
