/* >>dense, >>plain, >>plan, >>kernels, >>dense_kernels, >>vocabulary, >>vocabulary_end, >>offers, >>engine */
/* Engines against oracles and against each other. */

static void dense_random(int n, double *a, double density)
{
  int i;
  for (i = 0; i < n * n; i++)
    a[i] = test_uniform() < density ? 2 * test_uniform() - 1 : 0;
}

static perm_result dense_compute(int n, const double *a, perm_method method, perm_isa isa, perm_precision precision)
{
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.isa = isa;
  options.precision = precision;
  options.tolerance = 1; /* no escalation */
  perm_compute_real(n, n, a, n, &options, &result);
  return result;
}

/* Every engine and kernel family within its estimate of a quadruple-precision oracle; dense and sparse patterns,
   so both forms run; both precisions. Estimates are honest (never exceeded) and not vacuous. */
TEST(t_every_engine_matches_the_oracle)
{
  double a[16 * 16], worst = 0;
  int n, trial, isa, k, normalised = 0, pair = 0;
  static const perm_method methods[] = {PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER, PERM_METHOD_EXPANSION,
                                        PERM_METHOD_AUTO};
  for (n = 1; n <= 13; n++)
    for (trial = 0; trial < (n < 9 ? 12 : 5); trial++) {
      static const double densities[] = {1, 1, 0.7, 0.4};
      oracle_wide exact;
      permi_dense_plan plan;
      dense_random(n, a, densities[trial % 4]);
      exact = oracle_real(n, a);
      inside_plan_real(n, n, a, n, NULL, &plan, NULL);
      normalised += plan.form == PERMI_FORM_NORMALISED;
      pair += plan.form == PERMI_FORM_PAIR;
      for (k = 0; k < 5; k++)
        for (isa = isa_first(); isa; isa = isa_next(methods[k] == PERM_METHOD_DENSE ? isa : PERM_ISA_COUNT)) {
          perm_result r;
          double error;
          if (methods[k] == PERM_METHOD_EXPANSION && n > 8)
            continue;
          r = dense_compute(n, a, methods[k], (perm_isa)isa, PERM_PRECISION_DEFAULT);
          error = fabs((double)((oracle_wide)r.value - exact));
          CHECK_SHOW(r.status == PERM_OK && r.isa <= (perm_isa)isa, "%s", r.message);
          CHECK_SHOW(test_within(error, r.error_estimate + 1e-300), "n=%d %s %s: error %g, estimate %g", n,
                     perm_name("method", methods[k]), perm_name("isa", (perm_isa)isa), error, r.error_estimate);
          CHECK_SHOW(error <= r.error_bound, "n=%d: error %g, bound %g", n, error, r.error_bound);
          if (r.error_estimate > 0 && r.error_estimate < (double)INFINITY && error / r.error_estimate > worst)
            worst = error / r.error_estimate;
        }
    }
  CHECK_SHOW(worst > 1e-4, "estimates are vacuous: worst error/estimate %g", worst);
  CHECK(normalised > 0 && pair > 0); /* at n = 13; smaller ones may have cheap proofs */
}

/* The permanent and how far it may be off, by the scalar engine in double-double; value * 2^exp2. */
static perm_result dense_reference(int n, int parts, const double *a)
{
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_GLYNN;
  options.precision = PERM_PRECISION_DD;
  (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, &options, &result);
  return result;
}

/* Every kernel that this machine can run, by the plan that leads to it, against the scalar double-double engine, on
   matrices whose last entry is chosen such that the permanent all but cancels: then a result of the double-double
   kernels has right digits only if errors of products and low parts have. */
