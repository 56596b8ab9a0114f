/* >>signs, >>signs_order, >>signs_offer, >>signs_kernels */
/* Method sign-search: its search for any order of the columns, blocks, kernels and widths of sums; by name against
   expansions
   and other exact engines; ranges, threads, residues, predictions; planes of known permanents; what it declines. */

#define T_SIGNS_MAX 12

static void t_signs_fill(int n, int kind, int64_t *a)
{
  const double density = 0.15 + 0.85 * test_uniform();
  int i;
  for (i = 0; i < n * n; i++) {
    const int there = i % (n + 1) == 0 || test_uniform() < density;
    a[i] = kind == 0 ? 1 : kind == 1 ? 1 + test_below(3) : kind == 2 ? test_below(7) - 3 : test_below(41) - 20;
    a[i] = there ? a[i] : 0;
    a[i] += i % (n + 1) == 0 && a[i] == 0; /* no row is empty */
  }
}

static void t_signs_sums(permi_signs_matrix *matrix)
{
  int i, j;
  for (i = 0; i < matrix->n; i++)
    for (matrix->sum[i] = matrix->size[i] = j = 0; j < matrix->n; j++) {
      matrix->sum[i] += matrix->entry[i][j];
      matrix->size[i] += abs(matrix->entry[i][j]);
    }
}

static void t_signs_matrix(int n, const int64_t *a, permi_signs_matrix *matrix)
{
  int i, j;
  memset(matrix, 0, sizeof *matrix);
  matrix->n = n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      matrix->entry[i][j] = (int)a[i * n + j];
      matrix->touched[i] |= (uint64_t)(a[i * n + j] != 0) << j;
    }
  t_signs_sums(matrix);
}

/* The permanent times 2^*halves by a search in the given order. */
static oracle_int t_signs_search(const permi_signs_matrix *matrix, const permi_signs_order *order, perm_isa isa,
                                 int wide, int *halves)
{
  const perm_allocator *allocator = &permi_options(NULL)->allocator;
  permi_signs *signs = (permi_signs *)permi_owned_new(allocator, sizeof *signs);
  char *memory = (char *)malloc(PERMI_SIGNS_WORKSPACE + 64);
  permi_signs_frame *frame = (permi_signs_frame *)(void *)(memory + (64 - ((uintptr_t)memory & 63)) % 64);
  permi_signs_walk *walk = (permi_signs_walk *)(void *)(frame + PERM_MAX_N + 1);
  oracle_int value;
  int i;
  signs->family = PERMI_OF_X86(permi_signs_family, isa);
  CHECK(permi_signs_lay(signs, matrix, order));
  signs->narrow &= !wide;
  permi_signs_begin(walk, signs, frame);
  if (permi_signs_follow(walk, 1, 0, 1))
    signs->family->search(walk, 1);
  for (i = 2; i < signs->words; i++)
    CHECK(walk->sum[i] == (walk->sum[1] >> 63 ? UINT64_MAX : 0));
  value = (int64_t)walk->sum[1] * ((oracle_int)UINT64_MAX + 1) + walk->sum[0];
  *halves = matrix->n - 1;
  for (i = 0; i < matrix->n; i++)
    *halves -= !(matrix->sum[i] & 1);
  permi_owned_release(allocator, signs);
  free(memory);
  return value;
}

TEST(t_signs_search_in_any_order)
{
  int trial, i, nonzero = 0, families = 0;
  for (trial = 0; trial < 3000; trial++) {
    const int n = 2 + test_below(T_SIGNS_MAX - 2), kind = trial % 4;
    static const perm_isa isa[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512};
    int64_t a[T_SIGNS_MAX * T_SIGNS_MAX];
    double real[T_SIGNS_MAX * T_SIGNS_MAX];
    permi_signs_matrix matrix;
    permi_signs_order order;
    oracle_int expected, value;
    int left, k, halves;
    t_signs_fill(n, kind, a);
    for (i = 0; i < n * n; i++)
      real[i] = (double)a[i];
    expected = oracle_integer(n, real);
    nonzero += expected != 0;
    t_signs_matrix(n, a, &matrix);
    for (i = 0; i < n; i++) {
      const int other = test_below(i + 1);
      order.column[i] = order.column[other];
      order.column[other] = i;
    }
    order.length[0] = test_below(n < 10 ? n : 10);
    left = n - order.length[0];
    order.length[1] = test_below(left < 10 ? left : 10);
    order.prefix = left - order.length[1];
    for (k = 0; k < 6; k++)
      if (permi_isa_here(isa[k % 3])) {
        value = t_signs_search(&matrix, &order, isa[k % 3], k > 2, &halves);
        CHECK_SHOW(halves < 0 ? 2 * value == expected : value == expected * (1 << halves),
                   "trial %d, n %d, kernel %d: %g, not %g", trial, n, k, (double)value, (double)expected);
        families |= 1 << k;
      }
  }
  CHECK(nonzero > 1500);
  CHECK(families & 1 && families & 8);
}

