/* The frontier programme: every kind of value lies within its own bound of exact arithmetic, in all the digits that it
   keeps. */

/* A job by its parts: the number before it is rounded to a double, in which double-doubles can be seen. */
static perm_status t_lists_number(const perm_matrix *matrix, const perm_options *options, permi_number *number,
                                  perm_precision *precision)
{
  perm_job *job;
  perm_result result;
  perm_partial *partial;
  int leaves, k;
  perm_status status = perm_sparse_job(matrix, options, &job, &result);
  if (status != PERM_OK)
    return status;
  leaves = perm_job_leaves(job);
  partial = (perm_partial *)calloc((size_t)leaves + 1, sizeof *partial);
  for (k = 0; k < leaves && status == PERM_OK; k++) {
    perm_leaf leaf;
    perm_job_leaf(job, k, &leaf);
    status = perm_job_run(job, k, 0, leaf.chunks, &partial[k]);
  }
  if (status == PERM_OK)
    status = permi_job_value(job, partial, number);
  *precision = job->precision;
  perm_job_free(job);
  free(partial);
  return status;
}

/* Structures that keep rows and columns of any degree: bands, rings, random ones. */
static void t_lists_random(int n, int parts, int shape, double *a)
{
  const int wide = shape % 4 == 3; /* graded */
  int i, k;
  for (i = 0; i < n * n; i++) {
    const int by = (i % n - i / n + n) % n;
    const int there = shape % 3 == 0 ? by < 4 || by > n - 2 : shape % 3 == 1 ? by < 2 || !test_below(4) : by < 2 || test_below(2);
    for (k = 0; k < parts; k++) {
      double x = shape % 2 ? test_uniform() + 0.1 : 2 * test_uniform() - 1;
      if (wide)
        x = ldexp(x, test_below(400) - 200);
      a[i * parts + k] = !there || (parts == 2 && !test_below(5)) ? 0 : x;
    }
  }
}

TEST(t_lists_values_match_exact_arithmetic)
{
  static const perm_precision precisions[] = {PERM_PRECISION_FAST, PERM_PRECISION_DEFAULT, PERM_PRECISION_ACCURATE,
                                              PERM_PRECISION_DD};
  double a[2 * 12 * 12];
  int trial, p, finite = 0, close = 0, doubled = 0;
  for (trial = 0; trial < 160; trial++) {
    const int parts = 1 + trial / 8 % 2, n = 2 + trial % 11;
    perm_matrix matrix;
    oracle_exact exact;
    t_lists_random(n, parts, trial, a);
    exact = oracle_exact_make(parts, n, a);
    if (parts == 2)
      matrix = t_sparse_complex_matrix(n, a);
    else
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    for (p = 0; p < 4; p++) {
      perm_options options = t_sparse_options(PERM_FRONTIER, precisions[p]);
      permi_number number;
      perm_precision precision = PERM_PRECISION_DEFAULT;
      double error, size;
      CHECK(t_lists_number(&matrix, &options, &number, &precision) == PERM_OK);
      error = oracle_exact_part(&exact, 0, number.value.hi, number.value.lo, number.exp2);
      if (parts == 2)
        error = hypot(error, oracle_exact_part(&exact, 1, number.imaginary.hi, number.imaginary.lo, number.exp2));
      size = hypot(number.value.hi, number.imaginary.hi);
      CHECK_SHOW(error <= number.error * (1 + 1e-14) && error <= number.estimate * (1 + 1e-14) + 1e-30 * size,
                 "trial %d n %d parts %d %s: error %g, bound %g, estimate %g, value %g", trial, n, parts,
                 perm_precision_name(precisions[p]), error, number.error, number.estimate, size);
      finite += number.error < (double)INFINITY;
      close += number.error < (p < 2 ? 1e-12 : 1e-27) * size;
      doubled += p >= 2 && precision == PERM_PRECISION_DD;
    }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite == 640 && close > 500 && doubled > 250, "%d finite, %d close, %d doubled", finite, close, doubled);
}

/* Cancellation that leaves no digit of a double is met by the next precision, by itself. */
TEST(t_lists_escalate_to_double_double)
{
  double a[12 * 12];
  int n = 12, i;
  perm_matrix matrix;
  perm_options options = t_sparse_options(PERM_FRONTIER, PERM_PRECISION_DEFAULT);
  perm_result r;
  oracle_exact exact;
  for (i = 0; i < n * n; i++) /* two equal columns but for signs of rows in pairs: nearly 0 */
    a[i] = (i % n - i / n + n) % n < 5 ? 1 + test_uniform() : 0;
  for (i = 0; i < n; i++)
    a[i * n + 1] = i == 0 ? 1 : 0, a[i * n + 2] = i == 0 || i == 1 ? 1 : 0;
  for (i = 0; i < n; i++)
    a[n + i] = a[n + i] != 0 ? (i & 1 ? -1 : 1) * a[n + i] : 0;
  a[2] = -1 - 1e-13;
  exact = oracle_exact_make(1, n, a);
  CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
  options.tolerance = 1e-15;
  CHECK(perm_compute_sparse(&matrix, &options, &r) >= PERM_OK);
  CHECK_SHOW(r.precision == PERM_PRECISION_DD && r.escalated == 1 && r.method == PERM_FRONTIER, "%s %d",
             perm_precision_name(r.precision), r.escalated);
  CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error * (1 + 1e-14));
  oracle_exact_free(&exact);
  perm_matrix_free(&matrix);
}
