/* >>minors_dense, >>minors_kernels */
/* Minors and gradients, n = 2 .. 16, at once: within bound and estimate of the exact minors, and what options may ask.
   perm_compute_repeated_* of up to 12 lines is perm_compute_* of the matrix written out. */

typedef struct small_minors_seen {
  long at_once, general, bounded;
  double worst; /* of the estimates, at once */
} small_minors_seen;

/* |minor / factor - exact|, row i and column j left out of the n x n matrix. */
static double small_minors_distance(int n, int parts, const double *a, int i, int j, const double *minor,
                                    double factor, long long exp2)
{
  double rest[2 * 256], distance;
  oracle_exact exact;
  minors_without(n, parts, a, i, j, rest);
  exact = oracle_exact_make(parts, n - 1, rest);
  distance = oracle_exact_distance(&exact, minor[0] / factor, parts == 2 ? minor[1] / factor : 0, exp2);
  oracle_exact_free(&exact);
  return factor == 1 ? distance : distance - 2 * PERMI_UNIT * (fabs(minor[0]) + fabs(minor[parts - 1])) / factor;
}

/* Asks for minors (row -1: gradient) and checks some of them, with copies or NULL; n <= 12 lines with their copies. */
static perm_result small_minors_check(int m, int n, int parts, const double *a, const int *r, const int *c, int row,
                                      const perm_options *options, small_minors_seen *seen)
{
  static double full[2 * 256], out[2 * 256];
  const int total = minors_total(m, r), checks = total > 12 ? 1 : total > 8 ? 2 : 6;
  perm_result result;
  double largest = 0;
  int k;
  memset(&result, 0xa5, sizeof result);
  CHECK(minors_call(m, n, parts, a, r, c, row, options, out, &result) == PERM_OK);
  CHECK(result.status == PERM_OK && !result.message[0] && result.is_complex == (parts == 2) && !result.gpus &&
        !result.integer.words && !result.imaginary_integer.words && !result.exact);
  CHECK_SHOW(isfinite(result.value) && isfinite(result.imaginary), "n %d parts %d row %d: value %g %g 2^%lld %g s",
             n, parts, row, result.value, result.imaginary, result.exp2, result.seconds);
  minors_write_out(m, n, parts, a, r, c, full);
  for (k = 0; k < n * parts * (row < 0 ? m : 1); k++)
    largest = fmax(largest, fabs(out[k]));
  for (k = 0; k < checks; k++) {
    const int i = row < 0 ? test_below(m) : row, j = test_below(n), rows = r ? r[i] : 1, columns = c ? c[j] : 1;
    const double *minor = out + ((row < 0 ? i * n : 0) + j) * parts, factor = row < 0 ? rows * columns : 1;
    double distance;
    if (!rows || !columns) {
      CHECK(minor[0] == 0 && minor[parts - 1] == 0);
      continue;
    }
    distance = factor * small_minors_distance(total, parts, full, minors_total(i, r), minors_total(j, c), minor, factor,
                                              result.exp2);
    CHECK_SHOW(distance <= result.error_bound, "total %d parts %d row %d: %g over %g", total, parts, row, distance,
               result.error_bound);
    CHECK_SHOW(distance <= TEST_ESTIMATES * result.error_estimate, "total %d parts %d row %d isa %d: %g, estimate %g",
               total, parts, row, (int)result.isa, distance, result.error_estimate);
    if (result.seconds == 0 && result.error_estimate > 0)
      seen->worst = fmax(seen->worst, distance / result.error_estimate);
  }
  if (result.seconds == 0) {
    seen->at_once++;
    CHECK(result.exp2 == 0 && result.error_estimate <= result.error_bound &&
          result.error_estimate <= 1e-10 * largest * (1 + 1e-9));
    seen->bounded += result.error_bound <= 1e-3 * largest;
  } else {
    seen->general++;
  }
  return result;
}

