/* perm_sparse.h: the engines after the literature (band, transversals, sparyser, dominating), each by name, against
   expansions over subsets that share no code with them: all kinds of values, both orientations, any number of threads,
   failing allocations. */
#define T_SEEDS_MAX 13

/* A random matrix: of a shape that the preparation deals with, or one that stays whole. */
static void t_seeds_pattern(int n, int shape, unsigned char *present)
{
  int i, j, width = 1 + test_below(3), density = 15 + test_below(70), row[T_SEEDS_MAX], column[T_SEEDS_MAX];
  for (i = 0; i < n; i++)
    row[i] = column[i] = i;
  for (i = n - 1; i > 0 && shape & 1; i--) { /* hidden by permutations */
    int k = test_below(i + 1), l = test_below(i + 1), r = row[i], c = column[i];
    row[i] = row[k];
    row[k] = r;
    column[i] = column[l];
    column[l] = c;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int on = 0;
      switch (shape / 2 % 5) {
      case 0: on = abs(i - j) <= width; break;
      case 1: on = abs(i - j) <= width && test_below(5); break;
      case 2: on = test_below(100) < density; break;
      case 3: on = i / 3 == j / 3 || (i + 1) % n == j || abs(i - j) <= 1; break;
      case 4: on = i - j <= 1 && j - i <= 2 * width; break;
      }
      present[row[i] * n + column[j]] = (unsigned char)on;
    }
}

/* Equal columns, and equal rows. */
static void t_seeds_repeat(int n, int parts, double *a)
{
  int i, k, p, copies = test_below(3);
  for (k = 0; k < copies && n > 1; k++) {
    int from = test_below(n), to = test_below(n);
    for (i = 0; i < n * parts; i++) {
      if (test_below(40) == 0)
        continue;
      if (k & 1)
        a[to * n * parts + i] = a[from * n * parts + i];
    }
    if (!(k & 1))
      for (i = 0; i < n; i++)
        for (p = 0; p < parts; p++)
          a[(i * n + to) * parts + p] = a[(i * n + from) * parts + p];
  }
}

static perm_matrix t_seeds_matrix(int n, int parts, const double *a, perm_kind kind)
{
  int row[T_SEEDS_MAX * T_SEEDS_MAX], column[T_SEEDS_MAX * T_SEEDS_MAX], i;
  double real[T_SEEDS_MAX * T_SEEDS_MAX], imaginary[T_SEEDS_MAX * T_SEEDS_MAX];
  int64_t integer[T_SEEDS_MAX * T_SEEDS_MAX];
  perm_matrix matrix;
  size_t used = 0;
  for (i = 0; i < n * n; i++)
    if (a[i * parts] != 0 || (parts == 2 && a[i * parts + 1] != 0)) {
      row[used] = i / n;
      column[used] = i % n;
      integer[used] = kind == PERM_KIND_INTEGER ? (int64_t)a[i * parts] : 0;
      imaginary[used] = parts == 2 ? a[i * parts + 1] : 0;
      real[used++] = a[i * parts];
    }
  CHECK(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, integer, kind, NULL, &matrix, NULL) ==
        PERM_OK);
  return matrix;
}

static perm_options t_seeds_options(perm_method method, perm_precision precision)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.threads = 1;
  return options;
}

/* Gaussian integers by subsets: p + q i, in 128 bits. */
static void t_seeds_gaussian(int n, const double *a, oracle_int *value)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_int *sum = (oracle_int *)calloc(2 * subsets, sizeof *sum);
  sum[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    for (j = 0; j < n && row < n; j++)
      if (!(s >> j & 1)) {
        oracle_int *to = sum + 2 * (s | (size_t)1 << j), re = (oracle_int)a[2 * (row * n + j)];
        oracle_int im = (oracle_int)a[2 * (row * n + j) + 1];
        to[0] += sum[2 * s] * re - sum[2 * s + 1] * im;
        to[1] += sum[2 * s] * im + sum[2 * s + 1] * re;
      }
  }
  value[0] = sum[2 * subsets - 2];
  value[1] = sum[2 * subsets - 1];
  free(sum);
}

