/* Preparation of sparse matrices: complex entries merged, what was done and why, blocks known by construction. */

/* Random complex bands and blobs against exact arithmetic: lines of degree 2 are merged, the bound stays a bound. */
TEST(t_prepare_complex_merges)
{
  int trial, merged = 0, finite = 0, sharp = 0, nonzero = 0;
  test_seed(71);
  for (trial = 0; trial < 300; trial++) {
    const int n = 2 + trial % 9, kind = trial % 3;
    double a[2 * 100];
    perm_matrix matrix;
    perm_result result;
    oracle_exact exact;
    char text[4096];
    perm_job *job = NULL;
    int i, j;
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (i == j || j == (i + 1) % n || test_below(10) < kind) {
          const int wild = kind == 2 ? test_below(80) - 40 : 0;
          a[2 * (i * n + j)] = ldexp(test_uniform() - 0.5, wild);
          a[2 * (i * n + j) + 1] = test_below(4) ? ldexp(test_uniform() - 0.5, wild) : 0;
        }
    matrix = t_sparse_complex_matrix(n, a);
    CHECK(perm_sparse_job(&matrix, NULL, &job, &result) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    merged += strstr(text, " 0 of degree 2") == NULL;
    perm_job_free(job);
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
    exact = oracle_exact_make(2, n, a);
    {
      const double error = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
      const double size = hypot(result.value, result.imaginary);
      CHECK_SHOW(error <= result.error, "trial %d n %d: %g > %g", trial, n, error, result.error);
      finite += result.error < (double)INFINITY;
      nonzero += size > 0;
      sharp += result.error < 1e-9 * size;
    }
    oracle_exact_free(&exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(merged > 150 && finite > 250 && sharp > 100, "%d merged, %d finite, %d sharp of %d", merged, finite, sharp,
             nonzero);
}

/* Gaussian integers are merged too: cycles of any length are of one row in the end. */
TEST(t_prepare_gaussian_cycles)
{
  int n, i;
  for (n = 2; n < 12; n++) {
    double a[2 * 144];
    perm_matrix matrix;
    perm_result result;
    perm_options options = t_sparse_options(PERM_AUTO, PERM_PRECISION_EXACT);
    long re[2] = {1, 1}, im[2] = {0, 0}, was;
    memset(a, 0, sizeof a);
    for (i = 0; i < 2 * n; i++) { /* the diagonal, then the other entries of the cycle */
      const int x = test_below(7) - 3, y = test_below(7) - 3, k = i / n, at = i % n * n + (i % n + k) % n;
      a[2 * at] = x;
      a[2 * at + 1] = y;
      was = re[k];
      re[k] = was * x - im[k] * y;
      im[k] = was * y + im[k] * x;
    }
    matrix = t_sparse_complex_matrix(n, a);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    CHECK(result.value == (double)(re[0] + re[1]) && result.imaginary == (double)(im[0] + im[1]));
    perm_matrix_free(&matrix);
  }
}
