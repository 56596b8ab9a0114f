/* >>estimate, >>rejection, >>estimate_calls */
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
      perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 1024, 0, 0, 0, 0};
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
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 20000, 0, 0, 7, 0};
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
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 0, 0.002, 0, 1, 0};
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
  CHECK(perm_estimate_real(20, a, 20, &plan, &options, &scaled) == PERM_TOLERANCE_NOT_MET && scaled.seconds < 5);
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
  perm_estimate_plan plan = {PERM_ESTIMATOR_SINKHORN, 0, 0, 0, 0, 0};
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

/* The bound's step: h of a row's sum is at least h of what is left times exp(entry / that), with which bounds nest. */
TEST(t_rejection_bound_nests)
{
  int i, j;
  for (i = 0; i <= 400; i++)
    for (j = 0; j <= 50; j++) {
      const double left = i < 200 ? i * 0.01 : (i - 199) * 2.5, entry = j * 0.02;
      const double h = permi_rejection_h(left);
      CHECK_SHOW(permi_rejection_h(left + entry) >= h * exp(entry / h) * (1 - 1e-14), "%g + %g", left, entry);
    }
}

/* Gamma's tails against sums of Poisson's distribution term by term, and the least k. */
TEST(t_rejection_trials_wanted)
{
  static const double epsilon[] = {0.5, 0.1, 0.02}, delta[] = {0.2, 0.05, 1e-4};
  double ones[22 * 22];
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 0, 1e-5, 0, 0, 1};
  perm_estimate wide;
  int e, d;
  for (d = 0; d < 22 * 22; d++)
    ones[d] = 1;
  CHECK(permi_rejection_accepted(1e-4, 0.06) < 1e9 && permi_rejection_accepted(3e-5, 0.05) == INFINITY);
  CHECK(perm_estimate_real(22, ones, 22, &plan, NULL, &wide) == PERM_ERROR_LIMIT && isnan(wide.value));
  CHECK_TEXT(wide.message, "relative_error 1e-05 with confidence 0.95 would take more than 1e+09 accepted trials");
  for (e = 0; e < 3; e++)
    for (d = 0; d < 3; d++) {
      const double k = permi_rejection_accepted(epsilon[e], delta[d]);
      CHECK(permi_gamma_misses(k, epsilon[e]) <= delta[d] && permi_gamma_misses(k - 1, epsilon[e]) > delta[d]);
      CHECK(e || k < 200);
    }
  for (e = 2; e < 60; e += 7) {
    const double x = e * 0.8;
    double sum = 0, term = exp(-x);
    for (d = 0; d < e; term *= x / ++d)
      sum += term;
    CHECK(fabs(permi_gamma_above(e, x) - sum) <= 1e-13);
  }
}

static void rejection_matrix(int kind, int n, double *a)
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i == j || j == (i + 1) % n    ? 1
                     : kind == 0                   ? test_uniform()
                     : kind == 1                   ? (double)test_below(2)
                     : kind == 2                   ? (test_below(4) ? 0 : exp(8 * test_uniform()))
                     : kind == 3 && j / 7 != i / 7 ? 0
                                                   : ldexp(test_uniform(), test_below(400) - 200);
  for (i = 0; kind == 3 && i < n; i++)
    a[i * n + (i + 1) % n] = i < n - 1; /* triangular in blocks: these are in no perfect matching */
}

/* What is certain holds for computed and for drawn blocks, and the estimate is within it. */
TEST(t_rejection_encloses)
{
  double a[24 * 24];
  int kind, trial;
  for (kind = 0; kind < 5; kind++)
    for (trial = 0; trial < 8; trial++) {
      const int n = trial < 6 ? 3 + 3 * trial : 21 + 3 * (trial - 6);
      perm_estimate_plan plan = {PERM_ESTIMATOR_REJECTION, 0, 0.4, 0.9, 0, 0};
      perm_estimate e, other;
      perm_options options;
      perm_result r;
      double exact;
      if (kind == 4 && n > 20)
        continue; /* acceptance would take long */
      rejection_matrix(kind, n, a);
      plan.seed = (uint64_t)trial;
      memset(&options, 0, sizeof options);
      CHECK(perm_estimate_real(n, a, n, &plan, &options, &e) == PERM_OK);
      CHECK(perm_compute_real(n, n, a, n, NULL, &r) == PERM_OK);
      exact = ldexp(r.value, (int)(r.exp2 - e.exp2));
      CHECK_SHOW(e.certain_low <= exact * (1 + 1e-9) && exact <= e.certain_high * (1 + 1e-9), "kind %d, n %d: %g %g %g",
                 kind, n, e.certain_low, exact, e.certain_high);
      CHECK(e.estimator == PERM_ESTIMATOR_REJECTION && e.certain_low > 0 && e.certain_high < INFINITY);
      CHECK(e.proved_radius == e.radius && e.low < e.value);
      CHECK_SHOW(fabs(e.value - exact) <= (e.samples > 0 ? 1.2 : 1e-8) * exact, "kind %d, n %d: %g %g", kind, n,
                 e.value, exact);
      options.threads = 3;
      CHECK(perm_estimate_real(n, a, n, &plan, &options, &other) == PERM_OK);
      CHECK(other.value == e.value && other.samples == e.samples && other.certain_low == e.certain_low);
    }
}

