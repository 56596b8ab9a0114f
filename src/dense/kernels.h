/* ======================================================================================== >>kernels
   Interface and tables of the kernels. One text (>>vocabulary) serves all instruction sets; tests/compile looks for
   spills. */
#pragma once
#include "../base/cpu.h"
#include "../base/integers.h"
#include "../base/prices.h"

typedef enum permi_form {
  PERMI_FORM_SCALAR,
  PERMI_FORM_NORMALISED, /* divided by pivots */
  PERMI_FORM_PAIR,       /* rows in pairs */
  PERMI_FORM_SPLIT,      /* exact high + low row sums: dd, certify */
  PERMI_FORM_PLAIN,      /* GPUs: a pivot column, no division */
  PERMI_FORM_FLOATS,     /* GPUs: pairs of floats */
  PERMI_FORM_MAKE_INT = 0x7fffffff
} permi_form;

typedef struct permi_dense_plan {
  int version, n, is_complex, certify;
  perm_method method;
  perm_precision precision;
  perm_isa isa; /* the kernel family */
  permi_form form;
  int pivot; /* the +- column */
  int lane_columns, block_columns, outer_columns;
  int chunk_log2; /* of outer states (scalar engines: terms) */
  uint64_t chunks;
  int row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N]; /* of entries: 2^(row + column) */
  int zero, lossy;       /* 1: no transversal of nonzeros; scaling made an entry subnormal */
  int exact_rows;        /* 1: nothing rounds before the products; 2: hardly, entries >= 0 */
  int group;             /* floats: rows whose product becomes one float */
  double elements;       /* n 2^(n-1) */
  double seconds, bytes; /* predicted, one thread */
  uint64_t fingerprint;
} permi_dense_plan;

typedef struct permi_chunk_sum {
  permi_dd value, imaginary;
  double absolute;
} permi_chunk_sum;

#define PERMI_VIRTUAL_ROWS 392 /* 12 a complex pair, 8 to look ahead */
#define PERMI_GROUP_LOG2 3     /* of states added without TwoSum */
#define PERMI_MOST_TABLED 2

typedef struct permi_dense permi_dense;
typedef void (*permi_kernel_run)(const permi_dense *dense, uint64_t chunk, permi_chunk_sum *sum);

struct permi_dense {
  int n, rows, padded; /* rows: virtual, padded to eights */
  int outer, chunk_log2;
  int tabled;             /* outer columns with tables */
  unsigned absolute_mask; /* one of mask + 1 groups counts for |terms| */
  double *table;
  size_t table_size;
  double *step;     /* [outer][2][padded]: +2a, -2a */
  double *start;    /* [padded]: all outer signs + */
  double *constant; /* permi_dense_pair */
  permi_kernel_run run;
};

/* A sum of >>minors_kernels over the signs of all but the last `fixed` columns. `group`: rows at once. */
typedef struct permi_minors_sum {
  int rows, n, group, fixed;
  const double *a;
} permi_minors_sum;

/* Doubles of memory for each row, and for each of a group with `free` columns, in any family. */
#define PERMI_MINORS_ROW(parts) (56 * (parts))
#define PERMI_MINORS_SUMS(free, parts) (32 * (parts) + ((free) < 6 ? 3 : 2 * (free) - 9) * 8 * (parts) + 8)

#define PERMI_BATCH_BLOCK 32 /* matrices of a kernel of >>batch: as many as an int has bits */

/* Factors in products of rows 0 .. 3 and of the others in >>batch: pairs of columns (b < a at b + a (a - 1) / 2) or, in
   products of three, a column and a pair. */
typedef struct permi_batch_split {
  unsigned char upper[6], lower[6];
} permi_batch_split;

