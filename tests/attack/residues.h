/* Random residues: sparse integer matrices of order 4 to 30, entries to 9, 10^3, 10^6 or 2^62, and moduli of 2 to 63
   bits. A case follows from its number. Needs oracle.h. */
#ifndef PERM_ATTACK_RESIDUES_H_INCLUDED
#define PERM_ATTACK_RESIDUES_H_INCLUDED

#include "../../examples/perm_random.h"

enum { RESIDUE_MOST_N = 30, RESIDUE_KINDS = 6 };
static const char *const residue_kind[RESIDUE_KINDS] = {"odd", "even", "prime", "power of a prime", "product",
                                                        "border"};

typedef struct residue_case {
  int n, kind, bits; /* of the modulus */
  uint64_t modulus, expected;
  int64_t a[RESIDUE_MOST_N * RESIDUE_MOST_N];
} residue_case;

static uint64_t residue_power(uint64_t x, uint64_t e, uint64_t m)
{
  uint64_t power = 1;
  for (; e; e /= 2, x = oracle_multiply(x, x, m))
    power = e & 1 ? oracle_multiply(power, x, m) : power;
  return power;
}

/* Of 3 <= p < 2^63: by Miller and Rabin's test. */
static int residue_is_prime(uint64_t p)
{
  static const uint64_t base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  int k, twos = 0, s;
  while (!((p - 1) >> twos & 1))
    twos++;
  for (k = 0; k < 12 && base[k] < p; k++) {
    uint64_t x = residue_power(base[k], (p - 1) >> twos, p);
    for (s = 1; s < twos && x != 1 && x != p - 1; s++)
      x = oracle_multiply(x, x, p);
    if (x != p - 1 && (x != 1 || s > 1))
      return 0;
  }
  return p & 1;
}

static uint64_t residue_prime(uint64_t p)
{
  for (p |= 1; p > 3 && !residue_is_prime(p); p -= 2)
    ;
  return p > 3 ? p : 3;
}

/* Of just so many bits. */
static uint64_t residue_bits(generate_random *random, int bits)
{
  const uint64_t top = UINT64_C(1) << (bits - 1);
  return top | (generate_bits(random) & (top - 1));
}

static uint64_t residue_modulus(generate_random *random, int kind)
{
  static const double border[] = {45, 45.415037499278844 /* 2^47 / 3 */, 46, 47, 31, 32, 50, 51, 52, 53, 62};
  const int bits = 2 + generate_below(random, 62), root = 2 + generate_below(random, bits / 2);
  uint64_t m, power;
  switch (kind) {
  case 0: return residue_bits(random, bits) | 1;
  case 1: return residue_bits(random, bits) & ~UINT64_C(1);
  case 2: return residue_prime(residue_bits(random, bits));
  case 3:
    m = generate_below(random, 4) ? residue_prime(residue_bits(random, root)) : 2;
    for (power = m; power < UINT64_C(1) << (bits - 1) && power < (UINT64_C(1) << 63) / m; power *= m)
      ;
    return power;
  case 4: return residue_bits(random, root) * residue_bits(random, bits < 62 ? 1 + bits - root : 62 - root);
  default: return (uint64_t)exp2(border[generate_below(random, 11)]) + (uint64_t)generate_below(random, 9) - 4;
  }
}

/* Rows of `degree` entries at most, anywhere or (`near`: perhaps) near the diagonal, which is full. */
static void residue_entries(generate_random *random, int degree, int near, residue_case *c)
{
  static const uint64_t sizes[] = {9, 1000, 1000000, UINT64_C(1) << 62};
  const int size = generate_below(random, 10), signs = generate_below(random, 2);
  const int near_diagonal = generate_below(random, 1 + near);
  const uint64_t most = sizes[size < 9 ? size / 3 : 3];
  int i, k;
  memset(c->a, 0, sizeof c->a);
  for (i = 0; i < c->n; i++)
    for (k = 0; k < degree; k++) {
      const int j = !k              ? i
                    : near_diagonal ? (i + generate_below(random, 2 * degree)) % c->n
                                    : generate_below(random, c->n);
      const int64_t x = (int64_t)(1 + generate_bits(random) % most);
      c->a[i * c->n + j] = signs && generate_below(random, 2) ? -x : x;
    }
}

/* The case of a number. One in 1000 is of order 20 to 26 and dense, one in 1000 so that auto may take the hybrid. */
static void residue_make(uint64_t number, residue_case *c)
{
  static const int room[] = {16, 21, 25}; /* log2 of the oracle's places: a gigabyte */
  generate_random random = {number * UINT64_C(0x2545f4914f6cdd1d)};
  const int heavy = number % 1000 == 7 ? 2 : number % 1000 == 11;
  int degree;
  c->n = heavy == 2 ? 26
         : heavy    ? 20 + generate_below(&random, 7)
                    : 4 + generate_below(&random, 27);
  c->kind = generate_below(&random, RESIDUE_KINDS);
  c->modulus = residue_modulus(&random, c->kind);
  for (c->bits = 1; c->bits < 63 && c->modulus >> c->bits; c->bits++)
    ;
  degree = heavy == 2 ? 12 + generate_below(&random, 3)
           : heavy    ? 5 + generate_below(&random, 3)
                      : 2 + generate_below(&random, c->n < 12 ? c->n : c->n < 18 ? 5 : 3);
  for (c->expected = UINT64_MAX; c->expected == UINT64_MAX; degree--) {
    residue_entries(&random, degree, heavy < 2, c);
    c->expected = oracle_residue(c->n, c->a, c->modulus, (size_t)1 << room[heavy]);
  }
}

/* By a method: 1 if the answer is the residue, and called exact. It has 0.25 s. */
static int residue_holds(const residue_case *c, perm_method method, perm_isa isa, int threads, perm_result *r)
{
  static int row[RESIDUE_MOST_N * RESIDUE_MOST_N], column[RESIDUE_MOST_N * RESIDUE_MOST_N];
  static int64_t integer[RESIDUE_MOST_N * RESIDUE_MOST_N];
  perm_matrix matrix;
  perm_options options;
  size_t nnz = 0;
  int k, holds;
  for (k = 0; k < c->n * c->n; k++)
    if (c->a[k]) {
      row[nnz] = k / c->n;
      column[nnz] = k % c->n;
      integer[nnz++] = c->a[k];
    }
  if (perm_matrix_from_triplets(c->n, c->n, nnz, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL, &matrix, r))
    return 0;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.isa = isa;
  options.threads = threads;
  options.max_seconds = 0.25;
  options.modulus = c->modulus;
  options.precision = PERM_PRECISION_EXACT;
  holds = perm_compute_sparse(&matrix, &options, r) == PERM_OK && r->exact && !r->integer.negative &&
          r->integer.words <= 1 && (r->integer.words ? r->integer.word[0] : 0) == c->expected;
  perm_matrix_free(&matrix);
  return holds;
}
#endif
/* SPDX-License-Identifier: MIT */
