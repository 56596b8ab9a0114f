/* >>derive_hybrid: derivatives by one pass back through the hybrid's program against those by trees, for reals, signs,
   complex numbers, stored zeros and blocks; within bounds, the same bits for any threads; what is refused and stopped;
   which engine auto takes. */

enum { T_REVERSE_MOST = 576 };

/* kind 0: above 0, 1: signs, 2: complex; some entries are stored zeros. A permutation keeps the permanent from being 0;
   `blocks`: of two, one of which cannot see the other. */
static void t_reverse_make(int n, int degree, int kind, int blocks, perm_matrix *matrix)
{
  static int row[T_REVERSE_MOST], column[T_REVERSE_MOST];
  static double real[T_REVERSE_MOST], imaginary[T_REVERSE_MOST];
  perm_result result;
  size_t count = 0;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const int apart = blocks && (i < n / 2) != (j < n / 2);
      if (apart || (j != (i + 1) % (blocks ? n / 2 : n) && test_below(n) >= degree && !(blocks && i == j)))
        continue;
      row[count] = i;
      column[count] = j;
      real[count] = kind ? 2 * test_uniform() - 1 : test_uniform();
      imaginary[count] = test_uniform() - 0.5;
      count++;
    }
  CHECK(perm_matrix_from_triplets(n, n, count, row, column, real, kind == 2 ? imaginary : NULL, NULL,
                                  kind == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, matrix, &result) == PERM_OK);
  for (i = 0; i < n; i++)
    for (count = matrix->row_start[i]; count < matrix->row_start[i + 1]; count++)
      if (matrix->column[count] != (i + 1) % (blocks ? n / 2 : n) && !(blocks && i == matrix->column[count]) &&
          test_below(12) == 0) {
        matrix->real[count] = 0;
        if (kind == 2)
          matrix->imaginary[count] = 0;
      }
}

