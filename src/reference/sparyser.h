/* ======================================================================================= >>sparyser
   Methods sparyser (SpaRyser of [SUP]) and dominating ([LM, appendix B]): Ryser's sum over sets of compressed columns,
   as a tree, in the order of [EK] (>>codegen).

   Symbols     here
     J         the columns in the sum: a Gray code over digits, which are columns or groups
     S_1 ...   dominating: neighbourhoods of rows without common columns. Digits are their non-empty subsets; others
               leave a row empty
     row sums  x: exact, on a grid of a power of two
     products  product of a level, over rows of slower digits; 0 ends the branch
   A row belongs to the fastest digit that touches it: then its sum is final.

   Terms: over all sets J, (-1)^(n - |J|) prod_i sum_{j in J} a_ij [Rys63], rows without a column cut branches; or by
   Nijenhuis and Wilf over sets without column c, (-1)^(n-1) 2 (-1)^|J| prod_i (a_ic - r_i / 2 + sum_{j in J} a_ij),
   r_i the row's sum: half as many terms, hardly a zero. */
#pragma once
#include "transversals.h"

#define PERMI_RYSER_CHUNK_NODES 16384 /* moves, at least */
#define PERMI_RYSER_MOVE_SECONDS 5e-9
#define PERMI_RYSER_ENTRY_SECONDS 2e-9 /* an entry changed, a row multiplied */

typedef struct permi_ryser {
  int n, integers, halves, digits, groups, transposed, on_grid;
  permi_numbers numbers;
  int radix[PERM_MAX_N], least[PERM_MAX_N]; /* Gray codes run from least */
  uint64_t set[PERM_MAX_N];                 /* a digit's columns */
  uint64_t own[PERM_MAX_N + 1];             /* its rows; then those of none */
  uint64_t touches[PERM_MAX_N];             /* a column's rows */
  double nodes, terms, seconds, growth, bits;
  double moved[PERM_MAX_N];
  int buried;                               /* an entry lost over 2^-20 of itself */
  double widest;
  permi_coefficient base[PERM_MAX_N];       /* row sums without digits */
  double value[2][PERM_MAX_N][PERM_MAX_N];  /* by column */
  int64_t integer[PERM_MAX_N][PERM_MAX_N];
} permi_ryser;

typedef union permi_ryser_value {
  double number[2];
  permi_wide wide; /* below 2^126 */
} permi_ryser_value;

typedef struct permi_ryser_walk {
  const permi_ryser *ryser;
  permi_ways ways;
  permi_coefficient x[PERM_MAX_N];
  permi_ryser_value product[PERM_MAX_N + 2];
  perm_partial *partial;
  uint64_t in; /* J */
  int code[PERM_MAX_N];
} permi_ryser_walk;

static void permi_ryser_set(permi_ryser_walk *walk, int digit, int code)
{
  const permi_ryser *ryser = walk->ryser;
  const uint64_t set = ryser->set[digit], in = permi_deposit_bits((uint64_t)(code ^ code >> 1), set);
  uint64_t changed = (walk->in & set) ^ in, rows;
  walk->in ^= changed;
  walk->code[digit] = code;
  for (; changed; changed &= changed - 1) {
    const int j = permi_trailing_zeros(changed), sign = walk->in >> j & 1 ? 1 : -1;
    for (rows = ryser->touches[j]; rows; rows &= rows - 1) {
      const int i = permi_trailing_zeros(rows);
      walk->x[i].real += sign * ryser->value[0][j][i];
      walk->x[i].imaginary += sign * ryser->value[1][j][i];
      walk->x[i].integer[0] += sign * ryser->integer[j][i];
    }
  }
}

static void permi_ryser_add(const permi_ryser_walk *walk)
{
  const permi_ryser *ryser = walk->ryser;
  permi_coefficient sign = permi_coefficient_one();
  permi_ryser_value term;
  int part;
  if ((ryser->n + ryser->halves + permi_count_ones(walk->in)) & 1)
    sign.real = (double)(sign.integer[0] = -1);
  permi_value_add(ryser->numbers.algebra, &ryser->numbers, &sign, &term, &walk->product[0], 1);
  permi_value_sum_parts(&ryser->numbers, &term, walk->partial);
  for (part = 0; part < ryser->numbers.parts && !ryser->integers; part++)
    permi_sum_add_double(&walk->partial->absolute, fabs(term.number[part]));
  walk->partial->terms++;
}

