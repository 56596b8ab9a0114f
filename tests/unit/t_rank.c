/* >>rank >>residues: arrays of small rank, found without being told, against other engines, closed forms and the same
   matrices with one entry changed. */

#define T_RANK_MOST 128

/* A product of thin factors with entries from -range to range; parts 2: Gaussian. */
static void t_rank_fill(int n, int rank, int parts, int range, int64_t *a)
{
  int64_t u[2 * 5 * T_RANK_MOST], v[2 * 5 * T_RANK_MOST];
  int i, j, t;
  for (i = 0; i < rank * n * parts; i++) {
    u[i] = test_below(2 * range + 1) - range;
    v[i] = test_below(2 * range + 1) - range;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int64_t re = 0, im = 0;
      for (t = 0; t < rank; t++) {
        const int64_t *x = u + (i * rank + t) * parts, *y = v + (j * rank + t) * parts;
        re += x[0] * y[0] - (parts == 2 ? x[1] * y[1] : 0);
        im += parts == 2 ? x[0] * y[1] + x[1] * y[0] : 0;
      }
      a[(i * n + j) * parts] = re;
      if (parts == 2)
        a[(i * n + j) * 2 + 1] = im;
    }
}

static perm_status t_rank_compute(int n, int parts, const int64_t *a, const perm_options *options, perm_result *result)
{
  return parts == 2 ? perm_compute_gaussian(n, n, a, n, options, result)
                    : perm_compute_integer(n, n, a, n, options, result);
}

static int t_rank_same(const perm_result *a, const perm_result *b)
{
  return a->exact && b->exact && !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->integer);
}

static perm_status t_rank_matrix(int n, const int64_t *a, perm_matrix *matrix)
{
  int row[30 * 30], column[30 * 30], k;
  for (k = 0; k < n * n; k++) {
    row[k] = k / n;
    column[k] = k % n;
  }
  return perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, NULL, NULL, a, PERM_KIND_INTEGER, NULL, matrix,
                                   NULL);
}

/* Rank 1 to 4 is found and the value is that of method exact; so it is with one entry changed, mostly of rank one more,
   which is not taken for less. The sparse engine sees the same. */
TEST(t_rank_matches_other_engines)
{
  static const uint64_t moduli[] = {3, 5, 2, 7, 11, 4, UINT64_C(9223372036854775783), 13};
  int64_t a[2 * 20 * 20];
  int trial, found[6] = {0}, small = 0;
  for (trial = 0; trial < 160; trial++) {
    const int n = 17 + test_below(3), rank = 1 + trial % 5, parts = 1 + (trial / 5 % 3 == 0);
    perm_options options, exact;
    perm_result result, other, sparse, residue;
    perm_matrix matrix;
    memset(&options, 0, sizeof options);
    options.threads = 1 + test_below(2);
    exact = options;
    exact.method = PERM_METHOD_EXACT;
    t_rank_fill(n, rank, parts, trial % 7 ? 3 : 1000, a);
    if (trial % 4 == 3)
      a[test_below(n * n * parts)] += 1 - 2 * test_below(2);
    CHECK_SHOW(t_rank_compute(n, parts, a, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(t_rank_compute(n, parts, a, &exact, &other) == PERM_OK, "%s", other.message);
    CHECK_SHOW(t_rank_same(&result, &other), "trial %d, order %d, rank %d: %.17g by %s, not %.17g", trial, n, rank,
               result.value, perm_name("method", result.method), other.value);
    if (trial % 4 != 3 && rank < 3)
      CHECK_SHOW(result.method == PERM_METHOD_LOW_RANK || result.value == 0 || rank == 1, "trial %d: %s", trial,
                 perm_name("method", result.method));
    if (rank == 5)
      CHECK(result.method != PERM_METHOD_LOW_RANK);
    found[rank] += result.method == PERM_METHOD_LOW_RANK;
    options.modulus = moduli[trial / 5 % 8]; /* rows that are independent may not be so modulo small primes */
    CHECK_SHOW(t_rank_compute(n, parts, a, &options, &residue) == PERM_OK, "%s", residue.message);
    CHECK_SHOW(oracle_modulo(&residue.integer, options.modulus) == oracle_modulo(&other.integer, options.modulus) &&
                   oracle_modulo(&residue.imaginary_integer, options.modulus) ==
                       oracle_modulo(&other.imaginary_integer, options.modulus),
               "trial %d, order %d, rank %d, modulo %llu", trial, n, rank, (unsigned long long)options.modulus);
    small += residue.method == PERM_METHOD_LOW_RANK;
    options.modulus = 0;
    if (parts == 1) {
      CHECK(t_rank_matrix(n, a, &matrix) == PERM_OK);
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &sparse) == PERM_OK, "%s", sparse.message);
      CHECK(t_rank_same(&sparse, &other));
      perm_matrix_free(&matrix);
    }
  }
  CHECK_SHOW(found[2] > 10 && found[3] > 10 && found[4] > 3 && small > 30, "%d, %d, %d, %d", found[2], found[3],
             found[4], small);
}

