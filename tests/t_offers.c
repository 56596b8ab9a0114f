/* >>offers, >>choose, >>judge */
/* Which engine is asked, chosen and run again, on either side of each condition; what is refused, and by which words. */

/* What the judge says of results that are not good enough. */
TEST(t_judge_says_what_is_known)
{
  perm_options options;
  perm_result result;
  int certify, proved;
  memset(&options, 0, sizeof options);
  for (certify = 0; certify < 2; certify++)
    for (proved = 0; proved < 3; proved++) { /* the bound is above the estimate, as small, below it */
      memset(&result, 0, sizeof result);
      result.value = 1;
      result.error_estimate = 2e-3;
      result.error_bound = proved == 0 ? 4e-3 : proved == 1 ? 2e-3 : 1e-3;
      options.certify = certify;
      options.tolerance = 1e-2;
      CHECK(permi_judge(&options, &result) == PERM_OK && !result.message[0]);
      options.tolerance = 1e-6;
      CHECK(permi_judge(&options, &result) == PERM_TOLERANCE_NOT_MET && result.status == PERM_TOLERANCE_NOT_MET);
      CHECK_TEXT(result.message, certify || proved ? "the guaranteed relative error" : "the estimated relative error");
      CHECK_TEXT(result.message, proved == 2 ? "error is 0.001;" : proved == 0 && certify ? "is 0.004;" : "is 0.002;");
    }
  memset(&result, 0, sizeof result);
  result.value = 1;
  result.method = PERM_METHOD_REPEATS;
  result.error_bound = (double)INFINITY;
  options.tolerance = 0;
  options.certify = 0;
  CHECK(permi_judge(&options, &result) == PERM_OK);
  options.certify = 1;
  CHECK(permi_judge(&options, &result) == PERM_TOLERANCE_NOT_MET && result.status == PERM_TOLERANCE_NOT_MET);
  CHECK_TEXT(result.message, "certify: no guaranteed bound for this matrix by method repeats");
}

/* Integers above 2^53 in doubles have no bound, and so a status. */
TEST(t_judge_of_rounded_integers)
{
  const int64_t a[] = {INT64_C(9007199254740993), 1, 2, 1, 3, 1, 2, 1, 5};
  perm_options options = t_sparse_options(PERM_METHOD_SUBSETS, PERM_PRECISION_DD);
  perm_matrix matrix = t_sparse_integers(3, a);
  perm_result result;
  int certify;
  for (certify = 0; certify < 2; certify++) {
    const perm_status expected = certify ? PERM_TOLERANCE_NOT_MET : PERM_OK;
    options.certify = certify;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == expected && result.status == expected, "%s",
               result.message);
    CHECK(result.error_bound == (double)INFINITY && fabs(result.value / (9007199254740993.0 * 16 + 17) - 1) < 1e-15);
    CHECK(!!strstr(result.message, "no guaranteed bound for this matrix by method subsets") == certify);
  }
  perm_matrix_free(&matrix);
}

/* A solver whose results are numbers with the bound that its precision has, and who counts what it is asked. */
typedef struct offers_solver { int plans, makes, inexact; double seconds; } offers_solver;

static perm_status offers_plan(void *attempt, const perm_options *options, double *seconds, perm_job **job,
                               perm_result *result)
{
  offers_solver *solver = (offers_solver *)attempt;
  (void)options, (void)job, (void)result;
  solver->plans++;
  *seconds = solver->seconds;
  return PERM_OK;
}

static perm_status offers_make(void *attempt, const perm_options *options, perm_job **job, perm_result *result)
{
  offers_solver *solver = (offers_solver *)attempt;
  permi_number number = permi_number_one();
  (void)result;
  number.error = number.estimate = solver->makes < solver->inexact ? 1e-3 : 1e-16;
  number.exact = 0;
  solver->makes++;
  *job = permi_job_new(&options->allocator, options->precision);
  return *job && permi_job_push_number(*job, &number) ? PERM_OK : PERM_ERROR_MEMORY;
}

static perm_precision offers_next(const void *attempt, const perm_options *options, const perm_result *result)
{
  (void)attempt, (void)result;
  return options->precision == PERM_PRECISION_DD ? PERM_PRECISION_COUNT : PERM_PRECISION_DD;
}