/* By name: 0/1, small integers of both signs, rows of odd sums; residues; entries so large that sums are long. */
TEST(t_signs_equals_expansion)
{
  int trial, i, nonzero = 0, ran = 0, declined = 0;
  for (trial = 0; trial < 616; trial++) {
    const int n = 1 + trial % 11, kind = trial / 11 % 4;
    int64_t a[T_SIGNS_MAX * T_SIGNS_MAX];
    double real[T_SIGNS_MAX * T_SIGNS_MAX];
    perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    oracle_int value;
    uint64_t residue[2];
    t_signs_fill(n, kind, a);
    for (i = 0; i < n * n; i++)
      real[i] = (double)a[i];
    value = oracle_integer(n, real);
    nonzero += value != 0;
    matrix = t_sparse_integers(n, a);
    perm_compute_sparse(&matrix, &options, &result);
    if (kind >= 1 && result.status == PERM_ERROR_LIMIT) { /* lines of degree 2 eliminated */
      CHECK_TEXT(result.message, "moduli add up to more");
      declined++;
      perm_matrix_free(&matrix);
      continue;
    }
    CHECK_SHOW(result.status == PERM_OK, "trial %d: %s", trial, result.message);
    CHECK_SHOW(result.exact && result.value == (double)value, "trial %d, n = %d: %.17g, not %.17g", trial, n,
               result.value, (double)value);
    ran += result.method == PERM_METHOD_SIGN_SEARCH;
    options.modulus = 97;
    exact_oracle(n, 1, a, 97, &residue[0], &residue[1]);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.value == (double)residue[0]);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(nonzero > 300 && ran > 150 && declined < 60, "%d, %d, %d", nonzero, ran, declined);
}

TEST(t_signs_planes)
{
  static const struct { const char *name; double permanent; } plane[] = {
      {"projective:2", 24}, {"projective:3", 3852}, {"projective:5", 4598378639550.0}}; /* A000794 */
  size_t k;
  for (k = 0; k < sizeof plane / sizeof *plane; k++) {
    perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    CHECK(perm_generate(plane[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    CHECK_SHOW(result.value == plane[k].permanent && result.exp2 == 0, "%s: %.17g", plane[k].name, result.value);
    perm_matrix_free(&matrix);
  }
}

/* Larger ones against the frontier: few ones a line, odd sums, both signs, long sums, several blocks. */
TEST(t_signs_equals_frontier)
{
  static const char *const kinds[] = {"regular:24:4", "regular:26:5", "regular:30:6", "binary:20:0.35", "grid:6:8",
                                      "regular:22:7", "mycielskian:4", "binary:18:0.9"};
  size_t k;
  int variant;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (variant = 0; variant < 3; variant++) {
      perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
      perm_matrix matrix;
      perm_result result, other;
      size_t e;
      CHECK(perm_generate(kinds[k], 3, NULL, &matrix, &result) == PERM_OK);
      for (e = 0; e < matrix.nnz && matrix.integer && variant; e++)
        matrix.integer[e] = variant == 1 ? test_below(2) * 2 - 1 : 1 + test_below(8);
      if (variant < 2 || matrix.n < 24) { /* few of larger entries vanish */
        CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
        options.method = PERM_METHOD_FRONTIER;
        CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_OK);
        CHECK_SHOW(result.exact && !memcmp(&result.integer, &other.integer, sizeof other.integer), "%s, variant %d",
                   kinds[k], variant);
      }
      perm_matrix_free(&matrix);
    }
}

/* Any partition of the ranges, in any order, adds to the same bits; so do threads. */
TEST(t_signs_ranges)
{
  perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
  perm_matrix matrix;
  perm_result whole, result;
  perm_job *job = NULL;
  perm_leaf leaf;
  int trial, threads;
  memset(&leaf, 0, sizeof leaf);
  CHECK(perm_generate("regular:36:6", 2, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &whole) == PERM_OK && whole.exact);
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && perm_job_leaves(job) == 1);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.kind == PERM_LEAF_RANGE);
  CHECK_SHOW(leaf.chunks > 1, "%d chunks", (int)leaf.chunks);
  for (trial = 0; trial < 5; trial++) {
    perm_partial sum, part;
    uint64_t end = leaf.chunks, begin;
    memset(&sum, 0, sizeof sum);
    for (; end > 0; end = begin) {
      begin = trial == 0 ? end - 1 : (uint64_t)test_below((int)end);
      memset(&part, 0, sizeof part);
      CHECK(perm_job_run(job, 0, begin, end, &part) == PERM_OK && perm_partial_merge(&sum, &part) == PERM_OK);
    }
    CHECK(perm_job_finish(job, &sum, &result) == PERM_OK);
    CHECK(!memcmp(&result.integer, &whole.integer, sizeof whole.integer) && result.terms == whole.terms);
  }
  perm_job_free(job);
  for (threads = 2; threads < 5; threads++) {
    options.threads = threads;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK(!memcmp(&result.integer, &whole.integer, sizeof whole.integer) && result.terms == whole.terms);
  }
  perm_matrix_free(&matrix);
}

