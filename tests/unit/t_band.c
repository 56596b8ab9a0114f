/* >>band, >>band_order */
/* Method band against expansions over subsets, all kinds of values; long bands, equal columns, wide windows. */

TEST(t_band_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_BAND, T_SEEDS_MAX - 1, 1500, 1, 1);
}

TEST(t_band_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_BAND, 1);
}

/* A long band has a finite error: neither growth nor decay of the window's doubles spoils it. `spread` is of the
   entries' exponents; hidden: rows and columns permuted. */
static perm_matrix t_band_long(int n, int below, int above, int spread, int parts, int hidden, perm_kind kind)
{
  const size_t room = (size_t)n * (size_t)(below + above + 1);
  int *row = (int *)malloc(room * sizeof *row), *column = (int *)malloc(room * sizeof *column), i, j;
  int *to = (int *)malloc(2 * (size_t)n * sizeof *to);
  double *real = (double *)malloc(room * sizeof *real), *imaginary = (double *)malloc(room * sizeof *imaginary);
  int64_t *integer = (int64_t *)malloc(room * sizeof *integer);
  size_t used = 0;
  perm_matrix matrix;
  for (i = 0; i < 2 * n; i++)
    to[i] = i % n;
  for (i = 2 * n - 1; i > 0 && hidden; i--) {
    const int base = i / n * n, k = base + test_below(i - base + 1), t = to[i];
    to[i] = to[k];
    to[k] = t;
  }
  for (i = 0; i < n; i++)
    for (j = i - below < 0 ? 0 : i - below; j <= i + above && j < n; j++) {
      row[used] = to[i];
      column[used] = to[n + j];
      integer[used] = 1 + test_below(3);
      real[used] = ldexp(0.25 + test_uniform(), spread ? test_below(spread) : 0);
      imaginary[used++] = parts == 2 ? test_uniform() - 0.5 : 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, integer, kind, NULL, &matrix, NULL) ==
        PERM_OK);
  free(row);
  free(column);
  free(to);
  free(real);
  free(imaginary);
  free(integer);
  return matrix;
}

TEST(t_band_long_ones_have_a_finite_error)
{
  static const int spread[] = {0, 60, 400};
  int i, hidden;
  for (i = 0; i < 3; i++)
    for (hidden = 0; hidden < 2; hidden++) {
      perm_matrix matrix = t_band_long(3000, 2, 1 + hidden, spread[i], 1, hidden, PERM_KIND_REAL);
      perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
      perm_result result, dd;
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      options.precision = PERM_PRECISION_DD;
      CHECK(perm_compute_sparse(&matrix, &options, &dd) == PERM_OK);
      CHECK_SHOW(result.value > 0 && result.error_bound < 1e-10 * result.value, "spread %d: %.17g * 2^%lld +- %.3g",
                 spread[i], result.value, result.exp2, result.error_bound);
      CHECK_SHOW(dd.error_bound < 2e-16 * dd.value, "spread %d: %.17g +- %.3g", spread[i], dd.value, dd.error_bound);
      CHECK_SHOW(fabs(ldexp(result.value, (int)(result.exp2 - dd.exp2)) - dd.value) <=
                     ldexp(result.error_bound, (int)(result.exp2 - dd.exp2)) + dd.error_bound,
                 "spread %d: %.17g * 2^%lld, not %.17g * 2^%lld", spread[i], result.value, result.exp2, dd.value,
                 dd.exp2);
      perm_matrix_free(&matrix);
    }
  {
    perm_matrix matrix = t_band_long(400, 3, 2, 0, 2, 1, PERM_KIND_COMPLEX);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
    perm_result result, dd;
    options.tolerance = 1; /* the doubles stand */
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.error_bound < (double)INFINITY);
    options.precision = PERM_PRECISION_DD;
    CHECK(perm_compute_sparse(&matrix, &options, &dd) == PERM_OK && dd.exp2 == result.exp2);
    CHECK(hypot(dd.value - result.value, dd.imaginary - result.imaginary) <= result.error_bound + dd.error_bound);
    CHECK(dd.error_bound < 1e-8 * result.error_bound);
    perm_matrix_free(&matrix);
  }
}