/* One engine against the oracles. proven: its errors are finite; exact: takes integers. */
static void t_seeds_against_oracles(perm_method method, int most, int trials, int proven, int exact)
{
  double a[2 * T_SEEDS_MAX * T_SEEDS_MAX];
  unsigned char present[T_SEEDS_MAX * T_SEEDS_MAX];
  int trial, i, ran = 0, nonzero = 0, off = 0, long_integers = 0;
  for (trial = 0; trial < trials; trial++) {
    const int n = 1 + test_below(most), kind = test_below(8);
    const int parts = kind >= 4 && kind <= 6 ? 2 : 1, whole = kind == 2 || kind == 3 || (kind == 6 && proven);
    const perm_precision precision = whole                     ? PERM_PRECISION_EXACT
                                     : proven && test_below(2) ? PERM_PRECISION_DD
                                                               : PERM_PRECISION_DEFAULT;
    perm_options options = t_seeds_options(method, precision);
    const int big = test_below(4) == 0, threads = 1 + test_below(3);
    perm_matrix matrix;
    perm_result result, again;
    perm_status status;
    if (whole && !exact)
      continue;
    t_seeds_pattern(n, test_below(20), present);
    for (i = 0; i < n * n * parts; i++) {
      double x = whole ? 1 + test_below(!big ? 3 : proven ? 100 : 60) : test_uniform() + 1e-9;
      if (!whole && big)
        x = ldexp(x, test_below(100) - 50);
      a[i] = present[i / parts] && (parts == 1 || test_below(8)) ? (kind % 2 && test_below(2) ? -x : x) : 0;
    }
    t_seeds_repeat(n, parts, a);
    matrix = t_seeds_matrix(n, parts, a, parts == 2 ? PERM_KIND_COMPLEX : whole ? PERM_KIND_INTEGER : PERM_KIND_REAL);
    options.certify = test_below(2);
    status = perm_compute_sparse(&matrix, &options, &result);
    long_integers += whole && status != PERM_OK && strstr(result.message, "needs integers of") != NULL;
    CHECK_SHOW(status == PERM_OK || (whole && strstr(result.message, "needs integers of")), "trial %d: %s", trial,
               result.message);
    if (status != PERM_OK) {
      perm_matrix_free(&matrix);
      continue;
    }
    ran += result.method == method;
    nonzero += result.value != 0;
    options.threads = threads;
    CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_OK);
    CHECK_SHOW(again.value == result.value && again.imaginary == result.imaginary &&
                   again.error_bound == result.error_bound && again.exp2 == result.exp2,
               "trial %d, %d threads", trial, threads);
    if (whole && parts == 1) {
      oracle_int expected = oracle_integer(n, a);
      CHECK_SHOW(result.exact && oracle_integer_of(&result.integer) == expected, "trial %d n %d: %.17g, not %.17g",
                 trial, n, result.value, (double)expected);
    } else if (whole) {
      oracle_int expected[2];
      t_seeds_gaussian(n, a, expected);
      CHECK_SHOW(result.exact && oracle_integer_of(&result.integer) == expected[0] &&
                     oracle_integer_of(&result.imaginary_integer) == expected[1], "trial %d n %d", trial, n);
    } else {
      oracle_exact value = oracle_exact_make(parts, n, a);
      double moduli[T_SEEDS_MAX * T_SEEDS_MAX], distance, scale;
      const double loose = precision == PERM_PRECISION_DD ? 1e-14 : 1e-10;
      for (i = 0; i < n * n; i++)
        moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
      scale = ldexp((double)oracle_real(n, moduli), -(int)result.exp2);
      distance = oracle_exact_distance(&value, result.value, result.imaginary, result.exp2);
      oracle_exact_free(&value);
      off += distance > 0;
      if (proven && method != result.method && result.method != PERM_METHOD_STRUCTURE)
        CHECK(0);
      CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9) + 1e-300,
                 "trial %d n %d kind %d: %.17g off by %.3g, error %.3g", trial, n, kind, result.value, distance,
                 result.error_bound);
      if (!proven)
        CHECK_SHOW(distance <= 16 * result.error_estimate + 1e-15 * scale, "trial %d: off by %.3g, estimate %.3g",
                   trial, distance, result.error_estimate);
      CHECK_SHOW((!proven && big) || distance <= loose * scale, "trial %d n %d kind %d: %.17g off by %.3g of %.3g",
                 trial, n, kind, result.value, distance, scale);
      if (proven)
        CHECK_SHOW(result.error_bound <= loose * scale, "trial %d: error %.3g of %.3g", trial, result.error_bound,
                   scale);
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(50 * long_integers <= trials, "%d of %d integers too long", long_integers, trials);
  CHECK_SHOW(ran > trials / 6 && nonzero > trials / 3 && off > trials / 20, "%d of %d ran, %d not 0, %d off", ran,
             trials, nonzero, off);
}

/* Every allocation fails once; the last run has all it asks for. */
static void t_seeds_allocations(perm_method method, int exact)
{
  int kind, n = 9, i, j;
  for (kind = 0; kind < 4; kind++) {
    double a[2 * T_SEEDS_MAX * T_SEEDS_MAX];
    const int parts = kind == 1 ? 2 : 1;
    const int summed = method == PERM_METHOD_SPARYSER || method == PERM_METHOD_DOMINATING;
    perm_options options = t_seeds_options(method, kind == 2 ? PERM_PRECISION_EXACT
                                                   : kind == 3 ? PERM_PRECISION_DD
                                                               : PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result;
    t_sparse_memory memory = {0, 0, 0};
    long fail;
    if ((kind == 2 && !exact) || (kind == 3 && summed))
      continue;
    for (i = 0; i < n; i++)
      for (j = 0; j < n * parts; j++)
        a[i * n * parts + j] = abs(i - j / parts) <= 2 ? 1 + test_below(5) : 0;
    a[0] = kind == 0 && !summed ? 1e-200 : a[0];
    matrix = t_seeds_matrix(n, parts, a,
                            parts == 2 ? PERM_KIND_COMPLEX : kind == 2 ? PERM_KIND_INTEGER : PERM_KIND_REAL);
    options.certify = 1;
    options.allocator.allocate = t_sparse_allocate;
    options.allocator.release = t_sparse_release;
    options.allocator.user_data = &memory;
    for (fail = 1;; fail++) {
      perm_status status;
      memory.calls = 0;
      memory.fail_at = fail;
      status = perm_compute_sparse(&matrix, &options, &result);
      CHECK_SHOW(memory.live == 0, "call %ld: %ld live", fail, memory.live);
      if (memory.calls < fail) {
        CHECK_SHOW(status == PERM_OK && result.method == method, "%s", result.message);
        break;
      }
      CHECK_SHOW(status == PERM_ERROR_MEMORY, "call %ld: status %d", fail, status);
    }
    CHECK(fail > 15);
    perm_matrix_free(&matrix);
  }
}

TEST(t_band_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_BAND, T_SEEDS_MAX - 1, 1500, 1, 1);
}