TEST(t_every_kernel_matches_double_double)
{
  const int reals = permi_reach_real.kernels.count;
  int k, tried = 0;
  for (k = 0; k < reals + permi_reach_complex.kernels.count; k++) {
    const permi_kernel *kernel =
        k < reals ? &permi_reach_real.kernels.kernel[k] : &permi_reach_complex.kernels.kernel[k - reals];
    const int parts = kernel->parts, least = kernel->n_least < 4 ? 4 : kernel->n_least;
    const int far = test_quick ? 1 : 2;
    const int most = least == 16 ? 15 + far : least + 3 <= PERMI_NEAR_N ? PERMI_NEAR_N + far : least + 3;
    int n, i, trial;
    if (!permi_isa_here(kernel->isa))
      continue;
    tried++;
    for (n = least; n <= most; n = n == least + 3 && n < PERMI_NEAR_N ? PERMI_NEAR_N + 1 : n + 1)
      for (trial = 0; trial < 2; trial++) {
        double a[2 * 19 * 19], *last = a + parts * (n * n - 1);
        perm_options options;
        permi_dense_plan plan;
        perm_result rest, both, exact, r;
        int planned;
        for (i = 0; i < parts * n * n; i++)
          a[i] = test_uniform() - (parts == 2 ? 0.5 : 0.2);
        for (i = 0; i < n - 1 && kernel->form == PERMI_FORM_PAIR; i++)
          a[parts * (i * n + (i + 1) % n)] = 0; /* no column to divide by */
        if (kernel->form == PERMI_FORM_PAIR)
          a[parts * (n * n - n)] = 0;
        if (trial) { /* permanent = rest + last minor = 0, but for rounding the last entry */
          double u, v, size;
          last[0] = last[parts - 1] = 0;
          rest = dense_reference(n, parts, a);
          last[0] = 1;
          both = dense_reference(n, parts, a);
          CHECK(rest.exp2 == 0 && both.exp2 == 0);
          u = both.value - rest.value;
          v = both.imaginary - rest.imaginary;
          size = u * u + v * v;
          last[0] = -(rest.value * u + rest.imaginary * v) / size;
          if (parts == 2)
            last[1] = -(rest.imaginary * u - rest.value * v) / size;
        }
        memset(&options, 0, sizeof options);
        options.method = PERM_METHOD_DENSE;
        options.isa = kernel->isa;
        options.precision = kernel->product == PERMI_DOUBLED ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
        options.certify = kernel->form == PERMI_FORM_SPLIT && kernel->product == PERMI_ROUNDED;
        options.tolerance = 1; /* no escalation where it is met */
        inside_plan(parts, n, n, a, n, &options, &plan, NULL);
        planned = plan.isa == kernel->isa && plan.form == kernel->form && plan.block_columns == kernel->block_columns;
        if (n <= PERMI_NEAR_N && !planned)
          continue; /* a kernel with a proof was as cheap */
        CHECK_SHOW(planned, "kernel %d, n=%d: planned %s, form %d, block %d", (int)k, n, perm_name("isa", plan.isa),
                   (int)plan.form, plan.block_columns);
        exact = dense_reference(n, parts, a);
        {
          perm_job *job = NULL;
          perm_partial partial;
          double error;
          memset(&partial, 0, sizeof partial);
          inside_job(parts, &plan, a, n, &options, &job, NULL);
          CHECK(perm_job_run(job, 0, 0, plan.chunks, &partial) == PERM_OK);
          perm_job_finish(job, &partial, &r);
          CHECK(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET); /* some cancel wholly */
          perm_job_free(job);
          CHECK(r.exp2 == 0 && exact.exp2 == 0 && r.isa == kernel->isa);
          error = hypot(r.value - exact.value, r.imaginary - exact.imaginary);
          CHECK_SHOW(test_within(error, r.error_estimate + exact.error_estimate) && error <= r.error_bound,
                     "kernel %d (%s), n=%d trial %d: %g %+gi, not %g %+gi: error %g, estimate %g, bound %g", (int)k,
                     perm_name("isa", r.isa), n, trial, r.value, r.imaginary, exact.value, exact.imaginary, error,
                     r.error_estimate, r.error_bound);
          if (kernel->product != PERMI_ROUNDED)
            CHECK_SHOW(r.error_estimate + exact.error_estimate <=
                           (n > PERMI_NEAR_N ? 1e-6 : 1e-9) * hypot(exact.value, exact.imaginary),
                       "kernel %d, n=%d: estimates %g, %g of %g", (int)k, n, r.error_estimate, exact.error_estimate,
                       exact.value);
        }
      }
  }
  CHECK(tried >= 7);
}

