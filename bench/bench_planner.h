/* Planning: its share of whole calls, the default against other efforts, the choice against engines by name. One
   thread, calls as users make them (plan, run, escalation), interleaved, the best of several in processor time.
   `planner=NAME` takes the matrices whose name contains NAME.

   Beyond perm_generate's: circulant:N:D (ones at differences 0, 1, 4, 9, ...), ktree:N:K (adjacency and diagonal of a
   random k-tree), power:N:D (entry i, j as likely as 1 / sqrt(i j), D a row on average, and the diagonal). Before
   any: "ones-" the pattern, "signed-" random signs, "complex-" a random phase's imaginary part, "array-" by
   perm_compute_real and the like. */
#define BENCH_PLANNER_FACTOR 4.0  /* an engine by name may take this times the default, */
#define BENCH_PLANNER_LEAST 0.1   /* and this at least, on a clock that runs on while others compute */
#define BENCH_PLANNER_SECONDS 0.3 /* of repetitions of a call, */
#define BENCH_PLANNER_LEAST_REPEATS 3
#define BENCH_PLANNER_APART 5e-4 /* seconds that nobody notices between two engines */
#define BENCH_PLANNER_REPEATS 25

typedef struct bench_planner_case {
  perm_matrix matrix;
  double *real; /* of an array, as are integers; NULL: sparse */
  int64_t *integer;
} bench_planner_case;

static double bench_planner_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double bench_planner_random(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + 1;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* One of this file's kinds, from a full table of marks; 0: it is another. */
static int bench_planner_own(const char *name, perm_matrix *matrix)
{
  int n, i, j, k, kind = 3;
  double d, sum = 0;
  uint64_t seed = 1;
  int clique[256][16];
  unsigned char *mark;
  size_t used = 0;
  if (sscanf(name, "circulant:%d:%lf", &n, &d) == 2)
    kind = 0;
  else if (sscanf(name, "ktree:%d:%lf", &n, &d) == 2)
    kind = 1;
  else if (sscanf(name, "power:%d:%lf", &n, &d) == 2)
    kind = 2;
  if (kind == 3)
    return 0;
  mark = (unsigned char *)calloc((size_t)n * (size_t)n, 1);
  for (i = 0; i < n; i++)
    mark[i * n + i] = 1;
  for (i = 0; i < n && kind == 0; i++)
    for (k = 0; k < (int)d; k++)
      mark[i * n + (i + k * k) % n] = 1;
  for (i = 0; i < n && kind == 1; i++) { /* clique[i]: i and D older neighbours, of an older clique */
    const int from = i <= (int)d ? 0 : (int)d + (int)(bench_planner_random(&seed) * (i - (int)d));
    const int left = (int)(bench_planner_random(&seed) * (d + 1));
    for (j = k = 0; j <= (int)d; j++)
      if (i <= (int)d ? j < i : j != left)
        clique[i][k++] = i <= (int)d ? j : clique[from][j];
    clique[i][k] = i;
    for (j = 0; j < k; j++)
      mark[i * n + clique[i][j]] = mark[clique[i][j] * n + i] = 1;
  }
  for (i = 0; i < n * n && kind == 2; i++)
    sum += 1 / sqrt((1.0 + i / n) * (1.0 + i % n));
  for (i = 0; i < n * n && kind == 2; i++)
    mark[i] |= bench_planner_random(&seed) < d * n / sum / sqrt((1.0 + i / n) * (1.0 + i % n));
  memset(matrix, 0, sizeof *matrix);
  matrix->kind = PERM_KIND_REAL;
  matrix->m = matrix->n = n;
  matrix->row_start = (size_t *)malloc(((size_t)n + 1) * sizeof(size_t));
  matrix->column = (int *)malloc((size_t)n * (size_t)n * sizeof(int));
  matrix->real = (double *)malloc((size_t)n * (size_t)n * sizeof(double));
  for (i = 0; i < n; i++) {
    matrix->row_start[i] = used;
    for (j = 0; j < n; j++)
      if (mark[i * n + j]) {
        matrix->column[used] = j;
        matrix->real[used++] = 1e-3 + bench_planner_random(&seed);
      }
  }
  matrix->row_start[n] = matrix->nnz = used;
  free(mark);
  return 1;
}

static int bench_planner_make(const char *name, bench_planner_case *given)
{
  static const char *const prefix[] = {"array-", "ones-", "signed-", "complex-"};
  perm_matrix *matrix = &given->matrix;
  perm_result result;
  uint64_t seed = 7;
  int is[4] = {0}, k, parts;
  size_t e, i;
  memset(given, 0, sizeof *given);
  for (k = 0; k < 4; k++)
    if (!strncmp(name, prefix[k], strlen(prefix[k]))) {
      is[k] = 1;
      name += strlen(prefix[k]);
    }
  if (!bench_planner_own(name, matrix) && perm_generate(name, 1, NULL, matrix, &result) != PERM_OK) {
    printf("%s\n", result.message);
    return 0;
  }
  if (is[1])
    matrix->kind = PERM_KIND_PATTERN;
  for (e = 0; is[2] && e < matrix->nnz; e++)
    matrix->real[e] *= bench_planner_random(&seed) < 0.5 ? -1 : 1;
  if (is[3]) {
    matrix->kind = PERM_KIND_COMPLEX;
    matrix->imaginary = (double *)malloc((matrix->nnz + 1) * sizeof(double));
    for (e = 0; e < matrix->nnz; e++)
      matrix->imaginary[e] = bench_planner_random(&seed) - 0.5;
  }
  if (!is[0])
    return 1;
  parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  given->real = (double *)calloc((size_t)matrix->n * (size_t)matrix->n * (size_t)parts, sizeof(double));
  given->integer = matrix->integer ? (int64_t *)calloc((size_t)matrix->n * (size_t)matrix->n, sizeof(int64_t)) : NULL;
  for (i = 0; i < (size_t)matrix->n; i++)
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      const size_t at = (i * (size_t)matrix->n + (size_t)matrix->column[e]) * (size_t)parts;
      if (given->integer)
        given->integer[at] = matrix->integer[e];
      else
        given->real[at] = matrix->real[e];
      if (parts == 2)
        given->real[at + 1] = matrix->imaginary[e];
    }
  return 1;
}

