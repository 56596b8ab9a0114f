/* >>points >>polynomial_calls: coefficients of per(C + x L) against expansion by subsets of columns, known fullerenes,
   between engines. */

#define T_POLYNOMIAL_PRIME UINT64_C(2305843009213693951)

/* Sets f[k parts], modulo a prime, from pairs (parts 2) or numbers; the sum over all injections of the shorter side. */
static void t_polynomial_expand(int m, int n, int parts, const int64_t *c, const int64_t *l, uint64_t *f)
{
  static uint64_t state[2][128][8][2];
  const int by = m > n, rows = by ? n : m, columns = by ? m : n;
  const uint64_t p = T_POLYNOMIAL_PRIME;
  int i, j, k, s, set, a, b;
  memset(state, 0, sizeof state);
  state[0][0][0][0] = 1;
  for (i = 0; i < rows; i++) {
    memset(state[(i + 1) & 1], 0, sizeof state[0]);
    for (set = 0; set < 1 << columns; set++)
      for (j = 0; j < columns; j++)
        for (k = 0; k <= i && !(set >> j & 1); k++)
          for (s = 0; s < 2; s++)
            for (a = 0; a < parts; a++)
              for (b = 0; b < parts; b++) {
                const int64_t *from = s ? l : c, x = from[(by ? j * n + i : i * n + j) * parts + a];
                uint64_t *to = &state[(i + 1) & 1][set | 1 << j][k + s][a ^ b];
                uint64_t r = (x < 0 ? 0 - (uint64_t)x : (uint64_t)x) % p;
                r = oracle_multiply(r, state[i & 1][set][k][b], p);
                *to = ((x < 0) != (a & b) ? *to + p - r : *to + r) % p;
              }
  }
  for (k = 0; k < 16; k++)
    f[k] = 0;
  for (set = 0; set < 1 << columns; set++)
    for (k = 0; k <= rows; k++)
      for (a = 0; a < parts; a++)
        f[k * parts + a] = (f[k * parts + a] + state[rows & 1][set][k][a]) % p;
}

static int64_t t_polynomial_entry(int kind)
{
  const int64_t small = test_below(19) - 9;
  switch (kind) {
  case 0: return test_below(2);
  case 1: return small;
  case 2: return test_below(3) ? 0 : small;
  case 3: return 0;
  case 4: return (int64_t)((double)(INT64_C(1) << 52) * (2 * test_uniform() - 1));
  default: return test_below(4) ? (int64_t)(9e18 * (2 * test_uniform() - 1)) : -INT64_MAX - 1;
  }
}

TEST(t_polynomial_matches_expansion)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_EXACT, PERM_METHOD_FRONTIER};
  int trial, k, t;
  for (trial = 0; trial < 3000; trial++) {
    const int m = test_below(7), n = trial & 1 ? m : test_below(7), parts = 1 + (test_below(4) == 0);
    const int kinds = parts == 2 ? 5 : 6, kind[2] = {test_below(kinds), test_below(kinds)}, degree = test_below(9);
    int64_t a[2][72];
    perm_integer numbers[18];
    perm_options options = t_sparse_options(methods[test_below(m == n && n && parts == 1 ? 3 : 2)], PERM_PRECISION_DEFAULT);
    perm_result result;
    uint64_t f[18];
    for (t = 0; t < 2; t++)
      for (k = 0; k < 72; k++)
        a[t][k] = t_polynomial_entry(kind[t]);
    t_polynomial_expand(m, n, parts, a[0], a[1], f);
    if (trial % 7 == 0)
      options.modulus = 1000003;
    CHECK_SHOW((parts == 2 ? perm_polynomial_gaussian : perm_polynomial_integer)(m, n, a[0], n, a[1], n, degree,
                                                                                 &options, numbers, &result) == PERM_OK,
               "%s", result.message);
    for (k = 0; k < (degree + 1) * parts && !options.modulus; k++)
      CHECK_SHOW(oracle_modulo(&numbers[k], T_POLYNOMIAL_PRIME) == (k / parts > (m < n ? m : n) ? 0 : f[k]),
                 "trial %d: %d x %d, parts %d, kinds %d %d, coefficient %d of %d, method %d", trial, m, n, parts,
                 kind[0], kind[1], k, degree, (int)options.method);
  }
}
/* SPDX-License-Identifier: MIT */