TEST(t_band_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_BAND, 1);
}

/* A long band has a finite error: neither growth nor decay of the window's doubles spoils it. `spread` is of the
   entries' exponents; hidden: rows and columns permuted. */
static perm_matrix t_band_long(int n, int below, int above, int spread, int parts, int hidden, perm_kind kind)
{
  const size_t room = (size_t)n * (size_t)(below + above + 1);
  int *row = (int *)malloc(room * sizeof *row), *column = (int *)malloc(room * sizeof *column), i, j;
  int *to = (int *)malloc(2 * (size_t)n * sizeof *to);
  double *real = (double *)malloc(room * sizeof *real), *imaginary = (double *)malloc(room * sizeof *imaginary);
  int64_t *integer = (int64_t *)malloc(room * sizeof *integer);
  size_t used = 0;
  perm_matrix matrix;
  for (i = 0; i < 2 * n; i++)
    to[i] = i % n;
  for (i = 2 * n - 1; i > 0 && hidden; i--) {
    const int base = i / n * n, k = base + test_below(i - base + 1), t = to[i];
    to[i] = to[k];
    to[k] = t;
  }
  for (i = 0; i < n; i++)
    for (j = i - below < 0 ? 0 : i - below; j <= i + above && j < n; j++) {
      row[used] = to[i];
      column[used] = to[n + j];
      integer[used] = 1 + test_below(3);
      real[used] = ldexp(0.25 + test_uniform(), spread ? test_below(spread) : 0);
      imaginary[used++] = parts == 2 ? test_uniform() - 0.5 : 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, integer, kind, NULL, &matrix, NULL) ==
        PERM_OK);
  free(row);
  free(column);
  free(to);
  free(real);
  free(imaginary);
  free(integer);
  return matrix;
}

TEST(t_band_long_ones_have_a_finite_error)
{
  static const int spread[] = {0, 60, 400};
  int i, hidden;
  for (i = 0; i < 3; i++)
    for (hidden = 0; hidden < 2; hidden++) {
      perm_matrix matrix = t_band_long(3000, 2, 1 + hidden, spread[i], 1, hidden, PERM_KIND_REAL);
      perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
      perm_result result, dd;
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      options.precision = PERM_PRECISION_DD;
      CHECK(perm_compute_sparse(&matrix, &options, &dd) == PERM_OK);
      CHECK_SHOW(result.value > 0 && result.error_bound < 1e-10 * result.value, "spread %d: %.17g * 2^%lld +- %.3g",
                 spread[i], result.value, result.exp2, result.error_bound);
      CHECK_SHOW(dd.error_bound < 2e-16 * dd.value, "spread %d: %.17g +- %.3g", spread[i], dd.value, dd.error_bound);
      CHECK_SHOW(fabs(ldexp(result.value, (int)(result.exp2 - dd.exp2)) - dd.value) <=
                     ldexp(result.error_bound, (int)(result.exp2 - dd.exp2)) + dd.error_bound,
                 "spread %d: %.17g * 2^%lld, not %.17g * 2^%lld", spread[i], result.value, result.exp2, dd.value,
                 dd.exp2);
      perm_matrix_free(&matrix);
    }
  {
    perm_matrix matrix = t_band_long(400, 3, 2, 0, 2, 1, PERM_KIND_COMPLEX);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
    perm_result result, dd;
    options.tolerance = 1; /* the doubles stand */
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.error_bound < (double)INFINITY);
    options.precision = PERM_PRECISION_ACCURATE;
    CHECK(perm_compute_sparse(&matrix, &options, &dd) == PERM_OK && dd.exp2 == result.exp2);
    CHECK(hypot(dd.value - result.value, dd.imaginary - result.imaginary) <= result.error_bound + dd.error_bound);
    CHECK(dd.error_bound < 1e-8 * result.error_bound);
    perm_matrix_free(&matrix);
  }
}

/* Integers of many words against the frontier programme, and residues against integers. */
TEST(t_band_integers_of_many_words)
{
  int trial;
  for (trial = 0; trial < 6; trial++) {
    const int n = 40 + 60 * trial;
    perm_matrix matrix = t_band_long(n, 2, 2, 0, 1, trial & 1, PERM_KIND_INTEGER);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_EXACT);
    perm_result band, frontier, residue;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK && band.exact);
    options.modulus = UINT64_C(2305843009213693951);
    CHECK(perm_compute_sparse(&matrix, &options, &residue) == PERM_OK && residue.exact);
    CHECK(residue.integer.word[0] == oracle_modulo(&band.integer, options.modulus));
    options.modulus = 0;
    options.method = PERM_METHOD_FRONTIER;
    CHECK(perm_compute_sparse(&matrix, &options, &frontier) == PERM_OK && frontier.exact);
    CHECK(!memcmp(&band.integer, &frontier.integer, sizeof band.integer) && band.integer.words > 0);
    perm_matrix_free(&matrix);
  }
}

/* All that a result says of the permanent is the same bits for any number of threads, which share even the smallest
   steps. Returns whether the engine ran: nothing of a matrix may be left for it. */
