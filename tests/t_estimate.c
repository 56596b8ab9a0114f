/* >>estimate */
/* Unbiased samples, honest intervals. Every seed is fixed, so nothing here can fail by chance. */

static double estimate_relative(const perm_estimate *estimate, double exact)
{
  return fabs(ldexp(estimate->value, (int)estimate->exp2) - exact) / exact;
}

/* Intervals from thousands of seeds hold the permanent as often as they say, for each estimator and kind of matrix. */
TEST_LONG(t_estimate_interval_covers_at_its_rate)
{
  enum { TRIALS = 2000 };
  static const double confidence[] = {0.8, 0.95};
  double a[2 * 49];
  int kind, i, level;
  for (kind = 0; kind < 4; kind++)
    for (level = 0; level < 2; level++) {
      const int n = kind == 3 ? 4 : 6, parts = kind == 3 ? 2 : 1;
      perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 1024, 0, 0, 0};
      perm_estimate estimate;
      perm_result exact;
      int covered = 0, trial;
      double sum = 0, sum_error = 0, modulus;
      for (i = 0; i < n * n * parts; i++)
        a[i] = kind == 0   ? test_uniform()
               : kind == 1 ? (double)(test_below(3) > 0)
               : kind == 2 ? 2 * test_uniform() - 0.6
                           : 2 * test_uniform() - 1;
      for (i = 0; i < n; i++)
        a[i * (n + 1) * parts] = 1;
      plan.confidence = confidence[level];
      if (kind == 0 && level == 1)
        plan.estimator = PERM_ESTIMATOR_GLYNN; /* that one for non-negative matrices too */
      if (parts == 1)
        perm_compute_real(n, n, a, n, NULL, &exact);
      else
        perm_compute_complex(n, n, a, n, NULL, &exact);
      modulus = hypot(exact.value, exact.imaginary);
      for (trial = 0; trial < TRIALS; trial++) {
        plan.seed = (uint64_t)(trial + 1);
        CHECK((parts == 1 ? perm_estimate_real(n, a, n, &plan, NULL, &estimate)
                          : perm_estimate_complex(n, a, n, &plan, NULL, &estimate)) == PERM_OK);
        CHECK(estimate.samples == 1024 && estimate.exp2 == 0 && estimate.confidence == confidence[level]);
        if (parts == 1) {
          CHECK((exact.value >= estimate.low && exact.value <= estimate.high) ==
                (fabs(exact.value - estimate.value) <= estimate.radius));
        }
        covered += hypot(exact.value - estimate.value, exact.imaginary - estimate.imaginary) <= estimate.radius;
        sum += estimate.value;
        sum_error += estimate.standard_error;
      }
      CHECK(estimate.estimator == (kind < 2 && !(kind == 0 && level) ? PERM_ESTIMATOR_SINKHORN : PERM_ESTIMATOR_GLYNN));
      /* a binomial count is within 4 standard deviations; discs for complex samples may hold more */
      {
        double rate = confidence[level], slack = 4 * sqrt(rate * (1 - rate) / TRIALS) + 0.01;
        CHECK_SHOW(covered >= (rate - slack) * TRIALS, "kind %d: %d of %d at %g", kind, covered, TRIALS, rate);
        CHECK_SHOW(parts == 2 || covered <= (rate + slack) * TRIALS, "kind %d: %d of %d at %g", kind, covered, TRIALS,
                   rate);
      }
      /* unbiased: the mean of all trials is 45 times nearer than one */
      CHECK_SHOW(fabs(sum / TRIALS - exact.value) <= 5 * sum_error / TRIALS / sqrt(TRIALS) + 1e-12 * modulus,
                 "kind %d: mean %g, exact %g", kind, sum / TRIALS, exact.value);
    }
}

/* The same samples for any number of threads, others for another seed. */
TEST(t_estimate_threads_and_seeds)
{
  double a[400];
  perm_estimate first, other;
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 20000, 0, 0, 7};
  int threads, estimator, i;
  for (i = 0; i < 400; i++)
    a[i] = test_uniform();
  for (estimator = PERM_ESTIMATOR_GLYNN; estimator <= PERM_ESTIMATOR_SINKHORN; estimator++) {
    plan.estimator = (perm_estimator)estimator;
    for (threads = 1; threads <= 4; threads++) {
      perm_options options = {0};
      options.threads = threads;
      CHECK(perm_estimate_real(20, a, 20, &plan, &options, &other) == PERM_OK && other.threads >= 1);
      if (threads == 1)
        first = other;
      CHECK(other.value == first.value && other.standard_error == first.standard_error);
    }
    CHECK(other.samples == 20224 && other.seed == 7);
    plan.seed++;
    CHECK(perm_estimate_real(20, a, 20, &plan, NULL, &other) == PERM_OK && other.value != first.value);
    plan.seed--;
  }
}

