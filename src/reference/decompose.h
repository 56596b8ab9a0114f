/* ====================================================================================== >>decompose
   Eliminates lines of few entries by sums over branches [FM03]. Orders up to 64: a set of lines is a word.

   Symbols    here
     a, b     entries of a line; c, d: the lines across that have them
     per A    per (A without the line and d; c replaced by a d + b c) + per (A without the two entries)
     degree   entries of a line: 2k or 2k - 1 give k permanents of one order less. The fewest are branched on
   Pieces that are small, or have over 4 entries in all lines, are summed over subsets, which cancel nothing
   (DecompRyser [SUP] takes Ryser's formula).

   THE BOUND (docs/proofs-rounding.md): gamma of n - 1 products (complex ones count as 3) and n (n - 1) / 2
   additions; underflow costs DBL_MIN growth an operation, growth = prod max(1, row sum). */
#pragma once
#include "transversals.h"

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7    /* summed over subsets: a microsecond */
#define PERMI_DECOMPOSE_SUBSETS 14 /* the same with over 4 entries in all lines, short values */
#define PERMI_DECOMPOSE_NODE_SECONDS 2e-6
#define PERMI_DECOMPOSE_WORD_SECONDS 2e-9 /* a word of a value in a product */

/* A matrix in the making: live lines, entries of lines, branches on a line. */
typedef struct permi_piece {
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER], pair[PERMI_DECOMPOSE_ORDER];
  uint64_t *cell, *value, *sum;
} permi_piece;

typedef struct permi_decompose {
  permi_owned owned;
  permi_numbers numbers;
  int n, most; /* lines summed over subsets */
  size_t size;
  permi_piece whole;
  double nodes, growth;
} permi_decompose;

typedef struct permi_decomposing {
  const permi_decompose *plan;
  permi_ways *ways;
  uint64_t *spare, *result, *subsets;
  double operations;
} permi_decomposing;

static uint64_t *permi_piece_at(const permi_decompose *plan, const permi_piece *piece, int side, int i, int j)
{
  return piece->cell + (size_t)(side ? j * plan->n + i : i * plan->n + j) * plan->size;
}

/* Makes to = a x + b y; to may be x or y, which may be NULL. */
static void permi_piece_combine(permi_decomposing *run, uint64_t *to, const uint64_t *a, const uint64_t *x,
                                const uint64_t *b, const uint64_t *y)
{
  const permi_decompose *plan = run->plan;
  const permi_numbers *numbers = &plan->numbers;
  memset(run->spare, 0, plan->size * sizeof *to);
  if (x)
    permi_value_fuse(numbers->algebra, numbers, a, run->spare, x);
  if (y)
    permi_value_fuse(numbers->algebra, numbers, b, run->spare, y);
  memcpy(to, run->spare, plan->size * sizeof *to);
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

/* Eliminates a line of two entries: column c takes over d. Integers that cancel are no entries. */
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
    while (k < plan->size && !x[k] && permi_algebra_is_integer(plan->numbers.algebra))
      k++;
    kept |= k < plan->size ? bit : 0;
  }
  permi_piece_remove(piece, side, line);
  permi_piece_line(piece, other, c, kept);
  permi_piece_remove(piece, other, d);
}

static void permi_piece_copy(const permi_decompose *plan, const permi_piece *from, permi_piece *to)
{
  uint64_t rows = from->live[0], left;
  memcpy(to->live, from->live, sizeof to->live);
  memcpy(to->mask, from->mask, sizeof to->mask);
  for (; rows; rows &= rows - 1) {
    const int i = permi_trailing_zeros(rows);
    for (left = from->mask[0][i]; left; left &= left - 1) {
      const int j = permi_trailing_zeros(left);
      memcpy(permi_piece_at(plan, to, 0, i, j), permi_piece_at(plan, from, 0, i, j), plan->size * sizeof(uint64_t));
    }
  }
}

