/* >>sparse, >>values */
/* Sparse matrices: complex entries, higher precisions, certified bounds. */

/* ---- complex matrices, higher precisions, certified bounds */

/* Entries of a dense complex array as a sparse matrix, zeros left out; n up to 100. */
static perm_matrix t_sparse_complex_matrix(int n, const double *a)
{
  static int row[10000], column[10000];
  static double real[10000], imaginary[10000];
  perm_matrix matrix;
  perm_result result;
  size_t nnz = 0;
  int i;
  for (i = 0; i < n * n; i++)
    if (a[2 * i] != 0 || a[2 * i + 1] != 0) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      real[nnz] = a[2 * i];
      imaginary[nnz++] = a[2 * i + 1];
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL, &matrix,
                                  &result) == PERM_OK);
  return matrix;
}

/* Sparse patterns of any structure: within the error and the estimate of exact arithmetic, by every method and
   precision, and as the dense call computes them. */
TEST(t_sparse_complex_matches_exact_arithmetic)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER,
                                        PERM_METHOD_EXPANSION};
  double a[2 * 11 * 11];
  int trial, i, k, finite = 0, zeros = 0;
  for (trial = 0; trial < 60; trial++) {
    int n = 2 + trial % 9, precision;
    oracle_exact exact;
    perm_matrix matrix;
    for (i = 0; i < n * n; i++) {
      int there = test_uniform() < (trial % 3 ? 2.5 / n : 0.6) || i / n == (i % n + trial) % n;
      a[2 * i] = there && test_below(4) ? 2 * test_uniform() - 1 : 0;
      a[2 * i + 1] = there && test_below(4) ? 2 * test_uniform() - 1 : 0;
    }
    exact = oracle_exact_make(2, n, a);
    matrix = t_sparse_complex_matrix(n, a);
    for (k = 0; k < 5; k++)
      for (precision = 0; precision < PERM_PRECISION_EXACT; precision++) {
        int scalar = methods[k] == PERM_METHOD_GLYNN || methods[k] == PERM_METHOD_RYSER;
        perm_options options = t_sparse_options(methods[k], (perm_precision)precision);
        perm_result r;
        double error;
        options.certify = methods[k] < PERM_METHOD_GLYNN && trial & 1;
        if (!scalar && precision == PERM_PRECISION_KAHAN) {
          CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 2);
          continue;
        }
        CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s", r.message);
        error = oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2);
        CHECK_SHOW(r.is_complex && error <= r.error_bound * (1 + 1e-14) &&
                       test_within(error, r.error_estimate * (1 + 1e-14) + 1e-300),
                   "n=%d trial %d %s %s: error %g, bound %g, estimate %g", n, trial, perm_name("method", methods[k]),
                   perm_name("precision", (perm_precision)precision), error, r.error_bound, r.error_estimate);
        finite += r.error_bound < (double)INFINITY;
        zeros += r.exact;
        if (options.certify || r.precision == PERM_PRECISION_DD)
          CHECK_SHOW(r.error_bound < (double)INFINITY || methods[k] > PERM_METHOD_DENSE, "n=%d trial %d %s", n, trial,
                     perm_name("method", methods[k]));
        if (r.exact)
          CHECK(error == 0 && r.value == 0 && r.imaginary == 0 && r.error_bound == 0);
      }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK(finite > 300 && zeros > 10);
}

