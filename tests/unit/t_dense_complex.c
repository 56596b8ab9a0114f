/* >>dense, >>dense_kernels, >>judge, >>compute */
/* Complex matrices, and the ladder of precisions: values, identities, bits, refusals. */

static void complex_random(int n, double *a)
{
  int i;
  for (i = 0; i < 2 * n * n; i++)
    a[i] = 2 * test_uniform() - 1;
}

static perm_result complex_compute(int n, const double *a, perm_method method, perm_isa isa, perm_precision precision)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.isa = isa;
  options.precision = precision;
  return bounds_run(2, n, a, &options);
}

static perm_result complex_default(int n, const double *a)
{
  return complex_compute(n, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
}

static double complex_distance(const perm_result *a, const perm_result *b) /* both with exp2 = 0 */
{
  CHECK(a->exp2 == 0 && b->exp2 == 0);
  return hypot(a->value - b->value, a->imaginary - b->imaginary);
}

static int complex_same_bits(const perm_result *a, const perm_result *b)
{
  return !memcmp(&a->value, &b->value, sizeof a->value) && !memcmp(&a->imaginary, &b->imaginary, sizeof a->value) &&
         a->exp2 == b->exp2 && !memcmp(&a->error_estimate, &b->error_estimate, sizeof a->error_estimate) &&
         !memcmp(&a->error_bound, &b->error_bound, sizeof a->error_bound);
}

static const perm_method complex_methods[] = {PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER,
                                              PERM_METHOD_EXPANSION, PERM_METHOD_AUTO};

/* Every engine, family and precision within its estimate of exact arithmetic, real and complex; the scalar engines'
   double-double too. Estimates are not vacuous. What is refused is refused by name. */
TEST(t_every_precision_matches_exact_arithmetic)
{
  double a[2 * 13 * 13], worst[PERM_PRECISION_COUNT];
  int parts, n, trial, k, isa, precision, refused = 0;
  memset(worst, 0, sizeof worst);
  for (parts = 1; parts <= 2; parts++)
    for (n = 1; n <= 13; n += n < 9 ? 1 : 2)
      for (trial = 0; trial < (n < 8 ? 6 : n < 12 ? 2 : 1); trial++) {
        oracle_exact exact;
        bounds_matrix(trial % 3 == 1 ? BOUNDS_SPARSE : trial % 3 == 2 ? BOUNDS_RANK_ONE : BOUNDS_UNIFORM, parts, n, a);
        exact = oracle_exact_make(parts, n, a);
        for (k = 0; k < 5; k++)
          for (isa = isa_first(); isa; isa = isa_next(complex_methods[k] == PERM_METHOD_DENSE ? isa : PERM_ISA_COUNT))
            for (precision = 0; precision < PERM_PRECISION_EXACT; precision++) {
              perm_options options;
              perm_result r;
              double error, inner = 0;
              int scalar = complex_methods[k] == PERM_METHOD_GLYNN || complex_methods[k] == PERM_METHOD_RYSER;
              if (complex_methods[k] == PERM_METHOD_EXPANSION && n > 7)
                continue;
              memset(&options, 0, sizeof options);
              options.method = complex_methods[k];
              options.isa = (perm_isa)isa;
              options.precision = (perm_precision)precision;
              r = bounds_run(parts, n, a, &options);
              if (!scalar && precision == PERM_PRECISION_KAHAN) {
                CHECK(r.status == PERM_ERROR_UNSUPPORTED && r.argument == 5 && isnan(r.value));
                CHECK_TEXT(r.message, "precision kahan is for methods glynn and ryser");
                refused++;
                continue;
              }
              error = oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2);
              CHECK(r.status == PERM_OK && r.is_complex == (parts == 2) && (parts == 2 || r.imaginary == 0));
              CHECK(r.precision == (r.exact ? PERM_PRECISION_EXACT : options.precision));
              CHECK_SHOW(test_within(error, r.error_estimate * (1 + 1e-14)) && error <= r.error_bound * (1 + 1e-14),
                         "parts %d n=%d trial %d %s %s %s: error %g, estimate %g, bound %g", parts, n, trial,
                         perm_name("method", options.method), perm_name("isa", options.isa),
                         perm_name("precision", options.precision), error, r.error_estimate, r.error_bound);
              if (bounds_has_number) {
                const permi_number *b = &bounds_number;
                inner = hypot(oracle_exact_part(&exact, 0, b->value.hi, b->value.lo, b->exp2),
                              parts == 2 ? oracle_exact_part(&exact, 1, b->imaginary.hi, b->imaginary.lo, b->exp2) : 0);
                CHECK_SHOW(test_within(inner, b->estimate),
                           "parts %d n=%d trial %d %s %s %s: error %g of hi + lo, estimate %g",
                           parts, n, trial, perm_name("method", options.method), perm_name("isa", options.isa),
                           perm_name("precision", options.precision), inner, b->estimate);
                if (b->estimate > 0 && inner / b->estimate > worst[precision])
                  worst[precision] = inner / b->estimate;
              }
            }
        oracle_exact_free(&exact);
      }
  for (precision = 0; precision < PERM_PRECISION_EXACT; precision++) {
    if (test_verbose)
      printf("     %s: worst error/estimate %.3g\n", perm_name("precision", (perm_precision)precision),
             worst[precision]);
    CHECK_SHOW(worst[precision] > 1e-3, "%s: worst error/estimate %g", perm_name("precision",
                                                                                 (perm_precision)precision),
               worst[precision]);
  }
  CHECK(refused > 50);
}

