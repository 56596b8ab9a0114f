/* =========================================================================================== >>tree
   Tables of a tree decomposition: bucket elimination [Dec99], linear in n for bounded treewidth. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/frontier.h"

/* The permanent is the coefficient of prod x_v in the product of (1 + a_uv x_u x_v) over the entries, x_v^2 = 0.
   Eliminating v multiplies the tables that know v and its remaining entries, and keeps the terms with x_v: a table over
   its scope, its neighbours when it goes.

   A table over a rows and b columns, whose subtree has d more columns than rows, holds the C(a + b, a - d) masks with
   d more matched rows than columns, in ascending order of "matched XOR is a row". The next vertex to go has the top
   bit: halves, vertex matched and not, are contiguous.
     join: all pairs of disjoint masks, by common parts; subset convolution (Bjorklund, Husfeldt, Kaski, Koivisto,
     STOC 2007) takes more additions, and cancels
     star: the entries of v: matched half += a (other half, that neighbour's bit turned)
   Tables wait on a stack, in post-order. Threads share joins and stars by places; sums keep their order. */

#define PERMI_TREE_WIDTH 28 /* vertices of a table before its own goes */
#define PERMI_TREE_LOW 12
#define PERMI_TREE_STARTS 4

typedef struct permi_tree_edge {
  int bit, vertex;
  permi_coefficient c;
} permi_tree_edge;

typedef struct permi_tree_node {
  int children, edge;
  int vertex, column;
  uint32_t rows, all; /* of scope and vertex, which is on top */
  uint32_t set;       /* the scope, as a set within the parent's */
  int difference;     /* columns - rows of the subtree */
} permi_tree_node;

typedef struct permi_tree {
  permi_owned owned;
  permi_numbers numbers;
  int size;
  int nodes, width, joins, depth;
  permi_tree_node *node;
  int *vertex; /* of a node: that which goes */
  permi_tree_edge *edge;
  double stack_values, work_values, most_states;
  double most_groups, pairs, states;
  double *cost; /* predicted seconds of all nodes before */
  double bound_relative, lost_error;
  uint32_t binomial[PERMI_TREE_WIDTH + 1][PERMI_TREE_WIDTH + 2];
} permi_tree;

/* Packs the bits of x at `set`. */
static uint32_t permi_tree_extract(uint32_t x, uint32_t set)
{
  uint32_t result = 0, bit = 1;
  for (; set; set &= set - 1, bit <<= 1)
    if (x & set & (0 - set))
      result |= bit;
  return result;
}

static uint32_t permi_tree_choose(const permi_tree *tree, int t, int k)
{
  return k < 0 || k > t ? 0 : tree->binomial[t][k];
}

static double permi_tree_weight(const permi_tree *tree)
{
  const double parts = tree->numbers.parts, words = tree->numbers.words;
  switch (tree->numbers.algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_WORD: return 1;
  case PERMI_SIGNED: return 1.5;
  case PERMI_COMPLEX: return 4;
  case PERMI_WORDS: return parts * parts * (3 + 0.5 * words * words);
  default: return 15 * parts * parts;
  }
}

typedef struct permi_tree_sketch {
  uint32_t set;
  int difference;
  double states;
} permi_tree_sketch;

/* Counts the pairs that a join multiplies. */
static double permi_tree_pairs(const permi_tree *tree, uint32_t rows, uint32_t one, int one_difference,
                               uint32_t other, int other_difference)
{
  const uint32_t common = one & other, own = one & ~common;
  const int a = permi_count_ones(common & rows), b = permi_count_ones(common & ~rows);
  const int a1 = permi_count_ones(own & rows), b1 = permi_count_ones(own & ~rows);
  const int a2 = permi_count_ones(other & rows), b2 = permi_count_ones(other & ~rows);
  double pairs = 0;
  int x, y;
  for (x = 0; x <= a; x++)
    for (y = 0; y <= b; y++)
      pairs += (double)permi_tree_choose(tree, a, x) * permi_tree_choose(tree, b, y) *
               permi_tree_choose(tree, a1 + b1, a1 - (one_difference - x + y)) *
               permi_tree_choose(tree, a2 - x + b2 - y, a2 - x - other_difference);
  return pairs;
}

typedef struct permi_tree_rank {
  uint32_t low[1 << PERMI_TREE_LOW];
  uint32_t high[1 << (PERMI_TREE_WIDTH - PERMI_TREE_LOW)];
} permi_tree_rank;

