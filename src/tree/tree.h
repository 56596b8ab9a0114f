/* =========================================================================================== >>tree
   Tables of a tree decomposition: bucket elimination [Dec99], linear in n for bounded treewidth. */
#pragma once
#include "../frontier/steps.h"

/* The permanent is the coefficient of prod x_v in the product of (1 + a_uv x_u x_v) over the entries, x_v^2 = 0.
   Eliminating v multiplies the tables that know v and its entries left, and keeps terms with x_v: a table over its
   scope, the neighbours. A table over a rows and b columns, whose subtree has d more columns than rows, holds the C(a +
   b, a - d) masks with d more matched rows than columns, by "matched XOR is a row" ascending. The next vertex has the
   top bit: its halves, matched and not, are contiguous.
     join: pairs of disjoint masks, by common parts
     star: the entries of v: matched half += a (other half, that neighbour's bit turned)
   Threads share places; sums keep their order.
   With free lines (>>walk) factors are (alone_u + x_u), and a table over t vertices has 2^t places, by the mask of the
   matched ones, of which no state has more than vertices eliminated below: `difference`. All nodes are columns then,
   and none of their vertices a row. */

#define PERMI_TREE_WIDTH 28 /* with its own vertex */
#define PERMI_TREE_LOW 12
#define PERMI_TREE_STARTS 4

typedef struct permi_tree_edge {
  int bit, vertex, entry; /* entry: the block's edge */
  permi_coefficient c;
} permi_tree_edge;

typedef struct permi_tree_node {
  int children, edge, vertex, column;
  uint32_t rows, all; /* of scope and top */
  uint32_t set;       /* within the parent's */
  int difference;
} permi_tree_node;

typedef struct permi_tree {
  permi_owned owned;
  permi_numbers numbers;
  int size, nodes, width, joins, depth;
  permi_tree_node *node;
  int *vertex;
  permi_tree_edge *edge;
  permi_coefficient *alone; /* of nodes, with free lines; else NULL */
  double stack_values, work_values, most_states, most_groups, pairs, states, *cost, bound_relative, lost_error;
  uint32_t (*binomial)[PERMI_TREE_WIDTH + 2]; /* PERMI_TREE_WIDTH + 1 rows; NULL with free lines */
} permi_tree;

static uint32_t permi_tree_extract(uint32_t x, uint32_t set)
{
  uint32_t result = 0, bit = 1;
  for (; set; set &= set - 1, bit <<= 1)
    if (x & set & (0 - set))
      result |= bit;
  return result;
}

