/* ========================================================================================= >>arrays
   The frontier on arrays indexed by combinations, without keys or synchronisation between blocks. */
#pragma once
#include "../graph/primes.h"
#include "../graph/vectors.h"
#include "steps.h"

/* A bit says of a column that it is matched, of a row that it is not. Then all states of a step have the same number k
   of ones (a - d in >>walk); with free lines, a range. A word's index is
       top_offset[top] + middle_offset[ones of top][middle] + start[ones of low] + rank[low].
   A block, words with equal top, middle and ones of low, sums the ways to it in a fixed order: high bits are settled
   once, then y += c x over arrays, or by a table of low words. GPUs compute the bits of the AVX2 and, for
   double-doubles, AVX-512 kernels. */

#define PERMI_ARRAY_LOW 11  /* words and ranks fit the first cache */
#define PERMI_ARRAY_HIGH 16 /* of middle, of top */
#define PERMI_ARRAY_SAFE 1e-250 /* sums of larger products are multiples of 2^-936 */
#define PERMI_ARRAY_PAD 256

typedef struct permi_layout {
  uint64_t occupied;
  int ones, most, low; /* ones: least; low: bits in use */
  size_t states;
  uint16_t *word, *rank; /* by ones; rank among these */
  int start[PERMI_ARRAY_LOW + 2];
  uint64_t *middle_offset, *top_offset; /* [ones of top][middle]; of a word */
  uint16_t *middle, *top;               /* middle: of a block, by ones of top */
  unsigned char *left, *middle_ones;    /* ones of low */
  int middle_start[PERMI_ARRAY_HIGH + 2], tops;
  size_t total[PERMI_ARRAY_HIGH + 1];
} permi_layout;

/* A state comes from (state & keep) ^ flip if (state & test) == want. */
typedef struct permi_pull {
  uint64_t test, want, keep, flip;
} permi_pull;

static permi_pull permi_pull_of(const permi_frontier *frontier, int p, int stream)
{
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t test = permi_stream_word(frontier, stream, 0, 0), want = permi_stream_word(frontier, stream, 1, 0);
  const uint64_t flip = permi_stream_word(frontier, stream, 2, 0), born = arrays->born[p + 1];
  permi_pull pull;
  pull.keep = arrays->occupied[p + 1] & ~born;
  pull.test = born | (test & pull.keep);
  pull.want = (want ^ flip ^ arrays->rows[p + 1]) & pull.test;
  pull.flip = (flip & pull.keep) | ((want ^ arrays->rows[p]) & test & ~pull.keep);
  return pull;
}

typedef struct permi_lookup {
  int top_ones;
  const uint16_t *place;    /* of low words, or NULL */
  const permi_eight *eight; /* words with j ones: from start[j] / 8 + j on */
  permi_coefficient c;
} permi_lookup;

typedef struct permi_places permi_places;
typedef struct permi_arrays_run {
  permi_runner base;
  const permi_frontier *frontier;
  const permi_arrays *arrays;
  permi_numbers numbers;
  uint64_t root;         /* of -1 modulo a prime */
  int again, absolute, kernel_eights, most, tracking;
  permi_block_kernel kernel, own; /* own: of >>coefficients, or NULL */
  size_t bytes, from;             /* of a state, before the step */
  permi_layout layout[2];
  permi_places *places;
  char *memory;
  perm_gpu_way *way;
  permi_lookup *lookup;
  permi_origin *origin;
  uint16_t *top, *low;  /* low: of lookups */
  permi_eight *eights;
  double seconds_before, seconds_each;
  struct perm_gpu_frontier *gpu; /* or NULL */
  perm_status (*back)(struct permi_arrays_run *run, int p); /* before a step (>>derive_frontier), or NULL */
} permi_arrays_run;

static permi_numbers permi_arrays_numbers(const permi_frontier *frontier)
{
  static const permi_algebra without[] = {PERMI_MAGNITUDES,    PERMI_MAGNITUDES,    PERMI_PAIR_VALUES,
                                          PERMI_MAGNITUDES_DD, PERMI_MAGNITUDES_DD, PERMI_PAIR_DD_VALUES};
  permi_numbers numbers = frontier->numbers;
  if (frontier->arrays->by_residues) {
    numbers.algebra = PERMI_MAGNITUDES;
    numbers.parts = numbers.words = 1;
  } else if (!permi_algebra_is_integer(numbers.algebra)) {
    numbers.algebra = without[numbers.algebra];
  }
  return numbers;
}

