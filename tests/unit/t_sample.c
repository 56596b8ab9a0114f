/* >>sample >>trace >>trace_frontier >>trace_classes >>trace_tree: samples against the enumeration of all
   permutations by weight, with fixed seeds; chances that are 0 or nearly so; threads and ranges;
   tilings; what must be refused. */

#define T_SAMPLE_MOST 5040 /* permutations of 7 */

/* The number of a permutation among all of n; -1: it is none. */
static int t_sample_number(int n, const int *columns)
{
  int i, j, number = 0;
  for (i = 0; i < n; i++) {
    int smaller = 0;
    if (columns[i] < 0 || columns[i] >= n)
      return -1;
    for (j = 0; j < n; j++) {
      if (j < i && columns[j] == columns[i])
        return -1;
      smaller += j > i && columns[j] < columns[i];
    }
    number = number * (n - i) + smaller;
  }
  return number;
}

/* Weights by number, of rows from `row` on; returns their sum. */
static double t_sample_weights(int n, const double *a, int row, double product, int *columns, double *weight)
{
  double sum = 0;
  int j, k;
  if (row == n)
    return weight[t_sample_number(n, columns)] = product;
  for (j = 0; j < n; j++) {
    for (k = 0; k < row && columns[k] != j; k++)
      ;
    if (k < row)
      continue;
    columns[row] = j;
    sum += t_sample_weights(n, a, row + 1, product * a[row * n + j], columns, weight);
  }
  return sum;
}

/* Draws and counts; *beyond: (chi square - freedom) / sqrt(2 freedom), about normal. 0: a sample of weight 0. */
static int t_sample_counted(const perm_matrix *matrix, const perm_options *options, uint64_t seed, int samples,
                            const double *weight, double sum, double *beyond)
{
  static int columns[7 * 40000], count[T_SAMPLE_MOST];
  const int n = matrix->n;
  int k, all = 1, cells = 0;
  double square = 0, rare = 0, seen = 0;
  perm_result result;
  for (k = 1; k <= n; k++)
    all *= k;
  memset(count, 0, sizeof count);
  CHECK_SHOW(perm_sample_sparse(matrix, options, seed, 0, (uint64_t)samples, columns, &result) == PERM_OK, "%s",
             result.message);
  for (k = 0; k < samples; k++) {
    const int number = t_sample_number(n, columns + (size_t)k * (size_t)n);
    if (number < 0 || weight[number] == 0)
      return 0;
    count[number]++;
  }
  for (k = 0; k < all; k++) {
    const double expected = weight[k] / sum * samples;
    if (expected >= 5) {
      square += (count[k] - expected) * (count[k] - expected) / expected;
      cells++;
    } else {
      rare += expected;
      seen += count[k];
    }
  }
  if (rare >= 5) { /* together one cell */
    square += (seen - rare) * (seen - rare) / rare;
    cells++;
  }
  *beyond = cells > 1 ? (square - (cells - 1)) / sqrt(2.0 * (cells - 1)) : 0;
  return 1;
}

