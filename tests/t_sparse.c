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
  for (trial = 0; trial < 3000; trial++) {
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
      perm_options options = t_sparse_options(method ? PERM_METHOD_FRONTIER : PERM_METHOD_AUTO, PERM_PRECISION_FAST);
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      CHECK_SHOW(t_sparse_within(&result, expected), "trial %d, n %d: %.17g +- %.3g", trial, n, result.value,
                 result.error_bound);
      CHECK(result.error_bound <= 1e-12 * (double)moduli && result.error_estimate <= 1e-12 * (double)moduli);
      exact_nonzero_bounds += result.error_bound > 0;
    }
    perm_matrix_free(&matrix);
  }
  CHECK(nonzero > 1000 && exact_nonzero_bounds > 500);
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
  static const perm_method methods[] = {PERM_METHOD_AUTO,  PERM_METHOD_SUBSETS, PERM_METHOD_REPEATS,
                                        PERM_METHOD_SHORT, PERM_METHOD_RYSER,   PERM_METHOD_EXPANSION};
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
    for (k = 0; k < 6; k++) {
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
      if (m == n && k >= 4)
        continue; /* the square engines of that name: t_sparse_engines_agree */
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK_SHOW(test_within(fabs(result.value - dense.value),
                             result.error_estimate + dense.error_estimate + 1e-13 * fabs(dense.value)),
                 "%d x %d, %s: %g, dense %g", m, n, perm_method_name(methods[k]), result.value, dense.value);
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
TEST(t_sparse_long_permanents_modulo)
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
    CHECK_SHOW(error <= 1e-11L * scale || (result.exp2 == 0 && 1e-12L * scale > 1e307L), /* no double for the error */
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
                 perm_method_name((perm_method)method), result.value, value);
    }
    perm_matrix_free(&matrix);
  }
}

/* A matrix with dead entries, degrees 1 and 2, two blocks: every way through the code allocates. */
static perm_matrix t_sparse_varied(int real)
{
  double a[T_SPARSE_MAX * T_SPARSE_MAX];
  int64_t b[T_SPARSE_MAX * T_SPARSE_MAX];
  perm_matrix matrix;
  int i, j, n = T_SPARSE_MAX;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int in = i < 6 ? j < 6 || j == 13 : i < 12 ? j >= 6 && j < 12 : i == 12 ? j >= 12 : j == 13;
      b[i * n + j] = in ? 1 + (i * 7 + j * 3) % 5 : 0;
      a[i * n + j] = in ? ((i + j) % 3 ? 1 : -1) * (0.3 + (i * 7 + j * 3) % 5) : 0;
    }
  if (real)
    perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL);
  else
    matrix = t_sparse_integers(n, b);
  return matrix;
}

TEST(t_sparse_survives_every_failing_allocation)
{
  int way;
  for (way = 0; way < 4; way++) {
    static const perm_method method[4] = {PERM_METHOD_FRONTIER, PERM_METHOD_FRONTIER, PERM_METHOD_DENSE,
                                          PERM_METHOD_GLYNN};
    perm_matrix matrix = t_sparse_varied(way > 0);
    long k;
    for (k = 1;; k++) {
      t_sparse_memory memory = {0, 0, 0};
      perm_options options = t_sparse_options(method[way], PERM_PRECISION_DEFAULT);
      perm_result result;
      perm_status status;
      memory.fail_at = k;
      options.allocator.allocate = t_sparse_allocate;
      options.allocator.release = t_sparse_release;
      options.allocator.user_data = &memory;
      status = perm_compute_sparse(&matrix, &options, &result);
      CHECK_SHOW(memory.live == 0, "%ld live after failure %ld of way %d", memory.live, k, way);
      if (memory.calls < k) {
        CHECK(status == PERM_OK);
        break;
      }
      CHECK_SHOW(status == PERM_ERROR_MEMORY && result.value != result.value, "failure %ld of way %d: %s", k, way,
                 result.message);
    }
    CHECK(k > (way < 2 ? 40 : 4));
    perm_matrix_free(&matrix);
  }
}

static int t_sparse_cancel_now(const perm_progress *progress, void *user_data)
{
  (void)progress;
  ++*(int *)user_data;
  return 1;
}

