/* >>offers, >>engine, >>choose, >>judge */
/* Which engine is asked, chosen and run again, on either side of each condition; what is refused, and how. */

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
  result.method = PERM_METHOD_MULTIPLICITIES;
  result.error_bound = (double)INFINITY;
  options.tolerance = 0;
  options.certify = 0;
  CHECK(permi_judge(&options, &result) == PERM_OK);
  options.certify = 1;
  CHECK(permi_judge(&options, &result) == PERM_TOLERANCE_NOT_MET && result.status == PERM_TOLERANCE_NOT_MET);
  CHECK_TEXT(result.message, "certify: no guaranteed bound for this matrix by method multiplicities");
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
typedef struct offers_solver { int plans, makes, inexact; double seconds; int floats, doubles; } offers_solver;

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
  if (!*job)
    return PERM_ERROR_MEMORY;
  (*job)->number = number;
  (*job)->numbered = 1;
  (*job)->floats = solver->floats;
  return PERM_OK;
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
  static const struct { int inexact; double seconds; int plans, makes, escalated, floats; } expect[] = {
      {0, 1e-3, 1, 1, 0, 0}, {1, 1e-3, 2, 2, 1, 0}, {2, 1e-3, 2, 2, 1, 0}, {1, 2, 2, 1, 0, 0},
      {0, 1e-3, 1, 1, 0, 1}, {1, 1e-3, 2, 2, 1, 1}, {2, 1e-3, 3, 3, 2, 1}, {3, 1e-3, 3, 3, 2, 1}, {1, 2, 2, 1, 0, 1}};
  size_t k;
  for (k = 0; k < sizeof expect / sizeof *expect; k++) {
    offers_solver solver = {0, 0, expect[k].inexact, expect[k].seconds, expect[k].floats, 0};
    perm_options options;
    perm_result result;
    memset(&options, 0, sizeof options);
    memset(&result, 0, sizeof result);
    CHECK(permi_solve(&solve, &solver, &solver.doubles, permi_reach_of(1), &options, permi_seconds(),
                      &result) == PERM_OK);
    CHECK_SHOW(solver.plans == expect[k].plans && solver.makes == expect[k].makes &&
                   result.escalated == expect[k].escalated && solver.doubles == (expect[k].floats && solver.plans > 1),
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
      permi_dense_plan plan;
      long fail;
      if (precision == PERM_PRECISION_KAHAN)
        options.method = PERM_METHOD_GLYNN;
      CHECK(inside_plan(parts, 12, 12, a, 12, &options, &plan, &result) == PERM_OK);
      others = t_sparse_options(PERM_METHOD_RYSER, precision ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD);
      others.certify = 1;
      for (fail = 1;; fail++) {
        t_sparse_memory memory = {0, 0, 0};
        perm_status status;
        memory.fail_at = fail;
        others.allocator.allocate = t_sparse_allocate;
        others.allocator.release = t_sparse_release;
        others.allocator.user_data = &memory;
        status = inside_job(parts, &plan, a, 12, &others, &job, &result);
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
        CHECK_SHOW(result.exact && written.exact &&
                       !memcmp(&result.integer, &written.integer, sizeof result.integer) &&
                       !memcmp(&result.imaginary_integer, &written.imaginary_integer, sizeof result.integer),
                   "%d parts, side %d: %.17g, not %.17g", parts, side, result.value, written.value);
      }
}

/* At sight the exact engine is taken by vector kernels, for square arrays of integers without counts, by method auto or
   its name, on the CPU, and where no two lines are equal. */
TEST(t_offers_exact_at_sight)
{
  static const perm_isa isas[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512, PERM_ISA_AVX512IFMA};
  int64_t a[2 * 26 * 26], kept[2 * 26];
  static double real[2 * 26 * 26];
  int count[26], parts, n, k;
  size_t s;
  for (k = 0; k < 2 * 26 * 26; k++)
    real[k] = (double)(a[k] = (int64_t)(test_random() >> 58) + 1);
  for (k = 0; k < 26; k++)
    count[k] = 1;
  for (s = 0; s < sizeof isas / sizeof *isas; s++)
    for (parts = 1; parts <= 2; parts++)
      for (n = 10; n <= 26; n += 2) {
        permi_problem problem = permi_problem_make(n, n, NULL, a, 26, permi_reach_of(parts), NULL, NULL), other;
        perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
        options.isa = isas[s];
        if (!permi_isa_here(isas[s]))
          continue;
        CHECK_SHOW(choices_surely(&problem, &options) || isas[s] == PERM_ISA_PLAIN, "isa %d, %d parts, order %d",
                   isas[s], parts, n);
        options.method = PERM_METHOD_EXACT;
        CHECK_SHOW(choices_surely(&problem, &options) || isas[s] == PERM_ISA_PLAIN, "isa %d, order %d", isas[s], n);
        options.method = PERM_METHOD_MULTIPLICITIES;
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
        other.real = real;
        CHECK(!choices_surely(&other, &options));
        memcpy(kept, a + parts * 26, sizeof kept);
        memcpy(a + parts * 26, a, sizeof *a * (size_t)(n * parts));
        CHECK(!choices_surely(&problem, &options));
        memcpy(a + parts * 26, kept, sizeof kept);
      }
}

/* Up to which order certified sums of doubles are planned in double-double at once, by the kernels' rates. */
TEST(t_offers_cheap_doubling)
{
  static const struct { perm_isa isa; int last[2]; } family[] = {
      {PERM_ISA_PLAIN, {8, 6}}, {PERM_ISA_AVX2, {11, 9}}, {PERM_ISA_AVX512, {12, 9}}};
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
        options.precision = PERM_PRECISION_DD;
        CHECK(!permi_doubling_is_cheap(&problem, &options));
      }
}

