/* ====================================================================================== >>polynomial
   The polynomial that proves a permanent (R. Williams, CCC 2016, 2; A. Bjorklund, P. Kaski, PODC 2016), of Glynn's sum.
   h = n / 2, N = 2^h. D_j and S have degree N - 1; at t = 0 .. N - 1 D_j(t), j < h, is -1 where bit j of t is set, else
   1, and S(t) their product. Modulo a prime p, with i = a root of -1,

       P(t) = S(t) sum_v sign(v) prod_i (sum_{j < h} a_ij D_j(t) + a_ih + sum_{j > h} v_j a_ij),  v all signs,

   has degree d = (n + 1)(N - 1) at most, so its values at 0 .. d fix it, and P(0) + .. + P(N - 1) = 2^(n-1) per(a).
   A chunk is PERMI_PROOF_POINTS values; a prime takes (n + 1) N n 2^(n-h-1) products. */
#pragma once
#include "../multiplicities/counts.h"
#include "../graph/primes.h"
#include "lanes.h"

#define PERMI_PROOF_MAX_N 44      /* 1.7e16 products and 1.5 GB a prime */

#define PERMI_RATE_PROOF 2e7           /* products modulo a prime, by kernel family: Zen 4 */
#define PERMI_RATE_PROOF_AVX2 2.5e9
#define PERMI_RATE_PROOF_AVX512 5e9
#define PERMI_PROOF_PRIME_BITS 50
#define PERMI_PROOF_PRIMES 64     /* 62 for order 44 of 63-bit Gaussian entries */
#define PERMI_PROOF_LEAF (3 * PERM_SUM_WORDS) /* values: a residue in each word of a partial */
#define PERMI_PROOF_SYNDROMES 8   /* extra values, for >>proof_check */

typedef struct permi_proof permi_proof;
typedef struct permi_proof_leaf {
  const permi_proof *proof;
  const permi_polynomial *polynomial;
  uint64_t first, end; /* its points */
} permi_proof_leaf;

struct permi_proof {
  permi_owned owned;
  int n, parts, primes, signs;
  int runs;             /* polynomials: a prime, or a prime and a root of -1 */
  int leaves;           /* of each */
  uint64_t values;      /* d + 1; PERMI_PROOF_SYNDROMES more are evaluated */
  uint64_t fingerprint; /* of the matrix */
  permi_odd_modulus prime[PERMI_PROOF_PRIMES];
  uint64_t root[PERMI_PROOF_PRIMES]; /* of -1, the lesser */
  uint64_t *residue;                 /* [run][row][column]: the matrix */
  permi_polynomial *polynomial;
  permi_proof_leaf *leaf;
  permi_polynomial_run run;
};

/* Returns log2 of a bound, from sums of rows or columns. */
static double permi_proof_bits(const permi_problem *problem)
{
  const int n = problem->n, parts = problem->parts;
  double bits[2] = {0, 0};
  for (int by = 0; by < 2; by++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        for (int part = 0; part < parts; part++)
          sum += fabs((double)problem->integer[((by ? j : i) * problem->ld + (by ? i : j)) * parts + part]);
      bits[by] += sum > 0 ? log2(sum) : 0;
    }
  return fmin(bits[0], bits[1]);
}

static double permi_balanced(uint64_t x, uint64_t p)
{
  return x > p / 2 ? -(double)(p - x) : (double)x;
}

/* weight[s] := (-1)^(N-1-s) / (s! (N-1-s)!), Lagrange's factor of 1 / (t - s). inverse: N words. */
static void permi_proof_weights(const permi_odd_modulus *prime, int N, uint64_t *inverse, double *weight)
{
  uint64_t factorial = prime->one;
  for (int s = 2; s < N; s++)
    factorial = permi_montgomery(factorial, permi_montgomery((uint64_t)s, prime->square, prime), prime);
  factorial = permi_prime_inverse(permi_montgomery(factorial, 1, prime), prime);
  for (int s = N - 1; s >= 0; s--) {
    inverse[s] = factorial; /* 2^64 / s! */
    factorial = permi_montgomery(factorial, permi_montgomery((uint64_t)s, prime->square, prime), prime);
  }
  for (int s = 0; s < N; s++) {
    const uint64_t x = permi_montgomery(permi_montgomery(inverse[s], inverse[N - 1 - s], prime), 1, prime);
    weight[s] = ((N - 1 - s) & 1 ? -1 : 1) * permi_balanced(x, prime->p);
  }
}