/* Ten thousand estimates of one matrix miss by more than a relative error as often as they may, and no less often. */
TEST_LONG(t_rejection_covers)
{
  enum { TRIALS = 10000, N = 21 };
  double a[N * N];
  perm_estimate_plan plan = {PERM_ESTIMATOR_REJECTION, 0, 0.4, 0.95, 0, 0};
  perm_options options;
  perm_result r;
  perm_estimate e;
  int trial, covered = 0, within = 0;
  rejection_matrix(1, N, a);
  memset(&options, 0, sizeof options);
  options.threads = 1;
  CHECK(perm_compute_real(N, N, a, N, NULL, &r) == PERM_OK);
  for (trial = 0; trial < TRIALS; trial++) {
    plan.seed = (uint64_t)trial;
    CHECK(perm_estimate_real(N, a, N, &plan, &options, &e) == PERM_OK);
    within += fabs(e.value - r.value) <= 0.4 * r.value;
    covered += e.low <= r.value && r.value <= e.high;
  }
  printf("     within the relative error %d of %d, in the interval %d\n", within, TRIALS, covered);
  CHECK_SHOW(within >= 9450 && within <= 9570, "%d", within); /* 2.3 standard deviations below, by these seeds */
  CHECK(covered == within);
}

/* Samples that all are 0 say nothing, unless there is no perfect matching. */
TEST(t_estimate_all_zero)
{
  enum { N = 200, LARGE = 600 };
  static double a[N * N], large[LARGE * LARGE];
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 2048, 0, 0, 0, 0};
  perm_options options;
  perm_matrix matrix;
  perm_estimate e;
  int i, round, negative;
  size_t k;
  memset(&options, 0, sizeof options);
  options.max_seconds = 60;
  CHECK(perm_generate("blocks:20:10:0.4", 1, NULL, &matrix, NULL) == PERM_OK);
  for (round = 0; round < 2; round++)
    for (negative = 0; negative < 2; negative++) {
      memset(a, 0, sizeof a);
      for (i = 0; i < N; i++)
        for (k = matrix.row_start[i]; k < matrix.row_start[i + 1]; k++)
          a[i * N + matrix.column[k]] = negative && k % 2 ? -matrix.real[k] : matrix.real[k];
      if (round) /* two rows have one column alone */
        for (i = 0; i < N; i++)
          a[i] = a[N + i] = i == 0;
      for (plan.relative_error = 0; plan.relative_error < 1; plan.relative_error += 0.5) {
        const perm_status status = perm_estimate_real(N, a, N, &plan, &options, &e);
        if (negative && !round) { /* some samples are not 0, but the radius is proved */
          CHECK(status >= 0 && e.low < e.high && e.proved_radius < INFINITY);
          continue;
        }
        CHECK_SHOW(e.value == 0 && e.samples == (round ? 0 : 2048), "%g, %g samples", e.value, e.samples);
        CHECK(status == (plan.relative_error > 0 && !round ? PERM_TOLERANCE_NOT_MET : PERM_OK));
        CHECK(e.low == 0 && (round ? e.high == 0 && e.standard_error == 0 && e.certain_high == 0 && e.proved_radius == 0
                                   : e.high == INFINITY && e.standard_error == INFINITY && e.radius == INFINITY));
      }
    }
  perm_matrix_free(&matrix);
  memset(&plan, 0, sizeof plan); /* known before the samples, which a limit of time would let run until then */
  options.max_seconds = 20;
  for (i = 0; i < LARGE; i++)
    for (k = 0; k < LARGE; k++)
      large[i * LARGE + (int)k] = i > LARGE / 2 || k < LARGE / 2;
  CHECK(perm_estimate_real(LARGE, large, LARGE, &plan, &options, &e) == PERM_OK && e.samples == 0);
  CHECK(e.value == 0 && e.standard_error == 0 && e.certain_high == 0 && e.exp2 == 0);
}

