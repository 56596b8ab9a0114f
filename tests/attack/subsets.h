/* The oracle: a program over subsets of columns, row by row, in long integers. Its states are kept in a hash table, so
   sparse matrices of higher orders have few; equal columns are counted, not told apart; columns without entries in
   later rows are closed. Nothing here shares code with the headers. */
#ifndef PERM_ATTACK_SUBSETS_H_INCLUDED
#define PERM_ATTACK_SUBSETS_H_INCLUDED

#include "wide.h"

enum { LINES_MOST = 40, STATES_MOST = 150000, TABLE_SIZE = 1 << 19 };

typedef enum asked { PERMANENT, MINORS, ROOKS } asked;

/* Minors: value[j] without row `last` and column j; rooks: value[k] of k rooks; else value[0]. Complex: two each. */
typedef struct answer { int words, parts; wide value[2 * (LINES_MOST + 1)]; } answer;

typedef struct layer {
  int states;
  uint64_t *mask;
  unsigned char *rooks;
  uint64_t *value; /* parts * words each */
} layer;

static struct {
  layer layer[2];
  int32_t *table;
  size_t value_size;
} subsets_memory;

static void layer_fit(size_t size)
{
  int k;
  if (!subsets_memory.table) {
    subsets_memory.table = (int32_t *)malloc(sizeof(int32_t) * TABLE_SIZE);
    memset(subsets_memory.table, -1, sizeof(int32_t) * TABLE_SIZE);
  }
  for (k = 0; k < 2 && (subsets_memory.value_size < size); k++) {
    layer *l = &subsets_memory.layer[k];
    l->mask = (uint64_t *)realloc(l->mask, sizeof(uint64_t) * STATES_MOST);
    l->rooks = (unsigned char *)realloc(l->rooks, STATES_MOST);
    free(l->value);
    l->value = (uint64_t *)malloc(sizeof(uint64_t) * size * STATES_MOST);
    if (!l->mask || !l->rooks || !l->value || !subsets_memory.table)
      abort();
  }
  if (subsets_memory.value_size < size)
    subsets_memory.value_size = size;
}

static size_t table_place(uint64_t mask, int rooks)
{
  uint64_t h = (mask ^ (uint64_t)rooks << 56) * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return (size_t)(h >> 32) % TABLE_SIZE;
}

/* The value of a state of the layer, made if it is new; NULL: there are too many */
static uint64_t *layer_state(layer *l, uint64_t mask, int rooks, size_t size)
{
  size_t at = table_place(mask, rooks);
  for (; subsets_memory.table[at] >= 0; at = (at + 1) % TABLE_SIZE) {
    const int s = subsets_memory.table[at];
    if (l->mask[s] == mask && l->rooks[s] == rooks)
      return l->value + size * (size_t)s;
  }
  if (l->states == STATES_MOST)
    return NULL;
  subsets_memory.table[at] = l->states;
  l->mask[l->states] = mask;
  l->rooks[l->states] = (unsigned char)rooks;
  memset(l->value + size * (size_t)l->states, 0, sizeof(uint64_t) * size);
  return l->value + size * (size_t)l->states++;
}

/* The table without the layer's states, found at the ends of their chains first */
static void table_clear(const layer *l)
{
  int s;
  if (l->states > TABLE_SIZE / 16) {
    memset(subsets_memory.table, -1, sizeof(int32_t) * TABLE_SIZE);
    return;
  }
  for (s = 0; s < l->states; s++) {
    size_t at = table_place(l->mask[s], l->rooks[s]);
    for (; subsets_memory.table[at] >= 0; at = (at + 1) % TABLE_SIZE)
      subsets_memory.table[at] = -1;
  }
}

/* An order of the rows in which few columns are open; `last` (or -1) comes last. used[j]: rows with an entry there. */
static void rows_in_order(int m, int n, const uint64_t *row, int last, int *order)
{
  uint64_t left = (m == 64 ? 0 : UINT64_C(1) << m) - 1, open = 0;
  int k, i, j;
  if (last >= 0)
    left &= ~(UINT64_C(1) << last);
  for (k = 0; left; k++) {
    int best = -1, best_cost = 0;
    for (i = 0; i < m; i++)
      if (left >> i & 1) {
        uint64_t later = 0;
        int cost;
        for (j = 0; j < m; j++)
          later |= left >> j & 1 && j != i ? row[j] : 0;
        cost = 2 * __builtin_popcountll((open | row[i]) & later) + (__builtin_popcountll(row[i] & ~open) > 0);
        if (best < 0 || cost < best_cost)
          best = i, best_cost = cost;
      }
    order[k] = best;
    open |= row[best];
    left &= ~(UINT64_C(1) << best);
  }
  if (last >= 0)
    order[k] = last;
  (void)n;
}

