/* >>minors, >>minors_calls */
/* Minors of non-negative matrices by subsets, marginals, and what escalates: every minor is within the proved bound, a
   marginal is entry times minor over the permanent, in wide precision; precision fast never escalates; an escalation
   that is stopped leaves the first result. */

/* Weights, one in `zeros` is not 0 or, negative, is; the others up to 2^range apart. */
static void marginals_random(int count, int zeros, int range, double *a)
{
  int k;
  for (k = 0; k < count; k++)
    a[k] = !(zeros > 0 ? !test_below(zeros) : test_below(-zeros))
               ? 0
               : ldexp(0.5 + test_uniform(), range ? test_below(range) - range / 2 : 0);
}

/* The matrix with its copies, and ones until it is square. Returns the order. */
static int marginals_square(int m, int n, const double *a, const int *r, const int *c, double *full)
{
  const int rows = minors_total(m, r), columns = minors_total(n, c), order = rows > columns ? rows : columns;
  double made[256];
  int i, j;
  minors_write_out(m, n, 1, a, r, c, made);
  for (i = 0; i < order; i++)
    for (j = 0; j < order; j++)
      full[i * order + j] = i < rows && j < columns ? made[i * columns + j] : 1;
  return order;
}

/* One matrix against quadruple precision. Returns the largest error as a share of the bound, or -1: per = 0. */
static double marginals_check(int m, int n, const double *a, const int *r, const int *c, const perm_options *options)
{
  static double full[256], rest[256], out[256], back[256], gradient[256];
  const int order = marginals_square(m, n, a, r, c, full);
  const oracle_wide whole = oracle_real(order, full);
  const int fewer = minors_total(m, r) <= minors_total(n, c), left = abs(minors_total(m, r) - minors_total(n, c));
  double worst = 0, value;
  perm_result result;
  int i, j, k;
  const perm_status status = perm_marginals_real(m, n, a, n, r, c, options, out, &result);
  if (whole == 0) {
    CHECK(status == PERM_ERROR_ZERO && result.argument == 3 && (m * n == 0 || out[0] != out[0]));
    CHECK_TEXT(result.message, "permanent is 0");
    return -1;
  }
  CHECK_SHOW(status == PERM_OK, "%d x %d: %s", m, n, result.message);
  value = (double)whole;
  for (k = 2; k <= left; k++)
    value /= k;
  if (value < INFINITY)
    CHECK_SHOW(fabs(permi_ldexp(result.value, result.exp2) - value) <= 1e-12 * value, "%.17g 2^%lld, not %.17g",
               result.value, result.exp2, value);
  for (i = 0; i < m; i++) {
    double sum = 0;
    for (j = 0; j < n; j++) {
      const double copies = (double)(r ? r[i] : 1) * (c ? c[j] : 1);
      double exact = 0;
      if (copies > 0 && order > 0) {
        minors_without(order, 1, full, minors_total(i, r), minors_total(j, c), rest);
        exact = (double)(oracle_real(order - 1, rest) * (oracle_wide)a[i * n + j] * (oracle_wide)copies / whole);
      }
      CHECK_SHOW(fabs(out[i * n + j] - exact) <= result.error_estimate + 1e-16 * exact, "(%d, %d): %.17g not %.17g, %g",
                 i, j, out[i * n + j], exact, result.error_estimate);
      worst = fmax(worst, fabs(out[i * n + j] - exact) / fmax(result.error_estimate, 1e-300));
      sum += out[i * n + j];
    }
    CHECK_SHOW(!fewer || fabs(sum - (r ? r[i] : 1)) <= n * result.error_estimate + 4e-16 * n, "row %d: %.17g", i, sum);
  }
  if (result.method == PERM_METHOD_SUBSETS)
    CHECK(result.error_bound == result.error_estimate && result.error_bound < 1e-12 * order * order);
  for (i = 0; i < m; i++) /* the transpose has the same */
    for (j = 0; j < n; j++)
      back[j * m + i] = a[i * n + j];
  CHECK(perm_marginals_real(n, m, back, m, c, r, options, gradient, &result) == PERM_OK);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      CHECK(fabs(gradient[j * m + i] - out[i * n + j]) <= 1e-12);
  return worst;
}