/* Rank of the bits of mask << shift, above k - |mask| ones. */
static uint32_t permi_tree_rank_of(const permi_tree *tree, uint32_t mask, int shift, int k)
{
  uint32_t rank = 0;
  int index = k - permi_count_ones(mask), p;
  for (; mask && index >= 0; mask &= mask - 1) {
    p = shift + permi_trailing_zeros(mask);
    rank += permi_tree_choose(tree, p, ++index);
  }
  return rank;
}

typedef struct permi_tree_table {
  uint64_t *value;
  uint32_t set;
  int difference;
  size_t states;
  permi_sizes sizes;
} permi_tree_table;

typedef struct permi_tree_run {
  permi_runner base;
  const permi_tree *tree;
  permi_tree_rank *rank;
  permi_tree_table *table;
  uint64_t *values, *work[2];
  uint32_t *mask[2], *index[2], *first[2];
  double weight;
  int stacked; /* tables */
  /* NULL, or takes the products at a node, then the node's own table; 0: out of memory. See >>trace */
  int (*keep)(void *keeper, const permi_tree_node *node, const permi_tree_table *table, int own);
} permi_tree_run;

#define PERMI_TREE_IN_CACHE 1e5 /* bytes of a product that stays in cache */
#define PERMI_TREE_CUT 8     /* common bits of a part's number: the heaviest of 2^b parts has (2/3)^b of all */
#define PERMI_TREE_OWN_CUT 6 /* with own bits of a factor, if fewer */
#define PERMI_TREE_PARTS 8

static size_t permi_tree_begin(size_t count, int part, int parts)
{
  return (size_t)((uint64_t)count * (uint64_t)part / (uint64_t)parts);
}

static int permi_tree_threads(const permi_tree_run *run, size_t states)
{
  return (double)states * PERMI_TREE_PAIR_SECONDS * run->weight < PERMI_SHARE_SECONDS ? 1 : run->base.threads;
}

typedef struct permi_tree_group {
  const uint32_t *mask, *index;
  size_t count;
  const uint64_t *value;
} permi_tree_group;

static PERMI_ALWAYS_INLINE void permi_tree_multiply_of(permi_algebra algebra, const permi_tree *tree,
                                                       const permi_tree_rank *rank, uint32_t m, const uint64_t *a,
                                                       const permi_tree_group *group, uint64_t *out)
{
  const permi_numbers *numbers = &tree->numbers;
  const size_t size = permi_value_words(algebra, numbers);
  const permi_coefficient c = permi_coefficient_from(algebra == PERMI_WORDS ? PERMI_WORD : algebra, numbers, a);
  const uint32_t *mask = group->mask, *index = group->index, *end = mask + group->count;
  const uint64_t *value = group->value;
  for (; mask < end; mask++, index++) {
    const uint32_t state = *mask ^ m;
    uint64_t *y = out + size * (rank->low[state & ((1u << PERMI_TREE_LOW) - 1)] + rank->high[state >> PERMI_TREE_LOW]);
    const uint64_t *x = value + size * *index;
    if (algebra == PERMI_WORDS)
      permi_words_accumulate(numbers->words, numbers->parts, a, y, x);
    else
      permi_value_add(algebra, numbers, &c, y, x, 0);
  }
}

