/* ========================================================================================= >>arrays
   The frontier program on arrays indexed by combinations. Let bit e of a frontier vertex be its matched bit, for rows
   inverted: the number of ones among the bits e is the same in all states of a step (a - d in the terms of >>order). So
   the states are the words with k ones in the w occupied slots, and an array of C(w, k) values needs no keys. Slots are
   low, middle or top. Words are ordered by their top bits, then middle, then low bits: the index of a word is
       top_offset[top] + middle_offset[ones of top][middle] + rank[low],
   and a block, the words with the same top and middle bits, is contiguous: C(low slots, ones left) values.

   A step is computed in pull form: each block of the target is a sum over the ways to come to it. What a way tests and
   flips above the low slots is settled once for a block; where it leaves the low slots alone the rest is y += c x over
   contiguous arrays, else a table says for every low word where it comes from. Every value is computed from the
   source alone, in a fixed order, so threads share the blocks without synchronisation and the bits do not depend on
   how many they are. Low slots go to the vertices that live through the most states, as they are touched least.

   On a GPU (perm_cuda.cu) the host does all but the values, and these come from the same program in the same order:
   the bits are those of the AVX2 and, for double-doubles, AVX-512 kernels (complex ones have but one), the bounds hold,
   and what decides about powers of two is the same. Measured on one H200: 7 ps a state for 3-regular graphs, 14 for 8
   entries a line; sorted lists there took 9 to 12 times as long. */
#pragma once
#include "steps.h"

#define PERMI_ARRAY_LOW 11     /* words of these slots, and their ranks, stay in the first cache */
#define PERMI_ARRAY_HIGH 16    /* slots of the middle and of the top at most */
#define PERMI_ARRAY_NOWHERE 0xffff
#define PERMI_ARRAY_SAFE 1e-250 /* products of doubles above it are sums of multiples of 2^-936 */
#define PERMI_ARRAY_TRACK_STEPS 64
#define PERMI_ARRAY_PAD 256 /* bytes after a buffer that vectors may read */

/* The words of a step, see above. */
typedef struct permi_layout {
  uint64_t occupied;
  int ones, low; /* low: occupied low slots */
  size_t states;
  uint16_t *word, *rank; /* low words by their number of ones, then ascending; rank among those of as many ones */
  int start[PERMI_ARRAY_LOW + 2];
  uint64_t *middle_offset; /* at ones of top << middle slots | middle */
  uint16_t *middle;      /* ascending, for each number of ones of top */
  unsigned char *left;   /* ones left to the low slots, for each of `middle` */
  unsigned char *middle_ones; /* of middle bits */
  int middle_start[PERMI_ARRAY_HIGH + 2];
  uint64_t *top_offset;
  uint16_t *top;
  int tops;
} permi_layout;

/* Where eight words of a block come from: places base + at[i] of those in `here`. Those that take part come in the same
   order on both sides and with few others between them, so that a window of 16 nearly always has them. (Gathering is
   an instruction too, but microcode against GDS made it the slowest way of all: three quarters of a run.) */
typedef struct permi_eight {
  uint16_t base;
  unsigned char here, wide; /* wide: the window does not have them */
  unsigned char at[8];
} permi_eight;

/* What a thread has met; a line of cache of its own. */
typedef struct permi_extremes {
  permi_sizes sizes;
  double apart[4];
} permi_extremes;

/* One of the arrays that a block is added up from. */
typedef struct permi_origin {
  const void *x;
  size_t count;          /* of values of x */
  const uint16_t *place; /* of every word of the block in x, or NOWHERE; NULL: the same places */
  const permi_eight *eight; /* the same for vectors, if there is a place */
  double real;
  const permi_coefficient *c; /* that, and what else there is */
} permi_origin;

/* A pull on the levels of a step. */
typedef struct permi_way {
  uint32_t test, want, keep, flip; /* above the low slots */
  int top_ones, low_ones;          /* how many more there are in the source */
  const uint16_t *place;           /* of all low words in the order of permi_layout; or NULL */
  const permi_eight *eight;        /* from start[j] / 8 + j on for the blocks of words with j ones */
  permi_coefficient c;
} permi_way;