/* Chi square of every engine that takes the matrix, which `taken` counts. */
TEST(t_sample_matches_enumeration)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO,   PERM_METHOD_LISTS, PERM_METHOD_ARRAYS,
                                        PERM_METHOD_TREE, PERM_METHOD_TWINS};
  int taken[5] = {0, 0, 0, 0, 0}, t;
  static double weight[T_SAMPLE_MOST];
  int trial, counted = 0;
  double most = 0, total = 0;
  test_seed(61);
  for (trial = 0; trial < test_some(60); trial++) {
    const int n = 2 + trial % 5, whole = trial & 1;
    double a[49], sum, beyond = 0;
    int columns[7], k;
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    memset(&options, 0, sizeof options);
    for (k = 0; k < n * n; k++)
      a[k] = test_below(10) < 3 ? 0 : whole ? 1 + test_below(5) : test_uniform() * (k % 3 ? 1 : 4);
    for (k = 0; k < n * n && trial % 3 == 2; k++) /* proportional lines, nested */
      a[k] = k % n > k / n + 2 ? 0 : (1 + k / n % 3) * (2.0 + k % n % 2 * 3) * (whole ? 1 : 0.37);
    memset(weight, 0, sizeof weight);
    sum = t_sample_weights(n, a, 0, 1, columns, weight);
    CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &result) == PERM_OK);
    if (sum == 0) {
      CHECK(perm_sample_sparse(&matrix, &options, 1, 0, 1, columns, &result) == PERM_ERROR_ZERO);
      CHECK_TEXT(result.message, "permanent is 0");
    }
    for (t = 0; t < 5 && sum > 0; t++) {
      options.method = methods[t];
      if (perm_sample_sparse(&matrix, &options, 1, 0, 0, NULL, &result) == PERM_ERROR_LIMIT)
        continue;
      CHECK_SHOW(t_sample_counted(&matrix, &options, (uint64_t)trial, 8000, weight, sum, &beyond),
                 "method %d, order %d, %s", (int)methods[t], n, whole ? "integers" : "doubles");
      CHECK_SHOW(beyond < 5, "method %d, order %d: %g", (int)methods[t], n, beyond);
      most = beyond > most ? beyond : most;
      total += beyond;
      counted++;
      taken[t]++;
    }
    perm_matrix_free(&matrix);
  }
  for (t = 0; t < 5; t++)
    CHECK_SHOW(taken[t] > test_some(30), "method %d: %d", (int)methods[t], taken[t]);
  CHECK_SHOW(counted > test_some(150) && most < 5 && fabs(total) < 3 * sqrt(counted), "%d: %g at most, %g in all",
             counted, most, total);
}

/* How often each entry is drawn, against entry x minor / permanent: kind 0: a band with equal columns, 1: cycles with
   chords, 2: sparse; by every engine, doubles and integers of two words. */
TEST(t_sample_marginals)
{
  enum { N = 12, DRAWS = 4000 };
  static const perm_method methods[] = {PERM_METHOD_LISTS, PERM_METHOD_ARRAYS, PERM_METHOD_TREE,
                                        PERM_METHOD_TWINS};
  static int columns[N * DRAWS];
  int kind, whole, i, j, k, t, taken = 0;
  test_seed(67);
  for (kind = 0; kind < 3; kind++)
    for (whole = 0; whole < 2; whole++) {
      double a[N * N], gradient[N * N], square[5];
      perm_options options;
      perm_matrix matrix;
      perm_result result, value;
      memset(&options, 0, sizeof options);
      for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
          const int d = (j - i + N) % N;
          const int in = kind == 0 ? abs(i / 3 - j / 3) < 2 : kind == 1 ? d < 2 || (d == 5 && i % 4 == 0)
                                                                      : d == 0 || test_below(3) == 0;
          a[i * N + j] = !in ? 0 : kind == 0 ? 1 + (i * (j / 3)) % 5 : 1 + test_below(4) + (whole ? 0 : test_uniform());
          a[i * N + j] *= whole ? 4096 * 16 : 1; /* to 2^19 each */
        }
      CHECK(perm_compute_real(N, N, a, N, NULL, &value) == PERM_OK && value.value > 0);
      CHECK(perm_gradient_real(N, N, a, N, NULL, NULL, &options, gradient, &result) == PERM_OK);
      CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, &result) == PERM_OK);
      for (t = 0; t < 4; t++) {
        int count[N * N], cells = 0;
        options.method = methods[t];
        if (perm_sample_sparse(&matrix, &options, 5, 0, DRAWS, columns, &result) != PERM_OK)
          continue;
        taken++;
        memset(count, 0, sizeof count);
        for (k = 0; k < DRAWS; k++) {
          unsigned seen = 0;
          for (i = 0; i < N; i++) {
            CHECK(columns[k * N + i] >= 0 && columns[k * N + i] < N);
            seen |= 1u << columns[k * N + i];
            count[i * N + columns[k * N + i]]++;
          }
          CHECK(seen == (1u << N) - 1);
        }
        for (square[t] = 0, i = 0; i < N * N; i++) {
          const double chance = a[i] * gradient[i] / value.value * ldexp(1, (int)(result.exp2 - value.exp2));
          CHECK(a[i] > 0 || count[i] == 0);
          if (chance > 0.005 && chance < 0.995) {
            const double far = (count[i] - chance * DRAWS) / sqrt(chance * (1 - chance) * DRAWS);
            CHECK_SHOW(fabs(far) < 4.6, "kind %d, whole %d, method %d, entry %d: %g deviations", kind, whole,
                       (int)methods[t], i, far);
            square[t] += far * far;
            cells++;
          }
        }
        CHECK_SHOW(square[t] < 1.8 * cells, "%g of %d", square[t], cells);
      }
      perm_matrix_free(&matrix);
    }
  CHECK_SHOW(taken >= 24, "%d", taken);
}