/* A real matrix with imaginary parts that are 0, and all of it times i. */
TEST(t_complex_of_real)
{
  double a[12 * 12], b[2 * 12 * 12];
  int n, i, isa, precision;
  for (n = 1; n <= 12; n++)
    for (isa = isa_first(); isa; isa = isa_next(isa))
      for (precision = 0; precision <= PERM_PRECISION_DD; precision++) {
        perm_options options;
        perm_result r, s;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        options.precision = (perm_precision)precision;
        dense_random(n, a, 1);
        memset(b, 0, sizeof b);
        for (i = 0; i < n * n; i++)
          b[2 * i] = a[i];
        r = bounds_run(1, n, a, &options);
        s = bounds_run(2, n, b, &options);
        CHECK(!r.is_complex && s.is_complex && s.imaginary == 0);
        CHECK_SHOW(test_within(complex_distance(&r, &s), r.error_estimate + s.error_estimate), "n=%d: %.17g %.17g", n,
                   r.value, s.value);
        for (i = 0; i < n * n; i++) {
          b[2 * i] = 0;
          b[2 * i + 1] = a[i];
        }
        s = bounds_run(2, n, b, &options); /* i^n */
        CHECK((n & 1 ? s.value : s.imaginary) == 0);
        s.value = n & 1 ? s.imaginary : s.value;
        s.value *= n & 2 ? -1 : 1;
        CHECK_SHOW(test_within(fabs(r.value - s.value), r.error_estimate + s.error_estimate), "n=%d: %.17g %.17g", n,
                   r.value, s.value);
      }
}

