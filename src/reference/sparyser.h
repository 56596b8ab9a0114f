/* ======================================================================================= >>sparyser
   Methods sparyser (SpaRyser of [SUP]) and dominating ([LM, appendix B]): Ryser's sum over sets of compressed columns,
   as a tree, in the order of [EK] (>>codegen).

   Symbols     here
     J         the columns in the sum: a Gray code over digits, which are columns or groups
     S_1 ...   dominating: neighbourhoods of rows without common columns. Digits are their non-empty subsets; others
               leave a row empty
     row sums  x or integer: exact, on a grid of a power of two
     products  product or wide of a level, over rows of slower digits; 0 ends the branch
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
  int n, parts, integers, halves, digits, groups, transposed, on_grid, pairs;
  int radix[PERM_MAX_N], least[PERM_MAX_N];    /* Gray codes run from least */
  int digit_start[PERM_MAX_N + 1], column[PERM_MAX_N], column_start[PERM_MAX_N + 1];
  int level_start[PERM_MAX_N + 2], row[PERM_MAX_N]; /* by digits; then of none */
  double nodes, terms, seconds, growth, bits, moved[PERM_MAX_N];
  int buried;                                 /* an entry lost over 2^-20 of itself */
  double widest, base[2][PERM_MAX_N];
  unsigned char touched[PERM_MAX_N * PERM_MAX_N];
  double value[2][PERM_MAX_N * PERM_MAX_N];
  int64_t integer[PERM_MAX_N * PERM_MAX_N];
} permi_ryser;

typedef struct permi_ryser_walk {
  const permi_ryser *ryser;
  double x[2][PERM_MAX_N], product[2][PERM_MAX_N + 2], absolute;
  int64_t integer[PERM_MAX_N];
  permi_wide wide[PERM_MAX_N + 2], sum;
  permi_dd total[2];
  int code[PERM_MAX_N], sign;
  uint64_t terms;
} permi_ryser_walk;

static PERMI_ALWAYS_INLINE void permi_ryser_flip(permi_ryser_walk *walk, int k, int on)
{
  const permi_ryser *ryser = walk->ryser;
  const int begin = ryser->column_start[k], end = ryser->column_start[k + 1];
  walk->sign = -walk->sign;
  if (ryser->integers) {
    for (int e = begin; e < end; e++)
      walk->integer[ryser->touched[e]] += on ? ryser->integer[e] : -ryser->integer[e];
    return;
  }
  for (int e = begin; e < end; e++) /* looping over parts takes 1.08 times as long */
    walk->x[0][ryser->touched[e]] += on ? ryser->value[0][e] : -ryser->value[0][e];
  for (int e = begin; e < end && ryser->parts == 2; e++)
    walk->x[1][ryser->touched[e]] += on ? ryser->value[1][e] : -ryser->value[1][e];
}

/* Returns 0 if the product is 0. */
static PERMI_ALWAYS_INLINE int permi_ryser_multiply(permi_ryser_walk *walk, int digit)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->level_start[digit + 1];
  double re = walk->product[0][digit + 1], im = walk->product[1][digit + 1];
  int i = ryser->level_start[digit];
  if (ryser->integers) { /* below 2^126: the upper half has the sign */
    permi_wide product = walk->wide[digit + 1];
    for (; i < end; i++) {
      permi_wide next = {0, 0};
      permi_wide_add_product(&next, &product, walk->integer[ryser->row[i]]);
      product = next;
    }
    walk->wide[digit] = product;
    return product.low || product.high;
  }
  for (; i < end && ryser->parts == 1; i++)
    re *= walk->x[0][ryser->row[i]];
  for (; i < end; i++) {
    const double x = walk->x[0][ryser->row[i]], y = walk->x[1][ryser->row[i]], was = re;
    re = re * x - im * y;
    im = was * y + im * x;
  }
  walk->product[0][digit] = re;
  walk->product[1][digit] = im;
  return re != 0 || im != 0;
}