/* Full matrices of integers, as sparse ones; the caller frees. */
static perm_matrix offers_integers(int n, const int64_t *a)
{
  static int row[80 * 80], column[80 * 80];
  perm_matrix matrix;
  int k;
  memset(&matrix, 0, sizeof matrix);
  for (k = 0; k < n * n; k++) {
    row[k] = k / n;
    column[k] = k % n;
  }
  CHECK(perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, NULL, NULL, a, PERM_KIND_INTEGER, NULL, &matrix,
                                  NULL) == PERM_OK);
  return matrix;
}

/* A plan on portable kernels: its first leaf, how many offers are noted, and the first one of a method with its index,
   -1 without. */
typedef struct offers_planned {
  perm_leaf leaf;
  perm_offer offer;
  int offers, index;
  perm_precision precision;
} offers_planned;

static offers_planned offers_plan_of(const perm_matrix *matrix, perm_options options, perm_method method)
{
  offers_planned plan;
  perm_job *job = NULL;
  perm_result result;
  perm_offer offer;
  memset(&plan, 0, sizeof plan);
  plan.index = -1;
  options.isa = options.isa == PERM_ISA_AUTO ? PERM_ISA_PLAIN : options.isa;
  CHECK_SHOW(perm_sparse_job(matrix, &options, &job, &result) == PERM_OK, "%s", result.message);
  if (!job)
    return plan;
  plan.precision = perm_job_precision(job, NULL);
  CHECK(perm_job_leaf(job, 0, &plan.leaf) == PERM_OK);
  for (; perm_job_offer(job, plan.offers, &offer) == PERM_OK; plan.offers++)
    if (offer.method == method && plan.index < 0) {
      plan.offer = offer;
      plan.index = plan.offers;
    }
  perm_job_free(job);
  return plan;
}

/* Classes are looked for before orders where greedy orders are far slower than that search; else afterwards, if at
   all. */
TEST(t_offers_of_classes_before_orders)
{
  static const char *const pattern[] = {"regular:20:7", "er:24:0.8", "er:24:0.9"};
  int k, classes, frontier;
  for (k = 0; k < 3; k++) {
    const perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    CHECK(perm_generate(pattern[k], 1, NULL, &matrix, NULL) == PERM_OK);
    classes = offers_plan_of(&matrix, options, PERM_METHOD_TWINS).index;
    frontier = offers_plan_of(&matrix, options, PERM_METHOD_FRONTIER).index;
    CHECK_SHOW(frontier >= 0 && (k ? classes >= 0 && classes < frontier : classes < 0 || classes > frontier),
               "%s: %d, %d", pattern[k], classes, frontier);
    perm_matrix_free(&matrix);
  }
}

/* Integers that the exact engine sums in a tenth of a millisecond, or three tenths if two fifths of the entries are
   there, are given to it before anybody else is asked. */
