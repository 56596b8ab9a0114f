/* >>engines, >>choose, >>prices */
/* Every sparse engine by name against exact arithmetic, on structures that break things: singular ones, blocks, equal
   rows, empty rows, bands, orders 1 and 2, dense ones; both orientations; every kind of value the engine takes. */

#define T_ENGINES_MAX 10
enum { T_REAL = 0, T_COMPLEX = 1, T_WHOLE = 2, T_GAUSSIAN = 3, T_HIGH = 4, T_HIGH_COMPLEX = 5, T_VALUES = 6 };

/* What a method must take, so that a refusal cannot hide a failure, a bit for each kind of values: auto and engines for
   blocks everything, but for those that stand here. 0: tested elsewhere. */
static unsigned t_engines_take(int method)
{
  const permi_engine *engine = permi_block_engine((perm_method)method);
  switch (method) {
  case PERM_METHOD_AUTO: return 63;
  case PERM_METHOD_HYBRID: return 1 << T_REAL | 1 << T_COMPLEX;
  case PERM_METHOD_DOMINATING: case PERM_METHOD_SPARYSER: return 1 << T_REAL | 1 << T_COMPLEX | 1 << T_WHOLE;
  case PERM_METHOD_DECOMPOSE: return 1 << T_REAL | 1 << T_COMPLEX | 1 << T_WHOLE | 1 << T_GAUSSIAN;
  case PERM_METHOD_PLANAR: case PERM_METHOD_SIGN_SEARCH: case PERM_METHOD_CODEGEN: return 0;
  default: return engine && !(engine->flags & PERMI_ARRAY) ? 63 : 0;
  }
}

/* Structure `kind` of order n; values from -range to range without 0 (from 1 where range is 1). */
static void t_engines_fill(int kind, int n, int parts, int range, double *a)
{
  int row[T_ENGINES_MAX], column[T_ENGINES_MAX], i, j, k, turned = test_below(2);
  const double density = 0.15 + 0.7 * test_uniform();
  double b[T_ENGINES_MAX][T_ENGINES_MAX];
  for (i = 0; i < n; i++) {
    row[i] = column[i] = i;
    for (j = 0; j < n; j++)
      switch (kind) {
      case 0: b[i][j] = test_uniform() < density; break;                                  /* often singular */
      case 1: b[i][j] = i == j || test_uniform() < density; break;                        /* never by structure */
      case 2: b[i][j] = i / 3 == j / 3 ? i == j || test_below(3) : i < j && test_below(2); break; /* block triangular */
      case 3: b[i][j] = abs(i - j) <= 1 + (n & 1); break;                                 /* bands */
      case 4: b[i][j] = i == 0 || j == 0 || i == j; break;                                /* arrows */
      case 5: b[i][j] = 1; break;                                                         /* dense */
      case 6: b[i][j] = i == j || j == (i + 1) % n || j == (i * 3 + 2) % n; break;        /* few a line */
      case 7: b[i][j] = i % 2 ? b[i - 1][j] : test_uniform() < density; break;            /* equal patterns of rows */
      default: b[i][j] = i == j || j == (i - 1) / 2 || i == (j - 1) / 2; break;           /* trees */
      }
  }
  if (kind == 0 && test_below(8) == 0)
    for (j = 0; j < n; j++)
      b[n / 2][j] = 0;
  for (i = n - 1; i > 0 && test_below(4); i--) {
    int other = test_below(i + 1), swap = row[i];
    row[i] = row[other];
    row[other] = swap;
    other = test_below(i + 1);
    swap = column[i];
    column[i] = column[other];
    column[other] = swap;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < parts; k++) {
        const int x = 1 + test_below(range), p = turned ? column[j] : row[i], q = turned ? row[i] : column[j];
        a[(p * n + q) * parts + k] = b[i][j] == 0 ? 0 : range > 1 && test_below(2) ? -x : x;
      }
  if (kind == 7 && test_below(2)) /* the values too */
    for (i = 1; i < n; i += 2)
      for (j = 0; j < n; j++)
        for (k = 0; k < parts; k++) {
          const int p = turned ? column[j] : row[i], q = turned ? row[i] : column[j];
          const int from = turned ? column[j] : row[i - 1], at = turned ? row[i - 1] : column[j];
          a[(p * n + q) * parts + k] = a[(from * n + at) * parts + k];
        }
}

