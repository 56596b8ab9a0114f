/* >>rook >>lanes: rook numbers against submatrices one by one, closed
   forms, between engines. */

#define T_ROOK_MAX 24

static perm_status t_rook_of(int m, int n, const double *a, perm_method method, perm_integer *numbers,
                             perm_result *result)
{
  perm_options options = t_sparse_options(method, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_status status;
  CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL) == PERM_OK);
  status = perm_rook_numbers(&matrix, &options, numbers, result);
  perm_matrix_free(&matrix);
  return status;
}

/* Adds to sum[k]: rows from `row` on get a rook in a free column, or none. */
static void t_rook_expand(int m, int n, const double *a, int row, unsigned used, int k, int64_t product, int64_t *sum)
{
  int j;
  if (row == m) {
    sum[k] += product;
    return;
  }
  t_rook_expand(m, n, a, row + 1, used, k, product, sum);
  for (j = 0; j < n; j++)
    if (!(used >> j & 1) && a[row * n + j] != 0)
      t_rook_expand(m, n, a, row + 1, used | 1u << j, k + 1, product * (int64_t)a[row * n + j], sum);
}

static int t_rook_is(const perm_integer *number, int64_t value)
{
  int64_t x = 0;
  return inside_int64(number, &x) && x == value;
}

TEST(t_rook_matches_expansion)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_FRONTIER, PERM_METHOD_EXACT};
  perm_integer numbers[8];
  perm_result result;
  double a[49];
  int trial, k;
  for (trial = 0; trial < 3000; trial++) {
    const int m = test_below(7), n = test_below(7), size = m < n ? m : n, zeros = test_below(10);
    int64_t sum[8] = {0};
    int t;
    for (k = 0; k < m * n; k++)
      a[k] = test_below(10) < zeros ? 0 : trial & 1 ? 1 : test_below(19) - 9;
    t_rook_expand(m, n, a, 0, 0, 0, 1, sum);
    for (t = 0; t < 3; t++) {
      CHECK_SHOW(t_rook_of(m, n, a, methods[t], numbers, &result) == PERM_OK, "%s", result.message);
      for (k = 0; k <= size; k++)
        CHECK_SHOW(t_rook_is(&numbers[k], sum[k]), "%d x %d, r_%d, method %d", m, n, k, (int)methods[t]);
      CHECK(result.exact && result.error_bound == 0 && t_rook_is(&result.integer, sum[size]));
    }
  }
}

/* A full board has C(m, k) C(n, k) k!. */
TEST(t_rook_full_boards)
{
  perm_integer numbers[T_ROOK_MAX + 1];
  perm_result result;
  double a[12 * 14];
  int m, n, k;
  for (k = 0; k < 12 * 14; k++)
    a[k] = 1;
  for (m = 0; m <= 12; m++)
    for (n = m; n <= 14; n += 2) {
      int64_t expected = 1;
      CHECK(t_rook_of(m, n, a, PERM_METHOD_AUTO, numbers, &result) == PERM_OK);
      for (k = 0; k <= m; k++) {
        CHECK(t_rook_is(&numbers[k], expected));
        expected = expected * (m - k) / (k + 1) * (n - k) + expected * (m - k) % (k + 1) * (n - k) / (k + 1);
      }
    }
}

/* Goldman, Joichi, White: of a Ferrers board with rows b_1 <= .. <= b_n of n columns, sum r_k x (x-1) .. (x-n+k+1) is
   the product of x + b_i - i + 1. */
TEST(t_rook_ferrers_boards)
{
  perm_integer numbers[T_ROOK_MAX + 1];
  perm_result result;
  double a[64];
  int trial, i, j, k, x;
  for (trial = 0; trial < 40; trial++) {
    const int n = 1 + test_below(8);
    int b[8];
    for (i = 0; i < n; i++)
      b[i] = test_below(n + 1);
    for (i = 0; i < n; i++)
      for (j = i + 1; j < n; j++)
        if (b[j] < b[i]) {
          const int keep = b[i];
          b[i] = b[j];
          b[j] = keep;
        }
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = j < b[i];
    CHECK(t_rook_of(n, n, a, trial & 1 ? PERM_METHOD_FRONTIER : PERM_METHOD_EXACT, numbers, &result) == PERM_OK);
    for (x = 0; x <= n; x++) {
      int64_t left = 0, right = 1, r = 0;
      for (i = 0; i < n; i++)
        right *= x + b[i] - i;
      for (k = 0; k <= n; k++) {
        int64_t falling = 1;
        for (i = 0; i < n - k; i++)
          falling *= x - i;
        CHECK(inside_int64(&numbers[k], &r));
        left += r * falling;
      }
      CHECK(left == right);
    }
  }
}