TEST(t_offers_none_to_what_is_done_at_once)
{
  enum { N = 15 };
  int64_t a[N * N];
  int n, trial, k, at_once[2][2] = {{0, 0}, {0, 0}};
  for (n = 12; n <= N; n++)
    for (trial = 0; trial < 32; trial++) {
      perm_options options = t_sparse_options(PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT);
      const int bits = 1 + test_below(trial % 2 ? 20 : 4), density = trial % 4 < 2 ? 3 : 3 + trial / 4 % 8;
      perm_preparation report;
      perm_matrix matrix;
      offers_planned exact, plan;
      int full;
      for (k = 0; k < n * n; k++)
        a[k] = test_below(10) < density || k % (n + 1) == 0
                   ? (1 + (int64_t)(test_random() >> (64 - bits))) * (1 - 2 * test_below(2)) : 0;
      matrix = offers_integers(n, a);
      CHECK(perm_sparse_report(&matrix, &options, &report, NULL) == PERM_OK);
      if (report.blocks == 1 && report.largest > 9 && report.equal_rows + report.equal_columns == 0) {
        full = (double)report.entries_left > 0.4 * report.largest * report.largest;
        exact = offers_plan_of(&matrix, options, PERM_METHOD_EXACT);
        options.method = PERM_METHOD_AUTO;
        plan = offers_plan_of(&matrix, options, PERM_METHOD_EXACT);
        CHECK_SHOW((plan.offers == 0) == (exact.leaf.seconds < (full ? 3e-4 : 1e-4)),
                   "order %d, %d entries: %g s, %d offers", report.largest, (int)report.entries_left,
                   exact.leaf.seconds, plan.offers);
        CHECK(plan.offers || plan.leaf.method == PERM_METHOD_EXACT);
        at_once[full][plan.offers == 0]++;
      }
      perm_matrix_free(&matrix);
    }
  CHECK_SHOW(at_once[0][0] && at_once[0][1] && at_once[1][0] && at_once[1][1], "%d %d %d %d", at_once[0][0],
             at_once[0][1], at_once[1][0], at_once[1][1]);
}

/* A proven engine that takes less than a millisecond settles the choice: of those the quickest is taken, and engines
   whose plans take longer are not asked. */
TEST(t_offers_are_settled)
{
  static const char *const pattern[] = {"er:13:0.8", "er:13:0.9", "er:14:1"};
  int k, e, settled = 0;
  for (k = 0; k < 3; k++) {
    const perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    int64_t value[14 * 14], *own;
    offers_planned plan, exact;
    perm_matrix matrix;
    CHECK(perm_generate(pattern[k], 1, NULL, &matrix, NULL) == PERM_OK && matrix.nnz <= 14 * 14);
    for (e = 0; e < (int)matrix.nnz; e++)
      value[e] = (1 + (int64_t)(test_random() >> 48)) * (1 - 2 * test_below(2));
    own = matrix.integer;
    matrix.kind = PERM_KIND_INTEGER;
    matrix.integer = value;
    plan = offers_plan_of(&matrix, options, PERM_METHOD_FRONTIER);
    if (plan.index >= 0 && plan.offer.seconds < 1e-3) {
      exact = offers_plan_of(&matrix, options, PERM_METHOD_EXACT);
      CHECK_SHOW(exact.index >= 0 && plan.leaf.seconds == fmin(plan.offer.seconds, exact.offer.seconds), "%s: %s",
                 pattern[k], perm_name("method", plan.leaf.method));
      CHECK_TEXT(offers_plan_of(&matrix, options, PERM_METHOD_HYBRID).offer.reason, "cannot take less than");
      settled++;
    }
    matrix.integer = own;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(settled >= 2, "%d", settled);
}

/* Doubles with equal lines go to engines for counts where the dense sum takes over a tenth of a millisecond: from order
   15 on by portable kernels. */
TEST(t_offers_of_equal_doubles)
{
  double a[16 * 16];
  int n, k;
  for (n = 12; n <= 16; n++) {
    offers_planned plan;
    perm_matrix matrix;
    for (k = 0; k < n * n; k++)
      a[k] = k < 2 * n ? 0.1 + test_uniform() : a[k % (2 * n)];
    CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    plan = offers_plan_of(&matrix, t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT), PERM_METHOD_DENSE);
    CHECK_SHOW(permi_is_counts_method(plan.leaf.method) == (n >= 15), "order %d: %s, dense %g s", n,
               perm_name("method", plan.leaf.method), plan.offer.seconds);
    perm_matrix_free(&matrix);
  }
}

