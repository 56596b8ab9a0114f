/* ========================================================================================== >>small
   n <= 16 without a plan. NaN and infinities fail the limits; the general path takes what is not accepted.
     n <= 4    Laplace expansion along halves of the rows: non-negative matrices lose only the last bits; accepted if at
               most five digits cancel or nothing is rounded
     5 .. 16   >>small_kernels, accepted if their own estimate is good
   Underflow, n <= 4: with |entries| <= 1e60 nothing exceeds 24e240; fewer than 200 operations underflow, each by
   2^-1074 times at most 2e120: below 1e-200; flushed to zero by 2^-1022, entries times at most 1e180: below 1e-126
   (n <= 8: below 1e-209). n <= 12: with |entries| (re, im) <= 1e12 a row sum is below 12 sqrt(2)
   1e12 < 1.7e13, all below 1.7e13^12 < 1e159; fewer than 1e6 operations underflow, each by 2^-1074 times at most
   1.7e13^11 < 4e145: below 2e-172. n <= 16: 2.3e13, 1e214, 1e7 operations, 3e200: below 2e-116. Values from 1e-110,
   1e-150, 1e-98 keep all bits (tests/proofs/small.g). */
#pragma once
#include "kernels.h"
#include "../base/doubles.h"

#define PERMI_SMALL_LEAST 1e-150
#define PERMI_FAR_LEAST 1e-98
#define PERMI_FOUR_LEAST 1e-110
#define PERMI_FOUR_CANCELLED 2e-5 /* of the sum of |terms|: in any mode 8 roundings leave 1e-10 */
#define PERMI_FOUR_LARGEST 1e60
#define PERMI_SMALL_N 16

static double permi_small(int n, const double *a)
{
  const double *b, *c, *d;
  if (n <= 1)
    return n ? a[0] : 1;
  b = a + n;
  if (n == 2)
    return a[0] * b[1] + a[1] * b[0];
  c = b + n;
  if (n == 3)
    return a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[0] * c[2] + b[2] * c[0]) + a[2] * (b[0] * c[1] + b[1] * c[0]);
  d = c + n;
  return (a[0] * b[1] + a[1] * b[0]) * (c[2] * d[3] + c[3] * d[2]) +
         (a[0] * b[2] + a[2] * b[0]) * (c[1] * d[3] + c[3] * d[1]) +
         (a[0] * b[3] + a[3] * b[0]) * (c[1] * d[2] + c[2] * d[1]) +
         (a[1] * b[2] + a[2] * b[1]) * (c[0] * d[3] + c[3] * d[0]) +
         (a[1] * b[3] + a[3] * b[1]) * (c[0] * d[2] + c[2] * d[0]) +
         (a[2] * b[3] + a[3] * b[2]) * (c[0] * d[1] + c[1] * d[0]);
}

/* Whether products of four entries are exact. */
static int permi_small_is_whole(int count, const double *a)
{
  int i, whole = 1;
  for (i = 0; i < count; i++) {
    const double x = fabs(a[i]);
    whole &= (x <= 1024) & ((double)(int)(x <= 1024 ? x : 0) == x) & ((x >= 1) | permi_is_zero(x));
  }
  return whole;
}

/* Whether they neither overflow nor underflow, flushed or not; false for NaN. Inlined, it costs batches of orders 5 to
   7 a tenth: gcc then copies their entries by slower code. */
PERMI_NEVER_INLINE static int permi_small_is_safe(int count, const double *a)
{
  int i, safe = 1;
  for (i = 0; i < count; i++)
    safe &= (fabs(a[i]) <= 1e75) & ((fabs(a[i]) >= 1e-75) | permi_is_zero(a[i]));
  return safe;
}

/* Of rows' sums of moduli and of squares, the products over all rows and over all but the least; a product of squares
   is at least that: where squares or products underflow, DBL_MIN stands for them. `moduli`: the sum of all, NaN if an
   entry is. */
typedef struct permi_small_size {
  double sums, squares, other_sums, other_squares, moduli;
} permi_small_size;