/* Adds by two short chains, where double-double has a long one. */
static PERMI_ALWAYS_INLINE void permi_ryser_sum(permi_dd *total, double x)
{
  const permi_dd s = permi_two_sum(total->hi, x);
  total->hi = s.hi;
  total->lo += s.lo;
}

static PERMI_ALWAYS_INLINE void permi_ryser_add(permi_ryser_walk *walk)
{
  walk->terms++;
  if (walk->ryser->integers) {
    permi_wide_add(&walk->sum, walk->sign > 0 ? walk->wide[0] : permi_wide_negate(walk->wide[0]));
    return;
  }
  for (int part = 0; part < walk->ryser->parts; part++) {
    permi_ryser_sum(&walk->total[part], walk->sign * walk->product[part][0]);
    walk->absolute += fabs(walk->product[part][0]);
  }
}

static PERMI_ALWAYS_INLINE void permi_ryser_pair(permi_ryser_walk *walk)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->column_start[1], on = walk->code[0] ^= 1;
  double even = walk->product[0][1], odd = even;
  for (int e = 0; e < end; e++) {
    double *x = &walk->x[0][ryser->touched[e]];
    even *= *x;
    *x += on ? ryser->value[0][e] : -ryser->value[0][e];
    odd *= *x;
  }
  permi_ryser_sum(&walk->total[0], walk->sign * even);
  walk->sign = -walk->sign;
  permi_ryser_sum(&walk->total[0], walk->sign * odd);
  walk->absolute += fabs(even) + fabs(odd);
  walk->terms += (uint64_t)(even != 0) + (uint64_t)(odd != 0);
}

/* Visits digits below `level` in reflected Gray codes; `left` values of digit level - 1 are to come. */
static void permi_ryser_visit(permi_ryser_walk *walk, int level, int left)
{
  const int digit = level - 1, least = walk->ryser->least[digit];
  const int step = walk->code[digit] - least <= walk->ryser->radix[digit] - left ? 1 : -1;
  for (;;) {
    if (permi_ryser_multiply(walk, digit)) {
      if (digit == 1 && walk->ryser->pairs)
        permi_ryser_pair(walk);
      else if (digit)
        permi_ryser_visit(walk, digit, walk->ryser->radix[digit - 1]);
      else
        permi_ryser_add(walk);
    }
    if (--left == 0)
      return;
    const int code = walk->code[digit] += step;
    const int bit = permi_trailing_zeros((uint64_t)(step > 0 ? code : code + 1));
    permi_ryser_flip(walk, walk->ryser->digit_start[digit] + bit, (code ^ code >> 1) >> bit & 1);
  }
}

static void permi_ryser_set(permi_ryser_walk *walk, int digit, int by)
{
  const int old = walk->code[digit], code = old + by, gray = code ^ code >> 1;
  int changed = gray ^ old ^ old >> 1;
  for (; changed; changed &= changed - 1) {
    const int bit = permi_trailing_zeros((uint64_t)changed);
    permi_ryser_flip(walk, walk->ryser->digit_start[digit] + bit, gray >> bit & 1);
  }
  walk->code[digit] = code;
}

static void permi_ryser_terms(permi_ryser_walk *walk, permi_ways *ways)
{
  const permi_ryser *ryser = walk->ryser;
  int level = ryser->digits, left, first, last;
  for (;; level--) {
    left = level ? ryser->radix[level - 1] : 0;
    if (level && ways->end - ways->begin > 1) {
      permi_ways_take(ways, left, &first, &last);
      permi_ryser_set(walk, level - 1, first);
      left = last - first;
    }
    if (left != 1)
      break;
    if (!permi_ryser_multiply(walk, level - 1))
      return;
  }
  if (!permi_ways_mine(ways))
    return;
  if (level == 1 && ryser->pairs)
    permi_ryser_pair(walk);
  else if (level)
    permi_ryser_visit(walk, level, left);
  else
    permi_ryser_add(walk);
}

