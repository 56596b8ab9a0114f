/* >>hybrid_residues, >>hybrid_offer */
/* Method hybrid: Gaussian integers exactly, against method exact, expansion and the frontier. */

TEST(t_hybrid_gaussian)
{
  hybrid_check_integers(1, test_some(420));
}

/* Small Gaussian integers of every structure, some of them all real, against expansion; modulo m, too. */
TEST(t_hybrid_gaussian_matches_expansion)
{
  int t, k, ran = 0, nonzero = 0, twice = 0, once = 0;
  for (t = 0; t < 3000; t++) {
    const int n = 3 + test_below(6), most = 1 + test_below(t % 5 ? 3 : 200), real = t % 10 == 0;
    perm_options options = t_seeds_options(PERM_METHOD_HYBRID, PERM_PRECISION_EXACT);
    unsigned char present[T_SEEDS_MAX * T_SEEDS_MAX];
    double a[2 * T_SEEDS_MAX * T_SEEDS_MAX];
    oracle_int expected[2];
    perm_matrix matrix;
    perm_result r;
    perm_job *job;
    t_seeds_pattern(n, test_below(20), present);
    if (t % 4) /* else much is eliminated */
      memset(present, 1, sizeof present);
    for (k = 0; k < 2 * n * n; k++)
      a[k] = present[k / 2] && !(real && k % 2) && test_below(6) ? test_below(2 * most + 1) - most : 0;
    for (k = 0; k < 2 * n && real; k++)
      a[k] = k < 2; /* a complex matrix, whose larger block is real */
    matrix = t_seeds_matrix(n, 2, a, PERM_KIND_COMPLEX);
    t_seeds_gaussian(n, a, expected);
    options.modulus = t % 3 ? 0 : 2 + test_random() % (t % 2 ? 10 : UINT64_C(1) << 62);
    for (k = 0; k < 2 && options.modulus; k++)
      expected[k] = (oracle_int)oracle_remainder(expected[k], options.modulus);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s", r.message);
    CHECK_SHOW(r.exact && oracle_integer_of(&r.integer) == expected[0] &&
                   oracle_integer_of(&r.imaginary_integer) == expected[1],
               "trial %d, n = %d, modulo %g: %.17g + %.17g i, not %.17g + %.17g i", t, n, (double)options.modulus,
               r.value, r.imaginary, (double)expected[0], (double)expected[1]);
    ran += r.method == options.method;
    nonzero += r.integer.words > 0 && r.imaginary_integer.words > 0;
    if (perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK)
      for (k = 0; k < job->leaves; k++) {
        const permi_hybrid_runs *runs = ((const permi_hybrid *)job->leaf[k].context)->runs;
        CHECK(runs->passes == 2 * runs->primes || runs->passes == runs->primes);
        *(runs->passes > runs->primes ? &twice : &once) += 1;
      }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(ran > 1000 && nonzero > 500 && twice > 1000 && once > 50, "%d, %d, %d, %d", ran, nonzero, twice, once);
}

/* Many chunks a pass, any number of threads, against the frontier;
   i A, which has no real row, has permanent i^n per A. */
TEST(t_hybrid_gaussian_of_many_chunks)
{
  int t;
  for (t = 0; t < 6; t++) {
    const int n = 18 + t % 3;
    perm_matrix a = hybrid_integers(n, 0.35, t < 3 ? 3 : 40, 1);
    perm_options options = t_seeds_options(PERM_METHOD_FRONTIER, PERM_PRECISION_EXACT);
    perm_result r, referee;
    perm_job *job;
    size_t k;
    CHECK(perm_compute_sparse(&a, &options, &referee) == PERM_OK);
    options.method = PERM_METHOD_HYBRID;
    if (perm_sparse_job(&a, &options, &job, &r) != PERM_OK) {
      CHECK(!"a job");
    } else {
      const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
      CHECK((double)job->leaf[0].information.chunks > 0.5 * hybrid->runs->passes);
      perm_job_free(job);
    }
    for (options.threads = 1; options.threads < 4; options.threads++)
      CHECK_SHOW(perm_compute_sparse(&a, &options, &r) == PERM_OK && hybrid_same_integers(&r, &referee), "%s",
                 r.message);
    for (k = 0; k < a.nnz; k++) { /* times i */
      const double x = a.real[k];
      a.real[k] = -a.imaginary[k];
      a.imaginary[k] = x;
    }
    CHECK(perm_compute_sparse(&a, &options, &r) == PERM_OK);
    CHECK(!memcmp(n == 19 ? &r.imaginary_integer.word : &r.integer.word, &referee.integer.word,
                  sizeof r.integer.word) &&
          !memcmp(n == 19 ? &r.integer.word : &r.imaginary_integer.word, &referee.imaginary_integer.word,
                  sizeof r.integer.word));
    CHECK(r.value == (n == 18 ? -referee.value : n == 19 ? referee.imaginary : referee.value) &&
          r.imaginary == (n == 18 ? -referee.imaginary : n == 19 ? -referee.value : referee.imaginary));
    perm_matrix_free(&a);
  }
}
/* SPDX-License-Identifier: MIT */