/* Makes the product of a level, and visits the digits below in reflected Gray codes. */
static void permi_ryser_visit(permi_ryser_walk *walk, int level)
{
  const permi_ryser *ryser = walk->ryser;
  const int digit = level - 1;
  permi_ryser_value *y = &walk->product[level];
  uint64_t rows = ryser->own[level];
  int first, last, down, k;
  for (*y = walk->product[level + 1]; rows; rows &= rows - 1) {
    const permi_ryser_value above = *y;
    permi_value_add(ryser->numbers.algebra, &ryser->numbers, &walk->x[permi_trailing_zeros(rows)], y, &above, 1);
  }
  if (ryser->integers ? !(y->wide.low | y->wide.high) : y->number[0] == 0 && y->number[1] == 0)
    return;
  if (!level) {
    if (permi_ways_mine(&walk->ways))
      permi_ryser_add(walk);
    return;
  }
  permi_ways_take(&walk->ways, ryser->radix[digit], &first, &last);
  down = walk->code[digit] == ryser->least[digit] + last - 1;
  for (k = first; k < last; k++) {
    permi_ryser_set(walk, digit, ryser->least[digit] + (down ? first + last - 1 - k : k));
    permi_ryser_visit(walk, digit);
  }
}

static void permi_ryser_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  permi_ryser_walk walk;
  (void)workspace;
  memset(&walk, 0, sizeof walk);
  walk.ryser = ryser;
  walk.partial = partial;
  walk.ways.end = leaf->information.chunks;
  walk.ways.chunk = chunk;
  memcpy(walk.x, ryser->base, sizeof walk.x);
  permi_value_one(&ryser->numbers, &walk.product[ryser->digits + 1]);
  permi_ryser_visit(&walk, ryser->digits);
}

static size_t permi_ryser_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  return permi_say(buffer, size,
                   "%s, order %d%s: %d digits, %d of them groups, %.3g terms%s, about %.3g moves%s, "
                   "predicted %.3g s, %.0f chunks\n",
                   perm_name("method", leaf->information.method), ryser->n, ryser->transposed ? " transposed" : "",
                   ryser->digits, ryser->groups, ryser->terms, ryser->halves ? " (Nijenhuis and Wilf)" : "",
                   ryser->nodes, ryser->integers ? " of 128-bit integers" : "", ryser->seconds,
                   (double)leaf->information.chunks);
}

/* Digits are groups of columns never all absent, and other columns except `without` (-1: none). */
typedef struct permi_ryser_split {
  int side, groups, without, as_given;
  uint64_t group[PERM_MAX_N];
} permi_ryser_split;

static uint64_t permi_ryser_rows(const uint64_t *touches, uint64_t columns)
{
  uint64_t rows = 0;
  for (; columns; columns &= columns - 1)
    rows |= touches[permi_trailing_zeros(columns)];
  return rows;
}

/* What each of n vertices touches. */
static void permi_ryser_sets(const permi_block *block, int first, uint64_t *set)
{
  int i, e;
  for (i = 0; i < block->n; i++)
    for (set[i] = 0, e = block->start[first + i]; e < block->start[first + i + 1]; e++)
      set[i] |= UINT64_C(1) << block->neighbour[e] % block->n;
}

static void permi_ryser_entries(permi_ryser *ryser, const permi_block *block, int without, int i)
{
  const int n = ryser->n, line = ryser->transposed * n + i;
  double sum = 0, grid;
  int e, part;
  for (e = block->start[line]; e < block->start[line + 1]; e++) {
    const int edge = block->edge[e];
    sum += block->integer ? fabs((double)block->integer[edge])
                          : fabs(block->real[edge]) + (block->imaginary ? fabs(block->imaginary[edge]) : 0);
  }
  grid = ldexp(1, permi_exponent(sum * (1 + 1e-12)) - 51); /* sums and halves are below 2^53 half steps */
  ryser->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
  ryser->bits += sum > 1 ? log2(sum) + 1e-9 : 0;
  ryser->widest = fmax(ryser->widest, sum);
  for (e = block->start[line]; e < block->start[line + 1]; e++) {
    const int j = block->neighbour[e] % n, edge = block->edge[e];
    ryser->integer[j][i] = block->integer ? block->integer[edge] : 0;
    for (part = 0; part < ryser->numbers.parts && !block->integer; part++) {
      const double x = (part ? block->imaginary : block->real)[edge];
      const double y = ryser->value[part][j][i] = floor(x / grid + 0.5) * grid;
      ryser->on_grid &= x == y;
      ryser->moved[i] = fmax(ryser->moved[i], fabs(x - y));
      ryser->buried |= fabs(x - y) > ldexp(fabs(x), -20);
      if (ryser->halves)
        *(part ? &ryser->base[i].imaginary : &ryser->base[i].real) += j == without ? y / 2 : -y / 2;
    }
  }
}

