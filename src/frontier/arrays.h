/* ========================================================================================= >>arrays
   The frontier programme on arrays indexed by combinations. Let bit e of a frontier vertex be its matched bit, for rows
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

   On a GPU (perm_cuda.cu) the host does all but the values, and these come from the same programme in the same order:
   the bits are those of the AVX2 and, for double-doubles, AVX-512 kernels (complex ones have but one), the bounds hold,
   and what decides about powers of two is the same. Measured on one H200: 7 ps a state for 3-regular graphs, 14 for 8
   entries a line; sorted lists there took 9 to 12 times as long. */
#pragma once
#include "steps.h"
#include "../gpu/contract.h"

#define PERMI_ARRAY_LOW 11     /* words of these slots, and their ranks, stay in the first cache */
#define PERMI_ARRAY_HIGH 16    /* slots of the middle and of the top at most */
#define PERMI_ARRAY_NOWHERE 0xffff
#define PERMI_ARRAY_SAFE 1e-250 /* products of doubles above it are sums of multiples of 2^-936 */
#define PERMI_ARRAY_TRACK_STEPS 64
#define PERMI_ARRAY_PAD 256 /* bytes after a buffer that vectors may read */

typedef enum permi_cell_kind { /* what an array holds; moduli have an array, and a pass, of their own */
  PERMI_CELL_DOUBLE,
  PERMI_CELL_DD,
  PERMI_CELL_COMPLEX,
  PERMI_CELL_COMPLEX_DD,
  PERMI_CELL_WORD,
  PERMI_CELL_WIDE,
  PERMI_CELL_WORDS,
  PERMI_CELL_RESIDUES
} permi_cell_kind;

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

/* One of the arrays that a block is added up from. */
/* The least and the largest modulus that a thread has met; a line of cache of its own. */
typedef struct permi_extremes {
  double smallest, largest, apart[6];
} permi_extremes;

typedef struct permi_origin {
  const void *x;
  size_t count;          /* of values of x */
  const uint16_t *place; /* of every word of the block in x, or NOWHERE; NULL: the same places */
  const permi_eight *eight; /* the same for vectors, if there is a place */
  double real, imaginary;
  int64_t integer[2];
} permi_origin;

/* A pull on the levels of a step. */
typedef struct permi_way {
  uint32_t test, want, keep, flip; /* above the low slots */
  int top_ones, low_ones;          /* how many more there are in the source */
  const uint16_t *place;           /* of all low words in the order of permi_layout; or NULL */
  const permi_eight *eight;        /* from start[j] / 8 + j on for the blocks of words with j ones */
  permi_origin origin;
} permi_way;

typedef struct permi_arrays_run permi_arrays_run;
typedef void (*permi_block_kernel)(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin,
                                   int origins);
struct permi_arrays_run {
  const permi_frontier *frontier;
  const permi_arrays *arrays;
  permi_control *control;
  permi_cell_kind kind;
  int absolute; /* 1: the pass of the moduli */
  int threads;
  permi_block_kernel kernel;
  int kernel_eights; /* 1: it uses permi_eight */
  size_t bytes;      /* of a value */
  permi_layout layout[2];
  char *values[2];
  permi_way *way;
  permi_origin *origin; /* `most` for each thread */
  permi_extremes *sizes; /* of each thread */
  uint16_t *places;
  permi_eight *eights;
  int most; /* ways of a step */
  /* as in permi_run */
  int words, parts;
  size_t stride;
  uint64_t modulus;
  int tracking;
  double smallest, largest, loss, visited, seconds_before, seconds_each;
  long long exp2;
  perm_gpu_frontier *gpu; /* not NULL: the values are there, and only the last ones come back */
  perm_gpu_way *gpu_way;       /* of a step; for lists */
  perm_gpu_stream *gpu_stream;
};

