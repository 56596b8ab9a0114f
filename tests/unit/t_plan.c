/* >>gpu, >>plan, >>bounds */
/* What is planned and promised before a dense sum begins: GPUs where they are asked for and faster, pairs of rows that
   are exact, which precision follows which, and what sampled terms say of rounding. */

static void plan_uniform(double *a, int entries)
{
  int i;
  for (i = 0; i < entries; i++)
    a[i] = 2 * test_uniform() - 1;
}

static permi_dense_plan plan_of(int parts, int n, const double *a, const perm_options *options)
{
  permi_dense_plan plan;
  perm_result r;
  const perm_status status = inside_plan(parts, n, n, a, n, options, &plan, &r);
  CHECK_SHOW(status == PERM_OK, "n = %d: %s", n, r.message);
  return plan;
}

/* A plan needs no GPU: it is for one where that is asked for by name, or predicted to be faster, from order 13 on. With
   cpu_fallback there must be one. A job of it can be made, which runs where there is a GPU. */
TEST(t_plan_of_gpus)
{
  static const int orders[] = {4, 12, 13, 14, 24, 32, 44, 56};
  static double a[2 * 56 * 56];
  int parts, chosen[2] = {0, 0};
  size_t k;
  char message[PERM_MESSAGE_BYTES];
  plan_uniform(a, 2 * 56 * 56);
  for (parts = 1; parts <= 2; parts++)
    for (k = 0; k < sizeof orders / sizeof *orders; k++) {
      const int n = orders[k];
      permi_dense_plan cpu, gpu, faster;
      perm_options options;
      perm_job *job = NULL;
      perm_result r;
      memset(&options, 0, sizeof options);
      options.method = PERM_METHOD_DENSE;
      cpu = plan_of(parts, n, a, &options);
      CHECK(cpu.isa != PERM_ISA_CUDA && !permi_gpu_wanted(&options, n));
      options.gpu.devices = 1;
      CHECK(permi_gpu_wanted(&options, n) == (n >= 13));
      faster = plan_of(parts, n, a, &options);
      options.isa = PERM_ISA_CUDA;
      gpu = plan_of(parts, n, a, &options);
      CHECK_SHOW((gpu.isa == PERM_ISA_CUDA) == (n >= 13), "n = %d: %s", n, perm_name("isa", gpu.isa));
      CHECK_SHOW((faster.isa == PERM_ISA_CUDA) == (n >= 13 && gpu.seconds < cpu.seconds), "n = %d: %s, %g and %g s", n,
                 perm_name("isa", faster.isa), gpu.seconds, cpu.seconds);
      chosen[faster.isa == PERM_ISA_CUDA]++;
      options.gpu.cpu_fallback = 1;
      CHECK((plan_of(parts, n, a, &options).isa == PERM_ISA_CUDA) ==
            (n >= 13 && permi_gpu_devices(options.gpu.devices, message) > 0));
      CHECK(inside_job(parts, &gpu, a, n, &options, &job, &r) == PERM_OK);
      CHECK(perm_job_leaves(job) == 1 && job->leaf[0].information.isa == gpu.isa);
      perm_job_free(job);
    }
  CHECK(chosen[0] > 4 && chosen[1] > 4);
}

/* A GPU's thread adds up 2^(walk + block) states, two terms each, in double-double; rows that are divided by their
   pivots may come to products above 1. */
TEST(t_plan_bounds_of_gpus)
{
  static double a[2 * 40 * 40];
  int n, parts, i;
  for (parts = 1; parts <= 2; parts++)
    for (n = 16; n <= 40; n += 8) {
      const double u = ldexp(1, -53);
      permi_view view = permi_view_make(a, n, parts);
      perm_options options;
      permi_dense_plan plan;
      permi_leaf leaf;
      double terms, least;
      memset(&options, 0, sizeof options);
      options.method = PERM_METHOD_DENSE;
      options.precision = PERM_PRECISION_DD;
      options.isa = PERM_ISA_CUDA;
      options.gpu.devices = 1;
      plan_uniform(a, n * n * parts);
      plan = plan_of(parts, n, a, &options);
      memset(&leaf, 0, sizeof leaf);
      permi_plan_bounds(&plan, &view, &leaf);
      terms = 2 * ldexp(1, plan.chunk_log2 + plan.block_columns) / (1 << PERM_GPU_THREADS_LOG2);
      least = ((parts == 2 ? 60 : 14) * n + 40 * terms) * u * u;
      CHECK_SHOW(leaf.bound_relative >= least && leaf.bound_relative <= 1.001 * least, "n = %d: %g, not %g", n,
                 leaf.bound_relative, least);
      CHECK(leaf.estimate_relative > 0 && leaf.estimate_relative <= leaf.bound_relative);
      options.precision = PERM_PRECISION_DEFAULT;
      for (i = 0; i < n * n * parts; i++)
        a[i] = 1; /* divided, row sums are n, or n (1 + i) in the middle of their norms */
      plan = plan_of(parts, n, a, &options);
      memset(&leaf, 0, sizeof leaf);
      permi_plan_bounds(&plan, &view, &leaf);
      CHECK(plan.form == PERMI_FORM_NORMALISED);
      CHECK_SHOW(leaf.bound_absolute >= ldexp(pow(n, n) * n * n, n - 1 - 1070), "n = %d: %g", n, leaf.bound_absolute);
    }
}

