/* >>minors, >>minors_dense, >>minors_calls, >>minors_kernels */
/* Minors of a row and gradients against the exact permanent of every submatrix, by every kernel family and by
   sums of single terms, with multiplicities against the matrix written out. The promise: every minor is within the
   estimate, the value is the permanent, bits do not depend on threads. */

/* Row i and column j (counted from 0) left out of the n x n matrix a. */
static void minors_without(int n, int parts, const double *a, int i, int j, double *rest)
{
  int k, l, part;
  for (k = 0; k < n; k++)
    for (l = 0; l < n; l++)
      for (part = 0; k != i && l != j && part < parts; part++)
        *rest++ = a[(k * n + l) * parts + part];
}

/* A matrix with copies of its rows and columns. */
static void minors_write_out(int m, int n, int parts, const double *a, const int *r, const int *c, double *full)
{
  int i, j, k, l, part;
  for (i = 0; i < m; i++)
    for (k = 0; k < (r ? r[i] : 1); k++)
      for (j = 0; j < n; j++)
        for (l = 0; l < (c ? c[j] : 1); l++)
          for (part = 0; part < parts; part++)
            *full++ = a[(i * n + j) * parts + part];
}

static int minors_total(int n, const int *counts)
{
  int i, total = 0;
  for (i = 0; i < n; i++)
    total += counts ? counts[i] : 1;
  return total;
}

/* |minor - exact| / estimate, at most; row i, column j of the m x n matrix with its copies; total <= 12. */
static double minors_error(int m, int n, int parts, const double *a, const int *r, const int *c, int i, int j,
                           const double *minor, double factor, const perm_result *result)
{
  static double full[2 * 144], rest[2 * 144];
  const int total = minors_total(m, r);
  oracle_exact exact;
  double distance;
  int row = minors_total(i, r), column = minors_total(j, c);
  minors_write_out(m, n, parts, a, r, c, full);
  minors_without(total, parts, full, row, column, rest);
  exact = oracle_exact_make(parts, total - 1, rest);
  distance = oracle_exact_distance(&exact, minor[0] / factor, parts == 2 ? minor[1] / factor : 0, result->exp2);
  oracle_exact_free(&exact);
  /* dividing by the factor, and the minor's own rounding to double */
  distance -= 4 * PERMI_UNIT * (fabs(minor[0]) + (parts == 2 ? fabs(minor[1]) : 0)) / factor;
  return distance <= 0 ? 0 : distance * factor / result->error_estimate;
}

static perm_status minors_call(int m, int n, int parts, const double *a, const int *r, const int *c, int row,
                               const perm_options *options, double *out, perm_result *result)
{
  if (row < 0)
    return (parts == 2 ? perm_gradient_complex : perm_gradient_real)(m, n, a, n, r, c, options, out, result);
  return (parts == 2 ? perm_minors_complex : perm_minors_real)(m, n, a, n, r, c, row, options, out, result);
}

/* The sum of moduli of a row, with copies of its columns, or the largest of a gradient's rows; *terms: with minors. */
static double minors_row(int m, int n, int parts, const double *a, const int *r, const int *c, int row,
                         const double *out, double *terms)
{
  double most = 0;
  int i, j;
  for (i = 0, *terms = 0; i < m; i++) {
    double sum = 0, all = 0;
    for (j = 0; j < n && (row < 0 ? !r || r[i] : i == row); j++) {
      const double *x = a + (i * n + j) * parts, *y = out + ((row < 0 ? i * n : 0) + j) * parts;
      const double size = (parts == 2 ? hypot(x[0], x[1]) : fabs(x[0])) * (!c || row < 0 ? !c || c[j] : c[j]);
      sum += size;
      all += size * (parts == 2 ? hypot(y[0], y[1]) : fabs(y[0]));
    }
    most = fmax(most, sum);
    *terms = fmax(*terms, all);
  }
  return most;
}