TEST(t_sparse_stops_and_refuses)
{
  unsigned char present[64 * 64];
  perm_matrix matrix;
  perm_result result;
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  volatile int cancel = 1;
  int calls = 0;
  perm_job *job;
  perm_partial partial, before;
  memset(present, 1, sizeof present);
  t_sparse_pattern(20, present, &matrix);
  options.cancel = &cancel;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED);
  CHECK(result.error_bound == (double)INFINITY);
  options.cancel = NULL;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && perm_job_leaves(job) == 1);
  { /* a cancelled task leaves its partial alone; then it can be run */
    perm_state *state;
    char text[512];
    memset(&partial, 0, sizeof partial);
    before = partial;
    CHECK(perm_job_explain(job, text, sizeof text) < sizeof text);
    CHECK_TEXT(text, "frontier, order 20");
    CHECK_TEXT(text, "structure: 0 entries");
    CHECK(perm_state_create(job, &state) == PERM_OK);
    options.cancel = &cancel;
    CHECK(perm_job_execute(job, state, &options, &result) == PERM_STOPPED_CANCELLED);
    options.cancel = NULL;
    CHECK(perm_job_execute(job, state, &options, &result) == PERM_OK && result.value == 2432902008176640000.0);
    CHECK(perm_job_run(job, 0, 0, 1, &partial) == PERM_OK && memcmp(&partial, &before, sizeof before));
    CHECK(perm_job_finish(job, &partial, &result) == PERM_OK && result.value == 2432902008176640000.0);
    perm_state_free(state);
  }
  perm_job_free(job);
  options.progress = t_sparse_cancel_now;
  options.user_data = &calls;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK || calls == 1);
  options.progress = NULL;
  options.max_bytes = 100000;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_ERROR_LIMIT && !job);
  CHECK_TEXT(result.message, "max_bytes");
  options.max_bytes = 0;
  options.max_seconds = 1e-6;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "max_seconds");
  options.max_seconds = 0;
  perm_matrix_free(&matrix);
  t_sparse_pattern(44, present, &matrix); /* ones(44): one row and one column, 44 times each */
  CHECK(perm_sparse_job(&matrix, NULL, &job, &result) == PERM_OK);
  {
    perm_leaf leaf;
    CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.method == PERM_METHOD_SUBSETS);
  }
  perm_job_free(job);
  perm_matrix_free(&matrix);
  t_sparse_pattern(64, present, &matrix); /* ones(64): no order fits */
  options.precision = PERM_PRECISION_EXACT;
  options.max_bytes = 1e9;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_ERROR_LIMIT && result.value != result.value);
  perm_matrix_free(&matrix);
}

TEST(t_sparse_declines_by_name)
{
  size_t start[3] = {0, 2, 4};
  int column[4] = {0, 1, 0, 1};
  double real[4] = {1, 2, 3, 4}, imaginary[4] = {0, 0, 0, 0};
  perm_matrix matrix;
  perm_result result;
  perm_options exact = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT), dense, options;
  perm_job *job;
  memset(&matrix, 0, sizeof matrix);
  matrix.n = 3;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && result.value == 1 && result.exact);
  matrix.m = matrix.n = 2;
  matrix.nnz = 4;
  matrix.kind = PERM_KIND_REAL;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK && result.value == 10);
  CHECK(perm_compute_sparse(&matrix, &exact, &result) == PERM_OK && result.exact && result.value == 10);
  real[2] = 0.5;
  CHECK(perm_compute_sparse(&matrix, &exact, &result) == PERM_ERROR_OPTION);
  CHECK_TEXT(result.message, "row 2, column 1");
  CHECK_TEXT(result.message, "0.5");
  real[3] = (double)NAN;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(result.message, "NaN in row 2, column 2");
  real[3] = (double)INFINITY;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_NOT_FINITE);
  real[3] = 4;
  real[2] = 3;
  dense = t_sparse_options(PERM_METHOD_DENSE, PERM_PRECISION_EXACT);
  options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &dense, &result) == PERM_ERROR_OPTION);
  CHECK_TEXT(result.message, "dense");
  column[1] = 0;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_SIZE);
  CHECK_TEXT(result.message, "ascend");
  column[1] = 2;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_SIZE);
  CHECK_TEXT(result.message, "column index 2");
  column[1] = 1;
  start[1] = 5;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_SIZE);
  CHECK_TEXT(result.message, "row_start");
  start[1] = 2;
  matrix.m = 1;
  start[1] = 4;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_SIZE);
  start[1] = 2;
  matrix.nnz = 2;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK); /* one row: the sum of its entries */
  options.method = PERM_METHOD_FRONTIER;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "square matrices");
  matrix.m = 2;
  matrix.nnz = 4;
  matrix.kind = PERM_KIND_COMPLEX;
  matrix.imaginary = imaginary;
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_KAHAN;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "precision kahan is for methods glynn and ryser");
  CHECK(perm_compute_sparse(NULL, NULL, &result) == PERM_ERROR_NULL);
  CHECK(perm_sparse_job(&matrix, NULL, NULL, &result) == PERM_ERROR_NULL);
  matrix.real = NULL;
  matrix.kind = PERM_KIND_REAL;
  CHECK(perm_sparse_job(&matrix, NULL, &job, &result) == PERM_ERROR_NULL && !job);
}