static void permi_ryser_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  permi_ways ways = {0, leaf->information.chunks, chunk, 0, 0, NULL, 0, 0, 0, 0, 0};
  permi_ryser_walk walk;
  (void)workspace;
  memset(&walk, 0, sizeof walk);
  walk.ryser = ryser;
  memcpy(walk.x, ryser->base, sizeof walk.x);
  walk.sign = (ryser->n - ryser->halves) & 1 ? -1 : 1;
  for (int d = 0; d < ryser->digits; d++)
    permi_ryser_set(&walk, d, ryser->least[d]);
  walk.product[0][ryser->digits + 1] = 1;
  walk.wide[ryser->digits + 1].low = 1;
  permi_ryser_multiply(&walk, ryser->digits);
  permi_ryser_terms(&walk, &ways);
  partial->terms += (double)walk.terms;
  if (ryser->integers) {
    const uint64_t word[2] = {walk.sum.low, walk.sum.high};
    permi_sum_add_signed(&partial->value, word, 2);
  }
  permi_sum_add_dd(&partial->value, walk.total[0]);
  permi_sum_add_dd(&partial->imaginary, walk.total[1]);
  permi_sum_add_double(&partial->absolute, walk.absolute);
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
  int groups, without, as_given;
  uint64_t group[PERM_MAX_N];
} permi_ryser_split;

static uint64_t permi_ryser_rows(const uint64_t *touches, uint64_t columns)
{
  uint64_t rows = 0;
  for (; columns; columns &= columns - 1)
    rows |= touches[permi_trailing_zeros(columns)];
  return rows;
}

static void permi_ryser_list(int *list, int *used, uint64_t set)
{
  for (; set; set &= set - 1)
    list[(*used)++] = permi_trailing_zeros(set);
}

static void permi_ryser_entries(permi_ryser *ryser, const permi_block *block, int without, const double *grid)
{
  const int n = ryser->n, mine = ryser->transposed * n, other = n - mine, columns = ryser->digit_start[ryser->digits];
  int k, e, part, used = 0;
  ryser->on_grid = 1;
  for (k = 0; k < columns + ryser->halves; k++) {
    const int column = k < columns ? ryser->column[k] : without;
    ryser->column_start[k] = used;
    for (e = block->start[other + column]; e < block->start[other + column + 1]; e++) {
      const int row = block->neighbour[e] - mine, edge = block->edge[e];
      for (part = 0; part < ryser->parts && !block->integer; part++) {
        const double x = (part ? block->imaginary : block->real)[edge];
        const double y = floor(x / grid[row] + 0.5) * grid[row];
        ryser->on_grid &= x == y;
        ryser->moved[row] = fmax(ryser->moved[row], fabs(x - y));
        ryser->buried |= fabs(x - y) > ldexp(fabs(x), -20);
        if (ryser->halves)
          ryser->base[part][row] += k < columns ? -y / 2 : y / 2;
        if (k < columns)
          ryser->value[part][used] = y;
      }
      if (k < columns) {
        ryser->integer[used] = block->integer ? block->integer[edge] : 0;
        ryser->touched[used++] = (unsigned char)row;
      }
    }
  }
  ryser->column_start[columns] = used;
}