TEST(t_marginals_exactly)
{
  static const int counts[4][5] = {{1, 2, 1, 0, 3}, {2, 2, 2, 1, 1}, {0, 0, 0, 0, 0}, {4, 1, 0, 2, 1}};
  double a[100], worst = 0;
  int found = 0, trial;
  for (trial = 0; trial < 120; trial++) {
    const int m = 1 + test_below(7), n = 1 + test_below(9), range = trial % 4 == 3 ? 600 : trial % 4 == 2 ? 60 : 0;
    double share;
    marginals_random(m * n, trial % 5 ? -3 : 3, range, a);
    share = marginals_check(m, n, a, NULL, NULL, NULL);
    found += share < 0;
    worst = fmax(worst, share);
  }
  for (trial = 0; trial < 48; trial++) {
    marginals_random(25, -3, trial % 3 ? 0 : 300, a);
    marginals_check(5, 5, a, trial % 5 ? counts[trial % 4] : NULL, trial % 7 ? counts[trial / 4 % 4] : NULL, NULL);
  }
  CHECK_SHOW(worst > 1e-3 && found > 3 && found < 60, "vacuous: %g of the estimate, %d without assignments", worst,
             found);
}

/* Targets, measurements, and a column for each miss: examples/tracking.c; the same as rows of ones with copies. */
TEST(t_marginals_of_targets)
{
  static double a[64 * 64], padded[64 * 64], out[64 * 64], gradient[64 * 64];
  double before = 0;
  int t, i, j;
  for (t = 1; t <= 12; t++) {
    const int m = t + 1, n = m + t;
    perm_options options;
    perm_result r, s;
    int counts[64];
    memset(&options, 0, sizeof options);
    options.threads = t % 2;
    options.tolerance = t % 3 ? 0 : 1e300;
    for (i = 0; i <= t; i++) {
      counts[i] = i < t ? 1 : m;
      for (j = 0; j < n; j++)
        padded[i * n + j] = i == t ? 1 : j < m ? 20 * test_uniform() : j == m + i ? 0.1 : 0;
    }
    memcpy(a, padded, (size_t)(t * n) * sizeof *a);
    CHECK(perm_marginals_real(t, n, a, n, NULL, NULL, &options, out, &r) == PERM_OK && r.method == PERM_METHOD_SUBSETS);
    CHECK(r.error_bound < 1e-12 && !r.escalated && r.terms <= ldexp(t + 2, t));
    CHECK(perm_gradient_real(t + 1, n, padded, n, counts, NULL, &options, gradient, &s) == PERM_OK && !s.escalated);
    CHECK(t < 6 || (s.method == PERM_METHOD_SUBSETS && s.error_bound < 1e-11 * s.value));
    CHECK_SHOW(t < 7 || (s.terms < 3 * before && s.terms == r.terms), "%g after %g", s.terms, before);
    before = s.terms;
    for (i = 0; i < t; i++)
      for (j = 0; j < n; j++)
        CHECK(fabs(out[i * n + j] - a[i * n + j] * gradient[i * n + j] / s.value) < 1e-11);
  }
}