/* Two engines, several words: long entries, both shapes; a modulus takes the residues. */
TEST(t_rook_engines_agree)
{
  static const uint64_t modulus[] = {2, 10, 1000003};
  perm_integer one[T_ROOK_MAX + 1], other[T_ROOK_MAX + 1];
  perm_result result;
  double a[12 * 12];
  int trial, k, t;
  for (trial = 0; trial < 12; trial++) {
    const int m = 6 + test_below(6), n = 6 + test_below(6), size = m < n ? m : n;
    const double scale = ldexp(1, 4 * trial);
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    for (k = 0; k < m * n; k++)
      a[k] = test_below(3) ? floor(scale * (test_uniform() - 0.5)) : 0;
    CHECK(t_rook_of(m, n, a, PERM_METHOD_FRONTIER, one, &result) == PERM_OK);
    CHECK_SHOW(t_rook_of(m, n, a, PERM_METHOD_EXACT, other, &result) == PERM_OK, "%s", result.message);
    CHECK(!memcmp(one, other, ((size_t)size + 1) * sizeof *one));
    CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    for (t = 0; t < 6; t++) { /* also such as factorials have no inverse for */
      options.method = t & 1 ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
      options.modulus = modulus[t / 2];
      CHECK(perm_rook_numbers(&matrix, &options, other, &result) == PERM_OK && result.modulus == options.modulus);
      for (k = 0; k <= size; k++)
        CHECK(oracle_modulo(&other[k], UINT64_C(1) << 62) == oracle_modulo(&one[k], options.modulus));
    }
    perm_matrix_free(&matrix);
  }
}

/* A ladder of 300 rows: long and narrow; r_k of two entries a row, C(2m - k, k) for the path. */
TEST(t_rook_paths)
{
  static perm_integer numbers[301];
  perm_matrix matrix;
  perm_result result;
  int row[599], column[599], i;
  for (i = 0; i < 599; i++) {
    row[i] = i / 2;
    column[i] = (i + 1) / 2;
  }
  CHECK(perm_matrix_from_triplets(300, 300, 599, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                  NULL) == PERM_OK);
  CHECK_SHOW(perm_rook_numbers(&matrix, NULL, numbers, &result) == PERM_OK, "%s", result.message);
  CHECK(t_rook_is(&numbers[1], 599) && t_rook_is(&numbers[2], 598 * 597 / 2) && t_rook_is(&numbers[300], 1));
  CHECK(t_rook_is(&numbers[299], INT64_C(301) * 300 / 2));
  perm_matrix_free(&matrix);
}

/* The cycle of 2 n vertices, n rows and n columns, has 2n / (2n - k) C(2n - k, k) matchings of k edges. */
TEST(t_rook_cycles)
{
  perm_integer numbers[T_ROOK_MAX + 1];
  perm_result result;
  double a[T_ROOK_MAX * T_ROOK_MAX];
  int n, i, k;
  for (n = 2; n <= T_ROOK_MAX; n++) {
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i++)
      a[i * n + i] = a[i * n + (i + 1) % n] = 1;
    CHECK(t_rook_of(n, n, a, PERM_METHOD_FRONTIER, numbers, &result) == PERM_OK);
    for (k = 0; k <= n && n > 2; k++) {
      int64_t choose = 1;
      for (i = 1; i <= k; i++)
        choose = choose * (2 * n - k - k + i) / i;
      CHECK_SHOW(t_rook_is(&numbers[k], choose * 2 * n / (2 * n - k)), "n %d, k %d", n, k);
    }
  }
}