TEST(t_small_minors_bounds_and_estimates)
{
  double a[2 * 256];
  small_minors_seen seen = {0, 0, 0, 0};
  SMALL_EVERY(n, parts, isa) {
    int kind, run;
    for (kind = 0; kind < (n > 14 ? 2 : 6) && (n < 13 || !test_quick); kind++)
      for (run = 0; run < (n > 9 ? 1 : 4); run++) {
        perm_options options;
        perm_result r;
        oracle_exact exact;
        int row = test_below(n + 1) - 1;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        small_result_matrix(kind, n, parts, a);
        r = small_minors_check(n, n, parts, a, NULL, NULL, row, &options, &seen);
        exact = oracle_exact_make(parts, n, a);
        CHECK_SHOW(oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2) <=
                       1e-9 * (fabs(r.value) + fabs(r.imaginary)) || kind > 2,
                   "n %d parts %d kind %d: value %g", n, parts, kind, r.value);
        oracle_exact_free(&exact);
        CHECK(r.seconds > 0 || r.isa == (n > 4 ? permi_isa(&options) : PERM_ISA_PLAIN));
      }
  }
  CHECK_SHOW(seen.at_once > 300 && seen.general > 3 && 3 * seen.bounded > 2 * seen.at_once, "%ld, %ld, %ld",
             seen.at_once, seen.general, seen.bounded);
  CHECK_SHOW(seen.worst > 0.001 && seen.worst < TEST_ESTIMATES, "%g estimates", seen.worst);
}

/* Whole numbers, of which the kernels round none: minors, bound and estimate are exact, and Laplace's expansion holds
   along every row. */
TEST(t_small_minors_rounds_nothing)
{
  double a[2 * 256], minors[2 * 256];
  SMALL_EVERY(n, parts, isa) {
    perm_options options;
    perm_result r, whole;
    int64_t integer[2 * 256];
    int i, j;
    memset(&options, 0, sizeof options);
    options.isa = (perm_isa)isa;
    for (i = 0; i < n * n * parts; i++)
      a[i] = (double)(integer[i] = n > 12 ? test_below(4) == 0 : test_below(3));
    CHECK((parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, integer, n, NULL, &whole) == PERM_OK);
    CHECK(minors_call(n, n, parts, a, NULL, NULL, -1, &options, minors, &r) == PERM_OK);
    if ((n > 9 && r.error_bound > 0) || (r.value == 0 && r.imaginary == 0)) /* of zeros alone: the general path */
      continue;
    CHECK_SHOW(r.error_bound == 0 && r.error_estimate == 0 && r.seconds == 0 && r.value == whole.value &&
                 r.imaginary == whole.imaginary, "n %d parts %d: %g, not %g", n, parts, r.value, whole.value);
    for (i = 0; i < n; i++) {
      double sum[2] = {0, 0};
      for (j = i * n * parts; j < (i + 1) * n * parts; j += parts) {
        sum[0] += a[j] * minors[j] - (parts == 2 ? a[j + 1] * minors[j + 1] : 0);
        sum[1] += parts == 2 ? a[j] * minors[j + 1] + a[j + 1] * minors[j] : 0;
      }
      CHECK_SHOW(sum[0] == r.value && sum[1] == r.imaginary, "n %d parts %d row %d: %g, not %g", n, parts, i, sum[0],
                 r.value);
    }
  }
}

/* `total` lines, as copies of up to `lines`, some of which have none. */
static void small_minors_counts(int lines, int total, int *counts)
{
  memset(counts, 0, (size_t)lines * sizeof *counts);
  for (; total > 0; total--)
    counts[test_below(lines)]++;
}

