/* The yardsticks of the exact engine: plain Gray-code programs for integer matrices, one term at a time. Compiled at
   -O3 by `make bench`. BENCH_LIMBS: 64-bit words of a product, fixed. */
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 bench_wide;

/* Row sums as they are, products modulo 2^128: right for matrices whose terms sum to less than 2^127. */
bench_wide bench_exact_wide(int n, const int64_t *a)
{
  int64_t x[64], step[64 * 64];
  bench_wide total = 0;
  uint64_t s, last = UINT64_C(1) << (n - 1);
  int i, j;
  for (i = 0; i < n; i++) {
    x[i] = 0;
    for (j = 0; j < n; j++) {
      x[i] += a[i * n + j];
      step[j * n + i] = 2 * a[i * n + j];
    }
  }
  for (s = 1;; s++) {
    bench_wide product = 1;
    const int64_t *column;
    for (i = 0; i < n; i++)
      product *= (bench_wide)(__int128)x[i];
    total = s & 1 ? total + product : total - product;
    if (s == last)
      break;
    column = step + (size_t)__builtin_ctzll(s) * (size_t)n;
    if ((s ^ s >> 1) >> __builtin_ctzll(s) & 1)
      for (i = 0; i < n; i++)
        x[i] -= column[i];
    else
      for (i = 0; i < n; i++)
        x[i] += column[i];
  }
  return total;
}

/* The same of Gaussian integers: total[0] + i total[1], entries' parts alternate. */
void bench_exact_gaussian(int n, const int64_t *a, bench_wide *total)
{
  int64_t x[128], step[2 * 64 * 64];
  uint64_t s, last = UINT64_C(1) << (n - 1);
  const int size = 2 * n;
  int i, j;
  total[0] = total[1] = 0;
  for (i = 0; i < size; i++) {
    x[i] = 0;
    for (j = 0; j < n; j++) {
      x[i] += a[(i / 2 * n + j) * 2 + i % 2];
      step[j * size + i] = 2 * a[(i / 2 * n + j) * 2 + i % 2];
    }
  }
  for (s = 1;; s++) {
    __int128 re = 1, im = 0;
    const int64_t *column;
    for (i = 0; i < size; i += 2) {
      const __int128 was = re;
      re = re * x[i] - im * x[i + 1];
      im = was * x[i + 1] + im * x[i];
    }
    total[0] += (bench_wide)(s & 1 ? re : -re);
    total[1] += (bench_wide)(s & 1 ? im : -im);
    if (s == last)
      break;
    column = step + (size_t)__builtin_ctzll(s) * (size_t)size;
    if ((s ^ s >> 1) >> __builtin_ctzll(s) & 1)
      for (i = 0; i < size; i++)
        x[i] -= column[i];
    else
      for (i = 0; i < size; i++)
        x[i] += column[i];
  }
}

/* Magnitudes of `limbs` words times row sums, signs apart. */
#define BENCH_LIMBS(limbs)                                                                                             \
  void bench_exact_limbs##limbs(int n, const int64_t *a, uint64_t *total)                                              \
  {                                                                                                                    \
    int64_t x[64], step[64 * 64];                                                                                      \
    uint64_t s, last = UINT64_C(1) << (n - 1);                                                                         \
    int i, j, k;                                                                                                       \
    memset(total, 0, limbs * sizeof *total);                                                                           \
    for (i = 0; i < n; i++) {                                                                                          \
      x[i] = 0;                                                                                                        \
      for (j = 0; j < n; j++) {                                                                                        \
        x[i] += a[i * n + j];                                                                                          \
        step[j * n + i] = 2 * a[i * n + j];                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
    for (s = 1;; s++) {                                                                                                \
      uint64_t product[limbs] = {1};                                                                                   \
      int negative = !(s & 1);                                                                                         \
      const int64_t *column;                                                                                           \
      bench_wide t = 0;                                                                                                \
      for (i = 0; i < n; i++) {                                                                                        \
        uint64_t y = x[i] < 0 ? 0 - (uint64_t)x[i] : (uint64_t)x[i];                                                   \
        negative ^= x[i] < 0;                                                                                          \
        for (k = 0, t = 0; k < limbs; k++) {                                                                           \
          t += (bench_wide)product[k] * y;                                                                             \
          product[k] = (uint64_t)t;                                                                                    \
          t >>= 64;                                                                                                    \
        }                                                                                                              \
      }                                                                                                                \
      for (k = 0, t = (bench_wide)negative; k < limbs; k++) {                                                          \
        t += (bench_wide)total[k] + (negative ? ~product[k] : product[k]);                                             \
        total[k] = (uint64_t)t;                                                                                        \
        t >>= 64;                                                                                                      \
      }                                                                                                                \
      if (s == last)                                                                                                   \
        break;                                                                                                         \
      column = step + (size_t)__builtin_ctzll(s) * (size_t)n;                                                          \
      if ((s ^ s >> 1) >> __builtin_ctzll(s) & 1)                                                                      \
        for (i = 0; i < n; i++)                                                                                        \
          x[i] -= column[i];                                                                                           \
      else                                                                                                             \
        for (i = 0; i < n; i++)                                                                                        \
          x[i] += column[i];                                                                                           \
    }                                                                                                                  \
  }

BENCH_LIMBS(4)
BENCH_LIMBS(5)
/* SPDX-License-Identifier: MIT */