/* Boards beside each other and empty lines: polynomials multiply. */
TEST(t_rook_components)
{
  perm_integer numbers[2][T_ROOK_MAX + 1], both[T_ROOK_MAX + 1];
  perm_result result;
  int trial, k, i, j;
  for (trial = 0; trial < 200; trial++) {
    const int m = 1 + test_below(5), n = 1 + test_below(5), size = m < n ? m : n;
    double a[2][25], a_both[12 * 14];
    memset(a_both, 0, sizeof a_both);
    for (k = 0; k < 2; k++) {
      for (i = 0; i < m * n; i++)
        a[k][i] = test_below(3) ? test_below(7) - 3 : 0;
      for (i = 0; i < m; i++)
        for (j = 0; j < n; j++)
          a_both[(k * (m + 1) + i) * 14 + 2 * j + k] = a[k][i * n + j]; /* columns interleaved */
      CHECK(t_rook_of(m, n, a[k], PERM_METHOD_EXACT, numbers[k], &result) == PERM_OK);
    }
    CHECK(t_rook_of(12, 14, a_both, PERM_METHOD_FRONTIER, both, &result) == PERM_OK);
    for (k = 0; k <= 12; k++) {
      int64_t sum = 0, x, y;
      for (i = 0; i <= k && i <= size; i++)
        if (k - i <= size && inside_int64(&numbers[0][i], &x) &&
            inside_int64(&numbers[1][k - i], &y))
          sum += x * y;
      CHECK_SHOW(t_rook_is(&both[k], sum), "r_%d of %d x %d twice", k, m, n);
    }
  }
}

/* Sparse boards of one part or several, with empty lines and of either shape: trees with joins and paths, one word or
   several primes, against the other engine. */