static int permi_count_ones(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* -- sums of blocks ---------------------------------------------------------------------------- */

/* y += c x over a block, or, with `unit`, y += x. */
static PERMI_ALWAYS_INLINE void permi_block_add(permi_algebra algebra, int unit, const permi_coefficient *c, char *y,
                                                const char *x, const uint16_t *place, size_t count, size_t size)
{
  size_t k;
  if (place && unit) {
    for (k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add_one(algebra, y + k * size, x + place[k] * size);
  } else if (unit) {
    for (k = 0; k < count; k++)
      permi_value_add_one(algebra, y + k * size, x + k * size);
  } else if (place) {
    for (k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, c, y + k * size, x + place[k] * size);
  } else {
    for (k = 0; k < count; k++)
      permi_value_add(algebra, c, y + k * size, x + k * size);
  }
}

/* A block of an array, the sum of its origins. */
static PERMI_ALWAYS_INLINE void permi_block_sum(const permi_arrays_run *run, char *y, size_t count,
                                                const permi_origin *origin, int origins, permi_algebra algebra)
{
  const size_t size = permi_value_size(algebra, run->stride);
  int s;
  memset(y, 0, count * size);
  for (s = 0; s < origins; s++, origin++) {
    permi_coefficient c;
    c.real = origin->real;
    c.imaginary = origin->imaginary;
    c.absolute = 0;
    c.integer[0] = origin->integer[0];
    c.integer[1] = origin->integer[1];
    c.words = run->words;
    c.parts = run->parts;
    c.modulus = run->modulus;
    if ((algebra == PERMI_WORD || algebra == PERMI_WIDE) && c.integer[0] == 1)
      permi_block_add(algebra, 1, &c, y, (const char *)origin->x, origin->place, count, size);
    else
      permi_block_add(algebra, 0, &c, y, (const char *)origin->x, origin->place, count, size);
  }
}

#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void name(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin, int origins)        \
  {                                                                                                                    \
    permi_block_sum(run, (char *)y, count, origin, origins, algebra);                                                  \
  }
PERMI_INSTANCE(permi_block_double, PERMI_MAGNITUDES)
PERMI_INSTANCE(permi_block_complex, PERMI_PAIR_VALUES)
PERMI_INSTANCE(permi_block_complex_dd, PERMI_PAIR_DD_VALUES)
PERMI_INSTANCE(permi_block_word, PERMI_WORD)
PERMI_INSTANCE(permi_block_wide, PERMI_WIDE)
PERMI_INSTANCE(permi_block_words, PERMI_WORDS)
PERMI_INSTANCE(permi_block_residues, PERMI_RESIDUES)
#undef PERMI_INSTANCE

/* *a = a + b rounded, *b = what is missing, exactly. */
static PERMI_ALWAYS_INLINE void permi_block_two_sum(double *a, double *b)
{
  const double sum = *a + *b, other = sum - *a;
  *b = (*a - (sum - other)) + (*b - other);
  *a = sum;
}

/* Double-doubles: in a block all high parts come before all low parts, so that vectors need no shuffling. Products and
   sums as permi_frontier_times and permi_dd_add, in one piece: nothing is called. */
static PERMI_ALWAYS_INLINE void permi_block_dd_sum(double *y, size_t count, const permi_origin *origin, int origins)
{
  size_t k;
  int s;
  for (k = 0; k < count; k++) {
    double hi = 0, lo = 0;
    for (s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x, c = origin[s].real;
      const size_t at = origin[s].place ? origin[s].place[k] : k;
      double x_hi, x_lo;
      if (origin[s].place && at == PERMI_ARRAY_NOWHERE)
        continue;
      x_hi = x[at] * c;
      PERMI_KEEP_DOUBLE(x_hi);
      x_lo = fma(x[at], c, -x_hi) + x[origin[s].count + at] * c;
      permi_block_two_sum(&x_hi, &x_lo);
      permi_block_two_sum(&hi, &x_hi);
      permi_block_two_sum(&lo, &x_lo);
      lo = x_hi + lo;
      permi_block_two_sum(&hi, &lo);
      lo = lo + x_lo;
      permi_block_two_sum(&hi, &lo);
    }
    y[k] = hi;
    y[count + k] = lo;
  }
}

static void permi_block_dd(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin, int origins)
{
  (void)run;
  permi_block_dd_sum((double *)y, count, origin, origins);
}

#if PERMI_X86
/* Sums of all ways in registers, four vectors at a time; the last vector is masked. */
__attribute__((target("avx512f,avx512dq,avx512bw"))) PERMI_INLINE __m512d
permi_fetch_avx512(const double *x, const uint16_t *place, const permi_eight *eight, size_t k)
{
  const __m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)eight->at));
  double v[8];
  int i;
  if (!eight->wide)
    return _mm512_maskz_permutex2var_pd(eight->here, _mm512_loadu_pd(x + eight->base), at,
                                        _mm512_loadu_pd(x + eight->base + 8));
  for (i = 0; i < 8; i++)
    v[i] = eight->here >> i & 1 ? x[place[k + (size_t)i]] : 0;
  return _mm512_loadu_pd(v);
}