static perm_matrix t_engines_matrix(int n, int parts, perm_kind kind, const double *a)
{
  int row[T_ENGINES_MAX * T_ENGINES_MAX], column[T_ENGINES_MAX * T_ENGINES_MAX], i, j;
  double real[T_ENGINES_MAX * T_ENGINES_MAX], imaginary[T_ENGINES_MAX * T_ENGINES_MAX];
  int64_t integer[T_ENGINES_MAX * T_ENGINES_MAX];
  size_t used = 0;
  perm_matrix matrix;
  perm_result result;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const double *x = a + (i * n + j) * parts;
      if (x[0] == 0 && (parts == 1 || x[1] == 0))
        continue;
      row[used] = i;
      column[used] = j;
      real[used] = x[0];
      integer[used] = kind == PERM_KIND_INTEGER ? (int64_t)x[0] : 0;
      imaginary[used++] = parts == 2 ? x[1] : 0;
    }
  CHECK_SHOW(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, integer, kind, NULL, &matrix,
                                       &result) == PERM_OK,
             "%s", result.message);
  return matrix;
}

/* One engine, one kind of values. */
static void t_engines_run(perm_method method, int values, int trials, int most)
{
  const int parts = values == T_COMPLEX || values == T_GAUSSIAN || values == T_HIGH_COMPLEX ? 2 : 1;
  const int whole = values == T_WHOLE || values == T_GAUSSIAN;
  const perm_kind kind = parts == 2 ? PERM_KIND_COMPLEX : whole ? PERM_KIND_INTEGER : PERM_KIND_REAL;
  double a[2 * T_ENGINES_MAX * T_ENGINES_MAX];
  int trial, i, exceeded = 0, estimated = 0;
  for (trial = 0; trial < trials; trial++) {
    const int n = 1 + test_below(most), range = trial % 3 ? 20 : 1;
    const int structure = trial % 9;
    perm_options options;
    perm_result result;
    perm_matrix matrix;
    oracle_exact exact;
    double off;
    memset(&options, 0, sizeof options);
    options.method = method;
    options.threads = 1 + trial % 3;
    options.precision = whole ? PERM_PRECISION_EXACT
                        : values >= T_HIGH ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
    t_engines_fill(structure, n, parts, range, a);
    if (!whole && trial % 4 == 1)
      for (i = 0; i < n * n * parts; i++) /* exact in double, of every size */
        a[i] = ldexp(a[i] + (a[i] != 0 ? test_uniform() : 0), test_below(trial % 8 == 1 ? 2000 : 40) -
                                                                  1000 * (trial % 8 == 1));
    matrix = t_engines_matrix(n, parts, kind, a);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s, values %d, structure %d, order %d: %s",
               perm_name("method", method), values, structure, n, result.message);
    exact = oracle_exact_make(parts, n, a);
    off = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
    CHECK_SHOW(!whole || result.exact, "%s, values %d: not exact", perm_name("method", method), values);
    CHECK_SHOW(whole ? off == 0 : off <= result.error_bound,
               "%s, values %d, structure %d, order %d: off by %g, bound %g", perm_name("method", method), values,
               structure, n, off, result.error_bound);
    CHECK_SHOW(whole || off <= 10 * result.error_estimate + 4e-16 * hypot(result.value, result.imaginary),
               "%s, values %d, structure %d, order %d: off by %g, estimate %g, value %g", perm_name("method", method),
               values, structure, n, off, result.error_estimate, result.value);
    exceeded += !whole && off > result.error_estimate;
    estimated++;
    oracle_exact_free(&exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(exceeded <= 2 + estimated / 20, "%s, values %d: %d of %d estimates were too small",
             perm_name("method", method), values, exceeded, estimated);
}

/* The chooser finds engines by their methods. */
TEST(t_engines_stand_once)
{
  int k;
  for (k = 0; k < PERMI_ENGINES; k++)
    CHECK(permi_block_engine(permi_engines[k].method) == &permi_engines[k]);
  CHECK(!permi_block_engine(PERM_METHOD_AUTO) && permi_block_engine(PERM_METHOD_FRONTIER));
}

TEST(t_engines_match_exact_arithmetic)
{
  int method, values, ran = 0;
  for (method = 0; method < PERM_METHOD_COUNT; method++)
    for (values = 0; values < T_VALUES; values++)
      if (t_engines_take(method) >> values & 1) {
        t_engines_run((perm_method)method, values, test_some(180), values >= T_HIGH ? 7 : 8);
        ran++;
      }
  CHECK(ran >= 66);
}

/* Entries of 63 bits whose sums have more, in a row or in a column: right, or refused. */
TEST(t_engines_large_integers)
{
  static const int64_t q = INT64_C(1) << 62;
  int method, turned, i, row[9], column[9];
  for (method = 0; method < PERM_METHOD_COUNT; method++)
    for (turned = 0; turned < 2 && t_engines_take(method); turned++) {
      perm_options options;
      perm_matrix matrix;
      perm_result result;
      int64_t integer[9];
      memset(&options, 0, sizeof options);
      options.method = (perm_method)method;
      for (i = 0; i < 9; i++) {
        row[i] = turned ? i % 3 : i / 3;
        column[i] = turned ? i / 3 : i % 3;
        integer[i] = i < 3 ? -q : 1 + (i == 4);
      }
      CHECK(perm_matrix_from_triplets(3, 3, 9, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL, &matrix,
                                      NULL) == PERM_OK);
      perm_compute_sparse(&matrix, &options, &result); /* -q (3 + 2 + 3) = -2^65 */
      CHECK_SHOW(result.status == PERM_OK
                     ? !result.exact || (result.value == -ldexp(1, 65) && result.exp2 == 0)
                     : result.status == PERM_ERROR_LIMIT || result.status == PERM_ERROR_UNSUPPORTED,
                 "%s: %s %.17g", perm_name("method", options.method), result.message, result.value);
      perm_matrix_free(&matrix);
    }
}

/* Method exact on integers whose exact sum is predicted to take seconds: no doubles behind its back. */
TEST(t_engines_exact_stays_exact)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  perm_job *job = NULL;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_EXACT;
  CHECK(perm_generate("regular:40:3", 1, NULL, &matrix, &result) == PERM_OK);
  CHECK_SHOW(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK, "%s", result.message);
  CHECK(job && job->precision == PERM_PRECISION_EXACT && permi_job_seconds(job) > 1);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Orders of 30 to 300: engines that are predicted to take little against each other, within their bounds. */
TEST_LONG(t_engines_agree_on_larger_matrices)
{
  static const char *const matrices[] = {"arrow:60:3",     "arrow:40:2",      "tree:200",     "band:120:3",
                                         "grid:6:20",      "regular:30:3",    "er:40:0.08",   "er:24:0.2",
                                         "blocks:7:8:0.4", "blocks:30:5:0.6", "mycielskian:5"};
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD, PERM_PRECISION_EXACT};
  size_t k, q, t;
  for (k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
    for (q = 0; q < 3; q++) {
      perm_matrix matrix;
      perm_result first, result;
      int method, compared = 0;
      CHECK_SHOW(perm_generate(matrices[k], 3, NULL, &matrix, &first) == PERM_OK, "%s", first.message);
      memset(&first, 0, sizeof first);
      for (method = PERM_METHOD_FRONTIER; method < PERM_METHOD_COUNT; method++) { /* those that take it */
        perm_options options;
        perm_job *job = NULL;
        double off;
        memset(&options, 0, sizeof options);
        options.method = (perm_method)method;
        options.precision = precisions[q];
        options.threads = 1 + method % 3;
        if (perm_sparse_job(&matrix, &options, &job, NULL) != PERM_OK || permi_job_seconds(job) > 0.02) {
          perm_job_free(job);
          continue;
        }
        perm_job_free(job);
        CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s, %s: %s", matrices[k],
                   perm_name("method", (perm_method)method), result.message);
        if (compared++ == 0)
          first = result;
        off = hypot(ldexp(result.value, (int)(result.exp2 - first.exp2)) - first.value,
                    ldexp(result.imaginary, (int)(result.exp2 - first.exp2)) - first.imaginary);
        t = (size_t)result.method;
        CHECK_SHOW(off <= first.error_bound + ldexp(result.error_bound, (int)(result.exp2 - first.exp2)) ||
                       off <=
                           16 * (first.error_estimate + ldexp(result.error_estimate, (int)(result.exp2 - first.exp2))),
                   "%s, precision %d, %s: off by %g of %g, bounds %g, %g, estimates %g, %g", matrices[k], (int)q,
                   perm_name("method", (perm_method)t), off, first.value, first.error_bound, result.error_bound,
                   first.error_estimate, result.error_estimate);
      }
      CHECK_SHOW(compared >= 2 || q == 2, "%s, precision %d: %d engines", matrices[k], (int)q, compared);
      perm_matrix_free(&matrix);
    }
}