/* Returns the places of a table over t vertices. */
static uint32_t permi_tree_choose(const permi_tree *tree, int t, int k)
{
  if (tree->alone)
    return 1u << t;
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

static double permi_tree_power(int base, int k)
{
  double power = 1;
  while (k-- > 0)
    power *= base;
  return power;
}

/* Sets sum[most] to the sum of C(t, k) for k up to `most`, which is at most t. */
static void permi_tree_supports(int t, double *sum)
{
  double way = 1, all = 0;
  for (int k = 0; k <= t; way *= (t - k) / (k + 1.0), k++)
    sum[k] = all += way;
  sum[t] = permi_tree_power(2, t);
}

/* Returns the most pairs of a place. */
static double permi_tree_terms(const permi_tree *tree, uint32_t common, int one_difference, int other_difference)
{
  const int t = permi_count_ones(common), least = one_difference < other_difference ? one_difference : other_difference;
  double sum[PERMI_TREE_WIDTH + 1];
  permi_tree_supports(t, sum);
  return sum[tree->alone && least < t ? least : t];
}

/* With free lines: pairs of disjoint masks, of at most so many ones. */
static double permi_tree_disjoint(uint32_t one, int one_most, uint32_t other, int other_most)
{
  const int common = permi_count_ones(one & other), a = permi_count_ones(one & ~other);
  const int b = permi_count_ones(other & ~one);
  double pairs = 0, ways = 1, shares, own[PERMI_TREE_WIDTH + 1], others[PERMI_TREE_WIDTH + 1];
  permi_tree_supports(a, own);
  permi_tree_supports(b, others);
  for (int x = 0; x <= common && x <= one_most; ways *= (common - x) / (x + 1.0), x++) {
    shares = ways * own[one_most - x < a ? one_most - x : a];
    for (int y = 0; y <= common - x && y <= other_most; shares *= (common - x - y) / (y + 1.0), y++)
      pairs += shares * others[other_most - y < b ? other_most - y : b];
  }
  return pairs;
}

static double permi_tree_pairs(const permi_tree *tree, uint32_t rows, uint32_t one, int one_difference,
                               uint32_t other, int other_difference)
{
  const uint32_t common = one & other, own = one & ~common;
  const int a = permi_count_ones(common & rows), b = permi_count_ones(common & ~rows);
  const int a1 = permi_count_ones(own & rows), b1 = permi_count_ones(own & ~rows);
  const int a2 = permi_count_ones(other & rows), b2 = permi_count_ones(other & ~rows);
  double pairs = 0;
  if (tree->alone)
    return permi_tree_disjoint(one, one_difference, other, other_difference);
  for (int x = 0; x <= a; x++)
    for (int y = 0; y <= b; y++)
      pairs += (double)permi_tree_choose(tree, a, x) * permi_tree_choose(tree, b, y) *
               permi_tree_choose(tree, a1 + b1, a1 - (one_difference - x + y)) *
               permi_tree_choose(tree, a2 - x + b2 - y, a2 - x - other_difference);
  return pairs;
}

/* Returns which of two tables a join without sorting adds whole for each state of the other, in *visits (NULL: not
   counted if they are small); -1: none. */
#define PERMI_TREE_SMALL 8
static int permi_tree_direct(const permi_tree *tree, uint32_t one, int one_most, uint32_t other, int other_most,
                             double *visits)
{
  const int few = permi_count_ones(one | other) <= PERMI_TREE_SMALL;
  if (!tree->alone || tree->numbers.algebra != PERMI_MAGNITUDES)
    return -1;
  if (few && !visits)
    return 1;
  const double ones = permi_tree_disjoint(one, one_most, other, PERMI_TREE_WIDTH);
  const double others = few ? ones : permi_tree_disjoint(one, PERMI_TREE_WIDTH, other, other_most);
  if (visits)
    *visits = fmin(ones, others);
  return !few && fmin(ones, others) > 4 * permi_tree_disjoint(one, one_most, other, other_most) ? -1 : ones <= others;
}

typedef struct permi_tree_rank {
  uint32_t *low, *high;
} permi_tree_rank;

/* The place of a mask of k ones is its rank, or itself with free lines. */
static uint32_t permi_tree_rank_of(const permi_tree *tree, uint32_t mask, int shift, int k)
{
  uint32_t rank = 0;
  int index = k - permi_count_ones(mask), p;
  if (tree->alone)
    return mask << shift;
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
  permi_tree_rank rank;
  permi_tree_table *table;
  uint64_t *values, *work[2];
  uint32_t *mask[2], *index[2], *first[2];
  double weight;
  int stacked;
  int zeros; /* 1: joins take zeros, too (>>derive_tree) */
  /* NULL, or takes products, then the table of a node (>>trace). */
  void (*keep)(void *keeper, const permi_tree_node *node, const permi_tree_table *table, int own);
} permi_tree_run;

#define PERMI_TREE_CUT 8     /* common bits: the heaviest of 2^b parts has (2/3)^b */
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
  if (algebra == PERMI_WIDE || algebra == PERMI_MAGNITUDES_DD) /* never chosen */
    return;
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

/* Brings values into [2^-100, 2^100]: products do not overflow. */
static void permi_tree_rescale(const permi_tree_run *run, permi_tree_table *table)
{
  const int threads = permi_tree_threads(run, table->states);
  permi_tree_pass pass = {run->tree, table, threads > 1 ? PERMI_TREE_PARTS * threads : 1, 0, {DBL_MAX, 0, 0, 0}};
  if (permi_algebra_is_integer(run->tree->numbers.algebra))
    return;
  if (threads > 1)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
  else
    permi_values_track(run->tree->numbers.algebra, table->value, table->states, &pass.sizes);
  table->sizes.smallest = pass.sizes.smallest;
  table->sizes.largest = pass.sizes.largest;
  if (pass.sizes.smallest < ldexp(pass.sizes.largest, PERMI_CANCELS))
    permi_values_ease(&run->tree->numbers, table->value, table->states, &table->sizes);
  pass.exp2 = permi_sizes_rescale(&table->sizes, 1.2e30, PERMI_SAFE_PRODUCT);
  if (pass.exp2)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
}

typedef struct permi_tree_product {
  permi_tree_run *run;
  const permi_tree_table *factor[2];
  permi_tree_table *out;
  uint32_t rows, set[2], common, common_rows;
  int ones, own;        /* bits not common */
  int cut, parts;       /* of a part */
  int inner;            /* of permi_tree_direct_part */
  double *bar;          /* NULL, or the adjoint of that factor, from the product's (>>derive_tree) */
} permi_tree_product;

/* Groups non-zero states by matched vertices in `common`. */
PERMI_NEVER_INLINE static void permi_tree_sort(const permi_tree_product *join, int part)
{
  const permi_tree *tree = join->run->tree;
  const permi_tree_table *table = join->factor[part];
  const uint32_t rows = join->rows, common = join->common;
  uint32_t *mask = join->run->mask[part], *index = join->run->index[part], *first = join->run->first[part];
  const uint32_t own_rows = permi_tree_extract(rows, join->set[part]), groups = 1u << permi_count_ones(common);
  const int k = permi_count_ones(own_rows) - table->difference;
  const size_t size = (size_t)tree->size;
  const int integers = permi_algebra_is_integer(tree->numbers.algebra);
  uint32_t state, g, i, pass, group_of[4][128], mask_of[4][128]; /* 8 times as fast */
  uint32_t set = join->set[part], next = 1;
  for (int bit = 0; bit < 4; bit++)
    group_of[bit][0] = mask_of[bit][0] = 0;
  for (int bit = 0; set; set &= set - 1, bit++) {
    const uint32_t one = set & (0 - set), group = one & common ? next : 0, half = 1u << bit % 7;
    for (i = 0; i < half; i++) {
      group_of[bit / 7][half + i] = group_of[bit / 7][i] | group;
      mask_of[bit / 7][half + i] = mask_of[bit / 7][i] | one;
    }
    next += group;
  }
  for (g = 0; g <= groups; g++)
    first[g] = 0;
  for (pass = 0; pass < 2; pass++) {
    state = k > 0 ? (1u << k) - 1 : 0;
    for (i = 0; i < table->states; i++) {
      const uint64_t *x = table->value + i * size;
      size_t w = 0;
      while (integers && w < size && !x[w])
        w++;
      if ((integers ? w < size : ((const double *)(const void *)x)[size - 1] != 0) ||
          (join->run->zeros && (!tree->alone || permi_count_ones(state) <= table->difference))) {
        const uint32_t matched = state ^ own_rows;
        const uint32_t a = matched & 127, b = matched >> 7 & 127, c = matched >> 14 & 127, d = matched >> 21;
        g = group_of[0][a] | group_of[1][b] | group_of[2][c] | group_of[3][d];
        if (pass == 0) {
          first[g + 1]++;
        } else {
          mask[first[g]] = mask_of[0][a] | mask_of[1][b] | mask_of[2][c] | mask_of[3][d];
          index[first[g]++] = i;
        }
      }
      if (tree->alone) {
        state++;
      } else if (state) {
        const uint32_t low = state & (0 - state), over = state + low;
        state = over | ((state ^ over) / low) >> 2;
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

static perm_status permi_tree_join_prepare(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_tree_product *join = (const permi_tree_product *)context;
  (void)thread;
  if (part < 2) {
    permi_tree_sort(join, part);
  } else {
    const size_t size = (size_t)join->run->tree->size;
    const size_t begin = permi_tree_begin(join->out->states, part - 2, join->parts);
    const size_t end = permi_tree_begin(join->out->states, part - 1, join->parts);
    memset(join->out->value + begin * size, 0, (end - begin) * size * sizeof *join->out->value);
  }
  return PERM_OK;
}

static permi_tree_group permi_tree_group_of(const permi_tree_product *join, int part, uint32_t g)
{
  const uint32_t *first = join->run->first[part] + g;
  const permi_tree_group group = {join->run->mask[part] + *first, join->run->index[part] + *first, first[1] - *first,
                                  join->factor[part]->value};
  return group;
}

/* Joins by common parts of the product: few places at a time, heavy parts first. */
static perm_status permi_tree_join_part(void *context, uint64_t number, int thread)
{
  const permi_tree_product *join = (const permi_tree_product *)context;
  permi_tree_run *run = join->run;
  const permi_tree_multiplier multiply = permi_tree_multipliers[run->tree->numbers.algebra];
  const uint32_t *const *first = (const uint32_t *const *)run->first;
  const int bits = permi_count_ones(join->common) - join->cut;
  const uint32_t fixed = ((1u << join->cut) - 1 - (uint32_t)number) << bits;
  uint32_t c = fixed | ((1u << bits) - 1), g;
  perm_status status = PERM_OK;
  for (;; c--) {
    const int own = join->ones - permi_count_ones(c ^ join->common_rows);
    const int some = run->tree->alone || (own >= 0 && own <= join->own);
    status = permi_runner_poll(&run->base, some ? 0.125 * (1u << permi_count_ones(c)) : 1, run->base.done, thread);
    for (g = 0; some && status == PERM_OK; g = (g - c) & c) {
      const uint32_t h = c ^ g;
      if (first[0][g] < first[0][g + 1] && first[1][h] < first[1][h + 1]) {
        const permi_tree_group one = permi_tree_group_of(join, 0, g), other = permi_tree_group_of(join, 1, h);
        for (size_t i = 0; i < one.count; i++)
          multiply(run->tree, &run->rank, one.mask[i] ^ join->rows, one.value + (size_t)run->tree->size * one.index[i],
                   &other, join->out->value);
        status = permi_runner_poll(&run->base, 0.125 * (double)other.count * (double)one.count, run->base.done, thread);
      }
      if (g == c)
        break;
    }
    if (c == fixed || status != PERM_OK)
      return status;
  }
}

/* A join's block, of three vertices, whose masks lie at p in x and q in y: y[o | i] += a[o] x[i], o disjoint from i. */
static void permi_tree_block(const double *a, const double *x, const uint32_t *p, double *y, const uint32_t *q)
{
  const double x0 = x[p[0]], x1 = x[p[1]], x2 = x[p[2]], x3 = x[p[3]];
  const double x4 = x[p[4]], x5 = x[p[5]], x6 = x[p[6]], x7 = x[p[7]];
  y[q[0]] = y[q[0]] + a[0] * x0;
  y[q[1]] = y[q[1]] + a[0] * x1 + a[1] * x0;
  y[q[2]] = y[q[2]] + a[0] * x2 + a[2] * x0;
  y[q[3]] = y[q[3]] + a[0] * x3 + a[1] * x2 + a[2] * x1 + a[3] * x0;
  y[q[4]] = y[q[4]] + a[0] * x4 + a[4] * x0;
  y[q[5]] = y[q[5]] + a[0] * x5 + a[1] * x4 + a[4] * x1 + a[5] * x0;
  y[q[6]] = y[q[6]] + a[0] * x6 + a[2] * x4 + a[4] * x2 + a[6] * x0;
  y[q[7]] = y[q[7]] + a[0] * x7 + a[1] * x6 + a[2] * x5 + a[3] * x4 + a[4] * x3 + a[5] * x2 + a[6] * x1 + a[7] * x0;
}

static void permi_tree_block_copy(const double *table, const uint32_t *at, uint32_t count, double *room)
{
  for (uint32_t k = 0; k < 8; k++)
    room[k] = k < count ? table[at[k]] : 0;
}

/* Joins without sorting, where the product, or the factor whose adjoint is made, has certain highest common bits.
   Adjoints are products of complements. */
static perm_status permi_tree_direct_part(void *context, uint64_t number, int thread)
{
  static const uint32_t here[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const permi_tree_product *join = (const permi_tree_product *)context;
  const double *a = (const double *)(const void *)join->factor[1 - join->inner]->value;
  double *x = join->bar ? join->bar : (double *)(void *)join->factor[join->inner]->value;
  double *y = (double *)(void *)join->out->value, room[3][8];
  const int bits = permi_count_ones(join->common), back = join->bar != NULL;
  const uint32_t outer = join->set[1 - join->inner], inner = join->set[join->inner];
  const uint32_t count = 1u << (bits < 3 ? bits : 3), turn = back ? count - 1 : 0;
  const uint32_t block = (uint32_t)permi_deposit_bits(count - 1, join->common), rest = outer & ~block;
  const uint32_t cut = (uint32_t)permi_deposit_bits(((1u << join->cut) - 1) << (bits - join->cut), join->common);
  const uint32_t fixed = (uint32_t)permi_deposit_bits(number << (bits - join->cut), join->common);
  uint32_t k, mask = 0, at[3][8]; /* in a, added, sum */
  perm_status status = PERM_OK;
  for (k = 0; k < count; k++) {
    const uint32_t turned = (uint32_t)permi_deposit_bits(k ^ turn, block);
    at[0][k] = permi_tree_extract((uint32_t)permi_deposit_bits(k, block), outer);
    at[1 + back][k] = permi_tree_extract(turned, inner);
    at[2 - back][k] = turned;
  }
  do {
    const uint32_t to = inner & ~(mask | cut | block), from = permi_tree_extract(to, inner);
    double *x_at = x + permi_tree_extract(fixed & ~mask, inner), *y_at = y + (mask | fixed), sum = 0;
    uint32_t s = 0, t = 0;
    permi_tree_block_copy(a + permi_tree_extract(mask, outer), at[0], count, room[0]);
    for (k = 0; k < count && !(mask & (back ? fixed : cut & ~fixed)); k++)
      sum += room[0][k];
    while (sum > 0) {
      const double *added = back ? y_at + t : x_at + s;
      double *result = back ? x_at + s : y_at + t;
      if (count == 8) {
        permi_tree_block(room[0], added, at[1], result, at[2]);
      } else {
        permi_tree_block_copy(added, at[1], count, room[1]);
        permi_tree_block_copy(result, at[2], count, room[2]);
        permi_tree_block(room[0], room[1], here, room[2], here);
        for (k = 0; k < count; k++)
          result[at[2][k]] = room[2][k];
      }
      s = (s - from) & from;
      t = (t - to) & to;
      if (!t)
        break;
    }
    if (join->out->states > 1u << PERMI_TREE_SMALL)
      status = permi_runner_poll(&join->run->base, sum > 0 ? 1u << permi_count_ones(to) : 0.125, join->run->base.done,
                                 thread);
    mask = (mask - rest) & rest;
  } while (mask && status == PERM_OK);
  return status;
}

static permi_tree_product permi_tree_join_begin(permi_tree_run *run, uint32_t all_rows, uint32_t target,
                                                const permi_tree_table *left, const permi_tree_table *right,
                                                permi_tree_table *out)
{
  const permi_tree *tree = run->tree;
  const int t = permi_count_ones(target);
  permi_tree_product join = {run, {left, right}, out, permi_tree_extract(all_rows, target), {0, 0}, 0, 0, 0, 0, 0, 1,
                             -1, NULL};
  for (int k = 0; k < 2; k++)
    join.set[k] = permi_tree_extract(join.factor[k]->set, target);
  join.common = join.set[0] & join.set[1];
  out->set = target;
  out->difference = left->difference + right->difference;
  int k = permi_count_ones(join.rows) - out->difference;
  join.common_rows = permi_tree_extract(join.rows, join.common);
  join.ones = k - permi_count_ones(join.rows & ~(join.set[0] | join.set[1]));
  join.own = permi_count_ones(join.set[0] ^ join.set[1]);
  out->states = permi_tree_choose(tree, t, k);
  out->sizes.exp2 = left->sizes.exp2 + right->sizes.exp2;
  for (uint32_t high = 0; high == 0 || (t > PERMI_TREE_LOW && high < 1u << (t - PERMI_TREE_LOW)); high++)
    run->rank.high[high] = permi_tree_rank_of(tree, high, PERMI_TREE_LOW, k);
  if (run->base.threads > 1 && PERMI_TREE_PAIR_SECONDS * run->weight *
      permi_tree_pairs(tree, all_rows, left->set, left->difference, right->set, right->difference) >=
      PERMI_SHARE_SECONDS) {
    join.parts = PERMI_TREE_PARTS * run->base.threads;
    k = permi_count_ones(join.common) - 3; /* blocks stay whole */
    join.cut = k < 0 ? 0 : k < PERMI_TREE_CUT ? k : PERMI_TREE_CUT;
  }
  return join;
}

static perm_status permi_tree_join(permi_tree_run *run, uint32_t all_rows, uint32_t target,
                                   const permi_tree_table *left, const permi_tree_table *right, permi_tree_table *out)
{
  permi_tree_product join = permi_tree_join_begin(run, all_rows, target, left, right, out);
  const int threads = join.parts > 1 ? run->base.threads : 1;
  join.inner = permi_tree_direct(run->tree, left->set, left->difference, right->set, right->difference, NULL);
  if (join.inner >= 0) {
    memset(out->value, 0, out->states * sizeof *out->value);
    return permi_share(threads, 0, (uint64_t)1 << join.cut, permi_tree_direct_part, &join, NULL);
  }
  permi_share(threads, 0, (uint64_t)(2 + join.parts), permi_tree_join_prepare, &join, NULL);
  return permi_share(threads, 0, (uint64_t)1 << join.cut, permi_tree_join_part, &join, NULL);
}

/* THE BOUND: gamma of the sum over joins of pairs, and over stars of 1 + entries + alone. Joins and stars also scale
   the loss of their tables (tests/proofs/chains.v). */
#define PERMI_TREE_LOST (64 * DBL_MIN)
static double permi_tree_join_loss(const permi_sizes *left, const permi_sizes *right, double pairs)
{
  double loss = permi_loss_scaled(left->loss, right->largest, 0) + permi_loss_scaled(right->loss, left->largest, 0) +
                (left->loss > 0 ? permi_loss_scaled(right->loss, left->loss, 0) : 0);
  if (left->smallest * right->smallest < PERMI_SAFE_PRODUCT)
    loss += PERMI_TREE_LOST;
  return loss >= 0 ? pairs * 2 * loss : (double)INFINITY;
}

typedef struct permi_tree_ray {
  const permi_tree *tree;
  const permi_coefficient *c;
  const uint64_t *open;
  uint64_t *matched;
  int t, k_open, column, parts;
  int bit; /* t: the vertex stays unmatched */
  void (*back)(const struct permi_tree_ray *ray, int part, size_t from, size_t to, size_t count); /* or NULL */
  uint64_t *open_bar, *sum; /* of `back` (>>derive_tree) */
} permi_tree_ray;

static perm_status permi_tree_ray_part(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_tree_ray *ray = (const permi_tree_ray *)context;
  const permi_tree *tree = ray->tree;
  const size_t size = (size_t)tree->size;
  const int j = ray->bit, alone = j == ray->t, k_open = ray->k_open;
  const uint32_t highs = alone ? 1 : 1u << (ray->t - 1 - j), bit = (uint32_t)ray->column << j;
  const uint32_t turned = alone ? 0 : bit ^ 1u << j;
  const int slices = (uint32_t)ray->parts > highs ? ray->parts : 1;
  const size_t last = permi_tree_begin((size_t)highs * (size_t)slices, part + 1, ray->parts);
  size_t piece = permi_tree_begin((size_t)highs * (size_t)slices, part, ray->parts);
  (void)thread;
  while (piece < last) {
    const uint32_t high = (uint32_t)(piece / (size_t)slices);
    const int within = k_open - permi_count_ones(high) - ray->column, slice = (int)(piece++ % (size_t)slices);
    const uint32_t count = permi_tree_choose(tree, j, within);
    if (count) {
      const uint32_t above = high << 1 << j;
      const size_t from = permi_tree_rank_of(tree, above | bit, 0, k_open);
      const size_t to = permi_tree_rank_of(tree, above | turned, 0, ray->column ? k_open - 1 : k_open + 1);
      const size_t begin = permi_tree_begin(count, slice, slices), end = permi_tree_begin(count, slice + 1, slices);
      if (ray->back)
        ray->back(ray, part, from + begin, to + begin, end - begin);
      else
        permi_values_add(&tree->numbers, ray->c, ray->matched + (to + begin) * size,
                         ray->open + (from + begin) * size, end - begin);
    }
  }
  return PERM_OK;
}

/* Of the node's vertex; NULL: 0. */
static const permi_coefficient *permi_tree_alone(const permi_tree *tree, const permi_tree_node *node)
{
  const permi_coefficient *alone = tree->alone ? &tree->alone[node - tree->node] : NULL;
  return alone && (alone->absolute != 0 || alone->integer[0] || alone->integer[1]) ? alone : NULL;
}

static permi_tree_ray permi_tree_ray_begin(const permi_tree *tree, const permi_tree_node *node,
                                           const permi_tree_table *table, int parts)
{
  const int t = permi_count_ones(node->all) - 1, k = permi_count_ones(node->rows) - table->difference;
  uint64_t *half[2] = {table->value, table->value + permi_tree_choose(tree, t, k) * (size_t)tree->size};
  const permi_tree_ray ray = {tree, NULL, half[!node->column], half[node->column], /* a matched row's bit is 0 */ t,
                              node->column ? k : k - 1, node->column && !tree->alone, parts, 0, NULL, NULL, NULL};
  return ray;
}

/* Directs a ray along entry e; before the node's first: at staying unmatched. Returns 0 if that has weight 0. */
static int permi_tree_ray_aim(permi_tree_ray *ray, const permi_tree_node *node, int e)
{
  const permi_tree *tree = ray->tree;
  const int alone = e < node->edge;
  ray->c = !alone ? &tree->edge[e].c : tree->alone ? &tree->alone[node - tree->node] : NULL;
  ray->bit = alone ? ray->t : tree->edge[e].bit;
  return !alone || permi_tree_alone(tree, node) != NULL;
}

PERMI_NEVER_INLINE static void permi_tree_star(permi_tree_run *run, const permi_tree_node *node,
                                               permi_tree_table *table)
{
  const permi_tree *tree = run->tree;
  const int threads = permi_tree_threads(run, table->states), edges = (node + 1)->edge - node->edge;
  permi_tree_ray ray = permi_tree_ray_begin(tree, node, table, threads > 1 ? PERMI_TREE_PARTS * threads : 1);
  double weight = 1, least = 1;
  for (int e = node->edge - 1; e < (node + 1)->edge; e++)
    if (permi_tree_ray_aim(&ray, node, e)) {
      permi_coefficient_weigh(ray.c, &weight, &least);
      permi_share(threads, 0, (uint64_t)ray.parts, permi_tree_ray_part, &ray, NULL);
    }
  table->value = ray.matched;
  table->states = permi_tree_choose(tree, ray.t, node->column ? ray.k_open - 1 : ray.k_open + 1);
  table->difference = node->difference;
  table->sizes.loss = permi_loss_scaled(table->sizes.loss, weight * (1 + 1e-12), 0);
  if (table->sizes.smallest * least < PERMI_SAFE_PRODUCT)
    table->sizes.loss += (edges + 1) * PERMI_TREE_LOST;
}

static void permi_tree_unit(const permi_tree *tree, permi_tree_table *table, uint64_t *value)
{
  const permi_tree_table unit = {value, 0, 0, 1, {1, 1, 0, 0}};
  *table = unit;
  permi_value_one(&tree->numbers, value);
}

static perm_status permi_tree_visit(permi_runner *runner, int i)
{
  permi_tree_run *run = (permi_tree_run *)runner;
  const permi_tree *tree = run->tree;
  const permi_tree_node *node = &tree->node[i];
  const size_t size = (size_t)tree->size;
  permi_tree_table *table = run->table + run->stacked - node->children, factor, product;
  perm_status status = PERM_OK;
  int child, side = 0;
  runner->done = tree->cost[i];
  if (!node->children) {
    const int t = permi_count_ones(node->all) - 1;
    const permi_coefficient *alone = permi_tree_alone(tree, node);
    uint64_t *unit = run->work[0];
    permi_tree_unit(tree, &factor, unit);
    *table = factor;
    table->value = run->stacked ? table[-1].value + table[-1].states * size : run->values;
    table->states = permi_tree_choose(tree, t, 1);
    table->difference = node->difference;
    memset(table->value, 0, table->states * size * sizeof *table->value);
    if (alone)
      permi_values_add(&tree->numbers, alone, table->value, unit, 1);
    for (int e = node->edge; e < (node + 1)->edge; e++) {
      const permi_tree_edge *edge = &tree->edge[e];
      const int place = tree->alone ? 1 << edge->bit : node->column ? t - 1 - edge->bit : edge->bit;
      permi_values_add(&tree->numbers, &edge->c, table->value + size * (size_t)place, unit, 1);
    }
  } else {
    factor = table[node->children - 1];
    for (child = node->children - 2; child >= 0 || (child == -1 && factor.set != node->all); child--) {
      permi_tree_table unit;
      uint64_t one[PERM_INTEGER_WORDS * 2 + 2];
      const permi_tree_table *other = child >= 0 ? &table[child] : &unit;
      if (child < 0)
        permi_tree_unit(tree, &unit, one);
      product = factor;
      product.value = run->work[side];
      side = 1 - side;
      product.sizes.loss = permi_tree_join_loss(&other->sizes, &factor.sizes,
                                                1u << permi_count_ones(other->set & factor.set));
      status = permi_tree_join(run, node->rows, child <= 0 ? node->all : factor.set | other->set, other, &factor,
                               &product);
      if (status != PERM_OK)
        return status;
      permi_tree_rescale(run, &product);
      runner->visited += (double)product.states;
      factor = product;
      if (run->keep)
        run->keep(runner->keeper, node, &factor, 0);
    }
    permi_tree_star(run, node, &factor);
    if (factor.value != table->value)
      memmove(table->value, factor.value, factor.states * size * sizeof *factor.value);
    factor.value = table->value;
    *table = factor;
  }
  permi_tree_rescale(run, table);
  table->set = node->set;
  runner->visited += (double)table->states;
  run->stacked += 1 - node->children;
  if (run->keep)
    run->keep(runner->keeper, node, table, 1);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