static permi_numbers permi_arrays_numbers_at(const permi_frontier *frontier, int p)
{
  permi_numbers numbers = permi_arrays_numbers(frontier);
  if (frontier->words && !frontier->arrays->by_residues && frontier->arrays->isa != PERM_ISA_CUDA)
    permi_numbers_lengthen(&numbers, frontier->words[p]);
  return numbers;
}

static size_t permi_arrays_bytes_at(const permi_frontier *frontier, int p)
{
  const permi_numbers numbers = permi_arrays_numbers_at(frontier, p);
  return 8 * permi_numbers_words(&numbers);
}

static int permi_arrays_passes(const permi_frontier *frontier)
{
  if (frontier->arrays->by_residues)
    return frontier->arrays->residues.passes;
  return permi_algebra_has_moduli(frontier->numbers.algebra) ? 2 : 1;
}

static PERMI_ALWAYS_INLINE void permi_block_sum(permi_algebra algebra, const permi_numbers *numbers, char *y,
                                                size_t count, const permi_origin *origin)
{
  const size_t size = 8 * permi_value_words(algebra, numbers);
  const int short_one = (algebra == PERMI_WORD || algebra == PERMI_WIDE) && origin->c->integer[0] == 1;
  const char *x = (const char *)origin->x;
  const uint16_t *place = origin->place;
  permi_coefficient c = *origin->c;
  c.real_low = c.imaginary_low = 0; /* which compilers then know */
  if (place && short_one) {
    for (size_t k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, numbers, NULL, y + k * size, x + place[k] * size, 0);
  } else if (short_one) {
    permi_values_add_of(algebra, numbers, NULL, y, x, count, 0);
  } else if (place) {
    for (size_t k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, numbers, &c, y + k * size, x + place[k] * size, 0);
  } else {
    permi_values_add_of(algebra, numbers, &c, y, x, count, 0);
  }
}

static void permi_block_plain(const permi_numbers *numbers, void *y, size_t count, const permi_origin *origin,
                              int origins)
{
  memset(y, 0, count * 8 * permi_numbers_words(numbers));
  for (; origins > 0; origins--, origin++)
    switch (numbers->algebra) {
#define PERMI_CASE(algebra) case algebra: permi_block_sum(algebra, numbers, (char *)y, count, origin); break;
      PERMI_CASE(PERMI_MAGNITUDES) PERMI_CASE(PERMI_PAIR_VALUES) PERMI_CASE(PERMI_PAIR_DD_VALUES)
      PERMI_CASE(PERMI_WORD) PERMI_CASE(PERMI_WIDE) PERMI_CASE(PERMI_WORDS) PERMI_CASE(PERMI_RESIDUES)
#undef PERMI_CASE
    default: break;
    }
}

static permi_block_kernel permi_arrays_kernel(permi_algebra algebra, perm_isa isa, int growth)
{
  if (growth != PERMI_GROWS_NOT)
    return growth == PERMI_GROWS_SHORT ? PERMI_OF_X86(permi_block_short, isa) : PERMI_OF_X86(permi_block_long, isa);
  if (algebra == PERMI_MAGNITUDES_DD)
    return PERMI_OF_X86(permi_block_dd, isa);
#if PERMI_X86
  if (algebra == PERMI_MAGNITUDES && permi_lanes(isa) >= 4)
    return permi_lanes(isa) == 4 ? permi_block_double_avx2 : permi_block_double_avx512;
#endif
  return permi_block_plain;
}

/* RESIDUES of integers modulo primes: a pass and one double a state each, whole, at most p / 2 + 1, of either sign. A
   step's permi_growth is
     NOT    if the bound on the true values, not Gaussian, is below p / 2,
     SHORT  if its coefficients' moduli times p / 2 + 1 sum to at most 2^52: sums are exact, reduced last,
     LONG otherwise: products are reduced. With a, b <= p / 2 + 1 and p <= 2^50 the quotient ab / p < 2^48.01 is
            wrong by less than 3 2^-53 of itself, 0.1, before it is rounded: a product is below 0.61 p, and 1.25 p / 2
            for each way leaves room for sums below 2^52.
   Primes are below 2^bits, for the fewest seconds. Integers below 2^52 need no modulus, Gaussian ones two passes a
   prime, one for each root of -1. */
