/* ======================================================================================= >>sparyser
   Ryser's sum over sets of columns in Gray order, on compressed columns [SUP], in the order of [EK] (>>codegen); here
   as a tree. Digits, columns or groups of them, are decided from the slowest to the fastest. A row belongs to the
   fastest digit that touches it, which makes its sum final; each level keeps the product over the rows of slower
   digits, and 0 ends the branch (the paper has two such areas, this one a column). Row sums are exact, on a grid of a
   power of two.

   Terms: over all sets J, (-1)^(n - |J|) prod_i sum_{j in J} a_ij [Rys63], where rows without a column cut branches; or
   by Nijenhuis and Wilf over sets without column c, (-1)^(n-1) 2 (-1)^|J| prod_i (a_ic - r_i / 2 + sum_{j in J} a_ij),
   r_i the row's sum: half as many terms, hardly a zero. */
#pragma once
#include "../graph/engines.h"
#include "../frontier/steps.h"

#define PERMI_RYSER_CHUNK_NODES 16384 /* moves of a chunk, at least */
#define PERMI_RYSER_CHUNKS 4096       /* at most, unless chunks would take longer than PERMI_RYSER_CHUNK_SECONDS */

typedef struct permi_ryser {
  int n, parts, integers, halves, digits, low; /* a chunk fixes the digits from low on */
  int groups, transposed, on_grid, pairs;
  int radix[PERM_MAX_N], least[PERM_MAX_N];    /* a digit's Gray codes run from least */
  int digit_start[PERM_MAX_N + 1], column[PERM_MAX_N];
  int column_start[PERM_MAX_N + 1];
  int level_start[PERM_MAX_N + 1], row[PERM_MAX_N]; /* the rows of a digit; then rows of no digit */
  int shares;                                       /* parts of digit low - 1 */
  uint64_t combinations;
  double nodes, terms, seconds, growth, bits;
  double moved[PERM_MAX_N];
  int buried;                                 /* an entry lost over 2^-20 of itself */
  double widest;
  double base[2][PERM_MAX_N];
  unsigned char touched[PERM_MAX_N * PERM_MAX_N];
  double value[2][PERM_MAX_N * PERM_MAX_N];
  int64_t integer[PERM_MAX_N * PERM_MAX_N];
} permi_ryser;

typedef struct permi_ryser_walk {
  const permi_ryser *ryser;
  double x[2][PERM_MAX_N], product[2][PERM_MAX_N + 1], absolute;
  int64_t integer[PERM_MAX_N];
  permi_wide wide[PERM_MAX_N + 1], sum;
  permi_dd total[2];
  int code[PERM_MAX_N], sign;
  uint64_t terms;
} permi_ryser_walk;

static PERMI_ALWAYS_INLINE void permi_ryser_flip(permi_ryser_walk *walk, int k, int on)
{
  const permi_ryser *ryser = walk->ryser;
  const int begin = ryser->column_start[k], end = ryser->column_start[k + 1];
  int e;
  walk->sign = -walk->sign;
  if (ryser->integers) {
    for (e = begin; e < end; e++)
      walk->integer[ryser->touched[e]] += on ? ryser->integer[e] : -ryser->integer[e];
    return;
  }
  for (e = begin; e < end; e++) /* a loop over the parts around it takes 1.08 times as long */
    walk->x[0][ryser->touched[e]] += on ? ryser->value[0][e] : -ryser->value[0][e];
  for (e = begin; e < end && ryser->parts == 2; e++)
    walk->x[1][ryser->touched[e]] += on ? ryser->value[1][e] : -ryser->value[1][e];
}

static PERMI_ALWAYS_INLINE void permi_ryser_step(permi_ryser_walk *walk, int digit, int step)
{
  const int code = walk->code[digit] + step;
  const int bit = permi_trailing_zeros((uint64_t)(step > 0 ? code : code + 1));
  walk->code[digit] = code;
  permi_ryser_flip(walk, walk->ryser->digit_start[digit] + bit, (code ^ code >> 1) >> bit & 1);
}

/* Multiplies a level's complex product by the sums of rows [i, end) of the order. */
static PERMI_ALWAYS_INLINE void permi_ryser_times(permi_ryser_walk *walk, int level, int i, int end)
{
  double re = walk->product[0][level], im = walk->product[1][level];
  for (; i < end; i++) {
    const int row = walk->ryser->row[i];
    const double x = walk->x[0][row], y = walk->x[1][row], was = re;
    re = re * x - im * y;
    im = was * y + im * x;
  }
  walk->product[0][level] = re;
  walk->product[1][level] = im;
}

