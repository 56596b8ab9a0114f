/* ========================================================================================== >>trace
   Samples from a run that kept its states. A state's value is a sum over ways: values of states before times a
   coefficient. From the last state back, a draw chooses ways with probability weight / sum of weights and notes their
   entries: this telescopes to (product of entries) / permanent.

   Integer weights are exact, and numbers below their sum drawn by rejection, so probabilities are exact. A weight is
   below Bregman's bound, or the product of row sums, of rows matched so far; counted states have the columns' factor
   too. */
#pragma once
#include "../estimate/estimate.h"
#include "../frontier/frontier.h"

struct permi_tracer;

typedef struct permi_derived {
  const permi_numbers *numbers; /* NULL: the derivative is 1 */
  size_t size;
  int count, *of; /* derivatives; by which entry of the block, -1 - v: that v stays, or INT_MIN */
  uint64_t *value;
  permi_sizes *sizes;
  double (*error)[2]; /* bounds and estimates, the permanent's last; NULL: by roundings */
  struct {
    uint64_t *value;
    permi_sizes sizes;
  } whole; /* the permanent */
  double roundings[2]; /* in it, in a derivative, at most */
} permi_derived;

/* Of a block. */
typedef struct permi_trace {
  const struct permi_tracer *tracer;
  permi_pool pool;
  void *plan; /* the engine's */
  void (*release)(const perm_allocator *allocator, void *plan);
  void *kept; /* its states */
  const int *row, *column; /* lines of the matrix */
  int n;
  double visited;
  double lost; /* by underflow, over the last value, at most */
  size_t words, room; /* of a draw: words of weights, bytes of room */
  permi_pool lasting;     /* of: */
  permi_derived *derived; /* or NULL */
  double given; /* roundings of entries in a product */
  int zeros;    /* 1: some are stored */
} permi_trace;

typedef struct permi_draw_weight {
  double fraction;
  int64_t exp2;
} permi_draw_weight;

typedef struct permi_draw {
  const permi_trace *trace;
  uint64_t random;
  uint64_t *weight; /* words for each way and two more */
  char *room;
  int *columns, total; /* the column of each row of the matrix, minus `total` */
} permi_draw;

typedef struct permi_tracer {
  double (*bytes)(const void *plan); /* predicted, of what is kept */
  perm_status (*record)(permi_trace *trace, permi_control *control);
  void (*draw)(permi_draw *draw);
} permi_tracer;

static double permi_sample_limit(const perm_options *options)
{
  return options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
}

/* Returns the bytes that max_bytes leaves now. */
static double permi_sample_left(const perm_options *options)
{
  const permi_meter *meter = (const permi_meter *)options->allocator.user_data;
  return options->allocator.allocate == permi_meter_allocate ? meter->limit - (double)meter->live
                                                             : permi_sample_limit(options);
}

static void *permi_pool_copy(permi_pool *pool, const void *from, size_t count, size_t size)
{
  void *copy = permi_pool_get(pool, count + 1, size);
  if (copy && count)
    memcpy(copy, from, count * size);
  return copy;
}

static size_t permi_weight_words(const permi_numbers *numbers)
{
  return permi_algebra_is_integer(numbers->algebra) ? permi_numbers_words(numbers) : 2;
}

static void permi_trace_ways(permi_trace *trace, const permi_numbers *numbers, size_t ways)
{
  trace->words = (ways + 2) * permi_weight_words(numbers);
}

static void permi_trace_lose(permi_trace *trace, const permi_numbers *numbers, const void *value, double loss)
{
  const double last = value && !permi_algebra_is_integer(numbers->algebra) ? *(const double *)value : 0;
  if (!permi_algebra_is_integer(numbers->algebra))
    trace->lost = last > 0 ? loss / last : (double)INFINITY;
}

/* The weight is `times` c x 2^exp2; x NULL: 0. */
static void permi_draw_weigh(permi_draw *draw, const permi_numbers *numbers, int way, const permi_coefficient *c,
                             const void *x, int64_t exp2, size_t times)
{
  const size_t words = permi_weight_words(numbers);
  uint64_t *weight = draw->weight + (size_t)way * words;
  memset(weight, 0, words * sizeof *weight);
  if (!x)
    return;
  if (permi_algebra_is_integer(numbers->algebra)) {
    for (; times > 0; times--)
      permi_value_add(numbers->algebra, numbers, c, weight, x, 0);
  } else {
    permi_draw_weight *to = (permi_draw_weight *)(void *)weight;
    int of_x, of_c;
    to->fraction = frexp(*(const double *)x, &of_x) * frexp(c->real, &of_c);
    to->exp2 = exp2 + of_x + of_c;
  }
}

