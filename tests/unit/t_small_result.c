/* >>small */
/* perm_compute_real and _complex, n = 2 .. 16: the value of perm_real and perm_complex, a bound that holds, an
   estimate that no error exceeds ten times, whatever options may do without a job. */

/* Asks for a job. */
static perm_status small_result_job(const perm_job *job, perm_state *state, const perm_options *options,
                                    perm_result *result)
{
  return perm_job_execute(job, state, options, result);
}

static perm_status small_result_compute(int n, int parts, const double *a, ptrdiff_t ld, const perm_options *options,
                                        perm_result *result)
{
  return parts == 2 ? perm_compute_complex(n, n, a, ld, options, result)
                    : perm_compute_real(n, n, a, ld, options, result);
}

/* Kinds: any signs, positive, 0/1, graded, rows that sum to about 0, two rows that all but cancel. */
static void small_result_matrix(int kind, int n, int parts, double *a)
{
  const int row = n * parts;
  int i, j;
  for (i = 0; i < n * row; i++) {
    const double x = 2 * test_uniform() - 1;
    a[i] = kind == 1 ? fabs(x) : kind == 2 ? test_below(2) : kind == 3 ? ldexp(x, test_below(40) - 20) : x;
  }
  for (i = 0; i < n && kind == 4; i++)
    for (j = 0; j < parts; j++) {
      double sum = 0;
      int k;
      for (k = j; k < row - parts; k += parts)
        sum += a[i * row + k];
      a[i * row + row - parts + j] = -sum;
    }
  for (j = 0; j < row && kind == 5; j++)
    a[row + j] = (j / parts & 1 ? -1 : 1) * a[j] * (1 + 1e-9 * a[row + j]);
}

TEST(t_small_result_bounds_and_estimates)
{
  double a[2 * 256], worst = 0;
  long at_once = 0, general = 0, bounded = 0;
  SMALL_EVERY(n, parts, isa) {
    int kind, run;
    for (kind = 0; kind < 6; kind++)
      for (run = 0; run < small_runs(n, n > 9 ? 2 : 6); run++) {
        oracle_wide exact[2];
        perm_options options;
        perm_result r, alone;
        double error;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        small_result_matrix(kind, n, parts, a);
        memset(&r, 0xa5, sizeof r);
        CHECK(small_result_compute(n, parts, a, n, &options, &r) == PERM_OK);
        if (!permi_small_result(permi_isa(&options), n, parts, a, n, &alone)) {
          general++;
          continue;
        }
        at_once++;
        small_oracle(n, parts, a, exact);
        error = small_modulus(exact[0] - r.value, exact[1] - r.imaginary);
        CHECK_SHOW(error <= r.error_bound, "n %d parts %d isa %d kind %d: %g over %g", n, parts, (int)isa, kind, error,
                   r.error_bound);
        CHECK_SHOW(error <= TEST_ESTIMATES * r.error_estimate, "n %d parts %d isa %d kind %d: %g, estimate %g", n,
                   parts, (int)isa, kind, error, r.error_estimate);
        worst = r.error_estimate > 0 ? fmax(worst, error / r.error_estimate) : worst;
        bounded += r.error_bound <= 1e-3 * hypot(r.value, r.imaginary);
        CHECK(r.exp2 == 0 && r.is_complex == (parts == 2) && r.precision == PERM_PRECISION_DEFAULT && !r.message[0]);
        CHECK_SHOW(r.error_estimate <= r.error_bound && r.seconds == 0, "n %d parts %d kind %d: %g, %g, %g s", n, parts,
                   kind, r.error_estimate, r.error_bound, r.seconds);
      }
  }
  CHECK_SHOW(at_once > test_some(500) && general > 10 && 3 * bounded > 2 * at_once, "%ld, %ld, %ld", at_once, general,
             bounded);
  CHECK_SHOW(worst > 0.001 && worst < TEST_ESTIMATES, "%g estimates", worst);
}