TEST(t_rook_sparse_boards)
{
  perm_integer one[T_ROOK_MAX + 1], other[T_ROOK_MAX + 1];
  perm_result result;
  double a[14 * 18];
  int trial, k;
  for (trial = 0; trial < 40; trial++) {
    const int m = 8 + test_below(7), n = 8 + test_below(11), size = m < n ? m : n, filled = 8 + 4 * test_below(10);
    const double most = ldexp(1, 5 * test_below(6));
    memset(a, 0, sizeof a);
    for (k = 0; k < filled; k++)
      a[test_below(m - 1) * n + test_below(n - 1)] = trial & 1 ? 1 : floor(most * (2 * test_uniform() - 1));
    CHECK(t_rook_of(m, n, a, PERM_METHOD_FRONTIER, one, &result) == PERM_OK);
    CHECK_SHOW(t_rook_of(m, n, a, PERM_METHOD_EXACT, other, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(!memcmp(one, other, ((size_t)size + 1) * sizeof *one), "trial %d: %d x %d", trial, m, n);
  }
}

/* Blocks and primes in many parts, for every instruction set and number of threads; entries of one bit to 40. */
TEST(t_rook_families_and_threads)
{
  static const perm_isa isas[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512};
  static const int rows[] = {16, 17, 18, 19, 22}, columns[] = {18, 18, 18, 14, 22}, bits[] = {0, 3, 20, 40, 2};
  static double a[22 * 22];
  perm_integer expected[T_ROOK_MAX + 1], numbers[T_ROOK_MAX + 1];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  perm_result result;
  int trial, k;
  for (trial = 0; trial < 5; trial++) { /* the last, a band, has many values a set when it is wide */
    const double most = ldexp(1, bits[trial]);
    const int m = rows[trial], n = columns[trial];
    perm_matrix matrix;
    for (k = 0; k < m * n; k++) {
      if (trial == 4 ? abs(k / n - k % n) > 8 : test_below(3))
        a[k] = 0;
      else
        a[k] = trial ? floor(most * (2 * test_uniform() - 1)) : 1;
    }
    CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    CHECK_SHOW(t_rook_of(m, n, a, PERM_METHOD_EXACT, expected, &result) == PERM_OK, "%s", result.message);
    for (k = 0; k < 4; k++) {
      options.isa = isas[k % 3];
      options.threads = 1 + k;
      if (!permi_isa_here(options.isa))
        continue;
      CHECK_SHOW(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_OK, "%s", result.message);
      CHECK(result.isa == options.isa && result.method == PERM_METHOD_FRONTIER);
      CHECK_SHOW(!memcmp(numbers, expected, ((size_t)(m < n ? m : n) + 1) * sizeof *numbers), "trial %d, isa %d", trial,
                 (int)options.isa);
    }
    perm_matrix_free(&matrix);
  }
}

static int t_rook_cancels(const perm_progress *progress, void *data)
{
  (void)progress;
  (void)data;
  return 1;
}

TEST(t_rook_refuses)
{
  static const double half[] = {0.5, 1, 1, 1, 1};
  static double ones[22 * 22];
  perm_integer numbers[23];
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  const int64_t least = -INT64_MAX;
  perm_matrix matrix, long_entry;
  perm_result result;
  int k;
  volatile int cancel = 1;
  CHECK(t_rook_of(2, 2, half, PERM_METHOD_AUTO, numbers, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "r_k is d^k times as large");
  long_entry = t_sparse_integers(1, &least);
  options.method = PERM_METHOD_EXACT;
  CHECK(perm_rook_numbers(&long_entry, &options, numbers, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "method exact takes entries below 2^62");
  options.method = PERM_METHOD_FRONTIER;
  CHECK(perm_rook_numbers(&long_entry, &options, numbers, &result) == PERM_OK && t_rook_is(&numbers[1], least));
  perm_matrix_free(&long_entry);
  CHECK(t_rook_of(2, 2, half + 1, PERM_METHOD_RYSER, numbers, &result) == PERM_ERROR_OPTION);
  CHECK(perm_rook_numbers(NULL, NULL, numbers, &result) == PERM_ERROR_NULL && result.argument == 1);
  for (k = 0; k < 22 * 22; k++)
    ones[k] = 1;
  CHECK(perm_matrix_from_dense(22, 22, ones, 22, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_rook_numbers(&matrix, NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 3);
  options.max_bytes = 1e6;
  CHECK(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_ERROR_LIMIT);
  options.max_bytes = 0;
  for (k = 0; k < 2; k++) { /* the shorter limit is one for the search, too, and what it finds takes longer */
    options.max_seconds = k ? 0.5 : 1e-3;
    CHECK(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_ERROR_LIMIT);
  }
  options.max_seconds = 0;
  options.cancel = &cancel;
  CHECK(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_STOPPED_CANCELLED);
  options.cancel = NULL;
  options.progress = t_rook_cancels;
  CHECK(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_STOPPED_CANCELLED);
  perm_matrix_free(&matrix);
}

static void *t_rook_allocate(size_t bytes, void *largest)
{
  *(size_t *)largest = bytes > *(size_t *)largest ? bytes : *(size_t *)largest;
  return bytes < 1000000000 ? malloc(bytes) : NULL;
}

static void t_rook_release(void *pointer, void *largest)
{
  (void)largest;
  free(pointer);
}

static int t_rook_ends(const perm_progress *progress, void *data)
{
  (void)data;
  return progress->seconds > 0.5;
}

/* Without max_bytes a frontier of terabytes gives way to values at points before it is allocated. */
TEST(t_rook_default_bytes)
{
  static double a[40 * 40];
  static perm_integer numbers[41];
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  size_t largest = 0;
  perm_result result;
  perm_matrix matrix;
  for (int k = 0; k < 40 * 40; k++)
    a[k] = test_below(100) < 35;
  CHECK(perm_matrix_from_dense(40, 40, a, 40, NULL, &matrix, NULL) == PERM_OK);
  options.allocator = (perm_allocator){t_rook_allocate, t_rook_release, &largest};
  options.progress = t_rook_ends;
  const perm_status status = perm_rook_numbers(&matrix, &options, numbers, &result);
  CHECK_SHOW(status == PERM_STOPPED_CANCELLED, "%s", result.message);
  CHECK_SHOW(largest < 1000000000, "%.3g bytes", (double)largest);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