/* Modulo primes about the order, where independent rows may depend and factorials nearly vanish, and modulo large ones:
   residues of the exact value. */
TEST(t_rank_residues)
{
  static const uint64_t moduli[] = {11, 13, 17, 19, 23, 29, 31, 12, UINT64_C(4611686018427387847),
                                    UINT64_C(9223372036854775783), UINT64_C(1) << 63};
  int64_t a[40 * 40];
  int trial, k, ran = 0, nonzero = 0;
  for (trial = 0; trial < 60; trial++) {
    const int n = 24 + test_below(14);
    perm_options options;
    perm_result exact, result;
    memset(&options, 0, sizeof options);
    t_rank_fill(n, 2 + trial % 3, 1, 2 + trial % 2, a);
    CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &exact) == PERM_OK, "%s", exact.message);
    for (k = 0; k < 11; k++) {
      options.modulus = moduli[k];
      CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK, "%s", result.message);
      CHECK_SHOW(oracle_modulo(&result.integer, moduli[k]) == oracle_modulo(&exact.integer, moduli[k]),
                 "trial %d, order %d, modulo %llu", trial, n, (unsigned long long)moduli[k]);
      ran += result.method == PERM_METHOD_LOW_RANK;
      nonzero += k < 7 && result.value != 0;
    }
  }
  CHECK_SHOW(ran > 300 && nonzero > 50, "%d ran, %d not 0", ran, nonzero);
}

static int t_rank_in_sample(int n, int i, int j)
{
  int k, row = 0, column = 0;
  for (k = 0; k < PERMI_RANK_SAMPLE; k++) {
    row |= i == k * n / PERMI_RANK_SAMPLE;
    column |= j == k * n / PERMI_RANK_SAMPLE;
  }
  return row && column;
}

/* Equal to a matrix of rank 2 modulo the prime of the sample or, outside the sample, modulo the first of the proof: not
   taken for it. */
TEST(t_rank_is_proved)
{
  static const uint64_t primes[] = {UINT64_C(4611686018427387817), UINT64_C(4611686018427387847)};
  int64_t a[20 * 20];
  int trial, i, j;
  CHECK(PERMI_RANK_PRIME == primes[0] && permi_is_prime(primes[0]));
  CHECK(permi_prime_below(UINT64_C(1) << 62, 0) == primes[1]);
  for (trial = 0; trial < 12; trial++) {
    const int n = 17 + test_below(3);
    perm_options options;
    perm_result result;
    memset(&options, 0, sizeof options);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] =
            i + j - (test_below(3) == 0 && !(trial & 1 && t_rank_in_sample(n, i, j)) ? (int64_t)primes[trial & 1] : 0);
    options.modulus = trial & 2 ? 1000003 : 0;
    CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.method != PERM_METHOD_LOW_RANK, "trial %d", trial);
  }
}