#define PERMI_ARRAY_RESIDUE_LEAST 32 /* 142 primes of either kind exceed 2^(bits - MARGIN) */
#define PERMI_ARRAY_RESIDUE_MARGIN 1e-5
#define PERMI_ARRAY_RESIDUE_ROOM 4503599627370496.0 /* 2^52 */

static double permi_residue_entry(const permi_coefficient *c, uint64_t modulus, uint64_t root)
{
  if (!modulus)
    return (double)c->integer[0];
  uint64_t r = permi_residue_of(c->integer[0], modulus);
  if (root)
    r = permi_residue_add(r, permi_residue_multiply(permi_residue_of(c->integer[1], modulus), root, modulus), 0,
                          modulus);
  return r > modulus / 2 ? -(double)(modulus - r) : (double)r;
}

/* Returns a step's growth modulo numbers up to twice `half`, or -1 if impossible. */
static int permi_residues_growth(const permi_frontier *frontier, int p, double weight, double half)
{
  const int ways = frontier->stream_start[p + 1] - frontier->stream_start[p];
  if (frontier->numbers.parts == 1 && exp2(frontier->bits[p + 1] + PERMI_ARRAY_RESIDUE_MARGIN) <= half)
    return PERMI_GROWS_NOT;
  if (weight * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM)
    return PERMI_GROWS_SHORT;
  return half <= 562949953421312.0 && 1.25 * ways * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM ? PERMI_GROWS_LONG : -1;
}

static double permi_residues_pass_seconds(const permi_frontier *frontier, const double *weight, double half)
{
  const int family = permi_lanes_row(frontier->arrays->isa);
  double seconds = 0;
  for (int p = 0; p < frontier->steps; p++) {
    const int growth = permi_residues_growth(frontier, p, weight[p], half);
    if (growth < 0)
      return (double)INFINITY;
    seconds += (frontier->cost[p + 1] - frontier->cost[p]) *
               (permi_residue_seconds[family][growth == PERMI_GROWS_LONG] +
                (8 * frontier->states[p + 1] > PERMI_ARRAY_CACHE_BYTES ? 8 * PERMI_ARRAY_MISS_SECONDS : 0));
  }
  return seconds;
}

/* Returns half the fastest modulus. */
static double permi_residues_search(const permi_frontier *frontier, const double *weight, uint64_t modulus,
                                    permi_array_residues *best)
{
  const double bits = frontier->bits[frontier->steps];
  const int gaussian = frontier->numbers.parts == 2, residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double half = 0.5 * (double)modulus;
  memset(best, 0, sizeof *best);
  best->seconds = (double)INFINITY;
  if (!gaussian && bits + PERMI_ARRAY_RESIDUE_MARGIN <= 52) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, PERMI_ARRAY_RESIDUE_ROOM);
    best->passes = 1;
    return PERMI_ARRAY_RESIDUE_ROOM;
  }
  if (!gaussian && modulus && half < PERMI_ARRAY_RESIDUE_ROOM) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, half);
    best->passes = best->seconds < (double)INFINITY;
    best->modulus = modulus;
  }
  for (int b = 52; b >= PERMI_ARRAY_RESIDUE_LEAST && !residues; b--) {
    const int primes = (int)((bits + 1) / (b - PERMI_ARRAY_RESIDUE_MARGIN)) + 1, passes = primes * (1 + gaussian);
    const double seconds = passes * permi_residues_pass_seconds(frontier, weight, ldexp(1, b - 1));
    if (seconds < best->seconds) {
      const permi_array_residues found = {passes, primes, b, best->modulus, seconds};
      *best = found;
      half = ldexp(1, b - 1);
    }
  }
  return half;
}

