/* =========================================================================================== >>tree
   Tables of a tree decomposition: bucket elimination. The permanent is the coefficient of the product of all x_v in the
   product of (1 + a_uv x_u x_v) over the entries, where x_v^2 = 0. Eliminating v multiplies the tables that know v and
   the entries of v that are left, and keeps the terms with x_v; so every vertex of the elimination tree yields one
   table over its scope, the neighbours that it has when it goes, and tables of different branches do not meet before
   their branches do. That is linear in n for bounded treewidth, where a frontier grows with the depth of the tree.
   [Dec99]

   A table over a rows and b columns whose subtree has d more columns than rows holds the C(a + b, a - d) masks that
   have d more matched rows than columns: as numbers "matched XOR is a row" they have a - d bits, and are ranked in
   ascending (colexicographic) order. Bits are by time of elimination, the last to go lowest, so what goes next is the
   top bit, and the two halves of a table, vertex matched and not, are contiguous.
     join     of two tables: all pairs of disjoint masks, by groups of the masks' common part; what the subset
              convolution of A. Bjorklund, T. Husfeldt, P. Kaski, M. Koivisto (STOC 2007) does with more additions and
              with cancellation
     star     the entries of v at once: half where v is matched += a (other half, that neighbour's bit turned)
   Tables wait on a stack: vertices are visited in post-order.

   Threads share a join by values of some bits of the product's masks, a star by places in the table: whatever the
   parts, a state is added to in ascending order of the left mask's common part, and of the entries, so threads leave
   no trace in the bits. */
#pragma once
#include "../block/engines.h"
#include "frontier.h"

#define PERMI_TREE_WIDTH 28 /* vertices of a table before its vertex goes */
#define PERMI_TREE_LOW 12   /* bits ranked by one look */
#define PERMI_TREE_STARTS 4

typedef struct permi_tree_edge {
  int bit;
  permi_coefficient c;
} permi_tree_edge;

typedef struct permi_tree_node { /* in post-order */
  int children, edge;            /* first edge; the next node has the first after the last */
  int column;                    /* 1: the vertex is a column */
  uint32_t rows, all;            /* of scope and vertex, the vertex on top: which are rows; all of them */
  uint32_t set;                  /* the scope, as a set of what the parent knows */
  int difference;                /* columns - rows in the subtree */
} permi_tree_node;

typedef struct permi_tree { /* context of a leaf */
  perm_allocator allocator;
  permi_numbers numbers;
  int size; /* 8-byte words of a value */
  int nodes, width, joins, depth; /* depth: tables on the stack at most */
  permi_tree_node *node;          /* nodes + 1 */
  permi_tree_edge *edge;
  double stack_values, work_values, most_states; /* room; states of the largest table that is joined */
  double most_groups, pairs, states;
  double *cost; /* nodes + 1: predicted seconds of all before */
  double bound_relative, lost_error;
  uint32_t binomial[PERMI_TREE_WIDTH + 1][PERMI_TREE_WIDTH + 2];
} permi_tree;