/* n! prod u prod v for rank 1; 0 for skew-symmetric matrices of odd order; a_ij = i + j beyond what sums can. */
TEST(t_rank_closed_forms)
{
  static const uint64_t moduli[] = {2, 3, 6, 101, 1000000007, UINT64_C(4611686018427387847),
                                    UINT64_C(9223372036854775783), UINT64_C(1) << 63};
  const uint64_t p = UINT64_C(9223372036854775783);
  int64_t *a = (int64_t *)malloc(T_RANK_MOST * T_RANK_MOST * sizeof *a);
  enum { T_RANK_LARGE = 1040 };
  static double real[100 * 100], large[T_RANK_LARGE * T_RANK_LARGE];
  perm_options options;
  perm_result result, whole;
  uint64_t expected = 1;
  int n, i, j;
  size_t k;
  memset(&options, 0, sizeof options);
  for (n = 61; n <= 95; n += 17) { /* rank 1, no two lines equal */
    for (expected = 1, i = 0; i < n; i++) {
      for (j = 0; j < n; j++)
        a[i * n + j] = (i + 2) * (int64_t)(3 * j - 100);
      expected = oracle_multiply(expected, (uint64_t)(i + 1) * (uint64_t)(i + 2), p);
      expected = oracle_multiply(expected, 3 * i < 100 ? p - (uint64_t)(100 - 3 * i) : (uint64_t)(3 * i - 100), p);
    }
    CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(oracle_modulo(&result.integer, p) == expected, "order %d: %.17g", n, result.value);
  }
  n = 43;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i * i - j * j;
  CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK, "%s", result.message);
  CHECK(result.method == PERM_METHOD_LOW_RANK && result.exact && result.value == 0);
  n = 100;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i + j;
  CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &whole) == PERM_OK, "%s", whole.message);
  CHECK(whole.method == PERM_METHOD_LOW_RANK && whole.exact);
  for (i = 0; i < n * n; i++)
    real[i] = (double)a[i];
  for (i = 0; i < 2; i++) { /* doubles beyond the dense engines, by name too */
    options.method = i ? PERM_METHOD_LOW_RANK : PERM_METHOD_AUTO;
    CHECK_SHOW(perm_compute_real(n, n, real, n, &options, &result) == PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_LOW_RANK && fabs(result.value / whole.value - 1) < 1e-12);
    CHECK(result.exp2 == whole.exp2);
  }
  options.method = PERM_METHOD_AUTO;
  n = T_RANK_LARGE; /* rank 4, polynomials of (n + 1)^3 coefficients: refused beforehand, with the reason */
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      large[i * n + j] = 1 + i % 13 * (j % 17) + i % 7 * (j % 7 * (j % 7)) + i % 29 * (j % 31 * (j % 3));
  for (i = 0; i < 2; i++) {
    options.method = i ? PERM_METHOD_LOW_RANK : PERM_METHOD_AUTO;
    CHECK(perm_compute_real(n, n, large, n, &options, &result) == PERM_ERROR_LIMIT);
    CHECK_TEXT(result.message, "of rank 4, would need 18.1 GB, over 16 GB: allow more max_bytes");
  }
  options.method = PERM_METHOD_AUTO;
  n = 100;
  { /* sum over how many rows give i: e_k(0 .. n - 1)^2 k! (n - k)! */
    uint64_t e[102] = {1}, sum = 0, factorial[102] = {1};
    for (i = 0; i < n; i++)
      for (j = i + 1; j > 0; j--)
        e[j] = (e[j] + oracle_multiply(e[j - 1], (uint64_t)i, p)) % p;
    for (i = 1; i <= n; i++)
      factorial[i] = oracle_multiply(factorial[i - 1], (uint64_t)i, p);
    for (i = 0; i <= n; i++)
      sum = (sum + oracle_multiply(oracle_multiply(e[i], e[n - i], p),
                                   oracle_multiply(factorial[i], factorial[n - i], p), p)) % p;
    CHECK_SHOW(oracle_modulo(&whole.integer, p) == sum, "%.17g", whole.value);
  }
  for (k = 0; k < sizeof moduli / sizeof moduli[0]; k++) {
    options.modulus = moduli[k];
    CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.method == PERM_METHOD_LOW_RANK && oracle_modulo(&result.integer, moduli[k]) ==
                                                             oracle_modulo(&whole.integer, moduli[k]),
               "modulo %llu", (unsigned long long)moduli[k]);
  }
  free(a);
}