/* Between the bound from below of the sum of integers and its price: by kernels that are 3 to 500 times slower than the
   bound, hybrid is taken where it is less, and the sum where that is. */
TEST_LONG(t_offers_between_a_bound_and_a_price)
{
  static const struct { const char *matrix; perm_isa isa; perm_method method; } kind[] = {
      {"binary:38:0.3", PERM_ISA_PLAIN, PERM_METHOD_HYBRID}, {"binary:38:0.3", PERM_ISA_AVX2, PERM_METHOD_HYBRID},
      {"binary:44:0.4", PERM_ISA_AVX2, PERM_METHOD_EXACT}, {"binary:44:0.4", PERM_ISA_PLAIN, PERM_METHOD_HYBRID}};
  size_t k;
  for (k = 0; k < sizeof kind / sizeof *kind; k++) {
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    offers_planned plan;
    perm_matrix matrix;
    if (!permi_isa_here(kind[k].isa))
      continue;
    options.isa = kind[k].isa;
    CHECK(perm_generate(kind[k].matrix, 1, NULL, &matrix, NULL) == PERM_OK);
    plan = offers_plan_of(&matrix, options, kind[k].method);
    CHECK_SHOW(plan.leaf.method == kind[k].method, "%s: %s", kind[k].matrix, perm_name("method", plan.leaf.method));
    perm_matrix_free(&matrix);
  }
}

/* Integers of large orders: the exact engine is known to the choice up to order 64, with equal lines and without, and
   on the GPU that is asked for. */
TEST(t_offers_of_large_exact_sums)
{
  static const int orders[] = {40, 41, 63, 64};
  static int64_t a[64 * 64];
  int o, equal, k;
  for (o = 0; o < 4; o++)
    for (equal = 0; equal < 2; equal++) {
      perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
      const int n = orders[o];
      offers_planned plan;
      perm_matrix matrix;
      for (k = 0; k < n * n; k++)
        a[k] = equal && k >= n && k < 2 * n ? a[k - n] : (1 + test_below(2)) * (1 - 2 * test_below(2));
      matrix = offers_integers(n, a);
      plan = offers_plan_of(&matrix, options, PERM_METHOD_EXACT);
      CHECK_SHOW(plan.index >= 0 && plan.leaf.method == PERM_METHOD_EXACT, "order %d, %d equal: %s", n, equal,
                 perm_name("method", plan.leaf.method));
      CHECK_SHOW(plan.offer.seconds == plan.leaf.seconds, "order %d: %g of %g s", n, plan.offer.seconds,
                 plan.leaf.seconds); /* the price, not the bound from below that it was chosen by at first */
      options.gpu.devices = 1;
      options.gpu.cpu_fallback = 1;
      plan = offers_plan_of(&matrix, options, PERM_METHOD_EXACT);
      CHECK_SHOW(plan.index >= 0 && plan.offer.seconds == plan.leaf.seconds, "order %d, %d equal: %g s", n, equal,
                 plan.offer.seconds);
      perm_matrix_free(&matrix);
    }
}

/* Dense sums on GPUs have their own prices, also where plans are made without one: real, complex, by precision. */
TEST(t_offers_of_dense_sums_on_gpus)
{
  static const struct { perm_precision precision; int certify, product; } kind[] = {
      {PERM_PRECISION_DEFAULT, 1, PERM_GPU_PIVOT},
      {PERM_PRECISION_DD, 0, PERM_GPU_DOUBLED}};
  perm_matrix matrix;
  int k, parts;
  CHECK(perm_generate("uniform:36", 1, NULL, &matrix, NULL) == PERM_OK);
  for (parts = 1; parts <= 2; parts++)
    for (k = 0; k < 2; k++) {
      perm_options options = t_sparse_options(PERM_METHOD_AUTO, kind[k].precision);
      const double here = offers_plan_of(&matrix, options, PERM_METHOD_DENSE).offer.seconds;
      double there;
      options.certify = kind[k].certify;
      options.gpu.devices = 1;
      matrix.imaginary = parts == 2 ? matrix.real : NULL;
      matrix.kind = parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
      there = offers_plan_of(&matrix, options, PERM_METHOD_DENSE).offer.seconds;
      const int product = k == 0 && parts == 2 ? PERM_GPU_ROUNDED : kind[k].product;
      CHECK_SHOW(there == permi_gpu_seconds(36 * ldexp(1, 35), parts, product) &&
                     there < here / 10, "%d parts, kind %d: %g s",
                 parts, k, there);
    }
  matrix.imaginary = NULL;
  perm_matrix_free(&matrix);
}