static int permi_tree_bits(uint32_t x)
{
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return (int)(((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* The bits of x at the places of `set`, moved together; and back. */
static uint32_t permi_tree_extract(uint32_t x, uint32_t set)
{
  uint32_t result = 0, bit = 1;
  for (; set; set &= set - 1, bit <<= 1)
    if (x & set & (0 - set))
      result |= bit;
  return result;
}

static uint32_t permi_tree_deposit(uint32_t x, uint32_t set)
{
  uint32_t result = 0;
  for (; x; x >>= 1, set &= set - 1)
    if (x & 1)
      result |= set & (0 - set);
  return result;
}

static uint32_t permi_tree_choose(const permi_tree *tree, int t, int k)
{
  return k < 0 || k > t ? 0 : tree->binomial[t][k];
}

/* Seconds of a product of two values against that of doubles. */
static double permi_tree_weight(const permi_tree *tree)
{
  const double parts = tree->numbers.parts, words = tree->numbers.words;
  switch (tree->numbers.algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_WORD: return 1;
  case PERMI_SIGNED: return 1.5;
  case PERMI_COMPLEX: return 4;
  case PERMI_WORDS: return parts * parts * (3 + 0.5 * words * words);
  default: return 15 * parts * parts; /* double-doubles, residues */
  }
}

/* What is known of a table while the programme is priced. */
typedef struct permi_tree_sketch {
  uint32_t set;
  int difference;
  double states;
} permi_tree_sketch;

/* Pairs that a join multiplies: over masks of the common part with x rows and y columns, the states of the one with
   that part and those of the other that leave it free. `rows` of what the node knows. */
static double permi_tree_pairs(const permi_tree *tree, uint32_t rows, const permi_tree_sketch *one,
                               const permi_tree_sketch *other)
{
  const uint32_t common = one->set & other->set, own = one->set & ~common;
  const int a = permi_tree_bits(common & rows), b = permi_tree_bits(common & ~rows);
  const int a1 = permi_tree_bits(own & rows), b1 = permi_tree_bits(own & ~rows);
  const int a2 = permi_tree_bits(other->set & rows), b2 = permi_tree_bits(other->set & ~rows);
  double pairs = 0;
  int x, y;
  for (x = 0; x <= a; x++)
    for (y = 0; y <= b; y++)
      pairs += (double)permi_tree_choose(tree, a, x) * permi_tree_choose(tree, b, y) *
               permi_tree_choose(tree, a1 + b1, a1 - (one->difference - x + y)) *
               permi_tree_choose(tree, a2 - x + b2 - y, a2 - x - other->difference);
  return pairs;
}

/* -- running ----------------------------------------------------------------------------------- */

/* Rank of a mask with k bits: rank of its low bits and what the high bits put before them. */
typedef struct permi_tree_rank {
  uint32_t low[1 << PERMI_TREE_LOW];
  uint32_t high[1 << (PERMI_TREE_WIDTH - PERMI_TREE_LOW)];
} permi_tree_rank;

static uint32_t permi_tree_place(const permi_tree_rank *rank, uint32_t mask)
{
  return rank->low[mask & ((1u << PERMI_TREE_LOW) - 1)] + rank->high[mask >> PERMI_TREE_LOW];
}

/* Rank of `mask` as high part above `shift` places that hold the first k - |mask| bits. */
static uint32_t permi_tree_rank_of(const permi_tree *tree, uint32_t mask, int shift, int k)
{
  uint32_t rank = 0;
  int index = k - permi_tree_bits(mask), p;
  for (; mask && index >= 0; mask &= mask - 1) {
    p = shift + permi_trailing_zeros(mask);
    rank += permi_tree_choose(tree, p, ++index);
  }
  return rank;
}

static void permi_tree_rank_high(const permi_tree *tree, permi_tree_rank *rank, int t, int k)
{
  uint32_t high, count = t > PERMI_TREE_LOW ? 1u << (t - PERMI_TREE_LOW) : 1;
  for (high = 0; high < count; high++)
    rank->high[high] = permi_tree_rank_of(tree, high, PERMI_TREE_LOW, k);
}

/* A table. */
typedef struct permi_tree_table {
  uint64_t *value;
  uint32_t set; /* of what the node knows that uses it */
  int difference;
  size_t states;
  permi_sizes sizes;
} permi_tree_table;

typedef struct permi_tree_run {
  const permi_tree *tree;
  permi_control *control;
  permi_tree_rank *rank;
  permi_tree_table *table; /* the stack */
  uint64_t *values, *work[2];
  uint32_t *mask[2], *index[2], *first[2]; /* of the two tables of a join: masks and places by groups */
  int most_threads;
  double weight;                           /* permi_tree_weight */
  double done, visited, unpolled;
} permi_tree_run;

#define PERMI_TREE_IN_CACHE 1e5 /* bytes of a product that any order of the pairs suits */
#define PERMI_TREE_CUT 8     /* common bits that say whose a product is: the heaviest of 2^b parts has (2/3)^b of all */
#define PERMI_TREE_OWN_CUT 6 /* with own ones of a factor, if there are not so many */
#define PERMI_TREE_PARTS 8   /* of a step for each thread: some threads are slower than others */

/* Of so many equal things each part's first; of part `parts` what is beyond the last. */
static size_t permi_tree_begin(size_t count, int part, int parts)
{
  return (size_t)((uint64_t)count * (uint64_t)part / (uint64_t)parts);
}

/* Threads for work on so many states, a pass as of a star's entry. */
static int permi_tree_threads(const permi_tree_run *run, size_t states)
{
  return (double)states * PERMI_TREE_STATE_SECONDS * run->weight < PERMI_SHARE_SECONDS ? 1 : run->most_threads;
}

static int permi_tree_is_zero(const permi_tree *tree, const uint64_t *x)
{
  int i;
  if (!permi_algebra_is_integer(tree->numbers.algebra))
    return ((const double *)(const void *)x)[tree->size - 1] == 0;
  for (i = 0; i < tree->size; i++)
    if (x[i])
      return 0;
  return 1;
}

/* A group of states of a table: masks and places of the values. */
typedef struct permi_tree_group {
  const uint32_t *mask, *index;
  size_t count;
  const uint64_t *value;
} permi_tree_group;

/* out[mask XOR m] += a x over a group. */
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
    uint64_t *y = out + size * permi_tree_place(rank, *mask ^ m);
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

/* A pass over parts of a table. */
typedef struct permi_tree_pass {
  const permi_tree *tree;
  permi_tree_table *table;
  int parts, exp2;
  permi_sizes sizes;
} permi_tree_pass;

static perm_status permi_tree_sizes(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  permi_tree_pass *pass = (permi_tree_pass *)context;
  const permi_tree *tree = pass->tree;
  const double *x = (const double *)(const void *)pass->table->value;
  const size_t size = (size_t)tree->size, end = permi_tree_begin(pass->table->states, part + 1, pass->parts) * size;
  const int last = tree->size - 1, apart = permi_algebra_is_dd(tree->numbers.algebra) ? 2 : 1;
  permi_sizes sizes;
  double low = DBL_MAX, high = 0;
  size_t i;
  int j;
  (void)thread;
  for (i = permi_tree_begin(pass->table->states, part, pass->parts) * size; i < end; i += size) {
    const double most = x[i + (size_t)last];
    if (most == 0)
      continue;
    high = most > high ? most : high;
    low = most < low ? most : low;
    for (j = 0; j < last; j += apart) {
      const double y = fabs(x[i + (size_t)j]);
      low = y != 0 && y < low ? y : low;
    }
  }
  sizes.smallest = low;
  sizes.largest = high;
  if (pass->parts == 1) { /* which needs no lock */
    permi_sizes_join(&pass->sizes, &sizes);
    return PERM_OK;
  }
  PERMI_OMP(critical(permi_tree_sizes))
  permi_sizes_join(&pass->sizes, &sizes);
  return PERM_OK;
}

static perm_status permi_tree_scale(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_tree_pass *pass = (const permi_tree_pass *)context;
  const size_t size = (size_t)pass->tree->size, begin = permi_tree_begin(pass->table->states, part, pass->parts) * size;
  const size_t end = permi_tree_begin(pass->table->states, part + 1, pass->parts) * size;
  (void)thread;
  permi_values_scale((double *)(void *)pass->table->value + begin, end - begin, pass->exp2);
  return PERM_OK;
}

/* Notes the sizes, and brings the largest to between 2^-100 and 2^100: of two such the products cannot overflow. */
static void permi_tree_rescale(const permi_tree_run *run, permi_tree_table *table)
{
  const int threads = permi_tree_threads(run, table->states);
  permi_tree_pass pass;
  if (permi_algebra_is_integer(run->tree->numbers.algebra))
    return;
  pass.tree = run->tree;
  pass.table = table;
  pass.parts = threads > 1 ? PERMI_TREE_PARTS * threads : 1;
  permi_sizes_clear(&pass.sizes);
  permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_sizes, &pass, NULL);
  table->sizes.smallest = pass.sizes.smallest;
  table->sizes.largest = pass.sizes.largest;
  pass.exp2 = permi_sizes_rescale(&table->sizes, 1.2e30, PERMI_SAFE_PRODUCT);
  if (pass.exp2)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_scale, &pass, NULL);
}

/* The non-zero states of a table by groups of their matched vertices within `common`: masks of matched vertices and
   places, with first[] of 2^|common| + 1. All sets are of the target. */
static void permi_tree_sort(const permi_tree *tree, const permi_tree_table *table, uint32_t set, uint32_t rows,
                            uint32_t common, uint32_t *mask, uint32_t *index, uint32_t *first)
{
  const uint32_t own_rows = permi_tree_extract(rows, set), groups = 1u << permi_tree_bits(common);
  const uint32_t within = permi_tree_extract(common, set);
  const int k = permi_tree_bits(own_rows) - table->difference, tabled = table->states > 1000;
  uint32_t state, g, i, pass, group_of[4][128], mask_of[4][128]; /* by seven bits: 8 times the speed of bit by bit */
  for (i = 0; tabled && i < 512; i++) {
    group_of[i >> 7][i & 127] = permi_tree_extract((i & 127) << 7 * (i >> 7), within);
    mask_of[i >> 7][i & 127] = permi_tree_deposit((i & 127) << 7 * (i >> 7), set);
  }
  for (g = 0; g <= groups; g++)
    first[g] = 0;
  for (pass = 0; pass < 2; pass++) {
    state = k ? (1u << k) - 1 : 0;
    for (i = 0; i < table->states; i++) {
      if (!permi_tree_is_zero(tree, table->value + (size_t)i * (size_t)tree->size)) {
        const uint32_t matched = state ^ own_rows;
        const uint32_t a = matched & 127, b = matched >> 7 & 127, c = matched >> 14 & 127, d = matched >> 21;
        g = tabled ? group_of[0][a] | group_of[1][b] | group_of[2][c] | group_of[3][d]
                   : permi_tree_extract(matched, within);
        if (pass == 0) {
          first[g + 1]++;
        } else {
          mask[first[g]] = tabled ? mask_of[0][a] | mask_of[1][b] | mask_of[2][c] | mask_of[3][d]
                                  : permi_tree_deposit(matched, set);
          index[first[g]++] = i;
        }
      }
      if (state) { /* the next number with as many bits */
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