TEST(t_small_result_is_perm_real)
{
  double a[2 * 16 * 19], tight[2 * 256], value[2] = {0, 0};
  int n, parts, i, run;
  for (n = 2; n <= PERMI_SMALL_N; n++)
    for (parts = 1; parts <= 2; parts++)
      for (run = 0; run < 10; run++) {
        const ptrdiff_t ld = n + test_below(4);
        perm_options options;
        perm_result r[5];
        small_random(2 * 16 * 19, a);
        for (i = 0; i < n * n * parts; i++)
          tight[i] = a[i / (n * parts) * ld * parts + i % (n * parts)];
        memset(&options, 0, sizeof options);
        CHECK(small_result_compute(n, parts, a, ld, NULL, &r[0]) == PERM_OK);
        options.threads = 2;
        options.tolerance = 1e-9;
        CHECK(small_result_compute(n, parts, a, ld, &options, &r[1]) == PERM_OK);
        options.max_bytes = 1e6;
        options.max_seconds = 100;
        CHECK(small_result_compute(n, parts, a, ld, &options, &r[2]) == PERM_OK);
        value[0] = perm_real(n, tight);
        value[1] = 0;
        if (parts == 2)
          CHECK(perm_complex(n, tight, value) == PERM_OK);
        for (i = 0; i < 3; i++)
          CHECK_SHOW(r[i].value == value[0] && r[i].imaginary == value[1], "n %d, parts %d, call %d: %.17g, not %.17g",
                     n, parts, i, r[i].value, value[0]);
        options.execute = small_result_job;
        CHECK(small_result_compute(n, parts, a, ld, &options, &r[3]) == PERM_OK && r[3].seconds > 0);
        options.execute = NULL;
        options.certify = 1;
        CHECK(small_result_compute(n, parts, a, ld, &options, &r[4]) == PERM_OK && r[4].seconds > 0);
        for (i = 3; i < 5; i++)
          CHECK_SHOW(hypot(r[i].value - value[0], r[i].imaginary - value[1]) <=
                       TEST_ESTIMATES * (r[i].error_estimate + r[0].error_estimate),
                     "n %d, parts %d, call %d", n, parts, i);
      }
}

/* No options and options that are 0 are the same, and no estimate lies far above a value: graded columns, tiny
   entries. */
TEST(t_small_result_without_options)
{
  double a[2 * 256];
  long at_once = 0;
  int n, parts, run, i;
  for (n = 2; n <= PERMI_SMALL_N; n++)
    for (parts = 1; parts <= 2; parts++)
      for (run = 0; run < 40; run++) {
        perm_options options;
        perm_result r[2];
        memset(&options, 0, sizeof options);
        small_random(2 * 256, a);
        for (i = 0; i < n * n * parts; i++)
          a[i] = run < 20 ? ldexp(run % 2 ? a[i] : fabs(a[i]), -(run / 2) * 3 * (i / parts % n))
                          : a[i] * pow(10, 4 * (20 - run));
        CHECK(small_result_compute(n, parts, a, n, NULL, &r[0]) == PERM_OK);
        CHECK(small_result_compute(n, parts, a, n, &options, &r[1]) == PERM_OK);
        CHECK_SHOW(r[0].value == r[1].value && r[0].imaginary == r[1].imaginary && r[0].exp2 == r[1].exp2 &&
                     r[0].error_estimate == r[1].error_estimate && r[0].error_bound == r[1].error_bound,
                   "n %d, parts %d, run %d: %.17g, %.17g", n, parts, run, r[0].value, r[1].value);
        CHECK_SHOW(r[0].error_estimate <= 2e-10 * hypot(r[0].value, r[0].imaginary) || r[0].seconds > 0,
                   "n %d, parts %d, run %d: %g of %g", n, parts, run, r[0].error_estimate, r[0].value);
        at_once += r[0].seconds == 0;
      }
  CHECK_SHOW(at_once > 200, "%ld", at_once);
}

/* A tolerance that the estimate at once does not meet is met by a job. */
TEST(t_small_result_meets_tolerances)
{
  double a[2 * 256];
  long higher = 0;
  int n, parts, run;
  for (n = 5; n <= PERMI_SMALL_N; n++)
    for (parts = 1; parts <= 2; parts++)
      for (run = 0; run < 4; run++) {
        perm_options options;
        perm_result r;
        memset(&options, 0, sizeof options);
        options.tolerance = 1e-15;
        small_random(2 * 256, a);
        CHECK(small_result_compute(n, parts, a, n, &options, &r) == PERM_OK);
        CHECK_SHOW(permi_relative(&options, &r) <= 1e-15, "n %d, parts %d: %g", n, parts, r.error_estimate / r.value);
        higher += r.precision != PERM_PRECISION_DEFAULT;
      }
  CHECK_SHOW(higher > 40, "%ld", higher);
}
/* SPDX-License-Identifier: MIT */