/* Rows of whole numbers are exact in pairs while norms of the rows of a pair multiply to 2^50, in whatever units; the
   last of an odd number of rows is alone. */
TEST(t_plan_of_exact_pairs)
{
  static const struct { int n, exact; double norm[5]; } cases[] = {
      {4, 1, {33554431, 33554431, 1, 1}},          /* 2^25 - 1 */
      {4, 0, {33554434, 33554432, 1, 1}},
      {4, 0, {1, 1, 33554434, 33554432}},
      {4, 1, {1024, 1073741824, 1073741824, 1024}}, /* 2^10, 2^30: rows 1 and 2 are no pair */
      {5, 1, {1024, 1073741824, 1073741824, 1024, 562949953421312}},  /* 2^49 */
      {5, 0, {1024, 1073741824, 1073741824, 1024, 2251799813685248}}, /* 2^51 */
      {5, 1, {3, 7, 562949953421312, 1, 9}},
      {5, 0, {3, 7, 562949953421312, 3, 9}}};
  size_t k;
  int parts, unit;
  for (k = 0; k < sizeof cases / sizeof *cases; k++)
    for (parts = 1; parts <= 2; parts++)
      for (unit = -40; unit <= 0; unit += 20) {
        const int n = cases[k].n;
        double a[2 * 5 * 5] = {0};
        permi_view view = permi_view_make(a, n, parts);
        permi_dense_plan plan;
        int i;
        memset(&plan, 0, sizeof plan);
        plan.n = n;
        for (i = 0; i < n; i++) { /* the norm in two entries, of which one is odd */
          const double one = cases[k].norm[i] > 1 ? 1 : 0;
          a[(i * n + i) * parts] = ldexp(cases[k].norm[i] - one, unit * (i % 3));
          a[(i * n + (i + 1) % n) * parts + parts - 1] = -ldexp(one, unit * (i % 3));
        }
        CHECK_SHOW(permi_plan_exact_pairs(&plan, &view) == cases[k].exact, "case %d, %d parts, unit 2^%d", (int)k,
                   parts, unit);
        plan.lossy = 1;
        CHECK(!permi_plan_exact_pairs(&plan, &view));
      }
}

