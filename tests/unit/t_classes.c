/* >>classes >>classes_run >>classes_order */
/* Method twins against expansions, other engines and closed forms, on matrices of few classes and beside them. */

TEST(t_classes_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_TWINS, T_SEEDS_MAX - 1, 1500, 1, 1);
}

TEST(t_classes_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_TWINS, 1);
}

/* ---- matrices of few classes */

enum { T_CLASSES_MAX = T_SEEDS_MAX - 1, T_CLASSES_SHAPES = 9 };

static int t_classes_entry(int shape, int i, int j, int n, const int *length, const int *other)
{
  switch (shape) {
  case 0: return j < length[i];                                    /* nested */
  case 1: return i % 2 ? j < length[i] : j >= n - length[i];       /* prefixes and suffixes */
  case 2: return i != j;                                           /* derangements */
  case 3: return i != j && (i + 1) % n != j;                       /* menage */
  case 4: return j != length[i] % n && j != other[i] % n;          /* J minus some */
  case 5: return (i * 3 / n * 2 + j * 3 / n) * 2 % 5;              /* blocks of constants 0..4 */
  case 6: return 1 + 2 * (i == j);                                 /* none is zero */
  case 7: return j >= length[i] % n && j <= length[i] % n + n / 2; /* intervals */
  default: return 1 + (length[i] + other[j]) % 3;                  /* equal lines */
  }
}

/* A shape with rows and columns multiplied, permuted, and `changes` entries changed. kind: 0 integers, 1 Gaussian, 2
   doubles, 3 complex; for doubles factors have few bits, so that entries are exact and lines proportional. */
static void t_classes_fill(int shape, int n, int kind, int scaled, int changes, double *a)
{
  const int parts = kind & 1 ? 2 : 1;
  int length[T_CLASSES_MAX], other[T_CLASSES_MAX], row[T_CLASSES_MAX], column[T_CLASSES_MAX], i, j, k;
  double factor[2][T_CLASSES_MAX][2];
  for (i = 0; i < n; i++) {
    length[i] = 1 + test_below(n);
    other[i] = test_below(n);
    row[i] = column[i] = i;
    for (k = 0; k < 2; k++) {
      factor[k][i][0] = scaled ? (1 + test_below(4)) * (test_below(2) ? -1 : 1) : 1;
      factor[k][i][1] = scaled && parts == 2 ? test_below(5) - 2 : 0;
      if (kind > 1 && scaled)
        factor[k][i][0] = ldexp(factor[k][i][0], test_below(scaled > 1 ? 300 : 9) - (scaled > 1 ? 150 : 4));
    }
  }
  for (i = n - 1; i > 0; i--) {
    const int k1 = test_below(i + 1), k2 = test_below(i + 1), r = row[i], c = column[i];
    row[i] = row[k1];
    row[k1] = r;
    column[i] = column[k2];
    column[k2] = c;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const double x = t_classes_entry(shape, i, j, n, length, other), *f = factor[0][i], *g = factor[1][j];
      double *at = a + (row[i] * n + column[j]) * parts;
      at[0] = x * (f[0] * g[0] - f[1] * g[1]);
      if (parts == 2)
        at[1] = x * (f[0] * g[1] + f[1] * g[0]);
    }
  for (k = 0; k < changes; k++)
    a[test_below(n * n * parts)] = kind > 1 && test_below(3) == 0 ? ldexp(1 + test_below(4), -test_below(900))
                                                                  : test_below(4);
}

static void t_classes_check(int trial, int n, int kind, const double *a)
{
  const int parts = kind & 1 ? 2 : 1;
  const perm_precision precision = kind < 2 ? PERM_PRECISION_EXACT : trial % 3 ? PERM_PRECISION_DEFAULT
                                                                               : PERM_PRECISION_DD;
  perm_options options = t_seeds_options(PERM_METHOD_TWINS, precision);
  perm_matrix matrix = t_seeds_matrix(n, parts, a, parts == 2 ? PERM_KIND_COMPLEX : kind ? PERM_KIND_REAL
                                                                                         : PERM_KIND_INTEGER);
  perm_result result;
  options.certify = trial & 1;
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "trial %d: %s", trial, result.message);
  CHECK(result.method == PERM_METHOD_TWINS || result.method == PERM_METHOD_STRUCTURE);
  if (kind == 0) {
    CHECK_SHOW(result.exact && oracle_integer_of(&result.integer) == oracle_integer(n, a), "trial %d n %d: %.17g",
               trial, n, result.value);
  } else if (kind == 1) {
    oracle_int expected[2];
    t_seeds_gaussian(n, a, expected);
    CHECK_SHOW(result.exact && oracle_integer_of(&result.integer) == expected[0] &&
                   oracle_integer_of(&result.imaginary_integer) == expected[1], "trial %d n %d", trial, n);
  } else {
    oracle_exact value = oracle_exact_make(parts, n, a);
    const double distance = oracle_exact_distance(&value, result.value, result.imaginary, result.exp2);
    double moduli[T_CLASSES_MAX * T_CLASSES_MAX], scale;
    oracle_exact terms;
    int i;
    for (i = 0; i < n * n; i++)
      moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
    terms = oracle_exact_make(1, n, moduli);
    scale = oracle_exact_distance(&terms, 0, 0, result.exp2);
    CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9), "trial %d n %d kind %d: %.17g off by %.3g, bound %.3g",
               trial, n, kind, result.value, distance, result.error_bound);
    CHECK_SHOW(result.error_bound <= (precision == PERM_PRECISION_DD ? 1e-15 : 1e-11) * scale,
               "trial %d n %d kind %d: bound %.3g of %.3g", trial, n, kind, result.error_bound, scale);
    oracle_exact_free(&value);
    oracle_exact_free(&terms);
  }
  perm_matrix_free(&matrix);
}

