/* >>sparse, >>choose, >>reduce */
/* perm_sparse.h, the engine: exact results equal a subset expansion in 128 bits, results in doubles lie within
   their own error of it, structure (zero patterns, blocks, degrees 1 and 2) changes nothing, and what cannot be done is
   refused by name. */

#define T_SPARSE_MAX 14

/* Expansion over column subsets, row by row, in integers: 2^n n additions. `moduli` takes |entries|. */
static oracle_int oracle_subsets(int n, const int64_t *a, int moduli)
{
  oracle_int *sum = (oracle_int *)calloc((size_t)1 << n, sizeof *sum), r;
  unsigned set;
  int i, j;
  sum[0] = 1;
  for (set = 0; set + 1 < 1u << n; set++) {
    for (i = 0, j = 0; j < n; j++)
      i += (int)(set >> j & 1);
    for (j = 0; j < n; j++) {
      int64_t x = a[i * n + j];
      if (!(set >> j & 1))
        sum[set | 1u << j] += sum[set] * (moduli && x < 0 ? -x : x);
    }
  }
  r = sum[((size_t)1 << n) - 1];
  free(sum);
  return r;
}

static long double oracle_subsets_real(int n, const double *a)
{
  long double *sum = (long double *)calloc((size_t)1 << n, sizeof *sum), r;
  unsigned set;
  int i, j;
  sum[0] = 1;
  for (set = 0; set + 1 < 1u << n; set++) {
    for (i = 0, j = 0; j < n; j++)
      i += (int)(set >> j & 1);
    for (j = 0; j < n; j++)
      if (!(set >> j & 1))
        sum[set | 1u << j] += sum[set] * a[i * n + j];
  }
  r = sum[((size_t)1 << n) - 1];
  free(sum);
  return r;
}

/* An allocator that fails its fail_at-th call (0: never) and counts what is live. */
typedef struct t_sparse_memory { long calls, fail_at, live; } t_sparse_memory;

static void *t_sparse_allocate(size_t bytes, void *user_data)
{
  t_sparse_memory *memory = (t_sparse_memory *)user_data;
  void *p;
  if (++memory->calls == memory->fail_at)
    return NULL;
  p = malloc(bytes);
  memory->live += p != NULL;
  return p;
}

static void t_sparse_release(void *pointer, void *user_data)
{
  ((t_sparse_memory *)user_data)->live -= pointer != NULL;
  free(pointer);
}

static perm_options t_sparse_options(perm_method method, perm_precision precision)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  return options;
}

/* From now on the matrix, of integers below 2^53, is one of real numbers, and its doubles stand. */
static void t_as_doubles(perm_matrix *matrix, perm_options *options)
{
  matrix->kind = PERM_KIND_REAL;
  options->tolerance = 1e300;
}

static perm_matrix t_sparse_integers(int n, const int64_t *a)
{
  int row[T_SPARSE_MAX * T_SPARSE_MAX], column[T_SPARSE_MAX * T_SPARSE_MAX], i, j;
  int64_t value[T_SPARSE_MAX * T_SPARSE_MAX];
  perm_matrix matrix;
  size_t used = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (a[i * n + j]) {
        row[used] = i;
        column[used] = j;
        value[used++] = a[i * n + j];
      }
  perm_matrix_from_triplets(n, n, used, row, column, NULL, NULL, value, PERM_KIND_INTEGER, NULL, &matrix, NULL);
  return matrix;
}

static oracle_int t_sparse_value(const perm_result *result)
{
  return oracle_integer_of(&result->integer);
}

/* A random matrix of a shape that the preparation has to deal with. */
static void t_sparse_random(int n, int shape, int64_t *a)
{
  int i, j, density = 5 + test_below(95), range = shape & 1 ? 1 : 1 + test_below(9);
  for (i = 0; i < n * n; i++)
    a[i] = test_below(100) < density ? 1 + test_below(range) : 0;
  if (shape & 2)
    for (i = 0; i < n * n; i++)
      a[i] = test_below(2) ? -a[i] : a[i];
  if (shape >> 2 == 1) /* block triangular: the couplings are dead */
    for (i = n / 2; i < n; i++)
      for (j = 0; j < n / 2; j++)
        a[i * n + j] = 0;
  if (shape >> 2 == 2 && n > 1) /* two equal rows */
    memcpy(a, a + n, (size_t)n * sizeof *a);
  if (shape >> 2 == 3 && n > 2) { /* a row of degree 2, a column of degree 1 or 0 */
    for (j = 2; j < n; j++)
      a[(n / 2) * n + j] = 0;
    for (i = 1; i < n; i++)
      a[i * n + n - 1] = 0;
  }
  if (shape >> 2 == 4) /* band */
    for (i = 0; i < n * n; i++)
      if (abs(i / n - i % n) > 2)
        a[i] = 0;
}