static void permi_ryser_plan(permi_ryser *ryser, const permi_block *block, int side, const permi_ryser_split *split)
{
  const int n = block->n, mine = side * n, other = n - mine;
  uint64_t touches[PERM_MAX_N], digit[PERM_MAX_N], rows_left = ~UINT64_C(0) >> (PERM_MAX_N - n), grouped = 0, set;
  double grid[PERM_MAX_N], alive = 1, count = 1;
  int digits = split->groups, used = 0, taken = 0, i, j, e, d;
  memset(ryser, 0, sizeof *ryser);
  ryser->n = n;
  ryser->growth = 1;
  ryser->bits = n;
  ryser->integers = block->integer != NULL;
  ryser->parts = block->imaginary ? 2 : 1;
  ryser->halves = split->without >= 0;
  ryser->transposed = side;
  ryser->groups = split->groups;
  for (j = 0; j < n; j++)
    for (touches[j] = 0, e = block->start[other + j]; e < block->start[other + j + 1]; e++)
      touches[j] |= UINT64_C(1) << (block->neighbour[e] - mine);
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int edge = block->edge[e];
      sum += block->integer ? fabs((double)block->integer[edge])
                            : fabs(block->real[edge]) + (block->imaginary ? fabs(block->imaginary[edge]) : 0);
    }
    grid[i] = ldexp(1, permi_exponent(sum * (1 + 1e-12)) - 51); /* sums and halves are below 2^53 half steps */
    ryser->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
    ryser->bits += sum > 1 ? log2(sum) + 1e-9 : 0;
    ryser->widest = fmax(ryser->widest, sum);
  }
  for (d = 0; d < digits; d++)
    grouped |= digit[d] = split->group[d];
  for (j = 0; j < n; j++)
    if (!(grouped >> j & 1) && j != split->without)
      digit[digits++] = UINT64_C(1) << j;
  ryser->digits = digits;
  for (d = 0; d < digits; d++) { /* Algorithm 3: next, the fewest own rows a bit */
    int best = d;
    double least = 1e9;
    for (i = d; i < (split->as_given ? d + 1 : digits); i++) {
      const double share = (double)permi_count_ones(permi_ryser_rows(touches, digit[i]) & rows_left) /
                           permi_count_ones(digit[i]);
      best = share < least ? i : best;
      least = fmin(least, share);
    }
    set = digit[best];
    digit[best] = digit[d];
    ryser->digit_start[d] = used;
    ryser->level_start[d] = taken;
    ryser->least[d] = (grouped & set) != 0;
    ryser->radix[d] = (1 << permi_count_ones(set)) - ryser->least[d];
    permi_ryser_list(ryser->column, &used, set);
    set = permi_ryser_rows(touches, set) & rows_left;
    rows_left &= ~set;
    permi_ryser_list(ryser->row, &taken, set);
  }
  ryser->digit_start[digits] = used;
  ryser->level_start[digits] = taken;
  permi_ryser_list(ryser->row, &taken, rows_left);
  ryser->level_start[digits + 1] = taken;
  permi_ryser_entries(ryser, block, split->without, grid);
  for (d = ryser->digits - 1; d >= 0; d--) {
    const double rows = ryser->level_start[d + 1] - ryser->level_start[d];
    const double entries =
        (double)(ryser->column_start[ryser->digit_start[d + 1]] - ryser->column_start[ryser->digit_start[d]]) /
        (ryser->digit_start[d + 1] - ryser->digit_start[d]);
    count *= ryser->radix[d];
    ryser->nodes += count * alive;
    ryser->seconds += count * alive *
                      (PERMI_RYSER_MOVE_SECONDS +
                       PERMI_RYSER_ENTRY_SECONDS * ryser->parts * (entries + ryser->parts * rows));
    for (i = ryser->level_start[d]; i < ryser->level_start[d + 1] && !ryser->halves; i++) {
      double empty = 1;
      for (j = d; j < ryser->digits; j++) {
        int columns = 0;
        for (e = ryser->digit_start[j]; e < ryser->digit_start[j + 1]; e++)
          columns += !(touches[ryser->column[e]] >> ryser->row[i] & 1);
        empty *= (ldexp(1, columns) - ryser->least[j]) / ryser->radix[j];
      }
      alive *= 1 - empty;
    }
  }
  ryser->terms = count;
  ryser->pairs = ryser->parts == 1 && !ryser->integers && ryser->least[0] == 0;
}

