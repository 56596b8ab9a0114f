/* >>frontier, >>steps, >>sorting, >>values, >>frontier_offer */
/* The frontier program: every kind of value lies within its own bound of exact arithmetic, in all the digits that it
   keeps. */

/* A job by its parts: the number before it is rounded to a double, in which double-doubles can be seen. */
static perm_status t_lists_number(const perm_matrix *matrix, const perm_options *options, permi_number *number,
                                  perm_precision *precision)
{
  perm_job *job;
  perm_result result;
  perm_partial *partial;
  int leaves, k;
  perm_status status = perm_sparse_job(matrix, options, &job, &result);
  if (status != PERM_OK)
    return status;
  leaves = perm_job_leaves(job);
  partial = (perm_partial *)calloc((size_t)leaves + 1, sizeof *partial);
  for (k = 0; k < leaves && status == PERM_OK; k++) {
    perm_leaf leaf;
    if ((status = perm_job_leaf(job, k, &leaf)) == PERM_OK)
      status = perm_job_run(job, k, 0, leaf.chunks, &partial[k]);
  }
  if (status == PERM_OK)
    status = permi_job_value(job, partial, number);
  *precision = job->precision;
  perm_job_free(job);
  free(partial);
  return status;
}

/* Structures that keep rows and columns of any degree: bands, rings, random ones. */
static void t_lists_random(int n, int parts, int shape, double *a)
{
  const int wide = shape % 4 == 3; /* graded */
  int i, k;
  for (i = 0; i < n * n; i++) {
    const int by = (i % n - i / n + n) % n;
    const int there = shape % 3 == 0   ? by < 4 || by > n - 2
                      : shape % 3 == 1 ? by < 2 || !test_below(4)
                                       : by < 2 || test_below(2);
    for (k = 0; k < parts; k++) {
      double x = shape % 2 ? test_uniform() + 0.1 : 2 * test_uniform() - 1;
      if (wide)
        x = ldexp(x, test_below(400) - 200);
      a[i * parts + k] = !there || (parts == 2 && !test_below(5)) ? 0 : x;
    }
  }
}

TEST(t_lists_values_match_exact_arithmetic)
{
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD};
  double a[2 * 12 * 12];
  int trial, p, finite = 0, close = 0, doubled = 0;
  for (trial = 0; trial < 160; trial++) {
    const int parts = 1 + trial / 8 % 2, n = 2 + trial % 11;
    perm_matrix matrix;
    oracle_exact exact;
    t_lists_random(n, parts, trial, a);
    exact = oracle_exact_make(parts, n, a);
    if (parts == 2)
      matrix = t_sparse_complex_matrix(n, a);
    else
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    for (p = 0; p < 2; p++) {
      perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, precisions[p]);
      permi_number number;
      perm_precision precision = PERM_PRECISION_DEFAULT;
      double error, size;
      CHECK(t_lists_number(&matrix, &options, &number, &precision) == PERM_OK);
      error = oracle_exact_part(&exact, 0, number.value.hi, number.value.lo, number.exp2);
      if (parts == 2)
        error = hypot(error, oracle_exact_part(&exact, 1, number.imaginary.hi, number.imaginary.lo, number.exp2));
      size = hypot(number.value.hi, number.imaginary.hi);
      CHECK_SHOW(error <= number.error * (1 + 1e-14) && error <= number.estimate * (1 + 1e-14) + 1e-30 * size,
                 "trial %d n %d parts %d %s: error %g, bound %g, estimate %g, value %g", trial, n, parts,
                 perm_name("precision", precisions[p]), error, number.error, number.estimate, size);
      finite += number.error < (double)INFINITY;
      close += number.error < (p ? 1e-27 : 1e-12) * size;
      doubled += p && precision == PERM_PRECISION_DD;
    }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite == 320 && close > 250 && doubled > 125, "%d finite, %d close, %d doubled", finite, close, doubled);
}

