/* >>decompose, >>transversals */
/* Method decompose against exact arithmetic and the frontier; by threads: the bits of one. */

static void t_prepare_fill(int n, int shape, int64_t *a)
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const int present = shape == 0 ? 1 : shape == 1 ? abs(i - j) < 3 : shape == 2 ? i == j || test_below(n) < 3
                        : shape == 3 ? (i < n / 2) == (j < n / 2) || test_below(12) == 0 : (i * 7 + j * 3) % 5 < 2;
      a[i * n + j] = present ? test_below(9) - 4 : 0;
    }
  if (shape == 4 && n > 3) /* equal rows */
    for (j = 0; j < n; j++)
      a[n + j] = a[2 * n + j] = a[j];
}

/* Integers, their transposes, residues; reals, complex numbers: against exact arithmetic, bounds included. */
TEST(t_prepare_decompose_matches_exact_arithmetic)
{
  int trial, nonzero = 0;
  test_seed(17);
  for (trial = 0; trial < 440; trial++) {
    const int n = 1 + trial % 11, shape = trial / 11 % 5;
    int64_t a[196];
    double real[196], pairs[392];
    perm_options options = t_sparse_options(PERM_METHOD_DECOMPOSE, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    oracle_exact exact;
    oracle_int value;
    uint64_t residue[2];
    int i, j, part;
    t_prepare_fill(n, shape, a);
    for (i = 0; i < n * n; i++)
      real[i] = (double)a[i];
    value = oracle_integer(n, real);
    nonzero += value != 0;
    matrix = t_sparse_integers(n, a);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    CHECK_SHOW(result.value == (double)value, "trial %d, n = %d: %.17g", trial, n, result.value);
    options.modulus = 97;
    exact_oracle(n, 1, a, 97, &residue[0], &residue[1]);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.value == (double)residue[0]);
    options.modulus = 0;
    perm_matrix_free(&matrix);
    for (i = 0; i < n; i++)
      for (j = 0; j < i; j++) {
        const int64_t x = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = x;
      }
    matrix = t_sparse_integers(n, a);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.value == (double)value);
    perm_matrix_free(&matrix);
    options.precision = PERM_PRECISION_DEFAULT;
    options.certify = trial & 1; /* then degree 2 is the engine's */
    for (part = 1; part <= 2; part++) {
      for (i = 0; i < n * n; i++) {
        const int wild = trial % 4 ? 0 : test_below(200) - 100;
        real[i] = real[i] == 0 ? 0 : ldexp(test_uniform() - (trial % 3 ? 0.5 : 0), wild);
        pairs[2 * i] = real[i];
        pairs[2 * i + 1] = real[i] == 0 ? 0 : test_uniform() - 0.5;
      }
      if (part == 1)
        perm_matrix_from_dense(n, n, real, n, NULL, &matrix, NULL);
      else
        matrix = t_sparse_complex_matrix(n, pairs);
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      if (n <= 11) {
        double error, size = fabs(result.value) + fabs(result.imaginary);
        exact = oracle_exact_make(part, n, part == 1 ? real : pairs);
        error = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
        CHECK_SHOW(error <= result.error_bound, "trial %d, n %d: %g > %g", trial, n, error, result.error_bound);
        CHECK(result.error_bound < (double)INFINITY);
        CHECK(part == 2 || trial % 3 || trial % 4 == 0 || result.error_bound <= 1e-12 * size); /* nothing cancels */
        oracle_exact_free(&exact);
      }
      perm_matrix_free(&matrix);
    }
  }
  CHECK(nonzero > 300);
}

/* Larger ones against the frontier, long integers, Gaussian ones. */
TEST(t_prepare_decompose_equals_frontier)
{
  static const char *const kinds[] = {"regular:24:3", "grid:8:8", "er:16:0.25", "hexagonal:3", "mycielskian:4",
                                      "band:30:2", "blocks:3:12:0.1", "regular:64:3"};
  size_t k;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    perm_options options = t_sparse_options(PERM_METHOD_DECOMPOSE, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result, other;
    size_t e;
    CHECK(perm_generate(kinds[k], 3, NULL, &matrix, &result) == PERM_OK);
    if (k < 7) { /* the last has the largest order that it takes: planned only */
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      options.method = PERM_METHOD_FRONTIER;
      CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_OK);
      CHECK(result.exact == other.exact && result.exp2 == other.exp2);
      CHECK_SHOW(fabs(result.value - other.value) <= result.error_bound + other.error_bound, "%s: %.17g, %.17g",
                 kinds[k], result.value, other.value);
      if (matrix.integer && k != 4) { /* of several words */
        for (e = 0; e < matrix.nnz; e++)
          matrix.integer[e] = (int64_t)(test_random() >> 4) - (INT64_C(1) << 59);
        CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_OK && other.exact);
        options.method = PERM_METHOD_DECOMPOSE;
        CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
        CHECK(!memcmp(&result.integer, &other.integer, sizeof result.integer));
      }
    } else {
      perm_job *job = NULL;
      char text[4096];
      CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
      perm_job_explain(job, text, sizeof text);
      CHECK_TEXT(text, "decompose, order 64");
      perm_job_free(job);
    }
    perm_matrix_free(&matrix);
  }
}

TEST(t_prepare_decompose_declines_and_stops)
{
  perm_options options = t_sparse_options(PERM_METHOD_DECOMPOSE, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  int calls = 0;
  CHECK(perm_generate("regular:65:3", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "orders up to 64");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("er:40:0.3", 1, NULL, &matrix, NULL) == PERM_OK);
  options.max_seconds = 1;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "is predicted to take");
  options.max_seconds = 0;
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
  options.precision = PERM_PRECISION_DEFAULT;
  options.progress = t_sparse_cancel_now;
  options.user_data = &calls;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED);
  perm_matrix_free(&matrix);
}

TEST_LONG(t_decompose_threads_leave_no_trace)
{
  static const char *const pattern[] = {"regular:42:3", "er:20:0.2", "blocks:2:12:0.3"};
  t_walk_bits(PERM_METHOD_DECOMPOSE, pattern, 3);
}

TEST(t_decompose_threads_stop)
{
  t_walk_stops(PERM_METHOD_DECOMPOSE, "er:40:0.3", "regular:24:3");
}

/* SPDX-License-Identifier: MIT */