/* Identities where no oracle reaches, in every form. */
TEST(t_complex_identities)
{
  double a[2 * 20 * 20], b[2 * 20 * 20], c[2 * 20 * 20];
  int i, j, k, n, pass;
  for (pass = 0; pass < 3; pass++) {
    perm_options options;
    perm_result r, s, t;
    memset(&options, 0, sizeof options);
    options.certify = pass == 1;
    options.precision = pass == 2 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
    n = pass == 0 ? 20 : pass == 1 ? 17 : 14;
    complex_random(n, a);
    r = bounds_run(2, n, a, &options);
    CHECK(r.is_complex && r.value != 0 && r.imaginary != 0 && (r.error_bound < (double)INFINITY) == (pass > 0));
#define COMPLEX_AGREE(x, y, what)                                                                                      \
  CHECK_SHOW(complex_distance(&x, &y) <= x.error_estimate + y.error_estimate,                                          \
             what " pass %d: %.17g%+.17gi, %.17g%+.17gi", pass, x.value, x.imaginary, y.value, y.imaginary)
    for (i = 0; i < n; i++) /* transposed */
      for (j = 0; j < n; j++)
        for (k = 0; k < 2; k++)
          b[(j * n + i) * 2 + k] = a[(i * n + j) * 2 + k];
    s = bounds_run(2, n, b, &options);
    COMPLEX_AGREE(r, s, "transposed");
    for (i = 0; i < n; i++) /* rows and columns permuted */
      for (j = 0; j < n; j++)
        for (k = 0; k < 2; k++)
          b[((i * 3 + 1) % n * n + (j + 5) % n) * 2 + k] = a[(i * n + j) * 2 + k];
    if (n % 3) {
      s = bounds_run(2, n, b, &options);
      COMPLEX_AGREE(r, s, "permuted");
    }
    for (i = 0; i < n * n; i++) { /* conjugated: the same operations but for signs */
      b[2 * i] = a[2 * i];
      b[2 * i + 1] = -a[2 * i + 1];
    }
    s = bounds_run(2, n, b, &options);
    s.imaginary = -s.imaginary;
    COMPLEX_AGREE(r, s, "conjugated");
    CHECK(r.value == s.value && r.imaginary == s.imaginary);
    memcpy(b, a, sizeof b); /* a row times i */
    for (j = 0; j < n; j++) {
      b[(4 * n + j) * 2] = -a[(4 * n + j) * 2 + 1];
      b[(4 * n + j) * 2 + 1] = a[(4 * n + j) * 2];
    }
    s = bounds_run(2, n, b, &options);
    t = s;
    t.value = s.imaginary;
    t.imaginary = -s.value;
    COMPLEX_AGREE(r, t, "times i");
    memcpy(c, a, sizeof c); /* a row as a sum of two */
    memcpy(b, a, sizeof b);
    for (j = 0; j < 2 * n; j++) {
      b[2 * n + j] = floor(64 * test_uniform());
      a[2 * n + j] = floor(64 * test_uniform());
      c[2 * n + j] = a[2 * n + j] - b[2 * n + j];
    }
    r = bounds_run(2, n, a, &options);
    s = bounds_run(2, n, b, &options);
    t = bounds_run(2, n, c, &options);
    t.value += s.value;
    t.imaginary += s.imaginary;
    t.error_estimate += s.error_estimate + 1e-15 * (fabs(t.value) + fabs(t.imaginary));
    COMPLEX_AGREE(r, t, "linear");
    for (i = 0; i < n; i++) /* powers of two of rows change the exponent and no other bit */
      for (j = 0; j < 2 * n; j++)
        b[i * 2 * n + j] = ldexp(a[i * 2 * n + j], 3 * i);
    s = bounds_run(2, n, b, &options);
    k = 3 * n * (n - 1) / 2;
    CHECK_SHOW(s.value == ldexp(r.value, k) && s.imaginary == ldexp(r.imaginary, k) &&
                   s.error_estimate == ldexp(r.error_estimate, k),
               "pass %d: %a %a 2^%d, %a %a", pass, r.value, r.imaginary, k, s.value, s.imaginary);
  }
}

/* Sums over n = 20 that are known: (1 + i)^n n! of constant entries, and the sum over a basis: per(J + i J). */
TEST(t_complex_constants)
{
  double a[2 * 20 * 20], factorial = 1;
  int n, i, isa;
  for (n = 1; n <= 20; n++) {
    factorial *= n;
    for (i = 0; i < n * n; i++)
      a[2 * i] = 1, a[2 * i + 1] = i / n % 2 ? -1 : 1; /* rows 1 + i and 1 - i: 2 a pair */
    for (isa = isa_first(); isa; isa = isa_next(n < 15 ? PERM_ISA_COUNT : isa)) {
      perm_result r;
      double want = ldexp(factorial, n / 2);
      if (n > 16 && isa == PERM_ISA_PLAIN)
        continue;
      r = complex_compute(n, a, PERM_METHOD_AUTO, (perm_isa)isa, PERM_PRECISION_DEFAULT);
      CHECK_SHOW(fabs(r.value - want) <= r.error_estimate + 1e-16 * want &&
                     fabs(r.imaginary - (n & 1) * want) <= r.error_estimate + 1e-16 * want &&
                     r.error_estimate < 1e-10 * want,
                 "n=%d %s: %.17g%+.17gi, estimate %g", n, perm_name("isa", r.isa), r.value, r.imaginary,
                     r.error_estimate);
    }
  }
}