/* Scales by powers of two change no bit; threads neither; weights hundreds of orders apart. */
TEST(t_marginals_scales)
{
  double a[9 * 24], b[9 * 24], x[9 * 24], y[9 * 24];
  perm_options options;
  perm_result r, s;
  int i, j;
  marginals_random(9 * 24, -3, 0, a);
  memset(&options, 0, sizeof options);
  for (i = 0; i < 9; i++)
    for (j = 0; j < 24; j++)
      b[i * 24 + j] = ldexp(a[i * 24 + j], 100 * i - 400);
  CHECK(perm_marginals_real(9, 24, a, 24, NULL, NULL, NULL, x, &r) == PERM_OK);
  options.threads = 2;
  CHECK(perm_marginals_real(9, 24, b, 24, NULL, NULL, &options, y, &s) == PERM_OK && !memcmp(x, y, sizeof x));
  CHECK(permi_ldexp(s.value, s.exp2) == r.value && r.exp2 == 0);
  for (i = 0; i < 4 * 24; i++)
    a[i] = i % 24 ? 1e-200 : 1;
  CHECK(perm_marginals_real(4, 24, a, 24, NULL, NULL, NULL, x, &r) == PERM_OK);
  for (i = 0; i < 4; i++)
    CHECK_SHOW(fabs(x[24 * i] - 0.25) < 1e-14 && fabs(x[24 * i + 1] - 0.75 / 23) < 1e-14, "%g %g", x[24 * i],
               x[24 * i + 1]);
  CHECK(permi_ldexp(r.value, r.exp2) == 0 && r.value > 0);
}

/* No chance is below 0, or -0, where the kernels' rounding is above it. */
TEST(t_marginals_are_not_negative)
{
  static const double a[9] = {0x1.7168e92ead8a9p+102, 0x1.6f023dcf5f2acp+66,  0x1.958b94282edd2p+135,
                              0x1.bb8763ef7579cp+170, 0x1.420f851efa14ap-16,  0x1.4fdbca9fc71ep-190,
                              0x1.38c7957aec666p+179, -0.0,                   0x1.609e79c31ddfp-91};
  double x[9];
  perm_result r;
  int k;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, x, &r) == PERM_OK && r.method == PERM_METHOD_DENSE);
  for (k = 0; k < 9; k++)
    CHECK_SHOW(x[k] >= 0 && !signbit(x[k]), "%d: %g", k, x[k]);
}

/* Too many states for memory: the kernels, which escalate to subsets where they may. */
TEST(t_marginals_elsewhere)
{
  static double a[400], x[400], y[400];
  perm_options options;
  perm_result r, s;
  int i;
  memset(&options, 0, sizeof options);
  for (i = 0; i < 400; i++)
    a[i] = 1e-3 + test_uniform();
  CHECK(perm_marginals_real(18, 18, a, 18, NULL, NULL, NULL, x, &r) == PERM_OK);
  options.method = PERM_METHOD_DENSE;
  CHECK(perm_marginals_real(18, 18, a, 18, NULL, NULL, &options, y, &s) == PERM_OK && s.method == PERM_METHOD_DENSE);
  for (i = 0; i < 18 * 18; i++)
    CHECK(fabs(x[i] - y[i]) <= r.error_estimate + s.error_estimate);
  options.method = PERM_METHOD_AUTO;
  options.threads = 1; /* each has memory of its own */
  options.max_bytes = 1e6;
  CHECK(perm_marginals_real(18, 18, a, 18, NULL, NULL, &options, y, &s) == PERM_OK && s.method != PERM_METHOD_SUBSETS);
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_marginals_real(9, 14, a, 14, NULL, NULL, &options, y, &s) == PERM_OK &&
        s.precision == PERM_PRECISION_DD);
  CHECK(perm_marginals_real(9, 14, a, 14, NULL, NULL, NULL, x, &r) == PERM_OK);
  for (i = 0; i < 9 * 14; i++)
    CHECK(fabs(x[i] - y[i]) <= 1.01 * r.error_bound);
}