static int t_seeds_threads(const perm_matrix *matrix, perm_options options, const char *name)
{
  static const int threads[] = {1, 2, 3, 5};
  perm_result one, many;
  int i;
  memset(&one, 0, sizeof one);
  for (i = 0; i < 4; i++) {
    test_share_seconds = i ? 0 : 2e-4;
    options.threads = threads[i];
    CHECK_SHOW(perm_compute_sparse(matrix, &options, &many) == PERM_OK, "%s: %s", name, many.message);
    if (i == 0)
      one = many;
    CHECK(many.method == one.method && (many.method == options.method || many.method == PERM_METHOD_STRUCTURE));
    CHECK_SHOW(!memcmp(&many.value, &one.value, sizeof many.value) && many.error_bound == one.error_bound &&
                   !memcmp(&many.imaginary, &one.imaginary, sizeof many.imaginary) &&
                   many.error_estimate == one.error_estimate && many.exp2 == one.exp2 && many.exact == one.exact,
               "%s, %d threads: %.17g + %.17g i +- %.3g (%.3g), not %.17g + %.17g i +- %.3g (%.3g)", name, threads[i],
               many.value, many.imaginary, many.error_bound, many.error_estimate, one.value, one.imaginary,
               one.error_bound, one.error_estimate);
    CHECK_SHOW(!memcmp(&many.integer, &one.integer, sizeof many.integer) &&
                   !memcmp(&many.imaginary_integer, &one.imaginary_integer, sizeof many.integer),
               "%s, %d threads: integers differ", name, threads[i]);
  }
  test_share_seconds = 2e-4;
  return one.method == options.method;
}

/* Windows whose runs are kept and (9 and 10 columns to a side) that are too many for that. */
TEST(t_band_bits_do_not_depend_on_threads)
{
  static const perm_kind kind[] = {PERM_KIND_REAL, PERM_KIND_COMPLEX, PERM_KIND_INTEGER};
  static const char *const name[] = {"real", "complex", "integer"};
  static const perm_precision precision[] = {PERM_PRECISION_FAST, PERM_PRECISION_DD, PERM_PRECISION_EXACT};
  int k, p, i, ran = 0;
  for (k = 0; k < 3; k++)
    for (p = 0; p < 3; p++) {
      perm_matrix matrix = t_band_long(30, 4, 4, 0, k == 1 ? 2 : 1, p & 1, kind[k]);
      perm_options options = t_seeds_options(PERM_METHOD_BAND, precision[p]);
      if (p == 2 && k < 2)
        options.precision = PERM_PRECISION_DEFAULT;
      ran += t_seeds_threads(&matrix, options, name[k]);
      options.modulus = UINT64_C(2305843009213693951);
      if (p == 2 && k == 2)
        ran += t_seeds_threads(&matrix, options, "residues");
      perm_matrix_free(&matrix);
    }
  for (i = 0; i < 2; i++) { /* states with powers of two of their own; signs; equal columns; runs that are not kept */
    static const char *const made[] = {"ones:12", "bernoulli:9", "band:22:9", "band:21:10"};
    perm_options options = t_seeds_options(PERM_METHOD_BAND, i ? PERM_PRECISION_DD : PERM_PRECISION_FAST);
    perm_matrix matrix = t_band_long(60, 3, 3, 500, 1, i, PERM_KIND_REAL);
    perm_result result;
    ran += t_seeds_threads(&matrix, options, "spread");
    perm_matrix_free(&matrix);
    for (k = 0; k < 4; k++) {
      CHECK(perm_generate(made[k], 3, NULL, &matrix, &result) == PERM_OK);
      ran += t_seeds_threads(&matrix, options, made[k]);
      perm_matrix_free(&matrix);
    }
  }
  CHECK_SHOW(ran >= 16, "%d of 20 left something for the engine", ran);
}

/* Equal columns are counted: a block of ones is one slot, whatever its order. */
TEST(t_band_counts_equal_columns)
{
  enum { N = 300 };
  double *a = (double *)malloc(sizeof(double) * N * N), log2_factorial = lgamma(N + 1.0) / log(2.0);
  perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  int i, precision;
  for (i = 0; i < N * N; i++)
    a[i] = 1;
  CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, NULL) == PERM_OK);
  for (precision = 0; precision < 2; precision++) {
    options.precision = precision ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(fabs(log2(result.value) + (double)result.exp2 - log2_factorial) < 1e-9, "%.17g * 2^%lld", result.value,
               result.exp2);
    CHECK(precision ? result.exact : result.error_bound < 1e-9 * result.value);
  }
  perm_matrix_free(&matrix);
  free(a);
}

/* What is no band is refused by name. */
TEST(t_band_refuses_wide_windows)
{
  enum { N = 140 };
  double *a = (double *)malloc(sizeof(double) * N * N);
  perm_options options = t_seeds_options(PERM_METHOD_BAND, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  int i;
  for (i = 0; i < N * N; i++)
    a[i] = 1 + test_uniform();
  CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "band");
  perm_matrix_free(&matrix);
  free(a);
}

TEST(t_transversals_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_TRANSVERSALS, 8, 1500, 1, 1);
}

TEST(t_transversals_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_TRANSVERSALS, 1);
}

