/* ========================================================================================== >>small
   n <= 16 without a plan. The general path takes what is not accepted, NaN and infinities too.
     n <= 4    Laplace expansion along halves of the rows, if at most five digits cancel or nothing is rounded
     5 .. 16   >>small_kernels, if their own estimate is good
   Underflow spares values from PERMI_FOUR_LEAST (n <= 4, |entries| <= 1e60), PERMI_SMALL_LEAST (n <= 12) and
   PERMI_FAR_LEAST on (parts <= 1e12): tests/proofs/small.g. Bound: a product of n entries is rounded at most K =
   permi_small_roundings times, in expansions 16: |error| is at most K u / (1 - K u) times prod_i sum_j |a_ij|, |re| +
   |im| for moduli, in expansions per |A| [Hig02, 3.1]. */
#pragma once
#include "kernels.h"
#include "../base/doubles.h"
#include "../base/memory.h"

#define PERMI_SMALL_LEAST 1e-150
#define PERMI_FAR_LEAST 1e-98
#define PERMI_FOUR_LEAST 1e-110
#define PERMI_FOUR_CANCELLED 2e-5 /* of the sum of |terms|: 8 roundings leave 1e-10 */
#define PERMI_FOUR_LARGEST 1e60
#define PERMI_SMALL_N 16

static double permi_small(int n, const double *a)
{
  if (n <= 1)
    return n ? a[0] : 1;
  const double *b = a + n;
  if (n == 2)
    return a[0] * b[1] + a[1] * b[0];
  const double *c = b + n;
  if (n == 3)
    return a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[0] * c[2] + b[2] * c[0]) + a[2] * (b[0] * c[1] + b[1] * c[0]);
  const double *d = c + n;
  return (a[0] * b[1] + a[1] * b[0]) * (c[2] * d[3] + c[3] * d[2]) +
         (a[0] * b[2] + a[2] * b[0]) * (c[1] * d[3] + c[3] * d[1]) +
         (a[0] * b[3] + a[3] * b[0]) * (c[1] * d[2] + c[2] * d[1]) +
         (a[1] * b[2] + a[2] * b[1]) * (c[0] * d[3] + c[3] * d[0]) +
         (a[1] * b[3] + a[3] * b[1]) * (c[0] * d[2] + c[2] * d[0]) +
         (a[2] * b[3] + a[3] * b[2]) * (c[0] * d[1] + c[1] * d[0]);
}

/* Returns 1 if all are integers up to `most`; subnormal numbers, flushed or not, are none. */
static int permi_small_all_whole(int entries, const double *a, double most)
{
  int i, whole = 1;
  for (i = 0; i < entries && whole; i++)
    whole = fabs(a[i]) <= most && (double)(int64_t)a[i] == a[i] && (fabs(a[i]) >= 1 || permi_is_zero(a[i]));
  return whole;
}

/* Returns 1 if products of four neither overflow nor underflow; 0 for NaN. */
PERMI_NEVER_INLINE static int permi_small_is_safe(int count, const double *a)
{
  int i, safe = 1;
  for (i = 0; i < count; i++)
    safe &= (fabs(a[i]) <= 1e75) & ((fabs(a[i]) >= 1e-75) | permi_is_zero(a[i]));
  return safe;
}

/* Products of the rows' sums of moduli and of squares (at least DBL_MIN), over all rows and over all but the least.
   `moduli` is the sum of all, or NaN. */
typedef struct permi_small_size {
  double sums, squares, other_sums, other_squares, moduli;
} permi_small_size;