/* Any cutting into ranges, any order of merging, any number of threads, stopped and resumed: the bits of the whole;
   for complex matrices and for the precisions that carry low parts. */
TEST(t_splits_of_every_form_give_the_same_bits)
{
  double a[2 * 20 * 20];
  int parts, way, isa;
  for (parts = 1; parts <= 2; parts++)
    for (way = 0; way < 3; way++)
      for (isa = isa_first(); isa; isa = isa_next(isa)) {
        perm_options options;
        permi_dense_plan plan;
        perm_partial whole, left, right;
        perm_result r, s;
        perm_job *job = NULL;
        perm_state *state = NULL;
        uint64_t chunk;
        int n = isa == PERM_ISA_PLAIN ? 15 : 18, threads, i;
        n += way == 0 && isa > PERM_ISA_PLAIN ? 2 : 0;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        options.certify = way == 1;
        options.precision = way == 2 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
        for (i = 0; i < parts * n * n; i++)
          a[i] = 2 * test_uniform() - 1;
        CHECK((parts == 2 ? inside_plan_complex(n, n, a, n, &options, &plan, &r)
                          : inside_plan_real(n, n, a, n, &options, &plan, &r)) == PERM_OK);
        CHECK(plan.chunks >= 2 && (plan.form == PERMI_FORM_SPLIT) == (way > 0));
        CHECK((parts == 2 ? inside_job_complex(&plan, a, n, &options, &job, &r)
                          : inside_job_real(&plan, a, n, &options, &job, &r)) == PERM_OK);
        memset(&whole, 0, sizeof whole);
        CHECK(perm_job_run(job, 0, 0, plan.chunks, &whole) == PERM_OK);
        CHECK(perm_job_finish(job, &whole, &r) == PERM_OK);
        memset(&right, 0, sizeof right);
        for (chunk = plan.chunks; chunk-- > 0;) {
          memset(&left, 0, sizeof left);
          CHECK(perm_job_run(job, 0, chunk, chunk + 1, &left) == PERM_OK);
          CHECK(perm_partial_merge(chunk & 1 ? &left : &right, chunk & 1 ? &right : &left) == PERM_OK);
          right = chunk & 1 ? left : right;
        }
        CHECK(perm_job_finish(job, &right, &s) == PERM_OK);
        CHECK_SHOW(complex_same_bits(&r, &s), "parts %d way %d %s", parts, way, perm_name("isa", r.isa));
        for (threads = 1; threads <= 3; threads++) {
          options.threads = threads;
          CHECK(perm_state_create(job, &state) == PERM_OK);
          CHECK(perm_job_execute(job, state, &options, &s) == PERM_OK);
          CHECK(complex_same_bits(&r, &s));
          perm_state_free(state);
        }
        perm_job_free(job);
      }
}

