/* >>tree, >>tree_order, >>tree_build */
/* Method tree: all kinds of values against independent answers, the bounds from both sides, trees that no frontier
   follows, and what is refused. */

#define T_TREE_MAX 12

/* Trees of n + n vertices with every entry a child of a random earlier vertex, plus `more` entries anywhere and a
   perfect matching; as triplets. Returns how many. */
static size_t t_tree_random(int n, int more, int reach, int *row, int *column)
{
  size_t used = 0;
  int i, k;
  unsigned char *seen = n <= 4096 ? (unsigned char *)calloc((size_t)n * (size_t)n, 1) : NULL;
  for (i = 0; i < n; i++) {
    row[used] = column[used] = i;
    used++;
    if (seen)
      seen[i * n + i] = 1;
  }
  for (i = 1; i < n + more; i++) {
    const int v = i < n ? i : 1 + test_below(n - 1), from = i >= n || v < reach ? 0 : v - reach;
    const int parent = from + test_below(v - from);
    for (k = 0; k < 2; k++) { /* both ways: all of one block */
      const int r = k ? v : parent, c = k ? parent : v;
      if (seen ? seen[r * n + c] : 0)
        continue;
      if (seen)
        seen[r * n + c] = 1;
      row[used] = r;
      column[used++] = c;
    }
  }
  free(seen);
  return used;
}

static perm_options t_tree_options(perm_precision precision)
{
  return t_sparse_options(PERM_METHOD_TREE, precision);
}