/* Chooses rows greedily by least degree, from random starts. */
#define PERMI_DOMINATING_STARTS 64
#define PERMI_DOMINATING_COLUMNS 20 /* a digit is an int */
static permi_ryser_split permi_dominating_split(const permi_block *block, int side)
{
  const int n = block->n, mine = side * n, other = n - mine;
  permi_ryser_split best = {0, -1, 0, {0}}, trial;
  uint64_t columns[PERM_MAX_N], seed = UINT64_C(88172645463325252);
  double least = (double)INFINITY;
  for (int i = 0; i < n; i++) {
    columns[i] = 0;
    for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++)
      columns[i] |= UINT64_C(1) << (block->neighbour[e] - other);
  }
  for (int start = 0; start < PERMI_DOMINATING_STARTS; start++) {
    uint64_t left = ~UINT64_C(0) >> (PERM_MAX_N - n);
    double bits = n;
    trial = best;
    trial.groups = 0;
    for (;;) {
      int row = -1, degree = PERMI_DOMINATING_COLUMNS + 1, ties = 0;
      for (int i = 0; i < n; i++) {
        const int size = block->start[mine + i + 1] - block->start[mine + i];
        if (!(left >> i & 1) || size > degree || size > PERMI_DOMINATING_COLUMNS)
          continue;
        ties = size < degree ? 1 : ties + 1;
        degree = size;
        if (permi_order_below(&seed, ties) == 0)
          row = i;
      }
      if (row < 0)
        break;
      trial.group[trial.groups++] = columns[row];
      bits += log2(ldexp(1, degree) - 1) - degree;
      for (int i = 0; i < n; i++)
        left &= ~((uint64_t)((columns[i] & columns[row]) != 0) << i);
    }
    if (bits < least) {
      least = bits;
      best = trial;
    }
  }
  return best;
}

static perm_status permi_ryser_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_precision precision = maker->options->precision;
  const int dominating = maker->options->method == PERM_METHOD_DOMINATING;
  permi_ryser_split best = {0, -1, 0, {0}};
  permi_ryser *ryser;
  double least = (double)INFINITY;
  int which, side = 0, j;
  (void)rival;
  if (block->n > PERM_MAX_N)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take",
                        PERM_MAX_N);
  if (block->imaginary_integer || precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which sparse sums over sets of columns do not take",
                        block->imaginary_integer ? "Gaussian integers" : "another precision than double asked for");
  offer->plan = ryser = (permi_ryser *)permi_allocate(allocator, 1, sizeof *ryser);
  if (!ryser)
    return permi_fail_memory(maker->result);
  for (which = 0; which < (dominating || block->integer ? 2 : 4); which++) { /* integers are not halved */
    permi_ryser_split split = {0, -1, 0, {0}};
    for (j = 0; j < block->n && which > 1; j++) { /* leaves out the fullest column */
      const int *start = block->start + (which & 1 ? 0 : block->n);
      if (split.without < 0 || start[j + 1] - start[j] > start[split.without + 1] - start[split.without])
        split.without = j;
    }
    if (dominating)
      split = permi_dominating_split(block, which);
    permi_ryser_plan(ryser, block, which & 1, &split);
    if (ryser->seconds < least) {
      least = ryser->seconds;
      best = split;
      side = which & 1;
    }
  }
  permi_ryser_plan(ryser, block, side, &best);
  offer->seconds = ryser->seconds;
  offer->bytes = sizeof *ryser;
  if (block->integer && ryser->widest * (1 + 1e-12) >= 9223372036854775808.0)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has lines whose sums may exceed 64 bits");
  else if (block->integer && !(ryser->bits <= 126))
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs integers of %.0f bits, where sums over sets of columns have 126",
                 ryser->bits);
  return PERM_OK;
}

/* THE BOUND: gamma of n (complex 3 n), gamma^2 of a chunk's terms, and off_grid,
   what the grid changes (tests/proofs/chains.v). */
