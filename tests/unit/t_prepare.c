/* >>split, >>reduce, >>choose */
/* Preparation of sparse matrices: complex entries merged, what was done and why, blocks known by construction. */

#include <time.h>

/* Random complex bands and blobs against exact arithmetic: lines of degree 2 are merged, the bound stays a bound. */
TEST(t_prepare_complex_merges)
{
  int trial, merged = 0, finite = 0, sharp = 0, nonzero = 0;
  test_seed(71);
  for (trial = 0; trial < 300; trial++) {
    const int n = 2 + trial % 9, kind = trial % 3;
    double a[2 * 100];
    perm_matrix matrix;
    perm_result result;
    oracle_exact exact;
    char text[4096];
    perm_job *job = NULL;
    int i, j;
    memset(a, 0, sizeof a);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (i == j || j == (i + 1) % n || test_below(10) < kind) {
          const int wild = kind == 2 ? test_below(80) - 40 : 0;
          a[2 * (i * n + j)] = ldexp(test_uniform() - 0.5, wild);
          a[2 * (i * n + j) + 1] = test_below(4) ? ldexp(test_uniform() - 0.5, wild) : 0;
        }
    matrix = t_sparse_complex_matrix(n, a);
    CHECK(perm_sparse_job(&matrix, NULL, &job, &result) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    merged += strstr(text, " 0 of degree 2") == NULL;
    perm_job_free(job);
    CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK);
    exact = oracle_exact_make(2, n, a);
    {
      const double error = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
      const double size = hypot(result.value, result.imaginary);
      CHECK_SHOW(error <= result.error_bound, "trial %d n %d: %g > %g", trial, n, error, result.error_bound);
      finite += result.error_bound < (double)INFINITY;
      nonzero += size > 0;
      sharp += result.error_bound < 1e-9 * size;
    }
    oracle_exact_free(&exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(merged > 150 && finite > 250 && sharp > 100, "%d merged, %d finite, %d sharp of %d", merged, finite, sharp,
             nonzero);
}

/* Gaussian integers are merged too: cycles of any length are of one row in the end. */
TEST(t_prepare_gaussian_cycles)
{
  int n, i;
  for (n = 2; n < 12; n++) {
    double a[2 * 144];
    perm_matrix matrix;
    perm_result result;
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
    long re[2] = {1, 1}, im[2] = {0, 0}, was;
    memset(a, 0, sizeof a);
    for (i = 0; i < 2 * n; i++) { /* the diagonal, then the other entries of the cycle */
      const int x = test_below(7) - 3, y = test_below(7) - 3, k = i / n, at = i % n * n + (i % n + k) % n;
      a[2 * at] = x;
      a[2 * at + 1] = y;
      was = re[k];
      re[k] = was * x - im[k] * y;
      im[k] = was * y + im[k] * x;
    }
    matrix = t_sparse_complex_matrix(n, a);
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    CHECK(result.value == (double)(re[0] + re[1]) && result.imaginary == (double)(im[0] + im[1]));
    perm_matrix_free(&matrix);
  }
}

static perm_preparation t_prepare_report(const char *specification, uint64_t seed)
{
  perm_preparation report;
  perm_result result;
  perm_matrix matrix;
  memset(&report, 0, sizeof report);
  CHECK(perm_generate(specification, seed, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sparse_report(&matrix, NULL, &report, &result) == PERM_OK && result.status == PERM_OK);
  CHECK(report.m == matrix.m && report.n == matrix.n && report.entries == matrix.nnz);
  perm_matrix_free(&matrix);
  return report;
}

/* Blocks, dead couplings and what falls to degree 1 and 2, as the generators count them. */
TEST(t_prepare_report_knows_what_was_built)
{
  perm_preparation report;
  int count, order;
  for (count = 1; count < 6; count++)
    for (order = 1; order < 7; order++) {
      char name[40];
      const size_t dead = (size_t)(order * (count - 1) + (count > 2 ? order * (count - 2) : 0));
      snprintf(name, sizeof name, "blocks:%d:%d:0", count, order); /* cycles: of degree 2, then of degree 1 */
      report = t_prepare_report(name, (uint64_t)(7 * count + order));
      CHECK(report.structural_rank == count * order && report.hall_lines == 0 && report.components == count);
      CHECK_SHOW(report.dead_entries == dead, "%s: %d dead", name, (int)report.dead_entries);
      CHECK(report.blocks == 0 && report.entries_left == 0 && report.largest == 0 && !report.cancelled);
      CHECK(report.degree_one == count && report.degree_two == count * (order - 1));
      CHECK(report.entries == dead + report.entries_one + report.entries_two);
      snprintf(name, sizeof name, "blocks:%d:%d:1", count, order + 3); /* full blocks: nothing falls */
      report = t_prepare_report(name, 3);
      CHECK(report.components == count && report.blocks == count && report.largest == order + 3);
      CHECK(report.entries_left == (size_t)(count * (order + 3) * (order + 3)) && report.rounds == 1);
      CHECK(report.equal_rows == 0 && report.degree_four == (order == 1 ? 8 * count : 0) && report.degree_three == 0);
    }
  report = t_prepare_report("tree:5000", 1);
  CHECK(report.components == 5000 && report.dead_entries == 4999 && report.degree_one == 5000 && report.blocks == 0);
  report = t_prepare_report("blocks:300:20:0.1", 1);
  CHECK(report.components == 300 && report.blocks <= 300 && report.largest <= 20);
  report = t_prepare_report("ones:6", 1);
  CHECK(report.equal_rows == 5 && report.equal_columns == 5 && report.blocks == 1);
  report = t_prepare_report("regular:30:3", 1);
  CHECK(report.degree_three == 60 && report.degree_four == 0 && report.rounds == 1);
  report = t_prepare_report("ones:0", 1);
  CHECK(report.n == 0 && report.structural_rank == 0);
}

/* Structural rank against a slow matching, and Hall's violator: so many lines with so many partners. */
static int t_prepare_augment(int n, const double *a, int row, int *partner, int *seen)
{
  int j;
  for (j = 0; j < n; j++)
    if (a[row * n + j] != 0 && !seen[j]) {
      seen[j] = 1;
      if (partner[j] < 0 || t_prepare_augment(n, a, partner[j], partner, seen)) {
        partner[j] = row;
        return 1;
      }
    }
  return 0;
}

/* The lines that the words of a report list have entries in no more of the other side's lines than it says. */
static void t_prepare_hall(int m, int n, const double *a, const perm_preparation *report)
{
  const char *at = strrchr(report->hall, ':');
  int used[12] = {0}, listed = 0, last = 0, others = 0, more = 0, k;
  CHECK(at && report->hall_lines >= 1);
  at = at ? strchr(at + 2, ' ') : NULL; /* behind "rows" */
  for (; at && *at; at += strcspn(at + 1, ",") + 1) {
    const int line = atoi(at + 1);
    if (!strcmp(at, ", ..")) {
      more = 1;
      break;
    }
    CHECK_SHOW(line > last && line <= (m > n ? n : m), "%s", report->hall);
    last = line;
    listed++;
    for (k = 0; k < (m > n ? m : n); k++) used[k] |= a[m > n ? k * n + line - 1 : (line - 1) * n + k] != 0;
  }
  for (k = 0; k < 12; k++) others += used[k];
  CHECK_SHOW(listed == (report->hall_lines < 8 ? report->hall_lines : 8) && more == (report->hall_lines > 8) &&
             (more ? others <= report->hall_others : others == report->hall_others), "%s", report->hall);
  CHECK(strstr(report->hall, m > n ? "column" : "row") < strstr(report->hall, m > n ? "row" : "column"));
}

TEST(t_prepare_structural_rank)
{
  int trial, singular = 0;
  test_seed(5);
  for (trial = 0; trial < 400; trial++) {
    const int m = 1 + test_below(12), n = trial % 3 ? m : 1 + test_below(12);
    int partner[12], seen[12], i, j, rank = 0;
    double a[144];
    perm_matrix matrix;
    perm_preparation report;
    perm_result result;
    for (i = 0; i < m * n; i++)
      a[i] = test_below(m) < 2 ? 1 + test_below(3) : 0;
    for (j = 0; j < n; j++)
      partner[j] = -1;
    for (i = 0; i < m; i++) {
      memset(seen, 0, sizeof seen);
      rank += t_prepare_augment(n, a, i, partner, seen);
    }
    CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_report(&matrix, NULL, &report, &result) == PERM_OK);
    CHECK_SHOW(report.structural_rank == rank, "%d x %d: rank %d, not %d", m, n, report.structural_rank, rank);
    if (rank < (m < n ? m : n)) {
      CHECK(report.hall_lines > report.hall_others && report.hall_others >= 0 && report.blocks == 0);
      t_prepare_hall(m, n, a, &report);
      singular++;
      if (m == n) {
        char text[1024], expected[128];
        perm_job *job = NULL;
        CHECK(perm_sparse_job(&matrix, NULL, &job, NULL) == PERM_OK);
        perm_job_explain(job, text, sizeof text);
        snprintf(expected, sizeof expected, "rank %d of %d, the permanent is 0: %d row%s entries in only %d", rank,
                 n, report.hall_lines, report.hall_lines == 1 ? " has" : "s have", report.hall_others);
        CHECK_TEXT(text, expected);
        perm_job_free(job);
      }
    } else {
      CHECK(report.hall_lines == 0 && report.hall_others == 0 && !report.hall[0]);
    }
    perm_matrix_free(&matrix);
  }
  CHECK(singular > 50 && singular < 350);
  { /* three rows in two columns */
    const double a[16] = {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1};
    perm_matrix matrix;
    perm_preparation report;
    CHECK(perm_matrix_from_dense(4, 4, a, 4, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_report(&matrix, NULL, &report, NULL) == PERM_OK);
    CHECK(report.structural_rank == 3 && report.hall_lines == 3 && report.hall_others == 2);
    CHECK(!strcmp(report.hall, "3 rows have entries in only 2 columns: rows 1, 2, 3"));
    CHECK(perm_sparse_report(&matrix, NULL, NULL, NULL) == PERM_ERROR_NULL);
    CHECK(perm_sparse_report(NULL, NULL, &report, NULL) == PERM_ERROR_NULL);
    perm_matrix_free(&matrix);
  }
}

/* No entry is lost to the whole numbers that exact precision and moduli are about. */
TEST(t_prepare_entries_that_are_not_integers)
{
  const double real[4] = {0, 1.25, 1, 0}, imaginary[4] = {1.125, 0, 0, 0.75};
  const int row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1};
  int m;
  for (m = 1; m <= 2; m++) {
    perm_options options = t_sparse_options(PERM_METHOD_MULTIPLICITIES, PERM_PRECISION_EXACT);
    perm_matrix matrix;
    perm_preparation report;
    CHECK(perm_matrix_from_triplets(m, 2, (size_t)(2 * m), row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL,
                                    &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_report(&matrix, &options, &report, NULL) == PERM_OK);
    CHECK(report.entries == (size_t)(2 * m) && report.structural_rank == m);
    perm_matrix_free(&matrix);
  }
}

/* k equal rows with k columns between them are a block of their own; -1 and 1 cancel to a singular rest. */
TEST(t_prepare_equal_rows_and_cancelling)
{
  double a[64], b[9] = {1, 1, 1, 1, -1, 1, 0, 0, 0};
  perm_matrix matrix;
  perm_preparation report;
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
  perm_result result;
  int i, j;
  memset(a, 0, sizeof a);
  for (i = 0; i < 8; i++)
    for (j = 0; j < 8; j++)
      a[i * 8 + j] = i < 4 ? j < 4 : 1; /* four equal rows in four columns, the others full */
  CHECK(perm_matrix_from_dense(8, 8, a, 8, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_sparse_report(&matrix, NULL, &report, NULL) == PERM_OK);
  CHECK(report.components == 2 && report.dead_entries == 16 && report.equal_rows == 6 && report.equal_columns == 6);
  perm_matrix_free(&matrix);
  memset(a, 0, sizeof a);
  for (i = 0; i < 2; i++) /* a 2 x 2 block of permanent 0 */
    for (j = 0; j < 2; j++)
      a[i * 2 + j] = b[i * 3 + j];
  CHECK(perm_matrix_from_dense(2, 2, a, 2, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_sparse_report(&matrix, &options, &report, NULL) == PERM_OK && report.structural_rank == 2);
  CHECK(report.cancelled == 1);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact && result.value == 0);
  perm_matrix_free(&matrix);
}

/* Every allocation fails in turn: the report, and decompose. */
TEST(t_prepare_survives_every_failing_allocation)
{
  int call;
  for (call = 0; call < 2; call++) {
    t_generate_memory memory;
    perm_options options = t_sparse_options(PERM_METHOD_DECOMPOSE, PERM_PRECISION_DEFAULT);
    perm_matrix matrix;
    perm_result result;
    perm_preparation report;
    perm_status status = PERM_ERROR_MEMORY;
    CHECK(perm_generate("regular:20:3", 1, NULL, &matrix, NULL) == PERM_OK);
    memset(&memory, 0, sizeof memory);
    options.allocator.allocate = t_generate_allocate;
    options.allocator.release = t_generate_release;
    options.allocator.user_data = &memory;
    for (memory.fail_at = 1; memory.fail_at < 100; memory.fail_at++) {
      memory.calls = 0;
      status = call ? perm_compute_sparse(&matrix, &options, &result)
                    : perm_sparse_report(&matrix, &options, &report, &result);
      CHECK(memory.live == 0);
      if (status == PERM_OK)
        break;
      CHECK(status == PERM_ERROR_MEMORY && result.status == status);
    }
    CHECK_SHOW(status == PERM_OK && memory.fail_at - 1 == (call ? 13 : 4), "call %d: %ld allocations", call,
               memory.fail_at - 1);
    perm_matrix_free(&matrix);
  }
}

/* Hand-made compressed rows with every kind of mistake, by the job, the computation and the report alike. */
TEST(t_prepare_refuses_malformed_rows)
{
  static const struct { int m, n; size_t nnz, start[4]; int column[6]; perm_status status; const char *text; } bad[] = {
    {3, 3, 3, {0, 1, 2, 3}, {0, 1, 3}, PERM_ERROR_SIZE, "column index 3 of 3"},
    {3, 3, 3, {0, 1, 2, 3}, {0, -1, 2}, PERM_ERROR_SIZE, "column index -1"},
    {3, 3, 3, {0, 2, 2, 3}, {1, 1, 2}, PERM_ERROR_SIZE, "do not ascend"},
    {3, 3, 3, {0, 2, 2, 3}, {2, 1, 2}, PERM_ERROR_SIZE, "do not ascend"},
    {3, 3, 3, {0, 2, 1, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "row_start decreases after row 2"},
    {3, 3, 3, {0, 4, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "row_start"},
    {3, 3, 3, {1, 1, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "row_start does not run from 0"},
    {3, 3, 4, {0, 1, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "row_start does not run from 0 to nnz"},
    {3, 3, (size_t)-1, {0, 1, 2, (size_t)-1}, {0, 1, 2}, PERM_ERROR_SIZE, "too large"},
    {INT_MAX, INT_MAX, 3, {0, 1, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "too large"},
    {-1, 3, 3, {0, 1, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "negative"},
    {3, -3, 3, {0, 1, 2, 3}, {0, 1, 2}, PERM_ERROR_SIZE, "negative"},
    {3, 0, 3, {0, 1, 2, 3}, {0, 0, 0}, PERM_ERROR_SIZE, "column index 0 of 0"}};
  size_t k;
  int form;
  for (k = 0; k < sizeof bad / sizeof *bad + 5; k++)
    for (form = 0; form < 3; form++) {
      const size_t at = k < sizeof bad / sizeof *bad ? k : 0;
      size_t start[4] = {0, 1, 2, 3};
      int column[6] = {0, 1, 2, 0, 0, 0};
      double real[6] = {1, 1, 1, 1, 1, 1};
      perm_matrix matrix;
      perm_result result;
      perm_preparation report;
      perm_job *job = NULL;
      perm_status status, expected = PERM_ERROR_NULL;
      memset(&matrix, 0, sizeof matrix);
      matrix.m = matrix.n = 3;
      matrix.nnz = 3;
      matrix.kind = PERM_KIND_REAL;
      matrix.row_start = start;
      matrix.column = column;
      matrix.real = real;
      if (k < sizeof bad / sizeof *bad) {
        memcpy(start, bad[at].start, sizeof start);
        memcpy(column, bad[at].column, sizeof column);
        matrix.m = bad[at].m;
        matrix.n = bad[at].n;
        matrix.nnz = bad[at].nnz;
        expected = bad[at].status;
      } else if (k == sizeof bad / sizeof *bad) {
        matrix.row_start = NULL;
      } else if (k == sizeof bad / sizeof *bad + 1) {
        matrix.column = NULL;
      } else if (k == sizeof bad / sizeof *bad + 2) {
        matrix.real = NULL;
      } else if (k == sizeof bad / sizeof *bad + 3) {
        matrix.kind = PERM_KIND_INTEGER;
      } else {
        matrix.kind = PERM_KIND_COMPLEX;
      }
      status = form == 0 ? perm_sparse_report(&matrix, NULL, &report, &result)
               : form == 1 ? perm_sparse_job(&matrix, NULL, &job, &result)
                           : perm_compute_sparse(&matrix, NULL, &result);
      CHECK_SHOW(status == expected && result.status == status, "case %d, form %d: %d %s", (int)k, form, (int)status,
                 result.message);
      CHECK_TEXT(result.message, k < sizeof bad / sizeof *bad ? bad[at].text : "is NULL");
      perm_job_free(job);
    }
}

/* Linear-ish: a tridiagonal matrix of order 100,000, a random tree, 3,000 blocks. The limits are generous. */
TEST(t_prepare_is_fast)
{
  static const struct { const char *name; int components; } kinds[] = {
    {"band:100000:1", 1}, {"tree:100000", 100000}, {"blocks:3000:10:0.1", 3000}, {"grid:300:300", 1}};
  size_t k;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    perm_preparation report;
    perm_matrix matrix;
    clock_t start; /* of the processor: others may be at work */
    CHECK(perm_generate(kinds[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    start = clock();
    CHECK(perm_sparse_report(&matrix, NULL, &report, NULL) == PERM_OK);
    start = clock() - start;
    CHECK_SHOW(start < 5 * CLOCKS_PER_SEC, "%s: %g s", kinds[k].name, (double)start / CLOCKS_PER_SEC);
    CHECK_SHOW(report.components == kinds[k].components, "%s: %d", kinds[k].name, report.components);
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