/* The literature's matrices, if they lie beside the repository. value 2^exp2 for doubles, digits when exact. */
static void t_sparse_literature(const char *name, const char *digits, double value, int exp2, double seconds)
{
  char path[256], text[128];
  perm_matrix matrix;
  perm_result result, again;
  snprintf(path, sizeof path, "../shared/matrices/%s.mtx", name);
  if (perm_matrix_read(path, NULL, &matrix, &result) != PERM_OK)
    SKIP("no ../shared/matrices");
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
  if (digits) {
    perm_result_text(&result, text, sizeof text);
    CHECK_SHOW(result.exact && !strcmp(text, digits), "%s", text);
  } else {
    double x = ldexp(result.value, (int)(result.exp2 - exp2));
    CHECK_SHOW(fabs(x / value - 1) <= 1e-13, "%.17g", x);
    CHECK(result.error_bound > 0 && result.error_bound <= 1e-12 * fabs(result.value));
  }
  if (seconds < 1) { /* the same bits every time */
    CHECK(perm_compute_sparse(&matrix, NULL, &again) == PERM_OK);
    CHECK(again.value == result.value && again.error_bound == result.error_bound && again.terms == result.terms);
  }
  perm_matrix_free(&matrix);
}

TEST(t_sparse_bcspwr02) { t_sparse_literature("bcspwr02", "17339123388", 0, 0, .01); }
TEST(t_sparse_mycielskian6) { t_sparse_literature("mycielskian6", "1381724105482686970", 0, 0, .01); }
TEST(t_sparse_mesh1e1) { t_sparse_literature("mesh1e1", NULL, 3.216939136937188753260e32, 0, .01); }
TEST(t_sparse_bcsstk01) { t_sparse_literature("bcsstk01", NULL, 2.298441859319767477e-10, 1269, 3); }

/* Doubles cannot hold 2^53 + 1: the bound says so, in every engine and precision that rounds it. */
TEST(t_sparse_integers_that_round)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_FRONTIER, PERM_METHOD_DENSE, PERM_METHOD_GLYNN,
                                        PERM_METHOD_EXPANSION};
  int n, k, precision, sign;
  for (n = 1; n <= 3; n++)
    for (k = 0; k < 5; k++)
      for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_FAST; precision++)
        for (sign = -1; sign <= 1; sign += 2) {
          int64_t integer[9];
          int row[9], column[9], i;
          perm_matrix matrix;
          perm_result result;
          perm_options options = t_sparse_options(methods[k], (perm_precision)precision);
          long double exact = n == 1 ? 1 : n == 2 ? 2 : 6, z = sign * 9007199254740993.0L, value;
          for (i = 0; i < n * n; i++) {
            row[i] = i / n;
            column[i] = i % n;
            integer[i] = sign * INT64_C(9007199254740993);
          }
          for (i = 0; i < n; i++)
            exact *= z;
          CHECK(perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, NULL, NULL, integer, PERM_KIND_INTEGER,
                                          NULL, &matrix, NULL) == PERM_OK);
          CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
          perm_matrix_free(&matrix);
          value = ldexpl((long double)result.value, (int)result.exp2);
          if (!result.exact)
            CHECK_SHOW(fabsl(value - exact) <= ldexpl((long double)result.error_bound, (int)result.exp2) &&
                           fabsl(value - exact) <= 2 * ldexpl((long double)result.error_estimate, (int)result.exp2),
                       "n=%d %s: off by %Lg, error %g, estimate %g", n, perm_method_name(methods[k]), value - exact,
                       result.error_bound, result.error_estimate);
        }
}

