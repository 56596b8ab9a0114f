/* >>counts, >>counts_leaf, >>counts_kernels, >>ring, >>sign_sums, >>subsets */
/* Multiplicities: declared and found, real, complex and exact. */

/* The matrix written out. Returns its order. */
static int repeats_expand(int parts, int m, int n, const double *a, const int *row_counts, const int *column_counts,
                          double *b)
{
  int rows = 0, columns = 0, i, j, k, l, part, row = 0, column;
  for (i = 0; i < m; i++)
    rows += row_counts[i];
  for (j = 0; j < n; j++)
    columns += column_counts[j];
  for (i = 0; i < m; i++)
    for (k = 0; k < row_counts[i]; k++, row++)
      for (j = 0, column = 0; j < n; j++)
        for (l = 0; l < column_counts[j]; l++, column++)
          for (part = 0; part < parts; part++)
            b[(row * columns + column) * parts + part] = a[(i * n + j) * parts + part];
  return rows == columns ? rows : -1;
}

/* Counts of `lines` lines that add up to total. */
static void repeats_counts(int lines, int total, int *count)
{
  int k;
  memset(count, 0, (size_t)lines * sizeof *count);
  for (k = 0; k < total; k++)
    count[test_below(lines)]++;
}

static oracle_wide repeats_wide(const perm_integer *x)
{
  oracle_wide value = 0;
  int k;
  for (k = x->words - 1; k >= 0; k--)
    value = value * 18446744073709551616.0 + (oracle_wide)x->word[k];
  return x->negative ? -value : value;
}

TEST(t_repeats_match_the_matrix_written_out)
{
  int trial, parts, k, exact = 0;
  test_cheap_seconds = 0;
  for (trial = 0; trial < 120; trial++)
    for (parts = 1; parts <= 2; parts++) {
      const int m = 1 + test_below(4), n = 1 + test_below(4), total = test_below(10);
      int row_counts[4], column_counts[4];
      double a[32], b[9 * 9 * 2], c[9 * 9 * 2];
      int64_t whole[32];
      oracle_wide value[2], absolute[2];
      perm_result r;
      repeats_counts(m, total, row_counts);
      repeats_counts(n, total, column_counts);
      rect_random(a, m * n * parts, trial % 4);
      CHECK(repeats_expand(parts, m, n, a, row_counts, column_counts, b) == total);
      oracle_rectangular(parts, total, total, b, value);
      for (k = 0; k < total * total * parts; k++)
        c[k] = fabs(b[k]);
      oracle_rectangular(parts, total, total, c, absolute);
      for (k = 0; k < 2 * RECT_METHODS; k++) {
        perm_options options = {0};
        double distance;
        options.method = rect_methods[k / 2];
        options.precision = k & 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
        options.tolerance = 1e300; /* the doubles stand */
        if (parts == 2)
          perm_compute_repeated_complex(m, n, a, n, row_counts, column_counts, &options, &r);
        else
          perm_compute_repeated_real(m, n, a, n, row_counts, column_counts, &options, &r);
        CHECK_SHOW(r.status == PERM_OK || r.value == 0, "%s: %s", perm_name("method", options.method), r.message);
        distance = rect_distance(&r, value);
        CHECK_SHOW(distance <= r.error_bound && r.error_bound < (double)INFINITY, "%s: off by %g, error %g",
                   perm_name("method", options.method), distance, r.error_bound);
        CHECK_SHOW(distance <=
                       2 * r.error_estimate + (k & 1 ? 1e-15 * rect_size(value) : 0) + 1e-25 * rect_size(absolute),
                   "%s %d: off by %g of %g, estimate %g, error %g, order %d, parts %d kind %d",
                   perm_name("method", options.method), k & 1, distance, rect_size(value), r.error_estimate,
                       r.error_bound,
                   total, parts, trial % 4);
      }
      for (k = 0; k < m * n * parts; k++) {
        whole[k] = test_below(2001) - 1000;
        a[k] = (double)whole[k];
      }
      repeats_expand(parts, m, n, a, row_counts, column_counts, b);
      oracle_rectangular(parts, total, total, b, value);
      for (k = 0; k < RECT_METHODS; k++) {
        perm_options options = {0};
        options.method = rect_methods[k];
        if (parts == 2)
          perm_compute_repeated_gaussian(m, n, whole, n, row_counts, column_counts, &options, &r);
        else
          perm_compute_repeated_integer(m, n, whole, n, row_counts, column_counts, &options, &r);
        CHECK_SHOW(r.status == PERM_OK && r.exact && r.error_bound == 0, "%s: %s", perm_name("method", options.method),
                   r.message);
        CHECK_SHOW(repeats_wide(&r.integer) == value[0] && repeats_wide(&r.imaginary_integer) == value[1],
                   "%s: %.17g, not %.17g", perm_name("method", options.method), r.value, (double)value[0]);
        exact++;
      }
    }
  CHECK(exact == 240 * RECT_METHODS);
  test_cheap_seconds = 2e-5;
}