/* The proved radius holds, is nearer where the matrix is unitary, and shrinks with more samples. */
TEST(t_estimate_proved_radius)
{
  enum { N = 8 };
  double a[2 * N * N], before = 0;
  int kind, i, j, seed, round;
  for (kind = 0; kind < 3; kind++) {
    const int parts = kind == 0 ? 1 : 2;
    perm_result r;
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) {
        a[(i * N + j) * parts] = kind == 1 ? cos(2 * 3.14159265358979 * i * j / N) / sqrt(N) : 2 * test_uniform() - 1;
        if (parts == 2)
          a[(i * N + j) * 2 + 1] = kind == 1 ? sin(2 * 3.14159265358979 * i * j / N) / sqrt(N) : 2 * test_uniform() - 1;
      }
    CHECK((parts == 1 ? perm_compute_real : perm_compute_complex)(N, N, a, N, NULL, &r) == PERM_OK);
    for (round = 0; round < 2; round++)
      for (seed = 0; seed < test_some(100); seed++) {
        perm_estimate_plan plan = {PERM_ESTIMATOR_GLYNN, round ? 16384 : 1024, 0, 0.9, 0, 0};
        perm_estimate e;
        plan.seed = (uint64_t)seed;
        CHECK((parts == 1 ? perm_estimate_real : perm_estimate_complex)(N, a, N, &plan, NULL, &e) == PERM_OK);
        CHECK(hypot(e.value - r.value, e.imaginary - r.imaginary) <= e.proved_radius && e.proved_radius > e.radius);
        if (kind == 1) /* samples are at most 1 */
          CHECK(e.proved_radius < (round ? 0.1 : 0.5));
        if (round)
          CHECK(e.proved_radius < 0.5 * before);
        else
          before = e.proved_radius;
      }
  }
}

TEST(t_rejection_refuses)
{
  double a[4] = {1, 2, 3, 4};
  perm_estimate_plan plan = {PERM_ESTIMATOR_REJECTION, 0, 0, 0, 0, 0};
  perm_options options;
  perm_estimate e;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_OK && fabs(e.value - 10) < 1e-8);
  CHECK(perm_estimate_real(0, NULL, 0, &plan, NULL, &e) == PERM_OK && e.value == 1 && e.certain_low == 1);
  memset(&options, 0, sizeof options); /* computed blocks know nothing of what is for permanents */
  options.precision = PERM_PRECISION_EXACT;
  options.method = PERM_METHOD_SIGN_SEARCH;
  CHECK(perm_estimate_real(2, a, 2, &plan, &options, &e) == PERM_OK && fabs(e.value - 10) < 1e-8);
  plan.relative_error = 1;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION && isnan(e.value));
  CHECK_TEXT(e.message, "relative_error below 1");
  plan.relative_error = 0;
  plan.confidence = 1 - 1e-12;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION);
  plan.confidence = 0;
  a[1] = -2;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(e.message, "rejection is for matrices without negative");
  a[1] = a[0] = a[3] = 0; /* no perfect matching, though no line is zero: */
  a[1] = 5, a[0] = 0, a[2] = 0, a[3] = 7;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_OK && e.value == 0 && e.certain_high == 0);
  {
    double b[9] = {0, 1, 0, 0, 2, 0, 3, 4, 5};
    CHECK(perm_estimate_real(3, b, 3, &plan, NULL, &e) == PERM_OK && e.value == 0);
    CHECK(e.high == 0 && e.certain_high == 0);
  }
}

/* plan.guarantee takes the estimator that proves most: rejection, whose error is kept, or of signs glynn, whose proved
   radius is compared with the error. */