/* Cancellation that leaves no digit of a double is met by the next precision, by itself. */
TEST(t_lists_escalate_to_double_double)
{
  double a[12 * 12];
  int n = 12, i;
  perm_matrix matrix;
  perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
  perm_result r;
  oracle_exact exact;
  for (i = 0; i < n * n; i++) /* two equal columns but for signs of rows in pairs: nearly 0 */
    a[i] = (i % n - i / n + n) % n < 5 ? 1 + test_uniform() : 0;
  for (i = 0; i < n; i++)
    a[i * n + 1] = i == 0 ? 1 : 0, a[i * n + 2] = i == 0 || i == 1 ? 1 : 0;
  for (i = 0; i < n; i++)
    a[n + i] = a[n + i] != 0 ? (i & 1 ? -1 : 1) * a[n + i] : 0;
  a[2] = -1 - 1e-13;
  exact = oracle_exact_make(1, n, a);
  CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
  options.tolerance = 1e-15;
  CHECK(perm_compute_sparse(&matrix, &options, &r) >= PERM_OK);
  CHECK_SHOW(r.precision == PERM_PRECISION_DD && r.escalated == 1 && r.method == PERM_METHOD_FRONTIER, "%s %d",
             perm_name("precision", r.precision), r.escalated);
  CHECK(oracle_exact_distance(&exact, r.value, 0, r.exp2) <= r.error_bound * (1 + 1e-14));
  oracle_exact_free(&exact);
  perm_matrix_free(&matrix);
}

/* Rows that touch all columns, eliminated first: as wide a frontier as there are columns, with few states. The block of
   a matrix without empty rows, and a run in a given order. */
static void t_lists_block(int n, const int64_t *a, permi_block *block)
{
  int i, j, v, edges = 0, used = 0;
  memset(block, 0, sizeof *block);
  for (i = 0; i < n * n; i++)
    edges += a[i] != 0;
  block->n = n;
  block->vertices = 2 * n;
  block->edges = edges;
  block->start = (int *)malloc((2 * (size_t)n + 1) * sizeof(int));
  block->neighbour = (int *)malloc(2 * (size_t)edges * sizeof(int));
  block->edge = (int *)malloc(2 * (size_t)edges * sizeof(int));
  block->integer = (int64_t *)malloc((size_t)edges * sizeof(int64_t));
  edges = 0;
  for (v = 0; v < 2 * n; v++) {
    block->start[v] = used;
    for (j = 0; j < n; j++) {
      const int row = v < n ? v : j, column = v < n ? j : v - n;
      int e, k;
      if (!a[row * n + column])
        continue;
      if (v < n) {
        e = edges++;
        block->integer[e] = a[row * n + column];
      } else {
        for (k = block->start[row]; block->neighbour[k] != v; k++)
          ;
        e = block->edge[k];
      }
      block->neighbour[used] = v < n ? n + column : row;
      block->edge[used++] = e;
    }
  }
  block->start[v] = used;
}

static perm_status t_lists_ordered(const permi_block *block, const int *order, uint64_t modulus, int *width,
                                   perm_integer *value)
{
  perm_allocator allocator;
  permi_exactness exactness;
  permi_frontier *frontier = NULL;
  permi_leaf leaf;
  perm_partial partial;
  perm_status status;
  double *binomial;
  memset(&allocator, 0, sizeof allocator);
  memset(&leaf, 0, sizeof leaf);
  memset(&partial, 0, sizeof partial);
  binomial = permi_binomials(&allocator, block->n);
  memset(&exactness, 0, sizeof exactness);
  exactness.modulus = modulus;
  status = permi_frontier_create(&allocator, block, order, binomial, &exactness, NULL, &frontier);
  if (status == PERM_OK) {
    leaf.context = frontier;
    *width = frontier->slot_count;
    status = permi_frontier_run(&leaf, NULL, &partial);
    CHECK(permi_sum_integer(&partial.value, value));
  }
  permi_owned_release(&allocator, frontier);
  free(binomial);
  return status;
}