static permi_small_size permi_small_sizes_plain(int rows, int width, const double *a)
{
  permi_small_size size = {1, 1, 1, 1, 0};
  double least_sum = 1, least_square = 1;
  int i, j;
  for (i = 0; i < rows; i++, a += width) {
    double sum = 0, square = DBL_MIN;
    for (j = 0; j < width; j++) {
      sum += fabs(a[j]);
      square += a[j] * a[j];
    }
    size.moduli += sum;
    if (i) {
      size.other_sums *= sum > least_sum ? sum : least_sum;
      size.other_squares *= square > least_square ? square : least_square;
      size.other_squares = size.other_squares > DBL_MIN ? size.other_squares : DBL_MIN;
    }
    least_sum = i && least_sum < sum ? least_sum : sum;
    least_square = i && least_square < square ? least_square : square;
  }
  size.sums = size.other_sums * least_sum;
  size.squares = size.other_squares * least_square;
  size.squares = size.squares > DBL_MIN ? size.squares : DBL_MIN;
  return size;
}

#if PERMI_X86
/* A row's sum and sum of squares, each in two parts: lanes 0 and 2, 1 and 3. */
__attribute__((target("avx2,fma"))) PERMI_INLINE __m256d permi_small_line(const double *row, int vectors, __m256i mask)
{
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d x = _mm256_maskload_pd(row + 4 * (vectors - 1), mask);
  __m256d sum = _mm256_andnot_pd(sign, x), square = _mm256_mul_pd(x, x);
  int j;
  PERMI_UNROLL
  for (j = 0; j < vectors - 1; j++) {
    x = _mm256_loadu_pd(row + 4 * j);
    sum = _mm256_add_pd(sum, _mm256_andnot_pd(sign, x));
    square = _mm256_fmadd_pd(x, x, square);
  }
  return _mm256_add_pd(_mm256_unpacklo_pd(sum, square), _mm256_unpackhi_pd(sum, square));
}

/* Products over all rows alone: without the least and the others, and two rows in a vector, n = 12 complex takes 32
   ns, not 43. `vectors` of four: a constant, for a loop of unknown length costs its misprediction in every row. */
__attribute__((target("avx2,fma"))) PERMI_INLINE permi_small_size permi_small_sizes_rows(int rows, int width,
                                                                                         const double *a, int vectors)
{
  static const int64_t masks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(masks + (4 * vectors - width)));
  const __m256d bottom = _mm256_set_pd(DBL_MIN, 0, DBL_MIN, 0);
  const __m128d least = _mm256_castpd256_pd128(bottom);
  __m256d pairs = _mm256_set1_pd(1), moduli = _mm256_setzero_pd();
  __m128d all, sum;
  permi_small_size size = {0, 0, 0, 0, 0};
  int i;
  for (i = 1; i < rows; i += 2, a += 2 * width) {
    const __m256d x = permi_small_line(a, vectors, mask), y = permi_small_line(a + width, vectors, mask);
    const __m256d pair = _mm256_add_pd(_mm256_permute2f128_pd(x, y, 0x20), _mm256_permute2f128_pd(x, y, 0x31));
    moduli = _mm256_add_pd(moduli, pair);
    pairs = _mm256_max_pd(_mm256_mul_pd(pairs, _mm256_max_pd(pair, bottom)), bottom);
  }
  sum = _mm_add_pd(_mm256_castpd256_pd128(moduli), _mm256_extractf128_pd(moduli, 1));
  all = _mm_max_pd(_mm_mul_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)), least);
  if (i == rows) {
    const __m256d x = permi_small_line(a, vectors, mask);
    const __m128d line = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    sum = _mm_add_pd(sum, line);
    all = _mm_max_pd(_mm_mul_pd(all, _mm_max_pd(line, least)), least);
  }
  size.sums = _mm_cvtsd_f64(all);
  size.squares = _mm_cvtsd_f64(_mm_unpackhi_pd(all, all));
  size.moduli = _mm_cvtsd_f64(sum);
  return size;
}

__attribute__((target("avx2,fma"))) static permi_small_size permi_small_sizes_avx2(int rows, int width,
                                                                                   const double *a)
{
  switch ((width + 3) / 4) {
  case 1: return permi_small_sizes_rows(rows, width, a, 1);
  case 2: return permi_small_sizes_rows(rows, width, a, 2);
  case 3: return permi_small_sizes_rows(rows, width, a, 3);
  case 4: return permi_small_sizes_rows(rows, width, a, 4);
  case 5: return permi_small_sizes_rows(rows, width, a, 5);
  case 6: return permi_small_sizes_rows(rows, width, a, 6);
  case 7: return permi_small_sizes_rows(rows, width, a, 7);
  default: return permi_small_sizes_rows(rows, width, a, 8);
  }
}
#endif