/* The count and its bound; integers of many words; terms that underflow are accounted for. */
TEST(t_transversals_counts_and_small_terms)
{
  perm_options options = t_seeds_options(PERM_METHOD_TRANSVERSALS, PERM_PRECISION_EXACT);
  perm_result result, band;
  perm_matrix matrix = t_band_long(24, 1, 1, 0, 1, 1, PERM_KIND_INTEGER);
  int i, k;
  options.certify = 1; /* nothing is reduced: 46368 + 28657 = the 25th Fibonacci number of matchings */
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
  options.method = PERM_METHOD_BAND;
  CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK);
  CHECK(!memcmp(&band.integer, &result.integer, sizeof band.integer) && result.integer.words > 0);
  CHECK(result.method != PERM_METHOD_TRANSVERSALS || result.terms == 75025);
  perm_matrix_free(&matrix);
  for (k = 0; k < 2; k++) { /* a ring of order 1200: two matchings, the product of the entries of either 2^-600 or so */
    enum { N = 1200 };
    int row[2 * N], column[2 * N];
    double real[2 * N];
    for (i = 0; i < 2 * N; i++) {
      row[i] = i / 2;
      column[i] = (i / 2 + (i & 1)) % N;
      real[i] = (i & 1) == (i / 2 & 1) || k ? 0.5 + test_uniform() / 2 : 1e-3 * (1 + test_uniform());
    }
    CHECK(perm_matrix_from_triplets(N, N, 2 * N, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL) ==
          PERM_OK);
    options = t_seeds_options(PERM_METHOD_TRANSVERSALS, PERM_PRECISION_DEFAULT);
    options.certify = 1;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_TRANSVERSALS && result.terms == 2);
    options.method = PERM_METHOD_BAND;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK && band.method == PERM_METHOD_BAND);
    CHECK_SHOW(band.error_bound < 1e-12 * band.value, "%.17g +- %.3g", band.value, band.error_bound);
    CHECK_SHOW(fabs(ldexp(result.value, (int)(result.exp2 - band.exp2)) - band.value) <=
                   ldexp(result.error_bound, (int)(result.exp2 - band.exp2)) + band.error_bound,
               "%.17g * 2^%lld +- %.3g, not %.17g * 2^%lld", result.value, result.exp2, result.error_bound, band.value,
               band.exp2);
    perm_matrix_free(&matrix);
  }
}

TEST(t_sparyser_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_SPARYSER, 10, 1200, 0, 1);
}

TEST(t_dominating_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_DOMINATING, 10, 1200, 0, 1);
}

TEST(t_sparyser_dominating_fail_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_SPARYSER, 1);
  t_seeds_allocations(PERM_METHOD_DOMINATING, 1);
}

/* Many chunks: the same bits for any number of threads, and the values of the band programme. */
TEST(t_sparyser_dominating_in_chunks)
{
  static const perm_method methods[] = {PERM_METHOD_SPARYSER, PERM_METHOD_DOMINATING};
  int kind, k, threads;
  for (kind = 0; kind < 3; kind++) {
    perm_matrix matrix = t_band_long(kind ? 18 : 21, 2, 2, 0, kind == 1 ? 2 : 1, 1,
                                     kind == 0 ? PERM_KIND_INTEGER : kind == 1 ? PERM_KIND_COMPLEX : PERM_KIND_REAL);
    perm_options options = t_seeds_options(PERM_METHOD_BAND, kind ? PERM_PRECISION_DD : PERM_PRECISION_EXACT);
    perm_result band, result, again;
    CHECK(perm_compute_sparse(&matrix, &options, &band) == PERM_OK);
    for (k = 0; k < 2; k++) {
      options = t_seeds_options(methods[k], kind ? PERM_PRECISION_DEFAULT : PERM_PRECISION_EXACT);
      options.certify = kind > 0;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK(result.method == methods[k]);
      if (kind == 0)
        CHECK(result.exact && !memcmp(&result.integer, &band.integer, sizeof band.integer));
      else
        CHECK_SHOW(result.exp2 == band.exp2 && hypot(result.value - band.value, result.imaginary - band.imaginary) <=
                                                   result.error_estimate + band.error_bound,
                   "%.17g, not %.17g, estimate %.3g", result.value, band.value, result.error_estimate);
      for (threads = 2; threads < 4; threads++) {
        options.threads = threads;
        CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_OK);
        CHECK(again.value == result.value && again.imaginary == result.imaginary &&
              again.error_estimate == result.error_estimate);
#if defined(_OPENMP)
        CHECK_SHOW(again.threads == threads, "%d threads, predicted too short?", again.threads);
#endif
      }
    }
    perm_matrix_free(&matrix);
  }
}