TEST(t_lists_masks_of_several_words)
{
  static int64_t a[520 * 520];
  static int order[2 * 520];
  static const int orders[] = {40, 63, 64, 65, 80, 120, 129, 140, 200, 300};
  int trial, i, j, widest = 0;
  for (trial = 0; trial < 20; trial++) {
    const int n = orders[trial / 2], hubs = n <= 80 && trial % 4 < 2 ? 2 : 1, transposed = trial & 1;
    const uint64_t modulus = UINT64_C(1000000007);
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_result r;
    permi_block block;
    perm_integer value;
    int *row = (int *)malloc(sizeof(int) * 4096), *column = (int *)malloc(sizeof(int) * 4096), width = 0;
    int64_t *entry = (int64_t *)malloc(sizeof(int64_t) * 4096);
    size_t nnz = 0;
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (i < hubs || i == j || (i + 1) % n == j) {
          const int at = transposed ? j * n + i : i * n + j;
          a[at] = 1 + test_below(3);
          a[at] = test_below(3) ? a[at] : -a[at];
          row[nnz] = at / n;
          column[nnz] = at % n;
          entry[nnz++] = a[at];
        }
    for (i = 0; i < n; i++) { /* hubs, then their side */
      order[i] = transposed ? n + i : i;
      order[n + i] = transposed ? i : n + i;
    }
    CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, NULL, NULL, entry, PERM_KIND_INTEGER, NULL, &matrix, &r) ==
          PERM_OK);
    t_lists_block(n, a, &block);
    options.modulus = modulus;
    CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.exact);
    CHECK(t_lists_ordered(&block, order, modulus, &width, &value) == PERM_OK);
    permi_integer_reduce(&value, modulus);
    CHECK_SHOW(value.word[0] == r.integer.word[0] && value.word[0] != 0, "n %d hubs %d: %llu, not %llu", n, hubs,
               (unsigned long long)value.word[0], (unsigned long long)r.integer.word[0]);
    CHECK_SHOW(width >= n - 2, "n %d width %d", n, width);
    widest = width > widest ? width : widest;
    perm_matrix_free(&matrix);
    free(block.start);
    free(block.neighbour);
    free(block.edge);
    free(block.integer);
    free(row);
    free(column);
    free(entry);
  }
  CHECK(widest > 256);
}

/* How often the terms of a state are added at most, counted by going through all states: what THE BOUND says is at
   least that, and less than the streams. */
static double t_lists_additions(const permi_frontier *frontier)
{
  static int sources[1 << 18];
  static unsigned char live[2][1 << 18];
  const size_t states = (size_t)1 << frontier->slot_count;
  double additions = 0;
  int p, s;
  memset(live, 0, sizeof live);
  live[0][0] = 1;
  for (p = 0; p < frontier->steps; p++) {
    int most = 1;
    size_t x;
    memset(sources, 0, states * sizeof *sources);
    memset(live[(p + 1) & 1], 0, states);
    for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
      const uint64_t *mask = frontier->mask + (size_t)(3 * s * frontier->mask_words);
      for (x = 0; x < states; x++)
        if (live[p & 1][x] && (x & mask[0]) == mask[1]) {
          const int count = ++sources[x ^ mask[2]];
          live[(p + 1) & 1][x ^ mask[2]] = 1;
          most = count > most ? count : most;
        }
    }
    additions += most - 1;
  }
  return additions;
}

TEST(t_lists_additions_are_counted)
{
  int64_t a[9 * 9];
  int order[18], trial, i, j, equal = 0, fewer = 0;
  for (trial = 0; trial < 400; trial++) {
    const int n = 3 + test_below(5), rows_first = test_below(2);
    const permi_exactness exactness = {0, 0, 0, 0};
    perm_allocator allocator;
    permi_frontier *frontier = NULL;
    permi_block block;
    double *binomial, counted;
    memset(&allocator, 0, sizeof allocator);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = i == j || (i + 1) % n == j || test_below(10) < trial % 10;
    for (i = 0; i < 2 * n; i++)
      order[i] = i;
    for (i = rows_first ? n - 1 : 2 * n - 1; i > 0; i--) {
      const int at = test_below(i + 1), v = order[i];
      order[i] = order[at];
      order[at] = v;
    }
    t_lists_block(n, a, &block);
    binomial = permi_binomials(&allocator, n);
    if (permi_frontier_create(&allocator, &block, order, binomial, &exactness, NULL, &frontier) == PERM_OK &&
        frontier->slot_count <= 18) {
      counted = t_lists_additions(frontier);
      CHECK_SHOW(counted <= frontier->additions, "n %d: %g, not %g", n, frontier->additions, counted);
      equal += counted == frontier->additions;
      fewer += frontier->additions < frontier->stream_start[frontier->steps] - frontier->steps;
    }
    permi_owned_release(&allocator, frontier);
    free(binomial);
    free(block.start);
    free(block.neighbour);
    free(block.edge);
    free(block.integer);
  }
  CHECK_SHOW(equal > 50 && fewer > 200, "%d equal, %d fewer", equal, fewer);
}