/* 1 <= rows, width <= 2 PERMI_SMALL_N. Products over all but the least row: permi_small_sizes_plain. */
static permi_small_size permi_small_sizes(perm_isa isa, int rows, int width, const double *a)
{
#if PERMI_X86
  if (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)
    return permi_small_sizes_avx2(rows, width, a);
#endif
  (void)isa;
  return permi_small_sizes_plain(rows, width, a);
}

static int permi_small_expansion_stands(int n, int width, const double *a, double value)
{
  double products = 1, moduli = 0;
  int i, j;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (j = 0; j < width; j++)
      sum += fabs(a[i * width + j]);
    products *= sum;
    moduli += sum;
  }
  return (moduli <= PERMI_FOUR_LARGEST && value >= PERMI_FOUR_LEAST && value >= PERMI_FOUR_CANCELLED * products) ||
         permi_small_is_whole(n * width, a) ||
         (value >= PERMI_FOUR_CANCELLED * products && permi_small_is_safe(n * width, a));
}

#if PERMI_X86
/* n = 4: column products in lanes {01, 12, 23, 30} and {02, 13}; rows c, d load with halves exchanged, so lanes meet
   their complements. Returns whether the value is good: max_pd may lose a NaN, the value does not. */
__attribute__((target("avx2,fma"))) static int permi_small_four_avx2(const double *a, double *value)
{
  const __m128d a0 = _mm_loadu_pd(a), a1 = _mm_loadu_pd(a + 2), b0 = _mm_loadu_pd(a + 4), b1 = _mm_loadu_pd(a + 6);
  const __m128d c0 = _mm_loadu_pd(a + 8), c1 = _mm_loadu_pd(a + 10), d0 = _mm_loadu_pd(a + 12);
  const __m128d d1 = _mm_loadu_pd(a + 14);
  const __m256d x = _mm256_loadu_pd(a), y = _mm256_loadu_pd(a + 4), sign = _mm256_set1_pd(-0.0);
  const __m256d z = _mm256_insertf128_pd(_mm256_castpd128_pd256(c1), c0, 1);
  const __m256d w = _mm256_insertf128_pd(_mm256_castpd128_pd256(d1), d0, 1);
  const __m256d top = _mm256_fmadd_pd(x, _mm256_permute4x64_pd(y, 0x39), /* lane i: columns i, i + 1 */
                                      _mm256_mul_pd(_mm256_permute4x64_pd(x, 0x39), y));
  const __m256d bottom = _mm256_fmadd_pd(z, _mm256_permute4x64_pd(w, 0x39), /* columns i + 2, i + 3 */
                                         _mm256_mul_pd(_mm256_permute4x64_pd(z, 0x39), w));
  const __m128d across = _mm_fmadd_pd(a0, b1, _mm_mul_pd(a1, b0)); /* columns 02, 13 */
  const __m128d below = _mm_fmadd_pd(c0, d1, _mm_mul_pd(c1, d0));
  const __m256d products = _mm256_mul_pd(top, bottom);
  const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(products), _mm256_extractf128_pd(products, 1));
  const __m128d sum = _mm_fmadd_pd(across, _mm_shuffle_pd(below, below, 1), halves);
  const __m256d lower = _mm256_max_pd(_mm256_andnot_pd(sign, z), _mm256_andnot_pd(sign, w));
  const __m256d large = _mm256_max_pd(_mm256_max_pd(_mm256_andnot_pd(sign, x), _mm256_andnot_pd(sign, y)),
                                      _mm256_permute4x64_pd(lower, 0x4e));
  const int too_large = _mm256_movemask_pd(_mm256_cmp_pd(large, _mm256_set1_pd(PERMI_FOUR_LARGEST), _CMP_NLE_UQ));
  const __m128d two = _mm_mul_pd(_mm256_castpd256_pd128(large), _mm256_extractf128_pd(large, 1));
  const double most = 24 * _mm_cvtsd_f64(_mm_mul_sd(two, _mm_unpackhi_pd(two, two))); /* bounds the sum of |terms| */
  *value = _mm_cvtsd_f64(_mm_add_sd(sum, _mm_unpackhi_pd(sum, sum)));
  _mm256_zeroupper();
  return !too_large && fabs(*value) >= PERMI_FOUR_LEAST && fabs(*value) >= PERMI_FOUR_CANCELLED * most;
}
#endif