TEST(t_estimate_guarantee)
{
  static double a[2 * 64];
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 0, 0.2, 0.9, 3, 1};
  perm_estimate_plan other = {PERM_ESTIMATOR_REJECTION, 0, 0.2, 0.9, 3, 0};
  perm_estimate e, f;
  int i, parts, met = 0;
  for (i = 0; i < 128; i++)
    a[i] = test_uniform();
  CHECK(perm_estimate_real(8, a, 8, &plan, NULL, &e) == PERM_OK && e.estimator == PERM_ESTIMATOR_REJECTION);
  CHECK(perm_estimate_real(8, a, 8, &other, NULL, &f) == PERM_OK && e.value == f.value && e.radius == f.radius);
  plan.samples = 512;
  for (parts = 1; parts <= 2; parts++)
    for (i = 0; i < 8; i++) {
      a[0] = parts == 1 ? -1 : a[0];
      plan.relative_error = i & 1 ? 1 - 1e-9 : 0; /* 0: 0.1 */
      plan.seed = (uint64_t)i;
      plan.samples = i & 2 ? 1 << (test_quick ? 17 : 20) : 512;
      other = plan;
      other.estimator = PERM_ESTIMATOR_GLYNN;
      other.guarantee = 0;
      other.relative_error = 0; /* no reason to stop */
      (parts == 1 ? perm_estimate_real : perm_estimate_complex)(2, a, 2, &plan, NULL, &e);
      CHECK((parts == 1 ? perm_estimate_real : perm_estimate_complex)(2, a, 2, &other, NULL, &f) == PERM_OK);
      CHECK(e.estimator == PERM_ESTIMATOR_GLYNN && e.value == f.value && e.samples == f.samples && e.confidence == 0.9);
      CHECK_SHOW(e.status == (f.proved_radius <= (i & 1 ? 1 - 1e-9 : 0.1) * hypot(f.value, f.imaginary)
                                  ? PERM_OK : PERM_TOLERANCE_NOT_MET), "%g of %g", e.proved_radius, e.value);
      met += e.status == PERM_OK;
      if (e.status != PERM_OK) {
        CHECK_TEXT(e.message, "the error asked for is not met: entries are negative or complex, and what is proved of "
                   "them is the radius, ");
        CHECK_TEXT(e.message, " times the value");
      }
    }
  CHECK(met > 0 && met < 16);
  plan.estimator = PERM_ESTIMATOR_SINKHORN;
  CHECK(perm_estimate_real(2, a, 2, &plan, NULL, &e) == PERM_ERROR_OPTION && e.argument == 4);
  CHECK_TEXT(e.message, "plan: guarantee chooses the estimator");
}

typedef struct t_estimate_heap {
  long calls, fails, live;
} t_estimate_heap;

static void *t_estimate_allocate(size_t bytes, void *data)
{
  t_estimate_heap *heap = (t_estimate_heap *)data;
  void *pointer = heap->calls++ == heap->fails ? NULL : malloc(bytes);
  heap->live += pointer != NULL;
  return pointer;
}

static void t_estimate_release(void *pointer, void *data)
{
  ((t_estimate_heap *)data)->live -= pointer != NULL;
  free(pointer);
}