/* Doubles of a result with exponent 0 against the exact integer. */
static int t_sparse_within(const perm_result *result, oracle_int exact)
{
  long double off = (long double)result->value - (long double)exact;
  return result->exp2 == 0 &&
         (off < 0 ? -off : off) <= (long double)result->error_bound + 1e-19L * fabsl((long double)exact);
}

TEST(t_sparse_equals_expansion)
{
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, nonzero = 0, exact_nonzero_bounds = 0;
  for (trial = 0; trial < test_some(3000); trial++) {
    int n = 1 + test_below(12), method;
    perm_matrix matrix;
    perm_result result;
    oracle_int expected, moduli;
    t_sparse_random(n, test_below(20), a);
    expected = oracle_subsets(n, a, 0);
    moduli = oracle_subsets(n, a, 1);
    matrix = t_sparse_integers(n, a);
    nonzero += expected != 0;
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
    CHECK_SHOW(result.exact && t_sparse_value(&result) == expected, "trial %d, n %d: %.17g", trial, n, result.value);
    CHECK(result.error_bound == 0 && result.value == (double)expected);
    for (method = 0; method < 2; method++) { /* auto and frontier in doubles */
      perm_options options = t_sparse_options(method ? PERM_METHOD_FRONTIER : PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
      t_as_doubles(&matrix, &options);
      perm_compute_sparse(&matrix, &options, &result);
      CHECK(result.status == PERM_OK || (result.status == PERM_TOLERANCE_NOT_MET && result.value == 0));
      CHECK_SHOW(t_sparse_within(&result, expected), "trial %d, n %d: %.17g +- %.3g", trial, n, result.value,
                 result.error_bound);
      CHECK(result.error_bound <= 1e-12 * (double)moduli && result.error_estimate <= 1e-12 * (double)moduli);
      exact_nonzero_bounds += result.error_bound > 0;
    }
    perm_matrix_free(&matrix);
  }
  CHECK(nonzero > test_some(1000) && exact_nonzero_bounds > test_some(500));
}

/* Random reals: the bound holds against a long double expansion, and is not vacuous. */
TEST(t_sparse_bound_is_sound_and_not_vacuous)
{
  double a[T_SPARSE_MAX * T_SPARSE_MAX], moduli[T_SPARSE_MAX * T_SPARSE_MAX];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  int trial, i, off = 0;
  for (trial = 0; trial < 600; trial++) {
    int n = 2 + test_below(11), mixed = test_below(2);
    perm_matrix matrix;
    perm_result result;
    long double exact, scale;
    for (i = 0; i < n * n; i++) {
      a[i] = test_below(3) ? test_uniform() - (mixed ? 0.5 : 0) : 0;
      moduli[i] = fabs(a[i]);
    }
    perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL);
    exact = oracle_subsets_real(n, a);
    scale = oracle_subsets_real(n, moduli);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(fabsl((long double)result.value - exact) <= (long double)result.error_bound + 1e-17L * scale,
               "n %d: %.17g +- %.3g", n, result.value, result.error_bound);
    CHECK((long double)result.error_bound <= 1e-13L * scale);
    off += fabsl((long double)result.value - exact) > 0;
    perm_matrix_free(&matrix);
  }
  CHECK(off > 100);
}