/* Chunks are runs of paths, each once, and any sixteen of them come from all over the paths. */
TEST(t_signs_ranges_are_scattered)
{
  enum { PATHS = 1000, RANGES = 64, RUN = 16 };
  perm_allocator allocator = {0};
  permi_signs *signs = (permi_signs *)permi_owned_new(&allocator, sizeof *signs);
  uint64_t weight[PATHS], seen[PATHS] = {0}, i, k;
  signs->seconds = (RANGES + 1) * PERMI_CHUNK_SECONDS / 5;
  signs->path = (uint64_t *)permi_pool_get(&signs->owned.pool, PATHS, sizeof *signs->path);
  for (i = 0; i < PATHS; i++) {
    signs->path[i] = i;
    weight[i] = 1 + i % 7;
  }
  permi_signs_cut_ranges(signs, weight, PATHS);
  CHECK(signs->ranges == RANGES && signs->begin[0] == 0 && signs->begin[RANGES] == PATHS);
  for (k = 0; k < RANGES; k++) {
    CHECK(signs->begin[k] < signs->begin[k + 1]);
    for (i = signs->begin[k]; i < signs->begin[k + 1]; i++) {
      seen[signs->path[i]]++;
      CHECK(i == signs->begin[k] || signs->path[i] == signs->path[i - 1] + 1);
    }
  }
  for (i = 0; i < PATHS; i++)
    CHECK(seen[i] == 1);
  for (k = 0; k + RUN <= RANGES; k++) { /* the widest gap between sixteen runs */
    uint64_t gap = 0, last = 0, at, j;
    for (at = 0; at < PATHS; at++)
      for (j = k; j < k + RUN; j++)
        if (signs->path[signs->begin[j]] == at) {
          gap = at - last > gap ? at - last : gap;
          last = at;
        }
    gap = PATHS - last > gap ? PATHS - last : gap;
    CHECK_SHOW(gap < 2.5 * PATHS / RUN, "%d after %d", (int)gap, (int)k);
  }
  permi_owned_release(&allocator, signs);
}

static void t_signs_generated(const char *kind, uint64_t seed, permi_signs_work *work)
{
  perm_matrix matrix;
  int i;
  size_t e;
  CHECK(perm_generate(kind, seed, NULL, &matrix, NULL) == PERM_OK);
  memset(work, 0, sizeof *work);
  work->matrix.n = matrix.n;
  work->model.effort = 1;
  for (i = 0; i < matrix.n; i++)
    for (e = matrix.row_start[i]; e < matrix.row_start[i + 1]; e++) {
      work->matrix.entry[i][matrix.column[e]] = matrix.real ? (int)matrix.real[e] : 1;
      work->matrix.touched[i] |= UINT64_C(1) << matrix.column[e];
    }
  t_signs_sums(&work->matrix);
  permi_signs_model_make(&work->model, &work->matrix);
  perm_matrix_free(&matrix);
}