/* The same where the matrix is taken as an array: rectangular, or for the methods over counts. */
TEST(t_sparse_integers_that_round_in_arrays)
{
  static const int row[] = {0, 0, 1, 1, 1}, column[] = {0, 1, 0, 1, 2};
  static const int64_t integer[] = {INT64_C(9007199254740993), 2, INT64_C(9007199254740995), 3, 1};
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_SUBSETS, PERM_METHOD_SHORT, PERM_METHOD_REPEATS,
                                        PERM_METHOD_PADDED};
  int k, n, precision;
  for (k = 0; k < 5; k++)
    for (n = 2; n <= 3; n++) /* without and with the last column */
      for (precision = PERM_PRECISION_FAST; precision <= PERM_PRECISION_DD; precision++) {
        const long double z = integer[0], exact = 3 * z + 2.0L * integer[2] + (n == 3 ? z + 2 : 0);
        perm_options options = t_sparse_options(methods[k], (perm_precision)precision);
        perm_matrix matrix;
        perm_result result;
        long double off;
        CHECK(perm_matrix_from_triplets(2, n, (size_t)n + 2, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL,
                                        &matrix, NULL) == PERM_OK);
        options.tolerance = 1e-25; /* would escalate, to integers that are not those given */
        CHECK(perm_compute_sparse(&matrix, &options, &result) >= PERM_OK);
        off = fabsl(ldexpl((long double)result.value, (int)result.exp2) - exact);
        CHECK_SHOW(result.exact ? n == 2 && k == 0 /* not as an array */
                                : off <= ldexpl((long double)result.error_bound, (int)result.exp2) &&
                                      off <= ldexpl((long double)result.error_estimate, (int)result.exp2),
                   "%s, 2 x %d: exact %d, off by %Lg, error %g, estimate %g", perm_method_name(methods[k]), n,
                   result.exact, off, result.error_bound, result.error_estimate);
        perm_matrix_free(&matrix);
      }
}