/* Every bad argument of the complex calls is named; plans, jobs and states do not mix with real ones. */
TEST(t_complex_arguments)
{
  static double many[2 * 65 * 65];
  double a[2 * 15 * 15], real[15 * 15], b[18] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  perm_options options;
  permi_dense_plan plan, real_plan;
  perm_result r;
  perm_job *job = NULL, *real_job = NULL, *none;
  perm_state *state = NULL;
  perm_partial x, y;
  int i;
  for (i = 0; i < 2 * 65 * 65; i++) many[i] = 1 + i * i % 101;
  memset(&options, 0, sizeof options);
  complex_random(15, a);
  dense_random(15, real, 1);
#define COMPLEX_BAD(call, status_, argument_, text_)                                                                   \
  CHECK((call) == (status_) && r.status == (status_) && r.argument == (argument_));                                    \
  CHECK(isnan(r.value) && isnan(r.imaginary) && r.error_bound == (double)INFINITY);                                    \
  CHECK_TEXT(r.message, text_);
  CHECK(perm_compute_complex(3, 3, b, 3, NULL, NULL) == PERM_ERROR_NULL);
  COMPLEX_BAD(perm_compute_complex(-1, 3, b, 3, NULL, &r), PERM_ERROR_SIZE, 1, "m is negative")
  COMPLEX_BAD(perm_compute_complex(3, -1, b, 3, NULL, &r), PERM_ERROR_SIZE, 2, "n is negative")
  COMPLEX_BAD(perm_compute_complex(65, 65, many, 65, NULL, &r), PERM_ERROR_SIZE, 1, "go up to order 64")
  COMPLEX_BAD(perm_compute_complex(3, 3, NULL, 3, NULL, &r), PERM_ERROR_NULL, 3, "a is NULL")
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 2, NULL, &r), PERM_ERROR_STRIDE, 4, "ld is 2")
  b[9] = (double)NAN; /* the imaginary part of the fifth entry */
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, NULL, &r), PERM_ERROR_NOT_FINITE, 3, "NaN in row 2, column 2")
  b[9] = -(double)INFINITY;
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, NULL, &r), PERM_ERROR_NOT_FINITE, 3, "an infinity in row 2, column 2")
  b[9] = 10;
  options.certify = 2;
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, &options, &r), PERM_ERROR_OPTION, 5, "certify is neither 0 nor 1")
  options.certify = 1;
  options.method = PERM_METHOD_RYSER;
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "no guaranteed bound")
  options.method = PERM_METHOD_FRONTIER;
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "perm_sparse.h")
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_EXACT;
  COMPLEX_BAD(perm_compute_complex(3, 3, b, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "perm_compute_gaussian")
  memset(&options, 0, sizeof options);
  CHECK(perm_compute_complex(0, 0, NULL, 0, NULL, &r) == PERM_OK && r.value == 1 && r.imaginary == 0 && r.is_complex);
  CHECK(inside_plan_complex(15, 15, a, 15, NULL, &plan, &r) == PERM_OK && plan.is_complex && isnan(r.value));
  CHECK(inside_plan_real(15, 15, real, 15, NULL, &real_plan, &r) == PERM_OK && !real_plan.is_complex);
  none = NULL;
  COMPLEX_BAD(perm_job_complex(15, 15, NULL, 15, NULL, &none, &r), PERM_ERROR_NULL, 3, "a is NULL")
  COMPLEX_BAD(perm_job_complex(15, 15, a, 15, NULL, NULL, &r), PERM_ERROR_NULL, 6, "job is NULL")
  CHECK(!none);
  CHECK(perm_job_complex(15, 15, a, 15, NULL, &job, &r) == PERM_OK);
  CHECK(perm_job_real(15, 15, real, 15, NULL, &real_job, &r) == PERM_OK);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_job_execute(job, state, NULL, &r) == PERM_OK && r.is_complex && r.imaginary != 0);
  COMPLEX_BAD(perm_job_execute(real_job, state, NULL, &r), PERM_ERROR_STATE, 2, "another matrix or plan")
  memset(&x, 0, sizeof x);
  memset(&y, 0, sizeof y);
  CHECK(perm_job_run(job, 0, 0, 1, &x) == PERM_OK && perm_job_run(real_job, 0, 0, 1, &y) == PERM_OK);
  CHECK(perm_partial_merge(&x, &y) == PERM_ERROR_STATE);
  CHECK(perm_job_run(job, 0, 0, 1, &y) == PERM_ERROR_STATE);
  CHECK(perm_job_finish(job, &y, &r) == PERM_ERROR_STATE);
  perm_state_free(state);
  perm_job_free(job);
  perm_job_free(real_job);
}