/* Two rows, each 20 times, of 40 complex entries: the coefficient of x^20 in prod_j (b_j + a_j x), times 20!^2. */
TEST(t_repeats_two_rows_twenty_times)
{
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES};
  const int counts[2] = {20, 20};
  double a[2 * 40 * 2];
  int64_t whole[2 * 40 * 2];
  int seed, j, k;
  for (seed = 1; seed <= 5; seed++) {
    oracle_wide p[41][2], value[2], factor = 1;
    perm_result r, exact;
    test_seed((uint64_t)seed);
    for (k = 0; k < 160; k++) {
      whole[k] = (int64_t)(test_random() >> 43) - (1 << 20);
      a[k] = ldexp((double)whole[k], -20);
    }
    memset(p, 0, sizeof p);
    p[0][0] = 1;
    for (j = 0; j < 40; j++)
      for (k = 40; k >= 0; k--) {
        const oracle_wide x = a[2 * j], y = a[2 * j + 1], z = a[80 + 2 * j], w = a[80 + 2 * j + 1];
        const oracle_wide re = p[k][0], im = p[k][1], lower = k ? p[k - 1][0] : 0, other = k ? p[k - 1][1] : 0;
        p[k][0] = z * re - w * im + x * lower - y * other;
        p[k][1] = z * im + w * re + x * other + y * lower;
      }
    for (k = 2; k <= 20; k++)
      factor *= (oracle_wide)k * k;
    value[0] = p[20][0] * factor;
    value[1] = p[20][1] * factor;
    for (k = 0; k < 3; k++) {
      perm_options options = {0};
      options.method = method[k];
      options.precision = k ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
      CHECK(perm_compute_repeated_complex(2, 40, a, 40, counts, NULL, &options, &r) == PERM_OK);
      CHECK_SHOW(rect_distance(&r, value) <= 1e-12 * rect_size(value), "%s: %g relative", perm_name("method", r.method),
                 rect_distance(&r, value) / rect_size(value));
      CHECK(rect_distance(&r, value) <= r.error_bound + 1e-16 * rect_size(value));
    }
    CHECK(perm_compute_repeated_gaussian(2, 40, whole, 40, counts, NULL, NULL, &exact) == PERM_OK && exact.exact);
    factor = 1;
    for (k = 0; k < 800; k++)
      factor *= 2;
    CHECK(fabs((double)(repeats_wide(&exact.integer) / factor / value[0] - 1)) < 1e-25);
    CHECK(fabs((double)(repeats_wide(&exact.imaginary_integer) / factor / value[1] - 1)) < 1e-25);
  }
}