/* Every shape, scaled or not, as it is and with one to three entries changed. */
TEST(t_classes_shapes_equal_expansion)
{
  double a[2 * T_CLASSES_MAX * T_CLASSES_MAX];
  int trial;
  for (trial = 0; trial < 4000; trial++) {
    const int n = 1 + test_below(trial % 16 ? 8 : T_CLASSES_MAX), kind = trial / 2 % 4;
    const int scaled = test_below(kind > 1 ? 3 : 2);
    t_classes_fill(trial / 8 % T_CLASSES_SHAPES, n, kind, scaled, test_below(4), a);
    t_classes_check(trial, n, kind, a);
  }
}

/* ---- closed forms */

static const uint64_t t_classes_prime = UINT64_C(2305843009213693951); /* 2^61 - 1 */

static uint64_t t_classes_inverse(uint64_t x)
{
  uint64_t power = t_classes_prime - 2, inverse = 1;
  for (; power; power >>= 1, x = oracle_multiply(x, x, t_classes_prime))
    if (power & 1)
      inverse = oracle_multiply(inverse, x, t_classes_prime);
  return inverse;
}

/* Exactly and modulo a number; integers of over 8 words are then residues from the first step on. states: at most. */
static void t_classes_is(const perm_matrix *matrix, const char *name, perm_method method, uint64_t expected,
                         double states)
{
  perm_options options = t_seeds_options(method, PERM_PRECISION_EXACT);
  perm_result result;
  int k;
  for (k = 0; k < 2; k++) {
    CHECK_SHOW(perm_compute_sparse(matrix, &options, &result) == PERM_OK, "%s: %s", name, result.message);
    CHECK_SHOW(result.exact && result.method == PERM_METHOD_TWINS, "%s: %s", name, perm_name("method", result.method));
    CHECK_SHOW(oracle_modulo(&result.integer, t_classes_prime) == expected, "%s, modulus %d", name, k);
    CHECK_SHOW(result.terms <= states, "%s: %g states", name, result.terms);
    options.modulus = t_classes_prime;
  }
}

/* D(n) = (n - 1) (D(n - 1) + D(n - 2)). */
static uint64_t t_classes_derangements(int n)
{
  uint64_t before = 1, now = 0;
  int k;
  for (k = 2; k <= n; k++) {
    const uint64_t next = oracle_multiply((uint64_t)k - 1, (now + before) % t_classes_prime, t_classes_prime);
    before = now;
    now = next;
  }
  return n ? now : 1;
}

/* (n - 2) M(n) = n (n - 2) M(n - 1) + n M(n - 2) + 4 (-1)^(n - 1), from M(3) = 1, M(4) = 2. */
static uint64_t t_classes_menage(int n)
{
  const uint64_t p = t_classes_prime;
  uint64_t before = 1, now = 2;
  int k;
  for (k = 5; k <= n; k++) {
    const uint64_t at = (uint64_t)k;
    const uint64_t sum = (oracle_multiply(at * (at - 2), now, p) + oracle_multiply(at, before, p)) % p;
    before = now;
    now = oracle_multiply((sum + (k % 2 ? 4 : p - 4)) % p, t_classes_inverse(at - 2), p);
  }
  return now;
}

static int t_classes_compare(const void *x, const void *y)
{
  return *(const int *)x - *(const int *)y;
}