/* a is the matrix modulo p; *memory moves on. */
static permi_polynomial permi_polynomial_tables(const permi_proof *proof, const uint64_t *a, uint64_t p, int inner,
                                                const double *weight, const double *parity, const double *sign,
                                                double **memory)
{
  const int n = proof->n, signs = proof->signs, outer = n - signs - 1 - inner;
  const int settings = (1 << inner) < 4 ? 4 : 1 << inner;
  double *entry = *memory, *table = entry + n * signs, *start = table + settings * n, *step = start + n;
  for (int i = 0; i < n; i++, a += n) {
    const uint64_t *other = a + signs + 1 + inner;
    uint64_t all = a[signs];
    for (int j = 0; j < signs; j++)
      entry[i * signs + j] = permi_balanced(a[j], p);
    for (int s = 0; s < settings; s++) {
      uint64_t sum = 0;
      for (int j = 0; j < inner; j++)
        sum += s >> j & 1 ? p - a[signs + 1 + j] : a[signs + 1 + j];
      table[(s / 4 * n + i) * 4 + s % 4] = permi_balanced(sum % p, p);
    }
    for (int j = 0; j < outer; j++) {
      all += other[j];
      step[j * n + i] = permi_balanced(2 * other[j] % p, p);
    }
    start[i] = permi_balanced(all % p, p);
  }
  const permi_polynomial made = {n, signs, settings, outer, (double)p, 1 / (double)p, entry, weight, parity, table,
                                 sign, start, step};
  *memory = step + outer * n;
  return made;
}

/* Returns 0 without memory, or stopped. work: N words. */
static int permi_proof_tables(permi_proof *proof, const permi_problem *problem, uint64_t *work, permi_control *watch)
{
  const int n = proof->n, N = 1 << proof->signs, rest = n - proof->signs - 1;
  const int inner = rest < PERMI_PROOF_INNER ? rest : PERMI_PROOF_INNER, settings = (1 << inner) < 4 ? 4 : 1 << inner;
  const size_t each = (size_t)(n * (proof->signs + settings + 1 + (rest - inner)));
  const size_t doubles = (size_t)N * (size_t)(1 + proof->primes) + (size_t)settings + each * (size_t)proof->runs;
  permi_pool *pool = &proof->owned.pool;
  double *parity = (double *)permi_pool_get(pool, doubles, sizeof *parity);
  uint64_t *a = (uint64_t *)permi_pool_get(pool, (size_t)(n * n) * (size_t)proof->runs, sizeof *a);
  if (pool->failed)
    return 0;
  proof->residue = a;
  double *sign = parity + N, *weight = sign + settings, *next = weight + (size_t)N * (size_t)proof->primes;
  for (int s = 0; s < N; s++)
    parity[s] = s == 0 ? 1 : s & 1 ? -parity[s >> 1] : parity[s >> 1];
  for (int s = 0; s < settings; s++)
    sign[s] = s < 1 << inner ? permi_parity_signs[s] : 0;
  for (int r = 0; r < proof->runs && !permi_watch(watch, 20.0 * N); r++, a += n * n) {
    const int k = r / proof->parts;
    const permi_odd_modulus *prime = &proof->prime[k];
    const uint64_t p = prime->p, root = r % proof->parts ? p - proof->root[k] : proof->root[k];
    double *const own = weight + (size_t)N * (size_t)k;
    if (r % proof->parts == 0)
      permi_proof_weights(prime, N, work, own);
    for (int i = 0; i < n * n; i++) { /* modulo the prime, with i = root */
      const int64_t *x = problem->integer + (i / n * problem->ld + i % n) * problem->parts;
      a[i] = permi_residue_of(x[0], p);
      if (problem->parts == 2)
        a[i] = permi_residue_add(a[i], permi_residue_multiply(permi_residue_of(x[1], p), root, p), 0, p);
    }
    proof->polynomial[r] = permi_polynomial_tables(proof, a, p, inner, own, parity, sign, &next);
  }
  return watch->stopped == PERM_OK;
}

static uint64_t *permi_proof_word(perm_partial *partial, uint64_t k)
{
  perm_sum *const sum[3] = {&partial->value, &partial->imaginary, &partial->absolute};
  return &sum[k / PERM_SUM_WORDS]->word[k % PERM_SUM_WORDS];
}

/* Each value has a word of its own, so partials merge without carries. */
static void permi_proof_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_proof_leaf *own = (const permi_proof_leaf *)leaf->context;
  double value[PERMI_PROOF_POINTS];
  uint64_t k, at = chunk * PERMI_PROOF_POINTS;
  own->proof->run(own->polynomial, own->first + at, (double *)workspace, value);
  for (k = 0; k < PERMI_PROOF_POINTS && own->first + at + k < own->end; k++)
    *permi_proof_word(partial, at + k) += (uint64_t)value[k];
  partial->terms += leaf->information.work / (double)own->proof->n / (double)leaf->information.chunks;
}
/* SPDX-License-Identifier: MIT */