TEST(t_marginals_statuses)
{
  static double wide[65 * 65], many[65 * 65];
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[9] = {0};
  static const int negative[3] = {1, -1, 3}, none[3] = {0, 0, 0};
  perm_options options;
  perm_result r;
  int i, cancel = 1;
  memset(&options, 0, sizeof options);
  for (i = 0; i < 65 * 65; i++)
    wide[i] = 1;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, out, NULL) == PERM_ERROR_NULL && minors_blank(9, out));
  CHECK(perm_marginals_real(3, 3, NULL, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 8);
  CHECK_TEXT(r.message, "marginals is NULL");
  CHECK(perm_marginals_real(3, 3, a, 2, NULL, NULL, NULL, out, &r) == PERM_ERROR_STRIDE);
  CHECK(perm_marginals_real(-1, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_SIZE);
  CHECK(perm_marginals_real(3, 3, a, 3, negative, NULL, NULL, out, &r) == PERM_ERROR_COUNTS && minors_blank(9, out));
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, negative, NULL, out, &r) == PERM_ERROR_COUNTS && r.argument == 6);
  CHECK(perm_marginals_real(65, 3, wide, 3, NULL, NULL, NULL, many, &r) == PERM_ERROR_SIZE && r.argument == 1);
  CHECK(perm_marginals_real(3, 65, wide, 65, NULL, NULL, NULL, many, &r) == PERM_ERROR_SIZE && r.argument == 2);
  CHECK(perm_marginals_real(1, 1, a, 1, &(const int){200}, &(const int){257}, NULL, out, &r) == PERM_ERROR_SIZE);
  for (i = 0; i < 64; i++)
    ((int *)many)[i] = 2;
  CHECK(perm_marginals_real(64, 64, wide, 64, NULL, (const int *)many, NULL, many + 99, &r) == PERM_ERROR_SIZE);
  CHECK_TEXT(r.message, "64 different rows");
  CHECK(perm_marginals_real(3, 3, a, 3, none, NULL, NULL, out, &r) == PERM_OK && r.value == 1 && out[4] == 0);
  CHECK(perm_marginals_real(0, 0, NULL, 0, NULL, NULL, NULL, NULL, &r) == PERM_OK && r.value == 1);
  CHECK(perm_marginals_real(0, 3, NULL, 3, NULL, NULL, NULL, out, &r) == PERM_OK && fabs(r.value - 1) < 1e-15);
  a[4] = -1e-300;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 3);
  CHECK(minors_blank(9, out));
  CHECK_TEXT(r.message, "row 2, column 2");
  a[4] = -0.0;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_OK && out[4] == 0);
  a[4] = NAN;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
  a[3] = a[4] = a[5] = 0;
  CHECK(perm_marginals_real(3, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_ZERO && minors_blank(9, out));
  options.certify = 1;
  CHECK(perm_marginals_real(2, 2, a, 3, NULL, NULL, &options, out, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 7);
  options.certify = 0;
  options.cancel = &cancel;
  CHECK(perm_marginals_real(17, 33, wide, 33, NULL, NULL, &options, many, &r) == PERM_STOPPED_CANCELLED);
  CHECK(minors_blank(17 * 33, many) && r.value != r.value);
  options.cancel = NULL;
  options.max_seconds = 1e-3;
  CHECK(perm_marginals_real(16, 33, wide, 33, NULL, NULL, &options, many, &r) != PERM_OK);
  CHECK(minors_blank(16 * 33, many));
}

/* Columns in pairs, which differ in the signs of row 1 alone and, by a little, in row 0: all but that cancels. For
   gradients targets and measurements, with a chance below 0. */
static void marginals_cancelling(int n, double *a, int t, double *tracks)
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i == 0 ? 1 + ldexp(j == 0, -30) : i == 1 ? j % 2 ? -1 : 1 : 1 + j / 2 * 7 % (i + 2);
  for (i = 0; i <= t; i++)
    for (j = 0; j < 2 * t + 1; j++)
      tracks[i * (2 * t + 1) + j] = i == t ? 1 : j <= t ? 1 + (i * j + j) % 5 : j == t + 1 + i ? 0.01 : 0;
  tracks[0] = -1e-3;
}

