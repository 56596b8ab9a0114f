/* >>transversals */
/* Method transversals against expansions over subsets, all kinds of values; counts, small terms, threads. */

TEST(t_transversals_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_TRANSVERSALS, 8, 1500, 1, 1);
}

TEST(t_transversals_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_TRANSVERSALS, 1);
}

/* The count and its bound; integers of many words; terms that underflow are accounted for. */
TEST(t_transversals_counts_and_small_terms)
{
  perm_options options = t_seeds_options(PERM_METHOD_TRANSVERSALS, PERM_PRECISION_EXACT);
  perm_result result, band;
  perm_matrix matrix = t_band_long(24, 1, 1, 0, 1, 1, PERM_KIND_INTEGER);
  int i, k;
  options.certify = 1; /* nothing is reduced: 46368 + 28657 = the 25th Fibonacci number of matchings */
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
  options.method = PERM_METHOD_BAND;
  CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK);
  CHECK(!memcmp(&band.integer, &result.integer, sizeof band.integer) && result.integer.words > 0);
  CHECK(result.method != PERM_METHOD_TRANSVERSALS || result.terms == 75025);
  perm_matrix_free(&matrix);
  for (k = 0; k < 2; k++) { /* a ring of order 1200: two matchings, the product of the entries of either 2^-600 or so */
    enum { N = 1200 };
    int row[2 * N], column[2 * N];
    double real[2 * N];
    for (i = 0; i < 2 * N; i++) {
      row[i] = i / 2;
      column[i] = (i / 2 + (i & 1)) % N;
      real[i] = (i & 1) == (i / 2 & 1) || k ? 0.5 + test_uniform() / 2 : 1e-3 * (1 + test_uniform());
    }
    CHECK(perm_matrix_from_triplets(N, N, 2 * N, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL) ==
          PERM_OK);
    options = t_seeds_options(PERM_METHOD_TRANSVERSALS, PERM_PRECISION_DEFAULT);
    options.certify = 1;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_TRANSVERSALS && result.terms == 2);
    options.method = PERM_METHOD_BAND;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK && band.method == PERM_METHOD_BAND);
    CHECK_SHOW(band.error_bound < 1e-12 * band.value, "%.17g +- %.3g", band.value, band.error_bound);
    CHECK_SHOW(fabs(ldexp(result.value, (int)(result.exp2 - band.exp2)) - band.value) <=
                   ldexp(result.error_bound, (int)(result.exp2 - band.exp2)) + band.error_bound,
               "%.17g * 2^%lld +- %.3g, not %.17g * 2^%lld", result.value, result.exp2, result.error_bound, band.value,
               band.exp2);
    perm_matrix_free(&matrix);
  }
}

TEST(t_transversals_declines_too_many)
{
  perm_options options = t_seeds_options(PERM_METHOD_TRANSVERSALS, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("uniform:300", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "too many perfect matchings to enumerate");
  perm_matrix_free(&matrix);
}

TEST_LONG(t_transversals_threads_leave_no_trace)
{
  static const char *const pattern[] = {"regular:24:3", "er:16:0.25", "blocks:2:9:0.5"};
  t_walk_bits(PERM_METHOD_TRANSVERSALS, pattern, 3);
}

TEST(t_transversals_threads_stop)
{
  t_walk_stops(PERM_METHOD_TRANSVERSALS, "regular:70:3", "regular:20:3");
}
/* SPDX-License-Identifier: MIT */