/* Stopping rules; scales far beyond double; orders beyond the exact engines. */
TEST(t_estimate_stops_and_scales)
{
  static double a[300 * 300];
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 0, 0.002, 0, 1};
  perm_options options = {0};
  perm_estimate estimate, scaled;
  int i;
  for (i = 0; i < 400; i++)
    a[i] = test_uniform();
  CHECK(perm_estimate_real(20, a, 20, &plan, NULL, &estimate) == PERM_OK);
  CHECK(estimate.standard_error <= 0.002 * estimate.value && estimate.samples >= 1024);
  CHECK(estimate_relative(&estimate, perm_real(20, a)) < 0.01);
  for (i = 0; i < 400; i++)
    a[i] = ldexp(a[i], (i / 20 % 2 ? 900 : -600) + 3 * (i % 20));
  CHECK(perm_estimate_real(20, a, 20, &plan, NULL, &scaled) == PERM_OK && scaled.exp2 != 0);
  CHECK(fabs(ldexp(scaled.value, (int)scaled.exp2 - 3000 - 570) - estimate.value) < 5 * estimate.standard_error);
  plan.samples = 1024; /* the first limit counts */
  plan.relative_error = 1e-9;
  CHECK(perm_estimate_real(20, a, 20, &plan, NULL, &scaled) == PERM_TOLERANCE_NOT_MET && scaled.samples == 1024);
  CHECK(scaled.value == scaled.value && scaled.message[0]);
  plan.samples = 0;
  options.max_seconds = 0.05;
  CHECK(perm_estimate_real(20, a, 20, &plan, &options, &scaled) == PERM_STOPPED_TIME && scaled.seconds < 5);
  plan.relative_error = 0;
  CHECK(perm_estimate_real(20, a, 20, &plan, &options, &scaled) == PERM_OK && scaled.samples > 0);
  for (i = 0; i < 90000; i++)
    a[i] = 1;
  plan.samples = 512; /* 300!: every sample of a matrix of ones is the permanent */
  CHECK(perm_estimate_real(300, a, 300, &plan, NULL, &estimate) == PERM_OK);
  CHECK(fabs(log(estimate.value) + (double)estimate.exp2 * log(2) - lgamma(301)) < 1e-9);
  CHECK(estimate.standard_error < 1e-10 * estimate.value);
  plan.estimator = PERM_ESTIMATOR_GLYNN; /* hopeless, and it says so */
  CHECK(perm_estimate_real(300, a, 300, &plan, NULL, &estimate) == PERM_OK);
  CHECK(estimate.value == estimate.value && estimate.standard_error > 0.1 * fabs(estimate.value));
}

TEST(t_estimate_declines_by_name)
{
  double a[4] = {1, 2, 3, -4}, wide[4] = {1e300, 1e-300, 1e-300, 1e-300}, lines[4] = {1e300, 1e300, 1e-300, 1e-300};
  perm_estimate_plan plan = {PERM_ESTIMATOR_SINKHORN, 0, 0, 0, 0};
  perm_options options = {0};
  perm_estimate e;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_UNSUPPORTED && e.argument == 4);
  CHECK(e.value != e.value);
  CHECK_TEXT(e.message, "without negative");
  CHECK(perm_estimate_real(-1, a, 2, NULL, NULL, &e) == PERM_ERROR_SIZE && e.argument == 1);
  CHECK(perm_estimate_real(2, NULL, 2, NULL, NULL, &e) == PERM_ERROR_NULL && e.argument == 2);
  CHECK(perm_estimate_real(2, a, 1, NULL, NULL, &e) == PERM_ERROR_STRIDE && e.argument == 3);
  CHECK(perm_estimate_real(2, a, 2, NULL, NULL, NULL) == PERM_ERROR_NULL);
  plan.estimator = PERM_ESTIMATOR_COUNT;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION);
  plan.estimator = PERM_ESTIMATOR_AUTO;
  plan.confidence = 1;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION);
  CHECK_TEXT(e.message, "confidence");
  plan.confidence = 0;
  plan.samples = -1;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION);
  options.threads = -1;
  CHECK(perm_estimate_real(2, a, 2, NULL, &options, &e) == PERM_ERROR_OPTION && e.argument == 5);
  CHECK(perm_estimate_real(2, wide, 2, NULL, NULL, &e) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(e.message, "too wide a range");
  CHECK(perm_estimate_real(2, lines, 2, NULL, NULL, &e) == PERM_OK && fabs(e.value - 2) < 1e-12);
  a[2] = a[3] = 0;
  CHECK(perm_estimate_real(2, a, 2, NULL, NULL, &e) == PERM_OK && e.value == 0 && e.standard_error == 0);
  CHECK(perm_estimate_real(0, NULL, 0, NULL, NULL, &e) == PERM_OK && e.value == 1 && e.low == 1 && e.high == 1);
  a[0] = (double)NAN;
  CHECK(perm_estimate_real(2, a, 2, NULL, NULL, &e) == PERM_ERROR_NOT_FINITE);
}