static permi_small_size permi_small_sizes_plain(int rows, int width, const double *a)
{
  permi_small_size size = {1, 1, 1, 1, 0};
  double least_sum = 1, least_square = 1;
  for (int i = 0; i < rows; i++, a += width) {
    double sum = 0, square = DBL_MIN;
    for (int j = 0; j < width; j++) {
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
/* Returns the products over all rows only. */
__attribute__((target("avx2,fma"))) static permi_small_size permi_small_sizes_avx2(int rows, int width,
                                                                                   const double *a)
{
  static const int64_t masks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const int end = (width - 1) / 4 * 4;
  const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(masks + (end + 4 - width)));
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m128d least = _mm_set_pd(DBL_MIN, 0);
  __m128d even = _mm_set1_pd(1), odd = even, moduli = _mm_setzero_pd(); /* they change places */
  permi_small_size size = {0, 0, 0, 0, 0};
  for (int i = 0; i < rows; i++, a += width) {
    __m256d x = _mm256_maskload_pd(a + end, mask), sum = _mm256_andnot_pd(sign, x), square = _mm256_mul_pd(x, x);
    for (int j = 0; j < end; j += 4) {
      x = _mm256_loadu_pd(a + j);
      sum = _mm256_add_pd(sum, _mm256_andnot_pd(sign, x));
      square = _mm256_fmadd_pd(x, x, square);
    }
    x = _mm256_add_pd(_mm256_unpacklo_pd(sum, square), _mm256_unpackhi_pd(sum, square));
    __m128d line = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    moduli = _mm_add_pd(moduli, line);
    line = _mm_max_pd(line, least);
    if (i == rows - 1 && i % 2 == 0)
      odd = _mm_max_pd(_mm_mul_pd(even, odd), least);
    else
      line = _mm_max_pd(_mm_mul_pd(even, line), least);
    even = odd;
    odd = line;
  }
  odd = _mm_max_pd(_mm_mul_pd(even, odd), least);
  size.sums = _mm_cvtsd_f64(odd);
  size.squares = _mm_cvtsd_f64(_mm_unpackhi_pd(odd, odd));
  size.moduli = _mm_cvtsd_f64(moduli);
  _mm256_zeroupper();
  return size;
}
#endif

/* 1 <= rows, width <= 2 PERMI_SMALL_N. Only permi_small_sizes_plain leaves out the least row. */
static permi_small_size permi_small_sizes(perm_isa isa, int rows, int width, const double *a)
{
#if PERMI_X86
  if (permi_lanes(isa) >= 4)
    return permi_small_sizes_avx2(rows, width, a);
#endif
  (void)isa;
  return permi_small_sizes_plain(rows, width, a);
}

static int permi_small_expansion_stands(int n, int width, const double *a, double value)
{
  double products = 1, moduli = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < width; j++)
      sum += fabs(a[i * width + j]);
    products *= sum;
    moduli += sum;
  }
  return (moduli <= PERMI_FOUR_LARGEST && value >= PERMI_FOUR_LEAST && value >= PERMI_FOUR_CANCELLED * products) ||
         permi_small_all_whole(n * width, a, 1024) || /* products of four are exact */
         (value >= PERMI_FOUR_CANCELLED * products && permi_small_is_safe(n * width, a));
}

#if PERMI_X86
/* Returns 1 if the value for n = 4 is good (max_pd may lose a NaN, the value does not). Column products are in lanes
   {01, 12, 23, 30} and {02, 13}; rows c, d have halves exchanged. */