TEST(t_sparse_transpose_permutation_blocks)
{
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX], b[T_SPARSE_MAX * T_SPARSE_MAX], c[T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, i, j, n, k;
  for (trial = 0; trial < 200; trial++) {
    perm_matrix matrix[3];
    perm_result result[3];
    n = 2 + test_below(T_SPARSE_MAX - 1);
    k = 1 + test_below(n - 1);
    t_sparse_random(n, test_below(20), a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        b[j * n + i] = a[i * n + j];
    for (i = 0; i < n; i++) /* rows rotated by k, columns reversed */
      for (j = 0; j < n; j++)
        c[(i + k) % n * n + n - 1 - j] = a[i * n + j];
    matrix[0] = t_sparse_integers(n, a);
    matrix[1] = t_sparse_integers(n, b);
    matrix[2] = t_sparse_integers(n, c);
    for (i = 0; i < 3; i++) {
      CHECK(perm_compute_sparse(&matrix[i], NULL, &result[i]) == PERM_OK);
      CHECK(t_sparse_value(&result[i]) == t_sparse_value(&result[0]));
      perm_matrix_free(&matrix[i]);
    }
    { /* diag(a[0..k), a[k..n)) with couplings above */
      oracle_int parts[2];
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = i >= k && j < k ? 0 : a[i * n + j];
      for (i = 0; i < k * k; i++)
        b[i] = a[i / k * n + i % k];
      parts[0] = oracle_subsets(k, b, 0);
      for (i = 0; i < (n - k) * (n - k); i++)
        b[i] = a[(k + i / (n - k)) * n + k + i % (n - k)];
      parts[1] = oracle_subsets(n - k, b, 0);
      matrix[0] = t_sparse_integers(n, a);
      CHECK(perm_compute_sparse(&matrix[0], NULL, &result[0]) == PERM_OK);
      CHECK(t_sparse_value(&result[0]) == parts[0] * parts[1]);
      perm_matrix_free(&matrix[0]);
    }
  }
}

static void t_sparse_pattern(int n, const unsigned char *present, perm_matrix *matrix)
{
  int *row = (int *)malloc((size_t)(n * n) * sizeof *row), *column = (int *)malloc((size_t)(n * n) * sizeof *column), i;
  size_t used = 0;
  for (i = 0; i < n * n; i++)
    if (present[i]) {
      row[used] = i / n;
      column[used++] = i % n;
    }
  perm_matrix_from_triplets(n, n, used, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, matrix, NULL);
  free(row);
  free(column);
}

TEST(t_sparse_known_sequences)
{
  unsigned char present[64 * 64];
  perm_matrix matrix;
  perm_result result;
  char text[128];
  double factorial = 1, derangements = 1;
  int n, i, r, c, rows = 0;
  for (n = 1; n <= 18; n++) {
    factorial *= n;
    derangements = n * derangements + (n & 1 ? -1 : 1);
    memset(present, 1, sizeof present);
    t_sparse_pattern(n, present, &matrix);
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && result.exact && result.value == factorial);
    perm_matrix_free(&matrix);
    for (i = 0; i < n; i++)
      present[i * n + i] = 0;
    t_sparse_pattern(n, present, &matrix);
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && result.exact && result.value == derangements);
    perm_matrix_free(&matrix);
  }
  memset(present, 0, sizeof present); /* 8 x 8 dominoes: white squares are rows, black ones columns */
  for (r = 0; r < 8; r++)
    for (c = 0; c < 8; c++)
      if ((r + c) % 2 == 0) {
        int square = r * 8 + c;
        if (r > 0) present[rows * 32 + (square - 8) / 2] = 1;
        if (r < 7) present[rows * 32 + (square + 8) / 2] = 1;
        if (c > 0) present[rows * 32 + (square - 1) / 2] = 1;
        if (c < 7) present[rows * 32 + (square + 1) / 2] = 1;
        rows++;
      }
  t_sparse_pattern(32, present, &matrix);
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && result.exact);
  perm_result_text(&result, text, sizeof text);
  CHECK(!strcmp(text, "12988816"));
  perm_matrix_free(&matrix);
}

/* Permanent modulo p of a Gaussian matrix (b: imaginary parts, may be NULL). */
static void t_sparse_residue(int n, const int64_t *a, const int64_t *b, uint64_t p, uint64_t value[2])
{
  int64_t both[2 * T_SPARSE_MAX * T_SPARSE_MAX];
  int i;
  for (i = 0; i < n * n; i++) {
    both[b ? 2 * i : i] = a[i];
    if (b)
      both[2 * i + 1] = b[i];
  }
  exact_oracle(n, b ? 2 : 1, both, p, &value[0], &value[1]);
}