/* Blocks that cancel to 0 up to rounding: their product is not known to be 0. */
TEST(t_sparse_zero_blocks_keep_their_error)
{
  enum { BLOCKS = 30 };
  int row[4 * BLOCKS], column[4 * BLOCKS], i;
  double real[4 * BLOCKS];
  perm_matrix matrix;
  perm_result result;
  for (i = 0; i < BLOCKS; i++) {
    int k;
    for (k = 0; k < 4; k++) {
      row[4 * i + k] = 2 * i + k / 2;
      column[4 * i + k] = 2 * i + k % 2;
    }
    real[4 * i] = 0.1;
    real[4 * i + 1] = 1;
    real[4 * i + 2] = -(0.1 * 3);
    real[4 * i + 3] = 3;
  }
  CHECK(perm_matrix_from_triplets(2 * BLOCKS, 2 * BLOCKS, 4 * BLOCKS, row, column, real, NULL, NULL, PERM_KIND_REAL,
                                  NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
  CHECK(!result.exact && (result.value != 0 || result.error_bound > 0));
  /* each is 0.1*3 - fl(0.1*3), not 0: |permanent| = 2^-54.. each, so about 2^-1620 */
  CHECK(result.error_bound > 0 && log2(result.error_bound) + (double)result.exp2 >= -1700);
  CHECK(log2(result.error_bound) + (double)result.exp2 <= -1400);
  perm_matrix_free(&matrix);
}

/* Long bands of any kind are computed, whatever becomes of their bound; hubs do not make planning quadratic. */
TEST(t_sparse_large_structures)
{
  enum { BAND = 5000, ARROW = 20000, ORDER = ARROW };
  static int row[7 * ORDER], column[7 * ORDER];
  static double real[7 * ORDER];
  int kind, i, k;
  for (kind = 0; kind < 3; kind++) {
    const int order = kind < 2 ? BAND : ARROW;
    size_t used = 0;
    perm_matrix matrix;
    perm_result result;
    double start = permi_seconds();
    for (i = 0; i < order; i++)
      for (k = -3; k <= 3; k++)
        if (kind < 2 ? i + k >= 0 && i + k < order : k == 0 || (i > 0 && (k == 1 || k == 2))) {
          row[used] = kind == 2 && k == 2 ? 0 : i;
          column[used] = kind < 2 ? i + k : k == 1 ? 0 : i; /* kind 2: first row, first column, diagonal */
          real[used++] = kind == 1 ? test_uniform() + 1e-3 : 1;
        }
    CHECK(perm_matrix_from_triplets(order, order, used, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix,
                                    NULL) == PERM_OK);
    CHECK_SHOW(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK, "kind %d: %s", kind, result.message);
    CHECK(result.value > 0 && result.error_estimate < 1e-9 * result.value);
    if (kind == 2) { /* diagonal, or one i with (0, i) and (i, 0); lines as long as these are not merged into */
      perm_job *job = NULL;
      char text[4096] = "";
      CHECK(fabs(result.value - order) <= result.error_bound && result.error_bound < 1e-6);
      CHECK(perm_sparse_job(&matrix, NULL, &job, &result) == PERM_OK);
      perm_job_explain(job, text, sizeof text);
      CHECK_TEXT(text, " 0 of degree 2 eliminated");
      CHECK_TEXT(text, "order 20000: width ");
      perm_job_free(job);
    }
    CHECK_SHOW(permi_seconds() - start < 8, "kind %d took %g s", kind, permi_seconds() - start);
    perm_matrix_free(&matrix);
  }
}

/* Named engines take the whole matrix: a zero row or column still gives exactly 0. */
TEST(t_sparse_named_engines_and_zero_lines)
{
  static const perm_method methods[] = {PERM_METHOD_GLYNN, PERM_METHOD_RYSER, PERM_METHOD_EXPANSION, PERM_METHOD_DENSE,
                                        PERM_METHOD_FRONTIER};
  double a[25];
  int k, i, line;
  for (k = 0; k < 5; k++)
    for (line = 0; line < 2; line++) {
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_FAST);
      perm_matrix matrix;
      perm_result result;
      for (i = 0; i < 25; i++)
        a[i] = (line ? i / 5 : i % 5) == 3 ? 0 : 0.5 + i;
      CHECK(perm_matrix_from_dense(5, 5, a, 5, NULL, &matrix, NULL) == PERM_OK);
      CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
      CHECK(result.value == 0 && result.exact && result.error_bound == 0 && result.method == PERM_METHOD_STRUCTURE);
      perm_matrix_free(&matrix);
    }
}

/* fast escalates to default when a tolerance asks for it, and says when that is not enough. */
TEST(t_sparse_escalates)
{
  double a[14 * 14];
  int i;
  perm_options options = t_sparse_options(PERM_METHOD_DENSE, PERM_PRECISION_FAST);
  perm_matrix matrix;
  perm_result result;
  for (i = 0; i < 14 * 14; i++)
    a[i] = 2 * test_uniform() - 1;
  CHECK(perm_matrix_from_dense(14, 14, a, 14, NULL, &matrix, NULL) == PERM_OK);
  options.tolerance = 1e-17;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_TOLERANCE_NOT_MET);
  CHECK(result.escalated == 3 && result.precision == PERM_PRECISION_DD && result.error_estimate < (double)INFINITY);
  options.tolerance = 1e-6;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.escalated == 0);
  CHECK(result.precision == PERM_PRECISION_FAST);
  perm_matrix_free(&matrix);
}

/* ---- complex matrices, higher precisions, certified bounds */