#define PERMI_EXACT_LIMBS 32
#define PERMI_EXACT_ATOMS 5
#define PERMI_EXACT_BLOCK_LOG2 2
#define PERMI_EXACT_SKIP_LOG2 6 /* two columns a table */
#define PERMI_EXACT_WINDOW 51   /* bits */
#define PERMI_EXACT_WIDTH 8
#define PERMI_EXACT_HALF 16
typedef struct permi_exact_work {
  uint64_t accumulator[3][(PERMI_EXACT_LIMBS + 1) * PERMI_EXACT_WIDTH];
  double x[2 * PERM_MAX_N]; /* row sums */
  double limb[2 * PERMI_EXACT_LIMBS * 4 * PERMI_EXACT_WIDTH];
  double first[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH], second[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH];
  int16_t atom[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS * 16 * PERMI_EXACT_WIDTH];
  uint8_t lane[128 * 4 * PERMI_EXACT_WIDTH + 64], setting[128 * 4 * PERMI_EXACT_WIDTH + 64]; /* survivors' */
} permi_exact_work;
typedef struct permi_exact_total {
  permi_wide plane[3][PERMI_EXACT_LIMBS + 1];
} permi_exact_total;
typedef struct permi_exact permi_exact;
typedef void (*permi_exact_run)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                permi_exact_total *total);
typedef void (*permi_exact_evaluate)(const permi_exact *exact, permi_exact_work *work, int settings, int negative,
                                     int place_signs);
/* Tables of an integer matrix, rows in the order of atoms. */
struct permi_exact {
  int n, padded;                /* to a multiple of 16 */
  int parts;                    /* 2: Gaussian */
  int window;                   /* weights 2^(window k) */
  int limbs, narrow;            /* narrow: of atoms */
  int wide_padded, wide_entries; /* row sums in doubles; entries of wide_table, for a setting */
  int outer, chunk_log2, transposed, settings, even_rows;
  int atom_rows[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS], fifth[PERMI_EXACT_LIMBS], even_row[PERM_MAX_N];
  const int16_t *table;          /* [row][block setting][lane] */
  const uint32_t *start;         /* [padded]: two int16; skipping: four int8 */
  const uint32_t *step;          /* [outer][padded] */
  const double *wide_table;      /* [block setting][entry][place][WIDTH] */
  const double *wide_step;       /* [outer][wide_padded] */
  const uint32_t *setting_step;  /* skipping: [setting column - 2][padded] */
  const uint8_t *lane_bytes;     /* [even row][two setting columns][lane], from all + */
  const uint8_t *nibbles;        /* [row][3][16], four columns */
  uint8_t parity[32], ends[128]; /* 0 or 255 by parity, then the opposite; 64 of 255, 64 of 0 */
  double round[PERMI_EXACT_LIMBS], rest[PERMI_EXACT_LIMBS], second[PERMI_EXACT_HALF], unit;
  uint64_t bias[PERMI_EXACT_LIMBS + 1];
  double survivors;
  permi_exact_run run;
  permi_exact_evaluate evaluate;
};

/* Products at once (AVX2: 2.7 times as fast as singly), and their sets. */
#define PERMI_TERMS 8
#define PERMI_SETS 4

typedef struct permi_lane_sums {
  double hi[2][PERMI_TERMS], lo[2][PERMI_TERMS], absolute[PERMI_TERMS];
} permi_lane_sums;

typedef struct permi_counts_kernels {
  void (*add_scaled)(double *to, const double *const *from, const double *weight, int count, int n);
  void (*add_weighted)(double *to, const double *from, const double *weight, int n);
  void (*store_states)(double *to, const double *from, int n, double *most, double *least);
  void (*move_forms)(int rows, double times, const double *high_step, const double *low_step, double *high,
                     double *low, double *form, int apart);
  void (*add_products)(int forms, const int *count, const double *form, const double *weight, permi_lane_sums *sums);
  void (*symmetric_real)(const double *x, double *e, int most, int least);
  void (*symmetric_complex)(const double *x, const double *y, double *e, double *f, int most, int least);
} permi_counts_kernels;