/* A result that is good enough ends the call: nothing is planned after it. */
TEST(t_judge_plans_no_more_than_it_runs)
{
  static const permi_solver solve = {offers_plan, offers_make, offers_next};
  static const struct { int inexact; double seconds; int plans, makes, escalated; } expect[] = {
      {0, 1e-3, 1, 1, 0}, {1, 1e-3, 2, 2, 1}, {2, 1e-3, 2, 2, 1}, {1, 2, 2, 1, 0}};
  size_t k;
  for (k = 0; k < sizeof expect / sizeof *expect; k++) {
    offers_solver solver = {0, 0, expect[k].inexact, expect[k].seconds};
    perm_options options;
    perm_result result;
    memset(&options, 0, sizeof options);
    memset(&result, 0, sizeof result);
    CHECK(permi_solve(&solve, &solver, permi_reach_of(1), &options, permi_seconds(), &result) == PERM_OK);
    CHECK_SHOW(solver.plans == expect[k].plans && solver.makes == expect[k].makes &&
                   result.escalated == expect[k].escalated,
               "%d: %d plans, %d jobs, escalated %d", (int)k, solver.plans, solver.makes, result.escalated);
  }
}

/* Of the options, a job from a plan uses the allocator and max_bytes: the rest is the plan's. */
TEST(t_judge_jobs_are_of_the_plan)
{
  double a[2 * 12 * 12];
  int parts, precision, k;
  for (k = 0; k < 2 * 12 * 12; k++)
    a[k] = test_uniform();
  for (parts = 1; parts <= 2; parts++)
    for (precision = 0; precision < PERM_PRECISION_EXACT; precision++) {
      perm_options options = t_sparse_options(PERM_METHOD_AUTO, (perm_precision)precision), others;
      perm_job *job = NULL;
      perm_result result;
      perm_plan plan;
      long fail;
      if (precision == PERM_PRECISION_KAHAN)
        options.method = PERM_METHOD_GLYNN;
      CHECK((parts == 2 ? perm_plan_complex : perm_plan_real)(12, 12, a, 12, &options, &plan, &result) == PERM_OK);
      others = t_sparse_options(PERM_METHOD_RYSER, precision ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD);
      others.certify = 1;
      for (fail = 1;; fail++) {
        t_sparse_memory memory = {0, 0, 0};
        perm_status status;
        memory.fail_at = fail;
        others.allocator.allocate = t_sparse_allocate;
        others.allocator.release = t_sparse_release;
        others.allocator.user_data = &memory;
        status = (parts == 2 ? perm_job_create_complex : perm_job_create_real)(&plan, a, 12, &others, &job, &result);
        if (status != PERM_OK)
          CHECK_SHOW(status == PERM_ERROR_MEMORY && result.status == PERM_ERROR_MEMORY && !job && !memory.live,
                     "allocation %ld: %d %s", fail, status, result.message);
        else
          CHECK(perm_job_precision(job, NULL) == plan.precision);
        perm_job_free(job);
        job = NULL;
        CHECK(!memory.live);
        if (memory.calls < fail || (status != PERM_OK && status != PERM_ERROR_MEMORY))
          break;
      }
      CHECK(fail > 3);
    }
}

/* Equal rows or columns are found wherever they are, and only they: bit by bit, in arrays with room between rows. */
TEST(t_offers_equal_lines)
{
  enum { N = 9, LD = 11 };
  double a[2 * N * LD];
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  int parts, by_columns, i, j, k, part, found = 0;
  for (parts = 1; parts <= 2; parts++)
    for (by_columns = 0; by_columns < 2; by_columns++)
      for (i = 0; i < N; i++)
        for (j = 0; j < i; j++) {
          permi_problem problem = permi_problem_make(N, N, a, NULL, LD, permi_reach_of(parts), NULL, NULL);
          uint64_t bits;
          double *x;
          for (k = 0; k < 2 * N * LD; k++)
            a[k] = test_uniform() - 0.5;
          CHECK(!permi_array_repeats(&problem, &options));
          for (k = 0; k < N; k++)
            for (part = 0; part < parts; part++)
              a[(by_columns ? k * LD + i : i * LD + k) * parts + part] =
                  a[(by_columns ? k * LD + j : j * LD + k) * parts + part];
          found += permi_array_repeats(&problem, &options);
          problem.m = N - 1; /* both lines may be there, but it is not square */
          CHECK(!permi_array_repeats(&problem, &options));
          problem.m = N + 1;
          CHECK(!permi_array_repeats(&problem, &options));
          problem.m = N;
          options.method = PERM_METHOD_DENSE;
          CHECK(!permi_array_repeats(&problem, &options));
          options.method = PERM_METHOD_AUTO;
          k = test_below(N); /* one bit of one part */
          x = &a[(by_columns ? k * LD + i : i * LD + k) * parts + test_below(parts)];
          memcpy(&bits, x, 8);
          bits ^= UINT64_C(1) << test_below(60);
          memcpy(x, &bits, 8);
          CHECK_SHOW(!permi_array_repeats(&problem, &options), "%d parts, lines %d and %d", parts, i, j);
        }
  CHECK_SHOW(found == 2 * 2 * N * (N - 1) / 2, "%d", found);
}