/* entry(i, j) is at a + (i * n + j) * parts. m <= n, or rooks. 0: too many states. */
static int subsets_solve(asked what, int m, int n, int parts, const int64_t *a, int last, answer *result)
{
  uint64_t row[LINES_MOST], group[LINES_MOST], all = n ? ~UINT64_C(0) >> (64 - n) : 0;
  int order[LINES_MOST], i, j, k, p, step, words, steps = what == MINORS ? m - 1 : m;
  const int slack = what == PERMANENT ? n - m : 1;
  double bits = 3;
  size_t size;
  layer *from = &subsets_memory.layer[0], *to = &subsets_memory.layer[1];
  for (i = 0; i < m; i++) {
    double sum = 1;
    for (row[i] = 0, j = 0; j < n; j++)
      for (p = 0; p < parts; p++) {
        row[i] |= a[(i * n + j) * parts + p] ? UINT64_C(1) << j : 0;
        sum += fabs((double)a[(i * n + j) * parts + p]);
      }
    bits += log2(sum) + 1e-6;
  }
  words = result->words = (int)(bits / 64) + 1;
  result->parts = parts;
  memset(result->value, 0, sizeof result->value);
  if (words > WIDE_MOST)
    abort();
  for (j = 0; j < n; j++) { /* the group of a column: all columns equal to it */
    for (group[j] = 0, k = 0; k < n; k++) {
      for (i = 0; i < m && !memcmp(a + (i * n + j) * parts, a + (i * n + k) * parts, sizeof *a * (size_t)parts);)
        i++;
      group[j] |= i == m ? UINT64_C(1) << k : 0;
    }
  }
  rows_in_order(m, n, row, what == MINORS ? last : -1, order);
  size = (size_t)(words * parts);
  layer_fit(size);
  from->states = to->states = 0;
  layer_state(from, 0, 0, size)[0] = 1;
  table_clear(from);
  for (step = 0; step < steps; step++, from = to, to = &subsets_memory.layer[to == &subsets_memory.layer[0]]) {
    uint64_t later = 0;
    int s;
    i = order[step];
    for (k = step + 1; k < steps; k++)
      later |= row[order[k]];
    to->states = 0;
    for (s = 0; s < from->states; s++)
      for (j = what == ROOKS ? -1 : 0; j < n; j++) { /* -1: no rook in this row */
        const uint64_t mask = from->mask[s], unused = j < 0 ? 0 : group[j] & ~mask;
        const int64_t *entry = a + (i * n + j) * parts;
        const uint64_t *old = from->value + size * (size_t)s;
        uint64_t *sum, next = mask | (unused & -unused);
        const int times = j < 0 ? 1 : __builtin_popcountll(unused);
        int open;
        if (j >= 0 && (!(row[i] >> j & 1) || !unused || (group[j] & ((UINT64_C(1) << j) - 1))))
          continue;
        open = __builtin_popcountll(~next & ~later & all);
        if (what != ROOKS && open > slack)
          continue;
        if (what == ROOKS || (what == PERMANENT && slack))
          next |= ~later & all;
        sum = layer_state(to, next, from->rooks[s] + (what == ROOKS && j >= 0), size);
        if (!sum) {
          table_clear(to);
          return 0;
        }
        wide_add_product(sum, old, words, j < 0 ? 1 : entry[0], times);
        if (parts == 2) {
          wide_add_product(sum + words, old + words, words, j < 0 ? 1 : entry[0], times);
          if (j >= 0 && entry[1]) {
            wide_add_product(sum, old + words, words, -entry[1], times);
            wide_add_product(sum + words, old, words, entry[1], times);
          }
        }
      }
    table_clear(to);
  }
  for (k = 0; k < from->states; k++)
    for (j = 0; j < (what == MINORS ? n : 1); j++) {
      const int at = what == MINORS ? j : what == ROOKS ? from->rooks[k] : 0;
      if (what == MINORS && (~from->mask[k] & all & group[j]) == 0)
        continue;
      for (p = 0; p < parts; p++)
        wide_add_product(result->value[at * parts + p].word, from->value + size * (size_t)k + words * p, words, 1, 1);
    }
  for (j = 0; j < (what == MINORS ? n : 0); j++) /* the sum over which of the equal columns is left */
    for (p = 0; p < parts; p++)
      wide_divide(&result->value[j * parts + p], words, (uint64_t)__builtin_popcountll(group[j]));
  return 1;
}

#endif
/* SPDX-License-Identifier: MIT */