/* Equal lines of ordinary input are found: 62! 0.91^62 in no time, and with 15 digits. */
TEST(t_repeats_are_found)
{
  double *a = (double *)malloc(62 * 62 * 2 * sizeof *a), start, seconds = 1;
  oracle_wide value[2] = {1, 0};
  perm_result r;
  int k, i;
  for (k = 0; k < 62 * 62; k++)
    a[k] = 0.91;
  for (k = 1; k <= 62; k++)
    value[0] *= (oracle_wide)0.91 * k;
  for (k = 0; k < 5; k++) {
    start = permi_seconds();
    CHECK(fabs(perm_real(62, a) / (double)value[0] - 1) < 1e-15);
    seconds = fmin(seconds, permi_seconds() - start);
  }
  CHECK_SHOW(seconds < 0.1, "%g s", seconds); /* under an emulator too; all signs take years */
  CHECK(perm_compute_real(62, 62, a, 62, NULL, &r) == PERM_OK && r.method == PERM_METHOD_SUBSETS);
  CHECK(rect_distance(&r, value) <= r.error_bound && r.error_bound < 1e-15 * rect_size(value));
  for (k = 0; k < 62 * 62; k++) { /* complex: (0.75 + 0.5i) (1 + i) by rows and columns of two kinds */
    a[2 * k] = k % 62 % 2 ? 0.75 : -0.5;
    a[2 * k + 1] = k / 62 % 2 ? 0.5 : 0.25;
  }
  {
    double z[2];
    CHECK(perm_complex(62, a, z) == PERM_OK && isfinite(z[0]));
    CHECK(perm_compute_complex(62, 62, a, 62, NULL, &r) == PERM_OK && r.method != PERM_METHOD_DENSE && r.seconds < 1);
  }
  { /* the same as without looking for them */
    perm_options options = {0};
    perm_result dense;
    rect_random(a, 18 * 18, 1);
    for (i = 0; i < 18; i++)
      for (k = 4; k < 18; k++)
        a[i * 18 + k] = a[i * 18 + k % 4];
    options.method = PERM_METHOD_DENSE;
    options.precision = PERM_PRECISION_DD;
    CHECK(perm_compute_real(18, 18, a, 18, NULL, &r) == PERM_OK && r.method == PERM_METHOD_SUBSETS);
    CHECK(perm_compute_real(18, 18, a, 18, &options, &dense) == PERM_OK);
    CHECK(fabs(r.value - dense.value) <= 1e-10 * fabs(r.value));
    a[7 * 18 + 3] = (double)NAN;
    CHECK(perm_compute_real(18, 18, a, 18, NULL, &r) == PERM_ERROR_NOT_FINITE && r.argument == 3);
    rect_random(a, 18 * 18, 1); /* one pair: not worth it */
    memcpy(a, a + 18, 18 * sizeof *a);
    CHECK(perm_compute_real(18, 18, a, 18, NULL, &r) == PERM_OK && r.method == PERM_METHOD_DENSE);
  }
  free(a);
}

/* 200 photons in 3 modes out of 2: sum over k of prod_i binom(r_i, k_i) a_i1^k_i a_i2^(r_i - k_i), times 100!^2. */
TEST_LONG(t_repeats_two_hundred_photons)
{
  const int rows[3] = {67, 67, 66}, columns[2] = {100, 100};
  int trial, i, k[3], e, j;
  for (trial = 0; trial < 4; trial++) {
    double a[6];
    int64_t whole[6];
    oracle_wide power[6][68], binomial[3][68], value[2] = {0, 0}, factor = 1;
    perm_result r, exact;
    for (j = 0; j < 6; j++) {
      whole[j] = test_below(40) - (trial & 1 ? 13 : 0) + (trial & 1 ? 0 : 1);
      a[j] = (double)whole[j];
      for (power[j][0] = 1, e = 1; e < 68; e++)
        power[j][e] = power[j][e - 1] * whole[j];
    }
    for (i = 0; i < 3; i++)
      for (binomial[i][0] = 1, e = 1; e <= rows[i]; e++)
        binomial[i][e] = binomial[i][e - 1] * (rows[i] - e + 1) / e;
    for (k[0] = 0; k[0] <= 67; k[0]++)
      for (k[1] = 0; k[1] <= 67; k[1]++) {
        oracle_wide term = 1;
        k[2] = 100 - k[0] - k[1];
        if (k[2] < 0 || k[2] > 66)
          continue;
        for (i = 0; i < 3; i++)
          term *= binomial[i][k[i]] * power[2 * i][k[i]] * power[2 * i + 1][rows[i] - k[i]];
        value[0] += term;
      }
    for (e = 2; e <= 100; e++)
      factor *= (oracle_wide)e * e;
    value[0] *= factor;
    CHECK(perm_compute_repeated_integer(3, 2, whole, 2, rows, columns, NULL, &exact) == PERM_OK && exact.exact);
    if (!(trial & 1)) /* else the oracle cancels */
      CHECK(fabs((double)(repeats_wide(&exact.integer) / value[0] - 1)) < 1e-15);
    for (j = 0; j < 3; j++) {
      perm_options options = {0};
      double high, error;
      options.method = j == 2 ? PERM_METHOD_MULTIPLICITIES : j ? PERM_METHOD_SUBSETS : PERM_METHOD_AUTO;
      options.precision = j ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
      CHECK(perm_compute_repeated_real(3, 2, a, 2, rows, columns, &options, &r) == PERM_OK && isfinite(r.value));
      high = ldexp(exact.value, (int)(exact.exp2 - r.exp2));
      error = fabs(r.value - high);
      CHECK_SHOW(error <= r.error_bound + 1e-15 * fabs(high), "%s: off by %g of %g, error %g",
                 perm_name("method", r.method), error, high, r.error_bound);
      if (!(trial & 1) && j != 2)
        CHECK(error <= 1e-12 * fabs(high));
      if (j == 0) /* even where all but everything cancels: as whole numbers */
        CHECK_SHOW(error <= 1e-10 * fabs(high), "%s %s: off by %g of %g", perm_name("method", r.method),
                   perm_name("precision", r.precision), error, high);
    }
    {
      perm_options options = {0};
      options.method = PERM_METHOD_MULTIPLICITIES;
      CHECK(perm_compute_repeated_integer(3, 2, whole, 2, rows, columns, &options, &r) == PERM_OK);
      CHECK(r.integer.words == exact.integer.words && r.integer.negative == exact.integer.negative &&
            !memcmp(r.integer.word, exact.integer.word, sizeof r.integer.word));
    }
  }
}