/* Entries of every size, and integers that doubles round: bounds hold, and where terms are lost or all cancel the
   estimates say so. Sparse Ryser sums have a bound whatever the entries. */
TEST(t_engines_hostile_sizes)
{
  static const double sizes[] = {1e308, 1e-308, 5e-324, 1.7976931348623157e308,
                                 1,     1e155,  1e-155, 2.2250738585072014e-308};
  static const perm_method methods[] = {
      PERM_METHOD_AUTO,   PERM_METHOD_FRONTIER, PERM_METHOD_LISTS,    PERM_METHOD_TREE,       PERM_METHOD_BAND,
      PERM_METHOD_HYBRID, PERM_METHOD_SPARYSER, PERM_METHOD_DOMINATING, PERM_METHOD_TRANSVERSALS,
      PERM_METHOD_TWINS};
  double a[2 * T_ENGINES_MAX * T_ENGINES_MAX];
  int trial, i, finite = 0;
  for (trial = 0; trial < 4000; trial++) {
    const int n = 2 + trial % 5, parts = trial % 4 == 3 ? 2 : 1, whole = trial % 4 == 2;
    const perm_method method = methods[test_below((int)(sizeof methods / sizeof methods[0]))];
    const int by_terms = method == PERM_METHOD_SPARYSER || method == PERM_METHOD_DOMINATING;
    int row[T_ENGINES_MAX * T_ENGINES_MAX], column[T_ENGINES_MAX * T_ENGINES_MAX], kind = trial % 3;
    double real[T_ENGINES_MAX * T_ENGINES_MAX], imaginary[T_ENGINES_MAX * T_ENGINES_MAX];
    int64_t integer[T_ENGINES_MAX * T_ENGINES_MAX];
    size_t used = 0;
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    memset(&options, 0, sizeof options);
    options.method = method;
    options.certify = by_terms;
    options.precision = by_terms || !whole ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD;
    for (i = 0; i < n * n; i++) {
      int part;
      for (part = 0; part < parts; part++)
        a[i * parts + part] = (test_below(2) ? 1 : -1) * (test_below(4) == 0 ? 0
                              : kind == 0   ? sizes[test_below(8)]
                              : kind == 1   ? 1 + ldexp(test_below(4), -52)
                                            : ldexp(1 + test_uniform(), test_below(2000) - 1000));
      integer[used] = test_below(3) ? test_below(2) ? INT64_MIN : INT64_MAX : 0;
      row[used] = i / n;
      column[used] = i % n;
      real[used] = a[i * parts];
      imaginary[used++] = parts == 2 ? a[i * parts + 1] : 0;
    }
    CHECK(perm_matrix_from_triplets(n, n, used, row, column, real, imaginary, integer,
                                    whole        ? PERM_KIND_INTEGER
                                    : parts == 2 ? PERM_KIND_COMPLEX
                                                 : PERM_KIND_REAL,
                                    NULL, &matrix, NULL) == PERM_OK);
    if (perm_compute_sparse(&matrix, &options, &result) == PERM_OK && !whole) {
      oracle_exact exact = oracle_exact_make(parts, n, a);
      const double off = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
      CHECK_SHOW(off <= result.error_bound * (1 + 1e-13), "%s, order %d: off by %g, bound %g", perm_name("method",
                                                                                                         method),
                 n, off, result.error_bound);
      CHECK_SHOW(off <= 8 * result.error_estimate + 4e-16 * hypot(result.value, result.imaginary),
                 "%s, order %d: off by %g, estimate %g, value %g, trial %d", perm_name("method", result.method), n, off,
                 result.error_estimate, result.value, trial);
      oracle_exact_free(&exact);
      if (by_terms) {
        CHECK_SHOW(result.error_bound < (double)INFINITY, "%s, order %d", perm_name("method", method), n);
        finite++;
      }
    } else if (result.status == PERM_OK && !result.exact) {
      perm_result truth;
      memset(&options, 0, sizeof options);
      CHECK(perm_compute_sparse(&matrix, &options, &truth) == PERM_OK && truth.exact);
      CHECK_SHOW(fabs(ldexp(result.value, (int)result.exp2) - truth.value) <=
                     8 * ldexp(result.error_estimate, (int)result.exp2) + 4e-16 * fabs(truth.value),
                 "%s, integers: %g, not %g, estimate %g", perm_name("method", method), result.value, truth.value,
                 result.error_estimate);
    }
    perm_matrix_free(&matrix);
  }
  CHECK(finite > 100);
}