typedef void (*permi_small_run)(int n, const double *a, double *out);

/* At least how often a product of n entries, one of each row, is rounded on its way into a kernel's value: n - 3
   times in each row's sum, n + 13 in the products of pairs (complex), 2^(n-3) + 5 in the sums over signs and lanes; in
   >>minors_dense n - 1 times in each row's sum, 2 (n - 1) in products, 2^(n-3) + n + 8 in sums
   (tests/proofs/small_orders.sh). */
static double permi_small_roundings(int n)
{
  return (1 << (n < 3 ? 0 : n - 3)) + n * (n + 3) + 8;
}

static permi_small_run permi_small_kernel_real(perm_isa isa, int n)
{
#if PERMI_X86
  if (isa == PERM_ISA_AVX512 && n > 5)
    return n == 6    ? permi_small_real_n6_avx512
           : n == 7  ? permi_small_real_n7_avx512
           : n == 8  ? permi_small_real_n8_avx512
           : n == 12 ? permi_small_real_n12_avx512
                     : permi_small_real_avx512;
  if (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)
    return n == 5 ? permi_small_real_n5_avx2 : n == 6 ? permi_small_real_n6_avx2 : permi_small_real_avx2;
#endif
#if PERMI_ARM
  if (isa == PERM_ISA_NEON)
    return permi_small_real_neon;
#endif
  (void)isa;
  return n == 5 ? permi_small_real_n5_plain : permi_small_real_plain;
}

/* At least the product of the rows' sums of squares: their mean to the power n. */
static double permi_small_scale(int n, double squares)
{
  double power = squares / n, scale = n & 1 ? power : 1;
  power *= power;
  scale *= n & 2 ? power : 1;
  power *= power;
  scale *= n & 4 ? power : 1;
  power *= power;
  return scale * (n & 8 ? power : 1) * (n & 16 ? power * power : 1);
}

/* Whether a kernel's value stands. `absolute` is within a factor 2 of a sum of moduli and pairs of rows round twice: 4
   n u. Row sums round by about u times their norm, which moduli miss where they cancel: 4 n u times the norms' product.
   NaN and overflow fail: below 1e24 (n > 12: 1e19) neither the norms' product nor modulus^2 overflows. */
static int permi_small_stands(perm_isa isa, int n, int parts, const double *a, double modulus, double absolute,
                              double squares)
{
  const double unit = 4e10 * n * PERMI_UNIT, square = unit * unit;
  modulus -= unit * absolute;
  return squares <= (n > PERMI_NEAR_N ? 1e19 : 1e24) &&
         modulus >= (n > PERMI_NEAR_N ? PERMI_FAR_LEAST : PERMI_SMALL_LEAST) &&
         (square * permi_small_scale(n, squares) <= modulus * modulus ||
          square * permi_small_sizes(isa, n, n * parts, a).squares <= modulus * modulus);
}

/* Returns 1, or 0: take the general path. 2 <= n <= 16, isa not AUTO. out: the value; n > 4: two more, see
   >>small_kernels. */
static int permi_small_real(perm_isa isa, int n, const double *a, double *out)
{
  if (n > 4) {
    permi_small_kernel_real(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 1, a, fabs(out[0]), out[1], out[2]);
  }
#if PERMI_X86
  if (n == 4 && (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)) {
    if (permi_small_four_avx2(a, out))
      return 1;
  } else
#endif
    out[0] = permi_small(n, a);
  return permi_small_expansion_stands(n, n, a, fabs(out[0]));
}