/* Integers of many words against the frontier program, and residues against integers. */
TEST(t_band_integers_of_many_words)
{
  int trial;
  for (trial = 0; trial < 6; trial++) {
    const int n = 40 + 60 * trial;
    perm_matrix matrix = t_band_long(n, 2, 2, 0, 1, trial & 1, PERM_KIND_INTEGER);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_EXACT);
    perm_result band, frontier, residue;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK && band.exact);
    options.modulus = UINT64_C(2305843009213693951);
    CHECK(perm_compute_sparse(&matrix, &options, &residue) == PERM_OK && residue.exact);
    CHECK(residue.integer.word[0] == oracle_modulo(&band.integer, options.modulus));
    options.modulus = 0;
    options.method = PERM_METHOD_FRONTIER;
    CHECK(perm_compute_sparse(&matrix, &options, &frontier) == PERM_OK && frontier.exact);
    CHECK(!memcmp(&band.integer, &frontier.integer, sizeof band.integer) && band.integer.words > 0);
    perm_matrix_free(&matrix);
  }
}

TEST_LONG(t_band_bits_do_not_depend_on_threads)
{
  static const perm_kind kind[] = {PERM_KIND_REAL, PERM_KIND_COMPLEX, PERM_KIND_INTEGER};
  static const char *const name[] = {"real", "complex", "integer"};
  static const perm_precision precision[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD, PERM_PRECISION_EXACT};
  int k, p, i, ran = 0;
  for (k = 0; k < 3; k++)
    for (p = 0; p < 3; p++) {
      perm_matrix matrix = t_band_long(30, 4, 4, 0, k == 1 ? 2 : 1, p & 1, kind[k]);
      perm_options options = t_seeds_options(PERM_METHOD_BAND, precision[p]);
      if (p == 2 && k < 2)
        options.precision = PERM_PRECISION_DEFAULT;
      ran += t_seeds_threads(&matrix, options, name[k]);
      options.modulus = UINT64_C(2305843009213693951);
      if (p == 2 && k == 2)
        ran += t_seeds_threads(&matrix, options, "residues");
      perm_matrix_free(&matrix);
    }
  for (i = 0; i < 2; i++) { /* states with powers of two of their own; signs; equal columns; runs that are not kept */
    static const char *const made[] = {"ones:12", "bernoulli:9", "band:22:9", "band:21:10"};
    perm_options options = t_seeds_options(PERM_METHOD_BAND, i ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
    perm_matrix matrix = t_band_long(60, 3, 3, 500, 1, i, PERM_KIND_REAL);
    perm_result result;
    ran += t_seeds_threads(&matrix, options, "spread");
    perm_matrix_free(&matrix);
    for (k = 0; k < 4; k++) {
      CHECK(perm_generate(made[k], 3, NULL, &matrix, &result) == PERM_OK);
      ran += t_seeds_threads(&matrix, options, made[k]);
      perm_matrix_free(&matrix);
    }
  }
  CHECK_SHOW(ran >= 16, "%d of 20 left something for the engine", ran);
}

/* Equal columns are counted: a block of ones is one slot, whatever its order. */
TEST(t_band_counts_equal_columns)
{
  enum { N = 300 };
  double *a = (double *)malloc(sizeof(double) * N * N), log2_factorial = lgamma(N + 1.0) / log(2.0);
  perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  int i, precision;
  for (i = 0; i < N * N; i++)
    a[i] = 1;
  CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, NULL) == PERM_OK);
  for (precision = 0; precision < 2; precision++) {
    options.precision = precision ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(fabs(log2(result.value) + (double)result.exp2 - log2_factorial) < 1e-9, "%.17g * 2^%lld", result.value,
               result.exp2);
    CHECK(precision ? result.exact : result.error_bound < 1e-9 * result.value);
  }
  perm_matrix_free(&matrix);
  free(a);
}

/* What is no band is refused by name. */
TEST(t_band_refuses_wide_windows)
{
  enum { N = 140 };
  double *a = (double *)malloc(sizeof(double) * N * N);
  perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  int i;
  for (i = 0; i < N * N; i++)
    a[i] = 1 + test_uniform();
  CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "band");
  perm_matrix_free(&matrix);
  free(a);
}

/* Steps of one shape are listed once: 8 rows on either side of the middle's 184 equal ones, and as many to spare. */
TEST(t_band_lists_a_shape_once)
{
  perm_matrix matrix;
  perm_result result;
  perm_options options;
  perm_partial partial;
  permi_band_state state;
  perm_job *job = NULL;
  memset(&options, 0, sizeof options);
  memset(&state, 0, sizeof state);
  memset(&partial, 0, sizeof partial);
  options.method = PERM_METHOD_BAND;
  CHECK(perm_generate("band:200:5", 1, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->leaves == 1);
  permi_control control = permi_control_begin(&options);
  CHECK(permi_band_rows((const permi_band *)job->leaf[0].context, &control, &state, &partial) == PERM_OK);
  CHECK_SHOW(state.shape_count >= 3 && state.shape_count <= 32, "%d shapes", state.shape_count);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