/* Returns 0 if the product is 0. */
static PERMI_ALWAYS_INLINE int permi_ryser_multiply(permi_ryser_walk *walk, int digit)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->level_start[digit + 1];
  int i = ryser->level_start[digit];
  if (ryser->integers) { /* products are below 2^126: the upper half has the sign */
    permi_wide product = walk->wide[digit + 1];
    for (; i < end; i++) {
      permi_wide next = {0, 0};
      permi_wide_add_product(&next, &product, walk->integer[ryser->row[i]]);
      product = next;
    }
    walk->wide[digit] = product;
    return product.low || product.high;
  }
  if (ryser->parts == 1) {
    double product = walk->product[0][digit + 1];
    for (; i < end; i++)
      product *= walk->x[0][ryser->row[i]];
    walk->product[0][digit] = product;
    return product != 0;
  }
  walk->product[0][digit] = walk->product[0][digit + 1];
  walk->product[1][digit] = walk->product[1][digit + 1];
  permi_ryser_times(walk, digit, i, end);
  return walk->product[0][digit] != 0 || walk->product[1][digit] != 0;
}

/* TwoSum: two short chains where double-double has a long one. */
static PERMI_ALWAYS_INLINE void permi_ryser_sum(permi_dd *total, double x)
{
  const permi_dd s = permi_two_sum(total->hi, x);
  total->hi = s.hi;
  total->lo += s.lo;
}

static PERMI_ALWAYS_INLINE void permi_ryser_add(permi_ryser_walk *walk)
{
  int part;
  walk->terms++;
  if (walk->ryser->integers) {
    permi_wide_add(&walk->sum, walk->sign > 0 ? walk->wide[0] : permi_wide_negate(walk->wide[0]));
    return;
  }
  for (part = 0; part < walk->ryser->parts; part++) {
    permi_ryser_sum(&walk->total[part], walk->sign * walk->product[part][0]);
    walk->absolute += fabs(walk->product[part][0]);
  }
}

static PERMI_ALWAYS_INLINE void permi_ryser_pair(permi_ryser_walk *walk)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->column_start[1], on = walk->code[0] ^= 1;
  double even = walk->product[0][1], odd = even;
  int e;
  for (e = 0; e < end; e++) {
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

/* Visits the digits below `level` in reflected Gray codes, each from where it stands to its other end. left: values of
   digit level - 1. */
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
    permi_ryser_step(walk, digit, step);
  }
}

static void permi_ryser_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  const int digits = ryser->digits;
  const int64_t shares = ryser->shares, share = (int64_t)(chunk % (uint64_t)shares);
  permi_ryser_walk walk;
  int d, k, part, alive = 1, left = ryser->low ? ryser->radix[ryser->low - 1] : 0;
  (void)workspace;
  if (chunk >= ryser->combinations) /* the number of chunks is rounded up */
    return;
  chunk /= (uint64_t)shares;
  memset(&walk, 0, sizeof walk);
  walk.ryser = ryser;
  memcpy(walk.x, ryser->base, sizeof walk.x);
  walk.sign = (ryser->n - ryser->halves) & 1 ? -1 : 1;
  for (d = 0; d < digits; d++) {
    int code = ryser->least[d];
    if (d == ryser->low - 1 && shares > 1) {
      const int begin = (int)(share * left / shares);
      left = (int)((share + 1) * left / shares) - begin;
      code += begin;
    }
    if (d >= ryser->low) {
      code += (int)(chunk % (uint64_t)ryser->radix[d]);
      chunk /= (uint64_t)ryser->radix[d];
    }
    walk.code[d] = code;
    for (k = 0; k < ryser->digit_start[d + 1] - ryser->digit_start[d]; k++)
      if ((code ^ code >> 1) >> k & 1)
        permi_ryser_flip(&walk, ryser->digit_start[d] + k, 1);
  }
  walk.product[0][digits] = 1;
  walk.wide[digits].low = 1;
  permi_ryser_times(&walk, digits, ryser->level_start[digits], ryser->n);
  for (d = digits - 1; d >= ryser->low && alive; d--)
    alive = permi_ryser_multiply(&walk, d);
  if (alive && ryser->low == 1 && ryser->pairs)
    permi_ryser_pair(&walk);
  else if (alive && ryser->low)
    permi_ryser_visit(&walk, ryser->low, left);
  else if (alive)
    permi_ryser_add(&walk);
  partial->terms += (double)walk.terms;
  if (ryser->integers) {
    const int negative = (int)(walk.sum.high >> 63);
    const permi_wide sum = negative ? permi_wide_negate(walk.sum) : walk.sum;
    const uint64_t word[2] = {sum.low, sum.high};
    permi_sum_add_integer(&partial->value, word, 2, negative);
  }
  for (part = 0; part < 2; part++) {
    perm_sum *sum = part ? &partial->imaginary : &partial->value;
    permi_sum_add_double(sum, walk.total[part].hi);
    permi_sum_add_double(sum, walk.total[part].lo);
  }
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

