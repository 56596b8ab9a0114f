/* ===================================================================================== >>rook_order
   Elimination orders for >>placements, up to 64 rows and 64 columns. Annealing (>>order) ends in orders that differ by
   a factor of 2; a beam search finds other starting points, and the order predicted to be quickest wins. The beam keeps
   the `width` best sets of eliminated vertices of each size, with the cost of the best way to each. It extends them by
   the vertices that let the frontier grow least, or by at most `slack` more. Vertices without entries go at once. */
#pragma once
#include "placements.h"

#define PERMI_BEAM_LINES 64
#define PERMI_BEAM_FIRST 48  /* sets, doubled while it pays */
#define PERMI_BEAM_MOST 1024
#define PERMI_BEAM_SPACE 16  /* sets collected before the best are chosen, over the width */
#define PERMI_BEAM_AHEAD 8   /* chosen: weight of a set's states beside its cost */
#define PERMI_BEAM_UNITS 15  /* of permi_watch: a vertex looked at, */
#define PERMI_BEAM_SET_UNITS 150 /* a set made and sorted */

typedef struct permi_beam_set {
  uint64_t gone[2], touched[2]; /* rows, columns */
  double cost, states;
  int size, parent; /* number of the set before it */
  int vertex;       /* eliminated since */
} permi_beam_set;

typedef struct permi_beam {
  const permi_placements *plan;
  uint64_t adjacent[2][PERMI_BEAM_LINES];
  int lines[2], slack;
  size_t width, space;
  permi_beam_set *set; /* space of each size */
  size_t *count;
} permi_beam;

/* Sorts ways to the same set together, the best first. */
static int permi_beam_by_set(const void *a, const void *b)
{
  const permi_beam_set *x = (const permi_beam_set *)a, *y = (const permi_beam_set *)b;
  const int side = x->gone[0] == y->gone[0];
  int order = (x->gone[side] > y->gone[side]) - (x->gone[side] < y->gone[side]);
  if (!order)
    order = (x->cost > y->cost) - (x->cost < y->cost);
  if (!order)
    order = x->size != y->size ? x->size - y->size : x->parent - y->parent;
  return order ? order : x->vertex - y->vertex;
}

static int permi_beam_by_cost(const void *a, const void *b)
{
  const permi_beam_set *x = (const permi_beam_set *)a, *y = (const permi_beam_set *)b;
  const double p = x->cost + PERMI_BEAM_AHEAD * x->states, q = y->cost + PERMI_BEAM_AHEAD * y->states;
  return p != q ? (p > q) - (p < q) : permi_beam_by_set(a, b);
}

/* Keeps the best `width` different sets of a size. */
static void permi_beam_choose(permi_beam *beam, int size)
{
  permi_beam_set *set = beam->set + (size_t)size * beam->space;
  size_t i, kept = 0;
  qsort(set, beam->count[size], sizeof *set, permi_beam_by_set);
  for (i = 0; i < beam->count[size]; i++)
    if (!kept || set[i].gone[0] != set[kept - 1].gone[0] || set[i].gone[1] != set[kept - 1].gone[1])
      set[kept++] = set[i];
  qsort(set, kept, sizeof *set, permi_beam_by_cost);
  beam->count[size] = kept < beam->width ? kept : beam->width;
}

/* Returns the growth of the frontier by v's elimination. */
static int permi_beam_growth(const permi_beam *beam, const permi_beam_set *set, int side, int v)
{
  const uint64_t gone = set->gone[side] | (uint64_t)1 << v, *others = beam->adjacent[1 - side];
  uint64_t here = beam->adjacent[side][v] & ~set->gone[1 - side], bits;
  int growth = -(int)(set->touched[side] >> v & 1);
  for (bits = here; bits; bits &= bits - 1) {
    const int t = permi_trailing_zeros(bits);
    growth += ((others[t] & ~gone) != 0) - (int)(set->touched[1 - side] >> t & 1);
  }
  return growth;
}

/* Returns the bytes of all states, in units of 32 bits: values grow with what is eliminated. */
static double permi_beam_states(const permi_beam *beam, const permi_beam_set *set)
{
  const permi_placements *plan = beam->plan;
  const int rows = permi_count_ones(set->gone[0]), columns = permi_count_ones(set->gone[1]);
  const int width = permi_count_ones(set->touched[0]) + permi_count_ones(set->touched[1]);
  const int words = permi_placements_words(plan, PERMI_ROOK_LENGTH * plan->bits * (rows + columns) /
                                                     plan->block->vertices);
  const double price = words < 2 ? 1 + words : PERMI_WORD_SECONDS * words / (4 * PERMI_ROOK_BYTE_SECONDS);
  return ldexp(price * (1 + (rows < columns ? rows : columns)), width);
}