/* Minors of every row, and the gradient: within estimates; value is the permanent, to within those of its row. Worst
   ratio. */
static double minors_check(int m, int n, int parts, const double *a, const int *r, const int *c,
                           const perm_options *options)
{
  static double full[2 * 144], out[2 * 144];
  const int total = minors_total(m, r);
  oracle_exact exact;
  perm_result result;
  double worst = 0;
  int i, j, row;
  minors_write_out(m, n, parts, a, r, c, full);
  exact = oracle_exact_make(parts, total, full);
  for (row = -1; row < m; row++) {
    perm_status status;
    double distance, size, terms;
    if (row >= 0 && r && !r[row])
      continue;
    status = minors_call(m, n, parts, a, r, c, row, options, out, &result);
    CHECK_SHOW(status == PERM_OK && result.status == PERM_OK, "%s", result.message);
    distance = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
    size = minors_row(m, n, parts, a, r, c, row, out, &terms);
    CHECK_SHOW(m == 0 || test_within(distance, size * result.error_estimate + 4 * n * PERMI_UNIT * terms),
               "n %d parts %d row %d: value off by %g, estimate %g, row %g", n, parts, row, distance,
               result.error_estimate, size);
    for (i = 0; i < m; i++)
      for (j = 0; j < n; j++) {
        const double *minor = out + (row < 0 ? i * n + j : j) * parts;
        const double copies = (r ? r[i] : 1) * (c ? c[j] : 1), factor = row < 0 ? copies : 1;
        double ratio;
        if (row >= 0 && i != row)
          continue;
        if (copies == 0 || (c && !c[j])) {
          CHECK(minor[0] == 0 && (parts == 1 || minor[1] == 0));
          continue;
        }
        ratio = minors_error(m, n, parts, a, r, c, i, j, minor, factor, &result);
        CHECK_SHOW(test_within(ratio, 1), "n %d parts %d isa %d precision %d row %d (%d, %d): %g of the estimate %g", n,
                   parts, (int)options->isa, (int)options->precision, row, i, j, ratio, result.error_estimate);
        worst = ratio > worst ? ratio : worst;
      }
  }
  oracle_exact_free(&exact);
  return worst;
}

static void minors_random(int count, double *a)
{
  int i;
  for (i = 0; i < count; i++)
    a[i] = 2 * test_uniform() - 1;
}

static perm_options minors_options(perm_isa isa, perm_precision precision, perm_method method)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.isa = isa;
  options.precision = precision;
  options.method = method;
  options.tolerance = 1e300; /* no escalation */
  return options;
}

#define MINORS_EVERY(parts, n, most, isa) \
  for (int parts = 1; parts <= 2; parts++) \
    for (int n = 0; n <= most; n++) \
      for (int isa = isa_first(); isa; isa = isa_next(isa))

TEST(t_minors_random)
{
  double a[2 * 144], worst = 0;
  MINORS_EVERY(parts, n, 9, isa) {
    const perm_options options = minors_options((perm_isa)isa, PERM_PRECISION_DEFAULT, PERM_METHOD_DENSE);
    double ratio;
    minors_random(parts * n * n, a);
    ratio = minors_check(n, n, parts, a, NULL, NULL, &options);
    worst = ratio > worst ? ratio : worst;
  }
  CHECK_SHOW(worst > 0.001, "estimates are vacuous: at most %g of them used", worst);
}

/* Sums of single terms, in double-double: every digit. */
TEST(t_minors_wide)
{
  double a[2 * 144];
  int parts, n;
  for (parts = 1; parts <= 2; parts++)
    for (n = 0; n <= 7; n++) {
      const perm_options options = minors_options(PERM_ISA_AUTO, PERM_PRECISION_DD, PERM_METHOD_AUTO);
      minors_random(parts * n * n, a);
      minors_check(n, n, parts, a, NULL, NULL, &options);
    }
}

/* Whole numbers, so every figure is exact: sum over j of a_rj minor_j is the permanent, and the permanent is affine in
   each entry with the gradient as slope. n = 18: several chunks in every family. */
