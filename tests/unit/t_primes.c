/* >>primes >>residues: primes, residues, Chinese remainders. */

/* Pseudoprimes to many bases are none; remainders touch their own words alone. */
TEST(t_residues_at_the_edge)
{
  static const uint64_t composite[] = {9, 15, 21, 2047, 1373653, 25326001, 3215031751u, UINT64_C(2152302898747),
                                       UINT64_C(3474749660383), UINT64_C(341550071728321),
                                       UINT64_C(3825123056546413051), UINT64_C(35705395979370253)}; /* 5 tells */
  uint64_t word[2 * 6], residue[4];
  permi_odd_modulus prime[4];
  int k, trial, count;
  for (k = 0; k < (int)(sizeof composite / sizeof *composite); k++)
    CHECK_SHOW(!permi_is_prime(composite[k]), "%llu", (unsigned long long)composite[k]);
  for (k = 2, count = 0; k < 2000; k++)
    count += permi_is_prime((uint64_t)k);
  CHECK(count == 303 && !permi_is_prime(0) && !permi_is_prime(1) && permi_is_prime(UINT64_C(2305843009213693951)));
  permi_primes_choose(prime, 4, 0, 62);
  for (count = 1; count <= 4; count++)
    for (trial = 0; trial < 50; trial++) {
      const int small = trial < 25 ? test_below(1000) : -test_below(1000);
      const uint64_t guard = test_random() | 1;
      uint64_t *product = word + count + 2; /* a guard after each */
      int negative;
      for (k = 0; k < count; k++)
        residue[k] = permi_residue_of(small, prime[k].p);
      word[count + 1] = product[count + 1] = guard;
      negative = permi_chinese_remainder(prime, residue, count, word, product);
      CHECK(negative == (small < 0) && word[0] == (uint64_t)abs(small) && word[count] == 0);
      CHECK(word[count + 1] == guard && product[count + 1] == guard);
    }
}

/* Primes for numbers of so many bits and a sign: enough, and not one more; residues of doubles of either sign. */
TEST(t_residues_of_every_length)
{
  permi_odd_modulus prime;
  int bits, trial;
  permi_primes_choose(&prime, 1, 0, 50);
  for (bits = 0; bits <= 4600; bits++) {
    const int primes = permi_primes_needed(bits);
    CHECK_SHOW(primes * PERMI_PRIME_BITS > bits + 1 && (primes - 1) * PERMI_PRIME_BITS <= bits + 1, "%d bits: %d", bits,
               primes);
  }
  for (trial = 0; trial < 200; trial++) {
    const int64_t x = (int64_t)test_random() >> (11 + test_below(52));
    const uint64_t p = trial % 2 ? prime.p : 7;
    uint64_t residue = (uint64_t)llabs(x) % p;
    residue = x < 0 && residue ? p - residue : residue;
    CHECK_SHOW(permi_residue_of_double((double)x, p) == residue && permi_residue_of(x, p) == residue, "%lld",
               (long long)x);
  }
  CHECK(permi_residue_of_double(0, 7) == 0 && permi_residue_of_double(-7, 7) == 0);
}
/* SPDX-License-Identifier: MIT */