/* Entries of any size, both signs: as many words as it takes, checked modulo two primes, and modulo itself. */
TEST(t_sparse_integers_of_any_size)
{
  static const uint64_t prime[] = {UINT64_C(2305843009213693951), 1000003};
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, i, k, most = 0;
  for (trial = 0; trial < 200; trial++) {
    int n = 2 + test_below(8), bits = 1 + test_below(63);
    perm_options options = t_sparse_options(trial % 2 ? PERM_METHOD_FRONTIER : PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    for (i = 0; i < n * n; i++) {
      a[i] = test_below(4) ? (int64_t)(test_random() >> (64 - bits)) : 0;
      if (test_below(2))
        a[i] = -a[i];
    }
    if (trial % 10 == 0)
      a[0] = INT64_MIN;
    matrix = t_sparse_integers(n, a);
    options.modulus = 0;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    most = result.integer.words > most ? result.integer.words : most;
    for (k = 0; k < 2; k++) {
      uint64_t expected[2];
      perm_result residue;
      t_sparse_residue(n, a, NULL, prime[k], expected);
      CHECK_SHOW(oracle_modulo(&result.integer, prime[k]) == expected[0], "trial %d, n %d, %d bits", trial, n, bits);
      options.modulus = prime[k];
      CHECK(perm_compute_sparse(&matrix, &options, &residue) == PERM_OK && residue.modulus == prime[k]);
      CHECK(residue.exact && residue.integer.words <= 1 && residue.integer.word[0] == expected[0]);
    }
    options.modulus = 0;
    perm_matrix_free(&matrix);
  }
  CHECK(most >= 8);
}

static perm_matrix t_sparse_complex_matrix(int n, const double *a);

TEST(t_sparse_gaussian_integers)
{
  static const uint64_t prime[] = {UINT64_C(2305843009213693951), 1000003};
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX], b[T_SPARSE_MAX * T_SPARSE_MAX];
  double complex[2 * T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, i, k, most = 0;
  for (trial = 0; trial < 100; trial++) {
    int n = 2 + test_below(9), bits = 1 + test_below(52);
    perm_options options = t_sparse_options(trial % 2 ? PERM_METHOD_FRONTIER : PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    if (trial < 4) { /* over 512 bits: then residues are computed as such */
      n = 10;
      bits = 52;
    }
    for (i = 0; i < n * n; i++) {
      a[i] = test_below(4) ? (int64_t)(test_random() >> (64 - bits)) * (test_below(2) ? 1 : -1) : 0;
      b[i] = test_below(3) ? (int64_t)(test_random() >> (64 - bits)) * (test_below(2) ? 1 : -1) : 0;
      complex[2 * i] = (double)a[i];
      complex[2 * i + 1] = (double)b[i];
    }
    matrix = t_sparse_complex_matrix(n, complex);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact, "%s", result.message);
    most = result.imaginary_integer.words > most ? result.imaginary_integer.words : most;
    for (k = 0; k < 2; k++) {
      uint64_t expected[2];
      perm_result residue;
      t_sparse_residue(n, a, b, prime[k], expected);
      CHECK(oracle_modulo(&result.integer, prime[k]) == expected[0]);
      CHECK(oracle_modulo(&result.imaginary_integer, prime[k]) == expected[1]);
      options.modulus = prime[k];
      CHECK(perm_compute_sparse(&matrix, &options, &residue) == PERM_OK);
      CHECK(residue.integer.word[0] == expected[0] && residue.imaginary_integer.word[0] == expected[1]);
    }
    {
      perm_result doubles;
      double real = ldexp(result.value, (int)result.exp2), imaginary = ldexp(result.imaginary, (int)result.exp2);
      CHECK(perm_compute_sparse(&matrix, NULL, &doubles) == PERM_OK);
      CHECK(hypot(ldexp(doubles.value, (int)doubles.exp2) - real, ldexp(doubles.imaginary, (int)doubles.exp2) -
            imaginary) <= 1e-9 * hypot(real, imaginary));
    }
    perm_matrix_free(&matrix);
  }
  CHECK(most >= 4);
}

/* Rectangular matrices of every kind against the plain array; by the methods that take them, square ones too. */
TEST(t_sparse_rectangular)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO,  PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES,
                                        PERM_METHOD_SHORT};
  double a[7 * 9], imaginary[7 * 9], pairs[7 * 9 * 2];
  int64_t integer[7 * 9], gaussian[7 * 9 * 2];
  int row[7 * 9], column[7 * 9], trial, i, k;
  perm_options options_exact;
  for (trial = 0; trial < 40; trial++) {
    int m = 1 + test_below(6), n = trial % 3 ? 1 + test_below(8) : m;
    perm_matrix matrix;
    perm_result result, dense, exact;
    for (i = 0; i < m * n; i++) {
      integer[i] = test_below(3) ? test_below(19) - 9 : 0;
      a[i] = (double)integer[i] + (trial % 2 ? 0.5 * test_below(2) : 0);
    }
    perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL);
    CHECK(perm_compute_real(m, n, a, n, NULL, &dense) == PERM_OK);
    for (k = 0; k < 4; k++) {
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK_SHOW(test_within(fabs(result.value - dense.value),
                             result.error_estimate + dense.error_estimate + 1e-13 * fabs(dense.value)),
                 "%d x %d, %s: %g, dense %g", m, n, perm_name("method", methods[k]), result.value, dense.value);
    }
    if (trial % 2 == 0) {
      perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
      perm_job *job;
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
      CHECK(perm_compute_integer(m, n, integer, n, NULL, &exact) == PERM_OK && exact.exact);
      CHECK(result.integer.negative == exact.integer.negative && result.integer.words == exact.integer.words);
      CHECK(!memcmp(result.integer.word, exact.integer.word, sizeof exact.integer.word));
      CHECK(result.value == exact.value);
      CHECK(fabs(dense.value - exact.value) <= dense.error_estimate + 1e-13 * fabs(exact.value));
      CHECK(perm_sparse_job(&matrix, &options, &job, NULL) == PERM_OK);
      perm_job_free(job);
    } else {
      options_exact = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
      a[m * n - 1] = 0.5;
      perm_matrix_free(&matrix);
      perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL);
      CHECK(perm_compute_sparse(&matrix, &options_exact, &result) == PERM_ERROR_OPTION);
      CHECK_TEXT(result.message, "precision exact needs integers");
    }
    perm_matrix_free(&matrix);
    for (i = 0; i < m * n; i++) { /* a + b i, b in reverse */
      row[i] = i / n;
      column[i] = i % n;
      a[i] = pairs[2 * i] = (double)(gaussian[2 * i] = integer[i]);
      imaginary[i] = pairs[2 * i + 1] = (double)(gaussian[2 * i + 1] = integer[m * n - 1 - i]);
    }
    CHECK(perm_matrix_from_triplets(m, n, (size_t)(m * n), row, column, a, imaginary, NULL, PERM_KIND_COMPLEX, NULL,
                                    &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_gaussian(m, n, gaussian, n, NULL, &exact) == PERM_OK && exact.exact);
    options_exact = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    CHECK(perm_compute_sparse(&matrix, &options_exact, &result) == PERM_OK && result.exact);
    CHECK(result.value == exact.value && result.imaginary == exact.imaginary);
    CHECK(perm_compute_complex(m, n, pairs, n, NULL, &dense) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
    CHECK(hypot(result.value - exact.value, result.imaginary - exact.imaginary) <=
          result.error_estimate + 1e-13 * hypot(exact.value, exact.imaginary));
    CHECK(hypot(dense.value - exact.value, dense.imaginary - exact.imaginary) <=
          dense.error_estimate + 1e-13 * hypot(exact.value, exact.imaginary));
    perm_matrix_free(&matrix);
  }
}