static double bench_planner_call(const bench_planner_case *given, perm_method method, double effort, double limit,
                                 perm_result *result)
{
  const int n = given->matrix.n;
  perm_options options;
  perm_status status;
  const double start = bench_planner_clock();
  memset(&options, 0, sizeof options);
  options.method = method;
  options.threads = 1;
  options.plan_effort = effort;
  options.max_seconds = limit;
  if (!given->real || (permi_block_engine(method) && !(permi_block_engine(method)->flags & PERMI_ARRAY)))
    status = perm_compute_sparse(&given->matrix, &options, result);
  else if (given->integer)
    status = perm_compute_integer(n, n, given->integer, n, &options, result);
  else if (given->matrix.kind == PERM_KIND_COMPLEX)
    status = perm_compute_complex(n, n, given->real, n, &options, result);
  else
    status = perm_compute_real(n, n, given->real, n, &options, result);
  return status == PERM_OK ? bench_planner_clock() - start : (double)INFINITY;
}

typedef struct bench_planner_counts {
  int cases, planned, effort, engine;
} bench_planner_counts;

static void bench_planner_row(const char *name, const bench_planner_case *given, bench_planner_counts *counts)
{
  static const perm_method methods[] = {PERM_METHOD_FRONTIER, PERM_METHOD_TREE,      PERM_METHOD_BAND,
                                        PERM_METHOD_HYBRID,   PERM_METHOD_DOMINATING, PERM_METHOD_SPARYSER,
                                        PERM_METHOD_DECOMPOSE, PERM_METHOD_TRANSVERSALS, PERM_METHOD_DENSE,
                                        PERM_METHOD_EXACT,    PERM_METHOD_TWINS};
  static const double efforts[] = {1, 0.1, 0.3, 3, 10};
  enum { METHODS = sizeof methods / sizeof *methods, EFFORTS = 5 };
  double seconds[EFFORTS + METHODS], chosen, share, planning = (double)INFINITY;
  perm_result result;
  perm_method engine = PERM_METHOD_AUTO;
  int k, run, step, repeats = 1, exact = 0, effort = 0, named = EFFORTS;
  for (k = 0; k < EFFORTS + METHODS; k++)
    seconds[k] = (double)INFINITY;
  for (run = 0; run < repeats; run++)
    for (step = 0; step < EFFORTS + METHODS; step++) { /* a prime number: each call follows every other in turn */
      const int by_name = (k = step * (1 + run % (EFFORTS + METHODS - 1)) % (EFFORTS + METHODS)) >= EFFORTS;
      const double limit = by_name ? fmax(BENCH_PLANNER_FACTOR * seconds[0], BENCH_PLANNER_LEAST) : 0;
      double taken;
      if (run && (seconds[k] == (double)INFINITY || (by_name && seconds[k] > 2 * seconds[0] && seconds[k] > 0.01)))
        continue;
      taken = bench_planner_call(given, by_name ? methods[k - EFFORTS] : PERM_METHOD_AUTO, by_name ? 0 : efforts[k],
                                 limit, &result);
      if (k == 0 && taken == (double)INFINITY) {
        printf("| %s | %s |\n", name, result.message);
        return;
      }
      if (k && result.exact != exact)
        continue; /* integers where the default gives doubles, or the reverse */
      seconds[k] = fmin(seconds[k], taken);
      if (k == 0) {
        exact = result.exact;
        engine = result.method;
        planning = fmin(planning, result.plan_seconds);
        repeats = (int)fmax(BENCH_PLANNER_LEAST_REPEATS,
                            fmin(BENCH_PLANNER_REPEATS, BENCH_PLANNER_SECONDS / seconds[0]));
      }
    }
  chosen = seconds[0];
  share = planning / chosen;
  for (k = 1; k < EFFORTS; k++)
    effort = seconds[k] < seconds[effort] ? k : effort;
  for (k = EFFORTS; k < EFFORTS + METHODS; k++)
    named = seconds[k] < seconds[named] ? k : named;
  printf("| %s | %.4g | %.1f | %.4g | %g | %.2f | %s | %s | %.4g | %.2f |\n", name, 1e3 * chosen, 100 * share,
         1e3 * seconds[effort], efforts[effort], chosen / seconds[effort], perm_name("method", engine),
         perm_name("method", methods[named - EFFORTS]), 1e3 * seconds[named], chosen / seconds[named]);
  fflush(stdout);
  counts->cases++;
  counts->planned += share <= 0.05 || planning <= (given->real ? 2e-4 : 2e-3);
  counts->effort += chosen <= 1.1 * seconds[effort];
  counts->engine += chosen <= fmax(1.2 * seconds[named], seconds[named] + BENCH_PLANNER_APART);
}