__attribute__((target("avx512f,avx512dq,avx512bw"))) static void
permi_block_double_avx512(const permi_arrays_run *run, void *to, size_t count, const permi_origin *origin, int origins)
{
  double *y = (double *)to;
  size_t k = 0;
  int s;
  (void)run;
  for (; k + 32 <= count; k += 32) {
    __m512d a = _mm512_setzero_pd(), b = a, c = a, d = a;
    for (s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x;
      const __m512d real = _mm512_set1_pd(origin[s].real);
      if (origin[s].place) {
        const uint16_t *place = origin[s].place;
        const permi_eight *eight = origin[s].eight + k / 8;
        if (eight[0].here)
          a = _mm512_fmadd_pd(real, permi_fetch_avx512(x, place, eight, k), a);
        if (eight[1].here)
          b = _mm512_fmadd_pd(real, permi_fetch_avx512(x, place, eight + 1, k + 8), b);
        if (eight[2].here)
          c = _mm512_fmadd_pd(real, permi_fetch_avx512(x, place, eight + 2, k + 16), c);
        if (eight[3].here)
          d = _mm512_fmadd_pd(real, permi_fetch_avx512(x, place, eight + 3, k + 24), d);
      } else {
        a = _mm512_fmadd_pd(real, _mm512_loadu_pd(x + k), a);
        b = _mm512_fmadd_pd(real, _mm512_loadu_pd(x + k + 8), b);
        c = _mm512_fmadd_pd(real, _mm512_loadu_pd(x + k + 16), c);
        d = _mm512_fmadd_pd(real, _mm512_loadu_pd(x + k + 24), d);
      }
    }
    _mm512_storeu_pd(y + k, a);
    _mm512_storeu_pd(y + k + 8, b);
    _mm512_storeu_pd(y + k + 16, c);
    _mm512_storeu_pd(y + k + 24, d);
  }
  for (; k < count; k += 8) {
    const __mmask8 mask = (__mmask8)(count - k >= 8 ? 255 : (1 << (count - k)) - 1);
    __m512d a = _mm512_setzero_pd();
    for (s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x;
      const __m512d v = origin[s].place
                            ? permi_fetch_avx512(x, origin[s].place, origin[s].eight + k / 8, k)
                            : _mm512_maskz_loadu_pd(mask, x + k);
      a = _mm512_fmadd_pd(_mm512_set1_pd(origin[s].real), v, a);
    }
    _mm512_mask_storeu_pd(y + k, mask, a);
  }
}

/* Eight double-doubles: products and sums as permi_frontier_times and permi_dd_add. KEEP: see perm.h's vocabulary. */
#define PERMI_KEEP_VECTOR(v) __asm__("" : "+v"(v))
__attribute__((target("avx512f,avx512dq,avx512bw"))) PERMI_INLINE void
permi_two_sum_avx512(__m512d a, __m512d b, __m512d *sum, __m512d *low)
{
  const __m512d s = _mm512_add_pd(a, b), t = _mm512_sub_pd(s, a);
  *low = _mm512_add_pd(_mm512_sub_pd(a, _mm512_sub_pd(s, t)), _mm512_sub_pd(b, t));
  *sum = s;
}

__attribute__((target("avx512f,avx512dq,avx512bw"))) static void
permi_block_dd_avx512(const permi_arrays_run *run, void *to, size_t count, const permi_origin *origin, int origins)
{
  double *y = (double *)to;
  size_t k;
  int s;
  (void)run;
  for (k = 0; k < count; k += 8) {
    const __mmask8 mask = (__mmask8)(count - k >= 8 ? 255 : (1 << (count - k)) - 1);
    __m512d hi = _mm512_setzero_pd(), lo = hi;
    for (s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x;
      __m512d x_hi, x_lo, t_hi, t_lo;
      if (origin[s].place) {
        const permi_eight *eight = origin[s].eight + k / 8;
        if (!eight->here)
          continue;
        x_hi = permi_fetch_avx512(x, origin[s].place, eight, k);
        x_lo = permi_fetch_avx512(x + origin[s].count, origin[s].place, eight, k);
      } else {
        x_hi = _mm512_maskz_loadu_pd(mask, x + k);
        x_lo = _mm512_maskz_loadu_pd(mask, x + origin[s].count + k);
      }
      if (origin[s].real != 1) {
        const __m512d real = _mm512_set1_pd(origin[s].real);
        __m512d p = _mm512_mul_pd(x_hi, real), q;
        PERMI_KEEP_VECTOR(p);
        q = _mm512_fmsub_pd(x_hi, real, p);
        permi_two_sum_avx512(p, _mm512_fmadd_pd(x_lo, real, q), &x_hi, &x_lo);
      }
      if (s == 0) { /* 0 + x is x */
        hi = x_hi;
        lo = x_lo;
        continue;
      }
      permi_two_sum_avx512(hi, x_hi, &hi, &x_hi);
      permi_two_sum_avx512(lo, x_lo, &t_hi, &t_lo);
      permi_two_sum_avx512(hi, _mm512_add_pd(x_hi, t_hi), &hi, &lo);
      permi_two_sum_avx512(hi, _mm512_add_pd(lo, t_lo), &hi, &lo);
    }
    _mm512_mask_storeu_pd(y + k, mask, hi);
    _mm512_mask_storeu_pd(y + count + k, mask, lo);
  }
}