/* A band of 4000 rows (a, b on and below the diagonal, a corner): too long for a perm_integer, not for a modulus;
   the permanent is the product of the diagonal plus the product of the rest. */
TEST_LONG(t_sparse_long_permanents_modulo)
{
  enum { ORDER = 4000 };
  static int row[2 * ORDER], column[2 * ORDER];
  static int64_t integer[2 * ORDER];
  const uint64_t p = UINT64_C(9223372036854775807) - 24; /* near 2^63 */
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
  perm_matrix matrix;
  perm_result result;
  uint64_t diagonal = 1, rest = 1;
  int i;
  for (i = 0; i < ORDER; i++) {
    row[2 * i] = row[2 * i + 1] = i;
    column[2 * i] = i;
    column[2 * i + 1] = (i + 1) % ORDER;
    integer[2 * i] = 1000000007 + i;
    integer[2 * i + 1] = 998244353 - i;
    diagonal = oracle_multiply(diagonal, (uint64_t)integer[2 * i], p);
    rest = oracle_multiply(rest, (uint64_t)integer[2 * i + 1], p);
  }
  CHECK(perm_matrix_from_triplets(ORDER, ORDER, 2 * ORDER, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL,
                                  &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_OVERFLOW);
  CHECK_TEXT(result.message, "modulo a prime");
  options.modulus = p;
  options.certify = 1; /* no merges of degree 2: the frontier does it all */
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
  CHECK(result.integer.word[0] == (diagonal + rest) % p);
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && !result.exact && result.exp2 > 4544);
  perm_matrix_free(&matrix);
}