/* Digits: groups of columns never all absent, and each other column but `without` (-1: none). */
typedef struct permi_ryser_split {
  int groups, without, as_given;
  uint64_t group[PERM_MAX_N];
} permi_ryser_split;

/* The rows' grids: sums, and their halves, are below 2^53 half steps. */
static void permi_ryser_grid(permi_ryser *ryser, const permi_block *block, double *grid)
{
  const int n = ryser->n, mine = ryser->transposed * n;
  int i, e;
  ryser->growth = 1;
  ryser->bits = n;
  ryser->widest = 0;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int edge = block->edge[e];
      if (block->integer)
        sum += fabs((double)block->integer[edge]);
      else
        sum += fabs(block->real[edge]) + (block->imaginary ? fabs(block->imaginary[edge]) : 0);
    }
    grid[i] = ldexp(1, permi_exponent(sum * (1 + 1e-12)) - 51);
    ryser->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
    ryser->bits += sum > 1 ? log2(sum) + 1e-9 : 0;
    ryser->widest = fmax(ryser->widest, sum);
  }
}

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

/* Algorithm 3: next is the digit with the fewest rows of its own a bit. */
static void permi_ryser_order(permi_ryser *ryser, const uint64_t *touches, const permi_ryser_split *split)
{
  const int n = ryser->n;
  uint64_t digit[PERM_MAX_N], rows_left = ~UINT64_C(0) >> (PERM_MAX_N - n), grouped = 0, set;
  int digits = split->groups, d, i, j, used = 0, taken = 0;
  for (i = 0; i < digits; i++)
    grouped |= digit[i] = split->group[i];
  for (j = 0; j < n; j++)
    if (!(grouped >> j & 1) && j != split->without)
      digit[digits++] = UINT64_C(1) << j;
  ryser->digits = digits;
  for (d = 0; d < digits; d++) {
    int best = d;
    double least = 1e9;
    for (i = d; i < (split->as_given ? d + 1 : digits); i++) {
      const double share = (double)permi_count_ones(permi_ryser_rows(touches, digit[i]) & rows_left) /
                           permi_count_ones(digit[i]);
      if (share < least) {
        least = share;
        best = i;
      }
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
}

static void permi_ryser_entries(permi_ryser *ryser, const permi_block *block, int without, const double *grid)
{
  const int n = ryser->n, mine = ryser->transposed * n, other = n - mine, columns = ryser->digit_start[ryser->digits];
  int k, e, part, used = 0;
  ryser->on_grid = 1;
  ryser->buried = 0;
  memset(ryser->base, 0, sizeof ryser->base);
  memset(ryser->moved, 0, sizeof ryser->moved);
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

static void permi_ryser_predict(permi_ryser *ryser, const uint64_t *touches)
{
  double alive = 1, count = 1;
  int d, i, j, k;
  ryser->nodes = ryser->seconds = 0;
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
        for (k = ryser->digit_start[j]; k < ryser->digit_start[j + 1]; k++)
          columns += !(touches[ryser->column[k]] >> ryser->row[i] & 1);
        empty *= (ldexp(1, columns) - ryser->least[j]) / ryser->radix[j];
      }
      alive *= 1 - empty;
    }
  }
  ryser->terms = count;
}

