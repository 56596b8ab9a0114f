/* ====================================================================================== >>decompose
   Sums over branches at lines of few entries [FM03]. Orders up to 64: a set of lines is a word.

   Symbols    here
     a, b     entries of a line; c, d: the lines across that have them
     per A    per (A without the line and d; c replaced by a d + b c) + per (A without the two entries)
     degree   entries of a line: 2k or 2k - 1 give k permanents of one order less. The fewest are branched on
   Pieces that are small, or have over 4 entries in all lines, are summed over subsets, which cancel nothing
   (DecompRyser [SUP] takes Ryser's formula).

   THE BOUND: gamma of n - 1 products (complex ones count as 3) and n (n - 1) / 2
   additions; underflow costs DBL_MIN growth an operation, growth = prod max(1, row sum). */
#pragma once
#include "transversals.h"

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7    /* summed over subsets: a microsecond */
#define PERMI_DECOMPOSE_SUBSETS 14 /* the same with over 4 entries in all lines, short values */
#define PERMI_DECOMPOSE_NODE_SECONDS 2e-6
#define PERMI_DECOMPOSE_WORD_SECONDS 2e-9 /* a word of a value in a product */

/* A matrix in the making: live lines, entries of lines. Behind it cells, a value, and a sum. */
typedef struct permi_piece {
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER];
} permi_piece;

typedef struct permi_decompose {
  permi_walk_plan plan;
  int n, most; /* lines summed over subsets */
  size_t size, piece_bytes;
  permi_piece *whole;
  double growth;
} permi_decompose;

typedef struct permi_decomposing {
  const permi_decompose *plan;
  permi_ways *ways;
  uint64_t *spare, *subsets;
  double operations;
} permi_decomposing;

static uint64_t *permi_piece_at(const permi_decompose *plan, permi_piece *piece, int side, int i, int j)
{
  return (uint64_t *)(void *)(piece + 1) + (size_t)(side ? j * plan->n + i : i * plan->n + j) * plan->size;
}

/* Makes to = a x + b y; to may be x or y, which may be NULL. */
static void permi_piece_combine(permi_decomposing *run, uint64_t *to, const uint64_t *a, const uint64_t *x,
                                const uint64_t *b, const uint64_t *y)
{
  const permi_numbers *numbers = &run->plan->plan.numbers;
  memset(run->spare, 0, run->plan->plan.bytes);
  if (x)
    permi_value_fuse(numbers->algebra, numbers, a, run->spare, x);
  if (y)
    permi_value_fuse(numbers->algebra, numbers, b, run->spare, y);
  memcpy(to, run->spare, run->plan->plan.bytes);
  run->operations++;
}

static void permi_piece_line(permi_piece *piece, int side, int line, uint64_t entries)
{
  uint64_t changed = piece->mask[side][line] ^ entries;
  for (; changed; changed &= changed - 1)
    piece->mask[1 - side][permi_trailing_zeros(changed)] ^= UINT64_C(1) << line;
  piece->mask[side][line] = entries;
}

static void permi_piece_remove(permi_piece *piece, int side, int line)
{
  permi_piece_line(piece, side, line, 0);
  piece->live[side] &= ~(UINT64_C(1) << line);
}

/* Column c takes over d. Integers that cancel are no entries. */
static void permi_piece_merge(permi_decomposing *run, permi_piece *piece, int side, int line)
{
  const permi_decompose *plan = run->plan;
  const uint64_t entries = piece->mask[side][line];
  const int other = 1 - side, c = permi_trailing_zeros(entries), d = permi_trailing_zeros(entries & (entries - 1));
  const uint64_t *a = permi_piece_at(plan, piece, side, line, c), *b = permi_piece_at(plan, piece, side, line, d);
  const uint64_t in_c = piece->mask[other][c], in_d = piece->mask[other][d];
  uint64_t lines = (in_c | in_d) & ~(UINT64_C(1) << line), kept = 0;
  for (; lines; lines &= lines - 1) {
    const int r = permi_trailing_zeros(lines);
    const uint64_t bit = UINT64_C(1) << r;
    uint64_t *x = permi_piece_at(plan, piece, side, r, c), *y = permi_piece_at(plan, piece, side, r, d);
    size_t k = 0;
    permi_piece_combine(run, x, a, in_d & bit ? y : NULL, b, in_c & bit ? x : NULL);
    while (k < plan->size && !x[k] && permi_algebra_is_integer(plan->plan.numbers.algebra))
      k++;
    kept |= k < plan->size ? bit : 0;
  }
  permi_piece_remove(piece, side, line);
  permi_piece_line(piece, other, c, kept);
  permi_piece_remove(piece, other, d);
}

