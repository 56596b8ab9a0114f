/* ======================================================================================== >>kernels
   Kernels: one text (>>vocabulary) for all instruction sets; 2^K settings of block columns fit 32 registers (AVX-512,
   NEON) or 16; tests/compile looks for spills. Measured, real, 2.5 GHz Cascade Lake: two rows a turn, within 1%; half
   or a quarter of the table, equal or 8% slower; table entries broadcast, 12% slower. */
#pragma once
#include "../base/cpu.h"
#include "dispatch.h"

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
#define PERMI_COMPENSATED 1 /* rounding errors and low parts to first order [Gra09] */
#define PERMI_DOUBLED 2     /* double-double, of exact double-double row sums */

#define PERMI_NEAR_N 12 /* >>small_kernels: columns from here on are far */

/* Of >>small_kernels: signs, and the signed sum over lanes of re, (im,) estimate, squares, 8 doubles each. */
static const double permi_lane_signs[3][8] PERMI_ALIGN64 = {
    {1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1, -1, -1}, {1, 1, 1, 1, -1, -1, -1, -1}};
static const double permi_lane_zero[2] = {0, 0};
static const double permi_parity_signs[32] = {1,  -1, -1, 1,  -1, 1,  1,  -1, -1, 1,  1,  -1, 1,  -1, -1, 1,
                                              -1, 1,  1,  -1, 1,  -1, -1, 1,  1,  -1, -1, 1,  -1, 1,  1,  -1};