TEST(t_plan_refuses)
{
  static double a[65 * 65];
  permi_view view = permi_view_make(a, 65, 1);
  perm_options options;
  perm_result r;
  permi_dense_plan plan;
  int i;
  memset(&options, 0, sizeof options);
  for (i = 0; i < 65 * 65; i++)
    a[i] = 1;
  CHECK(permi_plan(65, &view, &options, &plan, &r) == PERM_ERROR_SIZE && r.argument == 2);
  CHECK_TEXT(r.message, "order 65: dense engines go up to 64");
  options.modulus = 7;
  CHECK(permi_plan(8, &view, &options, &plan, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 5);
  CHECK_TEXT(r.message, "precision exact and modulus are for integers");
}

/* The precisions that one method goes through, by their first letters, from `from` on. */
static const char *plan_precisions(perm_method method, perm_precision from)
{
  static char text[16];
  int k;
  for (k = 0; from != PERM_PRECISION_COUNT && k < 15; k++) {
    text[k] = from == PERM_PRECISION_DEFAULT ? 'D'
              : from == PERM_PRECISION_DD    ? 'd'
              : from == PERM_PRECISION_KAHAN ? 'k'
                                             : 'e';
    from = permi_next_precision(permi_engines, PERMI_ENGINES, method, from);
  }
  text[k] = 0;
  return text;
}

/* What an answer that is not good enough is computed in next: never the same twice, and double-double at the top. */
TEST(t_plan_of_precisions)
{
  static const struct { perm_method method; const char *usual, *dd, *kahan; } ladder[] = {
      {PERM_METHOD_DENSE, "Dd", "d", "k"},
      {PERM_METHOD_GLYNN, "Dd", "d", "k"},
      {PERM_METHOD_RYSER, "Dd", "d", "k"},
      {PERM_METHOD_EXPANSION, "D", "d", "k"},
      {PERM_METHOD_STRUCTURE, "D", "d", "k"},
      {PERM_METHOD_HYBRID, "Dd", "d", NULL},
      {PERM_METHOD_FRONTIER, "Dd", "d", NULL},
      {PERM_METHOD_LISTS, "Dd", "d", NULL},
      {PERM_METHOD_SORTING, "Dd", "d", NULL},
      {PERM_METHOD_ARRAYS, "Dd", "d", NULL},
      {PERM_METHOD_BAND, "Dd", "d", NULL},
      {PERM_METHOD_TRANSVERSALS, "Dd", "d", NULL},
      {PERM_METHOD_TWINS, "Dd", "d", NULL},
      {PERM_METHOD_TREE, "Dd", "d", NULL},
      {PERM_METHOD_MULTIPLICITIES, "Dde", "de", NULL},
      {PERM_METHOD_SUBSETS, "Dde", "de", NULL},
      {PERM_METHOD_SHORT, "Dde", "de", NULL},
      {PERM_METHOD_EXACT, "D", "d", NULL},
      {PERM_METHOD_PLANAR, "D", "d", NULL},
      {PERM_METHOD_SIGN_SEARCH, "D", "d", NULL},
      {PERM_METHOD_CODEGEN, "D", "d", NULL},
      {PERM_METHOD_DOMINATING, "D", "d", NULL},
      {PERM_METHOD_SPARYSER, "D", "d", NULL},
      {PERM_METHOD_DECOMPOSE, "D", "d", NULL}};
  size_t k;
  for (k = 0; k < sizeof ladder / sizeof *ladder; k++) {
    const perm_method method = ladder[k].method;
#define PLAN_LADDER(field, from)                                                          \
  CHECK_SHOW(!ladder[k].field || !strcmp(plan_precisions(method, from), ladder[k].field), \
             "%s: %s", perm_name("method", method), plan_precisions(method, from));
    PLAN_LADDER(usual, PERM_PRECISION_DEFAULT)
    PLAN_LADDER(dd, PERM_PRECISION_DD)
    PLAN_LADDER(kahan, PERM_PRECISION_KAHAN)
#undef PLAN_LADDER
  }
}

/* A leaf says its plan's precision, and every allocation may fail. */
TEST(t_plan_of_a_leaf)
{
  static const struct { int n, certify; perm_precision asked, planned; } cases[] = {
      {12, 0, PERM_PRECISION_DEFAULT, PERM_PRECISION_DEFAULT},
      {30, 0, PERM_PRECISION_DD, PERM_PRECISION_DD},
      {30, 1, PERM_PRECISION_DD, PERM_PRECISION_DD},
      {3, 0, PERM_PRECISION_DD, PERM_PRECISION_DD}};
  static double a[30 * 30];
  size_t k;
  plan_uniform(a, 30 * 30);
  for (k = 0; k < sizeof cases / sizeof *cases; k++) {
    permi_view view = permi_view_make(a, cases[k].n, 1);
    perm_precision precision;
    perm_options options;
    perm_result r;
    permi_leaf leaf;
    perm_status status;
    int failures = 0;
    memset(&options, 0, sizeof options);
    options.precision = cases[k].asked;
    options.certify = cases[k].certify;
    do {
      precision = PERM_PRECISION_KAHAN;
      memset(&r, 0, sizeof r);
      test_heap.fail_at = test_heap.calls + 1 + failures;
      status = inside_dense_leaf(&options, cases[k].n, &view, &leaf, &precision, &r);
      CHECK(status == PERM_OK ? precision == cases[k].planned
                              : status == PERM_ERROR_MEMORY && r.status == PERM_ERROR_MEMORY);
    } while (status == PERM_ERROR_MEMORY && ++failures < 20);
    test_heap.fail_at = 0;
    CHECK_SHOW(status == PERM_OK && failures > 0, "case %d: %d failures", (int)k, failures);
    CHECK(leaf.information.n == cases[k].n);
    if (status == PERM_OK)
      leaf.release(&options.allocator, leaf.context);
  }
}

/* Rows of multiples of 2^-24 of their sum of moduli, rounded up to a power of two, lose nothing: at any scale. */
TEST(t_rounding_of_few_digits)
{
  int scale, trial, j;
  for (scale = -60; scale <= 60; scale += 3)
    for (trial = 0; trial < 20; trial++) {
      double row[6], moduli = 0, unit;
      for (j = 0; j < 6; j++) {
        row[j] = (double)(test_below(1 << 21) - (1 << 20));
        moduli += fabs(row[j]);
      }
      unit = ldexp(1, scale - 24);
      while (moduli <= 8388608) { /* to 2^23 < moduli <= 2^24 */
        moduli *= 2;
        for (j = 0; j < 6; j++)
          row[j] *= 2;
      }
      for (j = 0; j < 6; j++)
        row[j] *= unit;
      row[trial % 6] += row[trial % 6] > 0 ? -unit : unit; /* odd now */
      CHECK(permi_few_digits(row, 6, moduli * unit));
      row[trial % 6] += 0.5 * unit;
      CHECK(!permi_few_digits(row, 6, moduli * unit));
    }
  {
    const double half[4] = {0.125, -0.125, 0.25 - ldexp(1, -25), ldexp(1, -25)};
    CHECK(permi_few_digits(half, 4, 0.5)); /* a sum that is a power of two itself */
  }
}

/* Up to order 6 the sampled terms are all there are, in turn; up to order 10 those beyond the first are. */
TEST(t_rounding_samples_all_terms)
{
  int n, begin, j, k;
  for (n = 4; n <= 10; n++) {
    const int first = n <= 6 ? 0 : PERMI_SAMPLED_FIRST, all = 1 << (n - 1);
    char seen[512] = {0};
    int distinct = 0;
    double sign[PERM_MAX_N][PERMI_SAMPLED_TERMS];
    for (begin = first; begin < first + all; begin += PERMI_SAMPLED_TERMS) {
      permi_sampled_signs(n, begin, sign);
      for (k = 0; k < PERMI_SAMPLED_TERMS; k++) {
        int which = 0;
        for (j = 1; j < n; j++) {
          CHECK(fabs(sign[j][k]) == 1);
          which |= (sign[j][k] != sign[0][k]) << (j - 1); /* a term and its opposite are the same */
        }
        distinct += !seen[which];
        seen[which] = 1;
      }
    }
    CHECK_SHOW(distinct == all, "n = %d: %d of %d", n, distinct, all);
    permi_sampled_signs(n, 0, sign);
    for (j = 0; j < n; j++)
      CHECK(sign[j][0] == 1); /* term 0 is all + */
  }
}

/* Relative errors of factors: nothing lost is none, even of 0; all is lost where a factor is no more than rounding. */
TEST(t_rounding_of_a_factor)
{
  double square = 0;
  CHECK(permi_rounded_product(0, 0, 0.25, &square) == 0.25 && square == 0);
  CHECK(permi_rounded_product(0, 0, 0, &square) == 0 && square == 0);
  CHECK(permi_rounded_product(0.5, 0, 0, &square) == 0.5 && square == 0);
  CHECK(permi_rounded_product(0.5, 0.125, 0.125, &square) == 0.5 && square == 0.0625);
  CHECK(permi_rounded_product(0.125, 0.5, 0.5, &square) == 0.5 && square == 1.0625);
  CHECK(permi_rounded_product(0, 0.5, 0.5, &square) == 0.5 && square > 1e29);
}

/* Blocks (u, u; v, -v): in every term one row sum of each vanishes, and the sum is all rounding. At order 48 sampled
   terms are below the least double, which must not make them vanish. */
TEST(t_rounding_where_all_terms_vanish)
{
  static double a[48 * 48];
  int n, i;
  for (n = 8; n <= 48; n += 8) {
    permi_view view = permi_view_make(a, n, 1);
    perm_options options;
    permi_dense_plan plan;
    permi_leaf leaf;
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i += 2) {
      a[i * n + i] = a[i * n + i + 1] = 0.5 + test_uniform();
      a[(i + 1) * n + i] = 0.5 + test_uniform();
      a[(i + 1) * n + i + 1] = -a[(i + 1) * n + i];
    }
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_DENSE;
    plan = plan_of(1, n, a, &options);
    plan.form = PERMI_FORM_PAIR; /* small orders are planned with proof */
    plan.exact_rows = 0;
    memset(&leaf, 0, sizeof leaf);
    permi_plan_bounds(&plan, &view, &leaf);
    CHECK_SHOW(leaf.estimate_relative == (double)INFINITY, "n = %d: %g", n, leaf.estimate_relative);
  }
}
/* SPDX-License-Identifier: MIT */