/* Counts of rows or of columns alone make an array of integers one with counts, at orders that tables take. */
TEST(t_offers_counts_of_one_side)
{
  enum { N = 14 };
  int64_t a[2 * N * N], full[2 * N * N];
  int parts, side, trial, i, j, k;
  for (trial = 0; trial < 3; trial++)
    for (parts = 1; parts <= 2; parts++)
      for (side = 0; side < 2; side++) {
        int count[N], line[N], used = 0;
        perm_result result, written;
        for (k = 0; k < N; k++)
          count[k] = k == 3 ? 0 : k == trial + 4 ? 2 : 1;
        for (k = 0; k < N; k++)
          for (i = 0; i < count[k]; i++)
            line[used++] = k;
        for (k = 0; k < parts * N * N; k++)
          a[k] = test_below(19) - 9;
        for (i = 0; i < N; i++)
          for (j = 0; j < N; j++)
            for (k = 0; k < parts; k++)
              full[(i * N + j) * parts + k] = a[((side ? i : line[i]) * N + (side ? line[j] : j)) * parts + k];
        CHECK_SHOW((parts == 2 ? perm_compute_repeated_gaussian : perm_compute_repeated_integer)(
                       N, N, a, N, side ? NULL : count, side ? count : NULL, NULL, &result) == PERM_OK,
                   "%s", result.message);
        CHECK((parts == 2 ? perm_compute_gaussian : perm_compute_integer)(N, N, full, N, NULL, &written) == PERM_OK);
        CHECK_SHOW(result.exact && t_rank_same(&result, &written), "%d parts, side %d: %.17g, not %.17g", parts, side,
                   result.value, written.value);
      }
}

/* At sight the exact engine is taken by vector kernels alone, for square arrays of integers up to order 24 without
   counts, by method auto or its name, on the CPU, and where no two lines are equal. */
TEST(t_offers_exact_at_sight)
{
  static const perm_isa isas[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512, PERM_ISA_AVX512IFMA};
  int64_t a[2 * 26 * 26];
  int count[26], parts, n, k;
  size_t s;
  for (k = 0; k < 2 * 26 * 26; k++)
    a[k] = (int64_t)(test_random() >> 58) + 1;
  for (k = 0; k < 26; k++)
    count[k] = 1;
  for (s = 0; s < sizeof isas / sizeof *isas; s++)
    for (parts = 1; parts <= 2; parts++)
      for (n = 10; n <= 26; n += 2) {
        permi_problem problem = permi_problem_make(n, n, NULL, a, 26, permi_reach_of(parts), NULL, NULL), other;
        const int tables = isas[s] != PERM_ISA_PLAIN;
        perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
        double real = 1;
        options.isa = isas[s];
        if (!permi_isa_here(isas[s]))
          continue;
        CHECK_SHOW(choices_surely(&problem, &options) == (tables && n <= 24), "isa %d, parts %d, order %d: %d", isas[s], parts, n, choices_surely(&problem, &options));
        options.method = PERM_METHOD_EXACT;
        CHECK_SHOW(choices_surely(&problem, &options) == (tables && n <= 24), "isa %d, order %d", isas[s], n);
        options.method = PERM_METHOD_REPEATS;
        CHECK(!choices_surely(&problem, &options));
        options.method = PERM_METHOD_AUTO;
        options.gpu.devices = 1;
        CHECK(!choices_surely(&problem, &options));
        options.gpu.devices = 0;
        other = problem;
        other.m = n - 1;
        CHECK(!choices_surely(&other, &options));
        other = problem;
        other.row_count = count;
        CHECK(!choices_surely(&other, &options));
        other = problem;
        other.column_count = count;
        CHECK(!choices_surely(&other, &options));
        other = problem;
        other.integer = NULL;
        other.real = &real;
        CHECK(!choices_surely(&other, &options));
      }
}