static void permi_small_fold(double *lane, int width, int parts, int n, double *out)
{
  const double scale = 8.0 / (double)(1 << n); /* 2^-(n-3) */
  int part;
  for (part = 0; part <= parts + 1; part++, lane += 8) {
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

/* Adds the four bytes of x, which are equal, to each of 16. */
PERMI_UNUSED
static void permi_exact_nibbles(const uint8_t *from, uint32_t x, uint8_t *to)
{
  const uint64_t tops = UINT64_C(0x8080808080808080), y = (uint64_t)x << 32 | x;
  uint64_t word[2];
  int k;
  memcpy(word, from, sizeof word);
  for (k = 0; k < 2; k++)
    word[k] = ((word[k] & ~tops) + (y & ~tops)) ^ ((word[k] ^ y) & tops);
  memcpy(to, word, sizeof word);
}

#if PERMI_ARM
/* Sums of neighbouring products. */
PERMI_UNUSED PERMI_INLINE int64x2_t permi_pairs16_neon(int16x8_t a, int16x8_t b)
{
  return vreinterpretq_s64_s32(vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
}

/* A bit for each byte that is not 0. */
PERMI_UNUSED PERMI_INLINE uint64_t permi_nonzero8_neon(uint8x16_t a)
{
  static const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x8_t bits = vld1_u8(bit);
  const uint8x16_t set = vtstq_u8(a, a);
  return vaddv_u8(vand_u8(vget_low_u8(set), bits)) | (uint64_t)vaddv_u8(vand_u8(vget_high_u8(set), bits)) << 8;
}
#endif

#if !defined(PERM_NO_EXTRAS)
typedef void (*permi_small_minors_run)(int rows, int n, const double *a, double *out);
#endif

PERMI_UNUSED
static void permi_exact_empty(const uint64_t *lane, int width, int signs, uint64_t bias, permi_wide *total)
{
  int k;
  for (k = 0; k < width; k++) {
    permi_wide x;
    x.low = lane[k] - bias;
    if (signs & (k ^ k >> 1 ^ k >> 2))
      x.low = 0 - x.low;
    x.high = x.low >> 63 ? UINT64_MAX : 0;
    permi_wide_add(total, x);
  }
}

#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#endif
#if PERMI_ARM
#define PERMI_FAMILY neon
#define PERMI_FAMILY_WIDTH 2
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#include PERM_HEADER_FILE

typedef struct permi_kernel {
  perm_isa isa;
  permi_form form;
  int parts, product;
  int lane_columns, block_columns;
  int n_least; /* 16: K = 3 pays from there on */
  double rate; /* elements/s, one thread */
  permi_kernel_run run;
} permi_kernel;

/* The best first for each form. */
static const permi_kernel permi_kernels_real[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 3, 16, 2.4e10, permi_glynn_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 2, 7, 2.0e10, permi_glynn_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 3, 16, 1.9e10, permi_pair_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 2, 7, 1.6e10, permi_pair_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 3, 3, 7, 8.7e9, permi_split_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_COMPENSATED, 3, 3, 7, 5.3e9, permi_accurate_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 3, 3, 7, 2.6e9, permi_dd_real_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 2, 2, 6, 1.1e10, permi_glynn_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 2, 2, 6, 9e9, permi_pair_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 2, 3, 6, 4.7e9, permi_split_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_COMPENSATED, 2, 2, 5, 2.8e9, permi_accurate_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 2, 2, 5, 1.4e9, permi_dd_real_avx2},
#endif
#if PERMI_ARM /* not measured: two 128-bit pipes at 2.5 GHz */
    {PERM_ISA_NEON, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 1, 3, 6, 6e9, permi_glynn_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 1, 3, 6, 5e9, permi_pair_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 1, 3, 5, 2e9, permi_split_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_COMPENSATED, 1, 3, 5, 1.5e9, permi_accurate_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 1, 3, 5, 7e8, permi_dd_real_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 0, 2, 4, 1.8e9, permi_glynn_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 0, 2, 4, 1.6e9, permi_pair_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 0, 2, 3, 8e8, permi_split_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_COMPENSATED, 0, 2, 3, 2.8e8, permi_accurate_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 0, 2, 3, 2e8, permi_dd_real_plain},
};
#if !defined(PERM_NO_COMPLEX)
static const permi_kernel permi_kernels_complex[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 3, 2, 7, 7e9, permi_pair_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 3, 2, 6, 3.4e9, permi_split_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_COMPENSATED, 3, 2, 6, 8e8, permi_accurate_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 3, 2, 6, 5e8, permi_dd_complex_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 2, 1, 5, 3e9, permi_pair_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 2, 2, 5, 1.8e9, permi_split_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_COMPENSATED, 2, 1, 4, 4e8, permi_accurate_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 2, 1, 4, 2.6e8, permi_dd_complex_avx2},
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 1, 2, 5, 2e9, permi_pair_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 1, 2, 4, 9e8, permi_split_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_COMPENSATED, 1, 2, 4, 2e8, permi_accurate_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 1, 2, 4, 2e8, permi_dd_complex_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 0, 1, 3, 4.8e8, permi_pair_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 0, 1, 2, 2.6e8, permi_split_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_COMPENSATED, 0, 1, 2, 6e7, permi_accurate_complex_plain},
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
  int parts, lane_columns, block_columns;
  double rate;
  void (*run)(const permi_dense *dense, int least, uint64_t chunk, const permi_minors_work *work);
} permi_minors_kernel;

static const permi_minors_kernel permi_minors_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 3, 3, 1.2e10, permi_minors_real_avx512},
    {PERM_ISA_AVX2, 1, 2, 2, 6e9, permi_minors_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 3, 2, 4e9, permi_minors_complex_avx512},
    {PERM_ISA_AVX2, 2, 2, 1, 2e9, permi_minors_complex_avx2},
#endif
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, 1, 1, 3, 3e9, permi_minors_real_neon},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 1, 2, 1e9, permi_minors_complex_neon},
#endif
#endif
    {PERM_ISA_PLAIN, 1, 0, 2, 8e8, permi_minors_real_plain},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 0, 1, 2.4e8, permi_minors_complex_plain},
#endif
};
#endif

/* NULL only below n = 4. */
static const permi_kernel *permi_kernel_for(const permi_kernel_table *table, perm_isa isa, permi_form form, int product,
                                            int n)
{
  int i;
  for (i = 0; i < table->count; i++) {
    const permi_kernel *kernel = &table->kernel[i];
    if (kernel->isa <= isa && kernel->form == form && kernel->product == product && kernel->n_least <= n)
      return kernel;
  }
  return NULL;
}

static perm_isa permi_isa(const perm_options *options)
{
  return options->isa == PERM_ISA_AUTO || options->isa == PERM_ISA_CUDA ? permi_isa_best()
         : options->isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512
                                               : options->isa;
}
/* SPDX-License-Identifier: MIT */