/* Parts of equal work, made by several threads: the same bits in every kind of value. */
TEST(t_lists_same_bits_on_any_threads)
{
  perm_matrix graph, matrix;
  perm_result r, s;
  double *real, *imaginary;
  int64_t *integer;
  int kind, threads;
  size_t e;
  CHECK(perm_generate("regular:62:3", 5, NULL, &graph, &r) == PERM_OK);
  real = (double *)malloc(graph.nnz * sizeof *real);
  imaginary = (double *)malloc(graph.nnz * sizeof *imaginary);
  integer = (int64_t *)malloc(graph.nnz * sizeof *integer);
  for (kind = 0; kind < 9; kind++) {
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, kind > 5   ? PERM_PRECISION_EXACT
                                                                  : kind > 2 ? PERM_PRECISION_DD
                                                                             : PERM_PRECISION_DEFAULT);
    options.modulus = kind == 8 ? (UINT64_C(1) << 61) - 1 : 0;
    options.tolerance = 1;
    for (e = 0; e < graph.nnz; e++) {
      real[e] = 0.5 + test_uniform();
      real[e] = kind % 3 && test_below(2) ? -real[e] : real[e];
      imaginary[e] = test_uniform() - 0.5;
      integer[e] = kind == 6 ? 1 : test_below(kind == 7 ? 1000 : 1 << 30) + 1;
    }
    matrix = graph;
    matrix.kind = kind > 5 ? PERM_KIND_INTEGER : kind % 3 == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
    matrix.real = real;
    matrix.imaginary = imaginary;
    matrix.integer = integer;
    for (threads = 1; threads <= 3; threads++) {
      options.threads = threads;
      CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.method == PERM_METHOD_FRONTIER);
      if (threads == 1)
        s = r;
      CHECK_SHOW(r.value == s.value && r.imaginary == s.imaginary && r.error_bound == s.error_bound &&
                     r.exp2 == s.exp2 && r.terms == s.terms,
                 "kind %d, %d threads: %.17g, not %.17g", kind, threads, r.value, s.value);
      CHECK(!memcmp(&r.integer, &s.integer, sizeof r.integer));
    }
    CHECK_SHOW(r.terms > 1e5, "%g states", r.terms);
  }
  perm_matrix_free(&graph);
  free(real);
  free(imaginary);
  free(integer);
}