PERMI_NEVER_INLINE static int permi_residues_plan(const permi_frontier *frontier, uint64_t modulus)
{
  const size_t steps = (size_t)frontier->steps;
  permi_array_residues *residues = &frontier->arrays->residues;
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  double *weight = (double *)permi_pool_get(&pool, steps, sizeof *weight), half;
  const uint64_t own_modulus = frontier->numbers.algebra == PERMI_RESIDUES ? frontier->numbers.modulus : 0;
  unsigned char *growth = frontier->arrays->growth;
  if (pool.failed)
    return 0;
  for (int p = 0; p < frontier->steps; p++) {
    weight[p] = 0; /* the sum of the step's moduli; INFINITY: not real */
    for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
      const permi_coefficient *c = &frontier->coefficient[s];
      weight[p] += c->integer[1] ? (double)INFINITY : fabs(permi_residue_entry(c, own_modulus, 0));
    }
    weight[p] *= 1 + 1e-12;
  }
  half = permi_residues_search(frontier, weight, modulus, residues);
  for (int p = 0; p < frontier->steps && residues->passes; p++)
    growth[p] = (unsigned char)permi_residues_growth(frontier, p, weight[p], half);
  permi_pool_release(&pool);
  return 1;
}

static void permi_layout_create(permi_pool *pool, const permi_arrays *arrays, permi_layout *layout)
{
  const size_t low = (size_t)1 << arrays->low, middle = (size_t)1 << arrays->middle, top = (size_t)1 << arrays->top;
  const size_t middles = (size_t)(arrays->top + 1) << arrays->middle, blocks = middles * (size_t)arrays->lefts;
  memset(layout, 0, sizeof *layout);
  layout->word = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->rank = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->middle_offset = (uint64_t *)permi_pool_get(pool, middles, sizeof(uint64_t));
  layout->middle = (uint16_t *)permi_pool_get(pool, blocks, sizeof(uint16_t));
  layout->left = (unsigned char *)permi_pool_get(pool, blocks, 1);
  layout->middle_ones = (unsigned char *)permi_pool_get(pool, middle, 1);
  layout->top_offset = (uint64_t *)permi_pool_get(pool, top, sizeof(uint64_t));
  layout->top = (uint16_t *)permi_pool_get(pool, top, sizeof(uint16_t));
}

static size_t permi_layout_states(const permi_layout *layout, uint32_t top)
{
  return layout->total[permi_count_ones(top)];
}

PERMI_NEVER_INLINE static void permi_layout_fill(const permi_arrays *arrays, permi_layout *layout, uint64_t occupied,
                                                 int ones, int most)
{
  const uint32_t low_mask = (uint32_t)occupied & ((1u << arrays->low) - 1);
  const uint32_t middle_mask = (uint32_t)(occupied >> arrays->low) & ((1u << arrays->middle) - 1);
  const uint32_t top_mask = (uint32_t)(occupied >> (arrays->low + arrays->middle));
  const int low = permi_count_ones(low_mask), tops = permi_count_ones(top_mask);
  int begin[PERMI_ARRAY_LOW + 3 * PERMI_ARRAY_HIGH + 2], fill[PERMI_ARRAY_LOW + 1], j, c, used = 0;
  if (layout->low != low || ((layout->occupied ^ occupied) & ((1u << arrays->low) - 1)) || layout->start[1] == 0) {
    int binomial = 1;
    for (j = 0, layout->start[0] = 0; j <= low; j++) {
      fill[j] = layout->start[j];
      layout->start[j + 1] = layout->start[j] + binomial;
      binomial = binomial * (low - j) / (j + 1);
    }
    uint32_t x = 0;
    do {
      const int of = permi_count_ones(x);
      layout->rank[x] = (uint16_t)(fill[of] - layout->start[of]);
      layout->word[fill[of]++] = (uint16_t)x;
      x = (x - low_mask) & low_mask;
    } while (x);
  }
  layout->occupied = occupied;
  layout->ones = ones;
  layout->most = most;
  layout->low = low;
  for (j = 0; j < (int)(sizeof begin / sizeof *begin); j++)
    begin[j] = j < PERMI_ARRAY_HIGH ? 0 : layout->start[j - PERMI_ARRAY_HIGH <= low ? j - PERMI_ARRAY_HIGH : low + 1];
  uint32_t x = 0;
  do {
    layout->middle_ones[x] = (unsigned char)permi_count_ones(x);
    x = (x - middle_mask) & middle_mask;
  } while (x);
  for (c = 0; c <= arrays->top; c++) {
    const int rest = ones > c ? ones - c : 0;
    size_t offset = 0;
    layout->middle_start[c] = used;
    layout->total[c] = 0;
    if (c > tops || most < c)
      continue;
    x = 0;
    do { /* branches would be mispredicted */
      int left = rest - layout->middle_ones[x];
      layout->middle_offset[(size_t)c << arrays->middle | x] = offset - (size_t)begin[PERMI_ARRAY_HIGH + left];
      for (j = rest; j <= most - c; j++, left++) {
        const int states = begin[PERMI_ARRAY_HIGH + left + 1] - begin[PERMI_ARRAY_HIGH + left];
        layout->middle[used] = (uint16_t)x;
        layout->left[used] = (unsigned char)left;
        used += states != 0;
        offset += (size_t)states;
      }
      x = (x - middle_mask) & middle_mask;
    } while (x);
    layout->total[c] = offset;
  }
  layout->middle_start[c] = used;
  layout->states = 0;
  layout->tops = 0;
  x = 0;
  do {
    const size_t states = permi_layout_states(layout, x);
    if (states) {
      layout->top_offset[x] = layout->states;
      layout->top[layout->tops++] = (uint16_t)x;
      layout->states += states;
    }
    x = (x - top_mask) & top_mask;
  } while (x);
}