static void permi_ryser_bounds(permi_maker *maker, const permi_block *block, const permi_ryser *ryser, double terms,
                               permi_leaf *leaf)
{
  const int n = block->n, mine = ryser->transposed * n, other = n - mine;
  double *const value = maker->subsets, *const change = value ? value + (1 << PERMI_MAJORANT_ORDER) : NULL;
  double off_grid = 0;
  for (int i = 0; i < n && !ryser->on_grid; i++)
    off_grid += ryser->parts * ryser->moved[i] * (block->start[mine + i + 1] - block->start[mine + i]);
  if (n > PERMI_MAJORANT_ORDER) {
    off_grid = ryser->on_grid ? 0 : ryser->growth * expm1(off_grid * (1 + 1e-12)) * (1 + 1e-12);
  } else if (!ryser->on_grid) {
    memset(value, 0, ((size_t)1 << n) * sizeof *value);
    memset(change, 0, ((size_t)1 << n) * sizeof *change);
    value[0] = 1;
    for (int s = 0; s < (1 << n) - 1; s++) {
      const int i = permi_count_ones((unsigned)s);
      for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - other), edge = block->edge[e];
        const double moved = ryser->parts * ryser->moved[i];
        const double x = fabs(block->real[edge]) + (ryser->parts == 2 ? fabs(block->imaginary[edge]) : 0);
        if (!(s & bit)) {
          value[s | bit] += value[s] * x;
          change[s | bit] += change[s] * (x + moved) + value[s] * moved;
        }
      }
    }
    off_grid = change[(1 << n) - 1] * (1 + 1e-12) + 1e-280;
  }
  off_grid = ldexp(off_grid, -(int)leaf->scale_exp2);
  leaf->estimate_relative = (ryser->on_grid ? 1 : 4) * n * PERMI_UNIT;
  leaf->bound_relative = leaf->bound_absolute = (double)INFINITY;
  if (n <= PERMI_MAJORANT_ORDER || ryser->buried) /* else far too wide */
    leaf->estimate_absolute = off_grid;
  if (terms < 1e12) {
    const double gamma = permi_gamma((ryser->parts == 2 ? 3 : 1) * n), chunk = permi_gamma(2 * terms);
    leaf->bound_relative = (gamma / (1 - gamma) + chunk * chunk) * (1 + 2 * chunk) * (1 + 8 * PERMI_UNIT);
    leaf->bound_absolute = 8.0 * n * ryser->terms * DBL_MIN * ryser->growth + off_grid;
  }
  permi_make_honest(maker, block, leaf);
}

/* A chunk has the average number of terms; with groups, whose digits divide unevenly, less than 16 times as many:
   2 (1 + 1/2^1) (1 + 1/2^2) ... from shared levels, each rounded down, and 2 from the last. */
static perm_status permi_ryser_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_ryser *ryser = (const permi_ryser *)offer->plan;
  const uint64_t chunks = permi_walk_chunks(ryser->nodes / PERMI_RYSER_CHUNK_NODES, ryser->seconds, 1 << 20);
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)ryser->transposed), (uint64_t)ryser->halves);
  for (int d = 0; d < ryser->digits; d++)
    hash = permi_hash(hash, (uint64_t)ryser->radix[d]);
  for (int k = 0; k < ryser->digit_start[ryser->digits]; k++)
    hash = permi_hash(hash, (uint64_t)ryser->column[k]);
  permi_leaf_ranges(leaf, PERM_ISA_PLAIN, chunks, ryser->nodes, permi_walk_hash(block, hash), permi_ryser_chunk, 0,
                    permi_ryser_explain);
  leaf->integer = ryser->integers;
  leaf->scale_exp2 = ryser->halves ? 1 : 0;
  if (!leaf->integer)
    permi_ryser_bounds(maker, block, ryser, (chunks > 1 && ryser->groups ? 16 : 1) * ryser->terms / (double)chunks,
                       leaf);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