/* Values of four words, whose high words differ. */
TEST(t_sample_draws_long_integers)
{
  static double weight[T_SAMPLE_MOST];
  int64_t a[25];
  double real[25], sum, beyond = 9;
  int k, columns[7];
  perm_matrix matrix;
  test_seed(62);
  for (k = 0; k < 25; k++) {
    a[k] = (int64_t)1 << (44 + test_below(3));
    real[k] = (double)a[k];
  }
  memset(weight, 0, sizeof weight);
  sum = t_sample_weights(5, real, 0, 1, columns, weight);
  matrix = t_sparse_integers(5, a);
  CHECK(t_sample_counted(&matrix, NULL, 5, 40000, weight, sum, &beyond));
  CHECK_SHOW(fabs(beyond) < 4, "%g", beyond);
  perm_matrix_free(&matrix);
}

/* Equal columns count an entry so often: here twice 2^62, which is no number of 63 bits. */
TEST(t_sample_counts_equal_columns)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_FRONTIER, PERM_METHOD_TWINS};
  const int64_t most = (int64_t)1 << 62, a[9] = {5, 5, 5, most, most, most, most, 5, most};
  int columns[3 * 4000], t, k, first;
  for (t = 0; t < 3; t++) {
    perm_matrix matrix = t_sparse_integers(3, a);
    perm_options options;
    perm_result result;
    memset(&options, 0, sizeof options);
    options.method = methods[t];
    CHECK_SHOW(perm_sample_sparse(&matrix, &options, 1, 0, 4000, columns, &result) == PERM_OK, "%s", result.message);
    for (k = 0, first = 0; k < 4000; k++)
      first += columns[3 * k] == 0;
    CHECK_SHOW(abs(first - 1000) < 130, "%s: %d of 4000", perm_name("method", methods[t]), first); /* 4.7 deviations */
    perm_matrix_free(&matrix);
  }
}

/* Of 4000 samples none is the one with a chance of 2^-60. */
TEST(t_sample_of_extreme_chances)
{
  const int64_t power = (int64_t)1 << 60, whole[4] = {1, 1, 1, power};
  int kind, k, columns[2 * 4000];
  perm_result result;
  for (kind = 0; kind < 3; kind++) { /* integers, doubles, doubles that range further */
    const double a[4] = {1, kind == 2 ? 1e-300 : 1, 1, (double)power};
    perm_matrix matrix;
    int rare = 0;
    if (kind == 0)
      matrix = t_sparse_integers(2, whole);
    else
      CHECK(perm_matrix_from_dense(2, 2, a, 2, NULL, &matrix, &result) == PERM_OK);
    CHECK_SHOW(perm_sample_sparse(&matrix, NULL, 1, 0, 4000, columns, &result) == PERM_OK, "%s", result.message);
    for (k = 0; k < 4000; k++)
      rare += columns[2 * k] != 0 || columns[2 * k + 1] != 1;
    CHECK_SHOW(rare == 0, "%d", rare);
    perm_matrix_free(&matrix);
  }
}

/* Every number below the sum is as likely as any other, and each stream has as many as its weight. */
TEST(t_sample_draws_below_a_sum)
{
  const uint64_t top = (uint64_t)1 << 63, total[2] = {top, 2};
  const uint64_t ways[6] = {top, 1, 3, 0, 1, 2}; /* 3 : 2 in units of 2^63, and what they do */
  uint64_t random = 5;
  int k, count[3] = {0, 0, 0};
  for (k = 0; k < 30000; k++)
    count[permi_draw_integer(total, ways, 2, &random)[2] - 1]++;
  CHECK_SHOW(abs(count[2] - 18000) < 350 && count[1] == 12000 - (count[2] - 18000), "%d", count[2]); /* 4 deviations */
}

/* Scenes of targets, rows, each with a column of its own besides a window of others: how often each entry is drawn,
   against its chance, doubles and integers; the same draws with all memory, little memory and one by one. */