static void permi_eights_fill(const permi_layout *target, const uint16_t *place, permi_eight *eights)
{
  for (int j = 0; j <= target->low; j++) {
    permi_eight *eight = eights + target->start[j] / 8 + j;
    for (int k = target->start[j]; k < target->start[j + 1]; k += 8, eight++) {
      const int end = target->start[j + 1] - k < 8 ? target->start[j + 1] - k : 8;
      memset(eight, 0, sizeof *eight);
      for (int i = 0; i < end; i++) {
        if (place[k + i] == PERMI_ARRAY_NOWHERE)
          continue;
        if (!eight->here)
          eight->base = place[k + i];
        eight->here |= (unsigned char)(1 << i);
        eight->at[i] = (unsigned char)((place[k + i] - eight->base) & 15);
        eight->wide |= place[k + i] - eight->base > 15;
      }
    }
  }
}

PERMI_NEVER_INLINE static void permi_ways_fill(permi_arrays_run *run, int p, const permi_layout *source,
                                               const permi_layout *target)
{
  const permi_frontier *frontier = run->frontier;
  const permi_arrays *arrays = run->arrays;
  const int first = frontier->stream_start[p], ways = frontier->stream_start[p + 1] - first, low = arrays->low;
  const uint64_t low_mask = ((uint64_t)1 << low) - 1, top_mask = ~UINT64_C(0) << (low + arrays->middle);
  const size_t words = (size_t)1 << low;
  for (int s = 0; s < ways; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, first + s);
    const uint64_t from = (pull.want & pull.keep) ^ pull.flip;
    const int more = permi_count_ones(from) - permi_count_ones(pull.want);
    const permi_coefficient *c = &frontier->coefficient[first + s];
    const double real = run->absolute         ? c->absolute
                        : arrays->by_residues ? permi_residue_entry(c, run->numbers.modulus, run->root)
                                              : c->real;
    const perm_gpu_way made = {
        (uint32_t)(pull.test >> low), (uint32_t)(pull.want >> low), (uint32_t)(pull.keep >> low),
        (uint32_t)(pull.flip >> low), (uint32_t)(pull.test & low_mask), (uint32_t)(pull.want & low_mask),
        (uint32_t)(pull.keep & low_mask), (uint32_t)(pull.flip & low_mask),
        permi_count_ones(from & low_mask) - permi_count_ones(pull.want & low_mask), source->ones - more,
        source->most - source->ones,
        ((pull.test | pull.flip | (source->occupied ^ target->occupied)) & low_mask) != 0,
        real, c->imaginary, {c->integer[0], c->integer[1]}};
    perm_gpu_way *way = &run->way[s];
    permi_lookup *lookup = &run->lookup[s];
    *way = made;
    lookup->top_ones = permi_count_ones(from & top_mask) - permi_count_ones(pull.want & top_mask);
    lookup->c = *c;
    lookup->c.real = real;
    lookup->place = NULL;
    if (way->moves && !run->gpu) {
      uint16_t *place = run->low + (size_t)s * (words + PERMI_ARRAY_PAD);
      permi_eight *eights = run->eights + (size_t)s * (words / 8 + PERMI_ARRAY_LOW + 2);
      for (int k = 0; k < target->start[target->low + 1]; k++) {
        const uint32_t word = target->word[k];
        place[k] = (word & way->low_test) == way->low_want ? source->rank[(word & way->low_keep) ^ way->low_flip]
                                                           : (uint16_t)PERMI_ARRAY_NOWHERE;
      }
      lookup->place = place;
      lookup->eight = eights;
      if (run->kernel_eights)
        permi_eights_fill(target, place, eights);
    }
  }
}