/* A guarantee computes what an engine is predicted to do sooner than samples: integers to the last bit of a double. */
TEST(t_estimate_guarantee_computes)
{
  static double a[45 * 45];
  const perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 0, 0.2, 0.9, 3, 1};
  const perm_estimate_plan drawn = {PERM_ESTIMATOR_REJECTION, 0, 0.2, 0.9, 3, 0};
  t_estimate_heap heap = {0, 0, 0};
  perm_options options = {0};
  perm_estimate e, f;
  int n, i, j, kind, recovered = 0;
  memset(&e, 0, sizeof e);
  for (n = 30; n <= 40; n += 10)
    for (kind = 0; kind < 3; kind++) { /* integers, reals, one row negative */
      double expected = 2 * pow(3, n - 2);
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = j < i + 3 ? (kind == 1 && i % 3 == 0 ? 0.1 : kind == 2 && i == 0 ? -1 : 1) : 0;
      expected *= kind == 1 ? pow(0.1, (n + 2) / 3) : kind == 2 ? -1 : 1;
      for (options.threads = 1; options.threads <= 2; options.threads++) {
        f = e;
        const perm_status status = perm_estimate_real(n, a, n, &plan, &options, &e);
        if (kind == 2 && n == 30) { /* its 65536 samples end sooner than in 0.1 s */
          CHECK(status == PERM_TOLERANCE_NOT_MET && e.samples == 65536);
          continue;
        }
        CHECK(status == PERM_OK);
        CHECK_SHOW(e.samples == 0 && fabs(e.value - expected) <= e.radius + 1e-14 * fabs(expected) && e.exp2 == 0,
                   "%.17g instead of %.17g", e.value, expected);
        CHECK(e.radius <= 1e-9 * fabs(e.value) && e.proved_radius == e.radius && e.low <= e.value && e.high >= e.value);
        CHECK(e.certain_low == e.low && e.certain_high == e.high);
        CHECK(n > 30 || kind ? e.radius > 0 && e.low < e.high : e.radius == 0 && e.value == expected);
        CHECK_TEXT(e.message, "computed: method ");
        CHECK_TEXT(e.message, ", samples ");
        CHECK(options.threads == 1 || e.value == f.value);
      }
    }
  for (i = 0; i < 45 * 45; i++)
    a[i] = test_uniform();
  CHECK(perm_estimate_real(45, a, 45, &plan, NULL, &e) == PERM_OK && e.samples > 0 && !e.message[0]);
  CHECK(perm_estimate_real(45, a, 45, &drawn, NULL, &f) == PERM_OK && e.value == f.value && e.samples == f.samples);
  for (i = 0; i < 30 * 30; i++)
    a[i] = i % 30 < i / 30 + 3;
  CHECK(perm_estimate_real(30, a, 30, &drawn, NULL, &f) == PERM_OK && f.samples > 0);
  options.max_seconds = 1e-9;
  CHECK(perm_estimate_real(30, a, 30, &plan, &options, &e) == PERM_STOPPED_TIME && e.value != e.value);
  CHECK(e.proved_radius == (double)INFINITY && e.certain_low == -(double)INFINITY && e.certain_high > 0);
  options.max_seconds = 0;
  options.threads = 1;
  for (heap.fails = 0; heap.fails <= heap.calls; heap.fails++) { /* it asks again, samples, or fails */
    heap.calls = 0;
    options.allocator = (perm_allocator){t_estimate_allocate, t_estimate_release, &heap};
    const perm_status status = perm_estimate_real(30, a, 30, &plan, &options, &e);
    CHECK_SHOW(status == PERM_OK || status == PERM_ERROR_MEMORY, "%ld: %d", heap.fails, (int)status);
    CHECK(heap.live == 0 && (status != PERM_OK || fabs(e.value / (2 * pow(3, 28)) - 1) < 0.3));
    recovered += status == PERM_OK;
  }
  CHECK(heap.fails > 100 && recovered > 50 && e.samples == 0);
}

/* Between certain_low and certain_high is every permanent, those below 0 too. */
TEST(t_estimate_certain_of_signs)
{
  const double signs[4] = {-1, 0, 0, 1}, ones[4] = {1, 1, 1, 1}, complex[8] = {0, 1, 0, 0, 0, 0, 0, 1};
  perm_estimate_plan plan = {PERM_ESTIMATOR_AUTO, 256, 0, 0, 0, 0};
  perm_estimate e;
  CHECK(perm_estimate_real(2, signs, 2, &plan, NULL, &e) == PERM_OK && e.value == -1);
  CHECK(e.certain_low == -(double)INFINITY && e.certain_high == (double)INFINITY);
  CHECK(perm_estimate_complex(2, complex, 2, &plan, NULL, &e) == PERM_OK && e.certain_low == -(double)INFINITY);
  CHECK(perm_estimate_real(2, ones, 2, &plan, NULL, &e) == PERM_OK && e.certain_low == 0);
  plan.estimator = PERM_ESTIMATOR_GLYNN;
  CHECK(perm_estimate_real(2, ones, 2, &plan, NULL, &e) == PERM_OK && e.certain_low == 0);
}

/* Where all samples are equal the interval is what they round: n! of ones. */
TEST(t_estimate_interval_of_rounding)
{
  static double a[120 * 120];
  const perm_estimate_plan plan = {PERM_ESTIMATOR_SINKHORN, 512, 0, 0, 0, 0};
  perm_estimate e;
  perm_result r;
  double factorial;
  int n, i;
  for (i = 0; i < 120 * 120; i++)
    a[i] = 1;
  for (n = 5; n <= 120; n += 5) {
    CHECK(perm_compute_real(n, n, a, n, NULL, &r) == PERM_OK);
    CHECK(perm_estimate_real(n, a, n, &plan, NULL, &e) == PERM_OK && e.exp2 == 0);
    factorial = ldexp(r.value, (int)r.exp2);
    CHECK_SHOW(e.low <= factorial && factorial <= e.high, "n %d: %.17g in %.17g to %.17g", n, factorial, e.low, e.high);
    CHECK(e.high - e.low < 1e-11 * e.value);
  }
}
/* SPDX-License-Identifier: MIT */