TEST(t_tree_equals_expansion)
{
  int64_t a[T_SPARSE_MAX * T_SPARSE_MAX];
  int trial, nonzero = 0, used = 0;
  for (trial = 0; trial < test_some(1500); trial++) {
    const int n = 1 + test_below(T_TREE_MAX);
    perm_options options = t_tree_options(PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    oracle_int expected, moduli;
    t_sparse_random(n, test_below(20), a);
    expected = oracle_subsets(n, a, 0);
    moduli = oracle_subsets(n, a, 1);
    matrix = t_sparse_integers(n, a);
    nonzero += expected != 0;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(result.exact && t_sparse_value(&result) == expected, "trial %d, n %d: %.17g", trial, n, result.value);
    used += result.method == PERM_METHOD_TREE;
    t_as_doubles(&matrix, &options);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(t_sparse_within(&result, expected), "trial %d, n %d: %.17g +- %.3g", trial, n, result.value,
               result.error_bound);
    CHECK(result.error_bound <= 1e-12 * (double)moduli && result.error_estimate <= 1e-12 * (double)moduli);
    options.precision = PERM_PRECISION_DD;
    options.tolerance = 0;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK_SHOW(t_sparse_within(&result, expected), "dd: trial %d, n %d: %.17g +- %.3g", trial, n, result.value,
               result.error_bound);
    CHECK(result.error_bound <= 1e-15 * (double)moduli);
    perm_matrix_free(&matrix);
  }
  CHECK(nonzero > test_some(500) && used > test_some(400));
}

/* Real and complex numbers of any size against sums without rounding. */
TEST(t_tree_bounds_hold)
{
  int trial, off = 0, used = 0;
  for (trial = 0; trial < 600; trial++) {
    const int n = 2 + test_below(8), parts = 1 + test_below(2), wild = test_below(3), precise = test_below(3);
    const perm_precision precision = precise == 0 ? PERM_PRECISION_DD
                                     : PERM_PRECISION_DEFAULT;
    double a[2 * T_TREE_MAX * T_TREE_MAX], real[T_TREE_MAX * T_TREE_MAX], imaginary[T_TREE_MAX * T_TREE_MAX], size = 0;
    int row[T_TREE_MAX * T_TREE_MAX], column[T_TREE_MAX * T_TREE_MAX], i, j;
    perm_options options = t_tree_options(precision);
    perm_matrix matrix;
    perm_result result;
    oracle_exact exact;
    size_t count = 0;
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (i == j || test_below(3) == 0) {
          const double scale = wild ? ldexp(1, test_below(wild == 1 ? 60 : 600) - (wild == 1 ? 30 : 300)) : 1;
          real[count] = (test_uniform() - (test_below(2) ? 0.5 : 0)) * scale;
          imaginary[count] = parts == 2 ? (test_uniform() - 0.5) * scale : 0;
          a[(i * n + j) * parts] = real[count];
          if (parts == 2)
            a[(i * n + j) * parts + 1] = imaginary[count];
          row[count] = i;
          column[count++] = j;
        }
    CHECK(perm_matrix_from_triplets(n, n, count, row, column, real, imaginary, NULL,
                                    parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &matrix, NULL) == PERM_OK);
    exact = oracle_exact_make(parts, n, a);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    if (result.status == PERM_OK) {
      const double distance = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
      size = hypot(result.value, result.imaginary);
      CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9) + 5e-324, "trial %d, n %d, parts %d: %g > %g of %g", trial,
                 n, parts, distance, result.error_bound, size);
      CHECK_SHOW(result.error_bound < (double)INFINITY, "trial %d: no bound", trial);
      CHECK(precision == PERM_PRECISION_DEFAULT || result.error_bound <= 1e-15 * size + 1e-25);
      off += distance > 0;
      used += result.method == PERM_METHOD_TREE;
    }
    oracle_exact_free(&exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(off > 200 && used > 150, "%d %d", off, used);
}

/* Larger structures against the frontier program: integers of several words, Gaussian ones, residues. */
TEST(t_tree_equals_frontier)
{
  enum { N = 160, ROOM = 8 * N };
  static int row[ROOM], column[ROOM];
  static int64_t integer[ROOM];
  static double real[ROOM], imaginary[ROOM];
  int trial, used = 0, words = 0;
  for (trial = 0; trial < 60; trial++) {
    const int n = 20 + test_below(N - 20), kind = trial % 4;
    const size_t count = t_tree_random(n, test_below(4), test_below(2) ? 4 : n, row, column);
    perm_options options = t_tree_options(PERM_PRECISION_EXACT);
    perm_result result[2];
    perm_matrix matrix;
    perm_status status;
    size_t e;
    for (e = 0; e < count; e++) {
      integer[e] = 1 + test_below(kind == 0 ? 1 : 9);
      integer[e] = kind == 2 && test_below(2) ? -integer[e] : integer[e];
      real[e] = (double)integer[e];
      imaginary[e] = test_below(7) - 3;
    }
    status = perm_matrix_from_triplets(n, n, count, row, column, real, imaginary, integer,
                                       kind == 3 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER, NULL, &matrix, NULL);
    CHECK(status == PERM_OK);
    options.modulus = test_below(3) ? 0 : 1000003;
    CHECK(perm_compute_sparse(&matrix, &options, &result[0]) == PERM_OK);
    options.method = PERM_METHOD_FRONTIER;
    options.max_seconds = 0.02;
    status = perm_compute_sparse(&matrix, &options, &result[1]);
    if (status == PERM_OK) {
      CHECK(result[0].exact && result[1].exact);
      CHECK_SHOW(!memcmp(&result[0].integer, &result[1].integer, sizeof result[0].integer) &&
                     !memcmp(&result[0].imaginary_integer, &result[1].imaginary_integer, sizeof result[0].integer),
                 "trial %d, n %d, kind %d: %.17g, %.17g", trial, n, kind, result[0].value, result[1].value);
      used += result[0].method == PERM_METHOD_TREE;
      words = result[0].integer.words > words ? result[0].integer.words : words;
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(used > 25 && words > 1, "%d %d", used, words);
}

TEST(t_tree_failing_allocations)
{
  static int row[400], column[400];
  static double real[400], imaginary[400];
  const int n = 40;
  const size_t count = t_tree_random(n, 6, n, row, column);
  perm_matrix matrix;
  size_t e;
  int kind;
  for (e = 0; e < count; e++) {
    real[e] = 1 + test_below(5);
    imaginary[e] = test_below(5);
  }
  for (kind = 0; kind < 2; kind++) {
    long k;
    CHECK(perm_matrix_from_triplets(n, n, count, row, column, real, imaginary, NULL,
                                    kind ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &matrix, NULL) == PERM_OK);
    for (k = 1; k < 1000; k++) {
      t_sparse_memory memory;
      perm_options options = t_tree_options(PERM_PRECISION_DEFAULT);
      perm_result result;
      perm_status status;
      memset(&memory, 0, sizeof memory);
      memory.fail_at = k;
      options.threads = 1 + (int)(k % 3);
      test_share_seconds = k % 2 ? 0 : 2e-4;
      options.allocator.allocate = t_sparse_allocate;
      options.allocator.release = t_sparse_release;
      options.allocator.user_data = &memory;
      status = perm_compute_sparse(&matrix, &options, &result);
      test_share_seconds = 2e-4;
      CHECK(memory.live == 0);
      CHECK(status == (memory.calls < k ? PERM_OK : PERM_ERROR_MEMORY));
      if (memory.calls < k)
        break;
    }
    CHECK(k > 20 && k < 1000);
    perm_matrix_free(&matrix);
  }
}

/* A random 2-tree with its diagonal: treewidth 5 as a bipartite graph, and paths of tables widen with log n. */
static size_t t_tree_two(int n, int *row, int *column)
{
  int(*side)[2] = (int(*)[2])malloc((size_t)n * 2 * sizeof *side), sides = 0, v, k;
  size_t used = 0;
  for (v = 0; v < n; v++) {
    const int at = v < 2 ? -1 : test_below(sides);
    int pair[2] = {at < 0 ? 0 : side[at][0], at < 0 ? 1 : side[at][1]};
    row[used] = column[used] = v;
    used++;
    for (k = 0; k < 2 && (v >= 2 || (v == 1 && k == 0)); k++) {
      row[used] = column[used + 1] = v;
      column[used] = row[used + 1] = pair[k];
      used += 2;
      side[sides][0] = pair[k];
      side[sides++][1] = v;
    }
  }
  free(side);
  return used;
}

TEST(t_tree_is_chosen_and_agrees_with_itself_permuted)
{
  const int n = 4000;
  const size_t room = 6 * (size_t)n;
  int *row = (int *)malloc(4 * room * sizeof *row), *column = row + room, *turned = column + room;
  int *place = turned + room;
  double *real = (double *)malloc(room * sizeof *real);
  const size_t count = t_tree_two(n, row, column);
  int64_t *integer = (int64_t *)malloc(room * sizeof *integer);
  perm_result result[2], modular[2];
  size_t e;
  int trial, i;
  for (i = 0; i < n; i++)
    place[i] = i;
  for (i = n - 1; i > 0; i--) {
    const int j = test_below(i + 1), swap = place[i];
    place[i] = place[j];
    place[j] = swap;
  }
  for (e = 0; e < count; e++) {
    real[e] = 0.5 + test_uniform();
    integer[e] = 1 + test_below(5);
    turned[e] = place[row[e]];
  }
  for (trial = 0; trial < 2; trial++) {
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    CHECK(perm_matrix_from_triplets(n, n, count, trial ? turned : row, column, real, NULL, NULL, PERM_KIND_REAL, NULL,
                                    &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &result[trial]) == PERM_OK);
    CHECK(result[trial].method == PERM_METHOD_TREE && result[trial].error_bound < 1e-10);
    perm_matrix_free(&matrix);
    CHECK(perm_matrix_from_triplets(n, n, count, trial ? turned : row, column, NULL, NULL, integer, PERM_KIND_INTEGER,
                                    NULL, &matrix, NULL) == PERM_OK);
    options.modulus = 1000000007;
    CHECK(perm_compute_sparse(&matrix, &options, &modular[trial]) == PERM_OK);
    CHECK(modular[trial].method == PERM_METHOD_TREE && modular[trial].exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(result[0].exp2 == result[1].exp2 &&
                 fabs(result[0].value - result[1].value) <= result[0].error_bound + result[1].error_bound,
             "%.17g 2^%lld, %.17g 2^%lld", result[0].value, result[0].exp2, result[1].value, result[1].exp2);
  CHECK(modular[0].value == modular[1].value && modular[0].value != 0);
  free(row);
  free(real);
  free(integer);
}

/* A bound on what underflow took must not underflow itself while values are scaled down: they are scaled up again. */
TEST(t_tree_bound_of_underflow_stays)
{
  enum { N = 8, ENTRIES = 17 };
  static const int row[ENTRIES] = {0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
  static const int column[ENTRIES] = {0, 2, 1, 4, 5, 4, 7, 3, 5, 2, 5, 6, 7, 0, 1, 3, 6};
  static const int power[ENTRIES] = {0, 0, 0, 0, -799, 0, 0, 0, 917, 0, 917, 827, 0, 0, -719, 561, -852};
  double a[N * N] = {0}, off;
  int precision, k;
  oracle_exact exact;
  for (k = 0; k < ENTRIES; k++)
    a[row[k] * N + column[k]] = ldexp(1, power[k]);
  exact = oracle_exact_make(1, N, a);
  for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_DD; precision++) {
    perm_options options = t_sparse_options(PERM_METHOD_TREE, (perm_precision)precision);
    perm_matrix matrix;
    perm_result result;
    CHECK(perm_matrix_from_dense(N, N, a, N, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    off = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
    CHECK_SHOW(off <= result.error_bound, "precision %d: off by %g, error %g", precision, off, result.error_bound);
    perm_matrix_free(&matrix);
  }
  oracle_exact_free(&exact);
}

/* A pattern with values of a kind; spread: powers of two of the entries, which tables take out again. */
static perm_matrix t_tree_matrix(int n, int more, int reach, perm_kind kind, int spread)
{
  enum { ROOM = 1000 };
  int row[ROOM], column[ROOM];
  double real[ROOM], imaginary[ROOM];
  int64_t integer[ROOM];
  const size_t count = t_tree_random(n, more, reach, row, column);
  perm_matrix matrix;
  size_t e;
  for (e = 0; e < count; e++) {
    real[e] = ldexp(test_uniform() - 0.4, spread ? test_below(spread) - spread / 2 : 0);
    imaginary[e] = test_uniform() - 0.5;
    integer[e] = test_below(9) - 3;
    integer[e] += integer[e] >= 0; /* none is 0 */
  }
  CHECK(perm_matrix_from_triplets(n, n, count, row, column, real, imaginary, integer, kind, NULL, &matrix, NULL) ==
        PERM_OK);
  return matrix;
}

/* Every step shared, whatever its size, against one thread, which takes small products in another order. */
TEST_LONG(t_tree_bits_do_not_depend_on_threads)
{
  static const perm_kind kind[] = {PERM_KIND_REAL, PERM_KIND_REAL, PERM_KIND_COMPLEX, PERM_KIND_INTEGER};
  static const char *const name[] = {"real", "spread", "complex", "integer"};
  static const int shape[][3] = {{60, 8, 60}, {36, 18, 36}, {26, 24, 26}, {80, 20, 5}}; /* of t_tree_matrix */
  int k, p, s, compared = 0, ran = 0;
  for (s = 0; s < 4; s++)
    for (k = 0; k < 4; k++)
      for (p = 0; p < 3; p++) {
        perm_matrix matrix = t_tree_matrix(shape[s][0], shape[s][1], shape[s][2], kind[k], k == 1 ? 500 : 0);
        perm_options options = t_seeds_options(PERM_METHOD_TREE, p == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
        perm_result tree, other;
        if (p == 2)
          options.precision = k == 3 ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
        ran += t_seeds_threads(&matrix, options, name[k]);
        test_share_seconds = 0;
        options.threads = 3;
        CHECK(perm_compute_sparse(&matrix, &options, &tree) == PERM_OK);
        test_share_seconds = 2e-4;
        options.method = PERM_METHOD_FRONTIER;
        options.max_seconds = 0.3;
        if (perm_compute_sparse(&matrix, &options, &other) == PERM_OK) {
          const int down = (int)(other.exp2 - tree.exp2);
          compared++;
          if (p == 2 && k == 3)
            CHECK(tree.exact && !memcmp(&tree.integer, &other.integer, sizeof tree.integer));
          CHECK_SHOW(hypot(tree.value - ldexp(other.value, down), tree.imaginary - ldexp(other.imaginary, down)) <=
                         tree.error_bound + ldexp(other.error_bound, down),
                     "%s, shape %d, precision %d: %.17g + %.17g i +- %.3g, not %.17g + %.17g i +- %.3g", name[k], s, p,
                     tree.value, tree.imaginary, tree.error_bound, other.value, other.imaginary, other.error_bound);
        }
        options = t_seeds_options(PERM_METHOD_TREE, PERM_PRECISION_EXACT);
        options.modulus = UINT64_C(2305843009213693951);
        if (p == 2 && k == 3)
          t_seeds_threads(&matrix, options, "residues");
        perm_matrix_free(&matrix);
      }
  CHECK_SHOW(compared > 30 && ran >= 36, "%d compared, %d of 48 left something for the engine", compared, ran);
  {
    static const char *const made[] = {"grid:12:12", "regular:50:3", "bernoulli:10", "complex-gauss:9"};
    for (k = 0; k < 4; k++) {
      perm_options options = t_seeds_options(PERM_METHOD_TREE, k < 2 ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT);
      perm_matrix matrix;
      perm_result result;
      CHECK(perm_generate(made[k], 3, NULL, &matrix, &result) == PERM_OK);
      t_seeds_threads(&matrix, options, made[k]);
      perm_matrix_free(&matrix);
    }
  }
}

typedef struct t_tree_watch { permi_control *control; int polls, stop_at, late; } t_tree_watch;

/* Counts every poll; at one of them says stop, or that time is up. */
static int t_tree_progress(const perm_progress *progress, void *user_data)
{
  t_tree_watch *watch = (t_tree_watch *)user_data;
  (void)progress;
  watch->control->next_report = 0;
  watch->polls++;
  if (watch->polls == watch->stop_at && watch->late)
    watch->control->deadline = 0;
  return watch->polls >= watch->stop_at && !watch->late;
}

/* Stopped at any poll, within joins too: nothing further is asked, nothing stays allocated. */
TEST_LONG(t_tree_stops_when_asked)
{
  static const int threads[] = {1, 2, 5};
  perm_matrix matrix;
  perm_result result;
  perm_job *job;
  t_sparse_memory memory;
  perm_options options = t_tree_options(PERM_PRECISION_DEFAULT);
  int i, at, late, shared = 0;
  CHECK(perm_generate("er:36:0.11", 1, NULL, &matrix, &result) == PERM_OK);
  memset(&memory, 0, sizeof memory);
  options.allocator.allocate = t_sparse_allocate;
  options.allocator.release = t_sparse_release;
  options.allocator.user_data = &memory;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
  CHECK(job->leaves == 1 && job->leaf[0].information.method == PERM_METHOD_TREE);
  options.progress = t_tree_progress;
  for (i = 0; i < 3; i++)
    for (late = 0; late < 2; late++)
      for (at = 2; at < 8; at += 2) {
        const long live = memory.live;
        permi_control control;
        t_tree_watch watch = {&control, 0, 0, 0};
        static perm_partial partial, before;
        perm_status status;
        memset(&control, 0, sizeof control);
        control.options = &options;
        control.deadline = (double)INFINITY;
        watch.stop_at = at;
        watch.late = late;
        options.user_data = &watch;
        options.threads = threads[i];
        test_share_seconds = i ? 0 : 2e-4;
        memset(&partial, 0, sizeof partial);
        before = partial;
        status = job->leaf[0].run_task(&job->leaf[0], &control, &partial);
        test_share_seconds = 2e-4;
        CHECK(watch.polls <= at && memory.live == live);
        if (watch.polls == at) {
          CHECK(status == (late ? PERM_STOPPED_TIME : PERM_STOPPED_CANCELLED));
          CHECK(!memcmp(&partial, &before, sizeof partial));
        } else {
          CHECK(status == PERM_OK); /* the calling thread had little to do */
        }
        CHECK(i || watch.polls == at);
        shared += i && watch.polls == at;
      }
#if defined(_OPENMP)
  CHECK_SHOW(shared > 0, "%d", shared);
#else
  (void)shared;
#endif
  perm_job_free(job);
  perm_matrix_free(&matrix);
  CHECK(memory.live == 0);
}
/* SPDX-License-Identifier: MIT */