static void bench_planner(const char *only)
{
  static const char *const matrices[] = {
      "array-uniform:18", "array-uniform:22", "array-uniform:26", "array-uniform:28", "array-unitary:20",
      "array-complex-gauss:22", "array-binary:20:0.5", "array-binary:24:0.5", "regular:40:4", "regular:80:3",
      "regular:90:3", "er:34:0.3", "ktree:60:3", "circulant:36:6", "ktree:40:5", "power:40:6", "er:30:0.5",
      "ones-ktree:60:3", "ones-ktree:40:5", "ones-power:40:6", "ones-circulant:36:6", "er:28:0.6", "er:36:0.17",
      "er:44:0.11", "er:50:0.08", "er:24:0.8", "array-er:26:0.7", "array-er:30:0.3", "signed-er:32:0.3",
      "signed-er:36:0.17", "complex-er:26:0.4", "complex-er:32:0.17", "array-complex-er:24:0.5", "binary:30:0.3",
      "array-binary:26:0.3", "grid:14:16", "grid:18:18", "mycielskian:6", "regular:30:6", "regular:60:3",
      "signed-power:45:4", "band:60:6", "band:2000:5", "arrow:400:3", "tree:30000", "blocks:20:18:0.4", "hexagonal:7",
      "uniform:24", "ktree:200:2", "power:120:2.2"};
  static const char *const long_ones[] = {"er:46:0.8", "dft:40", "uniform:46", "uniform:62", "grid:30:30",
                                          "mycielskian:7", "regular:200:3"};
  bench_planner_counts counts = {0, 0, 0, 0};
  bench_planner_case given;
  size_t k;
  printf("\n## Planning: milliseconds of whole calls, one thread\n\n"
         "| matrix | default | planning, %% | best effort | which | default / it | engine | best by name | its time "
         "| default / it |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (k = 0; k < sizeof matrices / sizeof *matrices; k++) {
    if (only && !strstr(matrices[k], only))
      continue;
    if (bench_planner_make(matrices[k], &given))
      bench_planner_row(matrices[k], &given, &counts);
    perm_matrix_free(&given.matrix);
    free(given.real);
    free(given.integer);
  }
  printf("\n| too long to run | planning, ms | predicted, s |\n|---|---|---|\n");
  for (k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
    perm_options options;
    perm_job *job;
    const double start = bench_planner_clock();
    if ((only && !strstr(long_ones[k], only)) || !bench_planner_make(long_ones[k], &given))
      continue;
    memset(&options, 0, sizeof options);
    if (perm_sparse_job(&given.matrix, &options, &job, NULL) == PERM_OK) {
      printf("| %s | %.4g | %.4g |\n", long_ones[k], 1e3 * (bench_planner_clock() - start), permi_job_seconds(job));
      perm_job_free(job);
    } else {
      printf("| %s | %.4g | refused |\n", long_ones[k], 1e3 * (bench_planner_clock() - start));
    }
    perm_matrix_free(&given.matrix);
  }
  printf("\nPlanning at most 5 %%, 2 ms (arrays: 0.2 ms): %d of %d.\nWithin 1.1 of the best effort: %d of %d.\n"
         "Within 1.2 of the best engine by name, or 0.5 ms: %d of %d.\n",
         counts.planned, counts.cases, counts.effort, counts.cases, counts.engine, counts.cases);
}
/* SPDX-License-Identifier: MIT */