/* Predicts moves, of branches that no empty row has cut. */
static void permi_ryser_predict(permi_ryser *ryser, const uint64_t *columns)
{
  const int parts = ryser->numbers.parts;
  double alive = 1;
  uint64_t left;
  int d;
  ryser->terms = 1;
  for (d = ryser->digits - 1; d >= 0; d--) {
    const int touched = permi_count_ones(permi_ryser_rows(ryser->touches, ryser->set[d]));
    ryser->terms *= ryser->radix[d];
    ryser->nodes += ryser->terms * alive;
    ryser->seconds += ryser->terms * alive *
                      (PERMI_RYSER_MOVE_SECONDS +
                       PERMI_RYSER_ENTRY_SECONDS * parts * (touched + parts * permi_count_ones(ryser->own[d])));
    for (left = ryser->halves ? 0 : ryser->own[d]; left; left &= left - 1) {
      const uint64_t mine = columns[permi_trailing_zeros(left)];
      if (!ryser->least[d] || ryser->set[d] & ~mine) /* else never empty */
        alive *= 1 - ldexp(1, -permi_count_ones(mine));
    }
  }
}

static void permi_ryser_plan(permi_ryser *ryser, const permi_block *block, const permi_ryser_split *split)
{
  const int n = block->n, mine = split->side * n;
  uint64_t columns[PERM_MAX_N], digit[PERM_MAX_N], rows_left = ~UINT64_C(0) >> (PERM_MAX_N - n), grouped = 0;
  int digits = split->groups, i, d;
  memset(ryser, 0, sizeof *ryser);
  ryser->n = n;
  ryser->growth = ryser->on_grid = 1;
  ryser->bits = n;
  ryser->integers = block->integer != NULL;
  ryser->numbers.algebra = block->integer ? PERMI_WIDE : PERMI_PAIR_VALUES;
  ryser->numbers.parts = block->imaginary ? 2 : 1;
  ryser->numbers.words = 2;
  ryser->halves = split->without >= 0;
  ryser->transposed = split->side;
  ryser->groups = split->groups;
  permi_ryser_sets(block, n - mine, ryser->touches);
  permi_ryser_sets(block, mine, columns);
  for (i = 0; i < n; i++)
    permi_ryser_entries(ryser, block, split->without, i);
  for (d = 0; d < digits; d++)
    grouped |= digit[d] = split->group[d];
  for (i = 0; i < n; i++)
    if (!(grouped >> i & 1) && i != split->without)
      digit[digits++] = UINT64_C(1) << i;
  ryser->digits = digits;
  for (d = 0; d < digits; d++) { /* Algorithm 3: next, the fewest own rows a bit */
    uint64_t set;
    double least = 1e9;
    int best = d;
    for (i = d; i < (split->as_given ? d + 1 : digits); i++) {
      const double share = (double)permi_count_ones(permi_ryser_rows(ryser->touches, digit[i]) & rows_left) /
                           permi_count_ones(digit[i]);
      best = share < least ? i : best;
      least = fmin(least, share);
    }
    ryser->set[d] = set = digit[best];
    digit[best] = digit[d];
    ryser->least[d] = (grouped & set) != 0;
    ryser->radix[d] = (1 << permi_count_ones(set)) - ryser->least[d];
    ryser->own[d] = permi_ryser_rows(ryser->touches, set) & rows_left;
    rows_left &= ~ryser->own[d];
  }
  ryser->own[digits] = rows_left;
  permi_ryser_predict(ryser, columns);
}

#define PERMI_DOMINATING_COLUMNS 20 /* a digit is an int */
/* The ways: both sides, then both without their fullest column. Method dominating chooses rows greedily by degree. */
static permi_ryser_split permi_ryser_way(const permi_block *block, int way, int dominating)
{
  const int n = block->n, *start = block->start + (way & 1 ? 0 : n);
  permi_ryser_split split;
  uint64_t columns[PERM_MAX_N], used = 0;
  int degree, i;
  memset(&split, 0, sizeof split);
  split.side = way & 1;
  split.without = -1;
  for (i = 0; i < n && way > 1; i++)
    if (split.without < 0 || start[i + 1] - start[i] > start[split.without + 1] - start[split.without])
      split.without = i;
  permi_ryser_sets(block, split.side * n, columns);
  for (degree = 1; degree <= PERMI_DOMINATING_COLUMNS && dominating; degree++)
    for (i = 0; i < n; i++)
      if (permi_count_ones(columns[i]) == degree && !(columns[i] & used))
        used |= split.group[split.groups++] = columns[i];
  return split;
}