#if defined(PERM_NO_COMPLEX)
static int permi_small_complex(perm_isa isa, int n, const double *a, double *out)
{
  (void)isa;
  (void)n;
  (void)a;
  (void)out;
  return 0;
}
#else
static permi_small_run permi_small_kernel_complex(perm_isa isa, int n)
{
#if PERMI_X86
  if (isa == PERM_ISA_AVX512 && n > 5)
    return n == 6 ? permi_small_complex_n6_avx512 : n == 7 ? permi_small_complex_n7_avx512 : permi_small_complex_avx512;
  if (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)
    return n == 5 ? permi_small_complex_n5_avx2 : permi_small_complex_avx2;
#endif
#if PERMI_ARM
  if (isa == PERM_ISA_NEON)
    return permi_small_complex_neon;
#endif
  (void)isa;
  (void)n;
  return permi_small_complex_plain;
}

typedef struct permi_complex {
  double re, im;
} permi_complex;

static inline permi_complex permi_complex_times(permi_complex a, permi_complex b)
{
  permi_complex r;
  r.re = a.re * b.re - a.im * b.im;
  r.im = a.re * b.im + a.im * b.re;
  return r;
}

static inline permi_complex permi_complex_plus(permi_complex a, permi_complex b)
{
  a.re += b.re;
  a.im += b.im;
  return a;
}

static inline permi_complex permi_complex_entry(const double *a, int i)
{
  permi_complex r;
  r.re = a[2 * i];
  r.im = a[2 * i + 1];
  return r;
}

static inline permi_complex permi_complex_two(const double *a, const double *b, int i, int j)
{
  return permi_complex_plus(permi_complex_times(permi_complex_entry(a, i), permi_complex_entry(b, j)),
                            permi_complex_times(permi_complex_entry(a, j), permi_complex_entry(b, i)));
}

/* Columns i, j of two rows times k, l of the next two. */
static inline permi_complex permi_complex_four(const double *a, int i, int j, int k, int l)
{
  return permi_complex_times(permi_complex_two(a, a + 8, i, j), permi_complex_two(a + 16, a + 24, k, l));
}

static PERMI_ALWAYS_INLINE permi_complex permi_small_expand_complex(int n, const double *a)
{
  permi_complex x, y, z;
  if (n == 2)
    return permi_complex_two(a, a + 4, 0, 1);
  if (n == 3) {
    x = permi_complex_times(permi_complex_entry(a, 0), permi_complex_two(a + 6, a + 12, 1, 2));
    y = permi_complex_times(permi_complex_entry(a, 1), permi_complex_two(a + 6, a + 12, 0, 2));
    z = permi_complex_times(permi_complex_entry(a, 2), permi_complex_two(a + 6, a + 12, 0, 1));
  } else {
    x = permi_complex_plus(permi_complex_four(a, 0, 1, 2, 3), permi_complex_four(a, 2, 3, 0, 1));
    y = permi_complex_plus(permi_complex_four(a, 0, 2, 1, 3), permi_complex_four(a, 1, 3, 0, 2));
    z = permi_complex_plus(permi_complex_four(a, 0, 3, 1, 2), permi_complex_four(a, 1, 2, 0, 3));
  }
  return permi_complex_plus(permi_complex_plus(x, y), z);
}

static int permi_small_complex(perm_isa isa, int n, const double *a, double *out)
{
  permi_complex sum;
  if (n > 4) {
    permi_small_kernel_complex(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 2, a, fmax(fabs(out[0]), fabs(out[1])), out[2], out[3]);
  }
  sum = permi_small_expand_complex(n, a);
  out[0] = sum.re;
  out[1] = sum.im;
  return permi_small_expansion_stands(n, 2 * n, a, fmax(fabs(sum.re), fabs(sum.im)));
}
#endif /* PERM_NO_COMPLEX */

/* The same for either, the value alone. Inlined and without memcpy, batches of order 2 take 8 ns a matrix, not 10. */
PERMI_UNUSED PERMI_INLINE int permi_small_value(perm_isa isa, int n, int parts, const double *a, double *value)
{
  double room[4], *out = n > 4 ? room : value;
  const int stands = parts == 2 ? permi_small_complex(isa, n, a, out) : permi_small_real(isa, n, a, out);
  if (n > 4) {
    value[0] = out[0];
    value[parts - 1] = out[parts - 1];
  }
  return stands;
}
/* SPDX-License-Identifier: MIT */