/* Entries of a dense complex array as a sparse matrix, zeros left out; n up to 100. */
static perm_matrix t_sparse_complex_matrix(int n, const double *a)
{
  static int row[10000], column[10000];
  static double real[10000], imaginary[10000];
  perm_matrix matrix;
  perm_result result;
  size_t nnz = 0;
  int i;
  for (i = 0; i < n * n; i++)
    if (a[2 * i] != 0 || a[2 * i + 1] != 0) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      real[nnz] = a[2 * i];
      imaginary[nnz++] = a[2 * i + 1];
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL, &matrix,
                                  &result) == PERM_OK);
  return matrix;
}

/* Sparse patterns of any structure: within the error and the estimate of exact arithmetic, by every method and
   precision, and as the dense call computes them. */
TEST(t_sparse_complex_matches_exact_arithmetic)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER,
                                        PERM_METHOD_EXPANSION};
  double a[2 * 11 * 11];
  int trial, i, k, finite = 0, zeros = 0;
  for (trial = 0; trial < 60; trial++) {
    int n = 2 + trial % 9, precision;
    oracle_exact exact;
    perm_matrix matrix;
    for (i = 0; i < n * n; i++) {
      int there = test_uniform() < (trial % 3 ? 2.5 / n : 0.6) || i / n == (i % n + trial) % n;
      a[2 * i] = there && test_below(4) ? 2 * test_uniform() - 1 : 0;
      a[2 * i + 1] = there && test_below(4) ? 2 * test_uniform() - 1 : 0;
    }
    exact = oracle_exact_make(2, n, a);
    matrix = t_sparse_complex_matrix(n, a);
    for (k = 0; k < 5; k++)
      for (precision = 0; precision < PERM_PRECISION_EXACT; precision++) {
        int scalar = methods[k] == PERM_METHOD_GLYNN || methods[k] == PERM_METHOD_RYSER;
        perm_options options = t_sparse_options(methods[k], (perm_precision)precision);
        perm_result r;
        double error;
        options.certify = methods[k] < PERM_METHOD_GLYNN && trial & 1;
        if (scalar ? precision == PERM_PRECISION_ACCURATE : precision == PERM_PRECISION_KAHAN) {
          CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 2);
          continue;
        }
        CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s", r.message);
        error = oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2);
        CHECK_SHOW(r.is_complex && error <= r.error_bound * (1 + 1e-14) &&
                       test_within(error, r.error_estimate * (1 + 1e-14) + 1e-300),
                   "n=%d trial %d %s %s: error %g, bound %g, estimate %g", n, trial, perm_method_name(methods[k]),
                   perm_precision_name((perm_precision)precision), error, r.error_bound, r.error_estimate);
        finite += r.error_bound < (double)INFINITY;
        zeros += r.exact;
        if (options.certify || r.precision == PERM_PRECISION_DD)
          CHECK_SHOW(r.error_bound < (double)INFINITY || methods[k] > PERM_METHOD_DENSE, "n=%d trial %d %s", n, trial,
                     perm_method_name(methods[k]));
        if (r.exact)
          CHECK(error == 0 && r.value == 0 && r.imaginary == 0 && r.error_bound == 0);
      }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK(finite > 300 && zeros > 10);
}