TEST(t_repeats_exact_integers_of_any_size)
{
  const int64_t huge[4] = {INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_MIN + 1};
  const int two[2] = {2, 2};
  perm_integer expected;
  perm_options options = {0};
  perm_result r;
  int64_t residue;
  int k;
  /* [[a, b], [c, d]] twice each: 4 (a^2 d^2 + 4 a b c d + b^2 c^2) */
  for (k = 1; k < 4; k++) {
    perm_integer a = permi_integer_of(huge[0]), b = permi_integer_of(huge[1]), c = permi_integer_of(huge[2]);
    perm_integer d = permi_integer_of(huge[3]), ad, bc, t, u;
    const perm_integer four = permi_integer_of(4);
    permi_integer_multiply(&a, &d, &ad);
    permi_integer_multiply(&b, &c, &bc);
    permi_integer_multiply(&ad, &ad, &expected);
    permi_integer_multiply(&bc, &bc, &t);
    permi_integer_add(&expected, &t, 0);
    permi_integer_multiply(&ad, &bc, &t);
    permi_integer_multiply(&t, &four, &u);
    permi_integer_add(&expected, &u, 0);
    permi_integer_multiply(&expected, &four, &t);
    options.method = rect_methods[k];
    CHECK(perm_compute_repeated_integer(2, 2, huge, 2, two, two, &options, &r) == PERM_OK && r.exact);
    CHECK_SHOW(r.integer.words == t.words && !memcmp(r.integer.word, t.word, sizeof t.word), "%s",
               perm_name("method", options.method));
  }
  options.method = PERM_METHOD_AUTO;
  options.modulus = 1000003;
  CHECK(perm_compute_repeated_integer(2, 2, huge, 2, two, two, &options, &r) == PERM_OK && r.modulus == 1000003);
  permi_integer_reduce(&expected, 1000003);
  CHECK(inside_int64(&r.integer, &residue) && residue >= 0 && residue < 1000003);
  CHECK((uint64_t)residue == expected.word[0] * 4 % 1000003);
  {
    const int many[1] = {2000};
    options.modulus = 0;
    CHECK(perm_compute_repeated_integer(1, 1, huge, 1, many, many, &options, &r) == PERM_ERROR_OVERFLOW);
  }
}

/* A line given twice is a line with count 2; the transpose has the same permanent; zero counts are not there. */
/* Integers longer than a perm_integer: refused, but modulo any number by subsets: 600! and (2^62)^100 100!, times
   powers of i where they are Gaussian. */