TEST(t_minors_identities)
{
  static double a[400], minors[20], gradient[400];
  int isa, n, i, j;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (n = 10; n <= 18; n += 4) {
      const perm_options options = minors_options((perm_isa)isa, PERM_PRECISION_DEFAULT, PERM_METHOD_DENSE);
      perm_result r, permanent;
      for (i = 0; i < n * n; i++)
        a[i] = test_below(3) - 1;
      permanent.value = (double)oracle_integer(n, a);
      CHECK(perm_gradient_real(n, n, a, n, NULL, NULL, &options, gradient, &r) == PERM_OK && r.exp2 == 0);
      CHECK_SHOW(fabs(r.value - permanent.value) <= n * r.error_estimate, "%g %g", r.value, permanent.value);
      CHECK(r.method == PERM_METHOD_DENSE && r.isa == (isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512 : (perm_isa)isa));
      for (i = 0; i < n; i++) {
        double sum = 0;
        for (j = 0; j < n; j++)
          sum += a[i * n + j] * gradient[i * n + j];
        CHECK_SHOW(fabs(sum - permanent.value) <= n * r.error_estimate, "n %d row %d: %g not %g", n, i, sum,
                   permanent.value);
      }
      for (j = 0; j < n; j++) {
        double sum = 0;
        for (i = 0; i < n; i++)
          sum += a[i * n + j] * gradient[i * n + j];
        CHECK_SHOW(fabs(sum - permanent.value) <= n * r.error_estimate, "n %d column %d", n, j);
      }
      for (i = 0; i < n; i += 3) {
        double before = a[i * n + 2], change;
        CHECK(perm_minors_real(n, n, a, n, NULL, NULL, i, &options, minors, &r) == PERM_OK);
        for (j = 0; j < n; j++)
          CHECK_SHOW(fabs(minors[j] - gradient[i * n + j]) <= 2 * r.error_estimate, "n %d (%d, %d): %.17g %.17g", n, i,
                     j, minors[j], gradient[i * n + j]);
        a[i * n + 2] = before + 1;
        change = (double)oracle_integer(n, a) - permanent.value;
        a[i * n + 2] = before;
        CHECK_SHOW(test_within(fabs(minors[2] - change), r.error_estimate), "n %d: %g not %g", n, minors[2], change);
      }
    }
}

/* Zeros: of entries, of rows (their minors are not zero, the others are), triangles, entries on no transversal. */
TEST(t_minors_zeros)
{
  double a[144], out[12];
  perm_result r;
  int n, i, j, isa, run;
  for (isa = isa_first(); isa; isa = isa_next(isa)) {
    const perm_options options = minors_options((perm_isa)isa, PERM_PRECISION_DEFAULT, PERM_METHOD_DENSE);
    for (run = 0; run < 12; run++) {
      n = 7 + run % 3;
      for (i = 0; i < n * n; i++)
        a[i] = test_below(3) ? 0 : 2 * test_uniform() - 1;
      for (j = 0; j < n && run % 4 == 0; j++)
        a[2 * n + j] = 0;
      for (i = 0; i < n && run % 4 == 1; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = j >= i ? 1 + test_uniform() : 0;
      minors_check(n, n, 1, a, NULL, NULL, &options);
    }
  }
  memset(a, 0, sizeof a);
  CHECK(perm_minors_real(8, 8, a, 8, NULL, NULL, 3, NULL, out, &r) == PERM_OK && r.value == 0 && r.error_bound == 0);
  for (j = 0; j < 8; j++)
    CHECK(out[j] == 0);
}

TEST(t_minors_multiplicities)
{
  static const int rows[5][4] = {{2, 1, 3, 1}, {0, 3, 3, 1}, {7, 0, 0, 0}, {1, 2, 2, 2}, {4, 0, 1, 2}};
  static const int columns[5][5] = {
      {1, 1, 1, 1, 3}, {4, 0, 0, 3, 0}, {2, 2, 1, 1, 1}, {7, 0, 0, 0, 0}, {0, 2, 2, 2, 1}};
  double a[40];
  int parts, k, precision;
  for (parts = 1; parts <= 2; parts++)
    for (k = 0; k < 5; k++)
      for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_DD; precision += PERM_PRECISION_DD) {
        perm_options options = minors_options(PERM_ISA_AUTO, (perm_precision)precision, PERM_METHOD_AUTO);
        minors_random(parts * 20, a);
        minors_check(4, 5, parts, a, rows[k], columns[k], &options);
        options.method = precision ? PERM_METHOD_GLYNN : PERM_METHOD_DENSE; /* and written out */
        minors_check(4, 5, parts, a, rows[k], columns[k], &options);
      }
}

