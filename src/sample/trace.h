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

#define PERMI_SAMPLE_PART 32 /* samples at a time */

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
  const permi_numbers *numbers; /* of weights: */
  size_t size;
  int integers;
  size_t words, room;    /* of a draw: words of a record, bytes of room */
  uint64_t begin, steps; /* of states in records */
  permi_pool lasting;     /* of: */
  permi_derived *derived; /* or NULL */
  double given; /* roundings of entries in a product */
  int zeros;    /* 1: some are stored */
} permi_trace;

/* Of a thread, `count` samples at a time. Records in `word`, kept while there is room, tell what draws may do: a state,
   the number of ways, the sum of weights, each way's weight and what it does. */
typedef struct permi_draw {
  const permi_trace *trace;
  uint64_t random[PERMI_SAMPLE_PART], *word, *record; /* record: the last made */
  uint32_t *slot; /* 2^(64 - shift), by hash: where in `word`; 0: free */
  size_t words, used, kept, most; /* most: of a record */
  char *room;
  int shift, count, m, *columns, total; /* of each sample the column of each row of the matrix, minus `total` */
} permi_draw;

typedef struct permi_tracer {
  double (*bytes)(const void *plan); /* predicted, of what is kept */
  perm_status (*record)(permi_trace *trace, permi_control *control);
  void (*draw)(permi_draw *draw);
  void (*ways)(permi_draw *draw, int step, int part, const void *state); /* weighs them */
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

static void permi_trace_ways(permi_trace *trace, const permi_numbers *numbers, size_t ways)
{
  trace->numbers = numbers;
  trace->size = permi_numbers_words(numbers);
  trace->integers = permi_algebra_is_integer(numbers->algebra);
  trace->words = 2 + trace->size + (ways + 1) * (trace->size + 1);
}

static void permi_trace_lose(permi_trace *trace, const permi_numbers *numbers, const void *value, double loss)
{
  const double *last = (const double *)value;
  if (!permi_algebra_is_integer(numbers->algebra))
    trace->lost = last && *last > 0 ? loss / *last : (double)INFINITY;
}

/* Adds a way of weight c x, or a x, unless that is 0; x NULL: 0. */
static void permi_draw_weigh(permi_draw *draw, const permi_coefficient *c, const void *a, const void *x, uint64_t does)
{
  const permi_numbers *numbers = draw->trace->numbers;
  const size_t size = draw->trace->size;
  uint64_t *total = draw->record + 2, *weight = total + size + draw->record[1] * (size + 1), any = 0;
  if (!x)
    return;
  memset(weight, 0, 8 * size);
  if (c)
    permi_value_add(numbers->algebra, numbers, c, weight, x, 0);
  else
    permi_value_fuse(numbers->algebra, numbers, a, weight, x);
  for (size_t w = 0; w < size; w++)
    any |= weight[w];
  if (draw->trace->integers)
    permi_words_add(total, weight, (int)size);
  else
    *(double *)(void *)total += *(const double *)(void *)weight;
  weight[size] = does;
  draw->record[1] += any != 0;
}

#define PERMI_STATE_BITS 40 /* longer ones, as UINT64_MAX, are not kept */
static uint64_t permi_draw_state(const permi_draw *draw, int step, uint64_t mask)
{
  return mask >> PERMI_STATE_BITS ? UINT64_MAX : (draw->trace->begin + (uint64_t)step) << PERMI_STATE_BITS | mask;
}

/* Makes a record, in which doubles end at the last way. */
PERMI_NEVER_INLINE static const uint64_t *permi_draw_make(permi_draw *draw, uint64_t state, size_t at, int step,
                                                          int part, const void *of)
{
  const permi_trace *trace = draw->trace;
  uint64_t *record = draw->record = draw->word + draw->used;
  memset(record, 0, (2 * trace->size + 3) * sizeof *record);
  record[0] = state;
  trace->tracer->ways(draw, step, part, of);
  double *last = (double *)(void *)(record + 1 + 2 * (record[1] + !record[1]));
  if (!trace->integers) {
    last[0] = (double)INFINITY;
    last[2] = 0;
  }
  if (state != UINT64_MAX && draw->kept < UINT64_MAX >> draw->shift >> 1 &&
      draw->used + 2 * draw->most <= draw->words) {
    draw->slot[at] = (uint32_t)draw->used;
    draw->used += 3 + trace->size + record[1] * (trace->size + 1);
    draw->kept++;
  }
  return record;
}

static const uint64_t *permi_draw_integer(const uint64_t *total, const uint64_t *way, size_t size, uint64_t *random)
{
  uint64_t at[PERM_INTEGER_WORDS], ones;
  int w, top = (int)size;
  while (top && !total[top - 1])
    top--;
  if (!top)
    return way;
  for (ones = UINT64_MAX; ones >> 1 >= total[top - 1];)
    ones >>= 1;
  do { /* `total` is above half of the range */
    for (w = 0; w < top; w++)
      at[w] = permi_random(random);
    at[top - 1] &= ones;
    for (w = top - 1; w > 0 && at[w] == total[w]; w--)
      ;
  } while (at[w] >= total[w]);
  while (!permi_words_subtract(at, way, top))
    way += size + 1;
  return way;
}

/* Draws a way of a state, of a part of a step; returns what it does. There is one: states have positive values. */
static PERMI_ALWAYS_INLINE uint64_t permi_draw_way(permi_draw *draw, int sample, uint64_t state, int step, int part,
                                                   const void *of)
{
  const size_t size = draw->trace->size;
  size_t slot = (size_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> draw->shift);
  while (draw->slot[slot] && draw->word[draw->slot[slot]] != state)
    slot = (slot + 1) & (size_t)(UINT64_MAX >> draw->shift);
  const uint64_t *record = draw->slot[slot] ? draw->word + draw->slot[slot]
                                            : permi_draw_make(draw, state, slot, step, part, of);
  const uint64_t *way = record + 2 + size;
  if (draw->trace->integers)
    return permi_draw_integer(record + 2, way, size, &draw->random[sample])[size];
  const double *weight = (const double *)(const void *)way;
  double at = weight[-1] * permi_random_uniform(&draw->random[sample]);
  do { /* branches that nobody can predict took a third of the time */
    way += 2 * ((at -= weight[0]) >= 0);
    way += 2 * ((at -= weight[2]) >= 0);
    weight += 4;
  } while (at >= 0);
  return way[1];
}

/* Returns 0 without memory. */
static int permi_derived_begin(permi_trace *trace, const permi_numbers *numbers, int count)
{
  permi_derived *derived = (permi_derived *)permi_pool_zeros(&trace->lasting, 1, sizeof *derived);
  trace->derived = derived;
  if (!derived)
    return 0;
  derived->numbers = numbers;
  derived->size = permi_numbers_words(numbers);
  derived->count = count;
  derived->of = (int *)permi_pool_get(&trace->lasting, (size_t)count, sizeof *derived->of);
  derived->value = (uint64_t *)permi_pool_zeros(&trace->lasting, (size_t)count, 8 * derived->size);
  derived->sizes = (permi_sizes *)permi_pool_zeros(&trace->lasting, (size_t)count, sizeof *derived->sizes);
  derived->whole.value = (uint64_t *)permi_pool_zeros(&trace->lasting, 1, 8 * derived->size);
  derived->roundings[0] = trace->given;
  return !trace->lasting.failed;
}

static void permi_draw_match(const permi_draw *draw, int sample, int u, int v)
{
  const permi_trace *trace = draw->trace;
  const int row = u < v ? u : v, column = (u < v ? v : u) - trace->n;
  draw->columns[(size_t)sample * (size_t)draw->m + (size_t)trace->row[row]] = trace->column[column] - draw->total;
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