/* Merging, and expanding, sorting and contracting: equal integers, doubles within their errors; both by name only. */
TEST(t_lists_sorting_is_merging)
{
  double a[2 * 12 * 12];
  int64_t z[12 * 12];
  int trial, i, k, computed = 0;
  for (trial = 0; trial < 120; trial++) {
    const int parts = trial % 3 == 2 ? 2 : 1, exact = trial % 3 == 0, n = 3 + test_below(10);
    perm_options options = t_sparse_options(PERM_METHOD_LISTS, exact       ? PERM_PRECISION_EXACT
                                                               : trial & 4 ? PERM_PRECISION_DD
                                                                           : PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result r[3];
    t_lists_random(n, parts, trial & ~3, a);
    for (i = 0; i < n * n; i++)
      z[i] = a[i] == 0 ? 0 : test_below(trial & 8 ? 3 : 1 << 20) - (trial & 16 ? 1 : 0);
    if (exact)
      matrix = t_sparse_integers(n, z);
    else if (parts == 2)
      matrix = t_sparse_complex_matrix(n, a);
    else
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    options.modulus = exact && trial & 32 ? 1000003 : 0;
    options.tolerance = 1;
    for (k = 0; k < 3; k++) {
      options.method = k == 0 ? PERM_METHOD_LISTS : k == 1 ? PERM_METHOD_SORTING : PERM_METHOD_FRONTIER;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r[k]) >= PERM_OK, "%s", r[k].message);
      CHECK(r[k].method == options.method || r[k].method == PERM_METHOD_STRUCTURE || r[k].terms == 0);
    }
    computed += r[1].method == PERM_METHOD_SORTING;
    for (k = 1; k < 3; k++) {
      CHECK_SHOW(exact ? r[k].exact && !memcmp(&r[0].integer, &r[k].integer, sizeof r[0].integer)
                       : hypot(r[0].value - ldexp(r[k].value, (int)(r[k].exp2 - r[0].exp2)),
                               r[0].imaginary - ldexp(r[k].imaginary, (int)(r[k].exp2 - r[0].exp2))) <=
                             r[0].error_bound + ldexp(r[k].error_bound, (int)(r[k].exp2 - r[0].exp2)),
                 "trial %d n %d: %.17g by merging, %.17g by %s", trial, n, r[0].value, r[k].value,
                 perm_name("method", r[k].method));
      CHECK(r[k].terms == r[0].terms); /* the same states */
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(computed > 80, "%d", computed);
}

/* Every allocation fails in turn, in lists and in sorting; nothing leaks. */
TEST(t_lists_without_memory)
{
  static const perm_method methods[] = {PERM_METHOD_LISTS, PERM_METHOD_SORTING};
  int k, failed = 0;
  perm_matrix matrix;
  perm_result r;
  CHECK(perm_generate("regular:24:3", 3, NULL, &matrix, &r) == PERM_OK);
  for (k = 0; k < 2; k++) {
    t_sparse_memory memory = {0, 0, 0};
    perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
    options.allocator.allocate = t_sparse_allocate;
    options.allocator.release = t_sparse_release;
    options.allocator.user_data = &memory;
    do {
      memory.calls = 0;
      memory.fail_at++;
      perm_compute_sparse(&matrix, &options, &r);
      CHECK(memory.live == 0);
      CHECK(r.status == PERM_OK || r.status == PERM_ERROR_MEMORY);
      failed += r.status != PERM_OK;
    } while (memory.calls >= memory.fail_at);
    CHECK(r.status == PERM_OK && r.method == methods[k]);
  }
  perm_matrix_free(&matrix);
  CHECK_SHOW(failed > 60, "%d", failed);
}

/* Every kind of greedy order has its first rounds by name, whatever arrays promise: the third round finds what lists
   take a tenth of the time for. */
TEST(t_frontier_by_name_searches_like_lists)
{
  static const perm_method method[] = {PERM_METHOD_FRONTIER, PERM_METHOD_LISTS};
  double seconds[2] = {0, 0};
  perm_matrix matrix;
  int k;
  CHECK(perm_generate("band:1000:5", 1, NULL, &matrix, NULL) == PERM_OK);
  for (k = 0; k < 2; k++) {
    perm_options options = t_sparse_options(method[k], PERM_PRECISION_DEFAULT);
    perm_job *job = NULL;
    CHECK(perm_sparse_job(&matrix, &options, &job, NULL) == PERM_OK);
    seconds[k] = job ? permi_job_seconds(job) : 0;
    perm_job_free(job);
  }
  CHECK_SHOW(seconds[0] > 0 && seconds[0] <= 1.1 * seconds[1], "%g s, lists %g s", seconds[0], seconds[1]);
  perm_matrix_free(&matrix);
}
static int t_lists_differ(const permi_run *a, const permi_run *b, int p)
{
  const permi_list *x = &a->list[p & 1], *y = &b->list[p & 1];
  return x->groups != y->groups || x->states != y->states || x->patterns.count != y->patterns.count ||
         memcmp(x->high, y->high, x->groups * (size_t)x->words * sizeof *x->high) ||
         memcmp(x->first, y->first, x->groups * sizeof *x->first) ||
         memcmp(x->pattern, y->pattern, x->groups * sizeof *x->pattern) ||
         memcmp(x->value, y->value, x->states * permi_value_bytes(a->frontier)) ||
         memcmp(&a->base.sizes, &b->base.sizes, sizeof(permi_sizes));
}

/* Every step leaves the same lists, bit for bit, on any number of threads, which share the long ones and stop when they
   are told to. */
TEST(t_lists_do_not_depend_on_threads)
{
  static const char *const kind[] = {"er:28:0.2", "er:28:0.2", "er:28:0.2", "regular:60:3", "regular:60:3"};
  static const int threads[] = {1, 2, 3, 7};
  int trial, algebras = 0;
  for (trial = 0; trial < 5; trial++) {
    perm_options options = t_sparse_options(PERM_METHOD_LISTS, trial > 2    ? PERM_PRECISION_EXACT
                                                               : trial == 2 ? PERM_PRECISION_DD
                                                                            : PERM_PRECISION_DEFAULT);
    volatile int cancel = 0;
    perm_options each[4];
    permi_control control[4];
    permi_run run[4];
    const permi_frontier *frontier = NULL;
    perm_matrix matrix;
    perm_job *job;
    size_t e;
    int k, p, shared = 0, stopped = 0;
    CHECK(perm_generate(kind[trial], 3, NULL, &matrix, NULL) == PERM_OK);
    for (e = 0; e < matrix.nnz; e++) {
      const int64_t x = 1 + (int64_t)(test_random() >> 34);
      if (matrix.integer)
        matrix.integer[e] = e % 3 ? x : -x;
      matrix.real[e] = trial < 3 ? (e % 3 ? 1 : -1) * (0.5 + test_uniform()) : (double)matrix.integer[e];
    }
    if (trial == 1) {
      perm_matrix real = matrix;
      CHECK(perm_matrix_from_csr(real.m, real.n, real.row_start, real.column, real.real, real.real, NULL,
                                 PERM_KIND_COMPLEX, NULL, &matrix, NULL) == PERM_OK);
      perm_matrix_free(&real);
    }
    options.modulus = trial == 4 ? UINT64_C(9223372036854775783) : 0;
    CHECK(perm_sparse_job(&matrix, &options, &job, NULL) == PERM_OK);
    for (k = 0; k < job->leaves; k++)
      if (job->leaf[k].information.method == PERM_METHOD_LISTS && job->leaf[k].threaded)
        frontier = (const permi_frontier *)job->leaf[k].context;
    CHECK_SHOW(frontier != NULL, "%s: no long lists", kind[trial]);
    for (k = 0; k < 4 && frontier; k++) {
      each[k] = options;
      each[k].threads = threads[k];
      each[k].cancel = &cancel;
      control[k] = permi_control_begin(&each[k]);
      memset(&run[k], 0, sizeof run[k]);
      CHECK(permi_run_open(frontier, &control[k], permi_run_step, &run[k]) == PERM_OK);
    }
    for (p = 0; frontier && p < frontier->steps; p++)
      for (k = 0; k < 4; k++) {
        CHECK(permi_run_advance(&run[k].base, p) == PERM_OK);
        CHECK_SHOW(!t_lists_differ(&run[0], &run[k], p + 1), "%s: %d threads, step %d", kind[trial], threads[k], p);
        shared += run[k].top != 0;
      }
    CHECK_SHOW(shared >= 6 * PERMI_OPENMP && run[0].top == 0, "%s: %d steps shared", kind[trial], shared);
    for (k = 0; frontier && k < 4; k++)
      permi_run_release(&run[k]);
    if (frontier)
      algebras |= 1 << frontier->numbers.algebra;
    for (k = 1; frontier && k < 4; k++) {
      perm_status status = PERM_OK;
      cancel = 0;
      memset(&run[k], 0, sizeof run[k]);
      CHECK(permi_run_open(frontier, &control[k], permi_run_step, &run[k]) == PERM_OK);
      for (p = 0; p < frontier->steps && status == PERM_OK; p++) {
        if (run[k].list[p & 1].states >= PERMI_PARALLEL_STATES) {
          cancel = 1;
          run[k].base.unpolled = PERMI_RUNNER_POLL;
        }
        status = permi_run_advance(&run[k].base, p);
      }
      stopped += status == PERM_STOPPED_CANCELLED && run[k].top && p < frontier->steps;
      permi_run_release(&run[k]);
    }
    CHECK_SHOW(stopped == 3 * PERMI_OPENMP, "%s: %d stopped", kind[trial], stopped);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(algebras == (1 << PERMI_SIGNED | 1 << PERMI_COMPLEX | 1 << PERMI_SIGNED_DD | 1 << PERMI_WORDS |
                          1 << PERMI_RESIDUES), "algebras %x", algebras);
}
/* SPDX-License-Identifier: MIT */