/* All entries 1, so the permanent is N! and every minor (N - 1)!. With 200 copies sums over signs would cancel to 1e-36
   of their size; each minor is a permanent by an engine that does not cancel. */
TEST_LONG(t_minors_many_photons)
{
  static const int counts[2][2][4] = {{{30, 20, 10}, {25, 20, 0, 15}}, {{100, 60, 40}, {80, 70, 0, 50}}};
  double a[12], out[12];
  perm_options options;
  perm_result r;
  int i, j, k, subsets;
  memset(&options, 0, sizeof options);
  for (i = 0; i < 12; i++)
    a[i] = 1;
  for (subsets = k = 0; k < 4; k++) {
    const int *rows = counts[k % 2][0], *columns = counts[k % 2][1], total = minors_total(3, rows);
    subsets = k / 2;
    options.method = subsets ? PERM_METHOD_AUTO : PERM_METHOD_GLYNN;
    CHECK(perm_gradient_real(3, 4, a, 4, rows, columns, &options, out, &r) == PERM_OK);
    CHECK(subsets ? r.method == PERM_METHOD_SUBSETS && r.error_bound < 1e-12 * out[0]
                  : r.precision == PERM_PRECISION_DD);
    for (i = 0; i < 3; i++)
      for (j = 0; j < 4; j++) {
        const double copies = rows[i] * columns[j];
        const double exact = copies * exp(lgamma((double)total) - (double)r.exp2 * log(2.0));
        CHECK_SHOW(fabs(out[i * 4 + j] - exact) <= r.error_estimate + 1e-9 * exact, "%g %g 2^%lld", out[i * 4 + j],
                   exact, r.exp2);
        CHECK(r.error_estimate < 1e-9 * exact || columns[j] == 0);
      }
  }
}

/* A minor fits into a double; times the copies of its lines it does not, and the result's exponent takes it. */
TEST(t_minors_of_copies_beyond_double)
{
  static const double a[8] = {-3.0333819996820234e18, 33508487256188928.0, 0, -5.0172760065622272e17,
                              0, 1.8124403383446508e18, 2901402526052.0, 4.3930472786016404e18};
  static const int rows[2] = {10, 7}, columns[2] = {9, 8};
  double out[8];
  perm_result r;
  int k;
  CHECK(perm_gradient_complex(2, 2, a, 2, rows, columns, NULL, out, &r) == PERM_OK && r.exp2 > 0);
  for (k = 0; k < 8; k++)
    CHECK_SHOW(fabs(out[k]) <= 1, "%d: %g", k, out[k]);
}