/* Returns the permanent of a piece of order k: run->subsets[s] is of its first rows and the columns s. */
static uint64_t *permi_piece_subsets(permi_decomposing *run, permi_piece *piece, int k)
{
  const permi_decompose *plan = run->plan;
  const permi_numbers *numbers = &plan->plan.numbers;
  int line[2][PERMI_DECOMPOSE_ORDER], side, i, j;
  uint64_t left;
  for (side = 0; side < 2; side++)
    for (i = 0, left = piece->live[side]; left; left &= left - 1)
      line[side][i++] = permi_trailing_zeros(left);
  permi_value_one(numbers, run->subsets);
  for (unsigned s = 1; s < 1u << k; s++) {
    uint64_t *sum = run->subsets + s * plan->size;
    i = line[0][permi_count_ones(s) - 1];
    memset(sum, 0, plan->plan.bytes);
    for (unsigned last = s; last; last &= last - 1) {
      j = permi_trailing_zeros(last);
      if (piece->mask[0][i] >> line[1][j] & 1)
        permi_value_fuse(numbers->algebra, numbers, run->subsets + (s ^ 1u << j) * plan->size, sum,
                         permi_piece_at(plan, piece, 0, i, line[1][j]));
    }
  }
  run->operations += ldexp(k, k);
  return run->subsets + (((size_t)1 << k) - 1) * plan->size;
}

/* Finds a line of the fewest entries; returns their number, INT_MAX without lines. */
static int permi_piece_least(const permi_piece *piece, int *side, int *line)
{
  int degree = INT_MAX, s;
  for (s = 0; s < 2; s++)
    for (uint64_t lines = piece->live[s]; lines && degree > 2; lines &= lines - 1) {
      const int i = permi_trailing_zeros(lines), entries = permi_count_ones(piece->mask[s][i]);
      if (entries < degree) {
        degree = entries;
        *side = s;
        *line = i;
      }
    }
  return degree;
}

static void permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const permi_coefficient one = permi_coefficient_one();
  permi_piece *const next = (permi_piece *)(void *)((char *)piece + plan->piece_bytes);
  uint64_t *const value = permi_piece_at(plan, piece, 0, plan->n, 0), *const sum = value + plan->size, left;
  int side = 0, line = 0, degree, order, first, last, k;
  permi_value_one(&plan->plan.numbers, result);
  if (permi_ways_stop(run->ways, PERMI_DECOMPOSE_NODE_SECONDS +
                                     PERMI_DECOMPOSE_WORD_SECONDS * plan->n * (20 + (double)plan->size)))
    return;
  while ((degree = permi_piece_least(piece, &side, &line)) <= 2) {
    if (degree == 0) {
      memset(result, 0, plan->plan.bytes);
      return;
    }
    if (degree == 2) {
      permi_piece_merge(run, piece, side, line);
    } else {
      const int partner = permi_trailing_zeros(piece->mask[side][line]);
      permi_piece_combine(run, result, result, permi_piece_at(plan, piece, side, line, partner), NULL, NULL);
      permi_piece_remove(piece, side, line);
      permi_piece_remove(piece, 1 - side, partner);
    }
  }
  order = permi_count_ones(piece->live[0]);
  if (order == 0)
    return;
  if (order <= PERMI_DECOMPOSE_SMALL || (degree > 4 && order <= plan->most)) {
    const double size = (double)plan->size, words = plan->plan.numbers.algebra == PERMI_WORDS ? 8 + size * size : size;
    run->ways->work += run->ways->weight * PERMI_DECOMPOSE_WORD_SECONDS * ldexp(order * words, order);
    permi_piece_combine(run, result, result, permi_piece_subsets(run, piece, order), NULL, NULL);
    return;
  }
  permi_ways_take(run->ways, (degree + 1) / 2, &first, &last);
  memset(sum, 0, plan->plan.bytes);
  for (k = 0, left = piece->mask[side][line]; k < last && !run->ways->stopped; k++) { /* pairs, an odd one last */
    const uint64_t others = left & (left - 1), pair = left & ~(others & (others - 1));
    left &= ~pair;
    if (k < first)
      continue;
    memcpy(next, piece, plan->piece_bytes);
    permi_piece_line(next, side, line, pair);
    permi_decompose_node(run, next, value);
    permi_values_add(&plan->plan.numbers, &one, sum, value, 1);
  }
  permi_piece_combine(run, result, result, sum, NULL, NULL);
}