/* Integers so long (over 512 bits) that engines compute modulo p from the first step on: real and Gaussian, entries
   of both signs, against the expansion modulo p. */
TEST(t_engines_residues_of_long_integers)
{
  const int n = 12;
  const uint64_t p = UINT64_C(9223372036854775783);
  int64_t a[2][144];
  double pairs[288];
  int parts, trial, i, k, ran = 0;
  for (trial = 0; trial < 6; trial++) {
    uint64_t expected[2];
    perm_matrix matrix;
    parts = 1 + trial % 2;
    for (i = 0; i < n * n; i++) {
      const int apart = (i % n - i / n + n) % n, there = apart < 4 || (trial > 3 && test_below(12) == 0);
      for (k = 0; k < 2; k++) { /* 51 or 52 bits */
        a[k][i] = there && k < parts ? (int64_t)(UINT64_C(1) << 51 | test_random() >> 13) : 0;
        a[k][i] = test_below(2) ? -a[k][i] : a[k][i];
        pairs[2 * i + k] = (double)a[k][i];
      }
    }
    t_sparse_residue(n, a[0], parts == 2 ? a[1] : NULL, p, expected);
    matrix = parts == 2 ? t_sparse_complex_matrix(n, pairs) : t_sparse_integers(n, a[0]);
    for (i = PERM_METHOD_FRONTIER; i < PERM_METHOD_COUNT; i++) {
      perm_options options = t_sparse_options((perm_method)i, PERM_PRECISION_EXACT);
      perm_result r;
      if (!(t_engines_take(i) >> T_GAUSSIAN & 1))
        continue;
      ran++;
      options.modulus = p;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s: %s", perm_name("method", i),
                 r.message);
      CHECK(r.exact && (int)r.method == i && r.modulus == p);
      CHECK_SHOW(r.integer.word[0] == expected[0] && (parts == 1 || r.imaginary_integer.word[0] == expected[1]),
                 "%s, %d parts", perm_name("method", i), parts);
    }
    perm_matrix_free(&matrix);
  }
  CHECK(ran >= 54);
}