TEST(t_repeats_residues_of_any_size)
{
  static const uint64_t moduli[] = {2, 1009, 1000003, (UINT64_C(1) << 63) - 25, UINT64_C(1) << 63};
  const int64_t one[2] = {1, 1}, i[2] = {0, 1}, large[1] = {INT64_C(1) << 62};
  const int rows[1] = {600}, columns[2] = {300, 300}, hundred[1] = {100};
  perm_options options;
  perm_result r;
  size_t k;
  int x;
  memset(&options, 0, sizeof options);
  CHECK(perm_compute_repeated_integer(1, 2, one, 2, rows, columns, &options, &r) == PERM_ERROR_OVERFLOW);
  CHECK_TEXT(r.message, "modulo a number");
  for (k = 0; k < sizeof moduli / sizeof moduli[0]; k++) {
    const uint64_t p = moduli[k];
    uint64_t factorial = 1, power = 1;
    options.modulus = p;
    for (x = 1; x <= 600; x++)
      factorial = oracle_multiply(factorial, (unsigned)x % p, p);
    CHECK(perm_compute_repeated_integer(1, 2, one, 2, rows, columns, &options, &r) == PERM_OK && r.exact);
    CHECK(r.modulus == p && (r.integer.words ? r.integer.word[0] : 0) == factorial);
    CHECK(r.method == PERM_METHOD_SUBSETS);
    CHECK(perm_compute_repeated_gaussian(1, 1, i, 1, rows, rows, &options, &r) == PERM_OK); /* i^600 = 1 */
    CHECK((r.integer.words ? r.integer.word[0] : 0) == factorial && !r.imaginary_integer.words);
    for (x = 1; x <= 100; x++)
      power = oracle_multiply(power, oracle_multiply((UINT64_C(1) << 62) % p, (unsigned)x % p, p), p);
    CHECK(perm_compute_repeated_integer(1, 1, large, 1, hundred, hundred, &options, &r) == PERM_OK);
    CHECK((r.integer.words ? r.integer.word[0] : 0) == power);
  }
  options.method = PERM_METHOD_MULTIPLICITIES;
  CHECK(perm_compute_repeated_integer(1, 2, one, 2, rows, columns, &options, &r) == PERM_ERROR_OVERFLOW);
  CHECK_TEXT(r.message, "all methods but subsets");
}

TEST(t_repeats_identities)
{
  int trial, i, j;
  test_cheap_seconds = 0;
  for (trial = 0; trial < 30; trial++) {
    const int total = 8 + test_below(30);
    double a[3 * 4], b[4 * 3], c[4 * 4];
    int rows[4], columns[4], more[4];
    perm_result r, s, t;
    repeats_counts(3, total, rows);
    repeats_counts(4, total, columns);
    rect_random(a, 12, 0);
    for (i = 0; i < 3; i++)
      for (j = 0; j < 4; j++) {
        b[j * 3 + i] = a[i * 4 + j];
        c[i * 4 + j] = a[i * 4 + j];
        c[12 + j] = a[j];
      }
    memcpy(more, rows, sizeof more);
    more[3] = rows[0] / 2;
    more[0] -= more[3];
    CHECK(!perm_compute_repeated_real(3, 4, a, 4, rows, columns, NULL, &r) &&
          !perm_compute_repeated_real(4, 3, b, 3, columns, rows, NULL, &s) &&
          !perm_compute_repeated_real(4, 4, c, 4, more, columns, NULL, &t));
    CHECK_SHOW(fabs(r.value - s.value) <= r.error_bound + s.error_bound && r.exp2 == s.exp2, "%.17g, transposed %.17g",
               r.value, s.value);
    CHECK(total > PERMI_WRITTEN_OUT_N ? r.value == t.value && r.exp2 == t.exp2
                                      : fabs(r.value - t.value) <= r.error_bound + t.error_bound);
    more[3] = 0;
    more[0] = rows[0];
    for (j = 0; j < 4; j++)
      c[12 + j] = 1e300;
    CHECK(!perm_compute_repeated_real(4, 4, c, 4, more, columns, NULL, &t) && r.value == t.value && r.exp2 == t.exp2);
  }
  test_cheap_seconds = 2e-5;
}

/* 1000 lines in all: states are scaled on the way. per = 500!^2 sum_k binom(500, k)^2 x^2k for [[x, 1], [1, x]]. */
TEST(t_repeats_a_thousand)
{
  const double a[4] = {0.5, 1, 1, 0.5};
  const int counts[2] = {500, 500};
  oracle_wide sum = 0, term = 1;
  perm_result r;
  long long e;
  int k;
  for (k = 0; k <= 500; k++) {
    sum += term;
    term *= (oracle_wide)(500 - k) * (500 - k) / ((oracle_wide)(k + 1) * (k + 1)) / 4;
  }
  for (k = 1; k <= 500; k++)
    sum *= (oracle_wide)k * k;
  CHECK(perm_compute_repeated_real(2, 2, a, 2, counts, counts, NULL, &r) == PERM_OK);
  for (e = 0; e < r.exp2; e++)
    sum /= 2;
  CHECK_SHOW(fabs(r.value - (double)sum) <= r.error_bound && r.error_bound <= 2e-12 * r.value,
             "%.17g, not %.17g; error %g", r.value, (double)sum, r.error_bound);
  CHECK(perm_compute_repeated_real(1, 1, a, 1, counts, counts, NULL, &r) == PERM_OK);
  CHECK(fabs(log2(fabs(r.value)) + (double)r.exp2 - (lgamma(501) / log(2.0) - 500)) < 1e-9);
}

