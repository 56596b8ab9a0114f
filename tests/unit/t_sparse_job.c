/* >>sparse, >>choose */
/* Sparse matrices: failing allocations, calls that stop, what is refused by name, matrices of the literature, integers
   that round, large structures. */

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
  options.method = PERM_METHOD_BAND;
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

/* The literature's matrices, from PERM_MATRICES. value 2^exp2 for doubles, digits when exact. */
static void t_sparse_literature(const char *name, const char *digits, double value, int exp2, double seconds)
{
  char path[512], text[128];
  perm_matrix matrix;
  perm_result result, again;
  if (!test_matrix_path(name, path, sizeof path)) SKIP("the matrix is not in PERM_MATRICES");
  CHECK(perm_matrix_read(path, NULL, &matrix, NULL, &result) == PERM_OK);
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
      for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_DD; precision++)
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
                       "n=%d %s: off by %Lg, error %g, estimate %g", n, perm_name("method", methods[k]), value - exact,
                       result.error_bound, result.error_estimate);
        }
}

/* The same where the matrix is taken as an array: rectangular, or for the methods over counts. */
TEST(t_sparse_integers_that_round_in_arrays)
{
  static const int row[] = {0, 0, 1, 1, 1}, column[] = {0, 1, 0, 1, 2};
  static const int64_t integer[] = {INT64_C(9007199254740993), 2, INT64_C(9007199254740995), 3, 1};
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,
                                        PERM_METHOD_MULTIPLICITIES};
  int k, n;
  for (k = 0; k < 4; k++)
    for (n = 2; n <= 3; n++) { /* without and with the last column */
      const long double z = integer[0], exact = 3 * z + 2.0L * integer[2] + (n == 3 ? z + 2 : 0);
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DD);
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
                 "%s, 2 x %d: exact %d, off by %Lg, error %g, estimate %g", perm_name("method", methods[k]), n,
                 result.exact, off, result.error_bound, result.error_estimate);
      perm_matrix_free(&matrix);
    }
}

/* Methods multiplicities and ryser in double-double of integers of 62 bits: within the estimate. */
TEST(t_sparse_doubles_of_integers_that_round)
{
  static const perm_method methods[] = {PERM_METHOD_MULTIPLICITIES, PERM_METHOD_RYSER};
  int n, way;
  for (n = 1; n <= 6; n++)
    for (way = 0; way < 4; way++) {
      const perm_options options = t_sparse_options(methods[way / 2], PERM_PRECISION_DD);
      oracle_entry entry[36];
      oracle_exact exact;
      perm_result result;
      perm_matrix matrix;
      int64_t integer[36];
      int row[36], column[36], k;
      double off;
      for (k = 0; k < n * n; k++) { /* x + y */
        row[k] = k / n;
        column[k] = k % n;
        integer[k] = INT64_C(2666017420329218383) + row[k] * INT64_C(98765432123456789) -
                     column[k] * (way % 2 ? INT64_C(1345678987654321001) : 1);
        entry[k] = oracle_whole((uint64_t)(integer[k] < 0 ? -integer[k] : integer[k]), 0, integer[k] < 0);
      }
      CHECK(perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, NULL, NULL, integer, PERM_KIND_INTEGER,
                                      NULL, &matrix, NULL) == PERM_OK);
      perm_compute_sparse(&matrix, &options, &result);
      perm_matrix_free(&matrix);
      CHECK_SHOW(result.status == PERM_OK, "%s", result.message);
      exact = oracle_exact_entries(1, n, n, entry, HUGE_VAL);
      off = oracle_exact_distance(&exact, result.value, 0, result.exp2);
      oracle_exact_free(&exact);
      CHECK_SHOW(off <= result.error_bound && off <= 2 * result.error_estimate,
                 "%s, order %d: off by %g, bound %g, estimate %g", perm_name("method", methods[way / 2]),
                 n, off, result.error_bound, result.error_estimate);
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
      perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
      perm_job *job = NULL;
      char text[4096] = "";
      CHECK(fabs(result.value - order) <= result.error_bound && result.error_bound < 1e-6);
      CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
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
      perm_options options = t_sparse_options(methods[k], PERM_PRECISION_DEFAULT);
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

/* default escalates to dd when a tolerance asks for it, and says when that is not enough. */
TEST(t_sparse_escalates)
{
  double a[14 * 14];
  int i;
  perm_options options = t_sparse_options(PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT);
  perm_matrix matrix;
  perm_result result;
  for (i = 0; i < 14 * 14; i++)
    a[i] = 2 * test_uniform() - 1;
  CHECK(perm_matrix_from_dense(14, 14, a, 14, NULL, &matrix, NULL) == PERM_OK);
  options.tolerance = 1e-17;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_TOLERANCE_NOT_MET);
  CHECK(result.escalated == 1 && result.precision == PERM_PRECISION_DD && result.error_estimate < (double)INFINITY);
  options.tolerance = 1e-6;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.escalated == 0);
  CHECK(result.precision == PERM_PRECISION_DEFAULT);
  perm_matrix_free(&matrix);
}
/* A job that must beat another one is as quick as that, or none: what is slower is not planned. Where integers take
   seconds, doubles are planned against them. */
TEST(t_sparse_job_plans_beat_what_is_there)
{
  static const char *const name[] = {"regular:40:6", "er:36:0.17", "regular:60:3"};
  size_t k;
  for (k = 0; k < sizeof name / sizeof *name; k++) {
    static const double parts[] = {1.5, 0.7, 1e-3};
    perm_options options = {0};
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL;
    permi_control watch = permi_control_begin(&options);
    double alone, worked;
    int p;
    CHECK(perm_generate(name[k], 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK(permi_make_job(&matrix, 0, &watch, 0, (double)INFINITY, &job, &result) == PERM_OK);
    alone = permi_job_seconds(job);
    worked = watch.worked;
    perm_job_free(job);
    for (p = 0; p < 3; p++) {
      perm_status status;
      watch = permi_control_begin(&options);
      job = NULL;
      memset(&result, 0, sizeof result);
      status = permi_make_job(&matrix, 0, &watch, 0, parts[p] * alone, &job, &result);
      CHECK_SHOW(status == PERM_OK || (status == PERM_ERROR_LIMIT && p), "%s: %d, %s", name[k], (int)status,
                 result.message);
      if (status == PERM_OK && job->leaf[0].information.method != PERM_METHOD_DENSE)
        CHECK_SHOW(permi_job_seconds(job) <= parts[p] * alone, "%s: %g of %g s", name[k], permi_job_seconds(job),
                   alone);
      CHECK_SHOW(p < 2 || alone < 0.1 || watch.worked < 0.5 * worked, "%s: %g units, alone %g", name[k], watch.worked,
                 worked);
      perm_job_free(job);
    }
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