TEST(t_sample_of_scenes)
{
  enum { M = 18, N = 22, DRAWS = 6000 };
  static int columns[M * DRAWS], again[M * DRAWS];
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_TREE, PERM_METHOD_LISTS, PERM_METHOD_ARRAYS};
  int trial, k, i, t;
  test_seed(68);
  for (trial = 0; trial < 8; trial++) {
    static double a[M * (N + M)], chance[M * (N + M)];
    static int count[M * (N + M)];
    double square = 0;
    int cells = 0;
    size_t e;
    perm_options options = t_sparse_options(methods[trial % 4], trial < 4 ? PERM_PRECISION_DEFAULT
                                                                          : PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    memset(a, 0, sizeof a);
    memset(count, 0, sizeof count);
    for (i = 0; i < M; i++)
      for (k = 0; k < N + M; k++)
        if (k == N + i || (k < N && abs(k - i - 2) < 4 && test_below(3)))
          a[i * (N + M) + k] = trial < 4 ? (k < N ? 3 : 0.5) * test_uniform() : 1 + test_below(k < N ? 9 : 3);
    CHECK(perm_matrix_from_dense(M, N + M, a, N + M, NULL, &matrix, &result) == PERM_OK);
    CHECK(perm_marginals_sparse(&matrix, NULL, chance, NULL, &result) == PERM_OK);
    CHECK_SHOW(perm_sample_sparse(&matrix, &options, 5, 0, DRAWS, columns, &result) == PERM_OK, "%s", result.message);
    for (k = 0; k < DRAWS; k++)
      for (i = 0; i < M; i++)
        count[i * (N + M) + columns[k * M + i]]++;
    for (i = 0, e = 0; i < M; i++)
      for (; e < matrix.row_start[i + 1]; e++) {
        int *seen = &count[i * (N + M) + matrix.column[e]];
        if (chance[e] > 0.005 && chance[e] < 0.995) {
          const double far = (*seen - chance[e] * DRAWS) / sqrt(chance[e] * (1 - chance[e]) * DRAWS);
          CHECK_SHOW(fabs(far) < 4.6, "trial %d, row %d, column %d: %g deviations", trial, i, matrix.column[e], far);
          square += far * far;
          cells++;
        }
        *seen = 0;
      }
    for (k = 0; k < M * (N + M); k++)
      CHECK(count[k] == 0);
    CHECK_SHOW(cells > 60 && square < 1.5 * cells, "trial %d: %g of %d", trial, square, cells);
    for (k = 0; k < 40; k++)
      CHECK(perm_sample_sparse(&matrix, &options, 5, (uint64_t)k, 1, again + k * M, &result) == PERM_OK);
    CHECK(!memcmp(columns, again, 40 * M * sizeof *columns));
    for (t = 0, options.max_bytes = 1e5; options.max_bytes < 4e8; options.max_bytes *= 2)
      if (perm_sample_sparse(&matrix, &options, 5, 0, DRAWS, again, &result) == PERM_OK) {
        CHECK(!memcmp(columns, again, sizeof columns));
        t++;
      }
    CHECK_SHOW(t > 3, "%d", t);
    perm_matrix_free(&matrix);
  }
}

/* Triangular: entries outside the blocks are in no permutation of positive weight. */
TEST(t_sample_of_blocks)
{
  const int n = 9; /* blocks of order 1, 3, 1, 4 */
  const int of[9] = {0, 1, 1, 1, 2, 3, 3, 3, 3};
  double a[81];
  int i, j, k, columns[9 * 300], moved = 0;
  perm_matrix matrix;
  perm_result result;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = of[i] <= of[j] ? 1 + (i * j) % 3 : 0;
  CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sample_sparse(&matrix, NULL, 3, 0, 300, columns, &result) == PERM_OK);
  for (k = 0; k < 300; k++) {
    unsigned seen = 0;
    for (i = 0; i < n; i++) {
      CHECK(columns[k * n + i] >= 0 && columns[k * n + i] < n && of[columns[k * n + i]] == of[i]);
      seen |= 1u << columns[k * n + i];
      moved += columns[k * n + i] != i;
    }
    CHECK(seen == 511);
  }
  CHECK(moved > 500);
  perm_matrix_free(&matrix);
}