TEST(t_repeats_bad_arguments)
{
  double a[] = {1, 2, 3, 4};
  int64_t b[] = {1, 2, 3, 4};
  const int two[] = {2, 1}, minus[] = {4, -1}, many[] = {4000, 400}, zero[] = {0, 0};
  perm_options options = {0};
  perm_result r;
  RECT_BAD(perm_compute_repeated_real(2, 2, a, 2, two, NULL, NULL, &r), PERM_ERROR_COUNTS, 6, "3 rows in all, but 2")
  RECT_BAD(perm_compute_repeated_real(1, 2, a, 2, NULL, NULL, NULL, &r), PERM_ERROR_COUNTS, 6, "1 rows in all, but 2")
  RECT_BAD(perm_compute_repeated_real(2, 2, a, 2, minus, two, NULL, &r), PERM_ERROR_COUNTS, 5, "number 2")
  RECT_BAD(perm_compute_repeated_complex(1, 2, a, 2, two, minus, NULL, &r), PERM_ERROR_COUNTS, 6, "column_counts")
  RECT_BAD(perm_compute_repeated_integer(2, 2, b, 2, many, many, NULL, &r), PERM_ERROR_SIZE, 5, "4096")
  RECT_BAD(perm_compute_repeated_integer(2, 2, NULL, 2, two, two, NULL, &r), PERM_ERROR_NULL, 3, "NULL")
  RECT_BAD(perm_compute_repeated_gaussian(2, 2, b, 1, two, two, NULL, &r), PERM_ERROR_STRIDE, 4, "ld is 1")
  options.method = PERM_METHOD_FRONTIER;
  RECT_BAD(perm_compute_repeated_real(2, 2, a, 2, two, two, &options, &r), PERM_ERROR_UNSUPPORTED, 7, "counts")
  options.method = PERM_METHOD_RYSER;
  RECT_BAD(perm_compute_repeated_integer(2, 2, b, 2, two, two, &options, &r), PERM_ERROR_UNSUPPORTED, 7, "counts")
  CHECK(perm_compute_repeated_real(2, 2, a, 2, NULL, NULL, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_compute_repeated_real(2, 2, a, 2, zero, zero, NULL, &r) == PERM_OK && r.value == 1 && r.exact);
  CHECK(perm_compute_repeated_gaussian(0, 0, NULL, 0, NULL, NULL, NULL, &r) == PERM_OK && r.integer.word[0] == 1);
  CHECK(perm_compute_repeated_real(2, 2, a, 2, NULL, NULL, NULL, &r) == PERM_OK && r.value == 10);
}

/* Complex rows and columns twice: the sum of signs, not the subset program, whose estimate asks for double-double. */
TEST(t_repeats_complex_is_not_computed_twice)
{
  double a[2 * 100];
  int counts[10], k;
  perm_result r, best;
  perm_options options = {0};
  test_seed(11);
  for (k = 0; k < 2 * 100; k++)
    a[k] = 2 * test_uniform() - 1;
  for (k = 0; k < 10; k++)
    counts[k] = 2;
  CHECK(perm_compute_repeated_complex(10, 10, a, 10, counts, counts, &options, &r) == PERM_OK);
  CHECK_SHOW(r.method == PERM_METHOD_MULTIPLICITIES && r.escalated == 0, "%s, %d", perm_name("method", r.method),
             r.escalated);
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_compute_repeated_complex(10, 10, a, 10, counts, counts, &options, &best) == PERM_OK);
  CHECK(hypot(r.value - best.value, r.imaginary - best.imaginary) <= 1e-10 * hypot(best.value, best.imaginary));
}

/* Equal rows stay equal, and a row of zeros one, whatever the signs of their zeros. */
TEST(t_counts_zeros_of_both_signs_are_equal)
{
  static const double equal[9] = {0.0, 1, 2, -0.0, 1, 2, 3, 4, 5}, zero[9] = {1, 2, 3, -0.0, -0.0, -0.0, 3, 4, 5};
  static const double other[9] = {0.0, 1, 2, -0.0, 1, 3, 3, 4, 5};
  const double *const a[3] = {equal, zero, other};
  int k;
  for (k = 0; k < 3; k++) {
    const permi_problem problem = permi_doubles(3, 3, a[k], 3, &permi_reach_real, NULL, NULL);
    CHECK_SHOW(permi_lines_differ(&problem) == (k == 2), "%d", k);
  }
}
/* SPDX-License-Identifier: MIT */