TEST(t_complex_zero_lines_and_stride)
{
  double a[2 * 6 * 9], b[2 * 36];
  char text[80];
  perm_result r, s;
  int i, j, n = 6;
  for (i = 0; i < 2 * 54; i++)
    a[i] = (double)NAN;
  for (i = 0; i < n; i++)
    for (j = 0; j < 2 * n; j++)
      a[i * 18 + j] = b[i * 12 + j] = test_uniform() - 0.5;
  CHECK(perm_compute_complex(6, 6, a, 9, NULL, &r) == PERM_OK && perm_compute_complex(6, 6, b, 6, NULL, &s) == PERM_OK);
  CHECK(complex_same_bits(&r, &s));
  for (i = 0; i < n; i++)
    b[(i * n + 2) * 2] = -0.0, b[(i * n + 2) * 2 + 1] = 0;
  CHECK(perm_compute_complex(6, 6, b, 6, NULL, &r) == PERM_OK && r.exact && r.value == 0 && r.imaginary == 0);
  CHECK(r.method == PERM_METHOD_STRUCTURE && r.is_complex && r.error_bound == 0);
  b[4] = 1; /* a column of one entry; imaginary entries only in one row */
  for (j = 0; j < n; j++)
    b[12 + 2 * j] = 0;
  CHECK(perm_compute_complex(6, 6, b, 6, NULL, &r) == PERM_OK && !r.exact);
  a[0] = 3, a[1] = -4;
  CHECK(perm_compute_complex(1, 1, a, 1, NULL, &r) == PERM_OK && r.value == 3 && r.imaginary == -4);
  CHECK(perm_result_text(&r, text, sizeof text) == 4 && !strcmp(text, "3-4i"));
  r = complex_default(1, a);
  CHECK(r.value == 3 && r.imaginary == -4 && r.error_bound < 1e-27);
}

/* Parts of very different size, from the smallest denormal to 1e308: finite, and right. */
TEST(t_complex_ranges)
{
  double a[2 * 49];
  int n, i, trial;
  for (trial = 0; trial < 100; trial++) {
    perm_result r;
    oracle_exact exact;
    n = 1 + trial % 7;
    for (i = 0; i < 2 * n * n; i++)
      a[i] = i & 1 ? ldexp(test_uniform(), -1074 + test_below(100)) : 1e308 * (test_uniform() - 0.5);
    r = complex_compute(n, a, trial & 1 ? PERM_METHOD_DENSE : PERM_METHOD_AUTO, PERM_ISA_AUTO,
                        (perm_precision)(trial / 2 % 2));
    exact = oracle_exact_make(2, n, a);
    CHECK(fabs(r.value) <= DBL_MAX && fabs(r.imaginary) <= DBL_MAX);
    CHECK_SHOW(oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2) <= fmin(r.error_estimate, r.error_bound),
               "n=%d trial %d: %g %g 2^%lld, estimate %g", n, trial, r.value, r.imaginary, r.exp2, r.error_estimate);
    oracle_exact_free(&exact);
  }
}

/* ---- the ladder of precisions */

/* n! is a double up to 22!; both higher precisions give it to the last bit. */
TEST(t_factorials_in_higher_precision)
{
  double a[22 * 22], factorial = 1;
  int n, i, isa;
  for (i = 0; i < 22 * 22; i++)
    a[i] = 1;
  for (n = 1; n <= 22; n++) {
    factorial *= n;
    for (isa = isa_first(); isa; isa = isa_next(isa)) {
      perm_result r;
      if (n > 16 && isa == PERM_ISA_PLAIN)
        continue;
      r = dense_compute(n, a, PERM_METHOD_AUTO, (perm_isa)isa, PERM_PRECISION_DD);
      CHECK_SHOW(r.value == factorial && r.error_bound <= 1e-15 * factorial, "dd n=%d %s: %.17g", n,
                 perm_name("isa", r.isa), r.value);
    }
  }
}