/* Rows and columns times powers of two: only the exponent moves. */
TEST(t_sparse_extreme_scales)
{
  double a[100], b[100];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result plain, scaled;
  int trial, i, n = 10;
  for (trial = 0; trial < 100; trial++) {
    int row[10], column[10];
    long long total = 0;
    double x;
    for (i = 0; i < n; i++) {
      row[i] = test_below(900) - 450;
      column[i] = test_below(900) - 450;
      total += row[i] + column[i];
    }
    for (i = 0; i < n * n; i++) {
      a[i] = test_below(2) || i % (n + 1) == 0 ? 0.5 + test_uniform() - (trial & 1) : 0;
      b[i] = ldexp(a[i], row[i / n] + column[i % n]);
    }
    perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL);
    CHECK(perm_compute_sparse(&matrix, &options, &plain) == PERM_OK);
    perm_matrix_free(&matrix);
    perm_matrix_from_dense(n, n, b, n, NULL, &matrix, NULL);
    CHECK(perm_compute_sparse(&matrix, &options, &scaled) == PERM_OK);
    perm_matrix_free(&matrix);
    x = ldexp(scaled.value, (int)(scaled.exp2 - total));
    CHECK_SHOW(fabs(x - plain.value) <= 2 * plain.error_bound, "%.17g and %.17g", x, plain.value);
    if (scaled.exp2 == 0 && fabs(scaled.value) < 1e-280) /* an error below DBL_MIN is rounded up to it */
      continue;
    CHECK_SHOW(ldexp(scaled.error_bound, (int)(scaled.exp2 - total)) <= 8 * plain.error_bound, "%.3g and %.3g",
               ldexp(scaled.error_bound, (int)(scaled.exp2 - total)), plain.error_bound);
  }
  { /* 1e300 and 1e-300 side by side: the small products are lost, but not silently */
    static const double mixed[16] = {1e300, 1e-300, 1, 0, 1e-300, 1e300, 0, 1, 1, 0, 1e-300, 1e300, 0, 1, 1e300, 1e300};
    perm_matrix_from_dense(4, 4, mixed, 4, NULL, &matrix, NULL);
    CHECK(perm_compute_sparse(&matrix, &options, &plain) == PERM_OK);
    CHECK(plain.exp2 > 3000 && plain.value > 0 && plain.error_bound < 1e-12 * plain.value);
    perm_matrix_free(&matrix);
  }
}

/* Exponents of entries at random: scaling loses entries, products underflow, and the error must say so. */
TEST(t_sparse_wild_exponents)
{
  double a[64];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  int trial, i, useful = 0, computed = 0;
  for (trial = 0; trial < 1000; trial++) {
    int n = 2 + test_below(7), mixed = test_below(2), range = 100 + test_below(920);
    perm_matrix matrix;
    perm_result result;
    perm_status status;
    long double exact, value, error;
    for (i = 0; i < n * n; i++) {
      a[i] = test_below(4) ? ldexp(0.5 + test_uniform() / 2, test_below(2 * range) - range) : 0;
      a[i] = mixed && test_below(2) ? -a[i] : a[i];
    }
    perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL);
    exact = oracle_subsets_real(n, a);
    status = perm_compute_sparse(&matrix, &options, &result);
    perm_matrix_free(&matrix);
    CHECK(status == PERM_OK || status == PERM_ERROR_UNSUPPORTED); /* the latter: nothing is known */
    if (status != PERM_OK)
      continue;
    value = ldexpl((long double)result.value, (int)result.exp2);
    error = ldexpl((long double)result.error_bound, (int)result.exp2);
    CHECK_SHOW(fabsl(value - exact) <= error + 1e-17L * fabsl(exact), "n %d: %.17g 2^%lld +- %.3g, exact %.17Lg", n,
               result.value, result.exp2, result.error_bound, exact);
    computed++;
    useful += error < 1e-10L * fabsl(exact);
  }
  CHECK_SHOW(computed > 900 && useful > 500, "%d computed, %d useful", computed, useful);
}