/* Where no assignment is left, Glynn's sums leave rounding alone, at 2^1114 and 2^-3300 of scaled minors. */
TEST(t_minors_of_zeros_far_apart)
{
  static const double entries[2][10][4] = {
      {{0, 0, 4.2608836342192533e-93, -6.4097857181323949e-93},
       {1, 0, 6.6035525272471631e-212, -3.476436104817382e-211},
       {1, 1, -3.3850313314223131e-133, -6.7265299615897856e-145},
       {2, 0, 2.0682657344813016e-207, 6.9883530543591635e-208}, {2, 2, -1.9854712626087782e-05, 0}},
      {{0, 0, -1.2722092035271073e+90, 0}, {0, 1, -6.1584338444699583e-32, -6.1584338444699583e-32},
       {0, 3, -5.3239989831897127e+208, -5.1330657198576812e+208}, {1, 0, -1.9601486404783132e+57, 0},
       {1, 1, -9.8415134940816802e-65, -9.8415134940816802e-65}, {2, 0, -1.8255306784792926e+48, 0},
       {2, 2, -9.4770327681714807e-99, -9.4770327681714807e-99}, {2, 3, -7.3655880811672887e+166, 0},
       {3, 1, -1.5727370284586051e-116, -1.5727370284586051e-116}, {3, 2, 0, -1.6261719732315219e-141}}};
  static const int n[2] = {3, 4}, rows[2][4] = {{7, 4, 3}, {7, 4, 1, 2}}, columns[2][4] = {{5, 5, 4}, {5, 4, 4, 1}};
  perm_options options = {.method = PERM_METHOD_GLYNN, .precision = PERM_PRECISION_DD};
  for (int c = 0; c < 2; c++) {
    double a[32] = {0}, gradient[32];
    perm_result r;
    for (int k = 0; k < 10; k++)
      for (int part = 0; part < 2; part++)
        a[2 * ((int)entries[c][k][0] * n[c] + (int)entries[c][k][1]) + part] += entries[c][k][2 + part];
    CHECK(perm_gradient_complex(n[c], n[c], a, n[c], rows[c], columns[c], &options, gradient, &r) == PERM_OK);
    CHECK(isfinite(r.value) && isfinite(r.imaginary));
    for (int k = 0; k < 2 * n[c] * n[c]; k++)
      CHECK_SHOW(fabs(gradient[k]) <= 13 * r.error_estimate, "%d: %g, estimate %g", k, gradient[k], r.error_estimate);
  }
}

/* Entries whose products leave the range of double; powers of two change only the exponents. */
TEST(t_minors_scales)
{
  double a[144], b[144], x[144], y[144];
  perm_result r, s;
  int i, j, parts;
  const int n = 8;
  for (parts = 1; parts <= 2; parts++) {
    const perm_options options = minors_options(PERM_ISA_AUTO, PERM_PRECISION_DEFAULT, PERM_METHOD_AUTO);
    const perm_options dense = minors_options(PERM_ISA_AUTO, PERM_PRECISION_DEFAULT, PERM_METHOD_DENSE);
    minors_random(parts * n * n, a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n * parts; j++)
        b[i * n * parts + j] = ldexp(a[i * n * parts + j], 700);
    CHECK(minors_call(n, n, parts, a, NULL, NULL, -1, &dense, x, &r) == PERM_OK);
    CHECK(minors_call(n, n, parts, b, NULL, NULL, -1, &dense, y, &s) == PERM_OK);
    CHECK(s.exp2 != 0);
    for (i = 0; i < n * n * parts; i++)
      CHECK_SHOW(ldexp(y[i], (int)(s.exp2 - r.exp2 - 7 * 700)) == x[i], "%g %g 2^%lld", x[i], y[i], s.exp2);
    for (i = 0; i < n; i++)
      for (j = 0; j < n * parts; j++)
        b[i * n * parts + j] = a[i * n * parts + j] * (i & 1 ? 1e200 : 1e-200) * (j / parts < 3 ? 1e100 : 1e-60);
    minors_check(n, n, parts, b, NULL, NULL, &options);
  }
}