/* -1: all weights are 0. */
static int permi_draw_integer(uint64_t *weight, int ways, int words, uint64_t *random)
{
  uint64_t *total = weight + ways * words, *at = total + words, ones;
  int s, w, top = words;
  memset(total, 0, (size_t)words * sizeof *total);
  for (s = 0; s < ways; s++)
    permi_words_add(total, weight + s * words, words);
  while (top && !total[top - 1])
    top--;
  if (!top)
    return -1;
  for (ones = UINT64_MAX; ones >> 1 >= total[top - 1];)
    ones >>= 1;
  do { /* `total` is above half of the range */
    for (w = 0; w < top; w++)
      at[w] = permi_random(random);
    at[top - 1] &= ones;
    for (w = top - 1; w > 0 && at[w] == total[w]; w--)
      ;
  } while (at[w] >= total[w]);
  for (s = 0; !permi_words_subtract(at, weight + s * words, top); s++)
    ;
  return s;
}

static int permi_draw_double(permi_draw_weight *weight, int ways, uint64_t *random)
{
  double sum = 0, at;
  int64_t most = INT64_MIN;
  int s, chosen = -1;
  for (s = 0; s < ways; s++)
    most = weight[s].fraction > 0 && weight[s].exp2 > most ? weight[s].exp2 : most;
  for (s = 0; s < ways; s++)
    if (weight[s].fraction > 0)
      sum += weight[s].fraction = permi_ldexp(weight[s].fraction, weight[s].exp2 - most);
  at = sum * permi_random_uniform(random);
  for (s = 0; s < ways && (chosen < 0 || at >= 0); s++)
    if (weight[s].fraction > 0) {
      chosen = s;
      at -= weight[s].fraction;
    }
  return chosen;
}

/* Never -1: states have positive values. */
static int permi_draw_way(permi_draw *draw, const permi_numbers *numbers, int ways)
{
  return permi_algebra_is_integer(numbers->algebra)
             ? permi_draw_integer(draw->weight, ways, (int)permi_numbers_words(numbers), &draw->random)
             : permi_draw_double((permi_draw_weight *)(void *)draw->weight, ways, &draw->random);
}

static void permi_derived_begin(permi_trace *trace, const permi_numbers *numbers, int count)
{
  permi_derived *derived = trace->derived;
  derived->numbers = numbers;
  derived->size = permi_numbers_words(numbers);
  derived->count = count;
  derived->of = (int *)permi_pool_get(&trace->lasting, (size_t)count, sizeof *derived->of);
  derived->value = (uint64_t *)permi_pool_zeros(&trace->lasting, (size_t)count, 8 * derived->size);
  derived->sizes = (permi_sizes *)permi_pool_zeros(&trace->lasting, (size_t)count, sizeof *derived->sizes);
  derived->roundings[0] = trace->given;
}

static void permi_draw_match(permi_draw *draw, int u, int v)
{
  const permi_trace *trace = draw->trace;
  const int row = u < v ? u : v, column = (u < v ? v : u) - trace->n;
  draw->columns[trace->row[row]] = trace->column[column] - draw->total;
}

/* Lengthens integers of counted states: a product has at most one entry or factor for each row and each column.
   0: too long. */
static int permi_trace_words(permi_numbers *numbers, const permi_block *block)
{
  double bits[2] = {0, 0};
  if (!permi_algebra_is_integer(numbers->algebra))
    return 1;
  for (int v = 0; v < 2 * block->n; v++) {
    double sum = 1;
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      sum += fabs((double)block->integer[block->edge[e]]);
    bits[v >= block->n] += log2(sum);
  }
  const int words = permi_words_of_bits((bits[0] + bits[1]) * (1 + 1e-10) + 1e-6);
  if (words > PERM_INTEGER_WORDS)
    return 0;
  permi_numbers_lengthen(numbers, words);
  return 1;
}
/* SPDX-License-Identifier: MIT */