/* Derangement numbers, menage numbers, and Ferrers boards: prod (r_i - i + 1) over sorted lengths. */
TEST(t_classes_closed_forms)
{
  static const int orders[] = {13, 30, 70, 120, 200};
  int k, i;
  for (k = 0; k < 5; k++) {
    const int n = orders[k];
    char name[40];
    int length[200];
    uint64_t product = 1;
    perm_matrix matrix;
    snprintf(name, sizeof name, "derangements:%d", n);
    CHECK(perm_generate(name, 1, NULL, &matrix, NULL) == PERM_OK);
    t_classes_is(&matrix, name, k ? PERM_METHOD_AUTO : PERM_METHOD_TWINS, t_classes_derangements(n), n * n);
    perm_matrix_free(&matrix);
    snprintf(name, sizeof name, "menage:%d", n);
    CHECK(perm_generate(name, 1, NULL, &matrix, NULL) == PERM_OK);
    t_classes_is(&matrix, name, k ? PERM_METHOD_AUTO : PERM_METHOD_TWINS, t_classes_menage(n), 4 * n * n);
    perm_matrix_free(&matrix);
    snprintf(name, sizeof name, "nested:%d", n);
    CHECK(perm_generate(name, (uint64_t)k, NULL, &matrix, NULL) == PERM_OK);
    for (i = 0; i < n; i++)
      length[i] = (int)(matrix.row_start[i + 1] - matrix.row_start[i]);
    qsort(length, (size_t)n, sizeof *length, t_classes_compare);
    for (i = 0; i < n; i++)
      product = oracle_multiply(product, (uint64_t)(length[i] - i), t_classes_prime);
    t_classes_is(&matrix, name, PERM_METHOD_TWINS, product, 2 * n);
    perm_matrix_free(&matrix);
  }
}

/* D J D' - D D' has the permanent prod d prod d' D(n), however long its entries; the classes are those of J - I. */
TEST(t_classes_are_proportional)
{
  enum { N = 40 };
  int64_t integer[N * N];
  int row[N * N], column[N * N], i, j;
  double real[N * N], factor[2][N];
  uint64_t expected = t_classes_derangements(N);
  size_t used = 0;
  perm_options options = t_seeds_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result plain, result;
  for (i = 0; i < N; i++)
    for (j = 0; j < 2; j++) {
      factor[j][i] = 1 + test_below(j ? 90000 : 1000000);
      expected = oracle_multiply(expected, (uint64_t)factor[j][i], t_classes_prime);
    }
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      if (i != j) {
        row[used] = i;
        column[used] = j;
        integer[used] = (int64_t)(factor[0][i] * factor[1][j]);
        real[used++] = factor[0][i] * factor[1][j];
      }
  CHECK(perm_matrix_from_triplets(N, N, used, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL, &matrix,
                                  NULL) == PERM_OK);
  t_classes_is(&matrix, "scaled derangements", PERM_METHOD_AUTO, expected, N * N);
  options.precision = PERM_PRECISION_EXACT;
  CHECK(perm_compute_sparse(&matrix, &options, &plain) == PERM_OK);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(N, N, used, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL) ==
        PERM_OK);
  for (i = 0; i < 2; i++) {
    options.precision = i ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
    options.tolerance = i ? 0 : 1; /* the doubles stand */
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.method == PERM_METHOD_TWINS);
    CHECK_SHOW(fabs(ldexp(result.value, (int)(result.exp2 - plain.exp2)) - plain.value) <=
                       ldexp(result.error_bound, (int)(result.exp2 - plain.exp2)) + 2e-16 * plain.value &&
                   result.error_bound < (i ? 1e-15 : 1e-11) * result.value,
               "%.17g * 2^%lld +- %.3g, not %.17g * 2^%lld", result.value, result.exp2, result.error_bound, plain.value,
               plain.exp2);
  }
  perm_matrix_free(&matrix);
}