TEST(t_minors_threads)
{
  static double a[2 * 400], x[2 * 400], y[2 * 400];
  int parts, isa, threads, row;
  minors_random(800, a);
  for (parts = 1; parts <= 2; parts++)
    for (isa = isa_first(); isa; isa = isa_next(isa))
      for (row = -1; row < 2; row += 2) {
        const int n = parts == 1 ? isa == PERM_ISA_PLAIN ? 16 : 20 : 16;
        perm_options options = minors_options((perm_isa)isa, PERM_PRECISION_DEFAULT, PERM_METHOD_DENSE);
        perm_result first, r;
        options.threads = 1;
        CHECK(minors_call(n, n, parts, a, NULL, NULL, row, &options, x, &first) == PERM_OK);
        for (threads = 2; threads <= 3; threads++) {
          options.threads = threads;
          CHECK(minors_call(n, n, parts, a, NULL, NULL, row, &options, y, &r) == PERM_OK);
          CHECK(!memcmp(x, y, (size_t)(parts * n * (row < 0 ? n : 1)) * sizeof *x));
          CHECK(r.value == first.value && r.error_estimate == first.error_estimate);
        }
      }
  { /* and term by term */
    static const int counts[6] = {4, 5, 3, 6, 4, 3};
    perm_options options = minors_options(PERM_ISA_AUTO, PERM_PRECISION_DD, PERM_METHOD_AUTO);
    perm_result r;
    options.threads = 1;
    CHECK(perm_gradient_real(6, 6, a, 6, counts, counts, &options, x, &r) == PERM_OK);
    options.threads = 3;
    CHECK(perm_gradient_real(6, 6, a, 6, counts, counts, &options, y, &r) == PERM_OK);
    CHECK(!memcmp(x, y, 36 * sizeof *x));
  }
}

/* A poor estimate brings the sum in double-double. */
TEST(t_minors_escalate)
{
  double a[64], out[64], exact;
  perm_options options;
  perm_result r;
  int i;
  for (i = 0; i < 64; i++)
    a[i] = 1;
  a[0] = 1 + ldexp(1, -50);
  for (i = 0; i < 7; i++)
    a[8 * i] *= i & 1 ? -1 : 1;
  a[56] = 0; /* without row 2, column 0 sums to 2^-50 */
  CHECK(perm_minors_real(8, 8, a, 8, NULL, NULL, 2, NULL, out, &r) == PERM_OK);
  exact = 720 * ldexp(1, -50);
  for (i = 1; i < 8; i++)
    CHECK_SHOW(fabs(out[i] - exact) <= r.error_estimate + 1e-9 * exact, "%g %g, estimate %g", out[i], exact,
               r.error_estimate);
  memset(&options, 0, sizeof options);
  CHECK(fabs(out[0] - 5040) < 1e-9 && r.escalated == 0); /* that minor is large, and the estimate is for all */
  for (i = 0; i < 64; i++)
    a[i] = i % 8 ? i / 8 & 1 ? -1 : 1 : 0;
  a[3] = 1 + ldexp(1, -40); /* all minors but the first are 0 or, now, small */
  a[0] = 1;
  CHECK(perm_minors_real(8, 8, a, 8, NULL, NULL, 2, NULL, out, &r) == PERM_OK);
  options.tolerance = 3e-16;
  CHECK(perm_minors_real(8, 8, a, 8, NULL, NULL, 2, &options, out, &r) == PERM_OK && r.escalated == 1 &&
        r.precision == PERM_PRECISION_DD);
  options.tolerance = 1e-40;
  CHECK(perm_minors_real(8, 8, a, 8, NULL, NULL, 2, &options, out, &r) == PERM_TOLERANCE_NOT_MET && out[0] == out[0]);
}

/* Whether all are NaN, as after any error; then they are 1, for the next call to blank. */
static int minors_blank(int count, double *out)
{
  int k, blank = 1;
  for (k = 0; k < count; k++) {
    blank &= out[k] != out[k];
    out[k] = 1;
  }
  return blank && out[count - 1] == 1;
}