/* A block's plan knows nothing of the block before, whose tree is a plan that may be gone. */
TEST(t_sample_of_blocks_after_a_tree)
{
  static int row[400], column[400], columns[2 * 80];
  static double x[400];
  int size, i, j, k;
  for (size = 2; size <= 16; size += 7) {
    perm_matrix grid, matrix;
    perm_result result;
    size_t e, count = 0;
    CHECK(perm_generate("grid:8:8", 1, NULL, &grid, &result) == PERM_OK);
    for (i = 0; i < grid.m; i++)
      for (e = grid.row_start[i]; e < grid.row_start[i + 1]; e++) {
        row[count] = i;
        column[count] = grid.column[e];
        x[count++] = 1.5 + i % 3;
      }
    for (i = 0; i < size; i++)
      for (j = 0; j < size; j++)
        if (size < 9 || (i + j) % 7 < 3 || i == j) {
          row[count] = grid.m + i;
          column[count] = grid.m + j;
          x[count++] = 1.25 + (i * i + 3 * j) % 7;
        }
    CHECK(perm_matrix_from_triplets(grid.m + size, grid.m + size, count, row, column, x, NULL, NULL, PERM_KIND_REAL,
                                    NULL, &matrix, &result) == PERM_OK);
    CHECK_SHOW(perm_sample_sparse(&matrix, NULL, 1, 0, 2, columns, &result) == PERM_OK, "%s", result.message);
    for (k = 0; k < 2; k++)
      for (i = 0; i < matrix.m; i++)
        CHECK((columns[k * matrix.m + i] < grid.m) == (i < grid.m));
    perm_matrix_free(&matrix);
    perm_matrix_free(&grid);
  }
}

TEST(t_sample_same_for_threads_and_ranges)
{
  static int whole[40 * 500], again[40 * 500];
  static const int cut[] = {0, 1, 63, 64, 200, 500};
  int threads, k, differ = 0;
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  CHECK(perm_generate("regular:40:4", 3, NULL, &matrix, &result) == PERM_OK);
  CHECK_SHOW(perm_sample_sparse(&matrix, &options, 7, 0, 500, whole, &result) == PERM_OK, "%s", result.message);
  CHECK(result.terms > 1000);
  for (k = 40; k < 40 * 500; k++)
    differ += whole[k] != whole[k - 40];
  CHECK(differ > 1000);
  for (threads = 2; threads <= 4; threads += 2) {
    options.threads = threads;
    CHECK(perm_sample_sparse(&matrix, &options, 7, 0, 500, again, &result) == PERM_OK);
    CHECK(!memcmp(whole, again, sizeof whole));
  }
  memset(again, 0, sizeof again);
  for (k = 0; k + 1 < (int)(sizeof cut / sizeof *cut); k++)
    CHECK(perm_sample_sparse(&matrix, &options, 7, (uint64_t)cut[k], (uint64_t)(cut[k + 1] - cut[k]),
                             again + 40 * cut[k], &result) == PERM_OK);
  CHECK(!memcmp(whole, again, sizeof whole));
  CHECK(perm_sample_sparse(&matrix, &options, 8, 0, 500, again, &result) == PERM_OK);
  CHECK(memcmp(whole, again, sizeof whole));
  perm_matrix_free(&matrix);
}