/* Small ranks by name alone: doubles that no other engine has looked at are checked first. */
TEST(t_offers_low_rank_checks)
{
  double a[2 * 20 * 20];
  int parts, i, j, part;
  for (parts = 1; parts <= 2; parts++) {
    perm_status (*compute)(int, int, const double *, ptrdiff_t, const perm_options *, perm_result *) =
        parts == 2 ? perm_compute_complex : perm_compute_real;
    perm_options options = t_sparse_options(PERM_METHOD_LOW_RANK, PERM_PRECISION_DEFAULT);
    perm_result result;
    for (i = 0; i < 20; i++)
      for (j = 0; j < 20; j++)
        for (part = 0; part < parts; part++)
          a[(i * 20 + j) * parts + part] = part ? 0 : (i + 1.0) * (j + 2) + i;
    CHECK(compute(20, 20, a, 20, &options, &result) == PERM_OK && result.method == PERM_METHOD_LOW_RANK);
    CHECK(compute(20, 20, NULL, 20, &options, &result) == PERM_ERROR_NULL && result.argument == 3);
    CHECK(compute(20, 20, a, 19, &options, &result) == PERM_ERROR_STRIDE && result.argument == 4);
    options.threads = -1;
    CHECK(compute(20, 20, a, 20, &options, &result) == PERM_ERROR_OPTION && result.argument == 5);
    options.threads = 0;
    a[(7 * 20 + 3) * parts] = (double)NAN;
    CHECK(compute(20, 20, a, 20, &options, &result) == PERM_ERROR_NOT_FINITE && result.argument == 3);
    CHECK_TEXT(result.message, "NaN in row 8, column 4");
  }
}

/* A small rank is offered up to max_bytes, and only by tables of engines that have it. */
TEST(t_offers_low_rank_memory)
{
  double a[30 * 30];
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  permi_problem problem = permi_problem_make(30, 30, a, NULL, 30, permi_reach_of(1), NULL, NULL);
  permi_maker maker;
  permi_array array;
  double bytes = 0;
  int k;
  for (k = 0; k < 30 * 30; k++)
    a[k] = (k / 30 + 1.0) * (k % 30 + 2) + k / 30 % 7;
  permi_array_begin(&maker, &array, &problem, 5);
  maker.options = &options;
  for (k = 0; k < 3; k++) {
    permi_offer offer;
    memset(&offer, 0, sizeof offer);
    offer.seconds = (double)INFINITY;
    options.max_bytes = k ? bytes - (k == 2) : 0;
    CHECK(permi_low_rank_offer(&maker, NULL, (double)INFINITY, &offer) == PERM_OK && array.rank);
    CHECK(k == 2 ? offer.seconds == (double)INFINITY : offer.seconds > 0 && offer.seconds < 1);
    bytes = offer.bytes;
  }
  CHECK(bytes > 1e4);
  permi_array_free(&array, &options.allocator);
  options.method = PERM_METHOD_LOW_RANK;
  CHECK(permi_array_ranked(&problem, &options));
  problem.reach = &permi_bare_real;
  CHECK(!permi_array_ranked(&problem, &options));
}

/* Up to which order certified sums of doubles are planned in double-double at once, by the kernels' rates. */
TEST(t_offers_cheap_doubling)
{
  static const struct { perm_isa isa; int last[2]; } family[] = {
      {PERM_ISA_PLAIN, {8, 6}}, {PERM_ISA_AVX2, {11, 8}}, {PERM_ISA_AVX512, {12, 9}}};
  int parts, n;
  size_t s;
  for (s = 0; s < sizeof family / sizeof *family && permi_isa_here(family[s].isa); s++)
    for (parts = 1; parts <= 2; parts++)
      for (n = 1; n <= 20; n++) {
        const permi_problem problem = permi_problem_make(n, n, NULL, NULL, n, permi_reach_of(parts), NULL, NULL);
        perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
        options.isa = family[s].isa;
        CHECK(!permi_doubling_is_cheap(&problem, &options));
        options.certify = 1;
        CHECK_SHOW(permi_doubling_is_cheap(&problem, &options) == (n >= 4 && n <= family[s].last[parts - 1]),
                   "family %d, %d parts, order %d", (int)family[s].isa, parts, n);
        options.precision = PERM_PRECISION_ACCURATE;
        CHECK(!permi_doubling_is_cheap(&problem, &options));
      }
}
/* SPDX-License-Identifier: MIT */