TEST(t_higher_precision_gives_every_digit)
{
  double a[2 * 14 * 14];
  int parts;
  for (parts = 1; parts <= 2; parts++) {
      const int n = 15 - parts;
      perm_options options;
      perm_result r;
      oracle_exact exact;
      double error, size;
      memset(&options, 0, sizeof options);
      options.precision = PERM_PRECISION_DD;
      bounds_matrix(BOUNDS_UNIFORM, parts, n, a);
      r = bounds_run(parts, n, a, &options);
      exact = oracle_exact_make(parts, n, a);
      error = oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2);
      size = hypot(r.value, r.imaginary);
      CHECK_SHOW(error <= 1.6e-16 * size && r.error_estimate <= 3.2e-16 * size, "%g, estimate %g", error / size,
                 r.error_estimate / size);
      CHECK(r.error_bound <= 3.2e-16 * size);
      oracle_exact_free(&exact);
  }
}

/* Upwards by tolerance until it is met, each step counted; max_seconds ends it, with the value that is there. */
TEST(t_ladder_by_tolerance)
{
  double a[2 * 14 * 14];
  perm_options options;
  perm_result r, low;
  int parts;
  for (parts = 1; parts <= 2; parts++) {
    bounds_matrix(BOUNDS_UNIFORM, parts, 14, a);
    memset(&options, 0, sizeof options);
#define COMPLEX_COMPUTE(n) \
  (parts == 2 ? perm_compute_complex(n, n, a, n, &options, &r) : perm_compute_real(n, n, a, n, &options, &r))
    CHECK(COMPLEX_COMPUTE(14) == PERM_OK && r.precision == PERM_PRECISION_DEFAULT && r.escalated == 0);
    low = r;
    options.tolerance = low.error_estimate / fmax(fabs(low.value), fabs(low.imaginary)) * 2;
    CHECK(COMPLEX_COMPUTE(14) == PERM_OK && r.precision == PERM_PRECISION_DEFAULT && r.escalated == 0);
    options.tolerance = 3e-16; /* a double's own rounding is below that */
    CHECK(COMPLEX_COMPUTE(14) == PERM_OK && r.precision == PERM_PRECISION_DD && r.escalated == 1);
    CHECK(r.error_estimate <= 3e-16 * hypot(r.value, r.imaginary) && r.error_bound < (double)INFINITY);
    options.max_seconds = 1e-9; /* the higher precision would take longer */
    CHECK(COMPLEX_COMPUTE(14) == PERM_TOLERANCE_NOT_MET || r.status == PERM_STOPPED_TIME);
    options.max_seconds = 0;
    options.tolerance = 1e-30; /* more than a double has */
    CHECK(COMPLEX_COMPUTE(14) == PERM_TOLERANCE_NOT_MET && r.precision == PERM_PRECISION_DD && r.escalated == 1);
    CHECK_TEXT(r.message, "tolerance 1e-30 not met: the ");
    CHECK(complex_distance(&r, &low) <= low.error_estimate + r.error_bound);
    /* certify: default, then dd, by the guaranteed error */
    options.certify = 1;
    options.tolerance = 1e-9;
    CHECK(COMPLEX_COMPUTE(14) == PERM_OK && r.precision == PERM_PRECISION_DEFAULT && r.escalated == 0);
    CHECK(r.error_bound <= 1e-9 * hypot(r.value, r.imaginary));
    options.tolerance =
        r.error_bound / hypot(r.value, r.imaginary) / 4; /* the estimate may meet this, the bound does not */
    CHECK(COMPLEX_COMPUTE(14) == PERM_OK && r.precision == PERM_PRECISION_DD && r.escalated == 1);
    CHECK(r.error_bound <= options.tolerance * (fabs(r.value) + fabs(r.imaginary)));
    a[0] = 1; /* free bounds: certify may not be content with an estimate below them */
    options.tolerance = 1e-30;
    CHECK(COMPLEX_COMPUTE(14) == PERM_TOLERANCE_NOT_MET && r.precision == PERM_PRECISION_DD);
    options.tolerance = fmax(r.error_bound, 1e-16 * fabs(r.value)) / 8 / (fabs(r.value) + fabs(r.imaginary));
    CHECK(COMPLEX_COMPUTE(14) == PERM_TOLERANCE_NOT_MET);
    CHECK_TEXT(r.message, "the guaranteed relative error is");
  }
}