__attribute__((target("avx2,fma"))) static void permi_block_double_avx2(const permi_arrays_run *run, void *to,
                                                                        size_t count, const permi_origin *origin,
                                                                        int origins)
{
  double *y = (double *)to;
  size_t k = 0;
  int s, i;
  (void)run;
  for (; k + 16 <= count; k += 16) {
    __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
    for (s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x;
      const uint16_t *place = origin[s].place;
      const __m256d real = _mm256_set1_pd(origin[s].real);
      if (place) {
        double v[16];
        for (i = 0; i < 16; i++)
          v[i] = place[k + (size_t)i] == PERMI_ARRAY_NOWHERE ? 0 : x[place[k + (size_t)i]];
        a = _mm256_fmadd_pd(real, _mm256_loadu_pd(v), a);
        b = _mm256_fmadd_pd(real, _mm256_loadu_pd(v + 4), b);
        c = _mm256_fmadd_pd(real, _mm256_loadu_pd(v + 8), c);
        d = _mm256_fmadd_pd(real, _mm256_loadu_pd(v + 12), d);
      } else {
        a = _mm256_fmadd_pd(real, _mm256_loadu_pd(x + k), a);
        b = _mm256_fmadd_pd(real, _mm256_loadu_pd(x + k + 4), b);
        c = _mm256_fmadd_pd(real, _mm256_loadu_pd(x + k + 8), c);
        d = _mm256_fmadd_pd(real, _mm256_loadu_pd(x + k + 12), d);
      }
    }
    _mm256_storeu_pd(y + k, a);
    _mm256_storeu_pd(y + k + 4, b);
    _mm256_storeu_pd(y + k + 8, c);
    _mm256_storeu_pd(y + k + 12, d);
  }
  for (; k < count; k++) {
    double a = 0;
    for (s = 0; s < origins; s++) {
      const size_t at = origin[s].place ? origin[s].place[k] : k;
      if (!origin[s].place || at != PERMI_ARRAY_NOWHERE)
        a = fma(origin[s].real, ((const double *)origin[s].x)[at], a);
    }
    y[k] = a;
  }
}

/* The plain text, where fma is an instruction. */
__attribute__((target("avx2,fma"))) static void permi_block_dd_avx2(const permi_arrays_run *run, void *y, size_t count,
                                                                    const permi_origin *origin, int origins)
{
  (void)run;
  permi_block_dd_sum((double *)y, count, origin, origins);
}
#endif

static permi_block_kernel permi_arrays_kernel(permi_cell_kind kind, perm_isa isa)
{
  static const permi_block_kernel plain[] = {permi_block_double,     permi_block_dd,   permi_block_complex,
                                             permi_block_complex_dd, permi_block_word, permi_block_wide,
                                             permi_block_words,      permi_block_residues};
#if PERMI_X86
  if (kind == PERMI_CELL_DOUBLE && isa >= PERM_ISA_AVX2 && isa <= PERM_ISA_AVX512IFMA)
    return isa == PERM_ISA_AVX2 ? permi_block_double_avx2 : permi_block_double_avx512;
  if (kind == PERMI_CELL_DD && isa >= PERM_ISA_AVX2 && isa <= PERM_ISA_AVX512IFMA)
    return isa == PERM_ISA_AVX2 ? permi_block_dd_avx2 : permi_block_dd_avx512;
#else
  (void)isa;
#endif
  return plain[kind];
}
