/* study_sample.h: random matrices from counters. Entry k of sample s is a function of (seed, ensemble, n, s, k) alone,
   so that samples may be drawn in any order, by any number of threads, in any number of runs. */
#ifndef PERM_STUDY_SAMPLE_H_INCLUDED
#define PERM_STUDY_SAMPLE_H_INCLUDED

#include "study.h"

/* One text, three instruction sets; without fused operations (-std=c99) they give the same bits. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define STUDY_VECTOR __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define STUDY_VECTOR
#endif
#if defined(__GNUC__)
#define STUDY_INLINE static inline __attribute__((always_inline))
#else
#define STUDY_INLINE static inline
#endif

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): word k of the stream `key` is mix(key + (k + 1) step). */
#define STUDY_STEP UINT64_C(0x9e3779b97f4a7c15)
STUDY_INLINE uint64_t study_mix(uint64_t z)
{
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline uint64_t study_key(uint64_t seed, int ensemble, int n, uint64_t sample)
{
  const uint64_t cell = study_mix(study_mix(seed + STUDY_STEP) + (uint64_t)(ensemble * 64 + n) * STUDY_STEP);
  return study_mix(cell + (sample + 1) * STUDY_STEP);
}

STUDY_INLINE double study_double(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

STUDY_INLINE uint64_t study_bits(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#define STUDY_ONE UINT64_C(0x3ff0000000000000) /* bits of 1.0 */
#define STUDY_MANTISSA UINT64_C(0x000fffffffffffff)

/* log u, 0 < u <= 1, to 2e-15: the logarithm of the mantissa, brought near 1, is 2 artanh((m - 1) / (m + 1)). */
STUDY_INLINE double study_log(double u)
{
  const uint64_t bits = study_bits(u);
  double exponent = study_double(UINT64_C(0x4330000000000000) | bits >> 52) - (4503599627370496.0 + 1023);
  double m = study_double((bits & STUDY_MANTISSA) | STUDY_ONE), s, z, sum;
  const int large = m > 1.4142135623730951;
  exponent = large ? exponent + 1 : exponent;
  m = large ? m * 0.5 : m;
  s = (m - 1) / (m + 1);
  z = s * s;
  sum = 2. / 15 + z * (2. / 17 + z * (2. / 19 + z * (2. / 21)));
  sum = 2. / 7 + z * (2. / 9 + z * (2. / 11 + z * (2. / 13 + z * sum)));
  return exponent * 0.69314718055994531 + s * (2 + z * (2. / 3 + z * (2. / 5 + z * sum)));
}

/* `count` complex numbers: by Box and Muller normal ones with E|z|^2 = 1, or of modulus 1. Two words each: the first
   for the modulus, the second for the angle: a quadrant and 52 bits within it, -pi/4 to pi/4 around its axis. */
enum { STUDY_WIDTH = 64 };
STUDY_VECTOR static void study_complex(uint64_t key, int count, int circular, double *to)
{
  double radius[STUDY_WIDTH], cosine[STUDY_WIDTH], sine[STUDY_WIDTH];
  int at, k;
  for (at = 0; at < count; at += STUDY_WIDTH) {
    const int most = count - at < STUDY_WIDTH ? count - at : STUDY_WIDTH;
    for (k = 0; k < STUDY_WIDTH; k++) {
      const uint64_t word = key + (2 * (uint64_t)(at + k) + 1) * STUDY_STEP;
      const uint64_t first = study_mix(word), second = study_mix(word + STUDY_STEP), quadrant = second >> 62;
      const double t = (study_double((second >> 10 & STUDY_MANTISSA) | STUDY_ONE) - 1.5) * 1.5707963267948966;
      const double z = t * t, u = 2 - study_double(first >> 12 | STUDY_ONE);
      double c = 1. / 40320 - z * (1. / 3628800 - z * (1. / 479001600 - z * (1. / 87178291200 - z / 20922789888000)));
      double s = 1. / 362880 - z * (1. / 39916800 - z * (1. / 6227020800 - z / 1307674368000));
      uint64_t c_bits, s_bits, swap;
      c = 1 - z * (1. / 2 - z * (1. / 24 - z * (1. / 720 - z * c)));
      s = t * (1 - z * (1. / 6 - z * (1. / 120 - z * (1. / 5040 - z * s))));
      c_bits = study_bits(c);
      s_bits = study_bits(s);
      swap = (c_bits ^ s_bits) & (0 - (quadrant & 1)); /* i^quadrant times it, by bits: (c, s) -> (-s, c) -> ... */
      cosine[k] = study_double((c_bits ^ swap) ^ (quadrant ^ quadrant >> 1) << 63);
      sine[k] = study_double((s_bits ^ swap) ^ quadrant >> 1 << 63);
      radius[k] = sqrt(-study_log(u));
    }
    if (circular)
      for (k = 0; k < STUDY_WIDTH; k++)
        radius[k] = 1;
    for (k = 0; k < most; k++) {
      to[2 * (at + k)] = radius[k] * cosine[k];
      to[2 * (at + k) + 1] = radius[k] * sine[k];
    }
  }
}

static inline void study_signs(uint64_t key, int count, double *to)
{
  uint64_t word = 0;
  int k;
  for (k = 0; k < count; k++, word >>= 1) {
    if (k % 64 == 0)
      word = study_mix(key + (uint64_t)(k / 64 + 1) * STUDY_STEP);
    to[k] = (word & 1) ? 1 : -1;
  }
}

/* Gamma(shape), shape >= 1, from a complex normal number to try first, then others from the stream `key` (G. Marsaglia,
   W. W. Tsang, ACM Trans. Math. Software 26 (2000) 363-372). */
static double study_gamma(uint64_t key, const double *normal, double shape)
{
  const double d = shape - 1. / 3, c = 1 / sqrt(9 * d);
  double z[2], v, u;
  z[0] = normal[0];
  for (;;) {
    z[0] *= 1.4142135623730951; /* a real normal variate of variance 1 */
    v = 1 + c * z[0];
    v = v * v * v;
    u = 2 - study_double(study_mix(key += STUDY_STEP) >> 12 | STUDY_ONE);
    if (v > 0 && log(u) < z[0] * z[0] / 2 + d * (1 - v + log(v)))
      return d * v;
    study_complex(key, 1, 0, z);
    key += 2 * STUDY_STEP;
  }
}

/* sqrt(m) times the top n x n minor of a Haar unitary of order m. The first n columns of one are Z R^-1, where the
   entries of Z (m x n) are independent complex normals and Z* Z = R* R with R upper triangular and positive on its
   diagonal. Of the m - n lower rows B of Z only B* B is needed, and that is T* T with T upper triangular, its entries
   independent, complex normal above the diagonal, the squares on it Gamma(m - n - i) (Bartlett's decomposition, N. R.
   Goodman, Ann. Math. Statist. 34 (1963) 152-177): O(n^3) for any m. Room: z for 2 n^2 complex numbers, g for n^2. */
STUDY_VECTOR static void study_haar(uint64_t key, int n, int m, double *z, double *g, double *to)
{
  double *t = z + 2 * n * n;
  const int rows = m - n < n ? m - n : n;
  int i, j, k;
  study_complex(key, 2 * n * n, 0, z);
  for (i = 0; i < rows; i++) {
    memset(t + 2 * i * n, 0, (size_t)(2 * i) * sizeof *t);
    t[2 * (i * n + i)] =
        sqrt(study_gamma(study_mix(~key + (uint64_t)(i + 1) * STUDY_STEP), t + 2 * (i * n + i), m - n - i));
    t[2 * (i * n + i) + 1] = 0;
  }
  memset(g, 0, (size_t)(2 * n * n) * sizeof *g);
  for (k = 0; k < n + rows; k++) /* g += row* row, upper triangle */
    for (i = k < n ? 0 : k - n; i < n; i++) {
      const double *row = z + 2 * k * n, re = row[2 * i], im = row[2 * i + 1];
      for (j = i; j < n; j++) {
        g[2 * (i * n + j)] += re * row[2 * j] + im * row[2 * j + 1];
        g[2 * (i * n + j) + 1] += re * row[2 * j + 1] - im * row[2 * j];
      }
    }
  for (i = 0; i < n; i++) { /* g = R* R in place */
    const double pivot = sqrt(g[2 * (i * n + i)]);
    for (j = i; j < n; j++) {
      g[2 * (i * n + j)] /= pivot;
      g[2 * (i * n + j) + 1] /= pivot;
    }
    for (k = i + 1; k < n; k++) {
      const double re = g[2 * (i * n + k)], im = g[2 * (i * n + k) + 1];
      for (j = k; j < n; j++) {
        g[2 * (k * n + j)] -= re * g[2 * (i * n + j)] + im * g[2 * (i * n + j) + 1];
        g[2 * (k * n + j) + 1] -= re * g[2 * (i * n + j) + 1] - im * g[2 * (i * n + j)];
      }
    }
  }
  for (k = 0; k < n; k++) { /* row of the minor: row of Z times R^-1, forward */
    double *row = to + 2 * k * n;
    memcpy(row, z + 2 * k * n, (size_t)(2 * n) * sizeof *row);
    for (i = 0; i < n; i++) {
      const double re = row[2 * i] /= g[2 * (i * n + i)], im = row[2 * i + 1] /= g[2 * (i * n + i)];
      for (j = i + 1; j < n; j++) {
        row[2 * j] -= re * g[2 * (i * n + j)] - im * g[2 * (i * n + j) + 1];
        row[2 * j + 1] -= re * g[2 * (i * n + j) + 1] + im * g[2 * (i * n + j)];
      }
    }
  }
  for (k = 0; k < 2 * n * n; k++)
    to[k] *= sqrt(m);
}

/* The same from all m x n normals, columns made orthonormal by the modified Gram-Schmidt process, twice. z has room
   for m n complex numbers, and holds the columns one after the other. */
static void study_haar_qr(uint64_t key, int n, int m, double *z, double *to)
{
  int i, j, k, pass;
  study_complex(key, m * n, 0, z);
  for (j = 0; j < n; j++) {
    double *column = z + 2 * j * m, norm = 0;
    for (pass = 0; pass < 2; pass++)
      for (i = 0; i < j; i++) {
        const double *unit = z + 2 * i * m;
        double re = 0, im = 0;
        for (k = 0; k < m; k++) { /* unit* column */
          re += unit[2 * k] * column[2 * k] + unit[2 * k + 1] * column[2 * k + 1];
          im += unit[2 * k] * column[2 * k + 1] - unit[2 * k + 1] * column[2 * k];
        }
        for (k = 0; k < m; k++) {
          column[2 * k] -= re * unit[2 * k] - im * unit[2 * k + 1];
          column[2 * k + 1] -= re * unit[2 * k + 1] + im * unit[2 * k];
        }
      }
    for (k = 0; k < 2 * m; k++)
      norm += column[k] * column[k];
    for (k = 0; k < 2 * m; k++)
      column[k] /= sqrt(norm);
    for (k = 0; k < n; k++) {
      to[2 * (k * n + j)] = sqrt(m) * column[2 * k];
      to[2 * (k * n + j) + 1] = sqrt(m) * column[2 * k + 1];
    }
  }
}

/* Doubles of room that study_matrix needs. */
static inline size_t study_room(const study_ensemble *ensemble, int n)
{
  const size_t m = ensemble->a > 0 ? (size_t)study_modes(ensemble, n) : 0, k = (size_t)n;
  return ensemble->kind == STUDY_HAAR ? 6 * k * k : ensemble->kind == STUDY_HAAR_QR ? 2 * m * k : 0;
}

/* Matrix `sample` of a cell: n * n entries, real for signs, pairs for the others. */
static void study_matrix(uint64_t seed, int e, int n, uint64_t sample, double *room, double *to)
{
  const study_ensemble *ensemble = &study_ensembles[e];
  const uint64_t key = study_key(seed, e, n, sample);
  switch (ensemble->kind) {
  case STUDY_GAUSS: study_complex(key, n * n, 0, to); break;
  case STUDY_CIRCULAR: study_complex(key, n * n, 1, to); break;
  case STUDY_BERNOULLI: study_signs(key, n * n, to); break;
  case STUDY_HAAR: study_haar(key, n, study_modes(ensemble, n), room, room + 4 * n * n, to); break;
  case STUDY_HAAR_QR: study_haar_qr(key, n, study_modes(ensemble, n), room, to); break;
  }
}

#endif
/* SPDX-License-Identifier: MIT */