/* Arrays reach the engine: with an eighth of zeros, with fewer, without any, with multiplied lines; others do not. */
TEST(t_classes_take_arrays)
{
  enum { N = 34 };
  int64_t a[N * N];
  double real[N * N];
  perm_result result;
  perm_options options = t_seeds_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  int i, j, k;
  for (k = 0; k < 4; k++) {
    uint64_t expected = 0, chosen = 1, power;
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) {
        a[i * N + j] = k == 0 ? j <= i + 3 : (i != j ? 1 : k == 1 ? 0 : 3) * (k == 3 ? (i + 1) * (2 * j + 1) : 1);
        real[i * N + j] = (double)a[i * N + j];
      }
    if (k == 0)
      for (expected = 24, i = 4; i < N; i++) /* Ferrers: 4^(N - 4) 4! */
        expected = oracle_multiply(expected, 4, t_classes_prime);
    for (i = 0; i <= N && k; i++) { /* sum C(N, i) x^i D(N - i), where x is on the diagonal */
      for (power = chosen, j = 0; j < i; j++)
        power = oracle_multiply(power, k == 1 ? 0 : 3, t_classes_prime);
      expected = (expected + oracle_multiply(power, t_classes_derangements(N - i), t_classes_prime)) % t_classes_prime;
      chosen = oracle_multiply(oracle_multiply(chosen, (uint64_t)(N - i), t_classes_prime),
                               t_classes_inverse((uint64_t)i + 1), t_classes_prime);
    }
    for (i = 0; i < N && k == 3; i++)
      expected = oracle_multiply(expected, (uint64_t)((i + 1) * (2 * i + 1)), t_classes_prime);
    CHECK_SHOW(perm_compute_integer(N, N, a, N, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.method == PERM_METHOD_TWINS && oracle_modulo(&result.integer, t_classes_prime) == expected,
               "%d: %s", k, perm_name("method", result.method));
    CHECK_SHOW(perm_compute_real(N, N, real, N, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.method == PERM_METHOD_TWINS && result.error_bound < 1e-11 * result.value, "%d: %s, %g of %g", k,
               perm_name("method", result.method), result.error_bound, result.value);
  }
  for (i = 0; i < 22 * 22; i++)
    real[i] = test_uniform();
  CHECK(perm_compute_real(22, 22, real, 22, &options, &result) == PERM_OK && result.method == PERM_METHOD_DENSE);
  for (i = 0; i < 22 * 22; i++)
    real[i] = test_below(2) ? 1 : -1;
  CHECK(perm_compute_real(22, 22, real, 22, &options, &result) == PERM_OK && result.method == PERM_METHOD_DENSE);
}

/* J plus a nested matrix: no zeros tell the order which lines differ, but most entries are one factor of the row times
   one of the column. */
TEST(t_classes_without_zeros)
{
  enum { MOST = 48 };
  static int64_t a[MOST * MOST];
  static int row[MOST * MOST], column[MOST * MOST];
  int n, i;
  for (n = 20; n <= MOST; n += MOST - 20) {
    perm_options options = t_seeds_options(PERM_METHOD_TWINS, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result, exact;
    int length[MOST];
    for (i = 0; i < n; i++)
      length[i] = test_below(n);
    for (i = 0; i < n * n; i++) {
      row[i] = i / n;
      column[i] = i % n;
      a[i] = (column[i] <= length[row[i]] ? 2 : 1) * (row[i] % 4 + 1) * (column[i] % 3 + 1);
    }
    CHECK(perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, NULL, NULL, a, PERM_KIND_INTEGER, NULL, &matrix,
                                    NULL) == PERM_OK);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.method == PERM_METHOD_TWINS && result.terms < (n == 20 ? 5e3 : 5e5), "%d: %g states", n,
               result.terms);
    options.method = PERM_METHOD_EXACT;
    if (n == 20) {
      CHECK(perm_compute_integer(n, n, a, n, &options, &exact) == PERM_OK && exact.method == PERM_METHOD_EXACT);
      CHECK(!memcmp(&exact.integer, &result.integer, sizeof exact.integer));
    }
    perm_matrix_free(&matrix);
  }
}

/* ---- threads, limits */

/* States in shares, which threads take: all kinds of values. */
TEST(t_classes_threads_leave_no_trace)
{
  static const char *const pattern[] = {"er:15:0.5", "menage:40"};
  int kind, k, ran = 0;
  for (kind = 0; kind < T_WALK_KINDS; kind++)
    for (k = 0; k < 2; k++) {
      perm_options options = t_walk_options(PERM_METHOD_TWINS, kind);
      perm_matrix matrix;
      perm_result result, other;
      if (k == 0) {
        matrix = t_walk_matrix(pattern[k], kind);
      } else {
        CHECK(perm_generate(pattern[k], 1, NULL, &matrix, NULL) == PERM_OK);
      }
      ran += t_seeds_threads(&matrix, options, pattern[k]);
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      options.method = k ? PERM_METHOD_AUTO : PERM_METHOD_LISTS;
      CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_OK && other.exact == result.exact);
      CHECK_SHOW(!memcmp(&result.integer, &other.integer, sizeof other.integer) &&
                     hypot(result.value - other.value, result.imaginary - other.imaginary) <=
                         result.error_bound + other.error_bound && result.exp2 == other.exp2,
                 "kind %d: %.17g, not %.17g", kind, result.value, other.value);
      perm_matrix_free(&matrix);
    }
  CHECK(ran == 2 * T_WALK_KINDS);
}

TEST(t_classes_stop)
{
  t_walk_stops(PERM_METHOD_TWINS, "er:30:0.5", "er:12:0.5");
}

/* What does not fit is refused with what it needs. */
TEST(t_classes_refuse)
{
  perm_options options = t_seeds_options(PERM_METHOD_TWINS, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("er:200:0.5", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "has too few proportional lines");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("er:24:0.5", 1, NULL, &matrix, NULL) == PERM_OK);
  options.max_bytes = 1e6;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "max_bytes");
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