/* Band matrices, by a window of 5 columns in long double, whose exponent is wide enough for all of it. */
static long double oracle_band(int n, const double *v) /* v[5 i + k] at row i, column i + k - 2 */
{
  long double sum[32], next[32];
  int i, k, set;
  memset(sum, 0, sizeof sum);
  sum[3] = 1; /* bits: columns i - 2..i + 2 are used; those left of the matrix count as used */
  for (i = 0; i < n; i++) {
    memset(next, 0, sizeof next);
    for (set = 0; set < 32; set++)
      for (k = 0; k < 5; k++)
        if (sum[set] != 0 && !(set >> k & 1) && i + k - 2 < n && ((set | 1 << k) & 1))
          next[(set | 1 << k) >> 1] += sum[set] * v[5 * i + k];
    memcpy(sum, next, sizeof sum);
  }
  return sum[3];
}

/* Lists are rescaled on the way: the permanents leave the range of double, upwards and downwards. */
TEST(t_sparse_long_bands)
{
  enum { ORDER = 1500 };
  static double v[5 * ORDER], moduli[5 * ORDER], real[5 * ORDER];
  static int row[5 * ORDER], column[5 * ORDER];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  int trial, i, k, far = 0;
  for (trial = 0; trial < 6; trial++) {
    perm_matrix matrix;
    perm_result result;
    long double exact, scale, value, error;
    size_t used = 0;
    for (i = 0; i < ORDER; i++)
      for (k = 0; k < 5; k++) {
        double x = trial % 3 == 0 ? 1 : (trial < 3 ? 0.8 : 0.2) + test_uniform(); /* signs: less to cancel */
        if (trial % 3 == 2) /* a leading diagonal that shrinks every product */
          x = k == 2 ? 0.5 : 0.005 * x;
        v[5 * i + k] = trial >= 3 && test_below(3) == 0 ? -x : x;
        moduli[5 * i + k] = x;
        if (i + k >= 2 && i + k - 2 < ORDER) {
          row[used] = i;
          column[used] = i + k - 2;
          real[used++] = v[5 * i + k];
        }
      }
    exact = oracle_band(ORDER, v);
    scale = oracle_band(ORDER, moduli);
    perm_matrix_from_triplets(ORDER, ORDER, used, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    perm_matrix_free(&matrix);
    value = ldexpl((long double)result.value, (int)result.exp2);
    error = ldexpl((long double)result.error_bound, (int)result.exp2);
    CHECK_SHOW(fabsl(value - exact) <= error + 1e-15L * scale, "trial %d: %.17g 2^%lld +- %.3g, exact %.17Lg", trial,
               result.value, result.exp2, result.error_bound, exact);
    CHECK_SHOW(error <= 1e-11L * scale || (result.exp2 == 0 && 1e-12L * scale > 1e307L) || /* no double for the error */
                   /* scaled apart from what bounds it, the value has its digits instead */
                   (fabsl(exact) < 1e-100L * scale && fabsl(value - exact) <= 1e-9L * fabsl(exact)),
               "trial %d: %.17g 2^%lld +- %.3g, sum of moduli %Lg", trial, result.value, result.exp2,
               result.error_bound, scale);
    far += result.exp2 != 0;
  }
  CHECK_SHOW(far >= 4, "%d", far); /* without signs, and those with a leading diagonal: beyond 2^+-1074 */
}

TEST(t_sparse_engines_agree)
{
  double a[144];
  int trial, i, method;
  for (trial = 0; trial < 60; trial++) {
    int n = 2 + test_below(9);
    perm_matrix matrix;
    double value = 0, error = 0;
    for (i = 0; i < n * n; i++)
      a[i] = test_below(3) || i / n == i % n ? test_uniform() : 0;
    perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL);
    for (method = PERM_METHOD_AUTO; method <= PERM_METHOD_FRONTIER;
         method = method == PERM_METHOD_EXPANSION ? PERM_METHOD_FRONTIER : method + 1) {
      perm_options options = t_sparse_options((perm_method)method, PERM_PRECISION_DEFAULT);
      perm_result result;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      if (method == PERM_METHOD_AUTO) {
        value = result.value;
        error = result.error_bound < 1e300 ? result.error_bound : result.error_estimate;
      }
      CHECK_SHOW(fabs(result.value - value) <= error + 4 * result.error_estimate, "%s: %.17g, auto %.17g",
                 perm_name("method", (perm_method)method), result.value, value);
    }
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