/* Blocks multiply, whatever the order; degree-one rows go into the constant; beyond order 64 only a block matters. */
TEST(t_sparse_complex_blocks)
{
  static double a[2 * 80 * 80];
  double b[3][2 * 49], re = 1, im = 0;
  const int size[3] = {7, 5, 3};
  perm_matrix matrix;
  perm_options options;
  perm_result r, s;
  perm_job *job;
  char text[400];
  int k, i, j, at = 0, n = 80;
  memset(a, 0, sizeof a);
  for (k = 0; k < 3; k++) {
    double was = re;
    complex_random(size[k], b[k]);
    for (i = 0; i < size[k]; i++)
      for (j = 0; j < size[k]; j++) {
        int to = ((at + i) * n + (at + j) * 7 % n) * 2; /* columns permuted: 7 and 80 have no common divisor */
        a[to] = b[k][(i * size[k] + j) * 2];
        a[to + 1] = b[k][(i * size[k] + j) * 2 + 1];
      }
    at += size[k];
    s = complex_compute(size[k], b[k], PERM_METHOD_AUTO, PERM_ISA_AUTO, PERM_PRECISION_DD);
    re = was * s.value - im * s.imaginary;
    im = was * s.imaginary + im * s.value;
  }
  for (; at < n; at++) { /* the diagonal i, and entries beside it that are in no perfect matching */
    a[(at * n + at * 7 % n) * 2 + 1] = 1;
    if (at > 20)
      a[(at * n + (at - 3) * 7 % n) * 2] = 5;
  }
  { /* i^65 = i */
    double was = re;
    re = -im;
    im = was;
  }
  matrix = t_sparse_complex_matrix(n, a);
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.is_complex);
  CHECK_SHOW(hypot(r.value - re, r.imaginary - im) <= 1e-13 * hypot(re, im), "%.17g%+.17gi, %.17g%+.17gi", r.value,
             r.imaginary, re, im);
  options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DD);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.precision == PERM_PRECISION_DD);
  CHECK(r.error_bound <= 1e-15 * hypot(re, im) && hypot(r.value - re, r.imaginary - im) <= 2e-15 * hypot(re, im));
  CHECK(perm_sparse_job(&matrix, NULL, &job, &s) == PERM_OK && perm_job_leaves(job) == 3);
  perm_job_explain(job, text, sizeof text);
  CHECK_TEXT(text, "3 blocks left");
  perm_job_free(job);
  options = t_sparse_options(PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT);
  CHECK_TEXT(r.message, "a block of order 80 is too large for method glynn, which takes at most 64");
  perm_matrix_free(&matrix);
  for (i = 0; i < n; i++) { /* one ring of order 80: a block too large */
    memset(a + 2 * i * n, 0, 2 * (size_t)n * sizeof *a);
    a[(i * n + i) * 2] = a[(i * n + (i + 1) % n) * 2 + 1] = a[(i * n + (i + 5) % n) * 2] = 1;
  }
  matrix = t_sparse_complex_matrix(n, a);
  options = t_sparse_options(PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT && isnan(r.imaginary));
  CHECK_TEXT(r.message, "a block of order 80");
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.method != PERM_METHOD_DENSE);
  CHECK_SHOW(r.error_bound < 1e-6 * hypot(r.value, r.imaginary), "%g%+gi +- %g", r.value, r.imaginary, r.error_bound);
  perm_matrix_free(&matrix);
  for (i = 2; i < 5; i++) { /* three rows with entries in two columns: no perfect matching */
    memset(a + 2 * i * n, 0, 2 * (size_t)n * sizeof *a);
    a[(i * n + 1) * 2] = a[(i * n + 2) * 2 + 1] = i;
  }
  matrix = t_sparse_complex_matrix(n, a);
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK && r.exact && r.value == 0 && r.imaginary == 0);
  CHECK(r.is_complex && r.method == PERM_METHOD_STRUCTURE && perm_result_text(&r, text, sizeof text) == 4);
  perm_matrix_free(&matrix);
}

/* A hand-made complex matrix may be anything. */
TEST(t_sparse_complex_arguments)
{
  size_t start[3] = {0, 2, 4};
  int column[4] = {0, 1, 0, 1};
  double real[4] = {1, 2, 3, 4}, imaginary[4] = {5, 6, 7, 8};
  perm_matrix matrix;
  perm_result r;
  memset(&matrix, 0, sizeof matrix);
  matrix.m = matrix.n = 2;
  matrix.nnz = 4;
  matrix.kind = PERM_KIND_COMPLEX;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
  matrix.imaginary = imaginary;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK);
  CHECK(fabs(r.value - (1 * 4 - 5 * 8 + 2 * 3 - 6 * 7)) < 1e-13 && fabs(r.imaginary - (8 + 20 + 14 + 18)) < 1e-13);
  imaginary[2] = (double)NAN;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NOT_FINITE && r.argument == 1);
  CHECK_TEXT(r.message, "NaN in row 2, column 1");
  imaginary[2] = 7;
  real[1] = -(double)INFINITY;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(r.message, "an infinity in row 1, column 2");
  real[1] = 2;
  matrix.imaginary = NULL;
  CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_ERROR_NULL);
  CHECK_TEXT(r.message, "imaginary is NULL");
}

