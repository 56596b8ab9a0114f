/* ========================================================================================= >>arrays
   The frontier program on arrays indexed by combinations: no keys, and threads that share blocks without
   synchronisation. */
#pragma once
#include "../graph/vectors.h"
#include "steps.h"

/* Let bit e of a frontier vertex say matched, for rows inverted: all states of a step have the same number k of ones
   (a - d in >>order), so they are the words with k ones in w slots. A word's index is
       top_offset[top] + middle_offset[ones of top][middle] + rank[low],
   and a block, the words of the same top and middle bits, is contiguous.

   A step pulls: each block sums the ways to reach it, in a fixed order. Bits above the low slots are settled once a
   block; then y += c x over contiguous arrays, or a table for the low words.

   A GPU's values have the bits of the AVX2 and, for double-doubles, AVX-512 kernels. An H200 takes 7 ps a state for
   3-regular graphs, 14 for 8 entries a line. */

#define PERMI_ARRAY_LOW 11     /* words and ranks of these slots stay in the first cache */
#define PERMI_ARRAY_HIGH 16    /* most slots of middle, of top */
#define PERMI_ARRAY_SAFE 1e-250 /* sums of larger products are multiples of 2^-936 */
#define PERMI_ARRAY_PAD 256 /* bytes that vectors may read beyond a buffer */

typedef struct permi_layout {
  uint64_t occupied;
  int ones, low; /* low: occupied low slots */
  size_t states;
  uint16_t *word, *rank; /* low words by ones, then ascending; rank among those */
  int start[PERMI_ARRAY_LOW + 2];
  uint64_t *middle_offset; /* at ones of top << middle slots | middle */
  uint16_t *middle;      /* ascending, for each number of ones of top */
  unsigned char *left;   /* ones left to low slots, for each of `middle` */
  unsigned char *middle_ones;
  int middle_start[PERMI_ARRAY_HIGH + 2];
  uint64_t *top_offset;
  uint16_t *top;
  int tops;
  size_t total[PERMI_ARRAY_HIGH + 1]; /* states under a word, by its ones */
} permi_layout;

/* A thread's, in a line of cache of its own. */
typedef struct permi_extremes {
  permi_sizes sizes;
  double apart[4];
} permi_extremes;

/* A stream backwards: a state comes from (state & keep) ^ flip if (state & test) == want. What enters is tested. */
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
  int top_ones;             /* more in the source */
  const uint16_t *place;    /* of all low words, as in permi_layout; or NULL */
  const permi_eight *eight; /* of words with j ones from start[j] / 8 + j on */
  permi_coefficient c;
} permi_lookup;

typedef struct permi_places permi_places; /* see >>array_places */
typedef struct permi_arrays_run permi_arrays_run;
struct permi_arrays_run {
  permi_runner base;
  const permi_frontier *frontier;
  const permi_arrays *arrays;
  permi_numbers numbers; /* moduli have a pass of their own, and residues modulo numbers.modulus */
  uint64_t root;         /* of -1 modulo the prime of a pass: i of Gaussian integers */
  int again;             /* a pass after the first, whose states are counted already */
  int absolute; /* the pass of the moduli */
  permi_block_kernel kernel;
  int kernel_eights; /* uses permi_eight */
  size_t bytes;      /* of a value */
  permi_layout layout[2];
  permi_places *places;
  char *memory; /* of all values; on a GPU, of the last */
  uint16_t *top; /* of a turn */
  perm_gpu_way *way; /* pulls on the levels of a step, on the CPU too */
  permi_lookup *lookup;
  permi_origin *origin; /* `most` a thread */
  permi_extremes *extremes; /* one a thread */
  uint16_t *low; /* `place` of lookups */
  permi_eight *eights;
  int most; /* ways of a step */
  int tracking; /* sizes are measured in this step */
  double seconds_before, seconds_each;
  struct perm_gpu_frontier *gpu; /* holds the values, or NULL */
};

/* Returns the numbers of the first pass, without moduli. */
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

/* Returns the numbers before step p, where integers are as short as they can be. */
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

static size_t permi_arrays_value_bytes(const permi_frontier *frontier)
{
  return permi_arrays_bytes_at(frontier, frontier->steps);
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
  const permi_coefficient c = permi_coefficient_short(origin->c);
  const char *x = (const char *)origin->x;
  const uint16_t *place = origin->place;
  size_t k;
  if (place && short_one) {
    for (k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, numbers, NULL, y + k * size, x + place[k] * size, 0);
  } else if (short_one) {
    permi_values_add_of(algebra, numbers, NULL, y, x, count, 0);
  } else if (place) {
    for (k = 0; k < count; k++)
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
      PERMI_CASE(PERMI_MAGNITUDES)
      PERMI_CASE(PERMI_PAIR_VALUES)
      PERMI_CASE(PERMI_PAIR_DD_VALUES)
      PERMI_CASE(PERMI_WORD)
      PERMI_CASE(PERMI_WIDE)
      PERMI_CASE(PERMI_WORDS)
      PERMI_CASE(PERMI_RESIDUES)
#undef PERMI_CASE
    default: break;
    }
}

/* growth: of residues. */
static permi_block_kernel permi_arrays_kernel(permi_algebra algebra, perm_isa isa, int growth)
{
  const perm_isa family = isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512 : isa;
  if (growth != PERMI_GROWS_NOT)
    return growth == PERMI_GROWS_SHORT ? PERMI_OF_FAMILY(permi_block_short, family)
                                       : PERMI_OF_FAMILY(permi_block_long, family);
  if (algebra == PERMI_MAGNITUDES_DD)
    return PERMI_OF_FAMILY(permi_block_dd, family);
#if PERMI_X86
  if (algebra == PERMI_MAGNITUDES && (family == PERM_ISA_AVX512 || family == PERM_ISA_AVX2))
    return family == PERM_ISA_AVX2 ? permi_block_double_avx2 : permi_block_double_avx512;
#endif
  return permi_block_plain;
}
/* SPDX-License-Identifier: MIT */