static perm_status permi_ryser_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const int dominating = maker->options->method == PERM_METHOD_DOMINATING;
  permi_ryser_split split, best;
  permi_ryser *ryser;
  double least = (double)INFINITY;
  int way;
  (void)rival;
  if (block->n > PERM_MAX_N)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take",
                        PERM_MAX_N);
  if (block->imaginary_integer || maker->options->precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which sparse sums over sets of columns do not take",
                        block->imaginary_integer ? "Gaussian integers" : "another precision than double asked for");
  offer->plan = ryser = (permi_ryser *)permi_allocate(&maker->options->allocator, 1, sizeof *ryser);
  if (!ryser)
    return permi_fail_memory(maker->result);
  memset(&best, 0, sizeof best);
  for (way = 0; way < (dominating || block->integer ? 2 : 4); way++) { /* integers are not halved */
    split = permi_ryser_way(block, way, dominating);
    permi_ryser_plan(ryser, block, &split);
    best = ryser->seconds < least ? split : best;
    least = fmin(least, ryser->seconds);
  }
  permi_ryser_plan(ryser, block, &best);
  offer->seconds = ryser->seconds;
  offer->bytes = sizeof *ryser;
  if (block->integer && ryser->widest * (1 + 1e-12) >= 9223372036854775808.0)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has lines whose sums may exceed 64 bits");
  else if (block->integer && !(ryser->bits <= 126))
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs integers of %.0f bits, where sums over sets of columns have 126",
                 ryser->bits);
  return PERM_OK;
}

/* THE BOUND (docs/proofs-rounding.md): gamma of n (complex 3 n), gamma^2 of the terms that TwoSum adds, and off_grid,
   what the grid changes (tests/proofs/chains.v). */
static void permi_ryser_bounds(permi_maker *maker, const permi_block *block, const permi_ryser *ryser, double terms,
                               permi_leaf *leaf)
{
  const int n = block->n, mine = ryser->transposed * n, other = n - mine;
  double *const value = maker->subsets, *const change = value ? value + (1 << PERMI_MAJORANT_ORDER) : NULL;
  double off_grid = 0;
  int i, e, s;
  for (i = 0; i < n && !ryser->on_grid; i++)
    off_grid += ryser->numbers.parts * ryser->moved[i] * (block->start[mine + i + 1] - block->start[mine + i]);
  if (n > PERMI_MAJORANT_ORDER) {
    off_grid = ryser->on_grid ? 0 : ryser->growth * expm1(off_grid * (1 + 1e-12)) * (1 + 1e-12);
  } else if (!ryser->on_grid) {
    memset(value, 0, 2 * sizeof *value << PERMI_MAJORANT_ORDER);
    value[0] = 1;
    for (s = 0; s < (1 << n) - 1; s++) {
      i = permi_count_ones((unsigned)s);
      for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - other), edge = block->edge[e];
        const double moved = ryser->numbers.parts * ryser->moved[i];
        const double x = fabs(block->real[edge]) + (ryser->numbers.parts == 2 ? fabs(block->imaginary[edge]) : 0);
        if (!(s & bit)) {
          value[s | bit] += value[s] * x;
          change[s | bit] += change[s] * (x + moved) + value[s] * moved;
        }
      }
    }
    off_grid = change[s] * (1 + 1e-12) + 1e-280;
  }
  off_grid = ldexp(off_grid, -(int)leaf->scale_exp2);
  leaf->estimate_relative = (ryser->on_grid ? 1 : 4) * n * PERMI_UNIT;
  leaf->bound_relative = leaf->bound_absolute = (double)INFINITY;
  if (n <= PERMI_MAJORANT_ORDER || ryser->buried) /* else far too wide */
    leaf->estimate_absolute = off_grid;
  if (terms < 1e12) {
    const double gamma = permi_gamma((ryser->numbers.parts == 2 ? 3 : 1) * n), chunk = permi_gamma(2 * terms);
    leaf->bound_relative = (gamma / (1 - gamma) + chunk * chunk) * (1 + 2 * chunk) * (1 + 8 * PERMI_UNIT);
    leaf->bound_absolute = 8.0 * n * ryser->terms * DBL_MIN * ryser->growth + off_grid;
  }
  permi_make_honest(maker, block, leaf);
}

static perm_status permi_ryser_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_ryser *ryser = (const permi_ryser *)offer->plan;
  const uint64_t chunks = permi_walk_chunks(ryser->nodes / PERMI_RYSER_CHUNK_NODES, ryser->seconds, 1 << 20);
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)ryser->transposed), (uint64_t)ryser->halves);
  int d;
  for (d = 0; d < ryser->digits; d++)
    hash = permi_hash(permi_hash(hash, (uint64_t)ryser->radix[d]), ryser->set[d]);
  permi_walk_leaf(block, hash, chunks, leaf);
  leaf->information.work = ryser->nodes;
  leaf->run_chunk = permi_ryser_chunk;
  leaf->explain = permi_ryser_explain;
  leaf->scale_exp2 = ryser->halves ? 1 : 0;
  if (!leaf->integer)
    permi_ryser_bounds(maker, block, ryser, 0, leaf); /* sums are exact */
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