static void permi_size_seen(double size, double *most, double *least)
{
  const double other = size != 0 ? size : (double)INFINITY;
  *most = size > *most ? size : *most;
  *least = other < *least ? other : *least;
}

static int permi_trailing_zeros(uint64_t x) /* x != 0 */
{
#if defined(__GNUC__)
  return __builtin_ctzll(x);
#else
  int k = 0;
  for (; !(x & 1); x >>= 1)
    k++;
  return k;
#endif
}

static unsigned permi_scatter(uint64_t x)
{
  return (unsigned)(x * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

#define PERMI_ROUNDED 0
#define PERMI_DOUBLED 1 /* double-double */
#define PERMI_NEAR_N 12

static const double permi_lane_signs[3][8] PERMI_ALIGN64 = {
    {1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1, -1, -1}, {1, 1, 1, 1, -1, -1, -1, -1}};
static const double permi_lane_zero[2] = {0, 0};
static const double permi_parity_signs[32] = {1,  -1, -1, 1,  -1, 1,  1,  -1, -1, 1,  1,  -1, 1,  -1, -1, 1,
                                              -1, 1,  1,  -1, 1,  -1, -1, 1,  1,  -1, -1, 1,  -1, 1,  1,  -1};

/* Sets out to the signed lane sums of re, (im,) estimate, squares. */
static void permi_small_fold(double *lane, int width, int parts, int n, double *out)
{
  const double scale = 8.0 / (double)(1 << n); /* 2^-(n-3) */
  for (int part = 0; part <= parts + 1; part++, lane += 8) {
    const double sign = part < parts ? -1 : 1;
    if (width == 8) {
      lane[0] += sign * lane[4];
      lane[1] += sign * lane[5];
      lane[2] += sign * lane[6];
      lane[3] += sign * lane[7];
    }
    if (width >= 4) {
      lane[0] += sign * lane[2];
      lane[1] += sign * lane[3];
    }
    if (width >= 2)
      lane[0] += sign * lane[1];
    out[part] = part <= parts ? scale * lane[0] : lane[0];
  }
}

/* Adds the four equal bytes of x to each of 16. */
PERMI_UNUSED
static void permi_exact_nibbles(const uint8_t *from, uint32_t x, uint8_t *to)
{
  const uint64_t tops = UINT64_C(0x8080808080808080), y = (uint64_t)x << 32 | x;
  uint64_t word[2];
  memcpy(word, from, sizeof word);
  for (int k = 0; k < 2; k++)
    word[k] = ((word[k] & ~tops) + (y & ~tops)) ^ ((word[k] ^ y) & tops);
  memcpy(to, word, sizeof word);
}

#if PERMI_ARM
PERMI_UNUSED PERMI_INLINE int64x2_t permi_pairs16_neon(int16x8_t a, int16x8_t b)
{
  return vreinterpretq_s64_s32(vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
}

PERMI_UNUSED PERMI_INLINE uint64_t permi_nonzero8_neon(uint8x16_t a)
{
  static const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x8_t bits = vld1_u8(bit);
  const uint8x16_t set = vtstq_u8(a, a);
  return vaddv_u8(vand_u8(vget_low_u8(set), bits)) | (uint64_t)vaddv_u8(vand_u8(vget_high_u8(set), bits)) << 8;
}
#endif

PERMI_UNUSED
static void permi_exact_empty(const uint64_t *lane, int width, int signs, uint64_t bias, permi_wide *total)
{
  for (int k = 0; k < width; k++) {
    permi_wide x;
    x.low = lane[k] - bias;
    if (signs & (k ^ k >> 1 ^ k >> 2))
      x.low = 0 - x.low;
    x.high = x.low >> 63 ? UINT64_MAX : 0;
    permi_wide_add(total, x);
  }
}

#define PERMI_FAMILY
#include PERM_HEADER_FILE

typedef struct permi_kernel {
  perm_isa isa;
  permi_form form;
  int parts, product, lane_columns, block_columns, n_least;
  double rate; /* elements/s, one thread; AVX2: of a Zen 3 core, the others of >>prices */
  permi_kernel_run run;
} permi_kernel;

static const permi_kernel permi_kernels_real[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 3, 16, 2.4e10, permi_glynn_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 2, 7, 2.0e10, permi_glynn_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 3, 16, 1.9e10, permi_pair_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 2, 7, 1.6e10, permi_pair_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 3, 3, 7, 8.7e9, permi_split_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 3, 3, 7, 2.6e9, permi_dd_real_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 2, 2, 6, 2.1e10, permi_glynn_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 2, 2, 6, 1.7e10, permi_pair_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 2, 3, 6, 8e9, permi_split_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 2, 2, 5, 2.4e9, permi_dd_real_avx2},
#endif
#if PERMI_ARM /* not measured */
    {PERM_ISA_NEON, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 1, 3, 6, 6e9, permi_glynn_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 1, 3, 6, 5e9, permi_pair_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 1, 3, 5, 2e9, permi_split_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 1, 3, 5, 7e8, permi_dd_real_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 0, 2, 4, 1.8e9, permi_glynn_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 0, 2, 4, 1.6e9, permi_pair_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 0, 2, 3, 8e8, permi_split_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 0, 2, 3, 2e8, permi_dd_real_plain},
};
#if !defined(PERM_NO_COMPLEX)
static const permi_kernel permi_kernels_complex[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 3, 2, 7, 7e9, permi_pair_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 3, 2, 6, 3.4e9, permi_split_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 3, 2, 6, 5e8, permi_dd_complex_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 2, 1, 5, 6.3e9, permi_pair_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 2, 2, 5, 3.6e9, permi_split_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 2, 1, 4, 4.3e8, permi_dd_complex_avx2},
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 1, 2, 5, 2e9, permi_pair_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 1, 2, 4, 9e8, permi_split_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 1, 2, 4, 2e8, permi_dd_complex_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 0, 1, 3, 4.8e8, permi_pair_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 0, 1, 2, 2.6e8, permi_split_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 0, 1, 2, 5e7, permi_dd_complex_plain},
};
#endif