TEST(t_small_minors_multiplicities)
{
  small_minors_seen seen = {0, 0, 0, 0};
  double a[2 * 64], full[2 * 144];
  int64_t integer[2 * 64], whole[2 * 144];
  int run, parts, i;
  for (run = 0; run < 120; run++)
    for (parts = 1; parts <= 2; parts++) {
      const int m = 1 + test_below(8), n = 1 + test_below(8), total = 2 + test_below(run % 10 ? 8 : 11);
      int r[8], c[8], row;
      perm_result one, all;
      small_random(m * n * parts, a);
      for (i = 0; i < m * n * parts; i++)
        integer[i] = test_below(9) - 4;
      small_minors_counts(m, total, r);
      small_minors_counts(n, total, c);
      for (row = test_below(m); !r[row]; row = (row + 1) % m)
        ;
      small_minors_check(m, n, parts, a, r, c, row, NULL, &seen);
      small_minors_check(m, n, parts, a, r, c, -1, NULL, &seen);
      minors_write_out(m, n, parts, a, r, c, full);
      CHECK((parts == 2 ? perm_compute_repeated_complex : perm_compute_repeated_real)(m, n, a, n, r, c, NULL, &one) ==
            PERM_OK);
      CHECK((parts == 2 ? perm_compute_complex : perm_compute_real)(total, total, full, total, NULL, &all) == PERM_OK);
      CHECK_SHOW((one.seconds > 0 && all.seconds > 0) || (one.value == all.value && one.imaginary == all.imaginary &&
                                                          one.error_bound == all.error_bound && one.seconds == 0),
                 "total %d parts %d: %.17g %.17g", total, parts, one.value, all.value);
      for (i = 0; i < m * n * parts; i++)
        a[i] = (double)integer[i];
      minors_write_out(m, n, parts, a, r, c, full);
      for (i = 0; i < total * total * parts; i++)
        whole[i] = (int64_t)full[i];
      CHECK((parts == 2 ? perm_compute_repeated_gaussian : perm_compute_repeated_integer)(m, n, integer, n, r, c, NULL,
                                                                                          &one) == PERM_OK);
      CHECK((parts == 2 ? perm_compute_gaussian : perm_compute_integer)(total, total, whole, total, NULL, &all) ==
            PERM_OK);
      CHECK(one.exact && all.exact && one.value == all.value && one.imaginary == all.imaginary &&
            (one.seconds == 0) == (all.seconds == 0));
    }
  CHECK_SHOW(seen.at_once > 300, "%ld, %ld", seen.at_once, seen.general);
}

/* Values from 0 to 1e300 anywhere, also in the row without, rows that cancel, Hadamard matrices and beam splitters: at
   once or by the general path, every minor is within the estimate, and no finite entry gives NaN. */
TEST(t_small_minors_hostile)
{
  static const double hostile[9] = {0, 1e300, 1e-300, 5e-324, 1e160, -1e-160, DBL_MIN, DBL_MAX, 1e13};
  small_minors_seen seen = {0, 0, 0, 0};
  double a[2 * 144];
  int run, parts, i, k;
  for (run = 0; run < 600; run++)
    for (parts = 1; parts <= 2; parts++) {
      const int n = 2 + test_below(7), row = test_below(n + 1) - 1, kind = run % 6;
      for (i = 0; i < n * n * parts; i++) {
        const int at = i / parts / n, to = i / parts % n;
        a[i] = kind == 3   ? (test_below(2) ? 1 : -1) * (test_below(n) ? 1 : 1 + ldexp(1, -40))
               : kind == 4 ? at / 2 != to / 2     ? ldexp(1, -20 - test_below(60))
                             : at % 2 && to % 2 ? -sqrt(0.5)
                                                : sqrt(0.5)
               : kind == 5 ? ldexp(2 * test_uniform() - 1, 40 * (at % 3 - 1) + 30 * (to % 3 - 1))
                           : 2 * test_uniform() - 1;
      }
      for (k = kind < 3 ? 1 + test_below(kind == 2 ? n * n : 3) : 0; k > 0; k--)
        a[test_below(n * n * parts)] = hostile[test_below(9)];
      for (i = 0; kind == 1 && i < n * parts; i++) /* a whole row */
        a[(row < 0 ? 0 : row) * n * parts + i] *= hostile[run / 6 % 9];
      for (i = 0; i < n * n * parts; i++)
        a[i] = fmin(fmax(a[i], -DBL_MAX), DBL_MAX);
      small_minors_check(n, n, parts, a, NULL, NULL, row, NULL, &seen);
    }
  CHECK_SHOW(seen.at_once > 300 && seen.general > 200, "%ld, %ld", seen.at_once, seen.general);
}