/* Returns the permanent of a piece of order k: run->subsets[s] is of its first rows and the columns s. */
static uint64_t *permi_piece_subsets(permi_decomposing *run, const permi_piece *piece, int k)
{
  const permi_decompose *plan = run->plan;
  const permi_numbers *numbers = &plan->numbers;
  int line[2][PERMI_DECOMPOSE_ORDER], side, i, j;
  unsigned mask[PERMI_DECOMPOSE_SUBSETS], s, last;
  uint64_t left;
  for (side = 0; side < 2; side++)
    for (i = 0, left = piece->live[side]; left; left &= left - 1, i++) {
      const int last_first = side && numbers->algebra == PERMI_COMPLEX; /* bits depend on the order of sums */
      line[side][last_first ? k - 1 - i : i] = permi_trailing_zeros(left);
    }
  for (i = 0; i < k; i++)
    for (mask[i] = 0, j = 0; j < k; j++)
      mask[i] |= (unsigned)(piece->mask[0][line[0][i]] >> line[1][j] & 1) << j;
  permi_value_one(numbers, run->subsets);
  for (s = 1; s < 1u << k; s++) {
    uint64_t *sum = run->subsets + s * plan->size;
    i = permi_count_ones(s) - 1;
    memset(sum, 0, plan->size * sizeof *sum);
    for (last = mask[i] & s; last; last &= last - 1) {
      j = permi_trailing_zeros(last);
      permi_value_fuse(numbers->algebra, numbers, run->subsets + (s ^ 1u << j) * plan->size, sum,
                       permi_piece_at(plan, piece, 0, line[0][i], line[1][j]));
    }
  }
  run->operations += ldexp(k, k);
  return run->subsets + (((size_t)1 << k) - 1) * plan->size;
}

/* Pairs the entries of a line, an odd one last. Partners that share most lines come first: they fill in least. */
static int permi_piece_pairs(permi_piece *piece, int side, int line)
{
  uint64_t left = piece->mask[side][line], first, second;
  int pairs = 0;
  for (; left & (left - 1); left &= ~piece->pair[pairs++]) {
    int most = -1;
    for (first = left; first & (first - 1); first &= first - 1)
      for (second = first & (first - 1); second; second &= second - 1) {
        const uint64_t x = piece->mask[1 - side][permi_trailing_zeros(first)];
        const int shared = permi_count_ones(x & piece->mask[1 - side][permi_trailing_zeros(second)]);
        if (shared > most) {
          most = shared;
          piece->pair[pairs] = (first & (0 - first)) | (second & (0 - second));
        }
      }
  }
  if (left)
    piece->pair[pairs++] = left;
  return pairs;
}

static void permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const permi_coefficient one = permi_coefficient_one();
  int side = 0, line = 0, degree, order, first, last;
  uint64_t lines;
  permi_value_one(&plan->numbers, result);
  if (permi_ways_stop(run->ways, PERMI_DECOMPOSE_NODE_SECONDS +
                                     PERMI_DECOMPOSE_WORD_SECONDS * plan->n * (20 + (double)plan->size)))
    return;
  for (;;) {
    int partner, s;
    degree = INT_MAX; /* the fewest entries of a line; INT_MAX: no line */
    for (s = 0; s < 2; s++)
      for (lines = piece->live[s]; lines && degree > 2; lines &= lines - 1) {
        const int i = permi_trailing_zeros(lines), entries = permi_count_ones(piece->mask[s][i]);
        if (entries >= degree)
          continue;
        degree = entries;
        side = s;
        line = i;
      }
    if (degree > 2)
      break;
    if (degree == 0) {
      memset(result, 0, plan->size * sizeof *result);
      return;
    }
    if (degree == 2) {
      permi_piece_merge(run, piece, side, line);
      continue;
    }
    partner = permi_trailing_zeros(piece->mask[side][line]);
    permi_piece_combine(run, result, result, permi_piece_at(plan, piece, side, line, partner), NULL, NULL);
    permi_piece_remove(piece, side, line);
    permi_piece_remove(piece, 1 - side, partner);
  }
  order = permi_count_ones(piece->live[0]);
  if (order == 0)
    return;
  if (order <= PERMI_DECOMPOSE_SMALL || (degree > 4 && order <= plan->most)) {
    const double size = (double)plan->size, words = plan->numbers.algebra == PERMI_WORDS ? 8 + size * size : size;
    run->ways->work += run->ways->weight * PERMI_DECOMPOSE_WORD_SECONDS * ldexp(order * words, order);
    permi_piece_combine(run, result, result, permi_piece_subsets(run, piece, order), NULL, NULL);
    return;
  }
  permi_ways_take(run->ways, permi_piece_pairs(piece, side, line), &first, &last);
  memset(piece->sum, 0, plan->size * sizeof *result);
  for (; first < last && !run->ways->stopped; first++) {
    permi_piece_copy(plan, piece, piece + 1);
    permi_piece_line(piece + 1, side, line, piece->pair[first]);
    permi_decompose_node(run, piece + 1, piece->value);
    permi_values_add(&plan->numbers, &one, piece->sum, piece->value, 1);
  }
  permi_piece_combine(run, result, result, piece->sum, NULL, NULL);
}

static size_t permi_decompose_bytes(const permi_decompose *plan)
{
  const size_t levels = (size_t)plan->n, cells = (size_t)plan->n * (size_t)plan->n;
  return levels * sizeof(permi_piece) +
         (levels * (cells + 2) + 2 + ((size_t)1 << plan->most)) * plan->size * sizeof(uint64_t);
}