/* Real matrices: certify keeps degree-two rows as they are given, so that the bound stays a theorem and finite; the
   higher precisions take the dense engine for every block. Truth is exact. */
TEST(t_sparse_certified)
{
  double a[12 * 12];
  int trial, i, way, reduced = 0, finite = 0;
  for (trial = 0; trial < 60; trial++) {
    int n = 4 + trial % 9;
    perm_matrix matrix;
    oracle_exact exact;
    perm_result r;
    for (i = 0; i < n * n; i++) {
      int row = i / n, by = (i % n - row + n) % n; /* many rows with two entries */
      a[i] = by == 0 || by == 1 || (row % 3 == 0 && test_uniform() < 0.5) ? 2 * test_uniform() - 1 : 0;
      if (trial % 4 == 3 && a[i] != 0)
        a[i] = ldexp(a[i], test_below(1200) - 600);
    }
    exact = oracle_exact_make(1, n, a);
    CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &r) == PERM_OK);
    for (way = 0; way < 6; way++) {
      static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT,  PERM_PRECISION_DEFAULT, PERM_PRECISION_DD,
                                                  PERM_PRECISION_ACCURATE, PERM_PRECISION_FAST,
                                                  PERM_PRECISION_ACCURATE};
      perm_options options = t_sparse_options(way & 1 ? PERM_METHOD_DENSE : PERM_METHOD_AUTO, precisions[way]);
      double error;
      options.certify = way != 2 && way != 5;
      CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK);
      error = oracle_exact_distance(&exact, r.value, 0, r.exp2);
      CHECK_SHOW(error <= r.error_bound * (1 + 1e-14), "n=%d trial %d way %d: error %g, bound %g, value %g", n, trial,
                 way, error, r.error_bound, r.value);
      finite += r.error_bound < (double)INFINITY;
      CHECK_SHOW(way == 5 || trial % 4 == 3 || r.error_bound < (double)INFINITY, "n=%d trial %d way %d %s", n, trial,
                 way, perm_method_name(r.method));
      if (trial % 4 != 3)
        CHECK(way == 5 || r.error_bound <= 1e-10 * fabs(r.value));
      if (way == 2 || way == 3)
        CHECK_SHOW(r.precision == PERM_PRECISION_DD, "%s", perm_precision_name(r.precision));
      if (way == 5 && trial % 4 != 3)
        CHECK(error <= 3.2e-16 * fabs(r.value));
    }
    CHECK(perm_compute_sparse(&matrix, NULL, &r) == PERM_OK);
    CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= fmin(r.error_bound, r.error_estimate) * (1 + 1e-14));
    {
      perm_job *job;
      char text[400];
      CHECK(perm_sparse_job(&matrix, NULL, &job, &r) == PERM_OK);
      perm_job_explain(job, text, sizeof text);
      reduced += strstr(text, " 0 of degree 2") == NULL;
      perm_job_free(job);
    }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite > 260, "%d finite bounds", finite); /* graded ones may have entries lost to the scaling */
  CHECK_SHOW(reduced > 30, "%d matrices had rows of degree two", reduced);
}

/* Row 0 = (1, 1, 0, ..) and columns 0 and 1 opposite below: merging them cancels to zeros in doubles. The permanent is
   0, and no engine says otherwise. */
TEST(t_sparse_merges_that_cancel)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_FRONTIER};
  double a[20 * 20];
  int n, i, k;
  for (n = 6; n <= 20; n += 7)
    for (k = 0; k < 3; k++) {
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
      perm_matrix matrix;
      perm_result result;
      for (i = 0; i < n * n; i++)
        a[i] = i < n ? i < 2 : i % n == 1 ? -a[i - 1] : 0.5 + test_uniform();
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
      CHECK(perm_compute_sparse(&matrix, &options, &result) >= PERM_OK);
      CHECK_SHOW(fabs(result.value) <= result.error_estimate && fabs(result.value) <= 1e-10 * pow(n, n),
                 "n=%d %s: %g +- %g", n, perm_method_name(result.method), result.value, result.error_estimate);
      perm_matrix_free(&matrix);
    }
}