/* Every derivative is within its bound of another engine's; certified bounds are not vacuous. */
TEST(t_reverse_matches_trees)
{
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  static double gradient[2 * T_REVERSE_MOST], right[2 * T_REVERSE_MOST];
  int trial, zeros = 0, blocks = 0, narrow = 0, refused = 0;
  test_seed(91);
  for (trial = 0; trial < 60; trial++) {
    const int n = 8 + trial % 17, kind = trial % 3, parts = kind == 2 ? 2 : 1;
    perm_matrix matrix;
    perm_options options;
    perm_result result, referee;
    double largest = 0, off = 0;
    size_t e;
    memset(&options, 0, sizeof options);
    t_reverse_make(n, 2 + trial % 4, kind, trial % 7 == 3 && n % 2 == 0, &matrix);
    options.method = PERM_METHOD_TREE;
    CHECK_SHOW(perm_gradient_sparse(&matrix, &options, right, &referee) == PERM_OK, "%s", referee.message);
    options.method = PERM_METHOD_HYBRID;
    options.certify = trial / 3 % 2;
    options.isa = permi_isa_here(isa[trial / 6 % 3]) ? isa[trial / 6 % 3] : PERM_ISA_AUTO;
    if (perm_gradient_sparse(&matrix, &options, gradient, &result) == PERM_ERROR_LIMIT) {
      CHECK_TEXT(result.message, "has stored zeros whose minors have no scale");
      perm_matrix_free(&matrix);
      refused++;
      continue;
    }
    CHECK_SHOW(result.status == PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_HYBRID || result.method == PERM_METHOD_STRUCTURE);
    CHECK(result.error_estimate <= result.error_bound);
    CHECK(referee.exp2 == result.exp2);
    for (e = 0; e < matrix.nnz * (size_t)parts; e++) {
      largest = fmax(largest, fabs(right[e]));
      off = fmax(off, fabs(gradient[e] - right[e]));
      zeros += parts == 1 && matrix.real[e] == 0 && right[e] != 0;
    }
    CHECK_SHOW(off <= result.error_bound + referee.error_bound, "trial %d, n = %d: %g, bounds %g, %g", trial, n, off,
               result.error_bound, referee.error_bound);
    CHECK_SHOW(off <= 1e-11 * largest && fabs(result.value - referee.value) <= 1e-11 * fabs(referee.value) + off,
               "trial %d, n = %d: %g of %g", trial, n, off, largest);
    narrow += options.certify && result.error_bound <= 1e-8 * largest;
    blocks += trial % 7 == 3 && n % 2 == 0;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(zeros > 20 && blocks > 2 && narrow > 10 && refused > 0 && refused < 18, "%d, %d, %d, %d", zeros, blocks,
             narrow, refused);
}

/* Many steps and chunks: the same bits for any number of threads, and Laplace's expansion by every row. */
TEST(t_reverse_same_for_threads)
{
  static const int threads[] = {1, 2, 5};
  static double gradient[3][2 * T_REVERSE_MOST];
  int kind, k, i;
  test_seed(92);
  for (kind = 0; kind < 3; kind++) {
    const int parts = kind == 2 ? 2 : 1;
    perm_matrix matrix;
    perm_options options;
    perm_result result;
    size_t e;
    memset(&options, 0, sizeof options);
    t_reverse_make(24, 18, kind, 0, &matrix); /* many chunks */
    for (k = 0; k < 3; k++) {
      options.method = PERM_METHOD_HYBRID;
      options.threads = threads[k];
      CHECK_SHOW(perm_gradient_sparse(&matrix, &options, gradient[k], &result) == PERM_OK, "%s", result.message);
      CHECK(result.threads == (PERMI_OPENMP ? threads[k] : 1) && result.method == PERM_METHOD_HYBRID);
      CHECK(!memcmp(gradient[0], gradient[k], matrix.nnz * (size_t)parts * sizeof(double)));
    }
    for (i = 0; i < matrix.m; i++) { /* Laplace */
      double sum[2] = {0, 0}, size = 0;
      for (e = matrix.row_start[i]; e < matrix.row_start[i + 1]; e++) {
        const double *d = gradient[0] + e * (size_t)parts, x = matrix.real[e], y = kind == 2 ? matrix.imaginary[e] : 0;
        sum[0] += x * d[0] - (kind == 2 ? y * d[parts - 1] : 0);
        sum[1] += kind == 2 ? x * d[parts - 1] + y * d[0] : 0;
        size += fabs(x * d[0]) + fabs(y * d[0]);
      }
      CHECK_SHOW(fabs(sum[0] - result.value) + fabs(sum[1] - result.imaginary) <= 1e-10 * size,
                 "row %d: %g, %g of %g", i, sum[0], result.value, size);
    }
    perm_matrix_free(&matrix);
  }
}

static int t_reverse_stop(const perm_progress *progress, void *user_data)
{
  *(double *)user_data = progress->fraction;
  return !strcmp(progress->activity, "hybrid") && progress->fraction > 0;
}

TEST(t_reverse_refusals)
{
  static double out[900], unmatched[80];
  static perm_integer whole[T_REVERSE_MOST];
  static uint64_t residue[T_REVERSE_MOST];
  static int columns[80];
  const volatile int cancel = 1;
  double fraction = 0;
  int kept = 0;
  perm_matrix matrix, wide;
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_HYBRID;
  CHECK(perm_generate("regular:24:4", 1, NULL, &matrix, &r) == PERM_OK);
  CHECK(perm_gradient_sparse(&matrix, &options, out, &r) == PERM_OK && r.method == PERM_METHOD_HYBRID);
  ARGUMENTS_BAD(perm_marginals_sparse(&matrix, &options, out, unmatched, &r), PERM_ERROR_UNSUPPORTED, 2,
                "method hybrid is for derivatives of square matrices in doubles");
  ARGUMENTS_BAD(perm_gradient_sparse_integer(&matrix, &options, whole, &r), PERM_ERROR_UNSUPPORTED, 2, "in doubles");
  ARGUMENTS_BAD(perm_sample_sparse(&matrix, &options, 1, 0, 1, columns, &r), PERM_ERROR_UNSUPPORTED, 2, "samples take");
  wide = matrix;
  wide.n = 25;
  ARGUMENTS_BAD(perm_gradient_sparse(&wide, &options, out, &r), PERM_ERROR_UNSUPPORTED, 2, "square matrices");
  options.modulus = 97;
  ARGUMENTS_BAD(perm_gradient_sparse_mod(&matrix, &options, residue, &r), PERM_ERROR_UNSUPPORTED, 2, "in doubles");
  options.modulus = 0;
  for (options.max_bytes = 1e5; perm_gradient_sparse(&matrix, &options, out, &r) == PERM_ERROR_LIMIT;
       options.max_bytes *= 1.2)
    kept += strstr(r.message, "over") != NULL;
  CHECK_SHOW(r.status == PERM_OK && kept > 0 && options.max_bytes < 2e7, "%s, %d, %g", r.message, kept,
             options.max_bytes);
  options.max_bytes = 0;
  options.cancel = &cancel;
  CHECK(perm_gradient_sparse(&matrix, &options, out, &r) == PERM_STOPPED_CANCELLED && out[0] != out[0]);
  options.cancel = NULL;
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:66:3", 1, NULL, &matrix, &r) == PERM_OK);
  ARGUMENTS_BAD(perm_gradient_sparse(&matrix, &options, out, &r), PERM_ERROR_LIMIT, 2, "order from 2 to 64");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("er:30:0.9", 1, NULL, &matrix, &r) == PERM_OK && matrix.nnz <= 900); /* would take minutes */
  options.progress = t_reverse_stop;
  options.user_data = &fraction;
  CHECK(perm_gradient_sparse(&matrix, &options, out, &r) == PERM_STOPPED_CANCELLED && out[0] != out[0]);
  CHECK_SHOW(fraction > 0 && fraction < 1, "%g", fraction);
  perm_matrix_free(&matrix);
}

/* Where arrays would keep too many states auto takes the hybrid, for doubles alone. */
TEST(t_reverse_by_default)
{
  static double out[T_REVERSE_MOST];
  perm_matrix matrix;
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("er:30:0.3", 1, NULL, &matrix, &r) == PERM_OK && matrix.nnz <= T_REVERSE_MOST);
  CHECK_SHOW(perm_gradient_sparse(&matrix, &options, out, &r) == PERM_OK, "%s", r.message);
  CHECK_SHOW(r.method == PERM_METHOD_HYBRID, "%s", perm_name("method", (int)r.method));
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:24:3", 1, NULL, &matrix, &r) == PERM_OK);
  CHECK(perm_gradient_sparse(&matrix, &options, out, &r) == PERM_OK && r.method != PERM_METHOD_HYBRID);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