typedef struct permi_kernel_table {
  const permi_kernel *kernel;
  int count;
} permi_kernel_table;
#define PERMI_KERNEL_TABLE(kernels) {kernels, (int)(sizeof kernels / sizeof *kernels)}

#if !defined(PERM_NO_EXTRAS)
typedef struct permi_minors_kernel {
  perm_isa isa;
  int parts, least; /* order */
  double rate;
  void (*run)(const permi_minors_sum *of, uint64_t chunk, double *work, double *out);
} permi_minors_kernel;

static const permi_minors_kernel permi_minors_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 6, 1.2e10, permi_minors_real_avx512},
    {PERM_ISA_AVX2, 1, 5, 6e9, permi_minors_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 6, 4e9, permi_minors_complex_avx512},
    {PERM_ISA_AVX2, 2, 5, 2e9, permi_minors_complex_avx2},
#endif
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, 1, 4, 3e9, permi_minors_real_neon},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 4, 1e9, permi_minors_complex_neon},
#endif
#endif
    {PERM_ISA_PLAIN, 1, 3, 8e8, permi_minors_real_plain},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 3, 2.4e8, permi_minors_complex_plain},
#endif
};
#endif

/* Returns the best kernel; NULL only below n = 4. */
static const permi_kernel *permi_kernel_for(const permi_kernel_table *table, perm_isa isa, permi_form form, int product,
                                            int n)
{
  const permi_kernel *kernel = table->kernel, *const end = kernel + table->count;
  for (; kernel < end; kernel++)
    if (kernel->isa <= isa && kernel->form == form && kernel->product == product && kernel->n_least <= n)
      return kernel;
  return NULL;
}
/* SPDX-License-Identifier: MIT */