/* What is planar, but with fronts too large for a bound, is refused under certify with that reason. */
TEST(t_engines_without_bound)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  perm_job *job = NULL;
  int proved = 1;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("hexagonal:60", 1, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
  CHECK(perm_job_precision(job, &proved) == PERM_PRECISION_DEFAULT && !proved);
  perm_job_free(job);
  options.certify = 1;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "it is planar, but has fronts of order");
  CHECK_TEXT(result.message, "so leave out certify");
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* A refused plan explains what was asked until then, and gives no value; perm_sparse_job has none. */
TEST(t_engines_refused)
{
  static const struct { const char *pattern; double max_bytes; int offers; } plan[] = {
      {"er:90:0.5", 0, 7}, {"binary:90:0.5", 0, 7}, {"regular:120:8", 1e9, 7}, {"uniform:20", 1e6, 2}};
  int k, index;
  for (k = 0; k < (int)(sizeof plan / sizeof *plan); k++) {
    const int refused = k < 3;
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    perm_state *state = NULL;
    perm_offer offer;
    char text[8000];
    int declined = 0;
    memset(&options, 0, sizeof options);
    options.max_bytes = plan[k].max_bytes;
    CHECK(perm_generate(plan[k].pattern, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == (refused ? PERM_ERROR_LIMIT : PERM_OK));
    CHECK(job != NULL && (perm_job_explain(job, text, sizeof text), strstr(text, "structure: ")) != NULL);
    for (index = 0; perm_job_offer(job, index, &offer) == PERM_OK; index++)
      declined |= offer.seconds == (double)INFINITY && offer.reason[0];
    CHECK_SHOW(index >= plan[k].offers && declined, "%s: %d offers\n%s", plan[k].pattern, index, text);
    if (refused) {
      CHECK(perm_job_leaves(job) == 0 && perm_job_finish(job, NULL, &result) == PERM_ERROR_LIMIT);
      CHECK_TEXT(result.message, "this job only explains");
      CHECK(perm_state_create(job, &state) == PERM_OK);
      CHECK(perm_job_execute(job, state, NULL, &result) == PERM_ERROR_LIMIT && result.value != result.value);
      perm_state_free(state);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

/* perm_job_offer has each engine's prediction or reason, in the words of perm_job_explain; perm_job_precision what the
   result will be; times and sizes in words. */
TEST(t_engines_offers)
{
  static const struct { const char *pattern; perm_method chosen, declined; const char *reason; int exact; } plan[] = {
      {"regular:60:3", PERM_METHOD_FRONTIER, PERM_METHOD_PLANAR, "is not planar", 1},
      {"grid:8:8", PERM_METHOD_BAND, PERM_METHOD_PLANAR, "is done before a drawing is found", 1},
      {"uniform:40", PERM_METHOD_DENSE, PERM_METHOD_TWINS,
       "has too few proportional lines in the orders that were tried, for no longer than another engine takes", 0},
      {"blocks:3:17:0.95", PERM_METHOD_DENSE, PERM_METHOD_TREE, "", 0}};
  static const struct { int bytes; double number; const char *text; } words[] = {
      {0, 0.99995, "1 s"}, {0, 59.96, "1 min 0 s"}, {0, 3599.6, "1 h 0 min"}, {0, 86400, "24 h 0 min"},
      {0, 172800, "2 days"}, {0, 1e-9, "1 ns"}, {0, 2e-6, "2 us"}, {0, 0, "0 s"}, {0, -1, "0 s"}, {0, NAN, "0 s"},
      {0, INFINITY, "for ever"}, {1, 1, "1 byte"}, {1, 2, "2 bytes"}, {1, 999.7, "1 kB"}, {1, NAN, "0 bytes"}};
  char text[8000], small[4];
  int k, index;
  for (k = 0; k < (int)(sizeof plan / sizeof *plan); k++) {
    perm_matrix matrix;
    perm_job *job = NULL;
    perm_leaf leaf = {0};
    perm_offer offer;
    int chosen = 0, declined = 0, blocks = 0, proved = -1;
    CHECK(perm_generate(plan[k].pattern, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, NULL, &job, NULL) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    for (index = 0; perm_job_offer(job, index, &offer) == PERM_OK; index++) {
      char line[300], end[200] = "";
      CHECK(perm_job_leaf(job, offer.block, &leaf) == PERM_OK && leaf.n == offer.n);
      if (offer.seconds < (double)INFINITY && offer.reason[0])
        snprintf(end, sizeof end, ": %s", offer.reason);
      if (offer.seconds < (double)INFINITY)
        snprintf(line, sizeof line, "  order %d, %-12s predicted %.3g s, %.3g bytes%s\n", offer.n,
                 perm_name("method", offer.method), offer.seconds, offer.bytes, end);
      else
        snprintf(line, sizeof line, "  order %d, %-12s no: the block %s\n", offer.n, perm_name("method", offer.method),
                 offer.reason);
      CHECK_SHOW(strstr(text, line) != NULL, "%.280s not in %.7000s", line, text);
      chosen += offer.method == plan[k].chosen && offer.method == leaf.method && offer.seconds < (double)INFINITY;
      declined += offer.method == plan[k].declined && offer.seconds == (double)INFINITY &&
                  !strcmp(offer.reason, plan[k].reason);
      blocks = offer.block + 1;
    }
    CHECK_SHOW(index >= 2 && chosen == (k == 3 ? 3 : 1) && declined == (k < 3) && blocks == perm_job_leaves(job),
               "%.7000s", text);
    CHECK(perm_job_offer(job, index, &offer) == PERM_ERROR_RANGE);
    CHECK(perm_job_offer(job, -1, &offer) == PERM_ERROR_RANGE);
    CHECK(perm_job_offer(job, 0, NULL) == PERM_ERROR_NULL && perm_job_offer(NULL, 0, &offer) == PERM_ERROR_NULL);
    CHECK((perm_job_precision(job, &proved) == PERM_PRECISION_EXACT) == plan[k].exact && proved >= plan[k].exact);
    CHECK(perm_job_precision(job, NULL) == perm_job_precision(job, &proved));
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK(perm_amount_text("seconds", 11520, text, sizeof text) == 10 && !strcmp(text, "3 h 12 min"));
  CHECK(perm_amount_text("bytes", 2.5e9, text, sizeof text) == 6 && !strcmp(text, "2.5 GB"));
  CHECK(perm_amount_text("seconds", 3e-4, small, sizeof small) == 6 && !strcmp(small, "300"));
  for (k = 0; k < (int)(sizeof words / sizeof *words); k++) {
    perm_amount_text(words[k].bytes ? "bytes" : "seconds", words[k].number, text, sizeof text);
    CHECK_SHOW(!strcmp(text, words[k].text), "%g: %s", words[k].number, text);
  }
}

/* However many chunks share a tree of choices, each leaf is one chunk's, and each node is counted once. */
TEST(t_engines_chunks_share_a_tree)
{
  static const perm_method methods[] = {PERM_METHOD_SPARYSER, PERM_METHOD_DOMINATING, PERM_METHOD_DECOMPOSE,
                                        PERM_METHOD_TRANSVERSALS};
  static const uint64_t chunks[] = {1, 2, 3, 8, 50, 64, 1000, 30000};
  perm_matrix matrix;
  int method, k;
  CHECK(perm_generate("regular:16:4", 3, NULL, &matrix, NULL) == PERM_OK);
  for (method = 0; method < 4; method++) {
    perm_options options = t_sparse_options(methods[method], PERM_PRECISION_EXACT);
    perm_result first;
    memset(&first, 0, sizeof first);
    for (k = 0; k < 8; k++) {
      perm_partial partial;
      perm_result result;
      perm_job *job = NULL;
      CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->leaves == 1);
      memset(&partial, 0, sizeof partial);
      CHECK(job->leaf[0].information.kind == PERM_LEAF_RANGE);
      job->leaf[0].information.chunks = chunks[k];
      CHECK(perm_job_run(job, 0, 0, chunks[k], &partial) == PERM_OK);
      CHECK(perm_job_finish(job, &partial, &result) == PERM_OK && result.exact);
      if (k == 0)
        first = result;
      CHECK_SHOW(!memcmp(&first.integer, &result.integer, sizeof first.integer) && result.terms == first.terms,
                 "%s, %d chunks: %.17g of %.0f terms, not %.17g of %.0f", perm_name("method", methods[method]),
                 (int)chunks[k], result.value, result.terms, first.value, first.terms);
      perm_job_free(job);
    }
    CHECK(first.terms > 100);
  }
  perm_matrix_free(&matrix);
}

/* Walks that are stopped within a chunk, or between two, go on from a prefix of the chunks to the same bits. With one
   thread the predicted work alone says where they look. */
TEST(t_engines_walks_stop_within_chunks)
{
  static const perm_method methods[] = {PERM_METHOD_DECOMPOSE, PERM_METHOD_TRANSVERSALS};
  const volatile int yes = 1;
  int run;
  for (run = 0; run < 4; run++) { /* tenths of seconds: a look comes after 2 ms */
    const int method = run / 2, threads = run % 2 ? 3 : 1;
    perm_options options = t_sparse_options(methods[method], PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result first, result;
    perm_job *job = NULL;
    perm_state *state;
    int calls, within = 0, between = 0;
    CHECK(perm_generate(method ? "regular:34:3" : "regular:52:3", 3, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->leaves == 1);
    job->leaf[0].information.chunks = 37;
    CHECK(perm_state_create(job, &state) == PERM_OK);
    CHECK(perm_job_execute(job, state, &options, &first) == PERM_OK);
    perm_state_free(state);
    CHECK(perm_state_create(job, &state) == PERM_OK);
    options.threads = threads;
    options.cancel = &yes;
    for (calls = 0; calls < 100; calls++) {
      uint64_t begin = 0, end = 0, left, left_end;
      perm_status status;
      perm_state_left(job, state, 0, 0, &begin, &end);
      test_walk_grace = calls % 2 ? 0.1 : 0;
      status = perm_job_execute(job, state, &options, &result);
      perm_state_left(job, state, 0, 0, &left, &left_end);
      if (status == PERM_OK)
        break;
      CHECK(status == PERM_STOPPED_CANCELLED && left_end == end && (calls % 2 ? left > begin : left >= begin));
      within += left == begin;
      between += left > begin;
    }
    test_walk_grace = 0.1;
    CHECK_SHOW((threads > 1 || (within > 3 && between > 3)) && result.status == PERM_OK &&
                   first.value == result.value && first.error_bound == result.error_bound &&
                   first.terms == result.terms,
               "%s: %d stops within chunks, %d between; %.17g of %.0f terms, not %.17g of %.0f",
               perm_name("method", methods[method]), within, between, result.value, result.terms, first.value,
               first.terms);
    perm_state_free(state);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

/* Plans say their method, the order of the block, and as many bytes as they return, whatever the buffer holds. */
TEST(t_engines_explain)
{
  static const struct { perm_method method; const char *pattern, *text; } plan[] = {
      {PERM_METHOD_SPARYSER, "er:20:0.3", "sparyser"},
      {PERM_METHOD_DOMINATING, "er:20:0.3", "dominating"},
      {PERM_METHOD_TRANSVERSALS, "regular:20:3", "choices, terms in integers"},
      {PERM_METHOD_DECOMPOSE, "regular:20:3", "decompose"},
      {PERM_METHOD_BAND, "band:40:3", "band"},
      {PERM_METHOD_TWINS, "menage:40", "are counted, the largest product of (number + 1) is"},
      {PERM_METHOD_TREE, "regular:30:3", "tree"},
      {PERM_METHOD_FRONTIER, "regular:30:3", "frontier"},
      {PERM_METHOD_HYBRID, "er:20:0.3", "hybrid"}};
  size_t k;
  for (k = 0; k < sizeof plan / sizeof plan[0]; k++) {
    const perm_options options = t_sparse_options(plan[k].method, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_job *job = NULL;
    perm_result result;
    char text[4096], start[40];
    size_t bytes;
    CHECK(perm_generate(plan[k].pattern, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK_SHOW(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK, "%s", result.message);
    if (job) {
      bytes = perm_job_explain(job, text, sizeof text);
      CHECK(bytes > 0 && bytes < sizeof text && strlen(text) == bytes && text[bytes - 1] == '\n');
      CHECK_TEXT(text, plan[k].text);
      CHECK(perm_job_explain(job, start, sizeof start) == bytes && !strncmp(start, text, sizeof start - 1));
      CHECK(perm_job_explain(job, NULL, 0) == bytes);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