/* Blocks multiply, whatever the order; degree-one rows go into the constant; beyond order 64 only a block matters. */
TEST(t_sparse_complex_blocks)
{
  static double a[2 * 80 * 80];
  double b[3][2 * 49], re = 1, im = 0;
  const int size[3] = {7, 5, 3};
  perm_matrix matrix;
  perm_options options;
  perm_result r, s;
  perm_job *job;
  char text[400];
  int k, i, j, at = 0, n = 80;
  memset(a, 0, sizeof a);
  for (k = 0; k < 3; k++) {
    double was = re;
    complex_random(size[k], b[k]);
    for (i = 0; i < size[k]; i++)
      for (j = 0; j < size[k]; j++) {
        int to = ((at + i) * n + (at + j) * 7 % n) * 2; /* columns permuted: 7 and 80 have no common divisor */
        a[to] = b[k][(i * size[k] + j) * 2];
        a[to + 1] = b[k][(i * size[k] + j) * 2 + 1];
      }
    at += size[k];
    s = complex_compute(size[k], b[k], PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DD);
    re = was * s.value - im * s.imaginary;
    im = was * s.imaginary + im * s.value;
  }
  for (; at < n; at++) { /* the diagonal i, and entries beside it that are in no perfect matching */
    a[(at * n + at * 7 % n) * 2 + 1] = 1;
    if (at > 20)
      a[(at * n + (at - 3) * 7 % n) * 2] = 5;
  }
  { /* i^65 = i */
    double was = re;
    re = -im;
    im = was;
  }
  matrix = t_sparse_complex_matrix(n, a);
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.is_complex);
  CHECK_SHOW(hypot(r.value - re, r.imaginary - im) <= 1e-13 * hypot(re, im), "%.17g%+.17gi, %.17g%+.17gi", r.value,
             r.imaginary, re, im);
  options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DD);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.precision == PERM_PRECISION_DD);
  CHECK(r.error_bound <= 1e-15 * hypot(re, im) && hypot(r.value - re, r.imaginary - im) <= 2e-15 * hypot(re, im));
  CHECK(perm_sparse_job(&matrix, NULL, &job, &s) == PERM_OK && perm_job_leaves(job) == 3);
  perm_job_explain(job, text, sizeof text);
  CHECK_TEXT(text, "3 blocks left");
  perm_job_free(job);
  options = t_sparse_options(PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT);
  CHECK_TEXT(r.message, "a block of order 80 is too large for method glynn, which takes at most 64");
  perm_matrix_free(&matrix);
  for (i = 0; i < n; i++) { /* one ring of order 80: a block too large */
    memset(a + 2 * i * n, 0, 2 * (size_t)n * sizeof *a);
    a[(i * n + i) * 2] = a[(i * n + (i + 1) % n) * 2 + 1] = a[(i * n + (i + 5) % n) * 2] = 1;
  }
  matrix = t_sparse_complex_matrix(n, a);
  options = t_sparse_options(PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT && isnan(r.imaginary));
  CHECK_TEXT(r.message, "a block of order 80");
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.method != PERM_METHOD_DENSE);
  CHECK_SHOW(r.error_bound < 1e-6 * hypot(r.value, r.imaginary), "%g%+gi +- %g", r.value, r.imaginary, r.error_bound);
  perm_matrix_free(&matrix);
  for (i = 2; i < 5; i++) { /* three rows with entries in two columns: no perfect matching */
    memset(a + 2 * i * n, 0, 2 * (size_t)n * sizeof *a);
    a[(i * n + 1) * 2] = a[(i * n + 2) * 2 + 1] = i;
  }
  matrix = t_sparse_complex_matrix(n, a);
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.exact && r.value == 0 && r.imaginary == 0);
  CHECK(r.is_complex && r.method == PERM_METHOD_STRUCTURE && perm_result_text(&r, text, sizeof text) == 4);
  perm_matrix_free(&matrix);
}

/* A hand-made complex matrix may be anything. */
TEST(t_sparse_complex_arguments)
{
  size_t start[3] = {0, 2, 4};
  int column[4] = {0, 1, 0, 1};
  double real[4] = {1, 2, 3, 4}, imaginary[4] = {5, 6, 7, 8};
  perm_matrix matrix;
  perm_result r;
  memset(&matrix, 0, sizeof matrix);
  matrix.m = matrix.n = 2;
  matrix.nnz = 4;
  matrix.kind = PERM_KIND_COMPLEX;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
  matrix.imaginary = imaginary;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK);
  CHECK(fabs(r.value - (1 * 4 - 5 * 8 + 2 * 3 - 6 * 7)) < 1e-13 && fabs(r.imaginary - (8 + 20 + 14 + 18)) < 1e-13);
  imaginary[2] = (double)NAN;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NOT_FINITE && r.argument == 1);
  CHECK_TEXT(r.message, "NaN in row 2, column 1");
  imaginary[2] = 7;
  real[1] = -(double)INFINITY;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(r.message, "an infinity in row 1, column 2");
  real[1] = 2;
  matrix.imaginary = NULL;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NULL);
  CHECK_TEXT(r.message, "imaginary is NULL");
}