typedef enum marginals_call {
  CALL_REAL, CALL_COMPLEX, CALL_COUNTS, CALL_MINORS, CALL_GRADIENT, CALL_SPARSE, CALL_KINDS
} marginals_call;

static perm_status marginals_escalating(marginals_call call, const double *a, const double *tracks,
                                        const perm_options *options, double *out, perm_result *result)
{
  enum { N = 18 };
  static double pairs[2 * N * N];
  static const double quarter[9] = {1, 1, -1, 1, -1, -1.25, 1 + 0x1p-30, 1, 1};
  static const int copies[11] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 11}, thrice[3] = {8, 8, 8};
  perm_matrix matrix;
  perm_status status;
  int i;
  memset(pairs, 0, sizeof pairs);
  for (i = 0; i < N * N; i++)
    pairs[2 * i] = a[i];
  switch (call) {
  case CALL_REAL: return perm_compute_real(N, N, a, N, options, result);
  case CALL_COMPLEX: return perm_compute_complex(N, N, pairs, N, options, result);
  case CALL_COUNTS: return perm_compute_repeated_real(3, 3, quarter, 3, thrice, thrice, options, result);
  case CALL_MINORS: return perm_minors_real(11, 21, tracks, 21, copies, NULL, 0, options, out, result);
  case CALL_GRADIENT: return perm_gradient_real(11, 21, tracks, 21, copies, NULL, options, out, result);
  default: break;
  }
  CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, result) == PERM_OK);
  status = perm_compute_sparse(&matrix, options, result);
  perm_matrix_free(&matrix);
  return status;
}

TEST(t_marginals_escalations)
{
  static double a[324], tracks[231], out[231];
  perm_options options;
  perm_result r;
  int call, escalated = 0, any = 0; /* quick kernels look once, before a sum */
  memset(&options, 0, sizeof options);
  options.threads = 1;
  marginals_cancelling(18, a, 10, tracks);
  for (call = 0; call < CALL_KINDS; call++) {
    int kept = 0, stopped = 0, at;
    CHECK(marginals_escalating((marginals_call)call, a, tracks, &options, out, &r) == PERM_OK);
    if (test_verbose)
      printf("     call %d: %g, estimate %g, escalated %d\n", call, r.value, r.error_estimate, r.escalated);
    if (!r.escalated)
      continue;
    escalated++;
    for (at = 1; at < 400; at++) {
      perm_status status;
      stop_fault.looks = 0;
      stop_fault.at = at;
      status = marginals_escalating((marginals_call)call, a, tracks, &options, out, &r);
      stop_fault.at = 0;
      stopped += status == PERM_STOPPED_CANCELLED;
      CHECK(status == PERM_OK || (status == PERM_STOPPED_CANCELLED && !kept));
      CHECK_SHOW(status != PERM_OK || r.value == r.value, "call %d, stopped at %d", call, at);
      kept += status == PERM_OK && !r.escalated;
      if (status == PERM_OK && r.escalated)
        break;
    }
    CHECK_SHOW(kept, "call %d: %d stopped, %d kept, escalated at %d", call, stopped, kept, at);
    any += stopped;
  }
  CHECK(any);
  CHECK_SHOW(escalated >= 4, "%d calls escalate", escalated);
}

/* The columns are always taken, twice and once; the entries are further apart than doubles. */
TEST(t_marginals_far_apart)
{
  const double a[2] = {DBL_MAX, 4.9406564584124654e-324};
  const int rows[1] = {3}, columns[2] = {2, 1};
  double marginal[2];
  perm_result result;
  CHECK(perm_marginals_real(1, 2, a, 2, rows, columns, NULL, marginal, &result) == PERM_OK);
  CHECK_SHOW(fabs(marginal[0] - 2) + fabs(marginal[1] - 1) <= result.error_estimate && result.error_estimate < 3,
             "%g %g +- %g", marginal[0], marginal[1], result.error_estimate);
}
/* SPDX-License-Identifier: MIT */