/* max_seconds limits what is predicted: a rerun of n = 20 in dd would take longer than is left. */
TEST(t_ladder_respects_max_seconds)
{
  double a[20 * 20];
  perm_options options;
  permi_dense_plan plan;
  perm_result r;
  dense_random(20, a, 1);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  options.precision = PERM_PRECISION_DD;
  CHECK(inside_plan_real(20, 20, a, 20, &options, &plan, NULL) == PERM_OK);
  options.precision = PERM_PRECISION_DEFAULT;
  options.tolerance = 1e-15;
  options.max_seconds = plan.seconds / 4;
  CHECK(perm_compute_real(20, 20, a, 20, &options, &r) == PERM_TOLERANCE_NOT_MET || r.status == PERM_STOPPED_TIME);
  CHECK(r.precision == PERM_PRECISION_DEFAULT && r.escalated == 0);
  CHECK(r.status == PERM_STOPPED_TIME ? isnan(r.value) : fabs(r.value) <= DBL_MAX);
}

/* Without a tolerance: what is above 1e-10 and cheap is computed again. One entry makes the permanent nearly 0. */
TEST(t_ladder_by_itself)
{
  double a[12 * 12];
  perm_options options;
  perm_result r, s;
  permi_dense_plan plan;
  int n = 12;
  double zero, one;
  oracle_exact exact;
  dense_random(n, a, 1);
  a[0] = 0;
  zero = dense_compute(n, a, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT).value;
  a[0] = 1;
  one = dense_compute(n, a, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT).value;
  a[0] = zero / (zero - one) * (1 + 1e-7); /* the permanent is linear in it: zero + a[0] (one - zero) */
  exact = oracle_exact_make(1, n, a);
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_DENSE;
  s = bounds_run(1, n, a, &options);
  CHECK_SHOW(s.error_estimate > 1e-10 * fabs(s.value), "%g", s.error_estimate / s.value);
  CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_OK && r.escalated >= 1);
  CHECK(r.precision == PERM_PRECISION_DD && r.error_estimate <= 1e-10 * fabs(r.value));
  CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error_estimate);
  CHECK(oracle_exact_distance(&exact, s.value, 0, s.exp2) <= s.error_estimate);
  oracle_exact_free(&exact);
  dense_random(n, a, 1);
  CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_OK && r.escalated == 0);
  options.method = PERM_METHOD_RYSER; /* its ladder: default, dd */
  options.tolerance = 3e-16;
  CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_OK && r.precision == PERM_PRECISION_DD && r.escalated == 1);
  /* what certify and precision come to is in the plan, before anything is computed */
  memset(&options, 0, sizeof options);
  options.certify = 1;
  options.precision = PERM_PRECISION_DD;
  CHECK(inside_plan_real(n, n, a, n, &options, &plan, NULL) == PERM_OK && plan.precision == PERM_PRECISION_DD);
  options.precision = PERM_PRECISION_DEFAULT;
  CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_OK && r.error_bound <= 1e-10 * fabs(r.value));
  options.precision = PERM_PRECISION_KAHAN;
  CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 5);
}

TEST(t_precision_names)
{
  static const char *const names[] = {"default", "dd", "kahan", "exact"};
  int k;
  CHECK(sizeof names / sizeof names[0] == PERM_PRECISION_COUNT);
  for (k = 0; k < PERM_PRECISION_COUNT; k++)
    CHECK(!strcmp(perm_name("precision", (perm_precision)k), names[k]));
  CHECK(!strcmp(perm_name("precision", (perm_precision)-1), "unknown"));
  CHECK(!strcmp(perm_name("precision", PERM_PRECISION_COUNT), "unknown"));
}
/* SPDX-License-Identifier: MIT */