/* Entries on a grid: the errors are finite. Zeros aside no term is left out: 2^n - 1 sets of a matrix of ones. */
TEST(t_sparyser_dominating_bounds_and_terms)
{
  int trial, i, k, zeros = 0;
  for (trial = 0; trial < 300; trial++) {
    const int n = 3 + test_below(8);
    double a[T_SEEDS_MAX * T_SEEDS_MAX], moduli[T_SEEDS_MAX * T_SEEDS_MAX];
    unsigned char present[T_SEEDS_MAX * T_SEEDS_MAX];
    perm_matrix matrix;
    t_seeds_pattern(n, test_below(20), present);
    for (i = 0; i < n * n; i++) {
      a[i] = present[i] ? (double)(1 + test_below(64)) * (trial % 2 && test_below(2) ? -1 : 1) : 0;
      moduli[i] = fabs(a[i]);
    }
    matrix = t_seeds_matrix(n, 1, a, PERM_KIND_REAL);
    for (k = 0; k < 2; k++) {
      perm_options options = t_seeds_options(k ? PERM_METHOD_DOMINATING : PERM_METHOD_SPARYSER, PERM_PRECISION_DEFAULT);
      oracle_exact value = oracle_exact_make(1, n, a);
      perm_result result;
      options.certify = 1;
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      CHECK_SHOW(oracle_exact_distance(&value, result.value, 0, result.exp2) <= result.error_bound * (1 + 1e-9),
                 "trial %d n %d: %.17g +- %.3g", trial, n, result.value, result.error_bound);
      CHECK_SHOW(result.error_bound <= 1e-8 * ldexp((double)oracle_real(n, moduli), -(int)result.exp2),
                 "trial %d: error %.3g", trial, result.error_bound);
      zeros += result.value == 0;
      oracle_exact_free(&value);
    }
    perm_matrix_free(&matrix);
  }
  CHECK(zeros < 200);
  {
    double ones[100];
    perm_options options = t_seeds_options(PERM_METHOD_SPARYSER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    for (i = 0; i < 100; i++)
      ones[i] = 1;
    CHECK(perm_matrix_from_dense(10, 10, ones, 10, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(result.value == 3628800 && result.terms == 1023, "%.17g by %.0f terms", result.value, result.terms);
    options.method = PERM_METHOD_DOMINATING;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(result.value == 3628800 && result.terms == 1023, "%.17g by %.0f terms", result.value, result.terms);
    perm_matrix_free(&matrix);
  }
}

/* Row sums beyond 64 bits, in a matrix whose permanent has 65: refused or right. */
TEST(t_sparyser_dominating_wide_row_sums)
{
  static const int row[] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, column[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  int64_t integer[9] = {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62, 1, 1, 1, 1, 1, 1};
  int k, side;
  for (k = 0; k < 4; k++) {
    perm_options options = t_seeds_options(k & 1 ? PERM_METHOD_DOMINATING : PERM_METHOD_SPARYSER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    side = k / 2;
    CHECK(perm_matrix_from_triplets(3, 3, 9, side ? column : row, side ? row : column, NULL, NULL, integer,
                                    PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
    if (perm_compute_sparse(&matrix, &options, &result) == PERM_OK)
      CHECK_SHOW(result.exact && result.integer.words == 2 && result.integer.word[1] == 1 &&
                     result.integer.word[0] == UINT64_C(1) << 63,
                 "%.17g", result.value);
    else
      CHECK_SHOW(result.status == PERM_ERROR_LIMIT, "%s", result.message);
    perm_matrix_free(&matrix);
  }
}

/* ---- searches of trees by threads: the bits of one */
enum { T_WALK_WHOLE, T_WALK_GAUSSIAN, T_WALK_LONG, T_WALK_RESIDUES, T_WALK_REAL, T_WALK_COMPLEX, T_WALK_DD,
       T_WALK_LOST, T_WALK_KINDS };

/* A generated pattern with values of a kind. */
static perm_matrix t_walk_matrix(const char *pattern, int kind)
{
  perm_matrix from, matrix;
  const perm_kind stored = kind == T_WALK_GAUSSIAN || kind == T_WALK_COMPLEX ? PERM_KIND_COMPLEX
                           : kind <= T_WALK_RESIDUES                         ? PERM_KIND_INTEGER
                                                                             : PERM_KIND_REAL;
  int i, *row;
  size_t e;
  double *real, *imaginary;
  int64_t *integer;
  CHECK(perm_generate(pattern, 3, NULL, &from, NULL) == PERM_OK);
  row = (int *)malloc(from.nnz * sizeof *row);
  real = (double *)malloc(from.nnz * sizeof *real);
  imaginary = (double *)malloc(from.nnz * sizeof *imaginary);
  integer = (int64_t *)malloc(from.nnz * sizeof *integer);
  for (i = 0; i < from.m; i++)
    for (e = from.row_start[i]; e < from.row_start[i + 1]; e++) {
      row[e] = i;
      integer[e] = kind == T_WALK_LONG ? (int64_t)(test_random() >> 4) - (INT64_C(1) << 59) : 1 + test_below(5);
      real[e] = kind == T_WALK_GAUSSIAN ? test_below(9) - 4 : test_uniform() - 0.25;
      imaginary[e] = kind == T_WALK_GAUSSIAN ? 1 + test_below(4) : test_uniform() - 0.5;
      if (kind == T_WALK_LOST)
        real[e] = ldexp(real[e], -test_below(400));
    }
  CHECK(perm_matrix_from_triplets(from.m, from.n, from.nnz, row, from.column, real, imaginary, integer, stored, NULL,
                                  &matrix, NULL) == PERM_OK);
  perm_matrix_free(&from);
  free(row);
  free(real);
  free(imaginary);
  free(integer);
  return matrix;
}

/* The leaves use threads however short they are. lost: of all leaves. */
static perm_status t_walk_compute(const perm_matrix *matrix, const perm_options *options, double *lost,
                                  perm_result *result)
{
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_status status = perm_sparse_job(matrix, options, &job, result);
  int k;
  *lost = 0;
  if (status == PERM_OK) {
    for (k = 0; k < job->leaves; k++)
      job->leaf[k].threaded = 1;
    status = perm_state_create(job, &state);
  }
  if (status == PERM_OK)
    status = perm_job_execute(job, state, options, result);
  for (k = 0; state && k < job->leaves; k++) {
    *lost += state->partial[k].lost;
    CHECK(state->partial[k].chunks || (state->partial[k].terms == 0 && state->partial[k].lost == 0));
  }
  perm_state_free(state);
  perm_job_free(job);
  return status;
}

/* One matrix with 1, 2, 3 and 5 threads. Returns what it lost. */
static double t_walk_compare(const perm_matrix *matrix, perm_options options, const char *name)
{
  static const int threads[] = {1, 2, 3, 5};
  perm_result first, result;
  double lost = 0, again;
  int k;
  memset(&first, 0, sizeof first);
  for (k = 0; k < 4; k++) {
    options.threads = threads[k];
    CHECK_SHOW(t_walk_compute(matrix, &options, &again, &result) == PERM_OK, "%s: %s", name, result.message);
    if (k == 0) {
      first = result;
      lost = again;
    }
    CHECK_SHOW(!memcmp(&first.value, &result.value, sizeof(double)) && first.imaginary == result.imaginary &&
                   first.exp2 == result.exp2 && first.error_bound == result.error_bound &&
                   first.error_estimate == result.error_estimate,
               "%s, %d threads: %.17g +- %.17g, not %.17g +- %.17g", name, threads[k], result.value, result.error_bound,
               first.value, first.error_bound);
    CHECK_SHOW(first.terms == result.terms && lost == again, "%s, %d threads: %.0f, not %.0f terms, lost %g, not %g",
               name, threads[k], result.terms, first.terms, again, lost);
    CHECK_SHOW(first.exact == result.exact && !memcmp(&first.integer, &result.integer, sizeof first.integer) &&
                   !memcmp(&first.imaginary_integer, &result.imaginary_integer, sizeof first.integer),
               "%s, %d threads", name, threads[k]);
  }
  return lost;
}

static perm_options t_walk_options(perm_method method, int kind)
{
  perm_options options = t_seeds_options(method, kind < T_WALK_REAL  ? PERM_PRECISION_EXACT
                                                 : kind == T_WALK_DD ? PERM_PRECISION_DD
                                                                     : PERM_PRECISION_DEFAULT);
  options.modulus = kind == T_WALK_RESIDUES ? UINT64_C(1000000007) : 0;
  options.certify = 1;
  return options;
}

/* All kinds of values; small ones as well, which have a few units, one or none. */
static void t_walk_bits(perm_method method, const char *const *pattern, int patterns)
{
  int kind, k, trial, lossy = 0;
  for (kind = 0; kind < T_WALK_KINDS; kind++)
    for (k = 0; k < patterns && (kind != T_WALK_DD || method == PERM_METHOD_TRANSVERSALS); k++) {
      perm_matrix matrix = t_walk_matrix(pattern[k], kind);
      lossy += t_walk_compare(&matrix, t_walk_options(method, kind), pattern[k]) > 0;
      perm_matrix_free(&matrix);
    }
  CHECK(lossy > 0);
  for (trial = 0; trial < 120; trial++) {
    const int n = 1 + test_below(9);
    double a[T_SEEDS_MAX * T_SEEDS_MAX];
    unsigned char present[T_SEEDS_MAX * T_SEEDS_MAX];
    perm_matrix matrix;
    kind = trial % 2 ? T_WALK_WHOLE : T_WALK_REAL;
    t_seeds_pattern(n, test_below(20), present);
    for (k = 0; k < n * n; k++)
      a[k] = present[k] ? test_below(7) - 3 : 0;
    matrix = t_seeds_matrix(n, 1, a, trial % 2 ? PERM_KIND_INTEGER : PERM_KIND_REAL);
    t_walk_compare(&matrix, t_walk_options(method, kind), "small");
    perm_matrix_free(&matrix);
  }
}

/* Cancelled in the middle by the report after 0.2 s: all threads stop, and nothing is left behind. Then every
   allocation fails in turn. */
static void t_walk_stops(perm_method method, const char *endless, const char *pattern)
{
  t_sparse_memory memory = {0, 0, 0};
  perm_options options = t_walk_options(method, T_WALK_REAL);
  perm_matrix matrix = t_walk_matrix(endless, T_WALK_REAL);
  perm_result result;
  double lost;
  int calls = 0;
  long fail;
  options.threads = 2;
  options.progress = t_sparse_cancel_now;
  options.user_data = &calls;
  options.allocator.allocate = t_sparse_allocate;
  options.allocator.release = t_sparse_release;
  options.allocator.user_data = &memory;
  CHECK(t_walk_compute(&matrix, &options, &lost, &result) == PERM_STOPPED_CANCELLED);
  CHECK_SHOW(calls == 1 && memory.live == 0 && result.seconds < 20, "%d calls, %ld live, %g s", calls, memory.live,
             result.seconds);
  perm_matrix_free(&matrix);
  matrix = t_walk_matrix(pattern, T_WALK_REAL);
  options.progress = NULL;
  options.threads = 3;
  for (fail = 1;; fail++) {
    perm_status status;
    memory.calls = 0;
    memory.fail_at = fail;
    status = t_walk_compute(&matrix, &options, &lost, &result);
    CHECK_SHOW(memory.live == 0, "call %ld: %ld live", fail, memory.live);
    if (memory.calls < fail) {
      CHECK_SHOW(status == PERM_OK && result.method == method, "%s", result.message);
      break;
    }
    CHECK_SHOW(status == PERM_ERROR_MEMORY, "call %ld: status %d", fail, status);
  }
  CHECK(fail > 10);
  perm_matrix_free(&matrix);
}

TEST(t_transversals_threads_leave_no_trace)
{
  static const char *const pattern[] = {"regular:24:3", "er:16:0.25", "blocks:2:9:0.5"};
  t_walk_bits(PERM_METHOD_TRANSVERSALS, pattern, 3);
}

TEST(t_transversals_threads_stop)
{
  t_walk_stops(PERM_METHOD_TRANSVERSALS, "regular:70:3", "regular:20:3");
}

TEST(t_decompose_threads_leave_no_trace)
{
  static const char *const pattern[] = {"regular:42:3", "er:20:0.2", "blocks:2:12:0.3"};
  t_walk_bits(PERM_METHOD_DECOMPOSE, pattern, 3);
}

TEST(t_decompose_threads_stop)
{
  t_walk_stops(PERM_METHOD_DECOMPOSE, "er:40:0.3", "regular:24:3");
}

/* Bytes that are allocated, and the most there were. */
typedef struct t_walk_memory { size_t live, peak; } t_walk_memory;

static void *t_walk_allocate(size_t bytes, void *user_data)
{
  t_walk_memory *memory = (t_walk_memory *)user_data;
  char *p = (char *)malloc(bytes + 64);
  if (!p)
    return NULL;
  memcpy(p, &bytes, sizeof bytes);
  memory->live += bytes;
  memory->peak = memory->live > memory->peak ? memory->live : memory->peak;
  return p + 64;
}

static void t_walk_release(void *pointer, void *user_data)
{
  size_t bytes;
  if (!pointer)
    return;
  memcpy(&bytes, (char *)pointer - 64, sizeof bytes);
  ((t_walk_memory *)user_data)->live -= bytes;
  free((char *)pointer - 64);
}

/* Little memory: fewer threads, larger units, units that have no room; the same bits, and within max_bytes. */
TEST(t_decompose_threads_memory)
{
  static const int room[][2] = {{0, 0}, {0, 100}, {1, 10}, {1, 70}, {1, 200}, {2, 150}, {2, 200}, {3, 5000}};
  const int kinds[] = {T_WALK_WHOLE, T_WALK_COMPLEX, T_WALK_LONG};
  size_t most = 0, least = SIZE_MAX;
  int kind, k;
  for (kind = 0; kind < 3; kind++) {
    perm_matrix matrix = t_walk_matrix("regular:42:3", kinds[kind]);
    perm_result first;
    for (k = -1; k < 8; k++) { /* -1: one thread; arenas and units beyond what that needs */
      perm_options options = t_walk_options(PERM_METHOD_DECOMPOSE, kinds[kind]);
      t_walk_memory memory = {0, 0};
      perm_result result;
      perm_job *job = NULL;
      perm_state *state = NULL;
      const permi_decompose *plan;
      size_t before;
      options.threads = k < 0 ? 1 : 4;
      options.allocator.allocate = t_walk_allocate;
      options.allocator.release = t_walk_release;
      options.allocator.user_data = &memory;
      CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->leaves == 1);
      job->leaf[0].threaded = 1;
      plan = (const permi_decompose *)job->leaf[0].context;
      options.max_bytes = job->leaf[0].information.bytes;
      if (k >= 0)
        options.max_bytes += (double)room[k][0] * 8 * (double)permi_decompose_arena(plan) +
                             (double)room[k][1] * (8 * (double)plan->size + (double)sizeof(permi_branch));
      CHECK(perm_state_create(job, &state) == PERM_OK);
      before = memory.peak = memory.live;
      CHECK_SHOW(perm_job_execute(job, state, &options, &result) == PERM_OK, "%s", result.message);
      CHECK_SHOW((double)(memory.peak - before) <= options.max_bytes, "%g bytes at most, max_bytes %g",
                 (double)(memory.peak - before), options.max_bytes);
      most = memory.peak - before > most ? memory.peak - before : most;
      least = memory.peak - before < least ? memory.peak - before : least;
      if (k < 0)
        first = result;
      CHECK_SHOW(first.value == result.value && first.imaginary == result.imaginary &&
                     first.error_bound == result.error_bound && first.terms == result.terms &&
                     !memcmp(&first.integer, &result.integer, sizeof first.integer),
                 "room %d: %.17g +- %g, not %.17g +- %g", k, result.value, result.error_bound, first.value,
                 first.error_bound);
      perm_state_free(state);
      perm_job_free(job);
      CHECK(memory.live == 0);
    }
    perm_matrix_free(&matrix);
  }
#if defined(_OPENMP)
  CHECK(most > 2 * least);
#endif
}

/* The number of additions, which the bound hardly ever shows, passes through the units as well. */
TEST(t_decompose_threads_additions)
{
  perm_matrix matrix = t_walk_matrix("regular:42:3", T_WALK_REAL);
  perm_options options = t_walk_options(PERM_METHOD_DECOMPOSE, T_WALK_REAL);
  perm_result result;
  perm_job *job = NULL;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->leaves == 1);
  {
    const permi_decompose *plan = (const permi_decompose *)job->leaf[0].context;
    permi_cell_word *arena = (permi_cell_word *)malloc(2 * permi_decompose_arena(plan) * sizeof *arena);
    permi_cell_word value[3];
    permi_branching shared;
    permi_decomposing run;
    int additions;
    memset(&shared, 0, sizeof shared);
    memset(&run, 0, sizeof run);
    run.plan = plan;
    additions = permi_decompose_walk(&run, arena);
    memcpy(value, run.result, plan->size * sizeof *value);
    CHECK(additions > plan->n / 2);
    shared.plan = plan;
    shared.arena = arena;
    shared.search.threads = 2;
    shared.search.enough = 50;
    shared.room = 60; /* of 64 */
    shared.branch = (permi_branch *)malloc((size_t)shared.room * sizeof *shared.branch);
    shared.cell = (permi_cell_word *)malloc((size_t)shared.room * plan->size * sizeof *shared.cell);
    CHECK(permi_share(2, 0, 2, permi_decompose_draw, &shared, NULL) == PERM_OK &&
          shared.search.next >= (uint64_t)shared.room);
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.shared = &shared;
    run.pass = PERMI_PASS_TAKE;
    CHECK(permi_decompose_walk(&run, arena) == additions && run.unit > shared.room);
    CHECK(!memcmp(value, run.result, plan->size * sizeof *value));
    free(arena);
    free(shared.branch);
    free(shared.cell);
  }
  perm_job_free(job);
  perm_matrix_free(&matrix);
}