TEST(t_minors_statuses)
{
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[9] = {0};
  static const int negative[3] = {1, -1, 3}, two[3] = {2, 1, 1}, none[3] = {0, 2, 1};
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 1, NULL, out, NULL) == PERM_ERROR_NULL && minors_blank(3, out));
  CHECK(perm_minors_real(3, 3, NULL, 3, NULL, NULL, 1, NULL, out, &r) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 1, NULL, NULL, &r) == PERM_ERROR_NULL);
  CHECK(perm_minors_real(3, 3, a, 2, NULL, NULL, 1, NULL, out, &r) == PERM_ERROR_STRIDE);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, 3, NULL, out, &r) == PERM_ERROR_RANGE && out[0] != out[0]);
  CHECK(perm_minors_real(3, 3, a, 3, NULL, NULL, -1, NULL, out, &r) == PERM_ERROR_RANGE && r.argument == 7);
  CHECK(minors_blank(3, out) && perm_minors_real(3, 3, a, 3, NULL, NULL, -1, NULL, NULL, NULL) == PERM_ERROR_RANGE);
  CHECK(perm_minors_complex(2, 2, a, 2, NULL, NULL, -1, NULL, out, NULL) == PERM_ERROR_RANGE && minors_blank(4, out));
  CHECK(perm_gradient_real(3, 3, a, 3, NULL, NULL, NULL, out, NULL) == PERM_ERROR_NULL && minors_blank(9, out));
  CHECK(perm_minors_real(3, 3, a, 3, negative, NULL, 0, NULL, out, &r) == PERM_ERROR_COUNTS && r.argument == 5);
  CHECK(perm_minors_real(3, 3, a, 3, two, NULL, 0, NULL, out, &r) == PERM_ERROR_COUNTS);
  CHECK(perm_minors_real(3, 3, a, 3, none, NULL, 0, NULL, out, &r) == PERM_ERROR_RANGE);
  CHECK(perm_gradient_real(2, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_COUNTS);
  CHECK_TEXT(perm_status_text(PERM_ERROR_COUNTS), "multiplicities");
  options.precision = PERM_PRECISION_EXACT;
  CHECK(perm_gradient_real(3, 3, a, 3, NULL, NULL, &options, out, &r) == PERM_ERROR_UNSUPPORTED);
  options.precision = PERM_PRECISION_DEFAULT;
  options.certify = 1;
  CHECK(perm_gradient_real(3, 3, a, 3, NULL, NULL, &options, out, &r) == PERM_ERROR_UNSUPPORTED);
  CHECK(perm_gradient_real(0, 0, NULL, 0, NULL, NULL, NULL, NULL, &r) == PERM_OK && r.value == 1);
  a[4] = NAN;
  CHECK(perm_gradient_real(3, 3, a, 3, NULL, NULL, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
}

/* The unit follows the minors, not the permanent: small ones survive beside it; the estimate pays for rounding. */
TEST(t_minors_beside_a_large_permanent)
{
  const double a[4] = {0x1p1000, 0x1p900, 0x1p900, 0x1p1000};
  double minors[2], gradient[4];
  perm_options options;
  perm_result r;
  CHECK(perm_minors_real(2, 2, a, 2, NULL, NULL, 0, NULL, minors, &r) == PERM_OK);
  CHECK(ldexp(minors[0], (int)r.exp2 - 1000) == 1 && ldexp(minors[1], (int)r.exp2 - 900) == 1);
  CHECK(ldexp(r.value, (int)r.exp2 - 2000) == 1 && r.error_estimate >= 1e-17 * minors[0]);
  CHECK(perm_gradient_real(2, 2, a, 2, NULL, NULL, NULL, gradient, &r) == PERM_OK);
  CHECK(ldexp(gradient[0], (int)r.exp2 - 1000) == 1 && ldexp(gradient[1], (int)r.exp2 - 900) == 1);
  memset(&options, 0, sizeof options);
  options.precision = PERM_PRECISION_DD;
  options.tolerance = 1e-25; /* not in doubles */
  CHECK(perm_minors_real(2, 2, a, 2, NULL, NULL, 0, &options, minors, &r) == PERM_TOLERANCE_NOT_MET);
}
/* SPDX-License-Identifier: MIT */