/* Doubled columns make rows even: 26 columns, 5 ones a row, a tenth of the pairs and fewer. */
TEST(t_signs_weights)
{
  permi_signs_work *work = (permi_signs_work *)malloc(sizeof *work);
  int i, doubled, even = 0;
  double before;
  t_signs_generated("regular:26:5", 1, work);
  before = permi_signs_leaves(&work->model);
  doubled = permi_signs_weigh(work, (double)INFINITY, NULL);
  for (i = 0; i < 26; i++)
    even += !(work->matrix.sum[i] & 1);
  permi_signs_model_make(&work->model, &work->matrix);
  CHECK_SHOW(doubled > 0 && even >= 18 && permi_signs_leaves(&work->model) < 0.05 * before,
             "%d doubled, %d even, %g of %g", doubled, even, permi_signs_leaves(&work->model), before);
  free(work);
}

/* The chance that a row vanishes, by all patterns. Positions that are moved are those of the order. */
TEST(t_signs_model)
{
  permi_signs_work *work = (permi_signs_work *)malloc(sizeof *work);
  uint64_t moved[PERM_MAX_N], made[PERM_MAX_N];
  int trial, i, j, k, row;
  test_seed(3);
  for (trial = 0; trial < 40; trial++) {
    const double q = 0.5 + 0.4 * test_uniform();
    double chance = 0;
    t_signs_generated(trial % 2 ? "binary:13:0.5" : "bernoulli:10", (uint64_t)trial + 1, work);
    row = test_below(work->matrix.n);
    for (j = 0; j < work->matrix.n; j++)
      work->matrix.entry[row][j] *= 1 + test_below(3);
    t_signs_sums(&work->matrix);
    for (k = 0; k < 1 << work->matrix.n; k++) {
      double weight = 1;
      int sum = 0;
      for (j = 0; j < work->matrix.n; j++) {
        weight *= k >> j & 1 ? q : 1 - q;
        sum += k >> j & 1 ? work->matrix.entry[row][j] : -work->matrix.entry[row][j];
      }
      chance += sum == 0 ? weight : 0;
    }
    CHECK(fabs(permi_signs_vanishes(&work->matrix, row, q) - chance) < 1e-12);
  }
  t_signs_generated("regular:40:7", 1, work);
  work->order.length[0] = work->order.length[1] = 8;
  work->order.prefix = 24;
  for (j = 0; j < 40; j++)
    work->order.column[j] = 39 - j;
  permi_signs_positions(&work->model, &work->order, moved);
  for (trial = 0; trial < 400; trial++) {
    uint64_t seen = 0;
    permi_signs_move(&work->order, moved, 40, test_below(40), test_below(40), trial & 1);
    permi_signs_positions(&work->model, &work->order, made);
    CHECK(!memcmp(moved, made, 40 * sizeof *made));
    for (i = 0; i < 40; i++)
      seen |= UINT64_C(1) << work->order.column[i];
    CHECK(seen == (UINT64_C(1) << 40) - 1);
  }
  free(work);
}

/* Planning a run of years takes as many units as are said, and more by effort only. */
TEST(t_signs_planning_ends)
{
  permi_signs_work *work = (permi_signs_work *)malloc(sizeof *work);
  perm_options options;
  permi_control watch;
  int moves, effort;
  double weights, orders;
  memset(&options, 0, sizeof options);
  for (effort = 1; effort <= 3; effort += 2) {
    const double most = 1e9 * PERMI_SIGNS_PLAN_MOST * effort;
    watch = permi_control_begin(&options);
    t_signs_generated("binary:63:0.9", 1, work);
    work->model.effort = effort;
    permi_signs_weigh(work, (double)INFINITY, &watch);
    weights = watch.worked;
    permi_signs_search_order(&work->model, (double)INFINITY, 1, &watch, &moves, &work->order);
    orders = watch.worked - weights;
    CHECK_SHOW(weights < 0.51 * most && weights > 0.3 * most, "%g of %g", weights, most);
    CHECK_SHOW(orders < 2.1 * most && orders > 0.4 * most, "%g of %g", orders, most);
  }
  free(work);
}

/* The prediction's interval holds what was counted, and says something: how many probes pay depends on the kernels'
   prices, so one interval may be wide, but not all. */
