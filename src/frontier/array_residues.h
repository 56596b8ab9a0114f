/* ================================================================================= >>array_residues
   Integers of arrays modulo primes, a pass for each: one double a state, whatever the length of the permanent. */
#pragma once
#include "../exact/residues.h"
#include "arrays.h"

/* Residues are whole numbers of at most p / 2 + 1, of either sign. A step is, by its permi_growth,
     not reduced  where the bound on the true values, not Gaussian, is below p / 2,
     short        where the sum of the moduli of its coefficients times p / 2 + 1 is at most 2^52: sums are exact, and
                  reduced at the end,
     long         else: each product is reduced, of two doubles. With a, b at most p / 2 + 1 and p <= 2^50 the quotient
                  ab / p < 2^48.01 is wrong by less than 3 2^-53 of itself before it is rounded, 0.1, so a product
                  comes out below 0.61 p; 1.25 p / 2 for each way leaves room for sums below 2^52.
   Primes are below 2^bits; the fewest seconds decide on `bits`. Integers below 2^52 need no modulus. Gaussian integers
   take two passes a prime, with i as either root of -1. */
#define PERMI_ARRAY_RESIDUE_LEAST 32 /* bits: the first 142 primes of either kind are above 2^(bits - MARGIN) */
#define PERMI_ARRAY_RESIDUE_MARGIN 1e-5
#define PERMI_ARRAY_RESIDUE_ROOM 4503599627370496.0 /* 2^52 */

/* The residue of an entry as a double; whole entries are their own without a modulus. */
static double permi_residue_entry(const permi_coefficient *c, uint64_t modulus, uint64_t root)
{
  uint64_t r;
  if (!modulus)
    return (double)c->integer[0];
  r = permi_residue_of(c->integer[0], modulus);
  if (root)
    r = permi_residue_add(r, permi_residue_multiply(permi_residue_of(c->integer[1], modulus), root, modulus), 0,
                          modulus);
  return r > modulus / 2 ? -(double)(modulus - r) : (double)r;
}

/* Sum of the moduli of a step's coefficients; INFINITY if some are not real. */
static double permi_residues_weight(const permi_frontier *frontier, int p)
{
  const uint64_t modulus = frontier->numbers.algebra == PERMI_RESIDUES ? frontier->numbers.modulus : 0;
  double weight = 0;
  int s;
  for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    const permi_coefficient *c = &frontier->coefficient[s];
    weight += c->integer[1] ? (double)INFINITY : fabs(permi_residue_entry(c, modulus, 0));
  }
  return weight * (1 + 1e-12);
}

/* Returns how step p goes modulo numbers up to twice `half`; -1: not at all. */
static int permi_residues_growth(const permi_frontier *frontier, int p, double weight, double half)
{
  const int ways = frontier->stream_start[p + 1] - frontier->stream_start[p];
  if (frontier->numbers.parts == 1 && exp2(frontier->bits[p + 1] + PERMI_ARRAY_RESIDUE_MARGIN) <= half)
    return PERMI_GROWS_NOT;
  if (weight * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM)
    return PERMI_GROWS_SHORT;
  return half <= 562949953421312.0 && 1.25 * ways * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM ? PERMI_GROWS_LONG : -1;
}

/* Seconds of the values of a pass; INFINITY: none is possible. */
static double permi_residues_pass_seconds(const permi_frontier *frontier, const double *weight, double half)
{
  const perm_isa isa = frontier->arrays->isa;
  const int family = isa == PERM_ISA_AVX2 ? 1 : isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX512IFMA ? 0 : 2;
  double seconds = 0;
  int p;
  for (p = 0; p < frontier->steps; p++) {
    const int growth = permi_residues_growth(frontier, p, weight[p], half);
    if (growth < 0)
      return (double)INFINITY;
    seconds += (frontier->cost[p + 1] - frontier->cost[p]) *
               (permi_residue_seconds[family][growth == PERMI_GROWS_LONG] +
                (8 * frontier->states[p + 1] > PERMI_ARRAY_CACHE_BYTES ? 8 * PERMI_ARRAY_MISS_SECONDS : 0));
  }
  return seconds;
}

/* The passes of the least seconds, in frontier->arrays; `bits` of the permanent. */
static double permi_residues_search(const permi_frontier *frontier, const double *weight, uint64_t modulus,
                                    permi_array_residues *best)
{
  const double bits = frontier->bits[frontier->steps];
  const int gaussian = frontier->numbers.parts == 2, residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double half = 0.5 * (double)modulus;
  int b;
  memset(best, 0, sizeof *best);
  best->seconds = (double)INFINITY;
  if (!gaussian && bits + PERMI_ARRAY_RESIDUE_MARGIN <= 52) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, PERMI_ARRAY_RESIDUE_ROOM);
    best->passes = 1;
    return PERMI_ARRAY_RESIDUE_ROOM;
  }
  if (!gaussian && modulus && half < PERMI_ARRAY_RESIDUE_ROOM) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, half);
    best->passes = best->seconds < (double)INFINITY;
    best->modulus = modulus;
  }
  for (b = 52; b >= PERMI_ARRAY_RESIDUE_LEAST && !residues; b--) {
    const int primes = (int)((bits + 1) / (b - PERMI_ARRAY_RESIDUE_MARGIN)) + 1, passes = primes * (1 + gaussian);
    const double seconds = passes * permi_residues_pass_seconds(frontier, weight, ldexp(1, b - 1));
    if (seconds < best->seconds) {
      best->seconds = seconds;
      best->passes = passes;
      best->primes = primes;
      best->bits = b;
      half = ldexp(1, b - 1);
    }
  }
  return half;
}

/* Plans frontier->arrays->residues for integers, which may leave it without passes. 0: out of memory. */
static int permi_residues_plan(const permi_frontier *frontier, uint64_t modulus)
{
  const size_t steps = (size_t)frontier->steps;
  permi_array_residues *residues = &frontier->arrays->residues;
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  double *weight = (double *)permi_pool_get(&pool, steps, sizeof *weight), half;
  unsigned char *growth = frontier->arrays->growth;
  int p;
  if (pool.failed)
    return 0;
  for (p = 0; p < frontier->steps; p++)
    weight[p] = permi_residues_weight(frontier, p);
  half = permi_residues_search(frontier, weight, modulus, residues);
  for (p = 0; p < frontier->steps && residues->passes; p++)
    growth[p] = (unsigned char)permi_residues_growth(frontier, p, weight[p], half);
  permi_pool_release(&pool);
  return 1;
}

/* "residues modulo 3 primes of 50 bits" */
static void permi_residues_words(const permi_array_residues *residues, char *text, size_t size)
{
  if (residues->primes)
    snprintf(text, size, "residues modulo %d primes of %d bits", residues->primes, residues->bits);
  else
    snprintf(text, size, residues->modulus ? "residues in doubles" : "integers in doubles");
}
/* SPDX-License-Identifier: MIT */
