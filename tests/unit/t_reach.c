/* >>dense, >>judge */
/* Perm_compute_* of arrays with many zeros: perm_sparse.h's engines, when both headers stand in the file. */

/* A block triangular matrix, permuted: two blocks of n / 2 with a third of their entries, couplings one way only. */
static void t_route_fill(int n, int parts, int64_t *a)
{
  int row[80], column[80], i, j, k;
  for (i = 0; i < n; i++)
    row[i] = column[i] = i;
  for (i = n - 1; i > 0; i--) {
    int other = test_below(i + 1), swap = row[i];
    row[i] = row[other];
    row[other] = swap;
    other = test_below(i + 1);
    swap = column[i];
    column[i] = column[other];
    column[other] = swap;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < parts; k++) {
        const int same = (i < n / 2) == (j < n / 2),
                  some = same ? i == j || test_below(6) == 0 : i < j && test_below(2);
        a[(row[i] * n + column[j]) * parts + k] = i == j ? 1 + test_below(3) : some ? test_below(7) - 3 : 0;
      }
}

TEST_LONG(t_route_matches_the_dense_engines)
{
  int parts, trial, i, n = 22;
  for (parts = 1; parts <= 2; parts++)
    for (trial = 0; trial < 6; trial++) {
      static int64_t a[2 * 22 * 22];
      static double x[2 * 22 * 22];
      perm_options dense, plain;
      perm_result exact, routed, direct, whole;
      memset(&dense, 0, sizeof dense);
      memset(&plain, 0, sizeof plain);
      dense.method = PERM_METHOD_DENSE;
      plain.method = PERM_METHOD_EXACT;
      t_route_fill(n, parts, a);
      for (i = 0; i < n * n * parts; i++)
        x[i] = (double)a[i];
      if (parts == 1) {
        perm_compute_integer(n, n, a, n, NULL, &exact);
        perm_compute_integer(n, n, a, n, &plain, &whole);
        perm_compute_real(n, n, x, n, NULL, &routed);
        perm_compute_real(n, n, x, n, &dense, &direct);
      } else {
        perm_compute_gaussian(n, n, a, n, NULL, &exact);
        perm_compute_gaussian(n, n, a, n, &plain, &whole);
        perm_compute_complex(n, n, x, n, NULL, &routed);
        perm_compute_complex(n, n, x, n, &dense, &direct);
      }
      CHECK_SHOW(exact.status == PERM_OK && exact.exact, "%s", exact.message);
      CHECK_SHOW(routed.status == PERM_OK, "%s", routed.message);
      CHECK(whole.method == PERM_METHOD_EXACT && direct.method == PERM_METHOD_DENSE);
      CHECK(exact.method != PERM_METHOD_EXACT || exact.terms <= whole.terms);
      CHECK(exact.value == whole.value && exact.imaginary == whole.imaginary);
      CHECK(hypot(ldexp(routed.value, (int)routed.exp2) - exact.value,
                  ldexp(routed.imaginary, (int)routed.exp2) - exact.imaginary) <=
            1e-9 * (hypot(exact.value, exact.imaginary) + 1e3));
      CHECK(routed.is_complex == (parts == 2) && exact.is_complex == (parts == 2));
    }
}

/* Beyond the dense engines' order, with a row stride; and what is refused names the caller's argument. */
TEST(t_route_large_and_wrong)
{
  int n = 300, ld = 303, i, j;
  double *a = (double *)calloc((size_t)(n * ld), sizeof *a);
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * ld + j] = abs(i - j) <= 1;
  CHECK(perm_compute_real(n, n, a, ld, NULL, &r) == PERM_OK); /* Fibonacci number 301 */
  CHECK_SHOW(fabs(ldexp(r.value, (int)r.exp2) / 3.5957932520658356e62 - 1) < 1e-13, "%.17g * 2^%lld", r.value, r.exp2);
  a[7 * ld + 8] = NAN;
  CHECK(perm_compute_real(n, n, a, ld, NULL, &r) < PERM_OK && r.argument == 3);
  a[7 * ld + 8] = 1;
  options.max_seconds = 1e-9;
  CHECK(perm_compute_real(n, n, a, ld, &options, &r) != PERM_OK || r.method == PERM_METHOD_STRUCTURE);
  options.max_seconds = 0;
  options.threads = -1;
  CHECK(perm_compute_real(n, n, a, ld, &options, &r) == PERM_ERROR_OPTION && r.argument == 5);
  free(a);
}
/* SPDX-License-Identifier: MIT */