__attribute__((target("avx2,fma"))) static int permi_small_four_avx2(const double *a, double *value)
{
  const __m128d a0 = _mm_loadu_pd(a), a1 = _mm_loadu_pd(a + 2), b0 = _mm_loadu_pd(a + 4), b1 = _mm_loadu_pd(a + 6);
  const __m128d c0 = _mm_loadu_pd(a + 8), c1 = _mm_loadu_pd(a + 10), d0 = _mm_loadu_pd(a + 12);
  const __m128d d1 = _mm_loadu_pd(a + 14);
  const __m256d x = _mm256_loadu_pd(a), y = _mm256_loadu_pd(a + 4), sign = _mm256_set1_pd(-0.0);
  const __m256d z = _mm256_insertf128_pd(_mm256_castpd128_pd256(c1), c0, 1);
  const __m256d w = _mm256_insertf128_pd(_mm256_castpd128_pd256(d1), d0, 1);
  const __m256d top = _mm256_fmadd_pd(x, _mm256_permute4x64_pd(y, 0x39),
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
  const double most = 24 * _mm_cvtsd_f64(_mm_mul_sd(two, _mm_unpackhi_pd(two, two))); /* at least the sum of |terms| */
  *value = _mm_cvtsd_f64(_mm_add_sd(sum, _mm_unpackhi_pd(sum, sum)));
  _mm256_zeroupper();
  return !too_large && fabs(*value) >= PERMI_FOUR_LEAST && fabs(*value) >= PERMI_FOUR_CANCELLED * most;
}
#endif

typedef void (*permi_small_run)(int n, const double *a, double *out);

/* Returns at least how often a product of n entries is rounded, in >>minors_dense too
   (tests/proofs/small_orders.sh). */
static double permi_small_roundings(int n)
{
  return (1 << (n < 3 ? 0 : n - 3)) + n * (n + 3) + 8;
}

static permi_small_run permi_small_kernel_real(perm_isa isa, int n)
{
  const int lanes = permi_lanes(isa);
#if PERMI_X86
  if (lanes == 8 && n > 5)
    return n == 6   ? permi_small_real_n6_avx512
           : n == 7 ? permi_small_real_n7_avx512
           : n == 8 ? permi_small_real_n8_avx512
                    : permi_small_real_avx512;
  if (lanes >= 4)
    return n == 5 ? permi_small_real_n5_avx2 : n == 6 ? permi_small_real_n6_avx2 : permi_small_real_avx2;
#endif
  return n == 5 && lanes == 1 ? permi_small_real_n5_plain : PERMI_OF_FAMILY(permi_small_real, isa);
}

/* Returns at least the product of the rows' sums of squares. */
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

/* Returns 1 if a kernel's value stands. `absolute` is within a factor 2 of a sum of moduli and pairs round twice: 4 n
   u. Row sums round by u times their norm, which moduli miss: 4 n u times the norms' product. Below 1e24 (n > 12: 1e19)
   neither that nor modulus^2 overflows; NaN fails. */
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

/* Sets out to the value, for n > 4 to two numbers more (>>small_kernels). Returns 0 for the general path. 2 <= n <= 16,
   isa not AUTO. */
static int permi_small_real(perm_isa isa, int n, const double *a, double *out)
{
  if (n > 4) {
    permi_small_kernel_real(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 1, a, fabs(out[0]), out[1], out[2]);
  }
#if PERMI_X86
  if (n == 4 && permi_lanes(isa) >= 4) {
    if (permi_small_four_avx2(a, out))
      return 1;
  } else
#endif
    out[0] = permi_small(n, a);
  return permi_small_expansion_stands(n, n, a, fabs(out[0]));
}

#if !defined(PERM_NO_COMPLEX)
static permi_small_run permi_small_kernel_complex(perm_isa isa, int n)
{
#if PERMI_X86
  const int lanes = permi_lanes(isa);
  if (lanes == 8 && n > 5)
    return n == 6 ? permi_small_complex_n6_avx512 : n == 7 ? permi_small_complex_n7_avx512 : permi_small_complex_avx512;
  if (lanes >= 4)
    return n == 5 ? permi_small_complex_n5_avx2 : permi_small_complex_avx2;
#endif
  (void)n;
  return PERMI_OF_FAMILY(permi_small_complex, isa);
}

PERMI_INLINE permi_number_plain permi_complex_entries(const double *a, const double *b, int i, int j)
{
  return permi_times_plain(permi_spread_plain(a + 2 * i, 1, 2), permi_spread_plain(b + 2 * j, 1, 2), 2);
}

PERMI_INLINE permi_number_plain permi_complex_two(const double *a, const double *b, int i, int j)
{
  return permi_plus_plain(permi_complex_entries(a, b, i, j), permi_complex_entries(a, b, j, i));
}

/* Returns columns i, j of two rows times k, l of the next, plus k, l times i, j. */
PERMI_INLINE permi_number_plain permi_complex_four(const double *a, int i, int j, int k, int l)
{
  const double *b = a + 8, *c = a + 16, *d = a + 24;
  return permi_plus_plain(permi_times_plain(permi_complex_two(a, b, i, j), permi_complex_two(c, d, k, l), 2),
                          permi_times_plain(permi_complex_two(a, b, k, l), permi_complex_two(c, d, i, j), 2));
}

PERMI_INLINE permi_number_plain permi_small_expand_complex(int n, const double *a)
{
  permi_number_plain x, y, z;
  if (n == 2)
    return permi_complex_two(a, a + 4, 0, 1);
  if (n == 3) {
    x = permi_times_plain(permi_spread_plain(a, 1, 2), permi_complex_two(a + 6, a + 12, 1, 2), 2);
    y = permi_times_plain(permi_spread_plain(a + 2, 1, 2), permi_complex_two(a + 6, a + 12, 0, 2), 2);
    z = permi_times_plain(permi_spread_plain(a + 4, 1, 2), permi_complex_two(a + 6, a + 12, 0, 1), 2);
  } else {
    x = permi_complex_four(a, 0, 1, 2, 3);
    y = permi_complex_four(a, 0, 2, 1, 3);
    z = permi_complex_four(a, 0, 3, 1, 2);
  }
  return permi_plus_plain(permi_plus_plain(x, y), z);
}
#endif

static int permi_small_complex(perm_isa isa, int n, const double *a, double *out)
{
#if defined(PERM_NO_COMPLEX)
  (void)isa, (void)n, (void)a, (void)out;
  return 0;
#else
  if (n > 4) {
    permi_small_kernel_complex(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 2, a, fmax(fabs(out[0]), fabs(out[1])), out[2], out[3]);
  }
  permi_number_plain sum = permi_small_expand_complex(n, a);
  out[0] = sum.re;
  out[1] = sum.im;
  return permi_small_expansion_stands(n, 2 * n, a, fmax(fabs(sum.re), fabs(sum.im)));
#endif
}

/* Inlined and without memcpy for batches. */
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

/* Returns 1 if kernels round nothing: integers, 2^(n-3) prod_i R_i below 2^53 (>>small_exact). */
static int permi_small_rounds_nothing(int n, int entries, const double *a, double products)
{
  return products * (1 << (n < 4 ? 0 : n - 3)) < 9007199254740992.0 &&
         permi_small_all_whole(entries, a, 9007199254740991.0);
}

#define PERMI_WRITTEN_OUT_N 12 /* lines, with copies */

/* Multiplicities of lines; NULL: once each. */
typedef struct permi_copies {
  int m, n;
  const void *a;
  ptrdiff_t ld;
  const int *row_count, *column_count;
} permi_copies;

/* Returns 1 and a result if the value stands, not 0 and estimated to be right to 1e-10. 2 <= n <= 16, isa not AUTO. */
static int permi_small_result(perm_isa isa, int n, int parts, const double *a, ptrdiff_t ld, perm_result *result)
{
  double tight[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4], largest, bound, estimate;
  const int width = n * parts;
  if (ld != n) {
    for (int i = 0; i < n; i++)
      memcpy(tight + i * width, a + i * ld * parts, (size_t)width * sizeof *a);
    a = tight;
  }
  if (n < 4)
    isa = PERM_ISA_PLAIN;
  if (!(parts == 2 ? permi_small_complex(isa, n, a, out) : permi_small_real(isa, n, a, out)) ||
      (out[0] == 0 && (parts == 1 || out[1] == 0)) || permi_not_finite(out[0]) || permi_not_finite(out[parts - 1]))
    return 0;
  largest = fabs(out[0]) > fabs(out[parts - 1]) ? fabs(out[0]) : fabs(out[parts - 1]);
  if (n > 4) {
    const permi_small_size size = permi_small_sizes(isa, n, width, a);
    bound = 1.001 * PERMI_UNIT * permi_small_roundings(n) * size.sums + (n > PERMI_NEAR_N ? 1e-114 : 1e-170);
    estimate = 4 * n * PERMI_UNIT * (out[parts] + sqrt(size.squares));
    estimate = estimate < bound ? estimate : bound;
    if (permi_small_rounds_nothing(n, n * width, a, size.sums))
      bound = estimate = 0;
  } else {
    double moduli[16];
    for (int i = 0; i < n * n; i++)
      moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
    bound = 16 * PERMI_UNIT * 1.001 * permi_small(n, moduli) + 1e-200;
    estimate = 0.1 * bound;
    if (permi_small_all_whole(n * width, a, 9007199254740991.0) &&
        permi_small_sizes_plain(n, width, a).sums * (n < 4 ? 1 : 2) < 9007199254740992.0)
      bound = estimate = 0;
    if (estimate > 1e-10 * largest)
      return 0;
  }
  permi_result_clear_brief(result);
  result->value = out[0];
  result->imaginary = parts == 2 ? out[1] : 0;
  result->error_bound = bound;
  result->error_estimate = estimate;
  permi_result_by(result, parts, n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION, PERM_PRECISION_DEFAULT, isa,
                  (double)(1 << (n - 1)));
  return 1;
}

/* Writes the matrix, doubles or 64-bit integers, with its copies. Returns the number of columns, 0 if that is not 1 to
   PERMI_WRITTEN_OUT_N or not `missing` above that of rows. */
static int permi_small_write_out(const permi_copies *from, int parts, int missing, void *full)
{
  const int *const count[2] = {from->row_count, from->column_count};
  const size_t entry = 8 * (size_t)parts;
  char *to = (char *)full;
  int total[2] = {0, 0}, side, i, j, k, copy;
  for (side = 0; side < 2; side++)
    for (i = 0; i < (side ? from->n : from->m); i++) {
      const int times = count[side] ? count[side][i] : 1;
      if (times < 0 || times > PERMI_WRITTEN_OUT_N || (total[side] += times) > PERMI_WRITTEN_OUT_N)
        return 0;
    }
  if (total[0] + missing != total[1])
    return 0;
  for (i = 0; i < from->m; i++) {
    const char *row = (const char *)from->a + (size_t)i * (size_t)from->ld * entry;
    const int times = count[0] ? count[0][i] : 1;
    char *first = to;
    for (j = 0; j < from->n && times; j++)
      for (k = 0; k < (count[1] ? count[1][j] : 1); k++, to += entry) {
        memcpy(to, row + (size_t)j * entry, 8);
        if (parts == 2)
          memcpy(to + 8, row + (size_t)j * entry + 8, 8);
      }
    for (copy = 1; copy < times; copy++, to += (size_t)total[1] * entry)
      memcpy(to, first, (size_t)total[1] * entry);
  }
  return total[1];
}
/* SPDX-License-Identifier: MIT */
