/* >>sparyser */
/* Methods sparyser and dominating against expansions over subsets, all kinds of values; chunks, bounds, wide row
   sums. */

TEST(t_sparyser_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_SPARYSER, 10, 1200, 0, 1);
}

TEST(t_dominating_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_DOMINATING, 10, 1200, 0, 1);
}

TEST(t_sparyser_dominating_fail_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_SPARYSER, 1);
  t_seeds_allocations(PERM_METHOD_DOMINATING, 1);
}

/* Many chunks: the same bits for any number of threads, and the values of the band program. */
TEST(t_sparyser_dominating_in_chunks)
{
  static const perm_method methods[] = {PERM_METHOD_SPARYSER, PERM_METHOD_DOMINATING};
  int kind, k, threads;
  for (kind = 0; kind < 3; kind++) {
    perm_matrix matrix = t_band_long(kind ? 18 : 21, 2, 2, 0, kind == 1 ? 2 : 1, 1,
                                     kind == 0 ? PERM_KIND_INTEGER : kind == 1 ? PERM_KIND_COMPLEX : PERM_KIND_REAL);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, kind ? PERM_PRECISION_DD : PERM_PRECISION_EXACT);
    perm_result band, result, again;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK);
    for (k = 0; k < 2; k++) {
      options = t_seeds_options(methods[k], kind ? PERM_PRECISION_DEFAULT : PERM_PRECISION_EXACT);
      options.certify = kind > 0;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK(result.method == methods[k]);
      if (kind == 0)
        CHECK(result.exact && !memcmp(&result.integer, &band.integer, sizeof band.integer));
      else
        CHECK_SHOW(result.exp2 == band.exp2 && hypot(result.value - band.value, result.imaginary - band.imaginary) <=
                                                   result.error_estimate + band.error_bound,
                   "%.17g, not %.17g, estimate %.3g", result.value, band.value, result.error_estimate);
      for (threads = 2; threads < 4; threads++) {
        options.threads = threads;
        CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_OK);
        CHECK(again.value == result.value && again.imaginary == result.imaginary &&
              again.error_estimate == result.error_estimate);
#if defined(_OPENMP)
        CHECK_SHOW(again.threads == threads, "%d threads, predicted too short?", again.threads);
#endif
      }
    }
    perm_matrix_free(&matrix);
  }
}

/* Entries on a grid: the errors are finite. Zeros aside no term is left out: 2^n - 1 sets of a matrix of ones. */
TEST(t_sparyser_dominating_bounds_and_terms)
{
  int trial, i, k, zeros = 0;
  for (trial = 0; trial < 300; trial++) {
    const int n = 3 + test_below(8);
    double a[T_SEEDS_MAX * T_SEEDS_MAX], moduli[T_SEEDS_MAX * T_SEEDS_MAX];
    unsigned char present[T_SEEDS_MAX * T_SEEDS_MAX];
    perm_matrix matrix;
    t_seeds_pattern(n, test_below(20), present);
    for (i = 0; i < n * n; i++) {
      a[i] = present[i] ? (double)(1 + test_below(64)) * (trial % 2 && test_below(2) ? -1 : 1) : 0;
      moduli[i] = fabs(a[i]);
    }
    matrix = t_seeds_matrix(n, 1, a, PERM_KIND_REAL);
    for (k = 0; k < 2; k++) {
      perm_options options = t_seeds_options(k ? PERM_METHOD_DOMINATING : PERM_METHOD_SPARYSER, PERM_PRECISION_DEFAULT);
      oracle_exact value = oracle_exact_make(1, n, a);
      perm_result result;
      options.certify = 1;
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      CHECK_SHOW(oracle_exact_distance(&value, result.value, 0, result.exp2) <= result.error_bound * (1 + 1e-9),
                 "trial %d n %d: %.17g +- %.3g", trial, n, result.value, result.error_bound);
      CHECK_SHOW(result.error_bound <= 1e-8 * ldexp((double)oracle_real(n, moduli), -(int)result.exp2),
                 "trial %d: error %.3g", trial, result.error_bound);
      zeros += result.value == 0;
      oracle_exact_free(&value);
    }
    perm_matrix_free(&matrix);
  }
  CHECK(zeros < 200);
  {
    double ones[100];
    perm_options options = t_seeds_options(PERM_METHOD_SPARYSER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    for (i = 0; i < 100; i++)
      ones[i] = 1;
    CHECK(perm_matrix_from_dense(10, 10, ones, 10, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(result.value == 3628800 && result.terms == 1023, "%.17g by %.0f terms", result.value, result.terms);
    options.method = PERM_METHOD_DOMINATING;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(result.value == 3628800 && result.terms == 1023, "%.17g by %.0f terms", result.value, result.terms);
    perm_matrix_free(&matrix);
  }
}

/* Row sums beyond 64 bits, in a matrix whose permanent has 65: refused or right. */
TEST(t_sparyser_dominating_wide_row_sums)
{
  static const int row[] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, column[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  int64_t integer[9] = {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62, 1, 1, 1, 1, 1, 1};
  int k, side;
  for (k = 0; k < 4; k++) {
    perm_options options = t_seeds_options(k & 1 ? PERM_METHOD_DOMINATING : PERM_METHOD_SPARYSER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    side = k / 2;
    CHECK(perm_matrix_from_triplets(3, 3, 9, side ? column : row, side ? row : column, NULL, NULL, integer,
                                    PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
    if (perm_compute_sparse(&matrix, &options, &result) == PERM_OK)
      CHECK_SHOW(result.exact && result.integer.words == 2 && result.integer.word[1] == 1 &&
                     result.integer.word[0] == UINT64_C(1) << 63,
                 "%.17g", result.value);
    else
      CHECK_SHOW(result.status == PERM_ERROR_LIMIT, "%s", result.message);
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