typedef struct permi_arrays_run permi_arrays_run;
typedef void (*permi_block_kernel)(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin,
                                   int origins);
struct permi_arrays_run {
  const permi_frontier *frontier;
  const permi_arrays *arrays;
  permi_control *control;
  permi_numbers numbers; /* moduli have an array, and a pass, of their own */
  int absolute; /* 1: the pass of the moduli */
  int threads;
  permi_block_kernel kernel;
  int kernel_eights; /* 1: it uses permi_eight */
  size_t bytes;      /* of a value */
  permi_layout layout[2];
  char *values[2];
  permi_way *way;
  permi_origin *origin; /* `most` for each thread */
  permi_extremes *extremes; /* of each thread */
  uint16_t *places;
  permi_eight *eights;
  int most; /* ways of a step */
  int tracking; /* sizes are measured in this step */
  permi_sizes sizes;
  double visited, seconds_before, seconds_each;
  struct perm_gpu_frontier *gpu; /* not NULL: the values are there, and only the last ones come back */
  struct perm_gpu_way *gpu_way;  /* of a step; for lists */
  struct perm_gpu_stream *gpu_stream;
};

/* What the first pass computes; moduli, if they are wanted, come in a second one. */
static permi_numbers permi_arrays_numbers(const permi_frontier *frontier)
{
  permi_numbers numbers = frontier->numbers;
  if (numbers.algebra == PERMI_SIGNED || numbers.algebra == PERMI_SIGNED_DD)
    numbers.algebra = (permi_algebra)((int)numbers.algebra - 1);
  else if (permi_algebra_has_moduli(numbers.algebra))
    numbers.algebra = numbers.algebra == PERMI_COMPLEX ? PERMI_PAIR_VALUES : PERMI_PAIR_DD_VALUES;
  return numbers;
}

/* Bytes of a value of it. */
static size_t permi_arrays_value_bytes(const permi_frontier *frontier)
{
  const permi_numbers numbers = permi_arrays_numbers(frontier);
  return 8 * permi_numbers_words(&numbers);
}

static int permi_arrays_passes(const permi_frontier *frontier)
{
  return permi_algebra_has_moduli(frontier->numbers.algebra) ? 2 : 1;
}

/* -- sums of blocks ---------------------------------------------------------------------------- */

/* A block of an array, the sum of its origins. */
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

static void permi_block_plain(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin,
                              int origins)
{
  memset(y, 0, count * run->bytes);
  for (; origins > 0; origins--, origin++)
    switch (run->numbers.algebra) {
#define PERMI_CASE(algebra) case algebra: permi_block_sum(algebra, &run->numbers, (char *)y, count, origin); break;
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

/* One text (>>array_kernels), read for each instruction set. */
#define PERMI_FAMILY_TEXT PERM_SPARSE_HEADER_FILE
#define PERMI_FAMILY_ARRAYS
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_ARRAYS
#undef PERMI_FAMILY_TEXT

static permi_block_kernel permi_arrays_kernel(permi_algebra algebra, perm_isa isa)
{
#if PERMI_X86
  if (algebra == PERMI_MAGNITUDES && isa >= PERM_ISA_AVX2 && isa <= PERM_ISA_AVX512IFMA)
    return isa == PERM_ISA_AVX2 ? permi_block_double_avx2 : permi_block_double_avx512;
  if (algebra == PERMI_MAGNITUDES_DD && isa >= PERM_ISA_AVX2 && isa <= PERM_ISA_AVX512IFMA)
    return isa == PERM_ISA_AVX2 ? permi_block_dd_avx2 : permi_block_dd_avx512;
#else
  (void)isa;
#endif
  return algebra == PERMI_MAGNITUDES_DD ? permi_block_dd_plain : permi_block_plain;
}