/* Uphill from random matrices, the first minor's error against the estimate. */
TEST(t_small_minors_climb)
{
  int trial, step;
  double found = 0;
  for (trial = 0; trial < 24; trial++) {
    const int parts = 1 + trial % 2, n = 3 + trial / 2 % 5, row = trial / 12 ? 0 : -1;
    double a[2 * 64], b[2 * 64], out[2 * 64], worst = 0;
    perm_result r;
    small_random(n * n * parts, a);
    for (step = 0; step < 250; step++) {
      double ratio;
      int at = test_below(n * n * parts);
      memcpy(b, a, sizeof b);
      b[at] = test_below(3) ? b[at] * (1 + ldexp(2 * test_uniform() - 1, -test_below(50))) : -b[test_below(n * n)];
      CHECK(minors_call(n, n, parts, b, NULL, NULL, row, NULL, out, &r) == PERM_OK);
      if (r.error_estimate == 0)
        continue;
      ratio = small_minors_distance(n, parts, b, 0, 0, out, 1, r.exp2) / r.error_estimate;
      CHECK_SHOW(ratio <= TEST_ESTIMATES, "n %d parts %d: %g estimates", n, parts, ratio);
      if (ratio >= worst) {
        worst = ratio;
        memcpy(a, b, sizeof a);
      }
    }
    found = fmax(found, worst);
  }
  CHECK_SHOW(found > 0.1, "%g", found);
}

static perm_status small_minors_job(const perm_job *job, perm_state *state, const perm_options *options,
                                    perm_result *result)
{
  return perm_job_execute(job, state, options, result);
}