/* An allocation fails: a status, and nothing leaks (the allocator counts). */
TEST(t_sample_survives_failing_allocations)
{
  static int whole[20 * 30], again[20 * 30];
  int k, done, arrays, failed = 0;
  for (arrays = 0; arrays < 2; arrays++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    memset(&options, 0, sizeof options);
    options.threads = 1;
    options.method = arrays ? PERM_METHOD_ARRAYS : PERM_METHOD_LISTS;
    CHECK(perm_generate("er:20:0.35", 3, NULL, &matrix, &result) == PERM_OK);
    CHECK(perm_sample_sparse(&matrix, &options, 1, 0, 30, whole, &result) == PERM_OK);
    options.allocator.allocate = t_arrays_allocate;
    options.allocator.release = t_arrays_release;
    for (k = 0, done = 0; k < 4000 && !done; k += 1 + k / 40) {
      perm_status status;
      t_arrays_left = k;
      t_arrays_living = 0;
      status = perm_sample_sparse(&matrix, &options, 1, 0, 30, again, &result);
      done = status == PERM_OK;
      failed += !done;
      CHECK_SHOW(done || status == PERM_ERROR_MEMORY, "%s", result.message);
      CHECK_SHOW(t_arrays_living == 0, "%d left at %d", t_arrays_living, k);
    }
    CHECK(done && !memcmp(whole, again, sizeof whole));
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(failed > 100, "%d failed", failed);
}

/* 36 domino tilings of a 4 x 4 board: the 8 white squares are rows, the black ones columns. */
TEST(t_sample_tilings)
{
  static int columns[8 * 36000];
  int tiling[36], count[36], tilings = 0, k, i, t;
  double square = 0;
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("grid:4:4", 1, NULL, &matrix, &result) == PERM_OK);
  CHECK(matrix.n == 8 && perm_sample_sparse(&matrix, NULL, 11, 0, 36000, columns, &result) == PERM_OK);
  for (k = 0; k < 36000; k++) {
    int code = 0;
    for (i = 0; i < 8; i++)
      code = 8 * code + columns[8 * k + i];
    for (t = 0; t < tilings && tiling[t] != code; t++)
      ;
    if (t == tilings) {
      CHECK(tilings < 36);
      if (tilings == 36)
        break;
      tiling[tilings] = code;
      count[tilings++] = 0;
    }
    count[t]++;
  }
  CHECK_SHOW(tilings == 36, "%d", tilings);
  for (t = 0; t < tilings; t++)
    square += (count[t] - 1000.0) * (count[t] - 1000.0) / 1000;
  CHECK_SHOW(square > 15 && square < 65, "%g", square); /* 35 degrees of freedom */
  perm_matrix_free(&matrix);
}

/* 2^59 permutations with column <= row + 1, one class of columns; rows and columns alike by chance 1/2, 1/4, .. */
TEST(t_sample_nested_rows)
{
  enum { N = 60, DRAWS = 4096 };
  static double a[N * N];
  static int columns[N * DRAWS];
  int i, k, straight[N];
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  memset(straight, 0, sizeof straight);
  options.method = PERM_METHOD_TWINS;
  for (k = 0; k < N * N; k++)
    a[k] = k % N <= k / N + 1 ? 1 + k / N : 0; /* rows are proportional besides */
  CHECK_SHOW(inside_sample_real(N, N, a, N, &options, 9, 0, DRAWS, columns, &result) == PERM_OK, "%s", result.message);
  CHECK(result.method == PERM_METHOD_TWINS && result.terms < 1000);
  for (k = 0; k < DRAWS; k++)
    for (i = 0; i < N; i++) {
      CHECK(columns[k * N + i] <= i + 1);
      straight[i] += columns[k * N + i] == i + 1;
    }
  for (i = 0; i < N - 1; i++)
    CHECK_SHOW(abs(straight[i] - DRAWS / 2) < 160, "row %d: %d", i, straight[i]); /* 5 standard deviations */
}

TEST(t_sample_derangements)
{
  static double weight[T_SAMPLE_MOST];
  double a[49], sum, beyond = 9;
  int k, columns[7];
  perm_matrix matrix;
  perm_result result;
  for (k = 0; k < 49; k++)
    a[k] = k % 8 != 0;
  memset(weight, 0, sizeof weight);
  sum = t_sample_weights(7, a, 0, 1, columns, weight);
  CHECK(sum == 1854);
  CHECK(perm_matrix_from_dense(7, 7, a, 7, NULL, &matrix, &result) == PERM_OK);
  CHECK(t_sample_counted(&matrix, NULL, 13, 40000, weight, sum, &beyond));
  CHECK_SHOW(fabs(beyond) < 4, "%g", beyond);
  perm_matrix_free(&matrix);
}