/* Doubles that are whole numbers of a unit of their row and column: rounded once. */
TEST(t_rank_doubles)
{
  int64_t a[2 * 40 * 40];
  double real[2 * 40 * 40];
  int trial, i, j, part, ran = 0;
  for (trial = 0; trial < 60; trial++) {
    const int n = 17 + test_below(24), rank = 2 + test_below(2), parts = 1 + test_below(2), wide = trial % 3 == 0;
    int row[40], column[40];
    long long exp2 = 0;
    perm_options options;
    perm_result exact, result;
    double off, scale;
    memset(&options, 0, sizeof options);
    t_rank_fill(n, rank, parts, 40, a);
    for (i = 0; i < n; i++) {
      row[i] = test_below(wide ? 600 : 20) - (wide ? 300 : 10);
      column[i] = test_below(wide ? 600 : 20) - (wide ? 300 : 10);
      exp2 += row[i] + column[i];
    }
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        for (part = 0; part < parts; part++)
          real[(i * n + j) * parts + part] = ldexp((double)a[(i * n + j) * parts + part], row[i] + column[j]);
    CHECK_SHOW(t_rank_compute(n, parts, a, &options, &exact) == PERM_OK, "%s", exact.message);
    options.certify = test_below(2);
    options.precision = test_below(2) ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
    CHECK_SHOW((parts == 2 ? perm_compute_complex(n, n, real, n, &options, &result)
                           : perm_compute_real(n, n, real, n, &options, &result)) == PERM_OK, "%s", result.message);
    if (exact.method != PERM_METHOD_LOW_RANK || result.method != PERM_METHOD_LOW_RANK)
      continue;
    ran++;
    exact.exp2 += exp2 - result.exp2;
    scale = ldexp(fabs(exact.value) + fabs(exact.imaginary), (int)exact.exp2);
    off = fabs(ldexp(exact.value, (int)exact.exp2) - result.value) +
          fabs(ldexp(exact.imaginary, (int)exact.exp2) - result.imaginary);
    CHECK_SHOW(off <= 2.3e-16 * scale && result.error_bound <= 2.3e-16 * scale, "trial %d: off by %g of %g, bound %g",
               trial, off, scale, result.error_bound);
  }
  CHECK_SHOW(ran > 40, "%d ran", ran);
}

/* More bits than sums hold: the upper ones. Then what is too large, and what is not of small rank. */
TEST(t_rank_sizes)
{
  const int n = T_RANK_MOST;
  double *real = (double *)malloc((size_t)(n * n) * sizeof *real), log_value = 0;
  int64_t *a = (int64_t *)malloc((size_t)(n * n) * sizeof *a);
  perm_options options;
  perm_result result;
  int i, j;
  memset(&options, 0, sizeof options);
  for (i = 0; i < n; i++) { /* rank 1: 48 bits an entry */
    for (j = 0; j < n; j++) {
      a[i * n + j] = (int64_t)(16777213 - 2 * i) * (16777215 - 2 * j);
      real[i * n + j] = (double)a[i * n + j];
    }
    log_value += log(16777213 - 2 * i) + log(16777215 - 2 * i) + log(i + 1);
  }
  CHECK_SHOW(perm_compute_real(n, n, real, n, &options, &result) == PERM_OK, "%s", result.message);
  CHECK_SHOW(result.method == PERM_METHOD_LOW_RANK && !result.exact &&
                 fabs(log(result.value) + (double)result.exp2 * log(2.0) - log_value) < 1e-10 &&
                 result.error_bound < 2e-16 * result.value,
             "%.17g * 2^%lld", result.value, result.exp2);
  CHECK(perm_compute_integer(n, n, a, n, &options, &result) == PERM_ERROR_OVERFLOW);
  CHECK_TEXT(result.message, "4544 bits");
  options.max_bytes = 1000;
  CHECK(perm_compute_real(n, n, real, n, &options, &result) < 0);
  options.max_bytes = 0;
  for (i = 0; i < n * n; i++)
    real[i] = test_uniform();
  CHECK(perm_compute_real(n, n, real, n, &options, &result) == PERM_ERROR_SIZE);
  real[5] = (double)NAN;
  CHECK(perm_compute_real(40, 40, real, 40, &options, &result) == PERM_ERROR_NOT_FINITE);
  free(real);
  free(a);
}

