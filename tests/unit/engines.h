/* What the tests of sparse engines by name share: matrices of all kinds of values, expansions over subsets, which share
   no code with the engines, failing allocations, the same bits for any number of threads, searches by threads. */

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
    CHECK_SHOW(fail > 10, "%ld allocations", fail - 1);
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
/* SPDX-License-Identifier: MIT */