/* Injections of 3 rows into 5 columns, doubles and integers. */
TEST(t_sample_injections)
{
  enum { DRAWS = 30000 };
  static int columns[3 * DRAWS];
  double a[3 * 6] = {1, 2, 0, 3.5, 1, -9, 2, 2, 1, 0, 0, -9, .25, 1, 1, 1, 4, -9};
  int t, i, j, k, d;
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  for (t = 0; t < 10; t++) {
    static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_TREE, PERM_METHOD_LISTS, PERM_METHOD_ARRAYS,
                                          PERM_METHOD_FRONTIER};
    double weight[125], sum = 0, square = 0;
    int count[125], cells = 0;
    options.method = methods[t % 5];
    options.precision = t > 4 ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    for (k = 0; k < 18 && t == 5; k++)
      a[k] *= 4;
    CHECK_SHOW(inside_sample_real(3, 5, a, 6, &options, 3, 0, DRAWS, columns, &result) == PERM_OK, "%s",
               result.message);
    memset(count, 0, sizeof count);
    for (k = 0; k < DRAWS; k++) {
      for (i = 0; i < 3; i++)
        CHECK(columns[3 * k + i] >= 0 && columns[3 * k + i] < 5);
      count[columns[3 * k] * 25 + columns[3 * k + 1] * 5 + columns[3 * k + 2]]++;
    }
    for (i = 0; i < 5; i++)
      for (j = 0; j < 5; j++)
        for (k = 0; k < 5; k++)
          sum += weight[i * 25 + j * 5 + k] = i == j || i == k || j == k ? 0 : a[i] * a[6 + j] * a[12 + k];
    for (d = 0; d < 125; d++) {
      const double expected = weight[d] / sum * DRAWS;
      CHECK(weight[d] > 0 || count[d] == 0);
      if (expected > 5) {
        square += (count[d] - expected) * (count[d] - expected) / expected;
        cells++;
      }
    }
    CHECK_SHOW(cells > 20 && fabs(square - cells) < 4 * sqrt(2.0 * cells), "%d: %g of %d", t, square, cells);
    CHECK(result.method == (t % 5 ? options.method : PERM_METHOD_TREE));
  }
  options.method = PERM_METHOD_TWINS;
  CHECK(inside_sample_real(3, 5, a, 6, &options, 3, 0, 1, columns, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "samples of 3 x 5 take methods auto, tree, frontier, lists and arrays; method twins");
  CHECK(inside_sample_real(3, 6, a, 6, NULL, 3, 0, 1, columns, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK(result.argument == 1);
  CHECK_TEXT(result.message, "row 1, column 6");
  CHECK(inside_sample_real(3, 5, a, 4, NULL, 3, 0, 1, columns, &result) < 0 && result.argument == 4);
  CHECK(inside_sample_real(3, 5, a, 6, NULL, 3, 0, 1, NULL, &result) == PERM_ERROR_NULL && result.argument == 6);
  options.method = PERM_METHOD_RYSER;
  CHECK(inside_sample_real(3, 5, a, 6, &options, 3, 0, 1, columns, &result) < 0 && result.argument == 2);
  CHECK(inside_sample_real(0, 5, NULL, 6, NULL, 3, 0, 1, NULL, &result) == PERM_OK);
  CHECK(inside_sample_real(3, 5, a, 6, NULL, 3, 0, 1, columns, NULL) == PERM_ERROR_NULL);
}

/* Every state of the lists has its value in the arrays, of more slots than low ones, of squares too. */
TEST(t_sample_states_of_arrays)
{
  enum { M = 16, N = 19 };
  static double entry[M * N];
  int trial, k, p;
  size_t found = 0, many = 0, g, s;
  for (trial = 0; trial < 8; trial++) {
    perm_options options = t_sparse_options(PERM_METHOD_ARRAYS, PERM_PRECISION_EXACT);
    const int n = trial % 4 ? N : M;
    permi_frontier *frontier;
    permi_trace listed, arrayed;
    perm_matrix matrix;
    perm_result result;
    perm_job *job;
    for (k = 0; k < M * N; k++)
      entry[k] = test_below(10) < 4 + trial % 3 || k / n == k % n ? 1 + test_below(9) : 0;
    CHECK(perm_matrix_from_dense(M, n, entry, n, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    memset(&listed, 0, sizeof listed);
    frontier = (permi_frontier *)job->leaf[0].context;
    listed.plan = frontier;
    listed.pool.allocator = &frontier->owned.allocator;
    arrayed = listed;
    frontier->arrays->by_residues = 0;
    frontier->arrays->bytes = 0;
    CHECK(permi_frontier_record(&arrayed, NULL) == PERM_OK);
    many += frontier->arrays->middle > 0;
    {
      permi_arrays *arrays = frontier->arrays;
      frontier->arrays = NULL;
      CHECK(permi_frontier_record(&listed, NULL) == PERM_OK);
      frontier->arrays = arrays;
    }
    for (p = 0; p < frontier->steps; p++) {
      const permi_frontier_kept *kept = (const permi_frontier_kept *)arrayed.kept;
      const permi_list *list = &((const permi_frontier_kept *)listed.kept)->list[p];
      const size_t bytes = permi_value_bytes(frontier), given = permi_arrays_bytes_at(frontier, p);
      CHECK(list->states <= frontier->states[p]);
      for (g = 0; g < list->groups; g++)
        for (s = list->patterns.first[list->pattern[g]]; s < list->patterns.first[list->pattern[g] + 1]; s++) {
          const uint64_t mask = list->high[g] << PERMI_LOW_BITS | list->patterns.low[s];
          const void *value = permi_array_find(frontier, kept, p, mask);
          const void *expected = permi_list_find(list, &mask, bytes);
          CHECK(value && expected && !memcmp(value, expected, given < bytes ? given : bytes));
          found++;
        }
    }
    permi_pool_release(&listed.pool);
    permi_pool_release(&arrayed.pool);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(found > 100000 && many > 4, "%zu %zu", found, many);
}

static void t_sample_refused(int m, int n, const double *a, perm_options *options, int *columns, perm_status status,
                             const char *why)
{
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, &result) == PERM_OK);
  CHECK_SHOW(perm_sample_sparse(&matrix, options, 1, 0, 2, columns, &result) == status && result.status == status,
             "%d: %s", result.status, result.message);
  CHECK_TEXT(result.message, why);
  perm_matrix_free(&matrix);
}

TEST(t_sample_refuses)
{
  const double good[4] = {1, 2, 3, 4}, negative[4] = {1, 2, -3, 4}, zero[4] = {1, 1, 0, 0}, half[4] = {1, .5, 1, 1};
  const double wild[9] = {1e300, 1e-300, 1, 1e-300, 1, 1e300, 1, 1e300, 1e-300};
  int columns[18], k;
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  memset(&options, 0, sizeof options);
  t_sample_refused(2, 2, negative, NULL, columns, PERM_ERROR_UNSUPPORTED, "row 2, column 1 (counted from 1) has -3");
  t_sample_refused(2, 2, zero, NULL, columns, PERM_ERROR_ZERO, "permanent is 0");
  t_sample_refused(2, 1, good, NULL, columns, PERM_ERROR_SIZE, "more rows than columns");
  t_sample_refused(2, 2, good, NULL, NULL, PERM_ERROR_NULL, "columns is NULL");
  options.modulus = 7;
  t_sample_refused(2, 2, good, &options, columns, PERM_ERROR_UNSUPPORTED, "no modulus");
  options.modulus = 0;
  options.method = PERM_METHOD_HYBRID;
  t_sample_refused(2, 2, good, &options, columns, PERM_ERROR_UNSUPPORTED, "methods auto, tree, twins");
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_EXACT;
  t_sample_refused(2, 2, half, &options, columns, PERM_ERROR_OPTION, "row 1, column 2");
  CHECK(perm_matrix_from_dense(3, 3, wild, 3, NULL, &matrix, &result) == PERM_OK);
  if (perm_sample_sparse(&matrix, NULL, 1, 0, 2, columns, &result) == PERM_OK) /* whatever the scale: no rubbish */
    for (k = 0; k < 2; k++)
      CHECK(t_sample_number(3, columns + 3 * k) >= 0);
  else
    CHECK_TEXT(result.message, "beyond doubles");
  perm_matrix_free(&matrix);
  memset(&options, 0, sizeof options);
  options.max_bytes = 2e6;
  CHECK(perm_generate("regular:40:4", 3, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sample_sparse(&matrix, &options, 1, 0, 0, NULL, &result) == PERM_ERROR_LIMIT);
  CHECK_SHOW(result.message[0] != 0, "%s", result.message);
  perm_matrix_free(&matrix);
  CHECK(perm_sample_sparse(NULL, NULL, 1, 0, 0, NULL, &result) == PERM_ERROR_NULL && result.argument == 1);
  memset(&matrix, 0, sizeof matrix);
  CHECK(perm_sample_sparse(&matrix, NULL, 1, 0, 5, NULL, &result) == PERM_OK); /* one permutation of nothing */
  CHECK(perm_sample_sparse(&matrix, NULL, 1, 0, 5, NULL, NULL) == PERM_ERROR_NULL);
}
/* SPDX-License-Identifier: MIT */