/* Eliminates v from set `parent` of `size`. */
static void permi_beam_add(permi_beam *beam, int size, int parent, int side, int v)
{
  const int other = 1 - side;
  permi_beam_set next = beam->set[(size_t)size * beam->space + (size_t)parent];
  const uint64_t here = beam->adjacent[side][v] & ~next.gone[other];
  const double before = next.states;
  uint64_t bits;
  next.gone[side] |= (uint64_t)1 << v;
  next.touched[side] &= ~((uint64_t)1 << v);
  for (bits = here; bits; bits &= bits - 1) {
    const int t = permi_trailing_zeros(bits);
    const uint64_t bit = bits & (0 - bits);
    const int alive = (beam->adjacent[other][t] & ~next.gone[side]) != 0;
    next.touched[other] = alive ? next.touched[other] | bit : next.touched[other] & ~bit;
    next.gone[other] |= alive ? 0 : bit;
  }
  next.states = permi_beam_states(beam, &next);
  next.cost += before / 4 + next.states * (1 + 0.5 * permi_count_ones(here));
  next.vertex = side ? beam->lines[0] + v : v;
  next.parent = parent;
  next.size = size;
  size = permi_count_ones(next.gone[0]) + permi_count_ones(next.gone[1]);
  if (beam->count[size] == beam->space)
    permi_beam_choose(beam, size);
  beam->set[(size_t)size * beam->space + beam->count[size]++] = next;
}

/* Extends all sets of a size. */
static void permi_beam_extend(permi_beam *beam, int size)
{
  size_t i;
  int line, k;
  for (i = 0; i < beam->count[size]; i++) {
    const permi_beam_set *set = &beam->set[(size_t)size * beam->space + i];
    int growth[2 * PERMI_BEAM_LINES], least = INT_MAX, made = 0;
    for (line = 0; line < beam->lines[0] + beam->lines[1]; line++) {
      k = line >= beam->lines[0];
      if (set->gone[k] >> (line - k * beam->lines[0]) & 1) {
        growth[line] = INT_MAX;
        continue;
      }
      growth[line] = permi_beam_growth(beam, set, k, line - k * beam->lines[0]);
      least = growth[line] < least ? growth[line] : least;
    }
    for (line = 0; line < beam->lines[0] + beam->lines[1]; line++)
      if (growth[line] != INT_MAX && growth[line] <= least + beam->slack) {
        k = line >= beam->lines[0];
        permi_beam_add(beam, size, (int)i, k, line - k * beam->lines[0]);
        made++;
      }
    if (permi_watch(beam->plan->watch, PERMI_BEAM_UNITS * (double)(beam->plan->block->vertices - size) +
                                           PERMI_BEAM_SET_UNITS * (double)made))
      return;
  }
}

/* Writes an order; returns 0 without memory or if stopped. */
static int permi_beam_search(const permi_placements *plan, size_t width, int slack, int *order)
{
  const permi_block *block = plan->block;
  const size_t sizes = (size_t)block->vertices + 1;
  permi_pool pool = {plan->allocator, NULL, 0};
  permi_beam beam;
  const permi_beam_set *set;
  uint64_t listed[2] = {0, 0};
  int v, e, size = 0, done = 0, at, parent = 0;
  memset(&beam, 0, sizeof beam);
  beam.plan = plan;
  beam.lines[0] = block->n;
  beam.lines[1] = block->vertices - block->n;
  beam.width = width;
  beam.space = PERMI_BEAM_SPACE * width;
  beam.slack = slack;
  beam.set = (permi_beam_set *)permi_pool_get(&pool, sizes * beam.space, sizeof *beam.set);
  beam.count = (size_t *)permi_pool_get(&pool, sizes, sizeof *beam.count);
  if (!pool.failed) {
    for (v = 0; v < block->vertices; v++)
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int k = v >= block->n, t = block->neighbour[e];
        beam.adjacent[k][v - k * block->n] |= (uint64_t)1 << (t - (k ? 0 : block->n));
      }
    memset(beam.count, 0, sizes * sizeof *beam.count);
    memset(beam.set, 0, sizeof *beam.set);
    beam.set->states = 1;
    beam.count[0] = 1;
    for (; size < block->vertices && plan->watch->stopped == PERM_OK; size++) {
      permi_beam_choose(&beam, size);
      permi_beam_extend(&beam, size);
    }
    permi_beam_choose(&beam, size);
    done = plan->watch->stopped == PERM_OK;
  }
  set = done ? beam.set + (size_t)size * beam.space : NULL;
  at = block->vertices;
  for (; set && set->size < size; set = beam.set + (size_t)size * beam.space + parent) {
    const int k = set->vertex >= block->n;
    listed[k] |= (uint64_t)1 << (set->vertex - k * block->n);
    order[--at] = set->vertex;
    parent = set->parent;
    size = set->size;
  }
  if (done)
    memmove(order, order + at, (size_t)(block->vertices - at) * sizeof *order);
  for (at = block->vertices - at, v = 0; done && v < block->vertices; v++) /* those that went by themselves */
    if (!(listed[v >= block->n] >> (v - (v >= block->n) * block->n) & 1))
      order[at++] = v;
  permi_pool_release(&pool);
  return done;
}
/* SPDX-License-Identifier: MIT */
