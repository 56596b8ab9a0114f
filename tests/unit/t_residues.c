/* >>hybrid_residues, >>residues */
/* Residues of random sparse matrices, modulo numbers of 2 to 63 bits of every kind, against sums over sets of columns
   that share nothing with the headers: every kernel family, 1, 2 and 7 threads. */
#include "../attack/residues.h"

/* The oracle against whole permanents without rounding. */
TEST(t_residues_oracle)
{
  residue_case c;
  oracle_entry entry[10 * 10];
  uint64_t number;
  int k, tried = 0;
  for (number = 0; number < 600; number++) {
    oracle_exact exact;
    perm_integer integer;
    residue_make(number, &c);
    if (c.n > 10)
      continue;
    for (k = 0; k < c.n * c.n; k++)
      entry[k] = oracle_whole((uint64_t)(c.a[k] < 0 ? -c.a[k] : c.a[k]), 0, c.a[k] < 0);
    exact = oracle_exact_entries(1, c.n, c.n, entry, 1e9);
    memset(&integer, 0, sizeof integer);
    integer.words = exact.words;
    integer.negative = (int)(exact.part[0][exact.words - 1] >> 63);
    for (k = 0; k < exact.words; k++)
      integer.word[k] = integer.negative ? ~exact.part[0][k] : exact.part[0][k];
    for (k = 0; integer.negative && k < exact.words && !++integer.word[k]; k++)
      ;
    if (exact.exp2 < 64 && exact.exp2 >= 0) { /* its common power of two, taken out of rows */
      const uint64_t power = oracle_modulo(&integer, c.modulus), two = (UINT64_C(1) << exact.exp2) % c.modulus;
      CHECK_SHOW(oracle_multiply(power, two, c.modulus) == c.expected, "case %.0f", (double)number);
      tried++;
    }
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(tried > 100, "%d", tried);
}

TEST(t_residues)
{
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_HYBRID};
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  static const int threads[] = {1, 2, 1, 7};
  residue_case c;
  perm_result r;
  uint64_t number, first = test_random() >> 1;
  int m, kind[RESIDUE_KINDS] = {0}, tried = 0;
  for (number = first; number < first + 1500; number++) {
    if (number % 1000 == 11 || number % 1000 == 7)
      continue;
    residue_make(number, &c);
    if (c.n > 20)
      continue;
    kind[c.kind]++;
    tried++;
    for (m = 0; m < 2; m++)
      CHECK_SHOW(residue_holds(&c, method[m], isa[(tried + m) % 3], threads[tried % 4], &r) || r.status > 0,
                 "case %llu: n = %d, modulo %llu, method %s: %.17g, not %llu (%s)", (unsigned long long)number, c.n,
                 (unsigned long long)c.modulus, perm_name("method", method[m]), r.value,
                 (unsigned long long)c.expected, r.message);
  }
  for (m = 0; m < RESIDUE_KINDS; m++)
    CHECK_SHOW(kind[m] > 50, "%d", kind[m]);
}

/* What stands in for primes is odd, a multiple, and where tests/proofs/hybrid.g proves the quotients. */
TEST(t_residues_stand_ins)
{
  const uint64_t top = UINT64_C(1) << 47;
  permi_block block;
  int t;
  memset(&block, 0, sizeof block);
  for (t = 0; t < 200000; t++) {
    const uint64_t any = test_random() >> (17 + test_below(46)), edge = top / (uint64_t)(1 + test_below(9)) - 8;
    const uint64_t m = 2 + (t % 2 ? any : edge + (uint64_t)test_below(16)), x = permi_whole_stand_in(&block, m);
    CHECK_SHOW(!(m & 1) || m >= top ? !x : x & 1 && x % m == 0 && x < top && 3 * x > top, "%.0f: %.0f", (double)m,
               (double)x);
  }
}
/* SPDX-License-Identifier: MIT */