/* Plans of sparse matrices say the rank, or why not. */
TEST(t_rank_explained)
{
  static const char *const texts[] = {"rank 2, proved", "a sample of it", "not looked at"};
  int64_t a[30 * 30];
  int k, i, j;
  for (k = 0; k < 3; k++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    char text[4000];
    memset(&options, 0, sizeof options);
    for (i = 0; i < 30; i++)
      for (j = 0; j < 30; j++)
        a[i * 30 + j] = k == 0 ? i + j : k == 1 ? 1 + test_below(90) : (i + j * 7) % 5 < 2 ? 1 + test_below(9) : 0;
    CHECK(t_rank_matrix(30, a, &matrix) == PERM_OK);
    CHECK_SHOW(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK, "%s", result.message);
    perm_job_explain(job, text, sizeof text);
    CHECK_TEXT(text, texts[k]);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

/* The same bits for any number of threads; cancelled in the middle; every allocation fails in turn. */
TEST(t_rank_threads_and_limits)
{
  const int n = 90, most = T_RANK_MOST; /* seconds, if it were not cancelled after a fifth of one */
  int64_t *a = (int64_t *)malloc((size_t)(most * most) * sizeof *a);
  perm_options options;
  perm_result one, many;
  t_sparse_memory memory = {0, 0, 0};
  long fail;
  int calls = 0, i;
  memset(&options, 0, sizeof options);
  memset(&one, 0, sizeof one);
  t_rank_fill(n, 3, 1, 50, a);
  for (i = 1; i <= 3; i++) {
    options.threads = i;
    CHECK_SHOW(perm_compute_integer(n, n, a, n, &options, &many) == PERM_OK, "%s", many.message);
    CHECK(many.method == PERM_METHOD_LOW_RANK);
    one = i == 1 ? many : one;
    CHECK(t_rank_same(&one, &many) && one.terms == many.terms);
  }
  t_rank_fill(most, 4, 1, 50, a);
  options.threads = 2;
  options.progress = t_sparse_cancel_now;
  options.user_data = &calls;
  CHECK(perm_compute_integer(most, most, a, most, &options, &many) == PERM_STOPPED_CANCELLED && calls == 1);
  options.progress = NULL;
  options.max_seconds = 1e-3;
  CHECK(perm_compute_integer(most, most, a, most, &options, &many) != PERM_OK);
  options.max_seconds = 0;
  t_rank_fill(20, 2, 1, 50, a);
  options.allocator.allocate = t_sparse_allocate;
  options.allocator.release = t_sparse_release;
  options.allocator.user_data = &memory;
  for (fail = 1;; fail++) {
    perm_status status;
    memory.calls = 0;
    memory.fail_at = fail;
    status = perm_compute_integer(20, 20, a, 20, &options, &many);
    CHECK_SHOW(memory.live == 0, "call %ld: %ld live", fail, memory.live);
    if (memory.calls < fail) {
      CHECK(status == PERM_OK && many.method == PERM_METHOD_LOW_RANK);
      break;
    }
    CHECK_SHOW(status == PERM_ERROR_MEMORY, "call %ld: status %d", fail, status);
  }
  CHECK(fail > 8);
  free(a);
}

/* By name: any order and any zeros, through matrices and arrays, integers and doubles; larger ranks are refused. */
TEST(t_rank_by_name)
{
  int64_t a[2 * 12 * 12];
  double x[12 * 12];
  int trial, ran = 0, refused = 0;
  for (trial = 0; trial < 300; trial++) {
    const int n = 1 + test_below(12), rank = 1 + trial % 6, parts = 1 + trial % 2;
    perm_options named, plain;
    perm_result integer, real, sparse, other;
    perm_matrix matrix;
    int k, few;
    memset(&named, 0, sizeof named);
    named.threads = 1;
    plain = named;
    named.method = PERM_METHOD_LOW_RANK;
    if (trial % 5) {
      t_rank_fill(n, rank < 6 ? rank : 1, parts, 3, a);
    } else { /* few entries that are not 0, a whole row of them */
      memset(a, 0, sizeof a);
      for (k = 0; k < n; k++)
        a[k * parts] = a[k * n * parts] = k + 1;
    }
    if (rank == 6)
      for (k = 0; k < n; k++)
        a[(k * n + k) * parts] += 10;
    CHECK_SHOW(t_rank_compute(n, parts, a, &plain, &other) == PERM_OK, "%s", other.message);
    t_rank_compute(n, parts, a, &named, &integer);
    few = integer.status == PERM_OK;
    CHECK_SHOW(few || (n > 4 && rank > 4), "order %d, rank %d: %s", n, rank, integer.message);
    if (!few) {
      CHECK(integer.status == PERM_ERROR_UNSUPPORTED && integer.argument > 0);
      CHECK_TEXT(integer.message, "rank over 4");
      refused++;
    } else {
      CHECK_SHOW(t_rank_same(&integer, &other), "trial %d: %.17g, not %.17g", trial, integer.value, other.value);
      ran += integer.method == PERM_METHOD_LOW_RANK;
    }
    if (parts == 2)
      continue;
    for (k = 0; k < n * n; k++)
      x[k] = ldexp((double)a[k], -3 * (k % n));
    perm_compute_real(n, n, x, n, &named, &real);
    CHECK(t_rank_matrix(n, a, &matrix) == PERM_OK);
    perm_compute_sparse(&matrix, &named, &sparse);
    perm_matrix_free(&matrix);
    CHECK_SHOW((real.status == PERM_OK) == few, "%s", real.message);
    CHECK_SHOW((sparse.status == PERM_OK) == few || other.value == 0, "%s", sparse.message);
    if (few) {
      CHECK_SHOW(ldexp(real.value, (int)real.exp2 + 3 * n * (n - 1) / 2) == other.value, "trial %d, order %d", trial,
                 n);
      CHECK_SHOW(t_rank_same(&sparse, &other), "trial %d", trial);
    } else if (sparse.status != PERM_OK) {
      CHECK_TEXT(sparse.message, "method low-rank: the matrix has a rank over 4");
    }
  }
  CHECK_SHOW(ran > 150 && refused > 30, "%d ran, %d refused", ran, refused);
}

/* A matrix without entries: none is read. */
TEST(t_rank_of_no_entries)
{
  const double poison = (double)NAN;
  const permi_problem problem = permi_problem_make(0, 0, &poison, NULL, 0, &permi_reach_real, NULL, NULL);
  perm_options options = {0};
  permi_rank *plan;
  const char *why;
  options.method = PERM_METHOD_LOW_RANK;
  CHECK(permi_rank_look(&problem, &options, NULL, &plan, &why) && plan); /* NaN would be of no rank */
  permi_rank_release(&options.allocator, plan);
}

/* Pseudoprimes to many bases are none; remainders touch their own words alone. */
TEST(t_residues_at_the_edge)
{
  static const uint64_t composite[] = {9, 15, 21, 2047, 1373653, 25326001, 3215031751u, UINT64_C(2152302898747),
                                       UINT64_C(3474749660383), UINT64_C(341550071728321),
                                       UINT64_C(3825123056546413051), UINT64_C(35705395979370253)}; /* 5 tells */
  uint64_t word[2 * 6], residue[4];
  permi_odd_modulus prime[4];
  int k, trial, count;
  for (k = 0; k < (int)(sizeof composite / sizeof *composite); k++)
    CHECK_SHOW(!permi_is_prime(composite[k]), "%llu", (unsigned long long)composite[k]);
  for (k = 2, count = 0; k < 2000; k++)
    count += permi_is_prime((uint64_t)k);
  CHECK(count == 303 && !permi_is_prime(0) && !permi_is_prime(1) && permi_is_prime(UINT64_C(2305843009213693951)));
  permi_primes_choose(prime, 4, 0, 62);
  for (count = 1; count <= 4; count++)
    for (trial = 0; trial < 50; trial++) {
      const int small = trial < 25 ? test_below(1000) : -test_below(1000);
      const uint64_t guard = test_random() | 1;
      uint64_t *product = word + count + 2; /* a guard after each */
      int negative;
      for (k = 0; k < count; k++)
        residue[k] = permi_residue_of(small, prime[k].p);
      word[count + 1] = product[count + 1] = guard;
      negative = permi_chinese_remainder(prime, residue, count, word, product);
      CHECK(negative == (small < 0) && word[0] == (uint64_t)abs(small) && word[count] == 0);
      CHECK(word[count + 1] == guard && product[count + 1] == guard);
    }
}

/* Primes for numbers of so many bits and a sign: enough, and not one more; residues of doubles of either sign. */
TEST(t_residues_of_every_length)
{
  permi_odd_modulus prime;
  int bits, trial;
  permi_primes_choose(&prime, 1, 0, 50);
  for (bits = 0; bits <= 4600; bits++) {
    const int primes = permi_primes_needed(bits);
    CHECK_SHOW(primes * PERMI_PRIME_BITS > bits + 1 && (primes - 1) * PERMI_PRIME_BITS <= bits + 1, "%d bits: %d", bits,
               primes);
  }
  for (trial = 0; trial < 200; trial++) {
    const int64_t x = (int64_t)test_random() >> (11 + test_below(52));
    const uint64_t p = trial % 2 ? prime.p : 7;
    uint64_t residue = (uint64_t)llabs(x) % p;
    residue = x < 0 && residue ? p - residue : residue;
    CHECK_SHOW(permi_residue_of_double((double)x, p) == residue && permi_residue_of(x, p) == residue, "%lld",
               (long long)x);
  }
  CHECK(permi_residue_of_double(0, 7) == 0 && permi_residue_of_double(-7, 7) == 0);
}
/* SPDX-License-Identifier: MIT */