static void permi_ryser_plan(permi_ryser *ryser, const permi_block *block, int side, const permi_ryser_split *split)
{
  const int n = block->n, mine = side * n, other = n - mine;
  uint64_t touches[PERM_MAX_N];
  double grid[PERM_MAX_N], most;
  int j, e;
  ryser->n = n;
  ryser->integers = block->integer != NULL;
  ryser->parts = block->imaginary ? 2 : 1;
  ryser->halves = split->without >= 0;
  ryser->transposed = side;
  ryser->groups = split->groups;
  for (j = 0; j < n; j++)
    for (touches[j] = 0, e = block->start[other + j]; e < block->start[other + j + 1]; e++)
      touches[j] |= UINT64_C(1) << (block->neighbour[e] - mine);
  permi_ryser_grid(ryser, block, grid);
  permi_ryser_order(ryser, touches, split);
  permi_ryser_entries(ryser, block, split->without, grid);
  permi_ryser_predict(ryser, touches);
  ryser->pairs = ryser->parts == 1 && !ryser->integers && ryser->least[0] == 0;
  ryser->low = ryser->digits;
  ryser->combinations = 1;
  most = fmin(PERMI_RYSER_CHUNKS, ryser->nodes / PERMI_RYSER_CHUNK_NODES);
  most = fmax(most, fmin(ryser->seconds / PERMI_RYSER_CHUNK_SECONDS, 1e18));
  while (ryser->low > 0 && (double)ryser->combinations * ryser->radix[ryser->low - 1] <= most)
    ryser->combinations *= (uint64_t)ryser->radix[--ryser->low];
  ryser->shares = 1; /* a group's digit may have a million values */
  if (ryser->low > 0 && (double)ryser->combinations * PERMI_RYSER_CHUNK_SECONDS < ryser->seconds)
    ryser->shares = (int)fmin(most / (double)ryser->combinations, ryser->radix[ryser->low - 1]);
  ryser->combinations *= (uint64_t)ryser->shares;
}

static perm_status permi_ryser_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer,
                                     permi_ryser_split (*candidates)(const permi_block *block, int side, int which),
                                     int kinds)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_precision precision = maker->options->precision;
  permi_ryser *ryser;
  permi_ryser_split split;
  double least = (double)INFINITY;
  int which, best = 0;
  if (block->n > PERM_MAX_N)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take",
                        PERM_MAX_N);
  if (block->imaginary_integer || precision == PERM_PRECISION_ACCURATE || precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which sparse sums over sets of columns do not take",
                        block->imaginary_integer ? "Gaussian integers" : "another precision than double asked for");
  if (maker->options->method == PERM_METHOD_AUTO && !block->integer)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                        "would lose digits to the cancellation of Ryser's sum in doubles");
  if (rival < PERMI_RYSER_PLAN_SECONDS || (block->n > 50 && rival < 1e3))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is hardly summed in less than %s over sets of columns",
                        permi_time_words(rival).text);
  offer->plan = ryser = (permi_ryser *)permi_allocate(allocator, 1, sizeof *ryser);
  if (!ryser)
    return permi_fail_memory(maker->result);
  for (which = 0; which < 2 * kinds; which++) {
    split = candidates(block, which & 1, which / 2);
    if (block->integer && split.without >= 0)
      continue;
    permi_ryser_plan(ryser, block, which & 1, &split);
    if (ryser->seconds < least) {
      least = ryser->seconds;
      best = which;
    }
  }
  split = candidates(block, best & 1, best / 2);
  permi_ryser_plan(ryser, block, best & 1, &split);
  offer->seconds = ryser->seconds + 2e-6 * (double)ryser->combinations;
  offer->bytes = sizeof *ryser;
  if (block->integer && ryser->widest * (1 + 1e-12) >= 9223372036854775808.0)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has lines whose sums may exceed 64 bits");
  else if (block->integer && !(ryser->bits <= 126))
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs integers of %.0f bits, where sums over sets of columns have 126",
                 ryser->bits);
  return PERM_OK;
}

/* Bounds what the grid changes, per (|A| + M) - per |A| for roundings M: by subsets of columns, or above
   PERMI_MAJORANT_ORDER by the product of row sums, at least 1 each. */
static double permi_ryser_off_grid(const permi_ryser *ryser, const permi_block *block, double *subsets)
{
  double *value = subsets, *change = subsets ? subsets + (1 << PERMI_MAJORANT_ORDER) : NULL, sum = 0;
  const int n = ryser->n, mine = ryser->transposed * n, other = n - mine;
  int i, e, s;
  if (ryser->on_grid)
    return 0;
  if (n > PERMI_MAJORANT_ORDER) {
    for (i = 0; i < n; i++)
      sum += ryser->parts * ryser->moved[i] * (block->start[mine + i + 1] - block->start[mine + i]);
    return ryser->growth * expm1(sum * (1 + 1e-12)) * (1 + 1e-12);
  }
  memset(value, 0, ((size_t)1 << n) * sizeof *value);
  memset(change, 0, ((size_t)1 << n) * sizeof *change);
  value[0] = 1;
  for (s = 0; s < (1 << n) - 1; s++) {
    i = permi_count_ones((unsigned)s);
    for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int bit = 1 << (block->neighbour[e] - other), edge = block->edge[e];
      const double moved = ryser->parts * ryser->moved[i];
      const double x = fabs(block->real[edge]) + (ryser->parts == 2 ? fabs(block->imaginary[edge]) : 0);
      if (!(s & bit)) {
        value[s | bit] += value[s] * x;
        change[s | bit] += change[s] * (x + moved) + value[s] * moved;
      }
    }
  }
  return change[s] * (1 + 1e-12) + 1e-280;
}