/* n! for the matrix of ones, up to the largest factorial that needs no rounding, in every family. */
TEST(t_ones_give_factorials)
{
  double a[22 * 22], factorial = 1;
  int n, i, isa;
  for (i = 0; i < 22 * 22; i++)
    a[i] = 1;
  for (n = 1; n <= 20; n++) {
    factorial *= n;
    for (isa = isa_first(); isa; isa = isa_next(isa))
      if (isa > PERM_ISA_PLAIN || n <= 16) {
        perm_result r = dense_compute(n, a, PERM_METHOD_AUTO, (perm_isa)isa, PERM_PRECISION_DEFAULT);
        CHECK_SHOW(fabs(r.value - factorial) <= 1e-12 * factorial, "n=%d %s: %.17g", n, perm_name("isa", r.isa),
                   r.value);
      }
  }
}

/* J - I gives the derangements: subfactorials by their recurrence; a zero in every column, so the pair form. */
TEST(t_derangements)
{
  double a[18 * 18], derangements = 1;
  int n, i;
  for (n = 1; n <= 18; n++) {
    perm_result r;
    derangements = derangements * n + (n & 1 ? -1 : 1);
    for (i = 0; i < n * n; i++)
      a[i] = i / n != i % n;
    r = dense_compute(n, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK_SHOW(fabs(r.value - derangements) <= 1e-12 * derangements + 1e-300, "n=%d: %.17g", n, r.value);
  }
}

/* Identities where no oracle reaches: transposition, permutations, linearity in a row. */
TEST(t_identities)
{
  double a[20 * 20], b[20 * 20], c[20 * 20];
  int n = 20, i, j, trial;
  for (trial = 0; trial < 3; trial++) {
    perm_result r, s, t;
    dense_random(n, a, trial == 2 ? 0.6 : 1);
    r = dense_compute(n, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        b[j * n + i] = a[i * n + j];
    s = dense_compute(n, b, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(test_within(fabs(r.value - s.value), r.error_estimate + s.error_estimate));
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        b[(i * 7 % n) * n + (j * 3 + 5) % n] = a[i * n + j];
    s = dense_compute(n, b, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(test_within(fabs(r.value - s.value), r.error_estimate + s.error_estimate));
    memcpy(b, a, sizeof b);
    memcpy(c, a, sizeof c);
    for (j = 0; j < n; j++) {
      b[3 * n + j] = test_uniform();
      c[3 * n + j] = a[3 * n + j] - b[3 * n + j];
    }
    s = dense_compute(n, b, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    t = dense_compute(n, c, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(test_within(fabs(r.value - s.value - t.value), r.error_estimate + s.error_estimate + t.error_estimate));
  }
}

/* Rows and columns multiplied by powers of two change the exponent and no other bit. */
TEST(t_power_of_two_scaling_keeps_bits)
{
  double a[12 * 12], b[12 * 12];
  int n, i, trial, shift;
  for (trial = 0; trial < 40; trial++) {
    perm_result r, s;
    n = 5 + trial % 8;
    dense_random(n, a, trial % 3 ? 1 : 0.5);
    memcpy(b, a, sizeof b);
    shift = test_below(41) - 20;
    for (i = 0; i < n; i++)
      b[(trial % n) * n + i] = ldexp(a[(trial % n) * n + i], shift);
    r = dense_compute(n, a, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    s = dense_compute(n, b, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK_SHOW(ldexp(r.value, shift) == s.value, "n=%d: %a 2^%d, %a", n, r.value, shift, s.value);
  }
}

/* Entries from the smallest denormal to 1e308: never NaN or infinite, right where the oracle can tell. */
TEST(t_extreme_entries)
{
  double a[10 * 10], b[10 * 10];
  int n, i, trial, isa;
  for (trial = 0; trial < 200; trial++) {
    int row[10], column[10], total = 0;
    n = 1 + trial % 10;
    dense_random(n, a, trial % 4 ? 1 : 0.7);
    for (i = 0; i < n; i++) {
      row[i] = test_below(900) - 450;
      column[i] = test_below(900) - 450;
      total += row[i] + column[i];
    }
    for (i = 0; i < n * n; i++) {
      int e = row[i / n] + column[i % n];
      if (e < -960)
        total -= row[i / n], row[i / n] = 0, i = i / n * n - 1; /* keep entries normal: begin this row again */
      else
        b[i] = ldexp(a[i], e);
    }
    for (isa = isa_first(); isa; isa = isa_next(isa)) {
      const perm_result r = dense_compute(n, b, PERM_METHOD_AUTO, (perm_isa)isa, PERM_PRECISION_DEFAULT);
      const oracle_wide exact = oracle_real(n, a);
      double value = ldexp(r.value, (int)(r.exp2 - total)), estimate = ldexp(r.error_estimate, (int)(r.exp2 - total));
      CHECK(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET); /* some are singular */
      CHECK(fabs(r.value) <= DBL_MAX);
      CHECK_SHOW(fabs((double)((oracle_wide)value - exact)) <= estimate + 1e-15 * fabs((double)exact),
                 "n=%d trial %d %s: %g, exact %g, estimate %g", n, trial, perm_name("isa", (perm_isa)isa), value,
                 (double)exact, estimate);
    }
  }
  for (trial = 0; trial < 200; trial++) { /* any finite bits at all */
    double p;
    perm_result r;
    n = 1 + trial % 10;
    for (i = 0; i < n * n; i++)
      a[i] = core_random_double();
    r = dense_compute(n, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(r.status >= 0 && fabs(r.value) <= DBL_MAX);
    p = perm_real(n, a);
    CHECK(p == p);
  }
}

TEST(t_overflow_and_underflow)
{
  double a[64], huge = 0;
  int i;
  perm_result r;
  a[0] = DBL_MAX; /* up to the edges */
  CHECK(perm_real(1, a) == DBL_MAX);
  r = dense_compute(1, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
  CHECK(r.value == DBL_MAX && r.exp2 == 0);
  a[0] = -1.5e308;
  CHECK(perm_real(1, a) == -1.5e308);
  a[0] = 5e-324;
  CHECK(perm_real(1, a) == 5e-324);
  for (i = 0; i < 25; i++)
    a[i] = i % 6 == 0;
  a[0] = 1e308;
  CHECK(fabs(perm_real(5, a) / 1e308 - 1) < 1e-14);
  for (i = 0; i < 64; i++)
    a[i] = 1e300;
  CHECK(perm_real(8, a) == HUGE_VAL);
  a[0] = -1e308;
  for (i = 1; i < 8; i++)
    a[i] = 0;
  CHECK(perm_real(8, a) == -HUGE_VAL);
  for (i = 0; i < 64; i++)
    a[i] = 1e-300;
  CHECK(perm_real(8, a) == 0);
  r = dense_compute(8, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
  CHECK(r.value != 0 && r.exp2 < -1000);
  for (huge = 1, i = 0; i < 8; i++)
    huge *= 1e-300 * 1e300; /* 8! (1e-300)^8, back in range */
  CHECK(fabs(log2(r.value) + (double)r.exp2 - (log2(40320.0) - 8 * 300 * log2(10.0))) < 1e-9);
  CHECK(huge != 0);
}

/* Columns of very different size: as many digits as the transpose has. */
TEST(t_graded_columns)
{
  double a[16 * 16], b[16 * 16];
  int n, i, j, step;
  for (n = 5; n <= 16; n += 11)
    for (step = 1; step <= 5; step += 2) {
      perm_result r, s;
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = b[j * n + i] = ldexp(0.5 + test_uniform(), -step * j);
      r = dense_compute(n, a, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
      s = dense_compute(n, b, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
      CHECK_SHOW(r.error_estimate < 1e-10 * r.value, "n=%d step %d: %g +- %g", n, step, r.value, r.error_estimate);
      CHECK(test_within(fabs(r.value - s.value), r.error_estimate + s.error_estimate));
      CHECK(test_within(fabs((double)((oracle_wide)r.value - oracle_real(n, a))), r.error_estimate));
    }
}

/* Estimates on structures where terms vanish or concentrate: rank one, pairs that cancel, +-1, graded, bands. */
TEST(t_estimates_are_honest)
{
  double a[12 * 12], worst = 0;
  int n, kind, trial, i, j;
  for (kind = 0; kind < 7; kind++)
    for (n = 5; n <= 12; n += n < 8 ? 1 : 4)
      for (trial = 0; trial < (n < 9 ? 60 : 6); trial++) {
        double u[12], v[12], error;
        perm_result r;
        for (i = 0; i < n; i++) {
          u[i] = test_uniform() + 0.1;
          v[i] = test_uniform() + 0.1;
        }
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++) {
            double x = test_uniform();
            a[i * n + j] = kind == 0   ? u[i] * v[j]
                           : kind == 1 ? (i / 2 == j / 2 ? (j & 1 ? -u[i] : u[i]) : 0) + 1e-3 * x
                           : kind == 2 ? (x < 0.5 ? -1 : 1)
                           : kind == 3 ? ldexp(x, -3 * (i + j))
                           : kind == 4 ? (abs(i - j) <= 2 ? x - 0.5 : 0)
                           : kind == 5 ? u[i] * v[j] + v[i] * u[j]
                                       : x - 0.5;
          }
        r = dense_compute(n, a, PERM_METHOD_DENSE, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
        error = fabs((double)((oracle_wide)r.value - oracle_real(n, a)));
        CHECK_SHOW(test_within(error, r.error_estimate), "kind %d n=%d: error %g, estimate %g", kind, n, error,
                   r.error_estimate);
        worst = fmax(worst, r.error_estimate > 0 ? error / r.error_estimate : 0);
      }
  CHECK_SHOW(worst > 0.01, "worst error/estimate %g", worst);
}

/* Blocks ((u, -u), (v, -v)) leave 2^-10 of the terms, and only where the signs differ in every pair: a sample by
   pattern would see none of them. The permanent is the product of -2uv. */
TEST_LONG(t_estimate_of_rare_terms)
{
  double a[20 * 20];
  int n, i, trial, isa;
  for (n = 18; n <= 20; n += 2)
    for (trial = 0; trial < 3; trial++) {
      oracle_wide exact = 1;
      memset(a, 0, sizeof a);
      for (i = 0; i < n; i += 2) {
        double u = 0.1 + test_uniform(), v = 0.1 + test_uniform();
        int j = trial == 2 ? (i + 7) % n : i, k = trial == 2 ? (i + 8) % n : i + 1; /* pairs of other columns */
        a[i * n + j] = u;
        a[i * n + k] = -u;
        a[(i + 1) * n + j] = v;
        a[(i + 1) * n + k] = -v;
        exact *= -2 * (oracle_wide)u * v;
      }
      for (isa = isa_first(); isa; isa = isa_next(isa)) {
        perm_result r = dense_compute(n, a, PERM_METHOD_DENSE, (perm_isa)isa, PERM_PRECISION_DEFAULT);
        double error = fabs((double)((oracle_wide)r.value - exact));
        CHECK_SHOW(test_within(error, r.error_estimate), "n=%d %s: error %g, estimate %g", n, perm_name("isa", r.isa),
                   error, r.error_estimate);
        CHECK(r.error_estimate > 0 && r.error_estimate < 1e-9 * fabs(r.value));
      }
    }
}

/* A common grid would lose the 1s: permanent 1. */
TEST(t_entries_of_very_different_size)
{
  double a[4] = {1152921504606846976.0, 1, 1, 0}, b[36];
  perm_result r;
  int i;
  CHECK(perm_real(2, a) == 1);
  r = dense_compute(2, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
  CHECK(r.value == 1 && r.error_bound < 1e-15);
  for (i = 0; i < 36; i++)
    b[i] = i / 6 == i % 6; /* the same, padded by the identity: dense engine */
  b[0] = 1152921504606846976.0;
  b[1] = b[6] = 1;
  b[7] = 0;
  r = dense_compute(6, b, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
  CHECK_SHOW(fabs(r.value - 1) <= r.error_estimate, "value %g, estimate %g", r.value, r.error_estimate);
}

TEST(t_zero_lines_give_exactly_zero)
{
  double a[36];
  int i, n;
  for (n = 1; n <= 6; n++) {
    perm_result r;
    for (i = 0; i < n * n; i++)
      a[i] = i % n == n / 2 ? 0 : 1 + i;
    r = dense_compute(n, a, PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(r.status == PERM_OK && r.value == 0 && r.exact && r.error_bound == 0 && r.method == PERM_METHOD_STRUCTURE);
    for (i = 0; i < n * n; i++)
      a[i] = i / n == n / 2 ? -0.0 : 1 + i;
    r = dense_compute(n, a, PERM_METHOD_GLYNN, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    CHECK(r.status == PERM_OK && r.value == 0 && r.exact);
  }
}

/* The expansion's bound is a theorem: never violated, within 1e-15 relative of |a|'s permanent, not vacuous. */
TEST(t_expansion_bound)
{
  double a[49];
  int n, i, trial;
  for (trial = 0; trial < 300; trial++) {
    perm_result r;
    double error;
    n = 1 + trial % 7;
    for (i = 0; i < n * n; i++)
      a[i] = trial % 2 ? (double)(test_below(2001) - 1000) : ldexp(test_uniform() - 0.5, test_below(60) - 30);
    r = dense_compute(n, a, PERM_METHOD_EXPANSION, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
    error = fabs((double)((oracle_wide)r.value - oracle_real(n, a)));
    CHECK_SHOW(error <= r.error_bound, "n=%d: error %g, bound %g", n, error, r.error_bound);
    CHECK(r.error_bound <= 1.2e-16 * fabs(r.value) + 1e-27 * pow(1000, n) * 5040);
  }
}

TEST(t_one_line_call)
{
  static double many[65 * 65];
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  int n;
  for (n = 0; n < 65 * 65; n++) many[n] = 1 + n * n % 101; /* all ones would be one class */
  CHECK(perm_real(3, a) == 450);
  CHECK(perm_real(2, a) == 10);
  CHECK(perm_real(1, a) == 1);
  CHECK(perm_real(0, NULL) == 1);
  CHECK(isnan(perm_real(-1, a)));
  CHECK(isnan(perm_real(2, NULL)));
  CHECK(isnan(perm_real(65, many)));
  a[4] = NAN;
  CHECK(isnan(perm_real(3, a)));
  for (n = 1; n <= 4; n++) {
    double b[16];
    int trial;
    for (trial = 0; trial < 50; trial++) {
      dense_random(n, b, 0.8);
      CHECK(fabs(perm_real(n, b) - (double)oracle_real(n, b)) <= 1e-15);
    }
  }
}

/* Row stride: the gap is never read. */
TEST(t_row_stride)
{
  double a[7 * 11], b[49];
  perm_result r, s;
  int i, j;
  for (i = 0; i < 77; i++)
    a[i] = NAN;
  for (i = 0; i < 7; i++)
    for (j = 0; j < 7; j++)
      a[i * 11 + j] = b[i * 7 + j] = test_uniform();
  CHECK(perm_compute_real(7, 7, a, 11, NULL, &r) == PERM_OK);
  CHECK(perm_compute_real(7, 7, b, 7, NULL, &s) == PERM_OK);
  CHECK(r.value == s.value);
}

/* The estimate of a hopeless case says so, and a tolerance that cannot be met is a status, with the value. */
TEST(t_tolerance)
{
  double a[144];
  perm_options options;
  perm_result r;
  dense_random(12, a, 1);
  memset(&options, 0, sizeof options);
  options.tolerance = 1e-9;
  CHECK(perm_compute_real(12, 12, a, 12, &options, &r) == PERM_OK);
  CHECK(r.error_estimate <= 1e-9 * fabs(r.value));
  options.tolerance = 1e-18;
  CHECK(perm_compute_real(12, 12, a, 12, &options, &r) == PERM_TOLERANCE_NOT_MET);
  CHECK(r.value == r.value && r.error_estimate < 1e-10 && r.escalated == 1 && r.precision == PERM_PRECISION_DD);
  CHECK_TEXT(r.message, "tolerance 1e-18 not met");
}

/* Blocks (1 1; 1 -1), whose permanent is 0, in surroundings of 2^-58: in every term row sums cancel, and what lies
   below the grid of a row is the permanent. Estimates say so, and without being asked the precision rises until it is
   known. */
TEST(t_what_lies_below_the_grid_is_noticed)
{
  double a[10 * 10];
  int n, i, j, k;
  for (n = 4; n <= 10; n++) {
    perm_options options;
    perm_result r;
    oracle_exact exact;
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = i / 2 == j / 2 ? (i % 2 && j % 2 ? -1 : 1) : ldexp(1 + test_below(60), -58);
    if (n % 2)
      a[n * n - 1] = 1;
    exact = oracle_exact_make(1, n, a);
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_DENSE;
    CHECK(perm_compute_real(n, n, a, n, &options, &r) == PERM_OK);
    CHECK_SHOW(r.error_estimate <= 1e-10 * fabs(r.value), "n=%d: %g +- %g, %s", n, r.value, r.error_estimate,
               perm_name("precision", r.precision));
    CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error_estimate);
    options.tolerance = 1; /* an estimate above that is no digit, and escalates too */
    for (k = 0; k < 2; k++) {
      options.precision = k ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
      perm_compute_real(n, n, a, n, &options, &r);
      CHECK_SHOW(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error_estimate, "n=%d: %g +- %g", n, r.value,
                 r.error_estimate);
    }
    oracle_exact_free(&exact);
  }
}

/* The free bound of normalised rows needs p (y +- 1) rounded once. Rows (1, x, 0, ..) and (1, -x, 0, ..), x next to 1:
   in every term one of the two factors is near 2^-30, and p y rounded by itself would show (the sum is 0). Every
   family, by a plan made by hand, so that the pivot is the column of ones. */
TEST(t_normalised_products_round_once)
{
  double a[9 * 9];
  int n = 9, isa, i, j, trial;
  for (trial = 0; trial < 20; trial++)
    for (isa = isa_first(); isa; isa = isa_next(isa)) {
      permi_view view = permi_view_make(a, n, 1);
      const permi_kernel *kernel =
          permi_kernel_for(&view.reach->kernels, (perm_isa)isa, PERMI_FORM_NORMALISED, PERMI_ROUNDED, n);
      perm_options options;
      permi_dense_plan plan;
      permi_leaf leaf;
      perm_job *job;
      perm_partial partial;
      perm_result r;
      oracle_exact exact;
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = j == 0 ? 1 : i < n - 2 ? ldexp(test_below(1 << 20), -20) : 0;
      a[(n - 2) * n + 1] = 1 + ldexp(1, -30) + ldexp(2 * test_below(50) + 1, -45);
      a[(n - 1) * n + 1] = -a[(n - 2) * n + 1];
      exact = oracle_exact_make(1, n, a);
      memset(&options, 0, sizeof options);
      memset(&plan, 0, sizeof plan);
      memset(&partial, 0, sizeof partial);
      plan.n = n;
      plan.method = PERM_METHOD_DENSE;
      plan.isa = kernel->isa;
      plan.form = PERMI_FORM_NORMALISED;
      plan.lane_columns = kernel->lane_columns;
      plan.block_columns = kernel->block_columns;
      plan.outer_columns = plan.chunk_log2 = n - 2 - plan.lane_columns - plan.block_columns;
      plan.chunks = 1;
      CHECK(permi_plan_moves(&plan, &view, 0) == 0);
      plan.exact_rows = 1;
      job = permi_job_new(&options.allocator, PERM_PRECISION_DEFAULT);
      CHECK(permi_plan_leaf(&plan, &view, &options.allocator, &leaf) == PERM_OK && permi_job_push_leaf(job, &leaf));
      CHECK(perm_job_run(job, 0, 0, 1, &partial) == PERM_OK && perm_job_finish(job, &partial, &r) == PERM_OK);
      CHECK_SHOW(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error_bound && r.error_bound < 1e-17,
                 "%s: %g, bound %g", perm_name("isa", (perm_isa)isa), r.value, r.error_bound);
      perm_job_free(job);
      oracle_exact_free(&exact);
    }
}
/* SPDX-License-Identifier: MIT */