/* PLACES. States that differ in top bits that a step keeps do not meet. So a step takes turns in one memory, each for
   some settings of these bits: it places targets at the first fit, computes them, frees the source's places. Counts of
   bits give the sizes, so planning knows the memory. */

/* Threads wait after each turn: none is below a millisecond. */
#define PERMI_ARRAY_TURNS 8
#define PERMI_ARRAY_TURN_BYTES 4e6

typedef struct permi_gap {
  uint64_t begin, end;
} permi_gap;

struct permi_places {
  const permi_frontier *frontier;
  permi_control *watch; /* or NULL */
  uint64_t *at[2]; /* first byte, by top bits */
  uint64_t bytes[2][PERMI_ARRAY_HIGH + 1]; /* by ones of top */
  permi_gap *gap;                          /* the last has no end */
  int gaps, done;
  uint64_t most, turn; /* bytes so far, of a turn */
  uint32_t fixed, rest[2], begin, next; /* bits kept, others; a turn's settings */
};

static size_t permi_places_tops(const permi_frontier *frontier)
{
  return (size_t)1 << frontier->arrays->top;
}

static int permi_places_open(permi_pool *pool, const permi_frontier *frontier, permi_places *places)
{
  const size_t tops = permi_places_tops(frontier);
  memset(places, 0, sizeof *places);
  places->frontier = frontier;
  places->at[0] = (uint64_t *)permi_pool_zeros(pool, 2 * tops, sizeof(uint64_t));
  places->gap = (permi_gap *)permi_pool_get(pool, 2 * tops + 2, sizeof(permi_gap));
  if (pool->failed)
    return 0;
  places->at[1] = places->at[0] + tops;
  return 1;
}

static uint64_t permi_places_find(permi_places *places, uint64_t bytes)
{
  permi_gap *gap = places->gap;
  while (gap->end - gap->begin < bytes)
    gap++;
  const uint64_t at = gap->begin;
  gap->begin += bytes;
  places->most = gap->begin > places->most ? gap->begin : places->most;
  if (gap->begin == gap->end)
    memmove(gap, gap + 1, (size_t)(places->gap + --places->gaps - gap) * sizeof *gap);
  return at;
}

static void permi_places_free(permi_places *places, uint64_t at, uint64_t bytes)
{
  int low = 0, high = places->gaps - 1, before;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (places->gap[middle].begin > at)
      high = middle;
    else
      low = middle + 1;
  }
  permi_gap *gap = places->gap + low;
  before = low > 0 && gap[-1].end == at;
  if (!before) {
    memmove(gap + 1, gap, (size_t)(places->gaps++ - low) * sizeof *gap);
    (gap++)->begin = at;
  }
  gap[-1].end = at + bytes;
  if (gap->begin == at + bytes) {
    gap[-1].end = gap->end;
    memmove(gap, gap + 1, (size_t)(places->gap + --places->gaps - gap) * sizeof *gap);
  }
}

static void permi_places_size(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t tops = arrays->occupied[p] >> (arrays->low + arrays->middle);
  const int below = permi_count_ones(arrays->occupied[p]) - permi_count_ones(tops);
  const int next = p < frontier->steps ? p + 1 : p;
  const uint64_t each = permi_arrays_bytes_at(frontier, next);
  for (int c = 0; c <= arrays->top; c++) {
    const int most = frontier->most[p] - c < below ? frontier->most[p] - c : below;
    uint64_t states = 0, ways = c <= permi_count_ones(tops);
    for (int k = 0; k <= most && ways; ways = ways * (uint64_t)(below - k) / (uint64_t)(k + 1), k++)
      states += k >= frontier->ones[p] - c ? ways : 0;
    places->bytes[p & 1][c] = states ? (states * each + PERMI_ARRAY_PAD + 63) & ~UINT64_C(63) : 0;
  }
}