typedef void (*permi_tree_multiplier)(const permi_tree *tree, const permi_tree_rank *rank, uint32_t m,
                                      const uint64_t *a, const permi_tree_group *group, uint64_t *out);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_tree_multiply_##name(const permi_tree *tree, const permi_tree_rank *rank, uint32_t m,              \
                                         const uint64_t *a, const permi_tree_group *group, uint64_t *out)              \
  { permi_tree_multiply_of(algebra, tree, rank, m, a, group, out); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_tree_multiply_##name,
static const permi_tree_multiplier permi_tree_multipliers[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

typedef struct permi_tree_pass {
  const permi_tree *tree;
  permi_tree_table *table;
  int parts, exp2;
  permi_sizes sizes;
} permi_tree_pass;

/* Measures a part of the table or, if exp2 is not 0, scales it. */
static perm_status permi_tree_pass_part(void *context, uint64_t part, int thread)
{
  permi_tree_pass *pass = (permi_tree_pass *)context;
  const size_t size = (size_t)pass->tree->size, begin = permi_tree_begin(pass->table->states, (int)part, pass->parts);
  const size_t count = permi_tree_begin(pass->table->states, (int)part + 1, pass->parts) - begin;
  double *values = (double *)(void *)pass->table->value + begin * size;
  permi_sizes sizes;
  (void)thread;
  if (pass->exp2) {
    permi_values_scale(values, count * size, pass->exp2);
    return PERM_OK;
  }
  permi_sizes_clear(&sizes);
  permi_values_track(pass->tree->numbers.algebra, values, count, &sizes);
  PERMI_OMP(critical(permi_tree_sizes))
  permi_sizes_join(&pass->sizes, &sizes);
  return PERM_OK;
}

/* Brings the largest size between 2^-100 and 2^100, so that products cannot overflow. */
static void permi_tree_rescale(const permi_tree_run *run, permi_tree_table *table)
{
  const int threads = permi_tree_threads(run, table->states);
  permi_tree_pass pass;
  if (permi_algebra_is_integer(run->tree->numbers.algebra))
    return;
  pass.tree = run->tree;
  pass.table = table;
  pass.parts = threads > 1 ? PERMI_TREE_PARTS * threads : 1;
  pass.exp2 = 0;
  permi_sizes_clear(&pass.sizes);
  permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
  table->sizes.smallest = pass.sizes.smallest;
  table->sizes.largest = pass.sizes.largest;
  if (pass.sizes.smallest < ldexp(pass.sizes.largest, PERMI_CANCELS))
    permi_values_ease(&run->tree->numbers, table->value, table->states, &table->sizes);
  pass.exp2 = permi_sizes_rescale(&table->sizes, 1.2e30, PERMI_SAFE_PRODUCT);
  if (pass.exp2)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
}

/* Groups the non-zero states by their matched vertices within `common`; group g begins at first[g]. */
static void permi_tree_sort(const permi_tree *tree, const permi_tree_table *table, uint32_t set, uint32_t rows,
                            uint32_t common, uint32_t *mask, uint32_t *index, uint32_t *first)
{
  const uint32_t own_rows = permi_tree_extract(rows, set), groups = 1u << permi_count_ones(common);
  const uint32_t within = permi_tree_extract(common, set);
  const int k = permi_count_ones(own_rows) - table->difference, tabled = table->states > 1000;
  const size_t size = (size_t)tree->size;
  const int integers = permi_algebra_is_integer(tree->numbers.algebra);
  uint32_t state, g, i, pass, group_of[4][128], mask_of[4][128]; /* by seven bits: 8 times as fast */
  for (i = 0; tabled && i < 512; i++) {
    group_of[i >> 7][i & 127] = permi_tree_extract((i & 127) << 7 * (i >> 7), within);
    mask_of[i >> 7][i & 127] = (uint32_t)permi_deposit_bits((i & 127) << 7 * (i >> 7), set);
  }
  for (g = 0; g <= groups; g++)
    first[g] = 0;
  for (pass = 0; pass < 2; pass++) {
    state = k ? (1u << k) - 1 : 0;
    for (i = 0; i < table->states; i++) {
      const uint64_t *x = table->value + i * size;
      size_t w = 0;
      while (integers && w < size && !x[w])
        w++;
      if (integers ? w < size : ((const double *)(const void *)x)[size - 1] != 0) {
        const uint32_t matched = state ^ own_rows;
        const uint32_t a = matched & 127, b = matched >> 7 & 127, c = matched >> 14 & 127, d = matched >> 21;
        g = tabled ? group_of[0][a] | group_of[1][b] | group_of[2][c] | group_of[3][d]
                   : permi_tree_extract(matched, within);
        if (pass == 0) {
          first[g + 1]++;
        } else {
          mask[first[g]] = tabled ? mask_of[0][a] | mask_of[1][b] | mask_of[2][c] | mask_of[3][d]
                                  : (uint32_t)permi_deposit_bits(matched, set);
          index[first[g]++] = i;
        }
      }
      if (state) {
        const uint32_t low = state & (0 - state), next = state + low;
        state = next | ((state ^ next) / low) >> 2;
      }
    }
    if (pass == 0)
      for (g = 0; g < groups; g++)
        first[g + 1] += first[g];
    else
      for (g = groups; g > 0; g--)
        first[g] = first[g - 1];
  }
  first[0] = 0;
}
/* SPDX-License-Identifier: MIT */
