/* perm_random.h: random numbers for the examples, from a seed, and Haar-random interferometers. Needs no other header
   of perm. Numbers are the same on every machine with IEEE doubles, but for the last bits of what calls log and cos.

       generate_random random = {7};            the seed
       double x = generate_uniform(&random);    */
#ifndef PERM_RANDOM_H_INCLUDED
#define PERM_RANDOM_H_INCLUDED

#include <math.h>
#include <stdint.h>
#include <stddef.h>

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): a
   counter with an odd step through a bijective mixer; period 2^64. */
typedef struct generate_random { uint64_t counter; } generate_random;

static inline uint64_t generate_bits(generate_random *random)
{
  uint64_t z = random->counter += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Multiples of 2^-53: [0,1) and (0,1]. */
static inline double generate_uniform(generate_random *random)
{
  return ldexp((double)(generate_bits(random) >> 11), -53);
}

static inline double generate_positive(generate_random *random)
{
  return ldexp((double)((generate_bits(random) >> 11) + 1), -53);
}

/* Uniform in 0..bound-1, bound >= 1. Draws from the incomplete last run of `bound` numbers are thrown away. */
static inline int generate_below(generate_random *random, int bound)
{
  uint64_t draw, range = (uint64_t)bound, limit = UINT64_MAX - UINT64_MAX % range;
  do draw = generate_bits(random);
  while (draw >= limit);
  return (int)(draw % range);
}

/* Two independent standard normals by Box-Muller. */
static inline void generate_normals(generate_random *random, double *x, double *y)
{
  double radius = sqrt(-2 * log(generate_positive(random)));
  double angle = 6.283185307179586477 * generate_uniform(random);
  *x = radius * cos(angle);
  *y = radius * sin(angle);
}

/* A point of the unit circle: a point of the disc, divided by its length. Coordinates are odd multiples of 2^-26,
   so that the squares and their sum are exact, contracted or not, and the result has the same bits everywhere. */
static inline void generate_circle(generate_random *random, double *x, double *y)
{
  double length;
  do {
    uint64_t bits = generate_bits(random);
    *x = ldexp((double)(2 * (int64_t)(bits >> 38) + 1 - (INT64_C(1) << 26)), -26);
    *y = ldexp((double)(2 * (int64_t)(bits & 0x3ffffff) + 1 - (INT64_C(1) << 26)), -26);
    length = *x * *x + *y * *y;
  } while (length > 1);
  length = sqrt(length);
  *x /= length;
  *y /= length;
}

static inline void generate_permutation(generate_random *random, int n, int *permutation)
{
  int i, j, swap;
  for (i = 0; i < n; i++) permutation[i] = i;
  for (i = n - 1; i > 0; i--) {
    j = generate_below(random, i + 1);
    swap = permutation[i];
    permutation[i] = permutation[j];
    permutation[j] = swap;
  }
}

/* One step of generate_orthonormalise below: column number `column`, all before it being done. */
static inline void generate_orthonormalise_column(int m, int n, int column, double *re, double *im, int step)
{
  size_t i, k, rows = (size_t)m, columns = (size_t)n, next = (size_t)step, j = (size_t)column;
  int pass;
  double norm = 0;
  for (pass = 0; pass < 2; pass++)
    for (k = 0; k < j; k++) {
      double x = 0, y = 0; /* <q_k, q_j> */
      for (i = 0; i < rows; i++) {
        size_t at_k = (i * columns + k) * next, at_j = (i * columns + j) * next;
        x += re[at_k] * re[at_j] + im[at_k] * im[at_j];
        y += re[at_k] * im[at_j] - im[at_k] * re[at_j];
      }
      for (i = 0; i < rows; i++) {
        size_t at_k = (i * columns + k) * next, at_j = (i * columns + j) * next;
        re[at_j] -= x * re[at_k] - y * im[at_k];
        im[at_j] -= x * im[at_k] + y * re[at_k];
      }
    }
  for (i = 0; i < rows; i++) {
    size_t at = (i * columns + j) * next;
    norm += re[at] * re[at] + im[at] * im[at];
  }
  norm = sqrt(norm);
  for (i = 0; i < rows; i++) {
    re[(i * columns + j) * next] /= norm;
    im[(i * columns + j) * next] /= norm;
  }
}

/* Orthonormalises the columns of a complex m x n matrix, n <= m: modified Gram-Schmidt, each column twice ("twice is
   enough"). Entry (i, j) is re[(i * n + j) * step] + i im[...]: step 1 for two arrays, 2 for pairs (im = re + 1). Its R
   has a positive diagonal, so that Q of a Gaussian matrix is Haar-distributed: n columns of a Haar unitary
   (F. Mezzadri, How to generate random matrices from the classical compact groups, Notices AMS 54, 2007). */
static inline void generate_orthonormalise(int m, int n, double *re, double *im, int step)
{
  int j;
  for (j = 0; j < n; j++)
    generate_orthonormalise_column(m, n, j, re, im, step);
}

#endif /* PERM_RANDOM_H_INCLUDED */
/* SPDX-License-Identifier: MIT */