static void permi_places_start(permi_places *places)
{
  const permi_frontier *frontier = places->frontier;
  double turn = PERMI_ARRAY_TURN_BYTES;
  for (int p = 0; p < frontier->steps; p++)
    turn = fmax(turn, frontier->states[p] * (double)permi_arrays_bytes_at(frontier, p + 1) / PERMI_ARRAY_TURNS);
  places->turn = (uint64_t)turn;
  places->gap[0].begin = 0;
  places->gap[0].end = UINT64_MAX;
  places->gaps = 1;
  permi_places_size(places, 0);
  places->at[0][0] = permi_places_find(places, places->bytes[0][0]);
}

static void permi_places_step(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const int above = arrays->low + arrays->middle;
  uint64_t fixed = arrays->occupied[p] & arrays->occupied[p + 1] & ~arrays->born[p + 1];
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, s);
    fixed &= pull.keep & ~pull.flip;
  }
  places->fixed = (uint32_t)(fixed >> above);
  for (int k = 0; k < 2; k++)
    places->rest[(p + k) & 1] = (uint32_t)(arrays->occupied[p + k] >> above) & ~places->fixed;
  places->next = 0;
  places->done = 0;
  permi_places_size(places, p + 1);
}

/* Returns the number of its words of top bits. */
static int permi_places_turn(permi_places *places, int side, uint16_t *top)
{
  uint64_t bytes = 0;
  int tops = 0;
  places->begin = places->next;
  do {
    uint32_t x = 0;
    do {
      const uint32_t word = places->next | x;
      const uint64_t size = places->bytes[side][permi_count_ones(word)];
      if (size) {
        places->at[side][word] = permi_places_find(places, size);
        bytes += size;
        top[tops++] = (uint16_t)word;
      }
      x = (x - places->rest[side]) & places->rest[side];
    } while (x && !permi_watch_apart(places->watch, places->gaps + 20.0));
    places->next = (places->next - places->fixed) & places->fixed;
    places->done = places->next == 0 || (places->watch && places->watch->stopped != PERM_OK);
  } while (!places->done && bytes < places->turn);
  return tops;
}

static void permi_places_turned(permi_places *places, int side)
{
  const uint32_t rest = places->rest[side ^ 1];
  uint32_t fixed = places->begin;
  do {
    uint32_t x = 0;
    do {
      const uint64_t size = places->bytes[side ^ 1][permi_count_ones(fixed | x)];
      if (size)
        permi_places_free(places, places->at[side ^ 1][fixed | x], size);
      x = (x - rest) & rest;
    } while (x && !permi_watch_apart(places->watch, places->gaps + 20.0));
    fixed = (fixed - places->fixed) & places->fixed;
  } while (fixed != places->next);
}

static int permi_places_measure(const permi_frontier *frontier, permi_control *watch)
{
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  permi_places places;
  uint16_t *top = (uint16_t *)permi_pool_get(&pool, permi_places_tops(frontier), sizeof *top);
  double units = 0;
  int p, opened = permi_places_open(&pool, frontier, &places);
  if (opened)
    permi_places_start(&places);
  places.watch = watch;
  for (p = 0; p < frontier->steps && opened &&
              !permi_watch_gather(watch, &units, 100 + 20.0 * (double)permi_places_tops(frontier)); p++) {
    permi_places_step(&places, p);
    while (!places.done) {
      permi_places_turn(&places, (p + 1) & 1, top);
      permi_places_turned(&places, (p + 1) & 1);
    }
  }
  frontier->arrays->bytes = opened ? fmax((double)places.most, PERMI_ARRAY_PAD + (double)permi_arrays_bytes_at(
                                              frontier, frontier->steps)) : 0;
  permi_pool_release(&pool);
  return opened;
}
/* SPDX-License-Identifier: MIT */