static void permi_decompose_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  permi_ways *ways = (permi_ways *)workspace;
  permi_piece *piece = (permi_piece *)(void *)(ways + 1);
  uint64_t *result = (uint64_t *)(void *)((char *)piece + (size_t)plan->n * plan->piece_bytes);
  permi_decomposing run = {plan, ways, result + plan->size, result + 2 * plan->size, 0};
  (void)chunk;
  memcpy(piece, plan->whole, plan->piece_bytes);
  permi_decompose_node(&run, piece, result);
  partial->terms += ways->choices;
  if (!permi_ways_mine(ways))
    return;
  permi_value_sum(&plan->plan.numbers, result, partial);
  if (!leaf->integer)
    partial->lost += 16 * (run.operations + ways->choices) * DBL_MIN * plan->growth;
}

static perm_status permi_decompose_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double roundings = permi_entry_roundings(maker->working, maker->working->n);
  const double products = block->imaginary ? 3 : 1;
  const int n = block->n;
  (void)rival;
  if (n > PERMI_DECOMPOSE_ORDER)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method decompose, which takes orders up to %d",
                        PERMI_DECOMPOSE_ORDER);
  if (!block->integer && maker->options->precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is asked for in more than double precision");
  permi_decompose *plan = (permi_decompose *)permi_owned_new(&maker->options->allocator, sizeof *plan);
  offer->plan = plan;
  if (!plan)
    return permi_fail_memory(maker->result);
  permi_numbers *numbers = &plan->plan.numbers;
  if (!permi_numbers_choose(numbers, block, 0, 0))
    return permi_refuse_long(offer);
  if (numbers->algebra == PERMI_WIDE)
    numbers->algebra = PERMI_WORDS; /* factors have two words */
  plan->n = n;
  plan->size = permi_numbers_words(numbers);
  plan->most = plan->size <= 4 ? PERMI_DECOMPOSE_SUBSETS : PERMI_DECOMPOSE_SMALL;
  plan->plan.bytes = plan->size * sizeof(uint64_t);
  plan->piece_bytes = sizeof(permi_piece) + ((size_t)n * (size_t)n + 2) * plan->plan.bytes;
  plan->plan.workspace = (size_t)n * plan->piece_bytes + (2 + ((size_t)1 << plan->most)) * plan->plan.bytes;
  plan->plan.ways = PERMI_DECOMPOSE_ORDER;
  plan->plan.run = permi_decompose_chunk;
  permi_piece *whole = plan->whole = (permi_piece *)permi_pool_zeros(&plan->plan.owned.pool, 1, plan->piece_bytes);
  if (!whole)
    return permi_fail_memory(maker->result);
  whole->live[0] = whole->live[1] = ~UINT64_C(0) >> (64 - n);
  uint64_t *unit = permi_piece_at(plan, whole, 0, n, 0);
  permi_value_one(numbers, unit);
  plan->growth = 1;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], numbers);
      whole->mask[0][i] |= UINT64_C(1) << j;
      whole->mask[1][j] |= UINT64_C(1) << i;
      permi_values_add(numbers, &c, permi_piece_at(plan, whole, 0, i, j), unit, 1);
      sum += c.absolute;
    }
    plan->growth = ldexp(plan->growth, sum > 1 ? permi_exponent(sum * (1 + 1e-12)) + 1 : 0);
  }
  plan->plan.bound = permi_entry_bound(roundings + products * n + n * (n - 1) / 2.0);
  plan->plan.estimate = 4 * PERMI_UNIT * sqrt(roundings + (products + 1) * n);
  offer->bytes = (double)plan->piece_bytes;
  return permi_walk_offer(maker, &plan->plan, (double)n * n * n, offer);
}
/* SPDX-License-Identifier: MIT */