/* What is too long for one engine may fit another: method planar bounds a permanent by computing it, in doubles. */
TEST(t_offers_too_long_for_others)
{
  static int64_t value[3120];
  int64_t *own;
  const perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  offers_planned plan;
  perm_matrix matrix;
  size_t e;
  CHECK(perm_generate("grid:40:40", 1, NULL, &matrix, NULL) == PERM_OK && matrix.nnz == 3120);
  for (e = 0; e < matrix.nnz; e++)
    value[e] = (1 + (int64_t)(test_random() >> 59)) * (1 - 2 * test_below(2));
  own = matrix.integer;
  matrix.kind = PERM_KIND_INTEGER;
  matrix.integer = value;
  plan = offers_plan_of(&matrix, options, PERM_METHOD_BAND);
  CHECK_SHOW(plan.index > 0 && strstr(plan.offer.reason, "over 4544 bits"), "%s", plan.offer.reason);
  CHECK_SHOW(plan.leaf.method == PERM_METHOD_PLANAR && plan.precision == PERM_PRECISION_EXACT, "%s",
             perm_name("method", plan.leaf.method));
  matrix.integer = own;
  perm_matrix_free(&matrix);
}

/* Plans that fail for limits name the options, and the engine that is in question. */
TEST(t_offers_refused_for_memory)
{
  static const char *const words[] = {"is not planned within max_bytes", "method band is predicted to need",
                                      "out of reach: method frontier is predicted to take"};
  int seen[3] = {0, 0, 0}, k, planned = 0;
  perm_matrix matrix;
  double bytes;
  CHECK(perm_generate("band:70:5", 1, NULL, &matrix, NULL) == PERM_OK);
  matrix.kind = PERM_KIND_PATTERN;
  for (bytes = 3e4; bytes < 2e6; bytes *= 1.2) {
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    perm_job *job = NULL;
    perm_result result;
    options.isa = PERM_ISA_PLAIN;
    options.max_bytes = bytes < 1e6 ? bytes : 0;
    if (bytes >= 1e6) { /* at last, what nobody waits for */
      perm_matrix_free(&matrix);
      CHECK(perm_generate("er:90:0.5", 1, NULL, &matrix, NULL) == PERM_OK);
      options.precision = PERM_PRECISION_DEFAULT;
      bytes = 2e6;
    }
    if (perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK) {
      planned++;
    } else {
      CHECK(result.status == PERM_ERROR_LIMIT);
      CHECK_SHOW(!strstr(result.message, "exact integers are predicted") && !strstr(result.message, "inf"), "%s",
                 result.message);
      for (k = 0; k < 2; k++)
        if (strstr(result.message, words[k])) {
          CHECK_SHOW(result.argument == 2, "%d: %s", result.argument, result.message);
          seen[k]++;
        }
    }
    perm_job_free(job);
  }
  CHECK_SHOW(seen[0] && seen[1] && planned, "%d %d %d", seen[0], seen[1], planned);
  perm_matrix_free(&matrix);
}

/* Blocks without zeros: every allocation may fail, also that of what is said of them. */
TEST(t_offers_of_full_blocks_need_memory)
{
  perm_matrix matrix;
  long fail;
  int made = 0;
  CHECK(perm_generate("uniform:19", 1, NULL, &matrix, NULL) == PERM_OK);
  for (fail = 1; !made; fail++) {
    t_sparse_memory memory = {0, 0, 0};
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_job *job = NULL;
    perm_result result;
    perm_status status;
    char text[4000] = "";
    memory.fail_at = fail;
    options.allocator.allocate = t_sparse_allocate;
    options.allocator.release = t_sparse_release;
    options.allocator.user_data = &memory;
    status = perm_sparse_job(&matrix, &options, &job, &result);
    made = memory.calls < fail;
    CHECK_SHOW(status == (made ? PERM_OK : PERM_ERROR_MEMORY), "allocation %ld: %d %s", fail, status, result.message);
    if (made) {
      perm_job_explain(job, text, sizeof text);
      CHECK_TEXT(text, "frontier     no: the block cannot take less than");
    }
    perm_job_free(job);
    CHECK(!memory.live);
  }
  CHECK(fail > 10);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