static void permi_decompose_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  const size_t size = plan->size, cells = (size_t)plan->n * (size_t)plan->n;
  permi_decomposing run;
  permi_piece *piece;
  uint64_t *room;
  int i;
  (void)chunk;
  memset(&run, 0, sizeof run);
  run.plan = plan;
  run.ways = (permi_ways *)workspace;
  piece = (permi_piece *)(void *)(run.ways + 1);
  room = (uint64_t *)(void *)(piece + plan->n);
  for (i = 0; i < plan->n; i++, room += (cells + 2) * size) {
    piece[i].cell = room;
    piece[i].value = room + cells * size;
    piece[i].sum = piece[i].value + size;
  }
  run.spare = room;
  run.result = room + size;
  run.subsets = run.result + size;
  permi_piece_copy(plan, &plan->whole, piece);
  permi_decompose_node(&run, piece, run.result);
  partial->terms += run.ways->choices;
  if (!permi_ways_mine(run.ways))
    return;
  permi_value_sum(&plan->numbers, run.result, partial);
  if (!leaf->integer)
    partial->lost += 16 * (run.operations + run.ways->choices) * DBL_MIN * plan->growth;
}

static perm_status permi_decompose_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const int n = block->n;
  const size_t cells = (size_t)n * (size_t)n;
  permi_decompose *plan;
  permi_piece *whole;
  uint64_t *unit;
  int i, e;
  (void)rival;
  if (n > PERMI_DECOMPOSE_ORDER)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method decompose, which takes orders up to %d",
                        PERMI_DECOMPOSE_ORDER);
  if (!block->integer && maker->options->precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is asked for in more than double precision");
  plan = (permi_decompose *)permi_owned_new(&maker->options->allocator, sizeof *plan);
  offer->plan = plan;
  if (!plan)
    return permi_fail_memory(maker->result);
  whole = &plan->whole;
  plan->n = n;
  if (!permi_numbers_choose(&plan->numbers, block, 0, 0))
    return permi_refuse_long(offer);
  if (plan->numbers.algebra == PERMI_MAGNITUDES)
    plan->numbers.algebra = PERMI_SIGNED;
  if (plan->numbers.algebra == PERMI_WIDE)
    plan->numbers.algebra = PERMI_WORDS; /* factors have two words */
  plan->size = permi_numbers_words(&plan->numbers);
  plan->most = plan->size <= 4 ? PERMI_DECOMPOSE_SUBSETS : PERMI_DECOMPOSE_SMALL;
  whole->cell = (uint64_t *)permi_pool_zeros(&plan->owned.pool, cells + 1, plan->size * sizeof *unit);
  if (!whole->cell)
    return permi_fail_memory(maker->result);
  whole->live[0] = whole->live[1] = ~UINT64_C(0) >> (64 - n);
  unit = whole->cell + cells * plan->size;
  permi_value_one(&plan->numbers, unit);
  plan->growth = 1;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], &plan->numbers);
      whole->mask[0][i] |= UINT64_C(1) << j;
      whole->mask[1][j] |= UINT64_C(1) << i;
      permi_values_add(&plan->numbers, &c, permi_piece_at(plan, whole, 0, i, j), unit, 1);
      sum += c.absolute;
    }
    plan->growth = ldexp(plan->growth, sum > 1 ? permi_exponent(sum * (1 + 1e-12)) + 1 : 0);
  }
  offer->bytes = 8.0 * (double)(cells * plan->size);
  return permi_walk_offer(maker, permi_decompose_chunk, permi_decompose_bytes(plan), (double)n * n * n, &plan->nodes,
                          offer);
}

static perm_status permi_decompose_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                        permi_leaf *leaf)
{
  const permi_decompose *plan = (const permi_decompose *)offer->plan;
  const double n = plan->n, products = plan->numbers.parts == 2 ? 3 : 1;
  const double roundings = permi_entry_roundings(maker->working, maker->working->n);
  leaf->information.work = plan->nodes;
  if (!block->integer) {
    leaf->bound_relative = permi_entry_bound(roundings + products * n + n * (n - 1) / 2);
    leaf->estimate_relative = 4 * PERMI_UNIT * sqrt(roundings + (products + 1) * n);
  }
  return permi_walk_make(maker, block, offer, (uint64_t)plan->numbers.words, PERMI_DECOMPOSE_ORDER,
                         permi_decompose_chunk, permi_decompose_bytes(plan), leaf);
}
/* SPDX-License-Identifier: MIT */