TEST(t_signs_prediction)
{
  double spreads = 0;
  int seed, inside = 0;
  for (seed = 1; seed <= 6; seed++) {
    perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    double pairs = -1, spread = -1;
    char text[4096], *at;
    CHECK(perm_generate("regular:36:6", (uint64_t)seed, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    at = strstr(text, "patterns in ");
    pairs = at ? strtod(at + 12, NULL) : -1;
    at = strstr(text, "+- ");
    spread = at ? strtod(at + 3, NULL) : -1;
    perm_job_free(job);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    spreads += spread;
    CHECK_SHOW(spread > 0 && spread < 90 && fabs(pairs / result.terms - 1) < 0.03 * spread,
               "%g pairs, not %g, +- %g %%", pairs, result.terms, spread);
    inside += fabs(pairs / result.terms - 1) < 0.01 * spread;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(inside >= 4, "%d of 6", inside);
  CHECK_SHOW(spreads < 6 * 70, "+- %g %% on average", spreads / 6);
}

TEST(t_signs_declines)
{
  perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("er:12:0.5", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "real or complex entries: method sign-search takes exact integers; try");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:70:4", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "is larger than the 64 columns that signs take: try method");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:12:4", 1, NULL, &matrix, NULL) == PERM_OK);
  options.precision = PERM_PRECISION_EXACT;
  matrix.integer[3] = 300;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "moduli add up to more than the 254 that method sign-search counts: try");
  matrix.integer[3] = INT64_MIN;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  matrix.integer[3] = 1;
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "rounded numbers asked for");
  perm_matrix_free(&matrix);
  {
    double pairs[2 * 36];
    int i;
    for (i = 0; i < 36; i++) {
      pairs[2 * i] = 1;
      pairs[2 * i + 1] = i % 7 == 0 ? 1 : -1;
    }
    matrix = t_sparse_complex_matrix(6, pairs);
    options.precision = PERM_PRECISION_EXACT;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_UNSUPPORTED);
    CHECK_TEXT(result.message, "Gaussian integers, which method sign-search does not take: try");
    perm_matrix_free(&matrix);
  }
}

/* A cancel is heard while the order is sought, prefixes are listed and probed, and between ranges. */
TEST(t_signs_stops)
{
  perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("regular:64:8", 1, NULL, &matrix, NULL) == PERM_OK);
  options.max_seconds = 0.3;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME);
  CHECK_SHOW(result.seconds + result.plan_seconds < 5, "%g + %g s", result.plan_seconds, result.seconds);
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:46:6", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME);
  CHECK(isnan(result.value));
  perm_matrix_free(&matrix);
}

/* Chosen where it is predicted to be the fastest, and refused early where others take microseconds. */
TEST(t_signs_chosen)
{
  static const struct { const char *name; int chosen; } kind[] = {
      {"regular:40:6", 1}, {"regular:36:6", 1}, {"grid:8:8", 0}, {"regular:30:3", 0}, {"band:30:2", 0}};
  size_t k;
  for (k = 0; k < sizeof kind / sizeof *kind; k++) {
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_job *job = NULL;
    perm_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    CHECK(perm_generate(kind[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, NULL) == PERM_OK && perm_job_leaf(job, 0, &leaf) == PERM_OK);
    CHECK_SHOW((leaf.method == PERM_METHOD_SIGN_SEARCH) == kind[k].chosen, "%s: %s", kind[k].name,
               perm_name("method", leaf.method));
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

TEST(t_signs_fails_every_allocation)
{
  perm_options options = t_sparse_options(PERM_METHOD_SIGN_SEARCH, PERM_PRECISION_EXACT);
  t_sparse_memory memory = {0, 0, 0};
  perm_matrix matrix;
  perm_result result;
  long fail;
  CHECK(perm_generate("regular:16:5", 1, NULL, &matrix, NULL) == PERM_OK);
  options.allocator.allocate = t_sparse_allocate;
  options.allocator.release = t_sparse_release;
  options.allocator.user_data = &memory;
  for (fail = 1;; fail++) {
    perm_status status;
    memory.calls = 0;
    memory.fail_at = fail;
    status = perm_compute_sparse(&matrix, &options, &result);
    CHECK_SHOW(memory.live == 0, "%ld live after failure %ld", memory.live, fail);
    if (memory.calls < fail) {
      CHECK(status == PERM_OK);
      break;
    }
    CHECK_SHOW(status == PERM_ERROR_MEMORY, "failure %ld: %s", fail, result.message);
  }
  CHECK(fail > 10);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