/* THE BOUND. Row sums on the grid are exact; permi_ryser_off_grid bounds the grid's part. A term is a product of n
   exact numbers: gamma_n (complex gamma_3n [Hig02, 3.6], moduli as |real| + |imaginary|). Of a chunk's N terms hi loses
   at most gamma_N times their moduli to lo, whose sum is off by gamma_N of that; the sum of moduli by gamma_N of
   itself. A product below DBL_MIN, or a branch cut by underflow, is off by at most 4 DBL_MIN times the product of the
   rows' sums of moduli. The induction is proved by machine: tests/proofs/chains.v. */
static void permi_ryser_bounds(permi_maker *maker, const permi_block *block, const permi_ryser *ryser, double terms,
                               permi_leaf *leaf)
{
  const int n = block->n;
  const double off_grid = ldexp(permi_ryser_off_grid(ryser, block, maker->subsets), -(int)leaf->scale_exp2);
  leaf->estimate_relative = (ryser->on_grid ? 1 : 4) * n * PERMI_UNIT;
  leaf->bound_relative = leaf->bound_absolute = (double)INFINITY;
  if (n <= PERMI_MAJORANT_ORDER || ryser->buried) /* otherwise far too wide */
    leaf->estimate_absolute = off_grid;
  if (terms < 1e12) {
    const double gamma = permi_gamma((ryser->parts == 2 ? 3 : 1) * n), chunk = permi_gamma(2 * terms);
    leaf->bound_relative = (gamma / (1 - gamma) + chunk * chunk) * (1 + 2 * chunk) * (1 + 8 * PERMI_UNIT);
    leaf->bound_absolute = 8.0 * n * ryser->terms * DBL_MIN * ryser->growth + off_grid;
  }
  permi_make_honest(maker, block, leaf);
}

static perm_status permi_ryser_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_ryser *ryser = (permi_ryser *)offer->plan;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)ryser->digits), (uint64_t)ryser->halves);
  uint64_t chunks = 1;
  const int n = block->n;
  int i, k, e;
  while (chunks < ryser->combinations)
    chunks *= 2;
  for (i = 0; i < ryser->digits; i++)
    hash = permi_hash(hash, (uint64_t)ryser->radix[i]);
  for (k = 0; k < ryser->digit_start[ryser->digits]; k++)
    for (e = ryser->column_start[k]; e < ryser->column_start[k + 1]; e++) {
      hash = permi_hash(hash, (uint64_t)k << 32 | (uint64_t)ryser->touched[e]);
      hash = ryser->integers ? permi_hash(hash, (uint64_t)ryser->integer[e])
                             : permi_hash_double(permi_hash_double(hash, ryser->value[0][e]),
                                                 ryser->parts == 2 ? ryser->value[1][e] : 0);
    }
  for (i = 0; i < n && !ryser->integers; i++)
    hash = permi_hash_double(permi_hash_double(hash, ryser->base[0][i]), ryser->base[1][i]);
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.chunks = chunks;
  leaf->information.work = ryser->nodes;
  leaf->information.fingerprint = permi_hash(permi_hash(hash, ryser->combinations), (uint64_t)ryser->shares);
  leaf->run_chunk = permi_ryser_chunk;
  leaf->explain = permi_ryser_explain;
  leaf->scale_exp2 = ryser->halves ? 1 : 0;
  leaf->integer = ryser->integers;
  if (!leaf->integer)
    permi_ryser_bounds(maker, block, ryser, ryser->terms / (double)ryser->combinations, leaf);
  return PERM_OK;
}

static permi_ryser_split permi_sparyser_split(const permi_block *block, int side, int which)
{
  const int *start = block->start + (side ? 0 : block->n);
  permi_ryser_split split;
  int j, most = 0;
  memset(&split, 0, sizeof split);
  split.without = -1;
  for (j = 0; j < block->n && which; j++)
    if (start[j + 1] - start[j] > most) {
      most = start[j + 1] - start[j];
      split.without = j;
    }
  return split;
}

static perm_status permi_sparyser_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  return permi_ryser_offer(maker, block, rival, offer, permi_sparyser_split, 2);
}
/* SPDX-License-Identifier: MIT */