/* Real matrices: certify keeps degree-two rows as they are given, so that the bound stays a theorem and finite; the
   higher precisions take the dense engine for every block. Truth is exact. */
TEST(t_sparse_certified)
{
  double a[12 * 12];
  int trial, i, way, reduced = 0, finite = 0;
  for (trial = 0; trial < 60; trial++) {
    int n = 4 + trial % 9;
    perm_matrix matrix;
    oracle_exact exact;
    perm_result r;
    for (i = 0; i < n * n; i++) {
      int row = i / n, by = (i % n - row + n) % n; /* many rows with two entries */
      a[i] = by == 0 || by == 1 || (row % 3 == 0 && test_uniform() < 0.5) ? 2 * test_uniform() - 1 : 0;
      if (trial % 4 == 3 && a[i] != 0)
        a[i] = ldexp(a[i], test_below(1200) - 600);
    }
    exact = oracle_exact_make(1, n, a);
    CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &r) == PERM_OK);
    for (way = 0; way < 4; way++) {
      static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT,  PERM_PRECISION_DEFAULT, PERM_PRECISION_DD,
                                                  PERM_PRECISION_DD};
      perm_options options = t_sparse_options(way & 1 ? PERM_METHOD_DENSE : PERM_METHOD_AUTO, precisions[way]);
      double error;
      options.certify = way != 2;
      CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK);
      error = oracle_exact_distance(&exact, r.value, 0, r.exp2);
      CHECK_SHOW(error <= r.error_bound * (1 + 1e-14), "n=%d trial %d way %d: error %g, bound %g, value %g", n, trial,
                 way, error, r.error_bound, r.value);
      finite += r.error_bound < (double)INFINITY;
      CHECK_SHOW(trial % 4 == 3 || r.error_bound < (double)INFINITY, "n=%d trial %d way %d %s", n, trial,
                 way, perm_name("method", r.method));
      if (trial % 4 != 3)
        CHECK(r.error_bound <= 1e-10 * fabs(r.value));
      if (way == 2 || way == 3)
        CHECK_SHOW(r.precision == PERM_PRECISION_DD, "%s", perm_name("precision", r.precision));
      if (way == 5 && trial % 4 != 3)
        CHECK(error <= 3.2e-16 * fabs(r.value));
    }
    CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK);
    CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= fmin(r.error_bound, r.error_estimate) * (1 + 1e-14));
    {
      perm_job *job;
      char text[400];
      CHECK(perm_sparse_job(&matrix, NULL, &job, &r) == PERM_OK);
      perm_job_explain(job, text, sizeof text);
      reduced += strstr(text, " 0 of degree 2") == NULL;
      perm_job_free(job);
    }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite > 200, "%d finite bounds", finite); /* graded ones may have entries lost to the scaling */
  CHECK_SHOW(reduced > 30, "%d matrices had rows of degree two", reduced);
}

/* Row 0 = (1, 1, 0, ..) and columns 0 and 1 opposite below: merging them cancels to zeros in doubles. The permanent is
   0, and no engine says otherwise. */
TEST(t_sparse_merges_that_cancel)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_FRONTIER};
  double a[20 * 20];
  int n, i, k;
  for (n = 6; n <= 20; n += 7)
    for (k = 0; k < 3; k++) {
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
      perm_matrix matrix;
      perm_result result;
      for (i = 0; i < n * n; i++)
        a[i] = i < n ? i < 2 : i % n == 1 ? -a[i - 1] : 0.5 + test_uniform();
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
      CHECK(perm_compute_sparse(&matrix, &options, &result) >= PERM_OK);
      CHECK_SHOW(fabs(result.value) <= result.error_estimate && fabs(result.value) <= 1e-10 * pow(n, n),
                 "n=%d %s: %g +- %g", n, perm_name("method", result.method), result.value, result.error_estimate);
      perm_matrix_free(&matrix);
    }
}
/* SPDX-License-Identifier: MIT */