/* The same bits with options that ask for no more; the general path for the others; errors as before. */
TEST(t_small_minors_options)
{
  double a[2 * 16 * 19], tight[2 * 256], x[2 * 256], y[2 * 256];
  static const int once[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  int n, parts, row, k, i;
  for (n = 2; n <= (test_quick ? 12 : 14); n++)
    for (parts = 1; parts <= 2; parts++)
      for (row = -1; row < n; row += n) {
        const ptrdiff_t ld = n + test_below(4);
        const size_t bytes = (size_t)(n * parts * (row < 0 ? n : 1)) * sizeof *x;
        perm_options options;
        perm_result r, s;
        small_random(2 * 16 * 19, a);
        for (i = 0; i < n * n * parts; i++)
          tight[i] = a[i / (n * parts) * ld * parts + i % (n * parts)];
        CHECK(minors_call(n, n, parts, tight, NULL, NULL, row, NULL, x, &r) == PERM_OK && r.seconds == 0);
        memset(&options, 0, sizeof options);
        options.threads = 2;
        options.tolerance = 1e-9;
        options.max_bytes = 1e6;
        options.max_seconds = 100;
        for (k = 0; k < (n > 12 ? 1 : 2); k++) { /* with gaps; with counts */
          perm_status status;
          if (row < 0)
            status = (parts == 2 ? perm_gradient_complex : perm_gradient_real)(
                n, n, k ? tight : a, k ? n : ld, k ? once : NULL, k ? once : NULL, &options, y, &s);
          else
            status = (parts == 2 ? perm_minors_complex : perm_minors_real)(
                n, n, k ? tight : a, k ? n : ld, k ? once : NULL, k ? once : NULL, row, &options, y, &s);
          CHECK_SHOW(status == PERM_OK && !memcmp(x, y, bytes) && r.value == s.value && r.imaginary == s.imaginary &&
                         r.error_bound == s.error_bound && r.error_estimate == s.error_estimate && s.seconds == 0,
                     "n %d parts %d row %d way %d", n, parts, row, k);
        }
        for (k = 0; k < 6; k++) {
          memset(&options, 0, sizeof options);
          if (k == 0)
            options.method = PERM_METHOD_DENSE;
          if (k == 1)
            options.method = PERM_METHOD_GLYNN;
          if (k == 2)
            options.precision = PERM_PRECISION_DD;
          if (k == 3)
            options.max_seconds = 1e-5;
          if (k == 4)
            options.execute = small_minors_job;
          if (k == 5)
            options.tolerance = 1e-30;
          s.seconds = 1;
          i = minors_call(n, n, parts, tight, NULL, NULL, row, &options, y, &s);
          CHECK_SHOW(i == PERM_OK ? s.seconds > 0 : k == 3 || i == PERM_TOLERANCE_NOT_MET, "n %d way %d: %s", n, k,
                     perm_name("status", (perm_status)i));
          for (i = 0; k != 3 && i < (int)(bytes / sizeof *x); i++)
            CHECK(fabs(x[i] - y[i]) <= TEST_ESTIMATES * (r.error_estimate + s.error_estimate));
        }
        options.tolerance = 0;
        options.certify = 1;
        CHECK(minors_call(n, n, parts, tight, NULL, NULL, row, &options, y, &s) == PERM_ERROR_UNSUPPORTED);
        options.certify = 0;
        options.checkpoint.parts = 2;
        options.checkpoint.part = 1;
        CHECK(minors_call(n, n, parts, tight, NULL, NULL, row, &options, y, &s) == PERM_ERROR_OPTION && y[0] != y[0]);
      }
}

/* Entries that are not finite are an error even in lines without a copy; so is what counts may be wrong by. */
TEST(t_small_minors_arguments)
{
  static const int some[3] = {2, 0, 1}, three[3] = {1, 1, 1}, four[3] = {2, 1, 1};
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[9];
  perm_result r;
  CHECK(perm_minors_real(3, 3, a, 3, some, three, 1, NULL, out, &r) == PERM_ERROR_RANGE);
  CHECK(perm_minors_real(3, 3, a, 3, four, three, 0, NULL, out, &r) == PERM_ERROR_COUNTS);
  CHECK(perm_minors_real(3, 3, a, 3, three, some, 0, NULL, out, &r) == PERM_OK && out[1] == 0 && r.seconds == 0);
  a[4] = NAN;
  CHECK(perm_minors_real(3, 3, a, 3, some, three, 0, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
  CHECK(perm_gradient_real(3, 3, a, 3, three, some, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 1, NULL, out, &r) == PERM_ERROR_NOT_FINITE); /* in the row left out */
  CHECK(perm_compute_repeated_real(3, 3, a, 3, some, three, NULL, &r) == PERM_ERROR_NOT_FINITE);
  a[4] = INFINITY;
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 1, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 0, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
}

/* On any error the minors are NaN, whatever stood there. */
TEST(t_small_minors_errors_are_nan)
{
  double a[16], out[17];
  perm_options options;
  perm_result r;
  int i, run;
  memset(&options, 0, sizeof options);
  for (i = 0; i < 16; i++)
    a[i] = i + 1;
  for (run = 0; run < 4; run++) { /* an infinity, a stride, an option */
    const int gradient = run != 1, entries = gradient ? 16 : 4;
    a[5] = run < 2 ? (double)INFINITY : 6;
    options.threads = run == 3 ? -1 : 0;
    for (i = 0; i < 17; i++)
      out[i] = 5;
    if (gradient)
      perm_gradient_real(4, 4, a, run == 2 ? 3 : 4, NULL, NULL, &options, out, &r);
    else
      perm_minors_real(4, 4, a, 4, NULL, NULL, 1, &options, out, &r);
    CHECK(r.status < 0 && r.argument > 0);
    for (i = 0; i < 17; i++)
      CHECK_SHOW(i < entries ? out[i] != out[i] : out[i] == 5, "run %d: minor %d is %g", run, i, out[i]);
  }
}
/* SPDX-License-Identifier: MIT */
